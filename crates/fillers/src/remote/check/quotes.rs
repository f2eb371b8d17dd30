use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{Answer, FillerAsk, Refusal};
use causeway_domain::{ChainId, DepositMethod, Family, RawAmount, TokenId, TradeType};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::probe::Probe;
use super::{CheckConfig, Report};
use crate::remote::ask::build_quote_ask;
use crate::remote::read_answer::read_answer;

/// A chain that does not exist.
const UNKNOWN_CHAIN: u64 = 999_999_999;

/// Larger than any ask may be.
const HUGE_BODY_BYTES: usize = 1024 * 1024;

const METHODS: [DepositMethod; 1] = [DepositMethod::ContractCall];

/// How a filler answers asks.
pub(super) async fn check(probe: &Probe, config: &CheckConfig, report: &mut Report) {
    let ask = config.ask();
    let good = answer(probe, &ask).await;
    report.add(
        "answers a good ask with offers, signed",
        "answer POST /quote with status 200 and {\"offers\": [...]}, signed as docs/fillers.md says; if the pair is not \
         yours, name one that is with --from, --to and --amount",
        good.and_then(|answer| match answer {
            Answer::Offers(_) => Ok(()),
            Answer::Refused(refusal) => Err(format!("a refusal: {refusal}")),
        }),
    );
    let output = FillerAsk {
        ask: causeway_domain::Ask { trade_type: TradeType::ExactOutput, ..ask.ask.clone() },
        ..ask.clone()
    };
    report.add(
        "answers EXACT_OUTPUT with a valid response",
        "fix amountOut to the asked amount and find the input, or refuse with {\"refusal\": {\"code\": \"Other\", ...}}",
        answer(probe, &output).await.map(drop),
    );
    report.add(
        "ignores fields that it does not know",
        "read the fields you need and ignore the others: newer services send more of them",
        ignores_unknown_field(probe, &ask).await,
    );
    report.add(
        "refuses a pair that it does not serve with PairNotServed",
        "answer status 200 and {\"refusal\": {\"code\": \"PairNotServed\"}}",
        refuses_unknown_chain(probe, &ask).await,
    );
    report.add(
        "answers the smallest amount with an offer or TooSmall and its minimum",
        "answer {\"refusal\": {\"code\": \"TooSmall\", \"minimum\": \"...\"}} with digits in a string",
        extreme_amount(probe, &ask, U256::ONE).await,
    );
    report.add(
        "answers a huge amount with an offer, TooLarge and its maximum, or NoInventory",
        "answer {\"refusal\": {\"code\": \"TooLarge\", \"maximum\": \"...\"}}, and calculate with 256-bit integers",
        extreme_amount(probe, &ask, U256::MAX >> 8).await,
    );
    report.add(
        "answers within the given deadline",
        "read x-causeway-deadline-ms, and answer with what you have, or a refusal, before it ends",
        meets_deadline(probe, &ask).await,
    );
    report.add(
        "refuses invalid JSON with 400",
        "answer status 400 to a signed body that cannot be parsed",
        probe.expect_status(&probe.quote(b"{\"from\":".to_vec()), &[400, 422]).await,
    );
    report.add(
        "refuses an amount that is a number with 400",
        "take amounts as strings of digits only: JSON numbers lose digits",
        rejects_numeric_amount(probe, &ask).await,
    );
    report.add(
        "refuses a body of a megabyte",
        "read at most 64 KiB and answer status 413, or close the connection",
        rejects_huge_body(probe).await,
    );
}

async fn answer(probe: &Probe, ask: &FillerAsk) -> Result<Answer, String> {
    let body = probe.answer(&probe.quote(encode(ask)?)).await?;
    read_answer(ask, &METHODS, &body, Timestamp::now())
}

fn encode(ask: &FillerAsk) -> Result<Vec<u8>, String> {
    serde_json::to_vec(&build_quote_ask(ask, &METHODS)).map_err(|error| error.to_string())
}

fn to_json(ask: &FillerAsk) -> Result<Value, String> {
    serde_json::to_value(build_quote_ask(ask, &METHODS)).map_err(|error| error.to_string())
}

async fn ignores_unknown_field(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut extended = to_json(ask)?;
    if let Some(fields) = extended.as_object_mut() {
        fields.insert("somethingNewer".to_owned(), json!({ "deep": [1, "two", null] }));
    }
    let body = probe.answer(&probe.quote(extended.to_string().into_bytes())).await?;
    read_answer(ask, &METHODS, &body, Timestamp::now()).map(drop)
}

async fn refuses_unknown_chain(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let chain = ChainId::new(UNKNOWN_CHAIN).filter(|chain| chain.family() == Family::Evm);
    let Some(chain) = chain else { return Ok(()) };
    let mut elsewhere = ask.clone();
    Arc::make_mut(&mut elsewhere.to).id = TokenId::native(chain);
    elsewhere.ask.to = elsewhere.to.id;
    match answer(probe, &elsewhere).await? {
        Answer::Refused(Refusal::PairNotServed) => Ok(()),
        Answer::Refused(refusal) => Err(format!("another refusal: {refusal}")),
        Answer::Offers(_) => Err(format!("an offer for chain {UNKNOWN_CHAIN}, which does not exist")),
    }
}

async fn extreme_amount(probe: &Probe, ask: &FillerAsk, amount: U256) -> Result<(), String> {
    let mut changed = ask.clone();
    changed.ask.amount = RawAmount::new(amount);
    let amount = changed.ask.amount;
    match answer(probe, &changed).await? {
        Answer::Refused(Refusal::TooSmall { minimum }) if minimum <= amount => {
            Err(format!("{amount} is too small, and the minimum is {minimum}"))
        }
        Answer::Refused(Refusal::TooLarge { maximum }) if maximum >= amount => {
            Err(format!("{amount} is too large, and the maximum is {maximum}"))
        }
        _ => Ok(()),
    }
}

async fn meets_deadline(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut request = probe.quote(encode(ask)?);
    request.deadline = Duration::from_secs(1);
    let response = probe.send(&request).await?;
    if response.elapsed <= request.deadline {
        return Ok(());
    }
    Err(format!("a response after {} ms of {}", response.elapsed.as_millis(), request.deadline.as_millis()))
}

async fn rejects_numeric_amount(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut wrong = to_json(ask)?;
    if let Some(amount) = wrong.get_mut("amount") {
        *amount = json!(1_000_000);
    }
    probe.expect_status(&probe.quote(wrong.to_string().into_bytes()), &[400, 422]).await
}

async fn rejects_huge_body(probe: &Probe) -> Result<(), String> {
    match probe.send(&probe.quote(vec![b' '; HUGE_BODY_BYTES])).await {
        // It may close the connection.
        Err(_) => Ok(()),
        Ok(response) if (400..500).contains(&response.status) => Ok(()),
        Ok(response) => Err(format!("status {}: {}", response.status, response.text())),
    }
}
