//! The parts of a worker's time that strangers may take together, and the holders of tokens beside play, each and all of
//! them (spec/operating.md, "What strangers may hold"): however many they are and whatever each may ask for, play finds the
//! rest.

use crate::edge::line::Takes;
use crate::edge::turns::{AT_ONCE_OF_PLAY, AT_THE_HOUSE, Turns};
use crate::read::lanes::Sender;
use actix_web::rt::time::Instant;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::Semaphore;

/// For each moment that a stranger's request takes, so many go by before the next one begins. All parts together leave play a
/// quarter of the time. *Attack: strangers, newcomers, readers and those who play beyond measure come all at once.*
const OTHERS: u32 = 3;

/// The same of all holders who read. *Attack: eight players who only read, each within their own part, take every worker.*
const OTHERS_OF_HOLDERS: u32 = 3;

/// The same of one of them; of new connections; and of those who play beyond measure.
const OTHERS_OF_FEW: u32 = 7;

/// The runtime's own time around each piece of a connection's work. *Many that wait with the rest of a body wake at once, and
/// each does next to nothing.*
const AROUND: Duration = Duration::from_micros(5);

/// Time to take a connection and to end it, outside of its work.
const A_CONNECTION: Duration = Duration::from_micros(50);

/// If a head takes longer, the connection's last sender pays for it. *One that comes byte by byte.*
const MOST_DUE: Duration = Duration::from_millis(1);

/// At so many senders, those are forgotten who have nothing that waits and owe nothing.
const REMEMBERED: usize = 1024;

/// So many new connections of one address wait for their turn, as after a restart; fewer of each where many addresses wait.
const NEWCOMERS: usize = 512;

/// One worker's.
pub struct Share {
    strangers: Turns,
    holders: Turns,
    /// Each sender has one request at a time that waits for a turn of all of their kind, and behind it their others. A
    /// holder has a part of their own, so that one alone leaves the other holders theirs.
    by: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// Of the little that each holder reads before they wait for anybody.
    little: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// Of what each holder plays.
    play: RefCell<HashMap<Sender, Rc<Turns>>>,
    /// Of those who play more than anybody plays.
    beyond: Turns,
    /// Of new connections and of their greetings under TLS, whosever they are.
    newcomers: Turns,
    /// Those of an address that wait.
    newcomers_by: RefCell<HashMap<IpAddr, Rc<Semaphore>>>,
    /// The time that `spend` and `wrote` have charged so far.
    spent: Cell<Duration>,
    /// So many workers have such parts, and there is one house.
    workers: u32,
}

impl Default for Share {
    fn default() -> Self {
        Share::of_workers(1)
    }
}

/// What came of going on with some work, and how long it took here.
struct Part<T> {
    done: Poll<T>,
    took: Duration,
    /// The same with the house's time.
    costs: Duration,
}

impl Share {
    /// One of so many workers'.
    pub fn of_workers(workers: usize) -> Self {
        Share {
            workers: u32::try_from(workers).unwrap_or(u32::MAX),
            strangers: Turns::new(OTHERS),
            holders: Turns::new(OTHERS_OF_HOLDERS),
            newcomers: Turns::new(OTHERS_OF_FEW),
            by: RefCell::default(),
            newcomers_by: RefCell::default(),
            little: RefCell::default(),
            play: RefCell::default(),
            beyond: Turns::new(OTHERS_OF_FEW),
            spent: Cell::default(),
        }
    }

    /// Goes on with some work.
    fn part<F: Future>(&self, work: Pin<&mut F>, context: &mut Context<'_>) -> Part<F::Output> {
        AT_THE_HOUSE.take();
        let begun = Instant::now();
        let done = work.poll(context);
        let took = begun.elapsed();
        Part { done, took, costs: took.saturating_add(AT_THE_HOUSE.take().saturating_mul(self.workers)) }
    }
}

