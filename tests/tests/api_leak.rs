//! No secret leaves the service before its time, in any reply, by any path, in any form.

use base64::Engine;
use fairshoe_tests::company::Company;
use fairshoe_tests::leak::{Judged, Secrets, hidden_opening, hidden_opening_of};
use fairshoe_tests::poker::{folds, passive, patient};
use fairshoe_tests::wire::{Events, Frame};
use fairshoe_tests::{
    Client, Exchange, Exchanges, Json, Player, Reply, Rng, Service, audit, choose_at, slow, whole_log,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// A service used by one thread: every exchange, with the newest entry at its end.
struct Watched {
    seen: Exchanges,
    /// The horizon of each exchange, as far as it is known.
    horizons: Vec<u64>,
    newest: u64,
    /// A client for reading the log without recording.
    aside: Client,
}

impl Watched {
    fn new(service: &mut Service) -> Watched {
        let aside = service.anyone();
        let mut watched = Watched { seen: service.watch(), horizons: Vec::new(), newest: 0, aside };
        watched.note();
        watched
    }

    /// All replies since the last call could depend on the present entries.
    fn note(&mut self) {
        self.newest = self.aside.get("/v1/log").expect_status(200)["size"].int() - 1;
        let count = self.seen.lock().unwrap().len();
        self.horizons.resize(count, self.newest);
    }

    /// A table's whole stream from the beginning, each frame as if it were a reply.
    fn read_stream(&mut self, service: &Service, table: &str) {
        self.read_stream_as(service, table, None);
    }

    /// The same with a token; returns how often it brought the holder's own cards.
    fn read_stream_as(&mut self, service: &Service, table: &str, token: Option<&str>) -> usize {
        let mut stream = Events::open_as(token, &service.url, table, Some(0), Duration::from_millis(700));
        let mut own = 0;
        while let Some(frame) = stream.any() {
            let body = match frame {
                Frame::Comment(_) => continue,
                Frame::Entry { id, data } => format!("id: {id}\ndata: {data}\n"),
                Frame::Own { data, .. } => {
                    own += 1;
                    format!("{{\"table\":\"{table}\",\"own\":{data}}}")
                }
                Frame::Openings { data, .. } => format!("{{\"table\":\"{table}\",\"openings\":{data}}}"),
            };
            let reply = Reply { status: 200, headers: Vec::new(), body: body.into_bytes() };
            let (token, path) = (token.map(str::to_owned), format!("/v1/tables/{table}/events"));
            self.seen.lock().unwrap().push(Exchange { token, method: "GET".into(), path, reply });
        }
        self.note();
        own
    }
}

/// Reads all data about a round and its table.
fn read_all(service: &Service, player: &Player, round: &str, watched: &mut Watched) {
    let table = round.split(':').next().unwrap();
    let nobody = service.anyone();
    let size = nobody.get("/v1/log").expect_status(200)["size"].int();
    let shoe = nobody.get(&format!("/v1/rounds/{round}")).expect_status(200)["round"]["shoe_no"].clone();
    for path in [
        format!("/v1/rounds/{round}/bundle"),
        format!("/v1/rounds/{round}/recall"),
        format!("/v1/tables/{table}/entries?from_seq=0&limit=256&proofs=true"),
        format!("/v1/shoes/{table}/{shoe}"),
        format!("/v1/tables/{table}"),
        format!("/v1/tables/{table}/shoe"),
        format!("/v1/tables/{table}/bundle"),
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
    // All requests that are refused now.
    for action in ["hit", "stand", "split"]
        .map(|word| json!(word))
        .into_iter()
        .chain([json!({ "insurance": { "take": true } }), json!({ "double": { "amount": 1 } })])
    {
        player.client.post(&format!("/v1/rounds/{round}/actions"), &json!({ "decision": 77, "action": action }));
    }
    player.client.post(
        &format!("/v1/rounds/{round}/reveals"),
        &json!({ "player": player.name.as_str(), "seed": "00".repeat(32) }),
    );
    player.client.post(&format!("/v1/rounds/{round}/void"), &json!({ "reason": "please" }));
    player.client.post(
        &format!("/v1/tables/{table}/bets"),
        &json!({ "round_no": 0, "bets": [], "commitment": "00".repeat(32) }),
    );
    watched.note();
}

fn play_watched(service: &Service, player: &Player, table: &str, rng: &mut Rng, watched: &mut Watched) {
    let placed = player.bet(table, 10);
    watched.note();
    read_all(service, player, &placed.round, watched);
    let mut reply = player.reveal(&placed);
    watched.note();
    while reply["round"]["phase"] == "open" {
        read_all(service, player, &placed.round, watched);
        let action = player.choose(&reply, rng);
        reply = player.act(&reply["round"].clone(), action);
        watched.note();
    }
    read_all(service, player, &placed.round, watched);
    // The same again, from the log.
    player.client.post(&format!("/v1/tables/{table}/bets"), &placed.request);
    player.reveal(&placed);
    watched.note();
}

/// Judges the replies, with all secrets known.
fn judge(data: &Path, log: Vec<String>, watched: &Watched, tokens: &[(String, String)]) -> (Secrets, Vec<String>) {
    let mut secrets = Secrets::new(data, log);
    let seen = watched.seen.lock().unwrap();
    assert_eq!(seen.len(), watched.horizons.len());
    for (token, whose) in tokens {
        let needle = format!("\"token\":\"{token}\"");
        let handed_over =
            seen.iter().position(|exchange| exchange.reply.status == 201 && exchange.reply.text().contains(&needle));
        secrets.hide_token(token, whose, Some(handed_over.unwrap()));
    }
    let mut found = secrets.judge_log();
    found.extend(secrets.judge_states());
    for (number, (exchange, horizon)) in seen.iter().zip(&watched.horizons).enumerate() {
        found.extend(secrets.judge(&Judged { number, horizon: *horizon, exchange }));
    }
    (secrets, found)
}

#[test]
fn no_reply_ever_shows_what_is_hidden() {
    let mut service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let mut watched = Watched::new(&mut service);
    let players = [service.player("alice", 100_000), service.player("bob", 300)];
    let auditor =
        service.operator().post("/v1/auditors", &json!({ "name": "carol" })).expect_status(201)["token"].text();
    let own = players[0].open_table();
    service
        .operator()
        .post(
            "/v1/tables",
            &json!({ "table": "special", "rules": "joy", "options": { "decks": 2, "deal_order": "pp_dd" } }),
        )
        .expect_status(201);
    watched.note();
    // Rounds that stay open at other tables meanwhile.
    let open = |table: &str| {
        let placed = players[0].bet(table, 1);
        players[0].reveal(&placed)
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
    // A round stays open, and its table's whole stream is read.
    let left_open = (0..50)
        .map(|_| open("joy-1"))
        .map(|reply| if reply["round"]["phase"] == "open" { Some(reply) } else { None })
        .find_map(|reply| reply);
    watched.note();
    let left_open = left_open.unwrap();
    for table in ["joy-1", "special", &own] {
        watched.read_stream(&service, table);
    }
    for path in ["/v1/export", "/v1/significant", "/v1/players/alice/recall"] {
        service.operator().get(path);
    }
    read_all(&service, &players[0], left_open["round"]["id"].as_str().unwrap(), &mut watched);

    let log = whole_log(&service.anyone());
    watched.note();
    let mut tokens: Vec<(String, String)> =
        players.iter().map(|player| (player.token.clone(), player.name.to_string())).collect();
    tokens.push((auditor, "carol".into()));
    let (secrets, found) = judge(&service.data, log.clone(), &watched, &tokens);
    assert!(secrets.count() > 1000, "{} secrets are known", secrets.count());
    assert!(watched.horizons.len() > 500);
    assert!(
        found.is_empty(),
        "{} leaks:\n{}",
        found.len(),
        found.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );

    planted_leaks_are_found(&service, &secrets, &watched, &left_open, &players[0]);
}

/// The same replies with a planted secret in them.
fn planted_leaks_are_found(service: &Service, secrets: &Secrets, watched: &Watched, open: &Value, player: &Player) {
    let id = open["round"]["id"].as_str().unwrap();
    let hole =
        open["round"]["game"]["dealer"]["cards"].items().find(|card| card["card"].is_null()).unwrap()["slot"].int();
    let horizon = watched.newest;
    // The test knows hidden cards like the checker does: from the master key.
    let opening = hidden_opening(&service.data, &whole_log(&service.anyone()), id, hole as u16);
    let card = opening.card().unwrap().to_string();
    let salt = hex::encode(opening.salt);
    let reply = |path: &str, body: Vec<u8>, kind: &str| Exchange {
        token: None,
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
    let drawn: Vec<u64> = honest["openings"].items().map(|o| o["slot"].int()).chain([hole]).collect();
    let other = (0..52).find(|slot| !drawn.contains(slot)).unwrap();
    let other_opening = hidden_opening(&service.data, &whole_log(&service.anyone()), id, other as u16);
    undealt["openings"].as_array_mut().unwrap().push(serde_json::to_value(&other_opening).unwrap());
    let problem =
        |detail: String| reply("/x", json!({ "detail": detail }).to_string().into_bytes(), "application/problem+json");
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
    // In a line of an export it is found as well.
    let line = json!({ "id": id, "steps": [{ "content": { "slot": hole, "card": card } }] });
    let export = reply("/v1/export", format!("{{\"id\":\"{id}\"}}\n{line}\n").into_bytes(), "application/x-ndjson");
    assert!(!secrets.judge(&Judged { number: usize::MAX, horizon, exchange: &export }).is_empty());
    // A value that becomes public later is a leak now.
    let later = service.anyone().get("/v1/shoes/special/0");
    let exchange = Exchange { token: None, method: "GET".into(), path: "/v1/shoes/special/0".into(), reply: later };
    assert!(secrets.judge(&Judged { number: 0, horizon, exchange: &exchange }).is_empty());
    assert!(!secrets.judge(&Judged { number: 0, horizon: 5, exchange: &exchange }).is_empty());
}

/// Reads all data about a shared table, without a token and with a player's.
fn look_around(service: &Service, company: &Company, round_no: u64, watched: &mut Watched) {
    let (table, nobody) = (&company.table, service.anyone());
    let shoe = nobody.get(&company.path("")).expect_status(200)["shoe"]["shoe_no"].clone();
    let size = watched.newest + 1;
    for path in [
        format!("/v1/rounds/{table}:{round_no}"),
        format!("/v1/rounds/{table}:{round_no}/bundle"),
        format!("/v1/rounds/{table}:{round_no}/recall"),
        format!("/v1/rounds/{table}:{}", round_no + 1),
        format!("/v1/shoes/{table}/{shoe}"),
        format!("/v1/tables/{table}/shoe"),
        format!("/v1/tables/{table}/bundle"),
        format!("/v1/tables/{table}/entries?from_seq=0&limit=256"),
        format!("/tile/entries/{:03}.p/{}", size / 256, (size % 256).max(1)),
        "/metrics".into(),
    ] {
        nobody.get(&path);
    }
    let player = &company.players[0];
    for path in [format!("/v1/rounds/{table}:{round_no}/actions"), format!("/v1/players/{}/recall?last=1", player.name)]
    {
        player.client.get(&path);
    }
    let mut wrong = player.body_for(table, &json!([{ "spot": "99", "stake": 1 }])).0;
    wrong["round_no"] = json!(round_no);
    player.client.post(&company.path("/bets"), &wrong);
    for action in ["hit", "accept", "reject", "face_down"] {
        player
            .client
            .post(&format!("/v1/rounds/{table}:{round_no}/actions"), &json!({ "decision": 7777, "action": action }));
    }
    player
        .client
        .post(&format!("/v1/rounds/{table}:{round_no}/reveals"), &json!({ "player": "ann", "seed": "00".repeat(32) }));
    player
        .client
        .post(&format!("/v1/rounds/{table}:{}/commitments", round_no + 1), &json!({ "commitment": "00".repeat(32) }));
    watched.note();
}

#[test]
fn no_face_of_any_game_leaves_a_shared_table_before_its_time() {
    let mut service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let mut watched = Watched::new(&mut service);
    let players: Vec<Player> = ["ann", "bea", "cid"].iter().map(|name| service.player(name, 100_000_000)).collect();
    watched.note();
    let mut rng = Rng(0x1ea5);
    let tables = ["live-blackjack-2", "six-deck-2", "study-group-2", "baccarat-2", "roulette-2", "safe-2"];
    Company::open_each(&service, &tables);
    let rounds = if slow() { 12 } else { 2 };
    for table in tables {
        let company = Company { table: table.into(), players: players.clone(), public: service.anyone() };
        company.sit();
        for _ in 0..if table == "safe-2" { 2 * rounds } else { rounds } {
            let round_no = company.window()["round_no"].int();
            let mut steps = 0;
            company.play(&mut rng, |_| {
                watched.note();
                // A game of Safe has many steps; every third is looked at from all sides.
                if table != "safe-2" || steps % 3 == 0 {
                    look_around(&service, &company, round_no, &mut watched);
                }
                steps += 1;
            });
            look_around(&service, &company, round_no, &mut watched);
        }
        // The last round stays in play, with cards of the shoe still to come.
        let round_no = company.window()["round_no"].int();
        company.bet(&mut rng);
        for player in &players {
            company.reveal(player, round_no);
        }
        watched.note();
        look_around(&service, &company, round_no, &mut watched);
        watched.read_stream(&service, table);
    }
    for path in ["/v1/export", "/v1/significant", "/v1/players/ann/recall", "/v1/tables"] {
        service.operator().get(path);
    }
    watched.note();
    audit(&watched.aside);
    let log = whole_log(&service.anyone());
    watched.note();
    let tokens: Vec<(String, String)> =
        players.iter().map(|player| (player.token.clone(), player.name.to_string())).collect();
    let (secrets, found) = judge(&service.data, log.clone(), &watched, &tokens);
    assert!(secrets.count() > 1_500, "{} secrets are known", secrets.count());
    assert!(watched.horizons.len() > 1_000);
    assert!(
        found.is_empty(),
        "{} leaks:\n{}",
        found.len(),
        found.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );

    // Planted: a slot of each table's shoe in use that no entry shows, as a face and as an opening, in a reply and in a
    // frame.
    for table in tables {
        let view = service.anyone().get(&format!("/v1/tables/{table}")).expect_status(200);
        let rounds = service.anyone().get(&format!("/v1/tables/{table}/rounds?limit=50")).expect_status(200);
        let of_shoe = |round: &&Value| round["shoe_no"] == view["shoe"]["shoe_no"];
        let Some(round) = rounds["rounds"].items().find(of_shoe) else { continue };
        let (id, shoe_no) = (round["id"].as_str().unwrap(), &view["shoe"]["shoe_no"]);
        let entries = service.anyone().get(&format!("/v1/tables/{table}/entries?limit=256")).expect_status(200);
        let open: Vec<u64> = entries["entries"]
            .items()
            .flat_map(|entry| entry["openings"].as_array().cloned().unwrap_or_default())
            .filter(|opening| opening["shoe_no"] == *shoe_no)
            .map(|opening| opening["slot"].int())
            .collect();
        let slot = (0..40).find(|slot| !open.contains(slot)).unwrap() as u16;
        let opening = hidden_opening(&service.data, &log, id, slot);
        let mut shown = serde_json::to_value(&opening).unwrap();
        shown["shoe_no"] = shoe_no.clone();
        let face = if table == "roulette-2" {
            json!({ "slot": slot, "value": opening.value })
        } else {
            json!({ "slot": slot, "card": opening.card().unwrap() })
        };
        let mut of_entry = entries.clone();
        of_entry["entries"][0]["openings"] = json!([{ "slot": slot, "value": opening.value, "shoe_no": shoe_no }]);
        let planted = [
            ("a face in a round", json!({ "round": { "id": id }, "x": face })),
            ("its opening in a round", json!({ "round": { "id": id }, "openings": [shown] })),
            ("its code in the table's entries", of_entry),
            ("its salt alone", json!({ "x": hex::encode(opening.salt) })),
            ("a step of a recall", json!({ "id": id, "steps": [{ "content": face }] })),
            ("a frame", json!({ "table": table, "openings": [shown] })),
        ];
        for (what, body) in planted {
            let reply = Reply { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() };
            let exchange = Exchange { token: None, method: "GET".into(), path: "/v1/x".into(), reply };
            let found = secrets.judge(&Judged { number: usize::MAX, horizon: watched.newest, exchange: &exchange });
            assert!(!found.is_empty(), "{table}: {what} was not found");
        }
    }
}

/// Each reader examines a hand: each player, the operator, auditors, a client without a token.
fn look_into_a_hand(company: &Company, others: &[Client], round_no: u64, watched: &mut Watched) {
    let id = company.round_id(round_no);
    let shoe_no = company.view()["shoe"]["shoe_no"].as_u64().unwrap_or(round_no);
    let size = watched.newest + 1;
    let players = company.players.iter().map(|player| &player.client);
    for client in players.chain(others).chain([&company.public]) {
        for path in [
            format!("/v1/rounds/{id}"),
            format!("/v1/rounds/{id}/bundle"),
            format!("/v1/rounds/{id}/recall"),
            format!("/v1/rounds/{id}/actions"),
            format!("/v1/shoes/{}/{shoe_no}", company.table),
            format!("/v1/shoes/{}/{shoe_no}/disclosure", company.table),
            company.path(""),
            company.path("/shoe"),
            company.path("/bundle"),
            company.path("/entries?limit=256"),
            "/metrics".into(),
            format!("/tile/entries/{:03}.p/{}", size / 256, (size % 256).max(1)),
            "/v1/players/ann/recall?last=1".into(),
        ] {
            client.get(&path);
        }
        for action in [json!("fold"), json!("muck"), json!({ "raise": { "to": 1 } }), json!({ "bet": { "to": 1 } })] {
            client.post(&format!("/v1/rounds/{id}/actions"), &json!({ "decision": 7777, "action": action }));
        }
        client.post(&company.path("/chips"), &json!({ "amount": 99_999_999 }));
        client.post(&format!("/v1/rounds/{id}/reveals"), &json!({ "player": "ann", "seed": "00".repeat(32) }));
    }
    watched.note();
}

/// One auditor asks for a hand; the reply is for them alone.
fn ask_for_a_hand(company: &Company, others: &[Client], round_no: u64, watched: &mut Watched) {
    let shoe_no = company.round(round_no)["round"]["shoe_no"].clone();
    let path = format!("/v1/shoes/{}/{shoe_no}/disclosure", company.table);
    for client in [&others[0], &company.players[0].client, &others[1], &company.public] {
        client.post(&path, &json!({ "reason": "a doubt" }));
    }
    watched.note();
    for client in others.iter().chain([&company.players[0].client, &company.public]) {
        client.get(&path);
    }
    watched.note();
}

/// Some hands, played in every way and examined by all readers; the last one stays in play.
fn play_hands(company: &Company, others: &[Client], hands: usize, rng: &mut Rng, watched: &mut Watched) -> u64 {
    for hand in 0.. {
        let round_no = company.call();
        watched.note();
        look_into_a_hand(company, others, round_no, watched);
        for player in &company.players {
            company.reveal_carrying(player, round_no, hand % 2 == 0);
            watched.note();
        }
        look_into_a_hand(company, others, round_no, watched);
        if hand == hands {
            return round_no;
        }
        let mut step = |round: &Value, decision: &Value| match hand % 3 {
            0 => passive(round, decision),
            1 => folds(round, decision),
            _ => choose_at(round, decision, rng),
        };
        let mut steps = 0;
        while company.choose(round_no, &mut step).is_some() {
            watched.note();
            if steps % 3 == 0 {
                look_into_a_hand(company, others, round_no, watched);
            }
            steps += 1;
        }
        look_into_a_hand(company, others, round_no, watched);
        // The same again, from the log; and players who lost all their chips buy in again.
        for player in &company.players {
            company.reveal_carrying(player, round_no, false);
            if company.stack(player) == Some(0) {
                player.client.post(&company.path("/chips"), &json!({ "amount": 20_000 }));
                player.client.post(&company.path("/seat"), &json!({}));
            }
            watched.note();
        }
        if hand == 0 {
            ask_for_a_hand(company, others, round_no, watched);
        }
    }
    unreachable!()
}

#[test]
fn no_card_of_a_hand_leaves_a_cash_table_but_to_its_own_player() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &["--address-rate", "0", "--token-rate", "0"]);
    let mut watched = Watched::new(&mut service);
    let players: Vec<Player> = ["ann", "bea", "cid"].iter().map(|name| service.player(name, 1_000_000)).collect();
    let auditor = |name: &str| {
        service.operator().post("/v1/auditors", &json!({ "name": name })).expect_status(201)["token"].clone()
    };
    let auditors = ["carol", "dave"].map(|name| (auditor(name).text(), name.to_owned()));
    let others = [service.operator(), service.client(Some(&auditors[0].0)), service.client(Some(&auditors[1].0))];
    watched.note();
    let mut rng = Rng(0x1ea6);
    let hands = if slow() { 20 } else { 3 };
    for (table, rules) in [("hold", "holdem"), ("four", "omaha")] {
        others[0]
            .post("/v1/tables", &json!({ "table": table, "rules": rules, "options": patient() }))
            .expect_status(201);
        let company = Company { table: table.into(), players: players.clone(), public: service.anyone() };
        company.buy_in_all(20_000);
        watched.note();
        let left_open = play_hands(&company, &others, hands, &mut rng, &mut watched);
        for token in [None, others[0].token(), others[1].token()] {
            assert_eq!(watched.read_stream_as(&service, table, token.as_deref()), 0, "own cards of one who has none");
        }
        let own = watched.read_stream_as(&service, table, Some(&players[0].token));
        let dealt_in = players[0].client.get("/v1/players/ann/rounds?limit=50").expect_status(200)["rounds"].clone();
        watched.note();
        let here = |round: &&Value| round["id"].as_str().unwrap().starts_with(table);
        assert_eq!(own, dealt_in.items().filter(here).count(), "one notice for each hand that she was dealt");
        assert!(own > 0);
        assert_eq!(company.round(left_open)["round"]["phase"], "open");
    }
    for path in ["/v1/export", "/v1/significant", "/v1/players/ann/recall", "/v1/tables"] {
        others[0].get(path);
    }
    watched.note();
    audit(&watched.aside);
    let log = whole_log(&service.anyone());
    watched.note();
    let of_players = players.iter().map(|player| (player.token.clone(), player.name.to_string()));
    let tokens: Vec<(String, String)> = of_players.chain(auditors).collect();
    let (secrets, found) = judge(&service.data, log.clone(), &watched, &tokens);
    assert!(secrets.count() > 500, "{} secrets are known", secrets.count());
    assert!(
        found.is_empty(),
        "{} leaks:\n{}",
        found.len(),
        found.iter().take(10).cloned().collect::<Vec<_>>().join("\n")
    );
    planted_hands_are_found(&service, &secrets, &watched, &log, &players);
    // The store does not hold it either: a person who copies the folder without its secrets would find it.
    let newest = watched.newest;
    service.kill();
    let mut files = Vec::new();
    collect_files(folder.path(), &mut files);
    let is_secret =
        |file: &Path| file.ends_with("operator.token") || file.components().any(|part| part.as_os_str() == "secrets");
    assert!(files.iter().filter(|file| !is_secret(file)).count() > 3);
    for file in files.iter().filter(|file| !is_secret(file)) {
        let found = secrets.judge_bytes(&std::fs::read(file).unwrap(), newest);
        assert!(found.is_empty(), "{}: {}", file.display(), found.join("\n"));
    }
}

fn collect_files(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect_files(&path, files) } else { files.push(path) }
    }
}

