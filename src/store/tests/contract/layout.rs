//! The layout, read and damaged by a second implementation written from spec/store.md alone.

use std::fs;
use std::path::Path;

use fairshoe_store::{Store, StoreError};
use sha2::{Digest as _, Sha256};

use crate::{commit, folder, put, small, small_is_whole};

pub fn sealed(key: &[u8], body: &[u8]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(b"fairshoe-store/1 value\0");
    hash.update((key.len() as u64).to_be_bytes());
    hash.update(key);
    hash.update(body);
    [&hash.finalize()[..16], body].concat()
}

fn key(first: u64, piece: u16) -> Vec<u8> {
    [&[2][..], &first.to_be_bytes(), &piece.to_be_bytes()].concat()
}

/// A one-piece record, sealed.
fn record(first: u64, entries: &[&str], meta_sum: u128) -> Vec<u8> {
    let mut bytes = vec![0, 1];
    bytes.extend(first.to_be_bytes());
    bytes.extend((entries.len() as u32).to_be_bytes());
    bytes.extend(0_u32.to_be_bytes());
    bytes.extend(meta_sum.to_be_bytes());
    for entry in entries {
        bytes.extend((entry.len() as u16).to_be_bytes());
        bytes.extend(entry.as_bytes());
    }
    sealed(&key(first, 0), &bytes)
}

fn sum(pairs: &[(&str, &str)]) -> u128 {
    pairs.iter().fold(0, |sum, (name, value)| {
        let seal = sealed(&[&[1], name.as_bytes()].concat(), value.as_bytes());
        sum.wrapping_add(u128::from_be_bytes(seal[..16].try_into().unwrap()))
    })
}

