use causeway_domain::RawAmount;
use causeway_domain::ports::{
    OrderStore, Outbox, OutboxPut, QuoteStore, ReservationKind, ReservationLimit, Reservations, Reserved,
};

use crate::fresh::Fresh;
use crate::outbox::{chain, outgoing, signer};
use crate::reservations::{of, units};
use crate::sample::{now, placed};

on_both_engines!(chains_that_begin_anew_have_no_outbox_and_no_reservations, orders_outlive_their_chains);

async fn chains_that_begin_anew_have_no_outbox_and_no_reservations(fresh: &Fresh) {
    let store = fresh.store().await;
    let sent = outgoing(7, "fill");
    let held = of(ReservationKind::Order, "a", 5);
    let limit = ReservationLimit { total: units(5), builds: RawAmount::ZERO };
    for _ in 0..2 {
        assert_eq!(store.put(&sent).await.unwrap(), OutboxPut::Written);
        assert_eq!(store.reserve(&held, limit, now()).await.unwrap(), Reserved::Written);
        store.forget_chains().await.unwrap();
        assert_eq!(store.open(sent.chain, sent.signer).await.unwrap(), []);
        assert_eq!(store.for_purpose(sent.chain, "fill").await.unwrap(), None);
        assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), None);
        assert_eq!(store.all_reserved(&held.filler, now()).await.unwrap(), []);
        for table in ["outbox", "attempts", "reservations"] {
            assert_eq!(fresh.raw().await.count(table).await, 0, "{table}");
        }
    }
}

async fn orders_outlive_their_chains(fresh: &Fresh) {
    let store = fresh.store().await;
    let order = placed(&store, |_| ()).await;
    store.forget_chains().await.unwrap();
    assert_eq!(store.order(&order.id).await.unwrap(), Some(order.clone()));
    assert!(store.quote(&order.quote).await.unwrap().is_some());
    assert_eq!(store.story(&order.id).await.unwrap().len(), 1);
}
