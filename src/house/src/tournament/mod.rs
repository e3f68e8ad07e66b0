//! Tournaments (spec/games/tournaments.md): what an event has, and what follows from it. Its commands are decided in
//! `decide/`, its events folded in `fold.rs`, what the house has to do is `duty.rs`, and what its tables' hands do to it
//! `hand.rs`. The arithmetic is `fairshoe_tournament`'s.
//!
//! Owns: entries, seats, chips between hands, the clock, draws, ranks. Does not own: a hand (`fairshoe_games::poker`),
//! a table's seats during a hand (`cash/`), money (`ledger.rs`).

pub(crate) mod decide;
mod draws;
pub(crate) mod duty;
mod fold;
mod hand;
mod lines;
mod noted;
mod refund;
mod rules;

pub use fairshoe_words::tournament::{
    CancelCause, DealMethod, DrawKind, DropCause, Noted, PaidBy, PaidPrize, Pay, SetSeat, StandCause,
    TournamentCommand, TournamentEvent,
};
pub use noted::Note;
pub use refund::{Bought, Journal, Refund, Settlement, Then};
pub use rules::at_blinds;
pub(crate) use rules::{blinds, table_rules};

use crate::dues::Dues;
use crate::ledger::EventMoney;
use crate::sharded::Sharded;
use crate::{CutOff, Reference, is_zero};
use fairshoe_fairness::{ClientSeed, DrawLink, EventEntropy, PlayerId, SeedCommitment, TableContext, TableId};
use fairshoe_games::RuleSet;
use fairshoe_tournament::bounty::Bounty;
use fairshoe_tournament::clock::{self, Position, Stop, running_time};
use fairshoe_tournament::entry::{self, Closed, Sold};
use fairshoe_tournament::prize::{PrizeTable, ends_with, places_paid, prizes};
use fairshoe_tournament::rank::{Elimination, Rank};
use fairshoe_tournament::refund::Case;
use fairshoe_tournament::seating;
use fairshoe_tournament::staking::Stake;
use fairshoe_tournament::structure::Payouts;
use fairshoe_tournament::{EntryNo, OutOfRange, Structure};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::OnceLock;

/// An event's name leaves room for its tables' (spec/games/tournaments.md, 1.1).
pub(crate) const LONGEST_NAME: usize = 56;

/// Draws after which nobody enters any more, so that tables can always be broken.
pub(crate) const LATE_DRAWS: u16 = 32_768;

/// Entries that an event can have, so that table numbers suffice.
pub(crate) const MOST_ENTRIES: u64 = 65_534;

/// How often one player registers.
pub(crate) const MOST_OF_PLAYER: u16 = 1_000;

/// The parts of an event that never change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// How it is played.
    pub structure: Structure,
    /// Its digest.
    pub digest: String,
    /// The rule set that the structure names.
    pub rules: RuleSet,
    /// The rule set of its tables, with the first level's blinds.
    pub table_rules: RuleSet,
}

/// How far an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Before the start.
    Registering,
    /// It is played.
    Running,
    /// It is off, and refunds are paid.
    Cancelled,
    /// Nothing is left to be done.
    Ended,
}

/// A part of an entry that was sold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoldStake {
    /// The player who bought it.
    pub buyer: PlayerId,
    /// The part, and what it cost.
    pub stake: Stake,
}

