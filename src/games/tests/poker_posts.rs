//! The players dealt in at a cash table, and their posts (spec/games/poker-table.md, "Button, blinds and posts").

use fairshoe_games::Chips;
use fairshoe_games::poker::rank::Family;
use fairshoe_games::poker::{
    Betting, BettingRule, Blinds, Candidate, Choice, EntryChoice, EntryPost, HandRules, NextHand, OddChips, Owes,
    Positions, Post, Reopening, Shown, Step, layer, missed, next_hand, settle,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

const NOTHING: Owes = Owes { entry: false, small: false, big: false, third: false };
const ENTRY: Owes = Owes { entry: true, ..NOTHING };
const SMALL: Owes = Owes { small: true, ..NOTHING };
const BIG: Owes = Owes { big: true, ..NOTHING };
const BOTH: Owes = Owes { big: true, ..SMALL };
const ALL: Owes = Owes { third: true, ..BOTH };

fn one_two() -> Blinds {
    Blinds {
        small: chips(100),
        big: chips(200),
        third: None,
        ante: Chips::ZERO,
        straddle: false,
        entry_post: EntryPost::Small,
    }
}

fn one_two_four() -> Blinds {
    Blinds { third: Some(chips(400)), ..one_two() }
}

fn settled(seat: u8) -> Candidate {
    Candidate { seat, stack: chips(20_000), owes: NOTHING, entry: EntryChoice::Post, straddle: false }
}

fn owing(seat: u8, owes: Owes) -> Candidate {
    Candidate { owes, ..settled(seat) }
}

fn waiting(seat: u8, owes: Owes) -> Candidate {
    Candidate { entry: EntryChoice::Wait, ..owing(seat, owes) }
}

fn straddling(seat: u8) -> Candidate {
    Candidate { straddle: true, ..settled(seat) }
}

fn at(button: u8, small: u8, big: u8) -> Positions {
    Positions { button, small, big, third: None }
}

/// The seats in their order: `3:200` opens the betting with 200, `3:200+100` posts 200 live and 100 dead, `3` posts
/// zero.
fn told(hand: &NextHand) -> String {
    let seat = |due: &fairshoe_games::poker::Due| match (due.opens, due.live.units(), due.dead.units()) {
        (true, live, 0) => format!("{}:{live}", due.seat),
        (false, 0, 0) => due.seat.to_string(),
        (false, live, dead) => format!("{}:{live}+{dead}", due.seat),
        (true, ..) => panic!("a blind has no dead part: {due:?}"),
    };
    hand.seats.iter().map(seat).collect::<Vec<_>>().join(" ")
}

fn play(blinds: &Blinds, before: Positions, candidates: &[Candidate]) -> String {
    told(&next_hand(blinds, Some(&before), candidates).unwrap())
}

/// The hand after the one with button 1: seats 4, 5 and 6 are settled, so that the button goes to 4 and the blinds are
/// 5 and 6.
fn comes_in(blinds: &Blinds, candidate: Candidate) -> String {
    play(blinds, at(1, 4, 5), &[settled(4), settled(5), settled(6), candidate])
}

/// The betting of a hand, as the table begins it; with three blinds the bet is the third.
fn begin(blinds: &Blinds, hand: &NextHand, candidates: &[Candidate]) -> (HandRules, Betting) {
    let rules = HandRules {
        family: Family::Holdem,
        hi_lo: false,
        betting: BettingRule::NoLimit { min_bet: blinds.largest() },
        full_blind: true,
        ante_layers: true,
        reopening: Reopening::Full,
        odd_chips: OddChips::OneEach,
        rake: None,
    };
    let stack = |seat| candidates.iter().find(|candidate| candidate.seat == seat).unwrap().stack;
    let posts = hand.seats.iter().map(|due| Post {
        stack: stack(due.seat),
        ante: due.ante,
        live: due.live,
        dead: due.dead,
        opens: due.opens,
    });
    let betting = Betting::begin(rules, &posts.collect::<Vec<_>>()).unwrap();
    (rules, betting)
}

fn pot(betting: &Betting) -> u64 {
    betting.contributions().unwrap().iter().map(|c| c.layered.units() + c.dead.units()).sum()
}

/// All seats but these fold, the rest check or call to the end, and the first named wins.
fn net_of_check_down(rules: &HandRules, mut betting: Betting, left: [usize; 2]) -> Vec<i64> {
    let start: Vec<i64> =
        betting.seats().iter().map(|s| Chips::sum([s.stack, s.bet, s.ante, s.dead]).unwrap().signed()).collect();
    loop {
        match betting.step() {
            Step::Choose(options) if !left.contains(&options.seat) => {
                betting.choose(options.seat, Choice::Fold).unwrap()
            }
            Step::Choose(options) if options.call == Chips::ZERO => {
                betting.choose(options.seat, Choice::Check).unwrap()
            }
            Step::Choose(options) => betting.choose(options.seat, Choice::Call).unwrap(),
            Step::Deal(_) => assert!(betting.deal()),
            Step::Showdown { .. } => break,
            Step::Won { .. } => panic!("two seats never fold"),
        }
    }
    let cards = |text: &str| text.split(' ').map(|card| card.parse().unwrap()).collect::<Vec<_>>();
    let board = cards("2c 7d 9h Js Qd");
    let shown: Vec<_> = (0..start.len())
        .map(|seat| match seat {
            _ if seat == left[0] => Shown::rank(rules, &cards("Qc Qh"), &board),
            _ if seat == left[1] => Shown::rank(rules, &cards("Jc Jh"), &board),
            _ => None,
        })
        .collect();
    let layers = layer(&betting.contributions().unwrap()).unwrap();
    let paid = settle(rules, &layers, &shown, true).unwrap();
    let mut end: Vec<i64> = betting.seats().iter().map(|seat| seat.stack.signed()).collect();
    for (seat, amount) in layers.uncalled.into_iter().chain(paid.awards.iter().map(|award| (award.seat, award.amount)))
    {
        end[seat] += amount.signed();
    }
    end.iter().zip(start).map(|(end, start)| end - start).collect()
}

#[test]
fn the_first_hands_button_is_the_lowest_seat_and_nobody_owes() {
    let newcomers = [owing(7, ENTRY), waiting(2, ENTRY), owing(5, ENTRY)];
    let hand = next_hand(&one_two(), None, &newcomers).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(2, 5, 7), "5:100 7:200 2"));
    assert_eq!(next_hand(&one_two(), None, &newcomers[..1]), None);
    assert_eq!(next_hand(&one_two(), Some(&at(2, 5, 7)), &[]), None);
}

