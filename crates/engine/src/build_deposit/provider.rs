use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::{
    Creation, FillerError, LiquidityProvider, MAX_CALL_DATA, ProviderAsk, ProviderPayment,
    ProviderPaymentError, ProviderTransaction, pack_call,
};
use causeway_domain::{
    DepositMethod, EventKind, Evidence, IntentTerms, Order, OrderEvent, OrderId, OrderStatus, ProviderOrder,
    ProviderTerms, RouteTerms, TokenId,
};
use jiff::{SignedDuration, Timestamp};

use super::display_names::DisplayNames;
use super::timing::moment;
use super::{BuildDeposit, BuildError, BuildRequest, Built, BuiltDeposit, check_awaiting_deposit, summary};

/// Until when a deposit can be built again after the price has expired.
const REBUILD: SignedDuration = SignedDuration::from_mins(10);

/// How long a deposit is waited for: it is the provider's to take, and our order only follows it.
const AWAIT: SignedDuration = SignedDuration::from_hours(24);

/// How many other tokens of the payer are compared before and after the call.
const MAX_GUARDED: usize = 24;

impl BuildDeposit {
    /// Builds a route that a provider settles: its own transaction, from its pinned contracts, with the effects that the route
    /// says. Our escrow has no part in it.
    pub(super) async fn build_provider(
        &self,
        request: BuildRequest,
        route: RouteTerms,
        terms: ProviderTerms,
        now: Timestamp,
    ) -> Result<Built, BuildError> {
        let names = DisplayNames(self.parts.catalog.snapshot());
        check_request(&request, &route)?;
        let orders = self.parts.orders.as_ref();
        let earlier = orders.order_of_route(&request.quote, &request.route).await?;
        let until = earlier.as_ref().and_then(|order| moment(order.terms.open_deadline));
        if now > until.unwrap_or(route.valid_before) {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        self.screen_wallets(&route, route.recipient, route.refund_to).await?;
        if let Some(order) = &earlier {
            check_awaiting_deposit(order)?;
        } else {
            self.check_pauses(&route)?;
            self.unpaid.check(orders, route.from_address, request.client, now).await?;
        }
        let (transaction, deposit) = self.provider_deposit(&route, &terms, &names).await?;
        let packed = pack_call(&transaction);
        if let Some(order) = earlier {
            let order = self.record_transaction(order, &packed).await?;
            let summary = summary::provider_summary(&order, &deposit, &names);
            return Ok(Built { order, deposit, summary });
        }
        let mut order = self.provider_order(&request, &route, terms, &transaction, &names, now)?;
        order.record_unsigned_tx(&packed);
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: format!("Built as a transaction of {}, which settles it.", route.filler),
            at: now,
        };
        let order = match orders.create_order(&order, &event).await? {
            Creation::Created => {
                self.unpaid.add(&order, request.client, now);
                order
            }
            // A concurrent build of the same route was stored first.
            Creation::Existing(earlier) => self.record_transaction(*earlier, &packed).await?,
        };
        let summary = summary::provider_summary(&order, &deposit, &names);
        Ok(Built { order, deposit, summary })
    }

    /// The provider's transaction, checked, and the steps of the payer's wallet.
    async fn provider_deposit(
        &self,
        route: &RouteTerms,
        terms: &ProviderTerms,
        names: &DisplayNames,
    ) -> Result<(ProviderTransaction, BuiltDeposit), BuildError> {
        let others = || BuildError::OthersContracts { filler: route.filler.clone() };
        let provider = self.liquidity.provider(&route.filler).ok_or_else(others)?;
        let chain = route.from.chain();
        let payments = self.liquidity.payments(chain).ok_or(BuildError::ChainNotServed(chain))?;
        let transaction = match provider.transaction(&ProviderAsk::new(route, terms)).await {
            Ok(transaction) => transaction,
            Err(FillerError::Unavailable(reason)) => {
                return Err(BuildError::ProviderUnavailable { filler: route.filler.clone(), reason });
            }
            Err(FillerError::Nonsense(fault)) => return Err(self.provider_fault(route, fault)),
        };
        if let Some(fault) = unpinned(provider.as_ref(), route, &transaction) {
            return Err(self.provider_fault(route, fault));
        }
        if transaction.min_amount_out < route.min_amount_out {
            return Err(BuildError::OutputFell {
                promised: names.amount(route.min_amount_out, &route.to),
                now: names.amount(transaction.min_amount_out, &route.to),
            });
        }
        let payment = ProviderPayment {
            payer: route.from_address,
            token: route.from,
            amount: route.amount_in,
            transaction: transaction.clone(),
            output: (route.to.chain() == chain && !route.to.is_native()).then_some((
                route.to,
                route.recipient,
                route.min_amount_out,
            )),
            guarded: guarded(route, names),
        };
        match payments.actions(&payment).await {
            Ok(actions) => Ok((transaction, BuiltDeposit::Provider(actions))),
            Err(ProviderPaymentError::Effects(fault)) => Err(self.provider_fault(route, fault)),
            Err(ProviderPaymentError::Deposit(error)) => {
                Err(super::deposit_error(error, route.from, names, None))
            }
        }
    }

    /// A lying provider is named and rested, and nothing is handed to the payer.
    fn provider_fault(&self, route: &RouteTerms, fault: String) -> BuildError {
        self.liquidity.rest(&route.filler, &fault);
        BuildError::ProviderFault { filler: route.filler.clone(), fault }
    }

