mod guarded_stream;
mod limits;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::{Request, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

pub use limits::ConnectionLimits;

use crate::slots::{Slot, Slots, SlotsFull};
use guarded_stream::GuardedStream;

/// Requests that one HTTP/2 connection may have open at a time.
const MAX_CONCURRENT_STREAMS: u32 = 100;

/// The same words are logged at most this often.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Sent to a client that has too many connections, before its new one is closed.
const REFUSAL: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 10\r\n\
    connection: close\r\ncontent-length: 124\r\n\r\n\
    {\"name\":\"RateLimitedException\",\"message\":\"This address has too many open connections, or all are taken. Try \
    again in 10 s.\"}";

/// Serves `listener` until `stop`, then lets open requests finish for at most `drain`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
    drain: Duration,
) {
    let graceful = GracefulShutdown::new();
    let slots = Slots::new(limits.total, limits.per_address);
    let mut refused = RefusalLog::default();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => match slots.take(peer.ip()) {
                Ok(slot) => serve_connection(stream, peer, router.clone(), limits, slot, &graceful),
                Err(full) => {
                    // As much as fits into the socket's buffer; a client that does not read is simply closed.
                    let _ = stream.try_write(REFUSAL);
                    refused.add(full, peer, slots.taken());
                }
            },
            Err(error) => {
                // Most likely out of file descriptors: give open connections a moment to end.
                tracing::warn!(%error, "accept failed");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    let open = graceful.count();
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!(open, "drain timeout exceeded, closing open requests");
    }
}

fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ConnectionLimits,
    slot: Slot,
    graceful: &GracefulShutdown,
) {
    // Small responses should be sent immediately; a socket without this option still works.
    let _ = stream.set_nodelay(true);
    let has_request = Arc::new(AtomicBool::new(false));
    let stream = GuardedStream::new(stream, &limits, Arc::clone(&has_request));
    let service = service_fn(move |mut request: Request<Incoming>| {
        has_request.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.head);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        let _slot = slot;
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection closed early");
        }
    });
}

/// Counts refused connections, and logs them now and then.
#[derive(Default)]
struct RefusalLog {
    count: u64,
    logged: Option<tokio::time::Instant>,
}

impl RefusalLog {
    fn add(&mut self, full: SlotsFull, peer: SocketAddr, open: usize) {
        self.count = self.count.saturating_add(1);
        if self.logged.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            let limit = match full {
                SlotsFull::Total => "server.connections.total",
                SlotsFull::Address => "server.connections.per_address",
            };
            tracing::warn!(refused = self.count, address = %peer.ip(), open, limit, "too many connections");
            *self = Self { count: 0, logged: Some(tokio::time::Instant::now()) };
        }
    }
}
