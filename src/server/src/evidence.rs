//! What the service signs beside the log: that a seed or a choice came, and why a command was refused
//! (spec/receipts.md, "Received and refused").
//!
//! A note is the house's own word against itself, so an honest house must never sign one that its log contradicts:
//! - what it signed for at a time before a deadline is decided before the deadline is let pass ([`Arrivals`]);
//! - a refusal bears the time at which it was decided, and what is decided later has no earlier time (the house
//!   thread).

use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::{Actor, Command, HouseNoteError, ReceivedNote, Refusal, RefusedNote, Signed};
use fairshoe_tlog::Signer;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Refusals a second that are signed for one sender, with a burst of as many; those without a token share one count.
/// Signing costs more than refusing, and must not be what a stranger can make the service do all day.
///
/// So it is with choices signed for one player: more than anybody makes, and few enough that one player cannot have the
/// service sign all day. A seed needs no such bound: a round awaits few.
pub const SIGNED_NOTES: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);

/// After so many of both those who sent none lately are forgotten.
const FORGET_EVERY: u64 = 4096;

/// Signs notes, on the thread of the request.
pub struct Evidence {
    origin: Origin,
    signer: Signer,
    refusals: DefaultKeyedRateLimiter<Actor>,
    choices: DefaultKeyedRateLimiter<PlayerId>,
    seen: AtomicU64,
    /// What is signed for and not yet handed to the house.
    pub arrivals: Arc<Arrivals>,
}

impl Evidence {
    /// Signs with the log's key, so many refusals and choices a second.
    pub fn new(origin: Origin, signer: Signer, arrivals: Arc<Arrivals>, rate: NonZeroU32) -> Self {
        let (refusals, choices) = (Quota::per_second(rate), Quota::per_second(rate));
        let (refusals, choices) = (RateLimiter::keyed(refusals), RateLimiter::keyed(choices));
        Evidence { origin, signer, refusals, choices, seen: AtomicU64::new(0), arrivals }
    }

    /// The log that it speaks for.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether one more choice of this player's is signed for: not where they had many lately.
    pub fn signs_choice_of(&self, player: &PlayerId) -> bool {
        self.forget_some();
        self.choices.check_key(player).is_ok()
    }

    fn forget_some(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.refusals.retain_recent();
            self.choices.retain_recent();
        }
    }

    /// The note that a command came at this time.
    pub fn received(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
        signed: Option<Signed>,
    ) -> Result<String, HouseNoteError> {
        let (origin, by, command) = (self.origin.clone(), by.clone(), command.clone());
        ReceivedNote { origin, time, by, command, signed }.sign(&self.signer)
    }

    /// The note that a command was refused at this time; none where this sender has had many.
    pub fn refused(
        &self,
        time: u64,
        by: &Actor,
        command: &Command,
        signed: Option<Signed>,
        refusal: &Refusal,
    ) -> Option<String> {
        self.forget_some();
        self.refusals.check_key(by).ok()?;
        let (origin, by, command) = (self.origin.clone(), by.clone(), command.clone());
        RefusedNote { origin, time, code: refusal.code().to_owned(), by, command, signed }.sign(&self.signer).ok()
    }
}

/// Seeds and choices on their way from the request's thread, where they are signed for, to the house thread.
#[derive(Default)]
pub struct Arrivals {
    under_way: Mutex<UnderWay>,
    handed_over: Condvar,
}

#[derive(Default)]
struct UnderWay {
    /// How many bear each time.
    times: BTreeMap<u64, u32>,
    /// The house has let every deadline up to here pass, and its log has come so far: nothing comes before it any more,
    /// whatever the clock says. *A clock that is put back: what comes after a turn has lapsed would be dated before its
    /// deadline.*
    passed: u64,
    /// Nothing is dated earlier: the log has said so ([`crate::own_time`]).
    dated_from: u64,
}

/// When a seed or a choice came; dropped once the house has it, or never will.
pub struct Arrival {
    arrivals: Arc<Arrivals>,
    /// UTC milliseconds.
    pub time: u64,
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something comes now, UTC milliseconds.
    pub fn arrive(self: &Arc<Self>, now: u64) -> Arrival {
        let mut under_way = self.lock();
        let time = now.max(under_way.passed);
        *under_way.times.entry(time).or_default() += 1;
        Arrival { arrivals: self.clone(), time }
    }