/// The same replies to the wrong reader, and with secrets that no reader may have.
fn planted_hands_are_found(
    service: &Service,
    secrets: &Secrets,
    watched: &Watched,
    log: &[String],
    players: &[Player],
) {
    let view = service.anyone().get("/v1/tables/hold").expect_status(200);
    let id = view["round"].as_str().unwrap();
    let path = format!("/v1/rounds/{id}");
    // Players who lost all their chips just before may not be in this hand: at least two are.
    let dealt_in = service.anyone().get(&path).expect_status(200)["round"]["contributors"].clone();
    let is_in = |player: &&Player| dealt_in.items().any(|one| one["player"] == player.name.as_str());
    let [holder, neighbour] = players.iter().filter(is_in).take(2).collect::<Vec<_>>()[..] else {
        panic!("a hand of one")
    };
    let own = holder.client.get(&path).expect_status(200);
    let seats = own["round"]["game"]["seats"].list();
    let pick = own["own"]["candidate"].int() as u8;
    let slot_of = |value: &Value| value["slot"].int() as u16;
    let another = slot_of(&seats.iter().find(|seat| seat["player"] == neighbour.name.as_str()).unwrap()["hole"][0]);
    let dealt: Vec<u16> = seats.iter().flat_map(|seat| seat["hole"].list()).map(slot_of).collect();
    let undealt = (0..52).find(|slot| !dealt.contains(slot)).unwrap();
    let judged = |token: Option<&str>, horizon: u64, body: &Value| {
        let headers = vec![("content-type".into(), "application/json".into())];
        let reply = Reply { status: 200, headers, body: body.to_string().into_bytes() };
        let exchange = Exchange { token: token.map(str::to_owned), method: "GET".into(), path: path.clone(), reply };
        secrets.judge(&Judged { number: usize::MAX, horizon, exchange: &exchange })
    };
    let operator = service.operator_token();
    let me = Some(holder.token.as_str());
    assert_eq!(judged(me, watched.newest, &own), [""; 0], "his own cards are his");
    for token in [None, Some(neighbour.token.as_str()), Some(operator.as_str())] {
        assert!(!judged(token, watched.newest, &own).is_empty(), "his cards, shown to {token:?}");
        let mut face = own.clone();
        face.as_object_mut().unwrap().remove("own");
        assert_eq!(judged(token, watched.newest, &face), [""; 0]);
        let mine = json!({ "slot": own["own"]["openings"][0]["slot"], "card": own["own"]["cards"][0] });
        let face = json!({ "round": { "id": id }, "x": mine });
        assert!(!judged(token, watched.newest, &face).is_empty(), "a face that is his alone");
    }
    for (what, slot) in [("another's card", another), ("an undealt card", undealt)] {
        let opening = hidden_opening_of(&service.data, log, id, pick, slot);
        let with = |more: Value| json!({ "round": { "id": id }, "x": more });
        let face = with(json!({ "slot": slot, "card": opening.card().unwrap() }));
        assert!(!judged(me, watched.newest, &face).is_empty(), "{what}");
        assert!(!judged(me, watched.newest, &with(json!(hex::encode(opening.salt)))).is_empty(), "{what}: its salt");
    }
    // The other deck becomes public when the hand is opened, and not before.
    let other = json!({ "x": hex::encode(hidden_opening_of(&service.data, log, id, 1 - pick, 7).salt) });
    assert_eq!(judged(None, watched.newest, &other), [""; 0]);
    assert!(!judged(None, own["entries"][0].int(), &other).is_empty());
}
