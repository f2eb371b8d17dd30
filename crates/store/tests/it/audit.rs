use causeway_domain::RowKeys;
use causeway_domain::ports::{AuditEvent, AuditLog};

use crate::fresh::Fresh;
use crate::sample::now;

on_both_engines!(audit_lines_stay_and_come_newest_first,);

async fn audit_lines_stay_and_come_newest_first(fresh: &Fresh) {
    let (store, reader) = (fresh.store().await, fresh.store().await);
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
}
