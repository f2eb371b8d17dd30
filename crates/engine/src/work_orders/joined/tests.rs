use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    AddressWatch, Answer, ChainAction, ChainCursor, Creation, DepositBuilder, Filler, FillerAsk, FillerError,
    ForwardingSigner, LiquidityProvider, NamedContract, OrderStore as _, PayoutWatch, ProviderAsk,
    ProviderDeposit, ProviderReport, ProviderReturn, TxSender,
};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, ForwardingOrder, ForwardingPlan, JoinedTerms,
    OrderStatus, ProviderOrder, ProviderTerms, RouteSeal, RowKeys, Slippage, TokenId,
};
use causeway_store::{Location, Store};
use causeway_testing::{FakeForwardingSigner, sample};
use jiff::SignedDuration;
use tempfile::TempDir;

use super::*;
use crate::build_deposit::fake::{ARBITRUM, BASE, CATALOG, FakeDepositBuilder, chain, evm, quote_keys, usdc};
use crate::build_deposit::{BuildDeposit, BuildParts, OrderTiming};
use crate::chain_cursors::ChainCursors;
use crate::executors::ExecutorRegistry;
use crate::fiat::fake::{FakeChain, FakeMarket, FakeRelayer, Nothing, cursor};
use crate::fillers::{Fillers, QuoteOptions};
use crate::forwarding::ForwardingParts;
use crate::liquidity::{Liquidity, LiquidityParts};
use crate::request_quote::RequestQuote;
use crate::work_orders::WorkParts;

/// What the first leg delivers at least, and a thousand times as much for it.
const WHOLE: u64 = 20_000_000;
const LEAST: u64 = 20_000_000_000;

fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

fn refund_to() -> Address {
    evm(0x66)
}

/// A provider that says what the test wants.
struct Provider {
    notice: CustodyNotice,
    report: Mutex<Option<ProviderReport>>,
}

#[async_trait]
impl Filler for Provider {
    fn name(&self) -> &'static str {
        "bridge"
    }

    fn kind(&self) -> &'static str {
        "bridge"
    }

    async fn quote(&self, _: &FillerAsk) -> Result<Answer, FillerError> {
        unreachable!("the order is built")
    }
}

#[async_trait]
impl LiquidityProvider for Provider {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, _: ChainId, _: Address) -> bool {
        true
    }

    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        Ok(Vec::new())
    }

    async fn deposit(&self, _: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        unreachable!("the order is built")
    }

    async fn look_up(&self, order: &Order, _: Option<&str>) -> Result<Option<ProviderReport>, FillerError> {
        assert_eq!(order.to, usdc(), "it was asked for the first leg");
        Ok(self.report.lock().unwrap().clone())
    }
}

/// A joined order that waits for its first leg, over a real store, with made-up chains.
struct Case {
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    chain: Arc<FakeChain>,
    relayer: Arc<FakeRelayer>,
    market: Arc<FakeMarket>,
    cursors: Arc<ChainCursors>,
    provider: Arc<Provider>,
    order: Order,
    _folder: TempDir,
}

