//! Properties that must hold for every input, tried on many.

use std::collections::BTreeSet;

use fairshoe_fairness::*;
use proptest::prelude::*;

fn any_composition() -> impl Strategy<Value = Composition> {
    prop_oneof![
        (1..=MAX_DECKS).prop_map(Composition::Decks),
        (1..=MAX_SPINS).prop_map(Composition::Wheel),
        (1..=MAX_SPINS).prop_map(Composition::Dice),
        prop::collection::vec(0..52u8, 1..=MAX_CARDS)
            .prop_map(|codes| { Composition::cards(codes.into_iter().filter_map(Card::from_code).collect()).unwrap() }),
    ]
}

/// Small shoes of every kind, quick to derive.
fn small_composition() -> impl Strategy<Value = Composition> {
    prop_oneof![
        (1..=2u8).prop_map(Composition::Decks),
        (1..=80u16).prop_map(Composition::Wheel),
        (1..=80u16).prop_map(Composition::Dice),
        prop::collection::vec(0..52u8, 1..=80)
            .prop_map(|codes| { Composition::cards(codes.into_iter().filter_map(Card::from_code).collect()).unwrap() }),
    ]
}

fn seed() -> impl Strategy<Value = ServerSeed> {
    any::<[u8; 32]>().prop_map(ServerSeed::from_bytes)
}

