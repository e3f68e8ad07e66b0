//! Requests in players' names over one connection: replies are proven and go to the event's check.

use super::entrant::Entrant;
use super::watch::Watch;
use crate::check::{Flaw, OnLog, opens_only, sealed_in};
use crate::client::{Client, Request};
use crate::failure::Failure;
use crate::link::{Link, parse, problem, refused};
use crate::shared::Shared;
use fairshoe_api::{Accepted, ErrorCode, TableEntries, TableEntry};
use fairshoe_fairness::TableId;
use fairshoe_house::{Actor, Command};
use fairshoe_tlog::Checkpoint;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Refusals caused by an event between reading and asking.
#[rustfmt::skip]
const RACES: &[ErrorCode] = &[
    ErrorCode::DeadlinePassed, ErrorCode::WrongRound, ErrorCode::WrongEpoch, ErrorCode::RoundInProgress,
    ErrorCode::DecisionNotOpen, ErrorCode::RevealsOver, ErrorCode::AlreadyRevealed, ErrorCode::NothingToDo,
    ErrorCode::NotAContributor, ErrorCode::NotSeated, ErrorCode::HandNotCalled, ErrorCode::SeedDoesNotOpen,
    ErrorCode::Cooldown, ErrorCode::UnknownTable, ErrorCode::RegistrationClosed, ErrorCode::FieldFull,
    ErrorCode::NotRegistered, ErrorCode::NotAllowed, ErrorCode::WrongDraw, ErrorCode::NotAnEntrant,
    ErrorCode::HandInProgress,
];

/// A page of a table's or an event's entries.
pub(super) struct PageRead {
    /// The number of new entries.
    pub new: usize,
    /// Whether no more will come.
    pub closed: bool,
    /// The checkpoint that proves all of them.
    pub checkpoint: Arc<Checkpoint>,
}

/// Requests over one connection; see the module.
pub(super) struct Asking {
    pub shared: Arc<Shared>,
    pub watch: Arc<Watch>,
    pub link: Link,
    /// Whether the connection broke during the last request: it may have been carried out or not.
    pub interrupted: bool,
    /// The largest tree size seen.
    known: u64,
}

impl Asking {
    /// A value with its own connection.
    pub fn new(shared: &Arc<Shared>, watch: &Arc<Watch>) -> Result<Asking, Failure> {
        let client = Arc::new(Mutex::new(Client::new(&shared.args.url)?));
        let mut link = Link::new(client, shared.clone());
        link.refresh();
        Ok(Asking { shared: shared.clone(), watch: watch.clone(), link, interrupted: false, known: 0 })
    }

    /// The operator's calls.
    pub async fn desk(&mut self, request: &Request) -> Result<Accepted, Failure> {
        let answer = self.link.call(request).await?;
        self.link.refresh();
        let accepted: Accepted = parse(request, &answer.reply)?;
        self.receipts(&accepted)?;
        Ok(accepted)
    }

    /// Checks the receipts, records them before the next request, and reads their entries.
    pub fn receipts(&mut self, accepted: &Accepted) -> Result<Vec<OnLog>, Failure> {
        let proven = |receipt| self.shared.log.receipt(receipt, &mut self.known);
        let on_log: Result<Vec<OnLog>, Flaw> = accepted.receipts.iter().map(proven).collect();
        let on_log = on_log.map_err(|flaw| self.watch.flawed(flaw))?;
        if on_log.is_empty() {
            return Err(self.watch.flawed(Flaw::Receipts(1, 0)));
        }
        self.shared.note(&on_log)?;
        let texts = accepted.receipts.iter().map(|receipt| receipt.entry.clone());
        self.watch.take(on_log.iter().cloned().zip(texts))?;
        Ok(on_log)
    }

