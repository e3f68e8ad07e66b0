//! A table between rounds, as the entry that commits a shoe states it (spec/entries.md, "The table as it stands"), and
//! what of a cash table's seats stands on the log.

use fairshoe_fairness::{PlayerId, SeedCommitment};
use fairshoe_games::Chips;
use fairshoe_games::poker::{Blinds, EntryChoice, Owes, Positions};
use serde::{Deserialize, Serialize};

/// A player of a tournament whose last decision was taken by default (R001.104).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutOff {
    /// The next one may have more time.
    Due,
    /// They were given that time, and have taken no decision themselves since.
    Had,
}

impl CutOff {
    /// The same after a decision, taken by default or not.
    pub fn after(before: Option<CutOff>, default: bool) -> Option<CutOff> {
        default.then(|| before.unwrap_or(CutOff::Due))
    }
}

/// What a tournament says of the hands at one of its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventPlace {
    /// The level, from 1.
    pub level: u16,
    /// Its blinds.
    pub blinds: Blinds,
    /// The button that was drawn, at a table without a hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<u8>,
    /// How many times what a hand that nobody commits to posts is doubled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub doubled: u64,
    /// Milliseconds more for who was cut off, late in the event.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_extra_ms: u64,
}

/// Whether a number is left out.
pub fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// Why a player sits out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SitOutCause {
    /// They asked to.
    Asked,
    /// No commitment of theirs was in when the hand was closed.
    NoCommitment,
    /// They let a turn lapse.
    TimedOut,
    /// They withheld a seed.
    RevealMissing,
    /// They have no chips.
    NoChips,
}

/// A table between rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotedTable {
    /// The number that its next round takes.
    pub next_round: u64,
    /// When its last entry was, UTC milliseconds.
    pub last_used: u64,
    /// Until when it pauses after a round, UTC milliseconds; absent where it did not at its last entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_until: Option<u64>,
    /// Its seats, at a shared table without stacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub betting: Option<NotedBetting>,
    /// Its seats, at a cash table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cash: Option<NotedCash>,
}

/// Who sits and waits at a shared table without stacks. Lists ascend by seat or player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotedBetting {
    /// The seats that are taken.
    pub seats: Vec<NotedSeat>,
    /// Seated players who asked to play the next round.
    pub asked: Vec<PlayerId>,
    /// Players for whom the shoe was changed and who have yet to bet (C11).
    pub newcomers: Vec<PlayerId>,
    /// Whose bets were in the last round, whether they still sit or not.
    pub last: Vec<PlayerId>,
    /// A round ended, and those who bet in it have not been asked for their bets since.
    pub goes_on: bool,
    /// Who waits for a seat, and since when, UTC milliseconds.
    pub waiting: Vec<(PlayerId, u64)>,
}

/// A seat without a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotedSeat {
    /// Its number.
    pub seat: u8,
    /// Who sits there.
    pub player: PlayerId,
    /// When it was last used, UTC milliseconds.
    pub used: u64,
    /// How many windows in a row its player let pass.
    pub misses: u8,
}

/// Who sits and waits at a cash table, and where the button was. Lists ascend by seat or player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotedCash {
    /// The seats that are taken.
    pub seats: Vec<NotedCashSeat>,
    /// Where button and blinds were in the last hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Positions>,
    /// At a tournament's table, what the event says of its hands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventPlace>,
    /// Commitments for the next hand.
    pub carried: Vec<(PlayerId, SeedCommitment)>,
    /// Who waits for a seat, and since when, UTC milliseconds.
    pub waiting: Vec<(PlayerId, u64)>,
}

/// A seat of a cash table. Nobody is leaving and no chips are to be added: the seats are tidied before a hand is
/// called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotedCashSeat {
    /// Its number.
    pub seat: u8,
    /// Who sits there.
    pub player: PlayerId,
    /// When it was last used, UTC milliseconds.
    pub used: u64,
    /// The chips before it.
    pub stack: Chips,
    /// Whether its player is not dealt in until they ask to play.
    pub sitting_out: bool,
    /// What passed it, or a newcomer's post.
    pub owes: Owes,
    /// How its player comes in while they owe.
    pub entry: EntryChoice,
    /// Whether they straddle where they may.
    pub straddle: bool,
    /// Hands played to their end since they sat down.
    pub hands: u32,
    /// Hands dealt since they were last dealt in, and for which they did not commit.
    pub away: u16,
    /// Milliseconds left in their time bank.
    pub bank_ms: u64,
    /// At a tournament's table, whether its player's last decision was taken by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
}

impl NotedTable {
    /// Whether a table can stand so at the entry of this place in its sequence, which commits this shoe, given the
    /// earliest time at which its last entry before can have been (UTC milliseconds).
    ///
    /// # Errors
    /// Why it cannot.
    pub fn can_follow(&self, seq: u64, shoe_no: u64, earliest: u64) -> Result<(), &'static str> {
        let Some(before) = seq.checked_sub(1) else { return Err("it stands in the place of the table's opening") };
        let seats = self.betting.iter().flat_map(|betting| betting.seats.iter().map(|one| one.used));
        let cash_seats = self.cash.iter().flat_map(|cash| cash.seats.iter().map(|one| one.used));
        if self.last_used < earliest || seats.chain(cash_seats).any(|used| used < earliest) {
            return Err("its last entry, or the use of a seat, is before the table was opened or put in order");
        }
        // Each shoe, each round and each seat took an entry of its own.
        if self.next_round > before || shoe_no > before || before == 0 && !self.is_new() {
            return Err("more happened at it than it had entries");
        }
        let newcomers = self.betting.as_ref().is_some_and(|betting| !betting.newcomers.is_empty());
        if shoe_no == 0 && newcomers { Err("its first shoe was changed for somebody") } else { Ok(()) }
    }

    fn is_new(&self) -> bool {
        let nobody =
            |betting: &NotedBetting| betting.seats.is_empty() && betting.waiting.is_empty() && betting.last.is_empty();
        self.betting.as_ref().is_none_or(nobody)
            && self.cash.as_ref().is_none_or(|cash| cash.seats.is_empty() && cash.waiting.is_empty())
    }

    /// Everybody it names.
    pub fn players(&self) -> impl Iterator<Item = &PlayerId> {
        let betting = self.betting.iter().flat_map(|betting| {
            let waiting = betting.waiting.iter().map(|(player, _)| player);
            betting.seats.iter().map(|one| &one.player).chain(&betting.newcomers).chain(&betting.last).chain(waiting)
        });
        let cash = self.cash.iter().flat_map(|cash| {
            cash.seats.iter().map(|one| &one.player).chain(cash.waiting.iter().map(|(player, _)| player))
        });
        betting.chain(cash)
    }
}
