use std::fmt::Write as _;

use alloy_primitives::hex;
use causeway_domain::ports::WebhookSecret;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The header that goes with a body sent at that second: `t=SECONDS,v1=HEX`, with one `v1` for each secret.
///
/// What is signed is the time as it is written, a point and the body, byte by byte.
pub(super) fn sign(secrets: &[WebhookSecret], seconds: i64, body: &[u8]) -> String {
    let mut header = format!("t={seconds}");
    for secret in secrets {
        // A key of any length is taken.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else { continue };
        mac.update(seconds.to_string().as_bytes());
        mac.update(b".");
        mac.update(body);
        // Writing to a string does not fail.
        let _ = write!(header, ",v1={}", hex::encode(mac.finalize().into_bytes()));
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_signature_stays_what_it_is_and_every_secret_signs() {
        // printf '1800000000.{}' | openssl dgst -sha256 -hmac whsec_0123456789abcdef
        let secret: WebhookSecret = "whsec_0123456789abcdef".parse().unwrap();
        let other: WebhookSecret = "whsec_fedcba9876543210".parse().unwrap();
        let one = sign(std::slice::from_ref(&secret), 1_800_000_000, b"{}");
        assert_eq!(one, "t=1800000000,v1=0670c993f4fc178e4a81d2e7c2ccbed77b608e0f2b0d9f417b7283b1c6028934");
        let both = sign(&[secret, other], 1_800_000_000, b"{}");
        assert!(both.starts_with(&one) && both.len() == one.len() + ",v1=".len() + 64, "{both}");
    }
}
