use std::io::{BufRead, Write};
use std::str::FromStr;

use alloy_primitives::Address as EvmAddress;
use anyhow::{Context as _, bail, ensure};
use causeway_domain::{Address, Chain, Family};
use causeway_evm::RpcUrl;

use super::signer::{SignerOf, role_name};
use super::{InitArgs, MadeKey, evm_address, find_chain};

/// What is swapped unless somebody says otherwise.
const USUAL_CHAINS: [&str; 2] = ["base", "arbitrum"];
/// How many attesters decide together, at least.
const MIN_ATTESTERS: usize = 3;

/// An RPC address of a chain.
#[derive(Clone, Debug)]
pub(crate) struct RpcOf {
    chain: String,
    url: String,
}

impl FromStr for RpcOf {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (chain, url) =
            text.split_once('=').context("write CHAIN=URL, such as base=https://rpc.example/key")?;
        rpc_url(url)?;
        Ok(Self { chain: chain.to_owned(), url: url.to_owned() })
    }
}

/// An attester's address, and where it answers.
#[derive(Clone, Debug)]
pub(crate) struct AttesterAt {
    pub(super) address: EvmAddress,
    pub(super) url: String,
}

impl FromStr for AttesterAt {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let (address, url) =
            text.split_once('=').context("write ADDRESS=URL, such as 0x…=https://one.example")?;
        Ok(Self { address: evm_address(address)?, url: web_url(url)? })
    }
}

/// Everything that the files need to know.
pub(super) struct Answers {
    pub(super) public_url: Option<String>,
    pub(super) chains: Vec<Chain>,
    /// In the order of `chains`.
    pub(super) rpc: Vec<Vec<String>>,
    pub(super) attesters: Vec<AttesterAt>,
    pub(super) maker: Option<String>,
    pub(super) payee: Option<EvmAddress>,
    pub(super) solana_payee: Option<String>,
    /// The keys that live elsewhere.
    pub(super) signers: Vec<SignerOf>,
}

impl Answers {
    /// What the flags say.
    pub(super) fn of(args: &InitArgs, known: &[Chain]) -> anyhow::Result<Self> {
        let named: Vec<&str> = if args.chains.is_empty() {
            USUAL_CHAINS.into()
        } else {
            args.chains.iter().map(String::as_str).collect()
        };
        let mut answers = Self {
            public_url: args.public_url.as_deref().map(web_url).transpose()?,
            chains: Vec::new(),
            rpc: Vec::new(),
            attesters: Vec::new(),
            maker: (!args.no_maker).then(|| args.maker.clone()),
            payee: args.payee.as_deref().map(evm_address).transpose().context("--payee")?,
            solana_payee: args
                .solana_payee
                .as_deref()
                .map(solana_address)
                .transpose()
                .context("--solana-payee")?,
            signers: Vec::new(),
        };
        answers.choose(&named, known)?;
        for RpcOf { chain, url } in &args.rpc {
            let id = find_chain(known, chain)?.id;
            let place = answers.chains.iter().position(|chain| chain.id == id);
            let place = place.with_context(|| format!("--rpc {chain}=…: the chain is none of --chain"))?;
            if let Some(urls) = answers.rpc.get_mut(place) {
                urls.push(url.clone());
            }
        }
        if !args.attesters.is_empty() {
            answers.set_attesters(args.attesters.clone())?;
        }
        for signer in &args.signers {
            answers.add_signer(signer.clone())?;
        }
        Ok(answers)
    }

    /// Every account of the service, as `--signer` and `[[signers]]` call it.
    fn roles(&self) -> impl Iterator<Item = (&'static str, Family, String)> {
        let owners = [("relayer", Some("relayer")), ("market maker", self.maker.as_deref())];
        let owners = owners.into_iter().filter_map(|(role, owner)| Some((role, owner?)));
        let families = [Family::Evm, Family::Solana].into_iter().filter(|family| self.has(*family));
        let families: Vec<Family> = families.collect();
        let roles: Vec<_> = owners
            .flat_map(|(role, owner)| {
                families.iter().map(move |family| (role, *family, role_name(owner, *family)))
            })
            .collect();
        roles.into_iter()
    }

    pub(super) fn signer(&self, role: &str) -> Option<&SignerOf> {
        self.signers.iter().find(|signer| signer.role == role)
    }

    fn add_signer(&mut self, signer: SignerOf) -> anyhow::Result<()> {
        let known: Vec<String> = self.roles().map(|(.., name)| name).collect();
        ensure!(
            known.contains(&signer.role),
            "there is no key of `{}` on these chains; there are {}",
            signer.role,
            known.join(", ")
        );
        ensure!(self.signer(&signer.role).is_none(), "the key of `{}` is named twice", signer.role);
        self.signers.push(signer);
        Ok(())
    }

