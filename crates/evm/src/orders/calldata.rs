use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use alloy_sol_types::{SolCall, SolValue as _, sol};
use causeway_domain::ports::{Deed, DeedError};
use causeway_domain::{Address, ChainId, Deployment, SignatureBytes, Terms, TokenId};

use super::intent_book::record_many;
use crate::attest::evm_address;
use crate::contracts::{DepositFactory, Escrow, Jump, Order, Settler, gasless_envelope};
use crate::send::TxRequest;

sol! {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// The factory gives each token an equal share of what is left and demands this much for it; one more for what surrounds them.
const GAS_PER_TOKEN: u64 = 150_000;
/// The call itself with its order, the deposit address's code, and the 64th that no call passes on.
const GAS_AROUND: u64 = 200_000;

/// A deed as a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Encoded {
    pub(super) request: TxRequest,
    /// What the contract must be given, whatever an estimate says.
    pub(super) least_gas: u64,
    /// What the settler takes from the sender: a token and how much of it.
    pub(super) spends: Option<(EvmAddress, U256)>,
}

/// Writes a deed for our contracts on this chain. What is for another chain, or for contracts that are not ours, is never
/// written: an allowance or a coin would go to strangers.
pub(super) fn encode(deed: &Deed, chain: ChainId, deployments: &[Deployment]) -> Result<Encoded, DeedError> {
    let place = Place { chain, deployments };
    match deed {
        Deed::OpenFor { terms, permit } => {
            let order =
                gasless_envelope(terms).ok_or_else(|| never("the order's deadlines are too far away"))?;
            let signature = Bytes::copy_from_slice(permit);
            let call = Escrow::openForCall { order, signature, originFillerData: Bytes::new() };
            Ok(plain(place.origin(terms)?.escrow, &call))
        }
        Deed::Sweep { terms } => {
            let call = DepositFactory::sweepCall { order: Order::from(terms) };
            Ok(plain(place.origin(terms)?.deposit_factory, &call))
        }
        Deed::GiveBack { terms, tokens } => give_back(&place, terms, tokens),
        Deed::Jump { jump, terms, signature } => {
            let call = DepositFactory::jumpCall {
                terms: Jump::from(jump.as_ref()),
                order: Order::from(terms),
                makerSignature: Bytes::copy_from_slice(signature.as_slice()),
            };
            Ok(plain(place.origin(terms)?.deposit_factory, &call))
        }
        Deed::GiveBackJump { jump, tokens, signature } => {
            give_back_jump(&place, jump, tokens, signature.as_ref())
        }
        Deed::Fill { terms, through } => fill(&place, terms, through.as_ref()),
        Deed::Claim { terms, filled_at, fill_ref, signatures } => {
            let call = Escrow::claimCall {
                order: Order::from(terms),
                filledAt: U256::from(*filled_at),
                fillRef: *fill_ref,
                signatures: bytes(signatures),
            };
            Ok(plain(place.origin(terms)?.escrow, &call))
        }
        Deed::Refund { terms } => {
            Ok(plain(place.origin(terms)?.escrow, &Escrow::refundCall { order: Order::from(terms) }))
        }
        Deed::Pay { token, to, amount } => pay(chain, token, *to, amount.get()),
        Deed::RecordIntents { entries } => {
            let call = record_many(entries).ok_or_else(|| never("the book knows no such state"))?;
            Ok(plain(place.book()?, &call))
        }
        Deed::CloseOrder { .. } | Deed::CloseFill { .. } => {
            Err(never("nobody pays rent for orders on an EVM chain"))
        }
        Deed::RefundUnfilled { terms, destination_time, signatures } => {
            let call = Escrow::refundUnfilledCall {
                order: Order::from(terms),
                destinationTime: U256::from(*destination_time),
                signatures: bytes(signatures),
            };
            Ok(plain(place.origin(terms)?.escrow, &call))
        }
    }
}

/// Our contracts on one chain.
pub(super) struct Place<'a> {
    pub(super) chain: ChainId,
    pub(super) deployments: &'a [Deployment],
}

