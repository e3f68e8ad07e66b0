//! From an opened store to a house that may serve: replay, check against what was signed, begin a new epoch.
//!
//! Owns: what stands on the log in memory, built from the log. Does not own: files, keys on disk, threads, the clock
//! ([`crate::ops::startup`]); a simulator builds the same on a store and a clock of its own.

use crate::cluster::Cluster;
use crate::ops::directory::Directory;
use crate::ops::keys::Keys;
use crate::ops::metrics::Metrics;
use crate::ops::startup::StartError;
use crate::ops::tokens::Tokens;
use crate::read::archive::Archive;
use crate::read::followers::Followers;
use crate::read::index::Index;
use crate::wallet::Desk;
use crate::write::committed::CommittedAt;
use crate::write::dealer::CachingDealer;
use crate::write::durable::{ReadLog, WriteLog, least_space};
use crate::write::evidence::{Arrivals, Evidence};
use crate::write::own_time::{self, OwnTime};
use crate::write::pipeline::{Committer, FreshEpoch, House, Pending, Quota, Reach, Written, now_ms, start_dealer};
use crate::write::published::{OpenTables, Published, Tiles};
use crate::write::refusals::RefusedStart;
use crate::write::snapshots::{Durable, Snapshot, Snapshots, Turns, Unfit};
use fairshoe_fairness::{Origin, TableId};
use fairshoe_games::RuleSet;
use fairshoe_house::{Actor, Command, Entry, Refusal, ShoeId, State, is_for_play};
use fairshoe_store::{Anchored, Files, StoreError};
use fairshoe_tlog::{Hash, Signer, Tree, VerifierKey, leaf_hash, verify_checkpoint};
use std::fmt::Display;
use std::iter;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tracing::{info, warn};
use zeroize::Zeroizing;

/// Entries that a start decides before it makes them durable.
const START_BATCH: usize = 128;

/// Entries from one word of progress to the next: a part of those between two states that the log may name.
const TOLD: u64 = 4096;

/// The log folded, from its start or from a snapshot.
struct Replayed {
    state: State,
    committed: CommittedAt,
    tree: Tree,
    /// The root at the anchored size.
    anchored_root: Option<Hash>,
    /// The state of the snapshot that it began from, as long as the log may still name it.
    snapshot: Option<State>,
}

/// Why a replay did not come to the log's end.
enum Broken {
    Store(StoreError),
    Entry { index: u64, what: String },
}

impl Replayed {
    fn from(state: State, committed: CommittedAt, tree: Tree) -> Replayed {
        let snapshot = Some(state.clone()).filter(|state| state.size() > 0);
        Replayed { state, committed, tree, anchored_root: None, snapshot }
    }

    /// Folds the rest of the log in; `progress` is shown the state after every [`TOLD`] entries.
    fn go_on(
        mut self,
        reader: &dyn ReadLog,
        tiles: &Tiles,
        anchored: u64,
        progress: &mut dyn FnMut(&State),
    ) -> Result<Replayed, Broken> {
        let mut failure = None;
        self.note_anchor(anchored);
        let read =
            reader.read(self.tree.size()..reader.size(), &mut |index, bytes| match self.take_in(tiles, index, bytes) {
                Ok(()) => {
                    self.note_anchor(anchored);
                    if self.state.size().is_multiple_of(TOLD) {
                        progress(&self.state);
                    }
                    ControlFlow::Continue(())
                }
                Err(what) => {
                    failure = Some(Broken::Entry { index, what });
                    ControlFlow::Break(())
                }
            });
        read.map_err(Broken::Store)?;
        failure.map_or(Ok(self), Err)
    }

    fn note_anchor(&mut self, anchored: u64) {
        if self.tree.size() == anchored {
            self.anchored_root = Some(self.tree.root());
        }
    }

