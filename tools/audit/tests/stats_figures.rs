//! The exact figures beside which a book is laid are those that `fairshoe-odds` computes from the engines.

use fairshoe_audit::stats::exact::{kind_of_bet, law, natural_chance, references};
use fairshoe_fairness::PlayerId;
use fairshoe_games::baccarat::{DEALS, Spot};
use fairshoe_games::blackjack::FIGURES;
use fairshoe_games::roulette::layout;
use fairshoe_games::{Chips, GameRules, Outcome, Place, RuleSet, Settlement, Wager};
use fairshoe_odds::blackjack::{Deck, Facts, Naive, Odds, Strategy, expectation};
use fairshoe_odds::{Cli, Task, baccarat};

fn line(spot: &str, stake: u64) -> Settlement {
    let player = PlayerId::parse("alice").unwrap();
    let (place, stake) = (Place::spot(spot).unwrap(), Chips::new(stake).unwrap());
    Settlement { player, place, wager: Wager::Bet, outcome: Outcome::Loss, stake, returned: Chips::ZERO }
}

#[test]
fn baccarat() {
    for (packs, counted) in (1..=8).zip(DEALS) {
        let deals = baccarat::Deals::count(packs);
        assert_eq!(counted, [deals.player, deals.banker, deals.tie], "{packs}");
        let options = [
            ("decks", &*packs.to_string()),
            ("reshuffle", "every_round"),
            ("stake_step", "1"),
            ("banker_min", "2"),
            ("stake_min", "1"),
        ]
        .map(|(name, value)| (name, value.to_owned()));
        let set = RuleSet::shipped("baccarat")
            .unwrap()
            .with_options(options.iter().map(|(name, value)| (*name, value.as_str())))
            .unwrap();
        let GameRules::Baccarat(rules) = &set.game else { panic!() };
        for (spot, stake) in Spot::ALL.into_iter().flat_map(|spot| [20, 25, 100, 101].map(|stake| (spot, stake))) {
            let edge = baccarat::edge(rules, &deals, spot, Chips::new(stake).unwrap()).unwrap().value();
            let law = law(&set, &[&line(spot.name(), stake)]).unwrap();
            assert!((law.mean + edge * stake as f64).abs() < 1e-9, "{packs} {} {stake}: {law:?} {edge}", spot.name());
            assert_eq!(kind_of_bet(&set, &line(spot.name(), stake)), Some(spot.name()));
        }
    }
}

#[test]
fn every_spot_of_roulette() {
    use clap::Parser;
    let Task::Bets(args) = Cli::parse_from(["fairshoe-odds", "roulette", "rng-roulette"]).task else { panic!() };
    let set = RuleSet::shipped("rng-roulette").unwrap();
    let spots = fairshoe_odds::bets::run(&args).unwrap().spots;
    assert_eq!((spots.len(), layout().len()), (157, 157));
    for spot in spots {
        let one = law(&set, &[&line(&spot.spot, 100)]).unwrap();
        assert!(
            (one.mean + 100.0 * spot.edge.value()).abs() < 1e-9 && (one.mean + 100.0 / 37.0).abs() < 1e-9,
            "{}",
            spot.spot
        );
        let p = f64::from(u32::try_from(spot.wins).unwrap()) / 37.0;
        let prize = spot.returns.value() * 100.0;
        assert!((one.variance - p * (1.0 - p) * prize * prize).abs() < 1e-6, "{}", spot.spot);
    }
    // Bets of one spin share its pocket: red and black together win or lose nothing but at nought.
    let both = law(&set, &[&line("red", 100), &line("black", 100)]).unwrap();
    assert!(
        (both.mean + 200.0 / 37.0).abs() < 1e-9 && (both.variance - 200.0 * 200.0 * 36.0 / 37.0 / 37.0).abs() < 1e-6,
        "{both:?}"
    );
}

fn odds(name: &str, stake: u64) -> (Odds, Deck) {
    let set = RuleSet::shipped(name).unwrap();
    let GameRules::Blackjack(rules) = &set.game else { panic!() };
    (Odds::new(rules, Chips::new(stake).unwrap()).unwrap(), Deck::packs(rules.decks))
}

#[test]
fn blackjack() {
    for figures in &FIGURES {
        let (odds, deck) = odds(figures.rule_set, figures.stake);
        let ways: [Option<Naive>; 3] = [None, Some(Naive::CopyDealer), Some(Naive::NeverBust)];
        for (way, edge) in ways.into_iter().zip(figures.edges) {
            let found = expectation(&odds, &deck, way.as_ref().map(|naive| naive as &dyn Strategy)).unwrap();
            let edge = edge as f64 / 1e4;
            assert!(
                (-100.0 * found.player - edge).abs() < 6e-5,
                "{}: {} is not {edge}",
                figures.rule_set,
                -100.0 * found.player
            );
        }
        let natural = Facts::new(&odds.rules, odds.stake).unwrap().natural.value();
        assert!((natural_chance(odds.rules.decks) - natural).abs() < 1e-15);
    }
}

#[test]
fn figures_are_for_the_options_they_were_worked_out_with() {
    for (name, figures) in [
        ("joy", 0),
        ("live-blackjack", 1),
        ("rng-blackjack", 1),
        ("six-deck", 2),
        ("six-deck-solo", 2),
        ("study-group", 3),
        ("study-group-solo", 3),
    ] {
        let set = RuleSet::shipped(name).unwrap();
        let edges: Vec<f64> = references(&set, None).iter().map(|one| one.edge * 100.0).collect();
        assert!(
            edges.iter().zip(FIGURES[figures].edges).all(|(a, b)| (a - b as f64 / 1e4).abs() < 1e-9)
                && edges.len() == 3,
            "{name}"
        );
        // What a table asks for its stakes moves nothing; what it pays does.
        let table = set.with_options([("stake_max", "777000")]).unwrap();
        assert_eq!(references(&table, None).len(), 3);
        let paid = set.with_options([("blackjack_pays", "[2,1]")]).unwrap();
        assert!(references(&paid, None).is_empty(), "{name}");
    }
    assert!(law(&RuleSet::shipped("joy").unwrap(), &[]).is_none());
}
