//! What payers should know before they pay: prices, fees, look-alike tokens, and addresses from which nothing comes back.
//! A quote never waits for a node for long: what is not known in time is told with the build.

mod accounts;
mod addresses;
mod amounts;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_catalog::{Catalog, Snapshot};
use causeway_domain::ports::{DepositBuilder, PriceFeed};
use causeway_domain::{Address, Ask, ChainId, Route, RouteTerms, Severity, TokenId, Warning, WarningCode};

pub(crate) use accounts::{AccountCheck, Elsewhere};

use accounts::{AccountReader, Patience};
use amounts::{Amounts, Costs};

use crate::market::{Market, PricedToken};

/// What [`Warnings`] works with.
pub struct WarningParts {
    pub catalog: Arc<Catalog>,
    pub prices: Arc<dyn PriceFeed>,
    /// Say what is at an address of their chain.
    pub deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    /// Our own contracts and programs, which nobody should pay to.
    pub contracts: Vec<Address>,
}

impl fmt::Debug for WarningParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarningParts").field("contracts", &self.contracts).finish_non_exhaustive()
    }
}

/// Finds the warnings of quotes and builds.
#[derive(Debug)]
pub struct Warnings {
    parts: WarningParts,
    accounts: AccountReader,
}

/// Who is paid on which chain.
#[derive(Clone, Copy, Debug)]
struct Payees {
    from: TokenId,
    to: TokenId,
    recipient: Address,
    refund_to: Address,
}

impl From<&Ask> for Payees {
    fn from(ask: &Ask) -> Self {
        Self { from: ask.from, to: ask.to, recipient: ask.recipient, refund_to: ask.refund_to }
    }
}

impl Warnings {
    pub fn new(parts: WarningParts) -> Self {
        let accounts = AccountReader::new(&parts.deposit_builders);
        Self { parts, accounts }
    }

    /// Begins to read what is at the addresses of a quote, beside the fillers' answers.
    pub(crate) fn begin(&self, ask: &Ask) -> Option<AccountCheck> {
        (!addresses::is_placeholder(ask.from_address))
            .then(|| self.accounts.begin(ask.into(), Patience::Quote))
    }

    /// The warnings that every route of a quote has. Nobody pays from a burn address: a quote for one only asks for prices.
    pub(crate) fn of_ask(&self, ask: &Ask, elsewhere: Elsewhere) -> Vec<Warning> {
        if addresses::is_placeholder(ask.from_address) {
            return of_tokens(ask.into(), &self.parts.catalog.snapshot_guard()).collect();
        }
        self.of_payees(ask.into(), elsewhere)
    }

    fn of_payees(&self, payees: Payees, elsewhere: Elsewhere) -> Vec<Warning> {
        let snapshot = self.parts.catalog.snapshot_guard();
        let mut warnings = addresses::of_payees(payees, elsewhere, &snapshot, &self.parts.contracts);
        warnings.extend(of_tokens(payees, &snapshot));
        warnings
    }

    /// The warnings about the amounts of a route.
    pub(crate) fn of_route(&self, ask: &Ask, route: &Route) -> Vec<Warning> {
        self.of_amounts(
            ask.from,
            ask.to,
            &Amounts {
                amount_in: route.amount_in,
                amount_out: route.amount_out,
                min_amount_out: route.min_amount_out,
                costs: Costs::Listed(&route.fees),
                tolerance: ask.slippage,
                is_provider: route.provider.is_some(),
            },
        )
    }

    /// The warnings of a build, whose addresses may differ from the quote's.
    pub(crate) async fn of_build(
        &self,
        route: &RouteTerms,
        recipient: Address,
        refund_to: Address,
    ) -> Vec<Warning> {
        let payees = Payees { from: route.from, to: route.to, recipient, refund_to };
        let elsewhere = self.accounts.begin(payees, Patience::Build).settle().await;
        let mut warnings = self.of_payees(payees, elsewhere);
        warnings.extend(self.of_amounts(
            route.from,
            route.to,
            &Amounts {
                amount_in: route.amount_in,
                amount_out: route.amount_out,
                min_amount_out: route.min_amount_out,
                // All that a route of our own fillers keeps is fees, and a route's id does not hold those of others.
                costs: if route.gas_charge.is_some() { Costs::Everything } else { Costs::Unknown },
                tolerance: None,
                is_provider: route.provider.is_some(),
            },
        ));
        warnings
    }

    fn of_amounts(&self, from: TokenId, to: TokenId, amounts: &Amounts<'_>) -> Vec<Warning> {
        let snapshot = self.parts.catalog.snapshot_guard();
        let prices = self.parts.prices.as_ref();
        let market = Market::find(from, to, &snapshot, prices);
        amounts.warnings(from, market, |token| PricedToken::find(token, &snapshot, prices))
    }
}

/// Tokens that look like well-known ones. Who receives one has lost the swap; who pays with one has already been deceived.
fn of_tokens(payees: Payees, snapshot: &Snapshot) -> impl Iterator<Item = Warning> {
    let sides = [
        ("toToken", "received", payees.to, Severity::Severe),
        ("fromToken", "paid", payees.from, Severity::Warning),
    ];
    sides.into_iter().filter_map(|(field, side, id, severity)| {
        let listed = snapshot.token(&id).filter(|listed| listed.is_risk)?;
        let message = format!(
            "The token that is {side}, {} at {} on {}, looks like a well-known token and is another one.",
            listed.token.symbol,
            id.address(),
            chain_name(snapshot, id.chain()),
        );
        Some(Warning { code: WarningCode::LookalikeToken, severity, field: Some(field), message })
    })
}

fn chain_name(snapshot: &Snapshot, chain: ChainId) -> String {
    snapshot.chain(chain).map_or_else(|| format!("chain {chain}"), |chain| chain.name.clone())
}
