use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    AddressWatch, Attestations, BalanceReader, ChainFollower, ChainStore as _, ClaimBatchStore as _,
    DepositBuilder, Filler as _, FinalityTier, ForwardingSigner, OrderExecutor, OrderStore as _, TxSender,
};
use causeway_domain::{ChainId, Deployment, QuoteKeys, RouteSeal, RowKeys, SolanaDeployment, TokenId};
use causeway_engine::{
    Adopt, BookParts, BuildDeposit, BuildParts, ChainCursors, CompareGas, ExecutorRegistry, FollowParts,
    ForwardFunds, Liquidity, OrderTiming, RentParts, SenderScreening, SubmitDeposit, SubmitParts, Ticker,
    WatchAddresses, WorkOrders, WorkParts, follow_chain, poll_pending_transactions, return_rent,
    sync_intent_book,
};
use causeway_evm::orders::{
    EvmAddressWatch, EvmDepositBuilder, EvmForwardingSigner, EvmIntentBook, EvmTxSender, OrderFollower,
};
use causeway_evm::{EvmAccountKey, EvmClient};
use causeway_fillers::inventory::{InventoryExecutor, InventoryFiller, OutflowWindow};
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{
    SolanaAddressWatch, SolanaDepositBuilder, SolanaForwardingSigner, SolanaOrderFollower, SolanaRentReader,
    SolanaTxSender,
};
use causeway_store::Store;
use jiff::Timestamp;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::account_keys::AccountKey;
use crate::boot::parts::app_context::AppContext;
use crate::boot::parts::chain_policy::{ChainPolicies, SOLANA_SENDING, order_timing};
use crate::boot::parts::keys::quote_keys;
use crate::boot::parts::market::{Market, MarketMaker};
use crate::boot::parts::recovery::{adopt, chain_records, quote_key_file};
use crate::boot::parts::signing_policy::KeyPolicy;

/// How often pending transactions are polled.
const PENDING_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often what limits the fillers is summed up: unclaimed fills, and what left in the last hour.
const SUMS_INTERVAL: Duration = Duration::from_secs(1);

/// Above so many unclaimed fills only every so many-th time, because each of them is read.
const MANY_OWED: usize = 1_000;
const MANY_OWED_EVERY: u32 = 5;

/// How often the sizes of recent claims are read, and how many of each chain.
const CLAIM_SIZES_INTERVAL: Duration = Duration::from_secs(30);
const RECENT_CLAIMS: u32 = 32;

/// How often accounts to close are searched.
const RENT_INTERVAL: Duration = Duration::from_secs(10);

/// How long the background tasks may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Everything that takes an order from build to end.
pub(crate) struct Orders {
    mode: Mode,
    policies: ChainPolicies,
    /// What its keys may do.
    key_policy: KeyPolicy,
    catalog: Arc<Catalog>,
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    pub(crate) quote_keys: QuoteKeys,
    /// Seals routes with the current quote key and opens those of all.
    pub(crate) seal: Arc<RouteSeal>,
    timing: OrderTiming,
    pub(crate) deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    /// Sign the forwarding orders of purchases.
    pub(crate) forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    pub(crate) relayers: HashMap<ChainId, Arc<dyn TxSender>>,
    pub(crate) executors: ExecutorRegistry,
    /// The transaction senders of the fillers.
    tx_senders: Vec<Arc<dyn TxSender>>,
    pub(crate) cursors: Arc<ChainCursors>,
    /// Compares what orders were charged for gas with what was spent.
    pub(crate) compare_gas: Arc<CompareGas>,
    /// Adopts deposits that the store does not know.
    adopt: Option<Adopt>,
    address_watches: HashMap<ChainId, Arc<dyn AddressWatch>>,
    /// The providers that settle orders themselves.
    liquidity: Liquidity,
    tasks: JoinSet<()>,
}

