//! A monitor's folder: the audit's state, what each address showed last, every checkpoint seen, evidence
//! (spec/audit.md, "Kept checkpoints", "Monitor").

use super::evidence_file::{Evidence, Sighting};
use crate::durable::{failed, own_folder, read_file, replace, replace_with, sync_folder_of};
use crate::outcome::UnusableInput;
use fairshoe_tlog::VerifierKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The history is thinned when it grows beyond this, in bytes (spec/audit.md, "Kept checkpoints").
const MAX_HISTORY: u64 = 64 << 20;

/// The file with what the log is that this one goes on from.
const OLD_LOG: &str = "old_log.json";

/// The longest file of addresses that is read, in bytes.
const MAX_ADDRESSES: u64 = 64 << 20;

/// A monitor's folder: how far the audit has come, what each address showed last, every checkpoint seen, evidence.
pub struct Memory {
    folder: PathBuf,
    last: Last,
    most_history: u64,
    /// Held for as long as the monitor runs.
    _lock: File,
}

/// What each address and witness showed last.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    vkey: String,
    seen: Vec<Sighting>,
    /// Checkpoints of witnesses that no address has shown yet, each with the time it was first seen.
    ahead: Vec<Sighting>,
}

#[derive(Serialize, Deserialize)]
struct HistoryLine {
    time: u64,
    note: String,
    #[serde(default)]
    address: String,
}

fn damaged(path: &Path, why: &serde_json::Error) -> UnusableInput {
    let path = path.display();
    UnusableInput::new(format!(
        "{path}: it is not what a monitor keeps, or it is damaged ({why}); remove it to start afresh"
    ))
}

impl Memory {
    pub fn open(folder: &Path) -> Result<Memory, UnusableInput> {
        let lock = own_folder(folder, "monitor")?;
        let path = folder.join("addresses.json");
        let last = if path.exists() {
            let bytes = read_file(&path, MAX_ADDRESSES)?;
            serde_json::from_slice(&bytes).map_err(|e| damaged(&path, &e))?
        } else {
            Last::default()
        };
        Ok(Memory { folder: folder.to_owned(), last, most_history: MAX_HISTORY, _lock: lock })
    }

    /// What the log is that this one goes on from, if it was read.
    pub fn old_log<R: DeserializeOwned>(&self) -> Result<Option<R>, UnusableInput> {
        let path = self.folder.join(OLD_LOG);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = read_file(&path, MAX_ADDRESSES)?;
        serde_json::from_slice(&bytes).map(Some).map_err(|e| damaged(&path, &e))
    }

    pub fn keep_old_log(&self, old: &impl Serialize) -> Result<(), UnusableInput> {
        let path = self.folder.join(OLD_LOG);
        let bytes = serde_json::to_vec(old).map_err(UnusableInput::new)?;
        replace(&path, &bytes).map_err(failed(&path))
    }

    /// The file of the audit's state.
    pub fn audit_state(&self) -> PathBuf {
        self.folder.join("audit.state")
    }

    /// Makes sure that this folder is of the log with this key.
    pub fn belongs_to(&mut self, key: &VerifierKey) -> Result<(), UnusableInput> {
        let key = key.to_string();
        if !self.last.vkey.is_empty() && self.last.vkey != key {
            let what = format!("{} is of the log with the key {}, not of {key}", self.folder.display(), self.last.vkey);
            return Err(UnusableInput::new(what));
        }
        self.last.vkey = key;
        Ok(())
    }

    /// What was seen last from there.
    pub fn last_from(&self, from: &str) -> Option<&Sighting> {
        self.last.seen.iter().find(|seen| seen.from == from)
    }

    /// What was seen last, of all addresses and witnesses.
    pub fn seen(&self) -> &[Sighting] {
        &self.last.seen
    }

    /// Checkpoints of witnesses that no address had shown.
    pub fn ahead(&self) -> &[Sighting] {
        &self.last.ahead
    }

    /// Remembers a look: what was seen now, which addresses showed less than before (what they showed then stays), and what
    /// is still ahead of every address.
    pub fn remember(
        &mut self,
        seen: &[Sighting],
        behind: &[String],
        ahead: Vec<Sighting>,
    ) -> Result<(), UnusableInput> {
        for sighting in seen {
            if behind.contains(&sighting.from) {
                continue;
            }
            self.last.seen.retain(|earlier| earlier.from != sighting.from);
            self.last.seen.push(sighting.clone());
        }
        self.last.ahead = ahead;
        let path = self.folder.join("addresses.json");
        let bytes = serde_json::to_vec(&self.last).map_err(UnusableInput::new)?;
        replace(&path, &bytes).map_err(failed(&path))
    }

