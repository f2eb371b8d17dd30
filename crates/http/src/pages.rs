//! The pages of the service with their assets: `web/pages` as they are, and `web/site` as built.

use axum::Router;
use axum::body::Bytes;
use axum::extract::RawQuery;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use utoipa::openapi::OpenApi;

use crate::caching::{etag_of, is_current};
use crate::guides;
use crate::versions::{self, IMMUTABLE};

/// Only our own assets are loaded, and no page may embed these.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; \
     connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// For what may change with the next version: browsers ask by the entity tag.
const REVALIDATED: &str = "no-cache";

macro_rules! page {
    ($file:literal) => {
        include_str!(concat!("../../../web/pages/", $file))
    };
}

macro_rules! site {
    ($file:literal) => {
        include_str!(concat!("../../../web/site/dist/", $file))
    };
}

/// What a page of the site says of the mode until it is served.
const UNKNOWN_MODE: &str = r#"data-mode="unknown""#;

/// Path, media type and content of every file of the pages.
const FILES: [(&str, &str, &str); 51] = [
    ("/", HTML, site!("start.html")),
    ("/buy", HTML, site!("buy.html")),
    ("/explorer", HTML, site!("explorer.html")),
    ("/swap", HTML, site!("swap.html")),
    ("/transfer", HTML, site!("transfer.html")),
    ("/transfer/{orderId}", HTML, site!("order.html")),
    ("/order/{orderId}", HTML, site!("order.html")),
    ("/track", HTML, site!("order.html")),
    ("/track/{wanted}", HTML, site!("order.html")),
    ("/assets/explorer.js", SCRIPT, site!("explorer.js")),
    ("/assets/operator.js", SCRIPT, site!("operator.js")),
    ("/assets/order.js", SCRIPT, site!("order.js")),
    ("/assets/sandbox.js", SCRIPT, site!("sandbox.js")),
    ("/assets/test-wallet.js", SCRIPT, site!("test-wallet.js")),
    ("/assets/transfer.js", SCRIPT, site!("transfer.js")),
    ("/assets/base.css", STYLE, site!("base.css")),
    ("/assets/site.css", STYLE, site!("site.css")),
    ("/assets/start.js", SCRIPT, site!("start.js")),
    ("/docs/reference", HTML, page!("docs.html")),
    ("/favicon.ico", SVG, page!("logo.svg")),
    ("/assets/api.js", SCRIPT, page!("api.js")),
    ("/assets/docs.css", STYLE, page!("docs.css")),
    ("/assets/docs.js", SCRIPT, page!("docs.js")),
    ("/assets/dom.js", SCRIPT, page!("dom.js")),
    ("/assets/errors.js", SCRIPT, page!("errors.js")),
    ("/assets/example.js", SCRIPT, page!("example.js")),
    ("/assets/json-view.js", SCRIPT, page!("json-view.js")),
    ("/assets/logo.svg", SVG, page!("logo.svg")),
    ("/assets/markdown.js", SCRIPT, page!("markdown.js")),
    ("/assets/nav.js", SCRIPT, page!("nav.js")),
    ("/assets/openapi.js", SCRIPT, page!("openapi.js")),
    ("/assets/operation-view.js", SCRIPT, page!("operation-view.js")),
    ("/assets/operation.css", STYLE, page!("operation.css")),
    ("/assets/request.js", SCRIPT, page!("request.js")),
    ("/assets/sample-view.js", SCRIPT, page!("sample-view.js")),
    ("/assets/samples.js", SCRIPT, page!("samples.js")),
    ("/assets/schema-view.js", SCRIPT, page!("schema-view.js")),
    ("/assets/schema.js", SCRIPT, page!("schema.js")),
    ("/assets/send.js", SCRIPT, page!("send.js")),
    ("/assets/try-view.js", SCRIPT, page!("try-view.js")),
    ("/assets/walk.js", SCRIPT, page!("walk.js")),
    ("/assets/wrapper-coinbase.js", SCRIPT, page!("wrapper-coinbase.js")),
    ("/assets/wrapper-moonpay.js", SCRIPT, page!("wrapper-moonpay.js")),
    ("/assets/wrapper-providers.js", SCRIPT, page!("wrapper-providers.js")),
    ("/assets/wrapper-read.js", SCRIPT, page!("wrapper-read.js")),
    ("/assets/wrapper-relay.js", SCRIPT, page!("wrapper-relay.js")),
    ("/assets/wrapper-sandbox.js", SCRIPT, page!("wrapper-sandbox.js")),
    ("/assets/wrapper-status.js", SCRIPT, page!("wrapper-status.js")),
    ("/assets/wrapper-transak.js", SCRIPT, page!("wrapper-transak.js")),
    ("/assets/wrapper.css", STYLE, page!("wrapper.css")),
    ("/assets/wrapper.js", SCRIPT, page!("wrapper.js")),
];

