mod change;
mod error;
mod hash;
mod permit;
mod signed;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{Carrier, CheckError, DepositDesk, OrderStore, QuoteStore};
use causeway_domain::{ChainId, DepositMethod, Order, OrderId, QuoteId, RouteId, RowKeys};
use jiff::Timestamp;

pub use error::SubmitError;

use crate::build_deposit::moment;

/// What shows that a deposit was made, or lets us make it.
#[derive(Clone, PartialEq, Eq)]
pub enum Proof {
    /// Names a transaction that the payer has sent.
    Hash(String),
    /// A signed transaction that we are to send.
    Signed(Vec<u8>),
    /// A signed permit that we are to relay.
    Permit(Vec<u8>),
}

impl fmt::Debug for Proof {
    /// What was signed is for the chain, not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => f.debug_tuple("Hash").field(hash).finish(),
            Self::Signed(_) => f.write_str("Signed(…)"),
            Self::Permit(_) => f.write_str("Permit(…)"),
        }
    }
}

/// A proof for the deposit of a route.
#[derive(Clone, Debug)]
pub struct SubmitRequest {
    pub quote: QuoteId,
    pub route: RouteId,
    pub proof: Proof,
}

/// The order whose deposit was submitted, and the deposit's transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub order: OrderId,
    pub tx: String,
}

/// What [`SubmitDeposit`] works with.
pub struct SubmitParts {
    pub quotes: Arc<dyn QuoteStore>,
    pub orders: Arc<dyn OrderStore>,
    pub desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    pub relayers: HashMap<ChainId, Arc<dyn Carrier>>,
    pub row_keys: Arc<RowKeys>,
}

impl fmt::Debug for SubmitParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmitParts").finish_non_exhaustive()
    }
}

/// Takes word of a deposit. That is a hint and never a condition: what the chain shows moves orders, told or not.
#[derive(Debug)]
pub struct SubmitDeposit {
    parts: SubmitParts,
}

impl SubmitDeposit {
    pub const fn new(parts: SubmitParts) -> Self {
        Self { parts }
    }

    /// Takes the proof; the same again gives the same answer.
    pub async fn submit(&self, request: SubmitRequest) -> Result<Submitted, SubmitError> {
        self.submit_at(request, Timestamp::now()).await
    }

    pub(crate) async fn submit_at(
        &self,
        request: SubmitRequest,
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let order = self.order_of(request.quote, request.route).await?;
        expect_proof(order.method, &request.proof)?;
        // Each keeps more than one copy of the order, which is large.
        match request.proof {
            Proof::Hash(hash) => Box::pin(self.take_hash(order, &hash, now)).await,
            Proof::Signed(raw) => Box::pin(self.take_signed(order, &raw, now)).await,
            Proof::Permit(permit) => Box::pin(self.take_permit(order, permit, now)).await,
        }
    }

    /// The order that was built for a route, however long ago.
    async fn order_of(&self, quote: QuoteId, route: RouteId) -> Result<Order, SubmitError> {
        if let Some(order) = self.parts.orders.order_of_route(&quote, &route).await? {
            return Ok(order);
        }
        Err(match self.parts.quotes.quote(&quote).await? {
            None => SubmitError::QuoteNotFound(quote),
            Some(known) if known.routes.iter().any(|known| known.id == route) => {
                SubmitError::NotBuilt { quote, route }
            }
            Some(_) => SubmitError::RouteNotFound { quote, route },
        })
    }

    fn desk(&self, order: &Order) -> Result<&dyn DepositDesk, SubmitError> {
        let chain = order.from.chain();
        self.parts.desks.get(&chain).map(AsRef::as_ref).ok_or(SubmitError::ChainNotServed(chain))
    }
}

fn expect_proof(method: DepositMethod, proof: &Proof) -> Result<(), SubmitError> {
    let expected = match (method, proof) {
        (DepositMethod::Transfer, _) => {
            "nothing is submitted; the order goes on by itself when the money has arrived"
        }
        (DepositMethod::ContractCall, Proof::Permit(_)) => {
            "submit the deposit's txHash, or the signedTransaction for us to send"
        }
        (DepositMethod::Permit2, Proof::Signed(_)) => "submit the signature over the permit",
        _ => return Ok(()),
    };
    Err(SubmitError::WrongProof { method, expected })
}

/// Refuses what could only be sent after the escrow has stopped taking it.
fn check_time(order: &Order, now: Timestamp) -> Result<(), SubmitError> {
    match moment(order.terms.open_deadline) {
        Some(at) if now > at => Err(SubmitError::TooLate { order: order.id.clone(), at }),
        _ => Ok(()),
    }
}

fn not_taken(error: CheckError) -> SubmitError {
    match error {
        CheckError::Chain(error) => SubmitError::Chain(error),
        CheckError::NotThis(why) => SubmitError::NotThis(why.0),
    }
}