/// The place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Whereabouts {
    /// Registered, and waits for a seat.
    Waiting,
    /// At a table, on a seat.
    Seated(u16, u8),
    /// Eliminated.
    Out,
    /// Disqualified.
    Disqualified,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventEntry {
    /// The player whose entry it is.
    pub player: PlayerId,
    /// The place where it is.
    pub at: Whereabouts,
    /// Its chips; during a hand those at the hand's start.
    pub chips: u64,
    /// Head and won total.
    pub bounty: Bounty,
    /// The sum that was paid for it, by form.
    pub paid_by: PaidBy,
    /// The sum that it brought to the pool.
    pub to_pool: u64,
    /// The sum that it brought in fees.
    pub fees: u64,
    /// Whether its player had entered before.
    pub re_entry: bool,
    /// Whether it cannot be given back.
    pub non_unregisterable: bool,
    /// Rebuys so far.
    pub rebuys: u8,
    /// Whether the add-on was taken.
    pub added_on: bool,
    /// Without chips: until when they may rebuy, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuy_until: Option<u64>,
    /// The elimination that this would be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub falls: Option<Fall>,
    /// Milliseconds left in the time bank.
    pub bank_ms: u64,
    /// Whether its last decision was taken by default, as after the last hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<CutOff>,
    /// The newest commitment that was not opened, its use, and how many hands the event had called before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<(SeedCommitment, u16, u64)>,
    /// How many basis points are offered or sold.
    pub offered: u64,
    /// The stakes in it that were sold.
    pub stakes: Vec<SoldStake>,
    /// The sum that the event paid a seller and that lies in escrow.
    pub won: u64,
    /// T$ that a seller was refunded: they count in what is divided.
    pub t_dollars_won: u64,
    /// Prizes and bounties paid to it.
    pub received: u64,
    /// The sum that its place took of the pool.
    pub from_pool: u64,
    /// How it was eliminated, or disqualified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<Elimination>,
    /// The place, or the first and last of those that are shared, once no re-entry can change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<(u64, u64)>,
    /// Whether that place was paid.
    pub is_paid: bool,
}

impl EventEntry {
    /// Whether its player is not out: who may still rebuy is not.
    pub fn is_in_play(&self) -> bool {
        matches!(self.at, Whereabouts::Waiting | Whereabouts::Seated(..))
    }

    /// The table that it sits at.
    pub fn table(&self) -> Option<u16> {
        if let Whereabouts::Seated(table, _) = self.at { Some(table) } else { None }
    }
}

/// A player of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// Their entries, ascending.
    pub entries: Vec<EntryNo>,
    /// How often they registered.
    pub registered: u16,
    /// How many commitments they gave.
    pub uses: u16,
    /// Whether the operator gave them a bounty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_bounty: Option<bool>,
    /// Disqualified: they enter no more.
    pub is_barred: bool,
}

/// A hand that left a player without chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fall {
    /// Which hands count as one.
    pub hand: u64,
    /// The table where it was played.
    pub table: u16,
    /// Chips at its start.
    pub stack: u64,
    /// Clockwise from the button.
    pub distance: u8,
    /// The winners of the last pot that they were eligible for, from the left of the button.
    pub winners: Vec<EntryNo>,
}

/// The clock of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventClock {
    /// When the event began, UTC milliseconds.
    pub started: u64,
    /// In which times it stood.
    pub stops: Vec<(u64, u64)>,
    /// Since when it stands, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<(u64, StandCause)>,
    /// The level, from 1.
    pub level: u16,
    /// Whether nobody plays.
    pub in_break: bool,
    /// When it next changes if it goes on, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_change: Option<u64>,
}

/// A draw that was called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenDraw {
    /// The purpose of the draw.
    pub kind: DrawKind,
    /// The table that breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u16>,
    /// The entries to be seated, ascending.
    pub entrants: BTreeSet<EntryNo>,
    /// Seeds that are out.
    pub seeds: BTreeMap<EntryNo, ClientSeed>,
    /// UTC milliseconds until which the others are awaited.
    pub reveal_by: u64,
    /// The entries whose commitment is not opened yet.
    pub awaited: BTreeSet<EntryNo>,
    /// How many hands the event had called before the newest commitment that can be opened here.
    pub committed_at: u64,
}

/// The draws of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draws {
    /// The next one's number.
    pub next: u16,
    /// The link to which the next one must lead.
    pub link: DrawLink,
    /// X.
    pub running: EventEntropy,
    /// The one that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenDraw>,
    /// Whether the last table was drawn.
    pub had_final: bool,
    /// The parts of the draw that is due, or open, which are fixed once it has its hands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frozen: Option<FixedDraw>,
}

/// A draw whose X is fixed: its kind, its table, X, and until it is called those who are to be seated, ascending, where
/// these are not the players of its table. It stays so until its seats are drawn, whatever becomes due meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedDraw(pub DrawKind, pub Option<u16>, pub EventEntropy, pub BTreeSet<EntryNo>);

/// The operator's offer for a place's prize.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Substitute {
    /// The thing that is offered.
    pub what: Reference,
    /// Its worth, in cents.
    pub value: u64,
    /// The entries that take it if the place becomes theirs.
    pub accepted: BTreeSet<EntryNo>,
}

