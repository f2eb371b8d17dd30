mod classify;
mod endpoint;
mod endpoints;
mod fault;
mod health;
mod http;
mod rate_limiter;
mod url;
mod wire;

pub use endpoint::EndpointStatus;
pub(crate) use endpoints::Endpoints;
pub use http::Http;
pub use url::{RpcUrl, RpcUrlError};
pub use wire::Call;
