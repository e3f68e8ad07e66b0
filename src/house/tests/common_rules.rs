//! The common rules, C1–C22, as far as solo tables go: one test a number.

use crate::common;

use common::*;
use fairshoe_fairness::Slot;
use fairshoe_games::{Action, ActionKind, Ahead, Outcome, RoundEvent, RuleSet};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Lapsed, Phase, Reference, VoidCause};

fn paid(entry: &Entry) -> Vec<fairshoe_games::Settlement> {
    let lines = entry.events.iter().filter_map(|event| {
        if let Event::Play(RoundEvent::Paid { lines }) = event { Some(lines.clone()) } else { None }
    });
    lines.flatten().collect()
}

/// Player 10 + 9, dealer 10 + 7.
fn quiet(v: &[u16]) -> bool {
    v[..4] == [10, 10, 9, 7]
}

fn void_of(entry: &Entry) -> (VoidCause, Ahead) {
    let found = entry.events.iter().find_map(|event| {
        if let Event::RoundVoided { cause, ahead, .. } = event { Some((*cause, *ahead)) } else { None }
    });
    found.expect("a void")
}

#[test]
fn c1_money_is_whole_units_on_the_log_and_in_commands() {
    let mut house = House::with_table(&[], 101);
    house.deal("t1", "alice", 7, |v| v[0] == 1 && v[2] == 10 && v[1] != 1);
    house.finish("t1", "alice");
    for bytes in &house.log {
        let mut pending = vec![serde_json::from_slice::<serde_json::Value>(bytes).unwrap()];
        while let Some(value) = pending.pop() {
            match value {
                serde_json::Value::Number(number) => assert!(!number.is_f64(), "{number}"),
                serde_json::Value::Array(items) => pending.extend(items),
                serde_json::Value::Object(fields) => pending.extend(fields.into_iter().map(|(_, v)| v)),
                _ => {}
            }
        }
    }
    for stake in ["7.0", "7e0", "-7", "\"7\"", "9007199254740992"] {
        assert!(
            serde_json::from_str::<fairshoe_games::Bet>(&format!(r#"{{"spot":"1","stake":{stake}}}"#)).is_err(),
            "{stake}"
        );
    }
}

#[test]
fn c2_a_wager_is_debited_when_accepted_and_refused_above_the_balance() {
    let mut house = House::with_table(&[], 10);
    let seed = house.any_seed("t1");
    assert_eq!(refusal(house.bet("t1", "alice", 11, &seed)).code(), "insufficient_balance");
    assert_eq!((house.balance("alice"), house.escrow("t1")), (10, 0));
    house.bet("t1", "alice", 10, &seed).unwrap();
    assert_eq!((house.balance("alice"), house.escrow("t1")), (0, 10));

    // Double, split and insurance are wagers like any other: 7 of 10 staked leaves 3, of 14 leaves 7.
    let mut poor = House::with_table(&[], 10);
    poor.deal("t1", "alice", 7, |v| v[0] == 8 && v[2] == 8 && v[1] == 5);
    assert_eq!(poor.offered("t1"), [ActionKind::Hit, ActionKind::Stand]);
    for action in [Action::Double { amount: None }, Action::Split] {
        assert_eq!(refusal(poor.act("t1", "alice", action)).code(), "insufficient_balance");
    }
    assert_eq!((poor.balance("alice"), poor.escrow("t1")), (3, 7));
    let mut able = House::with_table(&[], 14);
    able.deal("t1", "alice", 7, |v| v[0] == 8 && v[2] == 8 && v[1] == 5);
    able.act("t1", "alice", Action::Split).unwrap();
    assert_eq!((able.balance("alice"), able.escrow("t1")), (0, 14));
    assert_eq!(refusal(able.act("t1", "alice", Action::Double { amount: None })).code(), "insufficient_balance");
}

#[test]
fn c3_a_house_banked_payout_rounds_by_its_own_rule_and_the_house_pays_the_rest() {
    for (stake, returned) in [(1, 3), (3, 8), (5, 13), (7, 18), (10, 25), (1000, 2500)] {
        let mut house = House::with_table(&[], 1000);
        house.deal("t1", "alice", stake, |v| v[0] == 1 && v[2] == 10 && v[1] == 5 && v[3] == 10);
        house.finish("t1", "alice");
        let gain = returned - stake;
        assert_eq!(house.balance("alice"), 1000 + gain);
        assert_eq!(house.house_balance(), -i64::try_from(gain).unwrap());
        assert_eq!(house.state.ledger().total(), 0);
    }
}

#[test]
fn c5_a_return_contains_the_stake() {
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 7, quiet);
    let entry = house.act("t1", "alice", Action::Stand).unwrap();
    let [line] = paid(&entry).try_into().unwrap();
    assert_eq!((line.outcome, line.stake, line.returned), (Outcome::Win, chips(7), chips(14)));
    assert!(entry.events.contains(&Event::RoundSettled {
        round_no: 0,
        staked: chips(7),
        returned: chips(14),
        players: vec![result("alice", 7, 14)]
    }));
    assert_eq!(house.balance("alice"), 107);
}

#[test]
fn c8_a_draw_takes_the_next_slot_of_the_public_order() {
    let mut house = House::with_table(&[], 100);
    let entry = house.deal("t1", "alice", 7, quiet);
    let entry = [entry, house.act("t1", "alice", Action::Hit).unwrap()];
    let slots: Vec<Slot> =
        course(&entry).iter().filter_map(some!(RoundEvent::Dealt { slot, lane: 0, .. } => *slot)).collect();
    let order = house.table("t1").round.as_ref().unwrap().lanes.as_ref().unwrap().order();
    assert_eq!(slots.len(), 5);
    assert_eq!(slots, order[..5]);
}

#[test]
fn c10_slots_drawn_in_a_void_round_stay_drawn() {
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 7, quiet);
    let drawn = house.table("t1").round.as_ref().unwrap().lanes.as_ref().unwrap().drawn().to_vec();
    assert_eq!(drawn.len(), 4);
    let void =
        Command::VoidRound { table: table("t1"), round_no: 0, reason: Reference::parse("spilled coffee").unwrap() };
    house.give(&Actor::Operator, void).unwrap();
    assert_eq!(house.table("t1").round.as_ref().unwrap().lanes.as_ref().unwrap().drawn(), drawn);
    house.run_due();
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.shoe_no, 1, "the next round deals from another shoe");
}