/// Hand-for-hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandForHand {
    /// The round's number, from 1.
    pub round: u64,
    /// The hand number that its hands count as.
    pub hand: u64,
    /// Tables that have played theirs.
    pub played: BTreeSet<u16>,
}

/// A deal under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealTalk {
    /// The entries that wish for one.
    pub wanted: BTreeSet<EntryNo>,
    /// The proposal that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// Since when they talk, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// A deal's numbers, to be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// The digest that answers name.
    pub digest: String,
    /// The numbers, ascending by entry.
    pub amounts: Vec<(EntryNo, u64)>,
    /// The entries that accepted.
    pub accepted: BTreeSet<EntryNo>,
    /// UTC milliseconds at which it is off.
    pub answer_by: u64,
}

/// The tables of an event as far as the event knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventTables {
    /// The tables with a log of their own that are not closed.
    pub open: BTreeSet<u16>,
    /// Open tables between hands, by the time since when they are.
    pub idle: BTreeSet<(u64, u16)>,
    /// Open tables whose seats, chips or blinds the event has changed.
    pub dirty: BTreeSet<u16>,
    /// Tables that a start of the dealer has left to be put in order.
    pub unrecovered: BTreeSet<u16>,
    /// By table: its calls.
    pub calls: BTreeMap<u16, TableCalls>,
    /// How many hands the event has called.
    pub called: u64,
}

/// The calls for hands of a table, as the event counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableCalls {
    /// Since when it is between hands, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_since: Option<u64>,
    /// Which of the event's calls its last one was, from 1.
    pub last: u64,
    /// The number of its last hand whose seeds came out.
    pub opened: u64,
    /// Its hands at the last level to which nobody committed, since a hand of the event was begun.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseeded: u64,
    /// Its last big blind and its drawn button before the hand in progress, to be theirs again if it is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<(u8, Option<u8>)>,
}

/// An event: the fold of its entries and its tables'.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// The context of its draws: the log's name, its own, the epoch in which it was announced.
    pub context: TableContext,
    /// The terms, which never change.
    #[serde(with = "crate::snapshot_serde::shared")]
    pub terms: Arc<Terms>,
    /// The rule set of its tables at the level in force.
    #[serde(with = "crate::snapshot_serde::shared")]
    pub(crate) level_rules: Arc<RuleSet>,
    /// The number that its next entry takes.
    pub next_seq: u64,
    /// When its last entry was, UTC milliseconds.
    pub last_used: u64,
    /// How far it has come.
    pub stage: Stage,
    /// UTC milliseconds.
    pub starts_at: u64,
    /// If it was postponed, the earlier starts, the announced one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_starts: Vec<u64>,
    /// UTC milliseconds.
    pub registration_from: u64,
    /// How many levels late registration lasts.
    pub late_levels: u16,
    /// The least of them that was in force.
    pub least_late_levels: u16,
    /// How long before the start unregistering ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unregister_ms: Option<u64>,
    /// By number.
    #[serde(default, skip_serializing_if = "Sharded::is_empty")]
    pub entries: Sharded<EntryNo, EventEntry>,
    /// The number that the next entry takes.
    pub next_entry: u64,
    /// By player.
    #[serde(default, skip_serializing_if = "Sharded::is_empty")]
    pub entrants: Sharded<PlayerId, Entrant>,
    /// The entries, rebuys and add-ons that it sold.
    pub sold: Sold,
    /// How many players entered.
    pub players: u64,
    /// How many of them are not out, or may still rebuy.
    pub remaining: u64,
    /// Those of them who wait for a seat, and for no draw that was called.
    pub waiting: BTreeSet<EntryNo>,
    /// The clock.
    pub clock: EventClock,
    /// The paid places were reached: whether that cut registration short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itm: Option<bool>,
    /// When that was, UTC milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itm_at: Option<u64>,
    /// Why registration has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_ended: Option<Closed>,
    /// The pool, once it is final.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<u64>,
    /// Its draws.
    pub draws: Draws,
    /// Its tables' seats.
    pub(crate) field: FieldState,
    /// Its tables.
    pub tables: EventTables,
    /// How many hands, or rounds of hand-for-hand, have ended.
    pub hands: u64,
    /// Tables with a hand that left somebody without chips and was not dealt with.
    pub to_settle: BTreeMap<u16, Vec<EntryNo>>,
    /// Those without chips who may rebuy, by the time at which that ends.
    pub rebuying: BTreeSet<(u64, EntryNo)>,
    /// Requests yet to be carried out, by entry: at the end of its table's hand, or draw.
    pub noted: BTreeMap<EntryNo, Note>,
    /// Hand-for-hand, while it is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand_for_hand: Option<HandForHand>,
    /// Eliminations whose rank is not fixed.
    pub unranked: Vec<Elimination>,
    /// Places that are taken and not paid, the last first: place, entry.
    pub unpaid: BTreeSet<(std::cmp::Reverse<u64>, EntryNo)>,
    /// Entries with a won total that is to be paid.
    pub won: BTreeSet<EntryNo>,
    /// A deal under way.
    pub deal: DealTalk,
    /// The balances of its accounts.
    pub(crate) money: EventMoney,
    /// Entries of which stakes were sold and whose winnings were not divided.
    pub sellers: BTreeSet<EntryNo>,
    /// A deal ended it.
    pub deal_made: bool,
    /// Fractions cut off prizes and refunds so far.
    pub residual: u64,
    /// By place what is offered for its prize.
    pub substitutes: BTreeMap<u64, Substitute>,
    /// Refunds that are yet to be paid, once it is off.
    pub refunds: BTreeMap<EntryNo, Refund>,
    /// By which case they are, once it is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_case: Option<Case>,
    /// The holdings of its entries before, as far back as a cancellation may reach.
    pub journal: Journal,
    /// The house's duties, and since when.
    pub(crate) dues: Dues,
    /// Results from seats and tables, once they were needed after a change.
    #[serde(skip)]
    pub(crate) shape: OnceLock<Shape>,
}

