//! The entries of a file: their forms, their checks, and their holdings over time (spec/games/refunds.md, 9.3).

use super::{CancelledForm, EntryForm, FileError, MAX_ENTRIES, MAX_PARTS, Pay};
use crate::amount::{EntryNo, add, count, sum};
use crate::refund::Held;
use crate::staking::{Stake, sell};
use crate::structure::{BountyOn, Structure};
use fairshoe_fairness::PlayerId;
use std::collections::BTreeMap;

/// The state of an entry at the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has chips; in an event that has not started, it is registered.
    In,
    /// It has no chips.
    Out,
    /// It was taken back before the start.
    Unregistered,
    /// It was made after the instant.
    After,
}

/// One entry.
pub struct One<'a> {
    pub entry_no: EntryNo,
    pub player: Option<&'a PlayerId>,
    pub place: Place,
    /// The price of the entry: buy-in, fee, bounty.
    pub cost: (u64, u64, u64),
    pub pay: Pay,
    /// The part of the price paid in T$.
    pub t_dollars: u64,
    pub stakes: Vec<(&'a PlayerId, Stake)>,
    /// Rebuys and add-on after the instant: prices and fees.
    pub since: (u64, u64),
    pub re_entry: bool,
    /// The entry's holdings in order of time; empty for an entry that does not count.
    pub held: Vec<Held>,
}

impl One<'_> {
    /// The holdings at the instant.
    pub fn last(&self) -> Option<&Held> {
        self.held.last()
    }
}

/// Reads all entries.
pub fn entries<'a>(file: &'a CancelledForm, structure: &Structure) -> Result<Vec<One<'a>>, FileError> {
    let mut all: Vec<One<'a>> = Vec::new();
    let mut players: BTreeMap<&PlayerId, usize> = BTreeMap::new();
    let mut parts = 0u64;
    for form in &file.entries {
        let entry_no = EntryNo(count(all.len()));
        let many = form.count.unwrap_or(1);
        let total = count(all.len()).saturating_add(many);
        ensure(many >= 1 && total <= MAX_ENTRIES, entry_no, "count is at least 1, all entries together at most 65534")?;
        ensure(many == 1 || form.player.is_none(), entry_no, "one player is one entry: count goes without player")?;
        let own = [form.hands.as_ref().map_or(0, Vec::len), form.rebuys.as_ref().map_or(0, Vec::len)];
        let own = own.into_iter().chain(form.stakes.as_ref().map(Vec::len));
        parts = own.fold(parts, |parts, more| parts.saturating_add(count(more).saturating_mul(many)));
        ensure(parts <= MAX_PARTS, entry_no, "all hands, rebuys and stakes together are at most 300000")?;
        let mut first = Reading { file, structure, form, entry_no }.read()?;
        if let Some(player) = form.player.as_ref().filter(|_| first.place != Place::Unregistered) {
            let before = players.insert(player, all.len());
            first.re_entry = before.is_some();
            if first.re_entry && !first.stakes.is_empty() {
                return Err(FileError::Stakes(entry_no, "stakes are of a player's first entry".to_owned()));
            }
            // The winnings of a re-entry are shared too (tournaments.md, 12.2).
            if let Some(before) = before.and_then(|at| all.get_mut(at)).filter(|_| first.place != Place::After) {
                first.stakes = std::mem::take(&mut before.stakes);
            }
        }
        for more in 0..many {
            all.push(first.numbered(EntryNo(entry_no.0.saturating_add(more))));
        }
    }
    check_in_play_once(&all)?;
    Ok(all)
}

/// No player has two entries in play (tournaments.md, 1.2).
fn check_in_play_once(all: &[One<'_>]) -> Result<(), FileError> {
    let mut in_play = BTreeMap::new();
    for one in all.iter().filter(|one| one.place == Place::In) {
        let Some(player) = one.player else { continue };
        let before = in_play.insert(player, one.entry_no);
        ensure(before.is_none(), one.entry_no, "its player has another entry in play")?;
    }
    Ok(())
}

fn ensure(holds: bool, entry_no: EntryNo, why: &'static str) -> Result<(), FileError> {
    if holds { Ok(()) } else { Err(FileError::Entry(entry_no, why)) }
}

impl<'a> One<'a> {
    fn numbered(&self, entry_no: EntryNo) -> One<'a> {
        let held = self.held.iter().map(|held| Held { entry_no, re_entry: self.re_entry, ..*held }).collect();
        One { entry_no, held, stakes: self.stakes.clone(), ..*self }
    }
}

