//! `rule CODE`: what a code such as R002.10 stands for, in the words of the page that states it. The pages are those that
//! this program was built with; nothing is fetched.

use crate::cli::RuleArgs;
use crate::legend::{Stated, all};
use crate::outcome::{Outcome, UnusableInput, say};

/// What the pages say of a code.
pub(crate) fn stated(code: &str) -> Vec<Stated> {
    all().remove(code).unwrap_or_default()
}

/// `rule CODE…`
pub fn run(args: &RuleArgs) -> Result<Outcome, UnusableInput> {
    for code in &args.codes {
        let found = stated(code);
        if found.is_empty() {
            return Err(UnusableInput::new(format!(
                "no page states {code}: codes are as in R002.10 (a rule of the game), A001.qq (a ruling of ours) and \
                 inclusion (a check)"
            )));
        }
        for Stated { page, line, words } in found {
            say(format!("{code}  spec/{page}, line {line}: {words}"));
        }
    }
    Ok(Outcome::Sound)
}
