//! Chips from the operator's wallet and back (spec/wallet.md), over HTTP: a service and a wallet in memory.

use crate::second_verifier::{node, project};
use fairshoe_tests::cluster::wait_until;
use fairshoe_tests::wallet::{Wrong, WrongWallet};
use fairshoe_tests::{Client, Json, Player, Service, audit, binary};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const TOKEN: &str = "a-token-of-the-wallet";

/// The file of the wallet's token.
fn token_file(folder: &Path) -> PathBuf {
    let file = folder.join("wallet.token");
    fairshoe_tests::write_secret(&file, &format!("{TOKEN}\n"));
    file
}

/// A service with this wallet.
fn service(folder: &Path, wallet: &WrongWallet, extra: &[&str]) -> Service {
    let token = token_file(folder);
    let mut options = vec!["--wallet", &wallet.url, "--wallet-token", token.to_str().unwrap()];
    options.extend(extra);
    Service::start(&folder.join("data"), &options)
}

/// Asks for an operation; returns its number.
fn ask(client: &Client, player: &str, what: &str, amount: u64, key: &str) -> u64 {
    let path = format!("/v1/players/{player}/wallet/{what}");
    let reply = client.post_with(&path, &json!({ "amount": amount }), &[("idempotency-key", key)]).expect_status(200);
    number_in(&reply)
}

/// The number of the operation that a reply's entry asks for.
fn number_in(reply: &Value) -> u64 {
    let entry: Value = serde_json::from_str(reply["receipts"][0]["entry"].as_str().unwrap()).unwrap();
    let asked = entry["events"].items().find_map(|event| event.get("wallet_asked")).unwrap();
    asked["no"].int()
}

/// Waits until the operation is over, and returns it.
fn over(client: &Client, no: u64) -> Value {
    let shown = client.get(&format!("/v1/wallet/{no}?wait_ms=20000")).expect_status(200);
    assert_ne!(shown["state"], "open", "{shown}");
    shown
}

/// The auditor's verdict on the service's log and the wallet, which it asks itself; with its exit code.
fn reconcile(service: &Service, wallet: &WrongWallet, folder: &Path) -> (Value, Option<i32>) {
    let token = token_file(folder);
    let output = Command::new(binary("fairshoe-audit"))
        .args(["wallet", &service.url, &wallet.url, "--token-file", token.to_str().unwrap(), "--json"])
        .output()
        .unwrap();
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output))), output.status.code())
}

/// A player with money at the wallet and none here.
fn player(service: &Service, name: &str) -> Player {
    service.player(name, 0)
}

/// A wallet for [`there_and_back`], and the options of a service that uses it and has no rate limits.
pub fn wallet_of_saver(folder: &Path) -> (WrongWallet, Vec<String>) {
    let wallet = WrongWallet::start(Wrong::Nothing, TOKEN, "saver", 1_000);
    let token = token_file(folder).to_str().unwrap().to_owned();
    let options = format!("--address-rate 0 --token-rate 0 --wallet {} --wallet-token {token}", wallet.url);
    (wallet, options.split(' ').map(str::to_owned).collect())
}

/// A deposit, a withdrawal and a cancelled one: each call once, successfully.
pub fn there_and_back(service: &Service, wallet: &WrongWallet) {
    let saver = player(service, "saver");
    over(&saver.client, ask(&saver.client, "saver", "deposits", 300, "in"));
    over(&saver.client, ask(&saver.client, "saver", "withdrawals", 100, "out"));
    wallet.set_away(true);
    let no = ask(&saver.client, "saver", "deposits", 5, "not");
    saver.client.post(&format!("/v1/wallet/{no}/cancel"), &json!({})).expect_status(200);
    saver.client.get("/v1/players/saver/wallet").expect_status(200);
    wallet.set_away(false);
    over(&saver.client, no);
}

