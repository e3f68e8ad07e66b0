//! Tables and shoes as everyone may see them, and what is asked of them.

use crate::{OfTournament, Receipt};
use fairshoe_fairness::{Composition, Epoch, PlayerId, ServerSeed, TableId};
use fairshoe_games::poker::{EntryChoice, Owes, Positions};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Committed, PlacedBet, RetireCause};
use serde::{Deserialize, Serialize};

/// A table (openapi.yaml, `TableView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableView {
    /// What a cash table has beside its seats' players; null at any other.
    pub cash: Option<CashView>,
    /// Which chips it is played with.
    #[serde(default)]
    pub chips: ChipsOf,
    /// The rules' digest.
    pub digest: String,
    /// The epoch that its shoe was committed in; where it has none, the one in force.
    pub epoch: Option<Epoch>,
    /// The shoe is changed after this hand.
    pub last_hand: bool,
    /// The number of the next round.
    pub next_round: u64,
    /// What its sign says of its rules.
    pub notices: Vec<String>,
    /// The log's name.
    pub origin: String,
    /// Who alone may bet; null: everyone.
    pub owner: Option<PlayerId>,
    /// `TABLE:ROUND_NO` of the round in play; null where there is none.
    pub round: Option<String>,
    /// Its rule set, with every option at its value.
    pub rules: RuleSet,
    /// The seats that are taken; none at a solo table.
    #[serde(default)]
    pub seats: Vec<SeatView>,
    /// The committed shoe.
    pub shoe: Option<ShoeView>,
    /// Its name.
    pub table: TableId,
    /// The tournament that it is a table of; null at any other.
    pub tournament: Option<OfTournament>,
    /// Who waits for a seat.
    #[serde(default)]
    pub waiting: Vec<PlayerId>,
    /// The betting window, while it is open.
    pub window: Option<WindowView>,
    /// How many of the last hundred rounds a withheld seed voided.
    pub withheld_in_last_100: u32,
}

/// The two kinds of chips, which are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChipsOf {
    /// What the operator credited.
    #[default]
    Credited,
    /// A guest's, which are worth nothing.
    Play,
}

/// The shoe in use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShoeView {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// What it holds.
    pub composition: Composition,
    /// The log index of the entry that committed it, once that is durable.
    pub entry: Option<u64>,
    /// That entry's number in the table's sequence.
    pub seq: Option<u64>,
    /// Its number at the table, from 0.
    pub shoe_no: u64,
    /// How many of its slots have not been drawn.
    pub undrawn: u64,
}

/// A seat that is taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatView {
    /// Its player asked to play, and bets have not been opened since.
    pub asks: bool,
    /// Betting windows in a row that its player let pass; the seat is lost at 3.
    pub misses: u8,
    /// Who sits there.
    pub player: PlayerId,
    /// Its number, from 1.
    pub seat: u8,
    /// Its player waits for the next shoe (C11).
    pub waits_for_shoe: bool,
}

/// The betting window, while it is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WindowView {
    /// The bets that are placed and do not bind yet.
    pub bets: Vec<PlacedBet>,
    /// When it closes, UTC milliseconds, once that is known.
    pub closes_at: Option<u64>,
    /// Who asked for this round or bet in the last one.
    pub expected: Vec<PlayerId>,
    /// The round that the bets are for.
    pub round_no: u64,
    /// The number of the shoe in use, which the round is dealt from.
    pub shoe_no: u64,
}

/// A cash table's seats and button (openapi.yaml, `CashView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CashView {
    /// The call for the next hand, while it is open.
    pub call: Option<CallView>,
    /// Who has committed a seed for the hand that is called, or comes next.
    pub committed: Vec<PlayerId>,
    /// The blinds, as `100/200`.
    pub level: String,
    /// The caller's own standing at this level; null where nobody's token came.
    pub own: Option<StandingView>,
    /// Where button and blinds were in the last hand; null before the first.
    pub positions: Option<Positions>,
    /// The seats that are taken.
    pub seats: Vec<CashSeatView>,
}

