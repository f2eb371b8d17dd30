use alloy_primitives::{Address, U256};
use causeway_domain::ports::{ChainError, DepositError, SendPurpose, WalletAction, WalletTransaction};

use super::desk::EvmDesk;
use super::payment::{Payment, said_yes};
use super::words::Refusal;
use crate::error::CallError;
use crate::send::TxRequest;
use crate::simulate::Simulation;

impl EvmDesk {
    /// What must be sent so that `spender` may take exactly the amount; nothing where it may already.
    pub(super) async fn approvals(
        &self,
        payment: &Payment,
        spender: Address,
        allowance: U256,
    ) -> Result<Vec<WalletAction>, DepositError> {
        if allowance >= payment.amount {
            return Ok(Vec::new());
        }
        let approve = payment.approve(spender, payment.amount);
        let purpose = SendPurpose::Approve { spender, amount: payment.amount };
        let Some(words) = self.refused_by_token(payment, &approve).await? else {
            let gas = self.estimate(payment.user, &approve).await?;
            return Ok(vec![send(payment.user, purpose, approve, gas)]);
        };
        let reset = payment.approve(spender, U256::ZERO);
        // Some tokens change no allowance that is not zero. If the same is refused from zero, it is for another reason.
        if allowance.is_zero() || self.refused_by_token(payment, &reset).await?.is_some() {
            return Err(DepositError::WouldFail(format!("the token refuses the allowance: {words}")));
        }
        let gas = self.estimate(payment.user, &reset).await?;
        // The second cannot be tried before the first is mined.
        Ok(vec![
            send(payment.user, SendPurpose::ResetAllowance, reset, gas),
            send(payment.user, purpose, approve, None),
        ])
    }

    /// Why the token would not do it for the payer; `None` if it would.
    pub(super) async fn refused_by_token(
        &self,
        payment: &Payment,
        request: &TxRequest,
    ) -> Result<Option<String>, ChainError> {
        Ok(match self.client.simulate(payment.user, request).await? {
            Simulation::Passes(answer) if said_yes(&answer) => None,
            Simulation::Passes(_) => Some("it answers no and gives no reason".to_owned()),
            Simulation::Fails { words, data } => Some(Refusal::read(words, data.as_ref()).words),
        })
    }

    /// The gas where the chain tells it.
    pub(super) async fn estimate(
        &self,
        from: Address,
        request: &TxRequest,
    ) -> Result<Option<u64>, ChainError> {
        match self.client.estimate_gas(from, request).await {
            Ok(gas) => Ok(Some(gas)),
            Err(CallError::Refused { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
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
