//! The log as everybody at the event reads it together: what each of them is shown goes to one check, in the log's
//! order; what nobody was shown is read from the log's own entries.

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

/// How long an entry that others will be shown is waited for, before it is read from the log.
const PATIENCE: Duration = Duration::from_millis(10);

/// Entries of a bundle.
const BUNDLE: u64 = 256;

/// See the module.
pub struct Watch {
    shared: Arc<Shared>,
    check: Mutex<EventCheck>,
    /// How many entries were read.
    size: watch::Sender<u64>,
    /// The connection on which what is missing is read, by one at a time.
    link: tokio::sync::Mutex<Link>,
}

impl Watch {
    /// Nothing is read yet.
    pub fn new(check: EventCheck, link: Link, shared: Arc<Shared>) -> Self {
        Watch { shared, check: Mutex::new(check), size: watch::Sender::new(0), link: tokio::sync::Mutex::new(link) }
    }

    /// Asks, or tells, the check something.
    pub fn with<T>(&self, f: impl FnOnce(&mut EventCheck) -> T) -> T {
        f(&mut self.check.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something of the state and the event; none before it is announced.
    pub fn event<T>(&self, f: impl FnOnce(&State, &Tournament) -> T) -> Option<T> {
        self.with(|check| check.event().map(|event| f(check.state(), event)))
    }

    /// Entries that were proven to be on the log, as their texts.
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

    /// A checkpoint that came with nothing new.
    ///
    /// # Errors
    /// [`Failure::Flaw`].
    pub fn signed(&self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.with(|check| check.signed(checkpoint)).map_err(|flaw| self.flawed(flaw))
    }

    /// The failure that a flaw is, here.
    pub fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw { at: format!("the log, before entry {}", self.with(|check| check.size())), flaw }
    }

    fn told(&self) {
        let size = self.with(|check| check.size());
        self.size.send_if_modified(|known| {
            let grown = size > *known;
            *known = size.max(*known);
            grown
        });
    }

    /// Waits until so many entries were read; what nobody brings is read from the log.
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

    /// Reads the bundle in which the next entry lies, as far as it is wanted. Its entries are proven by the tree, which
    /// must come to the signed checkpoints.
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
        let bundle = bundle.map_err(|e| Failure::Reply { request: request.name(), error: e.to_string() })?;
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
