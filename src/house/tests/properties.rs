//! Random courses of several players at several tables, illegal commands, lapses, restarts and voids included.
//! `FAIRSHOE_SLOW=1` runs many more.

use crate::common;

use common::rng::Rng;
use common::watch::Watcher;
use common::*;
use fairshoe_fairness::{HouseShoe, Slot};
use fairshoe_games::{Action, ActionKind, Bet, RoundEvent};
use fairshoe_house::{Account, Actor, Command, DecideError, Entry, Event, Lapsed, Phase, Reference, State};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PLAYERS: [&str; 3] = ["alice", "bob", "carol"];
const TABLES: [&str; 3] = ["t1", "t2", "own"];

/// One thing somebody tries, at the time at which they try it.
#[derive(Clone, Debug)]
enum Attempt {
    Give(Actor, Box<Command>),
    Crash,
    Due,
    Wait(u64),
}

fn new_house() -> House {
    let mut house = House::new();
    for (name, balance) in [("alice", 3000), ("bob", 40), ("carol", 500)] {
        house.add_player(name, balance);
    }
    house.open("t1", &[("crash", "resume")]);
    house.open(
        "t2",
        &[("crash", "rollback"), ("stake_min", "2"), ("deal_order", "pp_dd"), ("round_time_ms", "1500000")],
    );
    house
        .give(
            &by("carol"),
            Command::OpenTable { table: table("own"), rules: joy(&[("reveal_time_ms", "60000")]), replaces: None },
        )
        .unwrap();
    house.run_due();
    house
}

fn somebody(rng: &mut Rng) -> Actor {
    match rng.below(10) {
        0 => Actor::Operator,
        1 => Actor::House,
        2 => Actor::Anyone,
        3 => by("dave"),
        _ => by(rng.pick(&PLAYERS)),
    }
}

fn action(rng: &mut Rng) -> Action {
    match rng.below(7) {
        0 | 1 => Action::Hit,
        2 | 3 => Action::Stand,
        4 => Action::Double { amount: rng.one_in(3).then(|| chips(rng.below(9) as u64)) },
        5 => Action::Split,
        _ => Action::Insurance { take: rng.one_in(2) },
    }
}

/// What would move the table on, from where it stands.
fn sensible(house: &House, rng: &mut Rng, name: &str) -> Option<Attempt> {
    let at = house.state.table(&table(name))?;
    match at.live_round() {
        None => {
            let who = if name == "own" { "carol" } else { rng.pick(&PLAYERS) };
            at.shoe.as_ref()?;
            let stake = if rng.one_in(10) { 1000 } else { 1 + rng.below(30) as u64 };
            Some(Attempt::Give(by(who), Box::new(house.bet_command(name, who, stake, &house.any_seed(name)))))
        }
        Some(round) => {
            let who = round.contributors[0].placed.player.clone();
            match round.phase {
                Phase::AwaitingReveals { .. } => {
                    let seed = fairshoe_fairness::derive_client_seed(&[0x5e; 32], &house.context(name), round.round_no);
                    Some(Attempt::Give(Actor::Anyone, Box::new(house.reveal_command(name, who.as_str(), &seed))))
                }
                _ => {
                    let offered = house.offered(name);
                    let wanted = action(rng);
                    let action = if offered.contains(&wanted.kind()) || rng.one_in(4) {
                        wanted
                    } else if offered.contains(&ActionKind::Insurance) {
                        Action::Insurance { take: rng.one_in(2) }
                    } else {
                        Action::Stand
                    };
                    Some(Attempt::Give(Actor::Player(who), Box::new(house.act_command(name, action))))
                }
            }
        }
    }
}

/// Something that may make no sense at all.
fn wild(house: &House, rng: &mut Rng) -> Attempt {
    let name = rng.pick(&["t1", "t2", "own", "no-such"]);
    let at = table(name);
    let next = house.state.table(&at).map_or(0, |t| t.next_round);
    let round_no = next.saturating_sub(rng.below(3) as u64);
    let who = player(rng.pick(&NAMES));
    let amount = chips(rng.pick(&[0, 1, 7, 100, 9_007_199_254_740_991]));
    let seed = fairshoe_fairness::ClientSeed::from_bytes([rng.below(3) as u8; 32]);
    let command = match rng.below(14) {
        0 => Command::CreatePlayer { player: who, key: None },
        1 => Command::Credit { player: who, amount, reference: Reference::parse("desk 4") },
        2 | 3 => Command::Withdraw { player: who, amount, reference: None },
        4 => Command::OpenTable { table: at, rules: joy(&[]), replaces: None },
        5 if rng.one_in(10) => Command::CloseTable { table: at },
        6 => Command::CommitShoe { table: at },
        7 | 8 => Command::Bet {
            table: at,
            round_no,
            bets: (0..rng.below(3))
                .map(|n| Bet { spot: n.to_string(), stake: amount, chips: rng.one_in(2).then(|| vec![amount]) })
                .collect(),
            commitment: fairshoe_fairness::SeedCommitment::from_bytes([1; 32]),
        },
        9 => Command::Reveal { table: at, round_no, player: who, seed, saw: None, next: None },
        10 => Command::Act { table: at, round_no, decision: rng.below(4) as u32, action: action(rng) },
        11 => Command::Lapse { table: at, round_no, lapsed: rng.pick(&[Lapsed::Reveal, Lapsed::Round]) },
        12 if rng.one_in(4) => Command::VoidRound { table: at, round_no, reason: Reference::parse("x").unwrap() },
        12 => Command::IssueToken { holder: format!("player:{who}").parse().unwrap(), revoke: false },
        _ => Command::Recover { table: at },
    };
    Attempt::Give(somebody(rng), Box::new(command))
}

