//! One damaged byte anywhere in the folder. After opening and reading everything there is either an error that names
//! the damage, or data identical to the original.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::{self, Running};
use crate::model::mix;
use crate::{samples, seed};

#[test]
fn one_damaged_byte_is_an_error_or_makes_no_difference() {
    let seed = seed();
    let original = tempfile::tempdir().unwrap();
    child::run("create", original.path(), 300);
    // Opened again and written on, so that sled has a snapshot and a log after it.
    let size = child::run("write", original.path(), 100).acknowledged();
    let files = files_under(original.path());
    let (mut same, mut refused, mut died) = (0, 0, Vec::new());
    let mut kinds = BTreeMap::new();
    for sample in 0..samples(80, 3000) {
        let copy = tempfile::tempdir().unwrap();
        copy_all(original.path(), copy.path());
        let story = damage(copy.path(), &files, mix(seed ^ mix(sample)));
        let role = if sample % 4 == 0 { "check-copy" } else { "check" };
        let ended = Running::start(child::command(role, copy.path(), 0)).finish(Duration::from_secs(60));
        assert_eq!(ended.line("DIFFERENT"), None, "{story}: {ended:?}");
        match (ended.status, ended.same(), ended.line("ERROR ")) {
            (Some(status), Some(found), None) if status.success() => {
                assert_eq!(found, size, "{story}");
                same += 1;
            }
            (Some(status), None, Some(error)) if status.success() => {
                refused += 1;
                let kind = error.split(':').next().unwrap_or_default().to_owned();
                assert_ne!(kind, "Locked", "{story}");
                *kinds.entry(kind).or_insert(0) += 1;
            }
            // sled ended the whole process, or never returned. It served no false data.
            (None, None, _) => died.push(format!("{story}: no answer within the time limit")),
            (Some(status), None, _) if status.signal().is_some() => died.push(format!("{story}: {status}")),
            _ => panic!("{story}: {ended:?}"),
        }
    }
    println!("{same} identical, {refused} refused, {} ended by sled; {kinds:?} {died:#?}", died.len());
    assert!(refused > 0, "no sample hit anything that matters");
    assert!(same > 0, "every sample was refused: is the original whole?");
}

fn files_under(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for name in fs::read_dir(dir).unwrap() {
        let path = name.unwrap().path();
        if path.is_dir() {
            found.extend(files_under(&path).into_iter().map(|p| PathBuf::from(path.file_name().unwrap()).join(p)));
        } else {
            found.push(path.file_name().unwrap().into());
        }
    }
    found.sort();
    found
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("log/blobs")).unwrap();
    for name in files_under(from) {
        fs::create_dir_all(to.join(&name).parent().unwrap()).unwrap();
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// Flips one to eight bits of one byte. sled's file gets half of the samples, and there only its used part counts;
/// sealed files get most of the others.
fn damage(dir: &Path, files: &[PathBuf], dice: u64) -> String {
    let db = PathBuf::from("log/db");
    let name = if dice.is_multiple_of(2) { &db } else { &files[(mix(dice) % files.len() as u64) as usize] };
    let mut bytes = fs::read(dir.join(name)).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if used == 0 {
        return format!("{}: empty", name.display());
    }
    let at = (mix(dice ^ 1) % used as u64) as usize;
    let flip = (mix(dice ^ 2) % 255) as u8 + 1;
    bytes[at] ^= flip;
    fs::write(dir.join(name), bytes).unwrap();
    format!("{} byte {at} ^ {flip:#04x}", name.display())
}
