use causeway_domain::ports::{PermitRequest, SendPurpose, WalletAction};
use causeway_domain::{Address, DepositMethod, DepositWindow, Order, RawAmount};

use super::BuiltDeposit;
use super::display_names::DisplayNames;
use super::timing::moment;

/// One sentence per step of the payer, with every value to compare before signing.
pub(super) fn summary(
    order: &Order,
    deposit: &BuiltDeposit,
    names: &DisplayNames,
    window: Option<DepositWindow>,
) -> Vec<String> {
    let mut lines = steps(order, deposit, names);
    // More time than usual, in which the price is no longer certain.
    if window.is_some() {
        let until = time(u64::try_from(order.valid_before.as_second()).unwrap_or_default());
        lines.push(format!(
            "The price holds until {until}. A deposit after that, until {}, is filled if the swap still pays for itself, and \
             returned if not.",
            time(order.terms.open_deadline)
        ));
    }
    lines
}

fn steps(order: &Order, deposit: &BuiltDeposit, names: &DisplayNames) -> Vec<String> {
    let input = names.amount(order.src_amount, &order.from);
    let chain = names.chain(order.from.chain());
    let promise = promise(order, names);
    match deposit {
        BuiltDeposit::ContractCall(actions) => sentences(order, actions, names),
        BuiltDeposit::Provider(_) | BuiltDeposit::ProviderTransfer => provider_summary(order, deposit, names),
        BuiltDeposit::Permit(PermitRequest { before, .. }) => {
            let what = match order.method {
                DepositMethod::Authorization => "an authorization",
                DepositMethod::Permit => "a permit of the token and the order",
                _ => "a permit",
            };
            let mut lines = sentences(order, before, names);
            lines.push(format!(
                "Sign {what} for {input} on {chain}, which this service submits and pays the gas for: {promise}"
            ));
            lines
        }
        BuiltDeposit::Transfer => {
            let address = order.deposit_address.map(|address| address.to_string()).unwrap_or_default();
            let until = time(order.terms.open_deadline);
            vec![format!("Send {input} on {chain} to {address} so that it arrives by {until}: {promise}")]
        }
    }
}

/// The same for a route that a provider settles: also who holds the money, and what a refund looks like.
pub(super) fn provider_summary(order: &Order, deposit: &BuiltDeposit, names: &DisplayNames) -> Vec<String> {
    let Some(provider) = &order.provider else { return Vec::new() };
    let (chain, filler) = (names.chain(order.from.chain()), &order.filler);
    // Of a joined route the provider promises the first leg.
    let leg = order.first_leg();
    let promise = format!(
        "{filler} says that {} receives at least {} on {}",
        leg.recipient,
        names.amount(leg.dest_amount, &leg.to),
        names.chain(leg.to.chain()),
    );
    let sentence = |action: &WalletAction| match action {
        WalletAction::Send { purpose: SendPurpose::Approve { spender, amount }, .. } => {
            let amount = names.amount(RawAmount::new(*amount), &order.from);
            format!("Allow {filler}'s contract {spender} on {chain} to take exactly {amount}.")
        }
        WalletAction::Send { purpose: SendPurpose::Deposit, .. } => format!(
            "Pay {} on {chain} to {filler}'s contract {}: {promise}.",
            names.amount(order.src_amount, &order.from),
            provider.target,
        ),
        WalletAction::SignSolana { .. } => format!(
            "Pay exactly {} on {chain} through {filler}'s program {}: {promise}.",
            names.amount(order.src_amount, &order.from),
            provider.target,
        ),
        other => sentence(order, other, names),
    };
    let mut lines: Vec<String> = match deposit {
        BuiltDeposit::Provider(actions) => actions.iter().map(sentence).collect(),
        _ => vec![
            format!(
                "Send exactly {} on {chain} to {filler}'s address {} so that it arrives by {}: {promise}.",
                names.amount(order.src_amount, &order.from),
                provider.target,
                time(order.terms.open_deadline),
            ),
            format!(
                "The address is {filler}'s word: no contract of this service knows it, and what arrives late may be lost."
            ),
            format!("If it is not delivered, {filler} returns it to {}.", order.refund_to),
        ],
    };
    if let Some(joined) = order.joined() {
        lines.push(format!(
            "{} on {} is a deposit address of this service: all that arrives there is swapped, so that {} receives at least {} on \
             {} for {}.",
            joined.plan.address,
            names.chain(leg.to.chain()),
            order.recipient,
            names.amount(order.dest_amount, &order.to),
            names.chain(order.to.chain()),
            names.amount(joined.terms.hub_amount, &joined.terms.hub),
        ));
        lines.push(format!(
            "If no filler makes that second swap at this rate, {} is returned to {} on {}.",
            names.symbol(&joined.terms.hub),
            joined.terms.refund_to,
            names.chain(joined.terms.hub.chain()),
        ));
    }
    let what = if order.joined().is_some() { "The first leg" } else { "This swap" };
    lines.push(format!(
        "{what} is settled by {filler} through {} and not by the escrow of this service, which cannot refund it.",
        provider.terms.tool
    ));
    lines.push(format!("Until it is delivered, the money is held by {}.", provider.notice.held_by));
    lines.push(provider.notice.refunds.clone());
    lines
}

fn sentences(order: &Order, actions: &[WalletAction], names: &DisplayNames) -> Vec<String> {
    actions.iter().map(|action| sentence(order, action, names)).collect()
}

fn sentence(order: &Order, action: &WalletAction, names: &DisplayNames) -> String {
    let chain = names.chain(order.from.chain());
    match action {
        WalletAction::SwitchChain(chain) => format!("Switch your wallet to {}.", names.chain(*chain)),
        WalletAction::Send { purpose: SendPurpose::ResetAllowance, .. } => format!(
            "Reset the existing allowance of {} on {chain} to zero, which this token requires before a new approval.",
            names.symbol(&order.from)
        ),
        WalletAction::Send { purpose: SendPurpose::Approve { spender, amount }, .. } => {
            let spender = Address::Evm(*spender);
            let who =
                if spender.to_word() == order.terms.escrow { "the Causeway escrow" } else { "Permit2 at" };
            let amount = names.amount(RawAmount::new(*amount), &order.from);
            format!("Allow {who} {spender} on {chain} to take exactly {amount}.")
        }
        WalletAction::Send { purpose: SendPurpose::Deposit, .. } | WalletAction::SignSolana { .. } => {
            let input = names.amount(order.src_amount, &order.from);
            format!("Deposit {input} on {chain}: {}", promise(order, names))
        }
    }
}

/// The guaranteed outcome, as part of a sentence.
fn promise(order: &Order, names: &DisplayNames) -> String {
    format!(
        "{} receives at least {} on {}; if it is not delivered by {}, the deposit is refunded to {}.",
        order.recipient,
        names.amount(order.dest_amount, &order.to),
        names.chain(order.to.chain()),
        time(order.terms.fill_deadline),
        order.refund_to,
    )
}

fn time(seconds: u64) -> String {
    moment(seconds).map(|at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default()
}
