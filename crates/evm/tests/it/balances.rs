use alloy_primitives::{Address as EvmAddress, Bytes, U256, address};
use alloy_sol_types::{SolCall, SolValue, sol};
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, RawAmount, TokenId};
use causeway_evm::OwnBalances;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake, Mode, chain, client, error};

sol! {
    struct Ask {
        address target;
        bool allowFailure;
        bytes callData;
    }
    function aggregate3(Ask[] calls) returns (bytes);
}

const MULTICALL: EvmAddress = address!("cA11bde05977b3631167028862bE2a173976CA11");
const OWNER: EvmAddress = EvmAddress::repeat_byte(0x42);

fn token(n: u64) -> EvmAddress {
    EvmAddress::left_padding_from(&n.to_be_bytes())
}

fn id(n: u64) -> TokenId {
    TokenId::new(chain(), &token(n).to_string()).unwrap()
}

/// What a token answers: `n` units for even addresses, a revert for 13, too few bytes for 15, nothing for the rest.
fn token_answer(target: EvmAddress) -> (bool, Bytes) {
    let word = |value: u64| (true, Bytes::from(U256::from(value).to_be_bytes_vec()));
    if target == MULTICALL {
        return word(7);
    }
    match U256::from_be_slice(target.as_slice()).to::<u64>() {
        13 => (false, Bytes::new()),
        15 => (true, vec![1, 2, 3].into()),
        n if n % 2 == 0 => word(n),
        _ => (true, Bytes::new()),
    }
}

fn rpc(multicall: bool, guzzler: Option<u64>) -> impl Fn(&str, &Value) -> Answer + Send + Sync + 'static {
    move |method, params| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "eth_getBalance" => Ok(json!("0x7")),
        "eth_call" => {
            let to: EvmAddress = serde_json::from_value(params[0]["to"].clone()).unwrap();
            let data: Bytes = serde_json::from_value(params[0]["data"].clone()).unwrap();
            if to != MULTICALL {
                let (success, data) = token_answer(to);
                return if success { Ok(json!(data)) } else { error(3, "execution reverted") };
            }
            if !multicall {
                return Ok(json!("0x"));
            }
            let calls = aggregate3Call::abi_decode(&data).unwrap().calls;
            if calls.iter().any(|call| guzzler.is_some_and(|n| call.target == token(n))) {
                return error(-32000, "out of gas");
            }
            let outcomes: Vec<(bool, Bytes)> = calls.iter().map(|call| token_answer(call.target)).collect();
            Ok(json!(Bytes::from((outcomes,).abi_encode_params())))
        }
        _ => error(-32601, "no such method"),
    }
}

fn wanted() -> Vec<TokenId> {
    (0..900).map(|n| if n == 0 { TokenId::native(chain()) } else { id(n) }).collect()
}

fn expected() -> Vec<(TokenId, RawAmount)> {
    let amount = |n: u64| RawAmount::new(U256::from(n));
    let mut held = vec![(TokenId::native(chain()), amount(7))];
    held.extend((2..900).step_by(2).map(|n| (id(n), amount(n))));
    held
}

async fn held(fake: &Fake) -> Vec<(TokenId, RawAmount)> {
    let mut held = client(&[fake]).balances(Address::Evm(OWNER), &wanted()).await.unwrap();
    held.sort();
    held
}

#[tokio::test]
async fn hundreds_of_tokens_take_one_request() {
    let fake = Fake::start(rpc(true, None)).await;
    assert_eq!(held(&fake).await, expected());
    assert_eq!(fake.count("eth_call"), 3);
    assert_eq!(fake.requests().len(), 2, "one for the chain id, one for all balances");
}

#[tokio::test]
async fn without_multicall_balances_are_read_one_by_one() {
    let fake = Fake::start(rpc(false, None)).await;
    let client = client(&[&fake]);
    for _ in 0..2 {
        let mut held = client.balances(Address::Evm(OWNER), &wanted()).await.unwrap();
        held.sort();
        assert_eq!(held, expected());
    }
    // The client remembers that Multicall3 is missing.
    assert_eq!(fake.count("eth_call"), 3 + 2 * 899);
}

