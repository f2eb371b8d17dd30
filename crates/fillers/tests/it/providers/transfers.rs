use alloy_primitives::Address as EvmAddress;
use causeway_domain::ports::{FillerError, ProviderState};
use causeway_domain::{Address, DepositMethod};
use causeway_fillers::providers::standin::Mischief;
use jiff::Timestamp;

use super::chain::DEPOSIT;
use super::subject::{OTHER, Subject};

pub(super) async fn an_offer_says_who_settles_and_its_address_is_for_the_quoted_route(subject: Subject) {
    let offer = subject.offer().await;
    assert_eq!(offer.deposit_methods, [DepositMethod::Transfer]);
    let out = (offer.amount_out.to_string(), offer.min_amount_out.to_string());
    assert_eq!(out, ("24975000".into(), "24850125".into()));
    let provider = offer.provider.clone().unwrap();
    assert!(provider.notice.held_by.contains("agent"), "{:?}", provider.notice);
    assert!(provider.notice.refunds.contains("returns the input"), "{:?}", provider.notice);
    let given = subject.address(&subject.provider_ask(&offer)).await.unwrap();
    assert_eq!(given.min_amount_out, offer.min_amount_out);
    let left = i64::try_from(given.pays_until).unwrap() - Timestamp::now().as_second();
    assert!((1_700..=1_800).contains(&left), "half an hour: {left}");
    let again = subject.address(&subject.provider_ask(&offer)).await.unwrap();
    assert_ne!(again.address, given.address, "an address for each deposit");
    assert_eq!(subject.provider.deposit_method(), DepositMethod::Transfer);
    assert!(!subject.provider.is_pinned(subject.ask().ask.from.chain(), given.address));
}

pub(super) async fn a_price_alone_makes_no_address(subject: Subject) {
    subject.offer().await;
    assert_eq!(subject.provider.look_up(&subject.order(), None).await.unwrap(), None);
}

pub(super) async fn a_quote_that_takes_more_is_a_fault(subject: Subject) {
    let words = subject.fault(Mischief::TakesMore(OTHER)).await;
    assert!(words.contains("takes 50000000 raw units instead of 25000000"), "{words}");
}

pub(super) async fn an_address_of_the_route_itself_is_for_the_engine_to_refuse(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    let Address::Evm(payer) = ask.payer else { panic!("an EVM address") };
    subject.misbehave(Mischief::OtherTarget(payer));
    assert_eq!(subject.address(&ask).await.unwrap().address, ask.payer);
    subject.misbehave(Mischief::OtherTarget(EvmAddress::ZERO));
    assert!(subject.address(&ask).await.unwrap().address.is_native());
}

pub(super) async fn an_address_with_a_memo_is_not_used(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    subject.misbehave(Mischief::NeedsMemo);
    let Err(FillerError::Unavailable(words)) = subject.address(&ask).await else { panic!("an address") };
    assert!(words.contains("memo"), "{words}");
}

pub(super) async fn the_shorter_of_its_times_counts(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    subject.misbehave(Mischief::ShortTime);
    let given = subject.address(&ask).await.unwrap();
    assert!(i64::try_from(given.pays_until).unwrap() <= Timestamp::now().as_second() + 60);
}

pub(super) async fn a_payment_is_seen_without_being_named(subject: Subject) {
    subject.pay().await;
    let report = subject.provider.look_up(&subject.order(), None).await.unwrap().unwrap();
    assert!(matches!(report.state, ProviderState::Delivered { .. }), "{report:?}");
    assert_eq!((report.word.as_str(), &report.deposits[..]), ("SUCCESS", &[DEPOSIT.to_owned()][..]));
    assert_eq!(subject.named(), []);
}

pub(super) async fn a_payment_that_it_has_not_seen_is_named_to_it(subject: Subject) {
    subject.pay_part(0).await;
    assert_eq!(subject.report().await.unwrap(), None);
    let target = subject.order().provider.unwrap().target;
    let [(tx, address)] = &subject.named()[..] else { panic!("not named once") };
    assert_eq!((tx.as_str(), address.clone()), (DEPOSIT, target.to_string()));
    assert_eq!(subject.state().await, ProviderState::Working);
    assert_eq!(subject.named().len(), 1, "it knows it now");
}

pub(super) async fn a_payment_of_less_is_open(subject: Subject) {
    subject.pay_part(40).await;
    let report = subject.report().await.unwrap().unwrap();
    assert_eq!((report.state, report.word.as_str()), (ProviderState::Working, "INCOMPLETE_DEPOSIT"));
    assert!(subject.chain.payments().is_empty());
}

pub(super) async fn a_status_of_another_address_is_a_fault(subject: Subject) {
    subject.pay().await;
    subject.misbehave(Mischief::OtherStatus);
    let Err(FillerError::Nonsense(words)) = subject.report().await else { panic!("read") };
    assert!(words.contains("another deposit address"), "{words}");
}

pub(super) async fn a_payment_is_not_its_own_refund(subject: Subject) {
    subject.misbehave(Mischief::Refunds);
    subject.pay().await;
    let ProviderState::Returned(returned) = subject.state().await else { panic!("not returned") };
    assert_ne!(returned.tx, DEPOSIT, "the payment is not its own refund");
}
