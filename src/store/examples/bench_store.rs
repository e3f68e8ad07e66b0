//! Durable entries for each second: the store beside a raw file and other layouts in sled, in the same run.
//!
//! `cargo run --release -p fairshoe-store --example bench_store -- [FOLDER] [SECONDS-PER-LINE]`
//!
//! Every line waits for a true sync before its next batch. "store" is `append`; a reply waits for "store + anchor". The
//! layouts below it show why the store keeps one value for each append (spec/store.md, Layout).

use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use fairshoe_store::{Store, true_sync};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    true_sync::require()?;
    let mut args = std::env::args().skip(1);
    let place = args.next().unwrap_or_else(|| ".".to_owned());
    let seconds: u64 = args.next().map_or(Ok(2), |text| text.parse())?;
    let folder = tempfile::tempdir_in(&place)?;
    let run = Run { place: folder.path(), time: Duration::from_secs(seconds) };
    println!(
        "{:<34} {:>6} {:>6} {:>10} {:>8} {:>8} {:>8} {:>10}",
        "layout", "bytes", "batch", "entries/s", "p50 us", "p99 us", "max us", "disk B/e"
    );
    for bytes in [300, 1500] {
        for batch in [1, 10, 100] {
            run.raw_file(bytes, batch)?;
            run.store(bytes, batch, false)?;
            run.store(bytes, batch, true)?;
            run.sled_batch(bytes, batch)?;
            run.sled_value_an_entry(bytes, batch)?;
            run.sled_bundles(bytes, batch)?;
        }
    }
    Ok(())
}

struct Run<'a> {
    place: &'a Path,
    time: Duration,
}

impl Run<'_> {
    fn raw_file(&self, bytes: usize, batch: usize) -> Outcome<()> {
        let path = self.place.join("raw");
        let mut file = File::create(&path)?;
        self.measure("raw file, fdatasync", bytes, batch, &path, |_, entries| {
            file.write_all(&entries.concat())?;
            Ok(file.sync_data()?)
        })?;
        Ok(std::fs::remove_file(&path)?)
    }

    fn store(&self, bytes: usize, batch: usize, anchored: bool) -> Outcome<()> {
        let dir = self.place.join("store");
        let store = Store::create(&dir)?;
        let note = [b'n'; 300];
        let name = if anchored { "store + anchor" } else { "store (anchor untimed)" };
        let mut lines = Lines::default();
        let end = Instant::now() + self.time;
        while Instant::now() < end {
            let size = store.size();
            let entries = entries(size, bytes, batch);
            let begin = Instant::now();
            store.append(size, &entries, &[])?;
            if anchored {
                store.write_anchor(store.size(), &note)?;
            }
            lines.add(begin.elapsed());
            if !anchored {
                store.write_anchor(store.size(), &note)?;
            }
        }
        drop(store);
        lines.print(name, bytes, batch, disk(&dir)?);
        if anchored {
            let begin = Instant::now();
            let (store, _) = Store::open(&dir)?;
            println!(
                "{:>34} {} entries in {} ms",
                "reopened with every check:",
                store.size(),
                begin.elapsed().as_millis()
            );
        }
        Ok(std::fs::remove_dir_all(&dir)?)
    }

    /// One value for each append, as the store has it, but in a sled batch.
    fn sled_batch(&self, bytes: usize, batch: usize) -> Outcome<()> {
        self.sled("sled batch, one value an append", bytes, batch, |db, first, entries| {
            let mut changes = sled::Batch::default();
            changes.insert(&first.to_be_bytes(), entries.concat());
            db.apply_batch(changes)?;
            db.flush()?;
            Ok(())
        })
    }

    fn sled_value_an_entry(&self, bytes: usize, batch: usize) -> Outcome<()> {
        self.sled("sled batch, one value an entry", bytes, batch, |db, first, entries| {
            let mut changes = sled::Batch::default();
            for (index, entry) in (first..).zip(entries) {
                changes.insert(&index.to_be_bytes(), entry.as_slice());
            }
            db.apply_batch(changes)?;
            db.flush()?;
            Ok(())
        })
    }

    /// Bundles of 256 entries, the newest rewritten with each append.
    fn sled_bundles(&self, bytes: usize, batch: usize) -> Outcome<()> {
        let mut bundle = Vec::new();
        self.sled("sled, bundles of 256", bytes, batch, move |db, first, entries| {
            for (index, entry) in (first..).zip(entries) {
                if index % 256 == 0 && !bundle.is_empty() {
                    db.insert((index / 256 - 1).to_be_bytes(), std::mem::take(&mut bundle))?;
                }
                bundle.extend_from_slice(entry);
            }
            let last = first + entries.len() as u64 - 1;
            db.insert((last / 256).to_be_bytes(), bundle.as_slice())?;
            db.flush()?;
            Ok(())
        })
    }

    fn sled(
        &self,
        name: &str,
        bytes: usize,
        batch: usize,
        mut append: impl FnMut(&sled::Db, u64, &[Vec<u8>]) -> Outcome<()>,
    ) -> Outcome<()> {
        let dir = self.place.join("sled");
        let db = sled::Config::new()
            .path(&dir)
            .segment_size(8 << 20)
            .cache_capacity(64 << 20)
            .flush_every_ms(None)
            .open()?;
        self.measure(name, bytes, batch, &dir, |first, entries| append(&db, first, entries))?;
        drop(db);
        Ok(std::fs::remove_dir_all(&dir)?)
    }

    fn measure(
        &self,
        name: &str,
        bytes: usize,
        batch: usize,
        path: &Path,
        mut append: impl FnMut(u64, &[Vec<u8>]) -> Outcome<()>,
    ) -> Outcome<()> {
        let mut lines = Lines::default();
        let mut first = 0;
        let end = Instant::now() + self.time;
        while Instant::now() < end {
            let entries = entries(first, bytes, batch);
            let begin = Instant::now();
            append(first, &entries)?;
            lines.add(begin.elapsed());
            first += batch as u64;
        }
        lines.print(name, bytes, batch, disk(path)?);
        Ok(())
    }
}

/// Entries that do not compress or repeat.
fn entries(first: u64, bytes: usize, batch: usize) -> Vec<Vec<u8>> {
    (first..)
        .take(batch)
        .map(|index| {
            let mut state = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            std::iter::repeat_with(|| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()
            })
            .flatten()
            .take(bytes)
            .collect()
        })
        .collect()
}

/// Bytes the folder or file takes on the disk.
fn disk(path: &Path) -> Outcome<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path)?;
    if !found.is_dir() {
        return Ok(found.blocks() * 512);
    }
    let mut sum = 0;
    for name in std::fs::read_dir(path)? {
        sum += disk(&name?.path())?;
    }
    Ok(sum)
}

#[derive(Default)]
struct Lines {
    times: Vec<Duration>,
}

impl Lines {
    fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    fn print(mut self, name: &str, bytes: usize, batch: usize, disk: u64) {
        self.times.sort();
        let at = |percent: usize| {
            let last = self.times.len().saturating_sub(1);
            let time = self.times.get(last * percent / 100);
            time.copied().unwrap_or_default().as_micros()
        };
        let entries = (self.times.len() * batch) as u128;
        let total: Duration = self.times.iter().sum();
        println!(
            "{name:<34} {bytes:>6} {batch:>6} {:>10} {:>8} {:>8} {:>8} {:>10}",
            entries * 1_000_000 / total.as_micros().max(1),
            at(50),
            at(99),
            at(100),
            u128::from(disk) / entries.max(1),
        );
    }
}
