//! Where a log is restored from: a mirror's folder, or another data folder.
//!
//! Owns: reading entries in order, the checkpoint beside them. Believes nothing: what it reads is held against the
//! signed root by [`super`].

use super::until_it_fails;
use crate::ops::startup::{StartError, refuse_path};
use fairshoe_store::{MetaWrite, ReadCopy, Store};
use fairshoe_tlog::{
    Checkpoint, EntryBundle, MAX_BUNDLE_ENTRIES, MAX_ENTRY, MAX_NOTE, Note, TilePath, VerifierKey, bundles_for_size,
};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The longest bundle, in bytes.
const MAX_BUNDLE: u64 = (MAX_BUNDLE_ENTRIES * (MAX_ENTRY + 2)) as u64;

/// The longest tile, in bytes.
const MAX_TILE: u64 = 8_192;

/// Entries under a signed checkpoint.
pub enum Source {
    Mirror { dir: PathBuf, note: String, size: u64 },
    Folder { copy: Box<ReadCopy>, note: String },
}

/// A file of at most so many bytes; `None` where there is none.
pub fn read_some(path: &Path, most: u64) -> Result<Option<Vec<u8>>, StartError> {
    let file = match File::open(path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        other => other.map_err(|e| refuse_path(path, &e))?,
    };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| refuse_path(path, &e))?;
    if bytes.len() as u64 > most {
        return Err(damaged(format!("{} is longer than {most} bytes", path.display())));
    }
    Ok(Some(bytes))
}

fn damaged(what: String) -> StartError {
    StartError::refuse("the source is damaged", what)
}

impl Source {
    /// Opens it; nothing is written to it.
    pub fn open(path: &Path) -> Result<Source, StartError> {
        if path.join(TilePath::Checkpoint.to_string()).is_file() {
            return Source::mirror(path);
        }
        if !path.is_dir() {
            return Err(StartError::refuse(
                "there is no such source",
                format!(
                    "{} is no folder. From an address make a mirror first: `fairshoe-audit mirror ADDRESS DIR`, then restore from DIR",
                    path.display()
                ),
            ));
        }
        let copy = Box::new(Store::open_copy(path)?);
        let note = String::from_utf8(copy.anchored().note.clone())
            .map_err(|_| damaged("the anchor's checkpoint is not text".into()))?;
        if copy.size() == 0 || note.is_empty() {
            return Err(StartError::refuse(
                "the source is empty",
                format!("nothing was ever signed in {}", path.display()),
            ));
        }
        Ok(Source::Folder { copy, note })
    }

    fn mirror(dir: &Path) -> Result<Source, StartError> {
        let path = dir.join(TilePath::Checkpoint.to_string());
        let bytes = read_some(&path, MAX_NOTE as u64)?.unwrap_or_default();
        let unreadable = |e: &dyn std::fmt::Display| damaged(format!("{}: {e}", path.display()));
        let note = Note::parse(&bytes, MAX_NOTE).map_err(|e| unreadable(&e))?;
        let Checkpoint { size, .. } = Checkpoint::parse(note.text()).map_err(|e| unreadable(&e))?;
        if size == 0 {
            return Err(StartError::refuse("the source is empty", format!("{} mirrors an empty log", dir.display())));
        }
        let note = String::from_utf8(bytes).map_err(|e| unreadable(&e))?;
        Ok(Source::Mirror { dir: dir.to_owned(), note, size })
    }

    /// The checkpoint that signs its entries.
    pub fn note(&self) -> &str {
        match self {
            Source::Mirror { note, .. } | Source::Folder { note, .. } => note,
        }
    }

    /// How many entries it has: in a data folder those that a crash left beyond the checkpoint, too, as at a start.
    pub fn size(&self) -> u64 {
        match self {
            Source::Mirror { size, .. } => *size,
            Source::Folder { copy, .. } => copy.size(),
        }
    }

    /// A mirror names the key that it is of.
    pub fn require_key(&self, key: &VerifierKey) -> Result<(), StartError> {
        let Source::Mirror { dir, .. } = self else { return Ok(()) };
        let path = dir.join("log.vkey");
        let Some(bytes) = read_some(&path, 1_024)? else { return Ok(()) };
        if std::str::from_utf8(&bytes).is_ok_and(|text| text.trim_end() == key.to_string()) {
            return Ok(());
        }
        Err(damaged(format!("{} does not hold {key}, whose signature its checkpoint bears", path.display())))
    }

    /// Visits every entry in order.
    pub fn each(&self, visit: &mut dyn FnMut(&[u8]) -> Result<(), StartError>) -> Result<(), StartError> {
        match self {
            Source::Mirror { dir, size, .. } => {
                for path in bundles_for_size(*size) {
                    let bytes =
                        fetch(dir, path)?.ok_or_else(|| damaged(format!("{}/{path} is missing", dir.display())))?;
                    let bundle =
                        EntryBundle::decode(&bytes).map_err(|e| damaged(format!("{}/{path}: {e}", dir.display())))?;
                    if bundle.entries().len() != usize::from(path.width()) {
                        let what = format!("{}/{path} holds {} entries", dir.display(), bundle.entries().len());
                        return Err(damaged(what));
                    }
                    bundle.entries().iter().try_for_each(|entry| visit(entry))?;
                }
                Ok(())
            }
            Source::Folder { copy, .. } => {
                let mut failure = None;
                copy.read(0..copy.size(), until_it_fails(&mut failure, visit))?;
                failure.map_or(Ok(()), Err)
            }
        }
    }

    /// What the store kept beside the log: the hashes of tokens. A mirror has none.
    pub fn beside(&self) -> Result<VecDeque<MetaWrite>, StartError> {
        let mut all = VecDeque::new();
        if let Source::Folder { copy, .. } = self {
            copy.meta_scan(b"", |key, value| {
                all.push_back(MetaWrite::Put { key: key.to_vec(), value: value.to_vec() });
                ControlFlow::Continue(())
            })?;
        }
        Ok(all)
    }

    /// The name of a full tile's file that is there and is not this tile.
    pub fn other_tile(&self, level: u8, index: u64, bytes: &[u8]) -> Option<String> {
        self.other_file(TilePath::Tile { level, index, partial: None }, bytes)
    }

    /// The same of any file of a mirror. Nothing rests on it: tiles follow from the entries.
    pub fn other_file(&self, path: TilePath, bytes: &[u8]) -> Option<String> {
        let Source::Mirror { dir, .. } = self else { return None };
        let file = dir.join(path.to_string());
        let there = fs::metadata(&file).is_ok();
        (there && read_some(&file, MAX_TILE).ok().flatten().as_deref() != Some(bytes)).then(|| path.to_string())
    }
}

/// A bundle's bytes. A partial one that is gone is cut out of the full one, which begins with it.
fn fetch(dir: &Path, path: TilePath) -> Result<Option<Vec<u8>>, StartError> {
    if let Some(bytes) = read_some(&dir.join(path.to_string()), MAX_BUNDLE)? {
        return Ok(Some(bytes));
    }
    if path.full() == path {
        return Ok(None);
    }
    let full = read_some(&dir.join(path.full().to_string()), MAX_BUNDLE)?;
    Ok(full.and_then(|full| path.cut(&full).map(<[u8]>::to_vec)))
}
