use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{Arrival, ChainCursor, ChainStore, FinalityTier, Rent, StoreError};
use causeway_domain::{Address, ChainId, Fact, FactPlace, IntentState, Order, OrderId, RentedAccount};
use jiff::Timestamp;

use super::{MemoryStore, only_sql};

#[async_trait]
impl ChainStore for MemoryStore {
    async fn record_facts(
        &self,
        chain: ChainId,
        tier: FinalityTier,
        cursor: ChainCursor,
        facts: &[Fact],
        _: Timestamp,
    ) -> Result<(), StoreError> {
        self.call("record_facts")?;
        let mut stored = self.facts.lock().unwrap();
        for fact in facts {
            match stored.iter_mut().find(|(known, _)| known == fact) {
                Some((_, reached)) => *reached = tier.max(*reached),
                None => stored.push((fact.clone(), tier)),
            }
        }
        let mut cursors = self.cursors.lock().unwrap();
        let newest = cursors.entry((chain, tier)).or_insert(cursor);
        if newest.number < cursor.number {
            *newest = cursor;
        }
        Ok(())
    }

    async fn facts(&self, intent_id: B256) -> Result<Vec<(Fact, FinalityTier)>, StoreError> {
        self.call("facts")?;
        let facts = self.facts.lock().unwrap();
        Ok(facts.iter().filter(|(fact, _)| fact.intent_id == intent_id).cloned().collect())
    }

    async fn cursor(&self, chain: ChainId, tier: FinalityTier) -> Result<Option<ChainCursor>, StoreError> {
        self.call("cursor")?;
        let cursors = self.cursors.lock().unwrap();
        let read = cursors.iter().filter(|((on, reached), _)| *on == chain && *reached >= tier);
        Ok(read.map(|(_, cursor)| *cursor).max_by_key(|cursor| cursor.number))
    }

    async fn record_arrival(&self, arrival: &Arrival, _: Timestamp) -> Result<(), StoreError> {
        self.call("record_arrival")?;
        let mut arrivals = self.arrivals.lock().unwrap();
        if !arrivals.contains(arrival) {
            arrivals.push(arrival.clone());
        }
        Ok(())
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        self.call("arrivals")?;
        let arrivals = self.arrivals.lock().unwrap();
        Ok(arrivals.iter().filter(|arrival| arrival.address == address).cloned().collect())
    }

    async fn openings(&self, _: Option<&FactPlace>, _: u32) -> Result<Vec<Fact>, StoreError> {
        only_sql("openings")
    }

    async fn unrecorded(&self, _: u32) -> Result<Vec<Order>, StoreError> {
        only_sql("unrecorded")
    }

    async fn mark_recorded(&self, _: &[(OrderId, IntentState)]) -> Result<(), StoreError> {
        only_sql("mark_recorded")
    }

    async fn claim_rents(&self, _: ChainId, _: u64, _: u64, _: u32) -> Result<Vec<Rent>, StoreError> {
        only_sql("claim_rents")
    }

    async fn postpone_rent(&self, _: &OrderId, _: RentedAccount, _: u64) -> Result<(), StoreError> {
        only_sql("postpone_rent")
    }

    async fn remove_rent(&self, _: &OrderId, _: RentedAccount) -> Result<(), StoreError> {
        only_sql("remove_rent")
    }
}
