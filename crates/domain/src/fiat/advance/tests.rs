mod histories;
mod sample;

use sample::*;

use super::*;
use crate::{Evidence, OrderStatus, TokenId};

#[test]
fn rule_22_provider_reports_change_the_status_but_never_complete_a_purchase() {
    for (state, expected) in [
        (RampState::Waiting, FiatStatus::Created),
        (RampState::Started, FiatStatus::Pending),
        (RampState::Paid, FiatStatus::Processing),
        (RampState::Delivered, FiatStatus::Processing),
        (RampState::Unknown("on hold".to_owned()), FiatStatus::Created),
        (RampState::Canceled, FiatStatus::Canceled),
        (RampState::Expired, FiatStatus::Expired),
    ] {
        for order in [direct(), forwarded()] {
            let step =
                advance_fiat(order, &FiatContext { lookup: Some(reported(state.clone())), ..context() });
            assert_eq!(step.order.status, expected, "{state:?}");
            assert_eq!((step.order.output, step.order.fill_tx), (None, None));
            assert_eq!(step.order.provider_order.as_deref(), Some("p-1"));
        }
    }
}

#[test]
fn rule_22_a_direct_purchase_completes_on_chain_evidence() {
    let context = FiatContext {
        lookup: Some(reported(RampState::Paid)),
        payouts: vec![payout(98_000_000)],
        ..context()
    };
    let step = advance_fiat(direct(), &context);
    assert_eq!(step.order.status, FiatStatus::Completed);
    assert_eq!(step.order.output, Some(raw(98_000_000)));
    assert_eq!(step.order.fill_tx.as_deref(), Some("0xpaid"));
    assert_eq!(step.order.payout, Some(payout(98_000_000)));
    assert_eq!(step.order.due_at, None, "nothing is left to do");
    assert!(step.changes.iter().any(|(status, message)| status.is_none() && message.contains("98000000")));
    let other = Payout { token: TokenId::native(chain(8453)), ..payout(98_000_000) };
    let step = advance_fiat(direct(), &FiatContext { payouts: vec![other], ..context });
    assert_eq!(step.order.status, FiatStatus::Processing, "another token is no delivery");
}

#[test]
fn a_declined_payment_fails_with_the_providers_reason() {
    let step =
        advance_fiat(direct(), &FiatContext { lookup: Some(reported(RampState::Failed)), ..context() });
    let failure = step.order.failure.unwrap();
    assert_eq!(step.order.status, FiatStatus::Failed);
    assert_eq!((failure.code.as_str(), failure.source), ("payment_declined", FiatFailureSource::Provider));
    assert_eq!(failure.message, "The card was declined.");
}

#[test]
fn a_declined_card_fails_the_attempt_not_the_purchase() {
    let run = |order: FiatOrder, lookup, at| {
        advance_fiat(order, &FiatContext { lookup: Some(lookup), now: later(at), ..context() }).order
    };
    let declined = run(direct(), tried(RampState::Failed), 60);
    assert_eq!((declined.status, &declined.failure), (FiatStatus::Pending, &None), "the payer has begun");
    assert_eq!(run(declined.clone(), tried(RampState::Failed), 1_800).status, FiatStatus::Pending);
    assert_eq!(
        run(declined.clone(), reported(RampState::Paid), 120).status,
        FiatStatus::Processing,
        "another card"
    );
    for (state, end) in [
        (RampState::Failed, FiatStatus::Failed),
        (RampState::Canceled, FiatStatus::Canceled),
        (RampState::Expired, FiatStatus::Expired),
    ] {
        assert_eq!(
            run(declined.clone(), tried(state.clone()), 2_400).status,
            FiatStatus::Pending,
            "{state:?}"
        );
        assert_eq!(run(declined.clone(), tried(state.clone()), 2_401).status, end, "its deadline has passed");
    }
    let failed = run(declined, tried(RampState::Failed), 2_401);
    assert_eq!(failed.failure.unwrap().message, "The card was declined.");
    assert_eq!(
        run(direct(), tried(RampState::Expired), 60).status,
        FiatStatus::Created,
        "nobody opened the checkout, and another one can be created"
    );
    let paid = FiatOrder { status: FiatStatus::Processing, ..direct() };
    assert_eq!(run(paid.clone(), tried(RampState::Failed), 60).status, FiatStatus::Processing);
    assert_eq!(run(paid, tried(RampState::Failed), 2_401).status, FiatStatus::Failed);
}