    /// The accounts of keys that live elsewhere, as far as they are named.
    pub(super) fn keys_elsewhere(&self) -> Vec<MadeKey> {
        let account = |(role, family, name): (&'static str, Family, String)| {
            let address = self.signer(&name)?.address()?.to_owned();
            Some(MadeKey { role, family, address })
        };
        self.roles().filter_map(account).collect()
    }

    pub(super) fn has(&self, family: Family) -> bool {
        self.chains.iter().any(|chain| chain.family() == family)
    }

    /// More than half of them, and two at least.
    pub(super) fn threshold(&self) -> usize {
        (self.attesters.len() / 2 + 1).max(2)
    }

    fn choose(&mut self, named: &[&str], known: &[Chain]) -> anyhow::Result<()> {
        let mut chains: Vec<Chain> = Vec::new();
        for name in named {
            let chain = find_chain(known, name)?;
            if chains.iter().all(|other| other.id != chain.id) {
                chains.push(chain.clone());
            }
        }
        ensure!(!chains.is_empty(), "name at least one chain");
        self.rpc = vec![Vec::new(); chains.len()];
        self.chains = chains;
        Ok(())
    }

    fn set_attesters(&mut self, attesters: Vec<AttesterAt>) -> anyhow::Result<()> {
        ensure!(
            attesters.len() >= MIN_ATTESTERS,
            "{} attesters are too few: take at least {MIN_ATTESTERS}, of other people and on other hosts",
            attesters.len()
        );
        let repeated = attesters
            .iter()
            .enumerate()
            .find(|(at, one)| attesters.iter().take(*at).any(|other| other.address == one.address));
        if let Some((_, one)) = repeated {
            bail!("the attester {} is named twice", one.address);
        }
        self.attesters = attesters;
        Ok(())
    }

    /// Asks for what no flag says. An empty answer leaves it to the checklist.
    pub(super) fn ask(
        &mut self,
        args: &InitArgs,
        known: &[Chain],
        input: &mut dyn BufRead,
        output: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let mut terminal = Terminal { input, output };
        if self.public_url.is_none() {
            let question = "Address that clients use, such as https://swap.example";
            terminal.ask(question, |text| {
                self.public_url = Some(web_url(text)?);
                Ok(())
            })?;
        }
        if args.chains.is_empty() && args.rpc.is_empty() {
            let question = "Chains to swap on, separated by commas [base, arbitrum]";
            terminal.ask(question, |text| self.choose(&split(text), known))?;
        }
        for place in 0..self.chains.len() {
            let (Some(chain), Some(urls)) = (self.chains.get(place), self.rpc.get_mut(place)) else {
                continue;
            };
            if urls.is_empty() {
                let question = format!("RPC addresses of your own for {}, separated by commas", chain.name);
                terminal.ask(&question, |text| {
                    let given = split(text);
                    given.iter().try_for_each(|url| rpc_url(url))?;
                    *urls = given.into_iter().map(str::to_owned).collect();
                    Ok(())
                })?;
            }
        }
        if self.attesters.is_empty() {
            let question = "Attesters as ADDRESS=URL, three or more, separated by commas";
            terminal.ask(question, |text| {
                let attesters = split(text).into_iter().map(str::parse).collect::<anyhow::Result<_>>()?;
                self.set_attesters(attesters)
            })?;
        }
        if self.maker.is_some() && self.payee.is_none() && self.has(Family::Evm) {
            terminal.ask("Cold account for what the market maker earns", |text| {
                self.payee = Some(evm_address(text)?);
                Ok(())
            })?;
        }
        if self.maker.is_some() && self.solana_payee.is_none() && self.has(Family::Solana) {
            terminal.ask("The same on Solana", |text| {
                self.solana_payee = Some(solana_address(text)?);
                Ok(())
            })?;
        }
        if args.signers.is_empty() {
            let roles: Vec<String> = self.roles().map(|(.., name)| name).collect();
            for role in roles {
                let question = format!("Signer of {role}, as KIND,FIELD=VALUE,… [a new key file]");
                terminal.ask(&question, |text| self.add_signer(SignerOf::new(&role, text)?))?;
            }
        }
        Ok(())
    }
}

struct Terminal<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
}

