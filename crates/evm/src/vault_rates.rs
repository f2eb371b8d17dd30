use std::collections::HashMap;
use std::time::Duration;

use alloy_primitives::{Bytes, U256};
use alloy_sol_types::{SolCall, sol};
use causeway_domain::ports::{VaultRate, VaultRates};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use futures::future::join_all;
use parking_lot::RwLock;
use serde_json::json;
use tokio::time::Instant;

use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;
use crate::ticker::ticker;

sol! {
    function convertToShares(uint256 assets) returns (uint256 shares);
}

/// An ERC-4626 vault: its address is that of its shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vault {
    pub share: TokenId,
    /// On the same chain.
    pub asset: TokenId,
    pub asset_decimals: u8,
}

impl Vault {
    /// One whole asset, so that rounding in the vault costs less than one unit of a share.
    fn sample(&self) -> Option<RawAmount> {
        U256::from(10).checked_pow(U256::from(self.asset_decimals)).map(RawAmount::new)
    }

    fn rate_call(&self) -> Option<Call> {
        let Address::Evm(vault) = self.share.address() else { return None };
        let data = Bytes::from(convertToSharesCall { assets: self.sample()?.get() }.abi_encode());
        Some(Call::new("eth_call", json!([{ "to": vault, "data": data }, "latest"])))
    }

    /// `None` when the answer is no number or zero.
    fn decode_rate(&self, answer: &[u8]) -> Option<VaultRate> {
        let shares = answer.first_chunk::<32>().map(|word| RawAmount::new(U256::from_be_bytes(*word)))?;
        (!shares.is_zero()).then_some(VaultRate { asset: self.asset, assets: self.sample()?, shares })
    }
}

/// Exchange rates of vault shares, refreshed in the background so that a lookup never waits.
#[derive(Debug)]
pub struct CachedVaultRates {
    vaults: HashMap<TokenId, Vault>,
    read: RwLock<HashMap<TokenId, (Instant, VaultRate)>>,
    max_age: Duration,
}

impl CachedVaultRates {
    /// Creates the cache for these vaults. A rate expires after `max_age`.
    pub fn new(max_age: Duration, vaults: impl IntoIterator<Item = Vault>) -> Self {
        let vaults = vaults.into_iter().map(|vault| (vault.share, vault)).collect();
        Self { vaults, read: RwLock::default(), max_age }
    }

    /// Refreshes the rates of all vaults on these chains every `every` until the future is dropped. Chains do not wait for each other.
    pub async fn run(&self, clients: &[EvmClient], every: Duration) {
        join_all(clients.iter().map(|client| self.refresh_chain(client, every))).await;
    }

    async fn refresh_chain(&self, client: &EvmClient, every: Duration) {
        let (vaults, calls) = self.rate_calls(client.chain_id());
        if vaults.is_empty() {
            return;
        }
        let mut ticks = ticker(every);
        let mut broken: HashMap<TokenId, bool> = HashMap::new();
        loop {
            ticks.tick().await;
            let read_at = Instant::now();
            let answers: Vec<Result<Bytes, CallError>> = client.batch(&calls).await;
            for (vault, answer) in vaults.iter().zip(answers) {
                let rate = answer.as_ref().ok().and_then(|answer| vault.decode_rate(answer));
                let was_broken = broken.insert(vault.share, rate.is_none()).unwrap_or(false);
                if let Some(rate) = rate {
                    let mut read = self.read.write();
                    read.insert(vault.share, (read_at, rate));
                } else if !was_broken {
                    let error = answer.err().map(|error| error.to_string());
                    tracing::warn!(vault = %vault.share, ?error, "vault rate unavailable, retrying");
                }
            }
        }
    }

    fn rate_calls(&self, chain: ChainId) -> (Vec<Vault>, Vec<Call>) {
        let here = self.vaults.values().filter(|vault| vault.share.chain() == chain);
        here.filter_map(|vault| Some((*vault, vault.rate_call()?))).unzip()
    }
}

impl VaultRates for CachedVaultRates {
    fn rate(&self, share: &TokenId) -> Option<VaultRate> {
        let read = self.read.read();
        let (read_at, rate) = read.get(share)?;
        (read_at.elapsed() <= self.max_age).then_some(*rate)
    }

    fn is_share(&self, token: &TokenId) -> bool {
        self.vaults.contains_key(token)
    }
}
