//! A structure: the data that fixes an event completely (spec/games/tournaments.md, section 2).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest text that is read, in bytes: an entry of the log holds one.
pub const MAX_STRUCTURE_BYTES: usize = 65_535;
/// The most players of an event.
pub const MAX_PLAYERS: u64 = 20_000;
/// The most seats of a table.
pub const MAX_SEATS: u8 = 10;
/// The most players of a deal, so that its sets can be counted.
pub const MAX_DEAL: u8 = 10;

pub(crate) const MAX_CENTS: u64 = 1_000_000_000_000;
pub(crate) const MAX_CHIPS: u64 = 1_000_000_000;
const WEEK_MS: u64 = 604_800_000;
const DAY_MS: u64 = 86_400_000;
const HALF_MINUTE_MS: u64 = 30_000;
const HOUR_MS: u64 = 3_600_000;
const TEN_MINUTES_MS: u64 = 600_000;

/// Why a structure is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// The text is longer than a structure may be.
    #[error("a structure is at most {MAX_STRUCTURE_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The text is not the JSON of a structure.
    #[error("not a structure: {0}")]
    Malformed(String),
    /// The text is well-formed, but contradicts itself or a bound.
    #[error("the structure contradicts itself: {0}")]
    Contradiction(&'static str),
}

/// The rule set of the hands, and its digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedRules {
    /// The rule set's name.
    pub name: String,
    /// Its digest, 64 lower-case hexadecimal digits.
    pub digest: String,
}

/// The price of an entry, and its chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryTerms {
    /// Cents to the pool.
    pub buy_in: u64,
    /// Cents to the house.
    pub fee: u64,
    /// Cents onto the entrant's head.
    pub bounty: u64,
    /// The starting stack in chips.
    pub stack: u64,
    /// If fewer players have entered at the start, the event is cancelled.
    pub players_min: u64,
    /// With so many players the field is full.
    pub players_max: u64,
    /// The most entries of one player; 1: no re-entry.
    pub entries_per_player: u8,
}

/// Rebuys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RebuyTerms {
    /// Cents to the pool.
    pub price: u64,
    /// Cents to the house.
    pub fee: u64,
    /// The chips it brings.
    pub chips: u64,
    /// The most rebuys of one entry.
    pub most: u8,
    /// The most chips with which a player may rebuy.
    pub stack_at_most: u64,
    /// The number of levels with rebuys.
    pub levels: u16,
    /// Milliseconds for the decision of a player without chips.
    pub time_ms: u64,
}

/// The add-on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddOnTerms {
    /// Cents to the pool.
    pub price: u64,
    /// Cents to the house.
    pub fee: u64,
    /// The chips it brings.
    pub chips: u64,
    /// It is sold in the break after this level.
    pub after_level: u16,
}

/// A level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The small blind.
    pub small: u64,
    /// The big blind.
    pub big: u64,
    /// The third blind, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub third: Option<u64>,
    /// The ante of every player.
    pub ante: u64,
    /// Its length in milliseconds of running time.
    pub ms: u64,
}

/// A break after a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakAfter {
    /// The level before it.
    pub level: u16,
    /// Its length in milliseconds.
    pub ms: u64,
}

/// The breaks (rule R001.102).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Breaks {
    /// After levels of this event.
    After(Vec<BreakAfter>),
    /// At the same time of day in all events.
    Synchronised {
        /// The period, in milliseconds of UTC.
        every_ms: u64,
        /// The start of a break within the period.
        at_ms: u64,
        /// Its length in milliseconds.
        ms: u64,
    },
}

/// Places with the same share: from the one after the range before up to `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Places {
    /// The last place.
    pub to: u64,
    /// The share of each place.
    pub share: u64,
}

/// The payouts from a number of entries on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayoutRow {
    /// The least number of entries.
    pub from: u64,
    /// The places, best first.
    pub places: Vec<Places>,
}

/// The prizes of a satellite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SatelliteTerms {
    /// The event in which the seats are.
    pub target: String,
    /// Its buy-in, bounty included.
    pub buy_in: u64,
    /// Its fee.
    pub fee: u64,
    /// Whether such a seat cannot be taken back (rule R001.99).
    pub non_unregisterable: bool,
}

/// Prizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Payouts {
    /// Parts of the pool.
    Rows(Vec<PayoutRow>),
    /// Seats in another event.
    Satellite(SatelliteTerms),
}

