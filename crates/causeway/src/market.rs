use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{Filler, GasFeed, PriceFeed};
use causeway_domain::{
    Address, ChainId, Deployment, DepositMethod, Family, Parties, RawAmount, SOLANA_CHAIN_ID,
    SolanaDeployment, TokenId,
};
use causeway_evm::{CachedGas, CachedVaultRates, Vault};
use causeway_fillers::inventory::{
    Accounts, Book, BookSources, ChainTerms, Equipment, InventoryConfig, InventoryFiller, ServedToken,
    Spreads, Unclaimed, keep_book,
};
use causeway_prices::{FixedPrices, KeptSource, VaultPrices, asset_of, is_dollar};
use causeway_sandbox::genesis::{FillerRole, Roles, SolanaWallet, TestWallet};
use causeway_solana::orders::{CachedMints, MintRefusal, SolanaSending};
use causeway_solana::program::EscrowProgram;
use causeway_solana::{CachedFees, SolanaRpc};
use causeway_store::Store;
use tokio_util::sync::CancellationToken;

use crate::chains::Clients;
use crate::config::{Config, Mode};
use crate::deployments::Deployments;
use crate::prices::Prices;

/// How often gas prices, vault rates and the fillers' books are read, and how long a reading counts.
const EVERY: Duration = Duration::from_secs(10);
const MAX_AGE: Duration = Duration::from_mins(1);

/// How long the first readings may take before the service says that it runs all the same.
const FIRST_READINGS: Duration = Duration::from_secs(15);

/// How often the tokens on Solana are looked at: a mint hardly ever changes what it does.
const MINTS_EVERY: Duration = Duration::from_mins(1);

/// How much is offered on Solana at most to be taken into a block: 0.0015 SOL for the dearest transaction of ours.
pub(crate) const SOLANA_SENDING: SolanaSending = SolanaSending { most_for_unit: 10_000_000 };

/// How long a deposit on a play chain takes to be believed: two blocks.
pub(crate) const PLAY_DEPOSIT_SECONDS: u32 = 2;

/// Coins whose balances change by themselves: an escrow of fixed amounts cannot hold them.
const REBASING: [&str; 1] = ["staked-ether"];

/// What quotes are made of: prices, and fillers with their books.
pub(crate) struct Market {
    pub(crate) prices: Arc<dyn PriceFeed>,
    /// What the prices are read from.
    pub(crate) price_sources: Vec<Arc<KeptSource>>,
    pub(crate) fillers: Vec<Arc<dyn Filler>>,
    /// Those of them that are our own, with their keys.
    pub(crate) inventory: Vec<PlayFiller>,
    books: Vec<Arc<Book>>,
    gas: Arc<Gas>,
    /// One token of every chain that is served.
    samples: Vec<TokenId>,
    /// What is known of the tokens on Solana.
    mints: Option<Arc<CachedMints>>,
}

/// A market maker of the sandbox.
pub(crate) struct PlayFiller {
    pub(crate) filler: Arc<InventoryFiller>,
    pub(crate) hot: TestWallet,
    pub(crate) solana_hot: SolanaWallet,
}

