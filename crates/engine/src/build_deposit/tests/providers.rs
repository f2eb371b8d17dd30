use std::sync::{Arc, Mutex};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, ChainError, DepositTxStatus, Filler, FillerAsk, FillerError, LiquidityProvider, NamedContract,
    ProviderAddress, ProviderAsk, ProviderDeposit, ProviderPayment, ProviderPaymentError, ProviderPayments,
    ProviderReport, ProviderTransaction,
};
use causeway_domain::{CustodyNotice, JoinedTerms, ProviderOffer, ProviderTerms, Quote, RawAmount, Slippage};

use super::super::fake::{BASE, Scene, chain, evm, now, request, usdc};
use super::super::*;
use crate::liquidity::LiquidityParts;

/// A provider that answers what the test says.
struct Provider {
    notice: CustodyNotice,
    answer: Mutex<ProviderDeposit>,
    asked: Mutex<Vec<ProviderAsk>>,
}

impl Provider {
    fn new(answer: ProviderDeposit) -> Arc<Self> {
        let notice = CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() };
        Arc::new(Self { notice, answer: Mutex::new(answer), asked: Mutex::default() })
    }

    fn answers(&self, answer: ProviderDeposit) {
        *self.answer.lock().unwrap() = answer;
    }
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
        Err(FillerError::Unavailable("the test has its quote".to_owned()))
    }
}

#[async_trait]
impl LiquidityProvider for Provider {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, _: ChainId, contract: Address) -> bool {
        [evm(0x71), evm(0x72)].contains(&contract)
    }

    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        Ok(Vec::new())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        self.asked.lock().unwrap().push(ask.clone());
        Ok(self.answer.lock().unwrap().clone())
    }

    async fn look_up(&self, _: &Order, _: Option<&str>) -> Result<Option<ProviderReport>, FillerError> {
        Ok(None)
    }
}

/// A chain on which every transaction does what it should.
struct Payments;

#[async_trait]
impl ProviderPayments for Payments {
    fn chain(&self) -> ChainId {
        chain(BASE)
    }

    async fn actions(&self, _: &ProviderPayment) -> Result<Vec<WalletAction>, ProviderPaymentError> {
        Ok(vec![WalletAction::SwitchChain(chain(BASE))])
    }

    async fn check_tx(&self, _: Address, _: &[&[u8]], _: &str) -> Result<DepositTxStatus, ChainError> {
        Ok(DepositTxStatus::NotFound)
    }
}

fn call(target: u8, data: u8) -> ProviderDeposit {
    ProviderDeposit::Call(ProviderTransaction {
        target: evm(target),
        spender: Some(evm(target)),
        value: U256::ZERO,
        data: vec![data; 4].into(),
        min_amount_out: RawAmount::from_decimal("0.0098", 18).unwrap(),
        registered: None,
    })
}

fn address(byte: u8, pays_until: u64) -> ProviderDeposit {
    let min_amount_out = RawAmount::from_decimal("0.0098", 18).unwrap();
    ProviderDeposit::Transfer(ProviderAddress { address: evm(byte), pays_until, min_amount_out })
}

async fn scene(provider: &Arc<Provider>, method: DepositMethod) -> (Scene, BuildRequest) {
    scene_with(provider, method, |_| {}).await
}

/// The same with a changed quote.
async fn scene_with(
    provider: &Arc<Provider>,
    method: DepositMethod,
    change: impl FnOnce(&mut Quote),
) -> (Scene, BuildRequest) {
    let scene = Scene::new().await.with_liquidity(Liquidity::new(LiquidityParts {
        providers: vec![provider.clone() as Arc<dyn LiquidityProvider>],
        payments: HashMap::from([(chain(BASE), Arc::new(Payments) as Arc<dyn ProviderPayments>)]),
        ..LiquidityParts::default()
    }));
    let quote = scene.quote(|quote| {
        let route = &mut quote.routes[0];
        route.filler = "bridge".to_owned();
        route.deposit_methods = vec![method];
        route.parties = None;
        let terms = ProviderTerms { tool: "bridge".to_owned(), slippage: Slippage::DEFAULT };
        route.provider =
            Some(ProviderOffer { terms, notice: Arc::new(provider.notice.clone()), joined: None });
        change(quote);
    });
    let request = BuildRequest { method: Some(method), ..request(&quote) };
    (scene, request)
}

