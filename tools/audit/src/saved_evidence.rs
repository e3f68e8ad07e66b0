//! Evidence that somebody kept, held against the log as it is read: receipts of entries, and checkpoints as they were
//! seen (spec/audit.md, "Evidence from outside").
//!
//! What a log cannot show of itself, the past of the log can: an entry rewritten, dropped or written later than it says
//! changes a root that the log's key signed before, or contradicts a time that a witness signed.

use crate::cli::LogArgs;
use crate::clock::{Bounds, OwnClock, SECOND};
use crate::outcome::UnusableInput;
use crate::receipt::receipts_in;
use crate::source::{parse_key, read_file};
use fairshoe_api::Receipt;
use fairshoe_fairness::TableId;
use fairshoe_house::{Actor, Command, Entry, Event, HouseNote, MAX_HOUSE_NOTE};
use fairshoe_judge::audit::{Check, Finding, Told, ToldResult};
use fairshoe_judge::utc;
use fairshoe_tlog::{
    Checkpoint, Hash, MAX_ENTRY, MAX_NOTE, MAX_POLICY, MAX_RECEIPT, Note, Policy, TlogProof, Tree, VerifierKey,
    leaf_hash, own_time,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line of a history, in bytes, its end included (spec/audit.md, "Kept checkpoints").
const MAX_LINE: u64 = 512 * 1024;

/// The longest file of receipts in JSON, in bytes.
const MAX_REPLY: u64 = 4 * 1024 * 1024;

/// The most checkpoints and receipts that are held at once.
const MAX_HELD: usize = 5_000_000;

/// Up to so many seconds between two witnessed trees the report counts the clocks that ran out between them.
const REACHES: [u64; 4] = [5, 20, 60, 300];

/// Where a piece of evidence stands: a file, and a line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileLine {
    file: usize,
    line: Option<usize>,
}

/// A checkpoint that the log's key signed.
#[derive(Clone, Debug)]
struct Held {
    size: u64,
    root: Hash,
    /// The earliest and the latest time that each known witness put to it, in seconds.
    cosigned: Vec<(VerifierKey, u64)>,
    /// When the log itself said last that it had no more, in seconds.
    own_time: Option<u64>,
    /// Absent for the log's present checkpoint.
    place: Option<FileLine>,
}

impl Held {
    /// When a witness first saw it.
    fn first_seen(&self) -> Option<u64> {
        self.cosigned.iter().map(|(_, time)| *time).min()
    }

    /// Whether the policy's quorum cosigned it at times of which this holds.
    fn is_met(&self, policy: &Policy, holds: impl Fn(u64) -> bool) -> bool {
        policy.quorum_met(|witness| self.cosigned.iter().any(|(key, time)| *key == witness.key && holds(*time)))
    }

    /// Since when the policy's quorum has seen no more, at the latest.
    fn newest_at(&self, policy: &Policy) -> Option<u64> {
        let times = self.cosigned.iter().map(|(_, time)| *time);
        times.filter(|since| self.is_met(policy, |time| time >= *since)).max()
    }

    /// From when on the policy's quorum had seen it, at the earliest.
    fn quorum_at(&self, policy: &Policy) -> Option<u64> {
        let times = self.cosigned.iter().map(|(_, time)| *time);
        times.filter(|until| self.is_met(policy, |time| time <= *until)).min()
    }

    /// Takes in what another note puts to this tree; of each witness the first time and the last are enough.
    fn join(&mut self, other: Held) {
        self.place = self.place.or(other.place);
        self.own_time = self.own_time.max(other.own_time);
        self.cosigned.extend(other.cosigned);
        self.keep_first_and_last();
    }

    fn keep_first_and_last(&mut self) {
        let key = |(key, time): &(VerifierKey, u64)| (key.to_string(), *time);
        self.cosigned.sort_by_cached_key(key);
        let mut kept: Vec<(VerifierKey, u64)> = Vec::new();
        for one in std::mem::take(&mut self.cosigned) {
            match kept.as_mut_slice() {
                [.., first, last] if first.0 == one.0 && last.0 == one.0 => *last = one,
                _ => kept.push(one),
            }
        }
        self.cosigned = kept;
    }
}

/// An entry that the log's key promised.
struct Promised {
    index: u64,
    leaf: Hash,
    place: FileLine,
}

