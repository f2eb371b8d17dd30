use std::sync::Arc;
use std::time::Duration;

use causeway_domain::Ask;
use causeway_domain::ports::{Filler, Refusal};
use futures::FutureExt as _;
use futures::future::join_all;
use tokio::time::{Instant, advance};

use super::fake::{Behavior, Fake, amount, ask, filler_ask};
use super::set::Roster;
use super::*;

fn client(filler: &Arc<Fake>, options: &QuoteOptions) -> Arc<FillerClient> {
    let filler: Arc<dyn Filler> = filler.clone();
    Arc::clone(&Fillers::new(vec![filler], options).unwrap().roster().clients[0])
}

async fn ask_once(client: &Arc<FillerClient>, units: u64) -> Outcome {
    let ask = filler_ask(Ask { amount: amount(units), ..ask() });
    let roster = Roster { clients: vec![Arc::clone(client)], ..Roster::default() };
    let query = Arc::new(FillerQuery::new(ask, Arc::new(roster)));
    match client.ask(&query, Instant::now()).await {
        AskState::Answered(outcome) => outcome,
        AskState::Pending(answer) => answer.await,
    }
}

#[tokio::test(start_paused = true)]
async fn unresponsive_filler_is_cancelled_at_the_deadline() {
    let filler = Fake::new("slow", Behavior::Hangs);
    let client = client(&filler, &QuoteOptions::default());
    let start = Instant::now();
    assert_eq!(ask_once(&client, 1).await, Err(NoOffer::TimedOut));
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!((filler.cancelled(), client.calls_in_flight()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn filler_specific_deadline_replaces_the_default() {
    let deadlines = BTreeMap::from([("slow".to_owned(), Duration::from_secs(5))]);
    let filler = Fake::after("slow", Behavior::Offers(7), 4_000);
    let client = client(&filler, &QuoteOptions { deadlines, ..QuoteOptions::default() });
    assert!(ask_once(&client, 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn identical_asks_share_a_call_that_the_last_waiter_cancels() {
    let filler = Fake::after("slow", Behavior::Offers(7), 1_000);
    let client = client(&filler, &QuoteOptions::default());
    let answers = join_all([ask_once(&client, 1), ask_once(&client, 1), ask_once(&client, 2)]).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(filler.calls(), 2, "two asks were the same");

    let (mut one, mut two) = (Box::pin(ask_once(&client, 3)), Box::pin(ask_once(&client, 3)));
    assert!((&mut one).now_or_never().is_none() && (&mut two).now_or_never().is_none());
    drop(one);
    assert_eq!((filler.cancelled(), client.calls_in_flight()), (0, 1), "one still waits");
    drop(two);
    assert_eq!((filler.cancelled(), client.calls_in_flight()), (1, 0));
    assert!(ask_once(&client, 3).await.is_ok(), "it can be asked anew");
}

#[tokio::test(start_paused = true)]
async fn late_joiner_has_its_own_deadline() {
    let filler = Fake::after("slow", Behavior::Offers(7), 2_500);
    let client = client(&filler, &QuoteOptions::default());
    let late = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        ask_once(&client, 1).await
    };
    let (first, late) = futures::join!(ask_once(&client, 1), late);
    assert_eq!(first, Err(NoOffer::TimedOut));
    assert!(late.is_ok());
    assert_eq!(filler.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn busy_client_queues_asks_and_rejects_them_when_the_queue_is_full() {
    let filler = Fake::after("slow", Behavior::Offers(7), 100);
    let client = client(&filler, &QuoteOptions { calls: 2, waiting: 3, ..QuoteOptions::default() });
    let answers = join_all((1..=6).map(|units| ask_once(&client, units))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5);
    assert_eq!(answers.iter().filter(|answer| **answer == Err(NoOffer::Busy)).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn queueing_counts_against_the_deadline_but_not_as_a_fault() {
    let filler = Fake::after("slow", Behavior::Offers(7), 1_500);
    let client = client(&filler, &QuoteOptions { calls: 1, ..QuoteOptions::default() });
    let answers = join_all((1..=9).map(|units| ask_once(&client, units))).await;
    assert_eq!(answers.iter().filter(|answer| **answer == Err(NoOffer::TimedOut)).count(), 8);
    let report = client.report();
    assert_eq!((report.timed_out, report.breaker), (8, BreakerState::Closed));
}

#[tokio::test(start_paused = true)]
async fn faults_open_the_breaker_and_refusals_do_not() {
    for behavior in
        [Behavior::Fails, Behavior::Panics, Behavior::Lies, Behavior::Floods(7, 0), Behavior::Hangs]
    {
        let filler = Fake::new("odd", behavior.clone());
        let client = client(&filler, &QuoteOptions::default());
        for units in 1..=5 {
            assert!(ask_once(&client, units).await.is_err());
        }
        assert_eq!(client.report().health, FillerHealth::Open, "{behavior:?}");
        assert_eq!(ask_once(&client, 6).await, Err(NoOffer::CoolingDown));
        assert_eq!(filler.calls(), 5, "{behavior:?}");
    }
    let filler = Fake::new("choosy", Behavior::Refuses(Refusal::PairNotServed));
    let client = client(&filler, &QuoteOptions::default());
    for units in 1..=40 {
        assert_eq!(ask_once(&client, units).await, Err(NoOffer::Refused(Refusal::PairNotServed)));
    }
    assert_eq!(client.report().health, FillerHealth::Healthy);
}

#[tokio::test(start_paused = true)]
async fn fault_of_a_shared_call_counts_once() {
    for (behavior, delay) in [(Behavior::Fails, 100), (Behavior::Hangs, 0)] {
        let filler = Fake::after("odd", behavior, delay);
        let client = client(&filler, &QuoteOptions::default());
        join_all((0..20).map(|_| ask_once(&client, 1))).await;
        let report = client.report();
        assert_eq!((filler.calls(), report.breaker), (1, BreakerState::Closed));
        assert_eq!(report.faulted + report.timed_out, 20, "each caller got an answer");
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_cool_down_one_call_probes() {
    let filler = Fake::new("odd", Behavior::Fails);
    let client = client(&filler, &QuoteOptions::default());
    for units in 1..=5 {
        let _ = ask_once(&client, units).await;
    }
    advance(BreakerPolicy::default().cool_down).await;
    assert_eq!(client.report().breaker, BreakerState::HalfOpen);
    assert_eq!(ask_once(&client, 6).await, Err(NoOffer::Faulted));
    assert_eq!(ask_once(&client, 7).await, Err(NoOffer::CoolingDown));
    assert_eq!(filler.calls(), 6);
}

#[tokio::test(start_paused = true)]
async fn asks_are_counted_by_outcome() {
    let filler = Fake::after("house", Behavior::Offers(7), 3);
    let client = client(&filler, &QuoteOptions::default());
    join_all([ask_once(&client, 1), ask_once(&client, 1), ask_once(&client, 2)]).await;
    drop(Box::pin(ask_once(&client, 3)));
    let report = client.report();
    assert_eq!((report.asked, report.offered, report.median), (3, 3, Some(Duration::from_millis(3))));
    assert_eq!(report.latency.buckets.iter().map(|(_, count)| count).sum::<u64>(), 2, "one per call");
}

#[test]
fn clashing_or_unknown_names_are_rejected() {
    let fillers = |names: &[&'static str], options: &QuoteOptions| {
        let fillers = names.iter().map(|name| Fake::new(name, Behavior::Hangs) as Arc<dyn Filler>).collect();
        Fillers::new(fillers, options).unwrap_err()
    };
    let options = QuoteOptions::default();
    assert_eq!(fillers(&["a", "a"], &options), FillerNameError::Clash("a".to_owned()));
    assert!(matches!(fillers(&["a/b"], &options), FillerNameError::Form(_)));
    let deadlines = BTreeMap::from([("b".to_owned(), Duration::from_secs(1))]);
    let options = QuoteOptions { deadlines, ..QuoteOptions::default() };
    assert_eq!(fillers(&["a"], &options), FillerNameError::Unknown("b".to_owned()));
}
