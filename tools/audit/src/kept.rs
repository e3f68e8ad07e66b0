//! Evidence that somebody kept, held against the log as it is read: receipts of entries, and checkpoints as they were seen
//! (spec/audit.md, "Evidence from outside").
//!
//! What a log cannot show of itself, the past of the log can: an entry rewritten, dropped or written later than it says
//! changes a root that the log's key signed before, or contradicts a time that a witness signed.

use crate::cli::LogArgs;
use crate::outcome::Unusable;
use crate::receipt::{Receipt, receipts_in};
use crate::source::read_file;
use fairshoe_house::audit::{Check, Finding};
use fairshoe_house::utc;
use fairshoe_tlog::{
    Checkpoint, Hash, MAX_ENTRY, MAX_NOTE, MAX_POLICY, MAX_RECEIPT, Note, Policy, TlogProof, Tree, VerifierKey, leaf_hash,
};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line of a history, in bytes, its end included (spec/audit.md, "Kept checkpoints").
const MAX_LINE: u64 = 512 * 1024;

/// The longest file of receipts in JSON, in bytes.
const MAX_REPLY: u64 = 4 * 1024 * 1024;

/// The most checkpoints and receipts that are held at once.
const MAX_KEPT: usize = 5_000_000;

/// Milliseconds of a second: witnesses count seconds, entries milliseconds.
const SECOND: u64 = 1_000;

/// Where a piece of evidence stands: a file, and a line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    file: usize,
    line: Option<usize>,
}

/// A checkpoint that the log's key signed.
#[derive(Clone, Debug)]
struct Held {
    size: u64,
    root: Hash,
    /// The first and the last time that a known witness put to it, in seconds.
    cosigned: Option<(u64, u64)>,
    /// Absent for the log's present checkpoint.
    place: Option<Place>,
}

/// An entry that the log's key promised.
struct Promised {
    index: u64,
    leaf: Hash,
    place: Place,
}

/// What was held against the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct KeptReport {
    /// Distinct checkpoints that somebody kept, those of receipts included.
    pub checkpoints: usize,
    /// Receipts whose entry was given.
    pub receipts: usize,
    /// Checkpoints with a time by a witness of the policy, the log's present one included.
    pub witnessed: usize,
    /// Evidence about entries before the first that was read: not judged.
    pub not_judged: usize,
    /// What does not hold.
    pub finding: Option<Finding>,
}

/// The evidence, in the order in which the log reaches it.
#[derive(Default)]
pub struct Kept {
    files: Vec<PathBuf>,
    held: Vec<Held>,
    promised: Vec<Promised>,
    next_held: usize,
    next_promised: usize,
    slack_ms: u64,
    last_time: Option<u64>,
    report: KeptReport,
    broken_promise: Option<Finding>,
    other_history: Option<Finding>,
    wrong_time: Option<Finding>,
}

/// One line of a history.
#[derive(Deserialize)]
struct Seen {
    #[serde(rename = "time")]
    _seen: u64,
    note: String,
}

impl Kept {
    /// Reads and verifies everything that was named; `own` is the log's present checkpoint.
    ///
    /// # Errors
    /// [`Unusable`] where a file is no evidence about this log: it accuses nobody.
    pub fn read(args: &LogArgs, key: &VerifierKey, own: &str) -> Result<Kept, Unusable> {
        let mut kept = Kept { files: args.kept.clone(), slack_ms: args.slack.saturating_mul(SECOND), ..Kept::default() };
        let mut known = vec![key.clone()];
        if let Some(path) = &args.policy {
            let bytes = read_file(path, MAX_POLICY as u64)?;
            let policy = Policy::parse(&bytes).map_err(|e| Unusable::new(format!("{}: {e}", path.display())))?;
            known.extend(policy.witnesses().iter().map(|witness| witness.key.clone()));
            kept.held.push(verify(own, &known, None).map_err(Unusable::new)?);
        }
        for (file, path) in args.kept.iter().enumerate() {
            kept.read_one(file, path, &known).map_err(|why| Unusable::new(format!("{}{why}", path.display())))?;
        }
        kept.sort();
        Ok(kept)
    }

