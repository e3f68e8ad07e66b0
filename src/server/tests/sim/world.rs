//! One run: a service, its disk, its clients, a witness and the clock, all from one seed, until the trouble is over and
//! the log is judged.
//!
//! Owns: what happens next. Does not own: what is right; [`crate::known`] and [`crate::shown`] are told everything.

use crate::clients::{CROWD, Seen, chips, office, player, wish};
use crate::disk::{Disk, Part};
use crate::events;
use crate::known::Known;
use crate::network::{Network, Packet};
use crate::planted::Plant;
use crate::process::{LOG_SEED, LOW_SPACE, ORIGIN, Process, Request};
use crate::rng::Rng;
use crate::shown::Shown;
use crate::snapshots::DIED;
use crate::store::{FREE_FLOOR, ModelStore};
use crate::tables::some_tables;
use crate::trouble::Trouble;
use crate::witness::Witness;
use fairshoe::parts::{Beginning, ReadLog, Recovered, StartError, Turn};
use fairshoe_house::{Actor, Command, Entry, Repeats, TournamentCommand};
use fairshoe_tlog::Signer;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// When a run begins, UTC milliseconds.
const BEGIN: u64 = 1_700_000_000_000;

/// Without a cosignature for so long no bet is taken.
const UNWITNESSED_MS: u64 = 20_000;

/// How much happens in a run before it is brought to its end.
const STEPS: usize = 36;

/// The same of one run in twenty, where rarer things may meet.
const LONG_STEPS: usize = 160;

/// What a run came to, to see that runs come to something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub entries: u64,
    pub rounds: u64,
    /// Draws of seats, and tournaments that came to their end, by play or off.
    pub draws: u64,
    pub events: u64,
    pub acknowledged: u64,
    pub refusals: u64,
    pub repeats: u64,
    pub crashes: u64,
    pub refused_starts: u64,
    /// Starts that did not read the whole log, and snapshots that were not used.
    pub from_snapshots: u64,
    pub unfit: u64,
}

/// See the module.
pub struct World {
    rng: Rng,
    plant: Option<Plant>,
    now: u64,
    disk: Arc<Mutex<Disk>>,
    process: Option<Process>,
    /// When the next start is tried.
    down_until: u64,
    network: Network,
    known: Known,
    shown: Shown,
    /// How many entries the public has seen.
    public: u64,
    witness: Option<Witness>,
    closed: Arc<AtomicBool>,
    trouble: Trouble,
    /// The disk did what no disk is assumed to do: a start may be refused for good.
    damaged: bool,
    /// Whether a tournament is played.
    has_event: bool,
    /// Sizes of snapshots that are not as they were written.
    spoiled: BTreeSet<u64>,
    /// It was refused for good.
    over: bool,
    copy: Option<[Vec<u8>; 2]>,
    tally: Tally,
}

/// Runs this seed to its end.
pub fn run(seed: u64, plant: Option<Plant>) -> Result<Tally, String> {
    let mut world = World::new(seed, plant);
    world.begin()?;
    let steps = match (seed.is_multiple_of(20), world.has_event) {
        (true, true) => 4 * LONG_STEPS,
        (true, false) => LONG_STEPS,
        (false, true) => 2 * STEPS,
        (false, false) => STEPS,
    };
    while world.network.sent() < steps && !world.over {
        world.step()?;
    }
    world.end()?;
    Ok(world.tally)
}

