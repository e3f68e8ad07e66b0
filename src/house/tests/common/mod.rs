//! A house in memory: commands go in, canonical bytes come out, and only those bytes survive a crash.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// A closure that says something of an event, or of what it holds, of this form alone.
macro_rules! some {
    ($form:pat $(if $so:expr)? => $said:expr) => {
        |event| match event {
            $form $(if $so)? => Some($said),
            _ => None,
        }
    };
}
#[allow(unused_imports)] // not every program with this file has such tests
pub(crate) use some;

pub mod crowd;
pub mod play;
pub mod poker;
pub mod rng;
pub mod rooms;
pub mod rule_sets;
pub mod safe;
pub mod shared;
pub mod watch;
pub mod world;

use fairshoe_fairness::{
    Card, ClientSeed, Epoch, HouseShoe, Master, Origin, PlayerId, PublicShuffle, TableContext, TableId,
    derive_client_seed, round_entropy, seed_commitment,
};
use fairshoe_games::blackjack::card_value;
use fairshoe_games::{Action, ActionKind, Bet, Chips, RoundEvent, RuleSet};
use fairshoe_house::{
    Account, Actor, Command, Dealer, DecideError, Entry, Event, Nonce, OVERDUE_GRACE_MS, Phase, PlayerKey, Reference,
    Refusal, RoundResult, SeedDealer, Signed, State, Table,
};
use fairshoe_tlog::SecretKey;
use std::collections::BTreeMap;

pub const MINUTE: u64 = 60_000;
pub const HOUR: u64 = 60 * MINUTE;
pub const DAY: u64 = 24 * HOUR;
/// When the first house of each test starts. The vectors say the later one; a log that a whole auditor reads must not
/// be dated after the auditor's own clock.
pub const T0: u64 = if matches!(env!("CARGO_PKG_NAME").as_bytes(), b"fairshoe-house" | b"fairshoe-judge") {
    1_800_000_000_000
} else {
    1_700_000_000_000
};
pub const ORIGIN: &str = "fairshoe.example/log";
pub const MASTER: [u8; 32] = [0x4d; 32];

/// What a round was to a player.
pub fn result(who: &str, staked: u64, returned: u64) -> RoundResult {
    RoundResult { player: player(who), staked: chips(staked), returned: chips(returned) }
}

pub fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

pub fn player(name: &str) -> PlayerId {
    PlayerId::parse(name).unwrap()
}

pub fn table(name: &str) -> TableId {
    TableId::parse(name).unwrap()
}

pub fn by(name: &str) -> Actor {
    Actor::Player(player(name))
}

pub fn joy(options: &[(&str, &str)]) -> RuleSet {
    RuleSet::shipped("joy").unwrap().with_options(options.iter().copied()).unwrap()
}

/// 1 as a rule; more where somebody asked for the slow tests.
pub fn effort() -> u64 {
    if std::env::var_os("FAIRSHOE_SLOW").is_some_and(|v| v == "1") { 20 } else { 1 }
}

/// Card values (an ace is 1) of the first cards a round would draw.
pub fn values(cards: &[Card]) -> Vec<u16> {
    cards.iter().map(|card| card_value(*card)).collect()
}

