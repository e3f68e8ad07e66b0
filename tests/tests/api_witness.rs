//! Witnesses from outside: cosignatures requested, verified, stored and published; a closed house; lying witnesses; an
//! old folder.

use fairshoe_tests::contract::Contract;
use fairshoe_tests::wire::eventually;
use fairshoe_tests::witness::{FakeWitness, Manner, WitnessProcess};
use fairshoe_tests::{Client, Json, Service, binary};
use fairshoe_tlog::{Policy, TlogProof, VerifierKey};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A service's folder with a file of witnesses beside it.
struct WitnessedFolder {
    dir: tempfile::TempDir,
}

impl WitnessedFolder {
    fn new() -> WitnessedFolder {
        let folder = WitnessedFolder { dir: tempfile::tempdir().unwrap() };
        assert_eq!(Service::start(&folder.data(), &[]).stop(), Some(0));
        folder
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("witnesses")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data().join("log.vkey")).unwrap().trim().to_owned()
    }

    fn log_key(&self) -> VerifierKey {
        self.log().parse().unwrap()
    }

    fn witness(&self, name: &str) -> WitnessProcess {
        WitnessProcess::start(&self.dir.path().join(name), &format!("witness.example/{name}"), &self.log())
    }

    fn fake(&self, name: &str, manner: Manner) -> FakeWitness {
        FakeWitness::start(&format!("fake.example/{name}"), self.log_key(), manner)
    }

    /// Writes the file of witnesses; without a `log` line, as most operators will.
    fn trust(&self, lines: &str) {
        fs::write(self.file(), lines).unwrap();
    }

    fn options<'o>(&'o self, file: &'o str, more: &[&'o str]) -> Vec<&'o str> {
        [&["--witnesses", file], more].concat()
    }

    fn start(&self, more: &[&str]) -> Service {
        self.try_start(more).unwrap_or_else(|said| panic!("the service did not start:\n{said}"))
    }

    fn try_start(&self, more: &[&str]) -> Result<Service, String> {
        let file = self.file().to_str().unwrap().to_owned();
        Service::try_start(&self.data(), &self.options(&file, more))
    }

    /// A player's trust policy: the log's key and the same witnesses.
    fn policy_file(&self) -> PathBuf {
        let path = self.dir.path().join("policy");
        let lines = fs::read_to_string(self.file()).unwrap();
        let witnesses: String =
            lines.lines().filter(|line| !line.starts_with("log ")).map(|line| format!("{line}\n")).collect();
        fs::write(&path, format!("log {}\n{witnesses}", self.log())).unwrap();
        path
    }

    fn policy(&self) -> Policy {
        Policy::parse(&fs::read(self.policy_file()).unwrap()).unwrap()
    }
}

fn ready(client: &Client) -> Value {
    client.get("/readyz").expect_status(200)
}

fn size(client: &Client) -> u64 {
    ready(client)["size"].int()
}

/// The newest witnessed checkpoint's size, once it is at least that.
fn witnessed(client: &Client, policy: &Policy, least: u64) -> u64 {
    let mut now = 0;
    eventually("a witnessed checkpoint", || {
        let reply = client.get("/checkpoint/witnessed");
        if reply.status == 200 {
            now = policy.verify_checkpoint(&reply.text()).unwrap().checkpoint.size;
        } else {
            assert_eq!(reply.problem(404), "not_witnessed");
        }
        now >= least
    });
    now
}

fn metric(client: &Client, name: &str) -> i64 {
    let text = client.get("/metrics").text();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ').map(str::to_owned));
    value.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().unwrap()
}

fn audit(args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(binary("fairshoe-audit")).args(args).output().unwrap();
    (
        output.status.code(),
        [output.stdout, output.stderr].map(|out| String::from_utf8_lossy(&out).into_owned()).concat(),
    )
}

const BOTH: &str = "group both all a b\nquorum both\n";

