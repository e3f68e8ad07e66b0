//! A regulator's reading: rounds step by step, exports, significant events; and the records of starts and stops.

use fairshoe_judge::utc;
use fairshoe_store::Store;
use fairshoe_tests::company::Company;
use fairshoe_tests::wire::eventually;
use fairshoe_tests::{Client, Json, Player, Rng, Service, whole_log};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

fn recall(client: &Client, round: &str) -> Value {
    client.get(&format!("/v1/rounds/{round}/recall")).expect_status(200)
}

/// The steps of a recall are the log's own content, in its order and complete.
fn steps_are_the_logs(recall: &Value, log: &[String]) {
    let steps = recall["steps"].list();
    assert!((1..).zip(steps).all(|(number, step)| step["step"] == number));
    let indices: Vec<u64> = {
        let mut all: Vec<u64> = steps.iter().map(|step| step["index"].int()).collect();
        assert!(all.is_sorted());
        all.dedup();
        all
    };
    let mut rest = steps.as_slice();
    let mut seq = None;
    for index in indices {
        let entry: Value = serde_json::from_str(&log[index as usize]).unwrap();
        let at = entry["at"]["seq"].int();
        assert!(seq.is_none_or(|before| at == before + 1), "no entry of the table is left out");
        seq = Some(at);
        let all =
            [(&entry["command"], "command")].into_iter().chain(entry["events"].items().map(|event| (event, "event")));
        for (content, kind) in all {
            let (word, content) = content.as_object().unwrap().iter().next().unwrap();
            let (word, content) =
                if word == "play" { content.as_object().unwrap().iter().next().unwrap() } else { (word, content) };
            let (step, after) = rest.split_first().unwrap();
            rest = after;
            assert_eq!((&step["word"], &step["content"], &step["kind"]), (&json!(word), content, &json!(kind)));
            assert_eq!((&step["by"], &step["table_seq"]), (&entry["by"], &json!(at)));
            assert_eq!(step["time"], utc(entry["time"].int()));
            assert!(step["line"].as_str().is_some_and(|line| !line.is_empty()));
            let movements = if word == "posted" { content["lines"].list().clone() } else { Vec::new() };
            let moved: Vec<Value> = movements
                .iter()
                .filter_map(|line| {
                    let player = line[0].as_str().unwrap().strip_prefix("player:")?;
                    let (by, after) = (line[1].as_i64().unwrap(), line[2].as_i64().unwrap());
                    Some(json!({ "player": player, "before": after - by, "after": after }))
                })
                .collect();
            assert_eq!(step["balances"].as_array().cloned().unwrap_or_default(), moved);
        }
    }
    assert!(rest.is_empty());
}

