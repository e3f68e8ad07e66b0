//! From a folder to a running service: open it, recover what stands on it ([`crate::write::recovery`]), start the threads.

use crate::cluster::{self, Cluster, Following, Node, NotLeading};
use crate::ops::config::Config;
use crate::ops::keys::{self, Keys};
use crate::ops::metrics::Metrics;
use crate::ops::restore;
use crate::ops::tokens::Tokens;
use crate::read::Reading;
use crate::read::archive::Archive;
use crate::read::frames::Frames;
use crate::read::history::LongHistories;
use crate::read::lanes::Lanes;
use crate::wallet::{self, Cashier, Desk};
use crate::witness::{Contact, Witnesses};
use crate::write::Writing;
use crate::write::dealer::prepare_ahead;
use crate::write::durable::ReadLog;
use crate::write::evidence::SIGNED_NOTES;
use crate::write::own_time::OwnTime;
use crate::write::pipeline::{Job, QUEUE, Queue, now_ms};
use crate::write::recovery::{Beginning, Bounds, Folders, Recovered};
use crate::write::refusals;
use crate::write::sealing;
use crate::write::snapshots;
use fairshoe_fairness::{Epoch, Origin};
use fairshoe_games::OPENED_FIRST;
use fairshoe_house::{Actor, Command, NextLog};
use fairshoe_store::{Anchored, DiskFiles, Store, StoreError};
use fairshoe_tlog::VerifierKey;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, PoisonError};
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
    /// A refusal with its label, which may go on the public log, and the message to the operator.
    pub fn refuse(label: &'static str, what: impl Into<String>) -> Self {
        StartError::Refuse { label, what: what.into() }
    }

    /// Why, in a few words that name no path and no secret (see [`crate::write::refusals`]).
    pub fn label(&self) -> &'static str {
        use StoreError as S;
        match self {
            StartError::Refuse { label, .. } => label,
            StartError::Keys(_) => "the keys cannot be used",
            StartError::Store { failure } => match failure {
                S::Locked { .. } => "the folder is in use by a running service",
                S::NotAStore { .. } | S::Missing { .. } | S::Unfinished { .. } | S::Exists { .. } => {
                    "a part of the store is missing"
                }
                S::Version { .. } | S::SegmentVersion { .. } => "another version of the store",
                S::Damaged { .. } | S::Gapped { .. } | S::Overlap { .. } | S::MetaDamaged { .. } => {
                    "the store is damaged"
                }
                S::SegmentDamaged { .. } | S::SegmentForeign { .. } | S::SegmentCut { .. } | S::SegmentAhead { .. } => {
                    "a sealed file of the store is damaged or another"
                }
                S::SealRefused { .. } => "the store is damaged",
                S::Empty { .. } | S::BehindAnchor { .. } => "the log is shorter than what was acknowledged",
                S::AnchorStale { .. } | S::AnchorDamaged { .. } => "the anchor does not fit the log",
                S::DiskFull { .. } => "the disk is full",
                S::NoMemory { .. } => "there is too little memory",
                S::NoTrueSync => "the sync filter is not in place",
                S::Io { .. } | S::Stopped { .. } | S::Stalled { .. } => "the file system failed",
                S::Unanchored { .. }
                | S::SizeMismatch { .. }
                | S::Limit { .. }
                | S::NothingToAppend
                | S::BeyondEnd { .. } => "the store was used wrongly",
            },
        }
    }
}

impl From<StoreError> for StartError {
    fn from(failure: StoreError) -> Self {
        StartError::Store { failure }
    }
}

/// Everything that the HTTP side needs: one part for each room.
pub struct Running {
    pub read: Reading,
    pub write: Writing,
    /// The wallet's open calls, and how chips come from it, if the service has one.
    pub desk: Arc<Desk>,
    pub wallet: Option<wallet::Style>,
    pub witnesses: Option<Arc<Witnesses>>,
    /// The cluster's part, if this is a node of a shard.
    pub cluster: Option<Arc<Cluster>>,
    pub tokens: Arc<Tokens>,
    pub metrics: Arc<Metrics>,
    pub low_space: Arc<AtomicBool>,
    /// Threads that end before the process: they make decisions durable, seal full bundles, write the state down.
    pub finishing: Vec<JoinHandle<()>>,
}

/// The most milliseconds that an append takes to settle if no fault delays it.
const USUAL_SETTLING: u64 = 1_000;

/// The most milliseconds that anybody waits for one.
const LONGEST_SETTLING: u64 = 10_000;

