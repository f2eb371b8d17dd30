//! JSON Web Tokens that authenticate requests to Coinbase: one per request, bound to method, host and path, valid for two minutes.

use alloy_primitives::hex;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::Signer as _;
use p256::pkcs8::DecodePrivateKey as _;
use serde::Serialize;

/// Lifetime of a token, as in Coinbase's own libraries.
const TOKEN_LIFETIME_SECONDS: i64 = 120;

/// An API key of the Coinbase Developer Platform.
pub(super) struct ApiKey {
    id: String,
    key: SigningKey,
}

enum SigningKey {
    /// Recommended by Coinbase.
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// The older key type.
    P256(Box<p256::ecdsa::SigningKey>),
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'static str,
    kid: &'a str,
    typ: &'static str,
    nonce: String,
}

#[derive(Serialize)]
struct Claims<'a> {
    sub: &'a str,
    iss: &'static str,
    aud: [&'static str; 1],
    iat: i64,
    nbf: i64,
    exp: i64,
    uris: [String; 1],
}

impl ApiKey {
    /// Parses a secret as issued by Coinbase: 64 bytes in base64, or an EC key in PEM, with real or escaped line breaks.
    pub(super) fn new(id: &str, secret: &str) -> Result<Self, String> {
        if id.trim().is_empty() {
            return Err(
                "the id of the API key is empty: copy `id` (or `name`) from the key's file".to_owned()
            );
        }
        let secret = secret.trim();
        let key = if secret.contains("-----BEGIN") { parse_pem(secret) } else { parse_ed25519(secret) };
        let message = "the secret of the API key is neither an Ed25519 key in base64 (88 characters) nor an EC key of P-256 in PEM: \
                    copy `privateKey` from the key's file unchanged";
        Ok(Self { id: id.trim().to_owned(), key: key.ok_or_else(|| message.to_owned())? })
    }

    /// A token for one request; `host` as in the URL, `path` without the query.
    pub(super) fn token(&self, method: &str, host: &str, path: &str, now: i64) -> Result<String, String> {
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(|error| error.to_string())?;
        let header = Header { alg: self.alg(), kid: &self.id, typ: "JWT", nonce: hex::encode(nonce) };
        let claims = Claims {
            sub: &self.id,
            iss: "cdp",
            aud: ["cdp_service"],
            iat: now,
            nbf: now,
            exp: now.saturating_add(TOKEN_LIFETIME_SECONDS),
            uris: [format!("{method} {host}{path}")],
        };
        let part = |json: serde_json::Result<Vec<u8>>| {
            json.map(|json| URL_SAFE_NO_PAD.encode(json)).map_err(|error| error.to_string())
        };
        let signed = format!("{}.{}", part(serde_json::to_vec(&header))?, part(serde_json::to_vec(&claims))?);
        let signature = match &self.key {
            SigningKey::Ed25519(key) => key.sign(signed.as_bytes()).to_bytes().to_vec(),
            SigningKey::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(signed.as_bytes());
                signature.to_bytes().to_vec()
            }
        };
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    const fn alg(&self) -> &'static str {
        match &self.key {
            SigningKey::Ed25519(_) => "EdDSA",
            SigningKey::P256(_) => "ES256",
        }
    }
}

/// Seed and public key, which must match.
fn parse_ed25519(secret: &str) -> Option<SigningKey> {
    let bytes: [u8; 64] = STANDARD.decode(secret).ok()?.try_into().ok()?;
    let key = ed25519_dalek::SigningKey::from_keypair_bytes(&bytes).ok()?;
    Some(SigningKey::Ed25519(Box::new(key)))
}

fn parse_pem(secret: &str) -> Option<SigningKey> {
    // JSON files and environment variables escape line breaks.
    let text = secret.replace("\\n", "\n");
    let key =
        p256::SecretKey::from_sec1_pem(&text).or_else(|_| p256::SecretKey::from_pkcs8_pem(&text)).ok()?;
    Some(SigningKey::P256(Box::new(key.into())))
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::signature::Verifier as _;
    use p256::elliptic_curve::pkcs8::EncodePrivateKey as _;
    use p256::pkcs8::LineEnding;
    use serde_json::Value;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn ed25519() -> (ed25519_dalek::SigningKey, String) {
        let key = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
        let secret = STANDARD.encode(key.to_keypair_bytes());
        (key, secret)
    }

    fn parts(token: &str) -> (Value, Value, String, Vec<u8>) {
        let parts: Vec<_> = token.split('.').collect();
        assert_eq!(parts.len(), 3, "{token}");
        let json = |part: &str| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
        (json(parts[0]), json(parts[1]), format!("{}.{}", parts[0], parts[1]), signature)
    }

    #[test]
    fn token_is_bound_to_its_request() {
        let (key, secret) = ed25519();
        let keys = ApiKey::new("key-1", &secret).unwrap();
        let token = keys.token("POST", "api.example", "/platform/v2/onramp/sessions", NOW).unwrap();
        let (header, claims, signed, signature) = parts(&token);
        assert_eq!((header["alg"].as_str(), header["kid"].as_str()), (Some("EdDSA"), Some("key-1")));
        assert_eq!(claims["uris"][0], "POST api.example/platform/v2/onramp/sessions");
        assert_eq!((claims["iss"].as_str(), claims["sub"].as_str()), (Some("cdp"), Some("key-1")));
        assert_eq!((claims["nbf"].as_i64(), claims["exp"].as_i64()), (Some(NOW), Some(NOW + 120)));
        let signature = ed25519_dalek::Signature::from_slice(&signature).unwrap();
        key.verifying_key().verify_strict(signed.as_bytes(), &signature).unwrap();
        let other = keys.token("POST", "api.example", "/platform/v2/onramp/sessions", NOW).unwrap();
        assert_ne!(parts(&other).0["nonce"], header["nonce"], "no two requests carry the same token");
    }

    #[test]
    fn p256_keys_are_accepted_in_both_pem_formats() {
        let secret = p256::SecretKey::from_slice(&[9; 32]).unwrap();
        let sec1 = secret.to_sec1_pem(LineEnding::LF).unwrap().to_string();
        let pkcs8 = secret.to_pkcs8_pem(LineEnding::LF).unwrap().to_string();
        for text in [sec1.clone(), sec1.replace('\n', "\\n"), pkcs8] {
            let keys = ApiKey::new("organizations/a/apiKeys/b", &text).unwrap();
            let (header, _, signed, signature) = parts(&keys.token("GET", "h", "/p", NOW).unwrap());
            assert_eq!(header["alg"], "ES256");
            let signature = p256::ecdsa::Signature::from_slice(&signature).unwrap();
            let public = p256::ecdsa::SigningKey::from(secret.clone());
            public.verifying_key().verify(signed.as_bytes(), &signature).unwrap();
        }
    }

    #[test]
    fn invalid_key_error_says_what_to_copy() {
        let (_, good) = ed25519();
        let mut mixed = STANDARD.decode(&good).unwrap();
        mixed[40] ^= 1;
        for secret in ["", "abc", &good[..80], &STANDARD.encode(mixed), "-----BEGIN EC PRIVATE KEY-----\nAA"]
        {
            let error = ApiKey::new("key-1", secret).err().unwrap();
            assert!(
                error.contains("privateKey") && (secret.is_empty() || !error.contains(secret)),
                "{error}"
            );
        }
        assert!(ApiKey::new(" ", &good).is_err());
    }
}
