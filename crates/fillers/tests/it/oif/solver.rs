use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, header};
use causeway_domain::ports::FillerAsk;
use causeway_domain::{Address, DepositMethod, Family};
use causeway_fillers::oif::{ApiKey, ByteForm, OifConfig, OifFiller, OifPlace};
use jiff::Timestamp;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::world::{BASE, ETHEREUM, chain, dai, parties, sell, usdc};

pub(super) const QUOTES: &str = include_str!("../../../fixtures/oif/quotes.json");
pub(super) const RECEIVED: &str = include_str!("../../../fixtures/oif/order-received.json");
pub(super) const REJECTED: &str = include_str!("../../../fixtures/oif/order-rejected.json");
pub(super) const FAILED: &str = include_str!("../../../fixtures/oif/order-failed.json");

/// What was asked: method and path, the key, and the body.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) what: String,
    pub(super) key: Option<String>,
    pub(super) body: Value,
}

/// A status and a body for each path; 404 for any other.
pub(super) type Answers = HashMap<&'static str, (u16, String)>;

/// A solver on loopback that remembers what it was asked.
pub(super) struct Solver {
    pub(super) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    answers: Arc<Mutex<Answers>>,
}

impl Solver {
    pub(super) async fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let (asked, answers) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::new(Mutex::new(answers)));
        let (memory, known) = (Arc::clone(&asked), Arc::clone(&answers));
        let answer = move |request: Request| {
            let (memory, known) = (Arc::clone(&memory), Arc::clone(&known));
            async move {
                let what = format!("{} {}", request.method(), request.uri().path());
                let key = request.headers().get(header::AUTHORIZATION);
                let key = key.map(|value| value.to_str().unwrap().to_owned());
                let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let answer = known.lock().unwrap().get(what.as_str()).cloned();
                memory.lock().unwrap().push(Asked { what, key, body });
                let (status, body) = answer.unwrap_or((404, "{}".to_owned()));
                let response =
                    Response::builder().status(status).header(header::LOCATION, "https://other.example/");
                response.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap()
            }
        };
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked, answers }
    }

    /// A solver that answers every quote with this.
    pub(super) async fn quoting(status: u16, body: impl Into<String>) -> Self {
        Self::start(HashMap::from([("POST /api/v1/quotes", (status, body.into()))])).await
    }

    pub(super) fn set(&self, what: &'static str, status: u16, body: impl Into<String>) {
        self.answers.lock().unwrap().insert(what, (status, body.into()));
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
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
            account: Some(parties(Family::Evm)),
            submit: true,
            bytes: ByteForm::Hex,
        };
        change(&mut config);
        let place = || OifPlace {
            escrow: Address::Evm([0xe5; 20].into()),
            settler: Address::Evm([0x5e; 20].into()),
            methods: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
        };
        OifFiller::new(config, [ETHEREUM, BASE].map(|id| (chain(id), place())).into()).unwrap()
    }
}

/// What the fixture answers.
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
