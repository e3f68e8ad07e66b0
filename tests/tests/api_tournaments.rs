//! Whole tournaments through the port: requests of players and the operator, and refusals. `api_contract.rs` checks
//! each reply against the contract.

use fairshoe_tests::company::Company;
use fairshoe_tests::poker::{folds, passive};
use fairshoe_tests::tournament::{Field, now_ms, quick};
use fairshoe_tests::{Client, Json, Player, Reply, Service, audit};
use serde_json::{Value, json};
use std::time::Duration;

const HOUR: u64 = 3_600_000;

/// Long enough for all players to enter before the start, on a busy machine.
const SOON: u64 = 8_000;

/// Every kind of tournament, each with its own players, at the same time as the others.
pub fn use_tournaments(service: &Service) {
    read_structures(service);
    refuse_by_role(service);
    std::thread::scope(|scope| {
        for play in [
            play_sit_and_go,
            play_rebuys,
            play_stakes,
            play_deal,
            play_bounties,
            play_satellite,
            run_before_the_start,
            run_to_a_cancellation,
        ] {
            scope.spawn(move || play(service));
        }
    });
    let nobody = service.anyone();
    let first = nobody.get("/v1/tournaments?limit=3").expect_status(200);
    assert_eq!(first["tournaments"].list().len(), 3);
    let cursor = first["next"].as_str().unwrap();
    nobody.get(&format!("/v1/tournaments?cursor={cursor}")).expect_status(200);
    assert_eq!(nobody.get("/v1/tournaments?cursor=NONE").problem(400), "malformed");
    for event in nobody.get("/v1/tournaments").expect_status(200)["tournaments"].list() {
        let event = event["tournament"].as_str().unwrap();
        nobody.get(&format!("/v1/tournaments/{event}/entries?limit=256")).expect_status(200);
        // A tournament that never began has no table.
        nobody.get(&format!("/v1/tables/{event}.1/entries?limit=256"));
    }
    // Read by a separate client, whose thousands of replies are not recorded.
    audit(&Client::new(&service.url, None));
}

fn read_structures(service: &Service) {
    let nobody = service.anyone();
    let all = nobody.get("/v1/structures").expect_status(200)["structures"].clone();
    for shown in all.list() {
        let name = shown["name"].as_str().unwrap();
        assert_eq!(nobody.get(&format!("/v1/structures/{name}")).expect_status(200), *shown);
    }
    assert_eq!(nobody.get("/v1/structures/none").problem(404), "unknown_structure");
    let operator = service.operator();
    let body =
        |structure: Value| json!({ "tournament": "never", "structure": structure, "starts_at": now_ms() + HOUR });
    assert_eq!(operator.post("/v1/tournaments", &body(json!("none"))).problem(404), "unknown_structure");
    assert_eq!(operator.post("/v1/tournaments", &body(json!({ "name": "x" }))).problem(422), "structure_refused");
    assert_eq!(operator.post("/v1/tournaments", &body(json!(7))).problem(400), "malformed");
    let mut with_options = body(json!("freezeout-6"));
    with_options["options"] = json!({ "decks": 99 });
    assert_eq!(operator.post("/v1/tournaments", &with_options).problem(422), "rule_set_refused");
    assert_eq!(nobody.post("/v1/tournaments", &body(json!("freezeout-6"))).problem(401), "unauthorized");
    for path in ["", "/standings", "/tables", "/entries"] {
        let code = nobody.get(&format!("/v1/tournaments/never{path}")).problem(404);
        assert_eq!(code, if path == "/entries" { "unknown_table" } else { "unknown_tournament" });
    }
}

