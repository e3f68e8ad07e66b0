//! The operator's wallet from outside: the sample with a real database, kills between call and answer, and the check
//! that operators run, which must find every wallet with one fault (spec/wallet.md, spec/wallet.yaml).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use fairshoe_tests::cluster::{free_port, wait_until};
use fairshoe_tests::contract::Contract;
use fairshoe_tests::postgres::Postgres;
use fairshoe_tests::wallet::{Wrong, WrongWallet};
use fairshoe_tests::{Client, Exchange, Json, Reply, Rng, binary, slow};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const TOKEN: &str = "a-token-of-the-tests";
const LOG: &str = "example.com/log";

/// A database in the test's folder; `None`, with a message, if it is not available.
fn postgres(test: &str, folder: &Path) -> Option<Postgres> {
    Postgres::start(folder).inspect_err(|why| println!("skipped: {test}: {why}")).ok()
}

fn command(args: &[&str]) -> Output {
    Command::new(binary("fairshoe-wallet")).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The output of a command that must succeed.
fn done(args: &[&str]) -> String {
    let out = command(args);
    assert!(out.status.success(), "{args:?}: {}{}", text(&out.stdout), text(&out.stderr));
    text(&out.stdout)
}

/// The error of a command that must be refused.
fn refused(args: &[&str]) -> String {
    let out = command(args);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {}{}", text(&out.stdout), text(&out.stderr));
    text(&out.stderr)
}

fn token_file(folder: &Path) -> PathBuf {
    let file = folder.join("wallet.token");
    fairshoe_tests::write_secret(&file, &format!("{TOKEN}\n"));
    file
}

/// The running sample.
struct Wallet {
    child: Child,
    url: String,
}

impl Wallet {
    fn try_start(database: &str, token: &Path, listen: &str, extra: &[&str]) -> Result<Wallet, String> {
        let mut command = Command::new(binary("fairshoe-wallet"));
        command.args(["serve", "--database", database, "--listen", listen, "--token-file"]).arg(token).args(extra);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        loop {
            let Some(line) = lines.next().and_then(Result::ok) else {
                let _ = child.wait();
                return Err(said);
            };
            if let Some(url) = line.strip_prefix("fairshoe-wallet: answers at ") {
                let url = url.to_owned();
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Wallet { child, url });
            }
            said.push_str(&line);
        }
    }

    fn start(database: &str, token: &Path, extra: &[&str]) -> Wallet {
        Self::try_start(database, token, "127.0.0.1:0", extra).unwrap_or_else(|said| panic!("no wallet: {said}"))
    }

    /// Kills it with kill -9.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Wallet {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn add(database: &str, player: &str, amount: i64) {
    done(&["account", "--database", database, player, "--add", &amount.to_string()]);
}

/// The money of all accounts, and the held part.
fn accounts(database: &str) -> BTreeMap<String, (i64, i64)> {
    let told: Value = serde_json::from_str(&done(&["accounts", "--database", database, "--json"])).unwrap();
    let all = told["accounts"].items();
    let number = |account: &Value, field: &str| account[field].as_i64().unwrap();
    all.map(|one| (one["player"].text(), (number(one, "balance"), number(one, "held")))).collect()
}