#[test]
fn the_button_moves_clockwise_past_empty_seats_and_who_owes() {
    let hand =
        next_hand(&one_two(), Some(&at(2, 5, 7)), &[settled(9), settled(0), settled(7), waiting(4, BOTH)]).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(7, 9, 0), "9:100 0:200 7"));
}

#[test]
fn with_two_dealt_in_the_button_posts_the_small_blind() {
    let hand = next_hand(&one_two(), Some(&at(3, 3, 8)), &[settled(3), settled(8)]).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(8, 8, 3), "3:200 8:100"));
}

#[test]
fn nobody_has_the_big_blind_twice_running_when_two_are_left() {
    // Seat 1 leaves: the button would be 2 and the big blind 3 again.
    let hand = next_hand(&one_two(), Some(&at(1, 2, 3)), &[settled(2), settled(3)]).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(3, 3, 2), "2:200 3:100"));
    // If any other player leaves, the seat that is due has it.
    assert_eq!(play(&one_two(), at(1, 2, 3), &[settled(1), settled(3)]), "1:200 3:100");
    assert_eq!(play(&one_two(), at(1, 2, 3), &[settled(1), settled(2)]), "1:200 2:100");
    // Seat 1 sits out: the blind that would have been its own passed it.
    assert_eq!(missed(Some(&at(1, 2, 3)), &hand.positions, 1), BIG);
}

#[test]
fn r001_1_a_newcomer_posts_the_small_blind_live_and_it_does_not_open() {
    assert_eq!(comes_in(&one_two(), owing(1, ENTRY)), "5:100 6:200 1:100+0 4");
    // The newcomer calls the rest of the big blind: the post counts.
    let candidates = [settled(4), settled(5), settled(6), settled(8), owing(1, ENTRY)];
    let hand = next_hand(&one_two(), Some(&at(1, 4, 5)), &candidates).unwrap();
    let (_, mut betting) = begin(&one_two(), &hand, &candidates);
    let Step::Choose(first) = betting.step() else { panic!() };
    assert_eq!(hand.seats[first.seat].seat, 8, "behind the blinds, not behind the newcomer");
    betting.choose(first.seat, Choice::Fold).unwrap();
    let Step::Choose(newcomer) = betting.step() else { panic!() };
    assert_eq!((hand.seats[newcomer.seat].seat, newcomer.call), (1, chips(100)));
}

#[test]
fn r001_1_who_waits_comes_in_free_when_the_big_blind_reaches_him() {
    assert_eq!(comes_in(&one_two(), waiting(1, ENTRY)), "5:100 6:200 4");
    let table = [settled(4), settled(5), settled(6), waiting(1, ENTRY)];
    assert_eq!(play(&one_two(), at(4, 5, 6), &table), "6:100 1:200 4 5");
    // So does a player who owes and would have posted, for any kind of debt.
    assert_eq!(play(&one_two(), at(4, 5, 6), &[settled(4), settled(5), settled(6), owing(1, BOTH)]), "6:100 1:200 4 5");
}

