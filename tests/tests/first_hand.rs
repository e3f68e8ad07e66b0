//! The shortest path through everything: a player, chips, a hand, its result.

use fairshoe_tests::{Json, Service};

#[test]
fn a_hand_of_joy_blackjack_is_played_to_its_settlement() {
    let service = Service::fresh(&[]);
    let alice = service.player("alice", 1000);
    let settled = alice.play("joy-1", 10);
    assert_eq!(settled["round"]["phase"], "settled");
    let returned = settled["round"]["returned"].int();
    assert_eq!(alice.balance(), 990 + returned);
    assert_eq!(service.stop(), Some(0));
}
