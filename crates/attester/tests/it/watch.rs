use alloy_primitives::{B256, U256};
use causeway_attester::{AttesterConfig, SmallAmount, StartError};
use causeway_domain::Attestation;
use causeway_domain::Outcome::{Filled, Unfilled};
use causeway_domain::ports::{AttestationRefusal, EscrowState, ObservedEvent};

use crate::fake::{DEADLINE, DESTINATION, Fixture, ORIGIN, chain, eventually, terms};

#[tokio::test]
async fn signatures_are_ready_before_they_are_requested() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let _watching = attester.watch();
    fixture.open(&terms(1));
    fixture.open(&terms(2));
    fixture.fill(&terms(1), 150);
    let filled = eventually("the fill's signature", || attester.attestation(&terms(1).id())).await;
    assert_eq!(filled.attestation.outcome(), Filled);
    assert!(attester.attestation(&terms(2).id()).is_none());
    fixture.destination.state().time = DEADLINE + 1;
    let unfilled = eventually("the other's signature", || attester.attestation(&terms(2).id())).await;
    assert_eq!(unfilled.attestation.outcome(), Unfilled);
    assert_eq!((attester.health().signed, attester.health().waiting), (2, 0));
}

#[tokio::test]
async fn a_fill_that_is_final_before_its_deposit_is_signed_when_the_deposit_is() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let _watching = attester.watch();
    fixture.fill(&terms(1), 150);
    eventually("a poll of the destination", || {
        attester.health().chains[&chain(DESTINATION)].last.map(|_| ())
    })
    .await;
    assert!(attester.attestation(&terms(1).id()).is_none());
    fixture.open(&terms(1));
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
}

#[tokio::test]
async fn open_orders_survive_a_restart_and_read_blocks_are_not_read_again() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let watching = attester.watch();
    fixture.open(&terms(1));
    eventually("the order's journal entry", || (attester.health().waiting == 1).then_some(())).await;
    watching.stop().await;
    drop(attester);
    fixture.origin.state().logs.clear();
    fixture.fill(&terms(1), 150);
    let attester = fixture.attester(folder.path());
    let _watching = attester.watch();
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
}

#[tokio::test]
async fn watching_continues_after_pruned_logs() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    {
        let mut state = fixture.origin.state();
        (state.number, state.logs_from) = (5_000, 4_321);
    }
    fixture.destination.state().number = 1_000_000;
    fixture.destination.state().logs_from = 1_000_000;
    let attester = fixture.attester(folder.path());
    let _watching = attester.watch();
    fixture.open(&terms(1));
    fixture.fill(&terms(1), 150);
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
    eventually("health", || (attester.health().status() == "ok").then_some(())).await;
}

#[tokio::test]
async fn an_order_that_ended_elsewhere_is_removed() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let _watching = attester.watch();
    fixture.open(&terms(1));
    eventually("the order's journal entry", || (attester.health().waiting == 1).then_some(())).await;
    {
        let mut state = fixture.origin.state();
        state.number += 1;
        let number = state.number;
        state.states.insert(terms(1).id(), EscrowState::Refunded);
        state.logs.push((number, ObservedEvent::Ended(terms(1).id())));
    }
    eventually("the end", || (attester.health().waiting == 0).then_some(())).await;
    assert_eq!(attester.attest(&terms(1)).await, Err(AttestationRefusal::Ended));
}

#[tokio::test]
async fn rule_11_a_repeated_request_returns_the_same_outcome_without_reading_the_chain() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    fixture.open(&terms(1));
    fixture.destination.state().time = DEADLINE + 1;
    let first = attester.attest(&terms(1)).await.unwrap();
    assert!(matches!(first.attestation, Attestation::Unfilled { destination_time: 1_001, .. }));
    let reads = fixture.origin.state().reads;
    // No honest settler does this; a chain that comes back from below finality might.
    fixture.fill(&terms(1), DEADLINE);
    assert_eq!(attester.attest(&terms(1)).await, Ok(first));
    drop(attester);
    let attester = fixture.attester(folder.path());
    assert_eq!(attester.attest(&terms(1)).await, Ok(first));
    assert_eq!(fixture.origin.state().reads, reads);
}

#[tokio::test]
async fn attesters_that_read_at_different_times_sign_the_same_message() {
    let fixture = Fixture::new();
    fixture.open(&terms(1));
    let mut signed = Vec::new();
    for late in [1, 60, 86_400] {
        let folder = tempfile::tempdir().unwrap();
        fixture.destination.state().time = DEADLINE + late;
        signed.push(fixture.attester(folder.path()).attest(&terms(1)).await.unwrap());
    }
    assert!(signed.iter().all(|one| one == &signed[0]), "{signed:?}");
}

