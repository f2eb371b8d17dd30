use std::collections::BTreeMap;
use std::path::PathBuf;

use causeway_domain::{Address, ChainId, Family, UsdPrice};
use thiserror::Error;
use tokio::task::JoinHandle;

use crate::evm::{self, EvmChain, OpenError};
use crate::faucet::{Faucet, FaucetError};
use crate::fees::FeeModel;
use crate::genesis::{EvmGenesis, GenesisError, Roles, WellKnownToken};
use crate::solana::{self, SolanaChain, SolanaConfig, SolanaError};

/// The genesis time of every EVM chain: the start of 2026. It never changes, so that a stored chain matches its genesis.
const FIRST_BLOCK: u64 = 1_767_225_600;

/// Where the chains are stored.
#[derive(Clone, Debug, Default)]
pub struct SandboxOptions {
    /// Without a folder the chains are in memory only.
    pub data_dir: Option<PathBuf>,
    /// Ignore the chains of an earlier run.
    pub fresh: bool,
    pub fees: FeeModel,
}

/// A chain to run and the tokens that live on it.
#[derive(Clone, Debug)]
pub struct ChainSpec {
    pub id: ChainId,
    pub tokens: Vec<TokenSpec>,
}

/// A well-known token, which gets a play token at its address.
#[derive(Clone, Debug)]
pub struct TokenSpec {
    pub address: Address,
    pub symbol: String,
    pub name: String,
    pub decimals: u8,
    pub is_wrapped_native: bool,
    pub usd_price: Option<UsdPrice>,
}

#[derive(Debug, Error)]
pub enum SandboxError {
    #[error("chain {chain} cannot be opened")]
    Evm { chain: ChainId, source: OpenError },
    #[error(transparent)]
    Genesis(#[from] GenesisError),
    #[error(transparent)]
    Solana(#[from] SolanaError),
    #[error(transparent)]
    Faucet(#[from] FaucetError),
}

/// The running chains.
#[derive(Debug)]
pub struct Sandbox {
    /// The block producers of the EVM chains; the Solana chain has its own thread.
    producers: Vec<JoinHandle<()>>,
    pub(crate) evm: BTreeMap<ChainId, EvmChain>,
    pub(crate) solana: Option<SolanaChain>,
    pub(crate) faucet: Faucet,
}

impl Sandbox {
    /// Opens every chain, continuing those in the folder; needs a tokio runtime.
    pub fn open(chains: &[ChainSpec], options: &SandboxOptions) -> Result<Self, SandboxError> {
        let faucet = Faucet::new()?;
        let genesis = EvmGenesis::new()?;
        let mut evm = BTreeMap::new();
        let mut solana = None;
        for chain in chains {
            match chain.id.family() {
                Family::Evm => {
                    evm.insert(chain.id, open_evm(chain, &genesis, &faucet, options)?);
                }
                Family::Solana => solana = Some(open_solana(chain, genesis.roles(), options)?),
                // Nobody reads these chains, so there is nothing to play.
                Family::Bitcoin | Family::Tron => {}
            }
        }
        let producers =
            evm.values().cloned().map(|chain| tokio::spawn(async move { chain.run().await })).collect();
        Ok(Self { producers, evm, solana, faucet })
    }

    /// The ids of the chains that run.
    pub fn chains(&self) -> impl Iterator<Item = ChainId> + '_ {
        self.evm.keys().copied().chain(self.solana.as_ref().map(SolanaChain::chain_id))
    }

    /// Stores everything on disk and stops the chains.
    pub async fn stop(&self) {
        for producer in &self.producers {
            producer.abort();
        }
        if let Some(solana) = &self.solana
            && let Err(error) = solana.stop().await
        {
            tracing::warn!(%error, "Solana chain did not stop cleanly; its journal is complete");
        }
    }
}

fn open_evm(
    chain: &ChainSpec,
    genesis: &EvmGenesis,
    faucet: &Faucet,
    options: &SandboxOptions,
) -> Result<EvmChain, SandboxError> {
    let tokens: Vec<WellKnownToken> = chain.tokens.iter().filter_map(well_known).collect();
    let mut accounts = genesis.accounts(chain.id, &tokens, faucet.address())?;
    if options.fees == FeeModel::Realistic {
        accounts.extend(EvmGenesis::data_fee_account(chain.id));
    }
    let genesis = evm::Genesis { chain_id: chain.id, accounts, timestamp: FIRST_BLOCK };
    let fees = options.fees.of(chain.id);
    let options = evm::Options {
        data_dir: options.data_dir.clone(),
        fresh: options.fresh,
        min_base_fee: fees.base_fee,
        tip: Some(fees.tip),
        allow_unprotected: true,
        ..evm::Options::default()
    };
    EvmChain::open(&genesis, options).map_err(|source| SandboxError::Evm { chain: chain.id, source })
}

fn well_known(token: &TokenSpec) -> Option<WellKnownToken> {
    let Address::Evm(address) = token.address else { return None };
    Some(WellKnownToken {
        address,
        symbol: token.symbol.clone(),
        name: token.name.clone(),
        decimals: token.decimals,
        is_wrapped_native: token.is_wrapped_native,
        usd_price: token.usd_price,
    })
}

fn open_solana(
    chain: &ChainSpec,
    roles: &Roles,
    options: &SandboxOptions,
) -> Result<SolanaChain, SandboxError> {
    let genesis = solana::sandbox_genesis(&chain.tokens, roles)?;
    let config =
        SolanaConfig { data_dir: options.data_dir.clone(), fresh: options.fresh, ..SolanaConfig::default() };
    Ok(SolanaChain::open(config, genesis)?)
}
