use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Signature, keccak256};
use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use ed25519_dalek::VerifyingKey;

/// Stands in front of a signer: it gives out only signatures that are the configured account's, and only in time.
#[derive(Debug)]
pub struct Guarded {
    inner: Arc<dyn KeySigner>,
    deadline: Duration,
}

impl Guarded {
    pub fn new(inner: Arc<dyn KeySigner>, deadline: Duration) -> Self {
        Self { inner, deadline }
    }
}

#[async_trait]
impl KeySigner for Guarded {
    fn address(&self) -> Address {
        self.inner.address()
    }

    fn place(&self) -> String {
        self.inner.place()
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        let answer = tokio::time::timeout(self.deadline, self.inner.sign(request)).await;
        let signature = answer.unwrap_or(Err(KeySignerError::Slow(self.deadline)))?;
        check(&self.address(), &request.payload, &signature)?;
        Ok(signature)
    }
}

/// Whether the signature is the account's over this payload, in the form that the port describes.
fn check(account: &Address, payload: &[u8], signature: &[u8]) -> Result<(), KeySignerError> {
    let invalid = |words: &str| KeySignerError::InvalidAnswer(words.to_owned());
    match account {
        Address::Evm(evm) => {
            let has_form = signature.len() == 65 && matches!(signature.last(), Some(27 | 28));
            let read = Signature::from_raw(signature).ok().filter(|_| has_form);
            let read = read.ok_or_else(|| invalid("it is not 65 bytes of r, s and v"))?;
            if read.normalize_s().is_some() {
                return Err(invalid("its s is high"));
            }
            let found = read.recover_address_from_prehash(&keccak256(payload));
            let found = found.map_err(|_| invalid("no key can have made it"))?;
            if found == *evm {
                return Ok(());
            }
            Err(KeySignerError::OtherKey { found: Some(Address::Evm(found)) })
        }
        Address::Solana(key) => {
            let signature: &[u8; 64] = signature.try_into().map_err(|_| invalid("it is not 64 bytes"))?;
            let signature = ed25519_dalek::Signature::from_bytes(signature);
            let key = VerifyingKey::from_bytes(key);
            let own = key.is_ok_and(|key| key.verify_strict(payload, &signature).is_ok());
            if own { Ok(()) } else { Err(KeySignerError::OtherKey { found: None }) }
        }
        Address::Bitcoin(_) | Address::Tron(_) => Err(KeySignerError::Family(*account)),
    }
}
