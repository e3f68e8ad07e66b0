//! `--rate`: a thread hands out permits, because the runtime's timer is too coarse.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The interval between permits: short enough to avoid bursts, long enough to cost little.
const TICK: Duration = Duration::from_micros(250);

/// Hands out permits at a rate until it is dropped; then it closes them, and no task waits any more.
pub struct Pacer {
    permits: Arc<Semaphore>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Pacer {
    /// `rate` permits a second; unused permits beyond `burst` are lost, so that a stall is not made up for.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(permits: Arc<Semaphore>, rate: u32, burst: usize) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, given_out) = (stop.clone(), permits.clone());
        let thread = std::thread::Builder::new().name("pacer".into()).spawn(move || {
            let begin = Instant::now();
            let mut given = 0;
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep(TICK);
                let due = permits_due(begin.elapsed(), rate);
                let room = burst.saturating_sub(given_out.available_permits());
                given_out.add_permits(usize::try_from(due.saturating_sub(given)).unwrap_or(usize::MAX).min(room));
                given = due;
            }
        })?;
        Ok(Pacer { permits, stop, thread: Some(thread) })
    }
}

fn permits_due(elapsed: Duration, rate: u32) -> u64 {
    let micros = elapsed.as_micros().saturating_mul(u128::from(rate));
    u64::try_from(micros / 1_000_000).unwrap_or(u64::MAX)
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A pacer that panicked needs no stopping.
            let _ = thread.join();
        }
        self.permits.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permits_follow_the_rate_and_do_not_pile_up() {
        assert_eq!(permits_due(Duration::from_millis(1500), 1000), 1500);
        assert_eq!(permits_due(Duration::ZERO, u32::MAX), 0);
        let permits = Arc::new(Semaphore::new(0));
        let pacer = Pacer::start(permits.clone(), 100_000, 7).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        drop(pacer);
        assert_eq!(permits.available_permits(), 7);
        assert!(permits.is_closed());
    }
}
