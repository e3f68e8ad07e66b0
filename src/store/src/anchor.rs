//! The anchor: a file outside sled that says how long the log must be (spec/store.md, Anchor).
//!
//! Two slots of one disk block each, written in turn, so a write torn by a power cut leaves the other slot whole. The
//! blocks are written in full when the file is made: later writes change no metadata, so `fdatasync` is enough.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::io_error::io_error;
use crate::stall::watched;

const SLOT: usize = 4096;
const MAGIC: &[u8; 8] = b"fsanchr1";
const HEADER: usize = 8 + 8 + 8 + 4;
const HASH: usize = 32;

/// The longest note in an anchor slot, in bytes.
pub const MAX_NOTE: usize = SLOT - HEADER - HASH;

/// The state that the anchor vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    /// The least number of entries that were acknowledged.
    pub size: u64,
    /// The signed checkpoint of that size, as given; empty in a new store.
    pub note: Vec<u8>,
    /// One of the two slots cannot be read: a write torn by a crash, or damage. The other slot is used.
    pub torn: bool,
}

#[derive(Debug)]
pub(crate) struct Anchor {
    file: File,
    path: PathBuf,
    counter: u64,
    latest: Anchored,
}

impl Anchor {
    /// Makes the file, which vouches for size 0. The caller syncs the directory.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(io_error("creating", path))?;
        let latest = Anchored { size: 0, note: Vec::new(), torn: false };
        for counter in [0, 1] {
            write_slot(&file, path, counter, 0, &[])?;
        }
        file.sync_all().map_err(io_error("syncing", path))?;
        Ok(Self { file, path: path.to_owned(), counter: 1, latest })
    }

    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error("opening", path))?;
        let (counter, latest) = newest(&file, path)?;
        Ok(Self { file, path: path.to_owned(), counter, latest })
    }

    pub fn latest(&self) -> &Anchored {
        &self.latest
    }

    /// Durable when it returns. It overwrites the older slot, or the unreadable one.
    pub fn write(&mut self, size: u64, note: &[u8]) -> Result<(), StoreError> {
        let counter = self.counter.saturating_add(1);
        watched("syncing", &self.path, || {
            write_slot(&self.file, &self.path, counter, size, note)?;
            self.file.sync_data().map_err(io_error("syncing", &self.path))
        })?;
        self.counter = counter;
        self.latest = Anchored { size, note: note.to_vec(), torn: false };
        Ok(())
    }
}

/// The content of an anchor file, for a folder whose log may be lost.
///
/// # Errors
/// [`StoreError::Io`] if the file is missing, [`StoreError::AnchorDamaged`].
pub fn read_anchor(path: &Path) -> Result<Anchored, StoreError> {
    let file = File::open(path).map_err(io_error("opening", path))?;
    newest(&file, path).map(|(_, anchored)| anchored)
}

/// The valid slot with the larger counter, and that counter.
fn newest(file: &File, path: &Path) -> Result<(u64, Anchored), StoreError> {
    let slots = [read_slot(file, path, 0)?, read_slot(file, path, 1)?];
    let torn = slots.iter().any(Option::is_none);
    let newest = slots.into_iter().flatten().max_by_key(|slot| slot.counter);
    let Some(slot) = newest else {
        return Err(StoreError::AnchorDamaged { path: path.to_owned() });
    };
    Ok((slot.counter, Anchored { size: slot.size, note: slot.note, torn }))
}

struct Slot {
    counter: u64,
    size: u64,
    note: Vec<u8>,
}

/// A counter belongs to one slot only, so a copied or misplaced block is refused.
fn offset(counter: u64) -> u64 {
    (counter % 2) * SLOT as u64
}

fn write_slot(file: &File, path: &Path, counter: u64, size: u64, note: &[u8]) -> Result<(), StoreError> {
    let note_len = match u32::try_from(note.len()) {
        Ok(len) if note.len() <= MAX_NOTE => len,
        _ => {
            return Err(StoreError::Limit {
                what: "bytes in the anchor's note",
                got: note.len() as u64,
                max: MAX_NOTE as u64,
            });
        }
    };
    let mut block = Vec::with_capacity(SLOT);
    block.extend_from_slice(MAGIC);
    block.extend_from_slice(&counter.to_be_bytes());
    block.extend_from_slice(&size.to_be_bytes());
    block.extend_from_slice(&note_len.to_be_bytes());
    block.extend_from_slice(note);
    block.resize(SLOT - HASH, 0);
    let hash = Sha256::digest(&block);
    block.extend_from_slice(&hash);
    file.write_all_at(&block, offset(counter)).map_err(io_error("writing", path))
}

