//! A log under a signed checkpoint, from whichever source, read from the first entry to the last. Entries of a server or a
//! mirror are shown on once they are under the signed root, so that damage there is no verdict on the log; a data folder's
//! damage is one (spec/log.md, "Checkpoints"; spec/audit.md, "Verdicts"). Decides no entry.

use crate::clock::now_ms;
use crate::http::{Client, Standing};
use crate::outcome::UnusableInput;
use crate::source::{Source, parse_key, read_file};
use crate::tiled::{KEY_FILE, Tiled, came};
use crate::verified::{Edge, Verified};
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_store::{DiskFiles, Files, MAX_STATE_BYTES, ReadCopy, Store, StoreError, read_state, state_sizes};
use fairshoe_tlog::{
    Checkpoint, CheckpointError, EntryBundle, Hash, MAX_BUNDLE_ENTRIES, MAX_NOTE, Note, NoteError, Tree, VerifierKey,
    bundles_for_size, verify_checkpoint,
};
use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, OnceLock};
use std::thread;

/// Bundles that are fetched while earlier ones are checked.
const AHEAD: usize = 4;

/// Why a log cannot be read to its end.
pub enum LogError {
    /// What is there is wrong: a verdict.
    Found(Finding),
    /// It cannot be judged.
    UnusableInput(UnusableInput),
}

impl From<UnusableInput> for LogError {
    fn from(why: UnusableInput) -> Self {
        LogError::UnusableInput(why)
    }
}

impl From<Finding> for LogError {
    fn from(finding: Finding) -> Self {
        LogError::Found(finding)
    }
}

/// A log under a signed checkpoint, ready to be read from its first entry to its last.
pub struct WholeLog {
    pub checkpoint: Checkpoint,
    /// The signed note.
    pub note: String,
    pub key: VerifierKey,
    /// Whether the user named the key.
    pub key_trusted: bool,
    /// Entries stored beyond the checkpoint: written, and never acknowledged.
    pub beyond: u64,
    /// One of the folder's two places for a checkpoint cannot be read: a write that a crash cut short, or damage.
    pub torn: bool,
    /// When the checkpoint was read, UTC milliseconds by this machine's clock.
    pub read_at: u64,
    /// Who answered at its address.
    pub standing: Standing,
    entries: Entries,
}

enum Entries {
    Tiled {
        tiled: Tiled,
        /// The partial tiles, once they were read and led to the signed root.
        edge: OnceLock<Edge>,
    },
    Stored {
        copy: Box<ReadCopy>,
        files: Arc<dyn Files>,
    },
}

impl WholeLog {
    /// Opens the log of a source; a bundle file is none.
    pub fn open(source: Source, trusted: Option<VerifierKey>) -> Result<WholeLog, LogError> {
        match source {
            Source::Address(client) => WholeLog::tiled(Tiled::Address(client), trusted),
            Source::Folder(dir) if Tiled::is_mirror(&dir) => WholeLog::tiled(Tiled::Folder(dir), trusted),
            Source::Folder(dir) => WholeLog::in_folder(&dir, trusted),
            Source::File(path) => {
                let what = format!("{} is a file; a whole log is at an address or in a data folder", path.display());
                Err(UnusableInput::new(what).into())
            }
        }
    }

    fn tiled(tiled: Tiled, trusted: Option<VerifierKey>) -> Result<WholeLog, LogError> {
        let key_trusted = trusted.is_some();
        let key = match trusted {
            Some(key) => key,
            None => tiled.own_key()?,
        };
        let mut log = WholeLog::under(tiled.checkpoint()?, key, key_trusted, Entries::tiled(tiled))?;
        if let Some(Tiled::Address(client)) = log.tiles() {
            log.standing = client.standing(&log.note, &log.key)?;
        }
        Ok(log)
    }

    /// The log at an address, under a checkpoint that was fetched there.
    pub fn under_note(client: Client, note: &str, key: &VerifierKey) -> Result<WholeLog, LogError> {
        WholeLog::under(note.as_bytes().to_vec(), key.clone(), true, Entries::tiled(Tiled::Address(client)))
    }