/// What was held against the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SavedEvidenceReport {
    /// Distinct checkpoints that somebody kept, those of receipts included.
    pub checkpoints: usize,
    /// Receipts whose entry was given.
    pub receipts: usize,
    /// Checkpoints with a time by a witness of the policy, the log's present one included.
    pub witnessed: usize,
    /// Notes of the service: seeds that it received, commands that it refused.
    pub notes: usize,
    /// Those of them that were held against the log's state at their time.
    pub notes_judged: usize,
    /// Those of what it received just before a start of the dealer, which may have lost it: not judged.
    pub notes_lost: usize,
    /// Evidence about entries before the first that was read: not judged.
    pub not_judged: usize,
    /// How near witnesses' times come to the live clocks that ran out.
    pub clocks: ClockReach,
    /// What does not hold.
    pub finding: Option<Finding>,
    /// What contradicts the log and convicts nobody, in words: where nothing else is found the log cannot be judged.
    #[serde(skip)]
    pub doubt: Option<String>,
    /// The latest of the log's own times on a kept checkpoint that is longer than the log, in seconds.
    #[serde(skip)]
    pub longer_at: Option<u64>,
}

/// How far the witnesses' times reach: a turn, a window, a deadline that ran out is judged no closer than the two
/// witnessed trees between which its entry came.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClockReach {
    /// Turns, windows and deadlines that the house let run out.
    pub ran_out: u64,
    /// Those between two witnessed trees no further apart than so many seconds, the counts adding up.
    pub within: Vec<Within>,
    /// Those with no witnessed tree before them, or none after.
    pub unwitnessed: u64,
}

/// A distance, and how many clocks lie within it.
#[derive(Clone, Debug, Serialize)]
pub struct Within {
    /// Seconds from one witness's time to the next.
    pub seconds: u64,
    /// Clocks that ran out between them.
    pub clocks: u64,
}

/// Counts the clocks that ran out between one witnessed tree and the next.
#[derive(Default)]
struct Reach {
    /// When bets or commitments are closed at the latest, of each table where they are open.
    closes_at: BTreeMap<TableId, u64>,
    ran_out: u64,
    /// Since the last witnessed tree, whose time this is.
    since: u64,
    last: Option<u64>,
    within: [u64; REACHES.len()],
    between: u64,
}

impl Reach {
    fn witnessed(&mut self, (first, last): (u64, u64)) {
        if let Some(before) = self.last {
            let apart = first.saturating_sub(before);
            self.between += self.since;
            for (within, seconds) in self.within.iter_mut().zip(REACHES) {
                *within += if apart <= seconds { self.since } else { 0 };
            }
        }
        (self.since, self.last) = (0, Some(last));
    }

    fn entry(&mut self, entry: &Entry) {
        for event in &entry.events {
            match (event, &entry.at) {
                (
                    Event::BetsOpened { closes_at: Some(closes_at), .. } | Event::HandCalled { closes_at, .. },
                    Some(at),
                ) => {
                    self.closes_at.insert(at.table.clone(), *closes_at);
                }
                (Event::TableClosed {}, Some(at)) => {
                    self.closes_at.remove(&at.table);
                }
                _ => {}
            }
        }
        // What everybody has bet or committed in is closed before its time: no clock decided that.
        let ran_out = match &entry.command {
            Command::Lapse { .. } => true,
            Command::CloseBets { table, .. } | Command::CloseCall { table, .. } => {
                self.closes_at.remove(table).is_some_and(|closes_at| closes_at <= entry.time)
            }
            _ => false,
        };
        if entry.by == Actor::House && ran_out {
            self.ran_out += 1;
            self.since += 1;
        }
    }

    fn report(&self) -> ClockReach {
        let within =
            REACHES.iter().zip(self.within).map(|(seconds, clocks)| Within { seconds: *seconds, clocks }).collect();
        ClockReach { ran_out: self.ran_out, within, unwitnessed: self.ran_out.saturating_sub(self.between) }
    }
}

