use alloy_primitives::B256;
use causeway_domain::{SignatureBytes, Terms};
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
    /// Pays payee and referrer on attestations, signers in ascending order.
    pub fn claim(
        &self,
        terms: &Terms,
        token_program: Option<Address>,
        (filled_at, fill_ref): (u64, B256),
        signatures: &[SignatureBytes],
    ) -> Instruction {
        let mut data = vec![CLAIM];
        data.extend(filled_at.to_le_bytes());
        data.extend(fill_ref);
        data.extend(signatures.concat());
        self.claiming(terms, self.epoch(terms.epoch), token_program, data)
    }

    /// Pays payee and referrer of an order within Solana, where the record of the fill counts.
    pub fn claim_recorded(&self, terms: &Terms, token_program: Option<Address>) -> Instruction {
        self.claiming(terms, self.fill_marker(terms.id()), token_program, vec![CLAIM])
    }

    /// Gives a deposit back: at once where `caller` is the filler and signs, otherwise once it is expired.
    pub fn refund(&self, terms: &Terms, caller: AccountMeta, token_program: Option<Address>) -> Instruction {
        let to = party_account(terms, terms.refund_to, token_program);
        self.ending(terms, [self.fill_marker(terms.id()), to], caller, token_program, vec![REFUND])
    }

    /// Gives a deposit back on attestations that it was not filled, signers in ascending order.
    pub fn refund_unfilled(
        &self,
        terms: &Terms,
        token_program: Option<Address>,
        destination_time: u64,
        signatures: &[SignatureBytes],
    ) -> Instruction {
        let mut data = vec![REFUND_UNFILLED];
        data.extend(destination_time.to_le_bytes());
        data.extend(signatures.concat());
        let to = party_account(terms, terms.refund_to, token_program);
        let unused = AccountMeta::new_readonly(self.order(terms.id()), false);
        self.ending(terms, [self.epoch(terms.epoch), to], unused, token_program, data)
    }

    /// Gives an expired deposit to another account, which `caller` names and signs for: the refund address, or late the user.
    pub fn refund_to(
        &self,
        terms: &Terms,
        caller: Address,
        to: Address,
        token_program: Option<Address>,
    ) -> Instruction {
        let caller = AccountMeta::new_readonly(caller, true);
        self.ending(terms, [self.fill_marker(terms.id()), to], caller, token_program, vec![REFUND_TO])
    }

    /// Returns the rent of an order that has ended, past its open deadline, to `payer` who paid it.
    pub fn close_order(&self, terms: &Terms, payer: Address, token_program: Option<Address>) -> Instruction {
        let id = terms.id();
        let mut accounts = vec![
            AccountMeta::new(self.order(id), false),
            AccountMeta::new(payer, false),
            AccountMeta::new(party_account(terms, terms.refund_to, token_program), false),
        ];
        accounts.extend(self.vault_accounts(terms, token_program));
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

    fn claiming(
        &self,
        terms: &Terms,
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
        self.ending(terms, [proof, payee], AccountMeta::new(referrer, false), token_program, data)
    }

    /// Every end has the same accounts: the order, what proves it, where the money goes, and one more.
    fn ending(
        &self,
        terms: &Terms,
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

    fn vault_accounts(&self, terms: &Terms, token_program: Option<Address>) -> Vec<AccountMeta> {
        let Some(token_program) = token_program else { return Vec::new() };
        vec![
            AccountMeta::new(self.vault(terms.id()), false),
            AccountMeta::new_readonly(address(terms.input_token), false),
            AccountMeta::new_readonly(token_program, false),
        ]
    }
}

/// Where a party takes the deposit's currency.
fn party_account(terms: &Terms, party: B256, token_program: Option<Address>) -> Address {
    token_program.map_or(address(party), |token_program| {
        associated_token_account(&address(party), &address(terms.input_token), &token_program)
    })
}
