use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    ClaimBatchStore, FeeObserver, FeeRecord, FinalTransaction, OperatorStore, OrderStore, StoreError,
};
use causeway_domain::{ChainId, GasCharge, IntentTerms, Order, RawAmount, RouteSeal};
use jiff::Timestamp;
use parking_lot::Mutex;

/// A transaction that orders are charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GasKind {
    Fill,
    Claim,
    /// Opening an order for the payer: a sweep of its deposit address, or its permit.
    Opening,
}

impl GasKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Claim => "claim",
            Self::Opening => "opening",
        }
    }

    fn charged(self, charge: &GasCharge) -> U256 {
        match self {
            Self::Fill => charge.fill.get(),
            Self::Claim => charge.claim.get(),
            Self::Opening => charge.opening.get(),
        }
    }
}

/// What orders were charged for one kind of transaction on a chain, and what it cost, in the smallest units of the chain's coin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GasTotals {
    pub orders: u64,
    /// The orders among them whose transaction, or share of it, cost more than they were charged.
    pub overruns: u64,
    pub charged: U256,
    pub spent: U256,
}

/// Compares what orders were charged for gas with what their final transactions have cost, since the process started, and
/// records the latter for the results of market makers.
pub struct CompareGas {
    orders: Arc<dyn OrderStore>,
    batches: Arc<dyn ClaimBatchStore>,
    results: Arc<dyn OperatorStore>,
    seal: Arc<RouteSeal>,
    totals: Mutex<BTreeMap<(ChainId, GasKind), GasTotals>>,
}

impl fmt::Debug for CompareGas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompareGas").field("totals", &self.totals).finish_non_exhaustive()
    }
}

/// What a transaction did, by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Order(GasKind, B256),
    Batch(B256),
}

impl Purpose {
    /// `None` for transactions that no order is charged for, such as refunds and approvals.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let action = parts.next()?;
        let mut id = || parts.next()?.parse::<B256>().ok();
        Some(match action {
            "fill" => Self::Order(GasKind::Fill, id()?),
            "claim" => Self::Order(GasKind::Claim, id()?),
            "open" | "sweep" | "jump" => Self::Order(GasKind::Opening, id()?),
            "claims" => Self::Batch(id()?),
            _ => return None,
        })
    }
}

impl CompareGas {
    /// `seal` opens the routes of the orders, which say what they were charged.
    pub fn new(
        orders: Arc<dyn OrderStore>,
        batches: Arc<dyn ClaimBatchStore>,
        results: Arc<dyn OperatorStore>,
        seal: Arc<RouteSeal>,
    ) -> Self {
        Self { orders, batches, results, seal, totals: Mutex::default() }
    }

    /// The totals so far, by chain and kind.
    pub fn totals(&self) -> BTreeMap<(ChainId, GasKind), GasTotals> {
        self.totals.lock().clone()
    }

    async fn compare(&self, transaction: &FinalTransaction) -> Result<(), StoreError> {
        let (kind, orders) = match Purpose::parse(&transaction.purpose) {
            None => return Ok(()),
            Some(Purpose::Order(kind, order)) => (kind, vec![order]),
            Some(Purpose::Batch(id)) => {
                let batch = self.batches.claim_batch(id).await?;
                let orders = batch.map(|batch| batch.orders).unwrap_or_default();
                (GasKind::Claim, orders.iter().map(IntentTerms::id).collect())
            }
        };
        // Each order's share, rounded up.
        let count = U256::from(orders.len().max(1));
        let spent = transaction.fee.div_ceil(count);
        for (place, intent) in orders.into_iter().enumerate() {
            let order = self.orders.order_of_intent(intent).await?;
            if let (0, Some(order)) = (place, &order) {
                self.record(transaction, order).await?;
            }
            let charge = order.and_then(|order| self.charge(&order));
            let Some(charged) = charge.map(|charge| kind.charged(&charge)) else { continue };
            let mut totals = self.totals.lock();
            let totals = totals.entry((transaction.chain, kind)).or_default();
            totals.orders = totals.orders.saturating_add(1);
            totals.overruns = totals.overruns.saturating_add(u64::from(spent > charged));
            totals.charged = totals.charged.saturating_add(charged);
            totals.spent = totals.spent.saturating_add(spent);
        }
        Ok(())
    }

    /// All orders of a transaction have the same filler.
    async fn record(&self, transaction: &FinalTransaction, order: &Order) -> Result<(), StoreError> {
        let record = FeeRecord {
            chain: transaction.chain,
            purpose: transaction.purpose.clone(),
            filler: order.filler.clone(),
            fee: RawAmount::new(transaction.fee),
            at: Timestamp::now(),
        };
        self.results.record_fee(&record).await
    }

    /// What an order was charged. `None` where its route does not say, as after a recovery from the chains.
    fn charge(&self, order: &Order) -> Option<GasCharge> {
        self.seal.open(&order.quote, &order.route).ok().and_then(|terms| terms.gas_charge)
    }
}

