use alloy_primitives::U256;
use causeway_domain::ports::{FillerAsk, Refusal, VaultRate};
use causeway_domain::{DepositMethod, GasCharge, Parties, RawAmount, Referral, Token, TokenId, UsdAmount};

use super::config::InventoryConfig;
use super::filler::InventoryFiller;
use super::gas::{self, UnitPrices, Usage};
use super::limits::{Limits, min_input_for_gas};
use super::peg::{TokenPrice, Untradable};
use super::pricing::{Leg, Pricing, PricingTerms};
use super::served::{ChainTerms, ServedToken};
use super::wide::{Wide, floor, product, saturate};

/// The bytes of the user's own deposit.
const OPEN_BYTES: u64 = 1_000;

/// Everything about a swap by one group of deposit methods that does not depend on its amount.
#[derive(Debug)]
pub(super) struct Swap {
    pub(super) pricing: Pricing,
    pub(super) limits: Limits,
    /// The cost of the user's own deposit.
    pub(super) deposit_gas: RawAmount,
    pub(super) gas_charge: GasCharge,
}

/// Which share of a claim a price contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimShare {
    /// As learned from recent claims.
    Learned,
    /// The least that is ever charged.
    Least,
}

/// A swap that is served, before its deposit method is chosen.
pub(super) struct ServedSwap<'a> {
    filler: &'a InventoryFiller,
    pair: Pair<'a>,
    pub(super) parties: Parties,
    /// Each group has a price of its own; never empty.
    pub(super) method_groups: Vec<Vec<DepositMethod>>,
    pub(super) seconds: u32,
    /// Whether both tokens are stablecoins.
    pub(super) stable: bool,
}

/// The tokens of a swap and their chains.
struct Pair<'a> {
    from: &'a ServedToken,
    /// The token that the filler pays.
    paid: &'a ServedToken,
    vault: Option<VaultRate>,
    source: &'a ChainTerms,
    destination: &'a ChainTerms,
}

impl<'a> ServedSwap<'a> {
    pub(super) fn find(filler: &'a InventoryFiller, ask: &FillerAsk) -> Result<Self, Refusal> {
        let pair = find_pair(filler, &ask.from.id, &ask.to.id)?;
        let decimals_differ = |known: &ServedToken, token: &Token| known.decimals != token.decimals;
        if decimals_differ(pair.from, &ask.from)
            || (pair.vault.is_none() && decimals_differ(pair.paid, &ask.to))
        {
            return Err(Refusal::PairNotServed);
        }
        let parties = filler.deps.accounts.for_family(pair.from.id.chain().family());
        let (Some(parties), Some(_)) =
            (parties, filler.deps.accounts.for_family(pair.paid.id.chain().family()))
        else {
            return Err(Refusal::PairNotServed);
        };
        if let Some((chain, breaker)) = filler.open_breaker(pair.from.id.chain(), pair.paid.id.chain()) {
            return Err(Refusal::Other(format!("the limit on {breaker} on chain {chain} is reached")));
        }
        let signed = filler.deps.token_policy.signed_methods(&pair.from.id);
        let method_groups = pair.source.method_groups(&pair.from.id, &ask.ask.deposit_methods, &signed);
        if method_groups.is_empty() {
            return Err(Refusal::NoDepositMethod);
        }
        let seconds = pair.source.deposit_seconds.saturating_add(pair.destination.fill_seconds);
        let stable = pair.from.stable && pair.paid.stable;
        Ok(Self { filler, pair, parties, method_groups, seconds, stable })
    }

    /// The swap with the cost of these deposit methods and of no other.
    pub(super) fn by(&self, methods: &[DepositMethod], referral: Option<Referral>) -> Result<Swap, Refusal> {
        let share = ClaimShare::Learned;
        let Priced { pricing, costs, input } = price(self.filler, &self.pair, methods, share, referral)?;
        let limits = find_limits(self.filler, &self.pair, &input, costs.in_input)?;
        Ok(Swap { pricing, limits, deposit_gas: costs.deposit, gas_charge: costs.charge })
    }
}

