//! Chips: exact, bounded, never negative.

use fairshoe_games::{Chips, MAX_CHIPS};

fn chips(units: u64) -> Chips {
    Chips::new(units).unwrap()
}

#[test]
fn arithmetic_never_wraps() {
    let max = Chips::new(MAX_CHIPS).unwrap();
    assert_eq!(Chips::new(MAX_CHIPS + 1), None);
    assert_eq!(max.plus(chips(1)), None);
    assert_eq!(Chips::ZERO.minus(chips(1)), None);
    assert_eq!(max.fraction_down(u64::MAX, 1), None);
    assert_eq!(chips(1).fraction_up(1, 0), None);
}

#[test]
fn fractions_round_as_named() {
    assert_eq!(chips(7).fraction_up(3, 2), Some(chips(11)));
    assert_eq!(chips(7).fraction_down(3, 2), Some(chips(10)));
}

#[test]
fn text_out_of_range_is_refused() {
    for text in ["-1", "1.0", "9007199254740992", "\"1\"", "1e3"] {
        assert!(serde_json::from_str::<Chips>(text).is_err(), "{text}");
    }
}
