use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolValue as _, sol};
use causeway_domain::ports::{ActionError, ChainAction};
use causeway_domain::{Address, ChainId, Deployment, IntentTerms, SignatureBytes, TokenId};

use super::batch_entries::batch_entries;
use super::deposits::{deployed_signature, open_with_permit};
use super::intent_book::record_many;
use crate::attest::evm_address;
use crate::contracts::{DepositFactory, Escrow, Jump, Order, Settler, gasless_envelope};
use crate::gas_ceiling::{self, GasLimits};
use crate::send::TxRequest;

sol! {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// The gas that the factory requires per token, plus one share for the surrounding call.
const GAS_PER_TOKEN: u64 = 150_000;
/// The call itself, deploying the deposit address, and the 1/64 of gas that a call keeps back.
const BASE_GAS: u64 = 200_000;

/// A chain action encoded as a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EncodedTx {
    pub(super) request: TxRequest,
    pub(super) gas: GasLimits,
    /// The token and amount that the settler takes from the sender.
    pub(super) spends: Option<(EvmAddress, U256)>,
}

/// Encodes an action for our contracts on this chain. Rejects other chains and foreign contracts, which could take
/// allowances or coins.
pub(super) fn encode(
    action: &ChainAction,
    chain: ChainId,
    deployments: &[Deployment],
) -> Result<EncodedTx, ActionError> {
    let local = LocalContracts { chain, deployments };
    match action {
        ChainAction::OpenFor { terms, permit } => {
            let order = gasless_envelope(terms)
                .ok_or_else(|| impossible("the order's deadlines are too far away"))?;
            let signature = deployed_signature(permit);
            let call = Escrow::openForCall { order, signature, originFillerData: Bytes::new() };
            Ok(plain(local.origin(terms)?.escrow, &call, gas_ceiling::OPEN_FOR))
        }
        ChainAction::OpenWithAuthorization { terms, signature } => {
            let signature = deployed_signature(signature);
            let call = Escrow::openWithAuthorizationCall { order: Order::from(terms), signature };
            Ok(plain(local.origin(terms)?.escrow, &call, gas_ceiling::OPEN_FOR))
        }
        ChainAction::OpenWithPermit { terms, signature } => {
            let call = open_with_permit(terms, signature)
                .ok_or_else(|| impossible("a permit of a token takes two signatures"))?;
            Ok(plain(local.origin(terms)?.escrow, &call, gas_ceiling::OPEN_FOR))
        }
        ChainAction::Sweep { terms } => {
            let call = DepositFactory::sweepCall { order: Order::from(terms) };
            Ok(plain(local.origin(terms)?.deposit_factory, &call, gas_ceiling::SWEEP))
        }
        ChainAction::ReturnBalance { terms, tokens } => return_balance(&local, terms, tokens),
        ChainAction::OpenForwarding { forwarding: jump, terms, signature } => {
            let call = DepositFactory::jumpCall {
                terms: Jump::from(jump.as_ref()),
                order: Order::from(terms),
                makerSignature: Bytes::copy_from_slice(signature.as_slice()),
            };
            Ok(plain(local.origin(terms)?.deposit_factory, &call, gas_ceiling::FORWARD))
        }
        ChainAction::ReturnForwarding { forwarding: jump, tokens, signature } => {
            return_forwarding(&local, jump, tokens, signature.as_ref())
        }
        ChainAction::Fill { terms, through } => fill(&local, terms, through.as_ref()),
        ChainAction::Claim { terms, filled_at, fill_ref, signatures } => {
            let call = Escrow::claimCall {
                order: Order::from(terms),
                filledAt: U256::from(*filled_at),
                fillRef: *fill_ref,
                signatures: bytes(signatures),
            };
            Ok(plain(local.origin(terms)?.escrow, &call, gas_ceiling::claim(signatures.len())))
        }
        ChainAction::ClaimBatch { claims, signatures } => {
            let first = claims.first().ok_or_else(|| impossible("a batch claims at least one order"))?;
            let call = Escrow::claimBatchCall {
                count: U256::from(claims.len()),
                entries: batch_entries(claims),
                signatures: bytes(signatures),
            };
            let ceiling = gas_ceiling::claim_batch(claims.len(), signatures.len());
            Ok(plain(local.origin(&first.terms)?.escrow, &call, ceiling))
        }
        ChainAction::Refund { terms } => {
            let call = Escrow::refundCall { order: Order::from(terms) };
            Ok(plain(local.origin(terms)?.escrow, &call, gas_ceiling::REFUND))
        }
        ChainAction::Pay { token, to, amount } => pay(chain, token, *to, amount.get()),
        ChainAction::RecordIntents { entries } => {
            let call = record_many(entries).ok_or_else(|| impossible("the intent book has no such state"))?;
            Ok(plain(local.book()?, &call, gas_ceiling::record(entries.len())))
        }
        ChainAction::CloseOrder { .. } | ChainAction::CloseFill { .. } => {
            Err(impossible("orders on EVM chains have no rent"))
        }
        ChainAction::RefundUnfilled { terms, destination_time, signatures } => {
            let call = Escrow::refundUnfilledCall {
                order: Order::from(terms),
                destinationTime: U256::from(*destination_time),
                signatures: bytes(signatures),
            };
            let ceiling = gas_ceiling::refund_unfilled(signatures.len());
            Ok(plain(local.origin(terms)?.escrow, &call, ceiling))
        }
    }
}

