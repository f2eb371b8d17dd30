use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainError, DepositTxStatus};
use solana_signature::Signature;

use super::builder::SolanaDepositBuilder;
use super::payment::Payment;
use crate::commitment::Commitment;
use crate::program::EscrowEvent;

/// Why a text names no transaction.
pub(in crate::orders) const NOT_A_SIGNATURE: &str =
    "a transaction of Solana is named by its signature, 64 bytes in base58";

impl SolanaDepositBuilder {
    pub(super) async fn observe_deposit(
        &self,
        terms: &IntentTerms,
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError> {
        let other = |reason: String| Ok(DepositTxStatus::Mismatch(reason));
        let payment = match Payment::read(terms, self.program) {
            Ok(payment) => payment,
            Err(reason) => return other(reason),
        };
        let Ok(signature) = tx.parse::<Signature>() else {
            return other(NOT_A_SIGNATURE.to_owned());
        };
        let status = self.rpc.statuses(&[signature]).await?.value.pop().flatten();
        // A processed transaction may be on an abandoned fork.
        let Some(status) = status.filter(|status| status.commitment >= Commitment::Confirmed) else {
            return Ok(DepositTxStatus::NotFound);
        };
        if let Some(why) = status.failure {
            return other(format!("that transaction failed: {why}"));
        }
        let transaction = self
            .rpc
            .escrow_transactions(self.program, &[signature], Commitment::Confirmed)
            .await?
            .pop()
            .flatten();
        let Some(transaction) = transaction else { return Ok(DepositTxStatus::NotFound) };
        let mut opened = transaction.events.iter().filter_map(|(_, event)| match event {
            EscrowEvent::Opened { order, .. } => Some(*order),
            _ => None,
        });
        let wanted = self.program.order(payment.order);
        let first = opened.next();
        if first == Some(wanted) || opened.any(|order| order == wanted) {
            return Ok(DepositTxStatus::Matches);
        }
        other(match first {
            Some(order) => format!("that transaction is the deposit of another order, kept at {order}"),
            None => format!("that transaction deposits nothing into the escrow {}", self.program.id),
        })
    }
}
