use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Filler, Refusal};
use causeway_domain::{ChainId, QuoteKey, QuoteKeys, Route, RouteTerms};
use futures::FutureExt as _;

use super::*;
use crate::fillers::fake::{Behavior, Fake, amount, ask};
use crate::fillers::{MissingOffer, QuoteOptions};
use crate::pauses::tests::paused;

fn seal() -> RouteSeal {
    RouteSeal::new(&QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() })
}

fn names(routes: &[Route]) -> Vec<&str> {
    routes.iter().map(|route| route.filler.as_str()).collect()
}

fn use_case(fillers: &[Arc<Fake>]) -> RequestQuote {
    let fillers = fillers.iter().map(|filler| filler.clone() as Arc<dyn Filler>).collect();
    let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
    RequestQuote::new(Arc::new(Catalog::bundled().unwrap()), Arc::new(seal()), fillers)
}

fn request() -> QuoteRequest {
    QuoteRequest { ask: ask(), integrator: None }
}

#[tokio::test(start_paused = true)]
async fn misbehaving_fillers_do_not_delay_the_others() {
    let fillers = [
        Fake::new("hangs", Behavior::Hangs),
        Fake::after("late", Behavior::Offers(9_999), 2_001),
        Fake::new("panics", Behavior::Panics),
        Fake::new("lies", Behavior::Lies),
        Fake::new("floods", Behavior::Floods(1_500, 1_000)),
        Fake::after("good", Behavior::Offers(2_000), 30),
    ];
    let use_case = use_case(&fillers);
    let start = Instant::now();
    let quote = use_case.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(2), "the deadline, and not a moment more");
    assert_eq!(names(&quote.routes), ["good", "floods"], "the same offer many times is one route");
    let won: Vec<u64> = use_case.fillers().reports().iter().map(|report| report.won).collect();
    assert_eq!(won, [0, 0, 0, 0, 0, 1]);
}

#[tokio::test(start_paused = true)]
async fn stream_returns_each_route_as_it_arrives() {
    let fillers = [
        Fake::after("third", Behavior::Offers(1), 200),
        Fake::after("first", Behavior::Offers(3), 5),
        Fake::after("second", Behavior::Offers(2), 50),
    ];
    let use_case = use_case(&fillers);
    let mut routes = use_case.ask(request()).unwrap();
    let start = Instant::now();
    for (name, millis) in [("first", 5), ("second", 50), ("third", 200)] {
        let (quote, route) = routes.next().await.unwrap().unwrap();
        assert_eq!((route.filler.as_str(), quote.routes.last()), (name, Some(route)));
        assert_eq!(start.elapsed(), Duration::from_millis(millis));
    }
    assert_eq!(routes.next().await.unwrap(), None);
    assert_eq!(routes.next().await.unwrap(), None, "and it stays so");
    assert_eq!(names(&routes.quote().routes), ["first", "second", "third"]);
    let won: Vec<u64> = use_case.fillers().reports().iter().map(|report| report.won).collect();
    assert_eq!(won, [0, 1, 0], "the best counts as the winner, once");
}

#[tokio::test]
async fn route_ids_hold_what_an_order_is_built_from() {
    let use_case = use_case(&[Fake::new("one", Behavior::Offers(1)), Fake::new("two", Behavior::Offers(2))]);
    let integrator = Some("wallet-00ff00ff".to_owned());
    let asked = QuoteRequest { integrator: integrator.clone(), ..request() };
    let quote = use_case.ask(asked.clone()).unwrap().gather().await.unwrap();
    for route in &quote.routes {
        let terms = seal().open(&quote.id, &route.id).unwrap();
        assert_eq!(terms.integrator, integrator);
        let cut = jiff::Timestamp::from_millisecond(route.valid_before.as_millisecond()).unwrap();
        assert_eq!(terms, RouteTerms { valid_before: cut, ..RouteTerms::new(&quote, route) });
    }
    let again = use_case.ask(asked).unwrap().gather().await.unwrap();
    assert_ne!(again.routes[0].id, quote.routes[0].id, "every quote has its own");
}

#[tokio::test(start_paused = true)]
async fn refusals_without_an_offer_list_every_reason() {
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
    let use_case = use_case(&fillers);
    let plain = use_case.ask(request()).unwrap().gather().await.unwrap_err();
    let stream = use_case.ask(request()).unwrap().next().await.unwrap_err();
    for error in [plain, stream] {
        let QuoteError::CannotFill { missing: reasons, .. } = error else { panic!("{error}") };
        assert_eq!(reasons, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn quote_without_answers_has_no_routes() {
    let fillers = [Fake::new("hangs", Behavior::Hangs), Fake::new("panics", Behavior::Panics)];
    let use_case = use_case(&fillers);
    assert!(use_case.ask(request()).unwrap().gather().await.unwrap().routes.is_empty());
    assert_eq!(use_case.ask(request()).unwrap().next().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_quote_cancels_its_calls() {
    let fillers = [Fake::new("hangs", Behavior::Hangs), Fake::after("slow", Behavior::Offers(1), 500)];
    let use_case = use_case(&fillers);
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
    let use_case = use_case(std::slice::from_ref(&filler));
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
    let use_case = use_case(std::slice::from_ref(&filler));
    let chain = ask().to.chain().to_string();
    let token = ask().from.to_string();
    for (kind, name) in [("chain", &chain), ("token", &token)] {
        use_case.fillers().pauses().set(vec![paused(kind, name)]);
        let Err(QuoteError::CannotFill { missing: reasons, .. }) = use_case.ask(request()) else {
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
    let use_case = use_case(&fillers);
    use_case.fillers().pauses().set(vec![paused("filler", "one")]);
    let quote = use_case.ask(request()).unwrap().gather().await.unwrap();
    assert_eq!((names(&quote.routes), fillers[0].calls()), (vec!["two"], 0));
    use_case.fillers().pauses().set(vec![paused("filler", "one"), paused("filler", "two")]);
    let refused = use_case.ask(request()).unwrap().gather().await;
    assert!(matches!(refused, Err(QuoteError::CannotFill { missing, .. }) if missing.len() == 2));
}

#[tokio::test(start_paused = true)]
async fn quote_asks_the_fillers_of_its_start() {
    let fillers =
        [Fake::after("stays", Behavior::Offers(1), 10), Fake::after("leaves", Behavior::Offers(2), 10)];
    let use_case = use_case(&fillers);
    let running = use_case.ask(request()).unwrap();
    assert!(use_case.fillers().remove("leaves") && !use_case.fillers().remove("leaves"));
    use_case.fillers().put(Fake::after("comes", Behavior::Offers(3), 10), None).unwrap();
    assert_eq!(names(&running.gather().await.unwrap().routes), ["leaves", "stays"]);
    assert_eq!(names(&use_case.ask(request()).unwrap().gather().await.unwrap().routes), ["comes", "stays"]);
}

#[tokio::test]
async fn a_closed_chain_gets_no_quote_and_its_filler_is_not_asked() {
    let filler = Fake::new("one", Behavior::Offers(7));
    let cursors = Arc::new(ChainCursors::default());
    let quotes = use_case(&[Arc::clone(&filler)]).with_cursors(Arc::clone(&cursors));
    let words = || match quotes.ask(request()) {
        Err(QuoteError::CannotFill { missing, .. }) => missing[0].reason.to_string(),
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
