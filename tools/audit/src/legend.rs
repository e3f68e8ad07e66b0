//! What codes stand for, in the words of the pages that state them: rules and rulings (R002.10, A001.qq), and the
//! checks of a verifier (`inclusion`). The build script of the page takes this file in too: a code on a page leads there.

use std::collections::BTreeMap;

/// The pages that state rules, by name. Where several name a code, an earlier one is told first.
const PAGES: [(&str, &str); 16] = [
    ("games/blackjack.md", include_str!("../../../spec/games/blackjack.md")),
    ("games/baccarat.md", include_str!("../../../spec/games/baccarat.md")),
    ("games/dragon-tiger.md", include_str!("../../../spec/games/dragon-tiger.md")),
    ("games/roulette.md", include_str!("../../../spec/games/roulette.md")),
    ("games/sic-bo.md", include_str!("../../../spec/games/sic-bo.md")),
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

const AUDIT: &str = include_str!("../../../spec/audit.md");

/// Where a page says something of a code.
pub struct Stated {
    pub page: &'static str,
    /// Counted from 1.
    pub line: usize,
    pub words: String,
}

/// The codes that a text names, each once: R000.1 to R999.999 (a rule of the game), A000.a (a ruling of ours), C1.
pub fn codes_in(text: &str) -> Vec<&str> {
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

/// How a block speaks of a code.
enum Told {
    /// It says what the code means, in these words.
    Defined(String),
    /// It names it.
    Named,
}

fn told(block: &str, code: &str) -> Option<Told> {
    place(block, code)?;
    // A row that names the test of a rule states none.
    if block.starts_with('|') && block.contains("::") {
        return None;
    }
    let bold = format!("**{code}");
    let begins = block.find(&bold).filter(|at| place(block.get(*at..).unwrap_or_default(), code) == Some(2));
    let Some(rest) = begins.and_then(|at| block.get(at..)) else { return Some(Told::Named) };
    // Up to where the next one begins.
    let inner = rest.get(bold.len()..).unwrap_or_default();
    let next = ["**R", "**A", "**C"].iter().filter_map(|mark| inner.find(mark)).min();
    let words = rest.get(..next.map_or(rest.len(), |next| next.saturating_add(bold.len())));
    Some(Told::Defined(words.unwrap_or(rest).trim().to_owned()))
}

/// What the pages say of each code: the sentences that it stands before (`**R002.10** …`), else those that name it; of a
/// check what does not hold where it fails.
pub fn all() -> BTreeMap<String, Vec<Stated>> {
    let mut found: BTreeMap<String, (Vec<Stated>, Vec<Stated>)> = BTreeMap::new();
    for (page, text) in PAGES {
        for (line, block) in blocks(text) {
            for code in codes_in(&block) {
                let (defined, named) = found.entry(code.to_owned()).or_default();
                match told(&block, code) {
                    Some(Told::Defined(words)) => defined.push(Stated { page, line, words }),
                    Some(Told::Named) => named.push(Stated { page, line, words: block.clone() }),
                    None => {}
                }
            }
        }
    }
    let rules =
        found.into_iter().map(|(code, (defined, named))| (code, if defined.is_empty() { named } else { defined }));
    let checks = checks().map(|(code, stated)| (code.to_owned(), vec![stated]));
    rules.chain(checks).filter(|(_, stated)| !stated.is_empty()).collect()
}

/// The checks of a verifier, each with what does not hold: the rows of audit.md, "Findings".
pub fn checks() -> impl Iterator<Item = (&'static str, Stated)> {
    let lines = (1..).zip(AUDIT.lines()).skip_while(|(_, line)| *line != "## Findings").skip(1);
    lines.take_while(|(_, line)| !line.starts_with("## ")).filter_map(|(line, row)| {
        let (code, words) = row.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | ")?;
        Some((code, Stated { page: "audit.md", line, words: words.to_owned() }))
    })
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
