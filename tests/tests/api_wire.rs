//! Bytes that are no HTTP/1.1 request get a problem like every refusal, and earlier requests on the connection are
//! answered.

use fairshoe_tests::contract::Contract;
use fairshoe_tests::wire::{Wire, eventually};
use fairshoe_tests::{Reply, Service};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

const GARBAGE: &str = "\u{1}\u{2}\u{3} no request\r\n\r\n";

fn sent(service: &Service, bytes: &str) -> Wire {
    let mut wire = Wire::connect(&service.url, PATIENCE);
    wire.send(bytes.as_bytes());
    wire
}

/// The last reply of a connection: a problem of the contract, with this status and code, and then the end.
fn last(wire: &mut Wire, contract: &Contract, status: u16, code: &str, what: &str) {
    let reply = wire.reply().unwrap_or_else(|| panic!("{what}: no reply"));
    assert_eq!(reply.problem(status), code, "{what}");
    assert_eq!(
        contract.violations(&json!({ "$ref": "#/components/schemas/Problem" }), &reply.json()),
        [""; 0],
        "{what}"
    );
    let problem = reply.json();
    assert_eq!(
        (&problem["status"], &problem["type"]),
        (&json!(status), &json!(format!("urn:fairshoe:error:{code}"))),
        "{what}"
    );
    assert_eq!(reply.header("content-length").unwrap(), reply.body.len().to_string(), "{what}");
    assert_eq!(
        (reply.header("connection"), reply.header("cache-control")),
        (Some("close"), Some("no-store")),
        "{what}"
    );
    assert!(reply.header("date").unwrap().ends_with(" GMT"), "{what}");
    assert!(wire.head().is_none(), "{what}: something follows the last reply");
}

#[test]
fn what_is_no_request_gets_a_problem_of_the_contract() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let contract = Contract::load();
    let many: String = (0..97).map(|n| format!("X-{n}: 1\r\n")).collect();
    let long = |bytes| "a".repeat(bytes);
    let heads: [(&str, String, u16, &str); 17] = [
        ("no request", GARBAGE.into(), 400, "malformed"),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0".into(), 400, "malformed"),
        ("no version", "GET /\r\n\r\n".into(), 400, "malformed"),
        ("no such version", "GET / HTTP/3.7\r\nHost: x\r\n\r\n".into(), 400, "malformed"),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), 400, "malformed"),
        ("no host", "GET /v1/log HTTP/1.1\r\n\r\n".into(), 400, "malformed"),
        ("two hosts", "GET /v1/log HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".into(), 400, "malformed"),
        ("no header", "GET /v1/log HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n".into(), 400, "malformed"),
        ("a header's name", "GET /v1/log HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n".into(), 400, "malformed"),
        ("a length", "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: x\r\n\r\n".into(), 400, "malformed"),
        (
            "two lengths",
            "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}".into(),
            400,
            "malformed",
        ),
        ("a coding", "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip\r\n\r\n".into(), 400, "malformed"),
        ("HEAD", "HEAD /checkpoint HTTP/1.1\r\n\r\n".into(), 400, "malformed"),
        ("a path too long", format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", long(70_000)), 431, "head_too_large"),
        ("too many headers", format!("GET /v1/log HTTP/1.1\r\nHost: x\r\n{many}\r\n"), 431, "head_too_large"),
        ("a head a little too long", format!("GET /v1/log HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", long(33_000)), 431, "head_too_large"),
        // More than the parser reads: the rest must not cost the client the reply.
        ("too long a head", format!("GET /v1/log HTTP/1.1\r\nHost: x\r\nX: {}", long(600_000)), 431, "head_too_large"),
    ];
    for (what, bytes, status, code) in &heads {
        last(&mut sent(&service, bytes), &contract, *status, code, what);
    }
    // An HTTP/1.0 request gets an HTTP/1.0 reply.
    let mut old = sent(&service, "POST /v1/verify HTTP/1.0\r\nContent-Type: application/json\r\n\r\n");
    last(&mut old, &contract, 400, "malformed", "HTTP/1.0");
    // A head that does not arrive, and an empty connection.
    let begun = Instant::now();
    let (mut half, mut none) = (sent(&service, "GET /v1/log HTTP/1.1\r\nHost:"), sent(&service, ""));
    // One that arrives byte by byte, after an answered request.
    let mut second = sent(&service, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/log HTTP/1.1\r\nHost: ");
    assert_eq!(second.reply().unwrap().text(), "ok");
    let mut sender = second.clone();
    let sends = std::thread::spawn(move || {
        (0..25).all(|_| {
            std::thread::sleep(Duration::from_millis(500));
            sender.send(b"x")
        })
    });
    last(&mut half, &contract, 408, "request_timeout", "half a head");
    last(&mut none, &contract, 408, "request_timeout", "no head");
    last(&mut second, &contract, 408, "request_timeout", "a second head");
    assert!(begun.elapsed() > Duration::from_secs(8));
    let _ = sends.join();
    // They are counted like others.
    let text = service.anyone().get("/metrics").text();
    for (code, count) in [("malformed", 14), ("head_too_large", 4), ("request_timeout", 3)] {
        assert!(text.contains(&format!("fairshoe_problems_total{{code=\"{code}\"}} {count}\n")), "{code}: {text}");
    }
    for (status, count) in [(400, 14), (431, 4), (408, 3)] {
        assert!(
            text.contains(&format!("fairshoe_http_replies_total{{status=\"{status}\"}} {count}\n")),
            "{status}: {text}"
        );
    }
}

