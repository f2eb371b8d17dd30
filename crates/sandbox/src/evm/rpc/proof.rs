use alloy_eips::eip2935::HISTORY_STORAGE_ADDRESS;
use alloy_primitives::{B256, U256};
use serde_json::{Value, json};

use super::encode::{json, quantity};
use super::params::{Params, slot};
use super::view::Reader;
use crate::evm::errors::server_error;
use crate::jsonrpc::RpcError;

/// The maximum number of slots per call.
const MAX_SLOTS: usize = 1_024;

impl Reader<'_> {
    /// An account and slots with their Merkle proofs.
    pub(super) fn get_proof(self, params: &Params) -> Result<Value, RpcError> {
        let address = params.address(0)?;
        let keys = params.read_optional(1, read_keys)?.unwrap_or_default();
        if keys.len() > MAX_SLOTS {
            return Err(server_error(format!("too many slots (max {MAX_SLOTS})")));
        }
        if address == HISTORY_STORAGE_ADDRESS && !keys.is_empty() {
            return Err(server_error(
                "the slots of the history contract are not part of the state root here",
            ));
        }
        let world = self.state_named(params, 2)?.world;
        let commitment = world.commitment();
        let account = world.account(address).cloned().unwrap_or_default();
        let proved = keys.iter().map(|(name, key)| {
            let value = account.slots.get(key).copied().unwrap_or_default();
            Ok(json!({
                "key": name,
                "value": quantity(value),
                "proof": json(commitment.prove_slot(address, *key))?,
            }))
        });
        Ok(json!({
            "address": address,
            "accountProof": json(commitment.prove(address))?,
            "balance": quantity(account.balance),
            "codeHash": account.code_hash,
            "nonce": quantity(account.nonce),
            "storageHash": commitment.storage_root(address),
            "storageProof": proved.collect::<Result<Vec<_>, RpcError>>()?,
        }))
    }
}

/// Slot keys, each as the response names it: full 32-byte keys stay, shorter ones become quantities.
fn read_keys(value: &Value) -> Result<Vec<(Value, U256)>, String> {
    let list = value.as_array().ok_or("json: cannot unmarshal non-array into Go value of type []string")?;
    let read = |value: &Value| {
        let key = slot(value)?;
        let whole = value.as_str().is_some_and(|text| text.len() == 66);
        Ok((if whole { json!(B256::from(key)) } else { quantity(key) }, key))
    };
    list.iter().map(read).collect()
}
