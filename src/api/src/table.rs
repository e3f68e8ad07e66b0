//! Tables and shoes as everyone may see them, with requests about them.

use crate::{OfTournament, Receipt};
use fairshoe_fairness::{Composition, Epoch, PlayerId, ServerSeed, TableId};
use fairshoe_games::poker::{EntryChoice, Owes, Positions};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Committed, PlacedBet, RetireCause};
use serde::{Deserialize, Serialize};

/// A table (openapi.yaml, `TableView`), with its rule set or that one's text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableView<R = RuleSet> {
    /// A cash table's own state; null at any other table.
    pub cash: Option<CashView>,
    /// The kind of its chips.
    #[serde(default)]
    pub chips: ChipsOf,
    /// The rules' digest.
    pub digest: String,
    /// The epoch in which its shoe was committed; without a shoe, the one in force.
    pub epoch: Option<Epoch>,
    /// Whether the shoe is changed after this hand.
    pub last_hand: bool,
    /// The number of the next round.
    pub next_round: u64,
    /// The lines of its sign about its rules.
    pub notices: Vec<String>,
    /// The log's name.
    pub origin: String,
    /// The only player who may bet; null: everyone.
    pub owner: Option<PlayerId>,
    /// `TABLE:ROUND_NO` of the round in play; null if there is none.
    pub round: Option<String>,
    /// Its rule set, with every option at its value.
    pub rules: R,
    /// The taken seats; empty at a solo table.
    #[serde(default)]
    pub seats: Vec<SeatView>,
    /// The committed shoe.
    pub shoe: Option<ShoeView>,
    /// Its name.
    pub table: TableId,
    /// Its tournament; null at any other table.
    pub tournament: Option<OfTournament>,
    /// The players who wait for a seat.
    #[serde(default)]
    pub waiting: Vec<PlayerId>,
    /// The betting window, while it is open.
    pub window: Option<WindowView>,
    /// The number of the last hundred rounds that a withheld seed voided.
    pub withheld_in_last_100: u32,
}

/// The two kinds of chips, which are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChipsOf {
    /// Chips credited by the operator.
    #[default]
    Credited,
    /// A guest's chips, which have no value.
    Play,
}

/// The shoe in use.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShoeView {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// Its composition.
    pub composition: Composition,
    /// The log index of the entry that committed it, once that is durable.
    pub entry: Option<u64>,
    /// The number of this entry in the table's sequence.
    pub seq: Option<u64>,
    /// Its number at the table, from 0.
    pub shoe_no: u64,
    /// The number of its undrawn slots.
    pub undrawn: u64,
}

/// A taken seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatView {
    /// Whether its player asked to play, and bets have not been opened since.
    pub asks: bool,
    /// The number of betting windows in a row that its player let pass; at 3 the seat is lost.
    pub misses: u8,
    /// Its player.
    pub player: PlayerId,
    /// Its number, from 1.
    pub seat: u8,
    /// Whether its player waits for the next shoe (C11).
    pub waits_for_shoe: bool,
}

/// The betting window, while it is open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WindowView {
    /// The placed bets, which are not binding yet.
    pub bets: Vec<PlacedBet>,
    /// The time when it closes, UTC milliseconds, once known.
    pub closes_at: Option<u64>,
    /// The players who asked for this round or bet in the last one.
    pub expected: Vec<PlayerId>,
    /// The round of the bets.
    pub round_no: u64,
    /// The number of the shoe in use, from which the round is dealt.
    pub shoe_no: u64,
}

/// A cash table's seats and button (openapi.yaml, `CashView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CashView {
    /// The call for the next hand, while it is open.
    pub call: Option<CallView>,
    /// The players who committed a seed for the called or the next hand.
    pub committed: Vec<PlayerId>,
    /// The blinds, as `100/200`.
    pub level: String,
    /// The caller's own standing at this level; null without a player's token.
    pub own: Option<StandingView>,
    /// The seats of button and blinds in the last hand; null before the first.
    pub positions: Option<Positions>,
    /// The taken seats.
    pub seats: Vec<CashSeatView>,
}

