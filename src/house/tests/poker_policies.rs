//! Rules of document 001 around the hands of a cash table, by number: chips, leaving, seats, crashes, what stays
//! private.

use crate::common;

use common::poker::*;
use common::shared::*;
use common::*;
use fairshoe_games::poker::{ClientKind, EntryChoice, Owes};
use fairshoe_games::{ActionKind, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, Offence, Reference, Refusal, SitOutCause, VoidCause};

const FOUR: [(&str, u64); 4] = [("alice", 20_000), ("bob", 20_000), ("carol", 20_000), ("dave", 20_000)];
const TEN_CHIPS: u64 = 5_000;

fn left_early(entry: &Entry) -> Option<(String, u32, u64)> {
    entry
        .events
        .iter()
        .find_map(some!(Event::LeftEarly { player, refusals, until, .. } => (player.to_string(), *refusals, *until)))
}

/// Alice takes seat 1 at a table of such blinds where bob and carol play, plays so many hands and leaves.
fn stay_for(room: &mut Room, hands: usize) -> Entry {
    room.buy_in("t1", "alice", 1, TEN_CHIPS).unwrap();
    room.run_due();
    let mut played = 0;
    while played < hands {
        room.deal_any();
        played += usize::from(room.start().seats.iter().any(|seat| seat.player.as_str() == "alice"));
        room.fold_out();
    }
    let entry = room.leave("t1", "alice").unwrap();
    if room.table("t1").seat_of(&player("alice")).is_none() {
        return entry;
    }
    // A hand is being called: she leaves as soon as the call is over.
    room.now += 11_000;
    room.run_due();
    let left =
        entries(&room.log).into_iter().rev().find(|e| e.events.iter().any(|e| matches!(e, Event::SeatLeft { .. })));
    // The others play on.
    for who in ["bob", "carol"] {
        let _ = room.ask("t1", who);
    }
    room.run_due();
    left.unwrap()
}

fn at_a_table_of_two() -> Room {
    let mut room = Room::empty(&[], &["alice", "bob", "carol", "dave"]);
    room.buy_in("t1", "bob", 2, 20_000).unwrap();
    room.buy_in("t1", "carol", 3, 20_000).unwrap();
    room.run_due();
    room
}

#[test]
fn r001_13_leaving_after_one_to_nine_hands_is_a_refusal_and_after_none_or_ten_not() {
    for (hands, counts) in [(0, false), (1, true), (9, true), (10, false), (11, false)] {
        let mut room = at_a_table_of_two();
        let entry = stay_for(&mut room, hands);
        let early = left_early(&entry);
        assert_eq!(early.is_some(), counts, "{hands} hands: {early:?}");
        // The first has no block (R001.14).
        assert!(early.is_none_or(|(who, refusals, until)| (who.as_str(), refusals, until) == ("alice", 1, entry.time)));
    }
}

#[test]
fn r001_14_and_a001_e_the_ladder_climbs_to_an_hour_in_a_rolling_window() {
    let mut room = at_a_table_of_two();
    let mut times = Vec::new();
    for (nth, minutes) in [(1, 0), (2, 5), (3, 15), (4, 30), (5, 60), (6, 60), (7, 60)] {
        let entry = stay_for(&mut room, 1);
        times.push(entry.time);
        assert_eq!(left_early(&entry), Some(("alice".into(), nth, entry.time + minutes * MINUTE)));
        if minutes > 0 {
            let until = entry.time + minutes * MINUTE - 1;
            // The others stay: a player who plays no hand for half an hour loses the seat as soon as they sit out.
            while room.now + 20 * MINUTE < until {
                room.now += 20 * MINUTE;
                room.run_due();
                for who in ["bob", "carol"] {
                    room.ask("t1", who).unwrap();
                }
                room.run_due();
                room.deal_any();
                room.fold_out();
                room.run_due();
            }
            room.now = until;
            room.run_due();
            let refused = refusal(room.buy_in("t1", "alice", 1, TEN_CHIPS));
            let until = entry.time + minutes * MINUTE;
            assert_eq!(refused, Refusal::LevelBlocked { level: "100/200".into(), refusals: nth, until });
            // It starts at the leave time and is over at its end.
            room.now += 1;
        }
        room.run_due();
        for who in ["bob", "carol"] {
            let _ = room.ask("t1", who);
        }
        room.run_due();
    }
    // Leave times in (t − 12 h, t] count: at exactly 12 hours after the first one, that does not any more.
    let conduct = room.state.conduct();
    let (alice, level) = (player("alice"), "100/200");
    assert_eq!(conduct.next_early(&alice, level, times[0] + 12 * HOUR - 1).0, 8);
    let first_second = times.iter().filter(|time| **time > times[0]).count() as u32;
    assert_eq!(conduct.next_early(&alice, level, times[0] + 12 * HOUR).0, first_second + 1);
    assert_eq!(conduct.next_early(&alice, level, times[6] + 12 * HOUR), (1, times[6] + 12 * HOUR));
}

