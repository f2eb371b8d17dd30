use alloy_primitives::U256;
use revm::context::result::ExecutionResult;
use serde_json::Value;

use super::call::{CALL_GAS, Trial};
use super::faces::quantity;
use super::params::Params;
use super::seen::Reader;
use crate::evm::block::BLOCK_GAS;
use crate::evm::words::{self, server_error};
use crate::jsonrpc::RpcError;

/// What a plain transfer costs.
const TRANSFER_GAS: u64 = 21_000;
/// What a call passes on for free, and therefore may be missed when only the spent gas is offered.
const STIPEND: u64 = 2_300;
/// The search ends when it is this close, in thousandths: wallets add more than that anyway.
const CLOSE_ENOUGH: u64 = 15;

impl Reader<'_> {
    pub(super) fn estimate_gas(self, params: &Params) -> Result<Value, RpcError> {
        self.trial(params)?.estimate().map(quantity)
    }
}

impl Trial<'_> {
    /// The least gas, nearly, that the call succeeds with.
    fn estimate(&self) -> Result<u64, RpcError> {
        let mut enough = self.most_affordable()?;
        if self.is_plain_transfer() && enough >= TRANSFER_GAS && self.attempt(TRANSFER_GAS)?.is_some() {
            return Ok(TRANSFER_GAS);
        }
        let Some(result) = self.attempt(enough)? else {
            return Err(self.why_not(enough)?);
        };
        // Less than was spent cannot be enough; what was spent before refunds, and what calls hold back, mostly is.
        let mut too_little = result.tx_gas_used().saturating_sub(1);
        let spent = result.gas().total_gas_spent().max(result.tx_gas_used());
        let likely = spent.saturating_add(STIPEND).saturating_mul(64) / 63;
        if likely < enough {
            match self.attempt(likely)? {
                Some(_) => enough = likely,
                None => too_little = likely,
            }
        }
        while too_little + 1 < enough && (enough - too_little) * 1_000 >= enough * CLOSE_ENOUGH {
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
            Err(refusal) if words::wants_more_gas(&refusal) => Ok(None),
            Err(refusal) => {
                let why = words::refusal(&refusal, &self.tx, self.base_fee());
                Err(server_error(format!("failed with {gas} gas: {why}")))
            }
        }
    }

    /// Why the call fails with all the gas there is.
    fn why_not(&self, gas: u64) -> Result<RpcError, RpcError> {
        let short = || server_error(format!("gas required exceeds allowance ({gas})"));
        Ok(match self.run(gas)? {
            Ok(result) if words::ran_out_of_gas(&result) => short(),
            Ok(result) => words::output(result).err().unwrap_or_else(short),
            Err(_) => short(),
        })
    }

    fn is_plain_transfer(&self) -> bool {
        let to = self.tx.kind.into_to();
        self.tx.data.is_empty()
            && to.is_some_and(|to| self.world.account(to).is_none_or(|account| account.code.is_empty()))
    }

    /// The most gas that the caller, the block and the sender's balance allow.
    fn most_affordable(&self) -> Result<u64, RpcError> {
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
