//! The words of the contract: calls, kinds, states, an operation, and the texts and numbers they may have
//! (spec/wallet.md, "The wallet's side"; spec/wallet.yaml).

use serde::{Deserialize, Serialize};
use std::fmt;

/// The greatest amount and operation number: above it JSON readers disagree on a number.
pub const MOST: i64 = (1 << 53) - 1;

/// A request of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Hold the amount of a deposit.
    Reserve,
    /// Hand over the held amount.
    Commit,
    /// Release the held amount, and hold no money under this name later.
    Cancel,
    /// Take the amount of a withdrawal.
    Pay,
}

impl Call {
    /// All four calls.
    pub const ALL: [Call; 4] = [Call::Reserve, Call::Commit, Call::Cancel, Call::Pay];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Call::Reserve => "reserve",
            Call::Commit => "commit",
            Call::Cancel => "cancel",
            Call::Pay => "pay",
        }
    }

    /// Its path.
    pub fn path(self) -> &'static str {
        match self {
            Call::Reserve => "/v1/reserve",
            Call::Commit => "/v1/commit",
            Call::Cancel => "/v1/cancel",
            Call::Pay => "/v1/pay",
        }
    }

    /// The kind of its operation.
    pub fn kind(self) -> Kind {
        match self {
            Call::Reserve | Call::Commit | Call::Cancel => Kind::Deposit,
            Call::Pay => Kind::Withdrawal,
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether money comes from the wallet or goes to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// From the wallet.
    Deposit,
    /// To the wallet.
    Withdrawal,
}

impl Kind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Deposit => "deposit",
            Kind::Withdrawal => "withdrawal",
        }
    }
}

/// The state of an operation at the wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Held for the house; it cannot be spent.
    Reserved,
    /// Handed over to the house.
    Committed,
    /// Released for ever.
    Cancelled,
    /// Paid to the player.
    Paid,
    /// No money moved, and none ever will under this name.
    Refused,
}

impl State {
    /// All five states.
    pub const ALL: [State; 5] = [State::Reserved, State::Committed, State::Cancelled, State::Paid, State::Refused];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            State::Reserved => "reserved",
            State::Committed => "committed",
            State::Cancelled => "cancelled",
            State::Paid => "paid",
            State::Refused => "refused",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The body of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The log's name.
    pub log: String,
    /// The operation's number; with the log's name it identifies the operation.
    pub no: i64,
    /// The player whose money it is.
    pub player: String,
    /// The amount in minor units.
    pub amount: i64,
}

impl Asked {
    /// Reads the body of a call.
    ///
    /// # Errors
    /// The fault, in words: no JSON, another field, an impossible name or number.
    pub fn parse(body: &[u8]) -> Result<Asked, String> {
        // serde would accept an array of the four values, but the contract does not.
        if body.trim_ascii_start().first() != Some(&b'{') {
            return Err("the body is to be a JSON object: {\"log\",\"no\",\"player\",\"amount\"}".to_owned());
        }
        let asked: Asked = serde_json::from_slice(body).map_err(|e| {
            format!("the body is to be {{\"log\",\"no\",\"player\",\"amount\"}}, the numbers integers: {e}")
        })?;
        if !is_log(&asked.log) {
            return Err("`log` is 1 to 255 printable ASCII characters, without space and `+`".to_owned());
        }
        if !is_player(&asked.player) {
            return Err("`player` is 1 to 64 of a-z 0-9 . _ -, and does not begin with a dot".to_owned());
        }
        if !(0..=MOST).contains(&asked.no) {
            return Err(format!("`no` is 0 to {MOST}, not {}", asked.no));
        }
        if !(1..=MOST).contains(&asked.amount) {
            return Err(format!("`amount` is 1 to {MOST}, not {}", asked.amount));
        }
        Ok(asked)
    }
}

/// An operation's state at the wallet: the answer to a call, and a line of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The log's name.
    pub log: String,
    /// Its number there.
    pub no: i64,
    /// Deposit or withdrawal.
    pub kind: Kind,
    /// The player whose money it is.
    pub player: String,
    /// The amount in minor units.
    pub amount: i64,
    /// The state.
    pub state: State,
    /// The reason for a refusal, if the wallet gives one: a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Operation {
    /// The operation of a call, in this state.
    pub fn of(call: Call, asked: &Asked, state: State) -> Operation {
        Operation {
            log: asked.log.clone(),
            no: asked.no,
            kind: call.kind(),
            player: asked.player.clone(),
            amount: asked.amount,
            state,
            reason: None,
        }
    }

    /// Whether it is the operation of this call: the same player, amount and kind under the same name.
    pub fn is_of(&self, call: Call, asked: &Asked) -> bool {
        let same_name = self.log == asked.log && self.no == asked.no;
        same_name && self.kind == call.kind() && self.player == asked.player && self.amount == asked.amount
    }
}

/// A page of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The log's name.
    pub log: String,
    /// Operations of this log, ascending by number.
    pub operations: Vec<Operation>,
    /// The number to continue from, if there are more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// The most operations on a page of a statement.
pub const MOST_OF_PAGE: usize = 1_000;

/// Whether this is a valid name of a log (spec/fairness.md, "Context").
pub fn is_log(text: &str) -> bool {
    (1..=255).contains(&text.len()) && text.bytes().all(|b| matches!(b, 0x21..=0x7e) && b != b'+')
}

/// Whether this is a valid name of a player.
pub fn is_player(text: &str) -> bool {
    let allowed = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
    (1..=64).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(allowed)
}

/// Whether this is a label: the form of reasons on the house's log (spec/entries.md).
pub fn is_label(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
}