/// The operator and auditors may not send players' requests; only the operator may send the operator's.
fn refuse_by_role(service: &Service) {
    let structure = quick(&service.anyone(), "freezeout-6", |_| {});
    let field = Field::announce(service, "roles", &structure, &["roles-a"], HOUR);
    let (operator, player) = (service.operator(), &field.players[0].client);
    let made = operator.post("/v1/auditors", &json!({ "name": "tournament-auditor" })).expect_status(201);
    let auditor = service.client(made["token"].as_str());
    let commitment = "00".repeat(32);
    let of_players = [
        ("/registration", json!({ "commitment": commitment, "pay": "cash" })),
        ("/rebuy", json!({})),
        ("/add_on", json!({})),
        ("/stakes", json!({ "basis_points": 1 })),
        ("/stakes/roles-a", json!({ "basis_points": 1 })),
        ("/deal/wish", json!({ "want": true })),
        ("/deal/proposals", json!({ "method": "icm" })),
        ("/deal/answers", json!({ "digest": commitment, "accept": true })),
    ];
    let of_the_operator = [
        ("/bounties", json!({ "player": "roles-a", "has": true })),
        ("/disqualify", json!({ "player": "roles-a", "reason": "x" })),
        ("/registration_times", json!({ "late_levels": 1, "reason": "x" })),
        ("/postpone", json!({ "starts_at": now_ms() + 2 * HOUR, "reason": "x" })),
        ("/cancel", json!({ "reason": "x" })),
    ];
    let refused = |client: &Client, call: &str, body: &Value| {
        assert_eq!(client.post(&field.path(call), body).problem(403), "not_allowed", "{call}");
        assert_eq!(field.public.post(&field.path(call), body).problem(401), "unauthorized", "{call}");
    };
    for (call, body) in &of_players {
        refused(&operator, call, body);
        refused(&auditor, call, body);
    }
    for (call, body) in &of_the_operator {
        refused(player, call, body);
        refused(&auditor, call, body);
    }
    // The operator may offer it, and accept it for a player.
    let substitute = json!({ "place": 1, "what": "a car", "value": 1 });
    refused(&auditor, "/substitutes", &substitute);
    let another = json!({ "tournament": "other", "structure": "freezeout-6", "starts_at": now_ms() + HOUR });
    for client in [player, &auditor] {
        assert_eq!(client.post("/v1/tournaments", &another).problem(403), "not_allowed");
    }
    assert_eq!(operator.delete(&field.path("/registration")).problem(403), "not_allowed");
}

/// The reply to a call that is repeated under its key: the same entry.
fn repeated(client: &Client, path: &str, body: &Value, key: &str) -> Value {
    let headers = [("idempotency-key", key)];
    let first = client.post_with(path, body, &headers).expect_status(200);
    let again = client.post_with(path, body, &headers).expect_status(200);
    assert_eq!(first["receipts"][0]["entry"], again["receipts"][0]["entry"]);
    assert_eq!(first["receipts"][0]["index"], again["receipts"][0]["index"]);
    first
}

/// The event of a tournament in a reply's entry.
fn event_of<'e>(reply: &Value, word: &str, entry: &'e mut Value) -> &'e Value {
    *entry = serde_json::from_str(reply["receipts"][0]["entry"].as_str().unwrap()).unwrap();
    let all = entry["events"].list();
    all.iter().find_map(|event| event["tournament"].get(word)).unwrap_or_else(|| panic!("no {word}: {reply}"))
}

