use causeway_domain::Order;
use causeway_domain::ports::{
    BroadcastError, ChainError, DepositBuilder, DepositCheckError, DepositTxStatus, ProviderPayments,
};

/// Who recognizes a payer's deposit and sends it: the escrow's side, or that of a provider that settles the order.
#[derive(Clone, Copy)]
pub(super) enum DepositSender<'a> {
    Escrow(&'a dyn DepositBuilder),
    Provider(&'a dyn ProviderPayments),
}

impl DepositSender<'_> {
    /// What the chain shows of a transaction.
    pub(super) async fn check_tx(&self, order: &Order, tx: &str) -> Result<DepositTxStatus, ChainError> {
        match self {
            Self::Escrow(builder) => builder.check_deposit_tx(&order.terms, tx).await,
            Self::Provider(payments) => payments.check_tx(order.author, &order.unsigned_txs(), tx).await,
        }
    }

    /// The hash of a signed deposit. If the payer was given transactions to sign, any of them is accepted; the error describes the
    /// difference from the newest.
    pub(super) async fn check_signed(&self, order: &Order, raw: &[u8]) -> Result<String, DepositCheckError> {
        let given = order.unsigned_txs();
        let builder = match self {
            Self::Escrow(builder) => builder,
            Self::Provider(payments) => return payments.check_signed(order.author, &given, raw).await,
        };
        let newest = builder.check_signed(&order.terms, given.first().copied(), raw).await;
        for earlier in given.iter().skip(1).filter(|_| newest.is_err()) {
            if let Ok(tx) = builder.check_signed(&order.terms, Some(earlier), raw).await {
                return Ok(tx);
            }
        }
        newest
    }

    /// Sends what was accepted.
    pub(super) async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        match self {
            Self::Escrow(builder) => builder.broadcast(raw).await,
            Self::Provider(payments) => payments.broadcast(raw).await,
        }
    }
}
