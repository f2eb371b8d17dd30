use std::net::SocketAddr;
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

/// Time limit for a client to send its request headers.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);

/// Serves `listener` until `stop`, then lets open requests finish for at most `drain`.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken, drain: Duration) {
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => serve_connection(stream, peer, router.clone(), &graceful),
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

fn serve_connection(stream: TcpStream, peer: SocketAddr, router: Router, graceful: &GracefulShutdown) {
    // Small responses should be sent immediately; a socket without this option still works.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(Duration::from_secs(30));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection closed early");
        }
    });
}
