//! Fair shoes give even chances, and a planted bias is found: every test on data whose truth is known.

use fairshoe_audit::stats::exact::law;
use fairshoe_audit::stats::judge::{Test, judge};
use fairshoe_audit::stats::report::{LogFacts, StatsReport, Verdict};
use fairshoe_audit::stats::returns::{Returns, RoundSums};
use fairshoe_audit::stats::rounds::Rounds;
use fairshoe_audit::stats::shoes::{Receiver, Shoes};
use fairshoe_fairness::{Composition, Stream};
use fairshoe_games::{Ahead, Chips, Outcome, Place, RoundEvent, RuleSet, Settlement, Wager};
use fairshoe_house::{Command, Entry, Event, VoidCause};
use std::num::NonZeroU16;

struct Dice(Stream);

impl Dice {
    fn new(seed: u16) -> Dice {
        let mut key = [0x51; 32];
        key[..2].copy_from_slice(&seed.to_be_bytes());
        Dice(Stream::new(key))
    }

    fn below(&mut self, m: usize) -> usize {
        usize::from(self.0.below(NonZeroU16::new(u16::try_from(m).unwrap()).unwrap()))
    }

    fn shuffled(&mut self, composition: &Composition) -> Vec<u8> {
        let mut values = composition.values();
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
        values
    }
}

fn rank(code: u8) -> u8 {
    code % 13 + 1
}

/// Rounds like those of blackjack: the players draw to 17, then the dealer. What is drawn decides how much is drawn.
fn rounds_of(order: &[u8], until: usize) -> Vec<(u8, Receiver)> {
    let mut cards = order.iter().copied();
    let mut drawn = Vec::new();
    while drawn.len() < until {
        for receiver in [Receiver::Players, Receiver::Dealer] {
            let mut total = 0;
            while total < 17 {
                let Some(card) = cards.next() else { return drawn };
                total += rank(card).min(10);
                drawn.push((card, receiver));
            }
        }
    }
    drawn
}

/// A fair house's shoes: the order committed, and the order of the players' shuffle.
fn fair(seed: u16, packs: u8, shoes: usize, until: usize) -> Shoes {
    let (composition, mut dice, mut counted) = (Composition::Decks(packs), Dice::new(seed), Shoes::default());
    for _ in 0..shoes {
        let order = dice.shuffled(&composition);
        counted.committed(&composition, &order);
        let order = dice.shuffled(&composition);
        counted.drawn(&composition, rounds_of(&order, until));
    }
    counted
}

/// Kolmogorov's distance of these chances from even ones.
fn distance(mut chances: Vec<f64>) -> f64 {
    chances.sort_by(f64::total_cmp);
    let n = chances.len() as f64;
    let each = chances.iter().enumerate().map(|(i, p)| (p - i as f64 / n).abs().max(((i + 1) as f64 / n - p).abs()));
    each.fold(0.0, f64::max)
}

/// 1.949 / √n is exceeded once in a thousand by even chances; the seeds are fixed, so this never flakes.
fn assert_even(what: &str, chances: Vec<f64>) {
    let (n, bound) = (chances.len(), 1.949 / (chances.len() as f64).sqrt());
    let distance = distance(chances);
    println!("{what}: {distance:.4} of {bound:.4}");
    assert!(distance < bound, "{what}: the chances of {n} fair books are not even: {distance}");
}

fn the<'t>(tests: &'t [Test], id: &str) -> &'t Test {
    tests.iter().find(|test| test.about.id == id).unwrap_or_else(|| panic!("there is no test {id}"))
}

fn report(shoes: &Shoes, rounds: &Rounds) -> StatsReport {
    StatsReport::new(LogFacts::default(), &Default::default(), None, shoes, rounds)
}

const CARD_TESTS: [&str; 12] = [
    "position",
    "committed_even",
    "committed_pairs",
    "committed_neighbours",
    "committed_runs",
    "committed_colours",
    "drawn_even",
    "drawn_pairs",
    "drawn_neighbours",
    "drawn_runs",
    "to_players",
    "to_dealer",
];

#[test]
fn fair_shoes_give_even_chances() {
    // A pack a round, as JOY has it, and six packs dealt far down: what is drawn depends on what was drawn.
    for (packs, shoes, until) in [(1, 80, 1), (6, 8, 230)] {
        let books: Vec<Vec<Test>> =
            (0..200).map(|seed| judge(&fair(seed, packs, shoes, until), &Rounds::default())).collect();
        for id in CARD_TESTS {
            let chances: Vec<f64> = books
                .iter()
                .map(|tests| the(tests, id).chance.unwrap_or_else(|| panic!("{id} was not done")))
                .collect();
            assert_even(&format!("{packs} x {id}"), chances);
        }
    }
}

