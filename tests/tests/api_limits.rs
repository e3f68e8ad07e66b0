//! The limits that protect the service: rates, sizes, times, a full disk, a graceful stop; and its status reports.

use fairshoe_tests::wire::{Wire, eventually};
use fairshoe_tests::{Client, Json, Pen, PlacedBet, Player, Service, policy, verify_receipt, whole_log};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read as _};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn requests_without_a_token_are_limited_by_address_and_others_by_token() {
    let service = Service::fresh(&["--address-rate", "5", "--token-rate", "20"]);
    let alice = service.player("alice", 10);
    let bob = service.player("bob", 10);
    let nobody = service.anyone();
    let limited_to = |ask: &dyn Fn() -> fairshoe_tests::Reply| {
        let refused = (0..200).map(|_| ask()).find(|reply| reply.status == 429).expect("no limit in 200 requests");
        assert_eq!(refused.problem(429), "rate_limited");
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=3600).contains(&wait));
        wait
    };
    let limited = |client: &Client, path: &str| limited_to(&|| client.get(path));
    let wait = limited(&nobody, "/v1/log");
    // Every path counts, also with tokens that are not in force. A refusal takes a quarter of a second, in which the
    // address regains one request.
    limited(&service.client(Some(&"00".repeat(32))), "/v1/log");
    for path in ["/metrics", "/v1/names", "/v1/cluster", "/", "/verify", "/openapi.yaml", "/no/such/path"] {
        limited(&nobody, path);
    }
    // An operator's health checks do not count, nor do clients with a token.
    assert_eq!(nobody.get("/healthz").status, 200);
    assert_eq!(nobody.get("/readyz").status, 200);
    limited(&nobody, "/readyz");
    alice.client.get("/v1/log").expect_status(200);
    limited(&alice.client, "/v1/players/alice");
    limited_to(&|| alice.client.post("/v1/tables/joy-1/bets", &json!({})));
    bob.client.get("/v1/players/bob").expect_status(200);
    std::thread::sleep(Duration::from_secs(wait + 1));
    nobody.get("/v1/log").expect_status(200);
    assert_eq!(alice.balance(), 10);
}

/// Attack: few requests for the longest reply that there is.
#[test]
fn a_long_reply_counts_once_more_for_each_64_kib() {
    // Twenty at once; the contract is longer than fourteen times 64 KiB.
    let service = Service::fresh(&["--address-rate", "10"]);
    let (alice, nobody) = (service.player("alice", 0), service.anyone());
    let ask = |client: &Client| client.send("GET", "/openapi.yaml", None, &[("accept-encoding", "identity")]).unwrap();
    let first = ask(&nobody);
    assert!(first.status == 200 && first.body.len() > 14 << 16, "{} of {} bytes", first.status, first.body.len());
    let refused =
        (0..3).map(|_| ask(&nobody)).find(|reply| reply.status != 200).expect("a fourth within three seconds");
    assert_eq!(refused.problem(429), "rate_limited");
    nobody.get("/v1/log").expect_status(200);
    assert!((0..4).all(|_| ask(&alice.client).status == 200), "a holder of a token is counted by requests");
}

/// Attack: connections that are opened, say nothing and are dropped: no request is counted.
#[test]
fn an_address_opens_so_many_connections_a_second() {
    let service = Service::fresh(&["--address-rate", "1", "--connections-per-address", "0"]);
    let begun = Instant::now();
    let to = service.url.strip_prefix("http://").unwrap();
    let open: Vec<TcpStream> = (0..600).map(|_| TcpStream::connect(to).unwrap()).collect();
    std::thread::sleep(Duration::from_secs(1));
    let is_open = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        stream.read(&mut [0; 1]).is_err_and(|failure| failure.kind() == ErrorKind::WouldBlock)
    };
    let taken = open.iter().filter(|stream| is_open(stream)).count();
    // Without TLS it is a hundred a second at least, and twice as many at once.
    let most = 200 + 100 * (1 + begun.elapsed().as_secs() as usize);
    assert!((200..=most.min(500)).contains(&taken), "{taken} of 600 in {:?}", begun.elapsed());
    let mut late = Wire::connect(&service.url, PATIENCE);
    late.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(late.reply().expect("there is room again").status, 200);
}