/// Attack on ourselves: the parser's reply replaces the end of a handler's, or an earlier request is dropped.
#[test]
fn requests_before_one_that_is_none_are_answered_unharmed() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let (operator, contract) = (service.operator(), Contract::load());
    let alice = service.player("alice", 1_000);
    // A reply whose body contains these bytes, as the last one before the parser's own.
    let reason = "HTTP/1.1 400 Bad Request";
    let corrected = operator.post_with(
        "/v1/players/alice/correct",
        &json!({ "amount": 1, "reason": reason }),
        &[("idempotency-key", "k")],
    );
    let index = corrected.expect_status(200)["receipts"][0]["index"].clone();
    let entry = format!("/v1/entries/{index}");
    assert!(operator.get(&entry).text().contains(reason));
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    let paths = [
        "/checkpoint",
        &entry,
        "/v1/log",
        "/verify",
        "/openapi.yaml",
        "/healthz",
        "/v1/tables/joy-1",
        "/nothing",
        "/tile/0/x000",
    ];
    let alone = |path: &str| sent(&service, &get(path)).reply().unwrap();
    // Without the signatures of a checkpoint: the log renews its time while these requests are sent.
    let unsigned = |reply: &Reply| {
        let text = reply.text();
        let cut = ["\n\n\u{2014} ", "\\n\\n\u{2014} "].iter().find_map(|start| text.split_once(start));
        let Some((signed, signatures)) = cut else { return reply.body.clone() };
        let behind = signatures.find('"').map_or("", |end| &signatures[end..]);
        format!("{signed}{behind}").into_bytes()
    };
    let same = |got: &Reply, path: &str| {
        let expected = alone(path);
        assert_eq!((got.status, unsigned(got)), (expected.status, unsigned(&expected)), "{path}");
    };
    for path in paths {
        let mut wire = sent(&service, &format!("{}{GARBAGE}", get(path)));
        same(&wire.reply().unwrap(), path);
        last(&mut wire, &contract, 400, "malformed", path);
        // As many as actix queues, and the last of them is the end.
        let mut wire = sent(&service, &format!("{}{GARBAGE}", get(path).repeat(12)));
        for _ in 0..12 {
            same(&wire.reply().unwrap(), path);
        }
        last(&mut wire, &contract, 400, "malformed", path);
    }
    let mut wire = sent(&service, &format!("{}{GARBAGE}", paths.map(get).concat()));
    for path in paths {
        same(&wire.reply().unwrap(), path);
    }
    last(&mut wire, &contract, 400, "malformed", "all of them");
    // A reply without a body, and one to HEAD.
    for path in ["/checkpoint", "/nothing"] {
        let mut wire = sent(&service, &format!("HEAD {path} HTTP/1.1\r\nHost: x\r\n\r\n{GARBAGE}"));
        let head = wire.head().unwrap();
        assert_eq!((head.status, head.header("content-length").is_some()), (alone(path).status, true), "{path}");
        last(&mut wire, &contract, 400, "malformed", path);
    }
    // A bet: a binding request is answered, whatever follows it.
    let body = alice.bet_body("joy-1", 5).0.to_string();
    let token = &alice.token;
    let bet = format!(
        "POST /v1/tables/joy-1/bets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut wire = sent(&service, &format!("{bet}{GARBAGE}"));
    let placed = wire.reply().unwrap().expect_status(200);
    assert_eq!(placed["round"]["phase"], "awaiting_reveals");
    last(&mut wire, &contract, 400, "malformed", "after a bet");
    // A body that cannot be read to its end: every reply says so.
    let broken = format!(
        "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\nzz\r\n"
    );
    let mut wire = sent(&service, &broken);
    let replies: Vec<Value> = std::iter::from_fn(|| wire.reply()).map(|reply| json!(reply.problem(400))).collect();
    assert!(!replies.is_empty() && replies.iter().all(|code| code == "malformed"), "{replies:?}");
}

