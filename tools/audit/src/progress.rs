//! How far an audit has come, and the file from which it goes on (spec/audit.md, "Resuming"). The book's own part of
//! it is the judge's.

use crate::durable::replace_with;
use crate::once::{SavedSpool, Spool};
use crate::outcome::UnusableInput;
use crate::saw_check::SawCheck;
use crate::source::read_file;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fairshoe_judge::audit::{Book, Check, Finding, Limits};
use fairshoe_tlog::{Checkpoint, Tree, VerifierKey, verify_checkpoint};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::Path;

/// The form of the file; what the book keeps is of one version of this software, too.
const FORMAT: u8 = 4;

/// The longest file that is read, in bytes: far more than the players and tables of any house need.
const MAX_FILE: u64 = 4 << 30;

/// How far an audit has come: the tree's right edge, what clients may have seen of it, and the book.
pub struct Progress {
    pub tree: Tree,
    pub seen: SawCheck,
    /// What must stand once in the log.
    pub once: Spool,
    pub book: Book,
}

/// An audit that found everything right up to a signed checkpoint, kept in a file to go on from (spec/audit.md,
/// "Resuming").
pub struct SavedAudit {
    pub key: VerifierKey,
    /// Whether the user named the key, then or earlier.
    pub key_trusted: bool,
    /// The signed checkpoint up to which all was right.
    pub note: String,
    pub checkpoint: Checkpoint,
    pub progress: Progress,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    fairshoe_audit_state: u8,
    software: String,
    vkey: String,
    key_trusted: bool,
    note: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Log {
    edge: Vec<String>,
    tiles: Vec<(u8, u64, String)>,
    checked: u64,
    too_old: u64,
    once: SavedSpool,
}

impl Progress {
    /// Before the first entry of an audit that is to be kept in this file, if in any.
    pub fn new(limits: Limits, state: Option<&Path>) -> Progress {
        Progress { tree: Tree::new(), seen: SawCheck::default(), once: Spool::new(state), book: Book::new(limits) }
    }

    /// Keeps what was found right in a file, atomically.
    pub fn keep(&mut self, path: &Path, note: &str, key: &VerifierKey, key_trusted: bool) -> Result<(), UnusableInput> {
        let head = Head {
            fairshoe_audit_state: FORMAT,
            software: env!("CARGO_PKG_VERSION").into(),
            vkey: key.to_string(),
            key_trusted,
            note: note.to_owned(),
        };
        let log = Log {
            edge: self.tree.edge().iter().map(|tile| STANDARD.encode(tile)).collect(),
            tiles: self.seen.tiles().map(|(level, index, bytes)| (level, index, STANDARD.encode(bytes))).collect(),
            checked: self.seen.checked,
            too_old: self.seen.too_old,
            once: self.once.keep()?,
        };
        let book = self
            .book
            .keep()
            .map_err(|finding| UnusableInput::new(format!("a book with a finding is not kept: {finding}")))?;
        let written = replace_with(path, |file| {
            let mut hashed = Hashed { hash: Sha256::new(), file };
            line(&mut hashed, &head)?;
            line(&mut hashed, &log)?;
            line(&mut hashed, &book)?;
            let Hashed { hash, file } = hashed;
            writeln!(file, "sha256 {}", STANDARD.encode(hash.finalize()))
        });
        written
            .map_err(|e| UnusableInput::new(format!("{}: the audit's state cannot be kept: {e}", path.display())))?;
        self.once.remove_others();
        Ok(())
    }
}

fn line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    to.write_all(b"\n")
}

