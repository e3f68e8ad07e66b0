//! Names of players for people to read, beside their pseudonyms: a file of the operator's, read anew when it
//! changes (spec/operating.md, "Settings"). Never on the log: a name here can be taken away again.

use fairshoe_fairness::PlayerId;
use rustix::fs::{Mode, OFlags};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// How many others stand in the file, and cannot be shown.
    skipped: usize,
    /// The file that was read last, whether it could be used or not.
    read: Option<Stamp>,
    /// Why it could not be read anew, as was said last.
    said: Option<String>,
}

impl DisplayNames {
    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it, in words that hold no name.
    pub fn open(file: PathBuf) -> Result<DisplayNames, String> {
        let stamp = Stamp::of(&file);
        let found = read(&file)?;
        found.tell();
        let Found { names, skipped, .. } = found;
        let now = Mutex::new(Shown { names: Arc::new(names), skipped, read: stamp, said: None });
        Ok(DisplayNames { file, now })
    }

    /// How many names stand in the file that cannot be shown.
    pub fn skipped(&self) -> usize {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).skipped
    }

    /// The names as they are now.
    pub fn now(&self) -> Arc<BTreeMap<PlayerId, String>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).names.clone()
    }

    /// Reads the file anew where it changed; until it can be read the names before stay. Each reason is said once.
    pub fn look(&self) {
        let stamp = Stamp::of(&self.file);
        if stamp.is_some() && self.now.lock().unwrap_or_else(PoisonError::into_inner).read == stamp {
            return;
        }
        let read = read(&self.file);
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        // A broken file is not read each second.
        now.read = stamp;
        match read {
            Ok(found) => {
                info!(names = found.names.len(), "the display names were read anew");
                found.tell();
                let Found { names, skipped, .. } = found;
                *now = Shown { names: Arc::new(names), skipped, read: stamp, said: None };
            }
            Err(why) if now.said.as_ref() != Some(&why) => {
                warn!(%why, "the display names cannot be read anew; those before are shown");
                now.said = Some(why);
            }
            Err(_) => {}
        }
    }
}

/// What changes with a file: the time of its inode's change, which nobody can set, tells new rights too. *Attack on
/// ourselves: another file is put in its place with the same time.*
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    /// Seconds and nanoseconds since 1970.
    changed: (i64, i64),
    length: u64,
    inode: u64,
}

impl Stamp {
    fn of(file: &Path) -> Option<Stamp> {
        let metadata = std::fs::metadata(file).ok()?;
        Some(Stamp {
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            length: metadata.len(),
            inode: metadata.ino(),
        })
    }
}

/// What a file holds.
struct Found {
    names: BTreeMap<PlayerId, String>,
    /// How many others are no names, or no player's.
    skipped: usize,
    /// Some of those whose they are.
    whose: Vec<PlayerId>,
}

/// So many are named of those whose names cannot be shown.
const NAMED: usize = 8;

impl Found {
    /// Says in the log what is skipped, in words that hold no name.
    fn tell(&self) {
        if self.skipped > 0 {
            let whose = self.whose.iter().map(PlayerId::as_str).collect::<Vec<_>>().join(", ");
            warn!(
                skipped = self.skipped,
                %whose,
                "display names are skipped: a name is a text of 1 to {MAX_NAME} characters, none that is not seen, for a \
                 pseudonym of [a-z0-9._-]; the others are shown"
            );
        }
    }
}

/// What may stand behind a pseudonym.
#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Name(String),
    Else(IgnoredAny),
}

/// One JSON object: a name for each pseudonym. What is no name is skipped: *one player who is called something that cannot be
/// shown takes nobody else's name, and keeps no house from starting.*
fn read(path: &Path) -> Result<Found, String> {
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let not_it = || named(&"this is no regular file of at most 16 MiB");
    // Without waiting: opening a pipe can last for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|e| named(&e))?);
    if !file.metadata().map_err(|e| named(&e))?.is_file() {
        return Err(not_it());
    }
    // It may grow while it is read.
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|e| named(&e))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(not_it());
    }
    // What serde says may quote a name.
    let all: BTreeMap<String, Told> = serde_json::from_slice(&bytes)
        .map_err(|e| named(&format!("line {}: this is no JSON object with a text for each pseudonym", e.line())))?;
    let mut found = Found { names: BTreeMap::new(), skipped: 0, whose: Vec::new() };
    for (player, told) in all {
        match (PlayerId::parse(&player), told) {
            (Ok(player), Told::Name(name)) if is_shown(&name) => drop(found.names.insert(player, name)),
            (player, _) => {
                found.skipped += 1;
                found.whose.extend(player.ok().filter(|_| found.whose.len() < NAMED));
            }
        }
    }
    Ok(found)
}

/// Characters that are not seen, that turn around how a line is read, or that have no meaning of their own (private use).
const UNSEEN: [RangeInclusive<char>; 19] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{e000}'..='\u{f8ff}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{ffff}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{10ffff}',
];

/// Whether a text can be shown as a name. *Attack: a name with characters that are not seen, or that turn around how a line
/// is read, looks like another player's.*
fn is_shown(name: &str) -> bool {
    let unseen =
        |c: char| c.is_control() || (c.is_whitespace() && c != ' ') || UNSEEN.iter().any(|range| range.contains(&c));
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
        for unseen in
            ["\u{3164}", "\u{ffa0}", "\u{2800}", "\u{e01ef}", "\u{34f}", "\u{fe0f}", "\u{a0}", "\u{3000}", "\u{f8ff}"]
        {
            assert!(!is_shown(&format!("An{unseen}n")), "{unseen:?}");
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
        // The kernel's clock for files goes on by a tick, no finer.
        let tick = || std::thread::sleep(std::time::Duration::from_millis(20));
        let later = |text: &str| {
            tick();
            std::fs::write(&file, text).unwrap();
            names.look();
        };
        for wrong in ["[]", "{", r#"{"alice":"Ann B."} {}"#, r#"{"alice":"Ann"#] {
            later(wrong);
            assert_eq!(names.now()[&alice], "Ann B.", "{wrong}");
            assert!(!read(&file).err().unwrap().contains("Ann"));
        }
        // One that cannot be shown is skipped, and the others are shown.
        let long = format!(r#""{}""#, "x".repeat(65));
        for none in ["1", "null", r#"["Ann"]"#, r#""\u202eAnn""#, r#""""#, &long] {
            later(&format!(r#"{{"alice":{none},"carol":"Car","no name":"x"}}"#));
            let shown: Vec<_> = names.now().iter().map(|(player, name)| format!("{player} {name}")).collect();
            assert_eq!((shown, names.skipped()), (vec!["carol Car".to_owned()], 2), "{none}");
            assert_eq!(read(&file).unwrap().whose, std::slice::from_ref(&alice));
            assert!(DisplayNames::open(file.clone()).is_ok(), "a start, too");
        }
        later(r#"{"bob":"Bob"}"#);
        assert_eq!((names.now().get(&alice), names.now().len(), names.skipped()), (None, 1, 0));
        // Another file in its place, with the same time.
        let (other, time) = (folder.path().join("other"), std::fs::metadata(&file).unwrap().modified().unwrap());
        std::fs::write(&other, r#"{"eve":"Eve"}"#).unwrap();
        File::options().append(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &file).unwrap();
        names.look();
        assert_eq!(names.now().keys().map(PlayerId::as_str).collect::<Vec<_>>(), ["eve"]);
        std::fs::remove_file(&file).unwrap();
        names.look();
        assert_eq!(names.now().len(), 1);
    }
}