/// Three players, three seats: entered, drawn with a seed withheld, played to the end; and all refusals to others.
fn play_sit_and_go(service: &Service) {
    let structure = quick(&service.anyone(), "sit-and-go", |structure| {
        structure["seats"] = json!(3);
        structure["entry"]["players_min"] = json!(3);
        structure["entry"]["players_max"] = json!(3);
        structure["clocks"]["reveal_ms"] = json!(8_000);
    });
    let field = Field::announce(service, "sit", &structure, &["sit-a", "sit-b", "sit-c"], SOON);
    let [a, b, c] = [0, 1, 2].map(|n| &field.players[n]);
    let late = service.player("sit-late", 10_000);
    let poor = service.player("sit-poor", 10);
    assert_eq!(field.register(&poor).problem(409), "insufficient_balance");
    assert_eq!(field.ask(&late, "/rebuy", &json!({})).problem(409), "not_registered");
    let entered = repeated(&a.client, &field.path("/registration"), &field.registration(a, "cash"), "in-1");
    assert_eq!(entered["balance"], 99_000);
    assert_eq!(field.register(a).problem(409), "nothing_to_do");
    assert_eq!(field.ask(b, "/registration", &field.registration(b, "ticket")).problem(403), "not_allowed");
    field.register(b).expect_status(200);
    field.register(c).expect_status(200);
    let away = c.client.delete(&field.path("/registration")).expect_status(200);
    assert_eq!(event_of(&away, "unregistered", &mut Value::Null)["entry_no"], 2);
    assert_eq!(c.balance(), 100_000);
    field.register(c).expect_status(200);
    assert_eq!(field.own(c)["next_use"], 2);
    assert_eq!(field.register(&late).problem(409), "field_full");
    assert_eq!(field.view()["summary"]["open"], false);

    field.wait_until(|view| view["draw"].is_object());
    assert_eq!(a.client.delete(&field.path("/registration")).problem(409), "deadline_passed");
    let (call, body) = field.revelation(a).unwrap();
    let changed = |field: &str, value: Value| {
        let mut body = body.clone();
        body[field] = value;
        body
    };
    assert_eq!(field.ask(a, "/draws/9/reveals", &body).problem(409), "wrong_draw");
    assert_eq!(field.ask(a, "/draws/70000/reveals", &body).problem(400), "malformed");
    assert_eq!(field.ask(a, &call, &changed("entry_no", json!(77))).problem(409), "not_an_entrant");
    assert_eq!(field.ask(a, &call, &changed("seed", json!("00".repeat(32)))).problem(409), "seed_does_not_open");
    assert_eq!(field.ask(b, &call, &body).problem(403), "not_allowed");
    let told = a.client.post(&field.path(&format!("{call}?received=first")), &body);
    assert_eq!(told.status, 200, "{}", told.text());
    let repeat = field.ask(a, &call, &body).expect_status(200);
    assert_eq!(event_of(&repeat, "seat_seed_revealed", &mut Value::Null)["entry_no"], 0);
    assert_eq!(field.ask(a, &call, &changed("next", json!("11".repeat(32)))).problem(409), "already_revealed");
    // A seed proves itself, whoever sends it; only its player may set the next commitment.
    let (_, mut of_b) = field.revelation(b).unwrap();
    of_b.as_object_mut().unwrap().remove("next");
    field.public.post(&field.path(&call), &of_b).expect_status(200);
    // The third seed does not come: its player is still seated.
    field.wait_until(|view| view["tables"] == 1 && view["draw"].is_null());
    let table = "/v1/tables/sit.1";
    field.play_until(passive, |_| {
        let view = field.public.get(table);
        let round = view.status == 200 && view.json()["round"].is_string();
        round && field.tables()[0].view()["round"].as_str().is_some_and(|id| decides(&field.public, id))
    });
    let shown = field.public.get(table).expect_status(200);
    assert_eq!(shown["tournament"], json!({ "level": 1, "tournament": "sit" }));
    refused_at_the_table(service, table, a);
    let out = json!({ "player": "sit-a", "reason": "case 3" });
    assert_eq!(field.ask(a, "/disqualify", &out).problem(403), "not_allowed");
    // During a hand it is noted, and carried out after it.
    let operator = service.operator();
    let noted = operator.post(&field.path("/disqualify"), &out).expect_status(200);
    assert_eq!(event_of(&noted, "noted", &mut Value::Null)["what"], "disqualification");
    assert_eq!(field.own(a)["entry"]["noted"], "disqualification");
    let again = operator.post(&field.path("/disqualify"), &out).expect_status(200);
    assert_eq!(again["receipts"][0]["index"], noted["receipts"][0]["index"], "it is noted once");
    let view = field.play(passive);
    assert_eq!(field.own(a)["entry"]["at"], "disqualified");
    assert_eq!(view["prizes"], json!({ "collected": 2_760, "is_final": true, "overlay": 0, "pool": 2_760 }));
    let (first, others) = field.winner();
    assert_eq!(first.balance(), 99_000 + 2_760);
    others.iter().for_each(|other| assert_eq!(other.balance(), 99_000));
    assert_eq!(field.register(&late).problem(409), "registration_closed");
    read_tournament(service, &field);
}

