//! Servers that require credentials (spec/cluster.md, "JetStream"): a user with a password, a token, a seed,
//! credentials under TLS. A node connects with each, reports it if it cannot, and never prints its secrets.

use base64::prelude::*;
use fairshoe_tests::cluster::{Servers, cluster, free_port, server_program, wait_until};
use fairshoe_tests::{Client, binary};
use nkeys::{KeyPair, Role};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The servers' program; without it the test is skipped by name.
macro_rules! server {
    () => {
        match server_program() {
            Ok(program) => program,
            Err(why) => return println!("skipped: tests of several nodes need nats-server, which cannot be had: {why}"),
        }
    };
}

/// The rights that a node of a shard needs, exactly as spec/cluster.md lists them.
const RIGHTS: &str = "permissions: { publish: { allow: [\"$JS.API.STREAM.INFO.*\", \"$JS.API.STREAM.CREATE.*\", \
    \"$JS.API.STREAM.MSG.GET.*\", \"fairshoe.order.east\", \"fairshoe.order.east.head\", \"fairshoe.lease.east\"] }, \
    subscribe: { allow: [\"_INBOX.>\", \"fairshoe.order.east.head\"] } }";

/// A node's credentials.
struct Entry {
    /// In its environment, which only it reads.
    order: String,
    options: Vec<String>,
}

impl Entry {
    /// Credentials before the host in the address.
    fn by(servers: &Servers, shown: &str) -> Entry {
        Entry { order: servers.addresses().replace("nats://", &format!("nats://{shown}")), options: Vec::new() }
    }

    /// Credentials in a file.
    fn with(servers: &Servers, file: &Path, text: &str) -> Entry {
        fs::write(file, text).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        let options = vec!["--order-credentials".into(), file.to_str().unwrap().into()];
        Entry { order: servers.addresses(), options }
    }

    fn command(&self, servers: &Servers, folder: &Path, what: &str, port: u16) -> Command {
        let mut command = Command::new(binary("fairshoe"));
        command.env("FAIRSHOE_ORDER", &self.order).arg(what).arg("--data").arg(folder);
        command.args(["--listen", &format!("127.0.0.1:{port}"), "--shard", "east", "--log-level", "trace"]);
        command.args(["--order-monitor", &servers.monitors()]).args(&self.options).stdin(Stdio::null());
        command
    }
}

/// A node whose whole log output is kept.
struct Node {
    child: Child,
    log: PathBuf,
    url: String,
}

impl Node {
    fn start(entry: &Entry, servers: &Servers, folder: &Path) -> Node {
        let (port, log) = (free_port(), folder.with_extension("log"));
        let said = fs::File::create(&log).unwrap();
        let mut command = entry.command(servers, folder, "serve", port);
        let child = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
        Node { child, log, url: format!("http://127.0.0.1:{port}") }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            let said = self.said();
            said.lines().filter(|line| !line.contains("\"TRACE\"")).for_each(|line| eprintln!("{line}"));
        }
    }
}

/// A node connects and leads; the doctor predicts it; none of their output contains a secret.
fn gets_in(entry: &Entry, servers: &Servers, folder: &Path, secrets: &[&str]) {
    let node = Node::start(entry, servers, folder);
    wait_until("the node leads", || cluster(&node.url)["leads"] == true);
    let token = fs::read_to_string(folder.join("operator.token")).unwrap();
    let operator = Client::new(&node.url, Some(token.trim()));
    // Another one in each house and each start.
    operator.post("/v1/players", &json!({ "player": format!("p{}", node.child.id()) })).expect_status(201);
    let doctor = entry.command(servers, folder, "doctor", free_port()).output().unwrap();
    let doctor = format!("{}{}", String::from_utf8_lossy(&doctor.stdout), String::from_utf8_lossy(&doctor.stderr));
    assert!(doctor.contains("well  order login"), "{doctor}");
    let status = Command::new(binary("fairshoe")).args(["cluster", "status", "--json", &node.url]).output().unwrap();
    let told = ["/metrics", "/v1/cluster", "/v1/log", "/readyz"].map(|path| operator.get(path).text());
    let line = fs::read_to_string(format!("/proc/{}/cmdline", node.child.id())).unwrap();
    let said =
        [doctor, node.said(), String::from_utf8_lossy(&status.stdout).into_owned(), told.concat(), line].concat();
    for secret in secrets {
        assert!(!said.contains(secret), "{}", said.lines().find(|line| line.contains(secret)).unwrap());
    }
}