#[test]
fn a_delivery_after_the_terminal_status_is_recorded_without_changing_it() {
    for status in [FiatStatus::Failed, FiatStatus::Canceled, FiatStatus::Expired] {
        let ended = FiatOrder { status, ..direct() };
        let step = advance_fiat(ended.clone(), &context());
        assert!(step.order.due_at.is_some(), "the provider is polled for a while");
        let late = FiatContext { payouts: vec![payout(99_000_000)], now: later(90_000), ..context() };
        let step = advance_fiat(ended.clone(), &late);
        assert_eq!((step.order.status, step.order.failure), (status, None), "the terminal status stays");
        assert_eq!(
            (step.order.output, step.order.fill_tx.as_deref()),
            (Some(raw(99_000_000)), Some("0xpaid"))
        );
        assert_eq!(step.order.payout, Some(payout(99_000_000)), "it completes no other purchase");
        assert!(step.changes.iter().all(|(status, message)| status.is_none() && message.contains("0xpaid")));
        assert_eq!(step.order.due_at, None, "nothing left to wait for");
        let much_later = FiatContext { now: later(5 * 86_400), ..context() };
        assert_eq!(advance_fiat(ended, &much_later).order.due_at, None);
    }
}

#[test]
fn rule_21_funds_that_reach_a_forwarding_address_late_are_still_swapped() {
    let ended = FiatOrder { status: FiatStatus::Expired, ..forwarded() };
    let came = FiatContext {
        now: later(3_000),
        payouts: vec![payout(99_000_000)],
        forwarding_balance: Some(held(99_000_000)),
        ..context()
    };
    let step = advance_fiat(ended, &came);
    assert_eq!((step.order.status, &step.actions[..]), (FiatStatus::Expired, &step_swap(99_000_000)[..]));
    assert!(step.changes.iter().any(|(_, message)| message.contains("0xpaid")), "{:?}", step.changes);
    let order = step.order;
    let created = FiatContext { swaps: vec![swap(99_000_000, Evidence::default())], ..came.clone() };
    assert_eq!(advance_fiat(order.clone(), &created).actions, [], "a swap waits for it");
    let done = FiatContext {
        swaps: vec![swap(99_000_000, filled())],
        forwarding_balance: Some(held(0)),
        ..came.clone()
    };
    let step = advance_fiat(order.clone(), &done);
    assert_eq!((step.order.output, step.order.fill_tx.as_deref()), (Some(raw(30)), Some("0xfilled")));
    assert!(step.changes.iter().any(|(_, message)| message.contains("0xfilled")));
    assert_eq!(advance_fiat(step.order, &done).changes, [], "reported once");
    let back = FiatContext {
        swaps: vec![swap(99_000_000, refunded())],
        forwarding_balance: Some(held(0)),
        ..came.clone()
    };
    let step = advance_fiat(order.clone(), &back);
    assert_eq!(step.order.strategy.forwarding().unwrap().returned_tx.as_deref(), Some("0xback"));
    assert!(step.changes.iter().any(|(_, message)| message.contains("0xback")));
    let waited = FiatContext { now: later(3_000 + 3_601), ..came };
    assert_eq!(
        advance_fiat(order.clone(), &waited).actions,
        [ForwardingAction::ReturnBalance { tokens: vec![usdc()], seen_in: 50 }],
        "late funds wait no longer than others"
    );
    let returned = FiatContext { returned: Some("0xreturned".to_owned()), ..waited };
    let step = advance_fiat(order, &FiatContext { forwarding_balance: Some(held(0)), ..returned.clone() });
    assert!(step.changes.iter().any(|(_, message)| message.contains("0xreturned")));
    let again =
        advance_fiat(step.order, &FiatContext { forwarding_balance: Some(held(99_000_000)), ..returned });
    assert!(
        matches!(again.actions[..], [ForwardingAction::ReturnBalance { .. }]),
        "later funds are returned"
    );
}

