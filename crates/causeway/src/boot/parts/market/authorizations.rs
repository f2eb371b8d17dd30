use std::collections::HashSet;
use std::time::Duration;

use alloy_primitives::Address as EvmAddress;
use causeway_domain::ports::ContractReader;
use causeway_domain::{Address, Family, TokenId};
use causeway_evm::TokenDomain;
use futures::future::join_all;
use parking_lot::RwLock;

/// The delay before a chain that did not answer is read again.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// How many tokens are read by one batch of calls.
const TOKENS_PER_READ: usize = 10;

/// The tokens that take EIP-3009 authorizations in a domain that was read from the chain.
#[derive(Debug)]
pub(super) struct TokenAuthorizations {
    tokens: Vec<TokenId>,
    taking: RwLock<HashSet<TokenId>>,
}

impl TokenAuthorizations {
    pub(super) fn new(tokens: impl IntoIterator<Item = TokenId>) -> Self {
        let is_contract = |token: &TokenId| token.chain().family() == Family::Evm && !token.is_native();
        Self { tokens: tokens.into_iter().filter(is_contract).collect(), taking: RwLock::default() }
    }

    pub(super) fn contains(&self, token: &TokenId) -> bool {
        self.taking.read().contains(token)
    }

    /// Reads every token once, as soon as its chain answers; a build reads its token again.
    pub(super) async fn read<R: ContractReader>(&self, chains: &[R]) {
        join_all(chains.iter().map(|chain| self.read_chain(chain))).await;
    }

    async fn read_chain(&self, reader: &impl ContractReader) {
        let chain = reader.chain();
        let here: Vec<TokenId> = self.tokens.iter().copied().filter(|token| token.chain() == chain).collect();
        for tokens in here.chunks(TOKENS_PER_READ) {
            let contracts: Vec<_> =
                tokens.iter().filter_map(|token| Some((*token, evm_address(token)?))).collect();
            let calls: Vec<_> =
                contracts.iter().flat_map(|(_, address)| TokenDomain::calls(*address)).collect();
            let answers = loop {
                match reader.read(&calls).await {
                    Ok(answers) => break answers,
                    Err(error) => {
                        tracing::debug!(%chain, %error, "the domains of tokens cannot be read, retrying");
                        tokio::time::sleep(RETRY_DELAY).await;
                    }
                }
            };
            let answers = answers.chunks(TokenDomain::CALLS);
            let taking = contracts
                .iter()
                .zip(answers)
                .filter(|((_, address), answers)| TokenDomain::read(chain, *address, answers).is_some());
            self.taking.write().extend(taking.map(|((token, _), _)| *token));
        }
    }
}

fn evm_address(token: &TokenId) -> Option<EvmAddress> {
    match token.address() {
        Address::Evm(address) => Some(address),
        Address::Solana(_) => None,
    }
}
