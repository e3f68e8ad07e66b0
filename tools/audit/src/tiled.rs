//! A log as tiled files, at an address or in a folder, read with bounds (spec/log.md, "Tiles", "Entry bundles").
//! Verifies nothing; its callers do.

use crate::http::{Answer, Client};
use crate::outcome::UnusableInput;
use crate::source::{parse_key, read_file};
use fairshoe_house::STATE_INTERVAL;
use fairshoe_store::{MAX_STATE_BYTES, STATES};
use fairshoe_tlog::{MAX_BUNDLE_ENTRIES, MAX_ENTRY, MAX_NOTE, TilePath, VerifierKey};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file beside a log's tiles that holds its verifier key.
pub const KEY_FILE: &str = "log.vkey";

/// The longest key file, in bytes.
const MAX_KEY_FILE: u64 = 1_024;

/// The longest entry bundle, in bytes.
const MAX_BUNDLE_BYTES: u64 = (MAX_BUNDLE_ENTRIES * (MAX_ENTRY + 2)) as u64;

/// The longest tile, in bytes.
const MAX_TILE_BYTES: u64 = 8_192;

/// A log as tiled files (spec/log.md, "Tiles"): served at an address, or in a mirror's folder.
pub enum Tiled {
    Address(Client),
    Folder(PathBuf),
}

fn most_bytes(path: TilePath) -> u64 {
    match path {
        TilePath::Checkpoint => MAX_NOTE as u64,
        TilePath::Tile { .. } => MAX_TILE_BYTES,
        TilePath::Entries { .. } => MAX_BUNDLE_BYTES,
    }
}

impl Tiled {
    /// Whether a folder holds a mirror; a service's data folder has no `checkpoint`.
    pub fn is_mirror(dir: &Path) -> bool {
        dir.join(TilePath::Checkpoint.to_string()).is_file()
    }

    /// The signed checkpoint.
    pub fn checkpoint(&self) -> Result<Vec<u8>, UnusableInput> {
        self.get(TilePath::Checkpoint)?
            .ok_or_else(|| UnusableInput::new(format!("{}: there is no checkpoint here", self.name())))
    }

    /// A tile's or bundle's bytes, as many hashes or entries as its path says. A partial one that cannot be had, or that
    /// something else is served for, is cut out of the full one, which begins with it.
    pub fn fetch(&self, path: TilePath) -> Result<Vec<u8>, UnusableInput> {
        let own = self.get(path).and_then(|bytes| self.shaped(path, path, bytes));
        if path.full() == path || own.is_ok() {
            return own;
        }
        let full = self.get(path.full()).and_then(|bytes| self.shaped(path, path.full(), bytes));
        // That there is no full one yet says nothing about the partial one.
        full.or(own)
    }

    /// What was served at a path, cut to what was asked for.
    fn shaped(&self, asked: TilePath, at: TilePath, bytes: Option<Vec<u8>>) -> Result<Vec<u8>, UnusableInput> {
        let kind = if matches!(at, TilePath::Entries { .. }) { "bundle" } else { "tile" };
        let name = self.name();
        let bytes = bytes.ok_or_else(|| UnusableInput::new(format!("{name}/{at}: there is no such {kind}")))?;
        // In a partial one's place some servers have the full one.
        let is_whole = [at, at.full()].iter().any(|of| of.cut(&bytes).is_some_and(|cut| cut.len() == bytes.len()));
        match asked.cut(&bytes).filter(|_| is_whole) {
            Some(cut) => Ok(cut.to_vec()),
            None => {
                Err(UnusableInput::new(format!("{name}/{at}: this is no {kind} of {}: {}", at.width(), came(&bytes))))
            }
        }
    }

    fn get(&self, path: TilePath) -> Result<Option<Vec<u8>>, UnusableInput> {
        let most = most_bytes(path.full());
        match self {
            Tiled::Address(client) => match client.get(&path.to_string(), most)? {
                Answer { status: 200, body } => Ok(Some(body)),
                Answer { status: 404 | 410, .. } => Ok(None),
                answer => Err(client.refused(&path.to_string(), &answer)),
            },
            Tiled::Folder(dir) => read_if_there(&dir.join(path.to_string()), most),
        }
    }

