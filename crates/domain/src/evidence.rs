use alloy_primitives::B256;

use crate::ports::Care;
use crate::{Address, ChainId, RawAmount, Terms};

/// Why an escrow gave a deposit back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RefundCause {
    /// The filler asked for it.
    Waived,
    /// Nobody delivered in time: by the attesters' word, or on one chain by the deadline itself.
    Unfilled,
    /// The grace was over, and anybody could ask for it.
    Expired,
}

impl RefundCause {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waived => "waived",
            Self::Unfilled => "unfilled",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Waived, Self::Unfilled, Self::Expired].into_iter().find(|cause| cause.as_str() == text)
    }
}

/// What happened to an order on a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// The escrow took the deposit under these very terms.
    Opened(Box<Terms>),
    /// The settler delivered that amount.
    Filled(RawAmount),
    /// The escrow paid the filler.
    Claimed(RawAmount),
    /// The escrow gave the deposit back.
    Refunded { to: Address, amount: RawAmount, cause: RefundCause },
}

/// A thing that one of our contracts told in a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub intent: B256,
    pub kind: FactKind,
    pub place: FactPlace,
}

/// Where and when a chain told something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactPlace {
    pub chain: ChainId,
    /// The transaction's hash on EVM, its signature on Solana.
    pub tx: String,
    /// The place of the log among all of the block's.
    pub index: u64,
    pub block: u64,
    /// The block's own time, in Unix seconds.
    pub time: u64,
}

/// A fact with what it moved, as an order keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub chain: ChainId,
    pub tx: String,
    pub block: u64,
    pub time: u64,
    pub amount: RawAmount,
}

/// What the chains have shown of an order, each in a block that stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub deposit: Option<Shown>,
    pub fill: Option<Shown>,
    pub claim: Option<Shown>,
    pub refund: Option<(Shown, RefundCause)>,
}

impl Evidence {
    /// Whether the escrow has let the deposit go, to whomever.
    pub const fn is_ended(&self) -> bool {
        self.claim.is_some() || self.refund.is_some()
    }

    /// Reads the facts about one order that stand firmly enough for `care`, and lie where its terms say. What else bears
    /// the order's id, on another chain or by another contract, shows nothing.
    pub fn of(terms: &Terms, care: Care, facts: &[(Fact, Care)]) -> Self {
        let intent = terms.id();
        let mut evidence = Self::default();
        for (fact, stands) in facts {
            let chain = fact.place.chain.get();
            if fact.intent != intent || *stands < care {
                continue;
            }
            match &fact.kind {
                FactKind::Opened(opened) if **opened == *terms && chain == terms.origin_chain_id => {
                    evidence.deposit = Some(fact.shown(RawAmount::new(terms.amount_in)));
                }
                FactKind::Filled(amount) if chain == terms.destination_chain_id => {
                    evidence.fill = Some(fact.shown(*amount));
                }
                FactKind::Claimed(amount) if chain == terms.origin_chain_id => {
                    evidence.claim = Some(fact.shown(*amount));
                }
                FactKind::Refunded { amount, cause, .. } if chain == terms.origin_chain_id => {
                    evidence.refund = Some((fact.shown(*amount), *cause));
                }
                _ => {}
            }
        }
        evidence
    }
}

impl Fact {
    fn shown(&self, amount: RawAmount) -> Shown {
        let FactPlace { chain, ref tx, block, time, .. } = self.place;
        Shown { chain, tx: tx.clone(), block, time, amount }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{DESTINATION, ORIGIN, chain, raw, terms};

    fn fact(on: u64, kind: FactKind) -> Fact {
        let place = FactPlace { chain: chain(on), tx: "0xab".to_owned(), index: 3, block: 40, time: 600 };
        Fact { intent: terms().id(), kind, place }
    }

    fn opened() -> FactKind {
        FactKind::Opened(Box::new(terms()))
    }

    fn refunded() -> FactKind {
        FactKind::Refunded { to: Address::Evm([7; 20].into()), amount: raw(4), cause: RefundCause::Unfilled }
    }

    fn read(facts: &[Fact]) -> Evidence {
        let facts: Vec<_> = facts.iter().map(|fact| (fact.clone(), Care::Usual)).collect();
        Evidence::of(&terms(), Care::Usual, &facts)
    }

    #[test]
    fn each_fact_is_kept_with_its_place_and_what_it_moved() {
        let evidence = read(&[
            fact(ORIGIN, opened()),
            fact(DESTINATION, FactKind::Filled(raw(2))),
            fact(ORIGIN, FactKind::Claimed(raw(3))),
            fact(ORIGIN, refunded()),
        ]);
        let shown = |on, amount| Shown {
            chain: chain(on),
            tx: "0xab".to_owned(),
            block: 40,
            time: 600,
            amount: raw(amount),
        };
        assert_eq!(evidence.deposit, Some(shown(ORIGIN, 1_000)), "the whole input was taken");
        assert_eq!(evidence.fill, Some(shown(DESTINATION, 2)));
        assert_eq!(evidence.claim, Some(shown(ORIGIN, 3)));
        assert_eq!(evidence.refund, Some((shown(ORIGIN, 4), RefundCause::Unfilled)));
    }

    #[test]
    fn what_another_chain_tells_shows_nothing() {
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
    fn a_deposit_under_other_terms_is_not_this_orders() {
        let other = Terms { amount_in: terms().amount_in - alloy_primitives::U256::ONE, ..terms() };
        let lie = fact(ORIGIN, FactKind::Opened(Box::new(other)));
        assert_eq!(read(&[lie]), Evidence::default(), "although it bears the order's id");
    }

    #[test]
    fn facts_about_other_orders_show_nothing() {
        for kind in [opened(), FactKind::Claimed(raw(3)), refunded()] {
            let other = Fact { intent: B256::repeat_byte(1), ..fact(ORIGIN, kind) };
            assert_eq!(read(&[other]), Evidence::default());
        }
    }

    #[test]
    fn a_large_order_believes_only_what_stands_for_large_ones() {
        let deposit = fact(ORIGIN, opened());
        let seen =
            |asked, stands| Evidence::of(&terms(), asked, &[(deposit.clone(), stands)]).deposit.is_some();
        assert!(seen(Care::Usual, Care::Usual));
        assert!(seen(Care::Usual, Care::Large));
        assert!(seen(Care::Large, Care::Large));
        assert!(!seen(Care::Large, Care::Usual));
    }

    #[test]
    fn causes_print_and_read_back() {
        for cause in [RefundCause::Waived, RefundCause::Unfilled, RefundCause::Expired] {
            assert_eq!(RefundCause::parse(cause.as_str()), Some(cause));
        }
        assert_eq!(RefundCause::parse("Waived"), None);
    }
}
