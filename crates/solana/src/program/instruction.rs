use alloy_primitives::B256;
use causeway_domain::IntentTerms;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::EscrowProgram;
use super::address::{SYSTEM, address, associated_token_account};
use super::pack::pack;

/// The account that tokens are taken from, and its token program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenSource {
    pub account: Address,
    pub token_program: Address,
}

/// A token account of a deposit address, whatever its mint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    pub account: Address,
    pub mint: Address,
    pub token_program: Address,
    /// Whether the emptied account is closed and its rent goes to the refund address as well.
    pub close: bool,
}

impl Holding {
    /// The accounts that move it to the refund address.
    pub(super) fn accounts(&self, refund_to: &Address) -> [AccountMeta; 4] {
        let destination = associated_token_account(refund_to, &self.mint, &self.token_program);
        [
            AccountMeta::new(self.account, false),
            AccountMeta::new(destination, false),
            AccountMeta::new_readonly(self.mint, false),
            AccountMeta::new_readonly(self.token_program, false),
        ]
    }
}

pub(super) const OPEN: u8 = 4;
pub(super) const SWEEP: u8 = 5;
const GIVE_BACK: u8 = 6;
pub(super) const FILL: u8 = 7;

impl EscrowProgram {
    /// Deposits from the user's wallet; the user signs, and `payer` signs and pays the rent. `source` is none for SOL.
    pub fn open(&self, terms: &IntentTerms, payer: Address, source: Option<TokenSource>) -> Instruction {
        let mut accounts = self.opening_accounts(terms, payer, AccountMeta::new(address(terms.user), true));
        self.push_deposit_accounts(terms, source, &mut accounts);
        self.with_terms(&[OPEN], terms, accounts)
    }

    /// Opens an order from its deposit address; `payer` signs and pays the rent.
    pub fn sweep(&self, terms: &IntentTerms, payer: Address, source: Option<TokenSource>) -> Instruction {
        let deposit = AccountMeta::new(self.deposit(terms.id()), false);
        let mut accounts = self.opening_accounts(terms, payer, deposit);
        accounts.push(AccountMeta::new(address(terms.refund_to), false));
        self.push_deposit_accounts(terms, source, &mut accounts);
        self.with_terms(&[SWEEP], terms, accounts)
    }

    /// Returns a token of a deposit address, or all its SOL, to the refund address.
    pub fn give_back(&self, terms: &IntentTerms, holding: Option<Holding>) -> Instruction {
        let id = terms.id();
        let refund_to = address(terms.refund_to);
        let mut accounts = vec![
            AccountMeta::new(self.deposit(id), false),
            AccountMeta::new_readonly(self.order(id), false),
            AccountMeta::new(refund_to, false),
            AccountMeta::new_readonly(SYSTEM, false),
        ];
        accounts.extend(holding.iter().flat_map(|holding| holding.accounts(&refund_to)));
        let close = holding.is_some_and(|holding| holding.close);
        self.with_terms(&[GIVE_BACK, u8::from(close)], terms, accounts)
    }

    /// Fills an order from `caller`, who signs. `source` is none for SOL.
    pub fn fill(&self, terms: &IntentTerms, caller: Address, source: Option<TokenSource>) -> Instruction {
        let recipient = address(terms.recipient);
        let mut accounts = vec![
            AccountMeta::new(caller, true),
            AccountMeta::new(self.fill_marker(terms.id()), false),
            AccountMeta::new_readonly(SYSTEM, false),
        ];
        match source {
            None => accounts.push(AccountMeta::new(recipient, false)),
            Some(TokenSource { account, token_program }) => {
                let mint = address(terms.output_token);
                let destination = associated_token_account(&recipient, &mint, &token_program);
                accounts.extend([
                    AccountMeta::new(destination, false),
                    AccountMeta::new(account, false),
                    AccountMeta::new_readonly(mint, false),
                    AccountMeta::new_readonly(token_program, false),
                ]);
            }
        }
        self.with_terms(&[FILL], terms, accounts)
    }

    pub(super) fn opening_accounts(
        &self,
        terms: &IntentTerms,
        payer: Address,
        depositor: AccountMeta,
    ) -> Vec<AccountMeta> {
        vec![
            AccountMeta::new(payer, true),
            depositor,
            AccountMeta::new(self.order(terms.id()), false),
            AccountMeta::new_readonly(self.attester_config(), false),
            AccountMeta::new_readonly(SYSTEM, false),
        ]
    }

    pub(super) fn push_deposit_accounts(
        &self,
        terms: &IntentTerms,
        source: Option<TokenSource>,
        accounts: &mut Vec<AccountMeta>,
    ) {
        match source {
            Some(TokenSource { account, token_program }) => accounts.extend([
                AccountMeta::new(self.vault(terms.id()), false),
                AccountMeta::new(account, false),
                AccountMeta::new_readonly(address(terms.input_token), false),
                AccountMeta::new_readonly(token_program, false),
            ]),
            None if terms.referrer != B256::ZERO => {
                accounts.push(AccountMeta::new(address(terms.referrer), false));
            }
            None => {}
        }
    }

    fn with_terms(&self, prefix: &[u8], terms: &IntentTerms, accounts: Vec<AccountMeta>) -> Instruction {
        let data = [prefix, &pack(&terms.words(), &self.id, &accounts)].concat();
        Instruction { program_id: self.id, accounts, data }
    }
}
