//! What the service says (openapi.yaml), as far as a player reads it. Unknown fields are passed over.

use fairshoe_fairness::{Card, Epoch, Opening, Origin, PlayerId, RoundEntropy, TableId};
use fairshoe_games::{Chips, Offer, Place, RuleSet};
use serde::Deserialize;

/// An opening, and the shoe that it is of where the reply says so (`Opening`).
#[derive(Clone, Debug, Deserialize)]
pub struct Shown {
    /// The shoe's number at its table; absent where only one can be meant.
    #[serde(default)]
    pub shoe_no: Option<u64>,
    /// Slot, value, salt, path.
    #[serde(flatten)]
    pub opening: Opening,
}

impl Shown {
    /// Whether it is meant for that shoe.
    pub fn is_of(&self, shoe_no: u64) -> bool {
        self.shoe_no.is_none_or(|number| number == shoe_no)
    }
}

/// The log's own word (`GET /v1/log`).
#[derive(Debug, Deserialize)]
pub struct LogInfo {
    /// Its name.
    pub origin: Origin,
    /// The key that signs its checkpoints.
    pub vkey: String,
    /// The newest of them.
    pub checkpoint: String,
    /// How many entries it has.
    pub size: u64,
    /// The epoch in force.
    pub epoch: Epoch,
}

/// An entry with its proof (`Receipt`).
#[derive(Clone, Debug, Deserialize)]
pub struct Receipt {
    /// Its place in the log.
    pub index: u64,
    /// Its exact bytes.
    pub entry: String,
    /// The `.tlog-proof` text.
    pub proof: String,
}

/// The reply of every call that makes an entry (`Accepted`).
#[derive(Clone, Debug, Deserialize)]
pub struct Accepted {
    /// The call's own entry; for a bet then the one with `shoe_committed`.
    pub receipts: Vec<Receipt>,
    /// The caller's balance after it.
    pub balance: Option<Chips>,
    /// The round after it.
    pub round: Option<RoundView>,
    /// Of every card it turned up.
    #[serde(default)]
    pub openings: Vec<Shown>,
    /// At a cash table, the caller's own cards, where this call dealt them.
    pub own: Option<OwnCards>,
    /// A new token.
    pub token: Option<String>,
    /// A new table's name.
    pub table: Option<TableId>,
    /// Of a seed: the house's signed note that it came.
    #[serde(default)]
    pub received: Option<String>,
}

/// A line of the reply to a seed or a choice with `received=first` (`SeedLine`): the note, or what became of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedLine {
    /// The signed note.
    pub received: Option<String>,
    /// The status that the reply would have had.
    pub status: Option<u16>,
    /// The reply.
    pub reply: Option<Box<serde_json::value::RawValue>>,
}

/// A player's own hidden cards, for him alone (`OwnCards`).
#[derive(Clone, Debug, Deserialize)]
pub struct OwnCards {
    /// `TABLE:ROUND_NO`.
    pub round: String,
    /// The shoe.
    pub shoe_no: u64,
    /// The candidate that is dealt.
    pub candidate: u8,
    /// The cards.
    pub cards: Vec<Card>,
    /// Of the same cards in the same order.
    pub openings: Vec<Opening>,
}

/// A round as it can be read (`GET /v1/rounds/{id}`).
#[derive(Clone, Debug, Deserialize)]
pub struct RoundRead {
    /// As everyone sees it.
    pub round: RoundView,
    /// Of every card that lies open.
    #[serde(default)]
    pub openings: Vec<Shown>,
    /// The caller's own cards.
    pub own: Option<OwnCards>,
}

/// A round as everyone sees it (`RoundView`).
#[derive(Clone, Debug, Deserialize)]
pub struct RoundView {
    /// `TABLE:ROUND_NO`.
    pub id: String,
    /// Its shoe.
    pub shoe_no: u64,
    /// How far it has come.
    pub phase: ViewPhase,
    /// The public shuffle's entropy.
    pub entropy: Option<RoundEntropy>,
    /// The decisions that are open.
    pub decisions: Vec<DecisionView>,
    /// Every debit so far.
    pub staked: Chips,
    /// Every credit so far.
    pub ret: Chips,
    /// The engine's view.
    pub game: serde_json::Value,
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewPhase {
    /// Bets lie and do not bind yet.
    Betting,
    /// Commitments for a hand lie and do not bind yet.
    Called,
    /// Bets bind, seeds are awaited.
    AwaitingReveals,
    /// Cards are dealt.
    Open,
    /// Over.
    Settled,
    /// Void.
    Voided,
}

/// An open decision.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DecisionView {
    /// Its number in the round.
    pub decision: u32,
    /// Who decides.
    pub player: PlayerId,
    /// The hand.
    pub place: Place,
    /// What may be chosen.
    pub options: Vec<Offer>,
}

/// A table (`TableView`).
#[derive(Debug, Deserialize)]
pub struct TableView {
    /// Its name.
    pub table: TableId,
    /// Its rules.
    pub rules: RuleSet,
    /// Their digest.
    pub digest: String,
    /// The epoch its shoe was committed in.
    pub epoch: Option<Epoch>,
    /// The committed shoe.
    pub shoe: Option<ShoeView>,
    /// The number of the next round.
    pub next_round: u64,
    /// The seats that are taken.
    #[serde(default)]
    pub seats: Vec<SeatView>,
}

/// A committed shoe.
#[derive(Debug, Deserialize)]
pub struct ShoeView {
    /// The log index of the entry that committed it.
    pub entry: Option<u64>,
    /// That entry's number in the table's sequence.
    pub seq: Option<u64>,
}

/// A seat that is taken.
#[derive(Debug, Deserialize)]
pub struct SeatView {
    /// Which.
    pub seat: u8,
    /// By whom.
    pub player: PlayerId,
}

/// A player's account (`GET /v1/players/{player}`).
#[derive(Debug, Deserialize)]
pub struct PlayerView {
    /// What he has.
    pub balance: Chips,
}

/// A page of a table's entries (`TableEntries`), all of them under one checkpoint.
#[derive(Debug, Deserialize)]
pub struct TableEntries {
    /// In order.
    pub entries: Vec<TableEntry>,
    /// Where the next page begins.
    pub next_seq: u64,
    /// The signed checkpoint that the proofs lead to.
    pub checkpoint: String,
}

/// An entry of a table with its proof.
#[derive(Debug, Deserialize)]
pub struct TableEntry {
    /// Its place in the log.
    pub index: u64,
    /// Its place in the table's sequence.
    pub seq: u64,
    /// Its exact bytes.
    pub entry: String,
    /// Of every card it turned up.
    #[serde(default)]
    pub openings: Vec<Shown>,
    /// The inclusion path, base64 hashes from the leaf to the root.
    #[serde(default)]
    pub proof: Vec<String>,
}

impl Accepted {
    /// Names each opening's shoe: one without a name is of the shoe that the round began with.
    pub fn name_shoes(&mut self) {
        let of_round = self.round.as_ref().map(|round| round.shoe_no);
        for shown in &mut self.openings {
            shown.shoe_no = shown.shoe_no.or(of_round);
        }
    }
}