/// Whether a round asks a player for a decision.
fn decides(client: &Client, id: &str) -> bool {
    client.get(&format!("/v1/rounds/{id}")).expect_status(200)["round"]["decisions"][0].is_object()
}

/// Requests that tables of an event refuse, because only the event decides them.
fn refused_at_the_table(service: &Service, table: &str, player: &Player) {
    let operator = service.operator();
    let by_player = |call: &str, body: Value| player.client.post(&format!("{table}{call}"), &body).problem(409);
    assert_eq!(by_player("/seat", json!({ "seat": 1, "buy_in": 100 })), "tournament_table");
    assert_eq!(by_player("/seat", json!({})), "tournament_table");
    assert_eq!(by_player("/chips", json!({ "amount": 100 })), "tournament_table");
    assert_eq!(by_player("/sit_out", json!({})), "tournament_table");
    assert_eq!(player.client.delete(&format!("{table}/seat")).problem(409), "tournament_table");
    assert_eq!(operator.post(&format!("{table}/close"), &json!({})).problem(409), "tournament_table");
}

fn read_tournament(service: &Service, field: &Field) {
    let player = &field.players[0].client;
    for client in [&service.operator(), player, &service.anyone()] {
        for path in
            ["", "/standings", "/standings?limit=1", "/tables", "/tables?limit=1", "/entries?limit=256&proofs=true"]
        {
            client.get(&field.path(path)).expect_status(200);
        }
        for path in ["/standings?cursor=x", "/standings?limit=0", "/tables?cursor=70000"] {
            assert_eq!(client.get(&field.path(path)).problem(400), "malformed");
        }
    }
    let page = player.get(&field.path("/standings?limit=1")).expect_status(200);
    assert_eq!(page["next"], "1");
    let page = player.get(&field.path("/standings?cursor=1")).expect_status(200);
    assert_eq!(page["entries"].list().len(), field.players.len() - 1);
}

/// Rebuys before the first seat and after the last chip, the add-on in its break, and a player who declines.
fn play_rebuys(service: &Service) {
    let structure = quick(&service.anyone(), "rebuy", |structure| {
        structure["rebuy"]["levels"] = json!(2);
        structure["rebuy"]["time_ms"] = json!(60_000);
        structure["add_on"]["after_level"] = json!(1);
        structure["add_on"]["chips"] = json!(50);
        structure["entry"]["stack"] = json!(5_000);
        structure["breaks"]["after"] = json!([{ "level": 1, "ms": 8_000 }]);
        structure["levels"][0]["ms"] = json!(5_000);
        for level in structure["levels"].as_array_mut().unwrap().iter_mut().skip(1) {
            (level["small"], level["big"], level["ms"]) = (json!(10_000), json!(20_000), json!(600_000));
        }
    });
    let field = Field::announce(service, "rebuy", &structure, &["re-a", "re-b"], SOON);
    let [a, b] = [0, 1].map(|n| &field.players[n]);
    field.register_all();
    assert_eq!(field.ask(a, "/rebuy", &json!({})).problem(403), "not_allowed");
    field.wait_until(|view| view["draw"].is_object());
    let more = repeated(&a.client, &field.path("/rebuy"), &json!({}), "more-1");
    assert_eq!(event_of(&more, "rebought", &mut Value::Null)["chips"], 10_000);
    assert_eq!(field.ask(a, "/add_on", &json!({})).problem(409), "registration_closed");
    assert_eq!(field.ask(a, "/decline_rebuy", &json!({ "entry_no": 0 })).problem(409), "nothing_to_do");
    field.play_until(folds, |view| view["clock"]["in_break"] == true && rests(&field));
    repeated(&b.client, &field.path("/add_on"), &json!({}), "add-1");
    assert_eq!(field.ask(b, "/add_on", &json!({})).problem(409), "nothing_to_do");
    // The first player to lose all buys chips again; the second time they decline.
    let broke = || field.players.iter().find(|player| field.own(player)["rebuy_until"].is_u64());
    field.play_until(passive, |_| broke().is_some());
    field.ask(broke().unwrap(), "/rebuy", &json!({})).expect_status(200);
    field.play_until(passive, |_| broke().is_some());
    let loser = broke().unwrap();
    let entry = json!({ "entry_no": field.own(loser)["entry"]["entry_no"] });
    let other = field.players.iter().find(|player| player.name != loser.name).unwrap();
    assert_eq!(field.ask(other, "/decline_rebuy", &entry).problem(403), "not_allowed");
    field.ask(loser, "/decline_rebuy", &entry).expect_status(200);
    let view = field.play(passive);
    assert_eq!(view["prizes"]["pool"], 5 * 920);
    assert_eq!(field.winner().0.name, other.name);
}