impl Place<'_> {
    fn here(&self) -> impl Iterator<Item = &Deployment> {
        self.deployments.iter().filter(|deployment| deployment.chain == self.chain)
    }

    /// The contracts that hold this order's deposit.
    pub(super) fn origin(&self, terms: &Terms) -> Result<&Deployment, DeedError> {
        if terms.origin_chain_id != self.chain.get() {
            return Err(never(format!("the order's deposit lies on chain {}", terms.origin_chain_id)));
        }
        let ours = |deployment: &&Deployment| deployment.escrow.into_word() == terms.escrow;
        self.here().find(ours).ok_or_else(|| never("the order's escrow is none of ours"))
    }

    /// Contracts of one version bear the same addresses on every chain, and money may have come to the wrong one.
    fn factory(&self, escrow: B256) -> Result<EvmAddress, DeedError> {
        let same = |deployment: &&Deployment| deployment.escrow.into_word() == escrow;
        self.here()
            .find(same)
            .or_else(|| self.here().next())
            .map(|deployment| deployment.deposit_factory)
            .ok_or_else(|| never("there is no deposit factory of ours on this chain"))
    }

    /// The book of intents, which lies on the hub chain only.
    fn book(&self) -> Result<EvmAddress, DeedError> {
        let mut hubs = self.here().filter_map(|deployment| deployment.hub.as_ref());
        hubs.next()
            .map(|hub| hub.intent_book)
            .ok_or_else(|| never("the hub's contracts do not lie on this chain"))
    }

    /// The settler that delivers this order.
    pub(super) fn settler(&self, terms: &Terms) -> Result<EvmAddress, DeedError> {
        if terms.destination_chain_id != self.chain.get() {
            return Err(never(format!("the order is delivered on chain {}", terms.destination_chain_id)));
        }
        let mut settlers = self.here().map(|deployment| deployment.settler);
        settlers
            .find(|settler| settler.into_word() == terms.settler)
            .ok_or_else(|| never("the order's settler is none of ours"))
    }
}

fn give_back(place: &Place<'_>, terms: &Terms, tokens: &[Address]) -> Result<Encoded, DeedError> {
    let factory = place.factory(terms.escrow)?;
    let tokens = tokens.iter().copied().map(evm).collect::<Result<Vec<_>, _>>()?;
    let least_gas = least_gas(&tokens);
    let call = DepositFactory::giveBackCall { order: Order::from(terms), tokens };
    Ok(Encoded { least_gas, ..plain(factory, &call) })
}

fn give_back_jump(
    place: &Place<'_>,
    jump: &causeway_domain::Jump,
    tokens: &[Address],
    signature: Option<&SignatureBytes>,
) -> Result<Encoded, DeedError> {
    let factory = place.factory(jump.escrow)?;
    let tokens = tokens.iter().copied().map(evm).collect::<Result<Vec<_>, _>>()?;
    let least_gas = least_gas(&tokens);
    let signature = signature.map(SignatureBytes::as_slice).unwrap_or_default();
    let call = DepositFactory::giveBackJumpCall {
        terms: Jump::from(jump),
        tokens,
        makerSignature: Bytes::copy_from_slice(signature),
    };
    Ok(Encoded { least_gas, ..plain(factory, &call) })
}

fn least_gas(tokens: &[EvmAddress]) -> u64 {
    let shares = u64::try_from(tokens.len()).unwrap_or(u64::MAX).saturating_add(1);
    GAS_PER_TOKEN.saturating_mul(shares).saturating_add(GAS_AROUND)
}

