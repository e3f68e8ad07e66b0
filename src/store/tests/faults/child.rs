//! The other process: this test binary started again, so that it can be killed, starved, traced and left to abort. The
//! parent never sets the sync filter, because children inherit it and the control must run without it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fairshoe_store::{BUNDLE, DiskFiles, Reader, SealLimits, Store, StoreError, true_sync};

use crate::model;

const ROLE: &str = "FAIRSHOE_STORE_CHILD";
const DIR: &str = "FAIRSHOE_STORE_DIR";
const APPENDS: &str = "FAIRSHOE_STORE_APPENDS";

/// The longest time for a child's write. A sync next to all other tests takes a second or two.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The command that starts this binary as `role` on `dir`; a writer stops by itself after `appends`.
pub fn command(role: &str, dir: &Path, appends: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child::entry_point", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(DIR, dir).env(APPENDS, appends.to_string());
    command
}

/// A started child and the lines it prints.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    pub said: Vec<String>,
}

/// How a child ended.
#[derive(Debug)]
pub struct Ended {
    pub said: Vec<String>,
    /// `None` if it had to be killed at the time limit.
    pub status: Option<ExitStatus>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // libtest prints the test's name without a line break before our first line.
                let line = line.rsplit("... ").next().unwrap_or_default().to_owned();
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines, said: Vec::new() }
    }

    /// Waits until a line begins with `word`; false if the child ends or the time is over before.
    pub fn wait_for(&mut self, word: &str, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let found = line.starts_with(word);
                    self.said.push(line);
                    if found {
                        return true;
                    }
                }
                Err(_) => return false,
            }
        }
    }

    pub fn kill(mut self) -> Ended {
        let _gone = self.child.kill();
        self.finish(Duration::from_secs(30))
    }

    pub fn finish(mut self, limit: Duration) -> Ended {
        let end = Instant::now() + limit;
        let mut status = None;
        loop {
            match self.lines.recv_timeout(Duration::from_millis(20)) {
                Ok(line) => self.said.push(line),
                Err(RecvTimeoutError::Disconnected) => {
                    status = Some(self.child.wait().unwrap());
                    break;
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(RecvTimeoutError::Timeout) => {
                    let _gone = self.child.kill();
                    let _status = self.child.wait();
                    break;
                }
            }
        }
        Ended { said: self.said, status }
    }
}

impl Ended {
    /// Whether the child ended because a write did not return.
    pub fn stalled(&self) -> bool {
        self.status.and_then(|status| status.code()) == Some(74) && self.line("STALLED ").is_some()
    }

    /// The last size that the child reported as acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let sizes = self.said.iter().filter_map(|line| line.strip_prefix("ACK ")?.parse().ok());
        sizes.max().unwrap_or(0)
    }

    /// The rest of the first line that begins with `word`.
    pub fn line(&self, word: &str) -> Option<&str> {
        self.said.iter().find_map(|line| line.strip_prefix(word))
    }

    /// The number of entries in sealed files, in a checked store.
    pub fn sealed(&self) -> u64 {
        self.line("SEALED ").and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// The size of a store whose check found every byte equal to the model's.
    pub fn same(&self) -> Option<u64> {
        self.line("SAME ")?.parse().ok()
    }
}

/// Runs a child to its end.
pub fn run(role: &str, dir: &Path, appends: u64) -> Ended {
    Running::start(command(role, dir, appends)).finish(Duration::from_secs(60))
}

/// The child's side. As a test without a role, it does nothing.
#[test]
fn entry_point() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let dir = std::env::var_os(DIR).unwrap();
    let dir = Path::new(&dir);
    fairshoe_store::end_after(PATIENCE, |stalled| println!("STALLED {stalled}"));
    let appends = std::env::var(APPENDS).unwrap().parse().unwrap();
    match role.as_str() {
        "create" => write(Store::create, dir, appends),
        "write" => write(|dir| Store::open(dir).map(|(store, _)| store), dir, appends),
        "check" => {
            require_filter();
            match Store::open(dir) {
                Ok((store, anchored)) => compare(&store, anchored.size, &anchored.note),
                Err(error) => say_error(&error),
            }
        }
        "check-copy" => match Store::open_copy(dir) {
            Ok(copy) => compare(&copy, copy.anchored().size, &copy.anchored().note),
            Err(error) => say_error(&error),
        },
        "unfiltered" => {
            for result in [Store::create(dir), Store::open(dir).map(|(store, _)| store)] {
                say_error(&result.unwrap_err());
            }
        }
        "stock-write" => stock_write(dir),
        "stock-check" => {
            let db = sled::open(dir).unwrap();
            println!("SAME {}", db.len());
        }
        other => panic!("no role {other}"),
    }
    println!("END");
}

