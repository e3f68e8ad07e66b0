//! Logs of every rule set that ships, as it ships: rounds played by chance at a table of each, a restart in the middle
//! of one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book;
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
    let mut house = House::new();
    for who in CROWD {
        house.add_player(who, 1_000_000);
    }
    let mut crowd = Crowd::at(house, rng::Rng(seed));
    let sets = SHIPPED_RULE_SETS.iter().map(|(name, _)| (*name, RuleSet::shipped(name).unwrap()));
    for (name, rules) in sets.filter(|(_, rules)| of_file(rules)) {
        play(&mut crowd, name, rules);
    }
    (file, book::text(file, &crowd.house))
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
