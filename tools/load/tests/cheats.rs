//! Every way to cheat in a reply or on the log, each found by its own check.

use crate::desk;

use desk::{Desk, Eyes, Tamper, assert_flaw, play};
use fairshoe_fairness::Slot;
use fairshoe_games::{ActionKind, Chips, RoundEvent};
use fairshoe_house::{Account, Command, Entry, Event};
use fairshoe_load::check::{Flaw, Todo};
use fairshoe_load::strategy::Strategy;
use serde_json::{Value, json};

/// Each cheat has so many rounds to find its opportunity.
const ROUNDS: u64 = 400;

/// Plays JOY with changed replies until a flaw is found.
fn flaw_of_reply(name: &str, mut twist: impl FnMut(&mut Value, &Desk)) -> Flaw {
    let mut desk = Desk::new();
    let mut eyes = [Eyes::on(&desk, 0, Strategy::Random)];
    let mut of_replies = |value: &mut Value, desk: &Desk| {
        // An entry of a page does not count.
        if value.get("receipts").is_some() {
            twist(value, desk);
        }
    };
    let Err(flaw) = play(&mut desk, &mut eyes, ROUNDS, &mut of_replies) else {
        panic!("{name}: no check failed in {ROUNDS} rounds")
    };
    flaw
}

/// The same against a house that logs, signs and returns another entry than it decided.
fn flaw_of_house(name: &str, tamper: impl FnMut(&mut Entry, &Desk) + 'static) -> Flaw {
    flaw_at_table(name, "joy", 1, tamper)
}

/// The same at a table with so many players, each of whom must find it; returns the first player's flaw.
fn flaw_at_table(name: &str, game: &str, players: u8, tamper: impl FnMut(&mut Entry, &Desk) + 'static) -> Flaw {
    let mut desk = Desk::of(game, &["alice", "bob", "carol", "dave"][..usize::from(players)]);
    let mut all: Vec<Eyes> = (0..players).map(|number| Eyes::on(&desk, number, Strategy::Random)).collect();
    desk.tamper = Some(Box::new(tamper) as Tamper);
    let Err(flaw) = play(&mut desk, &mut all, ROUNDS, &mut |_, _| {}) else {
        panic!("{name}: no check failed in {ROUNDS} rounds")
    };
    flaw
}

