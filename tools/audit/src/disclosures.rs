//! Hands of poker that the house ended: their seeds are owed to every auditor, who fetches them with a token of their
//! own (spec/games/poker-table.md, "Disclosed by duty").

use crate::http::{Answer, Client};
use crate::outcome::UnusableInput;
use crate::source::read_token;
use fairshoe_fairness::ServerSeed;
use fairshoe_judge::audit::{Book, Check, OwedHand};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The longest reply, in bytes.
const MAX_REPLY: u64 = 256 * 1024;

/// What came of asking.
#[derive(Default, Serialize)]
pub struct Disclosures {
    /// Hands that were asked for.
    pub asked: u64,
    /// Why the first of those that were not given was not.
    pub refused: Option<String>,
}

#[derive(Deserialize)]
struct Disclosure {
    seeds: Vec<ServerSeed>,
}

/// Asks a service for the seeds of every hand that is owed, and has the book judge them. What does not hold is a
/// finding of the book.
pub fn fetch(source: &str, token: &Path, book: &mut Book) -> Result<Disclosures, UnusableInput> {
    if !source.starts_with("http://") && !source.starts_with("https://") {
        return Err(UnusableInput::new("--token-file asks a running service: name its address"));
    }
    let token = read_token(token)?;
    let client = Client::new(source);
    let mut result = Disclosures::default();
    for hand in book.take_owed() {
        result.asked += 1;
        if let Err(why) = judge(&client, &token, hand, book) {
            result.refused.get_or_insert(why);
        }
    }
    Ok(result)
}

fn judge(client: &Client, token: &str, hand: OwedHand, book: &mut Book) -> Result<(), String> {
    let id = &hand.shoe().id;
    let path = format!("v1/shoes/{}/{}/disclosure", id.context.table, id.shoe_no);
    let body = match client.get_by(token, &path, MAX_REPLY).map_err(|UnusableInput(why)| why)? {
        Answer { status: 200, body } => body,
        answer => return Err(client.refused(&path, &answer).0),
    };
    let given: Disclosure = serde_json::from_slice(&body).map_err(|e| format!("{path}: {e}"))?;
    let verdict = hand.finish(given.seeds).map_err(|_| format!("{path}: not one seed for each candidate"))?;
    // Nobody signed the reply: only seeds that open what was committed say anything.
    if let Some(finding) = verdict.finding().filter(|finding| finding.check == Check::SeedOpens) {
        return Err(format!("{path}: {}", finding.message));
    }
    // A finding stays with the book.
    let _ = book.give_disclosed(verdict);
    Ok(())
}