/// A sender's turns.
fn of(all: &RefCell<HashMap<Sender, Rc<Turns>>>, whose: &Sender, new: fn() -> Turns) -> Rc<Turns> {
    let mut by = all.borrow_mut();
    if let Some(own) = by.get(whose) {
        return own.clone();
    }
    if by.len() >= REMEMBERED {
        // What only the map holds belongs to whoever has nothing that waits.
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

    /// A holder's little, if they have some of it left.
    fn little(&self, whose: &Sender) -> Option<Rc<Turns>> {
        let Sender::Holder(_) = whose else { return None };
        Some(of(&self.little, whose, Turns::of_a_little)).filter(|little| little.owed_until().is_none())
    }

    /// Waits for a turn of this sender's.
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

    /// Does a sender's work, and charges the time that it takes at once. *Many that wait for their clients in the middle
    /// would be charged when all of it is done.* What waited goes on when its sender has a turn again. *Requests whose last
    /// bytes come all at once would go on all at once.*
    pub async fn spend<F: Future>(&self, whose: &Sender, work: F) -> F::Output {
        let mut work = pin!(work);
        loop {
            let part = poll_fn(|context| {
                let Part { done, took, costs } = self.part(work.as_mut(), context);
                self.charge(whose, costs);
                self.spent.set(self.spent.get().saturating_add(took));
                Poll::Ready(done)
            });
            if let Poll::Ready(done) = part.await {
                return done;
            }
            // Until what it waits for wakes it.
            let mut waits = true;
            poll_fn(|_| if std::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) }).await;
            self.turn(whose).await;
        }
    }

    /// Does what a holder plays: at once, unless they have played more than anybody plays.
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
            let Part { done, costs, .. } = self.part(work.as_mut(), context);
            own.charge(costs);
            if is_beyond {
                self.beyond.charge(costs);
            }
            done
        })
        .await;
        drop(place);
        done
    }

    /// Takes a new connection in its turn, each address in its own, unless too many of the address wait for theirs. *Attack:
    /// many addresses open connections without end, each within its rate, and each takes longer to set up and to end than a
    /// request.*
    pub async fn takes<T>(&self, from: IpAddr, connection: impl FnOnce() -> T) -> Option<T> {
        let newcomer = Newcomer::new(self, from);
        let most = NEWCOMERS.checked_div(self.newcomers_by.borrow().len()).unwrap_or_default().max(1);
        // Beside the map and this one.
        if Rc::strong_count(&newcomer.own) > most.saturating_add(1) {
            return None;
        }
        let _turn = newcomer.turn().await;
        let begun = Instant::now();
        let taken = connection();
        self.newcomers.charge(A_CONNECTION.saturating_add(begun.elapsed()));
        Some(taken)
    }

    /// Greets a new connection under TLS: in such a turn, too, for it signs. The end of it, once its client has answered, takes
    /// less, and waits for nothing. *Attack: thousands of addresses ask for what takes long, and a player who connects waits
    /// among them until the time for their greeting is over.*
    pub async fn greets<F: Future>(&self, from: IpAddr, greeting: impl FnOnce() -> F) -> F::Output {
        let newcomer = Newcomer::new(self, from);
        let mut turn = Some(newcomer.turn().await);
        let mut greeting = pin!(async { greeting().await });
        poll_fn(|context| {
            let begun = Instant::now();
            let part = greeting.as_mut().poll(context);
            let took = begun.elapsed();
            self.newcomers.charge(took);
            self.spent.set(self.spent.get().saturating_add(took));
            turn.take();
            part
        })
        .await
    }

    /// Charges so much time.
    pub fn charge(&self, whose: &Sender, time: Duration) {
        if let Some(little) = self.little(whose) {
            return little.charge(time);
        }
        if let Sender::Holder(_) = whose {
            self.of(whose).charge(time);
        }
        self.all(whose).charge(time);
    }
}

/// A new connection that waits. Its address is forgotten with the last one.
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

    /// Waits for a turn, which lasts as long as what this gives.
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

/// Whoever pays for what comes on a connection: the sender of its last request. *A proxy's connection serves many: a stranger
/// does not pay for the requests of those before.* Reading what comes and writing the reply are outside of what `spend` does.
pub struct Payer {
    share: Rc<Share>,
    /// Nobody: the operator, or a proxy that has not sent anything yet.
    whose: RefCell<Option<Sender>>,
    /// They play, which costs them nothing unless what they send takes long to read.
    plays: Cell<bool>,
    /// They have sent a request, and what comes is not the next one's.
    has_asked: Cell<bool>,
    /// Time for a head so far, whose sender is not known yet; of who plays, for what they send.
    due: Cell<Duration>,
    /// That has taken more than it may.
    is_slow: Cell<bool>,
    /// Something came from the socket.
    came: Cell<bool>,
}