#[test]
fn r001_1_who_owes_is_not_dealt_in_between_button_and_blinds_nor_on_the_small_blind() {
    // Button 4; seat 5 would be the small blind, seat 6 is.
    for (owes, post) in [(ENTRY, "100+0"), (SMALL, "0+100"), (BIG, "200+0"), (BOTH, "200+100")] {
        let table = [settled(4), owing(5, owes), settled(6), settled(7), settled(1)];
        assert_eq!(play(&one_two(), at(1, 4, 6), &table), "6:100 7:200 1 4");
        // In the next hand the button is past them and they are behind the blinds.
        assert_eq!(play(&one_two(), at(4, 6, 7), &table), format!("7:100 1:200 4 5:{post} 6"));
    }
}

#[test]
fn r001_2_missed_small_only_posts_dead_small() {
    assert_eq!(comes_in(&one_two(), owing(1, SMALL)), "5:100 6:200 1:0+100 4");
}

#[test]
fn r001_3_missed_small_and_big_posts_live_big_and_dead_small() {
    assert_eq!(comes_in(&one_two(), owing(1, BOTH)), "5:100 6:200 1:200+100 4");
}

#[test]
fn r001_4_missed_three_posts_live_third_and_dead_big_and_small() {
    let table = |owes| [settled(4), settled(5), settled(6), settled(7), owing(1, owes)];
    let posted = |owes| play(&one_two_four(), at(1, 4, 5), &table(owes));
    assert_eq!(posted(ALL), "5:100 6:200 7:400 1:400+300 4");
    assert_eq!(posted(Owes { third: true, ..NOTHING }), "5:100 6:200 7:400 1:400+0 4");
    assert_eq!(posted(Owes { third: true, ..BIG }), "5:100 6:200 7:400 1:400+200 4");
    assert_eq!(posted(Owes { third: true, ..SMALL }), "5:100 6:200 7:400 1:400+100 4");
    assert_eq!(posted(BOTH), "5:100 6:200 7:400 1:200+100 4");
    assert_eq!(posted(SMALL), "5:100 6:200 7:400 1:0+100 4");
}

#[test]
fn r001_5_dead_posts_are_in_the_pot_and_are_not_called() {
    let candidates = [settled(4), settled(5), settled(6), owing(1, SMALL)];
    let hand = next_hand(&one_two(), Some(&at(1, 4, 5)), &candidates).unwrap();
    let (_, betting) = begin(&one_two(), &hand, &candidates);
    let Step::Choose(options) = betting.step() else { panic!() };
    assert_eq!(
        (pot(&betting), hand.seats[options.seat].seat, options.call),
        (400, 1, chips(200)),
        "the dead 100 calls nothing"
    );
}

#[test]
fn a001_c_the_entry_post_is_the_big_blind_where_the_table_says_so() {
    let blinds = Blinds { entry_post: EntryPost::Big, ..one_two() };
    assert_eq!(comes_in(&blinds, owing(1, ENTRY)), "5:100 6:200 1:200+0 4");
    let table = [settled(4), settled(5), settled(6), settled(7), owing(1, ENTRY)];
    let blinds = Blinds { entry_post: EntryPost::Big, ..one_two_four() };
    assert_eq!(play(&blinds, at(1, 4, 5), &table), "5:100 6:200 7:400 1:200+0 4");
}

#[test]
fn a001_d_missed_big_only_posts_live_big() {
    assert_eq!(comes_in(&one_two(), owing(1, BIG)), "5:100 6:200 1:200+0 4");
    // The big blind passed it, and it is back before the small one: the player who held the small blind has left, and
    // the button goes past seat 3.
    let (first, second) = (at(1, 2, 4), [owing(3, BIG), settled(4), settled(5), settled(6)]);
    assert_eq!(missed(Some(&at(6, 1, 2)), &first, 3), BIG);
    assert_eq!(play(&one_two(), first, &second), "5:100 6:200 3:200+0 4");
}

#[test]
fn a001_e_the_level_is_the_blinds() {
    assert_eq!((one_two().level(), one_two_four().level()), ("100/200".to_owned(), "100/200/400".to_owned()));
    assert_eq!((one_two().largest(), one_two_four().largest()), (chips(200), chips(400)));
}

#[test]
fn where_fewer_than_two_are_settled_the_game_begins_anew() {
    let hand = next_hand(&one_two(), Some(&at(3, 3, 8)), &[settled(8), waiting(3, ENTRY), owing(5, ALL)]).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(5, 8, 3), "8:100 3:200 5"));
    assert_eq!(play(&one_two(), at(3, 3, 8), &[waiting(3, BOTH), waiting(8, BOTH)]), "3:200 8:100");
}

