use alloy_primitives::{Address, U256, address};
use causeway_domain::{ChainId, UsdAmount, UsdPrice};

use super::artifact::Codes;
use super::error::GenesisError;
use super::storage::{Storage, slot};
use crate::evm::GenesisAccount;

/// The address, on every chain, of the token that burns one percent of each transfer.
pub const TAXED_TOKEN: Address = address!("7A8ed00000000000000000000000000000000001");

/// USDT on Ethereum, where it does not follow the standard.
const QUIRKY_USDT: (u64, Address) = (1, address!("dAC17F958D2ee523a2206206994597C13D831ec7"));

/// What a wallet holds of a stablecoin, in dollars.
const STABLECOIN_DOLLARS: &str = "1000000";

/// What a wallet holds of any other token: this many, or this many dollars' worth if that is more.
const OTHER_TOKENS: u64 = 100;
const OTHER_DOLLARS: &str = "1000";

/// What a filler holds of every token: this many dollars' worth, or this many tokens if that is more.
const MAKER_DOLLARS: &str = "5000000";
const MAKER_TOKENS: u64 = 1_000;

/// The initial holders of a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holders<'a> {
    pub(super) wallets: &'a [Address],
    pub(super) makers: &'a [Address],
}

/// A real token, which gets a test token at its address.
#[derive(Clone, Debug)]
pub struct WellKnownToken {
    pub address: Address,
    pub symbol: String,
    pub name: String,
    pub decimals: u8,
    /// It wraps the native coin and can be unwrapped.
    pub is_wrapped_native: bool,
    /// Roughly what one costs; sets how much of it the test wallets hold.
    pub usd_price: Option<UsdPrice>,
}

/// The contract of a test token.
#[derive(Clone, Copy, Debug)]
enum TokenContract {
    Play,
    Quirky,
    Taxed,
    WrappedNative,
}

impl WellKnownToken {
    /// The genesis account of the token on `chain`.
    pub(super) fn account(
        &self,
        codes: &Codes,
        chain: ChainId,
        holders: Holders<'_>,
        faucet: Address,
    ) -> Result<GenesisAccount, GenesisError> {
        let contract = if self.is_wrapped_native {
            TokenContract::WrappedNative
        } else if QUIRKY_USDT == (chain.get(), self.address) {
            TokenContract::Quirky
        } else {
            TokenContract::Play
        };
        self.genesis_account(contract, codes, holders, faucet)
    }

    fn genesis_account(
        &self,
        contract: TokenContract,
        codes: &Codes,
        holders: Holders<'_>,
        faucet: Address,
    ) -> Result<GenesisAccount, GenesisError> {
        let Some((balances, supply)) = self.balances(holders) else {
            return Err(GenesisError::Amount { symbol: self.symbol.clone(), decimals: self.decimals });
        };
        let mut storage = Storage::default();
        storage.text(slot::NAME, &self.name);
        storage.text(slot::SYMBOL, &self.symbol);
        storage.number(slot::DECIMALS, U256::from(self.decimals));
        for (holder, held) in balances {
            storage.entry(slot::BALANCE_OF, holder, held);
        }
        if !matches!(contract, TokenContract::WrappedNative) {
            storage.number(slot::TOTAL_SUPPLY, supply);
            storage.address(slot::FAUCET, faucet);
        }
        let mut balance = U256::ZERO;
        let code = match contract {
            TokenContract::Play => {
                storage.text(slot::VERSION, self.permit_version());
                &codes.play_token
            }
            TokenContract::Quirky => &codes.quirky_token,
            TokenContract::Taxed => {
                storage.number(slot::TAX_BASIS_POINTS, U256::from(100));
                &codes.taxed_token
            }
            TokenContract::WrappedNative => {
                // Each token is backed by one native coin.
                balance = supply;
                &codes.wrapped_native
            }
        };
        let (address, code) = (self.address, code.clone());
        Ok(GenesisAccount { address, balance, nonce: 1, code, storage: storage.into_slots() })
    }

    /// The balances and the total supply, if the decimals and the price allow it.
    fn balances(&self, holders: Holders<'_>) -> Option<(Vec<(Address, U256)>, U256)> {
        let (wallet, maker) =
            (self.wallet_holding()?, self.amount_for(MAKER_DOLLARS)?.max(self.whole(MAKER_TOKENS)?));
        let wallets = holders.wallets.iter().map(|holder| (*holder, wallet));
        let balances: Vec<_> = wallets.chain(holders.makers.iter().map(|holder| (*holder, maker))).collect();
        let supply = balances.iter().try_fold(U256::ZERO, |sum, (_, held)| sum.checked_add(*held))?;
        Some((balances, supply))
    }

    fn wallet_holding(&self) -> Option<U256> {
        if self.is_stablecoin() {
            return self.amount_for(STABLECOIN_DOLLARS);
        }
        Some(self.whole(OTHER_TOKENS)?.max(self.amount_for(OTHER_DOLLARS)?))
    }

    /// The amount that these dollars buy; zero if the price is unknown.
    fn amount_for(&self, dollars: &str) -> Option<U256> {
        let dollars: UsdAmount = dollars.parse().ok()?;
        self.usd_price.map_or(Some(U256::ZERO), |price| Some(price.buys(dollars, self.decimals)?.get()))
    }

    /// A number of whole tokens.
    fn whole(&self, tokens: u64) -> Option<U256> {
        U256::from(10).checked_pow(U256::from(self.decimals))?.checked_mul(U256::from(tokens))
    }

    /// A price within two percent of a dollar, or the euro stablecoin.
    fn is_stablecoin(&self) -> bool {
        let is_a_dollar = |price: UsdPrice| {
            let bound = |text: &str| text.parse::<UsdPrice>().ok();
            bound("0.98") <= Some(price) && Some(price) <= bound("1.02")
        };
        self.usd_price.is_some_and(|price| self.symbol == "EURC" || is_a_dollar(price))
    }

    /// The version in the permit domain; Circle's tokens use 2.
    fn permit_version(&self) -> &'static str {
        if matches!(self.symbol.as_str(), "USDC" | "EURC") { "2" } else { "1" }
    }
}

/// The test token with a transfer tax.
pub(super) fn taxed(
    codes: &Codes,
    holders: Holders<'_>,
    faucet: Address,
) -> Result<GenesisAccount, GenesisError> {
    let token = WellKnownToken {
        address: TAXED_TOKEN,
        symbol: "TAXED".to_owned(),
        name: "Taxed Token".to_owned(),
        decimals: 18,
        is_wrapped_native: false,
        usd_price: None,
    };
    token.genesis_account(TokenContract::Taxed, codes, holders, faucet)
}
