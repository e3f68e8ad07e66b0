//! `fairness-openings.json`: openings that hold, and openings that must be refused.

use fairshoe_fairness::{Composition, HouseShoe, Opening, OpeningError, ShoeRoot, Slot};

use super::json::{Json, list, number, obj, text, truth};
use super::rounds::opening;
use super::{composition, context, master};

struct Cases(Vec<Json>);

impl Cases {
    /// `holds` is the purpose of the case. The crate finds the reason for a refusal, and an independent check must find
    /// the same.
    fn case(&mut self, name: &str, listed: &str, root: ShoeRoot, opening: Json, holds: bool) {
        let refusal = refusal(&opening.render(), listed, &root);
        assert_eq!(refusal.is_none(), holds, "{name}");
        let mut fields = vec![
            ("name", text(name)),
            ("composition", text(listed)),
            ("root", text(root)),
            ("opening", opening),
            ("holds", truth(holds)),
        ];
        fields.extend(refusal.map(|why| ("refused_for", text(why))));
        self.0.push(Json::Object(fields));
    }
}

fn refusal(opening: &str, listed: &str, root: &ShoeRoot) -> Option<&'static str> {
    let Ok(opening) = serde_json::from_str::<Opening>(opening) else {
        return Some("form");
    };
    let Ok(composition) = Composition::parse(listed) else {
        return Some("composition");
    };
    opening.verify(root, &composition).err().map(|error| match error {
        OpeningError::Composition(_) => "composition",
        OpeningError::Slot { .. } => "slot",
        OpeningError::Value { .. } => "value",
        OpeningError::PathLength { .. } => "path length",
        OpeningError::Root { .. } => "root",
    })
}

fn shoe(shoe_no: u64, candidate: u8, listed: &str) -> HouseShoe {
    HouseShoe::derive(&master().server_seed(&context(), shoe_no, candidate), &composition(listed))
}

fn with(base: &Opening, change: impl FnOnce(&mut Opening)) -> Json {
    let mut changed = base.clone();
    change(&mut changed);
    opening(&changed)
}

/// An opening with one field changed.
fn field(base: &Opening, name: &'static str, value: Json) -> Json {
    match opening(base) {
        Json::Object(mut fields) => {
            fields.retain(|(key, _)| *key != name);
            fields.push((name, value));
            Json::Object(fields)
        }
        other => other,
    }
}

fn valid(cases: &mut Cases) {
    for (listed, shoe_no, candidate, slots) in [
        ("52x1", 0, 1, vec![0, 6, 31, 32, 47, 48, 51]),
        ("52x8", 1, 0, vec![0, 255, 256, 383, 384, 415]),
        ("cards:Ac2cTcKcAdAd7dJd2h2h2hQh3s9sTsKs", 2, 0, vec![0, 15]),
        ("cards:7h", 3, 0, vec![0]),
        ("wheel37x10", 4, 0, vec![0, 7, 8, 9]),
        ("wheel216x10", 5, 0, vec![0, 9]),
    ] {
        let shoe = shoe(shoe_no, candidate, listed);
        for slot in slots {
            let it = shoe.open(Slot(slot)).expect("a slot of the shoe");
            let name = format!("{listed}, slot {slot}");
            cases.case(&name, listed, shoe.root(), opening(&it), true);
        }
    }
}