/// Fifty browsers behind one address load the page at once: a page does not work if one file is missing. A stranger who
/// continues gets no more than that.
#[test]
fn the_pages_files_come_for_many_behind_one_address() {
    let service = Service::fresh(&["--address-rate", "5"]);
    let nobody = service.anyone();
    let page = nobody.get("/").text();
    let files: Vec<&str> = page.split('"').filter(|path| path.starts_with("/page/")).collect();
    assert!((5..100).contains(&files.len()), "{files:?}");
    let asks = files.iter().cycle().take(5_000);
    for path in asks.clone() {
        assert_eq!(nobody.get(path).status, 200, "{path}");
    }
    assert!(asks.take(1_000).any(|path| nobody.get(path).status == 429));
    nobody.get("/v1/log").expect_status(200);
}

/// All tokens of a holder share one limit: otherwise a holder could make new tokens to avoid it.
#[test]
fn a_player_with_many_tokens_has_one_limit() {
    let service = Service::fresh(&["--token-rate", "10", "--address-rate", "0"]);
    let alice = service.player("alice", 10);
    let own = |n: usize| {
        let made = alice.client.post("/v1/players/alice/tokens", &json!({}));
        service.client(Some(made.expect_status(201)["token"].as_str().unwrap_or_else(|| panic!("token {n}"))))
    };
    let all: Vec<_> = (0..8).map(own).collect();
    let begun = Instant::now();
    let (mut answered, mut limited) = (0u32, 0u32);
    while begun.elapsed() < Duration::from_secs(2) {
        for client in &all {
            match client.get("/v1/players/alice").status {
                200 => answered += 1,
                status => limited += u32::from(status == 429),
            }
        }
    }
    assert!(limited > 0 && answered <= 20 + 10 * 4, "{answered} answered, {limited} limited");
}

#[test]
fn a_proxy_that_is_named_says_where_requests_come_from_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--address-rate", "5", "--token-rate", "0"];
    let service = Service::start(folder.path(), &[&limits[..], &["--trusted-proxy", "127.0.0.1"]].concat());
    let nobody = service.anyone();
    let from = |hops: &str| nobody.send("GET", "/v1/log", None, &[("x-forwarded-for", hops)]).unwrap().status;
    assert!((0..100).any(|_| from("192.0.2.1") == 429));
    // A client's own header before the proxy's has no effect; another client has its own limit.
    assert_eq!(from("192.0.2.2"), 200);
    assert!((0..100).any(|n| from(&format!("198.51.100.{n}, 192.0.2.3")) == 429));
    assert_eq!(from("192.0.2.4"), 200);
    assert_eq!(service.stop(), Some(0));

    let service = Service::start(folder.path(), &limits);
    let nobody = service.anyone();
    let from = |hops: &str| nobody.send("GET", "/v1/log", None, &[("x-forwarded-for", hops)]).unwrap().status;
    assert!((0..100).any(|n| from(&format!("192.0.2.{n}")) == 429), "a header that nobody vouches for");
}

/// Attack: a player opens and closes tables without end, each time with some entries and never a round.
#[test]
fn what_a_player_makes_beside_play_is_counted_by_the_hour() {
    let service = Service::fresh(&["--player-entries", "6"]);
    let (alice, bob) = (service.player("alice", 100), service.player("bob", 100));
    for _ in 0..6 {
        let table = alice.open_table();
        alice.client.post(&format!("/v1/tables/{table}/close"), &json!({})).expect_status(200);
    }
    let size = whole_log(&alice.client).len();
    let refusal = alice.client.post("/v1/tables", &json!({ "rules": "joy" }));
    assert_eq!(refusal.problem(429), "rate_limited");
    let wait: u64 = refusal.header("retry-after").unwrap().parse().unwrap();
    assert!((3500..=3600).contains(&wait), "{wait}");
    assert!(refusal.json()["detail"].as_str().unwrap().contains("UTC milliseconds"));
    assert_eq!(alice.client.post("/v1/players/alice/tokens", &json!({})).problem(429), "rate_limited");
    assert_eq!(whole_log(&alice.client).len(), size, "a refusal is no entry");
    // Play continues, and for others everything works.
    alice.play("joy-1", 1);
    bob.open_table();
    service.operator().post("/v1/players/alice/tokens", &json!({})).expect_status(201);
}

