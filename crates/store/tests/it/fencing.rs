//! A process that stands still for longer than its lease, while another one takes its work over, does no harm when it wakes up.

use causeway_domain::ports::{OrderStore, Outbox, OutboxPut, OutgoingEnd};
use causeway_domain::{EventKind, Order, OrderStatus};
use causeway_store::Store;
use jiff::Timestamp;

use crate::outbox::{add, attempt, chain, end, for_purpose, outgoing, put, signer};
use crate::sample::{event, now, placed, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    rule_13_an_order_that_was_taken_over_is_not_written_by_who_had_it_before,
    rule_13_a_purpose_that_was_taken_over_is_sent_once,
);

/// The lease of an order.
const LEASE: i64 = 20;

/// The only order that is due then, leased.
async fn claimed(store: &Store, at: Timestamp) -> Order {
    let mut claimed = store.claim_due(at, at + seconds(LEASE), 9).await.unwrap();
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

async fn rule_13_an_order_that_was_taken_over_is_not_written_by_who_had_it_before(database: &TestDatabase) {
    let (stopped, other) = (database.store().await, database.store().await);
    let id = placed(&stopped, |_| ()).await.id;
    let begun = now();
    let held = claimed(&stopped, begun).await;
    let late = held.clone().transition_to(OrderStatus::Failed, begun).unwrap();
    // It stops here, with its write prepared.
    let taken_over = begun + seconds(LEASE);
    let theirs = claimed(&other, taken_over).await;
    assert_eq!(theirs, held, "both know the same order");
    let theirs = theirs.transition_to(OrderStatus::Deposited, taken_over).unwrap();
    let told = event(&theirs, EventKind::Status(OrderStatus::Deposited), taken_over);
    assert!(other.update_order(&theirs, &[told]).await.unwrap());
    let stored = other.order(&id).await.unwrap().unwrap();
    let events = other.order_events(&id).await.unwrap();

    // It wakes up.
    let told = event(&late, EventKind::Status(OrderStatus::Failed), begun);
    assert!(!stopped.update_order(&late, &[told]).await.unwrap());
    assert!(!stopped.postpone(&Order { due_at: None, ..held }).await.unwrap());
    assert_eq!(stopped.order(&id).await.unwrap().unwrap(), stored);
    assert_eq!(stopped.order_events(&id).await.unwrap(), events);
    assert_eq!(
        claimed(&other, taken_over).await.id,
        id,
        "its lease is not the late process's to end or to take"
    );
    let due = stopped.claim_due(taken_over, taken_over + seconds(LEASE), 9).await.unwrap();
    assert_eq!(due, [], "the other process has it");
}

async fn rule_13_a_purpose_that_was_taken_over_is_sent_once(database: &TestDatabase) {
    let (stopped, other) = (database.store().await, database.store().await);
    // Each has signed its own transaction for the fill; the first stops before it has stored what it signed.
    let (late, theirs) = (outgoing(7, "fill:order"), outgoing(8, "fill:order"));
    put(&other, &theirs).await;
    let existing = OutboxPut::Existing(Box::new(theirs.clone()));
    assert_eq!(stopped.put(&late).await.unwrap(), existing, "nothing else is sent");
    assert!(add(&stopped, &late, &attempt("late")).await.is_err(), "nor is it replaced");
    // Nor with the nonce that the other process has used for something else.
    let used = outgoing(7, "fill:another order");
    put(&other, &used).await;
    assert_eq!(stopped.put(&outgoing(7, "claim:order")).await.unwrap(), OutboxPut::NonceTaken);
    end(&other, &theirs, OutgoingEnd::Succeeded(theirs.attempts[0].hash)).await;
    let ended = for_purpose(&other, &theirs).await.unwrap();
    let existing = OutboxPut::Existing(Box::new(ended));
    assert_eq!(stopped.put(&late).await.unwrap(), existing, "nor after that has ended");
    assert_eq!(stopped.open(chain(8453), signer()).await.unwrap(), [used]);
}
