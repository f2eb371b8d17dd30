use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use causeway_engine::Fillers;
use causeway_wire::ErrorName;
use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, EncodeLabelValue, EncodeMetric as _, LabelValueEncoder, NoLabelSet,
    text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

use crate::fillers::FillerCollector;

/// From a quarter of a millisecond to the longest plausible request timeout.
const LATENCY_BUCKETS: [f64; 14] =
    [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Distinct SDK version labels. Callers control the header, so the number is bounded.
const MAX_SDK_LABELS: usize = 64;

/// The metrics of the service, in one registry that `/metrics` encodes.
#[derive(Debug)]
pub struct Metrics {
    registry: Mutex<Registry>,
    latency: Family<RequestLabels, Histogram, fn() -> Histogram>,
    errors: Family<ErrorLabels, Counter>,
    sdks: Family<SdkLabels, Counter>,
    known_sdks: Mutex<HashSet<String>>,
    in_flight: Gauge,
    /// The values of other parts, which the operator's overview shows too.
    sources: Mutex<HashMap<&'static str, ValueSource>>,
    /// What the store held at the last reading.
    pub(crate) state: tokio::sync::Mutex<Option<(Instant, Vec<GaugeSet>)>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    method: MethodLabel,
    route: Box<str>,
    status: u16,
}

impl RequestLabels {
    pub(crate) fn new(method: &Method, route: &str, status: u16) -> Self {
        Self { method: MethodLabel(method.clone()), route: route.into(), status }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MethodLabel(Method);

impl EncodeLabelValue for MethodLabel {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        let standard =
            [Method::GET, Method::POST, Method::PUT, Method::OPTIONS, Method::HEAD, Method::DELETE];
        encoder.write_str(if standard.contains(&self.0) { self.0.as_str() } else { "other" })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    name: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SdkLabels {
    version: String,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            registry: Mutex::new(Registry::with_prefix("causeway")),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCY_BUCKETS)),
            errors: Family::default(),
            sdks: Family::default(),
            known_sdks: Mutex::default(),
            in_flight: Gauge::default(),
            sources: Mutex::default(),
            state: tokio::sync::Mutex::default(),
        };
        metrics.register(|registry| {
            let latency = metrics.latency.clone();
            registry.register("http_request_seconds", "Time until the response starts", latency);
            registry.register("http_errors", "Error responses by name", metrics.errors.clone());
            registry.register("http_requests_by_sdk", "Requests by SDK version", metrics.sdks.clone());
            registry.register("http_in_flight", "Requests in flight", metrics.in_flight.clone());
        });
        metrics
    }
}

impl Metrics {
    /// Registers a counter that another part of the service maintains.
    pub fn register_counter(
        &self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> u64 + Send + Sync + 'static,
    ) {
        let counter = ExternalCounter { name, help, read: Box::new(read) };
        self.register(|registry| registry.register_collector(Box::new(counter)));
    }

    /// Registers gauges of another part of the service, each with these labels.
    pub fn register_gauges<const LABELS: usize>(
        &self,
        name: &'static str,
        help: &'static str,
        labels: [&'static str; LABELS],
        read: impl Fn() -> Vec<([String; LABELS], i64)> + Send + Sync + 'static,
    ) {
        let read: ReadValues<LABELS, i64> = Arc::new(read);
        self.add_source(name, &labels, Arc::clone(&read), |value| value);
        let gauges = ExternalValues { name, help, labels, kind: MetricType::Gauge, read };
        self.register(|registry| registry.register_collector(Box::new(gauges)));
    }

    /// Registers counters of another part of the service, each with these labels.
    pub fn register_counters<const LABELS: usize>(
        &self,
        name: &'static str,
        help: &'static str,
        labels: [&'static str; LABELS],
        read: impl Fn() -> Vec<([String; LABELS], u64)> + Send + Sync + 'static,
    ) {
        let read: ReadValues<LABELS, u64> = Arc::new(read);
        self.add_source(name, &labels, Arc::clone(&read), |value| i64::try_from(value).unwrap_or(i64::MAX));
        let counters = ExternalValues { name, help, labels, kind: MetricType::Counter, read };
        self.register(|registry| registry.register_collector(Box::new(counters)));
    }

    fn add_source<const LABELS: usize, T: 'static>(
        &self,
        name: &'static str,
        labels: &[&'static str; LABELS],
        read: ReadValues<LABELS, T>,
        number: fn(T) -> i64,
    ) {
        let labels = *labels;
        let read = move || {
            let map = |(values, value): ([String; LABELS], T)| Value {
                labels: labels.into_iter().zip(values).collect(),
                value: number(value),
            };
            read().into_iter().map(map).collect()
        };
        self.sources.lock().insert(name, ValueSource(Arc::new(read)));
    }

    /// The values that another part has registered under this name, now; none where none has.
    pub(crate) fn values(&self, name: &str) -> Vec<Value> {
        let source = self.sources.lock().get(name).map(|source| Arc::clone(&source.0));
        source.map(|read| read()).unwrap_or_default()
    }

    /// Registers the metrics of the fillers.
    pub(crate) fn register_fillers(&self, fillers: &Fillers) {
        let collector = Box::new(FillerCollector(fillers.clone()));
        self.register(|registry| registry.register_collector(collector));
    }

    fn register(&self, add: impl FnOnce(&mut Registry)) {
        add(&mut self.registry.lock());
    }

    /// Encodes all metrics in the `OpenMetrics` text format, with gauges of the service and those of its process.
    pub(crate) fn encode(
        &self,
        service: Vec<GaugeSet>,
        process: Vec<GaugeSet>,
    ) -> Result<String, fmt::Error> {
        let mut gauges = [Registry::with_prefix("causeway"), Registry::default()];
        for (registry, sets) in gauges.iter_mut().zip([service, process]) {
            for set in sets {
                registry.register_collector(Box::new(set));
            }
        }
        let mut out = String::new();
        text::encode_registry(&mut out, &self.registry.lock())?;
        for registry in &gauges {
            text::encode_registry(&mut out, registry)?;
        }
        text::encode_eof(&mut out)?;
        Ok(out)
    }

    pub(crate) fn request_started(&self) {
        self.in_flight.inc();
    }

    pub(crate) fn request_finished(&self) {
        self.in_flight.dec();
    }

    pub(crate) fn record(&self, labels: &RequestLabels, elapsed: Duration) {
        self.latency.get_or_create(labels).observe(elapsed.as_secs_f64());
    }

    pub(crate) fn count_error(&self, name: ErrorName) {
        self.errors.get_or_create(&ErrorLabels { name: name.as_str() }).inc();
    }

    pub(crate) fn count_sdk(&self, version: &str) {
        self.sdks.get_or_create(&SdkLabels { version: version.to_owned() }).inc();
    }

    /// The version as a label; malformed ones and those beyond `MAX_SDK_LABELS` become `other`.
    pub(crate) fn sdk_label(&self, version: &str) -> String {
        let plain = (1..=40).contains(&version.len())
            && version.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-+/@".contains(&b));
        let mut known = self.known_sdks.lock();
        if plain && (known.contains(version) || known.len() < MAX_SDK_LABELS) {
            known.insert(version.to_owned());
            version.to_owned()
        } else {
            "other".to_owned()
        }
    }
}

/// A gauge with its values by label.
#[derive(Clone, Debug)]
pub(crate) struct GaugeSet {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    pub(crate) labels: &'static [&'static str],
    pub(crate) values: Vec<(Vec<String>, i64)>,
}

impl GaugeSet {
    pub(crate) const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        values: Vec<(Vec<String>, i64)>,
    ) -> Self {
        Self { name, help, labels, values }
    }

