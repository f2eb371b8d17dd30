use std::fmt;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, Signature, hex};
use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use parking_lot::Mutex;
use reqwest::header::AUTHORIZATION;
use reqwest::{Client, RequestBuilder};
use serde_json::json;

use crate::http::{ask, client};

/// A remote signer that answers as web3signer does for keys of EVM chains, and in the same shape for keys of Solana.
pub struct RemoteSigner {
    http: Client,
    /// Without a trailing slash.
    url: String,
    token: Option<String>,
    address: Address,
    deadline: Duration,
    /// How the signer calls the key, once it is known.
    identifier: Mutex<Option<String>>,
}

impl RemoteSigner {
    /// The key of this account at the signer with this base URL. `token` is sent as a bearer token.
    pub fn new(
        url: &str,
        token: Option<String>,
        address: Address,
        deadline: Duration,
    ) -> Result<Self, KeySignerError> {
        if address.family().is_source_only() {
            return Err(KeySignerError::Family(address));
        }
        Ok(Self {
            http: client(deadline)?,
            url: url.trim_end_matches('/').to_owned(),
            token,
            address,
            deadline,
            identifier: Mutex::default(),
        })
    }

    /// The part of the path that stands for the kind of key.
    const fn kind(&self) -> &'static str {
        match self.address {
            Address::Solana(_) => "ed25519",
            Address::Evm(_) | Address::Bitcoin(_) | Address::Tron(_) => "eth1",
        }
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.token {
            Some(token) => request.header(AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        }
    }

    /// The public key of the account, by which the signer knows it. It is looked for once.
    async fn identifier(&self) -> Result<String, KeySignerError> {
        if let Some(known) = self.identifier.lock().clone() {
            return Ok(known);
        }
        let url = format!("{}/api/v1/{}/publicKeys", self.url, self.kind());
        let body = ask(self.authorized(self.http.get(url)), self.deadline).await?;
        let keys: Vec<String> = serde_json::from_slice(&body).map_err(|_| {
            KeySignerError::InvalidAnswer("the list of public keys is no JSON array of texts".to_owned())
        })?;
        let own = keys.iter().find(|key| account_of(key).as_ref() == Some(&self.address));
        let own = own.ok_or_else(|| {
            KeySignerError::Refused(format!("none of its {} keys is that of {}", keys.len(), self.address))
        })?;
        *self.identifier.lock() = Some(own.clone());
        Ok(own.clone())
    }
}

/// The account of a public key in hex: 64 bytes, or 65 with the prefix of an uncompressed point, on EVM chains; 32 on Solana.
fn account_of(key: &str) -> Option<Address> {
    let bytes = hex::decode(key).ok()?;
    match bytes.as_slice() {
        [4, point @ ..] | point if point.len() == 64 => {
            Some(Address::Evm(EvmAddress::from_raw_public_key(point)))
        }
        key => Some(Address::Solana(key.try_into().ok()?)),
    }
}

#[async_trait]
impl KeySigner for RemoteSigner {
    fn address(&self) -> Address {
        self.address
    }

    fn place(&self) -> String {
        format!("the remote signer at {}", shown(&self.url))
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        let identifier = self.identifier().await?;
        let url = format!("{}/api/v1/{}/sign/{identifier}", self.url, self.kind());
        let body = json!({ "data": hex::encode_prefixed(&request.payload) }).to_string();
        let post = self.authorized(self.http.post(url)).header("content-type", "application/json").body(body);
        let answer = ask(post, self.deadline).await?;
        let bytes = signature_bytes(&answer);
        let bytes = bytes.ok_or_else(|| {
            let told = crate::http::told(&answer);
            KeySignerError::InvalidAnswer(format!("it is no signature in hex{told}"))
        })?;
        match self.address {
            Address::Solana(_) => Ok(bytes),
            Address::Evm(_) | Address::Bitcoin(_) | Address::Tron(_) => {
                let read = Signature::from_raw(&bytes).map_err(|_| {
                    KeySignerError::InvalidAnswer("it is not 65 bytes of r, s and v".to_owned())
                })?;
                Ok(read.normalize_s().unwrap_or(read).as_bytes().to_vec())
            }
        }
    }
}

/// One signature in hex, as plain text or as a JSON text.
fn signature_bytes(body: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    hex::decode(text.strip_prefix("0x")?).ok()
}

/// Scheme and host of a URL, which may hold a secret elsewhere.
pub(crate) fn shown(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}")
}

impl fmt::Debug for RemoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RemoteSigner({}, {})", shown(&self.url), self.address)
    }
}
