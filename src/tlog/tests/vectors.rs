//! The shipped vectors, which are their own source: a reader who knows only spec/ comes to the same verdicts.

use std::fs;
use std::path::PathBuf;

use fairshoe_tlog::{
    Cosigner, EntryBundle, Hash, NoTiles, Policy, Signer, TilePath, TlogProof, Tree, VerifierKey, bundles_for_size,
    leaf_hash, own_time, tiles_for_size, verify_checkpoint, verify_consistency, verify_inclusion,
};
use serde_json::{Value, json};

/// `spec/vectors` of the workspace.
fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors")
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(directory().join(name)).unwrap()).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let list = value[key].as_array().unwrap();
    assert!(!list.is_empty(), "{key}");
    list
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn bytes(value: &Value, key: &str) -> Vec<u8> {
    hex::decode(text(value, key)).unwrap()
}

fn proof(value: &Value) -> Vec<Hash> {
    value["proof"].as_array().unwrap().iter().map(hash).collect()
}

fn hash(value: &Value) -> Hash {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn the_tree_file_as_a_reader_checks_it() {
    let file = read("log-tree.json");
    let key: VerifierKey = text(&file, "log_key").parse().unwrap();
    let seed: [u8; 32] = bytes(&file, "log_seed_hex").try_into().unwrap();
    let signer = Signer::new(key.name(), &seed).unwrap();
    assert_eq!(signer.verifier_key(), &key);
    let entries: Vec<Vec<u8>> =
        list(&file, "entries_hex").iter().map(|e| hex::decode(e.as_str().unwrap()).unwrap()).collect();
    let leaves: Vec<Hash> = list(&file, "leaf_hashes").iter().map(hash).collect();
    let mut tree = Tree::new();
    let roots: Vec<Hash> = list(&file, "roots").iter().map(hash).collect();
    for (size, signed) in list(&file, "checkpoints").iter().enumerate() {
        assert_eq!(tree.root_at(size as u64, &NoTiles).unwrap(), roots[size]);
        assert_eq!(&signer.sign_checkpoint(size as u64, roots[size]), signed);
        let checkpoint = verify_checkpoint(signed.as_str().unwrap(), &key).unwrap();
        assert_eq!((checkpoint.size, checkpoint.root), (size as u64, roots[size]));
        if let Some(entry) = entries.get(size) {
            assert_eq!(leaf_hash(entry), leaves[size]);
            tree.append(leaf_hash(entry));
        }
    }
    for case in list(&file, "inclusion") {
        let (index, size) = (case["index"].as_u64().unwrap(), case["size"].as_u64().unwrap());
        verify_inclusion(&leaves[index as usize], index, size, &proof(case), &roots[size as usize]).unwrap();
        assert_eq!(tree.inclusion_proof(index, size, &NoTiles).unwrap(), proof(case));
    }
    for case in list(&file, "consistency") {
        let (old, size) = (case["old"].as_u64().unwrap(), case["size"].as_u64().unwrap());
        verify_consistency(old, size, &roots[old as usize], &roots[size as usize], &proof(case)).unwrap();
        assert_eq!(tree.consistency_proof(old, size, &NoTiles).unwrap(), proof(case));
    }
    assert_eq!((list(&file, "inclusion").len(), list(&file, "consistency").len()), (15, 21), "every pair");
    let paths = (0..=5).flat_map(|size| tiles_for_size(size).chain(bundles_for_size(size)));
    assert!(
        list(&file, "resources")
            .iter()
            .map(|case| text(case, "path").to_owned())
            .eq(paths.map(|path| path.to_string()))
    );
    for case in list(&file, "resources") {
        let path: TilePath = text(case, "path").parse().unwrap();
        let served = bytes(case, "hex");
        match path {
            TilePath::Tile { level, .. } => {
                assert_eq!((level, served.len()), (0, 32 * usize::from(path.width())));
                let expected: Vec<u8> = leaves.iter().flat_map(|leaf| leaf.0).collect();
                assert!(expected.starts_with(&served));
            }
            TilePath::Entries { .. } => {
                let bundle = EntryBundle::decode(&served).unwrap();
                assert_eq!(bundle.entries(), &entries[..usize::from(path.width())]);
            }
            TilePath::Checkpoint => panic!("not a tile"),
        }
    }
    for case in list(&file, "layouts") {
        let mut levels: Vec<(u64, u16)> = Vec::new();
        for path in tiles_for_size(case["size"].as_u64().unwrap()) {
            let TilePath::Tile { level, partial, .. } = path else { panic!("{path}") };
            levels.resize(usize::from(level) + 1, (0, 0));
            match partial {
                None => levels[usize::from(level)].0 += 1,
                Some(width) => levels[usize::from(level)].1 = u16::from(width.get()),
            }
        }
        assert_eq!(json!(levels), case["full_and_partial_width_by_level"], "{case}");
    }
    for case in list(&file, "paths") {
        let path: TilePath = text(case, "path").parse().unwrap();
        let TilePath::Tile { level, index, partial: None } = path else { panic!("{path}") };
        assert_eq!(
            (u64::from(level), index.to_string()),
            (case["level"].as_u64().unwrap(), text(case, "index").into())
        );
    }
}

#[test]
fn the_receipts_verify() {
    let file = read("log-receipts.json");
    let key: VerifierKey = text(&file, "witness_key").parse().unwrap();
    let seed: [u8; 32] = bytes(&file, "witness_seed_hex").try_into().unwrap();
    assert_eq!(Cosigner::new(key.name(), &seed).unwrap().verifier_key(), &key);
    for case in list(&file, "receipts") {
        let policy = Policy::parse(text(case, "policy").as_bytes()).unwrap();
        let receipt = TlogProof::parse(text(case, "receipt").as_bytes()).unwrap();
        assert_eq!(receipt.format(), text(case, "receipt"));
        let verified = receipt.verify(&bytes(case, "entry_hex"), &policy).unwrap();
        assert_eq!(verified.index, case["index"].as_u64().unwrap());
        assert_eq!(verified.checkpoint.size, case["size"].as_u64().unwrap());
        let times: Vec<u64> = verified.cosigned_by.iter().map(|by| by.time).collect();
        assert_eq!(case["cosigned_at"], Value::from(times));
    }
}

#[test]
fn the_policies_are_read() {
    let file = read("log-receipts.json");
    for case in list(&file, "policies") {
        assert!(Policy::parse(&bytes(case, "hex")).is_ok(), "{}", text(case, "what"));
    }
    assert!(list(&file, "policies").len() >= 6);
}

#[test]
fn keys_are_read_whose_names_hold_what_nobody_sees() {
    let file = read("log-receipts.json");
    for case in list(&file, "keys") {
        assert_eq!(text(case, "key").parse::<VerifierKey>().unwrap().name(), text(case, "name"));
    }
    assert!(list(&file, "keys").len() >= 5);
}

#[test]
fn the_log_s_own_times_are_read() {
    let file = read("log-receipts.json");
    for case in list(&file, "own_times") {
        let key: VerifierKey = text(case, "log_key").parse().unwrap();
        let checkpoint = text(case, "checkpoint");
        assert!(verify_checkpoint(checkpoint, &key).is_ok(), "{}", text(case, "what"));
        let time = own_time(checkpoint, &key).map(|time| time.to_string());
        assert_eq!(time.as_deref(), case["own_time"].as_str(), "{}", text(case, "what"));
    }
    assert!(list(&file, "own_times").len() >= 10);
}

#[test]
fn the_broken_ones_are_refused_and_for_the_reason_named() {
    let file = read("log-broken.json");
    let key: VerifierKey = text(&file, "log_key").parse().unwrap();
    let mut count = 0;
    let mut refused = |case: &Value, error: String| {
        assert_eq!(error, text(case, "error"), "{}", text(case, "why"));
        count += 1;
    };
    for case in list(&file, "checkpoints") {
        refused(case, verify_checkpoint(text(case, "input"), &key).unwrap_err().to_string());
    }
    for case in list(&file, "consistency") {
        let number = |key: &str| case[key].as_u64().unwrap();
        let (old, new) = (hash(&case["old_root"]), hash(&case["root"]));
        let error = verify_consistency(number("old"), number("size"), &old, &new, &proof(case));
        refused(case, error.unwrap_err().to_string());
    }
    for case in list(&file, "receipts") {
        let policy = Policy::parse(text(case, "policy").as_bytes()).unwrap();
        let outcome = TlogProof::parse(text(case, "input").as_bytes())
            .and_then(|receipt| receipt.verify(&bytes(case, "entry_hex"), &policy));
        refused(case, outcome.unwrap_err().to_string());
    }
    for case in list(&file, "bundles") {
        refused(case, EntryBundle::decode(&bytes(case, "hex")).unwrap_err().to_string());
    }
    for case in list(&file, "keys") {
        refused(case, text(case, "input").parse::<VerifierKey>().unwrap_err().to_string());
    }
    for case in list(&file, "policies") {
        refused(case, Policy::parse(&bytes(case, "hex")).unwrap_err().to_string());
    }
    for path in list(&file, "paths") {
        assert!(path.as_str().unwrap().parse::<TilePath>().is_err(), "{path}");
    }
    assert!(count >= 80, "{count}");
}

/// The pages' examples are taken from the vectors, so a reader can check one against the other.
#[test]
fn the_pages_show_what_the_vectors_hold() {
    let spec = directory().join("..");
    let page = |name: &str| fs::read_to_string(spec.join(name)).unwrap();
    let (log, receipts) = (page("log.md"), page("receipts.md"));
    let tree = read("log-tree.json");
    assert!(log.contains(tree["checkpoints"][5].as_str().unwrap()), "spec/log.md: checkpoint");
    assert!(log.contains(text(&tree, "log_key")), "spec/log.md: key");
    let five = &list(&tree, "resources").iter().rfind(|r| text(r, "path") == "tile/entries/000.p/2").unwrap();
    assert!(log.contains(text(five, "hex")), "spec/log.md: bundle");
    for case in list(&tree, "consistency").iter().filter(|c| c["old"] == 3 && c["size"] == 5) {
        proof(case).iter().for_each(|hash| assert!(log.contains(&hash.to_string()), "spec/log.md: proof"));
    }
    let cosigned = read("log-receipts.json")["receipts"][5].clone();
    assert!(receipts.contains(text(&cosigned, "receipt")), "spec/receipts.md: receipt");
    assert!(receipts.contains(text(&cosigned, "policy")), "spec/receipts.md: policy");
}
