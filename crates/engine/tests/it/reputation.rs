use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, Filler, FillerAsk, FillerError, OrderStore as _, QuoteStore as _, Refusal,
};
use causeway_domain::{EventKind, Order, OrderEvent, OrderStatus, Quote, RefundCause, Route, RowKeys, Shown};
use causeway_engine::{BreakerState, FillerReport, Fillers, KeepReputation, QuoteOptions};
use causeway_store::{Location, Store};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::sample;
use crate::scene::{DESTINATION, ORIGIN, chain, raw};

/// A filler that is only judged here.
struct Judged(&'static str);

#[async_trait]
impl Filler for Judged {
    fn name(&self) -> &str {
        self.0
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, _: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(Answer::Refused(Refusal::PairNotServed))
    }
}

struct Bench {
    store: Arc<Store>,
    fillers: Fillers,
    keep: KeepReputation,
    row_keys: RowKeys,
    _folder: TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(&Location::Sqlite(folder.path().join("test.db"))).await.unwrap());
        let fillers = ["good", "bad"].map(|name| Arc::new(Judged(name)) as Arc<dyn Filler>).to_vec();
        let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
        let keep = KeepReputation::new(store.clone(), store.clone(), fillers.clone());
        Self { store, fillers, keep, row_keys: RowKeys::new(0), _folder: folder }
    }

    /// An order of that filler that ended so many minutes ago, of a quote in which these were offered.
    async fn ended(&self, filler: &str, ended: Ended, minutes_ago: i64, offers: &[(&str, u64)]) {
        let mut quote: Quote = sample::quote(&self.row_keys);
        let route = quote.routes[0].clone();
        let offered = |(filler, out): &(&str, u64)| Route {
            id: filler.parse().unwrap(),
            filler: (*filler).to_owned(),
            amount_out: raw(*out),
            ..route.clone()
        };
        quote.routes = std::iter::once(route.clone()).chain(offers.iter().map(offered)).collect();
        if !offers.is_empty() {
            quote.routes.remove(0);
            quote.routes.iter_mut().for_each(|route| route.min_amount_out = route.amount_out);
        }
        self.store.put_quote(&quote).await.unwrap();
        let at = Timestamp::now() - SignedDuration::from_mins(minutes_ago);
        let shown =
            |on, time| Shown { chain: chain(on), tx: "0xab".to_owned(), block: 1, time, amount: raw(1) };
        let mut order: Order = sample::order(&quote, &self.row_keys);
        order.route = quote.routes[0].id.clone();
        order.filler = filler.to_owned();
        order.evidence.deposit = Some(shown(ORIGIN, 1_000));
        (order.updated_at, order.due_at) = (at, None);
        match ended {
            Ended::Filled(seconds) => {
                order.status = OrderStatus::Filled;
                order.evidence.fill = Some(shown(DESTINATION, 1_000 + seconds));
            }
            Ended::Refunded(cause) => {
                order.status = OrderStatus::Refunded;
                order.evidence.refund = Some((shown(ORIGIN, 9_000), cause));
            }
            Ended::Late => {
                order.status = OrderStatus::Refunded;
                let late = u64::try_from(order.valid_before.as_second()).unwrap() + 1;
                order.evidence.deposit = Some(shown(ORIGIN, late));
                order.evidence.refund = Some((shown(ORIGIN, late + 1), RefundCause::Unfilled));
            }
            Ended::Unpayable => {
                order.status = OrderStatus::Refunded;
                order.note_unpayable("it takes nothing");
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

    async fn judged(&self, filler: &str) -> FillerReport {
        self.keep.turn(Timestamp::now()).await.unwrap();
        self.fillers.reports().into_iter().find(|report| report.name == filler).unwrap()
    }
}

#[derive(Clone, Copy)]
enum Ended {
    Filled(u64),
    Refunded(RefundCause),
    /// The deposit was made when the price held no more, and nobody delivered.
    Late,
    Unpayable,
}

const LEFT: Ended = Ended::Refunded(RefundCause::Unfilled);

#[tokio::test]
async fn a_name_is_made_of_deliveries_their_time_and_prices_against_the_median() {
    let bench = Bench::new().await;
    for seconds in [10, 30, 20] {
        bench
            .ended("good", Ended::Filled(seconds), 50, &[("good", 10_100), ("mid", 10_000), ("bad", 9_900)])
            .await;
    }
    bench.ended("good", Ended::Refunded(RefundCause::Waived), 40, &[("good", 10_000)]).await;
    let standing = bench.judged("good").await.standing.unwrap();
    assert_eq!((standing.orders, standing.filled, standing.fill_percent()), (4, 3, Some(75)));
    assert_eq!((standing.median_seconds, standing.price_bps), (Some(20), Some(100)));
    assert_eq!((standing.left_in_a_row, standing.rests_until), (0, None));
    let other = bench.judged("bad").await.standing.unwrap();
    assert_eq!((other.orders, other.price_bps), (0, Some(-100)), "it offered, and nobody took it");
}

#[tokio::test]
async fn who_wins_and_never_fills_rests_and_is_then_tried_again() {
    let bench = Bench::new().await;
    for minutes_ago in [5, 4] {
        bench.ended("bad", LEFT, minutes_ago, &[]).await;
    }
    assert_eq!(bench.judged("bad").await.breaker, BreakerState::Closed, "two may be bad luck");
    bench.ended("bad", LEFT, 1, &[]).await;
    let report = bench.judged("bad").await;
    assert_eq!(report.breaker, BreakerState::Open);
    assert_eq!(report.standing.unwrap().left_in_a_row, 3);
    assert_eq!(bench.judged("good").await.breaker, BreakerState::Closed);
}

#[tokio::test]
async fn a_rest_is_counted_from_the_last_order_that_was_left() {
    let bench = Bench::new().await;
    for minutes_ago in [60, 50, 40] {
        bench.ended("bad", LEFT, minutes_ago, &[]).await;
    }
    let report = bench.judged("bad").await;
    assert_eq!(report.standing.unwrap().left_in_a_row, 3);
    assert_eq!(report.breaker, BreakerState::Closed, "it has rested, and is tried");
    bench.ended("bad", LEFT, 15, &[]).await;
    assert_eq!(bench.judged("bad").await.breaker, BreakerState::Open, "the next rest is twice as long");
    bench.ended("bad", Ended::Filled(9), 0, &[]).await;
    assert_eq!(bench.judged("bad").await.standing.unwrap().left_in_a_row, 0);
}

#[tokio::test]
async fn who_says_no_in_time_breaks_no_word() {
    let bench = Bench::new().await;
    for minutes_ago in 1..6 {
        bench.ended("bad", Ended::Refunded(RefundCause::Waived), minutes_ago, &[]).await;
    }
    let report = bench.judged("bad").await;
    assert_eq!((report.breaker, report.standing.unwrap().left_in_a_row), (BreakerState::Closed, 0));
}

#[tokio::test]
async fn nobody_puts_a_filler_to_rest_by_what_a_payer_chooses() {
    let bench = Bench::new().await;
    bench.ended("good", Ended::Filled(9), 60, &[]).await;
    for minutes_ago in 1..6 {
        bench.ended("good", Ended::Late, minutes_ago, &[]).await;
        bench.ended("good", Ended::Unpayable, minutes_ago, &[]).await;
    }
    let report = bench.judged("good").await;
    let standing = report.standing.unwrap();
    assert_eq!((report.breaker, standing.left_in_a_row), (BreakerState::Closed, 0));
    assert_eq!(standing.fill_percent(), Some(100));
}
