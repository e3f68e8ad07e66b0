//! What the service told its clients in signed notes, held against the log as it is decided again (spec/audit.md, "Evidence
//! from outside").
//!
//! Owns: when a note and the log contradict each other. Does not own: the notes' form and signature ([`crate::notes`]), or
//! where they were kept.

use super::claims::ClaimsDealer;
use super::replay::shoes_of;
use super::{Book, Check, Finding};
use crate::decide::Declined;
use crate::{Command, Entry, Event, HouseNote, VoidCause};
use fairshoe_fairness::{PlayerId, TableId};

/// Notes that wait for the log to reach their time, and seeds that the service received and owes a place.
#[derive(Default)]
pub struct Told {
    /// Ascending by time; the place among those given comes along.
    notes: Vec<(usize, HouseNote)>,
    /// The first that the log has not passed.
    next: usize,
    /// Of the notes from `next` on that were looked at: the last entry before the first state, and whether each state so far
    /// allowed the command.
    looked: Vec<(u64, bool)>,
    owed: Vec<Owed>,
    result: ToldResult,
}

/// What came of the notes.
#[derive(Clone, Debug, Default)]
pub struct ToldResult {
    /// Notes that were held against the log's state at their time.
    pub judged: usize,
    /// Notes later than every entry, or just before a restart, which may have lost what followed.
    pub not_judged: usize,
    /// What contradicts the log, each with its note's place among those given.
    pub findings: Vec<(usize, Finding)>,
}

/// A seed that was received in time and is not on the log yet.
struct Owed {
    note: usize,
    time: u64,
    table: TableId,
    round_no: u64,
    player: PlayerId,
}

impl Told {
    /// Notes whose signatures were verified.
    pub fn new(notes: Vec<HouseNote>) -> Told {
        let mut notes: Vec<(usize, HouseNote)> = notes.into_iter().enumerate().collect();
        notes.sort_by_key(|(_, note)| note.time());
        Told { notes, ..Told::default() }
    }

    /// Looks at the notes whose time lies between the log's last entry, which the book stands after, and the next one, `entry`.
    pub fn before(&mut self, book: &Book, index: u64, entry: &Entry) {
        let (from, to) = (book.last_time(), entry.time);
        let restarts = matches!(entry.command, Command::StartDealer { .. });
        let reached = self.notes.iter().skip(self.next).take_while(|(_, note)| note.time() <= to);
        for (place, (_, note)) in reached.enumerate() {
            // A note older than the entries so far is of a clock that went back: it is looked at in the state there is.
            if place >= self.looked.len() {
                self.looked.push((index.saturating_sub(1), note.time() >= from));
            }
            if let Some((_, allowed)) = self.looked.get_mut(place) {
                *allowed &= !restarts && book.accepts(note);
            }
        }
        let passed = self.notes.iter().skip(self.next).take_while(|(_, note)| note.time() < to).count();
        for ((at, allowed), (number, note)) in self.looked.drain(..passed).zip(self.notes.iter().skip(self.next)) {
            if restarts {
                self.result.not_judged += 1;
                continue;
            }
            self.result.judged += 1;
            match note {
                HouseNote::Received(_) if allowed => self.owed.extend(owed(*number, note)),
                HouseNote::Refused(refused) if allowed => {
                    let what = format!(
                        "the service refused {} to {} ({}), and the log allowed it then: two words of the house that cannot both be true",
                        word(&refused.command),
                        refused.by,
                        refused.code
                    );
                    self.result.findings.push((*number, Finding::at(Check::RefusedWrongly, at, note.command().table(), what)));
                }
                _ => {}
            }
        }
        self.next += passed;
        self.settle(index, entry);
    }

    /// What the entry says about seeds that are owed.
    fn settle(&mut self, index: u64, entry: &Entry) {
        if self.owed.is_empty() {
            return;
        }
        for event in &entry.events {
            // What was received and not written is lost in a crash, which is on the log.
            if matches!(event, Event::DealerStarted { .. }) {
                self.result.not_judged += self.owed.len();
                self.result.judged = self.result.judged.saturating_sub(self.owed.len());
                self.owed.clear();
            }
            let Some(table) = entry.command.table() else { continue };
            match event {
                Event::SeedRevealed { player, .. } => self.owed.retain(|owed| owed.table != *table || owed.player != *player),
                Event::RoundVoided { round_no, missing, cause: VoidCause::RevealMissing, .. } | Event::PileFailed { round_no, missing } => {
                    let ended = |owed: &Owed| owed.table == *table && owed.round_no == *round_no;
                    let ignored = self.owed.iter().filter(|owed| ended(owed) && missing.contains(&owed.player));
                    self.result.findings.extend(ignored.map(|owed| {
                        let what = format!(
                            "round {round_no} ends for want of the seed of {}; the service had signed that it received this seed at {}, in time",
                            owed.player,
                            crate::utc(owed.time)
                        );
                        (owed.note, Finding::at(Check::ReceivedIgnored, index, Some(table), what))
                    }));
                    self.owed.retain(|owed| !ended(owed));
                }
                Event::RoundVoided { round_no, .. } => self.owed.retain(|owed| owed.table != *table || owed.round_no != *round_no),
                _ => {}
            }
        }
    }

    /// At the log's end: what is later than its last entry is not judged.
    pub fn finish(mut self) -> ToldResult {
        self.result.not_judged += self.notes.len().saturating_sub(self.next);
        self.result.findings.sort_by_key(|(_, finding)| finding.entry);
        self.result
    }
}

fn owed(note: usize, received: &HouseNote) -> Option<Owed> {
    match received.command() {
        Command::Reveal { table, round_no, player, .. } => {
            Some(Owed { note, time: received.time(), table: table.clone(), round_no: *round_no, player: player.clone() })
        }
        _ => None,
    }
}

fn word(command: &Command) -> &'static str {
    match command {
        Command::Reveal { .. } => "a seed",
        Command::Bet { .. } => "a bet",
        Command::CancelBet { .. } => "a bet's return",
        _ => "a choice",
    }
}

impl Book {
    /// Whether the log's state allows what a note is about, at the note's time. A note holds no signature, so that a command
    /// of a player who has a key is never allowed here: nobody is accused for it.
    fn accepts(&self, note: &HouseNote) -> bool {
        let command = note.command();
        if !matches!(command, Command::Reveal { .. } | Command::Bet { .. } | Command::Act { .. } | Command::CancelBet { .. }) {
            return false;
        }
        let shoes = command.table().and_then(|id| self.table(id)).map(shoes_of).unwrap_or_default();
        let dealer = ClaimsDealer::new(self.entries(), &[], &shoes);
        // All refusals come before the first event: what fails after them fails on made-up faces alone.
        !matches!(self.state().decide(&dealer, note.time(), note.by(), command), Err(Declined::Refused(_)))
    }
}
