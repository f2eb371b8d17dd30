use alloy_primitives::B256;
use causeway_domain::ports::Care;
use causeway_domain::{
    DepositMethod, Evidence, Order, OrderId, OrderStatus, Quote, RawAmount, Route, Terms, UsdAmount,
};
use jiff::{SignedDuration, Timestamp};

use super::names::Names;
use super::timing::moment;
use super::wish::{Sides, Wish};
use super::{BuildDeposit, BuildError};

/// Deposits worth up to so many cents need the usual depth only.
const USUAL_CENTS: u64 = 1_000 * 100;

impl BuildDeposit {
    /// A new order with every term that the chains will hash, sealed as ours.
    pub(super) async fn draw_up(
        &self,
        quote: &Quote,
        route: &Route,
        wish: &Wish,
        sides: Sides<'_>,
        names: &Names,
        now: Timestamp,
    ) -> Result<Order, BuildError> {
        let terms = self.terms(quote, route, wish, sides).await?;
        let intent = terms.id();
        let is_transfer = wish.method == DepositMethod::Transfer;
        let deposit_address = match wish.jump {
            Some((_, address)) => Some(address),
            None => sides.origin.address_for(intent).filter(|_| is_transfer),
        };
        if is_transfer && deposit_address.is_none() {
            return Err(wish.not_offered());
        }
        let opened_until = moment(terms.open_deadline).ok_or(BuildError::Times)?;
        let ask = &quote.ask;
        Ok(Order {
            // Found again from the chain alone, should all else be lost.
            id: self.parts.quote_keys.name(&terms).map_or_else(OrderId::random, Ok)?,
            key: self.parts.row_keys.next(now),
            quote: quote.id.clone(),
            route: route.id.clone(),
            status: OrderStatus::Created,
            trade_type: ask.trade_type,
            from: ask.from,
            to: ask.to,
            src_amount: route.amount_in,
            dest_amount: route.min_amount_out,
            author: ask.from_address,
            recipient: wish.recipient,
            refund_to: wish.refund_to,
            filler: route.filler.clone(),
            kind: route.kind.clone(),
            method: wish.method,
            terms,
            intent,
            deposit_address,
            jump: wish.jump.map(|(jump, _)| Box::new(jump)),
            valid_before: route.valid_before,
            care: self.care(quote, route, names),
            // A transfer comes without a word from anybody; what else was built may never be heard of again.
            announced: is_transfer,
            told_tx: None,
            built: None,
            handed: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: opened_until.checked_add(SignedDuration::from_secs(1)).ok(),
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }

    async fn terms(
        &self,
        quote: &Quote,
        route: &Route,
        wish: &Wish,
        sides: Sides<'_>,
    ) -> Result<Terms, BuildError> {
        let Sides { origin, destination } = sides;
        let ask = &quote.ask;
        let times = self
            .parts
            .timing
            .deadlines(ask.from.chain(), route.valid_before, origin.min_grace())
            .ok_or(BuildError::Times)?;
        let fee = ask.referral.map_or(RawAmount::ZERO, |referral| referral.fee(route.amount_in));
        let referrer = ask.referral.filter(|_| !fee.is_zero());
        let terms = Terms {
            origin_chain_id: ask.from.chain().get(),
            escrow: origin.escrow(),
            user: ask.from_address.to_word(),
            nonce: B256::ZERO,
            input_token: ask.from.address().to_word(),
            amount_in: route.amount_in.get(),
            refund_to: wish.refund_to.to_word(),
            filler: wish.parties.filler.to_word(),
            payee: wish.parties.payee.to_word(),
            referrer: referrer.map_or(B256::ZERO, |referral| referral.referrer.to_word()),
            referrer_fee: fee.get(),
            destination_chain_id: ask.to.chain().get(),
            settler: destination.settler(),
            output_token: ask.to.address().to_word(),
            amount_out: route.min_amount_out.get(),
            recipient: wish.recipient.to_word(),
            open_deadline: times.open,
            fill_deadline: times.fill,
            refund_at: times.refund,
            epoch: origin.epoch().await?,
        };
        Ok(self.parts.quote_keys.current.seal(terms)?)
    }

    /// What cannot be valued is treated as large.
    fn care(&self, quote: &Quote, route: &Route, names: &Names) -> Care {
        let token = quote.ask.from;
        let price = self.parts.prices.usd_price(&token);
        let value = price
            .zip(names.decimals(&token))
            .and_then(|(price, decimals)| price.value(route.amount_in, decimals));
        let usual = UsdAmount::from_cents(RawAmount::new(alloy_primitives::U256::from(USUAL_CENTS)));
        if value.is_some_and(|value| value <= usual) { Care::Usual } else { Care::Large }
    }
}
