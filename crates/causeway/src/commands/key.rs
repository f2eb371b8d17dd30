use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use causeway_domain::{Address, Family, QuoteKey};
use causeway_http::OperatorToken;
use causeway_signers::keystore;
use clap::Subcommand;

use crate::boot::config::{Config, OperatorTokenConfig, RoleName};
use crate::boot::parts::deployments::Records;
use crate::boot::parts::keys::{KeyFile, read_file, read_key_file, write_key, write_keystore};
use crate::boot::parts::market_makers::load_market_makers;
use crate::boot::parts::service_keys::ServiceKeys;
use crate::boot::parts::shared_keys::{fingerprint, shared_keys};
use crate::boot::parts::signers::read_password;
use crate::boot::parts::store::open_store;
use crate::runtime;

/// The longest key that is read from standard input.
const MAX_BYTES: u64 = 4_096;

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key in a new file that only its owner can read
    New {
        /// The file to create; it must not exist yet
        file: PathBuf,
        /// A keypair of Solana, as solana-keygen writes it
        #[arg(long)]
        solana: bool,
        /// Write an encrypted keystore that this file's password opens
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
    /// Show the addresses and fingerprints of the service's keys, or of the key in a file; never the key itself
    Show {
        /// A key file; without it, the keys of the configuration
        file: Option<PathBuf>,
    },
    /// Print the address of the key in a file, and nothing else
    Address {
        /// A key file
        file: PathBuf,
    },
    /// Print the fingerprint of the key in a file, by which replicas compare keys without an address
    Fingerprint {
        /// A key file
        file: PathBuf,
    },
    /// Write a key from standard input into a new file that only its owner can read
    ///
    /// Takes 64 hex digits, or a keypair of Solana as a JSON array or in base58. A file of quote keys has one per line.
    Import {
        /// The file to create; it must not exist yet
        file: PathBuf,
        /// Write an encrypted keystore that this file's password opens
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
    /// Write the key in a file into a new encrypted keystore
    ///
    /// Web3 Secret Storage, version 3, for a key of EVM chains; the form of EIP-2335 for a keypair of Solana.
    Export {
        /// A key file
        file: PathBuf,
        /// The keystore to create; it must not exist yet
        keystore: PathBuf,
        /// The file with the password of the keystore
        #[arg(long, value_name = "FILE")]
        password_file: PathBuf,
    },
    /// Make a token for an operator; prints it, and what to add to the configuration
    Operator {
        /// Who gets it; the audit log names it
        name: String,
        #[arg(long, value_enum, default_value = "read")]
        role: RoleName,
    },
    /// Let the store forget the key of a role, so that the next start records the one that it has
    Forget {
        /// As `causeway key show` lists it, such as quote, maker, relayer or `market_makers.NAME`
        role: String,
    },
}

/// Makes, shows and imports the keys that all replicas share.
pub(crate) fn key(command: &KeyCommand, config: impl Fn() -> anyhow::Result<Config>) -> anyhow::Result<()> {
    match command {
        KeyCommand::New { file, solana, password_file } => {
            write(file, &KeyFile::random(*solana)?, password_file.as_deref())?;
            show_file(file)
        }
        KeyCommand::Export { file, keystore, password_file } => {
            write(keystore, &read_key_file(file)?, Some(password_file))?;
            show_file(keystore)
        }
        KeyCommand::Address { file } => print_address(file),
        KeyCommand::Fingerprint { file } => print_fingerprint(file),
        KeyCommand::Show { file: Some(file) } => show_file(file),
        KeyCommand::Show { file: None } => show_configured(&config()?),
        KeyCommand::Import { file, password_file } => {
            let mut text = String::new();
            std::io::stdin().take(MAX_BYTES).read_to_string(&mut text).context("standard input")?;
            write(file, &KeyFile::parse(&text)?, password_file.as_deref())?;
            show_file(file)
        }
        KeyCommand::Operator { name, role } => make_operator_token(name, *role),
        KeyCommand::Forget { role } => runtime::run(forget(role, &config()?)),
    }
}

/// Encrypted, where a password is given.
fn write(file: &Path, key: &KeyFile, password_file: Option<&Path>) -> anyhow::Result<()> {
    match password_file {
        Some(password_file) => write_keystore(file, key, &read_password(password_file)?),
        None => write_key(file, key),
    }
}

/// The account that a keystore names; none where the file is another key.
fn keystore_account(file: &Path) -> anyhow::Result<Option<(Family, Address)>> {
    let text = read_file(file)?;
    if !keystore::is_keystore(&text) {
        return Ok(None);
    }
    let (family, account) = keystore::account(&text).with_context(|| file.display().to_string())?;
    let account = account.with_context(|| format!("{} does not name its account", file.display()))?;
    Ok(Some((family, account)))
}

/// The configuration has only the hash, so that whoever reads it cannot act as the operator.
fn make_operator_token(name: &str, role: RoleName) -> anyhow::Result<()> {
    // 32 random bytes, like a quote key.
    let token = alloy_primitives::hex::encode(QuoteKey::random()?.as_bytes());
    let entry = OperatorTokenConfig {
        name: name.to_owned(),
        role,
        sha256: alloy_primitives::hex::encode(OperatorToken::admin(&token).sha256),
    };
    entry.token()?;
    let entry = toml::to_string(&entry)?;
    writeln!(
        std::io::stdout(),
        "The token, shown this once: {token}\n\nAdd to the configuration, and restart:\n\n[[server.operator_tokens]]\n{entry}"
    )?;
    Ok(())
}

/// Of the newest key, where the file has several.
fn print_address(file: &Path) -> anyhow::Result<()> {
    if let Some((_, account)) = keystore_account(file)? {
        return Ok(writeln!(std::io::stdout(), "{account}")?);
    }
    let address = match read_key_file(file)? {
        KeyFile::Solana(key) => key.address(Family::Solana)?,
        KeyFile::Hex(keys) => keys.first().context("the file is empty")?.address(Family::Evm)?,
    };
    Ok(writeln!(std::io::stdout(), "{address}")?)
}

fn print_fingerprint(file: &Path) -> anyhow::Result<()> {
    let key = match read_key_file(file)? {
        KeyFile::Solana(key) => key,
        KeyFile::Hex(keys) => keys.into_iter().next().context("the file is empty")?,
    };
    Ok(writeln!(std::io::stdout(), "{}", fingerprint(key.reveal()))?)
}

fn show_file(file: &Path) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if let Some((family, account)) = keystore_account(file)? {
        let family = if family == Family::Evm { "EVM" } else { "Solana" };
        return Ok(writeln!(out, "{}  {family}  {account}  encrypted", file.display())?);
    }
    match read_key_file(file)? {
        KeyFile::Solana(key) => writeln!(out, "{}  Solana  {}", file.display(), key.solana().address())?,
        KeyFile::Hex(keys) => {
            for key in keys {
                // Any 32 bytes may be a quote key; nearly all of them are the key of an account too.
                let address =
                    key.signer().map_or_else(|_| "none".to_owned(), |key| key.address().to_string());
                let print = fingerprint(key.reveal());
                writeln!(out, "{}  EVM  {address}  fingerprint  {print}", file.display())?;
            }
        }
    }
    Ok(())
}

fn show_configured(config: &Config) -> anyhow::Result<()> {
    let deployments = Records::of(config).read()?;
    let makers = load_market_makers(config)?;
    let keys = ServiceKeys::open(config, &deployments, &makers)?;
    let mut out = std::io::stdout().lock();
    for key in shared_keys(config, Some(&keys), &makers)? {
        writeln!(out, "{:28}  {:44}  {}", key.claim.role, key.claim.fingerprint, key.source)?;
    }
    Ok(())
}

async fn forget(role: &str, config: &Config) -> anyhow::Result<()> {
    let store = open_store(config).await?;
    let was_known = store.forget_key(role).await?;
    store.close().await;
    ensure!(was_known, "the store knows no key `{role}`; `causeway key show` lists the roles");
    if writeln!(std::io::stdout(), "The next start records the key that it has as `{role}`.").is_err() {
        bail!("cannot write to standard output");
    }
    Ok(())
}
