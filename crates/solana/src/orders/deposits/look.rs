use causeway_domain::Terms;
use causeway_domain::ports::{ChainError, Visible};
use solana_signature::Signature;

use super::desk::SolanaDesk;
use super::payment::Payment;
use crate::commitment::Commitment;
use crate::program::Act;

impl SolanaDesk {
    pub(super) async fn look(&self, terms: &Terms, tx: &str) -> Result<Visible, ChainError> {
        let other = |words: String| Ok(Visible::Other(words));
        let payment = match Payment::read(terms, self.program) {
            Ok(payment) => payment,
            Err(words) => return other(words),
        };
        let Ok(signature) = tx.parse::<Signature>() else {
            return other("a transaction of Solana is named by its signature, 64 bytes in base58".to_owned());
        };
        let status = self.rpc.statuses(&[signature]).await?.value.pop().flatten();
        // What only one node has seen may lie on a fork that dies.
        let Some(status) = status.filter(|status| status.commitment >= Commitment::Confirmed) else {
            return Ok(Visible::NotYet);
        };
        if let Some(why) = status.failure {
            return other(format!("that transaction failed: {why}"));
        }
        let told = self.rpc.told(self.program, &[signature], Commitment::Confirmed).await?.pop().flatten();
        let Some(told) = told else { return Ok(Visible::NotYet) };
        let mut opened = told.acts.iter().filter_map(|(_, act)| match act {
            Act::Opened { order, .. } => Some(*order),
            _ => None,
        });
        let wanted = self.program.order(payment.order);
        let first = opened.next();
        if first == Some(wanted) || opened.any(|order| order == wanted) {
            return Ok(Visible::ThisDeposit);
        }
        other(match first {
            Some(order) => format!("that transaction is the deposit of another order, kept at {order}"),
            None => format!("that transaction deposits nothing into the escrow {}", self.program.id),
        })
    }
}
