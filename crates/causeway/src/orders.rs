use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    AddressWatch, Attestations, BalanceReader, Care, Carrier, DepositDesk, FactStore as _, Follow, Hand,
    JumpDesk, OrderStore as _,
};
use causeway_domain::{ChainId, Deployment, QuoteKeys, RowKeys, SolanaDeployment, TokenId};
use causeway_engine::{
    Adopt, BookParts, BuildDeposit, BuildParts, FollowParts, Hands, Marks, OrderTiming, RentParts, Screening,
    SubmitDeposit, SubmitParts, Turns, WatchAddresses, WorkOrders, WorkParts, follow_chain, keep_intent_book,
    return_rent, tend_carriers,
};
use causeway_evm::orders::{EvmAddressWatch, EvmCarrier, EvmDesk, EvmIntentBook, EvmJumpDesk, OrderFollower};
use causeway_evm::{EvmClient, Signer};
use causeway_fillers::inventory::{InventoryFiller, InventoryHand};
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{
    SolanaAddressWatch, SolanaCarrier, SolanaDesk, SolanaJumpDesk, SolanaOrderFollower, SolanaRents,
};
use causeway_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::chains::Clients;
use crate::config::{Config, Mode};
use crate::deployments::Deployments;
use crate::keys::{PrivateKey, quote_keys};
use crate::market::{Market, MarketMaker};
use crate::recovery::{adopt, chain_records, quote_key_file};
use crate::service_keys::ServiceKeys;
use crate::trust::{self, SOLANA_SENDING};

/// How often what was sent is looked after, and what the chains owe the fillers is added up.
const TEND_EVERY: Duration = Duration::from_secs(1);
const OWED_EVERY: Duration = Duration::from_secs(5);

/// How often accounts are looked for that are to be closed.
const RENT_EVERY: Duration = Duration::from_secs(10);

/// How long what runs for orders may take to stop.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// What orders are made and worked on with.
pub(crate) struct Surroundings<'a> {
    pub(crate) config: &'a Config,
    pub(crate) catalog: &'a Arc<Catalog>,
    pub(crate) clients: &'a Clients,
    pub(crate) deployments: &'a Deployments,
    pub(crate) market: &'a Market,
    /// Absent where no attester is known: then there are no orders either.
    pub(crate) attestations: Option<Arc<dyn Attestations>>,
    /// With which the service itself acts; absent where there are no orders.
    pub(crate) keys: Option<&'a ServiceKeys>,
    pub(crate) store: &'a Arc<Store>,
    pub(crate) row_keys: &'a Arc<RowKeys>,
    /// Who judges orders before they are made.
    pub(crate) screening: Option<Arc<Screening>>,
}

/// Everything that takes an order from its build to its end.
pub(crate) struct Orders {
    mode: Mode,
    catalog: Arc<Catalog>,
    store: Arc<Store>,
    row_keys: Arc<RowKeys>,
    pub(crate) quote_keys: QuoteKeys,
    timing: OrderTiming,
    pub(crate) desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    /// Where the money of purchases comes to.
    pub(crate) jump_desks: HashMap<ChainId, Arc<dyn JumpDesk>>,
    pub(crate) relayers: HashMap<ChainId, Arc<dyn Carrier>>,
    pub(crate) hands: Hands,
    /// Those of the fillers.
    carriers: Vec<Arc<dyn Carrier>>,
    pub(crate) marks: Arc<Marks>,
    /// Takes in deposits that were quoted before the store began.
    adopt: Option<Adopt>,
    tasks: JoinSet<()>,
}

