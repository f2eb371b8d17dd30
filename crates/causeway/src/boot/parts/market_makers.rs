use std::path::Path;

use anyhow::{Context as _, ensure};
use causeway_domain::{Address, ChainId, Family, Parties};
use causeway_engine::KnownFiller;
use causeway_fillers::inventory::{Accounts, InventoryConfig, Spreads};
use causeway_sandbox::genesis::{FillerRole, Roles};

use crate::boot::config::{Config, MarketMakerConfig, Mode};
use crate::boot::parts::account_keys::{AccountKey, KeySetting, find_account_key};
use crate::boot::parts::keys::PrivateKey;
use crate::boot::parts::service_keys::SANDBOX;

/// The type of our own fillers in routes.
const KIND: &str = "native-filler";

/// The settings and keys of a market maker of our own.
pub(crate) struct MarketMakerSpec {
    /// Pricing and risk limits.
    pub(crate) settings: InventoryConfig,
    pub(crate) accounts: Accounts,
    pub(crate) keys: HotKeys,
    /// The chains it serves; all if empty.
    pub(crate) chains: Vec<ChainId>,
    /// The coins it trades; all if empty.
    pub(crate) coins: Vec<String>,
}

/// The keys of the accounts that hold a market maker's inventory.
#[derive(Clone)]
pub(crate) struct HotKeys {
    pub(crate) evm: Option<AccountKey>,
    pub(crate) solana: Option<AccountKey>,
}

impl MarketMakerSpec {
    /// Whether it is configured for the chain and has a key there.
    pub(crate) fn serves(&self, chain: ChainId) -> bool {
        let chosen = self.chains.is_empty() || self.chains.contains(&chain);
        chosen && self.accounts.for_family(chain.family()).is_some()
    }

    /// Whether it trades the coin, or the asset that the coin represents.
    pub(crate) fn trades(&self, coin: &str, asset: &str) -> bool {
        self.coins.is_empty() || self.coins.iter().any(|own| own == coin || own == asset)
    }

    fn known(&self) -> KnownFiller {
        let Accounts { evm, solana } = self.accounts;
        let accounts = evm.into_iter().chain(solana).map(|parties| parties.filler).collect();
        KnownFiller { name: self.settings.name.clone(), kind: KIND.to_owned(), accounts }
    }

    /// A sandbox market maker; each of the two has the better spread for one kind of pair.
    fn sandbox(role: &FillerRole) -> anyhow::Result<Self> {
        let own = |key, family| AccountKey::local(&PrivateKey::new(key), family, SANDBOX.to_owned());
        let spreads =
            if role.name == "north" { Spreads::tight_on_stables() } else { Spreads::tight_on_volatile() };
        let parties = |filler, payee| Some(Parties { filler, payee });
        Ok(Self {
            settings: InventoryConfig { name: role.name.to_owned(), spreads, ..InventoryConfig::default() },
            accounts: Accounts {
                evm: parties(Address::Evm(role.hot.address), Address::Evm(role.payee.address)),
                solana: parties(
                    Address::Solana(role.solana_hot.address),
                    Address::Solana(role.solana_payee.address),
                ),
            },
            keys: HotKeys {
                evm: Some(own(role.hot.key.0, Family::Evm)?),
                solana: Some(own(role.solana_hot.seed.0, Family::Solana)?),
            },
            chains: Vec::new(),
            coins: Vec::new(),
        })
    }

    fn configured(all: &Config, config: &MarketMakerConfig) -> anyhow::Result<Self> {
        let MarketMakerConfig { name, key_file, solana_key_file, signer, solana_signer, .. } = config;
        let (variable, solana_variable) = (config.key_variable(), config.solana_key_variable());
        let find = |family, variable: &str, file: Option<&Path>, signer: Option<&str>| {
            find_account_key(all, KeySetting { family, signer, file, variable })
                .with_context(|| format!("the market maker {name} cannot trade"))
        };
        let keys = HotKeys {
            evm: find(Family::Evm, &variable, key_file.as_deref(), signer.as_deref())?,
            solana: {
                let (file, signer) = (solana_key_file.as_deref(), solana_signer.as_deref());
                find(Family::Solana, &solana_variable, file, signer)?
            },
        };
        ensure!(
            keys.evm.is_some() || keys.solana.is_some(),
            "the market maker {name} has no key: name a file in its key_file or solana_key_file, or set {variable} or \
             {solana_variable}"
        );
        let evm = match &keys.evm {
            Some(key) => {
                let filler = key.address();
                let payee = config.payee.map_or(filler, Address::Evm);
                Some(parties(config, "payee", filler, payee)?)
            }
            None => None,
        };
        let solana_payee = config.solana_payee()?;
        let solana = match &keys.solana {
            Some(key) => {
                let filler = key.address();
                Some(parties(config, "solana_payee", filler, solana_payee.unwrap_or(filler))?)
            }
            None => None,
        };
        Ok(Self {
            settings: config.inventory()?,
            accounts: Accounts { evm, solana },
            keys,
            chains: config.chains()?,
            coins: config.coins.clone(),
        })
    }
}

/// Deposits go to another account than the hot key's, unless the configuration says that they need not.
fn parties(
    config: &MarketMakerConfig,
    key: &str,
    filler: Address,
    payee: Address,
) -> anyhow::Result<Parties> {
    let name = &config.name;
    ensure!(
        filler != payee || config.payee_is_hot_key,
        "market_makers.{name}: what it earns would go to its hot key {filler}; name a cold account in `{key}`, or write \
         `payee_is_hot_key = true`"
    );
    Ok(Parties { filler, payee })
}

