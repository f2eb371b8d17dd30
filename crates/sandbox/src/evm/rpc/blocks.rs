use serde_json::Value;

use super::encode::{self, json, quantity};
use super::params::Params;
use super::view::{BlockArg, Reader};
use crate::jsonrpc::RpcError;

impl Reader<'_> {
    pub(super) fn block_number(self) -> Value {
        quantity(self.view().head)
    }

    /// `eth_getBlockByNumber` and `eth_getBlockByHash`.
    pub(super) fn get_block(self, at: BlockArg, params: &Params) -> Result<Value, RpcError> {
        let full = params.flag(1)?;
        if at == BlockArg::Pending && self.is_up_to_date() {
            return encode::pending_block(&self.inner.pending().block, full);
        }
        match self.view().block(at)? {
            Some(block) => encode::block(block, full),
            None => Ok(Value::Null),
        }
    }

    /// `eth_getBlockTransactionCountByNumber` and `eth_getBlockTransactionCountByHash`.
    pub(super) fn count_transactions(self, at: BlockArg) -> Result<Value, RpcError> {
        if at == BlockArg::Pending && self.is_up_to_date() {
            return Ok(quantity(self.inner.pending().block.body.len()));
        }
        Ok(self.view().block(at)?.map_or(Value::Null, |block| quantity(block.body.len())))
    }

    /// No block here has uncles.
    pub(super) fn count_uncles(self, at: BlockArg) -> Result<Value, RpcError> {
        Ok(self.view().block(at)?.map_or(Value::Null, |_| quantity(0)))
    }

    pub(super) fn get_block_receipts(self, at: BlockArg) -> Result<Value, RpcError> {
        let view = self.view();
        let Some(block) = view.block(at)? else {
            return Ok(Value::Null);
        };
        let data_fee = view.data_fee();
        let mined = block.body.iter().enumerate();
        let receipts = mined.map(|(index, mined)| encode::receipt(block, index, mined, data_fee));
        json(receipts.collect::<Result<Vec<_>, _>>()?)
    }
}
