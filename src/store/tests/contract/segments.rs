//! Sealed files that are lost, damaged, cut short, foreign or from a later version: each has its own error, or does no
//! harm.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use fairshoe_store::{Store, StoreError};

use crate::folder;
use crate::folder::copy_dir;
use crate::layout::with_sled;
use crate::sealing::{entry, grow, is_whole, seal, sealed, segments, small_segments};

/// The error of opening a folder after a change to it. It must be the same twice, and the same for a copy.
fn refusal(change: impl FnOnce(&Path)) -> StoreError {
    let dir = folder();
    sealed(dir.path());
    change(dir.path());
    let error = Store::open(dir.path()).map(|(store, _)| store.size()).unwrap_err();
    assert_eq!(Store::open(dir.path()).unwrap_err().to_string(), error.to_string());
    assert_eq!(Store::open_copy(dir.path()).unwrap_err().to_string(), error.to_string());
    assert!(!error.advice().is_empty());
    error
}

fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn last(dir: &Path) -> std::path::PathBuf {
    dir.join("sealed").join(segments(dir).pop().unwrap())
}

#[test]
fn a_segment_that_is_gone_is_named() {
    for name in ["00000000", "00000001"] {
        let error = refusal(|dir| fs::remove_file(dir.join("sealed").join(name)).unwrap());
        assert!(matches!(&error, StoreError::Missing { path } if path.ends_with(name)), "{error}");
    }
    let error = refusal(|dir| fs::remove_file(last(dir)).unwrap());
    assert!(matches!(&error, StoreError::Missing { .. }), "{error}");
    let error = refusal(|dir| {
        fs::remove_dir_all(dir.join("sealed")).unwrap();
        fs::create_dir(dir.join("sealed")).unwrap();
    });
    assert!(matches!(&error, StoreError::Missing { path } if path.ends_with("00000000")), "{error}");
}

#[test]
fn a_damaged_header_or_footer_is_named() {
    let error = refusal(|dir| edit(&dir.join("sealed/00000001"), |bytes| bytes[20] ^= 1));
    assert!(
        matches!(&error, StoreError::SegmentDamaged { path, at: Some(at), .. } if path.ends_with("00000001") && *at > 0),
        "{error}"
    );
    for back in [1, 20, 45, 60] {
        let error =
            refusal(|dir| edit(&dir.join("sealed/00000000"), |bytes| *bytes.iter_mut().nth_back(back).unwrap() ^= 1));
        assert!(matches!(&error, StoreError::SegmentDamaged { at: Some(0), .. }), "{back}: {error}");
    }
    let error = refusal(|dir| edit(&dir.join("sealed/00000001"), |bytes| bytes.truncate(bytes.len() - 1)));
    assert!(matches!(&error, StoreError::SegmentDamaged { .. }), "{error}");
    let error = refusal(|dir| edit(&dir.join("sealed/00000000"), Vec::clear));
    assert!(matches!(&error, StoreError::SegmentDamaged { at: Some(0), .. }), "{error}");
}

#[test]
fn the_open_segment_is_held_against_the_mark() {
    let error = refusal(|dir| edit(&last(dir), |bytes| bytes.truncate(bytes.len() - 1)));
    assert!(matches!(&error, StoreError::SegmentCut { have: 18, wanted: 19, .. }), "{error}");
    let error = refusal(|dir| edit(&last(dir), |bytes| bytes.truncate(72)));
    assert!(matches!(&error, StoreError::SegmentCut { wanted: 19, .. }), "{error}");
    let error = refusal(|dir| edit(&last(dir), Vec::clear));
    assert!(matches!(&error, StoreError::SegmentDamaged { .. }), "{error}");
    // A correct seal that differs from the one in the mark.
    let error = refusal(|dir| {
        with_sled(dir, |db| {
            drop(db.insert([3], crate::layout::sealed(&[3], &[&19_u64.to_be_bytes()[..], &[7; 16]].concat())).unwrap())
        })
    });
    assert!(matches!(&error, StoreError::SegmentForeign { .. }), "{error}");
    for at in [80, 100, 200] {
        let error = refusal(|dir| edit(&last(dir), |bytes| bytes[at] ^= 1));
        assert!(matches!(&error, StoreError::SegmentDamaged { at: Some(_), .. }), "{at}: {error}");
    }
}

