//! Writes a data folder with a log of any length, by the service's own code: the house decides, entries are committed,
//! sealed, indexed and written down as the service does it, on a clock of its own.
//!
//! `cargo run --release --example write_log -- FOLDER ENTRIES [TABLES] [PLAYERS] [abort]`; a folder that is there
//! already is gone on with. `abort`: the process ends as a kill would end it, once so many entries are durable.
//!
//! What is played is roulette at shared tables of one player each, a bet and a seed a spin: four entries, no shoe but
//! one wheel of 64 spins. The auditor finds it sound (`fairshoe-audit log FOLDER`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::float_arithmetic)]

use fairshoe::parts::{Beginning, Decided, House, Recovered, ServeArgs, Stands, finish_first_start, recover, seal};
use fairshoe_fairness::{ClientSeed, PlayerId, TableId, derive_client_seed, seed_commitment};
use fairshoe_games::{Bet, Chips, RuleSet};
use fairshoe_house::{Actor, Command};
use fairshoe_store::MAX_APPEND_ENTRIES;
use std::sync::PoisonError;
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// As in the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Entries a millisecond of the log's clock.
const RATE: u64 = 10;

struct Writer {
    house: House,
    now: u64,
    batch: Vec<Decided>,
    to_commit: SyncSender<Vec<Decided>>,
    /// How long the house took for each entry with which the state was copied for a snapshot.
    copies: Vec<Duration>,
}

impl Writer {
    fn push(&mut self, decided: Decided) {
        self.batch.push(decided);
        if self.batch.len() >= MAX_APPEND_ENTRIES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.to_commit.send(batch).expect("the commit thread ended");
    }

    fn decide(&mut self, by: &Actor, command: &Command) {
        self.now += u64::from(self.house.size.is_multiple_of(RATE));
        let began = Instant::now();
        let decided = self.house.decide(self.now, by, command).map_err(|fatal| fatal.0).unwrap();
        let (decided, _) = decided.unwrap_or_else(|refusal| panic!("{command:?}: {refusal}"));
        if decided.snapshot.is_some() {
            self.copies.push(began.elapsed());
        }
        self.push(decided);
        while let Some((by, command)) = self.house.state.due(self.now) {
            let (decided, _) = self.house.decide(self.now, &by, &command).map_err(|fatal| fatal.0).unwrap().unwrap();
            self.push(decided);
        }
        // As the service does between two commands; where it may not be named it is not.
        if let Some((size, root)) = self.house.snapshots.take_named()
            && let Ok((decided, _)) = self
                .house
                .decide(self.now, &Actor::House, &Command::NoteState { size, root })
                .map_err(|fatal| fatal.0)
                .unwrap()
        {
            self.push(decided);
        }
    }

    /// A spin: a bet on a colour, and the seed.
    fn spin(&mut self, table: &TableId, player: &PlayerId) {
        let at = self.house.state.table(table).unwrap();
        let round_no = at.window().expect("bets are open").round_no;
        let context = at.shoe.as_ref().unwrap().id.context.clone();
        let seed: ClientSeed = derive_client_seed(&[0x21; 32], &context, round_no);
        let commitment = seed_commitment(&context, round_no, player, &seed);
        let spot = if round_no.is_multiple_of(2) { "red" } else { "black" };
        let bets = vec![Bet { spot: spot.into(), stake: Chips::new(100).unwrap(), chips: None }];
        let by = Actor::Player(player.clone());
        self.decide(&by, &Command::Bet { table: table.clone(), round_no, bets, commitment });
        let (table, player) = (table.clone(), player.clone());
        self.decide(&by, &Command::Reveal { table, round_no, player, seed, saw: None, next: None });
    }
}

fn name<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is no name"))
}

