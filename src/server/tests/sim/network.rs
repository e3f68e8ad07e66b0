//! Clients' requests and the service's replies under way: lost, doubled, late, out of order. What each client was
//! answered.

use crate::known::Known;
use crate::process::{Ack, Reply, Request};
use crate::rng::Rng;
use crate::trouble::Trouble;
use crate::world::Tally;
use fairshoe_house::{Actor, Command, Entry, TournamentCommand};
use std::collections::HashSet;

/// Something under way.
pub enum Packet {
    /// A copy of a request.
    ToService(usize),
    ToClient(Box<Reply>),
}

struct Asked {
    request: Request,
    /// The first reply that acknowledged it.
    first: Option<Ack>,
}

/// A copy of a request that was sent.
struct Copy {
    of: usize,
    /// The client had its acknowledgement when it sent this one.
    is_repeat: bool,
    answered: bool,
}

/// See the module.
pub struct Network {
    rng: Rng,
    asked: Vec<Asked>,
    copies: Vec<Copy>,
    under_way: Vec<(u64, Packet)>,
    /// Copies that must be answered now that nothing is lost any more.
    owed: HashSet<usize>,
}

impl Network {
    pub fn new(rng: Rng) -> Network {
        Network { rng, asked: Vec::new(), copies: Vec::new(), under_way: Vec::new(), owed: HashSet::new() }
    }

    /// How many requests were made so far.
    pub fn sent(&self) -> usize {
        self.asked.len()
    }

    pub fn ask(&mut self, request: Request, now: u64, trouble: &Trouble) {
        self.asked.push(Asked { request, first: None });
        self.send_copy(self.asked.len() - 1, now, trouble);
    }

    fn send_copy(&mut self, of: usize, now: u64, trouble: &Trouble) -> usize {
        let is_repeat = self.asked[of].first.is_some();
        self.copies.push(Copy { of, is_repeat, answered: false });
        let copy = self.copies.len() - 1;
        for at in self.arrivals(now, trouble) {
            self.under_way.push((at, Packet::ToService(copy)));
        }
        copy
    }

    /// When a packet arrives: perhaps never, perhaps twice.
    fn arrivals(&mut self, now: u64, trouble: &Trouble) -> Vec<u64> {
        let often = match trouble.network {
            0 => 1,
            odds if self.rng.one_in(odds) => 0,
            odds if self.rng.one_in(odds) => 2,
            _ => 1,
        };
        let slow = trouble.network > 0;
        (0..often).map(|_| now + if slow { self.rng.pick(&[0, 1, 30, 400, 2_500]) } else { 0 }).collect()
    }

    /// Somebody asks again what they asked before, one of their last requests as a rule.
    pub fn repeat(&mut self, now: u64, trouble: &Trouble) {
        if self.asked.is_empty() {
            return;
        }
        let last = self.asked.len() - 1;
        let of = if self.rng.one_in(3) { self.rng.below(last + 1) } else { last - self.rng.below(last.min(4) + 1) };
        self.send_copy(of, now, trouble);
    }

    /// Many ask again, and nothing is lost any more.
    pub fn repeat_many(&mut self, now: u64, trouble: &Trouble) {
        for _ in 0..self.asked.len().min(24) {
            let of = self.rng.below(self.asked.len());
            let copy = self.send_copy(of, now, trouble);
            self.owed.insert(copy);
        }
    }

    /// A request that was to be answered and was not.
    pub fn unanswered(&self) -> Option<&Command> {
        let copy = self.owed.iter().find(|copy| !self.copies[**copy].answered)?;
        Some(&self.asked[self.copies[*copy].of].request.command)
    }

    pub fn request_of(&self, copy: usize) -> &Request {
        &self.asked[self.copies[copy].of].request
    }

    /// A reply goes out; where they are swapped, to another request's client.
    pub fn answer(&mut self, mut reply: Reply, now: u64, trouble: &Trouble, swapped: bool) {
        if swapped && self.rng.one_in(4) {
            reply.request = self.rng.below(self.copies.len());
        }
        for at in self.arrivals(now, trouble) {
            self.under_way.push((at, Packet::ToClient(Box::new(reply.clone()))));
        }
    }

