//! What strangers and holders of tokens take of a worker that serves HTTP, measured by its processor time, while they do what
//! costs most (spec/operating.md, "What strangers may hold").

use crate::api_flood::{Attack, hold};
use fairshoe_tests::tls::{self, certificate_for};
use fairshoe_tests::wire::{Wire, from};
use fairshoe_tests::{Json, Service};
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The working time so far of the threads that serve HTTP, in hundredths of a second.
fn served(service: &Service) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", service.pid())).unwrap();
    let stats = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap());
    let serving = stats.filter(|stat| stat.contains("(actix-rt|"));
    serving
        .map(|stat| {
            let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
            fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
        })
        .sum()
}

/// The share of time, in hundredths, during which this service's one worker works.
fn part_worked(service: &Service, attack: Attack) -> u64 {
    std::thread::sleep(Duration::from_millis(500));
    let (before, begun) = (served(service), Instant::now());
    std::thread::sleep(Duration::from_secs(3));
    let (worked, went) = (served(service) - before, begun.elapsed().as_millis() as u64 / 10);
    drop(attack);
    eprintln!("{worked} of {went}");
    worked * 100 / went
}

/// Asks for the same without end, on eight connections.
fn asks(service: &Service, address: [u8; 4], ask: String) -> Attack {
    let url = service.url.clone();
    Attack::begin(8, move |_, over| {
        let Some(mut stream) = from(address, &url, false) else { return };
        let mut room = vec![0; 64 << 10];
        while !over.load(Ordering::Relaxed) && stream.write_all(ask.as_bytes()).is_ok() {
            if !stream.read(&mut room).is_ok_and(|read| read > 0) {
                break;
            }
        }
    })
}

/// Attack: a few addresses have all places, and come again and again. Each connection was compared with all others, on a
/// worker, and play waited.
#[test]
fn who_goes_for_one_more_connection_is_not_looked_for_among_all() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let limits =
        ["--workers", "1", "--address-rate", "0", "--max-connections", "2400", "--connections-per-address", "300"];
    let service = Service::fresh(&limits);
    let comes = |n: u8| from([127, 0, 23, n % 8 + 1], &service.url, true);
    let cost = || {
        let before = served(&service);
        (0..250).flat_map(|_| 0..8).for_each(|n| drop(comes(n)));
        std::thread::sleep(Duration::from_millis(500));
        served(&service) - before
    };
    let few = cost();
    let held: Vec<_> = (0..300).flat_map(|_| 0..8).filter_map(comes).collect();
    let many = cost();
    eprintln!("2,000 connections: {few} hundredths of a second where there is room, {many} where there is none");
    assert!(many < 6 * few + 8, "{many}, and {few} where there is room");
    drop(held);
}

/// The first message of a TLS 1.2 client.
fn hello() -> Vec<u8> {
    let suites = [0, 4, 0xc0, 0x2f, 0xc0, 0x2b];
    // Groups, forms of points, signatures.
    let extensions = [0, 10, 0, 4, 0, 2, 0, 29, 0, 11, 0, 2, 1, 0, 0, 13, 0, 8, 0, 6, 8, 4, 4, 1, 4, 3];
    let rest = [&suites[..], &[1, 0, 0, extensions.len() as u8], &extensions].concat();
    let body = [&[3, 3][..], &[7; 32], &[0], &rest].concat();
    let message = [&[1, 0, 0, body.len() as u8][..], &body].concat();
    [&[0x16, 3, 1, 0, message.len() as u8][..], &message].concat()
}

/// Attack: an address greets without end; each greeting costs a signature with a large key, and then the address
/// closes.
#[test]
fn handshakes_come_out_of_the_share_of_new_connections() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate_for(Command::new("openssl"), &["rsa:4096"], folder.path()) {
        return println!("skipped: no openssl");
    }
    let service = tls::start(folder.path(), &["--workers", "1", "--address-rate", "0"]).unwrap();
    let url = service.url.replace("https://", "http://");
    let attack = Attack::begin(8, move |_, over| {
        let Some(mut stream) = from([127, 0, 15, 1], &url, false) else { return };
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let _ = stream.write_all(&hello());
        while !over.load(Ordering::Relaxed) {
            match stream.read(&mut [0; 512]) {
                Err(failure) if failure.kind() == std::io::ErrorKind::WouldBlock => {}
                _ => break,
            }
        }
    });
    let part = part_worked(&service, attack);
    assert!(part < 40, "handshakes take {part} % of the worker");
}