/// Results from an event's seats and tables: computed once for each change, and not for each entry.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The break or the move that is due.
    pub due: Option<seating::Due>,
    /// Tables where seats were drawn and that are not open.
    pub to_open: BTreeSet<u16>,
    /// Tables that are open and have no seats any more.
    pub to_close: BTreeSet<u16>,
    /// Tables where something is yet to be carried out.
    pub noted: BTreeSet<u16>,
}

/// [`seating::Field`], saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldState(pub seating::Field);

/// A table of it, as it is written: seats, last big blind, drawn button.
type SavedTable = (BTreeMap<u8, EntryNo>, u8, Option<u8>);

impl Serialize for FieldState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let field = &self.0;
        let tables: BTreeMap<u16, SavedTable> = field
            .tables
            .iter()
            .map(|(number, table)| (*number, (table.players.clone(), table.last_big, table.first_button)))
            .collect();
        (field.seats, field.last_table, tables).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FieldState {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (seats, last_table, saved): (u8, u16, BTreeMap<u16, SavedTable>) = Deserialize::deserialize(deserializer)?;
        let tables = saved.into_iter().map(|(number, (players, last_big, first_button))| {
            (number, seating::Table { players, last_big, first_button })
        });
        Ok(FieldState(seating::Field { seats, last_table, tables: tables.collect() }))
    }
}

impl Tournament {
    /// Its name.
    pub fn name(&self) -> &TableId {
        &self.context.table
    }

    /// The price of a rebuy or the add-on with its fee, cents.
    pub(crate) fn price_of(&self, what: Noted) -> Option<u64> {
        let structure = self.structure();
        let (price, fee) = match what {
            Noted::Rebuy => structure.rebuy.as_ref().map(|terms| (terms.price, terms.fee))?,
            Noted::AddOn => structure.add_on.as_ref().map(|terms| (terms.price, terms.fee))?,
            Noted::Disqualification => return None,
        };
        price.checked_add(fee)
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.terms.structure
    }

    /// Whether a table has no hand and none called, or is not opened yet.
    pub(crate) fn rests_at(&self, number: u16) -> bool {
        self.tables.calls.get(&number).is_none_or(|calls| calls.idle_since.is_some())
    }

    /// The name of its table of this number.
    pub fn table_name(&self, number: u16) -> Option<TableId> {
        TableId::parse(&format!("{}.{number}", self.context.table)).ok()
    }

    /// The number of its table of this name.
    pub fn number_of(&self, table: &TableId) -> Option<u16> {
        let (event, number) = table.as_str().rsplit_once('.')?;
        number.parse().ok().filter(|_| event == self.context.table.as_str())
    }

    /// The seats of its open tables.
    pub fn field(&self) -> &seating::Field {
        &self.field.0
    }

