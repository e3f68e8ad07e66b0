//! A monitor: it follows a log at several addresses, audits what is new, and keeps evidence (spec/audit.md, "Monitor").

pub mod evidence;
mod evidence_file;
mod look;
mod memory;
mod tiles;
mod webhook;

use crate::cli::MonitorArgs;
use crate::clock::Bounds;
use crate::http::Client;
use crate::log::limits;
use crate::outcome::{Outcome, UnusableInput, say};
use crate::progress::{Progress, SavedAudit};
use crate::source::{is_address, read_file, trusted};
use crate::tiled::Tiled;
use evidence::{Evidence, Sighting};
use fairshoe_judge::audit::{EndedFor, GoesOnFrom};
use fairshoe_judge::utc;
use fairshoe_tlog::{MAX_POLICY, Policy, VerifierKey};
use look::{AddressReport, Followed, Looked, WatchedAddress};
use memory::Memory;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a stop may take to be seen.
const WINK: Duration = Duration::from_millis(100);

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// `monitor`: looks again and again until something does not hold or it is told to stop.
pub fn run(args: &MonitorArgs) -> Result<Outcome, UnusableInput> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, stop.clone()).map_err(UnusableInput::new)?;
    }
    for address in &args.addresses {
        if !is_address(address)? {
            return Err(UnusableInput::new(format!(
                "{address} is no address (http://…); a folder is audited by `log --state`"
            )));
        }
    }
    let policy = args.policy.as_deref().map(read_policy).transpose()?;
    let mut memory = Memory::open(&args.state)?;
    let saved = SavedAudit::read(&memory.audit_state(), None, limits(None))?;
    let (key, key_trusted) = the_key(args, policy.as_ref(), saved.as_ref(), &stop)?;
    memory.belongs_to(&key)?;
    let bounds = Bounds::new(args.clock.skew, args.clock.delay);
    let old_log = memory.old_log()?;
    let mut followed = follow((&key, key_trusted), policy, saved, (bounds, memory.audit_state()))?;
    (followed.continues, followed.old_log) = (args.continues.clone(), old_log);
    let mut watched_addresses: Vec<WatchedAddress> = args
        .addresses
        .iter()
        .map(|address| WatchedAddress { address: address.clone(), failures: 0, ask_at: 0 })
        .collect();
    if !args.common.json {
        let whose =
            if key_trusted { "the key you named" } else { "UNVERIFIED: compare it with the one you know the log by" };
        say(format!("key {key} ({whose})"));
    }
    while !stop.load(Ordering::Relaxed) {
        let mut looked = match followed.look(&mut watched_addresses, &mut memory, args.every, now(), &stop) {
            Ok(looked) => looked,
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(why) if args.once => return Err(why),
            Err(UnusableInput(why)) => {
                // An address may fail in the middle of being read; what was found right before still stands.
                eprintln!("fairshoe-audit: {why}");
                // Back to what was found right last.
                let saved = SavedAudit::read(&memory.audit_state(), Some(&key), limits(None))?;
                let (policy, old_log) = (followed.policy.take(), followed.old_log.take());
                followed = follow((&key, key_trusted), policy, saved, (bounds, memory.audit_state()))?;
                (followed.continues, followed.old_log) = (args.continues.clone(), old_log);
                wait(args.every, &stop);
                continue;
            }
        };
        let evidence =
            looked.evidence.take().map(|evidence| keep_evidence(*evidence, args, &memory, (&key, key_trusted)));
        looked.file = evidence.as_ref().and_then(|(_, file)| file.clone());
        // Where every address is given time, there is nothing to say.
        if !looked.addresses.is_empty() || evidence.is_some() {
            say_look(&looked, args.common.json);
        }
        if let Some((evidence, file)) = evidence {
            raise(&evidence, file.as_deref(), args);
            return Ok(Outcome::NotSound);
        }
        if args.once {
            let silent = looked.addresses.iter().find_map(|address| address.problem.as_ref());
            return silent.map_or(Ok(Outcome::Sound), |why| Err(UnusableInput::new(why)));
        }
        wait(args.every, &stop);
    }
    Ok(Outcome::Sound)
}

/// Sleeps, unless it is told to stop.
pub(crate) fn wait(seconds: u64, stop: &AtomicBool) {
    let until = std::time::Instant::now() + Duration::from_secs(seconds);
    while !stop.load(Ordering::Relaxed) && std::time::Instant::now() < until {
        sleep(WINK);
    }
}

fn read_policy(path: &Path) -> Result<Policy, UnusableInput> {
    let bytes = read_file(path, MAX_POLICY as u64)?;
    Policy::parse(&bytes).map_err(|e| UnusableInput::new(format!("{}: {e}", path.display())))
}

