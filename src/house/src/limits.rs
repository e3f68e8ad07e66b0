//! Players' own limits (spec/limits.md): how much may be paid in or lost, how long they play, and until when they are
//! shut out.
//!
//! Owns: what is in force, what is counted, what is refused for it. Does not own: who a player is, or how they are told.

use crate::sharded::Sharded;
use crate::{LimitOf, LimitPeriod, MOST_NUMBER, Misfit, Refusal, is_guest};
use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A change that loosens a limit comes into force so long after it: a day.
pub const LIMIT_DELAY_MS: u64 = 86_400_000;

/// The longest exclusion: 3650 days. One that is set by mistake, which nobody can take back, ends some day.
pub const MOST_EXCLUDED_MS: u64 = 315_360_000_000;

/// Two commands of a player so far apart are two sittings, and the time between them is not play.
pub const SITTING_GAP_MS: u64 = 600_000;

/// The greatest count either way: 2⁵³ − 1.
pub(crate) const MOST_COUNT: i64 = MOST_NUMBER.cast_signed();

/// A change that loosens, which is not in force yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingLimit {
    /// As much as there may be then; absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
    /// UTC milliseconds from which on.
    pub from: u64,
}

/// A limit in force, as a `player:` line of the state has it (spec/limits.md, "The state").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerLimit {
    /// The sum or time that it counts.
    pub of: LimitOf,
    /// In what time.
    pub per: LimitPeriod,
    /// As much as there may be: minor units, or milliseconds.
    pub most: u64,
    /// As much as there was in the period; below zero where more was won than lost.
    pub count: i64,
    /// The period's end, UTC milliseconds.
    pub until: u64,
    /// The waiting change that loosens it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<WaitingLimit>,
}

impl PlayerLimit {
    /// The limit as it stands at a time; `None` where it has come to an end.
    pub(crate) fn at(mut self, time: u64) -> Option<PlayerLimit> {
        if let Some(waiting) = self.waiting.filter(|waiting| waiting.from <= time) {
            self.most = waiting.most?;
            self.waiting = None;
        }
        if self.until <= time {
            let past = (time - self.until) / self.per.ms();
            self.until = self.until.saturating_add(past.saturating_add(1).saturating_mul(self.per.ms()));
            self.count = 0;
        }
        Some(self)
    }

    /// Whether so much more is too much.
    pub(crate) fn is_passed_by(&self, more: i64) -> bool {
        i128::from(self.count) + i128::from(more) > i128::from(self.most)
    }

    /// Whether entries up to now can have made it. *Attack: a state with a limit whose period never ends, or that is
    /// lifted before a day is over.*
    pub(crate) fn can_stand(&self, now: u64) -> bool {
        let ends = self.until <= now.saturating_add(self.per.ms());
        let waits = self.waiting.is_none_or(|waiting| {
            waiting.from <= now.saturating_add(LIMIT_DELAY_MS) && waiting.most.is_none_or(|most| most > self.most)
        });
        ends && waits && (self.count >= 0 || self.of == LimitOf::Loss)
    }

    pub(crate) fn refusal(&self) -> Refusal {
        Refusal::LimitReached { of: self.of, per: self.per, until: self.until }
    }
}

/// One player's own limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowed {
    #[serde(with = "crate::snapshot_serde::pairs")]
    pub(crate) limits: BTreeMap<(LimitOf, LimitPeriod), PlayerLimit>,
    /// While a limit of play time is in force: the time of the last entry by the player that has a place.
    pub(crate) played: Option<u64>,
    /// The end of the exclusion, UTC milliseconds; zero: there was none.
    pub(crate) excluded: u64,
}

/// The same as a `player:` line has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AllowedPart {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<PlayerLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<u64>,
}

impl Allowed {
    /// As it stands at a time: what is over by then is left out.
    pub(crate) fn at(&self, time: u64) -> Allowed {
        let limits: BTreeMap<_, _> =
            self.limits.iter().filter_map(|(pair, limit)| Some((*pair, limit.at(time)?))).collect();
        let is_timed =
            |limits: &BTreeMap<(LimitOf, LimitPeriod), PlayerLimit>| limits.keys().any(|(of, _)| of.is_time());
        let played = self.played.filter(|played| time.saturating_sub(*played) <= SITTING_GAP_MS && is_timed(&limits));
        Allowed { limits, played, excluded: if self.excluded > time { self.excluded } else { 0 } }
    }

