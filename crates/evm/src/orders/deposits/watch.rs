use alloy_primitives::{Address as EvmAddress, B256, U64, U256};
use alloy_sol_types::SolEvent as _;
use async_trait::async_trait;
use causeway_domain::ports::{AddressWatch, ChainError};
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
const BLOCKS_PER_REQUEST: usize = 8;

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
struct Sent {
    hash: B256,
    to: Option<EvmAddress>,
    value: U256,
}

impl EvmAddressWatch {
    /// Creates a watch for the chain of `client`.
    pub const fn new(client: EvmClient) -> Self {
        Self { client }
    }

    /// The EVM address, or an error for an address of another family.
    fn evm(&self, address: Address) -> Result<EvmAddress, ChainError> {
        match address {
            Address::Evm(address) => Ok(address),
            Address::Solana(_) => {
                let message = format!("{address} is not an address of this chain");
                Err(ChainError::Refused(self.client.chain_id(), message))
            }
        }
    }

    fn token(&self, token: TokenId) -> Result<EvmAddress, ChainError> {
        if token.chain() != self.client.chain_id() {
            let message = format!("{} is a token of chain {}", token.address(), token.chain());
            return Err(ChainError::Refused(self.client.chain_id(), message));
        }
        self.evm(token.address())
    }

    /// The newest transfer of the token to the address. A range that is too large for the node is halved, newer half first.
    async fn newest_transfer(
        &self,
        to: EvmAddress,
        token: EvmAddress,
        range: (u64, u64),
    ) -> Result<Option<B256>, CallError> {
        let mut open = vec![range];
        while let Some((first, last)) = open.pop() {
            let filter = json!([{
                "address": token,
                "fromBlock": U64::from(first),
                "toBlock": U64::from(last),
                "topics": [Erc20::Transfer::SIGNATURE_HASH, null, to.into_word()],
            }]);
            match self.client.call::<Vec<Log>>(Call::new("eth_getLogs", filter)).await {
                Ok(logs) => {
                    let is_match = |log: &&Log| {
                        log.address == token
                            && (first..=last).contains(&log.block_number)
                            && log.topics.get(2) == Some(&to.into_word())
                            && !log.removed
                    };
                    let newest = logs.iter().filter(is_match).max_by_key(|log| (log.block_number, log.index));
                    if let Some(log) = newest {
                        return Ok(Some(log.transaction_hash));
                    }
                }
                Err(error) if error.wants_smaller_range() && first < last => {
                    let middle = first.midpoint(last);
                    open.extend([(first, middle), (middle.saturating_add(1), last)]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The newest transaction that sends coins to the address. Coins sent by a contract are not found this way.
    async fn newest_payment(
        &self,
        to: EvmAddress,
        (first, last): (u64, u64),
    ) -> Result<Option<B256>, CallError> {
        let first = first.max(last.saturating_sub(MAX_SEARCHED_BLOCKS.saturating_sub(1)));
        let numbers: Vec<u64> = (first..=last).rev().collect();
        for numbers in numbers.chunks(BLOCKS_PER_REQUEST) {
            let call = |number: &u64| {
                Call::new("eth_getBlockByNumber", json!([BlockTag::Number(*number).json(), true]))
            };
            let calls: Vec<Call> = numbers.iter().map(call).collect();
            let mut found = Vec::new();
            for block in self.client.batch::<Option<FullBlock>>(&calls).await {
                let transactions = block?.map_or_else(Vec::new, |block| block.transactions);
                let pays = |sent: &Sent| sent.to == Some(to) && !sent.value.is_zero();
                found.extend(transactions.into_iter().rev().filter(pays).map(|sent| sent.hash));
            }
            let receipts = self.client.receipts(&found).await?;
            let succeeded = receipts.into_iter().flatten().find(|receipt| receipt.status == 1);
            if let Some(receipt) = succeeded {
                return Ok(Some(receipt.transaction_hash));
            }
        }
        Ok(None)
    }
}

/// What a receipt says of who paid.
#[derive(Deserialize)]
struct FundingReceipt {
    from: EvmAddress,
    #[serde(default)]
    logs: Vec<FundingLog>,
}

#[derive(Deserialize)]
struct FundingLog {
    address: EvmAddress,
    topics: Vec<B256>,
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
            self.newest_transfer(address, token, (from, to)).await?
        };
        Ok(found.map(|hash| hash.to_string()))
    }

    async fn senders(&self, address: Address, token: TokenId, tx: &str) -> Result<Vec<Address>, ChainError> {
        let (to, token) = (self.evm(address)?, self.token(token)?);
        let call = Call::new("eth_getTransactionReceipt", json!([tx]));
        let Some(receipt) = self.client.call::<Option<FundingReceipt>>(call).await? else {
            return Ok(Vec::new());
        };
        let is_transfer = |log: &&FundingLog| {
            log.address == token
                && log.topics.first() == Some(&Erc20::Transfer::SIGNATURE_HASH)
                && log.topics.get(2) == Some(&to.into_word())
        };
        let payers = receipt.logs.iter().filter(is_transfer).filter_map(|log| log.topics.get(1));
        let payers = payers.map(|word| EvmAddress::from_word(*word));
        Ok(std::iter::once(receipt.from).chain(payers).map(Address::Evm).collect())
    }
}
