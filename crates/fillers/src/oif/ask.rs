use causeway_domain::ports::{FillerAsk, Refusal};
use causeway_domain::{ChainId, Parties, RawAmount, Referral, TERMS_TYPEHASH, TradeType};
use jiff::{SignedDuration, Timestamp};

use super::address::interoperable;
use super::config::OifContracts;
use super::wire::{
    Account, GetQuoteRequest, Input, IntentRequest, Metadata, OriginSubmission, Output, REFUND_AUTOMATIC,
    USER_OPEN,
};

/// Minimum validity of a price, so that a user can take it.
pub(super) const MIN_VALIDITY: SignedDuration = SignedDuration::from_secs(15);

/// The quote request to a solver, and what its response is checked against.
#[derive(Debug)]
pub(super) struct SolverRequest {
    pub(super) body: GetQuoteRequest,
    /// The escrow that the quoted order must name.
    pub(super) escrow: (ChainId, causeway_domain::Address),
}

/// Builds the quote request for a solver; only pairs of EVM chains are served.
pub(super) fn build_request(
    ask: &FillerAsk,
    origin: &OifContracts,
    destination: &OifContracts,
    account: Option<Parties>,
    now: Timestamp,
) -> Result<SolverRequest, Refusal> {
    let wanted = &ask.ask;
    let (from, to) = (wanted.from.chain(), wanted.to.chain());
    let on = |chain: ChainId, address| interoperable(chain, address).ok_or(Refusal::PairNotServed);
    let user = on(from, wanted.from_address)?;
    let (amount_in, amount_out, swap_type) = match wanted.trade_type {
        TradeType::ExactInput => (Some(net(wanted.referral, wanted.amount)), None, "exact-input"),
        TradeType::ExactOutput => (None, Some(wanted.amount), "exact-output"),
    };
    let text = |amount: Option<RawAmount>| amount.map(|amount| amount.to_string());
    let until = now.checked_add(MIN_VALIDITY).map_or(0, Timestamp::as_second);
    let intent = IntentRequest {
        intent_type: "oif-swap",
        inputs: [Input {
            user: user.clone(),
            asset: on(from, wanted.from.address())?,
            amount: text(amount_in),
        }],
        outputs: [Output {
            receiver: on(to, wanted.recipient)?,
            asset: on(to, wanted.to.address())?,
            amount: text(amount_out),
        }],
        swap_type,
        min_valid_until: until,
        preference: "price",
        origin_submission: OriginSubmission { mode: "user" },
        failure_handling: [REFUND_AUTOMATIC],
        partial_fill: false,
        metadata: Metadata {
            origin_settler: on(from, origin.escrow)?,
            destination_settler: on(to, destination.settler)?,
            order_data_type: TERMS_TYPEHASH.to_string(),
            account: account
                .map(|Parties { filler, payee }| {
                    Ok(Account { filler: on(from, filler)?, payee: on(from, payee)? })
                })
                .transpose()?,
        },
    };
    let body = GetQuoteRequest { user, intent, supported_types: [USER_OPEN] };
    Ok(SolverRequest { body, escrow: (from, origin.escrow) })
}

/// The input that the filler is paid, without the referral fee.
pub(super) fn net(referral: Option<Referral>, amount_in: RawAmount) -> RawAmount {
    let fee = referral.map_or(RawAmount::ZERO, |referral| referral.fee(amount_in));
    amount_in.checked_sub(fee).unwrap_or(RawAmount::ZERO)
}

/// The smallest input of which the filler is paid `net`; `None` when it overflows 256 bits.
pub(super) fn gross(referral: Option<Referral>, net: RawAmount) -> Option<RawAmount> {
    let Some(referral) = referral else { return Some(net) };
    let whole = alloy_primitives::U256::from(10_000);
    let kept = whole.checked_sub(alloy_primitives::U256::from(referral.fee_bps()))?;
    // An input less its rounded-down fee is `input * kept / whole` rounded up, so the smallest input that leaves `net` is the
    // first one above `(net - 1) * whole / kept`.
    let below = net.get().checked_sub(alloy_primitives::U256::ONE)?.checked_mul(whole)?.checked_div(kept)?;
    below.checked_add(alloy_primitives::U256::ONE).map(RawAmount::new)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use causeway_domain::Address;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn gross_input_is_the_smallest_that_leaves_the_net_amount(net_units in 1u128.., bps in 0u16..=1_000) {
            let referral = Referral::new(Address::Evm([1; 20].into()), bps);
            let wanted = RawAmount::new(U256::from(net_units));
            let least = gross(referral, wanted).unwrap();
            prop_assert!(net(referral, least) >= wanted);
            let less = least.checked_sub(RawAmount::new(U256::ONE)).unwrap();
            prop_assert!(net(referral, less) < wanted);
        }
    }

    #[test]
    fn overflowing_gross_input_is_none() {
        let referral = Referral::new(Address::Evm([1; 20].into()), 1_000);
        assert_eq!(gross(referral, RawAmount::new(U256::MAX)), None);
        assert_eq!(gross(referral, RawAmount::ZERO), None);
    }
}
