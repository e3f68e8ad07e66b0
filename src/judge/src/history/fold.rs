//! From entries to histories of hands: what a table's events tell of each hand until it is over and its shoe is sealed
//! (spec/hand-histories.md). How a history is written is for the formats beside it.

use super::events::Events;
use super::{DealtIn, HandHistory, HandStep, HistoryError};
use crate::bundle::RoundId;
use fairshoe_fairness::{Card, Composition, Origin, RoundEntropy, Slot, TableId};
use fairshoe_games::poker::{Blinds, HandStart, PotPaid, SeatResult, Street};
use fairshoe_games::{Action, Chips, Place, RoundEvent, RuleSet, SeatChips};
use fairshoe_house::tournament::at_blinds;
use fairshoe_house::{Command, Committed, Entry, Event, VoidCause};
use std::collections::HashMap;

/// The result of a hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It was settled, and its shoe is sealed.
    Settled(Box<HandHistory>),
    /// It counts for nothing: every chip went back.
    Void {
        /// The hand.
        round: RoundId,
        /// Why.
        cause: VoidCause,
    },
}

/// Folds entries, in the log's order, into histories: those of a bundle (context and entries together) or of a whole
/// log. Memory is one hand a table, and what is said of the tournaments that are not over. Entries of other games pass.
#[derive(Debug, Default)]
pub struct Historian {
    log: Option<Origin>,
    tables: HashMap<TableId, CashTable>,
    events: Events,
}

/// A cash table, or a tournament's.
#[derive(Debug)]
struct CashTable {
    rules: RuleSet,
    digest: String,
    /// The tournament whose table it is, and the level of its next hand.
    event: Option<(TableId, u16)>,
    shoe: Option<(u64, Composition, Vec<Committed>)>,
    hand: Option<HandInProgress>,
}

/// A hand in progress.
#[derive(Debug)]
struct HandInProgress {
    history: HandHistory,
    /// Chips left before each player, as the actions tell.
    left: Vec<Chips>,
    settled: bool,
}

fn settled(history: HandHistory) -> Told {
    Told::Settled(Box::new(history))
}

impl Historian {
    /// Takes the next entry in; what it brought to an end.
    ///
    /// # Errors
    /// [`HistoryError::Broken`] on entries that no sound log has.
    pub fn feed(&mut self, entry: &Entry) -> Result<Vec<Told>, HistoryError> {
        if let Command::StartDealer { origin, .. } = &entry.command {
            self.log = Some(origin.clone());
        }
        let Some(table) = entry.command.table() else { return Ok(Vec::new()) };
        let mut told: Vec<Told> = self.events.feed(entry).into_iter().map(settled).collect();
        for event in &entry.events {
            match event {
                Event::TableOpened { rules, digest, event, .. } if rules.cash().is_some() => {
                    let event = event.clone().map(|event| (event, 1));
                    let opened =
                        CashTable { rules: rules.clone(), digest: digest.clone(), event, shoe: None, hand: None };
                    self.tables.insert(table.clone(), opened);
                }
                Event::TableClosed {} => {
                    let closed = self.tables.remove(table).and_then(|closed| closed.event);
                    let waited = closed.and_then(|(event, _)| self.events.release(&event, table));
                    told.extend(waited.map(settled));
                }
                event => {
                    let Some(cash_table) = self.tables.get_mut(table) else { continue };
                    match cash_table.event(table, (self.log.as_ref(), &self.events), entry.time, event)? {
                        Some(Told::Settled(history)) => {
                            told.extend(self.events.wait(*history).map(settled));
                        }
                        other => told.extend(other),
                    }
                }
            }
        }
        Ok(told)
    }

    /// The log ends: hands whose bounties nothing has dealt with yet.
    pub fn finish(mut self) -> Vec<Told> {
        self.events.release_all().into_iter().map(settled).collect()
    }
}

