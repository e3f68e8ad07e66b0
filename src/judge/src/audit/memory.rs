//! An auditor's memory of a log beside the house's state, from entry to entry: claims about each shoe until its seed is
//! out, epochs, void rounds whose seeds may come.
//!
//! Owns: what only the whole log can show of an entry that is right on the state before it. Does not own: that state
//! ([`super::Piece`]), nor counts ([`super::Book`]).

use super::default_play::UnjudgedVoid;
use super::late::{Complete, LateVoids};
use super::once::{Once, all_in};
use super::piece::{Decided, Steps, shoes_of};
use super::shoe::{ShoeCheck, ShoeClaims};
use super::{Check, Finding};
use fairshoe_fairness::{Epoch, TableId};
use fairshoe_house::{Entry, Event, Shoe, State, Table, snapshot_serde};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Memory {
    #[serde(with = "snapshot_serde::pairs")]
    pub shoes: HashMap<(TableId, u64), ShoeClaims>,
    epochs: HashSet<Epoch>,
    late: LateVoids,
    /// Roots and seeds of the entries since it was taken last.
    #[serde(skip)]
    once: Vec<Once>,
}

impl Memory {
    /// If a log is read from a given state on: the epochs that it names, and its shoes, about which there may be
    /// earlier claims.
    pub fn given(state: &State) -> Memory {
        let shoes = || state.tables().flat_map(shoes_of);
        let epochs = shoes().map(|shoe| shoe.id.context.epoch).chain(state.epoch().copied()).collect();
        let of_shoe = |shoe: Arc<Shoe>| ((shoe.id.context.table.clone(), shoe.id.shoe_no), ShoeClaims::unread());
        Memory { shoes: shoes().map(of_shoe).collect(), epochs, ..Memory::default() }
    }

    /// Takes in the result of an entry. Its claims about shoes come back as work when their seeds are out.
    pub(super) fn take(&mut self, index: u64, steps: Steps) -> Result<(Decided, Vec<ShoeCheck>), Finding> {
        let Steps { epoch, decided, finding, .. } = steps;
        if let Some(epoch) = epoch
            && !self.epochs.insert(epoch)
        {
            let what =
                format!("the dealer starts with epoch {epoch}, which was used before: its shoes could be dealt again");
            return Err(Finding::at(Check::EpochReused, index, None, what));
        }
        let Some(mut decided) = decided else { return Err(finding.unwrap_or_else(|| nothing_found(index))) };
        let table = decided.entry.command.table().cloned();
        if let Some(id) = &table {
            self.remember(id, &mut decided)?;
        }
        if let Some(finding) = finding {
            return Err(finding);
        }
        let Some(id) = table else { return Ok((decided, Vec::new())) };
        let Decided { entry, shoes, .. } = &decided;
        self.once.extend(all_in(index, &id, shoes.last().map(|shoe| shoe.id.shoe_no), &entry.events));
        let mut checks = self.checks(index, entry, &id, shoes);
        checks.extend(self.finish_late(index, entry, &id, &decided.remembered));
        Ok((decided, checks))
    }

