//! Cash tables, over HTTP like any client.

use crate::company::Company;
use crate::{Json, Player, Reply, Service};
use fairshoe_fairness::{
    Composition, HouseShoe, Opening, Origin, ServerSeed, ShoeRoot, TableContext, TableId, shoe_commitment,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Clocks of a table that do not run out during a test.
pub fn patient() -> Value {
    json!({ "bet_time_ms": 60_000, "reveal_time_ms": 60_000, "turn_time_ms": 60_000 })
}

impl Company {
    /// A cash table that the operator opens for these new players, who each have a hundred thousand chips and no seat
    /// yet.
    pub fn at_cash_table(service: &Service, table: &str, rules: &str, options: &Value, names: &[&str]) -> Company {
        Company::at_new_table(service, table, rules, options, names, 100_000)
    }

    /// Takes the first free seat with so many chips.
    pub fn buy_in(&self, player: &Player, amount: u64) -> Reply {
        player.client.post(&self.path("/seat"), &json!({ "buy_in": amount }))
    }

    /// Each player takes a seat with so many chips.
    pub fn buy_in_all(&self, amount: u64) {
        for player in &self.players {
            self.buy_in(player, amount).expect_status(200);
        }
    }

    /// A commitment for a hand, under the epoch of the shoe in use.
    pub fn commit(&self, player: &Player, round_no: u64) -> Reply {
        let body = json!({ "commitment": player.commitment(&self.view(), round_no) });
        player.client.post(&format!("/v1/rounds/{}/commitments", self.round_id(round_no)), &body)
    }

    /// All awaited players commit a seed for the called hand; its number, once seeds are awaited.
    pub fn call(&self) -> u64 {
        let begun = Instant::now();
        loop {
            let view = self.view();
            if let Some(id) = view["round"].as_str() {
                return id.rsplit_once(':').unwrap().1.parse().unwrap();
            }
            if let Some(round_no) = view["cash"]["call"]["round_no"].as_u64() {
                let committed = view["cash"]["committed"].list();
                for name in view["cash"]["call"]["awaited"].items().filter(|name| !committed.contains(name)) {
                    self.commit(self.named(name), round_no).expect_status(200);
                }
            } else {
                std::thread::sleep(Duration::from_millis(5));
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "no hand began within 30 seconds: {}", self.view());
        }
    }

    /// Reveals a player's seed, with their commitment for the next hand if they carry one.
    pub fn reveal_carrying(&self, player: &Player, round_no: u64, carries: bool) -> Reply {
        let seed = player.seed(&self.table, round_no).to_string();
        let mut body = json!({ "player": player.name.as_str(), "seed": seed });
        if carries {
            body["next"] = json!(player.commitment(&self.view(), round_no + 1));
        }
        player.client.post(&format!("/v1/rounds/{}/reveals", self.round_id(round_no)), &body)
    }

    /// A hand is called, all players commit and reveal, and it is dealt. Returns its number.
    pub fn deal(&self, carries: bool) -> u64 {
        let round_no = self.call();
        for contributor in self.round(round_no)["round"]["contributors"].list() {
            self.reveal_carrying(self.named(&contributor["player"]), round_no, carries).expect_status(200);
        }
        round_no
    }

    /// The player of this name.
    pub fn named(&self, name: &Value) -> &Player {
        self.players
            .iter()
            .find(|player| name == player.name.as_str())
            .unwrap_or_else(|| panic!("{name} is none of ours"))
    }

    /// Takes the open decision of a hand; the reply, or `None` if the hand is over.
    pub fn choose(&self, round_no: u64, choice: impl FnOnce(&Value, &Value) -> Value) -> Option<Value> {
        let round = self.round(round_no)["round"].clone();
        let decision = round["decisions"].get(0)?;
        let body = json!({ "decision": decision["decision"], "action": choice(&round, decision) });
        let player = self.named(&decision["player"]);
        Some(player.client.post(&format!("/v1/rounds/{}/actions", self.round_id(round_no)), &body).expect_status(200))
    }

    /// Plays the hand to its end; returns the round's final view.
    pub fn finish(&self, round_no: u64, mut choice: impl FnMut(&Value, &Value) -> Value) -> Value {
        while self.choose(round_no, &mut choice).is_some() {}
        self.round(round_no)["round"].clone()
    }

    /// A player's view of a hand.
    pub fn seen_by(&self, player: &Player, round_no: u64) -> Value {
        player.client.get(&format!("/v1/rounds/{}", self.round_id(round_no))).expect_status(200)
    }

    /// The chips before a player's seat.
    pub fn stack(&self, player: &Player) -> Option<u64> {
        let seats = self.view()["cash"]["seats"].clone();
        let own = seats.items().find(|seat| seat["player"] == player.name.as_str());
        own.map(|seat| seat["stack"].int())
    }
}

/// Checks or calls, and shows.
pub fn passive(_: &Value, decision: &Value) -> Value {
    let offered = |word: &str| decision["options"].items().any(|option| option["action"] == word);
    json!(["check", "call", "show"].into_iter().find(|word| offered(word)).unwrap())
}

/// Folds, or gives the hand up unseen.
pub fn folds(_: &Value, decision: &Value) -> Value {
    let offered = |word: &str| decision["options"].items().any(|option| option["action"] == word);
    json!(["fold", "muck", "show"].into_iter().find(|word| offered(word)).unwrap())
}

/// A player's own cards, checked by them against the root that was committed before any seed was published.
pub fn verify_own(own: &Value, shoe: &Value) -> Vec<String> {
    let root: ShoeRoot = shoe["candidates"][own["candidate"].int() as usize]["root"].as_str().unwrap().parse().unwrap();
    let composition: Composition = shoe["composition"].as_str().unwrap().parse().unwrap();
    let openings = own["openings"].list();
    let open = |opening: &Value| {
        let opening: Opening = serde_json::from_value(opening.clone()).unwrap();
        opening.verify(&root, &composition).unwrap();
        opening.card().unwrap().to_string()
    };
    let cards: Vec<String> = openings.iter().map(open).collect();
    assert_eq!(json!(cards), own["cards"]);
    cards
}

/// Checks the deck that was not dealt: its seed opens its commitment, and orders a proper deck with its root.
pub fn verify_other_deck(view: &Value, shoe: &Value, opened: &Value) {
    let text = |value: &Value| value.text();
    let context = TableContext {
        origin: Origin::parse(&text(&view["origin"])).unwrap(),
        table: TableId::parse(&text(&view["table"])).unwrap(),
        epoch: text(&view["epoch"]).parse().unwrap(),
    };
    let other = 1 - opened["pick"].int() as u8;
    let seed: ServerSeed = text(&opened["others"][0]).parse().unwrap();
    let committed = &shoe["candidates"][usize::from(other)];
    let shoe_no = shoe["shoe_no"].int();
    assert_eq!(shoe_commitment(&context, shoe_no, other, &seed).to_string(), text(&committed["commitment"]));
    let deck = HouseShoe::derive(&seed, &text(&shoe["composition"]).parse().unwrap());
    assert_eq!(deck.root().to_string(), text(&committed["root"]));
}
