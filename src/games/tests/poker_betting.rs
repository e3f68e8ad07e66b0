//! Which actions each seat may take, and when (spec/games/poker.md, "Betting").

use fairshoe_games::Chips;
use fairshoe_games::poker::rank::Family;
use fairshoe_games::poker::{
    BadPosts, Betting, BettingRule, Choice, HandRules, IllegalChoice, OddChips, Options, Post, Reopening, Step, Street,
    layer,
};

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

fn rules(betting: BettingRule) -> HandRules {
    HandRules {
        family: Family::Holdem,
        hi_lo: false,
        betting,
        full_blind: true,
        ante_layers: true,
        reopening: Reopening::Full,
        odd_chips: OddChips::OneEach,
        rake: None,
    }
}

fn no_limit() -> HandRules {
    rules(BettingRule::NoLimit { min_bet: chips(100) })
}

fn post(stack: u64, live: u64) -> Post {
    Post { stack: chips(stack), ante: Chips::ZERO, live: chips(live), dead: Chips::ZERO, opens: true }
}

/// Stacks with blinds of 50 and 100 for the first two.
fn begin(rules: HandRules, stacks: &[u64]) -> Betting {
    let posts: Vec<Post> = stacks
        .iter()
        .enumerate()
        .map(|(seat, stack)| post(*stack, [50, 100].get(seat).copied().unwrap_or(0)))
        .collect();
    Betting::begin(rules, &posts).unwrap()
}

fn options(betting: &Betting) -> Options {
    match betting.step() {
        Step::Choose(options) => options,
        step => panic!("{step:?}"),
    }
}

fn seat(betting: &Betting) -> usize {
    options(betting).seat
}

fn raise(betting: &Betting) -> Option<(u64, u64)> {
    options(betting).raise.map(|(min, max)| (min.units(), max.units()))
}

/// Plays `f`, `c` (check or call) or an amount to raise to, each by the seat whose turn it is.
fn play(betting: &mut Betting, choices: &str) {
    for word in choices.split_whitespace() {
        let Options { seat, call, .. } = options(betting);
        let choice = match word {
            "f" => Choice::Fold,
            "c" if call == Chips::ZERO => Choice::Check,
            "c" => Choice::Call,
            amount => Choice::RaiseTo(chips(amount.parse().unwrap())),
        };
        betting.choose(seat, choice).unwrap_or_else(|e| panic!("seat {seat}, {word}: {e}"));
    }
}

#[test]
fn the_first_turn_is_left_of_the_big_blind_and_he_has_the_last_word() {
    let mut betting = begin(no_limit(), &[1_000, 1_000, 1_000, 1_000]);
    assert_eq!(seat(&betting), 2);
    play(&mut betting, "c c c");
    let option = options(&betting);
    assert_eq!((option.seat, option.call, option.raise), (1, Chips::ZERO, Some((chips(200), chips(1_000)))));
    play(&mut betting, "c");
    assert_eq!(betting.step(), Step::Deal(Street::Flop));
    assert!(betting.deal() && !betting.deal());
    assert_eq!(seat(&betting), 0, "after the flop the first from the left of the button");
}

#[test]
fn with_two_players_the_button_posts_the_small_blind_and_chooses_first() {
    // In the order from the left of the button the big blind is the first of two.
    let posts = [post(1_000, 100), post(1_000, 50)];
    let mut betting = Betting::begin(no_limit(), &posts).unwrap();
    assert_eq!(seat(&betting), 1);
    play(&mut betting, "c c");
    assert!(betting.deal());
    assert_eq!(seat(&betting), 0);
}

#[test]
fn a_straddle_moves_the_first_turn_and_a_returning_players_post_does_not() {
    let posts = [post(1_000, 50), post(1_000, 100), post(1_000, 200), post(1_000, 0)];
    assert_eq!(seat(&Betting::begin(no_limit(), &posts).unwrap()), 3);
    let returning = Post { opens: false, ..post(1_000, 100) };
    let posts = [post(1_000, 50), post(1_000, 100), post(1_000, 0), returning];
    let mut betting = Betting::begin(no_limit(), &posts).unwrap();
    assert_eq!(seat(&betting), 2);
    play(&mut betting, "c");
    assert_eq!((seat(&betting), options(&betting).call), (3, Chips::ZERO), "his post is live: he may check");
    play(&mut betting, "c c c");
    assert_eq!(betting.step(), Step::Deal(Street::Flop));
}

