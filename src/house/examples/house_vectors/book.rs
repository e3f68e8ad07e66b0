//! A short complete log whose secrets are public, so that another implementation can decide every command again and
//! compare byte for byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::*;
use fairshoe_games::{Action, Bet, Chips};
use fairshoe_house::{Actor, Command, DecideError, Event, Reference, SeenCheckpoint, Signed, State, TournamentCommand};
use serde_json::json;

pub const FILE: &str = "entries-joy.json";

/// The book being written, with every refusal met on the way.
pub struct Writer {
    pub house: House,
    pub refused: Vec<serde_json::Value>,
}

impl Writer {
    /// Before the first start.
    pub fn new() -> Writer {
        Writer { house: House::unstarted(), refused: Vec::new() }
    }

    /// Refused at this place of the log: says by whom, what and why.
    pub fn refuse(&mut self, by: &Actor, command: Command) {
        self.refuse_signed(by, None, command);
    }

    /// The same with what somebody sends as a signature.
    pub fn refuse_signed(&mut self, by: &Actor, signed: Option<Signed>, command: Command) {
        let (after, code) = (self.house.log.len(), self.code(by, signed.as_ref(), &command));
        let mut case = json!({"after_entries": after, "now": self.house.now, "by": by.to_string(), "command": command, "code": code});
        if let Some(signed) = signed {
            case["signed"] = json!(signed);
            // What the signature is of, or not of, to the byte.
            case["command_text"] = json!(serde_json::to_string(&command).unwrap());
        }
        self.refused.push(case);
    }

    /// Why this command is refused now.
    pub fn code(&self, by: &Actor, signed: Option<&Signed>, command: &Command) -> &'static str {
        match self.house.state.decide_signed(&self.house.seeds, self.house.now, by, signed, command) {
            Err(DecideError::Refused(refusal)) => refusal.code(),
            other => panic!("{command:?}: {other:?}"),
        }
    }

    pub fn tick(&mut self) -> &mut House {
        self.house.now += 1_500;
        &mut self.house
    }

    fn deal(&mut self, stake: u64, want: fn(&[u16]) -> bool) {
        let seed = self.house.wish("t1", "alice", want);
        self.tick().bet("t1", "alice", stake, &seed).unwrap();
        self.tick().reveal("t1", "alice", &seed).unwrap();
    }

    fn act(&mut self, action: Action) {
        self.tick().act("t1", "alice", action).unwrap();
    }

    pub fn duties(&mut self) {
        self.tick().run_due();
    }

    /// The house names the state as it is, once.
    pub fn note_state(&mut self) {
        let note = |state: &State, size: u64| Command::NoteState { size, root: state.root().unwrap() };
        let size = self.house.state.size();
        let named = note(&self.house.state, size);
        self.refuse(&Actor::Operator, named.clone());
        for other in [0, size - 1, size + 1] {
            let other = note(&self.house.state, other);
            self.refuse(&Actor::House, other);
        }
        self.tick().give(&Actor::House, named.clone()).unwrap();
        self.refuse(&Actor::House, named);
    }
}

