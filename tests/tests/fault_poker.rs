//! SIGKILL during hands at twenty cash tables: every stack equals that at the hand's start, to the chip (R001.26,
//! A001.t).

use crate::faults;

use fairshoe_house::{Entry, Event, VoidCause};
use fairshoe_tests::company::Company;
use fairshoe_tests::poker::patient;
use fairshoe_tests::{Client, Json, Player, Rng, Service, choose_at, whole_log};
use faults::{Dice, require_sound, samples};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const TABLES: usize = 20;
const SEATS: [&str; 3] = ["a", "b", "c"];

/// The entries in replies, by index: each was acknowledged.
type Told = Mutex<HashMap<u64, String>>;

fn note(told: &Told, reply: &Value) {
    for receipt in reply["receipts"].as_array().into_iter().flatten() {
        let (index, entry) = (receipt["index"].int(), receipt["entry"].text());
        told.lock().unwrap().insert(index, entry);
    }
}

/// A step of a player at a table; `None` if the service is gone.
fn step(company: &Company, told: &Told, rng: &mut Rng) -> Option<()> {
    let ask = |player: &Player, path: &str, body: &Value| -> Option<u16> {
        let reply = player.client.try_post(path, body)?;
        // A late or repeated request is refused: others play, and clocks run.
        assert!(matches!(reply.status, 200 | 201 | 409 | 422), "{path}: {}", reply.text());
        if reply.status < 300 {
            note(told, &reply.json());
        }
        Some(reply.status)
    };
    let read = |path: &str| -> Option<Value> { Some(company.public.send("GET", path, None, &[])?.json()) };
    let view = read(&company.path(""))?;
    if let Some(id) = view["round"].as_str() {
        let round = read(&format!("/v1/rounds/{id}"))?["round"].clone();
        let round_no = round["round_no"].as_u64()?;
        match round["phase"].as_str() {
            Some("awaiting_reveals") => {
                for contributor in round["contributors"].items().filter(|one| one["seed"].is_null()) {
                    let player = company.named(&contributor["player"]);
                    let seed = player.seed(&company.table, round_no).to_string();
                    let mut body = json!({ "player": player.name.as_str(), "seed": seed });
                    if rng.below(2) == 0 {
                        body["next"] = json!(player.commitment(&view, round_no + 1));
                    }
                    ask(player, &format!("/v1/rounds/{id}/reveals"), &body)?;
                }
            }
            Some("open") => {
                let Some(decision) = round["decisions"].get(0) else { return Some(()) };
                let body = json!({ "decision": decision["decision"], "action": choose_at(&round, decision, rng) });
                ask(company.named(&decision["player"]), &format!("/v1/rounds/{id}/actions"), &body)?;
            }
            _ => {}
        }
        return Some(());
    }
    if let Some(round_no) = view["cash"]["call"]["round_no"].as_u64() {
        let committed = view["cash"]["committed"].list();
        for name in view["cash"]["call"]["awaited"].items().filter(|name| !committed.contains(name)) {
            let player = company.named(name);
            let body = json!({ "commitment": player.commitment(&view, round_no) });
            ask(player, &format!("/v1/rounds/{}/commitments", company.round_id(round_no)), &body)?;
        }
        return Some(());
    }
    // No hand is played: players without chips buy some, and players who sit out come back.
    for seat in view["cash"]["seats"].list() {
        let player = company.named(&seat["player"]);
        if seat["stack"] == 0 {
            ask(player, &company.path("/chips"), &json!({ "amount": 8_000 }))?;
        }
        if seat["sitting_out"] == true {
            ask(player, &company.path("/seat"), &json!({}))?;
        }
    }
    std::thread::sleep(std::time::Duration::from_millis(2));
    Some(())
}

/// The log's facts about one table, derived independently of the house's state.
#[derive(Default)]
struct Book {
    stacks: BTreeMap<u8, u64>,
    /// The hand in progress: its number, and the stacks that it began with.
    hand: Option<(u64, BTreeMap<u8, u64>)>,
    crashed: u64,
    settled: u64,
    shoes: Vec<u64>,
}

