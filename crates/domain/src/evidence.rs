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
