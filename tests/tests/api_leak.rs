//! Nothing that is hidden leaves the service before its time, in any reply, by any path, in any form.
#![allow(clippy::unwrap_used, clippy::panic)]

use base64::Engine;
use fairshoe_tests::leak::{Judged, Secrets};
use fairshoe_tests::wire::Events;
use fairshoe_tests::{Exchange, Player, Reply, Rng, Seen, Service, slow, whole_log};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A service in use by one thread: every exchange, with the newest entry that was acknowledged when it was over.
struct Watched {
    seen: Seen,
    /// For each exchange, so far as it is known.
    horizons: Vec<u64>,
    newest: u64,
}

impl Watched {
    /// Everything that was said since the last call could rest on entries up to the newest that was acknowledged.
    fn note(&mut self) {
        let seen = self.seen.lock().unwrap();
        for exchange in &seen[self.horizons.len()..] {
            let value: Value = serde_json::from_slice(&exchange.reply.body).unwrap_or_default();
            let receipts = value["receipts"].as_array().into_iter().flatten();
            self.newest = receipts.filter_map(|receipt| receipt["index"].as_u64()).fold(self.newest, u64::max);
            // The next shoe is committed right behind the entry that ends a round.
            self.horizons.push(self.newest + 1);
        }
    }
}

/// Reads everything that can be read of a round and its table.
fn read_all(service: &Service, player: &Player, round: &str, watched: &mut Watched) {
    let table = round.split(':').next().unwrap();
    let nobody = service.anyone();
    let size = nobody.get("/v1/log").expect_status(200)["size"].as_u64().unwrap();
    let shoe = nobody.get(&format!("/v1/rounds/{round}")).expect_status(200)["round"]["shoe_no"].clone();
    for path in [
        format!("/v1/rounds/{round}/bundle"),
        format!("/v1/shoes/{table}/{shoe}"),
        format!("/v1/tables/{table}"),
        format!("/v1/tables/{table}/shoe"),
        format!("/v1/tables/{table}/rounds?limit=2"),
        "/v1/tables?limit=3".into(),
        "/metrics".into(),
        "/checkpoint".into(),
        "/readyz".into(),
        format!("/v1/entries/{}", size - 1),
        format!("/v1/receipts/{}", size - 1),
        format!("/tile/0/{:03}.p/{}", size / 256, (size % 256).max(1)),
        format!("/tile/entries/{:03}.p/{}", size / 256, (size % 256).max(1)),
        format!("/v1/rounds/{table}:999999"),
        format!("/v1/players/{}", player.name),
    ] {
        nobody.get(&path);
    }
    for path in [format!("/v1/rounds/{round}/actions"), format!("/v1/players/{}/rounds?limit=2", player.name)] {
        player.client.get(&path);
    }
    // Everything that can be refused now.
    for action in ["hit", "stand", "split"]
        .map(|word| json!(word))
        .into_iter()
        .chain([json!({ "insurance": { "take": true } }), json!({ "double": { "amount": 1 } })])
    {
        player.client.post(&format!("/v1/rounds/{round}/actions"), &json!({ "decision": 77, "action": action }));
    }
    player.client.post(&format!("/v1/rounds/{round}/reveals"), &json!({ "player": player.name.as_str(), "seed": "00".repeat(32) }));
    player.client.post(&format!("/v1/rounds/{round}/void"), &json!({ "reason": "please" }));
    player.client.post(&format!("/v1/tables/{table}/bets"), &json!({ "round_no": 0, "bets": [], "commitment": "00".repeat(32) }));
    watched.note();
}

fn play_watched(service: &Service, player: &Player, table: &str, rng: &mut Rng, watched: &mut Watched) {
    let laid = player.bet(table, 10);
    watched.note();
    read_all(service, player, &laid.round, watched);
    let mut reply = player.reveal(&laid);
    watched.note();
    while reply["round"]["phase"] == "open" {
        read_all(service, player, &laid.round, watched);
        let action = player.choose(&reply, rng);
        reply = player.act(&reply["round"].clone(), action);
        watched.note();
    }
    read_all(service, player, &laid.round, watched);
    // The same again, from the log.
    player.client.post(&format!("/v1/tables/{table}/bets"), &laid.request);
    player.reveal(&laid);
    watched.note();
}

