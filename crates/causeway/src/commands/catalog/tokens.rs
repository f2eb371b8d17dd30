use alloy_primitives::U256;
use causeway_domain::ports::{ContractCall, ContractReader as _};
use causeway_domain::{Address, Token};
use causeway_evm::EvmClient;
use causeway_solana::SolanaRpc;
use serde::Deserialize;
use serde_json::json;

use super::report::ChainReport;

/// `decimals()` and `symbol()`.
const DECIMALS: [u8; 4] = [0x31, 0x3c, 0xe5, 0x67];
const SYMBOL: [u8; 4] = [0x95, 0xd8, 0x9b, 0x41];
/// Tokens that are read at once.
const BATCH: usize = 50;
/// Where a mint of the token program has its decimals, after authority and supply.
const MINT_DECIMALS: usize = 44;

/// Compares decimals and symbol of each token with its contract. A symbol may be written in another case.
pub(super) async fn check(client: &EvmClient, tokens: &[&Token], report: &mut ChainReport) {
    let contracts: Vec<&Token> =
        tokens.iter().copied().filter(|token| !token.id.address().is_native()).collect();
    let mut right = 0;
    for batch in contracts.chunks(BATCH) {
        let call =
            |token: &&Token, what: [u8; 4]| ContractCall { to: token.id.address(), data: what.to_vec() };
        let calls: Vec<ContractCall> =
            batch.iter().flat_map(|token| [DECIMALS, SYMBOL].map(|what| call(token, what))).collect();
        let answers = match client.read(&calls).await {
            Ok(answers) => answers,
            Err(error) => {
                report.unread(format!("{} tokens: {error}", batch.len()));
                continue;
            }
        };
        for (token, answer) in batch.iter().zip(answers.as_chunks::<2>().0) {
            match compare(token, answer[0].as_deref(), answer[1].as_deref()) {
                Ok(()) => right += 1,
                Err(difference) => report.differs(difference),
            }
        }
    }
    report.agrees(format!("{right} of {} tokens", contracts.len()));
}

fn compare(token: &Token, decimals: Option<&[u8]>, symbol: Option<&[u8]>) -> Result<(), String> {
    let place = format!("{} at {}", token.symbol, token.id.address());
    let decimals = decimals.and_then(|word| <[u8; 32]>::try_from(word).ok()).map(U256::from_be_bytes::<32>);
    let decimals = decimals.ok_or_else(|| format!("{place}: no token answers there"))?;
    if decimals != U256::from(token.decimals) {
        return Err(format!("{place}: {decimals} decimals, not {}", token.decimals));
    }
    // Some old tokens have their symbol in a word and not in a string.
    let symbol = symbol.and_then(read_text).unwrap_or_default();
    if symbol.eq_ignore_ascii_case(&token.symbol) {
        Ok(())
    } else {
        Err(format!("{place}: its symbol is `{symbol}`"))
    }
}

/// The text of an answer: a string of the ABI, or a word that is filled with zeros.
fn read_text(answer: &[u8]) -> Option<String> {
    let bytes = if answer.len() == 32 {
        answer
    } else {
        let length = U256::from_be_slice(answer.get(32..64)?);
        answer.get(64..64_usize.checked_add(length.try_into().ok()?)?)?
    };
    let text = String::from_utf8_lossy(bytes);
    Some(text.trim_end_matches('\0').to_owned())
}

#[derive(Deserialize)]
struct Accounts {
    value: Vec<Option<Account>>,
}

#[derive(Deserialize)]
struct Account {
    data: (String, String),
}

/// Compares the decimals of each mint.
pub(super) async fn check_mints(rpc: &SolanaRpc, tokens: &[&Token], report: &mut ChainReport) {
    let mints: Vec<&Token> = tokens.iter().copied().filter(|token| !token.id.address().is_native()).collect();
    let mut right = 0;
    for batch in mints.chunks(BATCH) {
        let addresses: Vec<String> = batch.iter().map(|token| token.id.address().to_string()).collect();
        let params = json!([addresses, { "encoding": "base58", "dataSlice": { "offset": MINT_DECIMALS, "length": 1 } }]);
        let accounts = match rpc.call::<Accounts>("getMultipleAccounts", params).await {
            Ok(accounts) => accounts.value,
            Err(error) => {
                report.unread(format!("{} mints: {error}", batch.len()));
                continue;
            }
        };
        for (token, account) in batch.iter().zip(accounts) {
            let decimals = account.and_then(|account| bs58::decode(account.data.0).into_vec().ok());
            let decimals = decimals.and_then(|bytes| bytes.first().copied());
            let place = format!("{} at {}", token.symbol, Address::to_string(&token.id.address()));
            match decimals {
                Some(decimals) if decimals == token.decimals => right += 1,
                Some(decimals) => {
                    report.differs(format!("{place}: {decimals} decimals, not {}", token.decimals));
                }
                None => report.differs(format!("{place}: there is no mint")),
            }
        }
    }
    report.agrees(format!("{right} of {} mints", mints.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usdc() -> Token {
        let chain = causeway_domain::ChainId::new(8453).unwrap();
        Token {
            id: causeway_domain::TokenId::new(chain, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap(),
            symbol: "USDC".to_owned(),
            name: "USD Coin".to_owned(),
            decimals: 6,
            logo: None,
        }
    }

    fn word(number: u8) -> Vec<u8> {
        U256::from(number).to_be_bytes_vec()
    }

    fn string(text: &str) -> Vec<u8> {
        let length = word(u8::try_from(text.len()).unwrap());
        let mut padded = text.as_bytes().to_vec();
        padded.resize(32, 0);
        [word(32), length, padded].concat()
    }

    #[test]
    fn a_token_with_other_decimals_or_another_symbol_differs() {
        let compare = |decimals: Option<Vec<u8>>, symbol: Option<Vec<u8>>| {
            compare(&usdc(), decimals.as_deref(), symbol.as_deref())
        };
        assert_eq!(compare(Some(word(6)), Some(string("USDC"))), Ok(()));
        assert_eq!(compare(Some(word(6)), Some(string("usdc"))), Ok(()));
        let mut old = b"USDC".to_vec();
        old.resize(32, 0);
        assert_eq!(compare(Some(word(6)), Some(old)), Ok(()), "a symbol in a word");
        for (decimals, symbol, words) in [
            (Some(word(18)), Some(string("USDC")), "18 decimals, not 6"),
            (Some(word(6)), Some(string("USDbC")), "its symbol is `USDbC`"),
            (Some(word(6)), None, "its symbol is ``"),
            (Some(Vec::new()), Some(Vec::new()), "no token answers there"),
            (None, None, "no token answers there"),
        ] {
            let difference = compare(decimals, symbol).unwrap_err();
            assert!(difference.contains(words), "{difference}");
        }
    }
}
