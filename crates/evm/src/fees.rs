use alloy_primitives::U256;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::EvmClient;
use crate::config::FeePolicy;
use crate::error::CallError;
use crate::rpc::Call;

/// How many recent blocks the fee history covers.
const HISTORY_BLOCKS: u64 = 10;

/// The fees that a transaction offers per gas, in wei.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fees {
    Eip1559 {
        max_fee: u128,
        priority_fee: u128,
    },
    /// For chains without a base fee.
    Legacy {
        gas_price: u128,
    },
}

/// The fields of an `eth_feeHistory` response that we use.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FeeHistory {
    pub base_fee_per_gas: Option<Vec<Option<U256>>>,
    pub reward: Option<Vec<Vec<U256>>>,
}

impl Fees {
    /// The maximum paid per gas.
    pub const fn ceiling(&self) -> u128 {
        match self {
            Self::Eip1559 { max_fee, .. } => *max_fee,
            Self::Legacy { gas_price } => *gas_price,
        }
    }

    /// The likely price per gas in the next block: half of the ceiling's base fee part, plus the tip.
    pub const fn expected(&self) -> u128 {
        match *self {
            Self::Eip1559 { max_fee, priority_fee } => {
                let base = max_fee.saturating_sub(priority_fee) / 2;
                base.saturating_add(priority_fee)
            }
            Self::Legacy { gas_price } => gas_price,
        }
    }

    /// Twice the next base fee, which covers six full blocks in a row, plus the median tip.
    /// `None` where the chain has no base fee.
    pub fn from_history(history: &FeeHistory, policy: &FeePolicy) -> Option<Self> {
        let base = saturate(history.base_fee_per_gas.as_ref()?.last().copied()??);
        if base == 0 {
            return None;
        }
        let first = |tips: &Vec<U256>| tips.first().copied().map(saturate);
        let mut tips: Vec<u128> =
            history.reward.iter().flatten().filter_map(first).filter(|tip| *tip > 0).collect();
        tips.sort_unstable();
        let median_tip = tips.get(tips.len() / 2).copied().unwrap_or(0);
        let priority_fee = median_tip.max(policy.min_priority_fee);
        Some(Self::Eip1559 { max_fee: base.saturating_mul(2).saturating_add(priority_fee), priority_fee })
    }

    /// The node's gas price plus an eighth, in case it rises.
    pub fn from_gas_price(price: U256) -> Self {
        Self::Legacy { gas_price: bumped(saturate(price)) }
    }

    /// The fees of a replacement: the market price, and at least an eighth more than before in every part, because
    /// nodes reject smaller increases. The kind stays the same.
    #[must_use]
    pub fn replacement(&self, market: &Self) -> Self {
        match *self {
            Self::Legacy { gas_price } => Self::Legacy { gas_price: bumped(gas_price).max(market.ceiling()) },
            Self::Eip1559 { max_fee, priority_fee } => {
                let market_tip = match market {
                    Self::Eip1559 { priority_fee, .. } => *priority_fee,
                    Self::Legacy { .. } => 0,
                };
                let priority_fee = bumped(priority_fee).max(market_tip);
                let max_fee = bumped(max_fee).max(market.ceiling()).max(priority_fee);
                Self::Eip1559 { max_fee, priority_fee }
            }
        }
    }
}

/// At least an eighth more, rounded up.
fn bumped(fee: u128) -> u128 {
    fee.saturating_add((fee / 8).saturating_add(1))
}

fn saturate(fee: U256) -> u128 {
    u128::try_from(fee).unwrap_or(u128::MAX)
}

impl EvmClient {
    /// The fees that a transaction should offer now: the median of what the endpoints show, and the lower of the middle
    /// two, because too low a fee is raised later and too high a one is paid.
    pub async fn fees(&self) -> Result<Fees, CallError> {
        if self.endpoint_count() > 1 {
            return self.median_fees().await;
        }
        let history = match self.call::<FeeHistory>(self.history_call()).await {
            Ok(history) => history,
            Err(CallError::Refused { .. }) => FeeHistory::default(),
            Err(error) => return Err(error),
        };
        match Fees::from_history(&history, &self.config().fees) {
            Some(fees) => Ok(fees),
            None => self.call(gas_price_call()).await.map(Fees::from_gas_price),
        }
    }

