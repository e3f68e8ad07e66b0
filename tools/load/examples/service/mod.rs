//! The service as its own process, for a measurement.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A program that was built beside this one.
pub fn program(name: &str) -> PathBuf {
    let examples = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let found = [examples.join(name), examples.parent().unwrap().join(name)].into_iter().find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("{name} is not built: cargo build --release --workspace --examples, cargo build --release --workspace")
    })
}

/// The service on a folder; dropping it stops the service cleanly.
pub struct Service {
    process: Child,
    /// Its address, with its own port.
    pub address: String,
}

impl Service {
    /// Starts this build of it with more options, and waits until it deals; a node of a shard, until it leads.
    pub fn start(service: &Path, data: &Path, options: &[String]) -> Service {
        let started = Self::start_node(service, data, options);
        while is_node(options) && !leads(&started.address) {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        started
    }

    /// The same for a node that follows another.
    pub fn start_node(service: &Path, data: &Path, options: &[String]) -> Service {
        // A node needs a fixed port.
        let port =
            if is_node(options) { TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() } else { 0 };
        let mut process = Command::new(service)
            .args(["serve", "--token-rate", "0", "--address-rate", "0", "--listen"])
            .arg(format!("127.0.0.1:{port}"))
            .arg("--data")
            .arg(data)
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service cannot be started");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().expect("the service did not start").unwrap();
            if let Some(rest) = line.strip_prefix("fairshoe deals at http://") {
                break rest.split_whitespace().next().unwrap().to_owned();
            }
        };
        // A full pipe without a reader would stop the service.
        std::thread::spawn(move || lines.for_each(drop));
        Service { process, address }
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }
}

fn is_node(options: &[String]) -> bool {
    options.iter().any(|option| option == "--order")
}

fn leads(address: &str) -> bool {
    let mut text = String::new();
    let mut wire = TcpStream::connect(address).unwrap();
    wire.write_all(b"GET /v1/cluster HTTP/1.1\r\nhost: node\r\nconnection: close\r\n\r\n").unwrap();
    wire.read_to_string(&mut text).is_ok() && text.contains("\"leads\":true")
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status();
        let _ = self.process.wait();
    }
}
