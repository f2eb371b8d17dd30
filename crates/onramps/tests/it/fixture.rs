//! Both running sandbox providers, with a chain if requested.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address as EvmAddress, U256, address};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use causeway_domain::fiat::{FiatAmount, FiatOrder, FiatStatus, Strategy, WantedAmount};
use causeway_domain::ports::{
    BalanceReader as _, OnRamp, RampAsk, RampOffer, RampReport, RampSession, RampState, TxSender,
};
use causeway_domain::{
    Address, ChainId, FiatOrderId, FiatQuoteId, RawAmount, RowKeys, SOLANA_CHAIN_ID, Token, TokenId,
};
use causeway_evm::orders::EvmTxSender;
use causeway_evm::{EvmClient, EvmConfig, RpcUrl, SendPolicy, Signer};
use causeway_onramps::sandbox::{PaymentDelays, SandboxPlan, SandboxRamps, SandboxSettings, Switches};
use causeway_prices::FixedPrices;
use causeway_sandbox::evm::{EvmChain, Genesis, Options};
use causeway_sandbox::genesis::{EvmGenesis, Roles, WellKnownToken};
use causeway_store::{Location, Store};
use http_body_util::BodyExt as _;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::inbox::Inbox;

const USDC: EvmAddress = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const SENDING: SendPolicy =
    SendPolicy { stuck_after: Duration::from_secs(6), max_fee_per_gas: 10_000_000_000_000, depth: 2 };

pub(crate) fn base() -> ChainId {
    ChainId::new(8453).unwrap()
}

fn token(id: TokenId, symbol: &str, decimals: u8) -> Token {
    Token { id, symbol: symbol.to_owned(), name: symbol.to_owned(), decimals, logo: None }
}

pub(crate) fn usdc() -> Token {
    token(TokenId::new(base(), &USDC.to_string()).unwrap(), "USDC", 6)
}

pub(crate) fn ether() -> Token {
    token(TokenId::native(base()), "ETH", 18)
}

pub(crate) fn sol() -> Token {
    token(TokenId::native(SOLANA_CHAIN_ID), "SOL", 9)
}

/// A recipient with an empty balance.
pub(crate) fn recipient() -> Address {
    Address::Evm(EvmAddress::repeat_byte(0xec))
}

/// An order as the service creates it from that offer.
pub(crate) fn order_for(provider: &str, sold: TokenId, offer: &RampOffer) -> FiatOrder {
    let now = Timestamp::now();
    FiatOrder {
        id: FiatOrderId::random().unwrap(),
        key: RowKeys::new(0).next(now),
        quote: FiatQuoteId::random().unwrap(),
        provider: provider.to_owned(),
        provider_order: None,
        status: FiatStatus::Created,
        author: recipient(),
        recipient: recipient(),
        refund_to: recipient(),
        pays: offer.pays,
        target: sold,
        sold,
        sold_amount: offer.delivers,
        expected: offer.delivers,
        least: offer.delivers,
        strategy: Strategy::Direct,
        widget_url: String::new(),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: now + SignedDuration::from_mins(30),
        due_at: None,
        created_at: now,
        updated_at: now,
        version: 0,
    }
}

/// A sandbox chain with its client.
pub(crate) struct TestChain {
    chain: EvmChain,
    pub(crate) client: EvmClient,
}

pub(crate) struct RampFixture {
    folder: TempDir,
    pub(crate) inbox: Inbox,
    webhooks: String,
    store: Arc<Store>,
    pub(crate) test_chain: Option<TestChain>,
    pub(crate) ramps: SandboxRamps,
    pub(crate) on_ramps: Vec<Arc<dyn OnRamp>>,
    stop: CancellationToken,
    running: Vec<JoinHandle<()>>,
    rows: RowKeys,
}

impl RampFixture {
    /// Without a chain: nothing can be delivered.
    pub(crate) async fn without_chain() -> Self {
        Self::start(None).await
    }

    /// With a chain that mines on request, and every second.
    pub(crate) async fn with_chain() -> Self {
        Self::start(Some(TestChain::start().await)).await
    }

