use causeway_domain::ports::{PermitRequest, WalletAction};
use causeway_domain::{Address, DepositMethod, Family, IntentTerms, Order};
use causeway_engine::{Built, BuiltDeposit};
use causeway_wire as wire;

use super::map_approvals::map_approvals;
use super::map_transfer::map_transfer;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::mapping::{map_warning, word_to_address};

/// Maps a built deposit to its wire type.
pub(super) fn map_built(app: &App, built: Built) -> ApiResult<wire::BuildAnswer> {
    let Built { order, deposit, summary, warnings } = built;
    let warnings = warnings.iter().map(map_warning).collect();
    let chain = order.from.chain();
    let intent_id = order.intent_id.to_string();
    let recovery = map_recovery(app, &order);
    let frozen = wire::FrozenOrder { summary, terms: map_terms(&order.terms), recovery, warnings };
    Ok(match deposit {
        BuiltDeposit::ContractCall(actions) => wire::BuildAnswer::ContractCall(wire::ContractCallDeposit {
            approvals: map_approvals(chain, &actions),
            intent_id,
            frozen,
        }),
        BuiltDeposit::Permit(PermitRequest { permit, order: order_data, before }) => {
            let permit = wire::PermitDeposit {
                permit,
                order: order_data,
                transfer_details: wire::TransferDetails {
                    to: word_to_address(order.terms.escrow, chain.family()).to_string(),
                    requested_amount: order.terms.amount_in.to_string(),
                },
                approvals: map_approvals(chain, &before),
                intent_id,
                frozen,
            };
            match order.method {
                DepositMethod::Authorization => wire::BuildAnswer::Authorization(permit),
                DepositMethod::Permit => wire::BuildAnswer::Permit(permit),
                _ => wire::BuildAnswer::Permit2(permit),
            }
        }
        BuiltDeposit::Provider(actions) => return map_provider(&order, &actions, frozen),
        BuiltDeposit::ProviderTransfer => return map_provider_transfer(app, &order, frozen),
        BuiltDeposit::Transfer => {
            let to = order
                .deposit_address
                .ok_or_else(|| ApiError::internal(&"a transfer was built without a deposit address"))?;
            let transfer = wire::Transfer { payment: payment(app, &order, to)?, intent_id };
            let deposit = transfer.clone();
            wire::BuildAnswer::Transfer(Box::new(wire::TransferDeposit { transfer, deposit, frozen }))
        }
    })
}

/// What to send to an address of the order.
fn payment(app: &App, order: &Order, to: Address) -> ApiResult<wire::Payment> {
    let decimals = app.catalog.snapshot().token(&order.from).map(|listed| listed.token.decimals);
    let gone = || ApiError::internal(&"the input token of the order is no longer in the catalog");
    Ok(map_transfer(order, to, decimals.ok_or_else(gone)?, &app.options.public_url))
}

/// A transfer to an address of a provider: it has no terms of ours either.
fn map_provider_transfer(
    app: &App,
    order: &Order,
    frozen: wire::FrozenOrder,
) -> ApiResult<wire::BuildAnswer> {
    let missing = || ApiError::internal(&"a provider's transfer was built without its provider");
    let provider = order.provider.as_deref().ok_or_else(missing)?;
    let transfer = payment(app, order, provider.target)?;
    Ok(wire::BuildAnswer::ProviderTransfer(Box::new(wire::ProviderTransferDeposit {
        deposit: transfer.clone(),
        transfer,
        settlement: "provider".to_owned(),
        provider: order.filler.clone(),
        tool: provider.terms.tool.clone(),
        recipient: order.recipient.to_string(),
        refund_to: order.refund_to.to_string(),
        min_amount_out: order.dest_amount.to_string(),
        held_by: provider.notice.held_by.clone(),
        refunds: provider.notice.refunds.clone(),
        summary: frozen.summary,
        warnings: frozen.warnings,
    })))
}

