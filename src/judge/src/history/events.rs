//! A history's facts about the tournament of its hand (spec/hand-histories.md): the table's own entries have the
//! event's name and the level; the event's entries have the rest, if they are at hand: in a whole log, not in a bundle.

use super::HandHistory;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::{Command, Entry, Event, TournamentCommand, TournamentEvent};
use fairshoe_tournament::{EntryNo, Structure};
use std::collections::HashMap;
use std::sync::Arc;

/// A tournament's hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHand {
    /// The tournament.
    pub name: TableId,
    /// The level, from 1.
    pub level: u16,
    /// How it was announced, where its own entries are at hand.
    pub announced: Option<Announced>,
    /// By player who is dealt in: what is on their head. Empty where the event's entries are not at hand, or it has no
    /// bounties.
    pub heads: Vec<(PlayerId, u64)>,
    /// Heads that fell by this hand, of those dealt in.
    pub bounties: Vec<BountyTaken>,
}

/// How a tournament was announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// How it is played.
    pub structure: Arc<Structure>,
    /// When it begins, or began, UTC milliseconds.
    pub starts_at: u64,
}

/// A part of a head that fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BountyTaken {
    /// By whom.
    pub player: PlayerId,
    /// Cents, to their total and onto their head.
    pub amount: u64,
    /// The player whose head it is.
    pub of: PlayerId,
}

/// The tournaments that are not over: an amount for each entry of those that have bounties.
#[derive(Debug, Default)]
pub(super) struct Events(HashMap<TableId, KnownEvent>);

#[derive(Debug)]
struct KnownEvent {
    announced: Announced,
    entries: HashMap<EntryNo, (PlayerId, u64)>,
    /// By player, the entry that plays.
    playing: HashMap<PlayerId, EntryNo>,
    /// Hands that left somebody without chips, by table: their bounties come with the entry that deals with them.
    waiting: HashMap<TableId, HandHistory>,
}

impl Events {
    /// The facts of an event, for a hand that begins with these players.
    pub fn hand<'p>(&self, name: &TableId, level: u16, players: impl Iterator<Item = &'p PlayerId>) -> EventHand {
        let known = self.0.get(name);
        let head = |player: &PlayerId| {
            let (_, head) = known?.entries.get(known?.playing.get(player)?)?;
            Some((player.clone(), *head))
        };
        EventHand {
            name: name.clone(),
            level,
            announced: known.map(|known| known.announced.clone()),
            heads: players.filter_map(head).collect(),
            bounties: Vec::new(),
        }
    }

    /// Keeps a hand that left somebody without chips until its bounties are known; gives any other back.
    pub fn wait(&mut self, history: HandHistory) -> Option<HandHistory> {
        let falls = history.seats.iter().any(|seat| seat.finishing.units() == 0);
        let name = history.event.as_ref().filter(|event| falls && !event.heads.is_empty()).map(|event| &event.name);
        let Some(known) = name.and_then(|name| self.0.get_mut(name)) else { return Some(history) };
        known.waiting.insert(history.round.table.clone(), history)
    }

    /// The hand of a table that waits, if one does: the table goes on.
    pub fn release(&mut self, name: &TableId, table: &TableId) -> Option<HandHistory> {
        self.0.get_mut(name)?.waiting.remove(table)
    }

    /// Everything that waits, where the log ends.
    pub fn release_all(&mut self) -> Vec<HandHistory> {
        self.0.values_mut().flat_map(|known| known.waiting.drain().map(|(_, history)| history)).collect()
    }

    /// Takes an entry of an event in; the hands whose bounties are known by it.
    pub fn feed(&mut self, entry: &Entry) -> Vec<HandHistory> {
        let Command::Tournament(command) = &entry.command else { return Vec::new() };
        let name = command.event();
        let mut ready = Vec::new();
        for event in &entry.events {
            let Event::Tournament(event) = event else { continue };
            if let TournamentEvent::Created { structure, starts_at, .. } = event.as_ref() {
                let announced = Announced { structure: Arc::new((**structure).clone()), starts_at: *starts_at };
                let known =
                    KnownEvent { announced, entries: HashMap::new(), playing: HashMap::new(), waiting: HashMap::new() };
                self.0.insert(name.clone(), known);
            } else if matches!(event.as_ref(), TournamentEvent::Ended { .. }) {
                ready.extend(self.0.remove(name).into_iter().flat_map(|known| known.waiting.into_values()));
            } else if let Some(known) = self.0.get_mut(name) {
                known.happened(event, entry.time);
            }
        }
        if let (TournamentCommand::SettleHand { table, .. }, Some(known)) = (command, self.0.get_mut(name))
            && let Ok(table) = TableId::parse(&format!("{name}.{table}"))
        {
            ready.extend(known.waiting.remove(&table));
        }
        ready
    }
}

impl KnownEvent {
    fn happened(&mut self, event: &TournamentEvent, time: u64) {
        match event {
            TournamentEvent::Postponed { starts_at } => self.announced.starts_at = *starts_at,
            TournamentEvent::Started { .. } => self.announced.starts_at = time,
            _ if self.announced.structure.entry.bounty == 0 => {}
            TournamentEvent::Registered { entry_no, player, bounty, .. } => {
                self.entries.insert(*entry_no, (player.clone(), *bounty));
                self.playing.insert(player.clone(), *entry_no);
            }
            TournamentEvent::Unregistered { entry_no } => drop(self.entries.remove(entry_no)),
            TournamentEvent::PlayerDisqualified { entry_no, .. } => drop(self.entries.remove(entry_no)),
            TournamentEvent::BountyWon { entry_no, winners } => {
                let Some((of, _)) = self.entries.remove(entry_no) else { return };
                let mut taken = Vec::new();
                for won in winners {
                    let Some((player, head)) = self.entries.get_mut(&won.entry_no) else { continue };
                    *head = head.saturating_add(won.onto_head);
                    let amount = won.to_total.saturating_add(won.onto_head);
                    taken.push(BountyTaken { player: player.clone(), amount, of: of.clone() });
                }
                let hands = self.waiting.values_mut().filter(|hand| hand.seats.iter().any(|seat| seat.player == of));
                for hand in hands {
                    hand.event.iter_mut().for_each(|event| event.bounties.extend(taken.iter().cloned()));
                }
            }
            _ => {}
        }
    }
}
