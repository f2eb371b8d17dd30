use std::fmt::Write as _;

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A stand-in for a provider's checkout page; its buttons post the given messages.
pub fn checkout_page(provider: &str, order: &str, messages: &[(&str, String)]) -> Response {
    let mut buttons = String::new();
    for (name, message) in messages {
        let message = message.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        // Writing to a string cannot fail.
        let _ = writeln!(buttons, "<button data-message=\"{message}\">{name}</button>");
    }
    let order: String = order.chars().filter(char::is_ascii_alphanumeric).collect();
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{provider} (stand-in)</title>\
         <h1>{provider}, stand-in</h1><p>Order {order}. Nothing is sold here.</p>{buttons}\
         <script>for (const button of document.querySelectorAll(\"button\")) button.addEventListener(\"click\", () => \
         (window.opener ?? parent).postMessage(JSON.parse(button.dataset.message), \"*\"));</script></html>"
    );
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}
