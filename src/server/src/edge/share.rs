//! The parts of a worker's time that strangers together, and holders of tokens beside play (each and all of them), may
//! take (spec/operating.md, "What strangers may hold"). The rest stays for play, however many they are and whatever
//! they ask for.

use crate::edge::turns::{AT_ONCE_OF_PLAY, AT_THE_HOUSE, Turns};
use crate::read::lanes::Sender;
use actix_web::rt::time::Instant;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Semaphore;

mod payer;
pub use payer::Payer;

/// For each moment that a stranger's request takes, so many go by before the next one begins.
const OTHERS: u32 = 3;

/// All parts together have one in so many moments: each has less while others are used. *Attack: strangers, newcomers,
/// readers and those who play beyond measure come all at once, beside players who each play as much as one may.*
const ALL_PARTS: u32 = 3;

/// The same of all holders who read. *Attack: eight players who only read, each within their own part, take every worker.*
const OTHERS_OF_HOLDERS: u32 = 3;

/// The same of one of them, and of those who play beyond measure.
const OTHERS_OF_FEW: u32 = 7;

/// The same of new connections. *Attack: four thousand addresses greet again and again with an RSA key, a millisecond each, and
/// a player waits among them for longer than a connection has.*
const OTHERS_OF_NEWCOMERS: u32 = 2;

/// The runtime's own time around each piece of a connection's work. *Many that wait with the rest of a body wake at once, and
/// each does next to nothing.*
const AROUND: Duration = Duration::from_micros(5);

/// Time to take a connection and to end it, outside of its work.
const A_CONNECTION: Duration = Duration::from_micros(50);

/// If a head takes longer, the connection's last sender pays for it. *One that comes byte by byte.*
const MOST_DUE: Duration = Duration::from_millis(1);

/// At so many senders, the share forgets those who owe nothing and have nothing that waits.
const REMEMBERED: usize = 1024;

/// At most so many new connections of one address wait for their turn, as after a restart. Each has fewer while many
/// addresses wait, but at least as many as a browser and a few players beside it open at once.
const NEWCOMERS: usize = 512;
const NEWCOMERS_EACH: usize = 16;

/// The parts of one worker.
pub struct Share {
    strangers: Turns,
    holders: Turns,
    /// Each sender has one request at a time that waits for a turn of all of their kind, and behind it their others. A
    /// holder has a part of their own, so that one alone leaves the other holders theirs.
    by: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// The little that each holder reads before they wait for others.
    little: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// Each holder's play.
    play: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// All holders who play beyond their own part.
    beyond: Turns,
    /// All new connections and their greetings under TLS.
    newcomers: Turns,
    /// The new connections of each address that wait.
    newcomers_by: RefCell<HashMap<IpAddr, Rc<Semaphore>>>,
    /// The time that `spend` and `wrote` have charged so far.
    spent: Cell<Duration>,
    /// How many workers have such parts. All share one house.
    workers: u32,
}

impl Default for Share {
    fn default() -> Self {
        Share::of_workers(1)
    }
}

/// Work that was done, and how long it took here.
struct Worked<T> {
    done: T,
    took: Duration,
    /// The same, with the house's time for each worker.
    costs: Duration,
}

impl Share {
    /// The parts of one of so many workers.
    pub fn of_workers(workers: usize) -> Self {
        Share {
            workers: u32::try_from(workers).unwrap_or(u32::MAX),
            strangers: Turns::new(OTHERS),
            holders: Turns::new(OTHERS_OF_HOLDERS),
            newcomers: Turns::new(OTHERS_OF_NEWCOMERS),
            beyond: Turns::new(OTHERS_OF_FEW),
            by: RefCell::default(),
            newcomers_by: RefCell::default(),
            little: RefCell::default(),
            play: RefCell::default(),
            spent: Cell::default(),
        }
    }

    /// Does some work.
    fn works<T>(&self, work: impl FnOnce() -> T) -> Worked<T> {
        AT_THE_HOUSE.take();
        let begun = Instant::now();
        let done = work();
        let took = begun.elapsed();
        Worked { done, took, costs: took.saturating_add(AT_THE_HOUSE.take().saturating_mul(self.workers)) }
    }
}