/// A payment that a provider settles: it has no terms of ours.
fn map_provider(
    order: &Order,
    actions: &[WalletAction],
    frozen: wire::FrozenOrder,
) -> ApiResult<wire::BuildAnswer> {
    let missing = || ApiError::internal(&"a provider's deposit was built without its provider");
    let provider = order.provider.as_deref().ok_or_else(missing)?;
    Ok(wire::BuildAnswer::Provider(Box::new(wire::ProviderDeposit {
        approvals: map_approvals(order.from.chain(), actions),
        order_id: order.id.to_string(),
        settlement: "provider".to_owned(),
        provider: order.filler.clone(),
        tool: provider.terms.tool.clone(),
        target: provider.target.to_string(),
        spender: provider.spender.map(|spender| spender.to_string()),
        min_amount_out: order.dest_amount.to_string(),
        held_by: provider.notice.held_by.clone(),
        refunds: provider.notice.refunds.clone(),
        summary: frozen.summary,
        warnings: frozen.warnings,
    })))
}

fn map_recovery(app: &App, order: &Order) -> wire::Recovery {
    let (terms, chain) = (&order.terms, order.from.chain());
    // Only the factory of the order's own escrow can derive its deposit address.
    let is_home = |there: &&causeway_domain::Deployment| {
        there.chain == chain && there.escrow.into_word() == terms.escrow && order.deposit_address.is_some()
    };
    let factory = match chain.family() {
        Family::Evm => app.deployments.iter().find(is_home).map(|there| there.deposit_factory.to_string()),
        // On Solana one program is escrow and factory.
        Family::Solana => {
            order.deposit_address.map(|_| word_to_address(terms.escrow, chain.family()).to_string())
        }
        Family::Bitcoin | Family::Tron => None,
    };
    wire::Recovery {
        chain_id: chain.get(),
        escrow: word_to_address(terms.escrow, chain.family()).to_string(),
        refund_after: if terms.is_same_chain() { terms.fill_deadline } else { terms.refund_at },
        deposit_factory: factory,
    }
}

/// The terms by the names and in the order of their EIP-712 type.
pub(crate) fn map_terms(terms: &IntentTerms) -> wire::Terms {
    wire::Terms {
        version: causeway_domain::TERMS_VERSION.to_string(),
        origin_chain_id: terms.origin_chain_id.to_string(),
        escrow: terms.escrow.to_string(),
        user: terms.user.to_string(),
        nonce: terms.nonce.to_string(),
        input_token: terms.input_token.to_string(),
        amount_in: terms.amount_in.to_string(),
        refund_to: terms.refund_to.to_string(),
        filler: terms.filler.to_string(),
        payee: terms.payee.to_string(),
        referrer: terms.referrer.to_string(),
        referrer_fee: terms.referrer_fee.to_string(),
        destination_chain_id: terms.destination_chain_id.to_string(),
        settler: terms.settler.to_string(),
        output_token: terms.output_token.to_string(),
        amount_out: terms.amount_out.to_string(),
        recipient: terms.recipient.to_string(),
        open_deadline: terms.open_deadline.to_string(),
        fill_deadline: terms.fill_deadline.to_string(),
        refund_at: terms.refund_at.to_string(),
        epoch: terms.epoch.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, U256, keccak256};
    use causeway_domain::TERMS_TYPE;
    use serde_json::Value;

    use super::*;

    /// Clients can compute the on-chain order id from the response.
    #[test]
    fn terms_have_the_field_names_and_order_of_the_eip712_type() {
        let terms = IntentTerms::from_bytes(
            &(0..21_u64)
                .flat_map(|n| B256::from(U256::from(if n == 0 { 2 } else { n })).0)
                .collect::<Vec<u8>>(),
        )
        .unwrap();
        let shown = serde_json::to_value(map_terms(&terms)).unwrap();
        let mut words = keccak256(TERMS_TYPE).to_vec();
        let fields = TERMS_TYPE.trim_start_matches("CausewayOrder(").trim_end_matches(')').split(',');
        for (kind, name) in fields.map(|field| field.split_once(' ').unwrap()) {
            let text = shown.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name} is missing"));
            let word: B256 = match kind {
                "uint256" => text.parse::<U256>().unwrap().into(),
                _ => text.parse().unwrap(),
            };
            words.extend_from_slice(word.as_slice());
        }
        assert_eq!(shown.as_object().unwrap().len(), IntentTerms::WORDS);
        assert_eq!(keccak256(words), terms.id());
    }
}
