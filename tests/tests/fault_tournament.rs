//! SIGKILL in the middle of tournaments: while seats are drawn, at a change of level, in hand-for-hand, while a deal is
//! answered, while refunds are paid. The event continues or is cancelled, and every account equals the sum of the log's
//! postings: no one is paid twice.

use crate::faults;

use fairshoe_house::{Account, Entry, Event, TournamentEvent};
use fairshoe_tests::poker::passive;
use fairshoe_tests::tournament::{Choice, Field, now_ms, quick};
use fairshoe_tests::{Client, Json, Player, Rng, Service, audit, choose_at, whole_log};
use faults::{Dice, require_sound, samples};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The test reads the whole log again and again.
const FREELY: [&str; 4] = ["--address-rate", "0", "--token-rate", "0"];

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The moment of a kill: the state in the tournament's view, and a player's action at that moment.
struct Moment {
    name: &'static str,
    is_it: fn(&Value) -> bool,
    then: fn(&Field, &Client),
}

fn nothing(_: &Field, _: &Client) {}

fn left(view: &Value) -> u64 {
    view["summary"]["remaining"].int()
}

const MOMENTS: [Moment; 6] = [
    Moment { name: "a draw", is_it: |view| view["draw"].is_object(), then: nothing },
    Moment {
        name: "a change of level",
        is_it: |view| {
            let next = view["clock"]["next_change"].as_u64();
            next.is_some_and(|at| at.saturating_sub(now_ms()) < 150)
        },
        then: nothing,
    },
    Moment { name: "hand-for-hand", is_it: |view| view["hand_for_hand"].is_u64(), then: nothing },
    Moment {
        name: "a deal",
        is_it: |view| view["tables"] == 1 && left(view) < 5,
        then: |field, _| {
            let remain: Vec<&Player> =
                field.players.iter().filter(|who| field.own(who)["entry"]["at"] == "seated").collect();
            remain.iter().for_each(|who| drop(field.ask(who, "/deal/wish", &json!({ "want": true }))));
            // The clock stands once all want a deal and hands are over.
            let proposal = field.ask(remain[0], "/deal/proposals", &json!({ "method": "chips" }));
            if proposal.status == 200 {
                let digest = field.view()["deal"]["proposal"]["digest"].clone();
                let answer = json!({ "digest": digest, "accept": true });
                remain.iter().for_each(|who| drop(field.ask(who, "/deal/answers", &answer)));
            }
        },
    },
    Moment {
        name: "refunds",
        is_it: |view| view["tables"].as_u64() > Some(0),
        then: |field, operator| {
            operator.post(&field.path("/cancel"), &json!({ "reason": "the power is failing" }));
        },
    },
    Moment { name: "a hand", is_it: |view| view["tables"].as_u64() > Some(0), then: nothing },
];

/// The players' clients for the running service.
fn at(service: &Service, field: &Field) -> Field {
    let client = |player: &Player| Player { client: service.client(Some(&player.token)), ..player.clone() };
    Field { event: field.event.clone(), players: field.players.iter().map(client).collect(), public: service.anyone() }
}

fn by_chance(round: &Value, decision: &Value) -> Value {
    let seed = round["round_no"].int() * 31 + decision["decision"].int();
    let all_in = decision["options"].items().rev().find(|option| option["to"].is_array());
    match all_in.filter(|_| seed.is_multiple_of(3)) {
        Some(option) => json!({ option["action"].as_str().unwrap(): { "to": option["to"][1] } }),
        None if seed.is_multiple_of(2) => passive(round, decision),
        None => choose_at(round, decision, &mut Rng(seed + 1)),
    }
}

/// The sums of a log's postings by account; also checks that no place and no refund is paid twice.
fn accounts(log: &[String]) -> BTreeMap<String, i64> {
    let mut accounts: BTreeMap<String, i64> = BTreeMap::new();
    let mut paid = BTreeSet::new();
    for text in log {
        let entry = Entry::decode(text.as_bytes()).unwrap();
        for event in &entry.events {
            match event {
                Event::Posted { lines } => {
                    assert_eq!(lines.iter().map(|line| line.1).sum::<i64>(), 0, "{text}");
                    for line in lines {
                        let account = accounts.entry(line.0.to_string()).or_default();
                        *account += line.1;
                        assert_eq!(*account, line.2, "{}: {text}", line.0);
                    }
                }
                Event::Tournament(event) => {
                    let at = entry.at.as_ref().unwrap().table.to_string();
                    let once = match event.as_ref() {
                        TournamentEvent::PrizePaid { entry_no, .. } => Some(("prize", *entry_no)),
                        TournamentEvent::Refunded { entry_no, .. } => Some(("refund", *entry_no)),
                        _ => None,
                    };
                    assert!(once.is_none_or(|(what, who)| paid.insert((at, what, who))), "paid twice: {text}");
                }
                _ => {}
            }
        }
    }
    accounts
}

