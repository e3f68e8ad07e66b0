//! The baccarat engine against the model of the page (R001.40 to R001.48), whole shoes of random hands and bets.
//!
//! 10,000 hands; FAIRSHOE_SLOW=1: 1,000,000.

use crate::models::baccarat;
use crate::models::cards;

use cards::{Dice, Face, Shoe};
use fairshoe_fairness::{Card, PlayerId, Slot};
use fairshoe_games::{
    Action, Bet, Chips, Dealing, FaceUnknown, Outcome, Peek, Place, Placed, RoundEvent, RuleSet, StepError, Wager,
};
use std::collections::BTreeMap;

struct Table {
    shoe: Shoe,
}

impl Dealing for Table {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        assert_eq!(lane, 0, "baccarat has one lane (C9)");
        self.shoe.next_slot(lane).map(Slot)
    }
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.shoe.face(slot.0).and_then(Card::from_code).ok_or(FaceUnknown(slot))
    }
    fn peek(&self, _: Slot, _: Peek) -> Result<bool, FaceUnknown> {
        panic!("nobody peeks in baccarat")
    }
    fn funds(&self, _: &PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        7
    }
}

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn player(number: usize) -> PlayerId {
    format!("p{number}").parse().unwrap()
}

/// Bets that the page accepts, with their spots.
fn random_bets(dice: &mut Dice) -> Vec<Bet> {
    let mut spots = ["player", "banker", "tie"];
    dice.mix(&mut spots);
    let most = [30, 200, 100_000][dice.below(3)];
    let bet = |spot: &&str| Bet { spot: (*spot).to_owned(), stake: chips(20 + dice.below(most) as u64), chips: None };
    let mut bets: Vec<Bet> = spots.iter().map(bet).collect();
    bets.truncate(1 + dice.below(3));
    bets
}

/// The page's objections to bets: the codes of all faults.
fn flaws(bets: &[Bet]) -> Vec<&'static str> {
    let mut flaws = Vec::new();
    if bets.is_empty() || bets.len() > 3 {
        flaws.push("bet_count");
    }
    for (at, bet) in bets.iter().enumerate() {
        let stake = bet.stake.units();
        let known = ["player", "banker", "tie"].contains(&bet.spot.as_str());
        let wrong = [
            (!known, "unknown_spot"),
            (bets[..at].iter().any(|other| other.spot == bet.spot), "spot_twice"),
            (stake < 1 || (bet.spot == "banker" && stake < 20), "below_minimum"),
            (stake > 100_100, "above_maximum"),
        ];
        flaws.extend(wrong.iter().filter(|(wrong, _)| *wrong).map(|(_, code)| *code));
    }
    flaws
}

/// Makes one fault, sometimes two, sometimes zero.
fn spoil(dice: &mut Dice, bets: &mut Vec<Bet>) {
    let at = dice.below(bets.len());
    match dice.below(7) {
        0 => bets.clear(),
        1 => bets[at].spot = ["Player", "banker ", "", "pair", "player:1", "dealer", "1"][dice.below(7)].into(),
        2 => bets.push(bets[at].clone()),
        3 => bets[at].stake = chips(dice.below(20) as u64),
        4 => bets[at].stake = chips(100_101 + dice.below(9) as u64),
        5 => bets[at] = Bet { spot: "banker".into(), stake: chips(19), chips: None },
        _ => bets[at].stake = chips(100_100),
    }
}

#[test]
fn the_page_takes_the_bets_that_the_engine_takes() {
    let rules =
        RuleSet::shipped("baccarat").unwrap().with_options([("stake_min", "1"), ("stake_max", "100100")]).unwrap();
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for number in cards::numbers(cards::games(5_000, 100_000)) {
        let mut dice = Dice::new(number);
        let mut bets = random_bets(&mut dice);
        spoil(&mut dice, &mut bets);
        let got = rules.check_bets(&bets, chips(1_000_000));
        let want = flaws(&bets);
        match &got {
            Ok(()) => assert!(want.is_empty(), "bets {number}: {bets:?} are not {want:?}"),
            Err(refusal) => assert!(want.contains(&refusal.code()), "bets {number}: {bets:?}: {refusal}, but {want:?}"),
        }
        *seen.entry(got.as_ref().err().map_or("taken", |refusal| refusal.code())).or_default() += 1;
        if want.is_empty() {
            let sum: u64 = bets.iter().map(|bet| bet.stake.units()).sum();
            assert!(rules.check_bets(&bets, chips(sum)).is_ok());
            assert_eq!(
                rules.check_bets(&bets, chips(sum - 1)).unwrap_err().code(),
                "insufficient_balance",
                "bets {number}"
            );
        }
    }
    println!("{seen:?}");
    if seen.values().sum::<u64>() > 1 {
        assert_eq!(seen.len(), 6, "{seen:?}");
    }
}

