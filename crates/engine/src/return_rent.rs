use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    ActionError, ChainAction, ChainStore, MAX_ATTEMPTS, Progress, Rent, RentReader, RentState, StoreError,
    TxSender, attempt_purposes,
};
use causeway_domain::{Address, Evidence, Order, RentedAccount};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::chain_cursors::ChainCursors;
use crate::ticker::{LogOnce, Ticker};

/// How many accounts are claimed at once.
const BATCH: u32 = 16;

/// How long a claimed account is reserved for one replica; enough for the transaction to become final. This and the other
/// times are in seconds of the chain's own time.
const LEASE: u64 = 60;

/// How long after the program allows it an account is closed, because the block that includes the transaction has another
/// time than the one we read.
const MARGIN: u64 = 60;

/// The longest time between two attempts for an account that cannot be closed.
const MAX_RETRY_DELAY: u64 = 24 * 3_600;

/// What [`return_rent`] works with, on one chain.
#[derive(Clone)]
pub struct RentParts {
    pub rents: Arc<dyn ChainStore>,
    pub reader: Arc<dyn RentReader>,
    /// Closes order accounts, independent of who paid for them.
    pub relayer: Arc<dyn TxSender>,
    /// The fillers' keys: each closes the fill records that it paid for.
    pub fillers: Vec<Arc<dyn TxSender>>,
    pub cursors: Arc<ChainCursors>,
}

impl fmt::Debug for RentParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RentParts").finish_non_exhaustive()
    }
}

/// Closes accounts that are no longer needed, so that their rent returns to its payer, until `stop`. No order waits for it.
pub async fn return_rent(parts: RentParts, every: Duration, stop: CancellationToken) {
    let (mut ticker, mut log_once) = (Ticker::new(every, stop.clone()), LogOnce::default());
    while ticker.next().await {
        let Some(result) = stop.run_until_cancelled(parts.close_due(Timestamp::now())).await else { return };
        log_once.record(result, "returning rent failed, retrying");
    }
}

impl RentParts {
    /// Closes the accounts that are due. A claimed account becomes due again when its lease expires.
    async fn close_due(&self, now: Timestamp) -> Result<(), ActionError> {
        let chain = self.reader.chain();
        let Some(cursor) = self.cursors.get(chain) else { return Ok(()) };
        let time = cursor.time;
        let claimed = self.rents.claim_rents(chain, time, time.saturating_add(LEASE), BATCH).await?;
        let mut due = Vec::new();
        for rent in claimed {
            let closable = closable_at(&rent);
            if closable > time {
                self.postpone(&rent, closable).await?;
            } else if self.is_halted_for(&rent) {
                self.postpone(&rent, retry_at(&rent, time)).await?;
            } else {
                due.push(rent);
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let asked: Vec<_> = due.iter().map(|rent| (rent.order.terms, rent.account)).collect();
        let states = self.reader.rents(&asked, cursor.number).await?;
        for (rent, state) in due.iter().zip(states) {
            self.handle(rent, state, time, now).await?;
        }
        Ok(())
    }

    /// Whether a chain of the order is halted.
    fn is_halted_for(&self, rent: &Rent) -> bool {
        [rent.order.from.chain(), rent.order.to.chain()].iter().any(|chain| self.cursors.is_halted(*chain))
    }

    async fn handle(
        &self,
        rent: &Rent,
        state: RentState,
        time: u64,
        now: Timestamp,
    ) -> Result<(), ActionError> {
        let payer = match state {
            // It can no longer be created.
            RentState::Closed => return Ok(self.forget(rent).await?),
            // Until our store knows how the order ended, its accounts are the evidence; the fill record alone proves a fill
            // that is not claimed yet.
            RentState::Closable { payer } if self.is_over(&rent.order) => payer,
            RentState::Closable { .. } | RentState::InUse => {
                return Ok(self.postpone(rent, retry_at(rent, time)).await?);
            }
        };
        let Some(sender) = self.sender(rent, payer) else {
            // A third-party filler closes its own.
            return Ok(self.forget(rent).await?);
        };
        match close(sender.as_ref(), rent, payer, now).await {
            // The row is removed once the account is gone.
            Ok(_) => Ok(()),
            Err(
                error @ (ActionError::WouldFail(_) | ActionError::Temporary(_) | ActionError::Permanent(_)),
            ) => {
                let (order, account) = (&rent.order.id, rent.account.as_str());
                tracing::info!(%order, account, %error, "closing an account failed");
                Ok(self.postpone(rent, retry_at(rent, time)).await?)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a block that is final for any amount shows how the order ended.
    fn is_over(&self, order: &Order) -> bool {
        let Evidence { claim, refund, .. } = &order.evidence;
        let mut ends = claim.iter().chain(refund.iter().map(|(shown, _)| shown));
        ends.any(|shown| self.cursors.get(shown.chain).is_some_and(|cursor| cursor.number >= shown.block))
    }

    fn sender(&self, rent: &Rent, payer: Address) -> Option<&Arc<dyn TxSender>> {
        match rent.account {
            RentedAccount::Order => Some(&self.relayer),
            RentedAccount::Fill => self.fillers.iter().find(|sender| sender.account() == payer),
        }
    }

    async fn postpone(&self, rent: &Rent, until: u64) -> Result<(), StoreError> {
        self.rents.postpone_rent(&rent.order.id, rent.account, until).await
    }

    async fn forget(&self, rent: &Rent) -> Result<(), StoreError> {
        self.rents.remove_rent(&rent.order.id, rent.account).await
    }
}

/// Sends the closing, or finds it in flight. One that reverted in a final block is sent again, a few times.
async fn close(
    sender: &dyn TxSender,
    rent: &Rent,
    payer: Address,
    now: Timestamp,
) -> Result<Progress, ActionError> {
    let terms = rent.order.terms;
    let action = match rent.account {
        RentedAccount::Order => ChainAction::CloseOrder { terms, payer },
        RentedAccount::Fill => ChainAction::CloseFill { terms, payer },
    };
    let first = format!("close-{}:{:#x}", rent.account.as_str(), rent.order.intent_id);
    for purpose in attempt_purposes(&first) {
        let progress = sender.send(&purpose, &action, now).await?;
        if !matches!(progress, Progress::Reverted(_)) {
            return Ok(progress);
        }
    }
    Err(ActionError::Permanent(format!("{first} reverted {MAX_ATTEMPTS} times")))
}

/// When the account may be closed, in its chain's time.
const fn closable_at(rent: &Rent) -> u64 {
    rent.account.kept_until(&rent.order.terms).saturating_add(MARGIN)
}

/// When to retry an account that cannot be closed: with growing delays, so that many such accounts cost little.
fn retry_at(rent: &Rent, time: u64) -> u64 {
    let waited = time.saturating_sub(closable_at(rent)) / 4;
    time.saturating_add(waited.clamp(LEASE, MAX_RETRY_DELAY))
}
