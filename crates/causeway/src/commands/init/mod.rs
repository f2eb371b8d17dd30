//! `causeway init`: a production configuration, its keys, and a list of what is left to do.

mod answers;
mod checklist;
mod configuration;
mod signer;

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use alloy_primitives::Address as EvmAddress;
use anyhow::{Context as _, ensure};
use causeway_domain::{Chain, Family};
use clap::Args;

use self::answers::{Answers, AttesterAt, RpcOf};
use self::signer::{SignerOf, role_name};
use crate::boot::config::{Config, Mode, Overrides};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::keys::{KeyFile, maker_key, quote_keys, read_key_file, write_key};
use crate::boot::parts::operator_token::make_token;
use crate::boot::parts::recovery::quote_key_file;
use crate::boot::parts::service_keys::maker_key_file;

#[derive(Clone, Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder of configuration and keys; it is created if needed
    #[arg(default_value = ".")]
    folder: PathBuf,

    /// The address that clients use, such as `https://swap.example`
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,

    /// A chain to swap on, by name or id; once per chain [default: base and arbitrum]
    #[arg(long = "chain", value_name = "CHAIN")]
    chains: Vec<String>,

    /// An RPC address of your own; two or more per chain
    #[arg(long = "rpc", value_name = "CHAIN=URL")]
    rpc: Vec<RpcOf>,

    /// An attester's address, and where it answers; three or more
    #[arg(long = "attester", value_name = "ADDRESS=URL")]
    attesters: Vec<AttesterAt>,

    /// The name of the market maker
    #[arg(long, value_name = "NAME", default_value = "house")]
    maker: String,

    /// No market maker of your own: others quote
    #[arg(long, conflicts_with_all = ["maker", "payee", "solana_payee"])]
    no_maker: bool,

    /// The cold account that receives the deposits of filled orders
    #[arg(long, value_name = "ADDRESS")]
    payee: Option<String>,

    /// The same on Solana
    #[arg(long, value_name = "ADDRESS")]
    solana_payee: Option<String>,

    /// A key that lives elsewhere, instead of a new key file; see docs/keys.md
    ///
    /// ROLE is `relayer` or the market maker's name, with `-solana` for its key there; the rest is an entry of `[[signers]]`, such
    /// as `relayer=web3signer,url=https://signer.internal:9000,address=0x…`.
    #[arg(long = "signer", value_name = "ROLE=KIND,FIELD=VALUE,…")]
    signers: Vec<SignerOf>,

    /// Ask nothing, even on a terminal; what no flag says is left to the checklist
    #[arg(long)]
    no_questions: bool,
}

/// Makes the files; refuses to overwrite any.
pub(crate) fn init(args: &InitArgs, overrides: &Overrides) -> anyhow::Result<()> {
    let catalog = load_catalog(&Config { mode: Mode::Production, ..Config::default() })?;
    let snapshot = catalog.snapshot();
    let chains = snapshot.chains();
    let mut answers = Answers::of(args, chains)?;
    if !args.no_questions && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        answers.ask(args, chains, &mut std::io::stdin().lock(), &mut std::io::stderr())?;
    }

    fs::create_dir_all(&args.folder).with_context(|| format!("cannot create {}", args.folder.display()))?;
    let folder = fs::canonicalize(&args.folder)?;
    let data_dir = match &overrides.data_dir {
        Some(data_dir) => std::path::absolute(data_dir)?,
        None => folder.join("data"),
    };
    let files = Files::of(&folder, overrides, data_dir, &answers);
    files.ensure_absent()?;

    // The text is believed by the parser before anything is written.
    let text = configuration::text(&files, &answers, chains, overrides);
    Config::from_text(&text, |_| ()).context("the answers make no valid configuration")?;
    let mut keys = files.write_keys(&text)?;
    keys.extend(answers.keys_elsewhere());
    let list = checklist::text(&files, &keys, &answers);
    write_new(&files.checklist, &list)?;
    write!(std::io::stdout(), "{list}")?;
    Ok(())
}

/// Where everything goes.
struct Files {
    configuration: PathBuf,
    checklist: PathBuf,
    data_dir: PathBuf,
    relayer: Option<PathBuf>,
    solana_relayer: Option<PathBuf>,
    maker: Option<PathBuf>,
    solana_maker: Option<PathBuf>,
}

/// A key that was made, by who uses it.
struct MadeKey {
    role: &'static str,
    family: Family,
    address: String,
}

