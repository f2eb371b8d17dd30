use alloy_primitives::{Bytes, U256};
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use causeway_jsonrpc_client::median;

use crate::balances::{held_by, queries, read_balance};
use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::{self, BalanceQuery};

/// Reads what our own accounts hold: the median of what the endpoints show, and the lower of the middle two, so that none of
/// them alone has us quote what there is not, or stops us (rule 27).
#[derive(Clone, Debug)]
pub struct OwnBalances(EvmClient);

/// What the endpoints say of the same accounts.
#[derive(Default)]
struct Shown {
    /// Of each endpoint that answers, in the order of the queries.
    balances: Vec<Vec<U256>>,
    has_trusted: bool,
    /// Whether an endpoint refuses, or answers what no Multicall3 does.
    has_refused: bool,
    fault: Option<CallError>,
}

impl OwnBalances {
    pub const fn new(client: EvmClient) -> Self {
        Self(client)
    }

    async fn medians(&self, queries: &[BalanceQuery]) -> Result<Vec<U256>, CallError> {
        let client = &self.0;
        let is_enough = |shown: &Shown| shown.has_trusted || shown.balances.len() >= client.quorum().get();
        let mut shown = Shown::default();
        if !client.multicall_is_missing() {
            shown = self.aggregated(queries).await;
        }
        if !is_enough(&shown) && (shown.has_refused || client.multicall_is_missing()) {
            // No Multicall3, or a token that makes the whole call fail.
            shown = self.one_by_one(queries).await;
        }
        if !is_enough(&shown) {
            let too_few = || client.invalid_response("too few endpoints returned the account's balances");
            return Err(shown.fault.unwrap_or_else(too_few));
        }
        let of = |place: usize| {
            let all = shown.balances.iter().filter_map(|balances| balances.get(place).copied());
            median(all).unwrap_or_default()
        };
        Ok((0..queries.len()).map(of).collect())
    }

    async fn aggregated(&self, queries: &[BalanceQuery]) -> Shown {
        let parts: Vec<_> = queries.chunks(self.0.config().tokens_per_multicall.get()).collect();
        let calls: Vec<_> = parts.iter().map(|part| self.0.aggregate_call(part, BlockTag::Latest)).collect();
        let mut shown = Shown::default();
        for asked in self.0.ask_all::<Bytes>(&calls).await {
            let decoded = parts.iter().zip(asked.answers).map(|(part, answer)| match answer {
                Ok(bytes) => {
                    let balances = multicall::decode(&bytes, part.len());
                    shown.has_refused |= balances.is_none();
                    balances
                }
                Err(error) => shown.failed(error),
            });
            let balances = decoded.collect::<Option<Vec<_>>>().map(|parts| parts.concat());
            shown.add(asked.trusted, balances);
        }
        shown
    }

    /// A token that does not answer counts as nothing.
    async fn one_by_one(&self, queries: &[BalanceQuery]) -> Shown {
        let calls: Vec<_> = queries.iter().map(|query| query.call(BlockTag::Latest)).collect();
        let mut shown = Shown::default();
        for asked in self.0.ask_all::<String>(&calls).await {
            let mut has_answered = false;
            let read = queries.iter().zip(asked.answers).map(|(query, answer)| match answer {
                Ok(text) => {
                    has_answered = true;
                    Some(read_balance(query.token.is_zero(), &text))
                }
                Err(CallError::Refused { .. }) => Some(U256::ZERO),
                Err(error) => shown.failed(error),
            });
            let balances = read.collect::<Option<Vec<_>>>();
            shown.add(asked.trusted, balances.filter(|_| has_answered));
        }
        shown
    }
}

impl Shown {
    fn add(&mut self, trusted: bool, balances: Option<Vec<U256>>) {
        self.has_trusted |= trusted && balances.is_some();
        self.balances.extend(balances);
    }

    fn failed<T>(&mut self, error: CallError) -> Option<T> {
        self.has_refused |= matches!(error, CallError::Refused { .. });
        self.fault = Some(error);
        None
    }
}

#[async_trait]
impl BalanceReader for OwnBalances {
    fn chain(&self) -> ChainId {
        self.0.chain_id()
    }

    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
        if self.0.endpoint_count() < 2 {
            return self.0.balances(owner, tokens).await;
        }
        let (wanted, queries) = queries(self.0.chain_id(), owner, tokens)?;
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        Ok(held_by(wanted, self.medians(&queries).await?))
    }
}