impl Orders {
    /// Puts it together. Where there are no contracts, or nobody speaks for deliveries, there is nothing to do.
    pub(crate) fn open(around: &Surroundings<'_>) -> anyhow::Result<Self> {
        let Surroundings { config, catalog, store, row_keys, .. } = *around;
        let mut orders = Self {
            mode: config.mode,
            catalog: Arc::clone(catalog),
            store: Arc::clone(store),
            row_keys: Arc::clone(row_keys),
            quote_keys: quote_keys(&quote_key_file(config))?,
            timing: trust::timing(config),
            desks: HashMap::new(),
            jump_desks: HashMap::new(),
            relayers: HashMap::new(),
            hands: Hands::default(),
            carriers: Vec::new(),
            marks: Arc::default(),
            adopt: None,
            tasks: JoinSet::new(),
        };
        let (Some(attestations), Some(keys)) = (&around.attestations, around.keys) else {
            return Ok(orders);
        };
        let (places, program) = (places(around), program(around));
        for (client, there) in &places {
            let relayer = keys.relayer()?;
            let desk = EvmDesk::new(client.clone(), there.clone(), relayer.address());
            orders.desks.insert(there.chain, Arc::new(desk));
            orders.relayers.insert(there.chain, orders.carrier(client, there, relayer));
            if there.transfers {
                let desk = EvmJumpDesk::new(there.clone(), keys.maker.signer()?);
                orders.jump_desks.insert(there.chain, Arc::new(desk));
            }
        }
        let records = chain_records(config.mode, &places, program.as_ref());
        let (quote_keys, known) = (orders.quote_keys.clone(), around.market.known.clone());
        orders.adopt = Some(adopt(config, store, records, quote_keys, row_keys, known, false));
        if let Some((rpc, there)) = &program {
            orders.desks.insert(there.chain, Arc::new(SolanaDesk::new(rpc.clone(), there)));
            let relayer = orders.solana_carrier(rpc, there, keys.solana_relayer()?);
            orders.relayers.insert(there.chain, relayer);
            let jump_desk = SolanaJumpDesk::new(there, keys.maker.reveal())?;
            orders.jump_desks.insert(there.chain, Arc::new(jump_desk));
        }
        for maker in &around.market.inventory {
            orders.employ(maker, &places, program.as_ref(), attestations)?;
        }
        Ok(orders)
    }

    /// Gives a market maker its hand on every chain that it has a key for.
    fn employ(
        &mut self,
        maker: &MarketMaker,
        places: &[(EvmClient, Deployment)],
        program: Option<&(SolanaRpc, SolanaDeployment)>,
        attestations: &Arc<dyn Attestations>,
    ) -> anyhow::Result<()> {
        let mut carriers = HashMap::new();
        if let Some(key) = &maker.keys.evm {
            for (client, there) in places {
                carriers.insert(there.chain, self.carrier(client, there, key.signer()?));
            }
        }
        if let (Some(key), Some((rpc, there))) = (&maker.keys.solana, program) {
            carriers.insert(there.chain, self.solana_carrier(rpc, there, key));
        }
        self.carriers.extend(carriers.values().cloned());
        let hand: Arc<dyn Hand> = Arc::new(InventoryHand::new(
            Arc::clone(&maker.filler),
            self.store.clone(),
            self.store.clone(),
            carriers,
            Arc::clone(attestations),
            self.quote_keys.clone(),
        ));
        self.hands.put(&hand);
        Ok(())
    }

    fn carrier(&self, client: &EvmClient, there: &Deployment, signer: Signer) -> Arc<dyn Carrier> {
        let (outbox, policy) = (self.store.clone(), trust::sending(self.mode, there.chain));
        Arc::new(EvmCarrier::new(client.clone(), signer, outbox, policy, vec![there.clone()]))
    }

    fn solana_carrier(
        &self,
        rpc: &SolanaRpc,
        there: &SolanaDeployment,
        key: &PrivateKey,
    ) -> Arc<dyn Carrier> {
        let (key, outbox) = (key.solana(), self.store.clone());
        let programs = std::slice::from_ref(there);
        Arc::new(SolanaCarrier::new(rpc.clone(), key, outbox, SOLANA_SENDING, programs))
    }

    pub(crate) fn build_deposit(&self, market: &Market) -> BuildDeposit {
        let build = BuildDeposit::new(BuildParts {
            catalog: Arc::clone(&self.catalog),
            quotes: self.store.clone(),
            orders: self.store.clone(),
            desks: self.desks.clone(),
            hands: self.hands.clone(),
            prices: Arc::clone(&market.prices),
            row_keys: Arc::clone(&self.row_keys),
            quote_keys: self.quote_keys.clone(),
            timing: self.timing.clone(),
        });
        build.telling(self.marks.interest())
    }

