//! AWS Key Management Service, by its HTTP API: a key of the spec `ECC_SECG_P256K1` that signs and verifies.

mod credentials;
mod sigv4;

use std::fmt;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, keccak256};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use jiff::Timestamp;
use reqwest::Client;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::credentials::Credentials;
use self::credentials::{INSTANCE_METADATA, of_instance};
use self::sigv4::{Request, amz_date, authorization};
use crate::http::{ask, client};
use crate::secp256k1::{account_of, decoded, from_der, naming_other};

/// A key in AWS KMS.
pub struct AwsKms {
    http: Client,
    settings: AwsKmsSettings,
    account: EvmAddress,
    deadline: Duration,
    /// Of the instance's role, where the environment has none.
    role: tokio::sync::Mutex<Option<Credentials>>,
}

/// Which key of which region, and how to get there.
#[derive(Clone, Debug)]
pub struct AwsKmsSettings {
    pub region: String,
    /// The key's id, ARN or alias.
    pub key: String,
    /// Instead of `https://kms.REGION.amazonaws.com`.
    pub endpoint: Option<String>,
    /// Without them the instance's role is asked for.
    pub credentials: Option<Credentials>,
    /// Instead of the address of the instance's metadata service.
    pub instance_metadata: Option<String>,
}

impl AwsKms {
    /// The key of this account.
    pub fn new(
        settings: AwsKmsSettings,
        account: EvmAddress,
        deadline: Duration,
    ) -> Result<Self, KeySignerError> {
        Ok(Self { http: client(deadline)?, settings, account, deadline, role: tokio::sync::Mutex::default() })
    }

    /// The account of the key that the service has under this name.
    pub async fn find_account(&self) -> Result<EvmAddress, KeySignerError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct PublicKey {
            public_key: String,
        }
        let key: PublicKey = self.call("GetPublicKey", &json!({ "KeyId": self.settings.key })).await?;
        account_of(&decoded(&key.public_key)?)
    }

    async fn credentials(&self) -> Result<Credentials, KeySignerError> {
        if let Some(own) = &self.settings.credentials {
            return Ok(own.clone());
        }
        let mut role = self.role.lock().await;
        if let Some(known) = role.as_ref().filter(|known| known.is_fresh(Timestamp::now())) {
            return Ok(known.clone());
        }
        let base = self.settings.instance_metadata.as_deref().unwrap_or(INSTANCE_METADATA);
        let found = of_instance(&self.http, base, self.deadline).await.map_err(|error| {
            KeySignerError::Refused(format!(
                "there are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and the instance's \
                 role is not known ({error})"
            ))
        })?;
        *role = Some(found.clone());
        Ok(found)
    }

    async fn call<T: DeserializeOwned>(&self, action: &str, body: &Value) -> Result<T, KeySignerError> {
        let credentials = self.credentials().await?;
        let region = &self.settings.region;
        let public = format!("https://kms.{region}.amazonaws.com");
        let endpoint = self.settings.endpoint.as_deref().unwrap_or(&public).trim_end_matches('/');
        let host = endpoint.split_once("://").map_or(endpoint, |(_, host)| host);
        let (body, date) = (body.to_string(), amz_date(Timestamp::now()));
        let mut headers = vec![
            ("content-type", "application/x-amz-json-1.1".to_owned()),
            ("host", host.to_owned()),
            ("x-amz-date", date.clone()),
        ];
        headers.extend(credentials.session_token.clone().map(|token| ("x-amz-security-token", token)));
        headers.push(("x-amz-target", format!("TrentService.{action}")));
        let request = Request { service: "kms", region, headers: &headers, body: body.as_bytes() };
        let authorization = authorization(&credentials, &request, &date);
        let mut post = self.http.post(format!("{endpoint}/")).header("authorization", authorization);
        for (name, value) in headers.into_iter().filter(|(name, _)| *name != "host") {
            post = post.header(name, value);
        }
        let answer = ask(post.body(body), self.deadline).await?;
        serde_json::from_slice(&answer).map_err(|_| {
            KeySignerError::InvalidAnswer(format!(
                "{action} is answered otherwise{}",
                crate::http::told(&answer)
            ))
        })
    }
}

#[async_trait]
impl KeySigner for AwsKms {
    fn address(&self) -> Address {
        Address::Evm(self.account)
    }

    fn place(&self) -> String {
        format!("AWS KMS, {} in {}", self.settings.key, self.settings.region)
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Signed {
            signature: String,
        }
        let digest = keccak256(&request.payload);
        let body = json!({
            "KeyId": self.settings.key,
            "Message": STANDARD.encode(digest),
            "MessageType": "DIGEST",
            "SigningAlgorithm": "ECDSA_SHA_256",
        });
        let signed: Signed = self.call("Sign", &body).await?;
        let signed = from_der(&decoded(&signed.signature)?, &digest, self.account);
        naming_other(signed, self.account, self.find_account()).await
    }
}

impl fmt::Debug for AwsKms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AwsKms({}, {})", self.settings.key, self.account)
    }
}
