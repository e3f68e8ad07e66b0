//! A player's checks against an honest house at every game, with voids, default play, restarts, and against a log that
//! shrinks or forks.

use crate::desk;

use desk::{Desk, Eyes, assert_flaw, play};
use fairshoe_api::Receipt;
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Actor, Command, Event, Nonce, Phase, PlayerKey, Reference, Signed, VoidCause};
use fairshoe_load::check::{Flaw, LogCheck, Signers, TableCheck, Todo, opens_only};
use fairshoe_load::strategy::Strategy;
use fairshoe_tlog::SecretKey;
use std::sync::Arc;

const NAMES: [&str; 5] = ["alice", "bob", "carol", "dave", "erin"];

fn honest(_: &mut serde_json::Value, _: &Desk) {}

/// Plays rounds at a table of this game with so many players.
fn played(game: &str, players: u8, strategy: Strategy, rounds: u64) -> (Desk, Vec<Eyes>) {
    let mut desk = Desk::of(game, &NAMES[..usize::from(players)]);
    let mut all: Vec<Eyes> = (0..players).map(|number| Eyes::on(&desk, number, strategy)).collect();
    play(&mut desk, &mut all, rounds, &mut honest).unwrap_or_else(|flaw| panic!("{game}: {flaw}"));
    (desk, all)
}

fn assert_paths(game: &str, desk: &Desk, paths: &[&str]) {
    let all = desk.entries.join("\n");
    for path in paths {
        assert!(all.contains(path), "{game} never came to {path}");
    }
}

#[test]
fn an_honest_house_passes_on_every_path_of_joy() {
    for strategy in [Strategy::Basic, Strategy::CopyDealer, Strategy::NeverBust, Strategy::Random] {
        let (desk, _) = played("joy", 1, strategy, 150);
        let paths: &[&str] = match strategy {
            Strategy::Random => &[
                "\"split\"",
                "\"peeked\"",
                "\"double\"",
                "\"take\":true",
                "\"outcome\":\"blackjack\"",
                "\"outcome\":\"draw\"",
                "\"outcome\":\"bust\"",
            ],
            Strategy::Basic => &["\"split\"", "\"double\"", "\"take\":false"],
            _ => &["\"outcome\":\"win\"", "\"outcome\":\"loss\""],
        };
        assert_paths("joy", &desk, paths);
    }
}

#[test]
fn an_honest_house_passes_at_every_solo_game() {
    for (game, rounds, paths) in [
        ("rng-blackjack", 60, &["\"threshold\"", "\"last_hand\"", "\"double\":{\"amount\""][..]),
        ("six-deck-solo", 40, &["\"threshold\"", "\"surrender\"", "\"2/1\""]),
        ("study-group-solo", 60, &["\"threshold\"", "\"surrender\""]),
        ("rng-baccarat", 110, &["\"threshold\"", "\"last_hand\"", "\"tie\""]),
        ("rng-roulette", 140, &["\"threshold\"", "\"spun\"", "straight:"]),
    ] {
        let (desk, _) = played(game, 1, Strategy::Random, rounds);
        assert_paths(game, &desk, paths);
    }
}

#[test]
fn an_honest_house_passes_at_every_shared_game() {
    for (game, rounds, paths) in [
        ("live-blackjack", 30, &["\"lanes\":6", "\"threshold\"", "\"insurance\"", "\"double\":{\"amount\""][..]),
        ("six-deck", 25, &["\"lanes\":6", "\"threshold\"", "\"even_money\"", "\"surrender\""]),
        ("study-group", 30, &["\"lanes\":6", "\"threshold\"", "\"surrender\""]),
        ("baccarat", 110, &["\"threshold\"", "\"last_hand\"", "banker"]),
        ("roulette", 70, &["\"threshold\"", "\"spun\"", "line:"]),
    ] {
        let (desk, _) = played(game, 5, Strategy::Random, rounds);
        assert_paths(game, &desk, paths);
    }
}

#[test]
fn an_honest_house_passes_at_safe_with_new_piles() {
    let (desk, _) = played("safe", 5, Strategy::Basic, 24);
    let paths = [
        "\"pile_opened\"",
        "\"pile_closed\"",
        "\"pile_shuffled\"",
        "\"pile_used\"",
        "\"face_down\"",
        "\"won\"",
        "\"change\"",
    ];
    assert_paths("safe", &desk, &paths);
    let (desk, _) = played("safe", 3, Strategy::Random, 12);
    assert_paths("safe", &desk, &["\"won\"", "\"reject\"", "\"opening\""]);
}

