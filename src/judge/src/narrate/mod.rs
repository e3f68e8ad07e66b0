//! The log in plain English (spec/audit.md, "The story").

mod cash;
mod commands;
mod events;
mod play;
mod telling;
mod time;
mod tournaments;

pub(crate) use commands::asks;
pub use commands::overdue_words;
pub(crate) use events::phrase;
pub use events::void_words;
pub use telling::Money;
pub(crate) use telling::Telling;
pub use time::{day_of, utc};

use fairshoe_fairness::{Card, Slot};
use fairshoe_games::{Action, Chips, Lying, Place, RoundEvent, RuleSet};
use fairshoe_house::{Entry, Event, LimitOf};
use std::collections::BTreeMap;

/// An entry in plain English: a line for the command, then one for each event (spec/audit.md, "The story").
pub fn narrate(entry: &Entry) -> Vec<String> {
    Narrator::default().entry(entry)
}

/// So much of what a limit counts, in words.
fn limited(of: LimitOf, most: u64, telling: &Telling) -> String {
    let sum = || Chips::new(most).map_or_else(|| most.to_string(), |most| telling.sum(most));
    match of {
        LimitOf::Deposit => format!("{} paid in", sum()),
        LimitOf::Loss => format!("{} of losses", sum()),
        LimitOf::PlayTime => format!("{most} ms of play"),
    }
}

/// The spots of cards that nobody holds: what was given away or refused, and what is on offer.
const DISCARD: &str = "discard";
const SHOWN: &str = "shown";

/// A card where it lies; face-down it has no face.
#[derive(Clone, Copy, Debug)]
struct LyingCard {
    pile: u16,
    slot: Slot,
    face: Option<Card>,
}

/// Tells a table's entries one after another, and keeps the hands in mind so that it can say what they come to: under
/// the table's rules, which its opening names, or whoever makes the narrator ([`Narrator::of`]).
#[derive(Clone, Debug, Default)]
pub struct Narrator {
    rules: Option<Box<RuleSet>>,
    hands: BTreeMap<Place, Vec<LyingCard>>,
    /// The pile in use: the number of a slot stands for a card in each.
    pile: u16,
    asked: Option<(u32, Place)>,
    telling: Telling,
}

impl Narrator {
    /// For a table with these rules, whose opening is not told.
    pub fn of(rules: &RuleSet) -> Narrator {
        let mut narrator = Narrator::default();
        narrator.rule(rules);
        narrator
    }

    /// Tells amounts so.
    pub fn with_money(mut self, money: Money) -> Narrator {
        self.telling.money = money;
        self
    }

    fn rule(&mut self, rules: &RuleSet) {
        self.telling.at_seats = rules.cash().is_some();
        self.rules = Some(Box::new(rules.clone()));
    }

    /// The lines of the next entry.
    pub fn entry(&mut self, entry: &Entry) -> Vec<String> {
        let time = utc(entry.time);
        let signed =
            entry.signed.map(|signed| format!(", signed with their key (nonce {})", signed.nonce)).unwrap_or_default();
        self.telling.at_seats |= Telling::of(&entry.events).at_seats;
        let mut lines = vec![format!("{time} {}{signed}", asks(&entry.by, &entry.command, &self.telling))];
        for event in &entry.events {
            lines.push(format!("  {}", self.event(event)));
        }
        lines
    }

    /// The cards as they lie now, where a round has dealt some; a face-down one has no face.
    pub fn hands(&self) -> Lying {
        let faces = |cards: &Vec<LyingCard>| cards.iter().map(|card| card.face).collect();
        self.hands.iter().map(|(place, cards)| (*place, faces(cards))).collect()
    }

    /// A place in plain English: `box 1 hand 1`, `seat 1`.
    pub fn place_words(&self, place: Place) -> String {
        self.telling.place(place)
    }

    /// The total of the face-up cards at a place; `None` if the rules are not known, or do not add them up.
    pub fn total_words(&self, place: Place) -> Option<String> {
        self.rules.as_ref()?.total_words(place, &self.hands())
    }

