use std::fmt;
use std::sync::Arc;

use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{Address, Bytes, Signature, U256, keccak256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ports::{KeySigner, KeySignerError, SigningEffect, SigningRequest, TransactionEffect};
use causeway_domain::{Address as AnyAddress, ChainId};

use super::sign::{SignedTx, Signer, SignerError, TxRequest};
use super::unsigned::{StoredTx, UnsignedTx};
use crate::fees::Fees;

sol! {
    function approve(address spender, uint256 amount) external returns (bool);
}

/// A transfer of nothing to oneself needs no more gas than any plain transfer; rollups may charge for data as well.
const CANCEL_GAS: u64 = 100_000;

/// The key of an account on EVM chains, wherever it lives. It gives out only signatures that are the account's.
#[derive(Clone)]
pub struct EvmAccountKey {
    key: Arc<dyn KeySigner>,
    address: Address,
}

impl EvmAccountKey {
    /// Takes a key of EVM chains.
    pub fn new(key: Arc<dyn KeySigner>) -> Result<Self, KeySignerError> {
        match key.address() {
            AnyAddress::Evm(address) => Ok(Self { key, address }),
            other @ (AnyAddress::Solana(_) | AnyAddress::Bitcoin(_) | AnyAddress::Tron(_)) => {
                Err(KeySignerError::Family(other))
            }
        }
    }

    pub const fn address(&self) -> Address {
        self.address
    }

    /// Signs a transaction for one chain.
    pub async fn sign_transaction(
        &self,
        chain: ChainId,
        nonce: u64,
        request: &TxRequest,
        gas_limit: u64,
        fees: Fees,
    ) -> Result<SignedTx, SignerError> {
        let unsigned = UnsignedTx::new(chain, nonce, request, gas_limit, fees);
        let effect = SigningEffect::Transaction(TransactionEffect {
            chain,
            targets: vec![AnyAddress::Evm(request.to)],
            approves: approved(request),
            value: request.value,
            max_fee: U256::from(fees.ceiling()).saturating_mul(U256::from(gas_limit)),
        });
        let signature = self.sign(SigningRequest { payload: unsigned.payload(), effect }).await?;
        Ok(unsigned.into_signed(signature))
    }

    /// Signs a stored transaction again with other fees; everything else stays the same.
    pub async fn sign_replacement(
        &self,
        chain: ChainId,
        raw: &[u8],
        fees: Fees,
    ) -> Result<SignedTx, SignerError> {
        let old = StoredTx::read(chain, raw)?;
        self.sign_transaction(chain, old.nonce, &old.request, old.gas_limit, fees).await
    }

    /// Signs a transfer of nothing to ourselves under the nonce of a stored transaction.
    pub async fn sign_cancellation(
        &self,
        chain: ChainId,
        nonce: u64,
        fees: Fees,
    ) -> Result<SignedTx, SignerError> {
        let request = TxRequest { to: self.address, value: U256::ZERO, data: Bytes::new() };
        self.sign_transaction(chain, nonce, &request, CANCEL_GAS, fees).await
    }

    /// Whether a stored transaction is such a transfer.
    pub fn is_cancellation(&self, raw: &[u8]) -> bool {
        TxEnvelope::decode_2718(&mut &*raw)
            .is_ok_and(|tx| tx.to() == Some(self.address) && tx.value().is_zero() && tx.input().is_empty())
    }

    /// Signs the hash of a statement that a contract or a program verifies.
    pub async fn sign_statement(
        &self,
        chain: ChainId,
        contract: AnyAddress,
        payload: Vec<u8>,
    ) -> Result<Signature, SignerError> {
        self.sign(SigningRequest { payload, effect: SigningEffect::Statement { chain, contract } }).await
    }

    /// Nothing that comes back is believed: the signature has to be this account's.
    async fn sign(&self, request: SigningRequest) -> Result<Signature, SignerError> {
        let signed = match self.key.sign(&request).await {
            Ok(bytes) => own_signature(self.address, &request.payload, &bytes),
            Err(error) => Err(error),
        };
        let (address, place) = (self.address, || self.key.place());
        signed.map_err(|error| SignerError::Unsigned { address, place: place(), error })
    }
}

/// The signature, if it is this account's over the hash of the payload, with a low s.
fn own_signature(address: Address, payload: &[u8], bytes: &[u8]) -> Result<Signature, KeySignerError> {
    let invalid = |words: &str| KeySignerError::InvalidAnswer(words.to_owned());
    let signature = Signature::from_raw(bytes).map_err(|_| invalid("it is not 65 bytes of r, s and v"))?;
    if signature.normalize_s().is_some() {
        return Err(invalid("its s is high, which no contract accepts"));
    }
    let found = signature
        .recover_address_from_prehash(&keccak256(payload))
        .map_err(|_| invalid("no key can have made it"))?;
    if found != address {
        return Err(KeySignerError::OtherKey { found: Some(AnyAddress::Evm(found)) });
    }
    Ok(signature)
}

/// Who is given an allowance by a transaction that does nothing else.
fn approved(request: &TxRequest) -> Option<AnyAddress> {
    let call = approveCall::abi_decode(&request.data).ok().filter(|_| request.value.is_zero())?;
    Some(AnyAddress::Evm(call.spender))
}

/// The key itself, in this process.
impl From<Signer> for EvmAccountKey {
    fn from(signer: Signer) -> Self {
        Self { address: signer.address(), key: Arc::new(signer) }
    }
}

impl fmt::Debug for EvmAccountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvmAccountKey({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;
    use async_trait::async_trait;
    use proptest::prelude::*;

    use super::*;

    fn base() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    fn local(byte: u8) -> Signer {
        Signer::from_bytes(&[byte; 32]).unwrap()
    }

    fn request() -> TxRequest {
        TxRequest { to: Address::repeat_byte(7), value: U256::from(5), data: hex!("a9059cbb").into() }
    }

    const FEES: Fees = Fees::Eip1559 { max_fee: 8, priority_fee: 1 };

    /// Says that it has one key, and answers something else.
    #[derive(Debug)]
    struct Answers(Address, Vec<u8>);

    #[async_trait]
    impl KeySigner for Answers {
        fn address(&self) -> AnyAddress {
            AnyAddress::Evm(self.0)
        }

        fn place(&self) -> String {
            "elsewhere".to_owned()
        }

        async fn sign(&self, _: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
            Ok(self.1.clone())
        }
    }

    #[tokio::test]
    async fn key_elsewhere_signs_as_a_key_here() {
        let key = EvmAccountKey::from(local(1));
        for fees in [FEES, Fees::Legacy { gas_price: 3 }] {
            let signed = key.sign_transaction(base(), 4, &request(), 21_000, fees).await.unwrap();
            assert_eq!(signed, local(1).sign(base(), 4, &request(), 21_000, fees).unwrap());
        }
    }

    #[tokio::test]
    async fn replacement_changes_the_fees_and_nothing_else() {
        let key = EvmAccountKey::from(local(1));
        let first = local(1).sign(base(), 4, &request(), 50_000, FEES).unwrap();
        let higher = Fees::Eip1559 { max_fee: 18, priority_fee: 3 };
        let again = key.sign_replacement(base(), &first.raw, higher).await.unwrap();
        assert_eq!(again, local(1).sign(base(), 4, &request(), 50_000, higher).unwrap());
        let other = ChainId::new(1).unwrap();
        let refused = key.sign_replacement(other, &first.raw, higher).await;
        assert!(matches!(refused, Err(SignerError::Stored(_))));
        let cancelled = key.sign_cancellation(base(), 4, higher).await.unwrap();
        assert!(key.is_cancellation(&cancelled.raw) && !key.is_cancellation(&first.raw));
    }

    #[tokio::test]
    async fn answer_that_is_not_the_accounts_signature_is_never_used() {
        let statement = b"\x19\x01 a statement".to_vec();
        let sign = |byte: u8| local(byte).sign_digest(&keccak256(&statement)).unwrap();
        let other = sign(2).as_bytes().to_vec();
        let high = {
            let order =
                U256::from_be_bytes(hex!("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"));
            Signature::new(sign(1).r(), order - sign(1).s(), !sign(1).v()).as_bytes().to_vec()
        };
        for (answer, words) in [
            (other, "another key"),
            (high, "high"),
            (Vec::new(), "65 bytes"),
            (vec![0; 65], "no key can have made it"),
            (b"<html>".to_vec(), "65 bytes"),
        ] {
            let key = EvmAccountKey::new(Arc::new(Answers(local(1).address(), answer))).unwrap();
            let contract = AnyAddress::Evm(Address::ZERO);
            let error = key.sign_statement(base(), contract, statement.clone()).await.unwrap_err();
            let error = error.to_string();
            assert!(error.contains(words) && error.contains("in elsewhere"), "{error}");
        }
    }

    #[test]
    fn approvals_name_the_spender() {
        let data = approveCall { spender: Address::repeat_byte(9), amount: U256::MAX };
        let approval = TxRequest { to: Address::ZERO, value: U256::ZERO, data: data.abi_encode().into() };
        assert_eq!(approved(&approval), Some(AnyAddress::Evm(Address::repeat_byte(9))));
        assert_eq!(approved(&TxRequest { value: U256::ONE, ..approval }), None);
        assert_eq!(approved(&request()), None);
    }

    proptest! {
        #[test]
        fn any_stored_bytes_are_read_or_refused_without_panic(raw in any::<Vec<u8>>()) {
            let _ = StoredTx::read(base(), &raw);
            prop_assert!(!EvmAccountKey::from(local(1)).is_cancellation(&raw) || !raw.is_empty());
        }
    }
}
