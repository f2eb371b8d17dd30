use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, Filler, FillerAsk, FillerError, GasFeed, Offer, PriceFeed, Refusal, TokenPolicy, VaultRates,
};
use causeway_domain::{ChainId, ExactOutMethod, Fee, FeeKind, RawAmount, TokenId, TradeType};
use jiff::{SignedDuration, Timestamp};

use super::accounts::Accounts;
use super::book::Book;
use super::breakers::Breakers;
use super::claim_sizes::ClaimSizes;
use super::config::{ConfigError, InventoryConfig};
use super::exposure::Unclaimed;
use super::limits;
use super::served::{ChainTerms, ServedToken};
use super::swap::Swap;

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
        Ok(match self.offer(ask, Timestamp::now()) {
            Ok(offer) => Answer::Offers(vec![offer]),
            Err(refusal) => Answer::Refused(refusal),
        })
    }
}

impl InventoryFiller {
    pub fn new(config: InventoryConfig, mut deps: FillerDependencies) -> Result<Self, ConfigError> {
        config.check()?;
        let tokens = std::mem::take(&mut deps.tokens);
        let tokens = tokens.into_iter().map(|token| (token.id, token)).collect();
        Ok(Self { config, tokens, deps })
    }

    /// The chains that it serves.
    pub fn chains(&self) -> impl Iterator<Item = ChainId> {
        self.deps.chains.keys().copied()
    }

    /// Sets how many orders its recent claims on a chain had.
    pub fn set_claim_sizes(&self, origin: ChainId, sizes: Vec<u32>) {
        self.deps.claim_sizes.set(origin, sizes);
    }

    /// Quotes from memory alone. The output is guaranteed, so slippage does not apply.
    pub fn offer(&self, ask: &FillerAsk, now: Timestamp) -> Result<Offer, Refusal> {
        let swap = Swap::find(self, ask)?;
        let asked = ask.ask.amount.get();
        let trade = ask.ask.trade_type;
        limits::check(trade, asked, &swap.pricing, &swap.limits)?;
        let (amount_in, amount_out) = match trade {
            TradeType::ExactInput => (asked, swap.pricing.output_for(asked)),
            // Within the limits such an input exists.
            TradeType::ExactOutput => (swap.pricing.input_for(asked).ok_or(Refusal::NoPrice)?, asked),
        };
        let (amount_in, amount_out) = (RawAmount::new(amount_in), RawAmount::new(amount_out));
        let validity = if swap.stable { self.config.stable_validity } else { self.config.validity };
        let valid_before = add_duration(now, validity);
        Ok(Offer {
            exact_out: (trade == TradeType::ExactOutput).then_some(ExactOutMethod::Native),
            amount_in,
            amount_out,
            min_amount_out: amount_out,
            expected_duration_seconds: swap.seconds,
            valid_before,
            price_holds_until: Some(valid_before),
            estimated_gas: Some(swap.deposit_gas),
            fees: fees(&swap, ask, amount_in, amount_out),
            parties: Some(swap.parties),
            deposit_methods: swap.methods,
            filler_quote: None,
        })
    }
}

/// The spread and the referral fee in the input token, gas in the native coins. Zero amounts are omitted.
fn fees(swap: &Swap, ask: &FillerAsk, amount_in: RawAmount, amount_out: RawAmount) -> Vec<Fee> {
    let breakdown = swap.pricing.breakdown(amount_in.get(), amount_out.get());
    let from = ask.from.id;
    let fee = |kind, token, amount| Fee { kind, token, amount };
    let mut fees = vec![
        fee(FeeKind::Filler, from, RawAmount::new(breakdown.filler)),
        fee(FeeKind::Referrer, from, RawAmount::new(breakdown.referrer)),
    ];
    fees.extend(swap.gas.iter().map(|(coin, amount)| fee(FeeKind::Gas, *coin, *amount)));
    fees.retain(|fee| !fee.amount.is_zero());
    fees
}

fn add_duration(now: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| now.checked_add(by).ok()).unwrap_or(now)
}
