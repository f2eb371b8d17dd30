use alloy_primitives::B256;
use causeway_domain::Terms;
use solana_address::Address;
use solana_instruction::Instruction;

use crate::program::{EscrowProgram, SOLANA_CHAIN_ID};

/// The program that writes a text into the chain's history.
pub(super) const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

/// An order's deposit in Solana's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payment {
    pub(super) user: Address,
    /// None for SOL.
    pub(super) mint: Option<Address>,
    pub(super) amount: u64,
    pub(super) order: B256,
}

impl Payment {
    /// Reads the terms of an order that is to be opened at this program, or says in words why it cannot be.
    pub(super) fn read(terms: &Terms, program: EscrowProgram) -> Result<Self, String> {
        if terms.origin_chain_id != SOLANA_CHAIN_ID {
            return Err(format!("the order's deposit belongs on chain {}", terms.origin_chain_id));
        }
        if terms.escrow.0 != program.id.to_bytes() {
            return Err(format!("the order is for another program than {}", program.id));
        }
        let Ok(amount) = u64::try_from(terms.amount_in) else {
            return Err("the amount is larger than Solana counts".to_owned());
        };
        let mint = (!terms.input_token.is_zero()).then(|| Address::from(terms.input_token.0));
        Ok(Self { user: terms.user.0.into(), mint, amount, order: terms.id() })
    }

    /// Writes the order's id beside its deposit, for people who look at the chain.
    pub(super) fn memo(&self) -> Instruction {
        let data = self.order.to_string().into_bytes();
        Instruction { program_id: MEMO, accounts: Vec::new(), data }
    }
}
