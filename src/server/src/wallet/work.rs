//! Which calls of the wallet are open, which is made next, and whose chips go back.

use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{WalletAnswer, WalletOperation};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Calls that are made at once, each of another player's: *one whose calls the wallet leaves unanswered must not keep the
/// others waiting.*
pub const CALLERS: usize = 16;

/// The first pause before a call is repeated, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// The longest pause between two calls that repeat some, whosever they are, while none is answered; then also between first
/// ones. *A wallet that is away for an hour leaves ten thousands of operations open, and calling them all every half a minute
/// takes a core.*
const LONGEST_GAP: Duration = Duration::from_millis(100);

/// Chips that have not moved for so long go back to the wallet, where that is the operator's style.
const STILL: Duration = Duration::from_secs(10);

/// The same where the wallet has refused to take them again and again.
const LONGEST_STILL: Duration = Duration::from_secs(3_600);

/// A call that takes so long makes its player one of those whose calls are late, until one of theirs is quick.
const LATE: Duration = Duration::from_secs(1);

/// So many callers make no calls of players whose calls are late, or in vain.
const RESERVED: usize = 4;

/// At so many players whose calls were late, they are forgotten.
const MOST_LATE: usize = 16_384;

/// An operation that waits for the answer to a call.
pub struct Open {
    pub operation: WalletOperation,
    /// How often it was called in vain.
    pub tries: u32,
    /// When it is called next.
    due: Instant,
    /// Ends with the call, and so wakes those who wait for its answer. *Of a thousand who wait for one that hangs, each woke at
    /// every answer to anybody.*
    pub until_answered: watch::Sender<()>,
}

/// The place of a call among others: first those of players of whom none was late or in vain, of each player first those
/// that nobody called yet, then by when they are due, or their player last had a turn.
type Place = (bool, bool, Instant, u64);

/// The open operations of a player.
#[derive(Default)]
struct Own {
    /// Whether it was called in vain, when it is due, and its number: of those that nobody calls.
    due: BTreeSet<(bool, Instant, u64)>,
    /// The one that somebody calls now, if any: one of a player's at a time.
    called: Option<u64>,
    /// When somebody began the last call.
    last: Option<Instant>,
    /// Whether it is made by one of the callers that are not reserved.
    takes_unreserved: bool,
    /// Whether the last call was late.
    is_late: bool,
    /// How many were called in vain.
    vain: usize,
}

impl Own {
    /// The place of the next call, unless somebody calls.
    fn place(&self) -> Option<Place> {
        let (tried, due, no) = *self.called.is_none().then(|| self.due.first()).flatten()?;
        Some((self.is_late || self.vain > 0, tried, self.last.map_or(due, |last| last.max(due)), no))
    }
}

/// What is to be called, and what players have.
#[derive(Default)]
pub struct Work {
    pub open: BTreeMap<u64, Open>,
    by: HashMap<PlayerId, Own>,
    /// The next call of each player whom nobody calls for. *To look through all that is open for each call held up play: it was
    /// done under the lock that every commit takes.*
    next: BTreeSet<Place>,
    /// Players whose last call was late. *A wallet answers for some after seconds, each has one call after another, and
    /// those of everybody else wait behind them.*
    late: HashSet<PlayerId>,
    /// How many callers that are not reserved call for players whose calls are late, or in vain.
    unreserved: usize,
    /// The pause between two such calls, and until when the next waits.
    gap: Duration,
    waits_until: Option<Instant>,
    /// What players have, and since when: of those who have something, where chips go back by themselves.
    pub funds: HashMap<PlayerId, (Instant, Chips)>,
    /// How often in a row the wallet refused to take what a player has.
    refused: HashMap<PlayerId, u32>,
    /// Whether funds are kept at all.
    pub keeps_funds: bool,
    /// How often chips came for what a player plays for, and since when that is counted.
    pub fundings: HashMap<PlayerId, (Instant, u32)>,
    /// For whom a request has them come now.
    pub funded: HashSet<PlayerId>,
}

impl Work {
    /// Changes what is open of a player's.
    fn change(&mut self, player: &PlayerId, change: impl FnOnce(&mut Own)) {
        let is_late = || self.late.contains(player);
        let own = self.by.entry(player.clone()).or_insert_with(|| Own { is_late: is_late(), ..Own::default() });
        let before = own.place();
        change(own);
        let after = own.place();
        if own.due.is_empty() && own.called.is_none() {
            self.by.remove(player);
        }
        before.map(|place| self.next.remove(&place));
        self.next.extend(after);
    }

