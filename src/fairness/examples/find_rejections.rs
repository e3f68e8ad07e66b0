//! Finds the inputs of the forced-rejection vectors. Draws that throw a word away are so rare in a shuffle (about one
//! shoe of eight packs in 100,000) that a wrong rejection rule would pass any ordinary test. Prints the first shoe,
//! round, wheel and key that need it; the vectors name them. Run with `cargo run --release -p fairshoe-fairness
//! --example find_rejections`.
#![allow(clippy::expect_used)]

use std::num::NonZeroU16;

use fairshoe_fairness::{
    ClientSeed, Composition, Epoch, HouseShoe, Master, Origin, PlayerId, Stream, TableContext, TableId, accept_word,
    derive_client_seed, round_entropy,
};

fn m(m: u16) -> NonZeroU16 {
    NonZeroU16::new(m).expect("not zero")
}

/// Whether any of the draws below `bounds` throws a word away.
fn rejects(key: [u8; 32], bounds: impl IntoIterator<Item = u16>) -> bool {
    let mut stream = Stream::new(key);
    bounds.into_iter().any(|bound| accept_word(stream.next_word(), m(bound)).is_none())
}

fn main() {
    let context = TableContext {
        origin: Origin::parse("example.com/log").expect("valid"),
        table: TableId::parse("t1").expect("valid"),
        epoch: Epoch::from_bytes(std::array::from_fn(|i| u8::try_from(i).unwrap_or(0))),
    };
    let master = Master::from_bytes([0; 32]);

    let key = (0u64..).find(|i| {
        let mut key = [0; 32];
        key[24..].copy_from_slice(&i.to_be_bytes());
        rejects(key, [40_503; 4])
    });
    println!("below(40503): key u64 {key:?}");

    let packs = Composition::Decks(8);
    let shoe = (0..).find(|&no| rejects(master.server_seed(&context, no, 0).house_key(&packs), (2..=416).rev()));
    println!("52x8 house order: shoe_no {shoe:?}");

    let root = HouseShoe::derive(&master.server_seed(&context, 0, 0), &packs).root();
    let player = PlayerId::parse("alice").expect("valid");
    let round = (0..).find(|&no| {
        let seed: ClientSeed = derive_client_seed(&[3; 32], &context, no);
        let entropy = round_entropy(&context, 0, &[root], no, &[(player.clone(), seed)]);
        rejects(*entropy.expect("one contributor").as_bytes(), (2..=416).rev())
    });
    println!("52x8 public shuffle: round_no {round:?}");

    let wheel = Composition::Wheel(370);
    let shoe = (0..).find(|&no| rejects(master.server_seed(&context, no, 0).house_key(&wheel), [37; 370]));
    println!("wheel37x370 pockets: shoe_no {shoe:?}");
}