    /// A player's entry that is in play.
    pub fn in_play(&self, player: &PlayerId) -> Option<(EntryNo, &EventEntry)> {
        let entry_no = *self.entrants.get(player)?.entries.last()?;
        self.entries.get(&entry_no).filter(|entry| entry.is_in_play()).map(|entry| (entry_no, entry))
    }

    /// The entries that are in play, in no order.
    pub fn left(&self) -> impl Iterator<Item = (&EntryNo, &EventEntry)> {
        self.entries.iter().filter(|(_, entry)| entry.is_in_play())
    }

    /// Running time at a moment, milliseconds; `None` before the start.
    pub fn running(&self, now: u64) -> Option<u64> {
        if !matches!(self.stage, Stage::Running) {
            return None;
        }
        let stops = self.clock.stops.iter().map(|(from, until)| Stop { from: *from, until: *until });
        let stands = self.clock.stands.map(|(from, _)| Stop { from, until: now.max(from) });
        let stops: Vec<Stop> = stops.chain(stands).collect();
        running_time(self.structure(), self.clock.started, &stops, now).ok()
    }

    /// The position of the clock.
    pub fn position(&self, now: u64) -> Option<Position> {
        Some(clock::position(self.structure(), self.running(now)?, now))
    }

    /// The structure's late registration as it is in force.
    pub(crate) fn scheduled(&self, late_levels: u16) -> Cow<'_, Structure> {
        match self.structure() {
            structure if structure.late_levels == late_levels => Cow::Borrowed(structure),
            structure => Cow::Owned(Structure { late_levels, ..structure.clone() }),
        }
    }

    /// The results from its seats and tables.
    pub(crate) fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| {
            let (seated, open) = (&self.field.0.tables, &self.tables.open);
            Shape {
                due: self.field.0.due(),
                to_open: seated.keys().filter(|number| !open.contains(number)).copied().collect(),
                to_close: open.iter().filter(|number| !seated.contains_key(number)).copied().collect(),
                noted: self.noted.keys().filter_map(|entry_no| self.entries.get(entry_no)?.table()).collect(),
            }
        })
    }

    /// The seats, to be changed.
    pub(crate) fn field_mut(&mut self) -> &mut seating::Field {
        self.shape.take();
        &mut self.field.0
    }

    /// The field as the arithmetic needs it.
    pub(crate) fn asked(&self, now: u64) -> entry::Field {
        entry::Field {
            sold: self.sold,
            players: self.players,
            remaining: self.remaining,
            running: self.running(now),
            was_itm: self.itm.is_some(),
        }
    }

    /// Why nobody may enter any more at a moment, by the rules alone.
    ///
    /// # Errors
    /// Where amounts leave the range.
    pub fn closed(&self, now: u64) -> Result<Option<Closed>, OutOfRange> {
        if let Some(cause) = self.registration_ended {
            return Ok(Some(cause));
        }
        if self.sold.entries >= MOST_ENTRIES || self.draws.next >= LATE_DRAWS {
            return Ok(Some(Closed::Full));
        }
        Ok(entry::registration(&self.scheduled(self.late_levels), &self.asked(now))?.err())
    }

    /// Whether registration, rebuys and add-ons have all ended at a moment.
    pub(crate) fn is_final(&self, now: u64) -> Result<bool, OutOfRange> {
        // A request made in time may still add to the pool.
        let buys = |note: &Note| !matches!(note, Note::Disqualification(_));
        let bought = self.rebuying.is_empty() && !self.noted.values().any(buys);
        let over = self.registration_ended.is_some() && bought;
        Ok(over && (self.remaining <= 1 || entry::is_final(&self.scheduled(self.late_levels), &self.asked(now))?))
    }

    /// The sum collected for prizes.
    pub fn collected(&self) -> Result<u64, OutOfRange> {
        Ok(entry::collected(self.structure(), &self.sold)?.pool)
    }

    /// The pool: before it is final, what it would be now.
    pub fn pool_now(&self) -> Result<entry::Pool, OutOfRange> {
        entry::pool(self.collected()?, self.structure().guarantee, self.itm == Some(true))
    }

    /// How many places are paid, as of now.
    pub fn places(&self) -> Result<u64, OutOfRange> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => self.pool_now()?.pool,
        };
        Ok(places_paid(self.structure(), self.sold.entries, self.players, pool))
    }

    /// How long before the start unregistering ends. Once an event was postponed whoever may give an entry back at all
    /// may do so until it starts.
    pub fn unregister_in_force(&self) -> Option<u64> {
        if self.earlier_starts.is_empty() { self.unregister_ms } else { Some(0) }
    }

    /// Whether a player gets what is offered for the prize of their place: they accepted it, and share it with nobody.
    pub(crate) fn takes_substitute(&self, entry_no: EntryNo, (first, last): (u64, u64)) -> bool {
        let offered = self.substitutes.get(&first).filter(|_| first == last);
        offered.is_some_and(|offered| offered.accepted.contains(&entry_no))
    }

    /// All prizes, as of now.
    pub fn prizes(&self) -> Result<PrizeTable, OutOfRange> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => self.pool_now()?.pool,
        };
        prizes(self.structure(), self.sold.entries, self.players, pool)
    }

    /// With how many remaining it is over.
    pub(crate) fn ends_with(&self) -> Result<u64, OutOfRange> {
        let pool = match self.pool {
            Some(pool) => pool,
            None => self.pool_now()?.pool,
        };
        Ok(ends_with(self.structure(), self.players, pool))
    }

    /// Whether nobody plays any more.
    pub fn is_over(&self) -> bool {
        let few = self.ends_with().is_ok_and(|least| self.remaining <= least);
        // A player who may rebuy is not out, and somebody who registered may still wait for a seat.
        let settled = self.rebuying.is_empty() && self.to_settle.is_empty() && !self.disqualifies_next();
        self.stage == Stage::Running && (few && settled && self.registration_ended.is_some() || self.deal_made)
    }

    /// The worth of a ticket for it: an entry's price, in cents.
    pub fn ticket_value(&self) -> u64 {
        let terms = &self.structure().entry;
        terms.buy_in.saturating_add(terms.fee).saturating_add(terms.bounty)
    }

    /// The balances of its accounts: pool, fees, bounties, stakes.
    pub fn money(&self) -> (i64, i64, i64, i64) {
        let EventMoney { pool, fees, bounties, stakes } = self.money;
        (pool, fees, bounties, stakes)
    }

    /// A satellite's target, and whether its seats cannot be given back.
    pub fn target(&self) -> Option<(TableId, bool)> {
        let Payouts::Satellite(terms) = &self.structure().payouts else { return None };
        Some((TableId::parse(&terms.target).ok()?, terms.non_unregisterable))
    }

    /// The ranks of what is not ranked, if nothing can change them any more.
    pub(crate) fn ranks_now(&self) -> Vec<Rank> {
        let open = self.registration_ended.is_none() || self.hand_for_hand.is_some() || !self.rebuying.is_empty();
        if open || !self.to_settle.is_empty() || self.unranked.is_empty() {
            return Vec::new();
        }
        fairshoe_tournament::rank::ranks(self.remaining, &self.unranked)
    }
}

