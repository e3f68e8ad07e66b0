//! An independent tree and note implementation (crates `tlog_tiles` and `signed_note`) must agree with ours.

use crate::common;

use common::Book;
use fairshoe_tlog::{
    EMPTY_ROOT, Hash, Note, Signer, TilePath, tiles_for_size, verify_checkpoint, verify_consistency, verify_inclusion,
};
use proptest::prelude::*;
use signed_note::{Signer as _, StandardSigner, StandardVerifier, Verifier as _, VerifierList};
use tlog_tiles::HashReader;

struct Stored(Vec<tlog_tiles::Hash>);

impl HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, tlog_tiles::Error> {
        Ok(indexes.iter().map(|&index| self.0[index as usize]).collect())
    }
}

fn theirs(hash: Hash) -> tlog_tiles::Hash {
    tlog_tiles::Hash(hash.0)
}

fn ours(hashes: &[tlog_tiles::Hash]) -> Vec<Hash> {
    hashes.iter().map(|hash| Hash(hash.0)).collect()
}

fn both(size: u64) -> (Book, Stored) {
    let mut stored = Stored(Vec::new());
    for n in 0..size {
        let more = tlog_tiles::stored_hashes(n, &n.to_be_bytes(), &stored).unwrap();
        stored.0.extend(more);
    }
    (Book::of(size), stored)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn roots_tiles_and_proofs_agree(size in 1u64..1500, at in any::<[prop::sample::Index; 3]>()) {
        let (book, stored) = both(size);
        let smaller = 1 + at[0].index(size as usize) as u64;
        let index = at[1].index(smaller as usize) as u64;
        let old = 1 + at[2].index(smaller as usize) as u64;
        let root = book.tree.root_at(smaller, &book.tiles).unwrap();
        let old_root = book.tree.root_at(old, &book.tiles).unwrap();
        prop_assert_eq!(theirs(root), tlog_tiles::tree_hash(smaller, &stored).unwrap());

        let inclusion = book.tree.inclusion_proof(index, smaller, &book.tiles).unwrap();
        prop_assert_eq!(&inclusion, &ours(&tlog_tiles::prove_record(smaller, index, &stored).unwrap()));
        verify_inclusion(&book.leaves[index as usize], index, smaller, &inclusion, &root).unwrap();

        let consistency = book.tree.consistency_proof(old, smaller, &book.tiles).unwrap();
        prop_assert_eq!(&consistency, &ours(&tlog_tiles::prove_tree(smaller, old, &stored).unwrap()));
        verify_consistency(old, smaller, &old_root, &root, &consistency).unwrap();

        for path in tiles_for_size(smaller) {
            let TilePath::Tile { level, index, .. } = path else { unreachable!() };
            let tile = tlog_tiles::Tile::new(8, level, index, u32::from(path.width()), false);
            let bytes = book.tree.partial_tile(level, index, path.width(), &book.tiles).unwrap();
            prop_assert_eq!(bytes, tile.read_data(&stored).unwrap());
        }
    }

    /// Wrong proofs too: both verifiers agree on proofs that were changed.
    #[test]
    fn verdicts_agree(
        size in 1u64..600,
        at in any::<[prop::sample::Index; 2]>(),
        index_off in -1i64..=1, size_off in -1i64..=1,
        drop_last in any::<bool>(), flip in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let book = Book::of(size);
        let root = book.tree.root();
        let index = at[0].index(size as usize) as u64;
        let leaf = book.leaves[index as usize];
        let tamper = |proof: &mut Vec<Hash>| {
            if drop_last { proof.pop(); }
            if let (Some(flip), false) = (flip, proof.is_empty()) {
                let at = flip.index(proof.len());
                proof[at].0[0] ^= 1;
            }
        };
        let mut proof = book.tree.inclusion_proof(index, size, &book.tiles).unwrap();
        tamper(&mut proof);
        let (claim, of) = (index.saturating_add_signed(index_off), size.saturating_add_signed(size_off));
        // Their check panics or returns an error on an index out of range; ours must refuse.
        let our_verdict = verify_inclusion(&leaf, claim, of, &proof, &root).is_ok();
        if claim < of {
            let p = proof.iter().copied().map(theirs).collect();
            let their_verdict = tlog_tiles::check_record(&p, of, theirs(root), claim, theirs(leaf)).is_ok();
            prop_assert_eq!(our_verdict, their_verdict);
        } else {
            prop_assert!(!our_verdict);
        }

        let old = 1 + at[1].index(size as usize) as u64;
        let old_root = book.tree.root_at(old, &book.tiles).unwrap();
        let mut proof = book.tree.consistency_proof(old, size, &book.tiles).unwrap();
        tamper(&mut proof);
        let claim = old.saturating_add_signed(index_off);
        if (1..=of).contains(&claim) {
            let ours = verify_consistency(claim, of, &old_root, &root, &proof).is_ok();
            let p = proof.iter().copied().map(theirs).collect();
            let theirs = tlog_tiles::check_tree(&p, of, theirs(root), claim, theirs(old_root)).is_ok();
            prop_assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn notes_agree(seed in any::<[u8; 32]>(), lines in prop::collection::vec("[a-z ]{0,8}", 1..6)) {
        let text = lines.join("\n") + "\n";
        let name = "fairshoe.example/log";
        let signer = Signer::new(name, &seed).unwrap();
        let key = signer.verifier_key();
        let their_signer = their_signer(name, &seed, key.key_id());
        let their_key = StandardVerifier::new(&key.to_string()).unwrap();
        prop_assert_eq!(their_key.key_id(), key.key_id());

        // Ed25519 is deterministic: the two notes are the same bytes.
        let our_note = format!("{text}\n{}", signer.sign(&text).unwrap());
        let mut their_note = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
        their_note.add_sigs(&[&their_signer]).unwrap();
        prop_assert_eq!(our_note.as_bytes(), &their_note.to_bytes()[..]);

        let parsed = signed_note::Note::from_bytes(our_note.as_bytes()).unwrap();
        let known = VerifierList::new(vec![Box::new(their_key)]);
        prop_assert_eq!(parsed.verify(&known).unwrap().0.len(), 1);
        let note = Note::parse(our_note.as_bytes(), 4096).unwrap();
        prop_assert_eq!(note.text().as_bytes(), parsed.text());
        prop_assert_eq!(note.verified(std::slice::from_ref(key)).unwrap().len(), 1);
    }
}

fn their_signer(name: &str, seed: &[u8; 32], id: u32) -> StandardSigner {
    use base64::Engine as _;
    let typed = [&[0x01], seed.as_slice()].concat();
    let encoded = base64::engine::general_purpose::STANDARD.encode(typed);
    let signer = StandardSigner::new(&format!("PRIVATE+KEY+{name}+{id:08x}+{encoded}")).unwrap();
    assert_eq!(signer.key_id(), id);
    signer
}

/// They accept every note or checkpoint that we accept; we may be stricter, never less strict.
#[test]
fn every_bit_flip_we_accept_they_accept() {
    let signer = Signer::new("fairshoe.example/log", &[1; 32]).unwrap();
    let signed = signer.sign_checkpoint(7, EMPTY_ROOT).into_bytes();
    let key = signer.verifier_key();
    let (mut parsed, mut refused) = (0, 0);
    for bit in 0..signed.len() * 8 {
        let mut bytes = signed.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(note) = Note::parse(&bytes, 4096) else {
            refused += 1;
            continue;
        };
        parsed += 1;
        let theirs = signed_note::Note::from_bytes(&bytes).unwrap();
        assert_eq!(note.text().as_bytes(), theirs.text(), "bit {bit}");
        let text = std::str::from_utf8(&bytes).unwrap();
        assert!(verify_checkpoint(text, key).is_err(), "bit {bit}");
        if let Ok(checkpoint) = fairshoe_tlog::Checkpoint::parse(note.text()) {
            let theirs = tlog_tiles::Checkpoint::from_bytes(theirs.text()).unwrap();
            assert_eq!((checkpoint.size, checkpoint.root.0), (theirs.size(), theirs.hash().0));
        }
    }
    assert!(parsed > 100 && refused > 100, "{parsed} parsed, {refused} refused");
}
