//! From a request to its entry on the log, synced and under a signed checkpoint, and to the reply that was held back until then.

pub mod accepted;
pub mod committed;
pub mod dealer;
pub mod durable;
pub mod evidence;
pub mod own_time;
pub mod pipeline;
pub mod players;
pub mod published;
pub mod recovery;
pub mod refusals;
pub mod repeats;
pub mod rounds;
pub mod sealing;
pub mod seats;
pub mod snapshots;
pub mod tables;
pub mod tickets;
pub mod times;
pub mod tournaments;
pub mod transfers;

use evidence::Evidence;
use own_time::OwnTime;
use pipeline::{Queue, Written};
use published::OpenTables;
use std::sync::Arc;

/// The way of commands to the house, and of its answers.
pub struct Writing {
    pub queue: Queue,
    pub open_tables: Arc<OpenTables>,
    /// Counts the bytes written for each player.
    pub written: Arc<Written>,
    pub evidence: Evidence,
    pub own_time: Arc<OwnTime>,
    /// The log has ended and takes no more entries.
    pub has_ended: bool,
}
