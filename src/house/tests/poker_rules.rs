//! Rules of document 001 for a hand at a cash table, by number, through whole hands: posts, turns, pots, rake. R001.16
//! ($1 = $0.92 + $0.08) is not among them: it is an example of a tournament's fee, and a cash table's fee is its rake.

use crate::common;

use common::poker::*;
use common::shared::*;
use common::*;
use fairshoe_games::poker::{Due, EntryChoice, Owes};
use fairshoe_games::{Action, ActionKind, Offer, RoundEvent};
use fairshoe_house::{Account, Command, Entry, Event, Refusal, SitOutCause};

const FOUR: [(&str, u64); 4] = [("alice", 20_000), ("bob", 20_000), ("carol", 20_000), ("dave", 20_000)];

fn due_of(room: &Room, who: &str) -> Option<Due> {
    room.start().seats.into_iter().find(|seat| seat.player.as_str() == who).map(|seat| seat.due)
}

/// Dead, live, whether it opens.
fn posts(room: &Room, who: &str) -> Option<(u64, u64, bool)> {
    due_of(room, who).map(|due| (due.dead.units(), due.live.units(), due.opens))
}

fn kinds(offers: &[Offer]) -> Vec<ActionKind> {
    offers.iter().map(|offer| offer.action).collect()
}

fn cost(room: &Room, kind: ActionKind) -> Option<u64> {
    room.offers("t1").unwrap().1.iter().find(|offer| offer.action == kind).map(|offer| offer.cost.units())
}

fn owes(room: &Room, who: &str) -> Owes {
    room.table("t1").cash_seat(&player(who)).unwrap().1.owes
}

/// Three settled players at seats 1 to 3 are at their third hand when dave sits at 4; the fourth has its button at 1.
fn with_newcomer(options: &[(&str, &str)], entry: EntryChoice) -> Room {
    let mut room = Room::empty(options, &["alice", "bob", "carol", "dave"]);
    for (seat, who) in (1..).zip(["alice", "bob", "carol"]) {
        room.buy_in("t1", who, seat, 20_000).unwrap();
    }
    room.run_due();
    room.quick_hands(2);
    room.deal_any();
    let sit = Command::SitDown { table: table("t1"), seat: 4, buy_in: chips(5_000), client: None, entry: Some(entry) };
    room.give(&by("dave"), sit).unwrap();
    room.fold_out();
    room
}

/// Four players; the last one sits out from the second hand on and comes back for the fourth.
fn with_returner(options: &[(&str, &str)], players: &[(&str, u64)], out_after: usize, back_after: usize) -> Room {
    let mut room = Room::new(options, players);
    let who = players.last().unwrap().0;
    room.quick_hands(out_after);
    room.sit_out(who).unwrap();
    room.quick_hands(back_after - out_after);
    room.ask("t1", who).unwrap();
    room
}

#[test]
fn r001_1_a_newcomer_posts_the_small_blind_live_and_acts_where_he_sits() {
    let mut room = with_newcomer(&[], EntryChoice::Post);
    assert_eq!(owes(&room, "dave"), Owes { entry: true, ..Owes::default() });
    room.deal_any();
    assert_eq!(room.start().positions.button, 1);
    assert_eq!(posts(&room, "dave"), Some((0, 100, false)));
    // Dave sits behind the big blind: the first turn is dave's, and the post counts towards the call.
    assert_eq!(room.asked("t1"), ["dave"]);
    assert_eq!(cost(&room, ActionKind::Call), Some(100));
    assert_eq!(owes(&room, "dave"), Owes::default());
}

#[test]
fn r001_1_who_waits_for_the_big_blind_comes_in_free() {
    let mut room = with_newcomer(&[], EntryChoice::Wait);
    room.deal_any();
    assert_eq!(posts(&room, "dave"), None, "he waits");
    room.fold_out();
    assert_eq!(room.stack("t1", "dave"), 5_000);
    room.deal_any();
    assert_eq!(room.start().positions.big, 4);
    assert_eq!(posts(&room, "dave"), Some((0, 200, true)));
}

