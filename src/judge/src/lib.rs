//! Judges the house: its log decided again, one disputed round from a file, and the log in words.
//!
//! [`audit::Book`] re-decides a whole log, [`bundle`] one round; [`narrate`] tells an entry in plain English,
//! [`history`] a hand in the notations of other programs. The rules are those of `fairshoe-house` alone: here is what
//! to make of a log that departs from them.
//!
//! No I/O, clock, OS randomness or async, as in the house. Implements `spec/audit.md` and `spec/hand-histories.md`.

pub mod audit;
pub mod bundle;
pub mod history;
mod narrate;
pub mod tournament;
pub mod wallet;

pub use narrate::{Money, Narrator, day_of, narrate, overdue_words, utc, void_words};
