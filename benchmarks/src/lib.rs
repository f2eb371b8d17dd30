//! What the benchmarks share: quotes to write, times to sum up.

use std::time::Duration;

use causeway_domain::{
    Address, Ask, ChainId, Family, Quote, QuoteId, RawAmount, RowKeys, TokenId, TradeType,
};
use jiff::Timestamp;

/// The value below which `percent` of the sorted times lie.
pub fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted
        .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// The HTTP client wants a TLS provider even where it speaks plain HTTP.
pub fn install_tls() {
    rustls::crypto::ring::default_provider().install_default().expect("no other provider");
}

/// A quote like those that clients ask for.
pub fn quote(keys: &RowKeys) -> Quote {
    let now = Timestamp::now();
    let wallet = Address::native(Family::Evm);
    let token = |id| TokenId::native(ChainId::new(id).expect("a chain id"));
    Quote {
        id: QuoteId::random().expect("random bytes"),
        key: keys.next(now),
        ask: Ask {
            trade_type: TradeType::ExactInput,
            from: token(1),
            to: token(8453),
            amount: RawAmount::from_decimal("1", 18).expect("an amount"),
            from_address: wallet,
            recipient: wallet,
            refund_to: wallet,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
        },
        integrator: None,
        created_at: now,
        routes: Vec::new(),
    }
}
