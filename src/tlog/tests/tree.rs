//! The writer's tree against a second implementation of RFC 6962.

use crate::common;

use common::{Book, mth, path, subproof};
use fairshoe_tlog::{
    EMPTY_ROOT, Hash, NoTiles, ProofError, RootAccumulator, TileError, TileNodes, TilePath, TileReader, Tree,
    TreeError, leaf_hash, prefix_root, tiles_for_size, verify_consistency, verify_inclusion,
};

#[test]
fn every_proof_of_every_size_up_to_130() {
    let book = Book::of(130);
    for size in 0..=130u64 {
        let leaves = &book.leaves[..size as usize];
        let root = mth(leaves);
        assert_eq!(book.tree.root_at(size, &NoTiles).unwrap(), root, "{size}");
        for index in 0..size {
            let proof = book.tree.inclusion_proof(index, size, &NoTiles).unwrap();
            assert_eq!(proof, path(index as usize, leaves), "{index} of {size}");
            verify_inclusion(&leaves[index as usize], index, size, &proof, &root).unwrap();
            // A proof holds for one index only.
            for other in (0..size).filter(|&other| other != index) {
                let refused = verify_inclusion(&leaves[index as usize], other, size, &proof, &root);
                assert!(refused.is_err(), "{index} of {size} passed as {other}");
            }
        }
        for old in 1..=size {
            let proof = book.tree.consistency_proof(old, size, &NoTiles).unwrap();
            assert_eq!(proof, subproof(old as usize, leaves, true), "{old} to {size}");
            let old_root = mth(&book.leaves[..old as usize]);
            verify_consistency(old, size, &old_root, &root, &proof).unwrap();
        }
        assert_eq!(book.tree.consistency_proof(0, size, &NoTiles).unwrap(), []);
        verify_consistency(0, size, &EMPTY_ROOT, &root, &[]).unwrap();
    }
}

#[test]
fn root_grows_as_the_accumulator_and_the_rfc_say() {
    let mut book = Book::default();
    let mut accumulator = RootAccumulator::new();
    for n in 0..1100u64 {
        assert_eq!(book.tree.root(), accumulator.root());
        assert_eq!((book.tree.size(), accumulator.size()), (n, n));
        if n % 37 == 0 || n.is_power_of_two() {
            assert_eq!(book.tree.root(), mth(&book.leaves), "{n}");
        }
        book.append(leaf_hash(&n.to_be_bytes()));
        accumulator.append(leaf_hash(&n.to_be_bytes()));
    }
}

#[test]
fn sizes_around_tile_borders() {
    let book = Book::of(65_795);
    let sizes = [255u64, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 65_791, 65_792, 65_793];
    for &size in &sizes {
        let leaves = &book.leaves[..size as usize];
        let root = mth(leaves);
        assert_eq!(book.tree.root_at(size, &book.tiles).unwrap(), root, "{size}");
        for index in [0, 1, 127, 254, size / 2, size - 2, size - 1] {
            let proof = book.tree.inclusion_proof(index, size, &book.tiles).unwrap();
            assert_eq!(proof, path(index as usize, leaves), "{index} of {size}");
            verify_inclusion(&leaves[index as usize], index, size, &proof, &root).unwrap();
        }
        for &old in sizes.iter().filter(|&&old| old <= size) {
            let proof = book.tree.consistency_proof(old, size, &book.tiles).unwrap();
            assert_eq!(proof, subproof(old as usize, leaves, true), "{old} to {size}");
            let old_root = book.tree.root_at(old, &book.tiles).unwrap();
            verify_consistency(old, size, &old_root, &root, &proof).unwrap();
        }
    }
}

#[test]
fn a_tree_of_70_000_has_the_tiles_the_format_names() {
    let book = Book::of(70_000);
    let full = |level: u8| book.tiles.keys().filter(|key| key.0 == level).count();
    assert_eq!([full(0), full(1), full(2)], [273, 1, 0]);
    let paths: Vec<TilePath> = tiles_for_size(70_000).collect();
    assert_eq!(paths.len(), 273 + 1 + 1 + 1 + 1);
    let texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
    assert_eq!(texts[272], "tile/0/272");
    assert_eq!(texts[273..], ["tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"]);
    for path in paths {
        let TilePath::Tile { level, index, .. } = path else { unreachable!() };
        let bytes = book.tree.partial_tile(level, index, path.width(), &book.tiles).unwrap();
        assert_eq!(bytes.len(), 32 * usize::from(path.width()), "{path}");
    }
    assert_eq!(book.tree.partial_tile(2, 0, 1, &book.tiles).unwrap(), mth(&book.leaves[..65_536]).0);
}

