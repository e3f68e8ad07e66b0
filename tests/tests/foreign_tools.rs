//! Programs by other authors against the running service: PyPI `aics-tlog` verifies the log over HTTP, PyPI
//! `aics-witness` cosigns it and refuses a fork. They are installed into a folder of the build; without Python 3.12 or
//! the packages the test prints 'skipped' and why.

use fairshoe_tests::foreign::{run, with_packages};
use fairshoe_tests::wire::eventually;
use fairshoe_tests::{Client, Json, Service, whole_log};
use fairshoe_tlog::{AddCheckpoint, Hash, NoTiles, Policy, Signer, Tree, leaf_hash};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Expected findings of schemathesis, with the reason: the code, a word of the finding, why.
const MEANT: &[(&str, &str, &str)] = &[
    ("ST201", "/v1/verify", "whatever is no bundle gets a verdict that says so: a body of any form is judged"),
    (
        "ST202",
        "floating point",
        "an integer is written without a fraction: JSON Schema knows no difference between 7 and 7.0",
    ),
    ("ST202", "Fairshoe-Signature", "only players sign, and the operator's token is used here"),
    ("ST202", "is a time", "a pattern cannot say which days a month has"),
    ("ST202", "is not before `to`", "that one of two parameters is before the other no schema can say"),
    (
        "ST202",
        "the round number is a decimal number",
        "that a number of twenty digits is below 2^64 no pattern can say",
    ),
    ("ST202", "key_refused", "which points are keys no schema can say"),
    ("ST202", "rule_set_refused", "which options hold together no schema can say"),
    ("ST202", "structure_refused", "which structures hold together no schema can say"),
];

/// Thousands of requests made from openapi.yaml; each reply is compared with it, by every available check.
#[test]
fn schemathesis_finds_nothing_but_what_is_meant_so() {
    if !fairshoe_tests::slow() {
        println!("skipped: schemathesis belongs to the slow part");
        return;
    }
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/schemathesis.txt");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemathesis");
    let python = match with_packages(&requirements, &folder, "import schemathesis") {
        Ok(python) => python,
        Err(why) => return println!("skipped: schemathesis: {}", why.lines().last().unwrap_or_default()),
    };
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(
        &dir.path().join("data"),
        &["--address-rate", "0", "--token-rate", "0", "--player-entries", "0"],
    );
    // Streams do not end.
    let out = Command::new(python.with_file_name("schemathesis"))
        .args([
            "run",
            &format!("{}/openapi.yaml", service.url),
            "--url",
            &service.url,
            "--checks",
            "all",
            "--max-examples",
            "60",
        ])
        .args([
            "-H",
            &format!("Authorization: Bearer {}", service.operator_token()),
            "--exclude-operation-id",
            "streamTable",
            "--exclude-operation-id",
            "streamTournament",
        ])
        .args(["--request-timeout", "30", "--no-color"])
        .current_dir(dir.path())
        .env("COLUMNS", "100000")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let cases =
        said.lines().find(|line| line.contains(" generated")).unwrap_or_else(|| panic!("it did not run: {said}"));
    println!("schemathesis: {}", cases.trim());
    // For each finding, the text up to the next one.
    let findings = said.split("\n- ST").skip(1).map(|finding| format!("ST{finding}"));
    let unmeant: Vec<String> = findings
        .filter(|finding| !MEANT.iter().any(|(code, word, _)| finding.starts_with(code) && finding.contains(word)))
        .collect();
    assert!(unmeant.is_empty(), "{} findings:\n{}", unmeant.len(), unmeant.join("\n"));
    // A test of the judge: it finds these, so it would find others.
    assert!(!out.status.success() && said.contains("- ST202"), "{said}");
    assert_eq!(service.anyone().get("/healthz").status, 200);
}

/// The packages' Python; without it prints that the test is skipped.
fn python_for(test: &str) -> Option<PathBuf> {
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/requirements.txt");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign-tools");
    let python = with_packages(&requirements, &folder, "import aics_tlog, aics_witness");
    python.inspect_err(|why| println!("skipped: {test}: {}", why.lines().last().unwrap_or_default())).ok()
}