/// The statement of a log, by the command.
fn statement(url: &str, token: &Path, log: &str) -> Vec<Value> {
    let lines = done(&["statement", "--url", url, "--token-file", token.to_str().unwrap(), "--log", log]);
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks: money in accounts, held money, and money gone to the house minus money from it equal the money put in.
fn sums_hold(database: &str, statement: &[Value], put_in: i64) {
    let accounts = accounts(database);
    let balances: i64 = accounts.values().map(|(balance, _)| balance).sum();
    let held: i64 = accounts.values().map(|(_, held)| held).sum();
    let of = |state: &str| -> i64 {
        let of_state = statement.iter().filter(|one| one["state"] == state);
        of_state.map(|one| one["amount"].as_i64().unwrap()).sum()
    };
    assert_eq!(held, of("reserved"));
    assert_eq!(balances + held + of("committed") - of("paid"), put_in, "{accounts:?}");
}

/// The verdicts of a run of the check, by name, and whether all hold.
fn check(url: &str, token: &Path, extra: &[&str]) -> (BTreeMap<String, (String, String)>, bool) {
    let args = ["check", "--url", url, "--token-file", token.to_str().unwrap(), "--player", "alice", "--json"];
    let out = command(&[&args[..], extra].concat());
    verdicts(&out)
}

fn verdicts(out: &Output) -> (BTreeMap<String, (String, String)>, bool) {
    let told: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&out.stderr)));
    let word = |check: &Value, field: &str| check[field].text();
    let all = told["checks"].list();
    let verdicts: BTreeMap<_, _> =
        all.iter().map(|check| (word(check, "name"), (word(check, "verdict"), word(check, "came")))).collect();
    assert_eq!(verdicts.len(), all.len(), "a name stands twice");
    assert_eq!(told["holds"], out.status.success());
    (verdicts, out.status.success())
}

fn failed(verdicts: &BTreeMap<String, (String, String)>) -> Vec<String> {
    verdicts.iter().filter(|(_, (verdict, _))| verdict == "fails").map(|(name, _)| name.clone()).collect()
}

#[test]
fn the_sample_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("the sample wallet", &folder.path().join("pg")) else { return };
    let token = token_file(folder.path());
    add(&postgres.url(), "alice", 3_000);
    let wallet = Wallet::start(&postgres.url(), &token, &[]);
    let (told, holds) = check(&wallet.url, &token, &[]);
    assert!(holds, "{told:#?}");
    assert!(told.len() > 60 && told.values().all(|(verdict, _)| verdict == "holds"), "{told:#?}");
    assert_eq!(accounts(&postgres.url()), BTreeMap::from([("alice".to_owned(), (3_000, 0))]));
    // Too little money, and the report as text.
    add(&postgres.url(), "bob", 99);
    let args = ["check", "--url", &wallet.url, "--token-file", token.to_str().unwrap(), "--player", "bob"];
    let out = command(&args);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("the player can spend 99, and 100 are needed"), "{}", text(&out.stdout));
}

#[test]
fn a_wallet_that_is_wrong_in_one_way_is_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path());
    let wrongs = [
        (Wrong::ForgetsRefusals, "refused_stands"),
        (Wrong::ReservesTwice, "reserve_of_reserved"),
        (Wrong::PaysTwice, "pay_of_paid"),
        (Wrong::CancelsTwice, "cancel_of_cancelled"),
        (Wrong::TakesOtherAmounts, "other_amount"),
        (Wrong::TakesOtherPlayers, "other_player"),
        (Wrong::TakesOtherKinds, "other_kind"),
        (Wrong::LetsGo, "reserved_is_kept"),
        (Wrong::LetsGoInSilence, "reserved_is_kept"),
        (Wrong::HoldsNothing, "reserved_is_held"),
        (Wrong::KeepsCancelled, "cancel_gives_back"),
        (Wrong::ForgetsCancels, "cancelled_stands"),
        (Wrong::CancelsCommitted, "cancel_of_committed"),
        (Wrong::LooksThenStores, "at_once_reserve"),
        (Wrong::ChecksThenTakes, "at_once_spend"),
        (Wrong::RoundsAmounts, "amount_is_fractional"),
        (Wrong::StoresMalformed, "amount_is_negative"),
        (Wrong::TakesAnyToken, "token_wrong"),
        (Wrong::RepeatsOfPages, "statement_pages"),
        (Wrong::LeavesRefusedOut, "statement_is_what_was_answered"),
        (Wrong::AnswersOtherAmounts, "repeats_move_nothing"),
    ];
    let right = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 3_000);
    let (told, holds) = check(&right.url, &token, &[]);
    assert!(holds && told.values().all(|(verdict, _)| verdict == "holds"), "{told:#?}");
    for (wrong, name) in wrongs {
        // It releases the money after a while: the check must still be running then.
        let lets_go = matches!(wrong, Wrong::LetsGo | Wrong::LetsGoInSilence);
        // On a busy machine simultaneous calls may come one after the other: then the check is run again.
        let tries = if matches!(wrong, Wrong::LooksThenStores | Wrong::ChecksThenTakes) { 10 } else { 1 };
        let found = (0..tries).any(|_| {
            let wallet = WrongWallet::start(wrong, TOKEN, "alice", 3_000);
            let (told, holds) = check(&wallet.url, &token, if lets_go { &["--hold", "1"] } else { &[] });
            let failed = failed(&told);
            println!("{wrong:?}: {failed:?}");
            !holds && failed.iter().any(|one| one == name)
        });
        assert!(found, "{wrong:?} is not found as {name}");
    }
}

