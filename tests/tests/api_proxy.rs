//! No program uses a proxy from the environment (`HTTP_PROXY` and others): it would read the wallet's token, answer for
//! the house, and keep a health check from its own machine. The auditor has an option for one.

use fairshoe_tests::cluster::wait_until;
use fairshoe_tests::wallet::{Wrong, WrongWallet};
use fairshoe_tests::witness::WitnessProcess;
use fairshoe_tests::{Service, binary};
use serde_json::json;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

/// A proxy that refuses, and the first request on each of its connections.
struct Proxy {
    url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start() -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let kept = heard.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                kept.lock().unwrap().push(String::new());
                let (mut head, mut byte) = (Vec::new(), [0]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                    head.extend(byte);
                }
                if let Some(last) = kept.lock().unwrap().last_mut() {
                    *last = String::from_utf8_lossy(&head).into_owned();
                }
                let _ = stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        Proxy { url, heard }
    }

    /// A program in an environment that names this proxy.
    fn around(&self, program: &str) -> Command {
        let mut command = Command::new(binary(program));
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            command.env(name, &self.url).env(name.to_lowercase(), &self.url);
        }
        command.env_remove("NO_PROXY").env_remove("no_proxy");
        command
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn no_program_uses_a_proxy_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let (proxy, data) = (Proxy::start(), folder.path().join("data"));
    assert_eq!(Service::start(&data, &[]).stop(), Some(0));
    let key = fs::read_to_string(data.join("log.vkey")).unwrap();
    let witness = WitnessProcess::start(&folder.path().join("w"), "witness.example/w", key.trim());
    let wallet = WrongWallet::start(Wrong::Nothing, "hidden-token-of-ours", "alice", 100);
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let witnesses = file("witnesses", &format!("{}quorum w\n", witness.line("w")));
    let token = file("token", "hidden-token-of-ours");
    let others = ["--witnesses", &witnesses, "--wallet", &wallet.url, "--wallet-token", &token];
    let service = Service::spawn(proxy.around("fairshoe"), &data, &others).unwrap();
    // The service asks the wallet and the witness.
    let alice = service.player("alice", 0);
    alice.client.post_with("/v1/players/alice/wallet/deposits", &json!({ "amount": 10 }), &[("idempotency-key", "d")]);
    wait_until("chips came from the wallet", || alice.balance() == 10);
    wait_until("a witness cosigned", || service.anyone().get("/readyz").json()["witnessed"]["unwitnessed"] == false);
    let dir = data.to_str().unwrap();
    let run = |program: &str, args: &[&str]| proxy.around(program).args(args).output().unwrap();
    let alive = run("fairshoe", &["alive", "--data", dir]);
    assert_eq!(alive.status.code(), Some(0), "{}", said(&alive));
    let order = "nats://127.0.0.1:1,nats://127.0.0.1:2,nats://127.0.0.1:3";
    let monitors = [&*service.url, &*service.url, &*service.url].join(",");
    let node = ["--listen", "127.0.0.1:8099", "--order", order, "--order-monitor", &monitors, "--shard", "east"];
    let doctor = run("fairshoe", &[&["doctor", "--data", dir], &others[..], &node[..]].concat());
    for what in ["witness", "wallet"] {
        assert!(said(&doctor).contains(&format!("well  {what}")), "{}", said(&doctor));
    }
    run("fairshoe", &["cluster", "status", &service.url]);
    let audited = run("fairshoe-audit", &["log", &service.url]);
    assert_eq!(audited.status.code(), Some(0), "{}", said(&audited));
    let checked = run("fairshoe-wallet", &["check", "--url", &wallet.url, "--token-file", &token, "--player", "alice"]);
    assert!(said(&checked).contains("holds"), "{}", said(&checked));
    assert_eq!(proxy.heard(), Vec::<String>::new(), "nobody asked it");
}

#[test]
fn the_auditor_uses_the_proxy_that_it_is_told_of_but_not_for_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = Proxy::start();
    let service = Service::start(&folder.path().join("data"), &[]);
    let run = |args: &[&str]| Command::new(binary("fairshoe-audit")).args(args).output().unwrap();
    let audited = run(&["--proxy", &proxy.url, "log", &service.url]);
    assert_eq!((audited.status.code(), proxy.heard().len()), (Some(0), 0), "{}", said(&audited));
    let audited = run(&["log", "http://log.invalid:8080", "--proxy", &proxy.url]);
    assert_eq!(audited.status.code(), Some(2), "{}", said(&audited));
    let heard = proxy.heard();
    assert!(heard.first().is_some_and(|first| first.contains("log.invalid:8080")), "{heard:?}");
    let wrong = run(&["log", "http://log.invalid", "--proxy", "hidden words"]);
    assert!(wrong.status.code() == Some(2) && !said(&wrong).contains("hidden"), "{}", said(&wrong));
}

/// A killed process leaves its address in the folder, and any program may listen there now.
#[test]
fn a_service_that_was_killed_is_not_alive_where_something_else_listens() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Service::start(&data, &[]);
    let alive = || Command::new(binary("fairshoe")).args(["alive", "--data"]).arg(&data).output().unwrap();
    assert_eq!(alive().status.code(), Some(0), "{}", said(&alive()));
    let address = service.url.strip_prefix("http://").unwrap().to_owned();
    service.kill();
    assert_eq!(alive().status.code(), Some(1), "nobody listens");
    // Another service, and a program that answers yes to every request.
    let other =
        Service::spawn_at(Command::new(binary("fairshoe")), &folder.path().join("other"), &address, &[]).unwrap();
    let output = alive();
    assert_eq!(output.status.code(), Some(1), "another log's service listens there");
    assert!(said(&output).contains("something else than the service"), "{}", said(&output));
    other.kill();
    let listener = TcpListener::bind(&address).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
        }
    });
    assert_eq!(alive().status.code(), Some(1), "a page listens there");
}
