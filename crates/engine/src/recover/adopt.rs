use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    ChainHistory, ChainStore, Creation, FinalityTier, OpenedBy, OrderStore, StoreError,
};
use causeway_domain::{
    Address, ChainId, Decision, EventKind, Evidence, Fact, FactKind, IntentTerms, Order, OrderContext,
    OrderEvent, OrderId, OrderStatus, QuoteId, QuoteKeys, RefundCause, RowKey, RowKeys, advance,
};
use jiff::Timestamp;

use super::RecoverError;
use super::rebuild::{DecodedTerms, KnownFiller, OrderRebuild, RecordIds};
use crate::build_deposit::moment;

/// The name and kind of a filler that is no longer known.
const UNKNOWN: &str = "unknown";

/// How often a chain is asked how a deposit was opened, and the pause in between.
const MAX_ATTEMPTS: u32 = 10;
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// What [`Adopt`] works with.
#[derive(Clone)]
pub struct AdoptParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn ChainStore>,
    pub chains: HashMap<ChainId, Arc<dyn ChainHistory>>,
    pub fillers: Vec<KnownFiller>,
    pub quote_keys: QuoteKeys,
    /// For events and orders that are created now.
    pub row_keys: Arc<RowKeys>,
    /// How long after its price expires an order may be opened, in seconds.
    pub open_slack: u64,
    /// Whether unsealed orders that name one of our fillers are adopted, to be refunded.
    pub adopt_unsealed: bool,
}

impl fmt::Debug for AdoptParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdoptParts").finish_non_exhaustive()
    }
}

/// The outcome of adopting a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// Its order exists already.
    Known,
    /// It is not one of ours.
    Foreign,
    /// An order was created.
    Order { status: OrderStatus, sealed: bool },
}

/// Creates orders for deposits that we quoted and that have no order.
#[derive(Clone, Debug)]
pub struct Adopt {
    parts: AdoptParts,
    /// For past orders: their keys carry their own time, so that they page in the original order.
    past: Arc<RowKeys>,
}

impl Adopt {
    pub fn new(parts: AdoptParts) -> Self {
        Self { parts, past: Arc::new(RowKeys::new(0)) }
    }

    /// Adopts a new deposit if one of our keys has sealed its terms. It was built before the store was created.
    pub async fn adopt(&self, fact: &Fact) -> Result<Adopted, StoreError> {
        let Some((terms, decoded)) = self.unknown(fact).await? else { return Ok(Adopted::Known) };
        let Some(decoded) = decoded.filter(|_| self.parts.quote_keys.have_sealed(&terms)) else {
            return Ok(Adopted::Foreign);
        };
        let opened_by = self.opened_by(fact, &terms).await;
        let now = Timestamp::now();
        let key = self.parts.row_keys.next(now);
        let created = self.create(fact, &terms, &decoded, opened_by, key, now).await?;
        Ok(created.map_or(Adopted::Known, |order| Adopted::Order { status: order.status, sealed: true }))
    }

