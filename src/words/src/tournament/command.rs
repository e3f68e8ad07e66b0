//! What is asked of a tournament, and by whom (spec/games/tournaments.md, "Commands").

use crate::facts::{Balance, Begins, Counted, Facts, Repeats};
use crate::{CutOff, Reference};
use fairshoe_fairness::{ClientSeed, PlayerId, SeedCommitment, TableId};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_tournament::{EntryNo, Structure};
use serde::{Deserialize, Serialize};

/// How an entry is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pay {
    /// Out of the player's balance.
    Cash,
    /// By T$ as far as they go, and the rest out of the balance.
    TDollars,
    /// By a ticket for this event.
    Ticket,
}

/// How a deal's numbers come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DealMethod {
    /// By chips.
    Chips,
    /// By the chances of the chips.
    Icm,
    /// As somebody sent them.
    Amounts,
}

/// Why an event is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelCause {
    /// The clock stood for too long after a crash.
    Crash,
    /// Fewer than the structure's least came.
    TooFewPlayers,
    /// The operator's decision.
    Operator,
}

/// What is asked of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TournamentCommand {
    /// A new event: by the operator.
    Create {
        /// Its name, never used before.
        event: TableId,
        /// How it is played.
        structure: Box<Structure>,
        /// The rule set that the structure names.
        rules: Box<RuleSet>,
        /// UTC milliseconds.
        starts_at: u64,
        /// UTC milliseconds from which on players register.
        registration_from: u64,
    },
    /// An entry, or another one after an elimination: by the player.
    Register {
        /// Which event.
        event: TableId,
        /// The hash of a fresh seed for the next draw of their seat.
        commitment: SeedCommitment,
        /// How it is paid.
        pay: Pay,
    },
    /// Whether a player's entries have a bounty: by the operator.
    SetBounty {
        /// Which event.
        event: TableId,
        /// Whose.
        player: PlayerId,
        /// Whether they have one.
        has: bool,
    },
    /// The entry is given back: by the player.
    Unregister {
        /// Which event.
        event: TableId,
    },
    /// More chips: by the player.
    Rebuy {
        /// Which event.
        event: TableId,
    },
    /// No rebuy: by the player, or by the house when the time for it is over.
    DeclineRebuy {
        /// Which event.
        event: TableId,
        /// Whose entry.
        entry_no: EntryNo,
    },
    /// The add-on: by the player.
    AddOn {
        /// Which event.
        event: TableId,
    },
    /// What was noted of an entry is done, or dropped: by the house.
    CarryOut {
        /// Which event.
        event: TableId,
        /// Of which entry.
        entry_no: EntryNo,
    },
    /// A part of the entry is for sale: by the player.
    OfferStake {
        /// Which event.
        event: TableId,
        /// How much of it, together with what was offered before.
        basis_points: u64,
    },
    /// A part of somebody's entry is bought: by another player.
    BuyStake {
        /// Which event.
        event: TableId,
        /// Whose entry.
        seller: PlayerId,
        /// How much of it.
        basis_points: u64,
    },
    /// The event begins: by the house.
    Start {
        /// Which event.
        event: TableId,
    },
    /// Seats are to be drawn: by the house.
    CallDraw {
        /// Which event.
        event: TableId,
    },
    /// A seed for a draw: by anyone, since it proves itself.
    RevealSeatSeed {
        /// Which event.
        event: TableId,
        /// Which draw.
        draw_no: u16,
        /// Whose entry.
        entry_no: EntryNo,
        /// The seed; refused unless it opens the entry's commitment.
        seed: ClientSeed,
        /// By the player themselves: the commitment for the entry's next draw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<SeedCommitment>,
    },
    /// Seats are drawn: by the house.
    DrawSeats {
        /// Which event.
        event: TableId,
        /// Which draw.
        draw_no: u16,
    },
    /// A player changes tables as the rule says: by the house.
    MovePlayer {
        /// Which event.
        event: TableId,
    },
    /// The clock comes to the next level or break: by the house.
    NextLevel {
        /// Which event.
        event: TableId,
    },
    /// A hand that left somebody without chips is dealt with: by the house.
    SettleHand {
        /// Which event.
        event: TableId,
        /// The number of the table.
        table: u16,
    },
    /// Hand-for-hand begins, goes on or ends: by the house.
    NextRound {
        /// Which event.
        event: TableId,
    },
    /// Registration has ended, or the pool is final: by the house.
    EndRegistration {
        /// Which event.
        event: TableId,
    },
    /// Places that are taken are paid: by the house.
    PayPlaces {
        /// Which event.
        event: TableId,
    },
    /// Won bounties are paid: by the house.
    PayBounties {
        /// Which event.
        event: TableId,
    },
    /// Play goes on after a crash: by the house.
    StartClock {
        /// Which event.
        event: TableId,
    },
    /// Nothing is left to be done: by the house.
    End {
        /// Which event.
        event: TableId,
    },
    /// A deal is wished for, or not any more: by a player who is left.
    WantDeal {
        /// Which event.
        event: TableId,
        /// Whether it is.
        want: bool,
    },
    /// A deal's numbers: by a player who is left.
    ProposeDeal {
        /// Which event.
        event: TableId,
        /// How they come about.
        method: DealMethod,
        /// With `amounts`: the numbers, ascending by entry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amounts: Option<Vec<(EntryNo, u64)>>,
    },
    /// Yes or no: by a player who is left; no by the house when the time for it is over.
    AnswerDeal {
        /// Which event.
        event: TableId,
        /// The proposal's digest.
        digest: String,
        /// Whether they accept it.
        accept: bool,
    },
    /// A player is out for what they did: by the operator.
    Disqualify {
        /// Which event.
        event: TableId,
        /// Who.
        player: PlayerId,
        /// Why.
        reason: Reference,
    },
    /// Something else is offered for a prize: by the operator. The same, word for word, by a player who is left: they
    /// take it if the place becomes theirs.
    SubstitutePrize {
        /// Which event.
        event: TableId,
        /// Whose place.
        place: u64,
        /// What it is.
        what: Reference,
        /// What it is worth, in cents.
        value: u64,
    },
    /// Other times of registration: by the operator.
    ChangeRegistration {
        /// Which event.
        event: TableId,
        /// How many levels late registration lasts.
        late_levels: u16,
        /// How long before the start unregistering ends; absent: it is off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unregister_ms: Option<u64>,
        /// Why.
        reason: Reference,
    },
    /// A later start: by the operator.
    Postpone {
        /// Which event.
        event: TableId,
        /// UTC milliseconds.
        starts_at: u64,
        /// Why.
        reason: Reference,
    },
    /// The event is off: by the operator, or by the house.
    Cancel {
        /// Which event.
        event: TableId,
        /// Why.
        cause: CancelCause,
        /// The reference instant, UTC milliseconds (R001.31).
        instant: u64,
        /// The operator's words for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reference>,
    },
    /// Refunds are paid: by the house.
    PayRefunds {
        /// Which event.
        event: TableId,
    },
}

