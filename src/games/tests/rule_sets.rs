//! Rule sets as data: every contradiction is refused with its reason, and the digest depends on the rules alone.

use crate::common;
use common::{joy, joy_with};
use fairshoe_games::{Mode, RuleSet, RuleSetError, SHIPPED_RULE_SETS};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The digest of spec/rulesets/joy.json; it stands in spec/games/blackjack.md too. A change of it changes the game.
const JOY_DIGEST: &str = "530cd406971d9484a09e961e79c9d973c504b19df6eb6121306ffbb2a647568f";

const JOY_CANONICAL: &str = concat!(
    r#"{"game":{"blackjack":{"auto_stand_21":false,"blackjack_pays":[3,2],"blackjack_rounding":"up","boxes":1,"card_limit":5,"#,
    r#""deal_order":"interleaved","dealer_always_draws":false,"decks":1,"double_after_split":true,"double_amount":"exact","#,
    r#""double_any_cards":false,"draw_against_blackjack":true,"even_money_upcards":"none","hit_blackjack":true,"#,
    r#""insurance":"stake_back","insurance_odds":"none","insure_blackjack":true,"max_hands":2,"pay_blackjack_at_once":false,"#,
    r#""peek":"none","second_cards":"when_played","settle_at_once":false,"settlement_order":"left_to_right","split_aces":"free","#,
    r#""split_by_value":true,"split_cancels_dealer_blackjack":true,"surrender":"none","surrender_any_time":false,"#,
    r#""up_card":"dealt_up"}},"name":"joy","table":{"abandon":"finish","abandon_refunds":2,"bet_time_ms":0,"bets_per_player":1,"#,
    r#""chips":[1,5,10,50,100],"close_early":false,"crash":"resume","dealing":"sequential","house_shuffle":false,"mode":"solo","#,
    r#""reshuffle":"every_round","reveal_time_ms":120000,"round_time_ms":900000,"seats":1,"stake_max":1000,"stake_min":1,"#,
    r#""stake_step":1,"turn_time_ms":0}}"#
);

/// The blackjack rule sets that are shipped.
const BLACKJACK: [&str; 8] = [
    "joy",
    "joy-own",
    "live-blackjack",
    "rng-blackjack",
    "six-deck",
    "six-deck-solo",
    "study-group",
    "study-group-solo",
];

fn joy_text() -> &'static str {
    SHIPPED_RULE_SETS.iter().find(|(name, _)| *name == "joy").unwrap().1
}

#[test]
fn shipped_rule_sets_are_valid_and_named_as_listed() {
    for (name, text) in SHIPPED_RULE_SETS {
        assert_eq!(RuleSet::from_json(text).unwrap().name, *name);
        assert_eq!(RuleSet::shipped(name).unwrap(), RuleSet::from_json(text).unwrap());
    }
    assert_eq!(RuleSet::shipped("no-such"), None);
}