    fn provider_order(
        &self,
        request: &BuildRequest,
        route: &RouteTerms,
        terms: ProviderTerms,
        transaction: &ProviderTransaction,
        names: &DisplayNames,
        now: Timestamp,
    ) -> Result<Order, BuildError> {
        let seconds = |after: SignedDuration| {
            let at = route.valid_before.checked_add(after).ok()?;
            u64::try_from(at.as_second()).ok()
        };
        let (open, last) = seconds(REBUILD).zip(seconds(AWAIT)).ok_or(BuildError::Times)?;
        let id = OrderId::random()?;
        let frozen = placeholder_terms(route, &id, open, last);
        let notice = self.liquidity.provider(&route.filler).map(|provider| provider.notice().clone());
        let notice = notice.ok_or_else(|| BuildError::OthersContracts { filler: route.filler.clone() })?;
        let provider = ProviderOrder {
            terms,
            notice,
            target: transaction.target,
            spender: transaction.spender,
            word: None,
        };
        Ok(Order {
            id,
            key: self.parts.row_keys.next(now),
            quote: route.quote.clone(),
            route: request.route.clone(),
            status: OrderStatus::Created,
            trade_type: route.trade_type,
            from: route.from,
            to: route.to,
            src_amount: route.amount_in,
            dest_amount: route.min_amount_out,
            author: route.from_address,
            recipient: route.recipient,
            refund_to: route.refund_to,
            filler: route.filler.clone(),
            kind: route.kind.clone(),
            filler_quote: route.filler_quote.clone(),
            integrator: route.integrator.clone(),
            method: DepositMethod::ContractCall,
            intent_id: frozen.id(),
            terms: frozen,
            deposit_address: None,
            forwarding: None,
            provider: Some(Box::new(provider)),
            valid_before: route.valid_before,
            finality_tier: self.tier(route, names),
            announced: false,
            submitted_tx: None,
            built: None,
            signed_payload: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: moment(last.saturating_add(1)),
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }
}

/// The well-known tokens of the source chain, which the payer may have given allowances for before.
fn guarded(route: &RouteTerms, names: &DisplayNames) -> Vec<TokenId> {
    let listed = names.0.top(&[route.from.chain()]);
    let tokens = listed.into_iter().map(|listed| listed.token.id);
    let others = tokens.filter(|token| *token != route.from && *token != route.to && !token.is_native());
    others.take(MAX_GUARDED).collect()
}

/// The terms of an order that no escrow knows: no escrow and no settler are named, so no contract of ours takes them.
fn placeholder_terms(route: &RouteTerms, id: &OrderId, open: u64, last: u64) -> IntentTerms {
    IntentTerms {
        origin_chain_id: route.from.chain().get(),
        escrow: B256::ZERO,
        user: route.from_address.to_word(),
        nonce: keccak256(id.as_str()),
        input_token: route.from.address().to_word(),
        amount_in: route.amount_in.get(),
        refund_to: route.refund_to.to_word(),
        filler: B256::ZERO,
        payee: B256::ZERO,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: route.to.chain().get(),
        settler: B256::ZERO,
        output_token: route.to.address().to_word(),
        amount_out: route.min_amount_out.get(),
        recipient: route.recipient.to_word(),
        open_deadline: open,
        fill_deadline: last,
        refund_at: last,
        epoch: 0,
    }
}

/// The provider quoted these addresses, so a build cannot change them.
fn check_request(request: &BuildRequest, route: &RouteTerms) -> Result<(), BuildError> {
    if request.from != route.from_address {
        return Err(BuildError::UnexpectedFrom { expected: route.from_address, given: request.from });
    }
    let expected =
        |address| format!("expected {address}, for which the provider has quoted; ask for a new quote");
    if request.recipient.is_some_and(|given| given != route.recipient) {
        return Err(BuildError::Field { field: "recipient", expected: expected(route.recipient) });
    }
    if request.refund_to.is_some_and(|given| given != route.refund_to) {
        return Err(BuildError::Field { field: "refundTo", expected: expected(route.refund_to) });
    }
    match request.method {
        None | Some(DepositMethod::ContractCall) => Ok(()),
        Some(asked) => {
            Err(BuildError::MethodNotOffered { asked, offered: vec![DepositMethod::ContractCall] })
        }
    }
}

/// What is wrong with the contracts, the value or the size of a transaction.
fn unpinned(
    provider: &dyn LiquidityProvider,
    route: &RouteTerms,
    transaction: &ProviderTransaction,
) -> Option<String> {
    let chain = route.from.chain();
    let is_unknown = |contract| !provider.is_pinned(chain, contract);
    if is_unknown(transaction.target) {
        return Some(format!("its transaction goes to {}, which is not pinned", transaction.target));
    }
    if let Some(spender) = transaction.spender.filter(|spender| is_unknown(*spender)) {
        return Some(format!("its transaction wants an allowance for {spender}, which is not pinned"));
    }
    let native = route.from.is_native();
    if native != transaction.spender.is_none() {
        return Some("its transaction wants an allowance of a coin, or none of a token".to_owned());
    }
    let value = if native { route.amount_in.get() } else { U256::ZERO };
    if transaction.value != value {
        return Some(format!("its transaction spends {} wei, and the route says {value}", transaction.value));
    }
    (transaction.data.len() > MAX_CALL_DATA).then(|| "its transaction is too long".to_owned())
}
