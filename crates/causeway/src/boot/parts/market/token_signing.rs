use std::collections::HashMap;
use std::time::Duration;

use alloy_primitives::Address as EvmAddress;
use causeway_domain::ports::ContractReader;
use causeway_domain::{Address, DepositMethod, Family, TokenId};
use causeway_evm::TokenSignatures;
use futures::future::join_all;
use parking_lot::RwLock;

/// The delay before a chain that did not answer is read again.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// How many tokens are read by one batch of calls.
const TOKENS_PER_READ: usize = 10;

/// The tokens that take their holders' signatures themselves (EIP-3009, EIP-2612), in a domain that was read from the chain.
#[derive(Debug)]
pub(super) struct TokenSigning {
    tokens: Vec<TokenId>,
    methods: RwLock<HashMap<TokenId, Vec<DepositMethod>>>,
}

impl TokenSigning {
    pub(super) fn new(tokens: impl IntoIterator<Item = TokenId>) -> Self {
        let is_contract = |token: &TokenId| token.chain().family() == Family::Evm && !token.is_native();
        Self { tokens: tokens.into_iter().filter(is_contract).collect(), methods: RwLock::default() }
    }

    /// The deposit methods for which the token takes a signature.
    pub(super) fn methods(&self, token: &TokenId) -> Vec<DepositMethod> {
        self.methods.read().get(token).cloned().unwrap_or_default()
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
            let addresses: Vec<_> = contracts.iter().map(|(_, address)| *address).collect();
            let answers = loop {
                match TokenSignatures::read(reader, &addresses).await {
                    Ok(answers) => break answers,
                    Err(error) => {
                        tracing::debug!(%chain, %error, "the domains of tokens cannot be read, retrying");
                        tokio::time::sleep(RETRY_DELAY).await;
                    }
                }
            };
            let read = contracts.iter().zip(answers);
            let methods = read.filter_map(|((token, _), signatures)| Some((*token, signatures?.methods())));
            self.methods.write().extend(methods);
        }
    }
}

fn evm_address(token: &TokenId) -> Option<EvmAddress> {
    match token.address() {
        Address::Evm(address) => Some(address),
        _ => None,
    }
}
