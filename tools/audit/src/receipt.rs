//! `receipt`: receipts of a file verified under a policy, without the log (spec/receipts.md, "Verifying").

use crate::cli::ReceiptArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{parse_key, read_file};
use fairshoe_api::Receipt;
use fairshoe_house::Entry;
use fairshoe_judge::audit::{Check, Finding};
use fairshoe_judge::narrate;
use fairshoe_tlog::{MAX_ENTRY, MAX_POLICY, MAX_RECEIPT, Policy, TlogProof};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// The longest file of receipts, in bytes: the page's evidence (spec/page.md, 4.8).
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// What the page keeps as evidence, as far as receipts go.
#[derive(Deserialize)]
struct Followed {
    fairshoe_follow: u64,
    context: Vec<Receipt>,
    entries: Vec<Receipt>,
    pending: Vec<serde_json::Value>,
}

/// A saved reply: one receipt, or a whole reply that holds some among other things.
#[derive(Deserialize)]
#[serde(untagged)]
enum Saved {
    Reply { receipts: Vec<Receipt> },
    Shoe { receipt: Receipt },
    One(Receipt),
}

/// The receipts of a saved reply; `None` if the bytes are none.
pub fn receipts_in(bytes: &[u8]) -> Option<Vec<Receipt>> {
    Some(match serde_json::from_slice(bytes).ok()? {
        Saved::Reply { receipts } => receipts,
        Saved::Shoe { receipt } | Saved::One(receipt) => vec![receipt],
    })
}

#[derive(Serialize)]
struct ReceiptReport {
    verdict: &'static str,
    receipts: Vec<Checked>,
    /// Of the page's evidence: how many entries were shown without a proof, which the log can deny.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_proof: Option<usize>,
}

#[derive(Serialize)]
struct Checked {
    index: u64,
    sound: bool,
    /// The size of the checkpoint it is under.
    size: Option<u64>,
    origin: Option<String>,
    witnesses: usize,
    story: Vec<String>,
    finding: Option<Finding>,
}

/// `receipt`: each receipt of the file under the policy.
pub fn run(args: &ReceiptArgs) -> Result<Outcome, UnusableInput> {
    let policy = policy(args)?;
    let bytes = read_file(&args.file, MAX_FILE)?;
    let mut without_proof = None;
    let checked = match bytes.starts_with(b"c2sp.org/tlog-proof") {
        true => {
            let path = args.entry.as_deref().ok_or_else(|| {
                UnusableInput::new("a .tlog-proof file does not hold the entry: give its exact bytes by --entry FILE")
            })?;
            vec![check(None, &bytes, &entry_bytes(path)?, &policy)?]
        }
        false => {
            let (receipts, pending) = receipts_of(&bytes, &args.file)?;
            without_proof = pending;
            check_all(&receipts, args, &policy)?
        }
    };
    let sound = checked.iter().all(|receipt| receipt.sound);
    let report = ReceiptReport { verdict: if sound { "sound" } else { "not_sound" }, receipts: checked, without_proof };
    if args.json {
        say_json(&report)?
    } else {
        say_words(&report)
    }
    Ok(Outcome::when(sound))
}

/// The receipts of a file of JSON; of the page's evidence also how many of its entries have no proof.
fn receipts_of(bytes: &[u8], file: &Path) -> Result<(Vec<Receipt>, Option<usize>), UnusableInput> {
    let neither =
        || UnusableInput::new(format!("{} is neither a .tlog-proof file nor JSON with receipts", file.display()));
    let (receipts, without_proof) = match serde_json::from_slice::<Followed>(bytes) {
        Ok(Followed { fairshoe_follow: 1, context, entries, pending }) => {
            (context.into_iter().chain(entries).collect(), Some(pending.len()))
        }
        Ok(Followed { fairshoe_follow, .. }) => {
            return Err(UnusableInput::new(format!("the evidence has the version {fairshoe_follow}, not 1")));
        }
        Err(_) => (receipts_in(bytes).ok_or_else(neither)?, None),
    };
    if receipts.is_empty() {
        return Err(UnusableInput::new(format!("{} holds no receipt", file.display())));
    }
    Ok((receipts, without_proof))
}