/// Our contracts on one chain.
pub(super) struct LocalContracts<'a> {
    pub(super) chain: ChainId,
    pub(super) deployments: &'a [Deployment],
}

impl LocalContracts<'_> {
    fn here(&self) -> impl Iterator<Item = &Deployment> {
        self.deployments.iter().filter(|deployment| deployment.chain == self.chain)
    }

    /// The contracts that hold the order's deposit.
    pub(super) fn origin(&self, terms: &IntentTerms) -> Result<&Deployment, ActionError> {
        if terms.origin_chain_id != self.chain.get() {
            return Err(impossible(format!("the order's deposit is on chain {}", terms.origin_chain_id)));
        }
        let ours = |deployment: &&Deployment| deployment.escrow.into_word() == terms.escrow;
        self.here().find(ours).ok_or_else(|| impossible("the order's escrow is not one of ours"))
    }

    /// Contracts of one version have the same addresses on every chain, and a deposit may be on the wrong chain.
    fn factory(&self, escrow: B256) -> Result<EvmAddress, ActionError> {
        let same = |deployment: &&Deployment| deployment.escrow.into_word() == escrow;
        self.here()
            .find(same)
            .or_else(|| self.here().next())
            .map(|deployment| deployment.deposit_factory)
            .ok_or_else(|| impossible("our deposit factory is not on this chain"))
    }

    /// The intent book, which exists on the hub chain only.
    fn book(&self) -> Result<EvmAddress, ActionError> {
        let mut hubs = self.here().filter_map(|deployment| deployment.hub.as_ref());
        hubs.next()
            .map(|hub| hub.intent_book)
            .ok_or_else(|| impossible("the hub contracts are not on this chain"))
    }

    /// The settler that fills this order.
    pub(super) fn settler(&self, terms: &IntentTerms) -> Result<EvmAddress, ActionError> {
        if terms.destination_chain_id != self.chain.get() {
            return Err(impossible(format!("the order is filled on chain {}", terms.destination_chain_id)));
        }
        let mut settlers = self.here().map(|deployment| deployment.settler);
        settlers
            .find(|settler| settler.into_word() == terms.settler)
            .ok_or_else(|| impossible("the order's settler is not one of ours"))
    }
}

fn return_balance(
    local: &LocalContracts<'_>,
    terms: &IntentTerms,
    tokens: &[Address],
) -> Result<EncodedTx, ActionError> {
    let factory = local.factory(terms.escrow)?;
    let tokens = tokens.iter().copied().map(evm).collect::<Result<Vec<_>, _>>()?;
    let gas = GasLimits { min: min_gas(&tokens), max: gas_ceiling::RETURN };
    let call = DepositFactory::giveBackCall { order: Order::from(terms), tokens };
    Ok(EncodedTx { gas, ..plain(factory, &call, gas.max) })
}