    /// How the deposit was opened. Retries for a while, because the deposit address follows from it, and with it any remaining
    /// balance and the purchase that waits for it.
    async fn opened_by(&self, fact: &Fact, terms: &IntentTerms) -> OpenedBy {
        let Some(chain) = self.parts.chains.get(&fact.place.chain) else { return OpenedBy::Call };
        for _ in 1..MAX_ATTEMPTS {
            match chain.opened_by(&fact.place.tx, terms).await {
                Ok(opened_by) => return opened_by,
                Err(error) => {
                    tracing::debug!(intent = %fact.intent_id, %error, "reading how a deposit was opened failed");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
        chain.opened_by(&fact.place.tx, terms).await.unwrap_or(OpenedBy::Call)
    }

    /// Adopts a past deposit with all facts since, in the order of the deposits' times.
    pub(super) async fn adopt_past(&self, fact: &Fact) -> Result<Adopted, RecoverError> {
        let Some((terms, decoded)) = self.unknown(fact).await? else { return Ok(Adopted::Known) };
        let sealed = self.parts.quote_keys.have_sealed(&terms);
        let is_ours = |decoded: &DecodedTerms| {
            sealed || self.parts.adopt_unsealed && decoded.filled_by(&self.parts.fillers).is_some()
        };
        let Some(decoded) = decoded.filter(is_ours) else { return Ok(Adopted::Foreign) };
        let opened_by = match self.parts.chains.get(&fact.place.chain) {
            Some(chain) => chain.opened_by(&fact.place.tx, &terms).await?,
            None => OpenedBy::Call,
        };
        let now = Timestamp::now();
        let key = self.past.next(moment(fact.place.time).unwrap_or(now).min(now));
        let Some(order) = self.create(fact, &terms, &decoded, opened_by, key, now).await? else {
            return Ok(Adopted::Known);
        };
        let status = self.replay_facts(order, now).await?;
        Ok(Adopted::Order { status, sealed })
    }

    /// The terms of a deposit without an order, decoded if they can be ours.
    async fn unknown(&self, fact: &Fact) -> Result<Option<(IntentTerms, Option<DecodedTerms>)>, StoreError> {
        let FactKind::Opened(terms) = &fact.kind else { return Ok(None) };
        // A fact from another chain does not open these terms.
        let is_origin = terms.origin_chain_id == fact.place.chain.get() && terms.id() == fact.intent_id;
        if self.parts.orders.order_of_intent(fact.intent_id).await?.is_some() {
            return Ok(None);
        }
        Ok(Some((**terms, DecodedTerms::of(terms).filter(|_| is_origin))))
    }

    async fn create(
        &self,
        fact: &Fact,
        terms: &IntentTerms,
        decoded: &DecodedTerms,
        opened_by: OpenedBy,
        key: RowKey,
        now: Timestamp,
    ) -> Result<Option<Order>, StoreError> {
        let deposit_address = self.deposit_address(fact, &opened_by);
        let filler = decoded.filled_by(&self.parts.fillers);
        let no_randomness = |_| StoreError::Conflict("the system returned no random bytes for an id");
        let ids = RecordIds {
            order: self
                .parts
                .quote_keys
                .order_id(terms)
                .map_or_else(OrderId::random, Ok)
                .map_err(no_randomness)?,
            quote: QuoteId::random().map_err(no_randomness)?,
            key,
            event: self.parts.row_keys.next(now),
            filler: filler.map_or(UNKNOWN, |filler| &filler.name).to_owned(),
            kind: filler.map_or(UNKNOWN, |filler| &filler.kind).to_owned(),
        };
        let (place, open_slack) = (&fact.place, self.parts.open_slack);
        let rebuild =
            OrderRebuild { terms, decoded, opened_by, deposit_address, place, ids, open_slack, now };
        let (order, event) = rebuild.rebuild().map_err(no_randomness)?;
        match self.parts.orders.create_order(&order, &event).await {
            Ok(Creation::Created) => Ok(Some(order)),
            Ok(Creation::Existing(_)) => Ok(None),
            // Another replica may have created it first.
            Err(error) => match self.parts.orders.order_of_intent(order.intent_id).await? {
                Some(_) => Ok(None),
                None => Err(error),
            },
        }
    }

    fn deposit_address(&self, fact: &Fact, opened_by: &OpenedBy) -> Option<Address> {
        let chain = self.parts.chains.get(&fact.place.chain)?;
        match opened_by {
            OpenedBy::Call | OpenedBy::Permit | OpenedBy::Authorization | OpenedBy::TokenPermit => None,
            OpenedBy::Transfer => Some(chain.address_for(fact.intent_id)),
            OpenedBy::Forwarding(forwarding) => Some(chain.address_for(forwarding.id())),
        }
    }

    /// Advances a new order as far as the facts allow; the service executes the remaining actions.
    async fn replay_facts(&self, order: Order, now: Timestamp) -> Result<OrderStatus, StoreError> {
        let facts = self.parts.facts.facts(order.intent_id).await?;
        let evidence = Evidence::from_facts(&order.terms, order.finality_tier, &facts);
        // A fill counts even if it is not final for the order's tier: nobody may decide against it.
        let decision = inferred_decision(&Evidence::from_facts(&order.terms, FinalityTier::Standard, &facts));
        let context = OrderContext {
            now,
            origin_time: self.time(order.from.chain()).await?,
            destination_time: self.time(order.to.chain()).await?,
            evidence,
            deposit_balance: None,
        };
        let step = advance(Order { decision, ..order }, &context);
        let events: Vec<OrderEvent> = step
            .changes
            .iter()
            .map(|(status, detail)| OrderEvent {
                key: self.parts.row_keys.next(now),
                order: step.order.id.clone(),
                kind: EventKind::Status(*status),
                detail: detail.clone(),
                at: shown_at(*status, &step.order.evidence).unwrap_or(now),
            })
            .collect();
        let updated_at = events.last().map_or(step.order.created_at, |event| event.at).min(now);
        let order = Order { updated_at, due_at: Some(now), ..step.order };
        // The service does not run during recovery, so there is no concurrent writer.
        self.parts.orders.update_order(&order, &events).await?;
        Ok(order.status)
    }

    async fn time(&self, chain: ChainId) -> Result<Option<u64>, StoreError> {
        Ok(self.parts.facts.cursor(chain, FinalityTier::Large).await?.map(|cursor| cursor.time))
    }
}

/// The filler's decision, inferred from what it did.
fn inferred_decision(evidence: &Evidence) -> Option<Decision> {
    match (&evidence.fill, &evidence.refund) {
        (Some(_), _) => Some(Decision::Fill),
        (None, Some((_, RefundCause::Waived))) => Some(Decision::Waive),
        _ => None,
    }
}

/// When the chain showed the fact behind a status.
fn shown_at(status: OrderStatus, evidence: &Evidence) -> Option<Timestamp> {
    let shown = match status {
        OrderStatus::Deposited => evidence.deposit.as_ref(),
        OrderStatus::Published | OrderStatus::Filled => evidence.fill.as_ref(),
        OrderStatus::RefundPending | OrderStatus::Refunded => {
            evidence.refund.as_ref().map(|(shown, _)| shown)
        }
        OrderStatus::Created | OrderStatus::Failed => None,
    };
    shown.and_then(|shown| moment(shown.time))
}
