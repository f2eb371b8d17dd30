//! Answers of fillers and providers, with the rules that every offer keeps. Compiled for fuzzing and for the test that replays the
//! committed inputs.

use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{Answer, FillerAsk, MAX_FILLER_QUOTE, Offer};
use causeway_domain::{Address, Ask, ChainId, DepositMethod, MAX_TOOL, RawAmount, Token, TokenId, TradeType};
use causeway_provider_calls::EvmCall;
use causeway_provider_calls::jupiter::Swap;
use jiff::Timestamp;

use crate::providers::{lifi, oneclick, relay};
use crate::remote::{RequestAuthenticator, Secret, SignedRequest, WINDOW_SECONDS};
use crate::{oif, remote};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("calldata", calldata),
    ("lifi", lifi_quotes),
    ("oif", oif_answers),
    ("oif_accounts", oif_accounts),
    ("oneclick", oneclick_quotes),
    ("relay", relay_quotes),
    ("remote", remote_answers),
    ("remote_requests", remote_requests),
];

const ACCOUNT: [u8; 20] = [0x70; 20];
const METHODS: [DepositMethod; 2] = [DepositMethod::ContractCall, DepositMethod::Transfer];

fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).unwrap_or_default()
}

fn usdc(chain: u64, address: &str) -> Option<Token> {
    let id = TokenId::new(ChainId::new(chain)?, address).ok()?;
    Some(Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None })
}

/// 1,000 raw units of USDC on Base for USDC on Ethereum, or as many received.
fn ask(trade_type: TradeType) -> FillerAsk {
    let from = usdc(8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
    let (from, to) =
        from.zip(usdc(1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")).unwrap_or_else(|| unreachable!());
    let account = Address::Evm(ACCOUNT.into());
    let ask = Ask {
        trade_type,
        from: from.id,
        to: to.id,
        amount: RawAmount::new(U256::from(1_000)),
        from_address: account,
        recipient: account,
        refund_to: account,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    FillerAsk { ask, from: Arc::new(from), to: Arc::new(to) }
}

/// What holds for every offer, whoever made it.
fn is_sound(ask: &FillerAsk, offer: &Offer) {
    let wanted = match ask.ask.trade_type {
        TradeType::ExactInput => offer.amount_in,
        TradeType::ExactOutput => offer.amount_out,
    };
    assert_eq!(wanted, ask.ask.amount, "{offer:?}");
    assert!(offer.valid_before > now(), "{offer:?}");
    assert!(offer.valid_before.duration_since(now()).as_hours() <= 1, "{offer:?}");
    assert!(!offer.deposit_methods.is_empty() && offer.fees.len() <= 9, "{offer:?}");
    assert!(offer.filler_quote.as_ref().is_none_or(|id| id.len() <= MAX_FILLER_QUOTE), "{offer:?}");
    if let Some(provider) = &offer.provider {
        assert!(
            provider.terms.tool.len() <= MAX_TOOL && offer.expected_duration_seconds <= 604_800,
            "{offer:?}"
        );
    }
    if let Some(parties) = offer.parties {
        assert!(!parties.filler.is_native() && !parties.payee.is_native(), "{offer:?}");
        assert!(!offer.min_amount_out.is_zero() && offer.min_amount_out <= offer.amount_out, "{offer:?}");
    }
}

fn answers(read: impl Fn(&FillerAsk) -> Result<Answer, String>) {
    for trade_type in [TradeType::ExactInput, TradeType::ExactOutput] {
        let ask = ask(trade_type);
        match read(&ask) {
            Ok(Answer::Offers(offers)) => {
                assert!((1..=16).contains(&offers.len()));
                for offer in &offers {
                    is_sound(&ask, offer);
                }
            }
            Ok(Answer::Refused(refusal)) => {
                let words = refusal.to_string();
                assert!(words.chars().count() <= 400 && !words.chars().any(char::is_control), "{words}");
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
    }
}

fn remote_answers(bytes: &[u8]) {
    answers(|ask| remote::read_answer(ask, &METHODS, bytes, now()));
}

fn oif_answers(bytes: &[u8]) {
    answers(|ask| oif::fuzzed::read_answer(ask, bytes, now()));
}

/// An account with its chain has one text, apart from the case of its digits.
fn oif_accounts(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Some((chain, account, written)) = oif::fuzzed::account(text) {
        assert_eq!(chain.family(), account.family());
        assert_eq!(written.as_deref(), Some(text.to_ascii_lowercase().as_str()));
    }
}

/// Lines: time, nonce, path, signature, body. Nobody without the secret is let in, and nobody twice.
fn remote_requests(bytes: &[u8]) {
    let mut parts = bytes.splitn(5, |byte| *byte == b'\n');
    let mut text = || str::from_utf8(parts.next().unwrap_or_default()).unwrap_or_default();
    let (timestamp, nonce, path, signature) = (text(), text(), text(), text());
    let body = parts.next().unwrap_or_default();
    let Ok(secret) = Secret::new("correct horse battery staple") else { unreachable!() };
    let authenticator = RequestAuthenticator::new(secret.clone());
    let forged = SignedRequest { path, timestamp, nonce, signature, body };
    assert!(authenticator.authenticate(&forged, now()).is_err(), "nobody signed it");
    let signature = secret.sign_request(timestamp, nonce, path, body);
    let signed = SignedRequest { signature: &signature, ..forged };
    if authenticator.authenticate(&signed, now()).is_ok() {
        let second: Option<i64> = timestamp.parse().ok();
        assert!(second.is_some_and(|second| second.abs_diff(now().as_second()) <= WINDOW_SECONDS));
        assert!(authenticator.authenticate(&signed, now()).is_err(), "it is replayed");
    }
}

fn provider_offer(offer: Option<Offer>) {
    if let Some(offer) = offer {
        is_sound(&ask(TradeType::ExactInput), &offer);
        assert!(offer.provider.is_some() && offer.parties.is_none());
    }
}

fn lifi_quotes(bytes: &[u8]) {
    provider_offer(lifi::read_offer(&ask(TradeType::ExactInput), bytes, now()));
}

fn relay_quotes(bytes: &[u8]) {
    provider_offer(relay::read_offer(&ask(TradeType::ExactInput), bytes, now()));
}

fn oneclick_quotes(bytes: &[u8]) {
    let offer = oneclick::read_offer(
        &ask(TradeType::ExactInput),
        ["nep141:base-usdc", "nep141:eth-usdc"],
        bytes,
        now(),
    );
    if let Some(offer) = &offer {
        assert!(!offer.min_amount_out.is_zero() && offer.min_amount_out <= offer.amount_out, "{offer:?}");
    }
    provider_offer(offer);
}

/// A call that is read as a whole is written again to the same bytes, and is read in no other length.
fn calldata(bytes: &[u8]) {
    if let Ok(read) = EvmCall::read(bytes) {
        if let EvmCall::Relay(deposit) = read {
            assert_eq!(deposit.call(), bytes);
        }
        assert!(EvmCall::read(&[bytes, &[0; 32]].concat()).is_err());
        assert!(EvmCall::read(&bytes[..bytes.len() - 1]).is_err());
    }
    let _ = lifi::calldata::bridge_data(bytes);
    let account = Some([1; 32]);
    if let Ok(swap) = Swap::read(&[9; 32], &[account; 12], bytes) {
        assert!(swap.least() <= swap.quoted);
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("fillers", super::PARSERS);
    }
}