impl CashTable {
    /// The level of a tournament's table from its next hand on.
    fn set_level(&mut self, level: u16, blinds: Blinds) {
        self.rules = at_blinds(&self.rules, blinds);
        if let Some((_, of)) = &mut self.event {
            *of = level;
        }
    }

    fn event(
        &mut self,
        table: &TableId,
        (log, events): (Option<&Origin>, &Events),
        time: u64,
        event: &Event,
    ) -> Result<Option<Told>, HistoryError> {
        let broken = |round_no: u64| {
            let round = RoundId { table: table.clone(), round_no };
            move |what: &str| HistoryError::Broken { round, what: what.to_owned() }
        };
        match event {
            Event::SetSeats { level, blinds, .. } => self.set_level(*level, *blinds),
            Event::TableNoted(noted) => {
                if let Some(place) = noted.cash.as_ref().and_then(|cash| cash.event) {
                    self.set_level(place.level, place.blinds);
                }
            }
            Event::ShoeCommitted { shoe_no, composition, candidates } => {
                self.shoe = Some((*shoe_no, composition.clone(), candidates.clone()));
            }
            Event::HandBegun { round_no, hand: start, .. } => {
                let (shoe_no, composition, candidates) =
                    self.shoe.clone().ok_or_else(|| broken(*round_no)("no shoe is committed for it"))?;
                let history = HandHistory {
                    round: RoundId { table: table.clone(), round_no: *round_no },
                    shoe_no,
                    log: log.cloned(),
                    started: time,
                    rules: self.rules.clone(),
                    digest: self.digest.clone(),
                    event: self
                        .event
                        .as_ref()
                        .map(|(name, level)| events.hand(name, *level, start.seats.iter().map(|seat| &seat.player))),
                    composition,
                    candidates,
                    entropy: RoundEntropy::from_bytes([0; 32]),
                    pick: 0,
                    others: Vec::new(),
                    positions: start.positions,
                    seats: dealt_in(start),
                    steps: Vec::new(),
                    board: Vec::new(),
                    burnt: Vec::new(),
                    pots: Vec::new(),
                    uncalled: None,
                    openings: Vec::new(),
                    own: None,
                };
                let left = history.seats.iter().map(after_posts).collect();
                self.hand = Some(HandInProgress { history, left, settled: false });
            }
            Event::RoundVoided { round_no, cause, .. } => {
                self.hand = None;
                return Ok(Some(Told::Void {
                    round: RoundId { table: table.clone(), round_no: *round_no },
                    cause: *cause,
                }));
            }
            Event::RoundOpened { entropy, pick, others, .. } => {
                if let Some(hand) = &mut self.hand {
                    hand.history.entropy = *entropy;
                    hand.history.pick = *pick;
                    hand.history.others.clone_from(others);
                }
            }
            Event::Play(event) => {
                if let Some(hand) = &mut self.hand {
                    let why = broken(hand.history.round.round_no);
                    hand.play(event).map_err(why)?;
                }
            }
            Event::ShoeSealed { shoe_no, openings } => {
                let of_shoe = self.hand.take_if(|hand| hand.settled && hand.history.shoe_no == *shoe_no);
                return Ok(of_shoe.map(|mut hand| {
                    hand.history.openings.clone_from(openings);
                    Told::Settled(Box::new(hand.history))
                }));
            }
            _ => {}
        }
        Ok(None)
    }
}

fn dealt_in(start: &HandStart) -> Vec<DealtIn> {
    let seat = |seat: &fairshoe_games::poker::HandSeat| DealtIn {
        due: seat.due,
        player: seat.player.clone(),
        stack: seat.stack,
        hole: Vec::new(),
        shown: Vec::new(),
        put_in: Chips::ZERO,
        finishing: seat.stack,
    };
    start.seats.iter().map(seat).collect()
}

/// The rest of a stack once everything is posted.
fn after_posts(seat: &DealtIn) -> Chips {
    let posted = seat.posted();
    [posted.ante, posted.dead, posted.live]
        .into_iter()
        .fold(seat.stack, |left, paid| left.minus(paid).unwrap_or_default())
}

