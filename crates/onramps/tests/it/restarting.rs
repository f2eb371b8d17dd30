use causeway_domain::ports::RampState;
use causeway_onramps::sandbox::SandboxPlan;

use crate::kit::{World, usdc};

const GOOD: &str = "4242 4242 4242 4242";

#[tokio::test]
async fn a_purchase_goes_on_after_a_kill_and_is_delivered_once() {
    let mut world = World::with_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.pay_by_card(&session, GOOD).await;
    let folder = world.folder();
    world.restart(&folder).await;
    let again = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    assert_eq!(again.provider_order, session.provider_order, "it is the same purchase");
    world.until(&order, &RampState::Delivered).await;
    assert_eq!(world.balance(&usdc()).await, order.sold_amount);
    world.until_heard(&order, 3).await;
}

/// Whatever the last line is that reached the disk, the purchase ends the same way and pays once.
#[tokio::test]
async fn a_kill_after_any_line_of_the_journal_pays_once() {
    let mut world = World::with_chain().await;
    let order = world.order(SandboxPlan::Card, usdc()).await;
    let session = world.ramp(SandboxPlan::Card).checkout(&order, None).await.unwrap();
    world.pay_by_card(&session, GOOD).await;
    world.until(&order, &RampState::Delivered).await;
    world.until_heard(&order, 3).await;
    world.halt().await;
    let journal = world.folder().join("sandbox-card").join("journal");
    let whole = std::fs::read(&journal).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').map(|at| at + 1).collect();
    // The beginning, the opening and the payer's word come first; without that word nothing may be delivered.
    for end in &ends[3..] {
        for torn in [0, 5] {
            let folder = tempfile::tempdir().unwrap();
            for file in ["journal", "secrets"] {
                let to = folder.path().join("sandbox-card").join(file);
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                std::fs::copy(world.folder().join("sandbox-card").join(file), to).unwrap();
            }
            let kept = &whole[..(end + torn).min(whole.len())];
            std::fs::write(folder.path().join("sandbox-card").join("journal"), kept).unwrap();
            world.restart(folder.path()).await;
            world.until(&order, &RampState::Delivered).await;
            assert_eq!(world.balance(&usdc()).await, order.sold_amount, "cut after {end} bytes");
            world.halt().await;
        }
    }
}
