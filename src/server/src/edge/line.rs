//! One connection: what it is doing, and what of its client may be read ([`Line::takes`]; see `connections`).

use rustix::net::Shutdown;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

/// The work that a connection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Doing {
    /// No request is under way: none came yet, or its head is not whole, or the last is answered.
    Nothing,
    /// A body is coming in.
    Receiving,
    /// A request is being answered.
    Working,
    /// A reply is going out.
    Sending,
    /// A reply is going out of which there is nothing to send now, as on a stream of events.
    Waiting,
}

/// The bytes that may be read from a connection's client now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The head of the next request.
    Head,
    /// Nothing: a request is being answered, or its reply is not written yet.
    Nothing,
    /// At most so many bytes of a body, or [`CHUNKED`], or [`ENDLESS`].
    Body(u64),
}

/// A body that ends with its last chunk.
pub const CHUNKED: u64 = u64::MAX;

/// A body that ends with its connection.
pub const ENDLESS: u64 = u64::MAX - 1;

/// One connection.
pub struct Line {
    pub(super) number: u64,
    socket: OwnedFd,
    pub(super) network: IpAddr,
    pub(super) doing: AtomicU8,
    /// Since when, or when the client last took something of a reply; milliseconds since the registry began.
    pub(super) since: AtomicU64,
    begun: Instant,
    /// A request came, and its reply is not handed over whole.
    under_way: AtomicBool,
    /// A reply is handed over whole, and the socket has not taken all of it.
    pub(super) unwritten: AtomicBool,
    /// Bytes that may still come of a request's body.
    body: AtomicU64,
    /// Somebody waits for more of it.
    wants_body: AtomicBool,
    /// The holder of the token that the client has shown, unless a guest's: a hash, or 0.
    pub(super) holder: AtomicU64,
    /// The reply is a stream, which ends with its client.
    is_stream: AtomicBool,
    /// When it was opened, as `since`.
    pub(super) opened: u64,
    /// The waker of the task that serves it, and whether that task is to end.
    task: Mutex<(Option<Waker>, bool)>,
}

impl Line {
    /// The connection of this number, of a registry that began then.
    pub(super) fn new(number: u64, socket: OwnedFd, network: IpAddr, begun: Instant) -> Self {
        let now = millis(begun.elapsed());
        let (under_way, unwritten, wants_body, is_stream) = Default::default();
        let (body, holder, task) = Default::default();
        Line {
            number,
            socket,
            network,
            doing: AtomicU8::new(Doing::Nothing as u8),
            since: AtomicU64::new(now),
            begun,
            under_way,
            unwritten,
            body,
            wants_body,
            holder,
            is_stream,
            opened: now,
            task,
        }
    }

    /// Notes what the connection does from now on.
    pub fn does(&self, doing: Doing) {
        self.since.store(millis(self.begun.elapsed()), Ordering::Relaxed);
        self.doing.store(doing as u8, Ordering::Relaxed);
    }

    /// Notes that a request came with a body of so many bytes ([`Takes`]).
    pub fn begins(&self, body: u64) {
        self.under_way.store(true, Ordering::Relaxed);
        self.body.store(body, Ordering::Relaxed);
        self.wants_body.store(false, Ordering::Relaxed);
        self.is_stream.store(false, Ordering::Relaxed);
        self.does(Doing::Working);
    }

    /// Notes that somebody waits for more of the body.
    pub fn wants_body(&self) {
        self.wants_body.store(true, Ordering::Relaxed);
    }

    /// Notes that so many bytes of a body came, and whether it ended with them.
    pub fn took(&self, bytes: usize, ended: bool) {
        let left = match self.body.load(Ordering::Relaxed) {
            _ if ended => 0,
            unknown @ (CHUNKED | ENDLESS) => unknown,
            left => left.saturating_sub(bytes as u64),
        };
        self.body.store(left, Ordering::Relaxed);
        self.wants_body.store(false, Ordering::Relaxed);
    }

    /// Notes whose token the client has shown, who is no guest.
    pub fn showed_a_token(&self, holder: &impl Hash) {
        let mut hasher = DefaultHasher::new();
        holder.hash(&mut hasher);
        self.holder.store(hasher.finish().max(1), Ordering::Relaxed);
    }

    /// Whether what still comes is the rest of a body, behind its reply.
    pub fn drains(&self) -> bool {
        self.body.load(Ordering::Relaxed) > 0 && !self.under_way.load(Ordering::Relaxed)
    }

    /// Notes that the reply is handed over whole.
    pub fn sent(&self) {
        self.unwritten.store(true, Ordering::Relaxed);
        self.under_way.store(false, Ordering::Relaxed);
        self.does(Doing::Nothing);
    }

    /// Notes that the socket has taken all that was handed over.
    pub fn written(&self) {
        self.unwritten.store(false, Ordering::Relaxed);
    }

