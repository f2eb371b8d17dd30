//! Webhooks and amounts of providers, with the rules that every result keeps. Compiled for fuzzing and for the test that replays the
//! committed inputs.

use std::sync::LazyLock;

use causeway_domain::fiat::FiatCurrency;
use causeway_domain::ports::{OnRamp, RampNotice, RampReport, WebhookError};
use causeway_domain::{ChainId, Token, TokenId};
use jiff::Timestamp;

use crate::amounts::Decimal;
use crate::banxa::{Banxa, BanxaConfig};
use crate::coinbase::{Coinbase, CoinbaseConfig};
use crate::moonpay::{MoonPay, MoonPayConfig};
use crate::secret::SecretText;
use crate::signature::{Secret, sign};
use crate::transak::{Transak, TransakConfig, TransakEnvironment};
use crate::transport::RetryPolicy;
use crate::{banxa, coinbase, moonpay, sandbox, transak};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("amounts", amounts),
    ("banxa", banxa),
    ("coinbase", coinbase),
    ("moonpay", moonpay),
    ("sandbox", sandbox),
    ("transak", transak),
];

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const NOW: i64 = 1_795_000_000;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap_or_default()
}

fn made<R>(ramp: &Result<R, String>) -> &R {
    ramp.as_ref().unwrap_or_else(|error| unreachable!("{error}"))
}

