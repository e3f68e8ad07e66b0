//! The contract of the store, in one process: what it keeps, what it refuses, and the bytes it writes.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod copies;
mod folder;
mod layout;
mod sealing;
mod segments;
mod simulated;

/// The library's own files, for tests of private items.
#[path = "../../src"]
#[allow(dead_code, reason = "the library uses it")]
mod library {
    mod anchor;
    pub mod bundle;
    pub mod io_error;
    pub mod record;
    mod segment;
    pub mod stall;
    mod tile_path;
}
// The names that these files use as `crate::…`.
use library::{bundle, io_error, record, stall};

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use fairshoe_store::{
    MAX_APPEND_ENTRIES, MAX_ENTRY, MAX_META_KEY, MAX_META_VALUE, MAX_NOTE, MetaWrite, Reader, Space, Store, StoreError,
    free_space, true_sync,
};
use tempfile::TempDir;

pub fn folder() -> TempDir {
    true_sync::require().unwrap();
    tempfile::tempdir().unwrap()
}

pub fn put(key: &str, value: &str) -> MetaWrite {
    MetaWrite::Put { key: key.into(), value: value.into() }
}

pub fn delete(key: &str) -> MetaWrite {
    MetaWrite::Delete { key: key.into() }
}

pub fn commit(store: &Store, entries: &[&str], meta: &[MetaWrite]) {
    let entries: Vec<_> = entries.iter().map(|entry| entry.as_bytes().to_vec()).collect();
    store.append(store.size(), &entries, meta).unwrap();
    store.write_anchor(store.size(), format!("note {}", store.size()).as_bytes()).unwrap();
}

