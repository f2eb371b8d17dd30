//! Linea's own estimates. A block takes a transaction only if its tip pays for its data: the least tip per gas is
//! `a + b * bytes / gas`, with a price of gas `a` and one of a byte `b` that the sequencer adjusts. `linea_estimateGas` answers
//! that tip for one transaction (Linea's documentation: the API reference of the method, and "Gas fees").

use alloy_primitives::{Address, Bytes, U256};
use causeway_domain::ChainId;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::EvmClient;
use crate::error::CallError;
use crate::fees::Fees;
use crate::rpc::Call;
use crate::send::TxRequest;
use crate::simulate::transaction;

const LINEA: u64 = 59_144;

/// What a signed transaction has besides its call data, about.
const ENVELOPE_BYTES: u64 = 110;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Estimate {
    gas_limit: U256,
    base_fee_per_gas: U256,
    priority_fee_per_gas: U256,
}

/// The prices of gas and of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineaPrices {
    pub(crate) gas: U256,
    pub(crate) byte: U256,
}

impl EvmClient {
    fn is_linea(&self) -> bool {
        ChainId::new(LINEA) == Some(self.chain_id())
    }

    /// The fees that a transaction must offer, where the chain says so for each one; `None` elsewhere, and where a node does not
    /// know the method.
    pub(crate) async fn own_fees(
        &self,
        from: Address,
        request: &TxRequest,
    ) -> Result<Option<Fees>, CallError> {
        if !self.is_linea() {
            return Ok(None);
        }
        let estimate = self.linea_estimate(transaction(from, request)).await?;
        Ok(estimate.map(|estimate| {
            let [base, priority_fee] = [estimate.base_fee_per_gas, estimate.priority_fee_per_gas]
                .map(|fee| fee.saturating_to::<u128>());
            // As `Fees::from_history` does.
            Fees::Eip1559 { max_fee: base.saturating_mul(2).saturating_add(priority_fee), priority_fee }
        }))
    }

    /// The prices of gas and of a byte on Linea, from the estimates of a short and of a long transaction; `None` on other chains,
    /// and where a node does not know the method.
    pub(crate) async fn linea_prices(&self, data: &Bytes) -> Result<Option<LineaPrices>, CallError> {
        if !self.is_linea() {
            return Ok(None);
        }
        // Calls of an account without code.
        let call = |data: &[u8]| {
            let account = Address::repeat_byte(0x5a);
            json!({ "from": account, "to": account, "data": Bytes::copy_from_slice(data) })
        };
        let Some(short) = self.linea_estimate(call(&[])).await? else { return Ok(None) };
        let Some(long) = self.linea_estimate(call(data)).await? else { return Ok(None) };
        Ok(Some(prices(short, long, U256::from(data.len()))))
    }

    /// The median of the endpoints' estimates (rule 27); `None` where no endpoint knows the method.
    async fn linea_estimate(&self, call: Value) -> Result<Option<Estimate>, CallError> {
        let (mut all, mut fault) = (Vec::new(), None);
        for (_, answer) in self.each::<Estimate>(&Call::new("linea_estimateGas", json!([call]))).await {
            match answer {
                Ok(estimate) => all.push(estimate),
                Err(CallError::Refused { message, .. }) => {
                    tracing::debug!(message, "linea_estimateGas refused");
                }
                Err(error) => fault = Some(error),
            }
        }
        match (median(all), fault) {
            (None, Some(error)) => Err(error),
            (estimate, _) => Ok(estimate),
        }
    }
}

/// The middle one by its price, and the lower of the middle two, as `EvmClient::fees` does.
fn median(mut estimates: Vec<Estimate>) -> Option<Estimate> {
    estimates.sort_by_key(|estimate| estimate.base_fee_per_gas.saturating_add(estimate.priority_fee_per_gas));
    let middle = estimates.len().checked_sub(1)? / 2;
    estimates.get(middle).copied()
}

/// Solves `tip = a + b * bytes / gas` for both transactions. The byte's price is rounded up, that of gas follows from it and from
/// the short transaction, rounded up too.
fn prices(short: Estimate, long: Estimate, data: U256) -> LineaPrices {
    let envelope = U256::from(ENVELOPE_BYTES);
    let (short_gas, long_gas) = (short.gas_limit.max(U256::ONE), long.gas_limit.max(U256::ONE));
    let more = long.priority_fee_per_gas.saturating_sub(short.priority_fee_per_gas);
    // b * (long bytes / long gas - short bytes / short gas) = the difference of the tips
    let bytes = envelope.saturating_add(data).saturating_mul(short_gas);
    let bytes = bytes.saturating_sub(envelope.saturating_mul(long_gas)).max(U256::ONE);
    let byte = more.saturating_mul(long_gas).saturating_mul(short_gas).div_ceil(bytes);
    let for_short = byte.saturating_mul(envelope) / short_gas;
    let gas = short.priority_fee_per_gas.saturating_sub(for_short).saturating_add(short.base_fee_per_gas);
    LineaPrices { gas, byte }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(gas: u64, tip: u64) -> Estimate {
        Estimate {
            gas_limit: U256::from(gas),
            base_fee_per_gas: U256::from(7),
            priority_fee_per_gas: U256::from(tip),
        }
    }

    #[test]
    fn the_prices_of_gas_and_bytes_follow_from_two_tips() {
        // Tips by a price of gas of 30,000,000 and one of a byte of 1,000,000,000.
        let tip = |bytes: u64, gas: u64| 30_000_000 + 1_000_000_000 * bytes / gas;
        let (short, long) = (estimate(21_000, tip(110, 21_000)), estimate(36_000, tip(1_070, 36_000)));
        let LineaPrices { gas, byte } = prices(short, long, U256::from(960));
        let near = |found: U256, price: u64| found.abs_diff(U256::from(price)) < U256::from(price / 1_000);
        assert!(near(byte, 1_000_000_000), "{byte}");
        assert!(near(gas, 30_000_007), "{gas}");
    }

    #[test]
    fn rule_27_one_lying_endpoint_does_not_set_the_fees_of_linea() {
        let tip = |tips: &[u64]| {
            let estimates = tips.iter().map(|tip| estimate(21_000, *tip)).collect();
            median(estimates).map(|estimate| estimate.priority_fee_per_gas.to::<u64>())
        };
        assert_eq!(tip(&[u64::MAX, 30, 31]), Some(31));
        assert_eq!(tip(&[30, 0, 31]), Some(30));
        assert_eq!(tip(&[u64::MAX, 30]), Some(30), "too low a fee is raised later");
        assert_eq!((tip(&[30]), tip(&[])), (Some(30), None));
    }

    #[test]
    fn nonsense_gives_prices_without_panic() {
        for (short, long) in [(0, 0), (21_000, 0), (0, u64::MAX), (u64::MAX, 1)] {
            let _ = prices(estimate(short, u64::MAX), estimate(long, u64::MAX), U256::MAX);
            let _ = prices(estimate(short, 0), estimate(long, u64::MAX), U256::ZERO);
        }
    }
}
