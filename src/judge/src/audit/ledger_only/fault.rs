//! Faults that end the reading of an entry.

use super::super::Check;
use super::scan::NonCanonical;

/// A fault of an entry.
pub(super) enum EntryFault {
    Form(NonCanonical),
    Check(Check, String),
}

impl From<NonCanonical> for EntryFault {
    fn from(non_canonical: NonCanonical) -> Self {
        EntryFault::Form(non_canonical)
    }
}

pub(super) fn fault<T>(check: Check, what: impl Into<String>) -> Result<T, EntryFault> {
    Err(EntryFault::Check(check, what.into()))
}
