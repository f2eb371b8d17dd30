use alloy_primitives::B256;
use serde_json::Value;

use super::encode::{json, quantity};
use super::params::Params;
use super::view::{BlockArg, Reader};
use crate::evm::ledger::RecentBlock;
use crate::evm::world_state::StateAt;
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    /// The state named by the argument at `index`, the latest when it is left out.
    pub(super) fn state_named(self, params: &Params, index: usize) -> Result<RecentBlock, RpcError> {
        self.state(params.read_optional(index, BlockArg::any)?.unwrap_or(BlockArg::Latest))
    }

    pub(super) fn get_balance(self, params: &Params) -> Result<Value, RpcError> {
        let address = params.address(0)?;
        Ok(quantity(self.state_named(params, 1)?.world.balance(address)))
    }

    pub(super) fn get_code(self, params: &Params) -> Result<Value, RpcError> {
        let address = params.address(0)?;
        json(self.state_named(params, 1)?.world.code(address))
    }

    pub(super) fn get_storage_at(self, params: &Params) -> Result<Value, RpcError> {
        let (address, key) = (params.address(0)?, params.slot(1)?);
        let recent = self.state_named(params, 2)?;
        let hashes = |number| self.inner.block_hash(number);
        let state = StateAt { world: &recent.world, number: recent.block.number(), hashes: &hashes };
        json(B256::from(state.slot(address, key)))
    }
}
