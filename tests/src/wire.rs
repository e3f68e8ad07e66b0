//! HTTP byte by byte, for requests that a correct client never sends, and for streams that do not end.

use crate::Reply;
use rustix::net::{AddressFamily, SocketType, bind, connect, socket, sockopt};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream};
use std::time::{Duration, Instant};

/// A connection to the service.
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A connection from an address of the loopback network; `None` if it was refused.
pub fn from(address: [u8; 4], url: &str, small_window: bool) -> Option<TcpStream> {
    let to: SocketAddrV4 = url.strip_prefix("http://").unwrap().parse().unwrap();
    let fd = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    if small_window {
        sockopt::set_socket_recv_buffer_size(&fd, 4096).unwrap();
    }
    bind(&fd, &SocketAddrV4::new(Ipv4Addr::from(address), 0)).unwrap();
    connect(&fd, &to).ok()?;
    let stream = TcpStream::from(fd);
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    Some(stream)
}

/// The same connection, with nothing read yet.
impl Clone for Wire {
    fn clone(&self) -> Wire {
        Wire { stream: self.stream.try_clone().unwrap(), buffer: Vec::new() }
    }
}

impl Wire {
    pub fn connect(url: &str, patience: Duration) -> Wire {
        Wire::over(TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap(), patience)
    }

    pub fn over(stream: TcpStream, patience: Duration) -> Wire {
        stream.set_read_timeout(Some(patience)).unwrap();
        stream.set_write_timeout(Some(patience)).unwrap();
        stream.set_nodelay(true).unwrap();
        Wire { stream, buffer: Vec::new() }
    }

    /// All bytes up to the end of the connection.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.fill() {}
        std::mem::take(&mut self.buffer)
    }

    /// Sends bytes; the service may already have closed the connection.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Ends sending; replies can still be read.
    pub fn says_no_more(&self) {
        self.stream.shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// Reads more; `false` at the end, on an error, or after the time limit.
    fn fill(&mut self) -> bool {
        let mut chunk = [0; 16 * 1024];
        match self.stream.read(&mut chunk) {
            Ok(read) if read > 0 => {
                self.buffer.extend_from_slice(&chunk[..read]);
                true
            }
            _ => false,
        }
    }

    fn take_until(&mut self, mark: &[u8]) -> Option<Vec<u8>> {
        loop {
            if let Some(at) = self.buffer.windows(mark.len()).position(|window| window == mark) {
                let rest = self.buffer.split_off(at + mark.len());
                return Some(std::mem::replace(&mut self.buffer, rest));
            }
            if !self.fill() {
                return None;
            }
        }
    }

    fn take(&mut self, length: usize) -> Option<Vec<u8>> {
        while self.buffer.len() < length {
            if !self.fill() {
                return None;
            }
        }
        let rest = self.buffer.split_off(length);
        Some(std::mem::replace(&mut self.buffer, rest))
    }

    /// The head of a reply: status and headers.
    pub fn head(&mut self) -> Option<Reply> {
        let head = String::from_utf8(self.take_until(b"\r\n\r\n")?).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
        Some(Reply { status, headers: headers.collect(), body: Vec::new() })
    }

    /// A chunk of a chunked body; `None` if it ended or was cut off.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = String::from_utf8(self.take_until(b"\r\n")?).ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        let chunk = self.take(size)?;
        self.take(2)?;
        (size > 0).then_some(chunk)
    }

    /// A whole reply; `None` if the service closed the connection without one.
    pub fn reply(&mut self) -> Option<Reply> {
        let mut reply = self.head()?;
        while reply.status == 100 {
            reply = self.head()?;
        }
        if let Some(length) = reply.header("content-length").map(|text| text.parse().unwrap()) {
            reply.body = self.take(length)?;
        } else if reply.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk() {
                reply.body.extend(chunk);
            }
        }
        Some(reply)
    }
}

/// A frame of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Entry { id: u64, data: String },
    Openings { id: u64, data: String },
    Own { id: u64, data: String },
    Comment(String),
}

