use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, U256, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{ActionError, ChainAction, ForwardingSigner as _, Progress, TxSender as _};
use causeway_domain::{Address, ForwardingOrder, IntentTerms, SignatureBytes};
use causeway_evm::SendPolicy;
use causeway_evm::orders::{EvmForwardingSigner, EvmTxSender};
use causeway_testing::MemoryStore;
use jiff::Timestamp;

use crate::orders_chain::{SandboxChain, USDT, now, roles, signer, transferCall, wallet};

const POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000_000_000_000, depth: 2 };
const NATIVE: Address = Address::Evm(EvmAddress::ZERO);

struct Fixture {
    play: SandboxChain,
    maker: EvmForwardingSigner,
    relayer: EvmTxSender,
}

impl Fixture {
    async fn new() -> Self {
        let play = SandboxChain::start(10).await;
        let contracts = play.deployment.clone();
        let relayer = EvmTxSender::new(
            play.client.clone(),
            signer(&roles().relayer),
            Arc::<MemoryStore>::default(),
            POLICY,
            vec![contracts.clone()],
        );
        Self { relayer, maker: EvmForwardingSigner::new(contracts, signer(&roles().maker)), play }
    }

    /// At least nine out for ten in, for an hour.
    fn jump(&self, seed: &str) -> ForwardingOrder {
        let order = self.play.order(seed);
        ForwardingOrder {
            origin_chain_id: order.origin_chain_id,
            escrow: order.escrow,
            nonce: keccak256(seed),
            maker: self.maker.maker(),
            input_token: order.input_token,
            refund_to: order.refund_to,
            destination_chain_id: order.destination_chain_id,
            output_token: order.output_token,
            recipient: order.recipient,
            rate_in: U256::from(10),
            rate_out: U256::from(9),
            expiry: now() + 3_600,
        }
    }

    fn address(&self, jump: &ForwardingOrder) -> EvmAddress {
        let Address::Evm(address) = self.maker.address_for(jump.id()) else { panic!("another family") };
        address
    }

    fn order(&self, jump: &ForwardingOrder, amount_in: u64, amount_out: u64) -> IntentTerms {
        IntentTerms {
            user: self.address(jump).into_word(),
            amount_in: U256::from(amount_in),
            amount_out: U256::from(amount_out),
            input_token: jump.input_token,
            ..self.play.order("opened by a jump")
        }
    }

    fn opening(&self, jump: &ForwardingOrder, terms: &IntentTerms) -> ChainAction {
        let signature = futures::executor::block_on(self.maker.sign_open(jump.id(), terms.id())).unwrap();
        ChainAction::OpenForwarding { forwarding: Box::new(*jump), terms: *terms, signature }
    }

    async fn pay(&self, jump: &ForwardingOrder, amount: u64) {
        self.play.land(&wallet(3), self.address(jump), U256::from(amount), Vec::new()).await;
    }