#[test]
fn only_a_shoe_of_its_own_table_makes_a_bet_bind() {
    let (desk, _) = played("baccarat", 2, Strategy::Basic, 1);
    let closed =
        *desk.at_table.iter().find(|index| desk.entries[**index as usize].contains("\"bets_closed\":{")).unwrap();
    let shoe = desk.last_commit(closed);
    let bound = desk.on_log(closed);
    bound.binds_on(&desk.on_log(shoe)).unwrap();
    assert!(bound.binds_on(&desk.on_log(1)).is_err(), "an entry without a shoe");
    assert!(desk.on_log(shoe).binds_on(&bound).is_err(), "the wrong way round");
    let mut later = Desk::of("baccarat", &NAMES[..2]);
    later.now += 1;
    let mut eyes: Vec<Eyes> = (0..2).map(|number| Eyes::on(&later, number, Strategy::Basic)).collect();
    play(&mut later, &mut eyes, 2, &mut honest).unwrap();
    assert_eq!(bound.binds_on(&later.on_log(shoe)).unwrap_err(), Flaw::TwoCheckpoints);
}

#[test]
fn a_log_that_shrinks_or_forks_is_caught() {
    let (mut desk, mut fork) = (Desk::new(), Desk::new());
    let log = LogCheck::new(desk.key());
    let receipt = |desk: &Desk, index| -> Receipt { serde_json::from_value(desk.receipt(index)).unwrap() };
    let (early, mut known) = (receipt(&desk, 0), 0);
    let credit = |desk: &mut Desk, amount| {
        let (player, amount) = (desk.players[0].clone(), Chips::new(amount).unwrap());
        desk.give(Actor::Operator, Command::Credit { player, amount, reference: None }).unwrap();
    };
    credit(&mut desk, 5);
    log.receipt(&receipt(&desk, 0), &mut known).unwrap();
    assert_eq!(log.receipt(&early, &mut known).unwrap_err(), Flaw::Shrunk(known, known - 1));
    credit(&mut fork, 6);
    assert_eq!(log.receipt(&receipt(&fork, 0), &mut 0).unwrap_err(), Flaw::Forked(known));
    let (first, last) = log.span().unwrap();
    assert_eq!((first.size, last.size), (known - 1, known));
    assert_eq!(log.checkpoints(), 2);
}

/// A table in the middle of a round with an open decision.
fn in_play(game: &str, players: u8) -> (Desk, Vec<Eyes>) {
    let mut desk = Desk::of(game, &NAMES[..usize::from(players)]);
    let mut all: Vec<Eyes> = (0..players).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
    for eyes in &mut all {
        eyes.neglects = |todo| matches!(todo, Todo::Act { .. });
    }
    while !all.iter().any(|eyes| matches!(eyes.todo(), Todo::Act { .. })) {
        for eyes in &mut all {
            eyes.go_on(&mut desk, &mut honest).unwrap();
        }
    }
    (desk, all)
}

#[test]
fn a_void_gives_everything_back_or_is_caught() {
    for (game, players) in [("joy", 1), ("live-blackjack", 3)] {
        for short in [false, true] {
            let (mut desk, mut all) = in_play(game, players);
            let before = Chips::new(1_000_000).unwrap();
            if short {
                desk.tamper = Some(Box::new(|entry, _| {
                    if let Some(Event::Posted { lines }) = entry.events.first_mut() {
                        (lines[0].1, lines[0].2) = (lines[0].1 - 1, lines[0].2 - 1);
                        (lines[1].1, lines[1].2) = (lines[1].1 + 1, lines[1].2 + 1);
                    }
                }));
            }
            let reason = Reference::parse("lamp fell").unwrap();
            desk.give(Actor::Operator, Command::VoidRound { table: desk.table.clone(), round_no: 0, reason }).unwrap();
            // All players see it, whichever of them was given less.
            for eyes in &mut all {
                match eyes.follow(&desk, &mut honest) {
                    Err(flaw) => {
                        assert!(short, "{flaw}");
                        assert_flaw("a short refund", &flaw, "[posting]");
                    }
                    Ok(()) => {
                        assert!(!short);
                        let cause = eyes.check.round().map(|round| round.phase);
                        assert!(matches!(cause, Some(Phase::Voided { cause: VoidCause::Malfunction, .. })));
                        assert_eq!(eyes.funds(), before);
                    }
                }
            }
        }
    }
}

