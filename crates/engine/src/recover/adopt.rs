use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    Care, ChainRecord, Creation, FactStore, OpenedBy, OrderStore, QuoteStore, StoreError,
};
use causeway_domain::{
    Address, ChainId, Decision, EventKind, Evidence, Fact, FactKind, Order, OrderEvent, OrderId, OrderStatus,
    QuoteId, QuoteKeys, RefundCause, RowKey, RowKeys, Terms, World, advance,
};
use jiff::Timestamp;

use super::RecoverError;
use super::draw::{Drawing, KnownFiller, Names, Sides};
use crate::build_deposit::moment;

/// The name of a filler that is not known any more, and its kind.
const UNKNOWN: &str = "unknown";

/// How often a chain is asked how a deposit was made, and the pause in between.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(500);

/// What orders are made with when the chain is their only record.
#[derive(Clone)]
pub struct AdoptParts {
    pub orders: Arc<dyn OrderStore>,
    pub quotes: Arc<dyn QuoteStore>,
    pub facts: Arc<dyn FactStore>,
    pub chains: HashMap<ChainId, Arc<dyn ChainRecord>>,
    pub fillers: Vec<KnownFiller>,
    pub quote_keys: QuoteKeys,
    /// For lines that are written now, and for orders that are.
    pub row_keys: Arc<RowKeys>,
    /// How long after its price's end an order may be opened, in seconds.
    pub open_slack: u64,
    /// Whether orders that name a filler of ours are taken in although no key of ours has sealed them: they are given back.
    pub take_unsealed: bool,
}

impl fmt::Debug for AdoptParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdoptParts").finish_non_exhaustive()
    }
}

/// What became of a deposit that the chain showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// Its order was there already.
    Known,
    /// It is no business of ours.
    Stranger,
    /// It has an order now.
    Order { status: OrderStatus, sealed: bool },
}

/// Makes orders of deposits that no order is known for, if we have quoted them.
#[derive(Clone, Debug)]
pub struct Adopt {
    parts: AdoptParts,
    /// For orders that lie in the past: their keys are of their own time, so that they page as they once did.
    past: Arc<RowKeys>,
}

impl Adopt {
    pub fn new(parts: AdoptParts) -> Self {
        Self { parts, past: Arc::new(RowKeys::new(0)) }
    }

    /// Takes in a deposit that was shown just now, if one of our keys has sealed its terms. It was built before the store began.
    pub async fn adopt(&self, fact: &Fact) -> Result<Adopted, StoreError> {
        let Some((terms, sides)) = self.unknown(fact).await? else { return Ok(Adopted::Known) };
        let Some(sides) = sides.filter(|_| self.parts.quote_keys.have_sealed(&terms)) else {
            return Ok(Adopted::Stranger);
        };
        let opened_by = self.opened_by(fact, &terms).await;
        let now = Timestamp::now();
        let key = self.parts.row_keys.next(now);
        let created = self.create(fact, &terms, &sides, opened_by, key, now).await?;
        Ok(created.map_or(Adopted::Known, |order| Adopted::Order { status: order.status, sealed: true }))
    }

