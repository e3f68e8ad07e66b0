//! The service from outside: a real process, a real port, a real store.
//!
//! Owns the harness that the tests in this folder share. Binaries are those of the same build:
//! `cargo build --workspace` (with the same profile) comes first.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a harness: it fails by panicking, and its items say what they do by their names"
)]

pub mod cluster;
pub mod company;
pub mod contract;
pub mod foreign;
pub mod leak;
mod pen;
pub mod poker;
pub mod postgres;
pub mod tls;
pub mod tournament;
pub mod wallet;
pub mod wire;
pub mod witness;

pub use pen::Pen;

use fairshoe_fairness::{ClientSeed, Epoch, Origin, PlayerId, TableContext, TableId, seed_commitment};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{Checkpoint, Policy, TlogProof};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Writes a file that only its owner may read.
pub fn write_secret(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A binary of this build.
pub fn binary(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    let path = path.join(name);
    assert!(
        path.exists(),
        "{} is not there: run `cargo build --workspace` with the same profile first",
        path.display()
    );
    path
}

/// Whether the full counts were requested (`tests/run --slow`).
pub fn slow() -> bool {
    std::env::var_os("FAIRSHOE_SLOW").is_some()
}

/// The folder of reference data, if it exists.
pub fn reference() -> Option<PathBuf> {
    let given = std::env::var_os("FAIRSHOE_REFERENCE").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reference");
    given.into_iter().chain([beside]).find(|path| path.is_dir())
}

/// What a test looks for in a reply; it fails where something else is there.
pub trait Json {
    fn list(&self) -> &Vec<Value>;
    fn int(&self) -> u64;
    fn text(&self) -> String;

    fn items(&self) -> std::slice::Iter<'_, Value> {
        self.list().iter()
    }
}

impl Json for Value {
    #[track_caller]
    fn list(&self) -> &Vec<Value> {
        self.as_array().unwrap_or_else(|| panic!("no list: {self}"))
    }

    #[track_caller]
    fn int(&self) -> u64 {
        self.as_u64().unwrap_or_else(|| panic!("no whole number: {self}"))
    }

    #[track_caller]
    fn text(&self) -> String {
        self.as_str().unwrap_or_else(|| panic!("no text: {self}")).to_owned()
    }
}

/// A running service.
pub struct Service {
    child: Child,
    pub url: String,
    pub data: PathBuf,
    seen: Option<Exchanges>,
    /// The last lines of its log since it began to listen.
    said: Arc<Mutex<VecDeque<String>>>,
    /// Its own folder, gone once it has ended.
    _folder: Option<tempfile::TempDir>,
}

/// So many lines of a service's log are printed if its test fails.
const SAID_LINES: usize = 40;

impl Service {
    /// Starts the service on a folder, on a free port of 127.0.0.1, and waits until it listens.
    pub fn start(data: &Path, extra: &[&str]) -> Service {
        Self::try_start(data, extra).unwrap_or_else(|log| panic!("the service did not start:\n{log}"))
    }

    /// The same on an empty folder of its own, for which nobody asks later.
    pub fn fresh(extra: &[&str]) -> Service {
        let folder = tempfile::tempdir().unwrap();
        let mut service = Self::start(folder.path(), extra);
        service._folder = Some(folder);
        service
    }

    /// The same; an error is its output instead of a start.
    pub fn try_start(data: &Path, extra: &[&str]) -> Result<Service, String> {
        Self::spawn(Command::new(binary("fairshoe")), data, extra)
    }

    /// The same with a caller's command that ends in the service's binary (strace, faketime …).
    pub fn spawn(command: Command, data: &Path, extra: &[&str]) -> Result<Service, String> {
        Self::spawn_at(command, data, "127.0.0.1:0", extra)
    }

