//! One tournament followed through a log that is decided again: its story in words, what each entrant paid and was paid,
//! its accounts, its chips, and what other instants of a cancellation would have paid (spec/audit.md, "Tournaments").
//!
//! Owns: what is told of an event. Does not own the verdict on the entries, which is the book's: whoever follows an
//! event says nothing of it before the log was found right.

mod chips;
mod instants;
mod money;
mod story;
mod terms;

pub use chips::ChipCount;
pub use instants::{Choice, Instant, MOST_CHOICES, Paid, PlayerRange};
pub use money::{AccountRow, Accounts, Columns, EntrantAccount, Forms, Reason, Standing};
pub use story::Told;

use chips::Chips;
use fairshoe_fairness::TableId;
use fairshoe_house::tournament::{CancelCause, Stage, StandCause};
use fairshoe_house::{Command, Entry, Event, Tournament, TournamentCommand, TournamentEvent};
use instants::choice;
use money::Money;
use serde::Serialize;
use story::Story;

/// The report of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventReport {
    /// Its name.
    pub event: TableId,
    /// Its structure's name.
    pub structure: String,
    /// The structure's digest.
    pub digest: String,
    /// How far it has come at the log's end.
    pub stage: Stage,
    /// The story, in the log's order.
    pub story: Vec<Told>,
    /// Each player's payments, in and out, by rank; those who only bought stakes last.
    pub entrants: Vec<EntrantAccount>,
    /// Every cent that its entries moved.
    pub accounts: Accounts,
    /// Every chip.
    pub chips: ChipCount,
    /// For each cancellation, and each stop of the clock after a crash, what other instants would have paid; of an event
    /// that is played at the log's end, what a cancellation then would pay.
    pub choices: Vec<Choice>,
}

/// Follows one event through a log, entry by entry. Memory is that of the event's own story.
pub struct Follower {
    event: TableId,
    tables: String,
    /// How many instants a choice is worked out for, at most.
    most_instants: usize,
    story: Story,
    money: Money,
    chips: Chips,
    choices: Vec<Choice>,
    /// The choice computed before the entry that is being folded in.
    before: Option<Choice>,
}

impl Follower {
    /// A report of the event of this name. `with_hands`: the story has a line for each hand. At most `most_instants`
    /// instants are worked out for each choice.
    pub fn new(event: TableId, with_hands: bool, most_instants: usize) -> Follower {
        Follower {
            tables: format!("{event}."),
            story: Story::new(with_hands),
            event,
            most_instants,
            money: Money::default(),
            chips: Chips::default(),
            choices: Vec::new(),
            before: None,
        }
    }

    /// Whether an entry is the event's own, one of its tables', or a start of the dealer.
    pub fn is_about(&self, entry: &Entry) -> bool {
        matches!(entry.command, Command::StartDealer { .. }) || self.is_of_it(entry)
    }

    fn is_of_it(&self, entry: &Entry) -> bool {
        let Some(at) = entry.command.table() else { return false };
        let of_table = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        *at == self.event || at.as_str().strip_prefix(self.tables.as_str()).is_some_and(of_table)
    }

    /// The event as it stands before an entry that is about it. The report has it only once the entry was decided again
    /// and taken in.
    pub fn before(&mut self, entry: &Entry, event: Option<&Tournament>) {
        let Some(event) = event else { return };
        self.story.before(entry, event);
        self.before = self.choice_of(entry, event);
    }

    /// The choice made with an entry: an instant, or to go on after a crash.
    fn choice_of(&self, entry: &Entry, event: &Tournament) -> Option<Choice> {
        if event.stage != Stage::Running || self.choices.len() >= MOST_CHOICES {
            return None;
        }
        let Command::Tournament(command) = &entry.command else { return None };
        // To go on, instead of a cancellation, is the operator's choice too.
        let (chosen, cause) = match command {
            TournamentCommand::Cancel { instant, cause, .. } => (Some(*instant), *cause),
            TournamentCommand::StartClock { .. } => (None, CancelCause::Operator),
            _ => return None,
        };
        choice(event, entry.time, chosen, cause, self.most_instants)
    }

    /// The same entry, taken in: the event as it stands after it.
    pub fn after(&mut self, index: u64, entry: &Entry, event: Option<&Tournament>) {
        let Some(event) = event else { return };
        self.choices.extend(self.before.take());
        if !self.is_of_it(entry) {
            let stands = matches!(event.clock.stands, Some((_, StandCause::Crash)));
            if event.stage == Stage::Running && stands {
                self.story.crashed(index, entry, event);
            }
            return;
        }
        let own = entry.command.table() == Some(&self.event);
        for happened in &entry.events {
            match happened {
                Event::Tournament(happened) if own => self.happened(happened, event),
                _ => self.chips.at_table(entry, happened),
            }
        }
        if own {
            self.money.post(entry);
            self.story.own(index, entry, event);
        } else {
            self.story.at_table(index, entry, self.chips.total());
        }
    }

    fn happened(&mut self, happened: &TournamentEvent, event: &Tournament) {
        self.chips.of_event(happened, event);
        self.money.happened(happened, event);
    }

    /// All of it, of an event that the log has.
    pub fn finish(self, event: &Tournament, time: u64) -> EventReport {
        let Follower { story, money, chips, mut choices, most_instants, .. } = self;
        if event.stage == Stage::Running && !event.is_over() && choices.len() < MOST_CHOICES {
            choices.extend(choice(event, time, None, CancelCause::Operator, most_instants));
        }
        let (entrants, accounts) = money.finish(event);
        EventReport {
            event: event.name().clone(),
            structure: event.structure().name.clone(),
            digest: event.terms.digest.clone(),
            stage: event.stage,
            story: story.finish(),
            entrants,
            accounts,
            chips: chips.finish(event),
            choices,
        }
    }
}
