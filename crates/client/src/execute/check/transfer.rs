use alloy_primitives::{Address, B256};
use causeway_wire::QuoteAsk;

use super::super::contracts::{ADDRESS_CODE, FACTORY};
use super::chain_address::{link, on_chain};
use super::mismatch;
use super::program_address::program_address;
use super::terms::ParsedTerms;
use crate::answers::{RouteQuote, Transfer, TransferDeposit};
use crate::decimals::check_decimals;

/// Checks token, amount and chain, and that the address is derived from exactly these terms.
pub(super) fn check_transfer(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    terms: &ParsedTerms,
    deposit: &TransferDeposit,
) -> Result<(), String> {
    let is_evm = ask.from_address.parse::<Address>().is_ok();
    let address = if is_evm {
        FACTORY.create2(terms.id(), ADDRESS_CODE).into_word()
    } else {
        program_address(&[b"deposit", terms.id().as_slice()], terms.word("escrow"))
            .ok_or("The program address cannot be derived.")?
    };
    let mut copies = std::iter::once(&deposit.transfer).chain(&deposit.deposit);
    copies.try_for_each(|copy| check(ask, quote, copy, address))
}

/// Checks token, amount, chain, address and link of one description of a transfer.
pub(super) fn check(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    transfer: &Transfer,
    address: B256,
) -> Result<(), String> {
    let Transfer { deposit_address, amount, token, chain_id, decimals, qr_payload, payment_uri, .. } =
        transfer;
    let chain_id = chain_id.unwrap_or_default();
    if chain_id != ask.from_chain_id {
        return Err(mismatch("transfer's chain", chain_id, ask.from_chain_id));
    }
    let (amount, token) = (amount.as_deref().unwrap_or("missing"), token.as_deref().unwrap_or("missing"));
    let is = on_chain(chain_id, token);
    if is.is_none() || is != on_chain(chain_id, &ask.from_token) {
        return Err(mismatch("transfer's token", token, &ask.from_token));
    }
    if amount != quote.amount_in {
        return Err(mismatch("transfer's amount", amount, &quote.amount_in));
    }
    if let Some(decimals) = decimals {
        check_decimals(chain_id, token, *decimals)?;
    }
    if on_chain(chain_id, deposit_address) != Some(address) {
        return Err(mismatch("transfer's address", deposit_address, address));
    }
    let contract = Some(token).filter(|_| is != Some(B256::ZERO));
    let link = link(chain_id, deposit_address, contract, amount).unwrap_or_else(|| deposit_address.clone());
    // Other parameters of a Solana Pay link only concern the amount, and overpayments are refunded.
    let on_solana = format!("solana:{deposit_address}?");
    for text in qr_payload.iter().chain(payment_uri) {
        if text != deposit_address && *text != link && !text.starts_with(&on_solana) {
            return Err(mismatch("transfer's link", text, link));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, hex, keccak256};

    use super::*;

    fn code(artifact: &str) -> Vec<u8> {
        let artifact: serde_json::Value = serde_json::from_str(artifact).unwrap();
        hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap()
    }

    #[test]
    fn addresses_match_the_compiled_contracts() {
        let address = code(include_str!("../../../../../contracts/evm/artifacts/DepositAddress.json"));
        assert_eq!(keccak256(address), ADDRESS_CODE);
        let factory = code(include_str!("../../../../../contracts/evm/artifacts/DepositFactory.json"));
        let deployer = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
        let salt = B256::new(*b"causeway contracts, version 2\0\0\0");
        assert_eq!(deployer.create2_from_code(salt, factory), FACTORY);
    }
}
