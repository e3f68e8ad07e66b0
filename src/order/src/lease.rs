//! Who leads now, as a hint of whom to ask and when to try (spec/cluster.md, "The lease").

use crate::message::TAG;
use crate::{OrderError, OrderKey};
use serde::{Deserialize, Serialize};

/// The longest lease, in bytes.
const MAX_LEASE: usize = 12_288;

/// What a leader says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The version of this form: 1.
    pub v: u8,
    /// Greater by one than that of the lease before: an old one that is shown again is known by it.
    pub beat: u64,
    /// The node that leads; none, where it gave the lead up.
    pub node: Option<String>,
    /// Which process of the node: sixteen hexadecimal digits, new each time.
    pub term: String,
    /// Where clients reach it.
    pub address: String,
    /// The log's key, as others read it.
    pub key: String,
    /// For how long it is good, in milliseconds.
    pub length: u64,
    /// Nobody who led up to now signs a note, or answers out of the state, at this time of their clock or later; UTC
    /// milliseconds. Never less than in the lease before.
    pub until: u64,
    /// Entries of its log.
    pub size: u64,
    /// The names of its first open tables.
    pub tables: Vec<String>,
    /// It has more of them.
    pub has_more_tables: bool,
}

impl Lease {
    /// The bytes, tagged.
    #[must_use]
    pub fn seal(&self, key: &OrderKey) -> Vec<u8> {
        key.seal(0, serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads what a node of this shard said; nothing, where it was none.
    #[must_use]
    pub fn open(key: &OrderKey, bytes: &[u8]) -> Option<Lease> {
        key.unseal(0, bytes)?;
        Lease::hint(bytes)
    }

    /// Reads what somebody said of a shard whose key this node does not have: a hint, and no more.
    #[must_use]
    pub fn hint(bytes: &[u8]) -> Option<Lease> {
        let (body, _) = bytes.split_last_chunk::<TAG>().filter(|_| bytes.len() <= MAX_LEASE)?;
        serde_json::from_slice(body).ok().filter(|lease: &Lease| lease.v == 1)
    }
}

/// A lease as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSeen {
    /// What the next one has to name.
    pub number: u64,
    /// The lease, tagged.
    pub bytes: Vec<u8>,
    /// When the server took it, by the server's clock; UTC milliseconds.
    pub stamped: u64,
}

/// Where the lease lies: the last one of a shard, replaced only by whoever names it.
pub trait Leases: Send + Sync {
    /// The last one; an answer may be old.
    ///
    /// # Errors
    /// [`OrderError`].
    fn lease(&self) -> Result<Option<LeaseSeen>, OrderError>;

    /// Replaces the one of this number (0: there is none); the number of the new one, or none where another came
    /// first.
    ///
    /// # Errors
    /// [`OrderError`]; after it nothing is known.
    fn replace(&self, number: u64, bytes: &[u8]) -> Result<Option<u64>, OrderError>;
}
