use causeway_domain::fiat::{FiatFailureSource, FiatOrder, FiatStatus};
use causeway_domain::{Deployment, Family, ForwardingOrder, ForwardingPlan, TokenId};
use causeway_engine::fiat::suggested_interval;
use causeway_wire as wire;

use crate::App;
use crate::mapping::word_to_address;

/// When to poll again.
pub(super) fn polling(status: FiatStatus) -> wire::FiatPolling {
    let interval = suggested_interval(status).as_millis();
    wire::FiatPolling {
        suggested_interval_ms: u64::try_from(interval).unwrap_or(u64::MAX),
        is_terminal: status.is_terminal(),
    }
}

pub(super) fn map_asset(token: TokenId) -> wire::FiatAsset {
    wire::FiatAsset { chain_id: token.chain().get(), address: token.address().to_string() }
}

/// The URL of our page that embeds the checkout. Its token is only in the answer to whoever created the order: ids are
/// listed with the history of any wallet.
pub(super) fn wrapper_url(app: &App, order: &FiatOrder) -> String {
    let token = app.fiat.checkout_keys.current.checkout_token(order.id.as_str()).unwrap_or_default();
    format!("{}/v1/fiat/widget/{}?token={token}", app.options.public_url, order.id)
}

/// Whether the caller was given the checkout page of this order.
pub(super) fn is_proved(app: &App, order: &FiatOrder, token: Option<&str>) -> bool {
    token.is_some_and(|token| app.fiat.checkout_keys.have_made_checkout_token(order.id.as_str(), token))
}

pub(super) fn map_created(app: &App, order: FiatOrder) -> wire::FiatOrderAnswer {
    let wrapper_url = wrapper_url(app, &order);
    wire::FiatOrderAnswer {
        order_id: order.id.to_string(),
        status: order.status.to_string(),
        provider: order.provider,
        widget_url: order.widget_url,
        action: action(wrapper_url.clone()),
        wrapper_url,
    }
}

