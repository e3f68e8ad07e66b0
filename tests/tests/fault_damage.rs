//! One flipped byte anywhere in a stopped service's folder: found and named, or without effect; never served.

use crate::faults;

use fairshoe_tests::{Client, Service};
use fairshoe_tlog::{Checkpoint, VerifierKey, bundles_for_size, tiles_for_size, verify_checkpoint};
use faults::process::Process;
use faults::{Dice, audit, copy_folder, files, samples};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Everything that the log serves, by path, with its signed checkpoint.
struct Served {
    size: u64,
    entries: Vec<Vec<u8>>,
    tiles: BTreeMap<String, Vec<u8>>,
}

/// Reads everything; `None` if the service reports damage instead, or ends.
fn read_all(url: &str, key: &VerifierKey) -> Option<Served> {
    let client = Client::new(url, None);
    let get = |path: &str| client.send("GET", path, None, &[]).filter(|reply| reply.status == 200);
    let checkpoint: Checkpoint =
        verify_checkpoint(&get("/checkpoint")?.text(), key).expect("a checkpoint that another key signed");
    let size = checkpoint.size;
    let entries: Option<Vec<_>> = (0..size).map(|index| Some(get(&format!("/v1/entries/{index}"))?.body)).collect();
    let paths = tiles_for_size(size).chain(bundles_for_size(size)).map(|path| path.to_string());
    let tiles: Option<BTreeMap<_, _>> =
        paths.map(|path| Some((path.clone(), get(&format!("/{path}"))?.body))).collect();
    let served = Served { size, entries: entries?, tiles: tiles? };
    let mut tree = fairshoe_tlog::Tree::new();
    for entry in &served.entries {
        tree.append(fairshoe_tlog::leaf_hash(entry));
    }
    assert_eq!(tree.root(), checkpoint.root, "entries served that were not signed");
    Some(served)
}

/// Flips bits of one byte. Half of the samples go to the store's data, in its used part.
fn damage(dir: &Path, dice: &mut Dice) -> String {
    let all = files(dir);
    let name = if dice.below(2) == 0 { Path::new("log/db") } else { &all[dice.below(all.len() as u64) as usize] };
    let mut bytes = fs::read(dir.join(name)).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last as u64 + 1);
    if used == 0 {
        return format!("{}: empty", name.display());
    }
    let (at, flip) = (dice.below(used) as usize, 1 + dice.below(255) as u8);
    bytes[at] ^= flip;
    fs::write(dir.join(name), bytes).unwrap();
    format!("{} byte {at} ^ {flip:#04x}", name.display())
}

#[test]
fn one_flipped_byte_anywhere_is_found_or_makes_no_difference() {
    let mut dice = Dice::new();
    let folder = tempfile::tempdir().unwrap();
    let original = folder.path().join("original");
    // Longer than a tile, and started more than once, so that the store has a snapshot and a log after it.
    for name in ["alice", "bob", "carol"] {
        let service = Service::start(&original, &[]);
        let player = service.player(name, 10_000);
        for _ in 0..35 {
            player.play("joy-1", 5);
        }
        assert_eq!(service.stop(), Some(0));
    }
    let key: VerifierKey = fs::read_to_string(original.join("log.vkey")).unwrap().trim().parse().unwrap();
    let (mut served, mut refused, mut named, mut unsound) = (0, 0, 0, 0);
    let whole = {
        let dir = folder.path().join("whole");
        copy_folder(&original, &dir);
        let service = Service::start(&dir, &[]);
        let whole = read_all(&service.url, &key).unwrap();
        assert_eq!(service.stop(), Some(0));
        whole
    };
    // The next start also has the last start's own entries: only earlier data is compared.
    let size = whole.size as usize - own_entries(&whole);
    assert!(size > 300, "{size}");
    for sample in 0..samples(90, 3000) {
        let dir = folder.path().join("damaged");
        let _before = fs::remove_dir_all(&dir);
        copy_folder(&original, &dir);
        let story = damage(&dir, &mut dice);
        if sample % 3 == 0 {
            let verdict = audit(&["log", dir.to_str().unwrap(), "--json"]);
            match verdict.code {
                Some(0) => {}
                Some(1) => unsound += 1,
                // No longer a store, or another format: unusable, with a message.
                Some(2)
                    if story.starts_with("format") || story.starts_with("sealed/") || story.starts_with("log.vkey") =>
                {
                    unsound += 1
                }
                _ => panic!("{story}: the auditor: {verdict:?}"),
            }
        }
        let mut service = Process::serve(&dir, &[]);
        let Some(url) = service.url(Duration::from_secs(60)) else {
            let ended = service.end(Duration::from_secs(10));
            assert!(ended.code.is_some_and(|code| code != 0), "{story}: {ended:?}");
            assert!(!ended.said.contains("panicked at"), "{story}: {}", ended.said);
            refused += 1;
            continue;
        };
        let Some(now) = read_all(&url, &key) else {
            named += 1;
            continue;
        };
        assert!(now.size as usize >= size, "{story}: the log shrank");
        assert_eq!(now.entries[..size], whole.entries[..size], "{story}: other entries were served");
        // Only the tiles and bundles that were full before: the last start's own entries may have filled another.
        let full = |path: &str| path[path.len() - 3..].parse().is_ok_and(|number: usize| (number + 1) * 256 <= size);
        for (path, bytes) in whole.tiles.iter().filter(|(path, _)| !path.contains(".p/") && full(path)) {
            assert_eq!(now.tiles.get(path), Some(bytes), "{story}: {path}");
        }
        let ended = service.stop();
        assert_eq!(ended.code, Some(0), "{story}: {ended:?}");
        let verdict = audit(&["log", dir.to_str().unwrap(), "--json"]);
        assert_eq!(verdict.code, Some(0), "{story}: served, and then not sound: {verdict:?}");
        served += 1;
    }
    println!(
        "{refused} refused, {named} named while reading, {served} without effect; the auditor found {unsound} unsound"
    );
    assert!(refused > 0, "no sample hit anything that matters");
    assert!(served > 0, "every sample was refused: is the original whole?");
}

/// The number of entries that the last start wrote.
fn own_entries(served: &Served) -> usize {
    served.entries.iter().rev().position(|entry| String::from_utf8_lossy(entry).contains("\"dealer_started\"")).unwrap()
        + 1
}
