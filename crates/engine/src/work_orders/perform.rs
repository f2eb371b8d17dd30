use std::sync::Arc;

use causeway_domain::ports::{BroadcastError, Carrier, Deed, DeedError, Hand, Progress};
use causeway_domain::{
    Attestation, ChainId, Decision, DepositMethod, EventKind, Order, OrderEvent, RefundWay, Todo, TokenId,
    World,
};
use jiff::{SignedDuration, Timestamp};

use super::WorkOrders;
use crate::story_keys::come_after_story;

/// How often a deed that came to nothing on the chain is tried anew.
const TRIES: u32 = 5;

/// An unpaid delivery is told loudly this long before anybody may take the deposit back.
const ALARM: SignedDuration = SignedDuration::from_hours(2);

/// What became of a list of things to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performed {
    /// Nothing of it is left.
    pub(super) all: bool,
    /// The filler's word has changed the order, which wants another look at once.
    pub(super) decided: bool,
}

/// What became of one thing.
enum Did {
    Done,
    UnderWay,
    /// The filler has decided.
    Decided(Decision),
}

impl WorkOrders {
    /// Does what is to be done, or finds it under way. Nothing here is lost when it fails: it is told again.
    pub(super) async fn perform(&self, order: &mut Order, todo: &[Todo], world: &World) -> Performed {
        let mut performed = Performed { all: true, decided: false };
        let mut trouble = None;
        for todo in todo {
            match self.do_one(order, todo, world).await {
                Ok(Did::Done) => {}
                Ok(Did::UnderWay) => performed.all = false,
                Ok(Did::Decided(decision)) => {
                    order.decision = Some(decision);
                    performed = Performed { all: false, decided: true };
                }
                Err(error) => {
                    performed.all = false;
                    tell(order, todo, &error);
                    trouble = Some((todo, error));
                }
            }
        }
        let trouble = trouble.as_ref().map(|(todo, error)| (*todo, error));
        self.troubles.note(&order.id, trouble, world.now).await;
        performed
    }

    async fn do_one(&self, order: &mut Order, todo: &Todo, world: &World) -> Result<Did, DeedError> {
        let now = world.now;
        match todo {
            Todo::AskFiller => return self.ask_filler(order, now).await,
            Todo::Fill => return self.fill(order, now).await,
            Todo::Claim => {
                warn_of_unpaid(order, now);
                self.hand(order)?.claim(order, now).await?;
            }
            Todo::Release => {
                if let Ok(hand) = self.hand(order) {
                    hand.release(order).await?;
                }
                return Ok(Did::Done);
            }
            Todo::Refund(way) => self.refund(order, *way, world).await?,
            Todo::BringDeposit => self.bring(order, now).await?,
            Todo::Sweep => self.sweep(order, now).await?,
            Todo::GiveBack { seen_in, tokens } => return self.give_back(order, *seen_in, tokens, now).await,
        }
        // The chain shows when it is done.
        Ok(Did::UnderWay)
    }

    fn hand(&self, order: &Order) -> Result<Arc<dyn Hand>, DeedError> {
        let hand = self.parts.hands.get(&order.filler);
        hand.ok_or_else(|| DeedError::Later(format!("the filler {} is not here", order.filler)))
    }

    fn relayer(&self, chain: ChainId) -> Result<&dyn Carrier, DeedError> {
        let relayer = self.parts.relayers.get(&chain).map(AsRef::as_ref);
        relayer.ok_or_else(|| DeedError::Later(format!("nothing can be sent on chain {chain}")))
    }

    async fn ask_filler(&self, order: &mut Order, now: Timestamp) -> Result<Did, DeedError> {
        let (decision, reason) = self.hand(order)?.decide(order, now).await?;
        if decision == Decision::Waive {
            order.failure_reason = reason.or(order.failure_reason.take());
        }
        Ok(Did::Decided(decision))
    }

    /// A delivery that failed in a block that stands becomes a waiver: no other attempt is on its way.
    async fn fill(&self, order: &mut Order, now: Timestamp) -> Result<Did, DeedError> {
        if order.decision != Some(Decision::Fill) {
            return Ok(Did::UnderWay);
        }
        let progress = match self.hand(order)?.fill(order, now).await {
            Err(DeedError::Unpayable(words)) => {
                order.note_unpayable(&words);
                return Err(DeedError::Unpayable(words));
            }
            progress => progress?,
        };
        if order.is_unpayable() {
            order.failure_reason = None;
        }
        let Progress::Reverted(tx) = progress else { return Ok(Did::UnderWay) };
        tracing::error!(order = %order.id, tx, "a delivery failed on the chain");
        order.failure_reason = Some("The filler's delivery failed on the chain.".to_owned());
        Ok(Did::Decided(Decision::Waive))
    }

    async fn refund(&self, order: &Order, way: RefundWay, world: &World) -> Result<(), DeedError> {
        let now = world.now;
        match way {
            RefundWay::Waive => {
                let waived = match self.hand(order) {
                    Ok(hand) => hand.waive(order, now).await,
                    Err(error) => Err(error),
                };
                let over = world.destination_time.is_some_and(|time| time > order.terms.fill_deadline);
                match waived {
                    // Who cannot waive any more need not: by now the attesters can say that nobody delivered.
                    Err(error) if over => {
                        tell(order, &Todo::Refund(way), &error);
                        self.refund_late(order, now).await
                    }
                    waived => waived.map(drop),
                }
            }
            RefundWay::Unfilled => self.refund_late(order, now).await,
            RefundWay::Plain => {
                self.has_no_delivery(order).await?;
                self.relay(order, "refund", &Deed::Refund { terms: order.terms }, now).await.map(drop)
            }
        }
    }

