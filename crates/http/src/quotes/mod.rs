pub(crate) mod post_quote;
mod read_ask;
mod stream_routes;
mod write_route;