#[test]
fn a_mark_that_is_lost_damaged_or_old_is_refused() {
    let error = refusal(|dir| with_sled(dir, |db| drop(db.remove([3]).unwrap())));
    assert!(matches!(&error, StoreError::Gapped { at: 0, .. }), "{error}");
    let error = refusal(|dir| with_sled(dir, |db| drop(db.insert([3], vec![1; 40]).unwrap())));
    assert!(matches!(&error, StoreError::Damaged { .. }), "{error}");
    // Records continue from the end of an older mark: such a sled knows less than the finished segments hold.
    let error = refusal(|dir| {
        let old = folder();
        drop(Store::create(old.path()).unwrap());
        let store = small_segments(old.path(), 120_000);
        grow(&store, 5_100, 50);
        drop(store);
        fs::remove_dir_all(dir.join("log")).unwrap();
        copy_dir(&old.path().join("log"), &dir.join("log"));
    });
    assert!(matches!(&error, StoreError::SegmentAhead { marked: 0, .. }), "{error}");
}

#[test]
fn a_segment_of_another_log_or_place_is_not_believed() {
    let other = folder();
    drop(Store::create(other.path()).unwrap());
    let store = small_segments(other.path(), 120_000);
    let entries = |first: u64| (first..first + 10).map(|index| entry(index + 1_000_000)).collect::<Vec<_>>();
    while store.size() < 5_100 {
        store.append(store.size(), &entries(store.size()), &[]).unwrap();
        store.write_anchor(store.size(), b"").unwrap();
    }
    while store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap() > 0 {}
    drop(store);
    for name in ["00000000", "00000001"] {
        let error =
            refusal(|dir| _ = fs::copy(other.path().join("sealed/00000000"), dir.join("sealed").join(name)).unwrap());
        assert!(matches!(&error, StoreError::SegmentForeign { .. } | StoreError::SegmentAhead { .. }), "{error}");
    }
    let error = refusal(|dir| _ = fs::copy(dir.join("sealed/00000001"), dir.join("sealed/00000002")).unwrap());
    assert!(matches!(&error, StoreError::SegmentForeign { .. }), "{error}");
}

#[test]
fn a_segment_from_the_future_is_named_with_its_version() {
    for name in ["00000000", "00000003"] {
        let error = refusal(|dir| edit(&dir.join("sealed").join(name), |bytes| bytes[7] = b'2'));
        assert!(matches!(&error, StoreError::SegmentVersion { found, .. } if found == "fssegm02"), "{error}");
        assert!(error.advice().contains("version"));
    }
}

/// Bytes after the mark, from a step or a footer that a crash cut off, are removed and sealed again.
#[test]
fn what_lies_behind_the_mark_is_cut_and_sealed_again() {
    for tail in [
        vec![0; 5],
        vec![7; 3_000],
        b"fsfoot01".to_vec(),
        [vec![0; 40], vec![0, 0, 0, 1], vec![5; 32], b"fsfoot01".to_vec()].concat(),
    ] {
        let dir = folder();
        let size = sealed(dir.path());
        let path = last(dir.path());
        let before = fs::read(&path).unwrap();
        edit(&path, |bytes| bytes.extend(&tail));
        is_whole(&Store::open_copy(dir.path()).unwrap(), size);
        let store = small_segments(dir.path(), 120_000);
        is_whole(&store, size);
        grow(&store, 8_000, 20);
        assert_eq!(seal(&store), 8_000 / 256 - 19);
        is_whole(&store, 8_000);
        drop(store);
        assert!(fs::read(&path).unwrap().starts_with(&before));
        let (store, _) = Store::open(dir.path()).unwrap();
        is_whole(&store, 8_000);
        store.verify_sealed(|_, _| ControlFlow::Continue(())).unwrap();
    }
    // A segment that was only begun, after a finished one, may hold any bytes.
    for begun in [Vec::new(), vec![0; 30], vec![9; 500]] {
        let (dir, then) = (folder(), folder());
        drop(Store::create(dir.path()).unwrap());
        let store = small_segments(dir.path(), 1);
        grow(&store, 700, 20);
        assert_eq!(seal(&store), 2);
        grow(&store, 1_100, 20);
        drop(store);
        copy_dir(dir.path(), then.path());
        let store = small_segments(dir.path(), 1);
        assert_eq!(seal(&store), 2);
        drop(store);
        let name = "sealed/00000001";
        fs::copy(dir.path().join(name), then.path().join(name)).unwrap();
        fs::write(then.path().join("sealed/00000002"), &begun).unwrap();
        is_whole(&Store::open_copy(then.path()).unwrap(), 1_100);
        let store = small_segments(then.path(), 1);
        is_whole(&store, 1_100);
        assert_eq!(seal(&store), 2);
        drop(store);
        for name in segments(dir.path()) {
            let of = |dir: &Path| fs::read(dir.join("sealed").join(&name)).unwrap();
            assert_eq!(of(dir.path()), of(then.path()), "the same bytes as without the crash");
        }
        is_whole(&Store::open(then.path()).unwrap().0, 1_100);
    }
}

