use std::sync::Arc;

use async_trait::async_trait;
use causeway_catalog::Catalog;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Offer, OrderStore as _};
use causeway_domain::{
    Address, Ask, ChainId, ConfirmedTx, DepositMethod, EventKind, Family, Order, OrderEvent, OrderStatus,
    QuoteKey, QuoteKeys, RefundCause, RouteSeal, RowKeys, TokenId, TradeType,
};
use causeway_engine::{
    BreakerState, FillerReport, Fillers, QuoteOptions, QuoteRequest, RequestQuote, UpdateReputation,
};
use causeway_store::{Location, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::sample;
use crate::scene::{DESTINATION, ORIGIN, chain, raw};

/// A filler that always offers the same amount.
struct RatedFiller(&'static str, u64);

#[async_trait]
impl Filler for RatedFiller {
    fn name(&self) -> &str {
        self.0
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(Answer::Offers(vec![Offer {
            exact_out: None,
            deposit_methods: vec![DepositMethod::ContractCall],
            amount_in: ask.ask.amount,
            amount_out: raw(self.1),
            min_amount_out: raw(self.1),
            expected_duration_seconds: 12,
            valid_before: Timestamp::now() + SignedDuration::from_secs(30),
            price_holds_until: None,
            estimated_gas: None,
            fees: Vec::new(),
            parties: None,
            filler_quote: None,
            gas_charge: None,
            provider: None,
        }]))
    }
}

struct ReputationFixture {
    store: Arc<Store>,
    fillers: Fillers,
    keep: UpdateReputation,
    row_keys: RowKeys,
    _folder: TempDir,
}

impl ReputationFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Location::Sqlite(folder.path().join("test.db"))).await.unwrap());
        let rated = [("good", 10_100), ("bad", 9_900), ("mid", 10_000)];
        let fillers = rated.map(|(name, out)| Arc::new(RatedFiller(name, out)) as Arc<dyn Filler>).to_vec();
        let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
        let keep = UpdateReputation::new(store.clone(), fillers.clone());
        Self { store, fillers, keep, row_keys: RowKeys::new(0), _folder: folder }
    }

    /// Asks all fillers once.
    async fn quote(&self) {
        let catalog = Arc::new(Catalog::bundled().unwrap());
        let keys = QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() };
        let request = RequestQuote::new(catalog, Arc::new(RouteSeal::new(&keys)), self.fillers.clone());
        let native = |id| TokenId::native(ChainId::new(id).unwrap());
        let wallet = Address::native(Family::Evm);
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from: native(1),
            to: native(8453),
            amount: raw(10_000),
            from_address: wallet,
            recipient: wallet,
            refund_to: wallet,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
            deposit_window: None,
        };
        request.ask(QuoteRequest { ask, integrator: None }).unwrap().gather().await.unwrap();
    }

    /// Adds an order of that filler that ended some minutes ago.
    async fn ended(&self, filler: &str, outcome: Outcome, minutes_ago: i64) {
        let at = Timestamp::now() - SignedDuration::from_mins(minutes_ago);
        let shown = |on, time| ConfirmedTx {
            chain: chain(on),
            tx: "0xab".to_owned(),
            block: 1,
            time,
            amount: raw(1),
        };
        let mut order: Order = sample::order(&self.row_keys);
        order.filler = filler.to_owned();
        order.evidence.deposit = Some(shown(ORIGIN, 1_000));
        (order.updated_at, order.due_at) = (at, None);
        match outcome {
            Outcome::Filled(seconds) => {
                order.status = OrderStatus::Filled;
                order.evidence.fill = Some(shown(DESTINATION, 1_000 + seconds));
            }
            Outcome::Refunded(cause) => {
                order.status = OrderStatus::Refunded;
                order.evidence.refund = Some((shown(ORIGIN, 9_000), cause));
            }
            Outcome::Late => {
                order.status = OrderStatus::Refunded;
                let late = u64::try_from(order.valid_before.as_second()).unwrap() + 1;
                order.evidence.deposit = Some(shown(ORIGIN, late));
                order.evidence.refund = Some((shown(ORIGIN, late + 1), RefundCause::Unfilled));
            }
            Outcome::Unpayable => {
                order.status = OrderStatus::Refunded;
                order.set_unpayable("it takes nothing");
                order.evidence.refund = Some((shown(ORIGIN, 9_000), RefundCause::Unfilled));
            }
        }
        let event = OrderEvent {
            key: self.row_keys.next(at),
            order: order.id.clone(),
            kind: EventKind::Status(order.status),
            detail: String::new(),
            at,
        };
        self.store.create_order(&order, &event).await.unwrap();
    }

    async fn report(&self, filler: &str) -> FillerReport {
        self.keep.run_once(Timestamp::now()).await.unwrap();
        self.fillers.reports().into_iter().find(|report| report.name == filler).unwrap()
    }
}

