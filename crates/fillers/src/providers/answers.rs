use causeway_domain::RawAmount;
use causeway_domain::ports::FillerError;

/// Fees beyond these are not shown one by one.
pub(super) const MAX_FEES: usize = 8;

/// Maximum length of a provider's id of a quote that is kept.
pub(super) const MAX_QUOTE_ID: usize = 32;

/// Why a quote of a provider is not offered.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It cannot be used here, which is nobody's fault.
    Declined(String),
    /// It contradicts the ask.
    Wrong(String),
}

impl From<Unusable> for FillerError {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Declined(words) => Self::Unavailable(words),
            Unusable::Wrong(words) => Self::Nonsense(words),
        }
    }
}

/// An amount in raw units, as providers write it: a decimal number in a string.
pub(super) fn amount(what: &str, text: &str) -> Result<RawAmount, String> {
    text.parse().map_err(|_| format!("its {what} is not a number of raw units"))
}

/// A duration in whole seconds, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what fits; a time is shown and nothing is computed with it"
)]
pub(super) fn seconds(duration: f64) -> u32 {
    if duration.is_finite() { duration.ceil().clamp(0.0, 604_800.0) as u32 } else { 0 }
}
