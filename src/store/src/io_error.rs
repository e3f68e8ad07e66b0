//! Turns an error of the system into the store's.

use std::io;
use std::path::Path;

use crate::{Space, StoreError, free_space};

pub(crate) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            let free = free_space(path.parent().unwrap_or(&path)).unwrap_or_default();
            StoreError::DiskFull { free, path, needed: Space { bytes: 1, inodes: 1 } }
        }
        _ => StoreError::Io { doing, path, source },
    }
}
