//! Coups, spins and throws as rows: `bets[/balance] | what comes up | claim`.

use super::{Given, bets, chips, course, paid, placed};
use crate::common::rows::{each, rules_of};
use fairshoe_games::{Ahead, RoundEvent, RuleSet, RuleSetError};

/// Tests that are rows, at the rule set that is named first.
macro_rules! coups {
    ($set:literal: $($(#[$doc:meta])* fn $name:ident() $rows:literal;)*) => {
        $($(#[$doc])* #[test] fn $name() { $crate::spots::check($set, $rows) })*
    };
}
pub(crate) use coups;

/// What comes up is cards as they are drawn, a pocket, or dice as `4-4-2`. Bets are ann's, or `ann: red=1, bob: odd=1`.
///
/// A claim is what comes back for each of ann's bets: `200 0`; `pays ann player draw 100, …`; `ahead house`, when all that
/// comes up lies there; `taken` or `refused CODE`, as the bets are placed. `<a; b>` is a row for each, as in
/// `common::rows`. `@ NAME=VALUE …` are options of the rows after it, and with `| contradiction REASON` or `| possible`
/// whether there may be such a rule set.
pub fn play(set: &str, text: &str) {
    let mut rules = rules_of(set, "");
    // In a raw string nobody else joins what is continued.
    let text = text.split("\\\n").map(str::trim_start).collect::<String>();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    for row in lines.flat_map(each) {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        match (columns[0].strip_prefix('@'), &columns[1..]) {
            (Some(words), []) => rules = rules_of(set, words),
            (Some(words), [claim]) => check_options(set, words, claim, &row),
            (None, [up, claim]) => check_row(&rules, columns[0], up, claim, &row),
            _ => panic!("no row: {row}"),
        }
    }
}

fn check_options(set: &str, words: &str, claim: &str, row: &str) {
    let options = words.split_whitespace().map(|word| word.split_once('=').unwrap());
    match (RuleSet::shipped(set).unwrap().with_options(options), claim.strip_prefix("contradiction ")) {
        (Err(RuleSetError::Contradiction(why)), Some(reason)) => assert!(why.contains(reason), "{row}: {why}"),
        (result, _) => assert!(result.is_ok() && claim == "possible", "{row}: {result:?}"),
    }
}

fn check_row(rules: &RuleSet, money: &str, up: &str, claim: &str, row: &str) {
    let (list, balance) = money.split_once('/').unwrap_or((money, "1000000"));
    let text = if list.contains(": ") { list.replace(", ", " | ") } else { format!("ann: {list}") };
    let table = match up.split('-').map(str::parse::<u8>).collect::<Result<Vec<_>, _>>().as_deref() {
        Ok([pocket]) => Given::pocket(*pocket),
        Ok([one, two, three]) => Given::pocket(36 * (one - 1) + 6 * (two - 1) + three - 1),
        _ => Given::shoe(up),
    };
    let (word, rest) = claim.split_once(' ').unwrap_or((claim, ""));
    let got = match word {
        "taken" | "refused" => match rules.check_bets(&bets(list), chips(balance.parse().unwrap())) {
            Ok(()) => "taken".to_owned(),
            Err(refusal) => format!("refused {}", refusal.code()),
        },
        "pays" => format!("pays {}", paid(rules, &text, table)),
        "ahead" => format!("ahead {:?}", ahead(rules, &text, table)).to_lowercase(),
        _ => {
            let (events, _) = course(rules, &placed(&text), table).unwrap();
            super::lines(&events).iter().map(|line| line.returned.to_string()).collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(got, claim, "{row} {rest}");
}

/// Before the cards given or the pocket lie there, nobody is.
fn ahead(rules: &RuleSet, text: &str, mut table: Given) -> Ahead {
    let mut round = rules.open_round(&placed(text)).unwrap();
    assert_eq!(round.ahead(), Ahead::Nobody);
    let up = table.cards.len() + usize::from(table.spin.is_some());
    for _ in 0..up {
        let event = round.step(&table).unwrap().unwrap();
        assert!(matches!(event, RoundEvent::Dealt { .. } | RoundEvent::Spun { .. }));
        round.apply(&event).unwrap();
        table.drawn += 1;
    }
    round.ahead()
}
