//! JSON Web Tokens of Transak's webhooks: HS256 only.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use causeway_domain::ports::WebhookError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use sha2::Sha256;

use crate::secret::SecretText;

#[derive(Deserialize)]
struct Header {
    alg: String,
}

/// Verifies a token with any of the keys, and returns its claims.
pub(super) fn verify(token: &str, keys: &[SecretText]) -> Result<Vec<u8>, WebhookError> {
    let (signed, signature) = token.rsplit_once('.').ok_or(WebhookError::Signature)?;
    let (header, claims) = signed.split_once('.').ok_or(WebhookError::Signature)?;
    let header = URL_SAFE_NO_PAD.decode(header).map_err(|_| WebhookError::Signature)?;
    let header: Header = serde_json::from_slice(&header).map_err(|_| WebhookError::Signature)?;
    // The token must not choose its own algorithm.
    if header.alg != "HS256" {
        return Err(WebhookError::Signature);
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| WebhookError::Signature)?;
    let is_signed_by = |key: &SecretText| {
        let mac = Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes()).ok().filter(|_| !key.is_empty());
        mac.is_some_and(|mac| mac.chain_update(signed).verify_slice(&signature).is_ok())
    };
    if !keys.iter().any(is_signed_by) {
        return Err(WebhookError::Signature);
    }
    URL_SAFE_NO_PAD.decode(claims).map_err(|_| WebhookError::Nonsense("its claims are not base64".to_owned()))
}

/// Signs claims as Transak does.
#[cfg(any(test, fuzzing, feature = "standin"))]
pub(crate) fn sign(claims: &[u8], key: &SecretText) -> String {
    let header = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims));
    let mac = Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes()).ok();
    let signature = mac.map(|mac| mac.chain_update(&signed).finalize().into_bytes());
    format!("{signed}.{}", signature.map(|bytes| URL_SAFE_NO_PAD.encode(bytes)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(token: &str) -> SecretText {
        SecretText::new(token)
    }

    #[test]
    fn token_is_valid_for_its_own_key_only() {
        let token = sign(b"{}", &key("one"));
        assert_eq!(verify(&token, &[key("one")]).unwrap(), b"{}");
        assert_eq!(
            verify(&token, &[key("newer"), key("one")]).unwrap(),
            b"{}",
            "the key before still counts"
        );
        assert_eq!(verify(&token, &[key("two")]), Err(WebhookError::Signature));
        assert_eq!(verify(&token, &[]), Err(WebhookError::Signature));
        assert_eq!(verify(&sign(b"{}", &key("")), &[key("")]), Err(WebhookError::Signature));
    }

    #[test]
    fn token_matches_known_value() {
        // RFC 7519's way, computed with openssl: printf HEADER.CLAIMS | openssl dgst -sha256 -hmac secret -binary | base64
        let token = sign(br#"{"a":1}"#, &key("secret"));
        let parts: Vec<_> = token.split('.').collect();
        assert_eq!(parts[0], "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9");
        assert_eq!(parts[1], "eyJhIjoxfQ");
        assert_eq!(parts[2], "57TF7smP9XDhIexBqPC-F1toZReYZLWb_YRU5tv0sxM");
    }

    #[test]
    fn token_cannot_choose_its_algorithm() {
        let none =
            format!("{}.{}.", URL_SAFE_NO_PAD.encode(br#"{"alg":"none"}"#), URL_SAFE_NO_PAD.encode("{}"));
        assert_eq!(verify(&none, &[key("one")]), Err(WebhookError::Signature));
        let (_, rest) =
            sign(b"{}", &key("one")).split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let other = format!("{}.{rest}", URL_SAFE_NO_PAD.encode(br#"{"alg":"RS256"}"#));
        assert_eq!(verify(&other, &[key("one")]), Err(WebhookError::Signature));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(token in "\\PC{0,60}(\\.\\PC{0,40}){0,3}") {
            prop_assert!(verify(&token, &[key("one")]).is_err());
        }
    }
}