    pub(crate) fn submit_deposit(&self) -> SubmitDeposit {
        SubmitDeposit::new(SubmitParts {
            quotes: self.store.clone(),
            orders: self.store.clone(),
            desks: self.desks.clone(),
            relayers: self.relayers.clone(),
            row_keys: Arc::clone(&self.row_keys),
        })
    }

    /// Begins to follow the chains and to work on orders, until `stop`.
    pub(crate) async fn start(
        &mut self,
        around: &Surroundings<'_>,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let market = around.market;
        let marks = Arc::clone(&self.marks);
        for (client, there) in places(around) {
            self.follow_evm(around.config, client, &there, stop).await?;
        }
        if let Some((rpc, there)) = program(around) {
            self.follow_solana(around.config, rpc.clone(), &there, stop).await?;
            self.return_rent(rpc, &there, stop);
        }
        let work = WorkOrders::new(WorkParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            hands: self.hands.clone(),
            relayers: self.relayers.clone(),
            desks: self.desks.clone(),
            jump_desks: self.jump_desks.clone(),
            attestations: around.attestations.clone(),
            prices: Arc::clone(&market.prices),
            gas: market.gas(),
            catalog: Arc::clone(&self.catalog),
            row_keys: Arc::clone(&self.row_keys),
            marks,
        });
        let (work, until) = (work.noting(self.store.clone()), stop.clone());
        self.tasks.spawn(async move { work.work(until).await });
        let carriers: Vec<_> = self.carriers.iter().chain(self.relayers.values()).cloned().collect();
        if self.mode == Mode::Production {
            let (readers, carriers) = (around.clients.readers(), carriers.clone());
            let tell = async move { tell_who_has_no_coins(&readers, &carriers).await };
            let until = stop.clone();
            self.tasks.spawn(async move { until.run_until_cancelled(tell).await.unwrap_or_default() });
        }
        self.tasks.spawn(tend_carriers(carriers, TEND_EVERY, stop.clone()));
        let fillers = market.inventory.iter().map(|filler| Arc::clone(&filler.filler)).collect();
        self.tasks.spawn(keep_owed(self.store.clone(), fillers, stop.clone()));
        self.keep_book(around, stop);
        Ok(())
    }

    /// Has accounts closed that nobody needs any more, where there is somebody to pay for it.
    fn return_rent(&mut self, rpc: SolanaRpc, there: &SolanaDeployment, stop: &CancellationToken) {
        let Some(relayer) = self.relayers.get(&there.chain).cloned() else { return };
        let on_chain = |carrier: &&Arc<dyn Carrier>| carrier.chain() == there.chain;
        let parts = RentParts {
            rents: self.store.clone(),
            reader: Arc::new(SolanaRents::new(rpc, std::slice::from_ref(there))),
            relayer,
            fillers: self.carriers.iter().filter(on_chain).cloned().collect(),
            marks: Arc::clone(&self.marks),
        };
        self.tasks.spawn(return_rent(parts, RENT_EVERY, stop.clone()));
    }

    /// Tells the hub's book where intents stand, where there is somebody to pay for it.
    fn keep_book(&mut self, around: &Surroundings<'_>, stop: &CancellationToken) {
        let hub = |there: &Deployment| Some((there.chain, there.hub.as_ref()?.intent_book));
        let Some((chain, book)) = around.deployments.evm.iter().find_map(hub) else { return };
        let writer = self.relayers.get(&chain).cloned();
        let Some((writer, client)) = writer.zip(around.clients.evm(chain)) else {
            tracing::info!(%chain, "no relayer is configured on the hub: the book of intents is not written");
            return;
        };
        let book = Arc::new(EvmIntentBook::new(client.clone(), book));
        let parts = BookParts { marks: self.store.clone(), book, writer };
        let every = around.config.orders.intent_book_every(around.config.mode);
        self.tasks.spawn(keep_intent_book(parts, every, stop.clone()));
    }

    async fn follow_evm(
        &mut self,
        config: &Config,
        client: EvmClient,
        there: &Deployment,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let after = self.store.mark(there.chain, Care::Large).await?;
        let deployments = std::slice::from_ref(there);
        let settings = trust::following(self.mode, there.chain, self.marks.interest());
        let follower = OrderFollower::new(client.clone(), deployments, &settings, after);
        let watch = there.transfers.then(|| Arc::new(EvmAddressWatch::new(client)) as Arc<dyn AddressWatch>);
        self.follow(config, Box::new(follower), watch, stop);
        Ok(())
    }

    async fn follow_solana(
        &mut self,
        config: &Config,
        rpc: SolanaRpc,
        there: &SolanaDeployment,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let after = self.store.mark(there.chain, Care::Large).await?;
        let settings = trust::following_solana(self.mode, self.marks.interest());
        let deployments = std::slice::from_ref(there);
        let follower = SolanaOrderFollower::new(rpc.clone(), deployments, settings, after);
        let watch: Arc<dyn AddressWatch> = Arc::new(SolanaAddressWatch::new(rpc));
        self.follow(config, Box::new(follower), Some(watch), stop);
        Ok(())
    }

    fn follow(
        &mut self,
        config: &Config,
        follower: Box<dyn Follow>,
        watch: Option<Arc<dyn AddressWatch>>,
        stop: &CancellationToken,
    ) {
        let watch = watch.map(|watch| {
            let snapshot = self.catalog.snapshot();
            let tokens = snapshot.top(&[follower.chain()]).into_iter().map(|listed| listed.token.id);
            let tokens: Vec<TokenId> = tokens.collect();
            let (orders, facts) = (self.store.clone(), self.store.clone());
            let marks = Arc::clone(&self.marks);
            WatchAddresses::new(watch, orders, facts, marks, tokens, config.orders.watch())
        });
        let parts = FollowParts {
            facts: self.store.clone(),
            orders: self.store.clone(),
            hands: self.hands.clone(),
            marks: Arc::clone(&self.marks),
            adopt: self.adopt.clone(),
        };
        self.tasks.spawn(follow_chain(follower, watch, parts, stop.clone()));
    }

    /// Waits until all of it has stopped.
    pub(crate) async fn stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, all).await.is_err() {
            tracing::warn!(
                "work on orders did not stop in time; what was begun is gone on with at the next start"
            );
        }
    }
}