#[test]
fn rule_22_a_paid_purchase_never_expires_and_fails_only_when_the_provider_reports_it() {
    let paid = FiatOrder { status: FiatStatus::Processing, ..direct() };
    let much_later = later(30 * 86_400);
    for lookup in [
        None,
        Some(ProviderLookup::NotFound),
        Some(reported(RampState::Waiting)),
        Some(reported(RampState::Started)),
    ] {
        let step = advance_fiat(paid.clone(), &FiatContext { now: much_later, lookup, ..context() });
        assert_eq!(step.order.status, FiatStatus::Processing);
        assert!(step.order.due_at.is_some());
    }
    for state in [RampState::Failed, RampState::Canceled, RampState::Expired] {
        let step = advance_fiat(paid.clone(), &FiatContext { lookup: Some(reported(state)), ..context() });
        assert_eq!(step.order.status, FiatStatus::Failed);
    }
}

#[test]
fn an_unpaid_purchase_expires_only_on_a_fresh_provider_answer() {
    let over = |lookup, after| {
        advance_fiat(direct(), &FiatContext { now: later(after), lookup, ..context() }).order.status
    };
    assert_eq!(over(Some(reported(RampState::Waiting)), 1_800), FiatStatus::Created, "the last moment");
    assert_eq!(over(Some(reported(RampState::Waiting)), 1_801), FiatStatus::Expired);
    assert_eq!(over(Some(ProviderLookup::NotFound), 1_801), FiatStatus::Expired);
    assert_eq!(over(None, 1_801), FiatStatus::Created, "the provider has not answered");
    assert_eq!(
        over(Some(reported(RampState::Started)), 1_801),
        FiatStatus::Pending,
        "bank transfers are slow"
    );
    assert_eq!(over(Some(reported(RampState::Started)), 1_801 + 86_400), FiatStatus::Expired);
    assert_eq!(over(Some(reported(RampState::Paid)), 1_801), FiatStatus::Processing);
}

#[test]
fn rule_21_funds_at_a_forwarding_address_are_swapped_whatever_the_provider_reports() {
    let context = FiatContext {
        lookup: Some(reported(RampState::Waiting)),
        forwarding_balance: Some(held(90_000_000)),
        ..context()
    };
    let step = advance_fiat(forwarded(), &context);
    assert_eq!(step.order.status, FiatStatus::Processing, "more than half of it has arrived");
    assert_eq!(step.actions, [ForwardingAction::Swap { amount: raw(90_000_000), seen_in: 50 }]);
    let created = FiatContext { swaps: vec![swap(90_000_000, Evidence::default())], ..context.clone() };
    let step = advance_fiat(forwarded(), &created);
    assert_eq!(step.actions, [], "a swap waits for it");
    assert_eq!(step.order.strategy.forwarding().unwrap().swap, Some(created.swaps[0].id.clone()));
    for amount in [89_999_999, 80_000_000] {
        let more = FiatContext { swaps: vec![swap(amount, Evidence::default())], ..context.clone() };
        assert_eq!(advance_fiat(forwarded(), &more).actions, [], "what came since waits for the swap");
    }
    let less = FiatContext { swaps: vec![swap(90_000_001, Evidence::default())], ..context.clone() };
    assert_eq!(advance_fiat(forwarded(), &less).actions, step_swap(90_000_000), "that swap takes more");
    let failed = Order { status: OrderStatus::Failed, ..swap(90_000_000, Evidence::default()) };
    let failed = FiatContext { swaps: vec![failed], ..context.clone() };
    assert_eq!(advance_fiat(forwarded(), &failed).actions, step_swap(90_000_000), "that swap has failed");
    let late = FiatContext { hub_time: Some(seconds(3_601)), ..created };
    assert_eq!(advance_fiat(forwarded(), &late).actions, step_swap(90_000_000), "that swap is too late");
}

fn step_swap(amount: u64) -> [ForwardingAction; 1] {
    [ForwardingAction::Swap { amount: raw(amount), seen_in: 50 }]
}

#[test]
fn rule_21_a_strangers_cents_start_nothing() {
    let holds = |amount, lookup| FiatContext { lookup, forwarding_balance: Some(held(amount)), ..context() };
    for amount in [989_999, 990_000, 49_499_999] {
        let step = advance_fiat(forwarded(), &holds(amount, Some(reported(RampState::Waiting))));
        assert_eq!((step.order.status, step.actions.len()), (FiatStatus::Created, 0), "{amount}");
        let ended = FiatOrder { status: FiatStatus::Expired, ..forwarded() };
        assert_eq!(
            advance_fiat(ended, &holds(amount, None)).actions,
            [],
            "{amount}: a late payment may come"
        );
    }
    let step = advance_fiat(forwarded(), &holds(49_500_000, None));
    assert_eq!(
        (step.order.status, step.actions.len()),
        (FiatStatus::Processing, 1),
        "half of it is a payment"
    );
    let paid = || Some(reported(RampState::Paid));
    assert_eq!(advance_fiat(forwarded(), &holds(989_999, paid())).actions, [], "dust");
    assert_eq!(advance_fiat(forwarded(), &holds(990_000, paid())).actions, step_swap(990_000));
}

