use causeway_domain::IntentTerms;
use causeway_domain::ports::OpenedBy;
use solana_address::Address;

use super::EscrowProgram;
use super::claim_batch::{CLAIM_BATCH, batch_places};
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

    /// The events of an instruction of this program; `accounts` are those of the instruction, in order. `has_paid` says
    /// of the account at a place whether it holds less after the transaction: only so a batch claims an order that it
    /// names, because it skips those that have ended.
    pub fn parse_events(
        &self,
        accounts: &[Address],
        data: &[u8],
        has_paid: impl Fn(usize) -> bool,
    ) -> Vec<EscrowEvent> {
        let Some((&CLAIM_BATCH, rest)) = data.split_first() else {
            return self.parse_event(accounts, data).into_iter().collect();
        };
        let mut claimed = Vec::new();
        for (order, holder) in batch_places(rest).unwrap_or_default() {
            let event = accounts.get(order).map(|order| EscrowEvent::Claimed { order: *order });
            claimed.extend(event.filter(|event| has_paid(holder) && !claimed.contains(event)));
        }
        claimed
    }

    fn parse_event(&self, accounts: &[Address], data: &[u8]) -> Option<EscrowEvent> {
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

    use super::super::{BatchFill, SANDBOX_PROGRAM};
    use super::*;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn read(instruction: &Instruction) -> Option<EscrowEvent> {
        let accounts: Vec<Address> = instruction.accounts.iter().map(|meta| meta.pubkey).collect();
        let events = PROGRAM.parse_events(&accounts, &instruction.data, |_| true);
        assert!(events.len() <= 1);
        events.into_iter().next()
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
    #[test]
    fn rule_31_a_batch_claims_the_orders_that_paid() {
        let words = [B256::with_last_byte(2); IntentTerms::WORDS];
        let first = IntentTerms::from_bytes(&words.concat()).unwrap();
        let orders = [first, IntentTerms { nonce: B256::ZERO, ..first }];
        let fill = |terms| BatchFill { terms, filled_at: 7, fill_ref: B256::ZERO, is_closed: false };
        let batch = PROGRAM.claim_batch(&[fill(&orders[0]), fill(&orders[1])], None, &[]).unwrap();
        let accounts: Vec<Address> = batch.accounts.iter().map(|meta| meta.pubkey).collect();
        let claimed = |paid: &[usize]| PROGRAM.parse_events(&accounts, &batch.data, |at| paid.contains(&at));
        let event = |terms: &IntentTerms| EscrowEvent::Claimed { order: PROGRAM.order(terms.id()) };
        let places: Vec<usize> = orders
            .iter()
            .map(|terms| accounts.iter().position(|at| *at == PROGRAM.order(terms.id())).unwrap())
            .collect();
        assert_eq!(claimed(&places), [event(&orders[0]), event(&orders[1])]);
        assert_eq!(claimed(&places[1..]), [event(&orders[1])]);
        assert_eq!(claimed(&[]), []);
        assert_eq!(PROGRAM.parse_events(&accounts, &batch.data[..9], |_| true), []);
    }
}
