//! The roulette engine against the model of the page (R001.70 to R001.72, A001.jj, A001.kk, A001.rr): every spot with
//! every pocket, thousands of random slips, and every spot that the layout does not have.
//!
//! 5,000 spins; FAIRSHOE_SLOW=1: 1,000,000. FAIRSHOE_GAME=n plays spin n alone.

use crate::models::cards;
use crate::models::roulette;

use cards::Dice;
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{
    Action, Bet, Chips, Dealing, FaceUnknown, Outcome, Peek, Place, Placed, Round, RoundEvent, RuleSet, Settlement,
    Spin, StepError, Wager,
};
use std::collections::{BTreeMap, BTreeSet};

struct Wheel(Option<Spin>);

impl Dealing for Wheel {
    fn next_slot(&self, _: u16) -> Option<Slot> {
        None
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        Err(FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, _: Peek) -> Result<bool, FaceUnknown> {
        Err(FaceUnknown(slot))
    }
    fn funds(&self, _: &PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        7
    }
    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(self.0)
    }
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn player(number: usize) -> PlayerId {
    format!("p{number}").parse().unwrap()
}

fn spin(dice: &mut Dice, pocket: u8) -> Spin {
    let value = dice.below(37) as u8;
    Spin { slot: Slot(dice.below(4096) as u16), value, pocket }
}

fn bet(spot: &str, stake: u64) -> Bet {
    Bet { spot: spot.to_owned(), stake: chips(stake), chips: None }
}

/// Spins once and returns the lines. It checks all automatic events on the way.
fn play(rules: &RuleSet, placed: &[Placed], wheel: Spin) -> Vec<Settlement> {
    let mut round = rules.open_round(placed).unwrap();
    assert_eq!(round.lanes(), 1);
    let all: u64 = placed.iter().flat_map(|one| &one.bets).map(|bet| bet.stake.units()).sum();
    let staked = |round: &dyn Round| round.pending_stakes().iter().map(|(_, stake)| stake.units()).sum::<u64>();
    assert_eq!(staked(round.as_ref()), all);
    // R001.142: a spin needs a slot.
    assert_eq!(round.step(&Wheel(None)).unwrap_err(), StepError::ShoeExhausted);
    let spun = round.step(&Wheel(Some(wheel))).unwrap().unwrap();
    assert_eq!(spun, RoundEvent::Spun { slot: wheel.slot, value: wheel.value, pocket: wheel.pocket });
    let before = round.view_json().get().to_owned();
    let beyond = RoundEvent::Spun { slot: wheel.slot, value: wheel.value, pocket: 37 };
    assert!(round.apply(&beyond).is_err());
    assert_eq!(round.view_json().get(), before);
    round.apply(&spun).unwrap();
    assert_eq!(staked(round.as_ref()), all);
    let RoundEvent::Paid { lines } = round.step(&Wheel(None)).unwrap().unwrap() else {
        panic!("not paid after the spin")
    };
    for (at, returned) in [(0, 1), (lines.len() - 1, 36)] {
        let mut forged = lines.clone();
        forged[at].returned = chips(forged[at].returned.units() + returned);
        assert!(round.apply(&RoundEvent::Paid { lines: forged }).is_err());
    }
    assert!(round.apply(&spun).is_err(), "one spin a round");
    round.apply(&RoundEvent::Paid { lines: lines.clone() }).unwrap();
    assert!(round.is_settled() && staked(round.as_ref()) == 0 && round.step(&Wheel(Some(wheel))).unwrap().is_none());
    assert_eq!(round.accept(&player(0), 0, &Action::Stand, chips(9)).unwrap_err().code(), "decision_not_open");
    lines
}

fn check(line: &Settlement, who: &PlayerId, place: &roulette::LayoutBet, stake: u64, pocket: u8) {
    let returned = roulette::returns(place, pocket, stake);
    let outcome = if returned > 0 { Outcome::Win } else { Outcome::Loss };
    let want = Settlement {
        player: who.clone(),
        place: Place::spot(&place.name()).unwrap(),
        wager: Wager::Bet,
        outcome,
        stake: chips(stake),
        returned: chips(returned),
    };
    assert_eq!(*line, want, "pocket {pocket}");
}

#[test]
fn every_spot_in_every_pocket() {
    let rules = RuleSet::shipped("rng-roulette").unwrap().with_options([("bets_per_player", "157")]).unwrap();
    let layout = roulette::layout();
    let mut dice = Dice::new(0);
    assert_eq!(
        layout.len(),
        37 + 60 + 14 + 23 + 11 + 3 + 3 + 6,
        "straights, splits, streets, corners, lines, dozens, columns, even chances"
    );
    for pocket in 0..=36 {
        let bets: Vec<Bet> = layout.iter().enumerate().map(|(at, place)| bet(&place.name(), 100 + at as u64)).collect();
        let placed = [Placed { player: player(0), bets }];
        let lines = play(&rules, &placed, spin(&mut dice, pocket));
        assert_eq!(lines.len(), layout.len());
        for (at, (line, place)) in lines.iter().zip(&layout).enumerate() {
            check(line, &player(0), place, 100 + at as u64, pocket);
        }
    }
}

#[test]
fn the_engine_agrees_with_the_page_on_random_slips() {
    let rules = RuleSet::shipped("roulette").unwrap().with_options([("stake_min", "1")]).unwrap();
    let layout = roulette::layout();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for number in cards::numbers(cards::games(5_000, 1_000_000)) {
        let mut dice = Dice::new(number);
        let mut slips: Vec<(PlayerId, Vec<(&roulette::LayoutBet, u64)>)> = Vec::new();
        for seat in 0..1 + dice.below(8) {
            let mut slip = Vec::new();
            let mut left: Vec<&roulette::LayoutBet> = layout.iter().collect();
            let most = if dice.one_in(8) { 25 } else { 6 };
            for _ in 0..1 + dice.below(most) {
                let most = dice.of(&[3, 100, 50_000]);
                slip.push((left.swap_remove(dice.below(left.len())), 1 + dice.below(most) as u64));
            }
            slips.push((player(seat), slip));
        }
        let bets = |slip: &Vec<(&roulette::LayoutBet, u64)>| {
            slip.iter().map(|(place, stake)| bet(&place.name(), *stake)).collect()
        };
        let placed: Vec<Placed> =
            slips.iter().map(|(who, slip)| Placed { player: who.clone(), bets: bets(slip) }).collect();
        let pocket = dice.below(37) as u8;
        let lines = play(&rules, &placed, spin(&mut dice, pocket));
        let flat: Vec<_> =
            slips.iter().flat_map(|(who, slip)| slip.iter().map(move |(place, stake)| (who, *place, *stake))).collect();
        assert_eq!(lines.len(), flat.len(), "spin {number}");
        for (line, (who, place, stake)) in lines.iter().zip(flat) {
            check(line, who, place, stake, pocket);
            let outcome = if line.outcome == Outcome::Win { "won" } else { "lost" };
            *seen.entry(format!("{} {outcome}", place.kind)).or_default() += 1;
        }
        *seen.entry("spins".into()).or_default() += 1;
    }
    println!("{seen:?}");
    if seen["spins"] > 1 {
        assert_eq!(seen.len(), 2 * 13 + 1, "{seen:?}");
    }
}

/// Every name of the right form that is not on the layout is refused: the five-number bet, corners across streets,
/// dozens of thirteen.
#[test]
fn no_spot_that_the_layout_does_not_have() {
    let rules = RuleSet::shipped("roulette").unwrap();
    let names: BTreeSet<String> = roulette::layout().iter().map(roulette::LayoutBet::name).collect();
    let mut tried = BTreeSet::new();
    for a in 0..=38_u8 {
        for kind in
            ["straight", "split", "street", "corner", "line", "dozen", "column", "red", "number", "basket", "top-line"]
        {
            tried.extend([
                format!("{kind}:{a}"),
                format!("{kind}:0{a}"),
                format!("{kind} {a}"),
                format!("{kind}:{a}-"),
                format!("{kind}:-{a}"),
            ]);
            let inside = ["split", "street", "corner", "line"].contains(&kind);
            for b in (0..=38_u8).filter(|b| b.abs_diff(a) < 6 || ((a + b) % 7 == 0 && inside)) {
                tried.insert(format!("{kind}:{a}-{b}"));
                for c in [b + 1, b + 2, a] {
                    tried.insert(format!("{kind}:{a}-{b}-{c}"));
                    tried.extend([c + 1, c + 2, c + 3].map(|d| format!("{kind}:{a}-{b}-{c}-{d}")));
                }
            }
        }
    }
    tried.extend(
        [
            "",
            "red",
            "Red",
            "black",
            "green",
            "even",
            "odd",
            "low",
            "high",
            "1-18",
            "19-36",
            "corner:0-1-2-3",
            "line:0-3",
        ]
        .map(String::from),
    );
    tried.extend(
        ["five:0-00-1-2-3", "straight:00", "straight:37", "five:0-1-2-3", "dealer", "1", "split:2-1"].map(String::from),
    );
    for spot in &tried {
        let got = rules.check_bets(&[bet(spot, 100)], chips(1000));
        match names.contains(spot) {
            true => assert!(got.is_ok(), "{spot}: {got:?}"),
            false => assert_eq!(got.unwrap_err().code(), "unknown_spot", "{spot}"),
        }
    }
    assert!(names.iter().all(|name| tried.contains(name)));
    println!("{} names tried, {} on the layout", tried.len(), names.len());

    for (bets, balance, code) in [
        (vec![bet("red", 99)], 9999, "below_minimum"),
        (vec![bet("red", 50_001)], 99_999, "above_maximum"),
        (vec![bet("red", 100), bet("red", 100)], 9999, "spot_twice"),
        (vec![bet("red", 100), bet("black", 100)], 199, "insufficient_balance"),
        (vec![], 9999, "bet_count"),
    ] {
        assert_eq!(rules.check_bets(&bets, chips(balance)).unwrap_err().code(), code);
    }
}