#[test]
fn rule_21_a_purchase_completes_when_what_arrived_reaches_what_was_sold() {
    let with = |swaps: &[(u64, Evidence)], balance, lookup| FiatContext {
        swaps: swaps.iter().map(|(amount, evidence)| swap(*amount, evidence.clone())).collect(),
        forwarding_balance: Some(held(balance)),
        lookup,
        ..context()
    };
    let paid = FiatOrder { status: FiatStatus::Processing, ..forwarded() };
    let part = advance_fiat(paid.clone(), &with(&[(60_000_000, filled())], 0, None));
    assert_eq!((part.order.status, part.order.output), (FiatStatus::Processing, Some(raw(30))));
    assert!(part.changes[0].1.contains("Partially delivered: 60000000 of 99000000"), "{:?}", part.changes);
    let again = advance_fiat(part.order.clone(), &with(&[(60_000_000, filled())], 0, None));
    assert_eq!(again.changes, [], "recorded once");
    // What comes later is swapped to the same recipient, however late.
    let more = FiatContext { now: later(8_000), ..with(&[(60_000_000, filled())], 39_000_000, None) };
    assert_eq!(advance_fiat(part.order.clone(), &more).actions, step_swap(39_000_000));
    let running = with(&[(60_000_000, filled()), (39_000_000, opened())], 0, None);
    assert_eq!(advance_fiat(part.order.clone(), &running).order.status, FiatStatus::Processing);
    let both = with(&[(60_000_000, filled()), (39_000_000, filled())], 0, None);
    let done = advance_fiat(part.order.clone(), &both).order;
    assert_eq!((done.status, done.output), (FiatStatus::Completed, Some(raw(60))));
    // Within the tolerance it is complete, and likewise if the provider says that it delivered no more.
    for (amount, status) in [(94_049_999, FiatStatus::Processing), (94_050_000, FiatStatus::Completed)] {
        assert_eq!(advance_fiat(paid.clone(), &with(&[(amount, filled())], 0, None)).order.status, status);
    }
    let says = |amount| {
        let ProviderLookup::Found(report) = reported(RampState::Delivered) else { unreachable!() };
        Some(ProviderLookup::Found(Box::new(RampReport { amount: Some(raw(amount)), ..*report })))
    };
    let reported =
        |swapped, says| advance_fiat(paid.clone(), &with(&[(swapped, filled())], 0, says)).order.status;
    assert_eq!(reported(90_000_000, says(90_000_000)), FiatStatus::Completed);
    assert_eq!(reported(89_999_999, says(90_000_000)), FiatStatus::Processing);
    assert_eq!(reported(1_000_000, says(1_000_000)), FiatStatus::Processing, "that is no delivery of it");
    // At the end a part is what it is.
    let over = FiatContext {
        hub_time: Some(forwarding_order().expiry + 1),
        ..with(&[(60_000_000, filled())], 0, None)
    };
    let ended = advance_fiat(part.order, &over).order;
    assert_eq!(
        (ended.status, ended.failure.unwrap().code.as_str()),
        (FiatStatus::Failed, "partially_delivered")
    );
    assert_eq!((ended.output, ended.fill_tx.as_deref()), (Some(raw(30)), Some("0xfilled")));
}

#[test]
fn a_forwarded_purchase_completes_when_its_swap_is_filled() {
    let context = FiatContext {
        swaps: vec![swap(99_000_000, filled())],
        forwarding_balance: Some(held(0)),
        ..context()
    };
    let step = advance_fiat(forwarded(), &context);
    assert_eq!(step.order.status, FiatStatus::Completed);
    assert_eq!((step.order.output, step.order.fill_tx.as_deref()), (Some(raw(30)), Some("0xfilled")));
    assert!(step.order.due_at.is_some(), "further funds are returned");
    let past = FiatContext { now: later(86_400 * 9), ..context };
    assert_eq!(advance_fiat(step.order, &past).order.due_at, None);
}

