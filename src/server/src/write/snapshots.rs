//! Snapshots: the house's state at one size of the log, written down so that a start need not read the log before it
//! (spec/store.md, "Snapshots"); and, where the log may name it, its lines, published for auditors (spec/state.md,
//! "Published").
//!
//! Owns: the files, what makes one unfit by itself, and the thread that writes them. Does not own: when one is taken
//! (the house thread), that its entries are durable and anchored before it is written (the commit thread), whether the
//! log leads from it to what was signed ([`crate::write::recovery`]). They are a cache: no promise rests on them, and a
//! failure of theirs stops nothing.

use crate::write::committed::CommittedAt;
use fairshoe_fairness::Origin;
use fairshoe_house::{STATE_INTERVAL, State, StateRoot, root_of_lines};
use fairshoe_store::{Files, MAX_STATE_BYTES, STATE_WINDOW, STATES, state_name, state_sizes};
use fairshoe_tlog::{Hash, Tree};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::{self, BufReader, BufWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;
use tracing::{info, warn};
use zstd::zstd_safe::{CCtx, CParameter};

/// The folder, beside the log.
pub const FOLDER: &str = "snapshots";

/// A snapshot on its way to its name.
const NEW: &str = "snapshots/new";

/// The first line of each; the number is the format's version.
const FORMAT: &str = "fairshoe-snapshot 3";

/// The header's four lines are no longer: a log's name takes 255 bytes at most.
const MOST_HEADER: usize = 512;

/// The length of what ends a file: the SHA-256 of all before it.
const SEAL: usize = 32;

/// Bytes of a file, at most: what is read is in memory. 100,000 tables and a million players take a tenth of it.
const MOST_BYTES: u64 = 1 << 30;

/// Entries by which the log grows from one snapshot to the next.
pub const EVERY: u64 = 65_536;

/// So many are kept.
const SNAPSHOTS: usize = 2;

/// A state on its way to being published.
const NEW_STATE: &str = "state/new";

/// So many published states are kept whatever they take, and older ones as far apart as [`spacing`] says.
const PUBLISHED: usize = 64;

/// Bytes an entry of the log that older published states take, at most: a tenth of what the entry itself takes.
const STATE_BYTES_AN_ENTRY: u64 = 6;

/// Written bytes that are synced at once, and the pause after them, so that the log's own syncs do not wait behind
/// them.
const PIECE: usize = 512 << 10;
pub const PAUSE: Duration = Duration::from_millis(5);

/// How long the writing at a stop may take. Where it takes longer the next start replays more of the log.
const STOP_TIME: Duration = Duration::from_secs(10);

/// Compression. More takes longer and saves little, as with sealed bundles.
const LEVEL: i32 = 1;

/// What the house has in memory at one size of the log: a copy by reference, taken between two entries.
pub struct Taken {
    pub size: u64,
    pub state: State,
    pub committed: CommittedAt,
    /// The process stops after it.
    is_last: bool,
    /// While one is there none of the same house is taken.
    _turn: Arc<()>,
}

/// A state that the log may name: the size of it, and its root. The house names it at its next turn.
pub type Named = Arc<Mutex<Option<(u64, StateRoot)>>>;

/// When the house takes one.
pub struct Turns {
    /// Zero: never.
    every: u64,
    /// The size of the last.
    last: u64,
    turn: Arc<()>,
    /// Where the writer leaves what the log may name.
    named: Named,
}

impl Turns {
    /// One every so many entries; zero: none, also at a stop.
    pub fn new(every: u64, last: u64) -> Turns {
        Turns { every, last, turn: Arc::default(), named: Named::default() }
    }

    /// Where the writer leaves what the log may name.
    pub fn named(&self) -> Named {
        self.named.clone()
    }

    /// What the log may name, once.
    pub fn take_named(&self) -> Option<(u64, StateRoot)> {
        self.named.try_lock().ok()?.take()
    }

    /// Whether a log that stops here, and named its state last after so many entries, is worth another name: a start
    /// from it then reads no more than a part of what it would read between two.
    pub fn is_worth_a_name(&self, size: u64, named: u64) -> bool {
        self.every > 0 && size.saturating_sub(named) >= self.every.div_ceil(16)
    }

    /// A copy of this, if it is time for one.
    pub fn take(&mut self, size: u64, is_last: bool, state: &State, committed: &CommittedAt) -> Option<Box<Taken>> {
        if self.every == 0 {
            return None;
        }
        // At the multiples themselves where it can be: those are the states that the log may name later.
        let is_due = size / self.every > self.last / self.every && Arc::strong_count(&self.turn) == 1;
        if !(is_due || is_last) {
            return None;
        }
        self.last = size;
        Some(Box::new(Taken {
            size,
            state: state.clone(),
            committed: committed.clone(),
            is_last,
            _turn: self.turn.clone(),
        }))
    }
}

/// What was taken, when the log up to its size is durable and anchored, with the log's tree at that size.
pub type Durable = (Box<Taken>, Tree);

/// What a file has beside its header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadBody {
    /// The tree's partial tiles, lowest level first.
    edge: Vec<String>,
    committed: CommittedAt,
    state: State,
}