    /// Asks in a player's name, once. `None` if a clock was faster or the connection broke: the log then has the
    /// result.
    pub async fn ask(
        &mut self,
        entrant: &Entrant,
        call: &'static str,
        command: Command,
        request: Request,
    ) -> Result<Option<Accepted>, Failure> {
        let (shared, watch) = (self.shared.clone(), self.watch.clone());
        let mut pen = entrant.pen.lock().await;
        let signed = pen.as_mut().map(|pen| pen.sign(&shared.origin, &entrant.name, &command)).transpose()?;
        let request = request.token(entrant.token()?);
        let request = match &signed {
            Some(signed) => request.signed(signed),
            None => request,
        };
        watch.with(|check| check.send(&entrant.name, command.clone(), signed));
        let answer = self.link.call_once(&request).await?;
        self.interrupted = answer.is_none();
        let Some(answer) = answer else {
            shared.totals().counts.resumed += 1;
            self.link.refresh();
            return Ok(None);
        };
        drop(pen);
        if !answer.reply.is_success() {
            let code = problem(&answer.reply).code;
            if !RACES.contains(&code) {
                return Err(refused(&request, &answer.reply));
            }
            *shared.totals().counts.refused.entry(code.to_string()).or_default() += 1;
            return Ok(None);
        }
        let accepted: Accepted = parse(&request, &answer.reply)?;
        shared.totals().accepted(call, answer.took);
        let on_log = self.receipts(&accepted)?;
        let own = accepted.own.as_ref().map_or(0, |own| own.openings.len());
        let sealed: usize = on_log.iter().map(sealed_in).sum();
        self.no_more_than(&answer.reply.body, accepted.openings.len() + own + sealed)?;
        let Some(done) = on_log.first() else { return Ok(None) };
        let by = Actor::Player(entrant.name.clone());
        if done.entry.by != by || done.entry.command != command {
            return Err(watch.flawed(Flaw::differs("the reply's entry", &command, &done.entry.command)));
        }
        Ok(Some(accepted))
    }

    /// Checks that a reply opens no card outside the checked fields, and counts those that it opens.
    pub fn no_more_than(&self, body: &[u8], openings: usize) -> Result<(), Failure> {
        self.shared.totals().openings += u64::try_from(openings).unwrap_or_default();
        opens_only(body, openings).map_err(|flaw| self.watch.flawed(flaw))
    }

    /// Continues reading the sequence of a table or the event, and waits for a new entry if `wait_ms` is not 0. `None`
    /// if there is no such sequence yet.
    pub async fn follow(
        &mut self,
        kind: &str,
        name: &TableId,
        from: &mut u64,
        wait_ms: u64,
        mut each: impl FnMut(&TableEntry, &OnLog) -> Result<(), Flaw>,
    ) -> Result<Option<PageRead>, Failure> {
        let path = format!("/v1/{kind}/{name}/entries?from_seq={from}&limit=256&proofs=true&wait_ms={wait_ms}");
        let request = Request::get(path).token(&self.shared.operator);
        let answer = self.link.call(&request).await?;
        self.link.refresh();
        if answer.reply.status == 404 && problem(&answer.reply).code == ErrorCode::UnknownTable {
            return Ok(None);
        }
        let page: TableEntries = parse(&request, &answer.reply)?;
        let (shared, watch) = (self.shared.clone(), self.watch.clone());
        let checkpoint = shared.log.newer(&page.checkpoint, &mut self.known).map_err(|flaw| watch.flawed(flaw))?;
        let mut entries = Vec::with_capacity(page.entries.len());
        let mut told = 0;
        for entry in page.entries {
            let on_log = shared.log.page_entry(&entry, &checkpoint).map_err(|flaw| watch.flawed(flaw))?;
            let is_next = entry.seq == *from && on_log.entry.at.as_ref().is_some_and(|at| at.table == *name);
            if !is_next {
                return Err(watch.flawed(Flaw::Gap(*from, entry.seq)));
            }
            told += entry.openings.len() + sealed_in(&on_log);
            each(&entry, &on_log).map_err(|flaw| watch.flawed(flaw))?;
            *from = from.saturating_add(1);
            entries.push((on_log, entry.entry));
        }
        self.no_more_than(&answer.reply.body, told)?;
        let new = entries.len();
        shared.follows(name, entries.iter().map(|(on_log, _)| on_log))?;
        watch.take(entries)?;
        watch.signed(&checkpoint)?;
        Ok(Some(PageRead { new, closed: page.closed, checkpoint }))
    }
}
