//! Verifies webhooks on the receiving side.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use causeway_wire::{FiatWebhookEvent, WebhookEvent};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

/// Maximum difference between the signature time and the local clock, in seconds.
pub const TOLERANCE: u64 = 300;

/// Why a webhook is rejected.
#[derive(Debug, Error)]
pub enum WebhookError {
    /// The header `X-Causeway-Signature` is missing or malformed.
    #[error("the signature header is not like `t=SECONDS,v1=HEX`")]
    Header,
    /// No signature matches this secret and body.
    #[error("the signature was not made with this secret over this body")]
    Signature,
    /// The signature is valid but old: a replay, or a wrong clock.
    #[error("the signature is more than {TOLERANCE} s away from now")]
    Stale,
    /// The signature is valid, but the body has an unknown format.
    #[error("the body is not an event: {0}")]
    Body(#[from] serde_json::Error),
}

/// An event of any endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Webhook {
    Order(Box<WebhookEvent>),
    Purchase(Box<FiatWebhookEvent>),
}

impl Webhook {
    /// The same id is the same event, sent again.
    pub fn id(&self) -> &str {
        match self {
            Self::Order(event) => &event.id,
            Self::Purchase(event) => &event.id,
        }
    }
}

/// Parses a webhook about an order if its signature is valid and at most five minutes old.
///
/// `header` is the value of `X-Causeway-Signature`, `body` the raw bytes. An event may be delivered twice: store the ids of
/// processed events.
///
/// ```
/// let body = br#"{"id":"1"}"#;
/// let event = causeway_client::webhooks::verify("whsec_0123456789abcdef", "t=1,v1=00", body);
/// assert!(event.is_err());
/// ```
pub fn verify(secret: &str, header: &str, body: &[u8]) -> Result<WebhookEvent, WebhookError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    verify_at(secret, header, body, now)
}

/// Like [`verify`], for endpoints that receive events about purchases too.
pub fn verify_any(secret: &str, header: &str, body: &[u8]) -> Result<Webhook, WebhookError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    check(secret, header, body, now)?;
    Ok(serde_json::from_slice(body)?)
}

/// Like [`verify`], at a given time in seconds since 1970.
pub fn verify_at(secret: &str, header: &str, body: &[u8], now: u64) -> Result<WebhookEvent, WebhookError> {
    check(secret, header, body, now)?;
    Ok(serde_json::from_slice(body)?)
}

/// Signs a body as the service does, at a given time in seconds since 1970: the value of `X-Causeway-Signature`. For tests of a
/// receiver.
///
/// ```
/// use causeway_client::webhooks::{sign, verify_at};
///
/// let header = sign("whsec_0123456789abcdef", b"{}", 1_800_000_000);
/// let error = verify_at("whsec_0123456789abcdef", &header, b"{}", 1_800_000_000).unwrap_err();
/// assert!(error.to_string().starts_with("the body is not an event"));
/// ```
pub fn sign(secret: &str, body: &[u8], now: u64) -> String {
    let mut header = format!("t={now}");
    // A key of any length is taken.
    if let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) {
        mac.update(format!("{now}.").as_bytes());
        mac.update(body);
        // Writing to a string does not fail.
        let _ = write!(header, ",v1={}", alloy_primitives::hex::encode(mac.finalize().into_bytes()));
    }
    header
}

fn check(secret: &str, header: &str, body: &[u8], now: u64) -> Result<(), WebhookError> {
    let fields = || header.split(',').map(str::trim);
    let seconds = fields().find_map(|field| field.strip_prefix("t=")).ok_or(WebhookError::Header)?;
    let signed_at: u64 = seconds.parse().map_err(|_| WebhookError::Header)?;
    // Anybody could sign with an empty key.
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok().filter(|_| !secret.is_empty());
    let mut mac = mac.ok_or(WebhookError::Signature)?;
    mac.update(seconds.as_bytes());
    mac.update(b".");
    mac.update(body);
    let mut signatures = fields().filter_map(|field| field.strip_prefix("v1=")).take(8);
    let signed = signatures.any(|hex| {
        let signature = alloy_primitives::hex::decode(hex);
        signature.is_ok_and(|signature| mac.clone().verify_slice(&signature).is_ok())
    });
    match (signed, signed_at.abs_diff(now) > TOLERANCE) {
        (false, _) => Err(WebhookError::Signature),
        (true, true) => Err(WebhookError::Stale),
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "whsec_0123456789abcdef";
    const NOW: u64 = 1_800_000_000;
    // printf '1800000000.{}' | openssl dgst -sha256 -hmac whsec_0123456789abcdef
    const SIGNED: &str = "v1=0670c993f4fc178e4a81d2e7c2ccbed77b608e0f2b0d9f417b7283b1c6028934";

    #[test]
    fn only_the_signing_secret_and_body_are_accepted() {
        let header = format!("t={NOW},{SIGNED}");
        assert!(check(SECRET, &header, b"{}", NOW).is_ok());
        assert!(matches!(check("whsec_fedcba9876543210", &header, b"{}", NOW), Err(WebhookError::Signature)));
        assert!(matches!(check("", &header, b"{}", NOW), Err(WebhookError::Signature)));
        assert!(matches!(check(SECRET, &header, b"{ }", NOW), Err(WebhookError::Signature)));
        let later = format!("t={},{SIGNED}", NOW + 1);
        assert!(matches!(check(SECRET, &later, b"{}", NOW), Err(WebhookError::Signature)));
        assert!(matches!(verify_at(SECRET, &header, b"{}", NOW), Err(WebhookError::Body(_))));
    }

    #[test]
    fn one_of_several_signatures_is_enough() {
        let header = format!("t={NOW},v1={},{SIGNED}", "00".repeat(32));
        assert!(check(SECRET, &header, b"{}", NOW).is_ok());
    }

    #[test]
    fn signature_is_valid_for_five_minutes_either_way() {
        let header = format!("t={NOW},{SIGNED}");
        for (now, fresh) in [(NOW + 300, true), (NOW + 301, false), (NOW - 300, true), (NOW - 301, false)] {
            assert_eq!(check(SECRET, &header, b"{}", now).is_ok(), fresh, "{now}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_header_does_not_panic(header in "(t=)?[0-9]{0,22},?(v1=)?\\PC{0,80}") {
            prop_assert!(check(SECRET, &header, b"body", NOW).is_err());
        }
    }
}
