use alloy_primitives::B256;
use causeway_domain::ports::DepositBuilder;
use causeway_domain::{Address, ChainId, DepositMethod, ForwardingOrder, Order, Parties, RouteTerms};

use super::{BuildError, BuildRequest};

/// The deposit builders of both chains.
#[derive(Clone, Copy)]
pub(super) struct ChainBuilders<'a> {
    pub(super) origin: &'a dyn DepositBuilder,
    pub(super) destination: &'a dyn DepositBuilder,
}

/// The parameters that a build freezes, with the quote's values as defaults.
pub(super) struct BuildParams {
    pub(super) recipient: Address,
    pub(super) refund_to: Address,
    pub(super) method: DepositMethod,
    pub(super) parties: Parties,
    /// The route's other methods.
    pub(super) others: Vec<DepositMethod>,
    /// The forwarding order and its deposit address, if the deposit address existed before this order.
    pub(super) forwarding: Option<(ForwardingOrder, Address)>,
}

impl BuildParams {
    /// Validates the request against the route.
    pub(super) fn new(
        request: &BuildRequest,
        route: &RouteTerms,
        builders: ChainBuilders<'_>,
    ) -> Result<Self, BuildError> {
        if request.from != route.from_address {
            return Err(BuildError::UnexpectedFrom { expected: route.from_address, given: request.from });
        }
        let Some(parties) = route.parties else {
            return Err(BuildError::OthersContracts { filler: route.filler.clone() });
        };
        let first = route.deposit_methods.first().copied();
        let method = request.method.or(first).unwrap_or(DepositMethod::ContractCall);
        let params = Self {
            recipient: request.recipient.unwrap_or(route.recipient),
            refund_to: request.refund_to.unwrap_or(route.refund_to),
            method,
            parties,
            others: route.deposit_methods.iter().copied().filter(|offered| *offered != method).collect(),
            forwarding: None,
        };
        if !route.deposit_methods.contains(&params.method) {
            return Err(params.not_offered());
        }
        params.check_parties(route, builders)?;
        Ok(params)
    }

    pub(super) fn not_offered(&self) -> BuildError {
        BuildError::MethodNotOffered { asked: self.method, offered: self.others.clone() }
    }

    /// The fields in which this differs from what an order was built with.
    pub(super) fn differences_from(&self, order: &Order) -> Vec<&'static str> {
        let same = [
            ("recipient", self.recipient == order.recipient),
            ("refundTo", self.refund_to == order.refund_to),
            ("depositMethod", self.method == order.method),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(field, _)| field).collect()
    }

    /// Money sent to the zero address, to a token or to our own contracts is lost, or the chain rejects it too late.
    fn check_parties(&self, route: &RouteTerms, builders: ChainBuilders<'_>) -> Result<(), BuildError> {
        let ChainBuilders { origin, destination } = builders;
        let ours = [origin.escrow(), origin.settler(), destination.escrow(), destination.settler()];
        let check = |field, address: Address, chain: ChainId, token: Address| {
            check_family(field, address, chain)?;
            check_receiver(field, address, token.to_word(), &ours)
        };
        check("from", route.from_address, route.from.chain(), route.from.address())?;
        check("recipient", self.recipient, route.to.chain(), route.to.address())?;
        check("refundTo", self.refund_to, route.from.chain(), route.from.address())?;
        match route.referral.filter(|referral| !referral.fee(route.amount_in).is_zero()) {
            Some(referral) => check("referrer", referral.referrer, route.from.chain(), route.from.address()),
            None => Ok(()),
        }
    }
}

fn check_family(field: &'static str, address: Address, chain: ChainId) -> Result<(), BuildError> {
    if address.family() == chain.family() {
        return Ok(());
    }
    let form = chain.family().address_form();
    Err(BuildError::Field { field, expected: format!("expected an address of chain {chain}: {form}") })
}

pub(super) fn check_receiver(
    field: &'static str,
    address: Address,
    token: B256,
    ours: &[B256],
) -> Result<(), BuildError> {
    let word = address.to_word();
    let what = match word {
        B256::ZERO => "the zero address",
        word if word == token => "the token itself",
        word if ours.contains(&word) => "one of this service's contracts",
        _ => return Ok(()),
    };
    Err(BuildError::Field {
        field,
        expected: format!("expected an account that can use the money, not {what}"),
    })
}