    /// The operation waits for this call from now on.
    pub fn wait_for(&mut self, no: u64, operation: WalletOperation, now: Instant) {
        self.forget(no);
        self.change(&operation.player, |own| own.due.extend([(false, now, no)]));
        self.open.insert(no, Open { operation, tries: 0, due: now, until_answered: watch::Sender::new(()) });
    }

    pub fn forget(&mut self, no: u64) {
        let Some(open) = self.open.remove(&no) else { return };
        let (mut is_answered, mut is_free) = (false, false);
        self.change(&open.operation.player, |own| {
            own.due.remove(&(open.tries > 0, open.due, no));
            own.vain = own.vain.saturating_sub(usize::from(open.tries > 0));
            is_answered = own.called.take_if(|called| *called == no).is_some();
            is_free = is_answered && std::mem::take(&mut own.takes_unreserved);
        });
        self.unreserved = self.unreserved.saturating_sub(usize::from(is_free));
        if is_answered {
            (self.gap, self.waits_until) = (Duration::ZERO, None);
        }
    }

    /// Notes how long the call of a player took that is under way.
    pub fn took(&mut self, player: &PlayerId, time: Duration) {
        let is_late = time >= LATE;
        if self.late.len() >= MOST_LATE {
            self.late.clear();
        }
        if is_late {
            self.late.insert(player.clone());
        } else {
            self.late.remove(player);
        }
        self.change(player, |own| own.is_late = is_late);
    }

    /// Takes the next call that is due: first of players of whom none was late or in vain. *A wallet does not answer for
    /// some, each of whom has several, and nobody else's is called meanwhile.*
    pub fn take(&mut self, now: Instant) -> Option<(u64, WalletOperation)> {
        let (comes_last, tried, due, no) = *self.next.first()?;
        if due > now || comes_last && self.unreserved >= CALLERS - RESERVED {
            return None;
        }
        if comes_last || self.gap == LONGEST_GAP {
            if self.waits_until.is_some_and(|until| until > now) {
                return None;
            }
            self.waits_until = Some(now + self.gap);
        }
        let Open { operation, due, .. } = self.open.get(&no)?;
        let (operation, due) = (operation.clone(), *due);
        self.change(&operation.player, |own| {
            own.due.remove(&(tried, due, no));
            (own.called, own.last, own.takes_unreserved) = (Some(no), Some(now), comes_last);
        });
        self.unreserved = self.unreserved.saturating_add(usize::from(comes_last));
        Some((no, operation))
    }

    /// The call was made in vain, or its answer is not on the log: it is made again after a pause.
    pub fn put_back(&mut self, no: u64, operation: &WalletOperation, now: Instant) {
        let is_called = self.by.get(&operation.player).is_some_and(|own| own.called == Some(no));
        let Some(open) = self.open.get_mut(&no).filter(|open| open.operation == *operation && is_called) else {
            return;
        };
        let (is_first, pause) = (open.tries == 0, PAUSES.0.saturating_mul(1 << open.tries.min(16)).min(PAUSES.1));
        (open.tries, open.due) = (open.tries.saturating_add(1), now + pause);
        let (due, mut is_free) = (open.due, false);
        self.change(&operation.player, |own| {
            (own.called, is_free) = (None, std::mem::take(&mut own.takes_unreserved));
            own.vain = own.vain.saturating_add(usize::from(is_first));
            own.due.insert((true, due, no));
        });
        self.unreserved = self.unreserved.saturating_sub(usize::from(is_free));
        self.gap = (self.gap * 2).clamp(LONGEST_GAP / 100, LONGEST_GAP);
    }

    /// Notes what became of a withdrawal.
    pub fn note_pay(&mut self, no: u64, answer: WalletAnswer) {
        let Some(player) = self.open.get(&no).map(|open| open.operation.player.clone()) else { return };
        match answer {
            WalletAnswer::Accepted => drop(self.refused.remove(&player)),
            WalletAnswer::Refused => {
                let count = self.refused.entry(player).or_default();
                *count = count.saturating_add(1);
            }
        }
    }