/// Attack: records of TLS without a byte for anybody, each of which makes new keys, beside a stream that a stranger follows
/// and behind a player's last request.
#[test]
fn records_that_carry_nothing_come_out_of_their_senders_share() {
    let folder = tempfile::tempdir().unwrap();
    if !certificate_for(Command::new("openssl"), &tls::RSA, folder.path()) {
        return println!("skipped: no openssl");
    }
    let limits = ["--workers", "1", "--address-rate", "0", "--token-rate", "0"];
    let token = Service::start(&folder.path().join("data"), &[]).player("alice", 0).token;
    let service = tls::start(folder.path(), &limits).unwrap();
    let url = service.url.replace("https://", "http://");
    let client = tls::trusting(folder.path());
    let listens = "GET /v1/tables/joy-1/events HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let plays = format!(
        "POST /v1/tables/none/close HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n"
    );
    for request in [listens, plays] {
        // They are made before, for that takes as long as to read them; nobody counts more than 32 behind each other.
        let made = |_| {
            let mut socket = from([127, 0, 15, 2], &url, false).unwrap();
            let mut session = tls::session(&client);
            session.writer().write_all(request.as_bytes()).unwrap();
            while session.is_handshaking() || session.wants_write() {
                session.complete_io(&mut socket).unwrap();
            }
            let mut records = Vec::new();
            while records.len() < 4 << 20 {
                session.writer().write_all(b"G").unwrap();
                (0..32).for_each(|_| session.refresh_traffic_keys().unwrap());
                while session.wants_write() {
                    session.write_tls(&mut records).unwrap();
                }
            }
            Mutex::new(Some((socket, records)))
        };
        let made: Vec<_> = (0..8).map(made).collect();
        let attack = Attack::begin(8, move |n, over| {
            let Some((mut socket, records)) = made[usize::from(n)].lock().unwrap().take() else { return };
            let mut rest = &records[..];
            while !over.load(Ordering::Relaxed) && !rest.is_empty() {
                rest = &rest[socket.write(rest).unwrap_or_default()..];
            }
            hold(over, Duration::from_secs(9));
        });
        let part = part_worked(&service, attack);
        assert!(part < 45, "records that carry nothing take {part} % of the worker");
    }
}

