//! Tests of the fiat API with the real engine, a fake store and fake providers.

mod orders;
mod quotes;
mod ramp;
mod refusals;
pub(crate) mod services;
mod webhooks;
mod wrapper;

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::fiat::{FiatAmount, FiatOrder, FiatStatus, Strategy};
use causeway_domain::ports::Filler;
use causeway_domain::{Address, RowKey};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{WALLET, at, chain, raw, usdc};
use serde_json::{Value, json};

use crate::deposit_builder::FakeDepositBuilder;
use crate::filler::{FakeFiller, FillerBehavior};
use crate::service::{Service, bytes, send};
use ramp::{FakeRamp, currency};
use services::FiatParts;

/// Two providers with different fees, one that is down, and two fillers for forwarding orders.
struct FiatFixture {
    store: Arc<MemoryStore>,
    card: Arc<FakeRamp>,
    router: Router,
}

fn fixture() -> FiatFixture {
    fixture_with(MemoryStore::default(), None)
}

fn fixture_with(store: MemoryStore, embed_origins: Option<Vec<String>>) -> FiatFixture {
    let store = Arc::new(store);
    let card = Arc::new(FakeRamp::new("sandbox-card", "Sandbox <Card> & Sons", 350));
    let bank = Arc::new(FakeRamp::new("sandbox-bank", "Sandbox Bank", 100));
    let down = Arc::new(FakeRamp::down("down"));
    let fillers = [("north", "26000000000000000"), ("south", "27000000000000000")];
    let fillers =
        fillers.map(|(name, out)| FakeFiller::new(name, FillerBehavior::Offers(out), 1) as Arc<dyn Filler>);
    let deposit_builders =
        [8453, 1].map(|id| Arc::new(FakeDepositBuilder { chain: chain(id), behavior: Mutex::default() }));
    let fiat = FiatParts { store: Arc::clone(&store), ramps: vec![Arc::clone(&card), bank, down] };
    let router = Service {
        fillers: fillers.into(),
        deposit_builders: deposit_builders.into(),
        fiat,
        embed_origins,
        ..Service::default()
    };
    FiatFixture { store, card, router: router.router() }
}

impl FiatFixture {
    async fn get(&self, path: &str) -> Response<Body> {
        send(self.router.clone(), Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn get_json(&self, path: &str) -> (u16, Value) {
        read(self.get(path).await).await
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_from(path, body, None).await
    }

    async fn post_from(&self, path: &str, body: &Value, origin: Option<&str>) -> (u16, Value) {
        let request =
            origin.into_iter().fold(Request::post(path), |request, origin| request.header("origin", origin));
        read(send(self.router.clone(), request.body(Body::from(body.to_string())).unwrap()).await).await
    }

    /// The first quote for the default request with these changes.
    async fn quote(&self, change: &Value) -> Value {
        let (status, body) = self.post("/v1/fiat/quote", &with(change)).await;
        assert_eq!(status, 200, "{body}");
        body["quotes"][0].clone()
    }

    /// An order of the default request.
    async fn order(&self, origin: Option<&str>) -> Value {
        let quote = self.quote(&json!({ "provider": "sandbox-card" })).await;
        let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET });
        let (status, body) = self.post_from("/v1/fiat/order", &ask, origin).await;
        assert_eq!(status, 200, "{body}");
        body
    }
}

async fn read(response: Response<Body>) -> (u16, Value) {
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&bytes(response).await).unwrap())
}

fn ask() -> Value {
    json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": 8453,
        "toToken": usdc().address().to_string(), "recipient": WALLET,
    })
}

fn with(change: &Value) -> Value {
    let mut ask = ask();
    for (field, value) in change.as_object().unwrap() {
        ask[field] = value.clone();
    }
    ask
}

/// The changes that request ETH on Ethereum, which needs a forwarding order.
fn jump() -> Value {
    json!({ "toChainId": 1, "toToken": "0x0000000000000000000000000000000000000000" })
}

/// The `n`th stored purchase of the wallet.
pub(crate) fn purchase(n: u8, status: FiatStatus) -> FiatOrder {
    let wallet = Address::parse_any(WALLET).unwrap();
    FiatOrder {
        id: format!("{n:032x}").parse().unwrap(),
        key: RowKey::new(1_000 + i64::from(n)).unwrap(),
        quote: format!("{n:044x}").parse().unwrap(),
        provider: "sandbox-card".to_owned(),
        provider_order: Some("session-1".to_owned()),
        status,
        author: wallet,
        recipient: wallet,
        refund_to: wallet,
        pays: FiatAmount::new(currency("USD"), 10_000),
        target: usdc(),
        sold: usdc(),
        sold_amount: raw(96_500_000),
        expected: raw(96_500_000),
        least: raw(96_500_000),
        strategy: Strategy::Direct,
        widget_url: format!("https://sandbox-card.example/checkout/{n}"),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: at(3_600),
        due_at: None,
        created_at: at(0),
        updated_at: at(u64::from(n)),
        version: 0,
    }
}
