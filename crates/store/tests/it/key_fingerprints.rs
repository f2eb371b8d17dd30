use causeway_store::KeyClaim;

use crate::test_database::TestDatabase;

on_both_engines!(
    rule_32_the_first_process_records_a_key_and_the_others_learn_it,
    rule_32_a_quote_key_is_replaced_only_by_a_process_that_knows_the_one_before,
    a_forgotten_key_is_recorded_anew,
);

fn claim(role: &str, fingerprint: &str, replaces: &[&str]) -> KeyClaim {
    let replaces = replaces.iter().map(|text| (*text).to_owned()).collect();
    KeyClaim { role: role.to_owned(), fingerprint: fingerprint.to_owned(), replaces }
}

async fn rule_32_the_first_process_records_a_key_and_the_others_learn_it(database: &TestDatabase) {
    let (one, two) = (database.store().await, database.store().await);
    assert_eq!(one.claim_key(claim("quote", "aa", &[])).await.unwrap(), "aa");
    assert_eq!(two.claim_key(claim("quote", "bb", &[])).await.unwrap(), "aa", "it has another key");
    assert_eq!(two.claim_key(claim("relayer", "bb", &[])).await.unwrap(), "bb", "of another role");
    assert_eq!(one.claim_key(claim("quote", "aa", &[])).await.unwrap(), "aa");
}

async fn rule_32_a_quote_key_is_replaced_only_by_a_process_that_knows_the_one_before(
    database: &TestDatabase,
) {
    let (one, two) = (database.store().await, database.store().await);
    one.claim_key(claim("quote", "aa", &[])).await.unwrap();
    assert_eq!(two.claim_key(claim("quote", "bb", &["cc"])).await.unwrap(), "aa");
    assert_eq!(two.claim_key(claim("quote", "bb", &["cc", "aa"])).await.unwrap(), "bb");
    assert_eq!(one.claim_key(claim("quote", "aa", &[])).await.unwrap(), "bb", "it lacks the newer key");
}

async fn a_forgotten_key_is_recorded_anew(database: &TestDatabase) {
    let store = database.store().await;
    store.claim_key(claim("maker", "aa", &[])).await.unwrap();
    assert!(store.forget_key("maker").await.unwrap());
    assert!(!store.forget_key("maker").await.unwrap());
    assert_eq!(store.claim_key(claim("maker", "bb", &[])).await.unwrap(), "bb");
}
