use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall as _, SolStruct as _, eip712_domain};
use causeway_attester::{
    Attest, Attester, AttesterConfig, EpochPanels, HttpAttester, WatchTasks, known_contracts, router,
};
use causeway_domain::ports::{Attestations as _, AttesterRegistry, ChainView, EscrowState, FinalityTier};
use causeway_domain::{Attestation, CollectedAttestation, Deployment, IntentTerms};
use causeway_evm::EvmAccountKey;
use causeway_evm::attest::{EvmAttesterRegistry, EvmVerifier};
use causeway_evm::contracts::{AttesterRegistry as Registry, Escrow};
use causeway_sandbox::genesis::TestWallet;
use tempfile::TempDir;

use crate::fake::eventually;
use crate::sandbox_chain::{FILL_WINDOW, SandboxChain, genesis, now, order, signer};

/// Two chains, our contracts on both, and three attesters of which two must agree.
struct TestNetwork {
    origin: SandboxChain,
    destination: SandboxChain,
    deployments: [Deployment; 2],
    attesters: Vec<(Attester, WatchTasks, TempDir)>,
    panel: EpochPanels,
    wallets: Vec<TestWallet>,
    keys: Vec<TestWallet>,
}

async fn network() -> TestNetwork {
    let roles = genesis().roles().clone();
    let first_epoch = &roles.attesters;
    let addresses: Vec<_> = first_epoch.iter().map(|wallet| wallet.address).collect();
    let (origin, destination) = tokio::join!(SandboxChain::start(1, now()), SandboxChain::start(10, now()));
    let (one, two) = tokio::join!(origin.deploy(&addresses), destination.deploy(&addresses));
    let deployments = [one, two];
    let mut attesters = Vec::new();
    let mut members: Vec<(Address, Arc<dyn Attest>)> = Vec::new();
    for (place, wallet) in roles.attesters.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let config = AttesterConfig {
            poll: Duration::from_millis(100),
            ..AttesterConfig::new(known_contracts(&deployments))
        };
        let views = [origin.view(), destination.view()];
        let attester =
            Attester::open(config, Arc::new(EvmAccountKey::from(signer(wallet))), views, folder.path())
                .unwrap();
        // The first, which resigns later, is among the quickest to answer.
        let member: Arc<dyn Attest> = if place == 2 {
            Arc::new(HttpAttester::new(&serve(attester.clone()).await).unwrap())
        } else {
            Arc::new(attester.clone())
        };
        members.push((wallet.address, member));
        attesters.push((attester.clone(), attester.watch(), folder));
    }
    let registry: Arc<dyn AttesterRegistry> =
        Arc::new(EvmAttesterRegistry::new(origin.client.clone(), deployments[0].registry));
    let panel = EpochPanels::new(members, [registry], Arc::new(EvmVerifier));
    let wallets = genesis().wallets().to_vec();
    TestNetwork {
        origin,
        destination,
        deployments,
        attesters,
        panel,
        wallets,
        keys: roles.attesters.to_vec(),
    }
}

async fn serve(attester: Attester) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(attester)).await });
    address
}

impl TestNetwork {
    /// Waits until all three have signed by themselves.
    async fn all_signed(&self, terms: &IntentTerms) {
        for (attester, ..) in &self.attesters {
            eventually("an attester's own signature", || attester.attestation(&terms.id())).await;
        }
    }

    async fn collect(&self, terms: &IntentTerms) -> CollectedAttestation {
        self.panel.collect(terms).await.unwrap()
    }

    async fn end(&self, terms: &IntentTerms, call: Vec<u8>) -> EscrowState {
        self.origin.send_ok(&self.wallets[5], Address::from_word(terms.escrow), 0, call).await;
        self.origin.finalize().await;
        let view: Arc<dyn ChainView> = self.origin.view();
        let block = view.final_block(FinalityTier::Standard).await.unwrap();
        view.escrow_state(terms.escrow, terms.id(), &block).await.unwrap()
    }

    /// Claims with what the panel collects.
    async fn claim(&self, terms: &IntentTerms) -> EscrowState {
        let CollectedAttestation { attestation, signatures } = self.collect(terms).await;
        let Attestation::Filled { filled_at, fill_ref, .. } = attestation else { panic!("{attestation:?}") };
        let claim = Escrow::claimCall {
            order: terms.into(),
            filledAt: U256::from(filled_at),
            fillRef: fill_ref,
            signatures: signatures.iter().map(|signature| signature.to_vec().into()).collect(),
        };
        self.end(terms, claim.abi_encode()).await
    }

    /// Makes the handover to the second and third attester alone, with the signatures of the first two; takes effect at once.
    async fn hand_over(&self) {
        let registry = self.deployments[0].registry;
        let mut members: Vec<Address> = self.keys[1..].iter().map(|wallet| wallet.address).collect();
        members.sort();
        let domain = eip712_domain! {
            name: "Causeway Attesters",
            version: "2",
            chain_id: self.origin.client.chain_id().get(),
            verifying_contract: registry,
        };
        let handover = Handover {
            epoch: U256::from(2),
            proposal: U256::ZERO,
            attesters: members.clone(),
            threshold: U256::from(2),
        };
        let digest = handover.eip712_signing_hash(&domain);
        let mut signers: Vec<&TestWallet> = self.keys[..2].iter().collect();
        signers.sort_by_key(|wallet| wallet.address);
        let sign =
            |wallet: &&TestWallet| signer(wallet).sign_digest(&digest).unwrap().as_bytes().to_vec().into();
        let call = Registry::handOverCall {
            attesters: members,
            threshold: U256::from(2),
            signatures: signers.iter().map(sign).collect(),
        };
        self.origin.send_ok(&self.wallets[5], registry, 0, call.abi_encode()).await;
        self.origin.chain.increase_time(HANDOVER_DELAY);
        self.origin.finalize().await;
    }

