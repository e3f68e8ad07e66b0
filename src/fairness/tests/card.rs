//! Cards and slots, as codes, text and JSON.

use fairshoe_fairness::{Card, CardError, Slot};

#[test]
fn codes_text_rank_and_suit_agree() {
    for code in 0..52 {
        let card = Card::from_code(code).unwrap();
        assert_eq!(card.to_string().parse(), Ok(card));
        assert_eq!(Card::new(card.rank(), card.suit()), Some(card));
        assert_eq!(card.code(), code);
    }
    for (text, code) in [("Ac", 0), ("Kc", 12), ("Ad", 13), ("Th", 35), ("As", 39), ("Ks", 51)] {
        assert_eq!(text.parse::<Card>().unwrap().code(), code);
    }
    assert_eq!(Card::from_code(52), None);
    assert_eq!(Card::new(0, 'c'), None);
    assert_eq!(Card::new(14, 'c'), None);
    assert_eq!(Card::new(1, 'x'), None);
    for bad in ["", "A", "Acc", "ac", "AC", "1c", "0c", "10c", "é", "A\u{e9}"] {
        assert_eq!(bad.parse::<Card>(), Err(CardError), "{bad}");
    }
}

#[test]
fn json_forms() {
    let card: Card = "As".parse().unwrap();
    assert_eq!(serde_json::to_string(&card).unwrap(), "\"As\"");
    assert_eq!(serde_json::to_string(&Slot(7)).unwrap(), "7");
    assert!(serde_json::from_str::<Slot>("65536").is_err());
    assert!(serde_json::from_str::<Slot>("-1").is_err());
    assert!(serde_json::from_str::<Card>("39").is_err());
}
