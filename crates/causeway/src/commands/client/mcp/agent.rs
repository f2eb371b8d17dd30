use std::collections::BTreeMap;

use causeway_client::{Client, ExecuteOptions, LocalSolanaWallet, LocalWallet, Wallet};
use parking_lot::Mutex;

use super::super::Session;
use super::super::directory::Directory;
use super::super::failure::Failure;
use super::super::key::Key;
use super::journal::Journal;
use super::limits::Limits;
use super::{Confirmation, McpArgs, split_setting};

/// What the tools work with.
pub(super) struct Agent {
    pub(super) client: Client,
    pub(super) directory: Directory,
    pub(super) evm: Option<LocalWallet>,
    pub(super) solana: Option<LocalSolanaWallet>,
    pub(super) limits: Limits,
    pub(super) journal: Option<Mutex<Journal>>,
    pub(super) confirmation: Confirmation,
    escrows: BTreeMap<u64, String>,
}

impl Agent {
    pub(super) async fn start(session: Session, args: &McpArgs) -> Result<Self, Failure> {
        let directory = session.directory().await?;
        let client = session.client.clone();
        let limits = match &args.limits {
            Some(file) => Limits::load(file, &client, &directory).await?,
            None => Limits::default(),
        };
        let mut escrows = BTreeMap::new();
        for setting in &args.escrows {
            let (chain, escrow) = split_setting(setting)?;
            escrows.insert(directory.chain(chain)?.id, escrow.to_owned());
        }
        let evm = match &args.key_file {
            Some(file) => Some(evm_wallet(&client, &directory, &Key::read(Some(file))?, args).await?),
            None => None,
        };
        let solana = match &args.solana_key_file {
            Some(file) => Some(
                LocalSolanaWallet::new(Key::read(Some(file))?.reveal())
                    .map_err(|error| Failure::usage(error.to_string()))?,
            ),
            None => None,
        };
        let can_sign = evm.is_some() || solana.is_some();
        let journal = can_sign.then(|| Journal::open(&args.journal)).transpose()?.map(Mutex::new);
        Ok(Self { client, directory, evm, solana, limits, journal, confirmation: args.confirm, escrows })
    }

    pub(super) const fn can_sign(&self) -> bool {
        self.journal.is_some()
    }

    /// The agent's own address on a chain, if it has a key for it.
    pub(super) fn address_on(&self, chain_id: u64) -> Option<String> {
        if self.is_solana(chain_id) {
            self.solana.as_ref().map(Wallet::address)
        } else {
            self.evm.as_ref().map(Wallet::address)
        }
    }

    pub(super) fn is_solana(&self, chain_id: u64) -> bool {
        self.directory.by_id(chain_id).is_some_and(|chain| chain.r#type == "solana")
    }

    /// The options with the escrow of the source chain, if one is configured.
    pub(super) fn with_escrow(&self, options: ExecuteOptions, chain_id: u64) -> ExecuteOptions {
        match self.escrows.get(&chain_id) {
            Some(escrow) => options.with_trusted_escrow(chain_id, escrow),
            None => options,
        }
    }
}

async fn evm_wallet(
    client: &Client,
    directory: &Directory,
    key: &Key,
    args: &McpArgs,
) -> Result<LocalWallet, Failure> {
    let mut wallet = if args.endpoints.is_empty() && client.is_local() {
        LocalWallet::connect_sandbox(client, key.reveal()).await?
    } else {
        LocalWallet::new(key.reveal()).map_err(|error| Failure::usage(error.to_string()))?
    };
    for setting in &args.endpoints {
        let (chain, url) = split_setting(setting)?;
        let chain_id = directory.chain(chain)?.id;
        wallet = wallet.with_endpoint(chain_id, url).map_err(|error| Failure::usage(error.to_string()))?;
    }
    Ok(wallet)
}
