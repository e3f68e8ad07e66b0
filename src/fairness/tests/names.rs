//! The names of logs, players and tables.

use fairshoe_fairness::{NameError, Origin, PlayerId, TableId};

#[test]
fn bounds_and_alphabets() {
    assert!(Origin::parse("example.com/log").is_ok());
    assert!(Origin::parse(&"!".repeat(255)).is_ok());
    for bad in ["", "a b", "a+b", "caf\u{e9}", "a\n", &"a".repeat(256)] {
        assert!(Origin::parse(bad).is_err(), "{bad:?}");
    }
    assert!(PlayerId::parse("al.i_c-e9").is_ok());
    assert!(PlayerId::parse(&"a".repeat(64)).is_ok());
    for bad in ["", "Alice", "a/b", "a b", "\u{e9}", ".", "..", ".a", &"a".repeat(65)] {
        assert!(PlayerId::parse(bad).is_err(), "{bad:?}");
        assert!(TableId::parse(bad).is_err(), "{bad:?}");
    }
    assert!(TableId::parse("-a.").is_ok());
    assert_eq!(TableId::parse("aB"), Err(NameError::Byte { kind: "table", at: 1, byte: b'B' }));
}

#[test]
fn json_is_checked() {
    assert!(serde_json::from_str::<TableId>("\"T1\"").is_err());
    let table: TableId = serde_json::from_str("\"t1\"").unwrap();
    assert_eq!(serde_json::to_string(&table).unwrap(), "\"t1\"");
}