fn refused(cases: &mut Cases) {
    let (shoe0, shoe1) = (shoe(0, 0, "52x1"), shoe(0, 1, "52x1"));
    let root = shoe1.root();
    let it = shoe1.open(Slot(6)).expect("slot 6");
    let next = shoe1.open(Slot(7)).expect("slot 7");
    let last = shoe1.open(Slot(51)).expect("slot 51");
    let zero = [0; 32];
    let mut refuse = |name: &str, opening: Json| cases.case(name, "52x1", root, opening, false);

    refuse("wrong salt", with(&it, |o| o.salt[0] ^= 1));
    refuse("salt of the next slot", with(&it, |o| o.salt = next.salt));
    refuse("swapped card", with(&it, |o| o.value = next.value));
    refuse(
        "card and salt of the next slot",
        with(&it, |o| {
            o.value = next.value;
            o.salt = next.salt;
        }),
    );
    refuse("wrong slot", with(&it, |o| o.slot = Slot(7)));
    refuse("wrong slot at the other end", with(&it, |o| o.slot = Slot(51)));
    refuse("wrong path, first hash", with(&it, |o| o.path[0][31] ^= 1));
    refuse("wrong path, last hash", with(&it, |o| o.path[5][0] ^= 0x80));
    refuse("path of the next slot", with(&it, |o| o.path.clone_from(&next.path)));
    refuse("path upside down", with(&it, |o| o.path.reverse()));
    refuse("truncated path", with(&it, |o| o.path.truncate(5)));
    refuse("path without its first hash", with(&it, |o| o.path = o.path.split_off(1)));
    refuse("empty path", with(&it, |o| o.path.clear()));
    refuse("lengthened path", with(&it, |o| o.path.push(zero)));
    refuse("path with a hash in front", with(&it, |o| o.path.insert(0, zero)));
    refuse("path of thirteen hashes", with(&it, |o| o.path.resize(13, zero)));
    refuse(
        "last slot with a path as long as the first one's",
        with(&last, |o| {
            o.path.resize(6, zero);
        }),
    );
    refuse("value out of range", with(&it, |o| o.value = 52));
    refuse("value far out of range", with(&it, |o| o.value = 255));
    refuse("slot past the end", with(&it, |o| o.slot = Slot(52)));
    refuse("slot far past the end", with(&it, |o| o.slot = Slot(u16::MAX)));
    refuse("value that is no byte", field(&it, "value", number(256)));
    refuse("negative value", field(&it, "value", number(-1)));
    refuse("value as a text", field(&it, "value", text(it.value)));
    refuse("slot that is no u16", field(&it, "slot", number(65_542)));
    refuse("short salt", field(&it, "salt", text("00".repeat(15))));
    refuse("upper-case salt", field(&it, "salt", text(hex::encode_upper(it.salt))));
    refuse("short hash in the path", field(&it, "path", list([text("00")])));
    refuse("a field too many", field(&it, "leaves", number(52)));

    let eight = shoe(1, 0, "52x8");
    let wheel = shoe(4, 0, "wheel37x10");
    let single = shoe(3, 0, "cards:7h");
    let spin = wheel.open(Slot(0)).expect("slot 0");
    cases.case("root of the other candidate", "52x1", shoe0.root(), opening(&it), false);
    cases.case("root of another shoe", "52x1", shoe(1, 0, "52x1").root(), opening(&it), false);
    cases.case("a larger composition", "52x2", root, opening(&it), false);
    cases.case("another composition's root", "52x8", eight.root(), opening(&it), false);
    cases.case("pocket out of range", "wheel37x10", wheel.root(), with(&spin, |o| o.value = 37), false);
    let dice = shoe(5, 0, "wheel216x10");
    let thrown = dice.open(Slot(0)).expect("slot 0");
    cases.case("throw out of range", "wheel216x10", dice.root(), with(&thrown, |o| o.value = 216), false);
    let alone = single.open(Slot(0)).expect("slot 0");
    cases.case(
        "a path where the leaf is the root",
        "cards:7h",
        single.root(),
        with(&alone, |o| o.path.push(zero)),
        false,
    );
    cases.case("a composition that is none", "52x13", root, opening(&it), false);
}

pub fn file() -> Json {
    let mut cases = Cases(Vec::new());
    valid(&mut cases);
    refused(&mut cases);
    obj([
        (
            "about",
            text(
                "Openings against a root and a composition: those that hold and those a verifier must refuse; spec/fairness.md, Openings",
            ),
        ),
        ("cases", list(cases.0)),
    ])
}
