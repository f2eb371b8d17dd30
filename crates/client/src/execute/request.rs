use alloy_primitives::{Address, Bytes, U64, U256};
use serde::Deserialize;
use serde_json::Value;

use crate::EvmTransaction;

/// The transaction object of `eth_sendTransaction`; other fields are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    from: Address,
    to: Address,
    data: Bytes,
    #[serde(default)]
    value: U256,
    chain_id: U64,
    gas: Option<U64>,
}

/// The `chainId` of a request.
pub(super) fn chain_id_param(params: &[Value]) -> Option<u64> {
    U64::deserialize(params.first()?.get("chainId")?).ok().map(|chain| chain.to())
}

/// The sender and the transaction.
pub(super) fn read_transaction(params: &[Value]) -> Result<(Address, EvmTransaction), String> {
    let params = params.first().ok_or("The transaction of a wallet request is missing.")?;
    let params = Params::deserialize(params)
        .map_err(|error| format!("The transaction of a wallet request is invalid: {error}."))?;
    let transaction = EvmTransaction {
        chain_id: params.chain_id.to(),
        to: params.to,
        data: params.data,
        value: params.value,
        gas: params.gas.map(|gas| gas.to()),
    };
    Ok((params.from, transaction))
}
