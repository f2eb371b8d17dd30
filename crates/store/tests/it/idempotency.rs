use alloy_primitives::B256;
use causeway_domain::ports::{IdempotencyStore as _, KeptAnswer, KeyUse, KeyedRequest, OperatorStore as _};
use causeway_store::Store;
use jiff::{SignedDuration, Timestamp};

use crate::test_database::TestDatabase;

on_both_engines!(
    an_answer_is_kept_for_its_request_alone,
    two_requests_with_one_key_at_two_processes_have_one_winner,
    a_released_or_abandoned_key_is_claimed_again_by_the_same_request,
    an_attempt_that_lost_its_key_changes_nothing,
    a_key_is_free_again_after_a_day,
    retention_keeps_the_newest_keys_and_no_more_than_the_limit,
);

fn attempt(number: u8, request: u8, at: Timestamp) -> KeyedRequest {
    KeyedRequest {
        key: B256::repeat_byte(1),
        request: B256::repeat_byte(request),
        attempt: B256::repeat_byte(number),
        at,
    }
}

async fn claim(store: &Store, request: &KeyedRequest) -> KeyUse {
    let minute = SignedDuration::from_mins(1);
    let day = SignedDuration::from_hours(24);
    store.claim_request(request, request.at - minute, request.at - day).await.unwrap()
}

fn answer(text: &str) -> KeptAnswer {
    KeptAnswer { status: 200, body: text.as_bytes().to_vec() }
}

async fn an_answer_is_kept_for_its_request_alone(database: &TestDatabase) {
    let (one, other) = (database.store().await, database.store().await);
    let now = Timestamp::now();
    let first = attempt(1, 7, now);
    assert_eq!(claim(&one, &first).await, KeyUse::Claimed);
    assert_eq!(claim(&other, &attempt(2, 7, now)).await, KeyUse::InProgress);
    assert_eq!(claim(&other, &attempt(3, 8, now)).await, KeyUse::OtherRequest);
    one.keep_answer(&first, &answer("yes")).await.unwrap();
    assert_eq!(claim(&other, &attempt(4, 7, now)).await, KeyUse::Answered(answer("yes")));
    assert_eq!(claim(&other, &attempt(5, 8, now)).await, KeyUse::OtherRequest);
    one.release_request(&first).await.unwrap();
    assert_eq!(claim(&other, &attempt(6, 7, now)).await, KeyUse::Answered(answer("yes")), "it stays");
}

async fn two_requests_with_one_key_at_two_processes_have_one_winner(database: &TestDatabase) {
    let (one, other) = (database.store().await, database.store().await);
    let now = Timestamp::now();
    let (ours, theirs) = (attempt(1, 7, now), attempt(2, 8, now));
    let (ours, theirs) = tokio::join!(claim(&one, &ours), claim(&other, &theirs));
    let uses = [ours, theirs];
    assert!(uses.contains(&KeyUse::Claimed) && uses.contains(&KeyUse::OtherRequest), "{uses:?}");
}

async fn a_released_or_abandoned_key_is_claimed_again_by_the_same_request(database: &TestDatabase) {
    let store = database.store().await;
    let now = Timestamp::now();
    let first = attempt(1, 7, now);
    assert_eq!(claim(&store, &first).await, KeyUse::Claimed);
    store.release_request(&first).await.unwrap();
    assert_eq!(claim(&store, &attempt(2, 8, now)).await, KeyUse::Claimed, "nothing of the first is left");
    let late = now + SignedDuration::from_secs(61);
    assert_eq!(claim(&store, &attempt(3, 7, late)).await, KeyUse::OtherRequest);
    assert_eq!(claim(&store, &attempt(4, 8, late)).await, KeyUse::Claimed, "the process before died");
}

async fn an_attempt_that_lost_its_key_changes_nothing(database: &TestDatabase) {
    let store = database.store().await;
    let now = Timestamp::now();
    let late = now + SignedDuration::from_secs(61);
    let (first, second) = (attempt(1, 7, now), attempt(2, 7, late));
    claim(&store, &first).await;
    assert_eq!(claim(&store, &second).await, KeyUse::Claimed);
    store.keep_answer(&first, &answer("late")).await.unwrap();
    store.release_request(&first).await.unwrap();
    assert_eq!(claim(&store, &attempt(3, 7, late)).await, KeyUse::InProgress);
    store.keep_answer(&second, &answer("yes")).await.unwrap();
    assert_eq!(claim(&store, &attempt(4, 7, late)).await, KeyUse::Answered(answer("yes")));
}

async fn a_key_is_free_again_after_a_day(database: &TestDatabase) {
    let store = database.store().await;
    let now = Timestamp::now();
    let first = attempt(1, 7, now - SignedDuration::from_hours(25));
    claim(&store, &first).await;
    store.keep_answer(&first, &answer("yes")).await.unwrap();
    store.prune(now, now, 100).await.unwrap();
    assert_eq!(database.raw().await.count("idempotency_keys").await, 0, "it is swept");
    claim(&store, &first).await;
    store.keep_answer(&first, &answer("yes")).await.unwrap();
    assert_eq!(claim(&store, &attempt(2, 8, now)).await, KeyUse::Claimed, "also before it is swept");
}

async fn retention_keeps_the_newest_keys_and_no_more_than_the_limit(database: &TestDatabase) {
    let store = database.store().await;
    let now = Timestamp::now();
    // Somebody uses a new key for each of very many requests.
    let many = format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 200010) \
         INSERT INTO idempotency_keys (key_hash, request_hash, attempt, claimed_at) \
         SELECT CAST(number AS TEXT), 'request', 'attempt', {} + number FROM numbers",
        now.as_millisecond() - 1_000_000
    );
    database.raw().await.run(&many).await;
    claim(&store, &attempt(1, 7, now)).await;
    let removed = |limit| {
        let store = &store;
        async move { store.prune(now, now, limit).await.unwrap().answers }
    };
    assert_eq!([removed(6).await, removed(6).await, removed(6).await], [6, 5, 0]);
    assert_eq!(database.raw().await.count("idempotency_keys").await, 200_000);
    assert_eq!(claim(&store, &attempt(2, 7, now)).await, KeyUse::InProgress, "the newest stays");
}
