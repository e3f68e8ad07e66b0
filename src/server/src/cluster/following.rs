//! The house of a node that follows: it takes in what the order has, answers what needs no decision, and becomes the house
//! of a leader when it is told to (spec/cluster.md, "To follow").

use super::leading::Settle;
use super::{Cluster, give_up};
use crate::ops::startup::{ask_witnesses, forget_refusals, spawn, spawn_witnesses};
use crate::read::archive::Archive;
use crate::witness::Witnesses;
use crate::write::own_time::OwnTime;
use crate::write::pipeline::{Committer, House, Job, Pending, Rejected, now_ms};
use crate::write::recovery::{Beginning, begin_epoch};
use crate::write::refusals;
use fairshoe_fairness::Origin;
use fairshoe_games::OPENED_FIRST;
use fairshoe_house::{Command, StateRoot};
use fairshoe_order::Message;
use fairshoe_tlog::leaf_hash;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tracing::{error, info};

/// A message of the order on its way to the house, and whoever waits until it is durable here.
pub struct Followed {
    pub number: u64,
    pub message: Message,
    pub done: SyncSender<()>,
}

/// What makes a house that follows one that leads.
pub struct Lead {
    /// Where its appends are settled.
    pub order: Box<dyn Settle>,
    /// The time before which the leader before it may have signed something; UTC milliseconds.
    pub not_before: u64,
    /// Told when it leads.
    pub begun: SyncSender<()>,
}

/// States of the log that were named, or written down here, of late.
const NAMED: usize = 8;

/// How often free space is looked at.
const SPACE_CHECK: Duration = Duration::from_secs(1);

/// See the module.
pub struct Following {
    pub house: House,
    pub committer: Committer,
    pub pending: Arc<Pending>,
    pub archive: Archive,
    pub cluster: Arc<Cluster>,
    pub origin: Origin,
    /// Of which shipped rule sets there is a table for play chips.
    pub for_play: &'static [&'static str],
    /// The data folder.
    pub data: PathBuf,
    /// The witnesses that must have seen no more than this node when it begins to lead.
    pub witnesses: Option<Arc<Witnesses>>,
    pub own_time: Arc<OwnTime>,
    /// Roots by size: those that the log names, and those that this node wrote down.
    pub on_log: BTreeMap<u64, StateRoot>,
    pub own: BTreeMap<u64, StateRoot>,
    /// When free space was looked at last.
    pub space_checked: Option<Instant>,
}

impl Following {
    /// Runs until it is told to stop, first as a follower, and then as a leader.
    pub fn run(self, jobs: Receiver<Job>) {
        let cluster = self.cluster.clone();
        self.follow(jobs);
        cluster.is_stopping.store(true, Ordering::Relaxed);
    }

    fn follow(mut self, jobs: Receiver<Job>) {
        loop {
            // All senders are gone with the service itself.
            let Ok(job) = jobs.recv() else { return };
            match job {
                Job::Followed(followed) => {
                    let Followed { number, message, done } = *followed;
                    if let Err(what) = self.take_in(message) {
                        give_up(&format!("message {number} of the order: {what}"));
                    }
                    let _ = done.send(());
                }
                Job::Query(_, ask) => {
                    // Nothing is decided here: the state is that of the log which is durable and signed.
                    let release = ask(&self.house.state);
                    release(&self.archive.current());
                }
                Job::Command(order) => {
                    let leader = self.cluster.require_lead(0).err().and_then(|other| other.leader);
                    (order.answer)(Err(Rejected::NotLeading(leader)));
                }
                Job::Lead(lead) => return self.lead(*lead, jobs),
                Job::Stop => return,
            }
        }
    }

    /// Folds a message in: state and tree first, so that what does not follow is never stored.
    fn take_in(&mut self, message: Message) -> Result<(), String> {
        if self.space_checked.is_none_or(|at| at.elapsed() >= SPACE_CHECK) {
            self.space_checked = Some(Instant::now());
            self.committer.check_space();
        }
        let tree = &self.committer.tree;
        if (message.size, message.root) != (tree.size(), tree.root()) {
            return Err(format!(
                "it goes on from a log of {} entries with the root {}, and this node's has {} and {}: their histories are two",
                message.size,
                message.root,
                tree.size(),
                tree.root()
            ));
        }
        let mut tree = tree.clone();
        message.entries.iter().for_each(|entry| drop(tree.append(leaf_hash(entry))));
        if tree.root() != message.root_after {
            return Err("its entries do not lead to the root that it names".into());
        }
        let mut batch = Vec::with_capacity(message.entries.len());
        for entry in &message.entries {
            batch.push(self.house.take_in(entry).map_err(|fatal| fatal.0)?);
        }
        self.hold_names(batch.iter().map(|decided| &decided.entry.command))?;
        if let Some(last) = batch.last_mut() {
            last.meta.clone_from(&message.writes);
        }
        self.committer.commit(batch).map_err(|failure| format!("it cannot be stored: {failure}"))?;
        self.committer.tokens.follow(&message.writes);
        Ok(())
    }

    /// Where the log names a state that this node wrote down, they are one.
    fn hold_names<'c>(&mut self, commands: impl Iterator<Item = &'c Command>) -> Result<(), String> {
        self.own.extend(self.house.snapshots.take_named());
        self.on_log.extend(commands.filter_map(|command| match command {
            Command::NoteState { size, root } => Some((*size, *root)),
            _ => None,
        }));
        for (size, named) in &self.on_log {
            if let Some(own) = self.own.get(size)
                && own != named
            {
                return Err(format!("the log names the state after {size} entries {named}, and this node's is {own}"));
            }
        }
        for names in [&mut self.own, &mut self.on_log] {
            while names.len() > NAMED {
                names.pop_first();
            }
        }
        Ok(())
    }

    /// Begins an epoch, and goes on as the house of a leader does.
    fn lead(self, lead: Lead, jobs: Receiver<Job>) {
        let Following {
            mut house,
            mut committer,
            pending,
            archive,
            origin,
            cluster,
            for_play,
            data,
            witnesses,
            own_time,
            ..
        } = self;
        let Lead { order, not_before, begun } = lead;
        let contacts = match ask_witnesses(witnesses.as_deref()) {
            Ok(contacts) => contacts,
            // It has all that the order has: the order lost what was witnessed.
            Err(failure) => give_up(&failure.to_string()),
        };
        committer.order = Some(order);
        house.not_before(not_before);
        // The first node of a shard opens its tables.
        let tables = if house.state.size() == 0 { OPENED_FIRST } else { &[] };
        let beginning = Beginning { tables, for_play, refused: refusals::read(&data) };
        let now = now_ms().max(not_before);
        if let Err(failure) = begin_epoch(&mut house, &mut committer, &archive, &origin, beginning, now) {
            error!(%failure, "this node cannot lead");
            std::process::exit(1);
        }
        forget_refusals(&data);
        let _ = begun.send(());
        if let Err(failure) = spawn_witnesses(witnesses.as_ref(), contacts, &own_time) {
            error!(%failure, "this node cannot lead");
            std::process::exit(1);
        }
        let entries = archive.published.read().unwrap_or_else(PoisonError::into_inner).size();
        info!(entries, shard = %cluster.settings.shard, node = %cluster.settings.node, "this node leads");
        let committing = spawn("commit", move || committer.run(&pending));
        let committing = match committing {
            Ok(thread) => thread,
            Err(failure) => {
                error!(%failure, "this node cannot lead");
                std::process::exit(1);
            }
        };
        house.run(jobs);
        drop(committing.join());
    }
}
