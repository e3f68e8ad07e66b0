//! A light client that leaves the cores to the service: one thread, requests written ahead. From replies it reads only
//! the open choices. It checks no reply; `fairshoe-load` does.

use fairshoe_fairness::{ClientSeed, Epoch, Origin, PlayerId, TableContext, TableId, seed_commitment};
use fairshoe_games::{Offer, RuleSet};
use fairshoe_load::strategy::{Strategy, place_bets};
use hdrhistogram::Histogram;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The kernel counts a thread's processor time in hundredths of a second.
const TICK_US: f64 = 10_000.0;

/// More chips than any run uses.
const CHIPS: u64 = 1_000_000_000_000;

/// A connection that reads only to the end of a reply's body.
struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Wire {
    async fn connect(address: &str) -> Wire {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Wire { stream, buffer: Vec::new() }
    }

    /// Sends a request unchanged; returns the reply's status and body.
    async fn ask(&mut self, request: &[u8]) -> (u16, &[u8]) {
        self.stream.write_all(request).await.unwrap();
        self.buffer.clear();
        let mut end = None;
        loop {
            let (head, body) = match end {
                Some(found) => found,
                None => match self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                    Some(at) => *end.insert((at + 4, length_of(&self.buffer[..at]))),
                    None => (usize::MAX, 0),
                },
            };
            if head != usize::MAX && self.buffer.len() >= head + body {
                let status = std::str::from_utf8(&self.buffer[9..12]).unwrap().parse().unwrap();
                return (status, &self.buffer[head..head + body]);
            }
            assert!(self.stream.read_buf(&mut self.buffer).await.unwrap() > 0, "the service closed the connection");
        }
    }

    async fn json(&mut self, request: &[u8]) -> Value {
        let (status, body) = self.ask(request).await;
        let text = String::from_utf8_lossy(body);
        assert!(status < 300, "{status} {text}");
        serde_json::from_slice(body).unwrap()
    }
}

fn length_of(head: &[u8]) -> usize {
    let head = std::str::from_utf8(head).unwrap();
    let line =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned));
    line.expect("a length").trim().parse().unwrap()
}

fn request(method: &str, path: &str, token: &str, body: &str) -> Vec<u8> {
    let head = format!("{method} {path} HTTP/1.1\r\nhost: speed\r\nauthorization: Bearer {token}\r\n");
    format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The same with an idempotency key.
fn once(request: Vec<u8>, key: &str) -> Vec<u8> {
    let text = String::from_utf8(request).unwrap();
    text.replacen("\r\ncontent-type", &format!("\r\nidempotency-key: {key}\r\ncontent-type"), 1).into_bytes()
}

/// The parts of a reply that are read.
#[derive(Deserialize)]
struct Reply {
    round: Option<Round>,
}

#[derive(Deserialize)]
struct Round {
    phase: String,
    decisions: Vec<Open>,
}

#[derive(Deserialize)]
struct Open {
    decision: u32,
    options: Vec<Offer>,
}

/// A player at their own table, with prepared requests.
pub struct SoloPlayer {
    wire: Wire,
    token: String,
    table: String,
    /// The bet and the seed of each coming round, the next one last.
    rounds: Vec<(Vec<u8>, Vec<u8>)>,
    written: u64,
    context: TableContext,
    player: PlayerId,
    bets: Value,
    /// The time of its request in each interval of a measured rate, as a fraction.
    phase: f64,
}

/// Rounds written ahead at once.
const AHEAD: u64 = 4096;

impl SoloPlayer {
    pub async fn sit(address: &str, operator: &str, (number, of): (u16, u16), game: &str) -> SoloPlayer {
        let mut wire = Wire::connect(address).await;
        let name = format!("speed-{number}");
        let made = wire.json(&request("POST", "/v1/players", operator, &json!({ "player": name }).to_string())).await;
        let token = made["token"].as_str().unwrap().to_owned();
        let amount = json!({ "amount": CHIPS }).to_string();
        let credit = request("POST", &format!("/v1/players/{name}/credit"), operator, &amount);
        wire.json(&once(credit, &format!("{name}-credit"))).await;
        let opened = wire.json(&request("POST", "/v1/tables", &token, &json!({ "rules": game }).to_string())).await;
        let table = opened["table"].as_str().unwrap().to_owned();
        let view = loop {
            let view = wire.json(&request("GET", &format!("/v1/tables/{table}"), &token, "")).await;
            if view["shoe"].is_object() {
                break view;
            }
        };
        let origin = Origin::parse(view["origin"].as_str().unwrap()).unwrap();
        let epoch: Epoch = serde_json::from_value(view["epoch"].clone()).unwrap();
        let rules: RuleSet = serde_json::from_value(view["rules"].clone()).unwrap();
        let context = TableContext { origin, table: TableId::parse(&table).unwrap(), epoch };
        let mut chance = fairshoe_fairness::Stream::new([7; 32]);
        let bets = json!(place_bets(&rules, Strategy::Basic, None, 10, |_| true, &mut chance));
        let player = PlayerId::parse(&name).unwrap();
        let written = view["next_round"].as_u64().unwrap();
        let mut seat = SoloPlayer {
            wire,
            token,
            table,
            rounds: Vec::new(),
            written,
            context,
            player,
            bets,
            phase: f64::from(number) / f64::from(of),
        };
        seat.write_ahead();
        seat
    }

    fn write_ahead(&mut self) {
        let (first, mut seed) = (self.written, [0; 32]);
        for round_no in (first..first + AHEAD).rev() {
            getrandom::fill(&mut seed).unwrap();
            let seed = ClientSeed::from_bytes(seed);
            let commitment = seed_commitment(&self.context, round_no, &self.player, &seed);
            let bet = json!({ "round_no": round_no, "bets": self.bets, "commitment": commitment }).to_string();
            let reveal = json!({ "player": self.player, "seed": seed }).to_string();
            let table = &self.table;
            self.rounds.push((
                request("POST", &format!("/v1/tables/{table}/bets"), &self.token, &bet),
                request("POST", &format!("/v1/rounds/{table}:{round_no}/reveals"), &self.token, &reveal),
            ));
        }
        self.written = first + AHEAD;
    }

    /// Plays until the time is up; returns the time of each request.
    async fn play(&mut self, until: Instant, every: Option<Duration>) -> Histogram<u64> {
        let mut took = Histogram::new(3).unwrap();
        // One after another: all at once would measure the crowd.
        let mut next = Instant::now() + every.unwrap_or_default().mul_f64(self.phase);
        let mut round_no = self.written - self.rounds.len() as u64;
        while Instant::now() < until {
            let Some((bet, reveal)) = self.rounds.pop() else {
                self.write_ahead();
                continue;
            };
            self.timed(&bet, &mut took, every, &mut next).await;
            let mut reply = self.timed(&reveal, &mut took, every, &mut next).await;
            while let Some(open) =
                reply.round.as_ref().filter(|round| round.phase == "open").map(|round| &round.decisions[0])
            {
                let body = json!({ "decision": open.decision, "action": choice(&open.options) }).to_string();
                let path = format!("/v1/rounds/{}:{round_no}/actions", self.table);
                reply = self.timed(&request("POST", &path, &self.token, &body), &mut took, every, &mut next).await;
            }
            round_no += 1;
        }
        took
    }

    async fn timed(
        &mut self,
        request: &[u8],
        took: &mut Histogram<u64>,
        every: Option<Duration>,
        next: &mut Instant,
    ) -> Reply {
        if let Some(every) = every {
            tokio::time::sleep_until((*next).into()).await;
            *next += every;
        }
        let begun = Instant::now();
        let (status, body) = self.wire.ask(request).await;
        took.record(u64::try_from(begun.elapsed().as_micros()).unwrap()).unwrap();
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(body));
        serde_json::from_slice(body).unwrap()
    }

    async fn idle(&mut self, until: Instant) -> Histogram<u64> {
        let mut took = Histogram::new(3).unwrap();
        let request = request("GET", "/healthz", &self.token, "");
        while Instant::now() < until {
            let begun = Instant::now();
            self.wire.ask(&request).await;
            took.record(u64::try_from(begun.elapsed().as_micros()).unwrap()).unwrap();
        }
        took
    }
}