fn action(url: String) -> wire::FiatAction {
    wire::FiatAction { r#type: "wrapper".to_owned(), url }
}

pub(super) fn map_status(order: FiatOrder) -> wire::FiatStatus {
    let (failed_reason, error_reason) = order.failure.map(|failure| (failure.message, failure.code)).unzip();
    wire::FiatStatus {
        order_id: order.id.to_string(),
        status: order.status.to_string(),
        progress: order.status.progress().as_str().to_owned(),
        fill_tx_hash: order.fill_tx,
        failed_reason,
        error_reason,
        provider: order.provider,
        swap_strategy: order.strategy.as_str().to_owned(),
        swap_order_id: order
            .strategy
            .forwarding()
            .and_then(|plan| plan.swap.as_ref())
            .map(ToString::to_string),
        polling: polling(order.status),
    }
}

pub(super) fn map_view(app: &App, order: &FiatOrder) -> wire::FiatOrderView {
    let action = (!order.status.is_terminal()).then(|| action(wrapper_url(app, order)));
    wire::FiatOrderView { action, ..map_view_without_action(&app.deployments, order) }
}

fn map_view_without_action(deployments: &[Deployment], order: &FiatOrder) -> wire::FiatOrderView {
    let plan = order.strategy.forwarding();
    wire::FiatOrderView {
        order_id: order.id.to_string(),
        status: order.status.to_string(),
        terminal: order.status.is_terminal(),
        progress: order.status.progress().as_str().to_owned(),
        provider: order.provider.clone(),
        swap_strategy: order.strategy.as_str().to_owned(),
        fiat_currency: order.pays.currency.to_string(),
        fiat_amount: order.pays.to_string(),
        output_asset: map_asset(order.target),
        expected_output_amount: Some(order.expected.to_string()),
        output_amount: order.output.map(|amount| amount.to_string()),
        transfer_tx_hash: order.payout.as_ref().map(|payout| payout.tx.clone()),
        fill_tx_hash: order.fill_tx.clone(),
        refund_tx_hash: plan.and_then(|plan| plan.returned_tx.clone()),
        swap_order_id: plan.and_then(|plan| plan.swap.as_ref()).map(ToString::to_string),
        deposit_address: plan.map(|plan| plan.address.to_string()),
        refund_to: plan.map(|_| order.refund_to.to_string()),
        terms: plan.map(|plan| map_terms(&plan.order)),
        recovery: plan.map(|plan| map_recovery(deployments, order, plan)),
        action: None,
        failure: order.failure.as_ref().map(|failure| wire::FiatFailure {
            reason: failure.code.clone(),
            source: failure.source.as_str().to_owned(),
            message: Some(failure.message.clone()),
        }),
        created_at: order.created_at.to_string(),
        updated_at: order.updated_at.to_string(),
    }
}

/// The order as anybody may see it: without the checkout page and without what the provider says.
pub(super) fn map_public_view(deployments: &[Deployment], order: &FiatOrder) -> wire::FiatOrderView {
    let view = map_view_without_action(deployments, order);
    let by_provider =
        order.failure.as_ref().is_some_and(|failure| failure.source == FiatFailureSource::Provider);
    let failure = view
        .failure
        .map(|failure| wire::FiatFailure { message: failure.message.filter(|_| !by_provider), ..failure });
    wire::FiatOrderView { failure, ..view }
}

/// The order as an entry of a wallet's history, which anybody may read.
pub(super) fn map_entry(deployments: &[Deployment], order: &FiatOrder) -> wire::FiatOrder {
    wire::FiatOrder {
        view: map_public_view(deployments, order),
        author: order.author.to_author(),
        recipient: order.recipient.to_string(),
        polling: polling(order.status),
    }
}

/// The terms by the names and in the order of their EIP-712 type.
fn map_terms(jump: &ForwardingOrder) -> wire::JumpTerms {
    wire::JumpTerms {
        version: causeway_domain::TERMS_VERSION.to_string(),
        origin_chain_id: jump.origin_chain_id.to_string(),
        escrow: jump.escrow.to_string(),
        nonce: jump.nonce.to_string(),
        maker: jump.maker.to_string(),
        input_token: jump.input_token.to_string(),
        refund_to: jump.refund_to.to_string(),
        destination_chain_id: jump.destination_chain_id.to_string(),
        output_token: jump.output_token.to_string(),
        recipient: jump.recipient.to_string(),
        rate_in: jump.rate_in.to_string(),
        rate_out: jump.rate_out.to_string(),
        expiry: jump.expiry.to_string(),
    }
}

fn map_recovery(deployments: &[Deployment], order: &FiatOrder, plan: &ForwardingPlan) -> wire::JumpRecovery {
    let chain = order.sold.chain();
    // Only the factory of the plan's own escrow can derive its deposit address.
    let is_home = |there: &&Deployment| {
        chain.family() == Family::Evm && there.chain == chain && there.escrow.into_word() == plan.order.escrow
    };
    wire::JumpRecovery {
        chain_id: chain.get(),
        escrow: word_to_address(plan.order.escrow, chain.family()).to_string(),
        deposit_factory: deployments.iter().find(is_home).map(|there| there.deposit_factory.to_string()),
        refund_after: plan.order.expiry,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, U256, keccak256};
    use causeway_domain::FORWARDING_ORDER_TYPE;
    use serde_json::Value;

    use super::*;

    /// Clients can compute the id that the deposit address is derived from.
    #[test]
    fn rule_16_terms_have_the_field_names_and_order_of_the_eip712_type() {
        let words = (0..13_u64)
            .flat_map(|n| B256::from(U256::from(if n == 0 { 2 } else { n })).0)
            .collect::<Vec<u8>>();
        let jump = ForwardingOrder::from_bytes(&words).unwrap();
        let shown = serde_json::to_value(map_terms(&jump)).unwrap();
        let mut words = keccak256(FORWARDING_ORDER_TYPE).to_vec();
        let fields =
            FORWARDING_ORDER_TYPE.trim_start_matches("CausewayJump(").trim_end_matches(')').split(',');
        for (kind, name) in fields.map(|field| field.split_once(' ').unwrap()) {
            let text = shown.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name} is missing"));
            let word: B256 = match kind {
                "uint256" => text.parse::<U256>().unwrap().into(),
                _ => text.parse().unwrap(),
            };
            words.extend_from_slice(word.as_slice());
        }
        assert_eq!(shown.as_object().unwrap().len(), ForwardingOrder::WORDS);
        assert_eq!(keccak256(words), jump.id());
    }

    #[test]
    fn polling_interval_is_short_while_paying_longer_while_settling_and_zero_when_terminal() {
        let every = FiatStatus::ALL.map(polling);
        let paying = polling(FiatStatus::Created);
        assert_eq!(paying, polling(FiatStatus::Pending));
        assert!(polling(FiatStatus::Processing).suggested_interval_ms > paying.suggested_interval_ms);
        assert!(every.iter().all(|hint| hint.is_terminal == (hint.suggested_interval_ms == 0)));
    }
}