#[test]
fn chips_come_from_the_wallet_and_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 1_000);
    let service = service(folder.path(), &wallet, &[]);
    let alice = player(&service, "alice");
    let no = ask(&alice.client, "alice", "deposits", 600, "first");
    let done = over(&alice.client, no);
    assert_eq!((&done["state"], &done["kind"], &done["amount"]), (&json!("done"), &json!("deposit"), &json!(600)));
    assert_eq!(alice.balance(), 600);
    // A repeat makes no new operation.
    assert_eq!(ask(&alice.client, "alice", "deposits", 600, "first"), no);
    alice.play("joy-1", 10);
    let had = alice.balance();
    let no = ask(&alice.client, "alice", "withdrawals", 150, "second");
    assert_eq!(alice.balance(), had - 150, "the chips are gone before the wallet is asked");
    assert_eq!(over(&alice.client, no)["state"], "done");
    // More than the wallet has, and more than the player has here.
    let no = ask(&alice.client, "alice", "deposits", 2_000, "third");
    let refused = over(&alice.client, no);
    assert_eq!((&refused["state"], refused.get("reason")), (&json!("refused"), None));
    let path = "/v1/players/alice/wallet/withdrawals";
    let key = [("idempotency-key", "fourth")];
    let all = json!({ "amount": had + 1 });
    assert_eq!(alice.client.post_with(path, &all, &key).problem(409), "insufficient_balance");
    assert_eq!(alice.client.post(path, &json!({ "amount": 1 })).problem(400), "malformed", "a key is asked for");
    // Others cannot read or cancel it.
    let bob = player(&service, "bob");
    assert_eq!(bob.client.get(&format!("/v1/wallet/{no}")).problem(403), "not_allowed");
    assert_eq!(bob.client.get("/v1/players/alice/wallet").problem(403), "not_allowed");
    assert_eq!(service.anyone().get(&format!("/v1/wallet/{no}")).problem(401), "unauthorized");
    assert_eq!(alice.client.get("/v1/wallet/99").problem(404), "unknown_operation");
    assert_eq!(alice.client.get("/v1/wallet/0?wait_ms=20001").problem(400), "malformed");
    // Both verifiers: both sides are the same.
    let (report, code) = reconcile(&service, &wallet, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("reconciled"), Some(0)), "{report}");
    assert_eq!(report["wallet"]["on_log"], json!({ "deposits": 600, "withdrawals": 150 }));
    same_by_the_second_verifier(&service, &wallet, folder.path(), &report["wallet"]);
    audit(&service.anyone());
    // The wallet's record for a number that the house never asked for is not a pending operation.
    let origin = service.anyone().get("/v1/log").json()["origin"].clone();
    let far = json!({ "log": origin, "no": (1_u64 << 53) - 1, "player": "alice", "amount": 1 });
    Client::new(&wallet.url, Some(TOKEN)).post("/v1/reserve", &far).expect_status(200);
    let (report, code) = reconcile(&service, &wallet, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("differs"), Some(1)), "{report}");
    assert_eq!(report["wallet"]["differs"][0]["no"], far["no"]);
}

/// The second verifier gives the same result for a mirror of the log and the statement in a file.
fn same_by_the_second_verifier(service: &Service, wallet: &WrongWallet, folder: &Path, expected: &Value) {
    let Some(mut node) = node() else { return };
    let mirror = folder.join("mirror");
    let status = Command::new(binary("fairshoe-audit")).args(["mirror", &service.url]).arg(&mirror).output().unwrap();
    assert!(status.status.success());
    let origin = service.anyone().get("/v1/log").json()["origin"].as_str().unwrap().replace('/', "%2F");
    let page = Client::new(&wallet.url, Some(TOKEN)).get(&format!("/v1/statement?log={origin}&from=0")).json();
    let lines = page["operations"].items().map(|line| format!("{line}\n")).collect::<String>();
    let file = folder.join("statement.jsonl");
    std::fs::write(&file, lines).unwrap();
    let output = node
        .current_dir(project())
        .args(["tools/verifier/fairshoe-verify.js", "wallet"])
        .args([&mirror, &file])
        .arg("--json")
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
        panic!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    });
    assert_eq!(told, *expected);
}

