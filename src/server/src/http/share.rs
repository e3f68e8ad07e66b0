//! The part of a worker's time that strangers may take together (spec/operating.md, "What strangers may hold"): however
//! many they are and whatever each may ask for, play finds the rest.

use crate::connections::Line;
use actix_web::http::Method;
use actix_web::rt::time::{Instant, sleep_until};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Semaphore;

/// For each moment that a stranger's request takes, so many go by before the next one begins.
const OTHERS: u32 = 3;

/// Reading a request and writing a small reply take about so long.
const LEAST: Duration = Duration::from_micros(50);

/// What reading a byte of a request takes: of a body in small packets, of a head with many lines.
const A_BYTE: Duration = Duration::from_nanos(4);

/// Strangers who come after a while find so much of their part unspent.
const SAVED: Duration = Duration::from_millis(5);

/// At so many addresses, those with nothing that waits are forgotten.
const REMEMBERED: usize = 1024;

/// Long lists that everybody may read and nobody needs in play: they come out of the strangers' share, whoever asks.
const LISTS: [&str; 5] = ["/v1/tables", "/v1/rulesets", "/v1/structures", "/v1/tournaments", "/v1/players"];

/// Whether a request is for one of these lists. The operator's commands at the same paths are none.
pub fn is_list(method: &Method, path: &str) -> bool {
    *method == Method::GET && LISTS.contains(&path)
}

/// One worker's.
pub struct Share {
    /// They take turns: an address has one request at a time that waits for its turn, and behind it its others.
    turns: Semaphore,
    by: RefCell<HashMap<Option<IpAddr>, Rc<Semaphore>>>,
    /// When the next may begin.
    next: Cell<Instant>,
}

impl Default for Share {
    fn default() -> Self {
        Share { turns: Semaphore::const_new(1), by: RefCell::default(), next: Cell::new(Instant::now()) }
    }
}

impl Share {
    /// Waits for a turn of this address's.
    pub async fn turn(&self, whose: Option<IpAddr>) {
        let own = {
            let mut by = self.by.borrow_mut();
            if by.len() >= REMEMBERED {
                // An entry that only the map holds belongs to an address with nothing that waits.
                by.retain(|_, own| Rc::strong_count(own) > 1);
            }
            by.entry(whose).or_insert_with(|| Rc::new(Semaphore::const_new(1))).clone()
        };
        // They are never closed.
        let _own = own.acquire().await;
        let _turn = self.turns.acquire().await;
        if self.next.get() > Instant::now() + SAVED {
            sleep_until(self.next.get() - SAVED).await;
        }
    }

    /// Does a stranger's work, and charges the time that it takes at once. *Many that wait for their clients in the middle
    /// would be charged when all of it is done.* What waited goes on when its address has a turn again. *Requests whose last
    /// bytes come all at once would go on all at once.*
    pub async fn spend<F: Future>(&self, whose: Option<IpAddr>, line: Option<&Line>, work: F) -> F::Output {
        let (mut work, _rest) = (pin!(work), Rest { share: self, line });
        loop {
            let part = poll_fn(|context| {
                let begun = Instant::now();
                let part = work.as_mut().poll(context);
                self.charge(begun.elapsed());
                Poll::Ready(part)
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

    /// Charges so much time.
    pub fn charge(&self, time: Duration) {
        self.next.set(self.next.get().max(Instant::now()) + time.saturating_mul(1 + OTHERS));
    }
}

/// A longer body than any that is sent in play, in bytes.
const LONG_BODY: usize = 4 << 10;

/// The share of whose turns a long body is parsed in, and whose turn it is: of a request that comes out of none else, unless
/// it is the operator's. *One player's bodies could take all the time there is.*
#[derive(Clone)]
pub struct Beside(pub Rc<Share>, pub Option<IpAddr>);

impl Beside {
    /// Does what is to be done with a body of so many bytes: with a long one in turn.
    pub async fn work<T>(beside: Option<Beside>, length: usize, work: impl FnOnce() -> T) -> T {
        let Some(Beside(share, whose)) = beside.filter(|_| length > LONG_BODY) else { return work() };
        share.turn(whose).await;
        share.spend(whose, None, async { work() }).await
    }
}

/// What reading a request and writing its reply take; charged when it is over, however it ends. *A client that closes just
/// before the end of its body would pay for none of it.*
struct Rest<'a> {
    share: &'a Share,
    line: Option<&'a Line>,
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        let bytes = u32::try_from(self.line.map_or(0, Line::heard)).unwrap_or(u32::MAX);
        self.share.charge(LEAST.saturating_add(A_BYTE.saturating_mul(bytes)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_among_strangers_and_a_command_at_its_path_is_not_given_there() {
        for path in LISTS {
            assert!(is_list(&Method::GET, path), "{path}");
            assert!(!is_list(&Method::POST, path), "{path}");
        }
        assert!(!is_list(&Method::GET, "/v1/tables/live-blackjack"), "a table is looked at in play");
    }

    #[test]
    fn who_breaks_off_is_charged_for_what_was_done_until_then() {
        actix_web::rt::System::new().block_on(async {
            let share = Share::default();
            let before = share.next.get();
            let broken_off = share.spend(None, None, std::future::pending::<()>());
            drop(tokio::time::timeout(Duration::from_millis(1), broken_off).await);
            assert!(share.next.get() >= before + LEAST * 4);
        });
    }

    #[test]
    fn what_was_done_is_charged_before_the_rest_is_waited_for() {
        actix_web::rt::System::new().block_on(async {
            let (share, begun, time) = (Share::default(), Instant::now(), Duration::from_millis(2));
            let work = async {
                while begun.elapsed() < time {}
                std::future::pending::<()>().await;
            };
            let mut spending = pin!(share.spend(None, None, work));
            drop(tokio::time::timeout(Duration::from_millis(1), &mut spending).await);
            assert!(share.next.get() >= begun + time * 4);
        });
    }

    #[test]
    fn what_waited_for_its_client_goes_on_in_its_turn() {
        actix_web::rt::System::new().block_on(async {
            let (share, polls) = (Share::default(), Cell::new(0));
            let work = poll_fn(|context| {
                polls.set(polls.get() + 1);
                context.waker().wake_by_ref();
                Poll::<()>::Pending
            });
            let mut spending = pin!(share.spend(None, None, work));
            assert!(poll_fn(|context| Poll::Ready(spending.as_mut().poll(context))).await.is_pending());
            assert_eq!(polls.get(), 1);
            share.next.set(Instant::now() + Duration::from_secs(3600));
            drop(tokio::time::timeout(Duration::from_millis(10), &mut spending).await);
            assert_eq!(polls.get(), 1, "others have spent what strangers have for an hour");
        });
    }

    #[test]
    fn a_long_body_is_parsed_in_turn_and_a_short_one_at_once() {
        actix_web::rt::System::new().block_on(async {
            let share = Rc::new(Share::default());
            share.charge(Duration::from_secs(3600));
            for (length, waits) in [(LONG_BODY, false), (LONG_BODY + 1, true)] {
                let work = Beside::work(Some(Beside(share.clone(), None)), length, || ());
                let in_time = tokio::time::timeout(Duration::from_millis(10), work).await;
                assert_eq!(in_time.is_err(), waits, "{length}");
            }
        });
    }
}
