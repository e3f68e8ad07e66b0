//! `fairness-shoes.json`: from the master to the committed root, every step.

use fairshoe_fairness::{Composition, HouseShoe, Slot, Stream, TableContext, accept_word, shoe_commitment};
use std::num::NonZeroU16;

use super::json::{Json, count, hex, list, number, obj, text};
use super::{REJECTING_SHOE, REJECTING_WHEEL, composition, context, context_json, context_of, master};

fn candidate(context: &TableContext, shoe_no: u64, k: u8, composition: &Composition) -> Json {
    let seed = master().server_seed(context, shoe_no, k);
    let shoe = HouseShoe::derive(&seed, composition);
    let slots = || (0..shoe.len()).map(Slot);
    let values = slots().filter_map(|slot| shoe.value(slot));
    let salts = slots().filter_map(|slot| shoe.open(slot));
    obj([
        ("candidate", number(k)),
        ("server_seed", text(&seed)),
        ("commitment", text(shoe_commitment(context, shoe_no, k, &seed))),
        ("house_key", hex(&seed.house_key(composition))),
        ("thrown_away", list(thrown_away(&seed.house_key(composition), composition).map(number))),
        ("order", list(values.map(number))),
        ("salt_key", hex(&seed.salt_key(composition))),
        ("salts", list(salts.map(|opening| hex(&opening.salt)))),
        ("root", text(shoe.root())),
    ])
}

/// Positions, from 0, of the words of the house order's stream that no draw uses.
fn thrown_away(key: &[u8; 32], composition: &Composition) -> impl Iterator<Item = u32> {
    let mut bounds: Vec<u16> =
        if composition.is_wheel() { vec![37; composition.len().into()] } else { (2..=composition.len()).collect() };
    let mut stream = Stream::new(*key);
    let mut thrown = Vec::new();
    let mut position = 0;
    while let Some(bound) = bounds.last().copied().and_then(NonZeroU16::new) {
        match accept_word(stream.next_word(), bound) {
            Some(_) => drop(bounds.pop()),
            None => thrown.push(position),
        }
        position += 1;
    }
    thrown.into_iter()
}

fn shoe(name: &str, context: &TableContext, shoe_no: u64, listed: &str, candidates: u8) -> Json {
    let composition = composition(listed);
    obj([
        ("name", text(name)),
        ("context", context_json(context)),
        ("tctx", hex(&context.tctx())),
        ("shoe_no", count(shoe_no)),
        ("composition", text(&composition)),
        ("slots", number(composition.len())),
        ("candidates", list((0..candidates).map(|k| candidate(context, shoe_no, k, &composition)))),
    ])
}

pub fn file() -> Json {
    let t1 = context();
    let far = context_of("a.example/fairshoe!~", "0._-z", [0xff; 32]);
    let all_four_suits = "cards:Ac2cTcKcAdAd7dJd2h2h2hQh3s9sTsKs";
    obj([
        (
            "about",
            text(
                "Server seeds, commitments, house orders, salts and roots; spec/fairness.md, Server seed and House order",
            ),
        ),
        ("master", hex(&[0; 32])),
        ("master_id", text(master().id())),
        (
            "shoes",
            list([
                shoe("worked example, two candidates", &t1, 0, "52x1", 2),
                shoe("one pack, another context, a shoe number above 2^32", &far, (1 << 32) + 5, "52x1", 1),
                shoe("eight packs", &t1, 1, "52x8", 1),
                shoe("a list with repeated cards", &t1, 2, all_four_suits, 1),
                shoe("a single card: the root is its leaf", &t1, 3, "cards:7h", 1),
                shoe("a wheel", &t1, 4, "wheel37x10", 1),
                shoe("three dice", &t1, 5, "wheel216x10", 1),
                shoe("forced rejection in the house order", &t1, REJECTING_SHOE, "52x8", 1),
                shoe("forced rejection of a pocket", &t1, REJECTING_WHEEL, "wheel37x370", 1),
            ]),
        ),
    ])
}
