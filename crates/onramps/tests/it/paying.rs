use causeway_domain::RawAmount;
use causeway_domain::ports::{PayoutWatch as _, RampState};
use causeway_evm::orders::{EvmPayoutWatch, OrderFinality};
use causeway_onramps::sandbox::SandboxPlan;
use jiff::{SignedDuration, Timestamp};

use crate::kit::{World, ether, recipient, usdc};

const GOOD: &str = "4242 4242 4242 4242";

#[tokio::test]
async fn a_card_payment_is_delivered_on_the_chain_and_told_by_signed_webhooks() {
    let world = World::with_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    assert_eq!(world.until(&order, &RampState::Waiting).await.payouts, Vec::<String>::new());
    world.pay_by_card(&session, GOOD).await;
    let report = world.until(&order, &RampState::Delivered).await;
    assert_eq!(report.amount, Some(order.sold_amount));
    assert_eq!((report.asset, report.wallet), (Some(usdc().id), Some(recipient())));
    assert_eq!(world.balance(&usdc()).await, order.sold_amount);

    let heard = world.until_heard(&order, 3).await;
    assert_eq!(heard, [RampState::Started, RampState::Paid, RampState::Delivered]);

    world.settle().await;
    let client = world.play.as_ref().unwrap().client.clone();
    let watch = EvmPayoutWatch::new(client, OrderFinality::sandbox().usual);
    let payouts = watch.payouts(&report.payouts[0], usdc().id, recipient()).await.unwrap();
    assert_eq!(payouts.iter().map(|payout| payout.amount).collect::<Vec<_>>(), [order.sold_amount]);
    assert!(world.page(&session).await.contains("Delivered"));
}

#[tokio::test]
async fn a_bank_transfer_counts_when_the_bank_has_seen_it_not_when_the_payer_says_so() {
    let world = World::with_chain().await;
    let order = world.order(SandboxPlan::Bank, ether()).await;
    let session = world.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    let page = world.page(&session).await;
    assert!(page.contains("Reference") && page.contains("50.00 USD"), "{page}");
    world.press(&session, "paid", "").await;
    assert!(world.page(&session).await.contains("Waiting for your transfer"));
    assert_eq!(world.balance(&ether()).await, RawAmount::ZERO);
    world.press(&session, "paid", "").await;
    world.until(&order, &RampState::Delivered).await;
    assert_eq!(world.balance(&ether()).await, order.sold_amount);
    let heard = world.until_heard(&order, 3).await;
    assert_eq!(heard, [RampState::Started, RampState::Paid, RampState::Delivered]);
}

#[tokio::test]
async fn a_declined_card_ends_the_purchase_and_nothing_is_delivered() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.pay_by_card(&session, "4000 0000 0000 0002").await;
    let report = world.until(&order, &RampState::Failed).await;
    assert_eq!(report.reason.unwrap().0, "payment_declined");
    assert_eq!(world.until_heard(&order, 1).await, [RampState::Failed]);
    // A second try changes nothing: the purchase has ended.
    world.pay_by_card(&session, GOOD).await;
    assert_eq!(world.until(&order, &RampState::Failed).await.payouts, Vec::<String>::new());
}

#[tokio::test]
async fn a_challenge_decides_whether_the_card_is_charged() {
    let world = World::without_chain().await;
    for (answer, state) in [("approve", RampState::Paid), ("fail", RampState::Failed)] {
        let order = world.order(SandboxPlan::Card, usdc()).await;
        let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
        world.pay_by_card(&session, "4000 0000 0000 3220").await;
        world.until(&order, &RampState::Started).await;
        let page = world.page(&session).await;
        assert!(page.contains("Approve") && page.contains("Reject"), "{page}");
        world.press(&session, "challenge", &format!("answer={answer}")).await;
        world.until(&order, &state).await;
    }
}

#[tokio::test]
async fn a_slow_card_is_pending_for_a_while_and_then_paid() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.pay_by_card(&session, "4000 0000 0000 0077").await;
    assert!(world.page(&session).await.contains("Payment under way"));
    world.until(&order, &RampState::Paid).await;
}

#[tokio::test]
async fn a_payer_can_cancel_until_they_have_paid() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.press(&session, "cancel", "").await;
    world.until(&order, &RampState::Canceled).await;
    let paid = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&paid, None).await.unwrap();
    world.pay_by_card(&session, GOOD).await;
    world.press(&session, "cancel", "").await;
    world.until(&paid, &RampState::Paid).await;
}

#[tokio::test]
async fn what_nobody_pays_in_time_expires() {
    let world = World::without_chain().await;
    let mut order = world.order(SandboxPlan::Bank, usdc()).await;
    order.pay_by = Timestamp::now() + SignedDuration::from_millis(300);
    world.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    let report = world.until(&order, &RampState::Expired).await;
    assert_eq!(report.reason.unwrap().0, "expired");
    assert_eq!(world.until_heard(&order, 1).await, [RampState::Expired]);
}

#[tokio::test]
async fn a_card_that_cannot_be_right_is_asked_for_again() {
    let world = World::without_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let (status, page) = world.press(&session, "pay", "number=4242&expiry=12%2F30&cvc=123").await;
    assert_eq!(status.as_u16(), 422);
    assert!(page.contains("This is not a card number") && page.contains(r#"aria-invalid="true""#), "{page}");
    world.until(&order, &RampState::Waiting).await;
}