fn write() -> Writer {
    let mut w = Writer::new();
    let operator = Actor::Operator;
    w.refuse(&operator, Command::CreatePlayer { player: player("alice"), key: None });
    w.house.start().unwrap();
    w.tick().give(&operator, Command::CreatePlayer { player: player("alice"), key: None }).unwrap();
    w.tick().give(&operator, Command::CreatePlayer { player: player("bob"), key: None }).unwrap();
    w.tick().give(&operator, Command::IssueToken { holder: "player:alice".parse().unwrap(), revoke: false }).unwrap();
    let reference = Reference::parse("desk 4");
    w.tick().give(&operator, Command::Credit { player: player("alice"), amount: chips(1000), reference }).unwrap();
    w.tick().credit("bob", 20).unwrap();
    w.tick().withdraw("bob", 5).unwrap();
    w.refuse(&operator, Command::Withdraw { player: player("bob"), amount: chips(16), reference: None });
    w.tick().give(&operator, Command::OpenTable { table: table("t1"), rules: joy(&[]), replaces: None }).unwrap();
    w.duties();

    // Round 0: a blackjack, paid 3:2 rounded up; the chips are listed, the checkpoint seen is named.
    let seed = w.house.wish("t1", "alice", |v| v[..4] == [1, 9, 10, 10]);
    let Command::Bet { table: at, round_no, commitment, .. } = w.house.bet_command("t1", "alice", 7, &seed) else {
        unreachable!()
    };
    let listed: Vec<Chips> = [5, 1, 1].map(chips).to_vec();
    let bets = vec![Bet { spot: "1".into(), stake: chips(7), chips: Some(listed) }];
    w.tick().give(&by("alice"), Command::Bet { table: at, round_no, bets, commitment }).unwrap();
    let another = w.house.bet_command("t1", "bob", 1, &seed);
    w.refuse(&by("bob"), another);
    let Command::Reveal { table: at, round_no, player: who, seed, .. } = w.house.reveal_command("t1", "alice", &seed)
    else {
        unreachable!()
    };
    let saw = Some(SeenCheckpoint { size: w.house.log.len() as u64, root: format!("{}=", "A".repeat(43)) });
    w.tick().give(&Actor::Anyone, Command::Reveal { table: at, round_no, player: who, seed, saw, next: None }).unwrap();
    let not_his = w.house.act_command("t1", Action::Hit);
    w.refuse(&by("bob"), not_his);
    w.act(Action::Stand);
    w.duties();
    // Round 1: insurance taken and lost, a split, a double on the first hand, hit and stand on the second.
    w.deal(9, |v| {
        v[..4] == [8, 1, 8, 9] && (2..=9).contains(&v[4]) && (2..=4).contains(&v[6]) && (2..=9).contains(&v[7])
    });
    w.act(Action::Insurance { take: true });
    w.act(Action::Split);
    w.act(Action::Double { amount: None });
    w.act(Action::Hit);
    w.act(Action::Stand);
    w.duties();
    // Round 2: insurance taken and won.
    w.deal(5, |v| v[..4] == [10, 1, 9, 10]);
    w.act(Action::Insurance { take: true });
    w.duties();
    // Round 3: the state is named in mid-hand; a crash; the round is resumed and busts.
    w.deal(10, |v| v[..5] == [10, 6, 6, 10, 10]);
    w.note_state();
    w.tick().crash();
    let named = Command::NoteState { size: w.house.state.size(), root: w.house.state.root().unwrap() };
    w.refuse(&Actor::House, named);
    let early = w.house.act_command("t1", Action::Hit);
    w.refuse(&by("alice"), early);
    w.duties();
    w.act(Action::Hit);
    w.duties();
    // Round 4: the operator voids it in mid-hand, after a split.
    w.deal(10, |v| v[..4] == [8, 6, 8, 10]);
    w.act(Action::Split);
    let reason = Reference::parse("power supply").unwrap();
    w.tick().give(&operator, Command::VoidRound { table: table("t1"), round_no: 4, reason }).unwrap();
    w.duties();
    // Round 5: the seed never comes.
    let seed = w.house.any_seed("t1");
    w.tick().bet("t1", "alice", 3, &seed).unwrap();
    // Nor is the round void by the operator's word meanwhile.
    w.refuse(
        &operator,
        Command::VoidRound { table: table("t1"), round_no: 5, reason: Reference::parse("power supply").unwrap() },
    );
    let late = |seed| Command::LateSeed { table: table("t1"), round_no: 5, player: player("alice"), seed };
    w.refuse(&Actor::Anyone, late(seed.clone()));
    w.house.now += DAY;
    w.refuse(&Actor::Anyone, w.house.reveal_command("t1", "alice", &seed));
    w.duties();
    // It comes late, when the shoe is out already; another does not open, and it comes once.
    w.refuse(&Actor::Anyone, late(fairshoe_fairness::ClientSeed::from_bytes([9; 32])));
    w.tick().give(&Actor::Anyone, late(seed.clone())).unwrap();
    w.refuse(&by("alice"), late(seed));
    // Round 6: abandoned, finished by default play.
    w.deal(6, |v| v[..4] == [8, 1, 8, 9] && (2..=9).contains(&v[4]));
    w.act(Action::Insurance { take: false });
    w.act(Action::Split);
    w.house.now += DAY;
    w.duties();
    // A rollback table of alice's own: a crash before the reveal voids the round; then it idles until it is closed.
    w.tick()
        .give(
            &by("alice"),
            Command::OpenTable { table: table("own"), rules: joy(&[("crash", "rollback")]), replaces: None },
        )
        .unwrap();
    w.duties();
    let seed = w.house.any_seed("own");
    w.tick().bet("own", "alice", 8, &seed).unwrap();
    w.house.now += HOUR;
    w.house.crash();
    w.duties();
    w.house.now += HOUR;
    w.duties();
    w
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Refusals of this file's log that a search found: `tests/second_verifier/search.js`.
fn found(file: &str) -> Vec<serde_json::Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/house_vectors/found.json");
    let all: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let ours = |case: &&serde_json::Value| case["log"] == file;
    all.as_array().unwrap().iter().filter(ours).cloned().collect()
}

