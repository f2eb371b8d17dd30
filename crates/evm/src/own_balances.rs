use alloy_primitives::{Bytes, U256};
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use causeway_jsonrpc_client::median;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::{self, BalanceQuery};

/// Reads what our own accounts hold: the median of what the endpoints show, and the lower of the middle two, so that none of
/// them has us promise more than there is (rule 27).
#[derive(Clone, Debug)]
pub struct OwnBalances(EvmClient);

impl OwnBalances {
    pub const fn new(client: EvmClient) -> Self {
        Self(client)
    }

    /// In the order of the queries; `None` where no endpoint answers as expected.
    async fn medians(&self, queries: &[BalanceQuery]) -> Result<Option<Vec<U256>>, CallError> {
        let client = &self.0;
        let calls: Vec<_> = queries
            .chunks(client.config().tokens_per_multicall.get())
            .map(|part| client.aggregate_call(part, BlockTag::Latest))
            .collect();
        let (mut shown, mut fault) = (Vec::new(), None);
        for asked in client.ask_all::<Bytes>(&calls).await {
            let parts = queries.chunks(client.config().tokens_per_multicall.get()).zip(asked.answers);
            let mut balances = Some(Vec::new());
            for (part, answer) in parts {
                let decoded = match answer {
                    Ok(bytes) => multicall::decode(&bytes, part.len()),
                    Err(error) => {
                        fault = Some(error);
                        None
                    }
                };
                balances = balances.zip(decoded).map(|(all, part)| [all, part].concat());
            }
            shown.extend(balances);
        }
        match (shown.is_empty(), fault) {
            (true, Some(error)) if !matches!(error, CallError::Refused { .. }) => Err(error),
            (true, _) => Ok(None),
            (false, _) => {
                let of = |place: usize| {
                    median(shown.iter().filter_map(|balances| balances.get(place).copied()))
                        .unwrap_or_default()
                };
                Ok(Some((0..queries.len()).map(of).collect()))
            }
        }
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
        let Address::Evm(account) = owner else { return self.0.balances(owner, tokens).await };
        if self.0.endpoint_count() < 2 || self.0.multicall_is_missing() {
            return self.0.balances(owner, tokens).await;
        }
        let (wanted, queries): (Vec<TokenId>, Vec<BalanceQuery>) = tokens
            .iter()
            .filter(|token| token.chain() == self.0.chain_id())
            .filter_map(|token| match token.address() {
                Address::Evm(address) => Some((*token, BalanceQuery { owner: account, token: address })),
                Address::Solana(_) | Address::Bitcoin(_) | Address::Tron(_) => None,
            })
            .unzip();
        match self.medians(&queries).await? {
            Some(balances) => {
                let amounts = balances.into_iter().map(RawAmount::new);
                Ok(wanted.into_iter().zip(amounts).filter(|(_, amount)| !amount.is_zero()).collect())
            }
            None => self.0.balances(owner, tokens).await,
        }
    }
}