#[test]
fn kills_in_mid_tournament_are_exact_to_the_cent_and_pay_nobody_twice() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let mut service = Service::start(folder.path(), &FREELY);
    let mut players: Vec<Player> = NAMES.iter().map(|name| service.player(name, 1_000_000)).collect();
    let structure = quick(&service.anyone(), "freezeout-6", |structure| {
        structure["seats"] = json!(2);
        structure["entry"]["stack"] = json!(6 * structure["levels"][0]["big"].int());
        structure["levels"].as_array_mut().unwrap().iter_mut().for_each(|level| level["ms"] = json!(1_000));
        structure["hand_for_hand"] = json!(6);
        structure["deal"] = json!({ "most_players": 4 });
        structure["cancel_after_ms"] = json!(60_000);
    });
    let kills = samples(6, 50);
    let mut hit: BTreeMap<&str, u64> = BTreeMap::new();
    for (kill, moment) in (0..kills).zip(MOMENTS.iter().cycle()) {
        let event = format!("e-{kill}");
        let starts_at = now_ms() + 3_000;
        let request = json!({ "tournament": event, "structure": structure, "starts_at": starts_at });
        service.operator().post("/v1/tournaments", &request).expect_status(201);
        let mut field = at(&service, &Field { event, players: players.clone(), public: service.anyone() });
        field.register_all();
        let choice: Choice = by_chance;
        // A player who always calls is out late.
        let until: Choice = if moment.name == "a change of level" { passive } else { choice };
        let view = field.play_until(until, |view| (moment.is_it)(view) || view["summary"]["stage"] == "ended");
        *hit.entry(moment.name).or_default() += u64::from(view["summary"]["stage"] != "ended");
        // All continue until the service is gone.
        let (operator, pause) = (service.operator(), dice.pause(60));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let go_on = || {
                    (moment.then)(&field, &operator);
                    loop {
                        field.step(choice);
                    }
                };
                catch_unwind(AssertUnwindSafe(go_on)).unwrap_err()
            });
            std::thread::sleep(pause);
            service.kill();
        });
        service = Service::start(folder.path(), &FREELY);
        field = at(&service, &field);
        players.clone_from(&field.players);
        field.play(choice);
        let accounts = accounts(&whole_log(&service.anyone()));
        for player in &players {
            let account = Account::Player(player.name.clone()).to_string();
            assert_eq!(i64::try_from(player.balance()).unwrap(), accounts[&account], "{account}");
        }
        for held in ["pool", "fees", "bounties", "stakes"] {
            let account = format!("{held}:{}", field.event);
            assert_eq!(accounts.get(&account).copied().unwrap_or_default(), 0, "{account} after {}", moment.name);
        }
    }
    audit(&service.anyone());
    println!("{kills} kills: {hit:?}");
    assert!(hit.values().sum::<u64>() * 2 >= kills, "the kills came after the tournaments: {hit:?}");
    assert_eq!(service.stop(), Some(0));
    require_sound(&["log", folder.path().to_str().unwrap()]);
}

/// Attack: the disk is nearly full, or no witness answers, and the tournament goes on without those who play it.
#[test]
fn a_tournament_is_played_to_its_end_while_nothing_new_begins() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(folder.path(), &FREELY);
    let structure = quick(&service.anyone(), "freezeout-6", |structure| {
        structure["entry"]["stack"] = json!(6 * structure["levels"][0]["big"].int());
    });
    let field = Field::announce(&service, "e", &structure, &["alice", "bob"], 1_000);
    field.register_all();
    field.play_until(passive, |view| view["tables"].as_u64() > Some(0));
    let before = whole_log(&service.anyone()).len();
    assert_eq!(service.stop(), Some(0));
    let closed = [&FREELY[..], &["--min-free-mib", "999999999"]].concat();
    let service = Service::start(folder.path(), &closed);
    let field = field.at(&service);
    assert_eq!(service.operator().post("/v1/players", &json!({ "player": "carol" })).problem(503), "disk_full");
    field.play(passive);
    let entries: Vec<Entry> =
        whole_log(&service.anyone())[before..].iter().map(|text| Entry::decode(text.as_bytes()).unwrap()).collect();
    let count =
        |is: fn(&Event) -> bool| entries.iter().flat_map(|entry| &entry.events).filter(|event| is(event)).count();
    assert_eq!(
        count(|event| matches!(event, Event::PostsTaken { .. })),
        0,
        "nobody pays for a hand that they were kept from"
    );
    assert!(count(|event| matches!(event, Event::RoundSettled { .. })) > 0);
    assert_eq!(service.stop(), Some(0));
    require_sound(&["log", folder.path().to_str().unwrap()]);
}