fn main() {
    fairshoe_store::true_sync::require().unwrap();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| args.get(at).map_or(usual, |text| text.parse().expect("a number"));
    let folder = args.first().expect("FOLDER ENTRIES [TABLES] [PLAYERS]");
    let (entries, tables, players) = (number(1, 100_000), number(2, 100), number(3, 1_000));
    let real = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    // What is written last must not lie in the future of whoever opens the folder.
    let begin = real.saturating_sub(2 * entries / RATE).saturating_sub(60_000);

    let config =
        ServeArgs { data: Some(folder.into()), origin: Some("localhost/generated".into()), ..ServeArgs::default() };
    let config = config.resolve().unwrap();
    let Stands { mut recovered, store, first_start } = recover(&config).unwrap();
    recovered.begin_epoch(Beginning::default(), begin).unwrap();
    finish_first_start(&config, &recovered.verifier_key, first_start).unwrap();
    let Recovered { mut house, mut committer, archive, low_space, snapshots, to_write, .. } = recovered;

    let (to_commit, batches) = sync_channel::<Vec<Decided>>(64);
    let (committing, until_committed) = channel::<()>();
    let root_at = {
        let (published, tiles) = (archive.published.clone(), archive.tiles.clone());
        move |size: u64| {
            let published = published.read().unwrap_or_else(PoisonError::into_inner).clone();
            published.tree.root_at(size, tiles.as_ref()).ok().map(|root| root.to_string())
        }
    };
    let named = house.snapshots.named();
    let (index, reader, tiles) = (archive.index.clone(), archive.reader.clone(), archive.tiles.clone());
    std::thread::scope(|scope| {
        scope.spawn(|| index.run(reader.as_ref(), &root_at));
        let (store, tiles) = (&store, &tiles);
        scope.spawn(move || seal(store, tiles, &until_committed));
        scope.spawn(move || snapshots.run(&to_write, &low_space, &named));
        scope.spawn(move || {
            for batch in batches {
                committer.commit(batch).unwrap();
            }
            committer.index.end();
            drop(committing);
        });
        house.wake(begin);
        let mut writer =
            Writer { now: begin.max(house.state.last_time()), house, batch: Vec::new(), to_commit, copies: Vec::new() };
        let names: Vec<(TableId, PlayerId)> =
            (0..tables).map(|n| (name(&format!("wheel-{n}")), name(&format!("player-{n}")))).collect();
        // Without the pause after a spin, in which nobody bets: the next spin follows at once.
        let mut rules = RuleSet::shipped("roulette").unwrap();
        rules.table.between_hands_ms = None;
        let (began, size) = (Instant::now(), writer.house.size);
        for number in 0..players.max(tables) {
            let player: PlayerId = name(&format!("player-{number}"));
            if writer.house.state.ledger().player(&player).is_none() {
                writer.decide(&Actor::Operator, &Command::CreatePlayer { player: player.clone(), key: None });
                let amount = Chips::new(1_000_000_000).unwrap();
                writer.decide(&Actor::Operator, &Command::Credit { player, amount, reference: None });
            }
        }
        for (table, player) in &names {
            let by = Actor::Player(player.clone());
            if writer.house.state.table(table).is_none() {
                let (table, rules) = (table.clone(), rules.clone());
                writer.decide(&Actor::Operator, &Command::OpenTable { table, rules, replaces: None });
            }
            let at = writer.house.state.table(table).unwrap();
            if at.seat_of(player).is_none() {
                writer.decide(&by, &Command::TakeSeat { table: table.clone(), seat: 1 });
            }
            if writer.house.state.table(table).unwrap().window().is_none() {
                writer.decide(&by, &Command::AskToPlay { table: table.clone() });
            }
        }
        for (table, player) in names.iter().cycle() {
            if writer.house.size >= entries {
                break;
            }
            writer.spin(table, player);
        }
        if args.get(4).is_some_and(|how| how == "abort") {
            writer.flush();
            while archive.current().size() < writer.house.size {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::process::abort();
        }
        let (mut last, _) =
            writer.house.decide(writer.now, &Actor::House, &Command::StopDealer {}).map_err(|f| f.0).unwrap().unwrap();
        last.snapshot =
            writer.house.snapshots.take(writer.house.size, true, &writer.house.state, &writer.house.committed);
        writer.push(last);
        writer.flush();
        let (took, made) = (began.elapsed().as_secs_f64(), writer.house.size - size);
        println!(
            "{made} entries in {took:.1} s: {:.0} a second; the log has {}",
            made as f64 / took,
            writer.house.size
        );
        writer.copies.sort_unstable();
        let (half, longest) = (writer.copies.get(writer.copies.len() / 2), writer.copies.last());
        println!(
            "{} copies of the state; of the entries with one half took {half:?}, the longest {longest:?}",
            writer.copies.len()
        );
    });
}