/// The current pricing of a pair for a deposit made by `method`, without size limits.
pub(super) fn price_now(
    filler: &InventoryFiller,
    from: &TokenId,
    to: &TokenId,
    method: DepositMethod,
    share: ClaimShare,
) -> Result<Pricing, Refusal> {
    let pair = find_pair(filler, from, to)?;
    price(filler, &pair, &[method], share, None).map(|priced| priced.pricing)
}

struct Priced {
    pricing: Pricing,
    costs: Costs,
    input: Leg,
}

fn price(
    filler: &InventoryFiller,
    pair: &Pair<'_>,
    methods: &[DepositMethod],
    share: ClaimShare,
    referral: Option<Referral>,
) -> Result<Priced, Refusal> {
    let input = leg(filler, pair.from)?;
    let output = leg(filler, pair.paid)?;
    let costs = Costs::compute(filler, pair, methods, share, &input).ok_or_else(|| {
        let coins = [pair.from.id.chain(), pair.paid.id.chain()].map(TokenId::native);
        let unpriced = coins.iter().find_map(|coin| filler.deps.prices.unpriced(coin));
        unpriced.map_or(Refusal::NoPrice, Refusal::Other)
    })?;
    let pricing = Pricing::new(&PricingTerms {
        input,
        output,
        vault: pair.vault.map(|rate| (rate.assets.get(), rate.shares.get())),
        spread: filler.config.spreads.for_class(pair.from.class(pair.paid)),
        gas: costs.in_input,
        referral,
    })
    .ok_or(Refusal::NoPrice)?;
    Ok(Priced { pricing, costs, input })
}

fn find_pair<'a>(filler: &'a InventoryFiller, from: &TokenId, to: &TokenId) -> Result<Pair<'a>, Refusal> {
    let served = |token: &TokenId| filler.tokens.get(token);
    let terms = |token: &TokenId| filler.deps.chains.get(&token.chain());
    if from == to {
        return Err(Refusal::PairNotServed);
    }
    let vault = if filler.deps.vaults.is_share(to) {
        let rate = filler.deps.vaults.rate(to).ok_or(Refusal::NoPrice)?;
        (rate.asset.chain() == to.chain()).then_some(rate).ok_or(Refusal::PairNotServed).map(Some)?
    } else {
        None
    };
    let paid = vault.map_or_else(|| served(to), |rate| served(&rate.asset));
    let (Some(from), Some(paid), Some(source), Some(destination)) =
        (served(from), paid, terms(from), terms(to))
    else {
        return Err(Refusal::PairNotServed);
    };
    let refused = [&from.id, &paid.id].into_iter().find_map(|id| filler.deps.token_policy.refusal(id));
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    Ok(Pair { from, paid, vault, source, destination })
}

/// The refusal for a token without a price, with the feed's reason if it has one.
fn unpriced(filler: &InventoryFiller, token: &TokenId) -> Refusal {
    filler.deps.prices.unpriced(token).map_or(Refusal::NoPrice, Refusal::Other)
}

fn leg(filler: &InventoryFiller, token: &ServedToken) -> Result<Leg, Refusal> {
    let feed = filler.deps.prices.usd_price(&token.id).ok_or_else(|| unpriced(filler, &token.id))?;
    let InventoryConfig { peg_tolerance, .. } = filler.config;
    let price =
        TokenPrice::new(feed.units().get(), token.stable, peg_tolerance).map_err(|reason| match reason {
            Untradable::ZeroPrice => Refusal::NoPrice,
            Untradable::OffPeg => Refusal::Other(format!("{} is off its peg and not traded", token.asset)),
        })?;
    Ok(Leg { price, decimals: token.decimals })
}

/// Transaction costs.
struct Costs {
    /// Each side rounded up to one unit.
    in_input: U256,
    deposit: RawAmount,
    charge: GasCharge,
}

