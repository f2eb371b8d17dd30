use causeway_domain::IntentTerms;
use causeway_domain::ports::OpenedBy;
use solana_address::Address;

use super::EscrowProgram;
use super::forwarding::JUMP;
use super::instruction::{FILL, OPEN, SWEEP};
use super::pack::unpack;
use super::settlement::{CLAIM, REFUND, REFUND_TO, REFUND_UNFILLED};

/// What a successful instruction did to an order. It names the account to read; the account is authoritative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscrowEvent {
    /// The order at this account was opened. The terms are those of the instruction, if they can be parsed.
    Opened {
        order: Address,
        terms: Option<Box<IntentTerms>>,
    },
    /// The order was filled; `marker` is its record. The terms are those of the instruction.
    Filled {
        marker: Address,
        terms: Box<IntentTerms>,
    },
    Claimed {
        order: Address,
    },
    Refunded {
        order: Address,
    },
}

impl EscrowProgram {
    /// The terms of a depositing instruction; `accounts` are those of the instruction, in order.
    pub fn deposited_terms(&self, accounts: &[Address], data: &[u8]) -> Option<IntentTerms> {
        self.opened_by(accounts, data).map(|(_, terms)| terms)
    }

    /// How an instruction deposits, and its terms; `None` if it does not deposit.
    pub fn opened_by(&self, accounts: &[Address], data: &[u8]) -> Option<(OpenedBy, IntentTerms)> {
        match data.split_first()? {
            (&OPEN, rest) => Some((OpenedBy::Call, unpack(rest, &self.id, accounts)?)),
            (&SWEEP, rest) => Some((OpenedBy::Transfer, unpack(rest, &self.id, accounts)?)),
            (&JUMP, rest) => {
                let (jump, terms) = self.parse_jump(accounts, rest)?;
                Some((OpenedBy::Forwarding(Box::new(jump)), terms))
            }
            _ => None,
        }
    }

    /// The event of an instruction of this program, if it changes an order; `accounts` are those of the instruction,
    /// in order.
    pub fn parse_event(&self, accounts: &[Address], data: &[u8]) -> Option<EscrowEvent> {
        let (kind, rest) = data.split_first()?;
        let account = |place: usize| accounts.get(place).copied();
        match *kind {
            OPEN | SWEEP | JUMP => {
                let terms = self.deposited_terms(accounts, data).map(Box::new);
                Some(EscrowEvent::Opened { order: account(2)?, terms })
            }
            FILL => {
                let terms = Box::new(unpack(rest, &self.id, accounts)?);
                Some(EscrowEvent::Filled { marker: account(1)?, terms })
            }
            CLAIM => Some(EscrowEvent::Claimed { order: account(0)? }),
            REFUND | REFUND_UNFILLED | REFUND_TO => Some(EscrowEvent::Refunded { order: account(0)? }),
            _ => None,
        }
    }
}

impl EscrowEvent {
    /// The account that proves the event.
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
    use causeway_domain::{ForwardingOrder, SignatureBytes};
    use solana_instruction::{AccountMeta, Instruction};

    use super::super::SANDBOX_PROGRAM;
    use super::*;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn read(instruction: &Instruction) -> Option<EscrowEvent> {
        let accounts: Vec<Address> = instruction.accounts.iter().map(|meta| meta.pubkey).collect();
        PROGRAM.parse_event(&accounts, &instruction.data)
    }

    #[test]
    fn instructions_parse_into_their_events() {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        let (order, marker) = (PROGRAM.order(terms.id()), PROGRAM.fill_marker(terms.id()));
        let caller = Address::new_from_array([7; 32]);
        let nobody = AccountMeta::new_readonly(caller, false);
        let opened = Some(EscrowEvent::Opened { order, terms: Some(Box::new(terms)) });
        assert_eq!(read(&PROGRAM.open(&terms, caller, None)), opened);
        assert_eq!(read(&PROGRAM.sweep(&terms, caller, None)), opened);
        let jump = ForwardingOrder::from_bytes(&words[..ForwardingOrder::WORDS].concat()).unwrap();
        let signature = SignatureBytes::ZERO;
        let forwarded = read(&PROGRAM.jump(&jump, &terms, caller, None, &signature));
        assert_eq!(forwarded.map(|event| event.account()), Some(order));
        assert_eq!(read(&PROGRAM.give_back_jump(&jump, None, None)), None);
        let filled = EscrowEvent::Filled { marker, terms: Box::new(terms) };
        assert_eq!(read(&PROGRAM.fill(&terms, caller, None)), Some(filled));
        let claimed = Some(EscrowEvent::Claimed { order });
        assert_eq!(read(&PROGRAM.claim(&terms, None, (5, B256::ZERO), &[])), claimed);
        assert_eq!(read(&PROGRAM.claim_recorded(&terms, None)), claimed);
        let refunded = Some(EscrowEvent::Refunded { order });
        assert_eq!(read(&PROGRAM.refund(&terms, nobody, None)), refunded);
        assert_eq!(read(&PROGRAM.refund_unfilled(&terms, None, 5, &[])), refunded);
        assert_eq!(read(&PROGRAM.refund_to(&terms, caller, caller, None)), refunded);
        assert_eq!(read(&PROGRAM.give_back(&terms, None)), None);
        assert_eq!(read(&PROGRAM.close_fill(terms.id(), caller)), None);
    }
}
