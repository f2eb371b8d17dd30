use std::fmt::Write as _;
use std::str::FromStr;

use anyhow::{Context as _, ensure};
use causeway_domain::Family;
use toml::Value;

const KINDS: [&str; 4] = ["keystore", "web3signer", "aws-kms", "gcp-kms"];

/// A key that lives elsewhere: whose it is, and an entry of `[[signers]]`.
#[derive(Clone, Debug)]
pub(crate) struct SignerOf {
    pub(super) role: String,
    kind: String,
    fields: Vec<(String, String)>,
}

impl FromStr for SignerOf {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (role, rest) = text
            .split_once('=')
            .context("write ROLE=KIND,FIELD=VALUE,…, such as relayer=web3signer,url=https://…,address=0x…")?;
        Self::new(role.trim(), rest)
    }
}

impl SignerOf {
    /// The key of a role, described as `KIND,FIELD=VALUE,…`.
    pub(super) fn new(role: &str, text: &str) -> anyhow::Result<Self> {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let kind = parts.next().filter(|kind| KINDS.contains(kind));
        let kind = kind.with_context(|| format!("name the kind first: {}", KINDS.join(", ")))?;
        let field = |part: &str| {
            let (name, value) =
                part.split_once('=').with_context(|| format!("`{part}` is not FIELD=VALUE"))?;
            let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            ensure!(is_name && !name.is_empty(), "`{name}` is not a field of an entry of [[signers]]");
            Ok((name.to_owned(), value.to_owned()))
        };
        let fields = parts.map(field).collect::<anyhow::Result<_>>()?;
        Ok(Self { role: role.to_owned(), kind: kind.to_owned(), fields })
    }

    /// The account, if it was named.
    pub(super) fn address(&self) -> Option<&str> {
        let address = self.fields.iter().find(|(name, _)| name == "address");
        address.map(|(_, value)| value.as_str())
    }

    /// The entry of the configuration.
    pub(super) fn text(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut out =
            format!("\n[[signers]]\nname = {}\nkind = {}\n", quoted(&self.role), quoted(&self.kind));
        for (name, value) in &self.fields {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{name} = {}", quoted(value));
        }
        out
    }
}

/// How a role is called on the command line and in `[[signers]]`.
pub(super) fn role_name(owner: &str, family: Family) -> String {
    if family == Family::Solana { format!("{owner}-solana") } else { owner.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signer_is_an_entry_of_the_configuration() {
        let signer: SignerOf =
            "relayer=web3signer,url=https://signer.internal:9000, address=0x12".parse().unwrap();
        assert_eq!((signer.role.as_str(), signer.address()), ("relayer", Some("0x12")));
        let table: toml::Table = signer.text().parse().unwrap();
        let entry = &table["signers"][0];
        assert_eq!(entry["name"].as_str(), Some("relayer"));
        assert_eq!(entry["kind"].as_str(), Some("web3signer"));
        assert_eq!(entry["url"].as_str(), Some("https://signer.internal:9000"));
    }

    #[test]
    fn a_malformed_signer_says_what_to_write() {
        for (text, words) in [
            ("relayer", "ROLE=KIND"),
            ("relayer=", "name the kind first"),
            ("relayer=vault,key=1", "web3signer"),
            ("relayer=aws-kms,region", "FIELD=VALUE"),
            ("relayer=aws-kms,a b=c", "not a field"),
        ] {
            let error = text.parse::<SignerOf>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
