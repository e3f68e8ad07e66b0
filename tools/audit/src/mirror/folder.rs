//! A mirror's folder: the log's static files in their own paths, its key and its checkpoint (spec/log.md, "Mirrors").
//! What is written was verified before.

use crate::outcome::UnusableInput;
use crate::source::parse_key;
use crate::tiled::{KEY_FILE, Tiled, read_if_there};
use fairshoe_store::STATES;
use fairshoe_tlog::{MAX_NOTE, TilePath, VerifierKey};
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A mirror's folder: static files in the log's own paths, and its key.
pub struct MirrorFolder {
    dir: PathBuf,
    /// The same folder, to be read as any other log.
    pub tiled: Tiled,
    /// Held while the folder is written to.
    _lock: File,
}

impl MirrorFolder {
    /// Opens the folder, or makes it. Nothing else may lie in a new one: files of another log beside these would be
    /// served as its own.
    pub fn open(dir: &Path) -> Result<MirrorFolder, UnusableInput> {
        let failed = |e: std::io::Error| UnusableInput::new(format!("{}: {e}", dir.display()));
        fs::create_dir_all(dir).map_err(failed)?;
        let lock_path = dir.join(".mirror.lock");
        if !lock_path.exists() && fs::read_dir(dir).map_err(failed)?.next().is_some() {
            return Err(UnusableInput::new(format!(
                "{} is neither empty nor a mirror: name another folder",
                dir.display()
            )));
        }
        let lock = File::options().create(true).append(true).open(&lock_path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(MirrorFolder { dir: dir.to_owned(), tiled: Tiled::Folder(dir.to_owned()), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(UnusableInput::new(format!("{}: another mirror command is at work here", dir.display())))
            }
            Err(TryLockError::Error(e)) => Err(failed(e)),
        }
    }

    /// The key of the log that is mirrored here, once there is one.
    pub fn key(&self) -> Result<Option<VerifierKey>, UnusableInput> {
        let bytes = read_if_there(&self.dir.join(KEY_FILE), 1_024)?;
        bytes.map(|bytes| parse_key(&String::from_utf8_lossy(&bytes))).transpose()
    }

    /// The signed checkpoint mirrored last.
    pub fn checkpoint(&self) -> Result<Option<Vec<u8>>, UnusableInput> {
        read_if_there(&self.dir.join(TilePath::Checkpoint.to_string()), MAX_NOTE as u64)
    }

    pub fn write_key(&self, key: &VerifierKey) -> Result<(), UnusableInput> {
        self.write(Path::new(KEY_FILE), format!("{key}\n").as_bytes())
    }

    /// Whether these are the bytes that lie there.
    pub fn holds(&self, path: TilePath, bytes: &[u8]) -> Result<bool, UnusableInput> {
        Ok(read_if_there(&self.dir.join(path.to_string()), bytes.len() as u64 + 1)
            .ok()
            .flatten()
            .is_some_and(|known| known == bytes))
    }

    /// Whether anything lies there.
    pub fn has(&self, path: TilePath) -> bool {
        self.dir.join(path.to_string()).is_file()
    }

    /// Writes a file whole: a reader, or the next run, sees the old bytes or the new.
    pub fn put(&self, path: TilePath, bytes: &[u8]) -> Result<(), UnusableInput> {
        self.write(Path::new(&path.to_string()), bytes)
    }

    /// Where it lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the state of that size lies there.
    pub fn has_state(&self, size: u64) -> bool {
        self.dir.join(format!("{STATES}/{size}")).is_file()
    }

    /// Writes a state's lines, whole.
    pub fn put_state(&self, size: u64, lines: &[u8]) -> Result<(), UnusableInput> {
        self.write(Path::new(&format!("{STATES}/{size}")), lines)
    }

    /// Durable when it returns: the checkpoint comes last, and vouches for every file before it.
    pub fn put_checkpoint(&self, note: &[u8]) -> Result<(), UnusableInput> {
        self.put(TilePath::Checkpoint, note)?;
        let failed = |e: std::io::Error| UnusableInput::new(format!("{}: {e}", self.dir.display()));
        File::open(self.dir.join(TilePath::Checkpoint.to_string())).and_then(|file| file.sync_all()).map_err(failed)?;
        File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(failed)
    }

    /// Keeps a signed checkpoint that contradicts the one mirrored; where it lies.
    pub fn keep_evidence(&self, size: u64, root: &str, note: &[u8]) -> Result<PathBuf, UnusableInput> {
        let root: String = root.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
        let name = PathBuf::from(format!("fork-{size}-{root}.checkpoint"));
        self.write(&name, note)?;
        Ok(self.dir.join(name))
    }

    /// Removes the partial tiles or bundles that a full one has superseded: it begins with each of them.
    pub fn remove_superseded(&self, full: TilePath) -> Result<u64, UnusableInput> {
        let partials = self.dir.join(format!("{full}.p"));
        let failed = |e: std::io::Error| UnusableInput::new(format!("{}: {e}", partials.display()));
        let Ok(listed) = fs::read_dir(&partials) else { return Ok(0) };
        let count = listed.count() as u64;
        fs::remove_dir_all(&partials).map_err(failed)?;
        Ok(count)
    }

    fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), UnusableInput> {
        let path = self.dir.join(name);
        let failed = |e: std::io::Error| UnusableInput::new(format!("{}: {e}", path.display()));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        // A name that no reader asks for; a run that was cut off leaves one at most, and the next one overwrites it.
        let unfinished = self.dir.join(".mirror.unfinished");
        File::create(&unfinished).and_then(|mut file| file.write_all(bytes)).map_err(failed)?;
        fs::rename(&unfinished, &path).map_err(failed)
    }
}
