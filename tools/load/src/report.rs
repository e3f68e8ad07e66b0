use crate::limits::{Limits, per_second};
use crate::shared::Shared;
use crate::totals::Times;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// A run's result. Times are in microseconds.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Whether every check held and the service answered to the end.
    pub ok: bool,
    /// What went wrong.
    pub errors: Vec<String>,
    /// The rule set.
    pub game: String,
    /// Players, one table each.
    pub players: u16,
    /// Connections.
    pub connections: u16,
    /// From the first bet to the last settlement.
    pub elapsed_ms: u64,
    /// Rounds settled.
    pub rounds: u64,
    /// Rounds void.
    pub voids: u64,
    /// State-changing requests accepted: each durable and signed before its reply.
    pub requests: u64,
    /// Rounds a second, bet to settlement, everything checked.
    pub rounds_per_second: u64,
    /// Requests a second.
    pub requests_per_second: u64,
    /// From a request to its durable, signed reply.
    pub durable_us: Option<Percentiles>,
    /// From the bet to the settlement.
    pub round_us: Option<Percentiles>,
    /// By call.
    pub calls: BTreeMap<&'static str, Percentiles>,
    /// What was checked.
    pub checked: Checked,
    /// Attempts that found no service or lost it.
    pub lost: u64,
    /// Rounds read back after a lost connection.
    pub resumed: u64,
    /// Replies that asked to wait (429, 503).
    pub throttled: u64,
    /// Replies that named a duty of the house still to be done (409).
    pub house_waits: u64,
    /// The machine's limits, where measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Requests a second in hundredths of the empty handler's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_of_empty_handler: Option<u64>,
}

/// Times of one kind.
#[derive(Debug, Serialize)]
pub struct Percentiles {
    /// How many.
    pub count: u64,
    /// The median.
    pub p50: u64,
    /// Nine of ten are at most so long.
    pub p90: u64,
    /// 99 of 100 are at most so long.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// How much was checked.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Entries with their proofs.
    pub entries: u64,
    /// Cards against their committed roots.
    pub openings: u64,
    /// Distinct checkpoints' signatures.
    pub checkpoints: u64,
    /// Whether the last checkpoint was proven to extend the first, from tiles; absent where there was nothing to prove.
    pub consistent: Option<bool>,
}

impl Percentiles {
    fn of(times: &Times) -> Option<Self> {
        let [p50, p90, p99, max] = times.percentiles()?;
        Some(Percentiles { count: times.count(), p50, p90, p99, max })
    }
}

impl Report {
    /// Sums a run up.
    pub fn new(shared: &Shared, elapsed: Duration, consistent: Option<bool>, errors: Vec<String>, limits: Option<Limits>) -> Self {
        let totals = shared.totals();
        let requests = totals.durable.count();
        let requests_per_second = per_second(requests, elapsed);
        let of_empty = |limits: &Limits| requests_per_second.saturating_mul(100).checked_div(limits.empty_handler_per_second);
        Report {
            ok: errors.is_empty(),
            errors,
            game: shared.args.game.clone(),
            players: shared.args.players,
            connections: connections(shared),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            rounds: totals.rounds,
            voids: totals.voids,
            requests,
            rounds_per_second: per_second(totals.rounds, elapsed),
            requests_per_second,
            durable_us: Percentiles::of(&totals.durable),
            round_us: Percentiles::of(&totals.round),
            calls: totals.calls.iter().filter_map(|(call, times)| Some((*call, Percentiles::of(times)?))).collect(),
            checked: Checked { entries: totals.entries, openings: totals.openings, checkpoints: shared.log.checkpoints(), consistent },
            lost: totals.lost,
            resumed: totals.resumed,
            throttled: totals.throttled,
            house_waits: totals.house_waits,
            percent_of_empty_handler: limits.as_ref().and_then(of_empty),
            limits,
        }
    }

    /// The summary in words.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "{} players on {} connections, {} ms of {}", self.players, self.connections, self.elapsed_ms, self.game)?;
        writeln!(out, "  rounds     {:>8}   {:>7} a second, bet to settlement, everything checked", self.rounds, self.rounds_per_second)?;
        writeln!(
            out,
            "  requests   {:>8}   {:>7} a second, each durable and signed before its reply",
            self.requests, self.requests_per_second
        )?;
        if self.voids + self.resumed + self.lost > 0 {
            writeln!(out, "  voids      {:>8}   read back {}, attempts lost {}", self.voids, self.resumed, self.lost)?;
        }
        if self.throttled > 0 {
            writeln!(out, "  throttled  {:>8}   the service asked to wait; its rate limits count, not its speed", self.throttled)?;
        }
        writeln!(out, "  latency           {:>9} {:>9} {:>9} {:>9} µs", "p50", "p90", "p99", "max")?;
        let calls = self.calls.iter().map(|(call, times)| (*call, times));
        for (name, times) in self.durable_us.iter().map(|t| ("durable", t)).chain(calls).chain(self.round_us.iter().map(|t| ("round", t))) {
            writeln!(out, "    {name:<14}  {:>9} {:>9} {:>9} {:>9}", times.p50, times.p90, times.p99, times.max)?;
        }
        let checked = &self.checked;
        write!(out, "  checked    {} entries, {} openings, {} checkpoints", checked.entries, checked.openings, checked.checkpoints)?;
        let proven = match checked.consistent {
            Some(true) => "; the last checkpoint extends the first",
            _ => "",
        };
        writeln!(out, "{proven}")?;
        self.write_limits(out)?;
        for error in &self.errors {
            writeln!(out, "  ERROR      {error}")?;
        }
        Ok(())
    }

    fn write_limits(&self, out: &mut String) -> std::fmt::Result {
        let Some(limits) = &self.limits else { return Ok(()) };
        let percent = self.percent_of_empty_handler.unwrap_or_default();
        writeln!(out, "  limits     empty handler {} requests a second: this run has {percent} % of it", limits.empty_handler_per_second)?;
        for raw in &limits.raw_file {
            write!(
                out,
                "             raw file, batches of {:>3}: {:>6} µs median, {:>8} entries a second",
                raw.batch, raw.median_us, raw.entries_per_second
            )?;
            match self.durable_us.as_ref().and_then(|durable| durable.p99.saturating_mul(10).checked_div(raw.median_us)) {
                Some(tenths) => writeln!(out, "; durable p99 is {}.{} × that", tenths / 10, tenths % 10)?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}

/// How many connections the players share.
pub fn connections(shared: &Shared) -> u16 {
    shared.args.connections.unwrap_or(shared.args.players).min(shared.args.players)
}
