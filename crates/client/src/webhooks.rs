//! Checks what a service tells by webhook, on the side that is told.

use std::time::{SystemTime, UNIX_EPOCH};

use causeway_wire::WebhookEvent;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

/// How far the time of a signature may lie from ours, in seconds.
pub const TOLERANCE: u64 = 300;

/// Why a webhook is not to be believed.
#[derive(Debug, Error)]
pub enum WebhookError {
    /// The header `X-Causeway-Signature` is missing or not like one.
    #[error("the signature header is not like `t=SECONDS,v1=HEX`")]
    Header,
    /// Neither of its signatures was made with this secret over this body.
    #[error("the signature was not made with this secret over this body")]
    Signature,
    /// It is true and old: somebody may have kept it to send it again, or a clock is wrong.
    #[error("the signature is more than {TOLERANCE} s away from now")]
    Stale,
    /// It is true, and made by a service that speaks otherwise.
    #[error("the body is not an event: {0}")]
    Body(#[from] serde_json::Error),
}

/// Reads a webhook if it is signed with the secret, and was so within five minutes.
///
/// `header` is what came as `X-Causeway-Signature`, `body` the bytes as they came. The same event may come twice: remember
/// the ids of those that were dealt with.
///
/// ```
/// let body = br#"{"id":"1"}"#;
/// let told = causeway_client::webhooks::verify("whsec_0123456789abcdef", "t=1,v1=00", body);
/// assert!(told.is_err());
/// ```
pub fn verify(secret: &str, header: &str, body: &[u8]) -> Result<WebhookEvent, WebhookError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    verify_at(secret, header, body, now)
}

/// The same as of a moment, in seconds since 1970.
pub fn verify_at(secret: &str, header: &str, body: &[u8], now: u64) -> Result<WebhookEvent, WebhookError> {
    check(secret, header, body, now)?;
    Ok(serde_json::from_slice(body)?)
}

fn check(secret: &str, header: &str, body: &[u8], now: u64) -> Result<(), WebhookError> {
    let fields = || header.split(',').map(str::trim);
    let seconds = fields().find_map(|field| field.strip_prefix("t=")).ok_or(WebhookError::Header)?;
    let told: u64 = seconds.parse().map_err(|_| WebhookError::Header)?;
    // An empty key would make a signature that anybody can make.
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
    match (signed, told.abs_diff(now) > TOLERANCE) {
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
    fn only_the_secret_that_signed_the_very_body_is_believed() {
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
    fn a_signature_counts_for_five_minutes_either_way() {
        let header = format!("t={NOW},{SIGNED}");
        for (now, fresh) in [(NOW + 300, true), (NOW + 301, false), (NOW - 300, true), (NOW - 301, false)] {
            assert_eq!(check(SECRET, &header, b"{}", now).is_ok(), fresh, "{now}");
        }
    }

    proptest! {
        #[test]
        fn any_header_is_read_or_refused_without_panic(header in "(t=)?[0-9]{0,22},?(v1=)?\\PC{0,80}") {
            prop_assert!(check(SECRET, &header, b"body", NOW).is_err());
        }
    }
}
