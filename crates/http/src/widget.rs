//! The widget that other sites embed: the built files of `web/widget/dist`.

use axum::Router;
use axum::body::Bytes;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::caching::{etag_of, is_current};
use crate::versions::{self, IMMUTABLE};

/// A page that embeds the widget gets a new version after at most five minutes, and asks by the entity tag.
const CACHE_CONTROL: &str = "public, max-age=300";

macro_rules! files {
    ($($file:literal),* $(,)?) => {
        [$((concat!("/", $file), include_str!(concat!("../../../web/widget/dist/", $file)))),*]
    };
}

/// Path and content of every script of the widget.
pub(crate) const FILES: [(&str, &str); 15] = files![
    "widget.js",
    "widget.mjs",
    "widget/ar.js",
    "widget/de.js",
    "widget/effects.js",
    "widget/es.js",
    "widget/fr.js",
    "widget/ja.js",
    "widget/ko.js",
    "widget/program-effects.js",
    "widget/providers.js",
    "widget/pt.js",
    "widget/test-wallet.js",
    "widget/zh-CN.js",
    "widget/zh-TW.js",
];

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.into_iter().fold(Router::new(), |router, (path, content)| {
        let etag = etag_of(content);
        router.route(
            path,
            get(async move |headers: HeaderMap, RawQuery(query): RawQuery| {
                let is_named = versions::names(query.as_deref(), path);
                script(&headers, &etag, if is_named { IMMUTABLE } else { CACHE_CONTROL }, content)
            }),
        )
    })
}

fn script(
    request: &HeaderMap,
    etag: &HeaderValue,
    cache_control: &'static str,
    content: &'static str,
) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache_control)),
        (header::ETAG, etag.clone()),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        // Sites that isolate themselves load nothing of another origin that does not say this.
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
    ];
    if is_current(request, etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, Bytes::from_static(content.as_bytes())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_script_of_the_widget_is_served() {
        let dist = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/widget/dist");
        for folder in ["", "/widget"] {
            for entry in std::fs::read_dir(format!("{dist}{folder}")).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                // The wrapper for React and the types are for bundlers only.
                if !name.contains('.') || name.starts_with("react") {
                    continue;
                }
                let path = format!("{folder}/{name}");
                assert!(FILES.iter().any(|(served, _)| *served == path), "{path} is not served");
            }
        }
    }
}