/// Whether no hand is called or in progress.
fn rests(field: &Field) -> bool {
    let quiet = |table: &Company| {
        let view = table.view();
        view["round"].is_null() && view["cash"]["call"].is_null()
    };
    field.tables().iter().all(quiet)
}

/// Parts of entries are sold and given back, their winnings are divided, and a prize is replaced by another.
fn play_stakes(service: &Service) {
    let structure = quick(&service.anyone(), "freezeout-6", |_| {});
    let field = Field::announce(service, "stakes", &structure, &["st-a", "st-b", "st-c"], SOON);
    let [a, b, c] = [0, 1, 2].map(|n| &field.players[n]);
    assert_eq!(field.ask(a, "/stakes", &json!({ "basis_points": 100 })).problem(409), "not_registered");
    field.register_all();
    assert_eq!(field.ask(a, "/stakes", &json!({ "basis_points": 10_001 })).problem(422), "stake_refused");
    field.ask(a, "/stakes", &json!({ "basis_points": 5_000 })).expect_status(200);
    field.ask(c, "/stakes", &json!({ "basis_points": 10_000 })).expect_status(200);
    assert_eq!(field.ask(b, "/stakes/st-a", &json!({ "basis_points": 1 })).problem(422), "stake_refused");
    assert_eq!(field.ask(a, "/stakes/st-a", &json!({ "basis_points": 10 })).problem(403), "not_allowed");
    let bought = repeated(&b.client, &field.path("/stakes/st-a"), &json!({ "basis_points": 2_500 }), "stake-1");
    assert_eq!(bought["balance"], 99_000 - 250);
    field.ask(b, "/stakes/st-c", &json!({ "basis_points": 1_000 })).expect_status(200);
    c.client.delete(&field.path("/registration")).expect_status(200);
    assert_eq!(b.balance(), 99_000 - 250);
    assert_eq!(field.own(a)["entry"]["sold"], 2_500);
    let prize = field.wait_until(|view| view["prizes"]["is_final"] == true)["payouts"][0]["cash"].int();
    assert_eq!(field.ask(a, "/stakes", &json!({ "basis_points": 6_000 })).problem(409), "registration_closed");
    let instead = |value: u64| json!({ "place": 1, "what": "a car", "value": value });
    let operator = service.operator();
    assert_eq!(operator.post(&field.path("/substitutes"), &instead(prize - 1)).problem(403), "not_allowed");
    operator.post(&field.path("/substitutes"), &instead(prize)).expect_status(200);
    // A player who has sold a part of their winnings cannot take a car for them.
    assert_eq!(field.ask(a, "/substitutes", &instead(prize)).problem(403), "not_allowed");
    assert_eq!(field.ask(b, "/substitutes", &instead(prize + 1)).problem(403), "not_allowed");
    let accepted = field.ask(b, "/substitutes", &instead(prize)).expect_status(200);
    assert_eq!(event_of(&accepted, "substitute_accepted", &mut Value::Null)["place"], 1);
    field.play(passive);
    // The escrow belongs to the seller, whoever won. The prize of the player who accepted belongs to the house, which
    // owes the car.
    let cash = if field.winner().0.name == a.name { prize } else { 0 };
    let balances = (99_000 + 250 + cash - cash / 4, 99_000 - 250 + cash / 4, 100_000);
    assert_eq!((a.balance(), b.balance(), c.balance()), balances);
}