/// Runs the check with `--outage`; `away` is called when the check asks to stop the database.
fn check_with_outage(
    url: &str,
    token: &Path,
    seconds: &str,
    away: impl FnOnce(),
) -> BTreeMap<String, (String, String)> {
    let mut command = Command::new(binary("fairshoe-wallet"));
    command
        .args(["check", "--url", url, "--player", "alice", "--json", "--outage", seconds, "--token-file"])
        .arg(token);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("stop the wallet's database now")));
    std::thread::spawn(move || lines.for_each(drop));
    away();
    verdicts(&child.wait_with_output().unwrap()).0
}

#[test]
fn a_wallet_that_says_no_while_its_database_is_away_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path());
    for (wrong, verdict) in [(Wrong::Nothing, "holds"), (Wrong::RefusesWhileAway, "fails")] {
        let wallet = WrongWallet::start(wrong, TOKEN, "alice", 3_000);
        let told = check_with_outage(&wallet.url, &token, "2", || {
            std::thread::sleep(Duration::from_millis(500));
            wallet.set_away(true);
            std::thread::sleep(Duration::from_millis(500));
            wallet.set_away(false);
        });
        assert_eq!(told["outage"].0, verdict, "{told:#?}");
        assert_eq!(failed(&told).is_empty(), verdict == "holds", "{told:#?}");
    }
}

#[test]
fn the_sample_says_nothing_while_its_database_is_away_and_all_stands_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut postgres) = postgres("a database that is killed", &folder.path().join("pg")) else { return };
    let token = token_file(folder.path());
    add(&postgres.url(), "alice", 3_000);
    let wallet = Wallet::start(&postgres.url(), &token, &[]);
    let told = check_with_outage(&wallet.url, &token, "6", || {
        std::thread::sleep(Duration::from_secs(1));
        postgres.kill();
        let client = Client::new(&wallet.url, Some(TOKEN));
        let asked = json!({ "log": LOG, "no": 0, "player": "alice", "amount": 1 });
        assert_eq!(client.post("/v1/reserve", &asked).problem(503), "unavailable");
        wait_until("the wallet is not ready", || client.get("/readyz").status == 503);
        std::thread::sleep(Duration::from_secs(1));
        postgres.run_again();
        wait_until("the wallet is ready", || client.get("/readyz").status == 200);
    });
    assert!(told.values().all(|(verdict, _)| verdict == "holds"), "{told:#?}");
}

/// A client that requires every reply to be allowed by spec/wallet.yaml.
struct Strict<'c> {
    client: Client,
    contract: &'c Contract,
}

impl Strict<'_> {
    fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Reply {
        let reply = self.client.send(method, path, body, &[("content-type", "application/json")]).expect("no reply");
        let (token, method, path) = (None, method.to_owned(), path.to_owned());
        self.contract.check(&Exchange { token, method, path, reply: reply.clone() }).unwrap();
        reply
    }

    fn call(&self, call: &str, body: &Value) -> Reply {
        self.send("POST", &format!("/v1/{call}"), Some(body.to_string().as_bytes()))
    }
}

