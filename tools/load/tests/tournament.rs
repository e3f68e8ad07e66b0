//! A tournament's check against an honest house and against a lying one, and a whole event against a real service,
//! whose log an auditor then finds sound.

#[path = "../examples/service/mod.rs"]
mod service;

use clap::Parser as _;
use fairshoe_fairness::{ClientSeed, Epoch, Master, Origin, PlayerId, TableId, seat_seed_commitment};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::tournament::{Pay, Whereabouts};
use fairshoe_house::{Actor, Command, Entry, Event, Reference, SeedDealer, State, TournamentCommand as C};
use fairshoe_load::args::Args;
use fairshoe_load::check::{EventCheck, Flaw};
use fairshoe_load::report::LoadReport;
use fairshoe_tlog::{RootAccumulator, Signer, leaf_hash, verify_checkpoint};
use fairshoe_tournament::Structure;
use service::{Service, program};

const ORIGIN: &str = "example.com/log";
const HOUR: u64 = 3_600_000;

/// Changes an entry after the house folded it in and before it is logged.
type Lie = Box<dyn FnMut(&mut Entry)>;

struct House {
    state: State,
    dealer: SeedDealer,
    now: u64,
    log: Vec<String>,
    check: EventCheck,
    lie: Lie,
}

fn player(number: u8) -> PlayerId {
    PlayerId::parse(&format!("p{number}")).unwrap()
}

fn event() -> TableId {
    TableId::parse("sunday").unwrap()
}

fn seed(number: u8) -> ClientSeed {
    ClientSeed::from_bytes([number; 32])
}

impl House {
    fn new(lie: Lie) -> House {
        let mut house = House {
            state: State::new(),
            dealer: SeedDealer::new(Master::from_bytes([7; 32])),
            now: 1_750_000_000_000,
            log: Vec::new(),
            check: EventCheck::new(event(), ORIGIN),
            lie,
        };
        let (origin, epoch) = (Origin::parse(ORIGIN).unwrap(), Epoch::from_bytes([3; 32]));
        let master_id = Master::from_bytes([7; 32]).id();
        let software = Reference::parse("fairshoe 0.1.0").unwrap();
        house.give(Actor::House, Command::StartDealer { origin, epoch, master_id, software });
        house
    }

    fn give(&mut self, by: Actor, command: Command) {
        self.now += 7;
        let entry = self.state.decide(&self.dealer, self.now, &by, &command).unwrap();
        self.record(entry);
        while let Some((by, command)) = self.state.due(self.now) {
            let entry = self.state.decide(&self.dealer, self.now, &by, &command).unwrap();
            self.record(entry);
        }
    }

    fn record(&mut self, mut entry: Entry) {
        self.state.apply(&entry).unwrap();
        (self.lie)(&mut entry);
        self.log.push(String::from_utf8(entry.encode().unwrap()).unwrap());
    }

    /// A request of the run's player, recorded in the check.
    fn ask(&mut self, number: u8, command: C) {
        let command = Command::Tournament(command);
        self.check.send(&player(number), command.clone(), None);
        self.give(Actor::Player(player(number)), command);
    }

    /// An event of eight players at tables of six, until hands are called; the last player withholds their seed.
    fn eight_take_their_seats(&mut self) {
        let mut structure = Structure::shipped("freezeout-6").unwrap();
        structure.clocks.between_hands_ms = None;
        let rules = RuleSet::shipped(&structure.rules.name).unwrap();
        for number in 0..8 {
            self.check.own(&player(number));
            self.give(Actor::Operator, Command::CreatePlayer { player: player(number), key: None });
            let amount = Chips::new(1_000_000).unwrap();
            self.give(Actor::Operator, Command::Credit { player: player(number), amount, reference: None });
        }
        let starts_at = self.now + HOUR;
        let create = C::Create {
            event: event(),
            structure: Box::new(structure),
            rules: Box::new(rules),
            starts_at,
            registration_from: 0,
        };
        self.give(Actor::Operator, Command::Tournament(create));
        let context = self.state.tournament(&event()).unwrap().context.clone();
        for number in 0..8 {
            let commitment = seat_seed_commitment(&context, 0, &player(number), &seed(number));
            self.ask(number, C::Register { event: event(), commitment, pay: Pay::Cash });
        }
        self.now = starts_at;
        self.duties();
        for number in 0..7 {
            let running = self.state.tournament(&event()).unwrap();
            let entry_no = *running.entrants.get(&player(number)).unwrap().entries.first().unwrap();
            let reveal = C::RevealSeatSeed { event: event(), draw_no: 0, entry_no, seed: seed(number), next: None };
            self.ask(number, reveal);
        }
        self.now = self.state.tournament(&event()).unwrap().draws.open.as_ref().unwrap().reveal_by;
        self.duties();
    }

    fn duties(&mut self) {
        while let Some((by, command)) = self.state.due(self.now) {
            let entry = self.state.decide(&self.dealer, self.now, &by, &command).unwrap();
            self.record(entry);
        }
    }

    /// The check's result for the log, which is shown to it in another order.
    fn found(mut self) -> (EventCheck, Result<(), Flaw>) {
        let log: Vec<(u64, String)> = (0..).zip(std::mem::take(&mut self.log)).collect();
        let (odd, even): (Vec<_>, Vec<_>) = log.into_iter().partition(|(index, _)| index % 2 == 1);
        let found = odd.into_iter().chain(even).try_for_each(|(index, text)| self.check.offer(index, text));
        (self.check, found)
    }
}

