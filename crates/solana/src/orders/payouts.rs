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

impl ParsedTransaction {
    fn is_at(&self, place: usize, address: &Address) -> bool {
        let keys = &self.transaction.message.account_keys;
        keys.get(place).is_some_and(|key| key.pubkey == address.to_string())
    }

    /// The lamports that the address gained.
    fn lamports(&self, meta: &Meta, to: &Address) -> Option<(usize, u64)> {
        let place = (0..self.transaction.message.account_keys.len()).find(|place| self.is_at(*place, to))?;
        let gained = meta.post_balances.get(place)?.checked_sub(*meta.pre_balances.get(place)?)?;
        Some((place, gained))
    }

    /// The tokens that the associated account of the address gained.
    fn tokens(&self, meta: &Meta, mint: &Address, to: &Address) -> Option<(usize, u64)> {
        let name = mint.to_string();
        let is_theirs = |held: &&TokenBalance| {
            let program = held.program_id.as_deref().and_then(|id| Address::from_str(id).ok());
            let account = program.map(|program| associated_token_account(to, mint, &program));
            held.mint == name && account.is_some_and(|account| self.is_at(held.account_index, &account))
        };
        let amount = |held: &TokenBalance| held.ui_token_amount.amount.parse::<u64>().ok();
        let after = meta.post_token_balances.iter().flatten().find(is_theirs)?;
        // An account created by the transaction held nothing before.
        let before = meta.pre_token_balances.iter().flatten().find(is_theirs).map_or(Some(0), amount)?;
        Some((after.account_index, amount(after)?.checked_sub(before)?))
    }
}

#[async_trait]
impl PayoutWatch for SolanaPayoutWatch {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn payouts(&self, tx: &str, token: TokenId, to: AnyAddress) -> Result<Vec<Payout>, ChainError> {
        let (AnyAddress::Solana(mint), AnyAddress::Solana(to)) = (token.address(), to) else {
            return Ok(Vec::new());
        };
        let (mint, to) = (Address::from(mint), Address::from(to));
        let Ok(signature) = Signature::from_str(tx) else { return Ok(Vec::new()) };
        let name = signature.to_string();
        let options = json!({
            "encoding": "jsonParsed",
            "commitment": Commitment::Finalized,
            "maxSupportedTransactionVersion": 0,
        });
        let call = Call { method: "getTransaction", params: json!([name, options]) };
        let transaction: Option<ParsedTransaction> = self
            .rpc
            .request(call, |transaction: Option<ParsedTransaction>| match transaction {
                Some(transaction) if transaction.transaction.signatures.first() != Some(&name) => {
                    Err("the response is another transaction".to_owned())
                }
                transaction => Ok(transaction),
            })
            .await?;
        let Some(transaction) = transaction else { return Ok(Vec::new()) };
        let Some(meta) = transaction.meta.as_ref().filter(|meta| meta.err.is_none()) else {
            return Ok(Vec::new());
        };
        let gained = if token.is_native() {
            transaction.lamports(meta, &to)
        } else {
            transaction.tokens(meta, &mint, &to)
        };
        let payout = |(place, gained): (usize, u64)| Payout {
            token,
            tx: name.clone(),
            index: place as u64,
            amount: RawAmount::new(U256::from(gained)),
        };
        Ok(gained.filter(|(_, gained)| *gained > 0).map(payout).into_iter().collect())
    }
}
