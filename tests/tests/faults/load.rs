//! Players under load whose service dies: each remembers the acknowledged entries and the request in progress when the
//! connection broke, and checks the next start against them.

use super::watch::Watch;
use super::{Dice, audit, require_sound};
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableContext, TableId, seed_commitment};
use fairshoe_house::{Command, Entry};
use fairshoe_tests::{Client, Json, Player, Reply, Service};
use fairshoe_tlog::{Hash, leaf_hash};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const CHIPS: u64 = 10_000_000;

/// A request that changes state.
#[derive(Clone, Debug)]
struct Asked {
    path: String,
    body: Value,
    /// Only the operator's requests carry one.
    key: Option<String>,
}

/// A request without a reply, or the last one with a reply.
#[derive(Clone, Debug)]
struct Answered {
    asked: Asked,
    index: u64,
    entry: String,
}

/// The memory of any kind of client.
struct Memory {
    name: String,
    token: String,
    acks: Vec<(u64, Hash)>,
    doing: Option<Asked>,
    last: Option<Answered>,
}

impl Memory {
    fn new(name: &str, token: &str) -> Self {
        Memory { name: name.to_owned(), token: token.to_owned(), acks: Vec::new(), doing: None, last: None }
    }

    fn send(&self, url: &str, asked: &Asked) -> Option<Reply> {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(asked.key.as_deref().map(|key| ("idempotency-key", key)));
        Client::new(url, Some(&self.token)).send("POST", &asked.path, Some(asked.body.to_string().as_bytes()), &headers)
    }

    /// Records acknowledged entries, like a client that keeps its receipts.
    fn note(&mut self, asked: &Asked, reply: &Reply) -> Value {
        assert!(matches!(reply.status, 200 | 201), "{}: {asked:?}: {} {}", self.name, reply.status, reply.text());
        let reply = reply.json();
        for receipt in reply["receipts"].list() {
            let (index, entry) = (receipt["index"].int(), receipt["entry"].as_str().unwrap());
            self.acks.push((index, leaf_hash(entry.as_bytes())));
        }
        let own = &reply["receipts"][0];
        let (index, entry) = (own["index"].int(), own["entry"].text());
        self.last = Some(Answered { asked: asked.clone(), index, entry });
        self.doing = None;
        reply
    }

    /// Asks; `None` if the service is gone or ending. Then the request stays in `doing`.
    fn ask(&mut self, client: &Client, asked: Asked) -> Option<Value> {
        self.doing = Some(asked.clone());
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(asked.key.as_deref().map(|key| ("idempotency-key", key)));
        let reply = client.send("POST", &asked.path, Some(asked.body.to_string().as_bytes()), &headers)?;
        if is_gone(&reply) {
            return None;
        }
        Some(self.note(&asked, &reply))
    }

    /// Checks that every acknowledged entry is in the log, and that a repeat of the last request gives the same entry.
    fn hold_to_account(&mut self, url: &str, watch: &Watch) {
        for (index, leaf) in &self.acks {
            let kept = usize::try_from(*index).ok().and_then(|index| watch.leaves.get(index));
            assert_eq!(kept, Some(leaf), "{}: entry {index} was acknowledged", self.name);
        }
        let Some(Answered { asked, index, entry }) = self.last.clone() else { return };
        let reply = self.send(url, &asked).expect("the service was started again");
        assert!(matches!(reply.status, 200 | 201), "{}: repeating {asked:?}: {}", self.name, reply.text());
        let reply = reply.json();
        assert_eq!(reply["receipts"][0]["index"], index, "{}: repeating {asked:?}", self.name);
        assert_eq!(reply["receipts"][0]["entry"], entry.as_str());
        assert!(reply["token"].is_null(), "a repeat never shows a token");
    }
}

/// A player at a table where only they play.
struct Gambler {
    player: Player,
    memory: Memory,
    table: String,
    rollback: bool,
    /// The round in play, as last seen, and the player's balance before its bet.
    round: Option<Value>,
    had: u64,
    dice: Dice,
    rounds: u64,
}

impl Gambler {
    /// Plays until the service is gone, or the test has failed.
    fn play(&mut self, url: &str, failed: &AtomicBool) {
        let client = Client::new(url, Some(&self.memory.token));
        while !failed.load(Ordering::Relaxed) && self.step(&client).is_some() {}
    }