/// The tile as tlog-tiles defines it: MTH(D[(n·256+i)·256^l : (n·256+i+1)·256^l]) for each i.
fn defined_tile(leaves: &[Hash], level: u8, index: u64, width: u16) -> Vec<u8> {
    let span = 256usize.pow(u32::from(level));
    let first = index as usize * 256;
    (first..first + usize::from(width)).flat_map(|i| mth(&leaves[i * span..(i + 1) * span]).0).collect()
}

#[test]
fn every_historical_partial_tile_is_served() {
    let book = Book::of(800);
    for size in 0..=800 {
        for path in tiles_for_size(size) {
            let TilePath::Tile { level, index, .. } = path else { unreachable!() };
            let served = book.tree.partial_tile(level, index, path.width(), &book.tiles).unwrap();
            assert_eq!(served, defined_tile(&book.leaves, level, index, path.width()), "{path} of {size}");
        }
    }
}

#[test]
fn tiles_the_tree_does_not_have_are_refused() {
    let book = Book::of(300);
    for (level, index, width) in [
        (0, 1, 45),
        (0, 1, 0),
        (0, 0, 0),
        (0, 0, 257),
        (0, 2, 1),
        (1, 0, 2),
        (1, 1, 1),
        (2, 0, 1),
        (63, 0, 1),
        (255, u64::MAX, 256),
    ] {
        let refused = book.tree.partial_tile(level, index, width, &book.tiles);
        assert_eq!(refused, Err(TreeError::NoSuchTile { level, index, width }));
    }
    assert_eq!(book.tree.partial_tile(0, 1, 44, &book.tiles).unwrap().len(), 44 * 32);
}

#[test]
fn questions_beyond_the_tree_are_refused() {
    let book = Book::of(5);
    let beyond = TreeError::SizeBeyondTree { size: 6, current: 5 };
    assert_eq!(book.tree.root_at(6, &NoTiles), Err(beyond.clone()));
    assert_eq!(book.tree.inclusion_proof(0, 6, &NoTiles), Err(beyond.clone()));
    assert_eq!(book.tree.consistency_proof(1, 6, &NoTiles), Err(beyond));
    assert_eq!(book.tree.inclusion_proof(5, 5, &NoTiles), Err(TreeError::IndexBeyondSize { index: 5, size: 5 }));
    assert_eq!(book.tree.inclusion_proof(0, 0, &NoTiles), Err(TreeError::IndexBeyondSize { index: 0, size: 0 }));
    assert_eq!(book.tree.consistency_proof(4, 3, &NoTiles), Err(TreeError::IndexBeyondSize { index: 4, size: 3 }));
    assert_eq!(Tree::new().root_at(0, &NoTiles), Ok(EMPTY_ROOT));
}

#[test]
fn a_missing_or_partial_tile_from_the_reader_is_an_error_not_a_wrong_proof() {
    let mut book = Book::of(600);
    let missing = Err(TreeError::MissingTile { level: 0, index: 0 });
    assert_eq!(book.tree.inclusion_proof(3, 600, &NoTiles), missing);
    // The right edge needs no reader: the newest entries' proofs come from memory alone.
    assert_eq!(book.tree.inclusion_proof(599, 600, &NoTiles).unwrap(), path(599, &book.leaves));
    let partial = TileNodes::from_bytes(&book.tree.partial_tile(0, 0, 200, &book.tiles).unwrap()).unwrap();
    book.tiles.insert((0, 0), partial.into());
    let whole = book.tree.partial_tile(0, 0, 256, &book.tiles);
    assert_eq!(whole, Err(TreeError::MissingTile { level: 0, index: 0 }));
    assert_eq!(book.tree.inclusion_proof(3, 600, &book.tiles), missing);
    assert_eq!((NoTiles.tile(0, 0), NoTiles.tile(7, u64::MAX)), (None, None));
    let lent: &dyn TileReader = &book.tiles;
    assert_eq!(TileReader::tile(&lent, 0, 1), book.tiles.get(&(0, 1)).cloned());
    assert_ne!(TileReader::tile(&lent, 0, 1), None);
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let mut book = Book::of(250);
    let snapshot = book.tree.clone();
    for n in 250..600u64 {
        book.append(leaf_hash(&n.to_be_bytes()));
    }
    assert_eq!(snapshot.size(), 250);
    assert_eq!(snapshot.root(), mth(&book.leaves[..250]));
    assert_eq!(snapshot.inclusion_proof(7, 250, &NoTiles).unwrap(), path(7, &book.leaves[..250]));
    assert_eq!(book.tree.root(), mth(&book.leaves));
}

