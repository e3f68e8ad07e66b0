//! The file of the newest checkpoint that a quorum cosigned, so that a start can tell an old copy of the folder from
//! the log (spec/log.md, "Witnesses"). Verifies nothing of what it reads.

use fairshoe_tlog::MAX_NOTE;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

/// Writes the newest witnessed checkpoint so that after a power cut the file holds it or the one before.
pub fn write(path: &Path, note: &str) -> std::io::Result<()> {
    let fresh = path.with_extension("new");
    let mut file = File::create(&fresh)?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// What was kept, if there is anything that can be text of a note.
pub fn read(path: &Path) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(MAX_NOTE as u64 + 1).read_to_end(&mut bytes)?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    Ok(String::from_utf8(bytes).ok())
}
