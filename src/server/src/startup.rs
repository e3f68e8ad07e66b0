//! From a folder to a running service: open, check against what was signed, replay, recover, begin a new epoch.

use crate::config::Config;
use crate::dealer::{CachingDealer, prepare_ahead};
use crate::evidence::{Arrivals, Evidence};
use crate::followers::Followers;
use crate::history::LongHistories;
use crate::index::Index;
use crate::keys::{self, Keys};
use crate::lanes::Lanes;
use crate::metrics::Metrics;
use crate::pipeline::{Committer, House, Job, Pending, QUEUE, Queue, Quota, now_ms, start_dealer};
use crate::published::{OpenTables, Published, Tiles};
use crate::refusals::{self, RefusedStart};
use crate::tokens::Tokens;
use crate::witnesses::{Contact, Witnesses};
use fairshoe_fairness::{Origin, TableId};
use fairshoe_games::RuleSet;
use fairshoe_house::{Actor, Command, Entry, Event, Refusal, State};
use fairshoe_store::{Anchored, Reader, Store, StoreError};
use fairshoe_tlog::{Hash, Signer, Tree, VerifierKey, leaf_hash, verify_checkpoint};
use std::fs::{self, File, TryLockError};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use thiserror::Error;
use tracing::{info, warn};

/// Why the service does not start, and what to do.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("{failure}. What to do: {}", failure.advice())]
    Store { failure: StoreError },
    #[error("{0}")]
    Keys(#[from] keys::KeyError),
    #[error("{what}")]
    Refuse { label: &'static str, what: String },
}

impl StartError {
    /// A refusal with its label, which may go on the public log, and what is said to the operator.
    pub fn refuse(label: &'static str, what: impl Into<String>) -> Self {
        StartError::Refuse { label, what: what.into() }
    }

    /// Why, in a few words that name no path and no secret (see [`crate::refusals`]).
    pub fn label(&self) -> &'static str {
        use StoreError as S;
        match self {
            StartError::Refuse { label, .. } => label,
            StartError::Keys(_) => "the keys cannot be used",
            StartError::Store { failure } => match failure {
                S::Locked { .. } => "the folder is in use by a running service",
                S::NotAStore { .. } | S::Missing { .. } | S::Unfinished { .. } | S::Exists { .. } => "a part of the store is missing",
                S::Version { .. } => "another version of the store",
                S::Damaged { .. } | S::Gapped { .. } | S::Overlap { .. } | S::MetaDamaged { .. } => "the store is damaged",
                S::Empty { .. } | S::BehindAnchor { .. } => "the log is shorter than what was acknowledged",
                S::AnchorStale { .. } | S::AnchorDamaged { .. } => "the anchor does not fit the log",
                S::DiskFull { .. } => "the disk is full",
                S::NoTrueSync => "the sync filter is not in place",
                S::Io { .. } | S::Stopped { .. } => "the file system failed",
                S::Unanchored { .. } | S::SizeMismatch { .. } | S::Limit { .. } | S::NothingToAppend | S::BeyondEnd { .. } => {
                    "the store was used wrongly"
                }
            },
        }
    }
}

impl From<StoreError> for StartError {
    fn from(failure: StoreError) -> Self {
        StartError::Store { failure }
    }
}

/// What the HTTP side works with.
pub struct Running {
    pub queue: Queue,
    pub reader: Reader,
    pub tiles: Arc<Tiles>,
    pub index: Arc<RwLock<Index>>,
    pub published: Arc<RwLock<Arc<Published>>>,
    pub open_tables: Arc<OpenTables>,
    pub followers: Arc<Followers>,
    pub tokens: Arc<Tokens>,
    pub dealer: Arc<CachingDealer>,
    pub metrics: Arc<Metrics>,
    /// Threads for what reads much of the log.
    pub lanes: Lanes,
    pub long_histories: LongHistories,
    pub witnesses: Option<Arc<Witnesses>>,
    pub low_space: Arc<AtomicBool>,
    pub verifier_key: VerifierKey,
    pub evidence: Evidence,
    pub started_at: u64,
    pub threads: Vec<JoinHandle<()>>,
}