#[test]
fn a_refunded_swap_is_reported_with_both_transactions() {
    let context = FiatContext { swaps: vec![swap(99_000_000, refunded())], ..context() };
    let order = FiatOrder { payout: Some(payout(99_000_000)), status: FiatStatus::Processing, ..forwarded() };
    let failure = advance_fiat(order, &context).order.failure.unwrap();
    assert_eq!((failure.code.as_str(), failure.source), ("swap_refunded", FiatFailureSource::Swap));
    assert!(failure.message.contains("0xback") && failure.message.contains("0xpaid"), "{}", failure.message);
}

#[test]
fn rule_21_funds_without_a_route_are_returned_in_time() {
    let order = FiatOrder { status: FiatStatus::Processing, ..forwarded() };
    let back = [ForwardingAction::ReturnBalance { tokens: vec![usdc()], seen_in: 50 }];
    let waited = FiatContext { now: later(3_601), forwarding_balance: Some(held(99_000_000)), ..context() };
    let seen = FiatOrder { payout: Some(payout(99_000_000)), ..order.clone() };
    assert_eq!(advance_fiat(seen, &waited).actions, back);
    let expiring = FiatContext {
        hub_time: Some(forwarding_order().expiry - 599),
        forwarding_balance: Some(held(99_000_000)),
        ..context()
    };
    assert_eq!(advance_fiat(order.clone(), &expiring).actions, back);
    let returned = Some("0xreturned".to_owned());
    let step = advance_fiat(
        order.clone(),
        &FiatContext { returned, forwarding_balance: Some(held(0)), ..context() },
    );
    let failure = step.order.failure.unwrap();
    assert_eq!((step.order.status, failure.code.as_str()), (FiatStatus::Failed, "no_route"));
    assert!(failure.message.contains("0xreturned"));
    // Somebody else returned it, which anybody may do once the forwarding order has expired.
    let paid = FiatOrder { payout: Some(payout(99_000_000)), ..order };
    let gone = |time| FiatContext { hub_time: Some(time), forwarding_balance: Some(held(0)), ..context() };
    let step = advance_fiat(paid.clone(), &gone(forwarding_order().expiry));
    assert_eq!(step.order.status, FiatStatus::Processing, "a swap may have taken it a moment ago");
    assert_eq!(advance_fiat(paid, &gone(forwarding_order().expiry + 1)).order.status, FiatStatus::Failed);
}

#[test]
fn rule_21_funds_that_arrive_slowly_are_swapped_on_arrival() {
    let paid = FiatOrder { status: FiatStatus::Processing, ..forwarded() };
    let unread = FiatContext { now: later(7_200), forwarding_balance: Some(held(99_000_000)), ..context() };
    let amount = unread.forwarding_balance.as_ref().unwrap().amount;
    assert_eq!(advance_fiat(paid, &unread).actions, [ForwardingAction::Swap { amount, seen_in: 50 }]);
}

#[test]
fn rule_21_a_second_payout_is_returned_and_changes_nothing() {
    let swaps = vec![swap(99_000_000, opened())];
    let second =
        FiatContext { swaps: swaps.clone(), forwarding_balance: Some(held(99_000_000)), ..context() };
    let step = advance_fiat(forwarded(), &second);
    assert_eq!(step.order.status, FiatStatus::Processing);
    assert_eq!(step.actions, [ForwardingAction::ReturnBalance { tokens: vec![usdc()], seen_in: 50 }]);
    let stale = Some(ForwardingBalance { block: 39, ..held(99_000_000) });
    let step = advance_fiat(forwarded(), &FiatContext { forwarding_balance: stale, swaps, ..context() });
    assert_eq!(step.actions, [], "read before the swap took the funds");
    let expired = FiatOrder { status: FiatStatus::Expired, ..forwarded() };
    let over = FiatContext {
        hub_time: Some(forwarding_order().expiry),
        forwarding_balance: Some(held(5)),
        ..context()
    };
    let step = advance_fiat(expired, &over);
    assert_eq!(
        (step.order.status, step.actions.len()),
        (FiatStatus::Expired, 1),
        "too late to be a purchase"
    );
}

