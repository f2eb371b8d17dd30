//! LI.FI's adapter against its stand-in: what is offered, what is refused, and what counts as the provider's fault.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, U256, address};
use causeway_domain::ports::{
    Answer, Filler as _, FillerAsk, FillerError, LiquidityProvider as _, Offer, ProviderAsk, Refusal,
};
use causeway_domain::{Address, Ask, ChainId, DepositMethod, RawAmount, Referral, Token, TokenId, TradeType};
use causeway_fillers::providers::PinnedContractsConfig;
use causeway_fillers::providers::lifi::{Lifi, LifiConfig};
use causeway_fillers::providers::standin::{LifiStandIn, Mischief, PlayMoney};
use serde_json::json;

const CONTRACT: EvmAddress = EvmAddress::repeat_byte(0xc0);
const OTHER: EvmAddress = EvmAddress::repeat_byte(0xdd);
const BASE_USDC: EvmAddress = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ARBITRUM_USDC: EvmAddress = address!("af88d065e77c8cC2239327C5EDb3A432268e5831");

type Change = fn(&mut Ask);

struct Fixture {
    stand_in: LifiStandIn,
    lifi: Lifi,
}

async fn fixture() -> Fixture {
    let money = Arc::new(PlayMoney::new().unwrap());
    let tokens = [(8453, BASE_USDC, 6, "USDC"), (42_161, ARBITRUM_USDC, 6, "USDC")];
    let stand_in = LifiStandIn::start(CONTRACT, tokens, money).await.unwrap();
    let pins = json!({ "bundled": false, "pinned": [{ "chain": 8453, "address": CONTRACT }] });
    let contracts: PinnedContractsConfig = serde_json::from_value(pins).unwrap();
    let config = LifiConfig { url: stand_in.url.clone(), contracts, ..LifiConfig::default() };
    Fixture { lifi: Lifi::new(config).unwrap(), stand_in }
}

fn token(chain: u64, address: EvmAddress) -> Token {
    let id = TokenId::from_address(ChainId::new(chain).unwrap(), Address::Evm(address)).unwrap();
    Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None }
}

fn ask() -> FillerAsk {
    let (from, to) = (token(8453, BASE_USDC), token(42_161, ARBITRUM_USDC));
    let (payer, recipient) = (Address::Evm([3; 20].into()), Address::Evm([4; 20].into()));
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: from.id,
        to: to.id,
        amount: RawAmount::new(U256::from(25_000_000)),
        from_address: payer,
        recipient,
        refund_to: payer,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
    };
    FillerAsk { ask, from: Arc::new(from), to: Arc::new(to) }
}

fn provider_ask(offer: &Offer) -> ProviderAsk {
    let ask = ask().ask;
    let terms = offer.provider.as_ref().unwrap().terms.clone();
    ProviderAsk {
        from: ask.from,
        to: ask.to,
        amount_in: offer.amount_in,
        min_amount_out: offer.min_amount_out,
        payer: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        tool: terms.tool,
        slippage: terms.slippage,
    }
}

async fn offer(lifi: &Lifi) -> Offer {
    match lifi.quote(&ask()).await.unwrap() {
        Answer::Offers(mut offers) => offers.remove(0),
        Answer::Refused(refusal) => panic!("refused: {refusal}"),
    }
}

async fn refusal(lifi: &Lifi, ask: &FillerAsk) -> String {
    match lifi.quote(ask).await.unwrap() {
        Answer::Offers(_) => panic!("an offer"),
        Answer::Refused(refusal) => refusal.to_string(),
    }
}

#[tokio::test]
async fn an_offer_says_who_settles_and_its_transaction_is_the_quoted_one() {
    let Fixture { lifi, stand_in: _stand_in } = fixture().await;
    let offer = offer(&lifi).await;
    assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall]);
    assert_eq!(
        (offer.amount_out.to_string(), offer.min_amount_out.to_string()),
        ("24975000".into(), "24850125".into())
    );
    assert_eq!(offer.fees.len(), 1);
    let provider = offer.provider.clone().unwrap();
    assert_eq!(provider.terms.tool, "play");
    assert!(provider.notice.held_by.contains("LI.FI"), "{:?}", provider.notice);
    let transaction = lifi.transaction(&provider_ask(&offer)).await.unwrap();
    assert_eq!(transaction.target, Address::Evm(CONTRACT));
    assert_eq!(transaction.spender, Some(Address::Evm(CONTRACT)));
    assert_eq!((transaction.value, transaction.min_amount_out), (U256::ZERO, offer.min_amount_out));
}

