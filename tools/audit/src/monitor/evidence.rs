//! The file that shows others what a monitor found: signed notes, verbatim, and the proof that they contradict each
//! other (spec/audit.md, "Evidence").

pub use super::evidence_file::{EntryProof, Evidence, FORMAT, PrefixProof, Sighting};
use crate::cli::EvidenceArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{parse_key, read_file, trusted};
use crate::statement::Statement;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fairshoe_house::Entry;
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::utc;
use fairshoe_tlog::{
    Checkpoint, Hash, MAX_ENTRY, MAX_PROOF, VerifierKey, leaf_hash, prefix_root, verify_checkpoint, verify_inclusion,
};
use serde::Serialize;

/// The longest evidence file, in bytes: a few notes of the greatest length and an entry.
pub const MAX_EVIDENCE: u64 = 4 << 20;

/// The most notes in one file.
const MAX_NOTES: usize = 16;

pub fn encode(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(Hash::to_string).collect()
}

fn decode(hashes: &[String]) -> Result<Vec<Hash>, String> {
    // A prefix proof has one hash more than a consistency proof.
    if hashes.len() > MAX_PROOF + 1 {
        return Err(format!("a proof has at most {} hashes", MAX_PROOF + 1));
    }
    hashes.iter().map(|hash| hash.parse::<Hash>().map_err(|e| e.to_string())).collect()
}

/// What a file shows to somebody who has nothing else but the log's key.
#[derive(Debug, PartialEq, Eq)]
pub enum Shown {
    /// The log contradicts itself, or holds what no log may: in these words.
    Proven(String),
    /// Nothing by itself, and why.
    NotProven(String),
}

/// Checks a file's signatures and proofs.
///
/// # Errors
/// Why it is no evidence at all.
pub fn check(evidence: &Evidence, key: &VerifierKey) -> Result<Shown, String> {
    if evidence.fairshoe_evidence != FORMAT {
        return Err(format!("evidence of version {} is not known here", evidence.fairshoe_evidence));
    }
    if evidence.notes.len() > MAX_NOTES {
        return Err(format!("more than {MAX_NOTES} checkpoints"));
    }
    // A note that the key did not sign is what a finding may be about; it proves nothing of the log.
    let signed: Vec<Checkpoint> =
        evidence.notes.iter().filter_map(|seen| verify_checkpoint(&seen.note, key).ok()).collect();
    for (at, one) in signed.iter().enumerate() {
        if let Some(other) = signed.iter().skip(at + 1).find(|other| other.size == one.size && other.root != one.root) {
            let what = format!(
                "{} signed two checkpoints of {} entries, with the roots {} and {}",
                key.name(),
                one.size,
                one.root,
                other.root
            );
            return Ok(Shown::Proven(what));
        }
    }
    let statements: Vec<Statement> =
        evidence.notes.iter().filter_map(|seen| Statement::read(seen.note.as_bytes(), key).ok()).collect();
    for (at, one) in statements.iter().enumerate() {
        let differing = statements.iter().skip(at + 1).find_map(|other| one.contradicts(other).ok().flatten());
        if let Some(what) = differing {
            return Ok(Shown::Proven(what));
        }
    }
    if let Some(prefix) = &evidence.prefix {
        let of = |size| {
            signed
                .iter()
                .find(|checkpoint| checkpoint.size == size)
                .ok_or(format!("no checkpoint of {size} entries is signed"))
        };
        let (older, newer) = (of(prefix.size)?, of(prefix.of)?);
        let root =
            prefix_root(older.size, newer.size, &newer.root, &decode(&prefix.hashes)?).map_err(|e| e.to_string())?;
        return Ok(if root == older.root {
            Shown::NotProven("the newer checkpoint goes on from the older one".into())
        } else {
            Shown::Proven(format!(
                "{} signed root {} for {} entries, and a tree of {} entries whose first {} lead to {root}",
                key.name(),
                older.root,
                older.size,
                newer.size,
                older.size
            ))
        });
    }
    if let Some(proof) = &evidence.entry {
        let newer = signed.iter().find(|checkpoint| checkpoint.size == proof.of);
        let newer = newer.ok_or(format!("no checkpoint of {} entries is signed", proof.of))?;
        let bytes = STANDARD.decode(&proof.entry).map_err(|e| e.to_string())?;
        if bytes.len() > MAX_ENTRY {
            return Err("longer than an entry can be".into());
        }
        verify_inclusion(&leaf_hash(&bytes), proof.index, newer.size, &decode(&proof.hashes)?, &newer.root)
            .map_err(|e| e.to_string())?;
        return Ok(match Entry::decode(&bytes) {
            Err(why) => Shown::Proven(format!("{} has an entry {} that is none: {why}", key.name(), proof.index)),
            Ok(_) => Shown::NotProven(format!(
                "entry {} is on the log, byte for byte; whether it breaks the rules, the entries before it say: fairshoe-audit log, or round",
                proof.index
            )),
        });
    }
    Ok(Shown::NotProven(match evidence.finding.check {
        Check::Truncated => {
            "a signed checkpoint of fewer entries is only an old one: the monitor's word stands for when it was shown"
                .into()
        }
        _ => "it rests on what the addresses served: the monitor's word stands for that".into(),
    }))
}

#[derive(Serialize)]
struct EvidenceReport<'e> {
    verdict: &'static str,
    shown: &'e str,
    finding: &'e Finding,
    key: String,
    key_trusted: bool,
    time: u64,
}

/// `evidence`: checks a file offline.
pub fn run(args: &EvidenceArgs) -> Result<Outcome, UnusableInput> {
    let no_evidence = |why: String| UnusableInput::new(format!("{} is no evidence: {why}", args.file.display()));
    let bytes = read_file(&args.file, MAX_EVIDENCE)?;
    let evidence: Evidence = serde_json::from_slice(&bytes).map_err(|e| no_evidence(e.to_string()))?;
    let named = trusted(args.common.key.as_deref())?;
    let key_trusted = named.is_some();
    let key = named.map_or_else(|| parse_key(&evidence.vkey), Ok)?;
    let shown = check(&evidence, &key).map_err(no_evidence)?;
    let (verdict, words, outcome) = match &shown {
        Shown::Proven(words) => ("proven", words, Outcome::NotSound),
        Shown::NotProven(words) => ("not_proven", words, Outcome::Sound),
    };
    if args.common.json {
        say_json(&EvidenceReport {
            verdict,
            shown: words,
            finding: &evidence.finding,
            key: key.to_string(),
            key_trusted,
            time: evidence.time,
        })?;
        return Ok(outcome);
    }
    say(format!("found       {} at {}", evidence.finding, utc(evidence.time.saturating_mul(1_000))));
    for seen in &evidence.notes {
        let what = verify_checkpoint(&seen.note, &key).map_or_else(
            |e| format!("not signed by this key: {e}"),
            |checkpoint| format!("{} entries, root {}", checkpoint.size, checkpoint.root),
        );
        say(format!("checkpoint  {what}, from {} at {}", seen.from, utc(seen.time.saturating_mul(1_000))));
    }
    let whose =
        if key_trusted { "the key you named" } else { "UNVERIFIED: compare it with the one you know the log by" };
    say(format!("key         {key} ({whose})"));
    say(format!("{}: {words}", if outcome == Outcome::NotSound { "PROVEN" } else { "NOT PROVEN by this file alone" }));
    Ok(outcome)
}