#[test]
fn contradictions_are_refused_with_their_reason() {
    for (options, reason) in [
        (&[("stake_min", "0")][..], "stake_min"),
        (&[("stake_min", "1001")], "stake_min"),
        (&[("stake_max", "0")], "stake_min"),
        (&[("stake_max", "1000000000001")], "stake_max is at most"),
        (&[("stake_step", "0")], "stake_step"),
        (&[("stake_step", "1001")], "stake_step"),
        (&[("stake_min", "5"), ("stake_max", "7"), ("stake_step", "4")], "no multiple of stake_step"),
        (&[("chips", "[5,1]")], "ascending"),
        (&[("chips", "[1,1]")], "ascending"),
        (&[("chips", "[0,1]")], "above 0"),
        (
            &[("chips", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]")],
            "at most 32",
        ),
        (&[("chips", "[5,10]")], "multiple of the least chip"),
        (&[("chips", "[5,10]"), ("stake_step", "4")], "multiple of the least chip"),
        (&[("reveal_time_ms", "999")], "reveal_time_ms"),
        (&[("reveal_time_ms", "604800001")], "reveal_time_ms"),
        (&[("round_time_ms", "0")], "round_time_ms"),
        (&[("round_time_ms", "604800001")], "round_time_ms"),
        (&[("decks", "0")], "decks"),
        (&[("decks", "9")], "decks"),
        (&[("blackjack_pays", "[3,0]")], "blackjack_pays"),
        (&[("blackjack_pays", "[1,2]")], "blackjack_pays"),
        (&[("blackjack_pays", "[6,5]")], "R001.53"),
        (&[("blackjack_pays", "[1,1]")], "R001.53"),
        (&[("blackjack_pays", "[11,1]")], "blackjack_pays"),
        (&[("blackjack_pays", "[1,101]")], "blackjack_pays"),
        (&[("blackjack_pays", "[102,101]")], "blackjack_pays"),
        (&[("blackjack_pays", "[4294967295,4294967295]")], "blackjack_pays"),
        (&[("card_limit", "1")], "card_limit"),
        (&[("card_limit", "2")], "card_limit"),
        (&[("card_limit", "22")], "card_limit"),
        (&[("card_limit", "255")], "card_limit"),
    ] {
        match joy().with_options(options.iter().copied()) {
            Err(RuleSetError::Contradiction(why)) => assert!(why.contains(reason), "{options:?}: {why}"),
            other => panic!("{options:?}: {other:?}"),
        }
    }
    for name in ["", "Joy", "joy ", "jo/y", "j\u{f6}y", &"x".repeat(65)] {
        let named = RuleSet { name: name.to_owned(), ..joy() };
        assert!(matches!(named.validate(), Err(RuleSetError::Contradiction(_))), "`{name}`");
        assert!(RuleSet::from_json(&serde_json::to_string(&named).unwrap()).is_err(), "`{name}`");
    }
    assert_eq!(RuleSet { name: "x".repeat(64), ..joy() }.validate(), Ok(()));
}

#[test]
fn bounds_themselves_are_allowed() {
    for options in [
        &[("stake_min", "1000")][..],
        &[("stake_max", "1000000000000")],
        &[("stake_max", "1")],
        &[("stake_step", "1000")],
        &[("stake_min", "5"), ("stake_max", "8"), ("stake_step", "4")],
        &[("chips", "[]")],
        &[("chips", "[5,10]"), ("stake_step", "15")],
        &[("reveal_time_ms", "1000"), ("round_time_ms", "604800000")],
        &[("decks", "8")],
        &[("blackjack_pays", "[150,100]")],
        &[("blackjack_pays", "[1000,100]")],
        &[("card_limit", "3")],
        &[("card_limit", "21")],
        &[("crash", "rollback")],
    ] {
        assert!(joy().with_options(options.iter().copied()).is_ok(), "{options:?}");
    }
}

#[test]
fn malformed_text_is_refused() {
    let refused = |text: &str| assert!(matches!(RuleSet::from_json(text), Err(RuleSetError::Malformed(_))), "{text}");
    for text in ["", "null", "[]", "{}", "\u{feff}{}", &format!("{}x", joy_text()), &"[".repeat(10_000)] {
        refused(text);
    }
    for (from, to) in [
        (r#""name""#, r#""title":"x","name""#),
        (r#""mode""#, r#""colour":1,"mode""#),
        (r#""decks""#, r#""jokers":0,"decks""#),
        (r#""decks": 1,"#, r#""decks": 1, "decks": 1,"#),
        (r#""decks": 1,"#, ""),
        (r#""stake_step": 1,"#, ""),
        (r#""decks": 1"#, r#""decks": 1.0"#),
        (r#""decks": 1"#, r#""decks": -1"#),
        (r#""decks": 1"#, r#""decks": 256"#),
        (r#""decks": 1"#, r#""decks": "1""#),
        (r#""stake_max": 1000"#, r#""stake_max": 9007199254740992"#),
        (r#""stake_max": 1000"#, r#""stake_max": 1e3"#),
        (r#""solo""#, r#""Solo""#),
        (r#""finish""#, r#""wait""#),
        (r#""every_round""#, r#""never""#),
        (r#""every_round""#, r#"{"cut_back":-1}"#),
        (r#""every_round""#, r#"{"cut_back":1,"left_below":1}"#),
        (r#""max_hands": 2"#, r#""max_hands": "two""#),
        (r#""max_hands": 2"#, r#""max_hands": -2"#),
        (r#""insurance_odds": "none""#, r#""insurance_odds": "1:1""#),
        (r#""interleaved""#, r#""Interleaved""#),
        (r#"[3, 2]"#, r#"[3, 2, 1]"#),
        (r#"[3, 2]"#, r#"[3]"#),
        (r#""blackjack": {"#, r#""poker": {"#),
        ("false", "0"),
    ] {
        let text = joy_text().replacen(from, to, 1);
        assert_ne!(text, joy_text(), "{from} does not occur");
        refused(&text);
    }
    let long = format!("{}{}", joy_text(), " ".repeat(16 * 1024));
    assert_eq!(RuleSet::from_json(&long), Err(RuleSetError::TooLong(long.len())));
}

#[test]
fn options_are_set_by_name_and_no_other_is_known() {
    assert_eq!(joy().with_options([]).unwrap(), joy());
    assert_eq!(joy_with(&[("insurance", "none")]), joy_with(&[("insurance", "\"none\"")]));
    assert_eq!(joy_with(&[("auto_stand_21", "on")]), joy_with(&[("auto_stand_21", "true")]));
    assert_eq!(joy_with(&[("auto_stand_21", "off")]), joy());
    let letter = common::rules_with("six-deck", &[("insurance_odds", "3:1")]);
    assert_eq!(letter, common::rules_with("six-deck", &[("insurance_odds", "\"3:1\"")]));
    for name in ["deck", "", "name", "table", "blackjack", "game", "stake_min "] {
        match joy().with_options([(name, "1")]) {
            Err(RuleSetError::UnknownOption { name: named, valid }) => {
                assert_eq!(named, name);
                assert!(
                    ["stake_min", "decks", "auto_stand_21", "chips"].iter().all(|option| valid.contains(option)),
                    "{valid}"
                );
            }
            other => panic!("`{name}`: {other:?}"),
        }
    }
    for (name, value) in
        [("decks", "many"), ("auto_stand_21", "maybe"), ("chips", "{}"), ("insurance", ""), ("stake_min", "-1")]
    {
        assert!(matches!(joy().with_options([(name, value)]), Err(RuleSetError::Malformed(_))), "{name}={value}");
    }
}

#[test]
fn the_digest_of_joy_is_pinned() {
    assert_eq!(joy().canonical(), JOY_CANONICAL);
    assert_eq!(joy().digest(), JOY_DIGEST);
    let mut hash = Sha256::new();
    hash.update("fairshoe/v1/rule-set\0");
    hash.update(JOY_CANONICAL);
    assert_eq!(hex::encode(hash.finalize()), JOY_DIGEST);
}

/// Reads a canonical text by hand: every object's keys ascend, and there is no white space outside strings.
fn assert_canonical(text: &str) {
    let mut keys: Vec<Option<String>> = Vec::new();
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        assert!(!byte.is_ascii_whitespace(), "{text}");
        match byte {
            b'{' => keys.push(None),
            b'}' => drop(keys.pop()),
            b'"' => {
                let end = rest[1..].find('"').unwrap() + 1;
                let string = &rest[1..end];
                rest = &rest[end..];
                if rest[1..].starts_with(':') {
                    let last = keys.last_mut().unwrap();
                    assert!(last.as_deref() < Some(string), "{string} after {last:?}: {text}");
                    *last = Some(string.to_owned());
                }
            }
            _ => {}
        }
        rest = &rest[1..];
    }
    assert!(keys.is_empty());
}

#[test]
fn the_canonical_text_is_sorted_and_tight_whatever_the_order_of_the_input() {
    // The same rules, all keys backwards, with white space. Under serde_json's `preserve_order` the map would keep an
    // order.
    let backwards = r#" { "table" : { "turn_time_ms":0, "stake_step":1, "stake_min":1, "stake_max":1000, "seats":1,
        "round_time_ms":900000, "reveal_time_ms":120000, "reshuffle":"every_round", "mode":"solo", "house_shuffle":false,
        "dealing":"sequential", "crash":"resume", "close_early":false, "chips":[ 1, 5, 10, 50, 100 ], "bets_per_player":1,
        "bet_time_ms":0, "abandon_refunds":2, "abandon":"finish" }, "name":"joy", "game":{ "blackjack":{ "up_card":"dealt_up",
        "surrender_any_time":false, "surrender":"none", "split_cancels_dealer_blackjack":true, "split_by_value":true,
        "split_aces":"free", "settlement_order":"left_to_right", "settle_at_once":false, "second_cards":"when_played",
        "peek":"none", "pay_blackjack_at_once":false, "max_hands":2, "insure_blackjack":true, "insurance_odds":"none",
        "insurance":"stake_back", "hit_blackjack":true, "even_money_upcards":"none", "draw_against_blackjack":true,
        "double_any_cards":false, "double_amount":"exact", "double_after_split":true, "decks":1, "dealer_always_draws":false,
        "deal_order":"interleaved", "card_limit":5, "boxes":1, "blackjack_rounding":"up", "blackjack_pays":[ 3, 2 ],
        "auto_stand_21":false } } } "#;
    let rules = RuleSet::from_json(backwards).unwrap();
    assert_eq!(rules, joy());
    assert_eq!(rules.canonical(), JOY_CANONICAL);
    assert_canonical(&rules.canonical());
    assert_canonical(&joy_with(&[("chips", "[]"), ("decks", "8"), ("insurance", "none")]).canonical());
    // The canonical text is itself a rule set with the same canonical text.
    assert_eq!(RuleSet::from_json(JOY_CANONICAL).unwrap().canonical(), JOY_CANONICAL);
}

#[test]
fn every_option_is_in_the_digest() {
    let mut digests = vec![joy().digest(), RuleSet { name: "joy2".into(), ..joy() }.digest()];
    for option in [
        ("stake_min", "2"),
        ("stake_max", "999"),
        ("stake_step", "2"),
        ("chips", "[1]"),
        ("crash", "rollback"),
        ("reveal_time_ms", "1000"),
        ("round_time_ms", "1000"),
        ("decks", "2"),
        ("deal_order", "pp_dd"),
        ("blackjack_pays", "[6,4]"),
        ("blackjack_rounding", "down"),
        ("double_after_split", "false"),
        ("insurance", "none"),
        ("card_limit", "6"),
        ("auto_stand_21", "true"),
        ("house_shuffle", "on"),
        ("abandon_refunds", "3"),
        ("up_card", "turned_after_deal"),
        ("peek", "ace"),
        ("hit_blackjack", "off"),
        ("double_amount", "up_to"),
        ("double_any_cards", "on"),
        ("split_by_value", "off"),
        ("max_hands", "3"),
        ("max_hands", "unlimited"),
        ("second_cards", "at_once"),
        ("split_aces", "one_card"),
        ("split_cancels_dealer_blackjack", "off"),
        ("surrender", "late"),
        ("insure_blackjack", "off"),
        ("even_money_upcards", "ten"),
        ("draw_against_blackjack", "off"),
        ("dealer_always_draws", "on"),
        ("settle_at_once", "on"),
        ("settlement_order", "right_to_left"),
    ] {
        digests.push(joy_with(&[option]).digest());
    }
    let count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

#[test]
fn the_digests_of_blackjack_stand_on_its_page() {
    let page = include_str!("../../../spec/games/blackjack.md");
    for name in BLACKJACK {
        let digest = RuleSet::shipped(name).unwrap().digest();
        assert!(page.contains(&format!("| `{name}` | `{digest}` |")), "| `{name}` | `{digest}` |");
    }
}

#[test]
fn the_page_has_every_option_with_the_values_of_every_shipped_rule_set() {
    let page = include_str!("../../../spec/games/blackjack.md");
    let forms: Vec<serde_json::Value> = ["joy", "live-blackjack", "six-deck", "study-group"]
        .map(|name| serde_json::from_str(&RuleSet::shipped(name).unwrap().canonical()).unwrap())
        .into();
    for (object, first) in [("table", "mode"), ("blackjack", "decks")] {
        let of = |form: &serde_json::Value| {
            if object == "table" { form["table"].clone() } else { form["game"]["blackjack"].clone() }
        };
        assert!(of(&forms[0]).get(first).is_some());
        let fields: BTreeSet<String> =
            forms.iter().flat_map(|form| of(form).as_object().unwrap().keys().cloned().collect::<Vec<_>>()).collect();
        for field in &fields {
            let value = |form| match of(form).get(field) {
                Some(value) => value.to_string().replace('"', ""),
                None => "absent".to_owned(),
            };
            let prefix = if object == "table" { format!("| `table.{field}` |") } else { format!("| `{field}` |") };
            let row = page.lines().find(|line| line.starts_with(&prefix)).unwrap_or_else(|| panic!("{prefix}"));
            let cells: Vec<String> = row.split('|').map(|cell| cell.trim().replace('`', "")).collect();
            let want: Vec<String> = forms.iter().map(value).collect();
            assert_eq!(cells[4..8], want, "{field}");
        }
    }
}

#[test]
fn solo_and_shared_rule_sets_of_a_form_play_one_game() {
    for (shared, solo) in [("six-deck", "six-deck-solo"), ("study-group", "study-group-solo")] {
        assert_eq!(
            common::options_of(&RuleSet::shipped(shared).unwrap()),
            common::options_of(&RuleSet::shipped(solo).unwrap())
        );
    }
}

/// People see how a round ended, and nobody waits for minutes for the seat of somebody who is away.
#[test]
fn every_shipped_table_of_people_pauses_and_frees_seats() {
    for (name, _) in SHIPPED_RULE_SETS {
        let table = RuleSet::shipped(name).unwrap().table;
        let shared = table.mode == Mode::Shared;
        assert_eq!(table.between_hands_ms.is_some_and(|ms| (3_000..=5_000).contains(&ms)), shared, "{name}");
        assert_eq!(table.away_ms.is_some_and(|ms| ms <= 120_000), shared, "{name}");
    }
}

#[test]
fn a_shared_table_may_pause_between_hands_and_say_when_a_seat_is_idle() {
    let with = |name: &str, options: &[(&str, &str)]| {
        RuleSet::shipped(name).unwrap().with_options(options.iter().copied()).map_err(|why| why.to_string())
    };
    let plain = with("holdem", &[("between_hands_ms", "0"), ("away_ms", "300000")]).unwrap();
    let paused = with("holdem", &[("between_hands_ms", "30000"), ("away_ms", "30000")]).unwrap();
    assert_ne!(plain.digest(), paused.digest());
    assert_eq!(RuleSet::from_json(&paused.canonical()).unwrap(), paused);
    for (name, value) in [("between_hands_ms", "30001"), ("away_ms", "29999"), ("away_ms", "300001")] {
        assert!(with("roulette", &[(name, value)]).unwrap_err().contains(name), "{name}={value}");
    }
    for (name, value) in [("between_hands_ms", "0"), ("away_ms", "60000")] {
        assert!(with("joy", &[(name, value)]).unwrap_err().contains("shared tables"), "{name}={value}");
    }
}