impl Orders {
    /// Creates it. Without contracts or attesters there are no orders.
    pub(crate) fn open(context: &AppContext<'_>) -> anyhow::Result<Self> {
        let AppContext { config, catalog, store, row_keys, .. } = *context;
        let quote_keys = quote_keys(&quote_key_file(config))?;
        let seal = Arc::new(RouteSeal::new(&quote_keys));
        let compare_gas = CompareGas::new(store.clone(), store.clone(), store.clone(), Arc::clone(&seal));
        let mut orders = Self {
            mode: config.mode,
            policies: ChainPolicies::of(config.mode, catalog),
            key_policy: KeyPolicy::new(config, context.deployments, Some(store.clone()))?,
            catalog: Arc::clone(catalog),
            store: Arc::clone(store),
            row_keys: Arc::clone(row_keys),
            seal,
            quote_keys,
            timing: order_timing(config),
            deposit_builders: HashMap::new(),
            forwarding_signers: HashMap::new(),
            relayers: HashMap::new(),
            executors: ExecutorRegistry::default(),
            tx_senders: Vec::new(),
            cursors: Arc::default(),
            compare_gas: Arc::new(compare_gas),
            adopt: None,
            address_watches: HashMap::new(),
            liquidity: context.liquidity.clone(),
            tasks: JoinSet::new(),
        };
        let (Some(attestations), Some(keys)) = (&context.attestations, context.keys) else {
            return Ok(orders);
        };
        if let Some(unchecked) = context.unchecked {
            unchecked.close(&orders.cursors);
        }
        let (contracts, program) = (evm_contracts(context), program(context));
        let maker = orders.key_policy.limit("maker", &keys.maker);
        for (client, deployment) in &contracts {
            let relayer = orders.key_policy.limit("relayer", keys.relayer()?).evm()?;
            let builder = EvmDepositBuilder::new(client.clone(), deployment.clone(), relayer.address());
            orders.deposit_builders.insert(deployment.chain, Arc::new(builder));
            orders.relayers.insert(deployment.chain, orders.tx_sender(client, deployment, relayer)?);
            if deployment.transfers {
                let builder = EvmForwardingSigner::new(deployment.clone(), maker.evm()?);
                orders.forwarding_signers.insert(deployment.chain, Arc::new(builder));
            }
        }
        let records = chain_records(&orders.policies, &contracts, program.as_ref())?;
        let (quote_keys, known) = (orders.quote_keys.clone(), context.market.known.clone());
        orders.adopt = Some(adopt(config, store, records, quote_keys, row_keys, known, false));
        if let Some((rpc, deployment)) = &program {
            orders
                .deposit_builders
                .insert(deployment.chain, Arc::new(SolanaDepositBuilder::new(rpc.clone(), deployment)));
            let relayer =
                orders.solana_tx_sender(rpc, deployment, "relayer.solana", keys.solana_relayer()?)?;
            orders.relayers.insert(deployment.chain, relayer);
            let forwarding_signer = SolanaForwardingSigner::new(deployment, maker.signer())?;
            orders.forwarding_signers.insert(deployment.chain, Arc::new(forwarding_signer));
        }
        for maker in &context.market.inventory {
            orders.add_executor(maker, &contracts, program.as_ref(), attestations)?;
        }
        Ok(orders)
    }

    /// Registers the executor of a market maker, with a sender for every chain it has a key for.
    fn add_executor(
        &mut self,
        maker: &MarketMaker,
        contracts: &[(EvmClient, Deployment)],
        program: Option<&(SolanaRpc, SolanaDeployment)>,
        attestations: &Arc<dyn Attestations>,
    ) -> anyhow::Result<()> {
        let mut tx_senders = HashMap::new();
        let role = format!("market_makers.{}", maker.name);
        if let Some(key) = &maker.keys.evm {
            let key = self.key_policy.limit(&role, key);
            for (client, deployment) in contracts {
                tx_senders.insert(deployment.chain, self.tx_sender(client, deployment, key.evm()?)?);
            }
        }
        if let (Some(key), Some((rpc, deployment))) = (&maker.keys.solana, program) {
            tx_senders.insert(
                deployment.chain,
                self.solana_tx_sender(rpc, deployment, &format!("{role}.solana"), key)?,
            );
        }
        self.tx_senders.extend(tx_senders.values().cloned());
        let executor = InventoryExecutor::new(
            Arc::clone(&maker.filler),
            self.store.clone(),
            tx_senders,
            Arc::clone(attestations),
            self.quote_keys.clone(),
        );
        let executor =
            executor.with_claim_senders(self.relayers.clone()).with_claim_batches(self.store.clone());
        let executor: Arc<dyn OrderExecutor> = Arc::new(executor);
        self.executors.put(&executor);
        Ok(())
    }

