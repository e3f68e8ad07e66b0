//! The part of a worker's time that strangers may take together (spec/operating.md, "What strangers may hold"): however
//! many they are and whatever each may ask for, play finds the rest.

use actix_web::http::Method;
use actix_web::rt::time::{Instant, sleep_until};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// For each moment that a stranger's request takes, so many go by before the next one begins.
const OTHERS: u32 = 3;

/// Reading a request and writing a small reply take about so long.
const LEAST: Duration = Duration::from_micros(50);

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

    /// Does a stranger's work, and notes the time that it takes.
    pub async fn spend<F: Future>(&self, work: F) -> F::Output {
        let (mut work, mut spent) = (pin!(work), LEAST);
        let done = poll_fn(|context| {
            let begun = Instant::now();
            let poll = work.as_mut().poll(context);
            spent = spent.saturating_add(begun.elapsed());
            poll
        })
        .await;
        self.next.set(self.next.get().max(Instant::now()) + spent.saturating_mul(1 + OTHERS));
        done
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
}
