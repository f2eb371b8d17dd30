use causeway_domain::Terms;
use causeway_domain::ports::{ChainError, DepositError, WalletAction};
use solana_instruction::Instruction;

use super::desk::SolanaDesk;
use super::holdings::Holdings;
use super::payment::Payment;
use crate::program::Refusal;
use crate::{
    BuildError, RecentBlockhash, Simulation, UnsignedTransaction, compute_unit_limit, compute_unit_price,
};

/// More compute units than a deposit ever takes: opening with the unluckiest addresses, and writing the memo.
const MOST_UNITS: u32 = 120_000;
/// What is added to what the trial took, in per cent: programs may take another path by the time it lands.
const SPARE_PERCENT: u64 = 20;
/// The least that is offered for a compute unit, in millionths of a lamport: some leaders pass over those who offer nothing.
const LEAST_PRICE: u64 = 1_000;
/// The most that is offered for all compute units together, in lamports: a thousandth of a SOL.
const MOST_PRIORITY_FEE: u64 = 1_000_000;
/// What the network takes for the one signature, in lamports.
const SIGNATURE_FEE: u64 = 5_000;
const MICRO_LAMPORTS: u64 = 1_000_000;

impl SolanaDesk {
    /// The one transaction that deposits, tried against the chain.
    pub(super) async fn wallet_action(&self, terms: &Terms) -> Result<WalletAction, DepositError> {
        let payment = Payment::read(terms, self.program).map_err(DepositError::WouldFail)?;
        let holdings = self.holdings(&payment).await?;
        let price = self.price(&payment, &holdings).await;
        holdings.check_lamports(&payment, fee(price, MOST_UNITS))?;

        let recent = self.rpc.recent_blockhash().await?;
        let deposit = [self.program.open(terms, payment.user, holdings.source), payment.memo()];
        let trial = build(&payment, MOST_UNITS, price, &deposit, recent)?;
        let played = self.rpc.simulate(&trial.to_wire()).await?;
        let units = self.judge(played)?;
        let built = build(&payment, units, price, &deposit, recent)?;
        Ok(WalletAction::SignSolana { transaction: built.to_wire() })
    }

    /// What recent blocks took for each compute unit, within bounds. Nodes that do not tell keep nobody from depositing.
    async fn price(&self, payment: &Payment, holdings: &Holdings) -> u64 {
        let writable: Vec<_> = [Some(payment.user), holdings.source.map(|source| source.account)]
            .into_iter()
            .flatten()
            .collect();
        let told = self.rpc.priority_price(&writable).await.unwrap_or_else(|error: ChainError| {
            tracing::debug!(%error, "nobody tells the priority fees of Solana");
            LEAST_PRICE
        });
        told.clamp(LEAST_PRICE, MOST_PRIORITY_FEE * MICRO_LAMPORTS / u64::from(MOST_UNITS))
    }

    fn judge(&self, played: Simulation) -> Result<u32, DepositError> {
        if played.refusal == Some(Refusal::WrongEpoch) {
            self.forget_epoch();
        }
        match played.failure {
            Some(words) => Err(DepositError::WouldFail(words)),
            None => Ok(with_spare(played.compute_units)),
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

/// What the network takes for a deposit, rounded up as it does.
fn fee(price: u64, units: u32) -> u64 {
    SIGNATURE_FEE.saturating_add(price.saturating_mul(units.into()).div_ceil(MICRO_LAMPORTS))
}

fn with_spare(units: u64) -> u32 {
    let wanted = units.saturating_add(units.saturating_mul(SPARE_PERCENT).div_ceil(100));
    u32::try_from(wanted).unwrap_or(MOST_UNITS).min(MOST_UNITS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_fifth_is_added_to_what_the_trial_took() {
        assert_eq!(with_spare(20_000), 24_000);
        assert_eq!(with_spare(1), 2);
        assert_eq!(with_spare(u64::MAX), MOST_UNITS);
    }

    proptest! {
        #[test]
        fn no_price_makes_the_fee_exceed_its_bound(price in any::<u64>(), units in 0..=MOST_UNITS) {
            let price = price.clamp(LEAST_PRICE, MOST_PRIORITY_FEE * MICRO_LAMPORTS / u64::from(MOST_UNITS));
            prop_assert!(fee(price, units) <= SIGNATURE_FEE + MOST_PRIORITY_FEE);
            prop_assert!(fee(price, units) >= SIGNATURE_FEE);
        }
    }
}