    pub(crate) fn single(name: &'static str, help: &'static str, value: i64) -> Self {
        Self::new(name, help, &[], vec![(Vec::new(), value)])
    }
}

impl Collector for GaugeSet {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, MetricType::Gauge)?;
        for (values, value) in &self.values {
            let labels: Vec<(&str, &str)> =
                self.labels.iter().copied().zip(values.iter().map(String::as_str)).collect();
            if labels.is_empty() {
                metric.encode_gauge(value)?;
            } else {
                metric.encode_family(&labels)?.encode_gauge(value)?;
            }
        }
        Ok(())
    }
}

/// A counter whose value is read at collection time.
struct ExternalCounter {
    name: &'static str,
    help: &'static str,
    read: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl fmt::Debug for ExternalCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalCounter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Collector for ExternalCounter {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let counter = ConstCounter::new((self.read)());
        let metric = encoder.encode_descriptor(self.name, self.help, None, counter.metric_type())?;
        counter.encode(metric)
    }
}

/// One value with its labels.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) labels: BTreeMap<&'static str, String>,
    pub(crate) value: i64,
}

/// Reads the values that are registered under a name.
struct ValueSource(Arc<dyn Fn() -> Vec<Value> + Send + Sync>);

impl fmt::Debug for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ValueSource")
    }
}

type ReadValues<const LABELS: usize, T> = Arc<dyn Fn() -> Vec<([String; LABELS], T)> + Send + Sync>;

/// Gauges or counters whose labels and values are read at collection time.
struct ExternalValues<const LABELS: usize, T> {
    name: &'static str,
    help: &'static str,
    labels: [&'static str; LABELS],
    kind: MetricType,
    read: ReadValues<LABELS, T>,
}

impl<const LABELS: usize, T> fmt::Debug for ExternalValues<LABELS, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExternalValues").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<const LABELS: usize> Collector for ExternalValues<LABELS, i64> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, self.kind)?;
        for (values, value) in (self.read)() {
            let labels: Vec<(&str, String)> = self.labels.into_iter().zip(values).collect();
            metric.encode_family(&labels)?.encode_gauge(&value)?;
        }
        Ok(())
    }
}

impl<const LABELS: usize> Collector for ExternalValues<LABELS, u64> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, self.kind)?;
        for (values, value) in (self.read)() {
            let labels: Vec<(&str, String)> = self.labels.into_iter().zip(values).collect();
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&value, None)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_other_parts_have_their_labels() {
        let metrics = Metrics::default();
        let read = || vec![(["8453".to_owned(), "fill".to_owned()], 3)];
        metrics.register_counters("gas_overruns", "Help", ["chain", "kind"], read);
        let text = metrics.encode(Vec::new(), Vec::new()).unwrap();
        let line = "causeway_gas_overruns_total{chain=\"8453\",kind=\"fill\"} 3";
        assert!(text.lines().any(|found| found == line), "{text}");
    }

    #[test]
    fn sdk_version_labels_are_bounded() {
        let metrics = Metrics::default();
        assert_eq!(metrics.sdk_label("ts/1.0.0"), "ts/1.0.0");
        assert_eq!(metrics.sdk_label("<odd>"), "other");
        for n in 0..200 {
            metrics.count_sdk(&metrics.sdk_label(&format!("v{n}")));
        }
        assert_eq!(metrics.sdk_label("one-more"), "other");
        assert_eq!(metrics.sdk_label("ts/1.0.0"), "ts/1.0.0");
    }
}
