use std::ops::Range;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde_json::json;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::{self, Ask};
use crate::rpc::Call;

/// How long a chain without Multicall3 is believed to have none.
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
        let Address::Evm(owner) = owner else {
            let words = format!("{owner} is not an address of this chain");
            return Err(ChainError::Refused(self.chain_id(), words));
        };
        let (wanted, asks): (Vec<TokenId>, Vec<Ask>) = tokens
            .iter()
            .filter(|token| token.chain() == self.chain_id())
            .filter_map(|token| match token.address() {
                Address::Evm(address) => Some((*token, Ask { owner, token: address })),
                Address::Solana(_) => None,
            })
            .unzip();
        let held = self.balances_of(&asks, BlockTag::Latest).await?;
        let amounts = held.into_iter().map(RawAmount::new);
        Ok(wanted.into_iter().zip(amounts).filter(|(_, amount)| !amount.is_zero()).collect())
    }
}

impl EvmClient {
    /// What each owner holds, in the order of the questions; a token that does not answer counts as not held.
    pub(crate) async fn balances_of(&self, asks: &[Ask], at: BlockTag) -> Result<Vec<U256>, CallError> {
        match self.aggregated(asks, at).await? {
            Some(held) => Ok(held),
            None => self.one_by_one(asks, at).await,
        }
    }

    /// Balances through Multicall3, or `None` where it does not lie.
    async fn aggregated(&self, asks: &[Ask], at: BlockTag) -> Result<Option<Vec<U256>>, CallError> {
        if self.multicall_is_missing() {
            return Ok(None);
        }
        let mut held = vec![U256::ZERO; asks.len()];
        let mut parts = split(0..asks.len(), self.config().tokens_per_multicall.get());
        let mut refusal = None;
        let mut answered = asks.is_empty();
        while !parts.is_empty() {
            let asked = |part: &Range<usize>| asks.get(part.clone()).unwrap_or_default();
            let calls: Vec<Call> = parts.iter().map(|part| self.aggregate_call(asked(part), at)).collect();
            let answers: Vec<Result<Bytes, CallError>> = self.batch(&calls).await;
            let mut smaller = Vec::new();
            for (part, answer) in parts.into_iter().zip(answers) {
                match answer {
                    Ok(bytes) => {
                        let Some(balances) = multicall::decode(&bytes, part.len()) else {
                            self.note_missing_multicall();
                            return Ok(None);
                        };
                        answered = true;
                        for (slot, balance) in held.iter_mut().skip(part.start).zip(balances) {
                            *slot = balance;
                        }
                    }
                    // One token that burns all gas or returns megabytes spoils the call for its neighbours.
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
            // Not one token could be asked: it is the chain that refuses, not the tokens.
            Some(error) if !answered => Err(error),
            _ => Ok(Some(held)),
        }
    }

    fn aggregate_call(&self, part: &[Ask], at: BlockTag) -> Call {
        let multicall = self.config().multicall;
        eth_call(multicall, &multicall::encode(multicall, part), at)
    }

    /// Balances by one call a token, in batches.
    async fn one_by_one(&self, asks: &[Ask], at: BlockTag) -> Result<Vec<U256>, CallError> {
        let call = |ask: &Ask| {
            if ask.token.is_zero() {
                Call::new("eth_getBalance", json!([ask.owner, at.json()]))
            } else {
                eth_call(ask.token, &multicall::balance_of(ask.owner).into(), at)
            }
        };
        let calls: Vec<Call> = asks.iter().map(call).collect();
        // `eth_getBalance` answers a short number, `eth_call` padded words: both arrive as text first.
        let answers: Vec<Result<String, CallError>> = self.batch(&calls).await;
        let mut held = Vec::new();
        let (mut refusal, mut answered) = (None, false);
        for (ask, answer) in asks.iter().zip(answers) {
            match answer {
                Ok(text) => {
                    answered = true;
                    held.push(read_balance(ask.token.is_zero(), &text));
                }
                Err(error @ CallError::Refused { .. }) => {
                    refusal = Some(error);
                    held.push(U256::ZERO);
                }
                Err(error) => return Err(error),
            }
        }
        match refusal {
            Some(error) if !answered => Err(error),
            _ => Ok(held),
        }
    }

    fn multicall_is_missing(&self) -> bool {
        let until = *self.no_multicall_until().lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| until > Instant::now())
    }

    fn note_missing_multicall(&self) {
        tracing::info!(chain = %self.chain_id(), "no Multicall3 here; balances are read one by one");
        let until = Instant::now().checked_add(MULTICALL_RECHECK);
        *self.no_multicall_until().lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

fn eth_call(to: EvmAddress, data: &Bytes, at: BlockTag) -> Call {
    Call::new("eth_call", json!([{ "to": to, "data": data }, at.json()]))
}

/// The range in parts of at most `size`.
fn split(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    range.step_by(size.max(1)).map(|start| start..start.saturating_add(size).min(end)).collect()
}

fn read_balance(native: bool, text: &str) -> U256 {
    if native {
        return text
            .strip_prefix("0x")
            .and_then(|hex| U256::from_str_radix(hex, 16).ok())
            .unwrap_or_default();
    }
    text.parse::<Bytes>().map_or(U256::ZERO, |data| multicall::word(&data))
}
