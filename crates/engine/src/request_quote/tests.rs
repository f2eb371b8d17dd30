use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{Durable, Filler, Refusal, StoreError};
use causeway_domain::{ChainId, Route};
use causeway_store::{Location, Store};
use futures::FutureExt as _;
use tokio::time::sleep;

use super::*;
use crate::fillers::fake::{Fake, Habit, amount, ask};
use crate::fillers::{QuoteOptions, Unfilled};
use crate::pauses::tests::paused;

/// A store that takes its time, and remembers each write.
#[derive(Debug, Default)]
struct Memory {
    delay: Duration,
    writes: Mutex<Vec<Vec<String>>>,
}

impl Memory {
    async fn write(&self, routes: Vec<String>) -> Result<(), StoreError> {
        sleep(self.delay).await;
        self.writes.lock().unwrap().push(routes);
        Ok(())
    }
}

#[async_trait]
impl QuoteStore for Memory {
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

fn deed(store: Arc<dyn QuoteStore>, fillers: &[Arc<Fake>]) -> RequestQuote {
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
async fn odd_fillers_do_not_keep_the_others_from_answering_in_time() {
    let store: Arc<Memory> = Arc::default();
    let fillers = [
        Fake::new("hangs", Habit::Hangs),
        Fake::after("late", Habit::Offers(9_999), 2_001),
        Fake::new("panics", Habit::Panics),
        Fake::new("lies", Habit::Lies),
        Fake::new("floods", Habit::Floods(1_500, 1_000)),
        Fake::after("good", Habit::Offers(2_000), 30),
    ];
    let deed = deed(store.clone(), &fillers);
    let start = Instant::now();
    let quote = deed.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(2), "the deadline, and not a moment more");
    assert_eq!(names(&quote.routes), ["good", "floods", "floods-2", "floods-3"]);
    assert_eq!(*store.writes.lock().unwrap(), [names(&quote.routes)], "all in one write");
    let won: Vec<u64> = deed.fillers().reports().iter().map(|report| report.won).collect();
    assert_eq!(won, [0, 0, 0, 0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn the_stream_hands_out_each_route_as_it_comes_and_stores_it_before() {
    let store: Arc<Memory> = Arc::default();
    let fillers = [
        Fake::after("third", Habit::Offers(1), 200),
        Fake::after("first", Habit::Floods(3, 2), 5),
        Fake::after("second", Habit::Offers(2), 50),
    ];
    let mut routes = deed(store.clone(), &fillers).ask(request()).unwrap();
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
async fn what_is_made_of_a_quote_is_made_while_it_is_written_and_given_out_when_it_is_durable() {
    let store = Arc::new(Memory { delay: Duration::from_secs(3), ..Memory::default() });
    let deed = deed(store.clone(), &[Fake::new("house", Habit::Offers(7))]);
    let start = Instant::now();
    let made = |quote: Quote| (names(&quote.routes), start.elapsed());
    let made = deed.ask(request()).unwrap().gather_into(made).await.unwrap();
    assert_eq!(made, (vec!["house".to_owned()], Duration::ZERO));
    assert_eq!(start.elapsed(), Duration::from_secs(3), "not before it is stored");
    assert_eq!(*store.writes.lock().unwrap(), [["house"]]);
    assert_eq!(deed.fillers().reports()[0].won, 1);
}

#[tokio::test(start_paused = true)]
async fn who_answers_while_the_store_writes_is_heard() {
    let store = Arc::new(Memory { delay: Duration::from_secs(3), ..Memory::default() });
    let fillers = [
        Fake::after("one", Habit::Offers(1), 10),
        Fake::after("two", Habit::Offers(2), 1_900),
        Fake::after("three", Habit::Offers(3), 1_950),
    ];
    let mut routes = deed(store.clone(), &fillers).ask(request()).unwrap();
    assert_eq!(
        streamed(&mut routes).await,
        ["one", "two", "three"],
        "the deadline passed during the first write"
    );
}

#[tokio::test(start_paused = true)]
async fn when_somebody_refused_and_nobody_offers_every_reason_is_told() {
    let store: Arc<Memory> = Arc::default();
    let minimum = amount(5_000);
    let fillers = [
        Fake::new("hangs", Habit::Hangs),
        Fake::new("small", Habit::Refuses(Refusal::TooSmall { minimum })),
        Fake::new("fails", Habit::Fails),
    ];
    let expected = [
        ("hangs", NoOffer::TimedOut),
        ("small", NoOffer::Refused(Refusal::TooSmall { minimum })),
        ("fails", NoOffer::Faulted),
    ]
    .map(|(filler, why)| Unfilled { filler: filler.to_owned(), why });
    let deed = deed(store.clone(), &fillers);
    let plain = deed.ask(request()).unwrap().gather().await.unwrap_err();
    let stream = deed.ask(request()).unwrap().next().await.unwrap_err();
    for error in [plain, stream] {
        let QuoteError::CannotFill(reasons) = error else { panic!("{error}") };
        assert_eq!(reasons, expected);
    }
    assert!(store.writes.lock().unwrap().is_empty(), "such a quote is not kept");
}

#[tokio::test(start_paused = true)]
async fn when_nobody_answers_the_quote_is_kept_without_routes() {
    let store: Arc<Memory> = Arc::default();
    let fillers = [Fake::new("hangs", Habit::Hangs), Fake::new("panics", Habit::Panics)];
    let deed = deed(store.clone(), &fillers);
    assert!(deed.ask(request()).unwrap().gather().await.unwrap().routes.is_empty());
    assert_eq!(deed.ask(request()).unwrap().next().await.unwrap(), None);
    assert_eq!(*store.writes.lock().unwrap(), [Vec::<String>::new(), Vec::new()]);
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_gives_the_fillers_up() {
    let fillers = [Fake::new("hangs", Habit::Hangs), Fake::after("slow", Habit::Offers(1), 500)];
    let deed = deed(Arc::<Memory>::default(), &fillers);
    let mut gathering = Box::pin(deed.ask(request()).unwrap().gather());
    assert!((&mut gathering).now_or_never().is_none());
    drop(gathering);
    let mut routes = deed.ask(request()).unwrap();
    assert!(routes.next().now_or_never().is_none());
    drop(routes);
    assert_eq!(fillers.map(|filler| (filler.calls(), filler.given_up())), [(2, 2), (2, 2)]);
}

#[tokio::test]
async fn unknown_chains_and_tokens_are_refused_before_anybody_is_asked() {
    let filler = Fake::new("house", Habit::Offers(1));
    let deed = deed(Arc::<Memory>::default(), std::slice::from_ref(&filler));
    let elsewhere = TokenId::native(ChainId::new(424_242).unwrap());
    let nobody = TokenId::new(ask().from.chain(), "0x1212121212121212121212121212121212121212").unwrap();
    let refusal = |from| deed.ask(QuoteRequest { ask: Ask { from, ..ask() }, integrator: None }).unwrap_err();
    assert!(matches!(refusal(elsewhere), QuoteError::UnsupportedChain(_)));
    assert!(matches!(refusal(nobody), QuoteError::UnsupportedToken(_)));
    assert_eq!(filler.calls(), 0);
}

#[tokio::test]
async fn a_paused_chain_or_token_is_not_quoted_unless_it_was_begun_before() {
    let filler = Fake::new("house", Habit::Offers(1));
    let deed = deed(Arc::<Memory>::default(), std::slice::from_ref(&filler));
    let chain = ask().to.chain().to_string();
    let token = ask().from.to_string();
    for (kind, name) in [("chain", &chain), ("token", &token)] {
        deed.fillers().pauses().set(vec![paused(kind, name)]);
        let Err(QuoteError::CannotFill(reasons)) = deed.ask(request()) else { panic!("{kind} was quoted") };
        let words = format!("{kind} {name} is paused: maintenance");
        assert_eq!(reasons, [Unfilled { filler: "house".to_owned(), why: NoOffer::Paused(words) }]);
        assert_eq!(filler.calls(), 0, "nobody was asked");
    }
    assert_eq!(deed.despite_pauses().ask(request()).unwrap().gather().await.unwrap().routes.len(), 1);
}

#[tokio::test]
async fn a_paused_filler_is_not_asked_and_says_so_where_nobody_else_offers() {
    let fillers = [Fake::new("one", Habit::Offers(1)), Fake::new("two", Habit::Offers(2))];
    let deed = deed(Arc::<Memory>::default(), &fillers);
    deed.fillers().pauses().set(vec![paused("filler", "one")]);
    let quote = deed.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!((names(&quote.routes), fillers[0].calls()), (vec!["two".to_owned()], 0));
    deed.fillers().pauses().set(vec![paused("filler", "one"), paused("filler", "two")]);
    let refused = deed.ask(request()).unwrap().gather().await;
    assert!(matches!(refused, Err(QuoteError::CannotFill(reasons)) if reasons.len() == 2));
}

#[tokio::test(start_paused = true)]
async fn a_quote_asks_those_who_were_there_when_it_began() {
    let fillers = [Fake::after("stays", Habit::Offers(1), 10), Fake::after("leaves", Habit::Offers(2), 10)];
    let deed = deed(Arc::<Memory>::default(), &fillers);
    let running = deed.ask(request()).unwrap();
    assert!(deed.fillers().remove("leaves") && !deed.fillers().remove("leaves"));
    deed.fillers().put(Fake::after("comes", Habit::Offers(3), 10), None).unwrap();
    assert_eq!(names(&running.gather().await.unwrap().routes), ["leaves", "stays"]);
    assert_eq!(names(&deed.ask(request()).unwrap().gather().await.unwrap().routes), ["comes", "stays"]);
}

#[tokio::test]
async fn a_streamed_route_is_found_after_a_restart_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(folder.path().join("quotes.db"));
    let store = Arc::new(Store::open(&location).await.unwrap());
    let fillers = [Fake::new("first", Habit::Offers(1)), Fake::after("second", Habit::Offers(2), 20)];
    let mut routes = deed(store, &fillers).ask(request()).unwrap();
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
