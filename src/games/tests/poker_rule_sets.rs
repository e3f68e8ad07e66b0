//! Rule sets that a cash table refuses (spec/games/poker-table.md, "Rule set").

use crate::spots::contradictions;
use fairshoe_games::RuleSet;

#[test]
fn contradictions_of_a_cash_table_are_refused_with_their_reason() {
    let holdem = RuleSet::shipped("holdem").unwrap();
    contradictions(
        &holdem,
        &[
            (&[("seats", "11")], "2 to 10 seats"),
            (&[("dealing", "lanes")], "sequential"),
            (&[("reshuffle", r#"{"cut_back":5}"#)], "deck of its own"),
            (&[("house_shuffle", "on")], "house_shuffle is off"),
            (&[("bets_per_player", "2")], "no bets before it"),
            (&[("chips", "[1]")], "no bets before it"),
            (&[("close_early", "off")], "close_early is on"),
            (&[("stake_min", "199")], "least buy-in"),
            (
                &[("blinds", r#"{"small":100,"big":400,"ante":0,"straddle":false,"entry_post":"small"}"#)],
                "largest blind",
            ),
            (&[("rake_by_players", r#"[{"players":1,"basis_points":100,"cap":1}]"#)], "2 players at least"),
            (&[("clocks", r#"{"street_extra_ms":[0,0,0,0],"bank_ms":3600001,"bank_refill_ms":0}"#)], "an hour"),
            (&[("most_seats", r#"{"desktop":0,"mobile":1,"browser":1}"#)], "at least 1"),
            (&[("leave_table", r#"{"exempt":false,"removal_counts":true,"sit_out_hands":0}"#)], "at least 1"),
        ],
    );
    let omaha = RuleSet::shipped("omaha").unwrap();
    contradictions(
        &omaha,
        &[(
            &[
                ("seats", "10"),
                (
                    "hand",
                    r#"{"family":"short_deck","hi_lo":true,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true}"#,
                ),
            ],
            "no low hand",
        )],
    );
}