fn return_forwarding(
    local: &LocalContracts<'_>,
    jump: &causeway_domain::ForwardingOrder,
    tokens: &[Address],
    signature: Option<&SignatureBytes>,
) -> Result<EncodedTx, ActionError> {
    let factory = local.factory(jump.escrow)?;
    let tokens = tokens.iter().copied().map(evm).collect::<Result<Vec<_>, _>>()?;
    let gas = GasLimits { min: min_gas(&tokens), max: gas_ceiling::RETURN };
    let signature = signature.map(SignatureBytes::as_slice).unwrap_or_default();
    let call = DepositFactory::giveBackJumpCall {
        terms: Jump::from(jump),
        tokens,
        makerSignature: Bytes::copy_from_slice(signature),
    };
    Ok(EncodedTx { gas, ..plain(factory, &call, gas.max) })
}

fn min_gas(tokens: &[EvmAddress]) -> u64 {
    let shares = u64::try_from(tokens.len()).unwrap_or(u64::MAX).saturating_add(1);
    GAS_PER_TOKEN.saturating_mul(shares).saturating_add(BASE_GAS)
}

fn fill(
    local: &LocalContracts<'_>,
    terms: &IntentTerms,
    through: Option<&(Address, U256)>,
) -> Result<EncodedTx, ActionError> {
    let settler = local.settler(terms)?;
    let token = evm_address(terms.output_token)
        .ok_or_else(|| impossible("the order's output is not an EVM token"))?;
    let (filler_data, spends) = match through {
        Some(_) if token.is_zero() => return Err(impossible("the native coin is not a vault share")),
        Some((asset, max_assets)) => (max_assets.abi_encode(), Some((evm(*asset)?, *max_assets))),
        None if token.is_zero() => (Vec::new(), None),
        None => (Vec::new(), Some((token, terms.amount_out))),
    };
    let call = Settler::fillCall {
        orderId: terms.id(),
        originData: terms.to_bytes().into(),
        fillerData: filler_data.into(),
    };
    let value = if token.is_zero() { terms.amount_out } else { U256::ZERO };
    let request = TxRequest { to: settler, value, data: call.abi_encode().into() };
    let ceiling = match through {
        Some(_) => gas_ceiling::FILL_VAULT,
        None if token.is_zero() => gas_ceiling::FILL_NATIVE,
        None => gas_ceiling::FILL_TOKEN,
    };
    Ok(EncodedTx { request, gas: GasLimits::up_to(ceiling), spends })
}

fn pay(chain: ChainId, token: &TokenId, to: Address, amount: U256) -> Result<EncodedTx, ActionError> {
    if token.chain() != chain {
        return Err(impossible(format!("the token is on chain {}", token.chain())));
    }
    let to = evm(to)?;
    if token.is_native() {
        let request = TxRequest { to, value: amount, data: Bytes::new() };
        return Ok(EncodedTx { request, gas: GasLimits::up_to(gas_ceiling::PAY_NATIVE), spends: None });
    }
    Ok(plain(evm(token.address())?, &transferCall { to, amount }, gas_ceiling::PAY_TOKEN))
}

fn plain(to: EvmAddress, call: &impl SolCall, ceiling: u64) -> EncodedTx {
    let request = TxRequest { to, value: U256::ZERO, data: call.abi_encode().into() };
    EncodedTx { request, gas: GasLimits::up_to(ceiling), spends: None }
}

fn bytes(signatures: &[SignatureBytes]) -> Vec<Bytes> {
    signatures.iter().map(|signature| Bytes::copy_from_slice(signature.as_slice())).collect()
}

fn evm(address: Address) -> Result<EvmAddress, ActionError> {
    match address {
        Address::Evm(address) => Ok(address),
        _ => Err(impossible(format!("{address} is not an EVM address"))),
    }
}

