//! Every parser against random bytes; every encoding back and forth; every flipped bit.

use crate::common;

use std::num::NonZeroU8;

use common::Book;
use fairshoe_tlog::{
    BundleError, Checkpoint, Cosigner, EntryBundle, Hash, KeyType, MAX_ENTRY, MAX_EXTRA, MAX_NOTE, MAX_RECEIPT, Note,
    Policy, ReceiptError, Signer, TileNodes, TilePath, TlogProof, Verified, VerifierKey, bundles_for_size, leaf_hash,
    verify_checkpoint,
};
use proptest::prelude::*;

const NAME: &str = "fairshoe.example/log";

fn signer() -> Signer {
    Signer::new(NAME, &[1; 32]).unwrap()
}

fn witness() -> Cosigner {
    Cosigner::new("witness.example", &[2; 32]).unwrap()
}

fn entry(n: u64) -> Vec<u8> {
    n.to_be_bytes().to_vec()
}

fn policy(quorum: &str) -> Policy {
    let text = format!("log {}\nwitness w {}\nquorum {quorum}\n", signer().verifier_key(), witness().verifier_key());
    Policy::parse(text.as_bytes()).unwrap()
}

/// A receipt for entry `index` of `size`, log and witness both signing.
fn receipt(index: u64, size: u64, extra: Option<Vec<u8>>) -> TlogProof {
    let book = Book::of(size);
    let signed = signer().sign_checkpoint(size, book.tree.root());
    let text = &signed[..=signed.rfind("\n\n").unwrap()];
    let checkpoint_text = signed.clone() + &witness().cosign(text, 77).unwrap();
    let path = book.tree.inclusion_proof(index, size, &book.tiles).unwrap();
    TlogProof { extra, index, path, checkpoint_text }
}