/// A snapshot that is whole, of this log and of this format.
pub struct Snapshot {
    pub tree: Tree,
    pub committed: CommittedAt,
    pub state: State,
}

/// Why a snapshot is not used.
#[derive(Debug, Error)]
pub enum Unfit {
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("it is not as it was written")]
    Damaged,
    #[error("it is of another format")]
    Format,
    #[error("it is of another log, {0}")]
    OtherLog(String),
    #[error("it says that it has {0} entries, and its name another number")]
    Renamed(u64),
    #[error("it has {size} entries, and the log has {log}")]
    BeyondLog { size: u64, log: u64 },
    #[error("it has {size} entries, and no more than {anchored} are anchored")]
    BeyondAnchor { size: u64, anchored: u64 },
    #[error("the edge of its tree does not lead to the root that it names")]
    Edge,
    #[error("its state is that of {0} entries")]
    OtherState(u64),
    #[error("what it holds cannot be decoded: {0}")]
    Undecodable(String),
    #[error("entry {index} of the log does not follow from it: {what}")]
    DoesNotFollow { index: u64, what: String },
    #[error("the log does not lead from its root to the root that was signed")]
    OtherRoot,
}

/// The folder, for its one writer.
pub struct Snapshots {
    files: Arc<dyn Files>,
    origin: Origin,
    pause: Duration,
    /// The newest that are known to be good, oldest first; whatever else is there goes when the next one is written.
    good: Vec<u64>,
}

fn name(size: u64) -> String {
    format!("{FOLDER}/{size:020}")
}

/// What packs, if there is memory for it: `Encoder::new` would panic, and end the process.
fn packer() -> io::Result<CCtx<'static>> {
    let mut packer = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
    packer.set_parameter(CParameter::CompressionLevel(LEVEL)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(packer)
}

/// The bytes of a line's end, and the line.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().take(MOST_HEADER).position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at_checked(end)?;
    Some((std::str::from_utf8(line).ok()?, rest.get(1..)?))
}

impl Snapshots {
    /// Those of a log, written with this pause after each piece.
    pub fn with(files: Arc<dyn Files>, origin: Origin, pause: Duration) -> Snapshots {
        Snapshots { files, origin, pause, good: Vec::new() }
    }