/// Attack: a player fills the disk with rounds, as fast as a machine can play them.
#[test]
fn whoever_played_what_an_hour_allows_finishes_and_begins_nothing() {
    let service = Service::fresh(&["--player-mib", "1", "--token-rate", "0"]);
    let (alice, bob) = (service.player("alice", 1_000_000), service.player("bob", 1_000));
    let own = alice.open_table();
    let open = alice.open_round(&own, 1);
    let refused = (0..5_000).find_map(|_| {
        let (request, seed) = alice.bet_body("joy-1", 1);
        let reply = alice.client.post("/v1/tables/joy-1/bets", &request);
        if reply.status != 200 {
            return Some(reply);
        }
        let (round, reply) = (reply.json()["round"]["id"].text(), reply.json());
        alice.stand_out(alice.reveal(&PlacedBet { round, seed, request, reply }));
        None
    });
    let refused = refused.expect("a megabyte of rounds");
    assert_eq!(refused.problem(429), "rate_limited");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((3000..=3600).contains(&wait), "{wait}");
    let written: usize = whole_log(&bob.client).iter().map(String::len).sum();
    assert!((1 << 20..2 << 20).contains(&written), "{written} bytes");
    // Started rounds are finished, their chips come back, and others play.
    let view = alice.client.get(&format!("/v1/rounds/{}", open.round)).expect_status(200);
    alice.stand_out(view);
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({})).expect_status(200);
    assert_eq!(bob.play("joy-1", 1)["round"]["phase"], "settled");
}

/// Attack: a thief of a token uses up the hour's quota, so that its owner can neither revoke it nor get their chips
/// from a table.
#[test]
fn whoever_used_the_hour_up_can_still_take_everything_back() {
    let service = Service::fresh(&["--player-entries", "5"]);
    let alice = service.player("alice", 30_000);
    alice.client.post("/v1/tables/holdem-1/seat", &json!({ "buy_in": 8000 })).expect_status(200);
    let tables: Vec<String> = (0..4).map(|_| alice.open_table()).collect();
    let spent = || alice.client.post("/v1/tables", &json!({ "rules": "joy-own" })).problem(429);
    assert_eq!(spent(), "rate_limited");
    alice.client.post("/v1/tables/holdem-1/sit_out", &json!({})).expect_status(200);
    alice.client.delete("/v1/tables/holdem-1/seat").expect_status(200);
    assert_eq!(alice.balance(), 30_000);
    for table in &tables {
        alice.client.post(&format!("/v1/tables/{table}/close"), &json!({})).expect_status(200);
    }
    assert_eq!(spent(), "rate_limited", "what was taken back is not given again");
    let stolen = alice.client.clone();
    let fresh = alice.client.post("/v1/players/alice/tokens", &json!({ "revoke": true })).expect_status(201);
    assert_eq!(stolen.get("/v1/players/alice").status, 401);
    let own = service.client(fresh["token"].as_str());
    let key = Pen::new("example.com/log", "alice", 7).key();
    own.post("/v1/players/alice/key", &json!({ "key": key })).expect_status(200);
}

/// Resident memory of the process, in bytes.
fn resident(service: &Service) -> u64 {
    let pages = std::fs::read_to_string(format!("/proc/{}/statm", service.pid())).unwrap();
    pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Attack: accounts that open tables and never play. A table of eight decks cost 85 KiB: its shoe and the next one,
/// prepared, and a copy of the rules.
#[test]
fn a_table_where_nobody_plays_costs_less_than_20_kib() {
    // Other work of the machine (a flush of the store, an allocator's arena) can only add to it: the lowest value
    // counts.
    let least = (0..6).map(|_| bytes_a_table()).find(|each| *each < 20 * 1024);
    assert!(least.is_some(), "six times more than 20 KiB");
}

/// The lowest value in two seconds: a batch's memory is returned by then.
fn at_rest(service: &Service) -> u64 {
    let looks = (0..20).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        resident(service)
    });
    looks.min().unwrap_or_default()
}

fn bytes_a_table() -> u64 {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    // A player's connection is closed before the next one opens: connections are not measured here.
    let open = |players: std::ops::Range<usize>| {
        std::thread::scope(|scope| {
            for part in 0..2 {
                let (numbers, service) = (players.clone().skip(part).step_by(2), &service);
                scope.spawn(move || {
                    for number in numbers {
                        let player = service.player(&format!("p-{number}"), 0);
                        for _ in 0..4 {
                            player.client.post("/v1/tables", &json!({ "rules": "rng-blackjack" })).expect_status(201);
                        }
                    }
                });
            }
        });
    };
    // So many that the allocator's per-thread memory already exists and has little weight.
    open(0..150);
    let before = at_rest(&service);
    let players = if fairshoe_tests::slow() { 1500 } else { 500 };
    open(150..150 + players);
    let each = at_rest(&service).saturating_sub(before) / (4 * players as u64);
    println!("{each} bytes resident for each of {} tables", 4 * players);
    each
}

#[test]
fn a_rate_of_zero_is_no_limit() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let nobody = service.anyone();
    assert!((0..2000).all(|_| nobody.get("/checkpoint").status == 200));
}

