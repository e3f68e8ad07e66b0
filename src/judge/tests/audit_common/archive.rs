//! A log as a service keeps it: entries, their tree, and the bundles that it gives out at any moment.

use super::signer_of;
use crate::common::MASTER;
use fairshoe_fairness::{Epoch, Master, Opening, Origin, Slot, TableContext, TableId};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Entry, Event, SeedDealer, ShoeId};
use fairshoe_judge::bundle::{Bundle, Collector, Proven, RoundId, Target};
use fairshoe_tlog::{TileNodes, Tree, leaf_hash};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A round whose bets were closed, the index of that entry, and of the one that ended it.
pub type PlayedRound = (RoundId, usize, Option<usize>);

pub struct Archive<'l> {
    origin: Origin,
    log: &'l [Vec<u8>],
    pub entries: Vec<Entry>,
    tree: Tree,
    tiles: HashMap<(u8, u64), Arc<TileNodes>>,
    /// The epoch under which each shoe was committed.
    epochs: HashMap<(TableId, u64), Epoch>,
}

impl<'l> Archive<'l> {
    pub fn new(log: &'l [Vec<u8>]) -> Archive<'l> {
        let (mut tree, mut tiles, mut epochs, mut start) = (Tree::new(), HashMap::new(), HashMap::new(), None);
        let entries: Vec<Entry> = log.iter().map(|bytes| Entry::decode(bytes).unwrap()).collect();
        for (bytes, entry) in log.iter().zip(&entries) {
            for tile in tree.append(leaf_hash(bytes)) {
                tiles.insert((tile.level, tile.index), tile.nodes);
            }
            for event in &entry.events {
                match event {
                    Event::DealerStarted { origin, epoch, .. } => start = Some((origin.clone(), *epoch)),
                    Event::ShoeCommitted { shoe_no, .. } => {
                        let epoch = start.as_ref().unwrap().1;
                        epochs.insert((entry.at.as_ref().unwrap().table.clone(), *shoe_no), epoch);
                    }
                    _ => {}
                }
            }
        }
        let origin = start.expect("a log begins with the dealer's start").0;
        Archive { origin, log, entries, tree, tiles, epochs }
    }

    /// Proves these entries under a checkpoint of the first `size`.
    fn prove(&self, raw: &[(u64, Vec<u8>)], size: u64) -> Vec<Proven> {
        let proof = |index| self.tree.inclusion_proof(index, size, &self.tiles).unwrap();
        raw.iter().map(|(index, bytes)| Proven::new(*index, bytes, &proof(*index)).unwrap()).collect()
    }

    /// The signed checkpoint of the first `size` entries.
    pub fn checkpoint(&self, size: u64) -> String {
        signer_of(self.origin.as_str()).sign_checkpoint(size, self.tree.root_at(size, &self.tiles).unwrap())
    }

    /// The bundle that a service would give out for a round when the log had `size` entries, with openings while the
    /// shoe's seed is not out.
    pub fn bundle_at(&self, round: &RoundId, size: usize) -> Option<Bundle> {
        let mut collector = Collector::new(Target::Round { table: round.table.clone(), round_no: round.round_no });
        for (index, bytes) in (0..).zip(&self.log[..size]) {
            collector.feed(index, bytes);
        }
        let selection = collector.finish()?;
        let openings =
            self.openings(&round.table, selection.entries.iter().map(|(index, _)| &self.entries[*index as usize]));
        let size = size as u64;
        let (context, entries) = (self.prove(&selection.context, size), self.prove(&selection.entries, size));
        Some(
            Bundle::build(
                round.clone(),
                signer_of(self.origin.as_str()).verifier_key().to_string(),
                self.checkpoint(size),
                context,
                entries,
                openings,
            )
            .unwrap(),
        )
    }

    /// The opening of a slot of a pile, shown or not: the house can make it. `None` if the pile has no such slot.
    pub fn opening(&self, at: &TableId, shoe_no: u64, slot: Slot) -> Option<Opening> {
        let of = |event: &Event| match event {
            Event::ShoeCommitted { shoe_no: no, composition, .. } if *no == shoe_no => Some(composition.clone()),
            _ => None,
        };
        let here = self.entries.iter().filter(|entry| entry.command.table() == Some(at));
        let composition = here.flat_map(|entry| &entry.events).find_map(of).unwrap();
        let context =
            TableContext { origin: self.origin.clone(), table: at.clone(), epoch: self.epochs[&(at.clone(), shoe_no)] };
        let seeds = SeedDealer::new(Master::from_bytes(MASTER));
        seeds.derive(&ShoeId { context, shoe_no, composition }, 0).1.open(slot)
    }

    /// Every face shown, opened in the shoe or pile it came from; none once the history's end is out.
    fn openings<'e>(&self, at: &TableId, entries: impl Iterator<Item = &'e Entry>) -> Vec<Opening> {
        let (mut piles, mut shown, mut ended): (Vec<u64>, Vec<(u64, Slot)>, bool) = (Vec::new(), Vec::new(), false);
        let (mut compositions, mut in_round, mut pick) = (BTreeMap::new(), false, 0);
        for event in entries.flat_map(|entry| &entry.events) {
            match event {
                Event::ShoeCommitted { shoe_no, composition, .. } => {
                    compositions.insert(*shoe_no, composition.clone());
                    if !in_round {
                        piles = vec![*shoe_no];
                    }
                }
                Event::BetsClosed { .. } | Event::HandBegun { .. } => in_round = true,
                Event::RoundSettled { .. } | Event::RoundVoided { .. } => in_round = false,
                Event::PileShuffled { .. } => piles.extend(compositions.keys().last()),
                Event::Play(
                    RoundEvent::Dealt { slot, card: Some(_), .. }
                    | RoundEvent::Turned { pile: None, slot, .. }
                    | RoundEvent::Spun { slot, .. },
                ) => shown.push((*piles.last().unwrap(), *slot)),
                Event::Play(RoundEvent::Turned { pile: Some(pile), slot, .. }) => {
                    shown.push((piles[usize::from(*pile)], *slot))
                }
                Event::RoundOpened { pick: dealt, .. } => pick = *dealt,
                Event::ShoeRevealed { .. } | Event::ShoeSealed { .. } if !in_round => ended = true,
                _ => {}
            }
        }
        if ended {
            return Vec::new();
        }
        let seeds = SeedDealer::new(Master::from_bytes(MASTER));
        let mut derived = HashMap::new();
        let mut open = |shoe_no: u64, slot| {
            let shoe = derived.entry(shoe_no).or_insert_with(|| {
                let epoch = self.epochs[&(at.clone(), shoe_no)];
                let context = TableContext { origin: self.origin.clone(), table: at.clone(), epoch };
                seeds.derive(&ShoeId { context, shoe_no, composition: compositions[&shoe_no].clone() }, pick).1
            });
            shoe.open(slot).unwrap()
        };
        shown.into_iter().map(|(shoe_no, slot)| open(shoe_no, slot)).collect()
    }

    /// The rounds on the log, in order.
    pub fn rounds(&self) -> Vec<PlayedRound> {
        let mut rounds: Vec<PlayedRound> = Vec::new();
        let mut live: HashMap<TableId, usize> = HashMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let Some(at) = &entry.at else { continue };
            for event in &entry.events {
                match event {
                    Event::BetsClosed { round_no, .. } | Event::HandBegun { round_no, .. } => {
                        live.insert(at.table.clone(), rounds.len());
                        rounds.push((RoundId { table: at.table.clone(), round_no: *round_no }, index, None));
                    }
                    Event::RoundSettled { .. } | Event::RoundVoided { .. } => {
                        if let Some(nth) = live.remove(&at.table) {
                            rounds[nth].2 = Some(index);
                        }
                    }
                    _ => {}
                }
            }
        }
        rounds
    }
}
