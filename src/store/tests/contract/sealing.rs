//! Sealing in one process: reads stay the same, sled drops the records, segments and tiles follow the specification.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use fairshoe_store::{BUNDLE, DiskFiles, MetaWrite, SealLimits, Store, StoreError, TileFile};
use rustix::process::{Resource, Rlimit, setrlimit};
use sha2::{Digest as _, Sha256};

use crate::folder;

/// Entry `index`; every hundredth is long, and none compresses.
pub fn entry(index: u64) -> Vec<u8> {
    let mut bytes = format!("entry {index} ").into_bytes();
    let len = if index.is_multiple_of(100) { 5_000 } else { index % 90 };
    let mut state = index.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    bytes.extend((0..len).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    }));
    bytes
}

/// Attack: strangers make the process use all the memory that it may have. What cannot be sealed waits, and is no damage.
#[test]
fn without_memory_sealing_waits() {
    const CHILD: &str = "FAIRSHOE_STORE_STARVED_SEALER";
    if std::env::var_os(CHILD).is_none() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let child = child.args(["sealing::without_memory_sealing_waits", "--exact", "--nocapture"]).env(CHILD, "1");
        let child = child.output().unwrap();
        assert!(child.status.success(), "{child:?}");
        return;
    }
    let folder = folder();
    let store = Store::create(folder.path()).unwrap();
    let entries: Vec<_> = (0..BUNDLE).map(|index| vec![index as u8; 60_000]).collect();
    for (first, some) in (0..).step_by(16).zip(entries.chunks(16)) {
        store.append(first, some, &[]).unwrap();
        store.write_anchor(first + 16, b"note").unwrap();
    }
    drop(entries);
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
    let size = size.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10;
    let limit = |current| setrlimit(Resource::Data, Rlimit { current, maximum: None }).unwrap();
    // As much as the store itself takes now and then, and much less than a bundle.
    limit(Some(size + (4 << 20)));
    let starved = store.seal(1, &mut |_, _| Ok(Vec::new()));
    limit(None);
    assert!(matches!(starved, Err(StoreError::NoMemory { bundle: 0 })), "{starved:?}");
    assert!(!store.is_stopped());
    assert_eq!(store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap(), 1);
}

/// Appends up to `size` entries, so many at a time, each append with metadata, and anchors them.
pub fn grow(store: &Store, size: u64, batch: u64) {
    while store.size() < size {
        let first = store.size();
        let entries: Vec<_> = (first..size.min(first + batch)).map(entry).collect();
        let end = first + entries.len() as u64;
        let meta = MetaWrite::Put { key: b"size".to_vec(), value: end.to_string().into_bytes() };
        store.append(first, &entries, &[meta]).unwrap();
        store.write_anchor(end, format!("note {end}").as_bytes()).unwrap();
    }
}

/// Segments of about `segment_bytes`, two bundles for each step.
pub fn small_segments(dir: &Path, segment_bytes: u64) -> Store {
    Store::open_with(dir, Arc::new(DiskFiles::at(dir)), SealLimits { segment_bytes, bundles: 2 }).unwrap().0
}

/// Seals all full bundles; each is compared with the entries that were appended.
pub fn seal(store: &Store) -> u64 {
    let mut sealed = 0;
    loop {
        let step = store.seal(1, &mut |bundle, entries| {
            assert_eq!(entries.len() as u64, BUNDLE);
            let same = entries.iter().zip(bundle * BUNDLE..).all(|(found, index)| **found == entry(index));
            if same { Ok(Vec::new()) } else { Err(format!("bundle {bundle} is another")) }
        });
        match step.unwrap() {
            0 => return sealed,
            some => sealed += some,
        }
    }
}

