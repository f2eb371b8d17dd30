use causeway_domain::ports::{BroadcastError, ChainError, CheckError, DepositDesk, Visible};
use causeway_domain::{Family, Order};
use jiff::Timestamp;

use super::change::hand_over;
use super::hash::canonical;
use super::{SubmitDeposit, SubmitError, Submitted, check_time, not_taken};

impl SubmitDeposit {
    /// Keeps a signed deposit, then sends it. Its hash is known before it is sent, so a chain that is away changes nothing in
    /// the answer: what is kept is sent again.
    pub(super) async fn take_signed(
        &self,
        order: Order,
        raw: &[u8],
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let desk = self.desk(&order)?;
        let tx = check(desk, &order, raw).await?;
        let tx = canonical(order.from.chain(), &tx)?;
        if let Some(shown) = &order.evidence.deposit {
            let is_same = shown.tx == tx;
            let conflict = SubmitError::Conflict { order: order.id.clone() };
            return is_same.then_some(Submitted { order: order.id, tx }).ok_or(conflict);
        }
        if let Err(late) = check_time(&order, now) {
            // It may have been sent in time by somebody else.
            return match desk.look_at(&order.terms, &tx).await? {
                Visible::ThisDeposit => self.take_hash(order, &tx, now).await,
                _ => Err(late),
            };
        }
        let before = order.clone();
        let taken = self.is_taken(&order, &tx).await?;
        let order = self
            .change_naming(order, now, taken, |order, may_name| {
                let told = may_name.then(|| tx.clone()).or_else(|| order.told_tx.clone());
                if order.handed.as_deref() == Some(raw) && order.told_tx == told {
                    return Ok(None);
                }
                hand_over(order, raw.to_vec(), now);
                order.told_tx = told;
                Ok(Some(format!("The signed deposit {tx} was taken.")))
            })
            .await?;
        let words = match desk.broadcast(raw).await {
            Ok(()) => return Ok(Submitted { order: order.id, tx }),
            Err(BroadcastError::Refused(words) | BroadcastError::Chain(ChainError::Refused(_, words))) => {
                words
            }
            Err(expired @ BroadcastError::Expired { .. }) => expired.to_string(),
            Err(error) => {
                tracing::warn!(order = order.id.as_str(), %error, "a signed deposit is sent later");
                return Ok(Submitted { order: order.id, tx });
            }
        };
        // A transaction that is in a block already is refused too.
        if matches!(desk.look_at(&order.terms, &tx).await, Ok(Visible::ThisDeposit)) {
            return Ok(Submitted { order: order.id, tx });
        }
        self.give_signed_back(order, &before, raw, &tx, now).await?;
        Err(SubmitError::Refused(words))
    }

    /// Leaves what was known before the refused transaction came.
    async fn give_signed_back(
        &self,
        order: Order,
        before: &Order,
        raw: &[u8],
        tx: &str,
        now: Timestamp,
    ) -> Result<Order, SubmitError> {
        self.change(order, now, |order| {
            if order.handed.as_deref() != Some(raw) || order.evidence.deposit.is_some() {
                return Ok(None);
            }
            order.handed = before.handed.clone().filter(|handed| handed != raw);
            if order.told_tx.as_deref() == Some(tx) {
                order.told_tx = before.told_tx.clone().filter(|told| told != tx);
            }
            // It may have been shown for this transaction alone, by somebody who died before it was refused.
            order.announced = before.announced && (order.handed.is_some() || order.told_tx.is_some());
            order.due_at = before.due_at;
            Ok(Some(format!("The chain refused the signed deposit {tx}.")))
        })
        .await
    }
}

/// The name of a signed deposit. Where the payer was given a transaction to sign, any of those that it was given may come back;
/// what is none of them is compared with the newest.
async fn check(desk: &dyn DepositDesk, order: &Order, raw: &[u8]) -> Result<String, SubmitError> {
    let given = order.given_to_sign();
    let newest = desk.check_signed(&order.terms, given.first().copied(), raw).await;
    for earlier in given.iter().skip(1).filter(|_| newest.is_err()) {
        if let Ok(tx) = desk.check_signed(&order.terms, Some(earlier), raw).await {
            return Ok(tx);
        }
    }
    newest.map_err(|error| match error {
        CheckError::NotThis(why) if order.from.chain().family() == Family::Solana => {
            SubmitError::Altered(why.0)
        }
        error => not_taken(error),
    })
}