impl Costs {
    /// `None` while a gas price or the price of a native coin is not known.
    fn compute(
        filler: &InventoryFiller,
        pair: &Pair<'_>,
        methods: &[DepositMethod],
        share: ClaimShare,
        input: &Leg,
    ) -> Option<Self> {
        let margin = filler.config.gas_margin;
        let (source, destination) =
            (TokenId::native(pair.from.id.chain()), TokenId::native(pair.paid.id.chain()));
        let prices = |coin: TokenId| {
            let (gas, byte) =
                (filler.deps.gas.price(coin.chain())?, filler.deps.gas.byte_price(coin.chain())?);
            Some(UnitPrices { gas: gas.get(), byte: byte.get() })
        };
        let coin_price = |coin: TokenId| filler.deps.prices.usd_price(&coin).map(|price| price.units().get());
        let source_prices = prices(source)?;

        let units = &pair.destination.gas;
        let (fill, rent) = match (pair.vault, pair.paid.id.is_native()) {
            (Some(_), _) => (units.fill_vault, units.fill_token_rent),
            (None, true) => (units.fill_native, 0),
            (None, false) => (units.fill_token, units.fill_token_rent),
        };
        let rent = units.fill_closing.checked_add(rent)?;
        let claim_share = match share {
            ClaimShare::Least => pair.source.gas.least_claim_share(),
            ClaimShare::Learned => {
                let learned = |sizes: &[u32]| pair.source.gas.claim_share(sizes);
                filler.deps.claim_sizes.read(pair.from.id.chain(), learned)
            }
        };
        let claim = gas::cost(claim_share, source_prices, margin, 0)?;
        let opening = gas::cost(pair.source.gas.opening(methods), source_prices, margin, 0)?;
        let fill = gas::cost(gas::fill(fill), prices(destination)?, margin, 0)?;
        let (claiming, filling) = (claim.checked_add(opening)?, fill.checked_add(U256::from(rent))?);

        let (from, to) = (pair.source.native_decimals, pair.destination.native_decimals);
        let claiming_in = input.cost_of(claiming, coin_price(source)?, from)?;
        let filling_in = input.cost_of(filling, coin_price(destination)?, to)?;
        Some(Self {
            in_input: claiming_in.checked_add(filling_in)?,
            deposit: RawAmount::new(gas::cost(
                Usage { gas: pair.source.gas.open, bytes: OPEN_BYTES },
                source_prices,
                0,
                0,
            )?),
            charge: GasCharge {
                fill: RawAmount::new(fill),
                claim: RawAmount::new(claim),
                opening: RawAmount::new(opening),
            },
        })
    }
}

fn find_limits(filler: &InventoryFiller, pair: &Pair<'_>, input: &Leg, gas: U256) -> Result<Limits, Refusal> {
    let config = &filler.config;
    let origin = pair.from.id.chain();
    let cap = pair.source.order_cap.map_or(config.max_order, |cap| cap.min(config.max_order));
    let room = config.max_unclaimed.cents().checked_sub(filler.deps.unclaimed.get(origin).cents());
    let room = UsdAmount::from_cents(room.unwrap_or(RawAmount::ZERO));
    let holding = filler.deps.book.holding(&pair.paid.id).ok_or(Refusal::NoInventory)?;
    let available = holding.available(config.book_share).get();
    let inventory = match pair.vault {
        None => available,
        // The number of shares that cost no more than what is available.
        Some(rate) => product([available, rate.shares.get()])
            .and_then(|shares| floor(shares, Wide::from(rate.assets.get())))
            .map(saturate)
            .ok_or(Refusal::NoPrice)?,
    };
    let min_order = input.at_least(config.min_order).ok_or(Refusal::NoPrice)?;
    Ok(Limits {
        min_input: min_order.max(min_input_for_gas(gas, config.max_gas_share)).max(U256::ONE),
        order: input.at_most(cap).ok_or(Refusal::NoPrice)?,
        exposure: input.at_most(room).ok_or(Refusal::NoPrice)?,
        inventory,
    })
}
