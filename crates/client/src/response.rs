use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use serde::de::DeserializeOwned;

use crate::{Details, Error};

/// A complete response of the service.
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl ApiResponse {
    /// Parses the JSON body.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::InvalidResponse {
            message: format!("The response does not match the API schema: {error}."),
            details: Some(self.details()),
        })
    }

    /// The body as SVG text.
    pub(crate) fn svg(self) -> Result<String, Error> {
        let is_svg = self.content_type().starts_with("image/svg+xml");
        match String::from_utf8(self.body) {
            Ok(text) if is_svg => Ok(text),
            other => {
                let body = other.map_or_else(std::string::FromUtf8Error::into_bytes, String::into_bytes);
                let details = Some(Details::new(self.status, &body));
                Err(Error::InvalidResponse {
                    message: "The response is not an SVG image.".to_owned(),
                    details,
                })
            }
        }
    }

    pub(crate) fn details(&self) -> Details {
        Details::new(self.status, &self.body)
    }

    /// `Retry-After` in seconds; dates are ignored because clocks differ.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let text = self.headers.get(RETRY_AFTER)?.to_str().ok()?;
        text.trim().parse().ok().map(Duration::from_secs)
    }

    pub(crate) fn is_plain_text(&self) -> bool {
        self.content_type().starts_with("text/plain")
    }

    fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}