pub fn is_whole(store: &fairshoe_store::Reader, size: u64) {
    assert_eq!(store.size(), size);
    let mut next = 0;
    store
        .read(0..size, |index, found| {
            assert_eq!((index, found == entry(index)), (next, true), "entry {index}");
            next += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(next, size);
    for index in [0, 1, 255, 256, 257, size / 2, size.saturating_sub(1)].into_iter().filter(|index| *index < size) {
        assert_eq!(store.entry(index).unwrap(), entry(index));
    }
    assert_eq!(store.meta_get(b"size").unwrap(), Some(size.to_string().into_bytes()));
    assert!(matches!(store.entry(size), Err(StoreError::BeyondEnd { .. })));
}

/// Three finished segments and an open one, and a tail in sled.
pub fn sealed(dir: &Path) -> u64 {
    drop(Store::create(dir).unwrap());
    let store = small_segments(dir, 120_000);
    grow(&store, 5_000, 7);
    assert_eq!(seal(&store), 5_000 / BUNDLE);
    grow(&store, 5_100, 7);
    assert!(segments(dir).len() >= 4, "{:?}", segments(dir));
    5_100
}

pub fn segments(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir.join("sealed"))
        .unwrap()
        .map(|name| name.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_was_sealed_is_read_now_after_reopening_and_in_a_copy() {
    let dir = folder();
    let size = sealed(dir.path());
    for _ in 0..2 {
        let (store, anchored) = Store::open(dir.path()).unwrap();
        assert_eq!((anchored.size, store.sealed()), (size, 5_000 / BUNDLE * BUNDLE));
        is_whole(&store, size);
        let mut told = Vec::new();
        store
            .verify_sealed(|done, all| {
                told.push((done, all));
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!((told.len(), told.first(), told.last()), (19, Some(&(1, 19)), Some(&(19, 19))));
        let mut told = 0;
        store
            .verify_sealed(|_, _| {
                told += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(told, 1);
    }
    let copy = Store::open_copy(dir.path()).unwrap();
    is_whole(&copy, size);
    // A service that starts in the original meanwhile and continues sealing does not change the copy's reads.
    let store = small_segments(dir.path(), 120_000);
    grow(&store, 9_000, 50);
    seal(&store);
    is_whole(&copy, size);
    is_whole(&store, 9_000);
    copy.verify_sealed(|_, _| ControlFlow::Continue(())).unwrap();
    assert_eq!(copy.sealed(), 19 * BUNDLE);
}

#[test]
fn only_what_is_full_and_anchored_is_sealed_and_only_when_enough_is_there() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    let mut nothing = |_: u64, _: &[&[u8]]| -> Result<Vec<TileFile>, String> { panic!("nothing is to be checked") };
    assert_eq!(store.seal(1, &mut nothing).unwrap(), 0);
    grow(&store, 255, 100);
    assert_eq!(store.seal(0, &mut nothing).unwrap(), 0);
    store.append(255, &[entry(255)], &[]).unwrap();
    assert_eq!(store.seal(1, &mut nothing).unwrap(), 0, "not anchored");
    store.write_anchor(256, b"").unwrap();
    assert_eq!(store.seal(2, &mut nothing).unwrap(), 0, "less than asked for");
    assert_eq!(store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap(), 1);
    assert_eq!((store.seal(1, &mut nothing).unwrap(), store.sealed()), (0, 256));
    // As many as one step takes.
    grow(&store, 20 * BUNDLE, 200);
    assert_eq!(store.seal(16, &mut |_, _| Ok(Vec::new())).unwrap(), 16);
    assert_eq!(store.seal(16, &mut nothing).unwrap(), 0);
    assert_eq!(store.seal(3, &mut |_, _| Ok(Vec::new())).unwrap(), 3);
}

/// Appends of one entry up to 256 entries; for every length the last two records stay, with metadata sum and anchor.
#[test]
fn records_go_when_they_are_sealed_and_the_newest_two_stay() {
    for batch in [1, 3, 100, 255, 256] {
        let dir = folder();
        let store = Store::create(dir.path()).unwrap();
        grow(&store, 1024, batch);
        assert_eq!(seal(&store), 4);
        is_whole(&store, 1024);
        drop(store);
        let keys = crate::layout::with_sled(dir.path(), |db| db.scan_prefix([2]).keys().count());
        assert_eq!(keys, 2, "in appends of {batch}");
        let (store, _) = Store::open(dir.path()).unwrap();
        is_whole(&store, 1024);
        grow(&store, 2_000, batch);
        seal(&store);
        is_whole(&store, 2_000);
        drop(store);
        is_whole(&Store::open(dir.path()).unwrap().0, 2_000);
    }
}

#[test]
fn records_of_many_pieces_and_the_largest_entries_are_sealed() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    let long = |index: u64| (0..65_535_u64).map(|at| (at * at + index) as u8).collect::<Vec<_>>();
    while store.size() < 300 {
        let first = store.size();
        let entries: Vec<_> = (first..first + 60).map(long).collect();
        store.append(first, &entries, &[]).unwrap();
        store.write_anchor(first + 60, b"").unwrap();
    }
    assert_eq!(store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap(), 1);
    for reopened in [false, true] {
        assert_eq!(
            (store.entry(0).unwrap() == long(0), store.entry(255).unwrap() == long(255)),
            (true, true),
            "{reopened}"
        );
    }
    drop(store);
    let (store, _) = Store::open(dir.path()).unwrap();
    for index in (0..300).step_by(13) {
        assert!(store.entry(index).unwrap() == long(index), "{index}");
    }
}

#[test]
fn a_bundle_that_the_check_refuses_is_not_sealed_and_stops_the_store() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    grow(&store, 600, 9);
    let refused =
        store.seal(1, &mut |bundle, _| if bundle == 1 { Err("another root".to_owned()) } else { Ok(Vec::new()) });
    assert!(
        matches!(&refused, Err(StoreError::SealRefused { bundle: 1, what }) if what == "another root"),
        "{refused:?}"
    );
    assert!(matches!(store.seal(1, &mut |_, _| Ok(Vec::new())), Err(StoreError::Stopped { .. })));
    assert!(matches!(store.append(600, &[entry(600)], &[]), Err(StoreError::Stopped { .. })));
    assert!(store.is_stopped());
    drop(store);
    let (store, _) = Store::open(dir.path()).unwrap();
    assert_eq!(store.sealed(), 0);
    is_whole(&store, 600);
    assert_eq!(seal(&store), 2);
    is_whole(&store, 600);
}

#[test]
fn tiles_are_files_under_their_own_names() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    grow(&store, 600, 100);
    let tile = |path: &str, byte: u8| TileFile { path: path.to_owned(), bytes: vec![byte; 8192] };
    store
        .seal(1, &mut |bundle, _| {
            Ok(if bundle == 0 { vec![tile("tile/1/000", 1), tile("tile/2/x001/234", 2)] } else { Vec::new() })
        })
        .unwrap();
    assert_eq!(store.tile("tile/1/000").unwrap(), Some(vec![1; 8192]));
    assert_eq!(fs::read(dir.path().join("tile/2/x001/234")).unwrap(), vec![2; 8192]);
    for none in ["tile/1/001", "tile/3/000", "tile/1/000/000", "tile/../format", "format", "tile/1"] {
        assert_eq!(store.tile(none).unwrap(), None, "{none}");
    }
    assert!(!dir.path().join("tile/new").exists());
    drop(store);
    // A step that was cut off left half a tile; the next one writes the same tile again, whole.
    fs::write(dir.path().join("tile/new"), b"half a ti").unwrap();
    let (store, _) = Store::open(dir.path()).unwrap();
    grow(&store, 800, 100);
    assert_eq!(store.seal(1, &mut |_, _| Ok(vec![tile("tile/1/000", 3)])).unwrap(), 1);
    assert_eq!(store.tile("tile/1/000").unwrap(), Some(vec![3; 8192]));
    grow(&store, 1_100, 100);
    let wrong = TileFile { path: "tile/../format".to_owned(), bytes: Vec::new() };
    assert!(store.seal(1, &mut |_, _| Ok(vec![wrong.clone()])).is_err());
    drop(store);
    is_whole(&Store::open(dir.path()).unwrap().0, 1_100);
}

/// A second implementation of the layout, from spec/store.md alone.
#[test]
fn a_segment_has_the_bytes_of_the_specification() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    drop(store);
    let store = small_segments(dir.path(), 1);
    let a = vec![b"a".to_vec(); 256];
    for first in [0, 256] {
        store.append(first, &a, &[]).unwrap();
        store.write_anchor(first + 256, b"").unwrap();
    }
    assert_eq!(store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap(), 2);
    drop(store);
    let seal = |domain: &str, parts: &[&[u8]]| {
        Sha256::digest([domain.as_bytes(), &[0], &parts.concat()].concat())[..16].to_vec()
    };
    let header = |number: u64, first: u64, before: &[u8]| {
        let bytes = [b"fssegm01", &number.to_be_bytes()[..], &first.to_be_bytes(), before].concat();
        let seal = seal("fairshoe-store/2 segment", &[&bytes]);
        [bytes, seal].concat()
    };
    let raw = [0, 1, b'a'].repeat(256);
    let frame = |bundle: u64| {
        let body = [&768_u32.to_be_bytes()[..], &zstd::bulk::compress(&raw, 1).unwrap()].concat();
        let seal = seal("fairshoe-store/2 bundle", &[&bundle.to_be_bytes(), &body]);
        ([&(body.len() as u32).to_be_bytes()[..], &seal, &body].concat(), seal)
    };
    let head = header(0, 0, &[0; 32]);
    let (bytes, bundle_seal) = frame(0);
    let rows = [&72_u32.to_be_bytes()[..], &bundle_seal].concat();
    let hash = Sha256::digest([&head[..], &rows, &[0, 0, 0, 1]].concat()).to_vec();
    let whole = [&head[..], &bytes, &rows, &[0, 0, 0, 1], &hash, b"fsfoot01"].concat();
    assert_eq!(fs::read(dir.path().join("sealed/00000000")).unwrap(), whole);
    let (bytes, bundle_seal) = frame(1);
    assert_eq!(fs::read(dir.path().join("sealed/00000001")).unwrap(), [header(1, 1, &hash), bytes].concat());
    let mark = [&2_u64.to_be_bytes()[..], &bundle_seal].concat();
    crate::layout::with_sled(dir.path(), |db| {
        assert_eq!(db.get([3]).unwrap().unwrap(), crate::layout::sealed(&[3], &mark))
    });
}

#[test]
fn many_threads_read_while_one_appends_and_one_seals() {
    let dir = folder();
    drop(Store::create(dir.path()).unwrap());
    let store = small_segments(dir.path(), 60_000);
    std::thread::scope(|scope| {
        for thread in 0..3_u64 {
            let reader = store.reader();
            scope.spawn(move || {
                let mut looked = 0;
                while reader.size() < 6_000 {
                    let size = reader.size().max(1);
                    let index = (looked * 7919 + thread) % size;
                    if index < reader.size() {
                        assert!(reader.entry(index).unwrap() == entry(index), "{index}");
                    }
                    looked += 1;
                }
            });
        }
        let sealer = scope.spawn(|| {
            let mut sealed = 0;
            while store.size() < 6_000 {
                sealed += seal(&store);
            }
            sealed + seal(&store)
        });
        grow(&store, 6_000, 11);
        assert_eq!(sealer.join().unwrap(), 23);
    });
    is_whole(&store, 6_000);
}
