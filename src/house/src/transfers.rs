//! Chips from one log to another (spec/transfers.md): the logs that are known, what was sent to them, what was claimed
//! from them.
//!
//! Owns: whether a claim holds, and that none is paid twice. Does not own: how a receipt gets from one house to the
//! other (the service), nor whether the other log is right (its auditor).

use crate::{PlainText, is_zero};
use fairshoe_fairness::Origin;
use fairshoe_tlog::{Policy, VerifierKey, base64_decode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many other logs a house knows, or knew.
pub const MOST_KNOWN_LOGS: usize = 256;

/// The longest policy of a known log, in bytes.
pub const MOST_POLICY_BYTES: usize = 8_192;

/// The longest receipt of a claim, in bytes.
pub const MOST_CLAIM_RECEIPT_BYTES: usize = 16_384;

/// The longest entry of a claim, in bytes.
pub const MOST_CLAIM_ENTRY_BYTES: usize = 4_096;

/// Numbers from 0, as runs without a gap between them: it grows with what is missing, not with what there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Runs(pub(crate) BTreeMap<u64, u64>);

impl Runs {
    /// Whether the number is in one.
    pub fn contains(&self, number: u64) -> bool {
        self.0.range(..=number).next_back().is_some_and(|(_, last)| number <= *last)
    }

    /// The first and the last number of each, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(first, last)| (*first, *last))
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a number in; `false` if it is there.
    pub fn insert(&mut self, number: u64) -> bool {
        if self.contains(number) {
            return false;
        }
        let next = number.checked_add(1).and_then(|next| self.0.remove(&next));
        let last = next.unwrap_or(number);
        match self.0.range_mut(..number).next_back() {
            Some((_, end)) if end.checked_add(1) == Some(number) => *end = last,
            _ => drop(self.0.insert(number, last)),
        }
        true
    }
}

impl From<Runs> for Vec<(u64, u64)> {
    fn from(runs: Runs) -> Self {
        runs.0.into_iter().collect()
    }
}

impl TryFrom<Vec<(u64, u64)>> for Runs {
    type Error = &'static str;

    fn try_from(runs: Vec<(u64, u64)>) -> Result<Self, Self::Error> {
        // Runs that touch are one: there is one text of the same numbers.
        let apart = runs.is_sorted_by(|(_, last), (first, _)| last.checked_add(1).is_some_and(|next| next < *first));
        match apart && runs.iter().all(|(first, last)| first <= last) {
            true => Ok(Runs(runs.into_iter().collect())),
            false => Err("runs ascend, and do not touch"),
        }
    }
}

/// Another log of which the operator said how its receipts are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLog {
    /// The policy that its receipts have to meet, base64; without one nothing goes there or comes from there.
    pub policy: Option<PlainText>,
    /// How many transfers were sent there.
    pub sent: u64,
    /// The numbers of those that were claimed from there.
    pub claimed: Runs,
}

impl KnownLog {
    /// The key that its policy in force names; none without one.
    pub fn key(&self, log: &Origin) -> Option<VerifierKey> {
        read_policy(log, self.policy.as_ref()?)?.logs().first().map(|named| named.key.clone())
    }
}

/// A known log in the state's text (spec/transfers.md, "In the state").
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownPart {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<PlainText>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) balance: i64,
    #[serde(default, skip_serializing_if = "is_none_sent")]
    pub(crate) sent: u64,
    #[serde(default, skip_serializing_if = "Runs::is_empty")]
    pub(crate) claimed: Runs,
}

pub(crate) fn is_none_sent(sent: &u64) -> bool {
    *sent == 0
}

/// The policy of a log in its base64, which names that log alone.
pub(crate) fn read_policy(log: &Origin, text: &PlainText) -> Option<Policy> {
    let bytes = base64_decode(text.as_str()).filter(|bytes| bytes.len() <= MOST_POLICY_BYTES)?;
    let policy = Policy::parse(&bytes).ok()?;
    let names_it = matches!(policy.logs(), [only] if only.key.name() == log.as_str());
    names_it.then_some(policy)
}
