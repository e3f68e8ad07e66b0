//! Long work in blocks over threads. A block's result depends on its number alone, so the figures are the same for any
//! number of threads.

use crate::UnusableInput;
use fairshoe_fairness::Stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The seed and the threads of the work.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The seed of all randomness; the same seed gives the same result.
    pub seed: u64,
    /// The number of threads; 0 counts as 1.
    pub threads: usize,
}

impl Spread {
    /// The command line's values; default: a thread for every core.
    pub fn new(seed: u64, threads: Option<usize>) -> Spread {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Spread { seed, threads: threads.unwrap_or_else(cores).clamp(1, 256) }
    }

    /// Cuts `units` of work into blocks of at most `block` and does each with its own stream; the results come by block
    /// number.
    pub fn over<T: Send>(
        self,
        units: u64,
        block: u64,
        what: &str,
        work: impl Fn(u64, &mut Stream) -> Result<T, UnusableInput> + Sync,
    ) -> Result<Vec<T>, UnusableInput> {
        let block = block.max(1);
        let blocks = units.div_ceil(block);
        let next = AtomicU64::new(0);
        let done = Mutex::new(Vec::new());
        let bar = progress(units, what);
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= blocks {
                            return;
                        }
                        let quota = block.min(units.saturating_sub(number.saturating_mul(block)));
                        let result = work(quota, &mut self.stream(number));
                        let failed = result.is_err();
                        bar.inc(quota);
                        if let Ok(mut done) = done.lock() {
                            done.push((number, result));
                        }
                        if failed {
                            next.store(blocks, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        bar.finish_and_clear();
        let mut done = done.into_inner().map_err(|_| UnusableInput("a thread of the simulation has stopped".into()))?;
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// The stream of a block: ChaCha20 under seed and block number, the same cipher that shuffles shoes
    /// (spec/fairness.md).
    fn stream(self, block: u64) -> Stream {
        let mut key = [0; 32];
        let parts = self.seed.to_le_bytes().into_iter().chain(block.to_le_bytes());
        key.iter_mut().zip(parts).for_each(|(byte, part)| *byte = part);
        Stream::new(key)
    }
}

/// A progress bar on the error stream, if that is a terminal.
fn progress(units: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(units).with_message(what.to_owned());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len} {eta}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
