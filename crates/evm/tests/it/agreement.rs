//! What a chain's endpoints must agree on before money leaves.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256};
use causeway_domain::ports::{ActionError, ChainError, EscrowState, TxSender as _};
use causeway_domain::{Deployment, IntentTerms};
use causeway_evm::orders::EvmTxSender;
use causeway_evm::{BlockTag, EvmClient, SendPolicy, Signer};
use serde_json::{Value, json};

use crate::fake::{CHAIN, Fake, chain, client, config, error};

const ESCROW: Address = Address::repeat_byte(0xe5);
const HEAD: u64 = 100;

/// What an endpoint says of the order's deposit.
#[derive(Clone, Copy)]
enum Says {
    Nothing,
    Unknown,
    Open,
    Refunded,
    Fails,
}

/// An endpoint with a head, a base fee and a word about the deposit. All show the same blocks.
async fn endpoint(head: u64, base_fee: u64, says: Says) -> Fake {
    let quantity = |number: u64| json!(format!("{number:#x}"));
    Fake::start(move |method: &str, params: &Value| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "eth_blockNumber" => Ok(quantity(head)),
        "eth_getTransactionCount" => Ok(json!("0x0")),
        "eth_feeHistory" => Ok(json!({ "baseFeePerGas": [quantity(base_fee)], "reward": [["0xf4240"]] })),
        "eth_getBlockByNumber" => {
            let number =
                params[0].as_str().and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
            let number = number.unwrap_or(head);
            let hash = B256::left_padding_from(&number.to_be_bytes());
            let block =
                json!({ "number": quantity(number), "hash": hash, "parentHash": hash, "timestamp": "0x1" });
            Ok(if number > head { Value::Null } else { block })
        }
        "eth_call" => match says {
            Says::Nothing => Ok(json!("0x")),
            Says::Unknown => Ok(json!(B256::ZERO)),
            Says::Open => Ok(json!(B256::with_last_byte(1))),
            Says::Refunded => Ok(json!(B256::with_last_byte(3))),
            Says::Fails => error(-32603, "internal error"),
        },
        _ => error(-32601, "no such method"),
    })
    .await
}

fn terms() -> IntentTerms {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
    IntentTerms { escrow: ESCROW.into_word(), origin_chain_id: CHAIN, destination_chain_id: 1, ..terms }
}

async fn deposit_at(client: EvmClient) -> Result<EscrowState, ActionError> {
    let deployment = Deployment {
        chain: chain(),
        escrow: ESCROW,
        settler: Address::repeat_byte(0x5e),
        registry: Address::repeat_byte(1),
        deposit_factory: Address::repeat_byte(2),
        deposit_code_hash: B256::ZERO,
        permit2: None,
        min_grace: 60,
        transfers: true,
        from_block: 5,
        hub: None,
    };
    let policy = SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1, depth: 2 };
    let (signer, outbox) =
        (Signer::from_bytes(&[7; 32]).unwrap(), Arc::new(causeway_testing::MemoryStore::default()));
    let sender = EvmTxSender::new(client, signer, outbox, policy, vec![deployment]);
    Ok(sender.on_chain_status(&terms()).await?.escrow)
}

async fn deposit<const N: usize>(says: [Says; N]) -> Result<EscrowState, ActionError> {
    let mut endpoints = Vec::new();
    for word in says {
        endpoints.push(endpoint(HEAD, 1_000, word).await);
    }
    deposit_at(client(&endpoints.iter().collect::<Vec<_>>())).await
}

#[tokio::test]
async fn rule_27_an_open_deposit_needs_two_endpoints_that_agree() {
    use Says::{Fails, Nothing, Open};
    assert_eq!(deposit([Open, Open]).await.unwrap(), EscrowState::Open);
    assert_eq!(deposit([Open, Fails, Open]).await.unwrap(), EscrowState::Open);
    assert_eq!(deposit([Open]).await.unwrap(), EscrowState::Open, "there is no other to ask");
    for says in [[Open, Fails], [Open, Nothing], [Fails, Open]] {
        let refused = deposit(says).await.unwrap_err();
        assert!(matches!(refused, ActionError::Chain(ChainError::Unavailable(_))), "{refused}");
    }
}

