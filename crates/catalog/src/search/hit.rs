/// How well a token answers a query, best first.
///
/// A well-known coin goes by its aliases as it does by its symbol, so both come before what merely bears the same
/// letters: `bitcoin` means Bitcoin and not the token that somebody called BITCOIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    Id,
    KnownSymbol,
    KnownName,
    Symbol,
    Name,
    Prefix,
    Words,
    OneSlip,
    Slips,
}

pub(super) const TIERS: [Tier; 9] = [
    Tier::Id,
    Tier::KnownSymbol,
    Tier::KnownName,
    Tier::Symbol,
    Tier::Name,
    Tier::Prefix,
    Tier::Words,
    Tier::OneSlip,
    Tier::Slips,
];

impl Tier {
    /// Whether the whole symbol, name or address was given.
    pub(crate) fn is_exact(self) -> bool {
        self <= Self::Name
    }

    /// Whether it was given, and is that of a well-known coin.
    pub(crate) fn is_known(self) -> bool {
        self <= Self::KnownName
    }

    /// A look-alike is never taken at its word: it stands behind the well-known tokens that only start alike.
    pub(super) fn of(self, facet: Facet) -> Self {
        match self {
            Self::Symbol | Self::Name if facet.risk => Self::Prefix,
            Self::Prefix if facet.risk => Self::Words,
            Self::Words if facet.risk => Self::OneSlip,
            Self::Symbol if facet.known => Self::KnownSymbol,
            Self::Name if facet.known => Self::KnownName,
            other => other,
        }
    }
}

/// A token that answers a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) ordinal: u32,
    pub(crate) tier: Tier,
}

/// What every query asks of a token, packed for speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    /// Position of its chain.
    pub(crate) chain: u16,
    /// Whether it is a well-known coin.
    pub(crate) known: bool,
    /// Whether it imitates one.
    pub(crate) risk: bool,
}

/// Which tokens a query may answer with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// By position of the chain; `None` lets all pass.
    pub(crate) chains: Option<Box<[bool]>>,
    pub(crate) without_risk: bool,
}

impl Scope {
    pub(crate) fn admits(&self, facet: Facet) -> bool {
        let chain = match &self.chains {
            None => true,
            Some(chains) => chains.get(usize::from(facet.chain)).copied().unwrap_or(false),
        };
        chain && !(self.without_risk && facet.risk)
    }
}
