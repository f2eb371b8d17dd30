use alloy_primitives::{Address, U256};
use alloy_sol_types::SolCall as _;
use causeway_client::Error;
use causeway_fillers::providers::standin::Mischief;
use serde_json::{Value, json};

use super::fixture::KINDS;
use super::{ARBITRUM_USDT, BASE, BASE_USDC, BASE_WETH, Fixture, Kind, approveCall, depositCall, trusting};

#[tokio::test]
async fn rule_22_only_a_transfer_on_a_chain_completes_or_refunds_what_a_provider_settles() {
    let fixture = Fixture::start().await;
    fixture.quote(&["lifi", "relay"]).await;
    let mut unended = Vec::new();
    for (kind, done) in [(Kind::Lifi, "DONE COMPLETED"), (Kind::Relay, "success")] {
        // It says that it has delivered, and no chain shows it.
        fixture.misbehave(kind, Mischief::OnlySaysDone);
        let lied = fixture.pay(kind).await;
        let said = |order: &Value| order["providerStatus"]["nativeStatus"] == done;
        let order = fixture.wait_for(&lied, "said to be done", said).await;
        assert_eq!(order["status"], "published", "{order}");
        // Then it says that it still works on it.
        fixture.misbehave(kind, Mischief::GoesBack);
        let back = |order: &Value| order["providerStatus"]["nativeStatus"] != done;
        let order = fixture.wait_for(&lied, "said to be open again", back).await;
        assert_eq!(order["status"], "published", "{order}");

        // It delivers half of what was agreed.
        fixture.misbehave(kind, Mischief::PaysLess);
        let short = fixture.pay(kind).await;
        let is_short = |order: &Value| {
            order["failureReason"].as_str().is_some_and(|reason| reason.contains("less than"))
        };
        let order = fixture.wait_for(&short, "reported as short", is_short).await;
        assert_eq!(order["status"], "published", "{order}");

        // It does nothing.
        fixture.misbehave(kind, Mischief::Stuck);
        let stuck = fixture.pay(kind).await;
        fixture.wait_for(&stuck, "worked on", |order| order["status"] == "published").await;

        // It returns the input.
        fixture.misbehave(kind, Mischief::Refunds);
        let before = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
        let Err(Error::OrderFailed(order)) = fixture.swap(trusting(kind)).await else {
            panic!("not refunded")
        };
        assert_eq!(order.status, "refunded");
        let after = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
        // The order that it had left alone is returned with it.
        fixture.wait_for(&stuck, "ended", |order| order["status"] == "refunded").await;
        assert!(after >= before, "{after} {before}");
        // It pays in another token: LI.FI the recipient, Relay the refund address.
        fixture.misbehave(kind, Mischief::PaysOther(ARBITRUM_USDT));
        let other = fixture.pay(kind).await;
        let order = fixture.wait_for(&other, "ended", |order| order["status"] == "refunded").await;
        let reason = order["failureReason"].as_str().unwrap();
        assert!(reason.to_lowercase().contains(&format!("{ARBITRUM_USDT:#x}")), "{reason}");
        unended.extend([lied, short]);
    }
    for id in unended {
        assert_eq!(fixture.order(&id).await["status"], "published", "still");
    }
}

#[tokio::test]
async fn a_lying_provider_is_named_and_rested_and_no_money_moves() {
    let fixture = Fixture::start().await;
    let payer = fixture.payer();
    // The payer once allowed the providers' contracts another token.
    let value = U256::from(10).pow(U256::from(17));
    fixture.send(BASE, BASE_WETH, depositCall {}.abi_encode(), value).await;
    for kind in KINDS {
        let approve = approveCall { spender: kind.contract(), amount: U256::MAX }.abi_encode();
        fixture.send(BASE, BASE_WETH, approve, U256::ZERO).await;
    }
    let other = Address::repeat_byte(0xdd);
    let before = fixture.balance(BASE, BASE_USDC, payer).await;
    for kind in KINDS {
        let quote = fixture.quote(&[kind.name()]).await;
        let words = |lifi: &'static str, relay: &'static str| if kind == Kind::Lifi { lifi } else { relay };
        for (mischief, words) in [
            (
                Mischief::TakesMore(BASE_WETH),
                words("it takes 25000000 raw units of the token", "takes 50000000 raw units instead of"),
            ),
            (Mischief::OtherTarget(other), "is not pinned"),
            (Mischief::OtherSpender(other), words("is not pinned", "not its depository")),
            (Mischief::OtherRecipient(other), "instead of"),
            (Mischief::OtherChain, words("another destination chain", "another output token")),
            (Mischief::Html, "cannot be read"),
        ] {
            fixture.misbehave(kind, mischief);
            let (status, answer) = fixture.build(kind, &quote).await;
            let fault = (status, &answer["details"]["errorCode"]);
            assert_eq!(fault, (400, &json!("PROVIDER_FAULT")), "{kind:?} {mischief:?} {answer}");
            assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
        }
        fixture.misbehave(kind, Mischief::UnboundedAllowance);
        let (status, answer) = fixture.build(kind, &quote).await;
        match kind {
            // Its word on allowances is not asked for: they are of the input.
            Kind::Lifi | Kind::Zerox => {
                assert!(answer["approvals"].to_string().contains("00017d7840"), "{answer}");
            }
            Kind::Relay => assert!(status == 400 && answer.to_string().contains("allowance of"), "{answer}"),
        }
        fixture.misbehave(kind, Mischief::WorsePrice);
        let (status, answer) = fixture.build(kind, &quote).await;
        assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
        // It is not asked any more, and the others are.
        fixture.misbehave(kind, Mischief::None);
        let asked = fixture.quotes(kind);
        let quote = fixture.quote(&["native-filler"]).await;
        let routes = quote["routes"].as_array().unwrap();
        assert!(routes.iter().all(|route| route["type"] != kind.name()), "{quote}");
        assert_eq!(fixture.quotes(kind), asked);
    }
    assert_eq!(fixture.balance(BASE, BASE_USDC, payer).await, before);
}
