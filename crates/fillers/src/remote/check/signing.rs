use super::probe::{Draft, Probe};
use super::{CheckConfig, Report};
use crate::remote::ask::write_ask;

const UNAUTHORIZED: [u16; 1] = [401];

/// Longer than a call is good for.
const TOO_LONG: i64 = 400;

/// Whom a filler lets in.
pub(super) async fn check(probe: &Probe, config: &CheckConfig, report: &mut Report) {
    let ask = config.ask();
    let body = serde_json::to_vec(&write_ask(&ask, &ask.ask.deposit_methods)).unwrap_or_default();
    let call = || probe.quote(body.clone());
    report.add(
        "signs each answer for its own call",
        "sign the nonce of the call that you answer, not an earlier one, and do not cache signed answers",
        bound(probe, &call(), &call()).await,
    );
    for (rule, change, draft) in [
        (
            "refuses a call without a signature with 401",
            "answer status 401 unless x-causeway-signature fits",
            Draft { signature: None, ..call() },
        ),
        (
            "refuses a wrong signature with 401",
            "compute the HMAC over the call yourself and compare",
            Draft { signature: Some("00".repeat(32)), ..call() },
        ),
        (
            "refuses a body that was changed after signing with 401",
            "sign over the raw bytes of the body, before they are parsed",
            Draft { body: [body.as_slice(), b" "].concat(), ..call() },
        ),
        (
            "refuses a nonce that was changed after signing with 401",
            "the nonce is part of what is signed",
            Draft { nonce: "another".to_owned(), ..call() },
        ),
        (
            "refuses a call from before its window with 401",
            "refuse calls whose x-causeway-timestamp is more than 300 seconds away",
            probe.quote_at(-TOO_LONG, body.clone()),
        ),
        (
            "refuses a call from the future with 401",
            "refuse calls whose x-causeway-timestamp is more than 300 seconds away, on both sides",
            probe.quote_at(TOO_LONG, body.clone()),
        ),
    ] {
        report.add(rule, change, probe.refuses(&draft, &UNAUTHORIZED).await);
    }
    report.add(
        "refuses the same call a second time with 401",
        "remember the nonces of the last 600 seconds, and refuse one that comes again",
        replay(probe, &call()).await,
    );
}

async fn bound(probe: &Probe, first: &Draft, second: &Draft) -> Result<(), String> {
    for draft in [first, second] {
        let seen = probe.send(draft).await?;
        probe.let_in(draft, &seen)?;
    }
    Ok(())
}

async fn replay(probe: &Probe, call: &Draft) -> Result<(), String> {
    probe.answer(call).await?;
    probe.refuses(call, &UNAUTHORIZED).await
}