#[test]
fn default_play_is_the_houses_after_the_deadline_alone() {
    for (game, players) in [("joy", 1), ("study-group", 3), ("safe", 3)] {
        let (mut desk, mut all) = in_play(game, players);
        for _ in 0..2_000 {
            desk.wait();
            for eyes in &mut all {
                eyes.follow(&desk, &mut honest).unwrap_or_else(|flaw| panic!("{game}: {flaw}"));
            }
            if all[0].is_over(0) {
                break;
            }
        }
        assert!(all[0].check.round().is_some_and(|round| round.phase == Phase::Settled), "{game}");
        assert_paths(game, &desk, &["\"default\":true"]);
        assert_eq!(all[0].funds(), desk.funds(&all[0].name), "{game}");

        let (mut desk, mut all) = in_play(game, players);
        // With an earlier date, it came before its time.
        desk.tamper = Some(Box::new(|entry, _| {
            if matches!(entry.command, Command::Lapse { .. }) {
                entry.time -= 1_000;
            }
        }));
        desk.wait();
        assert_flaw(game, &all[0].follow(&desk, &mut honest).unwrap_err(), "deadline_ahead");
    }
}

#[test]
fn who_withholds_a_seed_is_named_and_loses_the_seat() {
    for game in ["live-blackjack", "roulette"] {
        let mut desk = Desk::of(game, &NAMES[..3]);
        let mut all: Vec<Eyes> = (0..3).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
        all[1].neglects = |todo| matches!(todo, Todo::Reveal { round_no: 1, .. });
        play(&mut desk, &mut all, 4, &mut honest).unwrap_or_else(|flaw| panic!("{game}: {flaw}"));
        assert_paths(game, &desk, &["\"reveal_missing\",\"missing\":[\"bob\"]", "\"cooldown\"", "\"seat_left\""]);
    }
}

#[test]
fn who_takes_no_part_in_a_piles_shuffle_is_out_of_the_game() {
    for stage in [
        (|todo| matches!(todo, Todo::Commit { .. })) as fn(&Todo) -> bool,
        |todo| matches!(todo, Todo::Reveal { round_no, .. } if round_no % 2 == 1),
    ] {
        let mut desk = Desk::of("safe", &NAMES);
        let mut all: Vec<Eyes> = (0..5).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
        all[2].neglects = stage;
        play(&mut desk, &mut all, 30, &mut honest).unwrap();
        assert_paths("safe", &desk, &["\"pile_failed\"", "\"absent\"", "\"pile_unused\""]);
    }
}

#[test]
fn three_windows_passed_cost_the_seat_and_a_newcomer_who_does_not_bet_cools_down() {
    let mut desk = Desk::of("baccarat", &NAMES[..3]);
    let mut all: Vec<Eyes> = (0..3).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
    all[2].neglects = |todo| matches!(todo, Todo::Bet { .. });
    play(&mut desk, &mut all, 6, &mut honest).unwrap();
    assert_paths("baccarat", &desk, &["\"seat_left\":{\"player\":\"carol\""]);
    all[2].neglects = |_| false;
    play(&mut desk, &mut all, 9, &mut honest).unwrap();
    assert_paths("baccarat", &desk, &["\"newcomer\""]);
    let (table, player) = (desk.table.clone(), all[1].name.clone());
    all[1].check.send(&player, Command::LeaveSeat { table: table.clone() }, None);
    all[1].neglects = |todo| matches!(todo, Todo::Bet { .. } | Todo::Wait);
    desk.give(Actor::Player(player), Command::LeaveSeat { table }).unwrap();
    play(&mut desk, &mut all, 12, &mut honest).unwrap();
    all[1].neglects = |todo| matches!(todo, Todo::Bet { .. });
    play(&mut desk, &mut all, 15, &mut honest).unwrap();
    assert_paths("baccarat", &desk, &["\"no_bet\""]);
}

