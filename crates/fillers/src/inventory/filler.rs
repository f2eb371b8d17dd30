use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, Filler, FillerAsk, FillerError, GasFeed, Offer, PriceFeed, Refusal, TokenPolicy, VaultRates,
};
use causeway_domain::{
    ChainId, DepositMethod, ExactOutMethod, Fee, FeeKind, RawAmount, TokenId, TradeType, UsdAmount,
};
use jiff::{SignedDuration, Timestamp};
use parking_lot::RwLock;

use super::accounts::Accounts;
use super::book::Book;
use super::breakers::Breakers;
use super::claim_sizes::ClaimSizes;
use super::config::{ConfigError, InventoryConfig};
use super::exposure::Unclaimed;
use super::limits;
use super::served::{ChainTerms, ServedToken};
use super::swap::{ServedSwap, Swap};

/// What an [`InventoryFiller`] depends on.
pub struct FillerDependencies {
    pub chains: HashMap<ChainId, ChainTerms>,
    /// The only tokens traded, besides shares of their vaults.
    pub tokens: Vec<ServedToken>,
    pub accounts: Accounts,
    pub prices: Arc<dyn PriceFeed>,
    pub gas: Arc<dyn GasFeed>,
    pub vaults: Arc<dyn VaultRates>,
    /// Tokens that cannot be traded.
    pub token_policy: Arc<dyn TokenPolicy>,
    pub book: Arc<Book>,
    pub unclaimed: Arc<Unclaimed>,
    pub breakers: Breakers,
    /// What an order's share of its claim is learned from.
    pub claim_sizes: Arc<ClaimSizes>,
}

impl fmt::Debug for FillerDependencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FillerDependencies").field("tokens", &self.tokens.len()).finish_non_exhaustive()
    }
}

/// Our own market maker: quotes from its inventory at the feed's prices, without I/O.
pub struct InventoryFiller {
    pub(super) config: InventoryConfig,
    pub(super) tokens: HashMap<TokenId, ServedToken>,
    pub(super) deps: FillerDependencies,
    /// The destination chains whose orders it waives although it quotes them: a switch of the sandbox.
    waived: RwLock<BTreeSet<ChainId>>,
}

impl fmt::Debug for InventoryFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InventoryFiller").field("name", &self.config.name).finish_non_exhaustive()
    }
}

#[async_trait]
impl Filler for InventoryFiller {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "native-filler"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        Ok(match self.offers(ask, Timestamp::now()) {
            Ok(offers) => Answer::Offers(offers),
            Err(refusal) => Answer::Refused(refusal),
        })
    }
}

impl InventoryFiller {
    pub fn new(config: InventoryConfig, mut deps: FillerDependencies) -> Result<Self, ConfigError> {
        config.check()?;
        let tokens = std::mem::take(&mut deps.tokens);
        let tokens = tokens.into_iter().map(|token| (token.id, token)).collect();
        Ok(Self { config, tokens, deps, waived: RwLock::default() })
    }

    /// The chains that it serves.
    pub fn chains(&self) -> impl Iterator<Item = ChainId> {
        self.deps.chains.keys().copied()
    }

    /// Waives orders to this chain from now on, or delivers them again. What it has sent stays its decision.
    pub fn set_waived(&self, destination: ChainId, is_waived: bool) {
        let mut waived = self.waived.write();
        if is_waived {
            waived.insert(destination);
        } else {
            waived.remove(&destination);
        }
    }

    /// The chains to which it delivers nothing by [`Self::set_waived`].
    pub fn waived(&self) -> Vec<ChainId> {
        self.waived.read().iter().copied().collect()
    }

    pub(super) fn waives(&self, destination: ChainId) -> bool {
        self.waived.read().contains(&destination)
    }

    /// What is free of a served token; `None` while its balance or its price is not known.
    pub fn free_usd(&self, token: &TokenId) -> Option<UsdAmount> {
        let decimals = self.tokens.get(token)?.decimals;
        let free = self.deps.book.holding(token)?.free();
        self.deps.prices.usd_price(token)?.value(free, decimals)
    }

