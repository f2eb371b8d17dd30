use std::ops::Range;
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde_json::json;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::{self, BalanceQuery};
use crate::rpc::Call;

/// How long the client remembers that a chain has no Multicall3.
const MULTICALL_RECHECK: Duration = Duration::from_mins(10);

#[async_trait]
impl BalanceReader for EvmClient {
    fn chain(&self) -> ChainId {
        self.chain_id()
    }

    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
        let (wanted, queries) = queries(self.chain_id(), owner, tokens)?;
        let balances = self.balances_of(&queries, BlockTag::Latest).await?;
        Ok(held_by(wanted, balances))
    }
}

/// The tokens of this chain, and what to ask of each.
pub(crate) fn queries(
    chain: ChainId,
    owner: Address,
    tokens: &[TokenId],
) -> Result<(Vec<TokenId>, Vec<BalanceQuery>), ChainError> {
    let Address::Evm(owner) = owner else {
        let message = format!("{owner} is not an address of this chain");
        return Err(ChainError::Refused(chain, message));
    };
    let own = tokens.iter().filter(|token| token.chain() == chain);
    Ok(own
        .filter_map(|token| match token.address() {
            Address::Evm(address) => Some((*token, BalanceQuery { owner, token: address })),
            _ => None,
        })
        .unzip())
}

/// The tokens with what is held of them, without those of which there is nothing.
pub(crate) fn held_by(tokens: Vec<TokenId>, balances: Vec<U256>) -> Vec<(TokenId, RawAmount)> {
    let amounts = balances.into_iter().map(RawAmount::new);
    tokens.into_iter().zip(amounts).filter(|(_, amount)| !amount.is_zero()).collect()
}

impl EvmClient {
    /// Returns the balances in the order of the queries. A token that does not answer counts as zero.
    pub(crate) async fn balances_of(
        &self,
        queries: &[BalanceQuery],
        at: BlockTag,
    ) -> Result<Vec<U256>, CallError> {
        match self.read_aggregated(queries, at).await? {
            Some(balances) => Ok(balances),
            None => self.read_one_by_one(queries, at).await,
        }
    }

    /// Reads balances through Multicall3; `None` where it is not deployed.
    async fn read_aggregated(
        &self,
        queries: &[BalanceQuery],
        at: BlockTag,
    ) -> Result<Option<Vec<U256>>, CallError> {
        if self.multicall_is_missing() {
            return Ok(None);
        }
        let mut balances = vec![U256::ZERO; queries.len()];
        let mut parts = split(0..queries.len(), self.config().tokens_per_multicall.get());
        let mut refusal = None;
        let mut answered = queries.is_empty();
        while !parts.is_empty() {
            let part_queries = |part: &Range<usize>| queries.get(part.clone()).unwrap_or_default();
            let calls: Vec<Call> =
                parts.iter().map(|part| self.aggregate_call(part_queries(part), at)).collect();
            let answers: Vec<Result<Bytes, CallError>> = self.batch(&calls).await;
            let mut smaller = Vec::new();
            for (part, answer) in parts.into_iter().zip(answers) {
                match answer {
                    Ok(bytes) => {
                        let Some(part_balances) = multicall::decode(&bytes, part.len()) else {
                            self.set_multicall_missing();
                            return Ok(None);
                        };
                        answered = true;
                        for (slot, balance) in balances.iter_mut().skip(part.start).zip(part_balances) {
                            *slot = balance;
                        }
                    }
                    // A token that burns all gas or returns megabytes makes the whole call fail, so the call is split.
                    Err(error @ CallError::Refused { .. }) => {
                        refusal = Some(error);
                        if part.len() > 1 {
                            let half = part.len().div_ceil(2);
                            smaller.extend(split(part, half));
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
            parts = smaller;
        }
        match refusal {
            // No token could be read: the chain refuses, not the tokens.
            Some(error) if !answered => Err(error),
            _ => Ok(Some(balances)),
        }
    }

    pub(crate) fn aggregate_call(&self, part: &[BalanceQuery], at: BlockTag) -> Call {
        let multicall = self.config().multicall;
        eth_call(multicall, &multicall::encode(multicall, part), at)
    }

    /// Reads balances with one call per token, in batches.
    async fn read_one_by_one(&self, queries: &[BalanceQuery], at: BlockTag) -> Result<Vec<U256>, CallError> {
        let calls: Vec<Call> = queries.iter().map(|query| query.call(at)).collect();
        // `eth_getBalance` returns a short number and `eth_call` a padded word, so both are decoded as text first.
        let answers: Vec<Result<String, CallError>> = self.batch(&calls).await;
        let mut balances = Vec::new();
        let (mut refusal, mut answered) = (None, false);
        for (query, answer) in queries.iter().zip(answers) {
            match answer {
                Ok(text) => {
                    answered = true;
                    balances.push(read_balance(query.token.is_zero(), &text));
                }
                Err(error @ CallError::Refused { .. }) => {
                    refusal = Some(error);
                    balances.push(U256::ZERO);
                }
                Err(error) => return Err(error),
            }
        }
        match refusal {
            Some(error) if !answered => Err(error),
            _ => Ok(balances),
        }
    }

    pub(crate) fn multicall_is_missing(&self) -> bool {
        let until = *self.no_multicall_until().lock();
        until.is_some_and(|until| until > Instant::now())
    }

    fn set_multicall_missing(&self) {
        tracing::info!(chain = %self.chain_id(), "Multicall3 missing, reading balances one by one");
        let until = Instant::now().checked_add(MULTICALL_RECHECK);
        *self.no_multicall_until().lock() = until;
    }
}

impl BalanceQuery {
    /// The call that reads this balance alone.
    pub(crate) fn call(&self, at: BlockTag) -> Call {
        if self.token.is_zero() {
            return Call::new("eth_getBalance", json!([self.owner, at.json()]));
        }
        eth_call(self.token, &multicall::balance_of(self.owner).into(), at)
    }
}

fn eth_call(to: EvmAddress, data: &Bytes, at: BlockTag) -> Call {
    Call::new("eth_call", json!([{ "to": to, "data": data }, at.json()]))
}

/// Splits the range into parts of at most `size`.
fn split(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    range.step_by(size.max(1)).map(|start| start..start.saturating_add(size).min(end)).collect()
}

pub(crate) fn read_balance(native: bool, text: &str) -> U256 {
    if native {
        return text
            .strip_prefix("0x")
            .and_then(|hex| U256::from_str_radix(hex, 16).ok())
            .unwrap_or_default();
    }
    text.parse::<Bytes>().map_or(U256::ZERO, |data| multicall::word(&data))
}
