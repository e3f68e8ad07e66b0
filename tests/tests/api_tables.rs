//! Tables: a player's own, the operator's with options, their lists and histories.

use fairshoe_tests::{Json, Player, Service, policy, verify_receipt, wire::eventually};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn a_player_has_at_most_four_tables_of_his_own_for_himself_alone() {
    let service = Service::fresh(&[]);
    let (alice, bob) = (service.player("alice", 100), service.player("bob", 100));
    let tables: Vec<String> = (0..4).map(|_| alice.open_table()).collect();
    assert_eq!(tables.iter().collect::<BTreeSet<_>>().len(), 4);
    let more = || alice.client.post("/v1/tables", &json!({ "rules": "joy" }));
    assert_eq!(more().problem(409), "too_many_tables");
    let own = &tables[0];
    let view = bob.client.get(&format!("/v1/tables/{own}")).expect_status(200);
    assert_eq!(view["owner"], "alice");
    let bet = bob.bet_body(own, 1).0;
    assert_eq!(bob.client.post(&format!("/v1/tables/{own}/bets"), &bet).problem(403), "not_allowed");
    let close = |player: &Player| player.client.post(&format!("/v1/tables/{own}/close"), &json!({}));
    assert_eq!(close(&bob).problem(403), "not_allowed");
    assert_eq!(alice.client.post("/v1/tables/joy-1/close", &json!({})).problem(403), "not_allowed");

    let placed = alice.bet(own, 10);
    assert_eq!(close(&alice).problem(409), "round_in_progress");
    alice.stand_out(alice.reveal(&placed));
    let closed = close(&alice).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&alice.client), &closed["receipts"][0]);
    assert!(
        entry.to_string().contains("shoe_revealed") && entry.to_string().contains("table_closed"),
        "its unused shoe comes out"
    );
    assert_eq!(close(&alice).problem(404), "unknown_table");
    assert_eq!(alice.client.get(&format!("/v1/tables/{own}")).problem(404), "unknown_table");
    // The entries of its rounds stay.
    assert_eq!(
        alice.client.get(&format!("/v1/tables/{own}/rounds")).expect_status(200)["rounds"][0]["id"],
        placed.round
    );
    alice.client.get(&format!("/v1/rounds/{}", placed.round)).expect_status(200);
    alice.client.get(&format!("/v1/rounds/{}/bundle", placed.round)).expect_status(200);
    // Repeats work, too; and the name is never used again.
    let again = alice.client.post(&format!("/v1/tables/{own}/bets"), &placed.request).expect_status(200);
    assert_eq!(again["receipts"][0]["index"], placed.reply["receipts"][0]["index"]);
    more().expect_status(201);
    assert_eq!(
        service.operator().post("/v1/tables", &json!({ "rules": "joy", "table": own })).problem(409),
        "table_exists"
    );
}

#[test]
fn the_operator_sets_options_and_their_digest_is_on_the_log() {
    let service = Service::fresh(&[]);
    let (operator, alice) = (service.operator(), service.player("alice", 1000));
    let with = |table: &str, options: Value| json!({ "table": table, "rules": "joy", "options": options });
    let plain = operator.get("/v1/rulesets/joy").expect_status(200);
    assert_eq!(operator.get("/v1/tables/joy-1").expect_status(200)["digest"], plain["digest"]);

    let options = json!({ "crash": "rollback", "stake_step": 10, "decks": 2, "blackjack_pays": [2, 1] });
    let opened = operator.post("/v1/tables", &with("special", options)).expect_status(201);
    let (entry, _) = verify_receipt(&policy(&operator), &opened["receipts"][0]);
    let view = alice.client.get("/v1/tables/special").expect_status(200);
    assert_eq!(entry["events"][0]["table_opened"]["digest"], view["digest"]);
    assert_ne!(view["digest"], plain["digest"]);
    assert_eq!(view["rules"]["table"]["crash"], "rollback");
    assert_eq!(view["rules"]["game"]["blackjack"]["blackjack_pays"], json!([2, 1]));
    assert_eq!((&view["shoe"]["composition"], &view["shoe"]["undrawn"]), (&json!("52x2"), &json!(104)));
    assert_eq!(alice.client.post("/v1/tables/special/bets", &alice.bet_body("special", 15).0).problem(422), "off_step");
    assert_eq!(alice.play("special", 20)["round"]["phase"], "settled");

    let refused = [
        json!({ "crash": "sometimes" }),
        json!({ "nothing": 1 }),
        json!({ "stake_min": 0 }),
        json!({ "stake_min": 2000 }),
        json!({ "decks": 9 }),
        json!({ "decks": 1.5 }),
        json!({ "chips": [5, 1] }),
        json!({ "blackjack_pays": [1, 0] }),
        json!({ "name": "other" }),
        json!({ "mode": "shared" }),
        json!({ "reveal_time_ms": 999 }),
        json!({ "table": {} }),
        json!({ "": 1 }),
    ];
    for options in refused {
        let reply = operator.post("/v1/tables", &with("refused", options.clone()));
        assert_eq!(reply.problem(422), "rule_set_refused", "{options}");
    }
    assert_eq!(alice.client.post("/v1/tables", &with("mine", json!({ "decks": 8 }))).problem(403), "not_allowed");
    assert_eq!(operator.post("/v1/tables", &with("special", json!({}))).problem(409), "table_exists");
    assert_eq!(operator.get("/v1/tables/refused").problem(404), "unknown_table");
}

