//! Tells clients of what goes away: the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use jiff::Timestamp;

pub(crate) const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
pub(crate) const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Everything that is deprecated, in one place. Nothing is today.
pub(crate) const DEPRECATED: &[Deprecated] = &[];

/// An endpoint that goes away, or a parameter of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deprecated {
    pub(crate) method: &'static str,
    /// As the API document spells it, such as `/v1/orders/{author}`.
    pub(crate) path: &'static str,
    /// The parameter of the query, if it is that alone.
    pub(crate) parameter: Option<&'static str>,
    /// Unix seconds: since when it is deprecated.
    pub(crate) since: i64,
    /// Unix seconds: when it ends, at least 180 days after the announcement.
    pub(crate) ends: i64,
    /// What to use instead, in a document.
    pub(crate) explained_at: &'static str,
}

impl Deprecated {
    fn is_used(&self, method: &Method, path: &str, query: &str) -> bool {
        let is_given = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
        self.method == method.as_str() && self.path == path && self.parameter.is_none_or(is_given)
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        let link = format!(
            "<{0}>; rel=\"deprecation\"; type=\"text/html\", <{0}>; rel=\"sunset\"; type=\"text/html\"",
            self.explained_at
        );
        let ends = Timestamp::from_second(self.ends).ok();
        let ends = ends.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
        let texts =
            [(DEPRECATION, Some(format!("@{}", self.since))), (SUNSET, ends), (header::LINK, Some(link))];
        for (name, text) in texts {
            if let Some(value) = text.and_then(|text| HeaderValue::from_str(&text).ok()) {
                headers.append(name, value);
            }
        }
    }
}

/// Adds the headers to the responses of what is deprecated.
pub(crate) async fn announce(
    State(deprecated): State<Arc<[Deprecated]>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let query = request.uri().query().unwrap_or_default();
    let used = deprecated.iter().find(|one| one.is_used(request.method(), path, query)).copied();
    let mut response = next.run(request).await;
    if let Some(used) = used {
        used.add_headers(response.headers_mut());
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    const OLD: Deprecated = Deprecated {
        method: "GET",
        path: "/v1/orders/{author}",
        parameter: None,
        since: 1_794_744_000,
        ends: 1_810_296_000,
        explained_at: "https://swap.example/docs/orders",
    };

    async fn headers(deprecated: Deprecated, path: &str) -> HeaderMap {
        let table: Arc<[Deprecated]> = vec![deprecated].into();
        let router = Router::new()
            .route("/v1/orders/{author}", get(async || "orders"))
            .route("/v1/chains", get(async || "chains"))
            .layer(from_fn_with_state(table, announce));
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap().headers().clone()
    }

    #[tokio::test]
    async fn a_deprecated_endpoint_says_since_when_until_when_and_where_to_read() {
        let found = headers(OLD, "/v1/orders/0xabc?status=filled").await;
        assert_eq!(found["deprecation"], "@1794744000");
        assert_eq!(found["sunset"], "Fri, 14 May 2027 12:00:00 GMT");
        let link = found["link"].to_str().unwrap();
        assert!(link.starts_with("<https://swap.example/docs/orders>; rel=\"deprecation\""), "{link}");
        let other = headers(OLD, "/v1/chains").await;
        assert!(!other.contains_key("deprecation") && !other.contains_key("sunset"));
    }

    #[tokio::test]
    async fn a_deprecated_parameter_is_announced_where_it_is_given() {
        let one = Deprecated { parameter: Some("status"), ..OLD };
        assert!(headers(one, "/v1/orders/0xabc?limit=5&status=filled").await.contains_key("deprecation"));
        assert!(!headers(one, "/v1/orders/0xabc?statuses=filled").await.contains_key("deprecation"));
        assert!(!headers(one, "/v1/orders/0xabc").await.contains_key("deprecation"));
    }

    #[test]
    fn every_entry_ends_at_least_180_days_after_its_announcement() {
        for one in DEPRECATED {
            assert!(one.ends - one.since >= 180 * 86_400, "{} {}", one.method, one.path);
        }
    }
}
