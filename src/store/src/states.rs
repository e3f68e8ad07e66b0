//! Published states: files beside the log, each with the lines of the state after so many entries (spec/state.md,
//! "Published").
//!
//! Owns: their names and compression. Does not own: the content of the lines, or the times of writing. The files may be
//! missing: no promise depends on them.

use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;

use crate::Files;

/// The folder of the files.
pub const STATES: &str = "state";

/// The longest state that is written or read, in bytes, unpacked.
pub const MAX_STATE_BYTES: u64 = 1 << 30;

/// The window with which they are packed is so many bytes long, as a power of two: 128 KiB. *Each reader holds one, and
/// hundreds may read at once.*
pub const STATE_WINDOW: u32 = 17;

/// The file of the state after `size` entries.
#[must_use]
pub fn state_name(size: u64) -> String {
    format!("{STATES}/{size:020}")
}

/// The sizes of the existing states, ascending.
pub fn state_sizes(files: &dyn Files) -> Vec<u64> {
    let names = files.list(STATES).unwrap_or_default();
    let mut sizes: Vec<u64> =
        names.iter().filter(|name| name.len() == 20).filter_map(|name| name.parse().ok()).collect();
    sizes.sort_unstable();
    sizes
}

/// The lines of a state as they are served; `None` if it does not exist. At most [`MAX_STATE_BYTES`] and one byte are
/// read.
///
/// # Errors
/// An error of the file system.
pub fn read_state(files: Arc<dyn Files>, size: u64) -> io::Result<Option<impl Read + Send>> {
    let name = state_name(size);
    let length = match files.len(&name) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let packed = BufReader::new(Part { files, name, at: 0, length });
    let mut unpacked = zstd::Decoder::with_buffer(packed)?;
    unpacked.window_log_max(STATE_WINDOW)?;
    Ok(Some(unpacked.take(MAX_STATE_BYTES + 1)))
}

/// A file, read from its beginning to its end.
struct Part {
    files: Arc<dyn Files>,
    name: String,
    at: u64,
    length: u64,
}

impl Read for Part {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let part = into.len().min(left);
        if let Some(into) = into.get_mut(..part).filter(|into| !into.is_empty()) {
            self.files.read_at(&self.name, self.at, into)?;
            self.at = self.at.saturating_add(part as u64);
        }
        Ok(part)
    }
}