    /// Sets how many orders its recent claims on a chain had.
    pub fn set_claim_sizes(&self, origin: ChainId, sizes: Vec<u32>) {
        self.deps.claim_sizes.set(origin, sizes);
    }

    /// Quotes from memory alone: one offer for each group of deposit methods, with their cost and no other's.
    /// The outputs are guaranteed, so slippage does not apply.
    pub fn offers(&self, ask: &FillerAsk, now: Timestamp) -> Result<Vec<Offer>, Refusal> {
        let served = ServedSwap::find(self, ask)?;
        let mut offers = Vec::with_capacity(served.method_groups.len());
        let mut refusal = None;
        for methods in &served.method_groups {
            match self.offer(&served, methods, ask, now) {
                Ok(offer) => offers.push(offer),
                Err(other) => {
                    refusal = Some(match refusal {
                        Some(one) => wider(one, other),
                        None => other,
                    });
                }
            }
        }
        match refusal {
            Some(refusal) if offers.is_empty() => Err(refusal),
            _ => Ok(offers),
        }
    }

    fn offer(
        &self,
        served: &ServedSwap<'_>,
        methods: &[DepositMethod],
        ask: &FillerAsk,
        now: Timestamp,
    ) -> Result<Offer, Refusal> {
        let swap = served.by(methods, ask.ask.referral)?;
        let asked = ask.ask.amount.get();
        let trade = ask.ask.trade_type;
        limits::check(trade, asked, &swap.pricing, &swap.limits)?;
        let (amount_in, amount_out) = match trade {
            TradeType::ExactInput => (asked, swap.pricing.output_for(asked)),
            // Within the limits such an input exists.
            TradeType::ExactOutput => (swap.pricing.input_for(asked).ok_or(Refusal::NoPrice)?, asked),
        };
        let fees = fees(&swap, ask, amount_in, amount_out);
        let (amount_in, amount_out) = (RawAmount::new(amount_in), RawAmount::new(amount_out));
        let validity = if served.stable { self.config.stable_validity } else { self.config.validity };
        let valid_before = add_duration(now, validity);
        Ok(Offer {
            exact_out: (trade == TradeType::ExactOutput).then_some(ExactOutMethod::Native),
            amount_in,
            amount_out,
            min_amount_out: amount_out,
            expected_duration_seconds: served.seconds,
            valid_before,
            price_holds_until: Some(valid_before),
            estimated_gas: Some(swap.deposit_gas),
            fees,
            parties: Some(served.parties),
            deposit_methods: methods.to_vec(),
            filler_quote: None,
            gas_charge: Some(swap.gas_charge),
            provider: None,
        })
    }
}

/// Of two refusals of the same amount, what it takes to get any offer: the lower minimum, the higher maximum.
fn wider(one: Refusal, other: Refusal) -> Refusal {
    match (one, other) {
        (Refusal::TooSmall { minimum }, Refusal::TooSmall { minimum: other }) => {
            Refusal::TooSmall { minimum: minimum.min(other) }
        }
        (Refusal::TooLarge { maximum }, Refusal::TooLarge { maximum: other }) => {
            Refusal::TooLarge { maximum: maximum.max(other) }
        }
        (one, _) => one,
    }
}

/// All in units of the input: they add up to what the input is worth more than the output at the feed's prices, whose value
/// is rounded up to one unit. Zero amounts are omitted.
fn fees(swap: &Swap, ask: &FillerAsk, amount_in: U256, amount_out: U256) -> Vec<Fee> {
    let breakdown = swap.pricing.breakdown(amount_in, amount_out);
    let kinds = [
        (FeeKind::Filler, breakdown.filler),
        (FeeKind::Referrer, breakdown.referrer),
        (FeeKind::Gas, breakdown.gas),
    ];
    let fee = |(kind, amount)| Fee { kind, token: ask.from.id, amount: RawAmount::new(amount) };
    kinds.into_iter().map(fee).filter(|fee| !fee.amount.is_zero()).collect()
}

fn add_duration(now: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| now.checked_add(by).ok()).unwrap_or(now)
}