#[test]
fn r001_85_the_block_is_of_the_level_and_takes_no_seat_away() {
    let mut room = at_a_table_of_two();
    room.house.open_rules("same", rules("holdem", &PLAIN));
    room.house.open_rules("held", rules("holdem", &PLAIN));
    let limit = r#"{"small":100,"big":400,"ante":0,"straddle":false,"entry_post":"small"}"#;
    let hand = PLAIN[0].1.replace("200", "400");
    room.house.open_rules(
        "other",
        rules("holdem", &[PLAIN[1], PLAIN[2], PLAIN[3], ("blinds", limit), ("hand", &hand), ("stake_min", "400")]),
    );
    let policy = r#"{"exempt":true,"removal_counts":true,"sit_out_hands":20}"#;
    room.house.open_rules("free", rules("holdem", &[PLAIN[0], PLAIN[1], PLAIN[2], PLAIN[3], ("leave_table", policy)]));
    room.buy_in("held", "alice", 1, TEN_CHIPS).unwrap();
    stay_for(&mut room, 1);
    let second = stay_for(&mut room, 2);
    assert_eq!(left_early(&second).unwrap().1, 2);
    room.now = second.time + MINUTE;
    assert_eq!(refusal(room.buy_in("same", "alice", 1, TEN_CHIPS)).code(), "level_blocked");
    room.buy_in("other", "alice", 1, TEN_CHIPS).unwrap();
    room.buy_in("free", "alice", 1, TEN_CHIPS).unwrap();
    // Her seat at a table of the level is kept, and she plays on there.
    room.buy_in("held", "bob", 2, TEN_CHIPS).unwrap();
    room.run_due();
    room.commit_hand("held", "alice").unwrap();
    assert!(room.table("held").seat_of(&player("alice")).is_some());
}

#[test]
fn r001_14_refusals_at_several_tables_of_a_level_add_up() {
    let mut room = at_a_table_of_two();
    stay_for(&mut room, 1);
    room.house.open_rules("t2", rules("holdem", &PLAIN));
    for (seat, who) in [(1, "alice"), (2, "dave")] {
        room.buy_in("t2", who, seat, TEN_CHIPS).unwrap();
    }
    room.run_due();
    for who in ["alice", "dave"] {
        room.commit_hand("t2", who).unwrap();
    }
    room.run_due();
    // Nobody has wished for cards there: the honest dealer deals.
    room.house.dealer = Box::new(fairshoe_house::SeedDealer::new(fairshoe_fairness::Master::from_bytes(MASTER)));
    room.show_all("t2");
    let asked = room.asked("t2")[0].clone();
    room.leave("t2", &asked).unwrap();
    room.run_due();
    let last = room.leave("t2", "alice");
    let entry = match asked.as_str() {
        "alice" => entries(&room.log).into_iter().rev().find(|entry| left_early(entry).is_some()).unwrap(),
        _ => last.unwrap(),
    };
    // The player who was asked left first; alice is alone then, if it was not she (R001.15).
    let wanted = if asked == "alice" { Some(("alice".to_owned(), 2, entry.time + 5 * MINUTE)) } else { None };
    assert_eq!(left_early(&entry).filter(|early| early.0 == "alice"), wanted);
}

#[test]
fn r001_15_and_a001_f_who_sits_alone_leaves_as_he_likes() {
    let mut room = Room::new(&[], &FOUR[..2]);
    room.quick_hands(2);
    room.sit_out("alice").unwrap();
    room.sit_out("bob").unwrap();
    room.now += 11_000;
    room.run_due();
    // With another one seated it is a refusal, though that one sits out; alone it is none.
    assert!(left_early(&room.leave("t1", "alice").unwrap()).is_some());
    assert_eq!(left_early(&room.leave("t1", "bob").unwrap()), None);
}

