//! Seeds and hashes as text.

use fairshoe_fairness::{ClientSeed, HexError, ServerSeed, ShoeRoot};

#[test]
fn text_round_trips_and_has_one_form() {
    let root = ShoeRoot::from_bytes([0xab; 32]);
    let text = "ab".repeat(32);
    assert_eq!(root.to_string(), text);
    assert_eq!(text.parse(), Ok(root));
    assert_eq!(serde_json::to_string(&root).unwrap(), format!("\"{text}\""));
    assert_eq!(text.to_uppercase().parse::<ShoeRoot>(), Err(HexError::Digit { at: 0 }));
    assert_eq!(text[2..].parse::<ShoeRoot>(), Err(HexError::Length { got: 62, want: 64 }));
    assert!(serde_json::from_str::<ShoeRoot>(&format!("\"{text}0\"")).is_err());
    assert!(serde_json::from_str::<ShoeRoot>("[1,2]").is_err());
}

#[test]
fn debug_of_a_seed_shows_no_byte() {
    let seed = ServerSeed::from_bytes([0xab; 32]);
    assert_eq!(format!("{seed:?}"), "ServerSeed(hidden)");
    let seed = ClientSeed::from_bytes([0xab; 32]);
    assert_eq!(format!("{seed:?}"), "ClientSeed(hidden)");
}
