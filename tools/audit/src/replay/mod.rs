//! `replay`: poker hands that were written down, through our engine (spec/games/poker.md, "Replaying histories").

mod amount;
mod hand;
mod phh;

pub use amount::Amount;
pub use hand::{Replayed, replay};
pub use phh::{Act, History, Limit, Named, OwnFields, Variant, read};

use crate::cli::ReplayArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::read_file;
use serde::Serialize;

/// The longest file of hands, in bytes.
const MAX_FILE: u64 = 256 << 20;

#[derive(Serialize)]
struct ReplayReport {
    hands: usize,
    /// Hands whose computed stacks are the recorded ones.
    equal: usize,
    /// Hands without recorded stacks, played to their end.
    nothing_recorded: usize,
    different: Vec<Noted>,
    unusable: Vec<Noted>,
    /// The stacks of a single hand, in the history's own notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    stacks: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Noted {
    hand: String,
    message: String,
}

/// `replay FILE…`
pub(crate) fn run(args: &ReplayArgs) -> Result<Outcome, UnusableInput> {
    let mut report = ReplayReport {
        hands: 0,
        equal: 0,
        nothing_recorded: 0,
        different: Vec::new(),
        unusable: Vec::new(),
        stacks: None,
    };
    let mut last = None;
    for path in &args.files {
        let bytes = read_file(path, MAX_FILE)?;
        let text =
            String::from_utf8(bytes).map_err(|_| UnusableInput::new(format!("{} is not UTF-8", path.display())))?;
        let histories = read(&text).map_err(|why| UnusableInput::new(format!("{}: {why}", path.display())))?;
        for (name, history) in histories {
            report.hands = report.hands.saturating_add(1);
            let hand = name.map_or_else(|| path.display().to_string(), |name| format!("{}#{name}", path.display()));
            match history.and_then(|history| replay(&history)) {
                Ok(Replayed { difference: Some(message), .. }) => report.different.push(Noted { hand, message }),
                Ok(replayed) => {
                    match replayed.compared {
                        true => report.equal = report.equal.saturating_add(1),
                        false => report.nothing_recorded = report.nothing_recorded.saturating_add(1),
                    }
                    last = Some(replayed.stacks);
                }
                Err(message) => report.unusable.push(Noted { hand, message }),
            }
        }
    }
    report.stacks = last.filter(|_| report.hands == 1);
    if args.json {
        say_json(&report)?;
    } else {
        say_words(&report);
    }
    match report.unusable.first() {
        Some(first) if report.different.is_empty() => {
            Err(UnusableInput::new(format!("{}: {}", first.hand, first.message)))
        }
        _ => Ok(Outcome::when(report.different.is_empty())),
    }
}

fn say_words(report: &ReplayReport) {
    for (word, list) in [("DIFFERENT", &report.different), ("unusable", &report.unusable)] {
        for Noted { hand, message } in list {
            say(format!("{word:<11} {hand}: {message}"));
        }
    }
    if let Some(stacks) = &report.stacks {
        say(format!("stacks      {}", stacks.join(", ")));
    }
    say(format!(
        "hands       {}: {} end with the recorded stacks, {} have none recorded, {} differ, {} cannot be judged",
        report.hands,
        report.equal,
        report.nothing_recorded,
        report.different.len(),
        report.unusable.len()
    ));
}
