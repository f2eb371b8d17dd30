use causeway_domain::ports::{Carrier, Deed, DeedError, Progress};
use causeway_domain::{ChainId, Order};
use jiff::Timestamp;

use super::InventoryHand;

pub(super) const FILL: &str = "fill";
pub(super) const WAIVE: &str = "waive";
pub(super) const CLAIM: &str = "claim";

/// How often a claim or a refund is sent in all when the chain reverts it. A delivery is sent once.
const TRIES: u32 = 5;

/// The name under which the outbox lets a deed through once.
pub(super) fn purpose(deed: &str, order: &Order) -> String {
    format!("{deed}:{:#x}", order.intent)
}

/// Where a deed that may be tried again stands.
pub(super) enum Turn {
    Begun(Progress),
    /// To be sent under this purpose.
    Next(String),
}

impl InventoryHand {
    pub(super) fn carrier(&self, chain: ChainId) -> Result<&dyn Carrier, DeedError> {
        let missing = || {
            let name = &self.filler.config.name;
            DeedError::Later(format!("the filler {name} has no key at work on chain {chain}"))
        };
        self.carriers.get(&chain).map(AsRef::as_ref).ok_or_else(missing)
    }

    /// The first try that was not reverted, or the purpose of the next one.
    pub(super) async fn turn(carrier: &dyn Carrier, deed: &str, order: &Order) -> Result<Turn, DeedError> {
        let first = purpose(deed, order);
        for number in 1..=TRIES {
            let purpose = if number == 1 { first.clone() } else { format!("{first}:{number}") };
            match carrier.progress(&purpose).await? {
                None | Some(Progress::Waiting) => return Ok(Turn::Next(purpose)),
                Some(Progress::Reverted(tx)) => {
                    tracing::debug!(purpose, tx, "was reverted");
                }
                Some(progress) => return Ok(Turn::Begun(progress)),
            }
        }
        let words =
            format!("{first} was reverted {TRIES} times; somebody must look why before it is tried again");
        Err(DeedError::Never(words))
    }

    /// Sends under a purpose that was not sent before.
    pub(super) async fn send(
        &self,
        carrier: &dyn Carrier,
        purpose: &str,
        deed: &Deed,
        now: Timestamp,
    ) -> Result<Progress, DeedError> {
        let progress = carrier.carry(purpose, deed, now).await?;
        if let Progress::OnItsWay(tx) = &progress {
            tracing::info!(filler = self.filler.config.name, chain = %carrier.chain(), purpose, tx, "sent");
        }
        Ok(progress)
    }
}
