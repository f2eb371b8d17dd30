use std::sync::PoisonError;
use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde_json::json;

use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall;
use crate::rpc::Call;

/// How long a chain without Multicall3 is believed to have none.
const MULTICALL_RECHECK: Duration = Duration::from_mins(10);

/// A token and its address, so that the address is unwrapped once.
type Wanted = (TokenId, EvmAddress);

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
        let wanted: Vec<Wanted> = tokens
            .iter()
            .filter(|token| token.chain() == self.chain_id())
            .filter_map(|token| match token.address() {
                Address::Evm(address) => Some((*token, address)),
                Address::Solana(_) => None,
            })
            .collect();
        let held = match self.aggregated(owner, &wanted).await? {
            Some(held) => held,
            None => self.one_by_one(owner, &wanted).await?,
        };
        Ok(held.into_iter().filter(|(_, amount)| !amount.is_zero()).collect())
    }
}

impl EvmClient {
    /// Balances through Multicall3, or `None` where it does not lie.
    async fn aggregated(
        &self,
        owner: EvmAddress,
        wanted: &[Wanted],
    ) -> Result<Option<Vec<(TokenId, RawAmount)>>, CallError> {
        if self.multicall_is_missing() {
            return Ok(None);
        }
        let mut held = Vec::new();
        let mut parts: Vec<&[Wanted]> = wanted.chunks(self.config().tokens_per_multicall.get()).collect();
        let mut refusal = None;
        let mut answered = wanted.is_empty();
        while !parts.is_empty() {
            let calls: Vec<Call> = parts.iter().map(|part| self.aggregate_call(owner, part)).collect();
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
                        held.extend(
                            part.iter().zip(balances).map(|((token, _), raw)| (*token, RawAmount::new(raw))),
                        );
                    }
                    // One token that burns all gas or returns megabytes spoils the call for its neighbours.
                    Err(error @ CallError::Refused { .. }) if part.len() > 1 => {
                        refusal = Some(error);
                        let (left, right) = part.split_at(part.len() / 2);
                        smaller.extend([left, right]);
                    }
                    Err(error @ CallError::Refused { .. }) => refusal = Some(error),
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

    fn aggregate_call(&self, owner: EvmAddress, part: &[Wanted]) -> Call {
        let multicall = self.config().multicall;
        let tokens: Vec<EvmAddress> = part.iter().map(|(_, address)| *address).collect();
        eth_call(multicall, &multicall::encode(multicall, owner, &tokens))
    }

    /// Balances by one call a token, in batches.
    async fn one_by_one(
        &self,
        owner: EvmAddress,
        wanted: &[Wanted],
    ) -> Result<Vec<(TokenId, RawAmount)>, CallError> {
        let data = Bytes::from(multicall::balance_of(owner));
        let calls: Vec<Call> = wanted
            .iter()
            .map(|(_, token)| {
                if token.is_zero() {
                    Call::new("eth_getBalance", json!([owner, "latest"]))
                } else {
                    eth_call(*token, &data)
                }
            })
            .collect();
        // `eth_getBalance` answers a short number, `eth_call` padded words: both arrive as text first.
        let answers: Vec<Result<String, CallError>> = self.batch(&calls).await;
        let mut held = Vec::new();
        let mut refusal = None;
        for ((token, address), answer) in wanted.iter().zip(answers) {
            match answer {
                Ok(text) => held.push((*token, RawAmount::new(read_balance(address.is_zero(), &text)))),
                Err(error @ CallError::Refused { .. }) => refusal = Some(error),
                Err(error) => return Err(error),
            }
        }
        match refusal {
            Some(error) if held.is_empty() => Err(error),
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

fn eth_call(to: EvmAddress, data: &Bytes) -> Call {
    Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"]))
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
