//! What players are called for people to read, beside their pseudonyms: a file of the operator's, read anew when it
//! changes (spec/operating.md, "Display names"). Never on the log: a name here can be taken away again.

use fairshoe_fairness::PlayerId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tracing::{info, warn};

/// The file is no longer than this, in bytes.
const MAX_FILE: u64 = 16 << 20;

/// A name has so many characters, at most.
const MAX_NAME: usize = 64;

/// The names that are shown now.
pub struct DisplayNames {
    file: PathBuf,
    now: Mutex<Shown>,
}

struct Shown {
    names: Arc<BTreeMap<PlayerId, String>>,
    /// When the file was changed that is shown, as far as is known.
    changed: Option<SystemTime>,
    /// Why it could not be read anew, as was said last.
    said: Option<String>,
}

impl DisplayNames {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it, in words that hold no name.
    pub fn open(file: PathBuf) -> Result<DisplayNames, String> {
        let changed = changed(&file);
        let names = Arc::new(read(&file)?);
        Ok(DisplayNames { file, now: Mutex::new(Shown { names, changed, said: None }) })
    }

    /// The names as they are now.
    pub fn now(&self) -> Arc<BTreeMap<PlayerId, String>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).names.clone()
    }

    /// Reads the file anew where it changed; until it can be read the names before stay. Each reason is said once.
    pub fn look(&self) {
        let changed = changed(&self.file);
        let is_same = self.now.lock().unwrap_or_else(PoisonError::into_inner).changed == changed;
        if is_same && changed.is_some() {
            return;
        }
        let read = read(&self.file);
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(names) => {
                info!(names = names.len(), "the display names were read anew");
                *now = Shown { names: Arc::new(names), changed, said: None };
            }
            Err(why) if now.said.as_ref() != Some(&why) => {
                warn!(%why, "the display names cannot be read anew; those before are shown");
                now.said = Some(why);
            }
            Err(_) => {}
        }
    }
}

fn changed(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// One JSON object: a name for each pseudonym.
fn read(file: &Path) -> Result<BTreeMap<PlayerId, String>, String> {
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    // Looked at before it is opened: opening a pipe or a device can wait for ever, and reading one may not end.
    let metadata = std::fs::metadata(file).map_err(|e| named(&e))?;
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return Err(named(&"this is no regular file of at most 16 MiB"));
    }
    let bytes = std::fs::read(file).map_err(|e| named(&e))?;
    // What serde says may quote a name.
    let names: BTreeMap<PlayerId, String> = serde_json::from_slice(&bytes)
        .map_err(|e| named(&format!("line {}: this is no JSON object with a text for each pseudonym", e.line())))?;
    match names.iter().find(|(_, name)| !is_shown(name)) {
        Some((player, _)) => {
            Err(named(&format!("the name of {player} is none: 1 to {MAX_NAME} characters, none that is not seen")))
        }
        None => Ok(names),
    }
}

/// Whether a text can be shown as a name. *Attack: a name with characters that are not seen, or that turn around how a line
/// is read, looks like another player's.*
fn is_shown(name: &str) -> bool {
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
    };
    let length = name.chars().count();
    (1..=MAX_NAME).contains(&length) && name.trim() == name && !name.chars().any(unseen)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_in_no_name() {
        for name in ["Ann", "Ann B.", "アン", "O’Neill-Żak", &"x".repeat(64)] {
            assert!(is_shown(name), "{name}");
        }
        for name in ["", " Ann", "Ann ", "A\nnn", "A\u{202e}nn", "A\u{200b}nn", "A\u{0}", &"x".repeat(65)] {
            assert!(!is_shown(name), "{name:?}");
        }
    }

    #[test]
    fn a_file_that_breaks_leaves_the_names_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names.json");
        assert!(DisplayNames::open(file.clone()).is_err(), "there is none");
        std::fs::write(&file, r#"{"alice":"Ann B."}"#).unwrap();
        let names = DisplayNames::open(file.clone()).unwrap();
        let alice = PlayerId::parse("alice").unwrap();
        assert_eq!(names.now()[&alice], "Ann B.");
        let later = |text: &str, seconds: u64| {
            std::fs::write(&file, text).unwrap();
            let at = SystemTime::now() + std::time::Duration::from_secs(seconds);
            std::fs::File::options().append(true).open(&file).unwrap().set_modified(at).unwrap();
            names.look();
        };
        for (n, wrong) in
            [r#"{"alice":1}"#, r#"{"no name":"x"}"#, r#"{"alice":"\u202e"}"#, "[]", "{"].iter().enumerate()
        {
            later(wrong, 10 + n as u64);
            assert_eq!(names.now()[&alice], "Ann B.", "{wrong}");
            assert!(!read(&file).unwrap_err().contains("Ann"));
        }
        later(r#"{"bob":"Bob"}"#, 100);
        assert_eq!((names.now().get(&alice), names.now().len()), (None, 1));
        std::fs::remove_file(&file).unwrap();
        names.look();
        assert_eq!(names.now().len(), 1);
    }
}
