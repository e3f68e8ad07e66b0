//! One player's view of a desk, with their checks; and a whole table of them.

use super::Desk;
use fairshoe_api::{Accepted, TableEntry};
use fairshoe_fairness::{PlayerId, Stream, derive_client_seed, seed_commitment};
use fairshoe_games::{Chips, Mode};
use fairshoe_house::{Actor, Command, SeenCheckpoint};
use fairshoe_load::check::{Flaw, LogCheck, OnLog, TableCheck, Todo};
use fairshoe_load::strategy::{Strategy, place_bets};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Changes data from the desk on its way: a reply, or an entry of a page.
pub type Twist<'t> = &'t mut dyn FnMut(&mut Value, &Desk);

/// One player's eyes on a desk.
pub struct Eyes {
    pub log: LogCheck,
    pub name: PlayerId,
    pub check: TableCheck,
    known: u64,
    random: Stream,
    strategy: Strategy,
    /// Whether to neglect this action: a reveal, a commitment or a decision.
    pub neglects: fn(&Todo) -> bool,
}

impl Eyes {
    /// The view of a desk's player, by number.
    pub fn on(desk: &Desk, number: u8, strategy: Strategy) -> Eyes {
        let name = desk.players[usize::from(number)].clone();
        let (log, random) = (LogCheck::new(desk.key()), Stream::new([number; 32]));
        let (origin, epoch) = (desk.state.origin().unwrap().clone(), *desk.state.epoch().unwrap());
        let mut check = TableCheck::new(origin, epoch, desk.table.clone(), desk.rules.clone(), Arc::default());
        check.credited(&name, desk.funds(&name));
        if desk.rules.table.mode == Mode::Solo {
            // The table was opened in their name.
            let (table, rules) = (desk.table.clone(), (*desk.rules).clone());
            check.send(&name, Command::OpenTable { table, rules, replaces: None }, None);
        }
        Eyes { log, name, check, known: 0, random, strategy, neglects: |_| false }
    }

    pub fn todo(&self) -> Todo {
        self.check.todo(&self.name)
    }

    pub fn funds(&self) -> Chips {
        self.check.funds(&self.name)
    }

    /// Whether a round of at least this number is over.
    pub fn is_over(&self, round_no: u64) -> bool {
        self.check.round().is_some_and(|round| round.round_no >= round_no && !round.is_live())
    }

    pub fn read(&mut self, reply: Value) -> Result<(Accepted, Vec<OnLog>), Flaw> {
        let mut accepted: Accepted = serde_json::from_value(reply).unwrap();
        accepted.name_shoes();
        let on_log = accepted
            .receipts
            .iter()
            .map(|receipt| self.log.receipt(receipt, &mut self.known))
            .collect::<Result<_, _>>()?;
        Ok((accepted, on_log))
    }

    /// Replays the table's entries.
    pub fn follow(&mut self, desk: &Desk, twist: Twist<'_>) -> Result<(), Flaw> {
        while (self.check.next_seq() as usize) < desk.at_table.len() {
            let (mut entry, checkpoint) = desk.page_entry(self.check.next_seq());
            twist(&mut entry, desk);
            let entry: TableEntry = serde_json::from_value(entry).unwrap();
            let checkpoint = self.log.newer(&checkpoint, &mut self.known)?;
            let on_log = self.log.page_entry(&entry, &checkpoint)?;
            // The first start is the one under whose epoch the table was opened.
            self.check.started(&desk.starts[1..], on_log.index)?;
            self.check.apply(&on_log, &entry.openings)?;
        }
        Ok(())
    }

