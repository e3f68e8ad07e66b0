//! What happened in a tournament, in the log's words (spec/games/tournaments.md, "Events"). What each does to it is
//! `fold.rs`.

use super::PaidBy;
use super::command::{CancelCause, DealMethod};
use crate::Reference;
use fairshoe_fairness::{ClientSeed, DrawLink, Epoch, EventEntropy, PlayerId, SeedCommitment};
use fairshoe_games::RuleSet;
use fairshoe_tournament::bounty::Won;
use fairshoe_tournament::entry::Closed;
use fairshoe_tournament::refund::Case;
use fairshoe_tournament::structure::RefundMethod;
use fairshoe_tournament::{EntryNo, Structure};
use serde::{Deserialize, Serialize};

/// What a draw is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawKind {
    /// The first seats of all.
    First,
    /// Those who came late, and re-entries.
    Late,
    /// The players of a table that breaks.
    Break,
    /// The last table.
    Final,
}

/// Why the clock stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StandCause {
    /// The service crashed.
    Crash,
    /// All who are left wish for a deal.
    Deal,
}

/// What can be asked for in the middle of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noted {
    /// A rebuy.
    Rebuy,
    /// The add-on.
    AddOn,
    /// A disqualification.
    Disqualification,
}

/// Why what was noted is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropCause {
    /// The player has too many chips for a rebuy.
    Stack,
    /// The balance does not cover it.
    Balance,
    /// The event would hold more than it may.
    Room,
    /// The event is over, and with it what can be bought, or the player is the last one.
    Over,
}

/// What a place was paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaidPrize {
    /// Cents.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cash: u64,
    /// The worth of a ticket.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ticket: u64,
    /// T$.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub t_dollars: u64,
    /// Cents that the house has for the substitute, which the player accepted in their place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub substitute: u64,
}

fn is_zero(amount: &u64) -> bool {
    *amount == 0
}

