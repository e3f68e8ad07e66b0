//! `replay`: hands that were played elsewhere, through our engine.

use fairshoe_audit::replay::{self, Act, Amount, History};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).arg("replay").args(files).arg("--json").output().unwrap()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Replays one hand; the exit code and the report.
fn one(history: &str) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hand.phh");
    std::fs::write(&file, history).unwrap();
    let output = run(&[&file]);
    (output.status.code(), report(&output))
}

/// A flop seen by three, a bet that nobody calls.
const UNCALLED: &str = r#"
variant = "NT"
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [100, 100, 100]
actions = ["d dh p1 AcKc", "d dh p2 ????", "d dh p3 7h6h", "p3 cbr 6 # opens", "p1 cc", "p2 f", "d db Jc3d5c", "p1 cc", "p3 cbr 10", "p1 f"]
finishing_stacks = [94, 98, 108]
"#;

#[test]
fn a_hand_ends_with_the_recorded_stacks_or_the_first_difference_is_named() {
    let (code, report) = one(UNCALLED);
    assert_eq!(
        (code, &report["equal"], &report["stacks"]),
        (Some(0), &1.into(), &serde_json::json!(["94", "98", "108"]))
    );
    let (code, report) = one(&UNCALLED.replace("[94, 98, 108]", "[94, 99, 107]"));
    assert_eq!(code, Some(1));
    let words = report["different"][0]["message"].as_str().unwrap();
    assert!(words.contains("player 2 ends with 98, the history says 99"), "{words}");
    let (code, report) = one(&UNCALLED.replace("p3 cbr 10", "p3 cbr 1"));
    assert_eq!(code, Some(1));
    let words = report["different"][0]["message"].as_str().unwrap();
    assert!(words.contains("action 9 `p3 cbr 1`") && words.contains("at least 2"), "{words}");
    for (from, to, names) in [
        ("\"p2 f\", ", "", "turn of player 2"),
        (", \"p1 f\"]", "]", "ends while it is the turn of player 1"),
        ("p3 cbr 6", "p1 cbr 6", "turn of player 3"),
        ("\"d db Jc3d5c\", ", "", "nobody's turn"),
    ] {
        let (code, report) = one(&UNCALLED.replacen(from, to, 1));
        let words = report["different"][0]["message"].as_str().unwrap_or_default();
        assert!(code == Some(1) && words.contains(names), "{from}: {words}");
    }
}

