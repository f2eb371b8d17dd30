use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{
    ActionError, LossKind, OnChainStatus, OrderExecutor, Progress, ReservationKind,
};
use causeway_domain::{
    ConfirmedTx, Decision, DepositMethod, Evidence, IntentTerms, Order, QuoteKey, Referral,
};
use jiff::{SignedDuration, Timestamp};

use super::fakes::OPEN_STATUS;
use super::fixture::{ExecutorFixture, now, purpose_of, secs};
use crate::fixture::{BASE, ETHEREUM, chain, decimal, eth, parties, raw, sell, shares, usdc};

async fn waive_reason(fixture: &ExecutorFixture, order: &Order, at: Timestamp) -> String {
    match fixture.executor.decide(order, at).await.unwrap() {
        (Decision::Waive, Some(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

async fn fills(fixture: &ExecutorFixture, order: &Order, at: Timestamp) -> bool {
    match fixture.executor.decide(order, at).await.unwrap() {
        (Decision::Fill, None) => true,
        (Decision::Waive, Some(_)) => false,
        other => panic!("{other:?}"),
    }
}

async fn fails_for_now(fixture: &ExecutorFixture, order: &Order, at: Timestamp) -> bool {
    matches!(fixture.executor.decide(order, at).await, Err(ActionError::Temporary(_)))
}

/// The order with its terms changed and sealed again.
fn resealed(fixture: &ExecutorFixture, mut order: Order, change: impl FnOnce(&mut IntentTerms)) -> Order {
    change(&mut order.terms);
    order.terms = fixture.key.seal(order.terms).unwrap();
    order.intent_id = order.terms.id();
    order
}

#[tokio::test]
async fn rule_14_a_filled_order_has_its_funds_reserved() {
    let fixture = ExecutorFixture::new();
    for order in [fixture.cross_chain(), fixture.same_chain()] {
        assert!(fills(&fixture, &order, now()).await);
        let all = fixture.store.all_reservations();
        let held = all.iter().find(|held| held.holder == order.id.to_string()).unwrap();
        assert_eq!((held.kind, held.token), (ReservationKind::Order, order.to));
        assert_eq!(held.amount.get(), order.terms.amount_out);
        assert!(fills(&fixture, &order, now()).await, "the decision is stable");
    }
    assert!(fixture.ethereum.sent().is_empty() && fixture.base.sent().is_empty(), "deciding sends nothing");
}

#[tokio::test]
async fn a_filler_that_is_let_fail_waives_what_it_has_not_sent() {
    let fixture = ExecutorFixture::new();
    let (order, other) = (fixture.cross_chain(), fixture.order(&sell(&usdc(BASE), &eth(ETHEREUM), "1000")));
    fixture.setup.filler.set_waived(chain(BASE), true);
    assert_eq!(fixture.setup.filler.waived(), [chain(BASE)]);
    assert!(waive_reason(&fixture, &order, now()).await.contains("lets this filler fail"));
    assert_eq!(fixture.store.all_reservations(), []);
    assert!(fills(&fixture, &other, now()).await, "orders to other chains are delivered");
    fixture.base.set(&purpose_of("fill", &order), Progress::Sent("0xaa".to_owned()));
    assert!(fills(&fixture, &order, now()).await, "what was sent is the decision");
    fixture.setup.filler.set_waived(chain(BASE), false);
    assert!(fills(&fixture, &fixture.same_chain(), now()).await);
}

#[tokio::test]
async fn rule_25_a_recipient_that_cannot_be_paid_is_waived_and_refused_at_build() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    assert_eq!(fixture.executor.undeliverable_reason(&order).await, None);
    *fixture.base.unpayable.lock().unwrap() = Some("it takes 13000000 gas");
    assert!(waive_reason(&fixture, &order, now()).await.contains("13000000 gas"));
    let reason = fixture.executor.undeliverable_reason(&order).await;
    assert_eq!(reason.as_deref(), Some("it takes 13000000 gas"));
    assert_eq!(fixture.store.all_reservations(), []);
}

#[tokio::test]
async fn rule_25_fees_of_reverted_fills_and_waivers_count_into_the_daily_loss() {
    let fixture = ExecutorFixture::new();
    for sender in [&fixture.ethereum, &fixture.base] {
        // $2 at $2,000 and more a coin.
        *sender.fees.lock().unwrap() = 1_000_000_000_000_000;
    }
    let order = Order { decision: Some(Decision::Fill), ..fixture.cross_chain() };
    fixture.base.set(&purpose_of("fill", &order), Progress::Reverted("0xaa".to_owned()));
    fixture.executor.fill(&order, now()).await.unwrap();
    let order = Order { decision: Some(Decision::Waive), ..order };
    for _ in 0..2 {
        fixture.executor.waive(&order, now()).await.unwrap();
    }
    let outflows = fixture.store.all_outflows();
    assert_eq!(outflows.len(), 1, "rule 30: the waiver's fees left its chain");
    assert!(outflows[0].value.cents().is_zero() && !outflows[0].fees.cents().is_zero(), "{outflows:?}");
    let losses = fixture.store.all_losses();
    let kinds: Vec<LossKind> = losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(kinds, [LossKind::RevertedFill, LossKind::Waiver]);
    assert!(losses.iter().all(|loss| loss.amount.cents().get() >= U256::from(100)), "{losses:?}");
}

#[tokio::test]
async fn rule_2_unquoted_terms_are_waived() {
    let fixture = ExecutorFixture::new();
    let mut forged = fixture.cross_chain();
    forged.terms.amount_out += U256::ONE;
    assert!(waive_reason(&fixture, &forged, now()).await.contains("never quoted"));
    let mut foreign = fixture.cross_chain();
    foreign.terms = QuoteKey::random().unwrap().seal(foreign.terms).unwrap();
    assert!(waive_reason(&fixture, &foreign, now()).await.contains("never quoted"));
    assert_eq!(fixture.store.all_reservations(), []);
}

#[tokio::test]
async fn terms_with_other_accounts_or_tokens_are_waived() {
    let fixture = ExecutorFixture::new();
    let other_account = B256::left_padding_from(&[0x99; 20]);
    let filler = resealed(&fixture, fixture.cross_chain(), |terms| terms.filler = other_account);
    assert!(waive_reason(&fixture, &filler, now()).await.contains("another filler"));
    let payee = resealed(&fixture, fixture.cross_chain(), |terms| terms.payee = other_account);
    assert!(waive_reason(&fixture, &payee, now()).await.contains("another filler"));
    for order in [
        resealed(&fixture, fixture.cross_chain(), |terms| terms.input_token = other_account),
        resealed(&fixture, fixture.cross_chain(), |terms| terms.output_token = other_account),
        resealed(&fixture, fixture.cross_chain(), |terms| terms.origin_chain_id = 10),
        resealed(&fixture, fixture.cross_chain(), |terms| terms.destination_chain_id = 10),
    ] {
        assert!(waive_reason(&fixture, &order, now()).await.contains("other tokens"));
    }
}

#[tokio::test]
async fn rule_13_no_fill_is_decided_a_minute_before_the_deadline() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    let last = Timestamp::from_second(i64::try_from(order.terms.fill_deadline).unwrap() - 60).unwrap();
    assert!(fills(&fixture, &order, last - SignedDuration::from_millis(1)).await);
    assert!(waive_reason(&fixture, &order, last).await.contains("too late"));
}

/// The order with its deposit in a block of that time, in seconds after the price expired.
fn deposited(order: &Order, seconds: i64) -> Order {
    let time = u64::try_from(order.valid_before.as_second() + seconds).unwrap();
    let deposit = ConfirmedTx {
        chain: order.from.chain(),
        tx: "0x01".to_owned(),
        block: 7,
        time,
        amount: order.src_amount,
    };
    Order { evidence: Evidence { deposit: Some(deposit), ..Evidence::default() }, ..order.clone() }
}

#[tokio::test]
async fn rule_14_a_late_deposit_is_filled_only_where_it_costs_the_filler_nothing() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    let (on_time, late) = (deposited(&order, 0), deposited(&order, 1));
    // The spread of this pair is 0.15 %: a move within it costs the filler nothing, a larger one does.
    for (price, is_late_filled) in [("3500", true), ("3504", true), ("3510", false), ("3400", true)] {
        fixture.setup.feeds.set_price(&eth(BASE), price);
        assert!(fills(&fixture, &on_time, now()).await, "{price}");
        assert_eq!(fills(&fixture, &late, now()).await, is_late_filled, "{price}");
    }
    fixture.setup.feeds.set_price(&eth(BASE), "3510");
    assert!(waive_reason(&fixture, &late, now()).await.contains("after the price had expired"));
}

#[tokio::test]
async fn rule_14_a_larger_share_of_claims_does_not_waive_a_deposit_that_came_in_time() {
    let fixture = ExecutorFixture::new();
    let filler = &fixture.setup.filler;
    filler.set_claim_sizes(chain(ETHEREUM), vec![20, 20]);
    // Small enough for a claim alone to cost more than the two percent that the market may move.
    let mut ask = sell(&usdc(ETHEREUM), &eth(BASE), "6");
    ask.ask.deposit_methods = vec![DepositMethod::ContractCall];
    let order = Order { method: DepositMethod::ContractCall, ..fixture.order(&ask) };
    let (on_time, late) = (deposited(&order, 0), deposited(&order, 1));
    assert!(fills(&fixture, &late, now()).await, "nothing has changed");
    filler.set_claim_sizes(chain(ETHEREUM), vec![1, 1]);
    assert!(fills(&fixture, &on_time, now()).await, "only our own estimate has changed");
    assert!(waive_reason(&fixture, &late, now()).await.contains("after the price had expired"));
    fixture.setup.feeds.set_price(&eth(BASE), "3580");
    assert!(waive_reason(&fixture, &on_time, now()).await.contains("price has moved"));
}

#[tokio::test]
async fn rule_28_nothing_is_filled_while_too_few_attesters_answer() {
    let fixture = ExecutorFixture::new();
    fixture.attesters.1.store(true, Ordering::Relaxed);
    let order = fixture.cross_chain();
    assert!(fails_for_now(&fixture, &order, now()).await);
    let decided = Order { decision: Some(Decision::Fill), ..order.clone() };
    assert!(matches!(fixture.executor.fill(&decided, now()).await, Err(ActionError::Temporary(_))));
    assert!(fills(&fixture, &fixture.same_chain(), now()).await, "one chain needs no attester");
    fixture.attesters.1.store(false, Ordering::Relaxed);
    assert!(fills(&fixture, &order, now()).await);
}

#[tokio::test]
async fn rule_14_a_loss_of_two_percent_is_accepted_and_more_is_not() {
    let fixture = ExecutorFixture::new();
    let (order, ether) = (fixture.cross_chain(), eth(BASE));
    for (price, expected) in
        [("3500", true), ("3560", true), ("3580", false), ("2000", true), ("100000", false)]
    {
        fixture.setup.feeds.set_price(&ether, price);
        assert_eq!(fills(&fixture, &order, now()).await, expected, "{price}");
    }
    assert!(waive_reason(&fixture, &order, now()).await.contains("price has moved"));
}

#[tokio::test]
async fn rule_14_small_losses_add_up_to_the_daily_limit() {
    let fixture = ExecutorFixture::new();
    let large: Vec<Order> =
        (0..8).map(|_| fixture.order(&sell(&usdc(ETHEREUM), &eth(BASE), "20000"))).collect();
    // Each is then promised nearly two percent too much, some 380 dollars of the 2,500 that a day may cost.
    fixture.setup.feeds.set_price(&eth(BASE), "3567");
    let mut filled = Vec::new();
    for order in &large {
        filled.push(fills(&fixture, order, now()).await);
    }
    assert_eq!(filled, [true, true, true, true, true, true, false, false]);
    assert!(waive_reason(&fixture, &large[7], now()).await.contains("daily loss limit"));
    assert!(fills(&fixture, &large[0], now()).await, "a recorded loss is not counted twice");
    fixture.setup.feeds.set_price(&eth(BASE), "3500");
    assert!(fills(&fixture, &large[6], now()).await, "an order without a loss is always filled");
}

#[tokio::test]
async fn higher_gas_counts_as_a_loss() {
    let fixture = ExecutorFixture::new();
    // Of these twenty dollars a claim among twenty takes 0.0638 at 1 gwei.
    fixture.setup.filler.set_claim_sizes(chain(ETHEREUM), vec![20]);
    let mut order = fixture.order(&sell(&usdc(ETHEREUM), &eth(BASE), "20"));
    let set_gas = |gwei: u64| {
        let mut gas = fixture.setup.feeds.gas.lock().unwrap();
        gas.insert(chain(ETHEREUM), raw(gwei * 1_000_000_000));
    };
    set_gas(6);
    assert!(fills(&fixture, &order, now()).await, "six times as dear a claim is within the tolerance");
    set_gas(9);
    assert!(!fills(&fixture, &order, now()).await);
    set_gas(6);
    order.method = DepositMethod::Transfer;
    assert!(!fills(&fixture, &order, now()).await, "a sweep costs on top");
}

#[tokio::test]
async fn referral_fee_does_not_count_for_the_filler() {
    let fixture = ExecutorFixture::new();
    let mut ask = sell(&usdc(ETHEREUM), &eth(BASE), "1000");
    ask.ask.referral = Referral::new(parties(causeway_domain::Family::Evm).payee, 300);
    let referred = fixture.order(&ask);
    assert!(fills(&fixture, &referred, now()).await);
    // The same output without a referrer, from which three percent are then taken away.
    let fee = U256::from(30_000_000);
    let underpaid = resealed(&fixture, fixture.cross_chain(), |terms| terms.referrer_fee = fee);
    assert!(!fills(&fixture, &underpaid, now()).await);
}

#[tokio::test]
async fn offer_limits_do_not_apply_to_existing_orders() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    fixture.setup.unclaimed.set(chain(ETHEREUM), "1000000".parse().unwrap());
    // A fifth of the book would be too little.
    let held = decimal("0.5", 18);
    fixture.setup.book.set_held(chain(BASE), tokio::time::Instant::now(), [(eth(BASE).id, held)]);
    assert!(fixture.setup.offer(&sell(&usdc(ETHEREUM), &eth(BASE), "1000"), now()).is_err());
    assert!(fills(&fixture, &order, now()).await);
}

