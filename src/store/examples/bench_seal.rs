//! The cost of a store as its log grows: sled's file, sealed bytes for each entry, opening after a kill and after a
//! clean stop, memory, and the rate of appends beside the sealer (spec/store.md, Sealed history).
//!
//! `cargo run --release -p fairshoe-store --example bench_seal -- [FOLDER] [MILLIONS,MILLIONS…] [VECTORS]`
//!
//! Entries are those of spec/vectors with other hashes and times. The store is filled in appends of 240; the last
//! 100,000 entries of each size come in appends of 24 and are timed. Each measurement runs in its own process.

#![allow(clippy::float_arithmetic)] // output for people

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fairshoe_store::{BUNDLE, Store, true_sync};
use sha2::{Digest as _, Sha256};

type Outcome<T> = Result<T, Box<dyn Error>>;

const FILL: u64 = 240;
const BATCH: u64 = 24;
const TIMED: u64 = 100_000;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |at: usize, usual: &str| args.get(at).cloned().unwrap_or_else(|| usual.to_owned());
    match arg(0, ".").as_str() {
        "write" => write(Path::new(&arg(1, "")), arg(2, "").parse()?, Path::new(&arg(3, ""))),
        "open" => open(Path::new(&arg(1, ""))),
        "verify" => verify(Path::new(&arg(1, ""))),
        place => measure(Path::new(place), &arg(1, "1,4"), &arg(2, "spec/vectors")),
    }
}

fn measure(place: &Path, millions: &str, vectors: &str) -> Outcome<()> {
    let folder = tempfile::tempdir_in(place)?;
    let data = folder.path().join("data");
    let data = data.to_str().ok_or("a path that is not text")?;
    for million in millions.split(',') {
        let target = million.trim().parse::<u64>()? * 1_000_000;
        let mut writer = child(&["write", data, &target.to_string(), vectors])?;
        let mut lines = BufReader::new(writer.stdout.take().ok_or("no output")?).lines();
        let said =
            lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("AT ")).ok_or("the writer ended")?;
        // This may be in the middle of an append or of sealing.
        std::thread::sleep(Duration::from_millis(300));
        writer.kill()?;
        writer.wait()?;
        println!("{million} million entries. Writer: {}", said.trim_start_matches("AT "));
        let (sled, sealed) = (bytes(&Path::new(data).join("log"))?, bytes(&Path::new(data).join("sealed"))?);
        println!("  sled {:.1} MB, sealed {:.1} MB", sled as f64 / 1e6, sealed as f64 / 1e6);
        for how in ["after the kill", "after a clean stop", "after a clean stop"] {
            println!("  open {how}: {}", line(&["open", data])?);
        }
    }
    println!("  {}", line(&["verify", data])?);
    Ok(())
}

fn child(args: &[&str]) -> Outcome<std::process::Child> {
    Ok(Command::new(std::env::current_exe()?).args(args).stdout(Stdio::piped()).spawn()?)
}

fn line(args: &[&str]) -> Outcome<String> {
    Ok(String::from_utf8(child(args)?.wait_with_output()?.stdout)?.trim().to_owned())
}

fn write(dir: &Path, target: u64, vectors: &Path) -> Outcome<()> {
    true_sync::require()?;
    let shapes = Shapes::read(vectors)?;
    let store = if dir.exists() { Store::open(dir)?.0 } else { Store::create(dir)? };
    store.write_anchor(store.size(), &[b'n'; 300])?;
    let first = store.size();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sealing = scope.spawn(|| {
            let mut busy = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let begin = Instant::now();
                // Like the service, which checks the leaf hashes of each bundle against the tree.
                let sealed = store.seal(16, &mut |_, entries| {
                    entries.iter().for_each(|entry| _ = std::hint::black_box(Sha256::digest(entry)));
                    Ok(Vec::new())
                });
                match sealed {
                    Ok(0) => std::thread::sleep(Duration::from_millis(50)),
                    Ok(_) => busy += begin.elapsed(),
                    Err(failure) => {
                        eprintln!("{failure}");
                        break;
                    }
                }
                if store.size() >= target {
                    done.store(true, Ordering::Relaxed);
                }
            }
            busy
        });
        let mut text = 0;
        let mut times = Vec::new();
        let mut timed = None;
        while !done.load(Ordering::Relaxed) {
            let size = store.size();
            let is_timed = size + TIMED >= target;
            let batch = if is_timed { BATCH } else { FILL };
            let entries: Vec<Vec<u8>> = (size..size + batch).map(|index| shapes.entry(index)).collect();
            text += entries.iter().map(Vec::len).sum::<usize>();
            let begin = Instant::now();
            store.append(size, &entries, &[])?;
            store.write_anchor(size + batch, &[b'n'; 300])?;
            // Like the service, if the sealer has fallen behind.
            if store.size() - store.sealed() > 65_536 {
                store.seal(16, &mut |_, _| Ok(Vec::new()))?;
            }
            if is_timed {
                times.push(begin.elapsed());
                timed.get_or_insert((begin, size));
            }
        }
        let rate = timed.map_or(0.0, |(begin, size)| (store.size() - size) as f64 / begin.elapsed().as_secs_f64());
        let busy = sealing.join().map_err(|_| "the sealer panicked")?;
        let wrote = (store.size() - first) as f64;
        times.sort_unstable();
        let at =
            |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100).map_or(0, Duration::as_micros);
        println!(
            "AT {:.0} entries/s, append and anchor p50 {} µs p99 {} µs, sealing {:.2} µs an entry, {:.0} bytes of text an entry, {}, {} not sealed",
            rate,
            at(50),
            at(99),
            busy.as_secs_f64() * 1e6 / wrote,
            text as f64 / wrote,
            memory(),
            store.size() - store.sealed(),
        );
        // Runs until it is killed.
        loop {
            let size = store.size();
            let entries: Vec<Vec<u8>> = (size..size + BATCH).map(|index| shapes.entry(index)).collect();
            store.append(size, &entries, &[])?;
            store.write_anchor(size + BATCH, &[b'n'; 300])?;
            store.seal(16, &mut |_, _| Ok(Vec::new()))?;
        }
    })
}

