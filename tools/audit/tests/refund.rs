//! `refund` and `prizes` from outside: every row of the house rules as somebody types it, standard input, the examples
//! of the help, what is refused.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code, standard output and error of a command that is told `input`.
fn told(command: &str, input: &[u8], more: &[&str]) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit"))
        .args([command, "-"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses a file early does not read it to its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    let run = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code().expect("it was killed"), text(run.stdout), text(run.stderr))
}

#[track_caller]
fn out(command: &str, input: &Value) -> Value {
    let (exit, out, err) = told(command, input.to_string().as_bytes(), &[]);
    assert_eq!(exit, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[track_caller]
fn refused(command: &str, input: &[u8]) -> String {
    let (exit, out, err) = told(command, input, &[]);
    assert_eq!((exit, out.as_str()), (2, ""), "{err}");
    let code = err.strip_prefix("fairshoe-audit: ").and_then(|rest| rest.split_once(": ")).unwrap().0;
    code.to_owned()
}

fn each(out: &Value, field: &str) -> Vec<u64> {
    out["payments"].as_array().unwrap().iter().map(|payment| payment[field].as_u64().unwrap()).collect()
}

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../spec/vectors/tournaments.json")).unwrap()
}

fn file(name: &str) -> Value {
    let vectors = vectors();
    let cases = ["refund_files", "prize_files"].into_iter().flat_map(|section| vectors[section].as_array().unwrap());
    cases.into_iter().find(|case| case["name"] == name).unwrap()["in"].clone()
}

#[test]
fn every_file_of_the_vectors_comes_out_or_is_refused() {
    let vectors = vectors();
    for (section, command, least) in [("refund_files", "refund", 50), ("prize_files", "prizes", 15)] {
        let cases = vectors[section].as_array().unwrap();
        assert!(cases.len() >= least);
        for case in cases {
            match case.get("out") {
                Some(expected) => assert_eq!(&out(command, &case["in"]), expected, "{}", case["name"]),
                None => assert_eq!(refused(command, case["in"].to_string().as_bytes()), case["refused"], "{case}"),
            }
        }
    }
}

#[test]
fn the_rows_of_the_house_rules() {
    let t1 = out("refund", &file("T1"));
    assert_eq!((each(&t1, "total"), &t1["sum"]["payments"], &t1["pool"]), (vec![1_000; 7], &json!(7_000), &json!(0)));

    let t2 = out("refund", &file("T2"));
    assert_eq!(each(&t2, "pool")[..7], [11_168, 10_045, 8_542, 7_864, 6_817, 5_782, 4_977]);
    let paid = [11_568, 10_445, 8_942, 8_264, 7_217, 6_182, 5_377, 0, 0, 0, 0, 0];
    assert_eq!((each(&t2, "total"), each(&t2, "cash")), (paid.to_vec(), paid.to_vec()));
    assert_eq!((&t2["case"], &t2["residual"], &t2["sum"]["payments"]), (&json!(2), &json!(5), &json!(57_995)));
    assert_eq!((&t2["pool"], &t2["chips"], &t2["remaining"]), (&json!(55_200), &json!(120_000), &json!(7)));

    let t3 = out("refund", &file("T3"));
    assert_eq!(each(&t3, "pool")[..5], [13_146, 10_693, 7_013, 5_946, 0]);
    assert_eq!(each(&t3, "total")[..5], [13_226, 10_773, 7_093, 6_026, 0]);
    assert_eq!((&t3["case"], &t3["residual"], &t3["pool"]), (&json!(3), &json!(2), &json!(36_800)));
    assert_eq!((&t3["overlay"]["used"], &t3["rest"]["awarded"]), (&json!(12_400), &json!(3_200)));

    let stakes = |name: &str, entry: usize| out("refund", &file(name))["payments"][entry]["stakes"].clone();
    let shared = |stakes: &Value| {
        let paid = |at: usize| stakes["buyers"][at]["paid"].as_u64().unwrap();
        let of = |field: &str| stakes[field].as_u64().unwrap();
        [paid(0), paid(1), of("seller"), of("seller_escrow")]
    };
    let t5 = stakes("T5", 2);
    assert_eq!(
        (shared(&t5), &t5["of"], &t5["seller_cash"]),
        ([2_235, 1_341, 5_366, 2_000], &json!(8_942), &json!(7_366))
    );
    assert_eq!(
        (&t5["buyers"][0]["exact"], &t5["buyers"][1]["exact"]),
        (&json!(["4471", "2"]), &json!(["13413", "10"]))
    );
    let t5b = out("refund", &file("T5b"))["payments"][0].clone();
    assert_eq!((&t5b["cash"], &t5b["ticket"]), (&json!(0), &json!(5_000)));
    assert_eq!(shared(&t5b["stakes"]), [1_250, 750, 5_000, 0]);
    let t5c = out("refund", &file("T5c"))["payments"][0].clone();
    assert_eq!(
        (&t5c["why"], &t5c["cash"], shared(&t5c["stakes"])),
        (&json!("unregistered"), &json!(5_000), [1_250, 750, 5_000, 0])
    );
    assert_eq!(shared(&stakes("T6", 0)), [1_250, 750, 3_000, 2_000]);

    let t4b = out("prizes", &file("T4b"));
    assert_eq!((&t4b["pool"], &t4b["overlay"]), (&json!(100_000), &json!(10_000)));
    let prize = out("prizes", &file("T7, a prize of 409.6"))["prizes"][1].clone();
    assert_eq!((&prize["exact"], &prize["cash"]), (&json!(["2048", "5"]), &json!(409)));
    let seat = out("prizes", &file("T7, a second seat"))["seat"].clone();
    assert_eq!((&seat["further_t_dollars"], &seat["further_to_house"]), (&json!(9_000), &json!(1_000)));
    let bounty = out("prizes", &file("T7, a bounty of 501 among two"))["bounty"].clone();
    assert_eq!((&bounty[0]["to_total"], &bounty[1]["to_total"]), (&json!(251), &json!(250)));

    let a001_l = out("refund", &file("A001.l"));
    assert_eq!(
        (each(&a001_l, "total")[..2].to_vec(), &a001_l["payments"][0]["exact"]),
        (vec![60, 42], &json!(["721", "12"]))
    );
    assert_eq!(each(&out("refund", &file("the example of case 2")), "total")[0], 60_750 + 300);
    assert_eq!(each(&out("refund", &file("the example of case 3")), "total")[..2], [44_000, 36_000]);
}

/// What `--help` shows is what somebody types.
#[test]
fn the_examples_of_the_help_run() {
    for (command, field, expected) in [("refund", "/sum/payments", 57_995), ("prizes", "/deal/0/paid", 44_000)] {
        let help = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let typed = help.split_once("echo '").unwrap().1.split_once("' |").unwrap().0;
        let shown: Value = serde_json::from_str(typed).unwrap();
        assert_eq!(out(command, &shown).pointer(field).unwrap(), expected, "{command}");
    }
}

#[test]
fn the_same_in_words() {
    let (exit, said, _) = told("refund", file("T5").to_string().as_bytes(), &["--words"]);
    assert_eq!(exit, 0);
    for words in [
        "Case 2 (R001.28)",
        "8942 = pool 8542 (of 59800/7) + fee 400",
        "b1 (2500 bp, paid 1250): 2235",
        "5 more eliminated: 0.",
        "57995 + 5 = 55200 + 0 + 2800 + 0",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn what_is_no_file_is_refused_by_a_code() {
    for text in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "x",
        "\u{feff}{}",
        r#"{"structure":{"buy_in":1},"instant":0,"entries":[],"entries":[]}"#,
        r#"{"structure":{"buy_in":1},"instant":0.0,"entries":[]}"#,
        r#"{"structure":{"buy_in":1},"instant":-0,"entries":[]}"#,
        r#"{"structure":{"buy_in":1},"instant":9007199254740992,"entries":[]}"#,
        r#"{"structure":{"buy_in":1},"instant":0,"start":null,"entries":[]}"#,
        r#"{"structure":{"buy_in":1},"instant":0,"entries":[[1]]}"#,
    ] {
        assert_eq!(refused("refund", text.as_bytes()), "malformed", "{text}");
    }
    assert_eq!(refused("refund", b"{\"structure\":\"\xff\"}"), "malformed");
    assert_eq!(refused("refund", "[".repeat(100_000).as_bytes()), "malformed");
    let long = fairshoe_tournament::file::MAX_FILE_BYTES;
    assert_eq!(refused("prizes", " ".repeat(long + 1).as_bytes()), "too_long");
    let fits = format!("{}{}", " ".repeat(1_000), file("T1"));
    assert_eq!(told("refund", fits.as_bytes(), &[]).0, 0);
    let missing = Command::new(env!("CARGO_BIN_EXE_fairshoe-audit")).args(["refund", "no/such"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
}
