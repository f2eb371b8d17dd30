use causeway_domain::ports::{Answer, FillerAsk, MAX_FILLER_QUOTE, Offer, Refusal};
use causeway_domain::{DepositMethod, ExactOutMethod, Fee, FeeKind, Parties, RawAmount, TradeType};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize as _;

use super::address::read;
use super::ask::{MIN_VALIDITY, SolverRequest, gross, net};
use super::wire::{Account, GetQuoteResponse, Preview, Quote, REFUND_AUTOMATIC, USER_OPEN};

/// Maximum number of quotes in a response.
const MAX_QUOTES: usize = 16;

/// Used when a quote states no validity or no duration.
const DEFAULT_VALIDITY: SignedDuration = SignedDuration::from_secs(30);
const DEFAULT_DURATION_SECONDS: u32 = 60;

/// Longer validities are cut to this.
const MAX_VALIDITY: SignedDuration = SignedDuration::from_hours(1);

/// Messages of a solver are cut to this length.
const MAX_MESSAGE_CHARS: usize = 200;

/// Reads a solver's response against the request.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuoteReader<'a> {
    pub(super) ask: &'a FillerAsk,
    pub(super) request: &'a SolverRequest,
    pub(super) methods: &'a [DepositMethod],
    pub(super) account: Option<Parties>,
    pub(super) now: Timestamp,
}

/// Why a quote is not an offer.
enum QuoteRejection {
    /// It is valid, but for another kind of deposit than ours.
    Unsupported(String),
    /// It contradicts the ask or itself.
    Invalid(String),
}