fn open(dir: &Path) -> Outcome<()> {
    true_sync::require()?;
    let begin = Instant::now();
    let (store, _) = Store::open(dir)?;
    let opened = begin.elapsed();
    let after = memory();
    let begin = Instant::now();
    let step = store.size() / 1000 * BUNDLE / 256;
    for number in 0..1000 {
        store.entry(number * step)?;
    }
    println!(
        "{} ms, {after}; {} entries; one of anywhere {} µs",
        opened.as_millis(),
        store.size(),
        begin.elapsed().as_micros() / 1000
    );
    Ok(())
}

fn verify(dir: &Path) -> Outcome<()> {
    true_sync::require()?;
    let (store, _) = Store::open(dir)?;
    let begin = Instant::now();
    store.verify_sealed(|_, _| ControlFlow::Continue(()))?;
    let (took, sealed) = (begin.elapsed().as_secs_f64(), store.sealed());
    println!("all {sealed} sealed entries verified: {:.2} million/s, {}", sealed as f64 / took / 1e6, memory());
    Ok(())
}

/// The process's memory, now and at its peak.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    format!("{} MiB of memory ({} at most)", of("VmRSS:"), of("VmHWM:"))
}

/// Bytes a folder takes on the disk.
fn bytes(path: &Path) -> Outcome<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path)?;
    if !found.is_dir() {
        return Ok(found.blocks() * 512);
    }
    let mut sum = 0;
    for name in std::fs::read_dir(path)? {
        sum += bytes(&name?.path())?;
    }
    Ok(sum)
}

/// Entries of the vectors, in the order of their logs.
struct Shapes(Vec<Vec<Part>>);

enum Part {
    Text(Vec<u8>),
    /// A hash or seed; it stays the same within a pass through the shapes.
    Hex {
        of: u64,
        len: usize,
    },
    Time,
}

impl Shapes {
    fn read(vectors: &Path) -> Outcome<Self> {
        let mut names: Vec<_> = std::fs::read_dir(vectors)?.map(|name| Ok(name?.path())).collect::<Outcome<_>>()?;
        names.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("entries-")));
        names.sort();
        let mut shapes = Vec::new();
        for path in names {
            for line in std::fs::read_to_string(path)?.lines() {
                let line = line.trim().trim_end_matches(',');
                if line.starts_with("\"{\\\"v\\\"") {
                    shapes.push(shape(&line[1..line.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\")));
                }
            }
        }
        if shapes.is_empty() {
            return Err("no entries in the vectors".into());
        }
        Ok(Self(shapes))
    }

    fn entry(&self, index: u64) -> Vec<u8> {
        let pass = index / self.0.len() as u64;
        let mut entry = Vec::new();
        for part in &self.0[(index % self.0.len() as u64) as usize] {
            match part {
                Part::Text(text) => entry.extend_from_slice(text),
                Part::Time => entry.extend_from_slice((1_790_000_000_000 + index * 3).to_string().as_bytes()),
                Part::Hex { of, len } => {
                    let mut state = mix(of ^ mix(pass));
                    for _ in 0..*len {
                        if state < 16 {
                            state = mix(state ^ of ^ entry.len() as u64 ^ mix(pass));
                        }
                        entry.push(b"0123456789abcdef"[(state % 16) as usize]);
                        state /= 16;
                    }
                }
            }
        }
        entry
    }
}

fn shape(entry: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = entry.as_bytes();
    while !rest.is_empty() {
        let hex = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        let (taken, after) = rest.split_at(hex.max(1));
        rest = after;
        if hex >= 32 {
            let of = taken.iter().fold(7, |state, byte| mix(state ^ u64::from(*byte)));
            parts.push(Part::Hex { of, len: hex });
        } else if hex == 13 && taken.iter().all(u8::is_ascii_digit) {
            parts.push(Part::Time);
        } else if let Some(Part::Text(text)) = parts.last_mut() {
            text.extend_from_slice(taken);
        } else {
            parts.push(Part::Text(taken.to_vec()));
        }
    }
    parts
}

/// A well-mixed number (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
