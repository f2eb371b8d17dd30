use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use causeway_domain::Family;
use causeway_sandbox::genesis::Roles;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::account_keys::{AccountKey, KeySetting, find_account_key};
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::keys::{PrivateKey, maker_key};
use crate::boot::parts::market_makers::MarketMakerSpec;
use crate::boot::parts::signers::open_signer;

/// The environment variables of the relayer's keys, unless files are configured.
const RELAYER: &str = "CAUSEWAY_RELAYER_KEY";
const SOLANA_RELAYER: &str = "CAUSEWAY_RELAYER_SOLANA_KEY";

/// Where the sandbox's keys are.
pub(crate) const SANDBOX: &str = "the sandbox";

/// The service's own keys, apart from those of its market makers.
#[derive(Debug)]
pub(crate) struct ServiceKeys {
    /// Pays the gas of transactions for users. Absent where no chain of the family is served.
    relayer: Option<AccountKey>,
    solana_relayer: Option<AccountKey>,
    /// Signs the forwarding orders of purchases.
    pub(crate) maker: AccountKey,
}

impl ServiceKeys {
    /// The sandbox's keys.
    fn sandbox() -> anyhow::Result<Self> {
        let roles = Roles::new()?;
        let own = |key, family| AccountKey::local(&PrivateKey::new(key), family, SANDBOX.to_owned());
        Ok(Self {
            relayer: Some(own(roles.relayer.key.0, Family::Evm)?),
            solana_relayer: Some(own(roles.solana_relayer.seed.0, Family::Solana)?),
            maker: own(roles.maker.key.0, Family::Evm)?,
        })
    }

    /// The keys that orders on these contracts need.
    pub(crate) fn open(
        config: &Config,
        deployments: &Deployments,
        makers: &[MarketMakerSpec],
    ) -> anyhow::Result<Self> {
        if config.mode == Mode::Sandbox {
            return Self::sandbox();
        }
        let keys = Self {
            relayer: find_relayer(config, Family::Evm)?,
            solana_relayer: find_relayer(config, Family::Solana)?,
            maker: find_maker(config)?,
        };
        ensure!(
            deployments.evm.is_empty() || keys.relayer.is_some(),
            "a key must pay for the transactions that the service sends for users: name one in relayer.key_file, or set {RELAYER}"
        );
        ensure!(
            deployments.solana.is_none() || keys.solana_relayer.is_some(),
            "a key must pay for the transactions that the service sends for users on Solana: name one in \
             relayer.solana_key_file, or set {SOLANA_RELAYER}"
        );
        for MarketMakerSpec { settings, keys: hot, .. } in makers {
            let shared = |own: &Option<AccountKey>, other: &Option<AccountKey>| own.is_some() && own == other;
            ensure!(
                !shared(&keys.relayer, &hot.evm) && !shared(&keys.solana_relayer, &hot.solana),
                "the relayer and the market maker {} have the same key: the relayer needs one of its own, with coins for \
                 gas and nothing else",
                settings.name
            );
        }
        Ok(keys)
    }

    /// The relayer's keys, on EVM chains and on Solana.
    pub(crate) const fn relayers(&self) -> (Option<&AccountKey>, Option<&AccountKey>) {
        (self.relayer.as_ref(), self.solana_relayer.as_ref())
    }

    pub(crate) fn relayer(&self) -> anyhow::Result<&AccountKey> {
        self.relayer.as_ref().context("the relayer has no key on EVM chains")
    }

    pub(crate) fn solana_relayer(&self) -> anyhow::Result<&AccountKey> {
        self.solana_relayer.as_ref().context("the relayer has no key on Solana")
    }
}

/// Every key of an account that the service signs with, by its role.
pub(crate) fn account_keys(
    keys: Option<&ServiceKeys>,
    makers: &[MarketMakerSpec],
) -> Vec<(String, AccountKey)> {
    let Some(keys) = keys else { return Vec::new() };
    let own = [
        ("relayer", keys.relayer.as_ref()),
        ("relayer.solana", keys.solana_relayer.as_ref()),
        ("maker", Some(&keys.maker)),
    ];
    let own = own.into_iter().filter_map(|(role, key)| Some((role.to_owned(), key?.clone())));
    let hot = makers.iter().flat_map(|maker| {
        let role = format!("market_makers.{}", maker.settings.name);
        [(role.clone(), &maker.keys.evm), (format!("{role}.solana"), &maker.keys.solana)]
    });
    own.chain(hot.filter_map(|(role, key)| Some((role, key.clone()?)))).collect()
}

/// The relayer's key in production, if it has one.
pub(crate) fn find_relayer(config: &Config, family: Family) -> anyhow::Result<Option<AccountKey>> {
    let relayer = &config.relayer;
    let (variable, file, signer) = match family {
        Family::Evm => (RELAYER, &relayer.key_file, &relayer.signer),
        Family::Solana => (SOLANA_RELAYER, &relayer.solana_key_file, &relayer.solana_signer),
        Family::Bitcoin | Family::Tron => return Ok(None),
    };
    let setting = KeySetting { family, signer: signer.as_deref(), file: file.as_deref(), variable };
    find_account_key(config, setting).context("the relayer has no key")
}

/// The key that signs forwarding orders; its file is made if nothing else is configured.
fn find_maker(config: &Config) -> anyhow::Result<AccountKey> {
    match &config.fiat.maker_signer {
        Some(name) => open_signer(config, name, Family::Evm),
        None => maker_key(config.mode, &maker_key_file(config)),
    }
}

pub(crate) fn maker_key_file(config: &Config) -> PathBuf {
    let file = config.fiat.maker_key_file.clone();
    file.unwrap_or_else(|| config.data_dir.join("keys").join("maker"))
}
