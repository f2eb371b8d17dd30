//! Solvers of the Open Intents Framework, over its public HTTP API: Get Quote, Submit Intent, and an order's status.
//! The deposit lies in our own escrow, as an order that its user opened; the solver fills and claims by itself.

mod address;
mod ask;
mod client;
mod config;
mod envelope;
mod executor;
mod filler;
mod read_quotes;
mod wire;

pub use config::{ApiKey, ByteEncoding, OifConfig, OifContracts, OifError};
pub use executor::OifExecutor;
pub use filler::OifFiller;

/// A solver's answer to an ask, as it is read; and an account with its chain.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzed {
    use causeway_domain::ports::{Answer, FillerAsk};
    use causeway_domain::{Address, ChainId, DepositMethod};
    use jiff::Timestamp;

    use super::{OifContracts, address, ask, read_quotes};

    pub(crate) fn read_answer(ask: &FillerAsk, body: &[u8], now: Timestamp) -> Result<Answer, String> {
        let contract = |byte| Address::Evm(alloy_primitives::Address::repeat_byte(byte));
        let methods = vec![DepositMethod::ContractCall];
        let contracts =
            OifContracts { escrow: contract(0xe5), settler: contract(0x5e), methods: methods.clone() };
        let request = ask::build_request(ask, &contracts, &contracts, None, now);
        let request = request.map_err(|refusal| refusal.to_string())?;
        read_quotes::QuoteReader { ask, request: &request, methods: &methods, account: None, now }.read(body)
    }

    pub(crate) fn account(text: &str) -> Option<(ChainId, Address, Option<String>)> {
        let (chain, account) = address::read(text)?;
        Some((chain, account, address::interoperable(chain, account)))
    }
}
