//! A private copy of a stopped service's folder, for the auditor.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::files::DiskFiles;
use crate::folder::{Folder, Space, free_space};
use crate::io_error::io_error;
use crate::open::{self, is_unfinished_snapshot};
use crate::{Anchored, Reader, StoreError};

/// A store to read from: a copy of sled's files in a private temporary folder, removed when this is dropped, and the
/// sealed files of the original. It dereferences to [`Reader`].
#[derive(Debug)]
pub struct ReadCopy {
    // Fields are dropped in this order: sled releases the folder before it is removed.
    reader: Reader,
    anchored: Anchored,
    _dir: TempDir,
}

impl Deref for ReadCopy {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl ReadCopy {
    /// sled writes as it opens, so it only sees a copy: evidence stays unchanged.
    pub(crate) fn of(dir: &Path) -> Result<Self, StoreError> {
        let original = Folder::at(dir);
        original.require_store()?;
        let lock = original.lock_to_read()?;

        let files = files_of(&original)?;
        let place = std::env::temp_dir();
        let bytes = files.iter().fold(0_u64, |sum, (_, len)| sum.saturating_add(*len));
        let needed = Space { bytes, inodes: files.len() as u64 };
        let free = free_space(&place)?;
        if free.is_less_than(needed) {
            return Err(StoreError::DiskFull { path: place, free, needed });
        }
        let temporary = tempfile::Builder::new()
            .prefix("fairshoe-copy-")
            .tempdir_in(&place)
            .map_err(io_error("making a folder in", &place))?;
        let copy = Folder::at(temporary.path());
        let blobs = copy.log().join("blobs");
        fs::create_dir_all(&blobs).map_err(io_error("making", &blobs))?;
        for (name, _) in &files {
            let (from, to) = (original.dir.join(name), copy.dir.join(name));
            fs::copy(&from, &to).map_err(io_error("copying", &from))?;
        }
        // Sealed files are read in place: up to the mark in this copy of sled they never change again, even if a
        // service runs in the folder later.
        let opened = open::open(&copy, &original.dir, Arc::new(DiskFiles::at(&original.dir)), None)?;
        drop(lock);
        Ok(Self {
            anchored: opened.anchor.latest().clone(),
            reader: Reader::new(Arc::new(opened.shared)),
            _dir: temporary,
        })
    }

    /// The state that the original's anchor vouches for.
    pub fn anchored(&self) -> &Anchored {
        &self.anchored
    }

    /// Another handle to read with; the copy's files are removed with this `ReadCopy`.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }
}

/// The files of the store by their names in the folder, with their lengths. Secrets and tokens do not belong to the
/// store.
fn files_of(folder: &Folder) -> Result<Vec<(PathBuf, u64)>, StoreError> {
    let mut paths = vec![folder.marker(), folder.anchor()];
    for dir in [folder.log(), folder.log().join("blobs")] {
        for name in fs::read_dir(&dir).map_err(io_error("listing", &dir))? {
            let path = name.map_err(io_error("listing", &dir))?.path();
            if !is_unfinished_snapshot(&path) {
                paths.push(path);
            }
        }
    }
    let mut files = Vec::new();
    for path in paths {
        let found = fs::metadata(&path).map_err(io_error("looking at", &path))?;
        if let (true, Ok(name)) = (found.is_file(), path.strip_prefix(&folder.dir)) {
            files.push((name.to_owned(), found.len()));
        }
    }
    Ok(files)
}
