use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{Durable, Filler, Refusal, StoreError};
use causeway_domain::{ChainId, Route};
use causeway_store::{Location, Store};
use futures::FutureExt as _;
use tokio::time::sleep;

use super::*;
use crate::fillers::fake::{Behavior, Fake, amount, ask};
use crate::fillers::{MissingOffer, QuoteOptions};
use crate::pauses::tests::paused;

/// A slow store that remembers each write.
#[derive(Debug, Default)]
struct SlowStore {
    delay: Duration,
    writes: Mutex<Vec<Vec<String>>>,
}

impl SlowStore {
    async fn write(&self, routes: Vec<String>) -> Result<(), StoreError> {
        sleep(self.delay).await;
        self.writes.lock().unwrap().push(routes);
        Ok(())
    }
}

#[async_trait]
impl QuoteStore for SlowStore {
    fn put_quote<'a>(&'a self, quote: &Quote) -> Durable<'a> {
        self.write(names(&quote.routes)).boxed()
    }

    async fn add_route(&self, _: &QuoteId, route: &Route) -> Result<(), StoreError> {
        self.write(vec![route.id.to_string()]).await
    }

    async fn quote(&self, _: &QuoteId) -> Result<Option<Quote>, StoreError> {
        Ok(None)
    }
}

fn names(routes: &[Route]) -> Vec<String> {
    routes.iter().map(|route| route.id.to_string()).collect()
}

fn use_case(store: Arc<dyn QuoteStore>, fillers: &[Arc<Fake>]) -> RequestQuote {
    let fillers = fillers.iter().map(|filler| filler.clone() as Arc<dyn Filler>).collect();
    let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
    RequestQuote::new(Arc::new(Catalog::bundled().unwrap()), store, Arc::new(RowKeys::new(0)), fillers)
}

fn request() -> QuoteRequest {
    QuoteRequest { ask: ask(), integrator: None }
}

async fn streamed(routes: &mut Routes) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(route) = routes.next().await.unwrap() {
        names.push(route.id.to_string());
    }
    names
}