#[test]
fn a_deposit_waits_for_a_wallet_that_is_away_and_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 1_000);
    let service = service(folder.path(), &wallet, &[]);
    let alice = player(&service, "alice");
    wallet.set_away(true);
    let (gone, comes) =
        (ask(&alice.client, "alice", "deposits", 100, "one"), ask(&alice.client, "alice", "deposits", 200, "two"));
    let shown = alice.client.get(&format!("/v1/wallet/{gone}?wait_ms=300")).expect_status(200);
    assert_eq!((&shown["state"], &shown["waits_for"]), (&json!("open"), &json!("reserve")));
    assert_eq!(alice.client.get("/v1/players/alice/wallet").json()["open"].list().len(), 2);
    let cancel = |no: u64, by: &Client| by.post(&format!("/v1/wallet/{no}/cancel"), &json!({}));
    assert_eq!(cancel(gone, &player(&service, "bob").client).problem(403), "not_allowed");
    cancel(gone, &alice.client).expect_status(200);
    assert_eq!(cancel(gone, &alice.client).problem(409), "nothing_to_do");
    let (report, code) = reconcile(&service, &wallet, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("under_way"), Some(0)), "{report}");
    wallet.set_away(false);
    assert_eq!(over(&alice.client, gone)["state"], "cancelled");
    assert_eq!(over(&alice.client, comes)["state"], "done");
    assert_eq!(alice.balance(), 200);
    assert_eq!(cancel(gone, &alice.client).problem(404), "unknown_operation");
    // A restarted service continues: without the wallet no operation is lost, with it all are completed.
    wallet.set_away(true);
    let later = ask(&alice.client, "alice", "withdrawals", 50, "three");
    service.kill();
    let service = Service::start(&folder.path().join("data"), &[]);
    let alice = Player { client: Client::new(&service.url, Some(&alice.token)), ..alice };
    assert_eq!(alice.client.get(&format!("/v1/wallet/{later}")).json()["waits_for"], "pay");
    let refused = alice.client.post_with(
        "/v1/players/alice/wallet/deposits",
        &json!({ "amount": 1 }),
        &[("idempotency-key", "four")],
    );
    assert_eq!(refused.problem(409), "no_wallet");
    assert_eq!(alice.client.get("/v1/players/alice/wallet").json()["style"], Value::Null);
    drop(service);
    wallet.set_away(false);
    let service = self::service(folder.path(), &wallet, &[]);
    let alice = Player { client: Client::new(&service.url, Some(&alice.token)), ..alice };
    assert_eq!(over(&alice.client, later)["state"], "done");
    let (report, code) = reconcile(&service, &wallet, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("reconciled"), Some(0)), "{report}");
}

/// The money stays in the wallet except during play: deposits come with a bet and go back when they have not moved.
#[test]
fn with_the_style_of_rounds_chips_come_with_a_bet_and_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 500);
    let service = service(folder.path(), &wallet, &["--wallet-style", "rounds"]);
    let alice = player(&service, "alice");
    assert_eq!(alice.client.get("/v1/players/alice/wallet").json()["style"], "rounds");
    // The player has no chips here, and every decision is offered: the cost of doubles and splits is deposited too.
    let mut rng = fairshoe_tests::Rng(7);
    for _ in 0..6 {
        alice.play_randomly("joy-1", 20, &mut rng);
    }
    let here = alice.balance();
    wait_until("the chips are at the wallet again", || alice.balance() == 0);
    // A cost above the wallet's money is refused for want of chips, and leaves nothing behind.
    let (body, _) = alice.bet_body("joy-1", 1_000);
    assert_eq!(alice.client.post("/v1/tables/joy-1/bets", &body).problem(409), "insufficient_balance");
    wait_until("nothing is open", || alice.client.get("/v1/players/alice/wallet").json()["open"].list().is_empty());
    let (report, code) = reconcile(&service, &wallet, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("reconciled"), Some(0)), "{report} {here}");
    assert!(report["wallet"]["agree"].int() > 1, "{report}");
    audit(&service.anyone());
}

/// *One bet that is sent many times at once would take its stake from the wallet as often.*
#[test]
fn one_bet_sent_many_times_at_once_asks_for_its_chips_once() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 10_000);
    let service = service(folder.path(), &wallet, &["--wallet-style", "rounds"]);
    let alice = player(&service, "alice");
    let (body, _) = alice.bet_body("joy-1", 700);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| alice.client.post("/v1/tables/joy-1/bets", &body).expect_status(200));
        }
    });
    assert_eq!(alice.balance(), 0, "the stake came, and nothing more");
    assert_eq!(alice.client.get("/v1/wallet/1").problem(404), "unknown_operation", "one deposit was asked for");
}