    fn take_in(&mut self, tiles: &Tiles, index: u64, bytes: &[u8]) -> Result<(), String> {
        for tile in self.tree.append(leaf_hash(bytes)) {
            tiles.keep(tile.level, tile.index, tile.nodes);
        }
        let entry = Entry::decode(bytes).map_err(|e| e.to_string())?;
        self.hold_against_name(&entry)?;
        self.state.apply(&entry).map_err(|e| e.to_string())?;
        self.committed.note(index, &entry);
        Ok(())
    }

    /// Where the log names the state that the replay began with, it must be the one (spec/state.md).
    fn hold_against_name(&mut self, entry: &Entry) -> Result<(), String> {
        let Command::NoteState { size, root } = &entry.command else { return Ok(()) };
        let Some(state) = self.snapshot.take_if(|state| state.size() == *size) else { return Ok(()) };
        let own = state.root().map_err(|e| e.to_string())?;
        if own == *root {
            Ok(())
        } else {
            Err(format!("the log names the state after {size} entries {root}, the snapshot's is {own}"))
        }
    }
}

/// The log folded from the newest snapshot that fits, or from its start; and what became of each snapshot that was
/// looked at.
fn replay(
    reader: &dyn ReadLog,
    tiles: &Tiles,
    signed: &Signed,
    snapshots: &Snapshots,
) -> Result<(Replayed, Began), StartError> {
    let mut began = Began::default();
    for size in snapshots.sizes() {
        match replay_from(reader, tiles, signed, snapshots, size) {
            Ok(Ok(replayed)) => {
                began.from = size;
                return Ok((replayed, began));
            }
            Ok(Err(why)) => {
                warn!(entries = size, %why, "this snapshot is not used; the one before it is looked at, or the whole log is read");
                began.unfit.push((size, why));
                tiles.forget();
            }
            Err(failure) => return Err(failure.into()),
        }
    }
    Ok((replay_whole(reader, tiles, signed, &mut |_| {})?, began))
}

/// The whole log folded, and held against what was signed.
fn replay_whole(
    reader: &dyn ReadLog,
    tiles: &Tiles,
    signed: &Signed,
    progress: &mut dyn FnMut(&State),
) -> Result<Replayed, StartError> {
    let whole = Replayed::from(State::new(), CommittedAt::default(), Tree::new());
    match whole.go_on(reader, tiles, signed.size, progress) {
        Ok(replayed) => check_anchor(signed, &replayed).map(|()| replayed),
        Err(Broken::Store(failure)) => Err(failure.into()),
        Err(Broken::Entry { index, what }) => Err(StartError::refuse(
            "an entry cannot be replayed",
            format!(
                "entry {index} cannot be replayed: {what}. The log is damaged or was written by another version. Do not serve from this \
                 folder; keep a copy as evidence and begin a new log, of another name, in an empty folder"
            ),
        )),
    }
}

/// Folds a whole log that no service writes to, and holds it against its anchor; its tree. `progress` is shown the
/// state after each multiple of some thousand entries.
///
/// # Errors
/// Refuses what a start refuses.
pub(crate) fn fold(
    reader: &dyn ReadLog,
    tiles: &Tiles,
    anchored: &Anchored,
    key: &VerifierKey,
    progress: &mut dyn FnMut(&State),
) -> Result<Tree, StartError> {
    Ok(replay_whole(reader, tiles, &signed_root(anchored, key)?, progress)?.tree)
}

