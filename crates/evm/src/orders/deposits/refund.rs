use alloy_primitives::{Address, Bytes, U256, address};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositError};
use serde_json::{Value, json};

use super::builder::EvmDepositBuilder;
use super::payment::Payment;
use crate::attest::evm_address;
use crate::error::CallError;
use crate::gas_ceiling::REFUND;
use crate::rpc::Call;

/// Gas of a plain transfer; the rest of a refund's ceiling besides the escrow's own work is the receiver's.
const TRANSFER: u64 = 21_000;
/// What a refund of native coin costs without the receiver's own code.
const ESCROW_WORK: u64 = REFUND / 2;
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
        if self.client.code(refund_to).await.map_err(ChainError::from)?.is_empty() {
            return Ok(());
        }
        let taken = self.client.call::<Bytes>(self.refund_call(refund_to, payment.amount)).await;
        match taken {
            Ok(_) => Ok(()),
            Err(CallError::Refused { .. }) => {
                // A node without state overrides refuses any such call, and then nothing is known.
                let control = self.client.call::<Bytes>(self.refund_call(NO_CODE, payment.amount)).await;
                if control.is_err() {
                    return Ok(());
                }
                let factor = self.client.config().fees.gas_factor;
                let gas = ESCROW_WORK.saturating_mul(factor.into());
                Err(DepositError::WouldFail(format!(
                    "the refund address {refund_to} is a contract that does not take a refund within {gas} gas"
                )))
            }
            Err(error) => Err(ChainError::from(error).into()),
        }
    }

    /// A payment by the escrow, which is given the coins for it.
    fn refund_call(&self, to: Address, amount: U256) -> Call {
        let factor = self.client.config().fees.gas_factor;
        let gas = ESCROW_WORK.saturating_add(TRANSFER).saturating_mul(factor.into());
        let escrow = self.contracts.escrow;
        let call = json!({ "from": escrow, "to": to, "value": amount, "gas": format!("{gas:#x}") });
        let mut accounts = serde_json::Map::new();
        accounts.insert(escrow.to_string(), json!({ "balance": U256::MAX >> 1 }));
        Call::new("eth_call", json!([call, "latest", Value::Object(accounts)]))
    }
}