impl TournamentCommand {
    /// The event that it is about.
    pub fn event(&self) -> &TableId {
        use TournamentCommand as C;
        match self {
            C::Create { event, .. }
            | C::Register { event, .. }
            | C::SetBounty { event, .. }
            | C::Unregister { event }
            | C::Rebuy { event }
            | C::DeclineRebuy { event, .. }
            | C::AddOn { event }
            | C::CarryOut { event, .. }
            | C::OfferStake { event, .. }
            | C::BuyStake { event, .. }
            | C::Start { event }
            | C::CallDraw { event }
            | C::RevealSeatSeed { event, .. }
            | C::DrawSeats { event, .. }
            | C::MovePlayer { event }
            | C::NextLevel { event }
            | C::SettleHand { event, .. }
            | C::NextRound { event }
            | C::EndRegistration { event }
            | C::PayPlaces { event }
            | C::PayBounties { event }
            | C::StartClock { event }
            | C::End { event }
            | C::WantDeal { event, .. }
            | C::ProposeDeal { event, .. }
            | C::AnswerDeal { event, .. }
            | C::Disqualify { event, .. }
            | C::SubstitutePrize { event, .. }
            | C::ChangeRegistration { event, .. }
            | C::Postpone { event, .. }
            | C::Cancel { event, .. }
            | C::PayRefunds { event } => event,
        }
    }

    /// The command's row.
    pub fn facts(&self) -> Facts<'_> {
        use TournamentCommand as C;
        let facts = Facts::table(self.event());
        let posts = facts.balance(Balance::OfGiverIfPosted);
        match self {
            // The same may come again once the entry was given back, and then it is another one.
            C::Register { .. } => posts.begins(Begins::Play).repeats(Repeats::AsLastOfBets),
            C::Unregister { .. } => posts.counted(Counted::No).repeats(Repeats::AsLastOfBets),
            C::Rebuy { .. } | C::AddOn { .. } => posts.begins(Begins::Play),
            C::BuyStake { .. } => posts.begins(Begins::Something),
            C::OfferStake { .. } => facts.begins(Begins::Something).balance(Balance::Untold),
            C::RevealSeatSeed { .. } => facts.counted(Counted::No).balance(Balance::Untold).repeats(Repeats::BySeed),
            C::Create { .. } => facts.begins(Begins::Something).balance(Balance::Untold),
            // They may come again, and each time mean something; and they cost nothing.
            C::WantDeal { .. } => facts.balance(Balance::Untold).repeats(Repeats::ByContentWithoutKey),
            // Once a deal is off, the same proposal that is refused now is not the one that was accepted then.
            C::ProposeDeal { .. } => facts.balance(Balance::Untold),
            C::AnswerDeal { .. } | C::DeclineRebuy { .. } => {
                facts.counted(Counted::No).balance(Balance::Untold).repeats(Repeats::ByContentWithoutKey)
            }
            _ => facts.counted(Counted::No).balance(Balance::Untold).repeats(Repeats::ByContent),
        }
    }
}

/// What lies before the seats of an event's table when its next hand is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetSeat {
    /// Its number.
    pub seat: u8,
    /// Who sits there.
    pub player: PlayerId,
    /// Their chips.
    pub stack: Chips,
    /// Milliseconds left in their time bank.
    pub bank_ms: u64,
    /// Whether their last decision in the event was taken by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
}
