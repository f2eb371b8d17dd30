mod histories;
mod sample;

use sample::*;

use super::*;
use crate::{Evidence, TokenId};

#[test]
fn rule_22_a_providers_word_moves_statuses_and_completes_nothing() {
    for (state, expected) in [
        (RampState::Waiting, FiatStatus::Created),
        (RampState::Started, FiatStatus::Pending),
        (RampState::Paid, FiatStatus::Processing),
        (RampState::Delivered, FiatStatus::Processing),
        (RampState::Unknown("on hold".to_owned()), FiatStatus::Created),
        (RampState::Canceled, FiatStatus::Canceled),
        (RampState::Expired, FiatStatus::Expired),
    ] {
        for order in [direct(), jumping()] {
            let step = advance_fiat(order, &FiatWorld { word: Some(says(state.clone())), ..world() });
            assert_eq!(step.order.status, expected, "{state:?}");
            assert_eq!((step.order.output, step.order.fill_tx), (None, None));
            assert_eq!(step.order.provider_order.as_deref(), Some("p-1"));
        }
    }
}

#[test]
fn rule_22_a_direct_purchase_completes_by_what_the_chain_shows() {
    let world = FiatWorld { word: Some(says(RampState::Paid)), payouts: vec![payout(98_000_000)], ..world() };
    let step = advance_fiat(direct(), &world);
    assert_eq!(step.order.status, FiatStatus::Completed);
    assert_eq!(step.order.output, Some(raw(98_000_000)));
    assert_eq!(step.order.fill_tx.as_deref(), Some("0xpaid"));
    assert_eq!(step.order.payout, Some(payout(98_000_000)));
    assert_eq!(step.order.due_at, None, "nothing is left to do");
    assert!(step.changes.iter().any(|(status, words)| status.is_none() && words.contains("98000000")));
    let other = Payout { token: TokenId::native(chain(8453)), ..payout(98_000_000) };
    let step = advance_fiat(direct(), &FiatWorld { payouts: vec![other], ..world });
    assert_eq!(step.order.status, FiatStatus::Processing, "another token is no delivery");
}

#[test]
fn a_declined_payment_fails_in_the_providers_words() {
    let step = advance_fiat(direct(), &FiatWorld { word: Some(says(RampState::Failed)), ..world() });
    let failure = step.order.failure.unwrap();
    assert_eq!(step.order.status, FiatStatus::Failed);
    assert_eq!((failure.code.as_str(), failure.source), ("payment_declined", FiatFailureSource::Provider));
    assert_eq!(failure.words, "The card was declined.");
}

#[test]
fn a_declined_card_ends_an_attempt_and_not_the_purchase() {
    let look = |order: FiatOrder, word, at| {
        advance_fiat(order, &FiatWorld { word: Some(word), now: later(at), ..world() }).order
    };
    let declined = look(direct(), tried(RampState::Failed), 60);
    assert_eq!((declined.status, &declined.failure), (FiatStatus::Pending, &None), "the payer has begun");
    assert_eq!(look(declined.clone(), tried(RampState::Failed), 1_800).status, FiatStatus::Pending);
    assert_eq!(
        look(declined.clone(), says(RampState::Paid), 120).status,
        FiatStatus::Processing,
        "another card"
    );
    for (state, end) in [
        (RampState::Failed, FiatStatus::Failed),
        (RampState::Canceled, FiatStatus::Canceled),
        (RampState::Expired, FiatStatus::Expired),
    ] {
        assert_eq!(
            look(declined.clone(), tried(state.clone()), 2_400).status,
            FiatStatus::Pending,
            "{state:?}"
        );
        assert_eq!(look(declined.clone(), tried(state.clone()), 2_401).status, end, "its time is over");
    }
    let failed = look(declined, tried(RampState::Failed), 2_401);
    assert_eq!(failed.failure.unwrap().words, "The card was declined.");
    assert_eq!(
        look(direct(), tried(RampState::Expired), 60).status,
        FiatStatus::Created,
        "nobody has come to the checkout, and another can be opened"
    );
    let paid = FiatOrder { status: FiatStatus::Processing, ..direct() };
    assert_eq!(look(paid.clone(), tried(RampState::Failed), 60).status, FiatStatus::Processing);
    assert_eq!(look(paid, tried(RampState::Failed), 2_401).status, FiatStatus::Failed);
}

