use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use axum::Router;
use causeway_client::answers::Order;
use causeway_client::{Bound, Client, Error, ExecuteOptions, LocalWallet, Step};
use causeway_domain::{Address, IntentTerms, RawAmount};
use causeway_fillers::remote::protocol::{OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk};
use causeway_fillers::remote::{Secret, server};
use serde_json::json;
use tokio::net::TcpListener;

use super::{ARBITRUM, SECRET, ask, join, pace, wait_for_route};
use crate::service::{Service, data_dir};

/// The seventh account of the customary test phrase.
const PAYER: &str = "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e";
/// Nobody's account.
const NOBODY: &str = "0x00000000000000000000000000000000000A11cE";

/// Offers as much as it gets, takes every order, and never delivers.
struct NeverDelivers;

impl server::FillerHandler for NeverDelivers {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer {
        let amount: RawAmount = ask.amount.parse().unwrap();
        let account = Address::parse_any(NOBODY).unwrap();
        Ok(ask.offer(amount, amount, account, Duration::from_secs(30))).into()
    }

    fn order(self: &Arc<Self>, _: OrderNotice, _: IntentTerms) -> OrderAnswer {
        OrderAnswer::accepted()
    }
}

async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Takes connections and says nothing, ever.
async fn silent_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn hanging_or_non_delivering_fillers_cost_no_route_and_no_deposit() {
    let folder = data_dir();
    let settings = "[quotes]\ndeadline_ms = 2000\nbreaker_seconds = 600\n";
    let service = Service::start_configured(folder.path(), settings);
    let client = Client::new(&service.url).unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, PAYER).await.unwrap();
    let ask = ask(&wallet);

    join(folder.path(), &service, "silent", &silent_server().await);
    let junk = || async { ([("content-type", "application/json")], "x".repeat(10 * 1024 * 1024)) };
    join(folder.path(), &service, "junk", &serve(Router::new().fallback(junk)).await);
    for _ in 0..8 {
        let quote = wait_for_route(&client, &ask, "north").await;
        assert!(
            quote.routes.iter().all(|route| route.r#type.as_deref() == Some("native-filler")),
            "{:?}",
            quote.routes
        );
    }
    let fillers = client.fillers().await.unwrap();
    let of = |name: &str| fillers.iter().find(|filler| filler.name == name).unwrap();
    assert!(of("silent").quotes.timed_out > 0 && of("junk").quotes.faulted > 0);
    assert_eq!(
        (of("silent").health.as_str(), of("junk").health.as_str()),
        ("open", "open"),
        "left alone by now"
    );

    let secret = Secret::new(SECRET).unwrap();
    join(folder.path(), &service, "idle", &serve(server::router(secret, Arc::new(NeverDelivers))).await);
    assert_eq!(wait_for_route(&client, &ask, "idle").await.routes[0].filler.as_deref(), Some("idle"));
    let order = never_delivered(&service, &client, &wallet).await;
    assert_eq!(order.status, "refunded", "{order:?}");
    let idle =
        async || client.fillers().await.unwrap().into_iter().find(|filler| filler.name == "idle").unwrap();
    for _ in 0..300 {
        if idle().await.reputation.is_some_and(|reputation| reputation.unfilled_in_a_row > 0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("its reputation records no failure: {:?}", idle().await);
}

/// Swaps with the idler; when the order is published, the destination's clock jumps past the fill deadline.
async fn never_delivered(service: &Service, client: &Client, wallet: &LocalWallet) -> Order {
    let (sender, receiver) = std::sync::mpsc::channel();
    let jump = async |deadline: u64| {
        for action in [
            json!({ "action": "setTime", "timestamp": deadline + 1 }),
            json!({ "action": "mine", "blocks": 4 }),
        ] {
            let url = format!("{}/sandbox/control/{ARBITRUM}", service.url);
            let answer = service.client.post(url).body(action.to_string()).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        }
    };
    let ask = ask(wallet);
    let options = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned()))
        .with_route_filter(|route| route.filler.as_deref() == Some("idle"))
        .with_polling(pace());
    let swap = client.execute(&ask, wallet, &options, |step| match step {
        Step::Built(built) => {
            let terms = serde_json::to_value(built).unwrap()["terms"].clone();
            let deadline: U256 = terms["fillDeadline"].as_str().unwrap().parse().unwrap();
            let _ = sender.send((deadline.to::<u64>(), false));
        }
        Step::Order(order) if order.status == "published" => {
            let _ = sender.send((0, true));
        }
        _ => {}
    });
    let clock = async {
        let mut deadline = 0;
        loop {
            match receiver.try_recv() {
                Ok((_, true)) => break jump(deadline).await,
                Ok((fill_deadline, false)) => deadline = fill_deadline,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ended = swap => match ended {
            Err(Error::OrderFailed(order)) => *order,
            other => panic!("{other:?}"),
        },
        () = clock => unreachable!("it waits for ever"),
    }
}
