//! The log in plain English (spec/audit.md, "The story").

mod cash;
mod commands;
mod events;
mod play;
mod time;
mod tournaments;

pub(crate) use commands::asks;
pub use commands::overdue_words;
pub(crate) use events::phrase;
pub use events::void_words;
pub use time::utc;

use fairshoe_fairness::Card;
use fairshoe_games::{Action, Place, RoundEvent, total_words};
use fairshoe_house::{Entry, Event, LimitOf};
use std::collections::BTreeMap;

/// An entry in plain English: a line for the command, then one for each event (spec/audit.md, "The story").
pub fn narrate(entry: &Entry) -> Vec<String> {
    Narrator::default().entry(entry)
}

/// So much of what a limit counts, in words.
fn limited(of: LimitOf, most: u64) -> String {
    match of {
        LimitOf::Deposit => format!("{most} paid in"),
        LimitOf::Loss => format!("{most} of losses"),
        LimitOf::PlayTime => format!("{most} ms of play"),
    }
}

/// Tells a table's entries one after another, and keeps the hands in mind so that it can name their totals.
#[derive(Clone, Debug, Default)]
pub struct Narrator {
    hands: BTreeMap<Place, Vec<Option<Card>>>,
    asked: Option<(u32, Place)>,
}

impl Narrator {
    /// The lines of the next entry.
    pub fn entry(&mut self, entry: &Entry) -> Vec<String> {
        let time = utc(entry.time);
        let signed =
            entry.signed.map(|signed| format!(", signed with their key (nonce {})", signed.nonce)).unwrap_or_default();
        let mut lines = vec![format!("{time} {}{signed}", asks(&entry.by, &entry.command))];
        for event in &entry.events {
            lines.push(format!("  {}", self.event(event)));
        }
        lines
    }

    /// The cards as they lie now, where a round has dealt some; a face-down one has no face.
    pub fn hands(&self) -> &BTreeMap<Place, Vec<Option<Card>>> {
        &self.hands
    }

    /// The line of the next event.
    pub fn event(&mut self, event: &Event) -> String {
        self.follow(event);
        match self.total_after(event) {
            Some(total) => format!("{} ({total})", phrase(event)),
            None => phrase(event),
        }
    }

    fn follow(&mut self, event: &Event) {
        match event {
            Event::BetsClosed { .. } => self.hands.clear(),
            Event::Play(RoundEvent::Dealt { to, card, .. }) => self.hands.entry(*to).or_default().push(*card),
            Event::Play(RoundEvent::Turned { card, .. }) => {
                let hidden =
                    self.hands.get_mut(&Place::Dealer).and_then(|cards| cards.iter_mut().find(|card| card.is_none()));
                if let Some(hidden) = hidden {
                    *hidden = Some(*card);
                }
            }
            Event::Play(RoundEvent::Offered { decision, place, .. }) => self.asked = Some((*decision, *place)),
            Event::Play(RoundEvent::Acted { decision, action: Action::Split, .. }) => self.split(*decision),
            _ => {}
        }
    }

    fn split(&mut self, decision: u32) {
        let place = self.asked.filter(|(asked, _)| *asked == decision).map(|(_, place)| place);
        let Some(Place::Hand { spot, hand }) = place else { return };
        let second = self.hands.get_mut(&Place::Hand { spot, hand }).and_then(Vec::pop);
        // The new hand lies right after the old one; those behind it move up.
        let behind =
            |place: &&Place| matches!(place, Place::Hand { spot: of, hand: number } if *of == spot && *number > hand);
        let places: Vec<Place> = self.hands.keys().filter(behind).copied().collect();
        let moved: Vec<_> = places.into_iter().filter_map(|place| Some((place, self.hands.remove(&place)?))).collect();
        for (place, cards) in moved {
            if let Place::Hand { spot, hand } = place {
                self.hands.insert(Place::Hand { spot, hand: hand.saturating_add(1) }, cards);
            }
        }
        if let (Some(second), Some(new)) = (second, hand.checked_add(1)) {
            self.hands.insert(Place::Hand { spot, hand: new }, vec![second]);
        }
    }

    /// The face-up total of the hand that the event changed.
    fn total_after(&self, event: &Event) -> Option<String> {
        let place = match event {
            Event::Play(RoundEvent::Dealt { to, card: Some(_), .. }) => *to,
            Event::Play(RoundEvent::Turned { .. }) => Place::Dealer,
            _ => return None,
        };
        let cards = self.hands.get(&place)?;
        let up: Vec<Card> = cards.iter().copied().flatten().collect();
        let sum = total_words(place, &up)?;
        let hidden = if up.len() < cards.len() { ", one card face-down" } else { "" };
        let shown = up.iter().map(Card::to_string).collect::<Vec<_>>().join(" ");
        Some(format!("{} {shown}: {sum}{hidden}", place.words()))
    }
}
