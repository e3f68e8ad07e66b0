//! Charges a connection's work to its sender.

use crate::edge::line::Takes;
use crate::edge::share::{A_CONNECTION, AROUND, MOST_DUE, Share, Worked, of};
use crate::edge::turns::Turns;
use crate::read::lanes::Sender;
use actix_web::rt::time::Instant;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

/// The sender of a connection's last request pays for what comes on it. *A proxy's connection serves many: a stranger
/// does not pay for the requests of those before.* `spend` does not charge reading what comes, nor writing the reply.
pub struct Payer {
    share: Rc<Share>,
    /// The sender; none for the operator, and for a proxy that has not sent anything yet.
    whose: RefCell<Option<Sender>>,
    /// They play, which costs them nothing unless reading it takes long.
    plays: Cell<bool>,
    /// They have sent a request, and the bytes that come belong to it, not to the next one.
    has_asked: Cell<bool>,
    /// The time so far for a head whose sender is not known yet, or for what a player sends.
    due: Cell<Duration>,
    /// Reading it has taken longer than it may.
    is_slow: Cell<bool>,
    /// Something came from the socket.
    came: Cell<bool>,
}

impl Payer {
    /// This sender pays until a request comes.
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

    /// A request of this sender came, which is play or not. With no sender, its time is not counted.
    pub fn is(&self, whose: Option<Sender>, plays: bool) {
        self.whose.replace(whose);
        self.plays.set(plays);
        self.has_asked.set(true);
        self.is_slow.set(false);
        if plays {
            self.due.take();
        }
    }

    /// The socket was read for so long, and something came. *Records of TLS that carry nothing, in the middle of a
    /// stream or of play: each makes new keys. A player's head that comes byte by byte.*
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

    /// Does the connection's work, and charges the time of reading, except for play and for what `spend` charges.
    /// *Bodies that no call reads, in packets or in chunks of a byte; malformed requests, which end their connections.*
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

    /// Reading took so long, and `next` is read next.
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

    /// Makes a piece of a reply, and charges its time, also to play, which may wait here for the house.
    pub fn makes<T>(&self, piece: impl FnOnce() -> T) -> T {
        let Worked { done, took, costs } = self.share.works(piece);
        match &*self.whose.borrow() {
            Some(whose) if self.plays.get() => of(&self.share.play, whose, Turns::of_play).charge(costs),
            Some(whose) => {
                self.share.charge(whose, costs);
                self.share.spent.set(self.share.spent.get().saturating_add(took));
            }
            None => {}
        }
        done
    }

    /// Writing took so long. The sender is charged for it as by [`Share::spend`], but not for play.
    pub fn wrote(&self, time: Duration) {
        if let Some(whose) = self.whose.borrow().as_ref().filter(|_| !self.plays.get()) {
            self.share.charge(whose, time);
            self.share.spent.set(self.share.spent.get().saturating_add(time));
        }
    }

    /// A turn of the sender, if they have to wait for one.
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

    /// The moment until which nothing more is read, if the sender has spent their part.
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
mod tests {
    use super::*;
    use crate::edge::share::tests::{of_readers, player, stranger};

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

    /// Attacks: a head in packets of a byte; a malformed request, which ends its connection.
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
}
