//! The second verifier (tools/verifier): the data of spec/vectors, and the same verdicts as fairshoe-audit on rounds of
//! every game, unchanged and changed; the page that the service serves.

use fairshoe_house::Entry;
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tests::{Json, Service, binary, slow};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCRIPT: &str = "tools/verifier/fairshoe-verify.js";

pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Node, if a new enough one is available; otherwise prints what is skipped.
pub fn node() -> Option<Command> {
    let version = Command::new("node").arg("--version").output().ok();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let major = text.trim().strip_prefix('v').and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    if major.is_none_or(|major| major < 18) {
        println!("skipped: no node here, version 18 or newer");
        return None;
    }
    let mut command = Command::new("node");
    command.current_dir(project());
    Some(command)
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn run(node: &mut Command, arguments: &[&str]) -> Output {
    node.args(arguments).output().unwrap()
}

#[test]
fn the_one_file_is_what_its_parts_make() {
    let Some(mut node) = node() else { return };
    let output = run(&mut node, &["tools/verifier/build.js", "--check"]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn it_runs_the_data_of_the_specification() {
    let Some(mut node) = node() else { return };
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("sites");
    node.env("FAIRSHOE_SITES", &seen).args(["--require", "./tests/second_verifier/sites.js"]);
    let output = run(&mut node, &[SCRIPT, "vectors", "spec/vectors", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    no_more_places_are_undecided(&seen);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let files = report["files"].as_object().unwrap();
    let there = std::fs::read_dir(project().join("spec/vectors")).unwrap();
    // Only nodes and check_order.py read messages of an order: no verifier sees them.
    let is_run = |name: &String| name.ends_with(".json") && name != "order.json";
    for name in there.map(|entry| entry.unwrap().file_name().into_string().unwrap()).filter(is_run) {
        let of_file = files.get(&name).unwrap_or_else(|| panic!("spec/vectors/{name} is not run"));
        assert!(of_file["checks"].int() > 5, "{name}: {of_file}");
    }
}

/// Each place where the second verifier can refuse does so in a vector, or stands in unreached.json: with `lies` or
/// `tests` if lies.js or another test made it refuse when the list was written, else with nothing. The list only
/// shrinks.
fn no_more_places_are_undecided(seen: &Path) {
    let seen: Value = serde_json::from_slice(&std::fs::read(seen).unwrap()).unwrap();
    let of = |field: &str| seen[field].as_array().unwrap().iter().map(|place| place.as_str().unwrap().to_owned());
    let reached: BTreeSet<String> = of("reached").collect();
    let unreached: BTreeSet<String> = of("sites").filter(|place| !reached.contains(place)).collect();
    let listed: BTreeMap<String, String> =
        serde_json::from_str(include_str!("../second_verifier/unreached.json")).unwrap();
    let listed: BTreeSet<String> = listed.into_keys().collect();
    let new: Vec<&String> = unreached.difference(&listed).collect();
    assert!(new.is_empty(), "no vector makes these refuse: add one each: {new:#?}");
    let gone: Vec<&String> = listed.difference(&unreached).collect();
    assert!(
        gone.is_empty(),
        "vectors make these refuse, or they are no more; strike them off unreached.json: {gone:#?}"
    );
}

/// Sentences of the pages, misread on purpose and patched into the second verifier: a vector detects each.
#[test]
fn a_vector_refutes_every_other_reading_of_the_pages() {
    let Some(mut node) = node() else { return };
    let every = if slow() { "1" } else { "5" };
    let output = run(&mut node, &["tests/second_verifier/readings.js", "--every", every]);
    assert!(output.status.success(), "{}", said(&output));
}

/// The first finding of `fairshoe-audit` on a case of `outside.js`: check and entry; `None` if sound. `Err` if it cannot
/// be read.
fn first_finding(folder: &Path, case: &Value) -> Result<(Option<String>, Option<u64>), String> {
    let mut command = Command::new(binary("fairshoe-audit"));
    command.current_dir(folder).args(["log", case["log"].as_str().unwrap(), "--json", "--key"]);
    command.arg(case["key"].as_str().unwrap());
    if let Some(policy) = case["policy"].as_str() {
        command.args(["--policy", policy]);
    }
    for kept in case["kept"].as_array().into_iter().flatten() {
        command.args(["--kept", kept.as_str().unwrap()]);
    }
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| said(&output))?;
    let finding = [&report["first_failure"], &report["findings"][0]].into_iter().find(|finding| finding.is_object());
    Ok(finding.map_or((None, None), |found| (found["check"].as_str().map(str::to_owned), found["entry"].as_u64())))
}

/// What no entry shows by itself: the log's name, key and year, and bytes that its key did not sign.
#[test]
fn both_verifiers_find_what_no_entry_shows() {
    let Some(mut node_there) = node() else { return };
    let output = run(&mut node_there, &["tests/second_verifier/outside.js"]);
    assert!(output.status.success(), "{}", said(&output));
    let folder = tempfile::tempdir().unwrap();
    let cases = outside(folder.path());
    assert!(cases.len() > 15, "{}", cases.len());
    let mut differ = Vec::new();
    for case in &cases {
        let wanted = (case["check"].as_str().map(str::to_owned), case["entry"].as_u64());
        match first_finding(folder.path(), case) {
            Ok(found) if found == wanted => {}
            Err(_) if case["check"] == "unusable" => {}
            found => differ.push(format!("{}: fairshoe-verify {wanted:?}, fairshoe-audit {found:?}", case["name"])),
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

/// The cases of outside.js, written into this folder; the first is an honest log.
fn outside(folder: &Path) -> Vec<Value> {
    let arguments = ["tests/second_verifier/outside.js", "--write", folder.to_str().unwrap()];
    let output = run(&mut node().unwrap(), &arguments);
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&std::fs::read(folder.join("cases.json")).unwrap()).unwrap()
}

/// Bounds that no log of the vectors reaches, and the second verifier's programs that read more than one log.
#[test]
fn the_second_verifier_keeps_its_bounds_and_judges_logs_together() {
    let Some(mut node) = node() else { return };
    let output = run(&mut node, &["tests/second_verifier/bounds.js"]);
    assert!(output.status.success(), "{}", said(&output));
}

/// A log that is cut off while the house still has duties, such as a refund, a prize or a seat, is sound so far, and
/// both verifiers list the duties.
#[test]
fn what_is_due_where_a_log_ends_is_the_same_to_both() {
    let Some(mut node) = node() else { return };
    let file = project().join("spec/vectors/entries-tournament.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let entries: Vec<&str> = vectors["entries"].items().map(|entry| entry.as_str().unwrap()).collect();
    let step = if slow() { 1 } else { 5 };
    let program = format!(
        "const {{ verifyLog }} = require('./{SCRIPT}'), fs = require('fs');
        const {{ entries }} = JSON.parse(fs.readFileSync('spec/vectors/entries-tournament.json'));
        const due = [];
        for (let size = 1; size <= entries.length; size += {step}) {{
          const log = entries.slice(0, size), now = JSON.parse(log.at(-1)).time + 120000;
          due.push(verifyLog(`${{log.join('\\n')}}\\n`, {{ now }}).due.map(one => JSON.stringify(one.command)).sort());
        }}
        console.log(JSON.stringify(due));"
    );
    let output = run(&mut node, &["-e", &program]);
    assert!(output.status.success(), "{}", said(&output));
    let theirs: Vec<Vec<String>> = serde_json::from_slice(&output.stdout).unwrap();
    let (mut book, mut ours) = (Book::new(Limits::default()), Vec::new());
    for (index, entry) in (0..).zip(&entries) {
        book.feed(index, entry.as_bytes()).unwrap();
        if index % step == 0 {
            let now = Entry::decode(entry.as_bytes()).unwrap().time + 120_000;
            let mut due: Vec<String> =
                book.overdue(now).iter().map(|late| serde_json::to_string(&late.command).unwrap()).collect();
            due.sort_unstable();
            ours.push(due);
        }
    }
    assert_eq!(theirs.len(), ours.len());
    for (theirs, ours) in theirs.iter().zip(&ours) {
        // If an event's duty and deadline are due since the same time, the auditor names one.
        assert!(ours.iter().all(|due| theirs.contains(due)), "{theirs:?} {ours:?}");
        assert_eq!(theirs.is_empty(), ours.is_empty(), "{theirs:?} {ours:?}");
    }
    assert!(ours.iter().flatten().filter(|due| due.contains("tournament")).count() > 20, "{ours:?}");
}

/// The seed of a random run: a new one each time in the slow tests, whose user reads the findings.
fn seed() -> String {
    let seed = if slow() { std::process::id() } else { 1 };
    println!("--seed {seed}");
    seed.to_string()
}

#[test]
fn both_verifiers_follow_from_one_log_to_the_next_alike() {
    let Some(mut node) = node() else { return };
    let audit = binary("fairshoe-audit").display().to_string();
    let pairs = if slow() { "3000" } else { "150" };
    let output =
        run(&mut node, &["tests/second_verifier/continued.js", "--audit", &audit, "--pairs", pairs, "--seed", &seed()]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    assert!(output.status.success(), "{report:#}");
    for (field, least) in [("honest", 20), ("open", 8)] {
        assert!(report[field].int() > least, "{field}: {report:#}");
    }
    for check in ["carried_over", "continues", "refused", "unusable"] {
        assert!(report["found"][check].as_u64().is_some(), "{check}: {report:#}");
    }
}

#[test]
fn both_verifiers_take_the_same_states_as_given_and_add_up_the_same_ledgers() {
    let Some(mut node) = node() else { return };
    let audit = binary("fairshoe-audit").display().to_string();
    let of = if slow() { "1" } else { "20" };
    let output =
        run(&mut node, &["tests/second_verifier/from_state.js", "--audit", &audit, "--of", of, "--part", &seed()]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    assert!(output.status.success(), "{report:#}");
    assert!(report["cases"].int() > 100 && report["found"].as_object().unwrap().len() > 10, "{report:#}");
    for verdict in ["sound_from_state", "sound_ledger_only", "not_sound", "unusable"] {
        assert!(report["verdicts"][verdict].as_u64().unwrap_or(0) > 10, "{verdict}: {report:#}");
    }
}

/// Invalid sizes, and options that exclude each other.
#[test]
fn both_verifiers_refuse_what_names_no_state() {
    if node().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    outside(folder.path());
    let (log, state) = (folder.path().join("log-0"), folder.path().join("log-0/state"));
    std::fs::create_dir(&state).unwrap();
    for name in ["7", "07", "+7"] {
        std::fs::write(state.join(name), "[]\n").unwrap();
    }
    let state = state.display();
    let wrong = ["", "0", "-1", "07", "+7", "7", "8", "1e1", "18446744073709551616", "99999999"];
    let files = [format!("{state}/07"), format!("{state}/+7"), format!("{state}/"), format!("{state}")];
    for from in wrong.iter().map(|text| (*text).to_owned()).chain(files) {
        let arguments = ["log", log.to_str().unwrap(), &format!("--from={from}")].map(str::to_owned);
        let first = Command::new(binary("fairshoe-audit")).args(&arguments).output().unwrap();
        let second = node().unwrap().arg(SCRIPT).args(&arguments).output().unwrap();
        assert_eq!((first.status.code(), second.status.code()), (Some(2), Some(2)), "{from}: {}", said(&second));
    }
    let log = log.to_str().unwrap();
    for other in [&["--ledger-only"][..], &["--continues", log]] {
        let output = node().unwrap().args([SCRIPT, "log", log, "--from", "7"]).args(other).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    }
}

#[test]
fn both_verifiers_say_of_a_piece_of_evidence_whether_it_proves_anything() {
    let Some(mut node) = node() else { return };
    let audit = binary("fairshoe-audit").display().to_string();
    let output = run(&mut node, &["tests/second_verifier/evidence.js", "--audit", &audit]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    assert!(output.status.success() && report["cases"].int() > 30, "{report:#}");
}

#[test]
fn it_follows_tables_as_whole_bundles_are_judged() {
    let Some(mut node) = node() else { return };
    let (changes, share) = if slow() { ("1500", "100") } else { ("60", "10") };
    let output = run(&mut node, &["tests/second_verifier/follow_lies.js", changes, &seed(), share]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_followers_evidence_accuses_nobody_by_what_was_left_out() {
    let Some(mut node) = node() else { return };
    let (cuts, share) = if slow() { ("10", "100") } else { ("3", "25") };
    let output = run(&mut node, &["tests/second_verifier/followed.js", cuts, &seed(), share]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn it_follows_every_game_of_a_running_service_and_sees_what_the_service_shows() {
    if !slow() {
        println!("skipped: in the slow run");
        return;
    }
    let Some(mut node) = node() else { return };
    let programs = ["fairshoe", "fairshoe-load"].map(|name| binary(name).to_str().unwrap().to_owned());
    let output = run(&mut node, &["tests/second_verifier/follow.js", &programs[0], &programs[1], "180", &seed()]);
    println!("{}", said(&output));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn it_refunds_events_in_files_as_the_auditor_does_and_refuses_what_it_refuses() {
    let Some(mut node) = node() else { return };
    let audit = binary("fairshoe-audit").display().to_string();
    let files = if slow() { "100000" } else { "2000" };
    let output =
        run(&mut node, &["tests/second_verifier/refunds.js", "--audit", &audit, "--files", files, "--seed", &seed()]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    assert!(output.status.success(), "{report:#}");
    for what in
        ["case 1", "case 2", "case 3", "case 4", "played", "malformed", "structure", "entry", "no_chips", "over"]
    {
        assert!(report["counts"][what].as_u64().unwrap_or(0) > 5, "{what}: {report:#}");
    }
    // The command itself, with a shipped structure's name.
    let folder = tempfile::tempdir().unwrap();
    let row = folder.path().join("row.json");
    let case = r#"{"structure":"freezeout-9","start":0,"instant":90,"entries":[{"chips":3},{"chips":2},{"chips":1}]}"#;
    std::fs::write(&row, case).unwrap();
    let row = row.to_str().unwrap();
    let ours = Command::new(binary("fairshoe-audit")).args(["refund", row]).output().unwrap();
    let theirs = run(&mut self::node().unwrap(), &[SCRIPT, "refund", row]);
    assert!(ours.status.success() && ours.stdout == theirs.stdout, "{}", said(&theirs));
}

#[test]
fn receipts_checkpoints_and_rounds_over_http() {
    let Some(mut node_there) = node() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let alice = service.player("alice", 1000);
    let placed = alice.bet("joy-1", 10);
    let reply = alice.client.get(&format!("/v1/rounds/{}/bundle", placed.round)).expect_status(200);
    let key = reply["vkey"].as_str().unwrap();
    assert_eq!(
        run(&mut node_there, &[SCRIPT, "bundle", &service.url, &placed.round, "--key", key]).status.code(),
        Some(0)
    );
    assert_eq!(run(&mut node().unwrap(), &[SCRIPT, "checkpoint", &service.url, "--key", key]).status.code(), Some(0));
    let receipt = folder.path().join("entry.tlog-proof");
    let entry = folder.path().join("entry");
    std::fs::write(&receipt, service.anyone().get("/v1/receipts/5").body).unwrap();
    std::fs::write(&entry, service.anyone().get("/v1/entries/5").body).unwrap();
    let policy = folder.path().join("policy");
    std::fs::write(&policy, format!("log {key}\nquorum none\n")).unwrap();
    let [receipt, entry, policy] = [&receipt, &entry, &policy].map(|path| path.to_str().unwrap());
    let judged = |script: &[&str]| run(&mut node().unwrap(), script).status.code();
    assert_eq!(judged(&[SCRIPT, "receipt", receipt, "--entry", entry, "--policy", policy]), Some(0));
    assert_eq!(judged(&[SCRIPT, "receipt", receipt, "--entry", receipt, "--policy", policy]), Some(1), "another entry");
    assert_eq!(judged(&[SCRIPT, "receipt", receipt, "--policy", policy]), Some(2), "no entry");
    assert_eq!(judged(&[SCRIPT, "receipt", "/nowhere", "--policy", policy]), Some(2));
    let stranger = "fairshoe.example/log+c39ebcac+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c";
    assert_eq!(
        judged(&[SCRIPT, "bundle", &service.url, &placed.round, "--key", stranger]),
        Some(2),
        "another log's key"
    );
    assert_eq!(judged(&[SCRIPT, "bundle", &service.url, "joy-1:77"]), Some(2), "no such round");
    assert_eq!(judged(&[SCRIPT, "bundle", "--nonsense"]), Some(2));
    assert_eq!(judged(&[SCRIPT, "--help"]), Some(0));
}

#[test]
fn the_page_is_one_file_that_asks_nobody() {
    let service = Service::fresh(&[]);
    let reply = service.anyone().get("/verify");
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = reply.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-") && policy.contains("connect-src 'self'"),
        "{policy}"
    );
    assert_eq!(policy.matches("'sha256-").count(), 3, "two scripts and a style: {policy}");
    let page = reply.text();
    for outside in ["src=\"", "@import", "url(", "<iframe", "<object", "<embed"] {
        assert!(!page.contains(outside), "the page names something outside itself: {outside}");
    }
    let links: Vec<&str> = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    // The service's own lobby, which a saved copy does not show.
    assert_eq!(links, ["data:,", "/"]);
}

#[test]
fn a_saved_page_judges_in_a_browser() {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let Some(browser) = browsers.iter().find(there) else { return println!("skipped: no Chromium here") };
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(&folder.path().join("data"), &[]);
    let alice = service.player("alice", 1000);
    let placed = alice.bet("joy-1", 10);
    alice.stand_out(alice.reveal(&placed));
    let saved = service.anyone().get("/verify").text();
    let bundle = service.anyone().get(&format!("/v1/rounds/{}/bundle", placed.round)).text();
    // Without the service: now the page shows only its own data.
    service.kill();
    let tampered = bundle.replacen("\\\"dealt\\\":{\\\"lane\\\":0", "\\\"dealt\\\":{\\\"lane\\\":1", 1);
    for (name, text, verdict) in [
        ("good", &bundle, "on_trust"),
        ("tampered", &tampered, "not_sound"),
        ("nonsense", &"hello".to_owned(), "unusable"),
    ] {
        let pasted = format!(
            "<script>document.getElementById('paste').value = {}; document.getElementById('check').click();</script></body>",
            serde_json::to_string(text).unwrap().replace("</", "<\\/")
        );
        let file = folder.path().join(format!("{name}.html"));
        std::fs::write(&file, saved.replacen("</body>", &pasted, 1)).unwrap();
        let output = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("file://{}", file.display()))
            .output()
            .unwrap();
        let shown = said(&output);
        assert!(shown.contains(&format!("<div id=\"verdict\" class=\"{verdict}\"")), "{name}: {shown}");
    }
}

/// Half of a surrogate pair, written as an escape, is a text in JavaScript and none in Rust.
#[test]
fn half_a_character_is_no_bundle_to_either() {
    let Some(mut node) = node() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("half.json");
    let bundle = r#"{"fairshoe_bundle":1,"round":"t1:0","vkey":"\ud800","checkpoint":"","context":[],"entries":[],"openings":[]}"#;
    std::fs::write(&file, bundle).unwrap();
    let file = file.to_str().unwrap();
    let second = run(&mut node, &[SCRIPT, "bundle", file]);
    let first = Command::new(binary("fairshoe-audit")).args(["round", file]).output().unwrap();
    assert_eq!((first.status.code(), second.status.code()), (Some(2), Some(2)), "{}{}", said(&first), said(&second));
}
