//! Sealing on a simulated disk: a crash after each call, with unsynced writes kept, lost, torn or out of order; and an
//! error at each call, done and not done. In every case all entries are there, and sealing goes on to the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use fairshoe_store::{DiskFiles, Files, SealLimits, Store, StoreError, TileFile};

use crate::folder;
use crate::folder::copy_dir;
use crate::sealing::{grow, is_whole, segments};

const LIMITS: SealLimits = SealLimits { segment_bytes: 60_000, bundles: 2 };

/// The part of unsynced writes that a crash leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Kept,
    Lost,
    Torn,
    Reordered,
}

const CUTS: [Cut; 4] = [Cut::Kept, Cut::Lost, Cut::Torn, Cut::Reordered];

#[derive(Debug, Default, Clone)]
struct Content {
    now: Vec<u8>,
    synced: Vec<u8>,
}

impl Content {
    fn after(&self, cut: Cut) -> Vec<u8> {
        let Some(new) = self.now.strip_prefix(&self.synced[..]) else {
            // The file was cut shorter, and not synced since.
            return if cut == Cut::Kept { self.now.clone() } else { self.synced.clone() };
        };
        let (first, second) = new.split_at(new.len() / 2);
        match cut {
            Cut::Kept => self.now.clone(),
            Cut::Lost => self.synced.clone(),
            Cut::Torn => [&self.synced, first].concat(),
            Cut::Reordered => [&self.synced, &vec![0; first.len()], second].concat(),
        }
    }
}

/// Names and contents as programs see them, and as the disk has them.
#[derive(Debug, Default)]
struct Model {
    contents: Vec<Content>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    dirs: BTreeSet<String>,
    synced_dirs: BTreeSet<String>,
}

fn parent(name: &str) -> &str {
    name.rsplit_once('/').map_or(".", |(dir, _)| dir)
}

impl Model {
    fn content(&mut self, name: &str) -> &mut Content {
        let at = self.names[name];
        &mut self.contents[at]
    }

    fn sync_dir(&mut self, dir: &str) {
        self.synced_names.retain(|name, _| parent(name) != dir);
        self.synced_names
            .extend(self.names.iter().filter(|(name, _)| parent(name) == dir).map(|(name, at)| (name.clone(), *at)));
        self.synced_dirs.extend(self.dirs.iter().filter(|name| parent(name) == dir).cloned());
    }

    fn is_reachable(&self, name: &str) -> bool {
        let mut dir = parent(name);
        while dir != "." {
            if !self.synced_dirs.contains(dir) {
                return false;
            }
            dir = parent(dir);
        }
        true
    }

    /// Writes the state after a crash into a folder that has `sealed/`.
    fn write(&self, cut: Cut, to: &Path) {
        let names = if cut == Cut::Kept { &self.names } else { &self.synced_names };
        for (name, at) in names.iter().filter(|(name, _)| cut == Cut::Kept || self.is_reachable(name)) {
            let path = to.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, self.contents[*at].after(cut)).unwrap();
        }
    }
}

type AfterCall = dyn Fn(u64, &str, &Model) + Send + Sync;

/// A simulated disk beside the real one, which fails or is inspected on request.
struct Simulated {
    disk: DiskFiles,
    model: Mutex<Model>,
    calls: AtomicU64,
    /// The number of the failing call, and whether it is done anyway.
    fails: Option<(u64, bool)>,
    after: Box<AfterCall>,
}

impl std::fmt::Debug for Simulated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a simulated disk")
    }
}

impl Simulated {
    fn new(dir: &Path, fails: Option<(u64, bool)>, after: Box<AfterCall>) -> Self {
        let mut model = Model::default();
        model.dirs.insert("sealed".to_owned());
        model.synced_dirs.insert("sealed".to_owned());
        Self { disk: DiskFiles::at(dir), model: Mutex::new(model), calls: AtomicU64::new(0), fails, after }
    }

    fn call(
        &self,
        what: &str,
        real: impl FnOnce() -> io::Result<()>,
        model: impl FnOnce(&mut Model),
    ) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        let failure = || Err(io::Error::other(format!("call {number} was made to fail")));
        match self.fails {
            Some((call, false)) if call == number => return failure(),
            _ => real()?,
        }
        let mut state = self.model.lock().unwrap();
        model(&mut state);
        (self.after)(number, what, &state);
        if self.fails == Some((number, true)) { failure() } else { Ok(()) }
    }
}

impl Files for Simulated {
    fn make_dir(&self, dir: &str) -> io::Result<()> {
        self.call("make_dir", || self.disk.make_dir(dir), |model| _ = model.dirs.insert(dir.to_owned()))
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        self.disk.list(dir)
    }

    fn len(&self, name: &str) -> io::Result<u64> {
        self.disk.len(name)
    }

    fn read_at(&self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(name, offset, into)
    }

    fn create(&self, name: &str) -> io::Result<()> {
        self.call(
            "create",
            || self.disk.create(name),
            |model| {
                model.contents.push(Content::default());
                model.names.insert(name.to_owned(), model.contents.len() - 1);
            },
        )
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.call("append", || self.disk.append(name, bytes), |model| model.content(name).now.extend_from_slice(bytes))
    }

    fn cut(&self, name: &str, len: u64) -> io::Result<()> {
        self.call("cut", || self.disk.cut(name, len), |model| model.content(name).now.truncate(len as usize))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let synced = |model: &mut Model| {
            let content = model.content(name);
            content.synced = content.now.clone();
        };
        self.call("sync", || self.disk.sync(name), synced)
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        self.call("sync_dir", || self.disk.sync_dir(dir), |model| model.sync_dir(dir))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let renamed = |model: &mut Model| {
            let at = model.names.remove(from).unwrap();
            model.names.insert(to.to_owned(), at);
        };
        self.call("rename", || self.disk.rename(from, to), renamed)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.call("remove", || self.disk.remove(name), |model| _ = model.names.remove(name))
    }
}

