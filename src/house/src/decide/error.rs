//! Why a command becomes no entry, and what every decision asks first.

use crate::{Actor, DealerError, Refusal, is_guest};
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use thiserror::Error;

/// Why a command did not become an entry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecideError {
    /// It is refused; nothing changed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The dealer could not answer; a service stops.
    #[error(transparent)]
    Dealer(#[from] DealerError),
    /// The house contradicts itself; a service stops.
    #[error("the house contradicts itself: {0}")]
    Broken(String),
}

/// Players' balances before an entry.
pub(crate) type Before = Vec<(PlayerId, Chips)>;

/// Refuses to move money where the chips are play chips.
pub(crate) fn require_credited(player: &PlayerId) -> Result<(), Refusal> {
    let why = "a guest's chips are play chips: none are paid in, out or for";
    if is_guest(player) { Err(Refusal::OtherChips(why)) } else { Ok(()) }
}

/// Refuses everyone but `only`.
pub(crate) fn require(by: &Actor, only: &Actor, why: &'static str) -> Result<(), Refusal> {
    if by == only { Ok(()) } else { Err(Refusal::NotAllowed(why)) }
}