#[derive(Clone, Copy)]
enum Outcome {
    Filled(u64),
    Refunded(RefundCause),
    /// The deposit came after the price expired, and nobody filled.
    Late,
    Unpayable,
}

const UNFILLED: Outcome = Outcome::Refunded(RefundCause::Unfilled);

#[tokio::test]
async fn reputation_covers_fills_their_time_and_prices_against_the_median() {
    let fixture = ReputationFixture::new().await;
    for seconds in [10, 30, 20] {
        fixture.quote().await;
        fixture.ended("good", Outcome::Filled(seconds), 50).await;
    }
    fixture.ended("good", Outcome::Refunded(RefundCause::Waived), 40).await;
    let reputation = fixture.report("good").await.reputation.unwrap();
    assert_eq!(
        (reputation.orders, reputation.filled, reputation.fill_percent()),
        (3, 3, Some(100)),
        "a waiver is no miss"
    );
    assert_eq!((reputation.median_seconds, reputation.price_bps), (Some(20), Some(100)));
    assert_eq!((reputation.consecutive_unfilled, reputation.suspended_until), (0, None));
    let other = fixture.report("bad").await.reputation.unwrap();
    assert_eq!((other.orders, other.price_bps), (0, Some(-100)), "it offered, and nobody took it");
}

#[tokio::test]
async fn filler_that_leaves_orders_unfilled_is_suspended() {
    let fixture = ReputationFixture::new().await;
    for minutes_ago in [5, 4] {
        fixture.ended("bad", UNFILLED, minutes_ago).await;
    }
    assert_eq!(fixture.report("bad").await.breaker, BreakerState::Closed, "two may be bad luck");
    fixture.ended("bad", UNFILLED, 1).await;
    let report = fixture.report("bad").await;
    assert_eq!(report.breaker, BreakerState::Open);
    assert_eq!(report.reputation.unwrap().consecutive_unfilled, 3);
    assert_eq!(fixture.report("good").await.breaker, BreakerState::Closed);
}

#[tokio::test]
async fn suspension_starts_at_the_last_unfilled_order() {
    let fixture = ReputationFixture::new().await;
    for minutes_ago in [60, 50, 40] {
        fixture.ended("bad", UNFILLED, minutes_ago).await;
    }
    let report = fixture.report("bad").await;
    assert_eq!(report.reputation.unwrap().consecutive_unfilled, 3);
    assert_eq!(report.breaker, BreakerState::Closed, "the suspension is over");
    fixture.ended("bad", UNFILLED, 15).await;
    assert_eq!(
        fixture.report("bad").await.breaker,
        BreakerState::Open,
        "the next suspension is twice as long"
    );
    fixture.ended("bad", Outcome::Filled(9), 0).await;
    assert_eq!(fixture.report("bad").await.reputation.unwrap().consecutive_unfilled, 0);
}

#[tokio::test]
async fn waived_orders_do_not_count_as_unfilled() {
    let fixture = ReputationFixture::new().await;
    for minutes_ago in 1..6 {
        fixture.ended("bad", Outcome::Refunded(RefundCause::Waived), minutes_ago).await;
    }
    let report = fixture.report("bad").await;
    assert_eq!((report.breaker, report.reputation.unwrap().consecutive_unfilled), (BreakerState::Closed, 0));
}

#[tokio::test]
async fn payers_cannot_cause_a_suspension() {
    let fixture = ReputationFixture::new().await;
    fixture.ended("good", Outcome::Filled(9), 60).await;
    for minutes_ago in 1..6 {
        fixture.ended("good", Outcome::Late, minutes_ago).await;
        fixture.ended("good", Outcome::Unpayable, minutes_ago).await;
    }
    let report = fixture.report("good").await;
    let reputation = report.reputation.unwrap();
    assert_eq!((report.breaker, reputation.consecutive_unfilled), (BreakerState::Closed, 0));
    assert_eq!(reputation.fill_percent(), Some(100));
}
