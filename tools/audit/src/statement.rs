//! The old log's word that a log goes on from it, which two logs under its key may contradict each other in
//! (spec/recovery.md, "Under a new name"; spec/audit.md, "Two that go on from one").
//!
//! Owns: the statement as a signed note, and when two contradict each other. Does not own: where they are found.

use crate::clock::now_ms;
use crate::monitor::evidence::{Evidence, Sighting};
use crate::outcome::UnusableInput;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fairshoe_fairness::Origin;
use fairshoe_house::{CommandSignature, LOG_CONTINUES, OldLog, PlayerKey};
use fairshoe_judge::audit::Finding;
use fairshoe_tlog::{Hash, KeyType, MAX_NOTE, Note, VerifierKey};
use std::fs;
use std::path::Path;

/// What the key of a log signs once in its life, if at all: which log goes on from it, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub old: OldLog,
    /// The old log's key.
    pub key: VerifierKey,
    /// The log that goes on.
    pub by: Origin,
    /// The signed note.
    note: String,
}

impl Statement {
    /// A claim as it stands in a log, its signature not verified.
    pub fn new(old: OldLog, by: Option<Origin>, signature: CommandSignature) -> Result<Statement, String> {
        let key = VerifierKey::new(old.origin.as_str(), KeyType::Ed25519, old.key.as_bytes())
            .map_err(|e| format!("the old log's key: {e}"))?;
        let by = by.ok_or("it goes on from another log before the dealer's start")?;
        let line = [&key.key_id().to_be_bytes()[..], signature.as_bytes()].concat();
        let note = format!("{}\n— {} {}\n", old.signed_text(&by), key.name(), STANDARD.encode(line));
        Ok(Statement { old, key, by, note })
    }

    /// Whether this key signed it: a claim alone is anybody's.
    pub fn is_signed_by(&self, key: &VerifierKey) -> bool {
        Statement::read(self.note.as_bytes(), key).is_ok_and(|signed| signed == *self)
    }

    /// A statement under the old log's key, as a signed note.
    pub fn read(note: &[u8], key: &VerifierKey) -> Result<Statement, String> {
        let parsed = Note::parse(note, MAX_NOTE).map_err(|e| e.to_string())?;
        parsed.verified(std::slice::from_ref(key)).map_err(|e| e.to_string())?;
        let lines: Vec<&str> = parsed.text().split('\n').collect();
        let no_statement = || "it is no statement that a log goes on from this one".to_owned();
        let [LOG_CONTINUES, origin, size, root, by, new_key, ""] = lines[..] else { return Err(no_statement()) };
        let (origin, by) =
            (Origin::parse(origin).map_err(|e| e.to_string())?, Origin::parse(by).map_err(|e| e.to_string())?);
        if origin.as_str() != key.name() || root.parse::<Hash>().is_err() {
            return Err(no_statement());
        }
        let old = OldLog {
            origin,
            key: PlayerKey::from_bytes(*key.public_key()),
            size: size.parse().map_err(|_| no_statement())?,
            root: root.into(),
            new_key: new_key.parse().map_err(|_| no_statement())?,
        };
        let statement = Statement { note: String::from_utf8_lossy(note).into_owned(), old, key: key.clone(), by };
        // A number has one spelling.
        if statement.text() == parsed.text() { Ok(statement) } else { Err(no_statement()) }
    }

    fn text(&self) -> String {
        self.old.signed_text(&self.by)
    }

    /// What two statements of one old log show, in words; nothing, where they are the same.
    ///
    /// # Errors
    /// Why the other one shows nothing.
    pub fn contradicts(&self, other: &Statement) -> Result<Option<String>, String> {
        if self.key != other.key {
            return Err(format!("it goes on from {}, this one from {}", other.key, self.key));
        }
        // Neither was verified where it was found.
        for statement in [self, other] {
            Statement::read(statement.note.as_bytes(), &self.key)?;
        }
        let says = |statement: &Statement| {
            format!(
                "{} goes on, with the key {}, from its first {} entries (root {})",
                statement.by, statement.old.new_key, statement.old.size, statement.old.root
            )
        };
        let differ = self.text() != other.text();
        Ok(differ.then(|| format!("{} signed that {}, and that {}", self.key.name(), says(self), says(other))))
    }

    /// Writes both as evidence.
    pub fn keep_beside(&self, other: &Statement, finding: &Finding, file: &Path) -> Result<(), UnusableInput> {
        let time = now_ms() / 1_000;
        let sighting =
            |statement: &Statement| Sighting { from: statement.by.to_string(), time, note: statement.note.clone() };
        let mut evidence = Evidence::new(finding.clone(), vec![sighting(self), sighting(other)]);
        (evidence.vkey, evidence.time) = (self.key.to_string(), time);
        let bytes = serde_json::to_vec_pretty(&evidence).map_err(UnusableInput::new)?;
        fs::write(file, bytes).map_err(|e| UnusableInput::new(format!("{}: {e}", file.display())))
    }
}
