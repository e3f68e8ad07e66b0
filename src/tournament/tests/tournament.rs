//! Tournaments: one test for each numbered rule, the golden figures as literals, vectors, properties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bounty_rules;
#[path = "../examples/tournament_vectors/cases.rs"]
mod cases;
mod common;
mod deal_rules;
mod entry_rules;
mod events;
mod golden;
mod play_rules;
mod prize_rules;
mod properties;
mod refund_rules;
mod staking_rules;
mod structures;

/// The file equals the generator's output; the JavaScript verifier reads it.
#[test]
fn vectors_are_what_the_generator_writes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors");
    let file = std::fs::read_to_string(format!("{folder}/{}", cases::FILE)).unwrap();
    assert!(file == cases::text(), "cargo run -p fairshoe-tournament --example tournament_vectors -- spec/vectors");
}

/// The worked example of the page is a case of the file.
#[test]
fn the_pages_example_of_a_draw_is_in_the_vectors() {
    let page = include_str!("../../../spec/games/tournaments.md");
    let file: serde_json::Value = serde_json::from_str(&cases::text()).unwrap();
    let draws = file["draws"].as_array().unwrap();
    let heads = draws.iter().find(|draw| draw["context"]["table"] == "heads").unwrap();
    for value in [&heads["tip"], &heads["link"], &heads["entropy"], &heads["entrants"][0]["commitment"]] {
        assert!(page.contains(value.as_str().unwrap()), "{value}");
    }
}
