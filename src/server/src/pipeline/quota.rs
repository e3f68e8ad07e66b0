//! How many entries a player may make beside play: whoever opens and closes tables all day must not fill the disk.
//!
//! Counted by player and hour, in memory alone: a restart forgets. Play itself is bounded by stakes, rounds and rates.

use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Command};
use std::collections::HashMap;

const HOUR_MS: u64 = 3_600_000;

/// Players counted before those whose hour is over are forgotten.
const FORGET_AT: usize = 1024;

/// See the module.
pub struct Quota {
    /// Zero: no limit.
    most: u32,
    /// By player, when the first counted entry of the hour was made, and how many there are.
    counted: HashMap<PlayerId, (u64, u32)>,
    forget_at: usize,
}

impl Quota {
    /// At most so many an hour; zero: no limit.
    pub fn new(most: u32) -> Self {
        Quota { most, counted: HashMap::new(), forget_at: FORGET_AT }
    }

    /// Who is counted for a command, if anybody is.
    pub fn of<'a>(by: &'a Actor, command: &Command) -> Option<&'a PlayerId> {
        match by {
            Actor::Player(player) if !is_play(command) => Some(player),
            _ => None,
        }
    }

    /// When the player may make more, UTC milliseconds, if not now.
    pub fn blocked_until(&self, player: &PlayerId, now: u64) -> Option<u64> {
        let (begun, count) = self.counted.get(player)?;
        let until = begun.saturating_add(HOUR_MS);
        (self.most > 0 && *count >= self.most && now < until).then_some(until)
    }

    /// The player made an entry.
    pub fn count(&mut self, player: &PlayerId, now: u64) {
        if self.most == 0 {
            return;
        }
        if self.counted.len() >= self.forget_at {
            self.counted.retain(|_, (begun, _)| now < begun.saturating_add(HOUR_MS));
            // All those left are within their hour: look again when there are twice as many, not at each entry.
            self.forget_at = FORGET_AT.max(2 * self.counted.len());
        }
        let counted = self.counted.entry(player.clone()).or_insert((now, 0));
        if now >= counted.0.saturating_add(HOUR_MS) {
            *counted = (now, 0);
        }
        counted.1 = counted.1.saturating_add(1);
    }
}

/// What a round is played with. Changes of a bet in a window are bounded by the house's own rules.
fn is_play(command: &Command) -> bool {
    matches!(
        command,
        Command::Bet { .. }
            | Command::CancelBet { .. }
            | Command::CommitSeed { .. }
            | Command::Reveal { .. }
            | Command::LateSeed { .. }
            | Command::Act { .. }
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_fairness::TableId;

    #[test]
    fn so_many_an_hour_and_play_is_not_counted() {
        let (alice, bob) = (PlayerId::parse("alice").unwrap(), PlayerId::parse("bob").unwrap());
        let mut quota = Quota::new(2);
        assert_eq!(quota.blocked_until(&alice, 0), None);
        quota.count(&alice, 10);
        quota.count(&alice, 20);
        assert_eq!(quota.blocked_until(&alice, 30), Some(HOUR_MS + 10));
        assert_eq!(quota.blocked_until(&bob, 30), None);
        assert_eq!(quota.blocked_until(&alice, HOUR_MS + 10), None);
        quota.count(&alice, HOUR_MS + 10);
        assert_eq!(quota.blocked_until(&alice, HOUR_MS + 11), None, "a new hour counts from anew");
        let mut free = Quota::new(0);
        (0..10).for_each(|now| free.count(&alice, now));
        assert_eq!(free.blocked_until(&alice, 5), None);

        let table = TableId::parse("t-1").unwrap();
        let (act, close) = (Command::CancelBet { table: table.clone(), round_no: 1 }, Command::CloseTable { table });
        let by = Actor::Player(alice.clone());
        assert_eq!(Quota::of(&by, &act), None);
        assert_eq!(Quota::of(&by, &close), Some(&alice));
        assert_eq!(Quota::of(&Actor::Operator, &close), None);
    }

    #[test]
    fn who_was_quiet_for_an_hour_is_forgotten() {
        let mut quota = Quota::new(1);
        let player = |n: usize| PlayerId::parse(&format!("p{n}")).unwrap();
        (0..FORGET_AT).for_each(|n| quota.count(&player(n), 0));
        quota.count(&player(FORGET_AT), HOUR_MS);
        assert_eq!(quota.counted.len(), 1);
    }
}
