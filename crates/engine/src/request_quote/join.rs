use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use alloy_primitives::U256;
use causeway_catalog::Catalog;
use causeway_domain::ports::{ForwardingSigner, Offer, WalletCheck};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Family, JoinedTerms, ProviderOffer, RawAmount, Route, Slippage,
    TokenId, TradeType,
};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{QuoteRequest, RequestQuote};
use crate::build_deposit::{DisplayNames, joined_notice};
use crate::fiat::Hubs;
use crate::forwarding::can_forward;
use crate::liquidity::Liquidity;

/// One, in millionths.
const WHOLE: u64 = 1_000_000;

/// What [`JoinRoutes`] works with.
pub struct JoinParts {
    pub catalog: Arc<Catalog>,
    /// Asks for the two legs; it joins nothing itself.
    pub request_quote: RequestQuote,
    pub liquidity: Liquidity,
    /// The stablecoins that two legs may meet in.
    pub hubs: Hubs,
    /// By the chains on which a second leg can start.
    pub forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    pub wallets: HashMap<ChainId, Arc<dyn WalletCheck>>,
}

impl fmt::Debug for JoinParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinParts").field("hubs", &self.hubs).finish_non_exhaustive()
    }
}

/// Joins two routes through a stablecoin where nobody offers one: a provider delivers the stablecoin, and a filler of ours swaps
/// it to the wanted token.
#[derive(Debug)]
pub struct JoinRoutes {
    parts: JoinParts,
}

/// A joined offer, under the name and kind of the provider of its first leg.
pub(super) struct Joined {
    pub(super) filler: String,
    pub(super) kind: String,
    pub(super) offer: Offer,
}

impl JoinRoutes {
    pub fn new(parts: JoinParts) -> Self {
        Self { parts }
    }

    /// The best joined offer; `None` where a leg has none, or where nobody is known to whom the stablecoin could go. Boxed,
    /// because it asks for quotes itself.
    pub(super) fn join<'a>(&'a self, ask: &'a Ask) -> BoxFuture<'a, Option<Joined>> {
        async move {
            let hub = self.hub(ask)?;
            let refund_to = self.refund_to(ask, hub.chain()).await?;
            let first = self.first_leg(ask, hub, refund_to).await?;
            let second = self.second_leg(ask, hub, refund_to, first.min_amount_out).await?;
            self.offer(ask, first, second, (hub, refund_to))
        }
        .boxed()
    }

    /// The stablecoin for the wanted token, where a forwarding address can hold it.
    fn hub(&self, ask: &Ask) -> Option<TokenId> {
        let hub = self.parts.hubs.for_chain(ask.to.chain())?;
        let is_usable = self.parts.liquidity.has_providers()
            && self.parts.forwarding_signers.contains_key(&hub.chain())
            // No provider delivers to Solana.
            && hub.chain().family() == Family::Evm
            && ask.trade_type == TradeType::ExactInput
            && ask.referral.is_none()
            && hub != ask.from
            && hub != ask.to;
        is_usable.then_some(hub)
    }

    /// Who gets the stablecoin if the second leg fails: the refund address or the recipient, if it is a plain wallet on the
    /// stablecoin's chain and on its own. A contract's address may belong to somebody else there.
    async fn refund_to(&self, ask: &Ask, hub: ChainId) -> Option<Address> {
        for (address, own) in [(ask.refund_to, ask.from.chain()), (ask.recipient, ask.to.chain())] {
            if self.is_wallet(address, hub).await && self.is_wallet(address, own).await {
                return Some(address);
            }
        }
        None
    }

    async fn is_wallet(&self, address: Address, chain: ChainId) -> bool {
        let wallets = self.parts.wallets.get(&chain).filter(|_| address.family() == chain.family());
        match wallets {
            Some(wallets) => wallets.is_wallet(address).await.unwrap_or(false),
            None => false,
        }
    }

