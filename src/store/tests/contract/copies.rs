//! A private copy that is larger than one reading window: it is closed and opened again in between.

use super::*;
use std::thread;

/// About 70 MB of entries: twice a copy's window, including the reads of opening.
const APPENDS: usize = 20;
const ENTRIES: usize = 60;

fn entry(number: usize) -> Vec<u8> {
    let mut bytes = vec![number as u8; 58_000];
    bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
    bytes
}

#[test]
fn a_copy_beyond_its_window_reads_as_one_piece() {
    let dir = folder();
    {
        let store = Store::create(dir.path()).unwrap();
        for append in 0..APPENDS {
            let entries: Vec<Vec<u8>> = (0..ENTRIES).map(|n| entry(append * ENTRIES + n)).collect();
            let meta = [put(&format!("k{append:03}"), "x"), put("last", &append.to_string())];
            store.append(store.size(), &entries, &meta).unwrap();
            store.write_anchor(store.size(), b"note").unwrap();
        }
    }
    let copy = Store::open_copy(dir.path()).unwrap();
    assert_eq!(copy.size(), (APPENDS * ENTRIES) as u64);
    let read_all = |reader: &Reader| {
        let mut next = 0;
        reader
            .read(0..reader.size(), |index, bytes| {
                assert_eq!((index, bytes == entry(next)), (next as u64, true));
                next += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(next, APPENDS * ENTRIES);
    };
    read_all(&copy);
    // Backwards, one by one: every window begins in the middle.
    for index in (0..APPENDS * ENTRIES).rev().step_by(7) {
        assert_eq!(copy.entry(index as u64).unwrap(), entry(index));
    }
    // Two readers at once, which do not close each other's log; and one that reads entries while it lists metadata.
    let (one, other) = (copy.reader(), copy.reader());
    thread::scope(|scope| {
        scope.spawn(|| read_all(&one));
        scope.spawn(|| read_all(&other));
    });
    let mut listed = 0;
    copy.meta_scan(b"k", |key, _| {
        assert_eq!(key, format!("k{listed:03}").as_bytes());
        assert_eq!(copy.entry((listed * ENTRIES) as u64).unwrap(), entry(listed * ENTRIES));
        listed += 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(listed, APPENDS);
    assert_eq!(copy.meta_get(b"last").unwrap(), Some((APPENDS - 1).to_string().into_bytes()));
}
