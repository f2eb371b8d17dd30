use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpListener;

/// How long open requests may take to finish once the service stops; exit follows within 10 s.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(8);

pub(crate) async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}: stop what uses it, or choose another address with --listen")
    })
}