/// The events of a log, each shared with whoever looks at it while the state goes on.
#[derive(Clone, Default)]
pub(crate) struct Tournaments(Sharded<TableId, Arc<Tournament>>);

impl Tournaments {
    pub fn get(&self, event: &TableId) -> Option<&Tournament> {
        self.0.get(event).map(Arc::as_ref)
    }

    pub fn shared(&self, event: &TableId) -> Option<Arc<Tournament>> {
        self.0.get(event).cloned()
    }

    pub fn get_mut(&mut self, event: &TableId) -> Option<&mut Tournament> {
        self.0.get_mut(event).map(Arc::make_mut)
    }

    pub fn insert(&mut self, event: TableId, tournament: Tournament) {
        self.0.insert(event, Arc::new(tournament));
    }

    pub fn remove(&mut self, event: &TableId) {
        self.0.remove(event);
    }

    pub fn values(&self) -> impl Iterator<Item = &Tournament> {
        self.0.values().map(Arc::as_ref)
    }
}

impl Serialize for Tournaments {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all: BTreeMap<&TableId, &Tournament> = self.0.iter().map(|(id, event)| (id, event.as_ref())).collect();
        all.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tournaments {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all: BTreeMap<TableId, Tournament> = Deserialize::deserialize(deserializer)?;
        Ok(Tournaments(all.into_iter().map(|(id, event)| (id, Arc::new(event))).collect()))
    }
}
