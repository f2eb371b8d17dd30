use causeway_domain::ports::{Answer, FillerAsk, Offer, Refusal};
use causeway_domain::{
    Address, ChainId, DepositMethod, ExactOutMethod, Fee, FeeKind, Parties, RawAmount, TokenId, TradeType,
};
use jiff::{SignedDuration, Timestamp};

use super::protocol::{FeeBody, OfferBody, QuoteAnswer, RefusalBody, TokenRef};

/// Limits of one response.
const MAX_OFFERS: usize = 16;
const MAX_FEES: usize = 8;

/// Maximum validity of a price.
const MAX_VALIDITY: SignedDuration = SignedDuration::from_hours(1);

/// Messages of a filler are cut to this length.
const MAX_MESSAGE_CHARS: usize = 200;

/// Parses a filler's response to an ask. One invalid offer invalidates the whole response.
pub(crate) fn read_answer(
    ask: &FillerAsk,
    methods: &[DepositMethod],
    body: &[u8],
    now: Timestamp,
) -> Result<Answer, String> {
    let answer: QuoteAnswer =
        serde_json::from_slice(body).map_err(|error| format!("its response is malformed: {error}"))?;
    match (answer.offers.as_slice(), answer.refusal) {
        ([], None) => Err("its response has neither `offers` nor a `refusal`".to_owned()),
        ([], Some(refusal)) => read_refusal(refusal).map(Answer::Refused),
        (_, Some(_)) => Err("its response has both `offers` and a `refusal`".to_owned()),
        (offers, None) if offers.len() > MAX_OFFERS => {
            Err(format!("its response has {} offers; at most {MAX_OFFERS} are read", offers.len()))
        }
        (offers, None) => {
            let reader = OfferReader { ask, methods, now };
            let offers = offers.iter().enumerate().map(|(index, offer)| {
                reader.offer(offer).map_err(|reason| format!("offers[{index}]: {reason}"))
            });
            offers.collect::<Result<_, _>>().map(Answer::Offers)
        }
    }
}

fn read_refusal(refusal: RefusalBody) -> Result<Refusal, String> {
    let RefusalBody { code, minimum, maximum, reason } = refusal;
    let limit = |name: &str, text: Option<String>| {
        let text = text.ok_or_else(|| format!("refusal: {code} needs `{name}`"))?;
        amount(&text).map_err(|reason| format!("refusal: {name}: {reason}"))
    };
    Ok(match code.as_str() {
        "TooSmall" => Refusal::TooSmall { minimum: limit("minimum", minimum)? },
        "TooLarge" => Refusal::TooLarge { maximum: limit("maximum", maximum)? },
        "NoInventory" => Refusal::NoInventory,
        "PairNotServed" => Refusal::PairNotServed,
        "NoPrice" => Refusal::NoPrice,
        "NoDepositMethod" => Refusal::NoDepositMethod,
        // A code that this version does not know.
        _ => Refusal::Other(sanitize(reason.as_deref().unwrap_or(&code))),
    })
}

struct OfferReader<'a> {
    ask: &'a FillerAsk,
    methods: &'a [DepositMethod],
    now: Timestamp,
}