    /// What arrives by now, in any order.
    pub fn due(&mut self, now: u64) -> Vec<Packet> {
        let (due, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.under_way).into_iter().partition(|(at, _)| *at <= now);
        self.under_way = later;
        let mut due: Vec<Packet> = due.into_iter().map(|(_, packet)| packet).collect();
        for nth in 1..due.len() {
            due.swap(nth, self.rng.below(nth + 1));
        }
        due
    }

    pub fn all(&mut self) -> Vec<Packet> {
        self.due(u64::MAX)
    }

    /// A client has its reply. An entry that it acknowledges is the one asked for, and the same each time.
    pub fn answered(&mut self, reply: &Reply, known: &mut Known, tally: &mut Tally) -> Result<(), String> {
        let copy = &mut self.copies[reply.request];
        copy.answered = true;
        let is_repeat = copy.is_repeat;
        let Asked { request, first } = &mut self.asked[copy.of];
        if let Some(note) = &reply.received {
            known.note(note);
        }
        let ack = match &reply.outcome {
            Ok(ack) => ack,
            Err(denied) => {
                tally.refusals += 1;
                if let Some(note) = &denied.refused {
                    known.note(note);
                }
                if is_repeat && is_once(request) {
                    let (code, detail) = (denied.code, &denied.detail);
                    return Err(format!(
                        "{:?} was acknowledged, and again it is told {code}: {detail}",
                        request.command
                    ));
                }
                return Ok(());
            }
        };
        known.acknowledged(ack)?;
        let entry = Entry::decode(ack.entry.as_bytes()).map_err(|e| e.to_string())?;
        if !is_of(&entry, request) {
            return Err(format!(
                "{:?} of {} was acknowledged with the entry {}",
                request.command, request.by, ack.entry
            ));
        }
        tally.acknowledged += 1;
        let Some(before) = first else {
            *first = Some(ack.clone());
            return Ok(());
        };
        tally.repeats += 1;
        if is_once(request) && before.index != ack.index {
            let (command, one, other) = (&request.command, before.index, ack.index);
            return Err(format!("{command:?} was carried out twice, as entries {one} and {other}"));
        }
        if before.index == ack.index && request.by != Actor::Anyone && before.rest != ack.rest {
            let command = &request.command;
            return Err(format!("{command:?} was answered with {} and again with {}", before.rest, ack.rest));
        }
        Ok(())
    }
}

/// Whether it can be carried out once at most, and whoever repeats it is told so: bets may be taken back and placed
/// again, and of a late seed it is said that it is out.
fn is_once(request: &Request) -> bool {
    let natural = match &request.command {
        Command::Reveal { .. } | Command::Act { .. } => true,
        Command::Tournament(command) => matches!(command, TournamentCommand::RevealSeatSeed { .. }),
        _ => false,
    };
    natural || request.key.is_some()
}

/// Whether an entry is what came of the request. Whoever brings a seed, it is the same seed.
fn is_of(entry: &Entry, request: &Request) -> bool {
    match (&entry.command, &request.command) {
        (
            Command::Reveal { table: a, round_no: m, player: p, seed: x, .. },
            Command::Reveal { table: b, round_no: n, player: q, seed: y, .. },
        ) => (a, m, p, x) == (b, n, q, y),
        (
            Command::Tournament(TournamentCommand::RevealSeatSeed {
                event: a, draw_no: m, entry_no: p, seed: x, ..
            }),
            Command::Tournament(TournamentCommand::RevealSeatSeed {
                event: b, draw_no: n, entry_no: q, seed: y, ..
            }),
        ) => (a, m, p, x) == (b, n, q, y),
        (Command::LateSeed { .. }, Command::LateSeed { .. }) => entry.command == request.command,
        // Who takes a seat is expected with it, and who asks again is told of that entry.
        (Command::TakeSeat { table: a, .. }, Command::AskToPlay { table: b }) => a == b && entry.by == request.by,
        (of_entry, asked) => of_entry == asked && entry.by == request.by,
    }
}