    /// See [`Takes`]. The rest of a body that nobody reads is taken and dropped behind its reply, so that its
    /// sender gets to read that.
    pub fn takes(&self) -> Takes {
        let under_way = self.under_way.load(Ordering::Relaxed);
        match self.body.load(Ordering::Relaxed) {
            _ if self.unwritten.load(Ordering::Relaxed) => Takes::Nothing,
            0 if under_way => Takes::Nothing,
            0 => Takes::Head,
            _ if under_way && !self.wants_body.load(Ordering::Relaxed) => Takes::Nothing,
            left => Takes::Body(left),
        }
    }

    /// Whether what goes out now is no handler's reply: no request is under way, and the last reply is written.
    pub fn is_silent(&self) -> bool {
        !self.under_way.load(Ordering::Relaxed) && !self.unwritten.load(Ordering::Relaxed)
    }

    /// Notes that the reply is a stream, which ends with its client.
    pub fn streams(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    /// Whether it is one.
    pub(super) fn is_stream(&self) -> bool {
        self.is_stream.load(Ordering::Relaxed)
    }

    /// The bytes that may still come of a request's body ([`CHUNKED`], [`ENDLESS`]).
    pub fn body_left(&self) -> u64 {
        self.body.load(Ordering::Relaxed)
    }

    pub(super) fn is(&self, doing: Doing) -> bool {
        self.doing.load(Ordering::Relaxed) == doing as u8
    }

    pub(super) fn lasts(&self) -> Duration {
        if self.is(Doing::Waiting) { self.is_open_for() } else { self.until_now(self.since.load(Ordering::Relaxed)) }
    }

    pub(super) fn is_open_for(&self) -> Duration {
        self.until_now(self.opened)
    }

    fn until_now(&self, since: u64) -> Duration {
        self.begun.elapsed().saturating_sub(Duration::from_millis(since))
    }

    fn task(&self) -> MutexGuard<'_, (Option<Waker>, bool)> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was closed; else this is woken when it is. *What waits for something else than its socket would go on,
    /// and actix takes no connection while it has too many.*
    pub fn is_closed(&self, task: &Waker) -> bool {
        let mut own = self.task();
        if own.0.as_ref().is_none_or(|known| !known.will_wake(task)) {
            own.0 = Some(task.clone());
        }
        own.1
    }

    /// Ends the connection: its task is told, and the socket takes and gives no more. *What its client leaves unread, the
    /// system would keep for minutes.*
    pub(super) fn close(&self) {
        if self.unwritten.load(Ordering::Relaxed) || self.is(Doing::Sending) || self.is(Doing::Waiting) {
            let _ = rustix::net::sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
        }
        // It may be closed already.
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Both);
        let mut own = self.task();
        own.1 = true;
        own.0.take().into_iter().for_each(Waker::wake);
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The events on a connection, one after another, and what may be read of its client then.
    #[test]
    fn what_is_taken_from_a_client_in_each_situation() {
        use Takes::{Body, Head, Nothing};
        type Step = (&'static str, fn(&Line), Takes);
        let steps: [Step; 25] = [
            ("no request came yet", |_| (), Head),
            ("a request without a body is answered", |line| line.begins(0), Nothing),
            ("its call looks for a body", Line::wants_body, Nothing),
            ("its reply is handed over, and the client does not read", Line::sent, Nothing),
            ("the reply is written", Line::written, Head),
            ("a request has a body, which nobody reads yet", |line| line.begins(10), Nothing),
            ("its call reads it", Line::wants_body, Body(10)),
            ("a part came, and no more is asked for", |line| line.took(4, false), Nothing),
            ("more is asked for", Line::wants_body, Body(6)),
            ("all of it came", |line| line.took(6, false), Nothing),
            ("the call looks for more", Line::wants_body, Nothing),
            ("the reply is handed over", Line::sent, Nothing),
            ("the reply is written", Line::written, Head),
            ("a request has a body", |line| line.begins(10), Nothing),
            ("the reply comes before the body", Line::sent, Nothing),
            ("it is written: the body is read and dropped", Line::written, Body(10)),
            ("some of it came", |line| line.took(4, false), Body(6)),
            ("the rest came", |line| line.took(6, false), Head),
            ("a body comes in chunks", |line| line.begins(CHUNKED), Nothing),
            ("its call reads it", Line::wants_body, Body(CHUNKED)),
            (
                "a piece came, and the call waits for its last",
                |line| {
                    line.took(4, false);
                    line.wants_body();
                },
                Body(CHUNKED),
            ),
            ("its last chunk came", |line| line.took(5, true), Nothing),
            (
                "the reply is written",
                |line| {
                    line.sent();
                    line.written();
                },
                Head,
            ),
            ("a body ends with its connection, and is never asked for", |line| line.begins(ENDLESS), Nothing),
            (
                "the reply is written, and some of the body came",
                |line| {
                    line.sent();
                    line.written();
                    line.took(4, false);
                },
                Body(ENDLESS),
            ),
        ];
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let line = Line::new(1, socket.into(), IpAddr::from([127, 0, 0, 1]), Instant::now());
        for (what, happens, takes) in steps {
            happens(&line);
            assert_eq!(line.takes(), takes, "{what}");
        }
    }
}
