use alloy_primitives::B256;
use causeway_domain::ports::FinalityTier;
use causeway_domain::{
    DepositMethod, DepositWindow, Evidence, IntentTerms, Order, OrderId, OrderStatus, RawAmount, RouteId,
    RouteTerms, UsdAmount,
};
use jiff::{SignedDuration, Timestamp};

use super::display_names::DisplayNames;
use super::params::{BuildParams, ChainBuilders};
use super::timing::moment;
use super::{BuildDeposit, BuildError};

/// The largest deposit for the standard finality tier, in cents.
const MAX_STANDARD_CENTS: u64 = 1_000 * 100;

/// The time that the payer asked for. An address, which strangers could make us watch for hours, is watched as long as usual.
pub(super) fn deposit_window(route: &RouteTerms, method: DepositMethod) -> Option<DepositWindow> {
    route.deposit_window.filter(|_| method != DepositMethod::Transfer)
}

impl BuildDeposit {
    /// Creates an order with sealed terms; it is not stored yet.
    pub(super) async fn create_order(
        &self,
        id: &RouteId,
        route: &RouteTerms,
        params: &BuildParams,
        builders: ChainBuilders<'_>,
        names: &DisplayNames,
        now: Timestamp,
    ) -> Result<Order, BuildError> {
        let terms = self.terms(route, params, builders).await?;
        let intent = terms.id();
        let is_transfer = params.method == DepositMethod::Transfer;
        let deposit_address = match params.forwarding {
            Some((_, address)) => Some(address),
            None => builders.origin.address_for(intent).filter(|_| is_transfer),
        };
        if is_transfer && deposit_address.is_none() {
            return Err(params.not_offered());
        }
        let opened_until = moment(terms.open_deadline).ok_or(BuildError::Times)?;
        Ok(Order {
            // Derived from the terms, so that recovery finds the same id.
            id: self.parts.quote_keys.order_id(&terms).map_or_else(OrderId::random, Ok)?,
            key: self.parts.row_keys.next(now),
            quote: route.quote.clone(),
            route: id.clone(),
            status: OrderStatus::Created,
            trade_type: route.trade_type,
            from: route.from,
            to: route.to,
            src_amount: route.amount_in,
            dest_amount: route.min_amount_out,
            author: route.from_address,
            recipient: params.recipient,
            refund_to: params.refund_to,
            filler: route.filler.clone(),
            kind: route.kind.clone(),
            filler_quote: route.filler_quote.clone(),
            integrator: route.integrator.clone(),
            method: params.method,
            terms,
            intent_id: intent,
            deposit_address,
            forwarding: params.forwarding.map(|(forwarding, _)| Box::new(forwarding)),
            provider: None,
            valid_before: route.valid_before,
            finality_tier: self.tier(route, names),
            // A transfer arrives without being submitted; other builds are hidden until a deposit is.
            announced: is_transfer,
            submitted_tx: None,
            built: None,
            signed_payload: None,
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
        route: &RouteTerms,
        params: &BuildParams,
        builders: ChainBuilders<'_>,
    ) -> Result<IntentTerms, BuildError> {
        let ChainBuilders { origin, destination } = builders;
        let window = deposit_window(route, params.method);
        let times = self
            .parts
            .timing
            .deadlines(route.from.chain(), route.valid_before, origin.min_grace(), window)
            .ok_or(BuildError::Times)?;
        let fee = route.referral.map_or(RawAmount::ZERO, |referral| referral.fee(route.amount_in));
        let referrer = route.referral.filter(|_| !fee.is_zero());
        let terms = IntentTerms {
            origin_chain_id: route.from.chain().get(),
            escrow: origin.escrow(),
            user: route.from_address.to_word(),
            nonce: B256::ZERO,
            input_token: route.from.address().to_word(),
            amount_in: route.amount_in.get(),
            refund_to: params.refund_to.to_word(),
            filler: params.parties.filler.to_word(),
            payee: params.parties.payee.to_word(),
            referrer: referrer.map_or(B256::ZERO, |referral| referral.referrer.to_word()),
            referrer_fee: fee.get(),
            destination_chain_id: route.to.chain().get(),
            settler: destination.settler(),
            output_token: route.to.address().to_word(),
            amount_out: route.min_amount_out.get(),
            recipient: params.recipient.to_word(),
            open_deadline: times.open,
            fill_deadline: times.fill,
            refund_at: times.refund,
            epoch: origin.epoch().await?,
        };
        Ok(self.parts.quote_keys.current.seal(terms)?)
    }

    /// Deposits of unknown value are treated as large.
    pub(super) fn tier(&self, route: &RouteTerms, names: &DisplayNames) -> FinalityTier {
        let token = route.from;
        let price = self.parts.prices.usd_price(&token);
        let value = price
            .zip(names.decimals(&token))
            .and_then(|(price, decimals)| price.value(route.amount_in, decimals));
        let usual = UsdAmount::from_cents(RawAmount::new(alloy_primitives::U256::from(MAX_STANDARD_CENTS)));
        if value.is_some_and(|value| value <= usual) { FinalityTier::Standard } else { FinalityTier::Large }
    }
}
