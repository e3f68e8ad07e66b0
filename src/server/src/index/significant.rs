//! What a regulator is told of besides the rounds: starts, stops, voids, corrections and the like.

use super::{Index, is_house_shuffle};
use fairshoe_house::{Command, Entry, Event, LapseCause, VoidCause};

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

/// What it is.
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
    /// The operator changed a shoe at his discretion.
    HouseShuffle,
    /// The operator took a player's seat, or said that they are to leave after the hand.
    Unseated,
    /// An auditor got the seeds of a sealed shoe.
    ShoeDisclosed,
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
            What::WithheldReveals { .. } => "withheld_reveals",
        }
    }
}

impl Index {
    pub(super) fn note_significant(&mut self, index: u64, entry: &Entry) {
        let clean = self.stopped || self.starts.len() <= 1;
        // By its command: the events are those of a player's own leaving, and at a cash table the seat may go later.
        if let Command::Unseat { .. } = entry.command {
            self.significant.push(Significant { index, time: entry.time, what: What::Unseated });
        }
        for event in &entry.events {
            let what = match event {
                Event::DealerStarted { .. } => Some(What::Start { clean }),
                Event::DealerStopped {} => Some(What::Stop),
                Event::StartRefused { .. } => Some(What::StartRefused),
                Event::RoundVoided { cause: VoidCause::Malfunction, .. } => Some(What::Malfunction),
                Event::RoundVoided { .. } => Some(What::Void),
                Event::BetsLapsed { cause: LapseCause::Malfunction, .. } | Event::CallLapsed { cause: LapseCause::Malfunction, .. } => {
                    Some(What::Malfunction)
                }
                Event::TokenIssued { revoked: true, .. } => Some(What::TokensRevoked),
                Event::KeySet { .. } if matches!(entry.command, Command::SetKey { reason: Some(_), .. }) => Some(What::KeyReplaced),
                Event::Posted { .. } if matches!(entry.command, Command::Correct { .. }) => Some(What::Correction),
                Event::ShoeDisclosed { .. } => Some(What::ShoeDisclosed),
                event if is_house_shuffle(event) => Some(What::HouseShuffle),
                _ => None,
            };
            self.significant.extend(what.map(|what| Significant { index, time: entry.time, what }));
            if let Event::RoundVoided { cause: VoidCause::RevealMissing, .. } = event {
                let table = entry.at.as_ref().and_then(|at| self.tables.get(&at.table));
                let count = table.map_or(0, |table| (table.withheld & ((1 << WATCHED_ROUNDS) - 1)).count_ones());
                let alarm = (count >= WITHHELD_ALARM).then_some(What::WithheldReveals { count });
                self.significant.extend(alarm.map(|what| Significant { index, time: entry.time, what }));
            }
        }
        self.stopped = entry.events.iter().any(|event| matches!(event, Event::DealerStopped {}));
    }
}