/// One hand, engine against page. The shoe goes on to the next hand.
fn one_hand(
    number: u64,
    rules: &RuleSet,
    table: &mut Table,
    dice: &mut Dice,
    seen: &mut BTreeMap<String, u64>,
) -> Option<usize> {
    let placed: Vec<Placed> =
        (0..1 + dice.below(8)).map(|seat| Placed { player: player(seat), bets: random_bets(dice) }).collect();
    let mut round = rules.open_round(&placed).unwrap();
    assert_eq!(round.lanes(), 1);
    let mut ahead = table.shoe.clone();
    let want = baccarat::hand(std::iter::from_fn(|| ahead.draw(0).map(|(_, face)| face)));

    let (mut drawn, mut lines) = (Vec::new(), None);
    loop {
        let staked: u64 = round.pending_stakes().iter().map(|(_, stake)| stake.units()).sum();
        let all: u64 = placed.iter().flat_map(|one| &one.bets).map(|bet| bet.stake.units()).sum();
        assert_eq!(staked, if lines.is_some() { 0 } else { all }, "hand {number}");
        let event = match round.step(table) {
            Ok(Some(event)) => event,
            Ok(None) => break,
            Err(StepError::ShoeExhausted) => {
                assert_eq!(want, None, "hand {number}: cards are left");
                *seen.entry("exhausted".into()).or_default() += 1;
                return None;
            }
            Err(other) => panic!("hand {number}: {other}"),
        };
        refuses_what_is_not_so(number, round.as_mut(), &event, dice);
        round.apply(&event).unwrap();
        match event {
            RoundEvent::Dealt { lane, slot, to, card } => {
                let (next, face) = table.shoe.draw(lane).unwrap();
                assert_eq!((slot.0, card.map(Card::code)), (next, Some(face)), "hand {number}");
                drawn.push((to.to_string() == "player", face));
                assert!(["player", "banker"].contains(&to.to_string().as_str()));
            }
            RoundEvent::Paid { lines: paid } => assert!(lines.replace(paid).is_none(), "hand {number}: paid twice"),
            other => panic!("hand {number}: {other:?}"),
        }
    }
    let want = want.unwrap_or_else(|| panic!("hand {number}: the page has too few cards"));
    assert!(round.is_settled() && round.open_decisions().is_empty());
    assert_eq!(drawn, want.drawn, "hand {number}");
    let refusal = round.accept(&player(0), 0, &Action::Stand, chips(1000)).unwrap_err();
    assert_eq!(refusal.code(), "decision_not_open");

    let paid = lines.unwrap_or_else(|| panic!("hand {number}: nothing paid"));
    let bets: Vec<(&PlayerId, &Bet)> =
        placed.iter().flat_map(|one| one.bets.iter().map(move |bet| (&one.player, bet))).collect();
    assert_eq!(paid.len(), bets.len());
    for (line, (who, bet)) in paid.iter().zip(bets) {
        let (outcome, returned) = baccarat::returns(&want, &bet.spot, bet.stake.units());
        let outcome = match outcome {
            "win" => Outcome::Win,
            "draw" => Outcome::Draw,
            _ => Outcome::Loss,
        };
        assert_eq!(
            (&line.player, line.place, line.wager),
            (who, Place::spot(&bet.spot).unwrap(), Wager::Bet),
            "hand {number}"
        );
        assert_eq!(
            (line.stake, line.outcome, line.returned.units()),
            (bet.stake, outcome, returned),
            "hand {number}: {want:?} {bet:?}"
        );
        *seen.entry(format!("{} {outcome:?}", bet.spot)).or_default() += 1;
    }
    *seen.entry(format!("{} cards", drawn.len())).or_default() += 1;
    Some(drawn.len())
}