/// What was said, judged with all secrets known.
fn judge(data: &Path, log: Vec<String>, watched: &Watched, tokens: &[(String, String)]) -> (Secrets, Vec<String>) {
    let mut secrets = Secrets::new(data, log);
    let seen = watched.seen.lock().unwrap();
    assert_eq!(seen.len(), watched.horizons.len());
    for (token, whose) in tokens {
        let needle = format!("\"token\":\"{token}\"");
        let handed_over = seen.iter().position(|exchange| exchange.reply.status == 201 && exchange.reply.text().contains(&needle));
        secrets.hide_token(token, whose, Some(handed_over.unwrap()));
    }
    let mut found = secrets.judge_log();
    for (number, (exchange, horizon)) in seen.iter().zip(&watched.horizons).enumerate() {
        found.extend(secrets.judge(&Judged { number, horizon: *horizon, exchange }));
    }
    (secrets, found)
}

#[test]
fn no_reply_ever_shows_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let mut watched = Watched { seen: service.watch(), horizons: Vec::new(), newest: 0 };
    watched.newest = service.anyone().get("/v1/log").expect_status(200)["size"].as_u64().unwrap() - 1;
    let players = [service.player("alice", 100_000), service.player("bob", 300)];
    let auditor =
        service.operator().post("/v1/auditors", &json!({ "name": "carol" })).expect_status(201)["token"].as_str().unwrap().to_owned();
    let own = players[0].open_table();
    service
        .operator()
        .post("/v1/tables", &json!({ "table": "special", "rules": "joy", "options": { "decks": 2, "deal_order": "pp_dd" } }))
        .expect_status(201);
    watched.note();
    // Rounds that stay open at other tables meanwhile.
    let open = |table: &str| {
        let laid = players[0].bet(table, 1);
        players[0].reveal(&laid)
    };
    let mut rng = Rng(0x1ea4);
    for number in 0..if slow() { 60 } else { 12 } {
        open(&own);
        watched.note();
        play_watched(&service, &players[number % 2], "joy-1", &mut rng, &mut watched);
        play_watched(&service, &players[0], "special", &mut rng, &mut watched);
        let live = service.anyone().get(&format!("/v1/tables/{own}")).expect_status(200)["round"].clone();
        if let Some(id) = live.as_str() {
            read_all(&service, &players[0], id, &mut watched);
            let view = service.anyone().get(&format!("/v1/rounds/{id}")).expect_status(200);
            players[0].stand_out(view);
        }
        watched.note();
    }
    // A round is left open, and its table's whole stream is read.
    let left_open = (0..50)
        .map(|_| open("joy-1"))
        .map(|reply| if reply["round"]["phase"] == "open" { Some(reply) } else { None })
        .find_map(|reply| reply);
    watched.note();
    let left_open = left_open.unwrap();
    for table in ["joy-1", "special", &own] {
        let mut stream = Events::open(&service.url, table, Some(0), Duration::from_millis(700));
        while let Some((id, data)) = stream.entry() {
            let reply = Reply { status: 200, headers: Vec::new(), body: format!("id: {id}\ndata: {data}\n").into_bytes() };
            watched.seen.lock().unwrap().push(Exchange { method: "GET".into(), path: format!("/v1/tables/{table}/events"), reply });
            watched.horizons.push(watched.newest + 1);
        }
    }
    read_all(&service, &players[0], left_open["round"]["id"].as_str().unwrap(), &mut watched);

    let log = whole_log(&service.anyone());
    watched.note();
    let mut tokens: Vec<(String, String)> = players.iter().map(|player| (player.token.clone(), player.name.to_string())).collect();
    tokens.push((auditor, "carol".into()));
    let (secrets, found) = judge(&service.data, log.clone(), &watched, &tokens);
    assert!(secrets.count() > 1000, "{} secrets are known", secrets.count());
    assert!(watched.horizons.len() > 500);
    assert!(found.is_empty(), "{} leaks:\n{}", found.len(), found.iter().take(10).cloned().collect::<Vec<_>>().join("\n"));

    planted_leaks_are_found(&service, &secrets, &watched, &left_open, &players[0]);
}

