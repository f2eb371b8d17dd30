use std::collections::BTreeSet;

use alloy_primitives::Address;
use revm::precompile::{PrecompileSpecId, Precompiles};
use serde_json::{Value, json};

use super::call::{CALL_GAS, Trial};
use super::faces::{json, quantity};
use super::params::Params;
use super::seen::Reader;
use crate::evm::block::BLOCK_GAS;
use crate::evm::execute::SPEC;
use crate::evm::touched::Touched;
use crate::evm::words::{self, server_error};
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    /// The access list that a transaction would profit from, and the gas that it uses with it.
    pub(super) fn create_access_list(self, params: &Params) -> Result<Value, RpcError> {
        let mut trial = self.trial(params)?;
        let gas = trial.gas.unwrap_or(BLOCK_GAS).min(CALL_GAS);
        let warm = warm_from_the_start(&trial);
        // A list changes what gas is left, and thereby may change what is touched; it only ever grows.
        loop {
            let mut touched = Touched::from(&trial.tx.access_list);
            let result = trial.run_noting(gas, &warm, &mut touched)?.map_err(|refusal| {
                let why = words::refusal(&refusal, &trial.tx, trial.base_fee());
                server_error(format!("failed to apply transaction: {why}"))
            })?;
            if touched != Touched::from(&trial.tx.access_list) {
                trial.tx.access_list = touched.into();
                trial.tx.tx_type = trial.tx.tx_type.max(1);
                continue;
            }
            let mut answer = json!({
                "accessList": json(&trial.tx.access_list)?,
                "gasUsed": quantity(result.tx_gas_used()),
            });
            if let Some(why) = words::failure(&result) {
                answer["error"] = Value::String(why);
            }
            return Ok(answer);
        }
    }
}

/// What every transaction finds warm, so that naming it would only cost: both ends and the precompiles.
fn warm_from_the_start(trial: &Trial<'_>) -> BTreeSet<Address> {
    let from = trial.tx.caller;
    let to = trial.tx.kind.into_to().unwrap_or_else(|| from.create(trial.world.nonce(from)));
    Precompiles::new(PrecompileSpecId::from_spec_id(SPEC)).addresses().copied().chain([from, to]).collect()
}