/// The call for the next hand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallView {
    /// The players who are ready; once all of them have committed the hand begins.
    pub awaited: Vec<PlayerId>,
    /// The time when it ends, UTC milliseconds.
    pub closes_at: u64,
    /// The hand's number.
    pub round_no: u64,
    /// Its deck.
    pub shoe_no: u64,
}

/// A player's record of early leaving at a level of blinds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StandingView {
    /// UTC milliseconds until which they may take no seat at this level; null if they may.
    pub blocked_until: Option<u64>,
    /// How often they left tables of this level early in the last 12 hours.
    pub left_early: u32,
}

/// A taken seat of a cash table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CashSeatView {
    /// The number of hands in a row dealt without its player.
    pub away: u16,
    /// The rest of the time bank, in milliseconds.
    pub bank_ms: u64,
    /// How its player comes in while they owe a post.
    pub entry: EntryChoice,
    /// The number of hands played to their end since its player sat down.
    pub hands: u32,
    /// Whether its player gets up as soon as the hand is over.
    pub leaving: bool,
    /// The blinds that passed its player, or a newcomer's post.
    pub owes: Owes,
    /// Its player.
    pub player: Option<PlayerId>,
    /// Its number, from 1.
    pub seat: u8,
    /// Whether its player sits out until they ask to play.
    pub sitting_out: bool,
    /// Its chips; during a hand, the chips at the start.
    pub stack: Chips,
    /// Whether its player straddles when they may.
    pub straddle: bool,
    /// Chips to be added as soon as the hand is over.
    pub top_up: Chips,
}

/// A page of the open tables (openapi.yaml, `TableList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableList<R = RuleSet> {
    /// The cursor of the next page; null on the last page.
    pub next: Option<TableId>,
    /// The tables by name.
    pub tables: Vec<TableView<R>>,
}

/// A rule set with its fields in the order of the log, needed by a signer who opens a table (openapi.yaml,
/// `RuleSetView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RuleSetView {
    /// SHA-256 of its canonical text, lower-case hexadecimal.
    pub digest: String,
    /// The name for opening a table.
    pub name: String,
    /// The rule set itself, with every option at its value.
    pub rules: RuleSet,
}

/// The shoe in use at a table, with its proof (openapi.yaml, `CurrentShoe`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CurrentShoe {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// Its composition.
    pub composition: Composition,
    /// The epoch in which it was committed.
    pub epoch: Epoch,
    /// The entry that committed it.
    pub receipt: Receipt,
    /// Its number at the table.
    pub shoe_no: u64,
}

/// The history of a shoe (openapi.yaml, `ShoeHistory`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShoeHistory {
    /// Its candidates' commitments.
    pub candidates: Vec<Committed>,
    /// The reason why it left the table; null if every round has its own shoe, and while it is in use.
    pub cause: Option<RetireCause>,
    /// The entry that committed it.
    pub committed: Receipt,
    /// Its composition.
    pub composition: Composition,
    /// The entry that published its seeds.
    pub revealed: Option<Receipt>,
    /// The entry that opens all shown cards of a shoe whose seeds stay secret.
    pub sealed: Option<Receipt>,
    /// The server's seeds, once published.
    pub seeds: Option<Vec<ServerSeed>>,
    /// Its number at the table.
    pub shoe_no: u64,
}

/// A sealed shoe, as an auditor gets it (openapi.yaml, `Disclosure`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Disclosure {
    /// The entry that names the auditor who got it.
    pub receipt: Receipt,
    /// The table at which the shoe was in use.
    pub table: TableId,
    /// Its number there.
    pub shoe_no: u64,
    /// The hand dealt from it: `TABLE:ROUND_NO`.
    pub round: String,
    /// The epoch in which it was committed.
    pub epoch: Epoch,
    /// Its composition.
    pub composition: Composition,
    /// The candidate that was dealt.
    pub pick: u8,
    /// The seed of each candidate.
    pub seeds: Vec<ServerSeed>,
}