/// Opening does not read old bundles; reading one finds the damage, and so does the slow check.
#[test]
fn an_old_bundle_that_is_damaged_is_found_when_it_is_read() {
    let dir = folder();
    let size = sealed(dir.path());
    edit(&dir.path().join("sealed/00000000"), |bytes| bytes[72 + 20 + 50] ^= 1);
    let (store, _) = Store::open(dir.path()).unwrap();
    for error in [
        store.entry(0).unwrap_err(),
        store.read(0..size, |_, _| ControlFlow::Continue(())).unwrap_err(),
        store.verify_sealed(|_, _| ControlFlow::Continue(())).unwrap_err(),
    ] {
        assert!(
            matches!(&error, StoreError::SegmentDamaged { path, at: Some(0), .. } if path.ends_with("00000000")),
            "{error}"
        );
    }
    assert_eq!(store.entry(300).unwrap(), crate::sealing::entry(300));
    assert_eq!(store.entry(size - 1).unwrap(), crate::sealing::entry(size - 1));
    fs::remove_file(dir.path().join("sealed/00000000")).unwrap();
    assert!(matches!(store.entry(0), Err(StoreError::Missing { .. })));
    assert!(matches!(store.verify_sealed(|_, _| ControlFlow::Continue(())), Err(StoreError::Missing { .. })));
}

#[test]
fn an_anchor_older_than_what_was_sealed_is_stale() {
    let dir = folder();
    drop(Store::create(dir.path()).unwrap());
    let store = small_segments(dir.path(), 120_000);
    grow(&store, 300, 10);
    drop(store);
    let anchor = fs::read(dir.path().join("anchor")).unwrap();
    let store = small_segments(dir.path(), 120_000);
    grow(&store, 2_000, 10);
    seal(&store);
    drop(store);
    fs::write(dir.path().join("anchor"), anchor).unwrap();
    let error = Store::open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::AnchorStale { have: 2_000, anchored: 300, .. }), "{error}");
}

/// The removal of a record of many pieces was cut off: its first pieces are gone, all its entries are sealed.
#[test]
fn a_removal_cut_off_between_pieces_is_ended_at_opening() {
    let dir = folder();
    let store = Store::create(dir.path()).unwrap();
    let long = vec![vec![b'l'; 40_000]; 4];
    store.append(0, &long, &[]).unwrap();
    store.write_anchor(4, b"").unwrap();
    let key = |first: u64, piece: u16| [&[2][..], &first.to_be_bytes(), &piece.to_be_bytes()].concat();
    drop(store);
    let pieces =
        with_sled(dir.path(), |db| (0..9).map_while(|piece| db.get(key(0, piece)).unwrap()).collect::<Vec<_>>());
    assert_eq!(pieces.len(), 3);
    let (store, _) = Store::open(dir.path()).unwrap();
    while store.size() < 600 {
        store.append(store.size(), &vec![b"short".to_vec(); 20], &[]).unwrap();
        store.write_anchor(store.size(), b"").unwrap();
    }
    assert_eq!(store.seal(1, &mut |_, _| Ok(Vec::new())).unwrap(), 2);
    drop(store);
    with_sled(dir.path(), |db| {
        assert!(!db.contains_key(key(0, 2)).unwrap());
        // The rest of the first record, as if its removal had reached its last piece before that of all others.
        db.insert(key(0, 2), pieces[2].clone()).unwrap();
    });
    // The next records do not begin where it ends, but before the mark: those between were removed too. Opening
    // succeeds.
    let (store, _) = Store::open(dir.path()).unwrap();
    assert_eq!((store.size(), store.entry(3).unwrap() == long[3]), (604, true));
    drop(store);
    with_sled(dir.path(), |db| assert!(!db.contains_key(key(0, 2)).unwrap()));
}
