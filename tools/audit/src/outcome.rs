//! How a run ends, for the screen and for the exit code: 0 sound, 1 not sound, 2 the input cannot be judged.

use std::fmt;
use std::io::Write;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything checked holds: exit 0.
    Sound,
    /// Something does not hold: exit 1.
    NotSound,
}

impl Outcome {
    pub(crate) fn when(sound: bool) -> Outcome {
        if sound { Outcome::Sound } else { Outcome::NotSound }
    }
}

/// The input cannot be judged at all, and why: exit 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableInput(pub String);

impl UnusableInput {
    pub(crate) fn new(why: impl fmt::Display) -> UnusableInput {
        UnusableInput(why.to_string())
    }
}

/// Prints to standard output; a reader who went away is no reason to fail.
pub(crate) fn say(text: impl fmt::Display) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints a report as JSON.
pub(crate) fn say_json(report: &impl serde::Serialize) -> Result<(), UnusableInput> {
    say(serde_json::to_string_pretty(report).map_err(UnusableInput::new)?);
    Ok(())
}