    async fn run_to_end(&self, purpose: &str, action: &ChainAction) {
        for _ in 0..100 {
            let progress = self.relayer.send(purpose, action, Timestamp::now()).await.unwrap();
            match progress {
                Progress::Succeeded(_) => return,
                Progress::Reverted(_) => panic!("{purpose} reverted"),
                Progress::Waiting | Progress::Sent(_) => {}
            }
            self.play.chain.mine(1, 1).await.unwrap();
            self.relayer.poll_pending(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended");
    }

    /// Why the chain would reject it.
    async fn refused(&self, action: &ChainAction) -> String {
        match self.relayer.send("refused", action, Timestamp::now()).await {
            Err(ActionError::WouldFail(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    async fn coins(&self, owner: EvmAddress) -> U256 {
        self.play.client.native_balance(owner).await.unwrap()
    }
}

fn refund(jump: &ForwardingOrder, tokens: &[Address], signature: Option<SignatureBytes>) -> ChainAction {
    ChainAction::ReturnForwarding { forwarding: Box::new(*jump), tokens: tokens.to_vec(), signature }
}

#[tokio::test]
async fn rule_21_the_paid_amount_opens_an_order_with_the_makers_signature() {
    let fixture = Fixture::new().await;
    let jump = fixture.jump("paid");
    fixture.pay(&jump, 987_654).await;
    let terms = fixture.order(&jump, 987_654, 888_889);
    fixture.run_to_end("jump", &fixture.opening(&jump, &terms)).await;
    assert_eq!(fixture.coins(fixture.play.deployment.escrow).await, terms.amount_in);
    assert_eq!(fixture.coins(fixture.address(&jump)).await, U256::ZERO);
}

#[tokio::test]
async fn rule_21_a_token_payment_opens_an_order_and_a_second_payout_is_refunded() {
    let fixture = Fixture::new().await;
    let jump = ForwardingOrder { input_token: USDT.into_word(), ..fixture.jump("token") };
    let address = fixture.address(&jump);
    let pay = || transferCall { to: address, amount: U256::from(5_000_000) }.abi_encode();
    fixture.play.land(&wallet(3), USDT, U256::ZERO, pay()).await;
    let terms = fixture.order(&jump, 5_000_000, 4_500_000);
    let opening = fixture.opening(&jump, &terms);
    fixture.run_to_end("jump", &opening).await;
    assert_eq!(fixture.play.token_balance(USDT, fixture.play.deployment.escrow).await, terms.amount_in);

    fixture.play.land(&wallet(3), USDT, U256::ZERO, pay()).await;
    let reason = fixture.refused(&opening).await;
    assert!(reason.contains("AlreadyOpened"), "{reason}");
    let reason = fixture.refused(&refund(&jump, &[Address::Evm(USDT)], None)).await;
    assert!(reason.contains("may still open"), "{reason}");
    let release = fixture.maker.sign_release(jump.id()).await.unwrap();
    fixture.run_to_end("release", &refund(&jump, &[Address::Evm(USDT)], Some(release))).await;
    let refund_to = EvmAddress::from_word(jump.refund_to);
    assert_eq!(fixture.play.token_balance(USDT, refund_to).await, U256::from(5_000_000));
}

#[tokio::test]
async fn rule_21_what_a_stranger_adds_stops_no_opening_and_goes_to_the_refund_address() {
    let fixture = Fixture::new().await;
    let jump = fixture.jump("dust");
    fixture.pay(&jump, 1_000_000).await;
    let terms = fixture.order(&jump, 1_000_000, 950_000);
    let opening = fixture.opening(&jump, &terms);
    fixture.pay(&jump, 7).await;
    fixture.run_to_end("jump", &opening).await;
    assert_eq!(fixture.coins(fixture.play.deployment.escrow).await, terms.amount_in);
    assert_eq!(fixture.coins(fixture.address(&jump)).await, U256::from(7));
    let release = fixture.maker.sign_release(jump.id()).await.unwrap();
    fixture.run_to_end("release", &refund(&jump, &[NATIVE], Some(release))).await;
    assert_eq!(fixture.coins(EvmAddress::from_word(jump.refund_to)).await, U256::from(7));
}

#[tokio::test]
async fn rule_21_no_order_below_the_rate_by_another_key_or_of_more_than_arrived() {
    let fixture = Fixture::new().await;
    let jump = fixture.jump("refused");
    fixture.pay(&jump, 1_000_000).await;
    let reason = fixture.refused(&fixture.opening(&jump, &fixture.order(&jump, 1_000_000, 899_999))).await;
    assert!(reason.contains("rate is worse"), "{reason}");
    let reason = fixture.refused(&fixture.opening(&jump, &fixture.order(&jump, 1_000_001, 950_000))).await;
    assert!(reason.contains("less has arrived"), "{reason}");
    let terms = fixture.order(&jump, 1_000_000, 950_000);
    let other_key = EvmForwardingSigner::new(fixture.play.deployment.clone(), signer(&wallet(3)));
    let signature = other_key.sign_open(jump.id(), terms.id()).await.unwrap();
    let reason =
        fixture.refused(&ChainAction::OpenForwarding { forwarding: Box::new(jump), terms, signature }).await;
    assert!(reason.contains("by another key"), "{reason}");
    // A signature for one order is not valid for another order or for a refund.
    let signature = fixture.maker.sign_open(jump.id(), B256::repeat_byte(1)).await.unwrap();
    let reason =
        fixture.refused(&ChainAction::OpenForwarding { forwarding: Box::new(jump), terms, signature }).await;
    assert!(reason.contains("by another key"), "{reason}");
    let reason = fixture.refused(&refund(&jump, &[NATIVE], Some(signature))).await;
    assert!(reason.contains("by another key"), "{reason}");
    assert_eq!(fixture.coins(fixture.address(&jump)).await, U256::from(1_000_000));
}

#[tokio::test]
async fn rule_21_after_expiry_anybody_can_refund_and_nobody_can_open() {
    let fixture = Fixture::new().await;
    let jump = fixture.jump("late");
    fixture.pay(&jump, 1_000_000).await;
    let terms = fixture.order(&jump, 1_000_000, 950_000);
    fixture.play.chain.increase_time(3_700);
    fixture.play.chain.mine(3, 1).await.unwrap();
    let reason = fixture.refused(&fixture.opening(&jump, &terms)).await;
    assert!(reason.contains("time is over"), "{reason}");
    fixture.run_to_end("refund", &refund(&jump, &[NATIVE], None)).await;
    assert_eq!(fixture.coins(EvmAddress::from_word(jump.refund_to)).await, U256::from(1_000_000));
}