fn impossible(reason: impl Into<String>) -> ActionError {
    ActionError::Permanent(reason.into())
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{ESCROW, FACTORY, SETTLER, chain, deployment, terms};
    use super::*;

    fn encoded(action: &ChainAction) -> Result<EncodedTx, ActionError> {
        encode(action, chain(), &[deployment()])
    }

    fn is_impossible(action: &ChainAction) -> bool {
        matches!(encoded(action), Err(ActionError::Permanent(_)))
    }

    fn token(byte: u8) -> Address {
        Address::Evm(EvmAddress::repeat_byte(byte))
    }

    #[test]
    fn each_action_calls_the_right_contract() {
        let (terms, signatures) = (terms(), vec![SignatureBytes::repeat_byte(7)]);
        for (action, to) in [
            (ChainAction::OpenFor { terms, permit: vec![1] }, ESCROW),
            (ChainAction::OpenWithAuthorization { terms, signature: vec![1] }, ESCROW),
            (ChainAction::OpenWithPermit { terms, signature: vec![1; 130] }, ESCROW),
            (ChainAction::Sweep { terms }, FACTORY),
            (ChainAction::ReturnBalance { terms, tokens: vec![token(0)] }, FACTORY),
            (ChainAction::Fill { terms, through: None }, SETTLER),
            (
                ChainAction::Claim {
                    terms,
                    filled_at: 5,
                    fill_ref: B256::ZERO,
                    signatures: signatures.clone(),
                },
                ESCROW,
            ),
            (ChainAction::Refund { terms }, ESCROW),
            (
                ChainAction::RefundUnfilled { terms, destination_time: 9, signatures: signatures.clone() },
                ESCROW,
            ),
        ] {
            let encoded = encoded(&action).unwrap();
            assert_eq!((encoded.request.to, encoded.request.value), (to, U256::ZERO), "{action:?}");
        }
    }

    #[test]
    fn a_fill_pays_in_native_coin_in_a_token_or_through_a_vault() {
        let of = |output_token: B256, through| ChainAction::Fill {
            terms: IntentTerms { output_token, ..terms() },
            through,
        };
        let amount = terms().amount_out;
        let coin = encoded(&of(B256::ZERO, None)).unwrap();
        assert_eq!((coin.request.value, coin.spends), (amount, None));
        let share = EvmAddress::repeat_byte(9);
        let plain = encoded(&of(share.into_word(), None)).unwrap();
        assert_eq!((plain.request.value, plain.spends), (U256::ZERO, Some((share, amount))));
        let max_assets = U256::from(1_234);
        let vault = encoded(&of(share.into_word(), Some((token(8), max_assets)))).unwrap();
        assert_eq!(vault.spends, Some((EvmAddress::repeat_byte(8), max_assets)));
        let call = Settler::fillCall::abi_decode(&vault.request.data).unwrap();
        assert_eq!(call.fillerData, Bytes::from(max_assets.to_be_bytes_vec()));
        assert_eq!(IntentTerms::from_bytes(&call.originData).unwrap().id(), call.orderId);
        assert!(is_impossible(&of(B256::ZERO, Some((token(8), max_assets)))));
        assert!(is_impossible(&of(B256::repeat_byte(0xff), None)));
    }

    #[test]
    fn actions_for_foreign_contracts_or_another_chain_are_rejected() {
        let foreign = EvmAddress::repeat_byte(0x66).into_word();
        for terms in
            [IntentTerms { settler: foreign, ..terms() }, IntentTerms { destination_chain_id: 1, ..terms() }]
        {
            assert!(is_impossible(&ChainAction::Fill { terms, through: None }), "{terms:?}");
        }
        for terms in
            [IntentTerms { escrow: foreign, ..terms() }, IntentTerms { origin_chain_id: 1, ..terms() }]
        {
            let signatures = Vec::new();
            for action in [
                ChainAction::OpenFor { terms, permit: Vec::new() },
                ChainAction::OpenWithAuthorization { terms, signature: Vec::new() },
                ChainAction::OpenWithPermit { terms, signature: vec![1; 130] },
                ChainAction::Sweep { terms },
                ChainAction::Claim {
                    terms,
                    filled_at: 5,
                    fill_ref: B256::ZERO,
                    signatures: signatures.clone(),
                },
                ChainAction::Refund { terms },
                ChainAction::RefundUnfilled { terms, destination_time: 9, signatures },
            ] {
                assert!(is_impossible(&action), "{action:?}");
            }
        }
    }

    #[test]
    fn a_refund_has_gas_for_every_token_and_works_on_other_chains_too() {
        let terms = IntentTerms { origin_chain_id: 1, ..terms() };
        for count in [1_u8, 2, 7] {
            let tokens = (0..count).map(token).collect();
            let encoded = encoded(&ChainAction::ReturnBalance { terms, tokens }).unwrap();
            let least = encoded.gas.min;
            assert!(least >= 150_000 * (u64::from(count) + 1), "{count}: {least}");
            assert_eq!(encoded.gas.ceiling(1), least, "{count}");
        }
        assert!(is_impossible(&ChainAction::ReturnBalance { terms, tokens: vec![Address::Solana([1; 32])] }));
    }
}
