use std::num::NonZeroUsize;
use std::time::Duration;

use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::{ChainError, ChainView, EscrowState, FinalityTier};
use causeway_evm::attest::{AttestFinality, EvmView, ViewConfig};
use causeway_evm::{BlockTag, Finality};
use serde_json::{Value, json};

use crate::fake::{Answer, CHAIN, Fake, Mode, client, error};

/// What a node supports of the chain.
#[derive(Clone, Copy)]
struct Node {
    head: u64,
    /// Its finalized block; `None` where it does not support the tag.
    finalized: Option<u64>,
    /// Answers of contracts.
    word: u64,
}

const NODE: Node = Node { head: 100, finalized: Some(60), word: 1 };

fn block(number: u64) -> Value {
    let hash = |number: u64| keccak256(number.to_be_bytes());
    json!({
        "number": format!("{number:#x}"),
        "hash": hash(number),
        "parentHash": hash(number.wrapping_sub(1)),
        "timestamp": format!("{:#x}", 1_000 + number),
    })
}

fn answer(node: Node, method: &str, params: &Value) -> Answer {
    match method {
        "eth_chainId" => Ok(json!(format!("{CHAIN:#x}"))),
        "eth_blockNumber" => Ok(json!(format!("{:#x}", node.head))),
        "eth_call" => Ok(json!(B256::from(U256::from(node.word)))),
        "eth_getBlockByNumber" => match params[0].as_str().unwrap() {
            "safe" | "finalized" => match node.finalized {
                Some(number) => Ok(block(number)),
                None => error(-32602, "unknown block tag"),
            },
            number => {
                let number = u64::from_str_radix(number.trim_start_matches("0x"), 16).unwrap();
                Ok(if number <= node.head { block(number) } else { Value::Null })
            }
        },
        _ => error(-32601, "the method does not exist"),
    }
}

async fn start(node: Node) -> Fake {
    Fake::start(move |method, params| answer(node, method, params)).await
}

fn view(fakes: &[&Fake], or_depth: u64) -> EvmView {
    let usual = Finality::Tag { tag: BlockTag::Finalized, or_depth };
    let finality = AttestFinality { usual, large: Some(Finality::Depth(50)) };
    let quorum = NonZeroUsize::new(2).unwrap();
    EvmView::new(client(fakes), ViewConfig { finality, quorum, fresh_for: Duration::ZERO })
}

async fn final_number(fakes: &[&Fake], or_depth: u64) -> Result<u64, ChainError> {
    view(fakes, or_depth).final_block(FinalityTier::Standard).await.map(|block| block.number)
}

#[tokio::test]
async fn the_final_block_is_that_of_the_second_best_endpoint() {
    let (ahead, behind) = (start(NODE).await, start(Node { head: 80, finalized: Some(40), ..NODE }).await);
    let far_behind = start(Node { head: 30, finalized: Some(10), ..NODE }).await;
    let all = [&far_behind, &ahead, &behind];
    assert_eq!(final_number(&all, 15).await.unwrap(), 40);
    let large = view(&all, 15).final_block(FinalityTier::Large).await.unwrap();
    assert_eq!((large.number, large.time), (30, 1_030), "fifty under the second best head");
}

#[tokio::test]
async fn depth_counts_only_if_no_endpoint_supports_the_tag() {
    let (one, two) =
        (start(Node { finalized: None, ..NODE }).await, start(Node { finalized: None, ..NODE }).await);
    assert_eq!(final_number(&[&one, &two], 15).await.unwrap(), 85);
    let never = final_number(&[&one, &two], u64::MAX).await.unwrap_err();
    assert!(matches!(never, ChainError::Unavailable(_)), "{never}");
    let supports = start(NODE).await;
    let one_supports = final_number(&[&one, &supports], 15).await.unwrap_err();
    assert!(matches!(one_supports, ChainError::Unavailable(_)), "{one_supports}");
}

#[tokio::test]
async fn a_failing_endpoint_does_not_count_as_lacking_the_tag() {
    let (one, two) = (start(Node { finalized: None, ..NODE }).await, start(NODE).await);
    two.set(Mode::Status(500));
    let error = final_number(&[&one, &two], 15).await.unwrap_err();
    assert!(matches!(error, ChainError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn one_endpoint_with_a_wrong_contract_state_halts_the_chain() {
    let (right, wrong) = (start(NODE).await, start(Node { word: 2, ..NODE }).await);
    let agreeing = view(&[&right, &start(NODE).await], 15);
    let at = agreeing.final_block(FinalityTier::Standard).await.unwrap();
    let contract = B256::with_last_byte(7);
    assert_eq!(agreeing.escrow_state(contract, B256::ZERO, &at).await.unwrap(), EscrowState::Open);
    let view = view(&[&right, &start(NODE).await, &wrong], 15);
    let at = view.final_block(FinalityTier::Standard).await.unwrap();
    let error = view.escrow_state(contract, B256::ZERO, &at).await.unwrap_err();
    assert!(
        matches!(error, ChainError::Disagreement(..)),
        "two that agree do not outvote the third: {error}"
    );
    let after = view.final_block(FinalityTier::Standard).await.unwrap_err();
    assert!(matches!(after, ChainError::Disagreement(..)), "{after}");
}

#[tokio::test]
async fn a_missing_contract_is_an_invalid_response() {
    let nothing = |method: &str, params: &Value| match method {
        "eth_call" => Ok(json!("0x")),
        _ => answer(NODE, method, params),
    };
    let (one, two) = (Fake::start(nothing).await, Fake::start(nothing).await);
    let view = view(&[&one, &two], 15);
    let at = view.final_block(FinalityTier::Standard).await.unwrap();
    let error = view.fill_record(B256::with_last_byte(7), B256::ZERO, &at).await.unwrap_err();
    assert!(matches!(error, ChainError::Nonsense(..)) && error.is_retryable(), "{error}");
}