fn contract() -> (String, Contract) {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/wallet.yaml")).unwrap();
    let contract = Contract::parse(&page);
    (page, contract)
}

#[test]
fn every_reply_of_the_sample_is_one_the_contract_has() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("the replies of the sample wallet", &folder.path().join("pg")) else { return };
    let token = token_file(folder.path());
    add(&postgres.url(), "alice", 1_000);
    let wallet = Wallet::start(&postgres.url(), &token, &[]);
    let (_, contract) = contract();
    let strict = Strict { client: Client::new(&wallet.url, Some(TOKEN)), contract: &contract };
    let asked =
        |no: i64, player: &str, amount: i64| json!({ "log": LOG, "no": no, "player": player, "amount": amount });
    let state = |reply: Reply| reply.expect_status(200)["state"].text();
    assert_eq!(state(strict.call("reserve", &asked(0, "alice", 500))), "reserved");
    assert_eq!(state(strict.call("commit", &asked(0, "alice", 500))), "committed");
    assert_eq!(strict.call("cancel", &asked(0, "alice", 500)).problem(409), "out_of_order");
    assert_eq!(strict.call("pay", &asked(0, "alice", 500)).problem(409), "other_operation");
    let poor = strict.call("reserve", &asked(1, "alice", 501)).expect_status(200);
    assert_eq!((&poor["state"], &poor["reason"]), (&json!("refused"), &json!("insufficient_funds")));
    let unknown = strict.call("pay", &asked(2, "bob", 1)).expect_status(200);
    assert_eq!((&unknown["state"], &unknown["reason"]), (&json!("refused"), &json!("unknown_account")));
    assert_eq!(state(strict.call("pay", &asked(4, "alice", 7))), "paid");
    assert_eq!(state(strict.call("cancel", &asked(6, "alice", 7))), "cancelled");
    // An account never exceeds the maximum, including held money.
    assert_eq!(state(strict.call("reserve", &asked(7, "alice", 507))), "reserved");
    let full = strict.call("pay", &asked(8, "alice", (1 << 53) - 507)).expect_status(200);
    assert_eq!((&full["state"], &full["reason"]), (&json!("refused"), &json!("account_full")));
    assert_eq!(state(strict.call("pay", &asked(9, "alice", (1 << 53) - 508))), "paid");
    assert_eq!(state(strict.call("cancel", &asked(7, "alice", 507))), "cancelled");
    assert_eq!(accounts(&postgres.url())["alice"], ((1 << 53) - 1, 0));

    let page = strict.send("GET", &format!("/v1/statement?log={LOG}&from=1"), None).expect_status(200);
    assert_eq!(page["operations"].list().len(), 7);
    for wrong in ["", "?log=x", "?log=x&from=-1", "?log=x&from=1.5", "?from=0", "?log=x&from=0&more=1"] {
        assert_eq!(strict.send("GET", &format!("/v1/statement{wrong}"), None).problem(400), "malformed");
    }
    for body in ["", "{}", "[]", "{\"log\":\"x\"", "\u{0}", &" ".repeat(5_000), &" ".repeat(900_000)] {
        assert_eq!(strict.send("POST", "/v1/pay", Some(body.as_bytes())).problem(400), "malformed");
    }
    for (field, wrong) in [
        ("log", json!("a b")),
        ("log", json!("")),
        ("log", json!("a+b")),
        ("log", json!("é")),
        ("player", json!(".")),
        ("player", json!("Alice")),
        ("player", json!("a\u{0}")),
        ("no", json!(1_u64 << 53)),
        ("no", json!(null)),
        ("amount", json!(u64::MAX)),
        ("more", json!(1)),
    ] {
        let mut body = asked(50, "alice", 1);
        body[field] = wrong;
        assert_eq!(strict.call("reserve", &body).problem(400), "malformed", "{body}");
    }
    let twice = format!("{{\"log\":\"{LOG}\",\"no\":50,\"player\":\"alice\",\"amount\":1,\"amount\":2}}");
    assert_eq!(strict.send("POST", "/v1/reserve", Some(twice.as_bytes())).problem(400), "malformed");
    strict.send("GET", "/v1/reserve", None).problem(405);
    strict.send("POST", "/readyz", Some(b"")).problem(405);
    strict.send("GET", "/v1/nothing", None).problem(404);
    strict.send("GET", "/readyz", None).expect_status(200);
    for other in [None, Some("another-token-of-them"), Some("a-token-of-the-testt"), Some("a-token-of-the-test")] {
        let stranger = Strict { client: Client::new(&wallet.url, other), contract: &contract };
        assert_eq!(stranger.call("reserve", &asked(51, "alice", 1)).problem(401), "unauthorized");
        assert_eq!(stranger.send("GET", "/v1/statement?log=x&from=0", None).problem(401), "unauthorized");
    }
    assert!(statement(&wallet.url, &token, LOG).iter().all(|one| one["no"].as_i64().unwrap() < 50));
    // A file is whole or missing.
    let out = folder.path().join("s.jsonl");
    let args = ["--token-file", token.to_str().unwrap(), "--log", LOG, "--out", out.to_str().unwrap()];
    done(&[&["statement", "--url", &wallet.url], &args[..]].concat());
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 8);
    fs::remove_file(&out).unwrap();
    drop(wallet);
    refused(&[&["statement", "--url", &format!("http://127.0.0.1:{}", free_port())], &args[..]].concat());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a part of a statement is left");
}