#[test]
fn replies_that_lie_are_caught() {
    type Twist = Box<dyn FnMut(&mut Value, &Desk)>;
    let has_openings = |reply: &Value| reply["openings"].as_array().is_some_and(|openings| !openings.is_empty());
    let edit_text =
        |value: &mut Value, from: &str, to: &str| *value = json!(value.as_str().unwrap().replacen(from, to, 1));
    let cases: Vec<(&str, &str, Twist)> = vec![
        (
            "an opening with another face",
            "the path leads to root",
            Box::new(move |reply, _| {
                if has_openings(reply) {
                    reply["openings"][0]["value"] = json!((reply["openings"][0]["value"].as_u64().unwrap() + 1) % 52);
                }
            }),
        ),
        (
            "an opening with another salt",
            "the path leads to root",
            Box::new(move |reply, _| {
                if has_openings(reply) {
                    reply["openings"][0]["salt"] = json!("00112233445566778899aabbccddeeff");
                }
            }),
        ),
        (
            "an opening with a short path",
            "a path of",
            Box::new(move |reply, _| {
                if has_openings(reply) {
                    reply["openings"][0]["path"].as_array_mut().unwrap().pop();
                }
            }),
        ),
        (
            "a missing opening",
            "was turned up and not opened",
            Box::new(move |reply, _| {
                if has_openings(reply) {
                    reply["openings"].as_array_mut().unwrap().remove(0);
                }
            }),
        ),
        (
            "the hole card opened early",
            "is opened and was not turned up",
            Box::new(|reply, desk| {
                if let Some(slot) = reply["round"]["game"]["dealer"]["cards"][1].get("slot").and_then(Value::as_u64)
                    && reply["round"]["game"]["dealer"]["cards"][1]["card"].is_null()
                {
                    let opening =
                        serde_json::to_value(desk.open(*desk.piles.last().unwrap(), Slot(slot as u16))).unwrap();
                    reply["openings"].as_array_mut().unwrap().push(opening);
                }
            }),
        ),
        (
            "another balance",
            "the balance is not",
            Box::new(|reply, _| reply["balance"] = json!(reply["balance"].as_u64().unwrap() - 1)),
        ),
        (
            "another total on view",
            "the round on view is not game",
            Box::new(|reply, _| {
                reply["round"]["game"]["boxes"][0]["hands"][0]["total"] = json!(21);
                reply["round"]["game"]["boxes"][0]["hands"][0]["soft"] = json!(true);
            }),
        ),
        (
            "an option withheld",
            "the round on view is not decisions",
            Box::new(|reply, _| {
                if let Some(decision) = reply["round"]["decisions"].get_mut(0) {
                    decision["options"].as_array_mut().unwrap().pop();
                }
            }),
        ),
        (
            "another phase",
            "the round on view is not phase",
            Box::new(|reply, _| reply["round"]["phase"] = json!("settled")),
        ),
        (
            "another entropy on view",
            "the round on view is not entropy",
            Box::new(|reply, _| reply["round"]["entropy"] = json!("11".repeat(32))),
        ),
        (
            "a receipt for another index",
            "the receipt is for entry",
            Box::new(|reply, _| reply["receipts"][0]["index"] = json!(1)),
        ),
        (
            "an entry changed after it was logged",
            "is not under its checkpoint",
            Box::new(move |reply, _| {
                edit_text(&mut reply["receipts"][0]["entry"], "\"time\":17", "\"time\":18");
            }),
        ),
        (
            "a checkpoint signed by another key",
            "checkpoint",
            Box::new(|reply, _| {
                let other = fairshoe_tlog::Signer::new(desk::ORIGIN, &[8; 32]).unwrap();
                let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
                let (text, _) = proof.rsplit_once("\n\n").unwrap();
                let (_, note) = text.split_once("\n\n").unwrap();
                let line = other.sign(&format!("{note}\n")).unwrap();
                reply["receipts"][0]["proof"] = json!(format!("{text}\n\n{line}"));
            }),
        ),
        (
            "a checkpoint of another root",
            "checkpoint",
            Box::new(|reply, _| {
                let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
                let root = proof.split_once("\n\n").unwrap().1.lines().nth(2).unwrap().to_owned();
                reply["receipts"][0]["proof"] =
                    json!(proof.replacen(&root, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 1));
            }),
        ),
        (
            "no receipt of the shoe",
            "receipts",
            Box::new(|reply, _| reply["receipts"].as_array_mut().unwrap().truncate(1)),
        ),
        (
            "another entry in the shoe's place",
            "the table of shoe_committed",
            Box::new(|reply, desk| {
                if reply["receipts"].as_array().unwrap().len() == 2 {
                    reply["receipts"][1] = desk.receipt(1);
                }
            }),
        ),
        (
            "the shoe of a round before",
            "the shoe committed",
            Box::new(|reply, desk| {
                let first =
                    desk.entries.iter().position(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
                if reply["receipts"].as_array().unwrap().len() == 2
                    && reply["receipts"][1]["index"].as_u64() > Some(first)
                {
                    reply["receipts"][1] = desk.receipt(first);
                }
            }),
        ),
    ];
    for (name, words, twist) in cases {
        assert_flaw(name, &flaw_of_reply(name, twist), words);
    }
}

/// The play events of an entry.
fn plays(entry: &mut Entry) -> impl Iterator<Item = &mut RoundEvent> {
    entry.events.iter_mut().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
}

#[test]
fn houses_that_cheat_are_caught() {
    type Cheat = Box<dyn FnMut(&mut Entry, &Desk)>;
    let cases: Vec<(&str, &str, Cheat)> = vec![
        (
            "deals the second card of the order first",
            "[dealt_slot]",
            Box::new(|entry, _| {
                let mut slots = plays(entry)
                    .filter_map(|play| if let RoundEvent::Dealt { slot, .. } = play { Some(slot) } else { None });
                if let (Some(first), Some(second)) = (slots.next(), slots.next()) {
                    std::mem::swap(first, second);
                }
            }),
        ),
        (
            "shows another face than the committed one",
            "the face that was turned up",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Dealt { card: Some(card), .. } = play {
                        *card = fairshoe_fairness::Card::from_code((card.code() + 13) % 52).unwrap();
                    }
                }
            }),
        ),
        (
            "turns the hole card into another",
            "[face_false]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Turned { card, .. } = play {
                        *card = fairshoe_fairness::Card::from_code((card.code() + 1) % 52).unwrap();
                    }
                }
            }),
        ),
        (
            "pays less than was won",
            "[payout]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Paid { lines } = play {
                        for line in lines.iter_mut().filter(|line| line.returned != Chips::ZERO) {
                            line.returned = line.returned.minus(Chips::new(1).unwrap()).unwrap();
                        }
                    }
                }
            }),
        ),
        (
            "posts less than it says it pays",
            "[posting]",
            Box::new(|entry, _| {
                let is_pay = plays(entry).any(|play| matches!(play, RoundEvent::Paid { .. }));
                for event in entry.events.iter_mut().filter(|_| is_pay) {
                    if let Event::Posted { lines } = event {
                        for line in lines.iter_mut().filter(|line| line.1 > 0) {
                            let by = if matches!(line.0, Account::Player(_)) { -1 } else { 1 };
                            (line.1, line.2) = (line.1 + by, line.2 + by);
                        }
                        let sum: i64 = lines.iter().map(|line| line.1).sum();
                        if let Some(last) = lines.last_mut().filter(|line| !matches!(line.0, Account::Player(_))) {
                            (last.1, last.2) = (last.1 - sum, last.2 - sum);
                        }
                    }
                }
            }),
        ),
        (
            "posts chips out of nothing",
            "[posting]",
            Box::new(|entry, _| {
                if let Some(Event::Posted { lines }) =
                    entry.events.iter_mut().find(|event| matches!(event, Event::Posted { .. }))
                {
                    lines[0].1 += 1;
                }
            }),
        ),
        (
            "keeps the posting back",
            "[event_order]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::Bet { .. }) {
                    entry.events.retain(|event| !matches!(event, Event::Posted { .. }));
                }
            }),
        ),
        (
            "opens the round with other entropy",
            "[round_opened]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::RoundOpened { entropy, .. } = event {
                        *entropy = fairshoe_fairness::RoundEntropy::from_bytes([1; 32]);
                    }
                }
            }),
        ),
        (
            "closes the bets with another commitment",
            "[bets]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::BetsClosed { contributors, .. } = event {
                        contributors[0].commitment = fairshoe_fairness::SeedCommitment::from_bytes([1; 32]);
                    }
                }
            }),
        ),
        (
            "writes down another bet",
            "in alice's name",
            Box::new(|entry, _| {
                if let Command::Bet { bets, .. } = &mut entry.command {
                    bets[0].stake = Chips::new(16).unwrap();
                }
            }),
        ),
        (
            "writes down another choice",
            "in alice's name",
            Box::new(|entry, _| {
                if let Command::Act { decision, .. } = &mut entry.command {
                    *decision += 1;
                }
            }),
        ),
        (
            "does not offer what the rules offer",
            "[offer]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Offered { options, .. } = play {
                        options.retain(|offer| offer.action != ActionKind::Double);
                    }
                }
            }),
        ),
        (
            "stops before the dealer has played",
            "[event_missing]",
            Box::new(|entry, _| {
                let settled = entry.events.iter().any(|event| matches!(event, Event::RoundSettled { .. }));
                let acted =
                    entry.events.iter().position(|event| matches!(event, Event::Play(RoundEvent::Acted { .. })));
                if let (true, Some(acted)) = (settled, acted) {
                    // The posting follows a choice that costs money.
                    let posted = matches!(entry.events.get(acted + 1), Some(Event::Posted { .. }));
                    entry.events.truncate(acted + 1 + usize::from(posted));
                }
            }),
        ),
        (
            "decides for the player",
            "[event_extra]",
            Box::new(|entry, _| {
                let acted =
                    entry.events.iter().find(|event| matches!(event, Event::Play(RoundEvent::Acted { .. }))).cloned();
                entry.events.extend(acted);
            }),
        ),
        (
            "settles other sums",
            "[settlement]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::RoundSettled { returned, .. } = event {
                        *returned = returned.plus(Chips::new(1).unwrap()).unwrap();
                    }
                }
            }),
        ),
        (
            "publishes another seed",
            "[seed_opens]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::ShoeRevealed { seeds, .. } = event {
                        seeds[0] = fairshoe_fairness::ServerSeed::from_bytes([1; 32]);
                    }
                }
            }),
        ),
        (
            "keeps the seed",
            "[event_missing]",
            Box::new(|entry, _| entry.events.retain(|event| !matches!(event, Event::ShoeRevealed { .. }))),
        ),
        (
            "lets a shoe be committed in the middle",
            "[event_order]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::Reveal { .. }) {
                    entry.events.insert(0, Event::BetsOpened { round_no: 0, shoe_no: 0, closes_at: None });
                }
            }),
        ),
    ];
    for (name, words, cheat) in cases {
        let flaw = flaw_of_house(name, cheat);
        assert_flaw(name, &flaw, words);
    }
}