    /// By which way it was opened. A chain that does not answer is asked again for a while: with the way goes the deposit address, and
    /// with that whatever else lies there and the purchase that waits for it.
    async fn opened_by(&self, fact: &Fact, terms: &Terms) -> OpenedBy {
        let Some(chain) = self.parts.chains.get(&fact.place.chain) else { return OpenedBy::Call };
        for _ in 1..TRIES {
            match chain.opened_by(&fact.place.tx, terms).await {
                Ok(opened_by) => return opened_by,
                Err(error) => {
                    tracing::debug!(intent = %fact.intent, %error, "how a deposit was made is not known yet");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        chain.opened_by(&fact.place.tx, terms).await.unwrap_or(OpenedBy::Call)
    }

    /// Takes in a deposit of the past with all that the chains have shown of it since, in the order of the deposits' time.
    pub(super) async fn adopt_past(&self, fact: &Fact) -> Result<Adopted, RecoverError> {
        let Some((terms, sides)) = self.unknown(fact).await? else { return Ok(Adopted::Known) };
        let sealed = self.parts.quote_keys.have_sealed(&terms);
        let is_ours = |sides: &Sides| {
            sealed || self.parts.take_unsealed && sides.filled_by(&self.parts.fillers).is_some()
        };
        let Some(sides) = sides.filter(is_ours) else { return Ok(Adopted::Stranger) };
        let opened_by = match self.parts.chains.get(&fact.place.chain) {
            Some(chain) => chain.opened_by(&fact.place.tx, &terms).await?,
            None => OpenedBy::Call,
        };
        let now = Timestamp::now();
        let key = self.past.next(moment(fact.place.time).unwrap_or(now).min(now));
        let Some(order) = self.create(fact, &terms, &sides, opened_by, key, now).await? else {
            return Ok(Adopted::Known);
        };
        let status = self.bring_forward(order, now).await?;
        Ok(Adopted::Order { status, sealed })
    }

    /// The terms of a deposit that no order is known for, with their sides where they can be ours.
    async fn unknown(&self, fact: &Fact) -> Result<Option<(Terms, Option<Sides>)>, StoreError> {
        let FactKind::Opened(terms) = &fact.kind else { return Ok(None) };
        // What another chain tells of these terms opened nothing.
        let there = terms.origin_chain_id == fact.place.chain.get() && terms.id() == fact.intent;
        if self.parts.orders.order_of_intent(fact.intent).await?.is_some() {
            return Ok(None);
        }
        Ok(Some((**terms, Sides::of(terms).filter(|_| there))))
    }

    async fn create(
        &self,
        fact: &Fact,
        terms: &Terms,
        sides: &Sides,
        opened_by: OpenedBy,
        key: RowKey,
        now: Timestamp,
    ) -> Result<Option<Order>, StoreError> {
        let deposit_address = self.deposit_address(fact, &opened_by);
        let filler = sides.filled_by(&self.parts.fillers);
        let unnamed = |_| StoreError::Conflict("the system gave no random bytes for a name");
        let names = Names {
            order: self.parts.quote_keys.name(terms).map_or_else(OrderId::random, Ok).map_err(unnamed)?,
            quote: QuoteId::random().map_err(unnamed)?,
            key,
            event: self.parts.row_keys.next(now),
            filler: filler.map_or(UNKNOWN, |filler| &filler.name).to_owned(),
            kind: filler.map_or(UNKNOWN, |filler| &filler.kind).to_owned(),
        };
        let (place, open_slack) = (&fact.place, self.parts.open_slack);
        let drawing = Drawing { terms, sides, opened_by, deposit_address, place, names, open_slack, now };
        let (quote, order, event) = drawing.draw().map_err(unnamed)?;
        self.parts.quotes.put_quote(&quote).await?;
        match self.parts.orders.create_order(&order, &event).await {
            Ok(Creation::Created) => Ok(Some(order)),
            Ok(Creation::Existing(_)) => Ok(None),
            // Another replica may have been faster.
            Err(error) => match self.parts.orders.order_of_intent(order.intent).await? {
                Some(_) => Ok(None),
                None => Err(error),
            },
        }
    }

    fn deposit_address(&self, fact: &Fact, opened_by: &OpenedBy) -> Option<Address> {
        let chain = self.parts.chains.get(&fact.place.chain)?;
        match opened_by {
            OpenedBy::Call | OpenedBy::Permit => None,
            OpenedBy::Transfer => Some(chain.address_for(fact.intent)),
            OpenedBy::Jump(jump) => Some(chain.address_for(jump.id())),
        }
    }

    /// Moves a new order as far as the facts carry it; what is left to do is left to the service.
    async fn bring_forward(&self, order: Order, now: Timestamp) -> Result<OrderStatus, StoreError> {
        let facts = self.parts.facts.facts(order.intent).await?;
        let evidence = Evidence::of(&order.terms, order.care, &facts);
        // A delivery that stands less firmly than the order asks for is one all the same: nobody may decide against it.
        let decision = decided(&Evidence::of(&order.terms, Care::Usual, &facts));
        let world = World {
            now,
            origin_time: self.time(order.from.chain()).await?,
            destination_time: self.time(order.to.chain()).await?,
            evidence,
            arrived: None,
        };
        let step = advance(Order { decision, ..order }, &world);
        let events: Vec<OrderEvent> = step
            .changes
            .iter()
            .map(|(status, words)| OrderEvent {
                key: self.parts.row_keys.next(now),
                order: step.order.id.clone(),
                kind: EventKind::Status(*status),
                detail: words.clone(),
                at: shown_at(*status, &step.order.evidence).unwrap_or(now),
            })
            .collect();
        let updated_at = events.last().map_or(step.order.created_at, |event| event.at).min(now);
        let order = Order { updated_at, due_at: Some(now), ..step.order };
        // The service may not run meanwhile, so nobody else has changed it.
        self.parts.orders.update_order(&order, &events).await?;
        Ok(order.status)
    }

    async fn time(&self, chain: ChainId) -> Result<Option<u64>, StoreError> {
        Ok(self.parts.facts.mark(chain, Care::Large).await?.map(|mark| mark.time))
    }
}

/// What the filler must have decided, by what it did.
fn decided(evidence: &Evidence) -> Option<Decision> {
    match (&evidence.fill, &evidence.refund) {
        (Some(_), _) => Some(Decision::Fill),
        (None, Some((_, RefundCause::Waived))) => Some(Decision::Waive),
        _ => None,
    }
}

/// When the chain showed what made the order take this status.
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
