use std::sync::Mutex;

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, keccak256};
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, DepositBuilder, DepositCheckError, DepositError, DepositMismatch,
    DepositTxStatus, PermitKind, PermitRequest, SendPurpose, WalletAction, WalletTransaction,
};
use causeway_domain::{Address, ChainId, IntentTerms, RawAmount, SOLANA_CHAIN_ID};
use serde_json::json;

/// How the chain reacts to the next deposit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChainBehavior {
    #[default]
    Succeeds,
    InsufficientBalance,
    InsufficientGas,
    TokenIsPaused,
    Unavailable,
    ShowsOtherTransaction,
    RejectsBroadcast,
    BlockhashExpired,
}

/// Builds deposits for a chain that does not exist.
#[derive(Debug)]
pub(crate) struct FakeDepositBuilder {
    pub(crate) chain: ChainId,
    pub(crate) behavior: Mutex<ChainBehavior>,
}

impl FakeDepositBuilder {
    fn behavior(&self) -> ChainBehavior {
        *self.behavior.lock().unwrap()
    }

    fn check(&self) -> Result<(), DepositError> {
        let (has, needs) =
            (RawAmount::new(U256::from(12_500_000)), RawAmount::new(U256::from(1_000_000_000)));
        match self.behavior() {
            ChainBehavior::InsufficientBalance => Err(DepositError::Balance { has, needs }),
            ChainBehavior::InsufficientGas => Err(DepositError::Gas { has: RawAmount::ZERO, needs }),
            ChainBehavior::TokenIsPaused => Err(DepositError::WouldFail("the token is paused".to_owned())),
            ChainBehavior::Unavailable => Err(ChainError::Unavailable(self.chain).into()),
            _ => Ok(()),
        }
    }

    fn is_solana(&self) -> bool {
        self.chain == SOLANA_CHAIN_ID
    }

    fn send(terms: &IntentTerms, purpose: SendPurpose, to: u8, gas: Option<u64>) -> WalletAction {
        let transaction = WalletTransaction {
            from: EvmAddress::from_word(terms.user),
            to: EvmAddress::repeat_byte(to),
            data: Bytes::from_static(&[0xe9, 0x17, 0xa9, 0x62]),
            value: U256::ZERO,
            gas,
        };
        WalletAction::Send { purpose, transaction }
    }
}

#[async_trait]
impl DepositBuilder for FakeDepositBuilder {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn escrow(&self) -> B256 {
        if self.is_solana() { B256::repeat_byte(0xe5) } else { EvmAddress::repeat_byte(0xe5).into_word() }
    }

    fn settler(&self) -> B256 {
        EvmAddress::repeat_byte(0x5e).into_word()
    }

    fn min_grace(&self) -> u64 {
        60
    }

    async fn epoch(&self) -> Result<u64, ChainError> {
        Ok(3)
    }

    async fn actions(&self, terms: &IntentTerms) -> Result<Vec<WalletAction>, DepositError> {
        self.check()?;
        if self.is_solana() {
            return Ok(vec![WalletAction::SignSolana { transaction: vec![1, 2, 3, 4] }]);
        }
        let (spender, amount) = (EvmAddress::repeat_byte(0xe5), terms.amount_in);
        Ok(vec![
            WalletAction::SwitchChain(self.chain),
            Self::send(terms, SendPurpose::ResetAllowance, 0x70, Some(46_000)),
            Self::send(terms, SendPurpose::Approve { spender, amount }, 0x70, None),
            Self::send(terms, SendPurpose::Deposit, 0xe5, Some(180_000)),
        ])
    }

    async fn permit(&self, _: PermitKind, terms: &IntentTerms) -> Result<PermitRequest, DepositError> {
        self.check()?;
        let permit = json!({
            "domain": { "name": "Permit2", "chainId": self.chain.get() },
            "types": { "TokenPermissions": [{ "name": "token", "type": "address" }] },
            "primaryType": "PermitWitnessTransferFrom",
            "message": { "permitted": { "amount": terms.amount_in.to_string() } },
        });
        let (spender, amount) = (EvmAddress::repeat_byte(0x22), terms.amount_in);
        let before = vec![Self::send(terms, SendPurpose::Approve { spender, amount }, 0x70, None)];
        Ok(PermitRequest { permit, order: None, before })
    }

    fn address_for(&self, intent: B256) -> Option<Address> {
        let word = keccak256(intent);
        Some(if self.is_solana() {
            Address::Solana(word.0)
        } else {
            Address::Evm(EvmAddress::from_word(word))
        })
    }

    async fn check_deposit_tx(&self, _: &IntentTerms, _: &str) -> Result<DepositTxStatus, ChainError> {
        Ok(match self.behavior() {
            ChainBehavior::ShowsOtherTransaction => {
                DepositTxStatus::Mismatch("it calls another contract".to_owned())
            }
            _ => DepositTxStatus::NotFound,
        })
    }

    async fn check_permit(&self, _: PermitKind, _: &IntentTerms, _: &[u8]) -> Result<(), DepositCheckError> {
        Err(DepositMismatch("it is signed by another key".to_owned()).into())
    }

    async fn check_signed(
        &self,
        _: &IntentTerms,
        built: Option<&[u8]>,
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        if !self.is_solana() {
            return Ok(keccak256(raw).to_string());
        }
        if built != Some(raw) {
            return Err(DepositMismatch("it is a legacy transaction".to_owned()).into());
        }
        Ok(bs58::encode([7; 64]).into_string())
    }

    async fn broadcast(&self, _: &[u8]) -> Result<(), BroadcastError> {
        match self.behavior() {
            ChainBehavior::RejectsBroadcast => Err(BroadcastError::Refused("nonce too low".to_owned())),
            ChainBehavior::BlockhashExpired => Err(BroadcastError::Expired { tx: "5abc".to_owned() }),
            _ => Ok(()),
        }
    }
}
