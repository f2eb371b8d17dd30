//! Answers in which one value is another: whatever a provider sends is read or refused, and nothing wrong is handed to the payer.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::{Request, State};
use causeway_domain::ports::{Answer, ProviderDeposit, ProviderState};
use causeway_http_client::client;
use parking_lot::Mutex;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::subject::Subject;

/// How much of a request is passed on.
const MAX_BODY: usize = 1 << 20;

/// What is put into an answer: the place, counted over all values in it, and the value.
type Change = Option<(usize, Value)>;

/// Stands before a stand-in and changes what it answers. It stops when dropped.
struct Mangler {
    url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    client: Client,
    to: String,
    change: Mutex<Change>,
    /// How many values the last answer had.
    places: Mutex<usize>,
}

impl Drop for Mangler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Mangler {
    async fn start(to: &str) -> Self {
        let shared = Arc::new(Shared {
            client: client(Duration::from_mins(1)).unwrap(),
            to: to.to_owned(),
            change: Mutex::default(),
            places: Mutex::default(),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(pass_on).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, shared, task }
    }

    fn change(&self, change: Change) {
        *self.shared.change.lock() = change;
    }

    fn places(&self) -> usize {
        *self.shared.places.lock()
    }
}

async fn pass_on(State(shared): State<Arc<Shared>>, request: Request) -> Bytes {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, MAX_BODY).await.unwrap();
    let sent = shared.client.request(head.method, format!("{}{}", shared.to, head.uri)).headers(head.headers);
    let answer = sent.body(body).send().await.unwrap().bytes().await.unwrap();
    let Ok(mut value) = serde_json::from_slice::<Value>(&answer) else { return answer };
    let change = shared.change.lock().clone();
    let mut next = 0;
    put(&mut value, &mut next, change.as_ref());
    *shared.places.lock() = next;
    value.to_string().into()
}

/// Puts the changed value into its place, and counts all places.
fn put(value: &mut Value, next: &mut usize, change: Option<&(usize, Value)>) {
    let place = *next;
    *next += 1;
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, next, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, next, change)),
        _ => {}
    }
    if let Some((_, other)) = change.filter(|(at, _)| *at == place) {
        *value = other.clone();
    }
}

fn values() -> Vec<Value> {
    let nested = (0..100).fold(json!(1), |inner, _| json!([inner]));
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("0"),
        json!("0x"),
        json!("\u{0}\u{202e}é"),
        json!("9".repeat(78)),
        json!(format!("0x{}", "ff".repeat(32))),
        json!("0x0000000000000000000000000000000000000000"),
        json!("0xdDdDddDdDdddDDddDDddDDDDdDdDDdDDdDDDDDDd"),
        json!("x".repeat(20_000)),
        json!([]),
        json!({}),
        nested,
    ]
}

pub(super) async fn any_value_in_any_place_of_an_answer_is_read_or_refused(mut subject: Subject) {
    let mangler = Mangler::start(subject.url()).await;
    subject.move_to(&mangler.url);
    let offer = subject.offer().await;
    let asked = subject.provider_ask(&offer);
    subject.provider.deposit(&asked).await.unwrap();
    let places = mangler.places();
    assert!(places > 20, "{places}");
    for place in 0..places {
        for value in values() {
            mangler.change(Some((place, value.clone())));
            let seen = format!("{value} in place {place}");
            if let Ok(Answer::Offers(offers)) = subject.provider.quote(&subject.ask()).await {
                for offer in offers {
                    assert_eq!(offer.amount_in, subject.ask().ask.amount, "{seen}");
                    assert!(offer.provider.is_some(), "{seen}");
                }
            }
            // Whether contracts are pinned, and what a call does, is for the engine to see.
            if let Ok(ProviderDeposit::Transfer(given)) = subject.provider.deposit(&asked).await {
                assert_eq!(given.address.family(), asked.from.chain().family(), "{seen}");
                assert!(!given.min_amount_out.is_zero(), "{seen}");
            }
        }
    }

    mangler.change(None);
    subject.pay().await;
    let known = subject.report().await.unwrap().unwrap();
    assert!(matches!(known.state, ProviderState::Delivered { .. }), "{known:?}");
    for place in 0..mangler.places() {
        for value in values() {
            mangler.change(Some((place, value)));
            // Whatever it says, it is a word: what it names is looked for on the chain.
            let _ = subject.report().await;
        }
    }
}
