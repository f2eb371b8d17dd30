use std::sync::Arc;
use std::time::Duration;

use causeway_domain::Ask;
use causeway_domain::ports::{Filler, Refusal};
use futures::FutureExt as _;
use futures::future::join_all;
use tokio::time::{Instant, advance};

use super::fake::{Fake, Habit, amount, ask, filler_ask};
use super::set::Roster;
use super::*;

fn desk(filler: &Arc<Fake>, options: &QuoteOptions) -> Arc<Desk> {
    let filler: Arc<dyn Filler> = filler.clone();
    Arc::clone(&Fillers::new(vec![filler], options).unwrap().roster().desks[0])
}

async fn ask_once(desk: &Arc<Desk>, units: u64) -> Outcome {
    let ask = filler_ask(Ask { amount: amount(units), ..ask() });
    let roster = Roster { desks: vec![Arc::clone(desk)], ..Roster::default() };
    let asking = Arc::new(Asking::new(ask, Arc::new(roster)));
    match desk.ask(&asking, 0, Instant::now()).await {
        Asked::Answered(outcome) => outcome,
        Asked::Waiting(answer) => answer.await,
    }
}

#[tokio::test(start_paused = true)]
async fn a_filler_that_never_answers_is_given_up_at_the_deadline() {
    let filler = Fake::new("slow", Habit::Hangs);
    let desk = desk(&filler, &QuoteOptions::default());
    let start = Instant::now();
    assert_eq!(ask_once(&desk, 1).await, Err(NoOffer::TimedOut));
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!((filler.given_up(), desk.calls_in_flight()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_of_its_own_replaces_the_common_one() {
    let deadlines = BTreeMap::from([("slow".to_owned(), Duration::from_secs(5))]);
    let filler = Fake::after("slow", Habit::Offers(7), 4_000);
    let desk = desk(&filler, &QuoteOptions { deadlines, ..QuoteOptions::default() });
    assert!(ask_once(&desk, 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_same_ask_in_flight_is_one_call_and_the_last_to_leave_ends_it() {
    let filler = Fake::after("slow", Habit::Offers(7), 1_000);
    let desk = desk(&filler, &QuoteOptions::default());
    let answers = join_all([ask_once(&desk, 1), ask_once(&desk, 1), ask_once(&desk, 2)]).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(filler.calls(), 2, "two asks were the same");

    let (mut one, mut two) = (Box::pin(ask_once(&desk, 3)), Box::pin(ask_once(&desk, 3)));
    assert!((&mut one).now_or_never().is_none() && (&mut two).now_or_never().is_none());
    drop(one);
    assert_eq!((filler.given_up(), desk.calls_in_flight()), (0, 1), "one still waits");
    drop(two);
    assert_eq!((filler.given_up(), desk.calls_in_flight()), (1, 0));
    assert!(ask_once(&desk, 3).await.is_ok(), "it can be asked anew");
}

#[tokio::test(start_paused = true)]
async fn who_joins_late_waits_for_its_own_deadline() {
    let filler = Fake::after("slow", Habit::Offers(7), 2_500);
    let desk = desk(&filler, &QuoteOptions::default());
    let late = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        ask_once(&desk, 1).await
    };
    let (first, late) = futures::join!(ask_once(&desk, 1), late);
    assert_eq!(first, Err(NoOffer::TimedOut));
    assert!(late.is_ok());
    assert_eq!(filler.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_full_desk_lets_asks_wait_their_turn_and_turns_away_who_finds_no_room() {
    let filler = Fake::after("slow", Habit::Offers(7), 100);
    let desk = desk(&filler, &QuoteOptions { calls: 2, waiting: 3, ..QuoteOptions::default() });
    let answers = join_all((1..=6).map(|units| ask_once(&desk, units))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5);
    assert_eq!(answers.iter().filter(|answer| **answer == Err(NoOffer::Busy)).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn waiting_counts_against_the_deadline_and_is_no_fault_of_the_filler() {
    let filler = Fake::after("slow", Habit::Offers(7), 1_500);
    let desk = desk(&filler, &QuoteOptions { calls: 1, ..QuoteOptions::default() });
    let answers = join_all((1..=9).map(|units| ask_once(&desk, units))).await;
    assert_eq!(answers.iter().filter(|answer| **answer == Err(NoOffer::TimedOut)).count(), 8);
    let report = desk.report();
    assert_eq!((report.timed_out, report.breaker), (8, BreakerState::Closed));
}

#[tokio::test(start_paused = true)]
async fn faults_open_the_breaker_and_refusals_do_not() {
    for habit in [Habit::Fails, Habit::Panics, Habit::Lies, Habit::Floods(7, 0), Habit::Hangs] {
        let filler = Fake::new("odd", habit.clone());
        let desk = desk(&filler, &QuoteOptions::default());
        for units in 1..=5 {
            assert!(ask_once(&desk, units).await.is_err());
        }
        assert_eq!(desk.report().health, FillerHealth::Open, "{habit:?}");
        assert_eq!(ask_once(&desk, 6).await, Err(NoOffer::Resting));
        assert_eq!(filler.calls(), 5, "{habit:?}");
    }
    let filler = Fake::new("choosy", Habit::Refuses(Refusal::PairNotServed));
    let desk = desk(&filler, &QuoteOptions::default());
    for units in 1..=40 {
        assert_eq!(ask_once(&desk, units).await, Err(NoOffer::Refused(Refusal::PairNotServed)));
    }
    assert_eq!(desk.report().health, FillerHealth::Healthy);
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_many_waited_for_counts_once() {
    for (habit, delay) in [(Habit::Fails, 100), (Habit::Hangs, 0)] {
        let filler = Fake::after("odd", habit, delay);
        let desk = desk(&filler, &QuoteOptions::default());
        join_all((0..20).map(|_| ask_once(&desk, 1))).await;
        let report = desk.report();
        assert_eq!((filler.calls(), report.breaker), (1, BreakerState::Closed));
        assert_eq!(report.faulted + report.timed_out, 20, "each asker was told");
    }
}

#[tokio::test(start_paused = true)]
async fn after_the_cool_down_one_call_probes() {
    let filler = Fake::new("odd", Habit::Fails);
    let desk = desk(&filler, &QuoteOptions::default());
    for units in 1..=5 {
        let _ = ask_once(&desk, units).await;
    }
    advance(BreakerPolicy::default().cool_down).await;
    assert_eq!(desk.report().breaker, BreakerState::HalfOpen);
    assert_eq!(ask_once(&desk, 6).await, Err(NoOffer::Faulted));
    assert_eq!(ask_once(&desk, 7).await, Err(NoOffer::Resting));
    assert_eq!(filler.calls(), 6);
}

#[tokio::test(start_paused = true)]
async fn asks_are_counted_by_what_became_of_them() {
    let filler = Fake::after("house", Habit::Offers(7), 3);
    let desk = desk(&filler, &QuoteOptions::default());
    join_all([ask_once(&desk, 1), ask_once(&desk, 1), ask_once(&desk, 2)]).await;
    drop(Box::pin(ask_once(&desk, 3)));
    let report = desk.report();
    assert_eq!((report.asked, report.offered, report.median), (3, 3, Some(Duration::from_millis(3))));
    assert_eq!(report.latency.buckets.iter().map(|(_, count)| count).sum::<u64>(), 2, "one per call");
}

#[test]
fn names_that_clash_or_fit_nobody_are_refused_at_the_start() {
    let fillers = |names: &[&'static str], options: &QuoteOptions| {
        let fillers = names.iter().map(|name| Fake::new(name, Habit::Hangs) as Arc<dyn Filler>).collect();
        Fillers::new(fillers, options).unwrap_err()
    };
    let options = QuoteOptions::default();
    assert_eq!(fillers(&["a", "a"], &options), FillerNameError::Clash("a".to_owned()));
    assert_eq!(fillers(&["a", "a-2"], &options), FillerNameError::Clash("a-2".to_owned()));
    assert!(matches!(fillers(&["a/b"], &options), FillerNameError::Form(_)));
    let deadlines = BTreeMap::from([("b".to_owned(), Duration::from_secs(1))]);
    let options = QuoteOptions { deadlines, ..QuoteOptions::default() };
    assert_eq!(fillers(&["a"], &options), FillerNameError::Unknown("b".to_owned()));
}