/// The tables that a first start opens for everyone to try: one of each game.
pub const FIRST_TABLES: &[(&str, &str)] = &[
    ("joy-1", "joy"),
    ("live-blackjack-1", "live-blackjack"),
    ("six-deck-1", "six-deck"),
    ("study-group-1", "study-group"),
    ("baccarat-1", "baccarat"),
    ("roulette-1", "roulette"),
    ("safe-1", "safe"),
    ("holdem-1", "holdem"),
    ("omaha-1", "omaha"),
];

/// Marks a folder whose first start is not finished: nothing in it was ever acknowledged.
pub const SETUP_MARK: &str = "first-start";

/// The folder's parts, opened and checked.
struct Opened {
    store: Store,
    anchored: Anchored,
    keys: Keys,
    /// Of a first start: its mark, which nobody else may hold.
    first_start: Option<File>,
}

/// Opens the folder, or makes it on the first start.
fn open_folder(config: &Config) -> Result<Opened, StartError> {
    let data = &config.data;
    keys::make_private_dir(data)?;
    if let Some(mark) = take_mark(data)? {
        clear_unfinished(data).map_err(|e| refuse_path(data, &e))?;
        keys::create(data, config.origin.as_deref())?;
        let store = Store::create(data)?;
        let anchored = store.anchored();
        return Ok(Opened { store, anchored, keys: keys::load(data)?, first_start: Some(mark) });
    }
    if !keys::secrets_dir(data).exists() {
        return Err(StartError::refuse(
            "the secrets are missing",
            format!(
                "{} has no secrets/ folder: without the master key open rounds cannot be finished and without the log key \
             nothing can be signed. Restore secrets/ from your backup, or choose an empty folder for a new log",
                data.display()
            ),
        ));
    }
    let keys = keys::load(data)?;
    let (store, anchored) = Store::open(data)?;
    Ok(Opened { store, anchored, keys, first_start: None })
}

fn refuse_path(path: &Path, error: &std::io::Error) -> StartError {
    StartError::refuse("the file system failed", format!("{}: {error}", path.display()))
}

/// Marks a new folder, or takes over the mark of a first start that was interrupted; `None` for any other folder.
/// The mark is locked: else a second process would take a first start under way for an interrupted one and clear it.
fn take_mark(data: &Path) -> Result<Option<File>, StartError> {
    let path = data.join(SETUP_MARK);
    let refuse = |e: std::io::Error| refuse_path(&path, &e);
    let mut names = fs::read_dir(data).map_err(refuse)?.filter_map(|entry| entry.ok().map(|e| e.file_name()));
    let is_vacant = !names.any(|name| name != "lost+found");
    if is_vacant {
        keys::write_private(&path, b"The first start is not finished. Nothing in this folder was acknowledged to anybody.\n")?;
    } else if path.exists() {
        info!(folder = %data.display(), "the first start was interrupted; beginning it again");
    } else {
        return Ok(None);
    }
    let mark = File::open(&path).map_err(refuse)?;
    match mark.try_lock() {
        // Whoever held it may have finished and removed it since it was seen here.
        Ok(()) if path.exists() => Ok(Some(mark)),
        Ok(()) | Err(TryLockError::WouldBlock) => Err(StartError::refuse(
            "another process makes its first start",
            format!(
                "another process is making its first start in {}: wait for it and use its address, or choose another folder",
                data.display()
            ),
        )),
        Err(TryLockError::Error(error)) => Err(refuse(error)),
    }
}

/// Ends the first start. Durable before anything is acknowledged: a mark that came back after a power cut would have
/// the next start clear the log.
fn remove_mark(data: &Path) -> Result<(), StartError> {
    let path = data.join(SETUP_MARK);
    let removed = fs::remove_file(&path).and_then(|()| File::open(data)).and_then(|dir| dir.sync_all());
    removed.map_err(|e| refuse_path(&path, &e))
}