#[test]
fn a_round_is_recalled_step_by_step_with_every_wager_and_balance() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let mut rng = Rng(41);
    let alice = service.player("alice", 1_000_000);
    let bob = service.player("bob", 1_000_000);
    let mut played = Vec::new();
    let tables = ["six-deck-2", "baccarat-2", "roulette-2", "safe-2"];
    Company::open_each(&service, &tables);
    for table in tables {
        let company =
            Company { table: table.into(), players: vec![alice.clone(), bob.clone()], public: service.anyone() };
        company.sit();
        for _ in 0..2 {
            let before = [alice.balance(), bob.balance()];
            let round_no = company.play(&mut rng, |_| {});
            played.push((company.round_id(round_no), before, [alice.balance(), bob.balance()]));
        }
        for player in [&alice, &bob] {
            player.client.delete(&company.path("/seat"));
        }
    }
    let nobody = service.anyone();
    let log = whole_log(&nobody);
    for (round, before, after) in &played {
        let recalled = recall(&nobody, round);
        steps_are_the_logs(&recalled, &log);
        let view = nobody.get(&format!("/v1/rounds/{round}")).expect_status(200)["round"].clone();
        for key in ["id", "table", "round_no", "shoe_no", "phase", "staked", "returned"] {
            assert_eq!(recalled[key], view[key], "{round} {key}");
        }
        for (n, wager) in recalled["wagers"].items().enumerate() {
            let seen = &view["contributors"][n];
            for key in ["player", "bets", "commitment", "staked", "returned"] {
                assert_eq!(wager[key], seen[key], "{round} {key}");
            }
            assert_eq!(
                (&wager["balance_before"], &wager["balance_after"]),
                (&json!(before[n]), &json!(after[n])),
                "{round}"
            );
        }
        assert_eq!(recalled["steps"][0]["word"], if recalled["table"] == "joy-1" { "bet" } else { "open_bets" });
        assert!(recalled["ended_at"].is_string());
    }
    // A solo round, a void one, one in play.
    let done = alice.play("joy-1", 10)["round"]["id"].text();
    let placed = alice.bet("joy-1", 10);
    let live = recall(&nobody, &placed.round);
    assert_eq!(
        (&live["phase"], &live["ended_at"], &live["wagers"][0]["returned"]),
        (&json!("awaiting_reveals"), &Value::Null, &json!(0))
    );
    alice.stand_out(alice.reveal(&placed));
    let placed = alice.open_round("joy-1", 10);
    service.operator().post(&format!("/v1/rounds/{}/void", placed.round), &json!({ "reason": "x" })).expect_status(200);
    let voided = recall(&nobody, &placed.round);
    assert_eq!(
        (&voided["phase"], &voided["cause"], &voided["wagers"][0]["returned"]),
        (&json!("voided"), &json!("malfunction"), &json!(10))
    );
    let log = whole_log(&nobody);
    for round in [&done, &placed.round] {
        steps_are_the_logs(&recall(&nobody, round), &log);
    }
    assert_eq!(nobody.get("/v1/rounds/joy-1:99/recall").problem(404), "unknown_round");

    // The last rounds of a player, newest first, each the same.
    let own = alice.client.get("/v1/players/alice/recall").expect_status(200);
    let ids: Vec<&str> = own["rounds"].items().map(|round| round["id"].as_str().unwrap()).collect();
    let listed = alice.client.get("/v1/players/alice/rounds").expect_status(200);
    assert_eq!(ids, listed["rounds"].items().map(|round| round["id"].as_str().unwrap()).collect::<Vec<_>>());
    assert_eq!(own["rounds"][0], recall(&nobody, &placed.round));
    assert_eq!(alice.client.get("/v1/players/alice/recall?last=3").expect_status(200)["rounds"].list().len(), 3);
    assert_eq!(bob.client.get("/v1/players/alice/recall").problem(403), "not_allowed");
    assert_eq!(
        service.operator().get("/v1/players/bob/recall?last=1").expect_status(200)["rounds"][0]["id"],
        played[played.len() - 1].0
    );
    assert_eq!(service.operator().get("/v1/players/nobody/recall").expect_status(200)["rounds"], json!([]));
    for bad in ["last=0", "last=51", "last=x", "cursor=1"] {
        assert_eq!(alice.client.get(&format!("/v1/players/alice/recall?{bad}")).problem(400), "malformed", "{bad}");
    }
}

#[test]
fn fifty_rounds_of_a_player_come_in_one_call() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 10_000);
    for _ in 0..53 {
        alice.play("joy-1", 1);
    }
    let all = alice.client.get("/v1/players/alice/recall?last=50").expect_status(200);
    let numbers: Vec<u64> = all["rounds"].items().map(|round| round["round_no"].int()).collect();
    assert_eq!(numbers, (3..53).rev().collect::<Vec<_>>());
    assert!(all["rounds"].items().all(|round| round["phase"] == "settled" && round["steps"].list().len() > 8));
}

