//! What the service told its clients in signed notes, held against the log as it is decided again (spec/audit.md,
//! "Evidence from outside").
//!
//! Owns: when a note and the log contradict each other. Does not own: the notes' form and signature
//! ([`fairshoe_house::notes`]), or where they were kept.

use super::claims::ClaimsDealer;
use super::piece::shoes_of;
use super::{Book, Check, Finding};
use fairshoe_fairness::PlayerId;
use fairshoe_games::RoundEvent;
use fairshoe_house::{
    Actor, Command, DecideError, Entry, Event, HouseNote, OVERDUE_GRACE_MS, ReceivedNote, TournamentCommand, VoidCause,
};

/// Notes that wait for the log to reach their time, and seeds and choices that the service received and owes a place.
#[derive(Default)]
pub struct Told {
    /// Ascending by time; the place among those given comes along.
    notes: Vec<(usize, HouseNote)>,
    /// The first that the log has not passed.
    next: usize,
    /// Of the notes from `next` on that were looked at: the last entry before the first state, and whether each state
    /// so far allowed the command.
    looked: Vec<(u64, bool)>,
    /// What was received in time and is not on the log yet, each with its note's place among those given.
    owed: Vec<(usize, ReceivedNote)>,
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

impl Told {
    /// Notes whose signatures were verified.
    pub fn new(notes: Vec<HouseNote>) -> Told {
        let mut notes: Vec<(usize, HouseNote)> = notes.into_iter().enumerate().collect();
        notes.sort_by_key(|(_, note)| note.time());
        Told { notes, ..Told::default() }
    }

    /// Looks at the notes whose time lies between the log's last entry, which the book stands after, and the next one,
    /// `entry`; and again at what is owed.
    pub fn before(&mut self, book: &Book, index: u64, entry: &Entry) {
        let (from, to) = (book.last_time(), entry.time);
        let restarts = matches!(entry.command, Command::StartDealer { .. });
        // Whatever the house would refuse now it may have refused already, by its rules: chips that went elsewhere
        // meanwhile, a choice that another one overtook.
        self.owed.retain(|(_, note)| book.still_accepts(note, to));
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
            // Of the states before the one that is taken as given nothing is known.
            if restarts || book.begins_after(note.time()) {
                self.result.not_judged += 1;
                continue;
            }
            self.result.judged += 1;
            match note {
                HouseNote::Received(received) if allowed && book.still_accepts(received, to) => {
                    self.owed.push((*number, received.clone()))
                }
                HouseNote::Refused(refused) if allowed => {
                    let what = format!(
                        "the service refused {} to {} ({}), and the log allowed it then: two words of the house that cannot both be true",
                        word(&refused.command),
                        refused.by,
                        refused.code
                    );
                    self.result
                        .findings
                        .push((*number, Finding::at(Check::RefusedWrongly, at, note.command().table(), what)));
                }
                _ => {}
            }
        }
        self.next += passed;
        self.settle(index, entry);
    }

    /// What the entry says about seeds and choices that are owed.
    fn settle(&mut self, index: u64, entry: &Entry) {
        if self.owed.is_empty() {
            return;
        }
        let waits = |(number, note): &(usize, ReceivedNote)| {
            let what = not_acted_on(note, entry)?;
            Some((*number, Finding::at(Check::ReceivedIgnored, index, note.command.table(), what)))
        };
        if !matches!(entry.command, Command::StartDealer { .. }) {
            self.result.findings.extend(self.owed.iter().filter_map(waits));
            self.owed.retain(|owed| waits(owed).is_none());
        }
        for event in &entry.events {
            // What was received and not written is lost in a crash, which is on the log.
            if matches!(event, Event::DealerStarted { .. }) {
                self.result.not_judged += self.owed.len();
                self.result.judged = self.result.judged.saturating_sub(self.owed.len());
                self.owed.clear();
            }
            let ignored = |(number, note): &(usize, ReceivedNote)| {
                let what = passed_over(note, entry, event)?;
                Some((*number, Finding::at(Check::ReceivedIgnored, index, entry.command.table(), what)))
            };
            self.result.findings.extend(self.owed.iter().filter_map(ignored));
            self.owed.retain(|owed| ignored(owed).is_none());
        }
    }

    /// At the log's end: what is later than its last entry is not judged.
    pub fn finish(mut self) -> ToldResult {
        self.result.not_judged += self.notes.len().saturating_sub(self.next);
        self.result.findings.sort_by_key(|(_, finding)| finding.entry);
        self.result
    }
}

