use alloy_primitives::{Address, Bytes, U64, U256};
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
    /// Simulates a transaction without sending it.
    pub async fn simulate(&self, from: Address, request: &TxRequest) -> Result<Simulation, CallError> {
        let params = json!([transaction(from, request), "latest"]);
        match self.call(Call::new("eth_call", params)).await {
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
        let gas = self.estimate_exactly(from, request).await?;
        Ok(with_margin(gas, self.config().fees.gas_margin_percent))
    }

    /// Estimates the gas of a transaction, without a margin.
    pub(crate) async fn estimate_exactly(
        &self,
        from: Address,
        request: &TxRequest,
    ) -> Result<u64, CallError> {
        let gas: U64 = self.call(Call::new("eth_estimateGas", json!([transaction(from, request)]))).await?;
        Ok(gas.to())
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
    fn the_margin_never_overflows_and_never_shrinks_an_estimate() {
        assert_eq!(with_margin(100_000, 20), 120_020);
        assert_eq!(with_margin(u64::MAX, 255), u64::MAX);
        assert_eq!(with_margin(21_000, 0), 21_000);
    }
}
