//! Dispute bundles: one JSON file with everything a third party needs to replay a disputed round offline
//! (spec/audit.md, "The bundle").
//!
//! Owns: the file's form and bounds, which entries belong in it, and the verdict on it. Does not own: the engine's
//! rules and the comparison (see [`crate::audit`]), proofs and signatures (the log's crate), or where bytes come from.

mod collect;
mod format;
mod verdict;
mod verify;

pub use collect::{Collector, Selection, Target};
pub use format::{Bundle, BundleError, MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES, MAX_OPENINGS, ProofHash, Proven, RoundId};
pub use verdict::{PlayerFacts, RoundFacts, RoundPhase, Soundness, Verdict};
pub use verify::verify;
