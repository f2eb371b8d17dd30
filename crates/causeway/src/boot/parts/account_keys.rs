use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use causeway_domain::ports::{KeySigner, KeySignerError, SigningRequest};
use causeway_domain::{Address, Family};
use causeway_evm::EvmAccountKey;
use causeway_solana::SolanaAccountKey;
use jiff::Timestamp;

use crate::boot::config::Config;
use crate::boot::parts::keys::{PrivateKey, find_key};
use crate::boot::parts::signers::open_signer;

/// The environment variable of an attester's key, unless a file or a signer is configured.
const ATTESTER_KEY_VARIABLE: &str = "CAUSEWAY_ATTESTER_KEY";

/// The key of an account, wherever it lives.
#[derive(Clone, Debug)]
pub(crate) struct AccountKey {
    signer: Arc<dyn KeySigner>,
    place: String,
}

/// Two keys are the same if their accounts are.
impl PartialEq for AccountKey {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl AccountKey {
    pub(crate) fn new(signer: Arc<dyn KeySigner>, place: String) -> Self {
        Self { signer, place }
    }

    /// A private key in this process, which came from this place.
    pub(crate) fn local(key: &PrivateKey, family: Family, place: String) -> anyhow::Result<Self> {
        Ok(match family {
            Family::Evm => Self::new(Arc::new(key.signer()?), place),
            Family::Solana => Self::new(Arc::new(key.solana()), place),
            Family::Bitcoin | Family::Tron => bail!("the service has no keys of this chain"),
        })
    }

    pub(crate) fn address(&self) -> Address {
        self.signer.address()
    }

    /// Where it lives.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Has the key sign something that does nothing. What it answers is compared with its account.
    pub(crate) async fn probe(&self) -> Result<(), KeySignerError> {
        let number = Timestamp::now().as_millisecond().unsigned_abs();
        self.signer.sign(&SigningRequest::probe(number)).await.map(drop)
    }

    pub(crate) fn signer(&self) -> Arc<dyn KeySigner> {
        Arc::clone(&self.signer)
    }

    pub(crate) fn evm(&self) -> anyhow::Result<EvmAccountKey> {
        Ok(EvmAccountKey::new(self.signer())?)
    }

    pub(crate) fn solana(&self) -> anyhow::Result<SolanaAccountKey> {
        Ok(SolanaAccountKey::new(self.signer())?)
    }
}

/// What names a role's key: an entry of `[[signers]]`, else a file, else an environment variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeySetting<'a> {
    pub(crate) family: Family,
    pub(crate) signer: Option<&'a str>,
    pub(crate) file: Option<&'a Path>,
    /// The environment variable of the private key.
    pub(crate) variable: &'a str,
}

/// Opens the key of a role; none where nothing names one.
pub(crate) fn find_account_key(
    config: &Config,
    setting: KeySetting<'_>,
) -> anyhow::Result<Option<AccountKey>> {
    let KeySetting { family, signer, file, variable } = setting;
    if let Some(name) = signer {
        return open_signer(config, name, family).map(Some);
    }
    let place = file
        .map_or_else(|| format!("the variable {variable}"), |file| format!("the file {}", file.display()));
    let key = find_key(config.mode, family, variable, file)?;
    key.map(|key| AccountKey::local(&key, family, place)).transpose()
}

/// The attester's own key.
pub(crate) fn attester_key(config: &Config) -> anyhow::Result<AccountKey> {
    let setting = KeySetting {
        family: Family::Evm,
        signer: config.attester.signer.as_deref(),
        file: config.attester.key_file.as_deref(),
        variable: ATTESTER_KEY_VARIABLE,
    };
    let key = find_account_key(config, setting)?;
    key.with_context(|| format!("set {ATTESTER_KEY_VARIABLE} to the private key (64 hex digits)"))
}
