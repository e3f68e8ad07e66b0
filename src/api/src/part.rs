//! A player's part in a round for a dispute desk's list: by the service and by the auditor, as JSON and for a
//! spreadsheet.

use crate::Currency;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{RoundResult, VoidCause, is_for_play};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The result of a round for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartOutcome {
    /// More was returned than staked.
    Won,
    /// Less was returned than staked.
    Lost,
    /// As much was returned as staked.
    Even,
    /// The stakes were given back.
    Void,
    /// The round is not over.
    InPlay,
}

/// A player's part in a round (openapi.yaml, `PartInRound`); sums in minor units, null while it is in play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartInRound {
    /// `TABLE:ROUND_NO`.
    pub round: String,
    /// The name of the rule set.
    pub rules: String,
    /// The time when the bets closed, UTC milliseconds.
    pub begun: u64,
    /// The time when it was settled or voided, UTC milliseconds.
    pub ended: Option<u64>,
    /// The player.
    pub player: PlayerId,
    /// The player's result.
    pub outcome: PartOutcome,
    /// The unit of its sums ([`unit_of`]): sums in different units must not be added.
    pub unit: String,
    /// The sum of debits.
    pub staked: Option<u64>,
    /// The sum of credits.
    pub returned: Option<u64>,
    /// Credits minus debits.
    pub net: Option<i64>,
    /// The cause, if the round is void.
    pub cause: Option<VoidCause>,
    /// The entry that closed the bets.
    pub first_entry: u64,
    /// The entry that ended the round.
    pub last_entry: Option<u64>,
}

impl PartOutcome {
    /// Each outcome with its word in the contract.
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
    /// The column names of [`Self::row`].
    pub const COLUMNS: &str =
        "round,rules,begun,ended,player,outcome,unit,staked,returned,net,cause,first_entry,last_entry";

    /// A player's part in a round in play.
    #[must_use]
    pub fn of(self, player: PlayerId) -> Self {
        PartInRound { player, ..self }
    }

    /// The same after the end of the round: the entry, the time, void or these sums.
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
            // Chips are less than 2^53 (spec/ledger.md), and so is a difference of two sums.
            net: i64::try_from(net).ok(),
            cause,
            last_entry: Some(index),
            ..self
        }
    }

    /// The part as a spreadsheet row, with times written by `time`.
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

/// The unit of amounts at a table: `play` (play chips), `event:NAME` (chips of the table's tournament), otherwise
/// `money`, or the house's currency if it names one (`EUR:2`: in hundredths of a euro).
#[must_use]
pub fn unit_of(table: &TableId, event: Option<&TableId>, currency: Option<&Currency>) -> String {
    match (event, currency) {
        (Some(event), _) => format!("event:{event}"),
        (None, _) if is_for_play(table) => "play".to_owned(),
        (None, Some(Currency { code, decimals })) => format!("{code}:{decimals}"),
        (None, None) => "money".to_owned(),
    }
}

/// A word of the contract, in serde's spelling.
fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Names that a spreadsheet reads as a date or a truth value.
const TAKEN_OTHERWISE: [&str; 14] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "true", "false"];

/// A name as text for a spreadsheet. Names hold no comma, quote or line end. A name that a spreadsheet would read as a
/// formula, a number, a date or a truth value gets an apostrophe in front.
#[must_use]
pub fn spreadsheet_text(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && !TAKEN_OTHERWISE.iter().any(|word| name.starts_with(word));
    if is_plain { name.to_owned() } else { format!("'{name}") }
}
