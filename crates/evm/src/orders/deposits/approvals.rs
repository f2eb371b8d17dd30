use alloy_primitives::{Address, U256};
use causeway_domain::ports::{ChainError, DepositError, SendPurpose, WalletAction, WalletTransaction};

use super::payment::{Payment, returned_true};
use super::rejection::Rejection;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::send::TxRequest;
use crate::simulate::Simulation;

/// The approvals that allow `spender` exactly the amount; empty if the allowance is enough.
pub(super) async fn approvals(
    client: &EvmClient,
    payment: &Payment,
    spender: Address,
    allowance: U256,
) -> Result<Vec<WalletAction>, DepositError> {
    if allowance >= payment.amount {
        return Ok(Vec::new());
    }
    let approve = payment.approve(spender, payment.amount);
    let purpose = SendPurpose::Approve { spender, amount: payment.amount };
    let Some(reason) = token_rejection(client, payment, &approve).await? else {
        let gas = estimate(client, payment.user, &approve).await?;
        return Ok(vec![send(payment.user, purpose, approve, gas)]);
    };
    let reset = payment.approve(spender, U256::ZERO);
    // Some tokens change only a zero allowance. If it is zero already, the token rejects for another reason.
    if allowance.is_zero() || token_rejection(client, payment, &reset).await?.is_some() {
        return Err(DepositError::WouldFail(format!("the token refuses the allowance: {reason}")));
    }
    let gas = estimate(client, payment.user, &reset).await?;
    // The second cannot be estimated before the first is mined.
    Ok(vec![
        send(payment.user, SendPurpose::ResetAllowance, reset, gas),
        send(payment.user, purpose, approve, None),
    ])
}

/// Why the token rejects the payer's call; `None` if it accepts it.
pub(super) async fn token_rejection(
    client: &EvmClient,
    payment: &Payment,
    request: &TxRequest,
) -> Result<Option<String>, ChainError> {
    Ok(match client.simulate(payment.user, request).await? {
        Simulation::Passes(answer) if returned_true(&answer) => None,
        Simulation::Passes(_) => Some("it returns false and gives no reason".to_owned()),
        Simulation::Fails { reason, data } => Some(Rejection::read(reason, data.as_ref()).reason),
    })
}

/// The gas estimate, if the chain returns one.
pub(super) async fn estimate(
    client: &EvmClient,
    from: Address,
    request: &TxRequest,
) -> Result<Option<u64>, ChainError> {
    match client.estimate_gas(from, request).await {
        Ok(gas) => Ok(Some(gas)),
        Err(CallError::Refused { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn send(
    from: Address,
    purpose: SendPurpose,
    request: TxRequest,
    gas: Option<u64>,
) -> WalletAction {
    let TxRequest { to, value, data } = request;
    WalletAction::Send { purpose, transaction: WalletTransaction { from, to, data, value, gas } }
}
