//! Several purchases under one name of ours: each is an attempt of the same payer, and the order is as far as the best of them.

use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{RampError, RampReport, RampState};

/// What counts of all that a provider tells under the order's name: who failed once and paid then has paid. An attempt that is for
/// something else, or cannot be read, never hides one that is the order's own.
pub fn furthest(
    told: Vec<Result<RampReport, RampError>>,
    order: &FiatOrder,
) -> Result<Option<RampReport>, RampError> {
    let (mut read, mut fault) = (Vec::new(), None);
    for attempt in told {
        match attempt {
            Ok(report) => read.push(report),
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    let best =
        read.into_iter().max_by_key(|report| (report.contradiction(order).is_none(), rank(&report.state)));
    match (best, fault) {
        (None, Some(error)) => Err(error),
        (best, _) => Ok(best),
    }
}

const fn rank(state: &RampState) -> u8 {
    match state {
        RampState::Delivered => 5,
        RampState::Paid => 4,
        RampState::Started | RampState::Waiting => 3,
        RampState::Unknown(_) => 2,
        RampState::Failed | RampState::Canceled | RampState::Expired => 1,
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::fiat::FiatAmount;

    use super::*;
    use crate::banxa::fixture::order;

    fn attempt(state: RampState) -> RampReport {
        RampReport {
            state,
            provider_order: None,
            paid: Some(order().pays),
            asset: None,
            amount: None,
            wallet: None,
            payouts: Vec::new(),
            reason: None,
            may_retry: true,
        }
    }

    #[test]
    fn who_failed_once_and_paid_then_has_paid() {
        let told = [RampState::Failed, RampState::Paid, RampState::Expired].map(|state| Ok(attempt(state)));
        assert_eq!(furthest(told.to_vec(), &order()), Ok(Some(attempt(RampState::Paid))));
        assert_eq!(furthest(Vec::new(), &order()), Ok(None));
    }

    #[test]
    fn an_attempt_for_something_else_or_that_cannot_be_read_hides_none_of_the_orders_own() {
        let cheap = FiatAmount::new(order().pays.currency, 1);
        let other = RampReport { paid: Some(cheap), ..attempt(RampState::Delivered) };
        let unreadable = Err(RampError::Nonsense("no address".to_owned()));
        let own = attempt(RampState::Started);
        let told = vec![Ok(other.clone()), unreadable.clone(), Ok(own.clone())];
        assert_eq!(furthest(told, &order()), Ok(Some(own)));
        assert_eq!(furthest(vec![unreadable.clone(), Ok(other.clone())], &order()), Ok(Some(other)));
        assert!(furthest(vec![unreadable], &order()).is_err());
    }
}
