use std::collections::BTreeSet;

use alloy_primitives::Address;
use revm::precompile::{PrecompileSpecId, Precompiles};
use serde_json::{Value, json};

use super::call::{CALL_GAS, Simulation};
use super::encode::{json, quantity};
use super::params::Params;
use super::view::Reader;
use crate::evm::block::BLOCK_GAS;
use crate::evm::errors::{self, server_error};
use crate::evm::execute::SPEC;
use crate::evm::touched::Touched;
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    /// The useful access list of a transaction, and the gas with it.
    pub(super) fn create_access_list(self, params: &Params) -> Result<Value, RpcError> {
        let mut simulation = self.simulation(params)?;
        let gas = simulation.gas.unwrap_or(BLOCK_GAS).min(CALL_GAS);
        let warm = always_warm(&simulation);
        // A list changes the remaining gas and may thereby change what is touched; it only grows.
        loop {
            let mut touched = Touched::from(&simulation.tx.access_list);
            let result = simulation.run_recording(gas, &warm, &mut touched)?.map_err(|rejection| {
                let why = errors::rejection_message(&rejection, &simulation.tx, simulation.base_fee());
                server_error(format!("failed to apply transaction: {why}"))
            })?;
            if touched != Touched::from(&simulation.tx.access_list) {
                simulation.tx.access_list = touched.into();
                simulation.tx.tx_type = simulation.tx.tx_type.max(1);
                continue;
            }
            let mut answer = json!({
                "accessList": json(&simulation.tx.access_list)?,
                "gasUsed": quantity(result.tx_gas_used()),
            });
            if let Some(why) = errors::failure(&result) {
                answer["error"] = Value::String(why);
            }
            return Ok(answer);
        }
    }
}

/// The accounts that are always warm: sender, recipient and precompiles.
fn always_warm(simulation: &Simulation<'_>) -> BTreeSet<Address> {
    let from = simulation.tx.caller;
    let to = simulation.tx.kind.into_to().unwrap_or_else(|| from.create(simulation.world.nonce(from)));
    Precompiles::new(PrecompileSpecId::from_spec_id(SPEC)).addresses().copied().chain([from, to]).collect()
}