#[test]
fn many_fair_shoes_are_nothing_unusual() {
    let report = report(&fair(7, 1, 4_000, 1), &Rounds::default());
    assert_eq!(report.verdict, Verdict::NothingUnusual, "{}", report.words().join("\n"));
    assert!(report.counts.position_residuals.unwrap().iter().flatten().all(|deviations| deviations.abs() < 5.0));
}

/// Brings low cards forward: each of the first ten cards is, once in four shoes, swapped for a low one from the rest.
fn low_cards_early(dice: &mut Dice, order: &mut [u8]) {
    for early in 0..10 {
        if dice.below(4) == 0 {
            let later = 10 + dice.below(order.len() - 10);
            if rank(order[later]) <= 6 && rank(order[early]) > 6 {
                order.swap(early, later);
            }
        }
    }
}

fn biased(bias: fn(&mut Dice, &mut [u8])) -> StatsReport {
    let (composition, mut dice, mut counted) = (Composition::Decks(1), Dice::new(99), Shoes::default());
    for _ in 0..3_000 {
        let mut order = dice.shuffled(&composition);
        bias(&mut dice, &mut order);
        counted.committed(&composition, &order);
        // The house has its way with the deal, too: the players' shuffle moves nothing.
        counted.drawn(&composition, rounds_of(&order, 1));
    }
    report(&counted, &Rounds::default())
}

#[test]
fn low_cards_that_come_early_are_found() {
    let report = biased(low_cards_early);
    for id in ["position", "drawn_even", "to_players"] {
        assert!(the(&report.tests, id).unusual, "{id}: {}", report.words().join("\n"));
    }
    assert_eq!(report.verdict, Verdict::Unusual);
    let words = report.verdict_words();
    assert!(words.starts_with("Unusual: look.") && words.contains("not a proof"), "{words}");
}

#[test]
fn cards_that_follow_their_like_are_found() {
    // A riffle too few: once in eight places a card is followed by one close to it in rank.
    let report = biased(|dice, order| {
        for at in 0..order.len() - 2 {
            if dice.below(8) == 0 {
                let near =
                    (at + 1..order.len()).min_by_key(|other| rank(order[at]).abs_diff(rank(order[*other]))).unwrap();
                order.swap(at + 1, near);
            }
        }
    });
    for id in ["committed_neighbours", "committed_pairs", "drawn_neighbours"] {
        assert!(the(&report.tests, id).unusual, "{id}: {}", report.words().join("\n"));
    }
}

#[test]
fn colours_and_runs_that_alternate_are_found() {
    let report = biased(|dice, order| {
        for at in 0..order.len() - 2 {
            let black = |code: u8| !(13..39).contains(&code);
            if black(order[at]) == black(order[at + 1]) && dice.below(10) == 0 {
                order.swap(at + 1, at + 2);
            }
        }
    });
    assert!(the(&report.tests, "committed_colours").unusual);
    let report = biased(|dice, order| {
        for at in 0..order.len() - 3 {
            let rising = rank(order[at]) < rank(order[at + 1]) && rank(order[at + 1]) < rank(order[at + 2]);
            if rising && dice.below(4) == 0 {
                order.swap(at + 1, at + 2);
            }
        }
    });
    assert!(the(&report.tests, "committed_runs").unusual);
}

#[test]
fn a_dealer_who_is_dealt_more_tens_is_found() {
    let (composition, mut dice, mut counted) = (Composition::Decks(6), Dice::new(3), Shoes::default());
    for _ in 0..400 {
        let mut order = dice.shuffled(&composition);
        counted.committed(&composition, &order);
        // Grinding for the third card, the dealer's up-card: of two shuffles the one with the ten there.
        if rank(order[2]) < 10 {
            order = dice.shuffled(&composition);
        }
        let drawn = order[..6]
            .iter()
            .enumerate()
            .map(|(at, code)| (*code, if at % 3 == 2 { Receiver::Dealer } else { Receiver::Players }));
        counted.drawn(&composition, drawn);
    }
    let tests = judge(&counted, &Rounds::default());
    assert!(the(&tests, "to_dealer").unusual && !the(&tests, "to_players").unusual && !the(&tests, "position").unusual);
}

// Rounds, as entries.

fn entry(table: &str, events: Vec<Event>) -> Entry {
    let command = Command::CommitShoe { table: table.parse().unwrap() };
    let by = fairshoe_house::Actor::House;
    Entry { v: 1, time: 0, by, at: None, before: Vec::new(), command, signed: None, events }
}

