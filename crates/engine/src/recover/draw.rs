use alloy_primitives::{Address as EvmAddress, B256, U256};
use causeway_domain::ports::{Care, OpenedBy};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, EventKind, Evidence, FactPlace, Family, Fee, FeeKind, IdError,
    Order, OrderEvent, OrderId, OrderStatus, Parties, Quote, QuoteId, RawAmount, Referral, Route, RowKey,
    Terms, TokenId, TradeType,
};
use jiff::Timestamp;

use crate::build_deposit::moment;

/// The name of the one route of every recovered quote.
pub(super) const RECOVERED: &str = "recovered";

/// A filler whose orders are known by the account that their terms name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFiller {
    pub name: String,
    pub kind: String,
    /// Its keys, of whichever family.
    pub accounts: Vec<Address>,
}

/// What the chain does not know and a record needs.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) order: OrderId,
    pub(super) quote: QuoteId,
    pub(super) key: RowKey,
    pub(super) event: RowKey,
    pub(super) filler: String,
    pub(super) kind: String,
}

/// The sides of an order as its terms name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) from: TokenId,
    pub(super) to: TokenId,
    user: Address,
    recipient: Address,
    refund_to: Address,
    filler: Address,
    payee: Address,
    referrer: Address,
}

impl Sides {
    /// `None` for terms with chains or addresses that no order of ours has.
    pub(super) fn of(terms: &Terms) -> Option<Self> {
        let (origin, destination) =
            (ChainId::new(terms.origin_chain_id)?, ChainId::new(terms.destination_chain_id)?);
        let there = |word| address(origin.family(), word);
        let here = |word| address(destination.family(), word);
        Some(Self {
            from: TokenId::from_address(origin, there(terms.input_token)?)?,
            to: TokenId::from_address(destination, here(terms.output_token)?)?,
            user: there(terms.user)?,
            recipient: here(terms.recipient)?,
            refund_to: there(terms.refund_to)?,
            filler: there(terms.filler)?,
            payee: there(terms.payee)?,
            referrer: there(terms.referrer)?,
        })
    }

    pub(super) fn filled_by<'a>(&self, fillers: &'a [KnownFiller]) -> Option<&'a KnownFiller> {
        fillers.iter().find(|filler| filler.accounts.contains(&self.filler))
    }
}

/// The 32 bytes of a term as an address; an EVM address has no more than 20 of its own.
fn address(family: Family, word: B256) -> Option<Address> {
    match family {
        Family::Evm => {
            let address = EvmAddress::from_word(word);
            (address.into_word() == word).then_some(Address::Evm(address))
        }
        Family::Solana => Some(Address::Solana(word.0)),
    }
}

/// All that a record of an order is made of when the chain is what is left.
#[derive(Debug)]
pub(super) struct Drawing<'a> {
    pub(super) terms: &'a Terms,
    pub(super) sides: &'a Sides,
    pub(super) opened_by: OpenedBy,
    /// Where the deposit came to, if it was a plain transfer.
    pub(super) deposit_address: Option<Address>,
    pub(super) place: &'a FactPlace,
    pub(super) names: Names,
    /// How long after its price's end an order may be opened, in seconds.
    pub(super) open_slack: u64,
    pub(super) now: Timestamp,
}

impl Drawing<'_> {
    /// A quote, an order and its first line, as far as the terms and the deposit tell them. What was quoted beside the terms
    /// (how the amount was meant, what was expected, who asked through whom) is gone and is not made up: the quote says what
    /// was promised.
    pub(super) fn draw(self) -> Result<(Quote, Order, OrderEvent), IdError> {
        let Self { terms, sides, place, now, .. } = self;
        let at = self.created_at();
        let valid_before = moment(terms.open_deadline.saturating_sub(self.open_slack)).unwrap_or(at);
        let (method, jump) = match self.opened_by {
            OpenedBy::Call => (DepositMethod::ContractCall, None),
            OpenedBy::Permit => (DepositMethod::Permit2, None),
            OpenedBy::Transfer => (DepositMethod::Transfer, None),
            OpenedBy::Jump(jump) => (DepositMethod::Transfer, Some(jump)),
        };
        let names = self.names;
        let route = route(terms, sides, method, valid_before, &names)?;
        let order = Order {
            id: names.order,
            key: names.key,
            quote: names.quote.clone(),
            route: route.id.clone(),
            status: OrderStatus::Created,
            trade_type: TradeType::ExactInput,
            from: sides.from,
            to: sides.to,
            src_amount: route.amount_in,
            dest_amount: route.min_amount_out,
            author: sides.user,
            recipient: sides.recipient,
            refund_to: sides.refund_to,
            filler: names.filler,
            kind: names.kind,
            method,
            terms: *terms,
            intent: terms.id(),
            deposit_address: self.deposit_address,
            jump,
            valid_before,
            // What it was worth is not known; waiting for the stronger word is never wrong.
            care: Care::Large,
            announced: true,
            told_tx: None,
            built: None,
            handed: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: Some(now),
            created_at: at,
            updated_at: at,
            version: 0,
        };
        let event = OrderEvent {
            key: names.event,
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: format!("Recovered from the chain, where it was opened in {}.", place.tx),
            at,
        };
        let (id, key) = (names.quote, order.key);
        let quote =
            Quote { id, key, ask: ask(terms, sides), integrator: None, created_at: at, routes: vec![route] };
        Ok((quote, order, event))
    }

    /// The first moment at which the chain knew of it; a chain whose clock is ahead tells no future.
    pub(super) fn created_at(&self) -> Timestamp {
        moment(self.place.time).unwrap_or(self.now).min(self.now)
    }
}