/// A log of more than one full tile, and its checkpoint at four earlier sizes.
fn grow(service: &Service, dir: &Path) -> Vec<PathBuf> {
    let alice = service.player("alice", 100_000);
    let operator = service.operator();
    let mut kept = Vec::new();
    for (number, least) in [3u64, 60, 256, 300].into_iter().enumerate() {
        while service.anyone().get("/v1/log").expect_status(200)["size"].int() < least {
            alice.play("joy-1", 10);
            let calls: Vec<_> = (0..16).map(|_| operator.clone()).collect();
            std::thread::scope(|scope| {
                for (n, operator) in calls.iter().enumerate() {
                    let key = format!("grow-{number}-{n}-{}", unused(operator));
                    scope.spawn(move || {
                        operator
                            .post_with(
                                "/v1/players/alice/credit",
                                &json!({ "amount": 1 }),
                                &[("idempotency-key", &key)],
                            )
                            .expect_status(200)
                    });
                }
            });
        }
        let path = dir.join(format!("old-{number}"));
        fs::write(&path, service.anyone().get("/checkpoint").body).unwrap();
        kept.push(path);
    }
    alice.play("joy-1", 10);
    kept
}

/// An unused number: the log only grows.
fn unused(client: &Client) -> u64 {
    client.get("/v1/log").expect_status(200)["size"].int()
}

#[test]
fn aics_tlog_verifies_checkpoint_inclusion_and_consistency_over_http() {
    let Some(python) = python_for("aics-tlog verifies the log") else { return };
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let service =
        Service::start(&data, &["--origin", "example.com/foreign", "--address-rate", "0", "--token-rate", "0"]);
    let old = grow(&service, dir.path());
    let entries = whole_log(&service.anyone());
    let file = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // The key comes from another source than the log: here the operator's file.
    let key = file("key", &fs::read(data.join("log.vkey")).unwrap());
    let tool = |args: &[&str]| -> (bool, Value) {
        let out: Output = Command::new(&python).args(["-m", "aics_tlog"]).args(args).output().unwrap();
        let said = serde_json::from_slice(&out.stdout);
        (
            out.status.success(),
            said.unwrap_or_else(|e| panic!("{args:?}: {e}: {}", String::from_utf8_lossy(&out.stderr))),
        )
    };
    let source = ["--tiles", service.url.as_str(), "--vkey-file", key.as_str()];

    let (ok, said) = tool(&[&["verify-checkpoint"], &source[..], &["--origin", "example.com/foreign"]].concat());
    assert!(ok && said["size"] == json!(entries.len()), "{said}");
    for index in [0, 255, 256, entries.len() - 1] {
        let leaf = file("leaf", entries[index].as_bytes());
        let index = index.to_string();
        let (ok, said) = tool(&[&["verify-inclusion"], &source[..], &["--index", &index, "--leaf", &leaf]].concat());
        assert!(ok, "{said}");
        let forged = file("forged", entries[index.parse::<usize>().unwrap()].replacen('1', "2", 1).as_bytes());
        let (ok, said) = tool(&[&["verify-inclusion"], &source[..], &["--index", &index, "--leaf", &forged]].concat());
        assert!(!ok, "{said}");
    }
    for old in &old {
        let (ok, said) =
            tool(&[&["verify-consistency"], &source[..], &["--old-checkpoint", old.to_str().unwrap()]].concat());
        assert!(ok, "{said}");
    }
    // A checkpoint of another tree, signed with the log's own key.
    let (_, fork) = forked(&data, &entries[..200], 0);
    let (ok, said) =
        tool(&[&["verify-consistency"], &source[..], &["--old-checkpoint", &file("fork", fork.as_bytes())]].concat());
    assert!(!ok, "{said}");
    // With another key than the log's, every check fails.
    let stranger = Signer::new("example.com/foreign", &[7; 32]).unwrap();
    let other = file("other-key", format!("{}\n", stranger.verifier_key()).as_bytes());
    assert!(!tool(&["verify-checkpoint", "--tiles", &service.url, "--vkey-file", &other]).0);

    // Every entry and every tile through the library.
    let framed: Vec<u8> = entries
        .iter()
        .flat_map(|entry| [&u32::try_from(entry.len()).unwrap().to_be_bytes(), entry.as_bytes()].concat())
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/check_log.py");
    let framed = file("entries", &framed);
    let notes: Vec<&str> = old.iter().map(|path| path.to_str().unwrap()).collect();
    let said = run(&python, &[&[script.to_str().unwrap(), &service.url, &key, &framed], &notes[..]].concat()).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["inclusions"], &said["consistencies"]), (&json!(entries.len()), &json!(old.len())));
    assert_eq!(said["refused"], json!(entries.len() + old.len()));
    println!("aics-tlog: {said}");
}

