//! What a regulator is told of besides the rounds: starts, stops, voids, corrections and the like.

use super::IndexError;
use super::files::Files;
use super::wire::{Input, put};
use fairshoe_house::{Command, Entry, Event, LapseCause, RetireCause, TournamentEvent, VoidCause};
use std::ops::Range;
use std::sync::Arc;

/// A table of whose last hundred rounds so many were voided by withheld reveals is named to the operator.
pub const WITHHELD_ALARM: u32 = 3;

/// So many of a table's last rounds are looked at.
const WATCHED_ROUNDS: u32 = 100;

/// Something significant that an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Significant {
    /// The entry's place in the log.
    pub index: u64,
    /// Its time, UTC milliseconds.
    pub time: u64,
    pub what: What,
}

/// The kinds of significant things, with what each brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The dealer started; whether the process before it had stopped in good order, or there was none.
    Start {
        clean: bool,
    },
    Stop,
    StartRefused,
    /// A round was voided.
    Void,
    /// The operator declared a malfunction: a round was voided, or open bets were returned.
    Malfunction,
    Correction,
    TokensRevoked,
    /// The operator replaced or cleared a player's key.
    KeyReplaced,
    /// The operator changed a shoe at their discretion.
    HouseShuffle,
    /// The operator took a player's seat, or said that they are to leave after the hand.
    Unseated,
    /// An auditor got the seeds of a sealed shoe.
    ShoeDisclosed,
    /// A tournament is off.
    TournamentCancelled,
    /// The operator changed a tournament's start, or the times of its registration.
    TournamentChanged,
    /// The operator disqualified a player from a tournament.
    Disqualified,
    /// The operator put something else in the place of a prize.
    PrizeSubstituted,
    /// The operator said which receipts of another log are honoured: whose chips come here.
    LogKnown,
    /// So many of the table's last hundred rounds were voided by withheld reveals, this one included.
    WithheldReveals {
        count: u32,
    },
}

impl What {
    /// Its word in openapi.yaml.
    pub fn word(self) -> &'static str {
        match self {
            What::Start { .. } => "start",
            What::Stop => "stop",
            What::StartRefused => "start_refused",
            What::Void => "void",
            What::Malfunction => "malfunction",
            What::Correction => "correction",
            What::TokensRevoked => "tokens_revoked",
            What::KeyReplaced => "key_replaced",
            What::HouseShuffle => "house_shuffle",
            What::Unseated => "unseated",
            What::ShoeDisclosed => "shoe_disclosed",
            What::TournamentCancelled => "tournament_cancelled",
            What::TournamentChanged => "tournament_changed",
            What::Disqualified => "disqualified",
            What::PrizeSubstituted => "prize_substituted",
            What::LogKnown => "log_known",
            What::WithheldReveals { .. } => "withheld_reveals",
        }
    }
}

/// Those without a number of their own, by their codes in records.
const PLAIN: [What; 15] = [
    What::Stop,
    What::StartRefused,
    What::Void,
    What::Malfunction,
    What::Correction,
    What::TokensRevoked,
    What::KeyReplaced,
    What::HouseShuffle,
    What::Unseated,
    What::ShoeDisclosed,
    What::TournamentCancelled,
    What::TournamentChanged,
    What::Disqualified,
    What::PrizeSubstituted,
    What::LogKnown,
];

impl Significant {
    /// As a record's value.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.index);
        put(&mut out, self.time);
        let (code, number) = match self.what {
            What::Start { clean } => (100, u64::from(clean)),
            What::WithheldReveals { count } => (101, count.into()),
            plain => (PLAIN.iter().position(|what| *what == plain).unwrap_or_default() as u64, 0),
        };
        put(&mut out, code);
        put(&mut out, number);
        out
    }

    fn decode(bytes: &[u8]) -> Result<Significant, IndexError> {
        let mut input = Input(bytes);
        let (index, time, code, number) = (input.number()?, input.number()?, input.length()?, input.number()?);
        let what = match code {
            100 => Some(What::Start { clean: number == 1 }),
            101 => u32::try_from(number).ok().map(|count| What::WithheldReveals { count }),
            plain => PLAIN.get(plain).copied(),
        };
        Ok(Significant { index, time, what: what.ok_or(IndexError::Damaged("an event that is none"))? })
    }
}

/// The key of a significant event, counted from the log's first.
pub(super) fn significant_key(number: u64) -> Vec<u8> {
    let mut key = vec![b'g'];
    key.extend(number.to_be_bytes());
    key
}

