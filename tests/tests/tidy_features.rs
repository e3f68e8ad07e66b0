//! No command of README, `tests/run` or the packages compiles a crate again that another has compiled (src/features).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Each crate by its version, with its sets of features: a crate that build scripts also need can have two.
type Crates = BTreeMap<String, BTreeSet<String>>;

fn crates(selected: &[&str], edges: &str) -> Crates {
    let out = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p}|{f}", "--edges", edges])
        .args(selected)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap())
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut crates = Crates::new();
    for line in String::from_utf8(out.stdout).unwrap().lines() {
        let Some((name, features)) = line.trim_end_matches(" (*)").split_once('|') else { continue };
        let name = name.split(" (").next().unwrap();
        if !name.starts_with("fairshoe") {
            crates.entry(name.to_owned()).or_default().insert(features.to_owned());
        }
    }
    crates
}

#[test]
fn no_command_compiles_a_crate_twice() {
    // tests/run builds everything that each command builds, and more.
    let all = crates(&["--workspace"], "normal,build,dev");
    let commands = ["fairshoe", "fairshoe-audit", "fairshoe-load", "fairshoe-odds", "fairshoe-wallet"];
    let mut missing = BTreeSet::new();
    for (command, edges) in commands.map(|name| (name, "normal,build")).into_iter().chain([("fairshoe-tests", "all")]) {
        for (name, sets) in crates(&["--package", command], edges) {
            if !sets.is_subset(&all[&name]) {
                missing.insert(format!("{name}: {:?} of all, {sets:?} of {command}", all[&name]));
            }
        }
    }
    assert!(missing.is_empty(), "name these features in src/features/Cargo.toml: {missing:#?}");
    assert!(all.len() > 200, "{} crates", all.len());
}
