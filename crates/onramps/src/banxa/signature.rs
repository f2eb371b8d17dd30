//! How Banxa signs: `Authorization: Bearer KEY:SIGNATURE:NONCE`, where the signature is the hex HMAC-SHA256 of method, path, nonce and
//! body, a line each. A webhook is signed the same way, over the path of our own door.

use alloy_primitives::hex;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// How far a webhook's time may lie from ours, in milliseconds.
const WINDOW_MS: u64 = 300_000;

/// Whether the header was made with key and secret over this body, sent to `path` at most five minutes away from `now_ms`.
pub(super) fn verify(
    keys: Option<(&str, &[u8])>,
    header: Option<&str>,
    path: &str,
    body: &[u8],
    now_ms: i64,
) -> Result<(), WebhookError> {
    let (key, secret) = keys.filter(|(_, secret)| !secret.is_empty()).ok_or(WebhookError::NotConfigured)?;
    let told = header.filter(|told| told.len() <= 512).and_then(|told| told.strip_prefix("Bearer "));
    let mut fields = told.ok_or(WebhookError::Signature)?.splitn(3, ':');
    let (Some(named), Some(signature), Some(nonce)) = (fields.next(), fields.next(), fields.next()) else {
        return Err(WebhookError::Signature);
    };
    let signature = hex::decode(signature).map_err(|_| WebhookError::Signature)?;
    let mac = mac(secret, path, nonce, body).ok_or(WebhookError::NotConfigured)?;
    mac.verify_slice(&signature).map_err(|_| WebhookError::Signature)?;
    // The key is no secret, and another one means that the webhook was meant for another account.
    if named != key {
        return Err(WebhookError::Signature);
    }
    let told = milliseconds(nonce).ok_or(WebhookError::Signature)?;
    if told.abs_diff(now_ms) > WINDOW_MS { Err(WebhookError::Stale) } else { Ok(()) }
}

/// The header's value for a body that is sent to `path` at that time.
#[cfg(any(test, feature = "standin"))]
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

/// A nonce is the time, and its length tells in what: seconds, milliseconds or microseconds.
fn milliseconds(nonce: &str) -> Option<i64> {
    let told: i64 = nonce.parse().ok().filter(|told| *told > 0)?;
    match nonce.len() {
        10 => told.checked_mul(1_000),
        13 => Some(told),
        16 => Some(told / 1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;
    const PATH: &str = "/v1/fiat/webhook/banxa";

    fn check(told: &str, path: &str, body: &[u8], now: i64) -> Result<(), WebhookError> {
        verify(Some(("key", b"secret")), Some(told), path, body, now)
    }

    #[test]
    fn a_known_signature_stays_what_it_is() {
        // printf 'POST\n/v1/fiat/webhook/banxa\n1800000000000\n{}' | openssl dgst -sha256 -hmac secret
        assert_eq!(
            sign("key", b"secret", PATH, NOW, b"{}"),
            "Bearer key:03122db577e0146952841199c3cb668cf7128de547fdaf9eaabbf33e1d8705a7:1800000000000"
        );
    }

    #[test]
    fn rule_22_a_signature_counts_for_its_own_body_path_time_and_account_only() {
        let told = sign("key", b"secret", PATH, NOW, b"body");
        assert_eq!(check(&told, PATH, b"body", NOW), Ok(()));
        assert_eq!(check(&told, PATH, b"bodY", NOW), Err(WebhookError::Signature));
        assert_eq!(check(&told, "/v1/fiat/webhook/other", b"body", NOW), Err(WebhookError::Signature));
        assert_eq!(check(&told.replace(":18", ":19"), PATH, b"body", NOW), Err(WebhookError::Signature));
        let other = sign("other", b"secret", PATH, NOW, b"body");
        assert_eq!(check(&other, PATH, b"body", NOW), Err(WebhookError::Signature));
        let forged = sign("key", b"guessed", PATH, NOW, b"body");
        assert_eq!(check(&forged, PATH, b"body", NOW), Err(WebhookError::Signature));
    }

    #[test]
    fn rule_22_it_counts_for_five_minutes_in_whatever_the_time_is_written() {
        for nonce in [NOW / 1_000, NOW, NOW * 1_000] {
            let told = sign("key", b"secret", PATH, nonce, b"body");
            for (now, fresh) in [(300_000, true), (300_001, false), (-300_000, true), (-300_001, false)] {
                let expected = if fresh { Ok(()) } else { Err(WebhookError::Stale) };
                assert_eq!(check(&told, PATH, b"body", NOW + now), expected, "{nonce} {now}");
            }
        }
    }

    #[test]
    fn rule_22_without_a_secret_nothing_is_believed() {
        let told = sign("key", b"", PATH, NOW, b"");
        for keys in [None, Some(("key", b"".as_slice()))] {
            assert_eq!(verify(keys, Some(&told), PATH, b"", NOW), Err(WebhookError::NotConfigured));
        }
        assert_eq!(verify(Some(("key", b"secret")), None, PATH, b"", NOW), Err(WebhookError::Signature));
    }

    proptest! {
        #[test]
        fn any_header_is_read_or_refused_without_panic(told in "(Bearer )?(key:)?\\PC{0,80}:?[0-9]{0,22}") {
            prop_assert!(check(&told, PATH, b"body", NOW).is_err());
        }
    }
}
