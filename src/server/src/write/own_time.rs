//! The log's own time (spec/log.md): its word, with a time, that it has nothing but its newest checkpoint.
//!
//! It is the one word by which an auditor bounds from below what this log will write, so that it is given only where
//! that is certain: by a node that leads, whose house has done what was due, all of it under this checkpoint.

use crate::cluster::Cluster;
use crate::write::evidence::Arrivals;
use crate::write::pipeline::{Pending, now_ms};
use crate::write::published::Published;
use fairshoe_tlog::Signer;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// While the house has not done, and published, what was due and asked for so long ago no time is signed, in milliseconds:
/// *a process that stood still, and answers before its house has turned; a disk that does not answer.*
const LATE_MS: u64 = 5_000;

/// Nothing is dated so long before a time that was signed, in milliseconds: what waits for the house for longer than 30 s
/// is dated by its start after a standstill. More than that, so that only a clock that is put back is held by it.
const BEFORE_MS: u64 = 45_000;

/// How often, and how many times, it is looked whether a time may be signed.
const READY_LOOK: Duration = Duration::from_millis(2);
const READY_LOOKS: u32 = 100;

/// So long before the end of what may be signed more is asked for, in seconds.
const AHEAD: u64 = 10;

/// From now on nothing is dated long before this second, which is, or may have been, signed.
pub fn hold(arrivals: &Arrivals, second: u64) {
    arrivals.date_from(second.saturating_mul(1_000).saturating_sub(BEFORE_MS));
}

/// Signs the log's own times, on the thread of whoever asks.
pub struct OwnTime {
    signer: Signer,
    pending: Arc<Pending>,
    arrivals: Arc<Arrivals>,
    cluster: Option<Arc<Cluster>>,
    published: Arc<RwLock<Arc<Published>>>,
    /// The last line: of which size, of which second.
    last: Mutex<Option<(u64, u64, String)>>,
}

impl OwnTime {
    /// Of the log with this signer; of a node, what it knows of its lead.
    pub fn new(
        signer: Signer,
        pending: Arc<Pending>,
        arrivals: Arc<Arrivals>,
        cluster: Option<Arc<Cluster>>,
        published: Arc<RwLock<Arc<Published>>>,
    ) -> Self {
        OwnTime { signer, pending, arrivals, cluster, published, last: Mutex::default() }
    }

    /// The newest checkpoint; and the line that says so, where this process can know it.
    pub fn newest(&self) -> (Arc<Published>, Option<String>) {
        // The time comes first: whatever is published meanwhile is under the checkpoint that is read after it.
        let now = now_ms();
        let leads = self.cluster.as_ref().is_none_or(|cluster| cluster.require_lead(now).is_ok());
        let reach = &self.pending.reach;
        let is_abreast = reach.done.load(Ordering::SeqCst) >= now.saturating_sub(LATE_MS);
        // What is settled another node may show before it is published here: then it is known of the time before.
        let at = match reach.settling_since.load(Ordering::SeqCst) {
            0 => now,
            since => now.min(since),
        };
        let published = self.published.read().unwrap_or_else(PoisonError::into_inner).clone();
        let may_sign = leads && is_abreast && self.is_signable(at / 1_000);
        let line = may_sign.then(|| self.line(&published, at / 1_000)).flatten();
        (published, line)
    }

    /// Since when an append is being settled in the order, UTC milliseconds; 0: none is.
    pub fn settling_since(&self) -> u64 {
        self.pending.reach.settling_since.load(Ordering::SeqCst)
    }

    /// Whether a start would know of this time; asks for more in time.
    fn is_signable(&self, second: u64) -> bool {
        let until = self.pending.reach.signable_until.load(Ordering::SeqCst);
        if until < second.saturating_add(AHEAD) {
            self.pending.want_more_time();
        }
        second <= until
    }

    /// Waits until this second is signable, after an hour without anybody who asked: as long as a sync takes.
    pub async fn be_ready(&self) {
        for _ in 0..READY_LOOKS {
            if self.is_signable(now_ms() / 1_000) {
                return;
            }
            actix_web::rt::time::sleep(READY_LOOK).await;
        }
    }

    fn line(&self, published: &Published, second: u64) -> Option<String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((size, of, line)) = last.as_ref()
            && (*size, *of) == (published.size(), second)
        {
            return Some(line.clone());
        }
        // Signed is the checkpoint's text: the note up to the empty line before its signatures.
        let text = published.checkpoint.get(..=published.checkpoint.rfind("\n\n")?)?;
        hold(&self.arrivals, second);
        let line = self.signer.sign_own_time(text, second);
        *last = Some((published.size(), second, line.clone()));
        Some(line)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_tlog::{Tree, own_time};

    #[test]
    fn no_time_is_signed_before_the_house_has_done_what_was_due_and_published_it() {
        let signer = || Signer::new("log.example", &[5; 32]).unwrap();
        let (pending, arrivals) = (Arc::new(Pending::default()), Arc::new(Arrivals::default()));
        let reach = pending.reach.clone();
        let checkpoint = signer().sign_checkpoint(0, Tree::new().root());
        let published = Arc::new(RwLock::new(Arc::new(Published { tree: Tree::new(), checkpoint })));
        let times = OwnTime::new(signer(), pending.clone(), arrivals.clone(), None, published);
        let signed = || {
            let (published, line) = times.newest();
            own_time(&(published.checkpoint.clone() + &line?), signer().verifier_key())
        };
        assert_eq!(signed(), None, "the house has not turned yet");
        reach.done.store(now_ms(), Ordering::SeqCst);
        let before = now_ms() / 1_000;
        assert_eq!(signed(), None, "a start would not know of it");
        reach.signable_until.store(before + 60, Ordering::SeqCst);
        let first = signed().unwrap();
        assert!((before..=now_ms() / 1_000).contains(&first));
        assert!(arrivals.dated_from() + BEFORE_MS >= first * 1_000, "nothing is dated long before it");
        reach.settling_since.store(before * 1_000 - 2_500, Ordering::SeqCst);
        assert_eq!(signed(), Some(before - 3), "another node may show more since then");
        reach.settling_since.store(u64::MAX, Ordering::SeqCst);
        assert!(signed().unwrap() <= now_ms() / 1_000, "no time to come is signed");
        reach.settling_since.store(0, Ordering::SeqCst);
        reach.done.store(now_ms() - LATE_MS - 1, Ordering::SeqCst);
        assert_eq!(signed(), None, "it has not turned for long");
        reach.done.store(now_ms() - LATE_MS / 2, Ordering::SeqCst);
        assert!(signed().is_some());
    }
}
