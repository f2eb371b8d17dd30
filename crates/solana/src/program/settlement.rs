use alloy_primitives::B256;
use causeway_domain::{IntentTerms, SignatureBytes};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::EscrowProgram;
use super::address::{address, associated_token_account};

pub(super) const CLAIM: u8 = 8;
pub(super) const REFUND: u8 = 9;
pub(super) const REFUND_UNFILLED: u8 = 10;
pub(super) const REFUND_TO: u8 = 11;
const CLOSE_ORDER: u8 = 12;
const CLOSE_FILL: u8 = 13;

/// In every instruction here, `token_program` is that of the deposit's mint, and none for SOL.
impl EscrowProgram {
    /// Pays payee and referrer with attestations, signers in ascending order.
    pub fn claim(
        &self,
        terms: &IntentTerms,
        token_program: Option<Address>,
        (filled_at, fill_ref): (u64, B256),
        signatures: &[SignatureBytes],
    ) -> Instruction {
        let mut data = vec![CLAIM];
        data.extend(filled_at.to_le_bytes());
        data.extend(fill_ref);
        data.extend(signatures.concat());
        self.claim_instruction(terms, self.epoch(terms.epoch), token_program, data)
    }

    /// Pays payee and referrer of an order within Solana; the fill marker is the proof.
    pub fn claim_recorded(&self, terms: &IntentTerms, token_program: Option<Address>) -> Instruction {
        self.claim_instruction(terms, self.fill_marker(terms.id()), token_program, vec![CLAIM])
    }

    /// Refunds a deposit: at once if `caller` is the filler and signs, otherwise after expiry.
    pub fn refund(
        &self,
        terms: &IntentTerms,
        caller: AccountMeta,
        token_program: Option<Address>,
    ) -> Instruction {
        let to = party_account(terms, terms.refund_to, token_program);
        self.settle_instruction(
            terms,
            [self.fill_marker(terms.id()), to],
            caller,
            token_program,
            vec![REFUND],
        )
    }

    /// Refunds a deposit with attestations that it was not filled, signers in ascending order.
    pub fn refund_unfilled(
        &self,
        terms: &IntentTerms,
        token_program: Option<Address>,
        destination_time: u64,
        signatures: &[SignatureBytes],
    ) -> Instruction {
        let mut data = vec![REFUND_UNFILLED];
        data.extend(destination_time.to_le_bytes());
        data.extend(signatures.concat());
        let to = party_account(terms, terms.refund_to, token_program);
        let unused = AccountMeta::new_readonly(self.order(terms.id()), false);
        self.settle_instruction(terms, [self.epoch(terms.epoch), to], unused, token_program, data)
    }

    /// Refunds an expired deposit to another account; `caller` signs and is the refund address, or later the user.
    pub fn refund_to(
        &self,
        terms: &IntentTerms,
        caller: Address,
        to: Address,
        token_program: Option<Address>,
    ) -> Instruction {
        let caller = AccountMeta::new_readonly(caller, true);
        self.settle_instruction(
            terms,
            [self.fill_marker(terms.id()), to],
            caller,
            token_program,
            vec![REFUND_TO],
        )
    }

    /// Returns the rent of an order that has ended, past its open deadline, to `payer` who paid it. Tokens in the vault
    /// beside the deposit go to the refund address, or to `payer` where the refund address has no account for them.
    pub fn close_order(
        &self,
        terms: &IntentTerms,
        payer: Address,
        token_program: Option<Address>,
    ) -> Instruction {
        let id = terms.id();
        let mut accounts = vec![
            AccountMeta::new(self.order(id), false),
            AccountMeta::new(payer, false),
            AccountMeta::new(party_account(terms, terms.refund_to, token_program), false),
        ];
        accounts.extend(self.vault_accounts(terms, token_program));
        if let Some(token_program) = token_program {
            let mint = address(terms.input_token);
            let own = associated_token_account(&payer, &mint, &token_program);
            accounts.push(AccountMeta::new(own, false));
        }
        Instruction { program_id: self.id, accounts, data: vec![CLOSE_ORDER] }
    }

    /// Returns the rent of a fill's record, past the order's `refundAt`, to the caller of the fill, who paid it.
    pub fn close_fill(&self, id: B256, payer: Address) -> Instruction {
        let accounts = vec![
            AccountMeta::new(self.fill_marker(id), false),
            AccountMeta::new(payer, false),
            AccountMeta::new_readonly(self.order(id), false),
        ];
        Instruction { program_id: self.id, accounts, data: vec![CLOSE_FILL] }
    }

    fn claim_instruction(
        &self,
        terms: &IntentTerms,
        proof: Address,
        token_program: Option<Address>,
        data: Vec<u8>,
    ) -> Instruction {
        let payee = party_account(terms, terms.payee, token_program);
        let referrer = if terms.referrer_fee.is_zero() {
            payee
        } else {
            party_account(terms, terms.referrer, token_program)
        };
        self.settle_instruction(terms, [proof, payee], AccountMeta::new(referrer, false), token_program, data)
    }

    /// All settlements have the same accounts: the order, the proof, the recipient, and one more.
    fn settle_instruction(
        &self,
        terms: &IntentTerms,
        [proof, to]: [Address; 2],
        other: AccountMeta,
        token_program: Option<Address>,
        data: Vec<u8>,
    ) -> Instruction {
        let mut accounts = vec![
            AccountMeta::new(self.order(terms.id()), false),
            AccountMeta::new_readonly(proof, false),
            AccountMeta::new(to, false),
            other,
        ];
        accounts.extend(self.vault_accounts(terms, token_program));
        Instruction { program_id: self.id, accounts, data }
    }

    fn vault_accounts(&self, terms: &IntentTerms, token_program: Option<Address>) -> Vec<AccountMeta> {
        let Some(token_program) = token_program else { return Vec::new() };
        vec![
            AccountMeta::new(self.vault(terms.id()), false),
            AccountMeta::new_readonly(address(terms.input_token), false),
            AccountMeta::new_readonly(token_program, false),
        ]
    }
}

/// The account that receives the deposit's currency for a party.
pub(super) fn party_account(terms: &IntentTerms, party: B256, token_program: Option<Address>) -> Address {
    token_program.map_or(address(party), |token_program| {
        associated_token_account(&address(party), &address(terms.input_token), &token_program)
    })
}
