//! Before anything new is logged the witnesses are asked whether they have seen more than this folder holds: a folder
//! put back from an old copy is whole in itself, anchor included, and only others can tell.

use super::contact::Failure;
use super::state::{State, Witnessed};
use super::witnessed_file;
use super::{Contact, NEVER, Settings, Witnesses};
use crate::ops::metrics::Metrics;
use crate::ops::startup::StartError;
use crate::write::published::{Published, Tiles};
use fairshoe_tlog::{PolicyWitness, VerifierKey, verify_checkpoint};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tracing::{info, warn};

/// The file in the data folder that keeps the newest witnessed checkpoint.
const FILE: &str = "witnessed";

const ADVICE: &str = "Do not serve from this folder: what was acknowledged since is not in it, and whatever it signed now would be a \
    second history. Put back the newest copy of the folder; or keep this one as evidence and begin a new log, of another name, in an \
    empty folder";

impl Witnesses {
    /// Takes up what was kept by an earlier process. The published log is the one that was just replayed.
    ///
    /// # Errors
    /// Refuses a policy for another log, and a folder whose log is not the one that was witnessed.
    pub fn open(
        settings: Settings,
        data: &Path,
        log: &VerifierKey,
        published: &Arc<RwLock<Arc<Published>>>,
        tiles: &Arc<Tiles>,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, StartError> {
        let listed = settings.policy.logs();
        if !listed.is_empty() && listed.iter().all(|known| known.key != *log) {
            return Err(StartError::refuse(
                "the witness file is for another log",
                format!(
                    "the file of witnesses names other logs than this one: its `log` line must be `log {log}`, or be left out"
                ),
            ));
        }
        let policy = settings
            .policy
            .clone()
            .with_log(log.clone())
            .map_err(|e| StartError::refuse("the log key cannot be used", e.to_string()))?;
        let mut witnesses = Witnesses {
            state: Mutex::new(State::new(&policy, None)),
            policy,
            log: log.clone(),
            settings,
            file: data.join(FILE),
            published: published.clone(),
            tiles: tiles.clone(),
            metrics: metrics.clone(),
            began: Instant::now(),
            keeper: Mutex::new(()),
            witnessed_at: AtomicI64::new(NEVER),
            was_unwitnessed: AtomicBool::new(false),
        };
        witnesses.take_up()?;
        Ok(witnesses)
    }

    fn take_up(&mut self) -> Result<(), StartError> {
        let refuse =
            |what: String| StartError::refuse("the log is not the one that was witnessed", format!("{what}. {ADVICE}"));
        let file = self.file.display().to_string();
        let saved = witnessed_file::read(&self.file)
            .map_err(|e| StartError::refuse("the file system failed", format!("{file}: {e}")))?
            .and_then(|note| verify_checkpoint(&note, &self.log).ok().map(|checkpoint| (checkpoint, note)));
        let Some((checkpoint, note)) = saved else {
            if self.file.exists() {
                warn!(%file, "what this file keeps is no checkpoint of this log; it is written anew");
            }
            return Ok(());
        };
        let published = self.published.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if checkpoint.size > published.size() {
            return Err(refuse(format!(
                "witnesses cosigned {} entries ({file}), the log has {}",
                checkpoint.size,
                published.size()
            )));
        }
        let root = published.tree.root_at(checkpoint.size, self.tiles.as_ref());
        if root.is_ok_and(|root| root != checkpoint.root) {
            return Err(refuse(format!(
                "the log's first {} entries are not those that witnesses cosigned ({file})",
                checkpoint.size
            )));
        }
        match self.policy.verify_checkpoint(&note) {
            Ok(verified) => {
                let oldest = verified.cosigned_by.iter().map(|by| by.time).min().unwrap_or(0);
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
                let chosen = Instant::now().checked_sub(Duration::from_secs(now.saturating_sub(oldest)));
                info!(size = checkpoint.size, "the newest witnessed checkpoint is taken up");
                self.adopt(Witnessed { number: 0, size: checkpoint.size, note, chosen });
            }
            Err(why) => {
                info!(%why, "the checkpoint that was witnessed before does not meet the witnesses' quorum as it is now")
            }
        }
        Ok(())
    }

    /// Submits the log as it was replayed to all of them at once.
    ///
    /// # Errors
    /// Refuses to start where a witness has cosigned more than there is, or another tree. One that cannot be asked does
    /// not stand in the way.
    pub fn check_start(&self, contacts: &mut [Contact]) -> Result<(), StartError> {
        let newest = &self.published.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let outcomes: Vec<Option<Failure>> = std::thread::scope(|scope| {
            let ask = |(member, contact)| {
                scope.spawn(move || {
                    // Whatever else there may be: nothing is said of the time yet.
                    let task = self.task(member, newest, None)?;
                    self.submit(member, contact, &task).err()
                })
            };
            let asked: Vec<_> = contacts.iter_mut().enumerate().map(ask).collect();
            asked.into_iter().map(|thread| thread.join().unwrap_or(None)).collect()
        });
        for ((outcome, contact), witness) in outcomes.iter().zip(contacts).zip(self.policy.witnesses()) {
            if let Some(failure) = outcome.as_ref().filter(|failure| failure.is_alarm()) {
                return Err(self.refused_by(witness, contact, failure));
            }
        }
        Ok(())
    }

    fn refused_by(&self, witness: &PolicyWitness, contact: &Contact, failure: &Failure) -> StartError {
        let name = String::from_utf8_lossy(&witness.name);
        let size = self.published.read().unwrap_or_else(std::sync::PoisonError::into_inner).size();
        let (label, what) = match failure {
            Failure::Ahead(seen) => (
                "a witness has seen more of the log",
                format!("has cosigned {seen} entries of this log, and this folder holds {size}"),
            ),
            _ => (
                "a witness has seen another log",
                format!("did not find its own tree of this log at the beginning of ours: {failure}"),
            ),
        };
        let shown = match contact.shown(&self.log) {
            Some((shown, _)) => {
                format!("It shows a checkpoint that this log's key signed: size {}, root {}", shown.size, shown.root)
            }
            None => format!(
                "It shows no checkpoint that this log's key signed; if it is wrong, take the line of {name} out of the file of witnesses"
            ),
        };
        StartError::refuse(label, format!("witness {name} at {} {what}. {shown}. {ADVICE}", contact.url()))
    }
}
