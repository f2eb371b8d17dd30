use std::collections::HashMap;
use std::sync::Arc;

use causeway_domain::fiat::FiatQuote;
use causeway_domain::ports::WalletCheck;
use causeway_domain::{Address, ChainId};

use super::{FiatError, FiatOrderRequest};

/// Where money goes that cannot be swapped: the named address, else the recipient if it can use the money there.
pub(super) async fn refund_to(
    request: &FiatOrderRequest,
    quote: &FiatQuote,
    wallets: &HashMap<ChainId, Arc<dyn WalletCheck>>,
) -> Result<Address, FiatError> {
    let (hub, recipient) = (quote.sold.chain(), quote.ask.recipient);
    if let Some(named) = request.refund_to.or(quote.ask.refund_to) {
        let is_valid = named.family() == hub.family() && !named.is_native() && named != quote.sold.address();
        if !is_valid {
            let expected = format!("expected an account on chain {hub} that can use the money");
            return Err(FiatError::Field { field: "refundTo", expected });
        }
        return Ok(named);
    }
    if !quote.is_forwarding() {
        // The provider delivers directly.
        return Ok(recipient);
    }
    // A contract's address on one chain may belong to nobody, or to somebody else, on another.
    for chain in [hub, quote.ask.target.chain()] {
        let wallets = wallets.get(&chain).filter(|_| recipient.family() == chain.family());
        let ask = || FiatError::RefundTo { chain: hub, recipient };
        if !wallets.ok_or_else(ask)?.is_wallet(recipient).await? {
            return Err(ask());
        }
    }
    Ok(recipient)
}