/// The evidence, in the order in which the log reaches it.
#[derive(Default)]
pub struct SavedEvidence {
    files: Vec<PathBuf>,
    held: Vec<Held>,
    promised: Vec<Promised>,
    /// Of each tree: since when, in seconds, the policy's quorum had seen it or a greater one at the earliest.
    quorum_at: Vec<Option<u64>>,
    next_held: usize,
    next_promised: usize,
    policy: Option<Policy>,
    bounds: Option<Bounds>,
    own_clock: Option<OwnClock>,
    notes: Vec<HouseNote>,
    note_places: Vec<FileLine>,
    /// Keys that the user knew this log by, beside its own.
    earlier_keys: Vec<VerifierKey>,
    reach: Reach,
    last_time: Option<u64>,
    report: SavedEvidenceReport,
    other_key: Option<Finding>,
    told: Option<Finding>,
    /// The first receipt of another entry.
    differs: Option<Finding>,
    /// The first receipt of an entry beyond the log's end.
    missing: Option<Finding>,
    fork: Option<Finding>,
    truncated: Option<Finding>,
    wrong_time: Option<Finding>,
    /// The first note that is dated after it was read.
    ahead: Option<Finding>,
    doubt: Option<String>,
}

/// One line of a history.
#[derive(Deserialize)]
struct HistoryLine {
    /// When the keeper saw it, seconds since 1970-01-01 UTC.
    time: u64,
    note: String,
}

impl HistoryLine {
    fn read(bytes: &[u8]) -> Result<HistoryLine, String> {
        let line: HistoryLine = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if line.time > MAX_TIME { Err(format!("its time is beyond {MAX_TIME}")) } else { Ok(line) }
    }
}

/// Times of kept checkpoints are below 2^53, which every reader of JSON can count.
const MAX_TIME: u64 = (1 << 53) - 1;

