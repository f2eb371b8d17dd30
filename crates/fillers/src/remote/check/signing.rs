use super::probe::{Probe, ProbeRequest};
use super::{CheckConfig, Report};
use crate::remote::ask::build_quote_ask;

const UNAUTHORIZED: [u16; 1] = [401];

/// Farther than a timestamp may be off.
const OUTSIDE_WINDOW_SECONDS: i64 = 400;

/// How a filler authenticates requests.
pub(super) async fn check(probe: &Probe, config: &CheckConfig, report: &mut Report) {
    let ask = config.ask();
    let body = serde_json::to_vec(&build_quote_ask(&ask, &ask.ask.deposit_methods)).unwrap_or_default();
    let call = || probe.quote(body.clone());
    report.add(
        "signs each response for its own call",
        "sign the nonce of the call that you answer, not an earlier one, and do not cache signed responses",
        signs_each_call(probe, &call(), &call()).await,
    );
    for (rule, change, request) in [
        (
            "refuses a call without a signature with 401",
            "answer status 401 unless x-causeway-signature is valid",
            ProbeRequest { signature: None, ..call() },
        ),
        (
            "refuses a wrong signature with 401",
            "compute the HMAC over the call yourself and compare",
            ProbeRequest { signature: Some("00".repeat(32)), ..call() },
        ),
        (
            "refuses a body that was changed after signing with 401",
            "sign over the raw bytes of the body, before they are parsed",
            ProbeRequest { body: [body.as_slice(), b" "].concat(), ..call() },
        ),
        (
            "refuses a nonce that was changed after signing with 401",
            "the nonce is part of what is signed",
            ProbeRequest { nonce: "another".to_owned(), ..call() },
        ),
        (
            "refuses a call from before its window with 401",
            "refuse calls whose x-causeway-timestamp is more than 300 seconds away",
            probe.quote_at(-OUTSIDE_WINDOW_SECONDS, body.clone()),
        ),
        (
            "refuses a call from the future with 401",
            "refuse calls whose x-causeway-timestamp is more than 300 seconds away, on both sides",
            probe.quote_at(OUTSIDE_WINDOW_SECONDS, body.clone()),
        ),
    ] {
        report.add(rule, change, probe.expect_status(&request, &UNAUTHORIZED).await);
    }
    report.add(
        "refuses the same call a second time with 401",
        "remember the nonces of the last 600 seconds, and refuse one that comes again",
        replay(probe, &call()).await,
    );
}

async fn signs_each_call(probe: &Probe, first: &ProbeRequest, second: &ProbeRequest) -> Result<(), String> {
    for request in [first, second] {
        let response = probe.send(request).await?;
        probe.verify_response(request, &response)?;
    }
    Ok(())
}

async fn replay(probe: &Probe, call: &ProbeRequest) -> Result<(), String> {
    probe.answer(call).await?;
    probe.expect_status(call, &UNAUTHORIZED).await
}
