use alloy_primitives::Address as EvmAddress;
use alloy_sol_types::SolEvent;
use causeway_domain::{Address, ChainId, Deployment, Fact, FactKind, FactPlace, RawAmount, RefundCause};

use crate::attest::opened;
use crate::blocks::Log;
use crate::contracts::{Escrow, Settler};

/// Our contracts on one chain, of every version that is still followed.
#[derive(Clone, Debug)]
pub(crate) struct KnownContracts {
    chain: ChainId,
    escrows: Vec<EvmAddress>,
    settlers: Vec<EvmAddress>,
}

impl KnownContracts {
    pub(crate) fn new(chain: ChainId, deployments: &[Deployment]) -> Self {
        let here = || deployments.iter().filter(|deployment| deployment.chain == chain);
        Self {
            chain,
            escrows: here().map(|deployment| deployment.escrow).collect(),
            settlers: here().map(|deployment| deployment.settler).collect(),
        }
    }

    pub(super) fn escrows(&self) -> &[EvmAddress] {
        &self.escrows
    }

    pub(super) fn settlers(&self) -> &[EvmAddress] {
        &self.settlers
    }

    /// Each address once.
    pub(super) fn addresses(&self) -> Vec<EvmAddress> {
        let mut addresses: Vec<EvmAddress> = self.escrows.iter().chain(&self.settlers).copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// The order fact in a log. Logs of foreign contracts are ignored, and so are events of the wrong contract of ours.
    pub(crate) fn read(&self, log: &Log, time: u64) -> Option<Fact> {
        if log.removed {
            return None;
        }
        let (intent, kind) = if self.settlers.contains(&log.address) && is::<Settler::Filled>(log) {
            let event = decode::<Settler::Filled>(log)?;
            (event.orderId, FactKind::Filled(RawAmount::new(event.amountOut)))
        } else if self.escrows.contains(&log.address) {
            escrow_fact(log)?
        } else {
            return None;
        };
        let place = FactPlace {
            chain: self.chain,
            tx: log.transaction_hash.to_string(),
            index: log.index,
            block: log.block_number,
            time,
        };
        Some(Fact { intent_id: intent, kind, place })
    }
}

fn escrow_fact(log: &Log) -> Option<(alloy_primitives::B256, FactKind)> {
    if is::<Escrow::Open>(log) {
        let terms = opened(log)?;
        return Some((terms.id(), FactKind::Opened(Box::new(terms))));
    }
    if is::<Escrow::Claimed>(log) {
        let event = decode::<Escrow::Claimed>(log)?;
        return Some((event.orderId, FactKind::Claimed(RawAmount::new(event.paid))));
    }
    if !is::<Escrow::Refunded>(log) {
        return None;
    }
    let event = decode::<Escrow::Refunded>(log)?;
    let cause = match event.cause {
        Escrow::RefundCause::Waived => RefundCause::Waived,
        Escrow::RefundCause::Unfilled => RefundCause::Unfilled,
        Escrow::RefundCause::Expired => RefundCause::Expired,
        Escrow::RefundCause::__Invalid => return None,
    };
    let (to, amount) = (Address::Evm(event.to), RawAmount::new(event.amount));
    Some((event.orderId, FactKind::Refunded { to, amount, cause }))
}

fn is<E: SolEvent>(log: &Log) -> bool {
    log.topics.first() == Some(&E::SIGNATURE_HASH)
}

fn decode<E: SolEvent>(log: &Log) -> Option<E> {
    E::decode_raw_log_validate(log.topics.iter().copied(), &log.data).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use alloy_primitives::{B256, Bytes, U256};
    use causeway_domain::IntentTerms;
    use proptest::prelude::*;

    use super::*;
    use crate::contracts::Order;

    pub(in crate::orders) const ESCROW: EvmAddress = EvmAddress::repeat_byte(0xe5);
    pub(in crate::orders) const SETTLER: EvmAddress = EvmAddress::repeat_byte(0x5e);
    pub(in crate::orders) const FACTORY: EvmAddress = EvmAddress::repeat_byte(0xfa);

    pub(in crate::orders) fn chain() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    pub(in crate::orders) fn deployment() -> Deployment {
        Deployment {
            chain: chain(),
            escrow: ESCROW,
            settler: SETTLER,
            registry: EvmAddress::repeat_byte(1),
            deposit_factory: FACTORY,
            deposit_code_hash: B256::ZERO,
            permit2: None,
            min_grace: 60,
            transfers: true,
            from_block: 5,
            hub: None,
        }
    }

    pub(in crate::orders) fn terms() -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        let (escrow, settler) = (ESCROW.into_word(), SETTLER.into_word());
        IntentTerms {
            escrow,
            settler,
            origin_chain_id: 8453,
            destination_chain_id: 8453,
            fill_deadline: 4_000_000_000,
            ..terms
        }
    }

    pub(in crate::orders) fn log_of(address: EvmAddress, event: &impl SolEvent) -> Log {
        let data = event.encode_log_data();
        Log {
            address,
            topics: data.topics().to_vec(),
            data: data.data,
            block_hash: B256::repeat_byte(9),
            block_number: 70,
            transaction_hash: B256::repeat_byte(8),
            index: 3,
            removed: false,
        }
    }

