use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{Answer, FillerAsk, Refusal};
use causeway_domain::{ChainId, DepositMethod, Family, RawAmount, TokenId, TradeType};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::probe::Probe;
use super::{CheckConfig, Report};
use crate::remote::ask::write_ask;
use crate::remote::read_answer::read_answer;

/// A chain that nobody has.
const NOWHERE: u64 = 999_999_999;

/// Larger than any ask.
const HUGE: usize = 1024 * 1024;

const METHODS: [DepositMethod; 1] = [DepositMethod::ContractCall];

/// What a filler answers to asks.
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
        "answers EXACT_OUTPUT in form",
        "fix amountOut to the asked amount and find the input, or refuse with {\"refusal\": {\"code\": \"Other\", ...}}",
        answer(probe, &output).await.map(drop),
    );
    report.add(
        "passes over fields that it does not know",
        "read the fields you need and leave the others: newer services send more of them",
        newer_field(probe, &ask).await,
    );
    report.add(
        "refuses a pair that it does not serve with PairNotServed",
        "answer status 200 and {\"refusal\": {\"code\": \"PairNotServed\"}}",
        nowhere(probe, &ask).await,
    );
    report.add(
        "answers the smallest amount with an offer or TooSmall and its minimum",
        "answer {\"refusal\": {\"code\": \"TooSmall\", \"minimum\": \"...\"}} with digits in a string",
        extreme(probe, &ask, U256::ONE).await,
    );
    report.add(
        "answers a huge amount with an offer, TooLarge and its maximum, or NoInventory",
        "answer {\"refusal\": {\"code\": \"TooLarge\", \"maximum\": \"...\"}}, and reckon with integers of 256 bits",
        extreme(probe, &ask, U256::MAX >> 8).await,
    );
    report.add(
        "answers within the deadline that it is told",
        "read x-causeway-deadline-ms, and answer what you have, or a refusal, before it is over",
        in_time(probe, &ask).await,
    );
    report.add(
        "refuses what is no JSON with 400",
        "answer status 400 to a signed body that cannot be read",
        probe.refuses(&probe.quote(b"{\"from\":".to_vec()), &[400, 422]).await,
    );
    report.add(
        "refuses an amount that is a number with 400",
        "take amounts as strings of digits only: numbers lose digits on the way",
        number(probe, &ask).await,
    );
    report.add(
        "refuses a body of a megabyte",
        "read at most 64 KiB and answer status 413, or close the connection",
        huge(probe).await,
    );
}

async fn answer(probe: &Probe, ask: &FillerAsk) -> Result<Answer, String> {
    let body = probe.answer(&probe.quote(written(ask)?)).await?;
    read_answer(ask, &METHODS, &body, Timestamp::now())
}

fn written(ask: &FillerAsk) -> Result<Vec<u8>, String> {
    serde_json::to_vec(&write_ask(ask, &METHODS)).map_err(|error| error.to_string())
}

fn value(ask: &FillerAsk) -> Result<Value, String> {
    serde_json::to_value(write_ask(ask, &METHODS)).map_err(|error| error.to_string())
}

async fn newer_field(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut newer = value(ask)?;
    if let Some(fields) = newer.as_object_mut() {
        fields.insert("somethingNewer".to_owned(), json!({ "deep": [1, "two", null] }));
    }
    let body = probe.answer(&probe.quote(newer.to_string().into_bytes())).await?;
    read_answer(ask, &METHODS, &body, Timestamp::now()).map(drop)
}

async fn nowhere(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let chain = ChainId::new(NOWHERE).filter(|chain| chain.family() == Family::Evm);
    let Some(chain) = chain else { return Ok(()) };
    let mut elsewhere = ask.clone();
    Arc::make_mut(&mut elsewhere.to).id = TokenId::native(chain);
    elsewhere.ask.to = elsewhere.to.id;
    match answer(probe, &elsewhere).await? {
        Answer::Refused(Refusal::PairNotServed) => Ok(()),
        Answer::Refused(refusal) => Err(format!("another refusal: {refusal}")),
        Answer::Offers(_) => Err(format!("an offer for chain {NOWHERE}, which does not exist")),
    }
}

async fn extreme(probe: &Probe, ask: &FillerAsk, amount: U256) -> Result<(), String> {
    let mut extreme = ask.clone();
    extreme.ask.amount = RawAmount::new(amount);
    let amount = extreme.ask.amount;
    match answer(probe, &extreme).await? {
        Answer::Refused(Refusal::TooSmall { minimum }) if minimum <= amount => {
            Err(format!("{amount} is too small, and the minimum is {minimum}"))
        }
        Answer::Refused(Refusal::TooLarge { maximum }) if maximum >= amount => {
            Err(format!("{amount} is too large, and the maximum is {maximum}"))
        }
        _ => Ok(()),
    }
}

async fn in_time(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut hasty = probe.quote(written(ask)?);
    hasty.deadline = Duration::from_secs(1);
    let seen = probe.send(&hasty).await?;
    if seen.took <= hasty.deadline {
        return Ok(());
    }
    Err(format!("an answer after {} ms of {}", seen.took.as_millis(), hasty.deadline.as_millis()))
}

async fn number(probe: &Probe, ask: &FillerAsk) -> Result<(), String> {
    let mut wrong = value(ask)?;
    if let Some(amount) = wrong.get_mut("amount") {
        *amount = json!(1_000_000);
    }
    probe.refuses(&probe.quote(wrong.to_string().into_bytes()), &[400, 422]).await
}

async fn huge(probe: &Probe) -> Result<(), String> {
    match probe.send(&probe.quote(vec![b' '; HUGE])).await {
        // It has hung up, as it may.
        Err(_) => Ok(()),
        Ok(seen) if (400..500).contains(&seen.status) => Ok(()),
        Ok(seen) => Err(format!("status {}: {}", seen.status, seen.text())),
    }
}
