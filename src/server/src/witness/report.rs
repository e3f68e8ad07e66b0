//! How the witnesses stand, as an operator sees it in the service's state. Reads; asks nobody.

use super::Witnesses;
use super::state::Member;
use fairshoe_api::{WitnessState, WitnessView};

impl Witnesses {
    /// As it is now.
    pub fn report(&self) -> WitnessState {
        let (size, witnesses) = {
            let state = self.lock();
            (state.witnessed.as_ref().map(|witnessed| witnessed.size), state.members.iter().map(Member::view).collect())
        };
        WitnessState {
            unwitnessed: self.is_unwitnessed(),
            size,
            age: self.age().map(|age| age.as_secs()),
            limit: self.settings.limit.map(|limit| limit.as_secs()),
            witnesses,
        }
    }
}

impl Member {
    fn view(&self) -> WitnessView {
        let Member { name, cosigned_size, cosigned_at, error, failures, alarm, .. } = self;
        WitnessView {
            name: name.clone(),
            cosigned_size: *cosigned_size,
            cosigned_at: *cosigned_at,
            error: error.map(str::to_owned),
            failures: *failures,
            alarm: *alarm,
        }
    }
}
