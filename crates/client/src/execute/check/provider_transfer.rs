use std::time::{SystemTime, UNIX_EPOCH};

use causeway_wire::QuoteAsk;

use super::super::bound::{Bound, Limit};
use super::chain_address::on_chain;
use super::terms::number;
use super::{check_route, mismatch, transfer};
use crate::Error;
use crate::answers::{ProviderTransferDeposit, RouteQuote};

/// Latest acceptable end of a transfer's time: its price holds until then.
const MAX_SECONDS: u64 = 2 * 86_400;

/// What the caller of [`check_provider_transfer`] brings: how bad the price may be, and which providers may hold the money.
#[derive(Clone, Debug)]
pub struct ProviderTrust {
    bound: Bound,
    providers: Vec<String>,
}

impl ProviderTrust {
    /// Trusts no provider yet.
    pub const fn new(bound: Bound) -> Self {
        Self { bound, providers: Vec::new() }
    }

    /// Trusts the provider of this name with the money: the address is the service's and the provider's word, and no contract
    /// returns what is sent there.
    #[must_use]
    pub fn with_provider(mut self, name: &str) -> Self {
        self.providers.push(name.to_owned());
        self
    }
}

/// Checks a transfer to an address of a liquidity provider against the request, before it is sent.
///
/// Checks the provider's name, the route, token, amount and chain, the payment link, the recipient, the refund address, the least
/// output and the time. **The address itself cannot be checked**, other than that of [`check_transfer`](super::check_transfer):
/// nothing of ours protects the money.
pub fn check_provider_transfer(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &ProviderTransferDeposit,
    trust: &ProviderTrust,
) -> Result<(), Error> {
    let limit = Limit::read(ask, &trust.bound)?;
    let limit =
        limit.ok_or_else(|| Error::InvalidBound("a transfer needs an amount or a price".to_owned()))?;
    let check = || {
        check_route(ask, quote)?;
        if let Some(problem) = limit.violation(quote) {
            return Err(format!("The route does not match the request: {problem}."));
        }
        check_deposit(ask, quote, deposit, &trust.providers)
    };
    check().map_err(Error::invalid_response)
}