impl Case {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("orders.db"))).await.unwrap();
        let (store, row_keys) = (Arc::new(store), Arc::new(RowKeys::new(0)));
        let order = order();
        let event = OrderEvent {
            key: row_keys.next(order.created_at),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: "It was built.".to_owned(),
            at: order.created_at,
        };
        assert_eq!(store.create_order(&order, &event).await.unwrap(), Creation::Created);
        let cursors = Arc::<ChainCursors>::default();
        cursors.set(chain(BASE), cursor());
        let notice = CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() };
        Self {
            store,
            row_keys,
            chain: Arc::default(),
            relayer: Arc::default(),
            market: FakeMarket::new(),
            cursors,
            provider: Arc::new(Provider { notice, report: Mutex::default() }),
            order,
            _folder: folder,
        }
    }

    /// A worker of a freshly started process.
    fn worker(&self) -> WorkOrders {
        let builder = |id: u64, escrow, settler| {
            (chain(id), FakeDepositBuilder::new(chain(id), escrow, settler) as Arc<dyn DepositBuilder>)
        };
        let fillers = Fillers::new(vec![self.market.clone()], &QuoteOptions::default()).unwrap();
        let seal = Arc::new(RouteSeal::new(&quote_keys()));
        let signers: HashMap<ChainId, Arc<dyn ForwardingSigner>> = HashMap::from([(
            chain(BASE),
            Arc::new(FakeForwardingSigner(chain(BASE))) as Arc<dyn ForwardingSigner>,
        )]);
        let relayers: HashMap<ChainId, Arc<dyn TxSender>> =
            HashMap::from([(chain(BASE), self.relayer.clone() as Arc<dyn TxSender>)]);
        let forwarding = ForwardFunds::new(ForwardingParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            request_quote: RequestQuote::new(Arc::clone(&CATALOG), Arc::clone(&seal), fillers),
            build: BuildDeposit::new(BuildParts {
                catalog: Arc::clone(&CATALOG),
                seal,
                orders: self.store.clone(),
                deposit_builders: HashMap::from([builder(BASE, 0xe1, 0xe2), builder(ARBITRUM, 0xd1, 0xd2)]),
                executors: ExecutorRegistry::default(),
                prices: Arc::new(Nothing),
                row_keys: Arc::clone(&self.row_keys),
                quote_keys: quote_keys(),
                timing: OrderTiming::default(),
            }),
            watches: HashMap::from([(chain(BASE), self.chain.clone() as Arc<dyn AddressWatch>)]),
            forwarding_signers: signers.clone(),
            relayers: relayers.clone(),
            prices: Arc::new(Nothing),
            gas: Arc::new(Nothing),
            catalog: Arc::clone(&CATALOG),
            cursors: Arc::clone(&self.cursors),
            swap_within: SignedDuration::ZERO,
        });
        let liquidity = Liquidity::new(LiquidityParts {
            providers: vec![self.provider.clone()],
            payouts: HashMap::from([(chain(BASE), self.chain.clone() as Arc<dyn PayoutWatch>)]),
            ..LiquidityParts::default()
        });
        let parts = WorkParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            executors: ExecutorRegistry::default(),
            relayers,
            deposit_builders: HashMap::new(),
            forwarding_signers: signers,
            attestations: None,
            prices: Arc::new(Nothing),
            gas: Arc::new(Nothing),
            catalog: Arc::clone(&CATALOG),
            row_keys: Arc::clone(&self.row_keys),
            cursors: Arc::clone(&self.cursors),
        };
        WorkOrders::new(parts).with_liquidity(liquidity).with_forwarding(Arc::new(forwarding))
    }

    async fn stored(&self) -> Order {
        self.store.order(&self.order.id).await.unwrap().unwrap()
    }

    /// The order as a process that has just started leaves it.
    async fn run(&self) -> Order {
        self.worker().process(self.stored().await).await.unwrap();
        self.stored().await
    }

    /// The first leg delivers so much to the forwarding address.
    fn deliver(&self, amount: u64) {
        self.pay("0xfirst", usdc(), amount, self.address());
    }

    fn pay(&self, tx: &str, token: TokenId, amount: u64, to: Address) {
        self.chain.pay(Payout { token, tx: tx.to_owned(), index: 0, amount: raw(amount) }, to);
    }

    fn address(&self) -> Address {
        self.order.joined().unwrap().plan.address
    }

    async fn swaps(&self) -> Vec<Order> {
        self.store.orders_at(self.address()).await.unwrap()
    }

    /// The returns that were sent: the purpose of each, and its tokens.
    fn returns(&self) -> Vec<(String, Vec<Address>)> {
        let sent = self.relayer.sent_actions.lock().unwrap();
        let returned = |(purpose, action): &(String, ChainAction)| match action {
            ChainAction::ReturnForwarding { tokens, .. } => Some((purpose.clone(), tokens.clone())),
            _ => None,
        };
        sent.iter().filter_map(returned).collect()
    }
}

/// Coin on Arbitrum for a payment on Arbitrum, joined in USDC on Base.
fn order() -> Order {
    let mut order = sample::order(1);
    (order.from, order.to) =
        (TokenId::from_address(chain(ARBITRUM), evm(0x15)).unwrap(), TokenId::native(chain(ARBITRUM)));
    order.dest_amount = raw(LEAST);
    order.recipient = evm(0xb2);
    order.filler = "bridge".to_owned();
    order.method = DepositMethod::Transfer;
    let now = Timestamp::now();
    (order.created_at, order.updated_at, order.due_at) = (now, now, Some(now));
    let later = |hours| u64::try_from((now + SignedDuration::from_hours(hours)).as_second()).unwrap();
    (order.terms.open_deadline, order.terms.fill_deadline) = (later(1), later(25));
    order.intent_id = order.terms.id();
    let terms = JoinedTerms {
        hub: usdc(),
        hub_amount: raw(WHOLE),
        filler: "house".to_owned(),
        refund_to: refund_to(),
    };
    let forwarding = ForwardingOrder {
        origin_chain_id: BASE,
        escrow: evm(0xe1).to_word(),
        nonce: B256::repeat_byte(2),
        maker: evm(0x77).to_word(),
        input_token: usdc().address().to_word(),
        refund_to: refund_to().to_word(),
        destination_chain_id: ARBITRUM,
        output_token: order.to.address().to_word(),
        recipient: order.recipient.to_word(),
        rate_in: U256::from(WHOLE),
        rate_out: U256::from(LEAST),
        expiry: later(200),
    };
    let plan = ForwardingPlan {
        address: FakeForwardingSigner(chain(BASE)).address_for(forwarding.id()),
        order: forwarding,
        filler: "house".to_owned(),
        route: order.route.clone(),
        swap: None,
        returned_tx: None,
    };
    order.provider = Some(Box::new(ProviderOrder {
        terms: ProviderTerms { tool: "bridge".to_owned(), slippage: Slippage::DEFAULT },
        notice: CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() },
        target: evm(0x71),
        spender: None,
        word: None,
        named_deposit: None,
        joined: Some(Box::new(JoinedOrder { terms, plan, delivered: None, arrived_at: None })),
    }));
    order
}