#[tokio::test]
async fn missing_price_delays_the_decision_until_the_cutoff() {
    let fixture = ExecutorFixture::new();
    let (order, vault) =
        (fixture.cross_chain(), fixture.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000")));
    fixture.setup.feeds.vaults.lock().unwrap().insert(shares(BASE).id, None);
    assert!(fails_for_now(&fixture, &vault, now()).await);
    fixture.setup.feeds.prices.lock().unwrap().remove(&eth(BASE).id);
    assert!(fails_for_now(&fixture, &order, now()).await);
    assert!(!fills(&fixture, &order, now() + secs(1_540)).await);
    assert_eq!(fixture.store.all_reservations(), []);
}

#[tokio::test]
async fn rule_14_a_stablecoin_off_its_peg_is_waived() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    fixture.setup.feeds.set_price(&usdc(ETHEREUM), "1.02");
    assert!(waive_reason(&fixture, &order, now()).await.contains("peg"));
}

#[tokio::test]
async fn rule_14_reserved_funds_are_not_promised_again() {
    let fixture = ExecutorFixture::new();
    let orders = [fixture.for_weth("15000"), fixture.for_weth("15000"), fixture.for_weth("15000")];
    fixture.hold_weth("10");
    assert!(fills(&fixture, &orders[0], now()).await);
    assert!(fills(&fixture, &orders[1], now()).await);
    assert!(waive_reason(&fixture, &orders[2], now()).await.contains("enough"));
    assert!(fills(&fixture, &orders[0], now()).await, "its reservation stays");
    assert_eq!(fixture.store.all_reservations().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn stale_book_delays_the_decision_until_the_cutoff() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    tokio::time::advance(Duration::from_hours(2)).await;
    assert!(fails_for_now(&fixture, &order, now()).await);
    assert!(!fills(&fixture, &order, now() + secs(1_540)).await);
}

#[tokio::test]
async fn rule_13_a_sent_transaction_is_the_decision() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    let late = now() + secs(100_000);
    let progress = |made: fn(String) -> Progress| made("0x1".to_owned());
    for (made, decision) in [
        (Progress::Sent as fn(String) -> Progress, Decision::Fill),
        (Progress::Succeeded, Decision::Fill),
        (Progress::Reverted, Decision::Waive),
    ] {
        fixture.base.set(&purpose_of("fill", &order), progress(made));
        for at in [now(), late] {
            assert_eq!(
                fixture.executor.decide(&order, at).await.unwrap().0,
                decision,
                "{:?}",
                progress(made)
            );
        }
    }
    let order = fixture.cross_chain();
    fixture.ethereum.set(&purpose_of("waive", &order), progress(Progress::Sent));
    assert!(waive_reason(&fixture, &order, now()).await.contains("refunded the deposit"));
}

