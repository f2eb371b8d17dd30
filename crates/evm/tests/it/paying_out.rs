use alloy_primitives::{Address as EvmAddress, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::PayoutWatch as _;
use causeway_domain::{Address, ChainId, TokenId};
use causeway_evm::orders::{EvmPayoutWatch, OrderFinality};
use causeway_sandbox::evm::Reorged;

use crate::orders_chain::{PlayChain, USDT, transferCall, wallet};

const TO: EvmAddress = EvmAddress::repeat_byte(0xec);

struct Scene {
    play: PlayChain,
    watch: EvmPayoutWatch,
    token: TokenId,
    coin: TokenId,
}

impl Scene {
    async fn new() -> Self {
        let play = PlayChain::start(10).await;
        // Blocks come when they are told to, so that each depth can be looked at.
        play.chain.pause();
        let watch = EvmPayoutWatch::new(play.client.clone(), OrderFinality::sandbox().usual);
        let chain = ChainId::new(10).unwrap();
        let token = TokenId::new(chain, &USDT.to_string()).unwrap();
        Self { play, watch, token, coin: TokenId::native(chain) }
    }

    async fn transfer(&self, amount: u64) -> String {
        let call = transferCall { to: TO, amount: U256::from(amount) };
        let receipt = self.play.land(&wallet(3), USDT, U256::ZERO, call.abi_encode()).await;
        receipt.transaction_hash.to_string()
    }

    async fn seen(&self, tx: &str, token: TokenId, to: EvmAddress) -> Vec<u64> {
        let payouts = self.watch.payouts(tx, token, Address::Evm(to)).await.unwrap();
        payouts.iter().map(|payout| payout.amount.get().to()).collect()
    }
}

#[tokio::test]
async fn rule_22_a_delivery_counts_once_its_block_stands() {
    let scene = Scene::new().await;
    let tx = scene.transfer(70).await;
    for newer in 0..4 {
        let expected: &[u64] = if newer < 2 { &[] } else { &[70] };
        assert_eq!(scene.seen(&tx, scene.token, TO).await, expected, "{newer} newer blocks");
        scene.play.chain.mine(1, 1).await.unwrap();
    }
    let named =
        scene.watch.payouts(&tx.to_uppercase().replace("0X", "0x"), scene.token, Address::Evm(TO)).await;
    assert_eq!(named.unwrap()[0].tx, tx, "one transaction has one name, however it is spelled");
}

#[tokio::test]
async fn rule_22_only_that_token_to_that_address_counts() {
    let scene = Scene::new().await;
    let token_tx = scene.transfer(70).await;
    let coin_tx = scene.play.land(&wallet(4), TO, U256::from(90), Vec::new()).await;
    let coin_tx = coin_tx.transaction_hash.to_string();
    scene.play.chain.mine(3, 1).await.unwrap();
    assert_eq!(scene.seen(&coin_tx, scene.coin, TO).await, [90]);
    assert!(scene.seen(&coin_tx, scene.token, TO).await.is_empty());
    assert!(scene.seen(&token_tx, scene.coin, TO).await.is_empty());
    assert!(scene.seen(&token_tx, scene.token, EvmAddress::repeat_byte(1)).await.is_empty());
    let other = TokenId::new(ChainId::new(1).unwrap(), &USDT.to_string()).unwrap();
    assert!(scene.seen(&token_tx, other, TO).await.is_empty(), "the same address on another chain");
    for nothing in ["", "0x", "0xzz", &format!("0x{}", "1".repeat(64))] {
        assert!(scene.seen(nothing, scene.token, TO).await.is_empty(), "{nothing}");
    }
}

#[tokio::test]
async fn rule_22_what_a_reorg_takes_away_was_never_delivered() {
    let scene = Scene::new().await;
    let tx = scene.transfer(70).await;
    scene.play.chain.reorg(1, Reorged::Drop).await.unwrap();
    scene.play.chain.mine(5, 1).await.unwrap();
    assert!(scene.seen(&tx, scene.token, TO).await.is_empty());
}
