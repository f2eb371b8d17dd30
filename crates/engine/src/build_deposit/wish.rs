use alloy_primitives::B256;
use causeway_domain::ports::DepositDesk;
use causeway_domain::{Address, Ask, ChainId, DepositMethod, Family, Jump, Order, Parties, RawAmount, Route};

use super::{BuildError, BuildRequest};

/// Both sides' desks.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) origin: &'a dyn DepositDesk,
    pub(super) destination: &'a dyn DepositDesk,
}

/// What a build freezes, with the quote's own values where none were given.
pub(super) struct Wish {
    pub(super) recipient: Address,
    pub(super) refund_to: Address,
    pub(super) method: DepositMethod,
    pub(super) parties: Parties,
    /// The route's other methods.
    pub(super) others: Vec<DepositMethod>,
    /// What the money's address committed to, and that address, where it came before the order.
    pub(super) jump: Option<(Jump, Address)>,
}

impl Wish {
    /// Reads the request against the route, or tells what has to change.
    pub(super) fn read(
        request: &BuildRequest,
        ask: &Ask,
        route: &Route,
        sides: Sides<'_>,
    ) -> Result<Self, BuildError> {
        if request.from != ask.from_address {
            return Err(BuildError::UnexpectedFrom { expected: ask.from_address, given: request.from });
        }
        let Some(parties) = route.parties else {
            return Err(BuildError::OthersContracts { filler: route.filler.clone() });
        };
        let wish = Self {
            recipient: request.recipient.unwrap_or(ask.recipient),
            refund_to: request.refund_to.unwrap_or(ask.refund_to),
            method: request.method,
            parties,
            others: route
                .deposit_methods
                .iter()
                .copied()
                .filter(|method| *method != request.method)
                .collect(),
            jump: None,
        };
        if !route.deposit_methods.contains(&wish.method) {
            return Err(wish.not_offered());
        }
        wish.check_parties(ask, route.amount_in, sides)?;
        Ok(wish)
    }

    pub(super) fn not_offered(&self) -> BuildError {
        BuildError::MethodNotOffered { asked: self.method, offered: self.others.clone() }
    }

    /// Which of the values an order was built with are others.
    pub(super) fn differs_from(&self, order: &Order) -> Vec<&'static str> {
        let same = [
            ("recipient", self.recipient == order.recipient),
            ("refundTo", self.refund_to == order.refund_to),
            ("depositMethod", self.method == order.method),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(field, _)| field).collect()
    }

    /// Money that goes to the zero address, to a token or to our own contracts is lost, or the chain refuses it when it is
    /// too late to ask.
    fn check_parties(&self, ask: &Ask, amount_in: RawAmount, sides: Sides<'_>) -> Result<(), BuildError> {
        let Sides { origin, destination } = sides;
        let ours = [origin.escrow(), origin.settler(), destination.escrow(), destination.settler()];
        let paid = |field, address: Address, chain: ChainId, token: Address| {
            check_family(field, address, chain)?;
            check_taker(field, address, token.to_word(), &ours)
        };
        paid("from", ask.from_address, ask.from.chain(), ask.from.address())?;
        paid("recipient", self.recipient, ask.to.chain(), ask.to.address())?;
        paid("refundTo", self.refund_to, ask.from.chain(), ask.from.address())?;
        match ask.referral.filter(|referral| !referral.fee(amount_in).is_zero()) {
            Some(referral) => paid("referrer", referral.referrer, ask.from.chain(), ask.from.address()),
            None => Ok(()),
        }
    }
}

fn check_family(field: &'static str, address: Address, chain: ChainId) -> Result<(), BuildError> {
    if address.family() == chain.family() {
        return Ok(());
    }
    let form = match chain.family() {
        Family::Evm => "0x followed by 40 hex digits",
        Family::Solana => "32 bytes in base58",
    };
    Err(BuildError::Field { field, expected: format!("expected an address of chain {chain}: {form}") })
}

fn check_taker(field: &'static str, address: Address, token: B256, ours: &[B256]) -> Result<(), BuildError> {
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