fn attempt(house: &House, rng: &mut Rng) -> Attempt {
    match rng.below(40) {
        0 => Attempt::Crash,
        1 => Attempt::Wait(rng.pick(&[1, MINUTE, HOUR, 3 * HOUR, DAY])),
        2..=8 => wild(house, rng),
        9..=14 => Attempt::Due,
        _ => {
            let name = rng.pick(&TABLES);
            sensible(house, rng, name).unwrap_or(Attempt::Due)
        }
    }
}

/// What came of it; the house never contradicts itself and its dealer always answers.
fn make(house: &mut House, attempt: &Attempt) -> Option<Entry> {
    match attempt {
        Attempt::Wait(ms) => house.now += ms,
        Attempt::Crash => house.crash(),
        Attempt::Due => {
            if let Some((by, command)) = house.state.due(house.now) {
                return Some(house.give(&by, command).unwrap());
            }
        }
        Attempt::Give(by, command) => {
            // A house that is awake has done by then what was due.
            if house.state.overdue(house.now).is_some() {
                house.run_due();
            }
            let before = house.fingerprint();
            match house.give(by, (**command).clone()) {
                Ok(entry) => return Some(entry),
                Err(DecideError::Refused(_)) => assert_eq!(house.fingerprint(), before),
                Err(broken) => panic!("{broken}: {by} {command:?}"),
            }
        }
    }
    None
}

/// A book kept from the log's text alone; it shares no code with the house.
#[derive(Default)]
struct Book {
    balances: BTreeMap<String, i128>,
    seqs: BTreeMap<String, u64>,
    last_time: u64,
    over: BTreeSet<(String, u64)>,
    committed: BTreeSet<(String, u64)>,
    revealed: BTreeSet<(String, u64)>,
    hidden: Watcher,
}

impl Book {
    fn read(&mut self, house: &House, bytes: &[u8]) {
        let entry: Value = serde_json::from_slice(bytes).unwrap();
        let time = entry["time"].as_u64().unwrap();
        assert!(time >= self.last_time, "time went back");
        self.last_time = time;
        for pair in entry["before"].as_array().into_iter().flatten() {
            let stated = i128::from(pair[1].as_i64().unwrap());
            let account = format!("player:{}", pair[0].as_str().unwrap());
            assert_eq!(self.balances.get(&account).copied().unwrap_or(0), stated, "{account} before");
        }
        let at = entry["at"]["table"].as_str().unwrap_or_default().to_owned();
        if !at.is_empty() {
            let seq = self.seqs.entry(at.clone()).or_default();
            assert_eq!(entry["at"]["seq"], *seq, "a gap at {at}");
            *seq += 1;
        }
        for event in entry["events"].as_array().unwrap() {
            let (name, event) = event.as_object().unwrap().iter().next().unwrap();
            let number = |field: &str| event[field].as_u64().unwrap();
            match name.as_str() {
                "posted" => {
                    let mut sum = 0;
                    for line in event["lines"].as_array().unwrap() {
                        let account = line[0].as_str().unwrap().to_owned();
                        let amount = i128::from(line[1].as_i64().unwrap());
                        sum += amount;
                        let balance = self.balances.entry(account.clone()).or_default();
                        *balance += amount;
                        assert_eq!(*balance, i128::from(line[2].as_i64().unwrap()), "{account}");
                        assert!(
                            *balance >= 0 || account == "cage" || account == "house",
                            "{account} stands at {balance}"
                        );
                        assert_ne!(amount, 0, "a line of nothing");
                    }
                    assert_eq!(sum, 0);
                }
                "round_settled" | "round_voided" => {
                    assert!(self.over.insert((at.clone(), number("round_no"))), "a round ends once")
                }
                "shoe_committed" => {
                    assert!(self.committed.insert((at.clone(), number("shoe_no"))), "a shoe is committed once")
                }
                "shoe_revealed" => {
                    assert!(self.revealed.insert((at.clone(), number("shoe_no"))), "a shoe is revealed once")
                }
                _ => {}
            }
        }
        self.hidden
            .see(&house.seeds, bytes)
            .unwrap_or_else(|leak| panic!("{leak}: {}", String::from_utf8_lossy(bytes)));
    }