    /// The same at the caller's address.
    pub fn spawn_at(mut command: Command, data: &Path, listen: &str, extra: &[&str]) -> Result<Service, String> {
        command.args(["serve", "--listen", listen, "--log-format", "json", "--data"]).arg(data).args(extra);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = String::new();
        let url = loop {
            let Some(line) = lines.next().and_then(Result::ok) else {
                let _ = child.wait();
                return Err(log);
            };
            if let Some(rest) = line.strip_prefix("fairshoe deals at ") {
                break rest.split_whitespace().next().unwrap().to_owned();
            }
            log.push_str(&line);
            log.push('\n');
        };
        // A thread must keep reading, or the service would block on a full pipe.
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let kept = said.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut kept = kept.lock().unwrap();
                kept.push_back(line);
                if kept.len() > SAID_LINES {
                    kept.pop_front();
                }
            }
        });
        Ok(Service { child, url, data: data.to_owned(), seen: None, said, _folder: None })
    }

    /// From now on every exchange of this service's clients is recorded here.
    pub fn watch(&mut self) -> Exchanges {
        self.seen.get_or_insert_default().clone()
    }

    /// A client with or without a token.
    pub fn client(&self, token: Option<&str>) -> Client {
        Client { seen: self.seen.clone(), ..Client::new(&self.url, token) }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with kill -9.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The exit code, if it has ended by itself.
    pub fn ended(&mut self) -> Option<Option<i32>> {
        self.child.try_wait().ok().flatten().map(|status| status.code())
    }

    /// Waits for its own end, at most a minute; returns the exit code.
    pub fn wait_for_end(&mut self) -> Option<i32> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the service did not end within a minute");
    }

    /// Stops it gracefully; returns the exit code.
    pub fn stop(mut self) -> Option<i32> {
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        self.wait_for_end()
    }

    pub fn operator_token(&self) -> String {
        std::fs::read_to_string(self.data.join("operator.token")).unwrap().trim().to_owned()
    }

    /// The operator's client.
    pub fn operator(&self) -> Client {
        self.client(Some(&self.operator_token()))
    }

    /// A client without a token.
    pub fn anyone(&self) -> Client {
        self.client(None)
    }

    /// A new player with chips.
    pub fn player(&self, name: &str, chips: u64) -> Player {
        let operator = self.operator();
        let made = operator.post("/v1/players", &json!({ "player": name })).expect_status(201);
        let token = made["token"].text();
        if chips > 0 {
            let key = format!("credit-{name}");
            operator
                .post_with(
                    &format!("/v1/players/{name}/credit"),
                    &json!({ "amount": chips }),
                    &[("idempotency-key", &key)],
                )
                .expect_status(200);
        }
        Player { name: PlayerId::parse(name).unwrap(), client: self.client(Some(&token)), token }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let ended = self.child.try_wait().ok().flatten();
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let state = ended.map_or("ran when the test failed".to_owned(), |status| format!("had ended: {status}"));
            let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
            eprintln!("{} {state}; its last lines:", self.url);
            said.iter().for_each(|line| eprintln!("  {line}"));
        }
    }
}

/// A reply as received.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("not JSON ({e}): {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The JSON of a reply with this status.
    pub fn expect_status(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The stable code of a problem with this status.
    pub fn problem(&self, status: u16) -> String {
        let problem = self.expect_status(status);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        problem["code"].text()
    }
}

/// A request and its reply.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The token that it was sent with.
    pub token: Option<String>,
    pub method: String,
    pub path: String,
    pub reply: Reply,
}

/// Exchanges in the order in which their replies came.
pub type Exchanges = Arc<Mutex<Vec<Exchange>>>;

/// An HTTP client with or without a token.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
    seen: Option<Exchanges>,
}

impl Client {
    pub fn new(url: &str, token: Option<&str>) -> Client {
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        Client { agent: config.into(), url: url.to_owned(), token: token.map(str::to_owned), seen: None }
    }

    /// The token that it sends.
    pub fn token(&self) -> Option<String> {
        self.token.clone()
    }

    /// A request with any body; `None` when the connection failed.
    pub fn send(&self, method: &str, path: &str, body: Option<&[u8]>, headers: &[(&str, &str)]) -> Option<Reply> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = match body {
            Some(body) => self.agent.run(request.body(body).unwrap()),
            None => self.agent.run(request.body(()).unwrap()),
        };
        let mut reply = sent.inspect_err(|e| eprintln!("{method} {path}: {e}")).ok()?;
        let headers = reply
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
            .collect();
        let status = reply.status().as_u16();
        // The head names the packing of the body, but there is no body to unpack.
        let body = if method == "HEAD" {
            Vec::new()
        } else {
            reply.body_mut().with_config().limit(64 << 20).read_to_vec().ok()?
        };
        let reply = Reply { status, headers, body };
        if let Some(seen) = &self.seen {
            seen.lock().unwrap().push(Exchange {
                token: self.token.clone(),
                method: method.to_owned(),
                path: path.to_owned(),
                reply: reply.clone(),
            });
        }
        Some(reply)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None, &[]).unwrap_or_else(|| panic!("GET {path}: no reply"))
    }

    pub fn try_post(&self, path: &str, body: &Value) -> Option<Reply> {
        self.send("POST", path, Some(body.to_string().as_bytes()), &[("content-type", "application/json")])
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.try_post(path, body).unwrap_or_else(|| panic!("POST {path}: no reply"))
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None, &[]).unwrap_or_else(|| panic!("DELETE {path}: no reply"))
    }

    pub fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Reply {
        let mut all = vec![("content-type", "application/json")];
        all.extend(headers);
        self.send("POST", path, Some(body.to_string().as_bytes()), &all)
            .unwrap_or_else(|| panic!("POST {path}: no reply"))
    }
}