#[test]
fn what_a_provider_delivers_after_the_end_is_told_with_the_purchase() {
    for status in [FiatStatus::Failed, FiatStatus::Canceled, FiatStatus::Expired] {
        let ended = FiatOrder { status, ..direct() };
        let step = advance_fiat(ended.clone(), &world());
        assert!(step.order.due_at.is_some(), "it is asked after for a while");
        let late = FiatWorld { payouts: vec![payout(99_000_000)], now: later(90_000), ..world() };
        let step = advance_fiat(ended.clone(), &late);
        assert_eq!((step.order.status, step.order.failure), (status, None), "the end stays");
        assert_eq!(
            (step.order.output, step.order.fill_tx.as_deref()),
            (Some(raw(99_000_000)), Some("0xpaid"))
        );
        assert_eq!(step.order.payout, Some(payout(99_000_000)), "it completes nothing else");
        assert!(step.changes.iter().all(|(status, words)| status.is_none() && words.contains("0xpaid")));
        assert_eq!(step.order.due_at, None, "nothing is left to wait for");
        let much_later = FiatWorld { now: later(5 * 86_400), ..world() };
        assert_eq!(advance_fiat(ended, &much_later).order.due_at, None);
    }
}

#[test]
fn rule_21_money_that_comes_to_a_jump_after_the_end_is_swapped_all_the_same() {
    let ended = FiatOrder { status: FiatStatus::Expired, ..jumping() };
    let came = FiatWorld {
        now: later(3_000),
        payouts: vec![payout(99_000_000)],
        lying: Some(lies(99_000_000)),
        ..world()
    };
    let step = advance_fiat(ended, &came);
    assert_eq!((step.order.status, &step.todo[..]), (FiatStatus::Expired, &step_swap(99_000_000)[..]));
    assert!(step.changes.iter().any(|(_, words)| words.contains("0xpaid")), "{:?}", step.changes);
    let order = step.order;
    let drawn = FiatWorld { swaps: vec![swap(99_000_000, Evidence::default())], ..came.clone() };
    assert_eq!(advance_fiat(order.clone(), &drawn).todo, [], "a swap waits for it");
    let done = FiatWorld { swaps: vec![swap(99_000_000, filled())], lying: Some(lies(0)), ..came.clone() };
    let step = advance_fiat(order.clone(), &done);
    assert_eq!((step.order.output, step.order.fill_tx.as_deref()), (Some(raw(30)), Some("0xfilled")));
    assert!(step.changes.iter().any(|(_, words)| words.contains("0xfilled")));
    assert_eq!(advance_fiat(step.order, &done).changes, [], "it is told once");
    let back = FiatWorld { swaps: vec![swap(99_000_000, refunded())], lying: Some(lies(0)), ..came.clone() };
    let step = advance_fiat(order.clone(), &back);
    assert_eq!(step.order.strategy.jump().unwrap().returned_tx.as_deref(), Some("0xback"));
    assert!(step.changes.iter().any(|(_, words)| words.contains("0xback")));
    let tired = FiatWorld { now: later(3_000 + 3_601), ..came };
    assert_eq!(
        advance_fiat(order.clone(), &tired).todo,
        [FiatTodo::GiveBack { tokens: vec![usdc()], seen_in: 50 }],
        "it waits no longer than any other"
    );
    let returned = FiatWorld { returned: Some("0xreturned".to_owned()), ..tired };
    let step = advance_fiat(order, &FiatWorld { lying: Some(lies(0)), ..returned.clone() });
    assert!(step.changes.iter().any(|(_, words)| words.contains("0xreturned")));
    let again = advance_fiat(step.order, &FiatWorld { lying: Some(lies(99_000_000)), ..returned });
    assert!(matches!(again.todo[..], [FiatTodo::GiveBack { .. }]), "what comes after that goes back");
}

