use std::path::Path;
use std::sync::{Arc, LazyLock};

use alloy_primitives::{Address as EvmAddress, B256};
use anyhow::{Context as _, bail, ensure};
use causeway_domain::ports::KeySigner;
use causeway_domain::{Address, Family};
use causeway_http::Metrics;
use causeway_sandbox::genesis::is_test_key;
use causeway_signers::aws::{AwsKms, AwsKmsSettings, Credentials};
use causeway_signers::gcp::{GcpKms, GcpKmsSettings, ServiceAccount};
use causeway_signers::{Guarded, RemoteSigner, SignerCounts, keystore};
use zeroize::Zeroizing;

use crate::boot::config::{Config, Mode, SignerConfig, SignerKind};
use crate::boot::parts::account_keys::AccountKey;
use crate::boot::parts::keys::{PrivateKey, read_file};

/// Of all keys of this process.
static COUNTS: LazyLock<SignerCounts> = LazyLock::new(SignerCounts::default);

/// How often each key has signed, or has not.
pub(crate) fn signer_counts() -> SignerCounts {
    COUNTS.clone()
}

/// Registers how often each key has signed, or has not.
pub(crate) fn watch_signers(metrics: &Metrics) {
    let help = "Signatures by key and outcome: signed, or why not";
    metrics.register_counters("signer_requests", help, ["signer", "outcome"], || COUNTS.read());
}

/// Says which keys do not sign; a signer that is down when the service starts stops nothing else.
pub(crate) async fn report_silent_keys(keys: Vec<(String, AccountKey)>) {
    for (role, key) in keys {
        if let Err(error) = key.probe().await {
            let (address, place) = (key.address(), key.place());
            tracing::error!(role, %address, place, %error, "a key does not sign");
        }
    }
}

/// The key of this name, for an account of this family.
pub(crate) fn open_signer(config: &Config, name: &str, family: Family) -> anyhow::Result<AccountKey> {
    let signer = config.signers.iter().find(|signer| signer.name == name);
    let signer = signer.with_context(|| format!("there is no signer {name} in [[signers]]"))?;
    let path = signer.path();
    let key = open(signer, config.mode, family).with_context(|| format!("{path} cannot be used"))?;
    ensure!(
        key.address().family() == family,
        "{path} is the key of {}, which is not on the chains of its role",
        key.address()
    );
    let place = key.place();
    let guarded = Guarded::new(key, signer.deadline());
    Ok(AccountKey::new(Arc::new(guarded), place))
}

fn open(signer: &SignerConfig, mode: Mode, family: Family) -> anyhow::Result<Arc<dyn KeySigner>> {
    let deadline = signer.deadline();
    let said = signer.account()?;
    let evm = || -> anyhow::Result<EvmAddress> {
        match said {
            Some(Address::Evm(address)) => Ok(address),
            _ => bail!("its address is no account on EVM chains"),
        }
    };
    let endpoint = signer.endpoint.as_ref().map(|url| url.expose().to_owned());
    Ok(match signer.kind {
        SignerKind::Keystore => {
            let file = signer.file.as_deref().context("it names no file")?;
            let opened = open_keystore(file, &Zeroizing::new(password(signer)?), family)?;
            ensure!(
                said.is_none_or(|said| said == opened.address),
                "{} holds the key of {}, and not that of {}",
                file.display(),
                opened.address,
                signer.address.as_deref().unwrap_or_default()
            );
            let known = mode == Mode::Production && is_test_key(&B256::from(*opened.key));
            ensure!(!known, "{} holds a key of the test phrase, which everybody knows", file.display());
            let key = AccountKey::local(&PrivateKey::new(*opened.key), family, String::new())?;
            Arc::new(InPlace { key: key.signer(), place: format!("the keystore {}", file.display()) })
        }
        SignerKind::Web3signer => {
            let url = signer.url.as_ref().context("it names no url")?;
            let token = signer.token.as_ref().map(|token| token.reveal().to_owned());
            let address = said.context("it names no address")?;
            Arc::new(RemoteSigner::new(url.expose(), token, address, deadline)?)
        }
        SignerKind::AwsKms => {
            let settings = AwsKmsSettings {
                region: signer.region.clone().context("it names no region")?,
                key: signer.key.clone().context("it names no key")?,
                endpoint,
                credentials: Credentials::from_environment(),
                instance_metadata: None,
            };
            Arc::new(AwsKms::new(settings, evm()?, deadline)?)
        }
        SignerKind::GcpKms => {
            let account = signer.service_account_file.as_deref().map(|file| {
                let account = ServiceAccount::parse(&read_file(file)?);
                account.map_err(|words| anyhow::anyhow!("{}: {words}", file.display()))
            });
            let settings = GcpKmsSettings {
                key: signer.key.clone().context("it names no key")?,
                endpoint,
                service_account: account.transpose()?,
                metadata: std::env::var("GCE_METADATA_HOST").ok().map(|host| format!("http://{host}")),
            };
            Arc::new(GcpKms::new(settings, evm()?, deadline)?)
        }
    })
}

/// Opens an encrypted file.
pub(crate) fn open_keystore(
    file: &Path,
    password: &str,
    family: Family,
) -> anyhow::Result<keystore::OpenedKey> {
    let text = read_file(file)?;
    keystore::open(&text, password, family).with_context(|| format!("cannot open {}", file.display()))
}

/// Without the line break that editors leave at the end of a file.
pub(crate) fn read_password(file: &Path) -> anyhow::Result<String> {
    let text = read_file(file)?;
    let password = text.strip_suffix('\n').unwrap_or(&text);
    let password = password.strip_suffix('\r').unwrap_or(password);
    ensure!(!password.is_empty(), "{} holds no password", file.display());
    Ok(password.to_owned())
}

fn password(signer: &SignerConfig) -> anyhow::Result<String> {
    if let Some(file) = &signer.password_file {
        return read_password(file);
    }
    let variable = signer.password_variable();
    std::env::var(&variable)
        .with_context(|| format!("there is no password: set {variable}, or password_file"))
}

/// A key of this process that says where it came from.
#[derive(Debug)]
struct InPlace {
    key: Arc<dyn KeySigner>,
    place: String,
}

#[async_trait::async_trait]
impl KeySigner for InPlace {
    fn address(&self) -> Address {
        self.key.address()
    }

    fn place(&self) -> String {
        self.place.clone()
    }

    async fn sign(
        &self,
        request: &causeway_domain::ports::SigningRequest,
    ) -> Result<Vec<u8>, causeway_domain::ports::KeySignerError> {
        self.key.sign(request).await
    }
}
