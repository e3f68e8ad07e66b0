//! A book as a list of entries, to be changed as a dishonest house would.

use fairshoe_fairness::Card;
use fairshoe_games::RoundEvent;
use fairshoe_house::{Entry, Event};

pub type Find = fn(&Entry) -> bool;

pub fn find(book: &[Entry], what: Find) -> usize {
    book.iter().position(what).expect("the book has no such entry")
}

pub fn plays(entry: &Entry) -> impl Iterator<Item = &RoundEvent> {
    entry.events.iter().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
}

pub fn play_mut(entry: &mut Entry, what: fn(&RoundEvent) -> bool) -> &mut RoundEvent {
    let found = entry.events.iter_mut().find_map(|event| match event {
        Event::Play(play) if what(play) => Some(play),
        _ => None,
    });
    found.expect("no such event")
}

pub fn event_mut(entry: &mut Entry, what: fn(&Event) -> bool) -> &mut Event {
    entry.events.iter_mut().find(|event| what(event)).expect("no such event")
}

pub fn deals(entry: &Entry) -> bool {
    plays(entry).filter(|play| matches!(play, RoundEvent::Dealt { .. })).count() >= 4
}

pub fn has(entry: &Entry, what: fn(&Event) -> bool) -> bool {
    entry.events.iter().any(what)
}

pub fn pays(entry: &Entry) -> bool {
    plays(entry).any(|play| matches!(play, RoundEvent::Paid { .. }))
}

pub fn voids(entry: &Entry) -> bool {
    has(entry, |event| matches!(event, Event::RoundVoided { .. }))
}

pub fn opens(entry: &Entry) -> bool {
    has(entry, |event| matches!(event, Event::RoundOpened { .. }))
}

pub fn offers(entry: &Entry) -> bool {
    plays(entry).any(|play| matches!(play, RoundEvent::Offered { .. }))
}

pub fn card(text: &str) -> Card {
    text.parse().unwrap()
}

/// A change of a book; it says which entry the auditor is to name.
pub type Change = fn(&mut Vec<Entry>) -> usize;

pub fn edit(book: &mut [Entry], what: Find, change: fn(&mut Entry)) -> usize {
    let at = find(book, what);
    change(&mut book[at]);
    at
}