impl OfferReader<'_> {
    fn offer(&self, offer: &OfferBody) -> Result<Offer, String> {
        let asked = &self.ask.ask;
        check_token(&offer.from, asked.from, "from")?;
        check_token(&offer.to, asked.to, "to")?;
        let amount_in = parse_positive("amountIn", &offer.amount_in)?;
        let amount_out = parse_positive("amountOut", &offer.amount_out)?;
        let promised = offer.min_amount_out.as_deref().unwrap_or(&offer.amount_out);
        let min_amount_out = parse_positive("minAmountOut", promised)?;
        if min_amount_out > amount_out {
            return Err("minAmountOut is above amountOut".to_owned());
        }
        let (name, fixed) = match asked.trade_type {
            TradeType::ExactInput => ("amountIn", amount_in),
            TradeType::ExactOutput => ("amountOut", amount_out),
        };
        if fixed != asked.amount {
            return Err(format!("{name} is {fixed}, but {} was asked for", asked.amount));
        }
        let valid_before = self.validity(&offer.valid_before)?;
        let exact = asked.trade_type == TradeType::ExactOutput;
        let method =
            if min_amount_out == amount_out { ExactOutMethod::Native } else { ExactOutMethod::Adaptive };
        Ok(Offer {
            exact_out: exact.then_some(method),
            deposit_methods: self.deposit_methods(offer.deposit_methods.as_deref())?,
            amount_in,
            amount_out,
            min_amount_out,
            expected_duration_seconds: offer.expected_duration_seconds,
            valid_before,
            price_holds_until: Some(valid_before),
            estimated_gas: None,
            fees: self.fees(&offer.fees, amount_in)?,
            parties: Some(Parties {
                filler: self.account("filler", &offer.filler)?,
                payee: self.account("payee", &offer.payee)?,
            }),
            filler_quote: None,
            gas_charge: None,
            provider: None,
        })
    }

    fn validity(&self, text: &str) -> Result<Timestamp, String> {
        let until: Timestamp =
            text.parse().map_err(|_| "validBefore is not a time such as 2026-11-15T12:00:30Z".to_owned())?;
        match until.duration_since(self.now) {
            left if left <= SignedDuration::ZERO => Err(format!("validBefore {until} has passed")),
            left if left > MAX_VALIDITY => Err("validBefore is more than an hour ahead".to_owned()),
            _ => Ok(until),
        }
    }

    /// The filler's choice among the available methods.
    fn deposit_methods(&self, chosen: Option<&[String]>) -> Result<Vec<DepositMethod>, String> {
        let Some(chosen) = chosen else { return Ok(self.methods.to_vec()) };
        let mut methods = Vec::new();
        for text in chosen {
            let method =
                text.parse().map_err(|_| format!("depositMethods: `{}` is unknown", sanitize(text)))?;
            if self.methods.contains(&method) && !methods.contains(&method) {
                methods.push(method);
            }
        }
        if methods.is_empty() {
            Err("depositMethods has none of the requested ones".to_owned())
        } else {
            Ok(methods)
        }
    }

    /// The fees that the filler reports, and the referral fee as the escrow pays it.
    fn fees(&self, reported: &[FeeBody], amount_in: RawAmount) -> Result<Vec<Fee>, String> {
        if reported.len() > MAX_FEES {
            return Err(format!("fees has more than {MAX_FEES} entries"));
        }
        let mut fees = Vec::with_capacity(reported.len() + 1);
        for fee in reported {
            let kind = FeeKind::parse(&fee.kind).filter(|kind| *kind != FeeKind::Referrer);
            let kind = kind.ok_or("fees: a kind must be filler, gas or protocol")?;
            let token = token(&fee.token).ok_or("fees: unknown token")?;
            fees.push(Fee {
                kind,
                token,
                amount: amount(&fee.amount).map_err(|reason| format!("fees: {reason}"))?,
            });
        }
        let asked = &self.ask.ask;
        let referrers = asked.referral.map(|referral| referral.fee(amount_in));
        fees.extend(referrers.filter(|amount| !amount.is_zero()).map(|amount| Fee {
            kind: FeeKind::Referrer,
            token: asked.from,
            amount,
        }));
        Ok(fees)
    }

    fn account(&self, name: &str, text: &str) -> Result<Address, String> {
        let family = self.ask.ask.from.chain().family();
        let account = Address::parse(family, text).map_err(|error| format!("{name}: {error}"))?;
        if account.is_native() { Err(format!("{name} is the zero address")) } else { Ok(account) }
    }
}

fn token(reported: &TokenRef) -> Option<TokenId> {
    TokenId::of_any_case(ChainId::new(reported.chain_id)?, &reported.token).ok()
}

fn check_token(reported: &TokenRef, asked: TokenId, name: &str) -> Result<(), String> {
    if token(reported) == Some(asked) {
        return Ok(());
    }
    Err(format!("{name} is not the token that was asked for, {asked}"))
}

fn parse_positive(name: &str, text: &str) -> Result<RawAmount, String> {
    let amount = amount(text).map_err(|reason| format!("{name}: {reason}"))?;
    if amount.is_zero() { Err(format!("{name} is zero")) } else { Ok(amount) }
}

fn amount(text: &str) -> Result<RawAmount, String> {
    text.parse().map_err(|error: causeway_domain::AmountError| error.to_string())
}

/// A filler's message, shortened and printable.
pub(super) fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests;