fn read_slot(file: &File, path: &Path, number: u64) -> Result<Option<Slot>, StoreError> {
    let mut block = [0; SLOT];
    match file.read_exact_at(&mut block, number * SLOT as u64) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other.map_err(io_error("reading", path))?,
    }
    Ok(parse_slot(&block).filter(|slot| slot.counter % 2 == number))
}

fn parse_slot(block: &[u8; SLOT]) -> Option<Slot> {
    let (body, hash) = block.split_at(SLOT - HASH);
    if Sha256::digest(body).as_slice() != hash {
        return None;
    }
    let rest = body.strip_prefix(MAGIC)?;
    let (counter, rest) = rest.split_first_chunk::<8>()?;
    let (size, rest) = rest.split_first_chunk::<8>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_be_bytes(*len)).ok()?;
    let (note, padding) = rest.split_at_checked(len)?;
    padding.iter().all(|byte| *byte == 0).then(|| Slot {
        counter: u64::from_be_bytes(*counter),
        size: u64::from_be_bytes(*size),
        note: note.to_vec(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn new() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("anchor");
        Anchor::create(&path).unwrap();
        (dir, path)
    }

    fn damage(path: &Path, at: u64) {
        let file = OpenOptions::new().write(true).read(true).open(path).unwrap();
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        byte[0] ^= 0x20;
        file.write_all_at(&byte, at).unwrap();
    }

    #[test]
    fn latest_is_what_was_written_last() {
        let (_dir, path) = new();
        let mut anchor = Anchor::open(&path).unwrap();
        assert_eq!(anchor.latest().size, 0);
        for size in 1..6 {
            anchor.write(size, format!("note {size}").as_bytes()).unwrap();
            let read = Anchor::open(&path).unwrap().latest().clone();
            assert_eq!((read.size, read.note, read.torn), (size, format!("note {size}").into_bytes(), false));
        }
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * SLOT as u64);
    }

    #[test]
    fn a_torn_slot_falls_back_to_the_other_and_is_written_next() {
        for at in [0, 9, 17, 25, 40, 2000, SLOT as u64 - 1] {
            let (_dir, path) = new();
            let mut anchor = Anchor::open(&path).unwrap();
            anchor.write(7, b"seven").unwrap();
            anchor.write(8, b"eight").unwrap();
            damage(&path, offset(anchor.counter) + at);
            let mut anchor = Anchor::open(&path).unwrap();
            assert_eq!(anchor.latest(), &Anchored { size: 7, note: b"seven".to_vec(), torn: true });
            anchor.write(8, b"eight").unwrap();
            let anchor = Anchor::open(&path).unwrap();
            assert_eq!(anchor.latest(), &Anchored { size: 8, note: b"eight".to_vec(), torn: false });
        }
    }

    #[test]
    fn both_slots_damaged_or_cut_short_is_an_error() {
        let (_dir, path) = new();
        damage(&path, 3);
        damage(&path, SLOT as u64 + 3);
        assert!(matches!(Anchor::open(&path), Err(StoreError::AnchorDamaged { .. })));
        let (_dir, path) = new();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        assert!(matches!(Anchor::open(&path), Err(StoreError::AnchorDamaged { .. })));
    }

    #[test]
    fn a_slot_in_the_wrong_place_is_not_believed() {
        let (_dir, path) = new();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.rotate_left(SLOT);
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(Anchor::open(&path), Err(StoreError::AnchorDamaged { .. })));
    }

    #[test]
    fn the_longest_note_fits_and_one_more_byte_does_not() {
        let (_dir, path) = new();
        let mut anchor = Anchor::open(&path).unwrap();
        let note = vec![b'n'; MAX_NOTE];
        anchor.write(1, &note).unwrap();
        assert_eq!(Anchor::open(&path).unwrap().latest().note, note);
        assert!(matches!(anchor.write(2, &vec![b'n'; MAX_NOTE + 1]), Err(StoreError::Limit { .. })));
        assert_eq!(Anchor::open(&path).unwrap().latest().size, 1);
    }
}