    /// The lines of the state after so many entries, where they are published (spec/state.md, "Published"). Nothing
    /// says that they are it.
    pub fn state(&self, size: u64) -> Result<Option<Vec<u8>>, UnusableInput> {
        let path = format!("{STATES}/{size}");
        match self {
            Tiled::Address(client) => match client.get(&path, MAX_STATE_BYTES)? {
                Answer { status: 200, body } => Ok(Some(body)),
                _ => Ok(None),
            },
            Tiled::Folder(dir) => read_if_there(&dir.join(path), MAX_STATE_BYTES),
        }
    }

    /// The sizes of the log, at most `size`, whose states may be published.
    pub fn state_sizes(&self, size: u64) -> Vec<u64> {
        match self {
            Tiled::Address(_) => {
                (1..=size / STATE_INTERVAL).map(|number| number.saturating_mul(STATE_INTERVAL)).collect()
            }
            Tiled::Folder(dir) => {
                let names = std::fs::read_dir(dir.join(STATES)).into_iter().flatten().flatten();
                let size_of = |name: &str| name.parse::<u64>().ok().filter(|size| size.to_string() == name);
                let mut sizes: Vec<u64> = names.filter_map(|entry| size_of(entry.file_name().to_str()?)).collect();
                sizes.retain(|published| *published <= size);
                sizes.sort_unstable();
                sizes
            }
        }
    }

    /// The key that the log names for itself: at a service by its description, beside static files by a file of its
    /// own.
    pub fn own_key(&self) -> Result<VerifierKey, UnusableInput> {
        let missing = || UnusableInput::new(format!("{}: the log names no key here; give it by --key", self.name()));
        match self {
            Tiled::Folder(dir) => {
                parse_key(&text(&read_if_there(&dir.join(KEY_FILE), MAX_KEY_FILE)?.ok_or_else(missing)?))
            }
            Tiled::Address(client) => {
                let described = client.get("v1/log", 64 * 1024)?;
                if described.status == 200 {
                    let about: serde_json::Value = serde_json::from_slice(&described.body)
                        .map_err(|e| UnusableInput::new(format!("{}/v1/log: {e}", client.base())))?;
                    return parse_key(about["vkey"].as_str().ok_or_else(missing)?);
                }
                // A service that has no time now is no log without a key.
                if described.status == 429 || described.status >= 500 {
                    return Err(client.refused("v1/log", &described));
                }
                match client.get(KEY_FILE, MAX_KEY_FILE)? {
                    Answer { status: 200, body } => parse_key(&text(&body)),
                    _ => Err(missing()),
                }
            }
        }
    }

    /// How messages name it.
    pub fn name(&self) -> String {
        match self {
            Tiled::Address(client) => client.base().to_owned(),
            Tiled::Folder(dir) => dir.display().to_string(),
        }
    }
}

/// What came instead, in words: its length and how it begins.
pub fn came(bytes: &[u8]) -> String {
    /// Enough to know a page or an error by.
    const SHOWN: usize = 48;
    let begins = bytes.get(..SHOWN).unwrap_or(bytes).escape_ascii();
    let more = if bytes.len() > SHOWN { "…" } else { "" };
    format!("{} bytes, `{begins}{more}`", bytes.len())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of at most `most` bytes; `None` if there is none.
pub fn read_if_there(path: &Path, most: u64) -> Result<Option<Vec<u8>>, UnusableInput> {
    match std::fs::metadata(path) {
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(UnusableInput::new(format!("{}: {e}", path.display()))),
        // A pipe in a file's place would be waited for without end.
        Ok(found) if !found.is_file() => Err(UnusableInput::new(format!("{} is no file", path.display()))),
        Ok(_) => read_file(path, most).map(Some),
    }
}