#[tokio::test]
async fn amounts_above_the_limit_wait_for_the_stronger_finality() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let small =
        SmallAmount { chain: chain(DESTINATION), token: terms(1).output_token, up_to: terms(1).amount_out };
    let config = AttesterConfig { small: vec![small], ..Fixture::config() };
    let attester = fixture.attester_with(config, folder.path()).unwrap();
    let mut large = terms(2);
    large.amount_out += U256::ONE;
    let mut unlisted = terms(3);
    unlisted.output_token = B256::ZERO;
    fixture.destination.state().standard_time = Some(DEADLINE + 1);
    for (terms, signs) in [(terms(1), true), (large, false), (unlisted, false)] {
        fixture.open(&terms);
        assert_eq!(attester.attest(&terms).await.is_ok(), signs, "{terms:?}");
    }
}

#[tokio::test]
async fn an_unavailable_or_halted_chain_shows_in_health_and_nothing_is_signed() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    assert_eq!(attester.health().status(), "starting");
    let _watching = attester.watch();
    fixture.open(&terms(1));
    fixture.fill(&terms(1), 150);
    eventually("the first signature", || attester.attestation(&terms(1).id())).await;
    eventually("health", || (attester.health().status() == "ok").then_some(())).await;
    fixture.destination.state().unavailable = true;
    fixture.open(&terms(2));
    fixture.fill(&terms(2), 150);
    assert_eq!(attester.attest(&terms(2)).await, Err(AttestationRefusal::Unavailable(DESTINATION)));
    eventually("the failed poll", || (attester.health().status() == "troubled").then_some(())).await;
    fixture.destination.state().unavailable = false;
    eventually("the second signature", || attester.attestation(&terms(2).id())).await;
    fixture.origin.state().disagree = true;
    eventually("the halt", || (attester.health().status() == "halted").then_some(())).await;
    fixture.destination.state().time = DEADLINE + 1;
    let refusal = attester.attest(&terms(3)).await.unwrap_err();
    assert!(matches!(refusal, AttestationRefusal::Halted { chain: ORIGIN, .. }) && !refusal.is_retryable());
}

#[tokio::test]
async fn requests_beyond_the_limit_are_busy() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let config = AttesterConfig { max_concurrent_requests: std::num::NonZeroUsize::MIN, ..Fixture::config() };
    let attester = fixture.attester_with(config, folder.path()).unwrap();
    fixture.open(&terms(1));
    fixture.open(&terms(2));
    fixture.destination.state().time = DEADLINE + 1;
    let (one, two) = (terms(1), terms(2));
    let (one, two) = tokio::join!(attester.attest(&one), attester.attest(&two));
    assert!(one.is_ok(), "{one:?}");
    assert_eq!(two, Err(AttestationRefusal::Busy));
}

#[tokio::test]
async fn made_up_orders_take_no_slots_from_orders_with_observed_deposits() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let config = AttesterConfig { max_concurrent_requests: std::num::NonZeroUsize::MIN, ..Fixture::config() };
    let attester = fixture.attester_with(config, folder.path()).unwrap();
    let _watching = attester.watch();
    fixture.open(&terms(1));
    eventually("the order's journal entry", || (attester.health().waiting == 1).then_some(())).await;
    fixture.origin.state().hangs_on = Some(terms(8).id());
    let (asked, made_up) = (attester.clone(), terms(8));
    let junk = tokio::spawn(async move { asked.attest(&made_up).await });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(attester.attest(&terms(9)).await, Err(AttestationRefusal::Busy));
    fixture.fill(&terms(1), 150);
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
    junk.abort();
}

#[test]
fn an_attester_without_contracts_or_without_a_view_of_them_does_not_start() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let none = AttesterConfig::new(std::collections::BTreeMap::new());
    assert!(matches!(fixture.attester_with(none, folder.path()), Err(StartError::NoContracts)));
    let mut more = Fixture::config();
    let mut third = more.contracts[&chain(ORIGIN)].clone();
    third.chain = chain(3);
    more.contracts.insert(chain(3), third);
    let error = fixture.attester_with(more, folder.path()).unwrap_err();
    assert!(matches!(error, StartError::NoView(id) if id == chain(3)));
}
