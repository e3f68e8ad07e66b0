//! The calls of a round; a stranger with only the log's key can check each reply.

use fairshoe_fairness::{Composition, HouseShoe, Opening, ServerSeed, ShoeRoot};
use fairshoe_house::{Actor, Command, HouseNote};
use fairshoe_tests::wire::{Wire, eventually};
use fairshoe_tests::{Client, Json, PlacedBet, Player, Reply, Rng, Service, events, policy, slow, verify_receipt};
use fairshoe_tlog::VerifierKey;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The visible cards of a round view, by slot; face-down cards have no face.
fn cards(round: &Value) -> BTreeMap<u64, Option<String>> {
    let game = &round["game"];
    let hands = game["boxes"].items().flat_map(|b| b["hands"].list());
    let all = hands.chain([&game["dealer"]]).flat_map(|hand| hand["cards"].list());
    all.map(|card| (card["slot"].int(), card["card"].as_str().map(str::to_owned))).collect()
}

/// Verifies openings against the committed root; returns the cards by slot.
fn opened(openings: &Value, root: &ShoeRoot) -> BTreeMap<u64, Option<String>> {
    let Some(openings) = openings.as_array() else { return BTreeMap::new() };
    openings
        .iter()
        .map(|opening| {
            let opening: Opening = serde_json::from_value(opening.clone()).unwrap();
            opening.verify(root, &Composition::Decks(1)).unwrap();
            (u64::from(opening.slot.0), opening.card().map(|card| card.to_string()))
        })
        .collect()
}

fn faces_up(round: &Value) -> BTreeMap<u64, Option<String>> {
    cards(round).into_iter().filter(|(_, card)| card.is_some()).collect()
}

#[test]
fn every_reply_of_a_round_can_be_checked_by_a_stranger() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    let stranger = service.anyone();
    let policy = policy(&stranger);
    let mut rng = Rng(0x5eed_0001);

    for round_no in 0..20 {
        let table = stranger.get("/v1/tables/joy-1").expect_status(200);
        assert_eq!(table["next_round"], round_no);
        assert_eq!(table["shoe"]["shoe_no"], round_no, "a new shoe for every round");
        assert_eq!(table["shoe"]["undrawn"], 52);
        let placed = alice.bet("joy-1", 10);
        let reply = &placed.reply;
        let (bet, under) = verify_receipt(&policy, &reply["receipts"][0]);
        let (committed, same) = verify_receipt(&policy, &reply["receipts"][1]);
        assert_eq!(under, same, "both receipts of a bet are under one checkpoint");
        assert!(
            reply["receipts"][1]["index"].as_u64() < reply["receipts"][0]["index"].as_u64(),
            "the shoe was committed before the bet"
        );
        assert_eq!(reply["receipts"][1]["index"], table["shoe"]["entry"]);
        let closed = events(&bet, "bets_closed")[0];
        assert_eq!(
            closed["contributors"],
            json!([{ "player": "alice", "bets": placed.request["bets"], "commitment": placed.request["commitment"] }])
        );
        let shoe = events(&committed, "shoe_committed")[0];
        assert_eq!(shoe["shoe_no"], closed["shoe_no"]);
        assert_eq!(shoe["candidates"], table["shoe"]["candidates"]);
        let root: ShoeRoot = shoe["candidates"][0]["root"].as_str().unwrap().parse().unwrap();
        assert_eq!(reply["round"]["phase"], "awaiting_reveals");
        assert_eq!(reply["openings"].as_array().map_or(0, Vec::len), 0);
        assert_eq!(reply["balance"].int(), alice.balance());

        let mut last = alice.reveal(&placed);
        let mut seen = opened(&last["openings"], &root);
        assert_eq!(seen, faces_up(&last["round"]), "every card that is turned up is opened");
        while last["round"]["phase"] == "open" {
            assert_eq!(
                cards(&last["round"]).values().filter(|card| card.is_none()).count(),
                1,
                "the dealer's card lies face-down"
            );
            let own = alice.client.get(&format!("/v1/rounds/{}/actions", placed.round)).expect_status(200);
            assert_eq!(own["decisions"], last["round"]["decisions"]);
            let before = alice.balance();
            let action = alice.choose(&last, &mut rng);
            last = alice.act(&last["round"].clone(), action);
            let (entry, _) = verify_receipt(&policy, &last["receipts"][0]);
            assert_eq!(last["receipts"].list().len(), 1);
            let cost: u64 = events(&entry, "acted").iter().map(|acted| acted["cost"].int()).sum();
            let paid: u64 =
                events(&entry, "paid").iter().flat_map(|p| p["lines"].list()).map(|l| l["returned"].int()).sum();
            assert_eq!(last["balance"].int(), before - cost + paid);
            seen.extend(opened(&last["openings"], &root));
            assert_eq!(seen, faces_up(&last["round"]));
        }
        assert_eq!(last["round"]["phase"], "settled");
        assert!(cards(&last["round"]).values().all(Option::is_some), "at the end every card lies face-up");

        let after = stranger.get(&format!("/v1/rounds/{}", placed.round)).expect_status(200);
        assert_eq!(after["round"], last["round"]);
        assert_eq!(opened(&after["openings"], &root), seen);
        assert_eq!(after["entries"][0], reply["receipts"][0]["index"]);
        assert_eq!(after["entries"].list().last(), Some(&last["receipts"][0]["index"]));

        let shoe = stranger.get(&format!("/v1/shoes/joy-1/{round_no}")).expect_status(200);
        assert_eq!(shoe["committed"]["entry"], reply["receipts"][1]["entry"]);
        verify_receipt(&policy, &shoe["committed"]);
        let (revealed, _) = verify_receipt(&policy, &shoe["revealed"]);
        assert_eq!(events(&revealed, "shoe_revealed")[0]["seeds"], shoe["seeds"]);
        let seed: ServerSeed = shoe["seeds"][0].as_str().unwrap().parse().unwrap();
        assert_eq!(HouseShoe::derive(&seed, &Composition::Decks(1)).root(), root);
    }
}