fn policy(args: &ReceiptArgs) -> Result<Policy, UnusableInput> {
    match (&args.policy, &args.key) {
        (Some(path), None) => Policy::parse(&read_file(path, MAX_POLICY as u64)?)
            .map_err(|e| UnusableInput::new(format!("{}: {e}", path.display()))),
        (None, Some(key)) => Policy::for_log(parse_key(key)?).map_err(UnusableInput::new),
        _ => Err(UnusableInput::new(
            "a receipt holds no key of its own: name the log's with --key VKEY, or a policy with --policy FILE, one of them",
        )),
    }
}

fn check_all(receipts: &[Receipt], args: &ReceiptArgs, policy: &Policy) -> Result<Vec<Checked>, UnusableInput> {
    let given = args.entry.as_deref().map(entry_bytes).transpose()?;
    let entry = |receipt: &Receipt| given.clone().unwrap_or_else(|| receipt.entry.clone().into_bytes());
    receipts
        .iter()
        .map(|receipt| {
            let proof = receipt.proof().map_err(UnusableInput::new)?;
            check(Some(receipt.index), proof.as_bytes(), &entry(receipt), policy)
        })
        .collect()
}

fn entry_bytes(path: &Path) -> Result<Vec<u8>, UnusableInput> {
    if path.as_os_str() != "-" {
        return read_file(path, MAX_ENTRY as u64);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_ENTRY as u64 + 1).read_to_end(&mut bytes).map_err(UnusableInput::new)?;
    if bytes.len() > MAX_ENTRY { Err(UnusableInput::new("the entry on standard input is too long")) } else { Ok(bytes) }
}

fn check(index: Option<u64>, proof: &[u8], entry: &[u8], policy: &Policy) -> Result<Checked, UnusableInput> {
    if proof.len() > MAX_RECEIPT {
        return Err(UnusableInput::new("the receipt is too long"));
    }
    let proof = TlogProof::parse(proof).map_err(|e| UnusableInput::new(format!("the receipt cannot be read: {e}")))?;
    let verified = proof.verify(entry, policy).map_err(|e| e.to_string());
    let verified = match index.filter(|index| *index != proof.index) {
        Some(index) => Err(format!("the reply says entry {index}, its proof is of entry {}", proof.index)),
        None => verified,
    };
    let story = Entry::decode(entry)
        .map(|entry| narrate(&entry))
        .unwrap_or_else(|e| vec![format!("(the bytes are no entry of a fairshoe log: {e})")]);
    let finding = verified.as_ref().err().map(|why| Finding::at(Check::Receipt, proof.index, None, why.clone()));
    let verified = verified.ok();
    Ok(Checked {
        index: proof.index,
        sound: finding.is_none(),
        size: verified.as_ref().map(|verified| verified.checkpoint.size),
        origin: verified.as_ref().map(|verified| verified.checkpoint.origin.clone()),
        witnesses: verified.as_ref().map_or(0, |verified| verified.cosigned_by.len()),
        story,
        finding,
    })
}

fn say_words(report: &ReceiptReport) {
    for receipt in &report.receipts {
        if let (Some(origin), Some(size)) = (&receipt.origin, receipt.size) {
            say(format!(
                "entry {} is on the log {origin} of {size} entries, cosigned by {} witness(es)",
                receipt.index, receipt.witnesses
            ));
        }
        receipt.story.iter().for_each(|line| say(format!("  {line}")));
        if let Some(finding) = &receipt.finding {
            say(format!("NOT SOUND. {finding}"));
        }
    }
    if report.verdict == "sound" {
        say("SOUND. The log cannot deny these entries.");
    }
    if let Some(without_proof) = report.without_proof {
        say(format!(
            "The file is a page's evidence: {without_proof} more of its entries were shown without a proof, and nobody signed them. What the entries come to the second verifier says: /verify, or `fairshoe-verify bundle FILE`."
        ));
    }
}
