//! A tournament in memory: players register, reveal, commit, play by chance; the house does what is due.

use crate::common::rng::Rng;
use crate::common::*;
use fairshoe_fairness::{ClientSeed, TableId, seat_seed_commitment};
use fairshoe_games::RuleSet;
use fairshoe_house::tournament::{Pay, Stage, Whereabouts};
use fairshoe_house::{Actor, Command, DecideError, Entry, Phase, Tournament, TournamentCommand as C};
use fairshoe_tournament::Structure;
use std::collections::BTreeSet;

/// A structure to play in tests: small stacks, quick levels.
pub fn structure(name: &str, change: impl FnOnce(&mut Structure)) -> Structure {
    let mut structure = Structure::shipped(name).unwrap();
    // Hands follow each other at once.
    structure.clocks.between_hands_ms = None;
    change(&mut structure);
    structure.validate().unwrap();
    structure
}

/// The seed of a player's `use`-th commitment.
pub fn seat_seed(who: &str, seat_use: u16) -> ClientSeed {
    let mut bytes = vec![0u8; 32];
    bytes[..2].copy_from_slice(&seat_use.to_be_bytes());
    for (at, byte) in who.bytes().enumerate() {
        bytes[2 + at % 30] ^= byte;
    }
    ClientSeed::from_bytes(bytes.try_into().unwrap())
}

impl House {
    pub fn event(&self, name: &str) -> &Tournament {
        self.state.tournament(&table(name)).unwrap()
    }

    /// Announces an event that starts in an hour.
    pub fn announce(&mut self, name: &str, structure: &Structure) -> Result<Entry, DecideError> {
        let rules = RuleSet::shipped(&structure.rules.name).unwrap();
        let command = C::Create {
            event: table(name),
            structure: Box::new(structure.clone()),
            rules: Box::new(rules),
            starts_at: self.now + HOUR,
            registration_from: self.now,
        };
        self.give(&Actor::Operator, Command::Tournament(command))
    }

    pub fn seat_commitment(&self, name: &str, who: &str) -> fairshoe_fairness::SeedCommitment {
        let event = self.event(name);
        let seat_use = event.entrants.get(&player(who)).map_or(0, |entrant| entrant.uses);
        seat_seed_commitment(&event.context, seat_use, &player(who), &seat_seed(who, seat_use))
    }

    pub fn register(&mut self, name: &str, who: &str) -> Result<Entry, DecideError> {
        let commitment = self.seat_commitment(name, who);
        self.give(&by(who), Command::Tournament(C::Register { event: table(name), commitment, pay: Pay::Cash }))
    }

    /// A command of a player in an event.
    pub fn in_event(&mut self, who: &str, command: C) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::Tournament(command))
    }

    /// Everybody whose seed the open draw awaits reveals it, or by chance does not.
    pub fn reveal_seats(&mut self, name: &str, rng: &mut Rng, withhold_one_in: usize) {
        let Some(open) = self.event(name).draws.open.clone() else { return };
        // Who withheld a seed cannot think better of it: the draw may wait longer for its hands, in a break above all.
        if self.now >= open.reveal_by {
            return;
        }
        for entry_no in open.awaited {
            if withhold_one_in > 0 && rng.one_in(withhold_one_in) {
                continue;
            }
            let event = self.event(name);
            if event.draws.open.is_none() {
                return;
            }
            let entry = event.entries.get(&entry_no).unwrap().clone();
            let (_, seat_use, _) = entry.commitment.unwrap();
            let who = entry.player.to_string();
            let command = C::RevealSeatSeed {
                event: table(name),
                draw_no: event.draws.next,
                entry_no,
                seed: seat_seed(&who, seat_use),
                next: Some(self.seat_commitment(name, &who)),
            };
            self.in_event(&who, command).unwrap();
        }
        self.run_due();
    }

    /// One step at each table: commitments, seeds, a choice. Whether anything was done.
    pub fn play_tables(&mut self, name: &str, rng: &mut Rng, absent_one_in: usize) -> bool {
        let tables: Vec<TableId> =
            self.event(name).tables.open.iter().filter_map(|number| self.event(name).table_name(*number)).collect();
        let mut done = false;
        for id in tables {
            let at = id.as_str();
            let Some(here) = self.state.table(&id) else { continue };
            if let Some(call) = here.call().cloned() {
                let seated: Vec<_> = here.seats.values().map(|seat| seat.player.clone()).collect();
                for who in seated.iter().filter(|who| !call.seeds.contains_key(*who)) {
                    if self.state.table(&id).is_none_or(|table| table.call().is_none()) {
                        break;
                    }
                    if absent_one_in == 0 || !rng.one_in(absent_one_in) {
                        done |= self.commit_hand(at, who.as_str()).is_ok();
                    }
                }
                self.run_due();
            } else if here.live_round().is_some_and(|round| matches!(round.phase, Phase::AwaitingReveals { .. })) {
                self.show_all(at);
                self.run_due();
                done = true;
            } else if let Some((who, action)) = self.some_action(at, rng) {
                self.choose(at, &who, action).unwrap();
                self.run_due();
                done = true;
            }
        }
        done
    }

    /// Plays an event to its end, or for so many steps.
    pub fn play_event(
        &mut self,
        name: &str,
        rng: &mut Rng,
        withhold_one_in: usize,
        absent_one_in: usize,
        steps: usize,
    ) {
        for _ in 0..steps {
            self.run_due();
            if matches!(self.event(name).stage, Stage::Ended) {
                return;
            }
            self.reveal_seats(name, rng, withhold_one_in);
            let moved = self.play_tables(name, rng, absent_one_in);
            self.now += 50;
            if !moved && let Some(next) = self.state.next_deadline() {
                self.wait(next.saturating_sub(self.now));
            }
        }
    }
}