    async fn start(test_chain: Option<TestChain>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (inbox, webhooks) = Inbox::open().await;
        let store = Store::open(&Location::Sqlite(folder.path().join("store.db"))).await.unwrap();
        let store = Arc::new(store);
        let (ramps, stop, running) =
            run(&folder.path().join("ramps"), &webhooks, tx_senders(test_chain.as_ref(), &store)).await;
        let on_ramps = ramps.on_ramps();
        let rows = RowKeys::new(0);
        Self { folder, inbox, webhooks, store, test_chain, ramps, on_ramps, stop, running, rows }
    }

    /// The data folder of the providers.
    pub(crate) fn folder(&self) -> std::path::PathBuf {
        self.folder.path().join("ramps")
    }

    /// Kills the providers and starts new ones on the folder.
    pub(crate) async fn restart(&mut self, folder: &Path) {
        self.kill().await;
        let tx_senders = tx_senders(self.test_chain.as_ref(), &self.store);
        (self.ramps, self.stop, self.running) = run(folder, &self.webhooks, tx_senders).await;
        self.on_ramps = self.ramps.on_ramps();
    }

    /// Kills the providers.
    pub(crate) async fn kill(&mut self) {
        for task in self.running.drain(..) {
            task.abort();
            let _ = task.await;
        }
    }

    pub(crate) fn ramp(&self, plan: SandboxPlan) -> &dyn OnRamp {
        let ramp = self.on_ramps.iter().find(|ramp| ramp.profile().id == plan.id());
        ramp.unwrap().as_ref()
    }

    pub(crate) async fn switch(&self, plan: SandboxPlan, switches: &Switches) {
        let path = format!("/sandbox/onramps/{}/switches", plan.id());
        let body = serde_json::to_string(switches).unwrap();
        let request = Request::post(path).header("content-type", "application/json").body(Body::from(body));
        let (status, text) = self.ask(request.unwrap()).await;
        assert_eq!(status, StatusCode::OK, "{text}");
    }

