//! Files that are read with a bound on their size, files that survive a power cut whole, old or new, and folders that one
//! process holds alone.

use crate::outcome::UnusableInput;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Words for a failure at a path.
pub fn failed(path: &Path) -> impl Fn(std::io::Error) -> UnusableInput + use<> {
    let path = path.to_owned();
    move |e| UnusableInput::new(format!("{}: {e}", path.display()))
}

/// Reads a file of at most `most` bytes.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, UnusableInput> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed(path))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed(path))?;
    if bytes.len() as u64 > most {
        return Err(UnusableInput::new(format!("{} is longer than {most} bytes", path.display())));
    }
    Ok(bytes)
}

/// Writes a file so that after a power cut it holds the old content or the new.
pub fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    replace_with(path, |file| file.write_all(content))
}

/// The same for content that is written piece by piece.
pub fn replace_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let fresh = path.with_file_name(name);
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&fresh, path)?;
    sync_folder_of(path)
}

/// Makes a file's name durable.
pub fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Makes a folder for one process alone, and locks it for as long as the file that is given back is open.
pub fn own_folder(folder: &Path, who: &str) -> Result<File, UnusableInput> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(folder))?;
    let path = folder.join("lock");
    let lock =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(failed(&path))?;
    lock.try_lock()
        .map_err(|_| UnusableInput::new(format!("{}: another {who} runs on this folder", folder.display())))?;
    Ok(lock)
}