#[test]
fn an_unpaid_purchase_is_looked_at_more_rarely_and_when_its_time_to_pay_ends() {
    let due = |millis: i64| {
        let now = now() + SignedDuration::from_millis(millis);
        advance_fiat(direct(), &FiatContext { now, ..context() }).order.due_at.unwrap()
    };
    let after = |millis: i64| now() + SignedDuration::from_millis(millis);
    assert_eq!(due(8_000), after(10_000), "at most every two seconds");
    assert_eq!(due(80_000), after(90_000), "after an eighth of the time since it last changed");
    assert_eq!(due(1_600_000), after(1_630_000), "at least every thirty seconds");
    assert_eq!(due(1_790_000), after(1_800_500), "its time to pay ends before that");
    assert_eq!(due(1_800_500), after(1_830_500), "it has ended");
}

#[test]
fn only_a_purchase_that_ended_unpaid_may_be_delivered_late() {
    let end_of_window = 1_800 + 3 * 86_400;
    let expired = FiatOrder { status: FiatStatus::Expired, ..direct() };
    assert!(expired.may_be_delivered_late(later(end_of_window - 1)));
    assert!(!expired.may_be_delivered_late(later(end_of_window)));
    assert!(!direct().may_be_delivered_late(later(1_801)), "it has not ended");
    let completed = FiatOrder { status: FiatStatus::Completed, ..direct() };
    assert!(!completed.may_be_delivered_late(later(1_801)));
    let delivered = FiatOrder { payout: Some(payout(99_000_000)), ..expired };
    assert!(!delivered.may_be_delivered_late(later(1_801)));
}

#[test]
fn a_report_about_another_payment_contradicts_the_purchase() {
    let told = |change: fn(&mut RampReport)| {
        let mut report = RampReport::new(RampState::Delivered);
        change(&mut report);
        report.contradiction(&direct())
    };
    assert_eq!(told(|_| ()), None, "it says nothing of all that");
    assert_eq!(told(|report| report.paid = Some(direct().pays)), None);
    assert_eq!(
        told(|report| report.paid = direct().pays.checked_add(direct().pays)),
        Some("the amount paid")
    );
    assert_eq!(told(|report| report.asset = Some(usdc())), None);
    assert_eq!(told(|report| report.asset = Some(TokenId::native(chain(8453)))), Some("the token"));
    assert_eq!(told(|report| report.wallet = Some(who(2))), None);
    assert_eq!(told(|report| report.wallet = Some(who(3))), Some("the wallet"));
    // The price may have moved by half while the payment took its time.
    assert_eq!(told(|report| report.amount = Some(raw(49_500_000))), None);
    assert_eq!(told(|report| report.amount = Some(raw(148_500_000))), None);
    assert_eq!(told(|report| report.amount = Some(raw(49_499_999))), Some("the amount delivered"));
    assert_eq!(told(|report| report.amount = Some(raw(148_500_001))), Some("the amount delivered"));
}

#[test]
fn strategies_are_named_as_on_the_wire() {
    assert_eq!((direct().strategy.as_str(), forwarded().strategy.as_str()), ("direct", "jump"));
}

#[test]
fn rule_21_what_comes_after_the_end_is_swapped_only_if_nothing_had_come_before() {
    let came = FiatContext { forwarding_balance: Some(held(99_000_000)), ..context() };
    let expired = FiatOrder { status: FiatStatus::Expired, ..forwarded() };
    assert_eq!(advance_fiat(expired.clone(), &came).actions, step_swap(99_000_000));
    let mut returned = expired.clone();
    if let Strategy::Forwarding(plan) = &mut returned.strategy {
        plan.returned_tx = Some("0xreturned".to_owned());
    }
    let failure = |source| FiatFailure { code: String::new(), source, message: String::new() };
    let refunded = FiatOrder { failure: Some(failure(FiatFailureSource::Swap)), ..expired.clone() };
    let completed = FiatOrder { status: FiatStatus::Completed, ..forwarded() };
    for order in [returned, refunded, completed] {
        let back = ForwardingAction::ReturnBalance { tokens: vec![usdc()], seen_in: 50 };
        assert_eq!(advance_fiat(order, &came).actions, [back], "it is a second payout");
    }
    let declined = FiatOrder { failure: Some(failure(FiatFailureSource::Provider)), ..expired };
    assert_eq!(advance_fiat(declined, &came).actions, step_swap(99_000_000));
}
