//! Offences that count against players for a time: cooldowns after offences, refunds of abandoned rounds, leaving a
//! cash table early (spec/games/shared-tables.md, "The ladder"; A001.e, A001.oo). Counts and says how long; `decide/`
//! and `cash/` decide the consequences.

use crate::sharded::Sharded;
use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Offences are counted over so long: 12 hours.
const OFFENCE_WINDOW_MS: u64 = 12 * 3_600_000;

/// Refunds of abandoned rounds are counted over so long: 30 days (A001.oo).
const REFUND_WINDOW_MS: u64 = 30 * 24 * 3_600_000;

/// Minutes before the next bet after the first, second … offence; the last holds for all that follow.
const COOLDOWN_MINUTES: [u64; 5] = [0, 5, 15, 30, 60];

/// Acts that count against players over a rolling window of time: offences that bring a cooldown, refunds of abandoned
/// rounds (spec/fairness.md, "The order on the log"; C15, A001.oo).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conduct {
    offences: Sharded<PlayerId, Vec<u64>>,
    until: Sharded<PlayerId, u64>,
    refunds: Sharded<PlayerId, Vec<u64>>,
    /// By player and blinds: when they left a cash table early, and until when they may not sit at that level.
    early: Sharded<PlayerId, BTreeMap<String, Early>>,
    /// If only one table's entries are seen: the log's word on what came before them.
    stated: Sharded<PlayerId, Stated>,
}

/// Leaving cash tables of one level early (R001.14).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Early {
    times: Vec<u64>,
    until: u64,
}

/// The part of a player's conduct that counts at a time (spec/state.md, "player:NAME").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConductPart {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    offences: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refunds: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    early: Vec<(String, Vec<u64>, u64)>,
}

/// The log's word on a player's past.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    offences: u32,
    refunds: u32,
    /// The latest end of an earlier cooldown.
    until: u64,
}

/// The wait after so many offences.
fn minutes(offences: u32) -> u64 {
    let rung = usize::try_from(offences).unwrap_or(usize::MAX).min(COOLDOWN_MINUTES.len());
    COOLDOWN_MINUTES.get(rung.wrapping_sub(1)).copied().unwrap_or_default()
}