#[test]
fn tile_bytes_are_whole_hashes_and_not_too_many() {
    for length in [0, 1, 31, 33, 8191, 8193, 8224] {
        assert_eq!(TileNodes::from_bytes(&vec![7; length]), Err(TileError::BadLength { length }));
    }
    let tile = TileNodes::from_bytes(&[7; 96]).unwrap();
    assert_eq!((tile.width(), tile.is_full()), (3, false));
    assert_eq!(tile.bytes(3).unwrap(), [7; 96]);
    assert_eq!((tile.bytes(0), tile.bytes(4)), (None, None));
    assert!(tile.node(1, 0).is_some());
    assert_eq!((tile.node(1, 1), tile.node(0, 3), tile.node(9, 0), tile.node(0, u64::MAX)), (None, None, None, None));
}

#[test]
fn proofs_for_trees_no_one_can_hold_are_bounded_and_do_not_overflow() {
    let hashes = [Hash([3; 32]); 66];
    for count in 0..=66 {
        let proof = &hashes[..count];
        assert!(verify_inclusion(&hashes[0], u64::MAX - 1, u64::MAX, proof, &hashes[1]).is_err());
        assert!(verify_inclusion(&hashes[0], 0, u64::MAX, proof, &hashes[1]).is_err());
        assert!(verify_consistency(u64::MAX - 1, u64::MAX, &hashes[0], &hashes[1], proof).is_err());
        assert!(verify_consistency(1 << 63, u64::MAX, &hashes[0], &hashes[1], proof).is_err());
    }
    assert_eq!(tiles_for_size(u64::MAX).next().unwrap().to_string(), "tile/0/000");
}

#[test]
fn a_prefix_proof_gives_the_older_root_whatever_was_signed_for_it() {
    let book = Book::of(130);
    for size in 0..=130u64 {
        let root = mth(&book.leaves[..size as usize]);
        for old in 0..=size {
            let proof = book.tree.prefix_proof(old, size, &NoTiles).unwrap();
            assert_eq!(prefix_root(old, size, &root, &proof), Ok(mth(&book.leaves[..old as usize])), "{old} of {size}");
            // Only this path leads to the root, so no other path can give another old root.
            for at in 0..proof.len() {
                let mut forged = proof.clone();
                forged[at].0[7] ^= 1;
                assert!(
                    matches!(prefix_root(old, size, &root, &forged), Err(ProofError::WrongRoot { .. })),
                    "{old} of {size}, {at}"
                );
                forged.remove(at);
                assert!(prefix_root(old, size, &root, &forged).is_err());
            }
            let longer: Vec<Hash> = proof.iter().copied().chain([root]).collect();
            assert!(prefix_root(old, size, &root, &longer).is_err());
        }
        assert!(prefix_root(size + 1, size, &root, &[]).is_err());
    }
}

#[test]
fn a_tree_goes_on_from_its_edge() {
    let mut book = Book::default();
    let mut resumed = Tree::new();
    for n in 0..66_000u64 {
        if n % 251 == 0 || n % 256 < 2 || n > 65_500 && n % 7 == 0 {
            let edge = resumed.edge();
            resumed = Tree::resume(n, &edge).unwrap();
            assert_eq!((resumed.size(), resumed.root(), resumed.edge()), (n, book.tree.root(), edge));
        }
        let leaf = leaf_hash(&n.to_be_bytes());
        let completed =
            resumed.append(leaf).iter().map(|tile| (tile.level, tile.index, tile.bytes())).collect::<Vec<_>>();
        assert_eq!(
            completed,
            book.tree
                .clone()
                .append(leaf)
                .iter()
                .map(|tile| (tile.level, tile.index, tile.bytes()))
                .collect::<Vec<_>>()
        );
        book.append(leaf);
    }
}

#[test]
fn an_edge_that_does_not_fit_the_size_is_refused() {
    let edge = Book::of(70_000).tree.edge();
    assert_eq!(edge.len(), 3);
    assert!(Tree::resume(70_000, &edge).is_ok());
    for other in [0, 69_999, 70_001, 70_000 - 65_536, 70_000 + 65_536, u64::MAX] {
        assert!(matches!(Tree::resume(other, &edge), Err(TreeError::NoSuchTile { .. })), "{other}");
    }
    for level in 0..3 {
        let mut short = edge.clone();
        short[level].pop();
        assert!(Tree::resume(70_000, &short).is_err());
        short.truncate(level);
        assert!(Tree::resume(70_000, &short).is_err());
    }
    assert!(Tree::resume(70_000, &[edge, vec![vec![0; 32]]].concat()).is_err());
    assert_eq!(Tree::resume(0, &[]).unwrap().root(), EMPTY_ROOT);
}
