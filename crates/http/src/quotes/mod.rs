pub(crate) mod post_quote;
mod read_quote_request;
mod stream_routes;
pub(crate) mod write_route;