/// Declines insurance and draws no card.
fn choice(options: &[Offer]) -> Value {
    let offered = |word: &str| options.iter().any(|offer| serde_json::to_value(offer.action).unwrap() == word);
    match ["stand", "insurance", "even_money"].into_iter().find(|word| offered(word)) {
        Some("stand") => json!("stand"),
        Some(word) => json!({ word: { "take": false } }),
        None => serde_json::to_value(options[0].action).unwrap(),
    }
}

/// Processor time in microseconds by thread name, without the numbers in names.
pub fn thread_times(pid: u32) -> BTreeMap<String, f64> {
    let mut times = BTreeMap::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(task.path().join("stat")) else { continue };
        let (name, rest) = stat.split_once('(').unwrap().1.rsplit_once(')').unwrap();
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-:".contains(c)).to_owned();
        *times.entry(name).or_insert(0.0) += ticks * TICK_US;
    }
    times
}

/// The measurements of one part.
pub struct Part {
    pub took: Histogram<u64>,
    seconds: f64,
    /// Microseconds of processor time for each request, by name.
    pub threads: Vec<(String, f64)>,
}

impl Part {
    pub fn rate(&self) -> f64 {
        self.took.len() as f64 / self.seconds
    }

    /// The quantile in milliseconds.
    pub fn quantile(&self, quantile: f64) -> f64 {
        self.took.value_at_quantile(quantile) as f64 / 1000.0
    }

    pub fn all(&self) -> f64 {
        self.threads.iter().map(|(_, us)| us).sum()
    }
}

#[derive(Clone, Copy)]
pub enum Work {
    Idle,
    Play(Option<Duration>),
}

/// Lets all players work for this time; `times` gives processor times by name, in microseconds, before and after.
pub async fn part(
    times: &dyn Fn() -> BTreeMap<String, f64>,
    seats: &mut Vec<SoloPlayer>,
    seconds: u64,
    work: Work,
) -> Part {
    let (before, begun) = (times(), Instant::now());
    let until = begun + Duration::from_secs(seconds);
    let tasks: Vec<_> = seats
        .drain(..)
        .map(|mut seat| {
            tokio::spawn(async move {
                let took = match work {
                    Work::Idle => seat.idle(until).await,
                    Work::Play(every) => seat.play(until, every).await,
                };
                (seat, took)
            })
        })
        .collect();
    let mut took = Histogram::new(3).unwrap();
    for task in tasks {
        let (seat, one) = task.await.unwrap();
        took.add(one).unwrap();
        seats.push(seat);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let requests = took.len().max(1) as f64;
    let mut threads: Vec<(String, f64)> = times()
        .into_iter()
        .map(|(name, us)| (name.clone(), (us - before.get(&name).unwrap_or(&0.0)) / requests))
        .collect();
    threads.sort_by(|a, b| b.1.total_cmp(&a.1));
    Part { took, seconds, threads }
}
