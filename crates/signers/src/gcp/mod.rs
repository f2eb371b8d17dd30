//! Google Cloud KMS, by its HTTP API: a key version of the algorithm `EC_SIGN_SECP256K1_SHA256`.

mod token;

use std::fmt;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, keccak256};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use jiff::Timestamp;
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

pub use self::token::ServiceAccount;
use self::token::{AccessToken, METADATA, of_machine};
use crate::http::{ask, client};
use crate::secp256k1::{account_of, decoded, from_der, naming_other};

const PUBLIC_ENDPOINT: &str = "https://cloudkms.googleapis.com";

/// A key in Google Cloud KMS.
pub struct GcpKms {
    http: Client,
    settings: GcpKmsSettings,
    account: EvmAddress,
    deadline: Duration,
    token: tokio::sync::Mutex<Option<AccessToken>>,
}

/// Which key version, and how to get there.
#[derive(Clone, Debug)]
pub struct GcpKmsSettings {
    /// `projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/…`.
    pub key: String,
    /// Instead of Google's.
    pub endpoint: Option<String>,
    /// Without it the machine's own service account is used.
    pub service_account: Option<ServiceAccount>,
    /// Instead of the address of the metadata server.
    pub metadata: Option<String>,
}

impl GcpKms {
    /// The key of this account.
    pub fn new(
        settings: GcpKmsSettings,
        account: EvmAddress,
        deadline: Duration,
    ) -> Result<Self, KeySignerError> {
        Ok(Self {
            http: client(deadline)?,
            settings,
            account,
            deadline,
            token: tokio::sync::Mutex::default(),
        })
    }

    /// The account of the key version of this name.
    pub async fn find_account(&self) -> Result<EvmAddress, KeySignerError> {
        #[derive(Deserialize)]
        struct PublicKey {
            pem: String,
        }
        let key: PublicKey = self.call(self.http.get(self.url("/publicKey"))).await?;
        let lines = key.pem.lines().filter(|line| !line.starts_with("-----"));
        let text: String = lines.map(str::trim).collect();
        account_of(&decoded(&text)?)
    }

    fn url(&self, what: &str) -> String {
        let endpoint = self.settings.endpoint.as_deref().unwrap_or(PUBLIC_ENDPOINT).trim_end_matches('/');
        format!("{endpoint}/v1/{}{what}", self.settings.key)
    }

    async fn token(&self) -> Result<String, KeySignerError> {
        let mut token = self.token.lock().await;
        if let Some(known) = token.as_ref().filter(|known| known.is_fresh(Timestamp::now())) {
            return Ok(known.text.clone());
        }
        let base = self.settings.metadata.as_deref().unwrap_or(METADATA);
        let found = match &self.settings.service_account {
            Some(account) => account.token(&self.http, self.deadline).await,
            None => of_machine(&self.http, base, self.deadline).await,
        };
        let found =
            found.map_err(|error| KeySignerError::Refused(format!("there is no access token: {error}")))?;
        let text = found.text.clone();
        *token = Some(found);
        Ok(text)
    }

    async fn call<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, KeySignerError> {
        let token = self.token().await?;
        let answer = ask(request.bearer_auth(token), self.deadline).await?;
        serde_json::from_slice(&answer).map_err(|_| {
            KeySignerError::InvalidAnswer(format!("it is answered otherwise{}", crate::http::told(&answer)))
        })
    }
}

#[async_trait]
impl KeySigner for GcpKms {
    fn address(&self) -> Address {
        Address::Evm(self.account)
    }

    fn place(&self) -> String {
        format!("Google Cloud KMS, {}", self.settings.key)
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        #[derive(Deserialize)]
        struct Signed {
            signature: String,
        }
        // The service takes any digest of 32 bytes under this name.
        let digest = keccak256(&request.payload);
        let body = json!({ "digest": { "sha256": STANDARD.encode(digest) } }).to_string();
        let post = self.http.post(self.url(":asymmetricSign")).header("content-type", "application/json");
        let signed: Signed = self.call(post.body(body)).await?;
        let signed = from_der(&decoded(&signed.signature)?, &digest, self.account);
        naming_other(signed, self.account, self.find_account()).await
    }
}

impl fmt::Debug for GcpKms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GcpKms({}, {})", self.settings.key, self.account)
    }
}
