use alloy_primitives::U256;
use revm::context::result::ExecutionResult;
use serde_json::Value;

use super::call::{CALL_GAS, Simulation};
use super::encode::quantity;
use super::params::Params;
use super::view::Reader;
use crate::evm::block::{BLOCK_GAS, next_base_fee};
use crate::evm::data_fee::DataFee;
use crate::evm::errors::{self, server_error};
use crate::jsonrpc::RpcError;

/// The gas of a plain transfer.
const TRANSFER_GAS: u64 = 21_000;
/// The stipend of a call, which may be missing when only the spent gas is offered.
const STIPEND: u64 = 2_300;
/// The search ends when it is this close, in thousandths: wallets add more than that anyway.
const TOLERANCE_PER_MILLE: u64 = 15;

impl Reader<'_> {
    pub(super) fn estimate_gas(self, params: &Params) -> Result<Value, RpcError> {
        let simulation = self.simulation(params)?;
        // The block that includes it has the next base fee.
        let base_fee = next_base_fee(&simulation.header, self.inner.options.min_base_fee);
        let data_gas = DataFee::of(&simulation.world).estimated_gas(simulation.tx.data.len(), base_fee);
        simulation.estimate().map(|gas| quantity(gas.saturating_add(data_gas)))
    }
}

impl Simulation<'_> {
    /// The approximate minimum gas for the call.
    fn estimate(&self) -> Result<u64, RpcError> {
        let mut enough = self.max_affordable_gas()?;
        if self.is_plain_transfer() && enough >= TRANSFER_GAS && self.attempt(TRANSFER_GAS)?.is_some() {
            return Ok(TRANSFER_GAS);
        }
        let Some(result) = self.attempt(enough)? else {
            return Err(self.failure_reason(enough)?);
        };
        // Less than the used gas cannot be enough; the gas before refunds plus the 1/64 that calls keep back mostly is.
        let mut too_little = result.tx_gas_used().saturating_sub(1);
        let spent = result.gas().total_gas_spent().max(result.tx_gas_used());
        let likely = spent.saturating_add(STIPEND).saturating_mul(64) / 63;
        if likely < enough {
            match self.attempt(likely)? {
                Some(_) => enough = likely,
                None => too_little = likely,
            }
        }
        while too_little + 1 < enough && (enough - too_little) * 1_000 >= enough * TOLERANCE_PER_MILLE {
            let middle = (too_little + (enough - too_little) / 2).min(too_little.saturating_mul(2).max(1));
            match self.attempt(middle)? {
                Some(_) => enough = middle,
                None => too_little = middle,
            }
        }
        Ok(enough)
    }

    /// The result of a run that succeeded; `None` when more gas might help or the call itself failed.
    fn attempt(&self, gas: u64) -> Result<Option<ExecutionResult>, RpcError> {
        match self.run(gas)? {
            Ok(result) => Ok(result.is_success().then_some(result)),
            Err(rejection) if errors::wants_more_gas(&rejection) => Ok(None),
            Err(rejection) => {
                let why = errors::rejection_message(&rejection, &self.tx, self.base_fee());
                Err(server_error(format!("failed with {gas} gas: {why}")))
            }
        }
    }

    /// Why the call fails with all the gas there is.
    fn failure_reason(&self, gas: u64) -> Result<RpcError, RpcError> {
        let short = || server_error(format!("gas required exceeds allowance ({gas})"));
        Ok(match self.run(gas)? {
            Ok(result) if errors::ran_out_of_gas(&result) => short(),
            Ok(result) => errors::output(result).err().unwrap_or_else(short),
            Err(_) => short(),
        })
    }

    fn is_plain_transfer(&self) -> bool {
        let to = self.tx.kind.into_to();
        self.tx.data.is_empty()
            && to.is_some_and(|to| self.world.account(to).is_none_or(|account| account.code.is_empty()))
    }

    /// The maximum gas that the caller, the block and the sender's balance allow.
    fn max_affordable_gas(&self) -> Result<u64, RpcError> {
        let most = self.gas.filter(|gas| *gas >= TRANSFER_GAS).unwrap_or(BLOCK_GAS).min(CALL_GAS);
        if self.tx.gas_price == 0 {
            return Ok(most);
        }
        let balance = self.world.balance(self.tx.caller);
        let left =
            balance.checked_sub(self.tx.value).filter(|left| self.tx.value.is_zero() || !left.is_zero());
        let left = left.ok_or_else(|| server_error("insufficient funds for transfer"))?;
        let affordable: u64 = (left / U256::from(self.tx.gas_price)).saturating_to();
        Ok(most.min(affordable))
    }
}