/// A start is refused soon, with the reason and advice.
fn is_refused(entry: &Entry, servers: &Servers, folder: &Path, code: i32, why: &[&str], secrets: &[&str]) {
    let mut node = Node::start(entry, servers, folder);
    let begun = Instant::now();
    let ended = loop {
        if let Some(status) = node.child.try_wait().unwrap() {
            break status.code();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended, Some(code));
    let said = node.said();
    // A thread may still print a line after it.
    let refuses = |line: &&str| line.starts_with("fairshoe: ") || line.contains("refusing to start");
    let last = said.lines().rfind(refuses).unwrap_or_default();
    assert!(why.iter().all(|part| last.contains(part)), "{last}");
    assert!(!secrets.iter().any(|secret| said.contains(secret)), "it says a secret");
    if code == 1 {
        let doctor = entry.command(servers, folder, "doctor", free_port()).output().unwrap();
        let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(doctor.contains("BAD   order login"), "{doctor}");
        assert!(!secrets.iter().any(|secret| doctor.contains(secret)), "{doctor}");
    }
}

/// Waits until the servers keep streams: a node that starts earlier would wait.
fn wait_for(servers: &Servers) {
    for at in 0..3 {
        wait_until("the server listens", || std::net::TcpStream::connect(("127.0.0.1", servers.port(at))).is_ok());
    }
}

#[test]
fn a_node_shows_its_user_or_its_seed_with_the_rights_of_a_node_alone() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let (user, other) = (KeyPair::new(Role::User, &[1; 32]), KeyPair::new(Role::User, &[2; 32]));
    let seed = user.seed();
    let guard = format!(
        "authorization {{ users: [ {{ user: \"dealer\", password: \"pa:s@s/w%rd\", {RIGHTS} }}, {{ nkey: {}, {RIGHTS} }} ] }}",
        user.public_key()
    );
    let servers = Servers::start_guarded(&program, &folder.path().join("order"), &guard);
    wait_for(&servers);
    let secrets = ["pa:s@s/w%rd", "pa%3As%40s%2Fw%25rd"];
    let data = folder.path().join("by-password");
    gets_in(&Entry::by(&servers, "dealer:pa%3As%40s%2Fw%25rd@"), &servers, &data, &secrets);
    // The same account, so the same order: the same secrets.
    let file = folder.path().join("seed");
    gets_in(&Entry::with(&servers, &file, &seed), &servers, &data, &[&seed]);
    let new = folder.path().join("new");
    let wrong = ["authorization violation", "correct the user and the password in --order"];
    is_refused(&Entry::by(&servers, "dealer:hidden-word@"), &servers, &new, 1, &wrong, &["hidden-word"]);
    let nothing = ["authorization violation", "name a user and a password in --order"];
    is_refused(&Entry::by(&servers, ""), &servers, &new, 1, &nothing, &[]);
    let hidden = other.seed();
    let entry = Entry::with(&servers, &file, &hidden);
    is_refused(&entry, &servers, &new, 1, &["authorization violation", "--order-credentials"], &[&hidden]);
    // With wrong options no connection was opened.
    let entry = Entry::with(&servers, &file, "hidden word");
    is_refused(&entry, &servers, &new, 2, &["--order-credentials", "no credentials of NATS"], &["hidden word"]);
    fs::write(&file, &seed).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    is_refused(&entry, &servers, &new, 2, &["--order-credentials", "644"], &[&seed]);
}

#[test]
fn a_node_shows_a_token() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let guard = "authorization { token: \"a/token of ours\" }";
    let servers = Servers::start_guarded(&program, &folder.path().join("order"), guard);
    wait_for(&servers);
    let entry = Entry::by(&servers, "a%2Ftoken%20of%20ours@");
    gets_in(&entry, &servers, &folder.path().join("data"), &["a/token of ours", "a%2Ftoken"]);
    let why = ["authorization violation", "correct the token in --order"];
    is_refused(&Entry::by(&servers, "hidden@"), &servers, &folder.path().join("new"), 1, &why, &["hidden"]);
}

