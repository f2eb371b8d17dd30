//! The checks of a provider against the service that is configured: its contracts, a quote, and a transaction that is simulated
//! where an endpoint can. They move no money; `swap` pays one small swap if the operator wants that.

pub mod swap;

use std::fmt;

use causeway_domain::ports::{
    Answer, DepositError, FillerAsk, LiquidityProvider, Offer, ProviderAsk, ProviderDeposit, ProviderPayment,
    ProviderPaymentError, ProviderPayments, ProviderTransaction,
};
use causeway_domain::{Ask, DepositMethod, RawAmount};
use serde::Serialize;

/// How one check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Ok,
    Failed,
    /// It could not be made, which says nothing of the provider.
    Skipped,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What should hold.
    pub rule: &'static str,
    pub outcome: Outcome,
    /// What was seen.
    pub seen: String,
}

/// The results of all checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub provider: String,
    pub checks: Vec<Finding>,
}

impl Report {
    /// How many checks ended that way.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.checks.iter().filter(|check| check.outcome == outcome).count()
    }

    fn add(&mut self, rule: &'static str, outcome: Outcome, seen: impl Into<String>) {
        self.checks.push(Finding { rule, outcome, seen: seen.into() });
    }

    fn note(&mut self, rule: &'static str, seen: Result<String, String>) {
        match seen {
            Ok(seen) => self.add(rule, Outcome::Ok, seen),
            Err(seen) => self.add(rule, Outcome::Failed, seen),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { rule, outcome, seen } in &self.checks {
            let outcome = match outcome {
                Outcome::Ok => "ok",
                Outcome::Failed => "failed",
                Outcome::Skipped => "skipped",
            };
            writeln!(f, "  {outcome:<8}{rule}\n            {seen}")?;
        }
        let (failed, skipped) = (self.count(Outcome::Failed), self.count(Outcome::Skipped));
        let all = self.checks.len();
        if failed > 0 {
            write!(f, "\n{failed} of {all} checks failed.")
        } else if skipped > 0 {
            write!(
                f,
                "\n{} of {all} checks passed; {skipped} could not be made.",
                all.saturating_sub(skipped)
            )
        } else {
            write!(f, "\nAll {all} checks passed.")
        }
    }
}

const CONTRACTS: &str = "the contracts that it names are those that are pinned";
const QUOTE: &str = "it quotes the pair";
const OUTPUT: &str = "its least output is within the slippage";
const TRANSACTION: &str = "its transaction is the one of the route, from pinned contracts";
const ADDRESS: &str = "it names an address for the transfer, for the same route";
const NO_CONTRACT: &str = "it takes a transfer to an address of its own, so no contract is called";
const SIMULATION: &str = "the simulated transaction takes the input and nothing else";

/// Runs the checks. Nothing is signed and nothing is sent to a chain. `payments` simulates on the chain of the input.
pub async fn check(
    provider: &dyn LiquidityProvider,
    ask: &FillerAsk,
    payments: Option<&dyn ProviderPayments>,
) -> Report {
    let mut report = Report { provider: provider.name().to_owned(), checks: Vec::new() };
    let is_transfer = provider.deposit_method() == DepositMethod::Transfer;
    let last = if is_transfer { ADDRESS } else { TRANSACTION };
    if is_transfer {
        report.add(CONTRACTS, Outcome::Skipped, NO_CONTRACT);
    } else {
        let (outcome, seen) = contracts(provider, &ask.ask).await;
        report.add(CONTRACTS, outcome, seen);
    }
    let offer = match quote(provider, ask).await {
        Ok(offer) => offer,
        Err(words) => {
            report.add(QUOTE, Outcome::Failed, words);
            for rule in [OUTPUT, last, SIMULATION] {
                report.add(rule, Outcome::Skipped, "there is no quote");
            }
            return report;
        }
    };
    let fees: Vec<String> = offer
        .fees
        .iter()
        .map(|fee| format!("{} {} of {}", fee.kind.as_str(), fee.amount, fee.token))
        .collect();
    let fees = if fees.is_empty() { "none".to_owned() } else { fees.join(", ") };
    report.note(QUOTE, Ok(format!("{} for {} raw units; fees: {fees}", offer.amount_out, offer.amount_in)));
    report.note(OUTPUT, output(&ask.ask, &offer));
    let transaction = match deposit(provider, &ask.ask, &offer).await {
        Ok(ProviderDeposit::Call(transaction)) => transaction,
        Ok(ProviderDeposit::Transfer(given)) => {
            let seen = format!("{}, until {} in Unix seconds", given.address, given.pays_until);
            report.note(ADDRESS, Ok(seen));
            report.add(SIMULATION, Outcome::Skipped, NO_CONTRACT);
            return report;
        }
        Err(words) => {
            report.add(last, Outcome::Failed, words);
            report.add(SIMULATION, Outcome::Skipped, "there is no transaction");
            return report;
        }
    };
    report.note(TRANSACTION, Ok(format!("it calls {}", transaction.target)));
    let (outcome, seen) = simulate(&ask.ask, transaction, payments).await;
    report.add(SIMULATION, outcome, seen);
    report
}