/// The part of a won bounty that goes onto the winner's head (ruling A001.o).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OntoHead {
    /// No part: the bounty is paid whole.
    None,
    /// The larger half, bounty − floor(bounty / 2): progressive bounties.
    Half,
    /// The whole bounty.
    All,
}

/// The entries with a bounty (rule R001.106).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BountyOn {
    /// Every entry.
    All,
    /// The entries that the operator names.
    Some,
}

/// Deals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealTerms {
    /// A deal is possible with so many players remaining, or fewer.
    pub most_players: u8,
}

/// Times of a hand and of seeds, in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clocks {
    /// A turn.
    pub turn_ms: u64,
    /// The time bank.
    pub bank_ms: u64,
    /// The refill of the time bank for each hand.
    pub bank_refill_ms: u64,
    /// Extra time of a disconnected player, late (rule R001.104).
    pub late_extra_ms: u64,
    /// The late stage begins with so many players remaining.
    pub late_players: u64,
    /// For the commitments of a hand.
    pub commit_ms: u64,
    /// For seeds.
    pub reveal_ms: u64,
    /// How long a table is between two hands at least, so that people see how the last one ended; absent: no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_hands_ms: Option<u64>,
}

/// How the pool is divided in a refund (ruling A001.j).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundMethod {
    /// By the formula of document 001.
    Document,
    /// By chips alone.
    ChipCount,
}

/// A structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Structure {
    /// Its name: `[a-z0-9_-][a-z0-9._-]{0,63}`.
    pub name: String,
    /// The rules of the hands.
    pub rules: NamedRules,
    /// The most players at a table.
    pub seats: u8,
    /// Entries.
    pub entry: EntryTerms,
    /// The least pool; 0: none (rule R001.94).
    pub guarantee: u64,
    /// The number of levels with late registration.
    pub late_levels: u16,
    /// Milliseconds before the start at which unregistering ends; `None`: unregistering is off (rule R001.98).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unregister_ms: Option<u64>,
    /// Rebuys, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuy: Option<RebuyTerms>,
    /// The add-on, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_on: Option<AddOnTerms>,
    /// Blinds.
    pub levels: Vec<Level>,
    /// Breaks.
    pub breaks: Breaks,
    /// Prizes.
    pub payouts: Payouts,
    /// Which part of a won bounty goes onto the winner's head.
    pub bounty_onto_head: OntoHead,
    /// The entries with a bounty.
    pub bounty_on: BountyOn,
    /// Deals, if they are allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<DealTerms>,
    /// Whether stakes are sold.
    pub staking: bool,
    /// Hand-for-hand begins with so many players above the paid places; 0: never.
    pub hand_for_hand: u8,
    /// Whether the last table's seats are drawn anew.
    pub final_redraw: bool,
    /// Times.
    pub clocks: Clocks,
    /// The number of hands that a later draw waits.
    pub draw_hands: u8,
    /// Milliseconds after a disruption within which play may go on (ruling A001.ss).
    pub cancel_after_ms: u64,
    /// How a refund divides the pool.
    pub refund_method: RefundMethod,
}

fairshoe_fairness::own_json!(Structure);

impl Structure {
    /// Parses and validates.
    pub fn from_json(text: &str) -> Result<Structure, StructureError> {
        if text.len() > MAX_STRUCTURE_BYTES {
            return Err(StructureError::TooLong(text.len()));
        }
        let structure =
            Structure::parse_json(text.as_bytes()).map_err(|error| StructureError::Malformed(error.to_string()))?;
        structure.validate()?;
        Ok(structure)
    }

    /// A structure that the product ships.
    pub fn shipped(name: &str) -> Option<Structure> {
        let (_, text) = crate::SHIPPED_STRUCTURES.iter().find(|(shipped, _)| *shipped == name)?;
        Structure::from_json(text).ok()
    }

    /// Whether this digest is that of the shipped structure of this name. A name that is not shipped makes no such
    /// promise.
    pub fn is_as_shipped(&self, digest: &str) -> bool {
        Structure::shipped(&self.name).is_none_or(|shipped| shipped.digest() == digest)
    }

    /// The text under the digest: JSON without white space, the keys of every object ascending.
    pub fn canonical(&self) -> String {
        // A structure holds only what JSON can hold. The sort is for builds in which another crate switches on
        // serde_json's `preserve_order`: the digest must not depend on how the service was built.
        let sorted = serde_json::to_value(self).map(|mut value| {
            value.sort_all_objects();
            value.to_string()
        });
        sorted.unwrap_or_default()
    }