/// The same replies with something in them that must not be there.
fn planted_leaks_are_found(service: &Service, secrets: &Secrets, watched: &Watched, open: &Value, player: &Player) {
    let id = open["round"]["id"].as_str().unwrap();
    let hole = open["round"]["game"]["dealer"]["cards"].as_array().unwrap().iter().find(|card| card["card"].is_null()).unwrap()["slot"]
        .as_u64()
        .unwrap();
    let horizon = watched.newest + 1;
    // What lies there is known here as it is to the checker: from the master key.
    let opening = fairshoe_tests::leak::hidden_opening(&service.data, &whole_log(&service.anyone()), id, hole as u16);
    let card = opening.card().unwrap().to_string();
    let salt = hex::encode(opening.salt);
    let reply = |path: &str, body: Vec<u8>, kind: &str| Exchange {
        method: "GET".into(),
        path: path.into(),
        reply: Reply { status: 200, headers: vec![("content-type".into(), kind.into())], body },
    };
    let json_of = |path: String, value: &Value| reply(&path, value.to_string().into_bytes(), "application/json");
    let round_path = format!("/v1/rounds/{id}");
    let honest = service.anyone().get(&round_path).expect_status(200);

    let mut face = honest.clone();
    let cards = face["round"]["game"]["dealer"]["cards"].as_array_mut().unwrap();
    cards.iter_mut().find(|card| card["card"].is_null()).unwrap()["card"] = json!(card);
    let mut opened = honest.clone();
    opened["openings"].as_array_mut().unwrap().push(serde_json::to_value(&opening).unwrap());
    let mut code_alone = honest.clone();
    code_alone["openings"].as_array_mut().unwrap().push(json!({ "slot": hole, "value": opening.value }));
    let mut undealt = honest.clone();
    let drawn: Vec<u64> = honest["openings"].as_array().unwrap().iter().map(|o| o["slot"].as_u64().unwrap()).chain([hole]).collect();
    let other = (0..52).find(|slot| !drawn.contains(slot)).unwrap();
    let other_opening = fairshoe_tests::leak::hidden_opening(&service.data, &whole_log(&service.anyone()), id, other as u16);
    undealt["openings"].as_array_mut().unwrap().push(serde_json::to_value(&other_opening).unwrap());
    let problem = |detail: String| reply("/x", json!({ "detail": detail }).to_string().into_bytes(), "application/problem+json");
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    let master = std::fs::read_to_string(service.data.join("secrets/master.key")).unwrap();
    let raw: Vec<u8> = [b"tile".as_slice(), &opening.salt, b"more"].concat();
    let mut entry: Value = serde_json::from_str(open["receipts"][0]["entry"].as_str().unwrap()).unwrap();
    entry["time"] = json!(1);
    let planted = [
        ("the face in the round", json_of(round_path.clone(), &face)),
        ("the opening of the hidden card", json_of(round_path.clone(), &opened)),
        ("its card code alone", json_of(round_path.clone(), &code_alone)),
        ("the opening of an undealt card", json_of(round_path.clone(), &undealt)),
        ("a face of no round", json_of("/v1/x".into(), &json!({ "slot": hole, "card": card }))),
        ("a card in an error", problem(format!("the dealer has {card}"))),
        ("a salt in an error", problem(format!("salt {salt}."))),
        ("a salt in upper case", problem(salt.to_uppercase())),
        ("a salt within a longer run", problem(format!("abc{salt}def"))),
        ("a salt as base64", problem(base64(&[b"..".as_slice(), &opening.salt].concat()))),
        ("a salt raw", reply("/tile/0/000", raw, "application/octet-stream")),
        ("the master key", reply("/metrics", master.trim().as_bytes().to_vec(), "text/plain")),
        ("a player's token", problem(player.token.clone())),
        ("a token's hash", problem(hex::encode(fairshoe_tests::leak::token_hash(&player.token)))),
        ("an entry that is not on the log", json_of("/v1/x".into(), &json!({ "entry": entry.to_string() }))),
    ];
    for exchange in [json_of(round_path, &honest), problem("nothing to see".into())] {
        assert_eq!(secrets.judge(&Judged { number: usize::MAX, horizon, exchange: &exchange }), [""; 0]);
    }
    for (what, exchange) in planted {
        let found = secrets.judge(&Judged { number: usize::MAX, horizon, exchange: &exchange });
        assert!(!found.is_empty(), "{what} was not found");
    }
    // What is public later is a leak now.
    let later = service.anyone().get("/v1/shoes/special/0");
    let exchange = Exchange { method: "GET".into(), path: "/v1/shoes/special/0".into(), reply: later };
    assert!(secrets.judge(&Judged { number: 0, horizon, exchange: &exchange }).is_empty());
    assert!(!secrets.judge(&Judged { number: 0, horizon: 5, exchange: &exchange }).is_empty());
}
