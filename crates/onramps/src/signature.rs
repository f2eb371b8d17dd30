//! Webhook signatures of the form `t=SECONDS,s=HEX`: HMAC-SHA256 over the time, a dot and the raw body.

use std::fmt;

use alloy_primitives::hex;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Maximum difference between a webhook's time and ours.
const TOLERANCE_SECONDS: u64 = 300;

/// The shared secret that signs webhooks.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    fn mac(&self, seconds: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
        // Anybody could sign with an empty key.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok().filter(|_| !self.0.is_empty())?;
        mac.update(seconds.as_bytes());
        mac.update(b".");
        mac.update(body);
        Some(mac)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The signature header of a body sent at that second.
pub fn sign(secret: &Secret, seconds: i64, body: &[u8]) -> String {
    let seconds = seconds.to_string();
    let mac = secret.mac(&seconds, body).map(|mac| mac.finalize().into_bytes());
    format!("t={seconds},s={}", mac.map(hex::encode).unwrap_or_default())
}

/// Verifies the header over this body; its time must be within five minutes of `now`.
pub fn verify(
    secret: Option<&Secret>,
    header: Option<&str>,
    body: &[u8],
    now: i64,
) -> Result<(), WebhookError> {
    let secret = secret.ok_or(WebhookError::NotConfigured)?;
    let (seconds, signature) = header.and_then(parse_header).ok_or(WebhookError::Signature)?;
    let mac = secret.mac(seconds, body).ok_or(WebhookError::NotConfigured)?;
    mac.verify_slice(&signature).map_err(|_| WebhookError::Signature)?;
    let signed_at: i64 = seconds.parse().map_err(|_| WebhookError::Signature)?;
    if signed_at.abs_diff(now) > TOLERANCE_SECONDS { Err(WebhookError::Stale) } else { Ok(()) }
}

/// The time as written, and the signature.
fn parse_header(header: &str) -> Option<(&str, Vec<u8>)> {
    if header.len() > 256 {
        return None;
    }
    let mut fields = header.split(',').map(str::trim);
    let seconds = fields.clone().find_map(|field| field.strip_prefix("t="))?;
    let signature = fields.find_map(|field| field.strip_prefix("s="))?;
    Some((seconds, hex::decode(signature).ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn secret() -> Secret {
        Secret::new(vec![7; 32])
    }

    #[test]
    fn signature_is_valid_for_its_body_time_and_secret_only() {
        let header = sign(&secret(), NOW, b"body");
        let check =
            |secret: &Secret, header: &str, body: &[u8]| verify(Some(secret), Some(header), body, NOW);
        assert_eq!(check(&secret(), &header, b"body"), Ok(()));
        assert_eq!(check(&secret(), &header, b"bodY"), Err(WebhookError::Signature));
        assert_eq!(check(&Secret::new(vec![8; 32]), &header, b"body"), Err(WebhookError::Signature));
        let later = header.replace(&NOW.to_string(), &(NOW + 1).to_string());
        assert_eq!(check(&secret(), &later, b"body"), Err(WebhookError::Signature));
        assert_eq!(check(&secret(), &header[..header.len() - 2], b"body"), Err(WebhookError::Signature));
    }

    #[test]
    fn signature_matches_known_value() {
        // Computed with openssl: printf '1800000000.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:07…07
        let header = sign(&secret(), NOW, b"{}");
        assert_eq!(header, "t=1800000000,s=53921a4b7167dae86855da937e5046e173f28d43eb08328897bf59048fff51bf");
    }

    #[test]
    fn webhook_is_valid_for_five_minutes_either_way() {
        let header = sign(&secret(), NOW, b"body");
        for (now, fresh) in [(NOW + 300, true), (NOW + 301, false), (NOW - 300, true), (NOW - 301, false)] {
            let checked = verify(Some(&secret()), Some(&header), b"body", now);
            assert_eq!(checked, if fresh { Ok(()) } else { Err(WebhookError::Stale) }, "{now}");
        }
    }

    #[test]
    fn without_a_secret_every_webhook_is_rejected() {
        let empty = Secret::new(Vec::new());
        for secret in [None, Some(&empty)] {
            let header = sign(&empty, NOW, b"");
            assert_eq!(verify(secret, Some(&header), b"", NOW), Err(WebhookError::NotConfigured));
        }
        assert_eq!(verify(Some(&secret()), None, b"", NOW), Err(WebhookError::Signature));
    }

    #[test]
    fn secret_is_redacted_in_debug() {
        assert_eq!(format!("{:?}", secret()), "Secret(…)");
    }

    proptest! {
        #[test]
        fn arbitrary_header_never_panics(header in "(t=)?[0-9]{0,22},?(s=)?\\PC{0,80}") {
            prop_assert!(verify(Some(&secret()), Some(&header), b"body", NOW).is_err());
        }
    }
}
