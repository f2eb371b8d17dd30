use alloy_primitives::U256;
use causeway_domain::ports::{Carrier as _, Deed, PayoutWatch as _, Progress};
use causeway_domain::{Address as AnyAddress, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_solana::orders::SolanaPayoutWatch;
use solana_signer::Signer as _;

use super::{Stage, recipient};
use crate::play::{SOL, usdc, user};

async fn paid(stage: &Stage, purpose: &str, token: TokenId, to: AnyAddress, amount: u64) -> String {
    let deed = Deed::Pay { token, to, amount: RawAmount::new(U256::from(amount)) };
    let carrier = stage.carrier(&stage.roles.solana_ramps);
    match stage.see_through(&carrier, purpose, &deed).await {
        Progress::Succeeded(tx) => tx,
        other => panic!("{purpose} came to {other:?}"),
    }
}

#[tokio::test]
async fn rule_22_a_finalized_delivery_is_seen_at_the_address_and_nowhere_else() {
    let stage = Stage::new().await;
    let watch = SolanaPayoutWatch::new(stage.play.rpc.clone());
    let (to, other) = (recipient(), AnyAddress::Solana(user().pubkey().to_bytes()));
    let to = AnyAddress::Solana(to.to_bytes());
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    // The second payment finds the token account that the first one made.
    for (purpose, token, amount) in
        [("sol", sol, SOL), ("usdc", usdc(), 7_000_000), ("again", usdc(), 5_000_000)]
    {
        let tx = paid(&stage, purpose, token, to, amount).await;
        stage.play.settle().await;
        let seen = watch.payouts(&tx, token, to).await.unwrap();
        let amounts: Vec<U256> = seen.iter().map(|payout| payout.amount.get()).collect();
        assert_eq!(amounts, [U256::from(amount)], "{purpose}");
        assert_eq!((seen[0].tx.as_str(), seen[0].token), (tx.as_str(), token));
        assert!(watch.payouts(&tx, token, other).await.unwrap().is_empty(), "{purpose}");
        let wrong = if token == sol { usdc() } else { sol };
        assert!(watch.payouts(&tx, wrong, to).await.unwrap().is_empty(), "{purpose}");
    }
}

#[tokio::test]
async fn rule_22_nothing_counts_before_it_is_final() {
    let stage = Stage::new().await;
    let watch = SolanaPayoutWatch::new(stage.play.rpc.clone());
    let to = AnyAddress::Solana(recipient().to_bytes());
    for nothing in ["", "not a signature", &"1".repeat(64)] {
        assert!(watch.payouts(nothing, usdc(), to).await.unwrap().is_empty(), "{nothing}");
    }
    let carrier = stage.carrier(&stage.roles.solana_ramps);
    let deed = Deed::Pay { token: usdc(), to, amount: RawAmount::new(U256::from(3)) };
    stage.play.chain.pause().await.unwrap();
    let Progress::OnItsWay(tx) = carrier.carry("soon", &deed, jiff::Timestamp::now()).await.unwrap() else {
        panic!("nothing was sent");
    };
    stage.play.chain.advance(1).await.unwrap();
    assert!(watch.payouts(&tx, usdc(), to).await.unwrap().is_empty(), "it is in a block that may still go");
    stage.play.settle().await;
    assert_eq!(watch.payouts(&tx, usdc(), to).await.unwrap().len(), 1);
}