fn open(rounds: &mut Rounds, table: &str, rules: &RuleSet) {
    let opened = Event::TableOpened {
        rules: rules.clone(),
        digest: rules.digest(),
        owner: None,
        idle_ms: None,
        replaces: None,
        event: None,
    };
    rounds.note(&entry(table, vec![opened]));
}

fn shipped(name: &str) -> RuleSet {
    RuleSet::shipped(name).unwrap()
}

fn settled(rounds: &mut Rounds, table: &str) {
    rounds.note(&entry(
        table,
        vec![Event::RoundSettled { round_no: 0, staked: Chips::ZERO, returned: Chips::ZERO, players: Vec::new() }],
    ));
}

fn voided(rounds: &mut Rounds, table: &str, cause: VoidCause, ahead: Ahead) {
    let void = Event::RoundVoided {
        round_no: 0,
        cause,
        missing: Vec::new(),
        ahead,
        players: Vec::new(),
        refunds: None,
        retained_winnings: Vec::new(),
        standing: None,
    };
    rounds.note(&entry(table, vec![void]));
}

fn spun(rounds: &mut Rounds, pocket: u8) {
    let spun = RoundEvent::Spun { slot: fairshoe_fairness::Slot(0), value: pocket, pocket };
    rounds.note(&entry("wheel", vec![Event::Play(spun)]));
}

fn wheel(seed: u16, spins: usize, mut pocket: impl FnMut(&mut Dice) -> u8) -> Rounds {
    let (mut rounds, mut dice) = (Rounds::default(), Dice::new(seed));
    open(&mut rounds, "wheel", &shipped("rng-roulette"));
    for _ in 0..spins {
        let pocket = pocket(&mut dice);
        spun(&mut rounds, pocket);
    }
    rounds
}

fn even_pocket(dice: &mut Dice) -> u8 {
    u8::try_from(dice.below(37)).unwrap()
}

#[test]
fn a_fair_wheel_gives_even_chances_and_a_favoured_pocket_is_found() {
    let books: Vec<Vec<Test>> =
        (0..200).map(|seed| judge(&Shoes::default(), &wheel(seed, 1_500, even_pocket))).collect();
    for id in ["pockets", "pocket_pairs"] {
        assert_even(id, books.iter().map(|tests| the(tests, id).chance.unwrap()).collect());
    }
    let favoured = wheel(1, 6_000, |dice| if dice.below(50) == 0 { 17 } else { even_pocket(dice) });
    let report = report(&Shoes::default(), &favoured);
    assert!(the(&report.tests, "pockets").unusual, "{}", report.words().join("\n"));
    // Each pocket as often as it should, but never far from the one before.
    let mut last = 0;
    let sticky = wheel(1, 6_000, |dice| {
        last = (last + 37 - 5 + u8::try_from(dice.below(11)).unwrap()) % 37;
        last
    });
    let tests = judge(&Shoes::default(), &sticky);
    assert!(the(&tests, "pocket_pairs").unusual);
}

#[test]
fn committed_wheels_are_tested_too() {
    let (composition, mut dice) = (Composition::Wheel(2_000), Dice::new(12));
    let mut counted = Shoes::default();
    counted.committed(&composition, &(0..2_000).map(|_| even_pocket(&mut dice)).collect::<Vec<_>>());
    let fair = judge(&counted, &Rounds::default());
    assert!(the(&fair, "wheel_values").chance.unwrap() > 0.001 && counted.wheels == 1 && counted.card_shoes == 0);
    let lazy: Vec<u8> = (0..2_000).map(|_| u8::try_from(dice.below(256) % 37).unwrap()).collect();
    let mut counted = Shoes::default();
    // A byte modulo 37 favours the pockets 0 to 33, by a seventh.
    (0..10).for_each(|_| counted.committed(&composition, &lazy));
    assert!(the(&judge(&counted, &Rounds::default()), "wheel_values").unusual);
}

fn line(spot: &str, stake: u64, returned: u64) -> Settlement {
    let place = Place::spot(spot).unwrap();
    let (stake, returned) = (Chips::new(stake).unwrap(), Chips::new(returned).unwrap());
    Settlement { player: "alice".parse().unwrap(), place, wager: Wager::Bet, outcome: Outcome::Loss, stake, returned }
}