/// The call for the next hand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallView {
    /// The players who are ready; when all of them have committed the hand begins.
    pub awaited: Vec<PlayerId>,
    /// When it is over, UTC milliseconds.
    pub closes_at: u64,
    /// The hand's number.
    pub round_no: u64,
    /// Its deck.
    pub shoe_no: u64,
}

/// What is held against a player at a level of blinds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StandingView {
    /// Until when they take no seat at this level, UTC milliseconds; null where nothing keeps them from one.
    pub blocked_until: Option<u64>,
    /// How often they left tables of this level early in the last 12 hours.
    pub left_early: u32,
}

/// A seat of a cash table that is taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CashSeatView {
    /// Hands in a row that were dealt without its player.
    pub away: u16,
    /// What is left of the time bank, in milliseconds.
    pub bank_ms: u64,
    /// How its player comes in while they owe.
    pub entry: EntryChoice,
    /// Hands played to their end since its player sat down.
    pub hands: u32,
    /// Its player gets up as soon as the hand is over.
    pub leaving: bool,
    /// What passed its player, or a newcomer's post.
    pub owes: Owes,
    /// Who sits there.
    pub player: Option<PlayerId>,
    /// Its number, from 1.
    pub seat: u8,
    /// Not dealt in until its player asks to play.
    pub sitting_out: bool,
    /// The chips that lie there; while a hand is in progress, those at its start.
    pub stack: Chips,
    /// Whether its player straddles where they may.
    pub straddle: bool,
    /// To be added as soon as the hand is over.
    pub top_up: Chips,
}

/// A page of the open tables (openapi.yaml, `TableList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableList {
    /// The cursor of the next page; null where this is the last.
    pub next: Option<TableId>,
    /// In the order of their names.
    pub tables: Vec<TableView>,
}

/// A rule set with its fields in the order of the log, as one who signs the opening of a table needs them
/// (openapi.yaml, `RuleSetView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleSetView {
    /// SHA-256 of its canonical text, lower-case hexadecimal.
    pub digest: String,
    /// The name that a table is opened with.
    pub name: String,
    /// The rule set itself, with every option at its value.
    pub rules: RuleSet,
}

/// The shoe in use at a table, with its proof (openapi.yaml, `CurrentShoe`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CurrentShoe {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// What it holds.
    pub composition: Composition,
    /// The epoch that it was committed in.
    pub epoch: Epoch,
    /// The entry that committed it.
    pub receipt: Receipt,
    /// Its number at the table.
    pub shoe_no: u64,
}

/// What became of a shoe (openapi.yaml, `ShoeHistory`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShoeHistory {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// Why it left the table; null where every round has its own, and while it is in use.
    pub cause: Option<RetireCause>,
    /// The entry that committed it.
    pub committed: Receipt,
    /// What it holds.
    pub composition: Composition,
    /// The entry that published its seeds.
    pub revealed: Option<Receipt>,
    /// The entry that opens all that was shown of it, whose seeds stay secret.
    pub sealed: Option<Receipt>,
    /// The server's seeds, once they are out.
    pub seeds: Option<Vec<ServerSeed>>,
    /// Its number at the table.
    pub shoe_no: u64,
}

/// A sealed shoe, as an auditor gets it (openapi.yaml, `Disclosure`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disclosure {
    /// The entry that says who got it.
    pub receipt: Receipt,
    /// The table at which the shoe was in use.
    pub table: TableId,
    /// Its number there.
    pub shoe_no: u64,
    /// The hand that was dealt from it: `TABLE:ROUND_NO`.
    pub round: String,
    /// The epoch that it was committed in.
    pub epoch: Epoch,
    /// What it holds.
    pub composition: Composition,
    /// The candidate that was dealt.
    pub pick: u8,
    /// One for each candidate.
    pub seeds: Vec<ServerSeed>,
}
