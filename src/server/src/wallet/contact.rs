//! One call of the wallet over HTTP, and what counts as its answer (spec/wallet.md, "The wallet's side").

use super::Settings;
use crate::read::asking::direct;
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_games::Chips;
use fairshoe_house::{Command, Reference, WalletAnswer, WalletCall, WalletOperation};
use fairshoe_judge::wallet::{AtWallet, OperationKind, WalletState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};

/// What is not answered in this time is not answered.
const LIMIT: Duration = Duration::from_secs(5);

/// The longest answer that is read, in bytes.
const MAX_ANSWER: u64 = 4_096;

/// Why a call has no answer.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    #[error("it took longer than five seconds")]
    Timeout,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("it says that the operation is another than the one that is asked for (409): {0}")]
    Conflict(String),
    /// As it should be, where a deposit was cancelled while `reserve` was under way.
    #[error("it was cancelled before")]
    Cancelled,
    #[error("its answer is none to this call: {0}")]
    BadAnswer(String),
}

impl Failure {
    /// A stable word for metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Unreachable(_) => "unreachable",
            Failure::Timeout => "timeout",
            Failure::Status(_) => "status",
            Failure::Conflict(_) => "conflict",
            Failure::Cancelled => "cancelled",
            Failure::BadAnswer(_) => "bad_answer",
        }
    }

    /// Whether somebody has to look: repeating it will not help.
    pub fn is_alarm(&self) -> bool {
        matches!(self, Failure::Conflict(_) | Failure::BadAnswer(_))
    }
}

/// What is asked for.
#[derive(Serialize)]
struct Asked<'a> {
    log: &'a Origin,
    no: u64,
    player: &'a PlayerId,
    amount: Chips,
}

/// Why the wallet refuses; it may have no reason, or none that is a text.
#[derive(Deserialize)]
struct Because {
    #[serde(default)]
    reason: Option<Value>,
}

/// An answer that counts.
pub struct Answer {
    said: WalletAnswer,
    reason: Option<Reference>,
}

impl Answer {
    /// The command that puts it on the log.
    pub fn command(self, no: u64, call: WalletCall) -> Command {
        Command::WalletAnswer { no, call, answer: self.said, reason: self.reason }
    }
}

/// The way to the wallet: connections that are kept alive.
pub struct Contact {
    agent: ureq::Agent,
    url: String,
    authorization: String,
}

impl Contact {
    pub fn new(settings: &Settings) -> Contact {
        let config = direct()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(LIMIT))
            .user_agent(concat!("fairshoe/", env!("CARGO_PKG_VERSION")))
            .build();
        Contact {
            agent: config.into(),
            url: settings.url.clone(),
            authorization: format!("Bearer {}", settings.token.as_str()),
        }
    }

    /// Makes a call.
    pub fn call(&self, log: &Origin, no: u64, operation: &WalletOperation) -> Result<Answer, Failure> {
        let WalletOperation { call, player, amount } = operation;
        let asked = Asked { log, no, player, amount: *amount };
        let body = serde_json::to_vec(&asked).map_err(|error| Failure::BadAnswer(error.to_string()))?;
        let failed = |error: ureq::Error| match error {
            ureq::Error::Timeout(_) => Failure::Timeout,
            other => Failure::Unreachable(other.to_string()),
        };
        let mut reply = self
            .agent
            .post(format!("{}/v1/{}", self.url, call.name()))
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, "application/json")
            .send(&body)
            .map_err(failed)?;
        let status = reply.status().as_u16();
        let text = reply.body_mut().with_config().limit(MAX_ANSWER).read_to_string();
        match status {
            200 => read(&text.map_err(failed)?, &asked, *call),
            409 => Err(Failure::Conflict(plain(&text.unwrap_or_default()))),
            _ => Err(Failure::Status(status)),
        }
    }
}

/// What a stranger wrote, fit for a line of the log.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| (' '..='~').contains(letter)).take(200).collect()
}

