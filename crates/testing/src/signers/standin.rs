#![allow(clippy::result_large_err, reason = "an answer to a request is the error here")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, Signature, hex, keccak256};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address;
use ed25519_dalek::Signer as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use k256::ecdsa::SigningKey;
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::task::JoinHandle;

use super::fake_key::sign_digest;

/// What the stand-in does when it is asked to sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behaviour {
    #[default]
    Signs,
    /// Signs each time with another nonce, so that two signatures of one payload differ.
    Varies,
    /// Signs with another key than the one that it was asked for.
    OtherKey,
    /// Answers far later than anybody waits.
    Slow,
    Refuses,
    /// Answers with status 503.
    Fails,
    /// Answers with a page for people and status 200.
    Page,
    /// Answers with two signatures at once.
    Two,
}

impl Behaviour {
    pub const ALL: [Self; 8] = [
        Self::Signs,
        Self::Varies,
        Self::OtherKey,
        Self::Slow,
        Self::Refuses,
        Self::Fails,
        Self::Page,
        Self::Two,
    ];
}

/// The credentials that the stand-in of AWS knows.
pub const AWS_ACCESS_KEY: &str = "AKIDSTANDIN";
pub const AWS_SECRET_KEY: &str = "stand-in secret";
/// The region that it is in.
pub const AWS_REGION: &str = "eu-stand-1";
/// The token that the stand-in of Google's metadata server gives out.
pub const GCP_TOKEN: &str = "stand-in-token";
/// The name of the key of both services.
pub const KMS_KEY: &str = "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1";

/// A server that holds keys and signs: as web3signer, as AWS KMS, and as Google Cloud KMS, all at one address.
#[derive(Debug)]
pub struct SignerStandIn {
    pub url: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    evm: Vec<[u8; 32]>,
    solana: Vec<[u8; 32]>,
    token: Option<String>,
    behaviour: Mutex<Behaviour>,
    asked: AtomicU64,
}

impl SignerStandIn {
    /// Holds these keys; the first of the EVM keys is that of both services. With a token it asks for it.
    pub async fn start(evm: &[[u8; 32]], solana: &[[u8; 32]], token: Option<&str>) -> Self {
        let shared = Arc::new(Shared {
            evm: evm.to_vec(),
            solana: solana.to_vec(),
            token: token.map(str::to_owned),
            behaviour: Mutex::default(),
            asked: AtomicU64::new(0),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url: format!("http://{address}"), shared, server }
    }

    pub fn behaves(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock() = behaviour;
    }

    /// How often it was asked to sign.
    pub fn asked(&self) -> u64 {
        self.shared.asked.load(Ordering::SeqCst)
    }
}

impl Drop for SignerStandIn {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// The account of a secp256k1 key.
pub fn evm_account(key: &[u8; 32]) -> Address {
    Address::Evm(EvmAddress::from_private_key(&SigningKey::from_slice(key).unwrap()))
}

/// The account of an ed25519 seed.
pub fn solana_account(seed: &[u8; 32]) -> Address {
    Address::Solana(ed25519_dalek::SigningKey::from_bytes(seed).verifying_key().to_bytes())
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if path == "/computeMetadata/v1/instance/service-accounts/default/token" {
        assert_eq!(header("metadata-flavor"), "Google");
        return json!({ "access_token": GCP_TOKEN, "expires_in": 3_600, "token_type": "Bearer" })
            .to_string()
            .into_response();
    }
    let bearer = header("authorization").strip_prefix("Bearer ");
    if path.starts_with("/api/v1/") {
        if shared.token.as_deref() != bearer {
            return (StatusCode::UNAUTHORIZED, "who are you?").into_response();
        }
        return shared.web3signer(&method, path, &body).await;
    }
    if path.starts_with("/v1/projects/") {
        if bearer != Some(GCP_TOKEN) {
            return (StatusCode::UNAUTHORIZED, "{\"error\":{\"status\":\"UNAUTHENTICATED\"}}")
                .into_response();
        }
        return shared.gcp(&method, path, &body).await;
    }
    if path == "/" && header("x-amz-target").starts_with("TrentService.") {
        if let Err(words) = check_sigv4(&headers, &body) {
            let body = json!({ "__type": "InvalidSignatureException", "message": words }).to_string();
            return (StatusCode::BAD_REQUEST, body).into_response();
        }
        return shared.aws(header("x-amz-target"), &body).await;
    }
    StatusCode::NOT_FOUND.into_response()
}

impl Shared {
    /// What a bad signer answers; otherwise the key that signs, and the salt of its nonce.
    async fn misbehaves(&self) -> Result<u64, Response> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        let behaviour = *self.behaviour.lock();
        match behaviour {
            Behaviour::Signs | Behaviour::OtherKey | Behaviour::Two => Ok(0),
            Behaviour::Varies => Ok(number),
            Behaviour::Slow => {
                tokio::time::sleep(Duration::from_hours(1)).await;
                Ok(0)
            }
            Behaviour::Refuses => {
                Err((StatusCode::FORBIDDEN, "{\"message\":\"this key is disabled\"}").into_response())
            }
            Behaviour::Fails => Err((StatusCode::SERVICE_UNAVAILABLE, "upstream").into_response()),
            Behaviour::Page => Err(Html("<html><body>Sign in</body></html>").into_response()),
        }
    }

