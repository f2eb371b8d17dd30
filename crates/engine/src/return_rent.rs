use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    Carrier, Deed, DeedError, Progress, Rent, RentReader, RentState, RentStore, StoreError,
};
use causeway_domain::{Address, Evidence, Order, RentedAccount};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::marks::Marks;
use crate::turns::{ToldOnce, Turns};

/// How many accounts are looked at in one turn.
const BATCH: u32 = 16;

/// All that follows is in seconds of the chain's own time. For so long nobody else looks at an account that was taken, which is
/// enough for what was sent to be final.
const LEASE: u64 = 60;

/// An account is closed so long after the program allows it, because the block that takes the transaction has another time than
/// the one that we read.
const MARGIN: u64 = 60;

/// The longest time between two looks at an account that cannot be closed.
const LATEST: u64 = 24 * 3_600;

/// How often a closing that came to nothing on the chain is tried anew.
const TRIES: u32 = 5;

/// What rent is returned with, on one chain.
#[derive(Clone)]
pub struct RentParts {
    pub rents: Arc<dyn RentStore>,
    pub reader: Arc<dyn RentReader>,
    /// Closes the accounts of orders, whoever paid for them.
    pub relayer: Arc<dyn Carrier>,
    /// The fillers' keys there: each closes the records of deliveries that it paid for.
    pub fillers: Vec<Arc<dyn Carrier>>,
    pub marks: Arc<Marks>,
}

impl fmt::Debug for RentParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RentParts").finish_non_exhaustive()
    }
}

/// Closes accounts that nobody needs any more, so that their rent goes back to whoever paid it, until `stop`. No order waits for
/// it.
pub async fn return_rent(parts: RentParts, every: Duration, stop: CancellationToken) {
    let (mut turns, mut told) = (Turns::new(every, stop.clone()), ToldOnce::default());
    while turns.next().await {
        let Some(result) = stop.run_until_cancelled(parts.turn(Timestamp::now())).await else { return };
        told.note(result, "rent cannot be returned, trying again");
    }
}

impl RentParts {
    /// Looks at the accounts that are due. One that was taken is due again by itself, whatever happens here.
    async fn turn(&self, now: Timestamp) -> Result<(), DeedError> {
        let chain = self.reader.chain();
        let Some(mark) = self.marks.get(chain) else { return Ok(()) };
        let time = mark.time;
        let taken = self.rents.claim_rents(chain, time, time.saturating_add(LEASE), BATCH).await?;
        let mut due = Vec::new();
        for rent in taken {
            let closable = closable_at(&rent);
            if closable > time {
                self.put_off(&rent, closable).await?;
            } else if self.is_frozen(&rent) {
                self.put_off(&rent, again_at(&rent, time)).await?;
            } else {
                due.push(rent);
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let asked: Vec<_> = due.iter().map(|rent| (rent.order.terms, rent.account)).collect();
        let states = self.reader.rents(&asked, mark.number).await?;
        for (rent, state) in due.iter().zip(states) {
            self.see_to(rent, state, time, now).await?;
        }
        Ok(())
    }

    /// Whether a chain of the order is not believed any more.
    fn is_frozen(&self, rent: &Rent) -> bool {
        [rent.order.from.chain(), rent.order.to.chain()].iter().any(|chain| self.marks.is_halted(*chain))
    }

    async fn see_to(
        &self,
        rent: &Rent,
        state: RentState,
        time: u64,
        now: Timestamp,
    ) -> Result<(), DeedError> {
        let payer = match state {
            // By now it cannot be made any more.
            RentState::Gone => return Ok(self.forget(rent).await?),
            // Until our own books say how the order ended, its accounts are what tells; a delivery that is not paid for yet is
            // proven by its record alone.
            RentState::Over { payer } if self.is_over(&rent.order) => payer,
            RentState::Over { .. } | RentState::InUse => {
                return Ok(self.put_off(rent, again_at(rent, time)).await?);
            }
        };
        let Some(carrier) = self.carrier(rent, payer) else {
            // A filler elsewhere closes its own.
            return Ok(self.forget(rent).await?);
        };
        match close(carrier.as_ref(), rent, payer, now).await {
            // When the account is gone it is forgotten.
            Ok(_) => Ok(()),
            Err(error @ (DeedError::WouldFail(_) | DeedError::Later(_) | DeedError::Never(_))) => {
                let (order, account) = (&rent.order.id, rent.account.as_str());
                tracing::info!(%order, account, %error, "an account cannot be closed now, and its rent waits");
                Ok(self.put_off(rent, again_at(rent, time)).await?)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a block that stands for any amount shows how the order ended.
    fn is_over(&self, order: &Order) -> bool {
        let Evidence { claim, refund, .. } = &order.evidence;
        let mut ends = claim.iter().chain(refund.iter().map(|(shown, _)| shown));
        ends.any(|shown| self.marks.get(shown.chain).is_some_and(|mark| mark.number >= shown.block))
    }

    fn carrier(&self, rent: &Rent, payer: Address) -> Option<&Arc<dyn Carrier>> {
        match rent.account {
            RentedAccount::Order => Some(&self.relayer),
            RentedAccount::Fill => self.fillers.iter().find(|carrier| carrier.account() == payer),
        }
    }

    async fn put_off(&self, rent: &Rent, until: u64) -> Result<(), StoreError> {
        self.rents.put_off_rent(&rent.order.id, rent.account, until).await
    }

    async fn forget(&self, rent: &Rent) -> Result<(), StoreError> {
        self.rents.forget_rent(&rent.order.id, rent.account).await
    }
}

/// Sends the closing, or finds it under way. What came to nothing in a block that stands is tried anew, a few times.
async fn close(
    carrier: &dyn Carrier,
    rent: &Rent,
    payer: Address,
    now: Timestamp,
) -> Result<Progress, DeedError> {
    let terms = rent.order.terms;
    let deed = match rent.account {
        RentedAccount::Order => Deed::CloseOrder { terms, payer },
        RentedAccount::Fill => Deed::CloseFill { terms, payer },
    };
    let first = format!("close-{}:{:#x}", rent.account.as_str(), rent.order.intent);
    let mut purpose = first.clone();
    for tried in 1..=TRIES {
        let progress = carrier.carry(&purpose, &deed, now).await?;
        if !matches!(progress, Progress::Reverted(_)) {
            return Ok(progress);
        }
        purpose = format!("{first}:{}", tried.saturating_add(1));
    }
    Err(DeedError::Never(format!("{first} was tried {TRIES} times and failed on the chain each time")))
}

/// From when on the account may be closed, by its chain's time.
const fn closable_at(rent: &Rent) -> u64 {
    rent.account.kept_until(&rent.order.terms).saturating_add(MARGIN)
}

/// When to look again at what cannot be closed now: ever later, so that many such accounts cost little.
fn again_at(rent: &Rent, time: u64) -> u64 {
    let waited = time.saturating_sub(closable_at(rent)) / 4;
    time.saturating_add(waited.clamp(LEASE, LATEST))
}