    fn step(&mut self, client: &Client) -> Option<()> {
        let phase = self.round.as_ref().map(|round| round["phase"].text());
        let reply = match phase.as_deref() {
            None => {
                let table = ok(client.send("GET", &format!("/v1/tables/{}", self.table), None, &[])?)?;
                let balance = ok(client.send("GET", &format!("/v1/players/{}", self.memory.name), None, &[])?)?;
                self.had = balance["balance"].int();
                let asked = self.bet(&table);
                self.memory.ask(client, asked)?
            }
            Some("awaiting_reveals") => {
                let asked = self.reveal();
                self.memory.ask(client, asked)?
            }
            Some("open") => {
                let asked = self.act();
                self.memory.ask(client, asked)?
            }
            _ => {
                self.round = None;
                self.rounds += 1;
                return Some(());
            }
        };
        self.round = Some(reply["round"].clone());
        Some(())
    }

    fn bet(&mut self, table: &Value) -> Asked {
        let round_no = table["next_round"].int();
        let context = TableContext {
            origin: Origin::parse(table["origin"].as_str().unwrap()).unwrap(),
            table: TableId::parse(&self.table).unwrap(),
            epoch: table["epoch"].as_str().unwrap().parse::<Epoch>().unwrap(),
        };
        let seed = self.player.seed(&self.table, round_no);
        let commitment = seed_commitment(&context, round_no, &self.player.name, &seed);
        let stake = 1 + self.dice.below(50);
        let body = json!({ "round_no": round_no, "bets": [{ "spot": "1", "stake": stake }], "commitment": commitment.to_string() });
        Asked { path: format!("/v1/tables/{}/bets", self.table), body, key: None }
    }

    fn reveal(&self) -> Asked {
        let round = self.round.as_ref().unwrap();
        let seed = self.player.seed(&self.table, round["round_no"].int());
        let body = json!({ "player": self.memory.name, "seed": seed.to_string() });
        Asked { path: format!("/v1/rounds/{}/reveals", round["id"].as_str().unwrap()), body, key: None }
    }

    fn act(&mut self) -> Asked {
        let round = self.round.as_ref().unwrap();
        let decision = &round["decisions"][0];
        let options: Vec<&str> = decision["options"].items().filter_map(|o| o["action"].as_str()).collect();
        let action = if options.contains(&"insurance") {
            json!({ "insurance": { "take": self.dice.below(2) == 0 } })
        } else if options.contains(&"split") {
            json!("split")
        } else if self.dice.below(2) == 0 {
            json!("hit")
        } else {
            json!("stand")
        };
        let body = json!({ "decision": decision["decision"], "action": action });
        Asked { path: format!("/v1/rounds/{}/actions", round["id"].as_str().unwrap()), body, key: None }
    }

    /// Whether an entry results from this request.
    fn made(&self, asked: &Asked, entry: &Entry) -> bool {
        match &entry.command {
            Command::Bet { table, round_no, commitment, .. } => {
                asked.path == format!("/v1/tables/{table}/bets")
                    && asked.body["round_no"] == *round_no
                    && asked.body["commitment"] == commitment.to_string()
            }
            Command::Reveal { table, round_no, seed, .. } => {
                asked.path == format!("/v1/rounds/{table}:{round_no}/reveals") && asked.body["seed"] == seed.to_string()
            }
            Command::Act { table, round_no, decision, .. } => {
                asked.path == format!("/v1/rounds/{table}:{round_no}/actions") && asked.body["decision"] == *decision
            }
            _ => false,
        }
    }

