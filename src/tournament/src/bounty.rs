//! Heads and won totals (spec/games/tournaments.md, section 10).

use crate::amount::{EntryNo, OutOfRange, add, split, sum};
use crate::structure::OntoHead;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The bounty of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounty {
    /// The head: the player who eliminates them wins it. Cents.
    pub head: u64,
    /// Won and not paid yet, in cents.
    pub won: u64,
}

impl Bounty {
    /// The "current bounty" of a refund (ruling A001.o).
    pub fn current(&self) -> Result<u64, OutOfRange> {
        add(self.head, self.won)
    }
}

/// Why an operation on bounties is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BountyError {
    /// There is no such entry in play.
    #[error("entry {0} is not in play")]
    Unknown(EntryNo),
    /// The eliminated entry is among the winners, or a winner is named twice, or there are no winners.
    #[error("the winners must be others than the eliminated, each once")]
    Winners,
    /// An amount is out of range.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

/// The bounties of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounties {
    onto_head: OntoHead,
    in_the_money: bool,
    /// The entries in play.
    pub of: BTreeMap<EntryNo, Bounty>,
    /// The amounts paid, by entry.
    pub paid: BTreeMap<EntryNo, u64>,
}

/// One winner's part of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Won {
    /// The winner.
    pub entry_no: EntryNo,
    /// The part added to their won total; for an elimination in an unpaid place it includes a part of the eliminated
    /// player's total.
    pub to_total: u64,
    /// The part added to their head.
    pub onto_head: u64,
}

impl Bounties {
    /// An event's bounties before its first entry.
    pub fn new(onto_head: OntoHead) -> Bounties {
        Bounties { onto_head, in_the_money: false, of: BTreeMap::new(), paid: BTreeMap::new() }
    }

    /// Adds an entry with its head.
    pub fn enter(&mut self, entry_no: EntryNo, head: u64) {
        self.of.insert(entry_no, Bounty { head, won: 0 });
    }

    /// An elimination. `winners` are the winners of the last pot for which the eliminated player was eligible, from the
    /// left of the button, each once (ruling A001.p).
    ///
    /// # Errors
    /// If the names are impossible; the state is unchanged.
    pub fn eliminate(&mut self, out: EntryNo, winners: &[EntryNo], paid_place: bool) -> Result<Vec<Won>, BountyError> {
        let bounty = *self.of.get(&out).ok_or(BountyError::Unknown(out))?;
        self.check_winners(out, winners)?;
        let heads = split(bounty.head, winners.len());
        let totals = split(if paid_place { 0 } else { bounty.won }, winners.len());
        let parts = winners.iter().zip(heads.into_iter().zip(totals)).map(|(&entry_no, (head, total))| {
            let cashed = match self.onto_head {
                OntoHead::None => head,
                OntoHead::Half => head / 2,
                OntoHead::All => 0,
            };
            Ok(Won { entry_no, to_total: add(cashed, total)?, onto_head: head.saturating_sub(cashed) })
        });
        let parts = parts.collect::<Result<Vec<_>, BountyError>>()?;
        self.fall(out, bounty, paid_place, &parts)?;
        Ok(parts)
    }

    /// A disqualification: head and total are shared by all others, without halving (section 10.7).
    ///
    /// # Errors
    /// If the entry is not in play, or no other entry is.
    pub fn disqualify(&mut self, out: EntryNo) -> Result<Vec<Won>, BountyError> {
        let bounty = *self.of.get(&out).ok_or(BountyError::Unknown(out))?;
        let others: Vec<EntryNo> = self.of.keys().copied().filter(|entry_no| *entry_no != out).collect();
        self.check_winners(out, &others)?;
        let parts: Vec<Won> = others
            .iter()
            .zip(split(bounty.current()?, others.len()))
            .map(|(&entry_no, to_total)| Won { entry_no, to_total, onto_head: 0 })
            .collect();
        self.fall(out, bounty, false, &parts)?;
        Ok(parts)
    }

    /// The paid places are reached: won totals are paid, now and at the end of each later hand (rule R001.22).
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn reach_money(&mut self) -> Result<(), BountyError> {
        self.in_the_money = true;
        self.pay_totals()
    }

    /// The end of a hand: pays won totals, once the paid places are reached.
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn end_hand(&mut self) -> Result<(), BountyError> {
        if self.in_the_money { self.pay_totals() } else { Ok(()) }
    }

    /// The end of the event: the remaining players are paid head and total (ruling A001.o).
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn finish(&mut self) -> Result<(), BountyError> {
        self.pay_totals()?;
        for (entry_no, bounty) in std::mem::take(&mut self.of) {
            self.pay(entry_no, bounty.head)?;
        }
        Ok(())
    }

    /// The sum of paid, head and won amounts. It always equals the amount collected.
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn total(&self) -> Result<u64, OutOfRange> {
        let standing = self.of.values().map(Bounty::current).collect::<Result<Vec<_>, _>>()?;
        add(sum(standing)?, sum(self.paid.values().copied())?)
    }

    fn check_winners(&self, out: EntryNo, winners: &[EntryNo]) -> Result<(), BountyError> {
        let mut once = winners.to_vec();
        once.sort_unstable();
        once.dedup();
        if winners.is_empty() || once.len() != winners.len() || winners.contains(&out) {
            return Err(BountyError::Winners);
        }
        winners.iter().find(|winner| !self.of.contains_key(winner)).map_or(Ok(()), |&w| Err(BountyError::Unknown(w)))
    }

    fn fall(&mut self, out: EntryNo, bounty: Bounty, paid_place: bool, parts: &[Won]) -> Result<(), BountyError> {
        for part in parts {
            let winner = self.of.get_mut(&part.entry_no).ok_or(BountyError::Unknown(part.entry_no))?;
            winner.head = add(winner.head, part.onto_head)?;
            winner.won = add(winner.won, part.to_total)?;
        }
        self.of.remove(&out);
        if paid_place { self.pay(out, bounty.won) } else { Ok(()) }
    }

    fn pay_totals(&mut self) -> Result<(), BountyError> {
        let due: Vec<(EntryNo, u64)> =
            self.of.iter_mut().map(|(&entry_no, bounty)| (entry_no, std::mem::take(&mut bounty.won))).collect();
        due.into_iter().try_for_each(|(entry_no, won)| self.pay(entry_no, won))
    }

    fn pay(&mut self, entry_no: EntryNo, cents: u64) -> Result<(), BountyError> {
        if cents > 0 {
            let paid = self.paid.entry(entry_no).or_default();
            *paid = add(*paid, cents)?;
        }
        Ok(())
    }
}