#[test]
fn what_cannot_be_judged_says_why() {
    for (from, to, names) in [
        ("variant = \"NT\"", "variant = \"F7S\"", "F7S"),
        ("Jc3d5c", "Jc3dAc", "Ac is there twice"),
        ("Jc3d5c", "Jc3d", "the board has 3 cards"),
        ("Jc3d5c", "Jc3d5c2c", "the board has 3 cards then, not 4"),
        ("7h6h", "7h6h5h", "2 hole cards"),
        ("[100, 100, 100]", "[100, 100]", "one number of players"),
        ("[100, 100, 100]", "[100, 0, 100]", "no chips"),
        ("[100, 100, 100]", "[100, inf, 100]", "`inf`, which is no amount of chips: write how many"),
        ("[100, 100, 100]", "[100, nan, 100]", "no amount"),
        ("\"p1 f\"]", "\"p1 wins\"]", "is not an action"),
    ] {
        let (code, report) = one(&UNCALLED.replacen(from, to, 1));
        let words = report["unusable"][0]["message"].as_str().unwrap_or_default();
        assert!(code == Some(2) && words.contains(names), "{from}: {words}");
    }
    let unknown = UNCALLED
        .replace("\"p1 f\"]", "\"p1 cc\", \"d db 2c\", \"p1 cc\", \"p3 cc\", \"d db 2d\", \"p1 cc\", \"p3 cc\"]");
    let (code, report) = one(&unknown.replace("7h6h", "????"));
    assert_eq!(code, Some(2), "{report}");
    assert!(report["unusable"][0]["message"].as_str().unwrap().contains("player 3"));
    // Given up unshown, the same hand has a winner.
    let mucked = unknown.replace("7h6h", "????").replace("\"p3 cc\"]", "\"p3 cc\", \"p3 sm\"]");
    let (code, report) = one(&mucked.replace("[94, 98, 108]", "[118, 98, 84]"));
    assert_eq!(code, Some(0), "{report}");
    // `sm -` shows the cards that were dealt, `sm` alone gives them up.
    let shown = unknown.replace("\"p3 cc\"]", "\"p3 cc\", \"p3 sm -\", \"p1 sm -\"]");
    let (code, report) = one(&shown.replace("[94, 98, 108]", "[84, 98, 118]"));
    assert_eq!(code, Some(1), "{report}");
    let (code, report) = one(&shown.replace("[94, 98, 108]", "[118, 98, 84]"));
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let mucked = shown.replace("p1 sm -", "p1 sm").replace("[94, 98, 108]", "[84, 98, 118]");
    assert_eq!(one(&mucked).0, Some(0), "the better hand was given up");
    for garbage in ["", "variant", "[1]\nx = 1", "x = 1", "\u{1b}"] {
        assert_eq!(
            Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
                .args(["replay", "/nonexistent"])
                .output()
                .unwrap()
                .status
                .code(),
            Some(2)
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hand.phh");
        std::fs::write(&file, garbage).unwrap();
        assert_eq!(run(&[&file]).status.code(), Some(2), "{garbage:?}");
    }
}

#[test]
fn a_split_half_chip_scales_the_unit() {
    let split = r#"
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [0.5, 1, 0]
min_bet = 1
starting_stacks = [100, 100, 100]
actions = ["d dh p1 2c2d", "d dh p2 3c3d", "d dh p3 4c4d", "p3 cc", "p1 f", "p2 cc", "d db TsJsQs", "p2 cc", "p3 cc", "d db Ks", "p2 cc", "p3 cc", "d db As", "p2 cc", "p3 cc", "p2 sm 3c3d", "p3 sm 4c4d"]
finishing_stacks = [99.5, 100.25, 100.25]
"#;
    let (code, report) = one(split);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
}

#[test]
fn fixed_limit_hold_em_and_both_omahas_are_played() {
    let limit = r#"
variant = "FT"
antes = [0, 0]
blinds_or_straddles = [1, 2]
small_bet = 2
big_bet = 4
starting_stacks = [50, 50]
actions = ["d dh p1 AsAd", "d dh p2 KsKd", "p2 cbr 4", "p1 cbr 6", "p2 cbr 8", "p1 cc", "d db 2c7d9h", "p1 cbr 2", "p2 cc", "d db Js", "p1 cbr 4", "p2 cc", "d db 3c", "p1 cbr 4", "p2 cc", "p1 sm AsAd", "p2 sm KsKd"]
finishing_stacks = [68, 32]
"#;
    let (code, report) = one(limit);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let (code, _) = one(&limit.replace("\"p1 cbr 4\", \"p2 cc\", \"d db 3c\"", "\"p1 cbr 2\", \"p2 cc\", \"d db 3c\""));
    assert_eq!(code, Some(1), "the turn's bet is the big one");
    let omaha = r#"
variant = "PO"
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [50, 50]
actions = ["d dh p1 AsAdKsKd", "d dh p2 7h8h9hTh", "p2 cbr 6", "p1 cbr 18", "p2 cc", "d db 2c7d9s", "p1 cc", "p2 cbr 32", "p1 cc", "p2 sm 7h8h9hTh", "p1 sm AsAdKsKd", "d db Js", "d db 3c"]
finishing_stacks = [0, 100]
"#;
    let (code, report) = one(omaha);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let (code, _) = one(&omaha.replace("p1 cbr 18", "p1 cbr 19"));
    assert_eq!(code, Some(1), "more than the pot");
    let hi_lo = r#"
variant = "FO/8"
antes = [0, 0]
blinds_or_straddles = [1, 2]
small_bet = 2
big_bet = 4
starting_stacks = [50, 50]
actions = ["d dh p1 Ac4dQsJs", "d dh p2 KcKh9s9d", "p2 cc", "p1 cc", "d db 2c3d8h", "p1 cbr 2", "p2 cc", "d db Ks", "p1 cc", "p2 cbr 4", "p1 cc", "d db Kd", "p1 cc", "p2 cc", "p1 sm Ac4dQsJs", "p2 sm KcKh9s9d"]
finishing_stacks = [50, 50]
"#;
    let (code, report) = one(hi_lo);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
}

#[test]
fn cards_may_come_one_at_a_time() {
    let by_card =
        UNCALLED.replace("\"d dh p1 AcKc\", ", "\"d dh p1 Ac\", ").replace("\"p3 cbr 6", "\"d dh p1 Kc\", \"p3 cbr 6");
    assert_ne!(by_card, UNCALLED);
    let (code, report) = one(&by_card);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let (code, report) = one(&by_card.replace("\"d dh p1 Kc\"", "\"d dh p1 KcQc\""));
    let words = report["unusable"][0]["message"].as_str().unwrap_or_default();
    assert!(code == Some(2) && words.contains("2 hole cards, not 3"), "{words}");
    // With one of two cards nobody has a hand.
    let half = UNCALLED
        .replace("\"p1 f\"]", "\"p1 cc\", \"d db 2c\", \"p1 cc\", \"p3 cc\", \"d db 2d\", \"p1 cc\", \"p3 cc\"]");
    assert_eq!(one(&half.replace("AcKc", "Ac")).0, Some(2));
    let (code, report) = one(&UNCALLED.replace("\"d db Jc3d5c\"", "\"d db Jc\", \"d db 3d\", \"d db 5c\""));
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
}

/// A player comes in on the far side and posts a big blind, which opens nothing.
const ENTRY_POST: &str = r#"
variant = "NT"
ante_trimming_status = true
antes = [0, 0, 0, 0, 0]
blinds_or_straddles = [0.25, 0.5, 0, -0.5, 0]
min_bet = 0.5
starting_stacks = [40, 40, 40, 40, 40]
actions = ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "d dh p4 ????", "d dh p5 ????", "p3 f", "p4 cc", "p5 f", "p1 f", "p2 cc", "d db 2c7d9s", "p2 cc", "p4 cbr 0.5", "p2 f"]
finishing_stacks = [39.75, 39.5, 40, 40.75, 40]
"#;

