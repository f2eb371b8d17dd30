//! The tokens and prices of all stand-ins: invented, but consistent in both directions.

use alloy_primitives::U256;
use causeway_domain::fiat::FiatAmount;
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};

/// A token on a network with its price.
#[derive(Clone, Copy, Debug)]
pub struct ListedToken {
    pub symbol: &'static str,
    pub network: &'static str,
    /// `None` on Solana, which has no common chain id.
    pub chain: Option<u64>,
    pub contract: Option<&'static str>,
    pub decimals: u8,
    /// In millionths of a dollar.
    price: u64,
}

const fn listed(
    symbol: &'static str,
    network: &'static str,
    chain: Option<u64>,
    contract: Option<&'static str>,
    decimals: u8,
    price: u64,
) -> ListedToken {
    ListedToken { symbol, network, chain, contract, decimals, price }
}

const USDC_ETHEREUM: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USDC_SOLANA: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

pub const LISTED_TOKENS: [ListedToken; 6] = [
    listed("ETH", "ethereum", Some(1), None, 18, 2_500_000_000),
    listed("USDC", "ethereum", Some(1), Some(USDC_ETHEREUM), 6, 1_000_000),
    listed("ETH", "base", Some(8453), None, 18, 2_500_000_000),
    listed("USDC", "base", Some(8453), Some(USDC_BASE), 6, 1_000_000),
    listed("SOL", "solana", None, None, 9, 150_000_000),
    listed("USDC", "solana", None, Some(USDC_SOLANA), 6, 1_000_000),
];

impl ListedToken {
    pub fn id(&self) -> Option<TokenId> {
        let chain = self.chain.map_or(Some(SOLANA_CHAIN_ID), ChainId::new)?;
        match self.contract {
            None => Some(TokenId::native(chain)),
            Some(contract) => TokenId::new(chain, contract).ok(),
        }
    }

    pub fn for_token(id: &TokenId) -> Option<&'static Self> {
        LISTED_TOKENS.iter().find(|token| token.id().as_ref() == Some(id))
    }

    pub fn find(symbol: &str, network: &str) -> Option<&'static Self> {
        let named = |token: &&Self| token.symbol.eq_ignore_ascii_case(symbol) && token.network == network;
        LISTED_TOKENS.iter().find(named)
    }

    /// What a payment buys, after a fee of three percent and a network fee of fifty minor units.
    pub fn sell(&self, pays: FiatAmount) -> Option<Sale> {
        let fee = pays.minor.checked_mul(3)?.div_ceil(100);
        let left = pays.minor.checked_sub(fee)?.checked_sub(NETWORK_FEE)?;
        let unit = match pays.currency.code() {
            "USD" => 10_000,
            "EUR" => 11_000,
            "GBP" => 13_000,
            _ => return None,
        };
        let dollars = U256::from(left).checked_mul(U256::from(unit))?;
        let one = U256::from(10).checked_pow(U256::from(self.decimals))?;
        let raw = dollars.checked_mul(one)?.checked_div(U256::from(self.price))?;
        Some(Sale { pays, fee, network_fee: NETWORK_FEE, delivers: RawAmount::new(raw) })
    }

    /// The smallest payment that buys the amount.
    pub fn sell_exactly(
        &self,
        currency: causeway_domain::fiat::FiatCurrency,
        wanted: RawAmount,
    ) -> Option<Sale> {
        let (mut low, mut high) = (1_u64, 1 << 40);
        while low < high {
            let middle = low.midpoint(high);
            let enough =
                self.sell(FiatAmount::new(currency, middle)).is_some_and(|sale| sale.delivers >= wanted);
            if enough { high = middle } else { low = middle + 1 }
        }
        let sale = self.sell(FiatAmount::new(currency, low))?;
        Some(Sale { delivers: wanted, ..sale })
    }
}

const NETWORK_FEE: u64 = 50;

/// A priced sale. Fees are in minor units, and part of the payment.
#[derive(Clone, Copy, Debug)]
pub struct Sale {
    pub pays: FiatAmount,
    pub fee: u64,
    pub network_fee: u64,
    pub delivers: RawAmount,
}

impl Sale {
    /// An amount of minor units as a decimal number.
    pub fn number(&self, minor: u64) -> String {
        FiatAmount::new(self.pays.currency, minor).to_string()
    }

    /// The payment with floating-point noise.
    pub fn with_float_error(&self) -> String {
        format!("{}9999999999999", self.number(self.pays.minor.saturating_sub(1)))
    }
}
