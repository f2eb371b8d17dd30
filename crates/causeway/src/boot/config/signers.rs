use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use causeway_domain::{Address, Family};
use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};
use super::secret::Secret;
use super::web_address::WebAddress;
use super::{Config, Mode};

/// Where a key lives that is not in a plain file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SignerKind {
    /// An encrypted file.
    Keystore,
    /// A remote signer that answers as web3signer does.
    Web3signer,
    AwsKms,
    GcpKms,
}

/// A key that roles name by `signer` instead of a key file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignerConfig {
    pub(crate) name: String,
    pub(crate) kind: SignerKind,
    /// The account of the key. Every signature is compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) address: Option<String>,
    /// Keystore: the encrypted file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<PathBuf>,
    /// Keystore: the file with its password; without it the password comes from the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) password_file: Option<PathBuf>,
    /// web3signer: its base URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<WebAddress>,
    /// web3signer: sent as a bearer token, for a proxy in front of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<Secret>,
    /// AWS: the region of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<String>,
    /// AWS: id, ARN or alias. Google: the resource name of a key version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// AWS and Google: instead of the public address of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) endpoint: Option<WebAddress>,
    /// Google: a service account's key file; without it the machine's own account is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) service_account_file: Option<PathBuf>,
    /// How long one signature may take.
    #[serde(default = "default_deadline")]
    pub(crate) deadline_ms: u64,
}

const fn default_deadline() -> u64 {
    5_000
}

/// The longest deadline, in milliseconds: a nonce is held meanwhile.
const MAX_DEADLINE: u64 = 30_000;

impl SignerConfig {
    /// The environment variable of a keystore's password.
    pub(crate) fn password_variable(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        format!("CAUSEWAY_SIGNER_{}_PASSWORD", self.name.chars().map(letter).collect::<String>())
    }

    pub(crate) const fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(crate) fn account(&self) -> anyhow::Result<Option<Address>> {
        let parse = |text: &String| {
            Address::parse_any(text)
                .with_context(|| format!("{}.address is not an address on EVM chains or Solana", self.path()))
        };
        self.address.as_ref().map(parse).transpose()
    }

    pub(crate) fn path(&self) -> String {
        format!("signers.{}", self.name)
    }

    /// The settings that are there, by name.
    fn settings(&self) -> [(&'static str, bool); 9] {
        [
            ("address", self.address.is_some()),
            ("file", self.file.is_some()),
            ("password_file", self.password_file.is_some()),
            ("url", self.url.is_some()),
            ("token", self.token.is_some()),
            ("region", self.region.is_some()),
            ("key", self.key.is_some()),
            ("endpoint", self.endpoint.is_some()),
            ("service_account_file", self.service_account_file.is_some()),
        ]
    }

    fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let path = self.path();
        let (needed, optional): (&[&str], &[&str]) = match self.kind {
            SignerKind::Keystore => (&["file"], &["password_file", "address"]),
            SignerKind::Web3signer => (&["url", "address"], &["token"]),
            SignerKind::AwsKms => (&["region", "key", "address"], &["endpoint"]),
            SignerKind::GcpKms => (&["key", "address"], &["endpoint", "service_account_file"]),
        };
        for (name, is_there) in self.settings() {
            demand!(faults, is_there || !needed.contains(&name), "{path}.{name} is missing");
            demand!(
                faults,
                !is_there || needed.contains(&name) || optional.contains(&name),
                "{path}.{name} has no meaning for a signer of this kind"
            );
        }
        if self.kind == SignerKind::Keystore && mode == Mode::Production {
            demand!(
                faults,
                self.password_file.is_some() || std::env::var(self.password_variable()).is_ok(),
                "{path} has no password: name a file in password_file, or set {}",
                self.password_variable()
            );
        }
        if let Some(account) = faults.check(self.account()).flatten() {
            let is_kms = matches!(self.kind, SignerKind::AwsKms | SignerKind::GcpKms);
            demand!(
                faults,
                !is_kms || account.family() == Family::Evm,
                "{path}.address is on Solana, and key management services sign for EVM chains only"
            );
        }
        for (name, url) in [("url", &self.url), ("endpoint", &self.endpoint)] {
            if let Some(url) = url {
                faults.check(check_url(url).map_err(|words| anyhow::anyhow!("{path}.{name} {words}")));
            }
        }
        demand!(
            faults,
            (100..=MAX_DEADLINE).contains(&self.deadline_ms),
            "{path}.deadline_ms must be between 100 and {MAX_DEADLINE}"
        );
        faults.end()
    }
}

/// What is signed moves money, so it travels encrypted, except to this machine and within a private network.
fn check_url(url: &WebAddress) -> Result<(), &'static str> {
    let parsed = Url::parse(url.expose()).map_err(|_| "is not a URL")?;
    match parsed.scheme() {
        "https" => Ok(()),
        "http" if causeway_http_client::names_private_host(&parsed) => Ok(()),
        "http" => Err("must be https, unless it names an address of this machine or of a private network"),
        _ => Err("must be an https URL"),
    }
}

