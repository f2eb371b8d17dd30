use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::{Catalog, TokenFilter};
use causeway_domain::ports::BalanceReader;
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use futures::future::join_all;

/// What an address holds, and which chains did not answer in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    /// By chain, then in catalog order; without zero balances.
    pub held: Vec<(TokenId, RawAmount)>,
    /// Chains that did not answer, by id.
    pub silent: Vec<ChainId>,
}

/// Reads balances from all chains concurrently.
pub struct ReadBalances {
    catalog: Arc<Catalog>,
    readers: Vec<Arc<dyn BalanceReader>>,
    deadline: Duration,
}

impl std::fmt::Debug for ReadBalances {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadBalances").field("chains", &self.readers.len()).finish_non_exhaustive()
    }
}

impl ReadBalances {
    /// A chain that takes longer than `deadline` is left out and listed; one that is asked for by its id has twice as long.
    pub fn new(catalog: Arc<Catalog>, readers: Vec<Arc<dyn BalanceReader>>, deadline: Duration) -> Self {
        Self { catalog, readers, deadline }
    }

    /// What `owner` holds of every token of the catalog on the given chains, or on all of its family when none is given.
    pub async fn read(&self, owner: Address, chains: &[ChainId]) -> Balances {
        let asked = self.readers.iter().filter(|reader| {
            let chain = reader.chain();
            chain.family() == owner.family() && (chains.is_empty() || chains.contains(&chain))
        });
        let deadline = if chains.is_empty() { self.deadline } else { self.deadline.saturating_mul(2) };
        let answers = join_all(asked.map(|reader| self.read_one(reader.as_ref(), owner, deadline))).await;
        let mut balances = Balances::default();
        for (chain, answer) in answers {
            match answer {
                Some(mut held) => balances.held.append(&mut held),
                None => balances.silent.push(chain),
            }
        }
        balances
    }

    async fn read_one(
        &self,
        reader: &dyn BalanceReader,
        owner: Address,
        deadline: Duration,
    ) -> (ChainId, Option<Vec<(TokenId, RawAmount)>>) {
        let chain = reader.chain();
        let snapshot = self.catalog.snapshot();
        let filter = TokenFilter { q: None, chains: &[chain] };
        let listed = snapshot.tokens(filter, None, usize::MAX).tokens;
        let tokens: Vec<TokenId> = listed.iter().map(|listed| listed.token.id).collect();
        let places: HashMap<TokenId, usize> =
            tokens.iter().enumerate().map(|(place, token)| (*token, place)).collect();
        match tokio::time::timeout(deadline, reader.balances(owner, &tokens)).await {
            Ok(Ok(mut held)) => {
                held.retain(|(_, amount)| !amount.is_zero());
                held.sort_by_key(|(token, _)| places.get(token).copied());
                (chain, Some(held))
            }
            Ok(Err(error)) => {
                tracing::warn!(chain = chain.get(), %error, "reading balances failed");
                (chain, None)
            }
            Err(_) => (chain, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use causeway_domain::Family;
    use causeway_domain::ports::ChainError;

    use super::*;

    /// A chain that holds one unit of everything, answers late, or not at all.
    struct Chain {
        id: u64,
        delay: Duration,
        broken: bool,
    }

    #[async_trait]
    impl BalanceReader for Chain {
        fn chain(&self) -> ChainId {
            ChainId::new(self.id).unwrap()
        }

        async fn balances(
            &self,
            _: Address,
            tokens: &[TokenId],
        ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
            tokio::time::sleep(self.delay).await;
            if self.broken {
                return Err(ChainError::Unavailable(self.chain()));
            }
            let one: RawAmount = "1".parse().unwrap();
            Ok(tokens
                .iter()
                .rev()
                .map(|token| (*token, if token.is_native() { one } else { RawAmount::ZERO }))
                .collect())
        }
    }

    fn reader(id: u64, delay: u64, broken: bool) -> Arc<dyn BalanceReader> {
        Arc::new(Chain { id, delay: Duration::from_millis(delay), broken })
    }

    /// A chain that keeps count of what it was asked for.
    struct Counting(std::sync::Mutex<Vec<TokenId>>);

    #[async_trait]
    impl BalanceReader for Counting {
        fn chain(&self) -> ChainId {
            ChainId::new(1).unwrap()
        }

        async fn balances(
            &self,
            _: Address,
            tokens: &[TokenId],
        ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
            self.0.lock().unwrap().extend(tokens);
            let one: RawAmount = "1".parse().unwrap();
            Ok(tokens.iter().rev().map(|token| (*token, one)).collect())
        }
    }

    #[tokio::test]
    async fn balances_cover_every_token_of_the_catalog_well_known_ones_first() {
        let catalog = Arc::new(Catalog::bundled().unwrap());
        let reader = Arc::new(Counting(std::sync::Mutex::default()));
        let use_case = ReadBalances::new(Arc::clone(&catalog), vec![reader.clone()], Duration::from_secs(3));
        let held = use_case.read(Address::native(Family::Evm), &[]).await.held;
        let chain = reader.chain();
        let snapshot = catalog.snapshot();
        let top: Vec<TokenId> = snapshot.top(&[chain]).iter().map(|listed| listed.token.id).collect();
        let asked = reader.0.lock().unwrap().clone();
        assert!(asked.len() > top.len() * 10, "{} of the catalog", asked.len());
        assert!(asked.contains(&TokenId::native(chain)));
        assert_eq!(held.iter().map(|(token, _)| *token).collect::<Vec<_>>(), asked);
        assert!(held.iter().take(top.len()).all(|(token, _)| top.contains(token)), "well-known first");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_and_failing_chains_are_left_out_and_listed() {
        let readers = vec![
            reader(1, 0, false),
            reader(10, 60_000, false),
            reader(8453, 0, true),
            reader(20_011_000_000, 0, false),
        ];
        let catalog = Arc::new(Catalog::bundled().unwrap());
        let use_case = ReadBalances::new(catalog, readers, Duration::from_secs(3));
        let balances = use_case.read(Address::native(Family::Evm), &[]).await;
        let id = |id| ChainId::new(id).unwrap();
        assert_eq!(balances.held.len(), 1, "zero balances and the other family are left out");
        assert_eq!(balances.held[0].0, TokenId::native(id(1)));
        assert_eq!(balances.silent, [id(10), id(8453)]);
        let scoped = use_case.read(Address::native(Family::Evm), &[id(1)]).await;
        assert!(scoped.silent.is_empty());
    }
}
