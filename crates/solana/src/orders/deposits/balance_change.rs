use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;
use solana_signature::Signature;

use crate::rpc::Call;
use crate::{Commitment, SolanaRpc};

#[derive(Deserialize)]
struct WireTransaction {
    transaction: WireBody,
    meta: WireMeta,
}

#[derive(Deserialize)]
struct WireBody {
    message: WireMessage,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMessage {
    account_keys: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    pre_balances: Vec<u64>,
    post_balances: Vec<u64>,
    #[serde(default)]
    pre_token_balances: Option<Vec<WireTokens>>,
    #[serde(default)]
    post_token_balances: Option<Vec<WireTokens>>,
    #[serde(default)]
    loaded_addresses: Option<WireLoaded>,
}

#[derive(Deserialize)]
struct WireLoaded {
    writable: Vec<String>,
    readonly: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTokens {
    account_index: usize,
    #[serde(default)]
    owner: Option<String>,
    ui_token_amount: WireAmount,
}

#[derive(Deserialize)]
struct WireAmount {
    amount: String,
}

/// By how much a final transaction increased the token or SOL balance of an account; zero if it decreased.
pub(super) async fn received_amount(
    rpc: &SolanaRpc,
    signature: Signature,
    account: &Address,
    tokens: bool,
) -> Result<u64, ChainError> {
    let options = json!({
        "commitment": Commitment::Finalized,
        "encoding": "json",
        "maxSupportedTransactionVersion": 0,
    });
    let call = Call { method: "getTransaction", params: json!([signature.to_string(), options]) };
    let account = account.to_string();
    let gained = rpc.request(call, |wire: Option<WireTransaction>| {
        Ok(wire.map_or(0, |wire| balance_increase(&wire, &account, tokens)))
    });
    Ok(gained.await?)
}

/// Who paid in a final transaction: its fee payer, and the owners of token accounts that hold less than before.
pub(super) async fn payers(rpc: &SolanaRpc, signature: &str) -> Result<Vec<Address>, ChainError> {
    let options = json!({
        "commitment": Commitment::Finalized,
        "encoding": "json",
        "maxSupportedTransactionVersion": 0,
    });
    let call = Call { method: "getTransaction", params: json!([signature, options]) };
    let found = rpc.request(call, |wire: Option<WireTransaction>| {
        Ok(wire.map_or_else(Vec::new, |wire| paying_accounts(&wire)))
    });
    Ok(found.await?)
}

fn paying_accounts(wire: &WireTransaction) -> Vec<Address> {
    let held = |list: &Option<Vec<WireTokens>>, place: usize| {
        let one = list.iter().flatten().find(|one| one.account_index == place);
        one.and_then(|one| one.ui_token_amount.amount.parse::<u64>().ok()).unwrap_or_default()
    };
    let WireMeta { pre_token_balances: before, post_token_balances: after, .. } = &wire.meta;
    let poorer = before
        .iter()
        .flatten()
        .filter(|one| held(after, one.account_index) < held(before, one.account_index));
    let owners = poorer.filter_map(|one| one.owner.as_ref());
    let fee_payer = wire.transaction.message.account_keys.first();
    fee_payer.into_iter().chain(owners).filter_map(|text| text.parse().ok()).collect()
}

fn balance_increase(wire: &WireTransaction, account: &str, tokens: bool) -> u64 {
    let WireMeta { pre_balances, post_balances, pre_token_balances, post_token_balances, .. } = &wire.meta;
    let loaded =
        wire.meta.loaded_addresses.iter().flat_map(|loaded| loaded.writable.iter().chain(&loaded.readonly));
    let mut keys = wire.transaction.message.account_keys.iter().chain(loaded);
    let Some(place) = keys.position(|key| key == account) else { return 0 };
    let held = |list: &Option<Vec<WireTokens>>| {
        let one = list.iter().flatten().find(|one| one.account_index == place);
        one.and_then(|one| one.ui_token_amount.amount.parse::<u64>().ok()).unwrap_or_default()
    };
    let lamports = |list: &[u64]| list.get(place).copied().unwrap_or_default();
    let (before, after) = if tokens {
        (held(pre_token_balances), held(post_token_balances))
    } else {
        (lamports(pre_balances), lamports(post_balances))
    };
    after.saturating_sub(before)
}