impl Payer {
    /// Until a request comes, this sender.
    pub fn new(share: Rc<Share>, whose: Option<Sender>) -> Rc<Self> {
        let (plays, has_asked, is_slow, came) = Default::default();
        Rc::new(Payer {
            share,
            whose: RefCell::new(whose),
            plays,
            has_asked,
            is_slow,
            came,
            due: Cell::new(A_CONNECTION),
        })
    }

    /// A request came that is this sender's, and whether it is play; none: one whose time is not counted.
    pub fn is(&self, whose: Option<Sender>, plays: bool) {
        self.whose.replace(whose);
        self.plays.set(plays);
        self.has_asked.set(true);
        self.is_slow.set(false);
        if plays {
            self.due.take();
        }
    }

    /// The socket was read for so long, and something came. *Records of TLS that carry nothing, in the middle of a stream or
    /// of play: each makes new keys. A player's head that comes byte by byte.*
    pub fn socket_was_read(&self, time: Duration) {
        self.came.set(true);
        if self.plays.get() {
            self.due.set(self.due.get().saturating_add(AROUND).saturating_add(time));
            if self.due.get() > MOST_DUE {
                self.is_slow.set(true);
                self.pay();
            }
        }
    }

    /// Does the connection's work, and charges the time that reading takes, except of what `spend` charges, and of play.
    /// *Bodies that nobody reads, in packets or in chunks of a byte; requests that are none, and end their connections.*
    pub async fn measured<F: Future>(self: Rc<Self>, takes: impl Fn() -> Takes, work: F) -> F::Output {
        let (mut work, _rest) = (pin!(work), Rest(&self));
        poll_fn(|context| {
            let (reads, spent, begun) = (takes() != Takes::Nothing, self.share.spent.get(), Instant::now());
            let done = work.as_mut().poll(context);
            if (self.came.take() || reads) && !self.plays.get() {
                let spent = self.share.spent.get().saturating_sub(spent);
                self.read_for(AROUND.saturating_add(begun.elapsed()).saturating_sub(spent), takes());
            }
            done
        })
        .await
    }

    /// Reading took so long, and this is read next.
    fn read_for(&self, time: Duration, next: Takes) {
        self.due.set(self.due.get().saturating_add(time));
        if !self.has_asked.get() && self.due.get() > MOST_DUE {
            self.is_slow.set(true);
        }
        if self.has_asked.get() || self.is_slow.get() {
            self.pay();
        }
        if next == Takes::Head {
            self.has_asked.set(false);
        }
    }

    /// Makes a piece of a reply, and charges what that took: also of play, which may wait here for what the house says.
    pub fn makes<T>(&self, piece: impl FnOnce() -> T) -> T {
        AT_THE_HOUSE.take();
        let begun = Instant::now();
        let made = piece();
        let (took, at_the_house) = (begun.elapsed(), AT_THE_HOUSE.take().saturating_mul(self.share.workers));
        let costs = took.saturating_add(at_the_house);
        match &*self.whose.borrow() {
            Some(whose) if self.plays.get() => of(&self.share.play, whose, Turns::of_play).charge(costs),
            Some(whose) => {
                self.share.charge(whose, costs);
                self.share.spent.set(self.share.spent.get().saturating_add(took));
            }
            None => {}
        }
        made
    }

    /// Writing took so long. It is charged as what [`Share::spend`] does, and of play it is not.
    pub fn wrote(&self, time: Duration) {
        if let Some(whose) = self.whose.borrow().as_ref().filter(|_| !self.plays.get()) {
            self.share.charge(whose, time);
            self.share.spent.set(self.share.spent.get().saturating_add(time));
        }
    }

    /// A turn of the sender's, if they have to wait for one.
    pub fn turn(&self) -> Option<impl Future<Output = ()> + use<>> {
        let (share, whose) = (self.share.clone(), self.whose.borrow().clone().filter(|_| !self.plays.get())?);
        Some(async move { share.turn(&whose).await })
    }

    fn pay(&self) {
        let due = self.due.take();
        if let Some(whose) = &*self.whose.borrow() {
            self.share.charge(whose, due);
        }
    }