#[test]
fn rule_22_what_is_paid_never_times_out_and_only_fails_by_the_providers_word() {
    let paid = FiatOrder { status: FiatStatus::Processing, ..direct() };
    let much_later = later(30 * 86_400);
    for word in
        [None, Some(ProviderWord::Nothing), Some(says(RampState::Waiting)), Some(says(RampState::Started))]
    {
        let step = advance_fiat(paid.clone(), &FiatWorld { now: much_later, word, ..world() });
        assert_eq!(step.order.status, FiatStatus::Processing);
        assert!(step.order.due_at.is_some());
    }
    for state in [RampState::Failed, RampState::Canceled, RampState::Expired] {
        let step = advance_fiat(paid.clone(), &FiatWorld { word: Some(says(state)), ..world() });
        assert_eq!(step.order.status, FiatStatus::Failed);
    }
}

#[test]
fn an_unpaid_purchase_expires_only_when_the_provider_says_so_now() {
    let over =
        |word, after| advance_fiat(direct(), &FiatWorld { now: later(after), word, ..world() }).order.status;
    assert_eq!(over(Some(says(RampState::Waiting)), 1_800), FiatStatus::Created, "the last moment");
    assert_eq!(over(Some(says(RampState::Waiting)), 1_801), FiatStatus::Expired);
    assert_eq!(over(Some(ProviderWord::Nothing), 1_801), FiatStatus::Expired);
    assert_eq!(over(None, 1_801), FiatStatus::Created, "the provider has not answered");
    assert_eq!(over(Some(says(RampState::Started)), 1_801), FiatStatus::Pending, "a bank takes its time");
    assert_eq!(over(Some(says(RampState::Started)), 1_801 + 86_400), FiatStatus::Expired);
    assert_eq!(over(Some(says(RampState::Paid)), 1_801), FiatStatus::Processing);
}

#[test]
fn rule_21_money_at_the_address_of_a_jump_is_swapped_whatever_was_said_of_it() {
    let world = FiatWorld { word: Some(says(RampState::Waiting)), lying: Some(lies(90_000_000)), ..world() };
    let step = advance_fiat(jumping(), &world);
    assert_eq!(step.order.status, FiatStatus::Processing);
    assert_eq!(step.todo, [FiatTodo::Swap { amount: raw(90_000_000), seen_in: 50 }]);
    let drawn = FiatWorld { swaps: vec![swap(90_000_000, Evidence::default())], ..world.clone() };
    let step = advance_fiat(jumping(), &drawn);
    assert_eq!(step.todo, [], "a swap waits for it");
    assert_eq!(step.order.strategy.jump().unwrap().swap, Some(drawn.swaps[0].id.clone()));
    let more = FiatWorld { swaps: vec![swap(80_000_000, Evidence::default())], ..world.clone() };
    assert_eq!(advance_fiat(jumping(), &more).todo, step_swap(90_000_000), "more came than was drawn up for");
    let late = FiatWorld { hub_time: Some(seconds(3_601)), ..drawn };
    assert_eq!(advance_fiat(jumping(), &late).todo, step_swap(90_000_000), "that swap is too late");
}

fn step_swap(amount: u64) -> [FiatTodo; 1] {
    [FiatTodo::Swap { amount: raw(amount), seen_in: 50 }]
}

#[test]
fn dust_is_no_payment() {
    let step = advance_fiat(jumping(), &FiatWorld { lying: Some(lies(989_999)), ..world() });
    assert_eq!((step.order.status, step.todo.len()), (FiatStatus::Created, 0));
    let step = advance_fiat(jumping(), &FiatWorld { lying: Some(lies(990_000)), ..world() });
    assert_eq!((step.order.status, step.todo.len()), (FiatStatus::Processing, 1));
}

#[test]
fn a_jump_completes_by_its_swaps_delivery() {
    let world = FiatWorld { swaps: vec![swap(99_000_000, filled())], lying: Some(lies(0)), ..world() };
    let step = advance_fiat(jumping(), &world);
    assert_eq!(step.order.status, FiatStatus::Completed);
    assert_eq!((step.order.output, step.order.fill_tx.as_deref()), (Some(raw(30)), Some("0xfilled")));
    assert!(step.order.due_at.is_some(), "what else comes to the address goes back");
    let past = FiatWorld { now: later(86_400 * 9), ..world };
    assert_eq!(advance_fiat(step.order, &past).order.due_at, None);
}

