/// How well a token matches a query, best first.
///
/// Aliases of well-known coins rank like their symbols, before other exact matches: `bitcoin` means Bitcoin, not an
/// unknown token with the symbol BITCOIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    Id,
    KnownSymbol,
    KnownName,
    Symbol,
    Name,
    Prefix,
    Words,
    OneTypo,
    Typos,
}

pub(super) const TIERS: [Tier; 9] = [
    Tier::Id,
    Tier::KnownSymbol,
    Tier::KnownName,
    Tier::Symbol,
    Tier::Name,
    Tier::Prefix,
    Tier::Words,
    Tier::OneTypo,
    Tier::Typos,
];

impl Tier {
    /// Whether the whole symbol, name or address matched.
    pub(crate) fn is_exact(self) -> bool {
        self <= Self::Name
    }

    /// Whether it matched exactly and is a well-known coin.
    pub(crate) fn is_known(self) -> bool {
        self <= Self::KnownName
    }

    /// The tier of a token; look-alikes rank behind well-known tokens with the same prefix.
    pub(super) fn of(self, facet: Facet) -> Self {
        match self {
            Self::Symbol | Self::Name if facet.risk => Self::Prefix,
            Self::Prefix if facet.risk => Self::Words,
            Self::Words if facet.risk => Self::OneTypo,
            Self::Symbol if facet.known => Self::KnownSymbol,
            Self::Name if facet.known => Self::KnownName,
            other => other,
        }
    }
}

/// A token that matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) ordinal: u32,
    pub(crate) tier: Tier,
}

/// Compact token attributes that every query needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    /// Position of its chain.
    pub(crate) chain: u16,
    /// Whether it is a well-known coin.
    pub(crate) known: bool,
    /// Whether it imitates one.
    pub(crate) risk: bool,
}

/// Which tokens a query may return.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// By position of the chain; `None` admits all.
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