pub fn all(reader: &Reader) -> Vec<String> {
    let mut found = Vec::new();
    let read = reader.read(0..reader.size(), |index, entry| {
        assert_eq!(index, found.len() as u64);
        found.push(String::from_utf8(entry.to_vec()).unwrap());
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

pub fn all_meta(reader: &Reader, prefix: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let scan = reader.meta_scan(prefix.as_bytes(), |key, value| {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        found.push((text(key), text(value)));
        ControlFlow::Continue(())
    });
    scan.unwrap();
    found
}

/// A store of three appends: a, b c, d e f; metadata of each.
pub fn small(dir: &Path) -> Store {
    let store = Store::create(dir).unwrap();
    commit(&store, &["a"], &[put("k1", "one"), put("k2", "two")]);
    commit(&store, &["b", "c"], &[put("k1", "uno"), delete("k2"), delete("none")]);
    commit(&store, &["d", "e", "f"], &[put("l", ""), put("k3", "x"), put("k3", "y")]);
    store
}

pub fn small_is_whole(reader: &Reader) {
    assert_eq!(all(reader), ["a", "b", "c", "d", "e", "f"]);
    let pairs = [("k1", "uno"), ("k3", "y"), ("l", "")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(all_meta(reader, ""), pairs);
    assert_eq!(all_meta(reader, "k"), pairs[..2]);
    assert_eq!(reader.meta_get(b"k1").unwrap(), Some(b"uno".to_vec()));
    assert_eq!(reader.meta_get(b"k2").unwrap(), None);
}

#[test]
fn what_was_appended_is_read_now_and_after_reopening() {
    let dir = folder();
    let store = small(dir.path());
    small_is_whole(&store);
    drop(store);
    for _ in 0..2 {
        let (store, anchored) = Store::open(dir.path()).unwrap();
        assert_eq!((anchored.size, anchored.note, anchored.torn), (6, b"note 6".to_vec(), false));
        small_is_whole(&store);
    }
    let (store, _) = Store::open(dir.path()).unwrap();
    commit(&store, &["g"], &[]);
    assert_eq!(store.entry(6).unwrap(), b"g");
}

#[test]
fn reads_stop_where_asked_and_refuse_what_is_not_there() {
    let dir = folder();
    let store = small(dir.path());
    let mut seen = Vec::new();
    let visit = |index, _: &[u8]| {
        seen.push(index);
        if index == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.read(1..6, visit).unwrap();
    assert_eq!(seen, [1, 2, 3]);
    for range in [0..7, 6..7, 100..200, u64::MAX - 1..u64::MAX] {
        let read = store.read(range, |_, _| panic!("an entry that does not exist"));
        assert!(matches!(read, Err(StoreError::BeyondEnd { size: 6, .. })));
    }
    assert!(matches!(store.entry(u64::MAX), Err(StoreError::BeyondEnd { .. })));
    store.read(6..6, |_, _| panic!("an empty range has no entries")).unwrap();
}

#[test]
fn appends_follow_each_other_and_their_anchors() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    assert_eq!((store.size(), store.anchored().size), (0, 0));
    let one = [b"x".to_vec()];
    assert!(matches!(store.append(1, &one, &[]), Err(StoreError::SizeMismatch { expected: 1, actual: 0 })));
    assert!(matches!(store.append(0, &[], &[put("k", "v")]), Err(StoreError::NothingToAppend)));
    store.append(0, &one, &[]).unwrap();
    assert!(matches!(store.append(1, &one, &[]), Err(StoreError::Unanchored { size: 1, anchored: 0 })));
    assert!(matches!(store.write_anchor(2, b""), Err(StoreError::SizeMismatch { expected: 2, actual: 1 })));
    assert!(matches!(store.write_anchor(1, &vec![0; MAX_NOTE + 1]), Err(StoreError::Limit { .. })));
    store.write_anchor(1, b"first").unwrap();
    store.write_anchor(1, b"cosigned").unwrap();
    assert_eq!(store.anchored().note, b"cosigned");
    store.append(1, &one, &[]).unwrap();
    drop(store);
    // A crash between append and anchor: it is legal, and the two sizes show it.
    let (store, anchored) = Store::open(dir.path()).unwrap();
    assert_eq!((store.size(), anchored.size), (2, 1));
    assert!(matches!(store.append(2, &one, &[]), Err(StoreError::Unanchored { .. })));
    store.write_anchor(2, b"second").unwrap();
    store.append(2, &one, &[]).unwrap();
}

/// sled writes values over a quarter of a segment, including a leaf of many values, to their own files and never syncs
/// them: a power cut would lose them.
#[test]
fn the_largest_inputs_are_kept_and_never_leave_the_synced_file() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    let value = vec![b'v'; MAX_META_VALUE];
    for round in 0_u8..12 {
        let entries = vec![vec![round; MAX_ENTRY]; 60];
        let meta: Vec<_> = (0..60_u8)
            .map(|n| {
                let mut key = vec![n.wrapping_mul(37); MAX_META_KEY];
                key[0] = round / 4;
                match round % 3 {
                    2 => MetaWrite::Delete { key },
                    _ => MetaWrite::Put { key, value: value.clone() },
                }
            })
            .collect();
        store.append(store.size(), &entries, &meta).unwrap();
        store.write_anchor(store.size(), b"").unwrap();
        assert_eq!(fs::read_dir(dir.path().join("log/blobs")).unwrap().count(), 0, "round {round}");
    }
    let many = vec![vec![1]; MAX_APPEND_ENTRIES];
    store.append(store.size(), &many, &[]).unwrap();
    store.write_anchor(store.size(), b"").unwrap();
    drop(store);
    let (store, _) = Store::open(dir.path()).unwrap();
    assert_eq!(store.size(), 12 * 60 + 256);
    for round in 0..12 {
        assert_eq!(store.entry(round * 60 + 59).unwrap(), vec![round as u8; MAX_ENTRY]);
    }
    assert_eq!(fs::read_dir(dir.path().join("log/blobs")).unwrap().count(), 0);
}

#[test]
fn many_threads_read_while_one_appends() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let reader = store.reader();
            scope.spawn(move || {
                let mut looked = 0;
                while reader.size() < 3000 {
                    let size = reader.size();
                    if size == 0 {
                        continue;
                    }
                    let index = (looked * 7919 + thread) % size;
                    assert_eq!(reader.entry(index).unwrap(), index.to_string().into_bytes());
                    // Metadata is never ahead of its entries.
                    let marked = reader.meta_get(b"size").unwrap().unwrap_or_else(|| b"0".to_vec());
                    let marked: u64 = String::from_utf8(marked).unwrap().parse().unwrap();
                    assert!(marked <= reader.size() + 3);
                    looked += 1;
                }
                assert!(looked > 0);
            });
        }
        while store.size() < 3000 {
            let size = store.size();
            let entries: Vec<_> = (size..size + 3).map(|n| n.to_string().into_bytes()).collect();
            let meta = [put("size", &(size + 3).to_string())];
            store.append(size, &entries, &meta).unwrap();
            store.write_anchor(size + 3, b"").unwrap();
        }
    });
}

#[test]
fn free_space_is_that_of_the_disk_and_every_error_has_advice() {
    let dir = folder();
    let store = small(dir.path());
    let free = store.free_space().unwrap();
    assert!(free.bytes > 1 << 20 && free.inodes > 64, "{free}");
    let missing = free_space(&dir.path().join("none")).unwrap_err();
    assert!(matches!(missing, StoreError::Io { .. }));
    assert!(missing.advice().contains("disk"));
    assert!(missing.to_string().contains("none"));
}
