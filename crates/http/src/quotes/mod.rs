pub(crate) mod map_route;
pub(crate) mod post_quote;
mod read_quote_request;
mod stream_routes;
