//! Where evidence comes from, an address or a file, and how it is read with a bound on its size.

use crate::http::Client;
use crate::outcome::UnusableInput;
use fairshoe_tlog::VerifierKey;
use std::path::{Path, PathBuf};

pub use crate::durable::read_file;

/// Where evidence comes from.
pub enum Source {
    /// A running service.
    Address(Client),
    /// A stopped service's data folder.
    Folder(PathBuf),
    /// A bundle file.
    File(PathBuf),
}

impl Source {
    pub fn parse(text: &str) -> Result<Source, UnusableInput> {
        if is_address(text)? {
            return Ok(Source::Address(Client::new(text)));
        }
        let path = PathBuf::from(text);
        if path.is_dir() {
            return Ok(Source::Folder(path));
        }
        if path.is_file() {
            return Ok(Source::File(path));
        }
        Err(UnusableInput::new(format!(
            "{text}: no file and no folder of this name is here; an address begins with http:// or https://"
        )))
    }
}

/// Whether a text is an address, to which paths such as `/checkpoint` are added.
pub fn is_address(text: &str) -> Result<bool, UnusableInput> {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return Ok(false);
    }
    if text.contains(['?', '#']) {
        // *What is added to it would be part of the query: one page for every path.*
        return Err(UnusableInput::new(format!(
            "{text}: paths such as /checkpoint are added to the address: name it without `?` and `#` and what follows them"
        )));
    }
    Ok(true)
}

/// Parses a key that the user names.
pub fn trusted(key: Option<&str>) -> Result<Option<VerifierKey>, UnusableInput> {
    key.map(parse_key).transpose()
}

pub fn parse_key(text: &str) -> Result<VerifierKey, UnusableInput> {
    text.trim().parse().map_err(|e| UnusableInput::new(format!("not a verifier key: {e}")))
}

/// The longest token, in bytes.
const MOST_TOKEN: u64 = 1_024;

/// A token from its file.
pub fn read_token(path: &Path) -> Result<String, UnusableInput> {
    let bytes = read_file(path, MOST_TOKEN)?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| UnusableInput::new(format!("{}: it is no text", path.display())))?;
    Ok(text.trim().to_owned())
}

/// A text as it stands in a query (RFC 3986): what is not unreserved, a slash or a colon is written in hexadecimal.
pub fn in_query(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
