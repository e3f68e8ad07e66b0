//! Starts that were refused. Such a process cannot write to the log, so it leaves a line in the data folder; the next
//! start that succeeds puts each line on the log and empties the file.

use crate::ops::startup::StartError;
use crate::write::pipeline::now_ms;
use fairshoe_house::Reference;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The most lines that are kept: whoever starts a refused service in a loop must not fill the disk.
const MOST: usize = 100;

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 64 * 1024;

/// A start that was refused: when and why.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedStart {
    /// When, UTC milliseconds.
    pub time: u64,
    /// Why, as a label of a few words: a message could name paths of the machine, and the log is public.
    pub reason: Reference,
}

fn path(data: &Path) -> PathBuf {
    data.join("refused-starts")
}

/// Notes a refused start, if this is the folder of a log that has served before. It never stands in the way of the
/// error itself: where nothing can be written, nothing is.
pub fn note(data: &Path, failure: &StartError) {
    let served = data.join("log.vkey").is_file() && !data.join(crate::ops::startup::SETUP_MARK).exists();
    if served && let Some(reason) = Reference::parse(failure.label()) {
        let _ = append(data, &RefusedStart { time: now_ms(), reason });
    }
}

fn append(data: &Path, refused: &RefusedStart) -> std::io::Result<()> {
    if read(data).len() >= MOST {
        return Ok(());
    }
    let line = serde_json::to_string(refused)?;
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path(data))?;
    // One write, so that two refused starts at once leave two lines; on a line of its own, whatever a crash cut off
    // before.
    file.write_all(format!("\n{line}\n").as_bytes())?;
    file.sync_all()?;
    File::open(data)?.sync_all()
}

/// The refused starts that are noted, oldest first. A line that is none was cut off by a crash and is passed over.
pub fn read(data: &Path) -> Vec<RefusedStart> {
    let mut text = String::new();
    let read = File::open(path(data)).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).take(MOST).collect()
}

/// Empties the file, once every line is on the log.
pub fn forget(data: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path(data)) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
        Ok(()) => File::open(data)?.sync_all(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_noted_in_a_folder_that_served_bounded_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let failure = StartError::refuse("no letter of ASCII: \u{e9}", "the name /tmp/x is none");
        note(folder.path(), &failure);
        assert!(read(folder.path()).is_empty(), "no folder of ours");
        std::fs::write(folder.path().join("log.vkey"), "x").unwrap();
        note(folder.path(), &failure);
        assert!(read(folder.path()).is_empty(), "it is no label");
        for _ in 0..MOST + 5 {
            note(folder.path(), &StartError::refuse("the log's name is not valid", "/secret/path"));
        }
        let noted = read(folder.path());
        assert_eq!(noted.len(), MOST);
        assert_eq!(noted[0].reason.as_str(), "the log's name is not valid");
        assert!(noted.windows(2).all(|pair| pair[0].time <= pair[1].time));
        // A line that a crash cut off.
        let mut file = OpenOptions::new().append(true).open(path(folder.path())).unwrap();
        file.write_all(b"{\"time\":1").unwrap();
        assert_eq!(read(folder.path()).len(), MOST);
        forget(folder.path()).unwrap();
        assert!(read(folder.path()).is_empty());
        forget(folder.path()).unwrap();
    }
}
