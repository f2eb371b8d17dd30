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
            },
            deposit_methods,
            deposit_seconds,
            fill_seconds: 2,
            order_cap: None,
            gas: GasUnits::default_for(family),
        }
    }

    /// The methods by which `token` can be deposited here, restricted to `wanted` if it is not empty.
    pub(super) fn methods(&self, token: &TokenId, wanted: &[DepositMethod]) -> Vec<DepositMethod> {
        let possible = |method: &DepositMethod| match method {
            DepositMethod::ContractCall => true,
            // Permit2 cannot move the native coin.
            DepositMethod::Permit2 => {
                self.deposit_methods.contains(method)
                    && !token.is_native()
                    && token.chain().family() == Family::Evm
            }
            DepositMethod::Transfer => self.deposit_methods.contains(method),
        };
        let is_wanted = |method: &DepositMethod| wanted.is_empty() || wanted.contains(method);
        [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer]
            .into_iter()
            .filter(|method| possible(method) && is_wanted(method))
            .collect()
    }
}
