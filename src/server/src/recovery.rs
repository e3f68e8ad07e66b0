//! From an opened store to a house that may serve: replay, check against what was signed, begin a new epoch.
//!
//! Owns: what stands on the log in memory, built from the log. Does not own: files, keys on disk, threads, the clock
//! ([`crate::startup`]); a simulator builds the same on a store and a clock of its own.

use crate::archive::Archive;
use crate::dealer::CachingDealer;
use crate::durable::{ReadLog, WriteLog};
use crate::evidence::{Arrivals, Evidence};
use crate::followers::Followers;
use crate::index::Index;
use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::pipeline::{Committer, FreshEpoch, House, Pending, Quota, start_dealer};
use crate::published::{OpenTables, Published, Tiles};
use crate::refusals::RefusedStart;
use crate::startup::StartError;
use crate::tokens::Tokens;
use fairshoe_fairness::{Origin, TableId};
use fairshoe_games::RuleSet;
use fairshoe_house::{Actor, Command, Entry, Event, Refusal, ShoeId, State};
use fairshoe_store::Anchored;
use fairshoe_tlog::{Hash, Signer, Tree, VerifierKey, leaf_hash, verify_checkpoint};
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, RwLock};
use tracing::info;

/// Entries that a start decides before it makes them durable.
const START_BATCH: usize = 128;

/// Entries from one word of progress to the next.
const TOLD: u64 = 4096;

/// The log replayed from its bytes.
pub(crate) struct Replayed {
    state: State,
    pub tree: Tree,
    anchored_root: Option<Hash>,
    shoes: Vec<(TableId, u64)>,
}

/// Replays a log of which so many entries are anchored; `progress` is told from time to time how many are done.
pub(crate) fn replay(reader: &dyn ReadLog, tiles: &Tiles, anchored: u64, progress: &mut dyn FnMut(u64)) -> Result<Replayed, StartError> {
    let mut replayed =
        Replayed { state: State::new(), tree: Tree::new(), anchored_root: (anchored == 0).then(|| Tree::new().root()), shoes: Vec::new() };
    let mut failure = None;
    reader.read(0..reader.size(), &mut |index, bytes| match replay_entry(&mut replayed, tiles, index, bytes) {
        Ok(()) => {
            if index % TOLD == 0 {
                progress(index);
            }
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
    if let Some(at) = &entry.at
        && entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }))
    {
        replayed.shoes.push((at.table.clone(), index));
    }
    Ok(())
}

