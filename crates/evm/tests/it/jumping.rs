use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, U256, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{Carrier as _, Deed, DeedError, JumpDesk as _, Progress};
use causeway_domain::{Address, Jump, SignatureBytes, Terms};
use causeway_evm::SendPolicy;
use causeway_evm::orders::{EvmCarrier, EvmJumpDesk};
use jiff::Timestamp;

use crate::orders_chain::{PlayChain, USDT, now, roles, signer, transferCall, wallet};
use crate::outbox::MemoryOutbox;

const POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000_000_000_000, depth: 2 };
const NATIVE: Address = Address::Evm(EvmAddress::ZERO);

struct Stage {
    play: PlayChain,
    desk: EvmJumpDesk,
    relayer: EvmCarrier,
}

impl Stage {
    async fn new() -> Self {
        let play = PlayChain::start(10).await;
        let contracts = play.deployment.clone();
        let relayer = EvmCarrier::new(
            play.client.clone(),
            signer(&roles().relayer),
            Arc::<MemoryOutbox>::default(),
            POLICY,
            vec![contracts.clone()],
        );
        Self { relayer, desk: EvmJumpDesk::new(contracts, signer(&roles().maker)), play }
    }

    /// Nine out for ten in, at least, for an hour.
    fn jump(&self, seed: &str) -> Jump {
        let order = self.play.order(seed);
        Jump {
            origin_chain_id: order.origin_chain_id,
            escrow: order.escrow,
            nonce: keccak256(seed),
            maker: self.desk.maker(),
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

    fn address(&self, jump: &Jump) -> EvmAddress {
        let Address::Evm(address) = self.desk.address_for(jump.id()) else { panic!("another family") };
        address
    }

    fn order(&self, jump: &Jump, amount_in: u64, amount_out: u64) -> Terms {
        Terms {
            user: self.address(jump).into_word(),
            amount_in: U256::from(amount_in),
            amount_out: U256::from(amount_out),
            input_token: jump.input_token,
            ..self.play.order("opened by a jump")
        }
    }

    fn opening(&self, jump: &Jump, terms: &Terms) -> Deed {
        let signature = self.desk.sign_open(jump.id(), terms.id()).unwrap();
        Deed::Jump { jump: Box::new(*jump), terms: *terms, signature }
    }

    async fn pay(&self, jump: &Jump, amount: u64) {
        self.play.land(&wallet(3), self.address(jump), U256::from(amount), Vec::new()).await;
    }

    async fn done(&self, purpose: &str, deed: &Deed) {
        for _ in 0..100 {
            let progress = self.relayer.carry(purpose, deed, Timestamp::now()).await.unwrap();
            match progress {
                Progress::Succeeded(_) => return,
                Progress::Reverted(_) => panic!("{purpose} reverted"),
                Progress::Waiting | Progress::OnItsWay(_) => {}
            }
            self.play.chain.mine(1, 1).await.unwrap();
            self.relayer.tend(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended");
    }

    /// Why the chain would refuse it.
    async fn refused(&self, deed: &Deed) -> String {
        match self.relayer.carry("refused", deed, Timestamp::now()).await {
            Err(DeedError::WouldFail(words)) => words,
            other => panic!("{other:?}"),
        }
    }

    async fn coins(&self, owner: EvmAddress) -> U256 {
        self.play.client.native_balance(owner).await.unwrap()
    }
}

fn back(jump: &Jump, tokens: &[Address], signature: Option<SignatureBytes>) -> Deed {
    Deed::GiveBackJump { jump: Box::new(*jump), tokens: tokens.to_vec(), signature }
}

#[tokio::test]
async fn rule_21_what_was_really_paid_opens_an_order_by_the_makers_word() {
    let stage = Stage::new().await;
    let jump = stage.jump("paid");
    stage.pay(&jump, 987_654).await;
    let terms = stage.order(&jump, 987_654, 888_889);
    stage.done("jump", &stage.opening(&jump, &terms)).await;
    assert_eq!(stage.coins(stage.play.deployment.escrow).await, terms.amount_in);
    assert_eq!(stage.coins(stage.address(&jump)).await, U256::ZERO);
}

#[tokio::test]
async fn rule_21_a_token_is_opened_alike_and_a_second_payout_goes_back() {
    let stage = Stage::new().await;
    let jump = Jump { input_token: USDT.into_word(), ..stage.jump("token") };
    let address = stage.address(&jump);
    let pay = || transferCall { to: address, amount: U256::from(5_000_000) }.abi_encode();
    stage.play.land(&wallet(3), USDT, U256::ZERO, pay()).await;
    let terms = stage.order(&jump, 5_000_000, 4_500_000);
    let opening = stage.opening(&jump, &terms);
    stage.done("jump", &opening).await;
    assert_eq!(stage.play.token_balance(USDT, stage.play.deployment.escrow).await, terms.amount_in);

    stage.play.land(&wallet(3), USDT, U256::ZERO, pay()).await;
    let words = stage.refused(&opening).await;
    assert!(words.contains("AlreadyOpened"), "{words}");
    let words = stage.refused(&back(&jump, &[Address::Evm(USDT)], None)).await;
    assert!(words.contains("may still open"), "{words}");
    let release = stage.desk.sign_release(jump.id()).unwrap();
    stage.done("release", &back(&jump, &[Address::Evm(USDT)], Some(release))).await;
    let refund_to = EvmAddress::from_word(jump.refund_to);
    assert_eq!(stage.play.token_balance(USDT, refund_to).await, U256::from(5_000_000));
}

#[tokio::test]
async fn rule_21_no_order_below_the_rate_or_by_another_key_or_of_another_amount() {
    let stage = Stage::new().await;
    let jump = stage.jump("refused");
    stage.pay(&jump, 1_000_000).await;
    let words = stage.refused(&stage.opening(&jump, &stage.order(&jump, 1_000_000, 899_999))).await;
    assert!(words.contains("rate is worse"), "{words}");
    let words = stage.refused(&stage.opening(&jump, &stage.order(&jump, 1_000_001, 950_000))).await;
    assert!(words.contains("less has arrived"), "{words}");
    let words = stage.refused(&stage.opening(&jump, &stage.order(&jump, 999_999, 950_000))).await;
    assert!(words.contains("not what the address was made for"), "{words}");
    let terms = stage.order(&jump, 1_000_000, 950_000);
    let stranger = EvmJumpDesk::new(stage.play.deployment.clone(), signer(&wallet(3)));
    let signature = stranger.sign_open(jump.id(), terms.id()).unwrap();
    let words = stage.refused(&Deed::Jump { jump: Box::new(jump), terms, signature }).await;
    assert!(words.contains("by another key"), "{words}");
    // A word for one order is none for another, and none for a return.
    let signature = stage.desk.sign_open(jump.id(), B256::repeat_byte(1)).unwrap();
    let words = stage.refused(&Deed::Jump { jump: Box::new(jump), terms, signature }).await;
    assert!(words.contains("by another key"), "{words}");
    let words = stage.refused(&back(&jump, &[NATIVE], Some(signature))).await;
    assert!(words.contains("by another key"), "{words}");
    assert_eq!(stage.coins(stage.address(&jump)).await, U256::from(1_000_000));
}

#[tokio::test]
async fn rule_21_past_expiry_anybody_sends_it_back_and_nobody_opens() {
    let stage = Stage::new().await;
    let jump = stage.jump("late");
    stage.pay(&jump, 1_000_000).await;
    let terms = stage.order(&jump, 1_000_000, 950_000);
    stage.play.chain.increase_time(3_700);
    stage.play.chain.mine(3, 1).await.unwrap();
    let words = stage.refused(&stage.opening(&jump, &terms)).await;
    assert!(words.contains("time is over"), "{words}");
    stage.done("back", &back(&jump, &[NATIVE], None)).await;
    assert_eq!(stage.coins(EvmAddress::from_word(jump.refund_to)).await, U256::from(1_000_000));
}
