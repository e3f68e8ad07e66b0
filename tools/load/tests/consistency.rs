//! The nodes of the log's tree that make a proof.

use fairshoe_load::check::{Node, consistency_nodes, fold_nodes, inclusion_nodes};
use fairshoe_tlog::{Hash, TilePath};
use fairshoe_tlog::{TileNodes, Tree, leaf_hash, verify_consistency, verify_inclusion};
use std::collections::HashMap;

#[test]
fn proofs_from_tiles_are_those_of_the_tree() {
    let (mut tree, mut tiles, mut roots) = (Tree::new(), HashMap::new(), Vec::new());
    roots.push(tree.root());
    for n in 0..1500u32 {
        for done in tree.append(leaf_hash(&n.to_be_bytes())) {
            tiles.insert((done.level, done.index), done.nodes);
        }
        roots.push(tree.root());
    }
    // Only served bytes, with the newer size's width.
    let hash = |node: &Node| {
        let TilePath::Tile { level, index, .. } = node.tile else { panic!("a bundle") };
        let bytes = tree.partial_tile(level, index, node.tile.width(), &tiles).unwrap();
        TileNodes::from_bytes(&bytes).unwrap().node(node.height, node.position).unwrap()
    };
    let hashes = |proof: Vec<Vec<Node>>| -> Vec<Hash> {
        proof.iter().map(|nodes| fold_nodes(nodes.iter().map(hash)).unwrap()).collect()
    };
    for (old, new) in [
        (1, 1500),
        (2, 3),
        (255, 256),
        (256, 257),
        (255, 1500),
        (256, 1500),
        (257, 1024),
        (700, 701),
        (1024, 1500),
        (3, 1499),
    ] {
        let proof = hashes(consistency_nodes(old, new));
        assert_eq!(proof, tree.consistency_proof(old, new, &tiles).unwrap());
        let (at_old, at_new) = (roots[old as usize], roots[new as usize]);
        verify_consistency(old, new, &at_old, &at_new, &proof).unwrap();
        verify_consistency(old, new, &roots[old as usize - 1], &at_new, &proof).unwrap_err();
    }
    assert!(consistency_nodes(0, 9).is_empty() && consistency_nodes(9, 9).is_empty());
    for (index, size) in [(0, 1), (0, 2), (255, 256), (256, 257), (3, 1500), (1023, 1024), (1499, 1500), (700, 1333)] {
        let path = hashes(inclusion_nodes(index, size));
        let leaf = leaf_hash(&u32::try_from(index).unwrap().to_be_bytes());
        verify_inclusion(&leaf, index, size, &path, &roots[size as usize]).unwrap();
    }
    assert!(inclusion_nodes(5, 5).is_empty());
}
