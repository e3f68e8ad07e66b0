//! `fairshoe new-keys DIR`: the keys of a log that is to go on from another one (spec/recovery.md, "The end of a log").
//!
//! Apart from `restore`, which uses them: the old log names the key as its last entry, and a restore that is cut off
//! begins anew with an empty folder.

use crate::ops::keys::{self, KeyError};
use crate::ops::startup;
use fairshoe_tlog::{KeyType, SecretKey, VerifierKey};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Makes them, and says the public one.
pub fn run(dir: &Path, origin: &str) -> ExitCode {
    match make(dir, origin) {
        Ok(key) => {
            println!("{key}");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("fairshoe: {what}");
            ExitCode::from(1)
        }
    }
}

fn make(dir: &Path, origin: &str) -> Result<VerifierKey, String> {
    let said = |e: KeyError| e.to_string();
    keys::make_private_dir(dir).map_err(said)?;
    if fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?.next().is_some() {
        return Err(format!("{} is not empty: name another folder, since keys are never overwritten", dir.display()));
    }
    keys::create_next(dir, origin).map_err(said)?;
    let (seed, _) = keys::Saved::find(dir).log_key().map_err(said)?;
    let key = VerifierKey::new(origin, KeyType::Ed25519, &SecretKey::from_seed(&seed).public_key());
    let key = key.map_err(|e| e.to_string())?;
    startup::write_public(&dir.join("log.vkey"), &format!("{key}\n")).map_err(|e| e.to_string())?;
    Ok(key)
}
