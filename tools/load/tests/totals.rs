//! The counts of a run: rounds once, plays for each bettor.

use fairshoe_fairness::TableId;
use fairshoe_house::VoidCause;
use fairshoe_load::totals::{Outcome, Totals};
use std::collections::BTreeMap;
use std::time::Duration;

#[test]
fn a_round_counts_once_and_a_play_for_each_bettor() {
    let (mut totals, table) = (Totals::default(), TableId::parse("t").unwrap());
    let took = Some(Duration::from_millis(3));
    for (round_no, outcome, took) in [
        (4, Outcome::Settled, took),
        (4, Outcome::Settled, took),
        (4, Outcome::Settled, None),
        (6, Outcome::Void(VoidCause::RevealMissing), None),
        (6, Outcome::Void(VoidCause::RevealMissing), None),
        (7, Outcome::Settled, took),
        // A player who reads later than the others.
        (6, Outcome::Void(VoidCause::RevealMissing), None),
    ] {
        totals.round_over("baccarat", &table, round_no, outcome, took);
    }
    let game = &totals.games["baccarat"];
    assert_eq!((game.rounds, game.plays, game.round.count()), (2, 3, 3));
    assert_eq!(game.voids, BTreeMap::from([(VoidCause::RevealMissing, 1)]));
}
