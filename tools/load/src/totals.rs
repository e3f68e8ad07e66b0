use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest time told apart, in microseconds.
const LONGEST: u64 = 600_000_000;

/// Times in microseconds, to about 1 in 1000.
#[derive(Clone)]
pub struct Times(Option<Histogram<u64>>);

impl Times {
    fn new() -> Self {
        // The bounds are constant and valid; a histogram that is none would count nothing.
        Times(Histogram::new_with_bounds(1, LONGEST, 3).ok())
    }

    /// Notes one.
    pub fn note(&mut self, took: Duration) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(u64::try_from(took.as_micros()).unwrap_or(LONGEST).max(1));
        }
    }

    /// How many were noted.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// p50, p90, p99 and the largest, in microseconds; `None` of nothing.
    pub fn percentiles(&self) -> Option<[u64; 4]> {
        let histogram = self.0.as_ref().filter(|histogram| !histogram.is_empty())?;
        let at = |quantile| histogram.value_at_quantile(quantile);
        Some([at(0.5), at(0.9), at(0.99), histogram.max()])
    }
}

/// What a run counts.
pub struct Totals {
    /// Rounds settled.
    pub rounds: u64,
    /// Rounds that became void.
    pub voids: u64,
    /// Accepted state-changing requests, by call.
    pub calls: BTreeMap<&'static str, Times>,
    /// All of them together: from the request to its durable, signed reply.
    pub durable: Times,
    /// From the bet to the settlement, checks included.
    pub round: Times,
    /// Entries whose receipts were checked.
    pub entries: u64,
    /// Openings checked.
    pub openings: u64,
    /// Attempts that found no service, or lost it.
    pub lost: u64,
    /// Replies that asked to wait (429, 503).
    pub throttled: u64,
    /// Replies that named a house's duty still to be done (409).
    pub house_waits: u64,
    /// Rounds taken up again after a lost connection.
    pub resumed: u64,
}

impl Totals {
    /// Nothing yet.
    pub fn new() -> Self {
        Totals {
            rounds: 0,
            voids: 0,
            calls: BTreeMap::new(),
            durable: Times::new(),
            round: Times::new(),
            entries: 0,
            openings: 0,
            lost: 0,
            throttled: 0,
            house_waits: 0,
            resumed: 0,
        }
    }

    /// Notes an accepted request.
    pub fn accepted(&mut self, call: &'static str, took: Duration) {
        self.calls.entry(call).or_default().note(took);
        self.durable.note(took);
    }
}

impl Default for Totals {
    fn default() -> Self {
        Totals::new()
    }
}

impl Default for Times {
    fn default() -> Self {
        Times::new()
    }
}
