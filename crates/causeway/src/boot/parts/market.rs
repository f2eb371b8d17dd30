mod decimals;
mod token_signing;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::ports::{Filler, GasFeed, PriceFeed, Refusal, TokenPolicy};
use causeway_domain::{
    ChainId, Deployment, DepositMethod, Family, RawAmount, SOLANA_CHAIN_ID, SolanaDeployment, TokenId,
    UsdAmount,
};
use causeway_engine::{ChainCursors, KnownFiller};
use causeway_evm::{CachedGas, CachedVaultRates};
use causeway_fillers::inventory::{
    Book, BookSources, Breaker, Breakers, ChainTerms, FillerDependencies, InventoryConfig, InventoryFiller,
    ServedToken, Unclaimed, refresh_book,
};
use causeway_http::Metrics;
use causeway_prices::{FixedPrices, PolledSource, VaultPrices};
use causeway_solana::orders::{CachedMints, MintError};
use causeway_solana::program::EscrowProgram;
use causeway_solana::{CachedFees, SolanaRpc};
use causeway_store::Store;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::{ChainPolicies, SOLANA_SENDING};
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::market::decimals::TokenDecimals;
use crate::boot::parts::market::token_signing::TokenSigning;
use crate::boot::parts::market::tokens::{known_vaults, served_tokens, vault_decimals};
use crate::boot::parts::market_makers::{HotKeys, MarketMakerSpec, known_fillers};
use crate::boot::parts::prices::Prices;

/// How often gas prices, vault rates and balances are read, and how long a reading is valid.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);
const MAX_AGE: Duration = Duration::from_mins(1);

/// How long the start waits for the first readings.
const READY_TIMEOUT: Duration = Duration::from_secs(15);

/// How often mints on Solana are read; they rarely change.
const MINT_POLL_INTERVAL: Duration = Duration::from_mins(1);

/// The largest order from a chain that is known through one endpoint that is not trusted: $100.
const SINGLE_ENDPOINT_CAP: UsdAmount =
    UsdAmount::from_cents(RawAmount::new(U256::from_limbs([10_000, 0, 0, 0])));

/// What quotes need: prices, and fillers with their balances.
pub(crate) struct Market {
    pub(crate) prices: Arc<dyn PriceFeed>,
    /// The sources of the prices.
    pub(crate) price_sources: Vec<Arc<PolledSource>>,
    pub(crate) fillers: Vec<Arc<dyn Filler>>,
    /// Our own fillers, with their keys.
    pub(crate) inventory: Vec<MarketMaker>,
    /// Our own fillers by on-chain account.
    pub(crate) known: Vec<KnownFiller>,
    gas: Arc<Gas>,
    unsupported_tokens: Arc<UnsupportedTokens>,
}

/// Tokens whose on-chain behaviour rules out trading.
struct UnsupportedTokens {
    mints: CachedMints,
    decimals: TokenDecimals,
    signing: TokenSigning,
}

impl TokenPolicy for UnsupportedTokens {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        TokenPolicy::refusal(&self.mints, token).or_else(|| self.decimals.refusal(token))
    }

    fn signed_methods(&self, token: &TokenId) -> Vec<DepositMethod> {
        self.signing.methods(token)
    }
}

impl UnsupportedTokens {
    fn is_read(&self, token: &TokenId) -> bool {
        self.mints.error_for(token) != Some(MintError::NotChecked) && self.decimals.is_read(token)
    }
}

/// Registers the circuit breakers of our market makers (rule 30).
pub(crate) fn watch_breakers(metrics: &Metrics, market: &Market) {
    let fillers: Vec<_> = market.inventory.iter().map(|maker| Arc::clone(&maker.filler)).collect();
    let read = move || {
        let states = |filler: &Arc<InventoryFiller>| {
            let name = filler.name().to_owned();
            let gauge = move |(chain, breaker, open): (ChainId, Breaker, bool)| {
                ([name.clone(), chain.to_string(), breaker.as_str().to_owned()], i64::from(open))
            };
            filler.breaker_states().into_iter().map(gauge).collect::<Vec<_>>()
        };
        fillers.iter().flat_map(states).collect()
    };
    let help = "Whether a circuit breaker is open: 1 while there are no new quotes on the chain";
    metrics.register_gauges("breaker_open", help, ["filler", "chain", "breaker"], read);
}

