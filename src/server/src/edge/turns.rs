//! Turns of a worker's time. Each part that `share` gives away has its own.

use actix_web::rt::time::{Instant, sleep_until};
use std::cell::Cell;
use std::time::Duration;
use tokio::sync::Semaphore;

/// A sender who comes after a while finds so much of their part unspent.
pub const SAVED: Duration = Duration::from_millis(5);

/// One holder's part for play, one moment in 32 (six hundred bets a second), and the time that they find unspent. A
/// holder who plays more has one request under way, and all such holders share a part. *A holder with three hundred
/// connections has a short request under way on each, and all other players wait behind them.*
pub const OTHERS_OF_PLAY: u32 = 31;
pub const SAVED_FOR_PLAY: Duration = Duration::from_millis(50);

/// The same for the little that one holder reads beside their part of all reading, as much as following a few tables
/// takes. *Attack: two dozen players follow a quick wheel forty times each, and others wait for their own tables.*
pub const OTHERS_OF_A_LITTLE: u32 = 63;

/// A holder has at most so many requests of play under way at a worker. *More would all come before others' bets.*
pub const AT_ONCE_OF_PLAY: u32 = 16;

/// No sender owes more. *Time that is charged after its turn, as for clients who break off, would add up, and the next
/// turn would come in hours.* So the first of those who wait has a turn within this time.
pub const MOST_OWED: Duration = Duration::from_secs(1);

thread_local! {
    /// How long the house worked for the current sender without an entry on the log.
    pub static AT_THE_HOUSE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The house took so long for a question, or for a command that it refused. The current sender pays for that, too. *A
/// refused command uses nothing up. It can be sent for ever, well or badly signed, or against a limit of one's own.*
pub fn house_worked(time: Duration) {
    AT_THE_HOUSE.set(AT_THE_HOUSE.get().saturating_add(time));
}

/// Turns, one after another.
pub struct Turns {
    /// Places for those who have a turn: one, or some for play.
    pub places: Semaphore,
    /// When the next turn may begin.
    pub next: Cell<Instant>,
    others: u32,
    saved: Duration,
}

impl Turns {
    pub fn new(others: u32) -> Self {
        Turns { places: Semaphore::const_new(1), next: Cell::new(Instant::now()), others, saved: SAVED }
    }

    pub fn of_play() -> Self {
        let places = Semaphore::const_new(AT_ONCE_OF_PLAY as usize);
        Turns { saved: SAVED_FOR_PLAY, places, ..Turns::new(OTHERS_OF_PLAY) }
    }

    pub fn of_a_little() -> Self {
        Turns { saved: SAVED_FOR_PLAY, ..Turns::new(OTHERS_OF_A_LITTLE) }
    }

    /// The time at which the next one may begin, if they have to wait.
    pub fn owed_until(&self) -> Option<Instant> {
        let next = self.next.get();
        next.checked_sub(self.saved).filter(|_| next > Instant::now() + self.saved)
    }

    /// Waits once; time that is charged meanwhile does not make this wait longer.
    pub async fn wait(&self) {
        if let Some(until) = self.owed_until() {
            sleep_until(until).await;
        }
    }

    pub fn charge(&self, time: Duration) {
        self.charge_as_one_of(1, time);
    }

    /// The same, while these turns have at most one in so many moments.
    pub fn charge_as_one_of(&self, moments: u32, time: Duration) {
        let now = Instant::now();
        let next = self.next.get().max(now) + time.min(MOST_OWED) * moments.max(1 + self.others);
        self.next.set(next.min(now + MOST_OWED));
    }
}
