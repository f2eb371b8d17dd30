use std::collections::BTreeMap;

use causeway_domain::ports::{AttestationRefusal, ChainContracts};
use causeway_domain::{ChainId, Deployment, IntentTerms, SolanaDeployment};

/// The contracts of these deployments by chain; a chain may have several, of older versions.
pub fn known_contracts<'a>(
    deployments: impl IntoIterator<Item = &'a Deployment>,
) -> BTreeMap<ChainId, ChainContracts> {
    let mut known: BTreeMap<ChainId, ChainContracts> = BTreeMap::new();
    for deployment in deployments {
        let chain = deployment.chain;
        let contracts = known.entry(chain).or_insert_with(|| ChainContracts {
            chain,
            escrows: Vec::new(),
            settlers: Vec::new(),
            from_block: deployment.from_block,
        });
        contracts.escrows.push(deployment.escrow.into_word());
        contracts.settlers.push(deployment.settler.into_word());
        contracts.from_block = contracts.from_block.min(deployment.from_block);
    }
    known
}

/// The programs of these deployments on Solana, each of which is escrow and settler in one.
pub fn known_programs<'a>(
    deployments: impl IntoIterator<Item = &'a SolanaDeployment>,
) -> BTreeMap<ChainId, ChainContracts> {
    let mut known: BTreeMap<ChainId, ChainContracts> = BTreeMap::new();
    for deployment in deployments {
        let chain = deployment.chain;
        let (from_block, none) = (deployment.from_slot, Vec::new());
        let contracts = known.entry(chain).or_insert_with(|| ChainContracts {
            chain,
            escrows: none.clone(),
            settlers: none,
            from_block,
        });
        contracts.escrows.push(deployment.program);
        contracts.settlers.push(deployment.program);
        contracts.from_block = contracts.from_block.min(from_block);
    }
    known
}

/// The order's two chains, if both its contracts are on the attester's list.
pub(crate) fn known_chains(
    known: &BTreeMap<ChainId, ChainContracts>,
    terms: &IntentTerms,
) -> Result<(ChainId, ChainId), AttestationRefusal> {
    if terms.is_same_chain() {
        return Err(AttestationRefusal::SameChain(terms.origin_chain_id));
    }
    let of = |id: u64| ChainId::new(id).and_then(|chain| known.get(&chain));
    let origin = of(terms.origin_chain_id).filter(|origin| origin.escrows.contains(&terms.escrow));
    let origin = origin.ok_or(AttestationRefusal::UnknownEscrow(terms.origin_chain_id))?;
    let destination =
        of(terms.destination_chain_id).filter(|destination| destination.settlers.contains(&terms.settler));
    let destination = destination.ok_or(AttestationRefusal::UnknownSettler(terms.destination_chain_id))?;
    Ok((origin.chain, destination.chain))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256};
    use causeway_domain::SOLANA_CHAIN_ID;

    use super::*;

    fn deployment(chain: u64, escrow: u8, settler: u8, from_block: u64) -> Deployment {
        Deployment {
            chain: ChainId::new(chain).unwrap(),
            escrow: Address::repeat_byte(escrow),
            settler: Address::repeat_byte(settler),
            registry: Address::ZERO,
            deposit_factory: Address::ZERO,
            deposit_code_hash: B256::ZERO,
            permit2: None,
            min_grace: 60,
            transfers: false,
            from_block,
            hub: None,
        }
    }

    fn terms(origin: u64, escrow: u8, destination: u64, settler: u8) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        IntentTerms {
            origin_chain_id: origin,
            escrow: Address::repeat_byte(escrow).into_word(),
            destination_chain_id: destination,
            settler: Address::repeat_byte(settler).into_word(),
            ..IntentTerms::from_bytes(&words.concat()).unwrap()
        }
    }

    #[test]
    fn a_program_on_solana_is_escrow_and_settler_in_one() {
        let program = B256::repeat_byte(9);
        let there = SolanaDeployment { chain: SOLANA_CHAIN_ID, program, min_grace: 60, from_slot: 5 };
        let mut known = known_contracts(&[deployment(1, 1, 2, 9)]);
        known.extend(known_programs(&[there]));
        let solana = SOLANA_CHAIN_ID.get();
        let away = IntentTerms { escrow: program, ..terms(solana, 0, 1, 2) };
        let here = IntentTerms { settler: program, ..terms(1, 1, solana, 0) };
        assert_eq!(known_chains(&known, &away), Ok((SOLANA_CHAIN_ID, ChainId::new(1).unwrap())));
        assert_eq!(known_chains(&known, &here), Ok((ChainId::new(1).unwrap(), SOLANA_CHAIN_ID)));
        let stranger = IntentTerms { settler: B256::repeat_byte(8), ..here };
        assert_eq!(known_chains(&known, &stranger), Err(AttestationRefusal::UnknownSettler(solana)));
    }

    #[test]
    fn rule_11_escrows_and_settlers_come_from_the_attesters_own_list() {
        let known =
            known_contracts(&[deployment(1, 1, 2, 9), deployment(10, 3, 4, 0), deployment(1, 5, 6, 7)]);
        assert_eq!(known[&ChainId::new(1).unwrap()].from_block, 7);
        assert!(known_chains(&known, &terms(1, 1, 10, 4)).is_ok());
        assert!(known_chains(&known, &terms(1, 5, 10, 4)).is_ok(), "an older version is known too");
        let refusals = [
            (terms(1, 1, 1, 2), AttestationRefusal::SameChain(1)),
            (terms(1, 3, 10, 4), AttestationRefusal::UnknownEscrow(1)),
            (terms(2, 1, 10, 4), AttestationRefusal::UnknownEscrow(2)),
            (terms(u64::MAX, 1, 10, 4), AttestationRefusal::UnknownEscrow(u64::MAX)),
            (terms(1, 1, 10, 2), AttestationRefusal::UnknownSettler(10)),
            (terms(1, 1, 11, 4), AttestationRefusal::UnknownSettler(11)),
        ];
        for (terms, wanted) in refusals {
            assert_eq!(known_chains(&known, &terms), Err(wanted));
        }
    }
}