#[test]
fn bodies_are_cut_off_by_size_and_by_time() {
    let service = Service::fresh(&[]);
    let operator = service.operator();
    let size = whole_log(&operator).len();
    for bytes in [64 * 1024 + 1, 1 << 20, 3 << 20] {
        let body = vec![b' '; bytes];
        let reply = operator.send("POST", "/v1/players", Some(&body), &[("content-type", "application/json")]).unwrap();
        assert_eq!(reply.problem(413), "body_too_large", "{bytes} bytes");
    }
    let verify = operator
        .send("POST", "/v1/verify", Some(&vec![b' '; (2 << 20) + 1]), &[("content-type", "application/json")])
        .unwrap();
    assert_eq!(verify.problem(413), "body_too_large");
    // Chunked, without a length, for ever: it is refused, and further data takes no memory.
    let mut wire = Wire::connect(&service.url, PATIENCE);
    wire.send(
        b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 65536], b"\r\n"].concat();
    let resident = || -> u64 {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", service.pid())).unwrap();
        pages.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let before = resident();
    let sent = (0..2000).take_while(|_| wire.send(&chunk)).count();
    assert!(
        sent > 32 && resident() < before + (32 << 20),
        "{sent} chunks, {} bytes resident, {before} before",
        resident()
    );
    assert_eq!(wire.reply().unwrap().problem(413), "body_too_large");
    // A slow one, like from a phone on a bad line.
    let mut phone = Wire::connect(&service.url, Duration::from_secs(30));
    let comes = std::thread::spawn({
        let (mut phone, token) = (phone.clone(), service.operator_token());
        let body = format!("{:<24000}", r#"{"player":"phone"}"#);
        let head = format!(
            "POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        phone.send(head.as_bytes());
        move || {
            body.as_bytes().chunks(1000).all(|piece| {
                std::thread::sleep(Duration::from_millis(500));
                phone.send(piece)
            })
        }
    });
    // A body that does not arrive.
    let begun = Instant::now();
    let mut slow = Wire::connect(&service.url, Duration::from_secs(30));
    slow.send(
        format!(
            "POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\nContent-Length: 100\r\n\r\n{{",
            service.operator_token()
        )
        .as_bytes(),
    );
    assert_eq!(slow.reply().unwrap().problem(400), "malformed");
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert!(comes.join().unwrap());
    phone.reply().unwrap().expect_status(201);
    // A head that does not arrive.
    let mut head = Wire::connect(&service.url, Duration::from_secs(30));
    head.send(b"GET /v1/log HTTP/1.1\r\nHost:");
    assert_eq!(head.reply().unwrap().problem(408), "request_timeout");
    assert_eq!(whole_log(&operator).len(), size + 1, "the phone's player");
}

#[test]
fn a_full_disk_refuses_what_begins_and_finishes_what_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &[]);
    let alice = service.player("alice", 100);
    let own = alice.open_table();
    let played = alice.bet(&own, 1);
    alice.stand_out(alice.reveal(&played));
    let placed = alice.bet("joy-1", 10);
    service.kill();
    let service = Service::start(folder.path(), &["--min-free-mib", "1000000000000"]);
    let alice = Player { client: service.client(Some(&alice.token)), ..alice };
    let operator = service.operator();
    let key = [("idempotency-key", "k")];
    let credit = |key: &str| {
        operator.post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), &[("idempotency-key", key)])
    };
    // It checks about once a second.
    eventually("the look at the free space", || {
        let key = format!("look-{}", operator.get("/v1/log").json()["size"]);
        credit(&key).status == 503
    });
    let full = |reply: &fairshoe_tests::Reply| {
        assert_eq!(reply.problem(503), "disk_full");
        assert!(reply.header("retry-after").is_some());
    };
    full(&credit("k"));
    full(&operator.post("/v1/players", &json!({ "player": "new" })));
    full(&operator.post("/v1/auditors", &json!({ "name": "new" })));
    full(&alice.client.post("/v1/tables", &json!({ "rules": "joy" })));
    full(&alice.client.post(&format!("/v1/tables/{own}/bets"), &alice.bet_body(&own, 1).0));
    // Logged requests still repeat, open rounds are finished, and chips may leave.
    let again = alice.client.post("/v1/tables/joy-1/bets", &placed.request).expect_status(200);
    assert_eq!(again["receipts"][0]["index"], placed.reply["receipts"][0]["index"]);
    alice.stand_out(alice.reveal(&placed));
    let left = alice.balance();
    operator.post_with("/v1/players/alice/withdraw", &json!({ "amount": left }), &key).expect_status(200);
    alice.client.post(&format!("/v1/tables/{own}/close"), &json!({})).expect_status(200);
}

