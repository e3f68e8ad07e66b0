//! From a request to its entry on the log, synced and under a signed checkpoint, and to the reply that was held back until then.

pub mod accepted;
pub mod committed;
pub mod dealer;
pub mod durable;
pub mod evidence;
pub mod junk;
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
