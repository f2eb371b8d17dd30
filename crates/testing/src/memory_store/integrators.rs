use async_trait::async_trait;
use causeway_domain::ports::{ApiKey, Integrator, IntegratorStore, KeyRotation, QuoteCount, StoreError};
use jiff::Timestamp;

use super::MemoryStore;

#[async_trait]
impl IntegratorStore for MemoryStore {
    async fn integrators(&self) -> Result<Vec<Integrator>, StoreError> {
        self.call("integrators")?;
        Ok(self.integrators.lock().unwrap().values().cloned().collect())
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        self.call("api_keys")?;
        Ok(self.api_keys.lock().unwrap().clone())
    }

    async fn add_integrator(&self, integrator: &Integrator, key: &ApiKey) -> Result<bool, StoreError> {
        self.call("add_integrator")?;
        let mut integrators = self.integrators.lock().unwrap();
        if integrators.contains_key(&integrator.name) {
            return Ok(false);
        }
        integrators.insert(integrator.name.clone(), integrator.clone());
        self.api_keys.lock().unwrap().push(key.clone());
        Ok(true)
    }

    async fn rotate_api_key(&self, key: &ApiKey, old_ends: Timestamp) -> Result<KeyRotation, StoreError> {
        self.call("rotate_api_key")?;
        if !self.integrators.lock().unwrap().contains_key(&key.integrator) {
            return Ok(KeyRotation::Unknown);
        }
        let mut keys = self.api_keys.lock().unwrap();
        let is_valid = |known: &ApiKey| known.integrator == key.integrator && known.is_valid(key.made_at);
        if keys.iter().filter(|known| is_valid(known)).count() > 1 {
            return Ok(KeyRotation::TwoValid);
        }
        for known in keys.iter_mut().filter(|known| is_valid(known)) {
            known.expires_at = Some(known.expires_at.map_or(old_ends, |end| end.min(old_ends)));
        }
        keys.push(key.clone());
        Ok(KeyRotation::Done)
    }

    async fn revoke_api_keys(
        &self,
        integrator: &str,
        id: Option<&str>,
        at: Timestamp,
    ) -> Result<u64, StoreError> {
        self.call("revoke_api_keys")?;
        let mut keys = self.api_keys.lock().unwrap();
        let is_meant = |key: &&mut ApiKey| {
            key.integrator == integrator && key.revoked_at.is_none() && id.is_none_or(|id| key.id == id)
        };
        let revoked = keys.iter_mut().filter(is_meant).map(|key| key.revoked_at = Some(at)).count();
        Ok(revoked.try_into().unwrap())
    }

    async fn add_quote_counts(&self, counts: &[QuoteCount]) -> Result<(), StoreError> {
        self.call("add_quote_counts")?;
        let mut known = self.quote_counts.lock().unwrap();
        for count in counts {
            *known.entry((count.integrator.clone(), count.day)).or_default() += count.quotes;
        }
        Ok(())
    }

    async fn quote_counts(&self, day: i64) -> Result<Vec<QuoteCount>, StoreError> {
        self.call("quote_counts")?;
        let known = self.quote_counts.lock().unwrap();
        let of_day = known.iter().filter(|((_, known_day), _)| *known_day == day);
        let count = |((integrator, day), quotes): (&(String, i64), &u64)| QuoteCount {
            integrator: integrator.clone(),
            day: *day,
            quotes: *quotes,
        };
        Ok(of_day.map(count).collect())
    }
}