fn seal(store: &Store) -> Result<u64, StoreError> {
    store.seal(1, &mut |bundle, entries| {
        assert!(entries.iter().zip(bundle * 256..).all(|(found, index)| **found == crate::sealing::entry(index)));
        let tile = || TileFile { path: format!("tile/1/{:03}", bundle / 3), bytes: vec![bundle as u8; 8192] };
        Ok((0..u64::from(bundle % 3 == 2)).map(|_| tile()).collect())
    })
}

/// Grows and seals in turn; returns the final size.
fn scenario(dir: &Path, files: Arc<dyn Files>, sizes: &[u64]) -> Result<u64, StoreError> {
    let (store, _) = Store::open_with(dir, files, LIMITS)?;
    for size in sizes {
        grow(&store, *size, 90);
        while seal(&store)? > 0 {}
    }
    Ok(store.size())
}

const SIZES: [u64; 4] = [300, 1_100, 1_600, 2_600];

/// Every sealed file and tile of an undisturbed run.
fn expected() -> BTreeMap<PathBuf, Vec<u8>> {
    let dir = folder();
    drop(Store::create(dir.path()).unwrap());
    scenario(dir.path(), Arc::new(DiskFiles::at(dir.path())), &SIZES).unwrap();
    assert!(segments(dir.path()).len() >= 3, "{:?}", segments(dir.path()));
    files_of(dir.path())
}

fn files_of(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let under =
        |below: &str| fs::read_dir(dir.join(below)).unwrap().map(|name| name.unwrap().path()).collect::<Vec<_>>();
    let paths = [under("sealed"), under("tile/1")].concat();
    paths.into_iter().map(|path| (path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

/// Opens a folder after a crash, reads all, grows and seals on, and compares with the run without a crash.
fn goes_on(dir: &Path, wanted: &BTreeMap<PathBuf, Vec<u8>>, story: &str) {
    let (store, anchored) =
        Store::open_with(dir, Arc::new(DiskFiles::at(dir)), LIMITS).unwrap_or_else(|error| panic!("{story}: {error}"));
    assert_eq!(store.size(), anchored.size, "{story}");
    if store.size() > 0 {
        is_whole(&store, store.size());
    }
    for size in SIZES {
        grow(&store, size, 90);
        while seal(&store).unwrap_or_else(|error| panic!("{story}: {error}")) > 0 {}
    }
    store.verify_sealed(|_, _| ControlFlow::Continue(())).unwrap();
    drop(store);
    let (store, _) = Store::open(dir).unwrap_or_else(|error| panic!("{story}, again: {error}"));
    is_whole(&store, 2_600);
    assert!(files_of(dir) == *wanted, "{story}: other bytes than without the crash");
}

fn is_slow() -> bool {
    std::env::var_os("FAIRSHOE_SLOW").is_some_and(|value| value == "1")
}

#[test]
fn a_crash_after_any_call_loses_nothing() {
    let wanted = expected();
    let dir = folder();
    drop(Store::create(dir.path()).unwrap());
    let from = dir.path().to_owned();
    let seen = Arc::new(Mutex::new(BTreeMap::new()));
    let (crashes, wanted) = (seen.clone(), Arc::new(wanted));
    let after = move |number: u64, what: &str, model: &Model| {
        for (at, cut) in CUTS.into_iter().enumerate() {
            // By default, one of the four cuts after every other call, in turn.
            if !is_slow() && (number % 2 == 1 || (number / 2 + number / 8) % 4 != at as u64) {
                continue;
            }
            let crashed = folder();
            for name in ["format", "anchor", "log"] {
                let (from, to) = (from.join(name), crashed.path().join(name));
                if from.is_dir() { copy_dir(&from, &to) } else { _ = fs::copy(from, to).unwrap() }
            }
            fs::create_dir(crashed.path().join("sealed")).unwrap();
            model.write(cut, crashed.path());
            goes_on(crashed.path(), &wanted, &format!("a crash after call {number}, {what}, the rest {cut:?}"));
            *crashes.lock().unwrap().entry((what.to_owned(), format!("{cut:?}"))).or_insert(0) += 1;
        }
    };
    let files = Arc::new(Simulated::new(dir.path(), None, Box::new(after)));
    assert_eq!(scenario(dir.path(), files, &SIZES).unwrap(), 2_600);
    let seen = seen.lock().unwrap();
    println!("{seen:?}");
    for what in ["create", "append", "sync", "sync_dir"] {
        assert!(seen.keys().any(|(call, _)| call == what), "no crash after {what}");
    }
}

#[test]
fn an_error_at_any_call_stops_the_store_and_loses_nothing() {
    let wanted = expected();
    let (mut number, mut failed) = (0, 0);
    loop {
        let mut reached = false;
        for is_done in [false, true] {
            let dir = folder();
            drop(Store::create(dir.path()).unwrap());
            let files = Arc::new(Simulated::new(dir.path(), Some((number, is_done)), Box::new(|_, _, _| ())));
            let story = format!("call {number} fails, done: {is_done}");
            match scenario(dir.path(), files.clone(), &SIZES) {
                Ok(size) => assert_eq!(size, 2_600),
                Err(error) => {
                    assert!(matches!(&error, StoreError::Io { .. }), "{story}: {error}");
                    (reached, failed) = (true, failed + 1);
                    goes_on(dir.path(), &wanted, &story);
                }
            }
        }
        if !reached {
            break;
        }
        number += if is_slow() { 1 } else { 4 };
    }
    println!("{failed} runs with an error, of {number} calls");
    assert!(failed > 20);
}
