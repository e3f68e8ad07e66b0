//! Witnesses: our own as a process, and one that lies on request.

use crate::binary;
use fairshoe_tlog::{AddCheckpoint, Cosigner, LastCosigned, Note, VerifierKey, WitnessRefusal, admit};
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The program `fairshoe-audit witness`.
pub struct WitnessProcess {
    child: Child,
    state: PathBuf,
    name: String,
    log: String,
    pub key: String,
    pub url: String,
}

impl WitnessProcess {
    pub fn start(state: &Path, name: &str, log: &str) -> WitnessProcess {
        Self::listen(state, name, log, "127.0.0.1:0")
    }

    fn listen(state: &Path, name: &str, log: &str, listen: &str) -> WitnessProcess {
        // It needs few files, whoever connects.
        let mut command = Command::new("prlimit");
        command.arg("--nofile=400").arg(binary("fairshoe-audit"));
        command.args(["witness", "--name", name, "--log", log, "--listen", listen, "--state"]).arg(state);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = lines.next().and_then(Result::ok).unwrap_or_else(|| panic!("the witness {name} did not start"));
        let mut words = said.strip_prefix("witness ").unwrap().split(" at ");
        let (key, url) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        std::thread::spawn(move || lines.for_each(drop));
        WitnessProcess { child, state: state.to_owned(), name: name.to_owned(), log: log.to_owned(), key, url }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it; it can be started again at the same address.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The same witness at the same address again.
    pub fn restart(&mut self) {
        self.kill();
        let address = self.url.strip_prefix("http://").unwrap().to_owned();
        *self = Self::listen(&self.state.clone(), &self.name.clone(), &self.log.clone(), &address);
    }

    /// Its line in a file of witnesses, under this name.
    pub fn line(&self, name: &str) -> String {
        format!("witness {name} {} {}\n", self.key, self.url)
    }
}

impl Drop for WitnessProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The behaviour of a test's own witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// It follows the protocol.
    Honest,
    /// It is honest, but signs with another key of the same name.
    WrongKey,
    /// It signs another text with its own key.
    WrongText,
    /// It sends text that is no signature line.
    Garbage,
    /// It sends the cosignature after a second and a half.
    Slow,
    /// It sends the cosignature one byte at a time, too slowly.
    Drip,
    /// It sends the cosignature, and ten megabytes more.
    Huge,
    /// It answers 409 with another smaller size each time.
    ConflictLoop,
    /// It answers 409 without a size.
    ConflictBare,
    /// It answers 409 with the size that was sent.
    ConflictSame,
    /// It answers 409 with a size beyond the log.
    Ahead,
    /// It answers 422: another tree.
    OtherTree,
    /// It redirects to itself, with 307.
    Redirect,
    /// Its time is an hour ahead.
    Ahead1Hour,
    /// Its time is an hour behind.
    Behind1Hour,
    /// It answers 503.
    Unavailable,
    /// It closes the connection.
    HangUp,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub at: Instant,
    pub connection: usize,
    pub old_size: u64,
    pub size: u64,
    pub status: u16,
}

struct Inside {
    manner: Manner,
    seen: Option<LastCosigned>,
    asked: Vec<Asked>,
    connections: usize,
}

/// A witness within the test, with its own port.
#[derive(Clone)]
pub struct FakeWitness {
    pub key: VerifierKey,
    pub url: String,
    inside: Arc<Mutex<Inside>>,
}

impl FakeWitness {
    pub fn start(name: &str, log: VerifierKey, manner: Manner) -> FakeWitness {
        let seed: [u8; 32] = Sha256::digest(name).into();
        let key = Cosigner::new(name, &seed).unwrap().verifier_key().clone();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inside = Arc::new(Mutex::new(Inside { manner, seen: None, asked: Vec::new(), connections: 0 }));
        let witness = FakeWitness { key, url, inside: inside.clone() };
        let name = name.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let connection = {
                    let mut inside = inside.lock().unwrap();
                    inside.connections += 1;
                    inside.connections
                };
                let (inside, log, name) = (inside.clone(), log.clone(), name.clone());
                std::thread::spawn(move || {
                    serve(&stream, connection, &inside, &log, &Cosigner::new(&name, &seed).unwrap())
                });
            }
        });
        witness
    }

    pub fn behave(&self, manner: Manner) {
        self.inside.lock().unwrap().manner = manner;
    }

    /// The submissions so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.inside.lock().unwrap().asked.clone()
    }

    /// Its line in a file of witnesses, under this name.
    pub fn line(&self, name: &str) -> String {
        format!("witness {name} {} {}\n", self.key, self.url)
    }
}

