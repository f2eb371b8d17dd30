use serde_json::Value;

use super::encode::{self, json, quantity};
use super::params::Params;
use super::view::{BlockArg, Reader};
use crate::evm::errors::server_error;
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    pub(super) fn send_raw_transaction(self, params: &Params) -> Result<Value, RpcError> {
        let raw = params.bytes(0)?;
        let hash = self.inner.send(&raw).map_err(|refused| server_error(refused.to_string()))?;
        json(hash)
    }

    pub(super) fn get_transaction(self, params: &Params) -> Result<Value, RpcError> {
        let hash = params.hash(0)?;
        if let Some(pooled) = self.inner.pool.lock().get(hash) {
            return json(encode::pending(&pooled.tx));
        }
        let view = self.view();
        let Some((block, index)) = view.transaction(hash) else {
            return Ok(Value::Null);
        };
        json(block.body.get(index).map(|mined| encode::transaction(block, index, mined)))
    }

    /// `eth_getTransactionByBlockNumberAndIndex` and `eth_getTransactionByBlockHashAndIndex`.
    pub(super) fn get_transaction_at(self, at: BlockArg, params: &Params) -> Result<Value, RpcError> {
        let index = usize::try_from(params.quantity(1)?).unwrap_or(usize::MAX);
        let view = self.view();
        let Some(block) = view.block(at)? else {
            return Ok(Value::Null);
        };
        json(block.body.get(index).map(|mined| encode::transaction(block, index, mined)))
    }

    pub(super) fn get_receipt(self, params: &Params) -> Result<Value, RpcError> {
        let hash = params.hash(0)?;
        let view = self.view();
        let Some((block, index)) = view.transaction(hash) else {
            return Ok(Value::Null);
        };
        let data_fee = view.data_fee();
        let receipt = block.body.get(index).map(|mined| encode::receipt(block, index, mined, data_fee));
        receipt.unwrap_or(Ok(Value::Null))
    }

    /// The next nonce of an account; the pending one counts what waits without a gap.
    pub(super) fn get_transaction_count(self, params: &Params) -> Result<Value, RpcError> {
        let address = params.address(0)?;
        let at = params.read_optional(1, BlockArg::any)?.unwrap_or(BlockArg::Latest);
        if at == BlockArg::Pending {
            // Locked first: a block that is produced between the two reads would take its transactions out of the pool, and the
            // nonce would be one that is already used.
            let pool = self.inner.pool.lock();
            let nonce = self.state(BlockArg::Latest)?.world.nonce(address);
            return Ok(quantity(pool.next_nonce(address, nonce)));
        }
        Ok(quantity(self.state(at)?.world.nonce(address)))
    }
}
