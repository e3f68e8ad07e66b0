//! Strangers who hold or request as much as they can, while players play: no player's play is lost, and memory stays
//! within its budget. Each attack was made against an earlier build, which it slowed to a tenth or ended.

use fairshoe_tests::company::Company;
use fairshoe_tests::poker::passive;
use fairshoe_tests::wire::{Events, Frame, Wire, eventually, from};
use fairshoe_tests::witness::WitnessProcess;
use fairshoe_tests::{Json, Service, audit, binary, slow};
use fairshoe_tlog::Signer;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The budget that the services here are given, in MiB.
const BUDGET: u64 = 32;

/// Memory that each connection may hold outside the budget (src/server/src/edge/budget.rs), in KiB.
const PER_CONNECTION: u64 = 256;

/// Memory that a service may take for the work itself: replays, verifications, the log's own growth during play, in
/// MiB.
const WORK: u64 = 160;

fn seconds() -> u64 {
    if slow() { 20 } else { 2 }
}

/// A line of /proc/PID/status, in bytes.
pub fn memory(service: &Service, line: &str) -> u64 {
    memory_of(service.pid(), line)
}

fn memory_of(pid: u32, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let found = status.lines().find_map(|l| l.strip_prefix(line)).unwrap_or_else(|| panic!("no {line} in {status}"));
    found.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

/// Programs that play 200 requests a second from 127.0.0.1.
pub fn players(service: &Service, seconds: u64) -> Child {
    Command::new(binary("fairshoe-load"))
        .args([
            "--url",
            &service.url,
            "--players",
            "8",
            "--rate",
            "200",
            "--json",
            "--seconds",
            &seconds.to_string(),
            "--token-file",
        ])
        .arg(service.data.join("operator.token"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The programs' result: no loss, every check passed; requests a second, median and 99th percentile in microseconds.
pub fn played(what: &str, players: Child) -> (u64, u64, u64) {
    let output = players.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{what}: {said}{}", String::from_utf8_lossy(&output.stdout));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["ok"], &report["lost"]), (&Value::Bool(true), &json!(0)), "{what}: {report}");
    let number = |value: &Value| value.int();
    (number(&report["requests_per_second"]), number(&report["durable_us"]["p50"]), number(&report["durable_us"]["p99"]))
}

/// Begins an attack.
type Begin<'a> = Box<dyn Fn() -> Attack + 'a>;

/// Runs an attack on its own threads until it is dropped.
pub struct Attack {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Attack {
    pub fn begin(threads: u8, work: impl Fn(u8, &AtomicBool) + Send + Sync + 'static) -> Attack {
        let (over, work) = (Arc::new(AtomicBool::new(false)), Arc::new(work));
        let threads = (0..threads).map(|n| {
            let (over, work) = (over.clone(), work.clone());
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    work(n, &over);
                }
            })
        });
        Attack { threads: threads.collect(), over }
    }
}

impl Drop for Attack {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Waits for the attack's end, in short steps.
pub fn hold(over: &AtomicBool, at_most: Duration) {
    let begun = Instant::now();
    while !over.load(Ordering::Relaxed) && begun.elapsed() < at_most {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Bodies of the largest size whose last byte never comes.
fn unfinished_bodies(url: String) -> Attack {
    Attack::begin(4, move |n, over| {
        let body = vec![b' '; (2 << 20) - 1];
        let mut open = Vec::new();
        for _ in 0..240 {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let Some(mut stream) = from([127, 0, 1, n + 1], &url, false) else { continue };
            stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
            let head = format!(
                "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len() + 1
            );
            if stream.write_all(head.as_bytes()).is_ok() {
                let _ = stream.write_all(&body);
            }
            open.push(stream);
        }
        hold(over, Duration::from_secs(5));
    })
}

/// Large replies that are never read, many requested on each connection.
fn unread_replies(url: String, path: String) -> Attack {
    Attack::begin(4, move |n, over| {
        let ask = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").repeat(16);
        let open: Vec<TcpStream> = (0..25).filter_map(|_| from([127, 0, 2, n + 1], &url, true)).collect();
        for mut stream in &open {
            let _ = stream.write_all(ask.as_bytes());
        }
        hold(over, Duration::from_secs(6));
    })
}

/// Requests that read much of the log, repeated and read to the end.
fn costly_requests(url: String, paths: Vec<String>, bundle: Vec<u8>) -> Attack {
    Attack::begin(8, move |n, over| {
        let Some(mut stream) = from([127, 0, 3, n + 1], &url, false) else { return };
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut ask = Vec::new();
        if n % 2 == 0 {
            ask.extend(
                format!("POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", bundle.len()).as_bytes(),
            );
            ask.extend(&bundle);
        } else {
            ask.extend(
                format!(
                    "GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                    paths[usize::from(n / 2) % paths.len()]
                )
                .as_bytes(),
            );
        }
        let _ = stream.write_all(&ask);
        let (begun, mut buffer) = (Instant::now(), vec![0; 64 << 10]);
        while !over.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_secs(2) {
            if stream.read(&mut buffer).is_ok_and(|read| read == 0) {
                break;
            }
        }
    })
}

/// Connections that are opened and stay silent.
fn idle_connections(url: String) -> Attack {
    Attack::begin(4, move |n, over| {
        let open: Vec<_> = (0..1000)
            .take_while(|_| !over.load(Ordering::Relaxed))
            .map(|_| from([127, 0, 4, n + 1], &url, false))
            .collect();
        hold(over, Duration::from_secs(5));
        drop(open);
    })
}

/// Data that is no HTTP, requests that are cut off, and requests that fail.
fn junk(url: String) -> Attack {
    Attack::begin(4, move |n, _| {
        let Some(mut stream) = from([127, 0, 5, n + 1], &url, false) else { return };
        let texts: [&[u8]; 4] = [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no HTTP at all\r\n\r\n",
            b"GET /v1/log HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n",
            b"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
        ];
        let _ = stream.write_all(texts[usize::from(n) % texts.len()]);
        // As fast as a few strangers can, but not as fast as this machine's cores, which the service needs too.
        std::thread::sleep(Duration::from_millis(2));
    })
}

/// Streams that are opened and closed at once.
fn streams(url: String) -> Attack {
    Attack::begin(4, move |n, over| {
        let open: Vec<_> = (0..75)
            .take_while(|_| !over.load(Ordering::Relaxed))
            .filter_map(|_| from([127, 0, 6, n + 1], &url, false))
            .collect();
        for mut stream in &open {
            let _ = stream.write_all(b"GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: 0\r\n\r\n");
        }
        hold(over, Duration::from_millis(500));
    })
}

/// Endless small requests whose replies are never read.
fn sent_ahead(url: String) -> Attack {
    Attack::begin(4, move |n, over| {
        let ask = b"GET /v1/log HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400);
        let open: Vec<TcpStream> = (0..25).filter_map(|_| from([127, 0, 10, n + 1], &url, true)).collect();
        open.iter().for_each(|stream| stream.set_nonblocking(true).unwrap());
        while !over.load(Ordering::Relaxed) {
            for mut stream in &open {
                let _ = stream.write(&ask);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    })
}

/// Connections that request a long reply and close.
fn dropped(url: String) -> Attack {
    Attack::begin(4, move |n, _| {
        let Some(mut stream) = from([127, 0, 11, n + 1], &url, false) else { return };
        let _ = stream.write_all(b"GET /verify HTTP/1.1\r\nHost: x\r\n\r\n");
    })
}

/// A round at a public table whose shoe has a long history, and its bundle.
fn long_round(service: &Service) -> (String, Vec<u8>) {
    let mut round = None;
    let names = ["ann", "ben", "cat", "dan", "eve"];
    let many: Vec<_> = names.iter().map(|name| service.player(name, 1000)).collect();
    let table = many[0].open_table();
    for _ in 0..if slow() { 300 } else { 60 } {
        round = Some(many[0].play(&table, 1)["round"]["id"].text());
    }
    let id = round.unwrap();
    let bundle = service.anyone().get(&format!("/v1/rounds/{id}/bundle"));
    assert_eq!(bundle.status, 200);
    (id, bundle.body)
}

/// Runs every attack while programs play, and reports its effect on them.
fn withstand(service: &Service) {
    let (id, bundle) = long_round(service);
    let url = || service.url.clone();
    let paths = vec![
        format!("/v1/rounds/{id}/bundle"),
        format!("/v1/rounds/{id}/recall"),
        "/tile/entries/000".to_owned(),
        "/v1/tables?limit=50".to_owned(),
    ];
    let baseline = played("nobody attacks", players(service, seconds()));
    let before = memory(service, "VmRSS:");
    eprintln!(
        "{:>20}: {:>5} requests/s, p50 {:>6} us, p99 {:>6} us, {:>4} MiB",
        "before",
        baseline.0,
        baseline.1,
        baseline.2,
        before >> 20
    );
    let attacks: [(&str, Begin); 8] = [
        ("requests sent ahead", Box::new(|| sent_ahead(url()))),
        ("dropped connections", Box::new(|| dropped(url()))),
        ("unfinished bodies", Box::new(|| unfinished_bodies(url()))),
        ("unread replies", Box::new(|| unread_replies(url(), format!("/v1/rounds/{id}/bundle")))),
        ("costly requests", Box::new(|| costly_requests(url(), paths.clone(), bundle.clone()))),
        ("idle connections", Box::new(|| idle_connections(url()))),
        ("junk", Box::new(|| junk(url()))),
        ("streams", Box::new(|| streams(url()))),
    ];
    let mut most_open = 0;
    for (what, attack) in &attacks {
        // Resets the peak.
        std::fs::write(format!("/proc/{}/clear_refs", service.pid()), "5").unwrap();
        let attack = attack();
        std::thread::sleep(Duration::from_millis(500));
        let during = played(what, players(service, seconds()));
        let metrics = service.anyone().get("/metrics").text();
        let gauge = |name: &str| -> u64 {
            let line = metrics
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap_or_else(|| panic!("no {name}: {metrics}"));
            line.trim().parse().unwrap()
        };
        let (open, held) = (gauge("fairshoe_connections "), gauge("fairshoe_held_bytes "));
        // Each connection has a second descriptor, by which it can be ended.
        let files = std::fs::read_dir(format!("/proc/{}/fd", service.pid())).unwrap().count() as u64;
        let most = gauge("fairshoe_max_connections ");
        assert!(
            files <= 2 * (most + (most / 8).clamp(64, 256)) + 128,
            "{what}: {files} descriptors, {most} connections"
        );
        drop(attack);
        let peak = memory(service, "VmHWM:");
        eprintln!(
            "{what:>20}: {:>5} requests/s, p50 {:>6} us, p99 {:>6} us, {:>4} MiB at most, {open} connections, {} KiB held",
            during.0,
            during.1,
            during.2,
            peak >> 20,
            held >> 10
        );
        assert!(held <= BUDGET << 20, "{what}: {held} bytes held");
        // The allocator returns an earlier attack's memory in its own time.
        most_open = most_open.max(open);
        let bound = before + (BUDGET << 20) + most_open * (PER_CONNECTION << 10) + (WORK << 20);
        assert!(peak <= bound, "{what}: {} MiB, of which {} MiB are allowed", peak >> 20, bound >> 20);
        assert!(during.0 * 8 >= baseline.0, "{what}: {} requests/s instead of {}", during.0, baseline.0);
    }
    // Attack: what was left behind by eight seconds of a flood held up play for a minute and a half.
    let is_quick = || played("after all of them", players(service, seconds())).2 <= 2 * baseline.2 + 20_000;
    assert!((0..3).any(|_| is_quick()), "play is not as quick as before, p99 {} us", baseline.2);
}

#[test]
fn play_goes_on_under_every_attack_within_the_budget_of_memory() {
    let budget = BUDGET.to_string();
    let limits = ["--token-rate", "0", "--address-rate", "0", "--memory-budget", &budget, "--write-timeout", "3"];
    let service = Service::fresh(&limits);
    withstand(&service);
    // Held memory is returned, and the log is whole.
    eventually("the end of what is held", || {
        service.anyone().get("/metrics").text().contains("fairshoe_held_bytes 0\n")
    });
    audit(&service.anyone());
}

#[test]
fn no_attack_ends_a_process_that_has_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("prlimit");
    command.arg("--data=536870912").arg(binary("fairshoe"));
    let budget = BUDGET.to_string();
    let limits = ["--token-rate", "0", "--address-rate", "0", "--memory-budget", &budget, "--write-timeout", "3"];
    let service = Service::spawn(command, folder.path(), &limits).unwrap_or_else(|log| panic!("{log}"));
    // A hand of poker with 18,000 in the pot goes on: a stranger's unread requests rolled it back.
    let slow = json!({ "bet_time_ms": 60_000, "reveal_time_ms": 60_000, "turn_time_ms": 600_000 });
    let poker = Company::at_cash_table(&service, "room", "holdem", &slow, &["carol", "dave"]);
    poker.buy_in_all(9_000);
    let hand = poker.deal(false);
    poker.choose(hand, |_, _| json!({ "raise": { "to": 9_000 } })).unwrap();
    withstand(&service);
    let round = poker.finish(hand, passive);
    assert_eq!((&round["phase"], &round["staked"]), (&json!("settled"), &json!(18_000)), "{round}");
    assert_eq!(service.stop(), Some(0));
}

/// Attack: a body in chunks of one byte, each with a long extension, to a call that reads no body and waits.
#[test]
fn a_body_that_nobody_reads_is_not_read_from_its_connection() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let piece = format!("1;{}\r\nx\r\n", "e".repeat(8000)).repeat(100);
    let mut streams: Vec<_> = (1..5).map(|n| from([127, 0, 12, n], &service.url, false).unwrap()).collect();
    let before = memory(&service, "VmRSS:");
    let mut sent = 0;
    for stream in &mut streams {
        stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        let head = "GET /v1/tables/joy-1/entries?from_seq=99999999&wait_ms=10000 HTTP/1.1\r\nHost: x\r\n";
        stream.write_all(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes()).unwrap();
        sent += (0..100).take_while(|_| stream.write_all(piece.as_bytes()).is_ok()).count() * piece.len();
    }
    let held = memory(&service, "VmRSS:").saturating_sub(before);
    assert!(held <= 4 * (PER_CONNECTION << 10) + (40 << 20), "{held} bytes held of {sent} sent");
    assert_eq!(service.anyone().get("/healthz").status, 200);
}

/// Attack: replies that are never read, and after them a body without end. No data moves, so no thread may work.
#[test]
fn a_client_who_reads_nothing_costs_nothing() {
    let service = Service::fresh(&["--address-rate", "0"]);
    let ask = "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n";
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let mut stream = from([127, 0, 13, 1], &service.url, true).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
            let asks = format!("{ask}\r\n{ask}\r\n{ask}Content-Length: 100000000\r\n\r\n{}", "b".repeat(1 << 20));
            let _ = stream.write_all(asks.as_bytes());
            stream
        })
        .collect();
    let worked = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", service.pid())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    std::thread::sleep(Duration::from_millis(500));
    let (before, begun) = (worked(), Instant::now());
    std::thread::sleep(Duration::from_secs(2));
    // In hundredths of a second; a thread that spins uses all the time that passes.
    let (worked, went) = (worked() - before, begun.elapsed().as_millis() as u64 / 10);
    assert!(worked * 4 < went, "{worked} of {went}");
    drop(clients);
}

/// Attack: streams that go on from far back at a table with long entries. Nothing is read of them, and each held 64
/// entries: half a MiB, where a connection may hold a quarter.
#[test]
fn a_stream_that_nobody_reads_holds_little_of_long_entries() {
    let service = Service::fresh(&["--address-rate", "0", "--token-rate", "0"]);
    let player = service.player("ann", 1_000_000);
    let opened = player.client.post("/v1/tables", &json!({ "rules": "rng-roulette-own" })).expect_status(201);
    let table = opened["table"].as_str().unwrap();
    let splits = (1..=33).map(|n| json!({ "spot": format!("split:{n}-{}", n + 3), "stake": 100 }));
    let bets = Value::Array(splits.collect());
    for _ in 0..40 {
        player.reveal(&player.place_bets(table, &bets));
    }
    let first = service.anyone().get(&format!("/v1/tables/{table}/entries?limit=1")).expect_status(200);
    let first = first["entries"][0]["index"].int();
    let before = memory(&service, "RssAnon:");
    let ask = format!("GET /v1/tables/{table}/events HTTP/1.1\r\nHost: x\r\nLast-Event-ID: {first}\r\n\r\n");
    let open: Vec<_> = (0..300).filter_map(|_| from([127, 0, 14, 1], &service.url, true)).collect();
    for mut stream in &open {
        stream.write_all(ask.as_bytes()).unwrap();
    }
    let following = || service.anyone().get("/metrics").text().contains("fairshoe_event_streams 300\n");
    eventually("all streams", following);
    std::thread::sleep(Duration::from_secs(2));
    let held = memory(&service, "RssAnon:").saturating_sub(before);
    assert!(held <= 300 * (PER_CONNECTION << 10), "{} MiB held by 300 streams", held >> 20);
}

/// Attack: 1,100 slow bodies of one address silenced a witness, and 40 connections whose requests are sent ahead and
/// never read took 290 MB of its memory in four seconds. A house takes no bets while its witnesses are silent for long.
#[test]
fn a_witness_answers_under_a_flood_and_holds_little() {
    let (folder, log) = (tempfile::tempdir().unwrap(), Signer::new("log.example/m", &[9; 32]).unwrap());
    let witness = WitnessProcess::start(folder.path(), "witness.example/w", &log.verifier_key().to_string());
    let asks = || {
        let mut house = from([127, 0, 22, 1], &witness.url, false)?;
        house.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").ok()?;
        house.read(&mut [0; 512]).ok().filter(|read| *read > 0)
    };
    let before = memory_of(witness.pid(), "VmRSS:");
    let slow: Vec<_> = (0..600)
        .filter_map(|_| {
            let mut stream = from([127, 0, 22, 2], &witness.url, false)?;
            stream
                .write_all(b"POST /add-checkpoint HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\nold 0\n")
                .ok()?;
            Some(stream)
        })
        .collect();
    assert!(slow.len() > 400, "{} slow bodies", slow.len());
    (0..20).for_each(|n| assert!(asks().is_some(), "it is silent at question {n}"));
    let attack = sent_ahead(witness.url.clone());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        assert!(asks().is_some(), "it is silent after {:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
    drop((attack, slow));
    let more = memory_of(witness.pid(), "VmHWM:").saturating_sub(before) >> 20;
    assert!(more < 64, "{more} MiB more");
}

/// Whoever reads slowly is not taken for one who reads nothing: 14,000 bytes a second are a little more than has to be.
#[test]
fn a_slow_reader_is_seen_to_read() {
    let service = Service::fresh(&["--write-timeout", "4"]);
    let mut stream = from([127, 0, 18, 1], &service.url, true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let (begun, mut read, mut room) = (Instant::now(), 0, [0; 2048]);
    while read < 96 << 10 {
        read += stream.read(&mut room).unwrap_or_else(|failure| panic!("{failure} after {read} bytes"));
        std::thread::sleep(Duration::from_secs_f64(read as f64 / 14_000.0).saturating_sub(begun.elapsed()));
    }
}

/// Attack: two addresses take every place with requests that wait; whoever comes then finds one all the same.
#[test]
fn requests_that_wait_make_room() {
    let service =
        Service::fresh(&["--max-connections", "40", "--connections-per-address", "20", "--address-rate", "0"]);
    let wait = "GET /v1/tables/joy-1/entries?from_seq=99999999&wait_ms=20000 HTTP/1.1\r\nHost: x\r\n\r\n";
    let held: Vec<_> = [1, 2]
        .into_iter()
        .flat_map(|n| std::iter::repeat_n(n, 20))
        .filter_map(|n| {
            let mut stream = from([127, 0, 14, n], &service.url, false)?;
            stream.write_all(wait.as_bytes()).ok()?;
            Some(stream)
        })
        .collect();
    std::thread::sleep(Duration::from_millis(1200));
    assert_eq!(held.len(), 40);
    for n in 3..6 {
        let mut late = from([127, 0, 14, n], &service.url, false).unwrap();
        late.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert!(late.read(&mut [0; 512]).unwrap_or(0) > 0, "nobody makes room for 127.0.14.{n}");
    }
}

/// Attack: an address takes every place with streams and goes on coming, a byte behind each request. Each that comes
/// closes a stream, whose end is seen by nothing that the stream waits for; and actix takes no connection while it has 64
/// too many.
#[test]
fn what_makes_room_ends_at_once() {
    let service = Service::fresh(&["--max-connections", "80", "--connections-per-address", "0", "--address-rate", "0"]);
    let open = |n| {
        let mut stream = from([127, 0, 21, n], &service.url, false)?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        stream.write_all(b"GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\n\r\nG").ok()?;
        stream.read(&mut [0; 512]).ok().filter(|read| *read > 0)?;
        Some(stream)
    };
    let held: Vec<_> = (0..80).map(|_| open(1).expect("a place")).collect();
    let late: Vec<_> =
        (2..72).map(|n| open(n).unwrap_or_else(|| panic!("nothing is taken from 127.0.21.{n}"))).collect();
    drop((held, late));
}

#[test]
fn one_address_cannot_hold_every_connection_and_its_idle_ones_make_room() {
    let service = Service::fresh(&["--max-connections", "40", "--connections-per-address", "16"]);
    let mut own: Vec<_> = (0..16).map(|_| from([127, 0, 7, 1], &service.url, false).unwrap()).collect();
    let open = || {
        let metrics = service.anyone().get("/metrics").text();
        metrics.lines().find_map(|line| line.strip_prefix("fairshoe_connections ")).unwrap().parse::<u64>().unwrap()
    };
    eventually("the connections", || open() >= 16);
    // A seventeenth at once is closed; after a second the longest idle one is closed for it.
    let ask = |stream: &mut TcpStream| {
        let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        let mut buffer = [0; 512];
        stream.read(&mut buffer).unwrap_or(0) > 0
    };
    std::thread::sleep(Duration::from_millis(1200));
    let mut late = from([127, 0, 7, 1], &service.url, false).unwrap();
    assert!(ask(&mut late), "an idle connection of the same address makes room");
    let answered = own.iter_mut().map(ask).filter(|answered| *answered).count();
    assert_eq!(answered, 15, "one that was idle for long is gone, and no other");
    // Others fill the rest; a later client still finds room.
    let others: Vec<_> =
        (2..6).flat_map(|n| std::iter::repeat_n(n, 16)).map(|n| from([127, 0, 7, n], &service.url, false)).collect();
    std::thread::sleep(Duration::from_millis(1200));
    let mut last = from([127, 0, 7, 9], &service.url, false).unwrap();
    assert!(ask(&mut last), "idle connections make room when all are taken");
    assert!(open() <= 41);
    drop(others);
}

#[test]
fn places_of_streams_are_free_as_soon_as_their_clients_close() {
    let service = Service::fresh(&["--max-streams", "50", "--address-rate", "0"]);
    for _ in 0..3 {
        let open: Vec<_> = (0..50).map(|_| Events::open(&service.url, "joy-1", None, Duration::from_secs(5))).collect();
        let mut wire = Wire::connect(&service.url, Duration::from_secs(5));
        wire.send(b"GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(wire.reply().unwrap().problem(503), "unavailable");
        drop(open);
        let begun = Instant::now();
        eventually("the end of the streams", || {
            service.anyone().get("/metrics").text().contains("fairshoe_event_streams 0\n")
        });
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_stream_ends_with_the_token_that_opened_it() {
    let service = Service::fresh(&[]);
    let (alice, bob) = (service.player("alice", 100), service.player("bob", 100));
    let patience = Duration::from_secs(5);
    let mut own = Events::open_as(Some(&alice.token), &service.url, "joy-1", None, patience);
    let mut other = Events::open_as(Some(&bob.token), &service.url, "joy-1", None, patience);
    assert!(matches!(own.any(), Some(Frame::Comment(_))) && matches!(other.any(), Some(Frame::Comment(_))));
    let begun = Instant::now();
    service.operator().post("/v1/players/alice/tokens", &json!({ "revoke": true })).expect_status(201);
    bob.play("joy-1", 1);
    assert_eq!(own.any(), None, "nothing of what came after the revocation");
    assert!(begun.elapsed() < Duration::from_secs(4), "it ended rather than ran out of patience");
    assert!(other.entry().is_some(), "other tokens' streams go on");
}

#[test]
fn junk_leaves_few_lines_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("said");
    let data = folder.path().join("data");
    // The harness reads standard error to its end; a shell copies it on the way.
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" \"$@\" 2>&1 >/dev/null | tee \"$SAID\" >&2"])
        .arg(binary("fairshoe"))
        .env("SAID", &log);
    let service = Service::spawn(command, &data, &["--address-rate", "0"]).unwrap_or_else(|log| panic!("{log}"));
    let sent = Arc::new(AtomicU64::new(0));
    let attack = {
        let (url, sent) = (service.url.clone(), sent.clone());
        Attack::begin(4, move |n, _| {
            let Some(mut stream) = from([127, 0, 8, n + 1], &url, false) else { return };
            let _ = stream.write_all(b"GET /v1/log HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n");
            sent.fetch_add(1, Ordering::Relaxed);
        })
    };
    std::thread::sleep(Duration::from_secs(3));
    drop(attack);
    // The shell's child is the service.
    let pid = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", service.pid())).unwrap();
    let first = pid.split_whitespace().next().unwrap().to_owned();
    let _ = Command::new("kill").args(["-TERM", &first]).status();
    let lines = std::fs::read_to_string(&log).unwrap().lines().count();
    let sent = sent.load(Ordering::Relaxed);
    assert!(sent > 500 && lines < 100, "{lines} lines for {sent} requests");
}
