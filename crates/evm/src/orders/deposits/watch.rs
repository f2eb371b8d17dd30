use std::cmp::Reverse;

use alloy_primitives::{Address as EvmAddress, B256, U64, U256};
use alloy_sol_types::SolEvent as _;
use async_trait::async_trait;
use causeway_domain::ports::{AddressWatch, ChainError, KnownPayers};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde::Deserialize;
use serde_json::json;

use super::payment::Erc20;
use crate::blocks::{BlockTag, Log};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::BalanceQuery;
use crate::rpc::Call;

/// How many of the newest blocks are searched for a transfer of the native coin.
const MAX_SEARCHED_BLOCKS: u64 = 64;
/// How many full blocks one request reads; they are large.
const BLOCKS_PER_REQUEST: u64 = 8;

/// Watches deposit addresses of one EVM chain.
#[derive(Clone, Debug)]
pub struct EvmAddressWatch {
    client: EvmClient,
}

#[derive(Debug, Deserialize)]
struct FullBlock {
    transactions: Vec<Sent>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    pub(super) hash: B256,
    to: Option<EvmAddress>,
    pub(super) value: U256,
}

impl Sent {
    pub(super) fn pays(&self, to: EvmAddress) -> bool {
        self.to == Some(to) && !self.value.is_zero()
    }
}

/// Whether the log is a transfer of the token to the address.
pub(super) fn is_transfer(log: &Log, to: EvmAddress, token: EvmAddress) -> bool {
    log.address == token
        && log.topics.first() == Some(&Erc20::Transfer::SIGNATURE_HASH)
        && log.topics.get(2) == Some(&to.into_word())
        && !log.removed
}

impl EvmAddressWatch {
    /// Creates a watch for the chain of `client`.
    pub const fn new(client: EvmClient) -> Self {
        Self { client }
    }

    /// The EVM address, or an error for an address of another family.
    fn evm(&self, address: Address) -> Result<EvmAddress, ChainError> {
        let Address::Evm(address) = address else {
            let message = format!("{address} is not an address of this chain");
            return Err(ChainError::Refused(self.client.chain_id(), message));
        };
        Ok(address)
    }

    fn token(&self, token: TokenId) -> Result<EvmAddress, ChainError> {
        if token.chain() != self.client.chain_id() {
            let message = format!("{} is a token of chain {}", token.address(), token.chain());
            return Err(ChainError::Refused(self.client.chain_id(), message));
        }
        self.evm(token.address())
    }

    pub(super) const fn client(&self) -> &EvmClient {
        &self.client
    }

    /// The transfers of the token to the address, the newest first, until there are enough. A range that is too large for the
    /// node is halved, newer half first.
    pub(super) async fn transfers(
        &self,
        to: EvmAddress,
        token: EvmAddress,
        range: (u64, u64),
        is_enough: impl Fn(&[Log]) -> bool + Send,
    ) -> Result<Vec<Log>, CallError> {
        let (mut open, mut found) = (vec![range], Vec::new());
        while let Some((first, last)) = open.pop() {
            let filter = json!([{
                "address": token,
                "fromBlock": U64::from(first),
                "toBlock": U64::from(last),
                "topics": [Erc20::Transfer::SIGNATURE_HASH, null, to.into_word()],
            }]);
            match self.client.call::<Vec<Log>>(Call::new("eth_getLogs", filter)).await {
                Ok(mut logs) => {
                    logs.retain(|log| {
                        is_transfer(log, to, token) && (first..=last).contains(&log.block_number)
                    });
                    logs.sort_unstable_by_key(|log| Reverse((log.block_number, log.index)));
                    found.append(&mut logs);
                    if is_enough(&found) {
                        break;
                    }
                }
                Err(error) if error.wants_smaller_range() && first < last => {
                    let middle = first.midpoint(last);
                    open.extend([(first, middle), (middle.saturating_add(1), last)]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// The transactions of a few blocks that send coins to the address, the newest first. Coins sent by a contract are not
    /// found this way.
    pub(super) async fn payments_of_coins(
        &self,
        to: EvmAddress,
        (first, last): (u64, u64),
    ) -> Result<Vec<Sent>, CallError> {
        let call =
            |number: u64| Call::new("eth_getBlockByNumber", json!([BlockTag::Number(number).json(), true]));
        let calls: Vec<Call> = (first..=last).rev().map(call).collect();
        let mut found = Vec::new();
        for block in self.client.batch::<Option<FullBlock>>(&calls).await {
            let transactions = block?.map_or_else(Vec::new, |block| block.transactions);
            found.extend(transactions.into_iter().rev().filter(|sent| sent.pays(to)));
        }
        Ok(found)
    }

    /// The newest transaction that sends coins to the address.
    async fn newest_payment(
        &self,
        to: EvmAddress,
        (first, last): (u64, u64),
    ) -> Result<Option<B256>, CallError> {
        let first = first.max(last.saturating_sub(MAX_SEARCHED_BLOCKS.saturating_sub(1)));
        let mut newest = last;
        loop {
            let oldest = first.max(newest.saturating_sub(BLOCKS_PER_REQUEST - 1));
            let found = self.payments_of_coins(to, (oldest, newest)).await?;
            let found: Vec<B256> = found.into_iter().map(|sent| sent.hash).collect();
            let receipts = self.client.receipts(&found).await?;
            let succeeded = receipts.into_iter().flatten().find(|receipt| receipt.status == 1);
            if let Some(receipt) = succeeded {
                return Ok(Some(receipt.transaction_hash));
            }
            if oldest == first {
                return Ok(None);
            }
            newest = oldest - 1;
        }
    }
}

#[async_trait]
impl AddressWatch for EvmAddressWatch {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn balances_at(
        &self,
        wanted: &[(Address, TokenId)],
        block: u64,
    ) -> Result<Vec<RawAmount>, ChainError> {
        let query = |(owner, token): &(Address, TokenId)| {
            Ok(BalanceQuery { owner: self.evm(*owner)?, token: self.token(*token)? })
        };
        let queries: Vec<BalanceQuery> = wanted.iter().map(query).collect::<Result<_, ChainError>>()?;
        let balances = self.client.balances_of(&queries, BlockTag::Number(block)).await?;
        Ok(balances.into_iter().map(RawAmount::new).collect())
    }

    async fn funding_tx(
        &self,
        address: Address,
        token: TokenId,
        from: u64,
        to: u64,
    ) -> Result<Option<String>, ChainError> {
        let (address, token) = (self.evm(address)?, self.token(token)?);
        if from > to {
            return Ok(None);
        }
        let found = if token.is_zero() {
            self.newest_payment(address, (from, to)).await?
        } else {
            let transfers = self.transfers(address, token, (from, to), |found| !found.is_empty()).await?;
            transfers.first().map(|log| log.transaction_hash)
        };
        Ok(found.map(|hash| hash.to_string()))
    }

    async fn payers(
        &self,
        address: Address,
        token: TokenId,
        until: u64,
        amount: RawAmount,
    ) -> Result<KnownPayers, ChainError> {
        let (address, token) = (self.evm(address)?, self.token(token)?);
        Ok(self.payers_of(address, token, until, amount.get()).await?)
    }
}