#[test]
fn at_a_table_of_two_a_third_waits_until_the_big_blind_can_be_his() {
    let table = |before| play(&one_two(), before, &[settled(1), settled(2), owing(3, ENTRY)]);
    // The third waits while it sits between the button, 2, and the other's big blind; then the big blind is theirs.
    assert_eq!(table(at(1, 1, 2)), "1:200 2:100");
    assert_eq!(table(at(2, 2, 1)), "2:100 3:200 1");
}

#[test]
fn the_big_blind_of_three_is_for_the_settled_and_the_third_for_anybody() {
    let before = Positions { third: Some(6), ..at(1, 4, 5) };
    let table = [settled(4), settled(5), owing(6, ALL), settled(7), waiting(8, ENTRY), settled(1)];
    let hand = next_hand(&one_two_four(), Some(&before), &table).unwrap();
    assert_eq!(
        (hand.positions, told(&hand).as_str()),
        (Positions { third: Some(8), ..at(4, 5, 7) }, "5:100 7:200 8:400 1 4")
    );
    // If no settled seat can take it, a player who owes takes the big blind, so that there is one.
    let table = [settled(4), settled(5), owing(6, ALL), waiting(8, ENTRY), owing(1, ENTRY)];
    assert_eq!(play(&one_two_four(), before, &table), "5:100 6:200 8:400 1:100+0 4");
}

#[test]
fn of_three_blinds_the_button_posts_the_third_with_three_and_nobody_with_two() {
    let hand = next_hand(&one_two_four(), Some(&at(1, 4, 5)), &[settled(4), settled(5), settled(1)]).unwrap();
    assert_eq!(
        (hand.positions, told(&hand).as_str()),
        (Positions { third: Some(4), ..at(4, 5, 1) }, "5:100 1:200 4:400")
    );
    assert_eq!(play(&one_two_four(), at(1, 4, 5), &[settled(4), settled(1)]), "1:200 4:100");
}

#[test]
fn the_first_behind_the_blinds_may_straddle() {
    let blinds = Blinds { straddle: true, ante: chips(10), ..one_two() };
    let table =
        |first: Candidate| play(&blinds, at(1, 4, 5), &[settled(4), straddling(5), settled(6), first, straddling(1)]);
    assert_eq!(table(straddling(7)), "5:100 6:200 7:400 1 4");
    assert_eq!(table(settled(7)), "5:100 6:200 7 1 4", "not the second behind them");
    assert_eq!(table(Candidate { stack: chips(410), ..straddling(7) }), "5:100 6:200 7:400 1 4");
    assert_eq!(table(Candidate { stack: chips(409), ..straddling(7) }), "5:100 6:200 7 1 4", "not for less");
    assert_eq!(
        table(Candidate { owes: SMALL, ..straddling(7) }),
        "5:100 6:200 7:0+100 1 4",
        "who owes posts what he owes"
    );
    assert_eq!(
        table(Candidate { entry: EntryChoice::Wait, owes: SMALL, ..straddling(7) }),
        "5:100 6:200 1:400 4",
        "who is not dealt in is not there"
    );
    // With three dealt in the button straddles; with two no seat does; with three blinds and three players the button
    // has its own blind.
    let three = [straddling(4), straddling(5), straddling(6)];
    assert_eq!(play(&blinds, at(1, 4, 5), &three), "5:100 6:200 4:400");
    assert_eq!(play(&blinds, at(1, 4, 5), &three[..2]), "4:200 5:100");
    assert_eq!(play(&Blinds { third: Some(chips(400)), ..blinds }, at(1, 4, 5), &three), "5:100 6:200 4:400");
    let four = [straddling(4), straddling(5), straddling(6), straddling(7)];
    assert_eq!(play(&Blinds { third: Some(chips(400)), ..blinds }, at(1, 4, 5), &four), "5:100 6:200 7:400 4:800");
    assert_eq!(play(&one_two(), at(1, 4, 5), &four), "5:100 6:200 7 4", "only where the table allows it");
    let candidates = [settled(4), settled(5), settled(6), straddling(7)];
    let hand = next_hand(&blinds, Some(&at(1, 4, 5)), &candidates).unwrap();
    let (_, betting) = begin(&blinds, &hand, &candidates);
    let Step::Choose(options) = betting.step() else { panic!() };
    assert_eq!((hand.seats[options.seat].seat, options.call, pot(&betting)), (4, chips(400), 740));
}

#[test]
fn all_who_are_dealt_in_owe_the_ante() {
    let blinds = Blinds { ante: chips(10), ..one_two() };
    let hand = next_hand(&blinds, Some(&at(1, 4, 5)), &[settled(4), settled(5), settled(6), owing(1, BOTH)]).unwrap();
    assert_eq!(hand.seats.iter().map(|due| due.ante.units()).collect::<Vec<_>>(), [10; 4]);
}