fn export(client: &Client, query: &str) -> Vec<Value> {
    let reply = client.get(&format!("/v1/export{query}"));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")), "{}", reply.text());
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_export_has_every_round_whose_bets_closed_between_two_times_and_no_other() {
    let service = Service::fresh(&["--token-rate", "0", "--address-rate", "0"]);
    let operator = service.operator();
    let alice = service.player("alice", 1_000_000);
    assert_eq!(export(&operator, ""), [] as [Value; 0]);
    let mut rng = Rng(42);
    let company = Company { table: "roulette-1".into(), players: vec![alice.clone()], public: service.anyone() };
    company.sit();
    for _ in 0..60 {
        alice.play("joy-1", 1);
    }
    for _ in 0..5 {
        company.play(&mut rng, |_| {});
        std::thread::sleep(Duration::from_millis(5));
    }
    let all = export(&operator, "");
    assert_eq!(all.len(), 65);
    let ids: Vec<&str> = all.iter().map(|round| round["id"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 65);
    for round in &all {
        assert_eq!(*round, recall(&operator, round["id"].as_str().unwrap()), "each line is the round's recall");
    }
    let times: Vec<&str> = all.iter().map(|round| round["bets_closed_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted());
    // From one time, inclusive, to another, exclusive; also in milliseconds.
    for (from, to) in [(0, 64), (10, 20), (61, 63), (30, 30)] {
        let expected: Vec<&str> = ids
            .iter()
            .zip(&times)
            .filter(|(_, time)| *time >= &times[from] && *time < &times[to])
            .map(|(id, _)| *id)
            .collect();
        let found = export(&operator, &format!("?from={}&to={}", times[from], times[to]));
        assert_eq!(found.iter().map(|round| round["id"].as_str().unwrap()).collect::<Vec<_>>(), expected);
    }
    let log = whole_log(&operator);
    let last: Value = serde_json::from_str(log.last().unwrap()).unwrap();
    assert_eq!(export(&operator, &format!("?from={}", last["time"].int() + 1)), [] as [Value; 0]);
    assert_eq!(export(&operator, "?to=5").len(), 0);
    let auditor = operator.post("/v1/auditors", &json!({ "name": "carol" })).expect_status(201);
    assert_eq!(export(&service.client(auditor["token"].as_str()), "").len(), 65);
    assert_eq!(alice.client.get("/v1/export").problem(403), "not_allowed");
    assert_eq!(service.anyone().get("/v1/export").problem(401), "unauthorized");
    for bad in [
        "from=x",
        "from=2026-01-01",
        "from=-1",
        "from=5&to=4",
        "from=2026-02-30T00:00:00Z",
        "to=2026-01-01T00:00:00%2B01:00",
        "limit=1",
        "cursor=1",
        "more=1",
    ] {
        assert_eq!(operator.get(&format!("/v1/export?{bad}")).problem(400), "malformed", "{bad}");
    }
}

fn significant(client: &Client) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/v1/significant?limit=3{cursor}")).expect_status(200);
        all.extend(page["events"].items().cloned());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert!((1..).zip(&all).all(|(number, event)| event["sequence"] == number), "strictly increasing, without a gap");
    assert_eq!(
        all,
        client.get("/v1/significant").expect_status(200)["events"].list().clone(),
        "pages leave nothing out"
    );
    all
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

#[test]
fn voids_corrections_revocations_and_withheld_seeds_are_listed_as_significant() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let alice = service.player("alice", 1_000);
    assert_eq!(kinds(&significant(&operator)), ["start"]);
    // R001.89: against the player, in favour of the house, once, with its cause on the log.
    let correct = |amount: u64, key: &str| {
        let body = json!({ "amount": amount, "reason": "case 17" });
        operator.post_with("/v1/players/alice/correct", &body, &[("idempotency-key", key)])
    };
    assert_eq!(correct(1_001, "a").problem(409), "insufficient_balance");
    assert_eq!(correct(0, "b").problem(409), "amount_out_of_range");
    assert_eq!(
        operator.post("/v1/players/alice/correct", &json!({ "amount": 1, "reason": "x" })).problem(400),
        "malformed"
    );
    assert_eq!(
        operator
            .post_with("/v1/players/none/correct", &json!({ "amount": 1, "reason": "x" }), &[("idempotency-key", "c")])
            .problem(404),
        "unknown_player"
    );
    let corrected = correct(300, "d").expect_status(200);
    assert_eq!((&corrected["balance"], alice.balance()), (&json!(700), 700));
    let again = correct(300, "d").expect_status(200);
    assert_eq!((&again["receipts"][0]["index"], &again["balance"]), (&corrected["receipts"][0]["index"], &json!(700)));
    assert_eq!(alice.balance(), 700);
    operator.post("/v1/players/alice/tokens", &json!({})).expect_status(201);
    let fresh = operator.post("/v1/players/alice/tokens", &json!({ "revoke": true })).expect_status(201);
    let alice = Player { client: service.client(fresh["token"].as_str()), ..alice };
    let placed = alice.open_round("joy-1", 10);
    operator
        .post(&format!("/v1/rounds/{}/void", placed.round), &json!({ "reason": "reader fault 3" }))
        .expect_status(200);
    let found = significant(&operator);
    assert_eq!(kinds(&found), ["start", "correction", "tokens_revoked", "malfunction"]);
    assert_eq!(
        (&found[1]["player"], &found[1]["amount"], &found[1]["reason"]),
        (&json!("alice"), &json!(300), &json!("case 17"))
    );
    assert_eq!(found[2]["holder"], "player:alice");
    assert_eq!(
        (&found[3]["round"], &found[3]["reason"], &found[3]["cause"]),
        (&json!(placed.round), &json!("reader fault 3"), &json!("malfunction"))
    );
    let log = whole_log(&operator);
    for event in &found {
        let entry: Value = serde_json::from_str(&log[event["index"].int() as usize]).unwrap();
        assert_eq!((&event["time"], &event["by"]), (&json!(utc(entry["time"].int())), &entry["by"]));
    }
    // Three withheld seeds among a table's last hundred rounds: the operator is told.
    let options = json!({ "reveal_time_ms": 1_000 });
    operator.post("/v1/tables", &json!({ "table": "quick", "rules": "joy", "options": options })).expect_status(201);
    let metric = || {
        let text = operator.get("/metrics").text();
        text.lines().find_map(|line| line.strip_prefix("fairshoe_withheld_tables ")).unwrap().to_owned()
    };
    for count in 1..=3 {
        assert_eq!(metric(), "0");
        let placed = alice.bet("quick", 1);
        eventually("the void", || {
            alice.client.get(&format!("/v1/rounds/{}", placed.round)).json()["round"]["phase"] == "voided"
        });
        assert_eq!(operator.get("/v1/tables/quick").expect_status(200)["withheld_in_last_100"], count);
    }
    assert_eq!(metric(), "1");
    let found = significant(&operator);
    assert_eq!(kinds(&found[4..]), ["void", "void", "void", "withheld_reveals"]);
    assert_eq!(
        (&found[7]["count"], &found[7]["table"], &found[7]["round"]),
        (&json!(3), &json!("quick"), &json!("quick:2"))
    );
    assert_eq!(found[6]["missing"], json!(["alice"]));
    // Between two times.
    let from = found[4]["time"].as_str().unwrap();
    let later = operator.get(&format!("/v1/significant?from={from}")).expect_status(200);
    assert_eq!(later["events"].list().as_slice(), &found[4..]);
    let earlier = operator.get(&format!("/v1/significant?to={from}")).expect_status(200);
    assert_eq!(earlier["events"].list().as_slice(), &found[..4]);
    assert_eq!(alice.client.get("/v1/significant").problem(403), "not_allowed");
    for bad in ["limit=0", "limit=51", "cursor=x", "from=x"] {
        assert_eq!(operator.get(&format!("/v1/significant?{bad}")).problem(400), "malformed", "{bad}");
    }
}

#[test]
fn a_malfunction_while_bets_are_open_a_shuffle_at_discretion_and_an_unseating_are_significant() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let options = json!({ "house_shuffle": true });
    let company = Company::at_new_table(&service, "t", "six-deck", &options, &["alice"], 1_000);
    operator.post("/v1/tables/t/shuffle", &json!({ "reason": "worn cards" })).expect_status(200);
    company.sit();
    let window = company.window();
    operator
        .post(&format!("/v1/rounds/t:{}/void", window["round_no"]), &json!({ "reason": "spilt drink" }))
        .expect_status(200);
    let unseat = format!("/v1/tables/t/seats/{}/unseat", company.seat_of(&company.players[0]).unwrap());
    operator.post(&unseat, &json!({ "reason": "asleep" })).expect_status(200);
    let found = significant(&operator);
    assert_eq!(kinds(&found), ["start", "house_shuffle", "malfunction", "unseated"]);
    assert_eq!(
        (&found[3]["reason"], &found[3]["player"], &found[3]["table"]),
        (&json!("asleep"), &json!("alice"), &json!("t"))
    );
    assert_eq!(
        (&found[1]["reason"], &found[1]["table"], &found[1]["shoe_no"]),
        (&json!("worn cards"), &json!("t"), &json!(0))
    );
    assert_eq!((&found[2]["reason"], &found[2]["round"]), (&json!("spilt drink"), &json!("t:0")));
}

#[test]
fn starts_stops_and_refused_starts_are_on_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, &[]);
    service.player("alice", 10);
    // Folder in use: refused, and noted for the next start.
    assert!(Service::try_start(&data, &[]).is_err());
    assert_eq!(service.stop(), Some(0));
    // Another master key.
    let key = data.join("secrets/master.key");
    let own = std::fs::read_to_string(&key).unwrap();
    std::fs::write(&key, format!("{}\n", "11".repeat(32))).unwrap();
    assert!(Service::try_start(&data, &[]).err().unwrap().contains("master key"));
    std::fs::write(&key, own).unwrap();
    // A missing anchor.
    let anchor = std::fs::read(data.join("anchor")).unwrap();
    std::fs::write(data.join("anchor"), vec![0; anchor.len()]).unwrap();
    assert!(Service::try_start(&data, &[]).is_err());
    std::fs::write(data.join("anchor"), anchor).unwrap();

    let service = Service::start(&data, &[]);
    let found = significant(&service.operator());
    assert_eq!(kinds(&found), ["start", "stop", "start", "start_refused", "start_refused", "start_refused"]);
    let reasons: Vec<&str> = found[3..].iter().map(|event| event["reason"].as_str().unwrap()).collect();
    assert_eq!(
        reasons,
        [
            "the folder is in use by a running service",
            "another master key or log name",
            "the anchor does not fit the log"
        ]
    );
    for refused in &found[3..] {
        let (at, noted) = (refused["refused_at"].as_str().unwrap(), refused["time"].as_str().unwrap());
        assert!(found[0]["time"].as_str().unwrap() <= at && at <= noted);
    }
    assert_eq!((&found[0]["clean"], &found[2]["clean"]), (&json!(true), &json!(true)));
    let log = whole_log(&service.anyone());
    let stop: Value = serde_json::from_str(&log[found[1]["index"].int() as usize]).unwrap();
    assert_eq!((&stop["command"], &stop["by"]), (&json!({ "stop_dealer": {} }), &json!("house")));
    assert_eq!(found[2]["index"].int(), found[1]["index"].int() + 1, "the stop is the last entry");
    // Killed: the next start records that the one before did not stop cleanly, and refused starts are noted once.
    service.kill();
    let service = Service::start(&data, &[]);
    let found = significant(&service.operator());
    assert_eq!(kinds(&found[6..]), ["start"]);
    assert_eq!(found[6]["clean"], false);
    assert!(!data.join("refused-starts").exists());
}

