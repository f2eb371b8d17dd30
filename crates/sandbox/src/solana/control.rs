use solana_account::Account;
use solana_address::Address;
use solana_signature::Signature;

use super::SolanaChain;
use super::config::SolanaError;
use super::faults::RpcFaults;
use super::genesis::program_accounts;
use crate::jsonrpc::FIRST_NODE;

impl SolanaChain {
    /// The open slot.
    pub async fn slot(&self) -> Result<u64, SolanaError> {
        self.inner.thread.run(|node| node.ledger.slots.open().slot).await
    }

    /// The chain's time in Unix seconds.
    pub async fn time(&self) -> Result<i64, SolanaError> {
        self.inner.thread.run(|node| node.ledger.slots.open().time).await
    }

    /// Advances slots at once, paused or not; returns the slot that is open then.
    pub async fn advance(&self, slots: u64) -> Result<u64, SolanaError> {
        self.inner.thread.run(move |node| node.advance(slots)).await?
    }

    /// Stops the slots; transactions are still accepted and wait.
    pub async fn pause(&self) -> Result<(), SolanaError> {
        self.inner.thread.run(|node| node.paused = true).await
    }

    /// Lets the slots run again.
    pub async fn resume(&self) -> Result<(), SolanaError> {
        self.inner.thread.run(|node| node.paused = false).await
    }

    pub async fn is_paused(&self) -> Result<bool, SolanaError> {
        self.inner.thread.run(|node| node.paused).await
    }

    /// Opens a slot at this time; later slots continue from it. Time cannot go back.
    pub async fn set_time(&self, seconds: i64) -> Result<u64, SolanaError> {
        self.inner.thread.run(move |node| node.set_time(seconds)).await?
    }

    /// Drops the next transactions: they are accepted and never land.
    pub async fn drop_next(&self, transactions: u32) -> Result<(), SolanaError> {
        self.inner.thread.run(move |node| node.drop_next = transactions).await
    }

    /// Delays every later transaction by this many slots; zero ends it.
    pub async fn delay(&self, slots: u64) -> Result<(), SolanaError> {
        self.inner.thread.run(move |node| node.delay = slots).await
    }

    /// Expires every blockhash returned so far.
    pub async fn expire_blockhashes(&self) -> Result<u64, SolanaError> {
        self.inner.thread.run(super::node::Node::expire_blockhashes).await
    }

    /// Undoes the last slots that are not final, with their effects and signatures.
    pub async fn fork(&self, slots: usize) -> Result<u64, SolanaError> {
        self.inner.thread.run(move |node| node.fork(slots, true)).await?
    }

    /// The same, but requeues their transactions whose blockhashes are still known.
    pub async fn fork_and_return(&self, slots: usize) -> Result<u64, SolanaError> {
        self.inner.thread.run(move |node| node.fork(slots, false)).await?
    }

    /// Injects RPC faults; the default removes them.
    pub async fn set_faults(&self, faults: RpcFaults) -> Result<(), SolanaError> {
        self.set_faults_at(FIRST_NODE, faults).await
    }

    /// The same for the RPC of one node.
    pub async fn set_faults_at(&self, node: u8, faults: RpcFaults) -> Result<(), SolanaError> {
        let stale = faults.stale;
        self.inner.faults.lock().insert(node, faults);
        self.inner.thread.run(move |chain| chain.set_stale(node, stale)).await
    }

    /// The faults of one node; the default where it has none.
    pub fn faults_at(&self, node: u8) -> RpcFaults {
        self.inner.faults.lock().get(&node).cloned().unwrap_or_default()
    }

    /// Transfers SOL to a wallet, as `requestAirdrop` does.
    pub async fn airdrop(&self, to: Address, lamports: u64) -> Result<Signature, SolanaError> {
        self.inner.thread.run(move |node| node.airdrop(&to, lamports)).await?
    }

    /// Mints raw units of a token to a wallet's associated account, which is created if it is missing.
    pub async fn give_tokens(
        &self,
        owner: Address,
        token: Address,
        amount: u64,
    ) -> Result<Signature, SolanaError> {
        self.inner.thread.run(move |node| node.give_tokens(&owner, &token, amount)).await?
    }

    /// The current state of an account.
    pub async fn account(&self, address: Address) -> Result<Option<Account>, SolanaError> {
        self.inner
            .thread
            .run(move |node| node.ledger.machine.account(&address).cloned().map(Account::from))
            .await
    }

    /// Sets or deletes an account directly, bypassing all rules.
    pub async fn set_account(&self, address: Address, account: Option<Account>) -> Result<(), SolanaError> {
        self.inner.thread.run(move |node| node.ledger.write(vec![(address, account)])).await?
    }

    /// Deploys a program at an address while the chain runs.
    pub async fn set_program(
        &self,
        address: Address,
        code: &[u8],
        upgrade_authority: Option<Address>,
    ) -> Result<(), SolanaError> {
        let accounts = program_accounts(address, code, upgrade_authority);
        let accounts = accounts.map(|(address, account)| (address, Some(account))).to_vec();
        self.inner.thread.run(move |node| node.ledger.write(accounts)).await?
    }
}
