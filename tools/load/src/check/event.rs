//! A tournament as its players follow it. They read the whole log in order and decide every entry again, as an auditor
//! does. They also check their own knowledge: their requests, their cards, what was paid to them.

use super::Flaw;
use super::own_cards::own_cards;
use fairshoe_api::OwnCards;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::tournament::{DrawKind, Noted};
use fairshoe_house::{Actor, Command, Entry, Event, Signed, State, Tournament, TournamentEvent};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{Checkpoint, Hash, RootAccumulator, leaf_hash};
use fairshoe_tournament::EntryNo;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The roots of so many last sizes are kept, to compare with signed checkpoints.
const ROOTS: usize = 65_536;

/// The most pending commands of a player: commands that were never accepted are dropped once so many came after them.
const ASKED: usize = 64;

/// The counts of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EventCounts {
    /// Hands played to their end, including those without seeds.
    pub hands: u64,
    /// Void hands.
    pub voids: u64,
    /// Draws of seats.
    pub draws: u64,
    /// Seeds that were missing from draws.
    pub withheld: u64,
    /// Players moved to another table to balance.
    pub moves: u64,
    /// Tables broken.
    pub breaks: u64,
    /// Rounds of hand-for-hand.
    #[serde(rename = "rounds_hand_for_hand")]
    pub rounds: u64,
    /// Rebuys, add-ons and disqualifications requested during a hand.
    pub noted: u64,
    /// Those of them that were dropped.
    pub dropped: u64,
    /// Eliminations.
    #[serde(skip)]
    pub eliminations: u64,
    /// Cents paid as prizes in cash.
    pub prizes: u64,
    /// The worth of tickets and T$ won, in cents.
    pub seats: u64,
    /// Cents paid as bounties.
    pub bounties: u64,
    /// Cents added to the pool by the house.
    pub overlay: u64,
    /// Cents cut off prizes.
    pub residual: u64,
}

/// A tournament as its players check it; see the module.
pub struct EventCheck {
    event: TableId,
    book: Book,
    tree: RootAccumulator,
    /// By size, the roots of the tree as it grew.
    roots: BTreeMap<u64, Hash>,
    /// Signed checkpoints that are ahead of the entries read.
    ahead: BTreeMap<u64, Hash>,
    /// Entries that arrived before their predecessors.
    waiting: BTreeMap<u64, String>,
    /// By player of the run, commands sent in their name that are not on the log yet.
    asked: HashMap<PlayerId, Vec<(Command, Option<Signed>)>>,
    /// By player, cents paid to them.
    received: BTreeMap<PlayerId, u64>,
    counts: EventCounts,
}

impl EventCheck {
    /// The event and the log of these names, before the first entry.
    pub fn new(event: TableId, origin: &str) -> Self {
        let limits = Limits { listed: 0, origin: Some(origin.to_owned()), ..Limits::default() };
        EventCheck {
            event,
            book: Book::new(limits),
            tree: RootAccumulator::new(),
            roots: BTreeMap::new(),
            ahead: BTreeMap::new(),
            waiting: BTreeMap::new(),
            asked: HashMap::new(),
            received: BTreeMap::new(),
            counts: EventCounts::default(),
        }
    }

    /// From now on only commands that this player sent may bear their name.
    pub fn own(&mut self, player: &PlayerId) {
        self.asked.entry(player.clone()).or_default();
    }

    /// Records a command before it is sent in a player's name.
    pub fn send(&mut self, player: &PlayerId, command: Command, signed: Option<Signed>) {
        let asked = self.asked.entry(player.clone()).or_default();
        if asked.len() >= ASKED {
            asked.remove(0);
        }
        asked.push((command, signed));
    }

    /// The number of entries read.
    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    /// The log's state so far.
    pub fn state(&self) -> &State {
        self.book.state()
    }

    /// The event, once announced.
    pub fn event(&self) -> Option<&Tournament> {
        self.state().tournament(&self.event)
    }

    /// The counts so far.
    pub fn counts(&self) -> &EventCounts {
        &self.counts
    }

    /// Cents that the event has paid a player.
    pub fn received(&self, player: &PlayerId) -> u64 {
        self.received.get(player).copied().unwrap_or_default()
    }

    /// Checks that a signed checkpoint belongs to the tree of the entries.
    ///
    /// # Errors
    /// [`Flaw::Forked`].
    pub fn signed(&mut self, checkpoint: &Checkpoint) -> Result<(), Flaw> {
        let (size, root) = (checkpoint.size, checkpoint.root);
        if size > self.size() {
            self.ahead.insert(size, root);
            return Ok(());
        }
        let differs = self.roots.get(&size).is_some_and(|own| *own != root);
        if differs { Err(Flaw::Forked(size)) } else { Ok(()) }
    }

    /// Takes an entry of the log. It may arrive before its predecessors, or again.
    ///
    /// # Errors
    /// [`Flaw`] naming the first wrong part.
    pub fn offer(&mut self, index: u64, text: String) -> Result<(), Flaw> {
        if index >= self.size() {
            self.waiting.insert(index, text);
        }
        while let Some(text) = self.waiting.remove(&self.size()) {
            self.take(&text)?;
        }
        Ok(())
    }

