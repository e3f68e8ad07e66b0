use fairshoe_fairness::ServerSeed;
use serde::{Deserialize, Serialize};
use std::collections::{HashSet, VecDeque};

/// Published seeds remembered, so that memory stays flat; what is kept of each is enough that two never agree by chance.
pub(super) const REMEMBERED: usize = 1 << 18;

/// What is kept of a seed: its first half.
type Mark = [u64; 2];

/// The seeds that came out last. A seed that is published a second time was behind a shoe whose order anybody could
/// have known: whoever read the log, or had the shoe's first seed from the house.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "VecDeque<Mark>", into = "VecDeque<Mark>")]
pub(super) struct Published {
    known: HashSet<Mark>,
    order: VecDeque<Mark>,
}

impl From<VecDeque<Mark>> for Published {
    fn from(order: VecDeque<Mark>) -> Self {
        Published { known: order.iter().copied().collect(), order }
    }
}

impl From<Published> for VecDeque<Mark> {
    fn from(published: Published) -> Self {
        published.order
    }
}

impl Published {
    /// Takes a seed in; false if it was published before.
    pub fn first_time(&mut self, seed: &ServerSeed) -> bool {
        let eight = |from: usize| seed.as_bytes().iter().skip(from).take(8).fold(0, |mark, byte| mark << 8 | u64::from(*byte));
        let mark: Mark = [eight(0), eight(8)];
        if !self.known.insert(mark) {
            return false;
        }
        self.order.push_back(mark);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(number: u64) -> ServerSeed {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        ServerSeed::from_bytes(bytes)
    }

    #[test]
    fn a_seed_is_known_again_as_long_as_it_is_remembered() {
        let mut published = Published::default();
        let most = REMEMBERED as u64;
        assert!((0..most).all(|number| published.first_time(&seed(number))));
        assert!(!published.first_time(&seed(0)) && !published.first_time(&seed(most - 1)));
        assert!(published.first_time(&seed(most)));
        assert!(published.first_time(&seed(0)), "the oldest is forgotten");
        assert_eq!((published.known.len(), published.order.len()), (REMEMBERED, REMEMBERED));
    }
}