#[test]
fn c11_a_shoe_is_changed_between_rounds_only_and_after_a_restart() {
    let mut house = House::with_table(&[], 100);
    let commit = || Command::CommitShoe { table: table("t1") };
    assert_eq!(refusal(house.give(&Actor::House, commit())).code(), "nothing_to_do");
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 7, &seed).unwrap();
    assert_eq!(refusal(house.give(&Actor::House, commit())).code(), "nothing_to_do");
    house.reveal("t1", "alice", &seed).unwrap();
    assert_eq!(refusal(house.give(&Actor::House, commit())).code(), "nothing_to_do");
    house.finish("t1", "alice");
    assert!(house.table("t1").shoe.is_none());
    house.run_due();
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.shoe_no, 1);
    // The restart retires and reveals the shoe that was never used.
    house.crash();
    let entries = house.run_due();
    let names: Vec<String> = entries.iter().flat_map(names_of).collect();
    assert_eq!(names, ["shoe_revealed", "shoe_committed", "table_noted"]);
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.shoe_no, 2);
}

#[test]
fn c14_bets_close_then_seeds_then_cards() {
    let mut house = House::with_table(&[], 100);
    house.add_player("bob", 100);
    let seed = house.wish("t1", "alice", quiet);
    let entry = house.bet("t1", "alice", 7, &seed).unwrap();
    assert_eq!(names_of(&entry), ["bets_opened", "bet_placed", "posted", "bets_closed"]);
    for who in ["alice", "bob"] {
        let again = house.bet_command("t1", who, 50, &seed);
        assert_eq!(refusal(house.give(&by(who), again)).code(), "round_in_progress");
    }
    let entry = house.reveal("t1", "alice", &seed).unwrap();
    assert_eq!(
        names_of(&entry),
        ["seed_revealed", "round_opened", "play.dealt", "play.dealt", "play.dealt", "play.dealt", "play.offered"]
    );
    let late = house.bet_command("t1", "alice", 1, &seed);
    assert_eq!(refusal(house.give(&by("alice"), late)).code(), "round_in_progress");
}

/// Alice's own table with a day for a seed and a day for a round, as the documents want it; at a table for everyone no
/// player may hold up the others for so long.
fn alices_own(balance: u64) -> House {
    let mut house = House::new();
    house.add_player("alice", balance);
    house.open_own("alice", "t1", RuleSet::shipped("joy-own").unwrap());
    house
}

