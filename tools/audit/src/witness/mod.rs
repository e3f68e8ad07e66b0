//! A witness that a second party runs: it follows logs that only grow, and cosigns what it saw (spec/log.md,
//! "Witnesses").

mod memory;
mod places;
mod serve;

use crate::cli::WitnessArgs;
use crate::outcome::{Outcome, UnusableInput};
use fairshoe_tlog::VerifierKey;
use memory::Memory;

/// `witness`: serves until it is stopped.
pub fn run(args: &WitnessArgs) -> Result<Outcome, UnusableInput> {
    let parse =
        |text: &String| text.parse::<VerifierKey>().map_err(|e| UnusableInput::new(format!("--log {text}: {e}")));
    let logs = args.logs.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let memory = Memory::open(&args.state, &args.name, logs)?;
    serve::run(args.listen, memory)?;
    Ok(Outcome::Sound)
}