impl Files {
    fn of(folder: &Path, overrides: &Overrides, data_dir: PathBuf, answers: &Answers) -> Self {
        let maker = answers.maker.as_deref();
        let key = |owner: Option<&str>, family: Family| {
            let role = role_name(owner.filter(|_| answers.has(family))?, family);
            let end = if family == Family::Solana { "json" } else { "key" };
            let is_elsewhere = answers.signer(&role).is_some();
            (!is_elsewhere).then(|| folder.join("keys").join(format!("{role}.{end}")))
        };
        Self {
            configuration: overrides.file.clone().unwrap_or_else(|| folder.join("causeway.toml")),
            checklist: folder.join("checklist.md"),
            data_dir,
            relayer: key(Some("relayer"), Family::Evm),
            solana_relayer: key(Some("relayer"), Family::Solana),
            maker: key(maker, Family::Evm),
            solana_maker: key(maker, Family::Solana),
        }
    }

    fn keys(&self) -> impl Iterator<Item = (&'static str, Family, &PathBuf)> {
        [
            ("relayer", Family::Evm, &self.relayer),
            ("relayer", Family::Solana, &self.solana_relayer),
            ("market maker", Family::Evm, &self.maker),
            ("market maker", Family::Solana, &self.solana_maker),
        ]
        .into_iter()
        .filter_map(|(role, family, file)| Some((role, family, file.as_ref()?)))
    }

    fn ensure_absent(&self) -> anyhow::Result<()> {
        let keys = self.keys().map(|(_, _, file)| file);
        for file in [&self.configuration, &self.checklist].into_iter().chain(keys) {
            ensure!(
                !file.exists(),
                "{} exists already, and nothing is overwritten: name another folder, or move it away",
                file.display()
            );
        }
        Ok(())
    }

    /// Writes the keys first, so that a configuration is there only when all that it names is.
    fn write_keys(&self, text: &str) -> anyhow::Result<Vec<MadeKey>> {
        let mut made = Vec::new();
        for (role, family, file) in self.keys() {
            write_key(file, &KeyFile::random(family == Family::Solana)?)?;
            let address = match read_key_file(file)? {
                KeyFile::Solana(key) => key.address(Family::Solana)?,
                KeyFile::Hex(keys) => keys.first().context("the key is gone")?.address(Family::Evm)?,
            };
            made.push(MadeKey { role, family, address: address.to_string() });
        }
        let config = Config::from_text(text, |_| ())?;
        // What the first start would make: now, so that it can be backed up and copied to replicas.
        fs::create_dir_all(&self.data_dir)
            .with_context(|| format!("cannot create {}", self.data_dir.display()))?;
        quote_keys(&quote_key_file(&config))?;
        maker_key(config.mode, &maker_key_file(&config))?;
        make_token(&config)?;
        write_new(&self.configuration, text)?;
        Ok(made)
    }
}

/// Creates a file that others may read; it has no secret.
fn write_new(file: &Path, text: &str) -> anyhow::Result<()> {
    let fault = || format!("cannot write {}", file.display());
    let mut writer = fs::File::create_new(file).with_context(fault)?;
    writer.write_all(text.as_bytes()).with_context(fault)?;
    writer.sync_all().with_context(fault)
}

/// The chain of this name or id.
fn find_chain<'a>(chains: &'a [Chain], text: &str) -> anyhow::Result<&'a Chain> {
    let wanted = text.trim().to_lowercase();
    let is_it = |chain: &&Chain| {
        chain.id.to_string() == wanted
            || chain.slug == wanted
            || chain.name.to_lowercase() == wanted
            || chain.aliases.contains(&wanted)
    };
    chains.iter().filter(|chain| chain.enabled).find(is_it).with_context(|| {
        let names: Vec<&str> = chains.iter().map(|chain| chain.slug.as_str()).collect();
        format!("there is no chain {text:?}; there are {}", names.join(", "))
    })
}

/// An address of an EVM chain, with its checksum where it has capitals.
fn evm_address(text: &str) -> anyhow::Result<EvmAddress> {
    match causeway_domain::Address::parse(Family::Evm, text.trim()) {
        Ok(causeway_domain::Address::Evm(address)) => Ok(address),
        Ok(_) => anyhow::bail!("{text} is no address of an EVM chain"),
        Err(error) => anyhow::bail!("{text}: {error}"),
    }
}
