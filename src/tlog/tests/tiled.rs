//! A log of 70,000 entries as tiled files, against a second implementation of c2sp.org/tlog-tiles: two full levels and
//! a partial tile of a third.

use crate::common;

use common::{Book, mth};
use fairshoe_tlog::{
    EMPTY_ROOT, EntryBundle, Hash, TileNodes, TilePath, bundles_for_size, edge_of_size, root_of_edge, tiles_for_size,
    verify_inclusion,
};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const SIZE: u64 = 70_000;

fn book() -> &'static Book {
    static BOOK: OnceLock<Book> = OnceLock::new();
    BOOK.get_or_init(|| Book::of(SIZE))
}

/// `MTH(D[(n * 256 + i) * 256**l : (n * 256 + i + 1) * 256**l])` for each `i`, level by level from the leaves.
fn levels(leaves: &[Hash]) -> Vec<Vec<Hash>> {
    let mut levels = vec![leaves.to_vec()];
    while let Some(below) = levels.last().filter(|below| below.len() >= 256) {
        levels.push(below.as_chunks::<256>().0.iter().map(|tile| mth(tile)).collect());
    }
    levels
}

fn tile_bytes(path: TilePath) -> Vec<u8> {
    let TilePath::Tile { level, index, .. } = path else { panic!("{path}") };
    book().tree.partial_tile(level, index, path.width(), &book().tiles).unwrap()
}

#[test]
fn every_tile_of_70_000_entries_is_the_one_of_the_specification() {
    let levels = levels(&book().leaves);
    assert_eq!(levels.iter().map(Vec::len).collect::<Vec<_>>(), [70_000, 273, 1]);
    let mut widths: BTreeMap<u8, Vec<u16>> = BTreeMap::new();
    for path in tiles_for_size(SIZE) {
        let TilePath::Tile { level, index, .. } = path else { panic!("{path}") };
        let first = index as usize * 256;
        let expected: Vec<u8> = levels[usize::from(level)][first..first + usize::from(path.width())]
            .iter()
            .flat_map(|hash| hash.0)
            .collect();
        assert_eq!(tile_bytes(path), expected, "{path}");
        widths.entry(level).or_default().push(path.width());
    }
    let full_and_last =
        |level: u8| (widths[&level].iter().filter(|width| **width == 256).count(), *widths[&level].last().unwrap());
    assert_eq!((full_and_last(0), full_and_last(1), full_and_last(2)), ((273, 112), (1, 17), (0, 1)));
    assert_eq!(widths.len(), 3);
    assert_eq!(
        (bundles_for_size(SIZE).count(), bundles_for_size(SIZE).last().unwrap().to_string()),
        (274, "tile/entries/273.p/112".into())
    );
}

#[test]
fn every_region_has_proofs_that_hold() {
    let book = book();
    let root = book.tree.root();
    assert_eq!(root, mth(&book.leaves));
    // Under full tiles of both levels, at their borders, in the partial tile of level 0, and at both ends.
    for index in [0, 1, 255, 256, 65_279, 65_280, 65_535, 65_536, 65_537, 69_887, 69_888, 69_999] {
        for size in [SIZE, 69_889, 65_537, 65_536].into_iter().filter(|size| *size > index) {
            let proof = book.tree.inclusion_proof(index, size, &book.tiles).unwrap();
            let root = mth(&book.leaves[..size as usize]);
            verify_inclusion(&book.leaves[index as usize], index, size, &proof, &root).unwrap();
        }
    }
}

#[test]
fn the_edge_alone_leads_to_the_root_of_every_size() {
    let names = |size: u64| edge_of_size(size).map(|path| path.to_string()).collect::<Vec<_>>();
    assert_eq!(names(0), [""; 0]);
    assert_eq!(names(256), ["tile/1/000.p/1"]);
    assert_eq!(names(65_536), ["tile/2/000.p/1"]);
    assert_eq!(names(SIZE), ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"]);
    assert_eq!(names(u64::MAX).len(), 8);
    assert_eq!(root_of_edge(0, |_| Err("nothing is asked for")), Ok(EMPTY_ROOT));
    for size in [1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 65_792, 69_999, SIZE] {
        // Tiles cut from those of the larger tree, as a reader does to check that one tree extends another.
        let cut = |path: TilePath| {
            let TilePath::Tile { level, index, .. } = path else { panic!("{path}") };
            let wider = tiles_for_size(SIZE)
                .find(|wider| matches!(wider, TilePath::Tile { level: l, index: i, .. } if (*l, *i) == (level, index)));
            TileNodes::from_bytes(&tile_bytes(wider.unwrap())).unwrap().cut(path.width()).ok_or("too narrow")
        };
        assert_eq!(root_of_edge(size, cut), Ok(mth(&book().leaves[..size as usize])), "{size}");
    }
    // Another tree's tile leads to another root.
    let other = |path: TilePath| Ok::<_, ()>(TileNodes::from_bytes(&vec![7; usize::from(path.width()) * 32]).unwrap());
    assert_ne!(root_of_edge(SIZE, other), Ok(book().tree.root()));
}

#[test]
fn a_full_tile_has_its_root_in_the_tile_above() {
    let above = TileNodes::from_bytes(&tile_bytes("tile/1/000".parse().unwrap())).unwrap();
    for index in [0, 1, 17, 255] {
        let tile = &book().tiles[&(0, index)];
        assert_eq!(tile.root(), above.node(0, index));
        assert_eq!((tile.cut(255).unwrap().root(), tile.cut(0), tile.cut(257)), (None, None, None));
    }
}

#[test]
fn a_partial_resource_is_the_beginning_of_the_full_one() {
    let entries: Vec<Vec<u8>> = (0..256u64).map(|n| vec![n as u8; n as usize * 3]).collect();
    let encode =
        |width: usize| EntryBundle::new(entries[..width].iter().map(Vec::as_slice).collect()).unwrap().encode();
    let tile = tile_bytes("tile/0/005".parse().unwrap());
    for width in [1, 2, 100, 255] {
        let bundle: TilePath = format!("tile/entries/005.p/{width}").parse().unwrap();
        assert_eq!(bundle.cut(&encode(256)).unwrap(), encode(width));
        assert_eq!(bundle.cut(&encode(width)[..encode(width).len() - 1]), None);
        assert_eq!(bundle.full().to_string(), "tile/entries/005");
        let partial: TilePath = format!("tile/0/005.p/{width}").parse().unwrap();
        assert_eq!(partial.cut(&tile).unwrap(), tile_bytes(partial));
        assert_eq!(partial.cut(&tile[..width * 32 - 1]), None);
        assert_eq!(partial.full().to_string(), "tile/0/005");
    }
    assert_eq!((TilePath::Checkpoint.cut(&tile), TilePath::Checkpoint.full()), (None, TilePath::Checkpoint));
}