    /// A problem is said as the end of a sentence that begins with the file's name.
    fn read_one(&mut self, file: usize, path: &Path, known: &[VerifierKey]) -> Result<(), String> {
        let opened = File::open(path).map_err(|e| format!(": {e}"))?;
        let mut reader = BufReader::new(opened);
        let mut first = Vec::new();
        (&mut reader).take(MAX_LINE).read_until(b'\n', &mut first).map_err(|e| format!(": {e}"))?;
        let whole = |most: u64| read_file(path, most).map_err(|Unusable(why)| format!(": {why}"));
        if first.starts_with(b"c2sp.org/tlog-proof") {
            let entry = path.with_extension("entry");
            let entry =
                entry.is_file().then(|| read_file(&entry, MAX_ENTRY as u64)).transpose().map_err(|Unusable(why)| format!(": {why}"))?;
            return self.receipt(file, &whole(MAX_RECEIPT as u64)?, None, entry.as_deref(), known);
        }
        if !first.starts_with(b"{") {
            let note = whole(MAX_NOTE as u64)?;
            let note = std::str::from_utf8(&note).map_err(|_| NO_EVIDENCE.to_owned())?;
            let held = verify(note, known, Some(Place { file, line: None })).map_err(|why| format!(": {why}"))?;
            return self.hold(held);
        }
        if serde_json::from_slice::<Seen>(&first).is_ok() {
            return self.history(file, first, reader, known);
        }
        let receipts = receipts_in(&whole(MAX_REPLY)?).ok_or_else(|| NO_EVIDENCE.to_owned())?;
        receipts.iter().try_for_each(|Receipt { index, entry, proof }| {
            self.receipt(file, proof.as_bytes(), Some(*index), Some(entry.as_bytes()), known)
        })
    }

    fn history(&mut self, file: usize, first: Vec<u8>, mut rest: impl BufRead, known: &[VerifierKey]) -> Result<(), String> {
        let (mut bytes, mut line, mut before) = (first, 1, String::new());
        while !bytes.is_empty() {
            let at = |why: String| format!(" line {line}: {why}");
            let seen: Seen = serde_json::from_slice(&bytes)
                .map_err(|e| at(format!("no kept checkpoint {{\"time\",\"note\"}} (or one too long): {e}")))?;
            // A monitor writes what it saw each time; most of it is what it saw before.
            if seen.note != before {
                self.hold(verify(&seen.note, known, Some(Place { file, line: Some(line) })).map_err(at)?)?;
                before = seen.note;
            }
            bytes.clear();
            line += 1;
            rest.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes).map_err(|e| format!(": {e}"))?;
        }
        Ok(())
    }

    fn receipt(
        &mut self,
        file: usize,
        proof: &[u8],
        index: Option<u64>,
        entry: Option<&[u8]>,
        known: &[VerifierKey],
    ) -> Result<(), String> {
        let place = Place { file, line: None };
        let proof = TlogProof::parse(proof).map_err(|e| format!(": the receipt cannot be read: {e}"))?;
        if let Some(index) = index.filter(|index| *index != proof.index) {
            return Err(format!(": the reply says entry {index}, its receipt is of entry {}", proof.index));
        }
        if let Some(entry) = entry {
            let key = known.first().cloned().ok_or(": the log has no key")?;
            let policy = Policy::for_log(key).map_err(|e| format!(": {e}"))?;
            proof.verify(entry, &policy).map_err(|e| format!(": the receipt does not hold, so it shows nothing: {e}"))?;
            self.promised.push(Promised { index: proof.index, leaf: leaf_hash(entry), place });
            self.report.receipts += 1;
        }
        self.hold(verify(&proof.checkpoint_text, known, Some(place)).map_err(|why| format!(": {why}"))?)
    }

    fn hold(&mut self, held: Held) -> Result<(), String> {
        if self.held.len() + self.promised.len() >= MAX_KEPT {
            return Err(format!(": more than {MAX_KEPT} kept checkpoints and receipts"));
        }
        self.held.push(held);
        Ok(())
    }

    /// In the log's order; the same checkpoint kept twice is one, with all the times put to it.
    fn sort(&mut self) {
        self.promised.sort_by_key(|promised| promised.index);
        self.held.sort_by_key(|held| (held.size, held.root.0, held.place.is_none()));
        self.held.dedup_by(|later, first| {
            let same = (later.size, later.root) == (first.size, first.root);
            if same {
                first.cosigned = match (first.cosigned, later.cosigned) {
                    (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                    (one, other) => one.or(other),
                };
            }
            same
        });
        self.report.checkpoints = self.held.iter().filter(|held| held.place.is_some()).count();
        self.report.witnessed = self.held.iter().filter(|held| held.cosigned.is_some()).count();
    }

    /// Holds the evidence about the log up to entry `index` against it: `tree` is that of the entries before, `leaf` and
    /// `time` (in milliseconds, where it could be read) are the entry's.
    pub fn before(&mut self, tree: &Tree, index: u64, leaf: &Hash, time: Option<u64>) {
        while let Some(promised) = self.promised.get(self.next_promised).filter(|promised| promised.index <= index) {
            if promised.index < index {
                self.report.not_judged += 1;
            } else if promised.leaf != *leaf && self.broken_promise.is_none() {
                let what = format!(
                    "{}: the receipt is of an entry with leaf hash {}, the log has {leaf} at that place",
                    self.at(Some(promised.place)),
                    promised.leaf
                );
                self.broken_promise = Some(Finding::at(Check::AckDiffers, index, None, what));
            }
            self.next_promised += 1;
        }
        while self.held.get(self.next_held).is_some_and(|held| held.size <= index) {
            self.compare(tree, time);
        }
        self.last_time = time;
    }

    /// The next checkpoint, whose size the log has reached or passed; `next` is the time of the entry after it.
    fn compare(&mut self, tree: &Tree, next: Option<u64>) {
        let Some(held) = self.held.get(self.next_held).cloned() else { return };
        self.next_held += 1;
        if held.size < tree.size() {
            self.report.not_judged += 1;
            return;
        }
        let root = tree.root();
        if held.root != root && self.other_history.is_none() {
            let what = format!(
                "{}: the log's key signed a checkpoint of {} entries with root {}; the first {} entries of this log have root {root}: it signed two histories",
                self.at(held.place),
                held.size,
                held.root,
                held.size
            );
            self.other_history = Some(Finding::new(Check::Fork, what));
        }
        let Some((first, last)) = held.cosigned.filter(|_| self.wrong_time.is_none()) else { return };
        let (first, last) = (first.saturating_mul(SECOND), last.saturating_mul(SECOND));
        let wrong = |entry: u64, what: String| Some(Finding::at(Check::TimeWitnessed, entry, None, what));
        if let Some(time) = next.filter(|time| time.saturating_add(self.slack_ms) < last) {
            let what = format!(
                "{}: the entry is dated {}; at {} a witness saw the log end before it, with {} entries: it was written later than it says",
                self.at(held.place),
                utc(time),
                utc(last),
                held.size
            );
            self.wrong_time = wrong(held.size, what);
        } else if let Some(time) = self.last_time.filter(|time| *time > first.saturating_add(self.slack_ms)) {
            let what = format!(
                "{}: the entry is dated {}; a witness saw it already at {}: it was written earlier than it says",
                self.at(held.place),
                utc(time),
                utc(first)
            );
            self.wrong_time = wrong(held.size.saturating_sub(1), what);
        }
    }

    /// At the log's end: what is left is of a longer log.
    pub fn finish(&mut self, tree: &Tree) {
        while self.held.get(self.next_held).is_some_and(|held| held.size <= tree.size()) {
            self.compare(tree, None);
        }
        if let Some(promised) = self.promised.get(self.next_promised).filter(|_| self.broken_promise.is_none()) {
            let what = format!(
                "{}: the receipt is of entry {}, the log has {} entries",
                self.at(Some(promised.place)),
                promised.index,
                tree.size()
            );
            self.broken_promise = Some(Finding::at(Check::AckMissing, promised.index, None, what));
        }
        if let Some(longest) = self.held.get(self.next_held..).and_then(<[Held]>::last).filter(|_| self.other_history.is_none()) {
            let what = format!(
                "{}: the log's key signed a checkpoint of {} entries, the log has {}: entries were taken away",
                self.at(longest.place),
                longest.size,
                tree.size()
            );
            self.other_history = Some(Finding::new(Check::Truncated, what));
        }
    }

    /// What was held against the log. A broken promise says more than the other history that it is part of.
    pub fn into_report(self) -> KeptReport {
        let finding = self.broken_promise.or(self.other_history).or(self.wrong_time);
        KeptReport { finding, ..self.report }
    }

    fn at(&self, place: Option<Place>) -> String {
        let Some(Place { file, line }) = place else { return "the log's checkpoint".to_owned() };
        let name = self.files.get(file).map(|path| path.display().to_string()).unwrap_or_default();
        line.map_or(name.clone(), |line| format!("{name} line {line}"))
    }
}

