//! Cash tables of poker (spec/games/poker-table.md): stacks before seats, debts, the button, and calls for a hand.
//!
//! Owns: what a cash table has that a betting table has not, its commands (`decide.rs`) and its events (`apply.rs`).
//! Does not own: the hand once it has begun (`fairshoe_games::poker`), seats as such (`decide/seats.rs`), rounds
//! (`round.rs`).

mod apply;
pub(crate) mod decide;

use crate::{CutOff, EventPlace, PlayerCommitment};
use fairshoe_fairness::{Epoch, PlayerId, SeedCommitment};
use fairshoe_games::poker::{Candidate, EntryChoice, HandStart, Owes, PokerRules, Positions, SeatResult, missed};
use fairshoe_games::{Chips, RoundEvent};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A seat of a cash table (spec/games/poker-table.md).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CashSeat {
    /// The chips that lie there; during a hand what lay there at its start (R001.112).
    pub stack: Chips,
    /// Not dealt in until they ask to play.
    pub sitting_out: bool,
    /// The blinds that passed them, or a newcomer's post (R001.1 to R001.4).
    pub owes: Owes,
    /// How they come in while they owe.
    pub entry: EntryChoice,
    /// Whether they straddle where they may.
    pub straddle: bool,
    /// Hands played to their end since they sat down (R001.13).
    pub hands: u32,
    /// Hands that were dealt since they were last dealt in, and for which they did not commit.
    pub away: u16,
    /// Milliseconds left in their time bank.
    pub bank_ms: u64,
    /// They leave as soon as no hand is in progress.
    pub leaving: bool,
    /// It is the operator who makes them leave: nothing is held against them.
    pub unseated: bool,
    /// Chips to be added as soon as no hand is in progress (R001.12).
    pub top_up: Chips,
    /// At a tournament's table: their last decision was taken by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
}

impl CashSeat {
    fn new(bank_ms: u64) -> Self {
        CashSeat {
            stack: Chips::ZERO,
            sitting_out: false,
            owes: Owes { entry: true, ..Owes::default() },
            entry: EntryChoice::Post,
            straddle: false,
            hands: 0,
            away: 0,
            bank_ms,
            leaving: false,
            unseated: false,
            top_up: Chips::ZERO,
            cut_off: None,
        }
    }

    /// Whether they may be dealt in.
    pub fn is_ready(&self) -> bool {
        !self.sitting_out && !self.leaving && self.stack > Chips::ZERO
    }

    /// Whether something is to be done here before the next hand.
    pub(crate) fn is_untidy(&self, rules: &PokerRules) -> bool {
        let broke = self.stack == Chips::ZERO && !self.sitting_out;
        self.leaving || self.top_up > Chips::ZERO || self.away >= rules.leave_table.sit_out_hands || broke
    }
}

/// A call for the next hand: commitments are in and do not bind yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The hand's round number.
    pub round_no: u64,
    /// Its deck.
    pub shoe_no: u64,
    /// UTC milliseconds at which it is over.
    pub closes_at: u64,
    /// The commitments that are in.
    pub seeds: BTreeMap<PlayerId, SeedCommitment>,
    /// The players who are ready: when all of them have committed, it may be over early.
    pub awaited: BTreeSet<PlayerId>,
}

impl Call {
    /// Whether everyone awaited has committed, and somebody has.
    pub fn is_complete(&self) -> bool {
        !self.seeds.is_empty() && self.awaited.iter().all(|player| self.seeds.contains_key(player))
    }

    /// Those of the commitments that are these players'.
    pub(crate) fn of(&self, dealt_in: &HandStart) -> Vec<PlayerCommitment> {
        let plays = |player: &PlayerId| dealt_in.seats.iter().any(|seat| seat.player == *player);
        let those = self.seeds.iter().filter(|(player, _)| plays(player));
        those.map(|(player, commitment)| PlayerCommitment { player: player.clone(), commitment: *commitment }).collect()
    }
}

/// The parts of a cash table besides its seats' players.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CashTable {
    /// By seat number, as in [`crate::Table::seats`].
    pub seats: BTreeMap<u8, CashSeat>,
    /// The places of button and blinds in the last hand.
    pub positions: Option<Positions>,
    /// The call for the next hand, while it is open.
    pub call: Option<Call>,
    /// At a tournament's table, what the event says of its hands.
    #[serde(default)]
    pub event: Option<EventPlace>,
    /// Commitments for the round after the one in progress.
    pub carried: BTreeMap<PlayerId, SeedCommitment>,
    /// Changes that the hand in progress made before its first card, undone if it is void.
    before_hand: Option<BeforeHand>,
}

