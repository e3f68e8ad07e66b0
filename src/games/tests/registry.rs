//! Properties that every game must have.

use crate::spots::*;
use fairshoe_games::{Bet, Chips, Edge, GAMES, OPENED_FIRST, RuleSet, SHIPPED_RULE_SETS};
use std::collections::BTreeSet;

fn shipped() -> impl Iterator<Item = RuleSet> {
    SHIPPED_RULE_SETS.iter().map(|(name, _)| RuleSet::shipped(name).unwrap())
}

#[test]
fn every_game_ships_rule_sets_and_a_first_start_opens_a_table_of_each() {
    let all: BTreeSet<&str> = shipped().map(|rules| rules.game.word()).collect();
    let opened: BTreeSet<&str> = OPENED_FIRST.iter().map(|name| RuleSet::shipped(name).unwrap().game.word()).collect();
    assert_eq!((all, opened), (GAMES.iter().copied().collect(), GAMES.iter().copied().collect()));
    let names: BTreeSet<&str> = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), SHIPPED_RULE_SETS.len(), "two games ship a rule set of one name");
    for rules in shipped() {
        // The folder's name is the game's word in rule sets.
        assert!(serde_json::to_value(&rules.game).unwrap().get(rules.game.word()).is_some(), "{}", rules.name);
    }
}

#[test]
fn a_bet_can_be_placed_on_every_spot_that_a_game_names_and_on_no_other() {
    for rules in shipped() {
        let place_bets = |spot: &str| {
            rules.check_bets(&[Bet { spot: spot.to_owned(), stake: rules.table.stake_max, chips: None }], Chips::MAX)
        };
        let spots = rules.spots();
        assert_eq!(spots.is_empty(), rules.cash().is_some(), "{}", rules.name);
        for spot in &spots {
            place_bets(spot).unwrap_or_else(|e| panic!("{}: {spot}: {e}", rules.name));
        }
        for other in ["0", "01", "nowhere", "99"]
            .into_iter()
            .chain(["1", "player", "straight:17"].into_iter().filter(|s| !spots.contains(&(*s).to_owned())))
        {
            assert!(place_bets(other).is_err(), "{}: {other}", rules.name);
        }
        let distinct: BTreeSet<&String> = spots.iter().collect();
        assert_eq!(distinct.len(), spots.len(), "{}", rules.name);
    }
}

#[test]
fn the_ways_of_a_wheel_are_what_the_engine_pays_in_each_pocket() {
    let wheels = shipped().filter(|rules| rules.composition().is_wheel() && rules.table.seats == 1);
    for rules in wheels {
        let Edge::OfBets(odds) = rules.edge() else { panic!("{}", rules.name) };
        for spot in rules.spots() {
            let ways = odds.ways(&[(&spot, chips(100))]).unwrap();
            for (pocket, (win, _)) in ways.into_iter().enumerate() {
                let back = returns(&rules, &format!("{spot}=100"), Given::pocket(u8::try_from(pocket).unwrap()));
                assert_eq!(back, (win + 100).to_string(), "{}: {spot} in {pocket}", rules.name);
            }
        }
    }
}

#[test]
fn nobody_wins_more_on_a_unit_than_the_game_says() {
    // For games that chance alone decides, every way is known.
    let stake = Chips::new(1_000).unwrap();
    let mut checked = 0;
    for rules in shipped() {
        let Edge::OfBets(odds) = rules.edge() else { continue };
        for spot in rules.spots() {
            let most = rules.most_won(&Bet { spot: spot.clone(), stake, chips: None }, 1);
            let best = odds.ways(&[(&spot, stake)]).unwrap().into_iter().map(|(win, _)| win).max().unwrap();
            // A commission takes a part of the whole unit.
            assert!(
                best <= most * 1_000 && best > (most - 1) * 1_000,
                "{}: {spot} wins {best}, said to be {most} units",
                rules.name
            );
            assert!(odds.kind(&spot).is_some() && odds.kind("nowhere").is_none());
            checked += 1;
        }
    }
    assert_eq!(checked, 2 * 3 + 3 * 157 + 2 * 4 + 2 * 50);
}
