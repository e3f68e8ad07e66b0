//! The present leader, as a hint: which node to ask and when to try to lead (spec/cluster.md, "The lease").

use crate::message::TAG;
use crate::{OrderError, OrderKey};
use serde::{Deserialize, Serialize};

/// The longest lease, in bytes.
const MAX_LEASE: usize = 12_288;

/// A leader's statement about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The version of this form: 1.
    pub v: u8,
    /// Greater by one than in the lease before, so that a repeated old lease is recognised.
    pub beat: u64,
    /// The leading node; absent if it gave the lead up.
    pub node: Option<String>,
    /// The process of the node: sixteen hexadecimal digits, new each time.
    pub term: String,
    /// The address for clients.
    pub address: String,
    /// The log's key, in its text form for others.
    pub key: String,
    /// How long it is valid, in milliseconds.
    pub length: u64,
    /// UTC milliseconds. No earlier leader signs a note or answers from the state at this time of their clock or later.
    /// Never less than in the lease before.
    pub until: u64,
    /// The number of entries of its log.
    pub size: u64,
    /// The names of its first open tables.
    pub tables: Vec<String>,
    /// Whether it has more of them.
    pub has_more_tables: bool,
}

impl Lease {
    /// The bytes with their tag.
    #[must_use]
    pub fn seal(&self, key: &OrderKey) -> Vec<u8> {
        key.seal(0, serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a statement by a node of this shard; `None` if the tag is not the shard's.
    #[must_use]
    pub fn open(key: &OrderKey, bytes: &[u8]) -> Option<Lease> {
        key.unseal(0, bytes)?;
        Lease::hint(bytes)
    }

    /// Reads a statement about a shard whose key this node does not have: only a hint.
    #[must_use]
    pub fn hint(bytes: &[u8]) -> Option<Lease> {
        let (body, _) = bytes.split_last_chunk::<TAG>().filter(|_| bytes.len() <= MAX_LEASE)?;
        serde_json::from_slice(body).ok().filter(|lease: &Lease| lease.v == 1)
    }
}

/// A stored lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSeen {
    /// The number that the next lease must name.
    pub number: u64,
    /// The lease, tagged.
    pub bytes: Vec<u8>,
    /// The time when the server stored it, by the server's clock; UTC milliseconds.
    pub stamped: u64,
}

/// The place of the lease: the last one of a shard. A node must name its number to replace it.
pub trait Leases: Send + Sync {
    /// The last lease; the answer may be old.
    ///
    /// # Errors
    /// [`OrderError`].
    fn lease(&self) -> Result<Option<LeaseSeen>, OrderError>;

    /// Replaces the lease of this number (0: there is none). Returns the number of the new one, or `None` if another
    /// came first.
    ///
    /// # Errors
    /// [`OrderError`]; the result is then unknown.
    fn replace(&self, number: u64, bytes: &[u8]) -> Result<Option<u64>, OrderError>;
}
