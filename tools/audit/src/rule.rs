//! `rule CODE`: what a code such as R002.10 stands for, in the words of the page that states it. The pages are those that
//! this program was built with; nothing is fetched.

use crate::cli::RuleArgs;
use crate::outcome::{Outcome, UnusableInput, say};

/// The pages that state rules, by name. Where several name a code, an earlier one is told first.
const PAGES: [(&str, &str); 14] = [
    ("games/blackjack.md", include_str!("../../../spec/games/blackjack.md")),
    ("games/baccarat.md", include_str!("../../../spec/games/baccarat.md")),
    ("games/roulette.md", include_str!("../../../spec/games/roulette.md")),
    ("games/safe.md", include_str!("../../../spec/games/safe.md")),
    ("games/poker.md", include_str!("../../../spec/games/poker.md")),
    ("games/poker-table.md", include_str!("../../../spec/games/poker-table.md")),
    ("games/shared-tables.md", include_str!("../../../spec/games/shared-tables.md")),
    ("games/tournaments.md", include_str!("../../../spec/games/tournaments.md")),
    ("games/refunds.md", include_str!("../../../spec/games/refunds.md")),
    ("games/odds.md", include_str!("../../../spec/games/odds.md")),
    ("recovery.md", include_str!("../../../spec/recovery.md")),
    ("entries.md", include_str!("../../../spec/entries.md")),
    ("fairness.md", include_str!("../../../spec/fairness.md")),
    ("ledger.md", include_str!("../../../spec/ledger.md")),
];

/// Where a page says something of a code.
pub(crate) struct Stated {
    pub(crate) page: &'static str,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) words: String,
}

/// The codes that a text names, each once: R000.1 to R999.999 (a rule of the game), A000.a (a ruling of ours), C1.
pub(crate) fn codes_in(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    let mut found: Vec<&str> = words.map(|word| word.trim_matches('.')).filter(|word| is_code(word)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn is_code(word: &str) -> bool {
    let Some((set, rule)) = word.split_once('.') else { return false };
    let is_set = set.len() == 4
        && set.starts_with(['R', 'A', 'C'])
        && set.get(1..).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let is_number = (1..=3).contains(&rule.len()) && rule.bytes().all(|b| b.is_ascii_digit());
    let is_letters = (1..=2).contains(&rule.len()) && rule.bytes().all(|b| b.is_ascii_lowercase());
    is_set && (is_number || is_letters)
}

/// Where a text names this code and no longer one.
fn place(text: &str, code: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(code).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        let after = text.get(at.saturating_add(code.len())..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// What the pages say of a code: the sentences that it stands before (`**R002.10** …`), else those that name it.
pub(crate) fn stated(code: &str) -> Vec<Stated> {
    let (mut defined, mut named) = (Vec::new(), Vec::new());
    for (page, text) in PAGES {
        for (line, block) in blocks(text) {
            let Some(at) = place(&block, code) else { continue };
            // A row that names the test of a rule states none.
            if block.starts_with('|') && block.contains("::") {
                continue;
            }
            let bold = format!("**{code}");
            let begins = block.find(&bold).filter(|at| place(block.get(*at..).unwrap_or_default(), code) == Some(2));
            match begins.and_then(|at| block.get(at..)) {
                Some(rest) => {
                    // Up to where the next one begins.
                    let inner = rest.get(bold.len()..).unwrap_or_default();
                    let next = ["**R", "**A", "**C"].iter().filter_map(|mark| inner.find(mark)).min();
                    let words = rest.get(..next.map_or(rest.len(), |next| next.saturating_add(bold.len())));
                    defined.push(Stated { page, line, words: words.unwrap_or(rest).trim().to_owned() });
                }
                None if at < block.len() => named.push(Stated { page, line, words: block }),
                None => {}
            }
        }
    }
    if defined.is_empty() { named } else { defined }
}

/// A page's paragraphs, items and rows, each in one line, with the line at which it begins.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut made: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (line, words) in (1..).zip(text.lines()) {
        let trimmed = words.trim();
        let is_item = trimmed.starts_with("- ") || trimmed.starts_with('|') || trimmed.starts_with('#');
        if trimmed.is_empty() {
            goes_on = false;
            continue;
        }
        match made.last_mut().filter(|_| goes_on && !is_item) {
            Some((_, block)) => {
                block.push(' ');
                block.push_str(trimmed);
            }
            None => made.push((line, trimmed.to_owned())),
        }
        goes_on = true;
    }
    made
}

/// `rule CODE…`
pub fn run(args: &RuleArgs) -> Result<Outcome, UnusableInput> {
    for code in &args.codes {
        let found = stated(code);
        if found.is_empty() {
            return Err(UnusableInput::new(format!(
                "no page states {code}: codes are as in R002.10 (a rule of the game) and A001.qq (a ruling of ours)"
            )));
        }
        for Stated { page, line, words } in found {
            say(format!("{code}  spec/{page}, line {line}: {words}"));
        }
    }
    Ok(Outcome::Sound)
}