#[test]
fn r001_15_an_exempt_table_counts_nothing() {
    let policy = r#"{"exempt":true,"removal_counts":true,"sit_out_hands":20}"#;
    let mut room = Room::new(&[("leave_table", policy)], &FOUR[..3]);
    room.quick_hands(1);
    room.sit_out("alice").unwrap();
    room.quick_hands(1);
    room.leave("t1", "alice").unwrap();
    room.quick_hands(1);
    assert!(entries(&room.log).iter().all(|entry| left_early(entry).is_none()));
    assert_eq!(room.table("t1").seat_of(&player("alice")), None);
}

#[test]
fn a001_e_removal_after_too_long_a_sit_out_counts_where_the_table_says_so() {
    for counts in [true, false] {
        let policy = format!(r#"{{"exempt":false,"removal_counts":{counts},"sit_out_hands":3}}"#);
        let mut room = Room::new(&[("leave_table", &policy)], &FOUR[..3]);
        room.quick_hands(1);
        room.sit_out("alice").unwrap();
        room.quick_hands(2);
        // Asking to play and letting the others wait does not hold a seat for ever.
        room.ask("t1", "alice").unwrap();
        assert_eq!(room.table("t1").cash_seat(&player("alice")).unwrap().1.away, 2);
        let balance = room.balance("alice");
        let stack = room.stack("t1", "alice");
        for who in ["bob", "carol"] {
            room.commit_hand("t1", who).unwrap();
        }
        room.now += 10_000;
        room.run_due();
        room.place_cards(&[], "");
        room.show_all("t1");
        room.fold_out();
        assert_eq!(room.table("t1").seat_of(&player("alice")), None);
        assert_eq!(room.balance("alice"), balance + stack);
        assert_eq!(entries(&room.log).iter().filter_map(left_early).count(), usize::from(counts));
    }
}

#[test]
fn r001_80_one_seat_more_than_the_clients_most_is_refused() {
    let most = r#"{"desktop":3,"mobile":1,"browser":2}"#;
    for (client, seats) in
        [(Some(ClientKind::Mobile), 1), (Some(ClientKind::Browser), 2), (Some(ClientKind::Desktop), 3), (None, 3)]
    {
        let mut room = Room::empty(&[("most_seats", most)], &["alice"]);
        for n in 2..=4 {
            room.house.open_rules(&format!("t{n}"), rules("holdem", &[&PLAIN[..], &[("most_seats", most)]].concat()));
        }
        let mut taken = 0;
        for n in 1..=4 {
            let at = table(&format!("t{n}"));
            let command = Command::SitDown { table: at, seat: 1, buy_in: chips(TEN_CHIPS), client, entry: None };
            match room.give(&by("alice"), command) {
                Ok(_) => taken += 1,
                other => assert_eq!(refusal(other), Refusal::TooManySeats(seats)),
            }
        }
        assert_eq!(taken, seats, "{client:?}");
    }
}

#[test]
fn r001_12_buy_ins_have_bounds_and_a_step() {
    let options = [("stake_min", "4000"), ("stake_max", "20000"), ("stake_step", "100")];
    let mut room = Room::empty(&options, &["alice", "bob"]);
    for amount in [0, 3_900, 4_050, 20_100] {
        assert_eq!(refusal(room.buy_in("t1", "alice", 1, amount)).code(), "buy_in_out_of_range", "{amount}");
    }
    let sit = Command::TakeSeat { table: table("t1"), seat: 1 };
    assert_eq!(refusal(room.give(&by("alice"), sit)).code(), "is_a_cash_table");
    room.buy_in("t1", "alice", 1, 4_000).unwrap();
    // Between hands chips are added at once, up to the most.
    assert_eq!(refusal(room.add_chips("alice", 16_100)).code(), "buy_in_out_of_range");
    assert_eq!(refusal(room.add_chips("alice", 50)).code(), "buy_in_out_of_range");
    room.add_chips("alice", 15_000).unwrap();
    assert_eq!((room.stack("t1", "alice"), room.balance("alice")), (19_000, 1_981_000));
    room.withdraw("bob", 1_990_000).unwrap();
    assert_eq!(refusal(room.buy_in("t1", "bob", 2, 12_000)).code(), "insufficient_balance");
}

#[test]
fn r001_12_chips_asked_for_in_a_hand_come_after_it_clipped_at_the_most() {
    let mut room = Room::new(&[("stake_max", "20000")], &[("alice", 18_000), ("bob", 18_000)]);
    room.deal_any();
    assert_eq!(room.add_chips("alice", 2_000).unwrap().events.len(), 1);
    room.play("alice call");
    room.play("bob raise 600, alice call, bob bet 400, alice raise 1000, bob fold");
    let entry = room.run_due().remove(0);
    // She won 1,000: there is room for 1,000 of the 2,000.
    let added = the(&entry, |event| {
        if let Event::ChipsAdded { amount, stack, .. } = event { Some((amount.units(), stack.units())) } else { None }
    });
    assert_eq!(added, (1_000, 20_000));
    assert_eq!(room.stack("t1", "bob"), 17_000);
    // What was asked for can be taken back while the hand is in progress; nothing can be taken off the table.
    room.deal_any();
    room.add_chips("bob", 1_000).unwrap();
    room.add_chips("bob", 0).unwrap();
    assert_eq!(refusal(room.add_chips("bob", 0)).code(), "nothing_to_do");
    let lines = entries(&room.log).into_iter().flat_map(|entry| entry.events);
    let off = lines.filter(|event| match event {
        Event::Posted { lines } => {
            lines.iter().any(|line| line.0.to_string().starts_with("player:") && line.1 > 0 && line.1 != 2_000_000)
        }
        _ => false,
    });
    assert_eq!(off.count(), 0);
}

#[test]
fn r001_111_and_a001_s_sitting_out_together_is_on_the_log_and_not_refused() {
    let mut room = Room::new(&[], &FOUR);
    room.sit_out("alice").unwrap();
    room.sit_out("bob").unwrap();
    let told: Vec<_> = entries(&room.log)
        .into_iter()
        .flat_map(|entry| entry.events)
        .filter(|e| matches!(e, Event::SatOut { .. }))
        .collect();
    let out = |who: &str, seat| Event::SatOut { player: player(who), seat, cause: SitOutCause::Asked };
    assert_eq!(told, [out("alice", 1), out("bob", 2)]);
    room.deal_any();
    assert_eq!(room.start().seats.len(), 2);
}

#[test]
fn r001_103_a_player_who_is_gone_is_folded_and_nothing_is_rolled_back() {
    let mut room = Room::new(&[], &FOUR[..3]);
    room.deal_any();
    room.play("alice raise 600, bob call, carol call, bob check, carol bet 1000");
    // Alice is gone in mid-hand: her turn lapses, and her 600 are lost.
    room.now += 20_000;
    room.run_due();
    let entry = room.play("bob fold");
    assert_eq!(net(&entry)[0], ("alice".to_owned(), -600));
    assert!(
        entries(&room.log).iter().all(|entry| !entry.events.iter().any(|e| matches!(e, Event::RoundVoided { .. })))
    );
}

const TROUBLED: [(&str, &str); 2] = [
    ("blinds", r#"{"small":100,"big":200,"ante":10,"straddle":false,"entry_post":"small"}"#),
    (
        "hand",
        r#"{"family":"holdem","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true,"rake":{"basis_points":500,"cap":300,"no_flop_no_drop":false}}"#,
    ),
];

/// How far a hand goes before the crash, and whether a card was dealt.
const STAGES: [(&str, bool); 9] = [
    ("called", false),
    ("closed", false),
    ("one seed is out", false),
    ("preflop", true),
    ("flop", true),
    ("turn", true),
    ("river", true),
    ("showdown", true),
    ("one has mucked", true),
];

fn go_to(room: &mut Room, stage: &str) {
    if stage == "called" {
        room.commit_hand("t1", "alice").unwrap();
        return;
    }
    room.close_call();
    room.place_cards(&[], "");
    if stage == "closed" {
        return;
    }
    room.show("t1", "bob").unwrap();
    if stage == "one seed is out" {
        return;
    }
    room.show_all("t1");
    // The second hand's button is bob's; dave comes back with posts behind the big blind.
    let stop = match stage {
        "preflop" => 1,
        "flop" => 5,
        "turn" => 9,
        "river" => 13,
        "showdown" => 16,
        _ => 17,
    };
    for _ in 0..stop {
        let (who, offers) = room.offers("t1").unwrap();
        let act = match offers[1].action {
            ActionKind::Muck => action("muck"),
            ActionKind::Call => action("call"),
            _ => action("check"),
        };
        room.choose("t1", &who, act).unwrap();
    }
}

fn debts(room: &Room) -> Vec<(u8, Owes, u16, u64)> {
    let cash = room.table("t1").cash().unwrap();
    cash.seats.iter().map(|(number, seat)| (*number, seat.owes, seat.away, seat.bank_ms)).collect()
}

#[test]
fn r001_26_a_crash_at_every_stage_brings_back_stacks_posts_debts_and_button() {
    for (stage, dealt) in STAGES {
        let mut room = Room::new(&TROUBLED, &FOUR);
        room.quick_hands(1);
        room.sit_out("dave").unwrap();
        room.quick_hands(2);
        room.ask("t1", "dave").unwrap();
        let (money, owed, positions) = (room.money(), debts(&room), room.table("t1").cash().unwrap().positions);
        assert!(room.rake() > 0 && !owed[3].1.is_nothing(), "completed hands stand, and dave owes");
        let (round_no, shoe_no) = (room.table("t1").next_round, room.table("t1").shoe.as_ref().unwrap().id.shoe_no);
        go_to(&mut room, stage);
        assert!(
            stage != "preflop"
                || room.start().seats.iter().any(|seat| seat.player.as_str() == "dave" && seat.due.live == chips(200))
        );
        room.crash();
        let recovered = room.run_due().remove(0);
        assert_eq!((room.money(), debts(&room)), (money.clone(), owed.clone()), "{stage}");
        assert_eq!(room.table("t1").cash().unwrap().positions, positions, "{stage}");
        let names = names_of(&recovered);
        // What the house ended every auditor may see to its end.
        let ends: &[&str] = if dealt { &["shoe_sealed", "shoe_disclosed"] } else { &["shoe_revealed"] };
        assert!(names.ends_with(&ends.iter().map(ToString::to_string).collect::<Vec<_>>()), "{stage}: {names:?}");
        if stage == "called" {
            assert_eq!(names, ["call_lapsed", "shoe_revealed"]);
        } else {
            let (cause, standing) = the(
                &recovered,
                some!(Event::RoundVoided { round_no: voided, cause, standing, .. } if *voided == round_no => (*cause, standing.clone())),
            );
            let put_in: u64 = standing.unwrap().put_in.iter().map(|seat| seat.amount.units()).sum();
            assert!(cause == VoidCause::Crash && put_in >= 100 + 200 + 300 + 40, "{stage}: {put_in}");
        }
        if !dealt {
            let seeds = the(&recovered, some!(Event::ShoeRevealed { seeds, .. } => seeds.len()));
            assert_eq!(seeds, 2, "both candidates");
        }
        // A second recovery changes nothing, and voids no hand again (A001.t).
        room.crash();
        room.run_due();
        assert_eq!((room.money(), debts(&room)), (money, owed), "{stage}");
        let voids = entries(&room.log)
            .iter()
            .filter(|e| e.events.iter().any(|e| matches!(e, Event::RoundVoided { .. })))
            .count();
        assert_eq!(voids, usize::from(stage != "called"), "{stage}");
        // The deck is never dealt again; the next hand has the same posts as the one undone.
        room.deal_any();
        assert!(room.table("t1").shoe.as_ref().unwrap().id.shoe_no > shoe_no);
        assert!(
            room.start().seats.iter().any(|seat| seat.player.as_str() == "dave" && seat.due.dead == chips(100)),
            "{stage}"
        );
        room.fold_out();
        let committed: Vec<u64> = entries(&room.log)
            .iter()
            .flat_map(|e| &e.events)
            .filter_map(some!(Event::ShoeCommitted { shoe_no, .. } => *shoe_no))
            .collect();
        assert!(committed.windows(2).all(|pair| pair[1] == pair[0] + 1), "{committed:?}");
    }
}

#[test]
fn g001cash_3_a_crash_after_a_bet_on_the_flop() {
    let mut room = Room::new(&[], &[("carol", 5_000), ("alice", 10_000), ("bob", 8_000)]);
    room.deal_any();
    room.play("carol raise 600, alice call, bob call, alice bet 1000");
    for _ in 0..2 {
        room.crash();
        room.run_due();
        assert_eq!((room.stacks(&["alice", "bob", "carol"]), room.rake()), (vec![10_000, 8_000, 5_000], 0));
        assert!(room.table("t1").live_round().is_none());
    }
}

fn disclose(room: &mut Room, by: &Actor, shoe_no: u64) -> Result<Entry, fairshoe_house::DecideError> {
    let reason = Reference::parse("dispute 7").unwrap();
    room.give(by, Command::DiscloseShoe { table: table("t1"), shoe_no, reason })
}

#[test]
fn a_withheld_seed_voids_the_hand_and_its_player_sits_out_with_a_cooldown() {
    let mut room = Room::new(&TROUBLED, &FOUR[..3]);
    room.quick_hands(3);
    let (money, owed, positions) = (room.money(), debts(&room), room.table("t1").cash().unwrap().positions);
    for expected in [0, 5] {
        room.close_call();
        assert_eq!(room.start().positions.big, 3);
        room.show("t1", "alice").unwrap();
        room.show("t1", "bob").unwrap();
        room.now += 10_000;
        let entry = room.run_due().remove(0);
        let told = the(
            &entry,
            some!(Event::Cooldown { player, offence: Offence::RevealMissing, until, .. } => (player.to_string(), *until)),
        );
        assert_eq!(told, ("carol".to_owned(), entry.time + expected * MINUTE));
        assert!(
            names_of(&entry).ends_with(&["shoe_revealed".into(), "cooldown".into(), "sat_out".into()]),
            "{:?}",
            names_of(&entry)
        );
        assert_eq!((room.money(), debts(&room)), (money.clone(), owed.clone()), "she is not quit of her big blind");
        assert_eq!(room.table("t1").cash().unwrap().positions, positions);
        if expected > 0 {
            assert_eq!(refusal(room.ask("t1", "carol")).code(), "cooldown");
        } else {
            room.ask("t1", "carol").unwrap();
        }
    }
    // The big blind passes her now, and she owes it.
    room.deal_any();
    assert_eq!(room.start().seats.len(), 2);
    room.fold_out();
    assert!(debts(&room)[2].1.big);
    // An auditor is not shown what everybody has.
    let auditor = Actor::Auditor(player("olga"));
    assert_eq!(refusal(disclose(&mut room, &auditor, 3)).code(), "shoe_not_sealed");
}

#[test]
fn c15_a_cooldown_from_elsewhere_keeps_from_the_next_hand() {
    let mut room = Room::new(&[], &FOUR[..3]);
    room.house.open_rules("t2", rules("holdem", &PLAIN));
    for (seat, who) in [(1, "alice"), (2, "bob")] {
        room.buy_in("t2", who, seat, TEN_CHIPS).unwrap();
    }
    for _ in 0..2 {
        room.run_due();
        for who in ["alice", "bob"] {
            room.commit_hand("t2", who).unwrap();
        }
        room.run_due();
        room.show("t2", "bob").unwrap();
        room.now += 10_000;
        room.run_due();
        let _ = room.ask("t2", "alice");
        for who in ["alice", "bob", "carol"] {
            let _ = room.ask("t1", who);
        }
        room.run_due();
    }
    assert_eq!(refusal(room.commit_hand("t1", "alice")).code(), "cooldown");
}

#[test]
fn disclosure_is_for_auditors_of_sealed_shoes_and_names_the_epoch_they_were_committed_in() {
    let mut room = Room::new(&[], &FOUR[..3]);
    let auditor = Actor::Auditor(player("olga"));
    room.quick_hands(2);
    room.crash();
    room.run_due();
    room.quick_hands(1);
    for by in [Actor::Operator, Actor::House, by("alice"), Actor::Anyone] {
        assert_eq!(refusal(disclose(&mut room, &by, 0)).code(), "not_allowed", "{by:?}");
    }
    // 0, 1 in the first epoch; 2 was called as the crash came, and revealed; 3 in the second; 4 is being called.
    for (shoe_no, epoch) in [(0, Some(1)), (1, Some(1)), (2, None), (3, Some(2)), (4, None), (9, None)] {
        let sealed = room.state.sealed_in(&table("t1"), shoe_no);
        assert_eq!(sealed, epoch.map(|byte| fairshoe_fairness::Epoch::from_bytes([byte; 32])), "{shoe_no}");
        match disclose(&mut room, &auditor, shoe_no) {
            Ok(entry) if epoch.is_some() => assert_eq!(names_of(&entry), ["shoe_disclosed"]),
            other => assert_eq!(refusal(other).code(), "shoe_not_sealed"),
        }
    }
    let other = Command::DiscloseShoe { table: table("nowhere"), shoe_no: 0, reason: Reference::parse("why").unwrap() };
    assert_eq!(refusal(room.give(&auditor, other)).code(), "shoe_not_sealed");
    assert_eq!(refusal(room.give(&auditor, Command::SitOut { table: table("t1") })).code(), "not_allowed");
}

#[test]
fn the_last_to_bet_on_the_river_shows_first_else_the_first_left_of_the_button() {
    let mut room = Room::new(&[], &FOUR[..3]);
    let hands = [("alice", "As Ad"), ("bob", "Ks Kd"), ("carol", "Qs Qd")];
    room.deal_wished(&hands, "Jh 9s 7h 5c 3d");
    room.play("alice call, bob call, carol check");
    for _ in 0..2 {
        room.play("bob check, carol check, alice check");
    }
    // Carol bets the river: hers is turned up unasked, then alice is asked, then bob.
    let entry = room.play("bob check, carol bet 400, alice call, bob call");
    assert_eq!((turned(&entry).as_str(), room.asked("t1")), ("Qs Qd", vec!["alice".to_owned()]));
    assert_eq!(turned(&room.play("alice show")), "As Ad");
    let entry = room.play("bob muck");
    // What was mucked is never turned up, nor opened, and wins nothing.
    assert_eq!(turned(&entry), "");
    assert_eq!(net(&entry)[0], ("alice".to_owned(), 1_200));
    let opened = the(&entry, some!(Event::ShoeSealed { openings, .. } => openings.len()));
    assert_eq!(opened, 5 + 4);
    // Without a bet on the river the first left of the button shows. Bob has it now: carol is left of bob.
    room.run_due();
    room.deal_wished(&hands, "Jh 9s 7h 5c 3d");
    room.play("bob call, carol call, alice check");
    for _ in 0..2 {
        room.play("carol check, alice check, bob check");
    }
    let entry = room.play("carol check, alice check, bob check");
    assert_eq!((turned(&entry).as_str(), room.asked("t1")), ("Qs Qd", vec!["alice".to_owned()]));
    // A player who gives up a hand that would have won has given it up; one who does not answer shows.
    room.play("alice muck");
    room.now += 20_000;
    let entry = room.run_due().remove(0);
    assert_eq!((turned(&entry).as_str(), net(&entry)[1].1), ("Ks Kd", 400));
}

#[test]
fn where_all_others_fold_the_last_one_wins_without_showing() {
    let mut room = Room::new(&[], &FOUR[..3]);
    let from = room.log.len();
    room.deal_wished(&[], "Jh 9s 7h 5c 3d");
    room.play("alice call, bob fold, carol check, carol bet 400");
    let entry = room.play("alice fold");
    let opened = the(&entry, some!(Event::ShoeSealed { openings, .. } => openings.len()));
    assert_eq!(opened, 3, "the board alone");
    assert!(entries(&room.log[from..]).iter().all(|entry| turned(entry).is_empty()));
}

#[test]
fn a_hole_card_has_no_face_on_the_log_before_it_is_turned() {
    let mut room = Room::new(&[], &FOUR[..2]);
    let entry = room.deal_wished(&[("alice", "As Ad"), ("bob", "Ks Kd")], "Jh 9s 7h 5c 3d");
    let dealt = entry.events.iter().filter(|e| matches!(e, Event::Play(RoundEvent::Dealt { card: None, .. }))).count();
    assert_eq!(dealt, 4);
    let text = String::from_utf8(entry.encode().unwrap()).unwrap();
    assert!(["As", "Ad", "Ks", "Kd"].iter().all(|card| !text.contains(&format!("\"{card}\""))));
}

#[test]
fn who_leaves_in_mid_hand_is_folded_on_his_turn_and_an_all_in_stays() {
    let mut room = Room::new(&[], &[("alice", 2_000), ("bob", 20_000), ("carol", 20_000)]);
    room.deal_wished(&[("alice", "As Ad"), ("bob", "2c 7d"), ("carol", "Kc Kd")], "Qh Js 9h 5c 3d");
    room.play("alice raise 2000");
    // Bob is asked and leaves: that is a fold, at once.
    let entry = room.leave("t1", "bob").unwrap();
    assert!(
        entry.events.iter().any(|e| matches!(e, Event::Play(RoundEvent::Acted { default: true, .. }))),
        "{:?}",
        names_of(&entry)
    );
    room.leave("t1", "alice").unwrap();
    assert_eq!(refusal(room.leave("t1", "alice")).code(), "nothing_to_do");
    let entry = room.play("carol call");
    assert_eq!(net(&entry), [("alice", 2_100), ("bob", -100), ("carol", -2_000)].map(|(w, n)| (w.to_owned(), n)));
    room.run_due();
    assert_eq!(room.table("t1").seats.len(), 1);
    assert_eq!((room.balance("alice"), room.balance("bob")), (2_002_100, 1_999_900));
}

#[test]
fn a_carried_commitment_counts_in_the_next_hand_and_lapses_with_a_restart_or_a_sit_out() {
    let commit_next = |room: &mut Room, who: &str| {
        let round_no = room.table("t1").next_round;
        let seed = room.seed_of("t1", who, round_no);
        let commitment = fairshoe_fairness::seed_commitment(&room.context("t1"), round_no, &player(who), &seed);
        room.give(&by(who), Command::CommitHandSeed { table: table("t1"), round_no, commitment }).unwrap()
    };
    let mut room = Room::new(&[], &FOUR[..3]);
    room.deal_any();
    for who in ["alice", "bob", "carol"] {
        assert_eq!(names_of(&commit_next(&mut room, who)), ["next_committed"]);
    }
    room.sit_out("bob").unwrap();
    room.play("alice fold, bob fold");
    let called = room.run_due();
    assert_eq!(
        names_of(&called[0]),
        ["shoe_committed", "table_noted", "hand_called", "hand_seed_committed", "hand_seed_committed"]
    );
    // All who are ready had committed: the hand begins at once.
    assert!(names_of(&called[1]).contains(&"hand_begun".to_owned()));
    room.place_cards(&[], "");
    room.show_all("t1");
    commit_next(&mut room, "alice");
    room.crash();
    room.run_due();
    assert_eq!(room.table("t1").call().unwrap().seeds.len(), 0);
}

#[test]
fn with_two_players_the_button_posts_the_small_blind_and_chooses_first() {
    let mut room = Room::new(&[], &FOUR[..2]);
    for button in [1, 2, 1] {
        room.deal_any();
        let start = room.start();
        assert_eq!((start.positions.button, start.positions.small), (button, button));
        assert_eq!(start.seats.iter().map(|seat| seat.due.live.units()).collect::<Vec<_>>(), [200, 100]);
        assert_eq!(room.asked("t1"), [FOUR[usize::from(button) - 1].0]);
        room.fold_out();
    }
}

#[test]
fn who_sends_no_commitment_sits_out_and_the_hand_is_played_without_him() {
    let mut room = Room::new(&[], &FOUR[..3]);
    for who in ["alice", "bob"] {
        room.commit_hand("t1", who).unwrap();
    }
    assert!(room.run_due().is_empty(), "carol has time");
    room.now += 10_000;
    assert_eq!(refusal(room.commit_hand("t1", "carol")).code(), "deadline_passed");
    let entry = room.run_due().remove(0);
    let out = the(&entry, |event| {
        if let Event::SatOut { player, cause, .. } = event { Some((player.to_string(), *cause)) } else { None }
    });
    assert_eq!((out, room.start().seats.len()), (("carol".to_owned(), SitOutCause::NoCommitment), 2));
    assert_eq!(refusal(room.commit_hand("t1", "carol")).code(), "sitting_out");
}

#[test]
fn who_waits_for_his_place_is_not_away() {
    let policy = r#"{"exempt":false,"removal_counts":true,"sit_out_hands":1}"#;
    let mut room = Room::empty(&[("leave_table", policy)], &["alice", "bob", "carol", "dave"]);
    for (seat, who) in [(1, "alice"), (2, "bob"), (3, "carol")] {
        room.buy_in("t1", who, seat, 20_000).unwrap();
    }
    room.run_due();
    room.deal_any();
    let sit = Command::SitDown {
        table: table("t1"),
        seat: 5,
        buy_in: chips(5_000),
        client: None,
        entry: Some(EntryChoice::Wait),
    };
    room.give(&by("dave"), sit).unwrap();
    room.fold_out();
    for _ in 0..3 {
        room.deal_any();
        room.fold_out();
        assert!(room.table("t1").seat_of(&player("dave")).is_some(), "he is ready and commits: nobody removes him");
    }
}

/// Under `crash: resume` (C20, C21) the turn is given again in full, and downtime costs no time bank.
#[test]
fn c21_a_resumed_turn_is_given_again_and_downtime_is_not_taken_from_the_bank() {
    let clocks = ("clocks", r#"{"street_extra_ms":[0,0,0,0],"bank_ms":5000,"bank_refill_ms":0}"#);
    let mut room = Room::new(&[clocks, ("crash", "resume")], &FOUR[..2]);
    room.deal_any();
    room.now += HOUR;
    room.crash();
    room.run_due();
    assert_eq!(room.asked("t1"), ["alice"]);
    assert_eq!(room.table("t1").next_deadline(), Some(room.now + 25_000));
    room.now += 20_000;
    assert!(room.play("alice call").events.iter().all(|event| !matches!(event, Event::BankUsed { .. })));
}
