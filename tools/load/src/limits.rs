//! The machine's limits: the service's empty handler with the same clients, and a file that is really synced.

use crate::client::Request;
use crate::client::Token;
use crate::failure::Failure;
use crate::link::Link;
use serde::Serialize;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// The time for which the empty handler is asked.
const EMPTY_HANDLER_TIME: Duration = Duration::from_secs(3);

/// The time for which each batch size is written.
const FILE_TIME: Duration = Duration::from_millis(1000);

/// About the size of a round's average entry, in bytes.
const ENTRY_BYTES: usize = 700;

/// Numbers of entries for each sync.
const BATCHES: [usize; 3] = [1, 10, 100];

/// The measurements.
#[derive(Debug, Serialize)]
pub struct Limits {
    /// Requests a second to `/healthz`.
    pub empty_handler_per_second: u64,
    /// The raw file, by batch size.
    pub raw_file: Vec<RawFile>,
}

/// Write and `fdatasync` of batches.
#[derive(Debug, Serialize)]
pub struct RawFile {
    /// The number of entries for each sync.
    pub batch: usize,
    /// The median of write and sync together, in microseconds.
    pub median_us: u64,
    /// The entries that a sequence of such batches makes durable in a second.
    pub entries_per_second: u64,
}

/// A holder of a connection: a player, or a cash table's players together.
pub trait Connected: Send + 'static {
    /// A token and the connection; `None` if there is no player.
    fn parts(&mut self) -> Option<(Token, &mut Link)>;
}

/// Requests `/healthz` over the players' own connections.
///
/// # Errors
/// [`Failure`]; a rate limit is one, because the figure would then measure the limit.
pub async fn empty_handler<P: Connected>(players: Vec<P>) -> Result<(Vec<P>, u64), Failure> {
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for mut player in players {
        tasks.spawn(async move {
            let Some((token, link)) = player.parts() else { return Ok((player, 0)) };
            let request = Request::get("/healthz").token(&token);
            let mut count: u64 = 0;
            while begin.elapsed() < EMPTY_HANDLER_TIME {
                let status = link.call_plain(&request).await?;
                if status == 429 {
                    let why =
                        "the service limits the rate, so the limit would be measured: start it with `--token-rate 0 --address-rate 0`";
                    return Err(Failure::Usage(why.into()));
                }
                count += u64::from(status == 200);
            }
            Ok((player, count))
        });
    }
    let (mut players, mut total) = (Vec::new(), 0u64);
    while let Some(done) = tasks.join_next().await {
        let (player, count) = done.map_err(|e| Failure::Usage(format!("a player broke down: {e}")))??;
        players.push(player);
        total += count;
    }
    Ok((players, per_second(total, begin.elapsed())))
}

/// Writes and syncs batches in `dir`, on one thread, as a log alone would.
///
/// # Errors
/// [`Failure::File`].
pub fn raw_file(dir: &Path, run: &str) -> Result<Vec<RawFile>, Failure> {
    let path = dir.join(format!("fairshoe-load-{run}.tmp"));
    let measured = BATCHES.iter().map(|batch| sync_batches(&path, *batch)).collect::<std::io::Result<Vec<_>>>();
    let removed = std::fs::remove_file(&path);
    let fail = |error| Failure::File(path.display().to_string(), error);
    let measured = measured.map_err(fail)?;
    removed.map_err(fail)?;
    Ok(measured)
}

fn sync_batches(path: &Path, batch: usize) -> std::io::Result<RawFile> {
    let mut file = File::create(path)?;
    let bytes = vec![b'x'; batch * ENTRY_BYTES];
    let (begin, mut times) = (Instant::now(), Vec::new());
    while begin.elapsed() < FILE_TIME {
        let started = Instant::now();
        file.write_all(&bytes)?;
        file.sync_data()?;
        times.push(u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX));
    }
    let elapsed = begin.elapsed();
    times.sort_unstable();
    let median_us = times.get(times.len() / 2).copied().unwrap_or_default();
    let entries = u64::try_from(times.len().saturating_mul(batch)).unwrap_or(u64::MAX);
    Ok(RawFile { batch, median_us, entries_per_second: per_second(entries, elapsed) })
}

/// A count over a time, as a whole number for each second.
pub fn per_second(count: u64, elapsed: Duration) -> u64 {
    let micros = elapsed.as_micros().max(1);
    u64::try_from(u128::from(count).saturating_mul(1_000_000) / micros).unwrap_or(u64::MAX)
}