/// A sender's turns.
fn of(all: &RefCell<HashMap<Sender, Rc<Turns>>>, whose: &Sender, new: fn() -> Turns) -> Rc<Turns> {
    let mut by = all.borrow_mut();
    if let Some(own) = by.get(whose) {
        return own.clone();
    }
    if by.len() >= REMEMBERED {
        // Nothing of a sender waits if only the map holds their turns.
        by.retain(|_, own| Rc::strong_count(own) > 1 || own.next.get() > Instant::now());
    }
    by.entry(whose.clone()).or_insert_with(|| Rc::new(new())).clone()
}

impl Share {
    fn of(&self, whose: &Sender) -> Rc<Turns> {
        of(&self.by, whose, || Turns::new(OTHERS_OF_FEW))
    }

    /// The turns of all of this sender's kind.
    fn all(&self, whose: &Sender) -> &Turns {
        match whose {
            Sender::Holder(_) => &self.holders,
            Sender::Address(_) | Sender::Unknown => &self.strangers,
        }
    }

    /// The turns of a holder's little, if some of it is left.
    fn little(&self, whose: &Sender) -> Option<Rc<Turns>> {
        let Sender::Holder(_) = whose else { return None };
        Some(of(&self.little, whose, Turns::of_a_little)).filter(|little| little.owed_until().is_none())
    }

    /// Waits for a turn of this sender.
    pub async fn turn(&self, whose: &Sender) {
        if self.little(whose).is_some() {
            return;
        }
        let own = self.of(whose);
        // They are never closed.
        let _own = own.places.acquire().await;
        own.wait().await;
        let all = self.all(whose);
        let _turn = all.places.acquire().await;
        all.wait().await;
    }

    /// Does a sender's work, and charges each piece of its time at once. *Many pieces of work that wait for their
    /// clients in the middle would be charged only at their end.* After a wait, the work goes on when its sender has a
    /// turn again. *Requests whose last bytes come all at once would go on all at once.*
    pub async fn spend<F: Future>(&self, whose: &Sender, work: F) -> F::Output {
        let mut work = pin!(work);
        loop {
            let part = poll_fn(|context| {
                let Worked { done, took, costs } = self.works(|| work.as_mut().poll(context));
                self.charge(whose, costs);
                self.spent.set(self.spent.get().saturating_add(took));
                Poll::Ready(done)
            });
            if let Poll::Ready(done) = part.await {
                return done;
            }
            // Waits until the work is woken.
            let mut waits = true;
            poll_fn(|_| if std::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) }).await;
            self.turn(whose).await;
        }
    }

    /// Does a holder's play: at once, unless they have spent their own part.
    pub async fn play<F: Future>(&self, whose: &Sender, work: F) -> F::Output {
        let (own, mut work) = (of(&self.play, whose, Turns::of_play), pin!(work));
        let mut place = own.places.acquire().await;
        let is_beyond = own.owed_until().is_some();
        let _turn = if is_beyond {
            drop(place);
            place = own.places.acquire_many(AT_ONCE_OF_PLAY).await;
            let turn = self.beyond.places.acquire().await;
            self.beyond.wait().await;
            Some(turn)
        } else {
            None
        };
        let done = poll_fn(|context| {
            let Worked { done, costs, .. } = self.works(|| work.as_mut().poll(context));
            own.charge(costs);
            if is_beyond {
                self.charge_part(&self.beyond, costs);
            }
            done
        })
        .await;
        drop(place);
        done
    }

    /// Takes a new connection in its turn and its address's, or not at all if too many of the address wait. *Attack:
    /// many addresses open connections without end, each within its rate, and each takes longer to set up and to end
    /// than a request.*
    pub async fn takes<T>(&self, from: IpAddr, connection: impl FnOnce() -> T) -> Option<T> {
        let newcomer = Newcomer::new(self, from);
        let most = NEWCOMERS.checked_div(self.newcomers_by.borrow().len()).unwrap_or_default().max(NEWCOMERS_EACH);
        // The map and this one hold it, too.
        if Rc::strong_count(&newcomer.own) > most.saturating_add(1) {
            return None;
        }
        let _turn = newcomer.turn().await;
        let begun = Instant::now();
        let taken = connection();
        self.charge_part(&self.newcomers, A_CONNECTION.saturating_add(begun.elapsed()));
        Some(taken)
    }

    /// Greets a new connection under TLS, in such a turn, too, because signing takes long. The rest, after the client
    /// has answered, takes less and waits for no turn. *Attack: thousands of addresses ask for greetings, and a player
    /// who connects waits among them until the time for their greeting is over.*
    pub async fn greets<F: Future>(&self, from: IpAddr, greeting: impl FnOnce() -> F) -> F::Output {
        let newcomer = Newcomer::new(self, from);
        let mut turn = Some(newcomer.turn().await);
        let mut greeting = pin!(async { greeting().await });
        poll_fn(|context| {
            let begun = Instant::now();
            let part = greeting.as_mut().poll(context);
            let took = begun.elapsed();
            self.charge_part(&self.newcomers, took);
            self.spent.set(self.spent.get().saturating_add(took));
            turn.take();
            part
        })
        .await
    }

    /// Charges one of the parts, which has less while others are used.
    fn charge_part(&self, part: &Turns, time: Duration) {
        let (parts, now) = ([&self.strangers, &self.holders, &self.newcomers, &self.beyond], Instant::now());
        let used = parts.into_iter().map(|other| u32::from(std::ptr::eq(other, part) || other.next.get() > now));
        part.charge_as_one_of(ALL_PARTS.saturating_mul(used.sum()), time);
    }

    /// Charges so much time to a sender.
    pub fn charge(&self, whose: &Sender, time: Duration) {
        if let Some(little) = self.little(whose) {
            return little.charge(time);
        }
        if let Sender::Holder(_) = whose {
            self.of(whose).charge(time);
        }
        self.charge_part(self.all(whose), time);
    }
}

