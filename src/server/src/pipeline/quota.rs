//! How many entries a player may make beside play: whoever opens and closes tables all day must not fill the disk.
//!
//! Counted by player and hour, in memory alone: a restart forgets. Play itself is bounded by stakes, rounds and rates.
//! What takes back is never refused for what was begun: a stolen token that used the hour up would else keep its owner
//! from revoking it, from leaving a seat with their chips and from closing a table. To leave needs a seat that was
//! taken, to sit out a wish to play, to close a table that was opened, and those are counted; revocations and keys have
//! an hour's count of their own each, so that neither keeps the other out.

use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Command, Counted};
use std::collections::HashMap;

const HOUR_MS: u64 = 3_600_000;

/// Players counted before those whose hour is over are forgotten.
const FORGET_AT: usize = 1024;

/// How often in an hour a player may revoke tokens, and how often set a key.
const RESERVE: u32 = 32;

/// Whose entry a command makes, and with what it is counted.
pub type Whose = (PlayerId, Counted);

/// See the module.
pub struct Quota {
    /// Zero: no limit.
    most: u32,
    /// When the first counted entry of the hour was made, and how many there are.
    counted: HashMap<Whose, (u64, u32)>,
    forget_at: usize,
}

impl Quota {
    /// At most so many an hour; zero: no limit.
    pub fn new(most: u32) -> Self {
        Quota { most, counted: HashMap::new(), forget_at: FORGET_AT }
    }

    /// Who is counted for a command, if anybody is.
    pub fn of(by: &Actor, command: &Command) -> Option<Whose> {
        let Actor::Player(player) = by else { return None };
        let counted = command.facts().counted;
        (counted != Counted::No).then(|| (player.clone(), counted))
    }

    fn most(&self, counted: Counted) -> u32 {
        if counted == Counted::Beginning { self.most } else { RESERVE }
    }

    /// When the player may make more of the kind, UTC milliseconds, if not now.
    pub fn blocked_until(&self, by: &Whose, now: u64) -> Option<u64> {
        let (begun, count) = self.counted.get(by)?;
        let until = begun.saturating_add(HOUR_MS);
        (self.most > 0 && *count >= self.most(by.1) && now < until).then_some(until)
    }

    /// The player made an entry.
    pub fn count(&mut self, by: &Whose, now: u64) {
        if self.most == 0 {
            return;
        }
        if self.counted.len() >= self.forget_at {
            self.counted.retain(|_, (begun, _)| now < begun.saturating_add(HOUR_MS));
            // All those left are within their hour: look again when there are twice as many, not at each entry.
            self.forget_at = FORGET_AT.max(2 * self.counted.len());
        }
        let counted = self.counted.entry(by.clone()).or_insert((now, 0));
        if now >= counted.0.saturating_add(HOUR_MS) {
            *counted = (now, 0);
        }
        counted.1 = counted.1.saturating_add(1);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_fairness::TableId;
    use fairshoe_house::Holder;

    fn named(name: &str, counted: Counted) -> Whose {
        (PlayerId::parse(name).unwrap(), counted)
    }

    #[test]
    fn so_many_an_hour_and_play_is_not_counted() {
        let (alice, bob) = (named("alice", Counted::Beginning), named("bob", Counted::Beginning));
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
        let (act, wait) = (Command::CancelBet { table: table.clone(), round_no: 1 }, Command::WantSeat { table });
        let by = Actor::Player(alice.0.clone());
        assert_eq!(Quota::of(&by, &act), None);
        assert_eq!(Quota::of(&by, &wait), Some(alice));
        assert_eq!(Quota::of(&Actor::Operator, &wait), None);
    }

    #[test]
    fn what_takes_back_is_never_refused_for_what_was_begun() {
        let (table, player) = (TableId::parse("t-1").unwrap(), PlayerId::parse("alice").unwrap());
        let by = Actor::Player(player.clone());
        let leave = Command::LeaveSeat { table: table.clone() };
        for ends in [leave, Command::SitOut { table: table.clone() }, Command::CloseTable { table }] {
            assert_eq!(Quota::of(&by, &ends), None);
        }
        let token = |revoke| Command::IssueToken { holder: Holder::Player(player.clone()), revoke };
        assert_eq!(Quota::of(&by, &token(false)), Some(named("alice", Counted::Beginning)));
        let mut quota = Quota::new(1);
        quota.count(&named("alice", Counted::Beginning), 0);
        let keys = Quota::of(&by, &Command::SetKey { player: player.clone(), key: None, reason: None }).unwrap();
        let revocations = Quota::of(&by, &token(true)).unwrap();
        for _ in 0..RESERVE {
            assert_eq!(quota.blocked_until(&keys, 5), None);
            quota.count(&keys, 5);
        }
        assert_eq!(quota.blocked_until(&keys, 6), Some(HOUR_MS + 5));
        assert_eq!(quota.blocked_until(&revocations, 6), None);
    }

    #[test]
    fn who_was_quiet_for_an_hour_is_forgotten() {
        let mut quota = Quota::new(1);
        let player = |n: usize| named(&format!("p{n}"), Counted::Beginning);
        (0..FORGET_AT).for_each(|n| quota.count(&player(n), 0));
        quota.count(&player(FORGET_AT), HOUR_MS);
        assert_eq!(quota.counted.len(), 1);
    }
}
