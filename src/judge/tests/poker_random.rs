//! Cash tables played by chance: chips conserved, every entry decided again to the same bytes, every hand's bundle
//! sound.

use crate::audit_common;
use crate::common;

use audit_common::*;
use common::rng::Rng;
use common::rooms::one_hand;
use common::*;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Chips, RoundEvent};
use fairshoe_house::{Account, Event};
use fairshoe_judge::audit::{Book, LedgerBook, Limits};
use fairshoe_judge::bundle::Soundness;
use std::collections::BTreeMap;

/// Everything that players have, at the table and beside it, and the rake.
fn all_chips(house: &House) -> i128 {
    let rake = i128::from(house.state.ledger().balance(&Account::Rake).unwrap());
    house.state.ledger().players_total() + house.state.ledger().seats_total() + rake
}

fn play(rules: &str, options: &[(&str, &str)], seed: u64, hands: usize) {
    let mut house = House::room(rules, options);
    let mut rng = Rng(seed);
    for hand in 0..hands {
        one_hand(&mut house, &mut rng, hand % 3 > 0);
        assert_eq!(all_chips(&house), 6_000_000, "chips are neither made nor lost");
        assert_eq!(house.state.ledger().total(), 0);
        // No table hangs: with two players who are ready something is on, and whatever is on has an end.
        house.run_due();
        let at = house.table("t1");
        assert!(!at.is_between_rounds() || at.ready().nth(1).is_none(), "two are ready and nothing happens");
        assert!(at.is_between_rounds() || at.next_deadline().is_some(), "it waits for ever");
    }
    let settled = entries(&house.log)
        .iter()
        .filter(|entry| entry.events.iter().any(|e| matches!(e, Event::RoundSettled { .. })))
        .count();
    assert!(settled * 4 > hands, "{settled} of {hands} hands were settled");
    let mut book = Book::new(Limits::default());
    for (index, bytes) in (0..).zip(&house.log) {
        book.feed(index, bytes).unwrap_or_else(|finding| panic!("{finding}\n{}", String::from_utf8_lossy(bytes)));
    }
    let report = book.finish();
    assert!(report.is_sound(), "{:?}", report.first_failure);
    assert_eq!(report.ledger.rake, house.rake());
    assert!(report.ledger.rake > 0 && report.shoes_sealed >= report.settled, "{report:?}");
    let mut alone = LedgerBook::new(Some(ORIGIN.into()));
    for (index, bytes) in (0..).zip(&house.log) {
        alone.feed(index, bytes).unwrap_or_else(|finding| panic!("{finding}\n{}", String::from_utf8_lossy(bytes)));
    }
    assert_eq!(alone.finish().ledger, report.ledger, "the ledger alone comes to the same");
    let rounds = house.table("t1").next_round;
    for round in (0..rounds).step_by(if effort() > 1 { 1 } else { 3 }) {
        let id = format!("t1:{round}");
        let verdict =
            verify(bundle(&house, &house.log, &id).to_json().unwrap().as_bytes(), Some(signer().verifier_key()));
        assert_eq!(verdict.verdict, Soundness::Sound, "{id}: {:?}\n{}", verdict.findings, verdict.story.join("\n"));
    }
}

#[test]
fn no_limit_holdem_by_chance_is_sound() {
    play("holdem", &[], 1, 150 * effort() as usize);
}

#[test]
fn limit_holdem_with_three_blinds_by_chance_is_sound() {
    let blinds = r#"{"small":100,"big":200,"third":200,"ante":10,"straddle":true,"entry_post":"big"}"#;
    play("holdem-limit", &[("blinds", blinds), ("cash_timeout", "check_if_free")], 2, 100 * effort() as usize);
}

#[test]
fn pot_limit_omaha_and_hi_lo_by_chance_are_sound() {
    play("omaha", &[], 3, 80 * effort() as usize);
    play("omaha-hi-lo", &[], 4, 80 * effort() as usize);
}

/// Posts, bets, and calls stand in the pot until a hand ends: a bundle that is cut off before says of each player what
/// its entries say that they put in.
#[test]
fn a_hand_in_play_has_staked_all_that_is_in_its_pot() {
    let blinds = r#"{"small":100,"big":200,"ante":25,"straddle":true,"entry_post":"big"}"#;
    let mut house = House::room("holdem", &[("blinds", blinds), ("stake_min", "600")]);
    let mut rng = Rng(11);
    (0..10).for_each(|_| one_hand(&mut house, &mut rng, true));
    let mut hand: Option<(u64, BTreeMap<PlayerId, Chips>)> = None;
    let mut judged = 0;
    for (at, entry) in entries(&house.log).iter().enumerate() {
        for event in &entry.events {
            match (event, &mut hand) {
                (Event::HandBegun { round_no, hand: dealt, .. }, _) => {
                    let posted = dealt.seats.iter().map(|seat| {
                        let owed = Chips::sum([seat.due.ante, seat.due.dead, seat.due.live]).unwrap();
                        (seat.player.clone(), owed.min(seat.stack))
                    });
                    hand = Some((*round_no, posted.collect()));
                }
                (Event::Play(RoundEvent::Acted { player, cost, .. }), Some((_, put_in))) => {
                    let sum = put_in.get_mut(player).unwrap();
                    *sum = sum.plus(*cost).unwrap();
                }
                (Event::RoundSettled { .. } | Event::RoundVoided { .. }, _) => hand = None,
                _ => {}
            }
        }
        let Some((round_no, put_in)) = &hand else { continue };
        let cut_off = bundle(&house, &house.log[..=at], &format!("t1:{round_no}")).to_json().unwrap();
        let verdict = verify(cut_off.as_bytes(), Some(signer().verifier_key()));
        let players = verdict.round.unwrap().players;
        let staked: BTreeMap<PlayerId, Chips> = players.into_iter().map(|one| (one.player, one.staked)).collect();
        assert_eq!(staked, *put_in, "hand {round_no} after entry {at}");
        for (player, sum) in put_in {
            assert!(verdict.story.contains(&format!("{player} has staked {sum} so far; the round is in play.")));
        }
        judged += 1;
    }
    assert!(judged > 50, "{judged} times in a hand");
}