    fn tx_sender(
        &self,
        client: &EvmClient,
        deployment: &Deployment,
        signer: EvmAccountKey,
    ) -> anyhow::Result<Arc<dyn TxSender>> {
        let (outbox, policy) = (self.store.clone(), self.policies.send_policy(deployment.chain)?);
        let sender = EvmTxSender::new(client.clone(), signer, outbox, policy, vec![deployment.clone()]);
        Ok(Arc::new(sender.with_fee_observer(self.compare_gas.clone())))
    }

    fn solana_tx_sender(
        &self,
        rpc: &SolanaRpc,
        deployment: &SolanaDeployment,
        role: &str,
        key: &AccountKey,
    ) -> anyhow::Result<Arc<dyn TxSender>> {
        let (key, outbox) = (self.key_policy.limit(role, key).solana()?, self.store.clone());
        let programs = std::slice::from_ref(deployment);
        let sender = SolanaTxSender::new(rpc.clone(), key, outbox, SOLANA_SENDING, programs);
        Ok(Arc::new(sender.with_fee_observer(self.compare_gas.clone())))
    }

    pub(crate) fn build_deposit(&self, market: &Market) -> BuildDeposit {
        let build = BuildDeposit::new(BuildParts {
            catalog: Arc::clone(&self.catalog),
            seal: Arc::clone(&self.seal),
            orders: self.store.clone(),
            deposit_builders: self.deposit_builders.clone(),
            executors: self.executors.clone(),
            prices: Arc::clone(&market.prices),
            row_keys: Arc::clone(&self.row_keys),
            quote_keys: self.quote_keys.clone(),
            timing: self.timing.clone(),
        });
        build
            .with_chain_demand(self.cursors.demand())
            .with_cursors(Arc::clone(&self.cursors))
            .with_liquidity(self.liquidity.clone())
            .with_forwarding_signers(self.forwarding_signers.clone())
    }

    pub(crate) fn submit_deposit(&self) -> SubmitDeposit {
        let submit = SubmitDeposit::new(SubmitParts {
            seal: Arc::clone(&self.seal),
            orders: self.store.clone(),
            deposit_builders: self.deposit_builders.clone(),
            relayers: self.relayers.clone(),
            row_keys: Arc::clone(&self.row_keys),
        });
        submit.with_liquidity(self.liquidity.clone())
    }

