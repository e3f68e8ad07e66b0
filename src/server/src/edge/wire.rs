//! A connection as actix reads and writes it, and the replies that no handler gives.
//!
//! A broken request (a line or a header that cannot be read, a head that is too long or does not come) never reaches a
//! handler. actix-http answers it by itself, with a status and no body, and has no hook there. It sends nothing else by
//! itself while no request is under way and no reply unwritten: every handler's reply passes `counted`, which notes its
//! begin, and `Paced`, which notes its end. A problem goes out in its place, as the connection's last reply.
//!
//! actix reads from here one whole head, or a piece of one body when somebody waits for it, and no byte of the next
//! request until the reply is written (`connections`). So its memory is bounded, and it parses no head twice.

use crate::Service;
use crate::edge::connections::Connected;
use crate::edge::count_reply;
use crate::edge::framing::{Body, Chunks, Head, MOST_HEAD};
use crate::edge::limits::network;
use crate::edge::line::{CHUNKED, Line, Takes};
use crate::edge::own_reply::{Own, problem};
use crate::edge::problem::count;
use crate::edge::share::{Payer, Share};
use crate::edge::socket::Socket;
use crate::edge::tls::Tls;
use crate::read::lanes::Sender;
use actix_web::http::StatusCode;
use actix_web::rt::net::TcpStream;
use actix_web::rt::time::{Instant, Sleep, sleep, sleep_until, timeout};
use actix_web::web;
use std::cell::Cell;
use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};

/// How long the client's further bytes are read and dropped after a refusal. A connection that is closed with bytes
/// unread is reset, and then a client may lose the reply.
const LINGER: Duration = Duration::from_secs(2);

/// The most bytes that are read and dropped.
const MOST_DROPPED: usize = 1 << 20;

/// The most bytes of an unread body that are read and dropped after its reply: more than any call takes.
const MOST_UNREAD: usize = 4 << 20;

/// The same of a body in chunks. *Chunks of one byte take longer to read than all requests.*
const MOST_UNREAD_CHUNKED: usize = 64 << 10;

/// The most bytes that are read at once, and that are handed over of a body.
const AT_ONCE: usize = 8 << 10;

/// How long the head of a request may take to come, from its first byte on or from the beginning of its connection.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// Stands in for a head that is too long or late: actix refuses it with its own reply, and ends the connection.
const NO_REQUEST: &[u8] = b"\0";

/// A connection. See the module.
pub struct Wire {
    socket: Socket,
    service: web::Data<Service>,
    line: Arc<Line>,
    /// The place among the connections, until actix takes it.
    connected: Cell<Option<Connected>>,
    /// Bytes that the client sent, and actix has not got yet.
    ahead: Vec<u8>,
    head: Head,
    /// Bytes of a whole head that actix has not got yet; none: the head is not whole.
    head_left: Option<usize>,
    /// By when the rest of it must come, once some of it did.
    head_until: Option<Pin<Box<Sleep>>>,
    /// Why it is refused before actix reads it.
    refused: Option<StatusCode>,
    chunks: Chunks,
    /// A broken body, or one without an end, came: bytes after it are not read.
    is_broken: bool,
    /// Bytes of this body that came after its reply.
    unread: usize,
    /// The sender who pays for incoming bytes, and until when the rest of a body waits for their part.
    payer: Rc<Payer>,
    waits: Option<Pin<Box<Sleep>>>,
    /// Bytes handed to actix since it last looked at them, and what it could take at that time.
    given: usize,
    took: Takes,
    /// The socket wakes actix when more comes.
    is_awaited: bool,
    /// Whether the client has stopped reading, and whether it read until now.
    is_blocked: bool,
    was_blocked: bool,
    /// The client has ended its side.
    ended: bool,
    farewell: Option<Farewell>,
}

impl Wire {
    /// A connection that was accepted, if there is a place for it.
    pub fn new(socket: TcpStream, service: web::Data<Service>, share: &Rc<Share>) -> Option<Self> {
        let (connected, peer) =
            (service.connections.accept(&socket, service.budget.is_tight())?, socket.peer_addr().ok()?.ip());
        let from = (!service.limits.is_proxy(peer)).then(|| network(peer));
        let payer = Payer::new(share.clone(), from.map(Sender::Address));
        let greets = from.map(|from| (share.clone(), from));
        Some(Wire {
            socket: Socket::new(socket, service.tls.as_ref().map(Tls::config), greets),
            service,
            line: connected.line().clone(),
            connected: Cell::new(Some(connected)),
            ahead: Vec::new(),
            head: Head::default(),
            head_left: None,
            head_until: None,
            refused: None,
            chunks: Chunks::default(),
            is_broken: false,
            unread: 0,
            payer,
            waits: None,
            given: 0,
            took: Takes::Head,
            is_awaited: false,
            is_blocked: false,
            was_blocked: false,
            ended: false,
            farewell: None,
        })
    }

