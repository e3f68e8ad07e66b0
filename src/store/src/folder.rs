//! The folder: names, lock, marker, directory syncs, free space.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::engine::SEGMENT;
use crate::io_error::io_error;
use crate::segment::SEALED;

/// The first and only line of the marker; the number is the format's version (spec/store.md, Format history).
pub(crate) const FORMAT: &str = "fairshoe-store 2";

/// Bound on the marker and address files, read before they are trusted.
const SMALL_FILE: u64 = 4096;

/// Below so many free bytes, no append and no sealing begins. sled takes space by segments and rewrites pages as it
/// goes. A write that fails half-way stops the store, while this refusal changes no state.
const FREE_FLOOR: u64 = 4 * SEGMENT as u64;

/// The same for inodes: each new file of the store takes one.
const INODE_FLOOR: u64 = 64;

/// The names inside a store's folder.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub dir: PathBuf,
}

impl Folder {
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    pub fn marker(&self) -> PathBuf {
        self.dir.join("format")
    }

    pub fn anchor(&self) -> PathBuf {
        self.dir.join("anchor")
    }

    pub fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    pub fn sealed(&self) -> PathBuf {
        self.dir.join(SEALED)
    }

    fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// Locks the folder for a writer, until the returned file is closed.
    pub fn lock_to_write(&self) -> Result<File, StoreError> {
        let path = self.lock();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io_error("opening", &path))?;
        self.taken(file.try_lock(), &path)?;
        Ok(file)
    }

    /// Keeps writers out while the folder is copied, without writing. A folder without a lock file never had a service
    /// here.
    pub fn lock_to_read(&self) -> Result<Option<File>, StoreError> {
        let path = self.lock();
        let file = match File::open(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(io_error("opening", &path))?,
        };
        self.taken(file.try_lock_shared(), &path)?;
        Ok(Some(file))
    }

    fn taken(&self, result: Result<(), TryLockError>, path: &Path) -> Result<(), StoreError> {
        match result {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { dir: self.dir.clone(), address: self.address() }),
            Err(TryLockError::Error(e)) => Err(io_error("locking", path)(e)),
        }
    }

    /// The running service's address, which it wrote into the folder.
    fn address(&self) -> Option<String> {
        let text = read_small(&self.dir.join("address")).ok()?;
        let line = String::from_utf8(text).ok()?.lines().next()?.trim().to_owned();
        (!line.is_empty() && !line.chars().any(char::is_control)).then_some(line)
    }

    /// Refuses a folder that holds any part of a store: only an explicit step makes a new store, never the absence of a
    /// part.
    pub fn require_vacant(&self) -> Result<(), StoreError> {
        for path in [self.marker(), self.anchor(), self.log(), self.sealed()] {
            if exists(&path)? {
                return Err(StoreError::Exists { path });
            }
        }
        Ok(())
    }

    /// Writes the marker, the last step of making a store.
    pub fn write_marker(&self) -> Result<(), StoreError> {
        let path = self.marker();
        let mut file = File::create_new(&path).map_err(io_error("creating", &path))?;
        file.write_all(format!("{FORMAT}\n").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(io_error("writing", &path))?;
        sync_dir(&self.dir)
    }

    /// Checks the marker and that each part of the store exists, before sled could make a new one.
    pub fn require_store(&self) -> Result<(), StoreError> {
        let marker = self.marker();
        let text = match read_small(&marker) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                for path in [self.log(), self.anchor(), self.sealed()] {
                    if exists(&path)? {
                        return Err(StoreError::Unfinished { path });
                    }
                }
                return Err(StoreError::NotAStore { dir: self.dir.clone() });
            }
            other => other.map_err(io_error("reading", &marker))?,
        };
        if text != format!("{FORMAT}\n").as_bytes() {
            let found = String::from_utf8_lossy(&text);
            return Err(StoreError::Version {
                found: found.lines().next().unwrap_or_default().to_owned(),
                supported: FORMAT,
            });
        }
        let log = self.log();
        for path in [self.anchor(), log.join("conf"), log.join("db"), log.join("blobs"), self.sealed()] {
            if !exists(&path)? {
                return Err(StoreError::Missing { path });
            }
        }
        Ok(())
    }

    /// Makes the entries of all directories of the store durable; sled itself syncs only files.
    pub fn sync_dirs(&self) -> Result<(), StoreError> {
        let log = self.log();
        sync_dir(&log.join("blobs"))?;
        sync_dir(&log)?;
        sync_dir(&self.sealed())?;
        sync_dir(&self.dir)?;
        match self.dir.canonicalize().ok().as_deref().and_then(Path::parent) {
            Some(parent) => sync_dir(parent),
            None => Ok(()),
        }
    }
}

pub(crate) fn sync_file(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(io_error("syncing", path))
}

pub(crate) fn sync_dir(path: &Path) -> Result<(), StoreError> {
    sync_file(path)
}

fn exists(path: &Path) -> Result<bool, StoreError> {
    // A dangling link counts as existing.
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(io_error("looking at", path)(e)),
    }
}

fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    use io::Read as _;
    let mut bytes = Vec::new();
    File::open(path)?.take(SMALL_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses to start a write of so many bytes if the disk is too full for it.
pub(crate) fn require_space(folder: &Folder, bytes: u64) -> Result<(), StoreError> {
    let free = free_space(&folder.dir)?;
    let needed = Space { bytes: FREE_FLOOR.saturating_add(bytes.saturating_mul(4)), inodes: INODE_FLOOR };
    if free.is_less_than(needed) {
        return Err(StoreError::DiskFull { path: folder.dir.clone(), free, needed });
    }
    Ok(())
}

/// The free space of a disk: bytes, and files, each of which takes an inode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Bytes.
    pub bytes: u64,
    /// Inodes; [`u64::MAX`] if the file system makes them as needed.
    pub inodes: u64,
}

impl Space {
    /// Whether this is less than the space needed, in bytes or in inodes.
    pub fn is_less_than(self, needed: Space) -> bool {
        self.bytes < needed.bytes || self.inodes < needed.inodes
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inodes {
            u64::MAX => write!(f, "{} bytes", self.bytes),
            inodes => write!(f, "{} bytes and {inodes} inodes", self.bytes),
        }
    }
}

/// The space an ordinary user may still use on the disk that holds `dir`.
///
/// # Errors
/// [`StoreError::Io`] if the system cannot tell.
pub fn free_space(dir: &Path) -> Result<Space, StoreError> {
    let stat = rustix::fs::statvfs(dir).map_err(|e| StoreError::Io {
        doing: "asking the free space of",
        path: dir.to_owned(),
        source: e.into(),
    })?;
    // A file system that makes inodes as needed reports zero in all.
    let inodes = if stat.f_files == 0 { u64::MAX } else { stat.f_favail };
    Ok(Space { bytes: stat.f_bavail.saturating_mul(stat.f_frsize), inodes })
}
