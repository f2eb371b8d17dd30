//! Coins that a contract sends to a deposit address: no transaction names who sent them, so nobody can be screened.

use std::time::Duration;

use alloy_primitives::{Bytes, U256, address};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::Address;
use causeway_evm::TxRequest;
use serde_json::json;

use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

sol! {
    struct PaidCall {
        address target;
        bool allowFailure;
        uint256 value;
        bytes callData;
    }
    function aggregate3Value(PaidCall[] calls) payable;
}

const MULTICALL: alloy_primitives::Address = address!("cA11bde05977b3631167028862bE2a173976CA11");
/// A hundredth of an ether.
const COINS: u64 = 10_000_000_000_000_000;

/// Builds an order of coins, has a contract send them, and gives the order, once its address has them.
async fn sent_by_a_contract(chains: &Chains, service: &RestartableService, rng: &mut SeededRng) -> Payer {
    let (from, to, via) = ((BASE, COIN), (ETHEREUM, usdc(ETHEREUM)), DepositVia::Transfer);
    let outcome = Outcome::NeverDeposited;
    let mut payer = Payer::new(SwapPlan { from, to, amount: U256::from(COINS), via, outcome }, rng);
    payer.build(service).await;
    let thief = Key::new(BASE, rng);
    chains.fund_address(BASE, thief.address(), COIN, Payer::gas_budget(BASE)).await;
    let (Key::Evm(signer), Address::Evm(target)) = (&thief, payer.built_order().deposit_address()) else {
        panic!("a chain of the EVM")
    };
    let value = U256::from(COINS);
    let call = PaidCall { target, allowFailure: false, value, callData: Bytes::new() };
    let data = aggregate3ValueCall { calls: vec![call] }.abi_encode().into();
    chains.send(BASE, signer, &TxRequest { to: MULTICALL, value, data }).await;
    payer
}

async fn status(service: &RestartableService, payer: &Payer) -> String {
    let orders = service.orders_of(payer.key.address()).await;
    orders.first().map(|order| order["status"].as_str().unwrap().to_owned()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn coins_of_an_unknown_sender_are_not_swept_and_go_to_the_refund_address() {
    let chains = Chains::start();
    let config = "[screening]\ndeny_list = \"/dev/null\"\n\n[orders]\nlook_back_seconds = 1\n";
    let service = RestartableService::start(&chains.base, config);
    let mut rng = SeededRng::new(9, "unknown");
    let payer = sent_by_a_contract(&chains, &service, &mut rng).await;
    let address = payer.built_order().deposit_address();
    for _ in 0..20 {
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        tokio::time::sleep(Duration::from_millis(250)).await;
        assert_eq!(chains.balance(BASE, COIN, address).await, U256::from(COINS), "it was swept");
    }
    assert_eq!(status(&service, &payer).await, "created");

    let late = json!({ "action": "setTime", "timestamp": payer.built_order().open_deadline + 60 });
    chains.control(BASE, late).await;
    let mut returned = U256::ZERO;
    for _ in 0..600 {
        returned = chains.balance(BASE, COIN, payer.refund_to).await;
        if !returned.is_zero() {
            break;
        }
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(returned, U256::from(COINS), "{payer:?}\n{}", service.diagnostics(None).await);
}
