//! The index as it was once, all of it in memory: simple, and what the tests hold the real one against.
#![allow(missing_docs)]

use super::significant::noted;
use super::{RoundState, Significant};
use fairshoe_fairness::{Composition, Epoch, Origin, PlayerId, TableContext, TableId};
use fairshoe_games::{Chips, RoundEvent};
use fairshoe_house::{Actor, Entry, Event, RoundResult, ShoeId, TournamentEvent, VoidCause, WalletCall};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A round's place and result.
#[derive(Clone, Debug)]
pub struct RoundRef {
    pub round_no: u64,
    pub shoe_no: u64,
    /// When bets closed.
    pub time: u64,
    /// Table sequence number of the entry that opened its bets.
    pub opened_seq: u64,
    /// Of the entry that closed them.
    pub closed_seq: u64,
    /// Of the entry that settled or voided it.
    pub last_seq: Option<u64>,
    pub staked: Chips,
    pub returned: Chips,
    pub state: RoundState,
}

/// The player who was given a sealed shoe's seeds (`None`: every auditor), and the index of the entry that says so.
type Disclosed = (Option<PlayerId>, u64);

/// A shoe's place, and what its full name is made of.
#[derive(Clone, Debug)]
pub struct ShoeRef {
    pub committed_seq: u64,
    pub revealed_seq: Option<u64>,
    /// Of the entry that sealed it: its seeds stay secret.
    pub sealed_seq: Option<u64>,
    /// The candidate dealt last.
    pub pick: u8,
    /// Which of the table's histories it belongs to.
    history: usize,
    /// Which of the log's epochs it was committed in.
    epoch: usize,
    composition: Arc<Composition>,
}

/// What a dispute needs of a table: a shoe's entries from its commitment to its end; of a game of several piles
/// the first one's to the game's end (spec/audit.md, "The bundle").
#[derive(Clone, Debug)]
struct History {
    first_shoe: u64,
    first_seq: u64,
    last_seq: Option<u64>,
}

/// A table's places.
#[derive(Default)]
pub struct TableIndex {
    /// The log index of each of its entries, by table sequence number.
    pub entries: Vec<u64>,
    /// By ascending number; the shuffles of new piles are numbered in between.
    pub rounds: Vec<RoundRef>,
    /// The round numbers that shuffles took, each with its game's.
    shuffles: BTreeMap<u64, u64>,
    pub shoes: Vec<ShoeRef>,
    histories: Vec<History>,
    /// The last betting window: its round, and the table sequence number of the entry that opened it.
    window: Option<(u64, u64)>,
    /// Of the last rounds, the newest in the lowest bit: whether a withheld reveal voided it.
    withheld: u128,
    /// Hands of poker are played there, whose hole cards are their players' alone; no other game deals such cards.
    pub is_cash: bool,
    /// No entry comes after the last one.
    pub closed: bool,
}

/// See the module.
#[derive(Default)]
pub struct Index {
    pub tables: HashMap<TableId, TableIndex>,
    /// Every player's rounds, in order.
    pub players: HashMap<PlayerId, Vec<(TableId, u64)>>,
    /// Log indices of the entries with `dealer_started`.
    pub starts: Vec<u64>,
    /// Log indices of the entries that set or cleared a player's key.
    keys: HashMap<PlayerId, Vec<u64>>,
    /// Of each operation of the wallet, what asked for it and what was answered last.
    pub operations: HashMap<u64, (Option<u64>, Option<u64>)>,
    pub rounds: u64,
    /// Hands of poker that were played to their end.
    pub hands: u64,
    pub sealed_shoes: u64,
    /// Of each sealed shoe that was disclosed.
    disclosed: HashMap<(TableId, u64), Vec<Disclosed>>,
    pub disclosures: u64,
    /// What a regulator is told of, in order.
    pub significant: Vec<Significant>,
    /// When the last refused start on the log was, UTC milliseconds.
    pub refused_at: Option<u64>,
    epochs: Vec<Epoch>,
    origin: Option<Origin>,
    /// The last entry of the process before stopped the dealer in good order.
    stopped: bool,
}

