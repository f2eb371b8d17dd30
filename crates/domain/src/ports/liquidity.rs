use alloy_primitives::{Bytes, U256};
use async_trait::async_trait;
use thiserror::Error;

use super::{
    BroadcastError, ChainError, DepositCheckError, DepositError, DepositMismatch, DepositTxStatus, Filler,
    FillerError, WalletAction,
};
use crate::{
    Address, Ask, ChainId, CustodyNotice, DepositMethod, Order, ProviderTerms, RawAmount, RouteTerms,
    Slippage, TokenId,
};

/// What a provider is asked to build a transaction for: a route of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderAsk {
    pub from: TokenId,
    pub to: TokenId,
    pub amount_in: RawAmount,
    /// The least output that the payer agreed to.
    pub min_amount_out: RawAmount,
    pub payer: Address,
    pub recipient: Address,
    pub refund_to: Address,
    pub tool: String,
    pub slippage: Slippage,
}

impl ProviderAsk {
    /// The ask for a sealed route.
    pub fn new(route: &RouteTerms, terms: &ProviderTerms) -> Self {
        Self {
            from: route.from,
            to: route.to,
            amount_in: route.amount_in,
            min_amount_out: route.min_amount_out,
            payer: route.from_address,
            recipient: route.recipient,
            refund_to: route.refund_to,
            tool: terms.tool.clone(),
            slippage: terms.slippage,
        }
    }

    /// The ask for a quote, before anybody agreed to an output. `tool` is empty for the provider's own choice.
    pub fn to_quote(ask: &Ask, tool: &str) -> Self {
        Self {
            from: ask.from,
            to: ask.to,
            amount_in: ask.amount,
            min_amount_out: RawAmount::ZERO,
            payer: ask.from_address,
            recipient: ask.recipient,
            refund_to: ask.refund_to,
            tool: tool.to_owned(),
            slippage: ask.tolerance(),
        }
    }
}

/// A contract that the called one hands the input to. It changes, so it is not pinned: a registry on the chain names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredContract {
    pub contract: Address,
    pub registry: Address,
    /// Calls of the registry that answer with an address each. One of them must answer with the contract, and none before it may
    /// fail.
    pub calls: Vec<Bytes>,
}

/// A transaction that a provider wants the payer to sign, as far as its adapter could check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderTransaction {
    pub target: Address,
    /// Who takes the input by an allowance; absent for native coins, and on Solana, where the payer's signature is enough.
    pub spender: Option<Address>,
    pub value: U256,
    /// On Solana a [`SolanaCall`](super::SolanaCall).
    pub data: Bytes,
    pub min_amount_out: RawAmount,
    /// Who gets the input, where that is not the contract that is called.
    pub registered: Option<RegisteredContract>,
}

/// An address of a provider that the payer sends the input to, as far as its adapter could check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderAddress {
    pub address: Address,
    /// Unix seconds; what arrives later may be lost.
    pub pays_until: u64,
    pub min_amount_out: RawAmount,
}

/// How the payer pays a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderDeposit {
    Call(ProviderTransaction),
    Transfer(ProviderAddress),
}

impl ProviderDeposit {
    /// The least output that the provider promises for it.
    pub const fn min_amount_out(&self) -> RawAmount {
        match self {
            Self::Call(transaction) => transaction.min_amount_out,
            Self::Transfer(address) => address.min_amount_out,
        }
    }
}

/// What a provider returned instead of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderReturn {
    pub token: TokenId,
    pub tx: String,
    /// Whether it lies at the recipient of the output; else at the refund address.
    pub at_recipient: bool,
}

/// The state of a transfer as its provider reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderState {
    Working,
    /// Delivered in this transaction on the destination chain, according to the provider.
    Delivered {
        tx: String,
    },
    /// Not delivered; the provider says that the money goes back.
    Failed,
    Returned(ProviderReturn),
}

/// A provider's report on one transfer. It changes statuses, never funds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderReport {
    pub state: ProviderState,
    /// The provider's own word.
    pub word: String,
    /// Transactions of the source chain that have paid its address, according to the provider.
    pub deposits: Vec<String>,
    /// How much of the input it says that it has received. It counts only where the service does not read the source chain.
    pub received: Option<RawAmount>,
}

