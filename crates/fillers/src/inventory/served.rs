use causeway_domain::{ChainId, DepositMethod, Family, TokenId, UsdAmount};

use super::gas::GasUnits;
use super::spread::PairClass;

/// A token that the filler trades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedToken {
    pub id: TokenId,
    /// The token's on-chain decimals; an ask with other decimals is not served.
    pub decimals: u8,
    /// The underlying asset: the same id for USDC on every chain, and for ETH and WETH.
    pub asset: String,
    /// Whether it is a USD stablecoin.
    pub stable: bool,
}

impl ServedToken {
    pub(super) fn class(&self, other: &Self) -> PairClass {
        if self.asset == other.asset {
            PairClass::SameAsset
        } else if self.stable && other.stable {
            PairClass::Stable
        } else {
            PairClass::Volatile
        }
    }
}

/// The filler's parameters for one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainTerms {
    pub native_decimals: u8,
    /// In addition to a contract call, which works everywhere.
    pub deposit_methods: Vec<DepositMethod>,
    /// How long a deposit takes to become final.
    pub deposit_seconds: u32,
    /// How long a fill takes to arrive.
    pub fill_seconds: u32,
    /// A lower maximum for orders from this chain, where it is trusted less than others.
    pub order_cap: Option<UsdAmount>,
    pub gas: GasUnits,
}

impl ChainTerms {
    /// Default terms of a chain whose deposits are final after `deposit_seconds`.
    pub fn new(chain: ChainId, deposit_seconds: u32, deposit_methods: Vec<DepositMethod>) -> Self {
        let family = chain.family();
        Self {
            native_decimals: match family {
                Family::Evm => 18,
                Family::Solana => 9,
                Family::Bitcoin => 8,
                Family::Tron => 6,
            },
            deposit_methods,
            deposit_seconds,
            fill_seconds: 2,
            order_cap: None,
            gas: GasUnits::default_for(family),
        }
    }

    /// The methods by which `token` can be deposited here, restricted to `wanted` if it is not empty. Those that the token
    /// itself takes a signature for, `signed`, are offered only where they are asked for, because not every client knows them.
    fn methods(
        &self,
        token: &TokenId,
        wanted: &[DepositMethod],
        signed: &[DepositMethod],
    ) -> Vec<DepositMethod> {
        let possible = |method: &DepositMethod| match method {
            DepositMethod::ContractCall => true,
            // Permit2 cannot move the native coin.
            DepositMethod::Permit2 => {
                self.deposit_methods.contains(method)
                    && !token.is_native()
                    && token.chain().family() == Family::Evm
            }
            DepositMethod::Authorization | DepositMethod::Permit => {
                signed.contains(method) && wanted.contains(method)
            }
            DepositMethod::Transfer => self.deposit_methods.contains(method),
        };
        let is_wanted = |method: &DepositMethod| wanted.is_empty() || wanted.contains(method);
        DepositMethod::ALL.into_iter().filter(|method| possible(method) && is_wanted(method)).collect()
    }

    /// The same methods in groups that cost the filler the same, the payer's own call first.
    /// A relayed opening shares the group of the call where it costs no more.
    pub(super) fn method_groups(
        &self,
        token: &TokenId,
        wanted: &[DepositMethod],
        signed: &[DepositMethod],
    ) -> Vec<Vec<DepositMethod>> {
        let is_free = self.gas.relay == 0;
        let mut groups: Vec<Vec<DepositMethod>> = Vec::new();
        for method in self.methods(token, wanted, signed) {
            match groups.last_mut() {
                Some(group) if method == DepositMethod::Permit2 && is_free => group.push(method),
                _ => groups.push(vec![method]),
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relayed_opening_shares_the_group_of_the_call_only_where_it_costs_no_more() {
        use DepositMethod::{Authorization, ContractCall, Permit, Permit2, Transfer};
        let chain = ChainId::new(8453).unwrap();
        let token = TokenId::new(chain, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap();
        let mut terms = ChainTerms::new(chain, 12, vec![Permit2, Transfer]);
        let signed = [Authorization, Permit];
        assert_eq!(terms.method_groups(&token, &[], &signed), [[ContractCall], [Permit2], [Transfer]]);
        let wanted = [Permit, Authorization, Permit2];
        assert_eq!(terms.method_groups(&token, &wanted, &signed), [[Permit2], [Authorization], [Permit]]);
        assert_eq!(terms.method_groups(&token, &wanted, &[Permit]), [[Permit2], [Permit]]);
        assert_eq!(terms.method_groups(&token, &wanted, &[]), [[Permit2]]);
        terms.gas.relay = 0;
        assert_eq!(terms.method_groups(&token, &[], &signed), [vec![ContractCall, Permit2], vec![Transfer]]);
        assert_eq!(terms.method_groups(&token, &[Permit2, Transfer], &signed), [[Permit2], [Transfer]]);
        assert_eq!(terms.method_groups(&TokenId::native(chain), &[], &[]), [[ContractCall], [Transfer]]);
    }
}
