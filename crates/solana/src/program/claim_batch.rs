use alloy_primitives::B256;
use causeway_domain::{IntentTerms, SignatureBytes};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use thiserror::Error;

use super::EscrowProgram;
use super::address::address;
use super::settlement::party_account;

pub(super) const CLAIM_BATCH: u8 = 16;
/// The program takes no longer list.
pub const MAX_BATCH_ORDERS: usize = 16;
const WITH_ID: u8 = 1;
const WITH_REFERRER: u8 = 2;

/// One order of a batch claim, as the attesters signed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchFill<'a> {
    pub terms: &'a IntentTerms,
    pub filled_at: u64,
    pub fill_ref: B256,
    /// Whether the order's account is closed already. The signed list still names it, and the program skips it.
    pub is_closed: bool,
}

/// Why orders cannot be claimed together.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum BatchError {
    #[error("a batch has 1 to {MAX_BATCH_ORDERS} orders")]
    Count,
    #[error("the orders of a batch share payee, token and epoch")]
    Mixed,
}

impl EscrowProgram {
    /// Claims the orders of a list that are open still, with signatures over the whole list, signers in ascending
    /// order. All orders have the same payee, token and epoch; `token_program` is that of the token, and none for SOL.
    pub fn claim_batch(
        &self,
        fills: &[BatchFill<'_>],
        token_program: Option<Address>,
        signatures: &[SignatureBytes],
    ) -> Result<Instruction, BatchError> {
        let count = u8::try_from(fills.len()).ok().filter(|_| fills.len() <= MAX_BATCH_ORDERS);
        let (first, count) = fills.first().zip(count).ok_or(BatchError::Count)?;
        let shared = |terms: &IntentTerms| (terms.payee, terms.input_token, terms.epoch);
        if fills.iter().any(|fill| shared(fill.terms) != shared(first.terms)) {
            return Err(BatchError::Mixed);
        }
        let payee = party_account(first.terms, first.terms.payee, token_program);
        let mut accounts = vec![
            AccountMeta::new_readonly(self.epoch(first.terms.epoch), false),
            AccountMeta::new(payee, false),
        ];
        if let Some(token_program) = token_program {
            accounts.push(AccountMeta::new_readonly(address(first.terms.input_token), false));
            accounts.push(AccountMeta::new_readonly(token_program, false));
        }
        let mut data = vec![CLAIM_BATCH, u8::from(token_program.is_some()), count];
        for BatchFill { terms, filled_at, fill_ref, is_closed } in fills {
            let id = terms.id();
            let has_fee = !terms.referrer_fee.is_zero();
            data.push(if *is_closed { WITH_ID } else { 0 } | if has_fee { WITH_REFERRER } else { 0 });
            data.extend(filled_at.to_le_bytes());
            data.extend(fill_ref);
            if *is_closed {
                data.extend(id);
            }
            accounts.push(AccountMeta::new(self.order(id), false));
            if token_program.is_some() {
                accounts.push(AccountMeta::new(self.vault(id), false));
            }
            if has_fee {
                let referrer = party_account(terms, terms.referrer, token_program);
                accounts.push(AccountMeta::new(referrer, false));
            }
        }
        data.extend(signatures.concat());
        Ok(Instruction { program_id: self.id, accounts, data })
    }
}

/// The order of each entry of a batch claim, as a place among the instruction's accounts, with the place of the account
/// that holds its deposit. Data that the program would refuse yields nothing.
pub(super) fn batch_places(data: &[u8]) -> Option<Vec<(usize, usize)>> {
    let (&[kind, count], mut rest) = data.split_first_chunk::<2>()?;
    let in_tokens = match kind {
        0 => false,
        1 => true,
        _ => return None,
    };
    let mut place = if in_tokens { 4 } else { 2 };
    let mut places = Vec::with_capacity(count.into());
    for _ in 0..count {
        let (flags, after) = rest.split_first()?;
        let length = if flags & WITH_ID == 0 { 40 } else { 72 };
        rest = after.get(length..)?;
        places.push((place, place + usize::from(in_tokens)));
        place += 1 + usize::from(in_tokens) + usize::from(flags & WITH_REFERRER != 0);
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::super::SANDBOX_PROGRAM;
    use super::*;
    use crate::TOKEN_PROGRAM;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn terms(nonce: u8, fee: u64) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = U256::from(causeway_domain::TERMS_VERSION).into();
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        IntentTerms { nonce: B256::repeat_byte(nonce), referrer_fee: U256::from(fee), ..terms }
    }

    const fn fill(terms: &IntentTerms, is_closed: bool) -> BatchFill<'_> {
        BatchFill { terms, filled_at: 7, fill_ref: B256::ZERO, is_closed }
    }

    #[test]
    fn rule_31_a_batch_is_read_as_it_was_built() {
        let orders = [terms(1, 0), terms(2, 5), terms(3, 0)];
        let fills = [fill(&orders[0], false), fill(&orders[1], true), fill(&orders[2], true)];
        for token_program in [None, Some(TOKEN_PROGRAM)] {
            let instruction = PROGRAM.claim_batch(&fills, token_program, &[SignatureBytes::ZERO]).unwrap();
            let places = batch_places(&instruction.data[1..]).unwrap();
            for ((order, held), terms) in places.into_iter().zip(&orders) {
                assert_eq!(instruction.accounts[order].pubkey, PROGRAM.order(terms.id()));
                let holder = if token_program.is_some() {
                    PROGRAM.vault(terms.id())
                } else {
                    PROGRAM.order(terms.id())
                };
                assert_eq!(instruction.accounts[held].pubkey, holder);
            }
        }
    }

    #[test]
    fn rule_31_a_batch_has_one_payee_token_and_epoch() {
        let one = terms(1, 0);
        assert_eq!(PROGRAM.claim_batch(&[], None, &[]), Err(BatchError::Count));
        assert_eq!(PROGRAM.claim_batch(&[fill(&one, false); 17], None, &[]), Err(BatchError::Count));
        for other in [
            IntentTerms { payee: B256::ZERO, ..one },
            IntentTerms { input_token: B256::ZERO, ..one },
            IntentTerms { epoch: 9, ..one },
        ] {
            let fills = [fill(&one, false), fill(&other, false)];
            assert_eq!(PROGRAM.claim_batch(&fills, None, &[]), Err(BatchError::Mixed));
        }
    }
}