    /// Its place among the connections, once.
    pub fn take_place(&self) -> Option<Connected> {
        self.connected.take()
    }

    /// The connection, as the registry knows it.
    pub fn line(&self) -> Arc<Line> {
        self.line.clone()
    }

    /// The sender who pays for incoming bytes.
    pub fn payer(&self) -> Rc<Payer> {
        self.payer.clone()
    }

    /// The reply that replaces actix's own; counted like a handler's.
    fn farewell(&mut self, own: &Own<'_>) -> Farewell {
        let own = self.refused.map_or(*own, |status| own.with(status));
        let problem = problem(own.status);
        count(&self.service, &problem);
        count_reply(&self.service, own.status);
        let socket = std::mem::replace(&mut self.socket, Socket::Gone);
        Box::pin(bid_farewell(socket, own.with_body(&problem), self.service.connections.write_timeout()))
    }

    /// Makes actix end the connection instead of reading a head.
    fn refuse(&mut self, why: StatusCode) {
        (self.refused, self.head_left) = (Some(why), Some(NO_REQUEST.len()));
        self.ahead = NO_REQUEST.to_vec();
    }

    /// Whether a head that began to come is late. actix looks at the first of a connection alone. *A byte now and then
    /// would keep a connection that was answered once open for ever.*
    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        if self.head_left.is_some() || self.ahead.is_empty() {
            return false;
        }
        self.head_until.get_or_insert_with(|| Box::pin(sleep(HEAD_TIME))).as_mut().poll(context).is_ready()
    }

    /// Hands over the bytes that actix may read now. Returns whether there were any.
    fn hand_over(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let taken = match self.line.takes() {
            Takes::Nothing => 0,
            Takes::Head => {
                if self.head_left.is_none() {
                    self.head_left = self.head.end(&self.ahead);
                    // No matter in which pieces it came.
                    if self.head_left.unwrap_or(self.ahead.len()) > MOST_HEAD {
                        self.refuse(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
                    }
                }
                let taken = self.head_left.map_or(0, |left| left.min(buffer.remaining()));
                self.head_left = self.head_left.map(|left| left.saturating_sub(taken));
                taken
            }
            Takes::Body(left) => {
                let room = buffer.remaining().min(AT_ONCE.saturating_sub(self.given)).min(self.ahead.len());
                let (taken, body) = match left {
                    CHUNKED => self.chunks.take(self.ahead.get(..room).unwrap_or_default()),
                    left => (room.min(usize::try_from(left).unwrap_or(usize::MAX)), Body::GoesOn),
                };
                if taken > 0 {
                    self.line.took(taken, body == Body::Over);
                }
                self.unread = if self.line.drains() { self.unread.saturating_add(taken) } else { 0 };
                self.is_broken |= self.unread > if left == CHUNKED { MOST_UNREAD_CHUNKED } else { MOST_UNREAD };
                match body {
                    Body::GoesOn => {}
                    Body::Over => self.chunks = Chunks::default(),
                    Body::Broken => self.is_broken = true,
                }
                taken
            }
        };
        buffer.put_slice(self.ahead.get(..taken).unwrap_or_default());
        drop(self.ahead.drain(..taken.min(self.ahead.len())));
        self.given = self.given.saturating_add(taken);
        taken > 0
    }
}