    /// The log's last entry bears this time.
    pub fn log_is_at(&self, time: u64) {
        let mut under_way = self.lock();
        under_way.passed = under_way.passed.max(time);
    }

    /// From now on nothing is dated earlier than this, UTC milliseconds.
    pub fn date_from(&self, time: u64) {
        let mut under_way = self.lock();
        under_way.dated_from = under_way.dated_from.max(time);
        under_way.passed = under_way.passed.max(time);
    }

    /// Nothing may be dated earlier, UTC milliseconds.
    pub fn dated_from(&self) -> u64 {
        self.lock().dated_from
    }

    /// Waits until everything with a time before this deadline is in the house's queue: signing takes microseconds.
    /// None comes before it afterwards.
    pub fn wait_for_those_before(&self, deadline: u64) {
        let mut under_way = self.lock();
        while under_way.times.first_key_value().is_some_and(|(earliest, _)| *earliest < deadline) {
            under_way = self.handed_over.wait(under_way).unwrap_or_else(PoisonError::into_inner);
        }
        under_way.passed = under_way.passed.max(deadline);
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let mut under_way = self.arrivals.lock();
        if let Some(count) = under_way.times.get_mut(&self.time) {
            *count -= 1;
            if *count == 0 {
                under_way.times.remove(&self.time);
            }
        }
        drop(under_way);
        self.arrivals.handed_over.notify_all();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_deadline_waits_for_what_came_before_it_and_nothing_comes_before_it_later() {
        let arrivals = Arc::new(Arrivals::default());
        let (early, late) = (arrivals.arrive(1_000), arrivals.arrive(1_000));
        assert!(early.time <= late.time);
        // None before its own time.
        arrivals.wait_for_those_before(early.time);
        let deadline = late.time + 60_000;
        let (done, passed) = channel();
        let waiting = arrivals.clone();
        std::thread::spawn(move || {
            waiting.wait_for_those_before(deadline);
            done.send(()).unwrap();
        });
        drop(early);
        assert!(passed.recv_timeout(Duration::from_millis(50)).is_err(), "one is still under way");
        drop(late);
        passed.recv_timeout(Duration::from_secs(10)).unwrap();
        // Also where the clock says otherwise.
        assert_eq!(arrivals.arrive(1_000).time, deadline);
        // Nor before what the log has said that it dates nothing before.
        arrivals.date_from(deadline + 5);
        assert_eq!((arrivals.arrive(1_000).time, arrivals.dated_from()), (deadline + 5, deadline + 5));
        // Nor before the log's last entry, also after a start.
        arrivals.log_is_at(deadline + 7);
        arrivals.log_is_at(deadline);
        assert_eq!(arrivals.arrive(1_000).time, deadline + 7);
    }

    #[test]
    fn refusals_and_choices_are_signed_up_to_a_rate_for_each_sender() {
        let signer = Signer::new("example.com/log", &[7; 32]).unwrap();
        let evidence = Evidence::new(Origin::parse("example.com/log").unwrap(), signer, Arc::default(), SIGNED_NOTES);
        let command: Command = serde_json::from_str(r#"{"close_table":{"table":"t1"}}"#).unwrap();
        let signed = |by: &str| {
            let by: Actor = serde_json::from_str(&format!("\"{by}\"")).unwrap();
            evidence.refused(7, &by, &command, None, &Refusal::NoShoe)
        };
        let all = (0..1000).filter(|_| signed("player:alice").is_some()).count();
        assert!((20..200).contains(&all), "{all}");
        assert!(
            signed("player:bob").unwrap().starts_with("fairshoe refused/v1\nexample.com/log\n7\nno_shoe\nplayer:bob\n")
        );
        let alice = PlayerId::parse("alice").unwrap();
        let all = (0..1000).filter(|_| evidence.signs_choice_of(&alice)).count();
        assert!((20..200).contains(&all), "{all}");
        assert!(evidence.signs_choice_of(&PlayerId::parse("bob").unwrap()));
    }
}