#[test]
fn a_quorum_of_two_cosigns_is_lost_with_one_closes_the_house_and_comes_back() {
    let folder = WitnessedFolder::new();
    let (a, mut b) = (folder.witness("a"), folder.witness("b"));
    folder.trust(&format!("{}{}{BOTH}", a.line("a"), b.line("b")));
    let mut service = folder.start(&["--unwitnessed-limit", "6", "--address-rate", "0"]);
    let seen = service.watch();
    let client = service.anyone();
    let policy = folder.policy();
    assert_eq!(ready(&client)["bets"], true, "the start itself is witnessed");

    // A whole round, then the proof that a player keeps.
    let alice = service.player("alice", 1000);
    let played = alice.play("joy-1", 10);
    let last = played["receipts"][0]["index"].int();
    witnessed(&client, &policy, last + 1);
    let proof = client.get(&format!("/v1/receipts/{last}?witnessed=true"));
    let entry = client.get(&format!("/v1/entries/{last}"));
    let verified = TlogProof::parse(&proof.body).unwrap().verify(&entry.body, &policy).unwrap();
    assert_eq!((verified.index, verified.cosigned_by.len()), (last, 2));
    let files = ["last.tlog-proof", "last.entry", "bare.tlog-proof"]
        .map(|name| folder.dir.path().join(name).to_str().unwrap().to_owned());
    fs::write(&files[0], &proof.body).unwrap();
    fs::write(&files[1], &entry.body).unwrap();
    let own_policy = folder.policy_file();
    let check = |file: &str| audit(&["receipt", file, "--entry", &files[1], "--policy", own_policy.to_str().unwrap()]);
    let (code, said) = check(&files[0]);
    assert!(code == Some(0) && said.contains("cosigned by 2 witness(es)"), "{said}");
    // One witness's line alone is too little, and so is no line.
    let text = proof.text();
    fs::write(
        &files[2],
        text.lines()
            .filter(|line| !line.starts_with("— witness.example/b "))
            .map(|l| format!("{l}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let (code, said) = check(&files[2]);
    assert!(code == Some(1) && said.contains("quorum"), "{said}");
    fs::write(&files[2], played["receipts"][0]["proof"].as_str().unwrap()).unwrap();
    assert_eq!(check(&files[2]).0, Some(1), "a receipt at once has no cosignatures");
    assert_eq!(client.get("/v1/receipts/999999?witnessed=true").problem(404), "unknown_entry");
    assert_eq!(client.get("/v1/receipts/0?witnessed=maybe").problem(400), "malformed");

    // Idle: the newest checkpoint has both lines, and its witnessed time stays fresh.
    eventually("cosignatures on the newest checkpoint", || {
        policy.verify_checkpoint(&client.get("/checkpoint").text()).is_ok()
    });
    assert_eq!(
        client.get("/checkpoint").header("cache-control"),
        client.get("/checkpoint/witnessed").header("cache-control")
    );
    let time = || policy.verify_checkpoint(&client.get("/checkpoint/witnessed").text()).unwrap().cosigned_by[0].time;
    let before = time();
    eventually("a fresh time", || time() >= before + 2);
    let state = ready(&client)["witnessed"].clone();
    assert_eq!(
        (&state["unwitnessed"], &state["limit"], &state["size"]),
        (&json!(false), &json!(6), &json!(size(&client)))
    );
    for (witness, name) in state["witnesses"].items().zip(["a", "b"]) {
        assert_eq!(
            (&witness["name"], &witness["error"], &witness["alarm"]),
            (&json!(name), &json!(null), &json!(false))
        );
        assert_eq!(metric(&client, &format!("fairshoe_witness_size{{witness=\"{name}\"}}")), size(&client) as i64);
    }
    assert_eq!(
        (metric(&client, "fairshoe_unwitnessed"), metric(&client, "fairshoe_witnessed_size")),
        (0, size(&client) as i64)
    );

    // One witness dies while a round is open.
    let open = alice.bet("joy-1", 10);
    witnessed(&client, &policy, size(&client));
    b.kill();
    eventually("the loss to be seen", || ready(&client)["witnessed"]["witnesses"][1]["error"] == "unreachable");
    eventually("the house to close", || ready(&client)["bets"] == false);
    let state = ready(&client);
    assert_eq!((&state["ready"], &state["witnessed"]["unwitnessed"]), (&json!(true), &json!(true)));
    assert!(state["reason"].as_str().unwrap().contains("unwitnessed"));
    assert_eq!(state["witnessed"]["witnesses"][0]["error"], json!(null), "the other one goes on");
    assert_eq!(metric(&client, "fairshoe_unwitnessed"), 1);
    assert!(metric(&client, "fairshoe_witness_failures_total{witness=\"b\",kind=\"unreachable\"}") > 0);
    let own = alice.open_table();
    let (refused, seed) = alice.bet_body(&own, 10);
    let reply = alice.client.post(&format!("/v1/tables/{own}/bets"), &refused);
    assert!(reply.header("retry-after").is_some());
    assert_eq!(reply.problem(503), "unwitnessed");
    assert_eq!(alice.client.post("/v1/tables/live-blackjack-1/seat", &json!({})).problem(503), "unwitnessed");
    let again = alice.client.post("/v1/tables/joy-1/bets", &open.request).expect_status(200);
    assert_eq!(
        again["receipts"][0]["index"], open.reply["receipts"][0]["index"],
        "what is on the log already is no new bet"
    );
    let dealt = alice.reveal(&open);
    let settled = alice.stand_out(dealt);
    assert_eq!(settled["round"]["phase"], "settled", "an open round finishes");
    let settled = settled["receipts"][0]["index"].int();
    assert_eq!(client.get(&format!("/v1/receipts/{settled}?witnessed=true")).problem(404), "not_witnessed");
    let shown = witnessed(&client, &policy, 1);
    assert!(shown <= settled, "what one witness alone cosigned is not witnessed");

    // It comes back.
    b.restart();
    eventually("the house to open", || ready(&client)["bets"] == true);
    witnessed(&client, &policy, settled + 1);
    let placed = alice.client.post(&format!("/v1/tables/{own}/bets"), &refused).expect_status(200);
    let body = json!({ "player": "alice", "seed": seed.to_string() });
    alice
        .client
        .post(&format!("/v1/rounds/{}/reveals", placed["round"]["id"].as_str().unwrap()), &body)
        .expect_status(200);
    assert_eq!(metric(&client, "fairshoe_unwitnessed"), 0);

    // The witnessed checkpoint is published after a restart even without a witness.
    let before = witnessed(&client, &policy, 1);
    drop((a, b));
    assert_eq!(service.stop(), Some(0));
    let service = folder.start(&[]);
    let after =
        policy.verify_checkpoint(&service.anyone().get("/checkpoint/witnessed").text()).unwrap().checkpoint.size;
    assert!(after >= before);
    assert_eq!(ready(&service.anyone())["bets"], true, "without a limit the house stays open");
    fairshoe_tests::audit(&service.anyone());

    let contract = Contract::load();
    let wrong: BTreeSet<String> =
        seen.lock().unwrap().iter().filter_map(|exchange| contract.check(exchange).err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_closed_house_stays_closed_across_a_restart_and_an_open_one_says_that_it_is_unwitnessed() {
    let folder = WitnessedFolder::new();
    let silent = folder.fake("silent", Manner::Unavailable);
    folder.trust(&format!("{}quorum s\n", silent.line("s")));
    let service = folder.start(&["--unwitnessed-limit", "5"]);
    let alice = service.player("alice", 100);
    let refused = alice.bet_body("joy-1", 10).0;
    assert_eq!(
        alice.client.post("/v1/tables/joy-1/bets", &refused).problem(503),
        "unwitnessed",
        "it was never witnessed"
    );
    assert_eq!(service.stop(), Some(0));

    let service = folder.start(&[]);
    let state = ready(&service.anyone());
    assert_eq!((&state["bets"], &state["reason"]), (&json!(true), &json!(null)));
    let told = &state["witnessed"];
    assert_eq!(
        (&told["unwitnessed"], &told["size"], &told["age"], &told["limit"]),
        (&json!(true), &json!(null), &json!(null), &json!(null))
    );
    assert_eq!(metric(&service.anyone(), "fairshoe_witnessed_age_seconds"), -1);
    assert_eq!(service.anyone().get("/checkpoint/witnessed").problem(404), "not_witnessed");
    fairshoe_tests::Player { client: service.client(Some(&alice.token)), ..alice }.play("joy-1", 10);

    // A service without witnesses has none to show.
    assert_eq!(service.stop(), Some(0));
    let service = Service::start(&folder.data(), &[]);
    assert!(ready(&service.anyone()).get("witnessed").is_none());
    assert_eq!(service.anyone().get("/checkpoint/witnessed").problem(404), "not_witnessed");
}

#[test]
fn whatever_a_witness_answers_nothing_but_its_own_cosignature_is_taken() {
    let lies = [
        (Manner::WrongKey, "bad_signature"),
        (Manner::WrongText, "bad_signature"),
        (Manner::Garbage, "bad_answer"),
        (Manner::Slow, "timeout"),
        (Manner::Drip, "timeout"),
        (Manner::Huge, "answer_too_long"),
        (Manner::ConflictLoop, "conflict"),
        (Manner::ConflictBare, "bad_answer"),
        (Manner::ConflictSame, "bad_answer"),
        (Manner::Redirect, "refused"),
        (Manner::Ahead1Hour, "wrong_clock"),
        (Manner::Behind1Hour, "wrong_clock"),
        (Manner::Unavailable, "refused"),
        (Manner::HangUp, "unreachable"),
    ];
    let folder = WitnessedFolder::new();
    let honest = folder.witness("honest");
    let liars: Vec<_> =
        lies.iter().map(|(manner, _)| folder.fake(&format!("{manner:?}").to_lowercase(), *manner)).collect();
    let lines: String = liars.iter().enumerate().map(|(n, liar)| liar.line(&format!("liar{n}"))).collect();
    folder.trust(&format!("{}{lines}quorum honest\n", honest.line("honest")));
    let service = folder.start(&["--unwitnessed-limit", "6", "--address-rate", "0"]);
    let client = service.anyone();
    let policy = folder.policy();
    let alice = service.player("alice", 10_000);
    for round in 0..3 {
        let played = alice.play("joy-1", 10);
        witnessed(&client, &policy, played["receipts"][0]["index"].int() + 1);
        let state = ready(&client);
        assert_eq!(
            (&state["bets"], &state["witnessed"]["witnesses"][0]["error"]),
            (&json!(true), &json!(null)),
            "round {round}"
        );
    }
    eventually("every lie to be told by its name", || {
        let witnesses = ready(&client)["witnessed"]["witnesses"].clone();
        lies.iter().enumerate().all(|(n, (_, kind))| witnesses[n + 1]["error"] == *kind)
    });
    for (n, (manner, kind)) in lies.iter().enumerate() {
        let told = &ready(&client)["witnessed"]["witnesses"][n + 1];
        assert_eq!((&told["cosigned_size"], &told["alarm"]), (&json!(null), &json!(false)), "{manner:?}");
        assert!(
            metric(&client, &format!("fairshoe_witness_failures_total{{witness=\"liar{n}\",kind=\"{kind}\"}}")) > 0
        );
        for path in ["/checkpoint", "/checkpoint/witnessed"] {
            assert!(!client.get(path).text().contains("fake.example"), "{manner:?} at {path}");
        }
    }
}

#[test]
fn under_load_a_witness_is_asked_once_a_second_over_one_connection() {
    let folder = WitnessedFolder::new();
    let witness = folder.fake("counting", Manner::Honest);
    folder.trust(&format!("{}quorum c\n", witness.line("c")));
    let service = folder.start(&["--address-rate", "0", "--token-rate", "0"]);
    let (operator, policy) = (service.operator(), folder.policy());
    service.player("alice", 0);
    let begun = Instant::now();
    let mut entries = 0;
    while begun.elapsed() < Duration::from_secs(6) {
        let key = format!("k-{entries}");
        operator
            .post_with("/v1/players/alice/credit", &json!({ "amount": 1 }), &[("idempotency-key", &key)])
            .expect_status(200);
        entries += 1;
    }
    assert!(entries > 50, "{entries} entries in 6 seconds");
    witnessed(&service.anyone(), &policy, size(&service.anyone()));
    let asked = witness.asked();
    let cosigned: Vec<_> = asked.iter().filter(|asked| asked.status == 200).collect();
    let seconds = usize::try_from(begun.elapsed().as_secs()).unwrap();
    assert!((4..=seconds + 3).contains(&cosigned.len()), "{asked:#?}");
    for pair in cosigned.windows(2) {
        // The sender counts from the start of a submission, so it arrives a little sooner or later.
        assert!(pair[1].at - pair[0].at > Duration::from_millis(500), "{pair:#?}");
        assert_eq!(pair[1].old_size, pair[0].size, "{pair:#?}");
    }
    let connections: BTreeSet<_> = cosigned.iter().map(|asked| asked.connection).collect();
    assert!(connections.len() <= 2, "the connection is kept: {asked:#?}");
    assert!(asked.iter().filter(|asked| asked.status == 409).count() <= 1, "a 409 teaches the size once: {asked:#?}");
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").args(["-a", from.to_str().unwrap(), to.to_str().unwrap()]).status().unwrap();
    assert!(done.success());
}

#[test]
fn an_old_copy_of_the_folder_and_a_fork_are_refused_by_those_who_saw_more() {
    let folder = WitnessedFolder::new();
    let witness = folder.witness("w");
    folder.trust(&format!("log {}\n{}quorum w\n", folder.log(), witness.line("w")));
    let old = folder.dir.path().join("old");
    copy(&folder.data(), &old);
    let service = folder.start(&[]);
    let alice = service.player("alice", 1000);
    alice.play("joy-1", 10);
    let client = service.anyone();
    let seen = witnessed(&client, &folder.policy(), size(&client));
    assert_eq!(service.stop(), Some(0));

    // The whole old folder, anchor included: only the witness can detect it.
    let now = folder.dir.path().join("now");
    fs::rename(folder.data(), &now).unwrap();
    copy(&old, &folder.data());
    let log_before = fs::read(folder.data().join("anchor")).unwrap();
    let said = folder.try_start(&[]).err().expect("an old copy was served");
    let asked = format!("witness w at {} has cosigned ", witness.url);
    for words in [
        &asked,
        "entries of this log, and this folder holds",
        "that this log's key signed: size",
        "Put back the newest copy",
    ] {
        assert!(said.contains(words), "`{words}` is not in {said}");
    }
    assert_eq!(fs::read(folder.data().join("anchor")).unwrap(), log_before, "nothing was logged on the old copy");

    // Served without the witness, the old copy grows another history under the same key, longer than the first.
    let fork = Service::start(&folder.data(), &[]);
    let bob = fork.player("bob", 1000);
    while size(&fork.anyone()) <= seen + 5 {
        bob.play("joy-1", 10);
    }
    assert_eq!(fork.stop(), Some(0));
    let said = folder.try_start(&[]).err().expect("a fork was served");
    assert!(said.contains("another tree of") && said.contains("a second history"), "{said}");

    // The service's own stored proof detects an old log in the folder, without asking a witness.
    copy(&now.join("witnessed"), &folder.data().join("witnessed"));
    let said = folder.try_start(&[]).err().expect("a fork was served");
    assert!(said.contains("are not those that witnesses cosigned"), "{said}");
    fs::remove_dir_all(folder.data()).unwrap();
    copy(&old, &folder.data());
    copy(&now.join("witnessed"), &folder.data().join("witnessed"));
    drop(witness);
    let said = folder.try_start(&[]).err().expect("an old copy was served");
    assert!(said.contains("witnesses cosigned") && said.contains("the log has"), "{said}");

    // The newest copy is served, whether or not the witness can be reached.
    fs::remove_dir_all(folder.data()).unwrap();
    fs::rename(&now, folder.data()).unwrap();
    let service = folder.start(&[]);
    assert!(witnessed(&service.anyone(), &folder.policy(), seen) >= seen);
}

#[test]
fn a_witness_that_claims_a_second_history_stops_a_start_and_while_running_raises_an_alarm() {
    let folder = WitnessedFolder::new();
    let (good, bad) = (folder.fake("good", Manner::Honest), folder.fake("bad", Manner::Honest));
    folder.trust(&format!("{}{}quorum good\n", good.line("good"), bad.line("bad")));
    let service = folder.start(&[]);
    let client = service.anyone();
    let alice = service.player("alice", 1000);
    for (manner, kind) in [(Manner::Ahead, "ahead"), (Manner::OtherTree, "other_tree")] {
        bad.behave(manner);
        alice.play("joy-1", 10);
        eventually("the alarm", || ready(&client)["witnessed"]["witnesses"][1]["error"] == kind);
        assert_eq!(ready(&client)["witnessed"]["witnesses"][1]["alarm"], true);
        assert_eq!(metric(&client, "fairshoe_witness_alarm{witness=\"bad\"}"), 1);
        // One witness's alarm closes nothing: the quorum is met without it.
        let played = alice.play("joy-1", 10);
        witnessed(&client, &folder.policy(), played["receipts"][0]["index"].int() + 1);
    }
    assert_eq!(service.stop(), Some(0));

    for (manner, words) in
        [(Manner::Ahead, "has cosigned 1000000000 entries"), (Manner::OtherTree, "another tree of 1 entries")]
    {
        bad.behave(manner);
        let said = folder.try_start(&[]).err().expect("a start against a witness's word");
        for words in
            [words, "It shows no checkpoint that this log's key signed", "take the line of bad out of the file"]
        {
            assert!(said.contains(words), "`{words}` is not in {said}");
        }
    }
    folder.trust(&format!("{}quorum good\n", good.line("good")));
    let service = folder.start(&[]);
    let significant = service.operator().get("/v1/significant").text();
    assert!(significant.contains("a witness has seen more of the log"), "refused starts are on the log: {significant}");
}

#[test]
fn a_file_of_witnesses_that_cannot_work_is_refused_in_words() {
    let folder = WitnessedFolder::new();
    let witness = folder.fake("w", Manner::Honest);
    let (key, line) = (&witness.key, witness.line("w"));
    let other = fairshoe_tlog::Signer::new("other.example/log", &[5; 32]).unwrap();
    for (file, more, words) in [
        (format!("witness w {key}\nquorum w\n"), &[][..], "witness w has no address"),
        (line.clone(), &[], "no quorum line"),
        (format!("{line}quorum none\n"), &[], "asks for no cosignature"),
        (format!("log {}\n{line}quorum w\n", other.verifier_key()), &[], "names other logs than this one"),
        (format!("{line}quorum w\n"), &["--unwitnessed-limit", "2"], "--unwitnessed-limit"),
        (format!("{line}quorum w\n"), &["--witness-idle", "0"], "--witness-idle"),
    ] {
        folder.trust(&file);
        let said = folder.try_start(more).err().unwrap_or_else(|| panic!("started with {file} {more:?}"));
        assert!(said.contains(words), "`{words}` is not in {said}");
    }
    let said = Service::try_start(&folder.data(), &["--unwitnessed-limit", "60"]).err().unwrap();
    assert!(said.contains("--witnesses"), "{said}");

    // The same options from a configuration file.
    folder.trust(&format!("{line}quorum w\n"));
    let config = folder.dir.path().join("fairshoe.toml");
    fs::write(
        &config,
        format!("witnesses = \"{}\"\nunwitnessed_limit = 9\nwitness_idle = 2\n", folder.file().display()),
    )
    .unwrap();
    let service = Service::start(&folder.data(), &["--config", config.to_str().unwrap()]);
    assert_eq!(ready(&service.anyone())["witnessed"]["limit"], 9);
}
