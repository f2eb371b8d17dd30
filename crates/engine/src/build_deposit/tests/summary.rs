use causeway_domain::DepositWindow;

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
    let quote = scene.quote(|_| {});
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
    let quote = scene.quote(|_| {});
    let built =
        scene.take(BuildRequest { method: Some(DepositMethod::Permit2), ..request(&quote) }).await.unwrap();
    assert_eq!(
        built.summary[2..],
        [
            format!("Allow Permit2 at {} on Base to take exactly 25 USDC.", evm(0x22)),
            format!(
                "Sign a permit for 25 USDC on Base, which this service submits and pays the gas for: {promise}"
            ),
        ]
    );
    let signed = scene.quote(|quote| quote.routes[0].deposit_methods = vec![DepositMethod::Permit]);
    let built =
        scene.take(BuildRequest { method: Some(DepositMethod::Permit), ..request(&signed) }).await.unwrap();
    assert_eq!(
        built.summary,
        [format!(
            "Sign a permit of the token and the order for 25 USDC on Base, which this service submits and pays the gas for: {promise}"
        )]
    );
    let BuiltDeposit::Permit(PermitRequest { order: Some(_), .. }) = built.deposit else { panic!() };
    let quote = scene.quote(|_| {});
    let built =
        scene.take(BuildRequest { method: Some(DepositMethod::Transfer), ..request(&quote) }).await.unwrap();
    let address = built.order.deposit_address.unwrap();
    let until = "2026-11-15 12:10:30 UTC";
    assert_eq!(
        built.summary,
        [format!("Send 25 USDC on Base to {address} so that it arrives by {until}: {promise}")]
    );
}

#[tokio::test]
async fn more_time_for_the_deposit_is_in_the_terms_and_said_with_what_it_means() {
    let scene = Scene::new().await;
    let quote = scene.quote(|quote| quote.ask.deposit_window = DepositWindow::new(36_000));
    let built = scene.take(request(&quote)).await.unwrap();
    let valid_before = u64::try_from(built.order.valid_before.as_second()).unwrap();
    let terms = built.order.terms;
    assert_eq!(terms.open_deadline, valid_before + 36_000);
    assert!(terms.open_deadline < terms.fill_deadline && terms.fill_deadline < terms.refund_at);
    let said = "The price holds until 2026-11-15 12:00:30 UTC. A deposit after that, until 2026-11-15 22:00:30 UTC, is filled \
                if the swap still pays for itself, and returned if not.";
    assert_eq!(built.summary.last().map(String::as_str), Some(said));
    let by_transfer = scene.quote(|quote| quote.ask.deposit_window = DepositWindow::new(36_000));
    let by_transfer = BuildRequest { method: Some(DepositMethod::Transfer), ..request(&by_transfer) };
    assert_eq!(scene.take(by_transfer).await.unwrap().order.terms.open_deadline, valid_before + 600);
    // The same build again says the same.
    assert_eq!(scene.take(request(&quote)).await.unwrap().summary, built.summary);
}