    /// The digest that stands on the log.
    pub fn digest(&self) -> String {
        let hash = Sha256::new().chain_update(b"fairshoe/v1/structure\0").chain_update(self.canonical());
        hex::encode(hash.finalize())
    }

    /// Whether the structure is consistent; the reason if not.
    pub fn validate(&self) -> Result<(), StructureError> {
        self.validate_names()?;
        self.validate_entry()?;
        self.validate_levels()?;
        self.validate_payouts()?;
        self.validate_play()
    }

    fn validate_names(&self) -> Result<(), StructureError> {
        check(is_name(&self.name) && is_name(&self.rules.name), "a name must be [a-z0-9_-][a-z0-9._-]{0,63}")?;
        let hexadecimal = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let digest = self.rules.digest.as_bytes();
        check(
            digest.len() == 64 && digest.iter().all(|&b| hexadecimal(b)),
            "rules.digest must be 64 hexadecimal digits",
        )
    }

    fn validate_entry(&self) -> Result<(), StructureError> {
        let entry = &self.entry;
        check((1..=MAX_CENTS).contains(&entry.buy_in), "entry.buy_in must be 1 to 10^12")?;
        check(entry.fee <= MAX_CENTS && entry.bounty <= MAX_CENTS, "entry.fee and entry.bounty are at most 10^12")?;
        check((1..=MAX_CHIPS).contains(&entry.stack), "entry.stack must be 1 to 10^9")?;
        check(
            2 <= entry.players_min && entry.players_min <= entry.players_max && entry.players_max <= MAX_PLAYERS,
            "2 <= players_min <= players_max <= 20000",
        )?;
        check((1..=100).contains(&entry.entries_per_player), "entries_per_player must be 1 to 100")?;
        check(self.guarantee <= MAX_CENTS, "guarantee is at most 10^12")?;
        check(self.unregister_ms.is_none_or(|ms| ms <= WEEK_MS), "unregister_ms is at most a week")?;
        check(
            entry.bounty > 0 || (self.bounty_onto_head == OntoHead::None && self.bounty_on == BountyOn::All),
            "without a bounty nothing can be said of it",
        )?;
        let extra = |price: u64, fee: u64, chips: u64| {
            check(
                price <= MAX_CENTS && fee <= MAX_CENTS && price.max(fee) > 0 && (1..=MAX_CHIPS).contains(&chips),
                "a rebuy or add-on costs something up to 10^12, and brings 1 to 10^9 chips",
            )
        };
        if let Some(rebuy) = &self.rebuy {
            check(entry.bounty == 0, "an event with bounties has no rebuys")?;
            extra(rebuy.price, rebuy.fee, rebuy.chips)?;
            check((1..=100).contains(&rebuy.most), "rebuy.most must be 1 to 100")?;
            check(rebuy.stack_at_most <= MAX_CHIPS, "rebuy.stack_at_most is at most 10^9")?;
            check(
                (1..self.levels.len()).contains(&usize::from(rebuy.levels)),
                "rebuy.levels must end before the last",
            )?;
            check((1_000..=TEN_MINUTES_MS).contains(&rebuy.time_ms), "rebuy.time_ms must be 1000 to 600000")?;
        }
        let Some(add_on) = &self.add_on else { return Ok(()) };
        extra(add_on.price, add_on.fee, add_on.chips)?;
        let Breaks::After(after) = &self.breaks else { return check(false, "an add-on needs a break after its level") };
        check(after.iter().any(|pause| pause.level == add_on.after_level), "an add-on needs a break after its level")
    }

    fn validate_levels(&self) -> Result<(), StructureError> {
        check((1..=200).contains(&self.levels.len()), "1 to 200 levels")?;
        check(usize::from(self.late_levels) < self.levels.len(), "late_levels must end before the last")?;
        for level in &self.levels {
            let top = level.third.unwrap_or(level.big);
            check(
                1 <= level.small && level.small <= level.big && level.big <= top && top <= MAX_CHIPS,
                "1 <= small <= big <= third <= 10^9",
            )?;
            check(level.ante <= level.big, "an ante is at most the big blind")?;
            check((1_000..=DAY_MS).contains(&level.ms), "a level lasts a second to a day")?;
        }
        let rises = |pair: &[Level]| {
            matches!(pair, [before, after] if before.small <= after.small && before.big <= after.big
                && before.third.unwrap_or(0) <= after.third.unwrap_or(0))
        };
        check(self.levels.windows(2).all(rises), "blinds never fall")?;
        match &self.breaks {
            Breaks::After(after) => {
                check(
                    after.windows(2).all(|pair| matches!(pair, [before, next] if before.level < next.level)),
                    "breaks must ascend by level",
                )?;
                check(
                    after.iter().all(|pause| (1..self.levels.len()).contains(&usize::from(pause.level))),
                    "a break comes after a level before the last",
                )?;
                check(
                    after.iter().all(|pause| (1_000..=HOUR_MS).contains(&pause.ms)),
                    "a break lasts a second to an hour",
                )
            }
            Breaks::Synchronised { every_ms, at_ms, ms } => check(
                *ms >= 1_000
                    && *every_ms <= DAY_MS
                    && at_ms.checked_add(*ms).is_some_and(|end| end <= *every_ms)
                    && ms < every_ms,
                "a synchronised break lies within its period, of at most a day",
            ),
        }
    }

