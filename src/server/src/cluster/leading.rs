//! A leader's appends: settled in the order before the node stores them (spec/cluster.md, "To lead").

use super::{Cluster, begin_anew, give_up};
use fairshoe_order::{JetStream, Message, OrderError, OrderKey, Settled, settle};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::warn;

/// Settles that an append comes next.
pub trait Settle: Send {
    /// Returns once it is settled; where another came first it does not return, and nothing may be said.
    fn settle(&mut self, message: &Message);
}

/// An append that takes so long is spoken of.
const TELL: Duration = Duration::from_secs(5);

/// How long a process that was told to stop waits for its last append.
const STOP: Duration = Duration::from_secs(5);

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// See the module.
pub struct Ordered {
    pub order: Arc<JetStream>,
    pub key: OrderKey,
    /// The number of the last message.
    pub head: u64,
    pub cluster: Arc<Cluster>,
}

impl Settle for Ordered {
    fn settle(&mut self, message: &Message) {
        let bytes = match message.seal(&self.key, self.head) {
            Ok(bytes) => bytes,
            Err(why) => give_up(&format!("an append cannot be made a message: {why}")),
        };
        // What was decided by a clock that has jumped is not for the log.
        if self.cluster.is_clock_wrong() {
            begin_anew("its clock and the order's are too far apart for it to lead: set the clock right (NTP)");
        }
        // However long it takes: nobody else can lead while the order does not answer, and meanwhile the lease runs out
        // and nothing is said.
        let (begun, mut is_told, mut stopping) = (Instant::now(), false, None::<Instant>);
        let mut wait = || {
            if begun.elapsed() > TELL && !std::mem::replace(&mut is_told, true) {
                warn!("an append is not settled yet; nothing is said before it is");
            }
            if self.cluster.must_stop() && stopping.get_or_insert_with(Instant::now).elapsed() > STOP {
                warn!("the order does not settle this node's last append: it ends as a kill would end it");
                std::process::exit(75);
            }
            std::thread::sleep(PAUSE);
            true
        };
        match settle(self.order.as_ref(), self.head, &bytes, &mut wait) {
            Ok(Settled::Accepted) => {
                self.head += 1;
                self.order.hint();
            }
            Ok(Settled::Fenced) => begin_anew("another node's append came first"),
            // As one that follows it asks for longer before it believes that anything is lost.
            Err(
                OrderError::Damaged(what)
                | OrderError::Silent(what)
                | OrderError::Refused(what)
                | OrderError::Short(what),
            ) => begin_anew(&what),
        }
    }
}
