use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::hex;
use tracing::Span;
use tracing_subscriber::Registry;
use tracing_subscriber::registry::LookupSpan as _;

use super::layer::TracedSpan;

/// The id of a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceId([u8; 16]);

impl TraceId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 16] = hex::decode_to_array(text).ok()?;
        (bytes != [0; 16]).then_some(Self(bytes))
    }

    fn random() -> Self {
        let halves = [SpanId::random().0, SpanId::random().0];
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(halves.into_iter().flatten()).for_each(|(byte, random)| *byte = random);
        Self(bytes)
    }

    /// The id of the span that a swap's trace begins with, whichever process knows the trace.
    pub(super) fn root(self) -> SpanId {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[..8]);
        if bytes == [0; 8] { SpanId([1; 8]) } else { SpanId(bytes) }
    }

    /// Whether the trace is one of this share, decided alike by every process.
    #[expect(clippy::cast_precision_loss, clippy::float_arithmetic, reason = "a share of 53 bits is exact")]
    pub(super) fn is_sampled(self, ratio: f64) -> bool {
        let mut last = [0; 8];
        last.copy_from_slice(&self.0[8..]);
        // The first 53 bits, which a float holds exactly.
        let place = (u64::from_be_bytes(last) >> 11) as f64;
        place / ((1_u64 << 53) as f64) < ratio
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// The id of a span within its trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SpanId([u8; 8]);

impl SpanId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 8] = hex::decode_to_array(text).ok()?;
        (bytes != [0; 8]).then_some(Self(bytes))
    }

    pub(super) fn random() -> Self {
        // Each state hashes differently.
        let random = RandomState::new().hash_one(());
        Self(random.max(1).to_be_bytes())
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// The trace of a span and of all spans within it.
///
/// A request that says no trace of its own belongs to the trace of the first swap that it works on.
#[derive(Default)]
pub(super) struct Trace {
    id: OnceLock<TraceId>,
    /// Whether a span that is not the root gave it its id.
    is_below_root: AtomicBool,
}

impl Trace {
    pub(super) fn of(id: TraceId) -> Self {
        Self { id: OnceLock::from(id), is_below_root: AtomicBool::new(false) }
    }

    /// Whether the trace has this id, now if it had none; `is_root` says whether its root span asks.
    pub(super) fn adopt(&self, id: TraceId, is_root: bool) -> bool {
        let mut is_new = false;
        let known = *self.id.get_or_init(|| {
            is_new = true;
            id
        });
        if is_new && !is_root {
            self.is_below_root.store(true, Ordering::Relaxed);
        }
        known == id
    }

    /// The id, from now on a random one if there was none.
    pub(super) fn id(&self) -> TraceId {
        *self.id.get_or_init(TraceId::random)
    }

    /// The parent of spans that have none.
    pub(super) fn parent(&self) -> Option<SpanId> {
        self.is_below_root.load(Ordering::Relaxed).then(|| self.id().root())
    }
}

/// What a call to another server carries as `traceparent`, from within a traced span.
pub(crate) fn traceparent() -> Option<String> {
    let current = |(id, dispatch): (&tracing::span::Id, &tracing::Dispatch)| {
        let span = dispatch.downcast_ref::<Registry>()?.span(id)?;
        span.scope().find_map(|span| {
            let extensions = span.extensions();
            let traced = extensions.get::<TracedSpan>()?;
            Some(format!("00-{}-{}-01", traced.trace.id(), traced.id))
        })
    };
    Span::current().with_subscriber(current).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hex_of_their_length_and_not_zero() {
        let text = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(TraceId::parse(text).unwrap().to_string(), text);
        assert_eq!(TraceId::parse(text).unwrap().root().to_string(), &text[..16]);
        assert!(TraceId::parse(&"0".repeat(32)).is_none() && TraceId::parse("0af7").is_none());
        assert!(SpanId::parse("b7ad6b7169203331").is_some() && SpanId::parse(&"0".repeat(16)).is_none());
        assert!(SpanId::random() != SpanId::random());
    }

    #[test]
    fn a_share_of_traces_is_sampled() {
        let sampled = (0..10_000).filter(|_| TraceId::random().is_sampled(0.1)).count();
        assert!((500..2_000).contains(&sampled), "{sampled}");
        assert!(TraceId::random().is_sampled(1.0) && !TraceId::random().is_sampled(0.0));
    }

    #[test]
    fn a_trace_without_an_id_takes_the_first_that_it_is_given() {
        let (one, other) = (TraceId::random(), TraceId::random());
        let trace = Trace::default();
        assert!(trace.adopt(one, false) && !trace.adopt(other, false) && trace.adopt(one, true));
        assert!(trace.id() == one && trace.parent() == Some(one.root()));
        let begun = Trace::of(one);
        assert!(begun.adopt(one, false) && begun.parent().is_none());
        let above = Trace::default();
        assert!(above.adopt(one, true) && above.parent().is_none(), "the root is within it");
    }
}