/// Every schema is valid, every reference resolves and every component is used, every example fits, no line is too
/// wide.
#[test]
fn the_contract_of_a_wallet_holds_together() {
    let (page, contract) = contract();
    let wide: Vec<_> = page.lines().filter(|line| line.chars().count() > 160).collect();
    assert!(wide.is_empty(), "wider than 160: {wide:#?}");
    assert_eq!(contract.document["openapi"], "3.1.0");
    for (kind, components) in contract.document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
            let reference = format!("#/components/{kind}/{name}");
            assert!(page.contains(&format!("'{reference}'")), "{reference} is not used");
            if kind == "schemas" {
                contract.violations(&json!({ "$ref": reference }), &Value::Null);
            }
        }
    }
    let mut seen = 0;
    let mut fits = |at: &str, media: &Value| {
        for example in media["examples"].as_object().unwrap().values() {
            let value = &contract.resolve(example)["value"];
            assert_eq!(contract.violations(&media["schema"], value), [""; 0], "{at}: {value}");
            seen += 1;
        }
    };
    let operations = contract.operations();
    assert_eq!(operations.len(), 6);
    for (method, path, operation) in operations {
        let bodies = operation.get("requestBody").map(|body| contract.resolve(body));
        let replies = operation["responses"].as_object().unwrap().values().map(|reply| contract.resolve(reply));
        for (_, media) in bodies.into_iter().chain(replies).flat_map(|one| one["content"].as_object().unwrap()) {
            fits(&format!("{method} {path}"), media);
        }
    }
    assert!(seen > 30, "{seen} examples");
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path());
    let token = token.to_str().unwrap();
    let nobody = format!("postgres://postgres@127.0.0.1:{}/postgres", free_port());
    let says = |args: &[&str], words: &str| {
        let said = refused(args);
        assert!(said.contains(words), "{args:?}: {said}");
        assert!(!said.contains("panicked") && !said.contains("s3cret"), "{said}");
    };
    says(&["serve", "--database", &nobody, "--token-file", token], "the database cannot be used");
    says(&["serve", "--database", "what", "--token-file", token], "postgres://USER:PASSWORD@HOST/NAME");
    let hidden = nobody.replace("postgres@", "postgres:s3cret@");
    says(&["serve", "--database", &hidden, "--token-file", token], "the database cannot be used");
    says(&["serve", "--database", &nobody, "--token-file", "nothing"], "--token-file names a file");
    let short = folder.path().join("short");
    fs::write(&short, "short\n").unwrap();
    says(&["serve", "--database", &nobody, "--token-file", short.to_str().unwrap()], "openssl rand -hex 32");
    says(&["account", "--database", &nobody, "Alice", "--add", "1"], "a-z 0-9");
    says(&["account", "--database", &nobody, "alice", "--add", "9007199254740992"], "9007199254740991");
    says(&["check", "--url", "localhost", "--token-file", token, "--player", "alice"], "http://HOST:PORT");
    let away = format!("http://127.0.0.1:{}", free_port());
    says(&["check", "--url", &away, "--token-file", token, "--player", "alice"], "is the wallet running");
    says(&["statement", "--token-file", token, "--log", "a b"], "printable ASCII");
    assert!(done(&["--help"]).contains("fairshoe-wallet check --url"));
    let help: Vec<String> = done(&["check", "--help"]).split_whitespace().map(str::to_owned).collect();
    assert!(help.join(" ").contains("at least 100 minor units"));
}