/// Paths of the sandbox's own pages, which exist in the sandbox only.
const SANDBOX_PATHS: [&str; 7] = [
    "/sandbox",
    "/sandbox/tx/{chainId}/{hash}",
    "/sandbox/address/{chainId}/{address}",
    "/sandbox/block/{chainId}/{number}",
    // As links to explorers are made: their address, and the kind of thing behind it.
    "/sandbox/explorer/{chainId}/tx/{hash}",
    "/sandbox/explorer/{chainId}/address/{address}",
    "/sandbox/explorer/{chainId}/block/{number}",
];

const SANDBOX_PAGE: &str = site!("sandbox.html");
const PORTAL: &str = site!("docs.html");
const GUIDE: &str = site!("guide.html");
const OPERATOR_PAGE: &str = site!("operator.html");

/// The routes of the API document and of all pages, which say in which mode the service runs.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(document: &OpenApi, mode: &str) -> Router<S> {
    // The document consists of plain values, so it always serializes.
    let document = Bytes::from(document.to_pretty_json().unwrap_or_else(|_| "{}".to_owned()));
    let openapi = get(async move || ([(header::CONTENT_TYPE, "application/json")], document.clone()));
    let sandbox =
        SANDBOX_PATHS.into_iter().filter(|_| mode == "sandbox").map(|path| (path, HTML, SANDBOX_PAGE));
    let guides = guides::pages(PORTAL, GUIDE).into_iter().map(|(path, page)| (path, Page::new(&page, mode)));
    let own = FILES.into_iter().chain(sandbox).filter(|(_, media_type, _)| *media_type == HTML);
    let own = own.map(|(path, _, page)| (path.to_owned(), Page::new(page, mode)));
    let router = Router::new().route("/openapi.json", openapi);
    let router = own.chain(guides).fold(router, |router, (path, page)| {
        router.route(&path, get(async move |headers: HeaderMap| page.response(&headers)))
    });
    FILES.into_iter().filter(|(_, media_type, _)| *media_type != HTML).fold(
        router,
        |router, (path, media_type, content)| {
            let etag = etag_of(content);
            router.route(
                path,
                get(async move |headers: HeaderMap, RawQuery(query): RawQuery| {
                    let is_named = versions::names(query.as_deref(), path);
                    let cache_control = if is_named { IMMUTABLE } else { REVALIDATED };
                    file(&headers, media_type, &etag, cache_control, Bytes::from_static(content.as_bytes()))
                }),
            )
        },
    )
}

/// Path and content of every file that pages load.
pub(crate) fn assets() -> impl Iterator<Item = (&'static str, &'static str)> {
    let loaded = FILES.into_iter().filter(|(_, media_type, _)| *media_type != HTML);
    loaded.map(|(path, _, content)| (path, content))
}

/// The operator's page, which asks for the token itself.
pub(crate) fn operator_page(request: &HeaderMap, mode: &str) -> Response {
    Page::new(OPERATOR_PAGE, mode).response(request)
}

/// A page as it is served.
#[derive(Clone)]
struct Page {
    html: Bytes,
    etag: HeaderValue,
}

impl Page {
    fn new(page: &str, mode: &str) -> Self {
        let html = versions::in_page(page).replace(UNKNOWN_MODE, &format!(r#"data-mode="{mode}""#));
        Self { etag: etag_of(&html), html: Bytes::from(html) }
    }

    fn response(&self, request: &HeaderMap) -> Response {
        let mut response = file(request, HTML, &self.etag, REVALIDATED, self.html.clone());
        let policy = HeaderValue::from_static(CONTENT_SECURITY_POLICY);
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        response
    }
}

fn file(
    request: &HeaderMap,
    media_type: &'static str,
    etag: &HeaderValue,
    cache_control: &'static str,
    content: Bytes,
) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache_control)),
        (header::ETAG, etag.clone()),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    if is_current(request, etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, content).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_pages_is_served() {
        for folder in ["pages", "site/dist"] {
            let folder = format!("{}/../../web/{folder}", env!("CARGO_MANIFEST_DIR"));
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                let is_served = FILES.iter().any(|(.., served)| *served == text)
                    || [SANDBOX_PAGE, OPERATOR_PAGE, PORTAL, GUIDE].contains(&text.as_str());
                assert!(is_served, "{} is not served", path.display());
            }
        }
    }

    #[test]
    fn only_the_pages_of_the_site_say_the_mode() {
        let pages = FILES.iter().filter(|(.., content)| content.contains(UNKNOWN_MODE));
        assert!(pages.clone().count() > 0);
        assert!(pages.clone().all(|(_, media_type, _)| *media_type == HTML));
    }
}
