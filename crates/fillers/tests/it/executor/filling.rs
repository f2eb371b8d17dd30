use causeway_domain::ports::{ActionError, ChainAction, EscrowState, OnChainStatus, OrderExecutor, Progress};
use causeway_domain::{Decision, Order};
use jiff::Timestamp;

use super::fakes::OPEN_STATUS;
use super::fixture::{ExecutorFixture, decided, delivered, now, purpose_of, secs};
use crate::fixture::{BASE, ETHEREUM, decimal, sell, shares, usdc};

fn to_fill(fixture: &ExecutorFixture) -> Order {
    decided(fixture.cross_chain(), Decision::Fill)
}

fn to_waive(fixture: &ExecutorFixture) -> Order {
    decided(fixture.cross_chain(), Decision::Waive)
}

fn cutoff(order: &Order) -> Timestamp {
    Timestamp::from_second(i64::try_from(order.terms.fill_deadline).unwrap()).unwrap() - secs(60)
}

fn on_its_way(purpose: &str) -> Progress {
    Progress::Sent(format!("tx of {purpose}"))
}

async fn fails_for_good(action: impl Future<Output = Result<Progress, ActionError>>) -> bool {
    matches!(action.await, Err(ActionError::Permanent(_)))
}

async fn fails_for_now(action: impl Future<Output = Result<Progress, ActionError>>) -> bool {
    matches!(action.await, Err(ActionError::Temporary(_)))
}

#[tokio::test]
async fn rule_13_a_fill_is_sent_once_on_the_destination() {
    let fixture = ExecutorFixture::new();
    let order = to_fill(&fixture);
    let purpose = purpose_of("fill", &order);
    for _ in 0..2 {
        assert_eq!(fixture.executor.fill(&order, now()).await.unwrap(), on_its_way(&purpose));
    }
    let action = ChainAction::Fill { terms: order.terms, through: None };
    assert_eq!(fixture.base.sent(), [(purpose.clone(), action)]);
    assert_eq!(fixture.ethereum.sent(), []);
    for progress in [Progress::Succeeded("0x1".to_owned()), Progress::Reverted("0x1".to_owned())] {
        fixture.base.set(&purpose, progress.clone());
        assert_eq!(fixture.executor.fill(&order, now()).await.unwrap(), progress);
    }
    assert_eq!(fixture.base.sent().len(), 1, "a reverted fill is not sent again");
}

#[tokio::test]
async fn rule_13_only_the_decided_action_is_sent() {
    let fixture = ExecutorFixture::new();
    let undecided = fixture.cross_chain();
    assert!(fails_for_good(fixture.executor.fill(&undecided, now())).await);
    assert!(fails_for_good(fixture.executor.waive(&undecided, now())).await);
    assert!(fails_for_good(fixture.executor.fill(&to_waive(&fixture), now())).await);
    assert!(fails_for_good(fixture.executor.waive(&to_fill(&fixture), now())).await);
    assert!(fixture.base.sent().is_empty() && fixture.ethereum.sent().is_empty());
}

#[tokio::test]
async fn rule_13_no_first_fill_is_sent_a_minute_before_the_deadline() {
    let fixture = ExecutorFixture::new();
    let order = to_fill(&fixture);
    for late in [cutoff(&order), cutoff(&order) + secs(1_000)] {
        assert!(matches!(fixture.executor.fill(&order, late).await, Err(ActionError::Temporary(_))));
    }
    assert_eq!(fixture.base.sent(), []);
    let last = cutoff(&order) - secs(1);
    assert_eq!(fixture.executor.fill(&order, last).await.unwrap(), on_its_way(&purpose_of("fill", &order)));
    // Once sent, its progress is always reported.
    let later = cutoff(&order) + secs(1_000);
    assert_eq!(fixture.executor.fill(&order, later).await.unwrap(), on_its_way(&purpose_of("fill", &order)));
}

#[tokio::test]
async fn waiting_fill_is_retried_until_the_cutoff() {
    let fixture = ExecutorFixture::new();
    let order = to_fill(&fixture);
    *fixture.base.is_waiting.lock().unwrap() = true;
    assert_eq!(fixture.executor.fill(&order, now()).await.unwrap(), Progress::Waiting);
    fixture.base.set(&purpose_of("fill", &order), Progress::Waiting);
    assert!(matches!(fixture.executor.fill(&order, cutoff(&order)).await, Err(ActionError::Temporary(_))));
    fixture.base.states.lock().unwrap().clear();
    *fixture.base.is_waiting.lock().unwrap() = false;
    assert_eq!(fixture.executor.fill(&order, now()).await.unwrap(), on_its_way(&purpose_of("fill", &order)));
}