#[test]
fn c15_a_bet_without_its_seed_stays_locked_for_a_day_and_comes_back() {
    let mut house = alices_own(100);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 7, &seed).unwrap();
    house.now = T0 + DAY - 1;
    assert!(house.run_due().is_empty());
    assert_eq!(house.balance("alice"), 93);
    house.now = T0 + DAY;
    assert_eq!(refusal(house.reveal("t1", "alice", &seed)).code(), "deadline_passed");
    let entries = house.run_due();
    assert_eq!(names_of(&entries[0]), ["posted", "round_voided", "shoe_revealed"]);
    let missing = vec![player("alice")];
    assert!(entries[0].events.contains(&Event::RoundVoided {
        round_no: 0,
        cause: VoidCause::RevealMissing,
        missing,
        ahead: Ahead::Nobody,
        players: vec![result("alice", 7, 7)],
        refunds: None,
        retained_winnings: vec![],
        standing: None,
    }));
    assert_eq!((house.balance("alice"), house.escrow("t1")), (100, 0));
}

#[test]
fn c16_an_action_counts_before_the_deadline_and_not_at_it() {
    let mut house = alices_own(100);
    house.deal("t1", "alice", 7, quiet);
    house.now = T0 + DAY;
    assert_eq!(refusal(house.act("t1", "alice", Action::Stand)).code(), "deadline_passed");
    house.now = T0 + DAY - 1;
    house.act("t1", "alice", Action::Stand).unwrap();
}

#[test]
fn c17_the_day_runs_from_round_opened_and_no_action_restarts_it() {
    let mut house = alices_own(100);
    let seed = house.wish("t1", "alice", |v| v[1] != 1 && [0, 2, 4].iter().all(|i| (2..=6).contains(&v[*i])));
    house.bet("t1", "alice", 7, &seed).unwrap();
    house.now = T0 + 5 * HOUR;
    house.reveal("t1", "alice", &seed).unwrap();
    let deadline = T0 + 5 * HOUR + DAY;
    assert_eq!(house.phase("t1"), Some(Phase::Open { settle_by: Some(deadline) }));
    house.now = deadline - 1;
    let entry = house.act("t1", "alice", Action::Hit).unwrap();
    let offered = entry.events.iter().find_map(some!(Event::Play(RoundEvent::Offered { deadline, .. }) => *deadline));
    assert_eq!(offered, Some(deadline));
    assert_eq!(house.state.next_deadline(), Some(deadline));
    assert!(house.run_due().is_empty());
    let lapse = Command::Lapse { table: table("t1"), round_no: 0, lapsed: Lapsed::Round };
    assert_eq!(refusal(house.give(&Actor::House, lapse)).code(), "deadline_ahead");
    let owes = |at, now| house.state.owes(&table(at), now);
    assert!(
        owes("t1", deadline) && !owes("t1", deadline - 1) && !owes("t2", deadline),
        "what comes elsewhere may go before"
    );
    house.now = deadline;
    let entries = house.run_due();
    assert!(names_of(&entries[0]).contains(&"round_settled".to_owned()));
}

#[test]
fn c18_default_play_declines_stands_and_completes_an_unplayed_split_hand() {
    // Under an ace: insurance open.
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 7, |v| v[1] == 1 && v[3] == 7 && v[0] == 10 && v[2] == 9);
    house.now = T0 + DAY;
    let entry = house.run_due().remove(0);
    let acted: Vec<(Action, bool)> = course([&entry])
        .iter()
        .filter_map(|e| {
            if let RoundEvent::Acted { action, default, .. } = e { Some((action.clone(), *default)) } else { None }
        })
        .collect();
    assert_eq!(acted, [(Action::Insurance { take: false }, true), (Action::Stand, true)]);
    assert_eq!(house.balance("alice"), 107, "19 against soft 18");

    // After a split: the second hand gets its card and stands.
    let mut house = House::with_table(&[], 100);
    house.deal("t1", "alice", 7, |v| v[..4] == [8, 10, 8, 7] && (2..=8).contains(&v[4]) && (2..=8).contains(&v[5]));
    house.act("t1", "alice", Action::Split).unwrap();
    house.now = T0 + DAY;
    let entry = house.run_due().remove(0);
    assert_eq!(
        names_of(&entry),
        [
            "play.acted",
            "play.dealt",
            "play.offered",
            "play.acted",
            "play.turned",
            "play.paid",
            "posted",
            "round_settled",
            "shoe_revealed"
        ]
    );
    assert_eq!(house.balance("alice"), 86, "at most 16 against 17, twice lost");
}

#[test]
fn c19_an_abandoned_round_is_finished_at_the_deadline() {
    let mut house = House::with_table(&[("abandon", "finish"), ("round_time_ms", "60000")], 100);
    house.deal("t1", "alice", 7, quiet);
    house.now = T0 + MINUTE;
    let entries = house.run_due();
    assert_eq!(entries[0].by, Actor::House);
    assert_eq!(house.phase("t1"), Some(Phase::Settled));
    assert_eq!(house.balance("alice"), 107);
}