/// The bytes must be those that were signed: the anchored checkpoint's signature and root.
pub(crate) fn check_anchor(anchored: &Anchored, replayed: &Replayed, key: &VerifierKey) -> Result<(), StartError> {
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

/// The index, as far as it is of use, brought up to the log's end.
fn open_index(folder: &Path, origin: &Origin, tree: &Tree, tiles: &Tiles, reader: &dyn ReadLog) -> Result<Index, StartError> {
    let refuse = |e: &dyn std::fmt::Display| {
        StartError::refuse("the index cannot be made", format!("{}: {e}. Make room, or remove the folder", folder.display()))
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
    /// Refusals and choices a second that are signed for one sender.
    pub signed_notes: NonZeroU32,
}

/// Everything that stands on the store, before any thread.
pub struct Recovered {
    pub house: House,
    pub committer: Committer,
    pub pending: Arc<Pending>,
    pub archive: Archive,
    pub open_tables: Arc<OpenTables>,
    pub followers: Arc<Followers>,
    pub tokens: Arc<Tokens>,
    pub metrics: Arc<Metrics>,
    pub low_space: Arc<AtomicBool>,
    pub verifier_key: VerifierKey,
    pub evidence: Evidence,
    /// Shoes that the dealer wants derived ahead.
    pub ahead: Receiver<(ShoeId, u8)>,
}

impl Recovered {
    /// Replays a store that was opened, holds it against its anchor, and anchors what a crash left beyond it. `index` is the folder of
    /// the index.
    ///
    /// # Errors
    /// Refuses a log that is not the one that was signed, or cannot be replayed.
    pub fn new(
        reader: Arc<dyn ReadLog>,
        store: Arc<dyn WriteLog>,
        anchored: &Anchored,
        keys: Keys,
        index: &Path,
        bounds: &Bounds,
        fresh_epoch: FreshEpoch,
    ) -> Result<Self, StartError> {
        let refuse_key = |e: &dyn std::fmt::Display| StartError::refuse("the log key cannot be used", format!("the log key: {e}"));
        let signer = |keys: &Keys| Signer::new(&keys.origin, &keys.log_seed).map_err(|e| refuse_key(&e));
        let (signer, for_notes) = (signer(&keys)?, signer(&keys)?);
        let verifier_key = signer.verifier_key().clone();
        let arrivals = Arc::new(Arrivals::default());
        let origin = Origin::parse(&keys.origin).map_err(|e| refuse_key(&e))?;
        let evidence = Evidence::new(origin, for_notes, arrivals.clone(), bounds.signed_notes);

        let tiles = Arc::new(Tiles::new(reader.clone()));
        let replayed = replay(reader.as_ref(), &tiles, anchored.size, &mut |_| {})?;
        check_anchor(anchored, &replayed, &verifier_key)?;
        tiles.grown(&replayed.tree);
        info!(entries = reader.size(), anchored = anchored.size, origin = %keys.origin, "the log is replayed");

        let tokens = Arc::new(Tokens::load(keys.operator_token_hash, reader.as_ref())?);
        let metrics = Arc::new(Metrics::new());
        let low_space = Arc::new(AtomicBool::new(store.free_space()? < bounds.min_free_bytes));
        let pending = Arc::new(Pending::default());
        let (dealer, ahead) = CachingDealer::new(keys.master);
        let checkpoint = signer.sign_checkpoint(replayed.tree.size(), replayed.tree.root());
        if reader.size() > anchored.size {
            // The last append before a crash was durable and nobody was told; from here on it is under a checkpoint.
            store.write_anchor(reader.size(), checkpoint.as_bytes())?;
        }
        let published = Arc::new(RwLock::new(Arc::new(Published { tree: replayed.tree.clone(), checkpoint })));
        let index = Arc::new(open_index(index, evidence.origin(), &replayed.tree, &tiles, reader.as_ref())?);
        let open_tables = Arc::new(OpenTables::default());
        let followers = Arc::new(Followers::default());
        let committer = Committer {
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
            min_free_bytes: bounds.min_free_bytes,
        };
        let (log, waiting) = (reader.clone(), pending.clone());
        let mut house = House::new(replayed.state, dealer.clone(), waiting, log, tokens.clone(), low_space.clone(), fresh_epoch);
        // Nothing that comes now bears a time before the log's end, however the clock was put while the service was down.
        arrivals.log_is_at(house.state.last_time());
        house.arrivals = arrivals;
        house.quota = Quota::new(bounds.player_entries);
        house.shoe_index.extend(replayed.shoes);
        let archive = Archive { reader, tiles, index, published, dealer };
        Ok(Recovered {
            house,
            committer,
            pending,
            archive,
            open_tables,
            followers,
            tokens,
            metrics,
            low_space,
            verifier_key,
            evidence,
            ahead,
        })
    }

    /// Logs the start, deals with every open round by its table's policy, and commits new shoes; all durable on return. `tables`
    /// are opened, each with a shipped rule set.
    ///
    /// # Errors
    /// Refuses another master key or name than the log's; nothing was said to anybody.
    pub fn begin_epoch(&mut self, tables: &[(&str, &str)], refused: Vec<RefusedStart>, now: u64) -> Result<(), StartError> {
        let Recovered { house, committer, archive, evidence, .. } = self;
        // Those of an earlier start that ended before it could empty its file are on the log already.
        let noted = archive.index.totals().refused_at;
        let refused = refused.into_iter().filter(|refused| noted.is_none_or(|noted| refused.time > noted));
        let refuse = |what: String| StartError::refuse("the dealer cannot start", what);
        let epoch = (house.fresh_epoch)().map_err(refuse)?;
        let start = start_dealer(evidence.origin().clone(), epoch, &house.dealer).map_err(refuse)?;
        let mut commands = vec![(Actor::House, start)];
        // A clock that was set back must not stand in the way of a start.
        let note = |refused: RefusedStart| Command::NoteRefusedStart { at: refused.time.min(now), reason: refused.reason };
        commands.extend(refused.map(|refused| (Actor::House, note(refused))));
        for (table, rules) in tables {
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
            if batch.len() >= START_BATCH {
                committer.commit(std::mem::take(&mut batch))?;
            }
        }
        committer.commit(batch)?;
        house.wake(now);
        Ok(())
    }
}