/// Checks that the event with one change is refused and changes no state.
fn refuses_what_is_not_so(number: u64, round: &mut dyn fairshoe_games::Round, event: &RoundEvent, dice: &mut Dice) {
    let mut forged = event.clone();
    match &mut forged {
        RoundEvent::Dealt { lane, to, card, .. } => match dice.below(3) {
            0 => *lane = 1,
            1 => *card = None,
            _ => {
                *to = if to.to_string() == "player" {
                    Place::spot("banker").unwrap()
                } else {
                    Place::spot("player").unwrap()
                }
            }
        },
        RoundEvent::Paid { lines } => {
            let at = dice.below(lines.len());
            match dice.below(3) {
                0 => lines[at].returned = chips(lines[at].returned.units() + 1),
                1 => lines[at].stake = chips(lines[at].stake.units() + 1),
                _ => drop(lines.remove(at)),
            }
        }
        _ => return,
    }
    let before = round.view_json().get().to_owned();
    assert!(round.apply(&forged).is_err(), "hand {number}: {forged:?} for {event:?}");
    assert_eq!(round.view_json().get(), before);
}

#[test]
fn the_engine_agrees_with_the_page_on_random_shoes() {
    let rules =
        RuleSet::shipped("baccarat").unwrap().with_options([("stake_min", "1"), ("stake_max", "100100")]).unwrap();
    let mut seen = BTreeMap::new();
    let hands = cards::games(10_000, 1_000_000);
    let (mut played, mut shoe_number) = (0, 0);
    while played < hands {
        shoe_number += 1;
        let mut dice = Dice::new(shoe_number);
        let pile: Vec<Face> = cards::random_pile(&mut dice, 8);
        let mut order: Vec<u16> = (0..416).collect();
        dice.mix(&mut order);
        let mut table = Table { shoe: Shoe::new(pile, order, 1) };
        let mut dealt = 0;
        loop {
            played += 1;
            let count = one_hand(played, &rules, &mut table, &mut dice, &mut seen).unwrap();
            dealt += count;
            // A001.w: after the hand in which one of the last 7 cards was drawn.
            let due = rules.table.reshuffle.is_due(416 - dealt);
            assert_eq!(due, dealt > 409, "{dealt} dealt");
            if due {
                break;
            }
        }
        // A shoe that runs out gives an error, not a hand (C13).
        while one_hand(played, &rules, &mut table, &mut dice, &mut seen).is_some() {}
    }
    println!("{played} hands, {shoe_number} shoes: {seen:?}");
    for (what, least) in [
        ("4 cards", 2000),
        ("5 cards", 2000),
        ("6 cards", 2000),
        ("tie Win", 1000),
        ("banker Draw", 1000),
        ("exhausted", 100),
    ] {
        assert!(seen.get(what).is_some_and(|count| *count >= least), "{what}: {seen:?}");
    }
}

/// Every total against every third card, from the table and not by chance. Apart from suits and the split of a total,
/// these are all hands.
#[test]
fn the_engine_agrees_with_the_page_on_every_hand_of_counts() {
    let rules = RuleSet::shipped("baccarat").unwrap();
    let counts: [Face; 10] = [9, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let mut hands = 0_u32;
    for number in 0..1_000_000_u32 {
        let digits: Vec<usize> = (0..6).map(|at| (number / 10_u32.pow(at) % 10) as usize).collect();
        // The players' first cards are fixed: only totals count.
        if digits[0] != 0 || digits[1] != 0 {
            continue;
        }
        let pile: Vec<Face> = digits.iter().map(|digit| counts[*digit]).collect();
        let want = baccarat::hand(pile.iter().copied()).unwrap();
        let placed =
            [Placed { player: player(0), bets: vec![Bet { spot: "tie".into(), stake: chips(100), chips: None }] }];
        let mut round = rules.open_round(&placed).unwrap();
        let mut table = Table { shoe: Shoe::in_order(pile) };
        let mut drawn = Vec::new();
        while let Some(event) = round.step(&table).unwrap() {
            round.apply(&event).unwrap();
            if let RoundEvent::Dealt { to, .. } = event {
                drawn.push((to.to_string() == "player", table.shoe.draw(0).unwrap().1));
            }
        }
        assert_eq!(drawn, want.drawn);
        hands += 1;
    }
    assert_eq!(hands, 10_000);
}
