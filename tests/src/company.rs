//! Players who play together at a shared table, over HTTP like any client.

use crate::{Client, Json, PlacedBet, Player, Reply, Rng, Service, choose_at};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Players at one table.
pub struct Company {
    pub table: String,
    pub players: Vec<Player>,
    /// A client without a token, with the public view.
    pub public: Client,
}

/// Short clocks, for tests that wait for them to run out.
pub fn quick(bet_ms: u64, reveal_ms: u64, turn_ms: u64) -> Value {
    json!({ "bet_time_ms": bet_ms, "reveal_time_ms": reveal_ms, "turn_time_ms": turn_ms })
}

impl Company {
    /// New players with chips, not seated yet.
    pub fn new(service: &Service, table: &str, names: &[&str], chips: u64) -> Company {
        let players = names.iter().map(|name| service.player(name, chips)).collect();
        Company { table: table.to_owned(), players, public: service.anyone() }
    }

    /// The operator opens a table of these rules. Rounds follow each other at once: tests have no time to look at how
    /// one ended.
    pub fn open(service: &Service, table: &str, rules: &str, options: &Value) {
        let mut all = json!({ "between_hands_ms": null, "away_ms": null });
        all.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        let request = json!({ "table": table, "rules": rules, "options": all });
        service.operator().post("/v1/tables", &request).expect_status(201);
    }

    /// Such tables: each name is a rule set's with a number, which the service's own table has not.
    pub fn open_each(service: &Service, tables: &[&str]) {
        for table in tables {
            Company::open(service, table, table.strip_suffix("-2").unwrap(), &json!({}));
        }
    }

    /// The same at a table of these rules that the operator opens for them.
    pub fn at_new_table(
        service: &Service,
        table: &str,
        rules: &str,
        options: &Value,
        names: &[&str],
        chips: u64,
    ) -> Company {
        Company::open(service, table, rules, options);
        Company::new(service, table, names, chips)
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/v1/tables/{}{rest}", self.table)
    }

    pub fn view(&self) -> Value {
        self.public.get(&self.path("")).expect_status(200)
    }

    pub fn round_id(&self, round_no: u64) -> String {
        format!("{}:{round_no}", self.table)
    }

    pub fn round(&self, round_no: u64) -> Value {
        self.public.get(&format!("/v1/rounds/{}", self.round_id(round_no))).expect_status(200)
    }

    /// Each player takes the first free seat.
    pub fn sit(&self) {
        for player in &self.players {
            player.client.post(&self.path("/seat"), &json!({})).expect_status(200);
        }
    }

    pub fn seat_of(&self, player: &Player) -> Option<u64> {
        let seats = self.view()["seats"].clone();
        let own = seats.items().find(|seat| seat["player"] == player.name.as_str());
        own.map(|seat| seat["seat"].int())
    }

    /// Waits until bets are open, or a hand is called; returns the window or the call.
    pub fn window(&self) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.view();
            if let Some(open) = [&view["window"], &view["cash"]["call"]].into_iter().find(|open| !open.is_null()) {
                return open.clone();
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "bets were not opened within 30 seconds: {}",
                self.view()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The least bet of the table's game for a player, on their own spot or any spot.
    pub fn usual_bets(&self, player: &Player, rng: &mut Rng) -> Value {
        let view = self.view();
        let least = view["rules"]["table"]["stake_min"].int();
        let seat = self.seat_of(player).unwrap().to_string();
        let bet = |spot: &str| json!([{ "spot": spot, "stake": least }]);
        match view["rules"]["game"].as_object().unwrap().keys().next().unwrap().as_str() {
            "blackjack" | "safe" => bet(&seat),
            "baccarat" => bet(rng.pick::<&str>(&["player", "banker", "tie"])),
            _ => {
                let spot = *rng.pick(&["straight:0", "split:17-20", "red", "odd", "dozen:2", "column:3"]);
                json!([{ "spot": spot, "stake": least }, { "spot": "straight:36", "stake": least }])
            }
        }
    }

    /// All players bet in the open or next window; returns the bets by player.
    pub fn bet(&self, rng: &mut Rng) -> Vec<PlacedBet> {
        self.window();
        self.players.iter().map(|player| player.place_bets(&self.table, &self.usual_bets(player, rng))).collect()
    }

    /// A player reveals their seed.
    pub fn reveal(&self, player: &Player, round_no: u64) -> Reply {
        let body = json!({ "player": player.name.as_str(), "seed": player.seed(&self.table, round_no).to_string() });
        player.client.post(&format!("/v1/rounds/{}/reveals", self.round_id(round_no)), &body)
    }

    fn player(&self, name: &Value) -> &Player {
        self.players
            .iter()
            .find(|player| name == player.name.as_str())
            .unwrap_or_else(|| panic!("{name} is none of ours"))
    }

    /// Does the next step that a round in play waits for; the reply, or `None` if the round is over.
    pub fn step(&self, round: &Value, rng: &mut Rng) -> Option<Value> {
        let id = round["id"].as_str().unwrap();
        match round["phase"].as_str().unwrap() {
            "awaiting_reveals" => {
                let waiting = round["contributors"].items().find(|c| c["seed"].is_null()).unwrap();
                Some(self.reveal(self.player(&waiting["player"]), round["round_no"].int()).expect_status(200))
            }
            "open" if round["pile"].is_object() => Some(self.shuffle_step(&round["pile"])),
            "open" => {
                let decision = rng.pick(round["decisions"].list());
                let action = choose_at(round, decision, rng);
                let body = json!({ "decision": decision["decision"], "action": action });
                Some(
                    self.player(&decision["player"])
                        .client
                        .post(&format!("/v1/rounds/{id}/actions"), &body)
                        .expect_status(200),
                )
            }
            _ => None,
        }
    }

    /// Makes one commitment or seed for a new pile.
    pub fn shuffle_step(&self, pile: &Value) -> Value {
        let number = pile["round_no"].int();
        let commits = pile["awaits"] == "commitments";
        let missing = if commits { "commitment" } else { "seed" };
        let part = pile["players"].items().find(|part| part[missing].is_null()).unwrap();
        let player = self.player(&part["player"]);
        if !commits {
            return self.reveal(player, number).expect_status(200);
        }
        let body = json!({ "commitment": player.commitment(&self.view(), number) });
        player.client.post(&format!("/v1/rounds/{}/commitments", self.round_id(number)), &body).expect_status(200)
    }

    /// Plays a whole round from the bets on and calls `watch` after every step; returns the round's number.
    pub fn play(&self, rng: &mut Rng, mut watch: impl FnMut(&Value)) -> u64 {
        let round_no = self.window()["round_no"].int();
        for player in &self.players {
            let placed = player.place_bets(&self.table, &self.usual_bets(player, rng));
            watch(&placed.reply);
        }
        loop {
            let round = self.round(round_no)["round"].clone();
            match self.step(&round, rng) {
                Some(reply) => watch(&reply),
                None => return round_no,
            }
        }
    }
}
