use causeway_domain::RawAmount;
use causeway_domain::ports::{PayoutWatch as _, RampState};
use causeway_evm::orders::{EvmPayoutWatch, OrderFinality};
use causeway_onramps::sandbox::SandboxPlan;
use jiff::{SignedDuration, Timestamp};

use crate::fixture::{RampFixture, ether, recipient, usdc};

const VALID_CARD: &str = "4242 4242 4242 4242";

#[tokio::test]
async fn card_payment_is_delivered_on_chain_and_sent_by_signed_webhooks() {
    let fixture = RampFixture::with_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    assert_eq!(fixture.wait_for(&order, &RampState::Waiting).await.payouts, Vec::<String>::new());
    fixture.pay_by_card(&session, VALID_CARD).await;
    let report = fixture.wait_for(&order, &RampState::Delivered).await;
    assert_eq!(report.amount, Some(order.sold_amount));
    assert_eq!((report.asset, report.wallet), (Some(usdc().id), Some(recipient())));
    assert_eq!(fixture.balance(&usdc()).await, order.sold_amount);

    let webhook_states = fixture.wait_for_webhooks(&order, 3).await;
    assert_eq!(webhook_states, [RampState::Started, RampState::Paid, RampState::Delivered]);

    fixture.mine_until_final().await;
    let client = fixture.test_chain.as_ref().unwrap().client.clone();
    let watch = EvmPayoutWatch::new(client, OrderFinality::sandbox().usual);
    let payouts = watch.payouts(&report.payouts[0], usdc().id, recipient()).await.unwrap();
    assert_eq!(payouts.iter().map(|payout| payout.amount).collect::<Vec<_>>(), [order.sold_amount]);
    assert!(fixture.page(&session).await.contains("Delivered"));
}

#[tokio::test]
async fn bank_transfer_counts_when_it_arrives_not_when_the_payer_confirms_it() {
    let fixture = RampFixture::with_chain().await;
    let order = fixture.order(SandboxPlan::Bank, ether()).await;
    let session = fixture.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    let page = fixture.page(&session).await;
    assert!(page.contains("Reference") && page.contains("50.00 USD"), "{page}");
    fixture.submit(&session, "paid", "").await;
    assert!(fixture.page(&session).await.contains("Waiting for your transfer"));
    assert_eq!(fixture.balance(&ether()).await, RawAmount::ZERO);
    fixture.submit(&session, "paid", "").await;
    fixture.wait_for(&order, &RampState::Delivered).await;
    assert_eq!(fixture.balance(&ether()).await, order.sold_amount);
    let webhook_states = fixture.wait_for_webhooks(&order, 3).await;
    assert_eq!(webhook_states, [RampState::Started, RampState::Paid, RampState::Delivered]);
}

#[tokio::test]
async fn a_declined_card_ends_the_purchase_and_nothing_is_delivered() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.pay_by_card(&session, "4000 0000 0000 0002").await;
    let report = fixture.wait_for(&order, &RampState::Failed).await;
    assert_eq!(report.reason.unwrap().0, "payment_declined");
    assert_eq!(fixture.wait_for_webhooks(&order, 1).await, [RampState::Failed]);
    // A second try changes nothing: the purchase has ended.
    fixture.pay_by_card(&session, VALID_CARD).await;
    assert_eq!(fixture.wait_for(&order, &RampState::Failed).await.payouts, Vec::<String>::new());
}

#[tokio::test]
async fn a_challenge_decides_whether_the_card_is_charged() {
    let fixture = RampFixture::without_chain().await;
    for (answer, state) in [("approve", RampState::Paid), ("fail", RampState::Failed)] {
        let order = fixture.order(SandboxPlan::Card, usdc()).await;
        let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
        fixture.pay_by_card(&session, "4000 0000 0000 3220").await;
        fixture.wait_for(&order, &RampState::Started).await;
        let page = fixture.page(&session).await;
        assert!(page.contains("Approve") && page.contains("Reject"), "{page}");
        fixture.submit(&session, "challenge", &format!("answer={answer}")).await;
        fixture.wait_for(&order, &state).await;
    }
}

#[tokio::test]
async fn a_slow_card_is_pending_for_a_while_and_then_paid() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.pay_by_card(&session, "4000 0000 0000 0077").await;
    assert!(fixture.page(&session).await.contains("Payment under way"));
    fixture.wait_for(&order, &RampState::Paid).await;
}

#[tokio::test]
async fn a_payer_can_cancel_until_they_have_paid() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.submit(&session, "cancel", "").await;
    fixture.wait_for(&order, &RampState::Canceled).await;
    let paid = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&paid, None).await.unwrap();
    fixture.pay_by_card(&session, VALID_CARD).await;
    fixture.submit(&session, "cancel", "").await;
    fixture.wait_for(&paid, &RampState::Paid).await;
}

#[tokio::test]
async fn unpaid_purchase_expires() {
    let fixture = RampFixture::without_chain().await;
    let mut order = fixture.order(SandboxPlan::Bank, usdc()).await;
    order.pay_by = Timestamp::now() + SignedDuration::from_millis(300);
    fixture.ramp(SandboxPlan::Bank).checkout(&order, None).await.unwrap();
    let report = fixture.wait_for(&order, &RampState::Expired).await;
    assert_eq!(report.reason.unwrap().0, "expired");
    assert_eq!(fixture.wait_for_webhooks(&order, 1).await, [RampState::Expired]);
}

#[tokio::test]
async fn invalid_card_is_rejected_with_a_message() {
    let fixture = RampFixture::without_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    let (status, page) = fixture.submit(&session, "pay", "number=4242&expiry=12%2F30&cvc=123").await;
    assert_eq!(status.as_u16(), 422);
    assert!(page.contains("This is not a card number") && page.contains(r#"aria-invalid="true""#), "{page}");
    fixture.wait_for(&order, &RampState::Waiting).await;
}
