use std::sync::LazyLock;

use alloy_primitives::{Bytes, U64, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::approvals::{estimate, token_rejection};
use super::builder::EvmDepositBuilder;
use super::payment::Payment;
use super::rejection::{Cause, Rejection, paused_until, too_late};
use crate::blocks::BlockTag;
use crate::contracts::{AttesterRegistry, Escrow};
use crate::error::CallError;
use crate::multicall::{Call3, Outcome3, aggregate3Call};
use crate::rpc::Call;
use crate::send::TxRequest;
use crate::simulate::Simulation;

/// The code of Multicall3, which a simulation places at the payer's address.
pub(super) static MULTICALL3_CODE: LazyLock<Bytes> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Artifact {
        deployed_bytecode: String,
    }
    let text = include_str!("../../../../../contracts/evm/artifacts/Multicall3.json");
    let artifact = serde_json::from_str(text).ok();
    let code = artifact.and_then(|Artifact { deployed_bytecode }| hex::decode(deployed_bytecode).ok());
    code.unwrap_or_default().into()
});

impl EvmDepositBuilder {
    /// Simulates a deposit that needs no approval, and returns its gas if the chain estimates it.
    pub(super) async fn simulate_deposit(&self, payment: &Payment) -> Result<Option<u64>, DepositError> {
        match self.client.simulate(payment.user, &payment.open).await.map_err(ChainError::from)? {
            Simulation::Passes(_) => Ok(estimate(&self.client, payment.user, &payment.open).await?),
            Simulation::Fails { reason, data } => {
                Err(self.would_fail(payment, Rejection::read(reason, data.as_ref())).await)
            }
        }
    }

    /// Simulates a deposit together with its approval. A state override puts Multicall3 at the payer's address, so that both
    /// run in one call. Nodes without state overrides are checked in parts.
    pub(super) async fn simulate_with_approval(
        &self,
        terms: &IntentTerms,
        payment: &Payment,
    ) -> Result<Option<u64>, DepositError> {
        let answer = self.client.call::<Bytes>(with_code_override(payment, "eth_call", true)).await;
        let outcome = match answer {
            Ok(bytes) => deposit_outcome(&bytes),
            Err(CallError::Refused { .. }) => None,
            Err(error) => return Err(ChainError::from(error).into()),
        };
        match outcome {
            None => {
                self.simulate_in_parts(terms, payment).await?;
                Ok(None)
            }
            Some(Outcome3 { success: true, .. }) => {
                // More than the deposit alone needs, by the cost of the approval.
                let gas =
                    self.client.call::<U64>(with_code_override(payment, "eth_estimateGas", false)).await;
                Ok(gas.ok().map(|gas| gas.to()))
            }
            Some(Outcome3 { returnData, .. }) => {
                let rejection = Rejection::read("the escrow gives no reason".to_owned(), Some(&returnData));
                Err(self.would_fail(payment, rejection).await)
            }
        }
    }

    /// Checks everything about a deposit that does not need an allowance.
    async fn simulate_in_parts(&self, terms: &IntentTerms, payment: &Payment) -> Result<(), DepositError> {
        if let Some(reason) = token_rejection(&self.client, payment, &payment.transfer()).await? {
            return Err(DepositError::WouldFail(format!("the token refuses the transfer: {reason}")));
        }
        let order = Escrow::openCall::abi_decode(&payment.open.data).map(|call| call.order);
        let data = order.map(|order| Escrow::resolveCall { order }.abi_encode().into()).unwrap_or_default();
        let resolve = TxRequest { to: self.contracts.escrow, value: U256::ZERO, data };
        let answer = self.client.simulate(payment.user, &resolve).await.map_err(ChainError::from)?;
        if let Simulation::Fails { reason, data } = answer {
            return Err(DepositError::WouldFail(Rejection::read(reason, data.as_ref()).reason));
        }
        let now = self.client.block(BlockTag::Latest).await.map_err(ChainError::from)?;
        let now = now.map_or(0, |block| block.timestamp);
        if now > terms.open_deadline {
            return Err(DepositError::WouldFail(too_late(U256::from(terms.open_deadline))));
        }
        let data = AttesterRegistry::pausedUntilCall {}.abi_encode().into();
        let paused = TxRequest { to: self.contracts.registry, value: U256::ZERO, data };
        let answer = self.client.simulate(payment.user, &paused).await.map_err(ChainError::from)?;
        if let Simulation::Passes(word) = answer
            && let Ok(until) = AttesterRegistry::pausedUntilCall::abi_decode_returns(&word)
            && until > U256::from(now)
        {
            return Err(DepositError::WouldFail(paused_until(until)));
        }
        Ok(())
    }

    /// The error for a rejection, with the token's own reason if the token caused it.
    async fn would_fail(&self, payment: &Payment, rejection: Rejection) -> DepositError {
        match rejection.cause {
            Cause::Epoch => self.forget_epoch(),
            Cause::Transfer if !payment.is_native() => {
                if let Ok(Some(reason)) = token_rejection(&self.client, payment, &payment.transfer()).await {
                    return DepositError::WouldFail(format!("{}: {reason}", rejection.reason));
                }
            }
            _ => {}
        }
        DepositError::WouldFail(rejection.reason)
    }
}

/// The outcome of the deposit call; `None` if the node ignored the state override.
fn deposit_outcome(answer: &Bytes) -> Option<Outcome3> {
    let [_, _, deposit] = aggregate3Call::abi_decode_returns(answer).ok()?.try_into().ok()?;
    Some(deposit)
}

/// Approval and deposit as one call from the payer's address. Resetting the old allowance first may fail: few tokens need it.
fn with_code_override(payment: &Payment, method: &'static str, allow_failure: bool) -> Call {
    let escrow = payment.open.to;
    let step = |request: TxRequest, step_may_fail: bool| Call3 {
        target: request.to,
        allowFailure: step_may_fail,
        callData: request.data,
    };
    let calls = vec![
        step(payment.approve(escrow, U256::ZERO), true),
        step(payment.approve(escrow, payment.amount), allow_failure),
        step(payment.open.clone(), allow_failure),
    ];
    let data = Bytes::from(aggregate3Call { calls }.abi_encode());
    let user = payment.user.to_string();
    let mut accounts = serde_json::Map::new();
    accounts.insert(user, json!({ "code": *MULTICALL3_CODE }));
    let call = json!({ "from": payment.user, "to": payment.user, "data": data });
    Call::new(method, json!([call, "latest", Value::Object(accounts)]))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;

    use super::*;

    #[test]
    fn the_override_code_is_multicall3() {
        // The code hash on every chain that has it.
        let hash = "d5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891";
        assert_eq!(hex::encode(keccak256(&*MULTICALL3_CODE)), hash);
    }
}