    /// The provider's route to the stablecoin that delivers most. The forwarding address follows from the whole route, so the
    /// price is asked for the refund address; the build asks for the forwarding address.
    async fn first_leg(&self, ask: &Ask, hub: TokenId, refund_to: Address) -> Option<Route> {
        let leg = Ask { to: hub, recipient: refund_to, ..ask.clone() };
        let routes = self.routes(leg).await;
        let joins = |route: &Route| {
            let provider = self.parts.liquidity.provider(&route.filler);
            // Where the payer's own transaction is the whole swap, it may pay nobody but the payer.
            route.provider.is_some()
                && !route.min_amount_out.is_zero()
                && provider.is_some_and(|provider| !provider.delivers_at_once())
        };
        routes.into_iter().filter(joins).min_by_key(|route| Reverse(route.min_amount_out))
    }

    /// The filler's route for the least that the first leg delivers.
    async fn second_leg(
        &self,
        ask: &Ask,
        hub: TokenId,
        refund_to: Address,
        amount: RawAmount,
    ) -> Option<Route> {
        let leg = Ask {
            from: hub,
            amount,
            from_address: refund_to,
            refund_to,
            deposit_methods: vec![DepositMethod::Transfer],
            deposit_window: None,
            ..ask.clone()
        };
        self.routes(leg).await.into_iter().find(|route| can_forward(route) && route.amount_in == amount)
    }

    async fn routes(&self, ask: Ask) -> Vec<Route> {
        let asked = self.parts.request_quote.ask(QuoteRequest { ask, integrator: None });
        let gathered = match asked {
            Ok(routes) => routes.gather().await,
            Err(error) => Err(error),
        };
        match gathered {
            Ok(quote) => quote.routes,
            Err(error) => {
                tracing::debug!(%error, "a leg of a joined route has no offer");
                Vec::new()
            }
        }
    }

    fn offer(
        &self,
        ask: &Ask,
        first: Route,
        second: Route,
        (hub, refund_to): (TokenId, Address),
    ) -> Option<Joined> {
        let least = less_slippage(second.min_amount_out, ask.tolerance())?;
        let provider = first.provider?;
        let terms = JoinedTerms { hub, hub_amount: first.min_amount_out, filler: second.filler, refund_to };
        let names = DisplayNames(self.parts.catalog.snapshot());
        let notice = joined_notice(&provider.notice, &terms, &names);
        let offer = Offer {
            exact_out: None,
            deposit_methods: first.deposit_methods,
            amount_in: first.amount_in,
            amount_out: second.amount_out,
            min_amount_out: least,
            expected_duration_seconds: first
                .expected_duration_seconds
                .saturating_add(second.expected_duration_seconds),
            valid_before: first.valid_before.min(second.valid_before),
            price_holds_until: None,
            estimated_gas: first.estimated_gas,
            fees: first.fees.into_iter().chain(second.fees).collect(),
            parties: None,
            filler_quote: first.filler_quote,
            gas_charge: None,
            provider: Some(ProviderOffer { terms: provider.terms, notice, joined: Some(terms) }),
        };
        Some(Joined { filler: first.filler, kind: first.kind, offer })
    }
}

/// The least output of the second leg: its price may move until the stablecoin arrives. Rounded down, which is what the payer
/// agrees to; nothing is no output.
fn less_slippage(amount: RawAmount, slippage: Slippage) -> Option<RawAmount> {
    let kept = WHOLE.checked_sub(slippage.millionths().into())?;
    amount.mul_div_floor(U256::from(kept), U256::from(WHOLE)).filter(|least| !least.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_output_of_a_second_leg_is_rounded_down_and_is_some() {
        let less = |amount: u64, millionths| {
            let slippage = Slippage::from_millionths(millionths).unwrap();
            less_slippage(RawAmount::new(U256::from(amount)), slippage).map(RawAmount::get)
        };
        assert_eq!(less(1_000_001, 5_000), Some(U256::from(995_000)));
        assert_eq!(less(7, 0), Some(U256::from(7)));
        assert_eq!((less(1, 1), less(0, 0)), (None, None));
    }
}
