use alloy_primitives::{Address, B256, address, b256};
use causeway_wire::{QuoteAsk, RouteQuote, Transfer, TransferDeposit};
use ed25519_dalek::VerifyingKey;
use sha2::{Digest as _, Sha256};

use super::terms::ParsedTerms;
use super::{mismatch, word};

/// The factory of deposit addresses and their code hash, the same on every chain with transfers.
const FACTORY: Address = address!("18c1fCD9cD2EC323aB78c4B62fBDAfac98c05e55");
const ADDRESS_CODE: B256 = b256!("8356e3766a89d0b23373d3cf52894f7f3d41646b376035088fafa6895fb58f00");

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
        program_address(b"deposit", terms.id(), terms.word("escrow"))
            .ok_or("The program derives no such address.")?
    };
    [&deposit.transfer, &deposit.deposit].into_iter().try_for_each(|copy| check(ask, quote, copy, address))
}

fn check(ask: &QuoteAsk, quote: &RouteQuote, transfer: &Transfer, address: B256) -> Result<(), String> {
    let Transfer { deposit_address, amount, token, chain_id, qr_payload, payment_uri, .. } = transfer;
    if *chain_id != ask.from_chain_id {
        return Err(mismatch("transfer's chain", chain_id, ask.from_chain_id));
    }
    let is = word(token);
    if is.is_none() || is != word(&ask.from_token) {
        return Err(mismatch("transfer's token", token, &ask.from_token));
    }
    if *amount != quote.amount_in {
        return Err(mismatch("transfer's amount", amount, &quote.amount_in));
    }
    if word(deposit_address) != Some(address) {
        return Err(mismatch("transfer's address", deposit_address, address));
    }
    let link = if is == Some(B256::ZERO) {
        format!("ethereum:{deposit_address}@{chain_id}?value={amount}")
    } else {
        format!("ethereum:{token}@{chain_id}/transfer?address={deposit_address}&uint256={amount}")
    };
    // Other parameters of a Solana Pay link only concern the amount, and overpayments are refunded.
    let on_solana = format!("solana:{deposit_address}?");
    for text in std::iter::once(qr_payload).chain(payment_uri) {
        if text != deposit_address && *text != link && !text.starts_with(&on_solana) {
            return Err(mismatch("transfer's link", text, link));
        }
    }
    Ok(())
}

/// The program derived address of a Solana program for a seed and 32 bytes.
fn program_address(kind: &[u8], name: B256, program: B256) -> Option<B256> {
    (0..=u8::MAX).rev().find_map(|bump| {
        let hash = Sha256::new()
            .chain_update(kind)
            .chain_update(name)
            .chain_update([bump])
            .chain_update(program)
            .chain_update(b"ProgramDerivedAddress")
            .finalize();
        let hash = <[u8; 32]>::from(hash);
        VerifyingKey::from_bytes(&hash).is_err().then_some(B256::from(hash))
    })
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{hex, keccak256};
    use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};

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
        let salt = B256::new(*b"causeway contracts, version 1\0\0\0");
        assert_eq!(deployer.create2_from_code(salt, factory), FACTORY);
    }

    #[test]
    fn solana_address_matches_the_program() {
        let program = EscrowProgram::new(SANDBOX_PROGRAM);
        for byte in 0..32 {
            let id = B256::repeat_byte(byte);
            let derived = program_address(b"deposit", id, SANDBOX_PROGRAM.to_bytes().into());
            assert_eq!(derived, Some(B256::from(program.deposit(id).to_bytes())));
        }
    }
}