#[tokio::test]
async fn a_token_that_burns_all_gas_does_not_hide_others() {
    let fake = Fake::start(rpc(true, Some(501))).await;
    assert_eq!(held(&fake).await, expected());
    assert!(fake.count("eth_call") < 30, "{}", fake.count("eth_call"));
}

#[tokio::test]
async fn a_chain_that_rejects_every_call_is_an_error() {
    let fake = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        _ => error(-32000, "calls are forbidden here"),
    })
    .await;
    let result = client(&[&fake]).balances(Address::Evm(OWNER), &[id(2), id(4)]).await;
    assert!(matches!(result, Err(ChainError::Refused(..))), "{result:?}");
    fake.set(Mode::Status(502));
    let result = client(&[&fake]).balances(Address::Evm(OWNER), &[id(2)]).await;
    assert!(matches!(result, Err(ChainError::Unavailable(_))), "{result:?}");
}

#[tokio::test]
async fn owners_of_another_family_are_rejected_and_foreign_tokens_skipped() {
    let fake = Fake::start(rpc(true, None)).await;
    let client = client(&[&fake]);
    assert!(client.balances(Address::Solana([1; 32]), &[id(2)]).await.is_err());
    let foreign = TokenId::native(causeway_domain::ChainId::new(1).unwrap());
    assert_eq!(client.balances(Address::Evm(OWNER), &[foreign]).await.unwrap(), []);
}

/// An endpoint at which every account holds so much of everything.
async fn liar(amount: u64) -> Fake {
    Fake::start(move |method, params| match method {
        "eth_call" => {
            let data: Bytes = serde_json::from_value(params[0]["data"].clone()).unwrap();
            let word = Bytes::from(U256::from(amount).to_be_bytes_vec());
            let Ok(asked) = aggregate3Call::abi_decode(&data) else { return Ok(json!(word)) };
            let outcomes = vec![(true, word); asked.calls.len()];
            Ok(json!(Bytes::from((outcomes,).abi_encode_params())))
        }
        "eth_getBalance" => Ok(json!(format!("{amount:#x}"))),
        _ => rpc(true, None)(method, params),
    })
    .await
}

async fn own(fakes: &[&Fake]) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
    let mut held = OwnBalances::new(client(fakes)).balances(Address::Evm(OWNER), &wanted()).await?;
    held.sort();
    Ok(held)
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_say_what_we_hold() {
    let (one, other) = (Fake::start(rpc(true, None)).await, Fake::start(rpc(true, None)).await);
    let (much, nothing) = (liar(1_000_000_000).await, liar(0).await);
    for fakes in [
        vec![&much, &one, &other],
        vec![&one, &other, &much],
        vec![&nothing, &one, &other],
        // Of two the lower counts.
        vec![&much, &one],
        vec![&one, &much],
    ] {
        assert_eq!(own(&fakes).await.unwrap(), expected());
    }
    assert_eq!(own(&[&nothing, &one]).await.unwrap(), [], "nothing is quoted that may not be there");
    // Without Multicall3 the balances are asked one by one.
    let old = [Fake::start(rpc(false, None)).await, Fake::start(rpc(false, None)).await];
    assert_eq!(own(&[&much, &old[0], &old[1]]).await.unwrap(), expected());
    // A token that makes the whole call fail does not hide the others.
    let guzzling = [Fake::start(rpc(true, Some(501))).await, Fake::start(rpc(true, Some(501))).await];
    assert_eq!(own(&[&much, &guzzling[0], &guzzling[1]]).await.unwrap(), expected());
    one.set(Mode::Status(502));
    assert!(
        matches!(own(&[&much, &one]).await, Err(ChainError::Unavailable(_))),
        "one alone is not believed"
    );
    assert_eq!(own(&[&other]).await.unwrap(), expected(), "there is no other");
}
