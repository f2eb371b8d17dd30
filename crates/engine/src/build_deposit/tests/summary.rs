use super::super::fake::{Scene, evm, request};
use crate::build_deposit::*;

#[tokio::test]
async fn summary_contains_everything_worth_comparing() {
    let scene = Scene::new().await;
    let promise = format!(
        "{} receives at least 0.0098 ETH on Arbitrum One; if it is not delivered by 2026-11-15 12:45:30 UTC, the deposit is refunded to {}.",
        evm(0xb2),
        evm(0xc3)
    );
    let quote = scene.quote(|_| {}).await;
    let built = scene.take(request(&quote)).await.unwrap();
    let switch = "Switch your wallet to Base.".to_owned();
    let reset = "Reset the existing allowance of USDC on Base to zero, which this token requires before a new approval.";
    assert_eq!(
        built.summary,
        [
            switch.clone(),
            reset.to_owned(),
            format!("Allow the Causeway escrow {} on Base to take exactly 25 USDC.", evm(0xe1)),
            format!("Deposit 25 USDC on Base: {promise}"),
        ]
    );
    let quote = scene.quote(|_| {}).await;
    let built = scene.take(BuildRequest { method: DepositMethod::Permit2, ..request(&quote) }).await.unwrap();
    assert_eq!(
        built.summary[2..],
        [
            format!("Allow Permit2 at {} on Base to take exactly 25 USDC.", evm(0x22)),
            format!(
                "Sign a permit for 25 USDC on Base, which this service submits and pays the gas for: {promise}"
            ),
        ]
    );
    let quote = scene.quote(|_| {}).await;
    let built =
        scene.take(BuildRequest { method: DepositMethod::Transfer, ..request(&quote) }).await.unwrap();
    let address = built.order.deposit_address.unwrap();
    let until = "2026-11-15 12:10:30 UTC";
    assert_eq!(
        built.summary,
        [format!("Send 25 USDC on Base to {address} so that it arrives by {until}: {promise}")]
    );
}
