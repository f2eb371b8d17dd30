use std::sync::Arc;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use causeway_engine::fiat::FiatAnswer;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _, stream};

use super::map_quote::map_answer;
use crate::App;

/// Streams one line per provider as they answer.
pub(super) fn stream_quotes(app: Arc<App>, answers: BoxStream<'static, FiatAnswer>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Buffering by a proxy would defeat the stream.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(lines(app, answers))).into_response()
}

/// The headers are already sent, so an error can only abort the stream.
fn lines(
    app: Arc<App>,
    answers: BoxStream<'static, FiatAnswer>,
) -> impl Stream<Item = Result<Bytes, BoxError>> {
    stream::try_unfold((app, answers), async |(app, mut answers)| {
        let Some(answer) = answers.next().await else { return Ok(None) };
        // The cause was logged when the error was created.
        let line = map_answer(&app, answer).map_err(|error| error.message().to_owned())?;
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        Ok(Some((Bytes::from(line), (app, answers))))
    })
}
