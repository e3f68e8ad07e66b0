//! Every chip of an event (spec/games/tournaments.md, 1.4): what was brought is what lies before the players, after each
//! hand anew. Counted from the hands' results, and held against the event's state at the end.

use fairshoe_fairness::PlayerId;
use fairshoe_house::tournament::Stage;
use fairshoe_house::{Entry, Event, Tournament, TournamentEvent};
use fairshoe_tournament::EntryNo;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The count of an event's chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChipCount {
    /// Chips of entries, rebuys and add-ons, less those given back.
    pub brought: u64,
    /// Chips of disqualified players: out of play.
    pub out_of_play: u64,
    /// Before the players, after the last entry.
    pub in_play: u64,
    /// Hands that ended, after each of which all chips were counted.
    pub hands: u64,
    /// Those hands among them to which nobody committed: posts alone.
    pub posts_only: u64,
    /// Hands that are void.
    pub void: u64,
    /// The place where chips were made or lost, if there is one: a sound log has none.
    pub difference: Option<String>,
}

#[derive(Default)]
pub(super) struct Chips {
    of: BTreeMap<EntryNo, u64>,
    /// By player, the entry that plays.
    playing: HashMap<PlayerId, EntryNo>,
    brought: u64,
    out_of_play: u64,
    total: u64,
    hands: u64,
    posts_only: u64,
    void: u64,
    difference: Option<String>,
}

/// A seat's part in a hand: who, chips put in, got, and left.
type Result<'e> = (&'e PlayerId, u64, u64, u64);

impl Chips {
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Sets what lies before an entry.
    fn set(&mut self, entry_no: EntryNo, chips: u64) -> u64 {
        let before = self.of.insert(entry_no, chips).unwrap_or_default();
        self.total = self.total.saturating_sub(before).saturating_add(chips);
        before
    }

    pub fn of_event(&mut self, happened: &TournamentEvent, event: &Tournament) {
        match happened {
            TournamentEvent::Registered { entry_no, player, .. } => {
                let stack = event.structure().entry.stack;
                self.playing.insert(player.clone(), *entry_no);
                self.set(*entry_no, stack);
                self.brought = self.brought.saturating_add(stack);
            }
            TournamentEvent::Unregistered { entry_no } => {
                let back = self.set(*entry_no, 0);
                self.of.remove(entry_no);
                self.brought = self.brought.saturating_sub(back);
            }
            TournamentEvent::Rebought { entry_no, chips } | TournamentEvent::AddedOn { entry_no, chips } => {
                let before = self.set(*entry_no, *chips);
                self.brought = self.brought.saturating_add(chips.saturating_sub(before));
            }
            TournamentEvent::PlayerDisqualified { entry_no, .. } => {
                let out = self.set(*entry_no, 0);
                self.out_of_play = self.out_of_play.saturating_add(out);
            }
            _ => {}
        }
    }

    pub fn at_table(&mut self, entry: &Entry, happened: &Event) {
        match happened {
            Event::PostsTaken { seats, .. } => {
                self.posts_only = self.posts_only.saturating_add(1);
                let results = seats
                    .iter()
                    .map(|seat| (&seat.player, seat.put_in.units(), seat.got.units(), seat.stack.units()))
                    .collect();
                self.hand(entry, results);
            }
            Event::RoundVoided { .. } => self.void = self.void.saturating_add(1),
            Event::Play(play) => {
                let Some(hand) = play.hand_result() else { return };
                let results = hand
                    .seats
                    .iter()
                    .map(|seat| (&seat.player, seat.put_in.units(), seat.got.units(), seat.stack.units()))
                    .collect();
                self.hand(entry, results);
            }
            _ => {}
        }
    }

    /// A hand that ended: each stack is what it was, less what went in, plus what came out; together nothing changed.
    fn hand(&mut self, entry: &Entry, results: Vec<Result<'_>>) {
        self.hands = self.hands.saturating_add(1);
        let mut wrong = None;
        for (player, put_in, got, left) in results {
            let Some(entry_no) = self.playing.get(player).copied() else {
                wrong = Some(format!("{player} played without an entry"));
                continue;
            };
            let before = self.set(entry_no, left);
            if before.checked_sub(put_in).and_then(|rest| rest.checked_add(got)) != Some(left) {
                wrong =
                    Some(format!("{player} had {before}, put {put_in} in and got {got}, which does not leave {left}"));
            }
        }
        if self.total.saturating_add(self.out_of_play) != self.brought {
            wrong = Some(format!(
                "{} chips are in play and {} out of it, {} were brought",
                self.total, self.out_of_play, self.brought
            ));
        }
        let place = entry.at.as_ref().map_or_else(String::new, |at| format!("table {}: ", at.table));
        self.difference = self.difference.take().or(wrong.map(|wrong| format!("{place}{wrong}")));
    }

    pub fn finish(mut self, event: &Tournament) -> ChipCount {
        // Hands after the end of an event, until its tables are closed, do not change it any more.
        let is_same = || {
            let stands = |(entry_no, entry): (&EntryNo, _)| {
                let entry: &fairshoe_house::tournament::EventEntry = entry;
                let counted = self.of.get(entry_no).copied().unwrap_or_default();
                entry.chips == counted
                    || entry.at == fairshoe_house::tournament::Whereabouts::Disqualified && counted == 0
            };
            event.entries.iter().all(stands)
        };
        if self.difference.is_none() && event.stage == Stage::Running && !is_same() {
            self.difference = Some("the event's state has other stacks than its hands left".into());
        }
        ChipCount {
            brought: self.brought,
            out_of_play: self.out_of_play,
            in_play: self.total,
            hands: self.hands,
            posts_only: self.posts_only,
            void: self.void,
            difference: self.difference,
        }
    }
}
