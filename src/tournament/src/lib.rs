//! Tournaments as arithmetic: structures, seat draws, breaking and balancing tables, the clock, pools and places paid,
//! ranks, prizes, deals, bounties, stakes, refunds.
//!
//! It stores no event: each function turns plain inputs into plain outputs. The owner of the event calls it: the house
//! that decides, the auditor that decides again, or a test. It knows no cards, ledger, log, clock or randomness; times
//! and entropies are passed in. Money and chips are integers; every fraction is exact until its one rounding.
//!
//! Implements `spec/games/tournaments.md` and `spec/games/refunds.md`, by section.

mod amount;
pub mod bounty;
pub mod clock;
pub mod deal;
pub mod draw;
pub mod entry;
pub mod file;
pub mod posting;
pub mod prize;
pub mod rank;
pub mod refund;
pub mod seating;
pub mod staking;
pub mod structure;

pub use amount::{EntryNo, Fraction, MAX_AMOUNT, OutOfRange};
pub use structure::{Structure, StructureError};

/// The structures that the product ships (`spec/structures/`).
pub const SHIPPED_STRUCTURES: &[(&str, &str)] = &[
    ("bounty-progressive", include_str!("../../../spec/structures/bounty-progressive.json")),
    ("freezeout-6", include_str!("../../../spec/structures/freezeout-6.json")),
    ("freezeout-9", include_str!("../../../spec/structures/freezeout-9.json")),
    ("heads-up", include_str!("../../../spec/structures/heads-up.json")),
    ("rebuy", include_str!("../../../spec/structures/rebuy.json")),
    ("satellite", include_str!("../../../spec/structures/satellite.json")),
    ("sit-and-go", include_str!("../../../spec/structures/sit-and-go.json")),
];