#[test]
fn a_folder_of_nobody_is_not_written_to_when_a_start_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    assert!(Service::try_start(folder.path(), &[]).is_err());
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["letter.txt"]);
}

/// Before the first release the entries' form changed: such a log is refused with its reason, without a panic.
#[test]
fn a_log_of_an_older_form_is_refused_in_words() {
    fairshoe_store::true_sync::require().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    assert_eq!(Service::start(&data, &[]).stop(), Some(0));
    let old = r#"{"v":1,"time":99999999999999,"by":"operator","at":{"table":"old-1","seq":0},"command":{"open_table":{"table":"old-1","rules":{"name":"joy","table":{"mode":"solo","stake_min":1,"stake_max":1000,"stake_step":1,"chips":[1,5,10,50,100],"reshuffle":"every_round","crash":"resume","abandon":"finish","reveal_time_ms":86400000,"round_time_ms":86400000},"game":{"blackjack":{"decks":1}}}}},"events":[]}"#;
    {
        let (store, _) = Store::open(&data).unwrap();
        let size = store.reader().size();
        store.append(size, &[old.as_bytes().to_vec()], &[]).unwrap();
    }
    let said = Service::try_start(&data, &[]).err().unwrap();
    assert!(said.contains("cannot be replayed") && said.contains("written by another version"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