/// Our own market makers: the sandbox's two, or those of the configuration.
pub(crate) fn load_market_makers(config: &Config) -> anyhow::Result<Vec<MarketMakerSpec>> {
    let claims = config.claims.batching(config.mode)?;
    let with_claims = |mut maker: MarketMakerSpec| {
        maker.settings.claims = claims.clone();
        maker
    };
    if config.mode == Mode::Sandbox {
        let roles = Roles::new()?;
        let made = roles.fillers.iter().map(|role| MarketMakerSpec::sandbox(role).map(with_claims));
        return made.collect();
    }
    let makers = config.market_makers.iter().map(|maker| MarketMakerSpec::configured(config, maker));
    let makers: Vec<MarketMakerSpec> =
        makers.map(|maker| maker.map(with_claims)).collect::<anyhow::Result<_>>()?;
    for (index, maker) in makers.iter().enumerate() {
        let other = makers.iter().take(index).find(|other| {
            let same = |one: Option<Parties>, other: Option<Parties>| {
                one.zip(other).is_some_and(|(one, other)| one.filler == other.filler)
            };
            same(maker.accounts.evm, other.accounts.evm) || same(maker.accounts.solana, other.accounts.solana)
        });
        if let Some(other) = other {
            anyhow::bail!(
                "the market makers {} and {} have the same key: each needs one of its own, or both would promise the \
                 same money",
                other.settings.name,
                maker.settings.name
            );
        }
    }
    Ok(makers)
}

/// The fillers whose keys we hold.
pub(crate) fn known_fillers(makers: &[MarketMakerSpec]) -> Vec<KnownFiller> {
    makers.iter().map(MarketMakerSpec::known).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn key_file(folder: &Path, name: &str, byte: u8) -> std::path::PathBuf {
        let file = folder.join(name);
        std::fs::write(&file, format!("{byte:02x}").repeat(32)).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        file
    }

    fn production(makers: &[(&str, &Path)]) -> Config {
        production_with(makers, "payee_is_hot_key = true")
    }

    fn production_with(makers: &[(&str, &Path)], payee: &str) -> Config {
        let maker = |(name, file): &(&str, &Path)| {
            toml::from_str(&format!(
                "name = \"{name}\"\nkey_file = {file:?}\nchains = [10]\ncoins = [\"usd-coin\"]\n{payee}"
            ))
        };
        let market_makers = makers.iter().map(maker).collect::<Result<_, _>>().unwrap();
        Config { mode: Mode::Production, market_makers, ..Config::default() }
    }

    #[test]
    fn configured_market_maker_serves_its_chains_and_coins() {
        let folder = tempfile::tempdir().unwrap();
        let file = key_file(folder.path(), "house", 0x42);
        let made = load_market_makers(&production(&[("house", &file)])).unwrap();
        let [maker] = made.as_slice() else { panic!("one is configured") };
        let chain = |id| ChainId::new(id).unwrap();
        assert!(maker.serves(chain(10)) && !maker.serves(chain(1)));
        assert!(!maker.serves(causeway_domain::SOLANA_CHAIN_ID), "it has no key there");
        assert!(maker.trades("usd-coin", "usd-coin") && !maker.trades("weth", "ethereum"));
        let parties = maker.accounts.evm.unwrap();
        assert_eq!(parties.filler, parties.payee);
        assert_eq!(known_fillers(&made)[0].accounts, [parties.filler]);
    }

    #[test]
    fn deposits_go_to_the_hot_key_only_where_the_configuration_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = key_file(folder.path(), "house", 0x42);
        let own = load_market_makers(&production(&[("house", &file)])).unwrap().remove(0);
        let hot = own.accounts.evm.unwrap().filler;
        for payee in [String::new(), format!("payee = \"{hot}\"")] {
            let refused = load_market_makers(&production_with(&[("house", &file)], &payee)).err().unwrap();
            assert!(refused.to_string().contains("payee_is_hot_key = true"), "{refused}");
        }
        let cold = "payee = \"0x70997970C51812dc3A010C7d01b50e0d17dc79C8\"";
        let maker = load_market_makers(&production_with(&[("house", &file)], cold)).unwrap().remove(0);
        assert_ne!(maker.accounts.evm.unwrap().payee, hot);
    }

    #[test]
    fn two_market_makers_never_share_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (key_file(folder.path(), "one", 1), key_file(folder.path(), "other", 1));
        let refused =
            load_market_makers(&production(&[("east", &one), ("west", &other)])).err().unwrap().to_string();
        assert!(refused.contains("east and west have the same key"), "{refused}");
    }

    #[test]
    fn missing_key_error_names_the_market_maker() {
        let refused = load_market_makers(&production(&[("house", Path::new("/no/such/key"))])).err().unwrap();
        let words = format!("{refused:#}");
        assert!(words.contains("market maker house") && words.contains("/no/such/key"), "{words}");
        let market_makers = vec![toml::from_str("name = \"bare\"").unwrap()];
        let config = Config { mode: Mode::Production, market_makers, ..Config::default() };
        let words = load_market_makers(&config).err().unwrap().to_string();
        assert!(words.contains("CAUSEWAY_MARKET_MAKER_BARE_KEY"), "{words}");
    }

    #[test]
    fn sandbox_has_two_market_makers_that_serve_everything() {
        let made = load_market_makers(&Config::default()).unwrap();
        assert_eq!(
            known_fillers(&made).iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
            ["north", "south"]
        );
        assert!(made.iter().all(|maker| maker.serves(causeway_domain::SOLANA_CHAIN_ID)));
    }
}
