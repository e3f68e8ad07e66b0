//! What the service signs beside the log: that a command came by which a player keeps from losing, and why one was refused
//! (spec/receipts.md, "Received and refused").
//!
//! A note is the house's own word against itself, so an honest house must never sign one that its log contradicts:
//! - what it signed for is decided before anything of the house's own that is dated later, and before what could stand
//!   in its way ([`Arrivals`]);
//! - a refusal bears the time at which it was decided, and what is decided later has no earlier time (the house
//!   thread).

use fairshoe_fairness::{Epoch, Origin, PlayerId, TableId};
use fairshoe_house::{Actor, Command, HouseNoteError, Receivable, ReceivedNote, Refusal, RefusedNote, Signed};
use fairshoe_tlog::Signer;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Refusals a second that are signed for one sender, with a burst of as many; those without a token share one count.
/// Signing costs more than refusing, and must not be what a stranger can make the service do all day.
///
/// So it is with choices, bets and commitments signed for one player: more than anybody makes, and few enough that one
/// player cannot have the service sign all day. A seed needs no such bound: a round awaits few.
pub const SIGNED_NOTES: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);

/// Commands about tournaments an hour that are signed for one player. What is signed for is not refused for the hour's
/// count of entries beside play, so that it needs one of its own.
const SIGNED_OF_EVENTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);

/// After so many of both those who sent none lately are forgotten.
const FORGET_EVERY: u64 = 4096;

/// Signs notes, on the thread of the request.
pub struct Evidence {
    origin: Origin,
    signer: Signer,
    refusals: DefaultKeyedRateLimiter<Actor>,
    choices: DefaultKeyedRateLimiter<PlayerId>,
    of_events: DefaultKeyedRateLimiter<PlayerId>,
    seen: AtomicU64,
    /// What is signed for and not yet handed to the house.
    pub arrivals: Arc<Arrivals>,
}

impl Evidence {
    /// Signs with the log's key, so many refusals and choices a second.
    pub fn new(origin: Origin, signer: Signer, arrivals: Arc<Arrivals>, rate: NonZeroU32) -> Self {
        let (refusals, choices) = (Quota::per_second(rate), Quota::per_second(rate));
        let (refusals, choices) = (RateLimiter::keyed(refusals), RateLimiter::keyed(choices));
        let of_events = RateLimiter::keyed(Quota::per_hour(SIGNED_OF_EVENTS));
        Evidence { origin, signer, refusals, choices, of_events, seen: AtomicU64::new(0), arrivals }
    }

    /// The log that it speaks for.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether one more such command of this player's is signed for: not where they had many lately.
    pub fn signs_one_more_of(&self, player: &PlayerId, kind: Receivable) -> bool {
        self.forget_some();
        let counted = if kind == Receivable::OfEvent { &self.of_events } else { &self.choices };
        counted.check_key(player).is_ok()
    }

    fn forget_some(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(FORGET_EVERY) {
            self.refusals.retain_recent();
            self.choices.retain_recent();
            self.of_events.retain_recent();
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

/// What is signed for, on its way from the request's thread to the house thread, and until that has decided it.
#[derive(Default)]
pub struct Arrivals {
    under_way: Mutex<UnderWay>,
    handed_over: Condvar,
}

#[derive(Default)]
struct UnderWay {
    /// How many bear each time and are not yet handed to the house.
    times: BTreeMap<u64, u32>,
    /// How many bear each time and are not yet decided, those under way among them.
    undecided: BTreeMap<u64, u32>,
    /// The tournaments' commands among these, seeds apart.
    of_events: BTreeMap<u64, u32>,
    /// The choices among these: each player's at each table, one at a time.
    choices: BTreeSet<(PlayerId, TableId)>,
    /// The house has let every deadline up to here pass, and its log has come so far: nothing comes before it any more,
    /// whatever the clock says. *A clock that is put back: what comes after a turn has lapsed would be dated before its
    /// deadline.*
    passed: u64,
    /// Nothing is dated earlier: the log has said so ([`crate::write::own_time`]).
    dated_from: u64,
    /// The greatest time that anything was signed for at.
    latest: u64,
    /// The epoch that the house thread decides in.
    epoch: Option<Epoch>,
}

/// What a command that is signed for stands in the way of, or what stands in its way.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Matter {
    /// Deadlines and duties of the house.
    Plain,
    /// Another choice of the same player's at the same table, too: of two the log takes the one that it has first.
    Choice(PlayerId, TableId),
    /// A time that no deadline of the house's bears, too: until when an entry may be given back.
    OfEvent,
}

impl Matter {
    fn of(by: &Actor, command: &Command) -> Matter {
        match (by, command) {
            (Actor::Player(player), Command::Act { table, .. }) => Matter::Choice(player.clone(), table.clone()),
            _ if Receivable::of(command) == Some(Receivable::OfEvent) => Matter::OfEvent,
            _ => Matter::Plain,
        }
    }
}

/// When a command came that is signed for; dropped once the house has it, or never will.
pub struct Arrival {
    arrivals: Arc<Arrivals>,
    /// UTC milliseconds.
    pub time: u64,
    undecided: Option<Undecided>,
}

impl Arrival {
    /// What the house is to hold until the command is decided.
    pub fn take_undecided(&mut self) -> Option<Undecided> {
        self.undecided.take()
    }
}

/// A command that is signed for; dropped once it is decided, or never will be.
pub struct Undecided {
    arrivals: Arc<Arrivals>,
    time: u64,
    matter: Matter,
}

fn take_one(counts: &mut BTreeMap<u64, u32>, time: u64) {
    if let Some(count) = counts.get_mut(&time) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&time);
        }
    }
}

