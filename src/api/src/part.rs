//! A player's part in a round, as a dispute desk lists it: by the service and by the auditor, as JSON and for a spreadsheet.

use crate::Currency;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{RoundResult, VoidCause, is_for_play};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a round was for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartOutcome {
    /// More came back than was staked.
    Won,
    /// Less.
    Lost,
    /// As much.
    Even,
    /// It was given back.
    Void,
    /// It is not over.
    InPlay,
}

/// A player's part in a round (openapi.yaml, `PartInRound`); sums in minor units, null while it is in play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartInRound {
    /// `TABLE:ROUND_NO`.
    pub round: String,
    /// The name of the rule set.
    pub rules: String,
    /// When the bets closed, UTC milliseconds.
    pub begun: u64,
    /// When it was settled or voided, UTC milliseconds.
    pub ended: Option<u64>,
    /// Whose part.
    pub player: PlayerId,
    /// What became of it.
    pub outcome: PartOutcome,
    /// What its sums count ([`unit_of`]): sums of several units are no sum.
    pub unit: String,
    /// Every debit.
    pub staked: Option<u64>,
    /// Every credit.
    pub returned: Option<u64>,
    /// The one less the other.
    pub net: Option<i64>,
    /// Why it is void, if it is.
    pub cause: Option<VoidCause>,
    /// The entry that closed the bets.
    pub first_entry: u64,
    /// The one that ended it.
    pub last_entry: Option<u64>,
}

impl PartOutcome {
    /// Each with the contract's word for it.
    pub const ALL: [(PartOutcome, &'static str); 5] = [
        (PartOutcome::Won, "won"),
        (PartOutcome::Lost, "lost"),
        (PartOutcome::Even, "even"),
        (PartOutcome::Void, "void"),
        (PartOutcome::InPlay, "in_play"),
    ];
}

impl fmt::Display for PartOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find_map(|(outcome, word)| (outcome == self).then_some(*word));
        f.write_str(word.unwrap_or_default())
    }
}

impl FromStr for PartOutcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find_map(|(outcome, word)| (*word == text).then_some(*outcome));
        found.ok_or_else(|| format!("{text} is not how a round goes for a player"))
    }
}

impl PartInRound {
    /// The columns' names of [`Self::row`].
    pub const COLUMNS: &str =
        "round,rules,begun,ended,player,outcome,unit,staked,returned,net,cause,first_entry,last_entry";

    /// The part of somebody in a round that is in play.
    #[must_use]
    pub fn of(self, player: PlayerId) -> Self {
        PartInRound { player, ..self }
    }

    /// The same when the round is over: at that entry, at that time, void or with these sums.
    #[must_use]
    pub fn over(self, index: u64, time: u64, cause: Option<VoidCause>, result: &RoundResult) -> Self {
        let (staked, returned) = (result.staked.units(), result.returned.units());
        let net = i128::from(returned) - i128::from(staked);
        let outcome = match (cause, net.signum()) {
            (Some(_), _) => PartOutcome::Void,
            (None, 1) => PartOutcome::Won,
            (None, 0) => PartOutcome::Even,
            (None, _) => PartOutcome::Lost,
        };
        PartInRound {
            ended: Some(time),
            player: result.player.clone(),
            outcome,
            staked: Some(staked),
            returned: Some(returned),
            // Chips are less than 2^53 (spec/ledger.md), and so is what one sum is more than another.
            net: i64::try_from(net).ok(),
            cause,
            last_entry: Some(index),
            ..self
        }
    }

    /// The same as a spreadsheet takes it, with the times as `time` tells them.
    pub fn row(&self, time: impl Fn(u64) -> String) -> Vec<String> {
        let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        vec![
            spreadsheet_text(&self.round),
            spreadsheet_text(&self.rules),
            time(self.begun),
            self.ended.map(time).unwrap_or_default(),
            spreadsheet_text(self.player.as_str()),
            self.outcome.to_string(),
            self.unit.clone(),
            number(self.staked),
            number(self.returned),
            self.net.map(|net| net.to_string()).unwrap_or_default(),
            self.cause.map(word).unwrap_or_default(),
            self.first_entry.to_string(),
            number(self.last_entry),
        ]
    }
}

/// What amounts at a table count: `play` (play chips), `event:NAME` (chips of the tournament whose table it is), else
/// `money`, or where the house says what its chips stand for, that (`EUR:2`: in hundredths of a euro).
#[must_use]
pub fn unit_of(table: &TableId, event: Option<&TableId>, currency: Option<&Currency>) -> String {
    match (event, currency) {
        (Some(event), _) => format!("event:{event}"),
        (None, _) if is_for_play(table) => "play".to_owned(),
        (None, Some(Currency { code, decimals })) => format!("{code}:{decimals}"),
        (None, None) => "money".to_owned(),
    }
}

/// A word of the contract, as serde writes it.
fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// What a spreadsheet takes for a date or a truth where a name begins so.
const TAKEN_OTHERWISE: [&str; 14] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "true", "false"];

/// A name as a spreadsheet takes a text. Names hold no comma, quote or end of a line; those that
/// would be a formula, a number, a date or a truth to it have an apostrophe before them.
#[must_use]
pub fn spreadsheet_text(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && !TAKEN_OTHERWISE.iter().any(|word| name.starts_with(word));
    if is_plain { name.to_owned() } else { format!("'{name}") }
}
