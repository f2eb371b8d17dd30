use std::borrow::Cow;

use axum::http::{HeaderMap, header};
use causeway_domain::{Address, RouteId};
use serde_json::{Map, Value};

use crate::error::ApiError;
use crate::extract::{Body, Fields, parse_address};

/// Maximum size of the metadata that an integrator may attach, in bytes.
pub(super) const MAX_METADATA: usize = 4 * 1024;

/// Maximum length of a web origin.
const MAX_ORIGIN: usize = 255;

/// A parsed order request. The engine checks whether the quote exists.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OrderRequest {
    pub(crate) quote: String,
    pub(crate) author: Address,
    pub(crate) route: Option<RouteId>,
    pub(crate) refund_to: Option<Address>,
    pub(crate) metadata: Option<String>,
}

/// Parses the body of an order request, or returns all of its issues.
pub(crate) fn read_order_request(body: &Body) -> Result<OrderRequest, ApiError> {
    let mut fields = body.fields()?;
    let quote = fields.required_string("quoteId");
    let metadata = fields.object("metadata");
    let author = read_author(&mut fields, metadata.as_ref());
    let route = fields.string("routeId");
    let route = route.and_then(|text| fields.issues.check("routeId", text.parse::<RouteId>()));
    let refund_to = fields.string("refundTo");
    let refund_to = refund_to.and_then(|text| fields.issues.check("refundTo", parse_address(&text)));
    let metadata = metadata.map(|map| Value::Object(map).to_string());
    if let Some(length) = metadata.as_ref().map(String::len).filter(|length| *length > MAX_METADATA) {
        let message = format!("is {length} bytes of JSON; at most {MAX_METADATA} are allowed");
        fields.issues.add("metadata", message);
    }
    fields.finish()?;
    // Every `None` above has recorded an issue, so all values are present after `finish`.
    let request =
        (|| Some(OrderRequest { quote: quote?.into_owned(), author: author?, route, refund_to, metadata }))();
    request.ok_or_else(|| ApiError::internal(&"a field of the order request is missing without an issue"))
}

/// The author is given in its own field or inside the metadata.
fn read_author(fields: &mut Fields<'_>, metadata: Option<&Map<String, Value>>) -> Option<Address> {
    let own = fields.string("author");
    let inside = metadata.and_then(|map| map.get("author")).filter(|value| !value.is_null());
    let inside = inside.map(|value| value.as_str().ok_or("must be a string"));
    let inside = inside.and_then(|text| fields.issues.check("metadata.author", text)).map(Cow::Borrowed);
    match (&own, &inside) {
        (Some(own), Some(inside)) if !own.eq_ignore_ascii_case(inside) => {
            fields.issues.add("metadata.author", "differs from author: give one of the two");
        }
        (None, None) => {
            fields.issues.add("author", "is required: the address whose history lists the order");
        }
        _ => {}
    }
    let path = if own.is_some() { "author" } else { "metadata.author" };
    fields.issues.check(path, parse_address(&own.or(inside)?))
}

/// The `Origin` header of the request, if it is a valid web origin.
pub(super) fn read_origin(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(header::ORIGIN)?.to_str().ok()?;
    is_origin(text).then(|| text.to_ascii_lowercase())
}

/// Whether the text is `scheme://host` with an optional port, and safe to put into a header or a page.
pub(crate) fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
    text.len() <= MAX_ORIGIN && host.is_some_and(|host| !host.is_empty() && host.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    fn read(request: &Value) -> Result<OrderRequest, String> {
        read_order_request(&Body::from_json(request)).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn author_is_read_from_its_field_or_the_metadata() {
        let own = read(&json!({ "quoteId": "q", "author": WALLET })).unwrap();
        let inside = read(&json!({ "quoteId": "q", "metadata": { "author": WALLET } })).unwrap();
        assert_eq!(own.author, inside.author);
        let error = read(&json!({ "quoteId": "q" })).unwrap_err();
        assert!(error.contains("whose history lists the order"), "{error}");
        let other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
        let error = read(&json!({ "quoteId": "q", "author": WALLET, "metadata": { "author": other } }));
        assert!(error.unwrap_err().contains("differs from author"));
    }

    #[test]
    fn metadata_over_four_kibibytes_is_rejected_with_its_size() {
        let note = |length: usize| {
            read(&json!({ "quoteId": "q", "author": WALLET, "metadata": { "note": "x".repeat(length) } }))
        };
        assert!(note(4_000).is_ok());
        let error = note(5 * 1024).unwrap_err();
        assert!(error.contains("metadata") && error.contains("5131 bytes"), "{error}");
        let text = read(&json!({ "quoteId": "q", "author": WALLET, "metadata": "text" })).unwrap_err();
        assert!(text.contains("must be an object"), "{text}");
    }

    #[test]
    fn all_issues_are_returned_together() {
        let error =
            read(&json!({ "author": "me", "routeId": "<b>", "refundTo": 7, "metadata": [] })).unwrap_err();
        for field in ["quoteId", "author", "routeId", "refundTo", "metadata"] {
            assert!(error.contains(&format!("\"path\": String(\"{field}\")")), "{field}: {error}");
        }
    }

    #[test]
    fn origin_is_a_scheme_and_a_host() {
        for good in ["https://dapp.example", "http://127.0.0.1:3000", "http://[::1]:80"] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "null",
            "",
            "https://",
            "https://a/b",
            "https://a b",
            "javascript:1",
            "https://a;b",
            "https://a'",
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_body_does_not_panic(a in "\\PC{0,40}", b in "\\PC{0,40}") {
            let _ = read(&json!({ "quoteId": a, "author": b, "routeId": a, "metadata": { "author": a } }));
            let _ = is_origin(&a);
        }
    }
}