fn parse_everything(bytes: &[u8]) {
    let _ = Note::parse(bytes, 1 << 20).map(|note| note.verified(&[signer().verifier_key().clone()]).is_ok());
    let _ = TlogProof::parse(bytes).map(|receipt| receipt.verify(b"", &policy("w")).is_ok());
    let _ = Policy::parse(bytes);
    let _ = EntryBundle::decode(bytes);
    let _ = TileNodes::from_bytes(bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = verify_checkpoint(&text, signer().verifier_key());
    let _ = Checkpoint::parse(&text);
    let _ = text.parse::<TilePath>();
    let _ = text.parse::<VerifierKey>();
    let _ = text.parse::<Hash>();
}

fn spliced(base: &[u8], at: prop::sample::Index, cut: usize, insert: &[u8]) -> Vec<u8> {
    let start = at.index(base.len() + 1);
    let end = (start + cut).min(base.len());
    [&base[..start], insert, &base[end..]].concat()
}

fn any_path() -> impl Strategy<Value = TilePath> {
    let partial = prop::option::of((1u8..=255).prop_map(|w| NonZeroU8::new(w).unwrap()));
    let index = prop_oneof![0u64..3000, any::<u64>()];
    prop_oneof![
        Just(TilePath::Checkpoint),
        (0u8..=63, index.clone(), partial.clone()).prop_map(|(level, index, partial)| TilePath::Tile {
            level,
            index,
            partial
        }),
        (index, partial).prop_map(|(index, partial)| TilePath::Entries { index, partial }),
    ]
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        parse_everything(&bytes);
    }

    #[test]
    fn no_text_panics(text in "(tile/|x|[0-9]{1,4}|/|\\.p/|entries|\n|— |index |extra |log |witness |group |quorum |none|\\+| |[A-Za-z=]{4}|c2sp.org/tlog-proof@v1\n){0,30}") {
        parse_everything(text.as_bytes());
    }

    #[test]
    fn no_spliced_receipt_or_bundle_panics_or_lies(
        at in any::<prop::sample::Index>(), cut in 0usize..60, insert in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let good = receipt(6, 11, None);
        let bytes = spliced(good.format().as_bytes(), at, cut, &insert);
        parse_everything(&bytes);
        // A changed receipt that still verifies shows the same entry at the same place under the same root.
        if let Ok(read) = TlogProof::parse(&bytes)
            && let Ok(verified) = read.verify(&entry(6), &policy("w"))
        {
            prop_assert_eq!(verified, good.verify(&entry(6), &policy("w")).unwrap());
        }
        parse_everything(&spliced(file_of(&policy_text()).as_slice(), at, cut, &insert));
    }

    #[test]
    fn paths_back_and_forth(path in any_path()) {
        prop_assert_eq!(path.to_string().parse::<TilePath>(), Ok(path));
    }

    /// Every parsed path is written back as the same text: no path has a second spelling.
    #[test]
    fn paths_have_one_spelling(text in "tile/(entries|[0-9]{1,2})/(x?[0-9]{3}/){0,3}x?[0-9]{2,4}(\\.p/[0-9]{1,3})?") {
        if let Ok(path) = text.parse::<TilePath>() {
            prop_assert_eq!(path.to_string(), text);
        }
    }

    #[test]
    fn hashes_and_keys_back_and_forth(bytes in any::<[u8; 32]>(), name in "[a-zà-ž./0-9]{1,30}", cosigner in any::<bool>()) {
        let hash = Hash(bytes);
        prop_assert_eq!(hash.to_string().parse::<Hash>(), Ok(hash));
        prop_assert_eq!(hash.as_ref(), &bytes[..]);
        prop_assert_eq!(format!("{hash:?}"), format!("Hash({hash})"));
        let signer = Signer::new(&name, &bytes).unwrap();
        let key_type = if cosigner { KeyType::CosignatureV1 } else { KeyType::Ed25519 };
        let key = VerifierKey::new(&name, key_type, signer.verifier_key().public_key()).unwrap();
        prop_assert_eq!(key.to_string().parse::<VerifierKey>(), Ok(key));
    }

    #[test]
    fn checkpoints_back_and_forth(
        origin in "[^\\x00-\\x1f]{1,40}", size in any::<u64>(), root in any::<[u8; 32]>(),
        extensions in prop::collection::vec("[^\\x00-\\x1f]{1,20}", 0..3),
    ) {
        let checkpoint = Checkpoint { origin, size, root: Hash(root), extensions };
        prop_assert_eq!(Checkpoint::parse(&checkpoint.text()), Ok(checkpoint));
    }

    #[test]
    fn receipts_back_and_forth(
        index in any::<u64>(), path in prop::collection::vec(any::<[u8; 32]>().prop_map(Hash), 0..=64),
        extra in prop::option::of(prop::collection::vec(any::<u8>(), 1..50)),
    ) {
        let checkpoint_text = signer().sign_checkpoint(5, leaf_hash(b""));
        let receipt = TlogProof { extra, index, path, checkpoint_text };
        prop_assert_eq!(TlogProof::parse(receipt.format().as_bytes()), Ok(receipt));
    }

    #[test]
    fn bundles_back_and_forth(entries in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..=256)) {
        let bundle = EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap();
        let bytes = bundle.encode();
        prop_assert_eq!(EntryBundle::decode(&bytes), Ok(bundle));
    }
}

fn policy_text() -> String {
    format!("# c\nlog {}\nwitness w {}\ngroup g 1 w\nquorum g\n", signer().verifier_key(), witness().verifier_key())
}

