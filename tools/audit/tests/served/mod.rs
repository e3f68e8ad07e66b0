//! A log served over HTTP from memory: as much of a service as an auditor reads.
#![allow(dead_code)]

use fairshoe_tlog::{EntryBundle, NoTiles, TilePath, Tree, bundles_for_size, leaf_hash, tiles_for_size};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

pub struct Served {
    pub address: String,
    shown: Arc<Shown>,
}

/// What is served now, and what was sent here.
#[derive(Default)]
struct Shown {
    paths: RwLock<HashMap<String, Vec<u8>>>,
    /// What is served in another's place, the first time that it is asked for.
    first: Mutex<HashMap<String, Vec<u8>>>,
    is_silent: AtomicBool,
    /// Paths that are answered with an error of their own.
    refused: RwLock<HashMap<String, &'static str>>,
    posted: Mutex<Vec<String>>,
}

impl Served {
    /// Everything under `/tile`.
    pub fn tiles_of(log: &[Vec<u8>]) -> HashMap<String, Vec<u8>> {
        let mut paths = HashMap::new();
        let mut tree = Tree::new();
        for bytes in log {
            for tile in tree.append(leaf_hash(bytes)) {
                paths.insert(
                    format!("/{}", TilePath::Tile { level: tile.level, index: tile.index, partial: None }),
                    tile.bytes(),
                );
            }
        }
        for path in tiles_for_size(tree.size()) {
            if let TilePath::Tile { level, index, partial: Some(width) } = path {
                paths.insert(
                    format!("/{path}"),
                    tree.partial_tile(level, index, u16::from(width.get()), &NoTiles).unwrap(),
                );
            }
        }
        for (path, entries) in bundles_for_size(tree.size()).zip(log.chunks(256)) {
            let bundle = EntryBundle::new(entries.iter().map(Vec::as_slice).collect()).unwrap();
            paths.insert(format!("/{path}"), bundle.encode());
        }
        paths
    }

    pub fn start(log: &[Vec<u8>], checkpoint: &str, key: &str, bundle: Option<(&str, String)>) -> Served {
        Served::with(Served::tiles_of(log), checkpoint, key, bundle)
    }

    pub fn with(
        mut paths: HashMap<String, Vec<u8>>,
        checkpoint: &str,
        key: &str,
        bundle: Option<(&str, String)>,
    ) -> Served {
        if let Some((round, text)) = bundle {
            paths.insert(format!("/v1/rounds/{round}/bundle"), text.into_bytes());
        }
        Served::with_checkpoint(paths, checkpoint.into(), key)
    }

    /// The same with a checkpoint of any bytes.
    pub fn with_checkpoint(mut paths: HashMap<String, Vec<u8>>, checkpoint: Vec<u8>, key: &str) -> Served {
        paths.insert("/checkpoint".into(), checkpoint);
        paths.insert("/v1/log".into(), serde_json::json!({ "vkey": key }).to_string().into_bytes());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let shown = Arc::new(Shown { paths: RwLock::new(paths), ..Shown::default() });
        let shared = shown.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shown = shared.clone();
                thread::spawn(move || answer(stream, &shown));
            }
        });
        Served { address, shown }
    }

    /// From now on this log is served, under this checkpoint.
    pub fn show(&self, log: &[Vec<u8>], checkpoint: &str) {
        let mut paths = self.shown.paths.write().unwrap();
        paths.retain(|path, _| !path.starts_with("/tile/"));
        paths.extend(Served::tiles_of(log));
        paths.insert("/checkpoint".into(), checkpoint.into());
    }

    /// Another thing that is served.
    pub fn put(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.shown.paths.write().unwrap().insert(path.into(), body.into());
    }

    /// Another thing that is served, once: then what is served in its place.
    pub fn put_first(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.shown.first.lock().unwrap().insert(path.into(), body.into());
    }

    /// A thing that is served no longer.
    pub fn remove(&self, path: &str) {
        self.shown.paths.write().unwrap().remove(path);
    }

    /// Whether every request is refused.
    pub fn be_silent(&self, is_silent: bool) {
        self.shown.is_silent.store(is_silent, Ordering::SeqCst);
    }

    /// These paths, and no others, are answered with an error.
    pub fn refuse<'p>(&self, paths: impl IntoIterator<Item = &'p str>, status: &'static str) {
        *self.shown.refused.write().unwrap() = paths.into_iter().map(|path| (path.to_owned(), status)).collect();
    }

    /// The bodies of all POSTs so far.
    pub fn posted(&self) -> Vec<String> {
        self.shown.posted.lock().unwrap().clone()
    }
}

fn answer(stream: TcpStream, shown: &Shown) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).ok()? == 0 {
            return Some(());
        }
        let mut header = String::new();
        let mut length = 0;
        while reader.read_line(&mut header).ok()? > 2 {
            let value =
                |name: &str| header.to_ascii_lowercase().strip_prefix(name).map(|value| value.trim().to_owned());
            length = value("content-length:").map_or(length, |value| value.parse().unwrap());
            header.clear();
        }
        let mut sent = vec![0; length];
        reader.read_exact(&mut sent).ok()?;
        let path = request.split(' ').nth(1)?;
        let first = shown.first.lock().unwrap().remove(path);
        let body = first.or_else(|| shown.paths.read().unwrap().get(path).cloned());
        let (status, body) = match body {
            _ if let Some(status) = shown.refused.read().unwrap().get(path).copied() => (status, b"<p>no".to_vec()),
            _ if shown.is_silent.load(Ordering::SeqCst) => ("503 Service Unavailable", Vec::new()),
            _ if request.starts_with("POST ") => {
                shown.posted.lock().unwrap().push(String::from_utf8(sent).unwrap());
                ("200 OK", Vec::new())
            }
            Some(body) => ("200 OK", body),
            None => ("404 Not Found", br#"{"detail":"there is no such thing"}"#.to_vec()),
        };
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
        stream.write_all(&body).ok()?;
    }
}
