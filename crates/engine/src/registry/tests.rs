use std::collections::HashMap;
use std::sync::Mutex as StdMutex;

use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, DeedError, Filler, FillerAsk, FillerError, FillerProtocol, Hand, Progress, Refusal, StoreError,
};
use causeway_domain::{Decision, Order};
use jiff::SignedDuration;

use super::*;
use crate::fillers::QuoteOptions;
use crate::fillers::fake::{Fake, Habit};

/// A store in memory; names in `open` have orders that are not over.
#[derive(Default)]
struct Rows {
    rows: StdMutex<BTreeMap<String, FillerRecord>>,
    open: StdMutex<Vec<String>>,
}

#[async_trait]
impl FillerRecords for Rows {
    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError> {
        Ok(self.rows.lock().unwrap().values().cloned().collect())
    }

    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError> {
        self.rows.lock().unwrap().insert(record.name.clone(), record.clone());
        Ok(())
    }

    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError> {
        let mut rows = self.rows.lock().unwrap();
        let open = self.open.lock().unwrap().iter().any(|open| open == name);
        let removed = rows.get(name).is_some_and(|record| record.removed_at.is_some());
        Ok(removed && !open && rows.remove(name).is_some())
    }
}

/// A filler elsewhere that is never asked here, and its hand.
struct Far(String);

#[async_trait]
impl Filler for Far {
    fn name(&self) -> &str {
        &self.0
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, _: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(Answer::Refused(Refusal::PairNotServed))
    }
}

#[async_trait]
impl Hand for Far {
    fn name(&self) -> &str {
        &self.0
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        Ok((Decision::Fill, None))
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), DeedError> {
        Ok(())
    }
}

struct Maker;

impl MakeFiller for Maker {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its address must begin with https://".to_owned());
        }
        let far = Arc::new(Far(record.name.clone()));
        Ok(MadeFiller { filler: far.clone(), hand: far })
    }
}

fn record(name: &str) -> FillerRecord {
    FillerRecord {
        name: name.to_owned(),
        protocol: FillerProtocol::Remote,
        url: format!("https://{name}.example"),
        secret: None,
        deadline: None,
        added_at: Timestamp::UNIX_EPOCH,
        removed_at: None,
    }
}

/// A replica with one filler of its own.
async fn replica(rows: &Arc<Rows>) -> Registry {
    let house = Fake::new("house", Habit::Hangs) as Arc<dyn Filler>;
    let parts = RegistryParts {
        records: rows.clone(),
        make: Arc::new(Maker),
        fillers: Fillers::new(vec![house], &QuoteOptions::default()).unwrap(),
        hands: Hands::from(HashMap::new()),
        configured: vec![record("written")],
    };
    Registry::open(parts).await.unwrap()
}

fn hours_on(hours: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(hours)
}

fn asked(registry: &Registry) -> Vec<String> {
    registry.parts.fillers.reports().into_iter().map(|report| report.name).collect()
}

#[tokio::test]
async fn a_filler_that_joins_is_asked_at_once_here_and_at_the_next_look_elsewhere() {
    let rows: Arc<Rows> = Arc::default();
    let (here, there) = (replica(&rows).await, replica(&rows).await);
    here.add(record("far")).await.unwrap();
    assert_eq!(asked(&here), ["house", "written", "far"]);
    assert_eq!(asked(&there), ["house", "written"]);
    there.refresh().await.unwrap();
    assert_eq!(asked(&there), ["house", "written", "far"]);
    assert!(there.parts.hands.get("far").is_some());
    assert_eq!(asked(&replica(&rows).await), ["house", "written", "far"], "and after a start");
}

#[tokio::test]
async fn a_removed_filler_is_asked_no_more_and_keeps_its_hand_until_its_offers_and_orders_are_over() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    registry.add(record("far")).await.unwrap();
    rows.open.lock().unwrap().push("far".to_owned());
    registry.remove("far", Timestamp::now()).await.unwrap();
    for registry in [registry, replica(&rows).await] {
        assert_eq!(asked(&registry), ["house", "written"]);
        registry.forget_over(hours_on(3)).await.unwrap();
        assert!(registry.parts.hands.get("far").is_some(), "an order is not over");
    }
    let (one, two) = (replica(&rows).await, replica(&rows).await);
    rows.open.lock().unwrap().clear();
    one.forget_over(hours_on(1)).await.unwrap();
    assert!(one.parts.hands.get("far").is_some(), "an offer from before may be taken");
    one.forget_over(hours_on(3)).await.unwrap();
    two.refresh().await.unwrap();
    for registry in [one, two] {
        assert!(registry.parts.hands.get("far").is_none());
        assert_eq!(registry.list().await.len(), 1);
    }
}

#[tokio::test]
async fn a_removed_filler_may_come_back() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    registry.add(record("far")).await.unwrap();
    registry.remove("far", Timestamp::now()).await.unwrap();
    registry.add(record("far")).await.unwrap();
    registry.forget_over(hours_on(3)).await.unwrap();
    assert_eq!(asked(&registry), ["house", "written", "far"]);
}

#[tokio::test]
async fn what_cannot_be_used_is_told_and_not_stored() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    let plain = FillerRecord { url: "http://far.example".to_owned(), ..record("far") };
    assert!(
        matches!(registry.add(plain).await, Err(RegistryError::Unusable(words)) if words.contains("https"))
    );
    for name in ["house", "written"] {
        assert!(matches!(registry.add(record(name)).await, Err(RegistryError::Configured(_))), "{name}");
        let removed = registry.remove(name, Timestamp::now()).await;
        assert!(matches!(removed, Err(RegistryError::Configured(_))), "{name}");
    }
    assert!(matches!(registry.add(record("a b")).await, Err(RegistryError::Name(_))));
    assert!(matches!(registry.remove("far", Timestamp::now()).await, Err(RegistryError::Unknown(_))));
    assert!(rows.rows.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_configuration_wins_over_a_filler_of_the_store_that_bears_its_name() {
    for removed_at in [None, Some(Timestamp::now())] {
        let rows: Arc<Rows> = Arc::default();
        for name in ["written", "house"] {
            let url = "http://elsewhere.example".to_owned();
            rows.put_filler(&FillerRecord { url, removed_at, ..record(name) }).await.unwrap();
        }
        let registry = replica(&rows).await;
        registry.refresh().await.unwrap();
        assert_eq!(asked(&registry), ["house", "written"]);
        let listed: Vec<(String, bool)> =
            registry.list().await.into_iter().map(|filler| (filler.record.url, filler.configured)).collect();
        assert_eq!(listed, [("https://written.example".to_owned(), true)]);
        assert!(registry.parts.hands.get("written").is_some() && registry.parts.hands.get("house").is_none());
    }
}

#[tokio::test]
async fn a_route_that_two_fillers_would_name_alike_keeps_the_second_away() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    assert!(matches!(registry.add(record("house-2")).await, Err(RegistryError::Clash(_))));
    assert_eq!(asked(&registry), ["house", "written"]);
    assert!(rows.rows.lock().unwrap().is_empty());
}

#[test]
fn protocols_print_and_read_back() {
    for protocol in [FillerProtocol::Remote, FillerProtocol::Oif] {
        assert_eq!(protocol.as_str().parse(), Ok(protocol));
    }
}