    /// The sizes of what lies there, the newest first.
    pub fn sizes(&self) -> Vec<u64> {
        let names = self.files.list(FOLDER).unwrap_or_default();
        let mut sizes: Vec<u64> =
            names.iter().filter(|name| name.len() == 20).filter_map(|name| name.parse().ok()).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    /// The start has used this one.
    pub fn use_one(&mut self, size: u64) {
        self.good = vec![size];
    }

    /// Reads one, and holds it against itself.
    pub fn read(&self, size: u64) -> Result<Snapshot, Unfit> {
        let name = name(size);
        let length = self.files.len(&name)?;
        if length > MOST_BYTES {
            return Err(Unfit::Damaged);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| Unfit::Damaged)?];
        self.files.read_at(&name, 0, &mut bytes)?;
        let (text, header) = line(&bytes).ok_or(Unfit::Damaged)?;
        // Said before anything else: of a later format nothing more is known.
        if text != FORMAT {
            return Err(if text.starts_with("fairshoe-snapshot ") { Unfit::Format } else { Unfit::Damaged });
        }
        let (content, seal) = bytes.split_last_chunk::<SEAL>().ok_or(Unfit::Damaged)?;
        if Sha256::digest(content).as_slice() != seal {
            return Err(Unfit::Damaged);
        }
        let header = header.get(..header.len().saturating_sub(SEAL)).and_then(|header| {
            let (origin, rest) = line(header)?;
            let (size, rest) = line(rest)?;
            let (root, body) = line(rest)?;
            Some((origin, size.parse::<u64>().ok()?, root.parse::<Hash>().ok()?, body))
        });
        let (origin, named, root, body) = header.ok_or(Unfit::Format)?;
        if origin != self.origin.as_str() {
            return Err(Unfit::OtherLog(origin.to_owned()));
        }
        if named != size {
            return Err(Unfit::Renamed(named));
        }
        let body: ReadBody = decode(body).map_err(|e| Unfit::Undecodable(e.to_string()))?;
        if body.state.size() != size {
            return Err(Unfit::OtherState(body.state.size()));
        }
        let edge = body.edge.iter().map(hex::decode).collect::<Result<Vec<_>, _>>().map_err(|_| Unfit::Edge)?;
        let tree = Tree::resume(size, &edge).ok().filter(|tree| tree.root() == root).ok_or(Unfit::Edge)?;
        Ok(Snapshot { tree, committed: body.committed, state: body.state })
    }

    /// Writes one, and removes those that are not needed any more. The caller has seen its entries durable and
    /// anchored.
    ///
    /// # Errors
    /// Of the file system; those that were there stay.
    pub fn write(&mut self, taken: &Taken, tree: &Tree) -> io::Result<u64> {
        let files = self.files.clone();
        files.make_dir(FOLDER)?;
        fairshoe_store::create_anew(files.as_ref(), NEW)?;
        let (pause, until) =
            if taken.is_last { (Duration::ZERO, Some(Instant::now() + STOP_TIME)) } else { (self.pause, None) };
        let mut paced = Paced {
            files: files.as_ref(),
            name: NEW,
            hash: Sha256::new(),
            waiting: Vec::with_capacity(PIECE),
            written: 0,
            pause,
            until,
        };
        write!(paced, "{FORMAT}\n{}\n{}\n{}\n", self.origin, taken.size, tree.root())?;
        let edge: Vec<String> = tree.edge().iter().map(hex::encode).collect();
        let mut packer = packer()?;
        let mut packed = BufWriter::new(zstd::Encoder::with_context(paced, &mut packer));
        // A [`ReadBody`]. The state's text is never held whole: strangers can make it tens of megabytes long.
        packed.write_all(b"{\"edge\":")?;
        serde_json::to_writer(&mut packed, &edge)?;
        packed.write_all(b",\"committed\":")?;
        serde_json::to_writer(&mut packed, &taken.committed)?;
        packed.write_all(b",\"state\":")?;
        taken.state.write_json(&mut packed)?;
        packed.write_all(b"}")?;
        let packed = packed.into_inner().map_err(io::IntoInnerError::into_error)?;
        let written = packed.finish()?.seal()?;
        let name = name(taken.size);
        files.rename(NEW, &name)?;
        files.sync_dir(FOLDER)?;
        files.sync_dir(".")?;
        self.good.retain(|size| *size != taken.size);
        self.good.push(taken.size);
        let superfluous = self.good.len().saturating_sub(SNAPSHOTS);
        self.good.drain(..superfluous);
        for size in self.sizes().into_iter().filter(|size| !self.good.contains(size)) {
            files.remove(&crate::write::snapshots::name(size))?;
        }
        Ok(written)
    }

