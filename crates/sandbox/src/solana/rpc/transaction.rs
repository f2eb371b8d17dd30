use serde_json::Value;
use solana_rpc_client_types::config::{RpcEncodingConfigWrapper, RpcTransactionConfig};
use solana_signature::Signature;
use solana_transaction_status::{ConfirmedTransactionWithStatusMeta, EncodeError, UiTransactionEncoding};

use super::params::Params;
use super::{RpcResult, at_least_confirmed, errors, to_json};
use crate::solana::ledger::Ledger;

pub(super) fn transaction(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let signature: Signature = params.name(0)?;
    let config: Option<RpcEncodingConfigWrapper<RpcTransactionConfig>> = params.optional(1)?;
    let config = config.map(|config| config.convert_to_current()).unwrap_or_default();
    let newest = ledger.slots.at(at_least_confirmed(config.commitment)?).slot;
    let record = ledger.history.get(&signature).filter(|record| record.slot <= newest);
    let Some((record, tx_with_meta)) = record.and_then(|record| Some((record, record.with_meta()?))) else {
        return Ok(Value::Null);
    };
    let confirmed = ConfirmedTransactionWithStatusMeta {
        slot: record.slot,
        tx_with_meta,
        block_time: Some(record.time),
        index: record.index,
    };
    let encoding = config.encoding.unwrap_or(UiTransactionEncoding::Json);
    let encoded = confirmed.encode(encoding, config.max_supported_transaction_version);
    let unsupported =
        |EncodeError::UnsupportedTransactionVersion(version)| errors::unsupported_version(version);
    to_json(&encoded.map_err(unsupported)?)
}