/// A late seed has no deadline: the house passes it over that has not written it a while after it signed for it.
fn not_acted_on(note: &ReceivedNote, entry: &Entry) -> Option<String> {
    let Command::LateSeed { round_no, player, .. } = &note.command else { return None };
    let late = entry.time > note.time.saturating_add(OVERDUE_GRACE_MS) && entry.command != note.command;
    late.then(|| {
        let (received, now) = (crate::utc(note.time), crate::utc(entry.time));
        format!("the service had signed at {received} that it received the late seed of {player} in round {round_no}; at {now} it is not on the log")
    })
}

/// How an event passes over what the service had received in time: the round ends for want of that seed, or the house
/// plays that turn by default.
fn passed_over(note: &ReceivedNote, entry: &Entry, event: &Event) -> Option<String> {
    if note.command.table() != entry.command.table() {
        return None;
    }
    let received = crate::utc(note.time);
    match (&note.command, &entry.command, event) {
        (
            Command::Reveal { round_no: of, player, .. },
            _,
            Event::RoundVoided { round_no, missing, cause: VoidCause::RevealMissing, .. }
            | Event::PileFailed { round_no, missing },
        ) if of == round_no && missing.contains(player) => Some(format!(
            "round {of} ends for want of the seed of {player}; the service had signed that it received this seed at {received}, in time"
        )),
        (
            Command::Act { round_no: of, decision: asked, .. },
            Command::Lapse { round_no, .. },
            Event::Play(RoundEvent::Acted { decision, player, default: true, .. }),
        ) if (of, asked) == (round_no, decision) => Some(format!(
            "decision {asked} of {player} in round {of} is played by default; the service had signed that it received their choice at {received}, in time"
        )),
        (
            Command::Tournament(TournamentCommand::RevealSeatSeed { draw_no: of, entry_no, .. }),
            Command::Tournament(TournamentCommand::DrawSeats { draw_no, .. }),
            _,
        ) if of == draw_no => Some(format!(
            "draw {of} is made without the seed of entry {entry_no}; the service had signed that it received this seed at {received}, in time"
        )),
        (
            Command::Act { round_no: of, .. },
            Command::Lapse { .. },
            Event::RoundVoided { round_no, cause: VoidCause::Abandoned, .. },
        ) if of == round_no => Some(format!(
            "round {of} is abandoned; the service had signed that it received the choice of {} at {received}, in time",
            note.by
        )),
        _ => None,
    }
}

fn word(command: &Command) -> &'static str {
    match command {
        Command::Reveal { .. } | Command::LateSeed { .. } => "a seed",
        Command::CommitSeed { .. } | Command::CommitHandSeed { .. } => "a seed's commitment",
        Command::Bet { .. } => "a bet",
        Command::CancelBet { .. } => "a bet's return",
        Command::WithdrawHandSeed { .. } => "a commitment's return",
        _ => "a choice",
    }
}

impl Book {
    /// Whether the log's state allows what a note is about, at the note's time, with the signature that the note holds.
    /// A command of a player who has a key is never allowed without it: nobody is accused for it.
    fn accepts(&self, note: &HouseNote) -> bool {
        let command = note.command();
        let follows = matches!(
            command,
            Command::Reveal { .. }
                | Command::LateSeed { .. }
                | Command::CommitSeed { .. }
                | Command::CommitHandSeed { .. }
                | Command::WithdrawHandSeed { .. }
                | Command::Bet { .. }
                | Command::Act { .. }
                | Command::CancelBet { .. }
                | Command::Tournament(TournamentCommand::RevealSeatSeed { .. })
        );
        if !follows {
            return false;
        }
        let shoes = command.table().and_then(|id| self.table(id)).map(shoes_of).unwrap_or_default();
        let dealer = ClaimsDealer::new(self.entries(), &[], &shoes);
        let decided = self.state().decide_at(&dealer, note.time(), note.by(), note.signed(), command);
        // All refusals come before the first event: what fails after them fails on made-up faces alone.
        !matches!(decided, Err(DecideError::Refused(_)))
    }

    /// Whether the house had to take what it received, whenever it came to decide it between the log's last entry and
    /// the next, whose time is given: a change of the player's key that comes into force meanwhile may have made it
    /// refuse.
    fn still_accepts(&self, note: &ReceivedNote, next: u64) -> bool {
        let changes =
            |player: &PlayerId| self.state().waiting_key(player, note.time).is_some_and(|(_, from)| from <= next);
        let changes = matches!(&note.by, Actor::Player(player) if changes(player));
        !changes && self.accepts(&HouseNote::Received(note.clone()))
    }
}
