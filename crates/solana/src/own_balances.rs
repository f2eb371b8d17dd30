use std::collections::HashMap;

use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address, ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_jsonrpc_client::{EndpointAnswer, median};
use serde_json::value::RawValue;

use crate::balances::{BalanceCalls, select};
use crate::commitment::Contextual;
use crate::error::RpcError;
use crate::rpc::SolanaRpc;

/// Reads what our own accounts hold: the median of what the endpoints show, and the lower of the middle two, so that none of
/// them alone has us quote what there is not, or stops us (rule 27).
#[derive(Clone, Debug)]
pub struct OwnBalances(SolanaRpc);

/// What one endpoint shows; a token of which there is nothing is not in it.
type Shown = HashMap<TokenId, RawAmount>;

impl OwnBalances {
    pub const fn new(rpc: SolanaRpc) -> Self {
        Self(rpc)
    }
}

#[async_trait]
impl BalanceReader for OwnBalances {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
        if self.0.config().pool.endpoints.len() < 2 {
            return self.0.balances(owner, tokens).await;
        }
        let asked = BalanceCalls::new(owner, tokens)?;
        let calls = asked.calls();
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let (mut shown, mut has_trusted, mut fault) = (Vec::new(), false, None);
        for EndpointAnswer { trusted, answers, .. } in
            self.0.ask_all::<Contextual<Box<RawValue>>>(&calls).await
        {
            match read(&asked, answers) {
                Ok(balances) => {
                    has_trusted |= trusted;
                    shown.push(balances);
                }
                Err(error) => fault = Some(error),
            }
        }
        if !has_trusted && shown.len() < self.0.quorum().get() {
            let too_few =
                || RpcError::Unavailable("too few endpoints show the account's balances".to_owned());
            return Err(fault.unwrap_or_else(too_few).into());
        }
        let held = |token: &&TokenId| {
            let amounts = shown.iter().map(|balances| balances.get(token).copied().unwrap_or_default());
            median(amounts).filter(|amount| !amount.is_zero()).map(|amount| (**token, amount))
        };
        Ok(asked.tokens.iter().filter_map(held).collect())
    }
}

fn read(
    asked: &BalanceCalls<'_>,
    answers: Vec<Result<Contextual<Box<RawValue>>, RpcError>>,
) -> Result<Shown, RpcError> {
    let mut holdings = Vec::new();
    for (index, answer) in answers.into_iter().enumerate() {
        holdings.extend(asked.read(index, answer?.value.get()).map_err(RpcError::InvalidResponse)?);
    }
    Ok(select(&asked.tokens, holdings.into_iter()).into_iter().collect())
}
