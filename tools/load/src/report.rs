//! A run's result, as JSON and in words: rounds, times, checks. `totals.rs` counts.

use crate::limits::{Limits, per_second};
use crate::shared::Shared;
use crate::totals::{Counts, GameTotals, Times};
use crate::tournament::EventReport;
use fairshoe_house::VoidCause;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// A run's result. Times are in microseconds.
#[derive(Debug, Serialize)]
pub struct LoadReport {
    /// Whether every check held and the service answered to the end.
    pub ok: bool,
    /// The errors.
    pub errors: Vec<String>,
    /// The game, as the command line names it.
    pub game: String,
    /// Each game on its own.
    pub games: BTreeMap<String, GameReport>,
    /// The number of players.
    pub players: u16,
    /// The number of connections they shared.
    pub connections: u16,
    /// The time from the first bet to the last settlement.
    pub elapsed_ms: u64,
    /// Rounds settled.
    pub rounds: u64,
    /// Rounds void.
    pub voids: u64,
    /// State-changing requests accepted: each durable and signed before its reply.
    pub requests: u64,
    /// Rounds a second, bet to settlement, everything checked.
    pub rounds_per_second: u64,
    /// Such requests a second, over the whole run.
    pub requests_per_second: u64,
    /// From a request to its durable, signed reply.
    pub durable_us: Option<Percentiles>,
    /// The times of each call, by its name in the report.
    pub calls: BTreeMap<&'static str, Percentiles>,
    /// The counts of checks.
    pub checked: Checked,
    /// What did not go straight on.
    #[serde(flatten)]
    pub counts: Counts,
    /// The event's result, if one was played to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<EventReport>,
    /// The machine's limits, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Requests a second in hundredths of the empty handler's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_of_empty_handler: Option<u64>,
}

/// A game's part of a run.
#[derive(Debug, Serialize)]
pub struct GameReport {
    /// Rounds settled; each counts once for any number of players.
    pub rounds: u64,
    /// Rounds settled a second, in hundredths.
    pub rounds_per_100_seconds: u64,
    /// Rounds by player: a round with five bettors counts five.
    pub plays: u64,
    /// Void rounds by cause.
    pub voids: BTreeMap<VoidCause, u64>,
    /// From a player's bet to the settlement, including the other players' time.
    pub round_us: Option<Percentiles>,
}

/// Times of one kind.
#[derive(Debug, Serialize)]
pub struct Percentiles {
    /// The number of times.
    pub count: u64,
    /// The median.
    pub p50: u64,
    /// Nine of ten are at most this long.
    pub p90: u64,
    /// 99 of 100 are at most this long.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// The counts of checks.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// Entries with their proofs.
    pub entries: u64,
    /// Cards against their committed roots.
    pub openings: u64,
    /// Signed notes for seeds.
    pub notes: u64,
    /// Distinct checkpoints' signatures.
    pub checkpoints: u64,
    /// Whether tiles proved that the last checkpoint extends the first; absent if no proof was needed.
    pub consistent: Option<bool>,
}

impl Percentiles {
    fn of(times: &Times) -> Option<Self> {
        let [p50, p90, p99, max] = times.percentiles()?;
        Some(Percentiles { count: times.count(), p50, p90, p99, max })
    }
}

impl LoadReport {
    /// Sums a run up.
    pub fn new(
        shared: &Shared,
        connections: u16,
        elapsed: Duration,
        consistent: Option<bool>,
        errors: Vec<String>,
        limits: Option<Limits>,
    ) -> Self {
        let totals = shared.totals();
        let requests = totals.durable.count();
        let requests_per_second = per_second(requests, elapsed);
        let game = |totals: &GameTotals| GameReport {
            rounds: totals.rounds,
            rounds_per_100_seconds: per_second(totals.rounds.saturating_mul(100), elapsed),
            plays: totals.plays,
            voids: totals.voids.clone(),
            round_us: Percentiles::of(&totals.round),
        };
        let of_empty =
            |limits: &Limits| requests_per_second.saturating_mul(100).checked_div(limits.empty_handler_per_second);
        LoadReport {
            ok: errors.is_empty(),
            errors,
            game: shared.args.game.clone(),
            games: totals.games.iter().map(|(name, totals)| (name.clone(), game(totals))).collect(),
            players: shared.args.players,
            connections,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            rounds: totals.rounds(),
            voids: totals.games.values().flat_map(|game| game.voids.values()).sum(),
            requests,
            rounds_per_second: per_second(totals.rounds(), elapsed),
            requests_per_second,
            durable_us: Percentiles::of(&totals.durable),
            calls: totals.calls.iter().filter_map(|(call, times)| Some((*call, Percentiles::of(times)?))).collect(),
            checked: Checked {
                entries: totals.entries,
                openings: totals.openings,
                notes: totals.notes,
                checkpoints: shared.log.checkpoints(),
                consistent,
            },
            counts: totals.counts.clone(),
            event: totals.event.clone(),
            percent_of_empty_handler: limits.as_ref().and_then(of_empty),
            limits,
        }
    }

