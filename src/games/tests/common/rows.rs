//! Rounds of blackjack as rows: `bets[/balance] | shoe | actions | claims`.

use super::boxes::{Play, bets, course, join};
use super::{cards, drawn, refusal, trace};
use fairshoe_games::script::Course;
use fairshoe_games::{Chips, Illegal, RuleSet};

/// Tests whose rounds are rows, at the rule set that is named first.
macro_rules! rounds {
    ($set:literal: $($(#[$doc:meta])* fn $name:ident() $rows:literal;)*) => {
        $($(#[$doc])* #[test] fn $name() { $crate::common::rows::check($set, $rows) })*
    };
}
pub(crate) use rounds;

/// The claims of a row stand between ` & `:
/// `10 20[, 0 0 …]`: staked and returned by player, and the round draws exactly the cards given; `refused CODE`;
/// `is`, `starts`, `ends`, `has`, `lacks`: of the trace; `asks 0@1/1:insurance-5[ …]`: the open decisions, or the words of
/// the only one, or `nothing`; `ahead house`; `lanes 3`; `pending 30[, 10 …]` by player.
///
/// The balance holds the stakes too. An action `2:hit` is of decision 2, another one of the first that is open; `lapse` is
/// the clock's. `<a; b>` is a row for each; several of them in a row go together. A line `@ [SET] [NAME=VALUE …]` is the
/// rule set of the rows after it, a column of that kind before the others that of its row.
pub fn check(set: &str, text: &str) {
    let mut rules = rules_of(set, "");
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        match (line.strip_prefix('@'), line.contains('|')) {
            (Some(words), false) => rules = rules_of(set, words),
            (None, _) => each(line).iter().for_each(|row| check_row(&rules, row)),
            (Some(words), true) => each(words).iter().for_each(|row| {
                let (words, row) = row.split_once('|').unwrap();
                check_row(&rules_of(set, words), row);
            }),
        }
    }
}

/// A shipped rule set with options: `[SET] [NAME=VALUE …]`.
pub fn rules_of(set: &str, words: &str) -> RuleSet {
    let words: Vec<&str> = words.split_whitespace().collect();
    let named = words.first().filter(|word| !word.contains('='));
    let options = words[usize::from(named.is_some())..].iter().map(|word| word.split_once('=').unwrap());
    super::rules_with(named.unwrap_or(&set), &options.collect::<Vec<_>>())
}

/// A row for each of its alternatives.
pub fn each(line: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    for (at, part) in line.split(['<', '>']).enumerate() {
        let choices: Vec<&str> = if at % 2 == 1 { part.split(';').map(str::trim).collect() } else { vec![part] };
        if rows.len() == 1 {
            rows.resize(choices.len(), rows[0].clone());
        }
        assert!(choices.len() == 1 || choices.len() == rows.len(), "alternatives of one number: {line}");
        rows.iter_mut().zip(choices.iter().cycle()).for_each(|(row, choice)| row.push_str(choice));
    }
    rows
}

/// The round as far as the actions lead.
fn driven(rules: &RuleSet, money: &str, shoe: &str, acts: &str) -> Result<Play, Illegal> {
    let (money, balance) = money.split_once('/').unwrap_or((money, "1000000"));
    let placed = bets(money);
    let mut play = Play::new(rules, &placed, balance.parse().unwrap(), cards(shoe));
    for one in &placed {
        let staked = Chips::sum(one.bets.iter().map(|bet| bet.stake)).unwrap();
        let funds = play.table.funds.get_mut(&one.player).unwrap();
        *funds = funds.minus(staked).unwrap();
    }
    play.run();
    for act in acts.split_whitespace() {
        let (number, word) = match act.split_once(':') {
            Some((number, word)) => (number.parse().unwrap(), word),
            None => (play.round.open_decisions().first().map_or(0, |open| open.number), act),
        };
        if word == "lapse" {
            play.lapse(number);
        } else {
            play.act(number, word)?;
        }
    }
    Ok(play)
}

fn check_row(rules: &RuleSet, row: &str) {
    let columns: Vec<&str> = row.split('|').map(str::trim).collect();
    let [money, shoe, acts, claims] = columns[..] else { panic!("four columns: {row}") };
    let claims: Vec<(&str, &str)> =
        claims.split(" & ").map(|claim| claim.split_once(' ').unwrap_or((claim, ""))).collect();
    let is_driven = |(word, _): &(&str, &str)| ["asks", "ahead", "lanes", "pending"].contains(word);
    if claims.iter().any(is_driven) || acts.contains("lapse") || acts.contains(':') {
        match driven(rules, money, shoe, acts) {
            Ok(play) => claims.iter().for_each(|claim| check_driven(&play, *claim, row)),
            Err(illegal) => assert_eq!([("refused", illegal.code())], claims[..], "{row}"),
        }
        return;
    }
    match course(rules, money, shoe, acts) {
        Ok(course) => claims.iter().for_each(|claim| check_course(&course, cards(shoe).len(), *claim, row)),
        Err(error) => assert_eq!([("refused", refusal(error).as_str())], claims[..], "{row}"),
    }
}

fn check_course(course: &Course, given: usize, (word, rest): (&str, &str), row: &str) {
    if word.parse::<u64>().is_err() {
        return check_trace(&trace(&course.events), word, rest, row);
    }
    assert_eq!(drawn(&course.events), given, "cards drawn: {row}");
    let paid = join(course.players.iter().map(|(_, staked, returned)| format!("{staked} {returned}")));
    assert_eq!(paid, format!("{word} {rest}"), "{row}");
}

fn check_driven(play: &Play, (word, rest): (&str, &str), row: &str) {
    let got = match word {
        "asks" if rest == "nothing" || rest.contains('@') => play.open(),
        "asks" => play.open().split_once(':').map_or_else(String::new, |(_, words)| words.to_owned()),
        "ahead" => format!("{:?}", play.round.ahead()).to_lowercase(),
        "lanes" => play.round.lanes().to_string(),
        "pending" => join(play.round.pending_stakes().iter().map(|(_, stake)| stake)),
        _ => return check_trace(&play.trace(), word, rest, row),
    };
    assert_eq!(got, if rest == "nothing" { "" } else { rest }, "{row}");
}

fn check_trace(trace: &str, word: &str, rest: &str, row: &str) {
    let holds = match word {
        "is" => trace == rest,
        "starts" => trace.starts_with(rest),
        "ends" => trace.ends_with(rest),
        "has" => trace.contains(rest),
        "lacks" => !trace.contains(rest),
        _ => panic!("`{word}` is no claim: {row}"),
    };
    assert!(holds, "{row}: {trace}");
}
