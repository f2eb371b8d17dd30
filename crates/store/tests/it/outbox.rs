use alloy_primitives::{B256, keccak256};
use causeway_domain::ports::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd, StoreError};
use causeway_domain::{Address, ChainId};
use causeway_store::Store;

use crate::sample::{AUTHOR, evm, now, seconds};
use crate::test_database::TestDatabase;

on_both_engines!(
    a_transaction_round_trips,
    rule_13_a_nonce_is_taken_once_per_chain_and_signer,
    a_purpose_has_one_open_transaction_per_chain,
    a_purpose_is_free_again_only_after_it_was_superseded,
    the_same_attempt_twice_is_written_once,
    attempts_are_listed_in_the_order_they_were_made,
    an_attempt_is_rejected_after_the_end_and_without_a_transaction,
    the_first_end_is_final,
    open_transactions_are_listed_by_nonce,
    the_highest_nonce_includes_ended_transactions,
    transactions_are_found_by_when_they_were_signed,
    invalid_transactions_are_rejected,
    an_unreadable_transaction_is_corrupt,
    unknown_transactions_are_recorded_until_they_are_final,
);

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(crate) fn signer() -> Address {
    evm(AUTHOR)
}

pub(crate) fn attempt(words: &str) -> Attempt {
    Attempt {
        hash: keccak256(words),
        raw: [&[0, 2, 255], words.as_bytes()].concat(),
        max_fee_per_gas: u128::MAX,
        priority_fee_per_gas: Some(0),
        made_at: now(),
    }
}

pub(crate) fn outgoing(nonce: u64, purpose: &str) -> Outgoing {
    Outgoing {
        chain: chain(8453),
        signer: signer(),
        nonce,
        purpose: purpose.to_owned(),
        attempts: vec![attempt(&format!("{nonce} {purpose}"))],
        end: None,
    }
}

pub(crate) async fn put(store: &Store, outgoing: &Outgoing) {
    assert_eq!(store.put(outgoing).await.unwrap(), OutboxPut::Written);
}

pub(crate) async fn end(store: &Store, outgoing: &Outgoing, end: OutgoingEnd) {
    store.end(outgoing.chain, outgoing.signer, outgoing.nonce, end).await.unwrap();
}

pub(crate) async fn add(store: &Store, outgoing: &Outgoing, attempt: &Attempt) -> Result<(), StoreError> {
    store.add_attempt(outgoing.chain, outgoing.signer, outgoing.nonce, attempt).await
}

pub(crate) async fn for_purpose(store: &Store, outgoing: &Outgoing) -> Option<Outgoing> {
    store.for_purpose(outgoing.chain, &outgoing.purpose).await.unwrap()
}

async fn a_transaction_round_trips(database: &TestDatabase) {
    let store = database.store().await;
    let full = outgoing(0, "fill ‘one’");
    let mut bare = Outgoing { chain: chain(ChainId::MAX), ..outgoing(i64::MAX as u64, "") };
    bare.signer = Address::Solana([7; 32]);
    bare.attempts =
        vec![Attempt { raw: Vec::new(), max_fee_per_gas: 0, priority_fee_per_gas: None, ..attempt("bare") }];
    for outgoing in [full, bare] {
        assert_eq!(for_purpose(&store, &outgoing).await, None);
        put(&store, &outgoing).await;
        assert_eq!(
            store.open(outgoing.chain, outgoing.signer).await.unwrap(),
            std::slice::from_ref(&outgoing)
        );
        assert_eq!(for_purpose(&store, &outgoing).await, Some(outgoing));
    }
}

