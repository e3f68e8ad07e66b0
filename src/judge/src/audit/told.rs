//! The service's signed notes to its clients, compared with the log as it is decided again (spec/audit.md, "Evidence
//! from outside").
//!
//! Owns: when a note and the log contradict each other. Does not own: the notes' form and signature
//! ([`fairshoe_house::notes`]), or where they were kept.

use super::claims::ClaimsDealer;
use super::{Book, Check, Finding};
use fairshoe_fairness::PlayerId;
use fairshoe_games::RoundEvent;
use fairshoe_house::{
    Actor, Command, DecideError, Entry, Event, HouseNote, OVERDUE_GRACE_MS, PlacedBet, Receivable, ReceivedNote,
    TournamentCommand, VoidCause,
};
use std::collections::BTreeMap;

/// Notes that wait for the log to reach their time, and commands that the service received and owes a place.
#[derive(Default)]
pub struct Told {
    /// Ascending by time; the place among those given comes along.
    notes: Vec<(usize, HouseNote)>,
    /// The first that the log has not passed.
    next: usize,
    /// For the notes from `next` on that were looked at: the last entry before the first state, and whether each state
    /// so far allowed the command.
    looked: Vec<(u64, bool)>,
    /// Commands received in time that are not on the log yet, each with its note's place among those given.
    owed: Vec<(usize, ReceivedNote)>,
    /// Whether the log has each tournament's command of these notes, as [`words`] has it.
    done: BTreeMap<String, bool>,
    /// The last entry, where it is one of the house's own: its place and command.
    by_house: Option<(u64, Command)>,
    result: ToldResult,
}

/// The result of the notes.
#[derive(Clone, Debug, Default)]
pub struct ToldResult {
    /// Notes that were held against the log's state at their time.
    pub judged: usize,
    /// Notes later than every entry, or just before a restart, which may have lost what followed.
    pub not_judged: usize,
    /// Those of them of commands that were received just before a start, which may have lost them.
    pub lost: usize,
    /// The contradictions to the log, each with its note's place among those given.
    pub findings: Vec<(usize, Finding)>,
}

impl Told {
    /// Notes whose signatures were verified.
    pub fn new(notes: Vec<HouseNote>) -> Told {
        let mut notes: Vec<(usize, HouseNote)> = notes.into_iter().enumerate().collect();
        notes.sort_by_key(|(_, note)| note.time());
        let done = notes.iter().filter_map(|(_, note)| words(note.by(), note.command())).map(|words| (words, false));
        Told { done: done.collect(), notes, ..Told::default() }
    }

