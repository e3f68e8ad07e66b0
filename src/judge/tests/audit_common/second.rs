//! The second verifier (tools/verifier, written from spec/ alone), asked through a pipe: by the campaign about each of
//! its cases, and about whatever log or bundle the other tests let this crate judge.

use fairshoe_judge::audit::{AuditReport, Check, Finding};
use fairshoe_judge::bundle::Verdict;
use fairshoe_tlog::VerifierKey;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

const JUDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second_verifier/judge.js");

/// A running second verifier.
pub struct Second {
    child: Child,
    questions: Option<Sender<String>>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Second {
    /// None where there is no node, version 18 or newer.
    pub fn start() -> Option<Second> {
        let version = Command::new("node").arg("--version").output().ok()?;
        let major: u32 =
            String::from_utf8_lossy(&version.stdout).trim().strip_prefix('v')?.split('.').next()?.parse().ok()?;
        if major < 18 {
            return None;
        }
        let mut child = Command::new("node").arg(JUDGE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let answers = BufReader::new(child.stdout.take()?).lines();
        let mut stdin = child.stdin.take()?;
        let (questions, asked) = channel::<String>();
        // A thread of its own, so that neither side waits for the other's full pipe.
        std::thread::spawn(move || asked.iter().try_for_each(|line| writeln!(stdin, "{line}")));
        Some(Second { child, questions: Some(questions), answers })
    }

    /// Asks; the answers come in the order of the questions.
    pub fn ask(&self, question: String) {
        let questions = self.questions.as_ref().expect("asked after the end");
        questions.send(question).expect("the second verifier has ended");
    }

    /// The next answer.
    pub fn answer(&mut self) -> Value {
        let line = self.answers.next().expect("the second verifier has ended").unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// As many bytes one test shows to the second verifier, which reads more slowly; tests by chance judge more.
const SHOWN: usize = 3 << 20;

/// The second verifier, the bytes that it was shown, and the checks by which it refused.
type Kept = (Option<Second>, usize, BTreeSet<String>);
static SECOND: Mutex<Option<Kept>> = Mutex::new(None);

/// The second verifier refused something in this process by each of these checks, as the judge did.
#[track_caller]
pub fn both_refused_by(checks: &[Check]) {
    let kept = SECOND.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((Some(_), _, refused)) = kept.as_ref() else { return };
    for check in checks {
        assert!(refused.contains(check.code()), "the second verifier refused nothing by {}: {refused:?}", check.code());
    }
}

/// The second verifier finds the same in this: the code and the entry of the first finding, or nothing.
#[track_caller]
fn both_say(question: &Value, first: Option<&Finding>) {
    both_say_within(SHOWN, question, first);
}

#[track_caller]
fn both_say_within(most: usize, question: &Value, first: Option<&Finding>) {
    let mut kept = SECOND.lock().unwrap_or_else(PoisonError::into_inner);
    let (second, shown, refused) = kept.get_or_insert_with(|| (Second::start(), 0, BTreeSet::new()));
    let text = question.to_string();
    *shown += text.len();
    let Some(second) = second.as_mut().filter(|_| *shown <= most) else { return };
    second.ask(text);
    let report = second.answer();
    let other = &report["findings"][0];
    // Both refuse an entry that cannot be read at all, each in its own way.
    let is_unread = other["check"] == "unusable" || first.is_some_and(|finding| finding.check == Check::BundleForm);
    if is_unread && first.is_some() && other.is_object() {
        return;
    }
    let said = (other["check"].as_str(), other["entry"].as_u64());
    let ours = (first.map(|finding| finding.check.code()), first.and_then(|finding| finding.entry));
    assert_eq!(ours, said, "the judge says {first:?}, the second verifier {other}");
    refused.extend(said.0.map(str::to_owned));
}

/// Both find the same in a whole log.
#[track_caller]
pub fn both_audit(log: &[Vec<u8>], report: &AuditReport) {
    both_read(SHOWN, "log", log, report.first_failure.as_ref());
}

/// Both find the same in a log whose money they add up.
#[track_caller]
pub fn both_add_up(log: &[Vec<u8>], first: Option<&Finding>) {
    both_read(SHOWN, "ledger", log, first);
}

/// The same, however much the test has shown: the money alone is added up soon.
#[track_caller]
pub fn both_always_add_up(log: &[Vec<u8>], first: Option<&Finding>) {
    both_read(usize::MAX, "ledger", log, first);
}

#[track_caller]
fn both_read(most: usize, how: &str, log: &[Vec<u8>], first: Option<&Finding>) {
    // The log's name is known to whoever asks for it, and not told to the other, which is given lines of text.
    let is_told = first.is_none_or(|finding| finding.check != Check::Origin);
    let texts: Result<Vec<&str>, _> = log.iter().map(|bytes| std::str::from_utf8(bytes)).collect();
    let Ok(texts) = texts else { return };
    if is_told && !texts.is_empty() && !texts.iter().any(|text| text.contains(['\n', '\r'])) {
        both_say_within(most, &json!({ how: texts.join("\n") }), first);
    }
}

/// The verdict on a bundle, which both reach.
#[track_caller]
pub fn verify(bytes: &[u8], trusted: Option<&VerifierKey>) -> Verdict {
    let verdict = fairshoe_judge::bundle::verify(bytes, trusted);
    let first = verdict.findings.first();
    // The key is known to whoever asks, and not told to the other.
    if let (Ok(text), false) = (std::str::from_utf8(bytes), first.is_some_and(|finding| finding.check == Check::Key)) {
        both_say(&json!({ "bundle": text }), first);
    }
    verdict
}
