use causeway_domain::UsdAmount;

/// How two tokens relate, which decides what a swap between them costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairClass {
    /// One asset on two chains or in two forms: USDC on two chains, ETH and WETH.
    SameAsset,
    /// Two different USD stablecoins.
    Stable,
    Volatile,
}

/// The slice of an order up to this size, and the rate the filler keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    pub up_to: UsdAmount,
    pub millionths: u32,
}

/// The rate the filler keeps, by size. Each slice of an order pays its own tier's rate, so that the overall spread grows
/// smoothly between the tiers' ends and a larger input never gives a smaller output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread {
    /// Smallest first.
    pub tiers: Vec<Tier>,
    /// The rate above the last tier, in millionths.
    pub beyond: u32,
}

impl Spread {
    /// A spread of these rates in hundredths of a basis point: up to $1,000, up to $10,000, and above.
    pub fn by_size(small: u32, medium: u32, large: u32) -> Self {
        let dollars = |dollars: u64| UsdAmount::from_cents(super::config::cents(dollars.saturating_mul(100)));
        let tier = |up_to, millionths| Tier { up_to: dollars(up_to), millionths };
        Self { tiers: vec![tier(1_000, small), tier(10_000, medium)], beyond: large }
    }
}

/// One spread for each class of pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spreads {
    pub same_asset: Spread,
    pub stable: Spread,
    pub volatile: Spread,
}

impl Spreads {
    /// Cheap between stablecoins and between forms of one asset, more expensive elsewhere.
    pub fn tight_on_stables() -> Self {
        Self {
            same_asset: Spread::by_size(100, 200, 400),
            stable: Spread::by_size(200, 400, 800),
            volatile: Spread::by_size(2_000, 3_000, 5_000),
        }
    }

    /// Cheap between volatile assets, more expensive between stable ones.
    pub fn tight_on_volatile() -> Self {
        Self {
            same_asset: Spread::by_size(300, 500, 900),
            stable: Spread::by_size(500, 900, 1_500),
            volatile: Spread::by_size(1_000, 1_800, 3_500),
        }
    }

    pub(super) fn for_class(&self, class: PairClass) -> &Spread {
        match class {
            PairClass::SameAsset => &self.same_asset,
            PairClass::Stable => &self.stable,
            PairClass::Volatile => &self.volatile,
        }
    }

    pub(super) fn all(&self) -> [&Spread; 3] {
        [&self.same_asset, &self.stable, &self.volatile]
    }
}

impl Default for Spreads {
    fn default() -> Self {
        Self {
            same_asset: Spread::by_size(200, 400, 800),
            stable: Spread::by_size(300, 600, 1_200),
            volatile: Spread::by_size(1_500, 2_500, 4_000),
        }
    }
}