/// Checks every signer, and that roles name existing ones and no key file besides.
pub(super) fn check(config: &Config) -> anyhow::Result<()> {
    let mut faults = Faults::default();
    let mut names = BTreeSet::new();
    for signer in &config.signers {
        let name = signer.name.as_str();
        let letters = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        demand!(
            faults,
            (1..=62).contains(&name.len()) && name.chars().all(letters),
            "signers: a name is 1 to 62 letters, digits, `-` or `_`, unlike {name:?}"
        );
        demand!(faults, names.insert(name), "signers: there are two of the name {name}");
        faults.check(signer.check(config.mode));
    }
    for (setting, signer, file) in roles(config) {
        let Some(signer) = signer else { continue };
        demand!(
            faults,
            names.contains(signer),
            "{setting} names {signer}, and there is no such entry in [[signers]]"
        );
        demand!(faults, !file, "{setting} and a key file are both set: leave one of them out");
    }
    faults.end()
}

/// The settings that may name a signer, the names, and whether the role has a key file besides.
fn roles(config: &Config) -> Vec<(String, Option<&str>, bool)> {
    let Config { relayer, attester, fiat, market_makers, .. } = config;
    let mut roles = vec![
        ("relayer.signer".to_owned(), relayer.signer.as_deref(), relayer.key_file.is_some()),
        (
            "relayer.solana_signer".to_owned(),
            relayer.solana_signer.as_deref(),
            relayer.solana_key_file.is_some(),
        ),
        ("attester.signer".to_owned(), attester.signer.as_deref(), attester.key_file.is_some()),
        ("fiat.maker_signer".to_owned(), fiat.maker_signer.as_deref(), fiat.maker_key_file.is_some()),
    ];
    for maker in market_makers {
        let path = |setting: &str| format!("market_makers.{}.{setting}", maker.name);
        roles.push((path("signer"), maker.signer.as_deref(), maker.key_file.is_some()));
        roles.push((path("solana_signer"), maker.solana_signer.as_deref(), maker.solana_key_file.is_some()));
    }
    roles
}

#[cfg(test)]
mod tests {
    use crate::boot::config::Config;
    use crate::boot::config::faults::Faults;

    const ADDRESS: &str = "address = \"0x70997970C51812dc3A010C7d01b50e0d17dc79C8\"";

    fn faults(text: &str) -> Vec<String> {
        let text = format!("mode = \"production\"\n{text}");
        match Config::from_text(&text, |_| ()) {
            Ok(_) => Vec::new(),
            Err(error) => error.downcast::<Faults>().unwrap().into_words(),
        }
    }

    #[test]
    fn signers_of_every_kind_are_read() {
        let text = format!(
            "[[signers]]\nname = \"a\"\nkind = \"keystore\"\nfile = \"a.json\"\npassword_file = \"a.password\"\n\
             [[signers]]\nname = \"b\"\nkind = \"web3signer\"\nurl = \"https://signer.example\"\ntoken = \"hunter2\"\n{ADDRESS}\n\
             [[signers]]\nname = \"c\"\nkind = \"aws-kms\"\nregion = \"eu-central-1\"\nkey = \"alias/relayer\"\n{ADDRESS}\n\
             [[signers]]\nname = \"d\"\nkind = \"gcp-kms\"\nkey = \"projects/p\"\n{ADDRESS}\n\
             [relayer]\nsigner = \"b\"\n"
        );
        assert_eq!(faults(&text), Vec::<String>::new());
        let config = Config::from_text(&text, |_| ()).unwrap();
        assert!(!format!("{config:?}{}", config.to_toml().unwrap()).contains("hunter2"));
    }

    #[test]
    fn every_fault_of_a_signer_is_told_with_its_line() {
        for (line, text, words) in [
            (2, "[[signers]]\nname = \"a\"\nkind = \"keystore\"\nfile = \"a.json\"\n".to_owned(), "has no password"),
            (4, "[[signers]]\nname = \"a\"\nkind = \"vault\"\n".to_owned(), "unknown variant `vault`"),
            (
                2,
                "[[signers]]\nname = \"a\"\nkind = \"web3signer\"\nurl = \"https://a.example\"\n".to_owned(),
                "signers.a.address is missing",
            ),
            (
                5,
                format!("[[signers]]\nname = \"a\"\nkind = \"web3signer\"\nurl = \"http://a.example\"\n{ADDRESS}\n"),
                "must be https",
            ),
            (
                6,
                format!("[[signers]]\nname = \"a\"\nkind = \"gcp-kms\"\nkey = \"projects/p\"\nregion = \"eu\"\n{ADDRESS}\n"),
                "signers.a.region has no meaning",
            ),
            (3, "[relayer]\nsigner = \"none\"\n".to_owned(), "there is no such entry"),
            (
                3,
                format!(
                    "[relayer]\nsigner = \"a\"\nkey_file = \"b\"\n\
                     [[signers]]\nname = \"a\"\nkind = \"gcp-kms\"\nkey = \"projects/p\"\n{ADDRESS}\n"
                ),
                "both set",
            ),
            (
                6,
                "[[signers]]\nname = \"a\"\nkind = \"aws-kms\"\nregion = \"eu\"\naddress = \"0x12\"\nkey = \"k\"\n".to_owned(),
                "signers.a.address is not an address",
            ),
        ] {
            let found = faults(&text);
            let told = found.iter().find(|fault| fault.contains(words));
            let told = told.unwrap_or_else(|| panic!("{words}: {found:?}"));
            assert!(told.starts_with(&format!("line {line}")), "{told}\n{text}");
        }
    }
}