/// The same from one snapshot. That the log leads from its root to the one that was signed shows that it is of this
/// log: the state before it was folded from entries with that very root.
fn replay_from(
    reader: &dyn ReadLog,
    tiles: &Tiles,
    signed: &Signed,
    snapshots: &Snapshots,
    size: u64,
) -> Result<Result<Replayed, Unfit>, StoreError> {
    if size > reader.size() {
        return Ok(Err(Unfit::BeyondLog { size, log: reader.size() }));
    }
    // Its root could be held against nothing that was signed.
    if size > signed.size {
        return Ok(Err(Unfit::BeyondAnchor { size, anchored: signed.size }));
    }
    let Snapshot { tree, committed, state } = match snapshots.read(size) {
        Ok(snapshot) => snapshot,
        Err(why) => return Ok(Err(why)),
    };
    match Replayed::from(state, committed, tree).go_on(reader, tiles, signed.size, &mut |_| {}) {
        Ok(replayed) if replayed.anchored_root == Some(signed.root) => Ok(Ok(replayed)),
        Ok(_) => Ok(Err(Unfit::OtherRoot)),
        Err(Broken::Entry { index, what }) => Ok(Err(Unfit::DoesNotFollow { index, what })),
        Err(Broken::Store(failure)) => Err(failure),
    }
}

/// How long the log was when it was signed last, and the root of its tree then.
struct Signed {
    size: u64,
    root: Hash,
}

fn not_signed(what: impl Display) -> StartError {
    let what = format!(
        "{what}. Do not serve from this folder; keep a copy as evidence and begin a new log, of another name, in an empty folder"
    );
    StartError::refuse("the log is not the one that was signed", what)
}

/// The anchored checkpoint, whose signature must be this log's.
fn signed_root(anchored: &Anchored, key: &VerifierKey) -> Result<Signed, StartError> {
    if anchored.size == 0 {
        return Ok(Signed { size: 0, root: Tree::new().root() });
    }
    let note = std::str::from_utf8(&anchored.note).map_err(|_| not_signed("the anchor's checkpoint is not text"))?;
    let checkpoint = verify_checkpoint(note, key).map_err(|e| {
        not_signed(format!(
            "the anchor's checkpoint is not signed by this folder's log key ({e}): the key or the anchor was changed"
        ))
    })?;
    if checkpoint.size != anchored.size {
        return Err(not_signed(format!(
            "the anchor says {} entries, and its checkpoint {}",
            anchored.size, checkpoint.size
        )));
    }
    Ok(Signed { size: anchored.size, root: checkpoint.root })
}

/// The bytes must be those that were signed.
fn check_anchor(signed: &Signed, replayed: &Replayed) -> Result<(), StartError> {
    if replayed.anchored_root == Some(signed.root) {
        return Ok(());
    }
    Err(not_signed(format!(
        "the log's first {} entries are not those that were signed: an entry was changed, or the store lost one",
        signed.size
    )))
}

/// Where a start began to read the log.
#[derive(Debug, Default)]
pub struct Began {
    /// The size of the snapshot that it began from; zero: from the log's start.
    pub from: u64,
    /// Snapshots that it did not use, by size, and why.
    pub unfit: Vec<(u64, Unfit)>,
}

/// The index, as far as it is of use, brought up to the log's end.
fn open_index(
    folder: &Path,
    origin: &Origin,
    tree: &Tree,
    tiles: &Tiles,
    reader: &dyn ReadLog,
) -> Result<Index, StartError> {
    let refuse = |e: &dyn std::fmt::Display| {
        StartError::refuse(
            "the index cannot be made",
            format!("{}: {e}. Make room, or remove the folder", folder.display()),
        )
    };
    let root_at = |size: u64| tree.root_at(size, tiles).ok().map(|root| root.to_string());
    let (index, size) = Index::open(folder, origin, root_at).map_err(|e| refuse(&e))?;
    info!(entries = size, behind = reader.size().saturating_sub(size), "the index is open");
    index.catch_up(reader, root_at).map_err(|e| refuse(&e))?;
    Ok(index)
}

/// What the operator allows.
pub struct Bounds {
    /// Free space below which no new round begins, in bytes.
    pub min_free_bytes: u64,
    /// Entries an hour that a player may make beside play.
    pub player_entries: u32,
    /// How many bytes of the log in an hour; zero: no limit.
    pub player_bytes: u64,
    /// Refusals and choices a second that are signed for one sender.
    pub signed_notes: NonZeroU32,
    /// Entries from one snapshot to the next; zero: none is taken.
    pub snapshot_entries: u64,
}

