//! Several purchases under one order id: each is an attempt of the same payer, and the most advanced one counts.

use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{RampError, RampReport, RampState};

/// The most advanced attempt of an order. An attempt that is for
/// something else or cannot be read never hides one that matches the order.
pub fn most_advanced(
    reports: Vec<Result<RampReport, RampError>>,
    order: &FiatOrder,
) -> Result<Option<RampReport>, RampError> {
    let (mut readable, mut first_error) = (Vec::new(), None);
    for attempt in reports {
        match attempt {
            Ok(report) => readable.push(report),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let best = readable
        .into_iter()
        .max_by_key(|report| (report.contradiction(order).is_none(), rank(&report.state)));
    match (best, first_error) {
        (None, Some(error)) => Err(error),
        (best, _) => Ok(best),
    }
}

/// An unknown state may be a payment, so that it counts for more than one that waits.
const fn rank(state: &RampState) -> u8 {
    match state {
        RampState::Expired => 0,
        RampState::Failed | RampState::Canceled => 1,
        RampState::Waiting => 2,
        RampState::Unknown(_) => 3,
        RampState::Started => 4,
        RampState::Paid => 5,
        RampState::Delivered => 6,
    }
}

/// Whether a payment of one of the attempts is in progress or done. Unlike for a status, an attempt that cannot be read is an
/// error: it may be the one that was paid.
pub fn is_paying(attempts: Vec<Result<RampReport, RampError>>) -> Result<bool, RampError> {
    let reports = attempts.into_iter().collect::<Result<Vec<_>, _>>()?;
    let is_paying =
        |state: &RampState| matches!(state, RampState::Started | RampState::Paid | RampState::Delivered);
    Ok(reports.iter().any(|report| is_paying(&report.state)))
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
    fn a_paid_attempt_wins_over_a_failed_one() {
        let reports =
            [RampState::Failed, RampState::Paid, RampState::Expired].map(|state| Ok(attempt(state)));
        assert_eq!(most_advanced(reports.to_vec(), &order()), Ok(Some(attempt(RampState::Paid))));
        assert_eq!(most_advanced(Vec::new(), &order()), Ok(None));
    }

    #[test]
    fn a_new_checkout_waits_for_attempts_that_pay_or_cannot_be_read() {
        let unreadable = Err(RampError::Nonsense("no address".to_owned()));
        let [waiting, paid] = [RampState::Waiting, RampState::Paid].map(|state| Ok(attempt(state)));
        assert_eq!(is_paying(vec![waiting.clone()]), Ok(false));
        assert_eq!(is_paying(vec![waiting.clone(), paid]), Ok(true));
        assert!(is_paying(vec![waiting, unreadable]).is_err());
    }

    #[test]
    fn unreadable_or_foreign_attempts_do_not_hide_the_orders_own() {
        let cheap = FiatAmount::new(order().pays.currency, 1);
        let other = RampReport { paid: Some(cheap), ..attempt(RampState::Delivered) };
        let unreadable = Err(RampError::Nonsense("no address".to_owned()));
        let own = attempt(RampState::Started);
        let reports = vec![Ok(other.clone()), unreadable.clone(), Ok(own.clone())];
        assert_eq!(most_advanced(reports, &order()), Ok(Some(own)));
        assert_eq!(most_advanced(vec![unreadable.clone(), Ok(other.clone())], &order()), Ok(Some(other)));
        assert!(most_advanced(vec![unreadable], &order()).is_err());
    }
}
