use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall as _;
use causeway_attester::{
    Attest, Attester, AttesterConfig, HttpAttester, Panel, WatchTasks, known_contracts, router,
};
use causeway_domain::ports::{Attestations as _, ChainView, EscrowState, FinalityTier};
use causeway_domain::{Attestation, CollectedAttestation, Deployment, IntentTerms};
use causeway_evm::attest::EvmVerifier;
use causeway_evm::contracts::Escrow;
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
    panel: Panel,
    wallets: Vec<TestWallet>,
}

async fn network() -> TestNetwork {
    let roles = genesis().roles().clone();
    let addresses: Vec<_> = roles.attesters.iter().map(|wallet| wallet.address).collect();
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
        let attester = Attester::open(config, Arc::new(signer(wallet)), views, folder.path()).unwrap();
        let member: Arc<dyn Attest> = if place == 0 {
            Arc::new(HttpAttester::new(&serve(attester.clone()).await).unwrap())
        } else {
            Arc::new(attester.clone())
        };
        members.push((wallet.address, member));
        attesters.push((attester.clone(), attester.watch(), folder));
    }
    let panel = Panel::new(members, NonZeroUsize::new(2).unwrap(), Arc::new(EvmVerifier)).unwrap();
    TestNetwork { origin, destination, deployments, attesters, panel, wallets: genesis().wallets().to_vec() }
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

    async fn balance(&self, wallet: &TestWallet) -> U256 {
        self.origin.client.native_balance(wallet.address).await.unwrap()
    }
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
    let early = network.panel.collect(&first).await.unwrap_err();
    assert!(early.retry && early.answers.iter().all(|(_, why)| why.name() == "Undecided"), "{early}");

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