#[test]
fn g001cash_1_dead_money_does_not_count_towards_a_call() {
    // Missed both at 1/2: live 200 and dead 100. Facing a raise to 600 they add 400.
    let back = Post { dead: chips(100), opens: false, ..post(20_000, 200) };
    let posts = [post(20_000, 100), post(20_000, 200), post(20_000, 0), back];
    let mut betting = Betting::begin(rules(BettingRule::NoLimit { min_bet: chips(200) }), &posts).unwrap();
    play(&mut betting, "600");
    assert_eq!(options(&betting).call, chips(400));
}

#[test]
fn a001_qq_an_all_in_below_a_full_raise_does_not_open_the_betting_again() {
    let mut betting = begin(no_limit(), &[1_000, 1_000, 1_000, 450]);
    play(&mut betting, "300");
    assert_eq!(raise(&betting), Some((450, 450)), "all-in for less than the least raise to 500");
    play(&mut betting, "450 c c");
    // The first raiser faces 150 more, not a full raise of 200: they call or fold.
    assert_eq!((seat(&betting), raise(&betting), options(&betting).call), (2, None, chips(150)));
    assert_eq!(betting.choose(2, Choice::RaiseTo(chips(900))), Err(IllegalChoice::NoRaise));
}

#[test]
fn who_has_not_chosen_yet_may_raise_over_a_short_all_in_by_a_full_raise() {
    let mut betting = begin(no_limit(), &[1_000, 1_000, 1_000, 450]);
    play(&mut betting, "300 450");
    assert_eq!(raise(&betting), Some((650, 1_000)));
}

#[test]
fn short_all_ins_that_make_up_a_full_raise_together_open_it_again() {
    let mut betting = begin(no_limit(), &[420, 2_000, 2_000, 350]);
    play(&mut betting, "300 350 420 c");
    // 120 of the 200 that a raise needs: no reopening yet.
    assert_eq!((seat(&betting), raise(&betting)), (2, None));
    let mut betting = begin(no_limit(), &[550, 2_000, 2_000, 400]);
    play(&mut betting, "300 400 550 c");
    assert_eq!((seat(&betting), raise(&betting)), (2, Some((750, 2_000))), "250 together");
}

#[test]
fn where_the_rules_say_so_any_all_in_opens_the_betting_again() {
    let mut betting = begin(HandRules { reopening: Reopening::Any, ..no_limit() }, &[1_000, 1_000, 1_000, 450]);
    play(&mut betting, "300 450 c c");
    assert_eq!((seat(&betting), raise(&betting)), (2, Some((650, 1_000))));
}

#[test]
fn a_blind_that_is_short_is_called_in_full_where_the_rules_say_so() {
    let posts = [post(1_000, 50), post(60, 100), post(1_000, 0)];
    let full = Betting::begin(no_limit(), &posts).unwrap();
    assert_eq!((options(&full).call, raise(&full)), (chips(100), Some((200, 1_000))));
    let short = Betting::begin(HandRules { full_blind: false, ..no_limit() }, &posts).unwrap();
    assert_eq!(options(&short).call, chips(60));
}

#[test]
fn pot_limit_counts_the_call_into_the_pot() {
    let pot_limit = rules(BettingRule::PotLimit { min_bet: chips(100) });
    let mut betting = begin(pot_limit, &[10_000, 10_000, 10_000]);
    assert_eq!(raise(&betting), Some((200, 350)), "call 100, then the pot of 250 on top");
    play(&mut betting, "350");
    assert_eq!(raise(&betting), Some((600, 1_150)), "call 300 makes 800");
    play(&mut betting, "c f");
    assert!(betting.deal());
    assert_eq!(raise(&betting), Some((100, 800)));
}