/// The same random numbers every time.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// The policy that trusts the service's log and no witness.
pub fn policy(client: &Client) -> Policy {
    let log = client.get("/v1/log").expect_status(200);
    Policy::for_log(log["vkey"].as_str().unwrap().parse().unwrap()).unwrap()
}

/// Checks a receipt of a reply like a stranger; returns the entry and its checkpoint.
pub fn verify_receipt(policy: &Policy, receipt: &Value) -> (Value, Checkpoint) {
    let entry = receipt["entry"].as_str().unwrap();
    let proof = TlogProof::parse(receipt["proof"].as_str().unwrap().as_bytes()).unwrap();
    let verified = proof.verify(entry.as_bytes(), policy).unwrap();
    assert_eq!(verified.index, receipt["index"].int());
    (serde_json::from_str(entry).unwrap(), verified.checkpoint)
}

/// The events of one kind in an entry, the game's own included.
pub fn events<'e>(entry: &'e Value, word: &str) -> Vec<&'e Value> {
    let all = entry["events"].items();
    all.filter_map(|event| event.get(word).or_else(|| event.get("play").and_then(|play| play.get(word)))).collect()
}

/// Every entry of the log, as text.
pub fn whole_log(client: &Client) -> Vec<String> {
    // Requests of an address are limited for each second: a reader waits when told so. They also wait if a node knows
    // of no leader for a moment.
    let patient = |path: &str| {
        for _ in 0..120 {
            let reply = client.get(path);
            if ![421, 429].contains(&reply.status) {
                return reply;
            }
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        panic!("GET {path} was told to wait for half a minute")
    };
    let size = patient("/v1/log").expect_status(200)["size"].int();
    (0..size).map(|index| patient(&format!("/v1/entries/{index}")).text()).collect()
}

/// Decides the whole log again, like the auditor; it must be sound.
pub fn audit(client: &Client) {
    let mut book = Book::new(Limits::default());
    for (index, text) in (0..).zip(whole_log(client)) {
        book.feed(index, text.as_bytes()).unwrap_or_else(|finding| panic!("entry {index}: {finding}\n{text}"));
    }
    let report = book.finish();
    assert!(report.is_sound(), "{report:?}");
}

/// A player who keeps their own seeds.
#[derive(Clone)]
pub struct Player {
    pub name: PlayerId,
    pub client: Client,
    pub token: String,
}

/// A bet that was placed, with the seed that opens its commitment.
#[derive(Clone)]
pub struct PlacedBet {
    pub round: String,
    pub seed: ClientSeed,
    pub request: Value,
    pub reply: Value,
}

impl Player {
    /// The seed for a round: any 32 bytes, as long as only the player knows them; tests need the same ones each time.
    pub fn seed(&self, table: &str, round_no: u64) -> ClientSeed {
        let mut bytes = [0x5a; 32];
        for (at, byte) in format!("{}/{table}/{round_no}", self.name).bytes().enumerate() {
            bytes[at % 32] ^= byte.rotate_left((at / 32) as u32 + 1);
        }
        ClientSeed::from_bytes(bytes)
    }

    /// The hash of the seed for a round, bound to the table's shoe in use.
    pub fn commitment(&self, view: &Value, round_no: u64) -> String {
        let table = view["table"].as_str().unwrap();
        let context = TableContext {
            origin: Origin::parse(view["origin"].as_str().unwrap()).unwrap(),
            table: TableId::parse(table).unwrap(),
            epoch: view["epoch"].as_str().unwrap().parse::<Epoch>().unwrap(),
        };
        seed_commitment(&context, round_no, &self.name, &self.seed(table, round_no)).to_string()
    }

    /// The body of a bet for the table's next round, and its seed.
    pub fn body_for(&self, table: &str, bets: &Value) -> (Value, ClientSeed) {
        let view = self.client.get(&format!("/v1/tables/{table}")).expect_status(200);
        let round_no = view["next_round"].int();
        let commitment = self.commitment(&view, round_no);
        (json!({ "round_no": round_no, "bets": bets, "commitment": commitment }), self.seed(table, round_no))
    }

    /// The body of a bet on box 1 for the table's next round, and its seed.
    pub fn bet_body(&self, table: &str, stake: u64) -> (Value, ClientSeed) {
        self.body_for(table, &json!([{ "spot": "1", "stake": stake }]))
    }

    /// Places a bet on box 1.
    pub fn bet(&self, table: &str, stake: u64) -> PlacedBet {
        self.place_bets(table, &json!([{ "spot": "1", "stake": stake }]))
    }

    /// Places bets.
    pub fn place_bets(&self, table: &str, bets: &Value) -> PlacedBet {
        let (request, seed) = self.body_for(table, bets);
        let reply = self.client.post(&format!("/v1/tables/{table}/bets"), &request).expect_status(200);
        PlacedBet { round: reply["round"]["id"].text(), seed, request, reply }
    }

    /// Bets at a solo table until a dealt round is not over at once; returns its bet.
    pub fn open_round(&self, table: &str, stake: u64) -> PlacedBet {
        loop {
            let placed = self.bet(table, stake);
            if self.reveal(&placed)["round"]["phase"] == "open" {
                return placed;
            }
        }
    }

    /// Reveals the seed of a bet; the reply with the deal.
    pub fn reveal(&self, placed: &PlacedBet) -> Value {
        let body = json!({ "player": self.name.as_str(), "seed": placed.seed.to_string() });
        self.client.post(&format!("/v1/rounds/{}/reveals", placed.round), &body).expect_status(200)
    }

    /// Takes the first open decision of a round view.
    pub fn act(&self, round: &Value, action: Value) -> Value {
        let id = round["id"].as_str().unwrap();
        let decision = &round["decisions"][0]["decision"];
        self.client
            .post(&format!("/v1/rounds/{id}/actions"), &json!({ "decision": decision, "action": action }))
            .expect_status(200)
    }

    /// Plays on by declining and standing until the round is over; returns the last reply.
    pub fn stand_out(&self, mut reply: Value) -> Value {
        while let Some(first) = reply["round"]["decisions"].get(0) {
            let insurance = first["options"][0]["action"] == "insurance";
            let action = if insurance { json!({ "insurance": { "take": false } }) } else { json!("stand") };
            reply = self.act(&reply["round"].clone(), action);
        }
        reply
    }

    /// A whole round: bet, reveal, stand.
    pub fn play(&self, table: &str, stake: u64) -> Value {
        let placed = self.bet(table, stake);
        let dealt = self.reveal(&placed);
        self.stand_out(dealt)
    }

    /// A choice among the options of the first open decision in a reply's round, including doubles and splits.
    pub fn choose(&self, reply: &Value, rng: &mut Rng) -> Value {
        choose_at(&reply["round"], &reply["round"]["decisions"][0], rng)
    }

    /// Plays a whole round with random choices; returns the last reply.
    pub fn play_randomly(&self, table: &str, stake: u64, rng: &mut Rng) -> Value {
        let placed = self.bet(table, stake);
        let mut reply = self.reveal(&placed);
        while reply["round"]["phase"] == "open" {
            let action = self.choose(&reply, rng);
            reply = self.act(&reply["round"].clone(), action);
        }
        reply
    }

    /// A table of the player's own.
    pub fn open_table(&self) -> String {
        let made = self.client.post("/v1/tables", &json!({ "rules": "joy" })).expect_status(201);
        made["table"].text()
    }

    pub fn balance(&self) -> u64 {
        self.client.get(&format!("/v1/players/{}", self.name)).expect_status(200)["balance"].int()
    }
}

/// A random choice among a decision's options, for any game.
pub fn choose_at(round: &Value, decision: &Value, rng: &mut Rng) -> Value {
    let options = decision["options"].list();
    let option = rng.pick(options);
    match option["action"].as_str().unwrap() {
        word @ ("bet" | "raise") => {
            let [least, most] = [0, 1].map(|n| option["to"][n].int());
            let between = least + rng.below((most - least + 1) as usize) as u64;
            json!({ word: { "to": *rng.pick(&[least, least, between, most]) } })
        }
        word @ ("insurance" | "even_money") => json!({ word: { "take": rng.below(2) == 0 } }),
        word @ ("double" | "open" | "discard") => json!({ word: {} }),
        "change" => {
            let own = |player: &&Value| player["player"] == decision["player"];
            let hand = &round["game"]["players"].items().find(own).unwrap()["hand"]["cards"];
            let up: Vec<&Value> = hand.items().map(|card| &card["card"]).filter(|card| !card.is_null()).collect();
            json!({ "change": { "card": *rng.pick(&up) } })
        }
        word => json!(word),
    }
}