/// What was refused, or a panic.
#[track_caller]
pub fn refusal<T: std::fmt::Debug>(result: Result<T, DecideError>) -> Refusal {
    match result {
        Err(DecideError::Refused(refusal)) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

pub struct House {
    /// The log's name.
    pub origin: &'static str,
    pub state: State,
    pub dealer: Box<dyn Dealer>,
    pub seeds: SeedDealer,
    pub now: u64,
    /// What a disk would hold.
    pub log: Vec<Vec<u8>>,
    pub starts: u8,
    /// The secrets from which players at shared tables derive their seeds, where a test chose them.
    pub secrets: BTreeMap<String, [u8; 32]>,
    /// What players sign with. A player who has a key in force and a pen here signs each of their commands.
    pub pens: BTreeMap<String, SecretKey>,
}

impl House {
    /// Before its first start.
    pub fn unstarted() -> House {
        let seeds = || SeedDealer::new(Master::from_bytes(MASTER));
        House {
            origin: ORIGIN,
            state: State::new(),
            dealer: Box::new(seeds()),
            seeds: seeds(),
            now: T0,
            log: Vec::new(),
            starts: 0,
            secrets: BTreeMap::new(),
            pens: BTreeMap::new(),
        }
    }

    pub fn new() -> House {
        let mut house = House::unstarted();
        house.start().unwrap();
        house
    }

    /// A started house with `t1` under these options and alice with `balance`.
    pub fn with_table(options: &[(&str, &str)], balance: u64) -> House {
        let mut house = House::new();
        house.add_player("alice", balance);
        house.open("t1", options);
        house
    }

    pub fn start_command(&self, epoch: u8) -> Command {
        Command::StartDealer {
            origin: Origin::parse(self.origin).unwrap(),
            epoch: Epoch::from_bytes([epoch; 32]),
            master_id: Master::from_bytes(MASTER).id(),
            software: Reference::parse("fairshoe/0.1.0").unwrap(),
        }
    }

    pub fn start(&mut self) -> Result<Entry, DecideError> {
        self.starts += 1;
        let command = self.start_command(self.starts);
        self.give(&Actor::House, command)
    }

    /// The process dies: all but the log is gone. Nothing is dealt with yet.
    pub fn crash(&mut self) {
        self.state = fold(&self.log);
        self.start().unwrap();
    }

    /// Gives the player the secret key of this byte and says what its public one is. It counts once it is on the log.
    pub fn pen(&mut self, name: &str, byte: u8) -> PlayerKey {
        let pen = SecretKey::from_seed(&[byte; 32]);
        let key = PlayerKey::from_bytes(pen.public_key());
        self.pens.insert(name.into(), pen);
        key
    }

    /// This player's signature of a command, whatever the log says of their key.
    pub fn sign(&self, name: &str, nonce: u64, command: &Command) -> Signed {
        let origin = Origin::parse(self.origin).unwrap();
        Signed::make(&self.pens[name], &origin, &player(name), Nonce::new(nonce).unwrap(), command).unwrap()
    }

    /// A command, signed with the next nonce if the player has a key and a pen.
    pub fn give(&mut self, by: &Actor, command: Command) -> Result<Entry, DecideError> {
        let signed = match by {
            Actor::Player(who)
                if self.state.key_at(who, self.now).is_some() && self.pens.contains_key(who.as_str()) =>
            {
                Some(self.sign(who.as_str(), self.state.last_nonce(who) + 1, &command))
            }
            _ => None,
        };
        self.give_signed(by, signed, command)
    }

    /// Decides, encodes, decodes, applies, as the service does. A house that is awake has done by then what was due.
    pub fn give_signed(&mut self, by: &Actor, signed: Option<Signed>, command: Command) -> Result<Entry, DecideError> {
        if *by != Actor::House && self.state.overdue(self.now).is_some() {
            self.run_due();
        }
        self.give_late(by, signed, command)
    }

    /// The same of a house that may have let something pass.
    pub fn give_late(&mut self, by: &Actor, signed: Option<Signed>, command: Command) -> Result<Entry, DecideError> {
        let entry = self.state.decide_signed(self.dealer.as_ref(), self.now, by, signed.as_ref(), &command)?;
        let bytes = entry.encode().unwrap();
        let decoded = Entry::decode(&bytes).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&bytes)));
        assert_eq!(decoded, entry);
        self.state.apply(&decoded).unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&bytes)));
        self.log.push(bytes);
        Ok(entry)
    }

    /// Everything the house has to do by itself until now. However far a test has moved the clock, nothing waited for
    /// longer than a house may let it.
    pub fn run_due(&mut self) -> Vec<Entry> {
        let (now, mut entries) = (self.now, Vec::new());
        loop {
            let latest = self.state.due_since().map_or(now, |since| since.saturating_add(OVERDUE_GRACE_MS));
            self.now = now.min(latest).max(self.state.last_time());
            let Some((by, command)) = self.state.due(self.now) else { break };
            entries.push(self.give(&by, command).unwrap());
            assert!(entries.len() < 10_000, "the house's duties do not end");
        }
        self.now = now;
        entries
    }

    /// Time goes by, and the house does each thing when it is due.
    pub fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        self.run_due();
        while let Some(next) = self.state.next_deadline().filter(|next| *next <= until) {
            self.now = self.now.max(next);
            assert!(!self.run_due().is_empty(), "a deadline passes and nothing is due");
        }
        self.now = until;
    }

    pub fn add_player(&mut self, name: &str, balance: u64) {
        self.give(&Actor::Operator, Command::CreatePlayer { player: player(name), key: None }).unwrap();
        if balance > 0 {
            self.credit(name, balance).unwrap();
        }
    }

    pub fn credit(&mut self, name: &str, amount: u64) -> Result<Entry, DecideError> {
        self.give(&Actor::Operator, Command::Credit { player: player(name), amount: chips(amount), reference: None })
    }

    pub fn withdraw(&mut self, name: &str, amount: u64) -> Result<Entry, DecideError> {
        self.give(&Actor::Operator, Command::Withdraw { player: player(name), amount: chips(amount), reference: None })
    }

    /// An operator's table with its first shoe.
    pub fn open(&mut self, name: &str, options: &[(&str, &str)]) {
        self.give(&Actor::Operator, Command::OpenTable { table: table(name), rules: joy(options), replaces: None })
            .unwrap();
        self.run_due();
    }

    pub fn table(&self, name: &str) -> &Table {
        self.state.table(&table(name)).unwrap()
    }

    pub fn context(&self, name: &str) -> TableContext {
        self.table(name).shoe.as_ref().unwrap().id.context.clone()
    }

    pub fn phase(&self, name: &str) -> Option<Phase> {
        self.table(name).round.as_ref().map(|round| round.phase)
    }

    pub fn balance(&self, name: &str) -> u64 {
        self.state.ledger().player(&player(name)).unwrap().units()
    }

    pub fn house_balance(&self) -> i64 {
        self.state.ledger().balance(&Account::House).unwrap()
    }

    pub fn escrow(&self, name: &str) -> i64 {
        self.state.ledger().balance(&Account::Table(table(name))).unwrap()
    }

    /// The faces in the order in which the next round would draw them with this seed.
    pub fn draws(&self, name: &str, who: &str, seed: &ClientSeed) -> Vec<Card> {
        let shoe = self.table(name).shoe.as_ref().unwrap();
        self.draws_from(&self.seeds.derive(&shoe.id, 0).1, name, who, seed)
    }

    fn draws_from(&self, dealt: &HouseShoe, name: &str, who: &str, seed: &ClientSeed) -> Vec<Card> {
        let at = self.table(name);
        let shoe = at.shoe.as_ref().unwrap();
        let entropy = round_entropy(
            &shoe.id.context,
            shoe.id.shoe_no,
            &[shoe.candidates[0].root],
            at.next_round,
            &[(player(who), seed.clone())],
        )
        .unwrap();
        PublicShuffle::new(&entropy, 1, &shoe.undrawn).order.into_iter().map(|slot| dealt.card(slot).unwrap()).collect()
    }

    /// A client seed, derived as a client should, whose round draws cards of which `want` is true.
    #[track_caller]
    pub fn wish(&self, name: &str, who: &str, want: impl Fn(&[u16]) -> bool) -> ClientSeed {
        let dealt = self.seeds.derive(&self.table(name).shoe.as_ref().unwrap().id, 0).1;
        (0..200_000u32)
            .map(|n| {
                let mut secret = [0x5e; 32];
                secret[..4].copy_from_slice(&n.to_be_bytes());
                derive_client_seed(&secret, &self.context(name), self.table(name).next_round)
            })
            .find(|seed| want(&values(&self.draws_from(&dealt, name, who, seed))))
            .expect("no such deal in 200,000")
    }

    pub fn any_seed(&self, name: &str) -> ClientSeed {
        derive_client_seed(&[0x5e; 32], &self.context(name), self.table(name).next_round)
    }

    pub fn bet_command(&self, name: &str, who: &str, stake: u64, seed: &ClientSeed) -> Command {
        let round_no = self.table(name).next_round;
        let commitment = seed_commitment(&self.context(name), round_no, &player(who), seed);
        Command::Bet {
            table: table(name),
            round_no,
            bets: vec![Bet { spot: "1".into(), stake: chips(stake), chips: None }],
            commitment,
        }
    }

    pub fn bet(&mut self, name: &str, who: &str, stake: u64, seed: &ClientSeed) -> Result<Entry, DecideError> {
        let command = self.bet_command(name, who, stake, seed);
        self.give(&by(who), command)
    }

    pub fn reveal_command(&self, name: &str, who: &str, seed: &ClientSeed) -> Command {
        let round_no = self.table(name).live_round().map_or(self.table(name).next_round, |round| round.round_no);
        Command::Reveal { table: table(name), round_no, player: player(who), seed: seed.clone(), saw: None, next: None }
    }

    pub fn reveal(&mut self, name: &str, who: &str, seed: &ClientSeed) -> Result<Entry, DecideError> {
        let command = self.reveal_command(name, who, seed);
        self.give(&Actor::Anyone, command)
    }

    /// Bets and reveals a seed that draws the cards wished for; the reply to the reveal.
    #[track_caller]
    pub fn deal(&mut self, name: &str, who: &str, stake: u64, want: impl Fn(&[u16]) -> bool) -> Entry {
        let seed = self.wish(name, who, want);
        self.bet(name, who, stake, &seed).unwrap();
        self.reveal(name, who, &seed).unwrap()
    }

    pub fn act_command(&self, name: &str, action: Action) -> Command {
        let round = self.table(name).live_round().expect("a round is in progress");
        let decision = round.game.open_decisions().first().map_or(0, |open| open.number);
        Command::Act { table: table(name), round_no: round.round_no, decision, action }
    }

    pub fn act(&mut self, name: &str, who: &str, action: Action) -> Result<Entry, DecideError> {
        let command = self.act_command(name, action);
        self.give(&by(who), command)
    }

    /// The words offered now.
    pub fn offered(&self, name: &str) -> Vec<ActionKind> {
        let Some(round) = self.table(name).live_round() else { return Vec::new() };
        let decisions = round.game.open_decisions();
        decisions
            .iter()
            .flat_map(|open| round.game.options(open.number, self.state.funds(&open.player)))
            .map(|offer| offer.action)
            .collect()
    }

    /// Stands until the round is over.
    pub fn finish(&mut self, name: &str, who: &str) {
        while self.table(name).live_round().is_some() {
            let action = if self.offered(name).contains(&ActionKind::Insurance) {
                Action::Insurance { take: false }
            } else {
                Action::Stand
            };
            self.act(name, who, action).unwrap();
        }
    }

    pub fn fingerprint(&self) -> String {
        fingerprint(&self.state)
    }
}

