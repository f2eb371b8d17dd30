mod decimals;
mod tokens;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::ports::{Filler, GasFeed, PriceFeed, Refusal, TokenOddities};
use causeway_domain::{
    ChainId, Deployment, DepositMethod, Family, RawAmount, SOLANA_CHAIN_ID, SolanaDeployment, TokenId,
};
use causeway_engine::KnownFiller;
use causeway_evm::{CachedGas, CachedVaultRates};
use causeway_fillers::inventory::{
    Book, BookSources, ChainTerms, Equipment, InventoryFiller, ServedToken, Unclaimed, keep_book,
};
use causeway_prices::{FixedPrices, KeptSource, VaultPrices};
use causeway_solana::orders::{CachedMints, MintRefusal};
use causeway_solana::program::EscrowProgram;
use causeway_solana::{CachedFees, SolanaRpc};
use causeway_store::Store;
use tokio_util::sync::CancellationToken;

use crate::chains::Clients;
use crate::config::{Config, Mode};
use crate::deployments::Deployments;
use crate::makers::{HotKeys, Maker, known_fillers};
use crate::market::decimals::TokenDecimals;
use crate::market::tokens::{known_vaults, served_tokens, vault_decimals};
use crate::prices::Prices;
use crate::trust::{self, SOLANA_SENDING};

/// How often gas prices, vault rates and the fillers' books are read, and how long a reading counts.
const EVERY: Duration = Duration::from_secs(10);
const MAX_AGE: Duration = Duration::from_mins(1);

/// How long the first readings may take before the service says that it runs all the same.
const FIRST_READINGS: Duration = Duration::from_secs(15);

/// How often the tokens on Solana are looked at: a mint hardly ever changes what it does.
const MINTS_EVERY: Duration = Duration::from_mins(1);

/// What quotes are made of: prices, and fillers with their books.
pub(crate) struct Market {
    pub(crate) prices: Arc<dyn PriceFeed>,
    /// What the prices are read from.
    pub(crate) price_sources: Vec<Arc<KeptSource>>,
    pub(crate) fillers: Vec<Arc<dyn Filler>>,
    /// Those of them that are our own, with their keys.
    pub(crate) inventory: Vec<MarketMaker>,
    /// The same, as the chains know them.
    pub(crate) known: Vec<KnownFiller>,
    gas: Arc<Gas>,
    oddities: Arc<Oddities>,
}

/// Tokens that turn out to be none to trade.
struct Oddities {
    mints: CachedMints,
    decimals: TokenDecimals,
}

impl TokenOddities for Oddities {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        TokenOddities::refusal(&self.mints, token).or_else(|| self.decimals.refusal(token))
    }
}

impl Oddities {
    fn is_read(&self, token: &TokenId) -> bool {
        self.mints.refusal(token) != Some(MintRefusal::Unread) && self.decimals.is_read(token)
    }
}

/// A market maker of ours that trades.
pub(crate) struct MarketMaker {
    pub(crate) filler: Arc<InventoryFiller>,
    pub(crate) keys: HotKeys,
    name: String,
    book: Arc<Book>,
    /// What it trades on each chain.
    tokens: HashMap<ChainId, Vec<TokenId>>,
}

/// What a market is put together from.
pub(crate) struct MarketParts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) catalog: &'a Catalog,
    pub(crate) fixed: Arc<FixedPrices>,
    pub(crate) clients: &'a Clients,
    pub(crate) deployments: &'a Deployments,
    pub(crate) store: &'a Arc<Store>,
}

impl Market {
    /// Puts the market together and begins to read what it needs, until `stop`.
    pub(crate) fn open(
        parts: &MarketParts<'_>,
        makers: Vec<Maker>,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let MarketParts { config, catalog, clients, deployments, .. } = *parts;
        let Deployments { evm: contracts, solana: program } = deployments;
        let Prices { feed, sources } =
            Prices::open(config, catalog, Arc::clone(&parts.fixed), clients, stop)?;
        let gas = Arc::new(Gas {
            evm: CachedGas::new(MAX_AGE, []),
            solana: CachedFees::new(MAX_AGE, SOLANA_SENDING.most_for_unit),
        });
        let vaults = Arc::new(CachedVaultRates::new(MAX_AGE, known_vaults(catalog, contracts)));
        let prices: Arc<dyn PriceFeed> =
            Arc::new(VaultPrices::new(feed, vaults.clone(), vault_decimals(catalog, contracts)));
        let tokens = served_tokens(catalog, deployments);
        let listed = || tokens.iter().map(|(_, token)| (token.id, token.decimals));
        // The sandbox makes its tokens of the catalog.
        let decimals =
            if config.mode == Mode::Sandbox { TokenDecimals::new([]) } else { TokenDecimals::new(listed()) };
        let oddities = Arc::new(Oddities { mints: CachedMints::new(listed()), decimals });
        let mut market = Self {
            prices,
            price_sources: sources,
            fillers: Vec::new(),
            inventory: Vec::new(),
            known: known_fillers(&makers),
            gas,
            oddities,
        };
        keep_readings(&market, &vaults, clients, contracts, stop);
        if let (Some(rpc), Some(there)) = (&clients.solana, program) {
            keep_solana_readings(&market, rpc, there, stop);
        }
        let chains = chain_terms(config, deployments);
        for maker in makers {
            market.join(parts, maker, &vaults, &chains, &tokens, stop)?;
        }
        Ok(market)
    }