#[test]
fn the_table_shows_its_shoe_with_a_receipt_before_anybody_bets() {
    let service = Service::fresh(&[]);
    let stranger = service.anyone();
    let table = stranger.get("/v1/tables/joy-1").expect_status(200);
    let shoe = stranger.get("/v1/tables/joy-1/shoe").expect_status(200);
    for key in ["shoe_no", "composition", "candidates"] {
        assert_eq!(shoe[key], table["shoe"][key], "{key}");
    }
    assert_eq!(shoe["epoch"], table["epoch"]);
    assert_eq!(shoe["epoch"], stranger.get("/v1/log").expect_status(200)["epoch"]);
    let (entry, _) = verify_receipt(&policy(&stranger), &shoe["receipt"]);
    assert_eq!(events(&entry, "shoe_committed")[0]["candidates"], shoe["candidates"]);
    let unrevealed = stranger.get("/v1/shoes/joy-1/0").expect_status(200);
    assert_eq!((&unrevealed["seeds"], &unrevealed["revealed"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_table_s_bundle_begins_before_its_first_round_and_ends_with_its_newest_entry() {
    let service = Service::fresh(&[]);
    let (stranger, player) = (service.anyone(), service.player("alice", 1000));
    let table = player.open_table();
    let bundle = || stranger.get(&format!("/v1/tables/{table}/bundle")).expect_status(200);
    let texts = |bundle: &Value| -> Vec<String> {
        let entries = bundle["entries"].items();
        entries.map(|item| item["entry"].text()).collect()
    };
    // Before any bet: the shoe in use, for the next round, with the context for checking it.
    let before = bundle();
    assert_eq!(before["round"], format!("{table}:0"));
    let shoe = stranger.get(&format!("/v1/tables/{table}/shoe")).expect_status(200);
    assert_eq!(texts(&before), [shoe["receipt"]["entry"].as_str().unwrap()]);
    let context: Vec<Value> = before["context"].items().map(|item| read(&item["entry"])).collect();
    for command in ["start_dealer", "open_table"] {
        assert!(context.iter().any(|entry| entry["command"][command].is_object()), "{command}: {context:?}");
    }
    // In a round: the same as that round's.
    let placed = player.bet(&table, 10);
    let during = bundle();
    assert_eq!(during["round"], placed.round);
    assert_eq!(texts(&during)[..1], texts(&before));
    let of_round = stranger.get(&format!("/v1/rounds/{}/bundle", placed.round)).expect_status(200);
    assert_eq!(texts(&during), texts(&of_round));
    assert_eq!(during["context"], of_round["context"]);
    // A cash table without a shoe has none yet.
    let cash = service.operator().post("/v1/tables", &json!({ "rules": "holdem" })).expect_status(201);
    let without = stranger.get(&format!("/v1/tables/{}/bundle", cash["table"].as_str().unwrap()));
    assert_eq!(without.problem(409), "no_shoe");
}

fn read(entry: &Value) -> Value {
    serde_json::from_str(entry.as_str().unwrap()).unwrap()
}

fn placed_at(service: &Service, name: &str) -> (Player, fairshoe_tests::PlacedBet) {
    let player = service.player(name, 100);
    let table = player.open_table();
    let placed = player.bet(&table, 10);
    (player, placed)
}

#[test]
fn anybody_may_reveal_a_seed_and_learns_no_balance_by_it() {
    let service = Service::fresh(&[]);
    let other = service.player("other", 7);
    let clients = [("a", service.anyone()), ("b", other.client.clone()), ("c", service.operator())];
    for (name, client) in clients {
        let (player, placed) = placed_at(&service, name);
        let body = json!({ "player": name, "seed": placed.seed.to_string() });
        let path = format!("/v1/rounds/{}/reveals", placed.round);
        let reply = client.post(&path, &body).expect_status(200);
        assert_ne!(reply["round"]["phase"], "awaiting_reveals");
        let balance = if name == "b" { json!(7) } else { Value::Null };
        assert_eq!(reply["balance"], balance, "the caller's own, or none");
        // The player repeats it and goes on.
        let again = player.reveal(&placed);
        assert_eq!(again["receipts"][0]["entry"], reply["receipts"][0]["entry"]);
        assert_eq!(again["openings"], reply["openings"]);
        assert_eq!(again["round"], reply["round"]);
        assert!(again["balance"].is_u64());
        player.stand_out(again);
    }
}

#[test]
fn a_reveal_may_name_the_checkpoint_that_was_held() {
    let service = Service::fresh(&[]);
    let (alice, placed) = placed_at(&service, "alice");
    let (_, checkpoint) = verify_receipt(&policy(&alice.client), &placed.reply["receipts"][0]);
    let path = format!("/v1/rounds/{}/reveals", placed.round);
    let reveal = |root: &str| json!({ "player": "alice", "seed": placed.seed.to_string(), "saw": { "size": checkpoint.size, "root": root } });
    assert_eq!(alice.client.post(&path, &reveal("c2hvcnQ=")).problem(400), "malformed");
    // Two bits of the last letter have no meaning: this is another text of the same root.
    let root = checkpoint.root.to_string();
    let last = root.as_bytes()[42];
    let spelt = format!("{}{}=", &root[..42], char::from(last + 1));
    assert_eq!(alice.client.post(&path, &reveal(&spelt)).problem(400), "malformed");
    // No client may make the house log a tree that it never had: an auditor would accuse it.
    assert_eq!(alice.client.post(&path, &reveal(&("A".repeat(43) + "="))).problem(409), "saw_other");
    // The same in a round that is not open yet as far as the address knows: the house may be opening it. Attack: bet
    // and seed at once.
    let soon =
        format!("/v1/rounds/joy-1:{}/reveals", 1 + placed.round.rsplit_once(':').unwrap().1.parse::<u64>().unwrap());
    assert_eq!(alice.client.post(&soon, &reveal(&("A".repeat(43) + "="))).problem(409), "saw_other");
    let ahead =
        json!({ "player": "alice", "seed": placed.seed.to_string(), "saw": { "size": 1_000_000, "root": root } });
    assert_eq!(alice.client.post(&path, &ahead).problem(409), "saw_other");
    let reply = alice.client.post(&path, &reveal(&root)).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&alice.client), &reply["receipts"][0]);
    assert_eq!(
        entry["command"]["reveal"]["saw"],
        json!({ "size": checkpoint.size, "root": checkpoint.root.to_string() })
    );
}

/// Plays until the dealer shows an ace; returns the reply that offers insurance.
fn until_insurance(player: &Player, stake: u64) -> Value {
    for _ in 0..400 {
        let dealt = player.reveal(&player.bet("joy-1", stake));
        if dealt["round"]["decisions"][0]["options"][0]["action"] == "insurance" {
            return dealt;
        }
        player.stand_out(dealt);
    }
    panic!("no ace in 400 rounds");
}

#[test]
fn insurance_is_asked_first_and_settled_by_the_rules_of_document_000() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 100_000);

    // Declined: no peek, and the cards stay as they were.
    let asked = until_insurance(&alice, 5);
    assert_eq!(asked["round"]["decisions"][0]["options"], json!([{ "action": "insurance", "cost": 3 }]));
    let id = asked["round"]["id"].text();
    let early = json!({ "decision": 0, "action": "stand" });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{id}/actions"), &early).problem(409), "action_not_offered");
    let declined = alice.act(&asked["round"], json!({ "insurance": { "take": false } }));
    let entry: Value = serde_json::from_str(declined["receipts"][0]["entry"].as_str().unwrap()).unwrap();
    assert!(events(&entry, "peeked").is_empty());
    assert_eq!(faces_up(&declined["round"]), faces_up(&asked["round"]));
    alice.stand_out(declined);

    // Accepted, until it has failed and succeeded at least once.
    let (mut failed, mut succeeded) = (false, false);
    for _ in 0..60 {
        let asked = until_insurance(&alice, 5);
        let before = alice.balance();
        let taken = alice.act(&asked["round"], json!({ "insurance": { "take": true } }));
        let entry: Value = serde_json::from_str(taken["receipts"][0]["entry"].as_str().unwrap()).unwrap();
        let success = taken["round"]["phase"] == "settled";
        if success {
            let player_too = taken["round"]["game"]["boxes"][0]["hands"][0]["blackjack"] == true;
            let returned = if player_too { 13 } else { 8 };
            assert_eq!(taken["round"]["returned"], returned, "R000.26");
            assert_eq!(alice.balance(), before - 3 + returned);
            assert_eq!(cards(&taken["round"]).len(), 4, "R000.31");
            succeeded = true;
        } else {
            assert_eq!(events(&entry, "peeked")[0]["blackjack"], false);
            assert_eq!(alice.balance(), before - 3, "R000.27");
            assert_eq!(cards(&taken["round"]).values().filter(|card| card.is_none()).count(), 1);
            alice.stand_out(taken);
            failed = true;
        }
        if failed && succeeded {
            return;
        }
    }
    assert!(failed && succeeded, "60 insurances went one way");
}

