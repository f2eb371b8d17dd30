use std::collections::BTreeMap;

use async_trait::async_trait;
use causeway_domain::ports::{
    InventoryStore, Loss, Outflow, OutflowSum, Reservation, ReservationKind, ReservationLimit, Reserved,
    StoreError,
};
use causeway_domain::{RawAmount, TokenId, UsdAmount};
use jiff::Timestamp;

use super::MemoryStore;

impl MemoryStore {
    /// Every loss, oldest first.
    pub fn all_losses(&self) -> Vec<Loss> {
        self.losses.lock().unwrap().iter().map(|(loss, _)| loss.clone()).collect()
    }

    /// Every outflow, oldest first.
    pub fn all_outflows(&self) -> Vec<Outflow> {
        self.outflows.lock().unwrap().iter().map(|(outflow, _)| outflow.clone()).collect()
    }

    /// Every reservation, oldest first.
    pub fn all_reservations(&self) -> Vec<Reservation> {
        self.reservations.lock().unwrap().clone()
    }
}

#[async_trait]
impl InventoryStore for MemoryStore {
    async fn reserve(
        &self,
        reservation: &Reservation,
        limit: ReservationLimit,
        now: Timestamp,
    ) -> Result<Reserved, StoreError> {
        self.call("reserve")?;
        let wanted = reservation;
        let mut held = self.reservations.lock().unwrap();
        held.retain(|one| one.expires_at.is_none_or(|at| at > now));
        let (mut reserved, mut builds) = (RawAmount::ZERO, RawAmount::ZERO);
        for one in held.iter().filter(|one| (&one.filler, one.token) == (&wanted.filler, wanted.token)) {
            if one.holder == wanted.holder {
                match (one.kind, wanted.kind) {
                    (ReservationKind::Build, ReservationKind::Order) => continue,
                    _ if one.amount == wanted.amount => return Ok(Reserved::Existing),
                    _ => return Err(StoreError::Conflict("another amount")),
                }
            }
            reserved = reserved.checked_add(one.amount).unwrap();
            if one.kind == ReservationKind::Build {
                builds = builds.checked_add(one.amount).unwrap();
            }
        }
        if !limit.admits(wanted.kind, wanted.amount, reserved, builds) {
            return Ok(Reserved::OverLimit { reserved });
        }
        held.retain(|one| (&one.holder, one.token) != (&wanted.holder, wanted.token));
        held.push(wanted.clone());
        Ok(Reserved::Written)
    }

    async fn release(&self, filler: &str, holder: &str) -> Result<(), StoreError> {
        self.call("release")?;
        let is_other = |one: &Reservation| (one.filler.as_str(), one.holder.as_str()) != (filler, holder);
        self.reservations.lock().unwrap().retain(is_other);
        Ok(())
    }

    async fn reserved(&self, filler: &str, token: TokenId, now: Timestamp) -> Result<RawAmount, StoreError> {
        let all = self.all_reserved(filler, now).await?;
        Ok(all.into_iter().find(|(of, _)| *of == token).map_or(RawAmount::ZERO, |(_, amount)| amount))
    }

    async fn all_reserved(
        &self,
        filler: &str,
        now: Timestamp,
    ) -> Result<Vec<(TokenId, RawAmount)>, StoreError> {
        self.call("all_reserved")?;
        let held = self.reservations.lock().unwrap();
        let counts = |one: &&Reservation| one.filler == filler && one.expires_at.is_none_or(|at| at > now);
        let mut sums = BTreeMap::new();
        for one in held.iter().filter(counts) {
            let sum = sums.entry(one.token).or_insert(RawAmount::ZERO);
            *sum = sum.checked_add(one.amount).unwrap();
        }
        Ok(sums.into_iter().collect())
    }

    async fn record_loss(
        &self,
        loss: &Loss,
        limit: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.call("record_loss")?;
        let mut recorded = self.losses.lock().unwrap();
        if recorded.iter().any(|(one, _)| (&one.order, one.kind) == (&loss.order, loss.kind)) {
            return Ok(true);
        }
        let recent = recorded.iter().filter(|(one, at)| one.filler == loss.filler && *at >= since);
        let sum =
            recent.fold(loss.amount.cents(), |sum, (one, _)| sum.checked_add(one.amount.cents()).unwrap());
        if sum <= limit.cents() {
            recorded.push((loss.clone(), now));
        }
        Ok(sum <= limit.cents())
    }

    async fn record_outflow(
        &self,
        outflow: &Outflow,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.call("record_outflow")?;
        let mut recorded = self.outflows.lock().unwrap();
        recorded.retain(|(_, at)| *at >= since);
        if !recorded.iter().any(|(one, _)| (&one.filler, &one.purpose) == (&outflow.filler, &outflow.purpose))
        {
            recorded.push((outflow.clone(), now));
        }
        Ok(())
    }

    async fn outflow_sums(&self, since: Timestamp, until: Timestamp) -> Result<Vec<OutflowSum>, StoreError> {
        self.call("outflow_sums")?;
        let recorded = self.outflows.lock().unwrap();
        let mut sums = BTreeMap::new();
        for (one, _) in recorded.iter().filter(|(_, at)| (since..until).contains(at)) {
            let (value, fees) =
                sums.entry((one.filler.clone(), one.chain)).or_insert((RawAmount::ZERO, RawAmount::ZERO));
            *value = value.checked_add(one.value.cents()).unwrap();
            *fees = fees.checked_add(one.fees.cents()).unwrap();
        }
        let sum = |((filler, chain), (value, fees))| OutflowSum {
            filler,
            chain,
            value: UsdAmount::from_cents(value),
            fees: UsdAmount::from_cents(fees),
        };
        Ok(sums.into_iter().map(sum).collect())
    }

    async fn record_spent(&self, loss: &Loss, now: Timestamp) -> Result<(), StoreError> {
        self.call("record_spent")?;
        let mut recorded = self.losses.lock().unwrap();
        if !recorded.iter().any(|(one, _)| (&one.order, one.kind) == (&loss.order, loss.kind)) {
            recorded.push((loss.clone(), now));
        }
        Ok(())
    }
}
