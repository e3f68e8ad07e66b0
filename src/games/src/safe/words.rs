//! Safe's own events in plain English (spec/audit.md, "The story").

use super::{DiscardCause, OpeningCause, OutCause, SafeEvent, WonBy};
use crate::Chips;
use fairshoe_fairness::Card;

fn cards_words(cards: &[Card]) -> String {
    cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

impl SafeEvent {
    /// Whether the event says who won or is out, and why.
    pub(crate) fn decides(&self) -> bool {
        matches!(self, SafeEvent::Out { .. } | SafeEvent::Won { .. })
    }

    /// The consequences of the cards, in plain English, without amounts.
    pub(crate) fn words(&self, _: &dyn Fn(Chips) -> String) -> String {
        match self {
            SafeEvent::Opening { player, place, why } => {
                let why = match why {
                    OpeningCause::NoFreePlayer => "nobody alive is without face-down hands",
                    OpeningCause::LastPlayer => "its owner is the only player left",
                    OpeningCause::PileShort => "the cards collected would not do for the next deal",
                    OpeningCause::LastRound => "the game's last round is over",
                };
                format!("{} of {player} is opened: {why}", place.words())
            }
            SafeEvent::Discarded { player, place, cards, why } => {
                let why = match why {
                    DiscardCause::Advanced => "the round is over",
                    DiscardCause::Out => "its player is out",
                    DiscardCause::Opened => "opened, it survived",
                    DiscardCause::Chosen => "its owner gives it up on a 21",
                };
                format!("{} of {player} goes to the discards: {} ({why})", place.words(), cards_words(cards))
            }
            SafeEvent::Out { player, cause, holder } => {
                let cause = match cause {
                    OutCause::Bust => "the hand is above 21",
                    OutCause::FaceDown => "a face-down hand is above 21",
                    OutCause::Absent => "absent from a shuffle",
                };
                format!("{player} is out: {cause}{}", if *holder { ", a holder of face-down hands" } else { "" })
            }
            SafeEvent::PileEmpty { pile } => {
                format!("pile {pile} is used up: the table is collected, the round is over")
            }
            SafeEvent::Collected { pile, cards } => {
                format!("pile {pile} is to hold these {}: {}", cards.len(), cards_words(cards))
            }
            SafeEvent::Advanced { round, players } => {
                let who = players.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                format!("round {round} of the game begins with {who}")
            }
            SafeEvent::Won { player, by } => {
                let by = match by {
                    WonBy::LastAlive => "the last one in",
                    WonBy::Survived => "the last one in, whose face-down hands all survived",
                    WonBy::LastFreePlayer => "the last one to go out without face-down hands",
                    WonBy::LastOpened => "the owner of the last hand opened",
                    WonBy::LastRound => "first in turn order when the game's last round was over",
                };
                format!("{player} wins the game: {by}")
            }
        }
    }
}