#[test]
fn a_blind_passes_the_seats_strictly_between() {
    let (before, now) = (Positions { third: Some(7), ..at(2, 4, 5) }, Positions { third: Some(0), ..at(4, 7, 9) });
    let told = |seat| {
        let owes = missed(Some(&before), &now, seat);
        assert!(!owes.entry);
        (owes.small, owes.big, owes.third)
    };
    let (nothing, all) = ((false, false, false), 0..=9);
    let expected = [
        (5, (true, false, false)),
        (6, (true, true, false)),
        (7, (false, true, false)),
        (8, (false, true, true)),
        (9, (false, false, true)),
    ];
    let passed: Vec<_> = all.filter(|&seat| told(seat) != nothing).map(|seat| (seat, told(seat))).collect();
    assert_eq!(passed, expected);
    assert_eq!(missed(None, &now, 6), NOTHING);
    assert_eq!(missed(Some(&now), &now, 6), NOTHING, "a blind that stays passes nobody");
    assert_eq!(missed(Some(&at(2, 4, 5)), &now, 8), BIG, "there was no third blind before");
}

#[test]
fn g001cash_1_missed_both_posts_three_hundred_and_wins_six_hundred() {
    // Seats: small blind 1, big blind 2, cut-off 3, button 4. The cut-off sits out for two hands and comes back.
    let others = [settled(1), settled(2), settled(4)];
    let mut positions = at(4, 1, 2);
    let mut owes = NOTHING;
    for _ in 0..2 {
        let now = next_hand(&one_two(), Some(&positions), &others).unwrap().positions;
        let passed = missed(Some(&positions), &now, 3);
        owes = Owes { small: owes.small || passed.small, big: owes.big || passed.big, ..owes };
        positions = now;
    }
    assert_eq!(owes, BOTH);
    let candidates = [settled(1), settled(2), settled(4), owing(3, owes)];
    let hand = next_hand(&one_two(), Some(&positions), &candidates).unwrap();
    assert_eq!((hand.positions, told(&hand).as_str()), (at(4, 1, 2), "1:100 2:200 3:200+100 4"));
    let (rules, betting) = begin(&one_two(), &hand, &candidates);
    assert_eq!(pot(&betting), 600);
    assert_eq!(net_of_check_down(&rules, betting.clone(), [2, 1]), [-100, -200, 300, 0]);
    // Facing a raise to 600 they add 400.
    let mut raised = betting;
    raised.choose(2, Choice::Check).unwrap();
    raised.choose(3, Choice::RaiseTo(chips(600))).unwrap();
    raised.choose(0, Choice::Fold).unwrap();
    raised.choose(1, Choice::Fold).unwrap();
    let Step::Choose(options) = raised.step() else { panic!() };
    assert_eq!((options.seat, options.call), (2, chips(400)));
}

#[test]
fn g001cash_2_three_blinds_all_missed_make_a_pot_of_fourteen_hundred() {
    let before = Positions { third: Some(2), ..at(3, 5, 1) };
    let table = |owes| [settled(1), settled(2), settled(3), owing(4, owes), settled(5)];
    let hand = next_hand(&one_two_four(), Some(&before), &table(ALL)).unwrap();
    assert_eq!(told(&hand), "1:100 2:200 3:400 4:400+300 5");
    let (rules, betting) = begin(&one_two_four(), &hand, &table(ALL));
    assert_eq!(pot(&betting), 1_400);
    assert_eq!(net_of_check_down(&rules, betting, [3, 2]), [-100, -200, -400, 700, 0]);
    assert_eq!(play(&one_two_four(), before, &table(SMALL)), "1:100 2:200 3:400 4:0+100 5");
}

#[test]
fn sizes_that_no_table_can_have_are_refused_in_words() {
    let wrong = |change: fn(&mut Blinds)| {
        let mut blinds = one_two_four();
        change(&mut blinds);
        blinds.validate().unwrap_err()
    };
    assert_eq!(one_two().validate(), Ok(()));
    assert_eq!(one_two_four().validate(), Ok(()));
    assert_eq!(Blinds { big: chips(100), third: Some(chips(100)), ante: chips(100), ..one_two() }.validate(), Ok(()));
    assert!(wrong(|blinds| blinds.small = Chips::ZERO).contains("small"));
    assert!(wrong(|blinds| blinds.big = chips(99)).contains("big blind, 99"));
    assert!(wrong(|blinds| blinds.third = Some(chips(199))).contains("third blind, 199"));
    assert!(wrong(|blinds| blinds.third = Some(chips(1_000_000_000_001))).contains("1000000000000"));
    assert!(wrong(|blinds| blinds.ante = chips(201)).contains("ante, 201"));
    // A hand at such a table works too.
    let largest = Blinds { small: Chips::MAX, big: Chips::MAX, third: Some(Chips::MAX), straddle: true, ..one_two() };
    let table = [settled(0), settled(1), settled(2), settled(3), owing(4, ALL), settled(5)];
    let hand = next_hand(&largest, Some(&at(4, 4, 4)), &table).unwrap();
    let returned = hand.seats.iter().find(|due| due.seat == 4).unwrap();
    assert_eq!((returned.live, returned.dead), (Chips::MAX, Chips::MAX), "{hand:?}");
}