    pub(crate) async fn ask(&self, request: Request<Body>) -> (StatusCode, String) {
        let response = self.ramps.routes().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    pub(crate) async fn page(&self, session: &RampSession) -> String {
        let path = path(session);
        self.ask(Request::get(path).body(Body::empty()).unwrap()).await.1
    }

    /// Submits a form of the checkout page.
    pub(crate) async fn submit(&self, session: &RampSession, act: &str, form: &str) -> (StatusCode, String) {
        let request = Request::post(format!("{}/{act}", path(session)));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.ask(request.body(Body::from(form.to_owned())).unwrap()).await
    }

    /// Pays with this card number.
    pub(crate) async fn pay_by_card(&self, session: &RampSession, number: &str) {
        let form = format!("number={}&expiry=12%2F30&cvc=123", number.replace(' ', "+"));
        let (status, page) = self.submit(session, "pay", &form).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{page}");
    }

    /// An order for fifty dollars, as the service creates it.
    pub(crate) async fn order(&self, plan: SandboxPlan, asset: Token) -> FiatOrder {
        let currency = "USD".parse().unwrap();
        let ask = RampAsk {
            currency,
            amount: WantedAmount::Pay(FiatAmount::new(currency, 5_000)),
            asset: asset.clone(),
            wallet: Some(recipient()),
            method: None,
            country: None,
        };
        let offer = self.ramp(plan).quote(&ask).await.unwrap();
        FiatOrder { key: self.rows.next(Timestamp::now()), ..order_for(plan.id(), asset.id, &offer) }
    }

    /// Waits until the provider reports this state.
    pub(crate) async fn wait_for(&self, order: &FiatOrder, state: &RampState) -> RampReport {
        let plan = SandboxPlan::ALL.into_iter().find(|plan| plan.id() == order.provider).unwrap();
        for _ in 0..600 {
            let report = self.ramp(plan).look_up(order).await.unwrap();
            if let Some(report) = report.filter(|report| report.state == *state) {
                return report;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
            if let Some(test_chain) = &self.test_chain {
                test_chain.chain.mine(1, 1).await.unwrap();
            }
        }
        panic!("{} never reached {state:?}", order.id);
    }

    /// The states in the webhooks of an order, in order of arrival.
    pub(crate) fn webhook_states(&self, order: &FiatOrder) -> Vec<RampState> {
        let ramp = self.on_ramps.iter().find(|ramp| ramp.profile().id == order.provider).unwrap();
        let notices = self.inbox.for_provider(&order.provider).into_iter().map(|webhook| {
            ramp.read_webhook(&|name| webhook.header(name), &webhook.body, Timestamp::now()).unwrap()
        });
        notices.filter(|notice| notice.order == order.id).map(|notice| notice.report.state).collect()
    }

    /// Waits for this many webhooks of the order.
    pub(crate) async fn wait_for_webhooks(&self, order: &FiatOrder, count: usize) -> Vec<RampState> {
        for _ in 0..600 {
            let webhook_states = self.webhook_states(order);
            if webhook_states.len() >= count {
                return webhook_states;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("only {:?} arrived for {}", self.webhook_states(order), order.id);
    }

    pub(crate) async fn balance(&self, token: &Token) -> RawAmount {
        let client = &self.test_chain.as_ref().unwrap().client;
        let held = client.balances(recipient(), &[token.id]).await.unwrap();
        held.first().map(|(_, amount)| *amount).unwrap_or_default()
    }

    /// Mines until the last block is final.
    pub(crate) async fn mine_until_final(&self) {
        self.test_chain.as_ref().unwrap().chain.mine(3, 1).await.unwrap();
    }
}

pub(crate) fn path(session: &RampSession) -> String {
    let (_, rest) = session.url.split_once("://").unwrap();
    format!("/{}", rest.split_once('/').unwrap().1)
}

fn tx_senders(test_chain: Option<&TestChain>, store: &Arc<Store>) -> HashMap<ChainId, Arc<dyn TxSender>> {
    let tx_sender = test_chain.map(|test_chain| {
        let signer = Signer::from_bytes(&Roles::new().unwrap().ramps.key.0).unwrap();
        let tx_sender =
            EvmTxSender::new(test_chain.client.clone(), signer, store.clone(), SENDING, Vec::new());
        (base(), Arc::new(tx_sender) as Arc<dyn TxSender>)
    });
    tx_sender.into_iter().collect()
}

async fn run(
    folder: &Path,
    webhooks: &str,
    tx_senders: HashMap<ChainId, Arc<dyn TxSender>>,
) -> (SandboxRamps, CancellationToken, Vec<JoinHandle<()>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let prices = [(usdc(), "1"), (ether(), "3000"), (sol(), "150")];
    let prices = prices.map(|(token, price)| (token.id, price.parse().unwrap()));
    let ramps = SandboxRamps::open(SandboxSettings {
        folder: folder.to_owned(),
        origin: format!("http://{}", listener.local_addr().unwrap()),
        webhooks: webhooks.to_owned(),
        embedders: vec!["https://swap.example".to_owned()],
        assets: vec![usdc(), ether(), sol()],
        prices: Arc::new(FixedPrices::new(prices)),
        tx_senders,
        payment_delays: PaymentDelays {
            card: Duration::from_millis(20),
            slow_card: Duration::from_millis(200),
            bank: Duration::from_millis(100),
        },
    })
    .unwrap();
    let stop = CancellationToken::new();
    let routes = ramps.routes();
    let server = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    let works = tokio::spawn(ramps.clone().run(stop.clone()));
    (ramps, stop, vec![server, works])
}

impl TestChain {
    async fn start() -> Self {
        let usdc = WellKnownToken {
            address: USDC,
            symbol: "USDC".to_owned(),
            name: "USD Coin".to_owned(),
            decimals: 6,
            is_wrapped_native: false,
            usd_price: Some("1".parse().unwrap()),
        };
        let faucet = EvmAddress::repeat_byte(0xfa);
        let accounts = EvmGenesis::new().unwrap().accounts(base(), &[usdc], faucet).unwrap();
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let genesis = Genesis { chain_id: base(), accounts, timestamp };
        let chain = EvmChain::open(&genesis, Options::default()).unwrap();
        let producer = chain.clone();
        tokio::spawn(async move { producer.run().await });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url: RpcUrl = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let answer =
            |State(chain): State<EvmChain>, body: axum::body::Bytes| async move { chain.rpc(&body).await };
        let app = Router::new().route("/", post(answer)).with_state(chain.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let client = EvmClient::new(base(), EvmConfig::new([url])).unwrap();
        chain.mine(3, 1).await.unwrap();
        Self { chain, client }
    }
}

pub(crate) fn raw(amount: u64) -> RawAmount {
    RawAmount::new(U256::from(amount))
}