    fn is(&self, behaviour: Behaviour) -> bool {
        *self.behaviour.lock() == behaviour
    }

    async fn web3signer(&self, method: &Method, path: &str, body: &[u8]) -> Response {
        let rest = path.trim_start_matches("/api/v1/");
        let keys: HashMap<String, [u8; 32]> = if rest.starts_with("eth1/") {
            self.evm.iter().map(|key| (hex::encode_prefixed(point(key)), *key)).collect()
        } else {
            let public =
                |seed: &[u8; 32]| ed25519_dalek::SigningKey::from_bytes(seed).verifying_key().to_bytes();
            self.solana.iter().map(|seed| (hex::encode_prefixed(public(seed)), *seed)).collect()
        };
        if rest.ends_with("/publicKeys") {
            return json!(keys.keys().collect::<Vec<_>>()).to_string().into_response();
        }
        let Some(key) = rest.split('/').nth(2).and_then(|name| keys.get(name)) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let data = asked["data"].as_str().and_then(|data| hex::decode(data).ok());
        let (Some(data), &Method::POST) = (data, method) else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        let salt = match self.misbehaves().await {
            Ok(salt) => salt,
            Err(answer) => return answer,
        };
        let key = if self.is(Behaviour::OtherKey) { [0x77; 32] } else { *key };
        let signature = if rest.starts_with("eth1") {
            sign_digest(&key, &keccak256(&data), salt).as_bytes().to_vec()
        } else {
            let seed = ed25519_dalek::SigningKey::from_bytes(&key);
            seed.sign(&data).to_bytes().to_vec()
        };
        let signature = hex::encode_prefixed(signature);
        let text = if self.is(Behaviour::Two) { format!("{signature}\n{signature}") } else { signature };
        text.into_response()
    }

    async fn aws(&self, target: &str, body: &[u8]) -> Response {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        if asked["KeyId"] != KMS_KEY {
            let body = json!({ "__type": "NotFoundException", "message": "no such key" }).to_string();
            return (StatusCode::BAD_REQUEST, body).into_response();
        }
        if target.ends_with(".GetPublicKey") {
            let key = STANDARD.encode(public_key(&self.evm[0]));
            return json!({ "KeyId": KMS_KEY, "KeySpec": "ECC_SECG_P256K1", "PublicKey": key })
                .to_string()
                .into_response();
        }
        assert_eq!(
            (&asked["MessageType"], &asked["SigningAlgorithm"]),
            (&json!("DIGEST"), &json!("ECDSA_SHA_256"))
        );
        let signed = self.sign_as_a_service(asked["Message"].as_str()).await;
        signed.map_or_else(
            |answer| answer,
            |signature| {
                json!({ "KeyId": KMS_KEY, "Signature": signature, "SigningAlgorithm": "ECDSA_SHA_256" })
                    .to_string()
                    .into_response()
            },
        )
    }

