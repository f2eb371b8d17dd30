use axum::http::HeaderMap;
use axum::response::Response;
use causeway_wire::ErrorBody;

use crate::caching::icon_response;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam};

/// Maximum length of a filler name.
const MAX_NAME_LENGTH: usize = 62;

/// A filler's icon as SVG.
///
/// Derived from the filler's name: its first letter on a colour, the same on every replica.
#[utoipa::path(
    get,
    path = "/v1/fillers/{name}/icon",
    tag = "quotes",
    params(("name" = String, Path, description = "A name of `GET /v1/fillers`", example = "north")),
    responses(
        (status = 200, description = "The icon", content_type = "image/svg+xml", body = String),
        (status = 304, description = "The icon with this `If-None-Match` is current"),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "NotFoundException: no filler can have this name", body = ErrorBody),
    ),
)]
pub(crate) async fn get_filler_icon(param: PathParam, headers: HeaderMap) -> ApiResult<Response> {
    let mut issues = Issues::default();
    let name = param.text(&mut issues);
    issues.finish()?;
    let name = name.filter(|name| is_name(name)).ok_or_else(|| {
        ApiError::not_found("No filler can have this name. GET /v1/fillers lists the fillers.")
    })?;
    let etag = format!("\"f1-{name}\"");
    icon_response(&headers, &etag, draw(&name)).map_err(|error| ApiError::internal(&error))
}

/// Whether the name is valid; valid names need no escaping in SVG.
fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn draw(name: &str) -> String {
    let letter = name.chars().find(char::is_ascii_alphanumeric).unwrap_or('?').to_ascii_uppercase();
    let hue = hue(name);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" role="img" aria-label="{name}"><rect width="32" height="32" rx="8" fill="hsl({hue} 55% 38%)"/><text x="16" y="22" text-anchor="middle" font-family="system-ui,sans-serif" font-size="17" font-weight="600" fill="#fff">{letter}</text></svg>"##
    )
}

/// One of 24 hues, from a hash of the name.
fn hue(name: &str) -> u32 {
    let hash =
        name.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    (hash >> 8) % 24 * 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icon_depends_only_on_the_name() {
        assert_eq!(draw("north"), draw("north"));
        assert_ne!(hue("north"), hue("south"), "the two sandbox fillers differ");
        assert!(draw("north").contains(">N</text>") && draw("-7up").contains(">7</text>"));
    }

    #[test]
    fn names_with_markup_are_rejected() {
        for bad in ["", "a b", "<svg>", "é", "a\"", &"x".repeat(63)] {
            assert!(!is_name(bad), "{bad}");
        }
        assert!(is_name("north-2._x"));
    }
}
