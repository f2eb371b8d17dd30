mod change;
mod error;
mod hash;
mod permit;
mod sender;
mod signed;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{DepositBuilder, DepositCheckError, OrderStore, TxSender};
use causeway_domain::{ChainId, DepositMethod, Family, Order, OrderId, QuoteId, RouteId, RouteSeal, RowKeys};
use jiff::Timestamp;

pub use error::SubmitError;

pub(crate) use permit::{open_action, permit_kind};

use crate::build_deposit::moment;
use crate::liquidity::Liquidity;
use sender::DepositSender;

/// Evidence of a deposit, or what we need to make it.
#[derive(Clone, PartialEq, Eq)]
pub enum Proof {
    /// The hash of a transaction that the payer has sent.
    Hash(String),
    /// A signed transaction for us to broadcast.
    Signed(Vec<u8>),
    /// A signed permit for us to relay.
    Permit(Vec<u8>),
}

impl fmt::Debug for Proof {
    /// Signed payloads are not logged.
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
    pub seal: Arc<RouteSeal>,
    pub orders: Arc<dyn OrderStore>,
    pub deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    pub relayers: HashMap<ChainId, Arc<dyn TxSender>>,
    pub row_keys: Arc<RowKeys>,
}

impl fmt::Debug for SubmitParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmitParts").finish_non_exhaustive()
    }
}

/// Accepts submitted deposits. A submission is only a hint: confirmed on-chain events advance orders, with or without it.
#[derive(Debug)]
pub struct SubmitDeposit {
    parts: SubmitParts,
    liquidity: Liquidity,
}

impl SubmitDeposit {
    pub fn new(parts: SubmitParts) -> Self {
        Self { parts, liquidity: Liquidity::default() }
    }

    /// Recognizes the deposits of orders that these providers settle.
    #[must_use]
    pub fn with_liquidity(self, liquidity: Liquidity) -> Self {
        Self { liquidity, ..self }
    }

    /// Accepts the proof; idempotent.
    pub async fn submit(&self, request: SubmitRequest) -> Result<Submitted, SubmitError> {
        self.submit_at(request, Timestamp::now()).await
    }

    pub(crate) async fn submit_at(
        &self,
        request: SubmitRequest,
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let order = self.order_for(&request.quote, &request.route).await?;
        if order.provider.is_none() {
            check_proof(order.method, &request.proof)?;
        } else {
            check_provider_proof(&order, &request.proof)?;
        }
        // Boxed, because each future holds several copies of the large order.
        match request.proof {
            Proof::Hash(hash) => Box::pin(self.accept_hash(order, &hash, now)).await,
            Proof::Signed(raw) => Box::pin(self.accept_signed(order, &raw, now)).await,
            Proof::Permit(permit) => Box::pin(self.accept_permit(order, permit, now)).await,
        }
    }

    /// The order that was built for a route.
    async fn order_for(&self, quote: &QuoteId, route: &RouteId) -> Result<Order, SubmitError> {
        if let Some(order) = self.parts.orders.order_of_route(quote, route).await? {
            return Ok(order);
        }
        self.parts.seal.open(quote, route)?;
        Err(SubmitError::NotBuilt)
    }

    fn builder(&self, order: &Order) -> Result<&dyn DepositBuilder, SubmitError> {
        let chain = order.from.chain();
        self.parts.deposit_builders.get(&chain).map(AsRef::as_ref).ok_or(SubmitError::ChainNotServed(chain))
    }

    /// Who knows the deposits of the order.
    fn sender(&self, order: &Order) -> Result<DepositSender<'_>, SubmitError> {
        if order.provider.is_none() {
            return self.builder(order).map(DepositSender::Escrow);
        }
        let chain = order.from.chain();
        let payments = self.liquidity.payments(chain).ok_or(SubmitError::ChainNotServed(chain))?;
        Ok(DepositSender::Provider(payments))
    }
}

/// What a provider's order takes as a proof: only wallets of Solana leave the sending to us.
fn check_provider_proof(order: &Order, proof: &Proof) -> Result<(), SubmitError> {
    let signs = order.method != DepositMethod::Transfer && order.from.chain().family() == Family::Solana;
    let expected = match proof {
        Proof::Hash(_) => return Ok(()),
        Proof::Signed(_) if signs => return Ok(()),
        _ if signs => "submit the payment's txHash, or the signedTransaction for us to send",
        _ => "submit the txHash of the payment to the provider, which your wallet sends",
    };
    Err(SubmitError::WrongProof { method: order.method, expected })
}

fn check_proof(method: DepositMethod, proof: &Proof) -> Result<(), SubmitError> {
    let expected = match (method, proof) {
        (DepositMethod::Transfer, _) => {
            "nothing is submitted; the order goes on by itself when the money has arrived"
        }
        (DepositMethod::ContractCall, Proof::Permit(_)) => {
            "submit the deposit's txHash, or the signedTransaction for us to send"
        }
        (DepositMethod::Permit2 | DepositMethod::Authorization, Proof::Signed(_)) => {
            "submit the signature over the permit"
        }
        (DepositMethod::Permit, Proof::Signed(_)) => {
            "submit the signature over the permit, followed by the one over the order"
        }
        _ => return Ok(()),
    };
    Err(SubmitError::WrongProof { method, expected })
}

/// Rejects a deposit after the escrow's deadline.
fn check_time(order: &Order, now: Timestamp) -> Result<(), SubmitError> {
    match moment(order.terms.open_deadline) {
        Some(at) if now > at => Err(SubmitError::TooLate { order: order.id.clone(), at }),
        _ => Ok(()),
    }
}

fn check_error(error: DepositCheckError) -> SubmitError {
    match error {
        DepositCheckError::Chain(error) => SubmitError::Chain(error),
        DepositCheckError::Mismatch(reason) => SubmitError::NotThis(reason.0),
    }
}