    fn compare(&self, house: &House) {
        assert_eq!(house.state.ledger().total(), 0);
        assert_eq!(self.balances.values().sum::<i128>(), 0);
        for (account, balance) in &self.balances {
            let parsed: Account = serde_json::from_value(Value::String(account.clone())).unwrap();
            let known = house.state.ledger().balance(&parsed).unwrap_or(0);
            assert_eq!(i128::from(known), *balance, "{account}");
        }
        for at in house.state.tables() {
            let open: u64 =
                at.live_round().map_or(0, |r| r.game.pending_stakes().iter().map(|(_, stake)| stake.units()).sum());
            assert_eq!(
                house.state.ledger().balance(&Account::Table(at.id.clone())),
                i64::try_from(open).ok(),
                "escrow of {}",
                at.id
            );
        }
    }
}

fn run(seed: u64, steps: usize) -> (House, Vec<(u64, Attempt)>) {
    let mut rng = Rng(seed);
    let mut house = new_house();
    let mut book = Book::default();
    let mut read = 0;
    let mut attempts = Vec::new();
    for _ in 0..steps {
        let next = attempt(&house, &mut rng);
        attempts.push((house.now, next.clone()));
        make(&mut house, &next);
        for bytes in &house.log[read..] {
            book.read(&house, bytes);
        }
        read = house.log.len();
        book.compare(&house);
    }
    (house, attempts)
}

#[test]
fn chips_are_conserved_nothing_hidden_is_shown_and_the_log_has_no_gap() {
    let mut seen = BTreeMap::<String, usize>::new();
    for seed in 0..12 * effort() {
        let (house, _) = run(seed, 400);
        for entry in entries(&house.log) {
            for name in names_of(&entry) {
                *seen.entry(name).or_default() += 1;
            }
        }
        // Every shoe that is gone was revealed, and opens what it was committed to.
        check_shoes(&house.log);
    }
    for name in [
        "round_settled",
        "round_voided",
        "round_resumed",
        "play.peeked",
        "play.turned",
        "shoe_revealed",
        "bets_closed",
        "token_issued",
    ] {
        assert!(seen.get(name).is_some_and(|n| *n > 3), "{name} hardly happens: the test shows little; {seen:?}");
    }
}