async fn rule_13_a_nonce_is_taken_once_per_chain_and_signer(database: &TestDatabase) {
    let store = database.store().await;
    let first = outgoing(7, "a");
    put(&store, &first).await;
    assert_eq!(store.put(&outgoing(7, "b")).await.unwrap(), OutboxPut::NonceTaken);
    assert_eq!(store.for_purpose(chain(8453), "b").await.unwrap(), None);
    put(&store, &Outgoing { chain: chain(1), ..outgoing(7, "b") }).await;
    let stranger = evm("0x00000000000000000000000000000000000000aa");
    put(&store, &Outgoing { signer: stranger, ..outgoing(7, "c") }).await;
    for ended in [OutgoingEnd::Succeeded(B256::ZERO), OutgoingEnd::Superseded] {
        let other =
            outgoing(first.nonce + 1 + u64::from(ended == OutgoingEnd::Superseded), &format!("{ended:?}"));
        put(&store, &other).await;
        end(&store, &other, ended).await;
        assert_eq!(store.put(&outgoing(other.nonce, "d")).await.unwrap(), OutboxPut::NonceTaken);
    }
    assert_eq!(store.open(chain(8453), signer()).await.unwrap(), [first]);
}

async fn a_purpose_has_one_open_transaction_per_chain(database: &TestDatabase) {
    let store = database.store().await;
    let first = outgoing(1, "fill");
    put(&store, &first).await;
    let existing = OutboxPut::Existing(Box::new(first.clone()));
    let stranger = evm("0x00000000000000000000000000000000000000aa");
    for second in [first.clone(), outgoing(2, "fill"), Outgoing { signer: stranger, ..outgoing(2, "fill") }] {
        assert_eq!(store.put(&second).await.unwrap(), existing);
    }
    assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), Some(1));
    assert_eq!(store.highest_nonce(chain(8453), stranger).await.unwrap(), None);
    put(&store, &Outgoing { chain: chain(1), ..outgoing(2, "fill") }).await;
    assert_eq!(for_purpose(&store, &first).await, Some(first));
}

async fn a_purpose_is_free_again_only_after_it_was_superseded(database: &TestDatabase) {
    let store = database.store().await;
    for (nonce, ended) in
        [(0, OutgoingEnd::Succeeded(B256::repeat_byte(1))), (10, OutgoingEnd::Reverted(B256::repeat_byte(2)))]
    {
        let mut first = outgoing(nonce, &format!("fill {nonce}"));
        put(&store, &first).await;
        end(&store, &first, ended).await;
        first.end = Some(ended);
        let again = store.put(&outgoing(nonce + 1, &first.purpose)).await.unwrap();
        assert_eq!(again, OutboxPut::Existing(Box::new(first.clone())));
        assert_eq!(for_purpose(&store, &first).await, Some(first));
    }
    let lost = outgoing(20, "fill 20");
    put(&store, &lost).await;
    end(&store, &lost, OutgoingEnd::Superseded).await;
    assert_eq!(for_purpose(&store, &lost).await, None);
    let anew = outgoing(21, "fill 20");
    put(&store, &anew).await;
    assert_eq!(for_purpose(&store, &lost).await, Some(anew.clone()));
    end(&store, &anew, OutgoingEnd::Superseded).await;
    put(&store, &outgoing(22, "fill 20")).await;
}

async fn the_same_attempt_twice_is_written_once(database: &TestDatabase) {
    let store = database.store().await;
    let mut sent = outgoing(1, "fill");
    put(&store, &sent).await;
    let dearer = attempt("dearer");
    for _ in 0..3 {
        add(&store, &sent, &dearer).await.unwrap();
    }
    add(&store, &sent, &sent.attempts[0]).await.unwrap();
    // The hash tells what the attempt is; the caller's clock may have gone on.
    add(&store, &sent, &Attempt { made_at: now() + seconds(9), ..dearer.clone() }).await.unwrap();
    sent.attempts.push(dearer);
    assert_eq!(for_purpose(&store, &sent).await, Some(sent));
}

async fn attempts_are_listed_in_the_order_they_were_made(database: &TestDatabase) {
    let store = database.store().await;
    let mut sent = outgoing(1, "fill");
    sent.attempts.push(attempt("second"));
    put(&store, &sent).await;
    for words in ["z", "m", "a", "k"] {
        let attempt = attempt(words);
        add(&store, &sent, &attempt).await.unwrap();
        sent.attempts.push(attempt);
    }
    assert_eq!(store.open(sent.chain, sent.signer).await.unwrap(), [sent.clone()]);
    assert_eq!(store.put(&sent).await.unwrap(), OutboxPut::Existing(Box::new(sent)));
}