fn serve(
    stream: &TcpStream,
    connection: usize,
    inside: &Mutex<Inside>,
    log: &VerifierKey,
    cosigner: &Cosigner,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut out = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let is_submission = line.starts_with("POST /add-checkpoint ");
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().ok()?
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        if !is_submission {
            out.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").ok()?;
            continue;
        }
        let request = AddCheckpoint::parse(&body).unwrap();
        let manner = inside.lock().unwrap().manner;
        let (status, kind, answer) = answer(manner, &request, inside, log, cosigner);
        let text = Note::parse(request.checkpoint.as_bytes(), 10_000).unwrap().text().to_owned();
        let size = text.split('\n').nth(1).unwrap().parse().unwrap();
        let asked = Asked { at: Instant::now(), connection, old_size: request.old_size, size, status };
        inside.lock().unwrap().asked.push(asked);
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nlocation: /add-checkpoint\r\n\r\n",
            answer.len()
        );
        match manner {
            Manner::HangUp => return None,
            Manner::Slow => {
                std::thread::sleep(Duration::from_millis(1500));
                out.write_all(&[head.as_bytes(), &answer].concat()).ok()?;
            }
            Manner::Drip => {
                for byte in [head.as_bytes(), &answer].concat() {
                    out.write_all(&[byte]).ok()?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            _ => out.write_all(&[head.as_bytes(), &answer].concat()).ok()?,
        }
    }
}

fn answer(
    manner: Manner,
    request: &AddCheckpoint,
    inside: &Mutex<Inside>,
    log: &VerifierKey,
    cosigner: &Cosigner,
) -> (u16, &'static str, Vec<u8>) {
    let plain = "text/plain; charset=utf-8";
    let size_of = |size: u64| (409, "text/x.tlog.size", format!("{size}\n").into_bytes());
    let note = Note::parse(request.checkpoint.as_bytes(), 10_000).unwrap();
    let text = note.text().to_owned();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let line = |time| cosigner.cosign(&text, time).unwrap().into_bytes();
    match manner {
        Manner::Honest => {
            let mut inside = inside.lock().unwrap();
            match admit(request, log, inside.seen) {
                Ok((checkpoint, _)) => {
                    inside.seen = Some(LastCosigned { size: checkpoint.size, root: checkpoint.root });
                    (200, plain, line(now))
                }
                Err(WitnessRefusal::Conflict(size)) => size_of(size),
                Err(refusal) => (refusal.status(), plain, refusal.to_string().into_bytes()),
            }
        }
        Manner::WrongKey => {
            let other = Cosigner::new(cosigner.verifier_key().name(), &[99; 32]).unwrap();
            (200, plain, other.cosign(&text, now).unwrap().into_bytes())
        }
        Manner::WrongText => {
            let other = text.replacen('\n', "\n1", 1);
            (200, plain, cosigner.cosign(&other, now).unwrap().into_bytes())
        }
        Manner::Garbage => (200, plain, b"\x00\xff nonsense \n\n\n".to_vec()),
        Manner::Huge => (200, plain, [line(now), vec![b'\n'; 10 << 20]].concat()),
        Manner::ConflictLoop => size_of(if request.old_size == 1 { 2 } else { 1 }),
        Manner::ConflictBare => (409, plain, b"conflict\n".to_vec()),
        Manner::ConflictSame => size_of(request.old_size),
        Manner::Ahead => size_of(1_000_000_000),
        Manner::OtherTree => {
            if request.old_size == 0 {
                size_of(1)
            } else {
                (422, plain, b"another tree\n".to_vec())
            }
        }
        Manner::Redirect => (307, plain, Vec::new()),
        Manner::Ahead1Hour => (200, plain, line(now + 3600)),
        Manner::Behind1Hour => (200, plain, line(now - 3600)),
        Manner::Unavailable => (503, plain, b"later\n".to_vec()),
        Manner::Slow | Manner::Drip | Manner::HangUp => (200, plain, line(now)),
    }
}
