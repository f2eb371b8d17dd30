use causeway_domain::ports::{Answer, FillerAsk, Offer, Refusal};
use causeway_domain::{DepositMethod, ExactOutMethod, Fee, FeeKind, Parties, RawAmount, TradeType};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize as _;

use super::address::read;
use super::ask::{Asked, SHORTEST_VALIDITY, gross, net};
use super::wire::{Account, GetQuoteResponse, Preview, Quote, REFUND_AUTOMATIC, USER_OPEN};

/// More quotes than these are no answer to one ask.
const MOST_QUOTES: usize = 16;

/// Where a quote does not say how long its price holds or how long delivery takes.
const USUAL_VALIDITY: SignedDuration = SignedDuration::from_secs(30);
const USUAL_SECONDS: u32 = 60;

/// Nobody holds a price for longer.
const LONGEST_VALIDITY: SignedDuration = SignedDuration::from_hours(1);

/// Words of a solver are cut here.
const MOST_WORDS: usize = 200;

/// A solver's answer: what it comes to, and the names of its quotes in the order of the offers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) answer: Answer,
    pub(super) names: Vec<Option<String>>,
}

/// What is held against the solver's answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'a> {
    pub(super) ask: &'a FillerAsk,
    pub(super) asked: &'a Asked,
    pub(super) methods: &'a [DepositMethod],
    pub(super) account: Option<Parties>,
    pub(super) now: Timestamp,
}

/// Why a quote is no offer.
enum NoOffer {
    /// It is one, but for another kind of deposit than ours.
    NotForUs(String),
    /// It contradicts the ask or itself.
    Nonsense(String),
}