impl World {
    fn new(seed: u64, plant: Option<Plant>) -> World {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed);
        let disk = Arc::new(Mutex::new(Disk::new(Rng(rng.next()), plant)));
        let trouble = Trouble::of(&mut rng);
        let witness = rng.one_in(3).then(Witness::default);
        let key = Signer::new(ORIGIN, &LOG_SEED).unwrap().verifier_key().clone();
        World {
            network: Network::new(Rng(rng.next())),
            rng,
            plant,
            now: BEGIN,
            disk,
            process: None,
            down_until: 0,
            known: Known::new(key),
            shown: Shown::default(),
            public: 0,
            witness,
            closed: Arc::default(),
            trouble,
            damaged: false,
            has_event: seed % 4 == 3,
            spoiled: BTreeSet::new(),
            over: false,
            copy: None,
            tally: Tally::default(),
        }
    }

    fn disk(&self) -> std::sync::MutexGuard<'_, Disk> {
        self.disk.lock().unwrap()
    }

    /// What the service's machine says the time is.
    fn clock(&self) -> u64 {
        self.now.saturating_add_signed(self.trouble.skew)
    }

    /// A first start, players with chips, and tables.
    fn begin(&mut self) -> Result<(), String> {
        ModelStore::create(&self.disk);
        self.start()?;
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for who in CROWD {
            first.push(Command::CreatePlayer { player: player(who), key: None });
            let amount = chips(self.rng.pick(&[3_000, 50_000, 1_000_000]));
            then.push(Command::Credit { player: player(who), amount, reference: None });
        }
        then.extend(some_tables(&mut self.rng));
        if self.has_event {
            then.push(events::some_event(&mut self.rng, self.now));
        }
        for commands in [first, then] {
            for command in commands {
                self.ask(Actor::Operator, command);
            }
            self.settle()?;
        }
        if let Some(process) = &self.process {
            let entries = events::entries(&mut self.rng, &process.parts.house.state);
            entries.into_iter().for_each(|(by, command)| self.ask(by, command));
            self.settle()?;
        }
        self.trouble.begin(&mut self.disk.lock().unwrap());
        Ok(())
    }

    /// A new request goes out.
    fn ask(&mut self, by: Actor, command: Command) {
        // What names its round repeats by its own name; the rest by a key.
        let of_draw = matches!(&command, Command::Tournament(TournamentCommand::RevealSeatSeed { .. }));
        let natural = (command.round_no().is_some() || of_draw)
            && !matches!(command, Command::VoidRound { .. } | Command::CloseBets { .. } | Command::CloseCall { .. });
        // Of a seat half come without one: who sits then may ask again as if they came.
        let of_seat = command.facts().repeats == Repeats::AsLastOfSeat;
        let has_none = natural || (of_seat && self.rng.one_in(2));
        let key = (!has_none).then(|| format!("key-{}", self.network.sent()));
        let request = Request { by, command, key, wants_note: self.rng.one_in(2) };
        self.network.ask(request, self.now, &self.trouble);
    }

    /// One thing happens, and the threads run a little.
    fn step(&mut self) -> Result<(), String> {
        self.now += self.rng.pick(&[0, 1, 20, 150, 900]);
        if self.process.is_none() {
            self.now = self.now.max(self.down_until);
            self.start()?;
        }
        match self.rng.below(100) {
            0..=54 => self.somebody_wishes(),
            55..=64 => self.network.repeat(self.now, &self.trouble),
            65..=76 => self.let_time_pass(),
            77..=80 => self.write_down(),
            _ => {}
        }
        tracing::info!(now = self.now - BEGIN, skew = self.trouble.skew, up = self.process.is_some(), "step");
        self.look_as_witness()?;
        self.run_threads()?;
        self.make_trouble()
    }

    fn somebody_wishes(&mut self) {
        let Some(process) = &self.process else { return };
        let state = &process.parts.house.state;
        let mut tables: Vec<_> = state.tables().collect();
        tables.sort_by_key(|table| table.id.clone());
        if tables.is_empty() {
            let opened = some_tables(&mut self.rng);
            return opened.into_iter().for_each(|command| self.ask(Actor::Operator, command));
        }
        let mut events: Vec<_> = state.tournaments().collect();
        events.sort_by_key(|event| event.name().clone());
        if !events.is_empty() && self.rng.one_in(2) {
            let event = events[self.rng.below(events.len())];
            let now = self.clock();
            if let Some((by, command)) = events::wish(&mut self.rng, event, now) {
                return self.ask(by, command);
            }
        }
        // What is played in a tournament comes to its end sooner where the other tables wait.
        let of_events: Vec<_> = tables.iter().copied().filter(|table| table.event.is_some()).collect();
        let tables = if !of_events.is_empty() && !self.rng.one_in(4) { of_events } else { tables };
        let table = tables[self.rng.below(tables.len())];
        let seen = Seen { state, table };
        let wished = if self.rng.one_in(14) { office(&mut self.rng, state, &seen) } else { wish(&mut self.rng, &seen) };
        let Some((by, mut command)) = wished else { return };
        if let Command::Reveal { saw, .. } = &mut command
            && self.rng.one_in(3)
        {
            *saw = self.known.seen_checkpoint(&mut self.rng);
        }
        self.ask(by, command);
    }

    /// Nobody does anything until the house's next deadline, nearly, exactly, or after it.
    fn let_time_pass(&mut self) {
        let Some(process) = &self.process else { return };
        if let Some(deadline) = process.parts.house.state.next_deadline() {
            let left = deadline.saturating_sub(self.clock());
            self.now += (left + self.rng.pick(&[0, 0, 0, 7])).saturating_sub(self.rng.pick(&[0, 0, 1, 40]));
        }
    }

    /// The state is written down where it is the published one.
    fn write_down(&mut self) {
        let Some(process) = &self.process else { return };
        let (size, published) = (process.parts.house.size, process.parts.archive.current().size());
        if size == published && self.rng.one_in(2) {
            let wrong = u64::from(self.plant == Some(Plant::StateOfWrongSize));
            self.known.snapshot(size + wrong, &process.parts.house.state);
        }
        let copy = self.disk().copy();
        self.copy = Some(copy);
    }

    fn look_as_witness(&mut self) -> Result<(), String> {
        let (Some(witness), Some(process)) = (&mut self.witness, &self.process) else { return Ok(()) };
        if self.rng.one_in(3) {
            witness.look(&process.parts.archive, &process.parts.verifier_key, self.now)?;
            self.known.checkpoint(&process.parts.archive.current().checkpoint)?;
        }
        if self.rng.one_in(40) {
            witness.stalls_until = self.now + 60_000;
        }
        self.closed.store(self.now > witness.cosigned + UNWITNESSED_MS, Ordering::Relaxed);
        Ok(())
    }

    /// Every thread gets some turns, in an order by chance.
    fn run_threads(&mut self) -> Result<(), String> {
        for _ in 0..3 {
            for packet in self.network.due(self.now) {
                self.deliver(packet)?;
            }
            let clock = self.clock();
            let Some(process) = &mut self.process else { return Ok(()) };
            process.hand_over(&mut self.rng);
            for _ in 0..self.rng.below(3) {
                process.turn(clock).map_err(|fatal| format!("the house failed: {}", fatal.0))?;
            }
            for _ in 0..self.rng.below(4) {
                if !self.commit()? {
                    break;
                }
            }
            for _ in 0..self.rng.below(3) {
                self.reply()?;
            }
            if self.rng.one_in(3) {
                self.write_snapshot();
            }
        }
        Ok(())
    }

    fn deliver(&mut self, packet: Packet) -> Result<(), String> {
        let clock = self.clock();
        match (packet, &mut self.process) {
            (Packet::ToService(copy), Some(process)) => {
                let request = self.network.request_of(copy);
                process.receive(clock, copy, request, &mut self.rng);
            }
            // A connection refused.
            (Packet::ToService(_), None) => {}
            (Packet::ToClient(reply), _) => self.network.answered(&reply, &mut self.known, &mut self.tally)?,
        }
        Ok(())
    }

    /// A step of the commit thread; whether it had anything to do. Where the disk fails the process ends.
    fn commit(&mut self) -> Result<bool, String> {
        let Some(process) = &mut self.process else { return Ok(false) };
        let did = match process.commit() {
            Ok(did) => did,
            Err(failure) => {
                let full = self.disk().free < FREE_FLOOR;
                if !self.disk().take_failed() && !full {
                    return Err(format!("the commit failed, and the disk did not: {failure}"));
                }
                self.die();
                return Ok(false);
            }
        };
        let published = process.parts.archive.current().size();
        while self.public < published {
            let bytes = process.store.entry(self.public).map_err(|e| e.to_string())?;
            self.shown.take_in(&Entry::decode(&bytes).map_err(|e| e.to_string())?);
            self.public += 1;
        }
        Ok(did)
    }

    /// A step of the thread that writes snapshots. Where the disk fails the service goes on; a process that dies in a
    /// call is gone.
    fn write_snapshot(&mut self) {
        let Some(Some(done)) = self.process.as_mut().map(Process::write_snapshot) else { return };
        self.disk().take_failed();
        if done.is_err_and(|failure| failure.kind() == DIED) {
            self.die();
        }
    }

    fn reply(&mut self) -> Result<(), String> {
        let Some(process) = &mut self.process else { return Ok(()) };
        let Some(reply) = process.reply() else { return Ok(()) };
        let mut reply = reply?;
        let request = self.network.request_of(reply.request);
        if let (Ok(ack), Some(table)) = (&mut reply.outcome, request.command.table()) {
            if self.plant == Some(Plant::HiddenCardShown) {
                peek(&mut ack.rest);
            }
            self.shown.check(table.as_str(), &request.by, &ack.rest)?;
        }
        self.network.answer(reply, self.now, &self.trouble, self.plant == Some(Plant::RepliesSwapped));
        Ok(())
    }

    fn make_trouble(&mut self) -> Result<(), String> {
        let step = self.trouble.step(&mut self.rng, &mut self.disk.lock().unwrap());
        if step.is_anything() {
            tracing::info!(?step, "trouble");
        }
        if step.crash {
            self.die();
        }
        self.now += step.standstill;
        if let (Some(process), true) = (&mut self.process, step.looks_at_space) {
            process.parts.committer.check_space();
        }
        if let (Some(process), true) = (&mut self.process, step.stop) {
            process.ask_to_stop();
            self.run_to_the_stop()?;
        }
        Ok(())
    }

    /// The process stops in good order, as far as the disk lets it.
    fn run_to_the_stop(&mut self) -> Result<(), String> {
        for _ in 0..10_000 {
            let clock = self.clock();
            let Some(process) = &mut self.process else { return Ok(()) };
            let turn = process.turn(clock).map_err(|fatal| format!("the house failed: {}", fatal.0))?;
            let did = self.commit()?;
            if turn == Turn::Stopped && !did {
                // It is not waited for for ever.
                while self.process.is_some() && !self.rng.one_in(4) {
                    self.write_snapshot();
                }
                self.process = None;
                self.down_until = self.now;
                return Ok(());
            }
        }
        Err("the service does not come to its stop".into())
    }

    /// The process is gone with all that it held in memory; perhaps the power, too.
    fn die(&mut self) {
        self.process = None;
        self.tally.crashes += 1;
        self.down_until = self.now + self.rng.pick(&[0, 0, 5, 5_000, 90_000, 3_600_000]);
        let mut disk = self.disk.lock().unwrap();
        disk.dies_in = None;
        disk.take_failed();
        if self.rng.one_in(2) {
            disk.power_cut();
        }
        if self.trouble.spoils && self.rng.one_in(3) {
            self.spoiled.extend(disk.spoil_a_snapshot());
        }
        if self.trouble.damage && !self.damaged && self.rng.one_in(2) {
            self.damaged = true;
            match (&self.copy, self.rng.below(3)) {
                (Some(copy), 0) => disk.put_back(copy, Part::Log),
                (Some(copy), 1) => disk.put_back(copy, Part::Anchor),
                // The whole folder: only others know.
                (Some(copy), _) if self.witness.as_ref().is_some_and(|witness| witness.has_seen(self.public)) => {
                    disk.put_back(copy, Part::Log);
                    disk.put_back(copy, Part::Anchor);
                }
                _ => disk.flip_a_bit(),
            }
        }
    }

    /// Tries to start.
    fn start(&mut self) -> Result<(), String> {
        let epochs = Rng(self.rng.next());
        let clock = self.clock();
        let mut process = match Process::open(&self.disk, self.plant, epochs, &self.closed) {
            Ok(process) => process,
            Err(refusal) => return self.refused_to_start(&refusal),
        };
        // As the service asks its witnesses before it logs anything.
        if self.witness.as_ref().is_some_and(|witness| witness.contradicts(&process.parts.archive)) {
            return self.refused_to_start(&StartError::refuse("", "the log is not the one that was witnessed"));
        }
        // Where the disk was damaged and nothing shows it, the log is whole all the same.
        self.known.hold_against(&process.store.all())?;
        self.look_at_snapshots(&process)?;
        if let Err(refusal) = process.parts.begin_epoch(Beginning::default(), clock) {
            return self.refused_to_start(&refusal);
        }
        self.process = Some(process);
        self.commit()?;
        Ok(())
    }

    /// The state in memory is the log's, wherever it comes from; a snapshot that the disk kept was used.
    fn look_at_snapshots(&mut self, process: &Process) -> Result<(), String> {
        let Recovered { began, house, .. } = &process.parts;
        self.tally.from_snapshots += u64::from(began.from > 0);
        self.tally.unfit += began.unfit.len() as u64;
        Known::started(&process.store.all(), &house.state, &house.committed, began.from)?;
        match began.unfit.iter().find(|(size, _)| !self.spoiled.contains(size)) {
            Some((size, why)) if !self.damaged => {
                Err(format!("the snapshot of {size} entries is as it was written, and is not used: {why}"))
            }
            _ => Ok(()),
        }
    }

    fn refused_to_start(&mut self, refusal: &StartError) -> Result<(), String> {
        self.tally.refused_starts += 1;
        let free = self.disk().free;
        if self.disk().take_failed() || free < FREE_FLOOR {
            self.die();
            self.disk().free = 1 << 30;
            return Ok(());
        }
        self.over = self.damaged;
        if self.over { Ok(()) } else { Err(format!("refused to start, and the disk kept what it promised: {refusal}")) }
    }

    /// All threads run, and all packets arrive, until nothing is left to do at this moment.
    fn settle(&mut self) -> Result<(), String> {
        for _ in 0..10_000 {
            if self.over {
                return Ok(());
            }
            if self.process.is_none() {
                self.now = self.now.max(self.down_until);
                self.start()?;
                continue;
            }
            let packets = self.network.all();
            let quiet = packets.is_empty() && self.process.as_ref().is_some_and(Process::is_quiet);
            for packet in packets {
                self.deliver(packet)?;
            }
            let clock = self.clock();
            let Some(process) = &mut self.process else { continue };
            while !process.is_handed_over() {
                process.hand_over(&mut self.rng);
            }
            let turn = process.turn(clock).map_err(|fatal| format!("the house failed: {}", fatal.0))?;
            let mut did = false;
            while self.commit()? {
                did = true;
            }
            self.reply()?;
            if quiet && !did && matches!(turn, Turn::Idle { .. }) {
                return Ok(());
            }
        }
        Err("the service does not come to rest".into())
    }

    /// The trouble is over: everybody gets their answer, deadlines pass, the service ends, and the log is judged.
    fn end(&mut self) -> Result<(), String> {
        self.trouble.end(&mut self.disk.lock().unwrap());
        self.settle()?;
        if self.over {
            return Ok(());
        }
        self.network.repeat_many(self.now, &self.trouble);
        self.settle()?;
        if let Some(unanswered) = self.network.unanswered() {
            return Err(format!("no answer to {unanswered:?}"));
        }
        for _ in 0..self.rng.below(12) {
            self.let_time_pass();
            self.settle()?;
        }
        if let Some(process) = &mut self.process {
            let clock = self.now.saturating_add_signed(self.trouble.skew);
            if let Some(overdue) = process.parts.house.state.overdue(clock) {
                return Err(format!("the house is awake and lets pass: {}", fairshoe_judge::overdue_words(&overdue)));
            }
            if self.rng.one_in(2) {
                process.ask_to_stop();
                self.run_to_the_stop()?;
            }
        }
        self.process = None;
        self.disk().power_cut();
        let (store, _) =
            ModelStore::open(&self.disk, self.plant).map_err(|e| format!("the disk cannot be read at the end: {e}"))?;
        let log = store.all();
        self.tally.entries = log.len() as u64;
        let with = |what: &str| log.iter().filter(|bytes| String::from_utf8_lossy(bytes).contains(what)).count() as u64;
        self.tally.rounds = with("\"round_settled\"");
        (self.tally.draws, self.tally.events) = (with("\"seats_drawn\""), with("{\"ended\":"));
        self.known.judge(&log)
    }
}

/// The planted view: a card that lies face-down has its face.
fn peek(rest: &mut Value) {
    if let Some(game) = rest.get_mut("round").and_then(|round| round.get_mut("game")).and_then(Value::as_object_mut) {
        game.insert("peeked".into(), serde_json::json!({ "slot": 51, "card": "Kd" }));
    }
}

// The bound on free space is between what stops the store and what is plenty.
const _: () = assert!(FREE_FLOOR < LOW_SPACE);
