use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::{Address as EvmAddress, B256, Signature, keccak256};
use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use k256::ecdsa::SigningKey;
use k256::ecdsa::hazmat::SignPrimitive as _;
use parking_lot::Mutex;

/// A secp256k1 key that signs, or does what a bad signer does.
#[derive(Clone, Debug)]
pub struct FakeKey {
    address: EvmAddress,
    key: [u8; 32],
    asked: Arc<AtomicU64>,
    error: Arc<Mutex<Option<KeySignerError>>>,
    varies: bool,
}

impl FakeKey {
    pub fn new(key: [u8; 32]) -> Self {
        let address = EvmAddress::from_private_key(&SigningKey::from_slice(&key).unwrap());
        Self { address, key, asked: Arc::default(), error: Arc::default(), varies: false }
    }

    /// Keeps the address, and signs with another key.
    #[must_use]
    pub fn answering_with(self, other: [u8; 32]) -> Self {
        Self { key: other, ..self }
    }

    /// Signs each time with another nonce, as key management services do.
    #[must_use]
    pub fn varying(self) -> Self {
        Self { varies: true, ..self }
    }

    /// Answers this from now on, or signs again.
    pub fn fails(&self, error: Option<KeySignerError>) {
        *self.error.lock() = error;
    }

    /// How often it was asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl KeySigner for FakeKey {
    fn address(&self) -> Address {
        Address::Evm(self.address)
    }

    fn place(&self) -> String {
        "a fake".to_owned()
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        if let Some(error) = self.error.lock().clone() {
            return Err(error);
        }
        let salt = if self.varies { number } else { 0 };
        Ok(sign_digest(&self.key, &keccak256(&request.payload), salt).as_bytes().to_vec())
    }
}

/// Signs a digest; another salt gives another signature of the same key.
pub(super) fn sign_digest(key: &[u8; 32], digest: &B256, salt: u64) -> Signature {
    let key = SigningKey::from_slice(key).unwrap();
    let scalar: &k256::Scalar = key.as_nonzero_scalar().as_ref();
    // Where nothing is added, the nonce is that of every other implementation.
    let salt = if salt == 0 { Vec::new() } else { salt.to_be_bytes().to_vec() };
    let signed = scalar.try_sign_prehashed_rfc6979::<k256::sha2::Sha256>(&digest.0.into(), &salt);
    let (signature, recovery) = signed.unwrap();
    Signature::from((signature, recovery.unwrap()))
}
