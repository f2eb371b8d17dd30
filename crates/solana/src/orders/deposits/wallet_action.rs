use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositError, WalletAction};
use solana_address::Address;
use solana_instruction::Instruction;

use super::builder::SolanaDepositBuilder;
use super::holdings::Holdings;
use super::payment::Payment;
use crate::program::EscrowError;
use crate::{
    BuildError, RecentBlockhash, Simulation, SolanaRpc, UnsignedTransaction, compute_unit_limit,
    compute_unit_price,
};

/// The upper bound of a deposit: opening with the costliest address derivation, and writing the memo.
const MAX_COMPUTE_UNITS: u32 = 120_000;
/// The margin over the simulated units: state may change before the transaction lands.
const COMPUTE_UNITS_MARGIN_PERCENT: u64 = 20;
/// The lowest price per compute unit, in micro-lamports: some leaders skip transactions without a priority fee.
const MIN_COMPUTE_UNIT_PRICE: u64 = 1_000;
/// The highest priority fee of a deposit: 0.001 SOL, in lamports.
const MAX_PRIORITY_FEE: u64 = 1_000_000;
/// The network fee of one signature, in lamports.
const SIGNATURE_FEE: u64 = 5_000;
const MICRO_LAMPORTS_PER_LAMPORT: u64 = 1_000_000;

impl SolanaDepositBuilder {
    /// The deposit transaction, simulated against the chain.
    pub(super) async fn wallet_action(&self, terms: &IntentTerms) -> Result<WalletAction, DepositError> {
        let payment = Payment::read(terms, self.program).map_err(DepositError::WouldFail)?;
        let holdings = self.holdings(&payment).await?;
        let price = self.price(&payment, &holdings).await;
        holdings.check_lamports(&payment, network_fee(price, MAX_COMPUTE_UNITS))?;

        let recent = self.rpc.recent_blockhash().await?;
        let deposit = [self.program.open(terms, payment.user, holdings.source), payment.memo()];
        let trial = build(&payment, MAX_COMPUTE_UNITS, price, &deposit, recent)?;
        let simulation = self.rpc.simulate(&trial.to_wire()).await?;
        let units = self.check_simulation(simulation)?;
        let built = build(&payment, units, price, &deposit, recent)?;
        Ok(WalletAction::SignSolana { transaction: built.to_wire() })
    }

    async fn price(&self, payment: &Payment, holdings: &Holdings) -> u64 {
        let writable: Vec<_> = [Some(payment.user), holdings.source.map(|source| source.account)]
            .into_iter()
            .flatten()
            .collect();
        priority_price(&self.rpc, &writable, MAX_COMPUTE_UNITS).await
    }

    fn check_simulation(&self, simulation: Simulation) -> Result<u32, DepositError> {
        if simulation.escrow_error == Some(EscrowError::WrongEpoch) {
            self.clear_epoch();
        }
        match simulation.failure {
            Some(reason) => Err(DepositError::WouldFail(reason)),
            None => Ok(with_margin(simulation.compute_units, MAX_COMPUTE_UNITS)),
        }
    }
}

fn build(
    payment: &Payment,
    units: u32,
    price: u64,
    deposit: &[Instruction],
    recent: RecentBlockhash,
) -> Result<UnsignedTransaction, DepositError> {
    let budget = [compute_unit_limit(units), compute_unit_price(price)];
    let instructions: Vec<Instruction> = budget.into_iter().chain(deposit.iter().cloned()).collect();
    UnsignedTransaction::build(&payment.user, &instructions, &[], recent)
        .map_err(|error: BuildError| DepositError::WouldFail(error.to_string()))
}

/// The price per compute unit in recent blocks, within bounds for a transaction of at most that many units. The minimum applies if
/// nodes do not return it.
pub(in crate::orders) async fn priority_price(rpc: &SolanaRpc, writable: &[Address], most: u32) -> u64 {
    let price = rpc.priority_price(writable).await.unwrap_or_else(|error: ChainError| {
        tracing::debug!(%error, "Solana priority fees unavailable");
        MIN_COMPUTE_UNIT_PRICE
    });
    let highest = (MAX_PRIORITY_FEE * MICRO_LAMPORTS_PER_LAMPORT).checked_div(most.into());
    price.clamp(MIN_COMPUTE_UNIT_PRICE, highest.unwrap_or_default().max(MIN_COMPUTE_UNIT_PRICE))
}

/// The network fee of a payer's transaction, rounded up as the network does.
pub(in crate::orders) fn network_fee(price: u64, units: u32) -> u64 {
    SIGNATURE_FEE.saturating_add(price.saturating_mul(units.into()).div_ceil(MICRO_LAMPORTS_PER_LAMPORT))
}

/// The simulated units with a margin, and no more than `most`.
pub(in crate::orders) fn with_margin(units: u64, most: u32) -> u32 {
    let wanted = units.saturating_add(units.saturating_mul(COMPUTE_UNITS_MARGIN_PERCENT).div_ceil(100));
    u32::try_from(wanted).unwrap_or(most).min(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn twenty_percent_margin_is_added_to_the_simulated_units() {
        assert_eq!(with_margin(20_000, MAX_COMPUTE_UNITS), 24_000);
        assert_eq!(with_margin(1, MAX_COMPUTE_UNITS), 2);
        assert_eq!(with_margin(u64::MAX, MAX_COMPUTE_UNITS), MAX_COMPUTE_UNITS);
    }

    proptest! {
        #[test]
        fn no_price_makes_the_fee_exceed_its_bound(price in any::<u64>(), units in 0..=MAX_COMPUTE_UNITS) {
            let price = price.clamp(MIN_COMPUTE_UNIT_PRICE, MAX_PRIORITY_FEE * MICRO_LAMPORTS_PER_LAMPORT / u64::from(MAX_COMPUTE_UNITS));
            prop_assert!(network_fee(price, units) <= SIGNATURE_FEE + MAX_PRIORITY_FEE);
            prop_assert!(network_fee(price, units) >= SIGNATURE_FEE);
        }
    }
}