#[tokio::test(start_paused = true)]
async fn misbehaving_fillers_do_not_delay_the_others() {
    let store: Arc<SlowStore> = Arc::default();
    let fillers = [
        Fake::new("hangs", Behavior::Hangs),
        Fake::after("late", Behavior::Offers(9_999), 2_001),
        Fake::new("panics", Behavior::Panics),
        Fake::new("lies", Behavior::Lies),
        Fake::new("floods", Behavior::Floods(1_500, 1_000)),
        Fake::after("good", Behavior::Offers(2_000), 30),
    ];
    let use_case = use_case(store.clone(), &fillers);
    let start = Instant::now();
    let quote = use_case.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(2), "the deadline, and not a moment more");
    assert_eq!(names(&quote.routes), ["good", "floods", "floods-2", "floods-3"]);
    assert_eq!(*store.writes.lock().unwrap(), [names(&quote.routes)], "all in one write");
    let won: Vec<u64> = use_case.fillers().reports().iter().map(|report| report.won).collect();
    assert_eq!(won, [0, 0, 0, 0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn stream_returns_each_route_as_it_arrives_after_storing_it() {
    let store: Arc<SlowStore> = Arc::default();
    let fillers = [
        Fake::after("third", Behavior::Offers(1), 200),
        Fake::after("first", Behavior::Floods(3, 2), 5),
        Fake::after("second", Behavior::Offers(2), 50),
    ];
    let mut routes = use_case(store.clone(), &fillers).ask(request()).unwrap();
    let start = Instant::now();
    for (name, millis, writes) in [("first", 5, 1), ("first-2", 5, 1), ("second", 50, 2), ("third", 200, 3)] {
        assert_eq!(routes.next().await.unwrap().unwrap().id.as_str(), name);
        assert_eq!(start.elapsed(), Duration::from_millis(millis));
        assert_eq!(store.writes.lock().unwrap().len(), writes, "{name}");
    }
    assert_eq!(routes.next().await.unwrap(), None);
    assert_eq!(names(&routes.quote().routes), ["first", "first-2", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn conversion_runs_during_the_write_and_is_returned_once_the_quote_is_durable() {
    let store = Arc::new(SlowStore { delay: Duration::from_secs(3), ..SlowStore::default() });
    let use_case = use_case(store.clone(), &[Fake::new("house", Behavior::Offers(7))]);
    let start = Instant::now();
    let made = |quote: Quote| (names(&quote.routes), start.elapsed());
    let made = use_case.ask(request()).unwrap().gather_into(made).await.unwrap();
    assert_eq!(made, (vec!["house".to_owned()], Duration::ZERO));
    assert_eq!(start.elapsed(), Duration::from_secs(3), "not before it is stored");
    assert_eq!(*store.writes.lock().unwrap(), [["house"]]);
    assert_eq!(use_case.fillers().reports()[0].won, 1);
}

#[tokio::test(start_paused = true)]
async fn answers_during_a_write_are_collected() {
    let store = Arc::new(SlowStore { delay: Duration::from_secs(3), ..SlowStore::default() });
    let fillers = [
        Fake::after("one", Behavior::Offers(1), 10),
        Fake::after("two", Behavior::Offers(2), 1_900),
        Fake::after("three", Behavior::Offers(3), 1_950),
    ];
    let mut routes = use_case(store.clone(), &fillers).ask(request()).unwrap();
    assert_eq!(
        streamed(&mut routes).await,
        ["one", "two", "three"],
        "the deadline passed during the first write"
    );
}

#[tokio::test(start_paused = true)]
async fn refusals_without_an_offer_list_every_reason() {
    let store: Arc<SlowStore> = Arc::default();
    let minimum = amount(5_000);
    let fillers = [
        Fake::new("hangs", Behavior::Hangs),
        Fake::new("small", Behavior::Refuses(Refusal::TooSmall { minimum })),
        Fake::new("fails", Behavior::Fails),
    ];
    let expected = [
        ("hangs", NoOffer::TimedOut),
        ("small", NoOffer::Refused(Refusal::TooSmall { minimum })),
        ("fails", NoOffer::Faulted),
    ]
    .map(|(filler, reason)| MissingOffer { filler: filler.to_owned(), reason });
    let use_case = use_case(store.clone(), &fillers);
    let plain = use_case.ask(request()).unwrap().gather().await.unwrap_err();
    let stream = use_case.ask(request()).unwrap().next().await.unwrap_err();
    for error in [plain, stream] {
        let QuoteError::CannotFill(reasons) = error else { panic!("{error}") };
        assert_eq!(reasons, expected);
    }
    assert!(store.writes.lock().unwrap().is_empty(), "such a quote is not kept");
}

#[tokio::test(start_paused = true)]
async fn quote_without_answers_is_stored_without_routes() {
    let store: Arc<SlowStore> = Arc::default();
    let fillers = [Fake::new("hangs", Behavior::Hangs), Fake::new("panics", Behavior::Panics)];
    let use_case = use_case(store.clone(), &fillers);
    assert!(use_case.ask(request()).unwrap().gather().await.unwrap().routes.is_empty());
    assert_eq!(use_case.ask(request()).unwrap().next().await.unwrap(), None);
    assert_eq!(*store.writes.lock().unwrap(), [Vec::<String>::new(), Vec::new()]);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_quote_cancels_its_calls() {
    let fillers = [Fake::new("hangs", Behavior::Hangs), Fake::after("slow", Behavior::Offers(1), 500)];
    let use_case = use_case(Arc::<SlowStore>::default(), &fillers);
    let mut gathering = Box::pin(use_case.ask(request()).unwrap().gather());
    assert!((&mut gathering).now_or_never().is_none());
    drop(gathering);
    let mut routes = use_case.ask(request()).unwrap();
    assert!(routes.next().now_or_never().is_none());
    drop(routes);
    assert_eq!(fillers.map(|filler| (filler.calls(), filler.cancelled())), [(2, 2), (2, 2)]);
}

#[tokio::test]
async fn unknown_chains_and_tokens_are_rejected_before_fillers_are_asked() {
    let filler = Fake::new("house", Behavior::Offers(1));
    let use_case = use_case(Arc::<SlowStore>::default(), std::slice::from_ref(&filler));
    let elsewhere = TokenId::native(ChainId::new(424_242).unwrap());
    let nobody = TokenId::new(ask().from.chain(), "0x1212121212121212121212121212121212121212").unwrap();
    let refusal =
        |from| use_case.ask(QuoteRequest { ask: Ask { from, ..ask() }, integrator: None }).unwrap_err();
    assert!(matches!(refusal(elsewhere), QuoteError::UnsupportedChain(_)));
    assert!(matches!(refusal(nobody), QuoteError::UnsupportedToken(_)));
    assert_eq!(filler.calls(), 0);
}

#[tokio::test]
async fn paused_chain_or_token_is_not_quoted_unless_pauses_are_ignored() {
    let filler = Fake::new("house", Behavior::Offers(1));
    let use_case = use_case(Arc::<SlowStore>::default(), std::slice::from_ref(&filler));
    let chain = ask().to.chain().to_string();
    let token = ask().from.to_string();
    for (kind, name) in [("chain", &chain), ("token", &token)] {
        use_case.fillers().pauses().set(vec![paused(kind, name)]);
        let Err(QuoteError::CannotFill(reasons)) = use_case.ask(request()) else {
            panic!("{kind} was quoted")
        };
        let words = format!("{kind} {name} is paused: maintenance");
        assert_eq!(reasons, [MissingOffer { filler: "house".to_owned(), reason: NoOffer::Paused(words) }]);
        assert_eq!(filler.calls(), 0, "nobody was asked");
    }
    assert_eq!(use_case.ignoring_pauses().ask(request()).unwrap().gather().await.unwrap().routes.len(), 1);
}

#[tokio::test]
async fn paused_filler_is_not_asked_and_its_reason_is_listed() {
    let fillers = [Fake::new("one", Behavior::Offers(1)), Fake::new("two", Behavior::Offers(2))];
    let use_case = use_case(Arc::<SlowStore>::default(), &fillers);
    use_case.fillers().pauses().set(vec![paused("filler", "one")]);
    let quote = use_case.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!((names(&quote.routes), fillers[0].calls()), (vec!["two".to_owned()], 0));
    use_case.fillers().pauses().set(vec![paused("filler", "one"), paused("filler", "two")]);
    let refused = use_case.ask(request()).unwrap().gather().await;
    assert!(matches!(refused, Err(QuoteError::CannotFill(reasons)) if reasons.len() == 2));
}

#[tokio::test(start_paused = true)]
async fn quote_asks_the_fillers_of_its_start() {
    let fillers =
        [Fake::after("stays", Behavior::Offers(1), 10), Fake::after("leaves", Behavior::Offers(2), 10)];
    let use_case = use_case(Arc::<SlowStore>::default(), &fillers);
    let running = use_case.ask(request()).unwrap();
    assert!(use_case.fillers().remove("leaves") && !use_case.fillers().remove("leaves"));
    use_case.fillers().put(Fake::after("comes", Behavior::Offers(3), 10), None).unwrap();
    assert_eq!(names(&running.gather().await.unwrap().routes), ["leaves", "stays"]);
    assert_eq!(names(&use_case.ask(request()).unwrap().gather().await.unwrap().routes), ["comes", "stays"]);
}

#[tokio::test]
async fn streamed_route_is_found_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("quotes.db"));
    let store = Arc::new(Store::open(&location).await.unwrap());
    let fillers = [Fake::new("first", Behavior::Offers(1)), Fake::after("second", Behavior::Offers(2), 20)];
    let mut routes = use_case(store, &fillers).ask(request()).unwrap();
    for known in [vec!["first"], vec!["first", "second"]] {
        let route = routes.next().await.unwrap().unwrap();
        assert_eq!(route.id.as_str(), *known.last().unwrap());
        // Another process that opens the same file sees what a restart would see.
        let after = Store::open(&location).await.unwrap();
        let quote = after.quote(&routes.quote().id).await.unwrap().unwrap();
        assert_eq!(names(&quote.routes), known);
        assert_eq!(quote.ask, ask());
        after.close().await;
    }
}

#[tokio::test]
async fn a_closed_chain_gets_no_quote_and_its_filler_is_not_asked() {
    let filler = Fake::new("one", Behavior::Offers(7));
    let cursors = Arc::new(ChainCursors::default());
    let quotes =
        use_case(Arc::new(SlowStore::default()), &[Arc::clone(&filler)]).with_cursors(Arc::clone(&cursors));
    let words = || match quotes.ask(request()) {
        Err(QuoteError::CannotFill(missing)) => missing[0].reason.to_string(),
        other => panic!("{:?}", other.map(drop)),
    };
    let (from, to) = (request().ask.from.chain(), request().ask.to.chain());
    cursors.set_unchecked(to, true);
    assert!(words().contains("could not be checked"), "{}", words());
    cursors.set_unchecked(to, false);
    assert!(quotes.ask(request()).is_ok());
    cursors.begin(from);
    cursors.set_max_age(Duration::ZERO);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(words().contains("has not been read"), "{}", words());
    cursors.set_max_age(Duration::from_mins(10));
    cursors.halt(from);
    assert!(words().contains("is halted"), "{}", words());
    assert_eq!(filler.calls(), 0);
}