    async fn median_fees(&self) -> Result<Fees, CallError> {
        let (mut all, mut fault) = (Vec::new(), None);
        for (_, answers) in self.each_of::<Value>(&[self.history_call(), gas_price_call()]).await {
            let Ok([history, price]) = <[_; 2]>::try_from(answers) else { continue };
            let history = history.ok().and_then(|history| serde_json::from_value::<FeeHistory>(history).ok());
            let fees = history.and_then(|history| Fees::from_history(&history, &self.config().fees));
            let price =
                price.map(|price| serde_json::from_value::<U256>(price).ok().map(Fees::from_gas_price));
            match (fees, price) {
                (Some(fees), _) | (None, Ok(Some(fees))) => all.push(fees),
                (None, Ok(None)) => fault = Some(self.invalid_response("the gas price is not a number")),
                (None, Err(error)) => fault = Some(error),
            }
        }
        all.sort_by_key(Fees::ceiling);
        let middle = all.len().saturating_sub(1) / 2;
        let missing = || self.invalid_response("no endpoint names fees");
        all.get(middle).copied().ok_or_else(|| fault.unwrap_or_else(missing))
    }

    fn history_call(&self) -> Call {
        let percentile = self.config().fees.percentile.min(100);
        Call::new("eth_feeHistory", json!([format!("{HISTORY_BLOCKS:#x}"), "latest", [percentile]]))
    }
}

fn gas_price_call() -> Call {
    Call::new("eth_gasPrice", json!([]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GWEI: u128 = 1_000_000_000;

    fn history(json: &str) -> FeeHistory {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_ceiling_is_twice_the_next_base_fee_and_the_median_tip() {
        let history = history(
            r#"{"oldestBlock":"0x1","baseFeePerGas":["0x1","0x2540be400"],"gasUsedRatio":[0.5],
                "reward":[["0x0"],["0x3b9aca00"],["0xb2d05e00"],["0x77359400"]]}"#,
        );
        let fees = Fees::from_history(&history, &FeePolicy::default()).unwrap();
        assert_eq!(fees, Fees::Eip1559 { max_fee: 22 * GWEI, priority_fee: 2 * GWEI });
        assert_eq!(fees.expected(), 12 * GWEI);
    }

    #[test]
    fn quiet_chains_pay_the_minimum_tip() {
        let history = history(r#"{"baseFeePerGas":["0x64"],"reward":null}"#);
        let fees = Fees::from_history(&history, &FeePolicy::default()).unwrap();
        assert_eq!(fees, Fees::Eip1559 { max_fee: 1_000_200, priority_fee: 1_000_000 });
    }

    #[test]
    fn chains_without_a_base_fee_have_no_eip1559_fees() {
        for json in
            [r"{}", r#"{"baseFeePerGas":[]}"#, r#"{"baseFeePerGas":["0x0"]}"#, r#"{"baseFeePerGas":[null]}"#]
        {
            assert_eq!(Fees::from_history(&history(json), &FeePolicy::default()), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn a_replacement_is_an_eighth_dearer_in_every_part(max in any::<u64>(), tip in any::<u64>(), market in any::<u64>()) {
            let old = Fees::Eip1559 { max_fee: max.into(), priority_fee: tip.into() };
            for market in [
                Fees::Legacy { gas_price: market.into() },
                Fees::Eip1559 { max_fee: market.into(), priority_fee: u128::from(market) / 2 },
            ] {
                let Fees::Eip1559 { max_fee, priority_fee } = old.replacement(&market) else { panic!() };
                prop_assert!(max_fee * 8 >= u128::from(max) * 9 && priority_fee * 8 >= u128::from(tip) * 9);
                prop_assert!(max_fee >= market.ceiling() && max_fee >= priority_fee);
            }
            let legacy = Fees::Legacy { gas_price: max.into() };
            let Fees::Legacy { gas_price } = legacy.replacement(&old) else { panic!() };
            prop_assert!(gas_price * 8 >= u128::from(max) * 9);
        }

        #[test]
        fn any_numbers_give_fees_without_panic(base in any::<[u64; 4]>(), tips in prop::collection::vec(any::<[u64; 4]>(), 0..5)) {
            let number = U256::from_limbs;
            let history = FeeHistory {
                base_fee_per_gas: Some(vec![Some(number(base))]),
                reward: Some(tips.into_iter().map(|tip| vec![number(tip)]).collect()),
            };
            if let Some(fees) = Fees::from_history(&history, &FeePolicy::default()) {
                let _ = fees.replacement(&Fees::from_gas_price(number(base)));
            }
        }
    }
}