/// Another history of the log, signed with its real key: these entries with the last one changed, and so many more.
fn forked(data: &Path, entries: &[String], more: u64) -> (Tree, String) {
    let mut tree = Tree::new();
    let last = entries.len() - 1;
    for (index, entry) in entries.iter().enumerate() {
        let changed = if index == last { entry.replacen('1', "2", 1) } else { entry.clone() };
        tree.append(leaf_hash(changed.as_bytes()));
    }
    for number in 0..more {
        tree.append(leaf_hash(&number.to_be_bytes()));
    }
    let secret = fs::read_to_string(data.join("secrets/log.key")).unwrap();
    let mut seed = [0; 32];
    hex::decode_to_slice(secret.trim(), &mut seed).unwrap();
    let origin = fs::read_to_string(data.join("secrets/origin")).unwrap();
    let checkpoint = Signer::new(origin.trim(), &seed).unwrap().sign_checkpoint(tree.size(), tree.root());
    (tree, checkpoint)
}

/// `aics-witness serve`.
struct ForeignWitness {
    child: Child,
    url: String,
}

impl Drop for ForeignWitness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ForeignWitness {
    fn serve(python: &Path, config: &str) -> ForeignWitness {
        let mut command = Command::new(python);
        command.args(["-m", "aics_witness", "serve", "--config", config, "--listen", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut said = String::new();
        let url = lines.by_ref().find_map(|line| {
            said.push_str(&line);
            let rest = line.split_once("listening on ")?.1.split_whitespace().next()?.to_owned();
            Some(rest)
        });
        std::thread::spawn(move || lines.for_each(drop));
        ForeignWitness { child, url: url.unwrap_or_else(|| panic!("aics-witness did not start: {said}")) }
    }

    fn submit(&self, old_size: u64, proof: Vec<Hash>, checkpoint: &str) -> fairshoe_tests::Reply {
        let body = AddCheckpoint { old_size, proof, checkpoint: checkpoint.to_owned() }.format();
        Client::new(&self.url, None).send("POST", "/add-checkpoint", Some(body.as_bytes()), &[]).unwrap()
    }
}

#[test]
fn aics_witness_cosigns_answers_409_on_stale_and_refuses_a_forged_fork() {
    let Some(python) = python_for("aics-witness cosigns the log") else { return };
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    assert_eq!(Service::start(&data, &["--origin", "example.com/foreign"]).stop(), Some(0));
    let early = dir.path().join("early");
    let copied = Command::new("cp").args(["-a", data.to_str().unwrap(), early.to_str().unwrap()]).status().unwrap();
    assert!(copied.success());
    let log = fs::read_to_string(data.join("log.vkey")).unwrap().trim().to_owned();
    let config = dir.path().join("witness.json");
    let config = config.to_str().unwrap();
    let tool = |args: &[&str]| run(&python, &[&["-m", "aics_witness"], args, &["--config", config]].concat()).unwrap();
    let key = tool(&["init", "--name", "witness.example/foreign"]).trim().to_owned();
    tool(&["add-log", "--origin", "example.com/foreign", "--vkey", &log]);
    let witness = ForeignWitness::serve(&python, config);
    let file = dir.path().join("witnesses");
    fs::write(&file, format!("log {log}\nwitness foreign {key} {}\nquorum foreign\n", witness.url)).unwrap();
    let policy = Policy::parse(&fs::read(&file).unwrap()).unwrap();

    // It cosigns the service's submissions, as the log grows and again after a restart of the service.
    let options = ["--witnesses", file.to_str().unwrap(), "--unwitnessed-limit", "20", "--address-rate", "0"];
    let mut service = Service::start(&data, &options);
    let mut alice = service.player("alice", 1000);
    let mut seen = 0;
    for restart in 0..2 {
        for _ in 0..2 {
            alice.play("joy-1", 10);
            let size = service.anyone().get("/v1/log").expect_status(200)["size"].int();
            eventually("a cosignature of all there is", || {
                let reply = service.anyone().get("/checkpoint/witnessed");
                seen = if reply.status == 200 {
                    policy.verify_checkpoint(&reply.text()).unwrap().checkpoint.size
                } else {
                    0
                };
                seen == size
            });
        }
        if restart == 0 {
            assert_eq!(service.stop(), Some(0));
            service = Service::start(&data, &options);
            alice.client = service.client(Some(&alice.token));
        }
    }
    // aics-tlog finds the cosignature good, and the quorum met.
    let note = dir.path().join("witnessed");
    fs::write(&note, service.anyone().get("/checkpoint/witnessed").body).unwrap();
    let args = [
        "--note",
        note.to_str().unwrap(),
        "--log-key",
        &log,
        "--witness-key",
        &key,
        "--quorum",
        "1",
        "--max-age",
        "60",
    ];
    let said: Value =
        serde_json::from_str(&run(&python, &[&["-m", "aics_tlog", "verify-checkpoint"], &args[..]].concat()).unwrap())
            .unwrap();
    assert_eq!((&said["ok"], &said["witnesses"]), (&json!(true), &json!(["witness.example/foreign"])));

    // Stale: a submission from a size that it passed long ago.
    let newest = service.anyone().get("/checkpoint").text();
    for old in [0, 1, seen - 1] {
        let reply = witness.submit(old, vec![Hash([0; 32]); usize::from(old > 0)], &newest);
        assert_eq!((reply.status, reply.text()), (409, format!("{seen}\n")), "old {old}");
        assert!(reply.header("content-type").unwrap().starts_with("text/x.tlog.size"));
    }
    // A fork under the log's real key: longer, with a proof that holds in the forged tree; and one of the same size.
    let entries = whole_log(&service.anyone());
    assert_eq!(entries.len() as u64, seen);
    let (tree, longer) = forked(&data, &entries, 3);
    let proof = tree.consistency_proof(seen, seen + 3, &NoTiles).unwrap();
    let reply = witness.submit(seen, proof, &longer);
    assert_eq!(reply.status, 422, "{}", reply.text());
    let (_, equal) = forked(&data, &entries, 0);
    let reply = witness.submit(seen, Vec::new(), &equal);
    assert!([409, 422].contains(&reply.status), "{} {}", reply.status, reply.text());
    let evidence: Value = serde_json::from_str(&tool(&["evidence"])).unwrap();
    assert!(evidence.list().len() >= 2, "what was signed twice is kept: {evidence}");

    // The true log goes on.
    alice.play("joy-1", 10);
    let size = service.anyone().get("/v1/log").expect_status(200)["size"].int();
    eventually("the next cosignature", || {
        policy.verify_checkpoint(&service.anyone().get("/checkpoint/witnessed").text()).unwrap().checkpoint.size == size
    });
    let state = service.anyone().get("/readyz").expect_status(200);
    assert_eq!((&state["bets"], &state["witnessed"]["witnesses"][0]["error"]), (&json!(true), &json!(null)), "{state}");
    assert_eq!(service.stop(), Some(0));

    // An old copy of the folder is not served either: this witness's protocol shows the checkpoint that the log's key
    // signed.
    fs::remove_dir_all(&data).unwrap();
    fs::rename(&early, &data).unwrap();
    let said = Service::try_start(&data, &options).err().expect("an old copy was served");
    assert!(
        said.contains("entries of this log, and this folder holds")
            && said.contains("that this log's key signed: size"),
        "{said}"
    );
}
