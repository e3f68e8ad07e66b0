//! The service's files for a browser (spec/page.md, 1): those of `web/` and the second verifier's script, carried in
//! the binary and served under one version. The server owns requests and headers.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{LazyLock, OnceLock};

/// The second verifier, as `tools/verifier/build.js` makes it of its parts.
pub const VERIFIER: &str = include_str!("../../../tools/verifier/fairshoe-verify.js");

/// The name under which the page's worker finds it.
const VERIFIER_NAME: &str = "fairshoe-verify.js";

/// The document of every room.
const INDEX: &str = "index.html";

/// The files that build.rs found in `web/`: name, media type, bytes.
const FOUND: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file as sent.
pub struct File {
    /// Its media type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// The hash of its bytes.
    pub digest: String,
    packed: OnceLock<Vec<u8>>,
}

impl File {
    /// A file of this media type and these bytes.
    pub fn new(kind: &'static str, bytes: Cow<'static, [u8]>) -> Self {
        let digest = shorten(&Sha256::digest(&bytes));
        File { kind, bytes, digest, packed: OnceLock::new() }
    }

    /// The same compressed by gzip, once for all clients.
    pub fn packed(&self) -> &[u8] {
        self.packed.get_or_init(|| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            // Writing into memory does not fail.
            let _ = packed.write_all(&self.bytes);
            packed.finish().unwrap_or_default()
        })
    }
}

/// The page: the document of its rooms, and its files.
pub struct Page {
    /// The hash of all files together. It is part of each file's address, so that a page never mixes files of two
    /// versions, and a file under its address never changes.
    pub version: String,
    /// The document of every room, which names its files with their version.
    pub document: File,
    files: BTreeMap<&'static str, File>,
}

impl Page {
    fn new() -> Self {
        let script = (VERIFIER_NAME, "text/javascript; charset=utf-8", VERIFIER.as_bytes());
        let all = || FOUND.iter().chain([&script]);
        let mut whole = Sha256::new();
        for (name, _, bytes) in all() {
            // Each with its name and length first, so that no byte can move from one file to the next.
            whole.update(format!("{name} {}\n", bytes.len()));
            whole.update(bytes);
        }
        let version = shorten(&whole.finalize());
        let index = FOUND.iter().find(|(name, ..)| *name == INDEX).map_or(&[] as &[u8], |(_, _, bytes)| bytes);
        let index = String::from_utf8_lossy(index).replace("\"/page/", &format!("\"/page/{version}/"));
        let files = all().filter(|(name, ..)| *name != INDEX);
        Page {
            document: File::new("text/html; charset=utf-8", index.into_bytes().into()),
            files: files.map(|(name, kind, bytes)| (*name, File::new(kind, Cow::Borrowed(bytes)))).collect(),
            version,
        }
    }

    /// The file of this name, in this version alone.
    pub fn file(&self, version: &str, name: &str) -> Option<&File> {
        self.files.get(name).filter(|_| version == self.version)
    }
}

/// The page of this binary.
pub static PAGE: LazyLock<Page> = LazyLock::new(Page::new);

/// Enough of a hash to distinguish two files.
fn shorten(hash: &[u8]) -> String {
    hash.iter().take(8).map(|byte| hex::encode([*byte])).collect()
}