/// The state that a log folds to.
pub fn fold(log: &[Vec<u8>]) -> State {
    let mut state = State::new();
    for bytes in log {
        state.apply(&Entry::decode(bytes).unwrap()).unwrap();
    }
    state
}

/// The state of these lines, of which one may name entries of the log.
pub fn read_lines(log: &[Vec<u8>], lines: &[String]) -> Result<State, fairshoe_house::NoState> {
    let mut entry = |index: u64| match log.get(index as usize) {
        Some(bytes) => Ok(Entry::decode(bytes).unwrap()),
        None => Err("no such entry".to_owned()),
    };
    State::from_lines(log.len() as u64, lines.iter().map(String::as_str), &mut entry)
}

/// As the log has it and as its lines have it, the state is the one that stands.
#[track_caller]
pub fn check_lines(house: &House) {
    let (state, lines) = (&house.state, house.state.lines().unwrap());
    assert_eq!(state.ledger().total(), 0);
    assert_eq!(fold(&house.log).root().unwrap(), state.root().unwrap());
    let read = read_lines(&house.log, &lines).unwrap();
    assert_eq!((read.root().unwrap(), read.lines().unwrap()), (state.root().unwrap(), lines));
}

/// Names that tests use; the ledger does not list its accounts.
pub const NAMES: [&str; 8] = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"];

