use causeway_domain::ports::{MAX_FILLER_QUOTE, Offer};
use causeway_domain::{Address, Ask, DepositMethod, Fee, FeeKind, MAX_TOOL, RawAmount, TradeType};
use jiff::Timestamp;

/// How many offers of one answer are read.
const MAX_OFFERS: usize = 3;

/// How many fee items an offer may have.
const MAX_FEES: usize = 16;

/// Keeps the first few offers of an answer, without those that cannot be deposited for as it was asked. One invalid offer
/// invalidates the whole answer.
pub(super) fn read_offers(
    ask: &Ask,
    mut offers: Vec<Offer>,
    now: Timestamp,
) -> Result<Vec<Offer>, &'static str> {
    if offers.is_empty() {
        return Err("an answer without an offer and without a refusal");
    }
    offers.truncate(MAX_OFFERS);
    for offer in &mut offers {
        check_offer(ask, offer, now)?;
        offer.exact_out = offer.exact_out.filter(|_| ask.trade_type == TradeType::ExactOutput);
    }
    // A provider's transaction does not last for hours. The payer asked for that, so it is no fault of the provider's.
    if ask.deposit_window.is_some() {
        offers.retain(|offer| offer.provider.is_none());
    }
    if !ask.deposit_methods.is_empty() {
        offers
            .retain(|offer| offer.deposit_methods.iter().any(|method| ask.deposit_methods.contains(method)));
    }
    Ok(offers)
}

/// What is wrong with an offer, for the log.
fn check_offer(ask: &Ask, offer: &Offer, now: Timestamp) -> Result<(), &'static str> {
    let amounts = [offer.amount_in, offer.amount_out, offer.min_amount_out];
    if amounts.into_iter().any(RawAmount::is_zero) {
        return Err("an amount of zero");
    }
    let fixed = match ask.trade_type {
        TradeType::ExactInput => offer.amount_in,
        TradeType::ExactOutput => offer.amount_out,
    };
    if fixed != ask.amount {
        return Err("another amount than was asked for");
    }
    if offer.min_amount_out > offer.amount_out {
        return Err("a minimum output above the output");
    }
    // Without a bound, the offer with the most inflated output would rank first.
    let loss = loss(offer);
    if !loss.is_zero() && loss > allowed_loss(offer, ask.tolerance().millionths()) {
        return Err("a minimum output beyond the tolerated slippage");
    }
    if offer.valid_before <= now {
        return Err("an expired validity");
    }
    if offer.deposit_methods.is_empty() {
        return Err("no deposit method");
    }
    let at_source = |address: Address| address.family() == ask.from.chain().family();
    if offer.parties.is_some_and(|parties| !at_source(parties.filler) || !at_source(parties.payee)) {
        return Err("parties that are not addresses of the source chain");
    }
    if let Some(provider) = &offer.provider {
        let is_payable = [DepositMethod::ContractCall, DepositMethod::Transfer]
            .into_iter()
            .any(|method| offer.deposit_methods == [method]);
        if offer.parties.is_some() || !is_payable {
            return Err("a provider's route with parties or other deposit methods");
        }
        if provider.terms.tool.len() > MAX_TOOL {
            return Err("a tool's name that is too long");
        }
    }
    if offer.fees.len() > MAX_FEES {
        return Err("too many fees");
    }
    if offer.filler_quote.as_ref().is_some_and(|id| id.len() > MAX_FILLER_QUOTE) {
        return Err("a quote id that is too long");
    }
    check_referral(ask, offer)
}

fn loss(offer: &Offer) -> RawAmount {
    offer.amount_out.checked_sub(offer.min_amount_out).unwrap_or_default()
}

/// The tolerated loss of output, rounded up so that a filler that rounds is not rejected.
fn allowed_loss(offer: &Offer, millionths: u32) -> RawAmount {
    let million = alloy_primitives::U256::from(1_000_000);
    let (millions, rest) = offer.amount_out.get().div_rem(million);
    let share = alloy_primitives::U256::from(millionths);
    let rest = rest.saturating_mul(share).div_ceil(million);
    RawAmount::new(millions.saturating_mul(share).saturating_add(rest))
}

