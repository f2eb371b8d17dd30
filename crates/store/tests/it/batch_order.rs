use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    ChainStore as _, FinalityTier, InventoryStore as _, OrderStore as _, Outbox as _, Reservation,
};
use causeway_domain::{FactKind, IntentState, Order, RawAmount, TokenId};
use causeway_store::Store;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::facts::{cursor_at, fact};
use crate::outbox::{chain, outgoing};
use crate::reservations::{limit, order as reservation};
use crate::sample::{now, order, placed, put};
use crate::test_database::TestDatabase;

on_both_engines!(
    batches_that_share_books_and_nonces_never_wait_in_a_circle,
    batches_that_share_orders_never_wait_in_a_circle,
);

/// Two processes on one database.
struct Replicas([Arc<Store>; 2]);

type Write = BoxFuture<'static, ()>;

impl Replicas {
    async fn start(database: &TestDatabase) -> Self {
        Self([Arc::new(database.store().await), Arc::new(database.store().await)])
    }

    /// Lets each of them commit these writes in one batch, both at the same time.
    async fn commit(&self, database: &TestDatabase, writes: impl Fn(usize, Arc<Store>) -> Vec<Write>) {
        let stall = database.stall().await;
        // A new order keeps each writer busy, so that the rest gathers behind it.
        let busy =
            self.0.clone().map(|store| tokio::spawn(async move { put(&store, &order()).await.unwrap() }));
        sleep(Duration::from_millis(100)).await;
        let mut gathered: Vec<JoinHandle<()>> = Vec::new();
        for (number, store) in self.0.iter().enumerate() {
            for (place, write) in writes(number, Arc::clone(store)).into_iter().enumerate() {
                gathered.push(tokio::spawn(write));
                // They are queued in this order.
                while store.queued() <= place {
                    sleep(Duration::from_millis(1)).await;
                }
            }
        }
        stall.release().await;
        for write in join_all(busy).await.into_iter().chain(join_all(gathered).await) {
            write.unwrap();
        }
    }

    /// How often the server had to end a circle.
    async fn circles(self, database: &TestDatabase) -> i64 {
        // The server's processes report what they counted as they end.
        for store in self.0 {
            store.close().await;
        }
        sleep(Duration::from_millis(300)).await;
        database.raw().await.deadlocks().await
    }
}

async fn placed_orders(store: &Store, count: usize) -> Vec<Order> {
    let mut orders = Vec::new();
    for _ in 0..count {
        orders.push(placed(store, |_| ()).await);
    }
    orders
}

async fn batches_that_share_books_and_nonces_never_wait_in_a_circle(database: &TestDatabase) {
    let replicas = Replicas::start(database).await;
    let orders = [placed_orders(&replicas.0[0], 12).await, placed_orders(&replicas.0[1], 12).await];
    let writes = |number: usize, store: Arc<Store>| {
        let mut writes: Vec<Write> = Vec::new();
        for (place, order) in (0_u64..).zip(orders[number].clone()) {
            let (orders_store, outbox, books) = (Arc::clone(&store), Arc::clone(&store), Arc::clone(&store));
            let token = TokenId::native(chain(1 + place));
            let holder = format!("order {place} of replica {number}");
            let sent = outgoing(place, &holder);
            writes.push(
                async move {
                    orders_store.update_order(&order, &[]).await.unwrap();
                }
                .boxed(),
            );
            writes.push(async move { drop(outbox.put(&sent).await.unwrap()) }.boxed());
            let held = Reservation { token, ..reservation(&holder, 1) };
            writes.push(
                async move {
                    books.reserve(&held, limit(100, 0), now()).await.unwrap();
                }
                .boxed(),
            );
        }
        if number == 1 {
            // The other way round: circles everywhere, if rows were locked as writes come.
            writes.reverse();
        }
        writes
    };
    for _ in 0..3 {
        replicas.commit(database, writes).await;
    }
    assert_eq!(replicas.circles(database).await, 0);
}

async fn batches_that_share_orders_never_wait_in_a_circle(database: &TestDatabase) {
    let replicas = Replicas::start(database).await;
    let orders = placed_orders(&replicas.0[0], 100).await;
    for round in 0..3_u64 {
        let writes = |number: usize, store: Arc<Store>| {
            let mut writes: Vec<Write> = Vec::new();
            for place in 0..4_u64 {
                let (store, read) = (Arc::clone(&store), chain(1 + place));
                let filled = |order: &Order| {
                    let mut fact = fact(
                        order,
                        FactKind::Filled(RawAmount::ZERO),
                        &format!("{} {round}", order.id),
                        round,
                    );
                    fact.place.chain = read;
                    fact
                };
                let facts: Vec<_> = orders.iter().map(filled).collect();
                writes.push(
                    async move {
                        let cursor = cursor_at(round);
                        let tier = FinalityTier::Standard;
                        store.record_facts(read, tier, cursor, &facts, now()).await.unwrap();
                    }
                    .boxed(),
                );
            }
            for order in orders.clone() {
                let store = Arc::clone(&store);
                writes.push(
                    async move {
                        store.postpone(&order).await.unwrap();
                    }
                    .boxed(),
                );
            }
            let mut ids: Vec<_> = orders.iter().map(|order| (order.id.clone(), IntentState::Open)).collect();
            if number == 1 {
                ids.reverse();
            }
            writes.push(async move { store.mark_recorded(&ids).await.unwrap() }.boxed());
            if number == 1 {
                writes.reverse();
            }
            writes
        };
        replicas.commit(database, writes).await;
    }
    assert_eq!(replicas.circles(database).await, 0);
}
