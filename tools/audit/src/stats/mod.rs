//! `stats`: what the revealed shoes and the rounds of a whole log look like beside what chance makes of an honest one
//! (spec/audit.md, "Statistics").
//!
//! Owns: counters over entries and shoes, tests, their correction, the report in words, JSON, HTML and SVG. Does not
//! own the audit: a log that does not hold is reported as such, and its numbers are not shown. Nothing here is ever a
//! proof.

pub mod exact;
mod html;
pub mod judge;
mod plots;
mod reading;
pub mod repeats;
pub mod report;
pub mod returns;
pub mod rounds;
pub mod series;
pub mod shoes;
pub mod svg;
pub mod uniform;

pub use html::page;
pub use plots::plots;
pub(crate) use svg::escape;

use crate::cli::StatsArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{Source, trusted};
use crate::whole_log::{LogError, WholeLog};
use report::{LogFacts, StatsReport};
use rounds::Rounds;
use shoes::Shoes;
use std::fs;
use std::path::Path;

/// `stats`: reads a log once, audits it, counts, judges.
pub(crate) fn run(args: &StatsArgs) -> Result<Outcome, UnusableInput> {
    let key = trusted(args.common.key.as_deref())?;
    let report = match WholeLog::open(Source::parse(&args.source)?, key) {
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => StatsReport::new(
            LogFacts::default(),
            &Default::default(),
            Some(finding),
            &Shoes::default(),
            &Rounds::default(),
        ),
        Ok(log) => {
            let counted = reading::count(&log)?;
            let facts = LogFacts {
                origin: log.checkpoint.origin.clone(),
                size: log.checkpoint.size,
                root: log.checkpoint.root.to_string(),
                key: log.key.to_string(),
                key_trusted: log.key_trusted,
            };
            // Of a log that does not hold nothing is said but why.
            let (shoes, rounds) =
                if counted.finding.is_some() { Default::default() } else { (counted.shoes, counted.rounds) };
            StatsReport::new(facts, &counted.book, counted.finding, &shoes, &rounds)
        }
    };
    if let Some(path) = &args.html {
        write(path, &page(&report))?;
    }
    if let Some(dir) = &args.svg {
        fs::create_dir_all(dir).map_err(|e| UnusableInput::new(format!("{}: {e}", dir.display())))?;
        for plot in plots(&report) {
            write(&dir.join(format!("{}.svg", plot.name)), &plot.svg)?;
        }
    }
    if args.common.json {
        say_json(&report)?
    } else {
        report.words().into_iter().for_each(say)
    }
    Ok(Outcome::when(report.first_failure.is_none()))
}

fn write(path: &Path, text: &str) -> Result<(), UnusableInput> {
    fs::write(path, text).map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))
}
