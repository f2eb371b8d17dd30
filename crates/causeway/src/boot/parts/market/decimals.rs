use std::collections::HashMap;
use std::time::Duration;

use causeway_domain::ports::{ContractCall, ContractReader, Refusal, TokenPolicy};
use causeway_domain::{ChainId, Family, TokenId};
use futures::future::join_all;
use parking_lot::RwLock;

/// `decimals()`
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];

/// The delay before a chain that did not answer is read again.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// The decimals that EVM tokens report: a token that differs from the catalog would be mispriced by
/// powers of ten.
#[derive(Debug)]
pub(super) struct TokenDecimals {
    expected: HashMap<TokenId, u8>,
    /// The reported decimals; `None` for an invalid answer.
    reported: RwLock<HashMap<TokenId, Option<u8>>>,
}

impl TokenDecimals {
    pub(super) fn new(tokens: impl IntoIterator<Item = (TokenId, u8)>) -> Self {
        let is_contract = |token: &TokenId| token.chain().family() == Family::Evm && !token.is_native();
        let expected = tokens.into_iter().filter(|(token, _)| is_contract(token)).collect();
        Self { expected, reported: RwLock::default() }
    }

    /// Reads every token once, as soon as its chain answers.
    pub(super) async fn read<R: ContractReader>(&self, chains: &[R]) {
        join_all(chains.iter().map(|chain| self.read_chain(chain))).await;
    }

    async fn read_chain(&self, reader: &impl ContractReader) {
        let tokens = self.on(reader.chain());
        let calls = tokens.iter().map(|token| ContractCall { to: token.address(), data: DECIMALS.to_vec() });
        let calls: Vec<ContractCall> = calls.collect();
        if calls.is_empty() {
            return;
        }
        let answers = loop {
            match reader.read(&calls).await {
                Ok(answers) => break answers,
                Err(error) => {
                    tracing::warn!(%error, "token decimals cannot be read, retrying");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        };
        let mut reported = self.reported.write();
        for (token, answer) in tokens.into_iter().zip(answers) {
            let decimals = answer.as_deref().and_then(small_number);
            let expected = self.expected.get(&token).copied();
            if decimals != expected {
                tracing::error!(%token, ?decimals, ?expected, "token decimals differ from the catalog, token not traded");
            }
            reported.insert(token, decimals);
        }
    }

    fn on(&self, chain: ChainId) -> Vec<TokenId> {
        self.expected.keys().copied().filter(|token| token.chain() == chain).collect()
    }

    /// Whether the token's decimals were read.
    pub(super) fn is_read(&self, token: &TokenId) -> bool {
        let reported = self.reported.read();
        !self.expected.contains_key(token) || reported.contains_key(token)
    }
}

impl TokenPolicy for TokenDecimals {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        let expected = self.expected.get(token)?;
        match self.reported.read().get(token) {
            // Temporary, so no reason to refund an order.
            None => Some(Refusal::NoPrice),
            Some(Some(reported)) if reported == expected => None,
            Some(_) => {
                let words = "it says other decimals than the catalog";
                Some(Refusal::Other(format!("{} is not traded: {words}", token.address())))
            }
        }
    }
}

/// A 32-byte word that is a number below 256.
fn small_number(word: &[u8]) -> Option<u8> {
    let (last, rest) = word.split_last()?;
    (word.len() == 32 && rest.iter().all(|byte| *byte == 0)).then_some(*last)
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use causeway_domain::Address;
    use causeway_domain::ports::ChainError;

    use super::*;

    /// Gives every call the same answer.
    struct Answer(Option<Vec<u8>>);

    #[async_trait]
    impl ContractReader for Answer {
        fn chain(&self) -> ChainId {
            ChainId::new(10).unwrap()
        }

        async fn read(&self, calls: &[ContractCall]) -> Result<Vec<Option<Vec<u8>>>, ChainError> {
            Ok(vec![self.0.clone(); calls.len()])
        }
    }

    #[tokio::test]
    async fn rule_14_a_token_whose_decimals_differ_from_the_catalog_is_not_traded() {
        let chain = ChainId::new(10).unwrap();
        let token = TokenId::from_address(chain, Address::Evm([7; 20].into())).unwrap();
        let native = TokenId::native(chain);
        let six = [vec![0; 31], vec![6]].concat();
        for (answer, trades) in [
            (Some(six.clone()), true),
            (Some([vec![0; 31], vec![18]].concat()), false),
            (Some([vec![1], six[1..].to_vec()].concat()), false),
            (Some(Vec::new()), false),
            (None, false),
        ] {
            let decimals = TokenDecimals::new([(token, 6), (native, 18)]);
            assert_eq!(decimals.refusal(&token), Some(Refusal::NoPrice), "nobody has asked it yet");
            assert!(!decimals.is_read(&token) && decimals.is_read(&native));
            decimals.read(&[Answer(answer.clone())]).await;
            assert_eq!(decimals.refusal(&token).is_none(), trades, "{answer:?}");
            assert_eq!(decimals.refusal(&native), None);
            assert!(decimals.is_read(&token));
        }
    }
}
