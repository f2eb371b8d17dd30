use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAsk, WantedAmount};
use causeway_domain::ports::{FiatStore as _, RampRefusal};
use causeway_domain::{Address, RawAmount};
use futures::StreamExt as _;

use crate::build_deposit::fake::{evm, usdc};
use crate::fiat::fake::{Behavior, FakeRamp, Scene, ask, target, usd};
use crate::fiat::{FaultCode, FiatAnswer, FiatCode};

fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

#[tokio::test]
async fn providers_answer_independently_of_each_other() {
    let range = RampRefusal::Range { least: usd(2_500), most: usd(5_000) };
    let scene = Scene::with(vec![
        FakeRamp::new("hangs", Behavior::Hangs),
        FakeRamp::new("refuses", Behavior::Refuses(range)),
        FakeRamp::new("fails", Behavior::Fails),
        FakeRamp::new("lies", Behavior::Lies),
        FakeRamp::new("card", Behavior::Sells),
    ])
    .await;
    let answers: Vec<FiatAnswer> = scene.quote.quote(ask(usdc())).unwrap().collect().await;
    let last = matches!(answers.last(), Some(FiatAnswer::Fault(fault)) if fault.provider == "hangs");
    assert!(last, "who hangs is heard last");
    let gathered = scene.quote.gather(ask(usdc())).await.unwrap();
    assert_eq!(gathered.quotes.len(), 1);
    let faults: Vec<_> =
        gathered.errors.iter().map(|fault| (fault.provider.as_str(), fault.code, fault.retryable)).collect();
    let expected = [
        ("fails", FaultCode::ProviderUnavailable, true),
        ("hangs", FaultCode::ProviderUnavailable, true),
        ("lies", FaultCode::ProviderUnavailable, false),
        ("refuses", FaultCode::AmountOutOfRange, false),
    ];
    assert_eq!(faults, expected);
    assert_eq!(
        gathered.errors[3].range,
        Some((usd(2_500), usd(5_000))),
        "a page can say from where it starts"
    );
    assert!(gathered.errors[3].message.contains("from 25.00 to 50.00 USD"), "{}", gathered.errors[3].message);
    assert!(gathered.errors.iter().all(|fault| !fault.message.contains("10.0.0.7")), "that is ours to know");
}

#[tokio::test]
async fn provider_that_does_not_serve_the_country_is_skipped_with_a_reason() {
    let ramps = || vec![FakeRamp::only_in("german", &["DE"]), FakeRamp::only_in("texan", &["US-TX"])];
    for (country, serving) in [
        (None, 2),
        (Some("DE"), 1),
        (Some("DE-BY"), 1),
        (Some("US-TX"), 1),
        (Some("US-NY"), 0),
        (Some("FR"), 0),
    ] {
        let scene = Scene::with(ramps()).await;
        let asked = FiatAsk { country: country.map(str::to_owned), ..ask(usdc()) };
        let gathered = scene.quote.gather(asked).await.unwrap();
        assert_eq!(gathered.quotes.len(), serving, "{country:?}");
        for fault in &gathered.errors {
            assert_eq!((fault.code, fault.retryable), (FaultCode::NotInCountry, false));
            assert_eq!(fault.message, "it does not serve this country");
        }
    }
}

#[tokio::test]
async fn provider_that_sells_the_target_delivers_directly_and_others_forward() {
    let scene = Scene::new().await;
    let direct = scene.best(usdc()).await;
    assert!(!direct.is_forwarding());
    assert_eq!((direct.expected, direct.least), (raw(98_000_000), raw(98_000_000)));
    let forwarding = scene.best(target()).await;
    assert_eq!((forwarding.sold, forwarding.sold_amount), (usdc(), raw(98_000_000)));
    assert_eq!(
        (forwarding.expected, forwarding.least),
        (raw(98_000_000_000), raw(97_020_000_000)),
        "one percent less"
    );
    assert_eq!(forwarding.forwarding_options.len(), 1);
    for quote in [direct, forwarding] {
        let id = quote.id.clone();
        assert_eq!(scene.store.fiat_quote(&id).await.unwrap().unwrap().pays, quote.pays, "stored before");
    }
}

#[tokio::test]
async fn exact_output_is_the_guaranteed_minimum() {
    let scene = Scene::new().await;
    let wanted = raw(50_000_000_000);
    let exact = FiatAsk { amount: WantedAmount::Receive(wanted), ..ask(target()) };
    let quote = scene.quote.gather(exact).await.unwrap().quotes.remove(0).quote;
    assert_eq!(quote.least, wanted);
    assert!(quote.expected >= wanted && quote.sold_amount > raw(50_000_000), "{quote:?}");
    let direct = FiatAsk { amount: WantedAmount::Receive(raw(1_000_000)), ..ask(usdc()) };
    let quote = scene.quote.gather(direct).await.unwrap().quotes.remove(0).quote;
    assert_eq!((quote.sold_amount, quote.pays), (raw(1_000_000), usd(300)));
}

#[tokio::test]
async fn invalid_ask_is_rejected_before_providers_are_asked() {
    let scene = Scene::new().await;
    let code = |ask| scene.quote.quote(ask).map(drop).unwrap_err().code();
    assert_eq!(
        code(FiatAsk { provider: Some("nobody".to_owned()), ..ask(usdc()) }),
        FiatCode::ProviderDisabled
    );
    assert_eq!(code(FiatAsk { recipient: Address::Solana([7; 32]), ..ask(usdc()) }), FiatCode::Validation);
    assert_eq!(
        code(FiatAsk { recipient: Address::native(evm(1).family()), ..ask(usdc()) }),
        FiatCode::Validation
    );
    assert_eq!(
        code(FiatAsk { refund_to: Some(Address::Solana([7; 32])), ..ask(usdc()) }),
        FiatCode::Validation
    );
    assert_eq!(code(FiatAsk { slippage_bps: Some(5_001), ..ask(usdc()) }), FiatCode::Validation);
    let nothing = causeway_domain::TokenId::new(usdc().chain(), &evm(0x13).to_string()).unwrap();
    assert_eq!(code(ask(nothing)), FiatCode::UnsupportedAsset);
}
