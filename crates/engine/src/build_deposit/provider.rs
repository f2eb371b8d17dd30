use std::sync::Arc;

use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::{
    Creation, FillerError, LiquidityProvider, MAX_CALL_DATA, ProviderAddress, ProviderAsk, ProviderDeposit,
    ProviderPayment, ProviderPaymentError, ProviderTransaction, pack_call,
};
use causeway_domain::{
    Address, DepositMethod, EventKind, Evidence, Family, IntentTerms, JoinedOrder, Order, OrderEvent,
    OrderId, OrderStatus, ProviderOrder, ProviderTerms, RouteTerms, TokenId, Warning,
};
use jiff::{SignedDuration, Timestamp};

use super::timing::moment;
use super::{
    BuildDeposit, BuildError, BuildRequest, Built, BuiltDeposit, DisplayNames, check_awaiting_deposit,
    joined_notice, summary,
};

/// Until when a deposit can be built again after the price has expired.
const REBUILD: SignedDuration = SignedDuration::from_mins(10);

/// How long a deposit is waited for: it is the provider's to take, and our order only follows it.
const AWAIT: SignedDuration = SignedDuration::from_hours(24);

/// The shortest time that a payer is given for a transfer.
const LEAST_TIME: SignedDuration = SignedDuration::from_mins(2);

/// How soon a transfer is looked for after its build.
const FIRST_LOOK: SignedDuration = SignedDuration::from_secs(3);

/// How many other tokens of the payer are compared before and after the call.
const MAX_GUARDED: usize = 24;

/// A provider's deposit that was checked.
struct Offered {
    target: Address,
    spender: Option<Address>,
    /// The call in the form in which orders keep it; none for a transfer.
    packed: Option<Vec<u8>>,
    /// Until when a transfer may arrive, in Unix seconds.
    pays_until: Option<u64>,
    deposit: BuiltDeposit,
}