proptest! {
    #[test]
    fn composition_text_round_trips(composition in any_composition()) {
        let text = composition.to_string();
        prop_assert_eq!(Composition::parse(&text), Ok(composition.clone()));
        let json = serde_json::to_string(&composition).unwrap();
        prop_assert_eq!(serde_json::from_str::<Composition>(&json).unwrap(), composition);
    }

    #[test]
    fn what_parses_prints_the_same(text in "(52x|wheel37x|wheel216x|cards:)[0-9AcTKsd]{0,8}") {
        if let Ok(composition) = Composition::parse(&text) {
            prop_assert_eq!(composition.to_string(), text);
        }
    }

    #[test]
    fn hostile_texts_never_panic(text in "\\PC{0,80}", raw in prop::collection::vec(any::<u8>(), 0..80)) {
        for text in [text.as_str(), &String::from_utf8_lossy(&raw)] {
            for prefix in ["", "cards:", "52x", "wheel37x", "wheel216x"] {
                let _ = Composition::parse(&format!("{prefix}{text}"));
            }
            let _ = (Origin::parse(text), TableId::parse(text), PlayerId::parse(text));
            let _ = (text.parse::<Card>(), text.parse::<ShoeRoot>(), text.parse::<ClientSeed>());
            let _ = serde_json::from_str::<Opening>(text);
        }
    }

    #[test]
    fn a_shoe_holds_what_its_composition_lists(seed in seed(), composition in any_composition()) {
        let shoe = HouseShoe::derive(&seed, &composition);
        prop_assert_eq!((shoe.len(), shoe.is_empty()), (composition.len(), false));
        let mut values: Vec<u8> = (0..shoe.len()).filter_map(|i| shoe.value(Slot(i))).collect();
        prop_assert_eq!(values.len(), usize::from(composition.len()));
        if composition.is_wheel() {
            prop_assert!(values.iter().all(|&v| v < composition.value_limit()));
            prop_assert_eq!(shoe.card(Slot(0)), None);
        } else {
            values.sort_unstable();
            let mut listed = composition.values();
            listed.sort_unstable();
            prop_assert_eq!(values, listed);
        }
        prop_assert_eq!(shoe.value(Slot(shoe.len())), None);
        prop_assert_eq!(shoe.open(Slot(shoe.len())), None);
    }

    /// An auditor of a sealed shoe counts by this: no face appears more often than the composition lists it.
    #[test]
    fn a_composition_counts_each_card_as_often_as_it_lists_it(composition in any_composition()) {
        let listed = composition.values();
        for card in (0..Card::COUNT).filter_map(Card::from_code) {
            let times = listed.iter().filter(|&&code| code == card.code()).count();
            prop_assert_eq!(usize::from(composition.count_of(card)), times, "{}", card);
        }
        prop_assert!(!composition.is_empty());
    }

    /// A hash text is refused at the first byte that is not a lower-case digit.
    #[test]
    fn a_refused_digit_is_named_by_its_place(
        bytes in any::<[u8; 32]>(), first in 0..64usize, second in 0..64usize, digits in "[G-Zg-z:/@`A-F ]{2}",
    ) {
        let mut text = ShoeRoot::from_bytes(bytes).to_string();
        for (at, digit) in [first, second].into_iter().zip(digits.chars()) {
            text.replace_range(at..=at, digit.encode_utf8(&mut [0; 4]));
            let want = if at == first { first } else { first.min(second) };
            prop_assert_eq!(text.parse::<ShoeRoot>(), Err(HexError::Digit { at: want }));
        }
    }

    #[test]
    fn the_public_shuffle_is_a_permutation(
        entropy in any::<[u8; 32]>(), candidates in 0..=2u8, undrawn in prop::collection::vec(0..624u16, 0..400),
    ) {
        let undrawn: Vec<Slot> = undrawn.into_iter().map(Slot).collect();
        let entropy = RoundEntropy::from_bytes(entropy);
        let shuffle = PublicShuffle::new(&entropy, candidates, &undrawn);
        let set: BTreeSet<Slot> = undrawn.iter().copied().collect();
        prop_assert!(shuffle.pick < candidates.max(1));
        prop_assert_eq!(shuffle.order.len(), set.len());
        prop_assert_eq!(shuffle.order.iter().copied().collect::<BTreeSet<_>>(), set.clone());
        let ascending: Vec<Slot> = set.into_iter().collect();
        prop_assert_eq!(PublicShuffle::new(&entropy, candidates, &ascending), shuffle);
        for pockets in [WHEEL_POCKETS, DICE_THROWS] {
            let offset = spin(&entropy, candidates, pockets);
            prop_assert!(offset < pockets && pocket(pockets - 1, offset, pockets) < pockets);
        }
    }

    /// Each lane that draws at most its share gets its own slots, for any draws of the other lanes.
    #[test]
    fn lanes_are_independent_within_their_share(
        slots in 1..200u16, lanes in 1..9u16, schedule in prop::collection::vec(0..9u16, 0..200),
    ) {
        let share = slots / lanes;
        let order: Vec<Slot> = (0..slots).rev().map(Slot).collect();
        let mut state = Lanes::new(order.clone(), lanes);
        let mut drawn = vec![0; usize::from(lanes)];
        for lane in schedule.into_iter().map(|lane| lane % lanes) {
            let t = &mut drawn[usize::from(lane)];
            if *t < share {
                let own = order[usize::from(*t * lanes + lane)];
                prop_assert_eq!(state.next(lane), Some(own));
                prop_assert_eq!(state.draw(lane), Some(own));
                *t += 1;
            }
        }
    }

    /// A direct implementation of the specification's rule agrees with the fast one, to the last slot.
    #[test]
    fn lanes_follow_the_rule(
        slots in 0..60usize, lanes in 1..7u16, schedule in prop::collection::vec(0..7u16, 0..80),
    ) {
        let order: Vec<Slot> = (0..60).map(|i| Slot(i * 37 % 60)).take(slots).collect();
        let mut state = Lanes::new(order.clone(), lanes);
        let mut taken = vec![false; slots];
        let mut draws = vec![0; usize::from(lanes)];
        for lane in schedule.into_iter().map(|lane| lane % lanes) {
            let t = &mut draws[usize::from(lane)];
            let own = *t * usize::from(lanes) + usize::from(lane);
            let at = if own < slots && !taken[own] { Some(own) } else { taken.iter().rposition(|t| !t) };
            let want = at.map(|at| order[at]);
            prop_assert_eq!(state.next(lane), want);
            prop_assert_eq!(state.draw(lane), want);
            if let Some(at) = at {
                taken[at] = true;
                *t += 1;
            }
        }
        let mut left: Vec<Slot> = order.iter().zip(&taken).filter(|(_, t)| !**t).map(|(s, _)| *s).collect();
        left.sort_unstable();
        prop_assert_eq!(state.undrawn_ascending(), left);
        prop_assert_eq!((state.lanes(), state.order()), (usize::from(lanes), &order[..]));
    }

    #[test]
    fn openings_verify_and_their_mutations_do_not(
        seed in seed(), composition in small_composition(), pick in any::<prop::sample::Index>(),
        byte in any::<prop::sample::Index>(), bit in 0..8u8, kind in 0..7,
    ) {
        let shoe = HouseShoe::derive(&seed, &composition);
        let root = shoe.root();
        let slot = Slot(u16::try_from(pick.index(usize::from(shoe.len()))).unwrap());
        let opening = shoe.open(slot).unwrap();
        prop_assert_eq!(opening.verify(&root, &composition), Ok(()));
        prop_assert_eq!(opening.card().filter(|_| !composition.is_wheel()), shoe.card(slot));
        let json = serde_json::to_string(&opening).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Opening>(&json).unwrap(), &opening);

        let mut bad = opening;
        match kind {
            0 => bad.salt[byte.index(16)] ^= 1 << bit,
            1 => bad.value ^= 1 << bit,
            2 => bad.slot = Slot(bad.slot.0 ^ 1 << byte.index(16)),
            3 => bad.path.push([bit; 32]),
            4 if bad.path.pop().is_none() => return Ok(()),
            5 if bad.path.is_empty() => return Ok(()),
            5 => {
                let at = byte.index(bad.path.len());
                bad.path[at][byte.index(32)] ^= 1 << bit;
            }
            6 => {
                let mut other = *root.as_bytes();
                other[byte.index(32)] ^= 1 << bit;
                prop_assert!(bad.verify(&ShoeRoot::from_bytes(other), &composition).is_err());
                return Ok(());
            }
            _ => {}
        }
        prop_assert!(bad.verify(&root, &composition).is_err(), "{:?}", bad);
    }
}