#[test]
fn returns_of_fair_spins_give_even_chances_and_a_thumb_on_the_scale_is_found() {
    let rules = shipped("rng-roulette");
    // Red and the second dozen, the stake doubled after a loss up to a bound: what gamblers do must not look like a
    // cheat.
    let book = |seed: u16, hand: usize| {
        let (mut dice, mut returns, mut stake) = (Dice::new(seed), Returns::default(), 100u64);
        for _ in 0..1_200 {
            let (red, dozen) = (dice.below(37 + hand) < 18, dice.below(37 + hand) < 12);
            let lines = [
                line("red", stake, if red { stake * 2 } else { 0 }),
                line("dozen:2", 100, if dozen { 300 } else { 0 }),
            ];
            for line in &lines {
                let (staked, returned) = (line.stake.signed(), line.returned.signed());
                let law = law(&rules, &[line]);
                assert!((law.unwrap().mean + staked as f64 / 37.0).abs() < 1e-9);
                returns.add(RoundSums { opening: staked, staked, returned, law });
            }
            stake = if red || stake >= 800 { 100 } else { stake * 2 };
        }
        returns.outcome().unwrap().chance
    };
    assert_even("return", (0..200).map(|seed| book(seed, 0)).collect());
    // Five pockets that are not on the layout: every bet loses 12 % more.
    let found = (0..50).filter(|seed| book(*seed, 5) < 0.001).count();
    assert!(found >= 10, "{found} of 50");
}

fn dealt(to: Place, code: u8) -> Event {
    let card = fairshoe_fairness::Card::from_code(code);
    Event::Play(RoundEvent::Dealt { lane: 0, slot: fairshoe_fairness::Slot(0), to, card })
}

/// Coups out of a shoe without end, which is close enough to eight packs; `bias` has its way with the first six cards.
fn coups(seed: u16, count: usize, bias: fn(&mut Dice, &mut [u8])) -> Rounds {
    use fairshoe_games::baccarat::{Side, card_value, next_draw};
    let (mut rounds, mut dice) = (Rounds::default(), Dice::new(seed));
    open(&mut rounds, "bac", &shipped("rng-baccarat"));
    for _ in 0..count {
        let mut order: Vec<u8> = (0..6).map(|_| u8::try_from(dice.below(416) % 52).unwrap()).collect();
        bias(&mut dice, &mut order);
        let (mut player, mut banker, mut events) = (Vec::new(), Vec::new(), Vec::new());
        let mut cards = order.into_iter();
        while let Some(side) = next_draw(&player, &banker) {
            let code = cards.next().unwrap();
            let (hand, name) = if side == Side::Player { (&mut player, "player") } else { (&mut banker, "banker") };
            hand.push(card_value(fairshoe_fairness::Card::from_code(code).unwrap()));
            events.push(dealt(Place::spot(name).unwrap(), code));
        }
        rounds.note(&entry("bac", events));
        settled(&mut rounds, "bac");
    }
    rounds
}

#[test]
fn fair_coups_give_even_chances_and_a_banker_who_is_helped_is_found() {
    let books: Vec<Vec<Test>> = (0..200).map(|seed| judge(&Shoes::default(), &coups(seed, 400, |_, _| {}))).collect();
    assert_even("coups", books.iter().map(|tests| the(tests, "coups").chance.unwrap()).collect());
    let helped = coups(1, 3_000, |dice, order| {
        if dice.below(8) == 0 {
            (order[1], order[3]) = (8, 12);
        }
    });
    assert!(the(&judge(&Shoes::default(), &helped), "coups").unusual);
    assert_eq!(helped.coups.values().flatten().sum::<u64>(), 3_000);
}

fn boxes(count: usize, naturals_in: usize) -> Rounds {
    let (mut rounds, mut dice) = (Rounds::default(), Dice::new(5));
    open(&mut rounds, "t1", &shipped("joy"));
    for _ in 0..count {
        let mut pack = dice.shuffled(&Composition::Decks(1));
        let natural = |pack: &[u8]| matches!((rank(pack[0]), rank(pack[1])), (1, 10..) | (10.., 1));
        if natural(&pack) && dice.below(100) >= naturals_in {
            pack.rotate_left(2);
        }
        let hand = Place::Hand { spot: 1, hand: 1 };
        // A third card is no part of it, nor is the dealer's, nor a hand that was split off.
        let split = Place::Hand { spot: 1, hand: 2 };
        let events =
            [(hand, 0), (Place::Dealer, 3), (hand, 1), (split, 4), (hand, 2)].map(|(to, at)| dealt(to, pack[at]));
        let closed = Event::BetsClosed {
            round_no: 0,
            shoe_no: 0,
            contributors: Vec::new(),
            lanes: 1,
            reveal_by: 0,
            announced: false,
        };
        rounds.note(&entry("t1", std::iter::once(closed).chain(events).collect()));
        settled(&mut rounds, "t1");
    }
    rounds
}