#[test]
fn the_operator_voids_a_round_and_every_chip_comes_back() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    for _ in 0..2 {
        let placed = loop {
            let placed = alice.bet("joy-1", 10);
            // While a seed is awaited the operator cannot end the round: the house might already know the seed.
            let early =
                service.operator().post(&format!("/v1/rounds/{}/void", placed.round), &json!({ "reason": "test 1" }));
            assert_eq!(early.problem(409), "awaiting_reveals");
            if alice.reveal(&placed)["round"]["phase"] == "open" {
                break placed;
            }
        };
        let before = alice.balance();
        let path = format!("/v1/rounds/{}/void", placed.round);
        let voided = service.operator().post(&path, &json!({ "reason": "test 1" })).expect_status(200);
        assert_eq!(voided["round"]["phase"], "voided");
        assert_eq!(voided["round"]["void"]["cause"], "malfunction");
        assert_eq!(alice.balance(), before + 10);
        let again = service.operator().post(&path, &json!({ "reason": "test 1" })).expect_status(200);
        assert_eq!(again["receipts"][0]["index"], voided["receipts"][0]["index"], "a void repeats as what it was");
        assert_eq!(alice.balance(), before + 10);
        let shown = service.anyone().get(&format!("/v1/rounds/{}", placed.round)).expect_status(200);
        assert_eq!(shown["round"], voided["round"]);
        assert_eq!(
            alice.client.get(&format!("/v1/rounds/{}/actions", placed.round)).expect_status(200)["decisions"],
            json!([])
        );
    }
}

fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn key_of(service: &Service) -> VerifierKey {
    service.anyone().get("/v1/log").expect_status(200)["vkey"].as_str().unwrap().parse().unwrap()
}

/// A note as its holder reads it.
fn note(key: &VerifierKey, note: &Value) -> HouseNote {
    HouseNote::verify(note.as_str().unwrap_or_else(|| panic!("no note: {note}")).as_bytes(), key).unwrap()
}

fn reveal_of(player: &Player, placed: &PlacedBet) -> (String, Value) {
    (
        format!("/v1/rounds/{}/reveals", placed.round),
        json!({ "player": player.name.as_str(), "seed": placed.seed.to_string() }),
    )
}

/// Whether the command is the reveal of this bet.
fn is_reveal(command: &Command, placed: &PlacedBet) -> bool {
    matches!(command, Command::Reveal { table, round_no, seed, .. }
        if format!("{table}:{round_no}") == placed.round && seed.to_string() == placed.seed.to_string())
}

#[test]
fn a_seed_is_signed_for_before_it_is_decided_and_a_refusal_is_signed() {
    let service = Service::fresh(&[]);
    let (alice, nobody, key) = (service.player("alice", 1000), service.anyone(), key_of(&service));
    let placed = alice.bet("joy-1", 10);
    let (path, body) = reveal_of(&alice, &placed);

    // A wrong seed: received and refused, and both notes say when and why.
    let before = now_ms();
    let wrong = json!({ "player": "alice", "seed": "11".repeat(32) });
    let refused = nobody.post(&path, &wrong);
    assert_eq!(refused.problem(409), "seed_does_not_open");
    let HouseNote::Refused(kept) = note(&key, &refused.json()["refused"]) else { panic!("{}", refused.text()) };
    assert_eq!((kept.code.as_str(), &kept.by), ("seed_does_not_open", &Actor::Anyone));
    assert!(matches!(&kept.command, Command::Reveal { player, .. } if player.as_str() == "alice"));
    assert!((before..=now_ms()).contains(&kept.time));

    // The note is sent first, as its own line, and only says that the seed came.
    let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
    let text = body.to_string();
    wire.send(
        format!(
            "POST {path}?received=first HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{text}",
            alice.token,
            text.len()
        )
        .as_bytes(),
    );
    let head = wire.head().unwrap();
    assert_eq!((head.status, head.header("content-type")), (200, Some("application/x-ndjson")));
    let first: Value = serde_json::from_slice(&wire.chunk().unwrap()).unwrap();
    let HouseNote::Received(kept) = note(&key, &first["received"]) else { panic!("{first}") };
    assert!(is_reveal(&kept.command, &placed));
    assert_eq!(kept.by, Actor::Player(alice.name.clone()));
    let second: Value = serde_json::from_slice(&wire.chunk().unwrap()).unwrap();
    assert_eq!(second["status"], 200);
    let (entry, _) = verify_receipt(&policy(&nobody), &second["reply"]["receipts"][0]);
    assert!(kept.time <= entry["time"].int(), "signed before it was decided");
    alice.stand_out(second["reply"].clone());

    // Without the request there is no note beside the receipt; a finished round awaits no seed, and signs none.
    let placed = alice.bet("joy-1", 10);
    let (path, body) = reveal_of(&alice, &placed);
    let reply = nobody.post(&path, &body).expect_status(200);
    assert_eq!(reply.get("received"), None, "{reply}");
    let (entry, _) = verify_receipt(&policy(&nobody), &reply["receipts"][0]);
    assert_eq!(entry["by"], "anyone");
    alice.stand_out(reply);
    let again = nobody.post(&path, &body).expect_status(200);
    assert_eq!(again.get("received"), None, "a repeat of what is over");
    let junk = nobody.post(&path, &wrong);
    assert_eq!((junk.problem(409).as_str(), junk.json().get("refused")), ("wrong_round", None), "anybody's junk");
    let lines = nobody.post(&format!("{path}?received=first"), &wrong);
    let only: Value = serde_json::from_str(lines.text().trim_end()).unwrap();
    assert_eq!((lines.status, &only["status"], &only["reply"]["code"]), (200, &json!(409), &json!("wrong_round")));
    assert_eq!(nobody.post(&format!("{path}?received=last"), &body).problem(400), "malformed");
}

