//! The content of a shoe, as text and within its bounds.

use fairshoe_fairness::{Card, Composition, CompositionError};

#[test]
fn canonical_texts() {
    for (text, slots) in [
        ("52x1", 52),
        ("52x12", 624),
        ("wheel37x1", 1),
        ("wheel37x4096", 4096),
        ("wheel216x7", 7),
        ("cards:Ac", 1),
        ("cards:AcAcKs", 3),
    ] {
        let composition = Composition::parse(text).unwrap();
        assert_eq!(composition.to_string(), text);
        assert_eq!(composition.len(), slots);
        let listed = if composition.is_wheel() { 0 } else { usize::from(slots) };
        assert_eq!(composition.values().len(), listed);
    }
}

#[test]
fn refusals() {
    use CompositionError::{Cards, Decks, Form, NotACard, NotAscending, Spins};
    let long = format!("cards:{}", "Ac".repeat(625));
    // Refused for its length before a card is read.
    let long_of_no_cards = format!("cards:{}", "z".repeat(1249));
    for (text, error) in [
        ("", Form),
        ("52x", Form),
        ("52x0", Decks(0)),
        ("52x13", Decks(13)),
        ("52x256", Decks(256)),
        ("52x01", Form),
        ("52x+1", Form),
        ("52x1 ", Form),
        ("52X1", Form),
        ("53x1", Form),
        ("52x99999999999999999999", Form),
        ("wheel37x0", Spins(0)),
        ("wheel37x4097", Spins(4097)),
        ("wheel38x1", Form),
        ("cards:", Cards(0)),
        ("cards:A", NotACard { at: 0 }),
        ("cards:AcK", NotACard { at: 1 }),
        ("cards:KsAc", NotAscending { at: 1 }),
        ("cards:\u{e9}\u{e9}", NotACard { at: 0 }),
        (long.as_str(), Cards(625)),
        (long_of_no_cards.as_str(), Cards(625)),
    ] {
        assert_eq!(Composition::parse(text), Err(error), "{text}");
    }
}

#[test]
fn built_by_hand_outside_the_bounds_it_has_no_slots_and_no_text() {
    let ac = Card::from_code(0).unwrap();
    let ks = Card::from_code(51).unwrap();
    for composition in [
        Composition::Decks(0),
        Composition::Decks(13),
        Composition::Wheel(4097),
        Composition::Cards(vec![]),
        Composition::Cards(vec![ks, ac]),
        Composition::Cards(vec![ac; 70_000]),
    ] {
        assert!(composition.check().is_err());
        assert!(composition.is_empty());
        assert!(composition.values().is_empty());
        assert!(serde_json::to_string(&composition).is_err());
    }
    assert_eq!(Composition::cards(vec![ks, ac]), Composition::parse("cards:AcKs"));
}