    /// The report in words.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(
            out,
            "{} players on {} connections, {} ms of {}",
            self.players, self.connections, self.elapsed_ms, self.game
        )?;
        writeln!(
            out,
            "  rounds     {:>8}   {:>7} a second, bet to settlement, everything checked",
            self.rounds, self.rounds_per_second
        )?;
        writeln!(
            out,
            "  requests   {:>8}   {:>7} a second, each durable and signed before its reply",
            self.requests, self.requests_per_second
        )?;
        self.write_games(out)?;
        if let Some(event) = &self.event {
            event.write(out)?;
        }
        let counts = &self.counts;
        if counts.lost > 0 {
            writeln!(
                out,
                "  lost       {:>8}   attempts that found no service; {} requests were read back",
                counts.lost, counts.resumed
            )?;
        }
        if counts.neglected + counts.newcomers > 0 {
            let newcomers = counts.newcomers;
            writeln!(
                out,
                "  neglected  {:>8}   reveals and decisions, on purpose; {newcomers} players came back as somebody else",
                counts.neglected
            )?;
        }
        if !counts.refused.is_empty() {
            let codes: Vec<String> = counts.refused.iter().map(|(code, count)| format!("{code} {count}")).collect();
            writeln!(
                out,
                "  refused    {:>8}   the table had gone on: {}",
                counts.refused.values().sum::<u64>(),
                codes.join(", ")
            )?;
        }
        if counts.throttled > 0 {
            writeln!(
                out,
                "  throttled  {:>8}   the service asked to wait; its rate limits count, not its speed",
                counts.throttled
            )?;
        }
        writeln!(out, "  latency           {:>9} {:>9} {:>9} {:>9} µs", "p50", "p90", "p99", "max")?;
        let calls = self.calls.iter().map(|(call, times)| (*call, times));
        for (name, times) in self.durable_us.iter().map(|t| ("durable", t)).chain(calls) {
            writeln!(out, "    {name:<14}  {:>9} {:>9} {:>9} {:>9}", times.p50, times.p90, times.p99, times.max)?;
        }
        let checked = &self.checked;
        let Checked { entries, openings, notes, checkpoints, .. } = checked;
        write!(
            out,
            "  checked    {entries} entries, {openings} openings, {notes} notes of seeds, {checkpoints} checkpoints"
        )?;
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

    fn write_games(&self, out: &mut String) -> std::fmt::Result {
        for (name, game) in &self.games {
            let (whole, rest) = (game.rounds_per_100_seconds / 100, game.rounds_per_100_seconds % 100);
            write!(
                out,
                "    {name:<17} {:>8} rounds, {whole:>5}.{rest:02} a second, {} plays",
                game.rounds, game.plays
            )?;
            if let Some(round) = &game.round_us {
                write!(out, "; bet to settlement p50 {} µs, p99 {} µs", round.p50, round.p99)?;
            }
            let voids: Vec<String> =
                game.voids.iter().map(|(cause, count)| format!("{count} {}", word(cause))).collect();
            writeln!(out, "{}{}", if voids.is_empty() { "" } else { "; void: " }, voids.join(", "))?;
        }
        Ok(())
    }

    fn write_limits(&self, out: &mut String) -> std::fmt::Result {
        let Some(limits) = &self.limits else { return Ok(()) };
        let percent = self.percent_of_empty_handler.unwrap_or_default();
        writeln!(
            out,
            "  limits     empty handler {} requests a second: this run has {percent} % of it",
            limits.empty_handler_per_second
        )?;
        for raw in &limits.raw_file {
            write!(
                out,
                "             raw file, batches of {:>3}: {:>6} µs median, {:>8} entries a second",
                raw.batch, raw.median_us, raw.entries_per_second
            )?;
            match self.durable_us.as_ref().and_then(|durable| durable.p99.saturating_mul(10).checked_div(raw.median_us))
            {
                Some(tenths) => writeln!(out, "; durable p99 is {}.{} × that", tenths / 10, tenths % 10)?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}

/// The number of connections that the players share.
pub fn connections(shared: &Shared) -> u16 {
    shared.args.connections.unwrap_or(shared.args.players).min(shared.args.players)
}

fn word(cause: &VoidCause) -> String {
    serde_json::to_value(cause).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
