//! Levels and breaks as arithmetic on times (spec/games/tournaments.md, section 5). All times are milliseconds of UTC
//! or of running time.

use crate::amount::count;
use crate::structure::{Breaks, Structure};

/// A time in which the clock stood still: `from` is included, `until` is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The beginning, UTC.
    pub from: u64,
    /// The end, UTC.
    pub until: u64,
}

/// The clock's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The level, from 1; in a break the level before it.
    pub level: u16,
    /// Whether it is a break.
    pub in_break: bool,
    /// Running time to the next level; `None` in the last. It counts breaks after levels, but not synchronised ones.
    pub to_next_level: Option<u64>,
    /// Time to the next break, or in a break to its end; `None` if no more breaks come. Running time; for a
    /// synchronised break UTC.
    pub to_break: Option<u64>,
}

/// Why the times are impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// The time is before the start.
    #[error("the event has not started")]
    NotStarted,
    /// Stops are out of order, overlap, or end after the requested time.
    #[error("stops must ascend without overlap, from the start to the moment asked for")]
    Stops,
}

/// The part of [from, until) that lies in synchronised breaks.
fn in_synchronised(from: u64, until: u64, every_ms: u64, at_ms: u64, ms: u64) -> u64 {
    let up_to = |time: u64| {
        let (periods, rest) = (time.checked_div(every_ms).unwrap_or(0), time.checked_rem(every_ms).unwrap_or(0));
        periods.saturating_mul(ms).saturating_add(rest.saturating_sub(at_ms).min(ms))
    };
    up_to(until).saturating_sub(up_to(from))
}

/// Running time at `now` of an event that began at `start` (section 5.1).
///
/// # Errors
/// If `now` is before the start, or the stops are impossible.
pub fn running_time(structure: &Structure, start: u64, stops: &[Stop], now: u64) -> Result<u64, ClockError> {
    let elapsed = now.checked_sub(start).ok_or(ClockError::NotStarted)?;
    let breaks = |from: u64, until: u64| match structure.breaks {
        Breaks::After(_) => 0,
        Breaks::Synchronised { every_ms, at_ms, ms } => in_synchronised(from, until, every_ms, at_ms, ms),
    };
    let mut still = breaks(start, now);
    let mut last = start;
    for stop in stops {
        if stop.from < last || stop.until < stop.from || stop.until > now {
            return Err(ClockError::Stops);
        }
        last = stop.until;
        let length = stop.until.saturating_sub(stop.from);
        // Time that lies in both counts once.
        still = still.saturating_add(length.saturating_sub(breaks(stop.from, stop.until)));
    }
    Ok(elapsed.saturating_sub(still))
}

/// The parts of running time, in order: the level, whether it is the break after it, its end (`None`: it never ends).
fn parts(structure: &Structure) -> impl Iterator<Item = (u16, bool, Option<u64>)> + '_ {
    let mut end = 0u64;
    let last = structure.levels.len();
    structure.levels.iter().enumerate().flat_map(move |(place, level)| {
        let number = u16::try_from(place.saturating_add(1)).unwrap_or(u16::MAX);
        let pause = match &structure.breaks {
            Breaks::After(after) => after.iter().find(|pause| pause.level == number).map(|pause| pause.ms),
            Breaks::Synchronised { .. } => None,
        };
        end = end.saturating_add(level.ms);
        let level_end = (number != u16::try_from(last).unwrap_or(u16::MAX)).then_some(end);
        let pause = pause.map(|ms| {
            end = end.saturating_add(ms);
            (number, true, Some(end))
        });
        [Some((number, false, level_end)), pause].into_iter().flatten()
    })
}

/// The clock's position after so much running time, at UTC `now`.
pub fn position(structure: &Structure, running: u64, now: u64) -> Position {
    let over = |end: &Option<u64>| end.is_some_and(|end| end <= running);
    let mut rest = parts(structure).skip_while(|(_, _, end)| over(end));
    let (level, mut in_break, end) =
        rest.next().unwrap_or((count(structure.levels.len()).try_into().unwrap_or(u16::MAX), false, None));
    let until = |end: u64| end.saturating_sub(running);
    // A level ends where the next level or its break begins; a break ends where the next level begins.
    let mut to_next_level = end.map(until);
    let mut to_break = if in_break { end.map(until) } else { None };
    let mut before = end;
    for (of, pause, end) in rest {
        if pause && of == level && !in_break {
            to_next_level = end.map(until);
        }
        if pause && to_break.is_none() {
            to_break = before.map(until);
        }
        before = end;
    }
    if let Breaks::Synchronised { every_ms, at_ms, ms } = structure.breaks {
        let within = now.checked_rem(every_ms).unwrap_or(0);
        in_break = within >= at_ms && within < at_ms.saturating_add(ms);
        let ahead = if in_break { at_ms.saturating_add(ms) } else { at_ms };
        to_break = Some(if within < ahead {
            ahead.saturating_sub(within)
        } else {
            every_ms.saturating_sub(within).saturating_add(at_ms)
        });
    }
    Position { level, in_break, to_next_level, to_break }
}

/// Whether the first `levels` levels are still running: late registration and rebuys last so long (sections 4.4, 4.7).
pub fn within_levels(structure: &Structure, levels: u16, running: u64) -> bool {
    let end = parts(structure).filter(|(level, pause, _)| *level == levels && !pause).find_map(|(_, _, end)| end);
    end.is_some_and(|end| running < end)
}

/// Whether the break after a level is over, and with it the add-on of that break (section 4.4).
pub fn break_over(structure: &Structure, level: u16, running: u64) -> bool {
    let end = parts(structure).filter(|(of, pause, _)| *of == level && *pause).find_map(|(_, _, end)| end);
    end.is_none_or(|end| end <= running)
}

/// Time added for a disconnection (rule R001.104): late in the event, once for each disconnection.
pub fn extra_time(structure: &Structure, remaining: u64, had_it: bool) -> u64 {
    if remaining <= structure.clocks.late_players && !had_it { structure.clocks.late_extra_ms } else { 0 }
}

/// Whether play may go on at `now` after a disruption at `stopped` (refunds.md, 1.3).
pub fn may_resume(cancel_after_ms: u64, stopped: u64, now: u64) -> bool {
    now.saturating_sub(stopped) < cancel_after_ms
}