/// Claims, signed like NATS signs them.
fn jwt(issuer: &KeyPair, subject: &str, name: &str, claims: Value) -> String {
    let encode = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({
        "jti": name, "iat": 1_700_000_000, "iss": issuer.public_key(), "name": name, "sub": subject, "nats": claims,
    });
    let signed = format!("{}.{}", encode(json!({ "typ": "JWT", "alg": "ed25519-nkey" })), encode(claims));
    let signature = issuer.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// A `.creds` file of a user of this account.
fn credentials(account: &KeyPair) -> (String, String) {
    let user = KeyPair::new(Role::User, &[3; 32]);
    let claims = json!({ "type": "user", "version": 2, "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1 });
    let token = jwt(account, &user.public_key(), "dealer", claims);
    let seed = user.seed().to_string();
    let file = format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n************************* IMPORTANT \
         *************************\nNKEYs are sensitive.\n\n-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY \
         SEED------\n"
    );
    (file, seed)
}

/// An authority of this name, and a server's certificate from it; false without openssl.
fn certificates(folder: &Path, name: &str) -> bool {
    fs::write(folder.join("openssl.conf"), "[req]\ndistinguished_name = dn\n[dn]\n").unwrap();
    let make = |name: &str, options: &[&str]| {
        let mut command = Command::new("openssl");
        command.current_dir(folder).args(["req", "-config", "openssl.conf", "-x509", "-newkey", "ec", "-nodes"]);
        command.args(["-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2", "-subj", &format!("/CN={name}")]);
        command.args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")]).args(options);
        command.output().is_ok_and(|made| made.status.success())
    };
    let (authority, key) = (format!("{name}.pem"), format!("{name}.key"));
    make(name, &["-addext", "basicConstraints=critical,CA:TRUE"])
        && make(
            &format!("{name}-server"),
            &[
                "-CA",
                &authority,
                "-CAkey",
                &key,
                "-addext",
                "basicConstraints=CA:FALSE",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
            ],
        )
}

#[test]
fn a_node_shows_its_credentials_under_tls() {
    let program = server!();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    if ["own", "other"].iter().any(|name| !certificates(folder.path(), name)) {
        return println!("skipped: no openssl");
    }
    let operator = KeyPair::new(Role::Operator, &[4; 32]);
    let [account, system] = [[5; 32], [6; 32]].map(|secret| KeyPair::new(Role::Account, &secret));
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let of_account = |limits: &Value| json!({ "type": "account", "version": 2, "limits": limits });
    let of_operator = json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
    let mut of_system = limits.clone();
    for name in ["mem_storage", "disk_storage", "streams", "consumer"] {
        of_system[name] = json!(0);
    }
    let guard = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}, {}: {} }}\n\
         tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
        jwt(&operator, &operator.public_key(), "operator", of_operator),
        system.public_key(),
        account.public_key(),
        jwt(&operator, &account.public_key(), "house", of_account(&limits)),
        system.public_key(),
        jwt(&operator, &system.public_key(), "SYS", of_account(&of_system)),
        at("own-server.pem").display(),
        at("own-server.key").display(),
    );
    let servers = Servers::start_guarded(&program, &at("order"), &guard);
    wait_for(&servers);
    let (file, seed) = credentials(&account);
    let enter = |file: &str, ca: &str| {
        let mut entry = Entry::with(&servers, &at("creds"), file);
        entry.order = entry.order.replace("nats://", "tls://");
        entry.options.extend(["--order-ca".into(), at(ca).to_str().unwrap().into()]);
        entry
    };
    gets_in(&enter(&file, "own.pem"), &servers, &at("data"), &[&seed, file.lines().nth(1).unwrap()]);
    let (stranger, hidden) = credentials(&KeyPair::new(Role::Account, &[7; 32]));
    let why = ["authorization violation", "have the file of --order-credentials made anew"];
    is_refused(&enter(&stranger, "own.pem"), &servers, &at("new"), 1, &why, &[&hidden]);
    // Servers with untrusted certificates get no credentials; the node serves readers, and reports the reason.
    let node = Node::start(&enter(&file, "other.pem"), &servers, &at("new"));
    wait_until("it says why", || node.said().contains("invalid peer certificate"));
    let entry = enter(&file, "own.key");
    is_refused(&entry, &servers, &at("new"), 2, &["--order-ca", "holds no certificate"], &[]);
}