    /// Follows the chains and works on orders until `stop`.
    pub(crate) async fn start(
        &mut self,
        context: &AppContext<'_>,
        forwarding: &Arc<ForwardFunds>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let market = context.market;
        let cursors = Arc::clone(&self.cursors);
        if let Some(unchecked) = context.unchecked {
            let (clients, until) = (context.clients.clone(), stop.clone());
            self.tasks.spawn(unchecked.clone().recheck(clients, Arc::clone(&cursors), until));
        }
        for (client, deployment) in evm_contracts(context) {
            self.follow_evm(context.config, client, &deployment, stop).await?;
        }
        if let Some((rpc, deployment)) = program(context) {
            self.follow_solana(context.config, rpc.clone(), &deployment, stop).await?;
            self.return_rent(rpc, &deployment, stop);
        }
        let work = WorkOrders::new(WorkParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            executors: self.executors.clone(),
            relayers: self.relayers.clone(),
            deposit_builders: self.deposit_builders.clone(),
            forwarding_signers: self.forwarding_signers.clone(),
            attestations: context.attestations.clone(),
            prices: Arc::clone(&market.prices),
            gas: market.gas(),
            catalog: Arc::clone(&self.catalog),
            row_keys: Arc::clone(&self.row_keys),
            cursors,
        });
        let watches = self.address_watches.clone();
        let work = work
            .with_watches(watches.clone())
            .with_liquidity(self.liquidity.clone())
            .with_forwarding(Arc::clone(forwarding));
        let accepts_unknown = context.config.screening.accept_unknown_senders;
        let senders = context
            .screening
            .clone()
            .map(|screening| SenderScreening::new(screening, watches).accepting_unknown(accepts_unknown));
        let work = work.with_sender_screening(senders);
        let until = stop.clone();
        self.tasks.spawn(async move { work.run(until).await });
        let tx_senders: Vec<_> = self.tx_senders.iter().chain(self.relayers.values()).cloned().collect();
        if self.mode == Mode::Production {
            let (readers, tx_senders) = (context.clients.readers(), tx_senders.clone());
            let warn = async move { warn_about_unfunded_accounts(&readers, &tx_senders).await };
            let until = stop.clone();
            self.tasks.spawn(async move { until.run_until_cancelled(warn).await.unwrap_or_default() });
        }
        self.tasks.spawn(poll_pending_transactions(tx_senders, PENDING_POLL_INTERVAL, stop.clone()));
        let fillers: Vec<_> = market.inventory.iter().map(|filler| Arc::clone(&filler.filler)).collect();
        self.tasks.spawn(refresh_claim_sizes(self.store.clone(), fillers.clone(), stop.clone()));
        let cursors = Arc::clone(&self.cursors);
        self.tasks.spawn(refresh_outflows(self.store.clone(), fillers.clone(), stop.clone()));
        self.tasks.spawn(refresh_owed(self.store.clone(), fillers, cursors, stop.clone()));
        self.start_intent_book(context, stop);
        Ok(())
    }

    /// Closes accounts that no order needs, if a relayer pays for it.
    fn return_rent(&mut self, rpc: SolanaRpc, deployment: &SolanaDeployment, stop: &CancellationToken) {
        let Some(relayer) = self.relayers.get(&deployment.chain).cloned() else { return };
        let on_chain = |tx_sender: &&Arc<dyn TxSender>| tx_sender.chain() == deployment.chain;
        let parts = RentParts {
            rents: self.store.clone(),
            reader: Arc::new(SolanaRentReader::new(rpc, std::slice::from_ref(deployment))),
            relayer,
            fillers: self.tx_senders.iter().filter(on_chain).cloned().collect(),
            cursors: Arc::clone(&self.cursors),
        };
        self.tasks.spawn(return_rent(parts, RENT_INTERVAL, stop.clone()));
    }

    /// Records intent states in the hub's book, if a relayer pays for it.
    fn start_intent_book(&mut self, context: &AppContext<'_>, stop: &CancellationToken) {
        let hub = |deployment: &Deployment| Some((deployment.chain, deployment.hub.as_ref()?.intent_book));
        let Some((chain, book)) = context.deployments.evm.iter().find_map(hub) else { return };
        let writer = self.relayers.get(&chain).cloned();
        let Some((writer, client)) = writer.zip(context.clients.evm(chain)) else {
            tracing::info!(%chain, "no relayer on the hub, intent book not written");
            return;
        };
        let book = Arc::new(EvmIntentBook::new(client.clone(), book));
        let parts = BookParts { book_state: self.store.clone(), book, writer };
        let every = context.config.orders.intent_book_every(context.config.mode);
        self.tasks.spawn(sync_intent_book(parts, every, stop.clone()));
    }

    async fn follow_evm(
        &mut self,
        config: &Config,
        client: EvmClient,
        deployment: &Deployment,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let after = self.store.cursor(deployment.chain, FinalityTier::Large).await?;
        let deployments = std::slice::from_ref(deployment);
        let settings = self.policies.follow_config(deployment.chain, self.cursors.demand())?;
        let follower = OrderFollower::new(client.clone(), deployments, &settings, after);
        let watch =
            deployment.transfers.then(|| Arc::new(EvmAddressWatch::new(client)) as Arc<dyn AddressWatch>);
        self.follow(config, Box::new(follower), watch, stop);
        Ok(())
    }

    async fn follow_solana(
        &mut self,
        config: &Config,
        rpc: SolanaRpc,
        deployment: &SolanaDeployment,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let after = self.store.cursor(deployment.chain, FinalityTier::Large).await?;
        let settings = self.policies.solana_follow_config(self.cursors.demand());
        let deployments = std::slice::from_ref(deployment);
        let follower = SolanaOrderFollower::new(rpc.clone(), deployments, settings, after);
        let watch: Arc<dyn AddressWatch> = Arc::new(SolanaAddressWatch::new(rpc));
        self.follow(config, Box::new(follower), Some(watch), stop);
        Ok(())
    }

    fn follow(
        &mut self,
        config: &Config,
        follower: Box<dyn ChainFollower>,
        watch: Option<Arc<dyn AddressWatch>>,
        stop: &CancellationToken,
    ) {
        self.cursors.begin(follower.chain());
        if let Some(watch) = &watch {
            self.address_watches.insert(follower.chain(), Arc::clone(watch));
        }
        let watch = watch.map(|watch| {
            let snapshot = self.catalog.snapshot();
            let tokens = snapshot.top(&[follower.chain()]).into_iter().map(|listed| listed.token.id);
            let tokens: Vec<TokenId> = tokens.collect();
            let (orders, facts) = (self.store.clone(), self.store.clone());
            let cursors = Arc::clone(&self.cursors);
            WatchAddresses::new(watch, orders, facts, cursors, tokens, config.orders.watch())
        });
        let parts = FollowParts {
            facts: self.store.clone(),
            orders: self.store.clone(),
            executors: self.executors.clone(),
            cursors: Arc::clone(&self.cursors),
            adopt: self.adopt.clone(),
        };
        self.tasks.spawn(follow_chain(follower, watch, parts, stop.clone()));
    }

    /// Waits until all tasks have stopped.
    pub(crate) async fn wait_stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("work on orders did not stop in time; it continues at the next start");
        }
    }
}

