//! The auditor's own clock, and how far clocks may differ before a time is a finding (spec/audit.md, "Time").

use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::utc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds of a second: witnesses count seconds, entries milliseconds.
pub const SECOND: u64 = 1_000;

/// The auditor's own clock, UTC milliseconds.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// How far clocks may differ (spec/audit.md, "Time").
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// By so much may an entry be later than a clock that saw it, in milliseconds.
    pub skew: u64,
    /// So long may a log wait until it is seen, in milliseconds.
    pub delay: u64,
}

impl Bounds {
    /// Of seconds.
    pub fn new(skew: u64, delay: u64) -> Bounds {
        Bounds { skew: skew.saturating_mul(SECOND), delay: delay.saturating_mul(SECOND) }
    }

    /// The latest time of an entry that was seen at `at`.
    pub fn latest(self, at: u64) -> u64 {
        at.saturating_add(self.skew)
    }

    /// The earliest time of an entry of which the log signed that it was not there yet at `at`.
    pub fn earliest_by_own(self, at: u64) -> u64 {
        at.saturating_sub(self.skew).saturating_sub(self.delay.max(OWN_TIME))
    }

    /// The earliest time of an entry that was not there yet at `at`.
    pub fn earliest(self, at: u64) -> u64 {
        at.saturating_sub(self.skew).saturating_sub(self.delay)
    }
}

/// The times at which this auditor itself read the log, against those of its entries.
pub struct OwnClock {
    bounds: Bounds,
    /// When the checkpoint was read, UTC milliseconds.
    read_at: u64,
    /// How many entries the log said to have, and when, by its own time, UTC milliseconds.
    before: Option<(u64, u64)>,
    /// The time of the first entry that was read: none after it is earlier.
    first: Option<u64>,
    finding: Option<Finding>,
}

/// A log dates nothing longer before its own time than this, in milliseconds (spec/log.md, "The log's own time").
const OWN_TIME: u64 = 45 * SECOND;

impl OwnClock {
    /// For a log whose checkpoint was read at this time.
    pub fn new(bounds: Bounds, read_at: u64, before: Option<(u64, u64)>) -> OwnClock {
        OwnClock { bounds, read_at, before, first: None, finding: None }
    }

    /// Holds an entry's time against them.
    pub fn check(&mut self, index: u64, time: u64) {
        self.first.get_or_insert(time);
        if self.finding.is_some() {
            return;
        }
        if time > self.bounds.latest(self.read_at) {
            let what = format!(
                "the entry is dated {}; by this machine's clock it was read before that, at {}: it was written earlier than it says (or this clock is slow)",
                utc(time),
                utc(self.read_at)
            );
            self.finding = Some(Finding::at(Check::TimeAhead, index, None, what));
        } else if let Some((size, at)) =
            self.before.filter(|(size, at)| index >= *size && time < self.bounds.earliest_by_own(*at))
        {
            let what = format!(
                "the entry is dated {}; at {} the log signed that it ended before it, with {size} entries: it was written later than it says",
                utc(time),
                utc(at)
            );
            self.finding = Some(Finding::at(Check::TimeWitnessed, index, None, what));
        }
    }

    /// What a note of the service shows that is dated after it was read: it says that a command came later than it was
    /// signed for, past a deadline or years ahead.
    pub fn ahead(&self, time: u64) -> Option<Finding> {
        let what = || {
            format!(
                "the note is dated {}; by this machine's clock it was read before that, at {}: it was signed earlier than it says (or this clock is slow)",
                utc(time),
                utc(self.read_at)
            )
        };
        (time > self.bounds.latest(self.read_at)).then(|| Finding::new(Check::TimeAhead, what()))
    }

    /// The time of the first entry that was read.
    pub fn first(&self) -> Option<u64> {
        self.first
    }

    /// The first entry that does not fit.
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(index: u64, time: u64) -> Option<Check> {
        let mut clock = OwnClock::new(Bounds::new(2, 60), 1_000_000, Some((10, 900_000)));
        clock.check(index, time);
        clock.finding().map(|finding| finding.check)
    }

    #[test]
    fn an_entry_lies_between_the_looks_to_the_skew_and_the_delay() {
        assert_eq!((found(10, 1_002_000), found(10, 1_002_001)), (None, Some(Check::TimeAhead)));
        assert_eq!((found(10, 838_000), found(10, 837_999)), (None, Some(Check::TimeWitnessed)));
        assert_eq!(found(9, 1), None, "it had been seen before");
    }
}
