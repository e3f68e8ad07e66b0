//! The shuffle of a new pile as it stands: who has committed, who has revealed, until when it waits (A002.m).
//! Decisions are in `decide/pile.rs`.

use crate::Misfit;
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment};
use serde::{Deserialize, Serialize};

/// One player's part in the shuffle of a new pile.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PileContributor {
    /// The player.
    pub player: PlayerId,
    /// The hash of their seed, once it is in.
    pub commitment: Option<SeedCommitment>,
    /// The seed, once it is out.
    pub seed: Option<ClientSeed>,
}

/// The stage for which the shuffle of a new pile waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PileStage {
    /// Commitments, until then (UTC milliseconds).
    Commitments(u64),
    /// Seeds, until then (UTC milliseconds).
    Seeds(u64),
}

impl PileStage {
    /// Its deadline, UTC milliseconds.
    pub fn deadline(self) -> u64 {
        let (PileStage::Commitments(by) | PileStage::Seeds(by)) = self;
        by
    }

    pub(crate) fn moved_to(self, by: u64) -> PileStage {
        match self {
            PileStage::Commitments(_) => PileStage::Commitments(by),
            PileStage::Seeds(_) => PileStage::Seeds(by),
        }
    }
}

/// The shuffle of a new pile in the middle of a game (A002.m): a round number of its own, fresh commitments, then
/// seeds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PileShuffle {
    /// Its round number.
    pub round_no: u64,
    /// The pile's shoe.
    pub shoe_no: u64,
    /// The event that it waits for.
    pub stage: PileStage,
    /// The players who take part, ascending by name.
    pub contributors: Vec<PileContributor>,
}

impl PileShuffle {
    /// Those for whom the present stage still waits.
    pub fn missing(&self) -> Vec<PlayerId> {
        let waits = |c: &&PileContributor| match self.stage {
            PileStage::Commitments(_) => c.commitment.is_none(),
            PileStage::Seeds(_) => c.seed.is_none(),
        };
        self.contributors.iter().filter(waits).map(|c| c.player.clone()).collect()
    }

    /// One player's part.
    pub fn of(&self, player: &PlayerId) -> Option<&PileContributor> {
        self.contributors.iter().find(|c| c.player == *player)
    }

    pub(crate) fn of_mut(&mut self, player: &PlayerId) -> Result<&mut PileContributor, Misfit> {
        self.contributors.iter_mut().find(|c| c.player == *player).ok_or_else(|| Misfit::NotInShuffle(player.clone()))
    }
}