/// Removes what an interrupted first start left, all but its mark.
fn clear_unfinished(data: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry.file_name() == SETUP_MARK || entry.file_name() == "lost+found" {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}

/// The log replayed from its bytes.
struct Replayed {
    state: State,
    tree: Tree,
    index: Index,
    anchored_root: Option<Hash>,
    shoes: Vec<(TableId, u64)>,
}

fn replay(reader: &Reader, tiles: &Tiles, anchored: u64) -> Result<Replayed, StartError> {
    let mut replayed = Replayed {
        state: State::new(),
        tree: Tree::new(),
        index: Index::default(),
        anchored_root: (anchored == 0).then(|| Tree::new().root()),
        shoes: Vec::new(),
    };
    let mut failure = None;
    reader.read(0..reader.size(), |index, bytes| match replay_entry(&mut replayed, tiles, index, bytes) {
        Ok(()) => {
            if index + 1 == anchored {
                replayed.anchored_root = Some(replayed.tree.root());
            }
            ControlFlow::Continue(())
        }
        Err(what) => {
            failure = Some(StartError::refuse("an entry cannot be replayed", format!(
                "entry {index} cannot be replayed: {what}. The log is damaged or was written by another version. Do not serve from this \
                 folder; keep a copy as evidence and begin a new log, of another name, in an empty folder"
            )));
            ControlFlow::Break(())
        }
    })?;
    failure.map_or(Ok(replayed), Err)
}

fn replay_entry(replayed: &mut Replayed, tiles: &Tiles, index: u64, bytes: &[u8]) -> Result<(), String> {
    for tile in replayed.tree.append(leaf_hash(bytes)) {
        tiles.keep(tile.level, tile.index, tile.nodes);
    }
    let entry = Entry::decode(bytes).map_err(|e| e.to_string())?;
    replayed.state.apply(&entry).map_err(|e| e.to_string())?;
    replayed.index.add(index, &entry);
    if let Some(at) = &entry.at
        && entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }))
    {
        replayed.shoes.push((at.table.clone(), index));
    }
    Ok(())
}

/// The bytes must be those that were signed: the anchored checkpoint's signature and root.
fn check_anchor(anchored: &Anchored, replayed: &Replayed, key: &VerifierKey) -> Result<(), StartError> {
    if anchored.size == 0 {
        return Ok(());
    }
    let refuse = |what: String| {
        StartError::refuse(
            "the log is not the one that was signed",
            format!(
                "{what}. Do not serve from this folder; keep a copy as evidence and begin a new log, of another name, in an empty folder"
            ),
        )
    };
    let note = std::str::from_utf8(&anchored.note).map_err(|_| refuse("the anchor's checkpoint is not text".into()))?;
    let checkpoint = verify_checkpoint(note, key).map_err(|e| {
        refuse(format!("the anchor's checkpoint is not signed by this folder's log key ({e}): the key or the anchor was changed"))
    })?;
    if checkpoint.size != anchored.size || Some(checkpoint.root) != replayed.anchored_root {
        return Err(refuse(format!(
            "the log's first {} entries are not those that were signed: an entry was changed, or the store lost one",
            anchored.size
        )));
    }
    Ok(())
}

