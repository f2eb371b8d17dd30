use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use super::ChainError;
use crate::{Address, ChainId, IntentTerms, RawAmount, TokenId};

/// One step that a wallet is asked to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletAction {
    SwitchChain(ChainId),
    /// An EVM transaction to sign and send.
    Send {
        purpose: SendPurpose,
        transaction: WalletTransaction,
    },
    /// The Solana deposit transaction to sign, in wire form with empty signatures. The wallet sends it or returns it to us.
    SignSolana {
        transaction: Vec<u8>,
    },
}

/// The purpose of a wallet transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendPurpose {
    /// Sets an allowance to zero, because the token requires it before a new allowance.
    ResetAllowance,
    /// Allows the escrow or Permit2 to take exactly this amount.
    Approve {
        spender: EvmAddress,
        amount: U256,
    },
    Deposit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalletTransaction {
    pub from: EvmAddress,
    pub to: EvmAddress,
    pub data: Bytes,
    pub value: U256,
    /// Where it could be estimated.
    pub gas: Option<u64>,
}

/// Why a deposit cannot be built now, for the payer.
#[derive(Debug, Error)]
pub enum DepositError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The payer has too little of the input token.
    #[error("the payer has {has} of the {needs} raw units that the deposit takes")]
    Balance { has: RawAmount, needs: RawAmount },
    /// The payer has too little for gas.
    #[error("the payer has {has} of the {needs} wei that the transactions cost")]
    Gas { has: RawAmount, needs: RawAmount },
    /// The simulated deposit fails with this message.
    #[error("{0}")]
    WouldFail(String),
    #[error("this deposit method is not offered on this chain or for this token")]
    NotOffered,
}

/// The result of checking a submitted deposit transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepositTxStatus {
    /// Not on chain or in the mempool yet.
    NotFound,
    /// Pending or mined, and it is this deposit.
    Matches,
    /// It is something else, with the difference.
    Mismatch(String),
}

/// How a signed payload differs from the deposit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct DepositMismatch(pub String);

/// Why a signed transaction could not be broadcast.
#[derive(Debug, Error)]
pub enum BroadcastError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// With the chain's message.
    #[error("{0}")]
    Refused(String),
    /// It expired unmined; a new transaction must be built and signed.
    #[error(
        "transaction {tx} has expired before the chain took it; build the deposit again and sign the newest one"
    )]
    Expired { tx: String },
}

/// What a payer signs for a deposit that our relayer makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermitKind {
    /// A transfer by Permit2 with all terms as its witness.
    Permit2,
    /// An EIP-3009 authorization of the token itself, with the order's id as its nonce.
    Authorization,
    /// An EIP-2612 permit of the token itself to the escrow, and a signature of the order, without which the escrow takes
    /// nothing.
    TokenPermit,
}

/// What a payer signs, and what the payer's wallet sends before.
#[derive(Clone, Debug, PartialEq)]
pub struct PermitRequest {
    /// The typed data of the permit.
    pub permit: Value,
    /// The typed data of the order, where the payer signs it apart from the permit.
    pub order: Option<Value>,
    /// The approvals that Permit2 needs.
    pub before: Vec<WalletAction>,
}

/// What a payment of native coin would meet at its recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaymentCheck {
    /// Nothing is called there, whatever the amount.
    NoCode,
    /// A contract that takes this amount.
    Takes,
    /// A contract that does not take it, with its own reason where it gives one.
    Refuses(String),
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountKind {
    /// Nothing: an account with a key, or nobody's.
    NoCode,
    /// An account with a key, which runs a contract's code by EIP-7702.
    Delegated,
    Contract,
}

