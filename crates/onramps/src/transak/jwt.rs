//! The signed texts in which Transak's webhooks come: JSON Web Tokens with HS256, and nothing else of what such tokens can be.

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

/// The claims of a text that one of the keys has signed.
pub(super) fn open(text: &str, keys: &[SecretText]) -> Result<Vec<u8>, WebhookError> {
    let (signed, signature) = text.rsplit_once('.').ok_or(WebhookError::Signature)?;
    let (header, claims) = signed.split_once('.').ok_or(WebhookError::Signature)?;
    let header = URL_SAFE_NO_PAD.decode(header).map_err(|_| WebhookError::Signature)?;
    let header: Header = serde_json::from_slice(&header).map_err(|_| WebhookError::Signature)?;
    // A token that says itself how it is to be checked must not be asked.
    if header.alg != "HS256" {
        return Err(WebhookError::Signature);
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| WebhookError::Signature)?;
    let signs = |key: &SecretText| {
        let mac = Hmac::<Sha256>::new_from_slice(key.reveal().as_bytes()).ok().filter(|_| !key.is_empty());
        mac.is_some_and(|mac| mac.chain_update(signed).verify_slice(&signature).is_ok())
    };
    if !keys.iter().any(signs) {
        return Err(WebhookError::Signature);
    }
    URL_SAFE_NO_PAD.decode(claims).map_err(|_| WebhookError::Nonsense("its claims are not base64".to_owned()))
}

/// Signs claims as Transak does.
#[cfg(any(test, feature = "standin"))]
pub(crate) fn seal(claims: &[u8], key: &SecretText) -> String {
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

    fn key(text: &str) -> SecretText {
        SecretText::new(text)
    }

    #[test]
    fn a_token_counts_for_its_own_key_only() {
        let text = seal(b"{}", &key("one"));
        assert_eq!(open(&text, &[key("one")]).unwrap(), b"{}");
        assert_eq!(open(&text, &[key("newer"), key("one")]).unwrap(), b"{}", "the key before still counts");
        assert_eq!(open(&text, &[key("two")]), Err(WebhookError::Signature));
        assert_eq!(open(&text, &[]), Err(WebhookError::Signature));
        assert_eq!(open(&seal(b"{}", &key("")), &[key("")]), Err(WebhookError::Signature));
    }

    #[test]
    fn a_known_token_stays_what_it_is() {
        // RFC 7519's way, computed with openssl: printf HEADER.CLAIMS | openssl dgst -sha256 -hmac secret -binary | base64
        let text = seal(br#"{"a":1}"#, &key("secret"));
        let parts: Vec<_> = text.split('.').collect();
        assert_eq!(parts[0], "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9");
        assert_eq!(parts[1], "eyJhIjoxfQ");
        assert_eq!(parts[2], "57TF7smP9XDhIexBqPC-F1toZReYZLWb_YRU5tv0sxM");
    }

    #[test]
    fn a_token_does_not_choose_how_it_is_checked() {
        let none =
            format!("{}.{}.", URL_SAFE_NO_PAD.encode(br#"{"alg":"none"}"#), URL_SAFE_NO_PAD.encode("{}"));
        assert_eq!(open(&none, &[key("one")]), Err(WebhookError::Signature));
        let (_, rest) =
            seal(b"{}", &key("one")).split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let other = format!("{}.{rest}", URL_SAFE_NO_PAD.encode(br#"{"alg":"RS256"}"#));
        assert_eq!(open(&other, &[key("one")]), Err(WebhookError::Signature));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,60}(\\.\\PC{0,40}){0,3}") {
            prop_assert!(open(&text, &[key("one")]).is_err());
        }
    }
}
