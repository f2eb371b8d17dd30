//! Webhook signatures of the form `t=SECONDS,s=HEX`: HMAC-SHA256 over the time, a point and the raw body.

use std::fmt;

use alloy_primitives::hex;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// How far a webhook's time may lie from ours, in seconds.
const WINDOW: u64 = 300;

/// What a provider and we sign webhooks with.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    fn mac(&self, seconds: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
        // An empty key would make a signature that anybody can make.
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

/// The header that goes with a body sent at that second.
pub fn sign(secret: &Secret, seconds: i64, body: &[u8]) -> String {
    let seconds = seconds.to_string();
    let mac = secret.mac(&seconds, body).map(|mac| mac.finalize().into_bytes());
    format!("t={seconds},s={}", mac.map(hex::encode).unwrap_or_default())
}

/// Whether the header was made with the secret over this body, at most five minutes away from `now`.
pub fn verify(
    secret: Option<&Secret>,
    header: Option<&str>,
    body: &[u8],
    now: i64,
) -> Result<(), WebhookError> {
    let secret = secret.ok_or(WebhookError::NotConfigured)?;
    let (seconds, signature) = header.and_then(parts).ok_or(WebhookError::Signature)?;
    let mac = secret.mac(seconds, body).ok_or(WebhookError::NotConfigured)?;
    mac.verify_slice(&signature).map_err(|_| WebhookError::Signature)?;
    let told: i64 = seconds.parse().map_err(|_| WebhookError::Signature)?;
    if told.abs_diff(now) > WINDOW { Err(WebhookError::Stale) } else { Ok(()) }
}

/// The time as it was written, and the signature.
fn parts(header: &str) -> Option<(&str, Vec<u8>)> {
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
    fn a_signature_counts_for_its_own_body_time_and_secret_only() {
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
    fn a_known_signature_stays_what_it_is() {
        // Computed with openssl: printf '1800000000.{}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:07…07
        let header = sign(&secret(), NOW, b"{}");
        assert_eq!(header, "t=1800000000,s=53921a4b7167dae86855da937e5046e173f28d43eb08328897bf59048fff51bf");
    }

    #[test]
    fn a_webhook_counts_for_five_minutes_either_way() {
        let header = sign(&secret(), NOW, b"body");
        for (now, fresh) in [(NOW + 300, true), (NOW + 301, false), (NOW - 300, true), (NOW - 301, false)] {
            let checked = verify(Some(&secret()), Some(&header), b"body", now);
            assert_eq!(checked, if fresh { Ok(()) } else { Err(WebhookError::Stale) }, "{now}");
        }
    }

    #[test]
    fn without_a_secret_nothing_is_believed() {
        let empty = Secret::new(Vec::new());
        for secret in [None, Some(&empty)] {
            let header = sign(&empty, NOW, b"");
            assert_eq!(verify(secret, Some(&header), b"", NOW), Err(WebhookError::NotConfigured));
        }
        assert_eq!(verify(Some(&secret()), None, b"", NOW), Err(WebhookError::Signature));
    }

    #[test]
    fn the_secret_does_not_reach_a_log() {
        assert_eq!(format!("{:?}", secret()), "Secret(…)");
    }

    proptest! {
        #[test]
        fn any_header_is_read_or_refused_without_panic(header in "(t=)?[0-9]{0,22},?(s=)?\\PC{0,80}") {
            prop_assert!(verify(Some(&secret()), Some(&header), b"body", NOW).is_err());
        }
    }
}