async fn contracts(provider: &dyn LiquidityProvider, ask: &Ask) -> (Outcome, String) {
    let named = match provider.named_contracts().await {
        Ok(named) => named,
        Err(error) => return (Outcome::Failed, error.to_string()),
    };
    let chain = ask.from.chain();
    if named.is_empty() {
        let words = "it publishes no list; those of its transaction are compared below";
        return (Outcome::Skipped, words.to_owned());
    }
    let Some(own) = named.iter().find(|named| named.chain == chain) else {
        return (Outcome::Failed, format!("it names none on {chain}"));
    };
    if !own.pinned {
        return (Outcome::Failed, format!("it names {} on {chain}, which is not pinned", own.contract));
    }
    let pinned = named.iter().filter(|named| named.pinned).count();
    let seen = format!("{} on {chain}; of {} that it names, {pinned} are pinned", own.contract, named.len());
    (Outcome::Ok, seen)
}

async fn quote(provider: &dyn LiquidityProvider, ask: &FillerAsk) -> Result<Offer, String> {
    match provider.quote(ask).await {
        Ok(Answer::Offers(mut offers)) if !offers.is_empty() => Ok(offers.remove(0)),
        Ok(Answer::Offers(_)) => Err("it offers nothing".to_owned()),
        Ok(Answer::Refused(refusal)) => Err(format!("it refuses: {refusal}")),
        Err(error) => Err(error.to_string()),
    }
}

/// The least output may be below the output by the slippage, rounded up to a whole unit.
fn output(ask: &Ask, offer: &Offer) -> Result<String, String> {
    let whole = alloy_primitives::U256::from(1_000_000_u32);
    let kept = alloy_primitives::U256::from(1_000_000_u32.saturating_sub(ask.tolerance().millionths()));
    let allowed = offer.amount_out.get().checked_mul(kept).map(|product| product / whole);
    let seen = format!("{} of {} raw units", offer.min_amount_out, offer.amount_out);
    let holds = allowed.is_some_and(|allowed| offer.min_amount_out >= RawAmount::new(allowed))
        && offer.min_amount_out <= offer.amount_out
        && !offer.min_amount_out.is_zero();
    if holds { Ok(seen) } else { Err(seen) }
}

async fn deposit(
    provider: &dyn LiquidityProvider,
    ask: &Ask,
    offer: &Offer,
) -> Result<ProviderDeposit, String> {
    let tool = offer.provider.as_ref().map(|provider| provider.terms.tool.clone()).unwrap_or_default();
    let asked = ProviderAsk { min_amount_out: offer.min_amount_out, ..ProviderAsk::to_quote(ask, &tool) };
    let deposit = provider.deposit(&asked).await.map_err(|error| error.to_string())?;
    let ProviderDeposit::Call(transaction) = &deposit else { return Ok(deposit) };
    let contracts = [Some(transaction.target), transaction.spender];
    let unknown = |contract: &causeway_domain::Address| !provider.is_pinned(ask.from.chain(), *contract);
    if let Some(contract) = contracts.into_iter().flatten().find(unknown) {
        return Err(format!("it uses {contract}, which is not pinned"));
    }
    let value = if ask.from.is_native() { ask.amount.get() } else { alloy_primitives::U256::ZERO };
    if transaction.value != value {
        return Err(format!("it spends {} wei instead of {value}", transaction.value));
    }
    Ok(deposit)
}

/// The payment of a transaction, and what it may do.
fn payment(ask: &Ask, transaction: ProviderTransaction) -> ProviderPayment {
    let least = transaction.min_amount_out;
    let delivers = ask.to.chain() == ask.from.chain() && !ask.to.is_native();
    ProviderPayment {
        payer: ask.from_address,
        token: ask.from,
        amount: ask.amount,
        transaction,
        output: delivers.then_some((ask.to, ask.recipient, least)),
        guarded: Vec::new(),
    }
}

async fn simulate(
    ask: &Ask,
    transaction: ProviderTransaction,
    payments: Option<&dyn ProviderPayments>,
) -> (Outcome, String) {
    let Some(payments) = payments else {
        return (Outcome::Skipped, format!("no endpoint of {} is configured", ask.from.chain()));
    };
    match payments.actions(&payment(ask, transaction)).await {
        Ok(actions) => {
            (Outcome::Ok, format!("{} steps for the wallet of {}", actions.len(), ask.from_address))
        }
        Err(ProviderPaymentError::Deposit(
            error @ (DepositError::Balance { .. } | DepositError::Gas { .. } | DepositError::Chain(_)),
        )) => (Outcome::Skipped, format!("{error}; name an address that holds the input with --payer")),
        Err(error) => (Outcome::Failed, error.to_string()),
    }
}
