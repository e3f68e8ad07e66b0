//! The file operations of sealing, few enough that a simulator can replace the disk.
//!
//! Owns: the trait and its real implementation. Does not own: the bytes written (spec/store.md, Sealed history). sled,
//! the anchor and the marker do not use it.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files below one folder, by names such as `sealed/00000003`.
///
/// Writes are durable only after [`Files::sync`] (a file's bytes and length) and [`Files::sync_dir`] (names made,
/// renamed and removed in a directory) have returned. After an error the caller makes no more writing calls.
pub trait Files: Debug + Send + Sync {
    /// Makes a directory whose parent exists. An existing directory is no error.
    ///
    /// # Errors
    /// An error of the file system, as for all that follow.
    fn make_dir(&self, dir: &str) -> io::Result<()>;

    /// The names in a directory, in any order.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn list(&self, dir: &str) -> io::Result<Vec<String>>;

    /// Length of a file in bytes.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn len(&self, name: &str) -> io::Result<u64>;

    /// Fills `into` with the bytes from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the file ends before.
    fn read_at(&self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<()>;

    /// Makes an empty file.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`].
    fn create(&self, name: &str) -> io::Result<()>;

    /// Appends to a file.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Removes the bytes after the first `len`.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn cut(&self, name: &str, len: u64) -> io::Result<()>;

    /// Makes a file's bytes and length durable.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn sync(&self, name: &str) -> io::Result<()>;

    /// Makes a directory's names durable.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn sync_dir(&self, dir: &str) -> io::Result<()>;

    /// Renames a file, replacing a file of that name.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// See [`Files::make_dir`].
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// Makes an empty file of that name, even if an unfinished one exists. That one is removed, never cut: after a power
/// cut in the middle of a rename some file systems have the same file under both names.
///
/// # Errors
/// See [`Files::make_dir`].
pub fn create_anew(files: &dyn Files, name: &str) -> io::Result<()> {
    match files.create(name) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            files.remove(name)?;
            files.create(name)
        }
        other => other,
    }
}

/// The files of a folder on a disk.
#[derive(Debug)]
pub struct DiskFiles {
    dir: PathBuf,
    /// The file appended to last. It stays open until it is synced: if a write fails in the background, the system
    /// reports it to those who have the file open.
    appended: Mutex<Option<(String, File)>>,
}

impl DiskFiles {
    /// The files of this folder.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), appended: Mutex::default() }
    }

    fn appended(&self) -> MutexGuard<'_, Option<(String, File)>> {
        self.appended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_open<T>(&self, name: &str, act: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        let mut appended = self.appended();
        if appended.as_ref().is_none_or(|(open, _)| open != name) {
            *appended = Some((name.to_owned(), OpenOptions::new().append(true).open(self.dir.join(name))?));
        }
        match &*appended {
            Some((_, file)) => act(file),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Files for DiskFiles {
    fn make_dir(&self, dir: &str) -> io::Result<()> {
        match fs::create_dir(self.dir.join(dir)) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        let names = fs::read_dir(self.dir.join(dir))?;
        // A name that is not text is not one of ours.
        names.filter_map(|name| name.map(|name| name.file_name().into_string().ok()).transpose()).collect()
    }

    fn len(&self, name: &str) -> io::Result<u64> {
        fs::metadata(self.dir.join(name)).map(|found| found.len())
    }

    fn read_at(&self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<()> {
        File::open(self.dir.join(name))?.read_exact_at(into, offset)
    }

    fn create(&self, name: &str) -> io::Result<()> {
        File::create_new(self.dir.join(name)).map(drop)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        use io::Write as _;
        self.with_open(name, |mut file| file.write_all(bytes))
    }

    fn cut(&self, name: &str, len: u64) -> io::Result<()> {
        self.with_open(name, |file| file.set_len(len))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.with_open(name, File::sync_data)
    }

    fn sync_dir(&self, dir: &str) -> io::Result<()> {
        File::open(self.dir.join(dir))?.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        *self.appended() = None;
        fs::rename(self.dir.join(from), self.dir.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        *self.appended() = None;
        fs::remove_file(self.dir.join(name))
    }
}
