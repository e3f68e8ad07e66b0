//! An error of the system, as the store's.

use std::io;
use std::path::Path;

use crate::{StoreError, free_space};

pub(crate) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::DiskFull { free: free_space(path.parent().unwrap_or(&path)).unwrap_or(0), path, needed: 1 }
        }
        _ => StoreError::Io { doing, path, source },
    }
}
