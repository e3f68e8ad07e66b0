//! The auditor: a whole log, decided again entry by entry, with what each entry claims about hidden cards remembered
//! until the seeds come out (spec/audit.md).
//!
//! Owns: which check failed, where, and what was expected instead; the totals of a book; what default play would have
//! made of a voided round. Does not own: bytes' way to here, the Merkle tree, signatures (see [`crate::bundle`] and the
//! log's own crate), or any clock.

mod book;
mod claims;
mod default_play;
mod difference;
mod doors;
mod events;
mod finding;
mod late;
mod lean;
mod ledger_only;
mod memory;
mod once;
mod own_rules;
mod piece;
mod replay;
mod report;
mod results;
mod shoe;
mod sum;
mod table_after;
mod told;

pub use book::{Book, Limits, Reading, SavedBook};
pub use default_play::VoidResult;
pub use doors::{Door, Doors, Moved, WalletWait};
pub use events::Events;
pub use finding::{Check, Finding};
pub use lean::{
    AtTable, CostOfVoids, Count, Draws, EventsCancelled, HandsVoided, Leans, Missed, Staked, StakedBy, Standings,
};
pub use ledger_only::{LedgerBook, LedgerReport};
pub use once::{Once, OnceKind};
pub use piece::{Judged, Piece};
pub use replay::TableJudge;
pub use report::{
    AuditReport, Bought, ByPlayers, EndedFor, Given, GoesOnFrom, InTheirName, Keys, LedgerTotals, OpenShoe, OwnRules,
    OwnStructure, Renamed, Voids, Withheld, WithheldAt,
};
pub use results::Results;
pub use shoe::{OwedHand, ShoeCheck, ShoeVerdict};
pub use sum::Sum;
pub use told::{Told, ToldResult};

pub(crate) use book::decode;
pub use claims::Face;
pub(crate) use claims::FaceClaim;
pub(crate) use once::Known;
pub(crate) use replay::Replay;
