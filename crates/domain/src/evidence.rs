use alloy_primitives::B256;

use crate::ports::FinalityTier;
use crate::{Address, ChainId, IntentTerms, RawAmount};

/// Why an escrow refunded a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefundCause {
    /// Requested by the filler.
    Waived,
    /// Not filled in time, by attestation, or by the deadline alone on one chain.
    Unfilled,
    /// Requested by anybody after the grace period.
    Expired,
    /// Returned by the provider that settles the order; no escrow has a part in it.
    Provider,
}

impl RefundCause {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waived => "waived",
            Self::Unfilled => "unfilled",
            Self::Expired => "expired",
            Self::Provider => "provider",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Waived, Self::Unfilled, Self::Expired, Self::Provider];
        all.into_iter().find(|cause| cause.as_str() == text)
    }
}

/// An on-chain event of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// The escrow took the deposit under exactly these terms.
    Opened(Box<IntentTerms>),
    /// The settler delivered that amount.
    Filled(RawAmount),
    /// The escrow paid the filler.
    Claimed(RawAmount),
    /// The escrow refunded the deposit.
    Refunded { to: Address, amount: RawAmount, cause: RefundCause },
}

/// An event that one of our contracts emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub intent_id: B256,
    pub kind: FactKind,
    pub place: FactPlace,
}

/// Location and time of an on-chain event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactPlace {
    pub chain: ChainId,
    /// The transaction's hash on EVM, its signature on Solana.
    pub tx: String,
    /// The index of the log in its block.
    pub index: u64,
    pub block: u64,
    /// The block's timestamp, in Unix seconds.
    pub time: u64,
}

/// A confirmed transaction with the amount that it moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedTx {
    pub chain: ChainId,
    pub tx: String,
    pub block: u64,
    pub time: u64,
    pub amount: RawAmount,
}

/// The confirmed transactions of an order, each in a final block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub deposit: Option<ConfirmedTx>,
    pub fill: Option<ConfirmedTx>,
    pub claim: Option<ConfirmedTx>,
    pub refund: Option<(ConfirmedTx, RefundCause)>,
}

impl Evidence {
    /// Whether the deposit has left the escrow.
    pub const fn is_ended(&self) -> bool {
        self.claim.is_some() || self.refund.is_some()
    }

    /// Selects the facts of one order that reached `tier` on the chains that its terms name. Facts with the order's id from
    /// other chains or contracts are ignored.
    pub fn from_facts(terms: &IntentTerms, tier: FinalityTier, facts: &[(Fact, FinalityTier)]) -> Self {
        let intent = terms.id();
        let mut evidence = Self::default();
        for (fact, reached) in facts {
            let chain = fact.place.chain.get();
            if fact.intent_id != intent || *reached < tier {
                continue;
            }
            match &fact.kind {
                FactKind::Opened(opened) if **opened == *terms && chain == terms.origin_chain_id => {
                    evidence.deposit = Some(fact.confirmed(RawAmount::new(terms.amount_in)));
                }
                FactKind::Filled(amount) if chain == terms.destination_chain_id => {
                    evidence.fill = Some(fact.confirmed(*amount));
                }
                FactKind::Claimed(amount) if chain == terms.origin_chain_id => {
                    evidence.claim = Some(fact.confirmed(*amount));
                }
                FactKind::Refunded { amount, cause, .. } if chain == terms.origin_chain_id => {
                    evidence.refund = Some((fact.confirmed(*amount), *cause));
                }
                _ => {}
            }
        }
        evidence
    }
}

impl Fact {
    fn confirmed(&self, amount: RawAmount) -> ConfirmedTx {
        let FactPlace { chain, ref tx, block, time, .. } = self.place;
        ConfirmedTx { chain, tx: tx.clone(), block, time, amount }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{DESTINATION, ORIGIN, chain, raw, terms};

    fn fact(on: u64, kind: FactKind) -> Fact {
        let place = FactPlace { chain: chain(on), tx: "0xab".to_owned(), index: 3, block: 40, time: 600 };
        Fact { intent_id: terms().id(), kind, place }
    }

    fn opened() -> FactKind {
        FactKind::Opened(Box::new(terms()))
    }

    fn refunded() -> FactKind {
        FactKind::Refunded { to: Address::Evm([7; 20].into()), amount: raw(4), cause: RefundCause::Unfilled }
    }

    fn read(facts: &[Fact]) -> Evidence {
        let facts: Vec<_> = facts.iter().map(|fact| (fact.clone(), FinalityTier::Standard)).collect();
        Evidence::from_facts(&terms(), FinalityTier::Standard, &facts)
    }

    #[test]
    fn each_fact_keeps_its_location_and_amount() {
        let evidence = read(&[
            fact(ORIGIN, opened()),
            fact(DESTINATION, FactKind::Filled(raw(2))),
            fact(ORIGIN, FactKind::Claimed(raw(3))),
            fact(ORIGIN, refunded()),
        ]);
        let confirmed = |on, amount| ConfirmedTx {
            chain: chain(on),
            tx: "0xab".to_owned(),
            block: 40,
            time: 600,
            amount: raw(amount),
        };
        assert_eq!(evidence.deposit, Some(confirmed(ORIGIN, 1_000)), "the whole input was taken");
        assert_eq!(evidence.fill, Some(confirmed(DESTINATION, 2)));
        assert_eq!(evidence.claim, Some(confirmed(ORIGIN, 3)));
        assert_eq!(evidence.refund, Some((confirmed(ORIGIN, 4), RefundCause::Unfilled)));
    }

    #[test]
    fn facts_from_other_chains_are_ignored() {
        for (on, kind) in [
            (DESTINATION, opened()),
            (ORIGIN, FactKind::Filled(raw(2))),
            (DESTINATION, FactKind::Claimed(raw(3))),
            (DESTINATION, refunded()),
            (10, opened()),
            (10, FactKind::Filled(raw(2))),
        ] {
            assert_eq!(read(&[fact(on, kind.clone())]), Evidence::default(), "{kind:?} on {on}");
        }
    }

    #[test]
    fn a_deposit_under_other_terms_is_ignored() {
        let other = IntentTerms { amount_in: terms().amount_in - alloy_primitives::U256::ONE, ..terms() };
        let forged = fact(ORIGIN, FactKind::Opened(Box::new(other)));
        assert_eq!(read(&[forged]), Evidence::default(), "although it has the order's id");
    }

    #[test]
    fn facts_of_other_orders_are_ignored() {
        for kind in [opened(), FactKind::Claimed(raw(3)), refunded()] {
            let other = Fact { intent_id: B256::repeat_byte(1), ..fact(ORIGIN, kind) };
            assert_eq!(read(&[other]), Evidence::default());
        }
    }

    #[test]
    fn a_large_order_requires_the_large_finality_tier() {
        let deposit = fact(ORIGIN, opened());
        let seen = |required, reached| {
            Evidence::from_facts(&terms(), required, &[(deposit.clone(), reached)]).deposit.is_some()
        };
        assert!(seen(FinalityTier::Standard, FinalityTier::Standard));
        assert!(seen(FinalityTier::Standard, FinalityTier::Large));
        assert!(seen(FinalityTier::Large, FinalityTier::Large));
        assert!(!seen(FinalityTier::Large, FinalityTier::Standard));
    }

    #[test]
    fn causes_round_trip_through_text() {
        for cause in [RefundCause::Waived, RefundCause::Unfilled, RefundCause::Expired, RefundCause::Provider]
        {
            assert_eq!(RefundCause::parse(cause.as_str()), Some(cause));
        }
        assert_eq!(RefundCause::parse("Waived"), None);
    }
}