    /// Looks at the notes whose time lies between the log's last entry, which the book stands after, and the next one,
    /// `entry`; and again at what is owed.
    pub fn before(&mut self, book: &Book, index: u64, entry: &Entry) {
        let (from, to) = (book.last_time(), entry.time);
        let restarts = matches!(entry.command, Command::StartDealer { .. });
        self.miss(book);
        // Whatever the house would refuse now it may have refused already, by its rules: chips that went elsewhere
        // meanwhile, a choice that another one overtook.
        self.owed.retain(|(_, note)| book.still_accepts(note, to) && !is_done(&self.done, book, note));
        let reached = self.notes.iter().skip(self.next).take_while(|(_, note)| note.time() <= to);
        for (place, (_, note)) in reached.enumerate() {
            // A note older than the entries so far is of a clock that went back: it is looked at in the state there is.
            if place >= self.looked.len() {
                self.looked.push((index.saturating_sub(1), note.time() >= from));
            }
            if let Some((_, allowed)) = self.looked.get_mut(place) {
                // The log may have taken it at the note's own time, and have taken another one instead since.
                let done = matches!(note, HouseNote::Received(note) if is_done(&self.done, book, note));
                *allowed &= !restarts && !done && book.accepts(note);
            }
        }
        let passed = self.notes.iter().skip(self.next).take_while(|(_, note)| note.time() < to).count();
        for ((at, allowed), (number, note)) in self.looked.drain(..passed).zip(self.notes.iter().skip(self.next)) {
            // The states before the one that is taken as given are not known.
            if restarts || book.begins_after(note.time()) {
                self.result.not_judged += 1;
                self.result.lost += usize::from(restarts && matches!(note, HouseNote::Received(_)));
                continue;
            }
            self.result.judged += 1;
            match note {
                HouseNote::Received(received)
                    if allowed && book.still_accepts(received, to) && !is_done(&self.done, book, received) =>
                {
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
        if let Some(done) = words(&entry.by, &entry.command).and_then(|words| self.done.get_mut(&words)) {
            *done = true;
        }
        let is_own = entry.by == Actor::House && !self.owed.is_empty();
        self.by_house = is_own.then(|| (index, entry.command.clone()));
    }

    /// In the state that the last entry left: what is owed, and the house has made impossible by a command of its own at
    /// its table or in its event.
    fn miss(&mut self, book: &Book) {
        let Some((at, command)) = self.by_house.take() else { return };
        let missed = |note: &ReceivedNote| note.command.table() == command.table() && !book.accepts_received(note);
        for (number, note) in self.owed.iter().filter(|(_, note)| missed(note)) {
            let (what, received) = (word(&note.command), crate::utc(note.time));
            let what = format!(
                "after this command of the house's own {what} of {} can be taken no more; the service had signed that it received it at {received}, in time",
                note.by
            );
            self.result.findings.push((*number, Finding::at(Check::ReceivedIgnored, at, command.table(), what)));
        }
        self.owed.retain(|(_, note)| !missed(note));
    }

    /// Settles owed commands by this entry.
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
            // A crash, which is on the log, loses commands that were received and not written.
            if matches!(event, Event::DealerStarted { .. }) {
                self.result.not_judged += self.owed.len();
                self.result.lost += self.owed.len();
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

    /// At the log's end, which the book stands after: what is later than its last entry is not judged.
    pub fn finish(mut self, book: &Book) -> ToldResult {
        // The book stands before an entry that does not hold.
        if self.by_house.as_ref().is_some_and(|(at, _)| *at < book.entries()) {
            self.miss(book);
        }
        self.result.not_judged += self.notes.len().saturating_sub(self.next);
        self.result.findings.sort_by_key(|(_, finding)| finding.entry);
        self.result
    }
}

/// The house passes over whatever it has not written a while after it signed for it: not all has a deadline, or one
/// that is near.
fn not_acted_on(note: &ReceivedNote, entry: &Entry) -> Option<String> {
    let late = entry.time > note.time.saturating_add(OVERDUE_GRACE_MS) && entry.command != note.command;
    late.then(|| {
        let (received, now) = (crate::utc(note.time), crate::utc(entry.time));
        let what = match &note.command {
            Command::LateSeed { round_no, player, .. } => format!("the late seed of {player} in round {round_no}"),
            command => format!("{} of {}", word(command), note.by),
        };
        format!("the service had signed at {received} that it received {what}; at {now} it is not on the log")
    })
}

/// How an event passes over what the service had received in time: the round ends for want of that seed, the house plays
/// that turn by default or as another choice has it, or bets or commitments close without it.
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
            Command::Act { round_no: of, decision: asked, action, .. },
            Command::Act { round_no, decision, action: other, .. },
            Event::Play(RoundEvent::Acted { decision: acted, .. }),
        ) if (of, asked) == (round_no, decision) && asked == acted && action != other && note.by == entry.by => {
            Some(format!(
                "decision {asked} of {} in round {of} is logged with another choice; the service had signed that it received theirs at {received}, before this one",
                note.by
            ))
        }
        (
            Command::Tournament(TournamentCommand::AnswerDeal { digest: of, accept, .. }),
            Command::Tournament(TournamentCommand::AnswerDeal { digest, accept: other, .. }),
            _,
        ) if of == digest && accept != other && note.by == entry.by => Some(format!(
            "the answer of {} to the deal is logged otherwise; the service had signed that it received theirs at {received}, before this one",
            note.by
        )),
        (
            Command::Bet { round_no: of, .. } | Command::CancelBet { round_no: of, .. },
            Command::CloseBets { round_no, .. },
            _,
        )
        | (
            Command::CommitHandSeed { round_no: of, .. } | Command::WithdrawHandSeed { round_no: of, .. },
            Command::CloseCall { round_no, .. },
            _,
        ) if of == round_no => Some(format!(
            "round {of} is closed without {} of {}; the service had signed that it received it at {received}, in time",
            word(&note.command),
            note.by
        )),
        (Command::CommitSeed { round_no: of, .. }, _, Event::PileFailed { round_no, .. }) if of == round_no => {
            Some(format!(
                "pile {of} fails; the service had signed that it received {} of {} at {received}, in time",
                word(&note.command),
                note.by
            ))
        }
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

/// Whether what was received is done already: bets and a commitment that stand so, a tournament's command that the log
/// has. A repeat gets the receipt of the entry that did it.
fn is_done(done: &BTreeMap<String, bool>, book: &Book, note: &ReceivedNote) -> bool {
    let Actor::Player(player) = &note.by else { return false };
    let table = note.command.table().and_then(|id| book.table(id));
    match (&note.command, table) {
        (Command::Bet { round_no, bets, commitment, .. }, Some(table)) => {
            let placed = PlacedBet { player: player.clone(), bets: bets.clone(), commitment: *commitment };
            let window = table.window().filter(|window| window.round_no == *round_no);
            window.and_then(|window| window.bet_of(player)) == Some(&placed)
        }
        (Command::CommitHandSeed { round_no, commitment, .. }, Some(table)) => {
            let stands = match table.call() {
                Some(call) => call.seeds.get(player).filter(|_| call.round_no == *round_no),
                None => table.cash().and_then(|cash| cash.carried.get(player)),
            };
            stands == Some(commitment)
        }
        // If a book begins with a state, the entries before it are not known.
        (command, _) => {
            words(&note.by, command).is_some_and(|words| book.begins_after(0) || done.get(&words) == Some(&true))
        }
    }
}

/// A tournament's command of which a service signs that it came, with its actor, in words that another one of the same
/// kind has too.
fn words(by: &Actor, command: &Command) -> Option<String> {
    let text = || Some(format!("{by} {}", command.to_json().ok()?));
    if Receivable::of(command) == Some(Receivable::OfEvent) { text() } else { None }
}

fn word(command: &Command) -> &'static str {
    match command {
        Command::Reveal { .. } | Command::LateSeed { .. } => "a seed",
        Command::CommitSeed { .. } | Command::CommitHandSeed { .. } => "a seed's commitment",
        Command::Bet { .. } => "a bet",
        Command::CancelBet { .. } => "a bet's return",
        Command::WithdrawHandSeed { .. } => "a commitment's return",
        Command::Tournament(command) => match command {
            TournamentCommand::Register { .. } => "an entry",
            TournamentCommand::Unregister { .. } => "an entry's return",
            TournamentCommand::Rebuy { .. } => "a rebuy",
            TournamentCommand::AddOn { .. } => "an add-on",
            TournamentCommand::AnswerDeal { .. } => "an answer to a deal",
            _ => "a seed",
        },
        _ => "a choice",
    }
}

impl Book {
    /// Whether the log's state allows what a note is about, at the note's time, with the signature that the note holds.
    /// A command of a player who has a key is never allowed without it: nobody is accused for it.
    fn accepts(&self, note: &HouseNote) -> bool {
        if Receivable::of(note.command()).is_none() {
            return false;
        }
        let (command, time) = (note.command(), note.time());
        let dealer = ClaimsDealer::new(self.entries(), &[], command.table().and_then(|id| self.table(id)));
        let decided = self.state().decide_at(&dealer, time, note.by(), note.signed(), command);
        // All refusals come before the first event: what fails after them fails on made-up faces alone.
        !matches!(decided, Err(DecideError::Refused(_)))
    }

    fn accepts_received(&self, note: &ReceivedNote) -> bool {
        self.accepts(&HouseNote::Received(note.clone()))
    }

    /// Whether the house had to take what it received, whenever it came to decide it between the log's last entry and
    /// the next, whose time is given: a change of the player's key that comes into force meanwhile may have made it
    /// refuse.
    fn still_accepts(&self, note: &ReceivedNote, next: u64) -> bool {
        let changes =
            |player: &PlayerId| self.state().waiting_key(player, note.time).is_some_and(|(_, from)| from <= next);
        let changes = matches!(&note.by, Actor::Player(player) if changes(player));
        !changes && self.accepts_received(note)
    }
}