#[test]
fn boxes_that_are_kept_from_their_blackjacks_are_found() {
    let fair = boxes(6_000, 100);
    let (hands, naturals) = fair.naturals[&1];
    // 32/663 of 6,000 are 290.
    assert!(hands == 6_000 && (250..330).contains(&naturals), "{naturals}");
    assert!(!the(&judge(&Shoes::default(), &fair), "naturals").unusual);
    let barred = judge(&Shoes::default(), &boxes(6_000, 70));
    assert!(the(&barred, "naturals").unusual && the(&barred, "naturals").note.as_ref().unwrap().contains("of 6000"));
}

#[test]
fn a_house_that_voids_what_it_loses_is_found_and_one_with_bad_luck_is_not() {
    let book = |players: usize, house: usize, cause: VoidCause| {
        let mut rounds = Rounds::default();
        open(&mut rounds, "t1", &shipped("joy"));
        for _ in 0..1_000 {
            settled(&mut rounds, "t1");
        }
        (0..800).for_each(|_| rounds.stands(Ahead::Players));
        (0..1_200).for_each(|_| rounds.stands(Ahead::House));
        (0..players).for_each(|_| voided(&mut rounds, "t1", cause, Ahead::Players));
        (0..house).for_each(|_| voided(&mut rounds, "t1", cause, Ahead::House));
        report(&Shoes::default(), &rounds)
    };
    let cheat = book(14, 0, VoidCause::Malfunction);
    let test = the(&cheat.tests, "voids_of_house_ahead");
    // 14 of 14 where two in five are due.
    assert!(test.unusual && test.chance.unwrap() < 1e-4, "{test:?}");
    assert!(test.note.as_ref().unwrap().contains("players 14, house 0"));
    assert_eq!((cheat.verdict, cheat.voids.by_house.players, cheat.voids.voids.count), (Verdict::Unusual, 14, 14));
    assert!(the(&cheat.tests, "voids_of_absence_ahead").chance.is_none());
    let swallowed = book(14, 0, VoidCause::Abandoned);
    assert!(the(&swallowed.tests, "voids_of_absence_ahead").unusual);
    for (players, house) in [(6, 8), (3, 11), (1, 0), (2, 0)] {
        let report = book(players, house, VoidCause::Crash);
        assert!(!the(&report.tests, "voids_of_house_ahead").unusual, "{players} {house}");
    }
}

#[test]
fn a_table_whose_rounds_are_void_too_often_is_named() {
    let book = |at_worst: usize| {
        let mut rounds = Rounds::default();
        for table in 0..20 {
            let name = format!("t{table}");
            open(&mut rounds, &name, &shipped("joy"));
            (0..100).for_each(|_| settled(&mut rounds, &name));
            let voids = if table == 13 { at_worst } else { 1 };
            (0..voids).for_each(|_| voided(&mut rounds, &name, VoidCause::RevealMissing, Ahead::Nobody));
        }
        report(&Shoes::default(), &rounds)
    };
    let bad = book(15);
    for id in ["voids_by_table", "withheld_by_table"] {
        let test = the(&bad.tests, id);
        assert!(test.unusual && test.note.as_ref().unwrap().contains("t13, 15 of 115"), "{test:?}");
    }
    assert_eq!((bad.tables[0].table.as_str(), bad.tables[0].withheld.count, bad.tables_total), ("t13", 15, 20));
    assert_eq!(book(2).verdict, Verdict::NothingUnusual);
}

#[test]
fn a_seed_used_twice_is_a_scandal_by_itself() {
    let mut rounds = Rounds::default();
    open(&mut rounds, "t1", &shipped("joy"));
    for (shoe_no, seed) in [(0, 1u8), (1, 2), (2, 1)] {
        let seeds = vec![fairshoe_fairness::ServerSeed::from_bytes([seed; 32])];
        rounds.note(&entry("t1", vec![Event::ShoeRevealed { shoe_no, seeds, cause: None }]));
    }
    let report = report(&Shoes::default(), &rounds);
    assert_eq!((report.verdict, report.repeats.server_seeds.repeated), (Verdict::Unusual, 1));
    assert!(report.verdict_words().contains("had come before (1)"));
}

#[test]
fn an_empty_book_is_too_little_to_look_at() {
    let report = report(&Shoes::default(), &Rounds::default());
    assert_eq!(report.verdict, Verdict::TooLittle);
    assert!(report.tests.iter().all(|test| test.chance.is_none()));
    assert!(fairshoe_audit::stats::plots(&report).is_empty());
}
