use causeway_domain::ports::Refusal;
use causeway_domain::{Ask, DepositMethod, TradeType};

use super::ProviderSetupError;

/// The highest fee of an operator, in basis points.
const MAX_FEE_BPS: u16 = 1_000;

/// What no provider that is paid that way can be asked.
pub(super) fn common_refusal(ask: &Ask, method: DepositMethod) -> Option<Refusal> {
    let other = |words: &str| Some(Refusal::Other(words.to_owned()));
    if ask.trade_type != TradeType::ExactInput {
        return other("it serves an exact input only");
    }
    if !ask.deposit_methods.is_empty() && !ask.deposit_methods.contains(&method) {
        return Some(Refusal::NoDepositMethod);
    }
    if ask.to.is_native() {
        return other("its deliveries of a chain's own coin cannot be seen on the chain");
    }
    if ask.referral.is_some() {
        return other("it pays no referrers");
    }
    if ask.deposit_window.is_some() {
        return other("its price does not wait for a later deposit");
    }
    None
}

/// Whether an operator's fee is within its bound, and has somebody who gets it.
pub(super) fn check_fee(bps: u16, has_recipient: bool) -> Result<(), ProviderSetupError> {
    if bps > MAX_FEE_BPS {
        return Err(ProviderSetupError::Fee);
    }
    if bps > 0 && !has_recipient {
        return Err(ProviderSetupError::FeeRecipient);
    }
    Ok(())
}