#[tokio::test]
async fn on_chain_fill_is_the_decision_even_if_the_store_lost_it() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    let late = now() + secs(100_000);
    assert!(!fills(&fixture, &order, late).await);
    fixture.base.set_status(OnChainStatus { is_filled: true, ..OPEN_STATUS });
    assert!(fills(&fixture, &order, late).await, "past the cutoff, but already filled");
    assert!(fills(&fixture, &fixture.order(&sell(&usdc(ETHEREUM), &eth(BASE), "10")), late).await);
    // Another attempt was refused because the first had come through.
    fixture.base.set(&purpose_of("fill", &order), Progress::Reverted("0x1".to_owned()));
    assert!(fills(&fixture, &order, now()).await);
}

#[tokio::test]
async fn no_waiver_is_decided_while_the_fill_status_is_unknown() {
    let fixture = ExecutorFixture::new();
    let order = fixture.cross_chain();
    let late = now() + secs(100_000);
    *fixture.base.status.lock().unwrap() = None;
    assert!(matches!(fixture.executor.decide(&order, late).await, Err(ActionError::Chain(_))));
    fixture.base.set_status(OnChainStatus { is_settled: false, ..OPEN_STATUS });
    let old = Order { created_at: Timestamp::UNIX_EPOCH, ..order.clone() };
    assert!(fails_for_now(&fixture, &old, late).await, "an unknown fill may still be pending");
    assert!(
        !fills(&fixture, &order, late).await,
        "an order created after the start has no unknown transactions"
    );
    assert!(fills(&fixture, &old, now()).await, "the settler rejects a second fill");
}
