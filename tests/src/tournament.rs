//! Tournaments, over HTTP like any client: register, reveal for draws, play at tables, until it is over.

use crate::company::Company;
use crate::{Client, Json, Player, Reply, Service};
use fairshoe_fairness::{ClientSeed, Epoch, Origin, TableContext, TableId, seat_seed_commitment};
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A player's choice when a round asks for it, from the round and its decision.
pub type Choice = fn(&Value, &Value) -> Value;

/// The time by the clock that the service has, too: UTC milliseconds.
pub fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// A shipped structure, made quick: two big blinds each, so that few hands end it; clocks that no test
/// waits for; no pauses, no breaks and no late registration.
pub fn quick(client: &Client, name: &str, change: impl FnOnce(&mut Value)) -> Value {
    let shipped = client.get(&format!("/v1/structures/{name}")).expect_status(200);
    let mut structure = shipped["structure"].clone();
    structure["entry"]["stack"] = json!(2 * structure["levels"][0]["big"].int());
    structure["entry"]["players_min"] = json!(2);
    structure["entry"]["entries_per_player"] = json!(1);
    structure["breaks"] = json!({ "after": [] });
    for (field, value) in [("guarantee", 0), ("late_levels", 0), ("unregister_ms", 0), ("draw_hands", 0)] {
        structure[field] = json!(value);
    }
    for clock in ["turn_ms", "commit_ms", "reveal_ms"] {
        structure["clocks"][clock] = json!(30_000);
    }
    structure["clocks"]["between_hands_ms"] = json!(0);
    change(&mut structure);
    structure
}

/// A tournament with its players.
pub struct Field {
    pub event: String,
    pub players: Vec<Player>,
    /// A client without a token, with the public view.
    pub public: Client,
}

impl Field {
    /// A tournament that the operator announces, beginning after so many milliseconds; without registered players.
    pub fn announce(service: &Service, event: &str, structure: &Value, names: &[&str], starts_in: u64) -> Field {
        let request = json!({ "tournament": event, "structure": structure, "starts_at": now_ms() + starts_in });
        service.operator().post("/v1/tournaments", &request).expect_status(201);
        let players = names.iter().map(|name| service.player(name, 100_000)).collect();
        Field { event: event.to_owned(), players, public: service.anyone() }
    }

    /// The same with the same tokens, at a restarted service.
    pub fn at(self, service: &Service) -> Field {
        let again = |player: Player| Player { client: service.client(Some(&player.token)), ..player };
        let players = self.players.into_iter().map(again).collect();
        Field { players, public: service.anyone(), ..self }
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/v1/tournaments/{}{rest}", self.event)
    }

    pub fn view(&self) -> Value {
        self.public.get(&self.path("")).expect_status(200)
    }

    /// A player's own standing in it.
    pub fn own(&self, player: &Player) -> Value {
        player.client.get(&self.path("")).expect_status(200)["own"].clone()
    }

    /// Sends a player's request to it.
    pub fn ask(&self, player: &Player, call: &str, body: &Value) -> Reply {
        player.client.post(&self.path(call), body)
    }

    /// A player's seed for the commitment of this number: any 32 bytes, as long as only they know them.
    pub fn seed(&self, player: &Player, seat_use: u64) -> ClientSeed {
        player.seed(&self.event, seat_use)
    }

    /// The hash of that seed, bound to the tournament.
    pub fn commitment(&self, player: &Player, seat_use: u64) -> String {
        let view = self.view();
        let context = TableContext {
            origin: Origin::parse(view["origin"].as_str().unwrap()).unwrap(),
            table: TableId::parse(&self.event).unwrap(),
            epoch: view["epoch"].as_str().unwrap().parse::<Epoch>().unwrap(),
        };
        let number = u16::try_from(seat_use).unwrap();
        seat_seed_commitment(&context, number, &player.name, &self.seed(player, seat_use)).to_string()
    }

    /// The body of a registration with this payment and the next commitment.
    pub fn registration(&self, player: &Player, pay: &str) -> Value {
        let next = self.own(player)["next_use"].int();
        json!({ "commitment": self.commitment(player, next), "pay": pay })
    }

    /// An entry in cash.
    pub fn register(&self, player: &Player) -> Reply {
        self.ask(player, "/registration", &self.registration(player, "cash"))
    }

