use causeway_domain::ports::{FillerAsk, Refusal};
use causeway_domain::{ChainId, Parties, RawAmount, Referral, TERMS_TYPEHASH, TradeType};
use jiff::{SignedDuration, Timestamp};

use super::address::interoperable;
use super::config::OifPlace;
use super::wire::{
    Account, GetQuoteRequest, Input, IntentRequest, Metadata, OriginSubmission, Output, REFUND_AUTOMATIC,
    USER_OPEN,
};

/// How long a price must hold at least for somebody to take it.
pub(super) const SHORTEST_VALIDITY: SignedDuration = SignedDuration::from_secs(15);

/// What a solver is asked, and what its answer is held against.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) request: GetQuoteRequest,
    /// The escrow that its order must name.
    pub(super) escrow: (ChainId, causeway_domain::Address),
}

/// Writes an ask for a solver; pairs that are not of EVM chains are not served.
pub(super) fn write_ask(
    ask: &FillerAsk,
    origin: &OifPlace,
    destination: &OifPlace,
    account: Option<Parties>,
    now: Timestamp,
) -> Result<Asked, Refusal> {
    let wanted = &ask.ask;
    let (from, to) = (wanted.from.chain(), wanted.to.chain());
    let on = |chain: ChainId, address| interoperable(chain, address).ok_or(Refusal::PairNotServed);
    let user = on(from, wanted.from_address)?;
    let (given, got, swap_type) = match wanted.trade_type {
        TradeType::ExactInput => (Some(net(wanted.referral, wanted.amount)), None, "exact-input"),
        TradeType::ExactOutput => (None, Some(wanted.amount), "exact-output"),
    };
    let text = |amount: Option<RawAmount>| amount.map(|amount| amount.to_string());
    let until = now.checked_add(SHORTEST_VALIDITY).map_or(0, Timestamp::as_second);
    let intent = IntentRequest {
        intent_type: "oif-swap",
        inputs: [Input { user: user.clone(), asset: on(from, wanted.from.address())?, amount: text(given) }],
        outputs: [Output {
            receiver: on(to, wanted.recipient)?,
            asset: on(to, wanted.to.address())?,
            amount: text(got),
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
    let request = GetQuoteRequest { user, intent, supported_types: [USER_OPEN] };
    Ok(Asked { request, escrow: (from, origin.escrow) })
}

/// What of an input the filler is paid: the referrer's part goes elsewhere.
pub(super) fn net(referral: Option<Referral>, amount_in: RawAmount) -> RawAmount {
    let fee = referral.map_or(RawAmount::ZERO, |referral| referral.fee(amount_in));
    amount_in.checked_sub(fee).unwrap_or(RawAmount::ZERO)
}

/// The least input of which the filler is paid `net`; `None` beyond 256 bits.
pub(super) fn gross(referral: Option<Referral>, net: RawAmount) -> Option<RawAmount> {
    let Some(referral) = referral else { return Some(net) };
    let whole = alloy_primitives::U256::from(10_000);
    let kept = whole.checked_sub(alloy_primitives::U256::from(referral.fee_bps()))?;
    // An input less its rounded-down fee is `input * kept / whole` rounded up, so the least input that leaves `net` is the
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
        fn the_gross_input_is_the_least_that_leaves_the_net_one(net_units in 1u128.., bps in 0u16..=1_000) {
            let referral = Referral::new(Address::Evm([1; 20].into()), bps);
            let wanted = RawAmount::new(U256::from(net_units));
            let least = gross(referral, wanted).unwrap();
            prop_assert!(net(referral, least) >= wanted);
            let less = least.checked_sub(RawAmount::new(U256::ONE)).unwrap();
            prop_assert!(net(referral, less) < wanted);
        }
    }

    #[test]
    fn what_does_not_fit_has_no_gross_input() {
        let referral = Referral::new(Address::Evm([1; 20].into()), 1_000);
        assert_eq!(gross(referral, RawAmount::new(U256::MAX)), None);
        assert_eq!(gross(referral, RawAmount::ZERO), None);
    }
}