impl Market {
    /// Puts the market together and begins to read what it needs, until `stop`.
    pub(crate) fn open(
        config: &Config,
        catalog: &Catalog,
        fixed: Arc<FixedPrices>,
        clients: &Clients,
        deployments: &Deployments,
        store: &Arc<Store>,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let Deployments { evm: contracts, solana: program } = deployments;
        let Prices { feed, sources } = Prices::open(config, catalog, fixed, clients, stop)?;
        let gas = Arc::new(Gas {
            evm: CachedGas::new(MAX_AGE, []),
            solana: CachedFees::new(MAX_AGE, SOLANA_SENDING.most_for_unit),
        });
        let vaults = Arc::new(CachedVaultRates::new(MAX_AGE, known_vaults(catalog, contracts)));
        let prices: Arc<dyn PriceFeed> =
            Arc::new(VaultPrices::new(feed, vaults.clone(), vault_decimals(catalog, contracts)));
        let mut market = Self {
            prices,
            price_sources: sources,
            fillers: Vec::new(),
            inventory: Vec::new(),
            books: Vec::new(),
            gas,
            samples: Vec::new(),
            mints: None,
        };
        let tokens = served_tokens(catalog, deployments);
        let mints = Arc::new(CachedMints::new(tokens.iter().map(|token| (token.id, token.decimals))));
        if !deployments.is_empty() {
            keep_readings(&market.gas, &vaults, clients, stop);
        }
        if let (Some(rpc), Some(there)) = (&clients.solana, program) {
            keep_solana_readings(&market.gas, &mints, rpc, there, stop);
        }
        // In production a filler needs keys and money of its own, which the sandbox has in play.
        if config.mode != Mode::Sandbox || deployments.is_empty() {
            return Ok(market);
        }
        let mut chains: HashMap<ChainId, ChainTerms> =
            contracts.iter().map(|there| (there.chain, chain_terms(there))).collect();
        chains.extend(program.iter().map(|there| (there.chain, program_terms(there))));
        market.samples = chains.keys().map(|chain| TokenId::native(*chain)).collect();
        market.samples.extend(tokens.iter().map(|token| token.id).find(is_mint));
        market.mints = Some(Arc::clone(&mints));
        for role in Roles::new()?.fillers {
            let book = Arc::new(Book::new(MAX_AGE));
            let equipment = Equipment {
                chains: chains.clone(),
                tokens: tokens.clone(),
                accounts: accounts(&role),
                prices: Arc::clone(&market.prices),
                gas: market.gas.clone(),
                vaults: vaults.clone(),
                oddities: mints.clone(),
                book: Arc::clone(&book),
                unclaimed: Arc::new(Unclaimed::default()),
            };
            let sources = BookSources {
                filler: role.name.to_owned(),
                readers: clients.readers(),
                reservations: store.clone(),
                accounts: accounts(&role),
                tokens: by_chain(&tokens),
            };
            tokio::spawn(keep_book(Arc::clone(&book), sources, EVERY, stop.clone()));
            let filler = Arc::new(InventoryFiller::new(play_filler(&role), equipment)?);
            market.fillers.push(filler.clone());
            market.inventory.push(PlayFiller { filler, hot: role.hot, solana_hot: role.solana_hot });
            market.books.push(book);
        }
        Ok(market)
    }

    pub(crate) fn gas(&self) -> Arc<dyn GasFeed> {
        self.gas.clone()
    }

    /// Waits until the fillers know what they hold and what gas costs, so that the first ask is answered like any other.
    pub(crate) async fn ready(&self) {
        let known = || {
            let holds = |book: &Arc<Book>| self.samples.iter().all(|token| book.holding(token).is_some());
            let judged = |token: &TokenId| {
                let mints = self.mints.as_ref().filter(|_| is_mint(token));
                mints.is_none_or(|mints| mints.refusal(token) != Some(MintRefusal::Unread))
            };
            self.books.iter().all(holds)
                && self.samples.iter().all(judged)
                && self.samples.iter().all(|token| self.gas.price(token.chain()).is_some())
        };
        let wait = async {
            while !known() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(FIRST_READINGS, wait).await.is_err() {
            tracing::warn!(
                "some chains have not told yet what the fillers hold; their routes come when they have"
            );
        }
    }
}

fn keep_readings(
    gas: &Arc<Gas>,
    vaults: &Arc<CachedVaultRates>,
    clients: &Clients,
    stop: &CancellationToken,
) {
    let (gas, vaults, evm, stop) = (Arc::clone(gas), Arc::clone(vaults), clients.evm.clone(), stop.clone());
    tokio::spawn(async move {
        let readings = async { tokio::join!(gas.evm.keep(&evm, EVERY), vaults.keep(&evm, EVERY)) };
        stop.run_until_cancelled(readings).await;
    });
}

fn keep_solana_readings(
    gas: &Arc<Gas>,
    mints: &Arc<CachedMints>,
    rpc: &SolanaRpc,
    there: &SolanaDeployment,
    stop: &CancellationToken,
) {
    let (gas, mints, rpc, stop) = (Arc::clone(gas), Arc::clone(mints), rpc.clone(), stop.clone());
    let program = EscrowProgram::new(there.program.0.into());
    tokio::spawn(async move {
        let fees = gas.solana.keep(&rpc, program, EVERY);
        let readings = async { tokio::join!(fees, mints.keep(&rpc, MINTS_EVERY)) };
        stop.run_until_cancelled(readings).await;
    });
}

/// What transactions cost on each chain.
struct Gas {
    evm: CachedGas,
    solana: CachedFees,
}

impl GasFeed for Gas {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        match chain.family() {
            Family::Evm => self.evm.price(chain),
            Family::Solana => self.solana.price(chain),
        }
    }
}

fn is_mint(token: &TokenId) -> bool {
    token.chain() == SOLANA_CHAIN_ID && !token.is_native()
}

