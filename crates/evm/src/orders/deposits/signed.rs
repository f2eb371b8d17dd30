use alloy_consensus::transaction::SignerRecoverable as _;
use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Decodable2718 as _;
use alloy_primitives::{B256, Bytes, keccak256};
use causeway_domain::ports::{BroadcastError, ChainError, DepositMismatch};
use causeway_domain::{Deployment, IntentTerms};
use serde_json::json;

use super::builder::EvmDepositBuilder;
use super::payment::Payment;
use crate::error::CallError;
use crate::rpc::Call;

impl EvmDepositBuilder {
    /// The hash, if these bytes are the payer's signed deposit of exactly these terms.
    pub(super) fn verify_signed(&self, terms: &IntentTerms, raw: &[u8]) -> Result<String, DepositMismatch> {
        check_signed_deposit(&self.contracts, terms, raw)
    }

    pub(super) async fn broadcast_raw(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        const KNOWN: [&str; 4] = ["already known", "known transaction", "already imported", "already exists"];
        let bytes = Bytes::copy_from_slice(raw);
        let sent = self.client.call::<B256>(Call::new("eth_sendRawTransaction", json!([bytes]))).await;
        match sent {
            Ok(_) => Ok(()),
            Err(error) if error.refused_with(&KNOWN) => Ok(()),
            Err(CallError::Refused { message, .. }) => {
                // A nonce is also too low when this same transaction has used it.
                let found = self.client.receipts(&[keccak256(raw)]).await.map_err(ChainError::from)?;
                match found.into_iter().flatten().next() {
                    Some(_) => Ok(()),
                    None => Err(BroadcastError::Refused(message)),
                }
            }
            Err(error) => Err(ChainError::from(error).into()),
        }
    }
}

/// The hash, if these bytes are the payer's signed deposit of exactly these terms.
pub(crate) fn check_signed_deposit(
    contracts: &Deployment,
    terms: &IntentTerms,
    raw: &[u8],
) -> Result<String, DepositMismatch> {
    let payment = Payment::read(terms, contracts).map_err(DepositMismatch)?;
    let mismatch = |reason: String| Err(DepositMismatch(reason));
    let mut rest = raw;
    let Ok(tx) = TxEnvelope::decode_2718(&mut rest) else {
        return mismatch("these bytes are not a signed transaction".to_owned());
    };
    if !rest.is_empty() {
        return mismatch(format!("{} bytes too many after the signed transaction", rest.len()));
    }
    match tx.chain_id() {
        Some(chain) if chain == terms.origin_chain_id => {}
        Some(chain) => {
            return mismatch(format!("it is signed for chain {chain} instead of {}", terms.origin_chain_id));
        }
        None => return mismatch("it is signed without a chain id".to_owned()),
    }
    match tx.to() {
        Some(to) if to == payment.open.to => {}
        Some(to) => {
            return mismatch(format!("it is sent to {to} instead of the escrow {}", payment.open.to));
        }
        None => return mismatch("it creates a contract".to_owned()),
    }
    if *tx.input() != payment.open.data {
        return mismatch("its data is not the deposit of this order".to_owned());
    }
    if tx.value() != payment.open.value {
        return mismatch(format!("it sends {} wei instead of {}", tx.value(), payment.open.value));
    }
    match tx.recover_signer() {
        Ok(signer) if signer == payment.user => Ok(tx.tx_hash().to_string()),
        Ok(signer) => mismatch(format!("{signer} signed it instead of the payer {}", payment.user)),
        Err(_) => mismatch("its signature is not valid".to_owned()),
    }
}