    /// Lets a market maker trade what it serves.
    fn join(
        &mut self,
        parts: &MarketParts<'_>,
        maker: Maker,
        vaults: &Arc<CachedVaultRates>,
        chains: &HashMap<ChainId, ChainTerms>,
        tokens: &[(String, ServedToken)],
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let name = maker.settings.name.clone();
        let is_known = |own: &String| tokens.iter().any(|(coin, token)| coin == own || token.asset == *own);
        if let Some(unknown) = maker.coins.iter().find(|own| !is_known(own)) {
            bail!(
                "market_makers.{name}.coins: no chain that has our contracts has a well-known coin `{unknown}`"
            );
        }
        let mut chains = chains.clone();
        chains.retain(|chain, _| maker.serves(*chain));
        let served = |(coin, token): &&(String, ServedToken)| {
            maker.serves(token.id.chain()) && maker.trades(coin, &token.asset)
        };
        let tokens: Vec<ServedToken> = tokens.iter().filter(served).map(|(_, token)| token.clone()).collect();
        if tokens.is_empty() {
            tracing::warn!(
                filler = name,
                "the market maker serves no token of any chain that has our contracts"
            );
        }
        let book = Arc::new(Book::new(MAX_AGE));
        let equipment = Equipment {
            chains,
            tokens: tokens.clone(),
            accounts: maker.accounts,
            prices: Arc::clone(&self.prices),
            gas: self.gas.clone(),
            vaults: vaults.clone(),
            oddities: self.oddities.clone(),
            book: Arc::clone(&book),
            unclaimed: Arc::new(Unclaimed::default()),
        };
        let tokens = by_chain(&tokens);
        let sources = BookSources {
            filler: name.clone(),
            readers: parts.clients.readers(),
            reservations: parts.store.clone(),
            accounts: maker.accounts,
            tokens: tokens.clone(),
        };
        tokio::spawn(keep_book(Arc::clone(&book), sources, EVERY, stop.clone()));
        let filler = InventoryFiller::new(maker.settings, equipment);
        let filler = Arc::new(filler.with_context(|| format!("the market maker {name} cannot trade"))?);
        self.fillers.push(filler.clone());
        self.inventory.push(MarketMaker { filler, keys: maker.keys, name, book, tokens });
        Ok(())
    }

    pub(crate) fn gas(&self) -> Arc<dyn GasFeed> {
        self.gas.clone()
    }

    /// Waits until the fillers know what they hold and what gas costs, so that the first ask is answered like any other.
    pub(crate) async fn ready(&self) {
        let known = || {
            self.inventory.iter().flat_map(|maker| maker.samples().map(move |token| (maker, token))).all(
                |(maker, token)| {
                    let held = maker.book.holding(&token).is_some();
                    held && self.gas.price(token.chain()).is_some() && self.oddities.is_read(&token)
                },
            )
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
        self.inventory.iter().for_each(MarketMaker::tell_what_is_missing);
    }
}

impl MarketMaker {
    /// One token of every chain that it serves, and on Solana a mint beside the coin.
    fn samples(&self) -> impl Iterator<Item = TokenId> {
        let first = self.tokens.values().filter_map(|tokens| tokens.first().copied());
        first.chain(self.tokens.values().flatten().copied().find(is_mint))
    }

    /// Warns of chains on which it has nothing to deliver. What is not known yet is not complained about.
    fn tell_what_is_missing(&self) {
        let filler = self.name.as_str();
        for (chain, tokens) in &self.tokens {
            let held: Option<Vec<RawAmount>> =
                tokens.iter().map(|token| Some(self.book.holding(token)?.held)).collect();
            if held.is_some_and(|held| held.iter().all(|amount| amount.is_zero())) {
                tracing::warn!(filler, %chain, "the market maker holds nothing here: it delivers nothing until it does");
            }
        }
    }
}

fn keep_readings(
    market: &Market,
    vaults: &Arc<CachedVaultRates>,
    clients: &Clients,
    contracts: &[Deployment],
    stop: &CancellationToken,
) {
    let evm: Vec<_> = contracts.iter().filter_map(|there| clients.evm(there.chain).cloned()).collect();
    if evm.is_empty() {
        return;
    }
    let (gas, vaults, stop) = (Arc::clone(&market.gas), Arc::clone(vaults), stop.clone());
    let oddities = Arc::clone(&market.oddities);
    tokio::spawn(async move {
        let decimals = oddities.decimals.read(&evm);
        let readings = async { tokio::join!(gas.evm.keep(&evm, EVERY), vaults.keep(&evm, EVERY), decimals) };
        stop.run_until_cancelled(readings).await;
    });
}

fn keep_solana_readings(
    market: &Market,
    rpc: &SolanaRpc,
    there: &SolanaDeployment,
    stop: &CancellationToken,
) {
    let (gas, rpc, stop) = (Arc::clone(&market.gas), rpc.clone(), stop.clone());
    let oddities = Arc::clone(&market.oddities);
    let program = EscrowProgram::new(there.program.0.into());
    tokio::spawn(async move {
        let fees = gas.solana.keep(&rpc, program, EVERY);
        let readings = async { tokio::join!(fees, oddities.mints.keep(&rpc, MINTS_EVERY)) };
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

/// What is done on every chain that has our contracts.
fn chain_terms(config: &Config, deployments: &Deployments) -> HashMap<ChainId, ChainTerms> {
    let methods = deposit_methods(deployments).into_iter();
    methods.map(|(chain, methods)| (chain, trust::terms(config.mode, chain, methods))).collect()
}
