use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::TARGET;
use super::context::{SpanId, Trace, TraceId};
use super::export::SpanSender;
use super::otlp::{EndedSpan, SpanEvent, SpanKind, Value};

/// How many events one span keeps.
const MAX_EVENTS: usize = 32;

/// Gives spans of [`TARGET`] their ids, and hands them over when they end.
///
/// Some of their fields are instructions:
///
/// - `trace_id` names the trace, `parent_id` the parent in another process.
/// - `root` makes the span the one that others of its trace have as parent where they know no other.
/// - `quiet` drops the span if nothing happens in it: no span within it is sent, and nothing is logged.
/// - `otel.name` and `otel.kind` are name and kind; `error` is the reason of a failure.
pub(crate) struct TraceLayer {
    spans: SpanSender,
}

impl TraceLayer {
    pub(super) const fn new(spans: SpanSender) -> Self {
        Self { spans }
    }
}

/// What is known of a span that has not ended.
pub(super) struct TracedSpan {
    pub(super) trace: Arc<Trace>,
    pub(super) id: SpanId,
    parent: Option<SpanId>,
    /// The span of another trace that it began in.
    link: Option<(Arc<Trace>, SpanId)>,
    began: (SystemTime, Instant),
    fields: Fields,
    events: Vec<SpanEvent>,
    is_quiet: bool,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if attributes.metadata().target() != TARGET {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let within = enclosing(&span);
        let traced = TracedSpan::new(fields, within);
        span.extensions_mut().insert(traced);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        if let Some(traced) = extensions.get_mut::<TracedSpan>() {
            values.record(&mut traced.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(scope) = context.event_scope(event) else { return };
        for span in scope {
            let mut extensions = span.extensions_mut();
            if let Some(traced) = extensions.get_mut::<TracedSpan>() {
                traced.is_quiet = false;
                if traced.events.len() < MAX_EVENTS {
                    let mut fields = Fields::default();
                    event.record(&mut fields);
                    let name = fields.message.take().unwrap_or_else(|| event.metadata().name().to_owned());
                    traced.events.push(SpanEvent {
                        at: SystemTime::now(),
                        name,
                        attributes: fields.attributes,
                    });
                }
                return;
            }
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(traced) = span.extensions_mut().remove::<TracedSpan>() else { return };
        if traced.is_quiet {
            return;
        }
        if let Some(parent) = span.parent() {
            let mut extensions = parent.extensions_mut();
            if let Some(outer) = extensions.get_mut::<TracedSpan>() {
                outer.is_quiet = false;
            }
        }
        self.spans.send(traced.end(span.name()));
    }
}

impl TracedSpan {
    fn new(mut fields: Fields, within: Option<(Arc<Trace>, SpanId)>) -> Self {
        let named = fields.trace.take();
        let (trace, parent, link) = match (named, within) {
            (None, None) => (Arc::default(), None, None),
            (None, Some((trace, id))) => (trace, Some(id), None),
            (Some(named), None) => (Arc::new(Trace::of(named)), fields.parent, None),
            (Some(named), Some((trace, id))) if trace.adopt(named, fields.is_root) => (trace, Some(id), None),
            (Some(named), Some(outer)) => (Arc::new(Trace::of(named)), fields.parent, Some(outer)),
        };
        let is_root = fields.is_root;
        let root = named.map(TraceId::root);
        Self {
            id: root.filter(|_| is_root).unwrap_or_else(SpanId::random),
            parent: parent.or_else(|| root.filter(|_| !is_root)),
            is_quiet: fields.is_quiet,
            trace,
            link,
            began: (SystemTime::now(), Instant::now()),
            fields,
            events: Vec::new(),
        }
    }

    fn end(self, name: &'static str) -> EndedSpan {
        let Self { trace, id, parent, link, began: (began, instant), fields, events, .. } = self;
        let Fields { name: other_name, kind, error, attributes, .. } = fields;
        EndedSpan {
            trace: trace.id(),
            id,
            // A request whose trace was found while it was worked on.
            parent: parent.or_else(|| trace.parent()),
            name: other_name.unwrap_or_else(|| name.to_owned()),
            kind,
            began,
            ended: began.checked_add(instant.elapsed()).unwrap_or(began),
            attributes,
            events,
            link: link.map(|(trace, span)| (trace.id(), span)),
            error,
        }
    }
}

/// The closest traced span around this one.
fn enclosing<'a, S: LookupSpan<'a>>(span: &SpanRef<'a, S>) -> Option<(Arc<Trace>, SpanId)> {
    span.scope().skip(1).find_map(|outer| {
        let extensions = outer.extensions();
        let traced = extensions.get::<TracedSpan>()?;
        Some((Arc::clone(&traced.trace), traced.id))
    })
}

/// The fields of a span or an event: instructions, and attributes.
#[derive(Default)]
struct Fields {
    trace: Option<TraceId>,
    parent: Option<SpanId>,
    is_root: bool,
    is_quiet: bool,
    name: Option<String>,
    kind: SpanKind,
    error: Option<String>,
    message: Option<String>,
    attributes: Vec<(&'static str, Value)>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("root", Value::Bool(is_root)) => self.is_root = is_root,
            ("quiet", Value::Bool(is_quiet)) => self.is_quiet = is_quiet,
            ("trace_id", Value::Text(text)) => self.trace = TraceId::parse(&text),
            ("parent_id", Value::Text(text)) => self.parent = SpanId::parse(&text),
            ("otel.name", Value::Text(text)) => self.name = Some(text),
            ("otel.kind", Value::Text(text)) => self.kind = SpanKind::of(&text),
            ("error", Value::Text(text)) => self.error = Some(text),
            ("message", Value::Text(text)) => self.message = Some(text),
            (name, value) => self.attributes.push((name, value)),
        }
    }
}

impl Visit for Fields {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::Bool(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::Integer(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        let value = i64::try_from(value).map_or_else(|_| Value::Text(value.to_string()), Value::Integer);
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, Value::Text(value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, Value::Text(format!("{value:?}")));
    }
}
