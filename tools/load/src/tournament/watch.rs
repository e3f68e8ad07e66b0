//! The log as all players of the event read it together: the entries shown to each of them go to one check, in the
//! log's order; the others are read from the log itself.

use crate::check::{EventCheck, Flaw, OnLog};
use crate::client::Request;
use crate::failure::Failure;
use crate::link::{Link, refused};
use crate::shared::Shared;
use fairshoe_house::{State, Tournament};
use fairshoe_tlog::{Checkpoint, EntryBundle, TilePath};
use std::num::NonZeroU8;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The time to wait for an entry that another task will read, before it is read from the log.
const PATIENCE: Duration = Duration::from_millis(10);

/// The number of entries in a bundle.
const BUNDLE: u64 = 256;

/// The log as all players read it; see the module.
pub struct Watch {
    shared: Arc<Shared>,
    check: Mutex<EventCheck>,
    /// The number of entries read.
    size: watch::Sender<u64>,
    /// The connection for reading missing entries, by one task at a time.
    link: tokio::sync::Mutex<Link>,
}

impl Watch {
    /// A value before the first entry.
    pub fn new(check: EventCheck, link: Link, shared: Arc<Shared>) -> Self {
        Watch { shared, check: Mutex::new(check), size: watch::Sender::new(0), link: tokio::sync::Mutex::new(link) }
    }

    /// Calls the check.
    pub fn with<T>(&self, f: impl FnOnce(&mut EventCheck) -> T) -> T {
        f(&mut self.check.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A value from the state and the event; `None` before it is announced.
    pub fn event<T>(&self, f: impl FnOnce(&State, &Tournament) -> T) -> Option<T> {
        self.with(|check| check.event().map(|event| f(check.state(), event)))
    }

    /// Takes entries that were proven to be on the log, as texts.
    ///
    /// # Errors
    /// [`Failure::Flaw`].
    pub fn take(&self, entries: impl IntoIterator<Item = (OnLog, String)>) -> Result<(), Failure> {
        let mut checkpoint = None;
        let taken = self.with(|check| {
            for (on_log, text) in entries {
                check.offer(on_log.index, text)?;
                checkpoint = Some(on_log.checkpoint);
            }
            checkpoint.as_deref().map_or(Ok(()), |checkpoint| check.signed(checkpoint))
        });
        self.told();
        taken.map_err(|flaw| self.flawed(flaw))
    }

    /// Takes a checkpoint that came without new entries.
    ///
    /// # Errors
    /// [`Failure::Flaw`].
    pub fn signed(&self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.with(|check| check.signed(checkpoint)).map_err(|flaw| self.flawed(flaw))
    }

    /// The failure for a flaw here.
    pub fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw(format!("the log, before entry {}", self.with(|check| check.size())), flaw)
    }

    fn told(&self) {
        let size = self.with(|check| check.size());
        self.size.send_if_modified(|known| {
            let grown = size > *known;
            *known = size.max(*known);
            grown
        });
    }

    /// Waits until so many entries were read; missing ones are read from the log.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn reach(&self, size: u64) -> Result<(), Failure> {
        let mut grown = self.size.subscribe();
        loop {
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            if *grown.borrow_and_update() >= size {
                return Ok(());
            }
            if tokio::time::timeout(PATIENCE, grown.changed()).await.is_err() {
                self.fill(size).await?;
            }
        }
    }

    /// Reads the bundle of the next entry, as far as needed. The tree proves its entries, because it must give the
    /// signed checkpoints.
    async fn fill(&self, size: u64) -> Result<(), Failure> {
        let mut link = self.link.lock().await;
        let next = self.with(|check| check.size());
        if next >= size {
            return Ok(());
        }
        let index = next / BUNDLE;
        let in_bundle = size.saturating_sub(index.saturating_mul(BUNDLE));
        let partial = u8::try_from(in_bundle).ok().and_then(NonZeroU8::new);
        let request = Request::get(format!("/{}", TilePath::Entries { index, partial })).token(&self.shared.operator);
        let answer = link.call(&request).await?;
        link.refresh();
        if !answer.reply.is_success() {
            return Err(refused(&request, &answer.reply));
        }
        let bundle = EntryBundle::decode(&answer.reply.body);
        let bundle = bundle.map_err(|e| Failure::Reply(request.name(), e.to_string()))?;
        let first = index.saturating_mul(BUNDLE);
        let texts = (first..).zip(bundle.entries()).filter(|(at, _)| *at >= next);
        let taken = self.with(|check| {
            texts
                .map(|(at, bytes)| (at, String::from_utf8_lossy(bytes).into_owned()))
                .try_for_each(|(at, text)| check.offer(at, text))
        });
        self.told();
        taken.map_err(|flaw| self.flawed(flaw))
    }
}