impl Wire {
    /// Whether incoming bytes wait until their sender has time to spend again: the rest of an unread body or of a slow
    /// head, or bytes that come while no request is read.
    fn is_held_back(&mut self, context: &mut Context<'_>) -> bool {
        let waits = self.line.drains() || self.payer.is_slow() || self.line.takes() == Takes::Nothing;
        let until = if waits { self.payer.owes_until() } else { None };
        self.waits = until.map(|until| Box::pin(sleep_until(until)));
        self.waits.as_mut().is_some_and(|wait| wait.as_mut().poll(context).is_pending())
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.is_awaited = false;
        // A client who does not read is not read from; the socket wakes actix when they do.
        while !this.is_blocked && this.farewell.is_none() {
            let takes = this.line.takes();
            if this.is_held_back(context) {
                break;
            }
            if matches!(takes, Takes::Body(_)) && this.given >= AT_ONCE {
                // Others come first.
                context.waker().wake_by_ref();
                break;
            }
            if this.hand_over(buffer) {
                return Poll::Ready(Ok(()));
            }
            if takes == Takes::Head && this.head_left == Some(0) && !this.ahead.is_empty() {
                // The request of this head has not begun: the rest may be its body, whether an end is behind it or not.
                break;
            }
            if takes == Takes::Head && this.is_late(context) {
                this.refuse(StatusCode::REQUEST_TIMEOUT);
                continue;
            }
            if this.ended || this.is_broken {
                return if takes == Takes::Nothing { Poll::Pending } else { Poll::Ready(Ok(())) };
            }
            // Heads are read far enough to see an end after them; of a body only a little is read.
            let most = if this.line.body_left() == 0 { MOST_HEAD } else { 0 };
            if this.ahead.len() > most {
                break;
            }
            let mut room = [MaybeUninit::uninit(); AT_ONCE];
            let mut read = ReadBuf::uninit(&mut room);
            this.is_awaited = true;
            let begun = Instant::now();
            let came = Pin::new(&mut this.socket).poll_read(context, &mut read);
            if this.socket.has_read() || !read.filled().is_empty() {
                this.payer.socket_was_read(begun.elapsed());
            }
            ready!(came)?;
            this.is_awaited = false;
            this.ended = read.filled().is_empty();
            this.ahead.extend_from_slice(read.filled());
        }
        Poll::Pending
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.farewell.is_none() && this.line.is_silent() {
            this.farewell = Own::of(bytes).map(|own| this.farewell(&own));
        }
        if let Some(farewell) = &mut this.farewell {
            ready!(farewell.as_mut().poll(context));
            this.farewell = None;
            return Poll::Ready(Ok(bytes.len()));
        }
        let begun = Instant::now();
        let written = Pin::new(&mut this.socket).poll_write(context, bytes);
        this.payer.wrote(begun.elapsed());
        this.was_blocked |= this.is_blocked;
        this.is_blocked = written.is_pending();
        written
    }

    /// Fails if the connection was closed, or if the client has ended its side or sent more than is read, and is taken
    /// for gone. A client who waits for a reply may only have said that no further request comes.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let is_unseen = this.ended || this.line.body_left() == 0 && this.ahead.len() > MOST_HEAD;
        if this.line.is_closed(context.waker()) || is_unseen && this.service.connections.ends_with_client(&this.line) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        ready!(Pin::new(&mut this.socket).poll_flush(context))?;
        // actix has looked at all that it was given, and has handed over all that it has to send.
        this.line.written();
        let takes = this.line.takes();
        if takes == Takes::Head && this.head_left == Some(0) {
            (this.head, this.head_left, this.head_until) = (Head::default(), None, None);
        }
        if this.ahead.is_empty() {
            // It keeps no memory.
            this.ahead = Vec::new();
        }
        // Otherwise actix would not ask for more.
        let can_go_on = this.given > 0 || takes != this.took || this.was_blocked;
        let is_awaited = this.is_awaited && (takes == Takes::Nothing || this.ahead.is_empty());
        let reads_on = takes != Takes::Nothing || this.line.body_left() == 0;
        if can_go_on && reads_on && !is_awaited {
            context.waker().wake_by_ref();
        }
        (this.given, this.took, this.was_blocked) = (0, takes, false);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(context)
    }
}

/// The last reply of a connection, on its way.
type Farewell = Pin<Box<dyn Future<Output = ()>>>;

/// Sends it, ends our side, and drops further bytes for a while; then the connection may be closed.
async fn bid_farewell(mut socket: Socket, reply: String, patience: Duration) {
    let says = async {
        socket.write_all(reply.as_bytes()).await?;
        socket.shutdown().await
    };
    if matches!(timeout(patience, says).await, Ok(Ok(()))) {
        let (mut room, mut dropped) = ([0; AT_ONCE], 0);
        let hears = async {
            while let Ok(more @ 1..) = socket.read(&mut room).await {
                dropped += more;
                if dropped > MOST_DROPPED {
                    break;
                }
            }
        };
        let _ = timeout(LINGER, hears).await;
    }
}
