//! The allowed names of the log's tiles below the store's folder.

/// For example `tile/1/x001/234`: no path leads out of the folder, or to a file of another kind.
pub(crate) fn is_tile_path(path: &str) -> bool {
    let mut parts = path.split('/');
    let of_digits = |part: &str| {
        !part.is_empty() && part.strip_prefix('x').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.next() == Some("tile") && (2..=9).contains(&parts.clone().count()) && parts.all(of_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_path_is_of_digits_and_stays_in_its_folder() {
        for path in ["tile/1/000", "tile/0/x001/234", "tile/2/x001/x234/067"] {
            assert!(is_tile_path(path), "{path}");
        }
        for path in [
            "tile",
            "tile/1",
            "tile/1/",
            "tile/../1",
            "/tile/1/000",
            "tile/1/000/../../format",
            "tile/entries/000",
            "tile/x/0/",
        ] {
            assert!(!is_tile_path(path), "{path}");
        }
    }
}
