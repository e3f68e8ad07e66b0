//! Random play of any game: a legal choice for whatever is asked.

use super::rng::Rng;
use super::*;
use fairshoe_games::{Decision, Place, Round};
use serde_json::Value;

/// A choice among those offered, random where it names a card or a hand.
pub fn random_action(rng: &mut Rng, round: &dyn Round, open: &Decision, funds: Chips) -> Action {
    let offers = round.options(open.number, funds);
    assert!(!offers.is_empty(), "decision {} offers nothing", open.number);
    let kind = offers[rng.below(offers.len())].action;
    filled(rng, round, open, kind)
}

/// The first of these words that is offered; a random choice if none is.
pub fn liked_action(rng: &mut Rng, round: &dyn Round, open: &Decision, funds: Chips, liked: &[ActionKind]) -> Action {
    let offers = round.options(open.number, funds);
    match liked.iter().find(|kind| offers.iter().any(|offer| offer.action == **kind)) {
        Some(kind) => filled(rng, round, open, *kind),
        None => random_action(rng, round, open, funds),
    }
}

fn filled(rng: &mut Rng, round: &dyn Round, open: &Decision, kind: ActionKind) -> Action {
    let text = match kind {
        ActionKind::Insurance | ActionKind::EvenMoney => format!("{kind}={}", if rng.one_in(2) { "yes" } else { "no" }),
        ActionKind::Change | ActionKind::Open | ActionKind::Discard => {
            let view = round.view();
            let Place::Hand { spot, .. } = open.place else { panic!("{open:?}") };
            let me = view["players"].as_array().unwrap().iter().find(|one| one["seat"] == spot).unwrap();
            let mut pick = |list: &Value| list[rng.below(list.as_array().unwrap().len())].clone();
            match kind {
                ActionKind::Change => format!("{kind}={}", pick(&me["hand"]["cards"])["card"].as_str().unwrap()),
                _ => format!("{kind}={}", pick(&me["face_down"])["place"].as_str().unwrap()),
            }
        }
        _ => kind.to_string(),
    };
    text.parse().unwrap()
}
