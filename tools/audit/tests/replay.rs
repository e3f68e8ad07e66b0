//! `replay`: hands that were played elsewhere, through our engine.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn replay(files: &[&Path]) -> Output {
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
    let output = replay(&[&file]);
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
        ("7h6h", "7h6h5h", "2 hole cards"),
        ("[100, 100, 100]", "[100, 100]", "one number of players"),
        ("[100, 100, 100]", "[100, 0, 100]", "no chips"),
        ("[100, 100, 100]", "[100, inf, 100]", "no amount"),
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
        assert_eq!(replay(&[&file]).status.code(), Some(2), "{garbage:?}");
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
fn every_hand_of_the_reference_ends_with_its_recorded_stacks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/phh");
    let folder = std::env::var_os("FAIRSHOE_REFERENCE").map_or(folder, |given| PathBuf::from(given).join("phh"));
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: no reference hands here");
        return;
    };
    let files: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "phhs"))
        .collect();
    let output = replay(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let report = report(&output);
    assert_eq!((&report["different"], &report["unusable"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!(report["hands"], 8_772);
    // One hand's history has no stacks at the end.
    assert_eq!(report["nothing_recorded"], 1);
    assert_eq!(output.status.code(), Some(0));
}
