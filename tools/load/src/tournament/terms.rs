//! The event's structure: a shipped one or one from a file, changed by the command line.

use crate::args::Args;
use crate::failure::Failure;
use fairshoe_tournament::structure::Breaks;
use fairshoe_tournament::{SHIPPED_STRUCTURES, Structure};
use std::path::Path;

/// The prefix of `--game` for an event.
const PREFIX: &str = "tournament:";

/// The largest file that is read, in bytes: the longest structure, and white space.
const MAX_FILE: u64 = 1 << 20;

/// The length of a level with `--quick`, in milliseconds.
const QUICK_LEVEL: u64 = 10_000;
const QUICK_BREAK: u64 = 6_000;
const QUICK_CLOCK: u64 = 5_000;
const QUICK_REBUY: u64 = 2_000;

/// The period of a synchronised break with `--quick`: one minute.
const QUICK_PERIOD: u64 = 60_000;

/// The number of big blinds of the first level in a stack.
const QUICK_STACK: u64 = 25;

/// The name of the event's structure, if `--game` requests an event.
pub fn event_name(args: &Args) -> Option<&str> {
    args.game.strip_prefix(PREFIX)
}

/// The structure of the command line, for so many players.
///
/// # Errors
/// [`Failure::Usage`], which lists the available ones.
pub fn structure(args: &Args, name: &str) -> Result<Structure, Failure> {
    let usage = |what: String| Failure::Usage(what);
    let mut structure = match name.strip_prefix('@') {
        Some(path) => from_file(Path::new(path))?,
        None => shipped(name).ok_or_else(|| {
            let names: Vec<&str> = SHIPPED_STRUCTURES.iter().map(|(name, _)| *name).collect();
            usage(format!(
                "there is no structure `{name}`; say --game tournament:NAME with one of {}, or --game tournament:@FILE with a structure in JSON",
                names.join(", ")
            ))
        })?,
    };
    if args.quick {
        quicken(&mut structure);
    }
    if let Some(ms) = args.level_ms {
        structure.levels.iter_mut().for_each(|level| level.ms = ms);
    }
    if let Some(stack) = args.stack {
        structure.entry.stack = stack;
    }
    structure.validate().map_err(|error| usage(format!("{error}; change the file, --level-ms or --stack")))?;
    let (players, terms) = (u64::from(args.players), &structure.entry);
    if !(terms.players_min..=terms.players_max).contains(&players) {
        return Err(usage(format!(
            "{} takes {} to {} players; say --players",
            structure.name, terms.players_min, terms.players_max
        )));
    }
    Ok(structure)
}

/// A structure as it ships, but for the pause: nobody looks at how a hand ended.
fn shipped(name: &str) -> Option<Structure> {
    let mut structure = Structure::shipped(name)?;
    structure.clocks.between_hands_ms = None;
    Some(structure)
}

fn from_file(path: &Path) -> Result<Structure, Failure> {
    let fail = |error| Failure::File(format!("the structure {}", path.display()), error);
    let length = std::fs::metadata(path).map_err(fail)?.len();
    if length > MAX_FILE {
        return Err(Failure::Usage(format!("{} is longer than a structure may be", path.display())));
    }
    let text = std::fs::read_to_string(path).map_err(fail)?;
    Structure::from_json(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

/// Shortens levels, breaks and clocks, so that an event is over in minutes.
fn quicken(structure: &mut Structure) {
    structure.levels.iter_mut().for_each(|level| level.ms = level.ms.min(QUICK_LEVEL));
    match &mut structure.breaks {
        Breaks::After(breaks) => breaks.iter_mut().for_each(|one| one.ms = one.ms.min(QUICK_BREAK)),
        Breaks::Synchronised { every_ms, at_ms, ms } => {
            (*every_ms, *at_ms, *ms) = (QUICK_PERIOD, QUICK_PERIOD - QUICK_BREAK, QUICK_BREAK);
        }
    }
    let clocks = &mut structure.clocks;
    for clock in [&mut clocks.turn_ms, &mut clocks.bank_ms, &mut clocks.late_extra_ms] {
        *clock = (*clock).min(QUICK_CLOCK);
    }
    for clock in [&mut clocks.commit_ms, &mut clocks.reveal_ms] {
        *clock = (*clock).min(QUICK_CLOCK);
    }
    if let Some(rebuy) = &mut structure.rebuy {
        rebuy.time_ms = rebuy.time_ms.min(QUICK_REBUY);
    }
    if let Some(first) = structure.levels.first() {
        structure.entry.stack = structure.entry.stack.min(first.big.saturating_mul(QUICK_STACK));
    }
}