/// Three remaining players talk about a deal: one refuses, then all agree.
fn play_deal(service: &Service) {
    let structure = quick(&service.anyone(), "freezeout-6", |structure| {
        structure["guarantee"] = json!(40_000);
        structure["entry"]["stack"] = json!(10_000);
    });
    let field = Field::announce(service, "deal", &structure, &["de-a", "de-b", "de-c"], SOON);
    let [a, b, c] = [0, 1, 2].map(|n| &field.players[n]);
    field.register_all();
    let want = json!({ "want": true });
    assert_eq!(field.ask(a, "/deal/wish", &want).problem(403), "not_allowed");
    let chips = json!({ "method": "chips" });
    field.play_until(folds, |view| view["prizes"]["is_final"] == true && view["tables"] == 1 && view["draw"].is_null());
    assert_eq!(field.ask(a, "/deal/proposals", &chips).problem(409), "nothing_to_do");
    field.play_until(folds, |_| !rests(&field));
    let wish_all = || {
        for player in [a, b, c] {
            field.ask(player, "/deal/wish", &want).expect_status(200);
        }
    };
    field.ask(a, "/deal/wish", &want).expect_status(200);
    // The present state is shown again.
    field.ask(a, "/deal/wish", &want).expect_status(200);
    field.ask(a, "/deal/wish", &json!({ "want": false })).expect_status(200);
    wish_all();
    assert_eq!(field.ask(a, "/deal/proposals", &chips).problem(409), "hand_in_progress");
    field.play_until(folds, |_| rests(&field));
    let amounts = |last: u64| json!({ "method": "amounts", "amounts": [[0, 1], [1, 1], [2, last]] });
    assert_eq!(field.ask(a, "/deal/proposals", &amounts(1)).problem(422), "deal_refused");
    assert_eq!(field.ask(a, "/deal/proposals", &json!({ "method": "amounts" })).problem(400), "malformed");
    field.ask(a, "/deal/proposals", &amounts(40_000 - 2)).expect_status(200);
    let standing = || field.view()["deal"]["proposal"].clone();
    let answer = |accept: bool| json!({ "digest": standing()["digest"], "accept": accept });
    field.ask(b, "/deal/answers", &answer(true)).expect_status(200);
    field.ask(c, "/deal/answers", &answer(false)).expect_status(200);
    assert!(field.view()["deal"].is_null());
    // The same proposal as before, from a deal that is off: it is invalid.
    assert_eq!(field.ask(a, "/deal/proposals", &amounts(40_000 - 2)).problem(409), "nothing_to_do");
    assert_eq!(
        field.ask(a, "/deal/answers", &json!({ "digest": "00".repeat(32), "accept": true })).problem(409),
        "nothing_to_do"
    );
    wish_all();
    field.play_until(folds, |_| rests(&field));
    field.ask(b, "/deal/proposals", &json!({ "method": "icm" })).expect_status(200);
    let proposed = standing();
    let yes = answer(true);
    for player in [a, b, c] {
        repeated(&player.client, &field.path("/deal/answers"), &yes, "yes-1");
    }
    field.play(passive);
    for (player, amount) in [a, b, c].into_iter().zip(proposed["amounts"].list()) {
        assert_eq!(player.balance(), 99_000 + amount[1].int());
    }
}

/// Some entries have a bounty; a player who wins a head gets half of it onto their own.
fn play_bounties(service: &Service) {
    let structure = quick(&service.anyone(), "bounty-progressive", |structure| structure["bounty_on"] = json!("some"));
    let field = Field::announce(service, "bounty", &structure, &["bo-a", "bo-b"], SOON);
    let operator = service.operator();
    let bounty =
        |player: &str, has: bool| operator.post(&field.path("/bounties"), &json!({ "player": player, "has": has }));
    bounty("bo-a", true).expect_status(200);
    bounty("bo-b", true).expect_status(200);
    assert_eq!(bounty("nobody", true).problem(404), "unknown_player");
    field.register_all();
    assert_eq!(bounty("bo-a", false).problem(403), "not_allowed");
    field.play(passive);
    let (first, others) = field.winner();
    assert_eq!(others[0].balance(), 100_000 - 10_000);
    assert_eq!(first.balance(), 100_000 - 10_000 + 2 * 4_600 + 2 * 4_600);
}

