use std::fmt;

use alloy_consensus::{SignableTransaction, Transaction, TxEip1559, TxEnvelope, TxLegacy};
use alloy_eips::eip2718::{Decodable2718, Encodable2718};
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256};
use causeway_domain::ChainId;
use k256::ecdsa::SigningKey;
use thiserror::Error;

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
        let (to, value, input) = (TxKind::Call(request.to), request.value, request.data.clone());
        let envelope = match fees {
            Fees::Eip1559 { max_fee, priority_fee } => self.sign_envelope(TxEip1559 {
                chain_id: chain.get(),
                nonce,
                gas_limit,
                max_fee_per_gas: max_fee,
                max_priority_fee_per_gas: priority_fee,
                to,
                value,
                input,
                ..TxEip1559::default()
            })?,
            Fees::Legacy { gas_price } => self.sign_envelope(TxLegacy {
                chain_id: Some(chain.get()),
                nonce,
                gas_price,
                gas_limit,
                to,
                value,
                input,
            })?,
        };
        Ok(SignedTx { hash: *envelope.tx_hash(), raw: envelope.encoded_2718().into() })
    }

    fn sign_envelope<T>(&self, tx: T) -> Result<TxEnvelope, SignerError>
    where
        T: SignableTransaction<Signature>,
        TxEnvelope: From<alloy_consensus::Signed<T>>,
    {
        let signature = self.sign_digest(&tx.signature_hash())?;
        Ok(tx.into_signed(signature).into())
    }

    /// Signs a stored transaction again with other fees; everything else stays the same.
    pub fn sign_replacement(&self, chain: ChainId, raw: &[u8], fees: Fees) -> Result<SignedTx, SignerError> {
        let old = TxEnvelope::decode_2718(&mut &*raw)
            .map_err(|_| SignerError::Stored("it is not a transaction"))?;
        if old.chain_id() != Some(chain.get()) {
            return Err(SignerError::Stored("it is for another chain"));
        }
        let to = old.to().ok_or(SignerError::Stored("it creates a contract"))?;
        let request = TxRequest { to, value: old.value(), data: old.input().clone() };
        self.sign(chain, old.nonce(), &request, old.gas_limit(), fees)
    }
}

/// A transfer of nothing to oneself needs no more gas than any plain transfer; rollups may charge for data as well.
const CANCEL_GAS: u64 = 100_000;

impl Signer {
    /// Signs a transfer of nothing to ourselves under the nonce of a stored transaction.
    pub fn sign_cancellation(&self, chain: ChainId, nonce: u64, fees: Fees) -> Result<SignedTx, SignerError> {
        let request = TxRequest { to: self.address, value: U256::ZERO, data: Bytes::new() };
        self.sign(chain, nonce, &request, CANCEL_GAS, fees)
    }

    /// Whether a stored transaction is such a transfer.
    pub fn is_cancellation(&self, raw: &[u8]) -> bool {
        TxEnvelope::decode_2718(&mut &*raw)
            .is_ok_and(|tx| tx.to() == Some(self.address) && tx.value().is_zero() && tx.input().is_empty())
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
    use alloy_primitives::{address, hex};
    use proptest::prelude::*;

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

    #[test]
    fn a_replacement_changes_the_fees_and_nothing_else() {
        let signer = Signer::from_bytes(&KEY).unwrap();
        let first = signer
            .sign(base(), 4, &request(), 50_000, Fees::Eip1559 { max_fee: 8, priority_fee: 1 })
            .unwrap();
        let higher = Fees::Eip1559 { max_fee: 18, priority_fee: 3 };
        let again = signer.sign_replacement(base(), &first.raw, higher).unwrap();
        assert_eq!(again, signer.sign(base(), 4, &request(), 50_000, higher).unwrap());
        let other = ChainId::new(1).unwrap();
        assert!(matches!(signer.sign_replacement(other, &first.raw, higher), Err(SignerError::Stored(_))));
    }

    proptest! {
        #[test]
        fn any_stored_bytes_are_read_or_refused_without_panic(raw in any::<Vec<u8>>()) {
            let signer = Signer::from_bytes(&KEY).unwrap();
            let _ = signer.sign_replacement(base(), &raw, Fees::Legacy { gas_price: 1 });
        }
    }
}