/// A client of HTTP/1.0 knows no chunks: a reply without a length ends with the connection (RFC 9112, section 6.3).
#[test]
fn a_client_of_http_1_0_gets_no_chunks() {
    let service = Service::fresh(&[]);
    let old = |path: &str| sent(&service, &format!("GET {path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    let mut wire = old("/v1/tables/joy-1/events");
    let head = wire.head().unwrap();
    assert_eq!((head.status, head.header("transfer-encoding"), head.header("connection")), (200, None, None));
    // A reply with a length keeps the connection.
    let mut wire = old("/healthz");
    assert_eq!(wire.reply().unwrap().text(), "ok");
    assert!(wire.send(b"GET /healthz HTTP/1.0\r\n\r\n"));
    assert_eq!(wire.reply().unwrap().text(), "ok");
}

/// Attack: a path of 30,000 bytes, which the router tries against every pattern, for a millisecond and more.
#[test]
fn a_path_that_no_call_has_is_refused_before_it_is_looked_up() {
    let service = Service::fresh(&[]);
    for (target, status, code) in [
        (format!("/v1/tables/{}", "a".repeat(2000)), 400, "malformed"),
        (format!("/v1/tables/{}", "a".repeat(2048)), 431, "head_too_large"),
        (format!("/v1/tables?after={}", "a".repeat(30_000)), 431, "head_too_large"),
    ] {
        let reply = sent(&service, &format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")).reply().unwrap();
        assert_eq!(reply.problem(status), code, "{} bytes", target.len());
    }
}

/// Requests sent ahead are answered in order and completely, with bodies between them, for any packet boundaries.
#[test]
fn requests_sent_ahead_are_answered_in_their_order() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for n in 0..40 {
        let ask = match n % 8 {
            0 => "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
            1 => "\r\n\nGET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
            2 => "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{\n\n}".to_owned(),
            3 => {
                let body = " ".repeat(70_000);
                format!("POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            }
            4 => {
                let chunk = format!("{:x}\r\n{}\r\n", 9_000, "\n".repeat(9_000));
                let body = format!("{}0\r\nA: trailer\r\n\r\n", chunk.repeat(5));
                format!("POST /v1/verify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{body}")
            }
            5 => "GET /nothing HTTP/1.1\nHost: x\n\n".to_owned(),
            // Bodies that are never read.
            6 => "POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\n\n\r\n0\r\n\r\n"
                .to_owned(),
            _ => format!("GET /v1/log HTTP/1.1\r\nHost: x\r\nx: {}\r\n\r\n", "y".repeat(20_000)),
        };
        all.push(ask.clone().into_bytes());
        expected.push(sent(&service, &ask).reply().unwrap().status);
    }
    for piece in [1 << 20, 8192, 1000, 17] {
        let mut answered = 0;
        while answered < all.len() {
            let (mut wire, bytes) = (Wire::connect(&service.url, Duration::from_secs(20)), all[answered..].concat());
            let mut sender = wire.clone();
            let sends = std::thread::spawn(move || bytes.chunks(piece).all(|piece| sender.send(piece)));
            loop {
                let reply = wire.reply().unwrap_or_else(|| panic!("no reply to request {answered}"));
                assert_eq!(reply.status, expected[answered], "request {answered}, {piece} bytes at a time");
                answered += 1;
                // A reply may be marked as the connection's last; later requests are sent again.
                if answered == all.len() || reply.header("connection") == Some("close") {
                    break;
                }
            }
            drop(wire);
            let _ = sends.join();
        }
    }
}

/// A refusal before the body was read does not cost the connection if the body is small and arrives: the next request
/// is answered.
#[test]
fn what_is_refused_before_its_small_body_came_costs_no_connection() {
    let service = Service::fresh(&["--address-rate", "5"]);
    let mut wire = Wire::connect(&service.url, PATIENCE);
    let json = "Content-Type: application/json\r\n";
    let token = format!("{json}Authorization: Bearer {}\r\n", service.operator_token());
    let ask = |wire: &mut Wire, path: &str, headers: &str, body: &str, chunked: bool| {
        let framing =
            if chunked { "Transfer-Encoding: chunked".into() } else { format!("Content-Length: {}", body.len()) };
        let body = if chunked { format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()) } else { body.to_owned() };
        wire.send(format!("POST {path} HTTP/1.1\r\nHost: x\r\n{headers}{framing}\r\n\r\n").as_bytes());
        // The head is read, and usually answered, before the body arrives.
        std::thread::sleep(Duration::from_millis(20));
        wire.send(body.as_bytes());
        let reply = wire.reply().unwrap_or_else(|| panic!("{path}: the connection is gone"));
        assert_eq!(reply.header("connection"), None, "{path}");
        reply.status
    };
    let large = " ".repeat((64 << 10) + 1);
    for chunked in [false, true] {
        assert_eq!(ask(&mut wire, "/nothing", json, "{}", chunked), 404);
        assert_eq!(ask(&mut wire, "/v1/players", &format!("{json}Authorization: Bearer x\r\n"), "{}", chunked), 401);
        assert_eq!(ask(&mut wire, "/v1/players", token.trim_start_matches(json), "{}", chunked), 415);
        assert_eq!(ask(&mut wire, "/v1/log", json, "{}", chunked), 405);
        assert_eq!(ask(&mut wire, "/v1/players", &token, &large, chunked), 413);
    }
    assert!((0..300).any(|_| ask(&mut wire, "/nothing", json, "{}", false) == 429));
    wire.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(wire.reply().unwrap().text(), "ok");
    // The service does not wait for a large body, or for one that does not arrive.
    for length in [70_000, 10] {
        let mut wire = sent(&service, &format!("POST /readyz HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"));
        let reply = wire.reply().unwrap();
        assert_eq!((reply.status, reply.header("connection")), (405, Some("close")), "{length} bytes");
    }
}

/// A client that ends sending still waits for its replies.
#[test]
fn whoever_sends_no_more_gets_the_reply_that_they_wait_for() {
    let service = Service::fresh(&["--address-rate", "2"]);
    service.player("alice", 0);
    let log = "GET /v1/log HTTP/1.1\r\nHost: x\r\n\r\n";
    let wait = "GET /v1/tables/joy-1/entries?from_seq=99999999&wait_ms=1000 HTTP/1.1\r\nHost: x\r\n\r\n";
    let body = r#"{"amount":1}"#;
    let credit = format!(
        "POST /v1/players/alice/credit HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
        service.operator_token(),
        body.len()
    );
    for ask in [wait, &credit, &credit.repeat(2), &log.repeat(2)] {
        let mut wire = sent(&service, ask);
        wire.says_no_more();
        for _ in 0..ask.matches("HTTP/1.1").count() {
            assert_eq!(wire.reply().unwrap_or_else(|| panic!("no reply to {ask}")).status, 200);
        }
        assert!(wire.rest().is_empty(), "and then the end");
    }
    // A client that waits for its refusal.
    let waits = (0..50).any(|_| {
        let mut wire = sent(&service, log);
        wire.says_no_more();
        wire.reply().expect("no reply").status == 429
    });
    assert!(waits, "no request too many in fifty");
}

/// A client that closes a stream frees its place at once, also with bytes sent behind the request.
#[test]
fn a_client_that_hangs_up_is_let_go() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let open = || {
        let text = service.anyone().get("/metrics").text();
        text.lines().find_map(|line| line.strip_prefix("fairshoe_event_streams ")).unwrap().parse::<u64>().unwrap()
    };
    let stream = |behind: usize| {
        let behind = "G".repeat(behind);
        let mut wire = sent(&service, &format!("GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\n\r\n{behind}"));
        assert_eq!(wire.head().unwrap().status, 200);
        wire
    };
    let streams: Vec<Wire> = (0..8).map(|n| stream(n * (4 << 10))).collect();
    eventually("eight streams", || open() == 8);
    let begun = Instant::now();
    drop(streams);
    eventually("the end of the streams", || open() == 0);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Behind more than is read nobody would see the end.
    let _wire = stream(64 << 10);
    eventually("the end of a stream whose client sends on", || open() == 0);
}
