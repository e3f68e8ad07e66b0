//! The vector files as texts; shared by the generator and the test that they are current.
#![allow(clippy::expect_used)]

mod draws;
mod json;
mod openings;
mod refusals;
mod rounds;
mod shoes;

use fairshoe_fairness::{Composition, Epoch, Master, Origin, PlayerId, TableContext, TableId};
use json::{Json, obj, text};

/// Every file: its name and its text.
pub fn all() -> Vec<(&'static str, String)> {
    [
        ("fairness-draws.json", draws::file()),
        ("fairness-openings.json", openings::file()),
        ("fairness-refusals.json", refusals::file()),
        ("fairness-rounds.json", rounds::file()),
        ("fairness-shoes.json", shoes::file()),
    ]
    .map(|(name, json)| (name, json.render()))
    .into()
}

/// First shoe of eight packs whose house order throws a word away (example `find_rejections`).
const REJECTING_SHOE: u64 = 130_317;
/// First round whose shuffle of 416 slots does (the same).
const REJECTING_ROUND: u64 = 6_648;
/// First wheel of 370 spins one of whose pockets does (the same).
const REJECTING_WHEEL: u64 = 1_737_568;
/// First key, as its last eight bytes, that does within four draws below 40,503 (the same).
const REJECTING_KEY: u64 = 20_779;

fn master() -> Master {
    Master::from_bytes([0; 32])
}

/// The context of the worked example.
fn context() -> TableContext {
    context_of("example.com/log", "t1", std::array::from_fn(|i| u8::try_from(i).unwrap_or(0)))
}

fn context_of(origin: &str, table: &str, epoch: [u8; 32]) -> TableContext {
    TableContext {
        origin: Origin::parse(origin).expect("a valid origin"),
        table: TableId::parse(table).expect("a valid table"),
        epoch: Epoch::from_bytes(epoch),
    }
}

fn composition(text: &str) -> Composition {
    Composition::parse(text).expect("a valid composition")
}

fn player(name: &str) -> PlayerId {
    PlayerId::parse(name).expect("a valid player")
}

fn context_json(context: &TableContext) -> Json {
    obj([("origin", text(&context.origin)), ("table", text(&context.table)), ("epoch", text(context.epoch))])
}
