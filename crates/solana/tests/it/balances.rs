use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, SOLANA_CHAIN_ID, TokenId};
use causeway_solana::{OwnBalances, TOKEN_2022_PROGRAM, TOKEN_PROGRAM};
use serde_json::{Value, json};

use crate::fake_node::{FakeNode, NodeBehavior, client, rpc_error};

const OWNER: [u8; 32] = [9; 32];
const FROZEN: u8 = 2;

fn mint(byte: u8) -> TokenId {
    TokenId::new(SOLANA_CHAIN_ID, &Address::Solana([byte; 32]).to_string()).unwrap()
}

fn holding(program: &str, mint: u8, owner: [u8; 32], amount: u64, state: u8) -> Value {
    let mut data = vec![0; 165];
    data[..32].fill(mint);
    data[32..64].copy_from_slice(&owner);
    data[64..72].copy_from_slice(&amount.to_le_bytes());
    data[108] = state;
    if program == TOKEN_2022_PROGRAM.to_string() {
        data.push(2);
    }
    let account = json!({
        "data": [STANDARD.encode(data), "base64"], "executable": false, "lamports": 2_039_280,
        "owner": program, "rentEpoch": u64::MAX, "space": 165,
    });
    json!({ "pubkey": "11111111111111111111111111111111", "account": account })
}

/// A node at which each token program lists `accounts` of its own.
async fn node(classic: Vec<Value>, extended: Vec<Value>) -> FakeNode {
    FakeNode::start(move |method, params| {
        let context = json!({ "slot": 5, "apiVersion": "3.0.0" });
        match (method, params[1]["programId"].as_str()) {
            ("getBalance", _) => Ok(json!({ "context": context, "value": 12_345 })),
            ("getTokenAccountsByOwner", Some(program)) if program == TOKEN_PROGRAM.to_string() => {
                Ok(json!({ "context": context, "value": classic }))
            }
            ("getTokenAccountsByOwner", _) => Ok(json!({ "context": context, "value": extended })),
            _ => rpc_error(-32_601, "Method not found"),
        }
    })
    .await
}

async fn balances(fake: &FakeNode, tokens: &[TokenId]) -> Result<Vec<(TokenId, String)>, ChainError> {
    let read = client(&[fake]).balances(Address::Solana(OWNER), tokens).await?;
    Ok(read.into_iter().map(|(token, amount)| (token, amount.to_string())).collect())
}

#[tokio::test]
async fn native_and_both_token_programs_are_summed_by_mint() {
    let (classic, extended) = (TOKEN_PROGRAM.to_string(), TOKEN_2022_PROGRAM.to_string());
    let fake = node(
        vec![
            holding(&classic, 1, OWNER, 100, 1),
            holding(&classic, 1, OWNER, 11, 1),
            holding(&classic, 1, OWNER, 5_000, FROZEN),
            holding(&classic, 2, OWNER, 0, 1),
            holding(&classic, 3, OWNER, 77, 1),
        ],
        vec![holding(&extended, 4, OWNER, 9, 1)],
    )
    .await;
    let native = TokenId::native(SOLANA_CHAIN_ID);
    let elsewhere = TokenId::native(ChainId::new(1).unwrap());
    let read = balances(&fake, &[native, mint(1), mint(2), mint(4), mint(5), elsewhere]).await.unwrap();
    let expected =
        [(native, "12345"), (mint(1), "111"), (mint(4), "9")].map(|(token, sum)| (token, sum.to_owned()));
    assert_eq!(read, expected);
    assert_eq!(fake.requests(), 2, "the genesis hash and one batch");
}

#[tokio::test]
async fn only_needed_methods_are_called() {
    let fake = node(vec![], vec![]).await;
    balances(&fake, &[TokenId::native(SOLANA_CHAIN_ID)]).await.unwrap();
    assert_eq!(fake.call_count("getTokenAccountsByOwner"), 0);
    assert_eq!(balances(&fake, &[mint(1)]).await.unwrap(), []);
    assert_eq!(fake.call_count("getBalance"), 1);
    let requests = fake.requests();
    assert_eq!(balances(&fake, &[]).await.unwrap(), []);
    assert_eq!(fake.requests(), requests);
}

#[tokio::test]
async fn accounts_of_another_owner_or_program_are_rejected() {
    let classic = TOKEN_PROGRAM.to_string();
    let other_owner = node(vec![holding(&classic, 1, [8; 32], 100, 1)], vec![]).await;
    let other_program =
        node(vec![holding("11111111111111111111111111111111", 1, OWNER, 100, 1)], vec![]).await;
    let mut short = holding(&classic, 1, OWNER, 100, 1);
    short["account"]["data"][0] = "AAAA".into();
    let short = node(vec![short], vec![]).await;
    for fake in [other_owner, other_program, short] {
        assert!(matches!(balances(&fake, &[mint(1)]).await, Err(ChainError::Nonsense(..))));
    }
}

#[tokio::test]
async fn owner_of_another_chain_family_is_refused() {
    let fake = node(vec![], vec![]).await;
    let error = client(&[&fake]).balances(Address::Evm([1; 20].into()), &[mint(1)]).await.unwrap_err();
    assert!(matches!(error, ChainError::Refused(..)));
    assert_eq!(fake.requests(), 0);
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_say_what_we_hold() {
    let classic = TOKEN_PROGRAM.to_string();
    let holding = |amount| vec![holding(&classic, 1, OWNER, amount, 1)];
    let (one, other) = (node(holding(100), vec![]).await, node(holding(100), vec![]).await);
    let (much, nothing) = (node(holding(1_000_000), vec![]).await, node(vec![], vec![]).await);
    let own = async |fakes: &[&FakeNode]| {
        let read =
            OwnBalances::new(client(fakes)).balances(Address::Solana(OWNER), &[mint(1), mint(2)]).await?;
        Ok::<_, ChainError>(read.into_iter().map(|(_, amount)| amount.to_string()).collect::<Vec<_>>())
    };
    for fakes in
        [vec![&much, &one, &other], vec![&nothing, &one, &other], vec![&much, &one], vec![&one, &much]]
    {
        assert_eq!(own(&fakes).await.unwrap(), ["100"]);
    }
    assert_eq!(own(&[&one, &nothing]).await.unwrap(), <[String; 0]>::default());
    one.set_behavior(NodeBehavior::Status(502, "Bad Gateway"));
    assert!(
        matches!(own(&[&much, &one]).await, Err(ChainError::Unavailable(_))),
        "one alone is not believed"
    );
    assert_eq!(own(&[&other]).await.unwrap(), ["100"], "there is no other");
}
