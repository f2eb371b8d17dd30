use std::collections::HashMap;
use std::sync::Mutex as StdMutex;

use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, Answer, Filler, FillerAsk, FillerError, FillerProtocol, OrderExecutor, Progress, Refusal,
    StoreError,
};
use causeway_domain::{Decision, Order};
use jiff::SignedDuration;

use super::*;
use crate::fillers::QuoteOptions;
use crate::fillers::fake::{Behavior, Fake};

/// An in-memory store; fillers in `open` have open orders.
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

/// A remote filler that is never asked in these tests, and its executor.
struct RemoteFiller(String);

#[async_trait]
impl Filler for RemoteFiller {
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
impl OrderExecutor for RemoteFiller {
    fn name(&self) -> &str {
        &self.0
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn decide(&self, _: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        Ok((Decision::Fill, None))
    }

    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), ActionError> {
        Ok(())
    }
}

struct Maker;

impl MakeFiller for Maker {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its address must begin with https://".to_owned());
        }
        let far = Arc::new(RemoteFiller(record.name.clone()));
        Ok(MadeFiller { filler: far.clone(), executor: far })
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

/// A replica with one built-in filler.
async fn replica(rows: &Arc<Rows>) -> Registry {
    let house = Fake::new("house", Behavior::Hangs) as Arc<dyn Filler>;
    let parts = RegistryParts {
        records: rows.clone(),
        make: Arc::new(Maker),
        fillers: Fillers::new(vec![house], &QuoteOptions::default()).unwrap(),
        executors: ExecutorRegistry::from(HashMap::new()),
        configured: vec![record("written")],
    };
    Registry::open(parts).await.unwrap()
}

fn hours_from_now(hours: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(hours)
}

fn asked(registry: &Registry) -> Vec<String> {
    registry.parts.fillers.reports().into_iter().map(|report| report.name).collect()
}

#[tokio::test]
async fn added_filler_is_asked_at_once_here_and_after_a_refresh_on_other_replicas() {
    let rows: Arc<Rows> = Arc::default();
    let (here, there) = (replica(&rows).await, replica(&rows).await);
    here.add(record("far")).await.unwrap();
    assert_eq!(asked(&here), ["house", "written", "far"]);
    assert_eq!(asked(&there), ["house", "written"]);
    there.refresh().await.unwrap();
    assert_eq!(asked(&there), ["house", "written", "far"]);
    assert!(there.parts.executors.get("far").is_some());
    assert_eq!(asked(&replica(&rows).await), ["house", "written", "far"], "and after a start");
}

#[tokio::test]
async fn removed_filler_is_not_asked_and_keeps_its_executor_until_its_offers_and_orders_end() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    registry.add(record("far")).await.unwrap();
    rows.open.lock().unwrap().push("far".to_owned());
    registry.remove("far", Timestamp::now()).await.unwrap();
    for registry in [registry, replica(&rows).await] {
        assert_eq!(asked(&registry), ["house", "written"]);
        registry.delete_finished(hours_from_now(3)).await.unwrap();
        assert!(registry.parts.executors.get("far").is_some(), "an order is not over");
    }
    let (one, two) = (replica(&rows).await, replica(&rows).await);
    rows.open.lock().unwrap().clear();
    one.delete_finished(hours_from_now(1)).await.unwrap();
    assert!(one.parts.executors.get("far").is_some(), "an offer from before may be taken");
    one.delete_finished(hours_from_now(3)).await.unwrap();
    two.refresh().await.unwrap();
    for registry in [one, two] {
        assert!(registry.parts.executors.get("far").is_none());
        assert_eq!(registry.list().await.len(), 1);
    }
}

#[tokio::test]
async fn removed_filler_can_be_added_again() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    registry.add(record("far")).await.unwrap();
    registry.remove("far", Timestamp::now()).await.unwrap();
    registry.add(record("far")).await.unwrap();
    registry.delete_finished(hours_from_now(3)).await.unwrap();
    assert_eq!(asked(&registry), ["house", "written", "far"]);
}

#[tokio::test]
async fn unusable_filler_is_rejected_and_not_stored() {
    let rows: Arc<Rows> = Arc::default();
    let registry = replica(&rows).await;
    let plain = FillerRecord { url: "http://far.example".to_owned(), ..record("far") };
    assert!(
        matches!(registry.add(plain).await, Err(RegistryError::Unusable(reason)) if reason.contains("https"))
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
async fn configured_filler_wins_over_a_stored_one_with_the_same_name() {
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
        assert!(
            registry.parts.executors.get("written").is_some()
                && registry.parts.executors.get("house").is_none()
        );
    }
}

#[tokio::test]
async fn filler_whose_route_names_clash_is_rejected() {
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