    async fn balance(&self, wallet: &TestWallet) -> U256 {
        self.origin.client.native_balance(wallet.address).await.unwrap()
    }
}

/// The delay of the registry.
const HANDOVER_DELAY: u64 = 48 * 3_600;

alloy_sol_types::sol! {
    struct Handover {
        uint256 epoch;
        uint256 proposal;
        address[] attesters;
        uint256 threshold;
    }
}

#[tokio::test]
async fn rule_28_orders_of_both_epochs_are_claimed_after_a_handover_and_a_resignation() {
    let network = network().await;
    let [origin, destination] = &network.deployments;
    let (user, filler) = (&network.wallets[0], &network.wallets[1]);
    let before: Vec<_> = (0..25).map(|n| order(origin, destination, &format!("before {n}"))).collect();
    for terms in &before {
        network.origin.open(terms, user).await;
        network.destination.fill(terms, filler).await;
    }
    network.hand_over().await;
    let gas_money = 1_000_000_000_000_000;
    network.origin.send_ok(&network.wallets[5], network.keys[0].address, gas_money, Vec::new()).await;
    let resign = Registry::resignCall { epoch: U256::ONE };
    network.origin.send_ok(&network.keys[0], origin.registry, 0, resign.abi_encode()).await;
    let after: Vec<_> = (0..25)
        .map(|n| {
            let mut terms = order(origin, destination, &format!("after {n}"));
            terms.epoch = 2;
            terms.open_deadline += HANDOVER_DELAY;
            terms.fill_deadline += HANDOVER_DELAY;
            terms.refund_at += HANDOVER_DELAY;
            terms
        })
        .collect();
    for terms in &after {
        network.origin.open(terms, user).await;
        network.destination.fill(terms, filler).await;
    }
    network.origin.finalize().await;
    network.destination.finalize().await;
    for terms in before.iter().chain(&after) {
        network.all_signed(terms).await;
        assert_eq!(network.claim(terms).await, EscrowState::Claimed);
    }
    // The attester that resigned still answers, and its signature is never among those collected.
    assert!(network.attesters[0].0.attestation(&before[0].id()).is_some());
}

#[tokio::test]
async fn a_filled_order_is_claimed_and_an_unfilled_one_refunded_with_two_signatures_of_three() {
    let network = network().await;
    let [origin, destination] = &network.deployments;
    let (user, filler, payee) = (&network.wallets[0], &network.wallets[1], &network.wallets[2]);
    let (first, second) = (order(origin, destination, "first"), order(origin, destination, "second"));

    network.origin.open(&first, user).await;
    network.origin.open(&second, user).await;
    network.origin.finalize().await;
    // An attester that reads the order for itself at this moment is busy with it.
    let early = loop {
        let early = network.panel.collect(&first).await.unwrap_err();
        assert!(early.retry, "{early}");
        if early.answers.iter().all(|(_, why)| why.name() != "Busy") {
            break early;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(early.answers.iter().all(|(_, why)| why.name() == "Undecided"), "{early}");

    let delivery = network.destination.fill(&first, filler).await;
    network.destination.finalize().await;
    network.all_signed(&first).await;
    let CollectedAttestation { attestation, signatures } = network.collect(&first).await;
    let Attestation::Filled { filled_at, fill_ref, .. } = attestation else { panic!("{attestation:?}") };
    assert_eq!((fill_ref, signatures.len()), (delivery.transaction_hash, 2));
    let before = network.balance(payee).await;
    let claim = Escrow::claimCall {
        order: (&first).into(),
        filledAt: U256::from(filled_at),
        fillRef: fill_ref,
        signatures: signatures.iter().map(|signature| signature.to_vec().into()).collect(),
    };
    assert_eq!(network.end(&first, claim.abi_encode()).await, EscrowState::Claimed);
    assert_eq!(network.balance(payee).await - before, first.amount_in);

    network.destination.chain.increase_time(FILL_WINDOW + 60);
    network.destination.finalize().await;
    network.all_signed(&second).await;
    let CollectedAttestation { attestation, signatures } = network.collect(&second).await;
    let Attestation::Unfilled { destination_time, .. } = attestation else { panic!("{attestation:?}") };
    let before = network.balance(user).await;
    let refund = Escrow::refundUnfilledCall {
        order: (&second).into(),
        destinationTime: U256::from(destination_time),
        signatures: signatures.iter().map(|signature| signature.to_vec().into()).collect(),
    };
    assert_eq!(network.end(&second, refund.abi_encode()).await, EscrowState::Refunded);
    assert_eq!(network.balance(user).await - before, second.amount_in);
    for (attester, ..) in &network.attesters {
        eventually("health", || (attester.health().status() == "ok").then_some(())).await;
        assert_eq!((attester.health().signed, attester.health().waiting), (2, 0));
    }
}
