use causeway_domain::ports::{AuditEvent, FeeRecord, OperatorStore};
use causeway_domain::{ChainId, RowKeys};

use crate::sample::{days_ago, now};
use crate::test_database::TestDatabase;

on_both_engines!(
    audit_events_are_listed_newest_first,
    old_audit_events_are_pruned_oldest_first,
    fees_are_recorded_once_and_listed_newest_first_until_they_are_pruned
);

async fn audit_events_are_listed_newest_first(database: &TestDatabase) {
    let (store, reader) = (database.store().await, database.store().await);
    let keys = RowKeys::new(3);
    let line = |subject: &str| AuditEvent {
        key: keys.next(now()),
        kind: "screening.hit".to_owned(),
        subject: subject.to_owned(),
        detail: "on the list".to_owned(),
        at: now(),
    };
    let lines = [line("one"), line("two"), line("three")];
    for line in &lines {
        store.record_audit(line).await.unwrap();
    }
    let [one, two, three] = lines;
    assert_eq!(reader.audit(None, 10).await.unwrap(), [three.clone(), two.clone(), one.clone()]);
    assert_eq!(reader.audit(None, 2).await.unwrap(), [three.clone(), two.clone()]);
    assert_eq!(reader.audit(Some(two.key), 10).await.unwrap(), [one]);
    assert!(store.record_audit(&three).await.is_err(), "a line is never written over");
    let merged = AuditEvent { detail: "the last of 4".to_owned(), ..three.clone() };
    store.merge_screening_hit(&merged).await.unwrap();
    let other = AuditEvent { subject: "another".to_owned(), detail: "forged".to_owned(), ..two.clone() };
    store.merge_screening_hit(&other).await.unwrap();
    assert_eq!(reader.audit(None, 2).await.unwrap(), [merged, two]);
}

async fn old_audit_events_are_pruned_oldest_first(database: &TestDatabase) {
    let store = database.store().await;
    let keys = RowKeys::new(0);
    let mut lines = Vec::new();
    for days in [9, 8, 7, 1] {
        let at = days_ago(days);
        let text = |text: &str| text.to_owned();
        let (kind, subject, detail) = (text("screening"), text("a wallet"), text("listed"));
        let line = AuditEvent { key: keys.next(at), kind, subject, detail, at };
        store.record_audit(&line).await.unwrap();
        lines.insert(0, line);
    }
    assert_eq!(store.prune_audit(days_ago(5), 2).await.unwrap(), 2);
    assert_eq!(store.audit(None, 10).await.unwrap(), lines[..2]);
    assert_eq!(store.prune_audit(days_ago(5), 2).await.unwrap(), 1);
    assert_eq!(store.prune_audit(days_ago(5), 2).await.unwrap(), 0);
    assert_eq!(store.audit(None, 10).await.unwrap(), lines[..1]);
}

async fn fees_are_recorded_once_and_listed_newest_first_until_they_are_pruned(database: &TestDatabase) {
    let (store, reader) = (database.store().await, database.store().await);
    let fee = |purpose: &str, fee: &str, days: i64| FeeRecord {
        chain: ChainId::new(8_453).unwrap(),
        purpose: purpose.to_owned(),
        filler: "north".to_owned(),
        fee: fee.parse().unwrap(),
        at: days_ago(days),
    };
    // Larger than any integer of a database.
    let large = "1".repeat(60);
    let (old, new) = (fee("fill:1", &large, 9), fee("claim:1", "7", 1));
    store.record_fee(&old).await.unwrap();
    store.record_fee(&new).await.unwrap();
    store.record_fee(&fee("claim:1", "8", 0)).await.unwrap();
    assert_eq!(reader.fees(days_ago(10), 10).await.unwrap(), [new.clone(), old]);
    assert_eq!(reader.fees(days_ago(10), 1).await.unwrap(), std::slice::from_ref(&new));
    assert_eq!(reader.fees(days_ago(2), 10).await.unwrap(), std::slice::from_ref(&new));
    assert_eq!(store.prune(days_ago(30), days_ago(5), 10).await.unwrap().events, 1);
    assert_eq!(reader.fees(days_ago(10), 10).await.unwrap(), [new]);
}
