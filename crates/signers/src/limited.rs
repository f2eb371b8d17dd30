use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{KeySigner, KeySignerError, SigningEffect, SigningRequest, TransactionEffect};
use causeway_domain::{Address, ChainId};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

/// How often each key has signed or not, by the key's name and the outcome.
#[derive(Clone, Debug, Default)]
pub struct SignerCounts(Arc<Mutex<BTreeMap<(String, &'static str), u64>>>);

impl SignerCounts {
    fn add(&self, name: &str, outcome: &'static str, more: u64) {
        let mut counts = self.0.lock();
        let count = counts.entry((name.to_owned(), outcome)).or_default();
        *count = count.saturating_add(more);
    }

    /// By the name of the key and the outcome: `signed`, or the name of an error.
    pub fn read(&self) -> Vec<([String; 2], u64)> {
        let counts = self.0.lock();
        counts
            .iter()
            .map(|((name, outcome), count)| ([name.clone(), (*outcome).to_owned()], *count))
            .collect()
    }
}

/// What transactions of a key have carried and can have cost at most, in the smallest units of a chain's coin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub value: U256,
    pub fees: U256,
}

/// Reads what was spent from the record of signed transactions, which survives a restart and is shared by replicas.
#[async_trait]
pub trait SpendingRecord: Send + Sync {
    /// What the transactions of this account on this chain that were signed since then carry, and cost at most.
    async fn spent_since(&self, account: Address, chain: ChainId, since: Timestamp) -> Result<Spent, String>;
}

/// What the operator lets a key do.
#[derive(Clone)]
pub struct SigningPolicy {
    /// The contracts and programs that a transaction may call, and that statements may be for, by chain.
    pub known: BTreeMap<ChainId, BTreeSet<Address>>,
    /// The most that a key may spend within an hour, by chain. Without an entry there is no such limit.
    pub hourly: BTreeMap<ChainId, Spent>,
    pub record: Option<Arc<dyn SpendingRecord>>,
}

/// The outcome of a signature that was given.
const SIGNED: &str = "signed";

/// How far back spending counts.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);

impl SigningPolicy {
    async fn check(&self, account: Address, effect: &SigningEffect, now: Timestamp) -> Result<(), String> {
        match effect {
            SigningEffect::Probe => Ok(()),
            SigningEffect::Statement { chain, contract } if self.knows(*chain, contract) => Ok(()),
            SigningEffect::Statement { chain, contract } => {
                Err(format!("{contract} is none of our contracts on chain {chain}"))
            }
            SigningEffect::Transaction(effect) => {
                self.check_targets(account, effect)?;
                self.check_spending(account, effect, now).await
            }
        }
    }

    fn knows(&self, chain: ChainId, contract: &Address) -> bool {
        self.known.get(&chain).is_some_and(|known| known.contains(contract))
    }

    /// It calls what is known, gives an allowance to what is known, or is a transfer of nothing to the account itself.
    fn check_targets(&self, account: Address, effect: &TransactionEffect) -> Result<(), String> {
        let chain = effect.chain;
        if let Some(spender) = effect.approves {
            let is_known = self.knows(chain, &spender);
            return if is_known {
                Ok(())
            } else {
                Err(format!(
                    "it gives an allowance to {spender}, which is none of our contracts on chain {chain}"
                ))
            };
        }
        let cancels = effect.value.is_zero() && effect.targets.iter().all(|target| *target == account);
        let unknown = effect.targets.iter().find(|target| !self.knows(chain, target));
        match unknown {
            Some(unknown) if !cancels => {
                Err(format!("it calls {unknown}, which is none of our contracts on chain {chain}"))
            }
            _ => Ok(()),
        }
    }

    async fn check_spending(
        &self,
        account: Address,
        effect: &TransactionEffect,
        now: Timestamp,
    ) -> Result<(), String> {
        let (Some(limit), Some(record)) = (self.hourly.get(&effect.chain), &self.record) else {
            return Ok(());
        };
        let since = now.saturating_sub(WINDOW).unwrap_or(Timestamp::MIN);
        let spent = record.spent_since(account, effect.chain, since).await?;
        for (what, spent, more, limit) in [
            ("in fees", spent.fees, effect.max_fee, limit.fees),
            ("in coins", spent.value, effect.value, limit.value),
        ] {
            let sum = spent.saturating_add(more);
            // What costs nothing of a kind is not held up by what others have used of it.
            if sum > limit && !more.is_zero() {
                return Err(format!(
                    "with it, {sum} of the smallest units would be spent {what} within an hour on chain {}, and the \
                     limit is {limit}",
                    effect.chain
                ));
            }
        }
        Ok(())
    }
}

/// A key behind the operator's policy.
#[derive(Debug)]
pub struct Limited {
    inner: Arc<dyn KeySigner>,
    policy: SigningPolicy,
    counts: SignerCounts,
    name: String,
}

impl Limited {
    /// Counts signatures and failures under this name.
    pub fn new(
        name: impl Into<String>,
        inner: Arc<dyn KeySigner>,
        policy: SigningPolicy,
        counts: SignerCounts,
    ) -> Self {
        let name = name.into();
        // A counter that starts at its first failure has not risen by it.
        counts.add(&name, SIGNED, 0);
        Self { inner, policy, counts, name }
    }
}

#[async_trait]
impl KeySigner for Limited {
    fn address(&self) -> Address {
        self.inner.address()
    }

    fn place(&self) -> String {
        self.inner.place()
    }

    async fn sign(&self, request: &SigningRequest) -> Result<Vec<u8>, KeySignerError> {
        let allowed = self.policy.check(self.address(), &request.effect, Timestamp::now()).await;
        let signed = match allowed {
            Ok(()) => self.inner.sign(request).await,
            Err(words) => Err(KeySignerError::Forbidden(words)),
        };
        self.counts.add(&self.name, signed.as_ref().err().map_or(SIGNED, KeySignerError::name), 1);
        signed
    }
}

impl fmt::Debug for SigningPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningPolicy")
            .field("known", &self.known)
            .field("hourly", &self.hourly)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causeway_testing::FakeKey;

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    fn evm(byte: u8) -> Address {
        Address::Evm(alloy_primitives::Address::repeat_byte(byte))
    }

    /// What was signed, and when.
    #[derive(Default)]
    struct Record(Mutex<Vec<(Timestamp, Spent)>>);

    #[async_trait]
    impl SpendingRecord for Record {
        async fn spent_since(&self, _: Address, _: ChainId, since: Timestamp) -> Result<Spent, String> {
            let record = self.0.lock();
            let counted = record.iter().filter(|(at, _)| *at >= since);
            Ok(counted.fold(Spent::default(), |sum, (_, one)| Spent {
                value: sum.value + one.value,
                fees: sum.fees + one.fees,
            }))
        }
    }

    fn call(to: Address, value: u64, max_fee: u64) -> TransactionEffect {
        TransactionEffect {
            chain: chain(10),
            targets: vec![to],
            approves: None,
            value: U256::from(value),
            max_fee: U256::from(max_fee),
        }
    }

    fn limited(record: &Arc<Record>) -> (Limited, FakeKey, SignerCounts) {
        let known = BTreeMap::from([(chain(10), BTreeSet::from([evm(1), evm(2)]))]);
        let hourly = BTreeMap::from([(chain(10), Spent { value: U256::from(100), fees: U256::from(50) })]);
        let policy = SigningPolicy { known, hourly, record: Some(record.clone()) };
        let (key, counts) = (FakeKey::new([7; 32]), SignerCounts::default());
        (Limited::new("house", Arc::new(key.clone()), policy, counts.clone()), key, counts)
    }

    async fn sign(signer: &Limited, effect: SigningEffect) -> Result<Vec<u8>, KeySignerError> {
        signer.sign(&SigningRequest { payload: b"payload".to_vec(), effect }).await
    }

    #[tokio::test]
    async fn only_known_contracts_are_called_approved_and_stated_for() {
        let (signer, key, counts) = limited(&Arc::default());
        let own = signer.address();
        let transaction = SigningEffect::Transaction;
        let approval = |spender| TransactionEffect { approves: Some(spender), ..call(evm(8), 0, 1) };
        let statement = |contract| SigningEffect::Statement { chain: chain(10), contract };
        for good in [
            transaction(call(evm(1), 0, 1)),
            transaction(approval(evm(2))),
            transaction(call(own, 0, 1)),
            statement(evm(2)),
            SigningEffect::Probe,
        ] {
            sign(&signer, good.clone()).await.unwrap_or_else(|error| panic!("{good:?}: {error}"));
        }
        let asked = key.asked();
        let abroad = TransactionEffect { chain: chain(1), ..call(evm(1), 0, 1) };
        let mixed = TransactionEffect { targets: vec![evm(1), evm(9)], ..call(evm(1), 0, 1) };
        for bad in [
            transaction(call(evm(9), 0, 1)),
            transaction(approval(evm(9))),
            transaction(call(own, 1, 1)),
            transaction(abroad),
            transaction(mixed),
            statement(evm(9)),
            SigningEffect::Statement { chain: chain(1), contract: evm(1) },
        ] {
            let error = sign(&signer, bad.clone()).await.unwrap_err();
            assert!(error.to_string().contains("none of our contracts"), "{bad:?}: {error}");
        }
        assert_eq!(key.asked(), asked, "the key is not even asked");
        let count = |outcome: &str, times| (["house".to_owned(), outcome.to_owned()], times);
        assert_eq!(counts.read(), [count("forbidden", 7), count("signed", 5)]);
        key.fails(Some(KeySignerError::Refused("disabled".to_owned())));
        sign(&signer, SigningEffect::Probe).await.unwrap_err();
        assert_eq!(counts.read()[1], count("refused", 1));
    }

    #[tokio::test]
    async fn key_spends_at_most_its_limit_within_an_hour() {
        let record = Arc::new(Record::default());
        let (signer, ..) = limited(&record);
        let ago = |minutes| Timestamp::now() - SignedDuration::from_mins(minutes);
        let spent = |value: u64, fees: u64| Spent { value: U256::from(value), fees: U256::from(fees) };
        record.0.lock().extend([(ago(90), spent(90, 45)), (ago(30), spent(60, 30))]);
        let transaction = |value, fee| SigningEffect::Transaction(call(evm(1), value, fee));
        sign(&signer, transaction(40, 20)).await.unwrap();
        let error = sign(&signer, transaction(0, 21)).await.unwrap_err().to_string();
        assert!(error.contains("51") && error.contains("fees") && error.contains("limit is 50"), "{error}");
        let error = sign(&signer, transaction(41, 0)).await.unwrap_err().to_string();
        assert!(error.contains("in coins") && error.contains("limit is 100"), "{error}");
        // A statement costs nothing.
        record.0.lock().push((ago(1), spent(1_000, 1_000)));
        assert!(sign(&signer, transaction(0, 1)).await.is_err());
        sign(&signer, SigningEffect::Statement { chain: chain(10), contract: evm(1) }).await.unwrap();
    }
}