/// Opens sled alone, without the store.
pub fn with_sled<T>(dir: &Path, act: impl FnOnce(&sled::Db) -> T) -> T {
    let config = sled::Config::new().path(dir.join("log")).segment_size(8 << 20).flush_every_ms(None);
    let mut tries = 0;
    let db = loop {
        match config.clone().open() {
            Ok(db) => break db,
            Err(_) if tries < 100 => tries += 1,
            Err(e) => panic!("{e}"),
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let result = act(&db);
    db.flush().unwrap();
    result
}

fn refusal(change: impl FnOnce(&sled::Db)) -> StoreError {
    let dir = folder();
    drop(small(dir.path()));
    with_sled(dir.path(), change);
    let error = Store::open(dir.path()).map(|(store, _)| store.size()).unwrap_err();
    // Refused again: the first attempt repaired and removed no data.
    assert_eq!(Store::open(dir.path()).unwrap_err().to_string(), error.to_string());
    error
}

#[test]
fn the_bytes_are_those_of_the_specification() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    commit(&store, &["a", ""], &[]);
    commit(&store, &["b"], &[put("k", "v")]);
    drop(store);
    with_sled(dir.path(), |db| {
        assert_eq!(db.get([0]).unwrap().unwrap(), sealed(&[0], b"fairshoe-store 2"));
        assert_eq!(db.get(key(0, 0)).unwrap().unwrap(), record(0, &["a", ""], 0));
        assert_eq!(db.get(b"\x01k").unwrap().unwrap(), sealed(b"\x01k", b"v"));
        let with_meta = db.get(key(2, 0)).unwrap().unwrap();
        let tail = [&[1, 1, b'k'][..], &[0, 0, 0, 1], b"v"].concat();
        assert!(with_meta.ends_with(&tail));
        assert_eq!(with_meta[16 + 2 + 8 + 4 + 4..][..16], sum(&[("k", "v")]).to_be_bytes());
        assert_eq!(db.len(), 4);
    });
}

#[test]
fn a_gap_is_named_by_the_first_missing_entry() {
    let error = refusal(|db| drop(db.remove(key(1, 0)).unwrap()));
    assert!(matches!(error, StoreError::Gapped { at: 1, next: 3 }), "{error}");
    let error = refusal(|db| drop(db.remove(key(0, 0)).unwrap()));
    assert!(matches!(error, StoreError::Gapped { at: 0, next: 1 }), "{error}");
    let error = refusal(|db| drop(db.remove(key(3, 0)).unwrap()));
    assert!(matches!(error, StoreError::BehindAnchor { have: 3, anchored: 6 }), "{error}");
}

#[test]
fn an_overlap_is_named() {
    let error = refusal(|db| drop(db.insert(key(2, 0), record(2, &["c again"], 0)).unwrap()));
    assert!(matches!(error, StoreError::Overlap { at: 2 }), "{error}");
}

#[test]
fn a_value_that_is_not_the_one_sealed_is_refused() {
    for (story, change) in [
        ("a changed byte", Box::new(|value: &mut Vec<u8>| value[40] ^= 1) as Box<dyn Fn(&mut Vec<u8>)>),
        ("cut short", Box::new(|value| value.truncate(20))),
        ("empty", Box::new(Vec::clear)),
        ("another place's record", Box::new(|value| *value = record(7, &["x", "y"], 0))),
        (
            "a record that claims another place",
            Box::new(|value| {
                let wrong = record(7, &["x", "y"], 0)[16..].to_vec();
                *value = sealed(&key(1, 0), &wrong);
            }),
        ),
        (
            "no entries",
            Box::new(|value| {
                let none = record(1, &[], 0)[16..].to_vec();
                *value = sealed(&key(1, 0), &none);
            }),
        ),
    ] {
        let error = refusal(|db| {
            let mut value = db.get(key(1, 0)).unwrap().unwrap().to_vec();
            change(&mut value);
            db.insert(key(1, 0), value).unwrap();
        });
        assert!(matches!(error, StoreError::Damaged { at: Some(1), .. }), "{story}: {error}");
    }
}

#[test]
fn metadata_that_is_lost_rolled_back_added_or_changed_is_refused() {
    for (story, name, value) in [
        ("lost", "k1", None),
        ("rolled back, seal and all", "k1", Some(sealed(b"\x01k1", b"one"))),
        ("deleted one back", "k2", Some(sealed(b"\x01k2", b"two"))),
        ("changed", "k1", Some(sealed(b"\x01k1", b"uno")[..18].to_vec())),
        ("another key's", "k1", Some(sealed(b"\x01k3", b"y"))),
    ] {
        let error = refusal(|db| {
            let key = [b"\x01", name.as_bytes()].concat();
            match value {
                Some(value) => db.insert(key, value).map(drop).unwrap(),
                None => db.remove(key).map(drop).unwrap(),
            }
        });
        assert!(matches!(error, StoreError::MetaDamaged { .. }), "{story}: {error}");
    }
}

#[test]
fn a_sled_without_our_format_record_is_refused() {
    let error = refusal(|db| drop(db.remove([0]).unwrap()));
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

/// A crash after the record's sync and before the metadata was put: opening repeats it from the record.
#[test]
fn metadata_of_the_last_append_is_made_good_from_its_record() {
    let dir = folder();
    drop(small(dir.path()));
    with_sled(dir.path(), |db| {
        db.remove(b"\x01k3").unwrap();
        db.remove(b"\x01l").unwrap();
    });
    small_is_whole(&Store::open_copy(dir.path()).unwrap());
    small_is_whole(&Store::open(dir.path()).unwrap().0);
    with_sled(dir.path(), |db| assert!(db.contains_key(b"\x01k3").unwrap()));
}

/// A crash in the middle of an append of several pieces leaves its first pieces, which were not acknowledged.
#[test]
fn an_append_cut_off_by_a_crash_is_removed_and_nothing_else() {
    let dir = folder();
    let store = small(dir.path());
    let large = vec![vec![b'z'; 50_000]; 3];
    store.append(6, &large, &[put("late", "x")]).unwrap();
    drop(store);
    with_sled(dir.path(), |db| {
        assert!(db.contains_key(key(6, 2)).unwrap());
        db.remove(key(6, 2)).unwrap();
        db.remove(b"\x01late").unwrap();
    });
    let (store, anchored) = Store::open(dir.path()).unwrap();
    assert_eq!((store.size(), anchored.size), (6, 6));
    small_is_whole(&store);
    store.append(6, &large, &[]).unwrap();
    store.write_anchor(9, b"").unwrap();
    drop(store);
    // If the same pieces are missing under the anchor, that is damage, and they stay as they are.
    with_sled(dir.path(), |db| drop(db.remove(key(6, 2)).unwrap()));
    let refused = Store::open(dir.path()).unwrap_err();
    assert!(matches!(refused, StoreError::BehindAnchor { have: 6, anchored: 9 }), "{refused}");
    with_sled(dir.path(), |db| assert!(db.contains_key(key(6, 1)).unwrap()));
    // A crash cannot explain a piece missing in the middle.
    with_sled(dir.path(), |db| {
        db.remove(key(6, 0)).unwrap();
    });
    let refused = Store::open(dir.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { at: Some(6), .. }), "{refused}");
}

/// sled takes the last name for the newest snapshot, even a half-written one, and then refuses to open.
#[test]
fn half_a_snapshot_left_by_a_crash_is_no_obstacle() {
    let dir = folder();
    drop(small(dir.path()));
    let half = dir.path().join("log/snap.00000000FFFFFFFF.generating");
    fs::write(&half, b"half a snap").unwrap();
    small_is_whole(&Store::open_copy(dir.path()).unwrap());
    assert!(half.exists(), "the original is not touched");
    small_is_whole(&Store::open(dir.path()).unwrap().0);
    assert!(!half.exists());
}