/// What a regulator is told of, as it is at one time.
pub struct SignificantIndex {
    pub(super) files: Arc<Files>,
    /// The last of them: being written, and newer.
    pub(super) recent: [Arc<Vec<Significant>>; 2],
    pub(super) count: u64,
}

impl SignificantIndex {
    fn get(&self, number: u64) -> Result<Option<Significant>, IndexError> {
        let recent = self.recent.iter().fold(0, |count, recent| count + recent.len() as u64);
        match number.checked_sub(self.count.saturating_sub(recent)) {
            Some(nth) => Ok(self
                .recent
                .iter()
                .flat_map(|recent| recent.iter())
                .nth(usize::try_from(nth).unwrap_or(usize::MAX))
                .copied()),
            None => {
                let bytes = self
                    .files
                    .get(&significant_key(number))?
                    .ok_or(IndexError::Damaged("a significant event is not there"));
                bytes.and_then(|bytes| Significant::decode(&bytes)).map(Some).map_err(|error| self.files.note(error))
            }
        }
    }

    /// How many of them are before this time.
    pub fn before(&self, time: u64) -> Result<u64, IndexError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle)?.is_some_and(|event| event.time < time) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// These of them, counted from the first. The caller bounds how many.
    pub fn range(&self, range: Range<u64>) -> Result<Vec<Significant>, IndexError> {
        (range.start..range.end.min(self.count)).filter_map(|number| self.get(number).transpose()).collect()
    }
}

/// Whether a shoe leaves by the operator's discretion, at once or after the hand in progress (R001.120).
fn is_house_shuffle(event: &Event) -> bool {
    matches!(event, Event::ShuffleAsked {} | Event::ShoeRevealed { cause: Some(RetireCause::HouseShuffle), .. })
}

/// What is significant of a tournament beside its tables.
fn of_tournament(event: &TournamentEvent) -> Option<What> {
    match event {
        TournamentEvent::Cancelled { .. } => Some(What::TournamentCancelled),
        TournamentEvent::Postponed { .. } | TournamentEvent::RegistrationChanged { .. } => {
            Some(What::TournamentChanged)
        }
        TournamentEvent::PlayerDisqualified { .. } => Some(What::Disqualified),
        TournamentEvent::PrizeSubstituted { .. } => Some(What::PrizeSubstituted),
        _ => None,
    }
}

/// What an entry says that is significant. `clean`: the process before had stopped in good order, or there was none;
/// `withheld`: of the table's last rounds, which a withheld reveal voided.
pub(super) fn noted(index: u64, entry: &Entry, clean: bool, withheld: u128) -> Vec<Significant> {
    let mut noted = Vec::new();
    let mut note = |what: What| noted.push(Significant { index, time: entry.time, what });
    // By its command: the events are those of a player's own leaving, and at a cash table the seat may go later.
    if let Command::Unseat { .. } = entry.command {
        note(What::Unseated);
    }
    for event in &entry.events {
        let what = match event {
            Event::DealerStarted { .. } => Some(What::Start { clean }),
            Event::DealerStopped {} => Some(What::Stop),
            Event::StartRefused { .. } => Some(What::StartRefused),
            Event::RoundVoided { cause: VoidCause::Malfunction, .. } => Some(What::Malfunction),
            Event::RoundVoided { .. } => Some(What::Void),
            Event::BetsLapsed { cause: LapseCause::Malfunction, .. }
            | Event::CallLapsed { cause: LapseCause::Malfunction, .. } => Some(What::Malfunction),
            Event::TokenIssued { revoked: true, .. } => Some(What::TokensRevoked),
            Event::KeySet { .. } if matches!(entry.command, Command::SetKey { reason: Some(_), .. }) => {
                Some(What::KeyReplaced)
            }
            Event::Posted { .. } if matches!(entry.command, Command::Correct { .. }) => Some(What::Correction),
            Event::ShoeDisclosed { .. } => Some(What::ShoeDisclosed),
            Event::LogKnown { .. } => Some(What::LogKnown),
            Event::Tournament(event) => of_tournament(event),
            event if is_house_shuffle(event) => Some(What::HouseShuffle),
            _ => None,
        };
        if let Some(what) = what {
            note(what);
        }
        if let Event::RoundVoided { cause: VoidCause::RevealMissing, .. } = event {
            let count = (withheld & ((1 << WATCHED_ROUNDS) - 1)).count_ones();
            if count >= WITHHELD_ALARM {
                note(What::WithheldReveals { count });
            }
        }
    }
    noted
}