/// Starts everything but HTTP.
pub fn start(config: &Config) -> Result<Running, StartError> {
    let Opened { store, anchored, keys, first_start } = open_folder(config)?;
    let refuse_key = |e: &dyn std::fmt::Display| StartError::refuse("the log key cannot be used", format!("the log key: {e}"));
    let signer = |keys: &Keys| Signer::new(&keys.origin, &keys.log_seed).map_err(|e| refuse_key(&e));
    let (signer, for_notes) = (signer(&keys)?, signer(&keys)?);
    let verifier_key = signer.verifier_key().clone();
    let arrivals = Arc::new(Arrivals::default());
    let origin = Origin::parse(&keys.origin).map_err(|e| refuse_key(&e))?;
    let evidence = Evidence::new(origin, for_notes, arrivals.clone());

    let store = Arc::new(store);
    let reader = store.reader();
    let tiles = Arc::new(Tiles::new(reader.clone()));
    let replayed = replay(&reader, &tiles, anchored.size)?;
    check_anchor(&anchored, &replayed, &verifier_key)?;
    info!(entries = reader.size(), anchored = anchored.size, origin = %keys.origin, "the log is replayed");

    let tokens = Arc::new(Tokens::load(keys.operator_token_hash, &reader)?);
    let metrics = Arc::new(Metrics::new());
    let low_space = Arc::new(AtomicBool::new(store.free_space()? < config.min_free_bytes));
    let pending = Arc::new(Pending::default());
    let (dealer, ahead) = CachingDealer::new(keys.master);
    let checkpoint = signer.sign_checkpoint(replayed.tree.size(), replayed.tree.root());
    if reader.size() > anchored.size {
        // The last append before a crash was durable and nobody was told; from here on it is under a checkpoint.
        store.write_anchor(reader.size(), checkpoint.as_bytes())?;
    }
    let published = Arc::new(RwLock::new(Arc::new(Published { tree: replayed.tree.clone(), checkpoint })));
    // Before anything is logged: what this process signs next must extend what witnesses have seen.
    let (witnesses, contacts) = ask_witnesses(config, &verifier_key, &published, &tiles, &metrics)?;
    let index = Arc::new(RwLock::new(replayed.index));
    let open_tables = Arc::new(OpenTables::default());
    let followers = Arc::new(Followers::default());
    let refused = refusals::read(&config.data);
    // Those of an earlier start that ended before it could empty the file are on the log already.
    let noted = index.read().unwrap_or_else(PoisonError::into_inner).refused_at;
    let refused = refused.into_iter().filter(|refused| noted.is_none_or(|noted| refused.time > noted)).collect();

    let mut committer = Committer {
        store,
        tree: replayed.tree,
        signer,
        tiles: tiles.clone(),
        tokens: tokens.clone(),
        index: index.clone(),
        published: published.clone(),
        open_tables: open_tables.clone(),
        followers: followers.clone(),
        metrics: metrics.clone(),
        low_space: low_space.clone(),
        min_free_bytes: config.min_free_bytes,
    };
    let mut house = House::new(replayed.state, dealer.clone(), pending.clone(), reader.clone(), tokens.clone(), low_space.clone());
    house.witnesses = witnesses.clone();
    house.arrivals = arrivals;
    house.quota = Quota::new(config.player_entries);
    house.shoe_index.extend(replayed.shoes);
    begin_epoch(&mut house, &mut committer, &keys.origin, first_start.is_some(), refused)?;
    if let Err(failure) = refusals::forget(&config.data) {
        warn!(%failure, "the file of refused starts cannot be emptied; it is looked at again at the next start");
    }
    write_public(&config.data.join("log.vkey"), &format!("{verifier_key}\n"))?;
    if first_start.is_some() {
        remove_mark(&config.data)?;
        info!(token = %keys::operator_token_path(&config.data).display(), "first start: keys made, the operator's token lies in this file");
    }

    let (sender, jobs) = sync_channel::<Job>(QUEUE);
    let watched = Arc::downgrade(&dealer);
    let mut threads = vec![
        spawn("house", move || house.run(&jobs))?,
        spawn("commit", move || committer.run(&pending))?,
        spawn("shoes", move || prepare_ahead(&watched, &ahead))?,
    ];
    for (member, contact) in contacts.into_iter().enumerate() {
        if let Some(witnesses) = witnesses.clone() {
            threads.push(spawn("witness", move || witnesses.run(member, contact))?);
        }
    }
    let started_at = now_ms();
    Ok(Running {
        queue: Queue(sender),
        reader,
        tiles,
        index,
        published,
        open_tables,
        followers,
        tokens,
        dealer,
        metrics,
        long_histories: LongHistories::default(),
        lanes: Lanes::new().map_err(|e| StartError::refuse("no thread can be made", format!("no thread can be made: {e}")))?,
        witnesses,
        low_space,
        verifier_key,
        evidence,
        started_at,
        threads,
    })
}