fn ask(terms: &Terms, sides: &Sides) -> Ask {
    Ask {
        trade_type: TradeType::ExactInput,
        from: sides.from,
        to: sides.to,
        amount: RawAmount::new(terms.amount_in),
        from_address: sides.user,
        recipient: sides.recipient,
        refund_to: sides.refund_to,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: referral(terms, sides.referrer),
    }
}

fn route(
    terms: &Terms,
    sides: &Sides,
    method: DepositMethod,
    valid_before: Timestamp,
    names: &Names,
) -> Result<Route, IdError> {
    let fee = RawAmount::new(terms.referrer_fee);
    let fee = (!fee.is_zero()).then_some(Fee { kind: FeeKind::Referrer, token: sides.from, amount: fee });
    Ok(Route {
        id: RECOVERED.parse()?,
        filler: names.filler.clone(),
        kind: names.kind.clone(),
        exact_out: None,
        deposit_methods: vec![method],
        amount_in: RawAmount::new(terms.amount_in),
        amount_out: RawAmount::new(terms.amount_out),
        min_amount_out: RawAmount::new(terms.amount_out),
        expected_duration_seconds: 0,
        valid_before,
        price_holds_until: None,
        estimated_gas: None,
        fees: fee.into_iter().collect(),
        parties: Some(Parties { filler: sides.filler, payee: sides.payee }),
    })
}

/// The smallest share that comes to the fee of the terms; of little amounts several shares make the same fee.
fn referral(terms: &Terms, referrer: Address) -> Option<Referral> {
    let (fee, amount) = (terms.referrer_fee, RawAmount::new(terms.amount_in));
    if fee.is_zero() {
        return None;
    }
    let share = fee.checked_mul(U256::from(10_000))?.checked_div(terms.amount_in)?;
    let share = u16::try_from(share).ok()?;
    [share, share.saturating_add(1)]
        .into_iter()
        .filter_map(|bps| Referral::new(referrer, bps))
        .find(|referral| referral.fee(amount).get() == fee)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms() -> Terms {
        Terms::from_bytes(&[B256::with_last_byte(1); Terms::WORDS].concat()).unwrap()
    }

    #[test]
    fn an_evm_side_with_more_than_twenty_bytes_is_none_of_ours() {
        assert!(Sides::of(&terms()).is_some());
        assert_eq!(Sides::of(&Terms { recipient: B256::repeat_byte(1), ..terms() }), None);
        let solana = causeway_domain::SOLANA_CHAIN_ID.get();
        let to_solana = Terms { recipient: B256::repeat_byte(1), destination_chain_id: solana, ..terms() };
        assert_eq!(Sides::of(&to_solana).map(|sides| sides.recipient), Some(Address::Solana([1; 32])));
        assert_eq!(Sides::of(&Terms { origin_chain_id: 0, ..terms() }), None, "there is no chain 0");
    }

    proptest! {
        #[test]
        fn a_referral_that_is_found_makes_the_very_fee(amount in 1u64.., bps in 1u16..=1_000) {
            let referrer = Address::Evm(EvmAddress::repeat_byte(7));
            let amount_in = U256::from(amount);
            let fee = Referral::new(referrer, bps).unwrap().fee(RawAmount::new(amount_in)).get();
            let terms = Terms { amount_in, referrer_fee: fee, ..terms() };
            match referral(&terms, referrer) {
                Some(found) => prop_assert_eq!(found.fee(RawAmount::new(amount_in)).get(), fee),
                None => prop_assert!(fee.is_zero(), "{amount} {bps}"),
            }
        }
    }
}