impl Index {
    /// Takes a durable entry in.
    pub fn add(&mut self, index: u64, entry: &Entry) {
        for event in &entry.events {
            match event {
                Event::DealerStarted { origin, epoch, .. } => {
                    self.starts.push(index);
                    self.epochs.push(*epoch);
                    self.origin = Some(origin.clone());
                }
                Event::KeySet { player, .. } => self.keys.entry(player.clone()).or_default().push(index),
                Event::WalletAsked { no, call: WalletCall::Reserve | WalletCall::Pay, .. } => {
                    self.operations.entry(*no).or_default().0 = Some(index);
                }
                Event::WalletAnswered { no, .. } => self.operations.entry(*no).or_default().1 = Some(index),
                Event::StartRefused { at, .. } => self.refused_at = self.refused_at.max(Some(*at)),
                Event::Play(play) if play.hand_result().is_some() => self.hands += 1,
                Event::ShoeSealed { .. } => self.sealed_shoes += 1,
                Event::ShoeDisclosed { table, shoe_no, auditor } => {
                    self.disclosures += 1;
                    self.disclosed.entry((table.clone(), *shoe_no)).or_default().push((auditor.clone(), index));
                }
                _ => {}
            }
        }
        if let Some(at) = &entry.at {
            let epoch = self.epochs.len().saturating_sub(1);
            let table = self.tables.entry(at.table.clone()).or_default();
            table.entries.push(index);
            for event in &entry.events {
                if let Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } = event {
                    self.rounds += 1;
                    for (player, _) in event.entrants() {
                        self.players.entry(player.clone()).or_default().push((at.table.clone(), *round_no));
                    }
                }
                table.add(at.seq, entry, event, epoch);
            }
            table.end_history(at.seq, &entry.events);
        }
        let withheld = entry.at.as_ref().and_then(|at| self.tables.get(&at.table)).map_or(0, |table| table.withheld);
        self.significant.extend(noted(index, entry, self.stopped || self.starts.len() <= 1, withheld));
        self.stopped = entry.events.iter().any(|event| matches!(event, Event::DealerStopped {}));
    }

    /// The entry that set or cleared the key under which this actor's entry at `index` was given.
    pub fn key_entry(&self, by: &Actor, index: u64) -> Option<u64> {
        let Actor::Player(player) = by else { return None };
        self.keys.get(player)?.iter().copied().rfind(|set| *set < index)
    }

    /// Whether a player takes part in a round that is in progress.
    pub fn plays_in(&self, player: &PlayerId, table: &TableId, round_no: u64) -> bool {
        let Some(round) =
            self.tables.get(table).and_then(|at| at.round(round_no)).filter(|round| round.last_seq.is_none())
        else {
            return false;
        };
        // Theirs are in the order in which their bets closed.
        let closed = |(table, round_no): &(TableId, u64)| {
            self.tables.get(table).and_then(|at| at.round(*round_no)).map(|at| at.time)
        };
        let all = self.players.get(player).map(Vec::as_slice).unwrap_or_default();
        let from = all.partition_point(|one| closed(one) < Some(round.time));
        let then = all.get(from..).unwrap_or_default().iter().take_while(|one| closed(one) == Some(round.time));
        then.into_iter().any(|(at, number)| (at, *number) == (table, round.round_no))
    }

    /// The log indices of the entries that disclosed this shoe to this auditor.
    pub fn disclosures_to(&self, auditor: &PlayerId, table: &TableId, shoe_no: u64) -> Vec<u64> {
        let all = self.disclosed.get(&(table.clone(), shoe_no)).into_iter().flatten();
        all.filter(|(name, _)| name.as_ref().is_none_or(|name| name == auditor)).map(|(_, index)| *index).collect()
    }

    /// A shoe's full name.
    pub fn shoe_id(&self, table: &TableId, shoe_no: u64) -> Option<ShoeId> {
        let shoe = self.tables.get(table)?.shoe(shoe_no)?;
        let context =
            TableContext { origin: self.origin.clone()?, table: table.clone(), epoch: *self.epochs.get(shoe.epoch)? };
        Some(ShoeId { context, shoe_no, composition: shoe.composition.as_ref().clone() })
    }

    /// The log indices of a table's opening, of the start before this history and of those within it.
    pub fn context_of(&self, table: &TableId, entries: &[u64]) -> Vec<u64> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Vec::new() };
        let earlier = self.starts.iter().copied().rfind(|start| start < first);
        let between = self.starts.iter().copied().filter(|start| (first..=last).contains(&start));
        let opened = self.tables.get(table).and_then(|table| table.entries.first().copied());
        let mut context: Vec<u64> = opened.into_iter().chain(earlier).chain(between).collect();
        context.sort_unstable();
        context.dedup();
        context
    }
}