#[async_trait]
impl FeeObserver for CompareGas {
    /// A comparison that fails is left out: it is a figure for people, and nothing waits for it.
    async fn transaction_final(&self, transaction: &FinalTransaction) {
        if let Err(error) = self.compare(transaction).await {
            let purpose = &transaction.purpose;
            tracing::warn!(purpose, %error, "what a transaction cost was not compared with what was charged for it");
        }
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::ClaimBatch;
    use causeway_domain::{QuoteKey, QuoteKeys};
    use causeway_testing::MemoryStore;
    use causeway_testing::sample::order;

    use super::*;
    use crate::build_deposit::fake;

    const CHAIN: u64 = 8_453;

    fn chain() -> ChainId {
        ChainId::new(CHAIN).unwrap()
    }

    fn charge(fill: u64, claim: u64, opening: u64) -> GasCharge {
        let [fill, claim, opening] = [fill, claim, opening].map(|units| RawAmount::new(U256::from(units)));
        GasCharge { fill, claim, opening }
    }

    /// An order whose route says what it was charged.
    fn charged(n: u8, gas_charge: Option<GasCharge>) -> Order {
        let mut quote = fake::quote();
        for route in &mut quote.routes {
            route.gas_charge = gas_charge;
        }
        let route = fake::seal(&quote, &quote.routes[0]);
        let mut order = Order { quote: quote.id, route, ..order(n) };
        order.terms.nonce = B256::repeat_byte(n);
        order.intent_id = order.terms.id();
        order
    }

    fn compare(orders: &[Order], batches: Vec<ClaimBatch>) -> CompareGas {
        let store =
            MemoryStore::with_orders(orders.iter().map(|order| (order.clone(), Vec::new())).collect());
        *store.claim_batches.lock().unwrap() = batches;
        let store = Arc::new(store);
        CompareGas::new(store.clone(), store.clone(), store, Arc::new(RouteSeal::new(&fake::quote_keys())))
    }

    async fn tell(compare: &CompareGas, purpose: String, fee: u64) {
        let transaction = FinalTransaction { chain: chain(), purpose, fee: U256::from(fee) };
        compare.transaction_final(&transaction).await;
    }

    fn totals(orders: u64, overruns: u64, charged: u64, spent: u64) -> GasTotals {
        GasTotals { orders, overruns, charged: U256::from(charged), spent: U256::from(spent) }
    }

    #[tokio::test]
    async fn a_transaction_dearer_than_charged_is_an_overrun_and_one_that_costs_as_much_is_not() {
        let order = charged(1, Some(charge(100, 50, 30)));
        let compare = compare(std::slice::from_ref(&order), Vec::new());
        tell(&compare, format!("fill:{:#x}", order.intent_id), 100).await;
        tell(&compare, format!("claim:{:#x}:2", order.intent_id), 51).await;
        tell(&compare, format!("sweep:{:#x}", order.intent_id), 7).await;
        let all = compare.totals();
        assert_eq!(all[&(chain(), GasKind::Fill)], totals(1, 0, 100, 100));
        assert_eq!(all[&(chain(), GasKind::Claim)], totals(1, 1, 50, 51));
        assert_eq!(all[&(chain(), GasKind::Opening)], totals(1, 0, 30, 7));
    }

    #[tokio::test]
    async fn orders_of_a_batch_share_its_cost() {
        let orders =
            [charged(1, Some(charge(0, 40, 0))), charged(2, Some(charge(0, 30, 0))), charged(3, None)];
        let batch = ClaimBatch {
            id: B256::repeat_byte(9),
            filler: "house".to_owned(),
            chain: chain(),
            orders: orders.iter().map(|order| order.terms).collect(),
            created_at: Timestamp::UNIX_EPOCH,
            is_dissolved: false,
        };
        let compare = compare(&orders, vec![batch]);
        tell(&compare, format!("claims:{:#x}", B256::repeat_byte(9)), 100).await;
        assert_eq!(compare.totals()[&(chain(), GasKind::Claim)], totals(2, 1, 70, 68), "34 each");
    }

    #[tokio::test]
    async fn what_no_order_is_charged_for_is_left_out() {
        let order = charged(1, Some(charge(1, 1, 1)));
        let compare = compare(std::slice::from_ref(&order), Vec::new());
        for purpose in [
            format!("waive:{:#x}", order.intent_id),
            "approve:0x01".to_owned(),
            format!("fill:{:#x}", B256::repeat_byte(7)),
            "fill:nonsense".to_owned(),
            format!("claims:{:#x}", B256::repeat_byte(7)),
            String::new(),
        ] {
            tell(&compare, purpose, 9).await;
        }
        assert!(compare.totals().is_empty());
        let other = QuoteKeys { current: QuoteKey::new([99; 32]), older: Vec::new() };
        let foreign = CompareGas { seal: Arc::new(RouteSeal::new(&other)), ..compare };
        tell(&foreign, format!("fill:{:#x}", order.intent_id), 9).await;
        assert!(foreign.totals().is_empty(), "a route that we did not seal says nothing");
    }
}