/// How many of these times lie in `(now − window, now]`.
fn recent(times: Option<&Vec<u64>>, now: u64, window: u64) -> u32 {
    let count = times.into_iter().flatten().filter(|time| now.saturating_sub(**time) < window).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Notes a time and forgets those that no longer count.
fn note(times: &mut Vec<u64>, now: u64, window: u64) {
    times.retain(|time| now.saturating_sub(*time) < window);
    times.push(now);
}

impl Conduct {
    /// UTC milliseconds before which the player may not sit or bet at a shared table; 0 if nothing stands against them.
    pub fn until(&self, player: &PlayerId) -> u64 {
        self.until.get(player).copied().unwrap_or_default()
    }

    /// One offence more at `now`: how many that makes in the last 12 hours, and until when the cooldown lasts.
    pub fn next(&self, player: &PlayerId, now: u64) -> (u32, u64) {
        let offences = recent(self.offences.get(player), now, OFFENCE_WINDOW_MS)
            .saturating_add(self.stated(player).offences)
            .saturating_add(1);
        (
            offences,
            now.saturating_add(minutes(offences) * 60_000).max(self.until(player)).max(self.stated(player).until),
        )
    }

    pub(crate) fn offend(&mut self, player: &PlayerId, now: u64, until: u64) {
        note(self.offences.or_insert(player, Vec::new()), now, OFFENCE_WINDOW_MS);
        self.until.insert(player.clone(), until);
    }

    /// How many abandoned rounds were refunded to the player in the last 30 days.
    pub fn refunds(&self, player: &PlayerId, now: u64) -> u32 {
        recent(self.refunds.get(player), now, REFUND_WINDOW_MS).saturating_add(self.stated(player).refunds)
    }

    /// How often the player left tables of this level early in the 12 hours up to `now`, and until when they may not
    /// sit there.
    pub fn early(&self, player: &PlayerId, level: &str, now: u64) -> (u32, u64) {
        let early = self.early.get(player).and_then(|levels| levels.get(level));
        (recent(early.map(|early| &early.times), now, OFFENCE_WINDOW_MS), early.map_or(0, |early| early.until))
    }

    /// Leaving early once more at `now`: how many times that makes, and until when they may not sit at the level
    /// (A001.e).
    pub fn next_early(&self, player: &PlayerId, level: &str, now: u64) -> (u32, u64) {
        let (before, until) = self.early(player, level, now);
        let refusals = before.saturating_add(1);
        (refusals, now.saturating_add(minutes(refusals) * 60_000).max(until))
    }

    pub(crate) fn leave_early(&mut self, player: &PlayerId, level: &str, now: u64, until: u64) {
        let early = self.early.or_insert(player, BTreeMap::new()).entry(level.to_owned()).or_default();
        note(&mut early.times, now, OFFENCE_WINDOW_MS);
        early.until = until;
    }

    fn stated(&self, player: &PlayerId) -> Stated {
        self.stated.get(player).copied().unwrap_or_default()
    }

    /// The part of a player's conduct that counts at `now`.
    pub(crate) fn part(&self, player: &PlayerId, now: u64) -> ConductPart {
        let counting = |times: Option<&Vec<u64>>, window: u64| {
            times.into_iter().flatten().copied().filter(|time| now.saturating_sub(*time) < window).collect::<Vec<_>>()
        };
        let later = |until: u64| Some(until).filter(|until| *until > now);
        let levels = self.early.get(player).into_iter().flatten();
        let early = levels.map(|(level, early)| {
            (level.clone(), counting(Some(&early.times), OFFENCE_WINDOW_MS), later(early.until).unwrap_or_default())
        });
        ConductPart {
            offences: counting(self.offences.get(player), OFFENCE_WINDOW_MS),
            until: later(self.until(player)),
            refunds: counting(self.refunds.get(player), REFUND_WINDOW_MS),
            early: early.filter(|(_, times, until)| !times.is_empty() || *until > 0).collect(),
        }
    }

    /// Takes a player's conduct in, as [`Conduct::part`] gives it.
    pub(crate) fn take(&mut self, player: &PlayerId, part: ConductPart) {
        if !part.offences.is_empty() {
            self.offences.insert(player.clone(), part.offences);
        }
        if let Some(until) = part.until {
            self.until.insert(player.clone(), until);
        }
        if !part.refunds.is_empty() {
            self.refunds.insert(player.clone(), part.refunds);
        }
        if !part.early.is_empty() {
            let early = part.early.into_iter().map(|(level, times, until)| (level, Early { times, until }));
            self.early.insert(player.clone(), early.collect());
        }
    }

    /// Forgets a guest who is dismissed.
    pub(crate) fn forget(&mut self, player: &PlayerId) {
        self.offences.remove(player);
        self.until.remove(player);
        self.refunds.remove(player);
        self.early.remove(player);
    }

    pub(crate) fn refund(&mut self, player: &PlayerId, now: u64) {
        note(self.refunds.or_insert(player, Vec::new()), now, REFUND_WINDOW_MS);
    }

    /// If only one table's entries are seen, the log's word on a player's past is taken: so many offences before this
    /// one, but no fewer than were seen, and a cooldown that may already last until then, at most the longest there is.
    pub(crate) fn state_offences(&mut self, player: &PlayerId, now: u64, before: u32, until: u64) {
        let longest = COOLDOWN_MINUTES.last().copied().unwrap_or_default() * 60_000;
        let shown = recent(self.offences.get(player), now, OFFENCE_WINDOW_MS);
        let stated = self.stated.or_insert(player, Stated::default());
        stated.offences = before.saturating_sub(shown);
        // Without an offence in twelve hours no earlier cooldown lasts.
        stated.until = if before == 0 { 0 } else { until.min(now.saturating_add(longest)) };
    }

    /// The same of a cooldown that lasts until then at least.
    pub(crate) fn state_until(&mut self, player: &PlayerId, until: u64) {
        let known = self.until.or_insert(player, 0);
        *known = until.max(*known);
    }

    /// The same of refunds before this one.
    pub(crate) fn state_refunds(&mut self, player: &PlayerId, now: u64, before: u32) {
        let shown = recent(self.refunds.get(player), now, REFUND_WINDOW_MS);
        self.stated.or_insert(player, Stated::default()).refunds = before.saturating_sub(shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c15_cooldowns_grow_within_twelve_hours_and_falls_after() {
        let player = PlayerId::parse("p").unwrap();
        let mut conduct = Conduct::default();
        let mut waits = Vec::new();
        for now in [0, 1, 2, 3, 4, 5] {
            let (offences, until) = conduct.next(&player, now);
            assert_eq!(u64::from(offences), now + 1);
            waits.push((until - now) / 60_000);
            conduct.offend(&player, now, until);
        }
        assert_eq!(waits, [0, 5, 15, 30, 60, 60]);
        // The window is (t − 12 h, t]: the offence at 0 no longer counts at exactly 12 h, the one at 1 does.
        assert_eq!(conduct.next(&player, OFFENCE_WINDOW_MS).0, 6);
        assert_eq!(conduct.next(&player, OFFENCE_WINDOW_MS - 1).0, 7);
        assert_eq!(conduct.next(&player, 2 * OFFENCE_WINDOW_MS).0, 1);
    }

    #[test]
    fn a001_oo_refunds_are_counted_over_thirty_days() {
        let player = PlayerId::parse("p").unwrap();
        let mut conduct = Conduct::default();
        conduct.refund(&player, 0);
        conduct.refund(&player, 10);
        assert_eq!(conduct.refunds(&player, REFUND_WINDOW_MS - 1), 2);
        assert_eq!(conduct.refunds(&player, REFUND_WINDOW_MS), 1);
        assert_eq!(conduct.refunds(&player, REFUND_WINDOW_MS + 10), 0);
    }
}
