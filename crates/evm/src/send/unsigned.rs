use alloy_consensus::{SignableTransaction, Transaction as _, TxEip1559, TxEnvelope, TxLegacy};
use alloy_eips::eip2718::{Decodable2718 as _, Encodable2718 as _};
use alloy_primitives::{Signature, TxKind};
use causeway_domain::ChainId;

use super::sign::{SignedTx, SignerError, TxRequest};
use crate::fees::Fees;

/// A transaction before it is signed.
pub(crate) enum UnsignedTx {
    Eip1559(TxEip1559),
    Legacy(TxLegacy),
}

impl UnsignedTx {
    pub(crate) fn new(chain: ChainId, nonce: u64, request: &TxRequest, gas_limit: u64, fees: Fees) -> Self {
        let (to, value, input) = (TxKind::Call(request.to), request.value, request.data.clone());
        match fees {
            Fees::Eip1559 { max_fee, priority_fee } => Self::Eip1559(TxEip1559 {
                chain_id: chain.get(),
                nonce,
                gas_limit,
                max_fee_per_gas: max_fee,
                max_priority_fee_per_gas: priority_fee,
                to,
                value,
                input,
                ..TxEip1559::default()
            }),
            Fees::Legacy { gas_price } => Self::Legacy(TxLegacy {
                chain_id: Some(chain.get()),
                nonce,
                gas_price,
                gas_limit,
                to,
                value,
                input,
            }),
        }
    }

    /// The bytes whose hash is signed.
    pub(crate) fn payload(&self) -> Vec<u8> {
        match self {
            Self::Eip1559(tx) => tx.encoded_for_signing(),
            Self::Legacy(tx) => tx.encoded_for_signing(),
        }
    }

    pub(crate) fn into_signed(self, signature: Signature) -> SignedTx {
        let envelope: TxEnvelope = match self {
            Self::Eip1559(tx) => tx.into_signed(signature).into(),
            Self::Legacy(tx) => tx.into_signed(signature).into(),
        };
        SignedTx { hash: *envelope.tx_hash(), raw: envelope.encoded_2718().into() }
    }
}

/// What a stored transaction asks for, apart from its fees.
pub(crate) struct StoredTx {
    pub(crate) nonce: u64,
    pub(crate) request: TxRequest,
    pub(crate) gas_limit: u64,
}

impl StoredTx {
    pub(crate) fn read(chain: ChainId, raw: &[u8]) -> Result<Self, SignerError> {
        let tx = TxEnvelope::decode_2718(&mut &*raw)
            .map_err(|_| SignerError::Stored("it is not a transaction"))?;
        if tx.chain_id() != Some(chain.get()) {
            return Err(SignerError::Stored("it is for another chain"));
        }
        let to = tx.to().ok_or(SignerError::Stored("it creates a contract"))?;
        let request = TxRequest { to, value: tx.value(), data: tx.input().clone() };
        Ok(Self { nonce: tx.nonce(), request, gas_limit: tx.gas_limit() })
    }
}