fn known_vaults(catalog: &Catalog, deployments: &[Deployment]) -> Vec<Vault> {
    let snapshot = catalog.snapshot();
    let vaults = deployments.iter().filter_map(|there| Some((there.chain, there.hub.as_ref()?)));
    let vaults = vaults.flat_map(|(chain, hub)| hub.vaults.iter().map(move |vault| (chain, vault)));
    vaults
        .filter_map(|(chain, vault)| {
            let asset = TokenId::from_address(chain, Address::Evm(vault.asset))?;
            let share = TokenId::from_address(chain, Address::Evm(vault.vault))?;
            Some(Vault { share, asset, asset_decimals: snapshot.token(&asset)?.token.decimals })
        })
        .collect()
}

fn vault_decimals(catalog: &Catalog, deployments: &[Deployment]) -> Vec<(TokenId, u8)> {
    let snapshot = catalog.snapshot();
    let tokens = known_vaults(catalog, deployments).into_iter().flat_map(|vault| [vault.share, vault.asset]);
    tokens.filter_map(|id| Some((id, snapshot.token(&id)?.token.decimals))).collect()
}

/// The well-known tokens of every chain that has our contracts.
fn served_tokens(catalog: &Catalog, deployments: &Deployments) -> Vec<ServedToken> {
    let snapshot = catalog.snapshot();
    let Deployments { evm, solana } = deployments;
    let mut chains: Vec<ChainId> = evm.iter().map(|there| there.chain).collect();
    chains.extend(solana.iter().map(|there| there.chain));
    let shares: Vec<TokenId> = known_vaults(catalog, evm).iter().map(|vault| vault.share).collect();
    let tokens = snapshot.top(&chains).into_iter().map(|listed| listed.token);
    tokens
        .filter(|token| !shares.contains(&token.id))
        .filter_map(|token| {
            let coin = &snapshot.asset(&token.id)?.coin;
            (!REBASING.contains(&coin.as_str())).then(|| ServedToken {
                id: token.id,
                decimals: token.decimals,
                asset: asset_of(coin).to_owned(),
                stable: is_dollar(coin),
            })
        })
        .collect()
}

fn by_chain(tokens: &[ServedToken]) -> HashMap<ChainId, Vec<TokenId>> {
    let mut chains: HashMap<ChainId, Vec<TokenId>> = HashMap::new();
    for token in tokens {
        chains.entry(token.id.chain()).or_default().push(token.id);
    }
    chains
}

/// The ways to deposit on every chain that has our contracts.
pub(crate) fn deposit_methods(deployments: &Deployments) -> HashMap<ChainId, Vec<DepositMethod>> {
    let mut methods: HashMap<_, _> =
        deployments.evm.iter().map(|there| (there.chain, contract_methods(there))).collect();
    methods.extend(deployments.solana.iter().map(|there| (there.chain, program_methods())));
    methods
}

fn contract_methods(there: &Deployment) -> Vec<DepositMethod> {
    let mut methods = vec![DepositMethod::ContractCall];
    methods.extend(there.permit2.map(|_| DepositMethod::Permit2));
    methods.extend(there.transfers.then_some(DepositMethod::Transfer));
    methods
}

/// A plain transfer works wherever the program does: its addresses need nothing but the order.
fn program_methods() -> Vec<DepositMethod> {
    vec![DepositMethod::ContractCall, DepositMethod::Transfer]
}

fn chain_terms(there: &Deployment) -> ChainTerms {
    ChainTerms::new(there.chain, PLAY_DEPOSIT_SECONDS, contract_methods(there))
}

fn program_terms(there: &SolanaDeployment) -> ChainTerms {
    ChainTerms::new(there.chain, PLAY_DEPOSIT_SECONDS, program_methods())
}

fn accounts(role: &FillerRole) -> Accounts {
    let evm = Parties { filler: Address::Evm(role.hot.address), payee: Address::Evm(role.payee.address) };
    let solana = Parties {
        filler: Address::Solana(role.solana_hot.address),
        payee: Address::Solana(role.solana_payee.address),
    };
    Accounts { evm: Some(evm), solana: Some(solana) }
}

/// Two fillers that are each the better one at something.
fn play_filler(role: &FillerRole) -> InventoryConfig {
    let spreads =
        if role.name == "north" { Spreads::tight_on_stables() } else { Spreads::tight_on_volatile() };
    InventoryConfig { name: role.name.to_owned(), spreads, ..InventoryConfig::default() }
}
