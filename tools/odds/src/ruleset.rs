//! The rule set for the computation: a shipped one or a file, with options set.

use crate::UnusableInput;
use fairshoe_games::{Chips, RuleSet, SHIPPED_RULE_SETS};
use std::fs::File;
use std::io::Read as _;

/// A longer file is no rule set.
const MAX_FILE: u64 = 16 * 1024 + 1;

/// A shipped rule set's name, or the path of a rule set file; then `option=value` settings.
pub fn read_rule_set(name: &str, set: &[String]) -> Result<RuleSet, UnusableInput> {
    let rules = match SHIPPED_RULE_SETS.iter().find(|(shipped, _)| *shipped == name) {
        Some((_, text)) => RuleSet::from_json(text).map_err(|e| UnusableInput(format!("`{name}`: {e}")))?,
        None => read_file(name)?,
    };
    let mut options = Vec::with_capacity(set.len());
    for pair in set {
        let split = pair.split_once('=').filter(|(option, value)| !option.is_empty() && !value.is_empty());
        options.push(
            split.ok_or_else(|| {
                UnusableInput(format!("--set takes option=value, as in surrender=late, not `{pair}`"))
            })?,
        );
    }
    rules.with_options(options).map_err(|e| UnusableInput(e.to_string()))
}

fn read_file(path: &str) -> Result<RuleSet, UnusableInput> {
    let shipped = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let open = File::open(path)
        .map_err(|e| UnusableInput(format!("`{path}` is no shipped rule set ({shipped}) and no readable file: {e}")))?;
    let mut text = String::new();
    open.take(MAX_FILE).read_to_string(&mut text).map_err(|e| UnusableInput(format!("`{path}`: {e}")))?;
    RuleSet::from_json(&text).map_err(|e| UnusableInput(format!("`{path}`: {e}")))
}

/// A stake of the command line.
pub(crate) fn chips(units: u64) -> Result<Chips, UnusableInput> {
    Chips::new(units).ok_or_else(|| UnusableInput(format!("a stake of {units} is beyond the range of amounts")))
}
