//! Logs of every rule set that ships, as it ships: rounds played by chance at a table of each, a restart in the middle
//! of one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::crowd::{CROWD, Crowd};
use crate::common::*;
use fairshoe_games::{Edge, GameRules, Mode, Reshuffle, RuleSet, SHIPPED_RULE_SETS};
use fairshoe_house::{Actor, Command};

/// Each file's name and text: the shared tables of card games and wheels, the solo ones, the cash tables.
pub fn files() -> Vec<(&'static str, String)> {
    let cash = |rules: &RuleSet| matches!(rules.game, GameRules::Poker(_));
    let table_game = |rules: &RuleSet| !matches!(rules.game, GameRules::Poker(_) | GameRules::Safe(_));
    vec![
        of("entries-sets.json", 1, |rules| table_game(rules) && rules.table.mode == Mode::Shared),
        of("entries-solo.json", 2, |rules| table_game(rules) && rules.table.mode == Mode::Solo),
        of("entries-cash.json", 3, cash),
    ]
}

fn of(file: &'static str, seed: u64, of_file: impl Fn(&RuleSet) -> bool) -> (&'static str, String) {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in CROWD {
        w.house.add_player(who, 1_000_000);
    }
    let mut crowd = Crowd::at(w.house, rng::Rng(seed));
    let mut accounts = vec!["cage".to_owned(), "house".to_owned()];
    for (name, rules) in SHIPPED_RULE_SETS
        .iter()
        .map(|(name, _)| (*name, RuleSet::shipped(name).unwrap()))
        .filter(|(_, rules)| of_file(rules))
    {
        if matches!(rules.game, GameRules::Poker(_)) && accounts.len() == 2 {
            accounts.push("rake".into());
        }
        play(&mut crowd, name, rules);
    }
    accounts.extend(CROWD.map(|who| format!("player:{who}")));
    w.house = crowd.house;
    let about = "A whole log with a table of each shipped rule set, played by chance, a restart in each; spec/games/. Fields as in entries-joy.json.";
    (file, w.text(file, about, "", &accounts.iter().map(String::as_str).collect::<Vec<_>>()))
}

/// Two rounds to the end, the second with a restart on the way; then the table is closed.
fn play(crowd: &mut Crowd, name: &str, rules: RuleSet) {
    let lasts = !matches!(rules.table.reshuffle, Reshuffle::EveryRound) && !rules.composition().is_wheel();
    let day = rules.table.reveal_time_ms > 300_000;
    // A coup and a spin are over as soon as they begin.
    let asks = !matches!(rules.edge(), Edge::OfBets(_));
    crowd.house.now += 1_500;
    if rules.table.mode == Mode::Solo && (lasts || day) {
        crowd.house.open_own("alice", name, rules);
    } else {
        crowd.house.open_rules(name, rules);
    }
    let mut restarted = false;
    let rounds = |crowd: &Crowd| crowd.house.table(name).next_round;
    for _ in 0..400 {
        crowd.house.wait(700);
        crowd.play_at(name);
        crowd.house.run_due();
        let (played, live) = (rounds(crowd), crowd.house.table(name).live_round().is_some());
        if played == 2
            && live
            && !restarted
            && (!asks || crowd.house.table(name).live_round().is_some_and(|round| round.was_dealt()))
        {
            restarted = true;
            crowd.house.now += 3_000;
            crowd.house.crash();
            crowd.house.run_due();
        }
        if played >= 3 && !live {
            break;
        }
    }
    crowd.house.wait(1_500);
    for who in CROWD {
        crowd.house.leave(name, who).ok();
    }
    crowd.house.run_due();
    crowd.give(&Actor::Operator, Command::CloseTable { table: table(name) });
}