impl Frame {
    /// The id of the event: its entry and its part. A comment has none.
    pub fn event_id(&self) -> Option<String> {
        match self {
            Frame::Entry { id, .. } => Some(id.to_string()),
            Frame::Openings { id, .. } => Some(format!("{id}.1")),
            Frame::Own { id, .. } => Some(format!("{id}.2")),
            Frame::Comment(_) => None,
        }
    }
}

/// An open event stream.
pub struct Events {
    wire: Wire,
    text: Vec<u8>,
}

impl Events {
    /// Opens a table's stream, after `last` if given.
    pub fn open(url: &str, table: &str, last: Option<u64>, patience: Duration) -> Events {
        Events::open_as(None, url, table, last, patience)
    }

    /// The same with this token.
    pub fn open_as(token: Option<&str>, url: &str, table: &str, last: Option<u64>, patience: Duration) -> Events {
        Events::open_behind(token, url, table, last.map(|id| id.to_string()).as_deref(), patience)
    }

    /// The same after the event with this id, which need not be an entry's.
    pub fn open_behind(token: Option<&str>, url: &str, table: &str, last: Option<&str>, patience: Duration) -> Events {
        let mut wire = Wire::connect(url, patience);
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        assert!(
            wire.send(format!("GET /v1/tables/{table}/events HTTP/1.1\r\nHost: test\r\n{token}{last}\r\n").as_bytes())
        );
        let head = wire.head().unwrap();
        assert_eq!(head.status, 200);
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        assert_eq!(head.header("cache-control"), Some("no-cache"));
        Events { wire, text: Vec::new() }
    }

    /// The next frame, comments included; `None` if the stream ended or after the time limit.
    pub fn any(&mut self) -> Option<Frame> {
        loop {
            if let Some(at) = self.text.windows(2).position(|two| two == b"\n\n") {
                let rest = self.text.split_off(at + 2);
                let frame = String::from_utf8(std::mem::replace(&mut self.text, rest)).unwrap();
                if let Some(comment) = frame.strip_prefix(':') {
                    return Some(Frame::Comment(comment.trim().to_owned()));
                }
                let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
                let event_id = field("id:").unwrap();
                let id = event_id.split('.').next().unwrap().parse().unwrap();
                let data = field("data:").unwrap().to_owned();
                let told = match field("event:") {
                    Some("entry") => Frame::Entry { id, data },
                    Some("own") => Frame::Own { id, data },
                    Some("openings") => Frame::Openings { id, data },
                    _ => panic!("an event of no kind: {frame}"),
                };
                assert_eq!(told.event_id().as_deref(), Some(event_id), "each event has an id of its own");
                return Some(told);
            }
            let more = self.wire.chunk()?;
            self.text.extend(more);
        }
    }

    /// The next entry, without openings; `None` if the stream ended or after the time limit.
    pub fn entry(&mut self) -> Option<(u64, String)> {
        loop {
            if let Frame::Entry { id, data } = self.any()? {
                return Some((id, data));
            }
        }
    }
}

/// So many events of a table's stream after the one with this id, for a reader whose connection breaks after every
/// single event.
pub fn broken_off_each_time(token: Option<&str>, url: &str, table: &str, behind: &str, count: usize) -> Vec<Frame> {
    let mut told: Vec<Frame> = Vec::new();
    while told.len() < count {
        let last = told.last().and_then(Frame::event_id).unwrap_or_else(|| behind.to_owned());
        let mut stream = Events::open_behind(token, url, table, Some(&last), Duration::from_secs(20));
        let next = std::iter::from_fn(|| stream.any()).find(|frame| !matches!(frame, Frame::Comment(_)));
        told.push(next.unwrap_or_else(|| panic!("nothing comes behind {last}")));
    }
    told
}

/// Waits for an event that must happen soon.
pub fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what} did not happen within 20 seconds");
        std::thread::sleep(Duration::from_millis(20));
    }
}
