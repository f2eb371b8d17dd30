mod json_text;
pub(crate) mod map_route;
pub(crate) mod post_quote;
mod read_quote_request;
mod stream_routes;

#[cfg(any(test, fuzzing))]
pub(crate) use read_quote_request::read_quote_request;