/// A seat in another event is won, and its ticket used.
fn play_satellite(service: &Service) {
    let operator = service.operator();
    let target = quick(&service.anyone(), "freezeout-6", |_| {});
    let mut create = json!({ "tournament": "sunday", "structure": target, "starts_at": now_ms() + HOUR });
    create["registration_from"] = json!(now_ms() + HOUR / 2);
    operator.post("/v1/tournaments", &create).expect_status(201);
    assert_eq!(operator.post("/v1/tournaments", &create).problem(409), "table_exists");
    let terms = |target: &str| {
        let seat = json!({ "target": target, "buy_in": 920, "fee": 80, "non_unregisterable": true });
        json!({ "satellite": seat })
    };
    let structure = |target: &str| {
        let nobody = service.anyone();
        quick(&nobody, "satellite", |structure| structure["payouts"] = terms(target))
    };
    let nowhere = json!({ "tournament": "nowhere", "structure": structure("never"), "starts_at": now_ms() + HOUR });
    assert_eq!(operator.post("/v1/tournaments", &nowhere).problem(422), "structure_refused");
    let early = service.player("sa-early", 10_000);
    let at = |event: &str| Field { event: event.to_owned(), players: vec![early.clone()], public: service.anyone() };
    let sunday = at("sunday");
    assert_eq!(sunday.register(&early).problem(409), "deadline_ahead");

    let create = json!({ "tournament": "monday", "structure": target, "starts_at": now_ms() + HOUR });
    operator.post("/v1/tournaments", &create).expect_status(201);
    let field = Field::announce(service, "satellite", &structure("monday"), &["sa-a", "sa-b"], SOON);
    field.register_all();
    field.play(passive);
    let (first, others) = field.winner();
    let seen = first.client.get(&format!("/v1/players/{}", first.name)).expect_status(200);
    assert_eq!((&seen["tickets"], &seen["t_dollars"]), (&json!(["monday"]), &json!(0)));
    assert_eq!(others[0].balance(), 99_000 + 840);
    let monday = at("monday");
    assert_eq!(monday.own(first)["ticket"], true);
    let used = monday.ask(first, "/registration", &monday.registration(first, "ticket")).expect_status(200);
    assert_eq!(event_of(&used, "registered", &mut Value::Null)["paid_by"]["ticket"], 1_000);
    assert_eq!(first.client.delete(&monday.path("/registration")).problem(403), "not_allowed");
    let paid = monday.ask(&early, "/registration", &monday.registration(&early, "t_dollars"));
    assert_eq!(paid.expect_status(200)["balance"], 9_000);
}

