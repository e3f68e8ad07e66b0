//! Amounts as they are told.

use fairshoe_games::Chips;
use fairshoe_judge::Money;

#[test]
fn an_amount_is_told_with_the_currency_s_decimals() {
    let sum = |money: &Money, units| money.sum(Chips::new(units).unwrap());
    let plain = Money::default();
    assert_eq!((sum(&plain, 1250), plain.signed_digits(-7)), ("1250".into(), "-7".into()));
    let euro = Money::of("EUR", 2);
    for (units, told) in [(0, "0.00 EUR"), (7, "0.07 EUR"), (1250, "12.50 EUR"), (100, "1.00 EUR")] {
        assert_eq!(sum(&euro, units), told);
    }
    assert_eq!(sum(&euro, fairshoe_games::MAX_CHIPS), "90071992547409.91 EUR");
    assert_eq!((euro.signed_digits(-5), euro.signed_digits(0)), ("-0.05".into(), "+0.00".into()));
    assert_eq!(
        (sum(&Money::of("JPY", 0), 1250), sum(&Money::of("BTC", 8), 1)),
        ("1250 JPY".into(), "0.00000001 BTC".into())
    );
}