    /// Adds to the history what addresses showed now.
    pub fn add_to_history(&mut self, seen: &[Sighting]) -> Result<(), UnusableInput> {
        let path = self.folder.join("checkpoints.jsonl");
        let is_new = !path.exists();
        let write = || {
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            let mut lines = Vec::new();
            for Sighting { from, time, note } in seen {
                serde_json::to_writer(
                    &mut lines,
                    &HistoryLine { time: *time, note: note.clone(), address: from.clone() },
                )?;
                lines.push(b'\n');
            }
            file.write_all(&lines)?;
            file.sync_data()?;
            if is_new {
                sync_folder_of(&path)?;
            }
            if file.metadata()?.len() > self.most_history { thin(&path) } else { Ok(()) }
        };
        write().map_err(failed(&path))
    }

    /// Writes evidence down, durably, under a name of its own.
    pub fn write_evidence(&self, evidence: &Evidence) -> Result<PathBuf, UnusableInput> {
        let bytes = serde_json::to_vec_pretty(evidence).map_err(UnusableInput::new)?;
        let name = |n: u32| self.folder.join(format!("evidence-{}-{}-{n}.json", evidence.time, evidence.finding.check));
        let path = (0..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(u32::MAX));
        replace(&path, &bytes).map_err(failed(&path))?;
        Ok(path)
    }
}

/// What is signed in a note: the log's own time changes with every look.
fn signed(note: &str) -> &str {
    note.rsplit_once("\n\n").map_or(note, |(text, _)| text)
}

/// Thins the older half of a history: what an address showed unchanged between a first and a last time goes first, then
/// every second line.
fn thin(path: &Path) -> std::io::Result<()> {
    let lines = BufReader::new(File::open(path)?).lines().collect::<Result<Vec<_>, _>>()?;
    let (older, newer) = lines.split_at(lines.len() / 2);
    let parsed: Vec<Option<HistoryLine>> = older.iter().map(|line| serde_json::from_str(line).ok()).collect();
    let same = |one: usize, other: usize| match (parsed.get(one), parsed.get(other)) {
        (Some(Some(one)), Some(Some(other))) => {
            signed(&one.note) == signed(&other.note) && one.address == other.address
        }
        _ => false,
    };
    // Neighbours among the lines of one address; addresses take turns in the file.
    let mut neighbours: Vec<(Option<usize>, Option<usize>)> = vec![(None, None); older.len()];
    let mut latest: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for (at, line) in parsed.iter().enumerate() {
        let Some(line) = line else { continue };
        if let Some(before) = latest.insert(&line.address, at) {
            if let Some(place) = neighbours.get_mut(at) {
                place.0 = Some(before);
            }
            if let Some(place) = neighbours.get_mut(before) {
                place.1 = Some(at);
            }
        }
    }
    let is_between = |at: usize| matches!(neighbours.get(at), Some((Some(before), Some(after))) if same(*before, at) && same(at, *after));
    let mut remaining: Vec<&String> =
        older.iter().enumerate().filter(|(at, _)| !is_between(*at)).map(|(_, line)| line).collect();
    if remaining.len() * 4 > older.len() * 3 {
        remaining = remaining.into_iter().step_by(2).collect();
    }
    replace_with(path, |file| {
        for line in remaining.into_iter().chain(newer) {
            writeln!(file, "{line}")?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sighting(from: &str, time: u64, note: &str) -> Sighting {
        Sighting { from: from.into(), time, note: note.into() }
    }

    #[test]
    fn the_history_is_thinned_and_keeps_first_and_last_times() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = Memory::open(folder.path()).unwrap();
        memory.most_history = 20_000;
        let path = folder.path().join("checkpoints.jsonl");
        for time in 0..1_000 {
            let unchanged = format!("note {}", time / 100);
            memory
                .add_to_history(&[sighting("a", time, &unchanged), sighting("b", time, &format!("b{time}"))])
                .unwrap();
            assert!(std::fs::metadata(&path).unwrap().len() <= 20_200);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<HistoryLine> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.is_sorted_by_key(|line| line.time) && lines.len() > 100);
        assert_eq!(lines.iter().map(|line| line.time).max(), Some(999));
    }

    #[test]
    fn a_folder_is_one_monitors_and_of_one_log() {
        let folder = tempfile::tempdir().unwrap();
        let key = |seed: u8| fairshoe_tlog::Signer::new("log.example", &[seed; 32]).unwrap().verifier_key().clone();
        let mut memory = Memory::open(folder.path()).unwrap();
        memory.belongs_to(&key(1)).unwrap();
        assert!(Memory::open(folder.path()).is_err());
        memory.remember(&[sighting("a", 5, "n")], &[], vec![sighting("w", 6, "m")]).unwrap();
        drop(memory);
        let mut memory = Memory::open(folder.path()).unwrap();
        assert!(memory.belongs_to(&key(2)).is_err());
        memory.belongs_to(&key(1)).unwrap();
        assert_eq!(
            (memory.last_from("a"), memory.ahead()),
            (Some(&sighting("a", 5, "n")), &[sighting("w", 6, "m")][..])
        );
        drop(memory);
        std::fs::write(folder.path().join("addresses.json"), "{}}").unwrap();
        assert!(Memory::open(folder.path()).is_err());
    }
}
