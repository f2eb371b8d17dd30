use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::Outbox;
use causeway_domain::{Address, ChainId, Family};
use causeway_signers::{Limited, SigningPolicy, SpendingRecord, Spent};
use causeway_solana::program::ASSOCIATED_TOKEN_PROGRAM;
use jiff::Timestamp;

use crate::boot::config::{Config, spending_limits};
use crate::boot::parts::account_keys::AccountKey;
use crate::boot::parts::deployments::Deployments;
use crate::boot::parts::signers::signer_counts;

/// What keys may do: call our contracts, and spend what the operator allows within an hour.
#[derive(Debug)]
pub(crate) struct KeyPolicy(SigningPolicy);

impl KeyPolicy {
    /// The record is that of sent transactions; without one nothing is sent, and only the contracts count.
    pub(crate) fn new(
        config: &Config,
        deployments: &Deployments,
        outbox: Option<Arc<dyn Outbox>>,
    ) -> anyhow::Result<Self> {
        let record = outbox.map(|outbox| Arc::new(SentTransactions(outbox)) as Arc<dyn SpendingRecord>);
        let hourly = spending_limits(&config.spending_limits)?;
        Ok(Self(SigningPolicy { known: known(deployments), hourly, record }))
    }

    /// The key behind this policy; refusals are counted under the name of its role.
    pub(crate) fn limit(&self, role: &str, key: &AccountKey) -> AccountKey {
        let limited = Limited::new(role, key.signer(), self.0.clone(), signer_counts());
        AccountKey::new(Arc::new(limited), key.place().to_owned())
    }
}

/// Our contracts, our program, and the one that creates the token accounts it pays to.
fn known(deployments: &Deployments) -> BTreeMap<ChainId, BTreeSet<Address>> {
    let mut known: BTreeMap<ChainId, BTreeSet<Address>> = BTreeMap::new();
    for deployment in &deployments.evm {
        let book = deployment.hub.as_ref().map(|hub| hub.intent_book);
        let own = [deployment.escrow, deployment.settler, deployment.deposit_factory];
        known.entry(deployment.chain).or_default().extend(own.into_iter().chain(book).map(Address::Evm));
    }
    if let Some(deployment) = &deployments.solana {
        let programs = [deployment.program.0, ASSOCIATED_TOKEN_PROGRAM.to_bytes()];
        known.entry(deployment.chain).or_default().extend(programs.map(Address::Solana));
    }
    known
}

/// What was spent, read from the transactions that were signed and stored.
struct SentTransactions(Arc<dyn Outbox>);

#[async_trait]
impl SpendingRecord for SentTransactions {
    async fn spent_since(&self, account: Address, chain: ChainId, since: Timestamp) -> Result<Spent, String> {
        spent_since(self.0.as_ref(), account, chain, since).await
    }
}

/// What the transactions of an account that were signed since then carry, and cost at most.
pub(crate) async fn spent_since(
    outbox: &dyn Outbox,
    account: Address,
    chain: ChainId,
    since: Timestamp,
) -> Result<Spent, String> {
    let sent = outbox.signed_since(chain, account, since).await;
    let sent = sent.map_err(|error| format!("what it has spent cannot be read: {error}"))?;
    Ok(sent.iter().fold(Spent::default(), |sum, outgoing| {
        let (value, fees) = match chain.family() {
            Family::Evm => causeway_evm::max_spent(outgoing),
            // Only our program moves coins there, which it takes as the order says.
            Family::Solana => (U256::ZERO, causeway_solana::orders::max_fees(outgoing)),
            Family::Bitcoin | Family::Tron => (U256::ZERO, U256::ZERO),
        };
        Spent { value: sum.value.saturating_add(value), fees: sum.fees.saturating_add(fees) }
    }))
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::{Attempt, OutboxPut, Outgoing};
    use causeway_evm::{Fees, Signer, TxRequest};
    use causeway_testing::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn spending_is_read_from_the_transactions_that_were_sent_within_the_time() {
        let (chain, key) = (ChainId::new(10).unwrap(), Signer::from_bytes(&[7; 32]).unwrap());
        let (account, store) = (Address::Evm(key.address()), Arc::new(MemoryStore::default()));
        let now = Timestamp::now();
        let put = async |nonce: u64, minutes: i64, value: u64| {
            let request = TxRequest { to: key.address(), value: U256::from(value), data: Vec::new().into() };
            let signed = key.sign(chain, nonce, &request, 21_000, Fees::Legacy { gas_price: 3 }).unwrap();
            let attempt = Attempt {
                hash: signed.hash,
                raw: signed.raw.to_vec(),
                max_fee_per_gas: 3,
                priority_fee_per_gas: None,
                made_at: now - jiff::SignedDuration::from_mins(minutes),
            };
            let purpose = format!("purpose {nonce}");
            let outgoing =
                Outgoing { chain, signer: account, nonce, purpose, attempts: vec![attempt], end: None };
            assert_eq!(store.put(&outgoing).await.unwrap(), OutboxPut::Written);
        };
        put(0, 90, 1_000).await;
        put(1, 30, 5).await;
        put(2, 1, 6).await;
        let record = SentTransactions(store.clone());
        let spent = record.spent_since(account, chain, now - jiff::SignedDuration::from_hours(1)).await;
        assert_eq!(spent, Ok(Spent { value: U256::from(11), fees: U256::from(2 * 63_000) }));
        let other = record.spent_since(Address::Solana([1; 32]), chain, Timestamp::MIN).await;
        assert_eq!(other, Ok(Spent::default()));
    }
}