#[test]
fn a_database_that_forgets_what_it_was_told_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("a database that does not sync", &folder.path().join("pg")) else { return };
    let token = token_file(folder.path());
    let url = format!("{}?options=-c%20synchronous_commit%3Doff", postgres.url());
    let said = refused(&["serve", "--database", &url, "--token-file", token.to_str().unwrap()]);
    assert!(said.contains("set synchronous_commit = on"), "{said}");
    add(&postgres.url(), "alice", (1 << 53) - 1);
    let said = refused(&["account", "--database", &postgres.url(), "alice", "--add", "1"]);
    assert!(said.contains("more than there can be"), "{said}");
    done(&["account", "--database", &postgres.url(), "alice", "--add", "0"]);
    assert!(done(&["accounts", "--database", &postgres.url()]).contains("alice"));
}

/// Makes a call like the house: again and again until there is an answer.
fn until_answered(client: &Client, call: &str, body: &Value) -> Value {
    let begun = Instant::now();
    loop {
        match client.try_post(&format!("/v1/{call}"), body) {
            Some(reply) if reply.status == 200 => return reply.json(),
            Some(reply) if reply.status != 503 => panic!("{call} of {body}: {} {}", reply.status, reply.text()),
            _ => {}
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{call} of {body} is not answered for a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs a deposit or a withdrawal from beginning to end, like the house; returns the last answer.
fn whole_operation(client: &Client, no: i64, rng: &mut Rng) -> Value {
    let player = *rng.pick(&["alice", "bob", "carol"]);
    let body = json!({ "log": LOG, "no": no, "player": player, "amount": 1 + rng.below(40) });
    if rng.below(3) == 0 {
        return until_answered(client, "pay", &body);
    }
    let reserved = until_answered(client, "reserve", &body);
    if reserved["state"] == "refused" {
        return reserved;
    }
    assert_eq!(reserved["state"], "reserved");
    until_answered(client, if rng.below(4) == 0 { "cancel" } else { "commit" }, &body)
}

/// Other numbers for each; the generator's first ones after a small seed are small.
fn rng(of: i64) -> Rng {
    Rng(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(of.unsigned_abs() + 1))
}

/// The house continues while the wallet and its database are killed and started again; every answer stands, and the
/// sums agree.
fn operations_through_kills(mut postgres: Postgres, token: &Path, count: i64, kills_postgres: bool) {
    let database = postgres.url();
    for player in ["alice", "bob"] {
        add(&database, player, 500);
    }
    let listen = format!("127.0.0.1:{}", free_port());
    let start = || {
        let begun = Instant::now();
        loop {
            // There is time for a kill between storing and answering.
            match Wallet::try_start(&database, token, &listen, &["--delay-ms", "20"]) {
                Ok(wallet) => return wallet,
                Err(said) => assert!(begun.elapsed() < Duration::from_secs(60), "{said}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let mut wallet = start();
    let answers: Mutex<Vec<Value>> = Mutex::default();
    let mut kills = 0;
    let house = |thread: i64| {
        let (client, mut chance) = (Client::new(&format!("http://{listen}"), Some(TOKEN)), rng(thread));
        for no in (thread..count).step_by(4) {
            let answer = whole_operation(&client, no, &mut chance);
            answers.lock().unwrap().push(answer);
        }
    };
    let house = &house;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || house(thread))).collect();
        let mut chance = rng(4);
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(50 + chance.below(200) as u64));
            let which = if kills_postgres { chance.below(3) } else { 0 };
            if which > 0 {
                postgres.kill();
            }
            if which != 1 {
                wallet.kill();
            }
            std::thread::sleep(Duration::from_millis(chance.below(100) as u64));
            if which > 0 {
                postgres.run_again();
            }
            if which != 1 {
                wallet = start();
            }
            kills += 1;
        }
    });
    println!("{kills} kills in {count} operations");
    assert!(kills > 3);
    wait_until("the wallet is ready", || Client::new(&wallet.url, None).get("/readyz").status == 200);
    let statement = statement(&wallet.url, token, LOG);
    let mut answers = answers.into_inner().unwrap();
    answers.sort_by_key(|answer| answer["no"].as_i64());
    assert_eq!(answers, statement, "what was answered is not what the wallet knows");
    sums_hold(&database, &statement, 1_000);
}

#[test]
fn kill_9_of_the_wallet_between_call_and_answer_loses_nothing_and_moves_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("kill -9 of the wallet", &folder.path().join("pg")) else { return };
    operations_through_kills(postgres, &token_file(folder.path()), if slow() { 4_000 } else { 200 }, false);
}

