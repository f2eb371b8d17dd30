use alloy_consensus::Transaction as _;
use serde_json::{Number, Value, json};

use super::encode::quantity;
use super::params::Params;
use super::view::{BlockArg, Reader, pruned};
use crate::evm::block::{SealedBlock, next_base_fee};
use crate::evm::errors::server_error;
use crate::jsonrpc::RpcError;

/// The suggested tip without recent transactions: one gwei.
const DEFAULT_TIP: u128 = 1_000_000_000;
/// The highest tip that is suggested.
const MAX_SUGGESTED_TIP: u128 = 500_000_000_000;
/// How many recent blocks a suggested tip covers.
const TIP_HISTORY_BLOCKS: u64 = 20;
const MAX_HISTORY: u64 = 1_024;
const MAX_PERCENTILES: usize = 100;
/// Percentiles count in millionths.
const MILLION: u64 = 1_000_000;

impl Reader<'_> {
    pub(super) fn gas_price(self) -> Value {
        let next = {
            let view = self.view();
            let head = view.ledger.block(view.head);
            head.map_or(0, |head| next_base_fee(&head.header, self.inner.options.min_base_fee))
        };
        quantity(u128::from(next) + self.tip())
    }

    pub(super) fn max_priority_fee(self) -> Value {
        quantity(self.tip())
    }

    /// The 60th percentile of recent tips, or the default.
    fn tip(self) -> u128 {
        let view = self.view();
        let recent = view.ledger.range(view.head.saturating_sub(TIP_HISTORY_BLOCKS)..=view.head);
        let mut tips: Vec<u128> = recent.flat_map(|block| tips(block)).map(|(tip, _)| tip).collect();
        tips.sort_unstable();
        let at = tips.len().saturating_sub(1) * 3 / 5;
        let default = self.inner.options.tip.unwrap_or(DEFAULT_TIP);
        tips.get(at).map_or(default, |tip| (*tip).clamp(1, MAX_SUGGESTED_TIP))
    }

    pub(super) fn fee_history(self, params: &Params) -> Result<Value, RpcError> {
        let count = params.quantity(0)?.min(MAX_HISTORY);
        let at = params.read(1, BlockArg::number_or_tag)?;
        let percentiles = params.read_optional(2, read_percentiles)?.unwrap_or_default();
        check_percentiles(&percentiles)?;
        let view = self.view();
        let newest = view.number(at);
        if newest > view.head {
            let head = view.head;
            return Err(server_error(format!("request beyond head block: requested {newest}, head {head}")));
        }
        if count == 0 {
            return Ok(json!({ "oldestBlock": "0x0", "gasUsedRatio": [] }));
        }
        let oldest = (newest + 1).saturating_sub(count);
        let blocks: Vec<&SealedBlock> =
            (oldest..=newest).filter_map(|number| view.ledger.block(number)).map(|block| &**block).collect();
        // Old blocks are pruned from the oldest on, so the rest is the newest range without a gap.
        let gapless =
            blocks.iter().rev().zip((0..=newest).rev()).take_while(|(block, n)| block.number() == *n);
        let blocks = blocks.get(blocks.len() - gapless.count()..).unwrap_or_default();
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
            return Err(pruned());
        };
        let next = next_base_fee(&last.header, self.inner.options.min_base_fee);
        let base_fees = blocks.iter().map(|block| block.base_fee()).chain([next]);
        let mut history = json!({
            "oldestBlock": quantity(first.number()),
            "baseFeePerGas": base_fees.map(quantity).collect::<Vec<_>>(),
            "gasUsedRatio": blocks.iter().map(|block| used_ratio(block)).collect::<Vec<_>>(),
            "baseFeePerBlobGas": vec!["0x1"; blocks.len() + 1],
            "blobGasUsedRatio": vec![0; blocks.len()],
        });
        if !percentiles.is_empty() {
            history["reward"] = blocks.iter().map(|block| rewards(block, &percentiles)).collect();
        }
        Ok(history)
    }
}

/// Tip per gas and gas used of each transaction of a block.
fn tips(block: &SealedBlock) -> impl Iterator<Item = (u128, u64)> {
    let base_fee = block.base_fee();
    let tip = move |tx: &alloy_consensus::TxEnvelope| tx.effective_tip_per_gas(base_fee).unwrap_or_default();
    block.body.iter().map(move |mined| (tip(mined.tx.inner()), mined.gas_used))
}

/// The tips at the given percentiles of a block's gas.
fn rewards(block: &SealedBlock, percentiles: &[u64]) -> Value {
    let mut tips: Vec<(u128, u64)> = tips(block).collect();
    tips.sort_unstable();
    let reward = |percentile: &u64| {
        let wanted = u128::from(block.header.gas_used) * u128::from(*percentile) / u128::from(100 * MILLION);
        let mut sum = 0;
        let found = tips.iter().find(|(_, gas)| {
            sum += u128::from(*gas);
            sum >= wanted
        });
        quantity(found.or(tips.last()).map_or(0, |(tip, _)| *tip))
    };
    percentiles.iter().map(reward).collect()
}

/// How full a block is, as a decimal fraction.
fn used_ratio(block: &SealedBlock) -> Value {
    let ratio = u128::from(block.header.gas_used) * 1_000_000_000 / u128::from(block.header.gas_limit.max(1));
    let text = format!("{}.{:09}", ratio / 1_000_000_000, ratio % 1_000_000_000);
    text.parse().ok().and_then(Number::from_f64).map_or(Value::from(0), Value::Number)
}

fn read_percentiles(value: &Value) -> Result<Vec<u64>, String> {
    let list = value.as_array().ok_or("json: cannot unmarshal non-array into Go value of type []float64")?;
    let read = |value: &Value| {
        let number =
            value.as_f64().ok_or("json: cannot unmarshal non-number into Go value of type float64")?;
        let digits: String = format!("{number:.6}").chars().filter(|c| *c != '.').collect();
        digits.parse().map_err(|_| format!("invalid reward percentile: {number}"))
    };
    list.iter().map(read).collect()
}

fn check_percentiles(percentiles: &[u64]) -> Result<(), RpcError> {
    let wrong = |why: String| Err(server_error(format!("invalid reward percentile: {why}")));
    if percentiles.len() > MAX_PERCENTILES {
        return wrong(format!("over the query limit {MAX_PERCENTILES}"));
    }
    if let Some(high) = percentiles.iter().find(|percentile| **percentile > 100 * MILLION) {
        return wrong(format!("{}.{:06}", high / MILLION, high % MILLION));
    }
    match percentiles.iter().zip(percentiles.iter().skip(1)).position(|(one, next)| one > next) {
        Some(at) => wrong(format!("#{at} is higher than #{}", at + 1)),
        None => Ok(()),
    }
}
