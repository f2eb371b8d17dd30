use alloy_primitives::U256;
use causeway_domain::ports::{FillerError, ProviderDeposit, ProviderReport, ProviderReturn, ProviderState};
use causeway_domain::{Ask, DepositMethod, Order, ProviderOrder, ProviderTerms, Slippage};
use causeway_fillers::providers::standin::Mischief;
use causeway_testing::sample;

use super::chain::DEPOSIT;
use super::subject::{ARBITRUM, BASE, Kind, OTHER, Subject};

/// An order of the usual ask.
fn order_of(ask: &Ask) -> Order {
    let mut order = sample::order(1);
    (order.from, order.to, order.src_amount) = (ask.from, ask.to, ask.amount);
    (order.author, order.recipient, order.refund_to) = (ask.from_address, ask.recipient, ask.refund_to);
    order
}

impl Subject {
    /// Makes the deposit of a quote, as the payer does.
    pub(super) async fn pay(&self) {
        self.pay_part(100).await;
    }

    /// Pays that percentage of a transfer; calls pay all.
    pub(super) async fn pay_part(&self, percent: u64) {
        let ask = self.provider_ask(&self.offer().await);
        match self.provider.deposit(&ask).await.unwrap() {
            ProviderDeposit::Call(call) => self.chain.send(self.source(), &ask.payer, &call),
            ProviderDeposit::Transfer(given) => {
                let amount = ask.amount_in.get() * U256::from(percent) / U256::from(100);
                self.chain.transfer(BASE, ask.from.address(), given.address, amount);
                *self.paid.lock() = Some(given.address);
            }
        }
    }

    /// The order of the last payment.
    pub(super) fn order(&self) -> Order {
        let mut order = order_of(&self.ask().ask);
        if let Some(address) = *self.paid.lock() {
            let offered = self.provider.notice().clone();
            order.method = DepositMethod::Transfer;
            order.provider = Some(Box::new(ProviderOrder {
                terms: ProviderTerms { tool: "near-intents".to_owned(), slippage: Slippage::DEFAULT },
                notice: offered,
                target: address,
                spender: None,
                word: None,
                named_deposit: None,
                joined: None,
            }));
        }
        order
    }

    pub(super) async fn report(&self) -> Result<Option<ProviderReport>, FillerError> {
        self.provider.look_up(&self.order(), Some(DEPOSIT)).await
    }

    pub(super) async fn state(&self) -> ProviderState {
        self.report().await.unwrap().unwrap().state
    }
}

pub(super) async fn a_deposit_that_it_has_not_seen_is_unknown(subject: Subject) {
    subject.offer().await;
    assert_eq!(subject.report().await.unwrap(), None);
    assert!(subject.chain.payments().is_empty());
}

pub(super) async fn a_delivery_names_its_transaction(subject: Subject) {
    subject.pay().await;
    let ProviderState::Delivered { tx } = subject.state().await else { panic!("not delivered") };
    let [paid] = &subject.chain.payments()[..] else { panic!("not paid once") };
    assert_eq!((paid.chain, paid.tx.as_str(), paid.amount.as_str()), (ARBITRUM, tx.as_str(), "24975000"));
    assert_eq!(paid.to, subject.ask().ask.recipient.to_string());
    assert_eq!(subject.state().await, ProviderState::Delivered { tx }, "asked again, paid once");
    assert_eq!(subject.chain.payments().len(), 1);
}

pub(super) async fn stuck_is_working(subject: Subject) {
    subject.misbehave(Mischief::Stuck);
    subject.pay().await;
    assert_eq!(subject.state().await, ProviderState::Working);
}

pub(super) async fn a_status_may_go_back(subject: Subject) {
    subject.pay().await;
    assert!(matches!(subject.state().await, ProviderState::Delivered { .. }));
    subject.misbehave(Mischief::GoesBack);
    assert_eq!(subject.state().await, ProviderState::Working);
}

pub(super) async fn done_without_a_transfer_is_its_word_only(subject: Subject) {
    subject.misbehave(Mischief::OnlySaysDone);
    subject.pay().await;
    assert!(matches!(subject.state().await, ProviderState::Delivered { .. }));
    assert!(subject.chain.payments().is_empty(), "the engine looks at the chain");
}

pub(super) async fn a_transfer_of_less_is_named_as_any(subject: Subject) {
    subject.misbehave(Mischief::PaysLess);
    subject.pay().await;
    assert!(matches!(subject.state().await, ProviderState::Delivered { .. }));
    assert_eq!(
        subject.chain.payments()[0].amount,
        "12487500",
        "the engine compares it with the agreed output"
    );
}

pub(super) async fn a_refund_is_of_the_input(subject: Subject) {
    subject.misbehave(Mischief::Refunds);
    subject.pay().await;
    let ProviderState::Returned(returned) = subject.state().await else { panic!("not returned") };
    assert_eq!((returned.token, returned.at_recipient), (subject.ask().ask.from, false));
    let paid = &subject.chain.payments()[0];
    assert_eq!((paid.chain, &paid.tx, paid.amount.as_str()), (BASE, &returned.tx, "25000000"));
}

pub(super) async fn a_refund_in_another_token_names_it(subject: Subject) {
    subject.misbehave(Mischief::PaysOther(OTHER));
    subject.pay().await;
    let ProviderState::Returned(ProviderReturn { token, at_recipient, .. }) = subject.state().await else {
        panic!("not returned")
    };
    assert_eq!((token.chain().get(), token.address().to_string()), (ARBITRUM, OTHER.to_string()));
    assert_eq!(at_recipient, matches!(subject.kind, Kind::Lifi), "Relay pays its refund address");
}

pub(super) async fn a_status_is_not_asked_for_while_it_wants_to_be_left_alone(subject: Subject) {
    subject.pay().await;
    subject.misbehave(Mischief::TooMany);
    let Err(FillerError::Unavailable(words)) = subject.report().await else { panic!("429") };
    assert!(words.contains("429"), "{words}");
    subject.misbehave(Mischief::None);
    let Err(FillerError::Unavailable(words)) = subject.report().await else { panic!("asked again") };
    assert!(words.contains("left alone"), "{words}");
    assert!(subject.chain.payments().is_empty(), "the second was not sent");
    // Its limit of quotes is another one.
    subject.offer().await;
}

pub(super) async fn an_outage_tells_no_status(subject: Subject) {
    subject.pay().await;
    subject.misbehave(Mischief::Down);
    assert!(matches!(subject.report().await, Err(FillerError::Unavailable(_))));
    subject.misbehave(Mischief::Html);
    assert!(matches!(subject.report().await, Err(FillerError::Nonsense(_))));
    subject.misbehave(Mischief::None);
    assert!(matches!(subject.state().await, ProviderState::Delivered { .. }));
}

pub(super) async fn the_payers_transaction_is_the_delivery(subject: Subject) {
    assert!(subject.provider.delivers_at_once());
    let order = subject.order();
    assert_eq!(subject.provider.look_up(&order, None).await.unwrap(), None);
    // There is nothing to ask for, so an outage changes nothing; whether it is so, the chain shows.
    subject.misbehave(Mischief::Down);
    let report = subject.provider.look_up(&order, Some(DEPOSIT)).await.unwrap().unwrap();
    assert_eq!(report.state, ProviderState::Delivered { tx: DEPOSIT.to_owned() });
    assert_eq!((report.word.as_str(), report.deposits.len(), report.received), ("", 0, None));
}
