use causeway_domain::ports::ChainError;
use causeway_jsonrpc_client::prevailing;
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
    let account = account.to_string();
    let gained = rpc.request(transaction(signature), |wire: Option<WireTransaction>| {
        Ok(wire.map_or(0, |wire| balance_increase(&wire, &account, tokens)))
    });
    Ok(gained.await?)
}

fn transaction(signature: Signature) -> Call {
    let options = json!({
        "commitment": Commitment::Finalized,
        "encoding": "json",
        "maxSupportedTransactionVersion": 0,
    });
    Call { method: "getTransaction", params: json!([signature.to_string(), options]) }
}

/// What a final transaction brought to an account.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Payment {
    pub(super) amount: u64,
    /// The fee payer, and the owners of accounts that hold less than before.
    pub(super) payers: Vec<Address>,
}

/// As enough endpoints show it alike (rule 27): one alone could name a listed wallet, or another one in its place. Nothing
/// if they do not, or if the transaction is not found.
pub(super) async fn payment(
    rpc: &SolanaRpc,
    signature: Signature,
    account: &Address,
    tokens: bool,
) -> Result<Payment, ChainError> {
    let account = account.to_string();
    let (mut shown, mut fault) = (Vec::new(), None);
    for asked in rpc.ask_all::<Option<WireTransaction>>(&[transaction(signature)]).await {
        match asked.answers.into_iter().next() {
            Some(Ok(wire)) => {
                let payment = wire.map(|wire| Payment {
                    amount: balance_increase(&wire, &account, tokens),
                    payers: paying_accounts(&wire, tokens),
                });
                shown.push((asked.trusted, payment));
            }
            Some(Err(error)) => fault = Some(error),
            None => {}
        }
    }
    match (prevailing(rpc.quorum(), shown), fault) {
        (Some(payment), _) => Ok(payment),
        (None, Some(error)) => Err(error.into()),
        (None, None) => {
            tracing::warn!(%signature, "too few endpoints of Solana show a payment alike");
            Ok(Payment::default())
        }
    }
}

fn paying_accounts(wire: &WireTransaction, tokens: bool) -> Vec<Address> {
    let keys = &wire.transaction.message.account_keys;
    let WireMeta { pre_balances, post_balances, pre_token_balances, post_token_balances, .. } = &wire.meta;
    let fee_payer = keys.first();
    let poorer: Vec<&String> = if tokens {
        let poorer = pre_token_balances.iter().flatten().filter(|one| {
            let place = one.account_index;
            held_tokens(post_token_balances.as_ref(), place) < held_tokens(pre_token_balances.as_ref(), place)
        });
        poorer.filter_map(|one| one.owner.as_ref()).collect()
    } else {
        let balances = pre_balances.iter().zip(post_balances);
        keys.iter().zip(balances).filter(|(_, (before, after))| after < before).map(|(key, _)| key).collect()
    };
    let mut payers: Vec<Address> =
        fee_payer.into_iter().chain(poorer).filter_map(|text| text.parse().ok()).collect();
    payers.sort_unstable();
    payers.dedup();
    payers
}

fn held_tokens(list: Option<&Vec<WireTokens>>, place: usize) -> u64 {
    let one = list.into_iter().flatten().find(|one| one.account_index == place);
    one.and_then(|one| one.ui_token_amount.amount.parse().ok()).unwrap_or_default()
}

fn balance_increase(wire: &WireTransaction, account: &str, tokens: bool) -> u64 {
    let WireMeta { pre_balances, post_balances, pre_token_balances, post_token_balances, .. } = &wire.meta;
    let loaded =
        wire.meta.loaded_addresses.iter().flat_map(|loaded| loaded.writable.iter().chain(&loaded.readonly));
    let mut keys = wire.transaction.message.account_keys.iter().chain(loaded);
    let Some(place) = keys.position(|key| key == account) else { return 0 };
    let lamports = |list: &[u64]| list.get(place).copied().unwrap_or_default();
    let (before, after) = if tokens {
        (held_tokens(pre_token_balances.as_ref(), place), held_tokens(post_token_balances.as_ref(), place))
    } else {
        (lamports(pre_balances), lamports(post_balances))
    };
    after.saturating_sub(before)
}