#[test]
fn a_negative_blind_never_opens_whatever_its_decimals() {
    let (code, report) = one(ENTRY_POST);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
}

#[test]
fn a_blind_that_is_short_is_called_as_the_stacks_say() {
    // The big blind has 40 of 60; the others put in 60, or 40.
    let hand = |call: &str, stacks: &str| {
        format!(
            r#"
variant = "NT"
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [30, 60, 0]
min_bet = 60
starting_stacks = [500, 40, 500]
actions = ["d dh p1 AcKd", "d dh p2 7h2s", "d dh p3 QsQd", "p3 cc", "p1 cc", "d db 3c8d9s", "p1 cc", "p3 cc", "d db Jc", "p1 cc", "p3 cc", "d db 5h", "p1 cc", "p3 {call}", "p1 f", "p2 sm 7h2s", "p3 sm QsQd"]
finishing_stacks = {stacks}
"#
        )
    };
    for stacks in ["[440, 0, 600]", "[460, 0, 580]"] {
        assert_eq!(one(&hand("cbr 60", stacks)).0, Some(0), "{stacks}");
    }
    assert_eq!(one(&hand("cbr 60", "[450, 0, 590]")).0, Some(1));
}

/// The third is all-in for 2,500; the second has 150, and nobody could call the first for more.
const ABOVE: &str = r#"
variant = "NT"
ante_trimming_status = true
antes = [0, 0, 0, 0]
blinds_or_straddles = [50, 100, 0, 0]
min_bet = 100
starting_stacks = [5000, 150, 2500, 4850]
actions = ["d dh p1 AsAd", "d dh p2 Jc5s", "d dh p3 7h8s", "d dh p4 ????", "p3 cbr 2500", "p4 f", "p1 cbr 5000", "p2 f", "p1 sm AsAd", "p3 sm 7h8s", "d db Qs2h6c", "d db 3c", "d db 4d"]
finishing_stacks = [7600, 50, 0, 4850]
"#;

/// How a history of this house bets and pays a hand of hold'em with blinds of 50 and 100.
const OWN_RULES: &str = r#"_rake = 0
[_hand_rules]
family = "holdem"
hi_lo = false
betting = { no_limit = { min_bet = 100 } }
full_blind = false
ante_layers = true
reopening = "full"
odd_chips = "one_each"
"#;

#[test]
fn chips_that_nobody_could_call_are_taken_off_elsewhere_and_are_not_bet_here() {
    let (code, report) = one(ABOVE);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let most = ABOVE.replace("p3 cbr 2500", "p3 cbr 1000").replace("\"p2 f\"", "\"p2 f\", \"p3 cc\"");
    let (code, report) = one(&most);
    assert_eq!((code, &report["equal"]), (Some(0), &1.into()), "{report}");
    let (code, report) = one(&format!("{ABOVE}{OWN_RULES}"));
    let words = report["different"][0]["message"].as_str().unwrap_or_default();
    assert!(code == Some(1) && words.contains("p1 cbr 5000") && words.contains("no bet or raise"), "{report}");
    let (code, report) = one(&format!("{most}{OWN_RULES}"));
    let words = report["different"][0]["message"].as_str().unwrap_or_default();
    assert!(code == Some(1) && words.contains("at most 2500"), "{report}");
    assert_eq!(one(&format!("{}{OWN_RULES}", ABOVE.replace("cbr 5000", "cc"))).0, Some(0));
}