fn file_of(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// Every input that differs from `bytes` in one bit.
fn one_bit_off(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    (0..bytes.len() * 8).map(|bit| {
        let mut changed = bytes.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        (bit, changed)
    })
}

#[test]
fn every_flipped_bit_of_a_checkpoint_is_refused() {
    let signed = signer().sign_checkpoint(5, leaf_hash(b"x"));
    for (bit, bytes) in one_bit_off(signed.as_bytes()) {
        let text = String::from_utf8(bytes);
        let accepted = text.is_ok_and(|text| verify_checkpoint(&text, signer().verifier_key()).is_ok());
        assert!(!accepted, "bit {bit}");
    }
}

#[test]
fn every_flipped_bit_of_a_receipt_is_refused_or_touches_what_proves_nothing() {
    // Without extra data, and with a needed witness: no bit may change.
    let plain = receipt(6, 11, None).format();
    let verify = |bytes: &[u8], quorum: &str| -> Option<(TlogProof, Verified)> {
        let receipt = TlogProof::parse(bytes).ok()?;
        let verified = receipt.verify(&entry(6), &policy(quorum)).ok()?;
        Some((receipt, verified))
    };
    let (good, truth) = verify(plain.as_bytes(), "w").unwrap();
    for (bit, bytes) in one_bit_off(plain.as_bytes()) {
        assert_eq!(verify(&bytes, "w"), None, "bit {bit}");
    }
    // The witness is not needed: its line may become an unknown key's, which is ignored; every other bit is fixed.
    let mut ignored = 0;
    for (bit, bytes) in one_bit_off(plain.as_bytes()) {
        let Some((receipt, verified)) = verify(&bytes, "none") else { continue };
        let (path, index) = (&receipt.path, receipt.index);
        assert_eq!((path, index, verified.index), (&good.path, 6, truth.index), "bit {bit}");
        assert_eq!(verified.checkpoint, truth.checkpoint, "bit {bit}");
        assert_eq!(verified.cosigned_by, [], "bit {bit}");
        ignored += 1;
    }
    assert!(ignored > 0);
    // With extra data: it is not authenticated, and only it may change.
    let extra = receipt(6, 11, Some(b"opaque".to_vec()));
    let mut changed = 0;
    for (bit, bytes) in one_bit_off(extra.format().as_bytes()) {
        let Some((receipt, verified)) = verify(&bytes, "w") else { continue };
        assert_ne!(receipt.extra, extra.extra, "bit {bit}");
        assert_eq!(TlogProof { extra: extra.extra.clone(), ..receipt }, extra, "bit {bit}");
        assert_eq!(verified, truth, "bit {bit}");
        changed += 1;
    }
    assert!(changed > 0);
}

#[test]
fn every_flipped_bit_of_a_bundle_is_refused_or_hashes_to_another_tile() {
    let entries: Vec<Vec<u8>> = (0..9u64).map(|n| vec![n as u8; n as usize]).collect();
    let bundle = EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap();
    let tile: Vec<Hash> = bundle.leaf_hashes().collect();
    for (bit, bytes) in one_bit_off(&bundle.encode()) {
        if let Ok(changed) = EntryBundle::decode(&bytes) {
            assert_ne!(changed.leaf_hashes().collect::<Vec<_>>(), tile, "bit {bit}");
        }
    }
}

#[test]
fn bundle_limits_hold_exactly() {
    let longest = vec![7; MAX_ENTRY];
    let bundle = EntryBundle::new(vec![&longest; 256]).unwrap();
    let bytes = bundle.encode();
    assert_eq!(bytes.len(), 256 * (2 + MAX_ENTRY));
    assert_eq!(EntryBundle::decode(&bytes).unwrap(), bundle);
    assert_eq!(EntryBundle::new(vec![&[]; 257]), Err(BundleError::TooManyEntries));
    let too_long = vec![7; MAX_ENTRY + 1];
    assert_eq!(EntryBundle::new(vec![&too_long]), Err(BundleError::EntryTooLong { length: 65_536 }));
    assert_eq!(EntryBundle::new(vec![]), Err(BundleError::Empty));
    for (bytes, expected) in [
        (vec![], BundleError::Empty),
        (vec![0], BundleError::Truncated { entry: 0 }),
        (vec![0, 0, 0], BundleError::Truncated { entry: 1 }),
        (vec![0, 2, 9], BundleError::Truncated { entry: 0 }),
        (vec![0; 514], BundleError::TooManyEntries),
    ] {
        assert_eq!(EntryBundle::decode(&bytes), Err(expected), "{bytes:?}");
    }
    let paths: Vec<String> = bundles_for_size(600).map(|path| path.to_string()).collect();
    assert_eq!(paths, ["tile/entries/000", "tile/entries/001", "tile/entries/002.p/88"]);
    assert_eq!(bundles_for_size(0).count(), 0);
}

#[test]
fn paths_as_the_format_writes_them() {
    let tile = |level, index| TilePath::Tile { level, index, partial: None };
    for (text, path) in [
        ("checkpoint", TilePath::Checkpoint),
        ("tile/0/000", tile(0, 0)),
        ("tile/63/999", tile(63, 999)),
        ("tile/0/x001/000", tile(0, 1000)),
        ("tile/1/x001/x234/067", tile(1, 1_234_067)),
        ("tile/2/x018/x446/x744/x073/x709/x551/615", tile(2, u64::MAX)),
        ("tile/0/273.p/112", TilePath::Tile { level: 0, index: 273, partial: NonZeroU8::new(112) }),
        ("tile/entries/x999/999.p/255", TilePath::Entries { index: 999_999, partial: NonZeroU8::new(255) }),
    ] {
        assert_eq!(text.parse(), Ok(path));
        assert_eq!(path.to_string(), text);
    }
    for text in [
        "",
        "/",
        "checkpoint/",
        "/checkpoint",
        "tile",
        "tile/",
        "tile/0",
        "tile/0/",
        "tile/0/0",
        "tile/0/00",
        "tile/0/0000",
        "tile/0/1000",
        "tile/00/000",
        "tile/01/000",
        "tile/64/000",
        "tile/-1/000",
        "tile/+1/000",
        "tile/256/000",
        "tile/0/x000/000",
        "tile/0/x000/x001/000",
        "tile/0/001/000",
        "tile/0/x001",
        "tile/0/x001/x000",
        "tile/0/xx01/000",
        "tile/0/x001//000",
        "tile/0/000/",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/000.p/0",
        "tile/0/000.p/00",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/+1",
        "tile/0/000.p/1.p/1",
        "tile/0/000.p/1/",
        "tile/0/+00",
        "tile/0/0 0",
        "tile/0/٠٠٠",
        "tile/entries",
        "tile/Entries/000",
        "tile/entries/x018/x446/x744/x073/x709/x551/616",
        "tile/0/000 ",
        " tile/0/000",
        "tile/data/000",
    ] {
        assert!(text.parse::<TilePath>().is_err(), "{text}");
    }
}

/// The longest parts of a receipt together stay within the bound of the whole.
#[test]
fn the_longest_receipt_fits_its_bound() {
    let note = signer().sign_checkpoint(u64::MAX, leaf_hash(b""));
    let note = note + &"\u{2014} x AAAAAAA=\n".repeat(100);
    let extra = vec![7; MAX_EXTRA];
    let longest =
        TlogProof { extra: Some(extra), index: u64::MAX, path: vec![Hash([7; 32]); 64], checkpoint_text: note.clone() };
    let length = longest.format().len() - note.len() + MAX_NOTE;
    assert!(length <= MAX_RECEIPT, "{length} of {MAX_RECEIPT}");
    assert_eq!(TlogProof::parse(longest.format().as_bytes()), Ok(longest));
    assert_eq!(TlogProof::parse(&vec![b'a'; MAX_RECEIPT]), Err(ReceiptError::BadLine { line: 1 }));
}

#[test]
fn receipts_are_bounded_before_they_are_read() {
    let good = receipt(0, 3, None);
    let path_of = |count: usize| TlogProof { path: vec![Hash([0; 32]); count], ..good.clone() }.format();
    assert!(TlogProof::parse(path_of(64).as_bytes()).is_ok());
    assert_eq!(TlogProof::parse(path_of(65).as_bytes()), Err(ReceiptError::PathTooLong));
    let extra_of = |length: usize| TlogProof { extra: Some(vec![1; length]), ..good.clone() }.format();
    assert!(TlogProof::parse(extra_of(MAX_EXTRA).as_bytes()).is_ok());
    assert_eq!(TlogProof::parse(extra_of(MAX_EXTRA + 1).as_bytes()), Err(ReceiptError::BadLine { line: 2 }));
    let length = MAX_RECEIPT + 1;
    assert_eq!(TlogProof::parse(&vec![b'a'; length]), Err(ReceiptError::TooLong { length }));
    assert_eq!(TlogProof::parse(b"\xff"), Err(ReceiptError::NotUtf8));
    let text = good.format();
    for (input, line) in [
        ("", 1),
        ("c2sp.org/tlog-proof@v1", 1),
        ("c2sp.org/tlog-proof@v1\n", 2),
        (&text.replace("index 0", "index"), 2),
        (&text.replace("index 0", "index  0"), 2),
        (&text.replace("index 0", "index 18446744073709551616"), 2),
        (&text.replace("index 0", "extra AA\nindex 0"), 2),
        (&text.replace("index 0", "extra AA==\nextra AA==\nindex 0"), 3),
        (&text.replace("index 0\n", "index 0\nAAAA\n"), 3),
    ] {
        assert_eq!(TlogProof::parse(input.as_bytes()), Err(ReceiptError::BadLine { line }), "{input}");
    }
}
