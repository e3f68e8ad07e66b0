//! Guests with play chips (spec/ledger.md), and pages of other origins (spec/page.md, 1.4).

use crate::api_log::raw;
use fairshoe_fairness::PlayerId;
use fairshoe_tests::{Client, Json, Player, Service, audit, binary};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn admit(service: &Service) -> Value {
    service.anyone().post("/v1/guests", &json!({})).expect_status(201)
}

/// A guest as a player of the tests.
pub fn guest(service: &Service) -> Player {
    let made = admit(service);
    let token = made["token"].text();
    let name = PlayerId::parse(made["player"].as_str().unwrap()).unwrap();
    Player { name, client: service.client(Some(&token)), token }
}

#[test]
fn a_guest_plays_for_play_chips_and_for_nothing_else() {
    let service = Service::fresh(&[]);
    let nobody = service.anyone();
    assert_eq!(nobody.get("/v1/log").expect_status(200)["guests"], true);
    let made = admit(&service);
    assert_eq!((&made["player"], &made["balance"]), (&json!("guest.0"), &json!(100_000)));
    assert_eq!(made["receipts"].list().len(), 1);
    let guest = guest(&service);
    assert_eq!(guest.name.as_str(), "guest.1");
    let view = guest.client.get("/v1/players/guest.1").expect_status(200);
    assert_eq!((&view["guest"], &view["balance"]), (&json!(true), &json!(100_000)));

    // One table of each game next to those for credited chips.
    let tables = nobody.get("/v1/tables?limit=50").expect_status(200)["tables"].list().clone();
    let of = |chips: &str| tables.iter().filter(|table| table["chips"] == chips).count();
    assert!(of("play") >= 9 && of("play") == of("credited"), "{} and {}", of("play"), of("credited"));
    let named =
        tables.iter().all(|table| (table["chips"] == "play") == table["table"].as_str().unwrap().starts_with("play."));
    assert!(named);

    let settled = guest.play("play.joy-1", 10);
    assert_eq!(settled["round"]["phase"], "settled");
    assert_eq!(guest.client.post("/v1/tables/joy-1/bets", &guest.bet_body("joy-1", 10).0).problem(409), "other_chips");
    let seat = guest.client.post("/v1/tables/roulette-1/seat", &json!({ "seat": 1 }));
    assert_eq!(seat.problem(409), "other_chips");
    let alice = service.player("alice", 1_000);
    assert_eq!(alice.client.get("/v1/players/alice").expect_status(200)["guest"], false);
    let bet = alice.bet_body("play.joy-1", 10).0;
    assert_eq!(alice.client.post("/v1/tables/play.joy-1/bets", &bet).problem(409), "other_chips");

    // Their own tables are for play chips too, and the name shows it.
    let own = guest.client.post("/v1/tables", &json!({ "rules": "joy" })).expect_status(201);
    let own = own["table"].as_str().unwrap();
    assert!(own.starts_with(&format!("play.{}.joy-", guest.name)), "{own}");
    assert_eq!(guest.play(own, 10)["round"]["phase"], "settled");
    let named = guest.client.post("/v1/tables", &json!({ "rules": "joy", "table": "mine" }));
    assert_eq!(named.problem(409), "other_chips");
    let named = guest.client.post("/v1/tables", &json!({ "rules": "joy", "table": "play.mine" }));
    assert_eq!(named.problem(400), "malformed");

    let operator = service.operator();
    for (nth, (call, body)) in [
        ("credit", json!({ "amount": 5 })),
        ("withdraw", json!({ "amount": 5 })),
        ("correct", json!({ "amount": 5, "reason": "case 1" })),
    ]
    .into_iter()
    .enumerate()
    {
        let key = [("idempotency-key", &*format!("k-{nth}"))];
        let reply = operator.post_with(&format!("/v1/players/guest.1/{call}"), &body, &key);
        assert_eq!(reply.problem(409), "other_chips", "{call}");
    }
    let create = operator.post("/v1/players", &json!({ "player": "guest.9" }));
    assert_eq!(create.problem(400), "malformed");
    audit(&service.anyone());
}

