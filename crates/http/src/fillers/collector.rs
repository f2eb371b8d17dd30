use std::fmt;

use causeway_engine::{BreakerState, FillerReport, Fillers};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// Reports the fillers at collection time. Only operators add fillers, so the number of labels is bounded.
#[derive(Debug)]
pub(crate) struct FillerCollector(pub(crate) Fillers);

impl Collector for FillerCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let reports = self.0.reports();
        encode_answers(&mut encoder, &reports)?;
        let won = encoder.encode_descriptor(
            "filler_wins",
            "Quotes in which the filler's offer was the best",
            None,
            MetricType::Counter,
        );
        let mut won = won?;
        for report in &reports {
            won.encode_family(&labels(report))?.encode_counter::<NoLabelSet, _, u64>(&report.won, None)?;
        }
        encode_latency(&mut encoder, &reports)?;
        let breaker = encoder.encode_descriptor(
            "filler_breaker",
            "State of the filler's circuit breaker: 0 closed, 1 half-open, 2 open",
            None,
            MetricType::Gauge,
        );
        let mut breaker = breaker?;
        for report in &reports {
            breaker.encode_family(&labels(report))?.encode_gauge(&breaker_value(report.breaker))?;
        }
        let help = "Consecutive orders that were refunded because the filler did not deliver";
        let mut left =
            encoder.encode_descriptor("filler_unfilled_in_a_row", help, None, MetricType::Gauge)?;
        for report in &reports {
            let reputation = report.reputation.as_ref();
            let row = reputation.map_or(0, |reputation| i64::from(reputation.consecutive_unfilled));
            left.encode_family(&labels(report))?.encode_gauge(&row)?;
        }
        Ok(())
    }
}

fn labels(report: &FillerReport) -> [(&'static str, &str); 1] {
    [("filler", &report.name)]
}

const fn breaker_value(state: BreakerState) -> i64 {
    match state {
        BreakerState::Closed => 0,
        BreakerState::HalfOpen => 1,
        BreakerState::Open => 2,
    }
}

fn encode_answers(encoder: &mut DescriptorEncoder<'_>, reports: &[FillerReport]) -> fmt::Result {
    let help = "Quote requests to a filler by outcome";
    let mut metric = encoder.encode_descriptor("filler_asks", help, None, MetricType::Counter)?;
    for report in reports {
        for (answer, count) in [
            ("offer", report.offered),
            ("refusal", report.refused),
            ("fault", report.faulted),
            ("timeout", report.timed_out),
            ("skipped", report.skipped),
        ] {
            let labels = [("filler", report.name.as_str()), ("answer", answer)];
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&count, None)?;
        }
    }
    Ok(())
}

fn encode_latency(encoder: &mut DescriptorEncoder<'_>, reports: &[FillerReport]) -> fmt::Result {
    let help = "Response time of a filler";
    let mut metric =
        encoder.encode_descriptor("filler_answer", help, Some(&Unit::Seconds), MetricType::Histogram)?;
    for report in reports {
        let bound =
            |bound: &Option<std::time::Duration>| bound.map_or(f64::INFINITY, |bound| bound.as_secs_f64());
        let buckets: Vec<(f64, u64)> =
            report.latency.buckets.iter().map(|(upper, count)| (bound(upper), *count)).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        metric.encode_family(&labels(report))?.encode_histogram::<NoLabelSet>(
            report.latency.sum.as_secs_f64(),
            count,
            &buckets,
            None,
        )?;
    }
    Ok(())
}
