//! The two judges: the auditor of this crate, and the second verifier (tools/verifier), which is asked through a pipe.

use crate::audit_common::pieces::{hold_in_pieces, limits};
use crate::audit_common::{second, signer_of};
use crate::books::{NEXT, tree_over};
use crate::cases::Case;
use crate::common::{ORIGIN, fold};
use fairshoe_house::{Actor, Command, Entry};
use fairshoe_judge::audit::{Book, Finding, Limits};
use fairshoe_judge::bundle::{RoundFacts, Soundness, verify};
use fairshoe_tlog::{Tree, leaf_hash};
use serde_json::{Value, json};

/// A verdict's word, the index of the first entry at fault, the code, and the message; of a bundle, what became of its
/// round: its phase, and each player's stakes and returns.
#[derive(Clone)]
pub struct Judgment {
    pub word: String,
    pub entry: Option<u64>,
    pub check: String,
    pub message: String,
    pub became: Value,
}

impl std::fmt::Display for Judgment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.entry {
            Some(entry) => write!(f, "{} at entry {entry} [{}] {}", self.word, self.check, self.message),
            None => write!(f, "{} [{}] {}", self.word, self.check, self.message),
        }
    }
}

impl Judgment {
    fn of(word: &str, finding: Option<&Finding>) -> Judgment {
        Judgment {
            word: word.into(),
            entry: finding.and_then(|finding| finding.entry),
            check: finding.map(|finding| finding.check.code().to_owned()).unwrap_or_default(),
            message: finding.map(|finding| finding.message.clone()).unwrap_or_default(),
            became: Value::Null,
        }
    }

    fn of_round(mut self, round: Option<&RoundFacts>) -> Judgment {
        let round = json!(round);
        let players = round["players"].as_array().into_iter().flatten();
        let money: Vec<Value> = players.map(|one| json!([one["player"], one["staked"], one["returned"]])).collect();
        if round.is_object() {
            self.became = json!([round["id"], round["shoe_no"], round["rules"], round["phase"], money]);
        }
        self
    }

    pub fn is_sound(&self) -> bool {
        self.word != "not_sound"
    }

    /// The same word; where it is an accusation, the same entry, and else the same round.
    pub fn agrees(&self, other: &Judgment) -> bool {
        self.word == other.word && self.entry == other.entry && (!self.is_sound() || self.became == other.became)
    }

    /// The same check, unless the other cannot use at all what it was given: that word of its is no check.
    pub fn says_the_check_of(&self, other: &Judgment) -> bool {
        self.check == other.check || other.check == "unusable"
    }
}

/// The verdict of this crate.
pub fn first(case: &Case) -> Judgment {
    match case {
        Case::Bundle(text) => {
            let verdict = verify(text.as_bytes(), None);
            let word = match verdict.verdict {
                Soundness::Sound => "sound",
                Soundness::SoundSoFar => "sound_so_far",
                _ => "not_sound",
            };
            Judgment::of(word, verdict.findings.first()).of_round(verdict.round.as_ref())
        }
        Case::Continued { old, new } => continued(old, new),
        Case::Log(entries) => {
            let (mut book, mut tree) = (Book::new(limits()), Tree::new());
            let (mut roots, mut saw_other) = (vec![tree.root().to_string()], None);
            for (index, text) in (0..).zip(entries) {
                if book.feed(index, text.as_bytes()).is_err() {
                    break;
                }
                saw_other = saw_another_log(text, index, &roots);
                if saw_other.is_some() {
                    break;
                }
                tree.append(leaf_hash(text.as_bytes()));
                roots.push(tree.root().to_string());
            }
            let report = book.finish();
            if saw_other.is_none() {
                hold_in_pieces(&bytes(entries), &report);
            }
            let word = if report.is_sound() { "sound" } else { "not_sound" };
            saw_other.filter(|_| report.is_sound()).unwrap_or_else(|| Judgment::of(word, report.first_failure.as_ref()))
        }
    }
}

/// Of a log that goes on: the old one, then the new one, and last what is carried over. (Every lie about that is
/// `log-continued.json`'s.)
fn continued(old: &[String], new: &[String]) -> Judgment {
    for (origin, log) in [(ORIGIN, old), (NEXT, new)] {
        let mut book = Book::new(Limits { origin: Some(origin.into()), ..Limits::default() });
        let _ = (0..).zip(log).try_for_each(|(index, text)| book.feed(index, text.as_bytes()));
        let report = book.finish();
        if !report.is_sound() {
            return Judgment::of("not_sound", report.first_failure.as_ref());
        }
    }
    let entries: Vec<Entry> = new.iter().map(|text| Entry::decode(text.as_bytes()).unwrap()).collect();
    let carried = fold(&bytes(old)).carried_over().unwrap();
    let commands: Vec<Command> = carried.commands(entries[1].time).collect();
    let is_carried = entries.len() >= 2 + commands.len()
        && entries[2..]
            .iter()
            .zip(&commands)
            .all(|(entry, command)| entry.by == Actor::Operator && entry.command == *command);
    Judgment::of(if is_carried { "sound" } else { "not_sound" }, None)
}

fn bytes(log: &[String]) -> Vec<Vec<u8>> {
    log.iter().map(|text| text.clone().into_bytes()).collect()
}

/// The checkpoint over a log's entries.
fn note(origin: &str, log: &[String]) -> String {
    let tree = tree_over(&bytes(log));
    signer_of(origin).sign_checkpoint(tree.size(), tree.root())
}

/// What a book does not look at, and a reader of the whole log does: the checkpoint that a client says they saw is one
/// of this log.
fn saw_another_log(entry: &str, index: u64, roots: &[String]) -> Option<Judgment> {
    let Command::Reveal { saw: Some(saw), .. } = Entry::decode(entry.as_bytes()).ok()?.command else { return None };
    let is_of_this_log = saw.size <= index && roots.get(saw.size as usize).is_some_and(|root| *root == saw.root);
    let message = format!("a client saw another root over {} entries", saw.size);
    (!is_of_this_log).then(|| Judgment {
        word: "not_sound".into(),
        entry: Some(index),
        check: "saw_other".into(),
        message,
        became: Value::Null,
    })
}

/// The second verifier's answers to cases.
pub struct Second(second::Second);

impl Second {
    /// None where there is no node, version 18 or newer.
    pub fn start() -> Option<Second> {
        second::Second::start().map(Second)
    }

    /// Asks; the answers come in the order of the questions.
    pub fn ask(&self, case: &Case) {
        let question = match case {
            Case::Bundle(text) => json!({ "bundle": text }),
            Case::Log(entries) => json!({ "log": entries.join("\n") }),
            Case::Continued { old, new } => json!({
                "log": new.join("\n"),
                "key": signer_of(NEXT).verifier_key().to_string(),
                "note": note(NEXT, new),
                "old": { "log": old.join("\n"), "note": note(ORIGIN, old) },
            }),
        };
        self.0.ask(question.to_string());
    }

    /// The next answer, to the question about this case.
    pub fn answer(&mut self, case: &Case) -> Judgment {
        let report = self.0.answer();
        let finding = &report["findings"][0];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let word = match report["verdict"].as_str().unwrap_or_default() {
            // What cannot be read is refused by either, each in its own way.
            "unusable" => "not_sound",
            // A book's report does not tell these two apart.
            "sound_so_far" if !matches!(case, Case::Bundle(_)) => "sound",
            word => word,
        };
        Judgment {
            word: word.into(),
            entry: finding["entry"].as_u64(),
            check: text(&finding["check"]),
            message: text(&finding["message"]),
            became: report["became"].clone(),
        }
    }
}