    /// Reading what comes has taken long.
    pub fn is_slow(&self) -> bool {
        self.is_slow.get()
    }

    /// Until when what comes is left where it is, if it is: its sender has spent their part.
    pub fn owes_until(&self) -> Option<Instant> {
        let whose = self.whose.borrow();
        let whose = whose.as_ref().filter(|_| self.is_slow.get() || !self.plays.get())?;
        if self.share.little(whose).is_some() {
            return None;
        }
        self.share.of(whose).owed_until().max(self.share.all(whose).owed_until())
    }
}

/// *A client that closes just before the end of its request would pay for none of it.*
struct Rest<'a>(&'a Payer);

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        if !self.0.plays.get() {
            self.0.pay();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::edge::turns::{MOST_OWED, OTHERS_OF_A_LITTLE, OTHERS_OF_PLAY, SAVED, SAVED_FOR_PLAY, house_worked};
    use crate::ops::tokens::Role;
    use fairshoe_fairness::PlayerId;

    fn stranger(last: u8) -> Sender {
        Sender::Address(IpAddr::from([192, 0, 2, last]))
    }

    fn player(name: &str) -> Sender {
        Sender::Holder(Role::Player(PlayerId::parse(name).unwrap()))
    }

    /// One whose holders have read their little.
    fn of_readers() -> Share {
        let share = Share::default();
        for name in ["alice", "bob", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"] {
            of(&share.little, &player(name), Turns::of_a_little).next.set(Instant::now() + Duration::from_secs(3600));
        }
        share
    }

    /// Whether this sender has a turn within a moment.
    async fn has_a_turn(share: &Share, whose: &Sender) -> bool {
        tokio::time::timeout(Duration::from_millis(10), share.turn(whose)).await.is_ok()
    }

    /// Spends more than anybody may owe.
    fn overspend(share: &Share, whose: &Sender) {
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
    fn what_a_connections_work_takes_is_charged_once() {
        actix_web::rt::System::new().block_on(async {
            let (share, time) = (Rc::new(of_readers()), Duration::from_millis(20));
            let payer = Payer::new(share.clone(), Some(stranger(1)));
            let busy = |time: Duration| async move {
                let begun = Instant::now();
                while begun.elapsed() < time {}
            };
            let whose = stranger(1);
            let work = async {
                busy(time).await;
                share.spend(&whose, busy(time)).await;
            };
            let begun = Instant::now();
            payer.measured(|| Takes::Head, work).await;
            let (owed, took) = (share.strangers.next.get() - begun, begun.elapsed());
            assert!(owed >= 8 * time && owed <= took * 6, "{owed:?} of {took:?}");
        });
    }

    #[test]
    fn what_reading_takes_is_paid_by_whoever_sent_it() {
        let (time, owed, body) = (Duration::from_millis(50), Duration::from_millis(40), Takes::Body(1));
        for whose in [stranger(1), player("alice")] {
            let share = Rc::new(of_readers());
            let payer = Payer::new(share.clone(), None);
            payer.read_for(time, body);
            assert_eq!(payer.owes_until(), None, "nobody has asked for anything");
            payer.is(Some(whose.clone()), false);
            payer.read_for(time, body);
            assert!(payer.owes_until().unwrap() >= Instant::now() + owed, "{whose:?}");
            payer.is(Some(stranger(2)), false);
            assert_eq!(payer.owes_until().is_some(), whose == stranger(1), "strangers' is one");
            payer.is(Some(player("bob")), false);
            assert_eq!(payer.owes_until().is_some(), whose == player("alice"), "holders' is another");
            payer.is(None, false);
            payer.read_for(time, body);
            assert_eq!(payer.owes_until(), None, "play waits for nothing");
        }
    }

    /// A proxy's connection serves many.
    #[test]
    fn a_head_is_paid_by_its_own_sender_and_not_by_the_last_one() {
        let (share, time) = (Rc::new(of_readers()), MOST_DUE / 4);
        let payer = Payer::new(share.clone(), None);
        payer.is(Some(player("alice")), false);
        payer.read_for(Duration::ZERO, Takes::Head);
        let before = share.holders.next.get();
        payer.read_for(time, Takes::Head);
        assert_eq!(share.holders.next.get(), before, "its sender is not known");
        payer.is(Some(player("bob")), false);
        payer.read_for(time, Takes::Head);
        assert!(share.of(&player("bob")).next.get() >= before + 2 * time);
    }

    /// Attacks: a head in packets of a byte; a request that is none, which ends its connection.
    #[test]
    fn a_head_that_never_names_its_sender_is_paid_by_whoever_connected() {
        let share = Rc::new(of_readers());
        let payer = Payer::new(share.clone(), Some(stranger(1)));
        payer.read_for(20 * MOST_DUE, Takes::Head);
        assert!(payer.is_slow() && payer.owes_until().is_some(), "the rest of it waits");
        payer.is(None, false);
        assert!(!payer.is_slow(), "it was a player's");
        let share = Rc::new(of_readers());
        let (payer, before) = (Payer::new(share.clone(), Some(stranger(1))), share.strangers.next.get());
        payer.read_for(MOST_DUE / 2, Takes::Head);
        drop(Rest(&payer));
        assert!(share.strangers.next.get() >= before + MOST_DUE, "paid at the connection's end");
    }

    /// Attack: records of TLS that carry nothing, a thousand after each bet, or beside a stream.
    #[test]
    fn reading_that_takes_long_is_paid_by_who_plays_and_by_who_only_listens() {
        let (share, alice) = (Rc::new(of_readers()), player("alice"));
        let payer = Payer::new(share.clone(), None);
        payer.is(Some(alice.clone()), true);
        payer.socket_was_read(MOST_DUE - AROUND);
        assert!(!payer.is_slow() && payer.owes_until().is_none(), "play costs nothing");
        payer.socket_was_read(20 * MOST_DUE);
        assert!(payer.is_slow() && payer.owes_until().is_some(), "what comes next waits");
        payer.is(Some(alice), true);
        assert!(!payer.is_slow() && payer.owes_until().is_none(), "the next request begins anew");
        (0..300).for_each(|_| payer.socket_was_read(Duration::ZERO));
        assert!(payer.is_slow(), "it comes byte by byte");
        actix_web::rt::System::new().block_on(async {
            let payer = Payer::new(share.clone(), Some(stranger(1)));
            let (reader, begun) = (payer.clone(), Instant::now());
            let work = async move {
                while begun.elapsed() < 20 * MOST_DUE {}
                reader.socket_was_read(begun.elapsed());
            };
            payer.measured(|| Takes::Nothing, work).await;
            assert!(share.strangers.owed_until().is_some(), "a stream is open, and nothing is to be read");
        });
    }

    #[test]
    fn new_connections_have_an_eighth_of_the_time_and_not_all_wait_for_it() {
        actix_web::rt::System::new().block_on(async {
            let (share, begun) = (Rc::new(of_readers()), Instant::now());
            let from = |n: u32| IpAddr::from(n.to_be_bytes());
            for n in 0..100 {
                assert_eq!(share.takes(from(n), || ()).await, Some(()));
            }
            assert!(share.newcomers_by.borrow().is_empty(), "nobody is remembered who does not wait");
            assert!(begun.elapsed() >= 99 * A_CONNECTION * (1 + OTHERS_OF_FEW) - SAVED);
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
            assert!(tokio::time::timeout(soon, &mut next).await.is_err(), "an eighth of the time is theirs");
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
            let payer = Payer::new(Rc::new(of_readers()), None);
            payer.is(Some(bob.clone()), true);
            payer.makes(|| house_worked(time));
            let owed = of(&payer.share.play, &bob, Turns::of_play).next.get().saturating_duration_since(begun);
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
    fn what_writing_takes_is_paid_by_who_reads_and_by_nobody_who_plays() {
        let share = Rc::new(of_readers());
        let payer = Payer::new(share.clone(), None);
        for (whose, plays) in [(Some(player("alice")), true), (None, false)] {
            payer.is(whose, plays);
            payer.wrote(Duration::from_secs(1));
            assert!(payer.turn().is_none() && share.holders.owed_until().is_none());
        }
        payer.is(Some(player("alice")), false);
        payer.wrote(Duration::from_secs(1));
        assert!(payer.turn().is_some() && share.holders.owed_until().is_some());
        assert_eq!(share.spent.get(), Duration::from_secs(1), "it is not charged again");
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
