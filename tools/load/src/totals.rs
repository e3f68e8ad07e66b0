//! The counts of a run in progress: rounds, outcomes and times of each game, shared by all players.

use crate::tournament::EventReport;
use fairshoe_fairness::TableId;
use fairshoe_house::{Entry, Event, RoundResult, VoidCause};
use hdrhistogram::Histogram;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The longest recorded time, in microseconds.
const LONGEST: u64 = 600_000_000;

/// Times in microseconds, to about 1 in 1000.
#[derive(Clone)]
pub struct Times(Option<Histogram<u64>>);

impl Times {
    /// Records a time; times above ten minutes count as ten minutes.
    pub fn note(&mut self, took: Duration) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(u64::try_from(took.as_micros()).unwrap_or(LONGEST).max(1));
        }
    }

    /// The number of recorded times.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// p50, p90, p99 and the largest, in microseconds; `None` without times.
    pub fn percentiles(&self) -> Option<[u64; 4]> {
        let histogram = self.0.as_ref().filter(|histogram| !histogram.is_empty())?;
        let at = |quantile| histogram.value_at_quantile(quantile);
        Some([at(0.5), at(0.9), at(0.99), histogram.max()])
    }
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was settled with its payouts.
    Settled,
    /// The round was void, for this cause.
    Void(VoidCause),
}

/// The rounds that an entry ends: the number, how it ended, and what it was to its players.
pub fn ended_in(entry: &Entry) -> impl Iterator<Item = (u64, Outcome, &[RoundResult])> {
    entry.events.iter().filter_map(|event| match event {
        Event::RoundSettled { round_no, players, .. } => Some((*round_no, Outcome::Settled, players.as_slice())),
        Event::RoundVoided { round_no, players, cause, .. } => {
            Some((*round_no, Outcome::Void(*cause), players.as_slice()))
        }
        _ => None,
    })
}

/// The counts of one game.
#[derive(Clone, Default)]
pub struct GameTotals {
    /// Rounds settled; each counts once for any number of players.
    pub rounds: u64,
    /// Rounds by player: a round with five bettors counts five.
    pub plays: u64,
    /// Void rounds by cause.
    pub voids: BTreeMap<VoidCause, u64>,
    /// From a player's bet to the settlement, including checks and the other players' time.
    pub round: Times,
    /// The last round counted of each table.
    last: BTreeMap<TableId, u64>,
}

/// What did not go straight on.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Attempts that found no service, or lost it.
    pub lost: u64,
    /// Requests whose outcome was read back after a lost connection.
    pub resumed: u64,
    /// Refusals because the table had gone on meanwhile, by code.
    pub refused: BTreeMap<String, u64>,
    /// Reveals withheld and decisions slept through, on purpose.
    pub neglected: u64,
    /// Players who came back under another name.
    pub newcomers: u64,
    /// Replies that asked to wait (429, 503).
    pub throttled: u64,
    /// Replies that named a house's duty still to be done (409).
    pub house_waits: u64,
}

/// The counts of a run.
#[derive(Default)]
pub struct Totals {
    /// What did not go straight on.
    pub counts: Counts,
    /// Each game on its own.
    pub games: BTreeMap<String, GameTotals>,
    /// Accepted state-changing requests, by call.
    pub calls: BTreeMap<&'static str, Times>,
    /// All calls together: from the request to its durable, signed reply.
    pub durable: Times,
    /// Entries whose receipts were checked.
    pub entries: u64,
    /// Openings checked.
    pub openings: u64,
    /// Signed notes for seeds, checked.
    pub notes: u64,
    /// The event's result, if one was played.
    pub event: Option<EventReport>,
}

impl Totals {
    /// Notes a round that is over, once for its table; `took` is a bettor's time.
    pub fn round_over(&mut self, game: &str, table: &TableId, round_no: u64, outcome: Outcome, took: Option<Duration>) {
        let totals = self.games.entry(game.to_owned()).or_default();
        let is_new = totals.last.get(table).is_none_or(|last| *last < round_no);
        if is_new {
            totals.last.insert(table.clone(), round_no);
        }
        match outcome {
            Outcome::Settled => {
                totals.rounds += u64::from(is_new);
                if let Some(took) = took {
                    totals.plays += 1;
                    totals.round.note(took);
                }
            }
            Outcome::Void(cause) => *totals.voids.entry(cause).or_default() += u64::from(is_new),
        }
    }

    /// Rounds settled, of all games.
    pub fn rounds(&self) -> u64 {
        self.games.values().map(|game| game.rounds).sum()
    }

    /// Records an accepted request.
    pub fn accepted(&mut self, call: &'static str, took: Duration) {
        self.calls.entry(call).or_default().note(took);
        self.durable.note(took);
    }
}

impl Default for Times {
    fn default() -> Self {
        // The bounds are constant and valid; without a histogram no time is counted.
        Times(Histogram::new_with_bounds(1, LONGEST, 3).ok())
    }
}