/// A new connection that waits. With the last one of an address, the share forgets the address.
struct Newcomer<'a> {
    share: &'a Share,
    from: IpAddr,
    own: Rc<Semaphore>,
}

impl<'a> Newcomer<'a> {
    fn new(share: &'a Share, from: IpAddr) -> Self {
        let own =
            share.newcomers_by.borrow_mut().entry(from).or_insert_with(|| Rc::new(Semaphore::const_new(1))).clone();
        Newcomer { share, from, own }
    }

    /// Waits for a turn. It lasts until the returned value is dropped.
    async fn turn(&self) -> impl Sized {
        let of_address = self.own.acquire().await;
        let of_all = self.share.newcomers.places.acquire().await;
        self.share.newcomers.wait().await;
        (of_all, of_address)
    }
}

impl Drop for Newcomer<'_> {
    fn drop(&mut self) {
        if Rc::strong_count(&self.own) == 2 {
            self.share.newcomers_by.borrow_mut().remove(&self.from);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub mod tests {
    use super::*;
    use crate::edge::turns::{MOST_OWED, OTHERS_OF_A_LITTLE, OTHERS_OF_PLAY, SAVED, SAVED_FOR_PLAY, house_worked};
    use crate::ops::tokens::Role;
    use fairshoe_fairness::PlayerId;

    pub fn stranger(last: u8) -> Sender {
        Sender::Address(IpAddr::from([192, 0, 2, last]))
    }

    pub fn player(name: &str) -> Sender {
        Sender::Holder(Role::Player(PlayerId::parse(name).unwrap()))
    }

    /// A share whose holders have read their little.
    pub fn of_readers() -> Share {
        let share = Share::default();
        for name in ["alice", "bob", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"] {
            of(&share.little, &player(name), Turns::of_a_little).next.set(Instant::now() + Duration::from_secs(3600));
        }
        share
    }

    /// Tells whether this sender has a turn within a moment.
    async fn has_a_turn(share: &Share, whose: &Sender) -> bool {
        tokio::time::timeout(Duration::from_millis(10), share.turn(whose)).await.is_ok()
    }

    /// Spends more than anybody may owe.
    pub fn overspend(share: &Share, whose: &Sender) {
        share.charge(whose, Duration::from_secs(3600));
    }

    #[test]
    fn what_was_done_is_charged_before_the_rest_is_waited_for() {
        actix_web::rt::System::new().block_on(async {
            let (share, begun, time) = (of_readers(), Instant::now(), Duration::from_millis(2));
            let work = async {
                while begun.elapsed() < time {}
                std::future::pending::<()>().await;
            };
            let whose = stranger(1);
            let mut spending = pin!(share.spend(&whose, work));
            drop(tokio::time::timeout(Duration::from_millis(1), &mut spending).await);
            assert!(share.strangers.next.get() >= begun + time * 4);
        });
    }

    #[test]
    fn what_waited_for_its_client_goes_on_in_its_turn() {
        actix_web::rt::System::new().block_on(async {
            for whose in [stranger(1), player("alice")] {
                let (share, polls) = (of_readers(), Cell::new(0));
                let work = poll_fn(|context| {
                    polls.set(polls.get() + 1);
                    context.waker().wake_by_ref();
                    Poll::<()>::Pending
                });
                let mut spending = pin!(share.spend(&whose, work));
                assert!(poll_fn(|context| Poll::Ready(spending.as_mut().poll(context))).await.is_pending());
                assert_eq!(polls.get(), 1);
                overspend(&share, &whose);
                drop(tokio::time::timeout(Duration::from_millis(10), &mut spending).await);
                assert_eq!(polls.get(), 1, "others have spent what there is");
            }
        });
    }

    #[test]
    fn strangers_wait_for_each_other_and_holders_for_all_of_them_together() {
        actix_web::rt::System::new().block_on(async {
            let (one, other, alice, bob) = (stranger(1), stranger(2), player("alice"), player("bob"));
            for (spends, waits) in [(&one, [true, true, false, false]), (&alice, [false, false, true, true])] {
                let share = of_readers();
                overspend(&share, spends);
                for (whose, waits) in [&one, &other, &alice, &bob].into_iter().zip(waits) {
                    assert_eq!(has_a_turn(&share, whose).await, !waits, "{whose:?} after {spends:?}");
                }
            }
        });
    }

    /// Attack: two dozen players follow a quick wheel forty times each.
    #[test]
    fn whoever_reads_a_little_waits_for_no_other_reader() {
        actix_web::rt::System::new().block_on(async {
            let (share, carol) = (of_readers(), player("carol"));
            overspend(&share, &player("alice"));
            assert!(!has_a_turn(&share, &player("bob")).await && has_a_turn(&share, &carol).await);
            share.charge(&carol, SAVED_FOR_PLAY / OTHERS_OF_A_LITTLE / 2);
            assert!(has_a_turn(&share, &carol).await);
            share.charge(&carol, 2 * SAVED_FOR_PLAY);
            assert!(!has_a_turn(&share, &carol).await, "that was more than a little");
        });
    }

    /// Attack: strangers, newcomers, readers and those who play beyond measure come all at once.
    #[test]
    fn all_parts_together_have_a_third_of_the_time_and_one_alone_its_own() {
        let (share, time) = (of_readers(), Duration::from_millis(50));
        let charged = |part: &Turns| {
            let before = part.next.get().max(Instant::now());
            share.charge_part(part, time);
            part.next.get() - before
        };
        assert!(charged(&share.strangers) < 5 * time, "a quarter is theirs alone");
        assert!((6 * time..7 * time).contains(&charged(&share.holders)), "two have a third");
        assert!((9 * time..10 * time).contains(&charged(&share.beyond)));
        assert!((12 * time..13 * time).contains(&charged(&share.newcomers)));
        assert!((12 * time..13 * time).contains(&charged(&share.strangers)), "a twelfth each");
        assert!(share.newcomers.next.get() < Instant::now() + 13 * time, "and none owes what another spent");
    }

    /// Attack: each of many players reads within their own part.
    #[test]
    fn all_holders_have_a_quarter_of_the_time_and_one_alone_leaves_the_others_theirs() {
        let (share, time) = (of_readers(), Duration::from_millis(10));
        let begun = Instant::now();
        (0..8).for_each(|n| share.charge(&player(&format!("p{n}")), time));
        assert!(share.holders.next.get() >= begun + 8 * time * (1 + OTHERS_OF_HOLDERS));
        let (share, begun) = (of_readers(), Instant::now());
        (0..8).for_each(|_| share.charge(&player("alice"), time));
        let owes = |turns: &Turns| turns.next.get().saturating_duration_since(begun);
        assert!(
            owes(&share.of(&player("alice"))) >= 2 * owes(&share.holders) - time,
            "they wait longer than the others"
        );
    }

    #[test]
    fn a_turn_comes_within_a_second_however_much_is_charged_meanwhile() {
        actix_web::rt::System::new().block_on(async {
            for whose in [stranger(1), player("alice")] {
                let share = of_readers();
                overspend(&share, &whose);
                let latest = Instant::now() + MOST_OWED;
                let turn = share.turn(&whose);
                let mut turn = pin!(turn);
                // It is being waited for, and others are charged.
                drop(tokio::time::timeout(Duration::from_millis(1), &mut turn).await);
                overspend(&share, &whose);
                assert!(share.of(&whose).next.get().max(share.strangers.next.get()) <= Instant::now() + MOST_OWED);
                tokio::time::timeout(Duration::from_secs(60), turn).await.unwrap();
                assert!(Instant::now() + SAVED >= latest, "and no sooner");
            }
        });
    }

    #[test]
    fn new_connections_have_a_third_of_the_time_and_not_all_wait_for_it() {
        actix_web::rt::System::new().block_on(async {
            let (share, begun) = (Rc::new(of_readers()), Instant::now());
            let from = |n: u32| IpAddr::from(n.to_be_bytes());
            for n in 0..100 {
                assert_eq!(share.takes(from(n), || ()).await, Some(()));
            }
            assert!(share.newcomers_by.borrow().is_empty(), "nobody is remembered who does not wait");
            assert!(begun.elapsed() >= 99 * A_CONNECTION * (1 + OTHERS_OF_NEWCOMERS) - SAVED);
            assert!(share.strangers.owed_until().is_none() && share.holders.owed_until().is_none());
            share.newcomers.charge(Duration::from_secs(3600));
            let mut waiting = Vec::new();
            let mut waits = async |n| {
                let mut one = Box::pin(share.takes(from(n), || ()));
                let waits = poll_fn(|context| Poll::Ready(one.as_mut().poll(context))).await.is_pending();
                waiting.push(one);
                waits
            };
            for _ in 0..NEWCOMERS {
                assert!(waits(1).await);
            }
            assert!(!waits(1).await, "they have as many as wait");
            assert!(waits(2).await && waits(2).await, "others have room beside them");
            for _ in 0..NEWCOMERS_EACH {
                for n in 3..100 {
                    assert!(waits(n).await, "many come, and each may open as many as a browser does");
                }
            }
            assert!(!waits(3).await, "and no more");
            waiting.clear();
            assert!(share.newcomers_by.borrow().is_empty(), "nor is whoever breaks off");
        });
    }

    /// Attack: thousands of addresses ask for what takes long, one after another, and a player connects under TLS.
    #[test]
    fn whoever_greets_waits_for_newcomers_alone_and_pays_among_them() {
        actix_web::rt::System::new().block_on(async {
            let (share, from) = (of_readers(), |n: u8| IpAddr::from([192, 0, 2, n]));
            overspend(&share, &stranger(1));
            let greets = |n, time: Duration| {
                share.greets(from(n), move || async move {
                    let begun = Instant::now();
                    while begun.elapsed() < time {}
                    // Its client answers.
                    actix_web::rt::task::yield_now().await;
                })
            };
            let soon = Duration::from_millis(100);
            tokio::time::timeout(soon, greets(1, 5 * soon)).await.unwrap();
            assert!(share.spent.get() >= 5 * soon, "nobody pays for it again");
            let mut next = pin!(greets(2, Duration::ZERO));
            assert!(tokio::time::timeout(soon, &mut next).await.is_err(), "a third of the time is theirs");
            assert!(share.strangers.owed_until() < Some(Instant::now() + MOST_OWED), "others do not pay for it");
            next.await;
            assert!(share.newcomers_by.borrow().is_empty());
        });
    }

    #[test]
    fn whoever_plays_beyond_measure_waits_for_themselves_and_keeps_nobody() {
        actix_web::rt::System::new().block_on(async {
            let (share, [alice, bob]) = (of_readers(), [player("alice"), player("bob")]);
            let is_done =
                async |whose| tokio::time::timeout(Duration::from_millis(10), share.play(whose, async {})).await;
            let works = async |whose, time| {
                let begun = Instant::now();
                share.play(whose, async { while begun.elapsed() < time {} }).await;
            };
            works(&alice, Duration::from_millis(20)).await;
            // One of theirs is done at once, and then they have a part of the time.
            works(&alice, Duration::from_millis(50)).await;
            assert!(is_done(&alice).await.is_err() && is_done(&bob).await.is_ok());
            assert!(share.holders.owed_until().is_none(), "nor does who reads wait for it");
        });
    }

    /// Attack: a deal that a limit of one's own forbids, again and again; or a command that is signed well, and refused.
    #[test]
    fn what_the_house_refuses_is_paid_by_whoever_sent_it_and_few_are_before_others_at_the_house() {
        actix_web::rt::System::new().block_on(async {
            let time = Duration::from_millis(20);
            let refused = || async {
                actix_web::rt::task::yield_now().await;
                house_worked(time);
            };
            let (share, [alice, bob]) = (Share::of_workers(2), [player("alice"), player("bob")]);
            let begun = Instant::now();
            house_worked(MOST_OWED);
            share.play(&alice, refused()).await;
            let owed = of(&share.play, &alice, Turns::of_play).next.get().saturating_duration_since(begun);
            assert!(owed >= MOST_OWED.min(2 * time * (1 + OTHERS_OF_PLAY)), "of one house for two workers: {owed:?}");
            share.spend(&stranger(1), refused()).await;
            let owed = share.strangers.next.get().saturating_duration_since(begun);
            assert!(owed >= 2 * time * (1 + OTHERS) && owed < MOST_OWED, "{owed:?}");
            let bobs = Rc::new(of_readers());
            let payer = Payer::new(bobs.clone(), None);
            payer.is(Some(bob.clone()), true);
            payer.makes(|| house_worked(time));
            let owed = of(&bobs.play, &bob, Turns::of_play).next.get().saturating_duration_since(begun);
            assert!(owed >= time * (1 + OTHERS_OF_PLAY), "its answer comes behind a note: {owed:?}");
            // So many wait for the house at once.
            let under_way = Cell::new(0);
            let waits = || async {
                under_way.set(under_way.get() + 1);
                std::future::pending::<()>().await;
            };
            let mut all: Vec<_> = (0..100).map(|_| Box::pin(share.play(&bob, waits()))).collect();
            for one in &mut all {
                assert!(poll_fn(|context| Poll::Ready(one.as_mut().poll(context))).await.is_pending());
            }
            assert_eq!(under_way.get(), AT_ONCE_OF_PLAY);
        });
    }

    #[test]
    fn whoever_owes_is_not_forgotten() {
        let (share, alice) = (of_readers(), player("alice"));
        overspend(&share, &alice);
        (0..2 * REMEMBERED).for_each(|n| drop(share.of(&player(&format!("p{n}")))));
        assert!(share.of(&alice).owed_until().is_some());
        assert!(share.by.borrow().len() <= REMEMBERED + 1);
    }
}
