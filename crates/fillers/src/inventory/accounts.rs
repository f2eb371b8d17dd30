use causeway_domain::{Family, Parties};

/// A filler's addresses: the first pays out and is what the book counts, the second is paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    pub evm: Option<Parties>,
    pub solana: Option<Parties>,
}

impl Accounts {
    pub const fn of(&self, family: Family) -> Option<Parties> {
        match family {
            Family::Evm => self.evm,
            Family::Solana => self.solana,
        }
    }
}