fn read(text: &str, asked: &Asked<'_>, call: WalletCall) -> Result<Answer, Failure> {
    let stands = AtWallet::read(text).map_err(Failure::BadAnswer)?;
    let kind = match call.is_of_withdrawal() {
        true => OperationKind::Withdrawal,
        false => OperationKind::Deposit,
    };
    let is_same = (&stands.log, stands.no, &stands.player, stands.amount, stands.kind)
        == (asked.log, asked.no, asked.player, asked.amount, kind);
    if !is_same {
        return Err(Failure::BadAnswer("it is of another operation".into()));
    }
    let said = match (call, stands.state) {
        (WalletCall::Reserve, WalletState::Reserved | WalletState::Committed)
        | (WalletCall::Commit, WalletState::Committed)
        | (WalletCall::Cancel, WalletState::Cancelled | WalletState::Refused)
        | (WalletCall::Pay, WalletState::Paid) => WalletAnswer::Accepted,
        (WalletCall::Reserve | WalletCall::Pay, WalletState::Refused) => WalletAnswer::Refused,
        (WalletCall::Reserve, WalletState::Cancelled) => return Err(Failure::Cancelled),
        (call, state) => {
            return Err(Failure::BadAnswer(format!("the operation is {} after `{}`", state.name(), call.name())));
        }
    };
    let because = serde_json::from_str::<Because>(text).ok().filter(|_| said == WalletAnswer::Refused);
    let reason = because.and_then(|because| Reference::parse(because.reason?.as_str()?));
    Ok(Answer { said, reason })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_house::WalletCall::{Cancel, Commit, Pay, Reserve};

    fn read_of(call: WalletCall, text: &str) -> Option<(bool, Option<String>)> {
        let (log, player) = (Origin::parse("house.example/a").unwrap(), PlayerId::parse("alice").unwrap());
        let asked = Asked { log: &log, no: 7, player: &player, amount: Chips::new(250).unwrap() };
        let answer = read(text, &asked, call).ok()?;
        Some((answer.said == WalletAnswer::Accepted, answer.reason.map(|reason| reason.as_str().to_owned())))
    }

    fn said(kind: &str, state: &str) -> String {
        format!(
            r#"{{"log":"house.example/a","no":7,"kind":"{kind}","player":"alice","amount":250,"state":"{state}","reason":"no funds"}}"#
        )
    }

    /// The page's paragraph on what the house takes as an answer, every cell of it.
    #[test]
    fn which_states_answer_which_call() {
        let states = ["reserved", "committed", "cancelled", "paid", "refused"];
        let (yes, no, none) = (Some((true, None)), Some((false, Some("no funds".to_owned()))), None);
        for (call, kind, row) in [
            (Reserve, "deposit", [&yes, &yes, &none, &none, &no]),
            (Commit, "deposit", [&none, &yes, &none, &none, &none]),
            (Cancel, "deposit", [&none, &none, &yes, &none, &yes]),
            (Pay, "withdrawal", [&none, &none, &none, &yes, &no]),
        ] {
            for (state, expected) in states.iter().zip(row) {
                assert_eq!(read_of(call, &said(kind, state)), *expected, "{call:?} {state}");
                let other = if kind == "deposit" { "withdrawal" } else { "deposit" };
                assert_eq!(read_of(call, &said(other, state)), None, "of the other kind");
            }
        }
    }

    #[test]
    fn what_is_of_another_operation_is_no_answer() {
        let good = said("deposit", "reserved");
        assert!(read_of(Reserve, &good).is_some());
        for (from, to) in [
            ("house.example/a", "house.example/b"),
            ("\"no\":7", "\"no\":8"),
            ("alice", "bob"),
            ("250", "251"),
            ("250", "250.0"),
            ("reserved", "held"),
            ("\"reserved\"", "{\"reserved\":null}"),
            ("\"state\"", "\"stand\""),
        ] {
            assert_eq!(read_of(Reserve, &good.replace(from, to)), None, "{from} {to}");
        }
        assert_eq!(read_of(Reserve, "reserved"), None);
        assert_eq!(read_of(Reserve, r#"["house.example/a",7,"deposit","alice",250,"reserved"]"#), None, "no object");
        // A reason that is no label is left out.
        let odd = said("deposit", "refused").replace("no funds", "no fünds");
        assert_eq!(read_of(Reserve, &odd), Some((false, None)));
    }
}
