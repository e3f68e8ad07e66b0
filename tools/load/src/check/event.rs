//! A tournament as its players follow it. They read the whole log in order and decide every entry again, as an auditor
//! does. They also check their own knowledge: their requests, their seeds, their seats (spec/games/tournaments.md,
//! "What a verifier checks").

use super::Flaw;
use super::flaw::same;
use fairshoe_api::OwnCards;
use fairshoe_fairness::{
    ClientSeed, EventEntropy, Opening, PlayerId, SeatSeed, Slot, TableId, draw_entropy, link_before,
};
use fairshoe_house::tournament::{DrawKind, Noted, OpenDraw, Stage, Whereabouts};
use fairshoe_house::{Actor, Command, Entry, Event, Signed, State, Tournament, TournamentCommand, TournamentEvent};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{Checkpoint, Hash, RootAccumulator, leaf_hash};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::seating::Due;
use std::collections::{BTreeMap, HashMap};

/// The roots of so many last sizes are kept, to compare with signed checkpoints.
const ROOTS: usize = 65_536;

/// The most pending commands of a player: commands that were never accepted are dropped once so many came after them.
const ASKED: usize = 64;

/// The counts of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub rounds: u64,
    /// Rebuys, add-ons and disqualifications requested during a hand.
    pub noted: u64,
    /// Those of them that were dropped.
    pub dropped: u64,
    /// Eliminations.
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
    /// Seeds of the run's players that the house accepted, by draw.
    taken: BTreeMap<(u16, EntryNo), ClientSeed>,
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
            taken: BTreeMap::new(),
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
        if differs { Err(Flaw::Forked { size }) } else { Ok(()) }
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
        let seats = match &entry {
            Some(entry) => self.before(entry)?,
            None => None,
        };
        self.book.feed_read(reading).map_err(|finding| Flaw::Judged(finding.to_string()))?;
        self.tree.append(leaf_hash(text.as_bytes()));
        let (size, root) = (self.size(), self.tree.root());
        if self.ahead.remove(&size).is_some_and(|signed| signed != root) {
            return Err(Flaw::Forked { size });
        }
        self.roots.insert(size, root);
        if self.roots.len() > ROOTS {
            self.roots.pop_first();
        }
        entry.map_or(Ok(()), |entry| self.after(&entry, seats))
    }

    /// The checks of an entry that are possible only before it is folded in: the players' new seats.
    fn before(&mut self, entry: &Entry) -> Result<Option<Seats>, Flaw> {
        self.in_their_name(entry)?;
        let mut seats = None;
        for event in self.own_events(entry) {
            if let TournamentEvent::SeatsDrawn { draw_no, link, entropy, .. } = event {
                let tournament = self.event().ok_or_else(|| Flaw::differs("the draw's event", "announced", entry))?;
                same("the draw", &tournament.draws.next, draw_no)?;
                let before = link_before(&tournament.context, *draw_no, link);
                same("the number to which the house's number leads", &tournament.draws.link, &before)?;
                let open = tournament.draws.open.as_ref();
                let open = open.ok_or_else(|| Flaw::differs("the draw", "one that was called", draw_no))?;
                let own = self.entropy(tournament, open, *draw_no, link)?;
                same("the draw's entropy", &own, entropy)?;
                seats = Some(seats_of(tournament, open, entropy)?);
            }
        }
        Ok(seats)
    }

    /// With the known seeds of the run's players, and the strangers' seeds from the log.
    fn entropy(
        &self,
        event: &Tournament,
        open: &OpenDraw,
        draw_no: u16,
        link: &fairshoe_fairness::DrawLink,
    ) -> Result<EventEntropy, Flaw> {
        let mut seeds = Vec::with_capacity(open.entrants.len());
        for entry_no in &open.entrants {
            let Some(entry) = event.entries.get(entry_no) else { continue };
            let logged = open.seeds.get(entry_no);
            let seed = match self.taken.get(&(draw_no, *entry_no)) {
                Some(taken) => Some(taken),
                None => logged,
            };
            let Some(seed) = seed else { continue };
            seeds.push(SeatSeed { entry_no: entry_no.0, player: entry.player.clone(), seed: seed.clone() });
        }
        let running = event.draws.frozen.as_ref().map_or(event.draws.running, |fixed| fixed.2);
        draw_entropy(&event.context, draw_no, link, &running, &seeds)
            .map_err(|error| Flaw::differs("the draw's seeds", "those of its entrants", error))
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
        let at = at.ok_or_else(|| Flaw::Misplaced {
            event: format!("in {player}'s name the command {}", super::table::text(&entry.command)),
        })?;
        asked.remove(at);
        if let Command::Tournament(TournamentCommand::RevealSeatSeed { event, draw_no, entry_no, seed, .. }) =
            &entry.command
            && *event == self.event
        {
            self.taken.insert((*draw_no, *entry_no), seed.clone());
        }
        Ok(())
    }

    fn after(&mut self, entry: &Entry, seats: Option<Seats>) -> Result<(), Flaw> {
        if let (Some(seats), Some(event)) = (seats, self.event()) {
            for (entry_no, at) in seats {
                let sits = event.entries.get(&entry_no).map(|entry| entry.at);
                same("the seat that was drawn", &Some(at), &sits)?;
            }
        }
        let events: Vec<&TournamentEvent> = self.own_events(entry).collect();
        for event in &events {
            self.count(event)?;
        }
        let at = entry.at.as_ref().map(|at| &at.table);
        let table = self.event().and_then(|event| at.and_then(|table| event.number_of(table)));
        if let Some(number) = table {
            for event in &entry.events {
                match event {
                    Event::RoundSettled { .. } | Event::PostsTaken { .. } => self.counts.hands += 1,
                    Event::RoundVoided { .. } => self.counts.voids += 1,
                    Event::HandCalled { .. } => self.may_play(number)?,
                    _ => {}
                }
            }
        }
        let moves_chips = |event: &Event| match event {
            Event::RoundSettled { .. } | Event::PostsTaken { .. } | Event::RoundVoided { .. } => table.is_some(),
            Event::Tournament(event) => !matches!(**event, TournamentEvent::SeatSeedRevealed { .. }),
            _ => false,
        };
        if entry.events.iter().any(moves_chips) { self.chips_are_whole() } else { Ok(()) }
    }

    fn count(&mut self, event: &TournamentEvent) -> Result<(), Flaw> {
        let counts = &mut self.counts;
        match event {
            TournamentEvent::SeatsDrawn { draw_no, withheld, .. } => {
                counts.draws += 1;
                counts.withheld += withheld;
                self.taken.retain(|(draw, _), _| draw > draw_no);
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

    /// A hand may be called if no player of the table plays elsewhere. If the table's player must move, or the table
    /// must break, that comes first (spec/games/tournaments.md, 6.1, 6.2).
    fn may_play(&self, number: u16) -> Result<(), Flaw> {
        let Some(event) = self.event() else { return Ok(()) };
        let (field, open) = (event.field(), &event.draws.open);
        let first = match field.due() {
            Some(Due::Break(table)) if open.is_none() => Some(table),
            Some(Due::Move(step)) => Some(step.from.0),
            _ => None,
        };
        same("whether the table's seats are about to change", &false, &(first == Some(number)))?;
        let here = field.tables.get(&number).into_iter().flat_map(|table| table.players.values());
        let here: Vec<_> = here.filter_map(|entry_no| event.entries.get(entry_no)).map(|entry| &entry.player).collect();
        for other in event.tables.open.iter().filter(|other| **other != number) {
            let Some(id) = event.table_name(*other) else { continue };
            let live = self.state().table(&id).and_then(|table| table.live_round());
            let twice = live.into_iter().flat_map(|round| &round.contributors).map(|one| &one.placed.player);
            let twice: Vec<_> = twice.filter(|player| here.contains(player)).collect();
            same("who plays two hands at once", &Vec::new(), &twice)?;
        }
        Ok(())
    }

    /// Every chip sold lies with a player, or went out with a disqualified one (1.4).
    fn chips_are_whole(&self) -> Result<(), Flaw> {
        let Some(event) = self.event().filter(|event| event.stage == Stage::Running) else { return Ok(()) };
        if event.entries.iter().any(|(_, entry)| entry.at == Whereabouts::Disqualified) {
            return Ok(());
        }
        let (structure, sold) = (event.structure(), event.sold);
        let rebuy = structure.rebuy.as_ref().map_or(0, |terms| terms.chips);
        let add_on = structure.add_on.as_ref().map_or(0, |terms| terms.chips);
        let brought = u128::from(sold.entries) * u128::from(structure.entry.stack)
            + u128::from(sold.rebuys) * u128::from(rebuy)
            + u128::from(sold.add_ons) * u128::from(add_on);
        let chips: u128 = event.entries.iter().map(|(_, entry)| u128::from(entry.chips)).sum();
        same("all chips of the event", &brought, &chips)
    }

    /// A player's own cards, from a reply to them alone: their slots of the public order, opened against the root that
    /// was committed before any seed was published. `false`: the log has gone on, so they cannot be checked.
    ///
    /// # Errors
    /// [`Flaw`].
    pub fn own_cards(&self, id: &TableId, player: &PlayerId, own: &OwnCards) -> Result<bool, Flaw> {
        let Some(table) = self.state().table(id) else { return Ok(false) };
        let Some((round, shoe)) = table.live_round().zip(table.shoe.as_ref()) else { return Ok(false) };
        let Some(stakes) = round.game.table_stakes() else { return Ok(false) };
        if round.entropy.is_none() || own.round != format!("{id}:{}", round.round_no) {
            return Ok(false);
        }
        same("the deck of own cards", &(round.shoe_no, round.pick), &(own.shoe_no, own.candidate))?;
        let slots: Vec<Slot> = own.openings.iter().map(|opening| opening.slot).collect();
        same("the slots of own cards", &stakes.own_slots(player), &slots)?;
        let cards: Vec<_> = own.openings.iter().map(Opening::card).collect();
        same("own cards", &own.cards.iter().copied().map(Some).collect(), &cards)?;
        let root = shoe.candidates.get(usize::from(round.pick)).map(|committed| committed.root);
        let root = root.ok_or(Flaw::Overflow)?;
        for opening in &own.openings {
            let slot = opening.slot;
            opening.verify(&root, &shoe.id.composition).map_err(|error| Flaw::Opening { slot, error })?;
        }
        Ok(true)
    }
}

/// The drawn seats of the entrants.
type Seats = Vec<(EntryNo, Whereabouts)>;

fn seats_of(event: &Tournament, open: &OpenDraw, entropy: &EventEntropy) -> Result<Seats, Flaw> {
    let entrants: Vec<EntryNo> = open.entrants.iter().copied().collect();
    let mut field = event.field().clone();
    let failed = |error| Flaw::Judged(format!("seats cannot be drawn: {error}"));
    if entrants.is_empty() {
        return Ok(Vec::new());
    }
    Ok(match open.kind {
        DrawKind::First | DrawKind::Final => {
            let drawn = first_seats(entropy, &entrants, field.seats, field.last_table).map_err(failed)?;
            let at = |(number, table): (&u16, &fairshoe_tournament::seating::Table)| {
                let number = *number;
                let seats: Vec<_> = table.players.iter().map(|(seat, entry_no)| (*entry_no, *seat)).collect();
                seats.into_iter().map(move |(entry_no, seat)| (entry_no, Whereabouts::Seated(number, seat)))
            };
            drawn.tables.iter().flat_map(at).collect()
        }
        DrawKind::Late | DrawKind::Break => {
            let seated = later_seats(entropy, &entrants, &mut field).map_err(failed)?;
            seated.into_iter().map(|one| (one.entry_no, Whereabouts::Seated(one.table, one.seat))).collect()
        }
    })
}
