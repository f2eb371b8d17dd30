//! Access tokens: of the metadata server, or for a service account whose key is in a file.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use causeway_domain::ports::KeySignerError;
use jiff::{SignedDuration, Timestamp};
use reqwest::Client;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::json;

use crate::http::ask;

pub(super) const METADATA: &str = "http://metadata.google.internal";
const SCOPE: &str = "https://www.googleapis.com/auth/cloudkms";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// How long an assertion is valid.
const LIFETIME: i64 = 600;
/// Tokens that end sooner than this are replaced.
const MARGIN: SignedDuration = SignedDuration::from_mins(2);

/// A token and its end.
#[derive(Clone)]
pub(super) struct AccessToken {
    pub(super) text: String,
    expires_at: Timestamp,
}

impl AccessToken {
    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        self.expires_at.duration_since(now) > MARGIN
    }
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: u32,
}

/// A service account's key, as Google gives it out.
#[derive(Clone, Deserialize)]
pub struct ServiceAccount {
    client_email: String,
    private_key: String,
    token_uri: String,
}

impl fmt::Debug for ServiceAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServiceAccount({})", self.client_email)
    }
}

impl ServiceAccount {
    /// Reads the JSON of a key file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let account: Self = serde_json::from_str(text).map_err(|_| {
            "it is no key of a service account: client_email, private_key and token_uri".to_owned()
        })?;
        account.key()?;
        Ok(account)
    }

    fn key(&self) -> Result<RsaKeyPair, String> {
        let lines = self.private_key.lines().filter(|line| !line.starts_with("-----"));
        let text: String = lines.map(str::trim).collect();
        let der = STANDARD.decode(text).map_err(|_| "private_key is no PEM".to_owned())?;
        RsaKeyPair::from_pkcs8(&der).map_err(|_| "private_key is no RSA key in PKCS#8".to_owned())
    }

    fn assertion(&self, now: Timestamp) -> Result<String, String> {
        let issued = now.as_second();
        let claims = json!({
            "iss": self.client_email,
            "scope": SCOPE,
            "aud": self.token_uri,
            "iat": issued,
            "exp": issued.saturating_add(LIFETIME),
        });
        let header = json!({ "alg": "RS256", "typ": "JWT" });
        let part = |json: serde_json::Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let key = self.key()?;
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
            .map_err(|_| "the assertion could not be signed".to_owned())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    pub(super) async fn token(
        &self,
        http: &Client,
        deadline: Duration,
    ) -> Result<AccessToken, KeySignerError> {
        let assertion = self.assertion(Timestamp::now()).map_err(KeySignerError::Refused)?;
        // Both are free of characters that a form escapes, but for the colons.
        let form = format!("grant_type={}&assertion={assertion}", GRANT.replace(':', "%3A"));
        let post = http.post(&self.token_uri).header("content-type", "application/x-www-form-urlencoded");
        read(&ask(post.body(form), deadline).await?)
    }
}

/// The token of the machine's own service account.
pub(super) async fn of_machine(
    http: &Client,
    base: &str,
    deadline: Duration,
) -> Result<AccessToken, KeySignerError> {
    let url = format!("{base}/computeMetadata/v1/instance/service-accounts/default/token");
    read(&ask(http.get(url).header("metadata-flavor", "Google"), deadline).await?)
}

fn read(body: &[u8]) -> Result<AccessToken, KeySignerError> {
    let answer: TokenAnswer = serde_json::from_slice(body)
        .map_err(|_| KeySignerError::InvalidAnswer("it is no access token".to_owned()))?;
    let lifetime = SignedDuration::from_secs(answer.expires_in.into());
    let expires_at = Timestamp::now().saturating_add(lifetime).unwrap_or(Timestamp::MAX);
    Ok(AccessToken { text: answer.access_token, expires_at })
}

#[cfg(test)]
mod tests {
    use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    use super::*;

    /// Made for this test, and nobody's.
    const KEY: &str = include_str!("test-key.pem");

    fn account(key: &str) -> Result<ServiceAccount, String> {
        let text = json!({
            "type": "service_account",
            "client_email": "causeway@p.iam.gserviceaccount.com",
            "private_key": key,
            "token_uri": "https://oauth2.googleapis.com/token",
        });
        ServiceAccount::parse(&text.to_string())
    }

    #[test]
    fn assertion_is_signed_by_the_account_for_a_short_time() {
        let account = account(KEY).unwrap();
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let assertion = account.assertion(now).unwrap();
        let (signed, signature) = assertion.rsplit_once('.').unwrap();
        let key = account.key().unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref());
        public.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
        let claims = URL_SAFE_NO_PAD.decode(signed.split_once('.').unwrap().1).unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["exp"], 1_800_000_600);
        assert_eq!(claims["aud"], "https://oauth2.googleapis.com/token");
        assert!(!format!("{account:?}").contains("PRIVATE"));
    }

    #[test]
    fn file_that_is_no_service_account_is_told() {
        for (key, words) in
            [("", "no RSA key"), ("-----BEGIN-----\n!\n-----END-----", "no PEM"), ("AAAA", "no RSA")]
        {
            let error = account(key).unwrap_err();
            assert!(error.contains(words), "{key}: {error}");
        }
        assert!(ServiceAccount::parse("{}").unwrap_err().contains("client_email"));
    }
}