/// Every EVM chain with a client and our contracts.
fn evm_contracts(context: &AppContext<'_>) -> Vec<(EvmClient, Deployment)> {
    let place =
        |deployment: &Deployment| Some((context.clients.evm(deployment.chain)?.clone(), deployment.clone()));
    context.deployments.evm.iter().filter_map(place).collect()
}

/// Solana, if it is enabled and has our program.
fn program(context: &AppContext<'_>) -> Option<(SolanaRpc, SolanaDeployment)> {
    context.clients.solana.clone().zip(context.deployments.solana.clone())
}

/// Warns about accounts without coins for gas; unreachable chains are skipped.
async fn warn_about_unfunded_accounts(readers: &[Arc<dyn BalanceReader>], tx_senders: &[Arc<dyn TxSender>]) {
    for tx_sender in tx_senders {
        let (chain, account) = (tx_sender.chain(), tx_sender.account());
        let Some(reader) = readers.iter().find(|reader| reader.chain() == chain) else { continue };
        if let Ok(held) = reader.balances(account, &[TokenId::native(chain)]).await
            && held.iter().all(|(_, amount)| amount.is_zero())
        {
            tracing::warn!(%chain, %account, "account has no coins for gas, nothing can be sent from it");
        }
    }
}

/// Updates the sizes of the fillers' recent claims, which the price of a claim is learned from.
async fn refresh_claim_sizes(store: Arc<Store>, fillers: Vec<Arc<InventoryFiller>>, stop: CancellationToken) {
    let mut ticker = Ticker::new(CLAIM_SIZES_INTERVAL, stop);
    while ticker.next().await {
        for filler in &fillers {
            for chain in filler.chains() {
                match store.claim_sizes(filler.name(), chain, RECENT_CLAIMS).await {
                    Ok(sizes) => filler.set_claim_sizes(chain, sizes),
                    Err(error) => tracing::warn!(%chain, %error, "sizes of claims cannot be read"),
                }
            }
        }
    }
}

/// Updates the fillers' unclaimed amounts, and those of them whose deposits are not final, which their limits depend on.
async fn refresh_owed(
    store: Arc<Store>,
    fillers: Vec<Arc<InventoryFiller>>,
    cursors: Arc<ChainCursors>,
    stop: CancellationToken,
) {
    let is_final = |chain, block| cursors.get(chain).is_some_and(|cursor| block <= cursor.number);
    let mut ticker = Ticker::new(SUMS_INTERVAL, stop);
    let mut skipped = 0;
    while ticker.next().await {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        match store.owed().await {
            Ok(owed) => {
                for filler in &fillers {
                    filler.update_unclaimed(&owed);
                    filler.update_unfinal_deposits(&owed, is_final);
                }
                skipped = if owed.len() > MANY_OWED { MANY_OWED_EVERY - 1 } else { 0 };
            }
            Err(error) => tracing::warn!(%error, "unclaimed amounts cannot be read"),
        }
    }
}

/// Updates what left in the last hour, of all replicas, which the fillers' breakers depend on.
async fn refresh_outflows(store: Arc<Store>, fillers: Vec<Arc<InventoryFiller>>, stop: CancellationToken) {
    let mut ticker = Ticker::new(SUMS_INTERVAL, stop);
    let mut window = OutflowWindow::default();
    while ticker.next().await {
        match window.read(store.as_ref(), Timestamp::now()).await {
            Ok(outflows) => fillers.iter().for_each(|filler| filler.update_outflows(&outflows)),
            Err(error) => tracing::warn!(%error, "what left the chains cannot be read"),
        }
    }
}