/// Button, debts and time banks as they were before a hand. Without them a player who owes, or is to post the big
/// blind, would be quit of it by withholding their seed: the post comes back, and the debt would not (R001.26).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BeforeHand {
    positions: Option<Positions>,
    seats: BTreeMap<u8, (Owes, u16, u64, Option<CutOff>)>,
}

impl CashTable {
    /// Puts a player down without chips.
    pub(crate) fn sit(&mut self, seat: u8, rules: &PokerRules) {
        self.seats.insert(seat, CashSeat::new(rules.clocks.bank_ms));
    }

    /// A player gives their seat up.
    pub(crate) fn leave(&mut self, seat: u8, player: &PlayerId) {
        self.seats.remove(&seat);
        self.carried.remove(player);
    }

    /// A seat as the button's rule sees it.
    pub(crate) fn candidate(&self, number: u8) -> Option<Candidate> {
        let seat = self.seats.get(&number)?;
        Some(Candidate { seat: number, stack: seat.stack, owes: seat.owes, entry: seat.entry, straddle: seat.straddle })
    }

    /// The next hand's time bank of a seat (R001.84).
    pub(crate) fn bank(&self, number: u8, rules: &PokerRules) -> u64 {
        let left = self.seats.get(&number).map_or(0, |seat| seat.bank_ms);
        left.saturating_add(rules.clocks.bank_refill_ms).min(rules.clocks.bank_ms)
    }

    /// Notes whether a play leaves a player of a tournament's table cut off.
    pub(crate) fn note_cut_off(&mut self, number: u8, play: &RoundEvent) {
        let Some(seat) = self.seats.get_mut(&number) else { return };
        match play {
            RoundEvent::Offered { extra_ms, .. } if *extra_ms > 0 => seat.cut_off = Some(CutOff::Had),
            RoundEvent::Acted { default, .. } => seat.cut_off = CutOff::after(seat.cut_off, *default),
            _ => {}
        }
    }

    /// A hand is over: stacks change, and whoever was dealt in has played one more.
    pub(crate) fn end_hand(&mut self, results: &[SeatResult]) {
        self.before_hand = None;
        for result in results {
            if let Some(seat) = self.seats.get_mut(&result.seat) {
                seat.stack = result.stack;
                seat.hands = seat.hands.saturating_add(1);
            }
        }
    }

    /// The hand is void: button, debts, absences and time banks are what they were before it. Nobody left their seat
    /// meanwhile.
    pub(crate) fn undo_hand(&mut self) {
        let Some(before) = self.before_hand.take() else { return };
        self.positions = before.positions;
        for (number, before) in before.seats {
            if let Some(seat) = self.seats.get_mut(&number) {
                (seat.owes, seat.away, seat.bank_ms, seat.cut_off) = before;
            }
        }
    }

    /// A hand begins, for which these seats committed: debts of those dealt in are paid, blinds that passed the others
    /// are noted.
    pub(crate) fn begin_hand(&mut self, hand: &HandStart, committed: &[u8]) {
        let kept = |seat: &CashSeat| (seat.owes, seat.away, seat.bank_ms, seat.cut_off);
        let seats = self.seats.iter().map(|(number, seat)| (*number, kept(seat)));
        self.before_hand = Some(BeforeHand { positions: self.positions, seats: seats.collect() });
        for (number, seat) in &mut self.seats {
            match hand.seats.iter().find(|dealt| dealt.due.seat == *number) {
                Some(dealt) => {
                    (seat.owes, seat.away, seat.bank_ms) = (Owes::default(), 0, dealt.bank_ms);
                }
                None => {
                    // A player who committed and waits for their place is not away; one who asks to play and then keeps
                    // the others waiting is.
                    seat.away = seat.away.saturating_add(u16::from(!committed.contains(number)));
                    let passed = missed(self.positions.as_ref(), &hand.positions, *number);
                    // A newcomer has paid for no round yet: there is nothing that they could have missed (R001.1).
                    if self.event.is_some() {
                        seat.owes = Owes::default();
                    } else if !seat.owes.entry {
                        let owes = seat.owes;
                        seat.owes = Owes {
                            entry: false,
                            small: owes.small || passed.small,
                            big: owes.big || passed.big,
                            third: owes.third || passed.third,
                        };
                    }
                }
            }
        }
        self.positions = Some(hand.positions);
    }
}

/// Shoes of a table that were sealed one after the other in one epoch: what an auditor may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SealedRun {
    pub epoch: Epoch,
    pub first: u64,
    pub last: u64,
}

/// Notes one more sealed shoe.
pub(crate) fn note_sealed(runs: &mut Vec<SealedRun>, epoch: Epoch, shoe_no: u64) {
    match runs.last_mut() {
        Some(run) if run.epoch == epoch && run.last.checked_add(1) == Some(shoe_no) => run.last = shoe_no,
        _ => runs.push(SealedRun { epoch, first: shoe_no, last: shoe_no }),
    }
}
