//! Prices and chips of entries, the end of registration, the pool and its overlay (spec/games/tournaments.md, section
//! 4).

use crate::amount::{OutOfRange, add, share_of, sum};
use crate::clock::{break_over, within_levels};
use crate::prize::places_paid;
use crate::structure::Structure;
use serde::{Deserialize, Serialize};

/// The event's sales so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sold {
    /// Entries, including re-entries, without those that were taken back.
    pub entries: u64,
    /// Entries with a bounty.
    pub with_bounty: u64,
    /// Rebuys.
    pub rebuys: u64,
    /// Add-ons.
    pub add_ons: u64,
}

/// The money and chips of these sales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collected {
    /// Cents for prizes.
    pub pool: u64,
    /// Cents for the house.
    pub fees: u64,
    /// Cents for bounties.
    pub bounties: u64,
    /// Chips brought into play.
    pub chips: u64,
}

/// The state of an event when a player asks to enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its sales.
    pub sold: Sold,
    /// The number of players who ever entered.
    pub players: u64,
    /// The number of players who are not out; a player who may still rebuy is not out.
    pub remaining: u64,
    /// Running time, once the event has begun.
    pub running: Option<u64>,
    /// Whether the paid places were ever reached; this never becomes false again.
    pub was_itm: bool,
}

/// Why registration is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// The time for registration is over (rule R001.96).
    #[error("late registration is over")]
    Schedule,
    /// The field is full (rule R001.97).
    #[error("the field is full")]
    Full,
    /// The paid places are reached (rule R001.18).
    #[error("the paid places are reached")]
    Itm,
}

/// The pool, and the part that the house adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Cents for prizes.
    pub pool: u64,
    /// The house's part of it.
    pub overlay: u64,
}

/// The money and chips collected (section 4.6).
///
/// # Errors
/// If an amount is out of range.
pub fn collected(structure: &Structure, sold: &Sold) -> Result<Collected, OutOfRange> {
    let entry = &structure.entry;
    let rebuy = structure.rebuy.as_ref().map_or((0, 0, 0), |terms| (terms.price, terms.fee, terms.chips));
    let add_on = structure.add_on.as_ref().map_or((0, 0, 0), |terms| (terms.price, terms.fee, terms.chips));
    let total = |of_entry: u64, of_rebuy: u64, of_add_on: u64| {
        sum([
            share_of(sold.entries, of_entry, 1)?,
            share_of(sold.rebuys, of_rebuy, 1)?,
            share_of(sold.add_ons, of_add_on, 1)?,
        ])
    };
    Ok(Collected {
        pool: total(entry.buy_in, rebuy.0, add_on.0)?,
        fees: total(entry.fee, rebuy.1, add_on.1)?,
        bounties: share_of(sold.with_bounty, entry.bounty, 1)?,
        chips: total(entry.stack, rebuy.2, add_on.2)?,
    })
}

/// The price of an entry, bounty included.
pub fn price(structure: &Structure) -> Result<u64, OutOfRange> {
    sum([structure.entry.buy_in, structure.entry.fee, structure.entry.bounty])
}

/// Whether the next player eliminated gets a prize (ruling A001.k): at equality the event is in the money.
pub fn is_itm(remaining: u64, places: u64) -> bool {
    remaining <= places
}

/// Whether the paid places, if reached now, would cut late registration short.
pub fn would_cut_short(structure: &Structure, players: u64, running: u64) -> bool {
    within_levels(structure, structure.late_levels, running) && players < structure.entry.players_max
}

/// The pool that decides how many places are paid (section 4.8). If registration is cut short, the guarantee does not
/// apply, so it must not count in this decision.
pub fn pool_for_places(structure: &Structure, collected: u64, would_cut_short: bool) -> u64 {
    if would_cut_short { collected } else { collected.max(structure.guarantee) }
}

/// Whether the event is in the money now, by the structure's rows for the entries so far (section 4.8).
pub fn itm_now(structure: &Structure, field: &Field) -> Result<bool, OutOfRange> {
    let Some(running) = field.running else { return Ok(false) };
    let cuts = would_cut_short(structure, field.players, running);
    let pool = pool_for_places(structure, collected(structure, &field.sold)?.pool, cuts);
    Ok(is_itm(field.remaining, places_paid(structure, field.sold.entries, field.players, pool)))
}

/// Whether pool and prizes are final: registration, rebuys and add-ons have ended (rule R001.17).
///
/// # Errors
/// If an amount is out of range.
pub fn is_final(structure: &Structure, field: &Field) -> Result<bool, OutOfRange> {
    let Some(running) = field.running else { return Ok(false) };
    let rebuys = structure.rebuy.as_ref().is_some_and(|terms| within_levels(structure, terms.levels, running));
    let add_on = structure.add_on.as_ref().is_some_and(|terms| !break_over(structure, terms.after_level, running));
    Ok(registration(structure, field)?.is_err() && !rebuys && !add_on)
}

/// Whether a balance covers an entry, rebuy or add-on (rule R001.95).
pub fn covers(balance: u64, price: u64, fee: u64, bounty: u64) -> Result<bool, OutOfRange> {
    Ok(balance >= sum([price, fee, bounty])?)
}

/// The registration time in force at `now`, out of two: a change applies from its own time on, never to times before it
/// (rule R001.100).
pub fn in_force<T>(before: T, changed: T, changed_at: u64, now: u64) -> T {
    if now < changed_at { before } else { changed }
}

/// Whether a player may enter; if not, the reason (section 4.7).
///
/// # Errors
/// If an amount is out of range.
pub fn registration(structure: &Structure, field: &Field) -> Result<Result<(), Closed>, OutOfRange> {
    let by_schedule = |running: u64| within_levels(structure, structure.late_levels, running);
    Ok(if field.running.is_some_and(|running| !by_schedule(running)) {
        Err(Closed::Schedule)
    } else if field.players >= structure.entry.players_max {
        // Checked before the paid places: in the money no entries are sold, so the field was full first.
        Err(Closed::Full)
    } else if field.was_itm || itm_now(structure, field)? {
        Err(Closed::Itm)
    } else {
        Ok(())
    })
}

/// Whether an entry can be taken back (rules R001.98, R001.99): before `starts_at` less the structure's time.
pub fn may_unregister(structure: &Structure, starts_at: u64, now: u64, non_unregisterable: bool) -> bool {
    let end = structure.unregister_ms.and_then(|ms| starts_at.checked_sub(ms));
    !non_unregisterable && end.is_some_and(|end| now < end)
}

/// The pool (rules R001.94, R001.18): if the paid places cut registration short, the guarantee does not apply.
///
/// # Errors
/// If an amount is out of range.
pub fn pool(collected: u64, guarantee: u64, cut_short: bool) -> Result<Pool, OutOfRange> {
    let overlay = if cut_short { 0 } else { guarantee.saturating_sub(collected) };
    Ok(Pool { pool: add(collected, overlay)?, overlay })
}

/// Whether hand-for-hand is played (section 7.4).
pub fn hand_for_hand(
    structure: &Structure,
    remaining: u64,
    places: u64,
    tables: usize,
    registration_over: bool,
) -> bool {
    let near = places.saturating_add(u64::from(structure.hand_for_hand));
    registration_over && structure.hand_for_hand > 0 && tables > 1 && places < remaining && remaining <= near
}
