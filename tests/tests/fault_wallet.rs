//! Kills between a call of the wallet and its answer (spec/wallet.md): of the service, of the sample wallet and of its
//! database. In the end the log and the wallet's statement agree to the unit, and the sum of money is unchanged.

use crate::faults;

use fairshoe_tests::cluster::{Servers, Shard, free_port, server_program, wait_until};
use fairshoe_tests::postgres::Postgres;
use fairshoe_tests::{Client, Json, Player, Service, audit, binary};
use faults::{Dice, samples};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Each player's money at the wallet at the start.
const MONEY: u64 = 10_000;

const PLAYERS: [&str; 3] = ["ann", "ben", "cat"];

/// The sample, with its own port.
struct Wallet {
    child: Option<Child>,
    database: String,
    token: PathBuf,
    port: u16,
}

impl Wallet {
    fn start(database: String, token: PathBuf) -> Wallet {
        let mut wallet = Wallet { child: None, database, token, port: free_port() };
        wallet.run();
        wallet
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Each answer is held for a while after it is stored: a kill falls in between.
    fn run(&mut self) {
        let mut command = Command::new(binary("fairshoe-wallet"));
        command.args(["serve", "--database", &self.database, "--listen", &format!("127.0.0.1:{}", self.port)]);
        command.arg("--token-file").arg(&self.token).args(["--delay-ms", "40"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        self.child = Some(child);
        wait_until("the wallet answers", || {
            // It needs its database, which may still be starting.
            if self.child.as_mut().unwrap().try_wait().unwrap().is_some() {
                self.child = None;
                std::thread::sleep(Duration::from_millis(200));
                return false;
            }
            Client::new(&self.url(), None).send("GET", "/readyz", None, &[]).is_some_and(|reply| reply.status == 200)
        });
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Wallet {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program(name: &str, args: &[&str]) -> Value {
    let output = Command::new(binary(name)).args(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {args:?}: {}{said}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

fn start(folder: &Path, wallet: &Wallet) -> Service {
    let token = wallet.token.to_str().unwrap();
    Service::start(&folder.join("data"), &["--wallet", &wallet.url(), "--wallet-token", token])
}

/// Asks for deposits and withdrawals until told to stop; an unanswered request is repeated by its name.
fn use_wallet(player: &Player, url: &AtomicU64, asked: &AtomicU64, stop: &AtomicBool, mut dice: Dice) {
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        count += 1;
        let what = if dice.below(2) == 0 { "deposits" } else { "withdrawals" };
        let body = json!({ "amount": 1 + dice.below(50) }).to_string();
        let (path, key) = (format!("/v1/players/{}/wallet/{what}", player.name), format!("k-{count}"));
        loop {
            let port = url.load(Ordering::Relaxed);
            let client = Client::new(&format!("http://127.0.0.1:{port}"), Some(&player.token));
            let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
            match client.send("POST", &path, Some(body.as_bytes()), &headers) {
                Some(reply) if reply.status == 200 => {
                    asked.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                // Too many operations are open, or there are no chips.
                Some(reply) if reply.status == 409 => break,
                _ if stop.load(Ordering::Relaxed) => break,
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn port_of(service: &Service) -> u64 {
    service.url.rsplit(':').next().unwrap().parse().unwrap()
}

/// A wallet with its own database and money of each player; or why it is not available.
fn funded(folder: &Path) -> Result<(Postgres, Wallet), String> {
    let postgres = Postgres::start(&folder.join("postgres"))?;
    let token = folder.join("wallet.token");
    fairshoe_tests::write_secret(&token, "a-token-of-the-wallet\n");
    let wallet = Wallet::start(postgres.url(), token);
    for player in PLAYERS {
        program("fairshoe-wallet", &["account", "--database", &postgres.url(), player, "--add", &MONEY.to_string()]);
    }
    Ok((postgres, wallet))
}

/// Waits until no operation is open, and compares the log with the wallet's statement, and all money with the initial
/// sum; returns the number of operations.
fn reconcile(service: &Service, wallet: &Wallet, asked: u64) -> u64 {
    let operator = service.operator();
    wait_until("every operation is over", || {
        PLAYERS.iter().all(|name| operator.get(&format!("/v1/players/{name}/wallet")).json()["open"].list().is_empty())
    });
    audit(&service.anyone());
    let token = wallet.token.to_str().unwrap();
    let report = program("fairshoe-audit", &["wallet", &service.url, &wallet.url(), "--token-file", token, "--json"]);
    assert_eq!(report["wallet"]["verdict"], "reconciled", "{report}");
    // The players' money here and there equals the initial money.
    let there = program("fairshoe-wallet", &["accounts", "--database", &wallet.database, "--json"]);
    let at_wallet: u64 = there["accounts"].items().map(|one| one["balance"].int()).sum();
    let here: u64 =
        PLAYERS.iter().map(|name| operator.get(&format!("/v1/players/{name}")).json()["balance"].int()).sum();
    assert_eq!(at_wallet + here, MONEY * PLAYERS.len() as u64);
    let agree = report["wallet"]["agree"].int();
    assert!(agree >= asked && asked > 20, "{agree} operations of {asked} that were acknowledged");
    agree
}

#[test]
fn kills_between_call_and_answer_leave_log_and_wallet_the_same_to_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    let (mut postgres, mut wallet) = match funded(folder.path()) {
        Ok(funded) => funded,
        Err(why) => {
            println!("skipped: kills between a call of the wallet and its answer: {why}");
            return;
        }
    };
    let service = start(folder.path(), &wallet);
    let players: Vec<Player> = PLAYERS.iter().map(|name| service.player(name, 0)).collect();
    let (url, asked, stop) = (AtomicU64::new(port_of(&service)), AtomicU64::new(0), AtomicBool::new(false));
    let (mut dice, mut running) = (Dice::new(), Some(service));
    let kills = samples(6, 100);
    std::thread::scope(|scope| {
        for player in &players {
            let dice = Dice::new();
            let (url, asked, stop) = (&url, &asked, &stop);
            scope.spawn(move || use_wallet(player, url, asked, stop, dice));
        }
        for kill in 0..kills {
            std::thread::sleep(Duration::from_millis(150) + dice.pause(400));
            match kill % 3 {
                0 => {
                    running.take().unwrap().kill();
                    let again = start(folder.path(), &wallet);
                    url.store(port_of(&again), Ordering::Relaxed);
                    running = Some(again);
                }
                1 => {
                    wallet.kill();
                    std::thread::sleep(dice.pause(300));
                    wallet.run();
                }
                _ => {
                    postgres.kill();
                    std::thread::sleep(dice.pause(300));
                    postgres.run_again();
                    // It may have ended with its database.
                    wallet.kill();
                    wallet.run();
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    let asked = asked.load(Ordering::Relaxed);
    let agree = reconcile(&running.unwrap(), &wallet, asked);
    println!(
        "{kills} kills of the service, the wallet and its database: {agree} operations, {asked} acknowledged, reconciled"
    );
}

/// A leader is killed with open operations: the next one asks the wallet again, by the same names.
#[test]
fn whoever_takes_the_lead_ends_what_was_asked_of_the_wallet() {
    let folder = tempfile::tempdir().unwrap();
    let (_postgres, wallet) = match funded(folder.path()) {
        Ok(funded) => funded,
        Err(why) => return println!("skipped: takeovers with open operations of the wallet: {why}"),
    };
    let program = match server_program() {
        Ok(program) => program,
        Err(why) => return println!("skipped: takeovers with open operations of the wallet need nats-server: {why}"),
    };
    let servers = Servers::start(&program, &folder.path().join("order"));
    let (address, token) = (wallet.url(), wallet.token.to_str().unwrap().to_owned());
    let mut shard = Shard::start(&servers, folder.path(), "east", 2, &["--wallet", &address, "--wallet-token", &token]);
    let players: Vec<Player> = PLAYERS.iter().map(|name| shard.node(0).player(name, 0)).collect();
    let (url, asked) = (AtomicU64::new(port_of(shard.node(0))), AtomicU64::new(0));
    let (stop, mut dice, kills) = (AtomicBool::new(false), Dice::new(), samples(3, 30));
    std::thread::scope(|scope| {
        for player in &players {
            let dice = Dice::new();
            let (url, asked, stop) = (&url, &asked, &stop);
            scope.spawn(move || use_wallet(player, url, asked, stop, dice));
        }
        for _ in 0..kills {
            std::thread::sleep(Duration::from_millis(300) + dice.pause(400));
            let leader = shard.leader();
            shard.kill(leader);
            url.store(port_of(shard.node(shard.leader())), Ordering::Relaxed);
            shard.start_again(leader);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let asked = asked.load(Ordering::Relaxed);
    let agree = reconcile(shard.node(shard.leader()), &wallet, asked);
    println!("{kills} leaders killed: {agree} operations, {asked} acknowledged, reconciled");
}
