use alloy_primitives::{B256, U256};
use causeway_domain::ports::Answer;
use causeway_domain::{Address, IntentTerms, Parties};
use jiff::Timestamp;

use super::probe::Probe;
use super::{CheckConfig, Report};
use crate::remote::ask::build_quote_ask;
use crate::remote::protocol::{DepositBody, OrderAnswer, OrderNotice, TermsBody, Verdict};
use crate::remote::read_answer::read_answer;

/// How a filler takes orders. Their deadlines have long passed, so that no mistake can cost money.
pub(super) async fn check(probe: &Probe, config: &CheckConfig, report: &mut Report) {
    let parties = parties(probe, config).await;
    let order = |filler: Address, payee: Address| terms(config, filler, payee);
    let own = parties.map(|parties| order(parties.filler, parties.payee));
    report.add(
        "declines an order whose fill deadline has passed, and answers the same when notified again",
        "check terms.fillDeadline first, answer {\"status\": \"declined\", \"reason\": ...}, and remember \
         orders by intentId",
        match &own {
            Ok(terms) => declines_twice(probe, terms).await,
            Err(reason) => Err(reason.clone()),
        },
    );
    let foreign = order(config.payer, config.payer);
    report.add(
        "declines an order that names another filler",
        "compare terms.filler and terms.payee with the accounts of your offers",
        declines(probe, &notice(&foreign)).await,
    );
    report.add(
        "refuses terms that do not hash to the intent's id",
        "compute the id from the terms, and answer status 400 or decline where it differs",
        rejects_forged(probe, &foreign).await,
    );
    report.add(
        "refuses an order without a signature with 401",
        "check both calls alike",
        rejects_unsigned(probe, &foreign).await,
    );
}

/// The accounts in the filler's offer.
async fn parties(probe: &Probe, config: &CheckConfig) -> Result<Parties, String> {
    let ask = config.ask();
    let methods = ask.ask.deposit_methods.clone();
    let body = serde_json::to_vec(&build_quote_ask(&ask, &methods)).map_err(|error| error.to_string())?;
    let body = probe.answer(&probe.quote(body)).await?;
    let answer = read_answer(&ask, &methods, &body, Timestamp::now())?;
    let Answer::Offers(offers) = answer else { return Err("no offer to take".to_owned()) };
    offers.first().and_then(|offer| offer.parties).ok_or_else(|| "no offer to take".to_owned())
}

fn terms(config: &CheckConfig, filler: Address, payee: Address) -> IntentTerms {
    let mut nonce = B256::ZERO;
    // Without randomness the filler sees the same order again, which is harmless.
    let _ = getrandom::fill(nonce.as_mut_slice());
    IntentTerms {
        origin_chain_id: config.from.id.chain().get(),
        escrow: B256::with_last_byte(1),
        user: config.payer.to_word(),
        nonce,
        input_token: config.from.id.address().to_word(),
        amount_in: config.amount.get(),
        refund_to: config.payer.to_word(),
        filler: filler.to_word(),
        payee: payee.to_word(),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: config.to.id.chain().get(),
        settler: B256::with_last_byte(1),
        output_token: config.to.id.address().to_word(),
        amount_out: U256::ONE,
        recipient: config.recipient.to_word(),
        open_deadline: 1_000_000,
        fill_deadline: 1_000_001,
        refund_at: 1_100_000,
        epoch: 1,
    }
}

fn notice(terms: &IntentTerms) -> OrderNotice {
    OrderNotice {
        order_id: "00000000000000000000000000000000".to_owned(),
        intent_id: terms.id().to_string(),
        terms: TermsBody::from(terms),
        deposit: DepositBody { chain_id: terms.origin_chain_id, tx_hash: B256::ZERO.to_string(), block: 1 },
        valid_before: "1970-01-12T13:46:40Z".to_owned(),
        attestations: "http://127.0.0.1:9/v1/intent/0x00/attestations".to_owned(),
    }
}

fn encode(notice: &OrderNotice) -> Vec<u8> {
    serde_json::to_vec(notice).unwrap_or_default()
}

async fn declines(probe: &Probe, notice: &OrderNotice) -> Result<(), String> {
    let body = probe.answer(&probe.order(encode(notice))).await?;
    let answer: OrderAnswer =
        serde_json::from_slice(&body).map_err(|error| format!("a malformed response: {error}"))?;
    if answer.status == Verdict::Declined { Ok(()) } else { Err("it was accepted".to_owned()) }
}

async fn declines_twice(probe: &Probe, terms: &IntentTerms) -> Result<(), String> {
    let notice = notice(terms);
    declines(probe, &notice).await?;
    declines(probe, &notice).await.map_err(|reason| format!("the second time: {reason}"))
}

async fn rejects_forged(probe: &Probe, terms: &IntentTerms) -> Result<(), String> {
    let notice = OrderNotice { intent_id: B256::repeat_byte(7).to_string(), ..notice(terms) };
    let response = probe.send(&probe.order(encode(&notice))).await?;
    if (400..500).contains(&response.status) {
        return Ok(());
    }
    declines(probe, &notice).await
}

async fn rejects_unsigned(probe: &Probe, terms: &IntentTerms) -> Result<(), String> {
    let mut request = probe.order(encode(&notice(terms)));
    request.signature = None;
    probe.expect_status(&request, &[401]).await
}