    /// Publishes a state's lines, and removes what need not be kept. They hold what the log says, and nothing else.
    ///
    /// # Errors
    /// Of the file system.
    pub fn publish(&self, size: u64, lines: &[String]) -> io::Result<()> {
        let length = lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>();
        if length > MAX_STATE_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("its lines take {length} bytes")));
        }
        let files = self.files.as_ref();
        files.make_dir(STATES)?;
        fairshoe_store::create_anew(files, NEW_STATE)?;
        let waiting = Vec::with_capacity(PIECE);
        let paced =
            Paced { files, name: NEW_STATE, hash: Sha256::new(), waiting, written: 0, pause: self.pause, until: None };
        let mut packer = packer()?;
        let mut packed = zstd::Encoder::with_context(paced, &mut packer);
        packed.window_log(STATE_WINDOW)?;
        for line in lines {
            packed.write_all(line.as_bytes())?;
            packed.write_all(b"\n")?;
        }
        packed.finish()?.put()?;
        files.rename(NEW_STATE, &state_name(size))?;
        files.sync_dir(STATES)?;
        files.sync_dir(".")?;
        let sizes = state_sizes(files);
        let older = sizes.len().saturating_sub(PUBLISHED);
        for size in sizes.into_iter().take(older) {
            let name = state_name(size);
            if !size.is_multiple_of(spacing(files.len(&name)?)) {
                files.remove(&name)?;
            }
        }
        Ok(())
    }

    /// Writes what comes until nobody is left to send any. A failure is said, and stops nothing; nor is the last space
    /// taken, which the log needs.
    pub fn run(mut self, work: &Receiver<Durable>, low_space: &AtomicBool, named: &Named) {
        while let Ok((taken, tree)) = work.recv() {
            let lines = taken.size.is_multiple_of(STATE_INTERVAL).then(|| taken.state.lines().ok()).flatten();
            if let Some(lines) = &lines {
                let root = root_of_lines(lines.iter().map(String::as_str));
                *named.lock().unwrap_or_else(PoisonError::into_inner) = Some((taken.size, root));
            }
            if low_space.load(Ordering::Relaxed) {
                warn!(entries = taken.size, "little free space: the state is not written down");
                continue;
            }
            if let Some(failure) = lines.and_then(|lines| self.publish(taken.size, &lines).err()) {
                warn!(entries = taken.size, %failure, "the state cannot be published");
            }
            let began = Instant::now();
            let (entries, done) = (taken.size, self.write(&taken, &tree));
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            match done {
                Ok(bytes) => info!(entries, bytes, ms, "the state is written down"),
                Err(failure) => {
                    warn!(entries, ms, %failure, "the state cannot be written down; the next start replays more of the log")
                }
            }
        }
    }
}

/// Entries from one of the older published states to the next, of files of so many bytes: the larger a house's state, the
/// farther apart, so that what is kept stays smaller than the log. The smaller, the more pieces an audit has.
fn spacing(bytes: u64) -> u64 {
    bytes.div_ceil(STATE_BYTES_AN_ENTRY * STATE_INTERVAL).max(1).next_power_of_two() * STATE_INTERVAL
}

fn decode(body: &[u8]) -> io::Result<ReadBody> {
    let plain = zstd::Decoder::with_buffer(body)?;
    Ok(serde_json::from_reader(BufReader::with_capacity(PIECE, plain))?)
}

/// A file that is written and synced a piece at a time.
struct Paced<'f> {
    files: &'f dyn Files,
    name: &'static str,
    hash: Sha256,
    waiting: Vec<u8>,
    written: u64,
    pause: Duration,
    until: Option<Instant>,
}

impl Paced<'_> {
    fn put(&mut self) -> io::Result<()> {
        if self.until.is_some_and(|until| Instant::now() > until) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it takes too long for a stop"));
        }
        self.files.append(self.name, &self.waiting)?;
        self.files.sync(self.name)?;
        self.written = self.written.saturating_add(self.waiting.len() as u64);
        self.waiting.clear();
        std::thread::sleep(self.pause);
        Ok(())
    }

    /// Ends the file with the hash of all that it has; its length.
    fn seal(mut self) -> io::Result<u64> {
        let seal = self.hash.clone().finalize();
        self.waiting.extend(seal);
        self.put()?;
        Ok(self.written)
    }
}