#[test]
fn what_was_paid_early_and_is_spent_stays_after_a_void() {
    let mut desk = Desk::of("six-deck", &NAMES[..3]);
    let mut all: Vec<Eyes> = (0..3).map(|number| Eyes::on(&desk, number, Strategy::Random)).collect();
    let paid_early = |desk: &Desk| {
        let round = desk.state.table(&desk.table).unwrap().live_round()?;
        let paid = round
            .contributors
            .iter()
            .find(|part| part.placed.player == desk.players[0] && part.returned > part.staked)?;
        Some((round.round_no, paid.placed.player.clone()))
    };
    let (round_no, player) = loop {
        for eyes in &mut all {
            eyes.go_on(&mut desk, &mut honest).unwrap();
        }
        if let Some(found) = paid_early(&desk) {
            break found;
        }
    };
    let amount = desk.funds(&player);
    desk.give(Actor::Operator, Command::Withdraw { player, amount, reference: None }).unwrap();
    all[0].follow(&desk, &mut honest).unwrap();
    let name = all[0].name.clone();
    all[0].check.credited(&name, Chips::ZERO);
    let reason = Reference::parse("lamp fell").unwrap();
    desk.give(Actor::Operator, Command::VoidRound { table: desk.table.clone(), round_no, reason }).unwrap();
    for eyes in &mut all {
        eyes.follow(&desk, &mut honest).unwrap();
        assert_eq!(eyes.funds(), desk.funds(&eyes.name));
    }
    assert_paths("six-deck", &desk, &["\"kept\":[{\"player\":\"alice\""]);
}

#[test]
fn what_the_operator_announces_is_followed() {
    let rules =
        RuleSet::shipped("baccarat").unwrap().with_options([("house_shuffle", "on"), ("close_early", "off")]).unwrap();
    let mut desk = Desk::with(rules, &NAMES[..3]);
    let mut all: Vec<Eyes> = (0..3).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
    let reason = || Reference::parse("by the pit").unwrap();
    let table = desk.table.clone();
    let operator = |desk: &mut Desk, command| desk.give(Actor::Operator, command).map(drop);
    let window = |desk: &Desk| desk.state.table(&desk.table).unwrap().window().map(|window| window.round_no);
    let everyone = |desk: &mut Desk, all: &mut [Eyes]| {
        for eyes in all {
            eyes.go_on(desk, &mut honest).unwrap_or_else(|flaw| panic!("{flaw}"));
        }
    };
    for turn in 0..60 {
        everyone(&mut desk, &mut all);
        match (turn % 12, window(&desk)) {
            // "No more bets": with bets, and before any bet.
            (3 | 8, Some(round_no)) => {
                operator(&mut desk, Command::CloseBets { table: table.clone(), round_no }).unwrap()
            }
            (5, _) => {
                operator(&mut desk, Command::RetireShoe { table: table.clone(), reason: Some(reason()) }).unwrap_or(())
            }
            (10, Some(round_no)) => {
                operator(&mut desk, Command::VoidRound { table: table.clone(), round_no, reason: reason() }).unwrap()
            }
            (11, None) => desk.wait(),
            _ => {}
        }
    }
    while window(&desk).is_none() {
        everyone(&mut desk, &mut all);
        if window(&desk).is_none() && all.iter().all(|eyes| eyes.todo() == Todo::Wait) {
            desk.wait();
        }
    }
    everyone(&mut desk, &mut all);
    operator(&mut desk, Command::CloseTable { table }).unwrap();
    for eyes in &mut all {
        eyes.follow(&desk, &mut honest).unwrap();
        assert!(eyes.check.is_closed() && !eyes.check.is_in_play(&eyes.name));
        assert_eq!((eyes.todo(), eyes.funds()), (Todo::Wait, desk.funds(&eyes.name)));
    }
    let paths = [
        "\"announced\":true",
        "\"shuffle_asked\"",
        "\"house_shuffle\"",
        "\"malfunction\"",
        "\"cause\":\"closed\"",
        "\"table_closed\"",
    ];
    assert_paths("baccarat", &desk, &paths);
}