    /// After a restart: acknowledged entries are there, the request in progress happened entirely or not at all, and
    /// the round is void or continues, by the table's policy.
    fn check(&mut self, url: &str, watch: &Watch) {
        let name = self.memory.name.clone();
        self.memory.hold_to_account(url, watch);
        let client = Client::new(url, Some(&self.memory.token));
        assert_eq!(self.player_balance(&client), watch.balance(&name), "{name}: the balance is the postings' sum");
        if let Some(asked) = self.memory.doing.take() {
            let durable = watch.find(|entry| self.made(&asked, entry));
            let is_bet = asked.path.ends_with("/bets");
            // A bet that is not on the log was for a shoe that is gone: it is placed again, with a new commitment.
            if durable.is_some() || !is_bet {
                let reply = self.memory.send(url, &asked).expect("the service was started again");
                match durable {
                    Some(index) => {
                        let reply = self.memory.note(&asked, &reply);
                        assert_eq!(reply["receipts"][0]["index"], index, "{name}: repeating {asked:?}");
                        self.round = Some(reply["round"].clone());
                    }
                    None if self.rollback => {
                        assert_eq!(reply.status, 409, "{name}: {asked:?} after the round was void: {}", reply.text());
                    }
                    None => self.round = Some(self.memory.note(&asked, &reply)["round"].clone()),
                }
            }
        }
        let Some(round) = self.round.take() else { return };
        let id = round["id"].text();
        let now = client.get(&format!("/v1/rounds/{id}")).expect_status(200)["round"].clone();
        match now["phase"].as_str().unwrap() {
            "voided" => {
                assert!(self.rollback && now["void"]["cause"] == "crash", "{id}: {now}");
                assert_eq!(self.player_balance(&client), self.had, "{id}: the chips of hand start");
                let shoe = client.get(&format!("/v1/shoes/{}/{}", self.table, now["shoe_no"])).expect_status(200);
                assert!(shoe["seeds"].is_array() && shoe["revealed"].is_object(), "{id}: the shoe is not revealed");
            }
            "settled" => {
                let (staked, returned) = (now["staked"].int(), now["returned"].int());
                assert_eq!(self.player_balance(&client), self.had - staked + returned, "{id}");
            }
            phase => {
                assert!(!self.rollback, "{id} is still {phase}");
                let before = &round["entropy"];
                assert!(before.is_null() || now["entropy"] == *before, "{id} goes on with another shuffle");
                self.round = Some(now);
            }
        }
    }

    fn player_balance(&self, client: &Client) -> u64 {
        client.get(&format!("/v1/players/{}", self.memory.name)).expect_status(200)["balance"].int()
    }
}

fn ok(reply: Reply) -> Option<Value> {
    if is_gone(&reply) { None } else { Some(reply.expect_status(200)) }
}

/// Whether it stops, or another node leads.
fn is_gone(reply: &Reply) -> bool {
    matches!(reply.status, 421 | 503)
}

/// The operator, who credits chips under idempotency keys.
struct Desk {
    memory: Memory,
    credits: u64,
}

const DESK_PLAYER: &str = "saver";
const CREDIT: u64 = 7;

impl Desk {
    fn asked(number: u64) -> Asked {
        Asked {
            path: format!("/v1/players/{DESK_PLAYER}/credit"),
            body: json!({ "amount": CREDIT }),
            key: Some(format!("c-{number}")),
        }
    }

    fn work(&mut self, url: &str, failed: &AtomicBool) {
        let client = Client::new(url, Some(&self.memory.token));
        while !failed.load(Ordering::Relaxed) && self.memory.ask(&client, Self::asked(self.credits)).is_some() {
            self.credits += 1;
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
    }

    fn check(&mut self, url: &str, watch: &Watch) {
        self.memory.hold_to_account(url, watch);
        if let Some(asked) = self.memory.doing.take() {
            let before = watch.balance(DESK_PLAYER);
            let durable = before == CREDIT * (self.credits + 1);
            assert!(durable || before == CREDIT * self.credits, "{before} chips after {} credits", self.credits);
            let reply = self.memory.send(url, &asked).expect("the service was started again");
            let reply = self.memory.note(&asked, &reply);
            assert_eq!(reply["receipts"][0]["index"].int() < watch.size(), durable, "a credit repeated is made once");
            self.credits += 1;
        }
    }
}

/// All players and the operator.
pub struct Casino {
    gamblers: Vec<Gambler>,
    desk: Desk,
    pub watch: Watch,
}

impl Casino {
    /// Players, half of them at their own tables (`resume`), half at tables where a crash rolls back.
    pub fn open(service: &Service, players: u64, dice: &mut Dice) -> Self {
        let operator = service.operator();
        let mut desk = Desk { memory: Memory::new("operator", &service.operator_token()), credits: 0 };
        let made = desk.memory.ask(
            &operator,
            Asked { path: "/v1/players".into(), body: json!({ "player": DESK_PLAYER }), key: Some("saver".into()) },
        );
        assert!(made.is_some_and(|reply| reply["token"].is_string()));
        let gamblers = (0..players).map(|number| {
            let player = service.player(&format!("gambler-{number}"), CHIPS);
            let rollback = number % 2 == 1;
            let table = if rollback {
                let body = json!({ "table": format!("rollback-{number}"), "rules": "joy", "options": { "crash": "rollback" } });
                operator.post("/v1/tables", &body).expect_status(201)["table"].text()
            } else {
                player.open_table()
            };
            let memory = Memory::new(player.name.as_str(), &player.token);
            Gambler { player, memory, table, rollback, round: None, had: CHIPS, dice: Dice::seeded(dice.roll()), rounds: 0 }
        });
        Casino { gamblers: gamblers.collect(), desk, watch: Watch::default() }
    }