impl BuildDeposit {
    /// Builds a route that a provider settles: its own transaction, from its pinned contracts, with the effects that the route
    /// says; or a transfer to an address of the provider. Our escrow has no part in it.
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
        let warnings = self.warnings_of(&route, route.recipient, route.refund_to);
        if let Some(order) = earlier.as_ref().filter(|order| order.method == DepositMethod::Transfer) {
            // An order has one address, however often it is built.
            return Ok(transfer_built(order.clone(), &names, warnings.await));
        }
        let joined = self.second_leg(&route, &request.route, earlier.as_ref())?;
        // What the provider settles: of a joined route the first leg.
        let leg = match &joined {
            Some(joined) => route.first_leg(&joined.terms, joined.plan.address),
            None => route.clone(),
        };
        let (offered, warnings) = tokio::join!(self.provider_deposit(&leg, &terms, &names, now), warnings);
        let offered = offered?;
        if let Some(order) = earlier {
            check_same_target(&order, &offered)?;
            let order = match &offered.packed {
                Some(packed) => self.record_transaction(order, packed).await?,
                None => order,
            };
            let summary = summary::provider_summary(&order, &offered.deposit, &names);
            return Ok(Built { order, deposit: offered.deposit, summary, warnings });
        }
        let mut order = self.provider_order(&request, &route, (terms, joined), &offered, &names, now)?;
        if let Some(packed) = &offered.packed {
            order.record_unsigned_tx(packed);
        }
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: match order.method {
                DepositMethod::Transfer => {
                    format!("Built as a transfer to {}'s address, which settles it.", route.filler)
                }
                _ => format!("Built as a transaction of {}, which settles it.", route.filler),
            },
            at: now,
        };
        let order = match orders.create_order(&order, &event).await? {
            Creation::Created => {
                self.unpaid.add(&order, request.client, now);
                order
            }
            // A concurrent build of the same route was stored first.
            Creation::Existing(earlier) => match &offered.packed {
                Some(packed) => {
                    check_same_target(&earlier, &offered)?;
                    check_same_leg(&earlier, &order)?;
                    self.record_transaction(*earlier, packed).await?
                }
                None => *earlier,
            },
        };
        let summary = summary::provider_summary(&order, &offered.deposit, &names);
        Ok(Built { order, deposit: offered.deposit, summary, warnings })
    }

    /// The provider's deposit, checked.
    async fn provider_deposit(
        &self,
        route: &RouteTerms,
        terms: &ProviderTerms,
        names: &DisplayNames,
        now: Timestamp,
    ) -> Result<Offered, BuildError> {
        let others = || BuildError::OthersContracts { filler: route.filler.clone() };
        let provider = self.liquidity.provider(&route.filler).ok_or_else(others)?;
        let given = match provider.deposit(&ProviderAsk::new(route, terms)).await {
            Ok(given) => given,
            Err(FillerError::Unavailable(reason)) => {
                return Err(BuildError::ProviderUnavailable { filler: route.filler.clone(), reason });
            }
            Err(FillerError::Nonsense(fault)) => return Err(self.provider_fault(route, fault)),
        };
        let least = given.min_amount_out();
        let fell = || BuildError::OutputFell {
            promised: names.amount(route.min_amount_out, &route.to),
            now: names.amount(least, &route.to),
        };
        match given {
            ProviderDeposit::Call(transaction) => {
                if let Some(fault) = unpinned(provider.as_ref(), route, &transaction) {
                    return Err(self.provider_fault(route, fault));
                }
                if least < route.min_amount_out {
                    return Err(fell());
                }
                self.provider_call(route, transaction, names).await
            }
            ProviderDeposit::Transfer(given) => {
                if let Some(fault) = unpayable(route, &given, now) {
                    return Err(self.provider_fault(route, fault));
                }
                if least < route.min_amount_out {
                    return Err(fell());
                }
                // The provider's word must not make us look for a payment for years.
                let latest = now.checked_add(AWAIT).ok().and_then(|at| u64::try_from(at.as_second()).ok());
                Ok(Offered {
                    target: given.address,
                    spender: None,
                    packed: None,
                    pays_until: Some(given.pays_until.min(latest.unwrap_or(0))),
                    deposit: BuiltDeposit::ProviderTransfer,
                })
            }
        }
    }

    /// The steps of the payer's wallet for a provider's transaction, simulated.
    async fn provider_call(
        &self,
        route: &RouteTerms,
        transaction: ProviderTransaction,
        names: &DisplayNames,
    ) -> Result<Offered, BuildError> {
        let chain = route.from.chain();
        let payments = self.liquidity.payments(chain).ok_or(BuildError::ChainNotServed(chain))?;
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
            Ok(actions) => Ok(Offered {
                target: transaction.target,
                spender: transaction.spender,
                packed: Some(pack_call(&transaction)),
                pays_until: None,
                deposit: BuiltDeposit::Provider(actions),
            }),
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
        (terms, joined): (ProviderTerms, Option<JoinedOrder>),
        offered: &Offered,
        names: &DisplayNames,
        now: Timestamp,
    ) -> Result<Order, BuildError> {
        // A transfer's price holds until its time is over, and a call's can be had again for a while.
        let valid_before = match offered.pays_until {
            Some(until) => moment(until).ok_or(BuildError::Times)?,
            None => route.valid_before,
        };
        let seconds = |after: SignedDuration| {
            let at = valid_before.checked_add(after).ok()?;
            u64::try_from(at.as_second()).ok()
        };
        let rebuild = if offered.pays_until.is_some() { SignedDuration::ZERO } else { REBUILD };
        let (open, last) = seconds(rebuild).zip(seconds(AWAIT)).ok_or(BuildError::Times)?;
        let is_transfer = offered.pays_until.is_some();
        let is_watched = is_transfer || joined.is_some();
        let first_look = now.checked_add(FIRST_LOOK).ok().filter(|_| is_watched);
        let id = OrderId::random()?;
        let frozen = placeholder_terms(route, &id, open, last);
        let notice = self.liquidity.provider(&route.filler).map(|provider| provider.notice().clone());
        let notice = notice.ok_or_else(|| BuildError::OthersContracts { filler: route.filler.clone() })?;
        let notice = match &joined {
            Some(joined) => Arc::unwrap_or_clone(joined_notice(&notice, &joined.terms, names)),
            None => notice,
        };
        let joined = joined.map(Box::new);
        let (target, spender) = (offered.target, offered.spender);
        let provider =
            ProviderOrder { terms, notice, target, spender, word: None, named_deposit: None, joined };
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
            method: if is_transfer { DepositMethod::Transfer } else { DepositMethod::ContractCall },
            intent_id: frozen.id(),
            terms: frozen,
            deposit_address: None,
            forwarding: None,
            provider: Some(Box::new(provider)),
            valid_before,
            finality_tier: self.tier(route, names),
            // A transfer needs no submission.
            announced: is_transfer,
            submitted_tx: None,
            built: None,
            signed_payload: None,
            decision: None,
            evidence: Evidence::default(),
            failure_reason: None,
            due_at: first_look.or_else(|| moment(last.saturating_add(1))),
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }
}