#[test]
fn rounds_resume_or_roll_back_and_windows_lapse_at_a_restart() {
    for game in ["live-blackjack", "six-deck", "study-group", "roulette", "safe", "joy", "six-deck-solo"] {
        let players = if Desk::of(game, &NAMES[..1]).rules.table.seats > 1 { 4 } else { 1 };
        let mut desk = Desk::of(game, &NAMES[..players]);
        let mut all: Vec<Eyes> = (0..4).take(players).map(|number| Eyes::on(&desk, number, Strategy::Random)).collect();
        let mut turns = 0;
        // A restart after so many moves, in any state.
        for (restarts, every) in (1..=40).zip([3, 5, 7, 2, 11].into_iter().cycle()) {
            for _ in 0..every {
                turns += 1;
                let which = turns % all.len();
                all[which]
                    .go_on(&mut desk, &mut honest)
                    .unwrap_or_else(|flaw| panic!("{game}, restart {restarts}: {flaw}"));
            }
            desk.start();
        }
        play(&mut desk, &mut all, 40, &mut honest).unwrap_or_else(|flaw| panic!("{game}: {flaw}"));
        let path = if game == "safe" { "\"crash\"" } else { "\"round_resumed\"" };
        assert_paths(game, &desk, &[path]);
        if players > 1 {
            // The cause of the lapsed windows, and of the shoes if they last over rounds.
            assert_paths(game, &desk, &["\"restart\""]);
        }
    }
}

/// Of a player whose key is known every command must be signed; the keys of strangers are not known.
#[test]
fn a_command_must_bear_its_players_signature() {
    let key = PlayerKey::from_bytes(SecretKey::from_seed(&[1; 32]).public_key());
    for (is_known, signs, nonces, word) in [
        (true, true, 1, None),
        (true, false, 1, Some("[signature]")),
        (true, true, 0, Some("[signature]")),
        (false, true, 0, None),
    ] {
        let mut desk = Desk::of("baccarat", &NAMES[..2]);
        let (signers, bob) = (Arc::<Signers>::default(), desk.players[1].clone());
        if is_known {
            signers.name(bob.clone(), key);
        }
        let (origin, epoch) = (desk.state.origin().unwrap().clone(), *desk.state.epoch().unwrap());
        let mut alice = Eyes::on(&desk, 0, Strategy::Basic);
        alice.check = TableCheck::new(origin.clone(), epoch, desk.table.clone(), desk.rules.clone(), signers);
        alice.check.credited(&alice.name, desk.funds(&alice.name));
        let (secret, mut nonce) = (SecretKey::from_seed(&[1; 32]), 1);
        desk.tamper = Some(Box::new(move |entry, _| {
            if entry.by == Actor::Player(bob.clone()) && signs {
                let number = Nonce::new(nonce).unwrap();
                entry.signed = Some(Signed::make(&secret, &origin, &bob, number, &entry.command).unwrap());
                nonce += nonces;
            }
        }));
        // What bob sends is his to check.
        let mut bob = Eyes::on(&desk, 1, Strategy::Basic);
        bob.check.forget(&bob.name);
        let found = play(&mut desk, &mut [alice, bob], 2, &mut honest);
        match (found, word) {
            (Ok(()), None) => {}
            (Err(flaw), Some(word)) => assert_flaw("a signature", &flaw, word),
            (found, _) => panic!("{is_known} {signs} {nonces}: {found:?}"),
        }
    }
}

#[test]
fn a_card_that_is_opened_in_another_field_is_caught() {
    let body = br#"{"openings":[{"salt":"00"}],"entry":"{\"salt\":\"00\"}","hash":"salt+salt="}"#;
    assert_eq!(opens_only(body, 2), Ok(()));
    for told in [0, 1, 3] {
        assert_flaw("an opening", &opens_only(body, told).unwrap_err(), "how many cards a reply opens");
    }
}

#[test]
fn another_entry_at_the_same_place_is_a_fork() {
    let (desk, all) = played("roulette", 2, Strategy::Basic, 2);
    let eyes = &all[0];
    let last = desk.on_log(*desk.at_table.last().unwrap());
    assert_eq!(eyes.check.knows(&last), Ok(true));
    let mut other = last.clone();
    other.leaf = desk.on_log(0).leaf;
    let seq = eyes.check.next_seq() - 1;
    assert_eq!(eyes.check.knows(&other), Err(Flaw::TwoEntries(seq)));
}