#[test]
fn fixed_limit_has_one_size_a_street_and_a_cap_that_no_fold_lifts() {
    let limit = |cap| {
        let fixed = BettingRule::FixedLimit { small_bet: chips(100), big_bet: chips(200), cap };
        begin(rules(fixed), &[10_000, 10_000, 10_000])
    };
    let mut betting = limit(Some(4));
    assert_eq!(raise(&betting), Some((200, 200)));
    play(&mut betting, "200 300 400");
    assert_eq!(raise(&betting), None, "the blind, and three raises");
    play(&mut betting, "f");
    assert_eq!((seat(&betting), raise(&betting)), (0, None), "two are left, and the street is capped");
    play(&mut betting, "c");
    assert!(betting.deal());
    play(&mut betting, "c c");
    assert!(betting.deal());
    assert_eq!(raise(&betting), Some((200, 200)), "the turn's is the big bet");
    play(&mut betting, "200 400 600 800");
    assert_eq!(raise(&betting), None, "a street of two has its cap, too");
    let mut betting = limit(None);
    play(&mut betting, "200 f 300 400 500 600");
    assert_eq!(raise(&betting), Some((700, 700)), "without a cap they may go on");
}

#[test]
fn chips_that_nobody_could_call_are_not_bet() {
    // The seat with 450 is the most that can call the first.
    let mut betting = begin(no_limit(), &[300, 450, 1_000]);
    assert_eq!(raise(&betting), Some((200, 450)));
    play(&mut betting, "450");
    assert_eq!(betting.seats()[2].stack, chips(550));
    play(&mut betting, "c c");
    assert_eq!(betting.seats().iter().map(|seat| seat.put_in().units()).collect::<Vec<_>>(), [300, 450, 450]);
    // A full raise is allowed if another seat can call a part of it.
    let mut betting = begin(no_limit(), &[1_000, 1_000, 1_000, 350]);
    play(&mut betting, "c 300 f f");
    assert_eq!((seat(&betting), raise(&betting)), (2, Some((500, 500))));
    let posts = [post(350, 100), post(1_000, 50)];
    let mut betting = Betting::begin(no_limit(), &posts).unwrap();
    assert_eq!(raise(&betting), Some((200, 350)));
    play(&mut betting, "200");
    assert_eq!(raise(&betting), Some((300, 350)));
    // No seat can match more than the level: the all-in seat has no chips left, the other has less.
    let mut betting = begin(no_limit(), &[5_000, 150, 2_500, 4_850]);
    play(&mut betting, "2500 f");
    assert_eq!((seat(&betting), options(&betting).call, raise(&betting)), (0, chips(2_450), None));
    assert_eq!(betting.choose(0, Choice::RaiseTo(chips(5_000))), Err(IllegalChoice::NoRaise));
}

#[test]
fn all_but_one_all_in_need_no_more_choices() {
    let mut betting = begin(no_limit(), &[300, 1_000, 500]);
    play(&mut betting, "500 c");
    // The big blind covers both; when they call, no choice is left on any street.
    play(&mut betting, "c");
    for street in [Street::Flop, Street::Turn, Street::River] {
        assert_eq!(betting.step(), Step::Deal(street));
        assert!(betting.deal());
    }
    assert_eq!(betting.step(), Step::Showdown { first: 0 });
}

#[test]
fn nobody_raises_against_players_who_are_all_in() {
    let posts = [post(300, 100), post(1_000, 50)];
    let mut betting = Betting::begin(no_limit(), &posts).unwrap();
    play(&mut betting, "c 300");
    assert_eq!((options(&betting).call, raise(&betting)), (chips(200), None));
}

#[test]
fn the_last_to_bet_on_the_river_shows_first() {
    let mut betting = begin(no_limit(), &[1_000, 1_000, 1_000]);
    play(&mut betting, "c c c");
    for _ in 0..2 {
        assert!(betting.deal());
        play(&mut betting, "c c c");
    }
    assert!(betting.deal());
    play(&mut betting, "c 100 c c");
    assert_eq!(betting.step(), Step::Showdown { first: 1 });
    assert!(betting.muck(2) && !betting.muck(2), "a called hand is given up once");
    assert!(betting.muck(0));
    assert_eq!(betting.step(), Step::Won { seat: 1 });
    assert!(!betting.muck(1), "the last hand is not given up");
}

