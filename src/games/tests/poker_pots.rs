//! Pots and splits against an oracle that counts single chips (spec/games/poker.md, "Pots").

use fairshoe_fairness::Card;
use fairshoe_games::Chips;
use fairshoe_games::poker::rank::Family;
use fairshoe_games::poker::{
    BettingRule, Contribution, HandRules, OddChips, Rake, Reopening, SettleError, Shown, layer, settle,
};

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn rules() -> HandRules {
    HandRules {
        family: Family::Holdem,
        hi_lo: false,
        betting: BettingRule::NoLimit { min_bet: chips(2) },
        full_blind: true,
        ante_layers: true,
        reopening: Reopening::Full,
        odd_chips: OddChips::OneEach,
        rake: None,
    }
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

fn put_in(layered: u64, dead: u64, in_hand: bool) -> Contribution {
    Contribution { layered: chips(layered), dead: chips(dead), in_hand }
}

/// Our own generator, so that the situations are the same on every machine.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Each seat's win, counted chip by chip, without layers or sorting.
fn oracle(contributions: &[Contribution], strengths: &[u16], odd: OddChips) -> Vec<u64> {
    let units = |c: &Contribution| c.layered.units();
    let count = contributions.len();
    let mut won = vec![0; count];
    // The owners of a chip at each height; chips above the second largest go back at once.
    let top = contributions.iter().map(units).max().unwrap();
    let mut piles: Vec<(Vec<usize>, u64)> = Vec::new();
    let everyone: Vec<usize> = (0..count).filter(|&seat| contributions[seat].in_hand).collect();
    let dead: u64 = contributions.iter().map(|c| c.dead.units()).sum();
    if dead > 0 {
        piles.push((everyone.clone(), dead));
    }
    for height in 1..=top {
        let payers: Vec<usize> = (0..count).filter(|&seat| units(&contributions[seat]) >= height).collect();
        if let [alone] = payers[..] {
            won[alone] += 1;
            continue;
        }
        let mut contest: Vec<usize> = payers.iter().copied().filter(|&seat| contributions[seat].in_hand).collect();
        if contest.is_empty() {
            contest = piles.last().map_or(everyone.clone(), |pile| pile.0.clone());
        }
        match piles.last_mut() {
            Some(pile) if pile.0 == contest => pile.1 += payers.len() as u64,
            _ => piles.push((contest, payers.len() as u64)),
        }
    }
    for (contest, pile) in piles {
        let best = contest.iter().map(|&seat| strengths[seat]).max().unwrap();
        let winners: Vec<usize> = contest.into_iter().filter(|&seat| strengths[seat] == best).collect();
        for chip in 0..pile {
            let next = match odd {
                OddChips::AllToFirst if chip >= pile / winners.len() as u64 * winners.len() as u64 => winners[0],
                _ => winners[chip as usize % winners.len()],
            };
            won[next] += 1;
        }
    }
    won
}

#[test]
fn a_million_random_all_ins_pay_what_single_chips_would() {
    let mut rng = Rng(5);
    let deck: Vec<Card> = (0..52).map(|code| Card::from_code(code).unwrap()).collect();
    for round in 0..1_000_000u32 {
        let count = 2 + rng.below(9) as usize;
        let reach = 1 + rng.below(12);
        let mut contributions: Vec<Contribution> = (0..count)
            .map(|_| put_in(rng.below(reach + 1), if rng.below(8) == 0 { rng.below(4) } else { 0 }, rng.below(3) > 0))
            .collect();
        contributions[rng.below(count as u64) as usize].in_hand = true;
        // Ties are common with a good board: every eighth is a straight on its own.
        let mut pack = deck.clone();
        let mut draw = |rng: &mut Rng| pack.swap_remove(rng.below(pack.len() as u64) as usize);
        let board: Vec<Card> =
            if round % 8 == 0 { cards("Ts Jd Qc Kh As") } else { (0..5).map(|_| draw(&mut rng)).collect() };
        let mut shown = Vec::new();
        while shown.len() < count {
            let hole = [draw(&mut rng), draw(&mut rng)];
            if let Some(hand) = Shown::rank(&rules(), &hole, &board) {
                shown.push(Some(hand));
            }
        }
        let strengths: Vec<u16> = shown.iter().map(|hand| hand.unwrap().high().number()).collect();
        let odd_chips = if round % 2 == 0 { OddChips::OneEach } else { OddChips::AllToFirst };
        let layers = layer(&contributions).unwrap();
        let paid = settle(&HandRules { odd_chips, ..rules() }, &layers, &shown, true).unwrap();
        let mut won = vec![0u64; count];
        for (seat, amount) in
            layers.uncalled.into_iter().chain(paid.awards.iter().map(|award| (award.seat, award.amount)))
        {
            won[seat] += amount.units();
        }
        assert_eq!(won, oracle(&contributions, &strengths, odd_chips), "{contributions:?} {strengths:?}");
        let sum = |c: &Contribution| c.layered.units() + c.dead.units();
        assert_eq!(won.iter().sum::<u64>(), contributions.iter().map(sum).sum::<u64>(), "chips are conserved");
    }
}

#[test]
fn g001cash_5_three_all_in_make_a_main_pot_a_side_pot_and_a_return() {
    let layers = layer(&[put_in(2_500, 0, true), put_in(6_000, 0, true), put_in(10_000, 0, true)]).unwrap();
    assert_eq!(layers.uncalled, Some((2, chips(4_000))));
    let pots: Vec<(u64, Vec<usize>)> = layers.pots.iter().map(|pot| (pot.amount.units(), pot.seats.clone())).collect();
    assert_eq!(pots, [(7_500, vec![0, 1, 2]), (7_000, vec![1, 2])]);
    let board = cards("2c 7d 9h Js Qd");
    let shown = ["Qc Qh", "Jc Jh", "9c 9d"].map(|hole| Shown::rank(&rules(), &cards(hole), &board));
    let paid = settle(&rules(), &layers, &shown, true).unwrap();
    let awards: Vec<(usize, u64)> = paid.awards.iter().map(|award| (award.seat, award.amount.units())).collect();
    assert_eq!(awards, [(0, 7_500), (1, 7_000)]);
}

#[test]
fn a001_qq_a_four_way_all_in_with_two_side_pots_and_a_tie() {
    let layers = layer(&[
        put_in(100, 0, true),
        put_in(300, 0, true),
        put_in(700, 0, true),
        put_in(700, 0, true),
        put_in(50, 0, false),
    ])
    .unwrap();
    assert_eq!(layers.uncalled, None);
    let board = cards("2c 7d 9h Js Qd");
    // The short stack's set wins the main pot; the others tie for the first side pot, two of them for the second.
    let shown = ["9c 9d", "Ac Kc", "Ad Kd", "Ah Kh", "3c 3d"].map(|hole| Shown::rank(&rules(), &cards(hole), &board));
    let paid = settle(&rules(), &layers, &shown, true).unwrap();
    let awards: Vec<(usize, usize, u64)> =
        paid.awards.iter().map(|award| (award.pot, award.seat, award.amount.units())).collect();
    assert_eq!(awards, [(0, 0, 450), (1, 1, 200), (1, 2, 200), (1, 3, 200), (2, 2, 400), (2, 3, 400)]);
}

#[test]
fn a001_a_odd_chips_go_one_each_from_the_left_of_the_button_and_to_the_high_half() {
    let three = layer(&[put_in(35, 0, true), put_in(35, 0, true), put_in(35, 0, true), put_in(6, 0, false)]).unwrap();
    let board = cards("Ts Jd Qc Kh As");
    let shown: Vec<Option<Shown>> =
        ["2c 2d", "3c 3d", "4c 4d", "5c 5d"].iter().map(|hole| Shown::rank(&rules(), &cards(hole), &board)).collect();
    let part = |odd_chips| -> Vec<u64> {
        let paid = settle(&HandRules { odd_chips, ..rules() }, &three, &shown, true).unwrap();
        paid.awards.iter().map(|award| award.amount.units()).collect()
    };
    assert_eq!((part(OddChips::OneEach), part(OddChips::AllToFirst)), (vec![37, 37, 37], vec![37, 37, 37]));
    let odd = layer(&[put_in(35, 0, true), put_in(35, 0, true), put_in(35, 0, true), put_in(5, 0, false)]).unwrap();
    let part = |odd_chips| -> Vec<u64> {
        settle(&HandRules { odd_chips, ..rules() }, &odd, &shown, true)
            .unwrap()
            .awards
            .iter()
            .map(|award| award.amount.units())
            .collect()
    };
    assert_eq!((part(OddChips::OneEach), part(OddChips::AllToFirst)), (vec![37, 37, 36], vec![38, 36, 36]));
    // High and low: 101 are 51 for the high hand and 50 for the low one.
    let hi_lo = HandRules { family: Family::Omaha, hi_lo: true, ..rules() };
    let board = cards("2c 3d 8h Ks Kd");
    let shown = ["Kc Kh 9s 9d", "Ac 4d Qs Js"].map(|hole| Shown::rank(&hi_lo, &cards(hole), &board));
    let layers = layer(&[put_in(50, 0, true), put_in(50, 1, true)]).unwrap();
    let paid = settle(&hi_lo, &layers, &shown, true).unwrap();
    let awards: Vec<(usize, u64, bool)> =
        paid.awards.iter().map(|award| (award.seat, award.amount.units(), award.low)).collect();
    assert_eq!(awards, [(0, 51, false), (1, 50, true)]);
}

#[test]
fn r001_81_what_a_pot_pays_and_its_rake_make_the_pot_and_the_cap_is_the_hands() {
    let rake = Rake { basis_points: 500, cap: chips(30), no_flop_no_drop: true };
    let raked = HandRules { rake: Some(rake), ..rules() };
    let layers = layer(&[put_in(101, 0, true), put_in(301, 0, true), put_in(1_000, 0, true)]).unwrap();
    assert_eq!(layers.uncalled, Some((2, chips(699))), "what nobody called is not raked");
    let board = cards("2c 7d 9h Js Qd");
    let shown = ["Qc Qh", "Jc Jh", "9c 9d"].map(|hole| Shown::rank(&rules(), &cards(hole), &board));
    let paid = settle(&raked, &layers, &shown, true).unwrap();
    // 5 % of 303 is 15; 5 % of 400 is 20, of which the cap leaves 15.
    assert_eq!(paid.rake, [chips(15), chips(15)]);
    assert_eq!(paid.awards.iter().map(|award| award.amount.units()).collect::<Vec<_>>(), [288, 385]);
    let free = settle(&raked, &layers, &shown, false).unwrap();
    assert_eq!(free.rake, [Chips::ZERO, Chips::ZERO], "no flop, no drop");
}

#[test]
fn r001_5_dead_money_goes_straight_into_the_main_pot() {
    let layers = layer(&[put_in(400, 100, true), put_in(400, 0, true), put_in(100, 0, true)]).unwrap();
    let pots: Vec<u64> = layers.pots.iter().map(|pot| pot.amount.units()).collect();
    assert_eq!(pots, [400, 600]);
}

#[test]
fn a_contested_pot_is_not_paid_to_hands_that_nobody_saw() {
    let layers = layer(&[put_in(10, 0, true), put_in(10, 0, true)]).unwrap();
    assert_eq!(settle(&rules(), &layers, &[None, None], true), Err(SettleError::NotShown { pot: 0, seat: 0 }));
    assert_eq!(layer(&[put_in(10, 0, false), put_in(10, 0, false)]), None, "somebody must contest");
    let most = Contribution { layered: Chips::MAX, dead: Chips::ZERO, in_hand: true };
    assert_eq!(layer(&[most, most]), None, "too much to count");
}
