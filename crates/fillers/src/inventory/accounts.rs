use causeway_domain::{Family, Parties};

/// A filler's addresses: `filler` pays out and is the account that the book counts, `payee` is paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    pub evm: Option<Parties>,
    pub solana: Option<Parties>,
}

impl Accounts {
    pub const fn for_family(&self, family: Family) -> Option<Parties> {
        match family {
            Family::Evm => self.evm,
            Family::Solana => self.solana,
            Family::Bitcoin | Family::Tron => None,
        }
    }
}