impl Book {
    fn take(&mut self, event: &Event) {
        match event {
            Event::ShoeCommitted { shoe_no, .. } => {
                assert!(self.shoes.last().is_none_or(|last| last + 1 == *shoe_no), "shoe {shoe_no} is dealt again");
                self.shoes.push(*shoe_no);
            }
            Event::ChipsAdded { seat, stack, .. } => {
                assert!(self.hand.is_none(), "chips come in a hand");
                self.stacks.insert(*seat, stack.units());
            }
            Event::SeatLeft { seat, .. } => drop(self.stacks.remove(seat)),
            Event::HandBegun { round_no, hand, .. } => {
                let began: BTreeMap<u8, u64> =
                    hand.seats.iter().map(|seat| (seat.due.seat, seat.stack.units())).collect();
                assert!(
                    began.iter().all(|(seat, stack)| self.stacks[seat] == *stack),
                    "hand {round_no} begins with other stacks"
                );
                self.hand = Some((*round_no, began));
            }
            Event::Play(fairshoe_games::RoundEvent::Poker(fairshoe_games::poker::PokerEvent::Settled {
                seats,
                ..
            })) => {
                for seat in seats {
                    self.stacks.insert(seat.seat, seat.stack.units());
                }
                self.settled += 1;
            }
            Event::RoundSettled { .. } => self.hand = None,
            Event::RoundVoided { round_no, cause, standing, .. } => {
                let (live, _) = self.hand.take().expect("a hand is voided once");
                assert_eq!(live, *round_no);
                assert!(standing.is_some(), "what everybody had in the pot is on record");
                self.crashed += u64::from(*cause == VoidCause::Crash);
            }
            _ => {}
        }
    }
}

fn books(log: &[String]) -> BTreeMap<String, Book> {
    let mut books: BTreeMap<String, Book> = BTreeMap::new();
    for text in log {
        let entry = Entry::decode(text.as_bytes()).unwrap();
        let Some(at) = &entry.at else { continue };
        let book = books.entry(at.table.to_string()).or_default();
        entry.events.iter().for_each(|event| book.take(event));
    }
    books
}

#[test]
fn kills_in_mid_hand_at_twenty_tables_leave_every_stack_exact() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--token-rate", "0", "--address-rate", "0"];
    let mut service = Service::start(folder.path(), &limits);
    let mut companies: Vec<Company> = (0..TABLES)
        .map(|n| {
            let names: Vec<String> = SEATS.iter().map(|seat| format!("{seat}{n}")).collect();
            let rules = ["holdem", "omaha", "holdem-limit", "omaha-hi-lo"][n % 4];
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let company = Company::at_cash_table(&service, &format!("room-{n}"), rules, &patient(), &names);
            company.buy_in_all(10_000);
            company
        })
        .collect();
    let told = Told::default();
    let kills = samples(3, 50);
    let mut in_mid_hand = 0;
    for _ in 0..kills {
        let over = AtomicBool::new(false);
        let pause = std::time::Duration::from_millis(500) + dice.pause(1_500);
        std::thread::scope(|scope| {
            for company in &companies {
                let (over, told, mut rng) = (&over, &told, Rng(dice.roll() | 1));
                scope.spawn(move || while !over.load(Ordering::Relaxed) && step(company, told, &mut rng).is_some() {});
            }
            std::thread::sleep(pause);
            service.kill();
            over.store(true, Ordering::Relaxed);
        });
        service = Service::start(folder.path(), &limits);
        for company in &mut companies {
            company.public = service.anyone();
            for player in &mut company.players {
                player.client = Client::new(&service.url, Some(&player.token));
            }
        }
        let log = whole_log(&service.anyone());
        for (index, entry) in told.lock().unwrap().iter() {
            assert_eq!(&log[usize::try_from(*index).unwrap()], entry, "entry {index} was acknowledged");
        }
        let restart = log.iter().rposition(|entry| entry.contains("\"dealer_started\"")).unwrap();
        let (before, after) = (books(&log[..restart]), books(&log));
        for company in &companies {
            let (was, is) = (&before[&company.table], &after[&company.table]);
            if let Some((_, began)) = &was.hand {
                in_mid_hand += 1;
                assert_eq!(is.crashed, was.crashed + 1, "{}: voided once", company.table);
                assert!(
                    began.iter().all(|(seat, stack)| is.stacks[seat] == *stack),
                    "{}: the stacks of hand start",
                    company.table
                );
            } else {
                assert_eq!(is.crashed, was.crashed);
            }
            assert!(is.hand.as_ref().is_none_or(|(round, _)| was.hand.as_ref().is_none_or(|(old, _)| round > old)));
            // The service shows the log's state, unless a hand was played in between.
            let shown: BTreeMap<u8, u64> = company.view()["cash"]["seats"]
                .items()
                .map(|seat| (u8::try_from(seat["seat"].int()).unwrap(), seat["stack"].int()))
                .collect();
            assert_eq!(shown, is.stacks, "{}", company.table);
        }
    }
    let settled: u64 = books(&whole_log(&service.anyone())).values().map(|book| book.settled).sum();
    println!("{kills} kills, {in_mid_hand} hands rolled back, {settled} hands played to their end");
    assert!(in_mid_hand > 0 && settled > 0, "{in_mid_hand} {settled}");
    let address = service.url.clone();
    require_sound(&["log", &address]);
    assert_eq!(service.stop(), Some(0));
    require_sound(&["log", folder.path().to_str().unwrap()]);
}