async fn an_attempt_is_rejected_after_the_end_and_without_a_transaction(database: &TestDatabase) {
    let store = database.store().await;
    let hash = B256::repeat_byte(1);
    let ends = [OutgoingEnd::Succeeded(hash), OutgoingEnd::Reverted(hash), OutgoingEnd::Superseded];
    for (nonce, ended) in (0..).zip(ends) {
        let sent = outgoing(nonce, &format!("fill {nonce}"));
        put(&store, &sent).await;
        end(&store, &sent, ended).await;
        for late in [&attempt("late"), &sent.attempts[0]] {
            let error = add(&store, &sent, late).await.unwrap_err();
            assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
        }
    }
    let unknown = outgoing(99, "never written");
    assert!(matches!(add(&store, &unknown, &attempt("x")).await, Err(StoreError::Conflict(_))));
    assert_eq!(database.raw().await.count("attempts").await, 3);
}

async fn the_first_end_is_final(database: &TestDatabase) {
    let store = database.store().await;
    let hash = B256::repeat_byte(1);
    let mut sent = outgoing(1, "fill");
    put(&store, &sent).await;
    end(&store, &sent, OutgoingEnd::Succeeded(hash)).await;
    sent.end = Some(OutgoingEnd::Succeeded(hash));
    for later in
        [OutgoingEnd::Superseded, OutgoingEnd::Reverted(B256::ZERO), OutgoingEnd::Succeeded(B256::ZERO)]
    {
        end(&store, &sent, later).await;
    }
    assert_eq!(for_purpose(&store, &sent).await, Some(sent));

    let lost = outgoing(2, "claim");
    put(&store, &lost).await;
    end(&store, &lost, OutgoingEnd::Superseded).await;
    end(&store, &lost, OutgoingEnd::Succeeded(hash)).await;
    assert_eq!(for_purpose(&store, &lost).await, None);
    // Nothing to end is no error.
    end(&store, &outgoing(99, "never written"), OutgoingEnd::Superseded).await;
    assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), Some(2));
}

async fn open_transactions_are_listed_by_nonce(database: &TestDatabase) {
    let store = database.store().await;
    let mut expected = Vec::new();
    for nonce in [10, 9, 100, 2, 11] {
        let mut sent = outgoing(nonce, &format!("fill {nonce}"));
        put(&store, &sent).await;
        sent.attempts.push(attempt(&format!("dearer {nonce}")));
        add(&store, &sent, &sent.attempts[1]).await.unwrap();
        expected.push(sent);
    }
    expected.sort_by_key(|sent| sent.nonce);
    assert_eq!(store.open(chain(8453), signer()).await.unwrap(), expected);
    let ended = expected.remove(2);
    end(&store, &ended, OutgoingEnd::Reverted(ended.attempts[0].hash)).await;
    assert_eq!(store.open(chain(8453), signer()).await.unwrap(), expected);
    assert_eq!(store.open(chain(1), signer()).await.unwrap(), []);
}

async fn transactions_are_found_by_when_they_were_signed(database: &TestDatabase) {
    let store = database.store().await;
    let start = now();
    let at = |minutes: i64, words: &str| Attempt { made_at: start + seconds(60 * minutes), ..attempt(words) };
    for (nonce, minutes) in [(0, 0), (1, 30), (2, 60)] {
        let sent = Outgoing {
            attempts: vec![at(minutes, &format!("{nonce}"))],
            ..outgoing(nonce, &format!("{nonce}"))
        };
        put(&store, &sent).await;
    }
    store.add_attempt(chain(8453), signer(), 0, &at(45, "again")).await.unwrap();
    end(&store, &outgoing(1, "1"), OutgoingEnd::Superseded).await;
    let found = store.signed_since(chain(8453), signer(), start + seconds(60 * 30)).await.unwrap();
    let found: Vec<(u64, usize)> = found.iter().map(|one| (one.nonce, one.attempts.len())).collect();
    assert_eq!(found, [(0, 1), (1, 1), (2, 1)]);
    let all = store.signed_since(chain(8453), signer(), start).await.unwrap();
    assert_eq!(all.iter().map(|one| one.attempts.len()).collect::<Vec<_>>(), [2, 1, 1]);
    for (other_chain, other_signer, since) in [
        (chain(1), signer(), start),
        (chain(8453), evm("0x0000000000000000000000000000000000000001"), start),
        (chain(8453), signer(), start + seconds(60 * 61)),
    ] {
        assert!(store.signed_since(other_chain, other_signer, since).await.unwrap().is_empty());
    }
}