fn require_filter() {
    true_sync::require().unwrap();
}

fn say_error(error: &StoreError) {
    assert!(!error.advice().is_empty());
    let kind = format!("{error:?}");
    let kind = kind.split([' ', '{', '(']).next().unwrap();
    println!("ERROR {kind}: {error}");
}

fn write(open: impl FnOnce(&Path) -> Result<Store, StoreError>, dir: &Path, appends: u64) {
    require_filter();
    // Small segments, so that some are finished in a short run.
    let limits = SealLimits { segment_bytes: 300_000, bundles: 2 };
    let opened = open(dir).map(drop).and_then(|()| Store::open_with(dir, Arc::new(DiskFiles::at(dir)), limits));
    let store = match opened {
        Ok((store, _)) => store,
        Err(error) => return say_error(&error),
    };
    println!("OPEN {}", store.size());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| seal(&store, &done));
        append(&store, appends);
        done.store(true, Ordering::Relaxed);
    });
}

/// Seals all full bundles until told to stop, and then the rest.
fn seal(store: &Store, done: &AtomicBool) {
    loop {
        let is_done = done.load(Ordering::Relaxed);
        let sealed = store.seal(1, &mut |bundle, entries| {
            let same = entries.iter().zip(bundle * BUNDLE..).all(|(found, index)| **found == model::entry(index));
            if same { Ok(Vec::new()) } else { Err("another bundle".to_owned()) }
        });
        match sealed {
            Ok(0) | Err(StoreError::DiskFull { .. }) if !store.is_stopped() => {
                if is_done {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(_) => {}
            Err(StoreError::Stopped { .. }) => return,
            Err(error) => return say_error(&error),
        }
    }
}

fn append(store: &Store, appends: u64) {
    let result = (|| {
        let size = store.size();
        store.write_anchor(size, &model::note(size))?;
        for _ in 0..appends {
            let size = store.size();
            println!("BEGIN {size}");
            store.append(size, &model::batch(size), &model::meta(size))?;
            println!("STORED {size}");
            let size = store.size();
            store.write_anchor(size, &model::note(size))?;
            println!("ACK {size}");
        }
        Ok(())
    })();
    if let Err(error) = result {
        say_error(&error);
    }
}

/// Compares every entry and all metadata with the model.
fn compare(reader: &Reader, anchored: u64, note: &[u8]) {
    let size = reader.size();
    let Some(wanted) = model::meta_at(size) else {
        println!("DIFFERENT size {size} is no append's end");
        return;
    };
    if size > 0 && !note.is_empty() && note != model::note(anchored) {
        println!("DIFFERENT note");
    }
    let mut next = 0;
    let entries = reader.read(0..size, |index, entry| {
        if index != next || entry != model::entry(index) {
            println!("DIFFERENT entry {index}, expected {next}");
        }
        next += 1;
        ControlFlow::Continue(())
    });
    let mut found = BTreeMap::new();
    let meta = reader.meta_scan(b"", |key, value| {
        found.insert(key.to_vec(), value.to_vec());
        ControlFlow::Continue(())
    });
    if let Err(error) = entries.and(meta) {
        return say_error(&error);
    }
    if next != size || found != wanted {
        println!("DIFFERENT {next} entries of {size}, metadata {}", found == wanted);
    }
    if let Err(error) = reader.verify_sealed(|_, _| ControlFlow::Continue(())) {
        return say_error(&error);
    }
    println!("SEALED {}", reader.sealed());
    println!("SAME {size}");
}

/// Plain sled without the filter: the harness must see it lose data.
fn stock_write(dir: &Path) {
    let db = sled::Config::new().path(dir).flush_every_ms(None).open().unwrap();
    for index in 0_u64.. {
        db.insert(index.to_be_bytes(), model::entry(index)).unwrap();
        if db.flush().is_err() {
            break;
        }
        println!("ACK {}", index + 1);
    }
}
