//! Players who sign, over the wire: the required signatures, the refusals, and that no repeat or restart revives an old
//! key.

use fairshoe_tests::tournament::{Field, quick};
use fairshoe_tests::wire::{Wire, from};
use fairshoe_tests::{Client, Json, Pen, Player, Reply, Service, audit, binary, policy, verify_receipt, whole_log};
use serde_json::{Value, json};
use std::time::Duration;

fn origin(client: &Client) -> String {
    client.get("/v1/log").expect_status(200)["origin"].text()
}

/// A request with a signature.
fn signed(client: &Client, method: &str, path: &str, body: &str, signature: &str) -> Reply {
    let body = (method == "POST").then_some(body.as_bytes());
    client.send(method, path, body, &[("content-type", "application/json"), ("fairshoe-signature", signature)]).unwrap()
}

/// A player with chips who signs.
fn signer(service: &Service, name: &str, seed: u8) -> (Player, Pen) {
    let player = service.player(name, 10_000);
    let pen = Pen::new(&origin(&player.client), name, seed);
    let set = player.client.post(&format!("/v1/players/{name}/key"), &json!({ "key": pen.key() })).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&player.client), &set["receipts"][0]);
    assert_eq!(entry["events"], json!([{ "key_set": { "player": name, "key": pen.key() } }]));
    (player, pen)
}

/// A bet on box 1: the request and its command.
fn bet(player: &Player, table: &str) -> (Value, String) {
    let (body, _) = player.bet_body(table, 5);
    let command = format!(
        r#"{{"bet":{{"table":"{table}","round_no":{},"bets":[{{"spot":"1","stake":5}}],"commitment":{}}}}}"#,
        body["round_no"], body["commitment"]
    );
    (body, command)
}

/// Plays a whole round and signs each step; anyone may reveal.
fn play(service: &Service, player: &Player, pen: &Pen, table: &str) {
    let (body, command) = bet(player, table);
    let placed =
        signed(&player.client, "POST", &format!("/v1/tables/{table}/bets"), &body.to_string(), &pen.sign(&command))
            .expect_status(200);
    let id = placed["round"]["id"].as_str().unwrap();
    let seed = player.seed(table, body["round_no"].int()).to_string();
    let reveal = json!({ "player": player.name.as_str(), "seed": seed });
    let mut reply = service.anyone().post(&format!("/v1/rounds/{id}/reveals"), &reveal).expect_status(200);
    while reply["round"]["phase"] == "open" {
        reply = act(player, pen, &reply["round"].clone());
    }
}

