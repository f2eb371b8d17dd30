use causeway_domain::ports::RampState;
use causeway_onramps::sandbox::SandboxPlan;

use crate::fixture::{RampFixture, usdc};

const VALID_CARD: &str = "4242 4242 4242 4242";

#[tokio::test]
async fn purchase_continues_after_a_kill_and_is_delivered_once() {
    let mut fixture = RampFixture::with_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.pay_by_card(&session, VALID_CARD).await;
    let folder = fixture.folder();
    fixture.restart(&folder).await;
    let again = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    assert_eq!(again.provider_order, session.provider_order, "it is the same purchase");
    fixture.wait_for(&order, &RampState::Delivered).await;
    assert_eq!(fixture.balance(&usdc()).await, order.sold_amount);
    fixture.wait_for_webhooks(&order, 3).await;
}

/// Whichever line is the last on disk, the purchase completes and pays once.
#[tokio::test]
async fn kill_after_any_journal_line_pays_once() {
    let mut fixture = RampFixture::with_chain().await;
    let order = fixture.order(SandboxPlan::Card, usdc()).await;
    let session = fixture.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    fixture.pay_by_card(&session, VALID_CARD).await;
    fixture.wait_for(&order, &RampState::Delivered).await;
    fixture.wait_for_webhooks(&order, 3).await;
    fixture.kill().await;
    let journal = fixture.folder().join("sandbox-card").join("journal");
    let whole = std::fs::read(&journal).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').map(|at| at + 1).collect();
    // The first three lines are begin, opened and the payer's confirmation; before that nothing is delivered.
    for end in &ends[3..] {
        for torn in [0, 5] {
            let folder = tempfile::tempdir().unwrap();
            for file in ["journal", "secrets"] {
                let to = folder.path().join("sandbox-card").join(file);
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                std::fs::copy(fixture.folder().join("sandbox-card").join(file), to).unwrap();
            }
            let truncated = &whole[..(end + torn).min(whole.len())];
            std::fs::write(folder.path().join("sandbox-card").join("journal"), truncated).unwrap();
            fixture.restart(folder.path()).await;
            fixture.wait_for(&order, &RampState::Delivered).await;
            assert_eq!(fixture.balance(&usdc()).await, order.sold_amount, "cut after {end} bytes");
            fixture.kill().await;
        }
    }
}
