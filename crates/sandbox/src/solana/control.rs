use std::sync::PoisonError;

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
        self.inner.thread.ask(|node| node.ledger.slots.open().slot).await
    }

    /// The chain's time in seconds since 1970.
    pub async fn time(&self) -> Result<i64, SolanaError> {
        self.inner.thread.ask(|node| node.ledger.slots.open().time).await
    }

    /// Passes slots at once, paused or not; returns the slot that is open then.
    pub async fn advance(&self, slots: u64) -> Result<u64, SolanaError> {
        self.inner.thread.ask(move |node| node.advance(slots)).await?
    }

    /// Stops the slots; transactions are still accepted and wait.
    pub async fn pause(&self) -> Result<(), SolanaError> {
        self.inner.thread.ask(|node| node.paused = true).await
    }

    /// Lets the slots run again.
    pub async fn resume(&self) -> Result<(), SolanaError> {
        self.inner.thread.ask(|node| node.paused = false).await
    }

    /// Opens a slot at this time, from which time goes on; it cannot go back.
    pub async fn set_time(&self, seconds: i64) -> Result<u64, SolanaError> {
        self.inner.thread.ask(move |node| node.set_time(seconds)).await?
    }

    /// Loses the next transactions: they are accepted and never land.
    pub async fn drop_next(&self, transactions: u32) -> Result<(), SolanaError> {
        self.inner.thread.ask(move |node| node.drop_next = transactions).await
    }

    /// Lets every later transaction wait for so many slots; zero ends it.
    pub async fn delay(&self, slots: u64) -> Result<(), SolanaError> {
        self.inner.thread.ask(move |node| node.delay = slots).await
    }

    /// Makes every blockhash handed out until now too old.
    pub async fn expire_blockhashes(&self) -> Result<u64, SolanaError> {
        self.inner.thread.ask(super::node::Node::expire_blockhashes).await
    }

    /// Undoes the last slots, at most those that are not final: their effects are gone and their signatures
    /// are unknown.
    pub async fn fork(&self, slots: usize) -> Result<u64, SolanaError> {
        self.inner.thread.ask(move |node| node.fork(slots, true)).await?
    }

    /// The same, but their transactions wait for a slot again, as far as their blockhashes are those of older slots.
    pub async fn fork_and_return(&self, slots: usize) -> Result<u64, SolanaError> {
        self.inner.thread.ask(move |node| node.fork(slots, false)).await?
    }

    /// Makes RPC misbehave, or behave again with the default.
    pub async fn set_faults(&self, faults: RpcFaults) -> Result<(), SolanaError> {
        self.set_faults_at(FIRST_NODE, faults).await
    }

    /// The same for the RPC of one node.
    pub async fn set_faults_at(&self, node: u8, faults: RpcFaults) -> Result<(), SolanaError> {
        let stale = faults.stale;
        self.inner.faults.lock().unwrap_or_else(PoisonError::into_inner).insert(node, faults);
        self.inner.thread.ask(move |chain| chain.set_stale(node, stale)).await
    }

    /// Gives SOL to a wallet, as `requestAirdrop` does.
    pub async fn airdrop(&self, to: Address, lamports: u64) -> Result<Signature, SolanaError> {
        self.inner.thread.ask(move |node| node.airdrop(&to, lamports)).await?
    }

    /// Gives raw units of a token to a wallet's associated account, which is made where it is missing.
    pub async fn give_tokens(
        &self,
        owner: Address,
        token: Address,
        amount: u64,
    ) -> Result<Signature, SolanaError> {
        self.inner.thread.ask(move |node| node.give_tokens(&owner, &token, amount)).await?
    }

    /// What an account holds now.
    pub async fn account(&self, address: Address) -> Result<Option<Account>, SolanaError> {
        self.inner
            .thread
            .ask(move |node| node.ledger.machine.account(&address).cloned().map(Account::from))
            .await
    }

    /// Writes an account past every rule, or deletes it.
    pub async fn set_account(&self, address: Address, account: Option<Account>) -> Result<(), SolanaError> {
        self.inner.thread.ask(move |node| node.ledger.write(vec![(address, account)])).await?
    }

    /// Puts a program at its address while the chain runs.
    pub async fn set_program(
        &self,
        address: Address,
        code: &[u8],
        upgrade_authority: Option<Address>,
    ) -> Result<(), SolanaError> {
        let accounts = program_accounts(address, code, upgrade_authority);
        let accounts = accounts.map(|(address, account)| (address, Some(account))).to_vec();
        self.inner.thread.ask(move |node| node.ledger.write(accounts)).await?
    }
}