/// Attack: a player has played on many connections, and on each sends the head of the next request byte by byte.
#[test]
fn a_head_that_comes_byte_by_byte_comes_out_of_its_senders_share() {
    let service = Service::fresh(&["--workers", "1", "--address-rate", "0", "--token-rate", "0"]);
    let (url, token) = (service.url.clone(), service.player("alice", 0).token);
    let attack = Attack::begin(4, move |_, over| {
        let mut open: Vec<_> = (0..80).filter_map(|_| from([127, 0, 19, 1], &url, false)).collect();
        let head = format!("POST /v1/tables/none/close HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
        for stream in &mut open {
            stream.set_nodelay(true).unwrap();
            let _ = stream.write_all(format!("{head}Content-Length: 0\r\n\r\n{head}X: ").as_bytes());
        }
        for _ in 0..20_000 {
            if over.load(Ordering::Relaxed) || open.iter_mut().any(|stream| stream.write_all(b"x").is_err()) {
                break;
            }
        }
    });
    let part = part_worked(&service, attack);
    assert!(part < 40, "heads that come byte by byte take {part} % of the worker");
}

/// Attack: a stranger asks for what is small without end.
#[test]
fn what_a_stranger_reads_comes_out_of_the_strangers_share() {
    let service = Service::fresh(&["--workers", "1", "--address-rate", "0"]);
    let ask = "GET /v1/tables HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
    let part = part_worked(&service, asks(&service, [127, 0, 18, 1], ask));
    assert!(part < 40, "strangers' requests take {part} % of the worker");
}

/// Attack: a few addresses ask for what is long, and read it as fast as it comes.
#[test]
fn what_is_written_to_a_stranger_comes_out_of_the_strangers_share() {
    let service = Service::fresh(&["--workers", "1", "--address-rate", "0"]);
    let url = service.url.clone();
    let attack = Attack::begin(8, move |n, over| {
        let Some(mut stream) = from([127, 0, 25, n + 1], &url, false) else { return };
        let ask = b"GET /verify HTTP/1.1\r\nHost: x\r\n\r\n";
        let (mut room, mut read) = (vec![0; 1 << 20], usize::MAX);
        while !over.load(Ordering::Relaxed) {
            // One more is there before a reply is read to its end.
            if read >= 200_000 {
                read = 0;
                let _ = stream.write_all(ask);
            }
            match stream.read(&mut room) {
                Ok(more @ 1..) => read += more,
                _ => break,
            }
        }
    });
    let part = part_worked(&service, attack);
    assert!(part < 45, "what strangers are sent takes {part} % of the worker");
}

/// Attack: a player asks for the same without end: for entries that are proved and packed, or for what is small.
#[test]
fn what_a_player_reads_comes_out_of_a_share_of_theirs() {
    let service = Service::fresh(&["--workers", "1", "--address-rate", "0", "--token-rate", "0"]);
    let alice = service.player("alice", 1000);
    let table = alice.open_table();
    (0..8).for_each(|_| drop(alice.play(&table, 1)));
    let seq = alice.client.get(&format!("/v1/tables/{table}/entries?limit=256")).expect_status(200)["next_seq"].clone();
    let from_seq = seq.int() - 16;
    for (path, is_packed) in [
        (format!("/v1/tables/{table}/entries?from_seq={from_seq}&proofs=true"), true),
        (format!("/v1/tables/{table}"), false),
        ("/v1/players/alice".to_owned(), false),
    ] {
        let takes = if is_packed { "Accept-Encoding: gzip\r\n" } else { "" };
        let ask = format!("GET {path} HTTP/1.1\r\nHost: x\r\n{takes}Authorization: Bearer {}\r\n\r\n", alice.token);
        let part = part_worked(&service, asks(&service, [127, 0, 16, 1], ask));
        assert!(part < 45, "one player's {path} takes {part} % of the worker");
    }
}

/// Attack: bodies of four MiB behind requests that are refused at once: they are read and dropped.
#[test]
fn what_nobody_reads_of_a_body_comes_out_of_its_senders_share() {
    let service = Service::fresh(&["--workers", "1", "--address-rate", "0", "--token-rate", "0"]);
    let alice = service.player("alice", 0);
    let sized = (format!("Content-Length: {}", 4 << 20), " ".repeat(4 << 20));
    let of_alice = (format!("Authorization: Bearer {}\r\n{}", alice.token, sized.0), sized.1.clone());
    let in_chunks = ("Transfer-Encoding: chunked".to_owned(), "1\r\nx\r\n".repeat(100_000));
    for (fields, body) in [sized, of_alice, in_chunks] {
        let url = service.url.clone();
        let ask = format!("POST /nothing HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n{body}").into_bytes();
        let attack = Attack::begin(8, move |_, over| {
            let Some(mut stream) = from([127, 0, 17, 1], &url, false) else { return };
            stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
            let (mut sent, mut room) = (0, [0; 512]);
            while !over.load(Ordering::Relaxed) && sent < ask.len() {
                match stream.write(&ask[sent..]) {
                    Ok(more) => sent += more,
                    Err(failure) if failure.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
            let _ = stream.read(&mut room);
        });
        let part = part_worked(&service, attack);
        assert!(part < 40, "bodies that nobody reads take {part} % of the worker");
    }
}

/// A proxy's connection serves many clients: a stranger is not charged for earlier requests of others. Wrongly charged,
/// they would wait half a second each time; here they must get through at least once in twenty times, even if the
/// machine is busy.
#[test]
fn a_stranger_is_not_charged_for_what_others_sent_before_on_the_connection() {
    let service = Service::fresh(&["--workers", "1", "--trusted-proxy", "127.0.0.1", "--token-rate", "0"]);
    let alice = service.player("alice", 0);
    let body = " ".repeat(2 << 20);
    let large = format!(
        "POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
        alice.token,
        body.len()
    );
    let small = "GET /v1/log HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n";
    let waited = (0..20).map(|_| {
        let mut wire = Wire::connect(&service.url, Duration::from_secs(20));
        for _ in 0..16 {
            wire.send(large.as_bytes());
            assert_eq!(wire.reply().unwrap().status, 400);
        }
        wire.send(small.as_bytes());
        assert_eq!(wire.reply().unwrap().status, 200);
        let begun = Instant::now();
        wire.send(small.as_bytes());
        assert_eq!(wire.reply().unwrap().status, 200);
        begun.elapsed()
    });
    let most = Duration::from_millis(200);
    let waited: Vec<Duration> = waited.take_while(|waited| *waited > most).collect();
    assert!(waited.len() < 20, "{waited:?}");
}
