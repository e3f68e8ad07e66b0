//! Exact fractions: lowest terms, signs, overflow.

use fairshoe_odds::Fraction;

#[test]
fn lowest_terms_and_signs() {
    let half = Fraction::new(-3, -6).unwrap();
    assert_eq!(half.parts(), (1, 2));
    assert_eq!(Fraction::new(3, -6).unwrap().parts(), (-1, 2));
    assert_eq!(Fraction::new(1, 0), None);
    assert_eq!(Fraction::new(0, 0), None);
    assert_eq!(half.plus(Fraction::new(1, 3).unwrap()).unwrap().to_string(), "5/6");
    assert_eq!(half.times(Fraction::whole(4)).unwrap(), Fraction::whole(2));
    assert_eq!(Fraction::whole(i128::MAX).plus(Fraction::whole(1)), None);
    assert_eq!(Fraction::new(i128::MIN, 1).unwrap().negated(), None);
}