    /// Does the next action; returns whether there was one.
    pub fn go_on(&mut self, desk: &mut Desk, twist: Twist<'_>) -> Result<bool, Flaw> {
        self.follow(desk, twist)?;
        let todo = self.todo();
        if (self.neglects)(&todo) {
            return Ok(false);
        }
        let table = desk.table.clone();
        let command = match todo {
            Todo::Wait if self.wants_seat(desk) => {
                let taken = &desk.state.table(&table).unwrap().seats;
                let seat = (1..=desk.rules.table.seats).rev().find(|seat| !taken.contains_key(seat)).unwrap();
                Command::TakeSeat { table, seat }
            }
            Todo::Wait => return Ok(false),
            Todo::Bet { round_no } => {
                let (_, commitment) = self.seed(round_no);
                let placed: BTreeSet<String> =
                    self.check.placed().flat_map(|bet| &bet.bets).map(|bet| bet.spot.clone()).collect();
                let seated = |spot: &str| spot.parse().is_ok_and(|seat| self.check.is_taken(seat));
                let is_free = |spot: &str| !placed.contains(spot) && !seated(spot);
                let seat = self.check.seat(&self.name);
                let bets = place_bets(&desk.rules, self.strategy, seat, 15, is_free, &mut self.random);
                Command::Bet { table, round_no, bets, commitment }
            }
            Todo::Commit { round_no } => Command::CommitSeed { table, round_no, commitment: self.seed(round_no).1 },
            Todo::Reveal { round_no } => {
                let (shoe, bound) = self.check.proofs().unwrap();
                let (bound, shoe) = (desk.on_log(bound.index), desk.on_log(shoe.index));
                bound.binds_on(&shoe)?;
                let saw = SeenCheckpoint { size: bound.checkpoint.size, root: bound.checkpoint.root.to_string() };
                Command::Reveal {
                    table,
                    round_no,
                    player: self.name.clone(),
                    seed: self.seed(round_no).0,
                    saw: Some(saw),
                    next: None,
                }
            }
            Todo::Act { round_no, decision, options } => {
                let action = self
                    .strategy
                    .choose(&desk.rules, &self.check.view(), &decision, &options, &mut self.random)
                    .unwrap();
                Command::Act { table, round_no, decision: decision.number, action }
            }
        };
        self.check.send(&self.name, command.clone(), None);
        let is_bet = matches!(command, Command::Bet { .. });
        let index = desk.give(Actor::Player(self.name.clone()), command).unwrap();
        if desk.rules.table.mode == Mode::Shared {
            return self.follow(desk, twist).map(|()| true);
        }
        let indices = if is_bet { vec![index, desk.last_commit(index)] } else { vec![index] };
        let mut reply = desk.accepted(&self.name, &indices);
        twist(&mut reply, desk);
        let (accepted, on_log) = self.read(reply)?;
        if is_bet {
            let [bet, shoe] = on_log.as_slice() else {
                return Err(Flaw::Receipts(2, on_log.len()));
            };
            bet.binds_on(shoe)?;
        }
        assert!(self.check.reply(&self.name, &on_log, &accepted)?, "at a solo table nothing comes in between");
        Ok(true)
    }

    fn wants_seat(&self, desk: &Desk) -> bool {
        let cooling = desk.state.conduct().until(&self.name) > desk.now;
        desk.rules.table.mode == Mode::Shared
            && self.check.seat(&self.name).is_none()
            && !self.check.is_in_play(&self.name)
            && !cooling
    }

    fn seed(&self, round_no: u64) -> (fairshoe_fairness::ClientSeed, fairshoe_fairness::SeedCommitment) {
        let context = self.check.context().unwrap();
        let seed = derive_client_seed(&[5; 32], &context, round_no);
        let commitment = seed_commitment(&context, round_no, &self.name, &seed);
        (seed, commitment)
    }
}

/// All play until so many rounds are over; `twist` may change the first player's view. Returns the first player's flaw
/// if they find one too: they must also find what was done to others.
pub fn play(desk: &mut Desk, all: &mut [Eyes], rounds: u64, twist: Twist<'_>) -> Result<(), Flaw> {
    let mut as_it_is = |_: &mut Value, _: &Desk| {};
    loop {
        let mut moved = false;
        for number in 0..all.len() {
            let seen: Twist<'_> = if number == 0 { &mut *twist } else { &mut as_it_is };
            let eyes = &mut all[number];
            let step = match eyes.follow(desk, seen) {
                Ok(()) if eyes.is_over(rounds - 1) => return all_agree(desk, all),
                Ok(()) => eyes.go_on(desk, seen),
                Err(flaw) => Err(flaw),
            };
            match step {
                Ok(did) => moved |= did,
                Err(flaw) if number == 0 => return Err(flaw),
                Err(flaw) => return Err(all[0].follow(desk, twist).err().unwrap_or(flaw)),
            }
        }
        if !moved {
            desk.wait();
        }
    }
}

fn all_agree(desk: &Desk, all: &mut [Eyes]) -> Result<(), Flaw> {
    for eyes in all {
        eyes.follow(desk, &mut |_, _| {})?;
        assert_eq!(eyes.funds(), desk.funds(&eyes.name), "{} counts other chips than the house", eyes.name);
        assert!(eyes.funds() < Chips::MAX);
    }
    Ok(())
}

pub fn assert_flaw(name: &str, flaw: &Flaw, words: &str) {
    assert!(flaw.to_string().contains(words), "{name}: expected a flaw about `{words}`, got `{flaw}`");
}