/// A wallet's reply that is not about the call is no answer: the operation waits, and the operator is told.
#[test]
fn an_answer_about_something_else_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let wallet = WrongWallet::start(Wrong::AnswersOtherAmounts, TOKEN, "alice", 1_000);
    let service = service(folder.path(), &wallet, &[]);
    let alice = player(&service, "alice");
    let no = ask(&alice.client, "alice", "deposits", 7, "one");
    let count = |outcome: &str| {
        let text = service.anyone().get("/metrics").text();
        text.lines().any(|line| line.starts_with("fairshoe_wallet_calls_total") && line.contains(outcome))
    };
    wait_until("the answer is found to be none", || count("bad_answer"));
    // Until it is asked again.
    let (told, balance) = (alice.client.get(&format!("/v1/wallet/{no}")).json(), alice.balance());
    assert!(count("answered") || told["state"] == "open" && balance == 0, "{told} {balance}");
    // The repeat has the amount that was asked for: the wallet's first answer was not stored.
    assert_eq!(over(&alice.client, no)["state"], "done");
    assert!(count("answered"));
}

/// Differences are found: a wallet that lost its answers, and one that made movements no one asked for.
#[test]
fn what_differs_is_found_by_both_verifiers() {
    let folder = tempfile::tempdir().unwrap();
    let honest = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 1_000);
    let service = service(folder.path(), &honest, &[]);
    let alice = player(&service, "alice");
    over(&alice.client, ask(&alice.client, "alice", "deposits", 100, "one"));
    // Another wallet, which has none of it, and one operation no one asked for.
    let other = WrongWallet::start(Wrong::Nothing, TOKEN, "alice", 1_000);
    let origin = service.anyone().get("/v1/log").json()["origin"].clone();
    let body = json!({ "log": origin, "no": 5, "player": "alice", "amount": 9 });
    Client::new(&other.url, Some(TOKEN)).post("/v1/pay", &body).expect_status(200);
    let (mut report, code) = reconcile(&service, &other, folder.path());
    assert_eq!((&report["wallet"]["verdict"], code), (&json!("differs"), Some(1)), "{report}");
    let (lost, never_asked) = (json!({ "no": 0, "log": "commit accepted" }), json!({ "no": 5, "wallet": "paid" }));
    assert_eq!(report["wallet"]["differs"], json!([lost, never_asked]));
    // With a copy of the log the report only says that the copy does not have it yet.
    report["wallet"]["differs"] = json!([lost]);
    report["wallet"]["later"] = json!([never_asked]);
    same_by_the_second_verifier(&service, &other, folder.path(), &report["wallet"]);
}

#[test]
fn what_is_not_a_wallet_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let token = token_file(folder.path());
    let token = token.to_str().unwrap();
    let empty = folder.path().join("empty");
    fairshoe_tests::write_secret(&empty, "\n");
    let open = folder.path().join("open");
    std::fs::write(&open, format!("{TOKEN}\n")).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    for (options, said) in [
        (vec!["--wallet", "http://127.0.0.1:1"], "--wallet needs --wallet-token"),
        (vec!["--wallet", "ftp://127.0.0.1:1", "--wallet-token", token], "http:// or https://"),
        (vec!["--wallet", "http://me:secret@127.0.0.1:1", "--wallet-token", token], "without a user and a password"),
        (vec!["--wallet", "http://me:secret@127.0.0.1:1?x", "--wallet-token", token], "without a user and a password"),
        (vec!["--wallet", "http://127.0.0.1:1", "--wallet-token", open.to_str().unwrap()], "chmod 600, or 640"),
        (vec!["--wallet-token", token], "name it with --wallet"),
        (vec!["--wallet-style", "rounds"], "name it with --wallet"),
        (vec!["--wallet", "http://127.0.0.1:1", "--wallet-token", "/nowhere/token"], "/nowhere/token"),
        (vec!["--wallet", "http://127.0.0.1:1", "--wallet-token", empty.to_str().unwrap()], "holds no token"),
    ] {
        let refused = Service::try_start(&folder.path().join("data"), &options).err().unwrap();
        assert!(refused.contains(said), "{options:?}: {refused}");
        assert!(!refused.contains("secret@"), "a password is repeated: {refused}");
    }
}
