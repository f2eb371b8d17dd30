use std::sync::{Arc, Mutex};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, ChainError, DepositTxStatus, Filler, FillerAsk, FillerError, LiquidityProvider, NamedContract,
    ProviderAddress, ProviderAsk, ProviderDeposit, ProviderPayment, ProviderPaymentError, ProviderPayments,
    ProviderReport, ProviderTransaction,
};
use causeway_domain::{CustodyNotice, ProviderOffer, ProviderTerms, RawAmount, Slippage};

use super::super::fake::{BASE, Scene, chain, evm, now, request};
use super::super::*;
use crate::liquidity::LiquidityParts;

/// A provider that answers what the test says.
struct Provider {
    notice: CustodyNotice,
    answer: Mutex<ProviderDeposit>,
}

impl Provider {
    fn new(answer: ProviderDeposit) -> Arc<Self> {
        let notice = CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() };
        Arc::new(Self { notice, answer: Mutex::new(answer) })
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

    async fn deposit(&self, _: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
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
