use causeway_domain::Terms;
use causeway_domain::ports::OpenedBy;
use solana_address::Address;

use super::EscrowProgram;
use super::end::{CLAIM, REFUND, REFUND_TO, REFUND_UNFILLED};
use super::instruction::{FILL, OPEN, SWEEP};
use super::jump::JUMP;
use super::pack::unpack;

/// What an instruction that succeeded did to an order; where to look, for the accounts tell the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The order at this account was opened. The terms are what the instruction said, where they can be read.
    Opened {
        order: Address,
        terms: Option<Box<Terms>>,
    },
    /// The order was delivered, and its record lies there. The terms are what the instruction said.
    Filled {
        marker: Address,
        terms: Box<Terms>,
    },
    Claimed {
        order: Address,
    },
    Refunded {
        order: Address,
    },
}

impl EscrowProgram {
    /// The terms under which an instruction deposits, if it does; `accounts` are the instruction's, in their order.
    pub fn deposited_terms(&self, accounts: &[Address], data: &[u8]) -> Option<Terms> {
        self.opened_by(accounts, data).map(|(_, terms)| terms)
    }

    /// By which way an instruction deposits and under which terms, if it does.
    pub fn opened_by(&self, accounts: &[Address], data: &[u8]) -> Option<(OpenedBy, Terms)> {
        match data.split_first()? {
            (&OPEN, rest) => Some((OpenedBy::Call, unpack(rest, &self.id, accounts)?)),
            (&SWEEP, rest) => Some((OpenedBy::Transfer, unpack(rest, &self.id, accounts)?)),
            (&JUMP, rest) => {
                let (jump, terms) = self.jumped(accounts, rest)?;
                Some((OpenedBy::Jump(Box::new(jump)), terms))
            }
            _ => None,
        }
    }

    /// What an instruction of this program did, if it was about an order; `accounts` are the instruction's, in their order.
    pub fn act(&self, accounts: &[Address], data: &[u8]) -> Option<Act> {
        let (kind, rest) = data.split_first()?;
        let account = |place: usize| accounts.get(place).copied();
        match *kind {
            OPEN | SWEEP | JUMP => {
                let terms = self.deposited_terms(accounts, data).map(Box::new);
                Some(Act::Opened { order: account(2)?, terms })
            }
            FILL => {
                let terms = Box::new(unpack(rest, &self.id, accounts)?);
                Some(Act::Filled { marker: account(1)?, terms })
            }
            CLAIM => Some(Act::Claimed { order: account(0)? }),
            REFUND | REFUND_UNFILLED | REFUND_TO => Some(Act::Refunded { order: account(0)? }),
            _ => None,
        }
    }
}

impl Act {
    /// The account that tells whether it is so.
    pub fn account(&self) -> Address {
        match self {
            Self::Opened { order, .. } | Self::Claimed { order } | Self::Refunded { order } => *order,
            Self::Filled { marker, .. } => *marker,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;
    use causeway_domain::{Jump, SignatureBytes};
    use solana_instruction::{AccountMeta, Instruction};

    use super::super::SANDBOX_PROGRAM;
    use super::*;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn read(instruction: &Instruction) -> Option<Act> {
        let accounts: Vec<Address> = instruction.accounts.iter().map(|meta| meta.pubkey).collect();
        PROGRAM.act(&accounts, &instruction.data)
    }

    #[test]
    fn what_is_asked_of_the_program_reads_back() {
        let words = [B256::with_last_byte(1); Terms::WORDS];
        let terms = Terms::from_bytes(&words.concat()).unwrap();
        let (order, marker) = (PROGRAM.order(terms.id()), PROGRAM.fill_marker(terms.id()));
        let caller = Address::new_from_array([7; 32]);
        let nobody = AccountMeta::new_readonly(caller, false);
        let opened = Some(Act::Opened { order, terms: Some(Box::new(terms)) });
        assert_eq!(read(&PROGRAM.open(&terms, caller, None)), opened);
        assert_eq!(read(&PROGRAM.sweep(&terms, caller, None)), opened);
        let jump = Jump::from_bytes(&words[..Jump::WORDS].concat()).unwrap();
        let word = SignatureBytes::ZERO;
        let jumped = read(&PROGRAM.jump(&jump, &terms, caller, None, &word));
        assert_eq!(jumped.map(|act| act.account()), Some(order));
        assert_eq!(read(&PROGRAM.give_back_jump(&jump, None, None)), None);
        let filled = Act::Filled { marker, terms: Box::new(terms) };
        assert_eq!(read(&PROGRAM.fill(&terms, caller, None)), Some(filled));
        let claimed = Some(Act::Claimed { order });
        assert_eq!(read(&PROGRAM.claim(&terms, None, (5, B256::ZERO), &[])), claimed);
        assert_eq!(read(&PROGRAM.claim_recorded(&terms, None)), claimed);
        let refunded = Some(Act::Refunded { order });
        assert_eq!(read(&PROGRAM.refund(&terms, nobody, None)), refunded);
        assert_eq!(read(&PROGRAM.refund_unfilled(&terms, None, 5, &[])), refunded);
        assert_eq!(read(&PROGRAM.refund_to(&terms, caller, caller, None)), refunded);
        assert_eq!(read(&PROGRAM.give_back(&terms, None)), None);
        assert_eq!(read(&PROGRAM.close_fill(terms.id(), caller)), None);
    }
}
