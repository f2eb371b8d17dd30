use alloy_primitives::{B256, U256};
use causeway_attester::{AttesterConfig, SmallAmount, StartError};
use causeway_domain::Attestation;
use causeway_domain::Outcome::{Filled, Unfilled};
use causeway_domain::ports::{EscrowState, NoAttestation, Sighting};

use crate::fake::{DEADLINE, DESTINATION, ORIGIN, Scene, chain, eventually, terms};

#[tokio::test]
async fn signatures_are_ready_before_anybody_asks() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    let _watching = attester.watch();
    scene.open(&terms(1));
    scene.open(&terms(2));
    scene.fill(&terms(1), 150);
    let filled = eventually("the fill's signature", || attester.attestation(&terms(1).id())).await;
    assert_eq!(filled.attestation.outcome(), Filled);
    assert!(attester.attestation(&terms(2).id()).is_none());
    scene.destination.shows().time = DEADLINE + 1;
    let unfilled = eventually("the other's signature", || attester.attestation(&terms(2).id())).await;
    assert_eq!(unfilled.attestation.outcome(), Unfilled);
    assert_eq!((attester.health().signed, attester.health().waiting), (2, 0));
}

#[tokio::test]
async fn a_fill_that_is_final_before_its_deposit_is_signed_when_the_deposit_is() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    let _watching = attester.watch();
    scene.fill(&terms(1), 150);
    eventually("a look at the fill", || attester.health().chains[&chain(DESTINATION)].last.map(|_| ())).await;
    assert!(attester.attestation(&terms(1).id()).is_none());
    scene.open(&terms(1));
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
}

#[tokio::test]
async fn what_waits_is_remembered_over_a_restart_and_what_was_read_is_not_read_again() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    let watching = attester.watch();
    scene.open(&terms(1));
    eventually("the order's note", || (attester.health().waiting == 1).then_some(())).await;
    watching.stop().await;
    drop(attester);
    scene.origin.shows().logs.clear();
    scene.fill(&terms(1), 150);
    let attester = scene.attester(folder.path());
    let _watching = attester.watch();
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
}

#[tokio::test]
async fn watching_goes_on_where_a_chain_has_forgotten_its_logs() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    {
        let mut shows = scene.origin.shows();
        (shows.number, shows.logs_from) = (5_000, 4_321);
    }
    scene.destination.shows().number = 1_000_000;
    scene.destination.shows().logs_from = 1_000_000;
    let attester = scene.attester(folder.path());
    let _watching = attester.watch();
    scene.open(&terms(1));
    scene.fill(&terms(1), 150);
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
    eventually("health", || (attester.health().status() == "ok").then_some(())).await;
}

#[tokio::test]
async fn an_order_that_ended_elsewhere_is_forgotten() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    let _watching = attester.watch();
    scene.open(&terms(1));
    eventually("the order's note", || (attester.health().waiting == 1).then_some(())).await;
    {
        let mut shows = scene.origin.shows();
        shows.number += 1;
        let number = shows.number;
        shows.states.insert(terms(1).id(), EscrowState::Refunded);
        shows.logs.push((number, Sighting::Ended(terms(1).id())));
    }
    eventually("the end", || (attester.health().waiting == 0).then_some(())).await;
    assert_eq!(attester.attest(&terms(1)).await, Err(NoAttestation::Ended));
}

#[tokio::test]
async fn rule_11_asked_again_it_says_the_same_without_looking_even_when_the_chain_says_otherwise() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    scene.open(&terms(1));
    scene.destination.shows().time = DEADLINE + 1;
    let first = attester.attest(&terms(1)).await.unwrap();
    assert!(matches!(first.attestation, Attestation::Unfilled { destination_time: 1_001, .. }));
    let looks = scene.origin.shows().looks;
    // No honest settler does this; a chain that comes back from below finality might.
    scene.fill(&terms(1), DEADLINE);
    assert_eq!(attester.attest(&terms(1)).await, Ok(first));
    drop(attester);
    let attester = scene.attester(folder.path());
    assert_eq!(attester.attest(&terms(1)).await, Ok(first));
    assert_eq!(scene.origin.shows().looks, looks);
}

#[tokio::test]
async fn attesters_that_look_at_different_times_sign_the_same_words() {
    let scene = Scene::new();
    scene.open(&terms(1));
    let mut said = Vec::new();
    for late in [1, 60, 86_400] {
        let folder = tempfile::tempdir().unwrap();
        scene.destination.shows().time = DEADLINE + late;
        said.push(scene.attester(folder.path()).attest(&terms(1)).await.unwrap());
    }
    assert!(said.iter().all(|signed| signed == &said[0]), "{said:?}");
}