fn check_shoes(log: &[Vec<u8>]) {
    let mut epoch = None;
    let mut committed = BTreeMap::new();
    for entry in entries(log) {
        for event in &entry.events {
            let at = entry.at.as_ref().map(|at| at.table.clone());
            match (event, at) {
                (Event::DealerStarted { epoch: new, .. }, _) => epoch = Some(*new),
                (Event::ShoeCommitted { shoe_no, composition, candidates }, Some(at)) => {
                    assert!(
                        committed
                            .insert((at, *shoe_no), (epoch.unwrap(), composition.clone(), candidates.clone()))
                            .is_none()
                    );
                }
                (Event::ShoeRevealed { shoe_no, seeds, .. }, Some(at)) => {
                    let (epoch, composition, candidates) = committed.get(&(at.clone(), *shoe_no)).unwrap();
                    let context =
                        fairshoe_fairness::TableContext { origin: ORIGIN.parse().unwrap(), table: at, epoch: *epoch };
                    assert_eq!(
                        fairshoe_fairness::shoe_commitment(&context, *shoe_no, 0, &seeds[0]),
                        candidates[0].commitment
                    );
                    assert_eq!(HouseShoe::derive(&seeds[0], composition).root(), candidates[0].root);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn the_same_commands_give_the_same_bytes() {
    for seed in 100..100 + 4 * effort() {
        let (first, attempts) = run(seed, 300);
        let mut second = new_house();
        for (now, attempt) in &attempts {
            second.now = *now;
            make(&mut second, attempt);
        }
        assert_eq!(first.log, second.log);
    }
}

#[test]
fn a_replay_gives_the_same_state_and_the_same_later_decisions() {
    for seed in 200..200 + 3 * effort() {
        let (house, attempts) = run(seed, 250);
        assert_eq!(fingerprint(&fold(&house.log)), house.fingerprint());
        // From any prefix: the folded state decides each later command as the log has it.
        let later = entries(&house.log);
        for cut in [1, later.len() / 3, later.len() / 2] {
            let mut state = fold(&house.log[..cut]);
            for (entry, bytes) in later[cut..].iter().zip(&house.log[cut..]) {
                let again = state.decide(&house.seeds, entry.time, &entry.by, &entry.command).unwrap();
                assert_eq!(String::from_utf8(again.encode().unwrap()).unwrap(), String::from_utf8_lossy(bytes));
                state.apply(&again).unwrap();
            }
        }
        // And it refuses what the original refuses.
        let replayed = fold(&house.log);
        for (_, attempt) in attempts.iter().rev().take(60) {
            if let Attempt::Give(by, command) = attempt {
                let decide =
                    |state: &State| state.decide(&house.seeds, house.now, by, command).map(|e| e.encode().unwrap());
                assert_eq!(decide(&replayed), decide(&house.state));
            }
        }
    }
}

/// The log of one insured, split and finished round, with the index of the entry that reveals.
fn sample() -> House {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 10, |v| v[..4] == [8, 1, 8, 9]);
    house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
    house.act("t1", "alice", Action::Split).unwrap();
    house
}

fn leaks(house: &House, log: &[Vec<u8>]) -> bool {
    let mut watcher = Watcher::default();
    log.iter().any(|bytes| watcher.see(&house.seeds, bytes).is_err())
}

/// Whether the rules put each event where it stands.
fn folds(log: &[Vec<u8>]) -> bool {
    let mut state = State::new();
    log.iter().all(|bytes| state.apply(&Entry::decode(bytes).unwrap()).is_ok())
}

/// The watcher must find what it is there to find. The rules alone say when the hole card may be shown: a state does not
/// take it earlier.
#[test]
fn a_planted_leak_is_found() {
    let house = sample();
    assert!(!leaks(&house, &house.log) && folds(&house.log));
    let at = house.table("t1");
    let shoe = at.shoe.as_ref().unwrap();
    let (seed, dealt) = house.seeds.derive(&shoe.id, 0);
    let order = at.round.as_ref().unwrap().lanes.as_ref().unwrap().order().to_vec();
    let (hole, undealt) = (dealt.card(order[3]).unwrap(), dealt.card(order[40]).unwrap());
    let reveal = house.log.iter().position(|bytes| String::from_utf8_lossy(bytes).contains("round_opened")).unwrap();

    let plant = |change: &dyn Fn(&mut Entry)| {
        let mut entry = Entry::decode(&house.log[reveal]).unwrap();
        change(&mut entry);
        let mut log = house.log.clone();
        assert_ne!(log[reveal], entry.encode().unwrap());
        log[reveal] = entry.encode().unwrap();
        log
    };
    let face_up_hole = plant(&|entry| {
        for event in &mut entry.events {
            if let Event::Play(RoundEvent::Dealt { card: card @ None, .. }) = event {
                *card = Some(hole);
            }
        }
    });
    assert!(!folds(&face_up_hole), "the hole card face-up");
    let another_face = plant(&|entry| {
        for event in &mut entry.events {
            if let Event::Play(RoundEvent::Dealt { card: Some(card), .. }) = event {
                *card = undealt;
                break;
            }
        }
    });
    assert!(leaks(&house, &another_face), "an undealt card's face in another card's place");
    let turned =
        plant(&|entry| entry.events.push(Event::Play(RoundEvent::Turned { pile: None, slot: order[3], card: hole })));
    assert!(!folds(&turned), "the hole card turned up while the round goes on");
    let next_card = plant(&|entry| {
        let to = fairshoe_games::Place::Hand { spot: 1, hand: 1 };
        entry.events.push(Event::Play(RoundEvent::Dealt { lane: 0, slot: order[3], to, card: Some(undealt) }));
    });
    assert!(leaks(&house, &next_card), "a slot with another slot's face");
    let early_seed =
        plant(&|entry| entry.events.push(Event::ShoeRevealed { shoe_no: 0, seeds: vec![seed.clone()], cause: None }));
    let found = leaks(&house, &early_seed);
    // That entry ends the shoe for the checker, so the cards dealt after it have none: found one way or the other.
    assert!(found, "the seed in mid-round");
    for secret in [seed.to_string(), dealt.open(Slot(51)).unwrap().salt.iter().map(|b| format!("{b:02x}")).collect()] {
        let mut entry = Entry::decode(&house.log[reveal + 1]).unwrap();
        if let Command::Act { .. } = &entry.command {
            entry.command =
                Command::VoidRound { table: table("t1"), round_no: 0, reason: Reference::parse(&secret).unwrap() };
        }
        let mut log = house.log.clone();
        log[reveal + 1] = entry.encode().unwrap();
        assert!(leaks(&house, &log), "a secret in a label");
    }
    let mut label = Entry::decode(&house.log[1]).unwrap();
    label.command =
        Command::VoidRound { table: table("t1"), round_no: 0, reason: Reference::parse(&hole.to_string()).unwrap() };
    let mut log = house.log.clone();
    log[reveal + 1] = label.encode().unwrap();
    assert!(leaks(&house, &log), "a hidden face in a label");
}
