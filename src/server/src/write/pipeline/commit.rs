//! The commit thread: a batch is stored, synced, put under a signed checkpoint and anchored, and only then are its
//! replies let out (spec/store.md, "Contract"; spec/log.md, "Checkpoints"). Decides nothing.

use super::appends::split;
use super::{Decided, Pending, Reach, Work, now_ms};
use crate::cluster::Settle;
use crate::ops::directory::Directory;
use crate::ops::metrics::Metrics;
use crate::ops::tokens::{Tokens, dismissed};
use crate::read::followers::Followers;
use crate::read::index::Index;
use crate::wallet::Desk;
use crate::write::durable::{WriteLog, least_space};
use crate::write::published::{OpenTables, Published, Tiles};
use crate::write::snapshots::Durable;
use fairshoe_order::Message;
use fairshoe_store::{MAX_APPEND_BYTES, MetaWrite, StoreError};
use fairshoe_tlog::{CompletedTile, Signer, Tree, leaf_hash};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tracing::{error, warn};

/// The commit thread: store, sync, hash, sign, anchor, and only then release.
pub struct Committer {
    pub store: Arc<dyn WriteLog>,
    /// Of a node that leads: where it is settled which append comes next, before it is stored here.
    pub order: Option<Box<dyn Settle>>,
    pub reach: Arc<Reach>,
    pub tree: Tree,
    pub signer: Signer,
    pub tiles: Arc<Tiles>,
    pub tokens: Arc<Tokens>,
    pub index: Arc<Index>,
    pub published: Arc<RwLock<Arc<Published>>>,
    pub open_tables: Arc<OpenTables>,
    pub directory: Arc<Directory>,
    pub followers: Arc<Followers>,
    pub desk: Arc<Desk>,
    /// To the thread that writes the state down.
    pub snapshots: Sender<Durable>,
    pub metrics: Arc<Metrics>,
    pub low_space: Arc<AtomicBool>,
    pub min_free_bytes: u64,
}

/// A batch that is in the store and not yet under a signed checkpoint.
pub struct Appended {
    first: u64,
    batch: Vec<Decided>,
    tiles: Vec<CompletedTile>,
    snapshots: Vec<Durable>,
}

/// Bytes of entries and metadata in an append that is settled in an order: a message has room for more.
const MOST_ORDERED: usize = 768 << 10;

/// For how long own times become signable at once, in seconds: an idle log writes its anchor no oftener. Less than what may
/// be dated before a time that was signed ([`crate::write::own_time`]), so that no start must date anything ahead.
const SIGNABLE: u64 = 30;

/// How often free space is looked at.
const SPACE_CHECK: Duration = Duration::from_secs(1);

/// What an entry takes of an append: bytes, with its metadata's, and writes of metadata; the lengths before them are few.
fn cost(decided: &Decided) -> (usize, usize) {
    let of_write = |write: &MetaWrite| match write {
        MetaWrite::Put { key, value } => key.len() + value.len(),
        MetaWrite::Delete { key } => key.len(),
    };
    let beside = decided.meta.iter().map(|write| of_write(write) + 8).sum::<usize>();
    (decided.bytes.len() + beside, decided.meta.len())
}

impl Committer {
    /// Runs until the house thread has stopped and everything it decided is durable.
    pub fn run(mut self, pending: &Pending) {
        let mut space_checked = None::<Instant>;
        loop {
            // No longer than until free space is looked at again, in quiet hours too.
            pending.wait_for_work(SPACE_CHECK);
            let work = pending.take(self.tree.size());
            let is_last = work.is_last;
            let wants_more_time = pending.wants_more_time();
            let done = self.do_work(work).and_then(|()| if wants_more_time { self.allow_times() } else { Ok(()) });
            if let Err(failure) = done {
                error!(failure = %failure, advice = failure.advice(), "what was decided cannot be made durable; the process stops, no reply leaves");
                std::process::exit(74);
            }
            if is_last {
                self.index.end();
                return;
            }
            if space_checked.is_none_or(|at| at.elapsed() >= SPACE_CHECK) {
                space_checked = Some(Instant::now());
                self.check_space();
            }
        }
    }

    /// Makes a batch durable and signed, then lets out what waits for it. After an error nothing may be let out any
    /// more, and the process ends.
    fn do_work(&mut self, work: Work) -> Result<(), StoreError> {
        self.commit(work.entries)?;
        let published = self.published.read().unwrap_or_else(PoisonError::into_inner).clone();
        for release in work.releases {
            release(&published);
        }
        Ok(())
    }

    /// Lets own times be signed for a while longer, once the anchor says so: after a start nothing is dated long before
    /// them.
    fn allow_times(&self) -> Result<(), StoreError> {
        let checkpoint = self.published.read().unwrap_or_else(PoisonError::into_inner).checkpoint.clone();
        let until = (now_ms() / 1_000 + SIGNABLE).max(self.reach.signable_until.load(Ordering::SeqCst));
        self.store.write_anchor(self.tree.size(), Reach::anchored_until(&checkpoint, until).as_bytes())?;
        self.reach.signable_until.store(until, Ordering::SeqCst);
        Ok(())
    }