impl Running {
    /// Refuses if another node decides, or may decide, at this time (UTC milliseconds). A process alone always decides.
    pub fn require_lead(&self, time: u64) -> Result<(), NotLeading> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| cluster.require_lead(time))
    }

    /// Refuses if the order does not settle an append, since an answer from the state would wait as long. It does not
    /// refuse while this node's lease holds and the append is young: a stream may be choosing its leader.
    pub fn require_settled(&self) -> Result<(), NotLeading> {
        let Some(cluster) = &self.cluster else { return Ok(()) };
        let since = self.write.own_time.settling_since();
        if since == 0 {
            return Ok(());
        }
        let waits = now_ms().abs_diff(since);
        if waits > LONGEST_SETTLING {
            return Err(NotLeading { leader: None });
        }
        if waits > USUAL_SETTLING { cluster.require_lead(0) } else { Ok(()) }
    }

    /// Refuses to answer from the state if this node led and may lead no more. A follower's state is that of its log.
    pub fn require_fresh(&self) -> Result<(), NotLeading> {
        match &self.cluster {
            Some(cluster) if cluster.leads() => cluster.require_lead(0),
            _ => Ok(()),
        }
    }
}

/// A read asks for a `&Running`.
impl Deref for Running {
    type Target = Reading;

    fn deref(&self) -> &Reading {
        &self.read
    }
}

/// Marks a folder whose first start is not finished: nothing in it was ever acknowledged.
pub const SETUP_MARK: &str = "first-start";

/// The folder's parts, opened and checked.
struct Opened {
    store: Store,
    anchored: Anchored,
    keys: Keys,
    /// The mark of a first start, which nobody else may hold.
    first_start: Option<File>,
}