    fn in_folder(dir: &Path, trusted: Option<VerifierKey>) -> Result<WholeLog, LogError> {
        // The store's engine may panic on damaged files: then the damage is the verdict.
        let opened = catch_unwind(AssertUnwindSafe(|| Store::open_copy(dir)));
        let copy = opened.map_err(|_| {
            Finding::new(Check::Store, "the store's files are damaged so that its engine cannot open them")
        })?;
        let copy = copy.map_err(store_trouble)?;
        let key_trusted = trusted.is_some();
        let key = match trusted {
            Some(key) => key,
            None => folder_key(dir)?,
        };
        let note = copy.anchored().note.clone();
        if note.is_empty() {
            return Err(UnusableInput::new(format!(
                "{}: nothing was ever signed here; the log is empty",
                dir.display()
            ))
            .into());
        }
        let (size, torn) = (copy.size(), copy.anchored().torn);
        let mut log = WholeLog::under(
            note,
            key,
            key_trusted,
            Entries::Stored { copy: Box::new(copy), files: Arc::new(DiskFiles::at(dir)) },
        )?;
        if size < log.checkpoint.size {
            let what = format!("the checkpoint vouches for {} entries, {size} are stored", log.checkpoint.size);
            return Err(Finding::new(Check::LogSize, what).into());
        }
        (log.beyond, log.torn) = (size.saturating_sub(log.checkpoint.size), torn);
        Ok(log)
    }

    fn under(note: Vec<u8>, key: VerifierKey, key_trusted: bool, entries: Entries) -> Result<WholeLog, LogError> {
        // *A page of a proxy, or a note that was cut short: nobody signed it, and it says nothing about the log.*
        let refused = |finding: Finding, came: &str| match &entries {
            Entries::Tiled { tiled, .. } => {
                let what = format!("{}/checkpoint: {}; it is {came}", tiled.name(), finding.message);
                LogError::UnusableInput(UnusableInput::new(what))
            }
            Entries::Stored { .. } => LogError::Found(finding),
        };
        let came = came(&note);
        let note = String::from_utf8(note)
            .map_err(|_| refused(Finding::new(Check::Checkpoint, "the checkpoint is not UTF-8"), &came))?;
        let checkpoint = verify_checkpoint(&note, &key).map_err(|e| refused(not_signed(&note, &key, &e), &came))?;
        if checkpoint.size == 0 {
            return Err(UnusableInput::new("the log is signed and empty: there is nothing in it to judge").into());
        }
        let (read_at, standing) = (now_ms(), Standing::Files);
        Ok(WholeLog { checkpoint, note, key, key_trusted, beyond: 0, torn: false, read_at, standing, entries })
    }

    /// When it had no more than it shows, UTC milliseconds: by its own time, else when it was read.
    pub fn as_of(&self) -> u64 {
        if let Standing::Decides { at } = self.standing { at } else { self.read_at }
    }

    /// Whether a service answered that cannot know now what is the newest.
    pub fn follows(&self) -> bool {
        matches!(self.standing, Standing::Follows { .. })
    }

    /// Shows the entries under the checkpoint from the one at `from` on, in order; `visit` may stop it early.
    pub fn each_from(&self, from: u64, visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>) -> Result<(), LogError> {
        self.each_between(from, self.checkpoint.size, visit)
    }

    /// The same up to an entry that is under the checkpoint.
    pub fn each_between(
        &self,
        from: u64,
        to: u64,
        mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), LogError> {
        match &self.entries {
            Entries::Tiled { tiled, edge } => self.tiled_entries(tiled, edge, from..to, visit),
            Entries::Stored { copy, .. } => {
                let mut next = from;
                let mut stopped = false;
                let reading = catch_unwind(AssertUnwindSafe(|| {
                    copy.read(from..to, |index, bytes| {
                        next = index.saturating_add(1);
                        let flow = visit(index, bytes);
                        stopped = flow.is_break();
                        flow
                    })
                }));
                reading
                    .map_err(|_| {
                        Finding::new(
                            Check::Store,
                            format!("the store's files are damaged: its engine fails at entry {next}"),
                        )
                    })?
                    .map_err(store_trouble)?;
                if !stopped && next != to {
                    let what =
                        format!("the checkpoint vouches for {} entries, {next} can be read", self.checkpoint.size);
                    return Err(Finding::new(Check::LogSize, what).into());
                }
                Ok(())
            }
        }
    }