impl ProviderReport {
    /// The report where the payer's own transaction is the whole swap: whether it is so, the chain shows.
    pub fn delivered_at_once(tx: &str) -> Self {
        let state = ProviderState::Delivered { tx: tx.to_owned() };
        Self { state, word: String::new(), deposits: Vec::new(), received: None }
    }
}

/// One chain's entry contract as a provider names it, and whether it is pinned here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedContract {
    pub chain: ChainId,
    pub contract: Address,
    pub pinned: bool,
}

/// A filler that settles itself: the payer signs its transaction or pays its address, and our escrow has no part in it.
#[async_trait]
pub trait LiquidityProvider: Filler {
    /// Who holds the money and what a refund looks like.
    fn notice(&self) -> &CustodyNotice;
    /// How its routes are paid: by a call of its contracts, or by a plain transfer to an address of its own.
    fn deposit_method(&self) -> DepositMethod {
        DepositMethod::ContractCall
    }
    /// Whether the payer's own transaction pays the recipient, so that there is no status to ask for. The input may then go past
    /// the contract that is called.
    fn delivers_at_once(&self) -> bool {
        false
    }
    /// Whether that contract of the chain may be called by the payer's transaction, and be given an allowance.
    fn is_pinned(&self, chain: ChainId, contract: Address) -> bool;
    /// The entry contracts that the provider itself names now; none where it is paid by transfers or publishes no list.
    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError>;
    /// What the payer signs or pays for a route. An answer that differs from the route is [`FillerError::Nonsense`].
    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError>;
    /// The provider's current report on an order; `None` while it knows nothing. The transaction of the deposit may be unknown
    /// where the order is paid by a transfer.
    async fn look_up(
        &self,
        order: &Order,
        deposit_tx: Option<&str>,
    ) -> Result<Option<ProviderReport>, FillerError>;
}

/// A payment to a provider's contract, and what it may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderPayment {
    pub payer: Address,
    pub token: TokenId,
    pub amount: RawAmount,
    pub transaction: ProviderTransaction,
    /// The output and its recipient where the transaction itself delivers.
    pub output: Option<(TokenId, Address, RawAmount)>,
    /// Tokens of the payer that must not become fewer.
    pub guarded: Vec<TokenId>,
}

/// Why a provider's transaction is not handed to the payer.
#[derive(Debug, Error)]
pub enum ProviderPaymentError {
    #[error(transparent)]
    Deposit(#[from] DepositError),
    /// It does something else than the route says: the provider's fault.
    #[error("{0}")]
    Effects(String),
}

/// Builds and recognizes payments to providers' contracts on one chain.
#[async_trait]
pub trait ProviderPayments: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The steps for the payer's wallet: an allowance of exactly the amount where one is needed, then the call. The call is
    /// simulated and its effects are compared with the payment.
    async fn actions(&self, payment: &ProviderPayment) -> Result<Vec<WalletAction>, ProviderPaymentError>;
    /// Checks whether a transaction is one of the payer's that were built, in the form of [`pack_call`].
    async fn check_tx(
        &self,
        payer: Address,
        built: &[&[u8]],
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError>;
    /// The name of the payer's signed transaction, if it is one of those that were built. Only wallets of Solana leave the
    /// sending to others.
    async fn check_signed(
        &self,
        payer: Address,
        built: &[&[u8]],
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        let _ = (payer, built, raw);
        Err(DepositMismatch("have the wallet send the transaction, and submit its txHash".to_owned()).into())
    }
    /// Sends what [`Self::check_signed`] accepted; idempotent.
    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        let _ = raw;
        Err(BroadcastError::Refused("this chain's wallets send their transactions themselves".to_owned()))
    }
}

/// The longest call data that is handed to a payer.
pub const MAX_CALL_DATA: usize = 60_000;

/// A call in the form in which orders keep it: target, value, data.
pub fn pack_call(transaction: &ProviderTransaction) -> Vec<u8> {
    let target = transaction.target.to_word();
    [target.as_slice(), &transaction.value.to_be_bytes::<32>(), &transaction.data].concat()
}

/// The data of a call in that form.
pub fn packed_data(packed: &[u8]) -> &[u8] {
    packed.get(64..).unwrap_or_default()
}