#[test]
fn a_fold_lifts_no_cap_in_a_history_of_this_house() {
    let hand = r#"
variant = "FT"
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [20, 40, 0]
small_bet = 40
big_bet = 80
starting_stacks = [2000, 2000, 2000]
actions = ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 cc", "p1 cc", "p2 cc", "d db Jd2hKc", "p1 cbr 40", "p2 cbr 80", "p3 cbr 120", "p1 cbr 160", "p2 f", "p3 cbr 200", "p1 f"]
"#;
    let fixed = "betting = { fixed_limit = { small_bet = 40, big_bet = 80, cap = 4 } }";
    let (code, report) =
        one(&format!("{hand}{}", OWN_RULES.replace("betting = { no_limit = { min_bet = 100 } }", fixed)));
    let words = report["different"][0]["message"].as_str().unwrap_or_default();
    assert!(code == Some(1) && words.contains("p3 cbr 200"), "{report}");
    assert_eq!(one(hand).0, Some(0), "no cap is known of a history of others");
}

/// An amount of a history times 10 to a power.
fn times(amount: Amount, power: i32) -> Amount {
    let places = i32::try_from(amount.places()).unwrap();
    let digits = amount.scaled(amount.places()).unwrap();
    let sign = if digits < 0 { "-" } else { "" };
    let behind = usize::try_from((places - power).max(0)).unwrap();
    let zeros = "0".repeat(usize::try_from((power - places).max(0)).unwrap());
    let text = format!("{:0>width$}{zeros}", digits.unsigned_abs(), width = behind + 1);
    let (whole, rest) = text.split_at(text.len() - behind);
    Amount::parse(&format!("{sign}{whole}.{rest}")).unwrap()
}

/// The same hand with every amount times 10 to a power; histories of this house name amounts in their rules, too.
fn in_other_units(history: &History, power: i32) -> History {
    let all = |amounts: &Vec<Amount>| amounts.iter().map(|one| times(*one, power)).collect();
    let act = |act: &Act| match act {
        Act::RaiseTo(seat, to) => Act::RaiseTo(*seat, times(*to, power)),
        other => other.clone(),
    };
    History {
        antes: all(&history.antes),
        blinds: all(&history.blinds),
        stacks: all(&history.stacks),
        bets: (times(history.bets.0, power), times(history.bets.1, power)),
        actions: history.actions.iter().map(|(text, one)| (text.clone(), act(one))).collect(),
        finishing: history.finishing.as_ref().map(all),
        ..history.clone()
    }
}

/// Whether a hand can be judged, and whether its stacks are those recorded.
fn verdict(history: &History) -> Option<bool> {
    replay::replay(history).ok().map(|replayed| replayed.difference.is_none())
}

fn reference() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference");
    std::env::var_os("FAIRSHOE_REFERENCE").map_or(folder, PathBuf::from)
}

#[test]
fn a_hand_has_the_same_verdict_in_all_units() {
    let mut texts: Vec<String> = [UNCALLED, ENTRY_POST, ABOVE].map(str::to_owned).into();
    let folders = ["phh", "cases"].map(|name| reference().join(name));
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let paths = files.map(|file| file.unwrap().path());
    let found = paths.filter(|path| path.extension().is_some_and(|end| end == "phhs" || end == "phh"));
    texts.extend(found.map(|path| std::fs::read_to_string(path).unwrap()));
    if texts.len() == 3 {
        println!("skipped: no reference hands here");
    }
    let mut hands = 0;
    for (name, history) in texts.iter().flat_map(|text| replay::read(text).unwrap()) {
        let Ok(history) = history else { continue };
        if history.own.is_some() {
            continue;
        }
        hands += 1;
        for power in [1, 2, -1, -2] {
            let other = in_other_units(&history, power);
            assert_eq!(verdict(&other), verdict(&history), "{name:?} times 10^{power}: {history:?}");
        }
    }
    println!("{hands} hands");
}

#[test]
fn every_hand_of_the_reference_ends_with_its_recorded_stacks() {
    let Ok(files) = std::fs::read_dir(reference().join("phh")) else {
        println!("skipped: no reference hands here");
        return;
    };
    let files: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "phhs"))
        .collect();
    let output = run(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let report = report(&output);
    assert_eq!((&report["different"], &report["unusable"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!(report["hands"], 8_772);
    // One hand's history has no stacks at the end.
    assert_eq!(report["nothing_recorded"], 1);
    assert_eq!(output.status.code(), Some(0));
}
