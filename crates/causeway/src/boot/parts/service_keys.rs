use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use causeway_domain::Family;
use causeway_evm::Signer;
use causeway_sandbox::genesis::Roles;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::keys::{PrivateKey, find_key, maker_key};
use crate::boot::parts::market_makers::MarketMakerSpec;

/// The environment variables of the relayer's keys, unless files are configured.
const RELAYER: &str = "CAUSEWAY_RELAYER_KEY";
const SOLANA_RELAYER: &str = "CAUSEWAY_RELAYER_SOLANA_KEY";

/// The service's own keys, apart from those of its market makers.
#[derive(Debug)]
pub(crate) struct ServiceKeys {
    /// Pays the gas of transactions for users. Absent where no chain of the family is served.
    relayer: Option<PrivateKey>,
    solana_relayer: Option<PrivateKey>,
    /// Signs the forwarding orders of purchases.
    pub(crate) maker: PrivateKey,
}

impl ServiceKeys {
    /// The sandbox's keys.
    fn sandbox() -> anyhow::Result<Self> {
        let roles = Roles::new()?;
        Ok(Self {
            relayer: Some(PrivateKey::new(roles.relayer.key.0)),
            solana_relayer: Some(PrivateKey::new(roles.solana_relayer.seed.0)),
            maker: PrivateKey::new(roles.maker.key.0),
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
            maker: maker_key(config.mode, &maker_key_file(config))?,
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
            let shared = |own: &Option<PrivateKey>, other: &Option<PrivateKey>| own.is_some() && own == other;
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
    pub(crate) const fn relayers(&self) -> (Option<&PrivateKey>, Option<&PrivateKey>) {
        (self.relayer.as_ref(), self.solana_relayer.as_ref())
    }

    pub(crate) fn relayer(&self) -> anyhow::Result<Signer> {
        self.relayer.as_ref().context("the relayer has no key on EVM chains")?.signer()
    }

    pub(crate) fn solana_relayer(&self) -> anyhow::Result<&PrivateKey> {
        self.solana_relayer.as_ref().context("the relayer has no key on Solana")
    }
}

/// The relayer's key in production, if it has one.
pub(crate) fn find_relayer(config: &Config, family: Family) -> anyhow::Result<Option<PrivateKey>> {
    let (variable, file) = match family {
        Family::Evm => (RELAYER, &config.relayer.key_file),
        Family::Solana => (SOLANA_RELAYER, &config.relayer.solana_key_file),
        Family::Bitcoin | Family::Tron => return Ok(None),
    };
    find_key(config.mode, family, variable, file.as_deref()).context("the relayer has no key")
}

pub(crate) fn maker_key_file(config: &Config) -> PathBuf {
    let file = config.fiat.maker_key_file.clone();
    file.unwrap_or_else(|| config.data_dir.join("keys").join("maker"))
}
