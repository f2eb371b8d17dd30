use std::collections::HashMap;

use causeway_domain::Order;
use causeway_domain::ports::{Filler, FillerProtocol};
use causeway_testing::sample::order;
use causeway_testing::{IdleFiller, MemoryStore};
use jiff::SignedDuration;

use super::*;
use crate::fillers::QuoteOptions;
use crate::fillers::fake::{Behavior, Fake};

struct Maker;

impl MakeFiller for Maker {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        if !record.url.starts_with("https://") {
            return Err("its URL must start with https://".to_owned());
        }
        let far = Arc::new(IdleFiller(record.name.clone()));
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
async fn replica(store: &Arc<MemoryStore>) -> Registry {
    let house = Fake::new("house", Behavior::Hangs) as Arc<dyn Filler>;
    let parts = RegistryParts {
        records: store.clone(),
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
    let store: Arc<MemoryStore> = Arc::default();
    let (here, there) = (replica(&store).await, replica(&store).await);
    here.add(record("far")).await.unwrap();
    assert_eq!(asked(&here), ["house", "written", "far"]);
    assert_eq!(asked(&there), ["house", "written"]);
    there.refresh().await.unwrap();
    assert_eq!(asked(&there), ["house", "written", "far"]);
    assert!(there.parts.executors.get("far").is_some());
    assert_eq!(asked(&replica(&store).await), ["house", "written", "far"], "and after a start");
}

#[tokio::test]
async fn removed_filler_is_not_asked_and_keeps_its_executor_until_its_offers_and_orders_end() {
    let store: Arc<MemoryStore> = Arc::default();
    let registry = replica(&store).await;
    registry.add(record("far")).await.unwrap();
    let open = Order { filler: "far".to_owned(), due_at: Some(Timestamp::now()), ..order(1) };
    store.orders.lock().unwrap().push((open, Vec::new()));
    registry.remove("far", Timestamp::now()).await.unwrap();
    for registry in [registry, replica(&store).await] {
        assert_eq!(asked(&registry), ["house", "written"]);
        registry.delete_finished(hours_from_now(3)).await.unwrap();
        assert!(registry.parts.executors.get("far").is_some(), "an order is not over");
    }
    let (one, two) = (replica(&store).await, replica(&store).await);
    store.orders.lock().unwrap().clear();
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
    let store: Arc<MemoryStore> = Arc::default();
    let registry = replica(&store).await;
    registry.add(record("far")).await.unwrap();
    registry.remove("far", Timestamp::now()).await.unwrap();
    registry.add(record("far")).await.unwrap();
    registry.delete_finished(hours_from_now(3)).await.unwrap();
    assert_eq!(asked(&registry), ["house", "written", "far"]);
}

#[tokio::test]
async fn unusable_filler_is_rejected_and_not_stored() {
    let store: Arc<MemoryStore> = Arc::default();
    let registry = replica(&store).await;
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
    assert!(store.fillers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn configured_filler_wins_over_a_stored_one_with_the_same_name() {
    for removed_at in [None, Some(Timestamp::now())] {
        let store: Arc<MemoryStore> = Arc::default();
        for name in ["written", "house"] {
            let url = "http://elsewhere.example".to_owned();
            store.put_filler(&FillerRecord { url, removed_at, ..record(name) }).await.unwrap();
        }
        let registry = replica(&store).await;
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

#[test]
fn protocols_print_and_read_back() {
    for protocol in [FillerProtocol::Remote, FillerProtocol::Oif] {
        assert_eq!(protocol.as_str().parse(), Ok(protocol));
    }
}
