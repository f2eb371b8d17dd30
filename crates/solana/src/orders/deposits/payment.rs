use alloy_primitives::B256;
use causeway_domain::IntentTerms;
use solana_address::Address;
use solana_instruction::Instruction;

use crate::program::{EscrowProgram, SOLANA_CHAIN_ID};

/// The program that writes a text into the chain's history.
pub(super) const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

/// An order's deposit in Solana types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payment {
    pub(super) user: Address,
    /// None for SOL.
    pub(super) mint: Option<Address>,
    pub(super) amount: u64,
    pub(super) order: B256,
}

impl Payment {
    /// Reads the terms of an order for this program, or returns why it cannot be opened.
    pub(super) fn read(terms: &IntentTerms, program: EscrowProgram) -> Result<Self, String> {
        if terms.origin_chain_id != SOLANA_CHAIN_ID {
            return Err(format!("the order's deposit belongs on chain {}", terms.origin_chain_id));
        }
        if terms.escrow.0 != program.id.to_bytes() {
            return Err(format!("the order is for another program than {}", program.id));
        }
        let Ok(amount) = u64::try_from(terms.amount_in) else {
            return Err("the amount does not fit into 64 bits".to_owned());
        };
        let mint = (!terms.input_token.is_zero()).then(|| Address::from(terms.input_token.0));
        Ok(Self { user: terms.user.0.into(), mint, amount, order: terms.id() })
    }

    /// Writes the order's id next to its deposit, for readers of the chain.
    pub(super) fn memo(&self) -> Instruction {
        let data = self.order.to_string().into_bytes();
        Instruction { program_id: MEMO, accounts: Vec::new(), data }
    }
}