fn position(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl TableIndex {
    fn add(&mut self, seq: u64, entry: &Entry, event: &Event, epoch: usize) {
        match event {
            Event::ShoeCommitted { shoe_no, composition, .. } => {
                if !self.in_round() {
                    self.histories.push(History { first_shoe: *shoe_no, first_seq: seq, last_seq: None });
                }
                let known =
                    self.shoes.last().map(|shoe| &shoe.composition).filter(|known| known.as_ref() == composition);
                let composition = known.cloned().unwrap_or_else(|| Arc::new(composition.clone()));
                let history = self.histories.len().saturating_sub(1);
                self.shoes.push(ShoeRef {
                    committed_seq: seq,
                    revealed_seq: None,
                    sealed_seq: None,
                    pick: 0,
                    history,
                    epoch,
                    composition,
                });
            }
            Event::ShoeRevealed { shoe_no, .. } => {
                if let Some(shoe) = self.shoes.get_mut(position(*shoe_no)) {
                    shoe.revealed_seq = Some(seq);
                }
            }
            Event::ShoeSealed { shoe_no, .. } => {
                if let Some(shoe) = self.shoes.get_mut(position(*shoe_no)) {
                    shoe.sealed_seq = Some(seq);
                }
            }
            Event::BetsOpened { round_no, .. } | Event::HandCalled { round_no, .. } => {
                self.window = Some((*round_no, seq))
            }
            Event::BetsClosed { round_no, shoe_no, .. } | Event::HandBegun { round_no, shoe_no, .. } => {
                let bets =
                    if let Event::BetsClosed { contributors, .. } = event { contributors.as_slice() } else { &[] };
                let stakes = bets.iter().flat_map(|c| &c.bets).map(|bet| bet.stake);
                let opened =
                    self.window.filter(|(opened, _)| opened == round_no).map_or(seq, |(_, opened_seq)| opened_seq);
                self.rounds.push(RoundRef {
                    round_no: *round_no,
                    shoe_no: *shoe_no,
                    time: entry.time,
                    opened_seq: opened,
                    closed_seq: seq,
                    last_seq: None,
                    staked: Chips::sum(stakes).unwrap_or_default(),
                    returned: Chips::ZERO,
                    state: RoundState::AwaitingReveals,
                });
            }
            Event::TableOpened { rules, .. } => self.is_cash = rules.cash().is_some(),
            Event::PileOpened { round_no, .. } => {
                let game = self.rounds.last().map(|round| round.round_no);
                self.shuffles.extend(game.map(|game| (*round_no, game)));
            }
            Event::RoundOpened { pick, .. } | Event::PileShuffled { pick, .. } => {
                if let Some(shoe) = self.shoes.last_mut() {
                    shoe.pick = *pick;
                }
                self.with_round(|round| round.state = RoundState::Open);
            }
            // At a cash table what is put in lies before the seats until the hand is over.
            Event::Play(RoundEvent::Acted { cost, .. }) if !self.is_cash => {
                self.with_round(|round| round.staked = round.staked.plus(*cost).unwrap_or(Chips::MAX));
            }
            Event::Play(RoundEvent::Paid { lines }) => {
                let paid = Chips::sum(lines.iter().map(|line| line.returned)).unwrap_or(Chips::MAX);
                self.with_round(|round| round.returned = round.returned.plus(paid).unwrap_or(Chips::MAX));
            }
            Event::RoundSettled { players, .. } => self.end_round(seq, RoundState::Settled, players),
            Event::RoundVoided { cause, players, .. } => self.end_round(seq, RoundState::Voided(*cause), players),
            Event::TableClosed {} => self.closed = true,
            Event::Tournament(event) if matches!(**event, TournamentEvent::Ended { .. }) => self.closed = true,
            _ => {}
        }
    }

    fn with_round(&mut self, change: impl FnOnce(&mut RoundRef)) {
        if let Some(round) = self.rounds.last_mut() {
            change(round);
        }
    }

    fn end_round(&mut self, seq: u64, state: RoundState, players: &[RoundResult]) {
        self.withheld = self.withheld << 1 | u128::from(state == RoundState::Voided(VoidCause::RevealMissing));
        self.with_round(|round| {
            round.staked = Chips::sum(players.iter().map(|one| one.staked)).unwrap_or(Chips::MAX);
            round.returned = Chips::sum(players.iter().map(|one| one.returned)).unwrap_or(Chips::MAX);
            (round.last_seq, round.state) = (Some(seq), state);
        });
    }

    fn in_round(&self) -> bool {
        self.rounds.last().is_some_and(|round| round.last_seq.is_none())
    }

    /// In mid-game an unused pile is revealed and the game goes on; otherwise a reveal or a seal ends the history.
    fn end_history(&mut self, seq: u64, events: &[Event]) {
        let retires = events.iter().any(|event| matches!(event, Event::ShoeRevealed { .. } | Event::ShoeSealed { .. }));
        if retires
            && !self.in_round()
            && let Some(history) = self.histories.last_mut()
        {
            history.last_seq = Some(seq);
        }
    }

    /// A shoe by its number.
    pub fn shoe(&self, shoe_no: u64) -> Option<&ShoeRef> {
        self.shoes.get(position(shoe_no))
    }

    /// The round that a shoe of its own was for.
    pub fn round_of_shoe(&self, shoe_no: u64) -> Option<&RoundRef> {
        let at = self.rounds.binary_search_by_key(&shoe_no, |round| round.shoe_no).ok()?;
        self.rounds.get(at)
    }

    /// A round by its number, or by that of one of its shuffles.
    pub fn round(&self, round_no: u64) -> Option<&RoundRef> {
        let game = self.shuffles.get(&round_no).copied().unwrap_or(round_no);
        let at = self.rounds.binary_search_by_key(&game, |round| round.round_no).ok()?;
        self.rounds.get(at)
    }

    /// The log indices of these entries of the table.
    pub fn indices(&self, seqs: RangeInclusive<u64>) -> &[u64] {
        let last = position(*seqs.end()).min(self.entries.len().saturating_sub(1));
        self.entries.get(position(*seqs.start())..=last).unwrap_or_default()
    }

    /// A round's entries: from the one that opened its bets, or the one that closed them.
    pub fn round_indices(&self, round: &RoundRef, from_bets_opened: bool) -> &[u64] {
        let first = if from_bets_opened { round.opened_seq } else { round.closed_seq };
        self.indices(first..=round.last_seq.unwrap_or(u64::MAX))
    }

    /// The entries in which a request that names this round can have been carried out.
    pub fn indices_about(&self, round_no: u64) -> &[u64] {
        match (self.round(round_no), self.window) {
            (Some(round), _) => self.round_indices(round, true),
            (None, Some((opened, seq))) if opened == round_no => self.indices(seq..=u64::MAX),
            _ => &[],
        }
    }

    /// The history of a shoe: its first shoe's number, and the log indices of its entries.
    pub fn history_of_shoe(&self, shoe_no: u64) -> Option<(u64, &[u64])> {
        let history = self.histories.get(self.shoe(shoe_no)?.history)?;
        Some((history.first_shoe, self.indices(history.first_seq..=history.last_seq.unwrap_or(u64::MAX))))
    }

    /// The history that an entry of the table belongs to.
    pub fn history_at(&self, seq: u64) -> Option<(u64, &[u64])> {
        let at = self.histories.partition_point(|history| history.first_seq <= seq).checked_sub(1)?;
        let history = self.histories.get(at).filter(|history| history.last_seq.is_none_or(|last| seq <= last))?;
        Some((history.first_shoe, self.indices(history.first_seq..=history.last_seq.unwrap_or(u64::MAX))))
    }
}