/// All players can check all players' commitments, seeds, bets and choices.
#[test]
fn houses_that_cheat_at_shared_tables_are_caught() {
    type Cheat = Box<dyn FnMut(&mut Entry, &Desk)>;
    let closed = |entry: &mut Entry, change: fn(&mut Vec<fairshoe_house::PlacedBet>)| {
        for event in &mut entry.events {
            if let Event::BetsClosed { contributors, .. } = event {
                change(contributors);
            }
        }
    };
    let cases: Vec<(&str, &str, &str, Cheat)> = vec![
        ("leaves a bettor out", "baccarat", "[bets]", Box::new(move |entry, _| closed(entry, |all| drop(all.pop())))),
        (
            "closes with another's commitment",
            "roulette",
            "[bets]",
            Box::new(move |entry, _| {
                closed(entry, |all| all[1].commitment = fairshoe_fairness::SeedCommitment::from_bytes([1; 32]));
            }),
        ),
        (
            "raises another's bet as it closes",
            "live-blackjack",
            "[bets]",
            Box::new(move |entry, _| closed(entry, |all| all[1].bets[0].stake = Chips::new(200).unwrap())),
        ),
        (
            "reveals a seed for a player that he did not commit to",
            "baccarat",
            "[refused]",
            Box::new(|entry, _| {
                let other = fairshoe_fairness::ClientSeed::from_bytes([9; 32]);
                if let Command::Reveal { player, seed, .. } = &mut entry.command
                    && player.as_str() == "bob"
                {
                    seed.clone_from(&other);
                    for event in &mut entry.events {
                        if let Event::SeedRevealed { seed, .. } = event {
                            seed.clone_from(&other);
                        }
                    }
                }
            }),
        ),
        (
            "opens the round without waiting for all seeds",
            "baccarat",
            "[event_extra]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::Reveal { .. }) && entry.events.len() == 1 {
                    let entropy = fairshoe_fairness::RoundEntropy::from_bytes([1; 32]);
                    entry.events.push(Event::RoundOpened { entropy, pick: 0, others: vec![], settle_by: None });
                }
            }),
        ),
        (
            "gives a box another box's lane",
            "live-blackjack",
            "[dealt_slot]",
            Box::new(|entry, _| {
                let mut dealt = plays(entry)
                    .filter_map(|play| if let RoundEvent::Dealt { slot, .. } = play { Some(slot) } else { None });
                if let (Some(first), Some(second)) = (dealt.next(), dealt.next()) {
                    std::mem::swap(first, second);
                }
            }),
        ),
        (
            "lets another player's choice pass as one of the clock",
            "live-blackjack",
            "[action]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Acted { player, default, .. } = play
                        && player.as_str() == "bob"
                    {
                        *default = true;
                    }
                }
            }),
        ),
        (
            "writes down another's other choice",
            "live-blackjack",
            "[action]",
            Box::new(|entry, _| {
                if let Command::Act { action, .. } = &mut entry.command
                    && entry.by.to_string() == "player:bob"
                {
                    *action = fairshoe_games::Action::Split;
                }
            }),
        ),
        (
            "turns the wheel to another pocket",
            "roulette",
            "[spin]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Spun { pocket, .. } = play {
                        *pocket = (*pocket + 1) % 37;
                    }
                }
            }),
        ),
        (
            "spins another slot",
            "roulette",
            "[spin]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Spun { slot, .. } = play {
                        slot.0 += 1;
                    }
                }
            }),
        ),
        (
            "pays another player less",
            "baccarat",
            "[payout]",
            Box::new(|entry, _| {
                for play in plays(entry) {
                    if let RoundEvent::Paid { lines } = play {
                        for line in lines
                            .iter_mut()
                            .filter(|line| line.player.as_str() == "bob" && line.returned != Chips::ZERO)
                        {
                            line.returned = line.returned.minus(Chips::new(1).unwrap()).unwrap();
                        }
                    }
                }
            }),
        ),
        (
            "keeps a shoe beyond its cut card",
            "baccarat",
            "[event_missing]",
            Box::new(|entry, _| entry.events.retain(|event| !matches!(event, Event::ShoeRevealed { .. }))),
        ),
        (
            "says nothing of the cut card",
            "baccarat",
            "[event_order]",
            Box::new(|entry, _| entry.events.retain(|event| !matches!(event, Event::LastHand { .. }))),
        ),
        (
            "changes the shoe though nobody is new",
            "baccarat",
            "[event_order]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::OpenBets { .. }) {
                    let seeds = vec![fairshoe_fairness::ServerSeed::from_bytes([1; 32])];
                    let cause = Some(fairshoe_house::RetireCause::Newcomer);
                    entry.events.insert(0, Event::ShoeRevealed { shoe_no: 0, seeds, cause });
                }
            }),
        ),
        (
            "makes the new pile of other cards",
            "safe",
            "[shoe_committed]",
            Box::new(|entry, _| {
                if matches!(entry.command, Command::CommitShoe { .. }) {
                    return;
                }
                for event in &mut entry.events {
                    if let Event::ShoeCommitted { composition, .. } = event {
                        *composition = fairshoe_fairness::Composition::Decks(1);
                    }
                }
            }),
        ),
        (
            "leaves a player out of a pile's shuffle",
            "safe",
            "[pile]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::PileOpened { players, .. } = event {
                        players.pop();
                    }
                }
            }),
        ),
        (
            "shuffles the pile its own way",
            "safe",
            "[pile]",
            Box::new(|entry, _| {
                for event in &mut entry.events {
                    if let Event::PileShuffled { entropy, .. } = event {
                        *entropy = fairshoe_fairness::RoundEntropy::from_bytes([1; 32]);
                    }
                }
            }),
        ),
        (
            "lets somebody sit on a taken seat",
            "six-deck",
            "[refused]",
            Box::new(|entry, _| {
                if let Command::TakeSeat { seat, .. } = &mut entry.command
                    && entry.by.to_string() == "player:bob"
                {
                    *seat = 5;
                    for event in &mut entry.events {
                        if let Event::SeatTaken { seat, .. } = event {
                            *seat = 5;
                        }
                    }
                }
            }),
        ),
    ];
    for (name, game, words, cheat) in cases {
        let flaw = flaw_at_table(name, game, if game == "safe" { 4 } else { 3 }, cheat);
        assert_flaw(name, &flaw, words);
    }
}

#[test]
fn bets_closed_while_a_seated_player_is_waited_for_are_caught() {
    let mut desk = Desk::of("baccarat", &["alice", "bob"]);
    let mut all: Vec<Eyes> = (0..2).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
    all[0].neglects = |todo| matches!(todo, Todo::Bet { round_no } if *round_no > 0);
    desk.tamper = Some(Box::new(|entry, _| {
        if matches!(entry.command, Command::CloseBets { round_no: 1, .. }) {
            entry.time -= 1_000;
            for event in &mut entry.events {
                if let Event::BetsClosed { reveal_by, .. } = event {
                    *reveal_by -= 1_000;
                }
            }
        }
    }));
    let flaw = play(&mut desk, &mut all, 3, &mut |_, _| {}).unwrap_err();
    assert_flaw("an early close", &flaw, "deadline_ahead");
}