/// Where caches of the log lie: what is in them can be made again from it.
pub struct Folders {
    /// The index's.
    pub index: PathBuf,
    /// Of the folder that holds that of the snapshots.
    pub snapshots: Arc<dyn Files>,
    /// Between the pieces of a snapshot that is written.
    pub pause: Duration,
}

/// Everything that stands on the store, before any thread.
pub struct Recovered {
    pub house: House,
    pub committer: Committer,
    pub pending: Arc<Pending>,
    pub archive: Archive,
    pub open_tables: Arc<OpenTables>,
    pub followers: Arc<Followers>,
    pub desk: Arc<Desk>,
    pub tokens: Arc<Tokens>,
    pub metrics: Arc<Metrics>,
    pub low_space: Arc<AtomicBool>,
    pub verifier_key: VerifierKey,
    /// The seed of the log's key.
    pub log_seed: Zeroizing<[u8; 32]>,
    pub evidence: Evidence,
    /// Shoes that the dealer wants derived ahead.
    pub ahead: Receiver<(ShoeId, u8)>,
    /// Where the start began to read.
    pub began: Began,
    /// What is to write snapshots, and what is to be written.
    pub snapshots: Snapshots,
    pub to_write: Receiver<Durable>,
}

fn refuse_key(e: &dyn std::fmt::Display) -> StartError {
    StartError::refuse("the log key cannot be used", format!("the log key: {e}"))
}

impl Recovered {
    /// What signs the log's own times; of a node, with what it knows of its lead.
    ///
    /// # Errors
    /// As [`Recovered::new`], of the log's key.
    pub fn own_time(&self, cluster: Option<Arc<Cluster>>) -> Result<OwnTime, StartError> {
        let signer = Signer::new(self.evidence.origin().as_str(), &self.log_seed).map_err(|e| refuse_key(&e))?;
        if cluster.is_some() {
            self.pending.reach.signable_until.store(u64::MAX, Ordering::SeqCst);
        }
        let (pending, arrivals) = (self.pending.clone(), self.house.arrivals.clone());
        Ok(OwnTime::new(signer, pending, arrivals, cluster, self.archive.published.clone()))
    }