fn with(lie: impl FnMut(&mut Entry) + 'static) -> House {
    let mut house = House::new(Box::new(lie));
    house.eight_take_their_seats();
    house
}

#[test]
fn an_honest_event_is_followed_entry_by_entry() {
    let house = with(|_| {});
    let (state, written) = (house.state.clone(), house.log.len() as u64);
    let (check, found) = house.found();
    assert_eq!(found, Ok(()));
    assert_eq!((check.size(), check.counts().draws, check.counts().withheld), (written, 1, 1));
    let seats = |state: &State| {
        let event = state.tournament(&event()).unwrap();
        let mut seats: Vec<_> = event.entries.iter().map(|(entry_no, entry)| (*entry_no, entry.at)).collect();
        seats.sort_by_key(|(entry_no, _)| *entry_no);
        seats
    };
    assert_eq!(seats(check.state()), seats(&state));
    assert!(seats(&state).iter().all(|(_, at)| matches!(at, Whereabouts::Seated(..))));
}

#[test]
fn a_lie_about_seats_or_names_is_found() {
    // Two players change seats at their table.
    let swapped = with(|entry| {
        for event in &mut entry.events {
            if let Event::SetSeats { seats, .. } = event {
                let first = seats[0].player.clone();
                seats[0].player = std::mem::replace(&mut seats[1].player, first);
            }
        }
    });
    let (_, found) = swapped.found();
    assert!(matches!(found, Err(Flaw::Judged(_))), "{found:?}");
    // The house enters a player who never asked for it.
    let mut forged = with(|_| {});
    forged.check = EventCheck::new(event(), ORIGIN);
    (0..8).for_each(|number| forged.check.own(&player(number)));
    let (_, found) = forged.found();
    assert!(matches!(found, Err(Flaw::NotSent(..))), "{found:?}");
}

#[test]
fn a_checkpoint_of_another_tree_is_a_fork() {
    let signer = Signer::new(ORIGIN, &[9; 32]).unwrap();
    for wait in [false, true] {
        let mut house = with(|_| {});
        let log = std::mem::take(&mut house.log);
        let mut tree = RootAccumulator::new();
        log.iter().take(20).for_each(|text| tree.append(leaf_hash(text.as_bytes())));
        let signed = |root| {
            let text = signer.sign_checkpoint(20, root);
            verify_checkpoint(&text, signer.verifier_key()).unwrap()
        };
        let (honest, forked) = (signed(tree.root()), signed(leaf_hash(b"another log")));
        let show =
            |check: &mut EventCheck| (0..).zip(&log).try_for_each(|(index, text)| check.offer(index, text.clone()));
        // Before its entries, or after them.
        let found = if wait {
            show(&mut house.check).unwrap();
            house.check.signed(&honest).unwrap();
            house.check.signed(&forked)
        } else {
            house.check.signed(&forked).unwrap();
            show(&mut house.check)
        };
        assert_eq!(found, Err(Flaw::Forked(20)), "{wait}");
    }
}

/// An event played over HTTP against its own service, with an audit of the log.
fn played(of: &[&str]) -> LoadReport {
    let data = std::env::temp_dir().join(format!(
        "fairshoe-event-{}-{}",
        std::process::id(),
        of.join("-").replace(['/', ':'], "-")
    ));
    let service = Service::start(&program("fairshoe"), &data, &[]);
    let url = format!("http://{}", service.address);
    let token = data.join("operator.token");
    let fixed = ["fairshoe-load", "--url", &url, "--token-file", token.to_str().unwrap(), "--quick"];
    let args = Args::parse_from(fixed.iter().chain(of));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let report = runtime.block_on(fairshoe_load::run::run(args)).unwrap();
    assert!(report.ok, "{}", report.text());
    let audit = std::process::Command::new(program("fairshoe-audit")).args(["log", &url]).output().unwrap();
    let said = [audit.stdout, audit.stderr].concat();
    assert!(audit.status.success(), "{}", String::from_utf8_lossy(&said));
    drop(service);
    std::fs::remove_dir_all(&data).unwrap();
    report
}

#[test]
fn twenty_four_players_play_a_freeze_out_to_its_end() {
    let of = ["--game", "tournament:freezeout-9", "--players", "24", "--strategy", "all-in", "--withhold", "10"];
    let report = played(&of);
    let event = report.event.unwrap();
    assert_eq!((event.players, event.entries), (24, 24));
    let counts = &event.counts;
    assert!(counts.draws > 1 && counts.breaks > 0 && counts.hands > 10, "{event:?}");
    assert_eq!(event.collected + counts.overlay, counts.prizes + counts.residual);
    assert_eq!(event.standings.first().unwrap().rank, (1, 1));
    assert!(report.checked.consistent == Some(true) && report.checked.openings > 0);
}

#[test]
fn bounties_and_entries_again_come_out_to_the_cent() {
    let report = played(&[
        "--game",
        "tournament:bounty-progressive",
        "--players",
        "14",
        "--strategy",
        "all-in",
        "--sleepers",
        "1",
        "--sign",
    ]);
    let event = report.event.unwrap();
    // A late player may find registration over.
    assert!(event.players <= 14 && event.entries >= event.players, "{event:?}");
    assert_eq!(event.counts.bounties, event.entries * 4_600);
}