impl Terminal<'_> {
    /// Asks until the answer is taken or empty.
    fn ask(
        &mut self,
        question: &str,
        mut take: impl FnMut(&str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        loop {
            write!(self.output, "{question}: ")?;
            self.output.flush()?;
            let mut answer = String::new();
            if self.input.read_line(&mut answer)? == 0 || answer.trim().is_empty() {
                return Ok(());
            }
            match take(answer.trim()) {
                Ok(()) => return Ok(()),
                Err(error) => writeln!(self.output, "{error:#}")?,
            }
        }
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn rpc_url(text: &str) -> anyhow::Result<()> {
    text.parse::<RpcUrl>()
        .map(drop)
        .map_err(|error| anyhow::anyhow!("the RPC address cannot be used: {error}"))
}

fn web_url(text: &str) -> anyhow::Result<String> {
    let text = text.trim();
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    ensure!(is_web, "`{text}` must start with http:// or https://");
    Ok(text.trim_end_matches('/').to_owned())
}

fn solana_address(text: &str) -> anyhow::Result<String> {
    let address = Address::parse(Family::Solana, text.trim());
    Ok(address.map_err(|error| anyhow::anyhow!("{text}: {error}"))?.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::boot::config::{Config, Mode};
    use crate::boot::parts::catalog::load_catalog;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: InitArgs,
    }

    fn args(flags: &[&str]) -> InitArgs {
        Line::parse_from(std::iter::once(&"init").chain(flags)).args
    }

    fn known() -> Vec<Chain> {
        let folder = tempfile::tempdir().unwrap();
        let config =
            Config { mode: Mode::Production, data_dir: folder.path().to_owned(), ..Config::default() };
        load_catalog(&config).unwrap().snapshot().chains().to_vec()
    }

    #[test]
    fn questions_are_asked_for_what_no_flag_says_and_repeated_until_the_answer_is_right() {
        let (args, known) = (args(&["--public-url", "https://swap.example/"]), known());
        let mut answers = Answers::of(&args, &known).unwrap();
        let three = [1_u8, 2, 3].map(|byte| {
            let address = EvmAddress::repeat_byte(byte);
            format!("{address}=https://{byte}.example")
        });
        let signer =
            "web3signer,url=https://signer.internal,address=0x1111111111111111111111111111111111111111";
        let typed = format!(
            "base, optimizm\nBase, solana\nftp://one.example\nhttps://a.example/k, https://b.example/k\n\n{}\n{}\n\n\n{signer}\n\nvault\n\n\n",
            three[0],
            three.join(","),
        );
        let mut shown = Vec::new();
        answers.ask(&args, &known, &mut typed.as_bytes(), &mut shown).unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert!(!shown.contains("Address that clients use"), "a flag has said it: {shown}");
        assert!(
            shown.contains("there is no chain \"optimizm\"") && shown.contains("1 attesters are too few"),
            "{shown}"
        );
        assert_eq!(answers.public_url.as_deref(), Some("https://swap.example"));
        assert_eq!(
            answers.chains.iter().map(|chain| chain.slug.as_str()).collect::<Vec<_>>(),
            ["base", "solana"]
        );
        assert_eq!((answers.rpc[0].len(), answers.rpc[1].len()), (2, 0));
        assert_eq!((answers.attesters.len(), answers.threshold()), (3, 2));
        assert!(answers.payee.is_none() && answers.has(Family::Solana));
        assert!(shown.contains("Signer of relayer-solana"), "{shown}");
        assert!(answers.signer("relayer").is_some() && answers.signer("relayer-solana").is_none());
        assert_eq!(answers.keys_elsewhere().len(), 1);
    }

    #[test]
    fn flags_that_make_no_sense_are_refused_with_what_to_change() {
        let known = known();
        let one = "0x1111111111111111111111111111111111111111=https://one.example";
        for (flags, words) in [
            (vec!["--chain", "bace"], "there is no chain \"bace\""),
            (vec!["--chain", "base", "--rpc", "op=https://a.example"], "none of --chain"),
            (vec!["--attester", one], "too few"),
            (vec!["--attester", one, "--attester", one, "--attester", one], "named twice"),
            (vec!["--payee", "0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266"], "EIP-55"),
            (vec!["--solana-payee", "0x12"], "--solana-payee"),
            (vec!["--public-url", "swap.example"], "http://"),
            (vec!["--signer", "relayer-solana=keystore,file=a.json"], "there are relayer, house"),
            (
                vec!["--signer", "house=keystore,file=a.json", "--signer", "house=keystore,file=b.json"],
                "named twice",
            ),
        ] {
            let error = Answers::of(&args(&flags), &known).err().unwrap();
            assert!(format!("{error:#}").contains(words), "{flags:?}: {error:#}");
        }
    }
}