#[test]
fn a001_c_the_initial_fee_is_the_big_blind_where_the_table_says_so() {
    let blinds = r#"{"small":100,"big":200,"ante":0,"straddle":false,"entry_post":"big"}"#;
    let mut room = with_newcomer(&[("blinds", blinds)], EntryChoice::Post);
    room.deal_any();
    assert_eq!(posts(&room, "dave"), Some((0, 200, false)));
    assert_eq!(kinds(&room.offers("t1").unwrap().1)[1], ActionKind::Check);
}

#[test]
fn r001_2_missed_small_blind_is_posted_dead() {
    // Dave has had the big blind in the second hand and sits out as the small one comes.
    let mut room = with_returner(&[], &FOUR, 2, 3);
    assert_eq!(owes(&room, "dave"), Owes { small: true, ..Owes::default() });
    room.deal_any();
    assert_eq!(posts(&room, "dave"), Some((100, 0, false)));
    // Dead chips do not count towards the call (R001.5), and are in the pot.
    assert_eq!(cost(&room, ActionKind::Call), Some(200));
    assert!(room.table("t1").live_round().unwrap().game.view().to_string().contains(r#""pot":400"#));
}

#[test]
fn r001_3_and_g001cash_1_missed_both_posts_live_big_and_dead_small() {
    let mut room = with_returner(&[], &FOUR, 1, 3);
    assert_eq!(owes(&room, "dave"), Owes { small: true, big: true, ..Owes::default() });
    let before = room.stacks(&["bob", "carol", "dave"]);
    room.deal_wished(&[("carol", "2c 7d"), ("dave", "As Ad")], "Kh Qs 9h 5c 3d");
    assert_eq!(posts(&room, "dave"), Some((100, 200, false)));
    room.play("dave check, alice fold, bob fold, carol check");
    room.play("carol check, dave check, carol check, dave check, carol check, dave check");
    let entry = room.play("dave show");
    let (pots, uncalled, _) = settled(&entry);
    assert_eq!((pots.len(), pots[0].amount, uncalled), (1, chips(600), None));
    assert_eq!(
        net(&entry),
        [("alice", 0), ("bob", -100), ("carol", -200), ("dave", 300)].map(|(who, net)| (who.to_owned(), net))
    );
    let after = room.stacks(&["bob", "carol", "dave"]);
    assert_eq!([after[0] + 100, after[1] + 200, after[2] - 300], before[..]);
}

#[test]
fn r001_5_and_g001cash_1_dead_money_does_not_count_towards_a_call() {
    let mut room = with_returner(&[], &FOUR, 1, 3);
    room.deal_any();
    room.play("dave check, alice raise 600, bob fold, carol fold");
    assert_eq!((room.asked("t1"), cost(&room, ActionKind::Call)), (vec!["dave".to_owned()], Some(400)));
}

#[test]
fn r001_4_and_g001cash_2_missed_three_posts_live_third_and_two_dead() {
    let options = [
        ("blinds", r#"{"small":100,"big":200,"third":400,"ante":0,"straddle":false,"entry_post":"small"}"#),
        (
            "hand",
            r#"{"family":"holdem","hi_lo":false,"betting":{"no_limit":{"min_bet":400}},"full_blind":true,"ante_layers":true}"#,
        ),
        ("stake_min", "400"),
    ];
    let players = [FOUR[0], FOUR[1], FOUR[2], FOUR[3], ("erin", 20_000)];
    let mut room = with_returner(&options, &players, 1, 4);
    assert_eq!(owes(&room, "erin"), Owes { small: true, big: true, third: true, entry: false });
    room.deal_any();
    assert_eq!(posts(&room, "erin"), Some((300, 400, false)));
    assert!(room.table("t1").live_round().unwrap().game.view().to_string().contains(r#""pot":1400"#));
    // Missed the small one alone: 100 dead.
    let mut room = with_returner(&options, &players, 3, 4);
    assert_eq!(owes(&room, "erin"), Owes { small: true, ..Owes::default() });
    room.deal_any();
    assert_eq!(posts(&room, "erin"), Some((100, 0, false)));
}

#[test]
fn a001_d_who_missed_the_big_blind_alone_is_asked_for_nothing_more() {
    // With three at the table a player who sits out after their button misses the big blind before the small one.
    let mut room = Room::new(&[], &FOUR[..3]);
    room.quick_hands(2);
    room.sit_out("bob").unwrap();
    room.deal_any();
    room.fold_out();
    assert_eq!(owes(&room, "bob"), Owes { big: true, ..Owes::default() });
    room.ask("t1", "bob").unwrap();
    room.deal_any();
    // It is live: the player is back on the big blind itself. That they post it alone elsewhere, `poker_posts::a001_d…`
    // has.
    assert_eq!((posts(&room, "bob"), room.start().positions.big), (Some((0, 200, true)), 2));
}

fn showdown(room: &mut Room) -> Entry {
    let mut last = room.play("alice call, bob call, carol check");
    while let Some(who) = room.asked("t1").first().cloned() {
        let word = kinds(&room.offers("t1").unwrap().1)[1];
        last = room.choose("t1", &who, if word == ActionKind::Muck { Action::Show } else { Action::Check }).unwrap();
    }
    last
}

#[test]
fn r001_6_the_kicker_decides_and_no_suit_ranks() {
    let mut room = Room::new(&[], &FOUR[..3]);
    room.deal_wished(&[("alice", "Kc Qd"), ("bob", "Kd Jc"), ("carol", "2c 3d")], "Ks 9h 8d 6c 4s");
    assert_eq!(net(&showdown(&mut room))[0], ("alice".into(), 400));
    // Spades and clubs of the same ranks tie.
    room.run_due();
    room.deal_wished(&[("alice", "As Qs"), ("bob", "Ac Qc"), ("carol", "2c 3d")], "Ah 9h 8d 6c 4d");
    room.play("bob call, carol call, alice check");
    let mut last = None;
    while let Some(who) = room.asked("t1").first().cloned() {
        let word = kinds(&room.offers("t1").unwrap().1)[1];
        last =
            Some(room.choose("t1", &who, if word == ActionKind::Muck { Action::Show } else { Action::Check }).unwrap());
    }
    let net = net(&last.unwrap());
    assert_eq!((net[0].1, net[1].1, net[2].1), (100, 100, -200));
}

#[test]
fn r001_7_and_a001_a_a_tie_splits_and_the_odd_chip_goes_left_of_the_button() {
    let blinds = r#"{"small":101,"big":200,"ante":0,"straddle":false,"entry_post":"small"}"#;
    let mut room = Room::new(&[("blinds", blinds)], &FOUR[..3]);
    room.deal_wished(&[("alice", "As Qs"), ("carol", "Ac Qc")], "Ah 9h 8d 6c 4d");
    // Alice has the button: carol is the first to its left who is still in.
    room.play("alice call, bob fold, carol check");
    for _ in 0..3 {
        room.play("carol check, alice check");
    }
    let (pots, ..) = settled(&room.play("alice show"));
    let won: Vec<(u8, u64)> = pots[0].won.iter().map(|share| (share.seat, share.amount.units())).collect();
    assert_eq!((pots[0].amount.units(), won), (501, vec![(3, 251), (1, 250)]));
}

fn offered(entry: &Entry) -> (u64, Option<u64>) {
    the(entry, some!(Event::Play(RoundEvent::Offered { deadline, bank_from, .. }) => (*deadline, *bank_from)))
}

fn bank_used(entry: &Entry) -> Option<(String, u64, u64)> {
    entry
        .events
        .iter()
        .find_map(some!(Event::BankUsed { player, used_ms, left_ms, .. } => (player.to_string(), *used_ms, *left_ms)))
}

const CLOCKS: (&str, &str) =
    ("clocks", r#"{"street_extra_ms":[0,1000,2000,3000],"bank_ms":5000,"bank_refill_ms":1500}"#);

#[test]
fn r001_83_the_limit_in_force_is_in_the_offer_and_grows_by_street() {
    let no_bank = ("clocks", r#"{"street_extra_ms":[0,1000,2000,3000],"bank_ms":0,"bank_refill_ms":0}"#);
    let mut room = Room::new(&[no_bank], &FOUR[..2]);
    let now = room.now;
    assert_eq!(offered(&room.deal_any()), (now + 20_000, None));
    room.play("alice call");
    for extra in [1_000, 2_000, 3_000] {
        let asked = room.asked("t1");
        let entry = room.play(&format!("{} check", asked[0]));
        assert_eq!(offered(&entry), (now + 20_000 + extra, None));
        room.play("bob check");
        if extra < 3_000 {
            assert_eq!(room.asked("t1"), ["alice"]);
        }
    }
}

#[test]
fn r001_84_the_time_bank_starts_by_itself_and_loses_only_what_is_beyond_the_base() {
    let mut room = Room::new(&[CLOCKS], &FOUR[..2]);
    let start = room.now;
    assert_eq!(offered(&room.deal_any()), (start + 25_000, Some(start + 20_000)));
    room.now += 20_000;
    // Up to the base's end nothing is used; then each millisecond.
    let entry = room.play("alice raise 400");
    assert_eq!(bank_used(&entry), None);
    room.now += 22_500;
    let entry = room.play("bob call");
    assert_eq!(bank_used(&entry), Some(("bob".into(), 2_500, 2_500)));
    // On the flop bob is first, with a second more and what is left in bob's bank.
    assert_eq!(offered(&entry), (room.now + 21_000 + 2_500, Some(room.now + 21_000)));
    // It is refilled with the next hand, up to the full bank.
    room.play("bob check, alice bet 400, bob fold");
    room.run_due();
    room.deal_any();
    let bank = |who: &str| room.start().seats.iter().find(|seat| seat.player.as_str() == who).unwrap().bank_ms;
    assert_eq!((bank("bob"), bank("alice")), (4_000, 5_000));
}

#[test]
fn r001_9_an_exhausted_time_bank_is_a_fold() {
    let mut room = Room::new(&[CLOCKS], &FOUR[..2]);
    room.deal_any();
    room.play("alice raise 600");
    room.now += 24_999;
    assert_eq!(room.run_due().len(), 0, "the bank runs still");
    room.now += 1;
    assert_eq!(refusal(room.choose("t1", "bob", Action::Call)), Refusal::DeadlinePassed(room.now));
    let entry = room.run_due().remove(0);
    assert_eq!(bank_used(&entry), Some(("bob".into(), 5_000, 0)));
    assert_eq!(net(&entry), [("alice".to_owned(), 200), ("bob".to_owned(), -200)]);
    let out = the(&entry, |event| {
        if let Event::SatOut { player, cause, .. } = event { Some((player.to_string(), *cause)) } else { None }
    });
    assert_eq!(out, ("bob".to_owned(), SitOutCause::TimedOut));
}

fn lapse_of_a_free_check(options: &[(&str, &str)]) -> Entry {
    let mut room = Room::new(options, &FOUR[..2]);
    room.deal_any();
    room.play("alice call");
    room.now += 20_000;
    room.run_due().remove(0)
}

#[test]
fn r001_8_a_turn_that_lapses_is_a_fold_even_with_a_free_check() {
    let entry = lapse_of_a_free_check(&[]);
    let acted =
        the(&entry, some!(Event::Play(RoundEvent::Acted { action, default, .. }) => (action.clone(), *default)));
    assert_eq!(acted, (Action::Fold, true));
    // What bob had bet is forfeited.
    assert_eq!(net(&entry), [("alice".to_owned(), 200), ("bob".to_owned(), -200)]);
}

#[test]
fn a001_b_where_the_table_says_so_a_turn_that_lapses_is_a_check_where_that_is_free() {
    let entry = lapse_of_a_free_check(&[("cash_timeout", "check_if_free")]);
    assert!(
        entry
            .events
            .iter()
            .any(|e| matches!(e, Event::Play(RoundEvent::Acted { action: Action::Check, default: true, .. })))
    );
    assert!(entry.events.iter().any(|e| matches!(e, Event::Play(RoundEvent::Offered { .. }))), "the hand goes on");
    // Where there is something to call it is a fold all the same.
    let mut room = Room::new(&[("cash_timeout", "check_if_free")], &FOUR[..2]);
    room.deal_any();
    room.play("alice raise 400");
    room.now += 20_000;
    assert_eq!(net(&room.run_due().remove(0))[1], ("bob".to_owned(), -200));
}

#[test]
fn r001_12_nobody_bets_more_than_lay_there_at_the_hands_start() {
    let mut room = Room::new(&[], &[("alice", 3_000), ("bob", 20_000)]);
    room.deal_any();
    room.add_chips("alice", 5_000).unwrap();
    assert_eq!(room.stack("t1", "alice"), 3_000, "chips come between hands alone");
    let (_, offers) = room.offers("t1").unwrap();
    assert_eq!(offers[2].to, Some((chips(400), chips(3_000))));
    let code = refusal(room.choose("t1", "alice", action("raise 3001"))).code();
    assert_eq!(code, "raise_out_of_range");
    room.play("alice fold");
    let tidied = room.run_due();
    assert!(matches!(tidied[0].command, Command::TidySeats { .. }));
    assert_eq!((room.stack("t1", "alice"), room.balance("alice")), (7_900, 2_000_000 - 8_000));
}

#[test]
fn r001_86_who_is_all_in_is_asked_nothing_more_and_stays_to_the_showdown() {
    let mut room = Room::new(&[], &[("alice", 2_000), ("bob", 20_000), ("carol", 20_000)]);
    room.deal_wished(&[("alice", "As Ad"), ("bob", "2c 7d"), ("carol", "Kc Kd")], "Qh Js 9h 5c 3d");
    room.play("alice raise 2000, bob call, carol call");
    room.play("bob bet 1000, carol call, bob check, carol check");
    let entry = room.play("bob check, carol check");
    // With somebody all-in every hand is turned up, from the left of the button.
    assert_eq!(turned(&entry), "2c 7d Kc Kd As Ad");
    assert_eq!(
        net(&entry),
        [("alice", 4_000), ("bob", -3_000), ("carol", -1_000)].map(|(who, net)| (who.to_owned(), net))
    );
}

#[test]
fn a001_qq_an_all_in_below_a_full_raise_does_not_reopen_the_betting() {
    let mut room = Room::new(&[], &[("alice", 10_000), ("bob", 1_000), ("carol", 10_000)]);
    room.deal_any();
    room.play("alice raise 800, bob raise 1000");
    assert_eq!(room.offers("t1").unwrap().1[2].to, Some((chips(1_600), chips(10_000))), "carol has not chosen yet");
    room.play("carol call");
    assert_eq!(kinds(&room.offers("t1").unwrap().1), [ActionKind::Fold, ActionKind::Call]);
    assert_eq!(cost(&room, ActionKind::Call), Some(200));
    assert_eq!(refusal(room.choose("t1", "alice", action("raise 5000"))).code(), "action_not_offered");
}

#[test]
fn a001_qq_four_all_in_make_two_side_pots_and_ties_split_pot_by_pot() {
    let mut room = Room::new(&[], &[("alice", 1_000), ("bob", 2_000), ("carol", 3_000), ("dave", 3_000)]);
    let hands = [("alice", "Ac Qd"), ("bob", "As Qc"), ("carol", "Kc Jd"), ("dave", "Ks Jc")];
    room.deal_wished(&hands, "Ah Kh 7d 5s 2c");
    let entry = room.play("dave raise 3000, alice call, bob call, carol call");
    let (pots, uncalled, _) = settled(&entry);
    let told: Vec<_> = pots
        .iter()
        .map(|pot| {
            (
                pot.amount.units(),
                pot.seats.clone(),
                pot.won.iter().map(|won| (won.seat, won.amount.units())).collect::<Vec<_>>(),
            )
        })
        .collect();
    let wanted = vec![
        (4_000, vec![2, 3, 4, 1], vec![(2, 2_000), (1, 2_000)]),
        (3_000, vec![2, 3, 4], vec![(2, 3_000)]),
        (2_000, vec![3, 4], vec![(3, 1_000), (4, 1_000)]),
    ];
    assert_eq!((told, uncalled), (wanted, None));
    assert_eq!(
        net(&entry),
        [("alice", 1_000), ("bob", 3_000), ("carol", -2_000), ("dave", -2_000)].map(|(w, n)| (w.to_owned(), n))
    );
}

#[test]
fn g001cash_5_main_pot_side_pot_and_what_nobody_called() {
    let mut room = Room::new(&[], &[("carol", 10_000), ("alice", 2_500), ("bob", 6_000)]);
    room.deal_wished(&[("alice", "As Ad"), ("bob", "Ks Kd"), ("carol", "Qs Qd")], "Jh 9s 7h 5c 3d");
    // Of carol's 10,000 nobody could call more than 6,000: the rest is not bet, where a table of wood gives it back.
    let entry = room.play("carol raise 6000, alice call, bob call");
    let (pots, uncalled, _) = settled(&entry);
    assert_eq!(pots.iter().map(|pot| pot.amount.units()).collect::<Vec<_>>(), [7_500, 7_000]);
    assert_eq!(uncalled, None);
    assert_eq!(net(&entry), [("alice", 5_000), ("bob", 1_000), ("carol", -6_000)].map(|(w, n)| (w.to_owned(), n)));
    assert_eq!(room.stacks(&["alice", "bob", "carol"]), [7_500, 7_000, 4_000]);
}

const RAKED: (&str, &str) = (
    "hand",
    r#"{"family":"holdem","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true,"rake":{"basis_points":500,"cap":300,"no_flop_no_drop":true}}"#,
);

#[test]
fn r001_81_no_flop_no_drop_and_no_rake_of_an_uncalled_bet() {
    let mut room = Room::new(&[RAKED], &FOUR[..2]);
    room.deal_any();
    room.play("alice raise 2000, bob fold");
    assert_eq!(room.rake(), 0);
    room.run_due();
    // The next button is bob's. 400 lie in the pot when bob bets 1,000 that nobody calls: the rake is 5 % of 400.
    room.deal_any();
    room.play("bob call, alice check, alice check, bob bet 1000");
    let entry = room.play("alice fold");
    let (pots, uncalled, _) = settled(&entry);
    assert_eq!(
        (pots[0].amount.units(), pots[0].rake.units(), uncalled.map(|back| back.amount.units())),
        (400, 20, Some(1_000))
    );
    assert_eq!(pots[0].won[0].amount.units() + pots[0].rake.units(), 400);
    assert_eq!(room.rake(), 20);
    // Where the option is off, a hand without a flop is raked too.
    let off = RAKED.1.replace("true}}", "false}}");
    let mut room = Room::new(&[("hand", &off)], &FOUR[..2]);
    room.deal_any();
    room.play("alice raise 2000, bob fold");
    assert_eq!(room.rake(), 20);
}

#[test]
fn a001_pp_the_cap_is_the_hands_and_the_main_pot_pays_first() {
    let mut room = Room::new(&[RAKED], &[("alice", 1_000), ("bob", 3_000), ("carol", 9_000)]);
    room.deal_wished(&[("alice", "As Ad"), ("bob", "Ks Kd"), ("carol", "Qs Qd")], "Jh 9s 7h 5c 3d");
    let entry = room.play("alice raise 1000, bob raise 3000, carol call");
    let (pots, ..) = settled(&entry);
    // 5 % of 3,000 are 150; 5 % of 4,000 would be 200, the cap leaves 150.
    assert_eq!(
        pots.iter().map(|pot| (pot.amount.units(), pot.rake.units())).collect::<Vec<_>>(),
        [(3_000, 150), (4_000, 150)]
    );
    for pot in &pots {
        assert_eq!(pot.won.iter().map(|won| won.amount.units()).sum::<u64>() + pot.rake.units(), pot.amount.units());
    }
    assert_eq!(room.rake(), 300);
}

#[test]
fn a001_pp_the_schedule_goes_by_players_dealt_in() {
    let steps = (
        "rake_by_players",
        r#"[{"players":2,"basis_points":500,"cap":50},{"players":3,"basis_points":250,"cap":300}]"#,
    );
    for (players, rake) in [(2, 50), (3, 100), (4, 200)] {
        let mut room = Room::new(&[RAKED, steps], &FOUR[..players]);
        room.deal_any();
        let mut folds = 0;
        while room.table("t1").live_round().unwrap().game.view().to_string().contains(r#""street":"preflop""#) {
            let (who, offers) = room.offers("t1").unwrap();
            // Two put in 2,000 each; the blinds between them are theirs.
            let raise = offers.iter().any(|offer| offer.to.is_some_and(|(least, _)| least <= chips(400)));
            let last = offers[1].action == ActionKind::Call && !raise && folds + 2 < players;
            folds += usize::from(last);
            let act = if raise {
                action("raise 2000")
            } else if last {
                Action::Fold
            } else {
                Action::Call
            };
            room.choose("t1", &who, act).unwrap();
        }
        let pot = room
            .table("t1")
            .live_round()
            .unwrap()
            .game
            .table_stakes()
            .unwrap()
            .standing()
            .put_in
            .iter()
            .map(|c| c.amount.units())
            .sum::<u64>();
        while let Some(who) = room.asked("t1").first().cloned() {
            let show = kinds(&room.offers("t1").unwrap().1)[1] == ActionKind::Muck;
            room.choose("t1", &who, if show { Action::Show } else { Action::Check }).unwrap();
        }
        let rate = if players == 3 { 250 } else { 500 };
        let cap = if players == 2 { 50 } else { 300 };
        assert_eq!(room.rake() as u64, (pot * rate / 10_000).min(cap), "{players} players, {pot}");
        assert!(room.rake() >= rake, "{players}");
    }
    let refused = |steps: &str| RuleSetOf::options(&[RAKED, ("rake_by_players", steps)]);
    assert!(
        refused(r#"[{"players":3,"basis_points":1,"cap":1},{"players":3,"basis_points":1,"cap":1}]"#)
            .contains("ascend")
    );
    assert!(refused(r#"[{"players":1,"basis_points":1,"cap":1}]"#).contains("2 players"));
    assert!(refused(r#"[{"players":2,"basis_points":10001,"cap":1}]"#).contains("10000"));
}

struct RuleSetOf;

impl RuleSetOf {
    fn options(options: &[(&str, &str)]) -> String {
        fairshoe_games::RuleSet::shipped("holdem")
            .unwrap()
            .with_options(options.iter().copied())
            .unwrap_err()
            .to_string()
    }
}

#[test]
fn r001_112_a_hands_money_moves_once_at_its_end() {
    let mut room = Room::new(&[RAKED], &FOUR[..3]);
    let from = room.log.len();
    room.deal_any();
    room.play("alice call, bob call, carol check, bob bet 400, carol fold");
    assert!(
        entries(&room.log[from..]).iter().all(|entry| !entry.events.iter().any(|e| matches!(e, Event::Posted { .. })))
    );
    let entry = room.play("alice fold");
    let lines = the(&entry, some!(Event::Posted { lines } => lines.clone()));
    assert_eq!(lines.iter().map(|line| line.1).sum::<i64>(), 0);
    let rake = lines.iter().find(|line| line.0 == Account::Rake).unwrap();
    assert_eq!((rake.1, lines.len()), (30, 4));
    assert_eq!(lines[0].0, Account::Seat(table("t1"), 2));
    // The posting stands between the pots and the round's end.
    let names = names_of(&entry);
    let place = |name: &str| names.iter().position(|one| one == name).unwrap();
    assert!(place("play.poker") < place("posted") && place("posted") < place("round_settled"));
}
