pub(crate) mod post_quote;
mod read_ask;
mod stream_routes;
pub(crate) mod write_route;