    /// Replays a store that was opened, from its newest snapshot that fits, holds it against its anchor, and anchors
    /// what a crash left beyond it.
    ///
    /// # Errors
    /// Refuses a log that is not the one that was signed, or cannot be replayed.
    pub fn new(
        reader: Arc<dyn ReadLog>,
        store: Arc<dyn WriteLog>,
        anchored: &Anchored,
        keys: Keys,
        folders: Folders,
        bounds: &Bounds,
        fresh_epoch: FreshEpoch,
    ) -> Result<Self, StartError> {
        let signer = |keys: &Keys| Signer::new(&keys.origin, &keys.log_seed).map_err(|e| refuse_key(&e));
        let log_seed = keys.log_seed.clone();
        let (signer, for_notes) = (signer(&keys)?, signer(&keys)?);
        let verifier_key = signer.verifier_key().clone();
        let arrivals = Arc::new(Arrivals::default());
        let origin = Origin::parse(&keys.origin).map_err(|e| refuse_key(&e))?;
        let evidence = Evidence::new(origin, for_notes, arrivals.clone(), bounds.signed_notes);

        let tiles = Arc::new(Tiles::new(reader.clone()));
        let signed = signed_root(anchored, &verifier_key)?;
        let mut snapshots = Snapshots::with(folders.snapshots, evidence.origin().clone(), folders.pause);
        let (replayed, began) = replay(reader.as_ref(), &tiles, &signed, &snapshots)?;
        tiles.grown(&replayed.tree);
        if began.from > 0 {
            snapshots.use_one(began.from);
        }
        info!(entries = reader.size(), from = began.from, anchored = anchored.size, origin = %keys.origin, "the log is replayed");

        let tokens = Arc::new(Tokens::load(keys.operator_token_hash, reader.as_ref())?);
        let metrics = Arc::new(Metrics::new());
        let free = store.free_space()?;
        metrics.set_space(free);
        let low_space = Arc::new(AtomicBool::new(free.is_less_than(least_space(bounds.min_free_bytes))));
        let pending = Arc::new(Pending::default());
        if let Some(until) = Reach::signable_in(&anchored.note) {
            pending.reach.signable_until.store(until, Ordering::SeqCst);
            own_time::hold(&arrivals, until);
            if arrivals.dated_from() > now_ms() {
                warn!(
                    until,
                    now = now_ms() / 1_000,
                    "the clock was ahead, and the log said so: what comes is dated ahead until then (seconds since 1970)"
                );
            }
        }
        let (dealer, ahead) = CachingDealer::new(keys.master);
        let checkpoint = signer.sign_checkpoint(replayed.tree.size(), replayed.tree.root());
        if reader.size() > anchored.size {
            // The last append before a crash was durable and nobody was told; from here on it is under a checkpoint.
            store.write_anchor(reader.size(), pending.reach.anchored(&checkpoint).as_bytes())?;
        }
        let published = Arc::new(RwLock::new(Arc::new(Published { tree: replayed.tree.clone(), checkpoint })));
        let index = Arc::new(open_index(&folders.index, evidence.origin(), &replayed.tree, &tiles, reader.as_ref())?);
        let open_tables = Arc::new(OpenTables::default());
        let directory = Arc::new(Directory::of(&replayed.state));
        let followers = Arc::new(Followers::default());
        let desk = Arc::new(Desk::new(&replayed.state));
        let (durable, to_write) = channel();
        let committer = Committer {
            store,
            order: None,
            reach: pending.reach.clone(),
            tree: replayed.tree,
            signer,
            tiles: tiles.clone(),
            tokens: tokens.clone(),
            index: index.clone(),
            published: published.clone(),
            open_tables: open_tables.clone(),
            directory: directory.clone(),
            followers: followers.clone(),
            desk: desk.clone(),
            snapshots: durable,
            metrics: metrics.clone(),
            low_space: low_space.clone(),
            min_free_bytes: bounds.min_free_bytes,
        };
        let (log, waiting) = (reader.clone(), pending.clone());
        let mut house =
            House::new(replayed.state, dealer.clone(), waiting, log, tokens.clone(), low_space.clone(), fresh_epoch);
        // Nothing that comes now bears a time before the log's end, however the clock was put while the service was
        // down.
        arrivals.log_is_at(house.state.last_time());
        house.arrivals = arrivals;
        house.quota = Quota::new(bounds.player_entries);
        house.written = Written::new(bounds.player_bytes);
        house.committed = replayed.committed;
        house.snapshots = Turns::new(bounds.snapshot_entries, began.from);
        let archive = Archive { reader, tiles, index, published, dealer, directory };
        Ok(Recovered {
            house,
            committer,
            pending,
            archive,
            open_tables,
            followers,
            desk,
            tokens,
            metrics,
            low_space,
            verifier_key,
            log_seed,
            evidence,
            ahead,
            began,
            snapshots,
            to_write,
        })
    }

    /// [`begin_epoch`] for a process alone.
    ///
    /// # Errors
    /// As it.
    pub fn begin_epoch(&mut self, beginning: Beginning, now: u64) -> Result<(), StartError> {
        let Recovered { house, committer, archive, evidence, .. } = self;
        begin_epoch(house, committer, archive, evidence.origin(), beginning, now)
    }

