//! Orders that a liquidity provider settles: what the chains show decides, and not what the provider says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    Answer, ChainError, DepositTxStatus, Filler, FillerAsk, FillerError, LiquidityProvider, NamedContract,
    OrderStore as _, PayoutWatch, ProviderAsk, ProviderDeposit, ProviderPayment, ProviderPaymentError,
    ProviderPayments, ProviderReport, ProviderReturn, ProviderState, WalletAction,
};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, Order, OrderStatus, ProviderOrder, ProviderTerms,
    RawAmount, Slippage, TokenId,
};
use causeway_engine::{Liquidity, LiquidityParts};
use jiff::Timestamp;

use crate::scene::{
    AMOUNT_IN, DESTINATION, ORIGIN, Scene, add_order, address, chain, input, later, raw, token,
};

const DEPOSIT: &str = "0xdeposit";
const FILL: &str = "0xfill";
const BACK: &str = "0xback";
/// Addresses: the pinned contract, the recipient and the refund address.
const TARGET: u8 = 0x71;
const RECIPIENT: u8 = 16;
const REFUND_TO: u8 = 7;

/// A transfer in a final block.
struct Transfer {
    tx: &'static str,
    token: TokenId,
    to: Address,
    amount: u64,
    time: u64,
}

/// What both chains show.
#[derive(Default)]
struct Ledger {
    transfers: Mutex<Vec<Transfer>>,
    /// What the deposit took from the payer.
    spent: Mutex<u64>,
    is_silent: Mutex<bool>,
}

struct Watch(ChainId, Arc<Ledger>);

impl Watch {
    fn check(&self) -> Result<(), ChainError> {
        if *self.1.is_silent.lock().unwrap() { Err(ChainError::Unavailable(self.0)) } else { Ok(()) }
    }
}

#[async_trait]
impl PayoutWatch for Watch {
    fn chain(&self) -> ChainId {
        self.0
    }

    async fn payouts(&self, tx: &str, token: TokenId, to: Address) -> Result<Vec<Payout>, ChainError> {
        self.check()?;
        let transfers = self.1.transfers.lock().unwrap();
        let shown =
            transfers.iter().zip(0..).filter(|(one, _)| (one.tx, one.token, one.to) == (tx, token, to));
        let payout = |(one, index): (&Transfer, u64)| {
            let tx = one.tx.to_owned();
            Payout { token, tx, index, amount: raw(one.amount) }
        };
        Ok(shown.map(payout).collect())
    }

    async fn spent(&self, _: &str, _: TokenId, _: Address) -> Result<RawAmount, ChainError> {
        self.check()?;
        Ok(raw(*self.1.spent.lock().unwrap()))
    }

    async fn place(&self, tx: &str) -> Result<Option<(u64, u64)>, ChainError> {
        self.check()?;
        let transfers = self.1.transfers.lock().unwrap();
        Ok(transfers.iter().find(|one| one.tx == tx).map(|one| (7, one.time)))
    }
}

/// What the origin chain says of the transaction that the payer submitted.
struct Payments(Mutex<DepositTxStatus>);

#[async_trait]
impl ProviderPayments for Payments {
    fn chain(&self) -> ChainId {
        chain(ORIGIN)
    }

    async fn actions(&self, _: &ProviderPayment) -> Result<Vec<WalletAction>, ProviderPaymentError> {
        unreachable!("the order is built")
    }

    async fn check_tx(&self, _: Address, _: &[&[u8]], tx: &str) -> Result<DepositTxStatus, ChainError> {
        assert_eq!(tx, DEPOSIT);
        Ok(self.0.lock().unwrap().clone())
    }
}

struct Provider {
    notice: CustodyNotice,
    report: Mutex<Result<Option<ProviderReport>, FillerError>>,
    delivers_at_once: bool,
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

    fn delivers_at_once(&self) -> bool {
        self.delivers_at_once
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

    async fn look_up(&self, _: &Order, _: Option<&str>) -> Result<Option<ProviderReport>, FillerError> {
        self.report.lock().unwrap().clone()
    }
}

/// A provider's order with the chains that show its transfers.
struct Case {
    scene: Scene,
    ledger: Arc<Ledger>,
    payments: Arc<Payments>,
    provider: Arc<Provider>,
}

fn seconds_now() -> u64 {
    u64::try_from(Timestamp::now().as_second()).unwrap()
}

impl Case {
    async fn new(method: DepositMethod) -> Self {
        let notice = CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() };
        let provider_order = ProviderOrder {
            terms: ProviderTerms { tool: "bridge".to_owned(), slippage: Slippage::DEFAULT },
            notice: notice.clone(),
            target: address(TARGET),
            spender: None,
            word: None,
            named_deposit: None,
            joined: None,
        };
        let scene = Scene::with(|order| {
            order.method = method;
            "bridge".clone_into(&mut order.filler);
            order.provider = Some(Box::new(provider_order));
            order.submitted_tx = (method == DepositMethod::ContractCall).then(|| DEPOSIT.to_owned());
            order.announced = true;
            order.terms.fill_deadline = seconds_now() + 3_600;
            order.terms.refund_at = seconds_now() + 7_200;
            order.due_at = Some(order.created_at);
        })
        .await;
        Self {
            scene,
            ledger: Arc::default(),
            payments: Arc::new(Payments(Mutex::new(DepositTxStatus::Matches))),
            provider: Arc::new(Provider { notice, report: Mutex::new(Ok(None)), delivers_at_once: false }),
        }
    }

