use alloy_primitives::U256;
use causeway_domain::ports::{ChainAction, PayoutWatch as _, Progress, TxSender as _};
use causeway_domain::{Address as AnyAddress, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_solana::orders::SolanaPayoutWatch;
use solana_signer::Signer as _;

use super::{OrderFixture, recipient};
use crate::sandbox_chain::{SOL, usdc, user};

async fn paid(fixture: &OrderFixture, purpose: &str, token: TokenId, to: AnyAddress, amount: u64) -> String {
    let action = ChainAction::Pay { token, to, amount: RawAmount::new(U256::from(amount)) };
    let sender = fixture.sender(&fixture.roles.solana_ramps);
    match fixture.complete(&sender, purpose, &action).await {
        Progress::Succeeded(tx) => tx,
        other => panic!("{purpose} ended as {other:?}"),
    }
}

#[tokio::test]
async fn rule_22_a_final_payout_is_seen_only_at_its_address() {
    let fixture = OrderFixture::new().await;
    let watch = SolanaPayoutWatch::new(fixture.sandbox.rpc.clone());
    let (to, other) = (recipient(), AnyAddress::Solana(user().pubkey().to_bytes()));
    let to = AnyAddress::Solana(to.to_bytes());
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    // The second payment finds the token account that the first one created.
    for (purpose, token, amount) in
        [("sol", sol, SOL), ("usdc", usdc(), 7_000_000), ("again", usdc(), 5_000_000)]
    {
        let tx = paid(&fixture, purpose, token, to, amount).await;
        fixture.sandbox.finalize().await;
        let seen = watch.payouts(&tx, token, to).await.unwrap();
        let amounts: Vec<U256> = seen.iter().map(|payout| payout.amount.get()).collect();
        assert_eq!(amounts, [U256::from(amount)], "{purpose}");
        assert_eq!((seen[0].tx.as_str(), seen[0].token), (tx.as_str(), token));
        assert!(watch.payouts(&tx, token, other).await.unwrap().is_empty(), "{purpose}");
        let payer = AnyAddress::Solana(fixture.roles.solana_ramps.address);
        let spent = watch.spent(&tx, token, payer).await.unwrap().get();
        // The fee and the rent of a new account are paid in SOL too.
        let most = if token == sol { amount + SOL / 100 } else { amount };
        assert!((U256::from(amount)..=U256::from(most)).contains(&spent), "{purpose}: {spent}");
        assert!(watch.spent(&tx, token, to).await.unwrap().is_zero(), "it received");
        let wrong = if token == sol { usdc() } else { sol };
        assert!(watch.payouts(&tx, wrong, to).await.unwrap().is_empty(), "{purpose}");
    }
}

#[tokio::test]
async fn rule_22_nothing_counts_before_it_is_final() {
    let fixture = OrderFixture::new().await;
    let watch = SolanaPayoutWatch::new(fixture.sandbox.rpc.clone());
    let to = AnyAddress::Solana(recipient().to_bytes());
    for nothing in ["", "not a signature", &"1".repeat(64)] {
        assert!(watch.payouts(nothing, usdc(), to).await.unwrap().is_empty(), "{nothing}");
    }
    let sender = fixture.sender(&fixture.roles.solana_ramps);
    let action = ChainAction::Pay { token: usdc(), to, amount: RawAmount::new(U256::from(3)) };
    fixture.sandbox.chain.pause().await.unwrap();
    let Progress::Sent(tx) = sender.send("soon", &action, jiff::Timestamp::now()).await.unwrap() else {
        panic!("nothing was sent");
    };
    fixture.sandbox.chain.advance(1).await.unwrap();
    assert!(watch.payouts(&tx, usdc(), to).await.unwrap().is_empty(), "its block is not final");
    fixture.sandbox.finalize().await;
    assert_eq!(watch.payouts(&tx, usdc(), to).await.unwrap().len(), 1);
}
