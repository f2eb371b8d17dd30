use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{Answer, FillerError, Refusal};
use causeway_domain::{
    Address, Ask, DepositMethod, DepositWindow, FeeKind, Referral, SOLANA_CHAIN_ID, TokenId, TradeType,
};
use causeway_fillers::providers::standin::Mischief;

use super::subject::{ARBITRUM, BASE, Kind, Settings, Subject};

type Change = fn(&mut Ask);

pub(super) async fn an_offer_says_who_settles_and_its_transaction_is_the_quoted_one(subject: Subject) {
    let offer = subject.offer().await;
    assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall]);
    let out = (offer.amount_out.to_string(), offer.min_amount_out.to_string());
    assert_eq!(out, ("24975000".into(), "24850125".into()));
    // Jupiter takes none.
    assert_eq!(offer.fees.len(), usize::from(!matches!(subject.kind, Kind::Jupiter)));
    let provider = offer.provider.clone().unwrap();
    assert!(!provider.terms.tool.is_empty());
    let name = match subject.kind {
        Kind::Lifi => "LI.FI",
        Kind::Relay => "Relay",
        Kind::Zerox => "0x",
        Kind::Jupiter => "Jupiter",
        Kind::OneClick => unreachable!("it is paid by a transfer"),
    };
    assert!(provider.notice.held_by.contains(name), "{:?}", provider.notice);
    let refund = if subject.provider.delivers_at_once() { "keeps the input" } else { "returns the input" };
    assert!(provider.notice.refunds.contains(refund), "{:?}", provider.notice);
    let transaction = subject.call(&subject.provider_ask(&offer)).await.unwrap();
    assert_eq!(transaction.target, subject.contract());
    // A program of Solana needs no allowance.
    let spender = Some(subject.contract()).filter(|_| !matches!(subject.kind, Kind::Jupiter));
    assert_eq!(transaction.spender, spender);
    assert_eq!((transaction.value, transaction.min_amount_out), (U256::ZERO, offer.min_amount_out));
}

pub(super) async fn what_cannot_be_followed_is_refused_without_a_call(subject: Subject) {
    let other_method: Change = match subject.kind {
        Kind::Lifi | Kind::Relay | Kind::Zerox | Kind::Jupiter => {
            |ask| ask.deposit_methods = vec![DepositMethod::Transfer]
        }
        Kind::OneClick => |ask| ask.deposit_methods = vec![DepositMethod::ContractCall],
    };
    let changes: [(&str, Change); 6] = [
        ("exact input", |ask| ask.trade_type = TradeType::ExactOutput),
        ("own coin", |ask| ask.to = TokenId::native(ask.to.chain())),
        ("referrers", |ask| ask.referral = Referral::new(ask.from_address, 10)),
        ("later deposit", |ask| ask.deposit_window = DepositWindow::new(3_600)),
        ("deposit methods", other_method),
        ("not served", |ask| ask.from = ask.to),
    ];
    let own: (&str, Change) = match subject.kind {
        Kind::Lifi => ("paying address", |ask| ask.refund_to = Address::Evm([9; 20].into())),
        Kind::Relay => ("within a chain", |ask| ask.to = ask.from),
        Kind::Zerox => ("paying address", |ask| ask.refund_to = Address::Evm([9; 20].into())),
        Kind::Jupiter => ("paying address", |ask| ask.refund_to = Address::Solana([9; 32])),
        Kind::OneClick => ("not served", |ask| ask.from = TokenId::native(SOLANA_CHAIN_ID)),
    };
    for (word, change) in changes.into_iter().chain([own]) {
        let mut ask = subject.ask();
        change(&mut ask.ask);
        let words = subject.refusal(&ask).await;
        assert!(words.contains(word), "{word}: {words}");
    }
    assert_eq!(subject.quotes(), 0);
}

pub(super) async fn no_route_is_a_refusal(subject: Subject) {
    subject.misbehave(Mischief::NoRoute);
    let refused = subject.provider.quote(&subject.ask()).await.unwrap();
    match subject.kind {
        Kind::Lifi | Kind::Relay | Kind::Zerox | Kind::Jupiter => {
            assert_eq!(refused, Answer::Refused(Refusal::PairNotServed));
        }
        // It has words for that only.
        Kind::OneClick => {
            assert!(
                matches!(&refused, Answer::Refused(Refusal::Other(words)) if words.contains("No quotes"))
            );
        }
    }
}

/// LI.FI's stand-in keeps fees for itself, so only the others show the operator's.
pub(super) async fn an_operators_fee_is_passed_on_and_shown(mut subject: Subject) {
    subject.configure(Settings { fee_bps: 100, ..Settings::default() });
    let offer = subject.offer().await;
    if matches!(subject.kind, Kind::Jupiter) {
        assert!(offer.fees.is_empty(), "an operator has no fee there");
        return;
    }
    if !matches!(subject.kind, Kind::Lifi) {
        let fee = offer.fees.iter().find(|fee| fee.kind == FeeKind::Protocol).unwrap();
        // 0x takes it from the output, the others from the input.
        let expected = if matches!(subject.kind, Kind::Zerox) { "249750" } else { "250000" };
        assert_eq!(fee.amount.to_string(), expected);
        assert_eq!(offer.amount_out.to_string(), "24725250");
    }
    assert!(!offer.fees.is_empty());
}

pub(super) async fn a_slow_provider_is_given_up_at_its_deadline(mut subject: Subject) {
    subject.misbehave(Mischief::Slow(Duration::from_mins(10)));
    subject.configure(Settings { deadline_ms: Some(50), ..Settings::default() });
    assert!(matches!(subject.provider.quote(&subject.ask()).await, Err(FillerError::Unavailable(_))));
}

pub(super) async fn a_provider_that_asks_for_it_is_left_alone(subject: Subject) {
    subject.misbehave(Mischief::TooMany);
    let Err(FillerError::Unavailable(words)) = subject.provider.quote(&subject.ask()).await else {
        panic!("429")
    };
    assert!(words.contains("429"), "{words}");
    subject.misbehave(Mischief::None);
    let Err(FillerError::Unavailable(words)) = subject.provider.quote(&subject.ask()).await else {
        panic!("asked again")
    };
    assert!(words.contains("left alone"), "{words}");
    assert_eq!(subject.quotes(), 1, "the second was not sent");
}

pub(super) async fn an_outage_is_no_lie(subject: Subject) {
    subject.misbehave(Mischief::Down);
    let Err(FillerError::Unavailable(words)) = subject.provider.quote(&subject.ask()).await else {
        panic!("503")
    };
    assert!(words.contains("503"), "{words}");
    subject.misbehave(Mischief::None);
    subject.offer().await;
}

pub(super) async fn its_own_list_of_contracts_is_compared_with_the_pinned_ones(subject: Subject) {
    let named = subject.provider.named_contracts().await.unwrap();
    let pinned: Vec<(u64, bool)> = named.iter().map(|named| (named.chain.get(), named.pinned)).collect();
    assert_eq!(pinned, [(BASE, true), (ARBITRUM, false)]);
}
