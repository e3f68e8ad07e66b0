//! Folders that are not a whole store of our own, or no longer.

use std::fs;
use std::path::{Path, PathBuf};

use fairshoe_store::{Store, StoreError};

use crate::{commit, folder, small, small_is_whole};

#[test]
fn a_new_store_needs_a_vacant_folder_and_an_old_one_its_marker() {
    let dir = folder();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::NotAStore { .. })));
    assert!(matches!(Store::open(&dir.path().join("none")), Err(StoreError::NotAStore { .. })));
    assert!(matches!(Store::open_copy(dir.path()), Err(StoreError::NotAStore { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    // Other files of the service may already be there.
    fs::create_dir(dir.path().join("secrets")).unwrap();
    drop(small(dir.path()));
    assert!(matches!(Store::create(dir.path()), Err(StoreError::Exists { .. })));

    let marker = dir.path().join("format");
    assert_eq!(fs::read_to_string(&marker).unwrap(), "fairshoe-store 2\n");
    fs::write(&marker, "fairshoe-store 3\n").unwrap();
    let Err(StoreError::Version { found, .. }) = Store::open(dir.path()) else { panic!() };
    assert_eq!(found, "fairshoe-store 3");
    fs::remove_file(&marker).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Unfinished { .. })));
    assert!(matches!(Store::create(dir.path()), Err(StoreError::Exists { .. })));
    fs::write(&marker, "fairshoe-store 2\n").unwrap();
    small_is_whole(&Store::open(dir.path()).unwrap().0);
}

#[test]
fn a_file_that_is_gone_is_named_and_never_made_anew() {
    for name in ["anchor", "log/db", "log/conf", "log", "sealed"] {
        let dir = folder();
        drop(small(dir.path()));
        let path = dir.path().join(name);
        if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) }.unwrap();
        for _ in 0..2 {
            let Err(StoreError::Missing { path: named }) = Store::open(dir.path()) else { panic!("{name}") };
            assert!(named.starts_with(&path), "{named:?}");
            assert!(matches!(Store::open_copy(dir.path()), Err(StoreError::Missing { .. })));
        }
    }
}

#[test]
fn two_services_never_share_a_folder_and_a_copy_is_made_of_a_stopped_one() {
    let dir = folder();
    let store = small(dir.path());
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Locked { address: None, .. })));
    fs::write(dir.path().join("address"), "127.0.0.1:8021\n").unwrap();
    for error in [Store::open(dir.path()).unwrap_err(), Store::open_copy(dir.path()).unwrap_err()] {
        let StoreError::Locked { address, .. } = &error else { panic!("{error}") };
        assert_eq!(address.as_deref(), Some("127.0.0.1:8021"));
        assert!(error.to_string().ends_with("is in use by a running service at 127.0.0.1:8021"));
    }
    let reader = store.reader();
    drop(store);
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Locked { .. })), "a reader keeps the folder");
    drop(reader);
    small_is_whole(&Store::open(dir.path()).unwrap().0);
}

#[test]
fn a_copy_reads_the_same_and_leaves_the_original_untouched() {
    let dir = folder();
    drop(small(dir.path()));
    fs::create_dir(dir.path().join("secrets")).unwrap();
    fs::write(dir.path().join("secrets/master"), "never copied").unwrap();
    let before = fingerprint(dir.path());
    let copy = Store::open_copy(dir.path()).unwrap();
    let other = Store::open_copy(dir.path()).unwrap();
    small_is_whole(&copy);
    small_is_whole(&other);
    assert_eq!(copy.anchored().size, 6);
    assert_eq!(fingerprint(dir.path()), before);
    drop((copy, other));
    assert_eq!(fingerprint(dir.path()), before);
    // A folder without its lock file is readable too, for example on a read-only medium.
    fs::remove_file(dir.path().join("lock")).unwrap();
    small_is_whole(&Store::open_copy(dir.path()).unwrap());
    assert!(!dir.path().join("lock").exists());
}

/// Every file with its bytes and its modification time.
fn fingerprint(dir: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut found = Vec::new();
    for name in fs::read_dir(dir).unwrap() {
        let path = name.unwrap().path();
        if path.is_dir() {
            found.extend(fingerprint(&path));
        } else {
            let changed = fs::metadata(&path).unwrap().modified().unwrap();
            found.push((path.clone(), fs::read(&path).unwrap(), changed));
        }
    }
    found.sort();
    found
}

pub fn copy_dir(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in fs::read_dir(from).unwrap() {
        let from = name.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy_dir(&from, &to)
        } else {
            _ = fs::copy(&from, &to).unwrap();
        }
    }
}

fn replace(dir: &Path, name: &str, with: &Path) {
    let (from, to) = (with.join(name), dir.join(name));
    if to.is_dir() {
        fs::remove_dir_all(&to).unwrap();
        copy_dir(&from, &to);
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn a_log_that_is_empty_or_shorter_than_its_anchor_is_refused() {
    let (dir, fresh, older) = (folder(), folder(), folder());
    drop(Store::create(fresh.path()).unwrap());
    let store = Store::create(older.path()).unwrap();
    commit(&store, &["a", "b"], &[]);
    drop(store);
    drop(small(dir.path()));

    replace(dir.path(), "log", older.path());
    for _ in 0..2 {
        let refused = Store::open(dir.path()).unwrap_err();
        assert!(matches!(refused, StoreError::BehindAnchor { have: 2, anchored: 6 }), "{refused}");
    }
    replace(dir.path(), "log", fresh.path());
    let refused = Store::open_copy(dir.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Empty { anchored: 6 }), "{refused}");
}

#[test]
fn a_log_longer_than_a_crash_can_leave_it_is_refused() {
    let (dir, older) = (folder(), folder());
    let store = Store::create(dir.path()).unwrap();
    commit(&store, &["a"], &[]);
    drop(store);
    copy_dir(dir.path(), older.path());
    let (store, _) = Store::open(dir.path()).unwrap();
    commit(&store, &["b"], &[]);
    commit(&store, &["c", "d"], &[]);
    drop(store);
    replace(dir.path(), "anchor", older.path());
    let refused = Store::open(dir.path()).unwrap_err();
    assert!(matches!(refused, StoreError::AnchorStale { have: 4, anchored: 1, appends: 2 }), "{refused}");
}