#[test]
fn a_graceful_stop_under_load_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let service = Service::start(folder.path(), &["--address-rate", "0"]);
        let operator = service.operator();
        let marker = operator.get("/v1/log").expect_status(200)["size"].clone();
        let players: Vec<Player> = (0..6).map(|n| service.player(&format!("p-{marker}-{n}"), 10_000)).collect();
        let tables: Vec<String> = players.iter().map(Player::open_table).collect();
        let acknowledged = Mutex::new(Vec::<Value>::new());
        let (others, stopping) = (Mutex::new(Vec::<u16>::new()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for (player, table) in players.iter().zip(&tables) {
                let (acknowledged, others, stopping) = (&acknowledged, &others, &stopping);
                scope.spawn(move || {
                    let send = |path: &str, body: &Value| -> Option<Value> {
                        let reply = player.client.try_post(path, body)?;
                        if reply.status == 200 {
                            acknowledged.lock().unwrap().push(reply.json()["receipts"][0].clone());
                            return Some(reply.json());
                        }
                        others.lock().unwrap().push(reply.status);
                        None
                    };
                    let mut round_no = 0;
                    while !stopping.load(Ordering::Relaxed) || round_no == 0 {
                        let Ok((body, seed)) = catch_unwind(AssertUnwindSafe(|| player.bet_body(table, 1))) else {
                            return;
                        };
                        round_no += 1;
                        let Some(placed) = send(&format!("/v1/tables/{table}/bets"), &body) else { return };
                        let id = placed["round"]["id"].text();
                        let body = json!({ "player": player.name.as_str(), "seed": seed.to_string() });
                        let Some(mut reply) = send(&format!("/v1/rounds/{id}/reveals"), &body) else { return };
                        while let Some(open) = reply["round"]["decisions"].get(0) {
                            let insurance = open["options"][0]["action"] == "insurance";
                            let action =
                                if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
                            let body = json!({ "decision": open["decision"], "action": action });
                            let Some(next) = send(&format!("/v1/rounds/{id}/actions"), &body) else { return };
                            reply = next;
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(600));
            let code = service.stop();
            stopping.store(true, Ordering::Relaxed);
            assert_eq!(code, Some(0));
        });
        assert!(others.lock().unwrap().iter().all(|status| *status == 503), "while it stops it says so: {others:?}");
        let acknowledged = acknowledged.into_inner().unwrap();
        assert!(acknowledged.len() > 20, "{} acknowledged", acknowledged.len());
        let service = Service::start(folder.path(), &["--address-rate", "0"]);
        let client = service.anyone();
        let policy = policy(&client);
        for receipt in &acknowledged {
            verify_receipt(&policy, receipt);
            assert_eq!(
                client.get(&format!("/v1/entries/{}", receipt["index"])).text(),
                receipt["entry"].as_str().unwrap()
            );
        }
        assert_eq!(service.stop(), Some(0));
    }
}

#[test]
fn health_readiness_and_metrics_say_numbers_and_no_names() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let alice = service.player("alice-with-a-name", 1000);
    alice.play("joy-1", 10);
    alice.client.get("/v1/nothing");
    let nobody = service.anyone();
    let health = nobody.get("/healthz");
    assert_eq!((health.status, health.text().as_str()), (200, "ok"));
    let size = nobody.get("/v1/log").expect_status(200)["size"].clone();
    assert_eq!(
        nobody.get("/readyz").expect_status(200),
        json!({ "ready": true, "bets": true, "size": size, "reason": null })
    );
    let text = nobody.get("/metrics").text();
    assert!(text.ends_with("# EOF\n"));
    let mut values = std::collections::BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        let (family, labels) = name.split_once('{').unwrap_or((name, "}"));
        assert!(
            family.starts_with("fairshoe_") && family.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
            "{line}"
        );
        for label in labels.trim_end_matches('}').split(',').filter(|label| !label.is_empty()) {
            let (label, value) = label.split_once('=').unwrap();
            assert!(["status", "code", "le"].contains(&label), "{line}");
            assert!(value.starts_with('"') && value.ends_with('"'));
        }
        values.insert(name.to_owned(), value);
    }
    assert_eq!(values["fairshoe_log_size"], size.as_f64().unwrap());
    assert_eq!(
        (values["fairshoe_players"], values["fairshoe_open_tables"], values["fairshoe_rounds"]),
        // One of each game, for credited chips and for play chips.
        (1.0, 22.0, 1.0)
    );
    assert_eq!(values["fairshoe_problems_total{code=\"not_found\"}"], 1.0);
    assert!(values["fairshoe_http_replies_total{status=\"200\"}"] >= 4.0);
    for name in ["alice", "joy-1", &alice.token] {
        assert!(!text.contains(name), "{name}");
    }
}
