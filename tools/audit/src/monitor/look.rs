//! One look of a monitor: what each address and witness shows, compared with itself, with each other and with the log
//! so far (spec/audit.md, "Monitor"). What is remembered is `memory.rs`.

use super::evidence::{EntryProof, Evidence, PrefixProof, Sighting, encode};
use super::memory::Memory;
use super::tiles::{self, Tiles};
use crate::acks::Acks;
use crate::clock::{Bounds, OwnClock, SECOND, now_ms};
use crate::continues::{self, OldLogReport};
use crate::http::{Answer, Client, FRESH, Standing};
use crate::log::{Audited, audit, limits};
use crate::outcome::UnusableInput;
use crate::progress::{Progress, SavedAudit, forked, goes_on};
use crate::saved_evidence::SavedEvidence;
use crate::source::in_query;
use crate::tiled::came;
use crate::whole_log::{LogError, WholeLog, names_another, not_signed};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fairshoe_judge::audit::{Check, EndedFor, Finding, GoesOnFrom};
use fairshoe_judge::utc;
use fairshoe_tlog::{Checkpoint, MAX_NOTE, Policy, ReceiptError, VerifierKey, own_time, verify_checkpoint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// So long may a witness have seen more of the log than every address shows, in seconds: longer than any cache.
const AHEAD_LIMIT: u64 = 600;

/// A log as a monitor follows it.
pub struct Followed {
    pub key: VerifierKey,
    pub key_trusted: bool,
    pub policy: Option<Policy>,
    /// How far clocks may differ.
    pub bounds: Bounds,
    /// The file in which the audit's state is kept.
    pub state: PathBuf,
    /// How far the audit has come, and the signed checkpoint it came to.
    pub progress: Progress,
    pub audited: Option<Sighting>,
    /// There is more in it than was kept last.
    pub is_new: bool,
    /// The logs that it goes on from, the latest first; and what they are, once they were read.
    pub continues: Vec<String>,
    pub old_log: Option<OldLogReport>,
}

/// An address and how it behaves.
pub struct WatchedAddress {
    pub address: String,
    /// How often in a row it did not answer.
    pub failures: u32,
    /// When it is asked again, seconds since 1970-01-01 UTC.
    pub ask_at: u64,
}

/// What one look came to.
#[derive(Default, Serialize)]
pub struct Looked {
    pub time: u64,
    pub verdict: &'static str,
    pub entries: u64,
    pub new_entries: u64,
    pub root: String,
    pub addresses: Vec<AddressReport>,
    pub witnesses: Vec<AddressReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<bool>,
    /// The log that it says to go on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goes_on_from: Option<GoesOnFrom>,
    /// That log's own verdict, and what is open in it, if it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_log: Option<OldLogReport>,
    /// Where the log has ended: the one that goes on from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<EndedFor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    #[serde(skip)]
    pub evidence: Option<Box<Evidence>>,
    /// The file of the evidence, once it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// What an address, or a witness, showed.
#[derive(Serialize)]
pub struct AddressReport {
    pub from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The log's own time on the checkpoint, seconds since 1970-01-01 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_time: Option<u64>,
    /// That time is this look's: it signs that it shows all there is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
    /// The node says that it follows another, and may be behind it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl AddressReport {
    /// Of one that showed nothing that could be used.
    fn without(from: &str, why: String) -> AddressReport {
        let from = from.to_owned();
        AddressReport { from, size: None, own_time: None, decides: false, follows: false, problem: Some(why) }
    }
}

impl WatchedAddress {
    /// It did not answer, or not with what the log signed: it is asked less and less often.
    fn failed(&mut self, every: u64, now: u64) {
        self.failures = self.failures.saturating_add(1);
        let pause = every.saturating_mul(1 << self.failures.min(10)).min(every.max(600));
        self.ask_at = now.saturating_add(pause);
    }
}

/// A signed checkpoint that was seen.
struct SeenCheckpoint {
    sighting: Sighting,
    checkpoint: Checkpoint,
}

/// A checkpoint that the log signed.
struct Signed {
    seen: SeenCheckpoint,
    /// The policy's quorum cosigned it.
    is_cosigned: bool,
    /// What is wrong with it all the same.
    problem: Option<String>,
}

/// What an address shows now.
struct Shown {
    seen: SeenCheckpoint,
    client: Client,
    standing: Standing,
}

impl Shown {
    /// Whether the log signed that this is all, later than something was seen, in seconds.
    fn is_after(&self, seen: u64, bounds: Bounds) -> bool {
        let least = seen.saturating_add(1).saturating_mul(SECOND).saturating_add(bounds.skew);
        matches!(self.standing, Standing::Decides { at } if at > least)
    }
}

/// Why a look ends early.
enum Ended {
    Found(Box<Evidence>),
    UnusableInput(UnusableInput),
}

impl From<UnusableInput> for Ended {
    fn from(why: UnusableInput) -> Self {
        Ended::UnusableInput(why)
    }
}

fn found(finding: Finding, notes: Vec<Sighting>) -> Ended {
    Ended::Found(Box::new(Evidence::new(finding, notes)))
}

impl Followed {
    /// Looks at all addresses that are due, audits what is new, and remembers it.
    pub fn look(
        &mut self,
        watched_addresses: &mut [WatchedAddress],
        memory: &mut Memory,
        every: u64,
        now: u64,
        stop: &AtomicBool,
    ) -> Result<Looked, UnusableInput> {
        let before = self.progress.tree.size();
        let mut looked = Looked { time: now, ..Looked::default() };
        let ended = self.look_at(watched_addresses, memory, (every, now), stop, &mut looked);
        let ended = ended.and_then(|()| self.read_old(memory, &mut looked));
        looked.entries = self.progress.tree.size();
        looked.new_entries = looked.entries.saturating_sub(before);
        looked.root = self.progress.tree.root().to_string();
        let book = self.progress.book.report();
        let is_complete = book.is_complete() && continues::is_shown(book.goes_on_from.as_ref(), self.old_log.as_ref());
        looked.old_log = self.old_log.clone().filter(|_| book.goes_on_from.is_some());
        (looked.ended, looked.goes_on_from) = (book.ended, book.goes_on_from);
        let answered = looked.addresses.iter().any(|address| address.size.is_some());
        // Where nobody signs that this is all there is more may be hidden.
        let is_all = looked.addresses.iter().any(|address| address.decides);
        looked.verdict = match (answered, is_complete && is_all) {
            (true, true) => "sound",
            (true, false) => "sound_so_far",
            (false, _) => "not_answering",
        };
        match ended {
            Ok(()) => Ok(looked),
            Err(Ended::UnusableInput(why)) => Err(why),
            Err(Ended::Found(evidence)) => {
                looked.verdict = "not_sound";
                looked.finding = Some(evidence.finding.clone());
                looked.evidence = Some(evidence);
                Ok(looked)
            }
        }
    }

    /// The log that this one goes on from, read once: what it is does not change any more.
    fn read_old(&mut self, memory: &Memory, looked: &mut Looked) -> Result<(), Ended> {
        let goes_on = self.progress.book.report().goes_on_from.is_some();
        if self.continues.is_empty() || self.old_log.is_some() || !goes_on {
            return Ok(());
        }
        let answers = looked.addresses.iter().find(|address| address.size.is_some());
        let (Some(audited), Some(address)) = (&self.audited, answers) else { return Ok(()) };
        let client = Client::new(&address.from);
        let read = WholeLog::under_note(client, &audited.note, &self.key)
            .and_then(|log| continues::read_old(&log, &self.continues));
        match read {
            Ok(old) => {
                old.iter().try_for_each(|old| memory.keep_old_log(old))?;
                self.old_log = old;
                Ok(())
            }
            // The log itself is followed all the same.
            Err(LogError::UnusableInput(UnusableInput(why))) => {
                looked.addresses.push(AddressReport::without(&self.continues.join(" "), why));
                Ok(())
            }
            Err(LogError::Found(finding)) => {
                let mut evidence = Evidence::new(finding, vec![audited.clone()]);
                let audited = self.verified(audited)?;
                let client = Client::new(&address.from);
                evidence.entry = entry_proof(&evidence.finding, &self.progress, &audited, &client);
                Err(Ended::Found(Box::new(evidence)))
            }
        }
    }

    fn look_at(
        &mut self,
        watched_addresses: &mut [WatchedAddress],
        memory: &mut Memory,
        (every, now): (u64, u64),
        stop: &AtomicBool,
        looked: &mut Looked,
    ) -> Result<(), Ended> {
        // Witnesses are asked first: what they have seen by then, the addresses can show.
        let copies = self.witness_copies(now, looked);
        let mut shown: Vec<Shown> = Vec::new();
        let mut cosigned: Vec<SeenCheckpoint> = Vec::new();
        for watched in watched_addresses.iter_mut().filter(|watched| watched.ask_at <= now) {
            let client = Client::new(&watched.address);
            // Asked before, so that it is not newer than the checkpoint itself. Not every log has one.
            let witnessed =
                self.policy.is_some().then(|| client.get("checkpoint/witnessed", MAX_NOTE as u64).ok()).flatten();
            let shows = client.get_ok("checkpoint", MAX_NOTE as u64).and_then(|note| {
                let standing = client.standing(&String::from_utf8_lossy(&note), &self.key)?;
                Ok((standing, note))
            });
            let (standing, note) = match shows {
                Ok(shows) => shows,
                Err(UnusableInput(why)) => {
                    watched.failed(every, now);
                    looked.addresses.push(AddressReport::without(&watched.address, why));
                    continue;
                }
            };
            (watched.failures, watched.ask_at) = (0, 0);
            // As late as it can have been shown: what is compared with it must come after it.
            let seen_at = now.max(now_ms() / SECOND);
            let Signed { seen, mut is_cosigned, mut problem } = match self.signed(&watched.address, &note, seen_at) {
                Ok(signed) => signed,
                Err(UnusableInput(why)) => {
                    let why = match names_another(&note, &self.key) {
                        Some(other) => self.about_another(&watched.address, &note, &other),
                        None => {
                            watched.failed(every, now);
                            why
                        }
                    };
                    looked.addresses.push(AddressReport::without(&watched.address, why));
                    continue;
                }
            };
            if let Some(Answer { status: 200, body }) = witnessed {
                match self.signed(&format!("{} witnessed", watched.address), &body, now) {
                    Ok(signed) => {
                        is_cosigned |= signed.is_cosigned;
                        problem = problem.or(signed.problem);
                        cosigned.push(signed.seen);
                    }
                    Err(UnusableInput(why)) => problem = problem.or(Some(why)),
                }
            }
            looked.quorum = self.policy.as_ref().map(|_| looked.quorum.unwrap_or(true) && is_cosigned);
            looked.addresses.push(AddressReport {
                from: watched.address.clone(),
                size: Some(seen.checkpoint.size),
                own_time: own_time(&seen.sighting.note, &self.key),
                decides: matches!(standing, Standing::Decides { .. }),
                follows: matches!(standing, Standing::Follows { .. }),
                problem,
            });
            shown.push(Shown { seen, client, standing });
        }
        let sightings: Vec<Sighting> =
            shown.iter().map(|shown| &shown.seen).chain(&cosigned).map(|seen| seen.sighting.clone()).collect();
        memory.add_to_history(&sightings)?;
        let mut known = self.known(memory, copies)?;
        let behind = self.compare_with_themselves(memory, &shown, &mut looked.addresses)?;
        known.extend(shown.iter().map(|Shown { seen, .. }| SeenCheckpoint {
            sighting: seen.sighting.clone(),
            checkpoint: seen.checkpoint.clone(),
        }));
        known.extend(cosigned);
        compare_by_size(&known)?;

        // The address that shows most, and, where what it serves is not what was signed, the next one.
        let mut largest: Vec<&Shown> = shown.iter().collect();
        largest.sort_by_key(|shown| std::cmp::Reverse(shown.seen.checkpoint.size));
        for Shown { seen, client, standing } in &largest {
            if seen.checkpoint.size <= self.progress.tree.size() {
                break;
            }
            let address = looked.addresses.iter_mut().find(|address| address.from == seen.sighting.from);
            match self.audit_up_to(seen, client, memory, stop) {
                Ok(doubted) => {
                    if let (Some(what), Some(address), Standing::Follows { .. }) = (doubted, address, standing) {
                        address.problem = Some(what);
                    }
                    break;
                }
                Err(Ended::UnusableInput(UnusableInput(why))) if !stop.load(Ordering::Relaxed) => {
                    self.go_back(memory)?;
                    address.into_iter().for_each(|address| {
                        *address = AddressReport::without(&seen.sighting.from, why.clone());
                    });
                    let mut watched = watched_addresses.iter_mut();
                    let watched = watched.find(|watched| watched.address == seen.sighting.from);
                    watched.into_iter().for_each(|watched| watched.failed(every, now));
                }
                Err(ended) => return Err(ended),
            }
        }
        let clients: Vec<&Client> = largest.iter().map(|shown| &shown.client).collect();
        let ahead = self.compare_with_tree(&known, &clients)?;
        let ahead = self.still_ahead(ahead, memory, now, &shown, &mut looked.addresses)?;
        if let (Some(audited), true) = (&self.audited, self.is_new) {
            self.progress.keep(&memory.audit_state(), &audited.note, &self.key, self.key_trusted)?;
            self.is_new = false;
        }
        memory.remember(&sightings, &behind, ahead)?;
        Ok(())
    }

    /// What an address shows must be signed by the log. *Attack, or accident: a page of a proxy, a note cut short, one that a
    /// stranger signed. Whoever stands before the log can serve it, and nobody else is convicted by it.*
    fn signed(&self, from: &str, note: &[u8], now: u64) -> Result<Signed, UnusableInput> {
        let sighting = Sighting { from: from.to_owned(), time: now, note: String::from_utf8_lossy(note).into_owned() };
        let checkpoint = verify_checkpoint(&sighting.note, &self.key).map_err(|e| {
            let what = not_signed(&sighting.note, &self.key, &e).message;
            UnusableInput::new(format!("it shows what the log did not sign: {what}; it is {}", came(note)))
        })?;
        let (is_cosigned, problem) = match self.policy.as_ref().map(|policy| policy.verify_checkpoint(&sighting.note)) {
            None | Some(Err(ReceiptError::QuorumNotMet { .. })) => (false, None),
            Some(Ok(_)) => (true, None),
            // The log signed it all the same: it is compared as any other.
            Some(Err(e)) => (false, Some(format!("{from}: it shows what no known witness signed: {e}"))),
        };
        Ok(Signed { seen: SeenCheckpoint { sighting, checkpoint }, is_cosigned, problem })
    }

    /// Takes up again what was kept of the audit, after a reading that came to nothing.
    fn go_back(&mut self, memory: &Memory) -> Result<(), UnusableInput> {
        let saved = SavedAudit::read(&memory.audit_state(), Some(&self.key), limits(None))?;
        let fresh = || Progress::new(limits(Some(self.key.name())), Some(&self.state));
        self.progress = saved.map_or_else(fresh, |saved| saved.progress);
        Ok(())
    }

    /// What is said of an address that shows another log: whether it is the one that goes on from this one, as this log
    /// named it when it ended; where it named none, as its key signed.
    fn about_another(&mut self, address: &str, note: &[u8], other: &str) -> String {
        let next = match self.progress.book.report().ended {
            Some(EndedFor { vkey, .. }) => vkey.parse().ok(),
            None => continues::goes_on_at(address, &self.key),
        };
        let next = next.filter(|next| verify_checkpoint(&String::from_utf8_lossy(note), next).is_ok());
        match next {
            Some(next) => format!(
                "it shows the log that goes on from this one, with the key {next}: follow that one there, and this one where it is still served"
            ),
            None => format!(
                "it shows the log `{other}`, which nothing here says to go on from this one: name an address where this one is served"
            ),
        }
    }

    /// The witnesses' own copies; a witness without one, or one that does not answer, is said and no more.
    fn witness_copies(&self, now: u64, looked: &mut Looked) -> Vec<SeenCheckpoint> {
        let mut copies = Vec::new();
        for witness in self.policy.iter().flat_map(|policy| policy.witnesses()) {
            let Some(url) = witness.url.as_ref().and_then(|url| String::from_utf8(url.clone()).ok()) else { continue };
            let from = format!("witness {}", witness.key.name());
            let path = format!("checkpoint?origin={}", in_query(self.key.name()));
            let copy =
                Client::new(&url).get_ok(&path, MAX_NOTE as u64).map_err(|UnusableInput(why)| why).and_then(|note| {
                    let note = String::from_utf8(note).map_err(|e| e.to_string())?;
                    let checkpoint =
                        verify_checkpoint(&note, &self.key).map_err(|e| format!("its copy is not the log's: {e}"))?;
                    Ok(SeenCheckpoint { sighting: Sighting { from: from.clone(), time: now, note }, checkpoint })
                });
            let (size, problem) = match &copy {
                Ok(seen) => (Some(seen.checkpoint.size), None),
                Err(why) => (None, Some(why.clone())),
            };
            looked.witnesses.push(AddressReport {
                from,
                size,
                own_time: None,
                decides: false,
                follows: false,
                problem,
            });
            copies.extend(copy);
        }
        copies
    }

    /// Everything that was signed for this log and is known here besides what addresses show now.
    fn known(&self, memory: &Memory, copies: Vec<SeenCheckpoint>) -> Result<Vec<SeenCheckpoint>, UnusableInput> {
        let verified = self.audited.iter().chain(memory.ahead());
        let verified = verified.map(|sighting| self.verified(sighting)).collect::<Result<Vec<_>, _>>()?;
        Ok(verified.into_iter().chain(copies).collect())
    }

    fn verified(&self, sighting: &Sighting) -> Result<SeenCheckpoint, UnusableInput> {
        let checkpoint = verify_checkpoint(&sighting.note, &self.key).map_err(|e| {
            UnusableInput::new(format!(
                "what is kept of {} is damaged: {e}; remove the monitor's folder to start afresh",
                sighting.from
            ))
        })?;
        Ok(SeenCheckpoint { sighting: sighting.clone(), checkpoint })
    }

    /// Each address against the most that it showed before. Less than that is a finding where the log signs, later than that was
    /// seen, that it is all: a node that follows may have begun anew, behind one address may stand several, a cache may be
    /// old. Those that show less are given back, and what they show is held against the tree all the same.
    fn compare_with_themselves(
        &self,
        memory: &Memory,
        shown: &[Shown],
        told: &mut [AddressReport],
    ) -> Result<Vec<String>, Ended> {
        let mut behind = Vec::new();
        for shown in shown {
            let seen = &shown.seen;
            let Some(before) = memory.last_from(&seen.sighting.from) else { continue };
            let before = self.verified(before)?;
            if let Err(finding) = goes_on(&before.checkpoint, &seen.checkpoint) {
                if finding.check == Check::Truncated && !shown.is_after(before.sighting.time, self.bounds) {
                    let from = before.sighting.from;
                    let problem = format!(
                        "{}; it does not sign that this is all there is: name the node that leads, too",
                        finding.message
                    );
                    told.iter_mut().filter(|address| address.from == from).for_each(|address| {
                        address.problem = Some(problem.clone());
                    });
                    behind.push(from);
                    continue;
                }
                return Err(found(finding, vec![seen.sighting.clone(), before.sighting]));
            }
        }
        Ok(behind)
    }

    /// How many entries the log said to have by its own time, at what was seen last, and when (seconds): the latest. No later
    /// than it was seen: *a house whose clock was ahead signed what it did not mean.* Of what bears none (static files, caches,
    /// nodes that follow) nothing says that there was no more.
    fn before(&self, memory: &Memory) -> Result<Option<(SeenCheckpoint, u64)>, UnusableInput> {
        let size = self.progress.tree.size();
        let own_time = |seen: SeenCheckpoint| {
            own_time(&seen.sighting.note, &self.key)
                .map(|at| (at.min(seen.sighting.time), seen))
                .map(|(at, seen)| (seen, at))
        };
        let seen = memory.seen().iter().map(|sighting| self.verified(sighting)).collect::<Result<Vec<_>, _>>()?;
        let seen = seen.into_iter().filter(|seen| seen.checkpoint.size <= size).filter_map(own_time);
        Ok(seen.max_by_key(|(_, at)| *at))
    }

    /// What is new at an address is dated before this monitor's last look there, and the log had not signed then that it had
    /// nothing more: no finding, and not nothing. *A house that signs no time, or an odd one, and dates its entries back.*
    fn doubted(&self, memory: &Memory, newest: &SeenCheckpoint, first: Option<u64>) -> Option<String> {
        let last = memory.last_from(&newest.sighting.from)?;
        let is_fresh =
            |seen: &Sighting| own_time(&seen.note, &self.key).is_some_and(|at| at.abs_diff(seen.time) <= FRESH);
        // Whoever signed that it was all bounds what came after it.
        if memory.seen().iter().any(is_fresh) {
            return None;
        }
        let looked = last.time.saturating_mul(SECOND);
        let first = first.filter(|first| *first < self.bounds.earliest(looked))?;
        Some(format!(
            "new entries are dated from {} on, and were not here at {}; nobody signed then that this was all, so nothing says when they were written: name the node \
             that leads, too",
            utc(first),
            utc(looked)
        ))
    }

    /// Reads and audits what is new at an address.
    fn audit_up_to(
        &mut self,
        newest: &SeenCheckpoint,
        client: &Client,
        memory: &Memory,
        stop: &AtomicBool,
    ) -> Result<Option<String>, Ended> {
        let base = client.base().to_owned();
        let before = self.before(memory)?;
        let notes = || {
            let before = before.iter().map(|(seen, _)| seen.sighting.clone());
            std::iter::once(newest.sighting.clone()).chain(before).collect::<Vec<_>>()
        };
        let log = match WholeLog::under_note(Client::new(&base), &newest.sighting.note, &self.key) {
            Ok(log) => log,
            Err(LogError::UnusableInput(why)) => return Err(why.into()),
            Err(LogError::Found(finding)) => return Err(found(finding, notes())),
        };
        let own_time = before.as_ref().map(|(seen, at)| (seen.checkpoint.size, at.saturating_mul(SECOND)));
        let mut saved = SavedEvidence::of_looks(OwnClock::new(self.bounds, log.read_at, own_time));
        let fresh = || Progress::new(limits(Some(self.key.name())), Some(&self.state));
        let progress = std::mem::replace(&mut self.progress, fresh());
        let from = progress.tree.clone();
        let Audited { progress, found: finding, .. } = audit(&log, &mut Acks::default(), &mut saved, progress, stop)?;
        let first = saved.first_time();
        let Some(finding) = finding.or(saved.into_report(false).finding) else {
            let doubted = self.doubted(memory, newest, first);
            self.progress = progress;
            self.audited = Some(newest.sighting.clone());
            self.is_new = true;
            return Ok(doubted);
        };
        // What another history adds fits nothing here: the tree that is signed says whether it goes on from ours.
        if let Some(before) = &self.audited
            && let Ok(Some(tree)) = tiles::served_tree(client, &newest.checkpoint)
            && let Ok((hashes, root)) =
                tiles::prefix(&tree, from.size(), &Tiles { seen: &Default::default(), client: Some(client) })
            && root != from.root()
        {
            let mut evidence =
                Evidence::new(forked(from.size(), from.root(), root), vec![before.clone(), newest.sighting.clone()]);
            evidence.prefix =
                Some(PrefixProof { size: from.size(), of: newest.checkpoint.size, hashes: encode(&hashes) });
            return Err(Ended::Found(Box::new(evidence)));
        }
        let mut evidence = Evidence::new(finding, notes());
        evidence.entry = entry_proof(&evidence.finding, &progress, newest, client);
        Err(Ended::Found(Box::new(evidence)))
    }

    /// Every checkpoint against the tree that was audited; those that are longer are given back. What tiles lack that were
    /// kept, one of the addresses has.
    fn compare_with_tree<'s>(
        &self,
        known: &'s [SeenCheckpoint],
        clients: &[&Client],
    ) -> Result<Vec<&'s SeenCheckpoint>, Ended> {
        let tree = &self.progress.tree;
        let longer = known.iter().filter(|seen| seen.checkpoint.size > tree.size()).collect();
        let Some(audited) = &self.audited else { return Ok(longer) };
        for seen in known.iter().filter(|seen| seen.checkpoint.size < tree.size()) {
            let prefix =
                |client| tiles::prefix(tree, seen.checkpoint.size, &Tiles { seen: &self.progress.seen, client });
            let others = clients.iter().map(|client| Some(*client));
            let (hashes, root) = others.fold(prefix(None), |found, client| found.or_else(|_| prefix(client)))?;
            if root != seen.checkpoint.root {
                let finding = forked(seen.checkpoint.size, seen.checkpoint.root, root);
                let mut evidence = Evidence::new(finding, vec![seen.sighting.clone(), audited.clone()]);
                evidence.prefix =
                    Some(PrefixProof { size: seen.checkpoint.size, of: tree.size(), hashes: encode(&hashes) });
                return Err(Ended::Found(Box::new(evidence)));
            }
        }
        Ok(longer)
    }

    /// What witnesses have seen and no address shows: for a while a cache may be the reason.
    fn still_ahead(
        &self,
        ahead: Vec<&SeenCheckpoint>,
        memory: &Memory,
        now: u64,
        shown: &[Shown],
        told: &mut [AddressReport],
    ) -> Result<Vec<Sighting>, Ended> {
        let mut still: Vec<Sighting> = Vec::new();
        for seen in ahead {
            if still.iter().any(|other| other.note == seen.sighting.note) {
                continue;
            }
            let earlier = memory.ahead().iter().find(|earlier| earlier.note == seen.sighting.note);
            let sighting = earlier.unwrap_or(&seen.sighting).clone();
            if now.saturating_sub(sighting.time) > AHEAD_LIMIT {
                let what = format!(
                    "{} has seen {} entries since more than {AHEAD_LIMIT} s, the addresses show {}",
                    sighting.from,
                    seen.checkpoint.size,
                    self.progress.tree.size()
                );
                // Where nobody signs that this is all, nobody can tell what the one that leads would show.
                match shown.iter().find(|shown| shown.is_after(sighting.time, self.bounds)) {
                    Some(first) => {
                        let notes = vec![first.seen.sighting.clone(), sighting];
                        return Err(found(Finding::new(Check::Truncated, what), notes));
                    }
                    None => told.iter_mut().filter(|address| address.size.is_some()).for_each(|address| {
                        address.problem =
                            Some(format!("{what}; it does not sign that this is all: name the node that leads, too"));
                    }),
                }
            }
            still.push(sighting);
        }
        Ok(still)
    }
}

/// Two checkpoints of one size and different roots.
fn compare_by_size(known: &[SeenCheckpoint]) -> Result<(), Ended> {
    for (at, one) in known.iter().enumerate() {
        for other in known.iter().skip(at + 1).filter(|other| other.checkpoint.size == one.checkpoint.size) {
            if let Err(finding) = goes_on(&one.checkpoint, &other.checkpoint) {
                return Err(found(finding, vec![one.sighting.clone(), other.sighting.clone()]));
            }
        }
    }
    Ok(())
}

/// The entry that a finding names, with its place under the checkpoint, where it can be had.
fn entry_proof(finding: &Finding, progress: &Progress, newest: &SeenCheckpoint, client: &Client) -> Option<EntryProof> {
    let size = newest.checkpoint.size;
    let index =
        finding.entry.filter(|_| progress.tree.size() == size && progress.tree.root() == newest.checkpoint.root)?;
    let bytes = tiles::entry(client, index, size)?;
    let tiles = Tiles { seen: &progress.seen, client: Some(client) };
    let hashes = progress.tree.inclusion_proof(index, size, &tiles).ok()?;
    Some(EntryProof { index, entry: STANDARD.encode(bytes), of: size, hashes: encode(&hashes) })
}
