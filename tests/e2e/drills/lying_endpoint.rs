//! One endpoint of three lies about everything, and it is the one that is asked first.

use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U64, U256};
use alloy_sol_types::{SolCall as _, SolEvent as _};
use causeway_domain::{Address, IntentTerms};
use causeway_evm::contracts::{Escrow, Order};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, ETHEREUM, usdc};
use super::payer::{BuiltOrder, DepositVia, Outcome, Payer, SwapPlan};
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// Three endpoints of each chain; the first answers falsely.
const THREE_NODES: &str = "[sandbox]\nnodes = 3\n";
const LIAR: u8 = 1;

fn plan(outcome: Outcome) -> SwapPlan {
    let amount = U256::from(50_000_000);
    SwapPlan { from: (BASE, usdc(BASE)), to: (ETHEREUM, COIN), amount, via: DepositVia::Call, outcome }
}

/// The terms as the service published them.
pub(super) fn terms(order: &BuiltOrder) -> IntentTerms {
    let terms = &order.answer["terms"];
    let word = |name: &str| terms[name].as_str().unwrap().parse::<B256>().unwrap();
    let amount = |name: &str| terms[name].as_str().unwrap().parse::<U256>().unwrap();
    let number = |name: &str| amount(name).to::<u64>();
    let terms = IntentTerms {
        origin_chain_id: number("originChainId"),
        escrow: word("escrow"),
        user: word("user"),
        nonce: word("nonce"),
        input_token: word("inputToken"),
        amount_in: amount("amountIn"),
        refund_to: word("refundTo"),
        filler: word("filler"),
        payee: word("payee"),
        referrer: word("referrer"),
        referrer_fee: amount("referrerFee"),
        destination_chain_id: number("destinationChainId"),
        settler: word("settler"),
        output_token: word("outputToken"),
        amount_out: amount("amountOut"),
        recipient: word("recipient"),
        open_deadline: number("openDeadline"),
        fill_deadline: number("fillDeadline"),
        refund_at: number("refundAt"),
        epoch: number("epoch"),
    };
    assert_eq!(terms.id(), order.intent);
    terms
}

/// The event of a deposit that nobody made.
fn invented_deposit(terms: &IntentTerms, block: u64) -> Value {
    let event = Escrow::Open { orderId: terms.id(), order: Order::from(terms) }.encode_log_data();
    json!({
        "blockNumber": block, "address": EvmAddress::from_word(terms.escrow).to_string(),
        "topics": event.topics(), "data": event.data,
    })
}

async fn height(chains: &Chains, chain: u64) -> u64 {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": [] });
    let answer = chains.rpc(chain, &call).await;
    serde_json::from_value::<U64>(answer["result"].clone()).unwrap().to()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_27_one_lying_endpoint_moves_no_money_and_stops_none() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, THREE_NODES);
    let mut rng = SeededRng::new(27, "liar");
    let mut robber = Payer::new(plan(Outcome::NeverDeposited), &mut rng);
    robber.fund(&chains).await;
    robber.build(&service).await;
    let terms = terms(robber.built_order());

    // It shows a deposit and an escrow that holds it, a far head, nonces after a gap, and fees that nobody should pay.
    let status = Bytes::from(Escrow::statusCall { orderId: terms.id() }.abi_encode());
    let open = Bytes::from(U256::from(1).to_be_bytes_vec());
    let height = height(&chains, BASE).await;
    let invented: Vec<Value> = (2..6).map(|ahead| invented_deposit(&terms, height + ahead)).collect();
    let escrow = EvmAddress::from_word(terms.escrow).to_string();
    let lies = json!({
        "logs": invented, "calls": [{ "to": escrow, "data": status, "result": open }],
        "blocksAhead": 1_000_000, "noncesAhead": 1_000, "feeFactor": 5_000,
    });
    chains.control(BASE, json!({ "action": "faults", "node": LIAR, "lies": lies })).await;
    let lies = json!({ "blocksAhead": 1_000_000, "noncesAhead": 1_000, "feeFactor": 5_000 });
    chains.control(ETHEREUM, json!({ "action": "faults", "node": LIAR, "lies": lies })).await;
    chains.control(BASE, json!({ "action": "mine", "blocks": 12 })).await;

    // Who pays is served meanwhile, at the fees that the other two endpoints show.
    let mut honest = Payer::new(plan(Outcome::Filled), &mut rng);
    honest.fund(&chains).await;
    honest.build(&service).await;
    honest.deposit(&chains, &service, &broadcast::channel(1).0).await;
    wait_until_ended(&chains, &service, &[honest], 27).await;

    for _ in 0..10 {
        chains.control(BASE, json!({ "action": "mine", "blocks": 1 })).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(chains.balance(ETHEREUM, COIN, robber.recipient).await, U256::ZERO, "the robber was paid");
    }
    let orders = service.orders_of(robber.key.address()).await;
    assert!(orders.iter().all(|order| order["status"] == "created"), "{orders:#?}");
    let Address::Evm(_) = robber.recipient else { panic!("an EVM recipient") };
}
