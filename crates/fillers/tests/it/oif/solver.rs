use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, header};
use causeway_domain::ports::FillerAsk;
use causeway_domain::{Address, DepositMethod, Family};
use causeway_fillers::oif::{ApiKey, ByteEncoding, OifConfig, OifContracts, OifFiller};
use jiff::Timestamp;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::fixture::{BASE, ETHEREUM, chain, dai, parties, sell, usdc};

pub(super) const QUOTES: &str = include_str!("../../../fixtures/oif/quotes.json");
pub(super) const RECEIVED: &str = include_str!("../../../fixtures/oif/order-received.json");
pub(super) const REJECTED: &str = include_str!("../../../fixtures/oif/order-rejected.json");
pub(super) const FAILED: &str = include_str!("../../../fixtures/oif/order-failed.json");

/// A received request: method and path, the key, and the body.
#[derive(Clone, Debug)]
pub(super) struct RecordedRequest {
    pub(super) endpoint: String,
    pub(super) key: Option<String>,
    pub(super) body: Value,
}

/// A status and a body for each path; 404 for any other.
pub(super) type Responses = HashMap<&'static str, (u16, String)>;

/// A solver on loopback that records its requests.
pub(super) struct Solver {
    pub(super) url: String,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    responses: Arc<Mutex<Responses>>,
}

impl Solver {
    pub(super) async fn start(responses: Responses) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let (requests, responses) =
            (Arc::<Mutex<Vec<RecordedRequest>>>::default(), Arc::new(Mutex::new(responses)));
        let (log, known) = (Arc::clone(&requests), Arc::clone(&responses));
        let answer = move |request: Request| {
            let (log, known) = (Arc::clone(&log), Arc::clone(&known));
            async move {
                let endpoint = format!("{} {}", request.method(), request.uri().path());
                let key = request.headers().get(header::AUTHORIZATION);
                let key = key.map(|value| value.to_str().unwrap().to_owned());
                let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let answer = known.lock().unwrap().get(endpoint.as_str()).cloned();
                log.lock().unwrap().push(RecordedRequest { endpoint, key, body });
                let (status, body) = answer.unwrap_or((404, "{}".to_owned()));
                let response =
                    Response::builder().status(status).header(header::LOCATION, "https://other.example/");
                response.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap()
            }
        };
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, requests, responses }
    }

    /// A solver that answers every quote call with this.
    pub(super) async fn with_quotes(status: u16, body: impl Into<String>) -> Self {
        Self::start(HashMap::from([("POST /api/v1/quotes", (status, body.into()))])).await
    }

    pub(super) fn set(&self, endpoint: &'static str, status: u16, body: impl Into<String>) {
        self.responses.lock().unwrap().insert(endpoint, (status, body.into()));
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn filler(&self) -> OifFiller {
        self.filler_with(|_| {})
    }

    pub(super) fn filler_with(&self, change: impl FnOnce(&mut OifConfig)) -> OifFiller {
        let mut config = OifConfig {
            name: "solver".to_owned(),
            url: self.url.clone(),
            api_key: Some(ApiKey::new("hunter2".to_owned())),
            deadline: Duration::from_secs(5),
            public_only: false,
            account: Some(parties(Family::Evm)),
            submit: true,
            bytes: ByteEncoding::Hex,
        };
        change(&mut config);
        let contracts = || OifContracts {
            escrow: Address::Evm([0xe5; 20].into()),
            settler: Address::Evm([0x5e; 20].into()),
            methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
        };
        OifFiller::new(config, [ETHEREUM, BASE].map(|id| (chain(id), contracts())).into()).unwrap()
    }
}

/// The ask that the fixture answers.
pub(super) fn ask() -> FillerAsk {
    sell(&usdc(ETHEREUM), &dai(BASE), "1000")
}

/// The fixture as of now, with a change to its quote.
pub(super) fn quotes(change: impl FnOnce(&mut Value)) -> String {
    let mut answer: Value = serde_json::from_str(QUOTES).unwrap();
    let quote = &mut answer["quotes"][0];
    quote["validUntil"] = (Timestamp::now().as_second() + 60).into();
    change(quote);
    answer.to_string()
}