    fn validate_payouts(&self) -> Result<(), StructureError> {
        match &self.payouts {
            Payouts::Rows(rows) => PayoutRow::validate_all(rows, self.entry.players_min),
            Payouts::Satellite(terms) => {
                check(is_name(&terms.target) && terms.target.len() <= 56, "the target must be an event's name")?;
                check(
                    (1..=MAX_CENTS).contains(&terms.buy_in) && terms.fee <= MAX_CENTS,
                    "the target's buy_in must be 1 to 10^12, its fee at most that",
                )?;
                check(self.deal.is_none() && !self.staking, "a satellite has no deals and no staking")
            }
        }
    }

    fn validate_play(&self) -> Result<(), StructureError> {
        let clocks = &self.clocks;
        check((2..=MAX_SEATS).contains(&self.seats), "2 to 10 seats")?;
        check(
            self.deal.as_ref().is_none_or(|deal| (2..=MAX_DEAL).contains(&deal.most_players)),
            "deal.most_players must be 2 to 10",
        )?;
        check(self.hand_for_hand <= 10 && self.draw_hands <= 8, "hand_for_hand is at most 10, draw_hands 8")?;
        check((1_000..=HOUR_MS).contains(&clocks.turn_ms), "clocks.turn_ms must be 1000 to 3600000")?;
        check(
            clocks.bank_ms.max(clocks.bank_refill_ms).max(clocks.late_extra_ms) <= HOUR_MS,
            "times of the clocks are at most an hour",
        )?;
        check(clocks.late_players <= MAX_PLAYERS, "clocks.late_players is at most 20000")?;
        check(
            [clocks.commit_ms, clocks.reveal_ms].iter().all(|ms| (1_000..=TEN_MINUTES_MS).contains(ms)),
            "clocks.commit_ms and clocks.reveal_ms must be 1000 to 600000",
        )?;
        check(
            clocks.between_hands_ms.is_none_or(|ms| ms <= HALF_MINUTE_MS),
            "clocks.between_hands_ms is at most 30000",
        )?;
        check(self.cancel_after_ms <= DAY_MS, "cancel_after_ms is at most a day")
    }
}

impl PayoutRow {
    /// Whether these are the rows of an event of at least so many players.
    pub(crate) fn validate_all(rows: &[PayoutRow], players_min: u64) -> Result<(), StructureError> {
        check((1..=64).contains(&rows.len()), "1 to 64 rows of payouts")?;
        check(
            rows.first().is_some_and(|row| row.from <= players_min),
            "the first row must begin at players_min or before",
        )?;
        check(
            rows.windows(2).all(|pair| matches!(pair, [before, next] if before.from < next.from)),
            "rows must ascend",
        )?;
        rows.iter().try_for_each(PayoutRow::validate)
    }

    fn validate(&self) -> Result<(), StructureError> {
        check((1..=256).contains(&self.places.len()), "1 to 256 ranges of places")?;
        check(self.places.first().is_some_and(|range| range.to >= 1), "places begin at 1")?;
        check(
            self.places
                .windows(2)
                .all(|pair| matches!(pair, [before, next] if before.to < next.to && before.share >= next.share)),
            "places must ascend, and shares never rise",
        )?;
        check(self.places.iter().all(|range| (1..=1_000_000).contains(&range.share)), "a share is 1 to 10^6")?;
        let last = self.places.last().map_or(0, |range| range.to);
        check(last <= self.from.min(10_000), "no more places are paid than there are entries, nor than 10000")
    }
}

fn check(holds: bool, why: &'static str) -> Result<(), StructureError> {
    if holds { Ok(()) } else { Err(StructureError::Contradiction(why)) }
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && !text.starts_with('.')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
}