impl QuoteReader<'_> {
    /// Parses the response. One invalid quote invalidates the whole response; quotes for
    /// contracts other than ours are skipped.
    pub(super) fn read(&self, body: &[u8]) -> Result<Answer, String> {
        let response: GetQuoteResponse =
            serde_json::from_slice(body).map_err(|error| format!("its response is malformed: {error}"))?;
        if response.quotes.len() > MAX_QUOTES {
            let count = response.quotes.len();
            return Err(format!("its response has {count} quotes; at most {MAX_QUOTES} are read"));
        }
        let (mut offers, mut unsupported) = (Vec::new(), None);
        for (index, quote) in response.quotes.iter().enumerate() {
            match self.offer(quote) {
                Ok(offer) => offers.push(offer),
                Err(QuoteRejection::Unsupported(reason)) => unsupported = Some(reason),
                Err(QuoteRejection::Invalid(reason)) => return Err(format!("quotes[{index}]: {reason}")),
            }
        }
        Ok(match (offers.is_empty(), unsupported) {
            (false, _) => Answer::Offers(offers),
            (true, Some(reason)) => Answer::Refused(Refusal::Other(reason)),
            (true, None) => Answer::Refused(Refusal::Other("the solver has no quote".to_owned())),
        })
    }

    fn offer(&self, quote: &Quote) -> Result<Offer, QuoteRejection> {
        self.check_supported(quote).map_err(QuoteRejection::Unsupported)?;
        let parties = self.parties(quote).map_err(QuoteRejection::Unsupported)?;
        self.build_offer(quote, parties).map_err(QuoteRejection::Invalid)
    }

    /// The configured accounts, else those in the quote's metadata.
    fn parties(&self, quote: &Quote) -> Result<Parties, String> {
        if let Some(account) = self.account {
            return Ok(account);
        }
        let reported = quote.metadata.as_ref().and_then(|metadata| Account::deserialize(metadata).ok());
        let reported = reported
            .ok_or("the solver sends no `filler` and `payee` in its metadata, and none are configured")?;
        let here = |text: &str| {
            let (chain, address) = read(text)?;
            (chain == self.request.escrow.0 && !address.is_native()).then_some(address)
        };
        match (here(&reported.filler), here(&reported.payee)) {
            (Some(filler), Some(payee)) => Ok(Parties { filler, payee }),
            _ => {
                Err("the solver's `filler` and `payee` are not accounts on the chain of the deposit"
                    .to_owned())
            }
        }
    }

    /// Checks that the quote is for a deposit in our escrow.
    fn check_supported(&self, quote: &Quote) -> Result<(), String> {
        let kind = &quote.order.kind;
        if kind != USER_OPEN {
            return Err(format!("the solver requires an order of the kind {}", sanitize(kind)));
        }
        let to = quote.order.open_intent_tx.as_ref().and_then(|open| read(&open.to));
        if to != Some(self.request.escrow) {
            return Err("the solver quotes for deposits in contracts other than ours".to_owned());
        }
        if quote.failure_handling != REFUND_AUTOMATIC {
            return Err(format!("the solver handles failure by {}", sanitize(&quote.failure_handling)));
        }
        if quote.partial_fill { Err("the solver fills in parts".to_owned()) } else { Ok(()) }
    }

    fn build_offer(&self, quote: &Quote, parties: Parties) -> Result<Offer, String> {
        let ask = &self.ask.ask;
        let (paid, amount_out) = self.amounts(&quote.preview)?;
        let amount_in = match ask.trade_type {
            TradeType::ExactInput => ask.amount,
            TradeType::ExactOutput => {
                gross(ask.referral, paid).ok_or("the input's amount does not fit into 256 bits")?
            }
        };
        let valid_before = self.validity(quote.valid_until)?;
        let fee = ask.referral.map_or(RawAmount::ZERO, |referral| referral.fee(amount_in));
        let fee = Fee { kind: FeeKind::Referrer, token: ask.from, amount: fee };
        Ok(Offer {
            exact_out: (ask.trade_type == TradeType::ExactOutput).then_some(ExactOutMethod::Native),
            deposit_methods: self.methods.to_vec(),
            amount_in,
            amount_out,
            min_amount_out: amount_out,
            expected_duration_seconds: quote.eta.unwrap_or(DEFAULT_DURATION_SECONDS),
            valid_before,
            price_holds_until: Some(valid_before),
            estimated_gas: None,
            fees: if fee.amount.is_zero() { Vec::new() } else { vec![fee] },
            parties: Some(parties),
            // Optional: a longer one is not passed on.
            filler_quote: quote.name.clone().filter(|id| id.len() <= MAX_FILLER_QUOTE),
            gas_charge: None,
            provider: None,
        })
    }

    /// What the solver is paid and what it delivers. One of them equals the requested amount, and neither is zero.
    fn amounts(&self, preview: &Preview) -> Result<(RawAmount, RawAmount), String> {
        let ([input], [output]) = (preview.inputs.as_slice(), preview.outputs.as_slice()) else {
            return Err("preview must have one input and one output".to_owned());
        };
        let intent = &self.request.body.intent;
        let ([asked_in], [asked_out]) = (&intent.inputs, &intent.outputs);
        check_same("preview.inputs[0].asset", &input.asset, &asked_in.asset)?;
        check_same("preview.outputs[0].asset", &output.asset, &asked_out.asset)?;
        check_same("preview.outputs[0].receiver", &output.receiver, &asked_out.receiver)?;
        let paid = parse_positive("preview.inputs[0].amount", input.amount.as_deref())?;
        let delivered = parse_positive("preview.outputs[0].amount", output.amount.as_deref())?;
        let ask = &self.ask.ask;
        let (name, fixed, expected) = match ask.trade_type {
            TradeType::ExactInput => ("inputs", paid, net(ask.referral, ask.amount)),
            TradeType::ExactOutput => ("outputs", delivered, ask.amount),
        };
        if fixed != expected {
            return Err(format!("preview.{name}[0].amount is {fixed}, but {expected} was asked for"));
        }
        Ok((paid, delivered))
    }

    fn validity(&self, until: Option<i64>) -> Result<Timestamp, String> {
        let after = |time| self.now.checked_add(time).map_err(|error| error.to_string());
        let Some(until) = until else { return after(DEFAULT_VALIDITY) };
        let until = Timestamp::from_second(until).map_err(|_| "validUntil is not a valid time".to_owned())?;
        match until.duration_since(self.now) {
            left if left <= SignedDuration::ZERO => Err(format!("validUntil {until} has passed")),
            left if left < MIN_VALIDITY => Err("validUntil is earlier than minValidUntil".to_owned()),
            left if left > MAX_VALIDITY => after(MAX_VALIDITY),
            _ => Ok(until),
        }
    }
}

fn check_same(name: &str, reported: &str, expected: &str) -> Result<(), String> {
    if reported.eq_ignore_ascii_case(expected) {
        Ok(())
    } else {
        Err(format!("{name} differs from the request, {expected}"))
    }
}

fn parse_positive(name: &str, text: Option<&str>) -> Result<RawAmount, String> {
    let text = text.ok_or_else(|| format!("{name} is missing"))?;
    let amount: RawAmount = text.parse().map_err(|error| format!("{name}: {error}"))?;
    if amount.is_zero() { Err(format!("{name} is zero")) } else { Ok(amount) }
}

/// A solver's message, shortened and printable.
pub(super) fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect()
}