    /// Whose chips have not moved for long enough. *A wallet that takes nothing for a player would make the log grow: each
    /// time that it refuses the pause is doubled, up to an hour.*
    pub fn still(&self, now: Instant) -> Vec<(PlayerId, Chips)> {
        let is_still = |player: &PlayerId, since: Instant| {
            let refused = self.refused.get(player).copied().unwrap_or_default();
            now.duration_since(since) >= STILL.saturating_mul(1 << refused.min(16)).min(LONGEST_STILL)
        };
        let still = self.funds.iter().filter(|(player, (since, _))| is_still(player, *since));
        still.map(|(player, (_, chips))| (player.clone(), *chips)).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_house::WalletCall::{self, Commit, Reserve};

    fn operation(call: fairshoe_house::WalletCall) -> WalletOperation {
        WalletOperation { call, player: PlayerId::parse("alice").unwrap(), amount: Chips::new(5).unwrap() }
    }

    #[test]
    fn a_call_is_made_by_one_at_a_time_and_again_after_growing_pauses() {
        let now = Instant::now();
        let mut work = Work::default();
        work.wait_for(7, operation(Reserve), now);
        assert_eq!(work.take(now), Some((7, operation(Reserve))));
        assert_eq!(work.take(now + PAUSES.1), None, "somebody calls");
        let mut at = now;
        for pause in [100, 200, 400, 800] {
            work.put_back(7, &operation(Reserve), at);
            assert_eq!(work.take(at + Duration::from_millis(pause - 1)), None);
            at += Duration::from_millis(pause);
            assert!(work.take(at).is_some());
        }
        for _ in 0..40 {
            work.put_back(7, &operation(Reserve), at);
            at += PAUSES.1;
            assert!(work.take(at).is_some(), "never more than half a minute");
        }
    }

    #[test]
    fn one_whose_calls_are_not_answered_keeps_nobody_waiting() {
        let now = Instant::now();
        let mut work = Work::default();
        for no in 0..8 {
            work.wait_for(no, operation(Reserve), now);
        }
        let other = WalletOperation { player: PlayerId::parse("bob").unwrap(), ..operation(Reserve) };
        work.wait_for(8, other.clone(), now);
        assert_eq!(work.take(now).map(|(no, _)| no), Some(0));
        assert_eq!(work.take(now).map(|(no, _)| no), Some(8), "alice has a call under way");
        assert_eq!(work.take(now), None);
        // What was never called comes before what was called in vain.
        work.put_back(0, &operation(Reserve), now);
        let later = now + PAUSES.1;
        assert_eq!(work.take(later).map(|(no, _)| no), Some(1));
        work.forget(1);
        // So does whoever had none in vain, however late they come.
        let late = WalletOperation { player: PlayerId::parse("carol").unwrap(), ..operation(Reserve) };
        work.wait_for(9, late, later);
        assert_eq!(work.take(later).map(|(no, _)| no), Some(9));
        assert_eq!(work.take(later).map(|(no, _)| no), Some(2), "it is over, and alice is free");
        work.forget(0);
        work.forget(2);
        work.forget(9);
        assert!(work.by[&operation(Reserve).player].vain == 0 && work.by.len() == 2);
    }

    /// Attack: of 48 accounts, each with eight deposits, the wallet answers only after 4.5 seconds; no bet of anybody else
    /// had its chips in time.
    #[test]
    fn players_whose_calls_are_late_leave_callers_to_others() {
        let (mut work, begun) = (Work::default(), Instant::now());
        let of = |name: &str| WalletOperation { player: PlayerId::parse(name).unwrap(), ..operation(Reserve) };
        for no in 0..8 * 48 {
            work.wait_for(no, of(&format!("p{}", no / 8)), begun);
        }
        let mut at = begun;
        for _ in 0..3 {
            let first: Vec<_> = (0..CALLERS).map(|_| work.take(at).unwrap()).collect();
            at += Duration::from_millis(4500);
            for (no, operation) in first {
                work.took(&operation.player, Duration::from_millis(4500));
                work.forget(no);
            }
        }
        // Each had one turn, and all are known. Four callers are left for others, and for those whose calls are quick.
        let late: Vec<_> = std::iter::from_fn(|| work.take(at)).collect();
        assert_eq!(late.len(), CALLERS - RESERVED);
        for no in 1_000..1_008 {
            work.wait_for(no, of("alice"), at);
        }
        assert_eq!(work.take(at).map(|(no, _)| no), Some(1_000));
        at += Duration::from_millis(10);
        work.wait_for(2_000, of("bob"), at);
        work.took(&of("alice").player, Duration::from_millis(20));
        work.forget(1_000);
        at += Duration::from_millis(10);
        assert_eq!(work.take(at).map(|(no, _)| no), Some(1_001), "alice waits for longer than bob");
        work.wait_for(2_001, of("bob"), at);
        work.forget(1_001);
        assert_eq!(work.take(at).map(|(no, _)| no), Some(2_000), "bob had no turn yet");
        // One of them is quick again.
        let (no, operation) = late[0].clone();
        work.took(&operation.player, Duration::from_millis(20));
        work.forget(no);
        work.forget(2_000);
        assert_eq!(work.take(at).map(|(no, _)| no), Some(no + 1));
        for (no, operation) in &late[1..] {
            work.put_back(*no, operation, at);
        }
        assert_eq!(work.unreserved, 0);
    }

    /// Attack: thousands of players have a withdrawal open when the wallet's machine stops.
    #[test]
    fn a_wallet_that_answers_nobody_is_called_ten_times_a_second_until_it_answers() {
        let (mut work, begun) = (Work::default(), Instant::now());
        for no in 0..1_000 {
            let player = PlayerId::parse(&format!("p{no}")).unwrap();
            work.wait_for(no, WalletOperation { player, ..operation(Reserve) }, begun);
        }
        let calls = |work: &mut Work, from: u64, until: u64, answers: bool| {
            let mut count = 0;
            for at in (from..until).map(|ms| begun + Duration::from_millis(ms)) {
                while let Some((no, operation)) = work.take(at) {
                    count += 1;
                    if answers {
                        work.forget(no);
                    }
                    work.put_back(no, &operation, at);
                }
            }
            count
        };
        let count = calls(&mut work, 0, 60_000, false);
        assert!((600..650).contains(&count), "{count} in a minute");
        let (at, new) = (begun + Duration::from_secs(60), PlayerId::parse("new").unwrap());
        work.wait_for(1_000, WalletOperation { player: new, ..operation(Reserve) }, at);
        let next = work.take(at + LONGEST_GAP);
        assert!(next.is_some_and(|(no, _)| no < 1_000), "each is tried once, in the order of asking");
        assert_eq!(calls(&mut work, 60_001, 120_000, true), 1_000, "it is back");
    }

    #[test]
    fn what_a_wallet_takes_from_nobody_is_sent_less_and_less_often() {
        let now = Instant::now();
        let mut work = Work { keeps_funds: true, ..Work::default() };
        let alice = PlayerId::parse("alice").unwrap();
        work.funds.insert(alice.clone(), (now, Chips::new(5).unwrap()));
        let is_still = |work: &Work, seconds| !work.still(now + Duration::from_secs(seconds)).is_empty();
        assert!(!is_still(&work, 9) && is_still(&work, 10));
        for (no, pause) in (0..).zip([20, 40, 80]) {
            work.wait_for(no, operation(WalletCall::Pay), now);
            work.note_pay(no, WalletAnswer::Refused);
            work.forget(no);
            assert!(!is_still(&work, pause - 1) && is_still(&work, pause), "{no}");
        }
        for no in 3..40 {
            work.wait_for(no, operation(WalletCall::Pay), now);
            work.note_pay(no, WalletAnswer::Refused);
        }
        assert!(!is_still(&work, 3_599) && is_still(&work, 3_600));
        work.note_pay(39, WalletAnswer::Accepted);
        assert!(is_still(&work, 10));
    }

    #[test]
    fn whoever_waits_for_an_answer_wakes_at_that_one_alone() {
        let mut work = Work::default();
        let [one, other] = [1, 2].map(|no| {
            work.wait_for(no, operation(Reserve), Instant::now());
            work.open[&no].until_answered.subscribe()
        });
        work.forget(2);
        assert!(other.has_changed().is_err() && one.has_changed().is_ok_and(|changed| !changed));
        work.wait_for(1, operation(Commit), Instant::now());
        assert!(one.has_changed().is_err(), "another call of it waits");
    }

    #[test]
    fn what_was_answered_meanwhile_is_not_put_back() {
        let now = Instant::now();
        let mut work = Work::default();
        work.wait_for(7, operation(Reserve), now);
        work.take(now).unwrap();
        // The answer came by another way, and the next call waits.
        work.wait_for(7, operation(Commit), now);
        work.put_back(7, &operation(Reserve), now);
        assert_eq!(work.take(now), Some((7, operation(Commit))), "at once");
        work.forget(7);
        work.put_back(7, &operation(Commit), now);
        assert!(work.take(now + PAUSES.1).is_none() && work.by.is_empty() && work.next.is_empty());
    }
}
