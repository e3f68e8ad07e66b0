//! The check values of spec/fairness.md, "Worked example", as literals.

use fairshoe_fairness::*;

#[test]
fn worked_example() {
    let context = TableContext {
        origin: Origin::parse("example.com/log").unwrap(),
        table: TableId::parse("t1").unwrap(),
        epoch: Epoch::from_bytes(std::array::from_fn(|i| i as u8)),
    };
    let master = Master::from_bytes([0; 32]);
    let composition = Composition::parse("52x1").unwrap();
    let mut roots = Vec::new();
    for (candidate, commitment, root) in [
        (
            0,
            "c0e4a1264133b765f66b00a19408e5208cc196049e331913c2088b10a34b2685",
            "f6f2244098583a2e7625fc070351d6e27600b5b80ef40ed587d248c6a39229ef",
        ),
        (
            1,
            "ebe17625e6095f7763ff7209ceb3d70cb42b369b7b1b2030981b4a57854e51ac",
            "cbd98c1f616f01c1464621a185037e3d540b35972f1eed701e7c35eb01e2417c",
        ),
    ] {
        let seed = master.server_seed(&context, 0, candidate);
        assert_eq!(shoe_commitment(&context, 0, candidate, &seed).to_string(), commitment);
        let shoe = HouseShoe::derive(&seed, &composition);
        assert_eq!(shoe.root().to_string(), root);
        roots.push(shoe.root());
    }
    let contributors = [("alice", 1), ("bob", 2)]
        .map(|(player, byte)| (PlayerId::parse(player).unwrap(), ClientSeed::from_bytes([byte; 32])));
    let entropy = round_entropy(&context, 0, &roots, 0, &contributors).unwrap();
    assert_eq!(entropy.to_string(), "481f0cd51bc159803346da7669e922ee2a82fa37ee49e42d6187d466bc8a76ae");
    let undrawn: Vec<Slot> = (0..52).map(Slot).collect();
    let shuffle = PublicShuffle::new(&entropy, 2, &undrawn);
    assert_eq!(shuffle.pick, 1);
    let head: Vec<u16> = shuffle.order.iter().take(12).map(|slot| slot.0).collect();
    assert_eq!(head, [6, 21, 5, 14, 8, 26, 40, 37, 50, 18, 46, 1]);
}