fn check_deposit(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &ProviderTransferDeposit,
    trusted: &[String],
) -> Result<(), String> {
    let notice = &deposit.notice;
    let provider = notice.provider.as_deref().unwrap_or("missing");
    if !trusted.iter().any(|name| name == provider) {
        return Err(mismatch("provider", provider, "one that is trusted with the money"));
    }
    let or_payer = |address: &Option<String>| address.clone().unwrap_or_else(|| ask.from_address.clone());
    let (from, to) = (ask.from_chain_id, ask.to_chain_id);
    for (what, chain, named, asked) in [
        ("recipient", to, &notice.recipient, or_payer(&ask.recipient)),
        ("refund address", from, &notice.refund_to, or_payer(&ask.refund_to)),
    ] {
        let named = named.as_deref().unwrap_or("missing");
        let is = on_chain(chain, named);
        if is.is_none() || is != on_chain(chain, &asked) {
            return Err(mismatch(what, named, asked));
        }
    }
    let promised = quote.min_amount_out.as_ref().unwrap_or(&quote.amount_out);
    let out = notice.min_amount_out.as_deref().unwrap_or("missing");
    if number(out).zip(number(promised)).is_none_or(|(out, least)| out < least) {
        return Err(mismatch("output", out, format!("at least {promised}")));
    }
    let address = &deposit.transfer.deposit_address;
    let target =
        on_chain(from, address).ok_or_else(|| mismatch("transfer's address", address, "an address"))?;
    let own = [&ask.from_token, &ask.from_address, &or_payer(&ask.recipient), &or_payer(&ask.refund_to)];
    if target.is_zero() || own.iter().any(|own| on_chain(from, own) == Some(target)) {
        return Err(mismatch("transfer's address", address, "an address of the provider"));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let until = deposit.transfer.expires_at.unwrap_or_default();
    if until <= now || until > now.saturating_add(MAX_SECONDS) {
        return Err(mismatch("transfer's last time", until, "within two days"));
    }
    let mut copies = std::iter::once(&deposit.transfer).chain(&deposit.deposit);
    copies.try_for_each(|copy| transfer::check(ask, quote, copy, target))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TOKEN: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    const ADDRESS: &str = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
    const OTHER: &str = "0x000000000000000000000000000000000000dEaD";

    fn ask() -> QuoteAsk {
        QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: 8453,
            from_token: TOKEN.to_owned(),
            to_chain_id: 42_161,
            to_token: OTHER.to_owned(),
            amount: "1000".to_owned(),
            from_address: PAYER.to_owned(),
            ..QuoteAsk::default()
        }
    }

    fn good() -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let link = format!("ethereum:{TOKEN}@8453/transfer?address={ADDRESS}&uint256=1000");
        let mut built = json!({
            "kind": "PROVIDER_TRANSFER", "depositAddress": ADDRESS, "amount": "1000", "token": TOKEN, "chainId": 8453,
            "caip2": "eip155:8453", "decimals": 6, "expiresAt": now + 1_800, "orderId": "1", "qrPayload": link,
            "settlement": "provider", "provider": "oneclick", "recipient": PAYER, "refundTo": PAYER,
            "minAmountOut": "995", "heldBy": "an agent", "refunds": "slowly", "summary": [],
        });
        built["deposit"] = built.clone();
        built
    }

    fn check(built: &Value, trusted: &[&str]) -> Result<(), String> {
        let deposit: ProviderTransferDeposit = serde_json::from_value(built.clone()).unwrap();
        let quote = json!({
            "amountIn": "1000", "amountOut": "1000", "minAmountOut": "995", "expectedDurationSeconds": 4,
        });
        let quote: RouteQuote = serde_json::from_value(quote).unwrap();
        let trust = ProviderTrust::new(Bound::MinAmountOut("990".to_owned()));
        let trust = trusted.iter().fold(trust, |trust, name| trust.with_provider(name));
        check_provider_transfer(&ask(), &quote, &deposit, &trust).map_err(|error| error.to_string())
    }

    #[test]
    fn a_transfer_to_a_trusted_provider_passes() {
        assert_eq!(check(&good(), &["oneclick"]), Ok(()));
    }

    #[test]
    fn a_bitcoin_transfer_is_compared_in_its_own_forms() {
        const PAID: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
        const COIN: &str = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs";
        const BACK: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";
        let ask = QuoteAsk {
            from_chain_id: 8_253_038,
            from_token: COIN.to_owned(),
            from_address: BACK.to_owned(),
            refund_to: Some(BACK.to_owned()),
            recipient: Some(PAYER.to_owned()),
            ..ask()
        };
        let check = |name: &str, value: &str| {
            let mut built = good();
            for (name, value) in [
                ("depositAddress", json!(PAID)),
                ("token", json!(COIN)),
                ("chainId", json!(8_253_038)),
                ("decimals", json!(8)),
                ("refundTo", json!(BACK)),
                ("qrPayload", json!(format!("bitcoin:{PAID}?amount=0.00001"))),
            ] {
                built[name] = value;
            }
            built[name] = json!(value);
            built["deposit"] = built.clone();
            let deposit: ProviderTransferDeposit = serde_json::from_value(built).unwrap();
            let quote = json!({
                "amountIn": "1000", "amountOut": "1000", "minAmountOut": "995", "expectedDurationSeconds": 4,
            });
            let quote: RouteQuote = serde_json::from_value(quote).unwrap();
            let trust = ProviderTrust::new(Bound::MinAmountOut("990".to_owned())).with_provider("oneclick");
            check_provider_transfer(&ask, &quote, &deposit, &trust).map_err(|error| error.to_string())
        };
        assert_eq!(check("kind", "PROVIDER_TRANSFER"), Ok(()));
        for (name, value, words) in [
            ("depositAddress", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "transfer's address"),
            ("depositAddress", ADDRESS, "transfer's address"),
            ("depositAddress", BACK, "transfer's address"),
            ("refundTo", PAID, "refund address"),
            (
                "qrPayload",
                "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.0001",
                "transfer's link",
            ),
            ("token", PAID, "transfer's token"),
        ] {
            let error = check(name, value).unwrap_err();
            assert!(error.contains(words), "{name}: {error}");
        }
    }

    #[test]
    fn a_provider_that_nobody_trusts_gets_nothing() {
        assert!(check(&good(), &[]).unwrap_err().contains("trusted with the money"));
        assert!(check(&good(), &["another"]).unwrap_err().contains("trusted with the money"));
    }

    #[test]
    fn a_transfer_that_differs_from_the_request_is_refused_in_words() {
        for (name, value, words) in [
            ("recipient", json!(OTHER), "recipient"),
            ("refundTo", json!(OTHER), "refund address"),
            ("refundTo", Value::Null, "refund address"),
            ("minAmountOut", json!("994"), "output"),
            ("depositAddress", json!(PAYER), "transfer's address"),
            ("depositAddress", json!(TOKEN), "transfer's address"),
            ("depositAddress", json!("bc1q0fnht2ngtaeexp3gypd55k5ejfwxtgxmdmx0gh"), "transfer's address"),
            ("depositAddress", json!(OTHER), "transfer's link"),
            ("chainId", json!(1), "transfer's chain"),
            ("token", json!(OTHER), "transfer's token"),
            ("amount", json!("1001"), "transfer's amount"),
            ("decimals", json!(18), "decimals"),
            ("qrPayload", json!(OTHER), "transfer's link"),
            ("paymentUri", json!("ethereum:0xdead"), "transfer's link"),
            ("expiresAt", json!(1), "transfer's last time"),
            ("expiresAt", json!(9_999_999_999_u64), "transfer's last time"),
        ] {
            let mut built = good();
            built[name] = value;
            let error = check(&built, &["oneclick"]).unwrap_err();
            assert!(error.contains(words), "{name}: {error}");
        }
        let mut other = good();
        other["deposit"]["depositAddress"] = json!(OTHER);
        assert!(check(&other, &["oneclick"]).unwrap_err().contains("transfer's address"), "both copies");
    }
}
