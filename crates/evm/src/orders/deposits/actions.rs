use alloy_primitives::{Address, U256};
use causeway_domain::ports::{ChainError, DepositBuilder as _, DepositError, SendPurpose, WalletAction};
use causeway_domain::{IntentTerms, RawAmount};

use super::approvals::{approvals, send};
use super::builder::EvmDepositBuilder;
use super::holdings::holdings;
use super::payment::Payment;
use crate::client::EvmClient;

/// How the code of an account begins that runs a contract's code by EIP-7702.
const DELEGATION: [u8; 3] = [0xef, 0x01, 0x00];
/// The assumed gas of an approval that cannot be estimated; real ones use 25,000 to 60,000.
const MAX_APPROVE_GAS: u64 = 100_000;
/// The assumed gas of a deposit that cannot be estimated; the escrow uses 95,000 plus the token's own gas.
const MAX_OPEN_GAS: u64 = 400_000;

impl EvmDepositBuilder {
    pub(super) async fn wallet_actions(
        &self,
        terms: &IntentTerms,
    ) -> Result<Vec<WalletAction>, DepositError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositError::WouldFail)?;
        let escrow = self.contracts.escrow;
        let holdings = holdings(&self.client, &payment, escrow).await?;
        let mut sends = approvals(&self.client, &payment, escrow, holdings.allowance).await?;
        let gas = if sends.is_empty() {
            self.simulate_deposit(&payment).await?
        } else {
            self.simulate_with_approval(terms, &payment).await?
        };
        sends.push(send(payment.user, SendPurpose::Deposit, payment.open, gas));
        check_gas(&self.client, payment.user, &sends, holdings.coins).await?;
        Ok(self.with_chain_switch(sends))
    }

    /// Wallets send on their current chain, so the first action switches to this one.
    pub(super) fn with_chain_switch(&self, mut sends: Vec<WalletAction>) -> Vec<WalletAction> {
        sends.insert(0, WalletAction::SwitchChain(self.chain()));
        sends
    }
}

/// Checks that the payer's native balance covers the values and the gas at the current price. The gas of a wallet contract is paid
/// by whoever sends its transaction.
pub(super) async fn check_gas(
    client: &EvmClient,
    payer: Address,
    sends: &[WalletAction],
    coins: U256,
) -> Result<(), DepositError> {
    let price = client.fees().await.map_err(ChainError::from)?.expected();
    let needs = cost(sends, U256::from(price));
    if coins < needs {
        let values = cost(sends, U256::ZERO);
        if coins >= values && is_contract(&client.code(payer).await.map_err(ChainError::from)?) {
            return Ok(());
        }
        return Err(DepositError::Gas { has: RawAmount::new(coins), needs: RawAmount::new(needs) });
    }
    Ok(())
}

/// Whether the code is a contract's: an account with a key that runs code by EIP-7702 sends its own transactions.
pub(super) fn is_contract(code: &[u8]) -> bool {
    !code.is_empty() && !code.starts_with(&DELEGATION)
}

/// The total of values and gas; saturates at the maximum.
fn cost(sends: &[WalletAction], price: U256) -> U256 {
    let each = sends.iter().map(|action| match action {
        WalletAction::SwitchChain(_) | WalletAction::SignSolana { .. } => U256::ZERO,
        WalletAction::Send { purpose, transaction } => {
            let at_most = if *purpose == SendPurpose::Deposit { MAX_OPEN_GAS } else { MAX_APPROVE_GAS };
            let gas = U256::from(transaction.gas.unwrap_or(at_most));
            gas.saturating_mul(price).saturating_add(transaction.value)
        }
    });
    each.fold(U256::ZERO, U256::saturating_add)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Bytes;
    use causeway_domain::ports::WalletTransaction;
    use proptest::prelude::*;

    use super::*;

    fn sent(purpose: SendPurpose, value: U256, gas: Option<u64>) -> WalletAction {
        let (from, to) = (Address::repeat_byte(1), Address::repeat_byte(2));
        WalletAction::Send {
            purpose,
            transaction: WalletTransaction { from, to, data: Bytes::new(), value, gas },
        }
    }

    #[test]
    fn missing_estimates_count_as_the_maximum() {
        let sends = [
            sent(SendPurpose::ResetAllowance, U256::ZERO, Some(30_000)),
            sent(SendPurpose::Approve { spender: Address::ZERO, amount: U256::ONE }, U256::ZERO, None),
            sent(SendPurpose::Deposit, U256::from(7), None),
        ];
        assert_eq!(cost(&sends, U256::from(2)), U256::from(2 * 530_000 + 7));
    }

    proptest! {
        #[test]
        fn a_cost_is_at_least_each_of_its_parts(gas in any::<u64>(), price in any::<[u64; 4]>(), value in any::<[u64; 4]>()) {
            let (price, value) = (U256::from_limbs(price), U256::from_limbs(value));
            let sends = [sent(SendPurpose::Deposit, value, Some(gas)), sent(SendPurpose::ResetAllowance, U256::ZERO, None)];
            let total = cost(&sends, price);
            prop_assert!(total >= value && total >= price.saturating_mul(U256::from(gas)));
        }
    }
}
