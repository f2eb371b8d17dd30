use alloy_primitives::B256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_wire::{Approval, QuoteAsk};

use super::super::super::effects::{Effects, Payment, SolanaSwap};
use super::super::super::message::{Instruction, Transaction, UNREADABLE};
use super::super::super::plan::{Plan, WalletAction};
use super::super::super::trusted_provider::{TrustedProvider, Unchecked};
use super::super::solana::{ASSOCIATED_TOKEN, COMPUTE_BUDGET, check_tip};
use super::super::{mismatch, word};
use super::swap::check_swap;
use crate::answers::{ProviderDeposit, RouteQuote};

/// The instruction that creates a token account unless it exists.
const CREATE_IDEMPOTENT: [u8; 1] = [1];

/// Checks a transaction that calls the program of a provider: the program is one that the caller trusts, only the wallet signs
/// and pays, nothing else is called but what creates its token accounts, and the call is the swap that was asked for.
pub(super) fn plan_call(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &ProviderDeposit,
    trusted: &[TrustedProvider],
) -> Result<Plan, String> {
    if !trusted.iter().any(|one| one.contract == deposit.target) {
        let expected = "a program that is trusted for this provider";
        return Err(mismatch("provider's program", &deposit.target, expected));
    }
    let [Approval::Solana(approval)] = &deposit.approvals[..] else {
        return Err("The response does not have one Solana transaction.".to_owned());
    };
    if approval.deposit != Some(true) {
        return Err("The response has 0 deposits, expected 1.".to_owned());
    }
    let target = word(&deposit.target).ok_or("The provider's program is not an address.")?;
    let payer = word(&ask.from_address).ok_or("The payer is not an address.")?;
    let bytes = BASE64.decode(&approval.transaction).map_err(|_| UNREADABLE)?;
    let transaction = Transaction::read(&bytes).ok_or(UNREADABLE)?;
    if transaction.slots != 1 || transaction.signers != 1 || transaction.keys.first() != Some(&payer) {
        return Err("The deposit transaction is not signed and paid by the wallet alone.".to_owned());
    }
    let mut swaps = Vec::new();
    for instruction in &transaction.instructions {
        let program = instruction.program;
        if program == target {
            swaps.push(check_swap(ask, quote, &transaction, instruction)?);
        } else if Some(program) == word(ASSOCIATED_TOKEN) {
            check_account(&transaction, instruction, payer)?;
        } else if Some(program) != word(COMPUTE_BUDGET) || !instruction.accounts.is_empty() {
            return Err(format!(
                "The deposit transaction has an instruction of the program {program} that a swap does not need."
            ));
        }
    }
    let calls = swaps.len();
    let Some(swap) = swaps.pop().filter(|_| calls == 1) else {
        return Err(format!("The deposit transaction calls the provider {calls} times, expected once."));
    };
    // The network rounds it up.
    let tip = check_tip(&transaction.instructions)?;
    let effects = Effects {
        payment: Payment::Solana(SolanaSwap { tip: tip.saturating_add(1), ..swap }),
        contract: deposit.target.clone(),
        is_trusted: trusted
            .iter()
            .any(|one| one.contract == deposit.target && one.leaves(Unchecked::Effects)),
    };
    let actions = vec![WalletAction::SignSolana(bytes)];
    Ok(Plan { actions, permits: Vec::new(), settler: None, effects: Some(effects) })
}

/// A new token account is the payer's own.
fn check_account(
    transaction: &Transaction<'_>,
    instruction: &Instruction<'_>,
    payer: B256,
) -> Result<(), String> {
    let parties = [0, 2].map(|place| transaction.account(instruction, place));
    if *instruction.data == CREATE_IDEMPOTENT && parties == [Some(payer); 2] {
        return Ok(());
    }
    Err("The deposit transaction creates an account that is not the payer's.".to_owned())
}

#[cfg(test)]
mod tests;
