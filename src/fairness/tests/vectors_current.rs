//! The vector files equal the generator's output, byte for byte, and there are no other files: a change of the
//! protocol's bytes is always noticed.

#[path = "../examples/vectors/files/mod.rs"]
mod files;

use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn vectors_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors");
    let mut names = BTreeSet::new();
    for (name, text) in files::all() {
        let stored = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(stored == text, "{name} is stale: cargo run -p fairshoe-fairness --example vectors -- spec/vectors");
        names.insert(name.to_owned());
    }
    let stored: BTreeSet<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("fairness-"))
        .collect();
    assert_eq!(stored, names);
}