    /// The lines of the state after so many entries, where they are published. Nothing says that they are it.
    pub fn state(&self, size: u64) -> Result<Option<Vec<u8>>, UnusableInput> {
        match &self.entries {
            Entries::Tiled { tiled, .. } => tiled.state(size),
            Entries::Stored { files, .. } => {
                let unreadable =
                    |e: std::io::Error| UnusableInput::new(format!("the published state of {size} entries: {e}"));
                let Some(mut unpacked) = read_state(files.clone(), size).map_err(unreadable)? else { return Ok(None) };
                let mut bytes = Vec::new();
                unpacked.read_to_end(&mut bytes).map_err(unreadable)?;
                Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= MAX_STATE_BYTES))
            }
        }
    }

    /// The sizes under the checkpoint whose states may be published, ascending.
    pub fn state_sizes(&self) -> Vec<u64> {
        let size = self.checkpoint.size;
        match &self.entries {
            Entries::Tiled { tiled, .. } => tiled.state_sizes(size),
            Entries::Stored { files, .. } => {
                state_sizes(files.as_ref()).into_iter().filter(|published| *published <= size).collect()
            }
        }
    }

    /// The tiles of a log that is read as tiled files.
    pub fn tiles(&self) -> Option<&Tiled> {
        match &self.entries {
            Entries::Tiled { tiled, .. } => Some(tiled),
            Entries::Stored { .. } => None,
        }
    }

    /// Its tiles, verified as they are fetched.
    fn verified<'t>(&self, tiled: &'t Tiled, edge: &OnceLock<Edge>) -> Result<Verified<'t>, UnusableInput> {
        if let Some(edge) = edge.get() {
            return Ok(Verified::with(self.checkpoint.size, edge.clone(), vec![tiled]));
        }
        let verified = Verified::under(&self.checkpoint, vec![tiled])?;
        let _ = edge.set(verified.edge());
        Ok(verified)
    }

    /// Holds the tree of all entries against the checkpoint.
    pub fn check_tree(&self, tree: &Tree) -> Result<(), Finding> {
        if tree.size() != self.checkpoint.size {
            let what = format!("{} entries were read, the checkpoint says {}", tree.size(), self.checkpoint.size);
            return Err(Finding::new(Check::LogSize, what));
        }
        self.check_root(tree.root())
    }

    /// Holds the root of all entries against the checkpoint.
    pub fn check_root(&self, root: Hash) -> Result<(), Finding> {
        if root == self.checkpoint.root {
            return Ok(());
        }
        let what = format!("the entries lead to root {root}, the checkpoint is of root {}", self.checkpoint.root);
        Err(Finding::new(Check::Root, what))
    }

    /// Shows some of a log's entries out of their bundles, each once it is under the signed root; while one is checked the
    /// next ones are fetched.
    fn tiled_entries(
        &self,
        tiled: &Tiled,
        edge: &OnceLock<Edge>,
        some: Range<u64>,
        mut visit: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) -> Result<(), LogError> {
        let per_bundle = MAX_BUNDLE_ENTRIES as u64;
        let whole_before = some.start / per_bundle;
        let bundles = usize::try_from(some.end.div_ceil(per_bundle).saturating_sub(whole_before)).unwrap_or(usize::MAX);
        let mut next = whole_before.saturating_mul(per_bundle);
        let mut verified = self.verified(tiled, edge)?;
        let paths = bundles_for_size(self.checkpoint.size);
        let paths = paths.skip(usize::try_from(whole_before).unwrap_or(usize::MAX)).take(bundles);
        let (fetched, fetching) = sync_channel(AHEAD);
        thread::scope(|scope| {
            scope.spawn(move || {
                for path in paths {
                    let bundle = verified.bundle(path);
                    let failed = bundle.is_err();
                    if fetched.send(bundle).is_err() || failed {
                        break;
                    }
                }
            });
            for bundle in fetching {
                let bytes = bundle?;
                for entry in EntryBundle::decode(&bytes).map_err(UnusableInput::new)?.entries() {
                    if some.contains(&next) && visit(next, entry).is_break() {
                        return Ok(());
                    }
                    next = next.saturating_add(1);
                }
            }
            Ok(())
        })
    }
}

