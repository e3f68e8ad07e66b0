//! A connection's socket, bare or under TLS (spec/operating.md, "TLS").

use crate::edge::share::Share;
use actix_web::rt::net::TcpStream;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::server::Acceptor;
use tokio_rustls::server::TlsStream;

/// A handshake that is under way.
type Greeting = Pin<Box<dyn Future<Output = io::Result<TlsStream<Portioned>>>>>;

/// The most that is read at once of what comes under TLS, in bytes. *rustls goes on reading until a record has a byte to hand
/// over: twenty thousand that have none would keep a worker for fifty milliseconds.*
const PORTION: usize = 8 << 10;

/// A socket under TLS. The handshake reads as it likes.
pub struct Portioned {
    socket: TcpStream,
    /// So many bytes may be read before others have their turn.
    left: usize,
}

impl AsyncRead for Portioned {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.left == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.socket).poll_read(context, buffer);
        this.left = this.left.saturating_sub(buffer.filled().len().saturating_sub(before));
        read
    }
}

impl AsyncWrite for Portioned {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().socket).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(context)
    }
}

/// See the module.
pub enum Socket {
    /// The bytes that come are the request itself.
    Bare(TcpStream),
    /// The handshake is under way; it belongs to the time that a first request's head may take.
    Greeting(Greeting),
    /// The handshake is done.
    Secret(Box<TlsStream<Portioned>>),
    /// The handshake failed, and the socket went with it.
    Gone,
}

impl Socket {
    /// A connection that was accepted; under TLS with what it is shown, and whose share its handshake comes out of, and where it comes from.
    pub fn new(socket: TcpStream, tls: Option<Arc<ServerConfig>>, share: Option<(Rc<Share>, IpAddr)>) -> Self {
        match tls {
            None => Socket::Bare(socket),
            Some(tls) => Socket::Greeting(Box::pin(greet(socket, tls, share))),
        }
    }

    /// Goes on with the handshake, until there is something to read from.
    fn poll_greeting(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Socket::Greeting(greeting) = self else { return Poll::Ready(Ok(())) };
        match ready!(greeting.as_mut().poll(context)) {
            Ok(stream) => {
                *self = Socket::Secret(Box::new(stream));
                Poll::Ready(Ok(()))
            }
            Err(failure) => {
                *self = Socket::Gone;
                Poll::Ready(Err(failure))
            }
        }
    }

    /// Whether the last reading, under TLS, took anything from the socket.
    pub fn has_read(&self) -> bool {
        matches!(self, Socket::Secret(stream) if stream.get_ref().0.left < PORTION)
    }

    /// The open stream. Before the handshake is over nothing can be said to the client.
    fn open(&mut self) -> io::Result<Pin<&mut dyn Stream>> {
        match self {
            Socket::Bare(socket) => Ok(Pin::new(socket)),
            Socket::Secret(stream) => Ok(Pin::new(stream.as_mut())),
            Socket::Greeting(_) | Socket::Gone => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// The handshake. *Each costs a signature, before anybody has shown a token*: it waits for its turn once the client has said
/// all that it says first.
async fn greet(
    socket: TcpStream,
    tls: Arc<ServerConfig>,
    share: Option<(Rc<Share>, IpAddr)>,
) -> io::Result<TlsStream<Portioned>> {
    let socket = Portioned { socket, left: usize::MAX };
    let hello = LazyConfigAcceptor::new(Acceptor::default(), socket).await?;
    let Some((share, from)) = share else { return hello.into_stream(tls).await };
    share.greets(from, || hello.into_stream(tls)).await
}

/// A stream that is read and written.
trait Stream: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for S {}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_greeting(context))?;
        if let Socket::Secret(stream) = this {
            stream.get_mut().0.left = PORTION;
        }
        this.open()?.poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().open()?.poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut().open() {
            Ok(stream) => stream.poll_flush(context),
            // Nothing was written.
            Err(_) => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut().open() {
            Ok(stream) => stream.poll_shutdown(context),
            Err(_) => Poll::Ready(Ok(())),
        }
    }
}
