use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::routing::post;
use axum::{Json, Router};
use causeway_benchmarks::{no_deposits, no_fiat, no_operator, plain_service, seal};
use causeway_catalog::Catalog;
use causeway_domain::RowKeys;
use causeway_domain::ports::Filler;
use causeway_engine::{Fillers, QuoteOptions, RequestQuote, WatchOrders};
use causeway_http::App;
use causeway_prices::FixedPrices;
use causeway_store::Store;
use causeway_wire::QuoteAsk;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The service with these fillers.
pub(crate) async fn ours(store: Arc<Store>, fillers: Vec<Arc<dyn Filler>>) -> SocketAddr {
    start(router(store, fillers).await).await
}

/// What that service answers requests with.
pub(crate) async fn router(store: Arc<Store>, fillers: Vec<Arc<dyn Filler>>) -> Router {
    let catalog = Arc::new(Catalog::bundled().expect("the bundled catalog"));
    let price = |token| (token, "2.5".parse().expect("a price"));
    let snapshot = catalog.snapshot();
    let prices = FixedPrices::new(snapshot.top(&[]).iter().map(|listed| price(listed.token.id)));
    let fillers = Fillers::new(fillers, &QuoteOptions::default()).expect("names of their own");
    let keys = Arc::new(RowKeys::new(0));
    let (build_deposit, submit_deposit) = no_deposits(catalog.clone(), store.clone(), keys.clone());
    let request_quote = RequestQuote::new(catalog.clone(), seal(), fillers);
    let fiat = no_fiat(catalog.clone(), store.clone(), keys, request_quote.clone());
    let watch_orders = Arc::new(WatchOrders::new(store.clone()));
    let app = App {
        operator: no_operator(&store, request_quote.fillers()).await,
        catalog,
        prices: Arc::new(prices),
        request_quote,
        build_deposit,
        submit_deposit,
        fiat,
        ..plain_service(store, watch_orders).await
    };
    causeway_http::router(app, Router::new())
}

/// A handler that parses the same request and returns a text of the same size.
pub(crate) async fn bare(body: String) -> SocketAddr {
    start(bare_router(body)).await
}

pub(crate) fn bare_router(body: String) -> Router {
    let answer = async move |Json(_): Json<QuoteAsk>| body.clone();
    Router::new().route("/v1/quotes", post(answer))
}

async fn start(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(causeway_http::serve(
        listener,
        router,
        causeway_http::ConnectionLimits::NONE,
        CancellationToken::new(),
        Duration::ZERO,
    ));
    address
}
