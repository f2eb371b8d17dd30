use alloy_primitives::{Address as EvmAddress, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::PayoutWatch as _;
use causeway_domain::{Address, ChainId, TokenId};
use causeway_evm::orders::{EvmPayoutWatch, OrderFinality};
use causeway_sandbox::evm::Reorged;

use crate::orders_chain::{SandboxChain, USDT, transferCall, wallet};

const TO: EvmAddress = EvmAddress::repeat_byte(0xec);

struct Fixture {
    play: SandboxChain,
    watch: EvmPayoutWatch,
    token: TokenId,
    coin: TokenId,
}

impl Fixture {
    async fn new() -> Self {
        let play = SandboxChain::start(10).await;
        // Blocks are mined on demand, so that each depth can be checked.
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

    async fn spent(&self, tx: &str, token: TokenId, from: EvmAddress) -> U256 {
        self.watch.spent(tx, token, Address::Evm(from)).await.unwrap().get()
    }

    async fn seen(&self, tx: &str, token: TokenId, to: EvmAddress) -> Vec<u64> {
        let payouts = self.watch.payouts(tx, token, Address::Evm(to)).await.unwrap();
        payouts.iter().map(|payout| payout.amount.get().to()).collect()
    }
}

#[tokio::test]
async fn rule_22_a_payout_counts_once_its_block_is_final() {
    let fixture = Fixture::new().await;
    let tx = fixture.transfer(70).await;
    for newer in 0..4 {
        let expected: &[u64] = if newer < 2 { &[] } else { &[70] };
        assert_eq!(fixture.seen(&tx, fixture.token, TO).await, expected, "{newer} newer blocks");
        fixture.play.chain.mine(1, 1).await.unwrap();
    }
    let named =
        fixture.watch.payouts(&tx.to_uppercase().replace("0X", "0x"), fixture.token, Address::Evm(TO)).await;
    assert_eq!(named.unwrap()[0].tx, tx, "one transaction has one id, whatever its spelling");
}

#[tokio::test]
async fn rule_22_only_that_token_to_that_address_counts() {
    let fixture = Fixture::new().await;
    let token_tx = fixture.transfer(70).await;
    let coin_tx = fixture.play.land(&wallet(4), TO, U256::from(90), Vec::new()).await;
    let coin_tx = coin_tx.transaction_hash.to_string();
    fixture.play.chain.mine(3, 1).await.unwrap();
    assert_eq!(fixture.seen(&coin_tx, fixture.coin, TO).await, [90]);
    assert!(fixture.seen(&coin_tx, fixture.token, TO).await.is_empty());
    assert!(fixture.seen(&token_tx, fixture.coin, TO).await.is_empty());
    assert!(fixture.seen(&token_tx, fixture.token, EvmAddress::repeat_byte(1)).await.is_empty());
    let other = TokenId::new(ChainId::new(1).unwrap(), &USDT.to_string()).unwrap();
    assert!(fixture.seen(&token_tx, other, TO).await.is_empty(), "the same address on another chain");
    for nothing in ["", "0x", "0xzz", &format!("0x{}", "1".repeat(64))] {
        assert!(fixture.seen(nothing, fixture.token, TO).await.is_empty(), "{nothing}");
        assert!(fixture.spent(nothing, fixture.token, wallet(3).address).await.is_zero(), "{nothing}");
    }
}

#[tokio::test]
async fn rule_22_what_a_payer_has_spent_is_what_left_it_in_a_final_block() {
    let fixture = Fixture::new().await;
    let token_tx = fixture.transfer(70).await;
    let coin_tx = fixture.play.land(&wallet(4), TO, U256::from(90), Vec::new()).await;
    let coin_tx = coin_tx.transaction_hash.to_string();
    let payer = wallet(3).address;
    assert!(fixture.spent(&token_tx, fixture.token, payer).await.is_zero(), "its block is not final");
    fixture.play.chain.mine(3, 1).await.unwrap();
    assert_eq!(fixture.spent(&token_tx, fixture.token, payer).await, U256::from(70));
    assert_eq!(fixture.spent(&coin_tx, fixture.coin, wallet(4).address).await, U256::from(90));
    // What was received was not spent.
    assert!(fixture.spent(&token_tx, fixture.token, TO).await.is_zero());
    assert!(fixture.spent(&token_tx, fixture.coin, payer).await.is_zero());
    assert!(fixture.spent(&coin_tx, fixture.coin, payer).await.is_zero());
}

#[tokio::test]
async fn rule_22_a_reorganised_payout_does_not_count() {
    let fixture = Fixture::new().await;
    let tx = fixture.transfer(70).await;
    fixture.play.chain.reorg(1, Reorged::Drop).await.unwrap();
    fixture.play.chain.mine(5, 1).await.unwrap();
    assert!(fixture.seen(&tx, fixture.token, TO).await.is_empty());
}