    /// Gives commands before any thread runs, and does what is due after them; all durable on return.
    ///
    /// # Errors
    /// The first refusal.
    pub fn give(&mut self, commands: impl Iterator<Item = (Actor, Command)>, now: u64) -> Result<(), StartError> {
        let Recovered { house, committer, .. } = self;
        let refuse = |command: &Command, what: String| {
            StartError::refuse("a command is refused", format!("{command:?}: {what}"))
        };
        let mut given = commands;
        let mut batch = Vec::new();
        while let Some((by, command)) = given.next().or_else(|| house.state.due(now)) {
            match house.decide(now, &by, &command) {
                Ok(Ok((decided, _))) => batch.push(decided),
                Ok(Err(refusal)) => return Err(refuse(&command, refusal.to_string())),
                Err(fatal) => return Err(refuse(&command, fatal.0)),
            }
            if batch.len() >= START_BATCH {
                committer.commit(std::mem::take(&mut batch))?;
            }
        }
        committer.commit(batch)?;
        Ok(())
    }
}

/// What a start puts on the log beside itself.
#[derive(Default)]
pub struct Beginning {
    /// Tables that are opened, each with a shipped rule set.
    pub tables: &'static [&'static str],
    /// Of each of these one for play chips, unless there was one.
    pub for_play: &'static [&'static str],
    /// Starts before it that were refused.
    pub refused: Vec<RefusedStart>,
}

/// Logs the start, deals with every open round by its table's policy, and commits new shoes; all durable on return.
///
/// # Errors
/// Refuses another master key or name than the log's; nothing was said to anybody.
pub fn begin_epoch(
    house: &mut House,
    committer: &mut Committer,
    archive: &Archive,
    origin: &Origin,
    beginning: Beginning,
    now: u64,
) -> Result<(), StartError> {
    let Beginning { tables, for_play, refused } = beginning;
    // Those of an earlier start that ended before it could empty its file are on the log already.
    let noted = archive.index.totals().refused_at;
    let refused = refused.into_iter().filter(|refused| noted.is_none_or(|noted| refused.time > noted));
    let refuse = |what: String| StartError::refuse("the dealer cannot start", what);
    let epoch = (house.fresh_epoch)().map_err(refuse)?;
    let start = start_dealer(origin.clone(), epoch, &house.dealer).map_err(refuse)?;
    // A clock that was set back must not stand in the way of a start.
    let note = |refused: RefusedStart| Command::NoteRefusedStart { at: refused.time.min(now), reason: refused.reason };
    let mut first = iter::once(start).chain(refused.map(note)).map(|command| (Actor::House, command));
    let mut openings = Vec::new();
    let named = tables.iter().map(|name| (format!("{name}-1"), name));
    let for_play = for_play.iter().map(|name| (format!("play.{name}-1"), name));
    for (table, name) in named.chain(for_play) {
        let table = TableId::parse(&table).map_err(|e| refuse(e.to_string()))?;
        if is_for_play(&table) && house.state.table_was_used(&table) {
            continue;
        }
        let rules =
            RuleSet::shipped(name).ok_or_else(|| refuse(format!("the shipped rule set {name} is not valid")))?;
        openings.push((Actor::Operator, Command::OpenTable { table, rules, replaces: None }));
    }
    let mut batch = Vec::new();
    let decide = |house: &mut House, by: &Actor, command: &Command| match house.decide(now, by, command) {
        Ok(Ok((decided, _))) => Ok(decided),
        Ok(Err(refusal @ Refusal::WrongStart(_))) => {
            Err(StartError::refuse("another master key or log name", refusal.to_string()))
        }
        Ok(Err(refusal)) => Err(refuse(refusal.to_string())),
        Err(fatal) => Err(refuse(fatal.0)),
    };
    // What is due goes before tables are opened: first of all each table is put in order (spec/recovery.md).
    let mut openings = openings.into_iter();
    while let Some((by, command)) = first.next().or_else(|| house.state.due(now)).or_else(|| openings.next()) {
        batch.push(decide(house, &by, &command)?);
        if batch.len() >= START_BATCH {
            committer.commit(std::mem::take(&mut batch))?;
        }
    }
    committer.commit(batch)?;
    house.wake(now);
    Ok(())
}
