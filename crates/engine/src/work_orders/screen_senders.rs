use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{ActionError, AddressWatch, ChainStore, OrderKind, ScreenRequest};
use causeway_domain::{ChainId, Order, OrderId};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::screening::{Screening, ScreeningError};

/// How many verdicts are remembered, so that a refusal is recorded once and not at every pass.
const MAX_VERDICTS: usize = 10_000;
/// When it is looked again for senders that were not found: an endpoint may have been behind.
const UNKNOWN_FOR: SignedDuration = SignedDuration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Refused,
    /// As of then, the chain did not tell who paid all of it.
    Unknown(Timestamp),
}

/// Screens who sent a plain transfer, which nobody knows before it is on the chain.
pub struct SenderScreening {
    pub screening: Arc<Screening>,
    pub watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
    accepts_unknown: bool,
    ask_again_after: SignedDuration,
    verdicts: Mutex<HashMap<OrderId, Verdict>>,
}

impl fmt::Debug for SenderScreening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SenderScreening").field("chains", &self.watches.len()).finish_non_exhaustive()
    }
}

impl SenderScreening {
    pub fn new(screening: Arc<Screening>, watches: HashMap<ChainId, Arc<dyn AddressWatch>>) -> Self {
        Self {
            screening,
            watches,
            accepts_unknown: false,
            ask_again_after: UNKNOWN_FOR,
            verdicts: Mutex::default(),
        }
    }

    /// Whether money is taken that came from somebody whom the chain does not tell.
    #[must_use]
    pub fn accepting_unknown(self, accepts_unknown: bool) -> Self {
        Self { accepts_unknown, ..self }
    }

    /// Looks again for a sender that was not found after this time, which is a minute otherwise.
    #[must_use]
    pub fn asking_again_after(self, ask_again_after: SignedDuration) -> Self {
        Self { ask_again_after, ..self }
    }

    /// Fails while the senders of the order's input are refused, unknown or cannot be screened. The money then stays at the
    /// deposit address, and goes to the refund address after the open deadline.
    pub(super) async fn check(
        &self,
        order: &Order,
        facts: &dyn ChainStore,
        now: Timestamp,
    ) -> Result<(), ActionError> {
        let known = self.verdicts.lock().get(&order.id).copied();
        let verdict = match known {
            Some(Verdict::Unknown(since)) if now.duration_since(since) >= self.ask_again_after => None,
            known => known,
        };
        let verdict = if let Some(verdict) = verdict {
            verdict
        } else {
            let verdict = self.screen(order, facts, now).await?;
            let mut verdicts = self.verdicts.lock();
            if verdicts.len() >= MAX_VERDICTS {
                verdicts.clear();
            }
            verdicts.insert(order.id.clone(), verdict);
            verdict
        };
        match verdict {
            Verdict::Allowed => Ok(()),
            Verdict::Refused => Err(ActionError::Permanent(
                "the screening refused who sent the deposit; it goes to the refund address after the open deadline"
                    .to_owned(),
            )),
            Verdict::Unknown(_) => Err(ActionError::Temporary(
                "the chain does not tell who sent the deposit, so nobody can be screened; unless that changes, it goes to \
                 the refund address after the open deadline"
                    .to_owned(),
            )),
        }
    }

    async fn screen(
        &self,
        order: &Order,
        facts: &dyn ChainStore,
        now: Timestamp,
    ) -> Result<Verdict, ActionError> {
        let Some(address) = order.deposit_address else { return Ok(Verdict::Allowed) };
        let watch = self.watches.get(&order.from.chain()).ok_or_else(|| {
            ActionError::Temporary(format!("chain {} is not configured", order.from.chain()))
        })?;
        let (mut wallets, mut is_known) = (Vec::new(), false);
        let arrivals = facts.arrivals(address).await?;
        let gains = arrivals.iter().filter(|one| one.token == order.from && !one.gained.is_zero());
        for (place, gain) in gains.enumerate() {
            let payers = watch.payers(address, gain.token, gain.block, gain.gained).await?;
            wallets.extend(payers.wallets);
            is_known = (place == 0 || is_known) && payers.amount.get() >= gain.gained.get();
        }
        // Whoever is known is screened, even if there is somebody else.
        if !wallets.is_empty() {
            let request =
                ScreenRequest { kind: OrderKind::Swap, wallets, asset: order.from, amount: order.src_amount };
            match self.screening.check(request).await {
                Ok(()) => {}
                Err(ScreeningError::Refused) => return Ok(Verdict::Refused),
                Err(ScreeningError::Unavailable(error)) => {
                    return Err(ActionError::Temporary(error.to_string()));
                }
            }
        }
        if is_known {
            return Ok(Verdict::Allowed);
        }
        tracing::warn!(
            order = order.id.as_str(),
            accepted = self.accepts_unknown,
            "sender of a deposit is unknown"
        );
        Ok(if self.accepts_unknown { Verdict::Allowed } else { Verdict::Unknown(now) })
    }
}