#[test]
fn refusals_to_those_with_a_token_are_signed_up_to_a_rate_and_junk_is_not() {
    let service = Service::fresh(&[]);
    let (alice, bob, key) = (service.player("alice", 5), service.player("bob", 5), key_of(&service));
    let (bet, _) = alice.bet_body("joy-1", 10);
    let refused = alice.client.post("/v1/tables/joy-1/bets", &bet);
    assert_eq!(refused.problem(409), "insufficient_balance");
    let HouseNote::Refused(kept) = note(&key, &refused.json()["refused"]) else { panic!("{}", refused.text()) };
    assert_eq!((kept.code.as_str(), kept.by), ("insufficient_balance", Actor::Player(alice.name.clone())));
    assert!(matches!(&kept.command, Command::Bet { round_no: 0, .. }), "{:?}", kept.command);
    let credit =
        service.operator().post_with("/v1/players/carol/credit", &json!({ "amount": 1 }), &[("idempotency-key", "k")]);
    assert_eq!(credit.problem(404), "unknown_player");
    let HouseNote::Refused(kept) = note(&key, &credit.json()["refused"]) else { panic!("{}", credit.text()) };
    assert_eq!(kept.by, Actor::Operator);
    // A request that never reached the house gets no signed refusal.
    let unsigned = |reply: Reply| assert_eq!(reply.json().get("refused"), None, "{}", reply.text());
    unsigned(alice.client.post("/v1/tables/joy-1/bets", &json!({})));
    unsigned(service.anyone().post("/v1/tables/joy-1/bets", &bet));
    unsigned(alice.client.get("/v1/players/bob"));
    // Endless refusals do not cost endless signatures, and one player's refusals do not use up another's.
    let signed = |client: &Client| client.post("/v1/tables/joy-1/bets", &bet).json().get("refused").is_some();
    let begun = now_ms();
    let count = (0..200).filter(|_| signed(&alice.client)).count();
    let most = 20 + 20 * usize::try_from((now_ms() - begun) / 1000 + 1).unwrap();
    assert!((10..=most.min(199)).contains(&count), "{count} of 200 signed, at most {most}");
    assert!(signed(&bob.client));
}

