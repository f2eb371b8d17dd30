use std::str::FromStr as _;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{ChainError, PayoutWatch};
use causeway_domain::{Address as AnyAddress, ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;
use solana_signature::Signature;

use crate::program::associated_token_account;
use crate::rpc::Call;
use crate::{Commitment, SolanaRpc};

/// Finds payouts on Solana: by how much a final transaction increased the balance of an address or its associated token
/// account.
#[derive(Clone, Debug)]
pub struct SolanaPayoutWatch {
    rpc: SolanaRpc,
}

impl SolanaPayoutWatch {
    pub const fn new(rpc: SolanaRpc) -> Self {
        Self { rpc }
    }

    /// What a final transaction that succeeded changed in the balance of the address or of its associated token account, with
    /// the transaction's name.
    async fn change(
        &self,
        tx: &str,
        token: TokenId,
        of: AnyAddress,
    ) -> Result<Option<(String, Change)>, ChainError> {
        let (AnyAddress::Solana(mint), AnyAddress::Solana(of)) = (token.address(), of) else {
            return Ok(None);
        };
        let (mint, of) = (Address::from(mint), Address::from(of));
        let Ok(signature) = Signature::from_str(tx) else { return Ok(None) };
        let name = signature.to_string();
        let transaction: Option<ParsedTransaction> = self
            .rpc
            .request(transaction(&name), |transaction: Option<ParsedTransaction>| match transaction {
                Some(transaction) if transaction.transaction.signatures.first() != Some(&name) => {
                    Err("the response is another transaction".to_owned())
                }
                transaction => Ok(transaction),
            })
            .await?;
        let Some(transaction) = transaction else { return Ok(None) };
        let Some(meta) = transaction.meta.as_ref().filter(|meta| meta.err.is_none()) else { return Ok(None) };
        let change = if token.is_native() {
            transaction.lamports(meta, &of)
        } else {
            transaction.tokens(meta, &mint, &of)
        };
        Ok(change.map(|change| (name, change)))
    }
}

/// The call for a final transaction.
fn transaction(name: &str) -> Call {
    let options = json!({
        "encoding": "jsonParsed",
        "commitment": Commitment::Finalized,
        "maxSupportedTransactionVersion": 0,
    });
    Call { method: "getTransaction", params: json!([name, options]) }
}

/// Where a transaction is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placed {
    slot: u64,
    block_time: Option<i64>,
}

/// The parts of a transaction that show balance changes.
#[derive(Debug, Deserialize)]
struct ParsedTransaction {
    meta: Option<Meta>,
    transaction: Transaction,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    err: Option<Value>,
    pre_balances: Vec<u64>,
    post_balances: Vec<u64>,
    #[serde(default)]
    pre_token_balances: Option<Vec<TokenBalance>>,
    #[serde(default)]
    post_token_balances: Option<Vec<TokenBalance>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenBalance {
    account_index: usize,
    mint: String,
    program_id: Option<String>,
    ui_token_amount: TokenAmount,
}

#[derive(Debug, Deserialize)]
struct TokenAmount {
    amount: String,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    message: Message,
    signatures: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    /// Includes the keys of lookup tables, after the transaction's own.
    account_keys: Vec<Key>,
}

#[derive(Debug, Deserialize)]
struct Key {
    pubkey: String,
}

/// What an account held before and after a transaction.
struct Change {
    place: usize,
    before: u64,
    after: u64,
}

impl ParsedTransaction {
    fn is_at(&self, place: usize, address: &Address) -> bool {
        let keys = &self.transaction.message.account_keys;
        keys.get(place).is_some_and(|key| key.pubkey == address.to_string())
    }

    /// The lamports of the address before and after, with its place.
    fn lamports(&self, meta: &Meta, of: &Address) -> Option<Change> {
        let place = (0..self.transaction.message.account_keys.len()).find(|place| self.is_at(*place, of))?;
        let (before, after) = (*meta.pre_balances.get(place)?, *meta.post_balances.get(place)?);
        Some(Change { place, before, after })
    }

    /// The tokens in the associated account of the address before and after, with its place.
    fn tokens(&self, meta: &Meta, mint: &Address, of: &Address) -> Option<Change> {
        let name = mint.to_string();
        let is_theirs = |held: &&TokenBalance| {
            let program = held.program_id.as_deref().and_then(|id| Address::from_str(id).ok());
            let account = program.map(|program| associated_token_account(of, mint, &program));
            held.mint == name && account.is_some_and(|account| self.is_at(held.account_index, &account))
        };
        let amount = |held: &TokenBalance| held.ui_token_amount.amount.parse::<u64>().ok();
        let after = meta.post_token_balances.iter().flatten().find(is_theirs);
        let before = meta.pre_token_balances.iter().flatten().find(is_theirs);
        let place = after.or(before)?.account_index;
        // An account created by the transaction held nothing before, and one that it closed holds nothing after.
        let (before, after) = (before.map_or(Some(0), amount)?, after.map_or(Some(0), amount)?);
        Some(Change { place, before, after })
    }
}

#[async_trait]
impl PayoutWatch for SolanaPayoutWatch {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn payouts(&self, tx: &str, token: TokenId, to: AnyAddress) -> Result<Vec<Payout>, ChainError> {
        let Some((name, change)) = self.change(tx, token, to).await? else { return Ok(Vec::new()) };
        let gained = change.after.saturating_sub(change.before);
        let payout = Payout {
            token,
            tx: name,
            index: change.place as u64,
            amount: RawAmount::new(U256::from(gained)),
        };
        Ok((gained > 0).then_some(payout).into_iter().collect())
    }

    async fn place(&self, tx: &str) -> Result<Option<(u64, u64)>, ChainError> {
        let Ok(signature) = Signature::from_str(tx) else { return Ok(None) };
        let found = self.rpc.request(transaction(&signature.to_string()), |found: Option<Placed>| Ok(found));
        let place = |placed: Placed| Some((placed.slot, u64::try_from(placed.block_time?).ok()?));
        Ok(found.await?.and_then(place))
    }

    async fn spent(&self, tx: &str, token: TokenId, from: AnyAddress) -> Result<RawAmount, ChainError> {
        let change = self.change(tx, token, from).await?;
        let lost = change.map_or(0, |(_, change)| change.before.saturating_sub(change.after));
        Ok(RawAmount::new(U256::from(lost)))
    }
}
