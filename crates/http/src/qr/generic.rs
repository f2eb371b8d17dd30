use axum::response::{IntoResponse, Response};
use causeway_qr::payload;

use super::image::{draw, read};
use crate::extract::QueryParams;

/// Draws any text as a QR code.
#[utoipa::path(
    get,
    path = "/api/qrcode",
    tag = "qr",
    params(
        ("content" = String, Query, description = "What the code says, at most 2048 characters", example = "https://example.com/pay/42"),
        ("size" = Option<u32>, Query, description = "Pixels, clamped into 96 to 512; 256 by default, and for what is no number", example = 256),
        ("theme" = Option<String>, Query, description = "`light` or `dark`", example = "light"),
        ("margin" = Option<u32>, Query, description = "Quiet zone in modules, 0 to 16; 4 by default", example = 4),
    ),
    responses(
        (status = 200, description = "The code", content_type = "image/svg+xml", body = String),
        (status = 400, description = "What to change, in plain text", content_type = "text/plain", body = String),
        (status = 413, description = "The content is too long, in plain text", content_type = "text/plain", body = String),
    ),
)]
pub(crate) async fn generic(params: QueryParams) -> Response {
    let drawn = read(params, ["content"]).and_then(|([content], style)| {
        let payload = payload::generic(content.as_deref())?;
        draw(payload, style)
    });
    drawn.unwrap_or_else(IntoResponse::into_response)
}