impl Entries {
    fn tiled(tiled: Tiled) -> Entries {
        Entries::Tiled { tiled, edge: OnceLock::new() }
    }
}

/// The name of another log than this key's, whose checkpoint a note says to be. *A house that goes on under another name,
/// where the old log was, shows nothing that it promised the old one's readers not to.*
pub fn names_another(note: &[u8], key: &VerifierKey) -> Option<String> {
    let note = Note::parse(note, MAX_NOTE).ok()?;
    let Checkpoint { origin, .. } = Checkpoint::parse(note.text()).ok()?;
    let is_its_own = note.signatures().iter().any(|line| line.name == origin);
    (is_its_own && origin != key.name()).then_some(origin)
}

/// The same of what a source shows now, as a reason for which nothing can be judged there.
pub fn require_this_log(source: &Tiled, key: &VerifierKey) -> Result<(), UnusableInput> {
    names_another(&source.checkpoint()?, key).map_or(Ok(()), |other| {
        let (place, name) = (source.name(), key.name());
        Err(UnusableInput::new(format!(
            "{place} shows the log `{other}`, and not `{name}`: if that one goes on from this one, `log {place} --continues` with a copy of `{name}` shows it"
        )))
    })
}

/// A checkpoint without this key's signature. One of the log's name under another key is a change of key, or a second
/// log.
pub fn not_signed(note: &str, key: &VerifierKey, why: &CheckpointError) -> Finding {
    let of_this_name = Note::parse(note.as_bytes(), MAX_NOTE).ok().and_then(|note| {
        note.signatures()
            .iter()
            .find(|line| line.name == key.name() && line.key_id != key.key_id())
            .map(|line| line.key_id)
    });
    match (of_this_name, why) {
        (Some(id), CheckpointError::Note(NoteError::NoKnownSignature)) => {
            let name = key.name();
            let what = format!(
                "the log `{name}` is signed with another key, {name}+{id:08x}, than the one that was known, {key}"
            );
            Finding::new(Check::KeyChanged, what)
        }
        _ => Finding::new(Check::Checkpoint, format!("with the key {key}: {why}")),
    }
}

/// The key that lies beside the store.
fn folder_key(dir: &Path) -> Result<VerifierKey, UnusableInput> {
    let path = dir.join(KEY_FILE);
    let bytes = read_file(&path, 1_024)
        .map_err(|UnusableInput(why)| UnusableInput(format!("{why}; give the log's key by --key")))?;
    parse_key(&String::from_utf8_lossy(&bytes))
}

/// Damage is a verdict; what keeps one from reading is none.
fn store_trouble(error: StoreError) -> LogError {
    match &error {
        StoreError::Missing { .. }
        | StoreError::Damaged { .. }
        | StoreError::SegmentDamaged { .. }
        | StoreError::SegmentForeign { .. }
        | StoreError::SegmentCut { .. }
        | StoreError::SegmentAhead { .. }
        | StoreError::Gapped { .. }
        | StoreError::Overlap { .. }
        | StoreError::MetaDamaged { .. }
        | StoreError::Empty { .. }
        | StoreError::BehindAnchor { .. }
        | StoreError::AnchorStale { .. }
        | StoreError::AnchorDamaged { .. } => {
            let at = match &error {
                StoreError::Damaged { at, .. } | StoreError::SegmentDamaged { at, .. } => *at,
                StoreError::Gapped { at, .. } | StoreError::Overlap { at } => Some(*at),
                _ => None,
            };
            LogError::Found(Finding {
                check: Check::Store,
                entry: at,
                table: None,
                message: format!("{error}; {}", error.advice()),
            })
        }
        _ => LogError::UnusableInput(UnusableInput::new(format!("{error}; {}", error.advice()))),
    }
}