/// Every chain that has both a client and our contracts.
fn places(around: &Surroundings<'_>) -> Vec<(EvmClient, Deployment)> {
    let place = |there: &Deployment| Some((around.clients.evm(there.chain)?.clone(), there.clone()));
    around.deployments.evm.iter().filter_map(place).collect()
}

/// Solana, where it is enabled and has our program.
fn program(around: &Surroundings<'_>) -> Option<(SolanaRpc, SolanaDeployment)> {
    around.clients.solana.clone().zip(around.deployments.solana.clone())
}

/// Warns of accounts that cannot pay for a transaction; a chain that does not answer now is not complained about.
async fn tell_who_has_no_coins(readers: &[Arc<dyn BalanceReader>], carriers: &[Arc<dyn Carrier>]) {
    for carrier in carriers {
        let (chain, account) = (carrier.chain(), carrier.account());
        let Some(reader) = readers.iter().find(|reader| reader.chain() == chain) else { continue };
        if let Ok(held) = reader.balances(account, &[TokenId::native(chain)]).await
            && held.iter().all(|(_, amount)| amount.is_zero())
        {
            tracing::warn!(%chain, %account, "the account has no coins to pay for gas: nothing can be sent from it");
        }
    }
}

/// Tells the fillers what they are owed, so that they keep within their limits.
async fn keep_owed(store: Arc<Store>, fillers: Vec<Arc<InventoryFiller>>, stop: CancellationToken) {
    let mut turns = Turns::new(OWED_EVERY, stop);
    while turns.next().await {
        match store.owed().await {
            Ok(owed) => fillers.iter().for_each(|filler| filler.note_owed(&owed)),
            Err(error) => tracing::warn!(%error, "what the fillers are owed cannot be read"),
        }
    }
}