/// Registers what our market makers hold, in dollars and free of reservations.
pub(crate) fn watch_inventory(metrics: &Metrics, market: &Market) {
    let makers = market.inventory.iter().map(|maker| (Arc::clone(&maker.filler), maker.tokens.clone()));
    let makers: Vec<_> = makers.collect();
    let read = move || {
        let gauge = |filler: &InventoryFiller, token: &TokenId| {
            let dollars = filler.free_usd(token)?.cents().get().checked_div(U256::from(100))?;
            let labels = [filler.name().to_owned(), token.chain().to_string(), token.address().to_string()];
            Some((labels, i64::try_from(dollars).ok()?))
        };
        let held = makers.iter().flat_map(|(filler, tokens)| {
            tokens.values().flatten().filter_map(move |token| gauge(filler, token))
        });
        held.collect()
    };
    let help = "What a market maker holds of a token, free of reservations, in dollars";
    metrics.register_gauges("inventory_usd", help, ["filler", "chain", "token"], read);
}

/// Registers which chains are halted (rule 29).
pub(crate) fn watch_halted(metrics: &Metrics, catalog: &Catalog, cursors: &Arc<ChainCursors>) {
    let chains: Vec<ChainId> = catalog.snapshot().chains().iter().map(|chain| chain.id).collect();
    let cursors = Arc::clone(cursors);
    let read = move || {
        let gauge = |chain: &ChainId| ([chain.to_string()], i64::from(cursors.is_halted(*chain)));
        chains.iter().map(gauge).collect()
    };
    let help = "Whether a chain is halted: 1 after its nodes contradicted a final block";
    metrics.register_gauges("chain_halted", help, ["chain"], read);
}

/// A running market maker of our own.
pub(crate) struct MarketMaker {
    pub(crate) filler: Arc<InventoryFiller>,
    pub(crate) keys: HotKeys,
    pub(crate) name: String,
    book: Arc<Book>,
    /// Its tokens by chain.
    tokens: HashMap<ChainId, Vec<TokenId>>,
}

/// The inputs of [`Market::open`].
pub(crate) struct MarketParts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) catalog: &'a Catalog,
    pub(crate) fixed: Arc<FixedPrices>,
    pub(crate) clients: &'a ChainClients,
    pub(crate) deployments: &'a Deployments,
    pub(crate) store: &'a Arc<Store>,
}

impl Market {
    /// Creates the market and polls what it needs until `stop`.
    pub(crate) fn open(
        parts: &MarketParts<'_>,
        makers: Vec<MarketMakerSpec>,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let MarketParts { config, catalog, clients, deployments, .. } = *parts;
        let Deployments { evm: contracts, solana: program } = deployments;
        let Prices { feed, sources } =
            Prices::open(config, catalog, Arc::clone(&parts.fixed), clients, stop)?;
        let gas = Arc::new(Gas {
            evm: CachedGas::new(MAX_AGE, []),
            solana: CachedFees::new(MAX_AGE, SOLANA_SENDING.max_compute_unit_price),
        });
        let vaults = Arc::new(CachedVaultRates::new(MAX_AGE, known_vaults(catalog, contracts)));
        let prices: Arc<dyn PriceFeed> =
            Arc::new(VaultPrices::new(feed, vaults.clone(), vault_decimals(catalog, contracts)));
        let tokens = served_tokens(catalog, deployments);
        let listed = || tokens.iter().map(|(_, token)| (token.id, token.decimals));
        // Sandbox tokens are created from the catalog.
        let decimals =
            if config.mode == Mode::Sandbox { TokenDecimals::new([]) } else { TokenDecimals::new(listed()) };
        let signing = TokenSigning::new(listed().map(|(token, _)| token));
        let mints = CachedMints::new(listed());
        let unsupported_tokens = Arc::new(UnsupportedTokens { mints, decimals, signing });
        let mut market = Self {
            prices,
            price_sources: sources,
            fillers: Vec::new(),
            inventory: Vec::new(),
            known: known_fillers(&makers),
            gas,
            unsupported_tokens,
        };
        spawn_evm_readers(&market, &vaults, clients, contracts, stop);
        if let (Some(rpc), Some(deployment)) = (&clients.solana, program) {
            spawn_solana_readers(&market, rpc, deployment, stop);
        }
        let single = clients.resting_on_one_endpoint();
        let chains = chain_terms(&ChainPolicies::of(config.mode, catalog), deployments, &single)?;
        for maker in makers {
            market.add_market_maker(parts, maker, &vaults, &chains, &tokens, stop)?;
        }
        Ok(market)
    }