/// The order is paid where its first build said: payments to another contract would not be found.
fn check_same_target(order: &Order, offered: &Offered) -> Result<(), BuildError> {
    if order.provider.as_ref().is_some_and(|provider| provider.target == offered.target) {
        return Ok(());
    }
    Err(BuildError::AlreadyBuilt { order: order.id.clone(), differs: vec!["contract of the provider"] })
}

/// The provider is asked to pay the forwarding address that the stored order knows.
fn check_same_leg(stored: &Order, built: &Order) -> Result<(), BuildError> {
    let pays = |order: &Order| order.first_leg().recipient;
    if pays(stored) == pays(built) {
        return Ok(());
    }
    Err(BuildError::AlreadyBuilt {
        order: stored.id.clone(),
        differs: vec!["deposit address of its second leg"],
    })
}

/// A transfer that was built before, as it was.
fn transfer_built(order: Order, names: &DisplayNames, warnings: Vec<Warning>) -> Built {
    let deposit = BuiltDeposit::ProviderTransfer;
    let summary = summary::provider_summary(&order, &deposit, names);
    Built { order, deposit, summary, warnings }
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
        Some(asked) if !route.deposit_methods.contains(&asked) => {
            Err(BuildError::MethodNotOffered { asked, offered: route.deposit_methods.clone() })
        }
        _ => Ok(()),
    }
}

/// What is wrong with an address that the payer shall pay, whatever the provider's adapter has checked.
fn unpayable(route: &RouteTerms, given: &ProviderAddress, now: Timestamp) -> Option<String> {
    let address = given.address;
    if address.family() != route.from.chain().family() || address.is_native() {
        return Some(format!("its deposit address {address} is none of the source chain"));
    }
    let known = [
        ("the input token", route.from.address()),
        ("the payer", route.from_address),
        ("the recipient", route.recipient),
        ("the refund address", route.refund_to),
    ];
    if let Some((what, _)) = known.iter().find(|(_, known)| *known == address) {
        return Some(format!("its deposit address {address} is {what}"));
    }
    let least = now.checked_add(LEAST_TIME).map_or(i64::MAX, Timestamp::as_second);
    let is_short = i64::try_from(given.pays_until).is_ok_and(|until| until < least);
    is_short.then(|| "its deposit address takes payments for less than two minutes".to_owned())
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
    // On Solana the payer's signature allows all that the program does.
    let is_allowed_first = !native && chain.family() == Family::Evm;
    if is_allowed_first != transaction.spender.is_some() {
        return Some("its transaction wants an allowance of a coin, or none of a token".to_owned());
    }
    let value = if native { route.amount_in.get() } else { U256::ZERO };
    if transaction.value != value {
        return Some(format!("its transaction spends {} wei, and the route says {value}", transaction.value));
    }
    (transaction.data.len() > MAX_CALL_DATA).then(|| "its transaction is too long".to_owned())
}