#[test]
fn contributors_are_counted_in_sixteen_bits() {
    let context = TableContext {
        origin: Origin::parse("o").unwrap(),
        table: TableId::parse("t").unwrap(),
        epoch: Epoch::from_bytes([0; 32]),
    };
    let mut contributors: Vec<(PlayerId, ClientSeed)> =
        (0..65_536).map(|i| (PlayerId::parse(&format!("{i:05}")).unwrap(), ClientSeed::from_bytes([0; 32]))).collect();
    let root = [ShoeRoot::from_bytes([0; 32])];
    assert_eq!(round_entropy(&context, 0, &root, 0, &contributors), Err(RoundError::Contributors(65_536)));
    contributors.pop();
    assert!(round_entropy(&context, 0, &root, 0, &contributors).is_ok());
}

#[test]
fn of_a_composition_outside_its_bounds_there_is_an_empty_shoe() {
    let shoe = HouseShoe::derive(&ServerSeed::from_bytes([7; 32]), &Composition::Decks(MAX_DECKS + 1));
    assert_eq!((shoe.is_empty(), shoe.len(), shoe.open(Slot(0))), (true, 0, None));
}

/// A refusal tells the author of a verifier the expected value.
#[test]
fn a_refused_text_is_answered_with_what_is_expected() {
    let not_a_text = serde_json::from_str::<ShoeRoot>("[1,2]").unwrap_err().to_string();
    assert!(not_a_text.contains("expected 64 lower-case hexadecimal digits"), "{not_a_text}");
    let opening = |path: &str| format!(r#"{{"slot":0,"value":0,"salt":"{}","path":{path}}}"#, "0".repeat(32));
    let no_path = serde_json::from_str::<Opening>(&opening("7")).unwrap_err().to_string();
    assert!(no_path.contains("expected at most 12 hashes of 64 lower-case hexadecimal digits"), "{no_path}");
    let thirteen = opening(&serde_json::to_string(&vec!["0".repeat(64); 13]).unwrap());
    let too_long = serde_json::from_str::<Opening>(&thirteen).unwrap_err().to_string();
    assert!(too_long.contains("invalid length 13, expected at most 12 hashes"), "{too_long}");
    assert_eq!((Slot(7).to_string(), format!("{:?}", Card::from_code(51).unwrap())), ("7".to_owned(), "Ks".to_owned()));
}

#[test]
fn no_debug_output_tells_a_hidden_face_or_seed() {
    let seed = ServerSeed::from_bytes([7; 32]);
    let shoe = HouseShoe::derive(&seed, &Composition::Decks(1));
    assert_eq!(format!("{shoe:?}"), format!("HouseShoe(52 slots, root {})", shoe.root()));
    assert_eq!(format!("{:?}", Master::from_bytes([7; 32])), "Master(hidden)");
    assert_eq!(format!("{seed:?}"), "ServerSeed(hidden)");
}