    /// Starts a market maker for the tokens it serves.
    fn add_market_maker(
        &mut self,
        parts: &MarketParts<'_>,
        maker: MarketMakerSpec,
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
        let deps = FillerDependencies {
            chains,
            tokens: tokens.clone(),
            accounts: maker.accounts,
            prices: Arc::clone(&self.prices),
            gas: self.gas.clone(),
            vaults: vaults.clone(),
            token_policy: self.unsupported_tokens.clone(),
            book: Arc::clone(&book),
            unclaimed: Arc::new(Unclaimed::default()),
            breakers: Breakers::default(),
            claim_sizes: Arc::default(),
        };
        let tokens = by_chain(&tokens);
        let sources = BookSources {
            filler: name.clone(),
            readers: parts.clients.own_balances(),
            reservations: parts.store.clone(),
            accounts: maker.accounts,
            tokens: tokens.clone(),
        };
        tokio::spawn(refresh_book(Arc::clone(&book), sources, REFRESH_INTERVAL, stop.clone()));
        let settings =
            InventoryConfig { breakers: parts.config.breakers.limits(parts.config.mode)?, ..maker.settings };
        let filler = InventoryFiller::new(settings, deps);
        let filler = Arc::new(filler.with_context(|| format!("the market maker {name} cannot trade"))?);
        self.fillers.push(filler.clone());
        self.inventory.push(MarketMaker { filler, keys: maker.keys, name, book, tokens });
        Ok(())
    }

    pub(crate) fn gas(&self) -> Arc<dyn GasFeed> {
        self.gas.clone()
    }

    /// Waits until balances and gas prices are known, so that the first quote is complete.
    pub(crate) async fn ready(&self) {
        let known = || {
            self.inventory.iter().flat_map(|maker| maker.samples().map(move |token| (maker, token))).all(
                |(maker, token)| {
                    let held = maker.book.holding(&token).is_some();
                    held && self.gas.price(token.chain()).is_some() && self.unsupported_tokens.is_read(&token)
                },
            )
        };
        let wait = async {
            while !known() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        if tokio::time::timeout(READY_TIMEOUT, wait).await.is_err() {
            tracing::warn!("balances of some chains are not known yet; their routes follow");
        }
        self.inventory.iter().for_each(MarketMaker::warn_about_empty_balances);
    }
}

impl MarketMaker {
    /// One token of every served chain, and on Solana also a mint.
    fn samples(&self) -> impl Iterator<Item = TokenId> {
        let first = self.tokens.values().filter_map(|tokens| tokens.first().copied());
        first.chain(self.tokens.values().flatten().copied().find(is_mint))
    }

