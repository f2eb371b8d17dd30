use causeway_domain::ports::FillerError;
use causeway_fillers::providers::standin::Mischief;

use super::subject::{Kind, OTHER, Subject};

async fn is_a_fault(subject: Subject, mischief: Mischief, word: &str) {
    let words = subject.fault(mischief).await;
    assert!(words.contains(word), "{word}: {words}");
}

pub(super) async fn html_instead_of_json(subject: Subject) {
    is_a_fault(subject, Mischief::Html, "cannot be read").await;
}

pub(super) async fn another_target(subject: Subject) {
    is_a_fault(subject, Mischief::OtherTarget(OTHER), "not pinned").await;
}

pub(super) async fn another_spender(subject: Subject) {
    let word = match subject.kind {
        Kind::Lifi | Kind::Zerox => "not pinned",
        Kind::Relay => "not its depository",
        // Who signs is who pays.
        Kind::Jupiter => "instead of the payer",
        Kind::OneClick => unreachable!("it is paid by a transfer"),
    };
    is_a_fault(subject, Mischief::OtherSpender(OTHER), word).await;
}

pub(super) async fn another_recipient(subject: Subject) {
    is_a_fault(subject, Mischief::OtherRecipient(OTHER), "instead of").await;
}

pub(super) async fn a_renamed_chain(subject: Subject) {
    let word = match subject.kind {
        Kind::Lifi => "another destination chain",
        Kind::Relay | Kind::OneClick | Kind::Zerox | Kind::Jupiter => "another output token",
    };
    is_a_fault(subject, Mischief::OtherChain, word).await;
}

pub(super) async fn other_decimals(subject: Subject) {
    is_a_fault(subject, Mischief::OtherDecimals, "decimals").await;
}

pub(super) async fn everything_is_checked_again_when_it_is_built(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    for mischief in [Mischief::OtherRecipient(OTHER), Mischief::OtherChain, Mischief::Html] {
        subject.misbehave(mischief);
        let built = subject.provider.deposit(&ask).await;
        assert!(matches!(built, Err(FillerError::Nonsense(_))), "{mischief:?}: {built:?}");
    }
}

pub(super) async fn another_target_when_it_is_built(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    subject.misbehave(Mischief::OtherTarget(OTHER));
    let transaction = subject.call(&ask).await.unwrap();
    let pinned = subject.provider.is_pinned(ask.from.chain(), transaction.target);
    assert!(!pinned, "the engine refuses what is not pinned");
    subject.misbehave(Mischief::UnboundedAllowance);
    match (subject.kind, subject.call(&ask).await) {
        // It names a contract only; how much it is allowed is not its to say.
        (Kind::Lifi | Kind::Zerox, Ok(transaction)) => assert!(transaction.spender.is_some()),
        // What its program does with the payer's signature is for the simulation to show.
        (Kind::Jupiter, Ok(transaction)) => assert_eq!(transaction.spender, None),
        (Kind::Relay, Err(FillerError::Nonsense(words))) => {
            assert!(words.contains("allowance of"), "{words}");
        }
        (kind, built) => panic!("{kind:?}: {built:?}"),
    }
}

pub(super) async fn another_output_in_its_transaction(subject: Subject) {
    is_a_fault(subject, Mischief::OtherOutput, "pays in").await;
}

pub(super) async fn a_short_output_is_seen_when_it_is_built(subject: Subject) {
    let ask = subject.provider_ask(&subject.offer().await);
    subject.misbehave(Mischief::WorsePrice);
    let worse = subject.provider.deposit(&ask).await.unwrap();
    assert!(worse.min_amount_out() < ask.min_amount_out);
}