fn fill(place: &Place<'_>, terms: &Terms, through: Option<&(Address, U256)>) -> Result<Encoded, DeedError> {
    let settler = place.settler(terms)?;
    let token = evm_address(terms.output_token).ok_or_else(|| never("the order's output is no EVM token"))?;
    let (filler_data, spends) = match through {
        Some(_) if token.is_zero() => return Err(never("the chain's own coin is no vault's share")),
        Some((asset, most)) => (most.abi_encode(), Some((evm(*asset)?, *most))),
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
    Ok(Encoded { request, least_gas: 0, spends })
}

fn pay(chain: ChainId, token: &TokenId, to: Address, amount: U256) -> Result<Encoded, DeedError> {
    if token.chain() != chain {
        return Err(never(format!("the token lies on chain {}", token.chain())));
    }
    let to = evm(to)?;
    if token.is_native() {
        let request = TxRequest { to, value: amount, data: Bytes::new() };
        return Ok(Encoded { request, least_gas: 0, spends: None });
    }
    Ok(plain(evm(token.address())?, &transferCall { to, amount }))
}

fn plain(to: EvmAddress, call: &impl SolCall) -> Encoded {
    let request = TxRequest { to, value: U256::ZERO, data: call.abi_encode().into() };
    Encoded { request, least_gas: 0, spends: None }
}

fn bytes(signatures: &[SignatureBytes]) -> Vec<Bytes> {
    signatures.iter().map(|signature| Bytes::copy_from_slice(signature.as_slice())).collect()
}

fn evm(address: Address) -> Result<EvmAddress, DeedError> {
    match address {
        Address::Evm(address) => Ok(address),
        Address::Solana(_) => Err(never(format!("{address} is no address of an EVM chain"))),
    }
}

fn never(words: impl Into<String>) -> DeedError {
    DeedError::Never(words.into())
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{ESCROW, FACTORY, SETTLER, chain, deployment, terms};
    use super::*;

    fn written(deed: &Deed) -> Result<Encoded, DeedError> {
        encode(deed, chain(), &[deployment()])
    }

    fn never_for(deed: &Deed) -> bool {
        matches!(written(deed), Err(DeedError::Never(_)))
    }

    fn token(byte: u8) -> Address {
        Address::Evm(EvmAddress::repeat_byte(byte))
    }

    #[test]
    fn each_deed_goes_to_the_contract_that_does_it() {
        let (terms, signatures) = (terms(), vec![SignatureBytes::repeat_byte(7)]);
        for (deed, to) in [
            (Deed::OpenFor { terms, permit: vec![1] }, ESCROW),
            (Deed::Sweep { terms }, FACTORY),
            (Deed::GiveBack { terms, tokens: vec![token(0)] }, FACTORY),
            (Deed::Fill { terms, through: None }, SETTLER),
            (
                Deed::Claim { terms, filled_at: 5, fill_ref: B256::ZERO, signatures: signatures.clone() },
                ESCROW,
            ),
            (Deed::Refund { terms }, ESCROW),
            (Deed::RefundUnfilled { terms, destination_time: 9, signatures: signatures.clone() }, ESCROW),
        ] {
            let encoded = written(&deed).unwrap();
            assert_eq!((encoded.request.to, encoded.request.value), (to, U256::ZERO), "{deed:?}");
        }
    }

    #[test]
    fn a_fill_pays_in_coin_in_a_token_or_through_a_vault() {
        let of =
            |output_token: B256, through| Deed::Fill { terms: Terms { output_token, ..terms() }, through };
        let amount = terms().amount_out;
        let coin = written(&of(B256::ZERO, None)).unwrap();
        assert_eq!((coin.request.value, coin.spends), (amount, None));
        let share = EvmAddress::repeat_byte(9);
        let plain = written(&of(share.into_word(), None)).unwrap();
        assert_eq!((plain.request.value, plain.spends), (U256::ZERO, Some((share, amount))));
        let most = U256::from(1_234);
        let vault = written(&of(share.into_word(), Some((token(8), most)))).unwrap();
        assert_eq!(vault.spends, Some((EvmAddress::repeat_byte(8), most)));
        let call = Settler::fillCall::abi_decode(&vault.request.data).unwrap();
        assert_eq!(call.fillerData, Bytes::from(most.to_be_bytes_vec()));
        assert_eq!(Terms::from_bytes(&call.originData).unwrap().id(), call.orderId);
        assert!(never_for(&of(B256::ZERO, Some((token(8), most)))));
        assert!(never_for(&of(B256::repeat_byte(0xff), None)));
    }

    #[test]
    fn nothing_is_written_for_contracts_that_are_not_ours_or_on_another_chain() {
        let stranger = EvmAddress::repeat_byte(0x66).into_word();
        for terms in [Terms { settler: stranger, ..terms() }, Terms { destination_chain_id: 1, ..terms() }] {
            assert!(never_for(&Deed::Fill { terms, through: None }), "{terms:?}");
        }
        for terms in [Terms { escrow: stranger, ..terms() }, Terms { origin_chain_id: 1, ..terms() }] {
            let signatures = Vec::new();
            for deed in [
                Deed::OpenFor { terms, permit: Vec::new() },
                Deed::Sweep { terms },
                Deed::Claim { terms, filled_at: 5, fill_ref: B256::ZERO, signatures: signatures.clone() },
                Deed::Refund { terms },
                Deed::RefundUnfilled { terms, destination_time: 9, signatures },
            ] {
                assert!(never_for(&deed), "{deed:?}");
            }
        }
    }

    #[test]
    fn a_return_carries_gas_for_every_token_and_works_on_other_chains_too() {
        let terms = Terms { origin_chain_id: 1, ..terms() };
        for count in [1_u8, 2, 7] {
            let tokens = (0..count).map(token).collect();
            let encoded = written(&Deed::GiveBack { terms, tokens }).unwrap();
            assert!(encoded.least_gas >= 150_000 * (u64::from(count) + 1), "{count}: {}", encoded.least_gas);
        }
        assert!(never_for(&Deed::GiveBack { terms, tokens: vec![Address::Solana([1; 32])] }));
    }
}
