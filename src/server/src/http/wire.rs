//! A connection as actix reads and writes it, and the replies that no handler gives.
//!
//! A request that is none (a line or a header that cannot be read, a head that is too long or does not come) never
//! reaches a handler. actix-http answers it by itself, with a status and no body, and has no hook there. Such a reply
//! is the last thing that actix writes on its connection (h1/dispatcher.rs: it reads no more from then on, and closes
//! when the reply is out), and actix hands over all that it has to send at once, so the bytes it hands over end with
//! it. It is recognised by all of this:
//!
//! - no request is under way: every handler's reply passes `counted`, which notes its begin, and `Paced`, which notes
//!   its end;
//! - the bytes end with a head that has what actix puts in and nothing else: a handler's problem has a body, and more
//!   headers;
//! - the last body that a handler sent does not end as a head does: so that head is no part of a body, whatever is in
//!   it.
//!
//! A problem goes out in its place. Where any of it is in doubt the bytes go out as they are.
//!
//! actix reads from here one head, or a piece of one body, and nothing of a next request until its reply is written
//! (`connections`).

use super::count_reply;
use super::own_reply::{Own, problem};
use super::problem::count;
use super::socket::Socket;
use crate::Service;
use crate::connections::{Connected, Line, Takes};
use actix_web::rt::net::TcpStream;
use actix_web::rt::time::{Instant, Sleep, sleep};
use actix_web::web::{self, Bytes};
use std::cell::Cell;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How long what a client still sends is read and dropped after a refusal. A connection that is closed with bytes
/// unread is reset, and then a client may lose the reply.
const LINGER: Duration = Duration::from_secs(2);

/// The most that is read and dropped, in bytes.
const MOST_DROPPED: usize = 1 << 20;

/// The most that is handed to actix before it looks at it, and the most that is read ahead; in bytes.
const AT_ONCE: usize = 8 << 10;

/// A connection. See the module.
pub struct Wire {
    socket: Socket,
    service: web::Data<Service>,
    line: Arc<Line>,
    /// The place among the connections, until actix takes it.
    connected: Cell<Option<Connected>>,
    /// What the client sent ahead.
    ahead: Vec<u8>,
    head: Head,
    /// Bytes handed to actix since it last looked at them, and what it could take then.
    given: usize,
    took: Takes,
    /// The socket wakes actix when more comes.
    is_awaited: bool,
    /// The client sends no more.
    ended: bool,
    farewell: Option<Farewell>,
}

impl Wire {
    /// A connection that was accepted, if there is a place for it.
    pub fn new(socket: TcpStream, service: web::Data<Service>) -> Option<Self> {
        let connected = service.connections.accept(&socket)?;
        Some(Wire {
            socket: Socket::new(socket, service.tls.as_ref()),
            service,
            line: connected.line().clone(),
            connected: Cell::new(Some(connected)),
            ahead: Vec::new(),
            head: Head::default(),
            given: 0,
            took: Takes::Head,
            is_awaited: false,
            ended: false,
            farewell: None,
        })
    }

    /// Its place among the connections, once.
    pub fn take_place(&self) -> Option<Connected> {
        self.connected.take()
    }

    /// What goes out in the place of actix's own reply, if these bytes begin with one; counted like a handler's.
    fn farewell(&self, own: &Own<'_>) -> Farewell {
        let problem = problem(own.status);
        count(&self.service, &problem);
        count_reply(&self.service, own.status);
        Farewell {
            reply: own.with_body(&problem).into(),
            replaced: own.length,
            until: Box::pin(sleep(self.service.connections.write_timeout())),
            said: false,
            dropped: 0,
        }
    }