#[test]
fn they_read_as_they_write_and_no_other_word() {
    let blinds = serde_json::to_string(&one_two()).unwrap();
    assert_eq!(blinds, r#"{"small":100,"big":200,"ante":0,"straddle":false,"entry_post":"small"}"#);
    assert_eq!(serde_json::from_str::<Blinds>(&blinds).unwrap(), one_two());
    assert!(serde_json::from_str::<Blinds>(&blinds.replace("ante", "aunt")).is_err());
    let hand = next_hand(&one_two_four(), None, &[1, 2, 3, 4].map(settled)).unwrap();
    let text = serde_json::to_string(&hand).unwrap();
    assert_eq!(serde_json::from_str::<NextHand>(&text).unwrap(), hand);
    let candidate = serde_json::to_string(&waiting(1, ENTRY)).unwrap();
    assert!(candidate.contains(r#""entry":"wait""#), "{candidate}");
    assert_eq!(serde_json::from_str::<Candidate>(&candidate).unwrap(), waiting(1, ENTRY));
}

/// How often each seat had the button and the small, big and third blind.
type Counts = BTreeMap<u8, [u32; 4]>;

fn count(counts: &mut Counts, positions: &Positions) {
    let places = [Some(positions.button), Some(positions.small), Some(positions.big), positions.third];
    for (place, seat) in places.into_iter().enumerate() {
        if let Some(seat) = seat {
            counts.entry(seat).or_default()[place] += 1;
        }
    }
}

#[test]
fn where_nobody_comes_or_goes_each_has_button_and_blinds_once_an_orbit() {
    for (players, blinds) in (2..=10u8).flat_map(|players| [(players, one_two()), (players, one_two_four())]) {
        let table: Vec<Candidate> = (0..players).map(|place| settled(place * 7 % 11)).collect();
        let mut positions = None;
        for orbit in 0..4 {
            let mut counts = Counts::new();
            for _ in 0..players {
                let hand = next_hand(&blinds, positions.as_ref(), &table).unwrap();
                assert_eq!(hand.seats.len(), table.len());
                count(&mut counts, &hand.positions);
                positions = Some(hand.positions);
            }
            let third = u32::from(blinds.third.is_some() && players > 2);
            assert_eq!(counts.len(), table.len());
            assert!(
                counts.values().all(|count| *count == [1, 1, 1, third]),
                "{players} players, orbit {orbit}: {counts:?}"
            );
        }
    }
}

#[test]
fn who_sits_out_for_an_orbit_owes_every_blind_and_before_that_no_blind_twice() {
    for (others, blinds, start) in
        (3..=9u8).flat_map(|n| (0..n).flat_map(move |start| [(n, one_two(), start), (n, one_two_four(), start)]))
    {
        let table: Vec<Candidate> = (1..=others).map(settled).collect();
        let everybody: Vec<Candidate> = (0..=others).map(settled).collect();
        let mut positions = next_hand(&blinds, None, &everybody).unwrap().positions;
        for _ in 0..start {
            positions = next_hand(&blinds, Some(&positions), &everybody).unwrap().positions;
        }
        let mut passes = [0; 3];
        for hand in 0..=others {
            let now = next_hand(&blinds, Some(&positions), &table).unwrap().positions;
            let owes = missed(Some(&positions), &now, 0);
            for (count, passed) in passes.iter_mut().zip([owes.small, owes.big, owes.third]) {
                *count += u32::from(passed);
            }
            positions = now;
            assert!(
                hand == others || passes.iter().all(|&count| count <= 1),
                "{others} others from {start}: {passes:?}"
            );
        }
        let third = blinds.third.is_some();
        assert!(
            passes[0] >= 1 && passes[1] >= 1 && (passes[2] >= 1) == third,
            "{others} others from {start}: {passes:?}"
        );
    }
}

/// A player of the random room.
struct Player {
    candidate: Candidate,
    out: bool,
    /// How many seats the small and the big blind still have to pass to reach them, since they were last dealt in; a
    /// whole round from their own.
    to_go: [i32; 2],
}

/// Which of `from`'s next seats clockwise `to` is, 1 to 16 (itself).
fn steps(from: u8, to: u8) -> u8 {
    (to + 15 - from) % 16 + 1
}

fn either(one: Owes, other: Owes) -> Owes {
    Owes {
        entry: one.entry || other.entry,
        small: one.small || other.small,
        big: one.big || other.big,
        third: one.third || other.third,
    }
}

/// The posts of a seat that owes, by the table of the rules: live and dead.
fn by_the_rules(blinds: &Blinds, owes: Owes) -> (u64, u64) {
    match (owes.entry, owes.small, owes.big, owes.third) {
        (true, ..) => (if blinds.entry_post == EntryPost::Big { 200 } else { 100 }, 0),
        (_, false, false, false) => (0, 0),
        (_, true, false, false) => (0, 100),
        (_, false, true, false) => (200, 0),
        (_, true, true, false) => (200, 100),
        (_, false, false, true) => (400, 0),
        (_, true, false, true) => (400, 100),
        (_, false, true, true) => (400, 200),
        (_, true, true, true) => (400, 300),
    }
}

/// Properties of any hand. `candidates` owe no posts if the game began anew.
fn check(blinds: &Blinds, before: Option<&Positions>, candidates: &BTreeMap<u8, Candidate>, hand: &NextHand) {
    let Positions { button, small, big, third } = hand.positions;
    let of = |seat: u8| candidates[&seat];
    let order: Vec<u8> = hand.seats.iter().map(|due| due.seat).collect();
    let dealt = |seat: u8| order.contains(&seat);
    assert!(order.windows(2).all(|pair| steps(button, pair[0]) < steps(button, pair[1])), "clockwise, nobody twice");
    assert_eq!(order.last(), Some(&button));
    let heads_up = order.len() == 2;
    let last = third.unwrap_or(big);
    assert!(of(button).settled() && of(small).settled());
    assert!(button != big && small != big && (button == small) == heads_up);
    assert_eq!(third.is_some(), blinds.third.is_some() && !heads_up);
    assert!(third.is_none_or(|third| third != small && third != big && (third == button) == (order.len() == 3)));
    assert!(!heads_up || before.is_none_or(|before| before.big != big), "twice running");
    let blinds_in_order: Vec<u8> =
        if heads_up { vec![big, button] } else { [Some(small), Some(big), third].into_iter().flatten().collect() };
    assert!(order.starts_with(&blinds_in_order));
    for candidate in candidates.values() {
        let (seat, place) = (candidate.seat, steps(button, candidate.seat));
        let behind = !heads_up && place > steps(button, last);
        let expected = candidate.settled()
            || seat == last
            || (third.is_some() && seat == big)
            || behind && candidate.entry == EntryChoice::Post;
        assert_eq!(dealt(seat), expected, "seat {seat} of {candidates:?}");
        if !dealt(seat) && !heads_up && third.is_none() {
            assert!(
                candidate.entry == EntryChoice::Wait || place < steps(button, small),
                "only before the small blind"
            );
        }
    }
    if third.is_some() && !of(big).settled() {
        let between = |seat: u8| steps(button, seat) > steps(button, small) && seat != button;
        assert!(
            candidates.values().all(|candidate| !between(candidate.seat) || !candidate.settled()),
            "nobody else for the big blind"
        );
    }
    for (place, due) in hand.seats.iter().enumerate() {
        let candidate = of(due.seat);
        let sizes: &[u64] = if heads_up { &[200, 100] } else { &[100, 200, 400][..blinds_in_order.len()] };
        let straddle = 2 * sizes.last().unwrap();
        let straddles =
            blinds.straddle && candidate.straddle && candidate.settled() && candidate.stack.units() >= straddle + 5;
        let (live, dead) = by_the_rules(blinds, candidate.owes);
        let expected = match sizes.get(place) {
            Some(&size) => (size, 0, true),
            None if place == sizes.len() && straddles => (straddle, 0, true),
            None => (live, dead, false),
        };
        assert_eq!((due.live.units(), due.dead.units(), due.opens), expected, "seat {} of {candidates:?}", due.seat);
        assert_eq!(due.ante, blinds.ante);
    }
}

trait Settled {
    fn settled(&self) -> bool;
}

impl Settled for Candidate {
    fn settled(&self) -> bool {
        self.owes == NOTHING
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10_000) })]

    /// Before every hand players come, go, sit out, come back, choose to post or to wait.
    #[test]
    fn in_random_rooms_everybody_is_dealt_in_and_pays_as_ruled(
        seats in 2..=10u8,
        third: bool,
        straddle: bool,
        big_entry: bool,
        words in prop::collection::vec(any::<u32>(), 1..=100),
    ) {
        let entry_post = if big_entry { EntryPost::Big } else { EntryPost::Small };
        let blinds = Blinds { ante: chips(5), straddle, entry_post, ..if third { one_two_four() } else { one_two() } };
        let mut room: BTreeMap<u8, Player> = BTreeMap::new();
        let mut positions: Option<Positions> = None;
        for word in words {
            for word in [word % 0x1_0000, word / 0x1_0000] {
                let seat = (word % u32::from(seats)) as u8;
                let candidate = Candidate { stack: chips(700 + u64::from(word % 200)), ..owing(seat, ENTRY) };
                match (room.get_mut(&seat), word / 16 % 16) {
                    (None, _) => drop(room.insert(seat, Player { candidate, out: false, to_go: [0; 2] })),
                    (Some(_), 0) => drop(room.remove(&seat)),
                    (Some(player), 1..=4) => player.out = !player.out,
                    (Some(player), 5..=7) => player.candidate.entry = [EntryChoice::Wait, EntryChoice::Post][(word / 256 % 2) as usize],
                    (Some(player), 8..=9) => player.candidate.straddle = !player.candidate.straddle,
                    _ => {}
                }
            }
            // In any order.
            let mut candidates: Vec<Candidate> = room.values().filter(|player| !player.out).map(|player| player.candidate).collect();
            let turn = word as usize % candidates.len().max(1);
            candidates.rotate_left(turn);
            let hand = next_hand(&blinds, positions.as_ref(), &candidates);
            prop_assert_eq!(hand.is_some(), candidates.len() >= 2);
            let Some(hand) = hand else { continue };
            if candidates.iter().filter(|candidate| candidate.settled()).count() < 2 {
                candidates.iter_mut().for_each(|candidate| candidate.owes = NOTHING);
            }
            let by_seat = candidates.iter().map(|candidate| (candidate.seat, *candidate)).collect();
            check(&blinds, positions.as_ref(), &by_seat, &hand);
            let now = hand.positions;
            for (&seat, player) in &mut room {
                if hand.seats.iter().any(|due| due.seat == seat) {
                    player.candidate.owes = NOTHING;
                    player.to_go = [now.small, now.big].map(|blind| i32::from(steps(blind, seat)));
                } else if let Some(before) = positions.filter(|_| !player.candidate.owes.entry) {
                    player.candidate.owes = either(player.candidate.owes, missed(Some(&before), &now, seat));
                    for (to_go, (from, to)) in player.to_go.iter_mut().zip([(before.small, now.small), (before.big, now.big)]) {
                        *to_go -= i32::from(steps(from, to) % 16);
                    }
                    let owes = player.candidate.owes;
                    prop_assert_eq!([owes.small, owes.big], player.to_go.map(|to_go| to_go < 0), "seat {} sits out", seat);
                }
            }
            positions = Some(now);
        }
    }

    /// If players come but do not go, each has the last blind, the blinds before it and the button in turn, without
    /// repeats. A newcomer begins with the last blind whether they post or wait: there is no cheaper way in.
    #[test]
    fn where_players_only_come_each_has_every_blind_in_its_turn(
        third: bool,
        start in 0..10u8,
        newcomers in prop::collection::vec((0..4usize, 0..10u8, any::<bool>()), 0..=6),
    ) {
        let blinds = if third { one_two_four() } else { one_two() };
        let mut room: BTreeMap<u8, Candidate> = [0, 3, 4, 8].map(|place| (place + start) % 10).map(|seat| (seat, settled(seat))).into();
        let mut positions = None;
        let mut places: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
        // Three orbits at the end, for the last newcomers; seat `start` is taken.
        let gaps = newcomers.into_iter().chain([(30, start, false)]);
        for (hands, seat, posts) in gaps {
            for _ in 0..hands {
                let table: Vec<Candidate> = room.values().copied().collect();
                let hand = next_hand(&blinds, positions.as_ref(), &table).unwrap();
                let Positions { button, small, big, third } = hand.positions;
                for (place, seat) in [Some(button), Some(small), Some(big), third].into_iter().enumerate() {
                    if let Some(seat) = seat {
                        places.entry(seat).or_default().push(place);
                    }
                }
                hand.seats.iter().for_each(|due| room.get_mut(&due.seat).unwrap().owes = NOTHING);
                positions = Some(hand.positions);
            }
            room.entry(seat).or_insert(if posts { owing(seat, ENTRY) } else { waiting(seat, ENTRY) });
        }
        let last = 2 + usize::from(third);
        for (seat, places) in places {
            let first_four = [0, 3, 4, 8].contains(&((seat + 10 - start) % 10));
            prop_assert!(first_four || places[0] == last, "seat {seat} came in on {places:?}");
            prop_assert!(places.windows(2).all(|pair| pair[1] == (pair[0] + last) % (last + 1)), "seat {seat} had {places:?}");
            prop_assert!(places.len() >= 2 * last, "seat {seat} had {places:?}");
        }
    }
}