    /// An order whose deposit the origin chain shows.
    async fn paid() -> Self {
        let case = Self::new(DepositMethod::ContractCall).await;
        case.show(DEPOSIT, input(), TARGET, AMOUNT_IN);
        case
    }

    fn show(&self, tx: &'static str, token: TokenId, to: u8, amount: u64) {
        self.show_at(tx, token, to, amount, seconds_now());
    }

    fn show_at(&self, tx: &'static str, token: TokenId, to: u8, amount: u64, time: u64) {
        let to = address(to);
        self.ledger.transfers.lock().unwrap().push(Transfer { tx, token, to, amount, time });
    }

    fn says(&self, state: ProviderState) {
        self.names(state, &[]);
    }

    /// The provider names these payments to its address.
    fn names(&self, state: ProviderState, deposits: &[&str]) {
        let deposits = deposits.iter().map(|&tx| tx.to_owned()).collect();
        let report = ProviderReport { state, word: "WORD".to_owned(), deposits, received: None };
        *self.provider.report.lock().unwrap() = Ok(Some(report));
    }

    async fn run(&self) -> Order {
        let watch = |id| (chain(id), Arc::new(Watch(chain(id), self.ledger.clone())) as Arc<dyn PayoutWatch>);
        let payments = self.payments.clone() as Arc<dyn ProviderPayments>;
        let liquidity = Liquidity::new(LiquidityParts {
            providers: vec![self.provider.clone()],
            payments: HashMap::from([(chain(ORIGIN), payments)]),
            payouts: HashMap::from([ORIGIN, DESTINATION].map(watch)),
            ..LiquidityParts::default()
        });
        self.scene.worker().with_liquidity(liquidity).run_once(later()).await.unwrap();
        self.scene.order().await
    }
}

fn output() -> TokenId {
    token(DESTINATION, 14)
}

fn delivered() -> ProviderState {
    ProviderState::Delivered { tx: FILL.to_owned() }
}

#[tokio::test]
async fn rule_22_a_payment_counts_when_the_chain_shows_it_at_the_pinned_target() {
    use DepositTxStatus::{Matches, Mismatch, NotFound};
    for (status, to, amount, expected) in [
        (Matches, TARGET, AMOUNT_IN, OrderStatus::Deposited),
        (Matches, TARGET, AMOUNT_IN - 1, OrderStatus::Created),
        (Matches, 0x72, AMOUNT_IN, OrderStatus::Created),
        (NotFound, TARGET, AMOUNT_IN, OrderStatus::Created),
        (Mismatch("another call".to_owned()), TARGET, AMOUNT_IN, OrderStatus::Created),
    ] {
        let case = Case::new(DepositMethod::ContractCall).await;
        *case.payments.0.lock().unwrap() = status.clone();
        case.show(DEPOSIT, input(), to, amount);
        assert_eq!(case.run().await.status, expected, "{status:?} {amount}");
    }
}

#[tokio::test]
async fn rule_22_a_delivery_counts_when_the_chain_shows_it_at_the_recipient_since_the_deposit() {
    for (to, amount, earlier, expected) in [
        (RECIPIENT, 990, 0, OrderStatus::Filled),
        (RECIPIENT, 989, 0, OrderStatus::Published),
        (REFUND_TO, 990, 0, OrderStatus::Published),
        (RECIPIENT, 990, 600, OrderStatus::Published),
    ] {
        let case = Case::paid().await;
        case.says(delivered());
        assert_eq!(case.run().await.status, OrderStatus::Published, "a word only");
        case.show_at(FILL, output(), to, amount, seconds_now() - earlier);
        let order = case.run().await;
        assert_eq!(order.status, expected, "{to} {amount} {earlier}");
        let is_told = order.failure_reason.is_some_and(|reason| reason.contains("delivered 989 raw units"));
        assert_eq!(is_told, amount == 989);
    }
}