/// Stands, or declines insurance.
fn act(player: &Player, pen: &Pen, round: &Value) -> Value {
    let open = &round["decisions"][0];
    let (decision, insurance) = (&open["decision"], open["options"][0]["action"] == "insurance");
    let action = if insurance { r#"{"insurance":{"take":false}}"# } else { r#""stand""# };
    let (table, round_no) = (round["table"].as_str().unwrap(), &round["round_no"]);
    let command =
        format!(r#"{{"act":{{"table":"{table}","round_no":{round_no},"decision":{decision},"action":{action}}}}}"#);
    let body = format!(r#"{{"decision":{decision},"action":{action}}}"#);
    let path = format!("/v1/rounds/{}/actions", round["id"].as_str().unwrap());
    signed(&player.client, "POST", &path, &body, &pen.sign(&command)).expect_status(200)
}

/// Attack: whoever stole a token cannot sign with it, and keeps its owner by junk from signing and from claiming chips.
/// They pay for what the house looks at, and so does nobody else.
#[test]
fn a_thief_of_a_token_keeps_its_owner_from_nothing() {
    let service = Service::fresh(&[]);
    let (alice, own) = signer(&service, "alice", 1);
    let (body, command) = bet(&alice, "joy-1");
    let (junk, body) = (Pen::new("b.example/log", "alice", 3).with_nonce(1, &command), body.to_string());
    let ask = format!(
        "POST /v1/tables/joy-1/bets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nFairshoe-Signature: {junk}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        alice.token,
        body.len()
    );
    let mut thief: Vec<Wire> = (0..60)
        .map(|_| Wire::over(from([127, 0, 24, 1], &service.url, false).unwrap(), Duration::from_secs(5)))
        .collect();
    for _ in 0..20 {
        thief.iter_mut().for_each(|wire| assert!(wire.send(ask.as_bytes())));
        // Or too many of theirs wait for what they may repeat.
        thief.iter_mut().for_each(|wire| assert!([403, 503].contains(&wire.reply().unwrap().status)));
    }
    let claim = json!({ "from": "b.example/log", "entry": "", "proof": "" });
    assert_eq!(alice.client.post("/v1/transfers", &claim).problem(404), "unknown_log");
    play(&service, &alice, &own, "joy-1");
}

#[test]
fn a_signed_bet_is_taken_once_and_its_signature_is_good_for_nothing_else() {
    let service = Service::fresh(&[]);
    service.operator().post("/v1/tables", &json!({ "table": "joy-2", "rules": "joy" })).expect_status(201);
    let (alice, pen) = signer(&service, "alice", 1);
    let bob = service.player("bob", 100);
    let view = alice.client.get("/v1/players/alice").expect_status(200);
    assert_eq!(
        view,
        json!({
            "player": "alice", "balance": 10_000, "key": pen.key(), "key_waits": null, "last_nonce": 0,
            "cash_seats": [], "guest": false, "t_dollars": 0, "tickets": [],
        })
    );

    let (body, command) = bet(&alice, "joy-1");
    let (path, text) = ("/v1/tables/joy-1/bets", body.to_string());
    assert_eq!(alice.client.post(path, &body).problem(403), "signature_missing");
    let good = pen.with_nonce(7, &command);
    let wrong = [
        pen.with_nonce(7, &command.replace("\"stake\":5", "\"stake\":6")),
        pen.with_nonce(7, &command.replace("joy-1", "joy-2")),
        pen.with_nonce(7, &command.replace("\"round_no\":0", "\"round_no\":1")),
        good.replace("nonce=7", "nonce=8"),
        Pen::new(&origin(&alice.client), "alice", 2).with_nonce(7, &command),
        Pen::new("another.example/log", "alice", 1).with_nonce(7, &command),
        Pen::new(&origin(&alice.client), "bob", 1).with_nonce(7, &command),
    ];
    for signature in &wrong {
        assert_eq!(
            signed(&alice.client, "POST", path, &text, signature).problem(403),
            "signature_wrong",
            "{signature}"
        );
    }
    let spoiled = [
        String::new(),
        good.replace(", ", ","),
        good.to_uppercase(),
        good.replace("nonce=7", "nonce=07"),
        good.replace("=7", "=0"),
    ];
    for signature in &spoiled {
        assert_eq!(signed(&alice.client, "POST", path, &text, signature).problem(400), "malformed", "{signature}");
    }
    // A player without a key cannot sign, and neither can an unknown player.
    let (his, _) = bob.bet_body("joy-1", 5);
    assert_eq!(signed(&bob.client, "POST", path, &his.to_string(), &good).problem(409), "no_key");
    let operator = service.operator();
    assert_eq!(signed(&operator, "POST", "/v1/tables", r#"{"rules":"joy"}"#, &good).problem(400), "malformed");
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["last_nonce"], 0, "no refusal uses a nonce up");

    let placed = signed(&alice.client, "POST", path, &text, &good).expect_status(200);
    let (entry, _) = verify_receipt(&policy(&alice.client), &placed["receipts"][0]);
    assert_eq!(entry["signed"]["nonce"], 7);
    assert!(
        placed["receipts"][0]["entry"]
            .as_str()
            .unwrap()
            .contains(&format!("\"command\":{command},\"signed\":{{\"nonce\":7,"))
    );
    // The same request again is a repeat; so is a fresh signature of the same bet.
    for signature in [good.clone(), pen.with_nonce(9, &command)] {
        let again = signed(&alice.client, "POST", path, &text, &signature).expect_status(200);
        assert_eq!(again["receipts"][0]["entry"], placed["receipts"][0]["entry"]);
    }
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["last_nonce"], 7);

    // In a later round, at another table.
    let id = placed["round"]["id"].as_str().unwrap();
    let seed = alice.seed("joy-1", 0).to_string();
    let reveal = json!({ "player": "alice", "seed": seed });
    let reveals = format!("/v1/rounds/{id}/reveals");
    assert_eq!(alice.client.post(&reveals, &reveal).problem(403), "signature_missing", "in her own name she signs");
    let mut reply = service.anyone().post(&reveals, &reveal).expect_status(200);
    let pen = pen.from_nonce(20);
    while reply["round"]["phase"] == "open" {
        reply = act(&alice, &pen, &reply["round"].clone());
    }
    for (table, round_no) in [("joy-1", 1), ("joy-2", 0)] {
        let mut later = body.clone();
        later["round_no"] = json!(round_no);
        let path = format!("/v1/tables/{table}/bets");
        assert_eq!(signed(&alice.client, "POST", &path, &later.to_string(), &good).problem(409), "nonce_used");
        let fresh = good.replace("nonce=7", "nonce=1000");
        assert_eq!(signed(&alice.client, "POST", &path, &later.to_string(), &fresh).problem(403), "signature_wrong");
    }
    play(&service, &alice, &pen, "joy-2");
    audit(&service.anyone());
    // The round's bundle holds the key, and the service's own judge finds it sound.
    let bundle = alice.client.get(&format!("/v1/rounds/{id}/bundle")).expect_status(200);
    assert!(bundle["context"].items().any(|proven| proven["entry"].as_str().unwrap().contains(&pen.key())));
    let verdict = service.anyone().post("/v1/verify", &bundle).expect_status(200);
    assert_eq!(verdict["verdict"], "sound", "{verdict}");
    let story = verdict["story"].to_string();
    assert!(story.contains("alice stakes 5 on 1, signed with their key (nonce 7)"), "{story}");
    // Without its signature the bet is not hers.
    let mut stripped = bundle;
    for proven in stripped["context"].as_array_mut().unwrap() {
        if proven["entry"].as_str().unwrap().contains("key_set") {
            *proven = json!(null);
        }
    }
    stripped["context"].as_array_mut().unwrap().retain(|proven| !proven.is_null());
    let verdict = service.anyone().post("/v1/verify", &stripped).expect_status(200);
    assert_eq!((&verdict["verdict"], &verdict["findings"][0]["check"]), (&json!("not_sound"), &json!("signature")));
}

#[test]
fn each_call_of_a_player_says_in_the_contract_what_is_signed() {
    let service = Service::fresh(&[]);
    let (alice, pen) = signer(&service, "alice", 1);
    let rules = alice.client.get("/v1/rulesets/joy").text();
    let rules = rules.split_once("\"rules\":").unwrap().1.strip_suffix('}').unwrap();
    let (hash, other) = ("c0".repeat(32), Pen::new("", "alice", 2).key());
    let seed = "5e".repeat(32);
    let checkpoint = alice.client.get("/checkpoint").text();
    let [_, size, root] = checkpoint.lines().take(3).collect::<Vec<_>>()[..] else { panic!("{checkpoint}") };
    let saw = format!(r#"{{"size":{size},"root":"{root}"}}"#);
    // Method, path, body, the command; the result. No result says `signature_wrong`, so the bytes were right.
    let calls: Vec<(&str, String, String, String, &str)> = vec![
        (
            "POST",
            "/v1/players/alice/tokens".into(),
            "{}".into(),
            r#"{"issue_token":{"holder":"player:alice","revoke":false}}"#.into(),
            "",
        ),
        (
            "POST",
            "/v1/tables".into(),
            r#"{"table":"own","rules":"joy"}"#.into(),
            format!(r#"{{"open_table":{{"table":"own","rules":{rules}}}}}"#),
            "",
        ),
        ("POST", "/v1/tables/own/close".into(), "{}".into(), r#"{"close_table":{"table":"own"}}"#.into(), ""),
        (
            "POST",
            "/v1/tables/roulette-1/seat".into(),
            r#"{"seat":2}"#.into(),
            r#"{"take_seat":{"table":"roulette-1","seat":2}}"#.into(),
            "",
        ),
        (
            "POST",
            "/v1/tables/roulette-1/seat".into(),
            "{}".into(),
            r#"{"ask_to_play":{"table":"roulette-1"}}"#.into(),
            "",
        ),
        (
            "DELETE",
            "/v1/tables/roulette-1/bets/0".into(),
            String::new(),
            r#"{"cancel_bet":{"table":"roulette-1","round_no":0}}"#.into(),
            "no_bet",
        ),
        (
            "DELETE",
            "/v1/tables/roulette-1/seat".into(),
            String::new(),
            r#"{"leave_seat":{"table":"roulette-1"}}"#.into(),
            "",
        ),
        (
            "POST",
            "/v1/rounds/safe-1:3/commitments".into(),
            format!(r#"{{"commitment":"{hash}"}}"#),
            format!(r#"{{"commit_seed":{{"table":"safe-1","round_no":3,"commitment":"{hash}"}}}}"#),
            "nothing_to_do",
        ),
        (
            "POST",
            "/v1/rounds/joy-1:3/reveals".into(),
            format!(r#"{{"player":"alice","seed":"{seed}","saw":{saw}}}"#),
            format!(r#"{{"reveal":{{"table":"joy-1","round_no":3,"player":"alice","seed":"{seed}","saw":{saw}}}}}"#),
            "wrong_round",
        ),
        (
            "POST",
            "/v1/rounds/joy-1:3/actions".into(),
            r#"{"decision":2,"action":{"double":{"amount":7}}}"#.into(),
            r#"{"act":{"table":"joy-1","round_no":3,"decision":2,"action":{"double":{"amount":7}}}}"#.into(),
            "wrong_round",
        ),
        (
            "POST",
            "/v1/tables/joy-1/bets".into(),
            format!(r#"{{"round_no":9,"bets":[{{"spot":"1","stake":7,"chips":[5,1,1]}}],"commitment":"{hash}"}}"#),
            format!(
                r#"{{"bet":{{"table":"joy-1","round_no":9,"bets":[{{"spot":"1","stake":7,"chips":[5,1,1]}}],"commitment":"{hash}"}}}}"#
            ),
            "wrong_round",
        ),
        (
            "POST",
            "/v1/players/alice/key".into(),
            format!(r#"{{"key":"{other}"}}"#),
            format!(r#"{{"set_key":{{"player":"alice","key":"{other}"}}}}"#),
            "",
        ),
    ];
    for (method, path, body, command, code) in &calls {
        let json = [("content-type", "application/json")];
        let unsigned = alice.client.send(method, path, (*method == "POST").then_some(body.as_bytes()), &json).unwrap();
        assert_eq!(unsigned.problem(403), "signature_missing", "{method} {path}");
        let other = signed(&alice.client, method, path, body, &pen.sign(&command.replace(":{", ": {")));
        assert_eq!(other.problem(403), "signature_wrong", "{method} {path}");
        let reply = signed(&alice.client, method, path, body, &pen.sign(command));
        let got = reply.json()["code"].as_str().unwrap_or_default().to_owned();
        assert_eq!(got, *code, "{method} {path}: {}", reply.text());
    }
    // A player who signs names their table: the service cannot choose a name that is already signed.
    let pen = Pen::new(&origin(&alice.client), "alice", 2).after(&pen);
    assert_eq!(
        signed(&alice.client, "POST", "/v1/tables", r#"{"rules":"joy"}"#, &pen.sign("{}")).problem(400),
        "malformed"
    );
    audit(&service.anyone());
}

#[test]
fn keys_are_replaced_with_the_old_one_or_by_the_operator_and_nonces_survive_all_that() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let (alice, first) = signer(&service, "alice", 1);
    play(&service, &alice, &first, "joy-1");
    let second = Pen::new(&origin(&alice.client), "alice", 2);
    let (path, body) = ("/v1/players/alice/key", json!({ "key": second.key() }).to_string());
    let change = format!(r#"{{"set_key":{{"player":"alice","key":"{}"}}}}"#, second.key());
    assert_eq!(alice.client.post(path, &json!({ "key": second.key() })).problem(403), "signature_missing");
    let last = alice.client.get("/v1/players/alice").expect_status(200)["last_nonce"].int();
    assert!(last > 0);
    assert_eq!(
        signed(&alice.client, "POST", path, &body, &second.with_nonce(last + 1, &change)).problem(403),
        "signature_wrong"
    );
    // The very same request again is a repeat, by its Idempotency-Key.
    let signature = first.sign(&change);
    let twice = || {
        let headers = [
            ("content-type", "application/json"),
            ("fairshoe-signature", signature.as_str()),
            ("idempotency-key", "rotate-1"),
        ];
        alice.client.send("POST", path, Some(body.as_bytes()), &headers).unwrap().expect_status(200)
    };
    assert_eq!(twice()["receipts"][0]["index"], twice()["receipts"][0]["index"]);
    let second = second.after(&first);
    let (bet_body, command) = bet(&alice, "joy-1");
    let old = signed(&alice.client, "POST", "/v1/tables/joy-1/bets", &bet_body.to_string(), &first.sign(&command));
    assert_eq!(old.problem(403), "signature_wrong");
    play(&service, &alice, &second, "joy-1");
    let before = alice.client.get("/v1/players/alice").expect_status(200);
    assert_eq!(before["key"], second.key());

    // After a kill all is the same: the key in force, the used nonces.
    let (used, token) = (before["last_nonce"].int(), alice.token.clone());
    service.kill();
    let service = Service::start(folder.path(), &[]);
    let alice = Player { client: service.client(Some(&token)), ..alice };
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200), before);
    let (bet_body, command) = bet(&alice, "joy-1");
    let bets =
        |signature: &str| signed(&alice.client, "POST", "/v1/tables/joy-1/bets", &bet_body.to_string(), signature);
    assert_eq!(bets(&second.with_nonce(used, &command)).problem(409), "nonce_used");
    play(&service, &alice, &second, "joy-1");

    // The operator wants to replace it, with a reason, and then remove it. Both changes are announced and wait for a
    // day, in which alice cancels them.
    let operator = service.operator();
    let third = Pen::new(&origin(&alice.client), "alice", 3).after(&second);
    assert_eq!(operator.post(path, &json!({ "key": third.key() })).problem(400), "malformed");
    assert_eq!(operator.post(path, &json!({ "key": "00".repeat(32), "reason": "lost" })).problem(422), "key_refused");
    assert_eq!(operator.post(path, &json!({ "key": "zz", "reason": "lost" })).problem(400), "malformed");
    assert_eq!(operator.post("/v1/players/nobody/key", &json!({ "reason": "lost" })).problem(404), "unknown_player");
    operator.post(path, &json!({ "key": third.key(), "reason": "lost" })).expect_status(200);
    assert_eq!(operator.post(path, &json!({ "key": third.key(), "reason": "lost" })).problem(409), "nothing_to_do");
    let shown = alice.client.get("/v1/players/alice").expect_status(200);
    assert_eq!((&shown["key"], &shown["key_waits"]["key"]), (&json!(second.key()), &json!(third.key())));
    let (bet_body, command) = bet(&alice, "joy-1");
    let early = signed(&alice.client, "POST", "/v1/tables/joy-1/bets", &bet_body.to_string(), &third.sign(&command));
    assert_eq!(early.problem(403), "signature_wrong");
    play(&service, &alice, &second, "joy-1");
    operator.post(path, &json!({ "reason": "case 9" })).expect_status(200);
    let told = operator.get("/v1/significant").expect_status(200)["events"].list().clone();
    let replaced: Vec<&Value> = told.iter().filter(|event| event["kind"] == "key_replaced").collect();
    assert_eq!(replaced.iter().map(|event| &event["reason"]).collect::<Vec<_>>(), ["lost", "case 9"]);
    let (body, change) = (
        json!({ "key": second.key() }).to_string(),
        format!(r#"{{"set_key":{{"player":"alice","key":"{}"}}}}"#, second.key()),
    );
    signed(&alice.client, "POST", path, &body, &second.sign(&change)).expect_status(200);
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["key_waits"], Value::Null);
    play(&service, &alice, &second, "joy-1");
    // Her chips are paid out by her signature, which the operator sends.
    let (purse, body) = ("/v1/players/alice/withdraw", json!({ "amount": 5 }).to_string());
    let paid_by = |signature: Option<&str>, key: &str| {
        let mut headers = vec![("content-type", "application/json"), ("idempotency-key", key)];
        headers.extend(signature.map(|signature| ("fairshoe-signature", signature)));
        operator.send("POST", purse, Some(body.as_bytes()), &headers).unwrap()
    };
    assert_eq!(paid_by(None, "out-1").problem(403), "signature_missing");
    let good = second.sign(r#"{"withdraw":{"player":"alice","amount":5}}"#);
    let paid = paid_by(Some(&good), "out-2").expect_status(200);
    let entry: Value = serde_json::from_str(paid["receipts"][0]["entry"].as_str().unwrap()).unwrap();
    assert_eq!((&entry["by"], entry["signed"].is_object()), (&json!("player:alice"), true));
    audit(&service.anyone());
    // Every round of the table, signed with this key, another one or none, has a sound bundle.
    for round in 0..5 {
        let bundle = service.anyone().get(&format!("/v1/rounds/joy-1:{round}/bundle")).expect_status(200);
        let verdict = service.anyone().post("/v1/verify", &bundle).expect_status(200);
        assert_eq!(verdict["verdict"], "sound", "{round}: {verdict}");
    }
}

#[test]
fn a_player_is_created_with_his_key() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let pen = Pen::new(&origin(&operator), "alice", 1);
    assert_eq!(
        operator
            .post("/v1/players", &json!({ "player": "alice", "key": "01".to_owned() + &"00".repeat(31) }))
            .problem(422),
        "key_refused"
    );
    let made = operator.post("/v1/players", &json!({ "player": "alice", "key": pen.key() })).expect_status(201);
    let alice = service.client(made["token"].as_str());
    assert_eq!(alice.get("/v1/players/alice").expect_status(200)["key"], pen.key());
    assert_eq!(alice.post("/v1/tables", &json!({ "rules": "joy" })).problem(403), "signature_missing");
    // A thief of the token can neither play nor remove the key.
    assert_eq!(alice.post("/v1/players/alice/key", &json!({})).problem(403), "signature_missing");
    assert_eq!(alice.post("/v1/players/alice/tokens", &json!({ "revoke": true })).problem(403), "signature_missing");
    let token = r#"{"issue_token":{"holder":"player:alice","revoke":true}}"#;
    let body = r#"{"revoke":true}"#;
    let fresh = signed(&alice, "POST", "/v1/players/alice/tokens", body, &pen.sign(token)).expect_status(201);
    assert_eq!(alice.get("/v1/players/alice").problem(401), "unauthorized");
    service.client(fresh["token"].as_str()).get("/v1/players/alice").expect_status(200);
    audit(&operator);
}

/// Attack: a player uses up the idempotency keys under which the cashier sends the withdrawals that the player signed.
#[test]
fn the_names_of_a_cashiers_requests_are_no_players_to_take() {
    let service = Service::fresh(&[]);
    let (alice, pen) = signer(&service, "alice", 1);
    let send = |client: &Client, path: &str, body: &str, signature: &str| {
        let headers =
            [("content-type", "application/json"), ("fairshoe-signature", signature), ("idempotency-key", "wd-77")];
        client.send("POST", path, Some(body.as_bytes()), &headers).unwrap()
    };
    let (key, set) = ("/v1/players/alice/key", Pen::new(&origin(&alice.client), "alice", 2).key());
    let command = format!(r#"{{"set_key":{{"player":"alice","key":"{set}"}}}}"#);
    send(&alice.client, key, &json!({ "key": set }).to_string(), &pen.sign(&command)).expect_status(200);
    let pen = Pen::new(&origin(&alice.client), "alice", 2).after(&pen);
    let (purse, body) = ("/v1/players/alice/withdraw", json!({ "amount": 5 }).to_string());
    let signature = pen.sign(r#"{"withdraw":{"player":"alice","amount":5}}"#);
    let paid = send(&service.operator(), purse, &body, &signature).expect_status(200);
    assert_eq!(paid["balance"], 9_995);
    let again = send(&service.operator(), purse, &body, &signature).expect_status(200);
    assert_eq!((&again["receipts"][0]["entry"], &again["balance"]), (&paid["receipts"][0]["entry"], &paid["balance"]));
    let used = pen.sign(&command);
    assert_eq!(
        send(&service.operator(), purse, &json!({ "amount": 6 }).to_string(), &used).problem(409),
        "idempotency_key_reused"
    );
}

#[test]
fn programs_that_sign_find_nothing_wrong_and_leave_a_sound_book() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let run = std::process::Command::new(binary("fairshoe-load"))
        .args([
            "--url",
            &service.url,
            "--game",
            "joy,live-blackjack,roulette",
            "--players",
            "9",
            "--seconds",
            "3",
            "--rate",
            "150",
            "--sign",
        ])
        .arg("--token-file")
        .arg(folder.path().join("operator.token"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let (mut by_players, mut signed) = (0, 0);
    for text in whole_log(&service.anyone()) {
        let entry: Value = serde_json::from_str(&text).unwrap();
        by_players += usize::from(entry["by"].as_str().unwrap().starts_with("player:"));
        signed += usize::from(entry.get("signed").is_some());
    }
    assert!(by_players > 50, "{by_players}");
    assert_eq!(signed, by_players);
    audit(&service.anyone());
}

/// In a tournament a player with a key signs binding commands, as at a table.
#[test]
fn what_a_player_with_a_key_asks_of_a_tournament_is_signed() {
    let service = Service::fresh(&[]);
    let structure = quick(&service.anyone(), "freezeout-6", |structure| structure["staking"] = json!(true));
    let mut field = Field::announce(&service, "signed", &structure, &[], 3_600_000);
    let (alice, pen) = signer(&service, "alice", 1);
    field.players.push(alice);
    let (alice, path) = (&field.players[0], field.path("/registration"));
    let body = field.registration(alice, "cash");
    let command = |call: &str, rest: &str| format!(r#"{{"tournament":{{"{call}":{{"event":"signed"{rest}}}}}}}"#);
    let register = command("register", &format!(r#","commitment":{},"pay":"cash""#, body["commitment"]));
    assert_eq!(alice.client.post(&path, &body).problem(403), "signature_missing");
    for wrong in [register.replace("signed", "other"), register.replace("cash", "ticket"), command("unregister", "")] {
        let reply = signed(&alice.client, "POST", &path, &body.to_string(), &pen.sign(&wrong));
        assert_eq!(reply.problem(403), "signature_wrong", "{wrong}");
    }
    let good = pen.sign(&register);
    let entered = signed(&alice.client, "POST", &path, &body.to_string(), &good).expect_status(200);
    assert_eq!(field.own(alice)["entry"]["entry_no"], 0);
    // The same request again, with the same signature, gets the same reply.
    let again = signed(&alice.client, "POST", &path, &body.to_string(), &good).expect_status(200);
    assert_eq!(again["receipts"][0]["index"], entered["receipts"][0]["index"]);

    let (stakes, offer) = (field.path("/stakes"), command("offer_stake", r#","basis_points":2500"#));
    let body = json!({ "basis_points": 2_500 });
    assert_eq!(alice.client.post(&stakes, &body).problem(403), "signature_missing");
    signed(&alice.client, "POST", &stakes, &body.to_string(), &pen.sign(&offer)).expect_status(200);

    assert_eq!(alice.client.delete(&path).problem(403), "signature_missing");
    let back = pen.sign(&command("unregister", ""));
    signed(&alice.client, "DELETE", &path, "", &back).expect_status(200);
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["balance"], 10_000);
    audit(&service.anyone());
}
