use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use causeway_http_client::{client_with, error_message};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, ClientBuilder};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};

use super::layer::TraceLayer;
use super::otlp::{EndedSpan, body};
use super::settings::TraceSettings;

/// How many ended spans wait to be sent; more are dropped, because no request waits for a collector.
const MAX_WAITING: usize = 8_192;
/// How many spans one request has.
const MAX_BATCH: usize = 512;
/// How long a span waits for others.
const BATCH_PERIOD: Duration = Duration::from_secs(1);
/// How long a collector may take.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the service waits for the last spans when it stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
/// How often the log says that spans are lost.
const WARN_INTERVAL: Duration = Duration::from_mins(1);

/// Takes ended spans; never waits.
#[derive(Clone)]
pub(super) struct SpanSender {
    spans: mpsc::Sender<Message>,
    sample_ratio: f64,
    dropped: Arc<AtomicU64>,
}

enum Message {
    Span(Box<EndedSpan>),
    /// Answered when everything before it was sent.
    Flush(oneshot::Sender<()>),
}

impl SpanSender {
    pub(super) fn send(&self, span: EndedSpan) {
        if span.trace.is_sampled(self.sample_ratio)
            && self.spans.try_send(Message::Span(Box::new(span))).is_err()
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Sends ended spans to a collector.
pub(crate) struct Traces {
    spans: mpsc::Sender<Message>,
}

impl Traces {
    /// The layer that collects spans; they are sent by a task of the current runtime.
    pub(crate) fn start(settings: TraceSettings) -> anyhow::Result<(TraceLayer, Self)> {
        let client = client_with(SEND_TIMEOUT, ClientBuilder::no_proxy).context("traces")?;
        let (spans, waiting) = mpsc::channel(MAX_WAITING);
        let dropped = Arc::<AtomicU64>::default();
        let sender = SpanSender {
            spans: spans.clone(),
            sample_ratio: settings.sample_ratio,
            dropped: Arc::clone(&dropped),
        };
        tokio::spawn(Exporter { client, settings, dropped, warned: None }.run(waiting));
        Ok((TraceLayer::new(sender), Self { spans }))
    }

    /// Sends what has ended, or gives up after a moment.
    pub(crate) async fn flush(&self) {
        let (done, sent) = oneshot::channel();
        let flush = async {
            if self.spans.send(Message::Flush(done)).await.is_ok() {
                // Answered, or the exporter is gone.
                let _ = sent.await;
            }
        };
        if timeout(FLUSH_TIMEOUT, flush).await.is_err() {
            tracing::warn!("the collector of traces did not take the last spans in time");
        }
    }
}

struct Exporter {
    client: Client,
    settings: TraceSettings,
    dropped: Arc<AtomicU64>,
    warned: Option<Instant>,
}

impl Exporter {
    async fn run(mut self, mut waiting: mpsc::Receiver<Message>) {
        let mut batch = Vec::new();
        while let Some(first) = waiting.recv().await {
            let until = Instant::now() + BATCH_PERIOD;
            let mut next = Some(first);
            let mut flushed = None;
            while let Some(message) = next {
                match message {
                    Message::Span(span) => batch.push(*span),
                    Message::Flush(done) => flushed = Some(done),
                }
                let is_full = batch.len() >= MAX_BATCH || flushed.is_some();
                next = if is_full { None } else { timeout_at(until, waiting.recv()).await.ok().flatten() };
            }
            self.send(&std::mem::take(&mut batch)).await;
            // Nobody waits for the answer any more.
            let _ = flushed.map(|done| done.send(()));
        }
    }

    async fn send(&mut self, spans: &[EndedSpan]) {
        if spans.is_empty() {
            return;
        }
        let body = body(&self.settings.service_name, spans).to_string();
        let mut request =
            self.client.post(self.settings.url.clone()).header(CONTENT_TYPE, "application/json");
        for (name, value) in &self.settings.headers {
            request = request.header(name, value);
        }
        let failure = match request.body(body).send().await {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("it answered {}", response.status())),
            Err(error) => Some(error_message(error)),
        };
        let lost = failure.as_ref().map_or(0, |_| spans.len() as u64);
        let lost = self.dropped.fetch_add(lost, Ordering::Relaxed).saturating_add(lost);
        if lost > 0 && self.warned.is_none_or(|at| at.elapsed() >= WARN_INTERVAL) {
            self.warned = Some(Instant::now());
            self.dropped.store(0, Ordering::Relaxed);
            let reason = failure.unwrap_or_else(|| "it is slower than the spans come".to_owned());
            tracing::warn!(lost, reason, "the collector of traces does not take all spans");
        }
    }
}