/// Everything of a state that a later decision can depend on, as text.
pub fn fingerprint(state: &State) -> String {
    let mut text =
        format!("{:?} {:?} {} total {}\n", state.origin(), state.epoch(), state.last_time(), state.ledger().total());
    for name in NAMES {
        let who = player(name);
        let held = (
            state.conduct().until(&who),
            state.conduct().next(&who, state.last_time()),
            state.conduct().refunds(&who, state.last_time()),
        );
        text += &format!(
            "{name} {:?} {held:?} {:?} {}\n",
            state.ledger().player(&who),
            state.key(&who),
            state.last_nonce(&who)
        );
    }
    for account in [Account::Cage, Account::House] {
        text += &format!("{account} {:?}\n", state.ledger().balance(&account));
    }
    let mut tables: Vec<&Table> = state.tables().collect();
    tables.sort_by_key(|at| at.id.clone());
    for at in tables {
        text += &format!(
            "{} owner {:?} seq {} shoe {} round {} recovery {} down {:?} used {} deadline {:?} escrow {:?}\n",
            at.id,
            at.owner,
            at.next_seq,
            at.next_shoe,
            at.next_round,
            at.needs_recovery,
            at.down_since,
            at.last_used,
            at.next_deadline(),
            state.ledger().balance(&Account::Table(at.id.clone()))
        );
        text += &format!("  {:?} {:?} {:?}\n", at.shoe, at.window(), at.seats);
        text += &format!("  {:?} {:?} {}\n", at.betting(), at.cash(), at.withheld);
        if let Some(round) = &at.round {
            text += &format!(
                "  {} {:?} {:?} {:?} {:?}\n",
                round.round_no, round.phase, round.entropy, round.lanes, round.contributors
            );
            text += &format!("  {} {:?}\n", round.game.view(), round.game.open_decisions());
            text += &format!(
                "  {} {} {:?} {:?} {}\n",
                round.turn_floor, round.exposed, round.piles, round.pile, round.pick
            );
        }
    }
    text + &format!("due {:?} next {:?}", state.due(u64::MAX), state.next_deadline())
}

/// An event's name: `bets_closed`, `play.dealt`.
pub fn name_of(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap();
    let (name, inner) = value.as_object().unwrap().iter().next().unwrap();
    match name.as_str() {
        "play" | "tournament" => format!("{name}.{}", inner.as_object().unwrap().keys().next().unwrap()),
        _ => name.clone(),
    }
}

pub fn names_of(entry: &Entry) -> Vec<String> {
    entry.events.iter().map(name_of).collect()
}

/// The game's events of some entries, deadlines left out, to compare two courses of one round.
pub fn course<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<RoundEvent> {
    let plays =
        entries.into_iter().flat_map(|entry| &entry.events).filter_map(some!(Event::Play(play) => play.clone()));
    plays
        .map(|mut play| {
            if let RoundEvent::Offered { deadline, .. } = &mut play {
                *deadline = 0;
            }
            play
        })
        .collect()
}

pub fn entries(log: &[Vec<u8>]) -> Vec<Entry> {
    log.iter().map(|bytes| Entry::decode(bytes).unwrap()).collect()
}
