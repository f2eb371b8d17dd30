//! Banxa's signatures: `Authorization: Bearer KEY:SIGNATURE:NONCE`, where the signature is the hex HMAC-SHA256 of method, path, nonce and
//! body, a line each. A webhook is signed the same way, over the path of our endpoint.

use alloy_primitives::hex;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Maximum difference between a webhook's time and ours.
const TOLERANCE_MS: u64 = 300_000;

/// Verifies the header over this body and `path`; its time must be within five minutes of `now_ms`.
pub(super) fn verify(
    keys: Option<(&str, &[u8])>,
    header: Option<&str>,
    path: &str,
    body: &[u8],
    now_ms: i64,
) -> Result<(), WebhookError> {
    let (key, secret) = keys.filter(|(_, secret)| !secret.is_empty()).ok_or(WebhookError::NotConfigured)?;
    let header_value = header
        .filter(|header_value| header_value.len() <= 512)
        .and_then(|header_value| header_value.strip_prefix("Bearer "));
    let mut fields = header_value.ok_or(WebhookError::Signature)?.splitn(3, ':');
    let (Some(named), Some(signature), Some(nonce)) = (fields.next(), fields.next(), fields.next()) else {
        return Err(WebhookError::Signature);
    };
    let signature = hex::decode(signature).map_err(|_| WebhookError::Signature)?;
    let mac = mac(secret, path, nonce, body).ok_or(WebhookError::NotConfigured)?;
    mac.verify_slice(&signature).map_err(|_| WebhookError::Signature)?;
    // The key is not secret; another key means that the webhook is for another account.
    if named != key {
        return Err(WebhookError::Signature);
    }
    let signed_at = nonce_to_millis(nonce).ok_or(WebhookError::Signature)?;
    if signed_at.abs_diff(now_ms) > TOLERANCE_MS { Err(WebhookError::Stale) } else { Ok(()) }
}

/// The signature header of a body sent to `path` at that time.
#[cfg(any(test, fuzzing, feature = "standin"))]
pub(crate) fn sign(key: &str, secret: &[u8], path: &str, nonce: i64, body: &[u8]) -> String {
    let nonce = nonce.to_string();
    let signature = mac(secret, path, &nonce, body).map(|mac| hex::encode(mac.finalize().into_bytes()));
    format!("Bearer {key}:{}:{nonce}", signature.unwrap_or_default())
}

fn mac(secret: &[u8], path: &str, nonce: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(format!("POST\n{path}\n{nonce}\n").as_bytes());
    mac.update(body);
    Some(mac)
}

/// A nonce is the time in seconds, milliseconds or microseconds, by its length.
fn nonce_to_millis(nonce: &str) -> Option<i64> {
    let time: i64 = nonce.parse().ok().filter(|time| *time > 0)?;
    match nonce.len() {
        10 => time.checked_mul(1_000),
        13 => Some(time),
        16 => Some(time / 1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const PATH: &str = "/v1/fiat/webhook/banxa";

    fn check(header_value: &str, path: &str, body: &[u8], now: i64) -> Result<(), WebhookError> {
        verify(Some(("key", b"secret")), Some(header_value), path, body, now)
    }

    #[test]
    fn signature_matches_known_value() {
        // printf 'POST\n/v1/fiat/webhook/banxa\n1800000000000\n{}' | openssl dgst -sha256 -hmac secret
        assert_eq!(
            sign("key", b"secret", PATH, NOW, b"{}"),
            "Bearer key:03122db577e0146952841199c3cb668cf7128de547fdaf9eaabbf33e1d8705a7:1800000000000"
        );
    }

    #[test]
    fn rule_22_a_signature_is_valid_for_its_body_path_time_and_account_only() {
        let header_value = sign("key", b"secret", PATH, NOW, b"body");
        assert_eq!(check(&header_value, PATH, b"body", NOW), Ok(()));
        assert_eq!(check(&header_value, PATH, b"bodY", NOW), Err(WebhookError::Signature));
        assert_eq!(
            check(&header_value, "/v1/fiat/webhook/other", b"body", NOW),
            Err(WebhookError::Signature)
        );
        assert_eq!(
            check(&header_value.replace(":18", ":19"), PATH, b"body", NOW),
            Err(WebhookError::Signature)
        );
        let other = sign("other", b"secret", PATH, NOW, b"body");
        assert_eq!(check(&other, PATH, b"body", NOW), Err(WebhookError::Signature));
        let forged = sign("key", b"guessed", PATH, NOW, b"body");
        assert_eq!(check(&forged, PATH, b"body", NOW), Err(WebhookError::Signature));
    }

    #[test]
    fn rule_22_a_webhook_is_valid_for_five_minutes_in_any_time_unit() {
        for nonce in [NOW / 1_000, NOW, NOW * 1_000] {
            let header_value = sign("key", b"secret", PATH, nonce, b"body");
            for (now, fresh) in [(300_000, true), (300_001, false), (-300_000, true), (-300_001, false)] {
                let expected = if fresh { Ok(()) } else { Err(WebhookError::Stale) };
                assert_eq!(check(&header_value, PATH, b"body", NOW + now), expected, "{nonce} {now}");
            }
        }
    }

    #[test]
    fn rule_22_without_a_secret_every_webhook_is_rejected() {
        let header_value = sign("key", b"", PATH, NOW, b"");
        for keys in [None, Some(("key", b"".as_slice()))] {
            assert_eq!(verify(keys, Some(&header_value), PATH, b"", NOW), Err(WebhookError::NotConfigured));
        }
        assert_eq!(verify(Some(("key", b"secret")), None, PATH, b"", NOW), Err(WebhookError::Signature));
    }

    proptest! {
        #[test]
        fn arbitrary_header_never_panics(header_value in "(Bearer )?(key:)?\\PC{0,80}:?[0-9]{0,22}") {
            prop_assert!(check(&header_value, PATH, b"body", NOW).is_err());
        }
    }
}
