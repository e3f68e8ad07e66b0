//! Few lines for the same thing: of what one place in the program says, so many lines in a window of time; then one
//! line that counts the rest. Strangers choose how often a request fails, and must not fill the operator's disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tracing::callsite::Identifier;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Lines of one place in a window.
const LINES: u64 = 20;

/// A window.
const WINDOW: Duration = Duration::from_secs(10);

struct CallsiteCount {
    target: &'static str,
    line: Option<u32>,
    said: u64,
    since: Instant,
}

/// See the module. Clones share their counts.
#[derive(Clone, Default)]
pub struct Bounded(Arc<Mutex<HashMap<Identifier, CallsiteCount>>>);

impl Bounded {
    fn lock(&self) -> MutexGuard<'_, HashMap<Identifier, CallsiteCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is to be a line, this time.
    fn has_room(&self, event: &Event<'_>) -> bool {
        let metadata = event.metadata();
        let mut sites = self.lock();
        let site = sites.entry(metadata.callsite()).or_insert_with(|| CallsiteCount {
            target: metadata.target(),
            line: metadata.line(),
            said: 0,
            since: Instant::now(),
        });
        site.said = site.said.saturating_add(1);
        site.said <= LINES
    }

    /// Says how many lines were left out of each place whose window is over, and begins the next. To be called about
    /// once a second.
    pub fn look(&self) {
        let mut over = Vec::new();
        self.lock().retain(|_, site| {
            let ended = site.since.elapsed() >= WINDOW;
            if ended && site.said > LINES {
                over.push((site.target, site.line.unwrap_or_default(), site.said - LINES));
            }
            !ended
        });
        for (site, line, left_out) in over {
            tracing::warn!(
                place = site,
                line,
                left_out,
                seconds = WINDOW.as_secs(),
                "more lines like the last ones were left out"
            );
        }
    }
}

impl<S: Subscriber> Layer<S> for Bounded {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        // What an operator asked for beyond the usual is not cut short.
        *event.metadata().level() > Level::INFO || self.has_room(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tracing_subscriber::prelude::*;

    struct Count(Arc<AtomicU64>);

    impl<S: Subscriber> Layer<S> for Count {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_place_says_so_many_lines_and_another_is_not_silenced_by_it() {
        let seen = Arc::new(AtomicU64::new(0));
        let subscriber = tracing_subscriber::registry().with(Bounded::default()).with(Count(seen.clone()));
        tracing::subscriber::with_default(subscriber, || {
            (0..1000).for_each(|_| tracing::error!("junk"));
            assert_eq!(seen.load(Ordering::Relaxed), LINES);
            tracing::error!("something else");
            assert_eq!(seen.load(Ordering::Relaxed), LINES + 1);
        });
    }
}
