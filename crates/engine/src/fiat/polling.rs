use std::time::Duration;

use causeway_domain::fiat::FiatStatus;

/// How long a client should wait before it polls the status again: short while the payer is paying, longer while money moves,
/// and zero when nothing will change.
pub const fn suggested_interval(status: FiatStatus) -> Duration {
    match status {
        FiatStatus::Created | FiatStatus::Pending => Duration::from_secs(2),
        FiatStatus::Processing => Duration::from_secs(4),
        _ => Duration::ZERO,
    }
}