#[tokio::test]
async fn rule_22_a_transfer_completes_one_order_only() {
    let case = Case::paid().await;
    let other = add_order(&case.scene.store, &case.scene.row_keys, |_| {}).await;
    case.says(delivered());
    case.show(FILL, output(), RECIPIENT, 990);
    let payout = Payout { token: output(), tx: FILL.to_owned(), index: 1, amount: raw(990) };
    assert!(case.scene.store.take_payout(&other.id, &payout).await.unwrap());
    assert_eq!(case.run().await.status, OrderStatus::Published);
    case.show(FILL, output(), RECIPIENT, 990);
    assert_eq!(case.run().await.status, OrderStatus::Filled, "the second transfer of it is free");
}

#[tokio::test]
async fn rule_22_a_return_counts_when_the_chain_shows_at_least_half_of_the_input() {
    let unpriced = token(ORIGIN, 6);
    for (token, at_recipient, to, amount, expected) in [
        (input(), false, REFUND_TO, 500, OrderStatus::Refunded),
        (input(), false, REFUND_TO, 499, OrderStatus::RefundPending),
        (input(), false, RECIPIENT, 1_000, OrderStatus::RefundPending),
        (input(), true, RECIPIENT, 1_000, OrderStatus::Refunded),
        (unpriced, false, REFUND_TO, 1_000_000, OrderStatus::RefundPending),
    ] {
        let case = Case::paid().await;
        case.says(ProviderState::Returned(ProviderReturn { token, tx: BACK.to_owned(), at_recipient }));
        assert_eq!(case.run().await.status, OrderStatus::RefundPending, "a word only");
        case.show(BACK, token, to, amount);
        let order = case.run().await;
        assert_eq!(order.status, expected, "{token} {to} {amount}");
        if order.status == OrderStatus::Refunded {
            let reason = order.failure_reason.unwrap();
            assert_eq!(reason.contains(BACK), at_recipient, "what did not go back is named: {reason}");
        }
    }
}

#[tokio::test]
async fn a_provider_or_chain_that_does_not_answer_changes_nothing() {
    let errors = [FillerError::Unavailable("down".to_owned()), FillerError::Nonsense("html".to_owned())];
    for error in errors {
        let case = Case::paid().await;
        *case.provider.report.lock().unwrap() = Err(error);
        let order = case.run().await;
        assert_eq!((order.status, order.provider.unwrap().word), (OrderStatus::Deposited, None));
        assert!(order.due_at.is_some(), "it is asked again");
    }
    let case = Case::paid().await;
    case.says(delivered());
    *case.ledger.is_silent.lock().unwrap() = true;
    assert_eq!(case.run().await.status, OrderStatus::Created);
    *case.ledger.is_silent.lock().unwrap() = false;
    case.show(FILL, output(), RECIPIENT, 990);
    assert_eq!(case.run().await.status, OrderStatus::Filled);
}

#[tokio::test]
async fn payments_to_a_providers_address_are_added_up() {
    let case = Case::new(DepositMethod::Transfer).await;
    case.names(ProviderState::Working, &["0xa1", "0xA1", "0xa2"]);
    case.show("0xa1", input(), TARGET, 400);
    let order = case.run().await;
    assert_eq!(order.status, OrderStatus::Created);
    assert!(order.failure_reason.unwrap().contains("Only 400 of 1000"));
    case.show("0xa2", input(), TARGET, 600);
    let order = case.run().await;
    assert_eq!((order.status, order.failure_reason), (OrderStatus::Published, None));
    assert_eq!(order.evidence.deposit.unwrap().amount, raw(1_000));
}

#[tokio::test]
async fn the_input_of_a_swap_within_a_chain_must_have_left_the_payer() {
    let mut case = Case::paid().await;
    let notice = case.provider.notice.clone();
    case.provider = Arc::new(Provider { notice, report: Mutex::new(Ok(None)), delivers_at_once: true });
    assert_eq!(case.run().await.status, OrderStatus::Created, "it is still there");
    *case.ledger.spent.lock().unwrap() = 999;
    let order = case.run().await;
    assert_eq!((order.status, order.evidence.deposit.unwrap().amount), (OrderStatus::Deposited, raw(999)));
}

#[tokio::test]
async fn rule_29_what_a_halted_chain_shows_of_a_providers_order_is_not_believed() {
    let case = Case::paid().await;
    case.scene.cursors.halt(chain(DESTINATION));
    let order = case.run().await;
    assert_eq!(order.status, OrderStatus::Created);
    assert!(order.due_at.is_some_and(|due| due > Timestamp::now()), "it is looked at again");
}