fn assets() -> Vec<Token> {
    let usdc =
        ChainId::new(8453).map(|base| TokenId::new(base, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"));
    let token =
        |id| Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None };
    usdc.and_then(Result::ok).map(token).into_iter().collect()
}

/// A webhook that nobody signed is refused, whatever its headers say: the first line of the input is every header, the rest is the
/// body. The whole input is also tried as a body with the right signature.
fn webhook(ramp: &dyn OnRamp, input: &[u8], signature: impl Fn(&[u8]) -> (&'static str, String)) {
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (header, body) = input.split_at(at);
    let header = String::from_utf8_lossy(header).into_owned();
    let forged = ramp.read_webhook(&|_| Some(header.clone()), body.get(1..).unwrap_or_default(), now());
    assert!(matches!(forged, Err(WebhookError::Signature | WebhookError::Stale)), "{forged:?}");
    let (name, value) = signature(input);
    let find = |asked: &str| (asked == name).then(|| value.clone());
    match ramp.read_webhook(&find, input, now()) {
        Ok(notice) => is_sound(&notice),
        Err(error) => assert!(matches!(error, WebhookError::Nonsense(_)), "{error}"),
    }
    let longer = [input, b" "].concat();
    assert_eq!(ramp.read_webhook(&find, &longer, now()), Err(WebhookError::Signature));
}

fn is_sound(notice: &RampNotice) {
    assert!(!notice.event.is_empty() && !notice.event.chars().any(char::is_control), "{notice:?}");
    is_sound_report(&notice.report);
}

fn is_sound_report(report: &RampReport) {
    assert!(report.paid.is_none_or(|paid| paid.minor < 1 << 53), "{report:?}");
    if let (Some(asset), Some(wallet)) = (report.asset, report.wallet) {
        assert_eq!(asset.chain().family(), wallet.family(), "{report:?}");
    }
}

static BANXA: LazyLock<Result<Banxa, String>> = LazyLock::new(|| {
    let mut config = BanxaConfig::new("acme", SecretText::new("key"), "https://acme.example/done");
    config.webhook_secret = Some(SecretText::new(SECRET));
    Banxa::new(config, assets(), RetryPolicy::default())
});

fn banxa(bytes: &[u8]) {
    let ramp = made(&BANXA);
    webhook(ramp, bytes, |body| {
        let path = "/v1/fiat/webhook/banxa";
        ("authorization", banxa::signature::sign("key", SECRET.as_bytes(), path, NOW * 1_000, body))
    });
}

static COINBASE: LazyLock<Result<Coinbase, String>> = LazyLock::new(|| {
    // An Ed25519 key in base64: a seed of sevens and its public key.
    let key = SecretText::new(
        "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwfqSmxj4pxSCr71UHsTLsX5lUd2rr6+e5JCHuppFEbSLA==",
    );
    let mut config = CoinbaseConfig::new("organizations/a/apiKeys/b", key);
    config.webhook_secret = Some(SecretText::new(SECRET));
    Coinbase::new(config, assets(), RetryPolicy::default())
});

fn coinbase(bytes: &[u8]) {
    let ramp = made(&COINBASE);
    webhook(ramp, bytes, |body| {
        (coinbase::webhook::SIGNATURE_HEADER, coinbase::webhook::sign(SECRET.as_bytes(), NOW, &[], body))
    });
}

static MOONPAY: LazyLock<Result<MoonPay, String>> = LazyLock::new(|| {
    let config = MoonPayConfig {
        publishable_key: "pk_test_a".to_owned(),
        secret_key: SecretText::new("sk_test_b"),
        webhook_key: Some(SecretText::new(SECRET)),
        api_url: None,
        widget_url: None,
    };
    MoonPay::new(config, RetryPolicy::default())
});

fn moonpay(bytes: &[u8]) {
    let ramp = made(&MOONPAY);
    let secret = Secret::new(SECRET.as_bytes().to_vec());
    webhook(ramp, bytes, |body| (moonpay::SIGNATURE_HEADER, sign(&secret, NOW, body)));
}

fn sandbox(bytes: &[u8]) {
    if let Some(report) = sandbox::read_event(bytes) {
        is_sound_report(&report);
        assert!(report.paid.is_some_and(|paid| paid.minor > 0));
    }
}

static TRANSAK: LazyLock<Result<Transak, String>> = LazyLock::new(|| {
    let config = TransakConfig {
        api_key: "a".to_owned(),
        api_secret: SecretText::new("b"),
        referrer_domain: "acme.example".to_owned(),
        environment: TransakEnvironment::Staging,
        api_url: None,
        gateway_url: None,
        widget_url: None,
    };
    Transak::new(config, RetryPolicy::default()).map(|ramp| ramp.with_webhook_key(SECRET))
});

/// Its webhooks are signed tokens: the input is tried as a body, as a token, and as the claims of a token that is signed.
fn transak(bytes: &[u8]) {
    let ramp = made(&TRANSAK);
    let read = |body: &[u8]| ramp.read_webhook(&|_| None, body, now());
    let body = |token: &str| serde_json::json!({ "data": token }).to_string().into_bytes();
    assert_eq!(read(bytes), Err(WebhookError::Signature));
    assert_eq!(read(&body(&String::from_utf8_lossy(bytes))), Err(WebhookError::Signature));
    let claims = |key: &str| body(&transak::jwt::sign(bytes, &SecretText::new(key)));
    assert_eq!(read(&claims("fedcba9876543210")), Err(WebhookError::Signature));
    match read(&claims(SECRET)) {
        Ok(notice) => is_sound(&notice),
        Err(error) => assert!(matches!(error, WebhookError::Nonsense(_) | WebhookError::Stale), "{error}"),
    }
}

/// The first byte chooses currency and decimals.
fn amounts(bytes: &[u8]) {
    let Some((choice, text)) = bytes.split_first() else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    let Ok(number) = text.parse::<Decimal>() else { return };
    let printed = number.to_string();
    // With all its zeros, a number may be longer than what is read.
    assert!(printed.len() > 96 || printed.parse::<Decimal>().as_ref() == Ok(&number), "{printed}");
    let decimals = choice % 40;
    let (down, exact) = (number.raw_down(decimals), number.raw_exact(decimals));
    if let Ok(exact) = exact {
        assert_eq!(down, Ok(exact));
        assert_eq!(exact.to_decimal(decimals).parse(), Ok(number.clone()), "{printed}");
    }
    let codes = ["USD", "JPY", "KWD", "EUR"];
    let code = codes.get(usize::from(choice / 64)).and_then(|code| code.parse::<FiatCurrency>().ok());
    let Some(currency) = code else { return };
    let limit = |minor: u64| assert!(minor < 1 << 53, "{printed} {currency}");
    if let Ok(exact) = number.exact_fiat(currency) {
        limit(exact.minor);
        assert_eq!(number.near_fiat(currency), Ok(exact));
        assert_eq!(number.fiat_up(currency), Ok(exact));
        assert_eq!(number.fiat_down(currency), Ok(exact));
    }
    if let Ok(near) = number.near_fiat(currency) {
        limit(near.minor);
    }
    if let (Ok(up), Ok(down)) = (number.fiat_up(currency), number.fiat_down(currency)) {
        limit(up.minor);
        limit(down.minor);
        assert!(up.minor.abs_diff(down.minor) <= 1 && up.minor >= down.minor, "{printed} {currency}");
    }
    if let Ok(sum) = number.checked_add(&number) {
        assert_eq!(sum.is_zero(), number.is_zero());
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("onramps", super::PARSERS);
    }
}
