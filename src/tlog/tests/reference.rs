//! Data written by others: transparency-dev/merkle's proofs, transparency-dev/tessera's log (both Apache-2.0).

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Book, reference};
use fairshoe_tlog::{
    Checkpoint, EntryBundle, Hash, TilePath, VerifierKey, bundles_for_size, leaf_hash, tiles_for_size,
    verify_checkpoint, verify_consistency, verify_inclusion,
};
use serde_json::Value;

const TESSERA_KEY: &str = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx";

fn json_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(json_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A case's hash. Some cases hold bytes that are no hash ("WrongRoot"), which our types cannot hold. They become a
/// unique hash, so equal texts stay equal.
fn hash(value: &Value) -> (Hash, bool) {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap_or("")).unwrap();
    match <[u8; 32]>::try_from(bytes.as_slice()) {
        Ok(bytes) => (Hash(bytes), true),
        Err(_) => (leaf_hash(&bytes), false),
    }
}

fn hashes(value: &Value) -> Vec<(Hash, bool)> {
    value.as_array().map(|list| list.iter().map(hash).collect()).unwrap_or_default()
}

#[test]
fn merkle_conformance_cases() {
    let Some(dir) = reference("merkle") else { return };
    let files = json_files(&dir);
    assert!(files.len() > 100, "only {} cases", files.len());
    let (mut good, mut broken) = (0, 0);
    let mut by_type_alone = Vec::new();
    for file in files {
        let case: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let number = |key: &str| case[key].as_u64().unwrap();
        let proof = hashes(&case["proof"]);
        let mut expressible = proof.iter().all(|(_, is_hash)| *is_hash);
        let proof: Vec<Hash> = proof.into_iter().map(|(hash, _)| hash).collect();
        let mut of = |key: &str| {
            let (hash, is_hash) = hash(&case[key]);
            expressible &= is_hash;
            hash
        };
        let outcome = if case.get("leafIdx").is_some() {
            let (leaf, root) = (of("leafHash"), of("root"));
            verify_inclusion(&leaf, number("leafIdx"), number("treeSize"), &proof, &root)
        } else {
            let (old, new) = (of("root1"), of("root2"));
            verify_consistency(number("size1"), number("size2"), &old, &new, &proof)
        };
        if case["wantErr"] == true {
            if outcome.is_ok() {
                by_type_alone.push(file.file_stem().unwrap().to_str().unwrap().to_owned());
                assert!(!expressible, "{} must be refused", file.display());
            }
            broken += 1;
        } else {
            assert_eq!(outcome, Ok(()), "{}", file.display());
            good += 1;
        }
    }
    assert!(good >= 10 && broken >= 100, "{good} good, {broken} broken");
    // They refuse these because a root is empty or no hash; here such a text never becomes a `Hash`.
    assert_eq!(by_type_alone, ["size1-is-zero-and-size2-is-not-zero", "empty-root-and-leaf"]);
}

#[test]
fn tessera_log_checkpoints_tiles_and_proofs() {
    let Some(dir) = reference("tessera-log") else { return };
    let key: VerifierKey = TESSERA_KEY.parse().unwrap();
    assert_eq!(key.to_string(), TESSERA_KEY);

    let bytes = fs::read(dir.join("tile/entries/000.p/15")).unwrap();
    let mut book = Book::default();
    let bundle = EntryBundle::decode(&bytes).unwrap();
    assert_eq!(bundle.entries().len(), 15);
    assert_eq!(bundle.encode(), bytes);
    bundle.leaf_hashes().for_each(|leaf| book.append(leaf));

    let mut checkpoints: Vec<Checkpoint> = Vec::new();
    for size in 0..=15u64 {
        let signed = fs::read_to_string(dir.join(format!("checkpoint.{size}"))).unwrap();
        let checkpoint = verify_checkpoint(&signed, &key).unwrap();
        assert_eq!((checkpoint.origin.as_str(), checkpoint.size), ("example.com/log/testdata", size));
        assert_eq!(checkpoint.root, book.tree.root_at(size, &book.tiles).unwrap());
        assert!(signed.starts_with(&checkpoint.text()));
        for path in tiles_for_size(size) {
            let TilePath::Tile { level, index, .. } = path else { unreachable!() };
            let ours = book.tree.partial_tile(level, index, path.width(), &book.tiles).unwrap();
            assert_eq!(ours, fs::read(dir.join(path.to_string())).unwrap(), "{path}");
        }
        for path in bundles_for_size(size) {
            let served = fs::read(dir.join(path.to_string())).unwrap();
            let part = EntryBundle::decode(&served).unwrap();
            assert_eq!(part.entries(), &bundle.entries()[..usize::from(path.width())], "{path}");
        }
        checkpoints.push(checkpoint);
    }
    for new in &checkpoints {
        for old in checkpoints.iter().filter(|old| old.size <= new.size) {
            let proof = book.tree.consistency_proof(old.size, new.size, &book.tiles).unwrap();
            verify_consistency(old.size, new.size, &old.root, &new.root, &proof).unwrap();
        }
        for index in 0..new.size {
            let proof = book.tree.inclusion_proof(index, new.size, &book.tiles).unwrap();
            let leaf = leaf_hash(bundle.entries()[index as usize]);
            verify_inclusion(&leaf, index, new.size, &proof, &new.root).unwrap();
        }
    }
}
