//! Replies to calls that make an entry: the entry with its proof, and the affected parts of the play.

use crate::RoundView;
use fairshoe_fairness::{Card, Opening, PlayerId, TableId};
use fairshoe_games::Chips;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// An entry with the proof that it is on the log, or without it if the caller asked for `proofs=later` (openapi.yaml,
/// `Receipt`; spec/receipts.md, "Proofs that come later").
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// Its index in the log.
    pub index: u64,
    /// Its exact bytes.
    pub entry: String,
    /// The text of spec/receipts.md: path, checkpoint, signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

impl Receipt {
    /// Its proof.
    ///
    /// # Errors
    /// In words for the person who saved the reply, if it has no proof: such a reply is no evidence.
    pub fn proof(&self) -> Result<&str, String> {
        self.proof.as_deref().ok_or_else(|| {
            let index = self.index;
            format!(
                "the receipt of entry {index} has no proof: the reply was asked for with proofs=later, and GET /v1/receipts/{index} has it"
            )
        })
    }
}

/// The reply of every call that makes an entry (openapi.yaml, `Accepted`).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Accepted {
    /// The call's own entry; for a bet, then the entry with `shoe_committed`.
    pub receipts: Vec<Receipt>,
    /// The name of a new guest, or of the player whose ticket was exchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
    /// The balance of the affected player after the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<Chips>,
    /// The round after the entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<RoundView>,
    /// The openings of every card it turned up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub openings: Vec<ShownOpening>,
    /// At a cash table, the caller's own cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnCards>,
    /// A new token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The time when that token expires, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_until: Option<u64>,
    /// A new table's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableId>,
}

impl Accepted {
    /// Names each opening's shoe: an opening without a name belongs to the shoe with which the round began.
    pub fn name_shoes(&mut self) {
        let of_round = self.round.as_ref().map(|round| round.shoe_no);
        for shown in &mut self.openings {
            shown.shoe_no = shown.shoe_no.or(of_round);
        }
    }
}

/// A line of the reply to a seed or a choice with `received=first` (openapi.yaml, `SeedLine`): the note, or the result.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedLine {
    /// The signed note that it arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// The reply: [`Accepted`] or [`Problem`](crate::Problem), as the status says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Box<RawValue>>,
    /// The status of the reply without `received=first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// An opening, with the number of its shoe if its context does not tell it (openapi.yaml, `Opening`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShownOpening {
    /// Slot, value, salt, path.
    #[serde(flatten)]
    pub opening: Opening,
    /// The shoe's number at its table; absent if only one is possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shoe_no: Option<u64>,
}

impl ShownOpening {
    /// Whether it belongs to that shoe.
    pub fn is_of(&self, shoe_no: u64) -> bool {
        self.shoe_no.is_none_or(|number| number == shoe_no)
    }
}

/// A player's own hidden cards, for them alone (openapi.yaml, `OwnCards`). Its debug text shows no face.
#[derive(Clone, Serialize, Deserialize)]
pub struct OwnCards {
    /// `TABLE:ROUND_NO`.
    pub round: String,
    /// Its shoe's number at the table.
    pub shoe_no: u64,
    /// The candidate that is dealt, 0 or 1.
    pub candidate: u8,
    /// The faces, in the order in which the cards were dealt to the player.
    pub cards: Vec<Card>,
    /// The openings of the same cards in the same order.
    pub openings: Vec<Opening>,
}

impl fmt::Debug for OwnCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnCards").field("round", &self.round).field("shoe_no", &self.shoe_no).finish_non_exhaustive()
    }
}