impl Writer {
    /// Such a refusal, decided here again.
    fn again(&self, state: &State, case: &serde_json::Value) -> serde_json::Value {
        let mut case = case.clone();
        case.as_object_mut().unwrap().remove("log");
        let by = serde_json::from_value(case["by"].clone()).unwrap();
        let command: Command = serde_json::from_value(case["command"].clone()).unwrap();
        if matches!(&command, Command::OpenTable { .. } | Command::Tournament(TournamentCommand::Create { .. })) {
            // The fields of rule sets and structures have an order.
            case["command_text"] = json!(serde_json::to_string(&command).unwrap());
        }
        match state.decide(&self.house.seeds, case["now"].as_u64().unwrap(), &by, &command) {
            Err(DecideError::Refused(refusal)) => assert_eq!(refusal.code(), case["code"], "{case}"),
            other => panic!("{case}: {other:?}"),
        }
        case
    }

    /// This file's text: `about` for the reader, `more` fields of this file alone, the balances of these accounts.
    pub fn text(&self, file: &str, about: &str, more: &str, accounts: &[&str]) -> String {
        let mut seeds = Vec::new();
        for entry in entries(&self.house.log) {
            for event in &entry.events {
                if let (Event::SeedRevealed { player, seed } | Event::SeedLate { player, seed, .. }, Some(at)) =
                    (event, &entry.at)
                {
                    let round_no = entry.command.round_no().unwrap();
                    seeds.push(
                        json!({"table": at.table, "round_no": round_no, "player": player, "seed": seed.to_string()}),
                    );
                }
            }
        }
        let mut balances = serde_json::Map::new();
        for name in accounts {
            let account = serde_json::from_value(json!(name)).unwrap();
            balances.insert((*name).into(), json!(self.house.state.ledger().balance(&account)));
        }
        let mut state = State::new();
        let (mut roots, mut refused) = (Vec::new(), self.refused.clone());
        let more_refused = found(file);
        for (after, entry) in entries(&self.house.log).iter().enumerate() {
            for case in more_refused.iter().filter(|case| case["after_entries"] == after) {
                refused.push(self.again(&state, case));
            }
            state.apply(entry).unwrap();
            roots.push(json!(state.root().unwrap()).to_string());
        }
        let at_end = more_refused.iter().filter(|case| case["after_entries"] == roots.len());
        refused.extend(at_end.map(|case| self.again(&state, case)));
        let state_lines = state.lines().unwrap().into_iter().map(|line| json!(line).to_string()).collect();
        let lines = |values: Vec<String>| values.join(",\n    ");
        let entries =
            self.house.log.iter().map(|bytes| json!(String::from_utf8(bytes.clone()).unwrap()).to_string()).collect();
        format!(
            "{{\n  \"about\": {},\n  \"master\": \"{}\",\n{more}  \"client_seeds\": [\n    {}\n  ],\n  \
             \"entries\": [\n    {}\n  ],\n  \"refused\": [\n    {}\n  ],\n  \"balances\": {},\n  \
             \"state_roots\": [\n    {}\n  ],\n  \"state_lines\": [\n    {}\n  ]\n}}\n",
            json!(about),
            hex(&MASTER),
            lines(seeds.iter().map(ToString::to_string).collect()),
            lines(entries),
            lines(refused.iter().map(ToString::to_string).collect()),
            serde_json::Value::Object(balances),
            lines(roots),
            lines(state_lines),
        )
    }
}

/// The file's text.
pub fn text() -> String {
    let rules = joy(&[]);
    let more =
        format!("  \"rule_set\": {},\n  \"rule_set_digest\": \"{}\",\n", json!(rules.canonical()), rules.digest());
    let about = "A whole log of two solo JOY tables; spec/entries.md. `entries` are exact: decide each entry's command, given by its `by` at its `time`, with this master key, and compare the bytes. `refused` are commands given after so many entries.";
    write().text(FILE, about, &more, &["cage", "house", "player:alice", "player:bob", "table:t1"])
}