    /// The line of the next event.
    pub fn event(&mut self, event: &Event) -> String {
        let changed = self.follow(event);
        let total = changed.and_then(|place| self.total_after(event, place));
        let words = self.own_words(event).unwrap_or_else(|| phrase(event, &self.telling));
        match total {
            Some(total) => format!("{words} ({total})"),
            None => words,
        }
    }

    /// The words of the table's game for an event that depends on the cards.
    fn own_words(&self, event: &Event) -> Option<String> {
        let Event::Play(play) = event else { return None };
        self.rules.as_ref()?.event_words(play, &self.hands(), &|amount| self.telling.sum(amount))
    }

    /// Follows an event; the place where a face came up by it.
    fn follow(&mut self, event: &Event) -> Option<Place> {
        match event {
            Event::TableOpened { rules, .. } => self.rule(rules),
            Event::BetsClosed { .. } | Event::HandBegun { .. } => {
                self.hands.clear();
                self.pile = 0;
            }
            Event::Play(RoundEvent::Dealt { to, slot, card, .. }) => {
                let dealt = LyingCard { pile: self.pile, slot: *slot, face: *card };
                self.hands.entry(*to).or_default().push(dealt);
                return card.map(|_| *to);
            }
            Event::Play(RoundEvent::Turned { pile, slot, card }) => {
                return self.turn(pile.unwrap_or(self.pile), *slot, *card);
            }
            Event::Play(RoundEvent::Shuffled { pile }) => self.pile = *pile,
            Event::Play(RoundEvent::Offered { decision, place, .. }) => self.asked = Some((*decision, *place)),
            Event::Play(RoundEvent::Acted { decision, action, .. }) => {
                self.telling.asked = self.asked.filter(|(asked, _)| asked == decision).map(|(_, place)| place);
                self.choose(action);
            }
            _ => {}
        }
        None
    }

    /// A card that lies face-down in this slot is turned up; where.
    fn turn(&mut self, pile: u16, slot: Slot, face: Card) -> Option<Place> {
        let is_it = |card: &&mut LyingCard| (card.pile, card.slot, card.face) == (pile, slot, None);
        let (place, card) =
            self.hands.iter_mut().find_map(|(place, cards)| Some((*place, cards.iter_mut().find(is_it)?)))?;
        card.face = Some(face);
        Some(place)
    }

    /// Applies a choice to the cards at the place that was asked.
    fn choose(&mut self, action: &Action) {
        let Some(place @ Place::Hand { spot, hand }) = self.telling.asked else { return };
        match action {
            Action::Split => self.split(spot, hand),
            Action::Change { card } => {
                let cards = self.hands.entry(place).or_default();
                let changed = cards.iter().position(|lying| lying.face == Some(*card)).map(|at| cards.remove(at));
                self.put(changed, Place::spot(DISCARD));
            }
            Action::Accept | Action::Reject => {
                let shown = Place::spot(SHOWN).and_then(|shown| self.hands.get_mut(&shown)?.pop());
                let is_taken = *action == Action::Accept;
                self.put(shown, if is_taken { Some(place) } else { Place::spot(DISCARD) });
            }
            _ => {}
        }
    }

    fn put(&mut self, card: Option<LyingCard>, to: Option<Place>) {
        if let (Some(card), Some(to)) = (card, to) {
            self.hands.entry(to).or_default().push(card);
        }
    }

    fn split(&mut self, spot: u8, hand: u8) {
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

    /// The cards at the place where a face came up, and what they come to. A card that is dealt says itself where it
    /// lies; one that is turned up does not, so of that the place is told even where the cards come to nothing yet.
    fn total_after(&self, event: &Event, place: Place) -> Option<String> {
        let cards = self.hands.get(&place)?;
        let up: Vec<String> = cards.iter().filter_map(|card| Some(card.face?.to_string())).collect();
        let is_turned = matches!(event, Event::Play(RoundEvent::Turned { .. }));
        let sum = match self.total_words(place) {
            Some(sum) => format!(": {sum}"),
            None if is_turned => String::new(),
            None => return None,
        };
        let hidden = match cards.len().saturating_sub(up.len()) {
            0 => String::new(),
            1 => ", one card face-down".to_owned(),
            more => format!(", {more} cards face-down"),
        };
        Some(format!("{} {}{sum}{hidden}", self.telling.place(place), up.join(" ")))
    }
}