/// The key: the one named, the policy's, the one kept from before, or, unverified, the one that the log names.
fn the_key(
    args: &MonitorArgs,
    policy: Option<&Policy>,
    saved: Option<&SavedAudit>,
    stop: &AtomicBool,
) -> Result<(VerifierKey, bool), UnusableInput> {
    if let Some(key) = trusted(args.common.key.as_deref())? {
        if policy.is_some_and(|policy| policy.logs().iter().all(|log| log.key != key)) {
            return Err(UnusableInput::new("the policy does not name the log with this key"));
        }
        return Ok((key, true));
    }
    match policy.map(Policy::logs) {
        Some([log]) => return Ok((log.key.clone(), true)),
        Some(_) => {
            return Err(UnusableInput::new("the policy does not name just one log; say by --key which to follow"));
        }
        None => {}
    }
    if let Some(saved) = saved {
        return Ok((saved.key.clone(), saved.key_trusted));
    }
    loop {
        let asked = args.addresses.iter().map(|address| Tiled::Address(Client::new(address)).own_key());
        let mut last = UnusableInput::new("no address");
        for answer in asked {
            match answer {
                Ok(key) => return Ok((key, false)),
                Err(why) => last = why,
            }
        }
        if args.once || stop.load(Ordering::Relaxed) {
            return Err(last);
        }
        eprintln!("fairshoe-audit: {}", last.0);
        wait(args.every, stop);
    }
}

fn follow(
    (key, key_trusted): (&VerifierKey, bool),
    policy: Option<Policy>,
    saved: Option<SavedAudit>,
    (bounds, state): (Bounds, PathBuf),
) -> Result<Followed, UnusableInput> {
    let saved = match saved {
        Some(saved) if saved.key != *key => {
            return Err(UnusableInput::new(format!(
                "the audit kept here is of the log with the key {}, not of {key}",
                saved.key
            )));
        }
        saved => saved,
    };
    let (progress, audited) = match saved {
        Some(SavedAudit { note, progress, .. }) => {
            (progress, Some(Sighting { from: "this monitor's last look".into(), time: now(), note }))
        }
        None => (Progress::new(limits(Some(key.name())), Some(&state)), None),
    };
    let (key, is_new, continues, old_log) = (key.clone(), false, Vec::new(), None);
    Ok(Followed { key, key_trusted, policy, bounds, state, progress, audited, is_new, continues, old_log })
}

/// Writes evidence down; a failure does not hide the verdict.
fn keep_evidence(
    mut evidence: Evidence,
    args: &MonitorArgs,
    memory: &Memory,
    (key, key_trusted): (&VerifierKey, bool),
) -> (Evidence, Option<PathBuf>) {
    evidence.vkey = key.to_string();
    evidence.key_trusted = key_trusted;
    evidence.time = now();
    evidence.addresses.clone_from(&args.addresses);
    let written = memory.write_evidence(&evidence);
    if let Err(UnusableInput(why)) = &written {
        eprintln!("fairshoe-audit: the evidence could not be written: {why}");
        // Better on the screen than nowhere.
        eprintln!("{}", serde_json::to_string(&evidence).unwrap_or_default());
    }
    (evidence, written.ok())
}

/// Raises the alarm; a failure is said and does not hide the verdict.
fn raise(evidence: &Evidence, file: Option<&Path>, args: &MonitorArgs) {
    if let Some(url) = &args.webhook
        && let Err(why) = webhook::call(url, evidence, file)
    {
        eprintln!("fairshoe-audit: {url} was not told: {why}");
    }
}

fn say_look(looked: &Looked, json: bool) {
    if json {
        // One line a look, so that a program can follow.
        return say(serde_json::to_string(looked).unwrap_or_default());
    }
    let at = utc(looked.time.saturating_mul(1_000));
    for AddressReport { from, problem, .. } in looked.addresses.iter().chain(&looked.witnesses) {
        if let Some(why) = problem {
            say(format!("{at}  {from} does not answer as it should: {why}"));
        }
    }
    match (&looked.old_log, &looked.goes_on_from) {
        (Some(old), _) => old.words().iter().for_each(|line| say(format!("{at}  {}", line.trim_start()))),
        (None, Some(GoesOnFrom { origin, size })) => say(format!(
            "{at}  this log goes on from `{origin}` at its {size} entries, which were not read: add `--continues` with that log"
        )),
        (None, None) => {}
    }
    if let Some(EndedFor { origin, vkey }) = &looked.ended {
        say(format!("{at}  this log has ended, and goes on as `{origin}` with the key {vkey}: follow that one, too"));
    }
    match &looked.finding {
        Some(finding) => {
            say(format!("{at}  NOT SOUND. {finding}"));
            if let Some(file) = &looked.file {
                say(format!("evidence    {}", file.display()));
            }
        }
        None => {
            let answered = looked.addresses.iter().filter(|address| address.size.is_some()).count();
            let witnesses = looked.witnesses.iter().filter(|witness| witness.size.is_some()).count();
            let quorum = match looked.quorum {
                Some(true) => format!(", cosigned, {witnesses} witnesses agree"),
                Some(false) => format!(", NOT cosigned by the policy's quorum, {witnesses} witnesses agree"),
                None => String::new(),
            };
            let entries = format!("{} entries ({} new)", looked.entries, looked.new_entries);
            let follow = looked.addresses.iter().filter(|address| address.follows).count();
            let signs = looked.addresses.iter().any(|address| address.decides);
            // What they lack is nobody's fault that could be shown here.
            let follow = match follow {
                _ if answered == 0 => String::new(),
                0 if signs => String::new(),
                _ if !signs => ", none of which signs now that this is all there is".to_owned(),
                _ => format!(", {follow} of them follow another node"),
            };
            say(format!(
                "{at}  {entries}, {answered} of {} addresses{follow}{quorum}: {}",
                looked.addresses.len(),
                looked.verdict
            ));
        }
    }
}