/// Opens the folder, or makes it on the first start.
fn open_folder(config: &Config) -> Result<Opened, StartError> {
    let data = &config.data;
    keys::make_private_dir(data)?;
    restore::refuse_unfinished(data)?;
    cluster::settings::hold_to_shard(data, config.cluster.as_ref())?;
    if let Some(mark) = take_mark(data)? {
        clear_unfinished(data, SETUP_MARK).map_err(|e| refuse_path(data, &e))?;
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
    if let Some(origin) = config.origin.as_ref().filter(|origin| **origin != keys.origin) {
        let what = format!(
            "--origin {origin}: the log in {} is named {} since its first start, for ever. Leave the option out, or choose \
             an empty folder for a new log",
            data.display(),
            keys.origin
        );
        return Err(StartError::refuse("the log has another name", what));
    }
    // A node that joins a shard has its secrets alone, and reads the log from the order.
    let (store, anchored) = if config.cluster.is_some() && !data.join("log").exists() && !data.join("format").exists() {
        let store = Store::create(data)?;
        let anchored = store.anchored();
        (store, anchored)
    } else {
        Store::open(data)?
    };
    Ok(Opened { store, anchored, keys, first_start: None })
}

pub fn refuse_path(path: &Path, error: &std::io::Error) -> StartError {
    StartError::refuse("the file system failed", format!("{}: {error}", path.display()))
}

/// Marks a new folder, or takes over the mark of a first start that was interrupted; `None` for any other folder.
fn take_mark(data: &Path) -> Result<Option<File>, StartError> {
    let is_again = data.join(SETUP_MARK).exists();
    let mark = claim(
        data,
        SETUP_MARK,
        "The first start is not finished. Nothing in this folder was acknowledged to anybody.\n",
    )?;
    if is_again && mark.is_some() {
        info!(folder = %data.display(), "the first start was interrupted; beginning it again");
    }
    Ok(mark)
}

/// Marks an empty folder as one that is being made, or takes over the mark of a process that was interrupted; `None`
/// for any other folder. The mark is locked: otherwise a second process would take a running first start for an
/// interrupted one, and clear it.
pub fn claim(data: &Path, mark: &str, words: &str) -> Result<Option<File>, StartError> {
    let path = data.join(mark);
    let refuse = |e: std::io::Error| refuse_path(&path, &e);
    let mut names = fs::read_dir(data).map_err(refuse)?.filter_map(|entry| entry.ok().map(|e| e.file_name()));
    let is_vacant = !names.any(|name| name != "lost+found");
    if is_vacant {
        keys::write_private(&path, words.as_bytes())?;
    } else if !path.exists() {
        return Ok(None);
    }
    let file = File::open(&path).map_err(refuse)?;
    match file.try_lock() {
        // Its holder may have finished and removed it since it was seen here.
        Ok(()) if path.exists() => Ok(Some(file)),
        Ok(()) | Err(TryLockError::WouldBlock) => Err(StartError::refuse(
            "another process makes this folder",
            format!("another process is making {}: wait for it, or choose another folder", data.display()),
        )),
        Err(TryLockError::Error(error)) => Err(refuse(error)),
    }
}

/// The folder is made. Durable before anything is acknowledged: a mark that came back after a power cut would have the
/// next start clear the log.
pub fn remove_mark(data: &Path, mark: &str) -> Result<(), StartError> {
    let path = data.join(mark);
    let removed = fs::remove_file(&path).and_then(|()| File::open(data)).and_then(|dir| dir.sync_all());
    removed.map_err(|e| refuse_path(&path, &e))
}

/// Removes what an interrupted process left, all but its mark.
pub fn clear_unfinished(data: &Path, mark: &str) -> std::io::Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry.file_name() == mark || entry.file_name() == "lost+found" {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}

/// A folder's contents before an entry is logged or a thread runs.
pub struct Stands {
    pub recovered: Recovered,
    pub store: Arc<Store>,
    /// The mark of a first start.
    pub first_start: Option<File>,
}

/// Opens the folder, or makes it, and recovers what is there.
pub fn recover(config: &Config) -> Result<Stands, StartError> {
    let Opened { store, anchored, keys, first_start } = open_folder(config)?;
    let store = Arc::new(store);
    let reader: Arc<dyn ReadLog> = Arc::new(store.reader());
    let bounds = Bounds {
        min_free_bytes: config.min_free_bytes,
        player_entries: config.player_entries,
        player_bytes: config.player_bytes,
        signed_notes: SIGNED_NOTES,
        snapshot_entries: config.snapshot_entries,
    };
    let recovered =
        Recovered::new(reader, store.clone(), &anchored, keys, folders(&config.data), &bounds, Box::new(fresh_epoch))?;
    Ok(Stands { recovered, store, first_start })
}

/// The folders of a data folder's caches.
pub fn folders(data: &Path) -> Folders {
    Folders { index: data.join(INDEX), snapshots: Arc::new(DiskFiles::at(data)), pause: snapshots::PAUSE }
}

/// The rest of a first start, once its log has begun: the public key's file, and the end of its mark.
pub fn finish_first_start(
    config: &Config,
    verifier_key: &VerifierKey,
    first_start: Option<File>,
) -> Result<(), StartError> {
    write_public(&config.data.join("log.vkey"), &format!("{verifier_key}\n"))?;
    if first_start.is_some() {
        remove_mark(&config.data, SETUP_MARK)?;
        info!(token = %keys::operator_token_path(&config.data).display(), "first start: keys made, the operator's token lies in this file");
    }
    Ok(())
}

/// Starts everything but HTTP.
pub fn start(config: &Config) -> Result<Running, StartError> {
    require_a_log_to_end(config)?;
    let Stands { mut recovered, store, first_start } = recover(config)?;
    if config.wallet.as_ref().is_some_and(|wallet| wallet.style == wallet::Style::Rounds) {
        recovered.desk.keep_funds(&recovered.house.state);
    }
    recovered.house.most_guests = config.max_guests;
    let for_play = if config.guests { OPENED_FIRST } else { &[] };
    let node = config.cluster.clone().map(|settings| Arc::new(Cluster::new(settings)));
    let witnesses = find_witnesses(config, &recovered)?;
    if let Some(witnesses) = witnesses.clone() {
        recovered.house.is_unwitnessed = Box::new(move || witnesses.refuses_bets());
    }
    let own_time = Arc::new(recovered.own_time(node.clone())?);
    // A node logs nothing before it leads, and is behind what witnesses have seen until it has read the order.
    if node.is_none() {
        let contacts = ask_witnesses(witnesses.as_deref())?;
        let tables = if first_start.is_some() { OPENED_FIRST } else { &[] };
        let beginning = Beginning { tables, for_play, refused: refusals::read(&config.data) };
        begin_or_end(&mut recovered, beginning, config)?;
        spawn_witnesses(witnesses.as_ref(), contacts, &own_time)?;
    }
    let reached = node.as_ref().map(|node| cluster::start(node)).transpose()?.flatten();
    let log_seed = recovered.log_seed.clone();
    let has_ended = recovered.house.state.ended().is_some();
    let Recovered { house, committer, pending, archive, open_tables, followers, tokens, metrics, low_space, .. } =
        recovered;
    let Recovered { verifier_key, evidence, ahead, snapshots, to_write, desk, .. } = recovered;
    // A node's keys are made before anything is settled with them.
    finish_first_start(config, &verifier_key, first_start)?;
    if let Some(node) = &node {
        cluster::settings::bind_to_shard(&config.data, &node.settings)?;
    }

    let (sender, jobs) = sync_channel::<Job>(QUEUE);
    let sealed_tiles = archive.tiles.clone();
    // The sealer goes on until the commit thread has dropped its end.
    let (committing, until_committed) = channel::<()>();
    let watched = Arc::downgrade(&archive.dealer);
    let (named, written) = (house.snapshots.named(), house.written.clone());
    let mut finishing = match node.clone() {
        None => vec![
            spawn("house", move || house.run(jobs))?,
            spawn("commit", move || {
                committer.run(&pending);
                drop(committing);
            })?,
        ],
        Some(cluster) => {
            open_tables.put(house.state.tables().map(|table| (table.id.clone(), house.state.shared_table(&table.id))));
            let order = Node {
                cluster: cluster.clone(),
                log_seed,
                key: verifier_key.to_string(),
                published: archive.published.clone(),
                open_tables: open_tables.clone(),
                jobs: sender.clone(),
            };
            let following = Following {
                house,
                committer,
                pending,
                archive: archive.clone(),
                origin: evidence.origin().clone(),
                cluster,
                for_play,
                data: config.data.clone(),
                witnesses: witnesses.clone(),
                own_time: own_time.clone(),
                on_log: BTreeMap::new(),
                own: BTreeMap::new(),
                space_checked: None,
            };
            vec![
                spawn("house", move || {
                    following.run(jobs);
                    drop(committing);
                })?,
                spawn("order", move || order.run(reached))?,
            ]
        }
    };
    finishing.extend([
        spawn("seal", move || sealing::run(&store, &sealed_tiles, &until_committed))?,
        spawn("snapshot", {
            let low_space = low_space.clone();
            move || snapshots.run(&to_write, &low_space, &named)
        })?,
    ]);
    drop(spawn("shoes", move || prepare_ahead(&watched, &ahead))?);
    {
        let Archive { index, reader, published, tiles, .. } = archive.clone();
        let root_at = move |size: u64| {
            let published = published.read().unwrap_or_else(PoisonError::into_inner).clone();
            published.tree.root_at(size, tiles.as_ref()).ok().map(|root| root.to_string())
        };
        drop(spawn("index", move || index.run(reader.as_ref(), &root_at))?);
    }
    let started_at = now_ms();
    let queue = Queue(sender);
    // Its answers could not be put on a log that has ended. Operations that were asked for before are still shown.
    let wallet = config.wallet.clone().filter(|_| !has_ended);
    serve_wallet(wallet, &desk, &queue, evidence.origin(), node.as_ref(), &metrics)?;
    let lanes =
        Lanes::new().map_err(|e| StartError::refuse("no thread can be made", format!("no thread can be made: {e}")))?;
    Ok(Running {
        read: Reading {
            archive,
            followers,
            frames: Frames::default(),
            lanes,
            long_histories: LongHistories::default(),
            files: Arc::new(DiskFiles::at(&config.data)),
            verifier_key,
            started_at,
        },
        write: Writing { queue, open_tables, written, evidence, own_time, has_ended },
        desk,
        wallet: config.wallet.as_ref().map(|wallet| wallet.style),
        witnesses,
        cluster: node,
        tokens,
        metrics,
        low_space,
        finishing,
    })
}

/// Refuses to make a log in order to end it, and to end one that several nodes write.
fn require_a_log_to_end(config: &Config) -> Result<(), StartError> {
    if config.end_for.is_none() {
        return Ok(());
    }
    let refuse = |what: String| Err(StartError::refuse("the log cannot be ended", what));
    if config.cluster.is_some() {
        let what = "--end-for: the log of a shard is ended by one process alone: stop every node, remove the file `shard` in the folder of the one with the longest log, and start that one without --order (spec/cluster.md, \"The end of a shard's log\")";
        return refuse(what.into());
    }
    if !keys::secrets_dir(&config.data).exists() || config.data.join(SETUP_MARK).exists() {
        return refuse(format!("--end-for: there is no log in {} to end", config.data.display()));
    }
    Ok(())
}

/// Starts the dealer, and ends the log if asked to. A log that has ended is not written to (spec/recovery.md, "The end
/// of a log").
fn begin_or_end(recovered: &mut Recovered, beginning: Beginning, config: &Config) -> Result<(), StartError> {
    let refuse = |what: String| StartError::refuse("the log cannot be ended", what);
    let now = now_ms();
    match (recovered.house.state.ended().cloned(), config.end_for.clone()) {
        (Some(NextLog { origin, key }), asked) => {
            if asked.is_some_and(|asked| (&asked.origin, asked.key) != (&origin, key)) {
                return Err(refuse(format!("--end-for: this log has ended already, for {origin} under the key {key}")));
            }
            info!(%origin, %key, "this log has ended, and goes on there: readers alone are answered");
            return Ok(());
        }
        (None, Some(NextLog { origin, .. })) if recovered.house.state.origin() == Some(&origin) => {
            return Err(refuse(format!("--end-for: {origin} is this log itself; name the key of another")));
        }
        (None, Some(NextLog { origin, key })) => {
            recovered.begin_epoch(beginning, now)?;
            if let Some(open) = recovered.house.state.in_play(now) {
                return Err(refuse(format!(
                    "--end-for: {open}. Start without it, let what is in play come to its end, stop in order, and try again"
                )));
            }
            recovered.give(std::iter::once((Actor::House, Command::EndLog { origin, key })), now)?;
            info!("this log has ended: readers alone are answered");
        }
        (None, None) => recovered.begin_epoch(beginning, now)?,
    }
    forget_refusals(&config.data);
    Ok(())
}

/// Starts the wallet's calls, if there is a wallet.
fn serve_wallet(
    settings: Option<wallet::Settings>,
    desk: &Arc<Desk>,
    queue: &Queue,
    origin: &Origin,
    cluster: Option<&Arc<Cluster>>,
    metrics: &Arc<Metrics>,
) -> Result<(), StartError> {
    let Some(settings) = settings else {
        if desk.count() > 0 {
            warn!(
                open = desk.count(),
                "operations of a wallet are open, and none is named with --wallet: nobody is called"
            );
        }
        return Ok(());
    };
    let cashier = Cashier {
        desk: desk.clone(),
        settings,
        origin: origin.clone(),
        queue: queue.clone(),
        cluster: cluster.cloned(),
        metrics: metrics.clone(),
    };
    cashier.start()
}

/// The folder of the index, beside the log.
pub const INDEX: &str = "index";

pub fn fresh_epoch() -> Result<Epoch, String> {
    keys::random32().map(Epoch::from_bytes).map_err(|e| e.to_string())
}

/// The witnesses, if there are any.
fn find_witnesses(config: &Config, recovered: &Recovered) -> Result<Option<Arc<Witnesses>>, StartError> {
    let Some(settings) = config.witnesses.clone() else { return Ok(None) };
    let Recovered { archive, metrics, verifier_key, .. } = recovered;
    let (published, tiles) = (&archive.published, &archive.tiles);
    Witnesses::open(settings, &config.data, verifier_key, published, tiles, metrics).map(|found| Some(Arc::new(found)))
}

/// Asks them whether this is the log that they know, before anything is logged: this process's next checkpoints must
/// extend the log that they have seen. Returns the way to each.
///
/// # Errors
/// Refuses if one has seen more, or another log.
pub fn ask_witnesses(witnesses: Option<&Witnesses>) -> Result<Vec<Contact>, StartError> {
    let Some(witnesses) = witnesses else { return Ok(Vec::new()) };
    let mut contacts = witnesses.contacts();
    witnesses.check_start(&mut contacts).map(|()| contacts)
}

/// Submits to each as long as the process lives, and knows the newest cosigned checkpoint.
pub fn spawn_witnesses(
    witnesses: Option<&Arc<Witnesses>>,
    contacts: Vec<Contact>,
    own_time: &Arc<OwnTime>,
) -> Result<(), StartError> {
    for (member, contact) in contacts.into_iter().enumerate() {
        if let Some(witnesses) = witnesses.cloned() {
            let own_time = own_time.clone();
            drop(spawn("witness", move || witnesses.run(member, contact, &own_time))?);
        }
    }
    Ok(())
}

pub fn forget_refusals(data: &Path) {
    if let Err(failure) = refusals::forget(data) {
        warn!(%failure, "the file of refused starts cannot be emptied; it is looked at again at the next start");
    }
}

pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StartError> {
    // A panic in one of these threads must not leave the others answering: the process ends and recovers at its next
    // start.
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

/// A file that anyone may read, such as the log's public key or the listen address. It is left alone if its contents
/// are right already: a kill in the middle of a write must not cost a stopped folder its public key.
pub fn write_public(path: &Path, content: &str) -> Result<(), StartError> {
    if fs::read(path).is_ok_and(|known| known == content.as_bytes()) {
        return Ok(());
    }
    fs::write(path, content).map_err(|e| refuse_path(path, &e))
}
