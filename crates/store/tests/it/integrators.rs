use alloy_primitives::B256;
use causeway_domain::Address;
use causeway_domain::ports::{ApiKey, ApiScope, Integrator, IntegratorStore as _, KeyRotation, QuoteCount};
use jiff::Timestamp;

use crate::sample::seconds;
use crate::test_database::TestDatabase;

on_both_engines!(
    an_integrator_and_its_keys_are_what_every_process_sees,
    a_name_is_taken_once,
    a_rotation_leaves_two_valid_keys_and_no_third,
    two_rotations_at_two_processes_leave_two_valid_keys,
    revoking_ends_one_key_or_all_and_counts_each_once,
    quotes_of_all_processes_add_up_by_day,
);

fn start() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn integrator(name: &str) -> Integrator {
    Integrator {
        name: name.to_owned(),
        scopes: vec![ApiScope::Quotes, ApiScope::Fiat],
        evm_referrer: Some(Address::Evm(alloy_primitives::Address::repeat_byte(7))),
        solana_referrer: Some(Address::Solana([8; 32])),
        fee_bps: 25,
        quotes_per_day: Some(1_000),
        added_at: start(),
    }
}

fn key(integrator: &str, number: u8) -> ApiKey {
    ApiKey {
        id: format!("{number:08x}"),
        integrator: integrator.to_owned(),
        hash: B256::repeat_byte(number),
        made_at: start() + seconds(i64::from(number)),
        expires_at: None,
        revoked_at: None,
    }
}

async fn an_integrator_and_its_keys_are_what_every_process_sees(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let bare = Integrator {
        scopes: vec![ApiScope::Builds],
        evm_referrer: None,
        solana_referrer: None,
        fee_bps: 0,
        quotes_per_day: None,
        ..integrator("bare")
    };
    let expiring = ApiKey { expires_at: Some(start() + seconds(60)), ..key("bare", 1) };
    assert!(one.add_integrator(&integrator("shop"), &key("shop", 2)).await.unwrap());
    assert!(one.add_integrator(&bare, &expiring).await.unwrap());
    assert_eq!(two.integrators().await.unwrap(), [bare, integrator("shop")]);
    assert_eq!(two.api_keys().await.unwrap(), [expiring, key("shop", 2)]);
}

async fn a_name_is_taken_once(database: &TestDatabase) {
    let store = database.store().await;
    assert!(store.add_integrator(&integrator("shop"), &key("shop", 1)).await.unwrap());
    let other = Integrator { fee_bps: 0, ..integrator("shop") };
    assert!(!store.add_integrator(&other, &key("shop", 2)).await.unwrap());
    assert_eq!(store.integrators().await.unwrap(), [integrator("shop")]);
    assert_eq!(store.api_keys().await.unwrap(), [key("shop", 1)]);
}

async fn a_rotation_leaves_two_valid_keys_and_no_third(database: &TestDatabase) {
    let store = database.store().await;
    let ends = start() + seconds(3_600);
    store.add_integrator(&integrator("shop"), &key("shop", 1)).await.unwrap();
    store.add_integrator(&integrator("other"), &key("other", 9)).await.unwrap();
    assert_eq!(store.rotate_api_key(&key("nobody", 2), ends).await.unwrap(), KeyRotation::Unknown);
    assert_eq!(store.rotate_api_key(&key("shop", 2), ends).await.unwrap(), KeyRotation::Done);
    assert_eq!(store.rotate_api_key(&key("shop", 3), ends).await.unwrap(), KeyRotation::TwoValid);
    let old = ApiKey { expires_at: Some(ends), ..key("shop", 1) };
    assert_eq!(store.api_keys().await.unwrap(), [old.clone(), key("shop", 2), key("other", 9)]);
    // Once the first has expired there is room again, and an end that comes sooner stays.
    let later = ApiKey { made_at: ends, ..key("shop", 4) };
    assert_eq!(store.rotate_api_key(&later, ends + seconds(60)).await.unwrap(), KeyRotation::Done);
    let keys = store.api_keys().await.unwrap();
    assert_eq!(keys[0], old);
    let valid = keys.iter().filter(|key| key.integrator == "shop" && key.is_valid(ends)).count();
    assert_eq!(valid, 2, "{keys:?}");
}

async fn two_rotations_at_two_processes_leave_two_valid_keys(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    one.add_integrator(&integrator("shop"), &key("shop", 1)).await.unwrap();
    let ends = start() + seconds(3_600);
    let (ours, theirs) = (key("shop", 2), key("shop", 3));
    let (first, second) = tokio::join!(one.rotate_api_key(&ours, ends), two.rotate_api_key(&theirs, ends));
    let outcomes = [first.unwrap(), second.unwrap()];
    assert!(
        outcomes.contains(&KeyRotation::Done) && outcomes.contains(&KeyRotation::TwoValid),
        "{outcomes:?}"
    );
    assert_eq!(one.api_keys().await.unwrap().len(), 2);
}

async fn revoking_ends_one_key_or_all_and_counts_each_once(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let at = start() + seconds(10);
    one.add_integrator(&integrator("shop"), &key("shop", 1)).await.unwrap();
    one.add_integrator(&integrator("other"), &key("other", 9)).await.unwrap();
    one.rotate_api_key(&key("shop", 2), at + seconds(60)).await.unwrap();
    assert_eq!(two.revoke_api_keys("shop", Some("00000009"), at).await.unwrap(), 0, "the key of another");
    assert_eq!(two.revoke_api_keys("shop", Some("00000001"), at).await.unwrap(), 1);
    assert_eq!(two.revoke_api_keys("shop", Some("00000001"), at + seconds(1)).await.unwrap(), 0);
    assert_eq!(two.revoke_api_keys("shop", None, at).await.unwrap(), 1, "the one that is left");
    let keys = one.api_keys().await.unwrap();
    let revoked: Vec<_> = keys.iter().map(|key| (key.id.as_str(), key.revoked_at)).collect();
    assert_eq!(revoked, [("00000001", Some(at)), ("00000002", Some(at)), ("00000009", None)]);
}

async fn quotes_of_all_processes_add_up_by_day(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    let count = |integrator: &str, day, quotes| QuoteCount { integrator: integrator.to_owned(), day, quotes };
    one.add_quote_counts(&[count("shop", 20_000, 3), count("other", 20_000, 1)]).await.unwrap();
    two.add_quote_counts(&[count("other", 20_001, 5), count("shop", 20_000, 4)]).await.unwrap();
    one.add_quote_counts(&[]).await.unwrap();
    assert_eq!(
        one.quote_counts(20_000).await.unwrap(),
        [count("other", 20_000, 1), count("shop", 20_000, 7)]
    );
    assert_eq!(two.quote_counts(20_001).await.unwrap(), [count("other", 20_001, 5)]);
    assert_eq!(two.quote_counts(19_999).await.unwrap(), []);
}