impl SavedEvidence {
    /// Reads and verifies everything that was named; `own` is the log's present checkpoint.
    ///
    /// # Errors
    /// [`UnusableInput`] where a file is no evidence about this log: it accuses nobody.
    pub fn read(args: &LogArgs, key: &VerifierKey, own: &str, read_at: u64) -> Result<SavedEvidence, UnusableInput> {
        let bounds = Bounds::new(args.clock.skew, args.clock.delay);
        let own_clock = Some(OwnClock::new(bounds, read_at, None));
        let mut saved = SavedEvidence {
            files: args.saved_evidence.clone(),
            bounds: Some(bounds),
            own_clock,
            ..SavedEvidence::default()
        };
        let earlier = args.earlier_key.iter().map(|text| parse_key(text)).collect::<Result<Vec<_>, _>>()?;
        saved.know_earlier(earlier, key);
        let mut known = vec![key.clone()];
        if let Some(path) = &args.policy {
            let bytes = read_file(path, MAX_POLICY as u64)?;
            let policy = Policy::parse(&bytes).map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))?;
            policy.clone().with_log(key.clone()).map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))?;
            known.extend(policy.witnesses().iter().map(|witness| witness.key.clone()));
            saved.know_earlier(policy.logs().iter().map(|log| log.key.clone()).collect(), key);
            saved.policy = Some(policy);
            saved.held.push(verify(own, &known, None).map_err(UnusableInput::new)?);
        }
        for (file, path) in args.saved_evidence.iter().enumerate() {
            saved.read_one(file, path, &known).map_err(|why| UnusableInput::new(format!("{}{why}", path.display())))?;
        }
        saved.sort();
        Ok(saved)
    }

    /// What a monitor holds a service's new entries against: its own looks.
    pub fn of_looks(clock: OwnClock) -> SavedEvidence {
        SavedEvidence { own_clock: Some(clock), ..SavedEvidence::default() }
    }

    /// Keys of this log's name that are not its own: whoever knew the log by one of them was shown another log, or it
    /// has changed its key.
    fn know_earlier(&mut self, keys: Vec<VerifierKey>, own: &VerifierKey) {
        self.earlier_keys.extend(keys.into_iter().filter(|key| key.name() == own.name() && key != own));
    }

    /// What is no evidence about this log: a finding where it is signed by another key that the user knew this log by.
    fn or_other_key(&mut self, place: FileLine, note: &[u8], why: String) -> Result<(), String> {
        let signed_by = |note: &Note, key: &VerifierKey| note.verified(std::slice::from_ref(key)).is_ok();
        let note = Note::parse(note, MAX_NOTE).ok();
        let key = self.earlier_keys.iter().find(|key| note.as_ref().is_some_and(|note| signed_by(note, key)));
        let Some(key) = key.cloned() else {
            let own = |note: &Note| note.text().lines().find(|line| !line.starts_with("fairshoe ")).map(str::to_owned);
            let names = note.as_ref().and_then(own);
            let stranger =
                note.iter().flat_map(|note| note.signatures()).find(|line| Some(&line.name) == names.as_ref());
            return Err(match stranger {
                Some(line) if why.contains("no signature of a known key") => format!(
                    "{why}; a key of this very name, {}+{:08x}, signed it: if you knew the log by that key, name it by --earlier-key",
                    line.name, line.key_id
                ),
                _ => why,
            });
        };
        let what = format!(
            "{}: it is signed by {key}, a key of this name that is not the log's: the log has changed its key, or there are two",
            self.at(Some(place))
        );
        self.other_key.get_or_insert(Finding::new(Check::KeyChanged, what));
        Ok(())
    }

    /// A note of the service, beside the log.
    fn note(&mut self, file: usize, bytes: &[u8], known: &[VerifierKey]) -> Result<(), String> {
        let place = FileLine { file, line: None };
        let key = known.first().ok_or(": the log has no key")?;
        match HouseNote::verify(bytes, key) {
            Ok(note) => {
                self.report.notes += 1;
                if let Some(finding) = self.own_clock.as_ref().and_then(|clock| clock.ahead(note.time())) {
                    let message = format!("{}: {}", self.at(Some(place)), finding.message);
                    self.ahead.get_or_insert(Finding { message, ..finding });
                }
                self.notes.push(note);
                self.note_places.push(place);
                Ok(())
            }
            Err(e) => {
                self.or_other_key(place, bytes, format!(": the note is not this log's, so it shows nothing: {e}"))
            }
        }
    }

    /// The notes, to be held against the log as it is decided again.
    pub fn told(&mut self) -> Told {
        Told::new(std::mem::take(&mut self.notes))
    }

    /// What came of them.
    pub fn take_told(&mut self, told: ToldResult) {
        (self.report.notes_judged, self.report.notes_lost) = (told.judged, told.lost);
        self.report.not_judged += told.not_judged;
        if let Some((note, mut finding)) = told.findings.into_iter().next() {
            finding.message = format!("{}: {}", self.at(self.note_places.get(note).copied()), finding.message);
            self.told = Some(finding);
        }
    }

    /// A problem is said as the end of a sentence that begins with the file's name.
    fn read_one(&mut self, file: usize, path: &Path, known: &[VerifierKey]) -> Result<(), String> {
        let opened = File::open(path).map_err(|e| format!(": {e}"))?;
        let mut reader = BufReader::new(opened);
        let mut first = Vec::new();
        (&mut reader).take(MAX_LINE).read_until(b'\n', &mut first).map_err(|e| format!(": {e}"))?;
        let whole = |most: u64| read_file(path, most).map_err(|UnusableInput(why)| format!(": {why}"));
        if first.starts_with(b"c2sp.org/tlog-proof") {
            let entry = path.with_extension("entry");
            let entry = entry
                .is_file()
                .then(|| read_file(&entry, MAX_ENTRY as u64))
                .transpose()
                .map_err(|UnusableInput(why)| format!(": {why}"))?;
            return self.receipt(file, &whole(MAX_RECEIPT as u64)?, None, entry.as_deref(), known);
        }
        if HouseNote::is_meant(&first) {
            return self.note(file, &whole(MAX_HOUSE_NOTE as u64)?, known);
        }
        if !first.starts_with(b"{") {
            let note = whole(MAX_NOTE as u64)?;
            let note = std::str::from_utf8(&note).map_err(|_| NO_EVIDENCE.to_owned())?;
            let place = FileLine { file, line: None };
            return match verify(note, known, Some(place)) {
                Ok(held) => self.hold(held),
                Err(why) => self.or_other_key(place, note.as_bytes(), format!(": {why}")),
            };
        }
        if HistoryLine::read(&first).is_ok() {
            return self.history(file, first, reader, known);
        }
        let reply = whole(MAX_REPLY)?;
        let lines = lines_in(&reply);
        let notes = notes_in(&lines);
        notes.iter().try_for_each(|note| self.note(file, note.as_bytes(), known))?;
        let receipts = match receipts_in(&reply) {
            Some(receipts) => receipts,
            None if !notes.is_empty() => receipts_of_lines(&lines),
            None => return Err(NO_EVIDENCE.to_owned()),
        };
        receipts.iter().try_for_each(|receipt| {
            let proof = receipt.proof().map_err(|why| format!(": {why}"))?;
            self.receipt(file, proof.as_bytes(), Some(receipt.index), Some(receipt.entry.as_bytes()), known)
        })
    }

    fn history(
        &mut self,
        file: usize,
        first: Vec<u8>,
        mut rest: impl BufRead,
        known: &[VerifierKey],
    ) -> Result<(), String> {
        let (mut bytes, mut line, mut before) = (first, 1, String::new());
        while !bytes.is_empty() {
            let at = |why: String| format!(" line {line}: {why}");
            let seen = HistoryLine::read(&bytes)
                .map_err(|e| at(format!("no kept checkpoint {{\"time\",\"note\"}} (or one too long): {e}")))?;
            // A monitor writes what it saw each time; most of it is what it saw before.
            if seen.note != before {
                let place = FileLine { file, line: Some(line) };
                match verify(&seen.note, known, Some(place)) {
                    Ok(mut held) => {
                        // By a clock that was ahead the log may have signed too late a time, which its keeper knew.
                        held.own_time = held.own_time.map(|own| own.min(seen.time));
                        self.hold(held)?;
                    }
                    Err(why) => self.or_other_key(place, seen.note.as_bytes(), at(why))?,
                }
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
        let place = FileLine { file, line: None };
        let proof = TlogProof::parse(proof).map_err(|e| format!(": the receipt cannot be read: {e}"))?;
        let held = match verify(&proof.checkpoint_text, known, Some(place)) {
            Ok(held) => held,
            Err(why) => return self.or_other_key(place, proof.checkpoint_text.as_bytes(), format!(": {why}")),
        };
        if let Some(index) = index.filter(|index| *index != proof.index) {
            return Err(format!(": the reply says entry {index}, its receipt is of entry {}", proof.index));
        }
        if let Some(entry) = entry {
            let key = known.first().cloned().ok_or(": the log has no key")?;
            let policy = Policy::for_log(key).map_err(|e| format!(": {e}"))?;
            proof
                .verify(entry, &policy)
                .map_err(|e| format!(": the receipt does not hold, so it shows nothing: {e}"))?;
            self.promised.push(Promised { index: proof.index, leaf: leaf_hash(entry), place });
            self.report.receipts += 1;
        }
        self.hold(held)
    }

    fn hold(&mut self, held: Held) -> Result<(), String> {
        if self.held.len() + self.promised.len() >= MAX_HELD {
            return Err(format!(": more than {MAX_HELD} kept checkpoints and receipts"));
        }
        // A monitor saw the same tree many times, each time with another time of the log's own.
        match self.held.last_mut() {
            Some(last) if (last.size, last.root) == (held.size, held.root) => last.join(held),
            _ => self.held.push(held),
        }
        Ok(())
    }

    /// In the log's order; the same checkpoint kept twice is one, with all the times put to it.
    fn sort(&mut self) {
        self.promised.sort_by_key(|promised| promised.index);
        self.held.sort_by_key(|held| (held.size, held.root.0, held.place.is_none()));
        self.held.dedup_by(|later, first| {
            let same = (later.size, later.root) == (first.size, first.root);
            if same {
                first.join(later.clone());
            }
            same
        });
        if let Some(policy) = &self.policy {
            let mut earliest = None::<u64>;
            self.quorum_at = vec![None; self.held.len()];
            for (at, held) in self.quorum_at.iter_mut().zip(&self.held).rev() {
                earliest = [earliest, held.quorum_at(policy)].into_iter().flatten().min();
                *at = earliest;
            }
        }
        self.report.checkpoints = self.held.iter().filter(|held| held.place.is_some()).count();
        self.report.witnessed = self.held.iter().filter(|held| !held.cosigned.is_empty()).count();
    }

    /// Holds the evidence about the log up to entry `index` against it: `tree` is that of the entries before, `leaf` is
    /// the entry's, which is given where it could be read.
    pub fn before(&mut self, tree: &Tree, index: u64, leaf: &Hash, entry: Option<&Entry>) {
        let time = entry.map(|entry| entry.time);
        if let (Some(clock), Some(time)) = (&mut self.own_clock, time) {
            clock.check(index, time);
        }
        while let Some(promised) = self.promised.get(self.next_promised).filter(|promised| promised.index <= index) {
            if promised.index < index {
                self.report.not_judged += 1;
            } else if promised.leaf != *leaf && self.differs.is_none() {
                let what = format!(
                    "{}: the receipt is of an entry with leaf hash {}, the log has {leaf} at that place",
                    self.at(Some(promised.place)),
                    promised.leaf
                );
                self.differs = Some(Finding::at(Check::AckDiffers, index, None, what));
            }
            self.next_promised += 1;
        }
        while self.held.get(self.next_held).is_some_and(|held| held.size <= index) {
            self.compare(tree, time);
        }
        self.last_time = time;
        if let Some(entry) = entry {
            self.reach.entry(entry);
        }
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
        if held.root != root && self.fork.is_none() {
            let what = format!(
                "{}: the log's key signed a checkpoint of {} entries with root {}; the first {} entries of this log have root {root}: it signed two histories",
                self.at(held.place),
                held.size,
                held.root,
                held.size
            );
            self.fork = Some(Finding::new(Check::Fork, what));
        }
        if let Some(bounds) = self.bounds {
            self.compare_times(&held, bounds, next);
        }
    }

    /// The times that were put to a tree, against those of the entry before its end and of the one after it.
    fn compare_times(&mut self, held: &Held, bounds: Bounds, next: Option<u64>) {
        let wrong = |entry: u64, what: String| Finding::at(Check::TimeWitnessed, entry, None, what);
        let first = held.first_seen();
        let last = self.policy.as_ref().and_then(|policy| held.newest_at(policy));
        if let (Some(first), Some(last)) = (first, last) {
            self.reach.witnessed((first, last));
        }
        let is_before = |time: u64, at: u64| time < bounds.earliest(at.saturating_mul(SECOND));
        if let (Some(time), Some(own)) = (next, held.own_time)
            && time < bounds.earliest_by_own(own.saturating_mul(SECOND))
            && self.wrong_time.is_none()
        {
            let what = format!(
                "{}: the entry is dated {}; at {} the log signed that it ended before it, with {} entries: it was written later than it says",
                self.at(held.place),
                utc(time),
                utc(own.saturating_mul(SECOND)),
                held.size
            );
            self.wrong_time = Some(wrong(held.size, what));
        }
        // The one above has been shown to be greater, and seen by a quorum in time.
        let seen_in_time = self.quorum_at.get(self.next_held).copied().flatten();
        if let (Some(time), Some(last)) = (next, last)
            && is_before(time, last)
            && seen_in_time.is_none_or(|seen| is_before(time, seen))
            && self.doubt.is_none()
        {
            self.doubt = Some(format!(
                "{}: entry {} is dated {}; at {} the witnesses saw the log end before it, and the log has not signed that it did. \
                 Either it was written later than it says, or somebody showed the witnesses an old checkpoint; no kept note says which. \
                 Ask the house for what witnesses had cosigned of this entry by then, and name that with --kept, too",
                self.at(held.place),
                held.size,
                utc(time),
                utc(last.saturating_mul(SECOND)),
            ));
        }
        // A witness counts whole seconds: an entry of the same second is not after it.
        let latest = first.map(|first| bounds.latest(first.saturating_mul(SECOND).saturating_add(SECOND - 1)));
        if let (Some(time), Some(first), Some(latest), None) = (self.last_time, first, latest, &self.wrong_time)
            && time > latest
        {
            let what = format!(
                "{}: the entry is dated {}; a witness saw it already at {}: it was written earlier than it says",
                self.at(held.place),
                utc(time),
                utc(first.saturating_mul(SECOND))
            );
            self.wrong_time = Some(wrong(held.size.saturating_sub(1), what));
        }
    }

    /// At the log's end: what is left is of a longer log.
    pub fn finish(&mut self, tree: &Tree) {
        while self.held.get(self.next_held).is_some_and(|held| held.size <= tree.size()) {
            self.compare(tree, None);
        }
        if let Some(promised) = self.promised.get(self.next_promised).filter(|_| self.missing.is_none()) {
            let what = format!(
                "{}: the receipt is of entry {}, the log has {} entries",
                self.at(Some(promised.place)),
                promised.index,
                tree.size()
            );
            self.missing = Some(Finding::at(Check::AckMissing, promised.index, None, what));
        }
        self.report.longer_at =
            self.held.get(self.next_held..).unwrap_or_default().iter().filter_map(|held| held.own_time).max();
        if let Some(longest) =
            self.held.get(self.next_held..).and_then(<[Held]>::last).filter(|_| self.truncated.is_none())
        {
            let what = format!(
                "{}: the log's key signed a checkpoint of {} entries, the log has {}: entries were taken away",
                self.at(longest.place),
                longest.size,
                tree.size()
            );
            self.truncated = Some(Finding::new(Check::Truncated, what));
        }
    }

    /// The time of the first entry that was read, where looks are held against it.
    pub fn first_time(&self) -> Option<u64> {
        self.own_clock.as_ref().and_then(OwnClock::first)
    }

    /// What was held against the log. A broken promise says more than the other history that it is part of. Where it is one
    /// that `follows`, what it lacks comes last: it is no finding there, and must not hide one.
    pub fn into_report(self, follows: bool) -> SavedEvidenceReport {
        let own_clock = self.own_clock.and_then(|clock| clock.finding().cloned());
        let found = [
            self.differs,
            self.missing,
            self.fork,
            self.truncated,
            self.other_key,
            self.told,
            self.wrong_time,
            self.ahead,
        ];
        let (lacks, others): (Vec<Finding>, Vec<Finding>) =
            found.into_iter().flatten().chain(own_clock).partition(|finding| follows && is_lack(finding));
        let finding = others.into_iter().chain(lacks).next();
        SavedEvidenceReport { finding, doubt: self.doubt, clocks: self.reach.report(), ..self.report }
    }

    fn at(&self, place: Option<FileLine>) -> String {
        let Some(FileLine { file, line }) = place else { return "the log's checkpoint".to_owned() };
        let name = self.files.get(file).map(|path| path.display().to_string()).unwrap_or_default();
        line.map_or(name.clone(), |line| format!("{name} line {line}"))
    }
}

/// Whether a finding says no more than that something is not there: a node that follows may be behind.
pub fn is_lack(finding: &Finding) -> bool {
    matches!(finding.check, Check::AckMissing | Check::Truncated)
}

/// Said after a file's name.
const NO_EVIDENCE: &str = " is no evidence: neither a receipt (.tlog-proof, or a saved reply), nor a signed checkpoint, nor lines of {\"time\",\"note\"}";

/// A saved reply, the lines of one that came in two, or a line for each note that a client kept. The last one may have
/// been cut off.
fn lines_in(reply: &[u8]) -> Vec<serde_json::Value> {
    serde_json::Deserializer::from_slice(reply).into_iter().map_while(Result::ok).collect()
}

/// The notes of the service in such lines (receipts.md, "Received and refused").
fn notes_in(lines: &[serde_json::Value]) -> Vec<String> {
    let replies = lines.iter().flat_map(|line| [line, &line["reply"]]);
    let texts = replies.flat_map(|reply| ["received", "refused"].map(|field| reply[field].as_str()));
    texts.flatten().filter(|text| HouseNote::is_meant(text.as_bytes())).map(str::to_owned).collect()
}

/// The receipts of replies that came in two lines, as far as the second ones came.
fn receipts_of_lines(lines: &[serde_json::Value]) -> Vec<Receipt> {
    let replies = lines.iter().filter_map(|line| serde_json::to_vec(line.get("reply")?).ok());
    replies.filter_map(|reply| receipts_in(&reply)).flatten().collect()
}

/// A checkpoint that the log's key, the first of those known, signed as its own; the others are witnesses'.
fn verify(note: &str, known: &[VerifierKey], place: Option<FileLine>) -> Result<Held, String> {
    let no_use = |why: String| format!("the checkpoint is not this log's, so it shows nothing about it: {why}");
    let parsed = Note::parse(note.as_bytes(), MAX_NOTE).map_err(|e| no_use(e.to_string()))?;
    let signatures = parsed.verified(known).map_err(|e| no_use(e.to_string()))?;
    let checkpoint = Checkpoint::parse(parsed.text()).map_err(|e| no_use(e.to_string()))?;
    let key = known
        .first()
        .filter(|key| key.name() == checkpoint.origin && signatures.iter().any(|signature| signature.key == *key));
    if key.is_none() {
        return Err(no_use(format!("`{}` is not signed by the log's key", checkpoint.origin)));
    }
    let own_time = key.and_then(|key| own_time(note, key));
    let cosigned = signatures.iter().filter_map(|signature| Some((signature.key.clone(), signature.time?))).collect();
    Ok(Held { size: checkpoint.size, root: checkpoint.root, cosigned, own_time, place })
}