#[tokio::test]
async fn rule_21_of_two_processes_one_makes_the_second_swap_and_none_makes_another() {
    let case = Case::new().await;
    case.deliver(WHOLE + 5);
    let (one, other) = (case.worker(), case.worker());
    let order = case.stored().await;
    let (first, second) = tokio::join!(one.process(order.clone()), other.process(order));
    first.unwrap();
    second.unwrap();
    // A third one, after both have died.
    let order = case.run().await;
    assert_eq!(order.status, OrderStatus::Published);
    let [swap] = &case.swaps().await[..] else { panic!("not one swap") };
    assert_eq!((swap.from, swap.to, swap.src_amount), (usdc(), order.to, raw(WHOLE + 5)), "all that came");
    assert!(swap.dest_amount >= order.dest_amount, "at the agreed rate or a better one");
    assert_eq!((swap.recipient, swap.refund_to), (order.recipient, refund_to()));
    assert_eq!(order.joined().unwrap().plan.swap.as_ref(), Some(&swap.id));
    assert_eq!(case.returns(), [], "it is the swap's");
}

#[tokio::test]
async fn rule_21_what_no_filler_takes_at_the_rate_is_returned_once_and_ends_the_order() {
    let case = Case::new().await;
    case.market.rate.store(999, Ordering::Relaxed);
    case.deliver(WHOLE);
    let order = case.run().await;
    assert_eq!((order.status, case.swaps().await), (OrderStatus::Published, vec![]));
    case.run().await;
    let sent = case.returns();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].1, [usdc().address()]);
    // The return is final: the chain shows it, and the address is empty.
    case.pay(&format!("0xdone {}", sent[0].0), usdc(), WHOLE, refund_to());
    case.chain.balances.lock().unwrap().insert(case.address(), RawAmount::ZERO);
    let order = case.run().await;
    assert_eq!(order.status, OrderStatus::Refunded);
    assert_eq!(order.evidence.refund.unwrap().0.amount, raw(WHOLE));
    let reason = order.failure_reason.unwrap();
    for words in ["No filler took the second swap", &usdc().to_string(), &refund_to().to_string()] {
        assert!(reason.contains(words), "{words}: {reason}");
    }
    assert!(order.due_at.is_some(), "later payments are looked for");
    assert_eq!(case.returns().len(), 1);
}

#[tokio::test]
async fn rule_21_another_token_that_the_provider_pays_to_the_forwarding_address_is_returned() {
    let case = Case::new().await;
    let other = TokenId::from_address(chain(BASE), evm(0x99)).unwrap();
    let returned = ProviderReturn { token: other, tx: "0xother".to_owned(), at_recipient: true };
    let report = ProviderReport {
        state: ProviderState::Returned(returned),
        word: "PARTIAL".to_owned(),
        deposits: Vec::new(),
        received: None,
    };
    *case.provider.report.lock().unwrap() = Some(report);
    case.chain
        .payouts
        .lock()
        .unwrap()
        .push((Payout { token: other, tx: "0xother".to_owned(), index: 0, amount: raw(7) }, case.address()));
    let order = case.run().await;
    assert!(!order.status.is_terminal(), "it has no price: {order:?}");
    assert_eq!(case.returns(), [], "the first leg may still deliver");
    let expiry = order.joined().unwrap().plan.order.expiry;
    case.cursors.set(chain(BASE), ChainCursor { time: expiry - 599, ..cursor() });
    case.run().await;
    let sent = case.returns();
    assert!(sent.first().is_some_and(|(_, tokens)| *tokens == [other.address()]), "{sent:?}");
}

#[tokio::test]
async fn rule_29_a_halted_hub_opens_no_second_swap_and_returns_what_it_holds() {
    let case = Case::new().await;
    case.cursors.halt(chain(BASE));
    case.deliver(WHOLE);
    case.run().await;
    assert_eq!((case.swaps().await, case.returns().len()), (vec![], 0));
    case.run().await;
    assert_eq!((case.swaps().await, case.returns().len()), (vec![], 1), "it has waited long enough");
}
