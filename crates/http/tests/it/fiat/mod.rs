//! The fiat API over the real engine, with a store and providers that are not.

pub(crate) mod desk;
mod orders;
mod quotes;
mod ramp;
mod refusals;
mod till;
mod webhooks;
mod wrapper;

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use causeway_domain::fiat::{FiatAmount, FiatOrder, FiatStatus, Strategy};
use causeway_domain::ports::Filler;
use causeway_domain::{Address, RowKey};
use serde_json::{Value, json};

use crate::desk::FakeDesk;
use crate::filler::{FakeFiller, Habit};
use crate::sample::{WALLET, at, chain, raw, usdc};
use crate::service::{Service, bytes, send};
use desk::FiatSide;
use ramp::{FakeRamp, currency};
use till::FakeTill;

/// Two providers, one of them dearer, and two fillers that carry a jump on.
struct Shop {
    till: Arc<FakeTill>,
    card: Arc<FakeRamp>,
    router: Router,
}

fn shop() -> Shop {
    shop_with(FakeTill::default(), None)
}

fn shop_with(till: FakeTill, embed_origins: Option<Vec<String>>) -> Shop {
    let till = Arc::new(till);
    let card = Arc::new(FakeRamp::new("sandbox-card", "Sandbox <Card> & Sons", 350));
    let bank = Arc::new(FakeRamp::new("sandbox-bank", "Sandbox Bank", 100));
    let down = Arc::new(FakeRamp::down("down"));
    let fillers = [("north", "26000000000000000"), ("south", "27000000000000000")];
    let fillers = fillers.map(|(name, out)| FakeFiller::new(name, Habit::Offers(out), 1) as Arc<dyn Filler>);
    let desks = [8453, 1].map(|id| Arc::new(FakeDesk { chain: chain(id), mood: Mutex::default() }));
    let fiat = FiatSide { till: Arc::clone(&till), ramps: vec![Arc::clone(&card), bank, down] };
    let router =
        Service { fillers: fillers.into(), desks: desks.into(), fiat, embed_origins, ..Service::default() };
    Shop { till, card, router: router.router() }
}

impl Shop {
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

    /// The first quote for that change of the usual ask.
    async fn quote(&self, change: &Value) -> Value {
        let (status, body) = self.post("/v1/fiat/quote", &with(change)).await;
        assert_eq!(status, 200, "{body}");
        body["quotes"][0].clone()
    }

    /// An order of the usual ask.
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

/// The usual ask for ETH on Ethereum, which only a jump brings.
fn jump() -> Value {
    json!({ "toChainId": 1, "toToken": "0x0000000000000000000000000000000000000000" })
}

/// The `n`th purchase of the wallet, as a store would have it.
fn purchase(n: u8, status: FiatStatus) -> FiatOrder {
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
