//! Betting tables: bets in a window before a round, on a shoe that lasts for several.
//!
//! Owns: what a betting table has that a cash table has not, its commands (`decide.rs`), its events (`apply.rs`), the
//! window. Does not own: the round once bets are closed (`round.rs`), seats as such (`decide/seats.rs`), piles within a
//! round (`pile.rs`).

mod apply;
mod decide;
mod window;

pub use window::Window;

use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The parts that only a betting table has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BettingTable {
    /// The betting window, while it is open.
    pub window: Option<Window>,
    /// Seated players who asked to play the next round.
    pub asked: BTreeSet<PlayerId>,
    /// Players for whom the shoe was changed and who have yet to bet (C11).
    pub newcomers: BTreeSet<PlayerId>,
    /// The bettors of the shoe's last round; `None` before its first.
    pub bettors: Option<BTreeSet<PlayerId>>,
    /// At a shared table, whose bets were in the last round, on whichever shoe.
    pub last_bettors: BTreeSet<PlayerId>,
    /// A round or a window ended, and those who bet in it have not been asked for their bets since.
    pub goes_on: bool,
    /// The cut card of the shoe has appeared.
    pub last_hand: bool,
    /// The operator asked for a shuffle after this hand.
    pub shuffle_asked: bool,
}

impl BettingTable {
    /// A player gives their seat up.
    pub(crate) fn leave(&mut self, player: &PlayerId) {
        self.asked.remove(player);
        if let Some(window) = &mut self.window {
            window.expected.remove(player);
        }
    }
}