    pub(crate) fn of(&self, of: LimitOf) -> impl Iterator<Item = &PlayerLimit> {
        self.limits.values().filter(move |limit| limit.of == of)
    }

    /// The limit of play time that is used up, if one is.
    pub(crate) fn spent_time(&self) -> Option<&PlayerLimit> {
        self.of(LimitOf::PlayTime).find(|limit| limit.is_passed_by(1))
    }

    pub(crate) fn count(&mut self, of: LimitOf, more: i64) {
        for limit in self.limits.values_mut().filter(|limit| limit.of == of) {
            limit.count = limit.count.saturating_add(more).clamp(-MOST_COUNT, MOST_COUNT);
        }
    }

    /// Whether it allows everything, now and later.
    pub(crate) fn is_nothing(&self) -> bool {
        self.limits.is_empty() && self.excluded == 0
    }
}

/// All players' own limits. A player without any is not in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Limits(pub(crate) Sharded<PlayerId, Allowed>);

impl Limits {
    pub(crate) fn at(&self, player: &PlayerId, time: u64) -> Option<Allowed> {
        self.0.get(player).map(|allowed| allowed.at(time))
    }

    pub(crate) fn put(&mut self, player: &PlayerId, allowed: Allowed) {
        match allowed.is_nothing() {
            true => drop(self.0.remove(player)),
            false => drop(self.0.insert(player.clone(), allowed)),
        }
    }

    pub(crate) fn change(&mut self, player: &PlayerId, time: u64, change: impl FnOnce(&mut Allowed)) {
        let mut allowed = self.at(player, time).unwrap_or_default();
        change(&mut allowed);
        self.put(player, allowed);
    }

    /// As a `player:` line has it.
    pub fn part(&self, player: &PlayerId, now: u64) -> AllowedPart {
        let Some(allowed) = self.at(player, now) else { return AllowedPart::default() };
        AllowedPart {
            limits: allowed.limits.into_values().collect(),
            played: allowed.played,
            excluded: Some(allowed.excluded).filter(|until| *until > 0),
        }
    }

    /// Takes in a player's part of a noted state. Limits that are over are not written again: the root shows that.
    pub fn take(&mut self, player: &PlayerId, part: AllowedPart, now: u64) -> Result<(), Misfit> {
        let AllowedPart { limits, played, excluded } = part;
        let nothing = limits.is_empty() && played.is_none() && excluded.is_none();
        let lasts = excluded.is_none_or(|until| until <= now.saturating_add(MOST_EXCLUDED_MS));
        let fits = limits.iter().all(|limit| limit.can_stand(now)) && played.is_none_or(|played| played <= now);
        if !nothing && (is_guest(player) || !lasts || !fits) {
            return Err(Misfit::Limits(player.clone()));
        }
        let limits = limits.into_iter().map(|limit| ((limit.of, limit.per), limit)).collect();
        self.put(player, Allowed { limits, played, excluded: excluded.unwrap_or_default() });
        Ok(())
    }
}

impl Allowed {
    pub(crate) fn set(&mut self, time: u64, (of, per): (LimitOf, LimitPeriod), most: Option<u64>, from: Option<u64>) {
        match (self.limits.get_mut(&(of, per)), from, most) {
            (Some(limit), Some(from), _) => limit.waiting = Some(WaitingLimit { most, from }),
            (Some(limit), None, Some(most)) => (limit.most, limit.waiting) = (most, None),
            (None, None, Some(most)) => {
                let until = time.saturating_add(per.ms());
                self.limits.insert((of, per), PlayerLimit { of, per, most, count: 0, until, waiting: None });
            }
            // No house sets nothing, or lets what is not there wait; the auditor has refused such an entry before.
            (_, None, None) | (None, Some(_), _) => {}
        }
    }
}