#[tokio::test]
async fn a_call_is_built_again_for_the_same_contract_only() {
    let provider = Provider::new(call(0x71, 1));
    let (scene, request) = scene(&provider, DepositMethod::ContractCall).await;
    let first = scene.take(request.clone()).await.unwrap();
    provider.answers(call(0x71, 2));
    let second = scene.take(request.clone()).await.unwrap();
    assert_eq!((&second.order.id, second.order.unsigned_txs().len()), (&first.order.id, 2));
    // Payments to another contract, pinned or not, would not be found: the order follows the first.
    provider.answers(call(0x72, 3));
    let error = scene.take(request).await.unwrap_err();
    assert!(matches!(&error, BuildError::AlreadyBuilt { order, .. } if *order == first.order.id), "{error}");
    assert!(error.to_string().contains("ask for a new quote"), "{error}");
    assert_eq!(scene.stored(&first.order).await.unsigned_txs().len(), 2);
}

#[tokio::test]
async fn an_address_is_not_watched_for_longer_than_a_day() {
    let end = |order: &Order| i64::try_from(order.terms.open_deadline).unwrap() - now().as_second();
    let unix = |seconds: i64| u64::try_from(now().as_second() + seconds).unwrap();
    for (said, kept) in
        [(unix(3_600), 3_600), (unix(86_400), 86_400), (unix(10 * 365 * 86_400), 86_400), (u64::MAX, 86_400)]
    {
        let provider = Provider::new(address(0x73, said));
        let (scene, request) = scene(&provider, DepositMethod::Transfer).await;
        let built = scene.take(request).await.unwrap();
        assert_eq!(end(&built.order), kept, "{said}");
        assert_eq!(built.order.terms.fill_deadline - built.order.terms.open_deadline, 86_400);
    }
    let provider = Provider::new(address(0x73, unix(60)));
    let (scene, request) = scene(&provider, DepositMethod::Transfer).await;
    let error = scene.take(request).await.unwrap_err();
    assert!(matches!(&error, BuildError::ProviderFault { .. }), "{error}");
}

/// Joins the route in USDC on Base, from another token there.
fn join(quote: &mut Quote) {
    quote.ask.from = TokenId::from_address(chain(BASE), evm(0x44)).unwrap();
    let joined = JoinedTerms {
        hub: usdc(),
        hub_amount: RawAmount::new(U256::from(24_900_000)),
        filler: "house".to_owned(),
        refund_to: evm(0x66),
    };
    quote.routes[0].provider.as_mut().unwrap().joined = Some(joined);
}

#[tokio::test]
async fn rule_21_every_build_of_a_joined_route_has_the_provider_pay_one_forwarding_address() {
    let provider = Provider::new(call(0x71, 1));
    let (scene, request) = scene_with(&provider, DepositMethod::ContractCall, join).await;
    let scene = scene.with_forwarding();
    let first = scene.take(request.clone()).await.unwrap();
    let joined = first.order.joined().unwrap();
    let (order, address) = (joined.plan.order, joined.plan.address);
    assert_eq!((order.recipient, order.refund_to), (evm(0xb2).to_word(), evm(0x66).to_word()));
    assert_eq!((order.rate_in, order.rate_out), (U256::from(24_900_000), first.order.dest_amount.get()));
    let told = first.summary.join(" ");
    for words in [
        &format!("{address} on Base is a deposit address of this service"),
        "for 24.9 USDC.",
        &format!("USDC is returned to {}", evm(0x66)),
        "The first leg is settled by bridge",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(scene.stored(&first.order).await.joined(), Some(joined), "before anything is handed out");
    provider.answers(call(0x71, 2));
    let again = scene.take(request.clone()).await.unwrap();
    assert_eq!(again.order.joined(), Some(joined));
    // A process that knows nothing of the order derives the same.
    let (other, _) = scene_with(&provider, DepositMethod::ContractCall, join).await;
    let built = other.with_forwarding().take(request).await.unwrap();
    assert_eq!(built.order.joined(), Some(joined));
    let asked = provider.asked.lock().unwrap();
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|ask| (ask.to, ask.recipient) == (usdc(), address)), "{asked:?}");
}

#[tokio::test]
async fn a_joined_route_is_built_only_where_its_second_leg_can_be_made() {
    let provider = Provider::new(call(0x71, 1));
    let ours = |quote: &mut Quote| {
        join(quote);
        quote.ask.recipient = evm(0xd1);
    };
    let (scene, request) = scene_with(&provider, DepositMethod::ContractCall, ours).await;
    let error = scene.with_forwarding().take(request).await.unwrap_err();
    assert!(matches!(&error, BuildError::Field { field: "recipient", .. }), "{error}");
    let (scene, request) = scene_with(&provider, DepositMethod::ContractCall, join).await;
    let error = scene.take(request).await.unwrap_err();
    assert!(matches!(&error, BuildError::ChainNotServed(hub) if *hub == chain(BASE)), "{error}");
    assert!(provider.asked.lock().unwrap().is_empty(), "nobody was asked for a deposit");
}