    /// Hands over what actix may read of these bytes now; says how many.
    fn hand_over(&mut self, bytes: &[u8], buffer: &mut ReadBuf<'_>) -> usize {
        let room = buffer.remaining().min(AT_ONCE.saturating_sub(self.given));
        let bytes = bytes.get(..room).unwrap_or(bytes);
        let taken = match self.line.takes() {
            Takes::Nothing => 0,
            Takes::Head => self.head.take(bytes),
            Takes::Body(left) => {
                let taken = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                self.line.took(taken);
                taken
            }
        };
        buffer.put_slice(bytes.get(..taken).unwrap_or_default());
        self.given = self.given.saturating_add(taken);
        taken
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.given >= AT_ONCE {
            // Others come first.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        this.is_awaited = false;
        let before = buffer.filled().len();
        if this.ahead.is_empty() && !this.ended {
            // Also where nothing is taken: so an end is seen.
            let mut room = [MaybeUninit::uninit(); AT_ONCE];
            let mut read = ReadBuf::uninit(&mut room);
            this.is_awaited = true;
            ready!(Pin::new(&mut this.socket).poll_read(context, &mut read))?;
            this.is_awaited = false;
            this.ended = read.filled().is_empty();
            let taken = this.hand_over(read.filled(), buffer);
            this.ahead.extend_from_slice(read.filled().get(taken..).unwrap_or_default());
        } else {
            let mut ahead = std::mem::take(&mut this.ahead);
            drop(ahead.drain(..this.hand_over(&ahead, buffer)));
            // An empty one keeps no memory.
            this.ahead = if ahead.is_empty() { Vec::new() } else { ahead };
        }
        let is_end = this.ended && this.ahead.is_empty() && this.line.takes() != Takes::Nothing;
        if buffer.filled().len() > before || is_end { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

/// How much of a head is handed over: to its first empty line, which ends it. Those before its first line do not.
#[derive(Default)]
struct Head {
    began: bool,
    in_line: bool,
    is_whole: bool,
}

impl Head {
    /// How many of these bytes belong to it.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        for byte in bytes {
            if self.is_whole {
                break;
            }
            taken += 1;
            match byte {
                b'\n' => {
                    self.is_whole = self.began && !self.in_line;
                    self.in_line = false;
                }
                b'\r' => {}
                _ => (self.began, self.in_line) = (true, true),
            }
        }
        taken
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.farewell.is_none() && this.line.ends_with_no_body() {
            match Own::at_the_end(bytes) {
                Some(own) if own.length == bytes.len() => this.farewell = Some(this.farewell(&own)),
                // What comes before it goes out as it is; the next bytes handed over begin with it.
                Some(own) => {
                    let before = bytes.get(..bytes.len().saturating_sub(own.length)).unwrap_or(bytes);
                    return Pin::new(&mut this.socket).poll_write(context, before);
                }
                None => {}
            }
        }
        match &mut this.farewell {
            Some(farewell) => {
                ready!(farewell.poll(&mut this.socket, context))?;
                Poll::Ready(Ok(farewell.replaced.min(bytes.len())))
            }
            None => Pin::new(&mut this.socket).poll_write(context, bytes),
        }
    }

    /// Fails where the client is gone and waited for something: so its request, or its stream, ends at once. actix can
    /// do that itself (`h1_allow_half_closed`), but then it also drops the requests before one that it cannot read.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.ended && this.line.is_waited_for() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        ready!(Pin::new(&mut this.socket).poll_flush(context))?;
        // actix has looked at all that it was given, and has handed over all that it has to send.
        this.line.written();
        let takes = this.line.takes();
        if takes == Takes::Head && this.head.is_whole {
            this.head = Head::default();
        }
        // Else nothing would have it ask for more.
        let can_go_on = this.given > 0 || takes != this.took;
        if can_go_on && takes != Takes::Nothing && !this.is_awaited {
            context.waker().wake_by_ref();
        }
        (this.given, this.took) = (0, takes);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.farewell.is_some() { Poll::Ready(Ok(())) } else { Pin::new(&mut this.socket).poll_shutdown(context) }
    }
}

/// The last reply of a connection, on its way.
struct Farewell {
    /// What of it is still to be sent.
    reply: Bytes,
    /// How many of actix's bytes it takes the place of.
    replaced: usize,
    until: Pin<Box<Sleep>>,
    /// All of it is out, and that it is the last.
    said: bool,
    dropped: usize,
}

impl Farewell {
    /// Sends it, says that nothing follows, and drops what still comes, for a while; then the connection may be closed.
    fn poll(&mut self, socket: &mut Socket, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.until.as_mut().poll(context).is_ready() || self.dropped > MOST_DROPPED {
                return Poll::Ready(Ok(()));
            }
            if !self.reply.is_empty() {
                let sent = ready!(Pin::new(&mut *socket).poll_write(context, &self.reply))?;
                if sent == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                drop(self.reply.split_to(sent.min(self.reply.len())));
            } else if !self.said {
                ready!(Pin::new(&mut *socket).poll_shutdown(context))?;
                self.said = true;
                self.until.as_mut().reset(Instant::now() + LINGER);
            } else {
                let mut room = [0; 8 << 10];
                let mut buffer = ReadBuf::new(&mut room);
                ready!(Pin::new(&mut *socket).poll_read(context, &mut buffer))?;
                match buffer.filled().len() {
                    0 => return Poll::Ready(Ok(())),
                    more => self.dropped = self.dropped.saturating_add(more),
                }
            }
        }
    }
}
