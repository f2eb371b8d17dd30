use alloy_primitives::{Address, B256};
use alloy_sol_types::SolEvent;
use causeway_domain::Terms;
use causeway_domain::ports::{ChainContracts, Sighting};

use super::view::evm_address;
use crate::blocks::Log;
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;

/// What the contracts told in a span of blocks, read in as many parts as the chain wants.
pub(super) async fn sight(
    client: &EvmClient,
    contracts: &ChainContracts,
    from: u64,
    to: u64,
) -> Result<Vec<Sighting>, CallError> {
    let words = contracts.escrows.iter().chain(&contracts.settlers);
    let mut addresses: Vec<Address> = words.filter_map(|word| evm_address(*word)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let mut sightings = Vec::new();
    let mut parts = vec![(from, to)];
    while let Some((from, to)) = parts.pop() {
        match client.range_logs(&addresses, from, to).await {
            Err(error) if error.asks_for_less() && from < to => {
                let middle = from.midpoint(to);
                parts.extend([(middle + 1, to), (from, middle)]);
            }
            logs => sightings.extend(logs?.iter().filter_map(|log| read(contracts, log))),
        }
    }
    Ok(sightings)
}

fn read(contracts: &ChainContracts, log: &Log) -> Option<Sighting> {
    let at = log.address.into_word();
    let topic = *log.topics.first()?;
    if contracts.settlers.contains(&at) {
        return (topic == Settler::Filled::SIGNATURE_HASH)
            .then(|| log.topics.get(1).copied().map(Sighting::Filled))
            .flatten();
    }
    match topic {
        Escrow::Open::SIGNATURE_HASH => opened(log).map(|terms| Sighting::Opened(Box::new(terms))),
        Escrow::Claimed::SIGNATURE_HASH | Escrow::Refunded::SIGNATURE_HASH => {
            log.topics.get(1).copied().map(Sighting::Ended)
        }
        _ => None,
    }
}

/// The terms that an escrow tells to fillers, if they are those of the order.
pub(crate) fn opened(log: &Log) -> Option<Terms> {
    let event = Escrow::Open::decode_raw_log_validate(log.topics.iter().copied(), &log.data).ok()?;
    let terms = Terms::from_bytes(&event.resolvedOrder.fillInstructions.first()?.originData)?;
    let escrow: B256 = log.address.into_word();
    (terms.id() == event.orderId && terms.escrow == escrow).then_some(terms)
}