impl House {
    /// What holds after every entry of an event.
    pub fn check_event(&self, name: &str) {
        let event = self.event(name);
        assert_eq!(self.state.ledger().total(), 0);
        let mut seated = BTreeSet::new();
        let mut chips = 0;
        for (number, table) in &event.field().tables {
            assert!(table.players.len() <= usize::from(event.structure().seats));
            for (seat, entry_no) in &table.players {
                assert!(seated.insert(*entry_no), "entry {entry_no} sits twice");
                let entry = event.entries.get(entry_no).unwrap();
                assert_eq!(entry.at, Whereabouts::Seated(*number, *seat));
            }
        }
        for (_, entry) in event.entries.iter() {
            chips += entry.chips;
        }
        let remaining = event.left().count() as u64;
        assert_eq!(event.remaining, remaining);
        if event.stage == Stage::Running {
            let terms = event.structure();
            let rebuy = terms.rebuy.as_ref().map_or(0, |terms| terms.chips);
            let add_on = terms.add_on.as_ref().map_or(0, |terms| terms.chips);
            let sold = event.sold;
            let brought = sold.entries * terms.entry.stack + sold.rebuys * rebuy + sold.add_ons * add_on;
            // A disqualified player's are out of play.
            let is_whole = event.entries.iter().all(|(_, entry)| entry.at != Whereabouts::Disqualified);
            assert!(chips == brought || chips < brought && !is_whole, "chips are made or lost");
        }
        // No player plays two hands at once.
        let mut playing = BTreeSet::new();
        for number in &event.tables.open {
            let table = event.table_name(*number).unwrap();
            let live = self.state.table(&table).and_then(|table| table.live_round());
            for contributor in live.into_iter().flat_map(|round| &round.contributors) {
                assert!(playing.insert(contributor.placed.player.clone()));
            }
        }
    }

    /// An event of these players, played to its end.
    pub fn whole_event(&mut self, name: &str, structure: &Structure, players: usize, rng: &mut Rng) {
        self.whole_event_with(name, structure, players, rng, |_| {});
    }

    /// The same, looked at after every step.
    pub fn whole_event_with(
        &mut self,
        name: &str,
        structure: &Structure,
        players: usize,
        rng: &mut Rng,
        look: fn(&Tournament),
    ) {
        self.announce(name, structure).unwrap();
        for n in 0..players {
            let who = format!("p{n}");
            if self.state.ledger().player(&player(&who)).is_none() {
                self.add_player(&who, 1_000_000);
            }
            self.register(name, &who).unwrap();
        }
        self.wait(HOUR);
        let (withhold, absent) = (rng.pick(&[0, 3, 9]), rng.pick(&[0, 4, 12]));
        for _ in 0..40_000 {
            self.play_event(name, rng, withhold, absent, 1);
            self.check_event(name);
            look(self.event(name));
            if self.event(name).stage == Stage::Ended {
                return;
            }
            self.enter_by_chance(name, players, rng);
        }
        panic!("the event does not end: {:?}", self.state.due(self.now));
    }

    /// Somebody comes late, enters again, rebuys or declines.
    pub fn enter_by_chance(&mut self, name: &str, players: usize, rng: &mut Rng) {
        if !rng.one_in(6) {
            return;
        }
        let who = format!("p{}", rng.below(players + 4));
        if self.state.ledger().player(&player(&who)).is_none() {
            self.add_player(&who, 1_000_000);
        }
        let event = table(name);
        match rng.below(4) {
            0 => drop(self.register(name, &who)),
            1 => drop(self.in_event(&who, C::Rebuy { event })),
            2 => drop(self.in_event(&who, C::AddOn { event })),
            _ => {
                let rebuying = self.event(name).rebuying.first().map(|(_, entry_no)| *entry_no);
                if let Some(entry_no) = rebuying {
                    let who = self.event(name).entries.get(&entry_no).unwrap().player.to_string();
                    self.in_event(&who, C::DeclineRebuy { event, entry_no }).unwrap();
                }
            }
        }
        self.run_due();
    }
}

/// A shipped structure but a satellite, changed by chance so that an event is over soon and everything comes to pass.
pub fn some_structure(rng: &mut Rng) -> Structure {
    let kind = rng.pick(&["freezeout-6", "freezeout-9", "rebuy", "bounty-progressive", "sit-and-go", "heads-up"]);
    structure(kind, |structure| {
        structure.entry.stack = rng.pick(&[800, 2_000, 5_000]);
        structure.clocks.between_hands_ms = (structure.entry.stack == 2_000).then_some(1_000);
        structure.entry.entries_per_player = rng.pick(&[1, 2]);
        structure.guarantee = rng.pick(&[0, 10_000]);
        structure.final_redraw = rng.one_in(2);
        structure.hand_for_hand = rng.pick(&[0, 3, 6]);
        structure.seats = structure.seats.min(rng.pick(&[4, 6, 9]));
        structure.late_levels = rng.pick(&[0, 1, 3]).min(structure.levels.len() as u16 - 1);
        let quick = rng.pick(&[1, 60, 240]);
        structure.levels.iter_mut().for_each(|level| level.ms = (level.ms / quick).max(1_000));
    })
}