impl Reading<'_> {
    /// Reads the answer, or says what is wrong with it. One quote that is nonsense discredits the whole answer; quotes for
    /// other contracts than ours are left out.
    pub(super) fn read(&self, body: &[u8]) -> Result<Read, String> {
        let response: GetQuoteResponse =
            serde_json::from_slice(body).map_err(|error| format!("its answer is not in form: {error}"))?;
        if response.quotes.len() > MOST_QUOTES {
            let count = response.quotes.len();
            return Err(format!("its answer has {count} quotes; at most {MOST_QUOTES} are read"));
        }
        let (mut offers, mut names, mut left_out) = (Vec::new(), Vec::new(), None);
        for (place, quote) in response.quotes.iter().enumerate() {
            match self.offer(quote) {
                Ok(offer) => {
                    offers.push(offer);
                    names.push(quote.name.clone());
                }
                Err(NoOffer::NotForUs(words)) => left_out = Some(words),
                Err(NoOffer::Nonsense(words)) => return Err(format!("quotes[{place}]: {words}")),
            }
        }
        let answer = match (offers.is_empty(), left_out) {
            (false, _) => Answer::Offers(offers),
            (true, Some(words)) => Answer::Refused(Refusal::Other(words)),
            (true, None) => Answer::Refused(Refusal::Other("the solver has no quote".to_owned())),
        };
        Ok(Read { answer, names })
    }

    fn offer(&self, quote: &Quote) -> Result<Offer, NoOffer> {
        self.fits(quote).map_err(NoOffer::NotForUs)?;
        let parties = self.parties(quote).map_err(NoOffer::NotForUs)?;
        self.terms(quote, parties).map_err(NoOffer::Nonsense)
    }

    /// The accounts that were agreed on, else those that the quote tells.
    fn parties(&self, quote: &Quote) -> Result<Parties, String> {
        if let Some(account) = self.account {
            return Ok(account);
        }
        let told = quote.metadata.as_ref().and_then(|metadata| Account::deserialize(metadata).ok());
        let told = told
            .ok_or("the solver tells neither `filler` nor `payee` in its metadata, and none is configured")?;
        let here = |text: &str| {
            let (chain, address) = read(text)?;
            (chain == self.asked.escrow.0 && !address.is_native()).then_some(address)
        };
        match (here(&told.filler), here(&told.payee)) {
            (Some(filler), Some(payee)) => Ok(Parties { filler, payee }),
            _ => {
                Err("the solver's `filler` and `payee` are no accounts on the chain of the deposit"
                    .to_owned())
            }
        }
    }

    /// Whether the quote is for a deposit in our escrow.
    fn fits(&self, quote: &Quote) -> Result<(), String> {
        let kind = &quote.order.kind;
        if kind != USER_OPEN {
            return Err(format!("the solver wants an order of the kind {}", tidy(kind)));
        }
        let to = quote.order.open_intent_tx.as_ref().and_then(|open| read(&open.to));
        if to != Some(self.asked.escrow) {
            return Err("the solver quotes for deposits in contracts other than ours".to_owned());
        }
        if quote.failure_handling != REFUND_AUTOMATIC {
            return Err(format!("the solver handles failure by {}", tidy(&quote.failure_handling)));
        }
        if quote.partial_fill { Err("the solver fills in parts".to_owned()) } else { Ok(()) }
    }

    fn terms(&self, quote: &Quote, parties: Parties) -> Result<Offer, String> {
        let wanted = &self.ask.ask;
        let (paid, amount_out) = self.amounts(&quote.preview)?;
        let amount_in = match wanted.trade_type {
            TradeType::ExactInput => wanted.amount,
            TradeType::ExactOutput => {
                gross(wanted.referral, paid).ok_or("the input's amount does not fit into 256 bits")?
            }
        };
        let valid_before = self.validity(quote.valid_until)?;
        let fee = wanted.referral.map_or(RawAmount::ZERO, |referral| referral.fee(amount_in));
        let fee = Fee { kind: FeeKind::Referrer, token: wanted.from, amount: fee };
        Ok(Offer {
            exact_out: (wanted.trade_type == TradeType::ExactOutput).then_some(ExactOutMethod::Native),
            deposit_methods: self.methods.to_vec(),
            amount_in,
            amount_out,
            min_amount_out: amount_out,
            expected_duration_seconds: quote.eta.unwrap_or(USUAL_SECONDS),
            valid_before,
            price_holds_until: Some(valid_before),
            estimated_gas: None,
            fees: if fee.amount.is_zero() { Vec::new() } else { vec![fee] },
            parties: Some(parties),
        })
    }

    /// What the solver is paid and what it delivers. One of both is what was asked for, and neither is nothing.
    fn amounts(&self, preview: &Preview) -> Result<(RawAmount, RawAmount), String> {
        let ([input], [output]) = (preview.inputs.as_slice(), preview.outputs.as_slice()) else {
            return Err("preview has not one input and one output".to_owned());
        };
        let intent = &self.asked.request.intent;
        let ([asked_in], [asked_out]) = (&intent.inputs, &intent.outputs);
        same("preview.inputs[0].asset", &input.asset, &asked_in.asset)?;
        same("preview.outputs[0].asset", &output.asset, &asked_out.asset)?;
        same("preview.outputs[0].receiver", &output.receiver, &asked_out.receiver)?;
        let paid = positive("preview.inputs[0].amount", input.amount.as_deref())?;
        let delivered = positive("preview.outputs[0].amount", output.amount.as_deref())?;
        let wanted = &self.ask.ask;
        let (name, fixed, asked) = match wanted.trade_type {
            TradeType::ExactInput => ("inputs", paid, net(wanted.referral, wanted.amount)),
            TradeType::ExactOutput => ("outputs", delivered, wanted.amount),
        };
        if fixed != asked {
            return Err(format!("preview.{name}[0].amount is {fixed}, and {asked} was asked for"));
        }
        Ok((paid, delivered))
    }

    fn validity(&self, until: Option<i64>) -> Result<Timestamp, String> {
        let after = |time| self.now.checked_add(time).map_err(|error| error.to_string());
        let Some(until) = until else { return after(USUAL_VALIDITY) };
        let until = Timestamp::from_second(until).map_err(|_| "validUntil is no time".to_owned())?;
        match until.duration_since(self.now) {
            left if left <= SignedDuration::ZERO => Err(format!("validUntil {until} is over")),
            left if left < SHORTEST_VALIDITY => Err("validUntil is earlier than minValidUntil".to_owned()),
            left if left > LONGEST_VALIDITY => after(LONGEST_VALIDITY),
            _ => Ok(until),
        }
    }
}

fn same(name: &str, told: &str, asked: &str) -> Result<(), String> {
    if told.eq_ignore_ascii_case(asked) {
        Ok(())
    } else {
        Err(format!("{name} is not what was asked for, {asked}"))
    }
}

fn positive(name: &str, text: Option<&str>) -> Result<RawAmount, String> {
    let text = text.ok_or_else(|| format!("{name} is missing"))?;
    let amount: RawAmount = text.parse().map_err(|error| format!("{name}: {error}"))?;
    if amount.is_zero() { Err(format!("{name} is zero")) } else { Ok(amount) }
}

/// A solver's words, short and printable.
pub(super) fn tidy(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(MOST_WORDS).collect()
}