#[test]
fn kill_9_of_the_database_between_call_and_answer_loses_nothing_and_moves_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("kill -9 of the wallet's database", &folder.path().join("pg")) else { return };
    operations_through_kills(postgres, &token_file(folder.path()), if slow() { 4_000 } else { 200 }, true);
}

#[test]
fn random_calls_by_several_at_once_keep_the_sum() {
    let folder = tempfile::tempdir().unwrap();
    let Some(postgres) = postgres("random calls to the sample wallet", &folder.path().join("pg")) else { return };
    let token = token_file(folder.path());
    for player in ["alice", "bob"] {
        add(&postgres.url(), player, 100);
    }
    let wallet = Wallet::start(&postgres.url(), &token, &[]);
    let calls = if slow() { 5_000 } else { 50 };
    // The results so far: they go on until every one occurred, because the order is random.
    let (states, most) = (["reserved", "committed", "cancelled", "paid", "refused"], 20 * calls);
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    std::thread::scope(|scope| {
        for thread in 0..4_i64 {
            let (url, seen) = (&wallet.url, &seen);
            scope.spawn(move || {
                let (client, mut chance) = (Client::new(url, Some(TOKEN)), rng(thread));
                for at in 0..most {
                    if at >= calls && states.iter().all(|state| seen.lock().unwrap().contains(*state)) {
                        break;
                    }
                    // Few names, which are mostly used the same way as before.
                    let no = at / 4 + chance.below(4);
                    let amount = if chance.below(8) == 0 { 1 + chance.below(90) } else { 1 + no % 37 };
                    let player = if chance.below(8) == 0 { "carol" } else { ["alice", "bob"][no % 2] };
                    let call = *chance.pick(&["reserve", "reserve", "commit", "cancel", "pay"]);
                    let body = json!({ "log": LOG, "no": no, "player": player, "amount": amount });
                    let reply = client.post(&format!("/v1/{call}"), &body);
                    assert!([200, 409].contains(&reply.status), "{call} of {body}: {} {}", reply.status, reply.text());
                    if let Some(state) = reply.json()["state"].as_str() {
                        seen.lock().unwrap().insert(state.to_owned());
                    }
                }
            });
        }
    });
    let statement = statement(&wallet.url, &token, LOG);
    for state in states {
        assert!(seen.lock().unwrap().contains(state), "nothing became {state}");
    }
    sums_hold(&postgres.url(), &statement, 200);
}
