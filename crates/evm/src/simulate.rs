use alloy_primitives::{Address, Bytes, U64, U256};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::revert::revert_reason;
use crate::rpc::Call;
use crate::send::TxRequest;

/// The outcome of a transaction if it were mined now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simulation {
    Passes(Bytes),
    /// The chain's reason, and the contract's revert data if there is any.
    Fails {
        reason: String,
        data: Option<Bytes>,
    },
}

impl EvmClient {
    /// Simulates a transaction without sending it. No endpoint alone says that it fails (rule 27).
    pub async fn simulate(&self, from: Address, request: &TxRequest) -> Result<Simulation, CallError> {
        let call = simulation(from, request);
        let outcome = match self.call(call.clone()).await {
            Err(CallError::Refused { .. }) if self.endpoint_count() > 1 => {
                let passes = self.majority::<Bytes>(&[call]).await;
                passes.map(|passes| passes.into_iter().flatten().next().unwrap_or_default())
            }
            outcome => outcome,
        };
        match outcome {
            Ok(answer) => Ok(Simulation::Passes(answer)),
            Err(CallError::Refused { message, data, .. }) => {
                let reason = data.as_ref().and_then(|data| revert_reason(data)).unwrap_or(message);
                Ok(Simulation::Fails { reason, data })
            }
            Err(error) => Err(error),
        }
    }

    /// Estimates the gas of a transaction, with the configured margin.
    pub async fn estimate_gas(&self, from: Address, request: &TxRequest) -> Result<u64, CallError> {
        let gas: U64 = self.call(estimation(from, request)).await?;
        Ok(with_margin(gas.to(), self.config().fees.gas_margin_percent))
    }

    /// The gas of a transaction as several endpoints estimate it, without a margin.
    pub(crate) async fn agreed_gas(
        &self,
        from: Address,
        request: &TxRequest,
        ceiling: u64,
    ) -> Result<u64, CallError> {
        self.middle_estimate(self.majority(&[estimation(from, request)]).await?, ceiling)
    }

    /// The gas of a transaction, without a margin, as one endpoint estimates it: where that is more than `ceiling`, or it
    /// refuses, as several do.
    pub(crate) async fn gas_within(
        &self,
        from: Address,
        request: &TxRequest,
        ceiling: u64,
    ) -> Result<u64, CallError> {
        let gas = self.call::<U64>(estimation(from, request)).await.map(|gas| gas.to::<u64>());
        let is_doubtful = match &gas {
            Ok(gas) => *gas > ceiling,
            Err(error) => matches!(error, CallError::Refused { .. }),
        };
        if is_doubtful && self.endpoint_count() > 1 {
            return self.agreed_gas(from, request, ceiling).await;
        }
        gas
    }

    /// The gas of a transaction, without a margin, if it does not fail. Both are asked in one request.
    pub(crate) async fn simulated_gas(
        &self,
        from: Address,
        request: &TxRequest,
        ceiling: u64,
    ) -> Result<u64, CallError> {
        // The simulation first: its error has the contract's revert reason, which an estimate often lacks.
        let calls = [simulation(from, request), estimation(from, request)];
        self.middle_estimate(self.majority(&calls).await?, ceiling)
    }

    /// The answers of the endpoints at which no call fails; if some call fails at more of them, the first one's error. Of
    /// two that contradict each other the one that passes counts: what fails on the chain costs a little gas, and one that
    /// lies could hold up any transaction otherwise.
    async fn majority<T: DeserializeOwned + Send>(&self, calls: &[Call]) -> Result<Vec<Vec<T>>, CallError> {
        if self.endpoint_count() < 2 {
            return Ok(vec![self.batch(calls).await.into_iter().collect::<Result<_, _>>()?]);
        }
        let (mut passes, mut refusals, mut fault) = (Vec::new(), Vec::new(), None);
        for asked in self.ask_all(calls).await {
            match asked.answers.into_iter().collect::<Result<Vec<T>, _>>() {
                Ok(answers) => passes.push(answers),
                Err(error @ CallError::Refused { .. }) => refusals.push(error),
                Err(error) => fault = Some(error),
            }
        }
        let fails = refusals.len() > passes.len();
        match (passes.is_empty(), refusals.into_iter().next(), fault) {
            (_, Some(refusal), _) if fails => Err(refusal),
            (false, ..) => Ok(passes),
            (true, _, Some(error)) => Err(error),
            (true, ..) => Err(self.invalid_response("no endpoint simulates the transaction")),
        }
    }

    /// The median of the estimates, each the last of an endpoint's answers.
    fn middle_estimate(&self, estimates: Vec<Vec<Value>>, ceiling: u64) -> Result<u64, CallError> {
        let number =
            |answers: Vec<Value>| serde_json::from_value::<U64>(answers.into_iter().next_back()?).ok();
        let gas = estimates.into_iter().filter_map(number).map(|gas| gas.to()).collect();
        let middle = middle(gas, ceiling);
        middle.ok_or_else(|| self.invalid_response("eth_estimateGas answers no number"))
    }

    /// The account's next nonce as of `tag`.
    pub async fn nonce(&self, account: Address, tag: BlockTag) -> Result<u64, CallError> {
        let params = json!([account, tag.json()]);
        let nonce: U64 = self.call(Call::new("eth_getTransactionCount", params)).await?;
        Ok(nonce.to())
    }

    /// The account's balance of the native coin.
    pub async fn native_balance(&self, account: Address) -> Result<U256, CallError> {
        self.call(Call::new("eth_getBalance", json!([account, "latest"]))).await
    }

    /// The code at an address; empty where there is none.
    pub async fn code(&self, address: Address) -> Result<Bytes, CallError> {
        self.call(Call::new("eth_getCode", json!([address, "latest"]))).await
    }
}

fn simulation(from: Address, request: &TxRequest) -> Call {
    Call::new("eth_call", json!([transaction(from, request), "latest"]))
}

fn estimation(from: Address, request: &TxRequest) -> Call {
    Call::new("eth_estimateGas", json!([transaction(from, request)]))
}

/// Of the middle two the higher, because gas that is not used costs nothing, unless it alone is above the ceiling.
fn middle(mut gas: Vec<u64>, ceiling: u64) -> Option<u64> {
    gas.sort_unstable();
    let (lower, higher) = (gas.get(gas.len().checked_sub(1)? / 2)?, gas.get(gas.len() / 2)?);
    Some(*if *higher > ceiling { lower } else { higher })
}

pub(crate) fn with_margin(gas: u64, percent: u8) -> u64 {
    gas.saturating_add((gas / 100).saturating_add(1).saturating_mul(percent.into()))
}

pub(crate) fn transaction(from: Address, request: &TxRequest) -> Value {
    json!({ "from": from, "to": request.to, "value": request.value, "data": request.data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_27_one_estimate_alone_is_neither_too_high_nor_too_low() {
        for (estimates, expected) in [
            (vec![], None),
            (vec![500], Some(500)),
            (vec![50, 40], Some(50)),
            (vec![500, 40], Some(40)),
            (vec![500, 400], Some(400)),
            (vec![500, 40, 41], Some(41)),
            (vec![1, 40, 41], Some(40)),
            (vec![500, 400, 41], Some(400)),
        ] {
            assert_eq!(middle(estimates.clone(), 100), expected, "{estimates:?}");
        }
    }

    #[test]
    fn the_margin_never_overflows_and_never_shrinks_an_estimate() {
        assert_eq!(with_margin(100_000, 20), 120_020);
        assert_eq!(with_margin(u64::MAX, 255), u64::MAX);
        assert_eq!(with_margin(21_000, 0), 21_000);
    }
}
