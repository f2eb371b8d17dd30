use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{FillerAsk, OrderExecutor, TxSender};
use causeway_domain::{ConfirmedTx, Decision, Family, IntentTerms, Order, OrderStatus, QuoteKey, QuoteKeys};
use causeway_fillers::inventory::InventoryExecutor;
use causeway_testing::MemoryStore;
use causeway_testing::sample::order_of;
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::fakes::{Attesters, FakeTxSender};
use crate::fixture::{BASE, ETHEREUM, FillerFixture, chain, dai, decimal, eth, parties, sell, usdc, weth};

pub(super) fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

pub(super) fn secs(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

/// An executor with its filler and fakes.
pub(super) struct ExecutorFixture {
    pub(super) setup: FillerFixture,
    pub(super) store: Arc<MemoryStore>,
    pub(super) ethereum: Arc<FakeTxSender>,
    pub(super) base: Arc<FakeTxSender>,
    pub(super) attesters: Arc<Attesters>,
    pub(super) key: QuoteKey,
    pub(super) executor: InventoryExecutor,
}

impl ExecutorFixture {
    pub(super) fn new() -> Self {
        let setup = FillerFixture::new();
        let (store, attesters) = (Arc::new(MemoryStore::default()), Arc::new(Attesters::default()));
        let account = parties(Family::Evm).filler;
        let ethereum = Arc::new(FakeTxSender::new(chain(ETHEREUM), account));
        let base = Arc::new(FakeTxSender::new(chain(BASE), account));
        let senders: [(_, Arc<dyn TxSender>); 2] =
            [(chain(ETHEREUM), ethereum.clone()), (chain(BASE), base.clone())];
        let key = QuoteKey::random().unwrap();
        let keys = QuoteKeys { current: QuoteKey::random().unwrap(), older: vec![key.clone()] };
        let filler = Arc::clone(&setup.filler);
        let executor =
            InventoryExecutor::new(filler, store.clone(), HashMap::from(senders), attesters.clone(), keys);
        assert_eq!(executor.name(), "inventory");
        Self { setup, store, ethereum, base, attesters, key, executor }
    }

    /// Another process on the same chains, attesters and store.
    pub(super) fn on(other: &Self) -> Self {
        let (setup, store, attesters) = (FillerFixture::new(), other.store.clone(), other.attesters.clone());
        let (ethereum, base, key) = (other.ethereum.clone(), other.base.clone(), other.key.clone());
        let senders: [(_, Arc<dyn TxSender>); 2] =
            [(chain(ETHEREUM), ethereum.clone()), (chain(BASE), base.clone())];
        let keys = QuoteKeys { current: QuoteKey::random().unwrap(), older: vec![key.clone()] };
        let filler = Arc::clone(&setup.filler);
        let executor =
            InventoryExecutor::new(filler, store.clone(), HashMap::from(senders), attesters.clone(), keys);
        Self { setup, store, ethereum, base, attesters, key, executor }
    }

    /// An order that took the current offer for this ask.
    pub(super) fn order(&self, ask: &FillerAsk) -> Order {
        let offer = self.setup.offer(ask, now()).unwrap();
        let seconds = u64::try_from(now().as_second()).unwrap();
        let parties = offer.parties.unwrap();
        let fee = ask.ask.referral.map_or(U256::ZERO, |referral| referral.fee(offer.amount_in).get());
        let referrer = ask.ask.referral.map_or(B256::ZERO, |referral| referral.referrer.to_word());
        let terms = IntentTerms {
            origin_chain_id: ask.from.id.chain().get(),
            escrow: B256::left_padding_from(&[0xe5; 20]),
            user: ask.ask.from_address.to_word(),
            nonce: B256::ZERO,
            input_token: ask.from.id.address().to_word(),
            amount_in: offer.amount_in.get(),
            refund_to: ask.ask.refund_to.to_word(),
            filler: parties.filler.to_word(),
            payee: parties.payee.to_word(),
            referrer,
            referrer_fee: fee,
            destination_chain_id: ask.to.id.chain().get(),
            settler: B256::left_padding_from(&[0x5e; 20]),
            output_token: ask.to.id.address().to_word(),
            amount_out: offer.amount_out.get(),
            recipient: ask.ask.recipient.to_word(),
            open_deadline: seconds + 630,
            fill_deadline: seconds + 1_600,
            refund_at: seconds + 20_000,
            epoch: 1,
        };
        let terms = self.key.seal(terms).unwrap();
        Order {
            route: "inventory".parse().unwrap(),
            status: OrderStatus::Deposited,
            from: ask.from.id,
            to: ask.to.id,
            src_amount: offer.amount_in,
            dest_amount: offer.amount_out,
            author: ask.ask.from_address,
            recipient: ask.ask.recipient,
            refund_to: ask.ask.refund_to,
            filler: "inventory".to_owned(),
            kind: "native-filler".to_owned(),
            valid_before: offer.valid_before,
            ..order_of(terms, now())
        }
    }

    /// From Ethereum to Base.
    pub(super) fn cross_chain(&self) -> Order {
        self.order(&sell(&usdc(ETHEREUM), &eth(BASE), "1000"))
    }

    pub(super) fn same_chain(&self) -> Order {
        self.order(&sell(&usdc(BASE), &dai(BASE), "1000"))
    }

    /// Sells USDC for about so many WETH on Ethereum.
    pub(super) fn for_weth(&self, dollars: &str) -> Order {
        self.order(&sell(&usdc(BASE), &weth(ETHEREUM), dollars))
    }

    pub(super) fn hold_weth(&self, held: &str) {
        self.setup.book.set_held(chain(ETHEREUM), Instant::now(), [(weth(ETHEREUM).id, decimal(held, 18))]);
    }
}

pub(super) fn decided(order: Order, decision: Decision) -> Order {
    Order { decision: Some(decision), ..order }
}

/// The order with a fill on the destination chain.
pub(super) fn delivered(mut order: Order) -> Order {
    order.evidence.fill = Some(ConfirmedTx {
        chain: order.to.chain(),
        tx: format!("{:#x}", B256::repeat_byte(0xf1)),
        block: 70,
        time: 1_800_000_123,
        amount: order.dest_amount,
    });
    order
}

pub(super) fn purpose_of(action: &str, order: &Order) -> String {
    format!("{action}:{}", order.terms.id())
}