#[test]
fn a_repeat_admits_nobody_and_shows_no_token() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--guests-per-address", "2"]);
    let ask = |key: &str| service.anyone().post_with("/v1/guests", &json!({}), &[("idempotency-key", key)]);
    let (first, again, other) = (ask("a"), ask("a"), ask("b"));
    let (first, again, other) = (first.expect_status(201), again.expect_status(201), other.expect_status(201));
    assert!(first["token"].is_string() && again.get("token").is_none());
    assert_eq!((&first["player"], &first["balance"]), (&again["player"], &again["balance"]));
    assert_eq!(first["receipts"][0]["index"], again["receipts"][0]["index"]);
    assert_eq!(other["player"], "guest.1");
    // Nor does it use up an address's hourly quota, whether some is left or not, and however late it comes.
    for _ in 0..5 {
        ask("a").expect_status(201);
        ask("b").expect_status(201);
    }
    assert_eq!(ask("c").problem(429), "too_many_guests");
    drop(service);
    let service = Service::start(folder.path(), &["--guests-per-address", "1"]);
    let ask = |key: &str| service.anyone().post_with("/v1/guests", &json!({}), &[("idempotency-key", key)]);
    ask("c").expect_status(201);
    assert_eq!(ask("b").expect_status(201)["player"], "guest.1");
    assert_eq!(ask("d").problem(429), "too_many_guests");
}

/// Attack: a page of another origin sends requests that a browser sends without asking (`mode: "no-cors"`), including a
/// body without a type, and uses up its visitor's guests.
#[test]
fn what_a_page_of_another_origin_can_send_unasked_admits_nobody() {
    let service = Service::fresh(&["--guests-per-address", "1"]);
    let headers = [("origin", "https://evil.example"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-site", "cross-site")];
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("multipart/form-data")] {
        let headers: Vec<_> = headers.into_iter().chain(kind.map(|kind| ("content-type", kind))).collect();
        let reply = service.anyone().send("POST", "/v1/guests", Some(b"{}"), &headers).unwrap();
        assert_eq!(reply.problem(415), "unsupported_media_type", "{kind:?}");
    }
    admit(&service);
}

/// A service that listens at every address of the machine, and a client of it.
struct Everywhere(Child, Client);

impl Everywhere {
    fn start(data: &Path, extra: &[&str]) -> Everywhere {
        let mut command = Command::new(binary("fairshoe"));
        command.args(["serve", "--listen", "0.0.0.0:0", "--log-level", "error", "--data"]).arg(data).args(extra);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let port = said.find_map(|line| {
            Some(line.strip_prefix("fairshoe deals at http://0.0.0.0:")?.split(' ').next()?.to_owned())
        });
        let client = Client::new(&format!("http://127.0.0.1:{}", port.unwrap()), None);
        Everywhere(child, client)
    }
}

impl Drop for Everywhere {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn where_others_can_reach_it_a_service_admits_guests_only_if_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let service = Everywhere::start(folder.path(), &[]);
    assert_eq!(service.1.post("/v1/guests", &json!({})).problem(403), "guests_not_offered");
    assert_eq!(service.1.get("/v1/log").expect_status(200)["guests"], false);
    let tables = service.1.get("/v1/tables?limit=50").expect_status(200);
    assert!(tables["tables"].items().all(|table| table["chips"] == "credited"));
    drop(service);
    // If configured, it opens tables for them, also at a later start.
    let service = Everywhere::start(folder.path(), &["--guests", "true"]);
    service.1.post("/v1/guests", &json!({})).expect_status(201);
    assert_eq!(service.1.get("/v1/tables/play.joy-1").expect_status(200)["chips"], "play");
    // The tables of before were put in order first: a log that opens others meanwhile hides theirs.
    audit(&service.1);
    drop(service);
    // Others can also reach a service that listens only here, behind a proxy.
    let service = Service::start(folder.path(), &["--trusted-proxy", "127.0.0.9"]);
    assert_eq!(service.anyone().post("/v1/guests", &json!({})).problem(403), "guests_not_offered");
}

#[test]
fn so_many_guests_come_from_an_address_and_so_many_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &["--guests-per-address", "3"]);
    (0..3).for_each(|_| drop(admit(&service)));
    let refused = service.anyone().post("/v1/guests", &json!({}));
    assert_eq!(refused.problem(429), "too_many_guests");
    assert!(refused.header("retry-after").is_some());
    drop(service);
    let service = Service::start(folder.path(), &["--max-guests", "4"]);
    admit(&service);
    let refused = service.anyone().post("/v1/guests", &json!({}));
    assert_eq!(refused.problem(429), "too_many_guests");
    assert!(refused.header("retry-after").is_some());
}

