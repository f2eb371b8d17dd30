use alloy_primitives::{Address, U256, address};
use causeway_domain::{ChainId, UsdAmount, UsdPrice};

use super::artifact::Codes;
use super::error::GenesisError;
use super::storage::{Storage, slot};
use crate::evm::GenesisAccount;

/// Where the token lies, on every chain, that burns one percent of each transfer.
pub const TAXED_TOKEN: Address = address!("7A8ed00000000000000000000000000000000001");

/// USDT on Ethereum, the one place where it behaves unlike a standard token.
const QUIRKY_USDT: (u64, Address) = (1, address!("dAC17F958D2ee523a2206206994597C13D831ec7"));

/// What a wallet holds of a stablecoin, in dollars.
const STABLECOIN_DOLLARS: &str = "1000000";

/// What a wallet holds of any other token: so many of them, or so many dollars' worth if that is more.
const OTHER_TOKENS: u64 = 100;
const OTHER_DOLLARS: &str = "1000";

/// What a filler holds of every token: so many dollars' worth, or so many of them if that is more.
const MAKER_DOLLARS: &str = "5000000";
const MAKER_TOKENS: u64 = 1_000;

/// Whom a token's first supply belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holders<'a> {
    pub(super) wallets: &'a [Address],
    pub(super) makers: &'a [Address],
}

/// A token that lives on a chain in reality and gets a play token at its address here.
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

/// Which contract plays a token.
#[derive(Clone, Copy, Debug)]
enum Part {
    Play,
    Quirky,
    Taxed,
    WrappedNative,
}

impl WellKnownToken {
    /// The token as `chain` starts with it, `holders` holding the same amount each.
    pub(super) fn account(
        &self,
        codes: &Codes,
        chain: ChainId,
        holders: Holders<'_>,
        faucet: Address,
    ) -> Result<GenesisAccount, GenesisError> {
        let part = if self.is_wrapped_native {
            Part::WrappedNative
        } else if QUIRKY_USDT == (chain.get(), self.address) {
            Part::Quirky
        } else {
            Part::Play
        };
        self.played_by(part, codes, holders, faucet)
    }

    fn played_by(
        &self,
        part: Part,
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
        if !matches!(part, Part::WrappedNative) {
            storage.number(slot::TOTAL_SUPPLY, supply);
            storage.address(slot::FAUCET, faucet);
        }
        let mut balance = U256::ZERO;
        let code = match part {
            Part::Play => {
                storage.text(slot::VERSION, self.permit_version());
                &codes.play_token
            }
            Part::Quirky => &codes.quirky_token,
            Part::Taxed => {
                storage.number(slot::TAX_BASIS_POINTS, U256::from(100));
                &codes.taxed_token
            }
            Part::WrappedNative => {
                // Each token can be exchanged for the coin that it stands for.
                balance = supply;
                &codes.wrapped_native
            }
        };
        let (address, code) = (self.address, code.clone());
        Ok(GenesisAccount { address, balance, nonce: 1, code, storage: storage.into_slots() })
    }

    /// Who holds how much, and how much that is together, if the decimals and the price allow an answer.
    fn balances(&self, holders: Holders<'_>) -> Option<(Vec<(Address, U256)>, U256)> {
        let (wallet, maker) =
            (self.wallet_holding()?, self.worth(MAKER_DOLLARS)?.max(self.whole(MAKER_TOKENS)?));
        let wallets = holders.wallets.iter().map(|holder| (*holder, wallet));
        let balances: Vec<_> = wallets.chain(holders.makers.iter().map(|holder| (*holder, maker))).collect();
        let supply = balances.iter().try_fold(U256::ZERO, |sum, (_, held)| sum.checked_add(*held))?;
        Some((balances, supply))
    }

    fn wallet_holding(&self) -> Option<U256> {
        if self.is_stablecoin() {
            return self.worth(STABLECOIN_DOLLARS);
        }
        Some(self.whole(OTHER_TOKENS)?.max(self.worth(OTHER_DOLLARS)?))
    }

    /// What so many dollars buy; nothing where the price is not known.
    fn worth(&self, dollars: &str) -> Option<U256> {
        let dollars: UsdAmount = dollars.parse().ok()?;
        self.usd_price.map_or(Some(U256::ZERO), |price| Some(price.buys(dollars, self.decimals)?.get()))
    }

    /// So many whole tokens.
    fn whole(&self, tokens: u64) -> Option<U256> {
        U256::from(10).checked_pow(U256::from(self.decimals))?.checked_mul(U256::from(tokens))
    }

    /// A price within two percent of a dollar tells a stablecoin; only that of the euro floats.
    fn is_stablecoin(&self) -> bool {
        let is_a_dollar = |price: UsdPrice| {
            let bound = |text: &str| text.parse::<UsdPrice>().ok();
            bound("0.98") <= Some(price) && Some(price) <= bound("1.02")
        };
        self.usd_price.is_some_and(|price| self.symbol == "EURC" || is_a_dollar(price))
    }

    /// The version in the domain of permits: Circle's tokens are at their second.
    fn permit_version(&self) -> &'static str {
        if matches!(self.symbol.as_str(), "USDC" | "EURC") { "2" } else { "1" }
    }
}

/// The token that is there for tests of what a tax on transfers does.
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
    token.played_by(Part::Taxed, codes, holders, faucet)
}