#[tokio::test]
async fn amounts_above_the_list_wait_for_the_stronger_finality() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let small =
        SmallAmount { chain: chain(DESTINATION), token: terms(1).output_token, up_to: terms(1).amount_out };
    let config = AttesterConfig { small: vec![small], ..Scene::config() };
    let attester = scene.attester_with(config, folder.path()).unwrap();
    let mut large = terms(2);
    large.amount_out += U256::ONE;
    let mut unlisted = terms(3);
    unlisted.output_token = B256::ZERO;
    scene.destination.shows().usual_time = Some(DEADLINE + 1);
    for (terms, signs) in [(terms(1), true), (large, false), (unlisted, false)] {
        scene.open(&terms);
        assert_eq!(attester.attest(&terms).await.is_ok(), signs, "{terms:?}");
    }
}

#[tokio::test]
async fn a_chain_that_is_away_or_not_believed_is_told_in_health_and_signs_nothing() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let attester = scene.attester(folder.path());
    assert_eq!(attester.health().status(), "starting");
    let _watching = attester.watch();
    scene.open(&terms(1));
    scene.fill(&terms(1), 150);
    eventually("the first signature", || attester.attestation(&terms(1).id())).await;
    eventually("health", || (attester.health().status() == "ok").then_some(())).await;
    scene.destination.shows().away = true;
    scene.open(&terms(2));
    scene.fill(&terms(2), 150);
    assert_eq!(attester.attest(&terms(2)).await, Err(NoAttestation::Unavailable(DESTINATION)));
    eventually("trouble", || (attester.health().status() == "troubled").then_some(())).await;
    scene.destination.shows().away = false;
    eventually("the second signature", || attester.attestation(&terms(2).id())).await;
    scene.origin.shows().disagree = true;
    eventually("the halt", || (attester.health().status() == "halted").then_some(())).await;
    scene.destination.shows().time = DEADLINE + 1;
    let refusal = attester.attest(&terms(3)).await.unwrap_err();
    assert!(matches!(refusal, NoAttestation::Halted { chain: ORIGIN, .. }) && !refusal.is_retryable());
}

#[tokio::test]
async fn nobody_can_ask_more_than_it_answers_at_once() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let config = AttesterConfig { questions: std::num::NonZeroUsize::MIN, ..Scene::config() };
    let attester = scene.attester_with(config, folder.path()).unwrap();
    scene.open(&terms(1));
    scene.open(&terms(2));
    scene.destination.shows().time = DEADLINE + 1;
    let (one, two) = (terms(1), terms(2));
    let (one, two) = tokio::join!(attester.attest(&one), attester.attest(&two));
    assert!(one.is_ok(), "{one:?}");
    assert_eq!(two, Err(NoAttestation::Busy));
}

#[tokio::test]
async fn made_up_orders_take_no_room_from_those_whose_deposits_were_seen() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let config = AttesterConfig { questions: std::num::NonZeroUsize::MIN, ..Scene::config() };
    let attester = scene.attester_with(config, folder.path()).unwrap();
    let _watching = attester.watch();
    scene.open(&terms(1));
    eventually("the order's note", || (attester.health().waiting == 1).then_some(())).await;
    scene.origin.shows().hangs = Some(terms(8).id());
    let (asked, made_up) = (attester.clone(), terms(8));
    let junk = tokio::spawn(async move { asked.attest(&made_up).await });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(attester.attest(&terms(9)).await, Err(NoAttestation::Busy));
    scene.fill(&terms(1), 150);
    eventually("the signature", || attester.attestation(&terms(1).id())).await;
    junk.abort();
}

#[test]
fn an_attester_without_contracts_or_without_a_view_of_them_does_not_start() {
    let (scene, folder) = (Scene::new(), tempfile::tempdir().unwrap());
    let none = AttesterConfig::new(std::collections::BTreeMap::new());
    assert!(matches!(scene.attester_with(none, folder.path()), Err(StartError::NoContracts)));
    let mut more = Scene::config();
    let mut third = more.contracts[&chain(ORIGIN)].clone();
    third.chain = chain(3);
    more.contracts.insert(chain(3), third);
    let error = scene.attester_with(more, folder.path()).unwrap_err();
    assert!(matches!(error, StartError::NoView(id) if id == chain(3)));
}
