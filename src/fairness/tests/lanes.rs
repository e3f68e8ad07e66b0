//! The order in which lanes take slots.

use fairshoe_fairness::{Lanes, Slot};

fn lanes(slots: u16, lanes: u16) -> Lanes {
    Lanes::new((0..slots).map(Slot).collect(), lanes)
}

#[test]
fn first_two_rounds_of_cards_come_off_in_the_usual_order() {
    let mut lanes = lanes(52, 3);
    let dealt: Vec<u16> = [0, 1, 2, 0, 1, 2].into_iter().map(|lane| lanes.draw(lane).unwrap().0).collect();
    assert_eq!(dealt, [0, 1, 2, 3, 4, 5]);
    assert_eq!(lanes.draw(1), Some(Slot(7)));
    assert_eq!(lanes.next(0), Some(Slot(6)));
    assert_eq!(lanes.next(2), Some(Slot(8)));
}

#[test]
fn a_lane_past_its_share_takes_the_last_undrawn() {
    let mut lanes = lanes(8, 3);
    // Own places 0, 3, 6; then 7 (last undrawn), then 5, because lane 1 already has 4.
    assert_eq!(lanes.draw(1), Some(Slot(1)));
    assert_eq!(lanes.draw(1), Some(Slot(4)));
    for want in [0, 3, 6, 7, 5, 2] {
        assert_eq!(lanes.next(0), Some(Slot(want)));
        assert_eq!(lanes.draw(0), Some(Slot(want)));
    }
    assert_eq!(lanes.draw(2), None);
    assert_eq!(lanes.next(0), None);
    assert!(lanes.undrawn_ascending().is_empty());
    assert_eq!(lanes.drawn().len(), 8);
}

#[test]
fn a_lane_whose_place_was_taken_takes_the_last_undrawn() {
    let mut lanes = lanes(4, 2);
    for want in [0, 2, 3] {
        assert_eq!(lanes.draw(0), Some(Slot(want)));
    }
    assert_eq!(lanes.draw(1), Some(Slot(1)));
    assert_eq!(lanes.draw(1), None);
}

#[test]
fn there_is_always_a_lane_and_never_one_too_many() {
    assert_eq!(lanes(2, 0).draw(0), Some(Slot(0)));
    assert_eq!(lanes(2, 1).draw(1), None);
    assert_eq!(lanes(0, 1).draw(0), None);
    assert_eq!(lanes(2, u16::MAX).draw(u16::MAX - 1), Some(Slot(1)));
}