#[test]
fn a_swap_that_went_back_is_told_with_both_transactions() {
    let world = FiatWorld { swaps: vec![swap(99_000_000, refunded())], ..world() };
    let order = FiatOrder { payout: Some(payout(99_000_000)), status: FiatStatus::Processing, ..jumping() };
    let failure = advance_fiat(order, &world).order.failure.unwrap();
    assert_eq!((failure.code.as_str(), failure.source), ("swap_refunded", FiatFailureSource::Swap));
    assert!(failure.words.contains("0xback") && failure.words.contains("0xpaid"), "{}", failure.words);
}

#[test]
fn rule_21_money_that_finds_no_route_goes_back_in_time() {
    let order = FiatOrder { status: FiatStatus::Processing, ..jumping() };
    let back = [FiatTodo::GiveBack { tokens: vec![usdc()], seen_in: 50 }];
    let tired = FiatWorld { now: later(3_601), lying: Some(lies(99_000_000)), ..world() };
    let seen = FiatOrder { payout: Some(payout(99_000_000)), ..order.clone() };
    assert_eq!(advance_fiat(seen, &tired).todo, back);
    let expiring =
        FiatWorld { hub_time: Some(jump().expiry - 599), lying: Some(lies(99_000_000)), ..world() };
    assert_eq!(advance_fiat(order.clone(), &expiring).todo, back);
    let returned = Some("0xreturned".to_owned());
    let step = advance_fiat(order.clone(), &FiatWorld { returned, lying: Some(lies(0)), ..world() });
    let failure = step.order.failure.unwrap();
    assert_eq!((step.order.status, failure.code.as_str()), (FiatStatus::Failed, "no_route"));
    assert!(failure.words.contains("0xreturned"));
    // Somebody else has sent it back, as anybody may when the jump has expired.
    let paid = FiatOrder { payout: Some(payout(99_000_000)), ..order };
    let gone = |time| FiatWorld { hub_time: Some(time), lying: Some(lies(0)), ..world() };
    let step = advance_fiat(paid.clone(), &gone(jump().expiry));
    assert_eq!(step.order.status, FiatStatus::Processing, "a swap may have taken it a moment ago");
    assert_eq!(advance_fiat(paid, &gone(jump().expiry + 1)).order.status, FiatStatus::Failed);
}

#[test]
fn rule_21_money_that_took_its_time_is_swapped_when_it_comes() {
    let paid = FiatOrder { status: FiatStatus::Processing, ..jumping() };
    let unread = FiatWorld { now: later(7_200), lying: Some(lies(99_000_000)), ..world() };
    let amount = unread.lying.as_ref().unwrap().amount;
    assert_eq!(advance_fiat(paid, &unread).todo, [FiatTodo::Swap { amount, seen_in: 50 }]);
}

#[test]
fn rule_21_a_second_payout_goes_back_and_changes_nothing() {
    let swaps = vec![swap(99_000_000, opened())];
    let second = FiatWorld { swaps: swaps.clone(), lying: Some(lies(99_000_000)), ..world() };
    let step = advance_fiat(jumping(), &second);
    assert_eq!(step.order.status, FiatStatus::Processing);
    assert_eq!(step.todo, [FiatTodo::GiveBack { tokens: vec![usdc()], seen_in: 50 }]);
    let stale = Some(Lying { block: 39, ..lies(99_000_000) });
    let step = advance_fiat(jumping(), &FiatWorld { lying: stale, swaps, ..world() });
    assert_eq!(step.todo, [], "that was before the swap took it");
    let expired = FiatOrder { status: FiatStatus::Expired, ..jumping() };
    let step = advance_fiat(expired, &FiatWorld { lying: Some(lies(5)), ..world() });
    assert_eq!((step.order.status, step.todo.len()), (FiatStatus::Expired, 1), "too late to be a purchase");
}
