use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use causeway_client::CancellationToken;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::super::failure::Failure;
use super::super::output;
use super::server::ToolServer;

/// The environment variable of the token that HTTP clients send.
const TOKEN: &str = "CAUSEWAY_MCP_TOKEN";
const MIN_TOKEN_LENGTH: usize = 16;

/// Serves the tools over HTTP at `/mcp`, to clients with the token.
pub(super) async fn serve(
    server: ToolServer,
    address: SocketAddr,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let token = std::env::var(TOKEN).ok().filter(|token| token.len() >= MIN_TOKEN_LENGTH).ok_or_else(|| {
        Failure::usage(format!(
            "over HTTP every client must know a secret: set {TOKEN} to at least {MIN_TOKEN_LENGTH} random \
             characters, for example from `openssl rand -hex 32`"
        ))
    })?;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .map_err(|error| Failure::Local(format!("cannot listen on {address}: {error}")))?;
    let address = listener.local_addr()?;
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_cancellation_token(stop.child_token());
    let config = if address.ip().is_loopback() { config } else { config.disable_allowed_hosts() };
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let expected: Arc<str> = format!("Bearer {token}").into();
    let router =
        axum::Router::new().nest_service("/mcp", service).layer(from_fn_with_state(expected, authorize));
    output::notice(&format!("serving MCP at http://{address}/mcp"));
    Ok(axum::serve(listener, router).with_graceful_shutdown(async move { stop.cancelled().await }).await?)
}

async fn authorize(State(expected): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    if is_equal(given, expected.as_bytes()) {
        return next.run(request).await;
    }
    let message = format!("Send the token of {TOKEN} as `Authorization: Bearer …`.\n");
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], message).into_response()
}

/// Compares in a time that does not depend on where the texts differ.
fn is_equal(given: &[u8], expected: &[u8]) -> bool {
    let differences = given.iter().zip(expected).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == expected.len() && differences == 0
}