impl Write for Paced<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.put()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_fairness::{Epoch, Master, PlayerId};
    use fairshoe_house::{Actor, Command, SeedDealer, Software};
    use fairshoe_store::DiskFiles;
    use fairshoe_tlog::leaf_hash;
    use std::path::Path;

    const ORIGIN: &str = "example.com/log";

    /// A log of a start and so many players, folded.
    fn folded(players: u64) -> (State, Tree) {
        let (mut state, mut tree) = (State::new(), Tree::new());
        let master = Master::from_bytes([7; 32]);
        let (master_id, dealer) = (master.id(), SeedDealer::new(master));
        let (origin, software) = (Origin::parse(ORIGIN).unwrap(), Software::parse("test 1").unwrap());
        let start = Command::StartDealer { origin, epoch: Epoch::from_bytes([1; 32]), master_id, software };
        let player =
            |number| Command::CreatePlayer { player: PlayerId::parse(&format!("p{number}")).unwrap(), key: None };
        let players = (1..players).map(|number| (Actor::Operator, player(number)));
        for (by, command) in [(Actor::House, start)].into_iter().chain(players) {
            let entry = state.decide(&dealer, 1_700_000_000_000, &by, &command).unwrap();
            state.apply(&entry).unwrap();
            tree.append(leaf_hash(&entry.encode().unwrap()));
        }
        (state, tree)
    }

    fn snapshots(dir: &Path, origin: &str) -> Snapshots {
        Snapshots::with(Arc::new(DiskFiles::at(dir)), Origin::parse(origin).unwrap(), Duration::ZERO)
    }

    fn write(to: &mut Snapshots, players: u64) -> Tree {
        let (state, tree) = folded(players);
        let taken = Turns::new(1, 0).take(players, false, &state, &CommittedAt::default()).unwrap();
        to.write(&taken, &tree).unwrap();
        tree
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = snapshots(folder.path(), ORIGIN);
        assert!(all.sizes().is_empty() && matches!(all.read(300), Err(Unfit::Io(_))));
        let tree = write(&mut all, 300);
        assert_eq!(all.sizes(), [300]);
        let read = all.read(300).unwrap();
        assert_eq!((read.tree.size(), read.tree.root()), (300, tree.root()));
        assert_eq!(serde_json::to_vec(&read.state).unwrap(), serde_json::to_vec(&folded(300).0).unwrap());

        let path = folder.path().join(name(300));
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bytes).unwrap();
            assert!(matches!(all.read(300), Err(Unfit::Damaged | Unfit::Format)), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(matches!(all.read(300), Err(Unfit::Damaged)), "the first {at} bytes");
        }
        // Whole, and not what is wanted.
        let sealed = |content: &str| [content.as_bytes(), Sha256::digest(content).as_slice()].concat();
        let root = tree.root();
        let cases = [
            ("fairshoe-snapshot 1000\nwhatever a later one has".to_owned(), "another format"),
            (format!("{FORMAT}\nexample.com/other\n300\n{root}\n"), "another log"),
            (format!("{FORMAT}\n{ORIGIN}\n299\n{root}\n"), "its name"),
            (format!("{FORMAT}\n{ORIGIN}\n300\n"), "another format"),
            (format!("{FORMAT}\n{ORIGIN}\n300\n{root}\nno zstd"), "cannot be decoded"),
        ];
        for (content, words) in cases {
            std::fs::write(&path, sealed(&content)).unwrap();
            let why = all.read(300).err().unwrap().to_string();
            assert!(why.contains(words), "{content}: {why}");
        }
        let header = format!("{FORMAT}\n{ORIGIN}\n300\n{root}\n");
        let (content, _) = whole.split_at(whole.len() - SEAL);
        let other_root = String::from_utf8_lossy(&content[..header.len()])
            .replace(&root.to_string(), &Tree::new().root().to_string());
        let content = [other_root.as_bytes(), &content[header.len()..]].concat();
        std::fs::write(&path, [&content[..], Sha256::digest(&content).as_slice()].concat()).unwrap();
        assert!(matches!(all.read(300), Err(Unfit::Edge)));
        std::fs::write(&path, &whole).unwrap();
        assert!(matches!(snapshots(folder.path(), "example.com/other").read(300), Err(Unfit::OtherLog(_))));
        assert!(all.read(300).is_ok());
    }

    #[test]
    fn a_state_is_published_and_older_ones_are_thinned() {
        use std::io::Read as _;
        let folder = tempfile::tempdir().unwrap();
        let (all, files) = (snapshots(folder.path(), ORIGIN), DiskFiles::at(folder.path()));
        let lines = folded(300).0.lines().unwrap();
        let kept = || -> Vec<u64> { state_sizes(&files).into_iter().map(|size| size / STATE_INTERVAL).collect() };
        // 1.3 MB that nothing makes smaller: more than three intervals' worth, so every fourth stays.
        let large: Vec<String> =
            (0..40_960).map(|nth: u32| hex::encode(&Sha256::digest(nth.to_be_bytes())[..])).collect();
        for number in 1..=80 {
            all.publish(number * STATE_INTERVAL, if number <= 40 { &large } else { &lines }).unwrap();
        }
        assert_eq!(kept(), [vec![4, 8, 12, 16], (17..=80).collect()].concat());
        for number in 81..=110 {
            all.publish(number * STATE_INTERVAL, &lines).unwrap();
        }
        let apart = (1..=10).map(|nth| nth * 4).collect();
        assert_eq!(kept(), [apart, (41..=110).collect::<Vec<_>>()].concat(), "small ones stay");
        let mut text = String::new();
        let read = fairshoe_store::read_state(Arc::new(files), 80 * STATE_INTERVAL).unwrap();
        read.unwrap().read_to_string(&mut text).unwrap();
        assert!(text.ends_with('\n') && text.lines().eq(lines.iter().map(String::as_str)));
    }

    #[test]
    fn the_newest_two_are_kept_and_what_a_start_did_not_use_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = snapshots(folder.path(), ORIGIN);
        std::fs::create_dir(folder.path().join(FOLDER)).unwrap();
        std::fs::write(folder.path().join(NEW), b"half of one").unwrap();
        [3, 5, 9].into_iter().for_each(|size| drop(write(&mut all, size)));
        assert_eq!(all.sizes(), [9, 5]);
        assert!(!folder.path().join(NEW).exists());
        let mut next = snapshots(folder.path(), ORIGIN);
        next.use_one(5);
        write(&mut next, 7);
        assert_eq!(next.sizes(), [7, 5], "9 was not used");
        write(&mut next, 7);
        assert_eq!(next.sizes(), [7, 5], "the same again");
    }

    #[test]
    fn one_is_taken_every_so_many_entries_one_at_a_time_and_one_at_the_end() {
        let (state, committed) = (State::new(), CommittedAt::default());
        let mut turns = Turns::new(10, 100);
        assert!(turns.take(109, false, &state, &committed).is_none());
        let first = turns.take(110, false, &state, &committed).unwrap();
        assert!(turns.take(140, false, &state, &committed).is_none(), "the one before is not written yet");
        let last = turns.take(141, true, &state, &committed);
        assert!(last.is_some_and(|last| last.size == 141));
        drop(first);
        assert!(turns.take(149, false, &state, &committed).is_none());
        assert!(turns.take(150, false, &state, &committed).is_some(), "at the multiple itself, which the log may name");
        assert!(turns.take(151, false, &state, &committed).is_none());
        assert!(turns.is_worth_a_name(151, 150) && !turns.is_worth_a_name(150, 150));
        let mut never = Turns::new(0, 0);
        assert!(
            never.take(1 << 40, false, &state, &committed).is_none()
                && never.take(1 << 40, true, &state, &committed).is_none()
        );
    }
}