/// What happened in one event, which the entry's place names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TournamentEvent {
    /// The event is announced.
    Created {
        /// How it is played.
        structure: Box<Structure>,
        /// The structure's digest.
        digest: String,
        /// The rule set of its tables.
        rules: Box<RuleSet>,
        /// UTC milliseconds.
        starts_at: u64,
        /// UTC milliseconds.
        registration_from: u64,
        /// The epoch in force, which stays the event's.
        epoch: Epoch,
        /// Where the house's chain of numbers ends.
        tip: DrawLink,
    },
    /// An entry.
    Registered {
        /// Its number.
        entry_no: EntryNo,
        /// Whose.
        player: PlayerId,
        /// The hash of their seed for the next draw of their seat.
        commitment: SeedCommitment,
        /// What was paid for it.
        paid_by: PaidBy,
        /// What is on its head.
        bounty: u64,
        /// Whether it cannot be given back.
        non_unregisterable: bool,
    },
    /// Whether a player's entries have a bounty.
    BountySet {
        /// Whose.
        player: PlayerId,
        /// Whether they have one.
        has: bool,
    },
    /// An entry was given back.
    Unregistered {
        /// Which.
        entry_no: EntryNo,
    },
    /// More chips.
    Rebought {
        /// For which entry.
        entry_no: EntryNo,
        /// Their stack after it.
        chips: u64,
    },
    /// The add-on.
    AddedOn {
        /// For which entry.
        entry_no: EntryNo,
        /// Their stack after it.
        chips: u64,
    },
    /// Something is asked for of an entry that cannot be done before the hand, or draw, that it is in is over.
    Noted {
        /// Of which entry.
        entry_no: EntryNo,
        /// What.
        what: Noted,
        /// Of a disqualification: why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// What was noted is not done, and cost nothing.
    NoteDropped {
        /// Of which entry.
        entry_no: EntryNo,
        /// What.
        what: Noted,
        /// Why not.
        why: DropCause,
    },
    /// Parts of an entry are for sale.
    StakeOffered {
        /// Of whose.
        player: PlayerId,
        /// How much, together with what was sold.
        basis_points: u64,
    },
    /// A part of an entry was sold.
    StakeSold {
        /// Whose entry.
        seller: PlayerId,
        /// To whom.
        buyer: PlayerId,
        /// How much of it.
        basis_points: u64,
        /// For how many cents.
        price: u64,
    },
    /// What an entry won was divided between its player and the buyers of its stakes.
    StakesDivided {
        /// Which.
        entry_no: EntryNo,
    },
    /// A ticket that nobody can use any more comes back as T$.
    TicketReturned {
        /// Whose.
        player: PlayerId,
        /// What it is worth, in cents.
        value: u64,
    },
    /// It began.
    Started {
        /// With how many players.
        players: u64,
    },
    /// Seats are to be drawn.
    DrawCalled {
        /// The draw's number.
        draw_no: u16,
        /// What for.
        kind: DrawKind,
        /// The table that breaks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<u16>,
        /// UTC milliseconds until which seeds are awaited.
        reveal_by: u64,
    },
    /// A seed for a draw is out.
    SeatSeedRevealed {
        /// The draw's number.
        draw_no: u16,
        /// Whose entry.
        entry_no: EntryNo,
        /// The seed.
        seed: ClientSeed,
        /// The commitment for the entry's next draw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<SeedCommitment>,
    },
    /// Seats are drawn: who sits where follows.
    SeatsDrawn {
        /// The draw's number.
        draw_no: u16,
        /// The house's number, `s_d`.
        link: DrawLink,
        /// `E_d`.
        entropy: EventEntropy,
        /// How many seeds were withheld.
        withheld: u64,
    },
    /// A player changed tables.
    PlayerMoved {
        /// Who.
        entry_no: EntryNo,
        /// Table and seat before.
        from: (u16, u8),
        /// Table and seat after.
        to: (u16, u8),
    },
    /// Another level.
    LevelBegun {
        /// Its number, from 1.
        level: u16,
    },
    /// Nobody plays.
    BreakBegun {
        /// UTC milliseconds at which that ends.
        until: u64,
    },
    /// Play goes on.
    BreakEnded {},
    /// A player is out.
    PlayerEliminated {
        /// Who.
        entry_no: EntryNo,
        /// Which of the event's hands, or rounds of hand-for-hand, did it.
        hand: u64,
        /// At which table.
        table: u16,
        /// Their chips at the hand's start.
        stack: u64,
        /// Clockwise from the button.
        distance: u8,
    },
    /// A player without chips may rebuy.
    RebuyAwaited {
        /// Who.
        entry_no: EntryNo,
        /// UTC milliseconds at which that ends.
        until: u64,
    },
    /// A head fell.
    BountyWon {
        /// Whose.
        entry_no: EntryNo,
        /// To whom, and how much.
        winners: Vec<Won>,
    },
    /// A round of hand-for-hand begins; 0: it ends.
    HandForHand {
        /// The round's number.
        round: u64,
    },
    /// Nobody registers any more.
    RegistrationEnded {
        /// Why.
        cause: Closed,
        /// How many entries there are.
        entries: u64,
        /// How many places are paid.
        places: u64,
    },
    /// Prizes are final.
    PoolFinal {
        /// For prizes.
        pool: u64,
        /// Of it, from the house.
        overlay: u64,
    },
    /// A place was paid.
    PrizePaid {
        /// Whose.
        entry_no: EntryNo,
        /// The place, or the first and the last of those that were shared.
        rank: (u64, u64),
        /// What it was.
        prize: PaidPrize,
    },
    /// Won bounties were paid.
    BountyPaid {
        /// To whom.
        entry_no: EntryNo,
        /// Cents.
        amount: u64,
    },
    /// A wish for a deal, or the end of one.
    DealWanted {
        /// Whose.
        entry_no: EntryNo,
        /// Whether it stands.
        want: bool,
    },
    /// A deal's numbers.
    DealProposed {
        /// How they came about.
        method: DealMethod,
        /// What is answered by.
        digest: String,
        /// The numbers, ascending by entry.
        amounts: Vec<(EntryNo, u64)>,
        /// UTC milliseconds at which it is off.
        answer_by: u64,
    },
    /// An answer.
    DealAnswered {
        /// Whose.
        entry_no: EntryNo,
        /// Which it is.
        accept: bool,
    },
    /// All accepted.
    DealMade {
        /// The numbers, ascending by entry.
        amounts: Vec<(EntryNo, u64)>,
    },
    /// No deal: the clock goes on.
    DealOff {},
    /// A player is out for what they did.
    PlayerDisqualified {
        /// Whose entry.
        entry_no: EntryNo,
        /// Why.
        reason: Reference,
    },
    /// Something else is offered for a prize.
    PrizeSubstituted {
        /// Of which place.
        place: u64,
        /// What it is.
        what: Reference,
        /// What it is worth, in cents.
        value: u64,
    },
    /// A player takes what is offered for a prize, if the place becomes theirs alone.
    SubstituteAccepted {
        /// Who.
        entry_no: EntryNo,
        /// Which place.
        place: u64,
    },
    /// Other times of registration.
    RegistrationChanged {
        /// How many levels late registration lasts.
        late_levels: u16,
        /// How long before the start unregistering ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unregister_ms: Option<u64>,
    },
    /// A later start.
    Postponed {
        /// UTC milliseconds.
        starts_at: u64,
    },
    /// The clock stands.
    ClockStopped {
        /// Why.
        cause: StandCause,
    },
    /// The clock goes on.
    ClockStarted {
        /// Why it stood.
        cause: StandCause,
    },
    /// The event is off.
    Cancelled {
        /// Why.
        cause: CancelCause,
        /// The reference instant, UTC milliseconds.
        instant: u64,
        /// Which of the four cases.
        case: Case,
        /// How the pool is divided.
        method: RefundMethod,
        /// How many are left.
        remaining: u64,
        /// What is divided.
        pool: u64,
        /// By so many chips.
        chips: u64,
        /// What is cut off.
        residual: u64,
    },
    /// A refund was paid.
    Refunded {
        /// To whom.
        entry_no: EntryNo,
        /// Fees, in case 1 all that was paid.
        fee: u64,
        /// Head and won total.
        bounty: u64,
        /// Of the pool.
        pool: u64,
        /// The prize of a place that was taken before the instant, or a won total, not paid until now.
        #[serde(default, skip_serializing_if = "is_zero")]
        due: u64,
        /// What was bought after the instant, which comes back whole.
        #[serde(default, skip_serializing_if = "is_zero")]
        bought: u64,
        /// Of prizes and bounties that were paid after the instant, what was taken back.
        #[serde(default, skip_serializing_if = "is_zero")]
        taken: u64,
    },
    /// Nothing is left to be done.
    Ended {
        /// What was cut off.
        residual: u64,
    },
}