/// The fees contain the referrer's fee exactly when the ask names one.
fn check_referral(ask: &Ask, offer: &Offer) -> Result<(), &'static str> {
    let owed = ask.referral.map_or(RawAmount::ZERO, |referral| referral.fee(offer.amount_in));
    let named = |fee: &&Fee| fee.kind == FeeKind::Referrer && !fee.amount.is_zero();
    let mut fees = offer.fees.iter().filter(named);
    match (fees.next(), fees.next()) {
        (None, None) if owed.is_zero() => Ok(()),
        (Some(fee), None) if fee.amount == owed && fee.token == ask.from => Ok(()),
        _ => Err("a referrer's fee that is not the one asked for"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use causeway_domain::{
        CustodyNotice, DepositWindow, ExactOutMethod, Family, Parties, ProviderOffer, ProviderTerms,
        Referral, Slippage,
    };

    use super::*;
    use crate::fillers::fake::{amount, ask, offer};

    type Change = fn(&mut Offer);

    const INVALID: [(&str, Change); 12] = [
        ("zero", |offer| offer.amount_out = RawAmount::ZERO),
        ("zero", |offer| offer.min_amount_out = RawAmount::ZERO),
        ("another amount", |offer| offer.amount_in = amount(999)),
        ("minimum output above", |offer| offer.min_amount_out = amount(2_001)),
        ("slippage", |offer| offer.min_amount_out = amount(1_989)),
        ("expired", |offer| offer.valid_before = Timestamp::UNIX_EPOCH),
        ("no deposit method", |offer| offer.deposit_methods.clear()),
        ("parties", |offer| {
            let (filler, payee) = (Address::native(Family::Evm), Address::native(Family::Solana));
            offer.parties = Some(Parties { filler, payee });
        }),
        ("fees", |offer| {
            let fee = Fee { kind: FeeKind::Gas, token: ask().from, amount: amount(1) };
            offer.fees = vec![fee; 17];
        }),
        ("quote id", |offer| offer.filler_quote = Some("q".repeat(MAX_FILLER_QUOTE + 1))),
        ("referrer", |offer| offer.fees.clear()),
        ("referrer", |offer| offer.fees.iter_mut().for_each(|fee| fee.amount = amount(9))),
    ];

    /// An ask with every constraint, and an offer that satisfies it.
    fn bound() -> (Ask, Offer) {
        let referral = Referral::new(Address::native(Family::Evm), 100);
        let ask = Ask { slippage: "0.005".parse().ok(), referral, ..ask() };
        let mut offer = offer(&ask, 2_000);
        offer.min_amount_out = amount(1_990);
        offer.fees = vec![Fee { kind: FeeKind::Referrer, token: ask.from, amount: amount(10) }];
        (ask, offer)
    }

    fn read(ask: &Ask, offers: Vec<Offer>) -> Result<Vec<Offer>, &'static str> {
        read_offers(ask, offers, Timestamp::now())
    }

    #[test]
    fn invalid_offer_invalidates_its_answer() {
        let (ask, good) = bound();
        assert_eq!(read(&ask, vec![good.clone()]).unwrap().len(), 1);
        for (word, change) in INVALID {
            let mut bad = good.clone();
            change(&mut bad);
            let error = read(&ask, vec![good.clone(), bad]).unwrap_err();
            assert!(error.contains(word), "{word}: {error}");
        }
        assert!(read(&ask, Vec::new()).is_err());
    }

    #[test]
    fn a_provider_that_cannot_wait_for_a_later_deposit_is_left_out_and_not_at_fault() {
        let (mut ask, own) = bound();
        let terms = ProviderTerms { tool: "across".to_owned(), slippage: Slippage::DEFAULT };
        let notice = CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() };
        let provider = Some(ProviderOffer { terms, notice: Arc::new(notice), joined: None });
        let settled = Offer { provider, deposit_methods: vec![DepositMethod::ContractCall], ..own.clone() };
        assert_eq!(read(&ask, vec![settled.clone(), own.clone()]).unwrap().len(), 2);
        ask.deposit_window = DepositWindow::new(3_600);
        assert_eq!(read(&ask, vec![settled.clone(), own.clone()]), Ok(vec![own]));
        assert_eq!(read(&ask, vec![settled]), Ok(Vec::new()));
    }

    #[test]
    fn ask_without_slippage_has_a_default_bound() {
        for trade_type in [TradeType::ExactInput, TradeType::ExactOutput] {
            let ask = Ask { trade_type, slippage: None, ..ask() };
            let mut offer = offer(&ask, 2_000);
            let least = |offer: &Offer, kept: u64| {
                amount(u64::try_from(offer.amount_out.get()).unwrap() * kept / 1_000)
            };
            offer.min_amount_out = least(&offer, 995);
            assert!(read(&ask, vec![offer.clone()]).is_ok(), "half a percent is usual");
            offer.min_amount_out = least(&offer, 990);
            assert!(read(&ask, vec![offer.clone()]).unwrap_err().contains("slippage"), "{trade_type:?}");
            offer.min_amount_out = amount(1);
            assert!(read(&ask, vec![offer]).unwrap_err().contains("slippage"), "{trade_type:?}");
        }
    }

    #[test]
    fn exact_output_fixes_the_output_amount() {
        let ask = Ask { trade_type: TradeType::ExactOutput, ..ask() };
        let mut offer = offer(&ask, 7);
        offer.exact_out = Some(ExactOutMethod::Native);
        assert_eq!(read(&ask, vec![offer.clone()]).unwrap()[0].exact_out, Some(ExactOutMethod::Native));
        offer.amount_out = amount(999);
        offer.min_amount_out = amount(999);
        assert!(read(&ask, vec![offer]).is_err());
    }

    #[test]
    fn many_offers_are_truncated_to_a_few() {
        let ask = ask();
        assert_eq!(read(&ask, vec![offer(&ask, 2_000); 1_000]).unwrap().len(), MAX_OFFERS);
    }

    #[test]
    fn only_offers_with_a_requested_deposit_method_are_kept() {
        let ask = Ask { deposit_methods: vec![DepositMethod::Transfer], ..ask() };
        let mut second = offer(&ask, 1_900);
        second.deposit_methods = vec![DepositMethod::Permit2, DepositMethod::Transfer];
        assert_eq!(read(&ask, vec![offer(&ask, 2_000), second.clone()]).unwrap(), [second]);
        assert!(read(&ask, vec![offer(&ask, 2_000)]).unwrap().is_empty());
    }
}
