use std::fmt;

use alloy_primitives::{Address, B256, Bytes, Signature, U256, keccak256};
use async_trait::async_trait;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use causeway_domain::{Address as AnyAddress, ChainId};
use k256::ecdsa::SigningKey;
use thiserror::Error;

use super::unsigned::UnsignedTx;
use crate::fees::Fees;

/// The call that a transaction makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TxRequest {
    pub to: Address,
    pub value: U256,
    pub data: Bytes,
}

/// A transaction ready to be broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTx {
    pub hash: B256,
    pub raw: Bytes,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum SignerError {
    #[error("a private key is 32 bytes that make a number between 1 and the order of secp256k1")]
    Key,
    #[error("the transaction could not be signed")]
    Signing,
    #[error("the stored transaction cannot be read: {0}")]
    Stored(&'static str),
    /// The key lives elsewhere, or has limits.
    #[error("the key of {address} in {place} has not signed: {error}")]
    Unsigned { address: Address, place: String, error: KeySignerError },
}

/// A private key; it is never printed.
#[derive(Clone)]
pub struct Signer {
    key: SigningKey,
    address: Address,
}

impl Signer {
    pub fn from_bytes(key: &[u8; 32]) -> Result<Self, SignerError> {
        let key = SigningKey::from_slice(key).map_err(|_| SignerError::Key)?;
        Ok(Self { address: Address::from_private_key(&key), key })
    }

    pub const fn address(&self) -> Address {
        self.address
    }

    /// Signs a 32-byte digest.
    pub fn sign_digest(&self, digest: &B256) -> Result<Signature, SignerError> {
        let signed =
            self.key.sign_prehash_recoverable(digest.as_slice()).map_err(|_| SignerError::Signing)?;
        Ok(Signature::from(signed))
    }

    /// Signs a transaction for one chain.
    pub fn sign(
        &self,
        chain: ChainId,
        nonce: u64,
        request: &TxRequest,
        gas_limit: u64,
        fees: Fees,
    ) -> Result<SignedTx, SignerError> {
        let unsigned = UnsignedTx::new(chain, nonce, request, gas_limit, fees);
        let signature = self.sign_digest(&keccak256(unsigned.payload()))?;
        Ok(unsigned.into_signed(signature))
    }
}

/// The private key itself, read from a file or a keystore.
#[async_trait]
impl KeySigner for Signer {
    fn address(&self) -> AnyAddress {
        AnyAddress::Evm(self.address)
    }

    fn place(&self) -> String {
        "this process".to_owned()
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        let signature = self.sign_digest(&keccak256(&request.payload));
        let signature = signature.map_err(|error| KeySignerError::Refused(error.to_string()))?;
        Ok(signature.as_bytes().to_vec())
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use alloy_consensus::transaction::SignerRecoverable;
    use alloy_consensus::{Transaction as _, TxEnvelope};
    use alloy_eips::eip2718::Decodable2718 as _;
    use alloy_primitives::{address, hex};

    use super::*;

    /// The first account of the standard test mnemonic.
    const KEY: [u8; 32] = hex!("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

    fn base() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    fn request() -> TxRequest {
        TxRequest { to: Address::repeat_byte(7), value: U256::from(5), data: hex!("a9059cbb").into() }
    }

    #[test]
    fn a_signer_shows_its_address_and_never_its_key() {
        let signer = Signer::from_bytes(&KEY).unwrap();
        assert_eq!(signer.address(), address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266"));
        assert_eq!(format!("{signer:?}"), "Signer(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266)");
        assert!(matches!(Signer::from_bytes(&[0; 32]), Err(SignerError::Key)));
    }

    #[test]
    fn a_signed_transaction_recovers_to_its_signer() {
        let signer = Signer::from_bytes(&KEY).unwrap();
        for fees in [Fees::Eip1559 { max_fee: 9, priority_fee: 2 }, Fees::Legacy { gas_price: 3 }] {
            let tx = signer.sign(base(), 4, &request(), 21_000, fees).unwrap();
            let read = TxEnvelope::decode_2718(&mut tx.raw.as_ref()).unwrap();
            assert_eq!(read.recover_signer().unwrap(), signer.address());
            assert_eq!((read.nonce(), read.gas_limit(), read.chain_id()), (4, 21_000, Some(8453)));
            assert_eq!(*read.tx_hash(), tx.hash);
        }
    }
}