/// Attack: a few addresses take every place there is, and keep it.
#[test]
fn the_last_places_are_for_those_whose_address_holds_none() {
    let options = ["--trusted-proxy", "127.0.0.1", "--guests", "true", "--max-guests", "8"];
    let service = Service::fresh(&options);
    let ask = |address: &str| service.anyone().post_with("/v1/guests", &json!({}), &[("x-forwarded-for", address)]);
    (0..6).for_each(|_| drop(ask("192.0.2.1").expect_status(201)));
    let refused = ask("192.0.2.1");
    assert_eq!(refused.problem(429), "too_many_guests");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() <= 61, "a minute, and no hour");
    for newcomer in ["198.51.100.1", "203.0.113.1"] {
        ask(newcomer).expect_status(201);
    }
    assert_eq!(ask("203.0.113.2").problem(429), "too_many_guests");
}

#[test]
fn a_listed_origin_reads_replies_and_no_other_does() {
    let folder = tempfile::tempdir().unwrap();
    let origin = "https://casino.example";
    let service = Service::start(folder.path(), &["--cors-origins", origin, "--cors-origins", "http://localhost:3000"]);
    let ask = |method: &str, path: &str, headers: &str| raw(&service, method, path, headers);
    let preflight = "access-control-request-method: POST\r\naccess-control-request-headers: authorization\r\n";
    for known in [origin, "http://localhost:3000"] {
        let reply = ask("OPTIONS", "/v1/tables", &format!("origin: {known}\r\n{preflight}"));
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (204, Some(known)));
        assert_eq!(reply.header("access-control-allow-methods"), Some("GET, HEAD, POST, DELETE"));
        assert!(reply.header("access-control-allow-headers").unwrap().contains("authorization"));
        let reply = ask("GET", "/v1/log", &format!("origin: {known}\r\n"));
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, Some(known)));
        // An error can be read, too.
        let reply = ask("GET", "/v1/tables/none", &format!("origin: {known}\r\n"));
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (404, Some(known)));
        for reply in [ask("GET", "/v1/log", &format!("origin: {known}\r\n")), ask("GET", "/v1/log", "")] {
            assert_eq!(reply.header("vary"), Some("origin"));
            assert_eq!(reply.header("access-control-allow-credentials"), None);
        }
    }
    for stranger in ["https://casino.example.evil", "http://casino.example", "https://casino.example:444", "null", "*"]
    {
        let reply = ask("OPTIONS", "/v1/tables", &format!("origin: {stranger}\r\n{preflight}"));
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (405, None), "{stranger}");
        let reply = ask("GET", "/v1/log", &format!("origin: {stranger}\r\n"));
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, None), "{stranger}");
    }
    drop(service);
    // Off by default.
    let service = Service::start(folder.path(), &[]);
    let reply = raw(&service, "OPTIONS", "/v1/tables", &format!("origin: {origin}\r\n{preflight}"));
    assert_eq!(reply.status, 405);
    let reply = raw(&service, "GET", "/v1/log", &format!("origin: {origin}\r\n"));
    assert_eq!((reply.header("access-control-allow-origin"), reply.header("vary")), (None, None));
    drop(service);
    for wrong in ["*", "casino.example", "https://casino.example/", "https://Casino.example", "https://", "null"] {
        let failed = Service::try_start(folder.path(), &["--cors-origins", wrong]);
        assert!(failed.is_err_and(|said| said.contains("--cors-origins")), "{wrong}");
    }
}
