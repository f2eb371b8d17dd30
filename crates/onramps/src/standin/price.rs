//! What all stand-ins sell, and for how much: made up, but the same way forth and back.

use alloy_primitives::U256;
use causeway_domain::fiat::FiatAmount;
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};

/// A token on a network.
#[derive(Clone, Copy, Debug)]
pub struct Ware {
    pub symbol: &'static str,
    pub network: &'static str,
    /// `None` on Solana, which has no number that providers agree on.
    pub chain: Option<u64>,
    pub contract: Option<&'static str>,
    pub decimals: u8,
    /// In millionths of a dollar.
    price: u64,
}

const fn ware(
    symbol: &'static str,
    network: &'static str,
    chain: Option<u64>,
    contract: Option<&'static str>,
    decimals: u8,
    price: u64,
) -> Ware {
    Ware { symbol, network, chain, contract, decimals, price }
}

const USDC_ETHEREUM: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const USDC_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USDC_SOLANA: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

pub const WARES: [Ware; 6] = [
    ware("ETH", "ethereum", Some(1), None, 18, 2_500_000_000),
    ware("USDC", "ethereum", Some(1), Some(USDC_ETHEREUM), 6, 1_000_000),
    ware("ETH", "base", Some(8453), None, 18, 2_500_000_000),
    ware("USDC", "base", Some(8453), Some(USDC_BASE), 6, 1_000_000),
    ware("SOL", "solana", None, None, 9, 150_000_000),
    ware("USDC", "solana", None, Some(USDC_SOLANA), 6, 1_000_000),
];

impl Ware {
    pub fn token(&self) -> Option<TokenId> {
        let chain = self.chain.map_or(Some(SOLANA_CHAIN_ID), ChainId::new)?;
        match self.contract {
            None => Some(TokenId::native(chain)),
            Some(contract) => TokenId::new(chain, contract).ok(),
        }
    }

    pub fn of(token: &TokenId) -> Option<&'static Self> {
        WARES.iter().find(|ware| ware.token().as_ref() == Some(token))
    }

    pub fn named(symbol: &str, network: &str) -> Option<&'static Self> {
        let named = |ware: &&Self| ware.symbol.eq_ignore_ascii_case(symbol) && ware.network == network;
        WARES.iter().find(named)
    }

    /// What so much buys, after a fee of three in a hundred and a network fee of fifty of the smallest units.
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

    /// The least that buys as much.
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

/// A price. Fees are in the currency's smallest units, and part of what is paid.
#[derive(Clone, Copy, Debug)]
pub struct Sale {
    pub pays: FiatAmount,
    pub fee: u64,
    pub network_fee: u64,
    pub delivers: RawAmount,
}

impl Sale {
    /// An amount of the currency's smallest units, as a number.
    pub fn number(&self, minor: u64) -> String {
        FiatAmount::new(self.pays.currency, minor).to_string()
    }

    /// What is paid, as a number that floating point has spoilt.
    pub fn spoilt(&self) -> String {
        format!("{}9999999999999", self.number(self.pays.minor.saturating_sub(1)))
    }
}