    /// Remembers the entry's claims about the shoes in use, and the round that it voids.
    fn remember(&mut self, id: &TableId, decided: &mut Decided) -> Result<(), Finding> {
        let Decided { asked, shoes, voided, .. } = decided;
        for claim in asked.peeks.drain(..) {
            self.shoes.entry((id.clone(), claim.shoe_no)).or_default().peeks.push(claim);
        }
        for claim in asked.faces.drain(..) {
            let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == claim.shoe_no);
            let not_in_use =
                || Finding::at(Check::State, claim.entry, Some(id), format!("shoe {} is not in use", claim.shoe_no));
            let shoe = shoe.ok_or_else(not_in_use)?;
            self.shoes.entry((id.clone(), claim.shoe_no)).or_default().face(shoe, claim)?;
        }
        if let (Some(voided), Some(shoe)) = (voided.take(), shoes.last()) {
            // Voids before the first card burn nothing, so that a shoe may have any number of them: they wait as long
            // as the table remembers them.
            match voided.round.lanes {
                Some(_) => self.shoes.entry((id.clone(), shoe.id.shoe_no)).or_default().voids.push(voided),
                None => self.late.remember(voided, shoe.clone()),
            }
        }
        Ok(())
    }

    /// Void rounds whose last seed has come, or whose seeds cannot come any more.
    fn finish_late(&mut self, index: u64, entry: &Entry, id: &TableId, remembered: &[u64]) -> Vec<ShoeCheck> {
        self.late.shoes_out(id, entry);
        let mut ready = Vec::new();
        for event in &entry.events {
            let Event::SeedLate { round_no, player, seed } = event else { continue };
            match self.late.seed_late(index, id, *round_no, player, seed) {
                Some(Complete::Waits(shoe_no, voided)) => {
                    self.shoes.entry((id.clone(), shoe_no)).or_default().voids.push(voided)
                }
                Some(Complete::Ready(check)) => ready.push(check),
                None => {}
            }
        }
        ready.extend(self.late.forgotten(id, remembered));
        ready
    }

    /// The values that must stand once in a log, from the entries since the last call.
    pub fn take_once(&mut self) -> Vec<Once> {
        std::mem::take(&mut self.once)
    }

    /// How many cards of the shoes in use at a table were shown, and spins of its wheel.
    pub fn cards_shown(&self, table: &Table) -> u64 {
        let shoes = shoes_of(table);
        let claims = shoes.iter().filter_map(|shoe| self.shoes.get(&(table.id.clone(), shoe.id.shoe_no)));
        claims.map(|claims| claims.faces.len() as u64).sum()
    }

    /// Rounds of tables that were void for want of seeds, and whose seeds have not come.
    pub fn awaiting_late_seeds(&self) -> impl Iterator<Item = &UnjudgedVoid> {
        self.late.waiting()
    }

    fn checks(&mut self, index: u64, entry: &Entry, id: &TableId, shoes: &[Arc<Shoe>]) -> Vec<ShoeCheck> {
        let check = |shoe: &Arc<Shoe>, seeds, claims| ShoeCheck {
            entry: index,
            shoe: shoe.clone(),
            seeds,
            sealed: None,
            claims,
            derived_before: false,
        };
        let mut work = Vec::new();
        for event in &entry.events {
            match event {
                Event::RoundOpened { pick, others, .. } if !others.is_empty() => {
                    let seeds = (0..=u8::MAX).filter(|k| k != pick).zip(others.iter().cloned()).collect();
                    work.extend(shoes.last().map(|shoe| check(shoe, seeds, ShoeClaims::default())));
                }
                Event::ShoeRevealed { shoe_no, seeds, .. } => {
                    let claims = self.shoes.remove(&(id.clone(), *shoe_no)).unwrap_or_default();
                    let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == *shoe_no);
                    work.extend(
                        shoe.map(|shoe| check(shoe, (0..=u8::MAX).zip(seeds.iter().cloned()).collect(), claims)),
                    );
                }
                Event::ShoeSealed { shoe_no, openings } => {
                    let claims = self.shoes.remove(&(id.clone(), *shoe_no)).unwrap_or_default();
                    let shoe = shoes.iter().find(|shoe| shoe.id.shoe_no == *shoe_no);
                    work.extend(
                        shoe.map(|shoe| ShoeCheck {
                            sealed: Some(openings.clone()),
                            ..check(shoe, Vec::new(), claims)
                        }),
                    );
                }
                _ => {}
            }
        }
        work
    }
}

/// An entry that the piece went no further with, and found nothing in: no piece does that.
fn nothing_found(index: u64) -> Finding {
    Finding::at(Check::Broken, index, None, "the entry was not decided")
}
