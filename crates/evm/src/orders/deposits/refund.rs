use alloy_primitives::{Address, Bytes, U256, address};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositError, PaymentCheck};
use serde_json::{Value, json};

use super::builder::EvmDepositBuilder;
use super::payment::Payment;
use crate::attest::evm_address;
use crate::error::CallError;
use crate::gas_ceiling::REFUND;
use crate::revert::revert_reason;
use crate::rpc::Call;

/// Gas of a plain transfer; the rest of a refund's ceiling besides the escrow's own work is the receiver's.
const TRANSFER: u64 = 21_000;
/// What a refund of native coin costs without the receiver's own code.
const ESCROW_WORK: u64 = REFUND / 2;
/// What the settler gives a recipient of native coin, as `NATIVE_GAS` in the contracts.
const FORWARDED: u64 = 100_000;
/// An address without code, for which a transfer always works.
const NO_CODE: Address = address!("00000000000000000000000000000000c0ffee01");

impl EvmDepositBuilder {
    /// A refund of native coin calls the refund address if it is a contract. One that refuses, or takes more gas than our
    /// ceiling leaves it, is refused here: the deposit could not come back (rule 25).
    pub(super) async fn simulate_refund(&self, terms: &IntentTerms) -> Result<(), DepositError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositError::WouldFail)?;
        let Some(refund_to) = evm_address(terms.refund_to).filter(|_| payment.is_native()) else {
            return Ok(());
        };
        let escrow = self.contracts.escrow;
        match self.simulate_coins(escrow, refund_to, payment.amount, ESCROW_WORK).await? {
            Some(PaymentCheck::Refuses(_)) => {
                let gas = ESCROW_WORK.saturating_mul(self.gas_factor());
                Err(DepositError::WouldFail(format!(
                    "the refund address {refund_to} is a contract that does not take a refund within {gas} gas"
                )))
            }
            _ => Ok(()),
        }
    }

    /// A fill in native coin calls the recipient if it is a contract, with the gas that the settler forwards (rule 25).
    pub(super) async fn simulate_payment_to(
        &self,
        recipient: Address,
        amount: U256,
    ) -> Result<Option<PaymentCheck>, ChainError> {
        self.simulate_coins(self.contracts.settler, recipient, amount, FORWARDED).await
    }

    /// Simulates a payment by one of our contracts; `None` where the node cannot.
    async fn simulate_coins(
        &self,
        from: Address,
        to: Address,
        amount: U256,
        gas: u64,
    ) -> Result<Option<PaymentCheck>, ChainError> {
        if self.client.code(to).await?.is_empty() {
            return Ok(Some(PaymentCheck::NoCode));
        }
        match self.client.call::<Bytes>(self.coin_call(from, to, amount, gas)).await {
            Ok(_) => Ok(Some(PaymentCheck::Takes)),
            Err(CallError::Refused { data, .. }) => {
                // A node without state overrides refuses any such call, and then nothing is known.
                let control = self.client.call::<Bytes>(self.coin_call(from, NO_CODE, amount, gas)).await;
                Ok(control.is_ok().then(|| PaymentCheck::Refuses(refusal(data.as_ref(), gas))))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A payment by a contract that is given the coins for it.
    fn coin_call(&self, from: Address, to: Address, amount: U256, gas: u64) -> Call {
        let gas = gas.saturating_add(TRANSFER).saturating_mul(self.gas_factor());
        let call = json!({ "from": from, "to": to, "value": amount, "gas": format!("{gas:#x}") });
        let mut accounts = serde_json::Map::new();
        accounts.insert(from.to_string(), json!({ "balance": U256::MAX >> 1 }));
        Call::new("eth_call", json!([call, "latest", Value::Object(accounts)]))
    }

    fn gas_factor(&self) -> u64 {
        self.client.config().fees.gas_factor.into()
    }
}

/// The contract's own words, if it has any.
fn refusal(data: Option<&Bytes>, gas: u64) -> String {
    match data.and_then(|data| revert_reason(data)) {
        Some(reason) => format!("its contract refuses the coin ({reason})"),
        None => format!("its contract refuses the coin, or takes more than {gas} gas for it"),
    }
}

#[cfg(test)]
mod tests {
    use alloy_sol_types::{Revert, SolError as _};

    use super::*;

    #[test]
    fn rule_25_a_refusal_has_the_contracts_own_words() {
        let data = Bytes::from(Revert::from("not me").abi_encode());
        assert_eq!(refusal(Some(&data), 1), "its contract refuses the coin (reverted: not me)");
        let silent = "its contract refuses the coin, or takes more than 100000 gas for it";
        assert_eq!(refusal(None, FORWARDED), silent);
        assert_eq!(refusal(Some(&Bytes::new()), FORWARDED), silent);
    }
}
