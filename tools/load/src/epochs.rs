//! The epoch of an entry. A table's entries do not state it; the log does, at every start of the dealer.

use crate::check::{Flaw, LogCheck};
use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::link::{Link, refused};
use crate::spans::{Span, find, note};
use fairshoe_api::{LogInfo, Receipt};
use fairshoe_fairness::Epoch;
use fairshoe_house::{Entry, Event};
use fairshoe_tlog::{EntryBundle, TilePath};
use std::num::NonZeroU8;
use tokio::sync::Mutex;

/// The known epochs, for all players.
#[derive(Default)]
pub struct Epochs(Mutex<Vec<Span>>);

impl Epochs {
    /// Records an entry with its stated epoch. A wrong epoch is noticed when the shoe is revealed.
    pub async fn is(&self, index: u64, epoch: Epoch) {
        note(&mut *self.0.lock().await, Span { from: index, to: index, epoch });
    }

    /// The epoch of a durable entry; if unknown, the log is searched backwards from it.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn of(&self, link: &mut Link, token: &Token, log: &LogCheck, index: u64) -> Result<Epoch, Failure> {
        let mut spans = self.0.lock().await;
        if let Some(epoch) = find(&spans, index) {
            return Ok(epoch);
        }
        let info: LogInfo = link.read(&Request::get("/v1/log").token(token)).await?;
        let newest = info.size.saturating_sub(1);
        // There was no start since the last known entry of this epoch.
        if let Some(last) = spans.iter().filter(|span| span.epoch == info.epoch).max_by_key(|span| span.to).copied() {
            note(&mut spans, Span { to: newest.max(last.to), ..last });
        }
        if let Some(epoch) = find(&spans, index) {
            return Ok(epoch);
        }
        let (at, epoch) = last_start(link, token, log, index).await?;
        let to = if epoch == info.epoch { newest.max(index) } else { index };
        note(&mut spans, Span { from: at, to, epoch });
        Ok(epoch)
    }
}

/// The dealer's last start at or before an entry.
async fn last_start(link: &mut Link, token: &Token, log: &LogCheck, index: u64) -> Result<(u64, Epoch), Failure> {
    let mut end = index.saturating_add(1);
    while end > 0 {
        let bundle = (end - 1) / 256;
        let partial = u8::try_from(end % 256).ok().and_then(NonZeroU8::new);
        let request = Request::get(format!("/{}", TilePath::Entries { index: bundle, partial })).token(token);
        let answer = link.call(&request).await?;
        if !answer.reply.is_success() {
            return Err(refused(&request, &answer.reply));
        }
        let entries = EntryBundle::decode(&answer.reply.body);
        let entries = entries.map_err(|e| Failure::Reply { request: request.name(), error: e.to_string() })?;
        let start =
            (bundle * 256..).zip(entries.entries()).filter_map(|(at, entry)| Some((at, started(entry)?))).last();
        if let Some((at, epoch)) = start {
            prove_start(link, token, log, at, epoch).await?;
            return Ok((at, epoch));
        }
        end = bundle * 256;
    }
    Err(Failure::Reply {
        request: "the log's entries".into(),
        error: format!("no start of the dealer before entry {index}"),
    })
}

fn started(entry: &[u8]) -> Option<Epoch> {
    const WORD: &[u8] = b"\"dealer_started\"";
    // Most entries are of other kinds, and parsing an entry costs more than searching its text.
    if !entry.windows(WORD.len()).any(|part| part == WORD) {
        return None;
    }
    Entry::decode(entry).ok()?.events.into_iter().find_map(|event| match event {
        Event::DealerStarted { epoch, .. } => Some(epoch),
        _ => None,
    })
}

/// A bundle is not proven, but the found entry is.
async fn prove_start(link: &mut Link, token: &Token, log: &LogCheck, at: u64, epoch: Epoch) -> Result<(), Failure> {
    let text = |path: String| Request::get(path).token(token);
    let (entry, proof) = (text(format!("/v1/entries/{at}")), text(format!("/v1/receipts/{at}")));
    let receipt = Receipt { index: at, entry: link.text(&entry).await?, proof: Some(link.text(&proof).await?) };
    let flawed = |flaw| Failure::Flaw { at: format!("the dealer's start, entry {at}"), flaw };
    let on_log = log.receipt(&receipt, &mut 0).map_err(flawed)?;
    let says = on_log
        .entry
        .events
        .iter()
        .any(|event| matches!(event, Event::DealerStarted { epoch: started, .. } if *started == epoch));
    if says { Ok(()) } else { Err(flawed(Flaw::EpochUnknown)) }
}