#[tokio::test]
async fn vault_shares_are_filled_through_the_asset() {
    let fixture = ExecutorFixture::new();
    let mut order = decided(fixture.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000")), Decision::Fill);
    order.terms.amount_out = decimal("1000", 18).get();
    fixture.executor.fill(&order, now()).await.unwrap();
    let through = Some((usdc(BASE).id.address(), decimal("1051.05", 6).get()));
    assert_eq!(fixture.base.sent()[0].1, ChainAction::Fill { terms: order.terms, through });

    let order = decided(fixture.order(&sell(&usdc(ETHEREUM), &shares(BASE), "1000")), Decision::Fill);
    fixture.setup.feeds.vaults.lock().unwrap().insert(shares(BASE).id, None);
    assert!(matches!(fixture.executor.fill(&order, now()).await, Err(ActionError::Temporary(_))));
    assert_eq!(fixture.base.sent().len(), 1);
}

#[tokio::test]
async fn rule_7_a_waiver_is_sent_on_the_origin_and_frees_the_reservation() {
    let fixture = ExecutorFixture::new();
    let order = to_waive(&fixture);
    fixture.executor.reserve(&order, now()).await.unwrap();
    assert_eq!(fixture.store.all_reservations().len(), 1);
    let purpose = purpose_of("waive", &order);
    for _ in 0..2 {
        assert_eq!(fixture.executor.waive(&order, now()).await.unwrap(), on_its_way(&purpose));
    }
    assert_eq!(fixture.ethereum.sent(), [(purpose.clone(), ChainAction::Refund { terms: order.terms })]);
    assert_eq!((fixture.base.sent(), fixture.store.all_reservations()), (vec![], vec![]));
    // A reverted one is retried.
    fixture.ethereum.set(&purpose, Progress::Reverted("0x1".to_owned()));
    assert_eq!(fixture.executor.waive(&order, now()).await.unwrap(), on_its_way(&format!("{purpose}:2")));
}

#[tokio::test]
async fn rule_13_a_fill_becomes_a_waiver_only_when_it_finally_reverted() {
    let fixture = ExecutorFixture::new();
    let order = to_waive(&fixture);
    let fill = purpose_of("fill", &order);
    for sent in [Progress::Sent("0x1".to_owned()), Progress::Succeeded("0x1".to_owned())] {
        fixture.base.set(&fill, sent.clone());
        assert!(fails_for_good(fixture.executor.waive(&order, now())).await, "{sent:?}");
    }
    assert_eq!(fixture.ethereum.sent(), []);
    fixture.base.set(&fill, Progress::Reverted("0x1".to_owned()));
    assert!(
        fails_for_good(fixture.executor.waive(&delivered(order.clone()), now())).await,
        "another account filled it"
    );
    assert_eq!(fixture.ethereum.sent(), []);
    assert_eq!(
        fixture.executor.waive(&order, now()).await.unwrap(),
        on_its_way(&purpose_of("waive", &order))
    );
}

#[tokio::test]
async fn rule_7_an_order_of_another_filler_is_not_waived() {
    let fixture = ExecutorFixture::new();
    let mut order = to_waive(&fixture);
    order.terms.filler = order.terms.payee;
    assert!(fails_for_good(fixture.executor.waive(&order, now())).await);
    assert_eq!(fixture.ethereum.sent(), []);
}

#[tokio::test]
async fn chain_without_a_key_is_retried_later() {
    let fixture = ExecutorFixture::new();
    let mut order = to_fill(&fixture);
    order.to = causeway_domain::TokenId::native(crate::fixture::chain(10));
    assert!(
        matches!(fixture.executor.fill(&order, now()).await, Err(ActionError::Temporary(reason)) if reason.contains("10"))
    );
}

#[tokio::test]
async fn unpayable_recipient_is_distinguished_from_missing_balance() {
    let fixture = ExecutorFixture::new();
    let order = decided(fixture.for_weth("1000"), Decision::Fill);
    *fixture.ethereum.revert_reason.lock().unwrap() = Some("not me");
    fixture.hold_weth("1000");
    let refused = fixture.executor.fill(&order, now()).await;
    assert!(matches!(&refused, Err(ActionError::Unpayable(reason)) if reason == "not me"), "{refused:?}");
    fixture.hold_weth("0.000001");
    let refused = fixture.executor.fill(&order, now()).await;
    assert!(matches!(&refused, Err(ActionError::WouldFail(reason)) if reason == "not me"), "{refused:?}");
}

/// An order that was made before the service started.
fn old(order: Order) -> Order {
    Order { created_at: Timestamp::UNIX_EPOCH, ..order }
}

#[tokio::test]
async fn nothing_is_refunded_while_the_destination_shows_a_fill_or_is_unknown() {
    let fixture = ExecutorFixture::new();
    let order = to_waive(&fixture);
    fixture.base.set_status(OnChainStatus { is_filled: true, ..OPEN_STATUS });
    assert!(fails_for_now(fixture.executor.waive(&order, now())).await, "the store may lag behind the chain");
    *fixture.base.status.lock().unwrap() = None;
    assert!(matches!(fixture.executor.waive(&order, now()).await, Err(ActionError::Chain(_))));
    fixture.base.set_status(OnChainStatus { is_settled: false, ..OPEN_STATUS });
    assert!(
        fails_for_now(fixture.executor.waive(&old(order.clone()), now())).await,
        "a fill may still be included"
    );
    assert_eq!(fixture.ethereum.sent(), []);
    assert!(fixture.executor.waive(&order, now()).await.is_ok(), "a new order has no unknown transactions");
}

#[tokio::test]
async fn nothing_is_filled_when_the_deposit_has_left_or_may_leave_its_escrow() {
    let fixture = ExecutorFixture::new();
    let order = to_fill(&fixture);
    for escrow in [EscrowState::Unknown, EscrowState::Refunded, EscrowState::Claimed] {
        fixture.ethereum.set_status(OnChainStatus { escrow, ..OPEN_STATUS });
        assert!(fails_for_now(fixture.executor.fill(&order, now())).await, "{escrow:?}");
    }
    *fixture.ethereum.status.lock().unwrap() = None;
    assert!(matches!(fixture.executor.fill(&order, now()).await, Err(ActionError::Chain(_))));
    fixture.ethereum.set_status(OnChainStatus { is_settled: false, ..OPEN_STATUS });
    assert!(
        fails_for_now(fixture.executor.fill(&old(order.clone()), now())).await,
        "a refund may be pending"
    );
    assert_eq!(fixture.base.sent(), []);
    assert!(fixture.executor.fill(&order, now()).await.is_ok());
}