/// An entry that is being read.
struct Reading<'a, 's> {
    file: &'a CancelledForm,
    structure: &'s Structure,
    form: &'a EntryForm,
    entry_no: EntryNo,
}

impl<'a> Reading<'a, '_> {
    fn ensure(&self, holds: bool, why: &'static str) -> Result<(), FileError> {
        ensure(holds, self.entry_no, why)
    }

    fn read(&self) -> Result<One<'a>, FileError> {
        let Reading { file, structure, form, entry_no } = *self;
        let terms = &structure.entry;
        let at = form.at.unwrap_or(file.start.unwrap_or(file.instant));
        let unregistered = form.unregistered == Some(true);
        let counts = file.start.is_some() && at <= file.instant && !unregistered;
        let played = form.chips.is_some()
            || form.hands.is_some()
            || form.may_rebuy.is_some()
            || form.rebuys.is_some()
            || form.add_on.is_some()
            || form.head.is_some()
            || form.won.is_some();
        self.ensure(counts || !played, "what is played needs a start, and an entry by the instant that was kept")?;
        self.ensure(
            form.has_bounty.is_none() || (terms.bounty > 0 && structure.bounty_on == BountyOn::Some),
            "has_bounty is for events in which some have one",
        )?;
        let bounty = if form.has_bounty == Some(false) { 0 } else { terms.bounty };
        let cost = (terms.buy_in, terms.fee, bounty);
        let price = sum([cost.0, cost.1, cost.2])?;
        let pay = form.pay.unwrap_or_default();
        self.ensure(
            form.t_dollars.is_none_or(|part| pay == Pay::TDollars && (1..=price).contains(&part)),
            "t_dollars is for an entry paid by them, at least 1 and at most its price",
        )?;
        let t_dollars = if pay == Pay::TDollars { form.t_dollars.unwrap_or(price) } else { 0 };
        let stakes = self.stakes(at, price)?;
        let mut one = One {
            entry_no,
            player: form.player.as_ref(),
            place: if unregistered { Place::Unregistered } else { Place::After },
            cost,
            pay,
            t_dollars,
            stakes,
            since: (0, 0),
            re_entry: false,
            held: Vec::new(),
        };
        if unregistered || at > file.instant {
            return Ok(one);
        }
        self.hold(&mut one, at)?;
        let chips = one.last().map_or(0, |held| held.chips);
        one.place = if chips > 0 { Place::In } else { Place::Out };
        Ok(one)
    }

    fn stakes(&self, at: u64, price: u64) -> Result<Vec<(&'a PlayerId, Stake)>, FileError> {
        let refused = |why: String| FileError::Stakes(self.entry_no, why);
        let Some(given) = &self.form.stakes else { return Ok(Vec::new()) };
        if !self.structure.staking {
            return Err(refused("this structure has no staking".to_owned()));
        }
        if self.file.start.is_some_and(|start| at > start) {
            return Err(refused("stakes are sold before the start".to_owned()));
        }
        let mut sold: Vec<Stake> = Vec::new();
        for (buyer, basis_points) in given {
            if Some(buyer) == self.form.player.as_ref() {
                return Err(refused("nobody buys of themselves".to_owned()));
            }
            sold.push(sell(&sold, *basis_points, price).map_err(|error| refused(error.to_string()))?);
        }
        Ok(given.iter().map(|(buyer, _)| buyer).zip(sold).collect())
    }

    /// The entry's holdings, up to the instant.
    fn hold(&self, one: &mut One<'a>, at: u64) -> Result<(), FileError> {
        let Reading { file, structure, form, entry_no } = *self;
        let stack = structure.entry.stack;
        let (mut head, mut won) = (one.cost.2, 0);
        // An unknown stack may stand for chips as long as the result does not depend on it.
        let mut held = Held {
            at,
            entry_no,
            re_entry: false,
            chips: stack.max(1),
            may_rebuy: false,
            bounty: head,
            fee: one.cost.1,
            to_pool: one.cost.0,
        };
        let mut known = stack > 0 || file.start.is_none();
        let hands = form.hands.as_deref().unwrap_or_default();
        let rebuys = form.rebuys.as_deref().unwrap_or_default();
        self.ensure(form.chips.is_none() || form.hands.is_none(), "either chips at the instant or hands")?;
        self.ensure(
            hands.is_sorted_by(|one, next| one.at < next.at) && hands.first().is_none_or(|hand| hand.at >= at),
            "hands ascend by their times, from the entry on",
        )?;
        self.ensure(
            rebuys.is_sorted() && rebuys.first().is_none_or(|&time| time >= at),
            "rebuys ascend by their times, from the entry on",
        )?;
        let most = structure.rebuy.as_ref().map_or(0, |terms| terms.most);
        self.ensure(count(rebuys.len()) <= u64::from(most), "more rebuys than the structure has")?;
        self.ensure(
            form.add_on.is_none_or(|time| structure.add_on.is_some() && time >= at),
            "an add-on is one that the structure has, after the entry",
        )?;
        let no_bounty = structure.entry.bounty == 0;
        let says = |head: Option<u64>, won: Option<u64>| head.is_some() || won.is_some();
        let of_hands = hands.iter().any(|hand| says(hand.head, hand.won));
        let of_entry = says(form.head, form.won);
        self.ensure(!(no_bounty && (of_hands || of_entry)), "this structure has no bounties")?;
        self.ensure(!(of_entry && form.hands.is_some()), "with hands, head and won stand with a hand")?;
        self.ensure(
            form.may_rebuy.is_none() || (structure.rebuy.is_some() && form.chips == Some(0)),
            "may_rebuy is for who has 0 chips, where the structure has rebuys",
        )?;
        one.held.push(held);
        // At the same time the hand comes first, then purchases.
        let bought = rebuys.iter().map(|&time| (time, structure.rebuy.as_ref().map(|t| (t.price, t.fee, t.chips))));
        let added = form.add_on.map(|time| (time, structure.add_on.as_ref().map(|t| (t.price, t.fee, t.chips))));
        let mut steps: Vec<Step<'_>> = hands.iter().map(Step::Hand).collect();
        steps.extend(bought.chain(added).filter_map(|(time, terms)| terms.map(|terms| Step::Bought(time, terms))));
        steps.sort_by_key(Step::key);
        for step in steps {
            let (time, _) = step.key();
            match step {
                Step::Bought(_, (price, fee, _)) if time > file.instant => {
                    one.since = (add(one.since.0, price)?, add(one.since.1, fee)?);
                    continue;
                }
                Step::Hand(_) if time > file.instant => continue,
                Step::Hand(hand) => {
                    (head, won) = (hand.head.unwrap_or(head), hand.won.unwrap_or(won));
                    (held.chips, held.bounty, known) = (hand.chips, add(head, won)?, true);
                }
                Step::Bought(_, (price, fee, chips)) => {
                    held.chips = add(held.chips, chips)?;
                    held.fee = add(held.fee, fee)?;
                    held.to_pool = add(held.to_pool, price)?;
                }
            }
            held.at = time;
            one.held.push(held);
        }
        if let Some(chips) = form.chips {
            (head, won) = (form.head.unwrap_or(head), form.won.unwrap_or(won));
            let may_rebuy = form.may_rebuy == Some(true);
            held = Held { at: file.instant, chips, may_rebuy, bounty: add(head, won)?, ..held };
            one.held.push(held);
            known = true;
        } else if of_entry {
            held = Held { at: file.instant, bounty: add(form.head.unwrap_or(head), form.won.unwrap_or(won))?, ..held };
            one.held.push(held);
        }
        if known { Ok(()) } else { Err(FileError::NoChips(entry_no)) }
    }
}

/// A step that changes an entry's holdings.
enum Step<'a> {
    /// The end of a hand.
    Hand(&'a super::HandEnd),
    /// A rebuy or add-on: price, fee, chips.
    Bought(u64, (u64, u64, u64)),
}

impl Step<'_> {
    fn key(&self) -> (u64, bool) {
        match self {
            Step::Hand(hand) => (hand.at, false),
            Step::Bought(time, _) => (*time, true),
        }
    }
}