/// The witnesses, where there are any, asked whether this is the log that they know; and the way to each.
fn ask_witnesses(
    config: &Config,
    key: &VerifierKey,
    published: &Arc<RwLock<Arc<Published>>>,
    tiles: &Arc<Tiles>,
    metrics: &Arc<Metrics>,
) -> Result<(Option<Arc<Witnesses>>, Vec<Contact>), StartError> {
    let Some(settings) = config.witnesses.clone() else { return Ok((None, Vec::new())) };
    let witnesses = Witnesses::open(settings, &config.data, key, published, tiles, metrics)?;
    let mut contacts = witnesses.contacts();
    witnesses.check_start(&mut contacts)?;
    Ok((Some(Arc::new(witnesses)), contacts))
}

/// Logs the start, deals with every open round by its table's policy, and commits new shoes; all durable on return.
fn begin_epoch(
    house: &mut House,
    committer: &mut Committer,
    origin: &str,
    is_first: bool,
    refused: Vec<RefusedStart>,
) -> Result<(), StartError> {
    let refuse = |what: String| StartError::refuse("the dealer cannot start", what);
    let origin = Origin::parse(origin).map_err(|e| refuse(format!("the log's name: {e}")))?;
    let start = start_dealer(origin, &house.dealer).map_err(refuse)?;
    let mut commands = vec![(Actor::House, start)];
    let now = now_ms();
    // A clock that was set back must not stand in the way of a start.
    let note = |refused: RefusedStart| Command::NoteRefusedStart { at: refused.time.min(now), reason: refused.reason };
    commands.extend(refused.into_iter().map(|refused| (Actor::House, note(refused))));
    for (table, rules) in FIRST_TABLES.iter().filter(|_| is_first) {
        let table = TableId::parse(table).map_err(|e| refuse(e.to_string()))?;
        let rules = RuleSet::shipped(rules).ok_or_else(|| refuse(format!("the shipped rule set {rules} is not valid")))?;
        commands.push((Actor::Operator, Command::OpenTable { table, rules, replaces: None }));
    }
    let mut batch = Vec::new();
    let decide = |house: &mut House, by: &Actor, command: &Command| match house.decide(now, by, command) {
        Ok(Ok((decided, _))) => Ok(decided),
        Ok(Err(refusal @ Refusal::WrongStart(_))) => Err(StartError::refuse("another master key or log name", refusal.to_string())),
        Ok(Err(refusal)) => Err(refuse(refusal.to_string())),
        Err(fatal) => Err(refuse(fatal.0)),
    };
    for (by, command) in commands {
        batch.push(decide(house, &by, &command)?);
    }
    while let Some((by, command)) = house.state.due(now) {
        batch.push(decide(house, &by, &command)?);
        if batch.len() >= 128 {
            committer.commit(std::mem::take(&mut batch))?;
        }
    }
    committer.commit(batch)?;
    Ok(())
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StartError> {
    // A panic in one of these threads must not leave the others answering: the process ends and recovers at its next start.
    let guarded = move || {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
            std::process::exit(70);
        }
    };
    std::thread::Builder::new()
        .name(name.into())
        .spawn(guarded)
        .map_err(|e| StartError::refuse("no thread can be made", format!("no thread can be made: {e}")))
}

/// A file that anyone may read, such as the log's public key or the listen address. Left alone where it says so already:
/// a kill in the middle of a write must not cost a stopped folder its public key.
pub fn write_public(path: &Path, content: &str) -> Result<(), StartError> {
    if fs::read(path).is_ok_and(|known| known == content.as_bytes()) {
        return Ok(());
    }
    fs::write(path, content).map_err(|e| refuse_path(path, &e))
}
