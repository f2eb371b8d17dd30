use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    ActionError, AddressWatch, ChainAction, ChainError, KnownPayers, PayoutWatch, Progress, TxSender,
    WalletCheck,
};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use jiff::Timestamp;

use super::Shared;
use crate::build_deposit::fake::{BASE, chain, evm};

/// A chain that shows what the test put there.
#[derive(Default)]
pub(crate) struct FakeChain {
    pub(crate) payouts: Shared<Vec<(Payout, Address)>>,
    pub(crate) balances: Shared<HashMap<Address, RawAmount>>,
}

impl FakeChain {
    /// A final transfer.
    pub(crate) fn pay(&self, payout: Payout, to: Address) {
        self.balances.lock().unwrap().insert(to, payout.amount);
        self.payouts.lock().unwrap().push((payout, to));
    }
}

#[async_trait]
impl PayoutWatch for FakeChain {
    fn chain(&self) -> ChainId {
        chain(BASE)
    }

    async fn payouts(&self, tx: &str, token: TokenId, to: Address) -> Result<Vec<Payout>, ChainError> {
        let payouts = self.payouts.lock().unwrap();
        let fits = |(payout, at): &&(Payout, Address)| payout.tx == tx && payout.token == token && *at == to;
        Ok(payouts.iter().filter(fits).map(|(payout, _)| payout.clone()).collect())
    }

    async fn spent(&self, _: &str, _: TokenId, _: Address) -> Result<RawAmount, ChainError> {
        Ok(RawAmount::ZERO)
    }

    async fn place(&self, _: &str) -> Result<Option<(u64, u64)>, ChainError> {
        Ok(Some((90, Timestamp::now().as_second().unsigned_abs())))
    }
}

#[async_trait]
impl AddressWatch for FakeChain {
    fn chain(&self) -> ChainId {
        chain(BASE)
    }

    async fn balances_at(&self, wanted: &[(Address, TokenId)], _: u64) -> Result<Vec<RawAmount>, ChainError> {
        let balances = self.balances.lock().unwrap();
        Ok(wanted.iter().map(|(at, _)| balances.get(at).copied().unwrap_or_default()).collect())
    }

    async fn funding_tx(
        &self,
        address: Address,
        _: TokenId,
        _: u64,
        _: u64,
    ) -> Result<Option<String>, ChainError> {
        let payouts = self.payouts.lock().unwrap();
        Ok(payouts.iter().rev().find(|(_, at)| *at == address).map(|(payout, _)| payout.tx.clone()))
    }

    async fn payers(&self, _: Address, _: TokenId, _: u64, _: RawAmount) -> Result<KnownPayers, ChainError> {
        Ok(KnownPayers::default())
    }
}

/// A relayer whose transactions are confirmed by the next poll.
#[derive(Default)]
pub(crate) struct FakeRelayer {
    pub(crate) sent_actions: Shared<Vec<(String, ChainAction)>>,
}

#[async_trait]
impl TxSender for FakeRelayer {
    fn chain(&self) -> ChainId {
        chain(BASE)
    }

    fn account(&self) -> Address {
        evm(0x99)
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        self.sent_actions.lock().unwrap().push((purpose.to_owned(), action.clone()));
        Ok(Progress::Sent(format!("0xdone {purpose}")))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        let sent_actions = self.sent_actions.lock().unwrap();
        let known = sent_actions.iter().any(|(known, _)| known == purpose);
        Ok(known.then(|| Progress::Succeeded(format!("0xdone {purpose}"))))
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }
}

/// Knows which addresses are contracts.
#[derive(Default)]
pub(crate) struct FakeWallets {
    pub(crate) contracts: Shared<HashSet<Address>>,
}

#[async_trait]
impl WalletCheck for FakeWallets {
    fn chain(&self) -> ChainId {
        chain(BASE)
    }

    async fn is_wallet(&self, address: Address) -> Result<bool, ChainError> {
        Ok(!self.contracts.lock().unwrap().contains(&address))
    }
}
