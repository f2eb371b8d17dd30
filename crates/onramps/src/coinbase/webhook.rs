//! Webhook signatures of the form `t=SECONDS,h=HEADERS,v1=HEX`: HMAC-SHA256 over the time, the names and the values of the headers
//! that are signed too, and the raw body, separated by dots. Without `v1` there is `v0`, over time and body only.

use alloy_primitives::hex;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The header that carries the signature.
pub(crate) const SIGNATURE_HEADER: &str = "x-hook0-signature";

/// Maximum difference between a webhook's time and ours.
const TOLERANCE_SECONDS: u64 = 300;

/// Maximum number of signed headers.
const MAX_SIGNED_HEADERS: usize = 16;

/// Finds a header by its lower-case name.
pub(super) type Headers<'a> = &'a (dyn for<'b> Fn(&'b str) -> Option<String> + Sync);

/// Verifies the signature of this body and these headers; its time must be within five minutes of `now`.
pub(super) fn verify(
    secret: Option<&[u8]>,
    header: Headers<'_>,
    body: &[u8],
    now: i64,
) -> Result<(), WebhookError> {
    let secret = secret.filter(|secret| !secret.is_empty()).ok_or(WebhookError::NotConfigured)?;
    let header_value = header(SIGNATURE_HEADER)
        .filter(|header_value| header_value.len() <= 1024)
        .ok_or(WebhookError::Signature)?;
    let field = |name: &str| header_value.split(',').find_map(|field| field.trim().strip_prefix(name));
    let seconds = field("t=").ok_or(WebhookError::Signature)?;
    let (signature, prefix) = match (field("v1="), field("v0=")) {
        (Some(signature), _) => {
            // Without a list of headers, none are signed.
            let prefix = field("h=").map(|names| signed_prefix(seconds, names, header)).transpose()?;
            (signature, prefix.unwrap_or_else(|| format!("{seconds}.")))
        }
        (None, Some(signature)) => (signature, format!("{seconds}.")),
        (None, None) => return Err(WebhookError::Signature),
    };
    let signature = hex::decode(signature).map_err(|_| WebhookError::Signature)?;
    let mac = mac(secret, &prefix, body).ok_or(WebhookError::NotConfigured)?;
    mac.verify_slice(&signature).map_err(|_| WebhookError::Signature)?;
    let signed_at: i64 = seconds.parse().map_err(|_| WebhookError::Signature)?;
    if signed_at.abs_diff(now) > TOLERANCE_SECONDS { Err(WebhookError::Stale) } else { Ok(()) }
}

/// The signed text before the body; a listed header that is missing invalidates the signature.
fn signed_prefix(seconds: &str, names: &str, header: Headers<'_>) -> Result<String, WebhookError> {
    let listed: Vec<_> = names.split(' ').filter(|name| !name.is_empty()).collect();
    if listed.len() > MAX_SIGNED_HEADERS {
        return Err(WebhookError::Signature);
    }
    let values: Option<Vec<String>> = listed.iter().map(|name| header(&name.to_ascii_lowercase())).collect();
    Ok(format!("{seconds}.{names}.{}.", values.ok_or(WebhookError::Signature)?.join(".")))
}

/// The signature header of a body sent at that second with these headers.
#[cfg(any(test, fuzzing, feature = "standin"))]
pub(crate) fn sign(secret: &[u8], seconds: i64, headers: &[(&str, &str)], body: &[u8]) -> String {
    let names: Vec<_> = headers.iter().map(|(name, _)| *name).collect();
    let values: Vec<_> = headers.iter().map(|(_, value)| *value).collect();
    let (names, values) = (names.join(" "), values.join("."));
    let signature = mac(secret, &format!("{seconds}.{names}.{values}."), body);
    let signature = signature.map(|mac| hex::encode(mac.finalize().into_bytes())).unwrap_or_default();
    format!("t={seconds},h={names},v1={signature}")
}

fn mac(secret: &[u8], prefix: &str, body: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(prefix.as_bytes());
    mac.update(body);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_636_936_200;
    // The two examples that Hook0, whose scheme this is, tests its own client with.
    const V0: &str = "t=1636936200,v0=1b3d69df55f1e52f05224ba94a5162abeb17ef52cd7f4948c390f810d6a87e98";
    const V1: &str =
        "t=1636936200,h=x-test x-test2,v1=493c35f05443fdb74cb99fd4f00e0e7653c2ab6b24fbc97f4a7bd4d56b31758a";

    fn check(header_value: &str, second: &str, body: &[u8], now: i64) -> Result<(), WebhookError> {
        let header = |name: &str| match name {
            SIGNATURE_HEADER => Some(header_value.to_owned()),
            "x-test" => Some("val1".to_owned()),
            "x-test2" => Some(second.to_owned()),
            _ => None,
        };
        verify(Some(b"secret"), &header, body, now)
    }

    #[test]
    fn rule_22_known_signatures_are_valid_for_their_body_and_headers_only() {
        assert_eq!(check(V1, "val2", b"hello !", NOW), Ok(()));
        assert_eq!(check(V1, "val3", b"hello !", NOW), Err(WebhookError::Signature));
        assert_eq!(check(V1, "val2", b"hello ?", NOW), Err(WebhookError::Signature));
        assert_eq!(check(V0, "val2", b"hello !", NOW), Ok(()));
        assert_eq!(check(V0, "val2", b"hello ?", NOW), Err(WebhookError::Signature));
        assert_eq!(
            check(&V0.replace("v0=", "v1="), "val2", b"hello !", NOW),
            Ok(()),
            "without signed headers"
        );
        let missing = V1.replace("x-test2", "x-test3");
        assert_eq!(check(&missing, "val2", b"hello !", NOW), Err(WebhookError::Signature));
        let later = V1.replace("1636936200", "1636936201");
        assert_eq!(check(&later, "val2", b"hello !", NOW), Err(WebhookError::Signature));
    }

    #[test]
    fn own_signatures_verify() {
        let header_value = sign(b"secret", NOW, &[("x-test", "val1"), ("x-test2", "val2")], b"hello !");
        assert_eq!(header_value, V1);
    }

    #[test]
    fn rule_22_a_webhook_is_valid_for_five_minutes_either_way() {
        for (now, fresh) in [(NOW + 300, true), (NOW + 301, false), (NOW - 300, true), (NOW - 301, false)] {
            let expected = if fresh { Ok(()) } else { Err(WebhookError::Stale) };
            assert_eq!(check(V1, "val2", b"hello !", now), expected, "{now}");
        }
    }

    #[test]
    fn rule_22_without_a_secret_every_webhook_is_rejected() {
        for secret in [None, Some(b"".as_slice())] {
            assert_eq!(verify(secret, &|_| Some(V1.to_owned()), b"", NOW), Err(WebhookError::NotConfigured));
        }
        assert_eq!(verify(Some(b"secret"), &|_| None, b"", NOW), Err(WebhookError::Signature));
    }

    proptest! {
        #[test]
        fn arbitrary_header_never_panics(header_value in "(t=)?[0-9]{0,22},?(h=[a-z ]{0,9},)?(v1=|v0=)?\\PC{0,80}") {
            prop_assert!(check(&header_value, "val2", b"hello !", NOW).is_err());
        }
    }
}