#[test]
fn after_a_crash_a_table_resumes_or_rolls_back_as_its_rules_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let mut alice = service.player("alice", 1000);
    service
        .operator()
        .post("/v1/tables", &json!({ "table": "back", "rules": "joy", "options": { "crash": "rollback" } }))
        .expect_status(201);
    let open_at = |alice: &Player, table: &str| loop {
        let placed = alice.bet(table, 10);
        let dealt = alice.reveal(&placed);
        if dealt["round"]["phase"] == "open" {
            return (placed, dealt);
        }
    };
    let (on, dealt_on) = open_at(&alice, "joy-1");
    let (back, dealt_back) = open_at(&alice, "back");
    let before = alice.balance();
    service.kill();
    service = Service::start(folder.path(), &[]);
    alice.client = service.client(Some(&alice.token));
    assert_eq!(alice.balance(), before + 10, "the chips of the hand's start");
    let voided = alice.client.get(&format!("/v1/rounds/{}", back.round)).expect_status(200);
    assert_eq!((&voided["round"]["phase"], &voided["round"]["void"]["cause"]), (&json!("voided"), &json!("crash")));
    let shoe_no = &voided["round"]["shoe_no"];
    assert!(alice.client.get(&format!("/v1/shoes/back/{shoe_no}")).expect_status(200)["seeds"].is_array());
    let listed = alice.client.get("/v1/tables/back/rounds?limit=1").expect_status(200);
    assert_eq!((&listed["rounds"][0]["phase"], &listed["rounds"][0]["cause"]), (&json!("voided"), &json!("crash")));
    assert_eq!(listed["rounds"][0]["returned"], 10);
    // Repeats get the old replies.
    let reveal = json!({ "player": "alice", "seed": back.seed.to_string() });
    let again = alice.client.post(&format!("/v1/rounds/{}/reveals", back.round), &reveal).expect_status(200);
    assert_eq!(again["openings"], dealt_back["openings"]);
    // A void round is over; the other continues with the same cards.
    let action = json!({ "decision": 0, "action": "stand" });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{}/actions", back.round), &action).problem(409), "wrong_round");
    let shown = alice.client.get(&format!("/v1/rounds/{}", on.round)).expect_status(200);
    assert_eq!(shown["round"]["game"], dealt_on["round"]["game"]);
    assert_eq!(shown["round"]["decisions"][0]["decision"], dealt_on["round"]["decisions"][0]["decision"]);
    let done = alice.stand_out(shown);
    assert_eq!(done["round"]["phase"], "settled");
    assert_eq!(alice.play("back", 10)["round"]["phase"], "settled");
}

#[test]
fn deadlines_are_kept_by_the_house_itself() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let options = json!({ "reveal_time_ms": 1000, "round_time_ms": 1000 });
    service
        .operator()
        .post("/v1/tables", &json!({ "table": "quick", "rules": "joy", "options": options }))
        .expect_status(201);
    // C15: without a seed the bet comes back.
    let placed = alice.bet("quick", 10);
    let phase = |id: &str| alice.client.get(&format!("/v1/rounds/{id}")).expect_status(200)["round"]["phase"].clone();
    eventually("the void", || phase(&placed.round) == "voided");
    assert_eq!(alice.balance(), 1000);
    let listed = alice.client.get("/v1/players/alice/rounds").expect_status(200);
    assert_eq!(listed["rounds"][0]["cause"], "reveal_missing");
    let reveal = json!({ "player": "alice", "seed": placed.seed.to_string() });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{}/reveals", placed.round), &reveal).problem(409), "wrong_round");
    // C18, C19: the player stays away, and default play finishes the hand.
    let (round, open) = loop {
        let placed = alice.bet("quick", 10);
        let dealt = alice.reveal(&placed);
        if dealt["round"]["phase"] == "open" {
            break (placed.round, dealt);
        }
    };
    eventually("default play", || phase(&round) == "settled");
    let act = json!({ "decision": open["round"]["decisions"][0]["decision"], "action": "hit" });
    assert_eq!(alice.client.post(&format!("/v1/rounds/{round}/actions"), &act).problem(409), "wrong_round");
}

#[test]
fn tables_are_listed_by_name_in_pages() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let mut names: Vec<String> = operator.get("/v1/tables").expect_status(200)["tables"].items().map(name_of).collect();
    for number in 0..60 {
        let name = format!("t-{number}");
        operator.post("/v1/tables", &json!({ "rules": "joy", "table": name })).expect_status(201);
        names.push(name);
    }
    names.sort();
    for limit in [1, 7, 50] {
        let (mut found, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let cursor_query = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
            let page = operator.get(&format!("/v1/tables?limit={limit}{cursor_query}")).expect_status(200);
            let tables = page["tables"].list();
            assert!(tables.len() <= limit);
            // A cash table commits its decks hand by hand.
            assert!(
                tables.iter().all(
                    |table| table["shoe"]["entry"].is_u64() || table["cash"].is_object() && table["shoe"].is_null()
                )
            );
            found.extend(tables.iter().map(name_of));
            match page["next"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(found, names, "limit {limit}");
    }
}

fn name_of(table: &Value) -> String {
    table["table"].text()
}