/// Another start, other times, and in the end a cancellation: all is paid back.
fn run_before_the_start(service: &Service) {
    let structure = quick(&service.anyone(), "freezeout-6", |_| {});
    let field = Field::announce(service, "off", &structure, &["of-a", "of-b"], HOUR);
    field.register_all();
    let operator = service.operator();
    let by_operator = |call: &str, body: Value| operator.post(&field.path(call), &body);
    let later = field.view()["summary"]["starts_at"].int() + 1_000;
    let postponed = json!({ "starts_at": later, "reason": "storm" });
    assert_eq!(field.ask(&field.players[0], "/postpone", &postponed).problem(403), "not_allowed");
    by_operator("/postpone", postponed.clone()).expect_status(200);
    assert_eq!(by_operator("/postpone", json!({ "starts_at": 1, "reason": "storm" })).problem(400), "malformed");
    assert_eq!(field.view()["summary"]["starts_at"], later);
    let times = |levels: u64| json!({ "late_levels": levels, "unregister_ms": 1_000, "reason": "storm" });
    by_operator("/registration_times", times(2)).expect_status(200);
    assert_eq!(by_operator("/registration_times", times(60_000)).problem(422), "structure_refused");
    assert_eq!(field.view()["registration"]["late_levels"], 2);
    let cancel = json!({ "reason": "storm" });
    assert_eq!(by_operator("/cancel", json!({ "reason": "storm", "instant": 1 })).problem(422), "instant_out_of_range");
    let off = repeated(&operator, &field.path("/cancel"), &cancel, "off-1");
    assert_eq!(event_of(&off, "cancelled", &mut Value::Null)["case"], 1);
    field.wait_until(|_| field.players.iter().all(|player| player.balance() == 100_000));
    assert_eq!(by_operator("/cancel", json!({ "reason": "again" })).problem(409), "nothing_to_do");
    assert_eq!(field.register(&field.players[0]).problem(409), "registration_closed");
    assert_eq!(field.ask(&field.players[0], "/deal/wish", &json!({ "want": true })).problem(409), "nothing_to_do");
    read_tournament(service, &field);
}

/// In a break one player is disqualified; then the tournament is cancelled in the middle, and all others get their
/// part.
fn run_to_a_cancellation(service: &Service) {
    let structure = quick(&service.anyone(), "freezeout-6", |structure| {
        structure["entry"]["stack"] = json!(10_000);
        structure["levels"][0]["ms"] = json!(2_000);
        structure["breaks"]["after"] = json!([{ "level": 1, "ms": 60_000 }]);
    });
    let field = Field::announce(service, "halfway", &structure, &["ha-a", "ha-b", "ha-c"], SOON);
    field.register_all();
    let operator = service.operator();
    let out = |player: &str| -> Reply {
        operator.post(&field.path("/disqualify"), &json!({ "player": player, "reason": "case 4" }))
    };
    assert_eq!(out("ha-c").problem(403), "not_allowed");
    field.play_until(folds, |view| view["clock"]["in_break"] == true && rests(&field));
    out("ha-c").expect_status(200);
    assert_eq!(out("nobody").problem(409), "not_registered");
    assert_eq!(field.own(&field.players[2])["entry"]["at"], "disqualified");
    // Once there is some history, the instant may lie slightly in the past.
    std::thread::sleep(Duration::from_millis(20));
    let off = operator.post(&field.path("/cancel"), &json!({ "reason": "fire" })).expect_status(200);
    let mut entry = Value::Null;
    let case = event_of(&off, "cancelled", &mut entry)["case"].int();
    assert!((2..=4).contains(&case), "{entry}");
    let back = |player: &Player| player.balance() > 99_000;
    field.wait_until(|_| field.players[..2].iter().all(back));
    assert!(!back(&field.players[2]));
    read_tournament(service, &field);
}

#[test]
fn a_tournament_goes_on_after_kills_before_its_start_in_a_draw_and_in_a_hand() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &[]);
    let structure = quick(&service.anyone(), "freezeout-6", |structure| structure["guarantee"] = json!(5_000));
    let mut field = Field::announce(&service, "kills", &structure, &["ki-a", "ki-b", "ki-c"], SOON);
    field.register_all();
    let is_drawing = |view: &Value| view["draw"].is_object();
    let in_hand = |field: &Field| {
        let tables = field.tables();
        tables.iter().any(|table| table.view()["round"].as_str().is_some_and(|id| decides(&field.public, id)))
    };
    for kill in 0..3 {
        match kill {
            0 => {}
            1 => drop(field.wait_until(is_drawing)),
            _ => drop(field.play_until(passive, |_| in_hand(&field))),
        }
        service.kill();
        service = Service::start(folder.path(), &[]);
        field = field.at(&service);
    }
    let view = field.play(passive);
    assert_eq!(view["prizes"]["pool"], 5_000);
    let (first, others) = field.winner();
    assert_eq!(first.balance(), 99_000 + 5_000);
    others.iter().for_each(|other| assert_eq!(other.balance(), 99_000));
    audit(&service.anyone());
}
