use alloy_primitives::B256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_wire::{Approval, QuoteAsk};

use super::super::super::message::{Instruction, Transaction, UNREADABLE};
use super::super::super::plan::{Plan, WalletAction};
use super::super::solana::{ASSOCIATED_TOKEN, COMPUTE_BUDGET, check_tip};
use super::super::{mismatch, word};
use crate::answers::ProviderDeposit;

/// The instruction that creates a token account unless it exists.
const CREATE_IDEMPOTENT: [u8; 1] = [1];

/// Checks a transaction that calls the program of a provider: the program is one that the caller trusts, only the wallet signs
/// and pays, and nothing else is called but what creates its token accounts. What the program then does is the provider's word.
pub(super) fn plan_call(
    ask: &QuoteAsk,
    deposit: &ProviderDeposit,
    trusted: &[String],
) -> Result<Plan, String> {
    if !trusted.contains(&deposit.target) {
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
    let mut calls = 0;
    for instruction in &transaction.instructions {
        let program = instruction.program;
        if program == target {
            calls += 1;
        } else if Some(program) == word(ASSOCIATED_TOKEN) {
            check_account(&transaction, instruction, payer)?;
        } else if Some(program) != word(COMPUTE_BUDGET) || !instruction.accounts.is_empty() {
            return Err(format!(
                "The deposit transaction has an instruction of the program {program} that a swap does not need."
            ));
        }
    }
    if calls != 1 {
        return Err(format!("The deposit transaction calls the provider {calls} times, expected once."));
    }
    check_tip(&transaction.instructions)?;
    Ok(Plan { actions: vec![WalletAction::SignSolana(bytes)], permits: Vec::new() })
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
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const PAYER: B256 = B256::repeat_byte(1);
    const TARGET: B256 = B256::repeat_byte(2);
    const OTHER: B256 = B256::repeat_byte(3);

    /// A call: its program, accounts and data.
    type Call<'a> = (B256, &'a [B256], &'a [u8]);

    fn text(key: B256) -> String {
        bs58::encode(key).into_string()
    }

    /// A transaction of these calls, signed by so many.
    fn transaction(signers: u8, calls: &[Call<'_>]) -> String {
        let mut keys = vec![PAYER];
        for (program, accounts, _) in calls {
            for key in accounts.iter().chain([program]) {
                if !keys.contains(key) {
                    keys.push(*key);
                }
            }
        }
        let place = |key: &B256| u8::try_from(keys.iter().position(|known| known == key).unwrap()).unwrap();
        let count = |count: usize| u8::try_from(count).unwrap();
        let mut bytes = vec![signers];
        bytes.extend(vec![0; 64 * usize::from(signers)]);
        bytes.extend([0x80, signers, 0, 0, count(keys.len())]);
        bytes.extend(keys.iter().flatten());
        bytes.extend([7; 32]);
        bytes.push(count(calls.len()));
        for (program, accounts, data) in calls {
            bytes.extend([place(program), count(accounts.len())]);
            bytes.extend(accounts.iter().map(place));
            bytes.push(count(data.len()));
            bytes.extend(*data);
        }
        bytes.push(0);
        BASE64.encode(bytes)
    }

    fn built(transaction: &str) -> Value {
        json!({
            "kind": "PROVIDER_CALL", "orderId": "1", "settlement": "provider", "provider": "jupiter", "tool": "jupiter",
            "approvals": [{ "type": "solana_sendTransaction", "transaction": transaction, "deposit": true }],
            "target": text(TARGET), "minAmountOut": "19", "heldBy": "", "refunds": "", "summary": [],
        })
    }

    fn plan(built: &Value, trusted: &[String]) -> Result<usize, String> {
        let deposit: ProviderDeposit = serde_json::from_value(built.clone()).unwrap();
        let ask = QuoteAsk { from_address: text(PAYER), ..QuoteAsk::default() };
        plan_call(&ask, &deposit, trusted).map(|plan| plan.actions.len())
    }

    fn refused(transaction: &str) -> String {
        plan(&built(transaction), &[text(TARGET)]).unwrap_err()
    }

    fn budget() -> B256 {
        word(COMPUTE_BUDGET).unwrap()
    }

    fn accounts() -> B256 {
        word(ASSOCIATED_TOKEN).unwrap()
    }

    #[test]
    fn a_call_of_a_trusted_program_is_signed() {
        let calls: [Call<'_>; 4] = [
            (budget(), &[], &[2, 1, 0, 0, 0]),
            (budget(), &[], &[3, 1, 0, 0, 0, 0, 0, 0, 0]),
            (accounts(), &[PAYER, OTHER, PAYER], &[1]),
            (TARGET, &[PAYER, OTHER], &[9]),
        ];
        assert_eq!(plan(&built(&transaction(1, &calls)), &[text(TARGET)]), Ok(1));
        for trusted in [vec![], vec![text(OTHER)]] {
            assert!(plan(&built(&transaction(1, &calls)), &trusted).unwrap_err().contains("trusted"));
        }
    }

    #[test]
    fn what_a_swap_does_not_need_is_refused_in_words() {
        let swap: Call<'_> = (TARGET, &[PAYER], &[9]);
        let of = |calls: &[Call<'_>]| refused(&transaction(1, calls));
        assert!(of(&[swap, (OTHER, &[PAYER], &[1])]).contains("does not need"));
        assert!(of(&[swap, swap]).contains("2 times"));
        assert!(of(&[]).contains("0 times"));
        assert!(of(&[swap, (accounts(), &[PAYER, OTHER, OTHER], &[1])]).contains("not the payer's"));
        assert!(of(&[swap, (accounts(), &[PAYER, OTHER, PAYER], &[2])]).contains("not the payer's"));
        assert!(of(&[swap, (budget(), &[OTHER], &[2, 1, 0, 0, 0])]).contains("does not need"));
        let dear = [&[3][..], &u64::MAX.to_le_bytes()].concat();
        assert!(of(&[swap, (budget(), &[], &dear)]).contains("priority fee"));
        assert!(refused(&transaction(2, &[swap])).contains("alone"));
        assert!(refused("AAAA").contains("not a version 0"));
        let mut none = built(&transaction(1, &[swap]));
        none["approvals"] = json!([]);
        assert!(plan(&none, &[text(TARGET)]).unwrap_err().contains("one Solana transaction"));
        let mut silent = built(&transaction(1, &[swap]));
        silent["approvals"][0]["deposit"] = json!(false);
        assert!(plan(&silent, &[text(TARGET)]).unwrap_err().contains("deposits"));
    }
}