#[test]
fn c20_crash_policies() {
    for (policy, balance) in [("resume", 93), ("rollback", 100)] {
        let mut house = House::with_table(&[("crash", policy)], 100);
        house.deal("t1", "alice", 7, quiet);
        house.crash();
        assert!(house.state.owes(&table("t2"), house.now), "nothing comes before the tables are in order");
        let entries = house.run_due();
        assert_eq!(house.balance("alice"), balance, "{policy}");
        match policy {
            "resume" => {
                assert_eq!(names_of(&entries[0]), ["round_resumed"]);
                house.act("t1", "alice", Action::Stand).unwrap();
                assert_eq!(house.balance("alice"), 107);
            }
            _ => {
                assert_eq!(
                    void_of(&entries[0]),
                    (VoidCause::Crash, Ahead::House),
                    "19 against 10 and a hidden card, counted as ten"
                );
                assert_eq!(names_of(&entries[0]), ["posted", "round_voided", "shoe_revealed"]);
            }
        }
    }
}

#[test]
fn c21_the_deadline_moves_by_the_recorded_downtime_of_every_stop() {
    let mut house = alices_own(100);
    house.deal("t1", "alice", 7, quiet);
    house.now = T0 + 3 * HOUR;
    house.crash();
    // The service dies again before it has dealt with the table.
    house.now = T0 + 5 * HOUR;
    house.crash();
    house.run_due();
    assert_eq!(house.phase("t1"), Some(Phase::Open { settle_by: Some(T0 + DAY + 5 * HOUR) }));
    // A third stop counts from the last entry, not from the start.
    house.now = T0 + 6 * HOUR;
    house.crash();
    house.run_due();
    assert_eq!(house.phase("t1"), Some(Phase::Open { settle_by: Some(T0 + DAY + 6 * HOUR) }));
    house.now = T0 + DAY + 6 * HOUR - 1;
    house.act("t1", "alice", Action::Stand).unwrap();

    // A reveal window restarts in full.
    let mut house = alices_own(100);
    let seed = house.any_seed("t1");
    house.bet("t1", "alice", 7, &seed).unwrap();
    house.now = T0 + 30 * HOUR;
    house.crash();
    house.run_due();
    assert_eq!(house.phase("t1"), Some(Phase::AwaitingReveals { reveal_by: T0 + 30 * HOUR + DAY }));
    house.reveal("t1", "alice", &seed).unwrap();
}

#[test]
fn c22_a_void_returns_every_wager_names_its_cause_and_happens_once() {
    let void = |reason: &str| Command::VoidRound {
        table: table("t1"),
        round_no: 0,
        reason: Reference::parse(reason).unwrap(),
    };
    // Before any card the house could know what is coming, and has no say.
    let mut early = House::with_table(&[], 1000);
    let seed = early.any_seed("t1");
    early.bet("t1", "alice", 8, &seed).unwrap();
    assert_eq!(refusal(early.give(&Actor::Operator, void("power supply"))).code(), "awaiting_reveals");
    // After a lost insurance, which the house had collected; after split and double.
    type Prepare = fn(&mut House);
    let cases: [(Prepare, Ahead); 3] = [
        (
            |house| {
                house.deal("t1", "alice", 8, |v| v[..4] == [10, 1, 9, 7]);
                house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
                assert_eq!((house.balance("alice"), house.house_balance(), house.escrow("t1")), (988, 4, 8));
            },
            Ahead::House,
        ),
        (
            |house| {
                house.deal("t1", "alice", 8, |v| v[..4] == [10, 6, 10, 7] && v[4] == 1 && v[5] == 2);
                house.act("t1", "alice", Action::Split).unwrap();
                house.act("t1", "alice", Action::Double { amount: Some(chips(8)) }).unwrap();
                assert_eq!((house.balance("alice"), house.escrow("t1")), (1000 - 24, 24));
            },
            Ahead::House,
        ),
        (|house| drop(house.deal("t1", "alice", 8, |v| v[..4] == [10, 6, 10, 7])), Ahead::Players),
    ];
    for (number, (prepare, ahead)) in cases.into_iter().enumerate() {
        let mut house = House::with_table(&[], 1000);
        prepare(&mut house);
        let entry = house.give(&Actor::Operator, void("power supply")).unwrap();
        assert_eq!(entry.by, Actor::Operator);
        assert_eq!(void_of(&entry).0, VoidCause::Malfunction);
        assert_eq!(void_of(&entry).1, ahead, "case {number}");
        assert_eq!((house.balance("alice"), house.house_balance(), house.escrow("t1")), (1000, 0, 0), "case {number}");
        assert_eq!(refusal(house.give(&Actor::Operator, void("again"))).code(), "wrong_round");
        assert_eq!(house.state.ledger().balance(&Account::Cage), Some(-1000));
    }
}
