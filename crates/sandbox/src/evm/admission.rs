use alloy_consensus::transaction::{Recovered, SignerRecoverable};
use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip2718::{
    Decodable2718, EIP1559_TX_TYPE_ID, EIP2930_TX_TYPE_ID, EIP7702_TX_TYPE_ID, Typed2718,
};
use alloy_primitives::{Address, U256};

use super::block::BLOCK_GAS;
use super::data_fee::DataFee;
use super::execute::{config, tx_env};
use super::pool::{Pool, PoolError, cost};
use super::world_state::WorldState;

const TYPES: [u8; 3] = [EIP2930_TX_TYPE_ID, EIP1559_TX_TYPE_ID, EIP7702_TX_TYPE_ID];
const MAX_SIZE: usize = 128 * 1024;
const MAX_INITCODE: usize = 49_152;

/// Why a raw transaction is rejected, with the messages that geth uses.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AdmissionError {
    #[error("rlp: {0}")]
    Undecodable(String),
    #[error("transaction type not supported")]
    Type,
    #[error("only replay-protected (EIP-155) transactions allowed over RPC")]
    Unprotected,
    #[error("oversized data: transaction size {0}, limit {MAX_SIZE}")]
    Oversized(usize),
    #[error("max initcode size exceeded: code size {0}, limit {MAX_INITCODE}")]
    Initcode(usize),
    #[error("exceeds block gas limit")]
    BlockGas,
    #[error("max priority fee per gas higher than max fee per gas")]
    TipAboveFee,
    #[error("invalid sender: invalid chain id for signer: have {have} want {want}")]
    ChainId { have: u64, want: u64 },
    #[error("invalid sender: invalid transaction v, r, s values")]
    Signature,
    #[error("nonce has max value")]
    NonceMax,
    #[error("intrinsic gas too low: gas {gas}, minimum needed {needed}")]
    IntrinsicGas { gas: u64, needed: u64 },
    #[error("insufficient gas for floor data gas cost: gas {gas}, minimum needed {needed}")]
    FloorGas { gas: u64, needed: u64 },
    #[error("set code tx must have at least one authorization tuple")]
    NoAuthorization,
    #[error("sender not an eoa: address {0}")]
    SenderHasCode(Address),
    #[error("nonce too low: next nonce {next}, tx nonce {nonce}")]
    NonceTooLow { next: u64, nonce: u64 },
    #[error(
        "insufficient funds for gas * price + value: balance {balance}, tx cost {cost}, overshot {}",
        cost.saturating_sub(*balance)
    )]
    Funds { balance: U256, cost: U256 },
    #[error(
        "insufficient funds for gas * price + value: balance {balance}, queued cost {queued}, tx cost {cost}, \
         overshot {}", queued.saturating_add(*cost).saturating_sub(*balance)
    )]
    QueuedFunds { balance: U256, queued: U256, cost: U256 },
    #[error(transparent)]
    Pool(#[from] PoolError),
}

/// Decodes a raw transaction and checks everything that needs no state.
pub(crate) fn read(
    raw: &[u8],
    chain_id: u64,
    allow_unprotected: bool,
) -> Result<Recovered<TxEnvelope>, AdmissionError> {
    // A first byte below 0x80 is a transaction type; blob and later types are not supported.
    if raw.first().is_some_and(|first| *first < 0x80 && !TYPES.contains(first)) {
        return Err(AdmissionError::Type);
    }
    let tx =
        TxEnvelope::decode_2718_exact(raw).map_err(|error| AdmissionError::Undecodable(error.to_string()))?;
    if tx.chain_id().is_none() && !allow_unprotected {
        return Err(AdmissionError::Unprotected);
    }
    if raw.len() > MAX_SIZE {
        return Err(AdmissionError::Oversized(raw.len()));
    }
    if tx.is_create() && tx.input().len() > MAX_INITCODE {
        return Err(AdmissionError::Initcode(tx.input().len()));
    }
    if tx.gas_limit() > BLOCK_GAS {
        return Err(AdmissionError::BlockGas);
    }
    if tx.max_priority_fee_per_gas().is_some_and(|tip| tip > tx.max_fee_per_gas()) {
        return Err(AdmissionError::TipAboveFee);
    }
    if let Some(have) = tx.chain_id().filter(|have| *have != chain_id) {
        return Err(AdmissionError::ChainId { have, want: chain_id });
    }
    let signer = tx.recover_signer().map_err(|_| AdmissionError::Signature)?;
    if tx.nonce() == u64::MAX {
        return Err(AdmissionError::NonceMax);
    }
    let tx = Recovered::new_unchecked(tx, signer);
    check_gas(&tx, chain_id)?;
    if tx.is_eip7702() && tx.authorization_list().is_none_or(<[_]>::is_empty) {
        return Err(AdmissionError::NoAuthorization);
    }
    Ok(tx)
}

fn check_gas(tx: &Recovered<TxEnvelope>, chain_id: u64) -> Result<(), AdmissionError> {
    let needed = config(chain_id).gas_params.initial_tx_gas_for_tx(tx_env(tx), None);
    let gas = tx.gas_limit();
    if gas < needed.initial_regular_gas {
        return Err(AdmissionError::IntrinsicGas { gas, needed: needed.initial_regular_gas });
    }
    if gas < needed.floor_gas {
        return Err(AdmissionError::FloorGas { gas, needed: needed.floor_gas });
    }
    Ok(())
}

/// Checks a transaction against the state and the pool.
pub(crate) fn check(
    tx: &Recovered<TxEnvelope>,
    world: &WorldState,
    base_fee: u64,
    pool: &Pool,
) -> Result<(), AdmissionError> {
    if pool.get(*tx.inner().tx_hash()).is_some() {
        return Err(PoolError::Known.into());
    }
    let sender = tx.signer();
    if world.account(sender).is_some_and(|account| !account.code.is_empty() && !account.code.is_eip7702()) {
        return Err(AdmissionError::SenderHasCode(sender));
    }
    let (next, nonce) = (world.nonce(sender), tx.nonce());
    if next > nonce {
        return Err(AdmissionError::NonceTooLow { next, nonce });
    }
    let data_fee = DataFee::of(world);
    let (balance, cost) = (world.balance(sender), cost(tx).saturating_add(data_fee.apart(tx)));
    if balance < cost {
        return Err(AdmissionError::Funds { balance, cost });
    }
    let (gas, needed) = (tx.gas_limit(), data_fee.gas(tx, base_fee));
    if gas < needed {
        return Err(AdmissionError::IntrinsicGas { gas, needed });
    }
    let replaced = pool.at(sender, nonce).map_or(U256::ZERO, |pooled| pooled.cost());
    let queued = pool.spent_by(sender).saturating_sub(replaced);
    if balance < queued.saturating_add(cost) {
        return Err(AdmissionError::QueuedFunds { balance, queued, cost });
    }
    Ok(())
}