    async fn refund_late(&self, order: &Order, now: Timestamp) -> Result<(), DeedError> {
        if order.terms.is_same_chain() {
            return self.relay(order, "refund", &Deed::Refund { terms: order.terms }, now).await.map(drop);
        }
        let Some(attestations) = &self.parts.attestations else {
            return Err(DeedError::Later("no attesters are configured".to_owned()));
        };
        let collected = attestations.collect(&order.terms).await?;
        let Attestation::Unfilled { destination_time, .. } = collected.attestation else {
            return Err(delivered());
        };
        let (terms, signatures) = (order.terms, collected.signatures);
        let deed = Deed::RefundUnfilled { terms, destination_time, signatures };
        self.relay(order, "unfilled", &deed, now).await.map(drop)
    }

    /// Fails where the attesters saw a delivery that we did not: whoever made it is still to be paid, although by now anybody may
    /// take the deposit back. Attesters who do not answer keep no deposit from its owner.
    async fn has_no_delivery(&self, order: &Order) -> Result<(), DeedError> {
        let Some(attestations) = self.parts.attestations.as_ref().filter(|_| !order.terms.is_same_chain())
        else {
            return Ok(());
        };
        match attestations.collect(&order.terms).await {
            Ok(collected) if matches!(collected.attestation, Attestation::Filled { .. }) => Err(delivered()),
            _ => Ok(()),
        }
    }

    async fn bring(&self, order: &mut Order, now: Timestamp) -> Result<(), DeedError> {
        let Some(handed) = &order.handed else { return Ok(()) };
        if order.method == DepositMethod::Permit2 {
            let deed = Deed::OpenFor { terms: order.terms, permit: handed.clone() };
            return self.relay(order, "open", &deed, now).await.map(drop);
        }
        let desk = self.parts.desks.get(&order.from.chain());
        let desk = desk.ok_or_else(|| DeedError::Later("the origin chain is not here".to_owned()))?;
        match desk.broadcast(handed).await {
            Err(BroadcastError::Expired { tx }) => self.drop_expired(order, &tx, now).await,
            brought => brought.map_err(|error| DeedError::Later(error.to_string())),
        }
    }

    /// Forgets a signed deposit that no chain will ever take, so that another may be built, signed and submitted.
    pub(super) async fn drop_expired(
        &self,
        order: &mut Order,
        tx: &str,
        now: Timestamp,
    ) -> Result<(), DeedError> {
        let expired = Order { handed: None, ..order.clone() };
        let told_tx = expired.told_tx.clone().filter(|told| told != tx);
        let expired = Order { told_tx, updated_at: now, ..expired };
        come_after_story(self.parts.orders.as_ref(), &self.parts.row_keys, &order.id).await?;
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Note,
            detail: format!("The signed deposit {tx} expired before the chain took it."),
            at: now,
        };
        // When somebody else was faster, the next look judges what that one has written.
        if self.parts.orders.update_order(&expired, &[event]).await? {
            *order = Order { version: expired.version.saturating_add(1), ..expired };
        }
        Ok(())
    }

    async fn give_back(
        &self,
        order: &Order,
        seen_in: u64,
        tokens: &[TokenId],
        now: Timestamp,
    ) -> Result<Did, DeedError> {
        if !self.is_worth_returning(order, tokens).await? {
            return Ok(Did::Done);
        }
        let tokens = tokens.iter().map(TokenId::address).collect();
        let purpose = format!("giveback:{:#x}:{seen_in}", order.intent);
        let deed = Deed::GiveBack { terms: order.terms, tokens };
        let progress = self.relay_as(order, purpose, &deed, now).await?;
        Ok(if matches!(progress, Progress::Succeeded(_)) { Did::Done } else { Did::UnderWay })
    }

    pub(super) async fn relay(
        &self,
        order: &Order,
        what: &str,
        deed: &Deed,
        now: Timestamp,
    ) -> Result<Progress, DeedError> {
        self.relay_as(order, format!("{what}:{:#x}", order.intent), deed, now).await
    }

    /// Sends in the service's own name; what came to nothing in a block that stands is tried anew, a few times.
    async fn relay_as(
        &self,
        order: &Order,
        first: String,
        deed: &Deed,
        now: Timestamp,
    ) -> Result<Progress, DeedError> {
        let relayer = self.relayer(order.from.chain())?;
        let mut purpose = first.clone();
        for tried in 1..=TRIES {
            let progress = relayer.carry(&purpose, deed, now).await?;
            if !matches!(progress, Progress::Reverted(_)) {
                return Ok(progress);
            }
            purpose = format!("{first}:{}", tried.saturating_add(1));
        }
        Err(DeedError::Never(format!("{first} was tried {TRIES} times and failed on the chain each time")))
    }
}

fn delivered() -> DeedError {
    DeedError::Never("the attesters say that the order was filled".to_owned())
}

fn warn_of_unpaid(order: &Order, now: Timestamp) {
    let refund_at = i64::try_from(order.terms.refund_at).ok().and_then(|at| Timestamp::from_second(at).ok());
    if refund_at.is_some_and(|at| at.duration_since(now) < ALARM) {
        tracing::error!(order = %order.id, "a delivery is not paid for yet, and soon its deposit may be taken back");
    }
}

/// What passes by itself is whispered.
fn tell(order: &Order, todo: &Todo, error: &DeedError) {
    match error {
        DeedError::Never(_) | DeedError::WouldFail(_) | DeedError::Unpayable(_) => {
            tracing::warn!(order = %order.id, ?todo, %error, "something is left to do for an order");
        }
        _ => tracing::debug!(order = %order.id, ?todo, %error, "something waits for an order"),
    }
}