async fn the_highest_nonce_includes_ended_transactions(database: &TestDatabase) {
    let store = database.store().await;
    assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), None);
    let hash = B256::repeat_byte(1);
    let ends = [OutgoingEnd::Succeeded(hash), OutgoingEnd::Reverted(hash), OutgoingEnd::Superseded];
    for (nonce, ended) in (9..).zip(ends) {
        let sent = outgoing(nonce, &format!("fill {nonce}"));
        put(&store, &sent).await;
        assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), Some(nonce));
        end(&store, &sent, ended).await;
        assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), Some(nonce));
    }
    put(&store, &outgoing(3, "late")).await;
    assert_eq!(store.highest_nonce(chain(8453), signer()).await.unwrap(), Some(11));
    assert_eq!(store.highest_nonce(chain(1), signer()).await.unwrap(), None);
}

async fn invalid_transactions_are_rejected(database: &TestDatabase) {
    let store = database.store().await;
    let without = Outgoing { attempts: Vec::new(), ..outgoing(1, "fill") };
    let ended = Outgoing { end: Some(OutgoingEnd::Superseded), ..outgoing(1, "fill") };
    for impossible in [without, ended, outgoing(u64::MAX, "fill")] {
        let error = store.put(&impossible).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict(_)), "{error:?}");
    }
    assert_eq!(database.raw().await.count("outbox").await, 0);
}

async fn an_unreadable_transaction_is_corrupt(database: &TestDatabase) {
    let store = database.store().await;
    let mut raw = database.raw().await;
    for (nonce, damage) in (0..).zip([
        "attempts SET max_fee_per_gas = '-1'",
        "attempts SET hash = '0x12'",
        "attempts SET made_at = 9223372036854775807",
        "outbox SET state = 'lost'",
        "outbox SET state = 'succeeded'",
    ]) {
        let sent = outgoing(nonce, &format!("fill {nonce}"));
        put(&store, &sent).await;
        raw.run(&format!("UPDATE {damage} WHERE nonce = {nonce}")).await;
        let error = store.for_purpose(sent.chain, &sent.purpose).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{damage}: {error:?}");
        assert!(matches!(store.put(&sent).await, Err(StoreError::Corrupt(_))));
    }
    assert!(matches!(store.open(chain(8453), signer()).await, Err(StoreError::Corrupt(_))));
}

async fn unknown_transactions_are_recorded_until_they_are_final(database: &TestDatabase) {
    let store = database.store().await;
    let (one, other) = (chain(8453), chain(1));
    assert_eq!(store.unknown_below(one, signer()).await.unwrap(), None);
    for (nonce, recorded) in [(7, 7), (5, 7), (9, 9)] {
        store.record_unknown_below(one, signer(), nonce).await.unwrap();
        assert_eq!(store.unknown_below(one, signer()).await.unwrap(), Some(recorded));
    }
    store.record_unknown_below(other, signer(), 3).await.unwrap();
    store.close().await;
    let store = database.store().await;
    store.forget_unknown_below(one, signer(), 8).await.unwrap();
    assert_eq!(store.unknown_below(one, signer()).await.unwrap(), Some(9), "a higher one stays");
    store.forget_unknown_below(one, signer(), 9).await.unwrap();
    assert_eq!(store.unknown_below(one, signer()).await.unwrap(), None);
    assert_eq!(store.unknown_below(other, signer()).await.unwrap(), Some(3));
    store.forget_chains().await.unwrap();
    assert_eq!(store.unknown_below(other, signer()).await.unwrap(), None);
}