fn begins_before(counts: &BTreeMap<u64, u32>, time: u64) -> bool {
    counts.first_key_value().is_some_and(|(earliest, _)| *earliest < time)
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command comes now, UTC milliseconds, to be signed for; `epoch` is the one that its commitment was found to be
    /// bound to, if it names one. Not where the house decides in another one by now, and not where an earlier choice of
    /// theirs at this table is not yet decided: which of the two comes first nobody could say.
    pub fn arrive(self: &Arc<Self>, now: u64, by: &Actor, command: &Command, epoch: Option<&Epoch>) -> Option<Arrival> {
        let matter = Matter::of(by, command);
        let mut under_way = self.lock();
        if epoch.is_some_and(|epoch| under_way.epoch.as_ref() != Some(epoch)) {
            return None;
        }
        if let Matter::Choice(player, table) = &matter
            && !under_way.choices.insert((player.clone(), table.clone()))
        {
            return None;
        }
        let time = now.max(under_way.passed);
        under_way.latest = under_way.latest.max(time);
        *under_way.times.entry(time).or_default() += 1;
        *under_way.undecided.entry(time).or_default() += 1;
        if matter == Matter::OfEvent {
            *under_way.of_events.entry(time).or_default() += 1;
        }
        let undecided = Some(Undecided { arrivals: self.clone(), time, matter });
        Some(Arrival { arrivals: self.clone(), time, undecided })
    }

    /// The log's last entry bears this time.
    pub fn log_is_at(&self, time: u64) {
        let mut under_way = self.lock();
        under_way.passed = under_way.passed.max(time);
    }

    /// An epoch begins, at this time or the later one that it gives: what was signed for in the epoch before has none
    /// later, so that the start is known to have come after it.
    pub fn begin_epoch(&self, epoch: Epoch, time: u64) -> u64 {
        let mut under_way = self.lock();
        under_way.epoch = Some(epoch);
        time.max(under_way.latest)
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

    /// Whether something that is signed for at a time before this one is not yet decided. If not, none comes before it
    /// any more.
    pub fn owes_before(&self, time: u64) -> bool {
        let mut under_way = self.lock();
        let owes = begins_before(&under_way.undecided, time);
        if !owes {
            under_way.passed = under_way.passed.max(time);
        }
        owes
    }

    /// Whether something that is signed for at a time before this one goes before this command: a choice of the same
    /// player's at its table, or a tournament's command, which goes before everything.
    pub fn goes_before(&self, time: u64, by: &Actor, command: &Command) -> bool {
        let under_way = self.lock();
        let is_choice = match Matter::of(by, command) {
            Matter::Choice(player, table) => under_way.choices.contains(&(player, table)),
            _ => false,
        };
        (is_choice && begins_before(&under_way.undecided, time)) || begins_before(&under_way.of_events, time)
    }

    /// Waits until everything with a time before this deadline is in the house's queue: signing takes microseconds.
    /// None comes before it afterwards.
    pub fn wait_for_those_before(&self, deadline: u64) {
        let mut under_way = self.lock();
        while begins_before(&under_way.times, deadline) {
            under_way = self.handed_over.wait(under_way).unwrap_or_else(PoisonError::into_inner);
        }
        under_way.passed = under_way.passed.max(deadline);
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        take_one(&mut self.arrivals.lock().times, self.time);
        self.arrivals.handed_over.notify_all();
    }
}

impl Drop for Undecided {
    fn drop(&mut self) {
        let mut under_way = self.arrivals.lock();
        take_one(&mut under_way.undecided, self.time);
        match &self.matter {
            Matter::Plain => {}
            Matter::Choice(player, table) => drop(under_way.choices.remove(&(player.clone(), table.clone()))),
            Matter::OfEvent => take_one(&mut under_way.of_events, self.time),
        }
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
        let seed: Command = serde_json::from_str(r#"{"close_table":{"table":"t1"}}"#).unwrap();
        let arrive = |now: u64| arrivals.arrive(now, &Actor::Anyone, &seed, None).unwrap();
        let (early, late) = (arrive(1_000), arrive(1_000));
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
        assert_eq!(arrive(1_000).time, deadline);
        // Nor before what the log has said that it dates nothing before.
        arrivals.date_from(deadline + 5);
        assert_eq!((arrive(1_000).time, arrivals.dated_from()), (deadline + 5, deadline + 5));
        // Nor before the log's last entry, also after a start.
        arrivals.log_is_at(deadline + 7);
        arrivals.log_is_at(deadline);
        assert_eq!(arrive(1_000).time, deadline + 7);
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
        let bob = PlayerId::parse("bob").unwrap();
        for (kind, few) in [(Receivable::AtTable, 20..200), (Receivable::OfEvent, 60..62)] {
            let all = (0..1000).filter(|_| evidence.signs_one_more_of(&alice, kind)).count();
            assert!(few.contains(&all), "{all}");
            assert!(evidence.signs_one_more_of(&bob, kind));
        }
    }

    #[test]
    fn what_is_not_decided_goes_before_what_could_stand_in_its_way() {
        let arrivals = Arc::new(Arrivals::default());
        let command = |text: &str| -> Command { serde_json::from_str(text).unwrap() };
        let by = |name: &str| Actor::Player(PlayerId::parse(name).unwrap());
        let (alice, bob) = (by("alice"), by("bob"));
        let hit = command(r#"{"act":{"table":"t1","round_no":3,"decision":7,"action":"hit"}}"#);
        let elsewhere = command(r#"{"act":{"table":"t2","round_no":3,"decision":7,"action":"hit"}}"#);
        let rebuy = command(r#"{"tournament":{"rebuy":{"event":"sunday"}}}"#);
        let mut first = arrivals.arrive(1_000, &alice, &hit, None).unwrap();
        // Until it is decided none of the same player's at the same table is signed for; others are.
        assert!(arrivals.arrive(1_001, &alice, &hit, None).is_none());
        assert!(arrivals.arrive(1_001, &alice, &elsewhere, None).is_some());
        assert!(arrivals.arrive(1_001, &bob, &hit, None).is_some());
        let undecided = first.take_undecided().unwrap();
        drop(first);
        assert!(arrivals.goes_before(1_001, &alice, &hit) && !arrivals.goes_before(1_000, &alice, &hit));
        assert!(!arrivals.goes_before(1_001, &alice, &elsewhere) && !arrivals.goes_before(1_001, &bob, &hit));
        assert!(arrivals.owes_before(1_001) && !arrivals.owes_before(1_000));
        drop(undecided);
        assert!(!arrivals.owes_before(2_000) && !arrivals.goes_before(2_000, &alice, &hit));
        // What is owed nothing before then has nothing before it later, either.
        assert_eq!(arrivals.arrive(1_000, &alice, &hit, None).unwrap().time, 2_000);
        let tournament = arrivals.arrive(3_000, &alice, &rebuy, None).unwrap();
        assert!(arrivals.goes_before(3_001, &bob, &hit) && !arrivals.goes_before(3_000, &bob, &hit));
        drop(tournament);
        assert!(!arrivals.goes_before(3_001, &bob, &hit));
        // What is bound to an epoch is signed for in that epoch alone, and a start is no earlier than what was.
        let (old, new) = (Epoch::from_bytes([1; 32]), Epoch::from_bytes([2; 32]));
        assert!(arrivals.arrive(4_000, &alice, &hit, Some(&old)).is_none());
        assert_eq!(arrivals.begin_epoch(old, 3_500), 3_500);
        assert_eq!(arrivals.arrive(4_000, &alice, &hit, Some(&old)).unwrap().time, 4_000);
        assert_eq!(arrivals.begin_epoch(new, 3_500), 4_000);
        assert!(arrivals.arrive(4_000, &alice, &hit, Some(&old)).is_none());
    }
}
