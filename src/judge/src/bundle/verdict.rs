//! The verdict on a bundle, in the words of spec/audit.md, "Verdicts", with the facts of its round.

use super::RoundId;
use crate::Money;
use crate::audit::Finding;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Ahead, Chips};
use fairshoe_house::{Entry, Event, OpenRound, Phase, RoundResult, VoidCause};
use serde::Serialize;

/// The verdict's word (spec/audit.md, "Verdicts").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Soundness {
    /// Everything holds, and nothing is left to be shown.
    Sound,
    /// Everything shown so far holds; the round is in play or the shoe's seed is not out.
    SoundSoFar,
    /// Something does not hold.
    NotSound,
}

/// How far the round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundPhase {
    /// Bets bind, seeds are awaited.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// Over.
    Settled,
    /// Void.
    Voided,
}

/// A player's stakes and returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerFacts {
    /// The player.
    pub player: PlayerId,
    /// All that they have put in so far, minor units (spec/audit.md, "Verdicts").
    pub staked: Chips,
    /// Every credit, minor units; what a void returns is one.
    pub returned: Chips,
}

/// The round as the replay has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundFacts {
    /// The round.
    pub id: RoundId,
    /// The number of the shoe that it is dealt from.
    pub shoe_no: u64,
    /// The rule set's name.
    pub rules: String,
    /// How far it has come.
    pub phase: RoundPhase,
    /// Why it is void, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<VoidCause>,
    /// The side that was ahead when it was voided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Ahead>,
    /// The players who bet, or were dealt in, ascending by name.
    pub players: Vec<PlayerFacts>,
}

impl RoundFacts {
    pub(super) fn of(id: &RoundId, rules: &str, round: &OpenRound) -> RoundFacts {
        let (phase, cause, ahead) = match round.phase {
            Phase::AwaitingReveals { .. } => (RoundPhase::AwaitingReveals, None, None),
            Phase::Open { .. } => (RoundPhase::Open, None, None),
            Phase::Settled => (RoundPhase::Settled, None, None),
            Phase::Voided { cause, ahead } => (RoundPhase::Voided, Some(cause), Some(ahead)),
        };
        let players = round.contributors.iter().map(|c| PlayerFacts {
            player: c.placed.player.clone(),
            staked: round.put_in_so_far(c),
            returned: c.returned,
        });
        RoundFacts {
            id: id.clone(),
            shoe_no: round.shoe_no,
            rules: rules.to_owned(),
            phase,
            cause,
            ahead,
            players: players.collect(),
        }
    }

    /// The round is void in the entry that closes its table, which is gone after it.
    pub(super) fn void_at_close(&mut self, entry: &Entry) {
        for event in &entry.events {
            let Event::RoundVoided { round_no, cause, ahead, players, .. } = event else { continue };
            if *round_no != self.id.round_no {
                continue;
            }
            (self.phase, self.cause, self.ahead) = (RoundPhase::Voided, Some(*cause), Some(*ahead));
            let facts = |result: &RoundResult| PlayerFacts {
                player: result.player.clone(),
                staked: result.staked,
                returned: result.returned,
            };
            self.players = players.iter().map(facts).collect();
        }
    }

    /// Each player's stakes and returns, in words.
    pub fn sums_in_words(&self, money: &Money) -> Vec<String> {
        let one = |one: &PlayerFacts| {
            let (player, staked, returned) = (&one.player, money.sum(one.staked), money.sum(one.returned));
            match self.phase {
                RoundPhase::Settled => format!("{player} staked {staked} and got back {returned}."),
                RoundPhase::Voided if one.returned == one.staked => {
                    format!("{player} staked {staked} and got it back: the round is void.")
                }
                RoundPhase::Voided => format!("{player} staked {staked} and got {returned} back: the round is void."),
                _ => format!("{player} has staked {staked} so far; the round is in play."),
            }
        };
        self.players.iter().map(one).collect()
    }

    /// Whether nothing more can happen in the round.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, RoundPhase::Settled | RoundPhase::Voided)
    }
}

/// The verdict on a bundle (spec/audit.md, "Verdicts").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The word.
    pub verdict: Soundness,
    /// The findings; empty unless not sound.
    pub findings: Vec<Finding>,
    /// The round step by step, in plain English.
    pub story: Vec<String>,
    /// The verifier key that the bundle was checked with.
    pub key: String,
    /// Whether that key is one the caller trusts; if not, they must compare it themselves.
    pub key_trusted: bool,
    /// The round's facts, as far as the replay came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<RoundFacts>,
}