/// Hashes what passes through.
struct Hashed<W> {
    hash: Sha256,
    file: W,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl SavedAudit {
    /// Reads a file, if there is one. It is the auditor's own and is trusted; one that is damaged, of another version
    /// or of another log is refused.
    pub fn read(
        path: &Path,
        trusted: Option<&VerifierKey>,
        limits: Limits,
    ) -> Result<Option<SavedAudit>, UnusableInput> {
        if !path.try_exists().map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))? {
            return Ok(None);
        }
        let bytes = read_file(path, MAX_FILE)?;
        let refused =
            |why: String| UnusableInput::new(format!("{}: {why}; remove it to audit from the start", path.display()));
        let saved = SavedAudit::parse(path, &bytes, limits).map_err(refused)?;
        match trusted {
            Some(key) if *key != saved.key => Err(UnusableInput::new(format!(
                "{} is of the log with the key {}, not of {key}",
                path.display(),
                saved.key
            ))),
            _ => Ok(Some(saved)),
        }
    }

    fn parse(path: &Path, bytes: &[u8], mut limits: Limits) -> Result<SavedAudit, String> {
        let damaged = || "it is not the state of an audit, or it is damaged".to_owned();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        let [head_line, log_line, book_line, digest] = lines.as_slice() else { return Err(damaged()) };
        let hash = lines.iter().take(3).fold(Sha256::new(), |hash, line| hash.chain_update(line)).finalize();
        if *digest != format!("sha256 {}\n", STANDARD.encode(hash)).as_bytes() {
            return Err(damaged());
        }
        let version: serde_json::Value = serde_json::from_slice(head_line).map_err(|_| damaged())?;
        let ours = (FORMAT.into(), env!("CARGO_PKG_VERSION"));
        if (version["fairshoe_audit_state"].as_u64(), version["software"].as_str()) != (Some(ours.0), Some(ours.1)) {
            return Err("another version of this software has kept it".into());
        }
        let wrong = |e: &dyn std::fmt::Display| format!("it does not hold what it should ({e})");
        let head: Head = serde_json::from_slice(head_line).map_err(|e| wrong(&e))?;
        let key: VerifierKey = head.vkey.parse().map_err(|e| wrong(&e))?;
        let checkpoint = verify_checkpoint(&head.note, &key).map_err(|e| wrong(&e))?;
        let log: Log = serde_json::from_slice(log_line).map_err(|e| wrong(&e))?;
        let edge =
            log.edge.iter().map(|tile| STANDARD.decode(tile)).collect::<Result<Vec<_>, _>>().map_err(|e| wrong(&e))?;
        let tree = Tree::resume(checkpoint.size, &edge).map_err(|e| wrong(&e))?;
        let mut seen = SawCheck::default();
        (seen.checked, seen.too_old) = (log.checked, log.too_old);
        for (level, index, tile) in &log.tiles {
            seen.put_back(*level, *index, &STANDARD.decode(tile).map_err(|e| wrong(&e))?).map_err(|e| wrong(&e))?;
        }
        let once = Spool::open(path, log.once).map_err(|e| wrong(&e))?;
        limits.origin = Some(checkpoint.origin.clone());
        let book = Book::go_on(book_line, limits).map_err(|e| wrong(&e))?;
        if tree.root() != checkpoint.root || book.entries() != checkpoint.size {
            return Err(wrong(&"tree, book and checkpoint are of different lengths"));
        }
        let progress = Progress { tree, seen, once, book };
        Ok(SavedAudit { key, key_trusted: head.key_trusted, note: head.note, checkpoint, progress })
    }

    /// What the log's newest checkpoint alone says against the one kept.
    pub fn compare(&self, newest: &Checkpoint) -> Result<(), Finding> {
        goes_on(&self.checkpoint, newest)
    }
}

/// What two checkpoints of one log say without any proof: it is no shorter than it was, and of one size it has one
/// root.
pub fn goes_on(before: &Checkpoint, newest: &Checkpoint) -> Result<(), Finding> {
    if newest.size < before.size {
        let what = format!(
            "the log had {} entries when it was last seen and shows {} now: it was cut off, or an old state is shown",
            before.size, newest.size
        );
        return Err(Finding::new(Check::Truncated, what));
    }
    if newest.size == before.size && newest.root != before.root {
        let what = format!(
            "two checkpoints are signed for {} entries, with the roots {} and {}",
            before.size, before.root, newest.root
        );
        return Err(Finding::new(Check::Fork, what));
    }
    Ok(())
}

/// The log under a signed root does not begin with what another checkpoint was signed for.
pub fn forked(size: u64, signed: impl std::fmt::Display, computed: impl std::fmt::Display) -> Finding {
    Finding::new(
        Check::Fork,
        format!(
            "a checkpoint is signed for {size} entries with root {signed}; the first {size} entries of this log lead to {computed}"
        ),
    )
}
