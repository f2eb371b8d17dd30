use causeway_domain::ports::{AddressWatch as _, ChainError};
use causeway_domain::{Address as AnyAddress, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_solana::orders::SolanaAddressWatch;

use serde_json::{Value, json};

use super::*;
use crate::fake_node::{FakeNode, client};
use crate::sandbox_chain::{PROGRAM, SOL, USDC, usdc, usdc_of};

type Change = fn(&mut causeway_sandbox::solana::Account);

async fn held(
    sandbox: &SandboxChain,
    watch: &SolanaAddressWatch,
    wanted: &[(AnyAddress, TokenId)],
) -> Vec<u64> {
    let newest = sandbox.rpc.heads().await.unwrap().finalized;
    let amounts = watch.balances_at(wanted, newest).await.unwrap();
    amounts.into_iter().map(|amount| amount.get().to()).collect()
}

#[tokio::test]
async fn transfers_to_deposit_addresses_are_seen_once_final() {
    let sandbox = SandboxChain::start().await;
    let watch = SolanaAddressWatch::new(sandbox.rpc.clone());
    let (one, two) = (PROGRAM.deposit([1; 32].into()), PROGRAM.deposit([2; 32].into()));
    let [one_at, two_at] = [one, two].map(|address| AnyAddress::Solana(address.to_bytes()));
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    let absent = TokenId::from_address(SOLANA_CHAIN_ID, AnyAddress::Solana([7; 32])).unwrap();
    let wanted = [(one_at, sol), (one_at, usdc()), (two_at, absent), (two_at, usdc()), (two_at, sol)];
    assert_eq!(held(&sandbox, &watch, &wanted).await, [0; 5]);

    let from = sandbox.rpc.heads().await.unwrap().finalized;
    let paid = sandbox.chain.airdrop(one, 3 * SOL).await.unwrap().to_string();
    let given = sandbox.chain.give_tokens(two, USDC, 77).await.unwrap().to_string();
    sandbox.finalize().await;
    assert_eq!(held(&sandbox, &watch, &wanted).await, [3 * SOL, 0, 0, 77, 0]);
    let to = sandbox.rpc.heads().await.unwrap().finalized;
    let brought = async |address, token| watch.funding_tx(address, token, from, to).await.unwrap();
    assert_eq!(brought(one_at, sol).await, Some(paid));
    assert_eq!(brought(two_at, usdc()).await, Some(given));
    assert_eq!(brought(one_at, usdc()).await, None);
    assert_eq!(brought(two_at, absent).await, None);
    assert_eq!(watch.funding_tx(one_at, sol, to + 1, to + 9).await.unwrap(), None);
    assert!(watch.balances_at(&wanted, to + 1_000_000).await.is_err(), "no node has reached that slot");
}

#[tokio::test]
async fn all_payers_of_an_amount_are_found() {
    let sandbox = SandboxChain::start().await;
    let watch = SolanaAddressWatch::new(sandbox.rpc.clone());
    let (one, two) = (PROGRAM.deposit([1; 32].into()), PROGRAM.deposit([2; 32].into()));
    let [one_at, two_at] = [one, two].map(|address| AnyAddress::Solana(address.to_bytes()));
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    sandbox.chain.airdrop(one, 3 * SOL).await.unwrap();
    sandbox.chain.give_tokens(two, USDC, 77).await.unwrap();
    sandbox.finalize().await;
    sandbox.chain.give_tokens(two, USDC, 7).await.unwrap();
    sandbox.finalize().await;
    let newest = sandbox.rpc.heads().await.unwrap().finalized;
    let found = async |address, token, until, amount: u64| {
        let amount = RawAmount::new(amount.try_into().unwrap());
        watch.payers(address, token, until, amount).await.unwrap()
    };
    let of = |amount: u64| RawAmount::new(amount.try_into().unwrap());
    let all = found(two_at, usdc(), newest, 84).await;
    assert!(all.amount == of(84) && !all.wallets.is_empty(), "{all:?}");
    assert_eq!(found(two_at, usdc(), newest, 7).await.amount, of(7), "the newest suffices");
    assert_eq!(found(two_at, usdc(), newest, 85).await.amount, of(84), "no more came");
    let coins = found(one_at, sol, newest, 3 * SOL).await;
    assert!(coins.amount == of(3 * SOL) && !coins.wallets.is_empty(), "{coins:?}");
    assert!(!coins.wallets.contains(&one_at), "{coins:?}");
    assert_eq!(found(one_at, usdc(), newest, 1).await.amount, of(0));
    assert_eq!(found(two_at, usdc(), 0, 1).await.amount, of(0), "after that slot");
}

#[tokio::test]
async fn rule_19_tokens_that_cannot_move_count_as_zero() {
    let sandbox = SandboxChain::start().await;
    let watch = SolanaAddressWatch::new(sandbox.rpc.clone());
    let owner = PROGRAM.deposit([1; 32].into());
    sandbox.chain.give_tokens(owner, USDC, 77).await.unwrap();
    sandbox.finalize().await;
    let wanted = [(AnyAddress::Solana(owner.to_bytes()), usdc())];
    assert_eq!(held(&sandbox, &watch, &wanted).await, [77]);
    let whole = sandbox.chain.account(usdc_of(&owner)).await.unwrap().unwrap();
    let changes: [Change; 4] = [
        |account| account.data[108] = 2,
        |account| account.data[32..64].fill(9),
        |account| account.data[..32].fill(9),
        |account| account.owner = [9; 32].into(),
    ];
    for change in changes {
        let mut odd = whole.clone();
        change(&mut odd);
        sandbox.chain.set_account(usdc_of(&owner), Some(odd)).await.unwrap();
        sandbox.finalize().await;
        assert_eq!(held(&sandbox, &watch, &wanted).await, [0]);
    }
}

#[tokio::test]
async fn addresses_of_other_chains_are_refused() {
    let sandbox = SandboxChain::start().await;
    let watch = SolanaAddressWatch::new(sandbox.rpc.clone());
    let stranger = AnyAddress::Evm([1; 20].into());
    let asked = watch.balances_at(&[(stranger, usdc())], 1).await;
    assert!(matches!(asked, Err(ChainError::Refused(..))));
}

/// What an endpoint says of one payment to the address `[8; 32]`.
async fn says(signature: u8, payer: u8) -> FakeNode {
    let text = |byte: u8| bs58::encode([byte; 32]).into_string();
    let named = bs58::encode([signature; 64]).into_string();
    let mention = json!({ "signature": named, "slot": 5, "err": null, "blockTime": 1_800_000_000 });
    let transaction = json!({
        "transaction": { "message": { "accountKeys": [text(payer), text(8)] } },
        "meta": { "preBalances": [100, 0], "postBalances": [40, 50] },
    });
    FakeNode::start(move |method, params| match method {
        "getSignaturesForAddress" => Ok(json!([mention])),
        "getTransaction" if params[0] == named => Ok(transaction.clone()),
        _ => Ok(Value::Null),
    })
    .await
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_say_who_paid() {
    let (one, other) = (says(1, 1).await, says(1, 1).await);
    let (other_payer, invented) = (says(1, 66).await, says(2, 66).await);
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    let found = async |nodes: &[&FakeNode]| {
        let watch = SolanaAddressWatch::new(client(nodes));
        let amount = RawAmount::new(50_u64.try_into().unwrap());
        let payers = watch.payers(AnyAddress::Solana([8; 32]), sol, 5, amount).await.unwrap();
        (payers.amount.get().to::<u64>(), payers.wallets)
    };
    let payer = AnyAddress::Solana([1; 32]);
    assert_eq!(found(&[&one]).await, (50, vec![payer]), "there is no other");
    assert_eq!(found(&[&one, &other]).await, (50, vec![payer]));
    assert_eq!(found(&[&other_payer, &one, &other]).await, (50, vec![payer]));
    assert_eq!(found(&[&one, &other_payer]).await, (0, vec![]), "they contradict each other");
    // Whoever is asked first for the payments: what it made up is nobody's, and what it hides is found later.
    let (_, wallets) = found(&[&invented, &one, &other]).await;
    assert!(!wallets.contains(&AnyAddress::Solana([66; 32])), "{wallets:?}");
}
