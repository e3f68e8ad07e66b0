//! A log served over HTTP from memory: as much of a service as an auditor reads.
#![allow(dead_code)]

use fairshoe_tlog::{EntryBundle, NoTiles, TilePath, Tree, bundles_for_size, leaf_hash, tiles_for_size};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

pub struct Served {
    pub address: String,
}

impl Served {
    /// Everything under `/tile`.
    pub fn tiles_of(log: &[Vec<u8>]) -> HashMap<String, Vec<u8>> {
        let mut paths = HashMap::new();
        let mut tree = Tree::new();
        for bytes in log {
            for tile in tree.append(leaf_hash(bytes)) {
                paths.insert(format!("/{}", TilePath::Tile { level: tile.level, index: tile.index, partial: None }), tile.bytes());
            }
        }
        for path in tiles_for_size(tree.size()) {
            if let TilePath::Tile { level, index, partial: Some(width) } = path {
                paths.insert(format!("/{path}"), tree.partial_tile(level, index, u16::from(width.get()), &NoTiles).unwrap());
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

    pub fn with(mut paths: HashMap<String, Vec<u8>>, checkpoint: &str, key: &str, bundle: Option<(&str, String)>) -> Served {
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
        let paths = Arc::new(paths);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let paths = paths.clone();
                thread::spawn(move || answer(stream, &paths));
            }
        });
        Served { address }
    }
}

fn answer(stream: TcpStream, paths: &HashMap<String, Vec<u8>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).ok()? == 0 {
            return Some(());
        }
        let mut header = String::new();
        while reader.read_line(&mut header).ok()? > 2 {
            header.clear();
        }
        let path = request.split(' ').nth(1)?;
        let (status, body) = match paths.get(path) {
            Some(body) => ("200 OK", body.clone()),
            None => ("404 Not Found", br#"{"detail":"there is no such thing"}"#.to_vec()),
        };
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).ok()?;
        stream.write_all(&body).ok()?;
    }
}
