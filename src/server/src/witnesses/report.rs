use super::Witnesses;
use super::state::Member;
use serde::Serialize;

/// What an operator is told of the witnesses (openapi.yaml, `WitnessState`).
#[derive(Serialize)]
pub struct Report {
    /// Whether no quorum cosigned a new checkpoint for too long.
    pub unwitnessed: bool,
    /// Entries under the newest checkpoint that met the quorum.
    pub size: Option<u64>,
    /// Seconds since it was the newest checkpoint of all.
    pub age: Option<u64>,
    /// Seconds after which no bet is taken.
    pub limit: Option<u64>,
    /// By the order of the operator's file.
    pub witnesses: Vec<Member>,
}

impl Witnesses {
    /// As it is now.
    pub fn report(&self) -> Report {
        let (size, witnesses) = {
            let state = self.lock();
            (state.witnessed.as_ref().map(|witnessed| witnessed.size), state.members.clone())
        };
        Report {
            unwitnessed: self.is_unwitnessed(),
            size,
            age: self.age().map(|age| age.as_secs()),
            limit: self.settings.limit.map(|limit| limit.as_secs()),
            witnesses,
        }
    }
}