#[tokio::test]
async fn rule_27_an_open_deposit_of_a_liar_is_not_believed() {
    use Says::{Open, Refunded, Unknown};
    for says in [[Open, Unknown, Unknown], [Unknown, Open, Unknown], [Open, Open, Unknown]] {
        let refused = deposit(says).await.unwrap_err();
        assert!(matches!(refused, ActionError::Chain(ChainError::Disagreement(..))), "{refused}");
    }
    assert_eq!(deposit([Unknown, Unknown]).await.unwrap(), EscrowState::Unknown);
    assert_eq!(
        deposit([Open, Refunded, Open]).await.unwrap(),
        EscrowState::Refunded,
        "an end only keeps us still"
    );
}

#[tokio::test]
async fn rule_27_that_nothing_happened_needs_two_endpoints() {
    use Says::{Fails, Nothing, Refunded, Unknown};
    assert_eq!(deposit([Unknown, Unknown, Fails]).await.unwrap(), EscrowState::Unknown);
    assert_eq!(deposit([Unknown]).await.unwrap(), EscrowState::Unknown, "there is no other to ask");
    for says in [[Unknown, Fails], [Fails, Unknown], [Unknown, Nothing], [Refunded, Fails]] {
        let refused = deposit(says).await.unwrap_err();
        assert!(matches!(refused, ActionError::Chain(ChainError::Unavailable(_))), "{refused}");
    }
}

#[tokio::test]
async fn rule_27_a_trusted_endpoint_counts_alone() {
    let (own, failing) = (endpoint(HEAD, 1_000, Says::Open).await, endpoint(HEAD, 1_000, Says::Fails).await);
    let mut config = config(&[&own, &failing]);
    config.pool.endpoints[0].trusted = true;
    let client = EvmClient::new(chain(), config).unwrap();
    assert!(!client.rests_on_one_endpoint());
    assert_eq!(deposit_at(client).await.unwrap(), EscrowState::Open);
}

#[tokio::test]
async fn rule_27_heads_and_fees_are_medians() {
    let (one, other) = (endpoint(HEAD, 1_000, Says::Open).await, endpoint(HEAD + 1, 1_100, Says::Open).await);
    let liar = endpoint(u64::MAX / 2, 9_000_000_000_000, Says::Open).await;
    for (endpoints, head, base_fee) in [
        (vec![&liar, &one, &other], HEAD + 1, 1_100),
        (vec![&liar, &one], HEAD, 1_000),
        (vec![&one, &other], HEAD, 1_000),
    ] {
        let client = client(&endpoints);
        assert_eq!(client.median_block(BlockTag::Latest).await.unwrap().unwrap().number, head);
        assert_eq!(client.fees().await.unwrap().ceiling(), base_fee * 2 + 1_000_000);
    }
}

/// An endpoint that counts so many transactions of every account, or does not answer.
async fn counting(count: Option<u64>) -> Fake {
    Fake::start(move |method: &str, _: &Value| match (method, count) {
        ("eth_chainId", _) => Ok(json!("0x2105")),
        ("eth_blockNumber", _) => Ok(json!("0x64")),
        ("eth_getTransactionCount", Some(count)) => Ok(json!(format!("{count:#x}"))),
        _ => error(-32603, "internal error"),
    })
    .await
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_raise_a_nonce() {
    let (one, other) = (counting(Some(5)).await, counting(Some(5)).await);
    let (liar, failing) = (counting(Some(1_000)).await, counting(None).await);
    let nonce = async |client: EvmClient, at_least: usize| {
        client.median_nonce(Address::repeat_byte(7), BlockTag::Latest, at_least).await
    };
    for endpoints in [vec![&liar, &one], vec![&one, &liar], vec![&liar, &one, &other]] {
        assert_eq!(nonce(client(&endpoints), 2).await.unwrap(), 5);
    }
    assert!(nonce(client(&[&liar, &failing]), 2).await.is_err(), "one of two is too few");
    assert_eq!(nonce(client(&[&one, &failing]), 1).await.unwrap(), 5);
    let mut own = config(&[&one, &failing]);
    own.pool.endpoints[0].trusted = true;
    assert_eq!(nonce(EvmClient::new(chain(), own).unwrap(), 2).await.unwrap(), 5, "it is trusted");
}

#[tokio::test]
async fn rule_27_one_endpoint_that_nobody_trusts_is_recognised() {
    let only = endpoint(HEAD, 1_000, Says::Open).await;
    assert!(client(&[&only]).rests_on_one_endpoint());
    let mut own = config(&[&only]);
    own.pool.endpoints[0].trusted = true;
    assert!(!EvmClient::new(chain(), own).unwrap().rests_on_one_endpoint());
    assert!(!client(&[&only, &only]).rests_on_one_endpoint());
}