/// Said after a file's name.
const NO_EVIDENCE: &str =
    " is no evidence: neither a receipt (.tlog-proof, or a saved reply), nor a signed checkpoint, nor lines of {\"time\",\"note\"}";

/// A checkpoint that the log's key, the first of those known, signed as its own; the others are witnesses'.
fn verify(note: &str, known: &[VerifierKey], place: Option<Place>) -> Result<Held, String> {
    let no_use = |why: String| format!("the checkpoint is not this log's, so it shows nothing about it: {why}");
    let parsed = Note::parse(note.as_bytes(), MAX_NOTE).map_err(|e| no_use(e.to_string()))?;
    let signatures = parsed.verified(known).map_err(|e| no_use(e.to_string()))?;
    let checkpoint = Checkpoint::parse(parsed.text()).map_err(|e| no_use(e.to_string()))?;
    let key = known.first().filter(|key| key.name() == checkpoint.origin && signatures.iter().any(|signature| signature.key == *key));
    if key.is_none() {
        return Err(no_use(format!("`{}` is not signed by the log's key", checkpoint.origin)));
    }
    let times = signatures.iter().filter_map(|signature| signature.time);
    let cosigned = times.clone().min().zip(times.max());
    Ok(Held { size: checkpoint.size, root: checkpoint.root, cosigned, place })
}
