use causeway_domain::{ChainId, DepositMethod, Family, TokenId, UsdAmount};

use super::gas::GasUnits;
use super::spread::PairClass;

/// A token that the filler takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedToken {
    pub id: TokenId,
    /// As the token itself says on its chain; an ask that knows others is not served.
    pub decimals: u8,
    /// What it is a form of: the same word for USDC everywhere, and for ETH and WETH.
    pub asset: String,
    /// Whether it is meant to be worth a dollar.
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

/// What the filler does on one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainTerms {
    pub native_decimals: u8,
    /// Beside a contract call, which works everywhere.
    pub deposit_methods: Vec<DepositMethod>,
    /// How long a deposit takes to be believed.
    pub deposit_seconds: u32,
    /// How long a payout takes to arrive.
    pub fill_seconds: u32,
    /// The most that one order from this chain may bring, where the chain deserves less trust than others.
    pub order_cap: Option<UsdAmount>,
    pub gas: GasUnits,
}

impl ChainTerms {
    /// The usual terms of a chain whose deposits are believed after `deposit_seconds`.
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
            gas: GasUnits::usual(family),
        }
    }

    /// The methods by which `token` can be handed over here, those of `wanted` if any are.
    pub(super) fn methods(&self, token: &TokenId, wanted: &[DepositMethod]) -> Vec<DepositMethod> {
        let possible = |method: &DepositMethod| match method {
            DepositMethod::ContractCall => true,
            // Permit2 moves tokens, and the native coin is none.
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
