use sha2::{Digest, Sha256};
use solana_address::Address;
use solana_instruction::Instruction;
use solana_keypair::{Keypair, keypair_from_seed};
use solana_message::{Message, VersionedMessage};
use solana_signature::Signature;
use solana_signer::Signer;
use solana_system_interface::instruction::transfer;
use solana_transaction::versioned::VersionedTransaction;
use spl_associated_token_account_interface::address::get_associated_token_address_with_program_id;
use spl_associated_token_account_interface::instruction::create_associated_token_account_idempotent;
use spl_token_2022_interface::instruction::{mint_to_checked, sync_native};

use super::Node;
use crate::solana::config::SolanaError;
use crate::solana::ledger::mint;
use crate::solana::programs::NATIVE_MINT;
use solana_account::ReadableAccount;

/// The limit of one airdrop: 100,000 SOL.
pub(crate) const MAX_AIRDROP: u64 = 100_000 * 1_000_000_000;

/// The keypair that pays airdrops and mints the tokens of the genesis.
pub(super) fn faucet() -> Result<Keypair, SolanaError> {
    let seed: [u8; 32] = Sha256::digest(b"causeway sandbox faucet").into();
    keypair_from_seed(&seed).map_err(|error| SolanaError::Refused(error.to_string()))
}

/// The address of the faucet, which is the authority of mints that name no other.
pub(crate) fn faucet_address() -> Result<Address, SolanaError> {
    faucet().map(|keypair| keypair.pubkey())
}

impl Node {
    /// Sends SOL from the faucet, with a transaction that shows in the history.
    pub(crate) fn airdrop(&mut self, to: &Address, lamports: u64) -> Result<Signature, SolanaError> {
        if lamports == 0 || lamports > MAX_AIRDROP {
            let message = format!(
                "an airdrop gives 1 to {MAX_AIRDROP} lamports (100,000 SOL) at a time: {lamports} is refused"
            );
            return Err(SolanaError::Refused(message));
        }
        let instruction = transfer(&self.faucet.pubkey(), to, lamports);
        self.send_from_faucet(&[instruction])
    }

    /// Mints tokens to the associated account of `owner`, which is created if it is missing.
    pub(crate) fn give_tokens(
        &mut self,
        owner: &Address,
        token: &Address,
        amount: u64,
    ) -> Result<Signature, SolanaError> {
        let refused = |reason: String| SolanaError::Refused(reason);
        let account = self.ledger.machine.account(token);
        let (program, state) = account
            .and_then(|account| Some((*account.owner(), mint(account)?)))
            .ok_or_else(|| refused(format!("{token} is not a token of this chain")))?;
        let faucet = self.faucet.pubkey();
        let to = get_associated_token_address_with_program_id(owner, token, &program);
        let create = create_associated_token_account_idempotent(&faucet, owner, token, &program);
        let failed = |error| refused(format!("cannot give {token}: {error:?}"));
        if *token == NATIVE_MINT {
            let wrap = sync_native(&program, &to).map_err(failed)?;
            return self.send_from_faucet(&[create, transfer(&faucet, &to, amount), wrap]);
        }
        if Option::<Address>::from(state.mint_authority) != Some(faucet) {
            return Err(refused(format!("the faucet may not mint {token}: it is not the mint authority")));
        }
        let mint =
            mint_to_checked(&program, token, &to, &faucet, &[], amount, state.decimals).map_err(failed)?;
        self.send_from_faucet(&[create, mint])
    }

    fn send_from_faucet(&mut self, instructions: &[Instruction]) -> Result<Signature, SolanaError> {
        let transaction = self.build_unique_transaction(instructions)?;
        let refused = |reason: String| SolanaError::Refused(reason);
        let sanitized =
            self.ledger.machine.sanitize(transaction).map_err(|error| refused(error.to_string()))?;
        if let Some(error) = self.ledger.simulate(&sanitized).error {
            return Err(refused(format!("the faucet's transaction would fail: {error}")));
        }
        let signature = *sanitized.signature();
        self.accept(sanitized);
        Ok(signature)
    }

    /// Signs with the newest blockhash that yields a new signature: equal transfers in one slot would otherwise be
    /// the same transaction.
    fn build_unique_transaction(
        &self,
        instructions: &[Instruction],
    ) -> Result<VersionedTransaction, SolanaError> {
        for block in self.ledger.slots.newest().take(100) {
            let payer = self.faucet.pubkey();
            let message = Message::new_with_blockhash(instructions, Some(&payer), &block.hash);
            let transaction =
                VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&self.faucet])
                    .map_err(|error| SolanaError::Refused(error.to_string()))?;
            let is_new = transaction.signatures.first().is_some_and(|signature| {
                let is_pending =
                    self.pending.iter().any(|pending| pending.transaction.signature() == signature);
                !is_pending && self.ledger.history.get(signature).is_none()
            });
            if is_new {
                return Ok(transaction);
            }
        }
        Err(SolanaError::Refused(
            "too many equal faucet transfers at once: wait for the next slot".to_owned(),
        ))
    }
}