    fn take(&mut self, text: &str) -> Result<(), Flaw> {
        let index = self.size();
        let reading = Book::read(index, text.as_bytes());
        let entry = reading.entry().cloned();
        entry.as_ref().map_or(Ok(()), |entry| self.in_their_name(entry))?;
        self.book.feed_read(reading)?;
        self.tree.append(leaf_hash(text.as_bytes()));
        let (size, root) = (self.size(), self.tree.root());
        if self.ahead.remove(&size).is_some_and(|signed| signed != root) {
            return Err(Flaw::Forked(size));
        }
        self.roots.insert(size, root);
        if self.roots.len() > ROOTS {
            self.roots.pop_first();
        }
        entry.map_or(Ok(()), |entry| self.after(&entry))
    }

    fn own_events<'e>(&self, entry: &'e Entry) -> impl Iterator<Item = &'e TournamentEvent> + use<'e> {
        let here = entry.at.as_ref().is_some_and(|at| at.table == self.event);
        entry.events.iter().filter_map(move |event| match event {
            Event::Tournament(event) if here => Some(event.as_ref()),
            _ => None,
        })
    }

    /// Checks that each command in the name of a run's player was sent, and is on the log once for each sending.
    fn in_their_name(&mut self, entry: &Entry) -> Result<(), Flaw> {
        let Actor::Player(player) = &entry.by else { return Ok(()) };
        let Some(asked) = self.asked.get_mut(player) else { return Ok(()) };
        let at = asked.iter().position(|(command, signed)| *command == entry.command && *signed == entry.signed);
        let at = at.ok_or_else(|| Flaw::not_sent(player, &entry.command))?;
        asked.remove(at);
        Ok(())
    }

    fn after(&mut self, entry: &Entry) -> Result<(), Flaw> {
        let events: Vec<&TournamentEvent> = self.own_events(entry).collect();
        events.into_iter().try_for_each(|event| self.count(event))?;
        let at = entry.at.as_ref().map(|at| &at.table);
        if self.event().and_then(|event| at.and_then(|table| event.number_of(table))).is_some() {
            for event in &entry.events {
                match event {
                    Event::RoundSettled { .. } | Event::PostsTaken { .. } => self.counts.hands += 1,
                    Event::RoundVoided { .. } => self.counts.voids += 1,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, event: &TournamentEvent) -> Result<(), Flaw> {
        let counts = &mut self.counts;
        match event {
            TournamentEvent::SeatsDrawn { withheld, .. } => {
                counts.draws += 1;
                counts.withheld += withheld;
            }
            TournamentEvent::DrawCalled { kind: DrawKind::Break, .. } => counts.breaks += 1,
            TournamentEvent::PlayerMoved { .. } => counts.moves += 1,
            TournamentEvent::HandForHand { round } => counts.rounds += u64::from(*round > 0),
            TournamentEvent::PlayerEliminated { .. } => counts.eliminations += 1,
            TournamentEvent::Noted { .. } => counts.noted += 1,
            TournamentEvent::NoteDropped { entry_no, what, .. } => {
                counts.dropped += 1;
                let terms = self.event().map(Tournament::structure);
                let price = terms.map_or(0, |terms| match what {
                    Noted::Rebuy => terms.rebuy.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee)),
                    Noted::AddOn => terms.add_on.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee)),
                    Noted::Disqualification => 0,
                });
                // The sender counted it as spent.
                self.paid(*entry_no, price)?;
            }
            TournamentEvent::PoolFinal { overlay, .. } => counts.overlay += overlay,
            TournamentEvent::Ended { residual } => counts.residual += residual,
            TournamentEvent::PrizePaid { entry_no, prize, .. } => {
                counts.prizes += prize.cash;
                counts.seats += prize.ticket.saturating_add(prize.t_dollars);
                let cash = prize.cash;
                self.paid(*entry_no, cash)?;
            }
            TournamentEvent::BountyPaid { entry_no, amount } => {
                counts.bounties += amount;
                self.paid(*entry_no, *amount)?;
            }
            TournamentEvent::DealMade { amounts } => {
                for (entry_no, amount) in amounts {
                    self.counts.prizes += amount;
                    self.paid(*entry_no, *amount)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn paid(&mut self, entry_no: EntryNo, amount: u64) -> Result<(), Flaw> {
        let player = self.event().and_then(|event| event.entries.get(&entry_no)).map(|entry| entry.player.clone());
        let player = player.ok_or_else(|| Flaw::differs("who is paid", "an entry of the event", entry_no))?;
        let sum = self.received.entry(player).or_default();
        *sum = sum.checked_add(amount).ok_or(Flaw::Overflow)?;
        Ok(())
    }

    /// A player's own cards, from a reply to them alone: their slots of the public order, opened against the root that
    /// was committed before any seed was published. `false`: the log has gone on, so they cannot be checked.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn own_cards(&self, id: &TableId, player: &PlayerId, own: &OwnCards) -> Result<bool, Flaw> {
        self.state().table(id).map_or(Ok(false), |table| own_cards(table, player, own))
    }
}