#[tokio::test]
async fn what_cannot_be_followed_is_refused_without_a_call() {
    let Fixture { lifi, stand_in } = fixture().await;
    let changes: [(&str, Change); 6] = [
        ("exact input", |ask| ask.trade_type = TradeType::ExactOutput),
        ("paying address", |ask| ask.refund_to = Address::Evm([9; 20].into())),
        ("own coin", |ask| ask.to = TokenId::native(ask.to.chain())),
        ("referrers", |ask| ask.referral = Referral::new(ask.from_address, 10)),
        ("deposit methods", |ask| ask.deposit_methods = vec![DepositMethod::Transfer]),
        ("not served", |ask| ask.from = ask.to),
    ];
    for (word, change) in changes {
        let mut ask = ask();
        change(&mut ask.ask);
        let words = refusal(&lifi, &ask).await;
        assert!(words.contains(word), "{word}: {words}");
    }
    assert_eq!(stand_in.quotes(), 0);
}

#[tokio::test]
async fn an_outage_is_no_lie() {
    for (mischief, word) in [(Mischief::Down, "503"), (Mischief::TooMany, "429")] {
        let Fixture { lifi, stand_in } = fixture().await;
        stand_in.misbehave(mischief);
        let Err(FillerError::Unavailable(words)) = lifi.quote(&ask()).await else { panic!("{mischief:?}") };
        assert!(words.contains(word), "{word}: {words}");
    }
    let Fixture { lifi, stand_in } = fixture().await;
    stand_in.misbehave(Mischief::NoRoute);
    assert_eq!(lifi.quote(&ask()).await.unwrap(), Answer::Refused(Refusal::PairNotServed));
}

#[tokio::test]
async fn a_provider_that_asks_for_it_is_left_alone() {
    let Fixture { lifi, stand_in } = fixture().await;
    stand_in.misbehave(Mischief::TooMany);
    assert!(lifi.quote(&ask()).await.is_err());
    stand_in.misbehave(Mischief::None);
    let Err(FillerError::Unavailable(words)) = lifi.quote(&ask()).await else { panic!("asked again") };
    assert!(words.contains("left alone"), "{words}");
    assert_eq!(stand_in.quotes(), 1, "the second was not sent");
}

#[tokio::test]
async fn an_answer_that_contradicts_the_ask_is_the_providers_fault() {
    for (mischief, word) in [
        (Mischief::Html, "cannot be read"),
        (Mischief::OtherTarget(OTHER), "not pinned"),
        (Mischief::OtherSpender(OTHER), "not pinned"),
        (Mischief::OtherRecipient(OTHER), "instead of"),
        (Mischief::OtherDecimals, "decimals"),
        (Mischief::OtherChain, "destination chain"),
    ] {
        let Fixture { lifi, stand_in } = fixture().await;
        stand_in.misbehave(mischief);
        let Err(FillerError::Nonsense(words)) = lifi.quote(&ask()).await else { panic!("{mischief:?}") };
        assert!(words.contains(word), "{word}: {words}");
    }
}

#[tokio::test]
async fn a_transaction_is_checked_again_when_it_is_built() {
    let Fixture { lifi, stand_in } = fixture().await;
    let ask = provider_ask(&offer(&lifi).await);
    stand_in.misbehave(Mischief::OtherRecipient(OTHER));
    let Err(FillerError::Nonsense(words)) = lifi.transaction(&ask).await else { panic!("another recipient") };
    assert!(words.contains("instead of"), "{words}");
    stand_in.misbehave(Mischief::OtherTarget(OTHER));
    let transaction = lifi.transaction(&ask).await.unwrap();
    let chain = ask.from.chain();
    assert!(!lifi.is_pinned(chain, transaction.target), "the engine refuses what is not pinned");
    stand_in.misbehave(Mischief::WorsePrice);
    let worse = lifi.transaction(&ask).await.unwrap();
    assert!(worse.min_amount_out < ask.min_amount_out, "and what delivers less");
}

#[tokio::test]
async fn a_slow_provider_is_given_up_at_its_deadline() {
    let Fixture { stand_in, .. } = fixture().await;
    stand_in.misbehave(Mischief::Slow(Duration::from_mins(10)));
    let config = LifiConfig { url: stand_in.url.clone(), deadline_ms: 50, ..LifiConfig::default() };
    let lifi = Lifi::new(config).unwrap();
    assert!(matches!(lifi.quote(&ask()).await, Err(FillerError::Unavailable(_))));
}

#[tokio::test]
async fn the_contracts_that_lifi_names_are_compared_with_the_pinned_ones() {
    let Fixture { lifi, stand_in: _stand_in } = fixture().await;
    let named = lifi.named_contracts().await.unwrap();
    let pinned: Vec<(u64, bool)> = named.iter().map(|named| (named.chain.get(), named.pinned)).collect();
    assert_eq!(pinned, [(8453, true), (42_161, false)]);
}
