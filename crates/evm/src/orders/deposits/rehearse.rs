use std::sync::LazyLock;

use alloy_primitives::{Bytes, U64, U256, hex};
use alloy_sol_types::SolCall as _;
use causeway_domain::Terms;
use causeway_domain::ports::{ChainError, DepositError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::desk::EvmDesk;
use super::payment::Payment;
use super::words::{Cause, Refusal, paused_until, too_late};
use crate::blocks::BlockTag;
use crate::contracts::{AttesterRegistry, Escrow};
use crate::error::CallError;
use crate::multicall::{Call3, Outcome3, aggregate3Call};
use crate::rpc::Call;
use crate::send::TxRequest;
use crate::simulate::Simulation;

/// The code of Multicall3, which a rehearsal puts at the payer's address.
static SEVERAL_CALLS: LazyLock<Bytes> = LazyLock::new(|| {
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

impl EvmDesk {
    /// Tries a deposit that needs nothing before it, and says what gas it takes where the chain tells.
    pub(super) async fn rehearse_alone(&self, payment: &Payment) -> Result<Option<u64>, DepositError> {
        match self.client.simulate(payment.user, &payment.open).await.map_err(ChainError::from)? {
            Simulation::Passes(_) => Ok(self.estimate(payment.user, &payment.open).await?),
            Simulation::Fails { words, data } => {
                Err(self.would_fail(payment, Refusal::read(words, data.as_ref())).await)
            }
        }
    }

    /// Tries a deposit as it will go once the allowance is there. The payer's address is lent the code that makes several
    /// calls in a row, so allowance and deposit happen together; nodes that lend none are asked in parts.
    pub(super) async fn rehearse_allowed(
        &self,
        terms: &Terms,
        payment: &Payment,
    ) -> Result<Option<u64>, DepositError> {
        let answer = self.client.call::<Bytes>(lent(payment, "eth_call", true)).await;
        let outcome = match answer {
            Ok(bytes) => deposit_outcome(&bytes),
            Err(CallError::Refused { .. }) => None,
            Err(error) => return Err(ChainError::from(error).into()),
        };
        match outcome {
            None => {
                self.rehearse_in_parts(terms, payment).await?;
                Ok(None)
            }
            Some(Outcome3 { success: true, .. }) => {
                // More than the deposit alone will take, by the cost of the allowance.
                let gas = self.client.call::<U64>(lent(payment, "eth_estimateGas", false)).await;
                Ok(gas.ok().map(|gas| gas.to()))
            }
            Some(Outcome3 { returnData, .. }) => {
                let refusal = Refusal::read("the escrow gives no reason".to_owned(), Some(&returnData));
                Err(self.would_fail(payment, refusal).await)
            }
        }
    }

    /// Everything about a deposit that can be asked without an allowance.
    async fn rehearse_in_parts(&self, terms: &Terms, payment: &Payment) -> Result<(), DepositError> {
        if let Some(words) = self.refused_by_token(payment, &payment.transfer()).await? {
            return Err(DepositError::WouldFail(format!("the token refuses the transfer: {words}")));
        }
        let order = Escrow::openCall::abi_decode(&payment.open.data).map(|call| call.order);
        let data = order.map(|order| Escrow::resolveCall { order }.abi_encode().into()).unwrap_or_default();
        let resolve = TxRequest { to: self.contracts.escrow, value: U256::ZERO, data };
        let answer = self.client.simulate(payment.user, &resolve).await.map_err(ChainError::from)?;
        if let Simulation::Fails { words, data } = answer {
            return Err(DepositError::WouldFail(Refusal::read(words, data.as_ref()).words));
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

    /// The refusal in words, with the token's own where it was the token.
    async fn would_fail(&self, payment: &Payment, refusal: Refusal) -> DepositError {
        match refusal.cause {
            Cause::Epoch => self.forget_epoch(),
            Cause::Transfer if !payment.is_native() => {
                if let Ok(Some(words)) = self.refused_by_token(payment, &payment.transfer()).await {
                    return DepositError::WouldFail(format!("{}: {words}", refusal.words));
                }
            }
            _ => {}
        }
        DepositError::WouldFail(refusal.words)
    }
}

/// What came of the last of the calls; nothing where the node lent no code.
fn deposit_outcome(answer: &Bytes) -> Option<Outcome3> {
    let [_, _, deposit] = aggregate3Call::abi_decode_returns(answer).ok()?.try_into().ok()?;
    Some(deposit)
}

/// Allowance and deposit as one call of the payer's address. Clearing an old allowance first may fail: few tokens need it.
fn lent(payment: &Payment, method: &'static str, forgiving: bool) -> Call {
    let escrow = payment.open.to;
    let step = |request: TxRequest, may_fail: bool| Call3 {
        target: request.to,
        allowFailure: may_fail,
        callData: request.data,
    };
    let calls = vec![
        step(payment.approve(escrow, U256::ZERO), true),
        step(payment.approve(escrow, payment.amount), forgiving),
        step(payment.open.clone(), forgiving),
    ];
    let data = Bytes::from(aggregate3Call { calls }.abi_encode());
    let user = payment.user.to_string();
    let mut accounts = serde_json::Map::new();
    accounts.insert(user, json!({ "code": *SEVERAL_CALLS }));
    let call = json!({ "from": payment.user, "to": payment.user, "data": data });
    Call::new(method, json!([call, "latest", Value::Object(accounts)]))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;

    use super::*;

    #[test]
    fn the_lent_code_is_that_of_multicall3() {
        // As every chain that has it shows.
        let hash = "d5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891";
        assert_eq!(hex::encode(keccak256(&*SEVERAL_CALLS)), hash);
    }
}