    pub fn register_all(&self) {
        for player in &self.players {
            self.register(player).expect_status(200);
        }
    }

    /// The path and the body that reveal a player's seed for the open draw, if it awaits theirs.
    pub fn revelation(&self, player: &Player) -> Option<(String, Value)> {
        let view = player.client.get(&self.path("")).expect_status(200);
        let own = &view["own"];
        let seed = self.seed(player, own["reveals_use"].as_u64()?);
        let next = self.commitment(player, own["next_use"].int());
        let body = json!({ "entry_no": own["entry"]["entry_no"], "seed": seed.to_string(), "next": next });
        Some((format!("/draws/{}/reveals", view["draw"]["draw_no"]), body))
    }

    /// All players whose seed is awaited reveal it; returns whether there were any.
    pub fn reveal_all(&self) -> bool {
        let awaited: Vec<_> = self.players.iter().filter_map(|who| Some((who, self.revelation(who)?))).collect();
        for (player, (call, body)) in &awaited {
            self.ask(player, call, body).expect_status(200);
        }
        !awaited.is_empty()
    }

    /// The open tables.
    pub fn tables(&self) -> Vec<Company> {
        let list = self.public.get(&self.path("/tables")).expect_status(200);
        let open = list["tables"].items().filter(|table| table["open"] == true);
        let name = |table: &Value| table["table"].text();
        let company =
            |table| Company { table: name(table), players: self.players.clone(), public: self.public.clone() };
        open.map(company).collect()
    }

    /// One step: seeds for a draw, or a step at each table. Returns whether there was one. A request that comes too
    /// late, because the house went on meanwhile, is refused.
    pub fn step(&self, choice: Choice) -> bool {
        let mut done = self.reveal_all();
        for table in self.tables() {
            done |= table.event_step(choice);
        }
        done
    }

    /// Plays until the tournament's view satisfies `enough`; returns that view.
    pub fn play_until(&self, choice: Choice, mut enough: impl FnMut(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.view();
            if enough(&view) {
                return view;
            }
            if !self.step(choice) {
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(begun.elapsed() < Duration::from_secs(90), "{} goes on: {}", self.event, self.view());
        }
    }

    /// Plays to the end.
    pub fn play(&self, choice: Choice) -> Value {
        self.play_until(choice, |view| view["summary"]["stage"] == "ended")
    }

    /// Waits, without playing, until the view satisfies `enough`.
    pub fn wait_until(&self, mut enough: impl FnMut(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.view();
            if enough(&view) {
                return view;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{} does not come to it: {view}", self.event);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The winner and the others.
    pub fn winner(&self) -> (&Player, Vec<&Player>) {
        let first = |player: &&Player| self.own(player)["entry"]["rank"] == json!([1, 1]);
        let (mut first, others): (Vec<_>, Vec<_>) = self.players.iter().partition(first);
        (first.pop().unwrap(), others)
    }
}

impl Company {
    /// One step at a table of a tournament, like `Field::step`.
    fn event_step(&self, choice: Choice) -> bool {
        let view = self.public.get(&self.path(""));
        if view.status != 200 {
            return false;
        }
        let view = view.json();
        if let Some(id) = view["round"].as_str() {
            let round_no = id.rsplit_once(':').unwrap().1.parse().unwrap();
            let round = self.round(round_no)["round"].clone();
            let decision = &round["decisions"][0];
            if decision.is_object() {
                let body = json!({ "decision": decision["decision"], "action": choice(&round, decision) });
                let player = self.named(&decision["player"]);
                player.client.post(&format!("/v1/rounds/{id}/actions"), &body);
            }
            for part in round["contributors"].items().filter(|part| part["seed"].is_null()) {
                self.reveal(self.named(&part["player"]), round_no);
            }
            return true;
        }
        let Some(round_no) = view["cash"]["call"]["round_no"].as_u64() else { return false };
        let committed = view["cash"]["committed"].list();
        let seated = view["seats"].items().map(|seat| &seat["player"]);
        for name in seated.filter(|name| !committed.contains(name)) {
            let player = self.named(name);
            let body = json!({ "commitment": player.commitment(&view, round_no) });
            player.client.post(&format!("/v1/rounds/{id}/commitments", id = self.round_id(round_no)), &body);
        }
        true
    }
}