    pub(in crate::orders) fn open_event(terms: &IntentTerms) -> Escrow::Open {
        Escrow::Open { orderId: terms.id(), order: Order::from(terms) }
    }

    fn filled() -> Settler::Filled {
        Settler::Filled {
            orderId: terms().id(),
            caller: EvmAddress::ZERO,
            recipient: B256::ZERO,
            outputToken: B256::ZERO,
            amountOut: U256::from(77),
            originChainId: U256::from(1),
            filledAt: U256::from(5),
        }
    }

    fn claimed() -> Escrow::Claimed {
        Escrow::Claimed { orderId: terms().id(), paid: U256::from(66) }
    }

    fn refunded() -> Escrow::Refunded {
        Escrow::Refunded {
            orderId: terms().id(),
            to: EvmAddress::repeat_byte(4),
            amount: U256::from(55),
            cause: Escrow::RefundCause::Unfilled,
        }
    }

    fn known_contracts() -> KnownContracts {
        KnownContracts::new(chain(), &[deployment()])
    }

    fn kind(log: &Log) -> Option<FactKind> {
        known_contracts().read(log, 123).map(|fact| fact.kind)
    }

    #[test]
    fn each_event_of_our_contracts_is_a_fact_with_its_location() {
        let fact = known_contracts().read(&log_of(ESCROW, &open_event(&terms())), 123).unwrap();
        assert_eq!(fact.kind, FactKind::Opened(Box::new(terms())));
        assert_eq!(fact.intent_id, terms().id());
        let tx = format!("0x{}", "08".repeat(32));
        assert_eq!(fact.place, FactPlace { chain: chain(), tx, index: 3, block: 70, time: 123 });
        let amount = |units: u64| RawAmount::new(U256::from(units));
        assert_eq!(kind(&log_of(SETTLER, &filled())), Some(FactKind::Filled(amount(77))));
        assert_eq!(kind(&log_of(ESCROW, &claimed())), Some(FactKind::Claimed(amount(66))));
        let to = Address::Evm(EvmAddress::repeat_byte(4));
        let cause = RefundCause::Unfilled;
        assert_eq!(
            kind(&log_of(ESCROW, &refunded())),
            Some(FactKind::Refunded { to, amount: amount(55), cause })
        );
    }

    #[test]
    fn an_event_of_a_foreign_contract_is_ignored() {
        let foreign = EvmAddress::repeat_byte(0x66);
        let alike = IntentTerms { escrow: foreign.into_word(), ..terms() };
        for log in [
            log_of(foreign, &open_event(&terms())),
            log_of(foreign, &open_event(&alike)),
            log_of(foreign, &filled()),
            log_of(foreign, &claimed()),
            log_of(foreign, &refunded()),
            // An event of the wrong contract of ours.
            log_of(ESCROW, &filled()),
            log_of(SETTLER, &open_event(&terms())),
            log_of(SETTLER, &claimed()),
            log_of(SETTLER, &refunded()),
            log_of(FACTORY, &refunded()),
        ] {
            assert_eq!(kind(&log), None, "{log:?}");
        }
    }

    #[test]
    fn an_opening_whose_terms_do_not_match_its_id_or_escrow_is_ignored() {
        let other = IntentTerms { amount_in: U256::from(9), ..terms() };
        let mut event = open_event(&terms());
        event.order = Order::from(&other);
        assert_eq!(kind(&log_of(ESCROW, &event)), None);
        let elsewhere = IntentTerms { escrow: SETTLER.into_word(), ..terms() };
        assert_eq!(kind(&log_of(ESCROW, &open_event(&elsewhere))), None);
        let removed = Log { removed: true, ..log_of(ESCROW, &open_event(&terms())) };
        assert_eq!(kind(&removed), None);
    }

    #[test]
    fn contracts_of_older_versions_count_on_their_own_chain_only() {
        let old = EvmAddress::repeat_byte(0x0d);
        let older = Deployment { escrow: old, ..deployment() };
        let terms = IntentTerms { escrow: old.into_word(), ..terms() };
        let log = log_of(old, &open_event(&terms));
        assert!(KnownContracts::new(chain(), &[deployment(), older.clone()]).read(&log, 1).is_some());
        let elsewhere = Deployment { chain: ChainId::new(1).unwrap(), ..older };
        assert!(KnownContracts::new(chain(), &[deployment(), elsewhere]).read(&log, 1).is_none());
    }

    proptest! {
        #[test]
        fn any_log_is_read_or_refused_without_panic(
            topics in prop::collection::vec(any::<[u8; 32]>(), 0..4), data in any::<Vec<u8>>(), which in 0usize..5, settler in any::<bool>(),
        ) {
            let mut log = log_of(if settler { SETTLER } else { ESCROW }, &claimed());
            log.data = Bytes::from(data);
            let first = [
                Escrow::Open::SIGNATURE_HASH, Escrow::Claimed::SIGNATURE_HASH, Escrow::Refunded::SIGNATURE_HASH,
                Settler::Filled::SIGNATURE_HASH,
            ];
            log.topics = first.get(which).copied().into_iter().chain(topics.into_iter().map(B256::from)).collect();
            let _ = known_contracts().read(&log, 0);
        }
    }
}
