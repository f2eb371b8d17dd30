use alloy_primitives::{Address, B256};
use alloy_sol_types::{SolEvent, SolValue as _};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{ChainContracts, ObservedEvent};

use super::view::evm_address;
use crate::blocks::Log;
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;

/// Reads the contracts' events in a block range, in as many parts as the chain requires.
pub(super) async fn scan_events(
    client: &EvmClient,
    contracts: &ChainContracts,
    from: u64,
    to: u64,
) -> Result<Vec<ObservedEvent>, CallError> {
    let words = contracts.escrows.iter().chain(&contracts.settlers);
    let mut addresses: Vec<Address> = words.filter_map(|word| evm_address(*word)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let mut observed_events = Vec::new();
    let mut parts = vec![(from, to)];
    while let Some((from, to)) = parts.pop() {
        match client.range_logs(&addresses, from, to).await {
            Err(error) if error.wants_smaller_range() && from < to => {
                let middle = from.midpoint(to);
                parts.extend([(middle + 1, to), (from, middle)]);
            }
            logs => observed_events.extend(logs?.iter().filter_map(|log| read(contracts, log))),
        }
    }
    Ok(observed_events)
}

fn read(contracts: &ChainContracts, log: &Log) -> Option<ObservedEvent> {
    let at = log.address.into_word();
    let topic = *log.topics.first()?;
    if contracts.settlers.contains(&at) {
        return (topic == Settler::Filled::SIGNATURE_HASH)
            .then(|| log.topics.get(1).copied().map(ObservedEvent::Filled))
            .flatten();
    }
    match topic {
        Escrow::Open::SIGNATURE_HASH => opened(log).map(|terms| ObservedEvent::Opened(Box::new(terms))),
        Escrow::Claimed::SIGNATURE_HASH | Escrow::Refunded::SIGNATURE_HASH => {
            log.topics.get(1).copied().map(ObservedEvent::Ended)
        }
        _ => None,
    }
}

/// The terms in an `Open` event, if they match the order id and the escrow.
pub(crate) fn opened(log: &Log) -> Option<IntentTerms> {
    let event = Escrow::Open::decode_raw_log_validate(log.topics.iter().copied(), &log.data).ok()?;
    let terms = IntentTerms::from_bytes(&event.order.abi_encode())?;
    let escrow: B256 = log.address.into_word();
    (terms.id() == event.orderId && terms.escrow == escrow).then_some(terms)
}