/// Builds and recognizes the deposits of one origin chain.
#[async_trait]
pub trait DepositBuilder: Send + Sync {
    fn chain(&self) -> ChainId;
    fn escrow(&self) -> B256;
    /// The contract that fills orders on this chain.
    fn settler(&self) -> B256;
    /// Minimum time in seconds between an order's fill deadline and its permissionless refund.
    fn min_grace(&self) -> u64;
    /// The attester epoch of new orders.
    async fn epoch(&self) -> Result<u64, ChainError>;
    /// Checks that the refund address takes a refund of this deposit, as far as the chain can simulate that.
    async fn check_refund(&self, terms: &IntentTerms) -> Result<(), DepositError> {
        let _ = terms;
        Ok(())
    }
    /// Simulates a payment of native coin by the contract that fills orders on this chain; `None` where the chain has no such
    /// simulation.
    async fn simulate_payment(
        &self,
        recipient: Address,
        amount: U256,
    ) -> Result<Option<PaymentCheck>, ChainError> {
        let _ = (recipient, amount);
        Ok(None)
    }
    /// What is at an address; `None` where the chain has no such distinction.
    async fn account_kind(&self, address: Address) -> Result<Option<AccountKind>, ChainError> {
        let _ = address;
        Ok(None)
    }
    /// The steps for the payer's wallet, simulated first.
    async fn actions(&self, terms: &IntentTerms) -> Result<Vec<WalletAction>, DepositError>;
    /// What the payer signs for a permit that is bound to all terms.
    async fn permit(&self, kind: PermitKind, terms: &IntentTerms) -> Result<PermitRequest, DepositError>;
    /// The deposit address of this order; `None` where transfers are not offered.
    fn address_for(&self, intent_id: B256) -> Option<Address>;
    /// Checks whether a submitted transaction is the deposit.
    async fn check_deposit_tx(&self, terms: &IntentTerms, tx: &str) -> Result<DepositTxStatus, ChainError>;
    /// Checks that the permit is the payer's, covers exactly these terms and is accepted now.
    async fn check_permit(
        &self,
        kind: PermitKind,
        terms: &IntentTerms,
        permit: &[u8],
    ) -> Result<(), DepositCheckError>;
    /// The hash of a signed transaction, if it is the deposit that was built for the payer. `built` is the unsigned
    /// transaction of [`WalletAction::SignSolana`], if there was one.
    async fn check_signed(
        &self,
        terms: &IntentTerms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, DepositCheckError>;
    /// Broadcasts a signed transaction; one that the chain already knows is no error.
    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError>;
}

/// Why a signed deposit is not accepted.
#[derive(Debug, Error)]
pub enum DepositCheckError {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Mismatch(#[from] DepositMismatch),
}

/// Reads balances of many addresses at once.
#[async_trait]
pub trait AddressWatch: Send + Sync {
    fn chain(&self) -> ChainId;
    /// The balance of each pair as of that block, in the order of the request.
    async fn balances_at(
        &self,
        wanted: &[(Address, TokenId)],
        block: u64,
    ) -> Result<Vec<RawAmount>, ChainError>;
    /// The same with the block that was read: the requested one, or a later one where a chain exposes its newest state only.
    async fn balances_since(
        &self,
        wanted: &[(Address, TokenId)],
        block: u64,
    ) -> Result<(Vec<RawAmount>, u64), ChainError> {
        Ok((self.balances_at(wanted, block).await?, block))
    }
    /// The newest transaction between two blocks, both included, that transferred the token there, if found.
    async fn funding_tx(
        &self,
        address: Address,
        token: TokenId,
        from: u64,
        to: u64,
    ) -> Result<Option<String>, ChainError>;
    /// Who paid that amount of the token to the address. The blocks up to `until` are searched, the newest first, until that
    /// amount is found, as far as the chain tells.
    async fn payers(
        &self,
        address: Address,
        token: TokenId,
        until: u64,
        amount: RawAmount,
    ) -> Result<KnownPayers, ChainError>;
}

/// Who paid to an address, as far as a chain tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownPayers {
    /// Where the money came from, and who signed for it.
    pub wallets: Vec<Address>,
    /// How much came from them. The rest came from somebody unknown.
    pub amount: RawAmount,
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::SOLANA_CHAIN_ID;

    /// A chain that reads the state of any block; every balance there is the block's number.
    struct AnyBlock;

    #[async_trait]
    impl AddressWatch for AnyBlock {
        fn chain(&self) -> ChainId {
            SOLANA_CHAIN_ID
        }

        async fn balances_at(
            &self,
            wanted: &[(Address, TokenId)],
            block: u64,
        ) -> Result<Vec<RawAmount>, ChainError> {
            Ok(vec![RawAmount::new(U256::from(block)); wanted.len()])
        }

        async fn funding_tx(
            &self,
            _: Address,
            _: TokenId,
            _: u64,
            _: u64,
        ) -> Result<Option<String>, ChainError> {
            Ok(None)
        }

        async fn payers(
            &self,
            _: Address,
            _: TokenId,
            _: u64,
            _: RawAmount,
        ) -> Result<KnownPayers, ChainError> {
            Ok(KnownPayers::default())
        }
    }

    #[test]
    fn balances_are_read_as_of_the_requested_block_where_a_chain_can() {
        let wanted = [(Address::Solana([1; 32]), TokenId::native(SOLANA_CHAIN_ID)); 2];
        let mut reading = pin!(AnyBlock.balances_since(&wanted, 7));
        let Poll::Ready(read) = reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("nothing is awaited")
        };
        assert_eq!(read.unwrap(), (vec![RawAmount::new(U256::from(7)); 2], 7));
    }
}