    /// All play while `disturb` waits and ends the service.
    pub fn play_while(&mut self, url: &str, disturb: impl FnOnce()) {
        let failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for gambler in &mut self.gamblers {
                scope.spawn(|| gambler.play(url, &failed));
            }
            scope.spawn(|| self.desk.work(url, &failed));
            if let Err(panic) = catch_unwind(AssertUnwindSafe(disturb)) {
                // Otherwise they would play on at a service that never ends.
                failed.store(true, Ordering::Relaxed);
                resume_unwind(panic);
            }
        });
    }

    /// Checks a started service against all entries acknowledged before.
    pub fn check(&mut self, service: &Service) {
        let operator = service.operator();
        self.watch.follow(&operator);
        for gambler in &mut self.gamblers {
            gambler.check(&service.url, &self.watch);
        }
        self.desk.check(&service.url, &self.watch);
        self.watch.follow(&operator);
    }

    pub fn rounds(&self) -> u64 {
        self.gamblers.iter().map(|gambler| gambler.rounds).sum()
    }

    pub fn acks(&self) -> usize {
        self.gamblers.iter().map(|gambler| gambler.memory.acks.len()).sum::<usize>() + self.desk.memory.acks.len()
    }

    /// Writes down every acknowledged entry, like `fairshoe-load --acks`.
    pub fn write_acks(&self, path: &Path) {
        let all = self
            .gamblers
            .iter()
            .map(|gambler| &gambler.memory)
            .chain([&self.desk.memory])
            .flat_map(|memory| &memory.acks);
        let lines: String = all.map(|(index, leaf)| format!("{index} {leaf}\n")).collect();
        std::fs::write(path, lines).unwrap();
    }

    /// The auditor judges the running service and then its stopped folder.
    pub fn judge(&self, service: Service) {
        let folder = tempfile::tempdir().unwrap();
        let acks = folder.path().join("acks");
        self.write_acks(&acks);
        let (acks, data) = (acks.to_str().unwrap().to_owned(), service.data.to_str().unwrap().to_owned());
        require_sound(&["log", &service.url, "--acks", &acks, "--json"]);
        assert_eq!(service.stop(), Some(0));
        require_sound(&["log", &data, "--acks", &acks, "--json"]);
        // The control: a missing acknowledged entry must be noticed.
        let mut lines = std::fs::read_to_string(&acks).unwrap();
        lines.push_str(&format!("{} {}\n", self.watch.size() + 1000, leaf_hash(b"lost")));
        std::fs::write(&acks, lines).unwrap();
        assert_eq!(audit(&["log", &data, "--acks", &acks, "--json"]).code, Some(1));
    }

    /// A name for messages.
    pub fn summary(&self) -> String {
        let Watch { starts, crash_voids, resumed, dealt_on, settled, .. } = &self.watch;
        format!(
            "{} rounds by the players, {} acknowledgements, {} entries: {starts} starts, {crash_voids} rounds rolled back, {resumed} resumed \
             with {dealt_on} cards dealt on, {settled} settled, {} credits",
            self.rounds(),
            self.acks(),
            self.watch.size(),
            self.desk.credits
        )
    }
}

/// The player of this name.
pub fn player_id(name: &str) -> PlayerId {
    PlayerId::parse(name).unwrap()
}