    /// Warns about chains where all known balances are zero.
    fn warn_about_empty_balances(&self) {
        let filler = self.name.as_str();
        for (chain, tokens) in &self.tokens {
            let held: Option<Vec<RawAmount>> =
                tokens.iter().map(|token| Some(self.book.holding(token)?.held)).collect();
            if held.is_some_and(|held| held.iter().all(|amount| amount.is_zero())) {
                tracing::warn!(filler, %chain, "market maker holds no tokens on the chain and cannot fill there");
            }
        }
    }
}

fn spawn_evm_readers(
    market: &Market,
    vaults: &Arc<CachedVaultRates>,
    clients: &ChainClients,
    contracts: &[Deployment],
    stop: &CancellationToken,
) {
    let evm: Vec<_> =
        contracts.iter().filter_map(|deployment| clients.evm(deployment.chain).cloned()).collect();
    if evm.is_empty() {
        return;
    }
    let (gas, vaults, stop) = (Arc::clone(&market.gas), Arc::clone(vaults), stop.clone());
    let unsupported_tokens = Arc::clone(&market.unsupported_tokens);
    tokio::spawn(async move {
        let decimals = unsupported_tokens.decimals.read(&evm);
        let signing = unsupported_tokens.signing.read(&evm);
        let fees = gas.evm.run(&evm, REFRESH_INTERVAL);
        let readings = async { tokio::join!(fees, vaults.run(&evm, REFRESH_INTERVAL), decimals, signing) };
        stop.run_until_cancelled(readings).await;
    });
}

fn spawn_solana_readers(
    market: &Market,
    rpc: &SolanaRpc,
    deployment: &SolanaDeployment,
    stop: &CancellationToken,
) {
    let (gas, rpc, stop) = (Arc::clone(&market.gas), rpc.clone(), stop.clone());
    let unsupported_tokens = Arc::clone(&market.unsupported_tokens);
    let program = EscrowProgram::new(deployment.program.0.into());
    tokio::spawn(async move {
        let fees = gas.solana.run(&rpc, program, REFRESH_INTERVAL);
        let readings = async { tokio::join!(fees, unsupported_tokens.mints.run(&rpc, MINT_POLL_INTERVAL)) };
        stop.run_until_cancelled(readings).await;
    });
}

/// Gas prices of each chain.
struct Gas {
    evm: CachedGas,
    solana: CachedFees,
}

impl GasFeed for Gas {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        match chain.family() {
            Family::Evm => self.evm.price(chain),
            Family::Solana => self.solana.price(chain),
            Family::Bitcoin | Family::Tron => None,
        }
    }

    fn byte_price(&self, chain: ChainId) -> Option<RawAmount> {
        match chain.family() {
            Family::Evm => self.evm.byte_price(chain),
            Family::Solana => self.solana.byte_price(chain),
            Family::Bitcoin | Family::Tron => None,
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

/// The deposit methods of every chain with our contracts.
pub(crate) fn deposit_methods(deployments: &Deployments) -> HashMap<ChainId, Vec<DepositMethod>> {
    let mut methods: HashMap<_, _> =
        deployments.evm.iter().map(|deployment| (deployment.chain, contract_methods(deployment))).collect();
    methods.extend(deployments.solana.iter().map(|deployment| (deployment.chain, program_methods())));
    methods
}

fn contract_methods(deployment: &Deployment) -> Vec<DepositMethod> {
    let mut methods = vec![DepositMethod::ContractCall];
    methods.extend(deployment.permit2.map(|_| DepositMethod::Permit2));
    methods.extend(deployment.transfers.then_some(DepositMethod::Transfer));
    methods
}

/// Solana deposit addresses derive from the order alone, so transfers always work.
fn program_methods() -> Vec<DepositMethod> {
    vec![DepositMethod::ContractCall, DepositMethod::Transfer]
}

/// The terms of every chain with our contracts.
fn chain_terms(
    policies: &ChainPolicies,
    deployments: &Deployments,
    single: &HashSet<ChainId>,
) -> anyhow::Result<HashMap<ChainId, ChainTerms>> {
    let methods = deposit_methods(deployments).into_iter();
    let terms = |(chain, methods)| {
        let terms = policies.chain_terms(chain, methods)?;
        if !single.contains(&chain) {
            return Ok((chain, terms));
        }
        tracing::warn!(%chain, "one RPC endpoint that is not trusted: orders from this chain are limited to $100");
        Ok((chain, capped(terms)))
    };
    methods.map(terms).collect()
}

/// One endpoint could invent a deposit, so it is believed for small orders only (rule 27).
fn capped(terms: ChainTerms) -> ChainTerms {
    let cap = SINGLE_ENDPOINT_CAP;
    ChainTerms { order_cap: Some(terms.order_cap.map_or(cap, |known| known.min(cap))), ..terms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_27_one_endpoint_that_nobody_trusts_takes_orders_up_to_a_hundred_dollars() {
        let chain = ChainId::new(8453).unwrap();
        let terms = |cap: Option<&str>| ChainTerms {
            order_cap: cap.map(|cap| cap.parse().unwrap()),
            ..ChainTerms::new(chain, 2, Vec::new())
        };
        for (before, after) in [(None, "100.00"), (Some("10000"), "100.00"), (Some("50"), "50.00")] {
            assert_eq!(capped(terms(before)).order_cap.unwrap().to_string(), after);
        }
    }
}