#[test]
fn a_hand_that_cannot_begin_is_refused_by_name() {
    assert_eq!(Betting::begin(no_limit(), &[post(1, 0)]), Err(BadPosts::Seats));
    assert_eq!(Betting::begin(no_limit(), &[post(1, 0); 11]), Err(BadPosts::Seats));
    assert_eq!(Betting::begin(no_limit(), &[post(1, 0), post(0, 0)]), Err(BadPosts::NoChips(1)));
    assert_eq!(
        Betting::begin(no_limit(), &[post(1, 0), Post { stack: Chips::MAX, ..post(1, 0) }]),
        Err(BadPosts::TooMany)
    );
    assert_eq!(
        Betting::begin(rules(BettingRule::NoLimit { min_bet: Chips::ZERO }), &[post(1, 0); 2]),
        Err(BadPosts::BetSize)
    );
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn random_hands_end_conserve_chips_and_refuse_what_is_not_offered() {
    let mut rng = Rng(3);
    for _ in 0..50_000 {
        let betting_rule = match rng.below(3) {
            0 => BettingRule::NoLimit { min_bet: chips(10) },
            1 => BettingRule::PotLimit { min_bet: chips(10) },
            _ => BettingRule::FixedLimit { small_bet: chips(10), big_bet: chips(20), cap: Some(4) },
        };
        let hand = HandRules { full_blind: rng.below(2) == 0, ante_layers: rng.below(2) == 0, ..rules(betting_rule) };
        let count = 2 + rng.below(9) as usize;
        let posts: Vec<Post> = (0..count)
            .map(|seat| Post {
                ante: chips(rng.below(3)),
                dead: chips(if rng.below(6) == 0 { 5 } else { 0 }),
                ..post(1 + rng.below(300), [5, 10].get(seat).copied().unwrap_or(0))
            })
            .collect();
        let all: u64 = posts.iter().map(|post| post.stack.units()).sum();
        let mut betting = Betting::begin(hand, &posts).unwrap();
        let mut steps = 0;
        loop {
            steps += 1;
            assert!(steps < 5_000, "a hand ends");
            match betting.step() {
                Step::Choose(Options { seat, call, raise }) => {
                    let before = betting.clone();
                    assert_eq!(
                        betting.choose((seat + 1) % count, Choice::Fold),
                        Err(IllegalChoice::NotYourTurn { turn: seat })
                    );
                    let wrong = if call > Chips::ZERO { Choice::Check } else { Choice::Call };
                    assert!(betting.choose(seat, wrong).is_err());
                    if let Some((min, max)) = raise {
                        assert!(min <= max);
                        assert!(betting.choose(seat, Choice::RaiseTo(max.plus(chips(1)).unwrap())).is_err());
                        assert!(betting.choose(seat, Choice::RaiseTo(min.minus(chips(1)).unwrap())).is_err());
                    }
                    assert!(!betting.deal() && !betting.muck(seat));
                    assert_eq!(betting, before, "a refusal changes nothing");
                    let choice = match (rng.below(5), raise) {
                        (0, _) => Choice::Fold,
                        (1, Some((min, _))) => Choice::RaiseTo(min),
                        (2, Some((min, max))) => {
                            Choice::RaiseTo(chips(min.units() + rng.below(max.units() - min.units() + 1)))
                        }
                        _ if call > Chips::ZERO => Choice::Call,
                        _ => Choice::Check,
                    };
                    betting.choose(seat, choice).unwrap();
                }
                Step::Deal(_) => assert!(betting.deal()),
                Step::Showdown { .. } | Step::Won { .. } => break,
            }
            let put_in: u64 = betting.contributions().unwrap().iter().map(|c| c.layered.units() + c.dead.units()).sum();
            assert_eq!(put_in + betting.seats().iter().map(|seat| seat.stack.units()).sum::<u64>(), all);
        }
        let layers = layer(&betting.contributions().unwrap()).unwrap();
        let piled: u64 = layers.pots.iter().map(|pot| pot.amount.units()).sum();
        let back = layers.uncalled.map_or(0, |(_, amount)| amount.units());
        assert_eq!(piled + back + betting.seats().iter().map(|seat| seat.stack.units()).sum::<u64>(), all);
    }
}