impl HandInProgress {
    fn play(&mut self, event: &RoundEvent) -> Result<(), &'static str> {
        match event {
            RoundEvent::Dealt { slot, to: Place::Hand { spot, .. }, card: None, .. } => {
                let seats = &mut self.history.seats;
                let seat = seats
                    .iter_mut()
                    .find(|seat| seat.due.seat == *spot)
                    .ok_or("a card is dealt to a seat that is not in it")?;
                seat.hole.push(*slot);
            }
            RoundEvent::Dealt { slot, card: Some(card), .. } => self.board(*slot, *card),
            RoundEvent::Dealt { slot, .. } => self.history.burnt.push(*slot),
            RoundEvent::Turned { slot, card, .. } => {
                let seats = &mut self.history.seats;
                let next = |seat: &DealtIn| seat.hole.get(seat.shown.len()) == Some(slot);
                let place = seats.iter().position(next).ok_or("a card is turned up that is nobody's next")?;
                if let Some(seat) = seats.get_mut(place) {
                    seat.shown.push(*card);
                    if seat.shown.len() == seat.hole.len() {
                        self.history.steps.push(HandStep::Shown { place });
                    }
                }
            }
            RoundEvent::Acted { player, action, cost, default, .. } => {
                let place = self
                    .history
                    .seats
                    .iter()
                    .position(|seat| seat.player == *player)
                    .ok_or("one acts who is not in it")?;
                match action {
                    // The cards that are turned up next tell it.
                    Action::Show => {}
                    Action::Muck => self.history.steps.push(HandStep::Mucked { place }),
                    action => {
                        let left = self.left.get_mut(place).ok_or("one acts who is not in it")?;
                        *left = left.minus(*cost).ok_or("one puts in more than they have")?;
                        let all_in = *cost > Chips::ZERO && *left == Chips::ZERO;
                        let step =
                            HandStep::Acted { place, action: action.clone(), cost: *cost, all_in, lapsed: *default };
                        self.history.steps.push(step);
                    }
                }
            }
            _ => {
                if let Some(hand) = event.hand_result() {
                    self.settle(hand.pots, hand.uncalled, hand.seats)?;
                }
            }
        }
        Ok(())
    }

    fn board(&mut self, slot: Slot, card: Card) {
        let board = &mut self.history.board;
        board.push((slot, card));
        let whole = |street: Street| street.board_cards() == board.len();
        if [Street::Flop, Street::Turn, Street::River].into_iter().any(whole) {
            let from = if board.len() == Street::Flop.board_cards() { 0 } else { board.len().saturating_sub(1) };
            let cards = board.iter().skip(from).map(|(_, card)| *card).collect();
            self.history.steps.push(HandStep::Board(cards));
        }
    }

    /// Takes the result in, and holds it against what was posted and put in.
    fn settle(
        &mut self,
        pots: &[PotPaid],
        uncalled: Option<SeatChips>,
        results: &[SeatResult],
    ) -> Result<(), &'static str> {
        if results.len() != self.history.seats.len() {
            return Err("its result is not of those who were dealt in");
        }
        for ((seat, result), left) in self.history.seats.iter_mut().zip(results).zip(&self.left) {
            if seat.due.seat != result.seat || seat.player != result.player {
                return Err("its result is not of those who were dealt in");
            }
            if seat.stack.minus(result.put_in) != Some(*left) || left.plus(result.got) != Some(result.stack) {
                return Err("posts, actions and result do not add up");
            }
            seat.put_in = result.put_in;
            seat.finishing = result.stack;
        }
        let put_in = Chips::sum(results.iter().map(|result| result.put_in));
        let paid = Chips::sum(pots.iter().map(|pot| pot.amount).chain(uncalled.map(|back| back.amount)));
        if put_in.is_none() || put_in != paid {
            return Err("its pots are not what was put in");
        }
        self.history.pots = pots.to_vec();
        self.history.uncalled = uncalled;
        self.settled = true;
        Ok(())
    }
}