/// Seeds near their deadline: a seed with a note from before the deadline is decided as before it. A house that let the
/// deadline pass between its signature and its decision would have signed its own conviction.
#[test]
fn a_seed_signed_for_before_its_deadline_is_never_refused_as_late() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0", "--player-entries", "0"]);
    let (operator, key) = (service.operator(), key_of(&service));
    let rounds = if slow() { 200 } else { 24 };
    let players: Vec<Player> = (0..rounds).map(|n| service.player(&format!("p-{n}"), 100)).collect();
    let options = json!({ "reveal_time_ms": 1000 });
    let (mut in_time, mut late) = (0, 0);
    for some in players.chunks(8) {
        std::thread::scope(|scope| {
            let each: Vec<_> = (some.iter().zip(0u64..))
                .map(|(player, n)| {
                    let (operator, key, options) = (operator.clone(), &key, &options);
                    scope.spawn(move || {
                        let opened = operator
                            .post("/v1/tables", &json!({ "rules": "joy", "options": options }))
                            .expect_status(201);
                        let table = opened["table"].text();
                        eventually("the shoe", || {
                            player.client.get(&format!("/v1/tables/{table}")).json()["shoe"]["shoe_no"] == 0
                        });
                        let placed = player.bet(&table, 1);
                        let entry: Value =
                            serde_json::from_str(placed.reply["receipts"][0]["entry"].as_str().unwrap()).unwrap();
                        let deadline = events(&entry, "bets_closed")[0]["reveal_by"].int();
                        let (path, body) = reveal_of(player, &placed);
                        // The connection exists, and the request is sent some milliseconds before, after or at the
                        // deadline.
                        player.client.get("/healthz");
                        let at = deadline + 5 * n - 30;
                        while now_ms() < at {
                            std::thread::sleep(Duration::from_millis((at - now_ms().min(at)).clamp(1, 100) / 2));
                        }
                        let reply = player.client.post(&format!("{path}?received=first"), &body);
                        let lines: Vec<Value> =
                            reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                        let received =
                            lines.iter().find_map(|line| line.get("received")).map(|kept| note(key, kept).time());
                        let status = lines.last().unwrap()["status"].int();
                        if status == 200 {
                            return true;
                        }
                        assert!(
                            received.is_none_or(|time| time >= deadline),
                            "signed at {received:?}, due at {deadline}: {lines:?}"
                        );
                        if let Some(kept) = lines.last().unwrap()["reply"].get("refused") {
                            assert!(note(key, kept).time() >= deadline, "{lines:?}");
                        }
                        false
                    })
                })
                .collect();
            for decided in each {
                if decided.join().unwrap() { in_time += 1 } else { late += 1 }
            }
        });
    }
    println!("{in_time} in time, {late} late");
    assert!(in_time > 0 && late > 0, "{in_time} in time, {late} late: the test aims beside the deadline");
}