    async fn gcp(&self, method: &Method, path: &str, body: &[u8]) -> Response {
        if path == format!("/v1/{KMS_KEY}/publicKey") && method == Method::GET {
            let text = STANDARD.encode(public_key(&self.evm[0]));
            let pem = format!(
                "-----BEGIN PUBLIC KEY-----\n{}\n{}\n-----END PUBLIC KEY-----\n",
                &text[..64],
                &text[64..]
            );
            return json!({ "pem": pem, "algorithm": "EC_SIGN_SECP256K1_SHA256" })
                .to_string()
                .into_response();
        }
        if path != format!("/v1/{KMS_KEY}:asymmetricSign") {
            return (StatusCode::NOT_FOUND, "{\"error\":{\"status\":\"NOT_FOUND\"}}").into_response();
        }
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let signed = self.sign_as_a_service(asked["digest"]["sha256"].as_str()).await;
        signed.map_or_else(
            |answer| answer,
            |signature| json!({ "signature": signature, "name": KMS_KEY }).to_string().into_response(),
        )
    }

    /// A signature in DER, in base64; every other one with a high s, as these services do not care.
    async fn sign_as_a_service(&self, digest: Option<&str>) -> Result<String, Response> {
        let digest = digest.and_then(|text| STANDARD.decode(text).ok());
        let digest = digest.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let digest = B256::from(digest.ok_or_else(|| StatusCode::BAD_REQUEST.into_response())?);
        let salt = self.misbehaves().await?;
        let key = if self.is(Behaviour::OtherKey) { [0x77; 32] } else { self.evm[0] };
        let signature = sign_digest(&key, &digest, salt);
        let der = der(&signature, self.asked.load(Ordering::SeqCst).is_multiple_of(2));
        let der = if self.is(Behaviour::Two) { [der.clone(), der].concat() } else { der };
        Ok(STANDARD.encode(der))
    }
}

fn der(signature: &Signature, high: bool) -> Vec<u8> {
    let order =
        alloy_primitives::uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);
    let s = if high { order - signature.s() } else { signature.s() };
    let integer = |number: alloy_primitives::U256| {
        let bytes = number.to_be_bytes_trimmed_vec();
        let bytes = if bytes[0] >= 0x80 { [&[0], bytes.as_slice()].concat() } else { bytes };
        [&[2, u8::try_from(bytes.len()).unwrap()], bytes.as_slice()].concat()
    };
    let body = [integer(signature.r()), integer(s)].concat();
    [&[0x30, u8::try_from(body.len()).unwrap()], body.as_slice()].concat()
}

/// The 64 bytes of a public key.
fn point(key: &[u8; 32]) -> Vec<u8> {
    let key = SigningKey::from_slice(key).unwrap();
    key.verifying_key().to_encoded_point(false).as_bytes()[1..].to_vec()
}

/// A public key in DER.
fn public_key(key: &[u8; 32]) -> Vec<u8> {
    let prefix = hex!("3056301006072a8648ce3d020106052b8104000a03420004");
    [&prefix[..], &point(key)].concat()
}

/// Signature Version 4, computed from what arrived.
fn check_sigv4(headers: &HeaderMap, body: &[u8]) -> Result<(), String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = header("authorization");
    let part = |name: &str| {
        let start = given.split(&format!("{name}=")).nth(1).unwrap_or_default();
        start.split(',').next().unwrap_or_default().to_owned()
    };
    let (credential, names, signature) = (part("Credential"), part("SignedHeaders"), part("Signature"));
    let date = header("x-amz-date");
    let scope = format!("{}/{AWS_REGION}/kms/aws4_request", &date[..8]);
    if credential != format!("{AWS_ACCESS_KEY}/{scope}") {
        return Err(format!("the credential is {credential}"));
    }
    for needed in ["content-type", "host", "x-amz-date", "x-amz-target"] {
        if !names.split(';').any(|name| name == needed) {
            return Err(format!("{needed} is not signed"));
        }
    }
    let lines: Vec<String> = names.split(';').map(|name| format!("{name}:{}\n", header(name))).collect();
    let lines = lines.concat();
    let canonical = format!("POST\n/\n\n{lines}\n{names}\n{}", hex::encode(Sha256::digest(body)));
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex::encode(Sha256::digest(canonical)));
    let hmac = |key: &[u8], text: &str| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    };
    let key = hmac(format!("AWS4{AWS_SECRET_KEY}").as_bytes(), &date[..8]);
    let key = hmac(&hmac(&hmac(&key, AWS_REGION), "kms"), "aws4_request");
    if hex::encode(hmac(&key, &text)) == signature {
        Ok(())
    } else {
        Err("the signature does not match".to_owned())
    }
}