    /// Makes a batch durable and signed; everybody may see it when this returns.
    pub fn commit(&mut self, batch: Vec<Decided>) -> Result<(), StoreError> {
        let most = if self.order.is_some() { MOST_ORDERED } else { MAX_APPEND_BYTES };
        split(batch, most, cost).into_iter().try_for_each(|part| self.commit_at_once(part))
    }

    fn commit_at_once(&mut self, batch: Vec<Decided>) -> Result<(), StoreError> {
        let started = Instant::now();
        let count = batch.len();
        let appended = self.append(batch)?;
        self.publish(appended)?;
        self.store.keep_up(&self.tiles)?;
        self.metrics.entries.inc_by(count as u64);
        self.metrics.batch_entries.observe(count as f64);
        self.metrics.commit_seconds.observe(started.elapsed().as_secs_f64());
        Ok(())
    }

    /// The first half: the batch is durable, and nobody may be told.
    pub fn append(&mut self, mut batch: Vec<Decided>) -> Result<Appended, StoreError> {
        let (first, root) = (self.tree.size(), self.tree.root());
        let mut entries = Vec::with_capacity(batch.len());
        let mut meta = Vec::new();
        let (mut tiles, mut snapshots) = (Vec::new(), Vec::new());
        for decided in &mut batch {
            tiles.extend(self.tree.append(leaf_hash(&decided.bytes)));
            snapshots.extend(decided.snapshot.take().map(|taken| (taken, self.tree.clone())));
            entries.push(decided.bytes.as_ref().clone());
            meta.extend(decided.meta.iter().cloned());
        }
        if let Some(order) = &mut self.order {
            self.reach.settling_since.store(now_ms(), Ordering::SeqCst);
            let message = Message { size: first, root, root_after: self.tree.root(), entries, writes: meta };
            order.settle(&message);
            Message { entries, writes: meta, .. } = message;
        }
        self.store.append(first, &entries, &meta)?;
        Ok(Appended { first, batch, tiles, snapshots })
    }

    /// The second half: it is signed and anchored, and readers see it.
    pub fn publish(&mut self, Appended { first, batch, tiles, snapshots }: Appended) -> Result<(), StoreError> {
        let size = self.tree.size();
        let root = self.tree.root();
        let checkpoint = self.signer.sign_checkpoint(size, root);
        // Before the anchor: what is anchored may be sealed, and is held against this tree then.
        for tile in tiles {
            self.tiles.keep(tile.level, tile.index, tile.nodes);
        }
        self.tiles.grown(&self.tree);
        self.store.write_anchor(size, self.reach.anchored(&checkpoint).as_bytes())?;
        // Not before: a snapshot beyond the anchor could not be held against anything that was signed. Where its thread
        // is gone none is written.
        snapshots.into_iter().for_each(|durable| drop(self.snapshots.send(durable)));
        for decided in &batch {
            decided.grant.iter().for_each(|grant| self.tokens.enforce(grant));
            dismissed(&decided.entry).for_each(|guest| self.tokens.end(&guest));
        }
        // Entries are durable before the index has them: it is never ahead of the log.
        if let Err(failure) =
            self.index.extend(first, batch.iter().map(|decided| decided.entry.as_ref()), &root.to_string())
        {
            error!(%failure, "the index cannot be written, and memory for it is bounded; the process stops");
            std::process::exit(74);
        }
        self.metrics.count_log(&self.index.totals());
        self.directory.note(batch.iter().map(|decided| decided.entry.as_ref()));
        self.open_tables.put(batch.iter().flat_map(|decided| decided.tables.iter().cloned()));
        let published = Arc::new(Published { tree: self.tree.clone(), checkpoint });
        *self.published.write().unwrap_or_else(PoisonError::into_inner) = published;
        self.reach.settling_since.store(0, Ordering::SeqCst);
        self.metrics.log_size.set(i64::try_from(size).unwrap_or(i64::MAX));
        self.desk.note(batch.iter().map(|decided| decided.entry.as_ref()));
        self.followers.tell(batch.iter().filter_map(|decided| decided.entry.at.as_ref()).map(|at| &at.table));
        Ok(())
    }

    /// Looks at the free space.
    pub fn check_space(&self) {
        match self.store.free_space() {
            Ok(free) => {
                self.metrics.set_space(free);
                let least = least_space(self.min_free_bytes);
                let low = free.is_less_than(least);
                if low != self.low_space.swap(low, Ordering::Relaxed) && low {
                    warn!(
                        %free,
                        %least,
                        "little free space: new rounds are refused, open ones finish"
                    );
                }
            }
            Err(failure) => warn!(%failure, "free space cannot be read"),
        }
    }
}
