use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::ConnectionLimits;

/// A connection that has to send its first byte, and then a whole request head, in time.
///
/// The HTTP library counts the time for a head only once it knows the HTTP version, which needs bytes.
pub(super) struct GuardedStream {
    stream: TcpStream,
    deadline: Pin<Box<Sleep>>,
    /// When the first head must have come.
    head_by: Instant,
    has_sent: bool,
    /// Set once a request was dispatched; from then on the HTTP library counts.
    has_request: Arc<AtomicBool>,
}

impl GuardedStream {
    pub(super) fn new(stream: TcpStream, limits: &ConnectionLimits, has_request: Arc<AtomicBool>) -> Self {
        Self {
            stream,
            deadline: Box::pin(sleep(limits.first_byte)),
            head_by: Instant::now() + limits.head,
            has_sent: false,
            has_request,
        }
    }

    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        !self.has_request.load(Ordering::Relaxed) && self.deadline.as_mut().poll(cx).is_ready()
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_late(cx) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if !self.has_sent && buffer.filled().len() > before {
            self.has_sent = true;
            let head_by = self.head_by;
            self.deadline.as_mut().reset(head_by);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
